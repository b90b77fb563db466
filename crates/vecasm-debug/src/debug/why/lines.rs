//! Two runs of the same steps, compared.

use alloc::vec::Vec;
use vecasm_exec::interp::Interp;
use vecasm_exec::{Batch, RunError};
use vecasm_ir::ir::{Scalar, Shader};

/// The steps of an invocation: which one, and the lanes that it wrote.
type Steps = Vec<(u32, Vec<(Scalar, [u32; 4], usize)>)>;

/// The source instruction in which an invocation of two shaders with the same steps first differs by more than a share of
/// the value: in what it writes, or in where it goes. `None` if it nowhere does, or there are no steps.
///
/// # Errors
///
/// As [`Engine::run`](vecasm_exec::Engine::run).
pub(in crate::debug) fn differs_at(
    one: &Shader,
    other: &Shader,
    batch: &Batch<'_>,
    invocation: usize,
    share: f32,
) -> Result<Option<u32>, RunError> {
    let (a, b) = (steps(one, batch, invocation)?, steps(other, batch, invocation)?);
    let mut last = None;
    for (a, b) in a.iter().zip(&b) {
        let source = one.steps.get(a.0 as usize).map(|step| step.source);
        if a.0 != b.0 {
            // The step before took another way.
            return Ok(last.or(source));
        }
        let differs =
            a.1.iter()
                .zip(&b.1)
                .any(|(x, y)| (0..x.2).any(|lane| far(x.0, [x.1[lane & 3], y.1[lane & 3]], share)));
        if differs {
            return Ok(source);
        }
        last = source;
    }
    Ok(if a.len() == b.len() { None } else { last })
}

fn far(scalar: Scalar, bits: [u32; 2], share: f32) -> bool {
    let [x, y] = bits.map(f32::from_bits);
    if bits[0] == bits[1] {
        false
    } else if scalar != Scalar::F32 || x.is_nan() != y.is_nan() || x.is_infinite() || y.is_infinite() {
        !(x.is_nan() && y.is_nan())
    } else {
        (x - y).abs() > x.abs().max(y.abs()) * share
    }
}

fn steps(shader: &Shader, batch: &Batch<'_>, invocation: usize) -> Result<Steps, RunError> {
    let mut out: Steps = Vec::new();
    Interp.run_watched(shader, batch, &mut |event| {
        let Some(at) = invocation.checked_sub(event.first).filter(|at| *at < event.absent.len()) else {
            return;
        };
        let Some(step) = shader.steps.get(event.step) else { return };
        if event.absent[at].is_some() || out.len() >= super::flow::MOST_EVENTS {
            return;
        }
        let reads = step.reads.len();
        let writes = step.writes.iter().enumerate().map(|(n, access)| {
            let bits = event.values.get(reads + n).and_then(|v| v.get(at)).copied().unwrap_or([0; 4]);
            let scalar = event.scalars.get(reads + n).copied().unwrap_or(Scalar::F32);
            (scalar, bits, access.mask.count() as usize)
        });
        out.push((event.step as u32, writes.collect()));
    })?;
    Ok(out)
}
