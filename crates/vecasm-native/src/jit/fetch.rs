//! What a block reads of a texture: by the library's own definition, or in vector code where that is the usual case.

use super::call::Computation;
use super::isa::Isa;
use core::arch::x86_64::{
    __m128, __m256, __m256i, _CMP_ORD_Q, _MM_TRANSPOSE4_PS, _mm_add_ps, _mm_and_ps, _mm_andnot_ps,
    _mm_castsi128_ps, _mm_cmpunord_ps, _mm_loadu_ps, _mm_mul_ps, _mm_or_ps, _mm_set1_epi32, _mm_set1_ps,
    _mm_storeu_ps, _mm_sub_ps, _mm256_add_epi32, _mm256_and_ps, _mm256_blendv_epi8, _mm256_cmp_ps,
    _mm256_cmpgt_epi32, _mm256_cvttps_epi32, _mm256_floor_ps, _mm256_loadu_ps, _mm256_max_ps,
    _mm256_min_epu32, _mm256_min_ps, _mm256_mul_ps, _mm256_mullo_epi32, _mm256_set1_epi32, _mm256_set1_ps,
    _mm256_setzero_ps, _mm256_setzero_si256, _mm256_storeu_ps, _mm256_storeu_si256, _mm256_sub_ps,
};
use vecasm_exec::texture::{Arguments, Plane, Reading, Textures};
use vecasm_ir::ir::{Op, Pick, Shader, TextureId};
use vecasm_ir::math::CANONICAL_NAN;

/// The most lanes of a vector.
pub(super) const MOST_LANES: usize = 16;

/// An operation on a texture with what a batch binds.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fetch<'a> {
    op: Op,
    /// Lanes of each argument.
    lanes: [u8; 5],
    textures: Textures<'a>,
    reading: Reading<'a>,
    plane: Option<Plane<'a>>,
    /// Where a number chooses among textures: the first one, and how many.
    choice: Option<(TextureId, u16)>,
}

impl<'a> Fetch<'a> {
    /// What a call reads, if it is one to a texture.
    pub(super) fn new(what: Computation, shader: &'a Shader, textures: Textures<'a>) -> Option<Self> {
        let Computation::Texture(op, lanes) = what else { return None };
        let (id, pick) = op.texture()?;
        let choice = match pick {
            Pick::Index { count } => Some((id, count)),
            _ => None,
        };
        debug_assert!(shader.textures.get(id.index()).is_some());
        let bound = if choice.is_none() { textures.bound(id, id.index()) } else { None };
        let reading = textures.reading(op, bound);
        let plane = bound.and_then(|bound| Plane::of(op, bound));
        Some(Self { op, lanes, textures, reading, plane, choice })
    }

    /// Reads for the lanes of a bit set, or for more. Arguments, by their numbers, and answers are vectors; those of the lanes of an
    /// argument stand one after another.
    pub(super) fn read(
        &self,
        isa: Isa,
        arg: impl Fn(usize) -> [u32; MOST_LANES],
        lanes: u32,
        answers: &mut [[u32; MOST_LANES]; 4],
    ) {
        if let Some(plane) = &self.plane {
            let (u, v) = (arg(0), arg(1));
            for half in (0..isa.lanes() / 8).filter(|half| lanes >> (half * 8) & 0xff != 0) {
                // SAFETY: code of either instruction set runs only where there is AVX2.
                unsafe { eight(plane, &u, &v, answers, half * 8) };
            }
            return;
        }
        // By invocations, so that quads are what they are.
        let mut rows = [[0; MOST_LANES]; 20];
        let count = self.lanes.iter().map(|&lanes| usize::from(lanes)).sum();
        for (at, row) in rows.iter_mut().enumerate().take(count) {
            let arg = arg(at);
            (0..isa.lanes()).for_each(|lane| row[isa.invocation(lane)] = arg[lane]);
        }
        let zero = [0; MOST_LANES];
        let mut arguments: Arguments<'_, u32> = [[&zero; 4]; 5];
        let (mut at, mut last) = (0, &zero);
        for (argument, &count) in arguments.iter_mut().zip(&self.lanes) {
            for (lane, row) in argument.iter_mut().zip(rows.iter().skip(at)).take(usize::from(count)) {
                *lane = row;
            }
            if count > 0 {
                last = &rows[at.min(19)];
            }
            at += usize::from(count);
        }
        for lane in (0..isa.lanes()).filter(|lane| lanes >> lane & 1 != 0) {
            let i = isa.invocation(lane);
            let bits = match self.choice {
                None => self.reading.of(&arguments, i),
                Some((id, count)) => {
                    let at = (last[i] < u32::from(count)).then(|| id.index() + last[i] as usize);
                    let bound = at.and_then(|at| self.textures.bound(id, at));
                    self.textures.reading(self.op, bound).of(&arguments, i)
                }
            };
            answers.iter_mut().zip(bits).for_each(|(answer, bits)| answer[lane] = bits);
        }
    }
}

/// Where eight coordinates lie along an axis: the texel before and the one behind, and the weight of that.
struct AxisTaps {
    first: __m256i,
    second: __m256i,
    weight: __m256,
}

/// The same steps as the library takes, for a coordinate that repeats or is clamped; without a filter both texels are the one it
/// lies in.
///
/// # Safety
///
/// The processor has AVX2.
#[target_feature(enable = "avx2")]
#[inline]
unsafe fn along(coord: &[u32; 8], size: u32, repeats: bool, linear: bool) -> AxisTaps {
    // SAFETY: the caller has AVX2; eight words are read.
    unsafe {
        let zero = _mm256_setzero_ps();
        let coord = _mm256_loadu_ps(coord.as_ptr().cast());
        // NaN counts as 0, and so does the fraction of an infinity.
        let coord = _mm256_and_ps(coord, _mm256_cmp_ps::<_CMP_ORD_Q>(coord, coord));
        let part = if repeats {
            let part = _mm256_sub_ps(coord, _mm256_floor_ps(coord));
            _mm256_and_ps(part, _mm256_cmp_ps::<_CMP_ORD_Q>(part, part))
        } else {
            _mm256_min_ps(_mm256_max_ps(coord, zero), _mm256_set1_ps(1.0))
        };
        let at = _mm256_mul_ps(part, _mm256_set1_ps(size as f32));
        let last = _mm256_set1_epi32(size as i32 - 1);
        let nothing = _mm256_setzero_si256();
        if !linear {
            let at = _mm256_cvttps_epi32(at);
            // Rounding may lead to the size itself.
            let beyond = if repeats { nothing } else { last };
            let inside = _mm256_blendv_epi8(at, beyond, _mm256_cmpgt_epi32(at, last));
            return AxisTaps { first: inside, second: inside, weight: zero };
        }
        let at = _mm256_sub_ps(at, _mm256_set1_ps(0.5));
        let whole = _mm256_floor_ps(at);
        // -1 to the last one.
        let below = _mm256_cvttps_epi32(whole);
        let above = _mm256_add_epi32(below, _mm256_set1_epi32(1));
        let (before, behind) = if repeats { (last, nothing) } else { (nothing, last) };
        AxisTaps {
            first: _mm256_blendv_epi8(below, before, _mm256_cmpgt_epi32(nothing, below)),
            second: _mm256_blendv_epi8(above, behind, _mm256_cmpgt_epi32(above, last)),
            weight: _mm256_sub_ps(at, whole),
        }
    }
}

/// Eight words from `start` on.
fn part(words: &[u32; MOST_LANES], start: usize) -> Option<&[u32; 8]> {
    words.get(start..)?.first_chunk()
}

/// Reads eight lanes from `start` on.
///
/// # Safety
///
/// The processor has AVX2.
#[target_feature(enable = "avx2")]
unsafe fn eight(
    plane: &Plane<'_>,
    u: &[u32; MOST_LANES],
    v: &[u32; MOST_LANES],
    answers: &mut [[u32; MOST_LANES]; 4],
    start: usize,
) {
    let (Some(u), Some(v)) = (part(u, start), part(v, start)) else { return };
    let [width, height] = plane.size;
    let Some(last) = plane.texels.len().checked_sub(1) else { return };
    let mut places = [[0u32; 8]; 4];
    let (mut across, mut down) = ([0f32; 8], [0f32; 8]);
    // SAFETY: the caller has AVX2; lists of eight words are written.
    unsafe {
        let x = along(u, width, plane.repeats[0], plane.linear);
        let y = along(v, height, plane.repeats[1], plane.linear);
        let pitch = _mm256_set1_epi32(width as i32);
        let (top, bottom) = (_mm256_mullo_epi32(y.first, pitch), _mm256_mullo_epi32(y.second, pitch));
        // Sizes are such that no place is beyond; here that need not be trusted.
        let last = _mm256_set1_epi32(last.min(u32::MAX as usize) as u32 as i32);
        let corners = [(top, x.first), (top, x.second), (bottom, x.first), (bottom, x.second)];
        for (place, (row, column)) in places.iter_mut().zip(corners) {
            let at = _mm256_min_epu32(_mm256_add_epi32(row, column), last);
            _mm256_storeu_si256(place.as_mut_ptr().cast(), at);
        }
        _mm256_storeu_ps(across.as_mut_ptr(), x.weight);
        _mm256_storeu_ps(down.as_mut_ptr(), y.weight);
    }
    for four in 0..2 {
        // SAFETY: the caller has AVX2. There is a texel, and no place is beyond the last one. What is written are four lanes of
        // each answer.
        unsafe {
            let mut colours = [_mm_set1_ps(0.0); 4];
            for (i, colour) in colours.iter_mut().enumerate() {
                let lane = four * 4 + i;
                let texel = |corner: usize| -> __m128 {
                    _mm_loadu_ps(plane.texels.as_ptr().add(places[corner][lane] as usize).cast())
                };
                *colour = if plane.linear {
                    let weight = _mm_set1_ps(across[lane]);
                    let mix = |a: __m128, b: __m128, weight: __m128| {
                        _mm_add_ps(a, _mm_mul_ps(_mm_sub_ps(b, a), weight))
                    };
                    let (top, bottom) = (mix(texel(0), texel(1), weight), mix(texel(2), texel(3), weight));
                    mix(top, bottom, _mm_set1_ps(down[lane]))
                } else {
                    texel(0)
                };
            }
            let [mut a, mut b, mut c, mut d] = colours;
            _MM_TRANSPOSE4_PS(&mut a, &mut b, &mut c, &mut d);
            let canonical = _mm_castsi128_ps(_mm_set1_epi32(CANONICAL_NAN as i32));
            for (answer, word) in answers.iter_mut().zip([a, b, c, d]) {
                let nan = _mm_cmpunord_ps(word, word);
                let word = _mm_or_ps(_mm_and_ps(nan, canonical), _mm_andnot_ps(nan, word));
                let at = (start + four * 4) & 15;
                _mm_storeu_ps(answer.as_mut_ptr().add(at).cast(), word);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A plane whose size says more than it has texels: those behind are not its own.
    #[test]
    fn no_texel_is_read_beyond_the_last_one() {
        if !Isa::Avx2.is_there() {
            return;
        }
        let own = [[1.0f32.to_bits(); 4]; 3];
        let foreign = [[7.0f32.to_bits(); 4]; 64 - 3];
        let all: Vec<[u32; 4]> = own.into_iter().chain(foreign).collect();
        for size in [[8, 8], [16_384, 16_384], [65_536, 65_536], [u32::MAX, u32::MAX]] {
            for linear in [false, true] {
                for repeats in [false, true] {
                    let plane = Plane { texels: &all[..3], size, repeats: [repeats; 2], linear };
                    let places: [u32; MOST_LANES] = core::array::from_fn(|i| (i as f32 / 7.0).to_bits());
                    let mut answers = [[0; MOST_LANES]; 4];
                    // SAFETY: the processor has AVX2.
                    unsafe { eight(&plane, &places, &places, &mut answers, 0) };
                    for answer in answers {
                        assert_eq!(answer[..8], [1.0f32.to_bits(); 8], "{size:?} {linear} {repeats}");
                    }
                }
            }
        }
    }
}
