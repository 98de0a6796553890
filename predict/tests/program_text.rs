//! The texts of programs and machines: what is printed reads back as the same, and mistakes have a place.

use midrun_predict::program::{Expression, Function, Machine, Operator, Program};
use proptest::collection::vec;
use proptest::prelude::*;

const STENCIL: &str = include_str!("../../examples/models/stencil.toml");
const NODES: &str = include_str!("../../examples/models/two_nodes.toml");

fn value(text: &str) -> f64 {
    let program = format!("processes = 1\nrun = ['a']\n[element.a]\nkind = 'compute'\nseconds = \"{text}\"\n");
    let machine = Machine::from_toml("node = [{ cores = 1 }]\ninside = { start_up = '0', per_byte = '0' }").unwrap();
    let program = Program::from_toml(&program).unwrap_or_else(|error| panic!("{error}"));
    midrun_predict::program::simulate(&program, &machine, &Default::default()).unwrap().total_s
}

#[test]
fn expressions_have_the_values_of_arithmetic() {
    for (text, expected) in [
        ("1 + 2 * 3 ^ 2 / 6", 4.0),
        ("2 ^ 3 ^ 2", 512.0),
        ("10 - -2 ^ 2", 14.0),
        ("(1 + 2) * 3 - 4 - 1", 4.0),
        ("7 % 3 + 0.5e1 + 1.5E-1", 6.15),
        ("0 - (0 - 1) % 4 + 4", 1.0),
        ("if(rank == 0 and not 2 < 1, 5, 1 / 0)", 5.0),
        ("1 < 2 or 0", 1.0),
        ("(1 >= 1) + (1 != 1) + (2 > 1) + (2 <= 1)", 2.0),
        ("max(1, 2, min(9, 3)) + sqrt(16) + log2(8) + ceil(1.2) + floor(1.8) + abs(-1) + ln(exp(2))", 16.0),
        ("normal(3, 0) + uniform(2, 2) + exponential(0)", 5.0),
        ("gamma(4, 0) + gamma(0, 3)", 4.0),
    ] {
        assert!((value(text) - expected).abs() < 1e-12, "{text} is {}", value(text));
    }
}

#[test]
fn a_mistake_in_an_expression_is_one_sentence_with_its_column() {
    for (text, column, parts) in [
        ("", 1, &["ends too early", "a number"][..]),
        ("1 +", 4, &["ends too early"]),
        ("1 + * 2", 5, &["`*` makes no sense", "a name"]),
        ("(1 + 2", 7, &["a `)` for column 1 is missing"]),
        ("(1 2)", 4, &["`2` makes no sense", "`)`"]),
        ("1 2", 3, &["an operator was expected"]),
        ("üa", 1, &["`ü` makes no sense"]),
        ("2ms", 1, &["`2ms` is no number", "seconds"]),
        ("1e999", 1, &["no number"]),
        ("sin(1)", 1, &["no function `sin`", "sqrt"]),
        ("2 * sqrt(1, 2)", 5, &["`sqrt` takes 1 arguments, not 2"]),
        ("if(1, 2)", 1, &["takes 3 arguments"]),
        ("1 < 2 < 3", 7, &["comparisons do not stand in a row", "`and`"]),
        ("or 1", 1, &["`or` makes no sense"]),
        (&"(".repeat(100), 65, &["64 levels"]),
        (&"1+".repeat(1500), 1, &["2000 characters"]),
    ] {
        let error = Expression::parse(text).unwrap_err();
        assert!(error.column == column && parts.iter().all(|part| error.sentence.contains(part)), "{text}: {error}");
    }
}

#[test]
fn a_mistake_in_a_program_is_one_sentence_with_its_place() {
    let change = |from: &str, to: &str| {
        assert!(STENCIL.contains(from), "{from}");
        Program::from_toml(&STENCIL.replacen(from, to, 1)).unwrap_err().to_string()
    };
    for (from, to, parts) in [
        ("\"points\", \"down\"", "\"piont\", \"down\"", &["line 27, column 6: there is no element `piont`"][..]),
        ("point_s * col", "point_s ** col", &["line 31, column 21: in", "`*` makes no sense here"]),
        (
            "when = \"rank == 0\"",
            "when = \"rnak == 0\"",
            &["line 16, column 8", "no `rnak`", "columns, i, iterations, node"],
        ),
        ("\"rank - 1\"", "\"task - 1\"", &["line 36, column 8", "there is no `task` here"]),
        ("iterations = 200", "rank = 200", &["line 10", "`rank` cannot be a name"]),
        ("index = \"i\"", "index = \"rows\"", &["line 26, column 9", "no parameter has"]),
        ("kind = \"gather\"", "kind = \"gahter\"", &["line 51, column 8: there is no kind \"gahter\"", "allreduce"]),
        ("when = \"rank == 0\"\nseconds", "seonds", &["line 14", "needs either `seconds` or `operations`"]),
        (
            "seconds = 0.05",
            "seconds = 0.05\nto = 1",
            &["line 18, column 6", "\"compute\" has no `to`, but kind, operations"],
        ),
        ("count = \"iterations\"\n", "", &["line 23", "\"loop\" needs `count`"]),
        ("\"converged\"]", "\"iterate\"]", &["line 23", "element `iterate` is inside itself"]),
        (", \"collect\"]", "]", &["line 50", "`collect` is never run"]),
        ("seconds = 0.05", "seconds = [1]", &["line 17, column 11: a number or an expression in quotes"]),
        ("kind = \"scatter\"\n", "", &["line 19", "element `share` has no kind"]),
        ("workers = 8", "workers = = 8", &["line 7, column 11"]),
    ] {
        let error = change(from, to);
        assert!(parts.iter().all(|part| error.contains(part)) && !error.contains('\n'), "{to}: {error}");
    }
    let of = |element: &str| {
        let text = format!("processes = 1\nrun = ['a']\n[element.a]\n{element}\n");
        Program::from_toml(&text).unwrap_err().to_string()
    };
    assert!(
        of("kind = 'send'\nto = 0\nbytes = 1\nmode = 'fast'").starts_with("line 7, column 8: unknown variant `fast`")
    );
    assert!(of("kind = 'branch'\ndo = ['a']").contains("needs `when`, and `do` or `else`"));
    assert!(
        of("kind = 'master-worker'\ntasks = 1\ntask_s = 1\ntechnique = 'x'").contains("a technique is one of none, ss")
    );
    assert!(of("kind = 'pipeline'\ninputs = 1\nstages = [{ bytes = 1 }]").contains("stage 0: a stage is { compute_s"));
    assert!(
        of("kind = 'pipeline'\ninputs = 1\nstages = [{ compute_s = 'x' }]")
            .contains("stage 0: in `x`: there is no `x`")
    );
}

#[test]
fn parameters_may_depend_on_each_other_but_not_on_themselves_or_on_chance() {
    let machine = Machine::from_toml("node = [{ cores = 1 }]\ninside = { start_up = '0', per_byte = '0' }").unwrap();
    let of = |parameters: &str| {
        let text = format!(
            "processes = 1\nrun = ['a']\n[parameters]\n{parameters}\n[element.a]\nkind = 'compute'\nseconds = 'n'"
        );
        Program::from_toml(&text).unwrap()
    };
    let run = |program: &Program| midrun_predict::program::simulate(program, &machine, &Default::default());
    let mut program = of("n = 'm + 1'\nm = 'k * 2'\nk = 3");
    assert_eq!(run(&program).unwrap().total_s, 7.0);
    program.set("k", 5.0).unwrap();
    assert_eq!(run(&program).unwrap().total_s, 11.0);
    assert!(
        program
            .set("q", 1.0)
            .unwrap_err()
            .to_string()
            .contains("parameter `q`: there is none of this name, but k, m, n")
    );
    assert!(program.set("k", f64::NAN).unwrap_err().to_string().contains("must be finite"));
    program.set("k", -1.0).unwrap();
    assert!(run(&program).unwrap_err().to_string().contains("seconds is -1"));
    assert!(run(&of("n = 'm'\nm = 'n'")).unwrap_err().to_string().contains("depends on itself"));
    assert!(run(&of("n = 'normal(1, 1)'")).unwrap_err().to_string().contains("nothing can be drawn here"));
    assert!(run(&of("n = '1 / 0'")).unwrap_err().to_string().contains("parameter `n`: its value is inf"));
}

#[test]
fn a_mistake_in_a_machine_is_one_sentence_with_its_place() {
    let change = |from: &str, to: &str| Machine::from_toml(&NODES.replacen(from, to, 1)).unwrap_err().to_string();
    for (from, to, expected) in [
        ("cores = 4", "cores = 0", "line 1, column 1: node 0: cores, slots, speed"),
        ("\"1us\"", "\"1 parsec\"", "line 7, column 12: start_up = \"1 parsec\": allowed is a time"),
        ("\"4KiB\"", "\"4 cats\"", "line 9, column 9: eager = \"4 cats\": allowed is a size"),
        ("\"5us\"", "\"5ms\"", "line 1, column 1: [between]: the overhead"),
        ("count = 2", "count = 2000000", "line 2, column 1: 2000000 more nodes"),
        ("cores = 4", "cors = 4", "line 4, column 1: unknown field `cors`"),
        ("[between]", "[betwen]", "line 11"),
        ("[[node]]\ncount = 2\ncores = 4", "node = []", "line 1, column 1: the number of nodes is 0"),
    ] {
        let error = change(from, to);
        assert!(error.starts_with(expected), "{error}");
    }
    let alone = NODES.split("[between]").next().unwrap();
    assert!(Machine::from_toml(alone).unwrap_err().to_string().contains("[between]"));
    assert!(Machine::from_toml(&alone.replace("count = 2", "")).is_ok());
}

/// Expressions of the names that a program of [`any_program`] has.
fn any_expression() -> impl Strategy<Value = Expression> {
    let boxed = |x: Expression| Box::new(x);
    let number = prop_oneof![0.0..1e300_f64, Just(0.0), Just(1e-300), (0..100_u32).prop_map(f64::from)];
    let name = prop_oneof![Just("rank"), Just("processes"), Just("node"), Just("n"), Just("not_n"), Just("min")];
    let leaf = prop_oneof![number.prop_map(Expression::Number), name.prop_map(|name| Expression::Name(name.into()))];
    leaf.prop_recursive(5, 24, 3, move |inner| {
        use Operator::*;
        let operators = [Or, And, Equal, Unequal, Less, LessOrEqual, Greater, GreaterOrEqual, Plus, Minus, Times, Over];
        let operator = proptest::sample::select([&operators[..], &[Remainder, Power]].concat());
        let one = [Function::Sqrt, Function::Log2, Function::Ln, Function::Exp, Function::Abs, Function::Ceil];
        let one = proptest::sample::select([&one[..], &[Function::Floor, Function::Exponential]].concat());
        let two = proptest::sample::select(vec![Function::Normal, Function::Uniform, Function::Gamma]);
        let many = proptest::sample::select(vec![Function::Min, Function::Max]);
        prop_oneof![
            inner.clone().prop_map(move |x| Expression::Minus(boxed(x))),
            inner.clone().prop_map(move |x| Expression::Not(boxed(x))),
            (operator, inner.clone(), inner.clone()).prop_map(move |(op, a, b)| Expression::Binary(
                op,
                boxed(a),
                boxed(b)
            )),
            (one, inner.clone()).prop_map(|(function, x)| Expression::Call(function, vec![x])),
            (two, vec(inner.clone(), 2)).prop_map(|(function, all)| Expression::Call(function, all)),
            (many, vec(inner.clone(), 1..4)).prop_map(|(function, all)| Expression::Call(function, all)),
            vec(inner, 3).prop_map(|all| Expression::Call(Function::If, all)),
        ]
    })
}

/// Lines of an element's table; `%` stands for an expression.
const KINDS: [&str; 15] = [
    "kind = 'compute'\nseconds = %",
    "kind = 'compute'\noperations = %\nthreads = %\nwhen = %",
    "kind = 'send'\nto = %\nbytes = %\nmode = 'synchronous'",
    "kind = 'send'\nto = %\nbytes = %",
    "kind = 'receive'\nfrom = %\nwhen = %",
    "kind = 'receive'",
    "kind = 'send-receive'\nto = %\nfrom = %\nbytes = %",
    "kind = 'barrier'",
    "kind = 'broadcast'\nroot = %\nbytes = %",
    "kind = 'allreduce'\nbytes = %\ncombine_s = %",
    "kind = 'scatter'\nbytes = 3",
    "kind = 'loop'\ncount = %\nindex = 'k'\ndo = [NEXT]",
    "kind = 'branch'\nwhen = %\ndo = [NEXT]\nelse = [NEXT]",
    "kind = 'master-worker'\ntasks = %\ntask_s = 'task + 1'\nfactor = %\ntechnique = 'fsc'\nworkers = %",
    "kind = 'pipeline'\ninputs = %\nstages = [{ compute_s = 'input', bytes = % }, { compute_s = %, replicas = 2 }]\nin_flight = %",
];

fn any_program() -> impl Strategy<Value = String> {
    let element = (proptest::sample::select(KINDS.to_vec()), vec(any_expression(), 5));
    vec(element, 1..8).prop_map(|elements| {
        let mut text = "processes = 'n * 2'\nrun = ['e0'".to_owned();
        text.extend((1..elements.len()).map(|k| format!(", 'e{k}'")));
        text += "]\n[parameters]\nn = 4\nnot_n = '-n'\nmin = 1.5\n";
        for (k, (lines, expressions)) in elements.iter().enumerate() {
            let next = if k + 1 < elements.len() { format!("'e{}'", k + 1) } else { String::new() };
            let mut parts = lines.split('%');
            text += &format!("[element.e{k}]\n{}", parts.next().unwrap());
            parts.zip(expressions).for_each(|(part, of)| text += &format!("'{of}'{part}"));
            text = text.replace("NEXT", &next) + "\n";
        }
        text.replace("do = []\nelse = []", "do = ['e0']").replace("do = ['e0']", "do = ['leaf']")
            + "[element.leaf]\nkind = 'barrier'\n"
    })
}

proptest! {
    #[test]
    fn printed_expressions_read_back_as_the_same(expression in any_expression()) {
        prop_assert_eq!(Expression::parse(&expression.to_string()), Ok(expression));
    }

    #[test]
    fn printed_programs_read_back_as_the_same(text in any_program()) {
        let text = text.replacen("run = [", "run = ['leaf', ", 1);
        let program = Program::from_toml(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        prop_assert_eq!(Program::from_toml(&program.to_toml()).unwrap(), program);
    }

    #[test]
    fn printed_machines_read_back_as_the_same(
        nodes in vec((1_u32..5, 1_u32..99, 1_u32..99, 1e-3..1e3_f64, any::<bool>(), any::<bool>()), 1..4),
        figures in vec(0.0..1e3_f64, 6), eager in proptest::option::of(0.0..1e9_f64), mpich in any::<bool>(), given in 0_usize..4,
    ) {
        let mut text = format!("placement = '{}'\n", if nodes.len() == 1 { "block" } else { "cyclic" });
        for (count, cores, slots, speed, queue, operations) in &nodes {
            text += &format!("[[node]]\ncount = {count}\ncores = {cores}\nslots = {slots}\nspeed = {speed}\n");
            text += if *queue { "scheduling = 'queue'\n" } else { "" };
            text += if *operations { "operations_per_s = 1e9\n" } else { "" };
        }
        for (name, all) in [("inside", &figures[..3]), ("between", &figures[3..])] {
            let start_up = all[0] + all[1];
            text += &format!("[{name}]\nstart_up = '{start_up}s'\noverhead = '{}s'\nper_byte = '{}s'\n", all[1], all[2]);
            text += &eager.map_or(String::new(), |bytes| format!("eager = '{bytes}'\n"));
        }
        let algorithms = ["barrier = 'linear'\n", "allreduce = 'ring'\n", "broadcast = 'scatter-allgather'\n"];
        text = format!("mpi = '{}'\n{text}[algorithm]\n", if mpich { "mpich" } else { "open-mpi" });
        text += &algorithms[..given].concat();
        let machine = Machine::from_toml(&text).unwrap();
        prop_assert_eq!(Machine::from_toml(&machine.to_toml()).unwrap(), machine);
    }

    #[test]
    fn no_text_makes_the_reader_of_expressions_panic(text in "[-+*/%^()0-9a-z_.,<>=! ]{0,60}") {
        let _ = Expression::parse(&text);
    }

    #[test]
    fn no_change_of_a_good_text_makes_a_reader_panic(
        at in 0_usize..1700, with in "\\PC{0,3}", cut in 0_usize..5, machine in any::<bool>(),
    ) {
        let mut text: Vec<char> = if machine { NODES } else { STENCIL }.chars().collect();
        let at = at.min(text.len());
        text.splice(at..(at + cut).min(text.len()), with.chars());
        let text: String = text.into_iter().collect();
        let _ = (Program::from_toml(&text), Machine::from_toml(&text));
    }
}
