//! The parser and the printer against each other, and against anything.

use midrun_predict::pepa::{Activity, Expr, Limits, Model, Name, Operator, Part, Set, Term, Where};
use proptest::prelude::*;

fn rate_name() -> impl Strategy<Value = Name> {
    "[a-z][a-z0-9_]{0,4}".prop_filter("reserved", |s| s != "infty").prop_map(|s| Name::from(s.as_str()))
}

fn component() -> impl Strategy<Value = Name> {
    prop_oneof!["[A-Za-z_][A-Za-z0-9_']{0,4}", "\"[a-z %;=]{1,5}\""].prop_map(|s| Name::from(s.as_str()))
}

fn number() -> impl Strategy<Value = f64> {
    prop_oneof![0.0..1e6, Just(0.0), Just(1.0), (-300.0..300.0).prop_map(|e: f64| 10_f64.powf(e))]
}

/// Arithmetic over `leaf`; operators of one chain have one precedence.
fn arithmetic(leaf: impl Strategy<Value = Expr> + 'static) -> impl Strategy<Value = Expr> {
    leaf.prop_recursive(4, 24, 4, |inner| {
        let chain = |operators: [Operator; 2], inner: BoxedStrategy<Expr>| {
            let rest = prop::collection::vec((prop::sample::select(operators.to_vec()), inner.clone()), 1..4);
            (inner, rest).prop_map(|(first, rest)| Expr::Chain { first: Box::new(first), rest })
        };
        prop_oneof![
            chain([Operator::Plus, Operator::Minus], inner.clone()),
            chain([Operator::Times, Operator::Over], inner.clone()),
            inner.prop_map(|x| Expr::Negative(Box::new(x))),
        ]
    })
}

fn rate() -> impl Strategy<Value = Expr> {
    arithmetic(prop_oneof![
        number().prop_map(Expr::Number),
        rate_name().prop_map(Expr::Name),
        Just(Expr::Passive(Where::default()))
    ])
}

fn activity() -> impl Strategy<Value = Activity> {
    (rate_name(), rate()).prop_map(|(action, rate)| Activity { action, rate })
}

fn set() -> impl Strategy<Value = Set> {
    prop_oneof![Just(Set::Shared), prop::collection::vec(rate_name(), 0..3).prop_map(Set::Names)]
}

fn term() -> impl Strategy<Value = Term> {
    let leaf = prop_oneof![
        component().prop_map(Term::Name),
        (component(), rate()).prop_map(|(name, copies)| Term::Array(name, Box::new(copies)))
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            (prop::collection::vec(activity(), 1..3), inner.clone())
                .prop_map(|(activities, then)| Term::Prefix { activities, then: Box::new(then) }),
            prop::collection::vec(inner.clone(), 2..4).prop_map(Term::Choice),
            (inner.clone(), prop::collection::vec((set(), inner.clone()), 1..4))
                .prop_map(|(first, rest)| Term::Cooperation { first: Box::new(first), rest }),
            (inner, prop::collection::vec(rate_name(), 1..3))
                .prop_map(|(term, hidden)| Term::Hiding { term: Box::new(term), hidden }),
        ]
    })
}

fn part() -> impl Strategy<Value = Part> {
    let named = component().prop_map(|name| Part::Is(Term::Name(name), Where::default()));
    let prefix = (activity(), component()).prop_map(|(activity, name)| {
        Part::Is(Term::Prefix { activities: vec![activity], then: Box::new(Term::Name(name)) }, Where::default())
    });
    prop_oneof![Just(Part::Any), named, prefix]
}

fn result() -> impl Strategy<Value = Expr> {
    let pattern =
        || prop::collection::vec(part(), 1..4).prop_map(|parts| Expr::Pattern { parts, at: Where::default() });
    let leaf = prop_oneof![number().prop_map(Expr::Number), rate_name().prop_map(Expr::Name), pattern()];
    // Without a pattern it would be a rate.
    (arithmetic(leaf), pattern())
        .prop_map(|(expr, pattern)| Expr::Chain { first: Box::new(pattern), rest: vec![(Operator::Plus, expr)] })
}

fn model() -> impl Strategy<Value = Model> {
    let rates = prop::collection::vec((rate_name(), rate()), 0..3);
    let components = prop::collection::vec((component(), term()), 0..4);
    let results = prop::collection::vec((component(), result()), 0..3);
    (rates, components, term(), results).prop_map(|(rates, components, system, results)| Model {
        rates,
        components,
        system,
        results,
    })
}

proptest! {
    #[test]
    fn what_is_printed_reads_as_the_same_model(model in model()) {
        let text = model.to_string();
        let read = Model::parse(&text);
        prop_assert!(read.is_ok(), "{text}\n{}", read.unwrap_err());
        prop_assert_eq!(read.unwrap(), model, "{}", text);
    }

    #[test]
    fn any_text_is_read_or_refused_but_never_panics(text in any::<String>()) {
        if let Err(error) = Model::parse(&text) {
            prop_assert!(error.to_string().starts_with("line "));
        }
    }

    #[test]
    fn any_row_of_tokens_is_read_or_refused_and_what_is_read_prints_and_derives(
        words in prop::collection::vec(prop::sample::select(vec![
            "P", "Q", "R", "a", "b", "r", "T", "infty", "tau", "\"P\"", "=", ":=", ";", "(", ")", ",", ".", "+", "-", "*", "/", "{", "}",
            "<", ">", "||", "**", "[", "]", "#", "1", "2.5", "0", "(a, 1).", "(b, infty).P", "P = (a, 2).P;", "\n", "%", "\n% r = 3;\n", "P[r]",
        ]), 0..40)
    ) {
        let text = words.join(" ");
        if let Ok(model) = Model::parse(&text) {
            let printed = model.to_string();
            let again = Model::parse(&printed);
            prop_assert_eq!(again.as_ref(), Ok(&model), "{}", printed);
            if let Ok(space) = model.derive(&Limits { max_states: 1000, ..Limits::default() }) {
                let _ = space.solve(&Default::default());
            }
        }
    }
}
