//! The faces of a cube and their edges.
//!
//! A direction selects the face of its component of largest magnitude, of equal ones z before y before x, by the sign
//! of that component.

use core::ops::Neg;

/// The face a direction points at: 0..=5 for +X, −X, +Y, −Y, +Z, −Z.
pub(super) fn face([x, y, z]: [f32; 3]) -> u32 {
    let [ax, ay, az] = [x.abs(), y.abs(), z.abs()];
    let (axis, component) = if az >= ax && az >= ay {
        (2, z)
    } else if ay >= ax {
        (1, y)
    } else {
        (0, x)
    };
    axis * 2 + u32::from(component < 0.0)
}

/// The same, of equal components x before y before z, as softpipe has it.
pub(super) fn face_x_first([x, y, z]: [f32; 3]) -> u32 {
    let [ax, ay, az] = [x.abs(), y.abs(), z.abs()];
    let (axis, component) = if ax >= ay && ax >= az {
        (0, x)
    } else if ay >= az {
        (1, y)
    } else {
        (2, z)
    };
    axis * 2 + u32::from(component < 0.0)
}

/// A direction in the axes of a face: right, down, outward.
pub(super) fn project<T: Copy + Neg<Output = T>>(face: u32, [x, y, z]: [T; 3]) -> [T; 3] {
    match face {
        0 => [-z, -y, x],
        1 => [z, -y, -x],
        2 => [x, z, y],
        3 => [x, -z, -y],
        4 => [x, -y, z],
        _ => [-x, -y, -z],
    }
}

/// The inverse of [`project`].
fn unproject<T: Copy + Neg<Output = T>>(face: u32, [s, t, m]: [T; 3]) -> [T; 3] {
    match face {
        0 => [m, -t, -s],
        1 => [-m, -t, s],
        2 => [s, m, t],
        3 => [s, -m, -t],
        4 => [s, -t, m],
        _ => [-s, -t, -m],
    }
}

/// The texel that lies beside the edge of a face: its face, column and row. Exactly one of `x` and `y` is -1 or
/// `size`, the other one is inside.
///
/// The direction of the centre of the missing texel is projected on the face it points at, in whole numbers: in units
/// of half a texel the centre is at 2x + 1 − size and 2y + 1 − size, `size` away from the middle of the cube.
pub(super) fn across(from: u32, x: i32, y: i32, size: i32) -> (u32, u32, u32) {
    let [x, y, z] = unproject(from, [2 * x + 1 - size, 2 * y + 1 - size, size]);
    let outside = size + 1;
    let to = match [x, y, z] {
        [x, ..] if x.abs() == outside => u32::from(x < 0),
        [_, y, _] if y.abs() == outside => 2 + u32::from(y < 0),
        _ => 4 + u32::from(z < 0),
    };
    let [s, t, m] = project(to, [x, y, z]);
    // (s / m + 1) / 2 · size, rounded down; m is the one component that is size + 1.
    let at = |v: i32| {
        let place = i64::from(v + m) * i64::from(size) / (2 * i64::from(m));
        place.clamp(0, i64::from(size) - 1) as u32
    };
    (to, at(s), at(t))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axes_and_back() {
        for f in 0..6 {
            assert_eq!(unproject(f, project(f, [1, 20, 300])), [1, 20, 300], "{f}");
            // Outward is where the face looks.
            let outward = unproject(f, [0.0, 0.0, 1.0]);
            assert_eq!(face(outward), f);
        }
    }

    #[test]
    fn every_edge_leads_to_the_neighbour_and_back() {
        // Stepping over an edge and straight back ends where it began, whatever the size.
        for size in [1, 2, 3, 8, 16_384] {
            for from in 0..6 {
                for i in [0, size / 2, size - 1] {
                    for (x, y) in [(-1, i), (size, i), (i, -1), (i, size)] {
                        let (to, tx, ty) = across(from, x, y, size);
                        assert_ne!(to / 2, from / 2, "a neighbour is on another axis");
                        let (tx, ty) = (tx as i32, ty as i32);
                        let inside = (x.clamp(0, size - 1), y.clamp(0, size - 1));
                        let back = [(-1, ty), (size, ty), (tx, -1), (tx, size)];
                        let found = back.into_iter().any(|(x, y)| {
                            let (f, bx, by) = across(to, x, y, size);
                            f == from && (bx as i32, by as i32) == inside
                        });
                        assert!(found, "size {size}: face {from} ({x}, {y}) to {to} ({tx}, {ty})");
                    }
                }
            }
        }
    }

    #[test]
    fn edges_of_the_front() {
        // +Z seen from inside: +X is at its right, −X at its left, +Y above, −Y below.
        assert_eq!(across(4, 2, 0, 2), (0, 0, 0));
        assert_eq!(across(4, -1, 1, 2), (1, 1, 1));
        // Above +Z is the last row of +Y (whose rows grow with z), below the first row of −Y.
        assert_eq!(across(4, 0, -1, 2), (2, 0, 1));
        assert_eq!(across(4, 1, 2, 2), (3, 1, 0));
    }
}
