//! The language of scripts: rhai, with bounds and without anything that reaches outside.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock};

use rhai::packages::{
    ArithmeticPackage, BasicArrayPackage, BasicIteratorPackage, BasicMapPackage, BasicMathPackage, BasicStringPackage,
    LogicPackage, MoreStringPackage, Package,
};
use rhai::{AST, Engine, OptimizationLevel, ParseErrorType, Position, Scope};

use super::limits;
use super::mistake::{Embedded, Mistake};
use super::{functions, scope, table};

/// Words of the language that a script cannot use: they write somewhere, or make code at run time.
const DISABLED: [&str; 3] = ["eval", "print", "debug"];

/// The language, and how many operations were used since the budget was given.
pub struct Language {
    engine: Engine,
    used: Arc<AtomicU64>,
}

impl std::fmt::Debug for Language {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Language")
    }
}

impl Language {
    /// With a full budget.
    pub fn new() -> Language {
        let mut engine = Engine::new_raw();
        // Not the core package: it can sleep.
        ArithmeticPackage::new().register_into_engine(&mut engine);
        LogicPackage::new().register_into_engine(&mut engine);
        BasicMathPackage::new().register_into_engine(&mut engine);
        BasicIteratorPackage::new().register_into_engine(&mut engine);
        BasicStringPackage::new().register_into_engine(&mut engine);
        MoreStringPackage::new().register_into_engine(&mut engine);
        BasicArrayPackage::new().register_into_engine(&mut engine);
        BasicMapPackage::new().register_into_engine(&mut engine);
        for word in DISABLED {
            engine.disable_symbol(word);
        }
        engine.set_optimization_level(OptimizationLevel::None);
        engine.set_strict_variables(true);
        engine.set_max_call_levels(limits::CALLS);
        engine.set_max_expr_depths(limits::DEPTH, limits::DEPTH);
        engine.set_max_functions(limits::FUNCTIONS);
        engine.set_max_variables(limits::VARIABLES);
        engine.set_max_string_size(limits::STRING_BYTES);
        engine.set_max_array_size(limits::LIST);
        engine.set_max_map_size(limits::MAP);
        // One budget for all expressions about a window: the engine's own counter begins anew with each.
        let used = Arc::new(AtomicU64::new(0));
        let counted = Arc::clone(&used);
        engine.on_progress(move |_| {
            let over = counted.fetch_add(1, Ordering::Relaxed) >= limits::OPERATIONS;
            over.then(|| format!("it takes more than {} operations", limits::OPERATIONS).into())
        });
        // So that a name always means what docs/tunlets.md says. ("Deprecated" only marks what rhai may change.)
        #[allow(deprecated)]
        engine.on_def_var(|_, defined, _| Ok(!scope::is_name(defined.name())));
        functions::register(&mut engine, &used);
        table::register(&mut engine);
        Language { engine, used }
    }

    /// Gives the budget for another window.
    pub fn refill(&self) {
        self.used.store(0, Ordering::Relaxed);
    }

    /// Compiles a text that may use the names of `scope`.
    pub fn compile(&self, text: &Embedded, scope: &Scope<'static>) -> Result<AST, Mistake> {
        self.engine.compile_with_scope(scope, &text.text).map_err(|error| {
            let (line, column) = line_and_column(error.position());
            text.mistake(line, column, sentence(error.err_type(), scope))
        })
    }

    /// Runs a compiled text.
    ///
    /// # Errors
    /// What went wrong, as half a sentence.
    pub fn run(&self, ast: &AST, scope: &mut Scope<'static>) -> Result<rhai::Dynamic, String> {
        self.engine.eval_ast_with_scope(scope, ast).map_err(|error| failure(&error))
    }
}

/// Line and column from 1; 0 where they are not known.
pub fn line_and_column(position: Position) -> (usize, usize) {
    (position.line().unwrap_or(0), position.position().unwrap_or(0))
}

fn sentence(what: &ParseErrorType, scope: &Scope<'static>) -> String {
    match what {
        ParseErrorType::VariableUndefined(name) => {
            let names: Vec<&str> = scope.iter().map(|(name, ..)| name).collect();
            format!(
                "nothing is called `{name}`; there are {} (a function of the script sees its parameters only)",
                names.join(", ")
            )
        }
        ParseErrorType::ForbiddenVariable(name) => format!("`{name}` is a name of the window's: choose another"),
        other => one_line(&other.to_string()),
    }
}

fn failure(error: &rhai::EvalAltResult) -> String {
    use rhai::EvalAltResult::{ErrorInFunctionCall, ErrorRuntime, ErrorTerminated};
    let place = match line_and_column(error.position()) {
        (0, _) => String::new(),
        (line, _) => format!(" (line {line} of the script)"),
    };
    match error {
        ErrorTerminated(token, _) => format!("{token}"),
        ErrorInFunctionCall(name, _, inner, _) => format!("in {name}: {}", failure(inner)),
        ErrorRuntime(value, _) => format!("{}{place}", one_line(&value.to_string())),
        other => {
            let text = one_line(&other.to_string());
            let text = text.split(" (line ").next().unwrap_or_default();
            format!("{text}{place}")
        }
    }
}

fn one_line(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ")
}

/// Names of all functions that a script may call.
pub fn known_functions() -> &'static BTreeSet<String> {
    static NAMES: LazyLock<BTreeSet<String>> = LazyLock::new(|| {
        let signatures = Language::new().engine.gen_fn_signatures(true);
        let name = |signature: &String| signature.split('(').next().unwrap_or_default().trim().to_owned();
        signatures.iter().map(name).collect()
    });
    &NAMES
}
