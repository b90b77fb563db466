//! Texture targets, texel offsets, views and images.
//!
//! Sources: Mesa's manual; `tgsi_exec` of Mesa 22.3.6 (which components are coordinates, references and levels; what it
//! asserts; what it keeps of a declaration).

use super::findings::{At, Findings, Register, Word, declarations, instructions, rules};
use crate::table::Shape;
use crate::tgsi::formats::Format;
use crate::tgsi::names::{File, Target};
use crate::tgsi::program::{ImageInfo, Instruction, Op, Program};
use crate::tgsi::table::Opcode;
use alloc::collections::BTreeMap;

rules! {
    pub(super) const RULES; const;

    NO_TARGET "TGSI-no-target" Error Documented
        "%1 without a texture target",
        "The target determines the number of coordinates.";
    COORDINATES "TGSI-coordinates" Warning Peer
        "%1 has no component left for the extra operand of %2",
        "The layer of CUBEARRAY and the reference of SHADOWCUBE and SHADOW2D_ARRAY are w, which is also the bias of TXB, the level of TXL and TXF and the divisor of TXP: TXB2 and TXL2 have room for both, TEX2 for the reference of SHADOWCUBEARRAY.";
    BUFFER_TARGET "TGSI-buffer-target" Error Peer
        "%1 cannot read a BUFFER",
        "A buffer texture is read by TXF and measured by TXQ; it has no levels and no filter. tgsi_exec stops.";
    MULTISAMPLE "TGSI-multisample" Warning Documented
        "%1 cannot read %2",
        "Samples are read by TXF, with the sample number in w.";
    OFFSETS "TGSI-offset-count" Error Peer
        "%1 takes at most %2 texel offsets, not %3",
        "Texture reads take one texel offset, gathers up to four, queries none. tgsi_exec uses only the first.";
    OFFSET_CUBE "TGSI-offset-cube" Warning Documented
        "a texel offset in %1",
        "Cube maps have no texel offsets.";
    VIEW "TGSI-no-view" Warning Documented
        "%1 has no SVIEW[%2]",
        "The view gives the type of texels; where programs declare views, drivers use the one with the sampler's number.";
    VIEW_TARGET "TGSI-view-target" Error Documented
        "%1 reads %2, but the view is declared %3",
        "The target of an instruction must be that of its view.";
    VIEW_INDEX "TGSI-view-index" Error Peer
        "%1 with an index",
        "The view of an instruction has a fixed number; tgsi_exec ignores an index there.";
    VIEW_RANGE "TGSI-view-range" Warning Peer
        "SVIEW[%1] is not the first of its declaration",
        "tgsi_exec keeps only the first view of a declaration. Declare each one separately.";
    IMAGE_TARGET "TGSI-image-target" Warning Documented
        "%1 accesses %2, but the image is declared %3",
        "The target of an access must be that of its image.";
    IMAGE_FORMAT "TGSI-image-format" Warning Documented
        "%1 accesses %2, but the image is declared %3",
        "The format of an access must be that of its image.";
    READ_ONLY "TGSI-read-only" Warning Documented
        "%1 writes %2, which is declared without WR",
        "Drivers bind an image without WR as read-only.";
}

const fn is_cube(target: Target) -> bool {
    matches!(target.shape(), Target::Cube | Target::CubeArray)
}

/// The name of a target, or its number.
fn word(target: Target) -> Word {
    match target {
        Target::Unknown(code) => Word(None, code.into()),
        named => Word(named.name(), 0),
    }
}

fn format_word(format: Format) -> Word {
    match format {
        Format::Unknown(code) => Word(None, code.into()),
        named => Word(named.name(), 0),
    }
}

/// Views and images by their first register, with the last one.
struct Context {
    views: BTreeMap<u16, (u16, Target)>,
    images: BTreeMap<u16, (u16, ImageInfo)>,
}

fn find<T: Copy>(map: &BTreeMap<u16, (u16, T)>, index: i16) -> Option<(u16, T)> {
    let index = u16::try_from(index).ok()?;
    let (&first, &(last, found)) = map.range(..=index).next_back()?;
    (index <= last).then_some((first, found))
}

/// What is wrong with accesses to textures and images.
pub(super) fn pass<'a>(program: &'a Program, f: &mut Findings<'a>) {
    let mut context = Context { views: BTreeMap::new(), images: BTreeMap::new() };
    for (_, d) in declarations(program) {
        if let Some(view) = d.view {
            context.views.insert(d.first, (d.last, view.target));
        }
        if let Some(image) = d.image {
            context.images.insert(d.first, (d.last, image));
        }
    }
    for (at, instruction) in instructions(program) {
        let Op::Known(op) = instruction.op else { continue };
        texture(program, instruction, op, at, &context, f);
        views(program, instruction, op, at, &context, f);
        image(program, instruction, op, at, &context, f);
    }
}

fn texture(
    program: &Program,
    instruction: &Instruction,
    op: Opcode,
    at: At,
    context: &Context,
    f: &mut Findings<'_>,
) {
    use Opcode as O;
    let row = op.row();
    let count = program.offsets(instruction).len();
    let most = match op {
        O::Txq | O::Txqs | O::TxqLz | O::Lodq | O::Samp2hnd => 0,
        O::Tg4 | O::Gather4 => 4,
        _ => 1,
    };
    if count > most {
        f.at(OFFSETS, at, &[&row.name, &most, &count]);
    }
    if !row.has_target() {
        return;
    }
    let target = instruction.texture.map_or(Target::Unsaid, |texture| texture.target);
    if matches!(target, Target::Unsaid | Target::Unknown(_)) {
        return f.at(NO_TARGET, at, &[&row.name]);
    }
    if count > 0 && most > 0 && is_cube(target) {
        f.at(OFFSET_CUBE, at, &[&word(target)]);
    }
    let queries = matches!(op, O::Txq | O::Txqs | O::TxqLz | O::Samp2hnd);
    let fetches = matches!(op, O::Txf | O::TxfLz);
    if target == Target::Buffer && !queries && !fetches {
        f.at(BUFFER_TARGET, at, &[&row.name]);
    }
    if matches!(target, Target::D2Ms | Target::D2MsArray) && !queries && !fetches {
        f.at(MULTISAMPLE, at, &[&row.name, &word(target)]);
    }
    let w_is_taken = matches!(
        target,
        Target::CubeArray | Target::ShadowCubeArray | Target::ShadowCube | Target::Shadow2Array
    );
    let lacks = match op {
        O::Tex | O::TexLz | O::Txd => target == Target::ShadowCubeArray,
        O::Txp | O::Txb | O::Txl => w_is_taken,
        O::Txf => target.shape() == Target::CubeArray,
        _ => false,
    };
    if lacks {
        f.at(COORDINATES, at, &[&row.name, &word(target)]);
    }
    // Programs from before there were views declare none.
    if context.views.is_empty() {
        return;
    }
    let samplers = program.sources(instruction).iter().zip(row.source_shapes());
    for (operand, _) in samplers.filter(|row| *row.1 == Shape::Sampler) {
        if operand.file != File::Samp || operand.indirect.is_some() {
            continue;
        }
        match find(&context.views, operand.index) {
            None => f.at(VIEW, at, &[&Register(operand), &operand.index]),
            Some((_, view)) if view.shape() != target.shape() => {
                f.at(VIEW_TARGET, at, &[&row.name, &word(target), &word(view)]);
            }
            Some(_) => {}
        }
    }
}

fn views(
    program: &Program,
    instruction: &Instruction,
    op: Opcode,
    at: At,
    context: &Context,
    f: &mut Findings<'_>,
) {
    let sources = program.sources(instruction).iter().zip(op.row().source_shapes());
    for (operand, _) in sources.filter(|row| *row.1 == Shape::View && row.0.file == File::Sview) {
        if operand.indirect.is_some() {
            f.at(VIEW_INDEX, at, &[&Register(operand)]);
        } else if find(&context.views, operand.index)
            .is_some_and(|(first, _)| i32::from(first) != i32::from(operand.index))
        {
            f.at(VIEW_RANGE, at, &[&operand.index]);
        }
    }
}

fn image(
    program: &Program,
    instruction: &Instruction,
    op: Opcode,
    at: At,
    context: &Context,
    f: &mut Findings<'_>,
) {
    let row = op.row();
    let store = program.destinations(instruction).iter().find(|o| o.file == File::Image);
    let Some(operand) = store.or_else(|| program.sources(instruction).iter().find(|o| o.file == File::Image))
    else {
        return;
    };
    if operand.indirect.is_some() {
        return;
    }
    let Some((_, declared)) = find(&context.images, operand.index) else { return };
    let changes = op == Opcode::Store || row.is_atomic();
    if changes && !declared.writable {
        f.at(READ_ONLY, at, &[&row.name, &Register(operand)]);
    }
    let Some(said) = instruction.memory else { return };
    // A target of the number 0 and no format are what is not said.
    if said.target != Target::Buffer && said.target != declared.target {
        f.at(IMAGE_TARGET, at, &[&row.name, &word(said.target), &word(declared.target)]);
    }
    if said.format != Format::NONE && declared.format != Format::NONE && said.format != declared.format {
        f.at(IMAGE_FORMAT, at, &[&row.name, &format_word(said.format), &format_word(declared.format)]);
    }
}
