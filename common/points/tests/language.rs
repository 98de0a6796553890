//! The language of points: what is printed reads the same again, and what is wrong is named.

use midrun_points::{
    Argument, Call, ControlName, Declaration, Extent, Filter, Label, Mode, Moment, Place, Source, Span, Symbol,
    Trigger, Tuned, Type, parse, print,
};
use proptest::collection::vec;
use proptest::option::of;
use proptest::prelude::*;

fn symbol() -> impl Strategy<Value = Symbol> {
    let name = prop_oneof![
        "[A-Za-z_][A-Za-z0-9_.@$]{0,12}",
        "[a-z]{1,4}::[a-z]{1,4}",
        "[a-z]{1,4}::[a-z]{1,4}\\((int,)?double\\)",
        "[a-z]{1,4}<(int,)?double>::[a-z]{1,4}<int,1>",
        "operator<<\\((int,)?double\\)"
    ];
    let object = of("[a-z]{1,6}(\\.so(\\.[0-9])?)?");
    (object, name).prop_map(|(object, name)| {
        let text = object.map_or(name.clone(), |object| format!("{object}:{name}"));
        Symbol::new(&text).expect("a symbol")
    })
}

fn label() -> impl Strategy<Value = Label> {
    let is_free = |text: &String| {
        // midrun's own.
        let parts = ["mw.", "pipe.", "dc."].iter().any(|part| text.starts_with(part));
        !parts && !["iteration", "points"].contains(&&**text)
    };
    let text = "[A-Za-z][A-Za-z0-9_.]{0,30}".prop_filter("one of midrun's own", is_free);
    text.prop_map(|text| Label::new(&text).expect("a label"))
}

fn call() -> impl Strategy<Value = Call> {
    "MPI_[A-Z][a-z_]{1,12}".prop_map(|text| Call::new(&text).expect("a call"))
}

fn kind() -> impl Strategy<Value = Type> {
    (0..Type::ALL.len()).prop_map(|at| Type::ALL[at].0)
}

fn span() -> impl Strategy<Value = (Type, Span)> {
    (kind(), any::<(f64, f64)>(), any::<(u32, u32)>()).prop_filter_map("in range", |(kind, floats, whole)| {
        let (a, b) = if kind.is_whole() { (f64::from(whole.0), f64::from(whole.1)) } else { floats };
        let all = kind.holds();
        let inside = |x: f64| if x < all.minimum || x > all.maximum { (x % 100.0).abs().round() % 2.0 } else { x };
        let (a, b) = (inside(a), inside(b));
        let span = Span { minimum: a.min(b), maximum: a.max(b) };
        span.fits(kind).then_some((kind, span))
    })
}

fn filter() -> impl Strategy<Value = Filter> {
    (of(any::<u32>()), of(0..i32::MAX), of(any::<(u64, u64)>()), any::<bool>()).prop_map(|(peer, tag, bytes, world)| {
        Filter { peer, tag, bytes: bytes.map(|(a, b)| (a.min(b), a.max(b))), world }
    })
}

fn source() -> impl Strategy<Value = Source> {
    prop_oneof![
        symbol().prop_map(Source::Function),
        (call(), filter()).prop_map(|(call, filter)| Source::Mpi(call, filter)),
        (symbol(), 1u8..=6, kind(), any::<bool>()).prop_map(|(symbol, number, kind, by_reference)| {
            Source::Argument(Argument { symbol, number, kind, by_reference })
        }),
        (symbol(), kind(), of(symbol())).prop_map(|(symbol, kind, at)| Source::Variable { symbol, kind, at }),
    ]
}

fn tuned() -> impl Strategy<Value = Tuned> {
    prop_oneof![
        (symbol(), span(), of(1u32..1000)).prop_map(|(symbol, (kind, span), step)| Tuned::Variable {
            symbol,
            kind,
            span,
            step: step.map(|step| if kind.is_whole() { f64::from(step) } else { f64::from(step) / 7.0 }),
        }),
        (prop::sample::select(vec!["MPIR_CVAR_X", "coll_tuned-2.b"]), of(span())).prop_map(|(name, span)| {
            let name = ControlName::new(name).expect("a name");
            Tuned::Control { name, span: span.map(|(_, span)| span) }
        }),
        (symbol(), 2u32..=4096).prop_map(|(symbol, bytes)| Tuned::Text { symbol, bytes }),
        (symbol(), vec(symbol(), 1..4)).prop_map(|(symbol, by)| Tuned::Replace { symbol, by }),
        (symbol(), 1u8..=6, span()).prop_map(|(symbol, number, (kind, span))| {
            let argument = Argument { symbol, number, kind, by_reference: false };
            Tuned::Argument { argument, span }
        }),
    ]
}

fn declaration() -> impl Strategy<Value = Declaration> {
    let mode = (0..3usize).prop_map(|at| Mode::ALL[at].0);
    let side = any::<bool>().prop_map(|before| if before { Moment::Before } else { Moment::After });
    let place = prop_oneof![side.clone().prop_map(Place::At), Just(Place::Inside)];
    let mpi = (call(), any::<bool>(), 1u64..).prop_map(|(call, world, every)| Trigger::Mpi { call, world, every });
    prop_oneof![
        symbol().prop_map(|symbol| Declaration::Iteration(Trigger::Function(symbol))),
        mpi.prop_map(Declaration::Iteration),
        (label(), source(), mode).prop_map(|(label, source, mode)| Declaration::Measure { label, source, mode }),
        (symbol(), of((1u8..=6, kind(), any::<bool>())), of((1u8..=6, kind(), any::<bool>())), 0..3usize).prop_map(
            |(symbol, first, tasks, extent)| {
                let argument = |place: Option<(u8, Type, bool)>| {
                    place.map(|(number, kind, by_reference)| Argument {
                        symbol: symbol.clone(),
                        number,
                        kind,
                        by_reference,
                    })
                };
                let extent = if first.is_some() { Extent::ALL[extent].0 } else { Extent::Tasks };
                let (first, tasks) = (argument(first), argument(tasks).map(|argument| (extent, argument)));
                Declaration::Work { symbol, first, tasks }
            }
        ),
        (label(), tuned(), of((place, symbol()))).prop_map(|(label, what, at)| {
            let at = at.filter(|_| !matches!(what, Tuned::Control { .. }));
            Declaration::Tune { label, what, at }
        }),
        (label(), symbol(), side, symbol()).prop_map(|(label, call, moment, point)| Declaration::Insert {
            label,
            call,
            moment,
            point
        }),
        (label(), symbol()).prop_map(|(label, call)| Declaration::Once { label, call }),
    ]
}

proptest! {
    #[test]
    fn what_is_printed_reads_the_same_again(declarations in vec(declaration(), 0..8), back in any::<bool>()) {
        let mut seen = std::collections::BTreeSet::new();
        let mut declarations = declarations;
        let mut iterations = 0;
        declarations.retain(|d| {
            iterations += u32::from(matches!(d, Declaration::Iteration(_)));
            !matches!(d, Declaration::Iteration(_)) || iterations == 1
        });
        declarations.retain(|d| d.label().is_none_or(|label| seen.insert(label.clone())));
        let tuning_point = declarations.iter().find(|d| d.has_tuning_point()).and_then(|d| d.label().cloned());
        declarations.extend(tuning_point.filter(|_| back).map(|label| Declaration::Return { label }));
        let text = print(&declarations);
        prop_assume!(text.len() <= midrun_vocabulary::bounds::TEXT_BYTES);
        let lines = parse(&text);
        prop_assert!(lines.is_ok(), "{:?} in\n{}", lines, text);
        let lines = lines.unwrap();
        prop_assert!(lines.iter().zip(1..).all(|(line, number)| line.number == number));
        let read: Vec<Declaration> = lines.into_iter().map(|line| line.declaration).collect();
        prop_assert_eq!(read, declarations);
    }

    #[test]
    fn no_text_makes_the_parser_panic(text in "[a-z0-9_.#:=, \n-]{0,200}") {
        let _ = parse(&text);
    }

    #[test]
    fn an_error_lies_inside_the_text(
        words in vec(prop_oneof![Just("tune"), Just("measure"), Just("a"), Just("variable"), Just("i32"), Just("0..1"),
            Just("by"), Just("\n"), Just("sum"), Just("ä")], 0..20)
    ) {
        let text = words.join(" ");
        if let Err(error) = parse(&text) {
            let line = text.lines().nth(error.line as usize - 1).expect("a line of the text");
            prop_assert!(error.column >= 1 && error.column as usize <= line.chars().count() + 1, "{error} in {text:?}");
        }
    }
}

#[test]
fn the_whole_language_is_read() {
    let text = "# what a program offers\n\
        iteration mpi MPI_Barrier world every 10   # a comment\n\
        measure solve function libsolve.so:solve sum\n\
        measure sends mpi MPI_Send peer=0 tag=7 bytes=0..4096 world raw\n\
        \n\
        measure residual variable residual f64 at solve off\n\
        measure block argument libsolve.so:solve 2 unsigned sum\n\
        work function compute first 1 long tasks 2 long\n\
        tune NW variable NW int 1..8 inside step rank=0\n\
        tune F0 variable F0 float 0..1 step 0.1\n\
        tune name text NAME 64 at exit libsolve.so:step\n\
        tune algo replace solve by solve_fast,ns::solve(int,double)\n\
        tune size argument work 2 i32 1..100\n\
        insert flush flush_all after step\n\
        once rebalance rebalance\n\
        return F0 on-loss\n";
    let lines = parse(text).expect("the language");
    assert_eq!(
        lines.iter().map(|line| line.number).collect::<Vec<_>>(),
        [2, 3, 4, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16]
    );
    assert_eq!(lines.iter().filter_map(|line| line.rank).collect::<Vec<_>>(), [0]);
    let printed = print(&lines.iter().map(|line| line.declaration.clone()).collect::<Vec<_>>());
    assert!(printed.contains("tune algo replace solve by solve_fast,ns::solve(int,double)\n"), "{printed}");
    assert!(
        printed.contains("work function compute first 1 i64 tasks 2 i64\ntune NW variable NW i32 1..8 inside step\n"),
        "{printed}"
    );
    assert!(printed.contains("measure block argument libsolve.so:solve 2 u32 sum\n"), "{printed}");
    assert!(printed.contains("iteration mpi MPI_Barrier world every 10\n"), "{printed}");
    assert!(printed.contains("tune name text NAME 64 at exit libsolve.so:step\n"), "{printed}");
}

#[test]
fn what_is_wrong_is_named_with_its_place_and_what_would_be_right() {
    for (text, said) in [
        (
            "meassure a",
            "line 1, column 1: \"meassure\" is not one of: iteration, work, measure, tune, insert, once, return",
        ),
        ("work function f end 2 long", "line 1, column 17: \"end\" is too much"),
        ("work function f tasks 0 long", "line 1, column 23: \"0\" is not the number of an argument"),
        ("tune a variable A int 0..1 rank=x", "line 1, column 28: \"rank=x\" is not rank=NUMBER"),
        (
            "iteration function f rank=0\niteration function g",
            "line 2, column 1: line 1 declares the iterations already",
        ),
        ("\n  tune 0F variable F0", "line 2, column 8: \"0F\" is not a label"),
        (
            "iteration function f\n iteration mpi MPI_Barrier",
            "line 2, column 2: line 1 declares the iterations already; keep one of the two",
        ),
        ("tune f0 variable F0 real 0..1", "line 1, column 21: \"real\" is not a type: i8 i16"),
        (
            "tune f0 variable F0 i8 0..200",
            "line 1, column 24: \"0..200\" is not MIN..MAX, the smaller first, in whole numbers that i8 holds",
        ),
        ("tune f0 variable F0 f64 1..0", "line 1, column 25: \"1..0\" is not MIN..MAX"),
        ("tune f0 variable F0 i32 0..1.5", "line 1, column 25"),
        ("tune f0 variable F0 f64", "line 1, column 24: here the line lacks MIN..MAX"),
        ("tune a replace f with g", "line 1, column 18: \"with\" is not \"by\""),
        ("tune a replace f by g,,h", "line 1, column 21: \"g,,h\" is not symbols"),
        ("tune f0 variable F0 f64 0..1 at start f", "line 1, column 33: \"start\" is not one of: entry, exit"),
        ("tune f0 variable F0 f64 0..1 at exit", "line 1, column 37: here the line lacks"),
        ("tune a argument f 7 i32 0..1", "line 1, column 19: \"7\" is not the number of an argument, 1 to 6"),
        ("measure a function f sum sum", "line 1, column 26: \"sum\" is too much"),
        ("measure a function f often", "line 1, column 22: \"often\" is not a mode: off, sum or raw"),
        ("measure a mpi MPI_Send bytes=9..2 sum", "line 1, column 24: \"bytes=9..2\" is not bytes=LEAST..MOST"),
        ("iteration mpi MPI_Send every 0", "line 1, column 30: \"0\" is not a whole number from 1"),
        ("measure a function f sum\nonce a g", "line 2, column 6: \"a\" is the label of line 1, too"),
        ("once points f", "line 1, column 6: \"points\" is midrun's own"),
        ("measure dc.solve function f sum", "line 1, column 9: \"dc.solve\" is midrun's own"),
        ("tune mw.factor variable F0 i32 1..4", "line 1, column 6: \"mw.factor\" is midrun's own"),
        ("measure a function f sum\n return a on-loss", "line 2, column 9: \"a\" has no tuning point"),
    ] {
        let error = parse(text).expect_err(text).to_string();
        assert!(error.starts_with(said), "{text:?}: {error}");
    }
    let long = parse(&" ".repeat(4097)).expect_err("too long").to_string();
    assert!(long.contains("4097 bytes; at most 4096"), "{long}");
}

#[test]
fn every_example_of_the_documents_is_read() {
    let document = include_str!("../../../docs/points.md");
    // Indented blocks are examples; one that shows commands is none.
    let blocks = document.split("\n\n").filter(|block| block.lines().all(|line| line.starts_with("    ")));
    let words = ["iteration", "measure", "tune", "insert", "once", "return", "#"];
    let is_line = |line: &str| line.split_whitespace().next().is_some_and(|word| words.contains(&word));
    let examples: Vec<String> =
        blocks.map(|block| block.lines().filter(|line| is_line(line)).collect::<Vec<_>>().join("\n")).collect();
    let read = examples.iter().filter(|example| !example.is_empty()).map(|example| (parse(example), example));
    let mut count = 0;
    for (result, example) in read {
        assert!(result.is_ok(), "{}\n{example}", result.unwrap_err());
        count += 1;
    }
    assert!(count >= 2, "{count} examples in {document}");
}

#[test]
fn a_chunk_is_told_by_its_number_of_tasks_or_by_where_it_ends() {
    assert_eq!(
        Extent::ALL.map(|(extent, _)| extent.tasks(20.0, 5.0)),
        [20.0, 15.0, 16.0],
        "20 tasks, 5 to 19, 5 to 20"
    );
    let line = "work function f first 1 i64 last 2 i32*";
    let declared: Vec<Declaration> = parse(line).unwrap().into_iter().map(|line| line.declaration).collect();
    assert_eq!(print(&declared).trim(), line);
}

#[test]
fn a_name_of_cpp_may_have_spaces_between_its_brackets() {
    let lines = parse(
        "work function ns::run<int, 3>(long, char const*) first 1 long tasks 2 long # (or\nmeasure a function b sum",
    )
    .unwrap();
    let Declaration::Work { symbol, .. } = &lines[0].declaration else { panic!("{lines:?}") };
    assert_eq!((symbol.name(), lines.len()), ("ns::run<int,3>(long,charconst*)", 2));
    let member = parse("work function A<double>::run(int, int) const first 2 int rank=1").unwrap();
    let Declaration::Work { symbol, .. } = &member[0].declaration else { panic!("{member:?}") };
    assert_eq!(symbol.name(), "A<double>::run(int,int)const");
    assert!(parse("work function A::run(int) const volatile & first 2 int").is_ok());
    assert_eq!(parse("measure a function f const sum").unwrap_err().column, 22);
    let shifted = parse("work function f<int>(decltype((a)<<(b))) first 1 int").unwrap();
    assert!(matches!(&shifted[0].declaration, Declaration::Work { first: Some(_), .. }), "{shifted:?}");
    let replaced = parse("tune a replace f by g<int, 2>,h").unwrap();
    assert!(print(&[replaced[0].declaration.clone()]).contains("by g<int,2>,h"), "{replaced:?}");
}
