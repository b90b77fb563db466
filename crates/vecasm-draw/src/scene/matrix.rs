//! 4 × 4 matrices for scenes: rows that are dotted with a column vector, as `m44` does it.

use super::json::Node;
use crate::RenderError;
use vecasm_ir::math;

/// Rows.
pub(super) type Matrix = [[f32; 4]; 4];

pub(super) const IDENTITY: Matrix =
    [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 1.0]];

/// `a · b`: first `b`, then `a`.
pub(super) fn product(a: &Matrix, b: &Matrix) -> Matrix {
    let mut out = [[0.0; 4]; 4];
    for (row, out) in a.iter().zip(&mut out) {
        for (column, out) in out.iter_mut().enumerate() {
            *out = (0..4).map(|k| row[k] * b[k][column]).sum();
        }
    }
    out
}

/// Rows and columns exchanged.
pub(super) fn transposed(m: &Matrix) -> Matrix {
    core::array::from_fn(|row| core::array::from_fn(|column| m[column][row]))
}

pub(super) fn dot(a: [f32; 3], b: [f32; 3]) -> f32 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

pub(super) fn cross(a: [f32; 3], b: [f32; 3]) -> [f32; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

pub(super) fn sub(a: [f32; 3], b: [f32; 3]) -> [f32; 3] {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

/// The vector with length 1; zero stays zero.
pub(super) fn normalized(v: [f32; 3]) -> [f32; 3] {
    let length = math::sqrt(dot(v, v));
    if length > 0.0 { v.map(|x| x / length) } else { v }
}

/// The transposed cofactors of the upper left 3 × 3 part, which is what normals are transformed by.
pub(super) fn normal_rows(m: &Matrix) -> [[f32; 4]; 3] {
    let row = |i: usize| [m[i][0], m[i][1], m[i][2]];
    let cofactors = [cross(row(1), row(2)), cross(row(2), row(0)), cross(row(0), row(1))];
    let determinant = dot(row(0), cofactors[0]);
    let scale = if determinant == 0.0 { 1.0 } else { 1.0 / determinant };
    cofactors.map(|c| [c[0] * scale, c[1] * scale, c[2] * scale, 0.0])
}

/// Rotation by an angle in degrees around an axis; seen against the axis it turns counter-clockwise.
fn rotation(axis: [f32; 3], degrees: f32) -> Matrix {
    let [x, y, z] = normalized(axis);
    let angle = degrees * (core::f32::consts::PI / 180.0);
    let (s, c) = (math::sin(angle), math::cos(angle));
    let t = 1.0 - c;
    [
        [t * x * x + c, t * x * y - s * z, t * x * z + s * y, 0.0],
        [t * x * y + s * z, t * y * y + c, t * y * z - s * x, 0.0],
        [t * x * z - s * y, t * y * z + s * x, t * z * z + c, 0.0],
        [0.0, 0.0, 0.0, 1.0],
    ]
}

/// Where a scene is looked at from: right-handed, y up, looking along −z; clip space with 0 ≤ z ≤ w.
#[derive(Clone, Copy, Debug)]
pub(super) struct Camera {
    pub(super) eye: [f32; 3],
    pub(super) view: Matrix,
    pub(super) projection: Matrix,
}

impl Camera {
    /// Reads the `camera` of a scene; without one the eye is at (0, 0, 3).
    pub(super) fn read(node: Option<Node<'_, '_>>, aspect: f32, time: f32) -> Result<Self, RenderError> {
        let mut eye = [0.0, 0.0, 3.0];
        let mut target = [0.0; 3];
        let mut up = [0.0, 1.0, 0.0];
        let (mut fov, mut near, mut far) = (45.0f32, 0.1f32, 100.0f32);
        let mut height = None;
        if let Some(node) = node {
            node.only(&["eye", "target", "up", "fov", "near", "far", "orthographic", "orbit"])?;
            if let Some(n) = node.get("eye") {
                eye = n.numbers()?;
            }
            if let Some(n) = node.get("target") {
                target = n.numbers()?;
            }
            if let Some(n) = node.get("up") {
                up = n.numbers()?;
            }
            if let Some(n) = node.get("fov") {
                fov = n.number()?;
                if !(fov > 0.0 && fov < 180.0) {
                    return Err(n.error("expected a field of view between 0 and 180 degrees"));
                }
            }
            if let Some(n) = node.get("near") {
                near = n.number()?;
            }
            if let Some(n) = node.get("far") {
                far = n.number()?;
            }
            if far <= near {
                return Err(node.error("\"far\" must be greater than \"near\""));
            }
            if let Some(n) = node.get("orthographic") {
                height = Some(n.number()?);
            }
            if let Some(n) = node.get("orbit") {
                let turn = rotation([0.0, 1.0, 0.0], n.number()? * time);
                let arm = sub(eye, target);
                for i in 0..3 {
                    eye[i] = target[i] + dot([turn[i][0], turn[i][1], turn[i][2]], arm);
                }
            }
        }
        let back = normalized(sub(eye, target));
        let right = normalized(cross(up, back));
        let above = cross(back, right);
        let row = |axis: [f32; 3]| [axis[0], axis[1], axis[2], -dot(axis, eye)];
        let view = [row(right), row(above), row(back), [0.0, 0.0, 0.0, 1.0]];
        let depth = 1.0 / (near - far);
        let projection = match height {
            Some(height) => [
                [2.0 / (height * aspect), 0.0, 0.0, 0.0],
                [0.0, 2.0 / height, 0.0, 0.0],
                [0.0, 0.0, depth, near * depth],
                [0.0, 0.0, 0.0, 1.0],
            ],
            None => {
                let half = fov * (core::f32::consts::PI / 360.0);
                let scale = math::cos(half) / math::sin(half);
                [
                    [scale / aspect, 0.0, 0.0, 0.0],
                    [0.0, scale, 0.0, 0.0],
                    [0.0, 0.0, far * depth, near * far * depth],
                    [0.0, 0.0, -1.0, 0.0],
                ]
            }
        };
        Ok(Self { eye, view, projection })
    }
}

/// Reads a list of transformations, applied in the order they are written.
pub(super) fn transform(node: Node<'_, '_>, time: f32) -> Result<Matrix, RenderError> {
    let mut all = IDENTITY;
    for item in node.items()? {
        all = product(&single(item, time)?, &all);
    }
    Ok(all)
}

const AXES: [(&str, [f32; 3]); 3] =
    [("rotateX", [1.0, 0.0, 0.0]), ("rotateY", [0.0, 1.0, 0.0]), ("rotateZ", [0.0, 0.0, 1.0])];

fn single(node: Node<'_, '_>, time: f32) -> Result<Matrix, RenderError> {
    node.only(&[
        "translate",
        "scale",
        "rotate",
        "degrees",
        "rotateX",
        "rotateY",
        "rotateZ",
        "speed",
        "rows",
    ])?;
    let main = node.entries()?.filter(|(key, _)| !matches!(*key, "degrees" | "speed")).count();
    if main != 1 {
        return Err(node.error("expected one of translate, scale, rotate, rotateX, rotateY, rotateZ, rows"));
    }
    let speed = match node.get("speed") {
        Some(n) => n.number()? * time,
        None => 0.0,
    };
    let mut m = IDENTITY;
    if let Some(n) = node.get("translate") {
        let by: [f32; 3] = n.numbers()?;
        for (row, by) in m.iter_mut().zip(by) {
            row[3] = by;
        }
    } else if let Some(n) = node.get("scale") {
        let by = if n.is_number() { [n.number()?; 3] } else { n.numbers()? };
        for (i, by) in by.into_iter().enumerate() {
            m[i][i] = by;
        }
    } else if let Some(n) = node.get("rotate") {
        m = rotation(n.numbers()?, node.need("degrees")?.number()? + speed);
    } else if let Some(n) = node.get("rows") {
        let rows = n.items()?;
        if rows.len() != 4 {
            return Err(n.error("expected four rows of four numbers"));
        }
        for (row, n) in m.iter_mut().zip(rows) {
            *row = n.numbers()?;
        }
    } else {
        for (key, axis) in AXES {
            if let Some(n) = node.get(key) {
                m = rotation(axis, n.number()? + speed);
            }
        }
    }
    Ok(m)
}

#[cfg(test)]
mod tests {
    use super::super::json::read;
    use super::*;

    fn apply(m: &Matrix, p: [f32; 3]) -> [f32; 4] {
        m.map(|r| r[0] * p[0] + r[1] * p[1] + r[2] * p[2] + r[3])
    }

    #[test]
    fn transformations_apply_in_written_order() {
        let json = read(br#"[{"scale": 2}, {"translate": [1, 0, 0]}, {"rotateZ": 90}]"#).unwrap();
        let m = transform(Node::root(&json), 0.0).unwrap();
        // (1,0,0) -> (2,0,0) -> (3,0,0) -> a quarter turn from x to y: (0,3,0)
        let p = apply(&m, [1.0, 0.0, 0.0]);
        assert!(p[0].abs() < 1e-5 && (p[1] - 3.0).abs() < 1e-5);
    }

    #[test]
    fn near_and_far_plane_are_the_ends_of_depth() {
        let json = read(br#"{"eye": [0, 0, 5], "near": 1, "far": 9}"#).unwrap();
        let camera = Camera::read(Some(Node::root(&json)), 1.0, 0.0).unwrap();
        let m = product(&camera.projection, &camera.view);
        let near = apply(&m, [0.0, 0.0, 4.0]);
        let far = apply(&m, [0.0, 0.0, -4.0]);
        assert!(near[2].abs() < 1e-5 && (near[3] - 1.0).abs() < 1e-5);
        assert!((far[2] - far[3]).abs() < 1e-4 && (far[3] - 9.0).abs() < 1e-4);
    }

    #[test]
    fn normals_stay_perpendicular_under_uneven_scale() {
        let json = read(br#"[{"scale": [1, 4, 1]}, {"rotateX": 30}]"#).unwrap();
        let m = transform(Node::root(&json), 0.0).unwrap();
        let n = normal_rows(&m);
        let (tangent, normal) = ([1.0, 1.0, 0.0], [1.0, -1.0, 0.0]);
        let t = apply(&m, tangent);
        let n = n.map(|r| r[0] * normal[0] + r[1] * normal[1] + r[2] * normal[2]);
        assert!(dot([t[0], t[1], t[2]], n).abs() < 1e-5);
    }
}
