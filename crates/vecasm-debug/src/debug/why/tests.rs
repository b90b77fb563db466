//! The copy with marks, and what the flow through it holds.

use super::flow::{Flow, Site, each_group};
use super::probe::{Point, Probed};
use vecasm_exec::Engine;
use vecasm_exec::interp::Interp;
use vecasm_exec::runfile::RunFile;
use vecasm_ir::ir::Shader;
use vecasm_ir::ir::verify::verify;
use vecasm_isa::agal::lift::{Depth, Options, lift};
use vecasm_isa::agal::text::{ParseOptions, parse};

fn shader(text: &str) -> Shader {
    let (program, findings) = parse(text, &ParseOptions::default());
    assert_eq!(findings, []);
    let full = Options { depth: Depth::Full, ..Options::default() };
    lift(&program.expect("the text is sound"), &full).expect("the program has a meaning")
}

const BRANCHES: &str = ".agal fragment 2\n\
    ddx ft3, v0\n\
    mov ft0, v0\n\
    ifl v0.x, fc0.x\n\
    mul ft0.x, ft0.x, fc0.y\n\
    els\n\
    rcp ft0.x, ft0.y\n\
    eif\n\
    kil v0.w\n\
    add ft0.z, ft0.x, ft3.x\n\
    mov oc, ft0\n";

/// The copy with marks is sound and gives the same results.
#[test]
fn a_probed_shader_does_the_same() {
    for seed in 0..8 {
        let shader = shader(BRANCHES);
        let on = RunFile::random(&shader, 16, seed);
        let probed = Probed::new(&shader);
        assert_eq!(verify(&probed.shader), []);
        let wanted = Interp.run(&shader, &on.batch()).expect("it runs");
        let mut groups = 0;
        let got = each_group(&probed, &on.batch(), &|_| true, &mut |_| groups += 1).expect("it runs");
        assert_eq!(got, wanted);
        assert_eq!(groups, 4);
    }
}

/// Every value that the flow holds of an operation is what the operation gives for the values it was made of.
#[test]
fn what_a_lane_was_made_of_makes_it() {
    let shader = shader(BRANCHES);
    let on = RunFile::random(&shader, 64, 5);
    let probed = Probed::new(&shader);
    let mut checked = 0;
    let mut check = |flow: &Flow<'_>| {
        for event in 0..flow.events.len() as u32 {
            let Some(probe) = flow.probe(event) else { continue };
            for invocation in 0..flow.here as u32 {
                if !flow.is_present(event, invocation) {
                    continue;
                }
                for (slot, arg) in flow.args(probe).iter().enumerate() {
                    for lane in 0..arg.lanes {
                        let site = Site { event, slot: slot as u32, invocation, lane };
                        let from = flow.made_of(site);
                        match (&probe.point, flow.inst(event).map(|inst| (inst.op, inst.arith))) {
                            (_, Some((vecasm_ir::ir::Op::Pure(pure), arith))) if !pure.reduces() => {
                                if pure == vecasm_ir::ir::Pure::Select {
                                    assert_eq!(flow.bits(from[1].0), flow.bits(site));
                                } else {
                                    let mut args = [0u32; 4];
                                    for (to, (from, _)) in args.iter_mut().zip(&from) {
                                        *to = flow.bits(*from);
                                    }
                                    let of = flow.scalar(from[0].0);
                                    assert_eq!(pure.eval(of, arith, args), flow.bits(site), "{pure:?}");
                                }
                                checked += 1;
                            }
                            (Point::Join | Point::Edge(_) | Point::Step(_), None) => {
                                assert_eq!(from.len(), 1);
                                assert_eq!(flow.bits(from[0].0), flow.bits(site), "{probe:?}");
                                checked += 1;
                            }
                            _ => {}
                        }
                    }
                }
            }
        }
    };
    each_group(&probed, &on.batch(), &|_| true, &mut check).expect("it runs");
    assert!(checked > 1000, "{checked}");
}
