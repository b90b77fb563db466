//! Properties of TGSI: what must hold for any token stream and any text whatever.

use super::made::{Sections, shape};
use super::{Rng, Seen, batch, laid_out_once, presentable, same_but_nan, symbols_are_in_place};
use vecasm::diag::Severity;
use vecasm::emit::wgsl;
use vecasm::exec::interp::Interp;
use vecasm::exec::runfile::RunFile;
use vecasm::exec::{Batch, Engine, Outputs, RunError};
use vecasm::ir::verify::verify;
use vecasm::ir::{Dim, Shader};
use vecasm::isa::tgsi::bytes::{
    append_words, convert, decode, decode_as, decode_lossless, each_token, encode, encode_as, looks_like,
    parse_digits,
};
use vecasm::isa::tgsi::lift;
use vecasm::isa::tgsi::program::Token;
use vecasm::isa::tgsi::rules::{Options, PairFindings, Profile, check_pair, validate};
use vecasm::isa::tgsi::text::{self, ParseOptions, Style, format, parse, print};
use vecasm::isa::tgsi::{Dialect, Program};
use vecasm::isa::{AnyProgram, Depth, Isa};
use vecasm::opt::{clean, fold};

/// Rounds of loops of a run that is explained, and invocations of one at most.
const FUEL: u64 = 64;
const MANY: usize = 64;

/// Texts of each stage, with something of everything, to make inputs from.
pub(crate) const TEXTS: &[&str] = &[
    // A zero within a line of a log.
    "log\nFRAG\nDCL OUT[0], COLOR\nIMM[0] FLT32 {1.0, 0.0, 0.0,\0 1.0}\n  0: MOV OUT[0], IMM[0]\n  1: END\nBB:0\n",
    "VERT\nDCL IN[0]\nDCL IN[1]\nDCL OUT[0], POSITION\nDCL OUT[1], GENERIC[3]\nDCL CONST[0][0..7]\nDCL TEMP[0..3], ARRAY(1), LOCAL\n\
     DCL ADDR[0]\nIMM[0] FLT32 {0.5, -2.0, 0.0, 1.0}\nIMM[1] UINT32 {3, 0, 4294967295, 7}\nPROPERTY NEXT_SHADER FRAG\n\
     MUL TEMP[0], IN[0].xxxx, CONST[0][0]\nMAD TEMP[0], IN[0].yyyy, CONST[0][1], TEMP[0]\nARL ADDR[0].x, IN[1].xxxx\n\
     MOV_SAT TEMP[ADDR[0].x+1](1).xy, -|CONST[0][ADDR[0].x+2]|\nIF IMM[0].xxxx :6\nADD TEMP[1], TEMP[0], -IMM[0].yyyy\n\
     ELSE :8\nMOV TEMP[1], IN[1]\nENDIF\nMOV OUT[0], TEMP[0]\nMOV OUT[1], TEMP[1]\nEND\n",
    "FRAG\nPROPERTY FS_COORD_ORIGIN UPPER_LEFT\nDCL IN[0], GENERIC[0], PERSPECTIVE, CENTROID\nDCL IN[1], FACE, CONSTANT\n\
     DCL SAMP[0]\nDCL SVIEW[0], 2D, FLOAT\nDCL OUT[0], COLOR\nDCL TEMP[0..2]\nDCL TEMP[3], LOCAL\nIMM[0] INT32 {0, -4, 1, 9}\n\
     IMM[1] FLT32 {0x3f800000, 0.25, 8.0, 0.0}\nTEX TEMP[0], IN[0], SAMP[0], 2D, IMM[0].xyz\nTXL TEMP[1], IN[0].xyyy, SAMP[0], 2D\n\
     DDX TEMP[3].xy, IN[0]\nMOV TEMP[2].x, IMM[0].xxxx\nBGNLOOP :12\nISGE TEMP[2].y, TEMP[2].xxxx, IMM[0].wwww\n\
     UIF TEMP[2].yyyy :9\nBRK\nENDIF\nMUL TEMP[0], TEMP[0], TEMP[1]\nUADD TEMP[2].x, TEMP[2].xxxx, IMM[0].zzzz\n\
     CAL :16\nENDLOOP :4\nKILL_IF TEMP[0]\nMOV_PRECISE OUT[0], TEMP[0]\nEND\nBGNSUB\nADD TEMP[0].x, TEMP[0], TEMP[3]\nRET\nENDSUB\n",
    "COMP\nPROPERTY CS_FIXED_BLOCK_WIDTH 4\nDCL SV[0], THREAD_ID\nDCL BUFFER[0], ATOMIC\nDCL MEMORY[0], SHARED\n\
     DCL IMAGE[0], 2D, PIPE_FORMAT_R32_UINT, WR\nDCL TEMP[0..1]\nIMM[0] UINT64 {18446744073709551615, 3}\nIMM[1] FLT64 {0.1, -2.0}\n\
     LOAD TEMP[0].x, BUFFER[0], SV[0].xxxx, COHERENT\nATOMUADD TEMP[1].x, MEMORY[0], SV[0].xxxx, TEMP[0].xxxx\nBARRIER\n\
     U64ADD TEMP[0], TEMP[0], IMM[0]\nDMAD TEMP[1], IMM[1], IMM[1], TEMP[1]\n\
     STORE IMAGE[0].xyzw, SV[0], TEMP[0], RESTRICT, 2D, PIPE_FORMAT_R32_UINT\nSWITCH TEMP[0].xxxx\nCASE SV[0].xxxx\nBRK\n\
     DEFAULT\nNOP\nENDSWITCH\nEND\n",
    "GEOM\nPROPERTY GS_INPUT_PRIMITIVE TRIANGLES\nPROPERTY GS_OUTPUT_PRIMITIVE TRIANGLE_STRIP\nPROPERTY GS_MAX_OUTPUT_VERTICES 3\n\
     DCL IN[][0], POSITION\nDCL OUT[0], POSITION\nDCL OUT[1], GENERIC[0], STREAM(0, 1, 0, 0)\nDCL ADDR[0]\nIMM[0] UINT32 {0, 0, 0, 0}\n\
     UARL ADDR[0].x, IMM[0].xxxx\nMOV OUT[0], IN[ADDR[0].x+1][0]\nMOV OUT[1], IN[2][0]\nEMIT IMM[0].xxxx\nENDPRIM IMM[0].xxxx\nEND\n",
    "TESS_EVAL\nPROPERTY TES_PRIM_MODE 4\nDCL IN[][0], GENERIC[0]\nDCL SV[0], TESSCOORD\nDCL OUT[0], POSITION\n\
     MUL OUT[0], IN[0][0], SV[0].xxxx\nEND\n",
    "COMP\nPROPERTY CS_FIXED_BLOCK_WIDTH 6\nDCL SV[0], THREAD_ID\nDCL SV[1], SUBGROUP_LT_MASK\nDCL BUFFER[0..2]\n\
     DCL MEMORY[0], SHARED\nDCL HWATOMIC[1][0..3]\nDCL CONST[2][0..3]\nDCL TEMP[0..3]\nDCL ADDR[0]\nIMM[0] UINT32 {4, 2, 31, 1}\n\
     SHL TEMP[0].x, SV[0].xxxx, IMM[0].yyyy\nAND TEMP[0].y, SV[0].xxxx, IMM[0].wwww\nUARL ADDR[0].x, TEMP[0].yyyy\n\
     LOAD TEMP[1].xyz, BUFFER[ADDR[0].x+1].zyxx, TEMP[0].xxxx\nSTORE BUFFER[2].xzw, TEMP[0].xxxx, TEMP[1]\n\
     ATOMCAS TEMP[2].x, BUFFER[0], TEMP[0].xxxx, IMM[0].xxxx, TEMP[1].yyyy\nATOMINC_WRAP TEMP[2].y, MEMORY[0], TEMP[0].yyyy, IMM[0].zzzz\n\
     ATOMFADD TEMP[2].x, MEMORY[0], IMM[0].xxxx, TEMP[1].xxxx\nATOMUADD TEMP[2].x, HWATOMIC[1][2], IMM[0].xxxx, IMM[0].wwww\n\
     LOAD TEMP[3], CONST[2], TEMP[0].xxxx\nRESQ TEMP[3].y, BUFFER[1]\nBGNLOOP :19\nUSGE TEMP[2].z, TEMP[0].yyyy, IMM[0].xxxx\n\
     UIF TEMP[2].zzzz :15\nBRK\nENDIF\nBARRIER\nUADD TEMP[0].y, TEMP[0].yyyy, IMM[0].wwww\nMEMBAR IMM[0].xxxx\nENDLOOP :11\n\
     VOTE_ANY TEMP[2].x, TEMP[0].yyyy\nREAD_FIRST TEMP[2].y, TEMP[3].xxxx\nBALLOT TEMP[3].xy, SV[1].xxxx\nCLOCK TEMP[3].zw\n\
     STORE BUFFER[ADDR[0].x], TEMP[0].xxxx, TEMP[2]\nEND\n",
    "FRAG\nDCL IN[0], GENERIC[0], LINEAR\nDCL OUT[0], COLOR\nDCL IMAGE[0], 2D, PIPE_FORMAT_R8G8B8A8_UNORM, WR\n\
     DCL IMAGE[1..2], 3D, PIPE_FORMAT_R32_SINT, WR\nDCL TEMP[0..2]\nDCL ADDR[0]\nIMM[0] INT32 {0, 1, -1, 7}\n\
     F2I TEMP[0], IN[0]\nLOAD TEMP[1], IMAGE[0].wzyx, TEMP[0], 2D, PIPE_FORMAT_R8G8B8A8_UNORM\nKILL_IF TEMP[1].yyyy\n\
     STORE IMAGE[0], TEMP[0].yxxx, IN[0], 2D, PIPE_FORMAT_R8G8B8A8_UNORM\nUARL ADDR[0].x, TEMP[0].zzzz\n\
     ATOMIMAX TEMP[2].x, IMAGE[ADDR[0].x+1], TEMP[0], IMM[0].wwww, 3D, PIPE_FORMAT_R32_SINT\nRESQ TEMP[2].yz, IMAGE[1], 3D\n\
     IMG2HND TEMP[0].xy, IMAGE[2]\nLOAD TEMP[2].w, TEMP[0], IMM[0].xxxx, 3D, PIPE_FORMAT_R32_SINT\nI2F OUT[0], TEMP[2]\nEND\n",
    "GEOM\nPROPERTY GS_INPUT_PRIMITIVE LINES_ADJACENCY\nPROPERTY GS_OUTPUT_PRIMITIVE LINE_STRIP\nPROPERTY GS_MAX_OUTPUT_VERTICES 4\n\
     PROPERTY GS_INVOCATIONS 2\nDCL IN[][0], POSITION\nDCL IN[][1], PRIM_ID\nDCL SV[0], INVOCATIONID\nDCL OUT[0], POSITION\n\
     DCL OUT[1].x, LAYER\nDCL OUT[2].x, VIEWPORT_INDEX\nDCL TEMP[0..1]\nIMM[0] UINT32 {0, 1, 2, 4}\nMOV TEMP[0].x, IMM[0].xxxx\n\
     BGNLOOP :12\nUSGE TEMP[0].y, TEMP[0].xxxx, IMM[0].wwww\nUIF TEMP[0].yyyy :5\nBRK\nENDIF\nMOV OUT[0], IN[3][0]\n\
     MOV OUT[1].x, SV[0].xxxx\nMOV OUT[2].x, IN[1].xxxx\nEMIT TEMP[0].xxxx\nUADD TEMP[0].x, TEMP[0].xxxx, IMM[0].yyyy\n\
     ENDPRIM SV[0].xxxx\nENDLOOP :1\nEND\n",
    "TESS_CTRL\nPROPERTY TCS_VERTICES_OUT 3\nDCL IN[][0], POSITION\nDCL SV[0], INVOCATIONID\nDCL SV[1], VERTICESIN\nDCL SV[2], .semantic 47\n\
     DCL OUT[][0..1], ARRAY(1), GENERIC[0]\nDCL OUT[2], TESSOUTER\nDCL OUT[3], PATCH[1]\nDCL ADDR[0..1]\nDCL TEMP[0]\n\
     UARL ADDR[0].x, SV[0].xxxx\nUARL ADDR[1].x, SV[1].xxxx\nMOV OUT[ADDR[0].x][ADDR[1].x-2](1), IN[ADDR[1].x-1][0]\nBARRIER\n\
     ADD TEMP[0], OUT[ADDR[1].x-2][0], OUT[2][1]\nMOV OUT[ADDR[0].x][1], TEMP[0]\nMOV OUT[0][0].x, TEMP[0]\nMOV OUT[2], SV[2]\n\
     MOV OUT[3], OUT[2]\nEND\n",
    "TESS_EVAL\nPROPERTY TES_PRIM_MODE 7\nPROPERTY TES_SPACING 2\nDCL IN[][0..1], ARRAY(1), GENERIC[0]\nDCL IN[2..3], ARRAY(2), PATCH[0]\n\
     DCL SV[0], TESSCOORD\nDCL SV[1], TESSINNER\nDCL SV[2], PRIM_ID\nDCL OUT[0], POSITION\nDCL ADDR[0]\nDCL TEMP[0]\n\
     ARL ADDR[0].x, SV[1].yyyy\nLRP TEMP[0], SV[0].yyyy, IN[ADDR[0].x+1][0], IN[2][ADDR[0].x](1)\nU2F TEMP[0].w, SV[2].xxxx\n\
     MAD OUT[0], IN[ADDR[0].x+2](2), SV[1].xyxy, TEMP[0]\nEND\n",
    "FRAG\nDCL IN[0], COLOR, LINEAR\nDCL OUT[0], COLOR\nDCL TEMP[0]\nSUB TEMP[0], IN[0], IN[0].wzyx\nABS TEMP[0], TEMP[0]\n\
     XPD TEMP[0].xyz, TEMP[0], IN[0]\nMOV OUT[0], TEMP[0]\nEND\n",
    "FRAG\nDCL IN[0], COLOR, LINEAR\nDCL OUT[0], COLOR\nPROPERTY FS_COORD_ORIGIN UPPER_LEFT\n\
     DCL IMMX[0..1] {{ 0.5, 0.25, 2, 1 }, { 0, 1, 0, 1 }}\nMAD OUT[0], IN[0], IMMX[0], IMMX[1]\nEND\n",
    "COMP\nPROPERTY CS_FIXED_BLOCK_WIDTH 4\nDCL IN[0], GENERIC[0], PERSPECTIVE\nDCL OUT[0], COLOR\n\
     DCL OUT[1..2], ARRAY(1), GENERIC[0]\nDCL SV[0], THREAD_ID\nDCL SV[1], TESSCOORD\nDCL BUFFER[0]\nDCL TEMP[0]\nDCL ADDR[0]\n\
     IMM[0] UINT32 {0, 4, 1, 0}\nUARL ADDR[0].x, SV[0].xxxx\nADD TEMP[0], IN[0], SV[1]\nMOV OUT[0], TEMP[0]\n\
     MOV OUT[ADDR[0].x+1](1), IN[ADDR[0].x]\nEMIT IMM[0].xxxx\nDDX TEMP[0], TEMP[0]\nKILL_IF TEMP[0]\nFBFETCH TEMP[0], OUT[0]\n\
     STORE BUFFER[0], IMM[0].xxxx, OUT[1]\nEND\n",
    "TESS_CTRL\nPROPERTY TCS_VERTICES_OUT 4\nDCL IN[][0..2], ARRAY(1), GENERIC[0]\nDCL OUT[][0..1], ARRAY(2), GENERIC[0]\n\
     DCL OUT[2..4], ARRAY(3), PATCH[0]\nDCL OUT[5], TESSOUTER\nDCL SV[0], INVOCATIONID\nDCL SV[1], PRIM_ID\nDCL TEMP[0..1]\n\
     DCL ADDR[0..1]\nIMM[0] INT32 {0, 1, 3, 2}\nUARL ADDR[0].xy, SV[0].xxxx\nAND TEMP[0].x, SV[1].xxxx, IMM[0].zzzz\n\
     UARL ADDR[1].xy, TEMP[0].xxxx\nMOV TEMP[1], IN[ADDR[1].x][ADDR[0].y](1)\nMOV OUT[ADDR[0].x][ADDR[1].y](2), TEMP[1]\n\
     MOV OUT[ADDR[0].y+2](3).yz, IN[0][ADDR[1].x+1](1)\nBARRIER\n\
     ADD TEMP[1], OUT[ADDR[1].x][ADDR[0].y](2), OUT[ADDR[1].y+3](3)\nBGNLOOP\nISGE TEMP[0].y, TEMP[0].xxxx, IMM[0].zzzz\n\
     UIF TEMP[0].yyyy\nBRK\nENDIF\nBARRIER\nMOV OUT[5].x, TEMP[1].wwww\nUADD TEMP[0].x, TEMP[0].xxxx, IMM[0].yyyy\nENDLOOP\n\
     MOV OUT[3][0].xw, TEMP[1]\nEND\n",
    "TESS_EVAL\nPROPERTY TES_PRIM_MODE 4\nPROPERTY TES_SPACING 1\nPROPERTY TES_POINT_MODE 1\n\
     DCL IN[][0..1], ARRAY(1), GENERIC[0]\nDCL IN[][2], PSIZE\nDCL IN[3..5], ARRAY(2), PATCH[1]\nDCL SV[0], TESSCOORD\n\
     DCL SV[1], TESSOUTER\nDCL SV[2], VERTICESIN\nDCL OUT[0], POSITION\nDCL OUT[1..2], ARRAY(3), GENERIC[0]\nDCL BUFFER[0]\n\
     DCL TEMP[0]\nDCL ADDR[0]\nIMM[0] UINT32 {0, 4, 1, 0}\nUARL ADDR[0].x, SV[2].xxxx\nARL ADDR[0].yz, SV[1].xyzz\n\
     MAD TEMP[0], SV[0].xxxx, IN[ADDR[0].x-1][ADDR[0].y](1), IN[ADDR[0].z+3](2)\nMOV OUT[0], TEMP[0]\n\
     MOV OUT[ADDR[0].y+1](3).xz, IN[2][ADDR[0].z](1)\nMOV OUT[1].w, IN[1][2].xxxx\n\
     ATOMUADD TEMP[0].x, BUFFER[0], IMM[0].yyyy, IMM[0].zzzz\nMOV OUT[2].y, TEMP[0].xxxx\nEND\n",
    "GEOM\nPROPERTY GS_INPUT_PRIMITIVE TRIANGLES_ADJACENCY\nPROPERTY GS_OUTPUT_PRIMITIVE LINE_STRIP\n\
     PROPERTY GS_MAX_OUTPUT_VERTICES 5\nPROPERTY GS_INVOCATIONS 2\nDCL IN[][0..2], ARRAY(1), GENERIC[0]\n\
     DCL SV[0], INVOCATIONID\nDCL OUT[0], POSITION, STREAM(0, 0, 1, 1)\nDCL OUT[1..3], ARRAY(2), GENERIC[0]\nDCL BUFFER[0..1]\n\
     DCL TEMP[0..1]\nDCL ADDR[0]\nIMM[0] UINT32 {0, 1, 2, 6}\nMOV TEMP[0].x, IMM[0].xxxx\nBGNLOOP\n\
     USGE TEMP[0].y, TEMP[0].xxxx, IMM[0].wwww\nUIF TEMP[0].yyyy\nBRK\nENDIF\nUARL ADDR[0].x, TEMP[0].xxxx\n\
     AND TEMP[0].z, TEMP[0].xxxx, IMM[0].yyyy\nUARL ADDR[0].y, TEMP[0].zzzz\nMOV OUT[0], IN[ADDR[0].x][ADDR[0].y+1](1)\n\
     MOV OUT[ADDR[0].y+2](2), IN[0][ADDR[0].x](1)\nSTORE BUFFER[ADDR[0].y].xy, IMM[0].xxxx, TEMP[0]\nEMIT TEMP[0].zzzz\n\
     UIF TEMP[0].zzzz\nENDPRIM SV[0].xxxx\nENDIF\nUADD TEMP[0].x, TEMP[0].xxxx, IMM[0].yyyy\nENDLOOP\nEND\n",
    "COMP\nPROPERTY CS_FIXED_BLOCK_WIDTH 2\nPROPERTY CS_FIXED_BLOCK_HEIGHT 2\nPROPERTY CS_FIXED_BLOCK_DEPTH 1\n\
     DCL SV[0], THREAD_ID\nDCL SV[1], BLOCK_ID\nDCL BUFFER[0..1]\nDCL BUFFER[3], ATOMIC\n\
     DCL IMAGE[0], 2D, PIPE_FORMAT_R32_UINT, WR\nDCL IMAGE[1], 2D, PIPE_FORMAT_R32_UINT, WR\n\
     DCL IMAGE[2], 2D_ARRAY, PIPE_FORMAT_R16G16B16A16_FLOAT, WR\nDCL IMAGE[3], BUFFER, PIPE_FORMAT_R8G8B8A8_SNORM, WR\n\
     DCL HWATOMIC[0][0..1]\nDCL HWATOMIC[3][2..5]\nDCL MEMORY[0], SHARED\nDCL MEMORY[1], GLOBAL\nDCL MEMORY[2], INPUT\n\
     DCL CONST[1][0..3]\nDCL TEMP[0..2]\nDCL ADDR[0]\nIMM[0] UINT32 {0, 4, 1, 3}\n\
     UMAD TEMP[0].x, SV[0].yyyy, IMM[0].zzzz, SV[0].xxxx\nUARL ADDR[0].xy, SV[0].xyyy\n\
     LOAD TEMP[1], IMAGE[ADDR[0].x], SV[0].xyyy, 2D, PIPE_FORMAT_R32_UINT\n\
     LOAD TEMP[2].xyz, IMAGE[2].zyxx, SV[0].xyzz, 2D_ARRAY, PIPE_FORMAT_R16G16B16A16_FLOAT\n\
     STORE IMAGE[3], TEMP[0].xxxx, TEMP[2], PIPE_FORMAT_R8G8B8A8_SNORM\n\
     ATOMUMAX TEMP[1].y, IMAGE[ADDR[0].y], SV[0].xyyy, TEMP[1].xxxx, 2D, PIPE_FORMAT_R32_UINT\n\
     ATOMUADD TEMP[1].x, HWATOMIC[3][ADDR[0].x+2], IMM[0].xxxx, IMM[0].zzzz\n\
     ATOMUADD TEMP[1].x, HWATOMIC[0][1], IMM[0].xxxx, TEMP[1].xxxx\nLOAD TEMP[1].zw, BUFFER[ADDR[0].y], TEMP[0].xxxx\n\
     LOAD TEMP[2].w, MEMORY[2], IMM[0].yyyy\nSTORE MEMORY[1].yw, IMM[0].yyyy, TEMP[1]\n\
     STORE MEMORY[0].x, TEMP[0].xxxx, TEMP[1].xxxx\nLOAD TEMP[0].zw, CONST[1], TEMP[0].xxxx\n\
     STORE BUFFER[ADDR[0].x+2].x, TEMP[0].xxxx, TEMP[0].zzzz\nSTORE BUFFER[3], SV[1].xxxx, TEMP[2]\n\
     RESQ TEMP[1].xy, BUFFER[ADDR[0].x]\nRESQ TEMP[1].xyz, IMAGE[2], 2D_ARRAY\nSTORE BUFFER[0], IMM[0].xxxx, TEMP[1]\nEND\n",
    "COMP\nPROPERTY CS_FIXED_BLOCK_WIDTH 8\nDCL SV[0], THREAD_ID\nDCL SV[1], BLOCK_SIZE\nDCL BUFFER[0]\nDCL MEMORY[0], SHARED\n\
     DCL TEMP[0..2]\nIMM[0] UINT32 {2, 0, 1, 4}\nSHL TEMP[0].x, SV[0].xxxx, IMM[0].xxxx\n\
     LOAD TEMP[1].x, BUFFER[0].xxxx, TEMP[0].xxxx\nSTORE MEMORY[0].x, TEMP[0].xxxx, TEMP[1].xxxx\n\
     USHR TEMP[2].x, SV[1].xxxx, IMM[0].zzzz\nBGNLOOP\nBARRIER\nUIF TEMP[2].xxxx\nELSE\nBRK\nENDIF\n\
     USLT TEMP[0].y, SV[0].xxxx, TEMP[2].xxxx\nUIF TEMP[0].yyyy\nUADD TEMP[0].z, SV[0].xxxx, TEMP[2].xxxx\n\
     SHL TEMP[0].z, TEMP[0].zzzz, IMM[0].xxxx\nLOAD TEMP[1].y, MEMORY[0].xxxx, TEMP[0].zzzz\n\
     ATOMUADD TEMP[1].z, MEMORY[0], TEMP[0].xxxx, TEMP[1].yyyy\nENDIF\nMEMBAR IMM[0].wwww\n\
     USHR TEMP[2].x, TEMP[2].xxxx, IMM[0].zzzz\nENDLOOP\nCAL :23\nLOAD TEMP[1].x, MEMORY[0], IMM[0].yyyy\n\
     STORE BUFFER[0].x, TEMP[0].xxxx, TEMP[1].xxxx\nEND\nBGNSUB\nBARRIER\n\
     ATOMINC_WRAP TEMP[1].w, MEMORY[0], IMM[0].yyyy, IMM[0].wwww\nVOTE_ALL TEMP[2].y, TEMP[1].wwww\nUIF TEMP[2].yyyy\nRET\n\
     ENDIF\nBARRIER\nRET\nENDSUB\n",
];

/// The tokens of a text, if it is read.
pub(crate) fn tokens(text: &str) -> Option<Vec<u8>> {
    parse(text, &ParseOptions::tolerant()).0.map(|program| encode(&program))
}

/// What must hold for every program: the text of it gives it back, and so does that text laid out anew.
pub(crate) fn survives(program: &Program) -> Result<(), String> {
    let printed = print(program, Style::Lossless);
    let again = |text: &str| match parse(text, &ParseOptions::tolerant()) {
        (Some(again), _) if again == *program => Ok(()),
        (Some(again), _) => {
            let differ = program.tokens.iter().zip(&again.tokens).position(|(one, other)| one != other);
            let at = differ.unwrap_or(program.tokens.len().min(again.tokens.len()));
            Err(format!(
                "reads back as another program: {:?} as {:?}, token {at} {:?} as {:?}; {:x?} as {:x?}, {:?} as {:?}:\n{text}",
                (program.dialect, program.processor),
                (again.dialect, again.processor),
                program.tokens.get(at),
                again.tokens.get(at),
                program.residue,
                again.residue,
                program.frame,
                again.frame
            ))
        }
        (None, findings) => Err(format!("does not read back: {findings:?}\n{text}")),
    };
    again(&printed)?;
    again(&format(&printed).map_err(|findings| format!("is not laid out: {findings:?}"))?)
}

/// Where the tokens of a stream begin, in bytes.
pub(crate) fn cuts(bytes: &[u8]) -> Vec<usize> {
    decode_lossless(bytes).token_offsets().into_iter().map(|at| at as usize).collect()
}

/// The subroutines of a stream and what they call; they are known by the number of their first instruction.
pub(crate) fn calls(bytes: &[u8]) -> Sections {
    let program = decode_lossless(bytes);
    let offsets = program.token_offsets();
    let mut sections = Sections::default();
    let (mut section, mut number) = (0, 0);
    for (n, token) in program.tokens.iter().enumerate() {
        let end = offsets.get(n + 1).map_or(bytes.len(), |at| *at as usize);
        let size = end.saturating_sub(offsets[n] as usize);
        let Token::Instruction(i) = token else {
            sections.0.entry(section).or_default().0 += size;
            continue;
        };
        let name = i.op.row().map_or("", |row| row.name);
        if name == "BGNSUB" {
            section = number;
        }
        let of = sections.0.entry(section).or_default();
        of.0 += size;
        of.1.extend(i.label.filter(|_| matches!(name, "CAL" | "CALLNZ")));
        if name == "ENDSUB" {
            section = 0;
        }
        number += 1;
    }
    sections
}

/// Subroutines that call one another.
pub(crate) fn call_tree(rng: &mut Rng) -> String {
    const LINES: [&str; 7] = [
        "MOV TEMP[1], CONST[0]",
        "ADD TEMP[0], TEMP[0], TEMP[1]",
        "MUL TEMP[2].xy, TEMP[0], IN[0]",
        "MAD TEMP[3].w, TEMP[2], CONST[1], TEMP[1]",
        "RCP TEMP[0].x, TEMP[0].xxxx",
        "MOV OUT[1], TEMP[3]",
        "NOP",
    ];
    let (depth, times) = shape(rng);
    let mut bodies: Vec<(Vec<String>, usize)> = Vec::new();
    for _ in 0..depth {
        let mut body = vec!["BGNSUB".to_string()];
        // One that may be left early is a block.
        if rng.below(3) == 0 {
            body.extend(["IF TEMP[0].xxxx", "RET", "ENDIF"].map(String::from));
        }
        body.extend((0..rng.below(4)).map(|_| LINES[rng.below(LINES.len())].to_string()));
        bodies.push((body, times));
    }
    if let Some(last) = bodies.last_mut() {
        last.1 = 0;
    }
    let mut out =
        String::from("VERT\nDCL IN[0]\nDCL OUT[0], POSITION\nDCL OUT[1], GENERIC[0]\nDCL CONST[0..1]\n");
    out += "DCL TEMP[0..3]\nMOV TEMP[0], IN[0]\nCAL :4\nMOV OUT[0], TEMP[0]\nEND\n";
    let mut start = 4;
    for (body, calls) in bodies {
        start += body.len() + calls + 2;
        out += &body.join("\n");
        out.push('\n');
        out += &format!("CAL :{start}\n").repeat(calls);
        out += "RET\nENDSUB\n";
    }
    out
}

/// Any stream is read in every dialect and comes back from bytes, token by token, from digits and from text.
pub(crate) fn tokens_survive(bytes: &[u8], seen: &mut Seen) {
    let program = decode_lossless(bytes);
    assert!(encode(&program) == bytes, "other bytes came back");
    if decode(bytes).is_ok_and(|decoded| decoded == program) {
        seen.count("with a header");
    }
    if looks_like(bytes) {
        seen.count("recognized");
        assert!(program.frame.is_none(), "recognized with something around it");
        assert!(
            !program.tokens.iter().any(|token| matches!(token, Token::Raw(_))),
            "recognized with raw words"
        );
        let digits = AnyProgram::Tgsi(program.clone()).hex();
        assert!(parse_digits(&digits).as_deref() == Some(bytes), "the digits give other bytes");
    }
    let mut dialects = vec![program.dialect];
    dialects.push(Dialect::ALL[Rng::of(bytes).below(Dialect::ALL.len())]);
    for dialect in dialects {
        let program = decode_as(bytes, dialect);
        assert!(encode(&program) == bytes, "{dialect:?}: other bytes came back");
        let mut again = Program::new(dialect, program.processor, 0);
        each_token(&program, |_, words| append_words(&mut again, words));
        assert!(
            again.tokens == program.tokens && again.residue == program.residue,
            "other tokens one by one"
        );
        let layout = AnyProgram::Tgsi(program.clone()).layout();
        let mut at = 0;
        for piece in &layout {
            assert!(piece.offset == at && piece.len > 0, "a gap between the pieces");
            assert!(piece.field_ranges().iter().all(|(name, _)| *name != "rest"), "a word without a name");
            at += piece.len;
        }
        assert!(at == bytes.len(), "bytes without a piece");
        if let Err(why) = survives(&program) {
            panic!("{dialect:?}: {why}");
        }
        if program.instructions().next().is_some() {
            seen.count("with instructions");
        }
    }
    for dialect in Dialect::ALL {
        match convert(&program, *dialect) {
            Ok(there) if *dialect == program.dialect => assert!(there == program, "not what it was"),
            Ok(there) => {
                seen.count("converted");
                let same = decode_as(&encode(&there), *dialect) == there;
                assert!(same, "{dialect:?}: another program after encoding and decoding");
                let back = convert(&there, program.dialect);
                assert!(back.is_ok(), "{dialect:?}: does not convert back: {back:?}");
            }
            Err(findings) => findings.iter().take(3).for_each(|finding| presentable(finding, "input", None)),
        }
    }
}

/// Any stream is checked by everybody, and everything said can be shown.
pub(crate) fn tokens_are_validated(bytes: &[u8], seen: &mut Seen) {
    let program = decode_lossless(bytes);
    for profile in Profile::ALL {
        let options = Options { profile: *profile };
        let findings = validate(&program, &options);
        findings.iter().take(5).for_each(|finding| presentable(finding, "input", None));
        assert!(findings == validate(&program, &options), "a second look finds something else");
        let refused = findings.iter().any(|finding| finding.severity == Severity::Error);
        if *profile == Profile::Strict {
            seen.count(if refused { "refused" } else { "accepted" });
        }
    }
    // Any two programs are a pair.
    let PairFindings { linkage, .. } = check_pair(&program, &program, &Options::default());
    linkage.iter().take(5).for_each(|finding| presentable(finding, "input", None));
}

/// A stream is lifted or refused by a rule of lifting, and what comes of it keeps the rules of the IR.
pub(crate) fn tokens_are_lifted(bytes: &[u8], seen: &mut Seen) {
    let program = decode_lossless(bytes);
    let options = lift::Options::default();
    for options in [options, lift::Options { depth: Depth::Full, ..options }] {
        match lift::lift(&program, &options) {
            Ok(shader) => {
                seen.count("lifted");
                let breaches = verify(&shader);
                assert!(breaches.is_empty(), "{options:?}: {}", breaches[0]);
            }
            Err(finding) => {
                assert!(lift::RULES.iter().any(|rule| rule.id == finding.id), "{options:?}: {finding}");
                presentable(&finding, "input", None);
            }
        }
    }
}

/// What was lifted runs, twice the same; with the step table, folded and cleaned, it gives the same bits; and it is
/// written as WGSL, or the writer says what WGSL lacks.
pub(crate) fn lifted_tokens_run(bytes: &[u8], seen: &mut Seen) {
    let program = decode_lossless(bytes);
    let options = lift::Options::default();
    let Ok(lean) = lift::lift(&program, &options) else { return };
    // There are textures of these to bind.
    if lean.textures.iter().any(|t| !matches!(t.dim, Dim::D1 | Dim::D2 | Dim::Cube | Dim::D3)) {
        seen.count("other textures");
        return;
    }
    let on = |shader: &Shader| {
        let batch = Batch { fuel: Some(512), ..batch(shader, &mut Rng::of(bytes), 4) };
        let mut outputs = Interp.run(shader, &batch)?;
        // How many streams there may be is known better behind passes, where their numbers are computed.
        while outputs.streams.last().is_some_and(Vec::is_empty) {
            outputs.streams.pop();
        }
        Ok::<_, RunError>(outputs)
    };
    // Loops without an end run out of fuel; of some stages a batch has not what they need.
    let Ok(wanted) = on(&lean) else {
        seen.count("did not run");
        return;
    };
    assert!(on(&lean).as_ref() == Ok(&wanted), "a second run gives other bits");
    seen.count("ran");
    let full = match lift::lift(&program, &lift::Options { depth: Depth::Full, ..options }) {
        Ok(full) => full,
        // What calls bring is counted with the operations that steps add.
        Err(limit) if limit.id.ends_with("-lift-limit") => return seen.count("too long with steps"),
        Err(finding) => panic!("not lifted with steps: {finding:?}"),
    };
    // What an inactive invocation shows its neighbours is left to the passes.
    let mut quads = false;
    lean.body.for_each_inst(&mut |inst| quads |= inst.op.needs_quad());
    if !quads {
        for (name, shader) in [("in full", &full), ("folded and cleaned", &clean(&fold(&full)))] {
            let breaches = verify(shader);
            assert!(breaches.is_empty(), "{name}: {}", breaches[0]);
            // Passes may change a NaN.
            let same = |got: &Outputs| got == &wanted || name != "in full" && same_but_nan(got, &wanted);
            assert!(on(shader).is_ok_and(|got| same(&got)), "{name}: other results");
        }
    }
    match wgsl::write(&lean, &wgsl::Options::default()) {
        Ok(_) => seen.count("written"),
        Err(finding) => presentable(&finding, "input", None),
    }
}

/// What the validator accepts has a meaning, or lifting says by one of its rules why not. It runs, on whatever it asks for, and
/// ends within its fuel; and the run has an explanation.
pub(crate) fn tokens_are_explained(bytes: &[u8], seen: &mut Seen) {
    let program = decode_lossless(bytes);
    let findings = validate(&program, &Options::default());
    let accepted = !findings.iter().any(|finding| finding.severity == Severity::Error);
    let options = lift::Options { depth: Depth::Full, ..lift::Options::default() };
    let shader = match lift::lift(&program, &options) {
        Ok(shader) => shader,
        Err(finding) => {
            let rule = Isa::Tgsi.rules().into_iter().find(|rule| rule.id == finding.id);
            assert!(rule.is_some_and(|rule| !rule.reason.is_empty()), "no rule tells about {finding}");
            if accepted {
                seen.count("accepted and refused");
            }
            return;
        }
    };
    seen.count(if accepted { "accepted and lifted" } else { "lifted all the same" });
    let mut rng = Rng::of(bytes);
    let file = RunFile::random(&shader, 4, rng.next());
    let batch = Batch { fuel: Some(FUEL), ..file.batch() };
    // A thousand invocations take too long to be explained one by one.
    if batch.count > MANY {
        seen.count("large");
        return;
    }
    let outputs = match Interp.run(&shader, &batch) {
        Ok(outputs) => outputs,
        // Geometry programs may emit more than there is room for.
        Err(RunError::Limit(_)) => return seen.count("too much"),
        Err(error) => panic!("what a run file was made up for does not run: {error}"),
    };
    if outputs.exhausted.contains(&true) {
        seen.count("out of fuel");
    }
    seen.count("ran");
    super::debug::examined(&shader, &batch, &outputs, &mut rng, seen);
}

/// Any text can be read and laid out; what is accepted comes back from being printed and from the tokens of its dialect,
/// and laying it out changes nothing.
pub(crate) fn token_texts_are_safe(bytes: &[u8], seen: &mut Seen) {
    let input = String::from_utf8_lossy(bytes);
    symbols_are_in_place(Isa::Tgsi, &input);
    for dialect in Dialect::ALL {
        let strict = ParseOptions { dialect: Some(*dialect), ..ParseOptions::default() };
        let (program, findings) = parse(&input, &strict);
        let refused = findings.iter().any(|finding| finding.severity == Severity::Error);
        assert!(program.is_none() == refused, "neither a program nor an error, or both");
        findings.iter().take(3).for_each(|finding| presentable(finding, "input", Some(&input)));
    }
    let (program, findings) = parse(&input, &ParseOptions::tolerant());
    let refused = findings.iter().any(|finding| finding.severity == Severity::Error);
    assert!(program.is_none() == refused, "neither a program nor an error, or both");
    findings.iter().take(5).for_each(|finding| presentable(finding, "input", Some(&input)));
    let spans = text::instruction_spans(&input);
    for span in &spans {
        assert!(input.get(span.start as usize..span.end as usize).is_some(), "{span:?} is outside");
    }
    let Some(program) = program else {
        seen.count("refused");
        return;
    };
    seen.count("assembled");
    assert!(spans.len() == program.instructions().count(), "instructions without a place");
    if let Err(why) = survives(&program) {
        panic!("{why}");
    }
    if let Ok(bytes) = encode_as(&program, program.dialect) {
        seen.count("as tokens");
        let again = decode_as(&bytes, program.dialect);
        assert!(encode(&again) == bytes, "other bytes came back");
        // What says its own header may say that there is less.
        let same = again.instructions().count() == spans.len();
        assert!(same || program.frame.is_some(), "other instructions in the tokens");
    }
    laid_out_once(Isa::Tgsi, &input, seen);
    match format(&input) {
        Ok(_) => {}
        // A program behind prefixes or in a literal is read, but not reformatted; nor is one that others go wrong beside.
        Err(_) if text::programs_in(&input).len() > 1 => seen.count("out of a log"),
        Err(findings) if findings.iter().all(|finding| finding.id == "TGSI-format") => {
            seen.count("out of a log");
        }
        Err(findings) => panic!("assembled, but not laid out: {findings:?}"),
    }
}

/// A stream with some damage to bits, words or its length; its header often put right again.
pub(crate) fn damaged_tokens(seed: &[u8], rng: &mut Rng) -> Vec<u8> {
    /// Words that mean something: tokens of each type, operands with two indices, words behind them.
    const WORDS: [u32; 14] = [
        0x0007_5002,
        0x000c_4002,
        0x0006_b002,
        0x00a0_1022,
        0x0000_00f4,
        0x3900_0042,
        0x3900_0072,
        0x0010_0006,
        0x0002_0001,
        0x002f_2030,
        0x000f_4020,
        0x0000_0051,
        0x0001_3023,
        0x1123_4062,
    ];
    let mut out = seed.to_vec();
    for _ in 0..=rng.below(3) {
        let words = out.len() / 4;
        let at = rng.below(words.max(1)) * 4;
        let there = at + 4 <= out.len();
        match rng.below(10) {
            0..=2 if !out.is_empty() => {
                let bit = rng.below(out.len() * 8);
                out[bit / 8] ^= 1 << (bit % 8);
            }
            3 if there => {
                let word = WORDS[rng.below(WORDS.len())];
                out[at..at + 4].copy_from_slice(&word.to_le_bytes());
            }
            4 if there && out.len() < 1 << 15 => {
                let word = WORDS[rng.below(WORDS.len())];
                out.splice(at..at, word.to_le_bytes());
            }
            5 if there => {
                out.drain(at..at + 4);
            }
            6 if there => {
                let other = rng.below(words) * 4;
                for n in 0..4 {
                    out.swap(at + n, other + n);
                }
            }
            7 if rng.below(3) == 0 => out.truncate(rng.below(out.len() + 1)),
            // Another number in the first field of a token, or of an operand.
            8 | 7 if there => {
                let byte = at + rng.below(4);
                out[byte] = rng.below(32) as u8;
            }
            // A short instruction many times.
            9 if there && out.len() < 1 << 12 => {
                let many = rng.below(64);
                out.splice(at..at, (0..many).flat_map(|_| 0x0006_b002_u32.to_le_bytes()));
            }
            _ => out.extend((0..rng.below(12)).map(|_| rng.next() as u8)),
        }
    }
    if rng.below(3) > 0 && out.len() >= 8 {
        let header = 2 | ((out.len() / 4 - 2) as u32) << 8;
        out[..4].copy_from_slice(&header.to_le_bytes());
    }
    out
}

/// A text with pieces of the language put in, taken out or doubled.
pub(crate) fn damaged_text(seed: &[u8], rng: &mut Rng) -> Vec<u8> {
    const PIECES: [&str; 40] = [
        "TEMP[0]",
        "CONST[1][ADDR[0].x+3]",
        "IN[ADDR[0].y][2]",
        "IMM[0].xxxx",
        "-|IN[0].wzyx|",
        "OUT[0].xy",
        "SAMP[0], 2D",
        "(1)",
        "-",
        "|",
        ", ",
        "[",
        "]",
        ".",
        " :3",
        "_SAT",
        "_PRECISE",
        "MOV TEMP[0], IN[0]\n",
        "NOP\n",
        "IF TEMP[0].xxxx :0\n",
        "ELSE :0\n",
        "ENDIF\n",
        "BGNLOOP :0\n",
        "ENDLOOP :0\n",
        "BRK\n",
        "END\n",
        "SUB TEMP[0], IN[0], IN[0]\n",
        "DCL TEMP[0..3], LOCAL\n",
        "DCL IN[0], GENERIC[0], PERSPECTIVE\n",
        "DCL SVIEW[0], 2D, FLOAT\n",
        "IMM FLT32 {1.0, -2.5e-3, 0x7fc00000, 4}\n",
        "IMM[0] UINT64 {18446744073709551615, 0}\n",
        "PROPERTY NEXT_SHADER FRAG\n",
        "PROPERTY MUL_ZERO_WINS 1\n",
        "FRAG\n",
        "GEOM\n",
        "99999999999",
        "\r\n",
        "\t",
        "\u{feff}",
    ];
    if rng.below(3) == 0 {
        return super::damaged_text(seed, rng);
    }
    let mut out = seed.to_vec();
    for _ in 0..=rng.below(2) {
        let at = rng.below(out.len() + 1);
        let piece = PIECES[rng.below(PIECES.len())];
        match rng.below(4) {
            0 if at < out.len() => {
                let end = (at + 1 + rng.below(6)).min(out.len());
                out.drain(at..end);
            }
            1 if at < out.len() => {
                let end = (at + 1 + rng.below(12)).min(out.len());
                let copy = out[at..end].to_vec();
                out.splice(end..end, copy);
            }
            _ => {
                // At a line's start, where most statements are.
                let line = out[..at].iter().rposition(|b| *b == b'\n').map_or(0, |n| n + 1);
                let to = if rng.below(2) == 0 { line } else { at };
                out.splice(to..to, piece.bytes());
            }
        }
    }
    out
}
