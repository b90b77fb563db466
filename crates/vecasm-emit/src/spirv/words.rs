//! The numbers of SPIR-V: instructions, storage classes, decorations, capabilities and the rest, from the unified
//! specification 1.6 and "Extended Instructions for GLSL".

use alloc::vec::Vec;

/// Numbers under the names that the specification gives them.
macro_rules! numbers {
    ($(#[$doc:meta])* $module:ident: $Number:ty { $($NAME:ident $value:literal;)* }) => {
        $(#[$doc])*
        pub(in super::super) mod $module {
            $(pub(in super::super::super) const $NAME: $Number = $value;)*
        }
    };
}

mod tables {
    numbers! {
        /// Instructions.
        op: u16 {
            SOURCE_CONTINUED 2; SOURCE 3; NAME 5; MEMBER_NAME 6; STRING 7; LINE 8; EXTENSION 10; EXT_INST_IMPORT 11; EXT_INST 12;
            MEMORY_MODEL 14; ENTRY_POINT 15; EXECUTION_MODE 16; CAPABILITY 17;
            TYPE_VOID 19; TYPE_BOOL 20; TYPE_INT 21; TYPE_FLOAT 22; TYPE_VECTOR 23; TYPE_IMAGE 25; TYPE_SAMPLER 26;
            TYPE_SAMPLED_IMAGE 27; TYPE_ARRAY 28; TYPE_RUNTIME_ARRAY 29; TYPE_STRUCT 30; TYPE_POINTER 32;
            TYPE_FUNCTION 33;
            CONSTANT_TRUE 41; CONSTANT_FALSE 42; CONSTANT 43; CONSTANT_COMPOSITE 44; CONSTANT_NULL 46;
            SPEC_CONSTANT_TRUE 48; SPEC_CONSTANT_FALSE 49; SPEC_CONSTANT 50; SPEC_CONSTANT_COMPOSITE 51;
            FUNCTION 54; FUNCTION_END 56; VARIABLE 59; IMAGE_TEXEL_POINTER 60; LOAD 61; STORE 62; ACCESS_CHAIN 65;
            ARRAY_LENGTH 68;
            DECORATE 71; MEMBER_DECORATE 72;
            VECTOR_SHUFFLE 79; COMPOSITE_CONSTRUCT 80; COMPOSITE_EXTRACT 81; COMPOSITE_INSERT 82;
            SAMPLED_IMAGE 86; IMAGE_SAMPLE_IMPLICIT_LOD 87; IMAGE_SAMPLE_EXPLICIT_LOD 88;
            IMAGE_SAMPLE_DREF_IMPLICIT_LOD 89; IMAGE_SAMPLE_DREF_EXPLICIT_LOD 90; IMAGE_FETCH 95; IMAGE_GATHER 96;
            IMAGE_DREF_GATHER 97; IMAGE_READ 98; IMAGE_WRITE 99; IMAGE 100; IMAGE_QUERY_SIZE_LOD 103; IMAGE_QUERY_SIZE 104; IMAGE_QUERY_LOD 105;
            IMAGE_QUERY_LEVELS 106; IMAGE_QUERY_SAMPLES 107;
            CONVERT_F_TO_U 109; CONVERT_F_TO_S 110; CONVERT_S_TO_F 111; CONVERT_U_TO_F 112; U_CONVERT 113;
            S_CONVERT 114; F_CONVERT 115; BITCAST 124;
            S_NEGATE 126; F_NEGATE 127; I_ADD 128; F_ADD 129; I_SUB 130; F_SUB 131; I_MUL 132; F_MUL 133; U_DIV 134;
            S_DIV 135; F_DIV 136; U_MOD 137; S_REM 138; VECTOR_TIMES_SCALAR 142; DOT 148; U_MUL_EXTENDED 151;
            S_MUL_EXTENDED 152; ANY 154; ALL 155;
            LOGICAL_EQUAL 164; LOGICAL_NOT_EQUAL 165; LOGICAL_OR 166; LOGICAL_AND 167; LOGICAL_NOT 168; SELECT 169;
            I_EQUAL 170; I_NOT_EQUAL 171; U_GREATER_THAN 172; U_GREATER_THAN_EQUAL 174; S_GREATER_THAN_EQUAL 175;
            U_LESS_THAN 176; S_LESS_THAN 177; S_LESS_THAN_EQUAL 179; F_ORD_EQUAL 180; F_UNORD_NOT_EQUAL 183; F_ORD_LESS_THAN 184;
            F_ORD_GREATER_THAN_EQUAL 190;
            SHIFT_RIGHT_LOGICAL 194; SHIFT_RIGHT_ARITHMETIC 195; SHIFT_LEFT_LOGICAL 196; BITWISE_OR 197;
            BITWISE_XOR 198; BITWISE_AND 199; NOT 200; BIT_FIELD_INSERT 201; BIT_FIELD_S_EXTRACT 202;
            BIT_FIELD_U_EXTRACT 203; BIT_REVERSE 204; BIT_COUNT 205;
            DPDX_FINE 210; DPDY_FINE 211; DPDX_COARSE 213; DPDY_COARSE 214;
            EMIT_VERTEX 218; END_PRIMITIVE 219; EMIT_STREAM_VERTEX 220; END_STREAM_PRIMITIVE 221;
            CONTROL_BARRIER 224; MEMORY_BARRIER 225;
            ATOMIC_LOAD 227; ATOMIC_EXCHANGE 229; ATOMIC_COMPARE_EXCHANGE 230; ATOMIC_I_ADD 234; ATOMIC_S_MIN 236;
            ATOMIC_U_MIN 237; ATOMIC_S_MAX 238; ATOMIC_U_MAX 239; ATOMIC_AND 240; ATOMIC_OR 241; ATOMIC_XOR 242;
            PHI 245; LOOP_MERGE 246; SELECTION_MERGE 247; LABEL 248; BRANCH 249; BRANCH_CONDITIONAL 250; SWITCH 251;
            KILL 252; RETURN 253; UNREACHABLE 255;
            GROUP_NON_UNIFORM_ALL 334; GROUP_NON_UNIFORM_ANY 335; GROUP_NON_UNIFORM_ALL_EQUAL 336;
            GROUP_NON_UNIFORM_BROADCAST_FIRST 338; GROUP_NON_UNIFORM_BALLOT 339; GROUP_NON_UNIFORM_SHUFFLE 345;
            READ_CLOCK 5056; DEMOTE_TO_HELPER_INVOCATION 5380;
        }
    }
    numbers! {
        /// Instructions of `GLSL.std.450`.
        glsl: u32 {
            ROUND_EVEN 2; TRUNC 3; F_ABS 4; S_ABS 5; F_SIGN 6; S_SIGN 7; FLOOR 8; CEIL 9; FRACT 10; SIN 13; COS 14;
            POW 26; EXP2 29; LOG2 30; SQRT 31; INVERSE_SQRT 32; U_MIN 38; S_MIN 39; U_MAX 41; S_MAX 42;
            S_CLAMP 45; FMA 50; PACK_HALF_2X16 58; UNPACK_HALF_2X16 62; FIND_I_LSB 73; FIND_S_MSB 74; FIND_U_MSB 75;
            INTERPOLATE_AT_CENTROID 76; INTERPOLATE_AT_SAMPLE 77; INTERPOLATE_AT_OFFSET 78; N_MIN 79; N_MAX 80;
            N_CLAMP 81;
        }
    }
    numbers! {
        /// Capabilities.
        capability: u32 {
            SHADER 1; GEOMETRY 2; TESSELLATION 3; FLOAT64 10; INT64 11; TESSELLATION_POINT_SIZE 23;
            GEOMETRY_POINT_SIZE 24; IMAGE_GATHER_EXTENDED 25; STORAGE_IMAGE_MULTISAMPLE 27; CLIP_DISTANCE 32;
            CULL_DISTANCE 33; IMAGE_CUBE_ARRAY 34; SAMPLE_RATE_SHADING 35; SAMPLED_1D 43; IMAGE_1D 44;
            SAMPLED_CUBE_ARRAY 45; SAMPLED_BUFFER 46; IMAGE_BUFFER 47; IMAGE_MS_ARRAY 48;
            STORAGE_IMAGE_EXTENDED_FORMATS 49; IMAGE_QUERY 50; DERIVATIVE_CONTROL 51; INTERPOLATION_FUNCTION 52;
            GEOMETRY_STREAMS 54; STORAGE_IMAGE_READ_WITHOUT_FORMAT 55; STORAGE_IMAGE_WRITE_WITHOUT_FORMAT 56;
            MULTI_VIEWPORT 57; GROUP_NON_UNIFORM 61; GROUP_NON_UNIFORM_VOTE 62; GROUP_NON_UNIFORM_BALLOT 64;
            GROUP_NON_UNIFORM_SHUFFLE 65; SHADER_LAYER 69; SHADER_VIEWPORT_INDEX 70; DRAW_PARAMETERS 4427;
            STENCIL_EXPORT 5013; DENORM_PRESERVE 4464;
            SIGNED_ZERO_INF_NAN_PRESERVE 4466; ROUNDING_MODE_RTE 4467; SHADER_CLOCK 5055; SHADER_VIEWPORT_INDEX_LAYER 5254;
            DEMOTE_TO_HELPER_INVOCATION 5379;
        }
    }
    numbers! {
        /// Storage classes.
        storage: u32 {
            UNIFORM_CONSTANT 0; INPUT 1; UNIFORM 2; OUTPUT 3; WORKGROUP 4; FUNCTION 7; PUSH_CONSTANT 9; IMAGE 11;
            STORAGE_BUFFER 12;
        }
    }
    numbers! {
        /// Decorations.
        decoration: u32 {
            SPEC_ID 1; BLOCK 2; BUFFER_BLOCK 3; ARRAY_STRIDE 6; BUILT_IN 11; NO_PERSPECTIVE 13; FLAT 14; PATCH 15;
            CENTROID 16; SAMPLE 17; COHERENT 23; NON_WRITABLE 24; NON_READABLE 25; STREAM 29; LOCATION 30;
            INDEX 32; BINDING 33; DESCRIPTOR_SET 34; OFFSET 35; NO_CONTRACTION 42;
        }
    }
    numbers! {
        /// Built-in variables.
        builtin: u32 {
            POSITION 0; POINT_SIZE 1; CLIP_DISTANCE 3; CULL_DISTANCE 4; VERTEX_ID 5; INSTANCE_ID 6; PRIMITIVE_ID 7;
            INVOCATION_ID 8; LAYER 9; VIEWPORT_INDEX 10; TESS_LEVEL_OUTER 11; TESS_LEVEL_INNER 12; TESS_COORD 13;
            PATCH_VERTICES 14; FRAG_COORD 15; POINT_COORD 16; FRONT_FACING 17; SAMPLE_ID 18; SAMPLE_POSITION 19; SAMPLE_MASK 20;
            FRAG_DEPTH 22; HELPER_INVOCATION 23; NUM_WORKGROUPS 24; WORKGROUP_SIZE 25; WORKGROUP_ID 26; LOCAL_INVOCATION_ID 27;
            LOCAL_INVOCATION_INDEX 29; SUBGROUP_SIZE 36; SUBGROUP_LOCAL_INVOCATION_ID 41; VERTEX_INDEX 42; INSTANCE_INDEX 43; BASE_VERTEX 4424;
            BASE_INSTANCE 4425; DRAW_INDEX 4426; FRAG_STENCIL_REF 5014;
        }
    }
    numbers! {
        /// Execution modes.
        mode: u32 {
            INVOCATIONS 0; SPACING_EQUAL 1; SPACING_FRACTIONAL_EVEN 2; SPACING_FRACTIONAL_ODD 3; VERTEX_ORDER_CW 4;
            VERTEX_ORDER_CCW 5; ORIGIN_UPPER_LEFT 7; EARLY_FRAGMENT_TESTS 9; POINT_MODE 10; DEPTH_REPLACING 12;
            LOCAL_SIZE 17; INPUT_POINTS 19; INPUT_LINES 20; INPUT_LINES_ADJACENCY 21; TRIANGLES 22;
            INPUT_TRIANGLES_ADJACENCY 23; QUADS 24; ISOLINES 25; OUTPUT_VERTICES 26; OUTPUT_POINTS 27;
            OUTPUT_LINE_STRIP 28; OUTPUT_TRIANGLE_STRIP 29; DENORM_PRESERVE 4459;
            SIGNED_ZERO_INF_NAN_PRESERVE 4461; ROUNDING_MODE_RTE 4462; STENCIL_REF_REPLACING 5027;
        }
    }
    numbers! {
        /// Bits that say which operands follow an image instruction.
        image: u32 { BIAS 1; LOD 2; GRAD 4; CONST_OFFSET 8; OFFSET 16; SAMPLE 64; }
    }
    numbers! {
        /// Scopes.
        scope: u32 { DEVICE 1; WORKGROUP 2; SUBGROUP 3; INVOCATION 4; }
    }
    numbers! {
        /// Bits of the semantics of a barrier.
        semantics: u32 { RELAXED 0; ACQUIRE_RELEASE 8; UNIFORM_MEMORY 64; WORKGROUP_MEMORY 256; IMAGE_MEMORY 2048; }
    }
}

pub(super) use tables::{builtin, capability, decoration, glsl, image, mode, op, scope, semantics, storage};

/// The first word of a module.
pub(super) const MAGIC: u32 = 0x0723_0203;

/// The first word of an instruction with so many words behind it.
pub(super) const fn first_word(code: u16, operands: usize) -> u32 {
    code as u32 | ((operands as u32 + 1) << 16)
}

/// Appends an instruction.
pub(super) fn push(out: &mut Vec<u32>, code: u16, operands: &[u32]) {
    out.push(first_word(code, operands.len()));
    out.extend_from_slice(operands);
}

/// Appends an instruction that holds a string behind `before`, and `after` behind it.
pub(super) fn push_text(out: &mut Vec<u32>, code: u16, before: &[u32], text: &str, after: &[u32]) {
    let start = out.len();
    out.push(0);
    out.extend_from_slice(before);
    // Words are little-endian, and the end is a zero byte. An instruction has at most 65,535 words.
    let bytes = text.as_bytes();
    let words = bytes[..bytes.len().min(4096)].chunks_exact(4);
    let mut last = [0; 4];
    last.iter_mut().zip(words.remainder()).for_each(|(to, from)| *to = *from);
    out.extend(words.map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]])));
    out.push(u32::from_le_bytes(last));
    out.extend_from_slice(after);
    let len = (out.len() - start) as u32;
    if let Some(first) = out.get_mut(start) {
        *first = u32::from(code) | (len << 16);
    }
}
