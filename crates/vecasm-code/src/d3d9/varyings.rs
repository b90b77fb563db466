//! What varyings are in Direct3D 9: usages, registers before 3.0, and what these do to values.

use alloc::vec::Vec;
use vecasm_ir::ir::{
    Arg, DeclUsage, Input, InputKind, Inst, Node, Op, Output, OutputKind, Pure, Shader, VaryingMeaning,
};
use vecasm_isa::d3d9::registers::RegType;
use vecasm_isa::d3d9::usages;

/// The usage and index that a varying has: that of its semantic, or of what its source calls it.
fn usage(meaning: Option<VaryingMeaning>, semantic: &str) -> Option<(u8, u8)> {
    let own = || {
        let letters = semantic.trim_end_matches(|c: char| c.is_ascii_digit());
        let usage = usages::named(letters)?;
        let digits = semantic.get(letters.len()..)?;
        let index = if digits.is_empty() { 0 } else { digits.parse::<u8>().ok()? };
        (index < 16).then_some((usage.code(), index))
    };
    if let Some(own) = own() {
        return Some(own);
    }
    let of =
        |usage: DeclUsage, index: u32| Some((usage.code(), u8::try_from(index).ok().filter(|n| *n < 16)?));
    match meaning? {
        VaryingMeaning::Color(n) => of(DeclUsage::Color, n),
        VaryingMeaning::Coordinates(n) => of(DeclUsage::TexCoord, n),
        VaryingMeaning::Fog => of(DeclUsage::Fog, 0),
        VaryingMeaning::PointSize => of(DeclUsage::PointSize, 0),
        VaryingMeaning::BackColor(_) => None,
    }
}

/// The register before 3.0 that a usage is: what vertex shaders write, with its number, and the file that pixel shaders read.
pub(super) fn register_of((usage, index): (u8, u8)) -> Option<((RegType, u16), Option<RegType>)> {
    let number = u16::from(index);
    match DeclUsage::from_code(usage)? {
        DeclUsage::Color if index < 2 => Some(((RegType::AttrOut, number), Some(RegType::Input))),
        DeclUsage::TexCoord if index < 8 => Some(((RegType::Output, number), Some(RegType::AddrOrTexture))),
        DeclUsage::Fog if index == 0 => Some(((RegType::RastOut, 1), None)),
        DeclUsage::PointSize if index == 0 => Some(((RegType::RastOut, 2), None)),
        _ => None,
    }
}

/// The usage and index of an input that is a varying.
pub(super) fn usage_of_input(of: &Input) -> Option<(u8, u8)> {
    let varying = matches!(of.kind, InputKind::Varying { .. });
    usage(VaryingMeaning::of_input(of.kind, &of.semantic, &of.name), &of.semantic).filter(|_| varying)
}

/// The usage and index of an output that is a varying, or fog.
pub(super) fn usage_of_output(of: &Output) -> Option<(u8, u8)> {
    let varying = matches!(of.kind, OutputKind::Varying { .. } | OutputKind::Fog);
    usage(VaryingMeaning::of_output(of.kind, &of.semantic, &of.name), &of.semantic).filter(|_| varying)
}

/// The usage and index of an attribute: what its declaration says; without one those that Direct3D 8 gives registers, elsewhere the
/// position and coordinates.
pub(super) fn usage_of_attribute(shader: &Shader, of: &Input, location: u32) -> (u8, u8) {
    if let Some(said) = usage(None, &of.semantic) {
        return said;
    }
    match (shader.isa == "d3d9", location.checked_sub(1)) {
        (true, _) => {
            usages::D3D8_INPUTS.get(location as usize).copied().unwrap_or((DeclUsage::Position.code(), 0))
        }
        (false, None) => (DeclUsage::Position.code(), 0),
        (false, Some(n)) => (DeclUsage::TexCoord.code(), n as u8 & 15),
    }
}

/// Whether the shader clamps everything of a usage, colours or fog, that it reads or writes, as the pipeline before 3.0 does.
pub(super) fn is_clamped(shader: &Shader, of: DeclUsage) -> bool {
    let is = |usage: Option<(u8, u8)>| usage.is_some_and(|usage| usage.0 == of.code());
    let outputs: Vec<bool> = shader.outputs.iter().map(|of| is(usage_of_output(of))).collect();
    let inputs: Vec<bool> = shader.inputs.iter().map(|of| is(usage_of_input(of))).collect();
    if !outputs.contains(&true) && !inputs.contains(&true) {
        return true;
    }
    let mut made: Vec<Option<&Inst>> = alloc::vec![None; shader.values.len()];
    shader.body.for_each_inst(&mut |inst| {
        if let Some(slot) = inst.result.and_then(|value| made.get_mut(value.index())) {
            *slot = Some(inst);
        }
    });
    let made = |arg: &Arg| made.get(arg.value.index()).copied().flatten();
    let clamped = |arg: &Arg| {
        made(arg).is_some_and(|inst| match inst.op {
            Op::Pure(Pure::Saturate) => true,
            Op::Const(bits) => (0..usize::from(arg.lanes)).all(|n| {
                let lane = bits.get(usize::from(arg.swizzle.get(n))).copied().unwrap_or(0);
                (0.0..=1.0).contains(&f32::from_bits(lane)) && lane != 1 << 31
            }),
            _ => false,
        })
    };
    // Vectors are made of parts.
    let all_clamped = |arg: &Arg| match made(arg) {
        Some(inst) if inst.op == Op::Compose => shader.args(inst.args).iter().all(clamped),
        _ => clamped(arg),
    };
    // The lanes of each output that may have been stored last without a clamp. What a branch stores may not be the last.
    let mut open = alloc::vec![0u8; outputs.len()];
    let mut store = |inst: &Inst, always: bool| {
        let Op::StoreOutput { output, mask } = inst.op else { return };
        let Some(open) = open.get_mut(output.index()).filter(|_| outputs[output.index()]) else { return };
        match shader.args(inst.args).first().is_some_and(all_clamped) {
            true if always => *open &= !mask.bits(),
            true => {}
            false => *open |= mask.bits(),
        }
    };
    for node in &shader.body.nodes {
        match node {
            Node::Inst(inst) => store(inst, true),
            node => node.for_each_region(|region| region.for_each_inst(&mut |inst| store(inst, false))),
        }
    }
    let is_input = |arg: &Arg| match made(arg).map(|inst| inst.op) {
        Some(Op::Input(input)) => inputs.get(input.index()) == Some(&true),
        _ => false,
    };
    let mut right = open.iter().all(|lanes| *lanes == 0);
    shader.body.for_each_inst(&mut |inst| {
        let clamps = matches!(inst.op, Op::Pure(Pure::Saturate));
        right &= clamps || !shader.args(inst.args).iter().any(is_input);
    });
    right
}

/// Whether fog and sizes of points are written as numbers, not as vectors.
pub(super) fn has_scalars(shader: &Shader) -> bool {
    let is = |usage: (u8, u8)| [DeclUsage::Fog, DeclUsage::PointSize].iter().any(|of| of.code() == usage.0);
    let scalar: Vec<bool> = shader
        .outputs
        .iter()
        .map(|of| matches!(of.kind, OutputKind::Varying { .. }) && usage_of_output(of).is_some_and(is))
        .collect();
    let mut right = true;
    shader.body.for_each_inst(&mut |inst| {
        if let Op::StoreOutput { output, mask } = inst.op {
            right &= scalar.get(output.index()) != Some(&true) || mask.bits() == 1;
        }
    });
    right
}
