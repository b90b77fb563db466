//! What invocations of a group see of one another: workgroups, subgroups, memory.

use super::*;
use crate::DivergentBarrier;
use alloc::boxed::Box;
use vecasm_ir::ir::{Atomic, Buffer, BufferId, BufferKind, If, Memory, Pick, Vote};

const FIXED: Pick = Pick::Fixed;

impl Making {
    fn buffer(&mut self) -> Memory {
        let slot = self.shader.buffers.len() as u32;
        let name = alloc::format!("b{slot}");
        self.shader.buffers.push(Buffer { name, slot, kind: BufferKind::Storage, write: true });
        Memory::Buffer(BufferId(slot))
    }

    fn store_words(&mut self, memory: Memory, offset: Arg, value: Arg) {
        let mask = WriteMask::first(value.lanes);
        self.effect(Op::StoreMemory { memory, mask, pick: FIXED }, &[offset, value]);
    }

    fn binary(&mut self, op: Pure, a: Arg, b: Arg) -> Arg {
        self.pure(op, &[a, b])
    }

    /// `if cond { then }`
    fn when(&mut self, cond: Arg, then: impl FnOnce(&mut Self)) {
        self.open();
        then(self);
        let then = self.close(&[]);
        self.node(Node::If(Box::new(If { cond, then, otherwise: Region::default(), results: Vec::new() })));
    }
}

fn words(bytes: &[u8]) -> Vec<u32> {
    bytes.chunks(4).map(|w| u32::from_le_bytes(w.try_into().unwrap())).collect()
}

fn bytes(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|w| w.to_le_bytes()).collect()
}

/// A compute shader of a size, without outputs.
fn compute(workgroup: [u32; 3], fill: impl FnOnce(&mut Making)) -> Shader {
    build(Stage::Compute, |b| {
        b.shader.setup.workgroup = workgroup;
        fill(b);
    })
}

#[test]
fn places_in_workgroup_and_grid() {
    // Each invocation writes its place to the element of its number.
    let shader = compute([2, 0, 2], |b| {
        let all = b.buffer();
        let [local, group, size, grid] =
            [System::LocalIndex, System::GroupIndex, System::GroupSize, System::GridSize]
                .map(|s| b.system(s));
        let (axes, of, number) =
            (b.system(System::GridAxes), b.system(System::SubgroupSize), b.system(System::SubgroupIndex));
        // number = local.x + 2 (local.y + 3 local.z) + 12 (group.x + 2 group.y)
        let sum = |b: &mut Making, x: Arg, y: Arg, by: u32| {
            let by = b.uint(by);
            let y = b.binary(Pure::Mul, y, by);
            b.binary(Pure::Add, x, y)
        };
        let rows = sum(b, lane(local, 1), lane(local, 2), 3);
        let inside = sum(b, lane(local, 0), rows, 2);
        let groups = sum(b, lane(group, 0), lane(group, 1), 2);
        let place = sum(b, inside, groups, 12);
        let zero = b.uint(0);
        let offset = sum(b, zero, place, 16);
        let value = b.op(Op::Compose, &[lane(size, 1), lane(grid, 0), axes, of]);
        let mixed = sum(b, lane(value, 0), lane(value, 1), 10);
        let mixed = sum(b, mixed, lane(value, 2), 100);
        let mixed = sum(b, mixed, lane(value, 3), 1000);
        let out = b.op(Op::Compose, &[place, mixed, number]);
        b.store_words(all, offset, out);
    });
    let batch = Batch {
        count: 48,
        grid: [2, 2, 1],
        workgroup: [9, 3, 9],
        subgroup: 8,
        buffers: vec![vec![0; 48 * 16]],
        ..Batch::default()
    };
    let written = words(&go(&shader, &batch).buffers[0]);
    for (i, element) in written.chunks(4).enumerate() {
        // Size 3 along y, 2 groups along x, 2 axes, subgroups of 8: the last one of a workgroup of 12 has 4.
        assert_eq!(element, [i as u32, 3 + 20 + 200 + 8000, (i % 12 % 8) as u32, 0], "{i}");
    }
}

#[test]
fn a_grid_has_as_many_invocations_as_it_says() {
    let shader = compute([4, 1, 1], |b| {
        b.buffer();
    });
    let run = |count, grid| every(&shader, &Batch { count, grid, ..Batch::default() });
    assert!(run(8, [2, 1, 1]).is_ok() && run(8, [0; 3]).is_ok() && run(0, [0, 0, 0]).is_ok());
    for (count, grid) in [(8, [1, 1, 1]), (7, [0; 3]), (8, [2, 0, 1]), (8, [u32::MAX; 3])] {
        assert!(matches!(run(count, grid), Err(RunError::Binding(_))), "{count} {grid:?}");
    }
}

#[test]
fn shared_memory_is_seen_by_the_whole_workgroup_and_starts_at_zero() {
    // Each writes the square of its number, then reads its opposite's, plus what stands behind, which nobody writes.
    let shader = compute([80, 1, 1], |b| {
        b.shader.setup.shared = 81 * 4;
        let out = b.buffer();
        let (local, group) = (b.system(System::LocalIndex), b.system(System::GroupIndex));
        let (four, last, size) = (b.uint(4), b.uint(79), b.uint(80));
        let n = lane(local, 0);
        let whole = b.binary(Pure::Mul, lane(group, 0), size);
        let whole = b.binary(Pure::Add, whole, n);
        let square = b.binary(Pure::Mul, whole, whole);
        let at = b.binary(Pure::Mul, n, four);
        b.store_words(Memory::Shared, at, square);
        b.effect(Op::Barrier, &[]);
        let opposite = b.binary(Pure::Sub, last, n);
        let opposite = b.binary(Pure::Mul, opposite, four);
        let load = Op::LoadMemory { memory: Memory::Shared, lanes: 1, pick: FIXED };
        let seen = b.op(load, &[opposite]);
        let behind = b.uint(320);
        let nothing = b.op(load, &[behind]);
        let size = b.op(Op::MemorySize { memory: Memory::Shared, pick: FIXED }, &[]);
        let to = b.uint(12);
        let to = b.binary(Pure::Mul, whole, to);
        let value = b.op(Op::Compose, &[seen, nothing, size]);
        b.store_words(out, to, value);
        // The next workgroup must not see this.
        b.store_words(Memory::Shared, behind, square);
    });
    let batch = Batch { count: 160, grid: [2, 1, 1], buffers: vec![vec![1; 160 * 12]], ..Batch::default() };
    let outputs = go(&shader, &batch);
    for (i, element) in words(&outputs.buffers[0]).chunks(3).enumerate() {
        let opposite = (i / 80 * 80 + 79 - i % 80) as u32;
        assert_eq!(element, [opposite * opposite, 0, 324], "{i}");
    }
    assert_eq!(outputs.barriers, []);
}

#[test]
fn words_outside_a_buffer() {
    // Offsets 0, 5, 8 and near the end of all numbers; loads of two words, stores of a word and the one behind the next.
    let shader = build(Stage::Vertex, |b| {
        let memory = b.buffer();
        let n = b.given(InputKind::Attribute { location: 0 }, Type::U32);
        let two = b.op(Op::LoadMemory { memory, lanes: 2, pick: FIXED }, &[n]);
        b.out(Scalar::U32, &[two]);
        let value = b.op(Op::Compose, &[n, n]);
        let mask = WriteMask::from_bits(0b101);
        b.effect(Op::StoreMemory { memory, mask, pick: FIXED }, &[n, value]);
    });
    let inputs = vec![[0, 5, 8, 12, u32::MAX].map(|n| [n, 0, 0, 0]).to_vec()];
    let mut held = bytes(&[10, 20, 30]);
    // Half a word cannot be reached.
    held.extend([9, 9]);
    let outputs = go(&shader, &Batch { count: 5, inputs, buffers: vec![held], ..Batch::default() });
    // One after another: 0 to words 0 and 2; 5, that is 4, to word 1; 8 to word 2.
    assert_eq!(outputs.cells[0], [[10, 20, 0, 0], [20, 0, 0, 0], [0; 4], [0; 4], [0; 4]]);
    assert_eq!(outputs.buffers[0], [bytes(&[0, 5, 8]), vec![9, 9]].concat());
}

#[test]
fn atomics_take_their_turn() {
    // In a workgroup of 6 the even numbers add to word 0 and get what was there; the odd ones get 0. Word 1 keeps what
    // the last one of all left.
    let shader = compute([6, 1, 1], |b| {
        let out = b.buffer();
        let counter = b.buffer();
        let local = b.system(System::LocalIndex);
        let (n, one, two, four, zero) = (lane(local, 0), b.uint(1), b.uint(2), b.uint(4), b.uint(0));
        let odd = b.binary(Pure::And, n, one);
        let even = b.binary(Pure::Eq, odd, zero);
        let label = b.label();
        let result = b.value(Type::U32, None);
        b.open();
        b.open();
        let add = Op::AtomicMemory { memory: counter, atomic: Atomic::Add, pick: FIXED };
        let old = b.op(add, &[zero, n]);
        let then = b.close(&[old]);
        let results = vec![b.value(Type::U32, None)];
        let chosen = Arg::all_lanes(results[0], 1);
        b.open();
        let otherwise = b.close(&[zero]);
        b.node(Node::If(Box::new(If { cond: even, then, otherwise, results })));
        let body = b.close(&[chosen]);
        b.node(Node::Block(Box::new(vecasm_ir::ir::Block { label, body, results: vec![result] })));
        let at = b.binary(Pure::Mul, n, four);
        b.store_words(out, at, Arg::all_lanes(result, 1));
        let exchange = Op::AtomicMemory { memory: counter, atomic: Atomic::Exchange, pick: FIXED };
        let last = b.op(exchange, &[four, n]);
        let compare = Op::AtomicMemory { memory: counter, atomic: Atomic::CompareExchange, pick: FIXED };
        b.op(compare, &[four, two, last]);
        // Outside: nothing, and 0.
        let far = b.uint(400);
        b.op(add, &[far, one]);
    });
    let buffers = vec![vec![0; 24], bytes(&[100, 7])];
    let outputs = go(&shader, &Batch { count: 6, buffers, ..Batch::default() });
    assert_eq!(words(&outputs.buffers[0]), [100, 0, 100, 0, 102, 0]);
    // Exchanged 0 to 5 in order: 5 is left, which is not 2.
    assert_eq!(words(&outputs.buffers[1]), [106, 5]);
}

#[test]
fn helpers_have_no_turn() {
    // Each adds its number and sees what was there; the one with 7 is demoted before.
    let shader = build(Stage::Fragment, |b| {
        let memory = b.buffer();
        let n = b.given(InputKind::Varying { location: 0 }, Type::U32);
        let (zero, seven) = (b.uint(0), b.uint(7));
        let out = b.output(Scalar::U32);
        b.shader.outputs[0].init = [9; 4];
        let gone = b.binary(Pure::Eq, n, seven);
        b.effect(Op::Demote, &[gone]);
        let old = b.op(Op::AtomicMemory { memory, atomic: Atomic::Add, pick: FIXED }, &[zero, n]);
        b.store(out, &[old]);
        // What the helper got shows in its neighbour.
        let slope = b.pure(Pure::ToF32, &[old]);
        let slope = b.op(Op::Ddx(Slope::Fine), &[slope]);
        b.out(Scalar::F32, &[slope]);
        b.store_words(memory, seven, n);
    });
    let inputs = vec![[1, 7, 2, 4].map(|n| [n, 0, 0, 0]).to_vec()];
    let buffers = vec![bytes(&[100, 50])];
    let outputs = go(&shader, &Batch { count: 4, inputs, buffers, ..Batch::default() });
    let x: Vec<u32> = outputs.cells[0].iter().map(|c| c[0]).collect();
    assert_eq!(x, [100, 9, 101, 103]);
    let slopes: Vec<f32> = outputs.cells[1].iter().map(|c| f32::from_bits(c[0])).collect();
    assert_eq!(slopes, [-100.0, 0.0, 2.0, 2.0]);
    // Offset 7 is word 1; the last one that is no helper has 4.
    assert_eq!(words(&outputs.buffers[0]), [107, 4]);
}

#[test]
fn the_largest_number_wins_a_store() {
    let shader = compute([70, 1, 1], |b| {
        let out = b.buffer();
        let local = b.system(System::LocalIndex);
        let (zero, limit) = (b.uint(0), b.uint(66));
        let low = b.binary(Pure::Lt, lane(local, 0), limit);
        b.when(low, |b| b.store_words(out, zero, lane(local, 0)));
    });
    let outputs = go(&shader, &Batch { count: 70, buffers: vec![vec![0; 4]], ..Batch::default() });
    assert_eq!(words(&outputs.buffers[0]), [65]);
}

#[test]
fn buffers_are_picked_by_index_and_handle() {
    let shader = build(Stage::Vertex, |b| {
        let first = b.buffer();
        b.buffer();
        let n = b.given(InputKind::Attribute { location: 0 }, Type::U32);
        let zero = b.uint(0);
        let pick = Pick::Index { count: 2 };
        let indexed = b.op(Op::LoadMemory { memory: first, lanes: 1, pick }, &[zero, n]);
        let seven = b.uint(7);
        let handle = b.pure(Pure::Pack64, &[n, seven]);
        let pick = Pick::Handle;
        let handled = b.op(Op::LoadMemory { memory: first, lanes: 1, pick }, &[zero, handle]);
        let size = b.op(Op::MemorySize { memory: first, pick }, &[handle]);
        b.out(Scalar::U32, &[indexed, handled, size]);
    });
    let inputs = vec![[0, 1, 2, u32::MAX].map(|n| [n, 0, 0, 0]).to_vec()];
    let buffers = vec![bytes(&[10]), bytes(&[20]), bytes(&[30, 31])];
    // Handle 7·2^32 is the third buffer, 7·2^32 + 2 the first; another one stands for nothing that is there.
    let handles = vec![(7 << 32 | 2, 0), (7 << 32, 2), (7 << 32, 1), (7 << 32 | 1, 99)];
    let outputs = go(&shader, &Batch { count: 4, inputs, buffers, handles, ..Batch::default() });
    assert_eq!(outputs.cells[0], [[10, 30, 8, 0], [20, 0, 0, 0], [0, 10, 4, 0], [0; 4]]);
}

#[test]
fn barriers_that_not_all_come_to_are_reported() {
    // Number 3 returns before the first barrier, which is all right; only the numbers below 2 come to the second.
    let shader = compute([4, 1, 1], |b| {
        let local = b.system(System::LocalIndex);
        let (two, three) = (b.uint(2), b.uint(3));
        let last = b.binary(Pure::Eq, lane(local, 0), three);
        let low = b.binary(Pure::Lt, lane(local, 0), two);
        let label = b.label();
        b.open();
        b.when(last, |b| {
            let values = Args::default();
            b.node(Node::Leave { label, values });
        });
        b.step = 1;
        b.effect(Op::Barrier, &[]);
        b.step = 2;
        b.when(low, |b| b.effect(Op::Barrier, &[]));
        let body = b.close(&[]);
        b.node(Node::Block(Box::new(vecasm_ir::ir::Block { label, body, results: Vec::new() })));
    });
    let outputs = go(&shader, &Batch { count: 8, ..Batch::default() });
    let at = |first| DivergentBarrier { first, step: 2 };
    assert_eq!(outputs.barriers, [at(0), at(4)]);
    let many = go(&shader, &Batch { count: 4 * 100, ..Batch::default() });
    assert_eq!(many.barriers.len(), 64);
}

#[test]
fn subgroups_vote() {
    // Runs of 4 vertices; those whose number is below 8 are active.
    let shader = build(Stage::Vertex, |b| {
        let n = b.given(InputKind::Attribute { location: 0 }, Type::U32);
        let (one, eight, hundred) = (b.uint(1), b.uint(8), b.uint(100));
        let odd = b.binary(Pure::And, n, one);
        let odd = b.binary(Pure::Eq, odd, one);
        let active = b.binary(Pure::Lt, n, eight);
        let far = b.binary(Pure::Mul, n, hundred);
        let (bits, values) = (b.output(Scalar::U32), b.output(Scalar::U32));
        b.when(active, |b| {
            let votes = [Vote::Any, Vote::All].map(|vote| b.op(Op::Vote(vote), &[odd]));
            let votes = [votes[0], votes[1], b.op(Op::Vote(Vote::Equal), &[n])];
            let votes = votes.map(|vote| b.pure(Pure::ToU32, &[vote]));
            let ballot = b.op(Op::Ballot, &[odd]);
            b.store(bits, &[votes[0], votes[1], votes[2], lane(ballot, 0)]);
            let first = b.op(Op::ReadFirst, &[far]);
            let next = b.system(System::SubgroupIndex);
            let next = b.binary(Pure::Add, next, one);
            let next = b.op(Op::ReadInvocation, &[far, next]);
            b.store(values, &[first, next]);
        });
    });
    // The first run: odd and even, all active. The second: equal odd ones, the first not active. The third has two.
    let inputs = vec![[1, 2, 3, 4, 9, 5, 5, 5, 6, 2].map(|n| [n, 0, 0, 0]).to_vec()];
    let outputs = go(&shader, &Batch { count: 10, inputs, ..Batch::default() });
    assert_eq!(
        outputs.cells[0],
        [
            [1, 0, 0, 0b0101],
            [1, 0, 0, 0b0101],
            [1, 0, 0, 0b0101],
            [1, 0, 0, 0b0101],
            [0; 4],
            [1, 1, 1, 0b1110],
            [1, 1, 1, 0b1110],
            [1, 1, 1, 0b1110],
            [0; 4],
            [0; 4],
        ]
    );
    let values: Vec<[u32; 2]> = outputs.cells[1].iter().map(|c| [c[0], c[1]]).collect();
    assert_eq!(
        values,
        [
            [100, 200],
            [100, 300],
            [100, 400],
            [100, 0],
            [0, 0],
            [500, 500],
            [500, 500],
            [500, 0],
            [600, 200],
            [600, 0],
        ]
    );
}

#[test]
fn helpers_do_not_vote() {
    // The first invocation is demoted; the value that it has does not count, but can be read.
    let shader = build(Stage::Fragment, |b| {
        let n = b.given(InputKind::Varying { location: 0 }, Type::U32);
        let three = b.uint(3);
        let none = b.binary(Pure::Eq, n, three);
        b.effect(Op::Demote, &[none]);
        let helper = b.op(Op::IsHelper, &[]);
        let any = b.op(Op::Vote(Vote::Any), &[none]);
        let equal = b.op(Op::Vote(Vote::Equal), &[n]);
        let parts = [helper, any, equal].map(|vote| b.pure(Pure::ToU32, &[vote]));
        let ballot = b.op(Op::Ballot, &[helper]);
        b.out(Scalar::U32, &[parts[0], parts[1], parts[2], lane(ballot, 0)]);
        let first = b.op(Op::ReadFirst, &[n]);
        b.out(Scalar::U32, &[first]);
    });
    let inputs = vec![[3, 5, 5, 5].map(|n| [n, 0, 0, 0]).to_vec()];
    let outputs = go(&shader, &Batch { count: 4, inputs, ..Batch::default() });
    assert_eq!(outputs.cells[0], [[0; 4], [0, 0, 1, 0], [0, 0, 1, 0], [0, 0, 1, 0]]);
    assert_eq!(outputs.cells[1], [[0; 4], [3, 0, 0, 0], [3, 0, 0, 0], [3, 0, 0, 0]]);
    assert_eq!(outputs.killed, [true, false, false, false]);
}

#[test]
fn clocks_count_for_the_group() {
    let shader = compute([2, 1, 1], |b| {
        let out = b.buffer();
        let local = b.system(System::LocalIndex);
        b.op(Op::Clock, &[]);
        let time = b.op(Op::Clock, &[]);
        let eight = b.uint(8);
        let at = b.binary(Pure::Mul, lane(local, 0), eight);
        b.store_words(out, at, time);
    });
    let outputs = go(&shader, &Batch { count: 4, buffers: vec![vec![9; 16]], ..Batch::default() });
    assert_eq!(words(&outputs.buffers[0]), [1, 0, 1, 0]);
}

#[test]
fn derivatives_have_two_formulas() {
    let shader = build(Stage::Fragment, |b| {
        let n = b.given(InputKind::Varying { location: 0 }, Type::F32);
        let slopes =
            [Op::Ddx(Slope::Fine), Op::Ddy(Slope::Fine), Op::Ddx(Slope::Coarse), Op::Ddy(Slope::Coarse)]
                .map(|op| b.op(op, &[n]));
        b.out(Scalar::F32, &slopes);
    });
    // 1 4 on top, 9 16 below: fine ones differ by row and column, coarse ones are those of the bottom and the left.
    let inputs = vec![[1.0f32, 4.0, 9.0, 16.0].map(|x| [x.to_bits(), 0, 0, 0]).to_vec()];
    let outputs = go(&shader, &Batch { count: 4, inputs, ..Batch::default() });
    let cells: Vec<[f32; 4]> = outputs.cells[0].iter().map(|c| c.map(f32::from_bits)).collect();
    assert_eq!(
        cells,
        [[3.0, 8.0, 7.0, 8.0], [3.0, 12.0, 7.0, 8.0], [7.0, 8.0, 7.0, 8.0], [7.0, 12.0, 7.0, 8.0]]
    );
}

#[test]
fn fuel_ends_loops_of_a_workgroup_one_by_one() {
    // Invocation n goes round n times; 3 units are there.
    let shader = compute([6, 1, 1], |b| {
        let out = b.buffer();
        let local = b.system(System::LocalIndex);
        let (zero, one, four) = (b.uint(0), b.uint(1), b.uint(4));
        let label = b.label();
        let round = b.value(Type::U32, None);
        let init = b.list(&[zero]);
        b.open();
        let at = b.binary(Pure::Mul, lane(local, 0), four);
        b.store_words(out, at, Arg::all_lanes(round, 1));
        let done = b.binary(Pure::Ge, Arg::all_lanes(round, 1), lane(local, 0));
        b.when(done, |b| {
            let values = Args::default();
            b.node(Node::Leave { label, values });
        });
        let next = b.binary(Pure::Add, Arg::all_lanes(round, 1), one);
        let body = b.close(&[next]);
        let params = vec![round];
        b.node(Node::Loop(Box::new(Loop { label, params, init, body, results: Vec::new() })));
    });
    let batch = Batch { count: 6, buffers: vec![vec![9; 24]], fuel: Some(3), ..Batch::default() };
    let outputs = go(&shader, &batch);
    assert_eq!(words(&outputs.buffers[0]), [0, 1, 2, 3, 3, 3]);
    assert_eq!(outputs.exhausted, [false, false, false, false, true, true]);
}

#[test]
fn what_takes_too_much_is_refused() {
    use vecasm_ir::ir::LocalArray;
    let shader = compute([1024, 1, 1], |b| {
        let size = LocalArray::MAX_SIZE;
        let local = |name: &str| LocalArray { name: name.into(), scalar: Scalar::F32, size };
        b.shader.locals = vec![local("t"), local("u")];
        b.effect(Op::Barrier, &[]);
    });
    let refused = every(&shader, &Batch { count: 1024, ..Batch::default() });
    assert!(matches!(refused, Err(RunError::Limit(_))), "{refused:?}");
    for subgroup in [65, 6] {
        let shader = build(Stage::Fragment, |b| {
            b.output(Scalar::F32);
        });
        let refused = every(&shader, &Batch { count: 4, subgroup, ..Batch::default() });
        assert!(matches!(refused, Err(RunError::Binding(_))), "{refused:?}");
    }
}
