//! Why runs go wrong, on programs whose culprit is known.

use vecasm_debug::debug::why::{Cause, OutputLane, Query, output_named, why};
use vecasm_exec::interp::Interp;
use vecasm_exec::runfile::RunFile;
use vecasm_exec::{Batch, Engine};
use vecasm_ir::ir::Shader;
use vecasm_isa::agal::lift::{Depth, Options, lift};
use vecasm_isa::agal::text::{ParseOptions, parse};

fn shader(text: &str) -> Shader {
    let (program, findings) = parse(text, &ParseOptions::default());
    assert_eq!(findings, []);
    let full = Options { depth: Depth::Full, ..Options::default() };
    lift(&program.expect("the text is sound"), &full).expect("the program has a meaning")
}

fn floats(v: [f32; 4]) -> [u32; 4] {
    v.map(f32::to_bits)
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

fn causes(text: &str, inputs: Vec<[u32; 4]>, params: Vec<[u32; 4]>) -> Vec<(Cause, u32)> {
    let shader = shader(text);
    let batch = Batch { count: inputs.len(), inputs: vec![inputs], params: vec![params], ..Batch::default() };
    let report = why(&shader, &batch, &Query::default()).expect("it runs");
    report.findings.iter().map(|f| (f.cause, f.at.map_or(0, |at| at.source))).collect()
}

/// 0 · Inf in lane x alone: the lanes beside it have nothing to do with it.
#[test]
fn a_birth_is_of_its_lane() {
    let text = ".agal fragment 1\nrcp ft0, v0\nmul ft1, ft0, fc0\nmov ft1.x, fc0.y\nmov oc, ft1\n";
    let found = causes(text, vec![floats([0.0, 0.5, 0.5, 1.0])], vec![floats([0.0, 0.5, 0.5, 1.0])]);
    // x is overwritten in step 2, so neither reaches the output.
    assert_eq!(found, [(Cause::Infinity, 0), (Cause::Nan, 1)]);
}

#[test]
fn a_slice_takes_the_way_of_the_run() {
    let shader = shader(BRANCHES);
    let (output, lanes) = output_named(&shader, "oc.x").expect("it is there");
    let wanted = [OutputLane { output, lane: lanes[0], expected: None, tolerance: 0.0 }];
    for (x, made) in [(0.5, vec![1, 3, 9]), (2.0, vec![1, 5, 9])] {
        let inputs = vec![vec![floats([x, 4.0, 0.0, 1.0]); 4]];
        let params = vec![vec![floats([1.0, 3.0, 0.0, 0.0])]];
        let batch = Batch { count: 4, inputs, params, ..Batch::default() };
        let ask = Query { wanted: &wanted, ..Query::default() };
        let report = why(&shader, &batch, &ask).expect("it runs");
        let steps: Vec<u32> =
            report.slices[0].steps.iter().filter(|s| !s.control).map(|s| s.source).collect();
        assert_eq!(steps, made);
        let control: Vec<u32> =
            report.slices[0].steps.iter().filter(|s| s.control).map(|s| s.source).collect();
        assert_eq!(control, [2]);
        let names: Vec<String> = report.slices[0].steps.iter().map(|s| s.writes.len().to_string()).collect();
        assert_eq!(names.len(), 4);
    }
}

#[test]
fn outputs_have_names_and_lanes() {
    let shader = shader(".agal fragment 1\nmov oc, v0\n");
    let lanes = |text| output_named(&shader, text).map(|(_, lanes)| lanes);
    assert_eq!(lanes("oc"), Some(vec![0, 1, 2, 3]));
    assert_eq!(lanes("oc.wx"), Some(vec![3, 0]));
    assert_eq!(lanes("oc.bg"), Some(vec![2, 1]));
    assert_eq!(lanes("oc."), None);
    assert_eq!(lanes("oc.q"), None);
    assert_eq!(lanes("op"), None);
}

/// Whatever is run, explaining ends and does not change the results.
#[test]
fn made_up_runs_are_explained() {
    let text = ".agal fragment 1\npow ft0, v0, fc0\nrsq ft1, ft0\nmul ft0, ft1, v0.w\nnrm ft2.xyz, ft0\nkil ft0.y\nmov ft2.w, fc0.w\nmov oc, ft2\n";
    let shader = shader(text);
    for seed in 0..16 {
        let on = RunFile::random(&shader, 32, seed);
        let report = why(&shader, &on.batch(), &Query::default()).expect("it runs");
        assert_eq!(report.outputs, Interp.run(&shader, &on.batch()).expect("it runs"));
        assert!(report.findings.iter().all(|f| f.count <= 32 && !f.message.is_empty()));
    }
}
