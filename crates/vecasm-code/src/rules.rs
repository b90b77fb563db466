//! Why a shader cannot become a program of another instruction set.

use vecasm_ir::diag::rules;

rules! {
    /// The rules of lowering.
    pub const RULES;
    pub(crate) const;

    STAGE "LOWER-stage" Error
        "%1 has no %2 programs",
        "Stages that the target does not have cannot be replaced by others.";
    FLOW "LOWER-flow" Error
        "%1 has no %2",
        "Conditionals are kept where the target has them; loops and early exits need a target that has those.";
    INTEGER "LOWER-integer" Error
        "%1 has no integers: %2",
        "The target computes with floats only.";
    BOOLEAN "LOWER-boolean" Error
        "%1 has no boolean constants: %2",
        "The constants of the target are floats, which a host sets as such.";
    WIDE "LOWER-wide" Error
        "%1 has no 64-bit values: %2",
        "Doubles and 64-bit integers exist in TGSI only.";
    MEMORY "LOWER-memory" Error
        "%1 has no %2",
        "Buffers, images, shared memory and what groups of invocations exchange exist in TGSI only.";
    CONSTANT_WRITE "LOWER-constant-write" Error
        "%1 cannot write constants",
        "Only programs of the NV2A can.";
    INDEXED "LOWER-indexed" Error
        "%1 cannot index %2 by a computed number",
        "The registers that the target indexes are named in its manual.";
    TEXTURE "LOWER-texture" Error
        "%1 cannot read such a texture: %2",
        "Shapes and questions that the target lacks have no replacement.";
    LEVEL "LOWER-level" Error
        "%1 has no texture reads with %2",
        "The target finds the level of detail itself.";
    TEXTURE_FLOW "LOWER-texture-flow" Error
        "%1 cannot read textures at computed coordinates in conditionals and loops that fragments leave apart",
        "The target finds the level of detail from neighbours, which must read there, too.";
    VERTEX_TEXTURE "LOWER-vertex-texture" Error
        "%1 has no textures in vertex programs",
        "Vertex programs of the target cannot read textures.";
    INTERPOLATION "LOWER-interpolation" Error
        "%1 cannot interpolate %2 as %3",
        "The target interpolates every varying in one way.";
    SYSTEM "LOWER-system" Error
        "%1 has no %2",
        "The target does not give programs this value of the pipeline.";
    OUTPUT "LOWER-output" Error
        "%1 has no output for %2",
        "The target has no register that the pipeline would take this from.";
    VARYING "LOWER-varying" Error
        "%1 and %2 would both be %3",
        "The target has fewer words for varyings, and both stages must agree on one for each.";
    INPUTS "LOWER-inputs" Error
        "the program needs %1 inputs, %2 has %3",
        "Inputs and varyings keep their numbers, so the highest one counts.";
    SAMPLERS "LOWER-samplers" Error
        "the program needs sampler %1, %2 has %3",
        "Samplers keep their numbers.";
    CONSTANTS "LOWER-constants" Error
        "the program needs %1 constants with its literals, %2 has %3",
        "Constants keep their numbers; literals are placed at the end of the file.";
    REGISTERS "LOWER-registers" Error
        "the program needs more than the %1 temporary registers of %2",
        "Values that are alive at the same time do not fit.";
    SLOTS "LOWER-slots" Error
        "the program needs %1 instructions, %2 has %3",
        "A program of the target has a greatest length.";
    REFUSED "LOWER-refused" Error
        "the result would not be a program of %1: %2",
        "The original runtime would refuse it, and not for a reason that the source has.";
    FIT "LOWER-fit" Error
        "programs of Direct3D have models, and this is none: %1",
        "`vecasm opt --fit` makes a program of Direct3D fit a model; `vecasm to d3d9:MODEL` makes one of a program of another instruction set.";
    LARGEST "LOWER-largest" Note
        "takes %1 of the %2 slots that there would be",
        "What takes most is worth looking at first: the program has more slots than the model.";
    DEPENDENT "LOWER-dependent" Error
        "more than four texture reads of %1 depend on one another",
        "Up to ps_2_0, and in ps_2_b, a chain of reads, whose coordinates or registers hold the results of others, has four at most.";
    STATE "LOWER-state" Error
        "the value of %1 is left open",
        "State outside the program must be fixed before it is lowered.";
    DEFAULT_STATE "LOWER-default-state" Note
        "%1 is fixed at its default",
        "A program has no state of the pipeline that it could ask; the flag --state fixes another value.";
    OPERATION "LOWER-operation" Error
        "%1 has no instruction for `%2`",
        "No instruction of the target, nor several of them, computes it.";
    PROMISE "LOWER-promise" Error
        "%1 keeps `%2` only as %3, and %4 is asked for",
        "The promises are exact, operations, close and approximate; docs/lowering.md says what each keeps.";
    CLOSE "LOWER-close" Note
        "`%1` is kept only close: results differ for %2",
        "The promise of the result is close; docs/lowering.md says what that keeps.";
    CHECK "LOWER-check" Error
        "a register does not hold what is read: %1",
        "The check of the registers, which is on in builds for tests and with --prove, found a fault of vecasm; please report it.";
    UNKNOWN "LOWER-unknown" Error
        "no source says what the slot does: %1",
        "Slots that the validator finds undefined stay as they are, and so does the program.";
    EXCHANGE "LOWER-exchange" Error
        "each half of the slot reads what the other one writes",
        "Such halves cannot be told apart.";
    PUSHBUFFER "LOWER-pushbuffer" Error
        "the program is in a pushbuffer",
        "The headers of a pushbuffer name the number of words that are uploaded; `vecasm dis` writes the program without it.";
    AFTER "LOWER-after" Error
        "there are slots after the end of the program",
        "They may be a program of their own, which starts at its number.";
    TAIL "LOWER-tail" Error
        "%1 bytes follow the last whole slot",
        "Nobody knows what they are.";
    LIMIT "LOWER-limit" Error
        "the program has more than %1 %2",
        "This limit bounds memory and time.";
}
