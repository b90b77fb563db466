//! `cargo xtask peer`: random and damaged programs through the library and through nv2a-vsh, the Python package, side
//! by side, and the time of both. What has to be the same is said in `conformance/src/peer/mod.rs`.
//!
//! Without a Python that has nv2a-vsh 0.1.12 the task is skipped with a line that says so.

use crate::{Args, Outcome};
use vecasm_conformance::peer::{Peer, Tally, VERSION, cases, compare, times};

pub(crate) fn main(args: &[String]) -> Outcome {
    let parsed = Args::parse(args, &["count", "seed", "shared", "python"], &[])
        .and_then(|args| Ok((args.number("count", 3000)?, args.number("seed", 1)?, args)));
    let (count, seed, args) = match parsed {
        Ok(parsed) => parsed,
        Err(why) => return Outcome::Usage(why),
    };
    let mut peer = match Peer::start(args.value("python")) {
        Ok(peer) if peer.version == VERSION => peer,
        Ok(peer) => {
            println!("SKIPPED: nv2a-vsh is {}, not {VERSION}", peer.version);
            return Outcome::Fine;
        }
        Err(why) => {
            println!("SKIPPED: no Python with nv2a-vsh {VERSION} ({why}); `pip install nv2a-vsh=={VERSION}`");
            return Outcome::Fine;
        }
    };
    let mut tally = Tally::default();
    let (fixed, cases) = cases(count, seed, &args.shared());
    println!("{fixed} texts that must fail, {count} random texts, {count} random programs");
    let outcome = compare(&mut peer, &mut tally, &cases);
    for failure in tally.shown() {
        println!("  FAILED  {failure}");
    }
    if let Err(why) = outcome {
        return Outcome::Usage(why);
    }
    print!("{tally}");
    println!(
        "total: {} cases beside nv2a-vsh {VERSION}, {} failures, seed {seed}",
        tally.cases, tally.failures
    );
    match times(&mut peer, &args.shared()) {
        Ok(lines) => lines.iter().for_each(|line| println!("{line}")),
        Err(why) => return Outcome::Usage(why),
    }
    Outcome::of(tally.failures == 0)
}
