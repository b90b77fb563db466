//! Texts aligned, with the names that stand for others.

use vecasm_debug::compare::diff::{Change, Rename, align, diff, renaming};

fn shown(a: &str, b: &str, rename: Rename<'_>) -> String {
    let (a, b): (Vec<&str>, Vec<&str>) = (a.lines().collect(), b.lines().collect());
    let diff = diff(&a, &b, rename);
    let mut out = String::new();
    for row in &diff.rows {
        let text = |side: usize| row.places[side].map_or("", |n| if side == 0 { a[n] } else { b[n] });
        let cut = |side: usize| {
            let each = row.marks[side].iter().map(|r| &text(side)[r.clone()]);
            each.collect::<Vec<_>>().join("|")
        };
        out.push_str(&match row.change {
            Change::Same => format!("= {}\n", text(0)),
            Change::Renamed => format!("~ {} {}\n", text(0), text(1)),
            Change::Changed => format!("! {} {} [{}] [{}]\n", text(0), text(1), cut(0), cut(1)),
            Change::Removed => format!("- {}\n", text(0)),
            Change::Added => format!("+ {}\n", text(1)),
        });
    }
    out + &renaming(&diff)
}

const TEMPORARIES: Rename<'_> = Rename::Files(&["r"]);

#[test]
fn one_name_stands_for_one_name() {
    let a = "mov r0, v0\nmul r1.xy, r0, c1\nadd r0, r0, r1\nmov oPos, r0";
    let b = "mov r3, v0\nmul r0.xy, r3, c1\nadd r3, r3, r0\nmov oPos, r3";
    assert_eq!(
        shown(a, b, TEMPORARIES),
        "~ mov r0, v0 mov r3, v0\n~ mul r1.xy, r0, c1 mul r0.xy, r3, c1\n~ add r0, r0, r1 add r3, r3, r0\n\
         ~ mov oPos, r0 mov oPos, r3\nr0→r3, r1→r0"
    );
    let c = "mov r3, v0\nmul r0.xy, r3, c2\nadd r3, r3, r3\nmov oPos, r3";
    assert_eq!(
        shown(a, c, TEMPORARIES),
        "~ mov r0, v0 mov r3, v0\n! mul r1.xy, r0, c1 mul r0.xy, r3, c2 [1] [2]\n\
         ! add r0, r0, r1 add r3, r3, r3 [1] [3]\n~ mov oPos, r0 mov oPos, r3\nr0→r3"
            .replace(
                "! mul r1.xy, r0, c1 mul r0.xy, r3, c2 [1] [2]",
                "! mul r1.xy, r0, c1 mul r0.xy, r3, c2 [1|1] [0|2]"
            )
    );
    let plain = shown(a, b, Rename::Nothing);
    assert!(plain.starts_with("! mov r0, v0 mov r3, v0 [0] [3]\n"), "{plain}");
}

#[test]
fn what_is_put_in_does_not_disturb_what_follows() {
    let a = "mov r0, v0\ndp3 r0.x, r0, r0\nrsq r0.x, r0.x\nmov oD0, r0.xxxx";
    let b = "mov r0, v0\nmov r1, v1\ndp3 r0.x, r0, r0\nrsq r0.x, r0.y\nmov oD0, -r0.xxxx";
    assert_eq!(
        shown(a, b, TEMPORARIES),
        "= mov r0, v0\n+ mov r1, v1\n= dp3 r0.x, r0, r0\n! rsq r0.x, r0.x rsq r0.x, r0.y [x] [y]\n\
         ! mov oD0, r0.xxxx mov oD0, -r0.xxxx [] [-]\n"
    );
}

#[test]
fn all_names_can_be_renamed() {
    let (a, b) = ("mul r0, c1, v2\nadd r0, r0, c2", "mul r0, c4, v7\nadd r0, r0, c5");
    assert_eq!(
        shown(a, b, Rename::All),
        "~ mul r0, c1, v2 mul r0, c4, v7\n~ add r0, r0, c2 add r0, r0, c5\nc1→c4, v2→v7, c2→c5"
    );
    // Two for one is no renaming.
    let (a, b) = ("mul r0, c1, c2", "mul r0, c4, c4");
    assert!(!diff(&[a], &[b], Rename::All).is_same());
}

#[test]
fn alignments_hold_everything_once_and_in_order() {
    let (a, b) = ([1, 2, 3, 4, 5, 9], [1, 7, 3, 5, 6, 9]);
    let pairs = align(a.len(), b.len(), |x, y| a[x] == b[y]);
    let left: Vec<usize> = pairs.iter().filter_map(|p| p.0).collect();
    let right: Vec<usize> = pairs.iter().filter_map(|p| p.1).collect();
    assert_eq!((left, right), ((0..6).collect(), (0..6).collect()));
    let same = pairs.iter().filter(|p| matches!(p, (Some(x), Some(y)) if a[*x] == b[*y])).count();
    assert_eq!(same, 4);
}
