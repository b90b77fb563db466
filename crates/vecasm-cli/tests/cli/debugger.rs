//! `vecasm debug` on a terminal, driven by keys: each of three programs has one wrong swizzle, and the screen shows where.
//!
//! The files are in `debug/`. What is right:
//!
//! * `agal`: the lamp (1, 0.5, 0.25) times n·l = (0, 0, 1)·(0, 0, 0.5) = 0.5 plus 0.125 is (0.625, 0.375, 0.25). Line 6
//!   reads ft2.xzy where ft2.xyz is meant, so green and blue are exchanged.
//! * `d3d9`: (1, 2, 3) × (4, 5, 6) = (2·6 - 3·5, 3·4 - 1·6, 1·5 - 2·4) = (-3, 6, -3). Line 9 reads v2.yxz, that is
//!   (5, 4, 6), where v2.yzx, that is (5, 6, 4), is meant: y becomes 12 - 1·4 = 8 and z becomes 5 - 2·6 = -7.
//! * `nv2a`: the corner (-1, 1, 0) is (1, -1, 1) away from (0, 0, 1), whose square is 3. The rcp in line 6 reads r1.y, which
//!   nobody writes, where r1.x is meant: it gives infinity.

use portable_pty::{Child, CommandBuilder, PtySize, native_pty_system};
use std::io::{Read as _, Write};
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// How long the screen may take to show something.
const PATIENCE: Duration = Duration::from_secs(60);
/// How many times in a row a screen has to be the same.
const SETTLED: u32 = 4;
const RIGHT: &str = "\x1b[C";
const DOWN: &str = "\x1b[B";

/// `vecasm` on a terminal of its own.
struct Terminal {
    parser: Arc<Mutex<vt100::Parser>>,
    writer: Box<dyn Write + Send>,
    child: Box<dyn Child + Send + Sync>,
}

impl Terminal {
    fn open(args: &[&str], (columns, rows): (u16, u16), environment: &[(&str, &str)]) -> Self {
        let size = PtySize { rows, cols: columns, pixel_width: 0, pixel_height: 0 };
        let pair = native_pty_system().openpty(size).unwrap();
        let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_vecasm"));
        command.args(args);
        command.cwd(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cli/debug"));
        command.env("TERM", "xterm-256color");
        command.env_remove("NO_COLOR");
        for (name, value) in environment {
            command.env(name, value);
        }
        let child = pair.slave.spawn_command(command).unwrap();
        drop(pair.slave);
        let parser = Arc::new(Mutex::new(vt100::Parser::new(rows, columns, 0)));
        let (mut reader, seen) = (pair.master.try_clone_reader().unwrap(), parser.clone());
        let writer = pair.master.take_writer().unwrap();
        std::thread::spawn(move || {
            // The terminal stays open as long as somebody reads it.
            let _master = pair.master;
            let mut buffer = [0; 4096];
            while let Ok(count @ 1..) = reader.read(&mut buffer) {
                seen.lock().unwrap().process(&buffer[..count]);
            }
        });
        Self { parser, writer, child }
    }

    fn screen(&self) -> String {
        self.parser.lock().unwrap().screen().contents()
    }

    /// Presses keys, and waits until the screen shows a text.
    fn press(&mut self, keys: &str, wanted: &str) -> String {
        self.until(keys, wanted, |screen| screen.contains(wanted))
    }

    /// Presses keys, and waits until the screen is as wanted.
    fn until(&mut self, keys: &str, what: &str, wanted: impl Fn(&str) -> bool) -> String {
        self.writer.write_all(keys.as_bytes()).unwrap();
        self.writer.flush().unwrap();
        let start = Instant::now();
        // A screen comes in pieces: it is done when it stays for a while.
        let (mut last, mut same) = (String::new(), 0);
        loop {
            let screen = self.screen();
            same = if screen == last { same + 1 } else { 0 };
            if same >= SETTLED && wanted(&screen) {
                return screen;
            }
            last.clone_from(&screen);
            assert!(start.elapsed() < PATIENCE, "{what:?} is not on the screen:\n{screen}");
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Leaves; the terminal has to be as it was.
    fn leave(mut self) {
        self.writer.write_all(b"q").unwrap();
        let start = Instant::now();
        let status = loop {
            match self.child.try_wait().unwrap() {
                Some(status) => break status,
                None => assert!(start.elapsed() < PATIENCE, "it does not end:\n{}", self.screen()),
            }
            std::thread::sleep(Duration::from_millis(20));
        };
        assert_eq!(status.exit_code(), 0);
        while self.parser.lock().unwrap().screen().alternate_screen() {
            assert!(start.elapsed() < PATIENCE, "the terminal is not given back");
            std::thread::sleep(Duration::from_millis(20));
        }
        assert!(!self.parser.lock().unwrap().screen().hide_cursor());
    }
}

/// The line of a screen that has a text.
fn line<'a>(screen: &'a str, text: &str) -> &'a str {
    screen.lines().find(|line| line.contains(text)).unwrap_or_else(|| panic!("no {text:?} in:\n{screen}"))
}

/// The numbers of a register, which stands at the left of a pane.
fn register<'a>(screen: &'a str, name: &str) -> Vec<&'a str> {
    let row = |line: &'a str| {
        let mut parts = line.split(['│', '┃']);
        let words: Vec<&str> =
            parts.find(|part| part.starts_with(&format!("{name} ")))?.split_whitespace().collect();
        Some(words[1..].to_vec())
    };
    screen.lines().find_map(row).unwrap_or_else(|| panic!("no {name} in:\n{screen}"))
}

#[test]
fn a_wrong_swizzle_is_found_in_agal() {
    let mut terminal = Terminal::open(&["debug", "agal.scene.json", "--pixel", "3,2"], (140, 45), &[]);
    terminal.press("", "step 0 of 7");
    // Behind line 5 all is well: half of the lamp.
    let screen = terminal.press("ssss", "step 4 of 7");
    assert_eq!(register(&screen, "ft2"), ["*0.5", "*0.25", "*0.125"], "{screen}");
    // Behind line 6 green and blue are exchanged.
    let screen = terminal.press("s", "step 5 of 7");
    assert_eq!(register(&screen, "ft2"), ["*0.625", "*0.25", "*0.375"], "{screen}");
    assert!(line(&screen, "▶").contains("mul ft0.xyz, ft0.xyz, ft2.xyz"), "{screen}");
    // What made green: line 6 from blue of the lamp.
    let screen = terminal.press(&format!("\t{DOWN}{DOWN}{RIGHT}a"), "what made ft2.y");
    assert!(line(&screen, " 6 ft2.xyz").contains("add ft2.xyz, ft2.xzy, fc1.xyz"), "{screen}");
    assert!(screen.contains("← fc[2].z 0.25 constant"), "{screen}");
    let made: Vec<&str> = screen.lines().filter(|line| line.contains('◆')).collect();
    assert!(made.len() == 4 && made[0].contains("dp3") && made[3].contains("add ft2"), "{screen}");
    terminal.leave();
}

#[test]
fn a_wrong_swizzle_is_found_in_direct3d() {
    let args = ["debug", "d3d9.scene.json", "--pixel", "3,2", "--vertex", "0"];
    let mut terminal = Terminal::open(&args, (80, 24), &[]);
    terminal.press("", "step 0 of");
    // To the line of the mad, and over it.
    terminal.press("g9\r", "next line 9");
    let screen = terminal.press("s", "next line 10");
    assert_eq!(register(&screen, "r0"), ["*-3", "*8", "*-7"], "{screen}");
    // y should be 6: what made it is v2.x, where v2.z is meant.
    let screen = terminal.press(&format!("\t{RIGHT}a"), "what made r0.y");
    assert!(screen.contains("9 r0.xyz -3 8 -7"), "{screen}");
    let screen = terminal.press("\t\t\t\t", "what made r0.y");
    assert!(screen.contains("← v2.x 4 input"), "{screen}");
    terminal.leave();
}

#[test]
fn a_wrong_swizzle_is_found_in_a_half_of_a_pair() {
    let args = ["debug", "nv2a.scene.json", "--pixel", "3,2", "--vertex", "0"];
    let mut terminal = Terminal::open(&args, (140, 45), &[]);
    terminal.press("", "step 0 of");
    // Where something infinite is written first: the rcp, in the second half of line 6.
    terminal.press("/inf\r", "stop where inf");
    let screen = terminal.press("c", "step 6 of 7");
    assert_eq!(register(&screen, "r1"), ["3", "0?", "*+Inf"], "{screen}");
    let screen = terminal.press("b", "next line 6 ILU");
    assert_eq!(register(&screen, "r1"), ["3", "0?", "-"], "{screen}");
    // What it reads is a register that nobody writes.
    let screen = terminal.press(&format!("s\t{DOWN}{RIGHT}{RIGHT}{RIGHT}a"), "what made r1.w");
    assert!(line(&screen, "never written").contains("← r1.y 0"), "{screen}");
    assert!(line(&screen, "6 ILU r1.w").contains("+Inf"), "{screen}");
    terminal.leave();
}

#[test]
fn the_screen_is_told_apart_without_colours() {
    for (args, environment) in [(&["--color", "never"][..], &[][..]), (&[][..], &[("NO_COLOR", "1")][..])] {
        let args = [&["debug", "agal.scene.json", "--pixel", "3,2"], args].concat();
        let mut terminal = Terminal::open(&args, (100, 30), environment);
        let screen = terminal.press("ssss", "step 4 of 7");
        assert!(screen.contains("*0.25") && screen.contains('▶') && screen.contains('['), "{screen}");
        let parser = terminal.parser.lock().unwrap();
        let plain = (0..30).all(|row| {
            (0..100).all(|column| {
                let cell = parser.screen().cell(row, column).unwrap();
                (cell.fgcolor(), cell.bgcolor()) == (vt100::Color::Default, vt100::Color::Default)
            })
        });
        assert!(plain, "{screen}");
        drop(parser);
        terminal.leave();
    }
}

#[test]
fn prompts_breakpoints_watches_and_help() {
    let mut terminal = Terminal::open(&["debug", "agal.scene.json", "--pixel", "3,2"], (80, 24), &[]);
    terminal.press("?", "what made the selected component");
    terminal.until("q", "the help is gone", |screen| !screen.contains("what made the selected"));
    terminal.press(&format!("{DOWN}{DOWN}B"), "breakpoint 1 in line 4");
    terminal.press("c", "next line 4");
    terminal.press("wft1.x * 2\r", "ft1.x * 2 = 1");
    terminal.press("wft1.x +\r", "column ");
    terminal.press("C", "the start of the run");
    terminal.press("1", "step 0 of 7");
    terminal.press("9", "there are 4 invocations");
    terminal.press("\x1b[F", "the end of the run");
    terminal.leave();
}

#[test]
fn standard_input_of_a_terminal_is_waited_for_with_a_word() {
    let mut terminal = Terminal::open(&["check"], (80, 24), &[]);
    terminal.press("", "reading standard input; end it with Ctrl-D");
    terminal.press(".agal fragment 1\nmov oc, v0\n\x04", "accepted");
    let status = terminal.child.wait().unwrap();
    assert_eq!(status.exit_code(), 0);
}
