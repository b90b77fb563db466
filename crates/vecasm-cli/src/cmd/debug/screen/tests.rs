//! Whole screens against those in `expected/`, which were read by eye; `BLESS=1` writes them anew, to be read again.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use super::paint::Paint;
use super::{Screen, SubjectInfo};
use crate::args::Cli;
use crate::case::Case;
use crate::cmd::{Command, debug};
use crate::report::Ctx;
use clap::Parser as _;
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::buffer::Buffer;
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::style::{Color, Modifier};
use std::path::Path;

/// A file of the tests of the command line.
fn file(name: &str) -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cli/debug").join(name).to_str().unwrap().to_string()
}

/// A screen over a case, and how it shows it.
fn open(scene: &str, flags: &[&str], color: bool) -> Screen {
    let scene = file(scene);
    let cli = Cli::parse_from([&["vecasm", "debug", &scene], flags].concat());
    let ctx = Ctx::new(&cli.general);
    let Command::Debug(args) = &cli.command else { panic!("it is the debugger") };
    let case = Case::from_args(&args.case, &ctx).unwrap();
    let about = SubjectInfo::of(&case);
    Screen::new(debug::session(case).unwrap(), about, Paint { on: color })
}

/// Presses keys: letters, and words in angle brackets for the others.
fn press(screen: &mut Screen, keys: &str) {
    let mut rest = keys;
    while !rest.is_empty() {
        let (word, after) = match rest.strip_prefix('<').and_then(|r| r.split_once('>')) {
            Some((word, after)) => (word, after),
            None => rest.split_at(1),
        };
        rest = after;
        let code = match word {
            "tab" => KeyCode::Tab,
            "backtab" => KeyCode::BackTab,
            "up" => KeyCode::Up,
            "down" => KeyCode::Down,
            "left" => KeyCode::Left,
            "right" => KeyCode::Right,
            "enter" => KeyCode::Enter,
            "esc" => KeyCode::Esc,
            "end" => KeyCode::End,
            _ => KeyCode::Char(word.chars().next().unwrap()),
        };
        screen.key(KeyEvent::new(code, KeyModifiers::NONE));
    }
}

fn drawn(screen: &mut Screen, (width, height): (u16, u16)) -> Buffer {
    let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
    terminal.draw(|frame| screen.draw(frame)).unwrap();
    terminal.backend().buffer().clone()
}

fn text(buffer: &Buffer) -> String {
    let mut out = String::new();
    for row in buffer.content().chunks(usize::from(buffer.area.width)) {
        let line: String = row.iter().map(|cell| cell.symbol()).collect();
        out.push_str(line.trim_end());
        out.push('\n');
    }
    out
}

/// Compares a screen with the expected one.
fn check(name: &str, screen: &mut Screen, size: (u16, u16)) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("src/cmd/debug/screen/expected")
        .join(format!("{name}.txt"));
    let got = text(&drawn(screen, size));
    if std::env::var_os("BLESS").is_some() {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, got).unwrap();
        return;
    }
    let wanted = std::fs::read_to_string(&path).unwrap().replace('\r', "");
    assert!(got == wanted, "{name}: wanted\n{wanted}\ngot\n{got}");
}

const SMALL: (u16, u16) = (80, 24);
const LARGE: (u16, u16) = (140, 45);

#[test]
fn a_fragment_small_and_large() {
    let mut screen = open("agal.scene.json", &["--pixel", "3,2"], false);
    check("agal-start-small", &mut screen, SMALL);
    press(&mut screen, "sssss");
    check("agal-wrong-small", &mut screen, SMALL);
    press(&mut screen, "<tab><down><down><right>a");
    check("agal-ancestry-small", &mut screen, SMALL);
    check("agal-ancestry-large", &mut screen, LARGE);
}

#[test]
fn a_vertex_of_two_units() {
    let mut screen = open("nv2a.scene.json", &["--pixel", "3,2", "--vertex", "0"], false);
    press(&mut screen, "g6<enter>");
    check("nv2a-mac-small", &mut screen, SMALL);
    press(&mut screen, "s");
    check("nv2a-ilu-small", &mut screen, SMALL);
    press(&mut screen, "s<tab><down><right><right><right>a");
    check("nv2a-infinite-large", &mut screen, LARGE);
}

#[test]
fn breakpoints_watches_and_constants() {
    let mut screen = open("d3d9.scene.json", &["--pixel", "3,2", "--vertex", "0"], false);
    press(&mut screen, "g9<enter>B/r0.y > 7<enter>wr0 * 2<enter>wr0.y == 8<enter>C<tab><tab>");
    check("d3d9-watches-small", &mut screen, SMALL);
    press(&mut screen, "c");
    check("d3d9-watches-large", &mut screen, LARGE);
}

#[test]
fn lanes_that_are_away_say_why() {
    // In the quad at (2, 0): x is 2.5 and 3.5, and line 3 takes those below 3.
    let mut screen = open("masked.scene.json", &["--pixel", "3,0"], false);
    press(&mut screen, "g4<enter>");
    // The pixel is the right one, which never comes to line 4: the run is over.
    assert!(screen.session.line().is_none());
    press(&mut screen, "Css");
    check("masked-small", &mut screen, SMALL);
    press(&mut screen, "1");
    check("masked-other-large", &mut screen, LARGE);
}

#[test]
fn help_prompts_and_narrow_terminals() {
    let mut screen = open("agal.scene.json", &["--pixel", "3,2"], false);
    press(&mut screen, "?");
    check("help-small", &mut screen, SMALL);
    press(&mut screen, "xw");
    press(&mut screen, "ft1.x");
    check("prompt-narrow", &mut screen, (60, 20));
    // Nothing is too small to draw on.
    for size in [(1, 1), (3, 2), (10, 4), (20, 8), (200, 3), (30, 80), (300, 120)] {
        drawn(&mut screen, size);
    }
}

#[test]
fn colours_tell_numbers_apart() {
    let mut screen = open("nv2a.scene.json", &["--pixel", "3,2", "--vertex", "0"], true);
    press(&mut screen, "g7<enter>");
    let buffer = drawn(&mut screen, LARGE);
    let find = |wanted: &str| {
        let cells = buffer.content();
        let chars: Vec<&str> = wanted.split("").filter(|c| !c.is_empty()).collect();
        let at = cells
            .windows(chars.len())
            .position(|w| w.iter().zip(&chars).all(|(c, wanted)| c.symbol() == *wanted));
        cells[at.unwrap_or_else(|| panic!("no {wanted}"))].clone()
    };
    assert_eq!(find("+Inf").fg, Color::Red);
    assert!(find("+Inf").modifier.contains(Modifier::BOLD));
    // What the rcp read was never written.
    assert_eq!(find("0?").fg, Color::DarkGray);
    // The pixel is white, so its frame is black.
    let black =
        buffer.content().iter().filter(|c| c.fg == Color::Rgb(0, 0, 0) || c.bg == Color::Rgb(0, 0, 0));
    assert!(black.count() > 4);
    // The current line.
    assert_eq!(find("mul oD0").bg, Color::Yellow);
}
