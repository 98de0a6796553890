//! The compiled program of a file: its script or its rules, and its objective.

use rhai::{AST, Dynamic, Map, Scope};

use super::engine::Language;
use super::file::{Decides, Description};
use super::limits;
use super::mistake::{Embedded, Mistake};
use super::names::{self, Labels};
use super::scope;
use crate::Window;

#[derive(Debug)]
struct Rule {
    number: usize,
    when: AST,
    set: Vec<(String, AST)>,
    predict_s: Option<AST>,
    predict: Option<AST>,
    why: String,
}

#[derive(Debug)]
enum Kind {
    Script(Box<AST>),
    Rules(Vec<Rule>),
}

/// The parts of a file that run.
#[derive(Debug)]
pub struct Program {
    language: Language,
    objective: AST,
    maximise: bool,
    kind: Kind,
}

impl Program {
    /// Compiles a file's program.
    ///
    /// # Errors
    /// The first mistake in it.
    pub fn compile(description: &Description) -> Result<Program, Mistake> {
        let language = Language::new();
        let labels = Labels {
            points: description.measured().map(str::to_owned).collect(),
            tuning_points: description.tuning_points.iter().map(|tuning_point| tuning_point.label.clone()).collect(),
        };
        let of_window = scope::of_window(&example(), &labels.points, &Default::default());
        let mut for_decision = of_window.clone();
        scope::for_decision(&mut for_decision, &[], 0.0, None, Map::new());
        let compiled = |text: &Embedded, scope: &Scope<'static>| -> Result<AST, Mistake> {
            let ast = language.compile(text, scope)?;
            names::check(&ast, text, &labels)?;
            Ok(ast)
        };
        let objective = compiled(&description.objective.text, &of_window)?;
        let kind = match &description.decides {
            Decides::Script(text) => Kind::Script(Box::new(compiled(text, &for_decision)?)),
            Decides::Rules(rules) => {
                let one = |(number, rule): (usize, &super::file::Rule)| -> Result<Rule, Mistake> {
                    let optional =
                        |text: &Option<Embedded>| text.as_ref().map(|text| compiled(text, &for_decision)).transpose();
                    let mut set = Vec::new();
                    for (label, text) in &rule.set {
                        if !labels.tuning_points.contains(label) {
                            let what =
                                format!("nothing declares `{label}`: there are {}", labels.tuning_points.join(", "));
                            return Err(text.mistake(0, 0, what));
                        }
                        set.push((label.clone(), compiled(text, &for_decision)?));
                    }
                    let (predict_s, predict) = (optional(&rule.predict_s)?, optional(&rule.predict)?);
                    let when = compiled(&rule.when, &for_decision)?;
                    Ok(Rule { number, when, set, predict_s, predict, why: rule.why.clone() })
                };
                Kind::Rules((1..).zip(rules).map(one).collect::<Result<_, _>>()?)
            }
        };
        Ok(Program { objective, maximise: description.objective.maximise, kind, language })
    }

    /// The objective's value of a window, whose scope this is, and its cost: what is to become small.
    ///
    /// # Errors
    /// Why there is none.
    pub fn objective(&self, scope: &Scope<'static>) -> Result<(f64, f64), String> {
        self.language.refill();
        let value =
            self.language.run(&self.objective, &mut scope.clone()).map_err(|why| format!("objective: {why}"))?;
        match super::functions::number(&value) {
            Some(value) if value > 0.0 => Ok((value, if self.maximise { 1.0 / value } else { value })),
            _ => Err(format!("objective: it is {value}, not a number above 0")),
        }
    }

    /// The cost of a value of the objective.
    pub fn cost(&self, value: f64) -> f64 {
        if self.maximise { 1.0 / value } else { value }
    }

    /// Returns the request, if any, and the script's own state. The request is the first rule that holds and is not
    /// `in_force`, or the script's last value.
    ///
    /// # Errors
    /// What went wrong.
    pub fn decide(
        &self,
        scope: &mut Scope<'static>,
        in_force: impl Fn(&Map) -> bool,
    ) -> Result<(Option<Map>, Map), String> {
        self.language.refill();
        match &self.kind {
            Kind::Script(ast) => {
                let value = self.language.run(ast, scope)?;
                let state = scope.get_value::<Map>("state").unwrap_or_default();
                let (mut entries, mut bytes) = (0, 0);
                size(&Dynamic::from(state.clone()), &mut entries, &mut bytes);
                if entries > limits::STATE || bytes > limits::STATE_BYTES {
                    return Err(format!("`state` is too large: {} entries are allowed", limits::STATE));
                }
                match value.type_name() {
                    "()" => Ok((None, state)),
                    "map" => Ok((value.try_cast::<Map>(), state)),
                    other => Err(format!("the script's last value is a {other}: a map #{{set: …}} or () is expected")),
                }
            }
            Kind::Rules(rules) => {
                for rule in rules {
                    let map = rule.ask(&self.language, scope).map_err(|why| format!("rule {}: {why}", rule.number))?;
                    if let Some(map) = map.filter(|map| !in_force(map)) {
                        return Ok((Some(map), Map::new()));
                    }
                }
                Ok((None, Map::new()))
            }
        }
    }
}

impl Rule {
    fn ask(&self, language: &Language, scope: &Scope<'static>) -> Result<Option<Map>, String> {
        let run = |ast: &AST| language.run(ast, &mut scope.clone());
        match run(&self.when)?.as_bool() {
            Ok(false) => return Ok(None),
            Ok(true) => {}
            Err(other) => return Err(format!("`when` is a {other}: true or false is expected")),
        }
        let mut set = Map::new();
        for (label, ast) in &self.set {
            set.insert(label.as_str().into(), run(ast)?);
        }
        let mut answer = Map::new();
        answer.insert("set".into(), set.into());
        answer.insert("why".into(), Dynamic::from(self.why.clone()));
        for (key, ast) in [("predict_s", &self.predict_s), ("predict", &self.predict)] {
            if let Some(ast) = ast {
                answer.insert(key.into(), run(ast)?);
            }
        }
        Ok(Some(answer))
    }
}

/// Entries of a value, and bytes of its strings.
fn size(value: &Dynamic, entries: &mut usize, bytes: &mut usize) {
    *entries += 1;
    if let Ok(list) = value.as_array_ref() {
        list.iter().for_each(|value| size(value, entries, bytes));
    } else if let Ok(map) = value.as_map_ref() {
        map.iter().for_each(|(key, value)| {
            *bytes += key.len();
            size(value, entries, bytes);
        });
    } else if let Ok(text) = value.as_immutable_string_ref() {
        *bytes += text.len();
    }
}

/// A window with every name, for compiling.
fn example() -> Window {
    Window::of_time(0, 0.0)
}
