//! Control flow: blocks, jumps, subroutines, labels, the end.
//!
//! Sources: Mesa's manual, `tgsi_exec` of Mesa 22.3.6 (its stacks, what it does with labels, with BRK in a SWITCH and with
//! DEFAULT).

use super::findings::{At, Findings, instructions, rules};
use crate::table::Flow;
use crate::tgsi::program::{Instruction, Program};
use alloc::collections::BTreeMap;
use alloc::vec::Vec;

rules! {
    pub(super) const RULES; const;

    NESTING "TGSI-nesting" Error Documented
        "%1 without a preceding %2",
        "ELSE and ENDIF belong to an IF or UIF, ENDLOOP to a BGNLOOP, CASE, DEFAULT and ENDSWITCH to a SWITCH, ENDSUB to a BGNSUB, and blocks do not overlap.";
    OPEN "TGSI-open-block" Error Documented
        "%1 without its %2",
        "Every block must be closed: IF and UIF by ENDIF, BGNLOOP by ENDLOOP, SWITCH by ENDSWITCH, BGNSUB by ENDSUB.";
    BREAK "TGSI-break" Error Documented
        "BRK outside loops and SWITCH",
        "BRK leaves the innermost loop or SWITCH of the same subroutine; there is none.";
    CONTINUE "TGSI-continue" Error Documented
        "CONT outside loops",
        "CONT starts the next iteration of the innermost loop of the same subroutine; there is none.";
    DEPTH "TGSI-depth" Error Peer
        "%1 are nested more than %2 deep",
        "tgsi_exec keeps 32 conditionals, 32 loops, 32 SWITCH and 32 calls; beyond that it writes past the end of its stacks.";
    DEFAULT_TWICE "TGSI-default-twice" Error Believed
        "a second DEFAULT in the SWITCH",
        "A SWITCH has one DEFAULT.";
    DEFAULT_LAST "TGSI-default-last" Warning Recorded
        "CASE after DEFAULT",
        "tgsi_exec runs DEFAULT for every selector that no CASE before it matched, so DEFAULT must come last.";
    SWITCH_BREAK "TGSI-switch-break" Note Recorded
        "BRK under a condition in a SWITCH",
        "tgsi_exec leaves the case for all invocations as soon as one breaks, so the others skip the rest of it. In other engines only those that break leave it.";
    SWITCH_FRONT "TGSI-switch-front" Warning Believed
        "%1 between SWITCH and its first CASE never runs",
        "A SWITCH begins with a CASE or DEFAULT; nothing selects what precedes it.";
    NO_LABEL "TGSI-no-label" Note Recorded
        "%1 has no label",
        "Where no invocation takes a branch, tgsi_exec continues at the label, and without one at instruction 0, so the program never ends. Text printed by vecasm has the labels that match the structure. Reported once for a program.";
    LABEL "TGSI-label-structure" Warning Recorded
        "the label of %1 is :%2, its block says :%3",
        "tgsi_exec continues at the label where no invocation takes a branch. The label of an IF is its ELSE or ENDIF, that of an ELSE its ENDIF, and those of the two ends of a loop each other.";
    CALL "TGSI-call" Error Documented
        "no BGNSUB at :%1",
        "CAL runs the subroutine whose BGNSUB is the instruction of that number, counted from 0.";
    RECURSION "TGSI-recursion" Error Documented
        "the subroutine at :%1 calls itself",
        "Subroutines have no registers of their own, and tgsi_exec has room for 32 calls: recursion is not supported.";
    UNCALLED "TGSI-uncalled" Warning Own
        "nothing calls the subroutine at :%1",
        "A subroutine that nothing calls never runs.";
    FALLS "TGSI-falls-into" Warning Peer
        "control falls through into the subroutine",
        "Subroutines follow END: tgsi_exec runs into a BGNSUB as into any other instruction, and its ENDSUB then ends the program.";
    END_INSIDE "TGSI-end-inside" Error Documented
        "END inside %1",
        "END is the last instruction outside blocks and subroutines. Inside a block, RET ends a program.";
    UNREACHABLE "TGSI-unreachable" Warning Documented
        "%1 after END never runs",
        "Only subroutines may follow END.";
}

/// Depth of each stack of `tgsi_exec`.
const STACK: usize = 32;

/// An open block.
struct Block {
    at: At,
    kind: Flow,
    word: &'static str,
    /// The innermost loop or SWITCH of the same subroutine, from here.
    breakable: Option<Flow>,
    /// Whether a loop of the same subroutine is around here, or is here.
    in_loop: bool,
    /// Whether a conditional is inside of the innermost loop or SWITCH.
    conditional: bool,
    /// Of a SWITCH: whether there was a CASE or DEFAULT, and whether there was a DEFAULT.
    started: bool,
    default: bool,
}

/// What closes a block.
const fn closer(kind: Flow) -> &'static str {
    match kind {
        Flow::If | Flow::Else => "ENDIF",
        Flow::Loop => "ENDLOOP",
        Flow::Switch => "ENDSWITCH",
        _ => "ENDSUB",
    }
}

/// What opens the block that an instruction belongs to.
const fn opener(flow: Flow) -> &'static str {
    match flow {
        Flow::Else | Flow::EndIf => "IF",
        Flow::EndLoop => "BGNLOOP",
        Flow::Case | Flow::Default | Flow::EndSwitch => "SWITCH",
        _ => "BGNSUB",
    }
}

struct Walk<'a, 'b> {
    f: &'b mut Findings<'a>,
    open: Vec<Block>,
    /// How many conditionals, loops and SWITCH are open, and whether that was said.
    depths: [(usize, bool); 3],
    /// Subroutines by the number of their BGNSUB.
    subroutines: BTreeMap<u32, At>,
    /// Who calls whom: the number of a BGNSUB, `None` of the main program; the label; where.
    calls: Vec<(Option<u32>, u32, At)>,
    ended: bool,
    said_unreachable: bool,
    said_label: bool,
    /// Whether control goes on behind the last instruction.
    goes_on: bool,
}

/// What is wrong with the control flow of a program.
pub(super) fn pass<'a>(program: &'a Program, f: &mut Findings<'a>) {
    let mut walk = Walk {
        f,
        open: Vec::new(),
        depths: [(0, false); 3],
        subroutines: BTreeMap::new(),
        calls: Vec::new(),
        ended: false,
        said_unreachable: false,
        said_label: false,
        goes_on: true,
    };
    let labels = program.structural_labels();
    for ((at, instruction), label) in instructions(program).zip(labels) {
        walk.instruction(at, instruction, label);
    }
    while let Some(block) = walk.open.pop() {
        walk.f.at(OPEN, block.at, &[&block.word, &closer(block.kind)]);
    }
    let Walk { f, subroutines, calls, .. } = walk;
    graph(&subroutines, calls, f);
}

impl Walk<'_, '_> {
    fn top(&self) -> Option<Flow> {
        self.open.last().map(|block| block.kind)
    }

    fn depth(&mut self, kind: Flow, at: At) {
        let (which, word) = match kind {
            Flow::If => (0, "conditionals"),
            Flow::Loop => (1, "loops"),
            Flow::Switch => (2, "SWITCH"),
            _ => return,
        };
        let Some((depth, said)) = self.depths.get_mut(which) else { return };
        *depth += 1;
        if *depth > STACK && !*said {
            *said = true;
            self.f.at(DEPTH, at, &[&word, &STACK]);
        }
    }

    fn push(&mut self, at: At, kind: Flow, word: &'static str) {
        self.depth(kind, at);
        let outer = self.open.last();
        let mut block = Block {
            at,
            kind,
            word,
            breakable: outer.and_then(|b| b.breakable),
            in_loop: outer.is_some_and(|b| b.in_loop),
            conditional: outer.is_some_and(|b| b.conditional),
            started: false,
            default: false,
        };
        match kind {
            Flow::Loop | Flow::Switch => {
                block.breakable = Some(kind);
                block.conditional = false;
                block.in_loop |= kind == Flow::Loop;
            }
            Flow::Label => {
                block.breakable = None;
                block.in_loop = false;
                block.conditional = false;
            }
            _ => block.conditional = true,
        }
        self.open.push(block);
    }

    fn pop(&mut self) {
        let kind = self.open.pop().map(|block| block.kind);
        let which = match kind {
            Some(Flow::If | Flow::Else) => 0,
            Some(Flow::Loop) => 1,
            Some(Flow::Switch) => 2,
            _ => return,
        };
        if let Some((depth, _)) = self.depths.get_mut(which) {
            *depth = depth.saturating_sub(1);
        }
    }

    /// The subroutine that is open.
    fn subroutine(&self) -> Option<u32> {
        // It is the outermost block.
        self.open.first().filter(|block| block.kind == Flow::Label).and_then(|block| block.at.number)
    }

    fn instruction(&mut self, at: At, instruction: &Instruction, wanted: Option<u32>) {
        let Some(row) = instruction.row() else { return };
        let (flow, word) = (row.flow, row.name);
        if self.ended && self.open.is_empty() && flow != Flow::Label && flow != Flow::End {
            if !self.said_unreachable {
                self.said_unreachable = true;
                self.f.at(UNREACHABLE, at, &[&word]);
            }
        } else if flow == Flow::Label {
            self.said_unreachable = false;
        }
        if let Some(block) = self.open.last_mut().filter(|block| block.kind == Flow::Switch) {
            let selects = matches!(flow, Flow::Case | Flow::Default | Flow::EndSwitch);
            if !block.started && !selects {
                block.started = true;
                self.f.at(SWITCH_FRONT, at, &[&word]);
            }
        }
        self.label(at, instruction, flow, word, wanted);
        match flow {
            Flow::If | Flow::Loop | Flow::Switch => self.push(at, flow, word),
            Flow::Else => match self.top() {
                Some(Flow::If) => {
                    if let Some(block) = self.open.last_mut() {
                        block.kind = Flow::Else;
                    }
                }
                _ => self.f.at(NESTING, at, &[&word, &opener(flow)]),
            },
            Flow::EndIf | Flow::EndLoop | Flow::EndSwitch => {
                let fits = match flow {
                    Flow::EndIf => matches!(self.top(), Some(Flow::If | Flow::Else)),
                    Flow::EndLoop => self.top() == Some(Flow::Loop),
                    _ => self.top() == Some(Flow::Switch),
                };
                if fits { self.pop() } else { self.f.at(NESTING, at, &[&word, &opener(flow)]) }
            }
            Flow::Case | Flow::Default => self.case(at, flow, word),
            Flow::Break => match self.open.last() {
                Some(Block { breakable: Some(kind), conditional, .. }) => {
                    if *kind == Flow::Switch && *conditional {
                        self.f.at(SWITCH_BREAK, at, &[]);
                    }
                }
                _ => self.f.at(BREAK, at, &[]),
            },
            Flow::Continue if self.open.last().is_some_and(|block| block.in_loop) => {}
            Flow::Continue => self.f.at(CONTINUE, at, &[]),
            Flow::Label => {
                while let Some(block) = self.open.last() {
                    self.f.at(OPEN, block.at, &[&block.word, &closer(block.kind)]);
                    self.pop();
                }
                if self.goes_on && !self.ended && at.number != Some(0) {
                    self.f.at(FALLS, at, &[]);
                }
                self.push(at, flow, word);
                if let Some(number) = at.number {
                    self.subroutines.insert(number, at);
                }
            }
            Flow::EndLabel => {
                if self.subroutine().is_none() {
                    self.f.at(NESTING, at, &[&word, &opener(flow)]);
                } else {
                    while let Some(block) = self.open.last().filter(|block| block.kind != Flow::Label) {
                        self.f.at(OPEN, block.at, &[&block.word, &closer(block.kind)]);
                        self.pop();
                    }
                    self.pop();
                }
            }
            Flow::Call => {
                let label = instruction.label.unwrap_or(0);
                self.calls.push((self.subroutine(), label, at));
            }
            Flow::End => {
                if let Some(block) = self.open.last() {
                    self.f.at(END_INSIDE, at, &[&block.word]);
                }
                self.ended = true;
            }
            _ => {}
        }
        self.goes_on = !(self.open.is_empty() && matches!(flow, Flow::Return | Flow::End | Flow::EndLabel));
    }

    fn case(&mut self, at: At, flow: Flow, word: &'static str) {
        let Some(block) = self.open.last_mut().filter(|block| block.kind == Flow::Switch) else {
            return self.f.at(NESTING, at, &[&word, &opener(flow)]);
        };
        block.started = true;
        let second = block.default;
        if flow == Flow::Default {
            block.default = true;
            if second {
                self.f.at(DEFAULT_TWICE, at, &[]);
            }
        } else if second {
            self.f.at(DEFAULT_LAST, at, &[]);
        }
    }

    fn label(
        &mut self,
        at: At,
        instruction: &Instruction,
        flow: Flow,
        word: &'static str,
        wanted: Option<u32>,
    ) {
        let jumps = matches!(flow, Flow::If | Flow::Else);
        let Some(wanted) = wanted.filter(|_| jumps || matches!(flow, Flow::Loop | Flow::EndLoop)) else {
            return;
        };
        match instruction.label {
            Some(label) if label == wanted => {}
            // Old drivers printed 0 everywhere.
            None | Some(0) => {
                if jumps && !self.said_label {
                    self.said_label = true;
                    self.f.at(NO_LABEL, at, &[&word]);
                }
            }
            Some(label) => self.f.at(LABEL, at, &[&word, &label, &wanted]),
        }
    }
}

/// Which subroutines are called: those that are there, none of them by itself, none too deep.
fn graph(subroutines: &BTreeMap<u32, At>, calls: Vec<(Option<u32>, u32, At)>, f: &mut Findings<'_>) {
    let mut edges: Vec<(Option<u32>, u32)> = Vec::with_capacity(calls.len());
    let mut called: BTreeMap<u32, ()> = BTreeMap::new();
    for (caller, label, at) in calls {
        if subroutines.contains_key(&label) {
            edges.push((caller, label));
            called.insert(label, ());
        } else {
            f.at(CALL, at, &[&label]);
        }
    }
    edges.sort_unstable();
    edges.dedup();
    for (number, at) in subroutines {
        if !called.contains_key(number) {
            f.at(UNCALLED, *at, &[number]);
        }
    }
    // The subroutines that are being gone through, with the edge that is next and how deep it goes below each.
    let of = |caller: u32| {
        let from = edges.partition_point(|edge| edge.0 < Some(caller));
        let to = edges.partition_point(|edge| edge.0 <= Some(caller));
        from..to
    };
    let mut depths: BTreeMap<u32, Option<usize>> = BTreeMap::new();
    let mut said_depth = false;
    for (&start, &at) in subroutines {
        if depths.contains_key(&start) {
            continue;
        }
        let mut path = alloc::vec![(start, of(start), 1)];
        depths.insert(start, None);
        while let Some((number, rest, deepest)) = path.last_mut() {
            let (number, deep) = (*number, *deepest);
            let Some(next) = rest.next().and_then(|n| edges.get(n)) else {
                depths.insert(number, Some(deep));
                path.pop();
                if let Some(outer) = path.last_mut() {
                    outer.2 = outer.2.max(deep + 1);
                }
                continue;
            };
            match depths.get(&next.1) {
                Some(Some(below)) => *deepest = deep.max(below + 1),
                Some(None) => {
                    if let Some(at) = subroutines.get(&next.1) {
                        f.at(RECURSION, *at, &[&next.1]);
                    }
                }
                None => {
                    depths.insert(next.1, None);
                    path.push((next.1, of(next.1), 1));
                }
            }
        }
        let depth = depths.get(&start).copied().flatten().unwrap_or(0);
        if depth > STACK && !said_depth {
            said_depth = true;
            f.at(DEPTH, at, &[&"calls", &STACK]);
        }
    }
}
