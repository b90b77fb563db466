//! `cargo xtask screens`: pictures of the debugger's screen for the documents, from the real program on a terminal of its
//! own.

use crate::{Args, Outcome, root};
use portable_pty::{CommandBuilder, PtySize, native_pty_system};
use std::fmt::Write as _;
use std::io::{Read as _, Write as _};
use std::path::Path;
use std::sync::mpsc;
use std::time::Duration;
use vt100::{Cell, Color};

/// A picture: its name, the size of the terminal, what is debugged, and the keys that are pressed one after another.
struct Shot {
    name: &'static str,
    size: (u16, u16),
    args: &'static [&'static str],
    keys: &'static [&'static str],
}

const TAB: &str = "\t";
const DOWN: &str = "\x1b[B";
const RIGHT: &str = "\x1b[C";

const SHOTS: &[Shot] = &[
    Shot {
        name: "debug-fragment",
        size: (132, 42),
        args: &["examples/agal/crates.scene.json", "--pixel", "168,122"],
        keys: &["/writes oc\r", "wft0.x * 255\r", "wft1.x > 0.05\r", "c", "b", "b", TAB, "a"],
    },
    Shot {
        name: "debug-vertex",
        size: (100, 30),
        args: &["crates/vecasm-cli/tests/cli/debug/nv2a.scene.json", "--pixel", "3,2", "--vertex", "0"],
        keys: &["g6\r", "s", "s", TAB, DOWN, RIGHT, RIGHT, RIGHT, "a"],
    },
];

/// Width and height of a place, in units of the picture.
const PLACE: (f64, f64) = (8.4, 17.0);
const BACKGROUND: &str = "#12141c";
const FOREGROUND: &str = "#d6d9e4";
/// The colours of a terminal, from black to white, and the bright ones.
const COLORS: [&str; 16] = [
    "#12141c", "#f2777a", "#8fd694", "#f0c674", "#6fa8ff", "#d49bf0", "#6fd6d6", "#d6d9e4", "#6b7186",
    "#ff9a9a", "#b6f0b6", "#ffe09a", "#9ac4ff", "#ecc4ff", "#a4f0f0", "#ffffff",
];

pub(crate) fn main(args: &[String]) -> Outcome {
    let args = match Args::parse(args, &["only"], &[]) {
        Ok(args) => args,
        Err(why) => return Outcome::Usage(why),
    };
    let only = args.value("only");
    let built = std::process::Command::new("cargo")
        .args(["build", "--quiet", "-p", "vecasm-cli", "--bin", "vecasm"])
        .current_dir(root())
        .status();
    if !built.is_ok_and(|status| status.success()) {
        return Outcome::Usage("the program cannot be built".into());
    }
    let folder = root().join("docs/images");
    for shot in SHOTS.iter().filter(|shot| only.is_none_or(|name| name == shot.name)) {
        let file = folder.join(format!("{}.svg", shot.name));
        match take(shot).and_then(|text| std::fs::write(&file, text).map_err(|error| error.to_string())) {
            Ok(()) => println!("{}", file.display()),
            Err(why) => return Outcome::Usage(format!("{}: {why}", shot.name)),
        }
    }
    Outcome::Fine
}

/// Runs the program, presses the keys, and draws what is on the screen.
fn take(shot: &Shot) -> Result<String, String> {
    let (columns, rows) = shot.size;
    let wrong = |error: &dyn std::fmt::Display| error.to_string();
    let size = PtySize { rows, cols: columns, pixel_width: 0, pixel_height: 0 };
    let pair = native_pty_system().openpty(size).map_err(|e| wrong(&e))?;
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), Into::into);
    let mut command = CommandBuilder::new(Path::new(&target).join("debug/vecasm"));
    command.arg("debug");
    command.args(shot.args);
    command.args(["--color", "always"]);
    command.cwd(root());
    command.env("TERM", "xterm-256color");
    let mut child = pair.slave.spawn_command(command).map_err(|e| wrong(&e))?;
    drop(pair.slave);
    let mut reader = pair.master.try_clone_reader().map_err(|e| wrong(&e))?;
    let mut writer = pair.master.take_writer().map_err(|e| wrong(&e))?;
    let (send, receive) = mpsc::channel();
    std::thread::spawn(move || {
        let mut buffer = [0; 4096];
        while let Ok(count @ 1..) = reader.read(&mut buffer) {
            if send.send(buffer[..count].to_vec()).is_err() {
                break;
            }
        }
    });
    let mut parser = vt100::Parser::new(rows, columns, 0);
    // Until nothing comes any more; the first screen takes as long as drawing the scene does.
    let settle = |parser: &mut vt100::Parser, first: Duration| {
        let mut wait = first;
        while let Ok(bytes) = receive.recv_timeout(wait) {
            parser.process(&bytes);
            if parser.screen().alternate_screen() && !parser.screen().contents().trim().is_empty() {
                wait = Duration::from_millis(400);
            }
        }
    };
    settle(&mut parser, Duration::from_secs(60));
    for keys in shot.keys {
        writer.write_all(keys.as_bytes()).map_err(|e| wrong(&e))?;
        settle(&mut parser, Duration::from_millis(400));
    }
    let svg = svg(shot, parser.screen());
    writer.write_all(b"\x1bq").map_err(|e| wrong(&e))?;
    let _ = child.kill();
    let _ = child.wait();
    Ok(svg)
}

/// The colours of a place: what is written and what is behind it.
fn colors(cell: &Cell) -> (String, String) {
    let name = |color: Color, default: &str| match color {
        Color::Default => default.to_string(),
        Color::Idx(n) => COLORS.get(usize::from(n)).map_or(default, |c| c).to_string(),
        Color::Rgb(r, g, b) => format!("#{r:02x}{g:02x}{b:02x}"),
    };
    let (fg, bg) = (name(cell.fgcolor(), FOREGROUND), name(cell.bgcolor(), BACKGROUND));
    if cell.inverse() { (bg, fg) } else { (fg, bg) }
}

/// Frames are drawn as lines, so that they join whatever the font is: to the left, right, top, bottom of the middle.
fn frame(symbol: &str) -> Option<([bool; 4], f64)> {
    let (sides, width) = match symbol {
        "─" => ([true, true, false, false], 1.0),
        "━" => ([true, true, false, false], 2.2),
        "│" => ([false, false, true, true], 1.0),
        "┃" => ([false, false, true, true], 2.2),
        "╭" => ([false, true, false, true], 1.0),
        "┏" => ([false, true, false, true], 2.2),
        "╮" => ([true, false, false, true], 1.0),
        "┓" => ([true, false, false, true], 2.2),
        "╰" => ([false, true, true, false], 1.0),
        "┗" => ([false, true, true, false], 2.2),
        "╯" => ([true, false, true, false], 1.0),
        "┛" => ([true, false, true, false], 2.2),
        _ => return None,
    };
    Some((sides, width))
}

fn svg(shot: &Shot, screen: &vt100::Screen) -> String {
    let (columns, rows) = shot.size;
    let (w, h) = PLACE;
    let (width, height) = (f64::from(columns) * w + 24.0, f64::from(rows) * h + 24.0);
    let mut out = format!(
        "<!-- Written by `cargo xtask screens`. -->\n<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" width=\"{width:.0}\" height=\"{height:.0}\" font-family=\"ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace\" font-size=\"14\">\n<rect width=\"100%\" height=\"100%\" rx=\"8\" fill=\"{BACKGROUND}\"/>\n<g transform=\"translate(12 12)\" shape-rendering=\"crispEdges\">\n"
    );
    let mut texts = String::new();
    for row in 0..rows {
        let top = f64::from(row) * h;
        let mut column = 0;
        while column < columns {
            let Some(cell) = screen.cell(row, column) else { break };
            let (fg, bg) = colors(cell);
            let contents = cell.contents();
            let symbol = contents.as_str();
            let left = f64::from(column) * w;
            // Equal places behind one another are one rectangle.
            let same = |at: u16| screen.cell(row, at).is_some_and(|c| colors(c) == (fg.clone(), bg.clone()));
            let alike = |at: u16| same(at) && screen.cell(row, at).is_some_and(|c| c.contents() == symbol);
            let run =
                |test: &dyn Fn(u16) -> bool| (column..columns).take_while(|at| test(*at)).count() as u16;
            match symbol {
                "▀" | "▄" | "█" => {
                    let count = run(&alike).max(1);
                    let long = f64::from(count) * w;
                    let (over, under) = match symbol {
                        "▀" => (&fg, &bg),
                        "▄" => (&bg, &fg),
                        _ => (&fg, &fg),
                    };
                    for (y, color) in [(top, over), (top + h / 2.0, under)] {
                        if color != BACKGROUND {
                            let _ = writeln!(
                                out,
                                "<rect x=\"{left:.1}\" y=\"{y:.1}\" width=\"{long:.1}\" height=\"{:.1}\" fill=\"{color}\"/>",
                                h / 2.0
                            );
                        }
                    }
                    column += count;
                    continue;
                }
                _ => {}
            }
            if bg != BACKGROUND {
                let count = run(&|at| screen.cell(row, at).is_some_and(|c| colors(c).1 == bg)).max(1);
                // Only where the run begins.
                let before = column.checked_sub(1).and_then(|at| screen.cell(row, at));
                if before.is_none_or(|c| colors(c).1 != bg) {
                    let long = f64::from(count) * w;
                    let _ = writeln!(
                        out,
                        "<rect x=\"{left:.1}\" y=\"{top:.1}\" width=\"{long:.1}\" height=\"{h:.1}\" fill=\"{bg}\"/>"
                    );
                }
            }
            if let Some((sides, thick)) = frame(symbol) {
                let count = if sides == [true, true, false, false] { run(&alike).max(1) } else { 1 };
                let (x, y) = (left + w / 2.0, top + h / 2.0);
                let (x0, x1) = (if sides[0] { left } else { x }, if sides[1] { left + w } else { x });
                let x1 = x1 + f64::from(count - 1) * w;
                let (y0, y1) = (if sides[2] { top } else { y }, if sides[3] { top + h } else { y });
                let path = match (sides[0] || sides[1], sides[2] || sides[3]) {
                    (true, true) => {
                        let (far_x, far_y) = (if sides[0] { x0 } else { x1 }, if sides[2] { y0 } else { y1 });
                        format!("M{far_x:.1} {y:.1}H{x:.1}V{far_y:.1}")
                    }
                    (true, false) => format!("M{x0:.1} {y:.1}H{x1:.1}"),
                    _ => format!("M{x:.1} {y0:.1}V{y1:.1}"),
                };
                let _ = writeln!(
                    out,
                    "<path d=\"{path}\" fill=\"none\" stroke=\"{fg}\" stroke-width=\"{thick}\"/>"
                );
                column += count;
                continue;
            }
            if symbol.trim().is_empty() {
                column += 1;
                continue;
            }
            // A word of one look is one text.
            let style = (cell.bold(), cell.underline());
            let word = |at: u16| {
                screen.cell(row, at).is_some_and(|c| {
                    colors(c) == (fg.clone(), bg.clone())
                        && (c.bold(), c.underline()) == style
                        && !c.contents().trim().is_empty()
                        && frame(&c.contents()).is_none()
                        && !matches!(c.contents().as_str(), "▀" | "▄" | "█")
                })
            };
            let count = run(&word).max(1);
            let text: String =
                (column..column + count).filter_map(|at| Some(screen.cell(row, at)?.contents())).collect();
            let text = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
            let mut more = String::new();
            if style.0 {
                more.push_str(" font-weight=\"bold\"");
            }
            if style.1 {
                more.push_str(" text-decoration=\"underline\"");
            }
            let long = f64::from(count) * w;
            let _ = writeln!(
                texts,
                "<text x=\"{left:.1}\" y=\"{:.1}\" fill=\"{fg}\" textLength=\"{long:.1}\"{more}>{text}</text>",
                top + 13.0
            );
            column += count;
        }
    }
    out.push_str("</g>\n<g transform=\"translate(12 12)\">\n");
    out.push_str(&texts);
    out.push_str("</g>\n</svg>\n");
    out
}
