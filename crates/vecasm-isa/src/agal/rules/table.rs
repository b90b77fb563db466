//! The rules of the Flash Player, one row a rule, in the order of their numbers.
//!
//! The messages are the player's own. `%1` is the word for the stage, `%2` the operand or another argument, `%3`
//! the number of the token counted from 1, `%4` a value; four messages count differently, as their text shows.
//!
//! Not here: 3613 and 3614 (native compilation failed), 3715 to 3721 (limits of the native compiler, unknown), the
//! rules of the draw call, and 3626 (both sources indirect), which no program can break: an indirect source is a
//! constant, and two constants are 3625.

use alloc::string::String;
use core::fmt::Display;
use vecasm_ir::diag::{Diagnostic, rules};

/// The ActionScript class of the exception that the player throws.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Class {
    /// `Error`
    Error,
    /// `ArgumentError`
    ArgumentError,
}

impl Class {
    /// The name of the class in ActionScript.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Error => "Error",
            Self::ArgumentError => "ArgumentError",
        }
    }
}

/// The columns of a rule that only AGAL has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Details {
    /// What the player throws.
    pub class: Class,
    /// The first version of AGAL in which the rule can be broken.
    pub since: u32,
}

/// The columns of a rule that is an `Error` of the player.
const fn since(since: u32) -> Details {
    Details { class: Class::Error, since }
}

rules! {
    /// Every rule, in the order of the numbers.
    pub const RULES;
    /// A rule, by its number; rules of our own have a name.
    #[non_exhaustive]
    pub enum RuleId with DETAILS: Details = since(1);

    E3612 "AGAL3612" 3612 Error Recorded [Details { class: Class::ArgumentError, ..since(1) }]
        "Programs must be in little endian format.",
        "The `endian` property of the ByteArray decides, not its content: set it to Endian.LITTLE_ENDIAN before writing.";
    E3615 "AGAL3615" 3615 Error Recorded
        "AGAL validation failed: Program size below minimum length for %1 program.",
        "A program is a header of 7 bytes and at least one token of 24 bytes.";
    E3616 "AGAL3616" 3616 Error Documented
        "AGAL validation failed: Not an AGAL program. Wrong magic byte for %1 program.",
        "The first byte of a program is a0.";
    E3617 "AGAL3617" 3617 Error Documented
        "AGAL validation failed: Bad AGAL version for %1 program. Current version is %2.",
        "Bytes 1 to 4 are the version, little endian: 1 to 4.";
    E3618 "AGAL3618" 3618 Error Documented
        "AGAL validation failed: Bad AGAL program type identifier for %1 program.",
        "Byte 5, before the stage, is a1.";
    E3619 "AGAL3619" 3619 Error Documented
        "AGAL validation failed: Shader type must be either fragment or vertex for %1 program.",
        "Byte 6 is the stage: 0 vertex, 1 fragment.";
    E3620 "AGAL3620" 3620 Error Recorded
        "AGAL validation failed: Invalid opcode, value out of range: %2 at token %3 of %1 program.",
        "The last opcode is 2d, in AGAL 4 2e.";
    E3621 "AGAL3621" 3621 Error Documented
        "AGAL validation failed: Invalid opcode, %2 is not implemented in this version at token %3 of %1 program.",
        "The code is within the range but no player runs it; for sgn use slt and sub.";
    E3622 "AGAL3622" 3622 Error Documented
        "AGAL validation failed: Opcode %2 only allowed in fragment programs at token %3 of %1 program.",
        "kil, tex, ted, ddx and ddy exist in fragment programs only.";
    E3623 "AGAL3623" 3623 Error Believed [since(2)]
        "AGAL validation failed: Block nesting underflow - EIF without opening IF condition. At token %3 of %1 program.",
        "Every els and eif needs an open ife, ine, ifg or ifl.";
    E3624 "AGAL3624" 3624 Error Believed [since(2)]
        "AGAL validation failed: Block nesting overflow. Too many nested IF blocks. At token %3 of %1 program.",
        "The limit is not documented: the assembler's constant is 4, content with 3 levels has shipped.";
    E3625 "AGAL3625" 3625 Error Documented
        "AGAL validation failed: Bad AGAL source operands. Both are constants (this must be precomputed) at token %2 of %1 program.",
        "Compute the value before upload, or copy one constant to a temporary with mov. An indirect constant counts as one.";
    E3627 "AGAL3627" 3627 Error Documented
        "AGAL validation failed: Opcode %2 destination operand must be all zero at token %3 of %1 program.",
        "kil and the conditionals write nothing; their destination word must be zero.";
    E3628 "AGAL3628" 3628 Error Documented
        "AGAL validation failed: The destination operand for the %2 instruction must mask w (use .xyz or less) at token %3 of %1 program.",
        "nrm, crs, m33 and m34 have no fourth lane. Adobe's 2013 validator requires exactly .xyz, so write that.";
    E3629 "AGAL3629" 3629 Error Documented
        "AGAL validation failed: Too many tokens (%2) for %1 program.",
        "The limits are 200 tokens in AGAL 1, 1024 in AGAL 2 and 2048 from AGAL 3 on.";
    E3630 "AGAL3630" 3630 Error Documented
        "Fragment shader type is not fragment.",
        "The second argument of upload() is the fragment program.";
    E3631 "AGAL3631" 3631 Error Documented
        "Vertex shader type is not vertex.",
        "The first argument of upload() is the vertex program.";
    E3632 "AGAL3632" 3632 Error Documented
        "AGAL linkage: Varying %1 is read in the fragment shader but not written to by the vertex shader.",
        "Every lane of a varying that the fragment program reads must be written by the vertex program.";
    E3633 "AGAL3633" 3633 Error Documented
        "AGAL linkage: Varying %1 is only partially written to. Must write all four components.",
        "A varying is written in all four lanes or not at all; several masked writes may share the work.";
    E3634 "AGAL3634" 3634 Error Documented
        "AGAL linkage: Fragment output needs to write to all components.",
        "The fragment program must write oc.";
    E3635 "AGAL3635" 3635 Error Documented
        "AGAL linkage: Vertex output needs to write to all components.",
        "The vertex program must write all four lanes of op; several masked writes may share the work.";
    E3636 "AGAL3636" 3636 Error Documented
        "AGAL validation failed: Unused operand is not set to zero for %2 at token %3 of %1 program.",
        "The operand words that an opcode does not use must be zero.";
    E3637 "AGAL3637" 3637 Error Documented
        "AGAL validation failed: Sampler registers only allowed in fragment programs for %2 at token %3 of %1 program.",
        "Vertex programs have samplers from AGAL 4 on only.";
    E3638 "AGAL3638" 3638 Error Recorded
        "AGAL validation failed: Sampler register only allowed as second operand in texture instructions for %2 at token %3 of %1 program.",
        "A sampler is not a value; read it with tex.";
    E3639 "AGAL3639" 3639 Error Recorded
        "AGAL validation failed: Indirect addressing only allowed in vertex programs for %2 at token %3 of %1 program.",
        "Fragment programs cannot compute an index; use a texture as a table.";
    E3640 "AGAL3640" 3640 Error Recorded
        "AGAL validation failed: Indirect addressing only allowed into constant registers for %2 at token %3 of %1 program.",
        "Only vc can be indexed by a register.";
    E3641 "AGAL3641" 3641 Error Documented [since(4)]
        "AGAL validation failed: Indirect addressing not allowed for this operand in this instruction for %2 at token %3 of %1 program.",
        "The coordinates of a texture instruction are addressed directly; copy them with mov first.";
    E3642 "AGAL3642" 3642 Error Documented
        "AGAL validation failed: Indirect source type must be attribute, constant or temporary for %2 at token %3 of %1 program.",
        "The index of an indirect operand is in va, vc or vt.";
    E3643 "AGAL3643" 3643 Error Documented
        "AGAL validation failed: Indirect addressing fields must be zero for direct addressing for %2 at token %3 of %1 program.",
        "Without bit 63, the offset, the index type and the index component must be zero.";
    E3644 "AGAL3644" 3644 Error Documented
        "AGAL validation failed: Varying registers can only be read in fragment programs for %2 at token %3 of %1 program.",
        "Keep the value in a temporary and read that.";
    E3645 "AGAL3645" 3645 Error Documented
        "AGAL validation failed: Attribute registers can only be read in vertex programs for %2 at token %3 of %1 program.",
        "Copy the attribute to a varying in the vertex program.";
    E3646 "AGAL3646" 3646 Error Recorded
        "AGAL validation failed: Can not read from output register for %2 at token %3 of %1 program.",
        "Keep the value in a temporary and read that.";
    E3647 "AGAL3647" 3647 Error Documented
        "AGAL validation failed: Temporary register read without being written to for %2 at token %3 of %1 program.",
        "On some path to this token nothing writes the register: after eif it counts as written if both branches wrote it, and an if without els may be skipped.";
    E3648 "AGAL3648" 3648 Error Documented
        "AGAL validation failed: Temporary register component read without being written to for %2 at token %3 of %1 program.",
        "All four lanes of the swizzle must be written on every path, whatever the opcode or the write mask needs (write .xyzz for three lanes); after eif only the lanes that both branches wrote count.";
    E3649 "AGAL3649" 3649 Error Recorded
        "AGAL validation failed: Sampler registers can not be written to for %2 at token %3 of %1 program.",
        "Samplers are set by the application.";
    E3650 "AGAL3650" 3650 Error Documented
        "AGAL validation failed: Varying registers can only be written in vertex programs for %2 at token %3 of %1 program.",
        "Fragment programs write oc and temporaries.";
    E3651 "AGAL3651" 3651 Error Recorded
        "AGAL validation failed: Attribute registers can not be written to for %2 at token %3 of %1 program.",
        "Attributes come from the vertex buffers.";
    E3652 "AGAL3652" 3652 Error Recorded
        "AGAL validation failed: Constant registers can not be written to for %2 at token %3 of %1 program.",
        "Constants are set by the application; use a temporary.";
    E3653 "AGAL3653" 3653 Error Documented
        "AGAL validation failed: Destination writemask is zero for %2 at token %3 of %1 program.",
        "The instruction would write nothing.";
    E3654 "AGAL3654" 3654 Error Documented
        "AGAL validation failed: Reserve bits should be zero for %2 at token %3 of %1 program.",
        "Bits 20-23 and 28-31 of a destination and bits 36-39, 44-47 and 50-62 of a source have no meaning.";
    E3655 "AGAL3655" 3655 Error Documented
        "AGAL validation failed: Unknown register type for %2 at token %3 of %1 program.",
        "The types are 0 va, 1 constant, 2 temporary, 3 output, 4 v, 5 sampler, 6 od, 7 iid.";
    E3656 "AGAL3656" 3656 Error Documented
        "AGAL validation failed: Sampler register index out of bounds for %2 at token %3 of %1 program.",
        "There are 8 samplers in AGAL 1, 16 from AGAL 2 on, and 4 in vertex programs of AGAL 4.";
    E3657 "AGAL3657" 3657 Error Documented
        "AGAL validation failed: Varying register index out of bounds for %2 at token %3 of %1 program.",
        "There are 8 varyings in AGAL 1 and 10 from AGAL 2 on.";
    E3658 "AGAL3658" 3658 Error Documented
        "AGAL validation failed: Attribute register index out of bounds for %2 at token %3 of %1 program.",
        "There are 8 attributes in AGAL 1 and 2 and 16 from AGAL 3 on.";
    E3659 "AGAL3659" 3659 Error Documented
        "AGAL validation failed: Constant register index out of bounds for %2 at token %3 of %1 program.",
        "vc: 128 in AGAL 1, then 250; fc: 28, 64 and 200 in AGAL 1, 2 and 3. A matrix takes 3 or 4 registers.";
    E3660 "AGAL3660" 3660 Error Documented
        "AGAL validation failed: Output register index out of bounds for %2 at token %3 of %1 program.",
        "There is one output; fragment programs have four from AGAL 2 on.";
    E3661 "AGAL3661" 3661 Error Documented
        "AGAL validation failed: Temporary register index out of bounds for %2 at token %3 of %1 program.",
        "There are 8 temporaries in AGAL 1 and 26 from AGAL 2 on; baselineConstrained has 7 in fragment programs.";
    E3662 "AGAL3662" 3662 Error Documented
        "AGAL validation failed: Cube map samplers must set wrapping to clamp mode for %2 at token %3 of %1 program.",
        "Write <cube, clamp>.";
    E3664 "AGAL3664" 3664 Error Documented
        "AGAL validation failed: Unknown sampler dimension %4 for %2 at token %3 of %1 program.",
        "The dimensions are 0 2d and 1 cube; 3d has a code but no player takes it.";
    E3665 "AGAL3665" 3665 Error Documented
        "AGAL validation failed: Unknown filter mode in sampler: %4 for %2 at token %3 of %1 program.",
        "The filters are 0 nearest and 1 linear; since Flash Player 14 also 2 to 5, anisotropic 2x to 16x.";
    E3666 "AGAL3666" 3666 Error Documented
        "AGAL validation failed: Unknown mipmap mode in sampler: %4 for %2 at token %3 of %1 program.",
        "The modes are 0 mipnone, 1 mipnearest and 2 miplinear.";
    E3667 "AGAL3667" 3667 Error Documented
        "AGAL validation failed: Unknown wrapping mode in sampler: %4 for %2 at token %3 of %1 program.",
        "The modes are 0 clamp and 1 repeat; since Flash Player 13 also 2 clamp_u_repeat_v and 3 repeat_u_clamp_v.";
    E3668 "AGAL3668" 3668 Error Documented
        "AGAL validation failed: Unknown special flag used in sampler: %4 for %2 at token %3 of %1 program.",
        "Later players know 4 ignoresampler; 1 centroid and 2 single are in the assembler, but no recording shows them accepted.";
    E3689 "AGAL3689" 3689 Error Documented
        "You can not swizzle second operand for %2 at token %3 of %1 program.",
        "The second operand of m33, m34 and m44 names whole registers.";
    E3693 "AGAL3693" 3693 Error Documented
        "AGAL validation failed: Sampler register must be used for second operand in texture instructions for %2 at token %3 of %1 program.",
        "Write a sampler, for example fs0 <2d>.";
    E3696 "AGAL3696" 3696 Error Recorded
        "AGAL validation failed: Second use of sampler register needs to specify the exact same properties. At token %3 of %1 program.",
        "All 64 bits of the two sampler operands must agree, bias and format included.";
    E3701 "AGAL3701" 3701 Error Documented
        "The output color register can not use a write mask. All components must be written.",
        "Collect the color in a temporary and move all of it to oc.";
    E3703 "AGAL3703" 3703 Error Documented
        "AGAL validation failed: Source swizzle must be scalar (one of: xxxx, yyyy, zzzz, wwww) for %2 at token %3 of %1 program.",
        "kil and the conditionals look at one component.";
    E3704 "AGAL3704" 3704 Error Believed
        "AGAL validation failed: Cube map samplers must enable mipmapping for %2 at token %3 of %1 program.",
        "Only the text of the message is known: published content samples cube maps without mipmaps, so this is off by default.";
    E3725 "AGAL3725" 3725 Error Believed [since(2)]
        "The requested AGAL version (%2) is not valid under the Context3D profile. For example AGAL version 2 requires standard profile.",
        "AGAL 1 needs a baseline profile, 2 standardConstrained, 3 standardExtended, 4 enterprise, or one above.";
    E3726 "AGAL3726" 3726 Error Believed
        "AGAL validation failed: Opcode %2 requires AGAL version to be at least 2, at token %3 of %1 program.",
        "Assemble for version 2; the code meant something else, never implemented, in AGAL 1.";
    E3739 "AGAL3739" 3739 Error Believed [since(2)]
        "AGAL validation failed: Open conditional block at end of %1 program.",
        "Close it with eif.";
    E3740 "AGAL3740" 3740 Error Believed [since(2)]
        "AGAL validation failed: Texture samplers used in the TED instruction can not specify a lod bias. At token %3 of %1 program.",
        "ted takes the level from its coordinates.";
    E3741 "AGAL3741" 3741 Error Believed [since(2)]
        "AGAL validation failed: TEX instructions in an if block can not use computed texture coordinates. Either use interpolated texture coordinates or use the TED instruction instead. At token %3 of %1 program.",
        "Read the texture before the conditional, or take the coordinates from a varying.";
    E3742 "AGAL3742" 3742 Error Believed [since(2)]
        "AGAL validation failed: DDX and DDY opcodes are not allowed inside conditional blocks. At token %3 of %1 program.",
        "Take the derivative before the conditional.";
    E3743 "AGAL3743" 3743 Error Believed [since(2)]
        "AGAL validation failed: The TED opcode must enable mip mapping. At token %3 of %1 program.",
        "Write mipnearest or miplinear.";
    E3744 "AGAL3744" 3744 Error Believed [since(2)]
        "AGAL validation failed: Color output written to multiple times. At token %3 of %1 program.",
        "Collect the color in a temporary and move it to the output once.";
    E3748 "AGAL3748" 3748 Error Believed [since(2)]
        "AGAL validation failed: Empty conditional branch in AGAL of %1 program.",
        "Every branch needs an instruction; invert the comparison instead of leaving the first branch empty.";
    E3749 "AGAL3749" 3749 Error Recorded
        "AGAL validation failed: Depth output register index out of bounds for %2 at token %3 of %1 program.",
        "There is one depth output, and only from AGAL 2 on.";
    E3750 "AGAL3750" 3750 Error Believed [since(2)]
        "AGAL validation failed: Depth output register is only available in fragment programs.",
        "A vertex program sets the depth by op.z.";
    E3751 "AGAL3751" 3751 Error Believed [since(2)]
        "AGAL validation failed: Output registers can not be written inside conditionals.",
        "Write a temporary in the branches and move it to the output after eif.";
    E3752 "AGAL3752" 3752 Error Believed [since(2)]
        "AGAL validation failed: Broken else chain.",
        "A conditional has at most one els.";
    E3756 "AGAL3756" 3756 Error Believed [since(2)]
        "AGAL validation failed: Depth output must set only x as a write mask. At token %3 of %1 program.",
        "Write od.x.";
    E3757 "AGAL3757" 3757 Error Believed [since(2)]
        "AGAL validation failed: Vertex and fragment program need to have the same version.",
        "Assemble both for the same version.";
    E3758 "AGAL3758" 3758 Error Believed [since(2)]
        "AGAL validation failed: Conditional source are exactly the same, condition is constant. At token %3 of %1 program.",
        "The outcome is always the same; drop the conditional.";
    E3760 "AGAL3760" 3760 Error Believed [since(2)]
        "The color output index is out of range.",
        "There are four color outputs, fo0 to fo3.";
    E3775 "AGAL3775" 3775 Error Believed [since(2)]
        "AGAL validation failed: Non-consecutive slots are not allowed.",
        "Color outputs are used from fo0 on without a gap.";
    E3786 "AGAL3786" 3786 Error Believed [since(3)]
        "AGAL validation failed: Instance id register can not be written to for %2 at token %3 of %1 program.",
        "The instance id comes from the draw call.";
    E3788 "AGAL3788" 3788 Error Believed [since(3)]
        "Instance id register can only be read in the vertex shader.",
        "Pass it on in a varying.";
    E3789 "AGAL3789" 3789 Error Believed
        "AGAL validation failed: Instance id register is supported in Agal version 3 and above.",
        "Assemble for version 3.";
    E3803 "AGAL3803" 3803 Error Believed [since(4)]
        "AGAL validation failed: Opcode %2 only allowed in vertex programs at token %3 of %1 program.",
        "Fragment programs read textures with tex.";
    E3804 "AGAL3804" 3804 Error Believed [since(4)]
        "AGAL validation failed: Anistropic Filter is not allowed in Vertex Texture Sampler.",
        "Write nearest or linear.";
    E3805 "AGAL3805" 3805 Error Believed
        "AGAL validation failed: Vertex Texture Fetch is supported in Agal version 4 and above.",
        "Assemble for version 4.";
    IidIndex "AGAL-iid-index" Error Own [since(3)]
        "Instance id register index out of bounds for %2 at token %3 of %1 program.",
        "There is one instance id; which error the player gives for a higher number is not known.";
    Trailing "AGAL-trailing" Warning Own
        "The last %2 bytes of the %1 program are not a whole token; the player ignores them.",
        "Nothing reads them. A token has 24 bytes.";
    More "AGAL-more" Note Own
        "%2 further findings in this %1 program are not listed.",
        "Fix the first ones and check again.";
}

impl RuleId {
    /// The columns of the rule that only AGAL has.
    pub const fn details(self) -> &'static Details {
        &DETAILS[self as usize]
    }

    /// The rule with that id, for example `AGAL3646`.
    pub fn from_id(id: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|r| r.rule().id == id)
    }

    /// The message with its arguments filled in; `arguments[0]` is `%1`.
    pub fn message(self, arguments: [&str; 4]) -> String {
        self.rule().fill(&arguments.each_ref().map(|argument| argument as &dyn Display)).into()
    }
}

/// What the player throws for a finding of this room: the class of its rule, but for an empty program (3615 without
/// a stage word) an `ArgumentError`. `None` if the finding is of no rule here.
pub fn class(finding: &Diagnostic) -> Option<Class> {
    let rule = RuleId::from_id(finding.id)?;
    if rule == RuleId::E3615 && finding.message == rule.message(["", "", "", ""]) {
        return Some(Class::ArgumentError);
    }
    Some(rule.details().class)
}
