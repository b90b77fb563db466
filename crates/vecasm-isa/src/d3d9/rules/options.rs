//! Who is asked whether a program is good, and what a device can do that the tokens do not tell.

use crate::d3d9::program::{Stage, Version};

/// Who is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Profile {
    /// Direct3D 9, as documented.
    #[default]
    D3d9,
    /// Direct3D 8: models up to 1.4, inputs without declarations, swizzles where Direct3D 9 requires one component.
    D3d8,
    /// MojoShader's parser.
    Mojoshader,
    /// The validator of DXVK.
    Dxvk,
    /// Wine's validator.
    Wine,
}

impl Profile {
    /// Every profile.
    pub const ALL: [Self; 5] = [Self::D3d9, Self::D3d8, Self::Mojoshader, Self::Dxvk, Self::Wine];

    /// The name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::D3d9 => "d3d9",
            Self::D3d8 => "d3d8",
            Self::Mojoshader => "mojoshader",
            Self::Dxvk => "dxvk",
            Self::Wine => "wine",
        }
    }
}

vecasm_ir::spelled!(Profile, "profile");

crate::switch::switches! {
    /// What a device of model 2.x can do: the tokens of 2_x, 2_a and 2_b have the same version.
    model_2x: Model2x = "model-2x" {
        /// what the other switches say
        X = "x",
        /// what fxc's vs_2_a and ps_2_a ask for: 13 and 22 temporaries, dynamic flow (vs), swizzles, derivatives and no limits on texture reads (ps), predication
        A = "a",
        /// what fxc's ps_2_b asks for: 32 temporaries and no limit on texture instructions
        B = "b"; default X
    }
    /// Predicated instructions in 2.x (D3DVS20CAPS_PREDICATION, D3DPS20CAPS_PREDICATION).
    predication: Predication = "predication" {
        /// the device has them
        Yes = "yes",
        /// it does not
        No = "no"; default Yes
    }
    /// Any swizzle in ps_2_x (D3DPS20CAPS_ARBITRARYSWIZZLE).
    arbitrary_swizzle: ArbitrarySwizzle = "arbitrary-swizzle" {
        /// the device has them
        Yes = "yes",
        /// only those of ps_2_0
        No = "no"; default Yes
    }
    /// dsx, dsy and texldd in ps_2_x (D3DPS20CAPS_GRADIENTINSTRUCTIONS).
    gradient_instructions: GradientInstructions = "gradient-instructions" {
        /// the device has them
        Yes = "yes",
        /// it does not
        No = "no"; default Yes
    }
    /// How long a chain of dependent texture reads may be in ps_2_x (D3DPS20CAPS_NODEPENDENTREADLIMIT).
    dependent_reads: DependentReads = "dependent-reads" {
        /// no limit
        Unlimited = "unlimited",
        /// four reads, as in ps_2_0
        Limited = "limited"; default Unlimited
    }
    /// How many texture instructions ps_2_x may have (D3DPS20CAPS_NOTEXINSTRUCTIONLIMIT); without limit some cost more slots.
    texture_instructions: TextureInstructions = "texture-instructions" {
        /// no limit but that of the slots
        Unlimited = "unlimited",
        /// 32, as in ps_2_0
        Limited = "limited"; default Unlimited
    }
    numbers
    /// Temporaries in 2.x (NumTemps).
    temporaries: u16 = "temporaries" 12..=32, default 32, "the number of registers"
    /// How deep conditionals on comparisons and predicates nest in 2.x (DynamicFlowControlDepth).
    dynamic_depth: u8 = "dynamic-depth" 0..=24, default 24, "the number of levels"
    /// How deep loops and calls nest in 2.x (StaticFlowControlDepth); at 0 ps_2_x has no static flow control.
    static_depth: u8 = "static-depth" 0..=4, default 4, "the number of levels"
    /// Instruction slots of ps_2_x (NumInstructionSlots).
    slots_2x: u16 = "slots-2x" 96..=512, default 512, "the number of slots"
    /// Instruction slots of model 3.0 (MaxVertexShader30InstructionSlots, MaxPixelShader30InstructionSlots).
    slots_30: u32 = "slots-30" 512..=32768, default 32768, "the number of slots"
    /// Floating-point constants of vertex shaders (MaxVertexShaderConst); software models have 8192.
    vertex_constants: u16 = "vertex-constants" 96..=8192, default 256, "the number of registers"
}

/// Who is asked, and what the device can do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct Options {
    /// Who is asked.
    pub profile: Profile,
    /// What a device can do that the tokens do not tell.
    pub switches: Switches,
}

/// What the model of a program can do on the device that is asked about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Caps {
    /// Temporaries.
    pub temporaries: u16,
    /// Floating-point constants.
    pub constants: u16,
    /// Instruction slots, all together; `None` is no limit.
    pub slots: Option<u32>,
    /// Slots of texture instructions, where they are counted apart (in ps_1_4 by phase).
    pub texture_slots: Option<u32>,
    /// Slots of arithmetic instructions, where they are counted apart (in ps_1_4 by phase).
    pub arithmetic_slots: Option<u32>,
    /// Whether some texture instructions cost more, as in 3.0.
    pub dear_textures: bool,
    /// Levels of conditionals on comparisons and predicates.
    pub dynamic_depth: u32,
    /// Levels of conditionals on boolean constants.
    pub static_depth: u32,
    /// Levels of loops.
    pub loop_depth: u32,
    /// Levels of calls.
    pub call_depth: u32,
    /// Instructions of static flow control; `None` is no limit.
    pub static_flow: Option<u32>,
    /// Labels.
    pub labels: u16,
    /// Whether instructions can be predicated.
    pub predication: bool,
    /// Whether any swizzle is allowed.
    pub arbitrary_swizzle: bool,
    /// Whether dsx, dsy and texldd are there.
    pub gradients: bool,
    /// Whether a chain of dependent texture reads has four links at most.
    pub dependent_reads_limited: bool,
    /// Whether it is a software model.
    pub software: bool,
}

impl Options {
    /// What a model can do on this device.
    pub fn caps(&self, version: Version) -> Caps {
        let s = &self.switches;
        let pixel = version.stage() == Stage::Pixel;
        let software = version.minor() == 0xff;
        let mut caps = Caps {
            temporaries: 32,
            constants: if software { 8192 } else { s.vertex_constants },
            slots: None,
            texture_slots: None,
            arithmetic_slots: None,
            dear_textures: version.major() >= 3,
            dynamic_depth: 24,
            static_depth: 24,
            loop_depth: 4,
            call_depth: 4,
            static_flow: None,
            labels: 2048,
            predication: true,
            arbitrary_swizzle: true,
            gradients: true,
            dependent_reads_limited: false,
            software,
        };
        if software {
            return caps;
        }
        if pixel {
            caps.constants = [8, 8, 32, 224].get(usize::from(version.major())).copied().unwrap_or(224);
        }
        match version.number() {
            0x0300.. => caps.slots = Some(s.slots_30),
            0x0201.. => self.caps_2x(&mut caps, pixel),
            0x0200 => {
                let flow = u32::from(!pixel);
                caps = Caps {
                    temporaries: 12,
                    slots: Some(if pixel { 96 } else { 256 }),
                    texture_slots: pixel.then_some(32),
                    arithmetic_slots: pixel.then_some(64),
                    loop_depth: flow,
                    call_depth: flow,
                    static_depth: if pixel { 0 } else { u32::MAX },
                    static_flow: (!pixel).then_some(16),
                    labels: if pixel { 0 } else { 16 },
                    dependent_reads_limited: pixel,
                    ..caps.without_extras()
                };
            }
            number => {
                caps = Caps {
                    temporaries: if !pixel {
                        12
                    } else if number >= 0x0104 {
                        6
                    } else {
                        2
                    },
                    slots: (!pixel).then_some(128),
                    texture_slots: pixel.then_some(if number >= 0x0104 { 6 } else { 4 }),
                    arithmetic_slots: pixel.then_some(8),
                    static_depth: 0,
                    loop_depth: 0,
                    call_depth: 0,
                    labels: 0,
                    ..caps.without_extras()
                };
            }
        }
        caps
    }

    fn caps_2x(&self, caps: &mut Caps, pixel: bool) {
        let s = &self.switches;
        caps.labels = 16;
        caps.slots = Some(if pixel { u32::from(s.slots_2x) } else { 256 });
        caps.static_flow = (!pixel).then_some(16);
        let flow = u32::from(s.static_depth);
        caps.dynamic_depth = u32::from(s.dynamic_depth);
        (caps.loop_depth, caps.call_depth) = (flow, flow);
        caps.temporaries = s.temporaries;
        caps.predication = s.predication == Predication::Yes;
        caps.arbitrary_swizzle = s.arbitrary_swizzle == ArbitrarySwizzle::Yes;
        caps.gradients = s.gradient_instructions == GradientInstructions::Yes;
        caps.dependent_reads_limited = s.dependent_reads == DependentReads::Limited;
        let mut unlimited = s.texture_instructions == TextureInstructions::Unlimited;
        match s.model_2x {
            Model2x::X => {}
            // There is no vs_2_b.
            Model2x::B if !pixel => {}
            Model2x::A => {
                caps.temporaries = if pixel { 22 } else { 13 };
                caps.dynamic_depth = if pixel { 0 } else { 24 };
                (caps.predication, caps.arbitrary_swizzle, caps.gradients) = (true, true, true);
                caps.dependent_reads_limited = false;
                unlimited = true;
            }
            Model2x::B => {
                *caps = Caps { temporaries: 32, ..caps.without_extras() };
                caps.dependent_reads_limited = true;
                unlimited = true;
            }
        }
        if !pixel {
            caps.static_depth = u32::MAX;
            (caps.loop_depth, caps.call_depth) = (caps.loop_depth.max(1), caps.call_depth.max(1));
            return;
        }
        caps.static_depth = if flow == 0 { 0 } else { 24 };
        caps.dear_textures = unlimited;
        caps.texture_slots = (!unlimited).then_some(32);
    }
}

impl Caps {
    /// Without dynamic flow control, predication, swizzles and derivatives.
    const fn without_extras(self) -> Self {
        Self { dynamic_depth: 0, predication: false, arbitrary_swizzle: false, gradients: false, ..self }
    }
}
