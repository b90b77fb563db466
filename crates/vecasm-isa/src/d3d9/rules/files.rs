//! Register files: which models have them, how many registers, how many of them one instruction may read.
//!
//! Source: the register pages of Microsoft's shader reference (vs-registers-*, ps-registers-*), software-shaders.

use super::options::Caps;
use crate::d3d9::program::{Stage, Version};
use crate::d3d9::registers::RegType;

/// Number of registers.
#[derive(Clone, Copy, Debug)]
enum Count {
    /// That many.
    Fixed(u16),
    /// As many temporaries as the device has.
    Temporaries,
    /// As many constants as the device has.
    Constants,
    /// As many labels as the model has.
    Labels,
    /// 16, in software models 2048.
    Switches,
}

/// A register file of some models.
#[derive(Clone, Copy, Debug)]
struct File {
    ty: RegType,
    stage: Stage,
    since: u16,
    until: u16,
    count: Count,
}

const fn v(ty: RegType, since: u16, until: u16, count: Count) -> File {
    File { ty, stage: Stage::Vertex, since, until, count }
}

const fn p(ty: RegType, since: u16, until: u16, count: Count) -> File {
    File { ty, stage: Stage::Pixel, since, until, count }
}

use Count::Fixed;

const FILES: &[File] = &[
    v(RegType::Temp, 0x0100, 0x03ff, Count::Temporaries),
    v(RegType::Input, 0x0100, 0x03ff, Fixed(16)),
    v(RegType::Const, 0x0100, 0x03ff, Count::Constants),
    v(RegType::AddrOrTexture, 0x0101, 0x03ff, Fixed(1)),
    v(RegType::RastOut, 0x0100, 0x02ff, Fixed(3)),
    v(RegType::AttrOut, 0x0100, 0x02ff, Fixed(2)),
    v(RegType::Output, 0x0100, 0x02ff, Fixed(8)),
    v(RegType::Output, 0x0300, 0x0300, Fixed(12)),
    v(RegType::Output, 0x03ff, 0x03ff, Fixed(16)),
    v(RegType::ConstInt, 0x0200, 0x03ff, Count::Switches),
    v(RegType::ConstBool, 0x0200, 0x03ff, Count::Switches),
    v(RegType::Sampler, 0x0300, 0x03ff, Fixed(4)),
    v(RegType::Loop, 0x0200, 0x03ff, Fixed(1)),
    v(RegType::Label, 0x0200, 0x03ff, Count::Labels),
    v(RegType::Predicate, 0x0201, 0x03ff, Fixed(1)),
    p(RegType::Temp, 0x0100, 0x03ff, Count::Temporaries),
    p(RegType::Input, 0x0100, 0x02ff, Fixed(2)),
    p(RegType::Input, 0x0300, 0x0300, Fixed(10)),
    // One page says 10, another 14.
    p(RegType::Input, 0x03ff, 0x03ff, Fixed(14)),
    p(RegType::Const, 0x0100, 0x03ff, Count::Constants),
    p(RegType::AddrOrTexture, 0x0100, 0x0103, Fixed(4)),
    p(RegType::AddrOrTexture, 0x0104, 0x0104, Fixed(6)),
    p(RegType::AddrOrTexture, 0x0200, 0x02ff, Fixed(8)),
    p(RegType::ConstInt, 0x0201, 0x03ff, Count::Switches),
    p(RegType::ConstBool, 0x0201, 0x03ff, Count::Switches),
    p(RegType::ColorOut, 0x0200, 0x03ff, Fixed(4)),
    p(RegType::DepthOut, 0x0200, 0x03ff, Fixed(1)),
    p(RegType::Sampler, 0x0200, 0x03ff, Fixed(16)),
    p(RegType::Loop, 0x0300, 0x03ff, Fixed(1)),
    p(RegType::Misc, 0x0300, 0x03ff, Fixed(2)),
    p(RegType::Label, 0x0201, 0x03ff, Count::Labels),
    p(RegType::Predicate, 0x0201, 0x03ff, Fixed(1)),
];

/// Number of registers of a file in a model; `None` if the model has no such file.
pub(super) fn count(ty: RegType, version: Version, caps: &Caps) -> Option<u16> {
    let number = version.number();
    let fits = |file: &&File| file.ty == ty && file.stage == version.stage();
    let file = FILES.iter().filter(fits).find(|file| (file.since..=file.until).contains(&number))?;
    Some(match file.count {
        Fixed(n) => n,
        Count::Temporaries => caps.temporaries,
        Count::Constants => caps.constants,
        Count::Labels => caps.labels,
        Count::Switches if caps.software => 2048,
        Count::Switches => 16,
    })
}

/// How many different registers one instruction may read of each file.
#[derive(Clone, Copy, Debug)]
struct Ports {
    stage: Stage,
    since: u16,
    until: u16,
    temporaries: u8,
    inputs: u8,
    constants: u8,
    textures: u8,
}

const PORTS: &[Ports] =
    &[ports(Stage::Vertex, 0x0100, 0x03ff, [3, 1, 1, 1]), ports(Stage::Pixel, 0x0200, 0x03ff, [3, 1, 1, 1])];

const fn ports(stage: Stage, since: u16, until: u16, n: [u8; 4]) -> Ports {
    Ports { stage, since, until, temporaries: n[0], inputs: n[1], constants: n[2], textures: n[3] }
}

/// How many different registers of a file one instruction of a model may read; `None` is no limit. Software models have none;
/// ps_1_x counts by the pair, in its own pass.
pub(super) fn ports_of(ty: RegType, version: Version, caps: &Caps) -> Option<usize> {
    if caps.software {
        return None;
    }
    let number = version.number();
    let fits = |row: &&Ports| row.stage == version.stage() && (row.since..=row.until).contains(&number);
    let row = PORTS.iter().find(fits)?;
    Some(usize::from(match ty {
        RegType::Temp => row.temporaries,
        RegType::Input => row.inputs,
        RegType::Const => row.constants,
        RegType::AddrOrTexture => row.textures,
        _ => return None,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::d3d9::rules::Options;

    #[test]
    fn files_follow_the_model() {
        let of = |ty, word| {
            let version = Version(word);
            count(ty, version, &Options::default().caps(version))
        };
        assert_eq!(of(RegType::Temp, 0xffff_0101), Some(2));
        assert_eq!(of(RegType::Temp, 0xfffe_0300), Some(32));
        assert_eq!(of(RegType::Input, 0xffff_0300), Some(10));
        assert_eq!(of(RegType::Const, 0xffff_0300), Some(224));
        assert_eq!(of(RegType::Const, 0xfffe_03ff), Some(8192));
        assert_eq!(of(RegType::ConstInt, 0xffff_0200), None);
        assert_eq!(of(RegType::AddrOrTexture, 0xffff_0300), None);
        assert_eq!(of(RegType::Label, 0xfffe_0200), Some(16));
    }
}
