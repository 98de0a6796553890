//! PEPA models with known answers: the worked values, the published state counts, and laws any solution obeys.

use midrun_predict::markov::{Method, Options};
use midrun_predict::pepa::{Error, Limits, Model, Solution, StateSpace};
use proptest::prelude::*;

fn derive(text: &str) -> Result<StateSpace, Error> {
    Model::parse(text)?.derive(&Limits::default())
}

fn solve(space: &StateSpace) -> Solution<'_> {
    space.solve(&Options::default()).unwrap()
}

fn results(text: &str) -> Vec<f64> {
    let space = derive(text).unwrap();
    solve(&space).results().iter().map(|(_, value)| *value).collect()
}

fn assert_close(got: f64, exact: f64) {
    assert!((got - exact).abs() <= 1e-9 * exact.abs().max(1.0), "{got} is not {exact}");
}

/// The source's pipeline of three stages, one per processor.
fn pipeline(mu: f64, lambda: f64) -> String {
    let stage = |i: u32| {
        let next = i + 1;
        format!(
            "S{i} = (move{i}, infty).S{i}p; S{i}p = (process{i}, infty).S{i}o; S{i}o = (move{next}, infty).S{i};
             P{i} = (process{i}, mu).P{i};\n"
        )
    };
    format!(
        "mu = {mu}; la = {lambda};
         {}{}{}
         Network = (move1, la).Network + (move2, la).Network + (move3, la).Network + (move4, la).Network;
         Pipeline = S1 <move2> S2 <move3> S3;
         Processors = P1 || P2 || P3;
         Network <move1, move2, move3, move4> Pipeline <process1, process2, process3> Processors;
         Throughput = mu * {{** || S1p || **}}",
        stage(1),
        stage(2),
        stage(3)
    )
}

#[test]
fn the_sources_pipeline_has_27_states_51_transitions_and_its_throughput() {
    for (mu, throughput) in [(10.0, 5.63467), (5.0, 2.81892)] {
        let space = derive(&pipeline(mu, 10000.0)).unwrap();
        assert_eq!((space.states(), space.transitions()), (27, 51));
        let solution = solve(&space);
        let value = solution.results()[0].1;
        assert!((value - throughput).abs() < 0.000_005, "{value}");
        // What goes in comes out, at every stage.
        for (action, flow) in solution.throughput() {
            assert!((flow - value).abs() < 1e-9, "{action}: {flow}");
        }
    }
}

#[test]
fn published_models_have_their_published_numbers_of_states() {
    let badge = "m = 0.1; r = 2.5; s = 45.0;
        #P14 = (reg14, r).P14 + (move15, m).P15;
        #P15 = (reg15, r).P15 + (move14, m).P14 + (move16, m).P16;
        #P16 = (reg16, r).P16 + (move15, m).P15;
        #S14 = (reg14, infty).T14; #S15 = (reg15, infty).T15; #S16 = (reg16, infty).T16;
        #T14 = (rep14, s).S14; #T15 = (rep15, s).S15; #T16 = (rep16, s).S16;
        #DB14 = (rep14,infty).DB14 + (rep15,infty).DB15 + (rep16,infty).DB16;
        #DB15 = (rep14,infty).DB14 + (rep15,infty).DB15 + (rep16,infty).DB16;
        #DB16 = (rep14,infty).DB14 + (rep15,infty).DB15 + (rep16,infty).DB16;
        ( P14 <reg14,reg15,reg16> (S14 <> S15 <> S16) ) <rep14, rep15, rep16> DB14";
    assert_eq!(derive(badge).unwrap().states(), 72);
    let lan = "lambda = 0.01; mu = 0.1; omega = 1.0;
        P1 = (arrive, lambda).Q1 + (on2, infty).P1; Q1 = (serve1, infty).P1;
        P2 = (arrive, lambda).Q2 + (on3, infty).P2; Q2 = (serve2, infty).P2;
        P3 = (arrive, lambda).Q3 + (on4, infty).P3; Q3 = (serve3, infty).P3;
        P4 = (arrive, lambda).Q4 + (on1, infty).P4; Q4 = (serve4, infty).P4;
        S1 = (on2, omega).S2 + (serve1, mu).T2; S2 = (on3, omega).S3 + (serve2, mu).T3;
        S3 = (on4, omega).S4 + (serve3, mu).T4; S4 = (on1, omega).S1 + (serve4, mu).T1;
        T1 = (walk1, omega).S1; T2 = (walk2, omega).S2; T3 = (walk3, omega).S3; T4 = (walk4, omega).S4;
        (P1 <> P2 <> P3 <> P4) <on1,on2,on3,on4,serve1,serve2,serve3,serve4> S1";
    // 2^4 customers x 8 places of the server.
    assert_eq!(derive(lan).unwrap().states(), 128);
}

#[test]
fn apparent_rates_are_those_of_the_definition() {
    // Two clients of rate 3 each share a server of rate 4: r_a(P || P) = 6 or 3, the server offers 4.
    let text = "P = (a, 3).Q; Q = (b, 1).P; S = (a, 4).S; (P || P) <a> S; A = {P || P || **}";
    let space = derive(text).unwrap();
    let rates = |state: usize| -> Vec<f64> {
        space.from(state).filter(|(action, ..)| *action == "a").map(|(_, rate, _)| rate).collect()
    };
    assert_eq!(rates(0), [2.0, 2.0]); // 3/6 * 4/4 * min(6, 4)
    assert_eq!(rates(1), [3.0]); // 3/3 * 4/4 * min(3, 4)
    // Weights decide among passive partners: 3 : 1.
    let space = derive("S = (a, 8).S; P = (a, 3 * infty).Q + (a, T).R; Q = (b, 1).P; R = (c, 1).P; S <a> P").unwrap();
    assert_eq!(space.from(0).map(|(_, rate, _)| rate).collect::<Vec<_>>(), [6.0, 2.0]);
    // Three share one action: whichever two come first.
    for system in ["(P <a> Q) <a> R", "P <a> (Q <a> R)"] {
        let space = derive(&format!("P = (a, 2).P; Q = (a, 3).Q + (a, 2).Q1; Q1 = (x, 1).Q; R = (a, 7).R; {system}"));
        let rates: Vec<f64> = space.unwrap().from(0).map(|(_, rate, _)| rate).collect();
        assert_close(rates[0], 2.0 * 3.0 / 5.0);
        assert_close(rates[1], 2.0 * 2.0 / 5.0);
    }
}

#[test]
fn hidden_actions_are_tau_and_no_longer_shared() {
    let space = derive("P = (a, 1).(b, 2).P; Q = (a, 5).Q; P/{a} <a> Q").unwrap();
    assert_eq!(space.states(), 2);
    assert_eq!(space.from(0).next(), Some(("tau", 1.0, 1)));
    assert_eq!(space.warnings(), ["line 1, column 43: only one side ever does 'a': it never happens"]);
    assert_eq!(space.local_states(0), ["P", "(b, 2).P"]);
}

#[test]
fn result_lines_are_arithmetic_over_patterns() {
    let text = "r = 2; P = (a, r).Q; Q = (b, 3).P; R = (c, 1).R1; R1 = (d, 1).R; P || R
        U = {Q || **}
        V = r * {P || R} + 3 * {Q || R1}
        W = {Q || R} / {** || R}; X = 1 - U1; U1 = {P}";
    let error = derive(text).unwrap_err().to_string();
    assert!(error.contains("unknown rate 'U1'"), "{error}");
    let values =
        results(&text.replace("X = 1 - U1; U1 = {P}", "X = {(b, 3).P || **}".replace("(b, 3).P", "Q").as_str()));
    for (value, exact) in values.iter().zip([0.4, 2.0 * 0.3 + 3.0 * 0.2, 0.4, 0.4]) {
        assert_close(*value, exact);
    }
}

#[test]
fn copies_and_cooperation_on_all_shared_actions_are_short_for_the_long_form() {
    let body = "P = (a, 1).Q; Q = (b, 2).P; S = (a, 3).S + (c, 1).S; T = {P || P || P || S}; ";
    let long = results(&format!("{body} (P || P || P) <a> S"));
    assert_eq!(long, results(&format!("{body} P[3] <*> S")));
}

/// The plug-in's spellings: `:=`, a `%` before a rate, names in quotes, sets in `<>` after a `/`, copies by an expression.
#[test]
fn the_plug_ins_spellings_mean_the_same() {
    let plain =
        "n = 3; r = 2; s = 1.5 * r; P = (a, r).Q; Q = (b, s).P; S = (a, T).S; (P[3] <a> S)/{b}  X = {P[2] || **}";
    let plug_in = "n := 3;\n%r = 2;\n% s := 1.5 * r;\nP = (a, r).\"the second\"; \"the second\" = (b, s).P;
        S = (a, top).S; (P[n] <a> S)/<b>  X = {P[n - 1] || **}";
    let (one, other) = (derive(plain).unwrap(), derive(plug_in).unwrap());
    assert_eq!((one.states(), one.transitions()), (other.states(), other.transitions()));
    assert_eq!(solve(&one).results(), solve(&other).results());
    assert_eq!(solve(&one).throughput(), solve(&other).throughput());
}

#[test]
fn a_percent_begins_a_comment_where_the_rate_is_defined_elsewhere_or_is_not_used() {
    for line in
        ["%r = 5;", "% r = 5; was too fast", "%r = 5", "% unused = 1 / 0;", "%% P = (b, 1).P;", "% r is a rate; r = 5;"]
    {
        let space = derive(&format!("{line}\nr = 2;\nP = (a, r).P;\nP\n{line}")).unwrap();
        assert_eq!(space.from(0).next(), Some(("a", 2.0, 0)), "{line}");
    }
    // Its position is that of the line.
    let error = derive("P = (a, 1).P;\n P <a> Q\n% r = 0;\n").unwrap_err().to_string();
    assert!(error.starts_with("line 2, column 8: unknown component 'Q'"), "{error}");
    let error = derive("%  r = 0;\nP = (a, r).P; P").unwrap_err().to_string();
    assert_eq!(error, "line 1, column 4: the rate 'r' is 0; a rate is a finite number above 0");
}

/// Copies that are not told apart: so many in each state. 20 copies of three states would be 3^20 states.
#[test]
fn an_array_counts_its_copies_instead_of_telling_them_apart() {
    let text = "n = 20; P = (a, 1).Q; Q = (b, 2).R; R = (c, 4).P; P[n]
        None = {P[n]}  First = {Q || **}  Both = {Q || R || **}  Last = {** || ** || Q || P[n - 3]}";
    let space = derive(text).unwrap();
    assert_eq!(space.states(), 22 * 21 / 2);
    assert_eq!(space.copies(7), 0..20);
    let shares = [1.0, 0.5, 0.25].map(|time_s: f64| time_s / 1.75);
    let expected = [shares[0].powi(20), shares[1], shares[1] * shares[2], (shares[1]) * shares[0].powi(17)];
    for ((name, value), expected) in solve(&space).results().into_iter().zip(expected) {
        assert!((value / expected - 1.0).abs() < 1e-9, "{name}: {value:e} instead of {expected:e}");
    }
    assert!((solve(&space).utilisation()[13][1] - shares[1]).abs() < 1e-12);
}

#[test]
fn names_for_names_make_no_states_of_their_own() {
    let space = derive("A = P; P = (a, 1).B; B = Q; Q = (b, 2).A; A").unwrap();
    assert_eq!((space.states(), space.local_states(0)), (2, &["P".to_owned(), "Q".to_owned()][..]));
}

#[test]
fn every_mistake_has_its_name_and_its_place() {
    let cases = [
        ("P = (a, r).P; P", "line 1, column 9: unknown rate 'r'; define it before it is used, as in: r = 1.5;"),
        ("P = (a, 1).Q;\nP", "line 1, column 12: unknown component 'Q'; define it, as in: Q = (work, 1.5).Q;"),
        ("P = (a, 1).P;\n\n  P || Q", "line 3, column 8: unknown component 'Q'"),
        ("r = 0; P = (a, r).P; P", "line 1, column 1: the rate 'r' is 0; a rate is a finite number above 0"),
        ("P = (a, 0).P; P", "line 1, column 6: the rate of 'a' is 0; a rate is a finite number above 0"),
        ("P = (a, 1 - 3).P; P", "line 1, column 6: the rate of 'a' is -2"),
        ("P = (a, 0/0).P; P", "line 1, column 6: the rate of 'a' is NaN"),
        ("P = (a, NaN).P; P", "line 1, column 9: the rate 'NaN' is NaN"),
        ("P = (a, 1/0).P; P", "line 1, column 6: the rate of 'a' is inf"),
        ("P = (a, 0 * infty).P; P", "line 1, column 6: the rate of 'a' is 0"),
        ("P = (a, 1 + infty).P; P", "line 1, column 6: 'infty' is a passive rate"),
        ("P = (a, infty).P; P", "'a' of component 1 (P) is passive and nobody gives it a rate in state (P)"),
        ("P = (a, infty).P; P <a> P", "'a' of component 1 (P) is passive and nobody"),
        ("P = (a, 1).P + (a, infty).P; P", "'a' is both active and passive in P"),
        ("P = (a, 1).P; Q = (a, T).Q; R = (a, 1).R; (P || Q) <a> R", "'a' is both active and passive in (P, Q, R)"),
        ("P = (a, 1).Q; Q = (b, 1).P; P <a, b> Q", "deadlock: nothing can happen in state (P, Q)"),
        (
            "P = (a, 1).Q + (b, 1).R; Q = (c, 1).Q; R = (d, 1).R; P",
            "there is no one steady state: from state (R) there is no way to (Q), and from there none back",
        ),
        ("P = P + (a, 1).P; P", "line 1, column 5: 'P' is defined by itself without an activity in between"),
        ("P = Q; Q = P; P", "line 1, column 15: 'P' is defined by itself"),
        ("P = (a, 1).P; S = S || P; S", "line 1, column 19: 'S' is defined by itself"),
        ("P = (a, 1).(P || P); P", "line 1, column 13: 'P || P' is not sequential"),
        ("P = (a, 1).P; S = P || P; Q = (b, 1).S; Q", "line 1, column 38: 'S' is not sequential"),
        ("P = (a, 1).P; P = (b, 1).P; P", "line 1, column 15: 'P' is defined a second time; the first is at line 1"),
        ("P = (a, 1).P; P/{tau}", "line 1, column 18: 'tau' is what hidden actions are called"),
        (
            "P = (a, 1).P; P || P\nT = {P}",
            "line 2, column 5: the pattern has 1 parts but the system 2 components (P || P)",
        ),
        ("P = (a, 1).P; P\nT = {Q}", "line 2, column 6: component 1 of the system never is 'Q'; its states are P"),
        ("P = (a, 1).P;", "line 1, column 14: expected a system equation, such as: P <a> Q, found the end"),
        ("P = (a, 1)P; P", "line 1, column 11: expected '.' and what follows the activity, found 'P'"),
        ("P = (a, 1).P; P <a Q", "line 1, column 20: expected '>' after the actions, found 'Q'"),
        (
            "P = (a, 1).P; P[2.5]",
            "line 1, column 15: 2.5 copies of 'P' are asked for; allowed is a whole number from 1",
        ),
        ("n = 3;\nP = (a, 1).P; P[n - 3]", "line 2, column 15: 0 copies of 'P' are asked for"),
        ("P = (a, 1).P; P[m]", "line 1, column 17: unknown rate 'm'"),
        ("P = (a, 1).P; P[T]", "line 1, column 15: 'infty' is a passive rate"),
        ("P = (a, 1).P; P[3", "line 1, column 18: expected ']' after the number of copies, found the end"),
        ("P = (a, 1).P; P/<a}", "line 1, column 19: expected '>' after the actions, found '}'"),
        ("P = (a, 1).P; \"P", "line 1, column 15: expected a name between two '\"' on one line, found '\"P'"),
        ("r := (a, 1).P; P", "line 1, column 8: expected ')', found ','"),
        (
            "P = (a, 1).P; P[2]\nT = {P || Q}",
            "line 2, column 11: component 2 of the system never is 'Q'; its states are P",
        ),
        ("P = (a, 1).P; P $", "line 1, column 17: expected a name, a number or an operator, found '$'"),
        (
            "P = (a, 1).P /* never\nends; P",
            "line 1, column 14: expected '*/' after this '/*', found the end of the text",
        ),
        ("P = (a, 1e999).P; P", "line 1, column 9: expected a number that fits, found '1e999'"),
        ("P = (a, 1).P; P; Q", "line 1, column 18: expected one system equation only, then result lines, found 'Q'"),
    ];
    for (text, expected) in cases {
        let done = derive(text).and_then(|space| space.solve(&Options::default()).map(|_| ()));
        let error = done.expect_err(text).to_string();
        assert!(error.contains(expected), "{text}\n  says {error}\n  not  {expected}");
        assert!(!error.contains('\n'));
    }
}

#[test]
fn a_start_that_is_left_for_ever_has_no_share_of_the_time() {
    // P and S are left for ever; Q and R take turns.
    let text = "P = (a, 1).S; S = (a, 2).Q; Q = (b, 1).R; R = (c, 3).Q; P  Left = {P}  Q = {Q}  R = {R}";
    let space = derive(text).unwrap();
    let solution = space.solve(&Options::default()).unwrap();
    let values: Vec<f64> = solution.results().iter().map(|(_, value)| *value).collect();
    assert!(values[0] == 0.0 && (values[1] - 0.75).abs() < 1e-12 && (values[2] - 0.25).abs() < 1e-12, "{values:?}");
    let throughput = solution.throughput();
    assert_eq!(throughput.iter().map(|(name, _)| *name).collect::<Vec<_>>(), ["b", "c"]);
    // One that ends where it can only stay.
    assert_eq!(results("P = (a, 1).Q; Q = (b, 1).Q; P  End = {Q}"), [1.0]);
}

/// Rates from 1e-6 to 1e3: each of seven independent components has its own probabilities, which multiply.
#[test]
fn stiff_models_keep_the_precision_of_rare_states() {
    let text = "P = (a, 1e-6).Q; Q = (b, 1e3).R; R = (c, 1).P; P || P || P || P || P || P || P  All = {P[7]}  Rare = {Q || R || P[5]}  Rarer = {Q[2] || P[5]}";
    let space = derive(text).unwrap();
    assert_eq!(space.states(), 2187);
    let shares = [1e6, 1e-3, 1.0_f64].map(|time_s: f64| time_s / (1e6 + 1e-3 + 1.0));
    let expected =
        [shares[0].powi(7), shares[1] * shares[2] * shares[0].powi(5), shares[1].powi(2) * shares[0].powi(5)];
    for how in [Options { direct_up_to: 3000, ..Options::default() }, Options { max_sweeps: 0, ..Options::default() }] {
        // The second one's sweeps do not get anywhere: it falls back.
        let solution = space.solve(&how).unwrap();
        assert_eq!(solution.steady().method, Method::Direct);
        for ((name, value), expected) in solution.results().into_iter().zip(expected) {
            assert!((value / expected - 1.0).abs() < 1e-9, "{name}: {value:e} instead of {expected:e}");
        }
    }
}

#[test]
fn patterns_may_be_bracketed_and_repeated_as_the_system_is() {
    let model = "P = (a, 1).Q; Q = (b, 2).P; R = (c, 1).S; S = (d, 1).R; (P || P) <*> (R || (R || R)/{c})";
    for (bracketed, plain) in [
        ("{(P || Q) || (R || (S || **))}", "{P || Q || R || S || **}"),
        ("{(P <> Q) <c> (R || (S || R)/{c})}", "{P || Q || R || S || R}"),
        ("{P[2] || R[3]}", "{P || P || R || R || R}"),
        ("{((P || Q) || R) || **}", "{P || Q || R || **}"),
        ("{(P) || (Q) || **}", "{P || Q || **}"),
    ] {
        let values = results(&format!("{model}  X = {bracketed}  Y = {plain}"));
        assert!(values[0] == values[1] && values[0] > 0.0, "{bracketed}: {values:?}");
    }
    for (wrong, part) in [("{(P || Q}", "')'"), ("{(P || )}", "a component"), ("{P[0] || **}", "copies")] {
        let error = derive(&format!("{model}  X = {wrong}")).unwrap_err().to_string();
        assert!(error.contains(part), "{wrong}: {error}");
    }
}

#[test]
fn a_state_space_beyond_the_limit_stops_with_the_count_and_the_limit() {
    let text = format!("P = (a, 1).Q; Q = (b, 1).R; R = (c, 1).P; P{}", " || P".repeat(39));
    let model = Model::parse(&text).unwrap();
    let by_states = model.derive(&Limits { max_states: 1000, ..Limits::default() }).unwrap_err();
    let Error::TooManyStates { reached, transitions, ref limit } = by_states else { panic!("{by_states}") };
    assert!(reached > 1000 && reached < 1100 && transitions >= reached - 1 && limit == "1000 states", "{by_states}");
    let by_bytes = model.derive(&Limits { max_bytes: 1 << 20, ..Limits::default() }).unwrap_err();
    assert!(by_bytes.to_string().ends_with("is beyond the limit of 1 MiB of memory"), "{by_bytes}");
}

#[test]
fn what_is_nested_or_repeated_without_end_is_refused() {
    for text in ["(".repeat(100_000), format!("P = {}P; P", "(a, 1).".repeat(100_000)), "P/{a}".repeat(100_000)] {
        Model::parse(&text).unwrap_err();
    }
    let long = format!("P = (a, {}1).P; P", "1 + ".repeat(100_000));
    Model::parse(&long).unwrap();
    assert!(matches!(
        derive(&format!("P = (a, 1).P; P{}", " || P".repeat(5000))),
        Err(Error::TooManyComponents { .. })
    ));
    let doubling: String = (0..90).map(|k| format!("P{k} = P{} + P{};", k + 1, k + 1)).collect();
    assert_eq!(derive(&format!("{doubling} P90 = (a, 1).P0; P0")).unwrap().states(), 1);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(ProptestConfig::default().cases / 4))]

    #[test]
    fn independent_components_have_the_product_of_their_own_probabilities(
        rates in prop::collection::vec(0.01_f64..100.0, 5),
    ) {
        let text = format!(
            "P = (a, {}).Q; Q = (b, {}).P; R = (c, {}).S; S = (d, {}).W; W = (e, {}).R;
             P || R;  A = {{P || S}}; B = {{P || **}}; C = {{** || S}}",
            rates[0], rates[1], rates[2], rates[3], rates[4]
        );
        let values = results(&text);
        prop_assert!((values[0] - values[1] * values[2]).abs() < 1e-9);
        prop_assert!((values[1] - rates[1] / (rates[0] + rates[1])).abs() < 1e-9);
        let mean = 1.0 / rates[3];
        prop_assert!((values[2] - mean / (1.0 / rates[2] + mean + 1.0 / rates[4])).abs() < 1e-9);
    }

    /// An array against the same copies told apart: results, throughput and utilisation.
    #[test]
    fn arrays_have_the_results_of_their_copies(
        rates in prop::collection::vec(0.01_f64..100.0, 7), copies in 1_usize..5, servers in 1_usize..3,
        weight in 1_u32..4,
    ) {
        let body = format!(
            "P = (a, {}).Q + (b, {}).R; Q = (c, {}).P; R = (a, {}).Q + (d, {weight} * infty).P;
             S = (a, {}).U + (d, {}).S; U = (e, {}).S;",
            rates[0], rates[1], rates[2], rates[3], rates[4], rates[5], rates[6]
        );
        let asked = format!(
            "X = {{Q || **}}  Y = {{P[{copies}] || **}}  Z = {} * {{R[{copies}] || U[{servers}]}}", rates[2]
        );
        let spread = |name: &str, count: usize| vec![name; count].join(" || ");
        let told_apart = format!("{body} ({}) <a, d> ({})  {asked}", spread("P", copies), spread("S", servers));
        let counted = format!("{body} P[{copies}] <a, d> S[{servers}]  {asked}");
        let (one, other) = (derive(&told_apart).unwrap(), derive(&counted).unwrap());
        prop_assert!(other.states() <= one.states() && other.transitions() <= one.transitions());
        let (one, other) = (solve(&one), solve(&other));
        for ((name, value), (_, expected)) in other.results().into_iter().zip(one.results()) {
            prop_assert!((value - expected).abs() < 1e-9, "{}: {} instead of {}", name, value, expected);
        }
        for ((name, value), (of, expected)) in other.throughput().into_iter().zip(one.throughput()) {
            prop_assert!(name == of && (value - expected).abs() < 1e-9 * expected.max(1.0));
        }
        for (shares, expected) in other.utilisation().into_iter().flatten().zip(one.utilisation().into_iter().flatten()) {
            prop_assert!((shares - expected).abs() < 1e-9);
        }
    }

    #[test]
    fn what_flows_into_each_state_flows_out_by_both_methods(
        rates in prop::collection::vec(0.01_f64..100.0, 6),
    ) {
        let text = format!(
            "P = (a, {}).Q + (b, {}).R; Q = (c, {}).P; R = (a, {}).Q; S = (a, {}).U; U = (d, {}).S; P[3] <a> (S || S)",
            rates[0], rates[1], rates[2], rates[3], rates[4], rates[5]
        );
        let space = derive(&text).unwrap();
        for method in [Method::Direct, Method::Iterative] {
            // Sweeps alone may stall; what they give must be right.
            let answer = space.solve(&Options { method: Some(method), ..Options::default() });
            let Ok(solution) = answer else {
                prop_assert!(method == Method::Iterative);
                continue;
            };
            let p = &solution.steady().probabilities;
            let mut balance = vec![0.0; space.states()];
            let mut all = 0.0;
            for from in 0..space.states() {
                for (_, rate, to) in space.from(from) {
                    balance[from] -= p[from] * rate;
                    balance[to] += p[from] * rate;
                    all += p[from] * rate;
                }
            }
            prop_assert!(balance.iter().all(|flow| flow.abs() < 1e-9 * all));
            for shares in solution.utilisation() {
                prop_assert!((shares.iter().sum::<f64>() - 1.0).abs() < 1e-9);
            }
        }
    }
}
