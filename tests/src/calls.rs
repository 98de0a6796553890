//! Generates sources from the table of MPI calls, `shim/mpi/calls.json`.
//!
//! | key of the table | meaning |
//! |---|---|
//! | `name`, `args`, `large` | the function without `MPI_`, its parameters, those of its large-count form |
//! | `kind` | send, receive, probe, wait, test, persistent, collective, one-sided, communicator, spawn, init, local |
//! | `class` | where its peers are: an expression of `shim/mpi/counted.h` |
//! | `bytes` | size of its message, an expression likewise; absent = 0 |
//! | `peer`, `tag` | the parameters that a measure point can filter by |
//! | `status` | the parameter that describes the received message |
//! | `posts`, `completes` | its `request` is that of a message; it waits for requests |
//! | `keeps`, `starts`, `forgets` | it makes a persistent request, starts some, frees one |
//! | `exchanges` | peer and bytes of the message that it sends and of that which it receives, expressions likewise |
//! | `blocking`, `waits`, `safe_point` | returns when it is done; waits for other ranks; tuning points may be set before it |
//! | `frees` | its communicator or window is gone afterwards |
//! | `since` | the version of MPI that has it, where it is not 3 |
//! | `by_hand` | its wrapper is in `shim/mpi/wrappers.c` |

use serde_json::Value;
use std::fmt::Write;
use std::path::PathBuf;

use crate::root;

const AGAIN: &str = "generated from calls.json: MIDRUN_BLESS=1 cargo test -p midrun-tests --test generated";

/// A function of the table.
#[derive(Clone, Debug)]
pub struct Call {
    /// Without `MPI_`.
    pub name: String,
    /// (type, name with brackets) of each parameter.
    pub args: Vec<(String, String)>,
    /// The same of its large-count form.
    pub large: Option<Vec<(String, String)>>,
    /// All keys of the table.
    table: Value,
}

impl Call {
    fn read(table: &Value) -> Call {
        let text = |key: &str| table[key].as_str().map(str::to_owned);
        Call {
            name: text("name").expect("a name"),
            args: parameters(&text("args").expect("parameters")),
            large: text("large").map(|args| parameters(&args)),
            table: table.clone(),
        }
    }

    /// A text of the table.
    pub fn text(&self, key: &str) -> Option<&str> {
        self.table[key].as_str()
    }

    /// A flag of the table.
    pub fn is(&self, key: &str) -> bool {
        self.table[key].as_bool().unwrap_or(false)
    }

    fn is_new(&self) -> bool {
        self.table["since"].as_u64().unwrap_or(3) > 3
    }

    fn has_comm(&self) -> bool {
        self.args.iter().any(|(kind, name)| kind == "MPI_Comm" && name == "comm")
    }

    /// Whether its Fortran binding takes addresses and nothing else.
    fn is_plain_fortran(&self) -> bool {
        !self.is("by_hand") && !self.args.iter().any(|(kind, _)| kind.contains("char") || kind.contains("_function"))
    }

    fn has_buffer(&self) -> bool {
        self.args.iter().any(|(kind, _)| kind.contains("void"))
    }

    /// `END(…)` of its wrapper: `vector` is put behind the helpers that take arrays.
    fn end(&self, vector: &str) -> String {
        let class = match self.text("class").expect("a class") {
            word @ ("collective" | "local") => word.to_uppercase(),
            expression => expression.to_owned(),
        };
        let (suffix, first) = if vector == "_f" { ("_f", 1) } else { ("", 0) };
        let bytes = match self.is("starts") {
            true => format!("midrun_call_starts({}, {}, &started_)", self.requests(suffix), self.count()),
            false => self.text("bytes").unwrap_or("0").to_owned(),
        };
        let bytes = bytes.replace("_v(", &format!("_v{vector}("));
        let bytes = bytes.replace("_w(", &format!("_w{vector}("));
        let (peer, tag) = (self.text("peer").unwrap_or("MPI_PROC_NULL"), self.text("tag").unwrap_or("-1"));
        let comm = if self.has_comm() { "comm" } else { "MPI_COMM_NULL" };
        let waits = u8::from(self.is("waits"));
        let mut text =
            format!("END(CALL_{}, {waits}, begin_, result_, {class}, {bytes}, {peer}, {tag}, {comm});", self.name);
        let mut further = |call: String| text += &format!("\n  if (begin_ && result_ == MPI_SUCCESS) {call};");
        if self.is("posts") {
            further(format!("midrun_posted({}, comm == MPI_COMM_WORLD)", self.requests(suffix)));
        }
        if self.is("keeps") {
            further(format!("midrun_kept({}, comm == MPI_COMM_WORLD)", self.requests(suffix)));
        }
        if self.is("starts") {
            further(format!("midrun_call_started({}, {})", self.requests(suffix), self.count()));
        }
        if let Some(messages) = self.text("exchanges") {
            further(format!("midrun_exchanged({messages})"));
        }
        if self.is("completes") {
            let named = |name: &str| self.args.iter().any(|(_, own)| bare(own) == name);
            let count = match (named("outcount"), named("indx")) {
                (true, _) => "*outcount",
                (_, true) => "1",
                _ => self.count(),
            };
            let which = ["indx", "array_of_indices"].into_iter().find(|name| named(name)).unwrap_or("NULL");
            let statuses = match (named("status"), suffix) {
                (true, _) => "status",
                (_, "") => "STATUSES(array_of_statuses)",
                _ => "NULL",
            };
            further(format!("midrun_arrived(&awaited_, {count}, {which}, {first}, {statuses})"));
        }
        text
    }

    /// Address and size of its requests; `suffix` is that of Fortran's parameters.
    fn requests(&self, suffix: &str) -> String {
        let (_, name) = self.args.iter().find(|(kind, _)| kind.starts_with("MPI_Request")).expect("a request");
        let name = bare(name);
        let width = if suffix.is_empty() { format!("*{name}") } else { "(MPI_Fint)".to_owned() };
        format!("{name}{suffix}, sizeof {width}")
    }

    /// The number of requests that it waits for.
    fn count(&self) -> &str {
        let count = self.args.iter().find(|(kind, name)| kind == "int" && name.ends_with("count"));
        count.map_or("1", |(_, name)| name)
    }

    /// Keeps the handles of the requests that it waits for, if it does: MPI takes them away as they complete. `suffix` is that of Fortran's
    /// parameters.
    fn awaits(&self, suffix: &str) -> String {
        if !self.is("completes") {
            return String::new();
        }
        let count = match (self.count(), suffix) {
            ("1", _) => "1".to_owned(),
            (count, "") => count.to_owned(),
            (count, _) => format!("*(MPI_Fint *){count}{suffix}"),
        };
        let requests = self.requests(suffix);
        format!("  awaited_t awaited_;\n  midrun_await(&awaited_, begin_ ? {count} : 0, {requests});\n")
    }

    /// Room for the peer of the requests that it starts, if it does.
    fn declares(&self) -> &str {
        if self.is("starts") { "  int started_ = LOCAL;\n" } else { "" }
    }

    /// Forgets the request that it frees, if it does, whether it is counted or not.
    fn forgets(&self, suffix: &str) -> String {
        if self.is("forgets") { format!("midrun_forget({}); ", self.requests(suffix)) } else { String::new() }
    }

    /// Whether each of its calls is timed: what is kept of a communicator, window or persistent request has to come and go with it.
    fn is_always_seen(&self) -> bool {
        self.is("frees") || self.is("keeps")
    }

    fn begin(&self) -> String {
        format!("BEGIN(CALL_{}, {}, {})", self.name, u8::from(self.is("waits")), u8::from(self.is("safe_point")))
    }
}

fn bare(name: &str) -> &str {
    name.trim_end_matches("[]").trim_end_matches("[][3]")
}

fn declared(kind: &str, name: &str) -> String {
    let space = if kind.ends_with('*') { "" } else { " " };
    format!("{kind}{space}{name}")
}

/// Cuts `const int counts[], MPI_Comm comm` into types and names.
fn parameters(text: &str) -> Vec<(String, String)> {
    let cut = |one: &str| {
        let one = one.trim();
        let at = one.rfind([' ', '*']).expect("a type and a name") + 1;
        (one[..at].trim_end().to_owned(), one[at..].to_owned())
    };
    text.split(',').filter(|one| !one.trim().is_empty()).map(cut).collect()
}

/// The table.
pub fn table() -> Vec<Call> {
    let path = root().join("shim/mpi/calls.json");
    let text = std::fs::read_to_string(&path).expect("the table of MPI calls");
    let table: Value = serde_json::from_str(&text).expect("JSON");
    table.as_array().expect("a list").iter().map(Call::read).collect()
}

/// Path and text of each generated file.
pub fn generated() -> Vec<(PathBuf, String)> {
    let table = table();
    let file = |path: &str, text: String| (root().join(path), text);
    vec![
        file("shim/mpi/numbers.h", numbers(&table)),
        file("shim/mpi/abi/calls.h", prototypes(&table)),
        file("shim/mpi/names.c", c_names(&table)),
        file("shim/mpi/calls.c", wrappers(&table)),
        file("shim/mpi/fortran.c", fortran(&table)),
        file("shim/ring/src/calls.rs", names(&table)),
    ]
}

fn numbers(table: &[Call]) -> String {
    let mut text = format!("/* numbers.h - the numbers of the wrapped calls; {AGAIN} */\nenum {{\n");
    for (call, number) in table.iter().zip(1..) {
        let _ = writeln!(text, "  CALL_{} = {number},", call.name);
    }
    let _ = writeln!(text, "  CALLS = {}\n}};", table.len());
    text
}

fn names(table: &[Call]) -> String {
    let mut text = format!("//! The names of the counted MPI calls, by their numbers; {AGAIN}\n\n");
    text += "/// Number 0 is no call.\npub const NAMES: [&str; ";
    let _ = writeln!(text, "{}] = [\n    \"\",", table.len() + 1);
    for call in table {
        let _ = writeln!(text, "    \"MPI_{}\",", call.name);
    }
    text + "];\n"
}

fn prototypes(table: &[Call]) -> String {
    let mut text = format!("/* calls.h - the wrapped calls in MPI's standard ABI; {AGAIN} */\n");
    for call in table {
        for (args, large) in [(Some(&call.args), ""), (call.large.as_ref(), "_c")] {
            let Some(args) = args else { continue };
            let (name, list) = (&call.name, typed(args));
            let _ = writeln!(text, "int MPI_{name}{large}({list});\nint PMPI_{name}{large}({list});");
        }
    }
    text
}

fn c_names(table: &[Call]) -> String {
    let mut text = format!(
        "/* names.c - the names of the wrapped calls, by their numbers; {AGAIN} */\n#include \"counted.h\"\n\n"
    );
    text += "const char *const midrun_call_names[CALLS + 1] = {\"\"";
    for call in table {
        let _ = write!(text, ", \"MPI_{}\"", call.name);
    }
    text + "};\n"
}

fn wrappers(table: &[Call]) -> String {
    let mut text = format!("/* calls.c - the program's MPI calls, counted; {AGAIN} */\n#include \"counted.h\"\n\n");
    for call in table.iter().filter(|call| !call.is("by_hand")) {
        guarded(&mut text, call.is_new().then_some("MPI_VERSION >= 4"), &wrapper(call, &call.args, ""));
    }
    text += "\n#if MPI_VERSION >= 4\n";
    for call in table {
        if let Some(large) = &call.large {
            text += &wrapper(call, large, "_c");
        }
    }
    text + "#endif\n"
}

fn guarded(text: &mut String, condition: Option<&str>, what: &str) {
    match condition {
        Some(condition) => {
            let _ = write!(text, "\n#if {condition}{what}#endif\n");
        }
        None => *text += what,
    }
}

/// The parameters as C declares them.
fn typed(args: &[(String, String)]) -> String {
    let list: Vec<String> = args.iter().map(|(kind, name)| declared(kind, name)).collect();
    if list.is_empty() { "void".to_owned() } else { list.join(", ") }
}

fn wrapper(call: &Call, args: &[(String, String)], large: &str) -> String {
    let name = format!("{}{large}", call.name);
    let list = typed(args);
    let passed: Vec<&str> = args.iter().map(|(_, name)| bare(name)).collect();
    let passed = passed.join(", ");
    let mut text = format!("\nCOUNTED int counted_{name}({list}) {{\n");
    text += if call.is("frees") { "  midrun_peers_forget();\n" } else { "" };
    let _ = writeln!(text, "  uint64_t begin_ = {};", call.begin());
    if let Some(status) = call.text("status") {
        let _ = writeln!(text, "  MPI_Status own_;\n  if (begin_ && {status} == MPI_STATUS_IGNORE) {status} = &own_;");
    }
    text += call.declares();
    text += &call.awaits("");
    let _ = writeln!(text, "  int result_ = NEXT({name}, midrun_next{large}[CALL_{}], ({passed}));", call.name);
    let _ = writeln!(text, "  {}\n  return result_;\n}}", call.end(large));
    let passes =
        if call.is_always_seen() { "!SWITCH".to_owned() } else { format!("midrun_passes(CALL_{})", call.name) };
    let forgets = call.forgets("");
    let _ = writeln!(
        text,
        "int MPI_{name}({list}) {{ {forgets}return {passes} ? PMPI_{name}({passed}) : counted_{name}({passed}); }}"
    );
    text
}

fn fortran(table: &[Call]) -> String {
    let mut text = format!("/* fortran.c - calls of Fortran programs, counted; {AGAIN} */\n#include \"counted.h\"\n");
    text += "\n/* mpif.h and `use mpi`: Open MPI's call PMPI functions. MPICH's call the C functions, which are counted. */\n";
    text += "#ifdef OPEN_MPI\n";
    let plain: Vec<&Call> = table.iter().filter(|call| call.is_plain_fortran()).collect();
    for call in plain.iter().filter(|call| !call.is_new()) {
        text += &fortran_wrapper(call, "");
    }
    text += "#endif\n\n/* `use mpi_f08`: MPICH's with a buffer call the C functions. */\n";
    for call in plain.iter().filter(|call| !call.is_new()) {
        guarded(&mut text, call.has_buffer().then_some("defined OPEN_MPI"), &fortran_wrapper(call, "f08_"));
    }
    text
}

fn fortran_wrapper(call: &Call, suffix: &str) -> String {
    let name = call.name.to_lowercase();
    let address = |(_, name): &(String, String)| format!("{}_f", bare(name));
    let mut passed: Vec<String> = call.args.iter().map(address).collect();
    passed.push("ierr".into());
    let typed: Vec<String> = passed.iter().map(|name| format!("void *{name}")).collect();
    let (typed, passed, types) = (typed.join(", "), passed.join(", "), vec!["void *"; passed.len()].join(", "));
    let mut text = format!("\nvoid mpi_{name}_{suffix}({typed}) {{\n  static void *real;\n");
    let _ = writeln!(text, "  FIND(real, \"mpi_{name}_{suffix}\", \"pmpi_{name}_{suffix}\");");
    let real = format!("((void (*)({types}))real)({passed})");
    if call.is("frees") {
        text += "  midrun_peers_forget();\n";
    }
    if call.is("forgets") {
        let _ = writeln!(text, "  {}", call.forgets("_f").trim_end());
    }
    if !call.is_always_seen() {
        let _ = writeln!(text, "  if (midrun_passes(CALL_{})) {{ {real}; return; }}", call.name);
    }
    let _ = writeln!(text, "  uint64_t begin_ = {};\n  MPI_Fint own_ierr_ = MPI_SUCCESS;", call.begin());
    text += "  if (!ierr) ierr = &own_ierr_;\n";
    if let Some(status) = call.text("status") {
        let _ = writeln!(
            text,
            "  MPI_Fint own_[FORTRAN_STATUS];\n  if (begin_ && {status}_f == (void *)MPI_F_STATUS_IGNORE) {status}_f = own_;"
        );
    }
    text += call.declares();
    text += &call.awaits("_f");
    let _ = writeln!(text, "  {real};\n  if (!begin_) return;");
    let end = call.end("_f");
    for (kind, parameter) in &call.args {
        let name = bare(parameter);
        let word = |at: usize| !end[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_');
        let whole = |at: usize| !end[at + name.len()..].starts_with(|c: char| c.is_alphanumeric() || c == '_');
        if end.match_indices(name).any(|(at, _)| word(at) && whole(at)) {
            let _ = writeln!(text, "  {}", local(kind, parameter, name));
        }
    }
    let _ = writeln!(text, "  int result_ = *(MPI_Fint *)ierr;\n  {end}\n}}");
    text
}

/// A parameter of C, from Fortran's address of it.
fn local(kind: &str, parameter: &str, name: &str) -> String {
    let value = format!("*(MPI_Fint *){name}_f");
    match kind {
        "MPI_Status *" => format!("MPI_Status c_status, *status = fortran_status({name}_f, &c_status);"),
        _ if kind.contains("void") => format!("const void *{name} = fortran_buffer({name}_f);"),
        "int *" => format!("const MPI_Fint *{name} = {name}_f;"),
        _ if parameter.ends_with("[]") => format!("const MPI_Fint *{name} = {name}_f;"),
        "MPI_Comm" | "MPI_Win" | "MPI_Datatype" => {
            let short = kind.trim_start_matches("MPI_").replace("Datatype", "Type");
            format!("{kind} {name} = PMPI_{short}_f2c({value});")
        }
        _ => format!("int {name} = {value};"),
    }
}
