//! Which lanes of which inputs the fields of a record are.

use vecasm::exec::runfile::{RunFileError, find_input};
use vecasm::ir::{Input, InputKind, Scalar, Shader};

/// The letters of lanes.
const LANES: &str = "xyzw";

/// A lane of an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Field {
    /// The number of the input.
    pub(super) input: usize,
    /// 0–3.
    pub(super) lane: usize,
    /// The type of the input.
    pub(super) scalar: Scalar,
}

/// What records give of the inputs of a shader.
#[derive(Clone, Debug)]
pub(super) struct Columns {
    /// For each input, what a lane is that no field has; `None` if no field has any lane of it.
    pub(super) fill: Vec<Option<[u32; 4]>>,
}

/// What is wrong with fields.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum ColumnError {
    /// A field stands twice; its number.
    Twice(usize),
    /// The program reads something that no field has; what.
    Missing(String),
}

/// The fields that a name means: `v0.xy` two, `v0` as many as the input has lanes. `None` is a lane that the program does
/// not read.
pub(super) fn fields(shader: &Shader, name: &str) -> Result<Vec<Option<Field>>, String> {
    let lanes_of = |id: usize, lanes: &mut dyn Iterator<Item = usize>| {
        let scalar = shader.inputs.get(id).map_or(Scalar::F32, |input| input.ty.scalar);
        lanes.map(|lane| Some(Field { input: id, lane, scalar })).collect()
    };
    let width = |id: usize| shader.inputs.get(id).map_or(4, |input| usize::from(input.ty.lanes));
    // Names of inputs may have dots themselves.
    let whole = find_input(shader, name);
    let error = match whole {
        Ok(Some(id)) => return Ok(lanes_of(id, &mut (0..width(id)))),
        Ok(None) => return Ok(vec![None; 4]),
        Err(error) => error,
    };
    let lanes = name.rsplit_once('.').and_then(|(name, letters)| {
        let lanes: Option<Vec<usize>> = letters.chars().map(|letter| LANES.find(letter)).collect();
        Some((name, lanes.filter(|lanes| (1..=4).contains(&lanes.len()))?))
    });
    let Some((register, lanes)) = lanes else { return Err(unknown(&error, name)) };
    match find_input(shader, register) {
        Ok(Some(id)) => match lanes.iter().find(|lane| **lane >= width(id)) {
            Some(_) => Err(format!("{register} has {} of the lanes xyzw", width(id))),
            None => Ok(lanes_of(id, &mut lanes.into_iter())),
        },
        Ok(None) => Ok(vec![None; lanes.len()]),
        Err(error) => Err(unknown(&error, register)),
    }
}

fn unknown(error: &RunFileError, name: &str) -> String {
    format!("\"{}\": {}", shown(name), error.message)
}

/// The start of a text that may be anything.
pub(super) fn shown(text: &str) -> String {
    let start: String = text.chars().take(40).collect();
    let start = start.escape_debug().to_string();
    if text.chars().nth(40).is_some() { format!("{start}…") } else { start }
}

/// What a lane reads that is not given.
fn absent(input: &Input) -> [u32; 4] {
    [0, 0, 0, if input.ty.scalar == Scalar::F32 { 1.0f32.to_bits() } else { 0 }]
}

impl Columns {
    /// Checks that fields give what a shader reads, and nothing twice.
    pub(super) fn new(shader: &Shader, fields: &[Option<Field>]) -> Result<Self, ColumnError> {
        let mut given = vec![[false; 4]; shader.inputs.len()];
        for (number, field) in fields.iter().enumerate() {
            let Some(Field { input, lane, .. }) = field else { continue };
            if std::mem::replace(&mut given[*input][*lane], true) {
                return Err(ColumnError::Twice(number));
            }
        }
        let fill = shader.inputs.iter().zip(given).map(|(input, given)| {
            let any = given.contains(&true);
            let known = matches!(input.kind, InputKind::System(system) if system.is_known());
            let fills = matches!(input.kind, InputKind::Attribute { .. });
            let lacking = given.iter().take(input.ty.lanes.into()).position(|given| !given);
            match lacking {
                Some(_) if !any && known => Ok(None),
                Some(_) if !any => Err(ColumnError::Missing(input.name.clone())),
                Some(lane) if !fills => {
                    let letter = LANES.chars().nth(lane).unwrap_or('?');
                    Err(ColumnError::Missing(format!("{}.{letter}", input.name)))
                }
                // Lanes that there are not are zero.
                _ if fills => Ok(Some(absent(input))),
                _ => Ok(Some([0; 4])),
            }
        });
        Ok(Self { fill: fill.collect::<Result<_, _>>()? })
    }

    /// Lists of `count` values of each input that is given, for fields to be set in them.
    pub(super) fn clear(&self, count: usize, lists: &mut Vec<Vec<[u32; 4]>>) {
        lists.resize_with(self.fill.len(), Vec::new);
        for (list, fill) in lists.iter_mut().zip(&self.fill) {
            list.clear();
            if let Some(fill) = fill {
                list.resize(count, *fill);
            }
        }
    }
}
