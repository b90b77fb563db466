//! Files, from the facts of their formats.

#![allow(dead_code, reason = "each test that takes this file in builds some")]

/// `ps_2_0` with a table of constants of one word beside its name, and its end.
pub(crate) fn pixel_program() -> Vec<u8> {
    words(&[0xFFFF_0200, 0x0002_FFFE, u32::from_le_bytes(*b"CTAB"), 0x1C, 0x0000_FFFF])
}

/// `vs_2_0` and its end.
pub(crate) fn vertex_program() -> Vec<u8> {
    words(&[0xFFFE_0200, 0x0000_FFFF])
}

/// Words, the low bytes first.
pub(crate) fn words(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// A pool of names, types and values, whose places are given out.
struct Pool(Vec<u8>);

impl Pool {
    fn add(&mut self, bytes: &[u8]) -> u32 {
        let at = self.0.len() as u32;
        self.0.extend_from_slice(bytes);
        self.0.resize(self.0.len().next_multiple_of(4), 0);
        at
    }

    /// A name: its length with the NUL, and it.
    fn name(&mut self, name: &str) -> u32 {
        let mut bytes = words(&[name.len() as u32 + 1]);
        bytes.extend(name.as_bytes());
        bytes.push(0);
        self.add(&bytes)
    }
}

/// An effect: a parameter `Tint` of float4 with the default 1, 2, 3, 4; a parameter `Array` of two pixel shaders; a technique
/// `T` with a pass `P` that sets CULLMODE to 2 and PixelShader to a program.
pub(crate) fn effect() -> Vec<u8> {
    let mut pool = Pool(Vec::new());
    // What is nowhere: a name of no length.
    let none = pool.add(&words(&[0]));
    let tint = pool.name("Tint");
    // float, vector; of a vector the columns stand before the rows.
    let tint_type = pool.add(&words(&[3, 1, tint, none, 0, 4, 1]));
    let one_to_four: Vec<u32> = [1.0f32, 2.0, 3.0, 4.0].iter().map(|number| number.to_bits()).collect();
    let tint_value = pool.add(&words(&one_to_four));
    let array = pool.name("Array");
    let array_type = pool.add(&words(&[15, 4, array, none, 2]));
    let array_value = pool.add(&words(&[1, 2]));
    let (technique, pass) = (pool.name("T"), pool.name("P"));
    // int, scalar: rows and columns.
    let int_type = pool.add(&words(&[2, 0, none, none, 0, 1, 1]));
    let two = pool.add(&words(&[2]));
    let shader_type = pool.add(&words(&[15, 4, none, none, 0]));
    let shader_value = pool.add(&words(&[3]));
    let mut out = words(&[0xFEFF_0901, pool.0.len() as u32]);
    out.extend(pool.0);
    // Two parameters, one technique, passes and programs and samplers, objects with the unused one.
    out.extend(words(&[2, 1, 4, 4]));
    out.extend(words(&[tint_type, tint_value, 0, 0]));
    out.extend(words(&[array_type, array_value, 0, 0]));
    out.extend(words(&[technique, 0, 1, pass, 0, 2]));
    out.extend(words(&[8, 0, int_type, two]));
    out.extend(words(&[0x93, 0, shader_type, shader_value]));
    // Two objects of parameters, the second of which is empty, and one of a state.
    out.extend(words(&[2, 1]));
    let program = pixel_program();
    out.extend(words(&[1, program.len() as u32]));
    out.extend(&program);
    out.extend(words(&[2, 0]));
    out.extend(words(&[0, 0, 0xFFFF_FFFF, 1, 0, program.len() as u32]));
    out.extend(&program);
    out
}

/// An effect with one parameter, a float4 of that name and default, and techniques of one pass `P0` each, which sets
/// PixelShader to a program.
pub(crate) fn effect_of(name: &str, default: [f32; 4], techniques: &[(&str, &[u8])]) -> Vec<u8> {
    let mut pool = Pool(Vec::new());
    let none = pool.add(&words(&[0]));
    let named = pool.name(name);
    let ty = pool.add(&words(&[3, 1, named, none, 0, 4, 1]));
    let value = pool.add(&words(&default.map(f32::to_bits)));
    let shader_type = pool.add(&words(&[15, 4, none, none, 0]));
    let pass = pool.name("P0");
    let (mut tables, mut objects) = (Vec::new(), Vec::new());
    for (n, (technique, program)) in techniques.iter().enumerate() {
        let technique = pool.name(technique);
        let shader = pool.add(&words(&[n as u32 + 1]));
        tables.extend(words(&[technique, 0, 1, pass, 0, 1, 0x93, 0, shader_type, shader]));
        objects.extend(words(&[n as u32, 0, 0xFFFF_FFFF, 0, 0, program.len() as u32]));
        objects.extend(*program);
    }
    let count = techniques.len() as u32;
    let mut out = words(&[0xFEFF_0901, pool.0.len() as u32]);
    out.extend(pool.0);
    // One parameter; passes and programs; objects with the unused one.
    out.extend(words(&[1, count, 2 * count, count + 1]));
    out.extend(words(&[ty, value, 0, 0]));
    out.extend(tables);
    out.extend(words(&[0, count]));
    out.extend(objects);
    out
}

/// An effect that draws one pass, `T/P`, with states and a program out of an array.
///
/// Its parameters are a float4 `Tint` of 0.5, 0.25, 1, 1; a texture `Image`; a sampler `Scene` with it, clamped, its filter linear;
/// an int `Pick` of 1; and pixel shaders `Array`. The pass blends source alpha over the rest, culls nothing and sets PixelShader to
/// the element of `Array` that an expression gives.
pub(crate) fn drawn_effect(array: [&[u8]; 2], expression: &[u8]) -> Vec<u8> {
    let mut pool = Pool(Vec::new());
    let none = pool.add(&words(&[0]));
    let names = ["Tint", "Image", "Scene", "Pick", "Array", "T", "P"].map(|name| pool.name(name));
    let [tint, image, scene, pick, array_name, technique, pass] = names;
    let tint_type = pool.add(&words(&[3, 1, tint, none, 0, 4, 1]));
    let tint_value = pool.add(&words(&[0.5f32, 0.25, 1.0, 1.0].map(f32::to_bits)));
    let image_type = pool.add(&words(&[7, 4, image, none, 0]));
    let image_value = pool.add(&words(&[1]));
    let texture_type = pool.add(&words(&[5, 4, none, none, 0]));
    let object = pool.add(&words(&[0]));
    let int_type = pool.add(&words(&[2, 0, none, none, 0, 1, 1]));
    let numbers = [0, 1, 2, 3, 5, 6].map(|number| pool.add(&words(&[number])));
    let [_, one, two, three, five, six] = numbers;
    let scene_type = pool.add(&words(&[12, 4, scene, none, 0]));
    // A sampler is its states: the texture, two ways to address it, a filter.
    let mut states = words(&[4, 0xA4, 0x100, texture_type, object]);
    for (op, value) in [(0xA5, three), (0xA6, three), (0xAA, two)] {
        states.extend(words(&[op, 0x100, int_type, value]));
    }
    let scene_value = pool.add(&states);
    let pick_type = pool.add(&words(&[2, 0, pick, none, 0, 1, 1]));
    let array_type = pool.add(&words(&[15, 4, array_name, none, 2]));
    let array_value = pool.add(&words(&[2, 3]));
    let shader_type = pool.add(&words(&[15, 4, none, none, 0]));
    let shader_value = pool.add(&words(&[4]));
    let mut out = words(&[0xFEFF_0901, pool.0.len() as u32]);
    out.extend(pool.0);
    // Parameters and techniques; a pass, two programs and a sampler; objects with the unused one.
    out.extend(words(&[5, 1, 4, 5]));
    let parameters =
        [[tint_type, tint_value], [image_type, image_value], [scene_type, scene_value], [pick_type, one]];
    for [ty, value] in parameters.into_iter().chain([[array_type, array_value]]) {
        out.extend(words(&[ty, value, 0, 0]));
    }
    out.extend(words(&[technique, 0, 1, pass, 0, 5]));
    for (op, value) in [(0x0D, one), (0x06, five), (0x07, six), (0x08, one)] {
        out.extend(words(&[op, 0, int_type, value]));
    }
    out.extend(words(&[0x93, 0, shader_type, shader_value]));
    out.extend(words(&[3, 2]));
    out.extend(words(&[1, 0]));
    for (id, program) in [2, 3].into_iter().zip(array) {
        out.extend(words(&[id, program.len() as u32]));
        out.extend(program);
    }
    // The name of the texture, for state 0 of the sampler, which is parameter 2.
    out.extend(words(&[0xFFFF_FFFF, 2, 0, 0, 1, 6]));
    out.extend(b"Image\0\0\0");
    // The choice, for state 4 of the pass.
    let selector = [words(&[6]), b"Array\0\0\0".to_vec(), expression.to_vec()].concat();
    out.extend(words(&[0, 0, 0xFFFF_FFFF, 4, 2, selector.len() as u32]));
    out.extend(selector);
    out
}

/// [`effect`] behind the wrapper of XNA 4.
pub(crate) fn wrapped_effect() -> Vec<u8> {
    [words(&[0xBCF0_0BCF, 16, 0, 3]), effect()].concat()
}

/// A package of entries.
pub(crate) fn package(entries: &[(&str, Vec<u8>)]) -> Vec<u8> {
    let mut data = Vec::new();
    for (name, bytes) in entries {
        data.extend(name.bytes().chain(std::iter::repeat(0)).take(256));
        data.extend(words(&[bytes.len() as u32]));
        data.extend(bytes);
    }
    [words(&[100, entries.len() as u32, data.len() as u32]), data].concat()
}

/// A blob with the chunks `Aon9`, of one constant range, and `ISGN`, and the checksum that is given.
pub(crate) fn blob(checksum: [u8; 16]) -> Vec<u8> {
    let program = pixel_program();
    // Five tables: the first has an entry in front of the program, the others are empty.
    let (start, table) = (0x24 + 12u32, 0x24u32);
    let mut level9 = words(&[0, 0xFFFF_0200, program.len() as u32, start, 1 | table << 16]);
    for _ in 0..4 {
        level9.extend(words(&[start << 16]));
    }
    // Buffer 0 from register 2 on, three registers, to c0; no conversion.
    level9.extend(words(&[2 << 16, 3, 0]));
    level9.extend(&program);
    let size = level9.len() as u32;
    level9[..4].copy_from_slice(&size.to_le_bytes());
    let first = 32 + 8;
    let second = first + 8 + size;
    let mut out = b"DXBC".to_vec();
    out.extend(checksum);
    out.extend(words(&[1, second + 8 + 4, 2, first, second]));
    out.extend(b"Aon9");
    out.extend(words(&[size]));
    out.extend(level9);
    out.extend(b"ISGN");
    out.extend(words(&[4, 7]));
    out
}

/// A string: its length in one byte.
fn string(text: &str) -> Vec<u8> {
    [&[text.len() as u8], text.as_bytes()].concat()
}

/// An effect of MonoGame, version 10, Direct3D 11: one pixel shader, one parameter `Tint` of float4, one technique.
pub(crate) fn monogame(shader: &[u8]) -> Vec<u8> {
    let mut out = b"MGFX".to_vec();
    out.extend([10, 1]);
    out.extend(words(&[0x1234_5678]));
    // No constant buffers, one shader, which is none of vertices.
    out.extend(words(&[0, 1]));
    out.push(0);
    out.extend(words(&[shader.len() as u32]));
    out.extend(shader);
    // No samplers, buffers, attributes.
    out.extend([0, 0, 0]);
    // One parameter: a vector of float, without annotations, one row of four columns, no elements, no members.
    out.extend(words(&[1]));
    out.extend([1, 3]);
    out.extend([string("Tint"), string(""), words(&[0]), vec![1, 4], words(&[0, 0])].concat());
    out.extend(words(&[1.0f32.to_bits(), 0, 0, 0]));
    // One technique with one pass: no vertex shader, the first pixel shader, no states.
    out.extend(words(&[1]));
    out.extend(
        [string("T"), words(&[0, 1]), string("P"), words(&[0, 0xFFFF_FFFF, 0]), vec![0, 0, 0]].concat(),
    );
    out.extend(b"MGFX");
    out
}

/// An asset around an effect, with these flags and this body.
fn asset(flags: u8, body: &[u8]) -> Vec<u8> {
    let mut out = b"XNBw".to_vec();
    out.extend([5, flags]);
    out.extend(words(&[10 + body.len() as u32]));
    out.extend(body);
    out
}

/// The body of an asset: one reader, no shared objects, the first object an effect.
pub(crate) fn body(effect: &[u8]) -> Vec<u8> {
    let reader = "Microsoft.Xna.Framework.Content.EffectReader, Microsoft.Xna.Framework.Graphics";
    let mut out = vec![1];
    out.extend(string(reader));
    out.extend(words(&[0]));
    out.extend([0, 1]);
    out.extend(words(&[effect.len() as u32]));
    out.extend(effect);
    out
}

/// An asset that is not packed.
pub(crate) fn plain_asset(effect: &[u8]) -> Vec<u8> {
    asset(1, &body(effect))
}

/// An asset packed by LZ4: one block of literals alone, which says its length in steps of 255.
pub(crate) fn lz4_asset(effect: &[u8]) -> Vec<u8> {
    let body = body(effect);
    let mut block = vec![0xF0];
    let mut left = body.len() - 15;
    while left >= 255 {
        block.push(255);
        left -= 255;
    }
    block.push(left as u8);
    block.extend(&body);
    asset(0x41, &[words(&[body.len() as u32]), block].concat())
}

/// A member of an archive: its name, how it is packed, its packed bytes, its size.
pub(crate) struct Member {
    pub(crate) name: &'static str,
    pub(crate) method: u16,
    pub(crate) packed: Vec<u8>,
    pub(crate) size: u32,
    pub(crate) crc32: u32,
}

/// A stored member.
pub(crate) fn stored(name: &'static str, bytes: &[u8]) -> Member {
    Member { name, method: 0, packed: bytes.to_vec(), size: bytes.len() as u32, crc32: crc32(bytes) }
}

/// A member in one deflated block that is stored as it is (RFC 1951, 3.2.4).
pub(crate) fn deflated(name: &'static str, bytes: &[u8]) -> Member {
    let len = bytes.len() as u16;
    let mut packed = vec![1];
    packed.extend(len.to_le_bytes());
    packed.extend((!len).to_le_bytes());
    packed.extend(bytes);
    Member { method: 8, packed, ..stored(name, bytes) }
}

/// The checksum of zip archives, bit by bit (ISO 3309).
pub(crate) fn crc32(bytes: &[u8]) -> u32 {
    let mut crc = !0u32;
    for &byte in bytes {
        crc ^= u32::from(byte);
        for _ in 0..8 {
            crc = if crc & 1 != 0 { crc >> 1 ^ 0xEDB8_8320 } else { crc >> 1 };
        }
    }
    !crc
}

/// An archive.
pub(crate) fn archive(members: &[Member]) -> Vec<u8> {
    let (mut out, mut directory) = (Vec::new(), Vec::new());
    for member in members {
        let half = |n: u16| n.to_le_bytes().to_vec();
        let sizes = words(&[member.crc32, member.packed.len() as u32, member.size]);
        let name = half(member.name.len() as u16);
        // Version, flags, method, time, date; sizes; lengths of the name and of the extra field.
        let head = [half(20), half(0), half(member.method), half(1), half(2), sizes, name, half(0)].concat();
        directory
            .extend([&b"PK\x01\x02"[..], &half(20), &head, &[0; 10], &words(&[out.len() as u32])].concat());
        directory.extend(member.name.as_bytes());
        out.extend([&b"PK\x03\x04"[..], &head, member.name.as_bytes(), &member.packed].concat());
    }
    let (start, count) = (out.len() as u32, members.len() as u16);
    let size = directory.len() as u32;
    out.extend(directory);
    out.extend(b"PK\x05\x06\0\0\0\0");
    out.extend([count.to_le_bytes(), count.to_le_bytes()].concat());
    out.extend(words(&[size, start]));
    out.extend([0, 0]);
    out
}
