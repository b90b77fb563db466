//! Programs in methods that are written to the unit.

use vecasm_isa::nv2a::Slot;
use vecasm_isa::nv2a::methods::{
    METHODS, Method, Summary, Write, each_program, each_program_and_gap, writes,
};

fn push(method: u32, data: &[u32]) -> Vec<u8> {
    let header = (data.len() as u32) << 18 | method;
    core::iter::once(header).chain(data.iter().copied()).flat_map(u32::to_le_bytes).collect()
}

const A: [u32; 4] = [0, 0x0020_001b, 0x0836_106c, 0x2070_f800];
const B: [u32; 4] = [0, 0x0020_061b, 0x0836_106c, 0x2070_f819];

#[test]
fn programs_are_found_where_they_run() {
    let mut file = push(0x1e94, &[6]);
    file.extend(push(0x1e9c, &[10]));
    file.extend(push(0x0b00, &[A, B].concat()));
    file.extend(push(0x1ea4, &[190]));
    file.extend(push(0x0b80, &[1, 2, 3, 4, 5, 6, 7, 8]));
    // Beyond the memory.
    file.extend(push(0x0b80, &[9, 9, 9, 9]));
    file.extend(push(0x1ea0, &[10]));
    let first = file.len() + 4;
    file.extend(push(0x17fc, &[5]));
    file.extend(push(0x17fc, &[0]));
    // The same again is no other program; from its second slot it is.
    file.extend(push(0x17fc, &[5]));
    file.extend(push(0x1ea0, &[11]));
    let second = file.len() + 4;
    file.extend(push(0x17fc, &[5]));
    // Fixed functions run no program.
    file.extend(push(0x1e94, &[4]));
    file.extend(push(0x1ea0, &[10]));
    file.extend(push(0x17fc, &[5]));
    let mut runs = Vec::new();
    let summary = each_program(writes(&file), |run| {
        runs.push((run.number, run.place, run.slots.to_vec(), run.constants[191], run.places.to_vec()));
    });
    let (a, b) = (Slot(A), Slot(B));
    assert_eq!(
        runs,
        [
            (1, first, vec![a, b], Some([5, 6, 7, 8]), vec![20, 36]),
            (2, second, vec![b], Some([5, 6, 7, 8]), vec![36]),
        ]
    );
    assert_eq!(summary, Summary { programs: 2, combiners: false, beyond: 4 });
}

#[test]
fn a_launch_runs_a_state_program() {
    let mut file = push(0x0b00, &A);
    file.extend(push(0x1e80, &[0; 4]));
    file.extend(push(0x1e60, &[1]));
    file.extend(push(0x1e90, &[0]));
    let mut runs = Vec::new();
    let summary = each_program(writes(&file), |run| runs.push((run.state, run.slots.len(), run.start)));
    assert_eq!(runs, [(true, 1, 0)]);
    assert!(summary.combiners);
}

#[test]
fn gaps_are_found_where_words_do_not_follow_one_another() {
    let gaps = |methods: &[u32]| {
        let mut gaps = Vec::new();
        let writes = methods.iter().zip(0..).map(|(&method, place)| Write { place, method, data: 0 });
        each_program_and_gap(writes, |_| {}, |gap| gaps.push((gap.place, gap.expected, gap.found)));
        gaps
    };
    let slot = [0xb00, 0xb04, 0xb08, 0xb0c];
    // Slots one by one, in one go, and the second of two places again.
    assert_eq!(gaps(&[slot, slot, [0xb10, 0xb14, 0xb18, 0xb1c], slot].concat()), []);
    // A word, a slot, and the end of one; the load pointer in front of a whole slot.
    assert_eq!(gaps(&[0xb00, 0xb04, 0xb0c]), [(2, 2, Some(3))]);
    assert_eq!(gaps(&[&slot[..], &[0xb20, 0xb24, 0xb28, 0xb2c]].concat()), [(4, 4, Some(8))]);
    assert_eq!(gaps(&[&slot[..], &[0xb00, 0xb04, 0x17fc]].concat()), [(6, 2, None)]);
    assert_eq!(gaps(&[0xb00, 0xb04, 0x1e9c, 0xb00, 0xb04, 0xb08, 0xb0c]), [(2, 2, None)]);
    assert_eq!(gaps(&[0xb08, 0xb0c]), [(0, 0, Some(2))]);
    // A slot that is there may be changed in part, and constants begin where the load pointer says.
    assert_eq!(gaps(&[&slot[..], &[0x1e9c, 0xb08, 0xb0c]].concat()), []);
    assert_eq!(gaps(&[0xb80, 0xb84, 0x1ea4, 0xb88, 0xb8c]), []);
    assert_eq!(gaps(&[0xb80, 0xb84, 0xb8c]), [(2, 2, Some(3))]);
}

#[test]
fn the_memory_of_constants_stands_backwards() {
    let write = |method, data| Write { place: 0, method, data };
    let index = (0x17 << 16) | (5 * 16 + 8);
    let mut writes = vec![write(0x40_0750, index), write(0x40_0754, 7), write(0x40_0754, 8)];
    writes.extend(A.iter().enumerate().map(|(n, data)| write(0x0b00 + 4 * n as u32, *data)));
    writes.push(write(0x17fc, 5));
    let mut seen = None;
    each_program(writes, |run| seen = run.constants[5]);
    // At 8 stands y, behind it x.
    assert_eq!(seen, Some([8, 7, 0, 0]));
}

#[test]
fn the_rows_do_not_overlap() {
    for (n, a) in METHODS.iter().enumerate() {
        for m in (0..a.count).map(|k| a.first + 4 * k) {
            assert!(METHODS[..n].iter().all(|b| m < b.first || m >= b.first + 4 * b.count), "{}", a.name);
            assert_eq!(Method::from_number(m).map(|x| x.name), Some(a.name));
        }
        assert_eq!(Method::from_name(a.name).map(|x| x.first), Some(a.first));
    }
}
