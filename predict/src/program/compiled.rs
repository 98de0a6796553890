//! A program ready to run: parameters are numbers, names are slots.

use std::collections::BTreeMap;

use super::element::{Element, What};
use super::{BUILT_IN, ITEMS, MOST_PROCESSES, Program, ProgramError};
use midrun_models::expression::{Code, Expression};
use midrun_models::random::Random;

/// The slot of the task's or input's number; the loop indexes come behind it.
pub(super) const ITEM: usize = BUILT_IN.len();

/// A program with compiled expressions, see [`compile`].
pub(super) struct Compiled {
    pub processes: usize,
    pub run: Vec<usize>,
    pub elements: Vec<Element<Code>>,
    /// For each element the slot of its index.
    pub indexes: Vec<Option<usize>>,
    /// Number of values of a process.
    pub slots: usize,
}

pub(super) fn compile(program: &Program) -> Result<Compiled, ProgramError> {
    let known = parameters(program)?;
    let number = |name: &str| known.get(name).map(|value| Code::Number(*value));
    let mut slots: Vec<&str> = BUILT_IN.to_vec();
    slots.push(ITEMS[0]);
    let mut indexes = vec![None; program.elements.len()];
    for (element, slot) in program.elements.iter().zip(&mut indexes) {
        if let What::Loop { index: Some(name), .. } = &element.what {
            let place = slots.iter().position(|known| known == name);
            *slot = place.or_else(|| {
                slots.push(name);
                Some(slots.len() - 1)
            });
        }
    }
    let mut meaning = |name: &str| {
        let item = ITEMS.contains(&name).then_some(ITEM);
        let slot = item.or_else(|| slots.iter().position(|known| *known == name));
        let unknown = || ProgramError::Program(format!("there is no `{name}`"));
        number(name).or(slot.map(Code::Slot)).ok_or_else(unknown)
    };
    let mut code = |of: &Expression| of.compile(&mut meaning);
    let elements = program.elements.iter().map(|of| of.map(&mut code)).collect::<Result<_, _>>()?;
    let (run, slots) = (program.run.clone(), slots.len());
    Ok(Compiled { processes: processes(program)?, run, elements, indexes, slots })
}

/// The values of all parameters.
pub(super) fn parameters(program: &Program) -> Result<BTreeMap<String, f64>, ProgramError> {
    let mut known = BTreeMap::new();
    for name in program.parameters.keys() {
        parameter(program, name, &mut known, 0)?;
    }
    Ok(known)
}

/// The number of processes.
pub(super) fn processes(program: &Program) -> Result<usize, ProgramError> {
    let mut known = BTreeMap::new();
    let code = program.processes.compile(&mut |name| parameter(program, name, &mut known, 0).map(Code::Number))?;
    let processes = code.value(&[], &mut Random::new(0));
    if (1.0..=MOST_PROCESSES as f64).contains(&processes) && processes.fract() == 0.0 {
        return Ok(processes as usize);
    }
    let sentence = format!("the number of processes is {processes}, but it must be whole, 1 to {MOST_PROCESSES}");
    Err(ProgramError::Program(sentence))
}

/// The value of a parameter, which may depend on others.
fn parameter(
    program: &Program,
    name: &str,
    known: &mut BTreeMap<String, f64>,
    depth: usize,
) -> Result<f64, ProgramError> {
    if let Some(value) = known.get(name) {
        return Ok(*value);
    }
    let wrong = |what: &str| ProgramError::Parameter { name: name.to_owned(), what: what.to_owned() };
    let of = program.parameters.get(name).ok_or_else(|| wrong("there is none of this name"))?;
    if depth > 64 {
        return Err(wrong("it depends on itself, or on more than 64 others in a row"));
    }
    let code = of.compile(&mut |other| parameter(program, other, known, depth + 1).map(Code::Number))?;
    let Code::Number(value) = code else {
        return Err(wrong("nothing can be drawn here: draw it where it costs something"));
    };
    if !value.is_finite() {
        return Err(wrong(&format!("its value is {value}, but it must be finite")));
    }
    known.insert(name.to_owned(), value);
    Ok(value)
}
