//! The table of what may be breached.

/// A rule that a sound shader keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BreachRule {
    /// The stable id, in kebab case.
    pub id: &'static str,
    /// The rule, one sentence.
    pub text: &'static str,
}

crate::rules! {
    pub const;

    UNSOUND "IR-unsound" Error
        "malformed shader: %1",
        "The shader breaks a rule of the intermediate representation. If it was lifted from a program, this is a bug in vecasm.";
}

macro_rules! rules {
    ($($NAME:ident $id:literal $text:literal;)*) => {
        /// Every rule, in the order of the table.
        pub const RULES: &[BreachRule] = &[$(BreachRule { id: $id, text: $text }),*];

        $(pub(super) const $NAME: &str = $id;)*
    };
}

rules! {
    // Tables.
    NAME_TWICE "name-twice" "The names in a table are unique.";
    SLOT_TWICE "slot-twice" "No two images, and no two buffers of one kind, have the same slot.";
    VALUE_LANES "value-lanes" "A value has 1 to 4 lanes.";
    HOME_FILE "home-file" "A home is in a register file of the shader.";
    INPUT_STAGE "input-stage" "A stage has only its own kinds of inputs.";
    INPUT_TWICE "input-twice" "No two inputs are of one kind and number.";
    INPUT_TYPE "input-type"
        "A system value has its own type; any other input has 1 to 4 lanes of f32, i32 or u32.";
    INPUT_INTERPOLATION "input-interpolation"
        "Only a varying of a fragment shader is interpolated, and only f32: one of integers is flat.";
    OUTPUT_STAGE "output-stage" "A stage has only its own kinds of outputs.";
    OUTPUT_TWICE "output-twice" "No two outputs are of one kind and number.";
    OUTPUT_TYPE "output-type" "An output cell has lanes of f32, i32 or u32, as its kind allows.";
    OUTPUT_STREAM "output-stream" "Streams are 0 to 3, or 255 for all of them; only geometry shaders have streams other than 0.";
    OUTPUT_CARRIED "output-carried" "Only serial shaders carry cells.";
    SERIAL_STAGE "serial-stage" "A serial shader has a stage whose group is one invocation.";
    SERIAL_SUBGROUP "serial-subgroup" "A serial shader has no subgroup operations.";
    SERIAL_ONLY "serial-only" "Only serial shaders write parameters.";
    PARAM_TYPE "param-type" "A parameter array has lanes of f32, i32, u32 or bool.";
    PARAM_SIZE "param-size" "A parameter array has at most 65,536 elements.";
    PARAM_USED "param-used"
        "The elements that direct loads and stores use are among those that the array says are used, and these exist.";
    PARAM_FIXED "param-fixed"
        "The elements that the program says are in ascending order and exist, and are not in an array that is written.";
    PARAM_INDEXED "param-indexed" "An array that is accessed by a computed index is marked as indexed.";
    LOCAL_TYPE "local-type" "A local array has lanes of f32, i32 or u32.";
    LOCAL_SIZE "local-size" "A local array has 1 to 65,536 cells, and direct loads and stores use these only.";
    STATE_TYPE "state-type" "A state value has 1 to 4 lanes of 32 bits.";
    STATE_DEFAULT "state-default" "The default of a state is a value of its type, with zero in the lanes beyond it.";
    TEXTURE_TYPE "texture-type" "Texels are f32, i32 or u32.";
    TEXTURE_COMPARE "texture-compare"
        "Only f32 textures of one sample and with faces are compared, and only through samplers of such textures.";
    TEXTURE_SAMPLER "texture-sampler"
        "Integer texels are not filtered, what is only fetched from has no sampler, and anisotropy is 1 to 16.";
    TEXTURE_DIM_BY "texture-dim-by"
        "The state that says a texture's dimension is one u32, and the texture itself is 1d, 2d, 3d or cube.";
    BUFFER_WRITE "buffer-write" "A uniform buffer is never written.";
    SETUP_UNUSED "setup-unused" "A setting that the stage does not use has its default.";
    SETUP_WORKGROUP "setup-workgroup" "A workgroup has at most 1,024 invocations.";
    SETUP_SHARED "setup-shared" "A workgroup shares at most 65,536 bytes.";
    SETUP_VERTICES "setup-vertices" "A patch has 1 to 32 vertices, or 0 where the batch gives the number; a primitive has as many as its kind.";
    SETUP_INVOCATIONS "setup-invocations" "A patch or primitive has 1 to 32 invocations.";
    SETUP_PRIMITIVE "setup-primitive" "A stage takes and emits only its own kinds of primitives.";
    SETUP_MAX_VERTICES "setup-max-vertices" "A geometry shader emits at most 1,024 vertices.";
    STEP_ACCESS "step-access" "A step accesses at least one lane of a cell that exists.";

    // Values and arguments.
    ARGUMENT_LIST "argument-list" "An argument list lies in the table of arguments.";
    ARGUMENT_LANES "argument-lanes" "An argument picks 1 to 4 lanes, and only lanes that the value has.";
    VALUE_UNKNOWN "value-unknown" "Every value is in the table of values.";
    VALUE_BEFORE_DEFINITION "value-before-definition" "A value is used only after its definition.";
    VALUE_OUT_OF_SCOPE "value-out-of-scope" "A value is used only inside the region that defines it.";
    VALUE_TWICE "value-twice" "A value is defined once.";
    ARGUMENTS "arguments" "An operation gets the arguments that it takes, in number and type.";
    PURE_TYPE "pure-type" "A pure operation is used only on the types of its row in the table.";
    RESULT_MISSING "result-missing" "An operation with a result defines a value.";
    RESULT_UNWANTED "result-unwanted" "An operation without a result defines no value.";
    RESULT_TYPE "result-type" "The value that an operation defines has the type of the result.";
    CONST_LANES "const-lanes" "A constant is zero in the lanes beyond its type, and has at most two of 64 bits.";
    CONST_BOOL "const-bool" "Lanes of a bool constant are 0 or 1.";
    COMPOSE "compose" "A composition has one to four lanes, all of one type.";
    ARITH_NV20 "arith-nv20" "Only operations that are defined under nv20 have that arithmetic.";
    ARITH_UNUSED "arith-unused" "An operation has only the arithmetic attributes that apply to it.";

    // Regions.
    BODY_YIELDS "body-yields" "The body of a shader yields nothing.";
    YIELDS "yields" "A region yields values of the types of its owner's results or, in a loop, parameters.";
    CONDITION "condition" "The condition of an if is one bool lane.";
    LOOP_START "loop-start" "A loop starts with values of the types of its parameters.";
    EXIT_VALUES "exit-values" "An exit gives values of the types of the results or parameters of what it names.";
    EXIT_LABEL "exit-label" "An exit names an open block or loop.";
    AGAIN_BLOCK "again-block" "Only a loop has a next iteration.";
    EXIT_IDIOM "exit-idiom" "No exit leads out of an idiom.";
    BEHIND_EXIT "behind-exit" "Nothing follows an exit in its region.";
    LABEL_TWICE "label-twice" "A label names one block or loop of the shader.";
    SWITCH_SELECTOR "switch-selector" "The selector of a switch is one i32 or u32 lane.";
    SWITCH_NUMBER "switch-number" "A switch has each number at most once.";
    SWITCH_EMPTY "switch-empty" "Every case of a switch has a number.";
    IDIOM_RESULTS "idiom-results" "An idiom has as many results as its kind.";
    IDIOM_OPERANDS "idiom-operands" "An idiom has as many operands as its kind.";
    DEPTH "depth" "Regions are nested at most 200 deep.";
    MARK_STEP "mark-step" "A mark names a step of the step table.";
    MARK_TWICE "mark-twice" "A step has one mark.";
    MARK_LANES "mark-lanes" "A mark has one argument for each access of its step, with the lanes of the access.";

    // Operations.
    REFERENCE "reference" "What an operation names is in the tables of the shader.";
    STAGE_ONLY "stage-only" "An operation is used only in shaders of its stages.";
    RUN_EMPTY "run-empty" "A run has at least one entry.";
    RUN_OUTSIDE "run-outside" "A run lies in its table.";
    RUN_MIXED "run-mixed" "The entries of a run are of one type and shape.";
    INPUT_VERTEX "input-vertex"
        "In stages with vertices, varyings are read from a vertex, and everything else is not.";
    OUTPUT_PATCH "output-patch" "A cell of the patch is not read from a vertex.";
    INTERPOLATE_INPUT "interpolate-input" "Only f32 varyings are interpolated at another point.";
    STORE_MASK "store-mask" "A store writes at least one lane.";
    STREAM "stream" "Streams are 0 to 3.";
    TEXTURE_SHAPE "texture-shape" "A texture is read as its shape allows.";
    TEXTURE_OFFSET "texture-offset" "Cubes are read without an offset.";
    COMPARE "compare" "A texture is read with a comparison if, and only if, it holds depths to compare.";
    GATHER_COMPONENT "gather-component" "A gather reads lane 0 to 3, and 0 if it compares.";
    PICK_SHARED "pick-shared" "There is only one shared memory to pick.";
    MEMORY_LANES "memory-lanes" "A load of memory gives 1 to 4 words.";
    MEMORY_WRITE "memory-write" "Only writable buffers are written, and a counter only atomically.";
    IMAGE_ACCESS "image-access" "Only images that may be read are read, only ones that may be written are written.";
    ATOMIC_FORMAT "atomic-format" "An atomic changes an image of one 32-bit channel and one sample.";
    MORE_BREACHES "more-breaches" "A list of breaches ends after a thousand.";
}
