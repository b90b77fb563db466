//! Regions and nodes.

use super::super::literal;
use super::lex::quoted;
use super::{Parser, Result_};
use crate::ir::verify::MAX_DEPTH;
use crate::ir::{Args, Block, Composite, Idiom, If, Label, Loop, Node, Region, Scalar, Switch, Value};
use alloc::boxed::Box;
use alloc::format;
use alloc::vec::Vec;

impl Parser<'_> {
    /// Reads nodes up to a `}` or the end of the text; the `}` is left.
    pub(super) fn region(&mut self, depth: usize) -> Result_<Region> {
        if depth > MAX_DEPTH {
            return self.c.fail(format!("regions are nested more than {MAX_DEPTH} deep"));
        }
        let mut region = Region::default();
        while !self.c.lines() && !self.c.at('}') {
            if self.c.keyword("yield") {
                region.yields = self.args()?;
                self.c.end()?;
                if !self.c.lines() && !self.c.at('}') {
                    return self.c.fail("a node follows a yield");
                }
                break;
            }
            let node = self.node(depth)?;
            region.nodes.push(node);
            self.c.end()?;
        }
        Ok(region)
    }

    /// One node with its regions, up to the end of its last line.
    fn node(&mut self, depth: usize) -> Result_<Node> {
        match self.c.peek() {
            "leave" => {
                let (label, values) = self.exit()?;
                return Ok(Node::Leave { label, values });
            }
            "again" => {
                let (label, values) = self.exit()?;
                return Ok(Node::Again { label, values });
            }
            "if" | "block" | "loop" | "switch" | "idiom" => return self.construct(Vec::new(), depth),
            _ => {}
        }
        if !self.c.at('%') {
            return self.inst(None).map(Node::Inst);
        }
        // `%n = operation` or `%n: type, … = construct`.
        let first = self.value()?;
        if self.c.eat('=') {
            return self.inst(Some(first)).map(Node::Inst);
        }
        let mut results = Vec::new();
        results.push(self.result_of(first)?);
        while self.c.eat(',') {
            results.push(self.result()?);
        }
        if !self.c.eat('=') {
            return self.c.want("`=`, or `,` and another result,");
        }
        self.construct(results, depth)
    }

    fn exit(&mut self) -> Result_<(Label, Args)> {
        self.c.word();
        let label = self.label()?;
        Ok((label, self.args()?))
    }

    fn construct(&mut self, results: Vec<Value>, depth: usize) -> Result_<Node> {
        let word = self.c.word();
        Ok(match word {
            "if" => {
                let cond = self.arg()?;
                let then = self.braces(depth)?;
                if !self.c.keyword("else") {
                    return self.c.fail("an if needs its `} else {`");
                }
                let otherwise = self.braces(depth)?;
                Node::If(Box::new(If { cond, then, otherwise, results }))
            }
            "block" => {
                let label = self.label()?;
                let body = self.braces(depth)?;
                Node::Block(Box::new(Block { label, body, results }))
            }
            "loop" => {
                let label = self.label()?;
                let mut params = Vec::new();
                let start = self.shader.args.len();
                while self.c.at('%') {
                    params.push(self.result()?);
                    self.c.expect('=')?;
                    let init = self.arg()?;
                    self.shader.args.push(init);
                }
                let init = Args { start: start as u32, len: params.len() as u32 };
                let body = self.braces(depth)?;
                Node::Loop(Box::new(Loop { label, params, init, body, results }))
            }
            "switch" => Node::Switch(Box::new(self.switch(results, depth)?)),
            "idiom" => {
                let what = self.c.named("a composite instruction", Composite::named)?;
                self.c.expect('(')?;
                let operands = self.args()?;
                self.c.expect(')')?;
                let body = self.braces(depth)?;
                Node::Idiom(Box::new(Idiom { what, operands, body, results }))
            }
            "" => return self.c.want("`if`, `block`, `loop`, `switch` or `idiom`"),
            word => {
                let word = quoted(word);
                return self.c.fail(format!("{word} defines no results with types before the `=`"));
            }
        })
    }

    fn switch(&mut self, results: Vec<Value>, depth: usize) -> Result_<Switch> {
        let selector = self.arg()?;
        self.c.expect('{')?;
        self.c.end()?;
        let mut cases = Vec::new();
        loop {
            self.c.lines();
            if !self.c.keyword("case") {
                break;
            }
            let mut numbers = Vec::new();
            while !self.c.at('{') {
                let word = self.c.literal();
                // The bits may be given with a sign or without, whatever the selector is.
                let bits = literal::read(word, Scalar::U32).or_else(|| literal::read(word, Scalar::I32));
                match bits {
                    Some(bits) => numbers.push(bits as u32),
                    None if word.is_empty() => return self.c.want("a number or `{`"),
                    None => return self.c.fail(format!("{} is not a 32-bit number", quoted(word))),
                }
            }
            numbers.shrink_to_fit();
            let region = self.braces(depth)?;
            cases.push((numbers, region));
            self.c.end()?;
        }
        if !self.c.keyword("default") {
            return self.c.want("`case` or `default`");
        }
        let default = self.braces(depth)?;
        self.c.end()?;
        self.c.lines();
        self.c.expect('}')?;
        Ok(Switch { selector, cases, default, results })
    }

    /// A region between braces, on lines of its own.
    fn braces(&mut self, depth: usize) -> Result_<Region> {
        self.c.expect('{')?;
        self.c.end()?;
        let region = self.region(depth + 1)?;
        if !self.c.eat('}') {
            return self.c.fail("a `}` is missing");
        }
        Ok(region)
    }

    fn label(&mut self) -> Result_<Label> {
        self.c.named("a label", |word| {
            let digits = word.strip_prefix('L')?;
            if digits.bytes().all(|c| c.is_ascii_digit()) { digits.parse().ok().map(Label) } else { None }
        })
    }
}
