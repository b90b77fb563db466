//! The tessellator against a derivation of its own: fractions in integers, counts by Euler's formula, areas, edges.

use std::collections::{BTreeMap, BTreeSet};
use vecasm_draw::tessellate::{Connectivity, Domain, Tessellated, Tessellator};
use vecasm_ir::ir::Spacing;

const LEVELS: [f32; 14] = [1.0, 2.0, 2.5, 3.0, 3.3, 4.0, 5.0, 6.0, 7.0, 8.0, 1.25, 63.5, 64.0, 100.0];
const SPACINGS: [Spacing; 3] = [Spacing::Equal, Spacing::FractionalOdd, Spacing::FractionalEven];
/// Whether two levels are tried together: those of many points only with themselves and a few others.
fn together(a: f32, b: f32) -> bool {
    a.max(b) <= 8.0 || a == b || [1.0, 3.3].contains(&a.min(b))
}

/// Coordinates in the tests are counted in these.
const UNIT: i64 = 1 << 24;

/// The clamped level and the number of segments, from the words of the specification.
fn level(spacing: Spacing, level: f32) -> (f64, i64) {
    let level = f64::from(level);
    match spacing {
        Spacing::Equal => {
            let n = (1..=64).find(|n| *n as f64 >= level).unwrap_or(64);
            (n as f64, n)
        }
        Spacing::FractionalEven => {
            let level = level.clamp(2.0, 64.0);
            (level, (1..=32).map(|n| 2 * n).find(|n| *n as f64 >= level).unwrap())
        }
        Spacing::FractionalOdd => {
            let level = level.clamp(1.0, 63.0);
            (level, (0..=31).map(|n| 2 * n + 1).find(|n| *n as f64 >= level).unwrap())
        }
    }
}

/// An inner level where others are above 1.
fn inner_level(spacing: Spacing, of: f32) -> (f64, i64) {
    match (level(spacing, of), spacing) {
        ((_, 1), Spacing::Equal) => (2.0, 2),
        ((_, 1), _) => (1.0 + 1.0 / 65536.0, 3),
        (known, _) => known,
    }
}

/// The points of a side as exact fractions `over / under`: n − 2 long segments and two short ones at the ends, which
/// measure 1 − (n − f) / 2 of a long one. So one long one measures 1 / (n − 2 + 2 − (n − f)) = 1 / f.
fn side((f, n): (f64, i64)) -> Vec<(i128, i128)> {
    // f in units of 2^-23 is a whole number.
    let one = 1i128 << 23;
    let f = (f * one as f64) as i128;
    let short = 2 * one - (i128::from(n) * one - f); // of a whole of 2 f
    let mut points = Vec::from([(0, 1)]);
    for i in 1..n {
        points.push((short + 2 * one * i128::from(i - 1), 2 * f));
    }
    points.push((1, 1));
    points
}

fn in_units(points: &[[f32; 3]]) -> Vec<[i64; 3]> {
    let whole = |x: &f32| {
        let units = f64::from(*x) * UNIT as f64;
        assert_eq!(units, units as i64 as f64, "a multiple of 2^-24");
        units as i64
    };
    points.iter().map(|p| [whole(&p[0]), whole(&p[1]), whole(&p[2])]).collect()
}

/// Whether a place is a fraction, but for so many units.
fn near(at: i64, (over, under): (i128, i128), half_units: i128) -> bool {
    (2 * (i128::from(at) * under - over * i128::from(UNIT))).abs() <= half_units * under
}

/// Compares the places of points along a side with the fractions, and with themselves from the other end.
fn check_side(mut places: Vec<i64>, of: (f64, i64), what: &str) {
    places.sort_unstable();
    let wanted = side(of);
    assert_eq!(places.len(), wanted.len(), "{what}: points of a side");
    for (i, (at, wanted)) in places.iter().zip(&wanted).enumerate() {
        assert!(near(*at, *wanted, 1), "{what}: point {i} is {at}, not {wanted:?}");
        let (u, other) = (*at as f32 / UNIT as f32, places[places.len() - 1 - i] as f32 / UNIT as f32);
        assert_eq!(1.0 - u, other, "{what}: 1 - u is a point, to the bit");
    }
}

/// Checks that triangles cover the domain: areas are not negative and sum to the whole, each inner edge belongs to two
/// triangles in opposite directions, and the others are `border`, one after another.
fn check_cover(
    points: &[[i64; 3]],
    triangles: &[[u32; 3]],
    whole: i64,
    border: &[u32],
    tiny: bool,
    what: &str,
) {
    let mut edges: BTreeMap<(u32, u32), u32> = BTreeMap::new();
    let mut used = BTreeSet::new();
    let mut sum = 0;
    for [a, b, c] in triangles {
        let [p, q, r] = [a, b, c].map(|i| points[*i as usize]);
        let area = (q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0]);
        assert!(if tiny { area >= 0 } else { area > 0 }, "{what}: triangle {a} {b} {c} has area {area}");
        sum += area;
        for edge in [(*a, *b), (*b, *c), (*c, *a)] {
            *edges.entry(edge).or_default() += 1;
            used.insert(edge.0);
        }
    }
    assert_eq!(sum, whole, "{what}: the areas sum to the domain's");
    assert_eq!(used.len(), points.len(), "{what}: every point is used");
    let mut open = BTreeSet::new();
    for (&(a, b), &count) in &edges {
        assert_eq!(count, 1, "{what}: edge {a} {b}");
        if !edges.contains_key(&(b, a)) {
            open.insert((a, b));
        }
    }
    let border: BTreeSet<(u32, u32)> =
        (0..border.len()).map(|i| (border[i], border[(i + 1) % border.len()])).collect();
    assert_eq!(open, border, "{what}: the open edges are the border");
}

fn triangles_of(of: &Tessellated) -> &[[u32; 3]] {
    match &of.connectivity {
        Connectivity::Triangles(list) => list,
        other => panic!("{other:?}"),
    }
}

fn tessellator(domain: Domain, spacing: Spacing) -> Tessellator {
    Tessellator { domain, spacing, clockwise: false, points: false }
}

fn distinct(points: &[[i64; 3]]) -> bool {
    points.iter().collect::<BTreeSet<_>>().len() == points.len()
}

fn check_triangle(spacing: Spacing, outer: [f32; 3], inner: f32) {
    let what = format!("triangle {spacing:?} {outer:?} {inner}");
    let with = tessellator(Domain::Triangles, spacing);
    let [a, b, c] = outer;
    let made = with.divide([a, b, c, f32::NAN], [inner, f32::NAN]).expect("not discarded");
    let points = in_units(&made.points);
    for point in &points {
        assert_eq!(point.iter().sum::<i64>(), UNIT, "{what}: u + v + w");
        let [u, v, w] = point.map(|x| x as f32 / UNIT as f32);
        assert_eq!(u + v + w, 1.0, "{what}");
    }
    let levels = outer.map(|of| level(spacing, of));
    let on_border: usize = levels.iter().map(|(_, n)| *n as usize).sum();
    let all_one = on_border == 3 && level(spacing, inner).1 == 1;
    let (f, n) = if all_one { (1.0, 1) } else { inner_level(spacing, inner) };
    // Rings of 3 m points with m = n − 2, n − 4, …; a ring of no segments is a point.
    let inside: i64 = (1..=n / 2).map(|k| if n == 2 * k { 1 } else { 3 * (n - 2 * k) }).sum();
    assert_eq!(points.len(), on_border + inside as usize, "{what}: points");
    // The border comes first, counter-clockwise. A tiny side may have points that are the same number.
    for side in 0..3 {
        // Along u = 0 v runs, along v = 0 w, along w = 0 u.
        let start: usize = [levels[1].1 + levels[2].1, 0, levels[1].1][side] as usize;
        let count = levels[side].1 as usize;
        let places = (start..=start + count).map(|i| {
            let point = points[i % on_border];
            assert_eq!(point[side], 0, "{what}: point {i} lies on side {side}");
            point[(side + 1) % 3]
        });
        check_side(places.collect(), levels[side], &what);
    }
    // Inner points: what perpendiculars from the points of the inner level's side give.
    if n > 1 {
        let t = side((f, n));
        let mut wanted = Vec::new();
        for k in 1..=n / 2 {
            if n == 2 * k {
                wanted.push([1.0 / 3.0; 3]);
                continue;
            }
            let value = |i: i64| t[i as usize].0 as f64 / t[i as usize].1 as f64;
            let depth = value(k) * 2.0 / 3.0;
            for side in [1, 2, 0] {
                for i in k..n - k {
                    // The foot of the perpendicular at t divides the side of the ring: half the depth off to both.
                    let (near, far) = (value(i) - depth / 2.0, 1.0 - value(i) - depth / 2.0);
                    let mut point = [0.0; 3];
                    point[(side + 1) % 3] = far;
                    point[(side + 2) % 3] = near;
                    point[side] = depth;
                    wanted.push(point);
                }
            }
        }
        assert_eq!(wanted.len(), points.len() - on_border, "{what}: inner points");
        for (q, point) in points[on_border..].iter().zip(wanted) {
            let close = (0..3).all(|i| (q[i] as f64 - point[i] * UNIT as f64).abs() <= 4.0);
            assert!(close, "{what}: {q:?} is not {point:?}");
        }
    }
    let triangles = triangles_of(&made);
    // Euler: of V points, B of them on the border, 2 V − B − 2 triangles.
    assert_eq!(triangles.len(), 2 * points.len() - on_border - 2, "{what}: triangles");
    let border: Vec<u32> = (0..on_border as u32).collect();
    assert!(distinct(&points), "{what}: no point twice");
    check_cover(&points, triangles, UNIT * UNIT, &border, false, &what);
}

fn check_quad(spacing: Spacing, outer: [f32; 4], inner: [f32; 2]) {
    let what = format!("quad {spacing:?} {outer:?} {inner:?}");
    let made = tessellator(Domain::Quads, spacing).divide(outer, inner).expect("not discarded");
    let points = in_units(&made.points);
    assert!(points.iter().all(|p| p[2] == 0), "{what}: w is 0");
    let levels = outer.map(|of| level(spacing, of));
    let on_border: usize = levels.iter().map(|(_, n)| *n as usize).sum();
    let whole = on_border == 4 && inner.iter().all(|of| level(spacing, *of).1 == 1);
    let mut expected = on_border;
    if !whole {
        let [u, v] = inner.map(|of| inner_level(spacing, of));
        expected += ((u.1 - 1) * (v.1 - 1)) as usize;
        let (columns, rows) = (side(u), side(v));
        let mut grid = points[on_border..].iter();
        for row in &rows[1..rows.len() - 1] {
            for column in &columns[1..columns.len() - 1] {
                let point = grid.next().unwrap_or_else(|| panic!("{what}: a point is missing"));
                assert!(near(point[0], *column, 1) && near(point[1], *row, 1), "{what}: {point:?}");
            }
        }
    }
    assert_eq!(points.len(), expected, "{what}: points");
    // Border: v = 0, u = 1, v = 1, u = 0, which are the levels 1, 2, 3, 0.
    let mut start = 0;
    for (number, (fixed, at, along)) in [(1, (1, 0, 0)), (2, (0, UNIT, 1)), (3, (1, UNIT, 0)), (0, (0, 0, 1))]
    {
        let count = levels[number].1 as usize;
        let places = (start..=start + count).map(|i| {
            let point = points[i % on_border];
            assert_eq!(point[fixed], at, "{what}: point {i} lies on side {number}");
            point[along]
        });
        check_side(places.collect(), levels[number], &what);
        start += count;
    }
    let triangles = triangles_of(&made);
    assert_eq!(triangles.len(), 2 * points.len() - on_border - 2, "{what}: triangles");
    let border: Vec<u32> = (0..on_border as u32).collect();
    assert!(distinct(&points), "{what}: no point twice");
    check_cover(&points, triangles, 2 * UNIT * UNIT, &border, false, &what);
}

#[test]
fn triangles_equal_a_derivation() {
    for spacing in SPACINGS {
        for (i, inner) in LEVELS.into_iter().enumerate() {
            for (j, outer) in LEVELS.into_iter().enumerate() {
                if !together(inner, outer) {
                    continue;
                }
                check_triangle(spacing, [outer; 3], inner);
                let other = |n: usize| LEVELS[(i * n + j * 5 + n) % LEVELS.len()];
                check_triangle(spacing, [other(3), outer, other(1)], inner);
            }
            for n in (0..27).filter(|_| inner <= 8.0) {
                let of = |n: usize| [1.0, 2.5, 4.0][n % 3];
                check_triangle(spacing, [of(n), of(n / 3), of(n / 9)], inner);
            }
        }
    }
}

#[test]
fn quads_equal_a_derivation() {
    for spacing in SPACINGS {
        for (i, u) in LEVELS.into_iter().enumerate() {
            for (j, v) in LEVELS.into_iter().enumerate() {
                if !together(u, v) {
                    continue;
                }
                let other = |n: usize| LEVELS[(i * n + j * 5 + n) % LEVELS.len()];
                check_quad(spacing, [other(0), other(1), other(2), other(3)], [u, v]);
                // Sides of one level with each inner one.
                check_quad(spacing, [v; 4], [u.min(v + 2.0); 2]);
            }
            for n in 0..81 {
                let of = |n: usize| [1.0, 2.5, 4.0][n % 3];
                check_quad(spacing, [of(n), of(n / 3), of(n / 9), of(n / 27)], [u.min(8.0), of(n / 3 + n)]);
            }
        }
    }
}

#[test]
fn isolines_equal_a_derivation() {
    for spacing in SPACINGS {
        for lines in LEVELS {
            for detail in LEVELS {
                let what = format!("isolines {spacing:?} {lines} {detail}");
                let with = tessellator(Domain::Isolines, spacing);
                let made =
                    with.divide([lines, detail, f32::NAN, -1.0], [f32::NAN; 2]).expect("not discarded");
                let points = in_units(&made.points);
                // How many lines does not depend on the spacing.
                let rows = level(Spacing::Equal, lines);
                let detail = level(spacing, detail);
                let length = detail.1 as usize + 1;
                assert_eq!(points.len(), rows.1 as usize * length, "{what}");
                for (line, at) in points.chunks(length).zip(side(rows)) {
                    assert!(line.iter().all(|p| near(p[1], at, 1) && p[1] < UNIT && p[2] == 0), "{what}");
                    assert!(
                        line.windows(2).all(|pair| pair[0][0] < pair[1][0]),
                        "{what}: from left to right"
                    );
                    check_side(line.iter().map(|p| p[0]).collect(), detail, &what);
                }
                let Connectivity::Lines(segments) = made.connectivity else { panic!("{what}") };
                let wanted = (0..points.len() as u32).filter(|i| *i as usize % length > 0);
                assert_eq!(segments, wanted.map(|i| [i - 1, i]).collect::<Vec<_>>(), "{what}");
            }
        }
    }
}

#[test]
fn a_level_of_one_everywhere_divides_nothing() {
    for spacing in [Spacing::Equal, Spacing::FractionalOdd] {
        let made = tessellator(Domain::Triangles, spacing).divide([1.0; 4], [1.0; 2]).unwrap();
        assert_eq!(made.points, [[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]);
        assert_eq!(made.connectivity, Connectivity::Triangles([[0, 1, 2]].into()));
        let made = tessellator(Domain::Quads, spacing).divide([1.0; 4], [1.0; 2]).unwrap();
        assert_eq!(made.points, [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]]);
    }
    // One quad of inner level 1 × 3 is divided, though its sides are not: 1 counts as 2.
    let made = tessellator(Domain::Quads, Spacing::Equal).divide([1.0; 4], [1.0, 3.0]).unwrap();
    assert_eq!(made.points.len(), 4 + 2);
}

#[test]
fn what_hangs_together_mirrors_itself() {
    // Sides of an even number of segments have a point in their middle, and all that the order of sides decides lies there.
    for n in [2.0, 4.0, 6.0, 8.0] {
        let made = tessellator(Domain::Triangles, Spacing::Equal).divide([n; 4], [n; 2]).unwrap();
        let points = in_units(&made.points);
        // The centre is one unit off.
        let of = |i: &u32| points[*i as usize].map(|x| (x + 8) / 16);
        let set = |order: [usize; 3]| -> BTreeSet<BTreeSet<[i64; 3]>> {
            let place = |i: &u32| order.map(|o| of(i)[o]);
            triangles_of(&made).iter().map(|t| t.iter().map(place).collect()).collect()
        };
        for order in [[2, 1, 0], [1, 0, 2], [1, 2, 0]] {
            assert_eq!(set([0, 1, 2]), set(order), "level {n}");
        }
    }
}

#[test]
fn points_and_direction() {
    for domain in [Domain::Triangles, Domain::Quads, Domain::Isolines] {
        for spacing in SPACINGS {
            let with = tessellator(domain, spacing);
            let (outer, inner) = ([2.0, 3.5, 5.0, 4.0], [3.0, 1.0]);
            let plain = with.divide(outer, inner).unwrap();
            // The same points, each once.
            let points = Tessellator { points: true, ..with }.divide(outer, inner).unwrap();
            assert_eq!(points.points, plain.points);
            assert_eq!(points.connectivity, Connectivity::Points);
            assert!(distinct(&in_units(&points.points)));
            let clockwise = Tessellator { clockwise: true, ..with }.divide(outer, inner).unwrap();
            assert_eq!(clockwise.points, plain.points);
            match (&clockwise.connectivity, &plain.connectivity) {
                (Connectivity::Triangles(a), Connectivity::Triangles(b)) => {
                    let turned: Vec<_> = b.iter().map(|[a, b, c]| [*a, *c, *b]).collect();
                    assert_eq!(*a, turned);
                }
                (a, b) => assert_eq!(a, b),
            }
        }
    }
}

#[test]
fn what_is_no_level_discards_the_patch() {
    for (domain, used) in [(Domain::Triangles, 3), (Domain::Quads, 4), (Domain::Isolines, 2)] {
        for spacing in SPACINGS {
            for bad in [0.0, -0.0, -3.0, f32::NEG_INFINITY, f32::NAN] {
                for i in 0..4 {
                    let mut outer = [2.0; 4];
                    outer[i] = bad;
                    let made = tessellator(domain, spacing).divide(outer, [2.0; 2]);
                    assert_eq!(made.is_none(), i < used, "{domain:?} {outer:?}");
                }
                // Of inner levels that is the least one.
                let with = tessellator(domain, spacing);
                assert_eq!(with.divide([2.0; 4], [bad; 2]), with.divide([2.0; 4], [f32::MIN_POSITIVE; 2]));
            }
            // The highest is the most there is.
            let with = tessellator(domain, spacing);
            let most = with.divide([f32::INFINITY; 4], [f32::MAX; 2]).unwrap();
            assert_eq!(Some(most), with.divide([64.0; 4], [64.0; 2]));
        }
    }
}

#[test]
fn levels_near_a_whole_number_leave_nothing_open() {
    // Short segments may vanish here, so triangles may have no area, but never a wrong one.
    for spacing in SPACINGS {
        for whole in [1u32, 2, 3, 4, 5, 31, 62, 63] {
            let up = f32::from_bits((whole as f32).to_bits() + 1);
            let down = f32::from_bits((whole as f32).to_bits() - 1);
            for of in [up, down] {
                let what = format!("{spacing:?} {of}");
                let made = tessellator(Domain::Triangles, spacing).divide([of; 4], [of; 2]).unwrap();
                let border = 3 * level(spacing, of).1 as u32;
                let border: Vec<u32> = (0..border).collect();
                let points = in_units(&made.points);
                check_cover(&points, triangles_of(&made), UNIT * UNIT, &border, true, &what);
                let made = tessellator(Domain::Quads, spacing).divide([of; 4], [of; 2]).unwrap();
                let border = 4 * level(spacing, of).1 as u32;
                let border: Vec<u32> = (0..border).collect();
                let points = in_units(&made.points);
                check_cover(&points, triangles_of(&made), 2 * UNIT * UNIT, &border, true, &what);
            }
        }
    }
}
