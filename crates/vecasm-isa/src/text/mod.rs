//! What the readers and formatters of assembly stand on, whatever the instruction set: a text is read with a [`Cursor`],
//! [`Comments`] says how a language writes comments, [`numbers`] and [`floats`] read and write digits. [`layout`] lays lines out for
//! `fmt`, [`enclosed`] and [`literals`] find programs inside other texts.

mod comments;
pub(crate) mod cursor;
pub(crate) mod enclosed;
pub(crate) mod floats;
pub(crate) mod layout;
pub(crate) mod literals;
pub(crate) mod numbers;
mod word;

pub(crate) use comments::Comments;
pub(crate) use cursor::Cursor;
pub(crate) use word::Word;
