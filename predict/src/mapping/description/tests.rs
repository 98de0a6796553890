//! Descriptions, right and wrong.

use proptest::prelude::*;

use super::*;

const GOOD: &str = "
    type = pipeline;
    nbproc = 3; cp1 = 10; cp2 = 10; cp3 = 1;  # powers
    nl = 10; nl1-3 = 5
    nbstage = 3; w = 1; ds = 1; ds4 = 2
    mappings = [1,(1,2,3),3], [2,(1,1,2),2],
               (3,3,3)                        % the ends where the stages are
    throughput;
";

#[test]
fn the_sources_keys_are_read() {
    let read = Description::parse(GOOD).unwrap();
    assert_eq!(
        read.mappings.iter().map(ToString::to_string).collect::<Vec<_>>(),
        ["[1,(1,2,3),3]", "[2,(1,1,2),2]", "[3,(3,3,3),3]"]
    );
    let rates = read.pipeline.rates(&read.mappings[0]).unwrap();
    assert_eq!((rates.process, rates.moves), (vec![10.0, 10.0, 1.0], vec![10.0, 10.0, 10.0, 5.0]));
    let rates = read.pipeline.rates(&read.mappings[1]).unwrap();
    assert_eq!(rates.process, [5.0, 5.0, 10.0]);
    let general = "type=pipeline; nbproc=2; cpi=10; nli-j=100; nbstage=1; wi=1; dsi=1; mappings=[1,(2),1]; throughput";
    assert_eq!(Description::parse(general).unwrap().mappings.len(), 1);
    let local = Description::parse(&general.replace("nli-j=100", "nl=100; nli-i=7")).unwrap();
    assert_eq!(local.pipeline.rates(&local.mappings[0]).unwrap().moves, [100.0, 100.0]);
    let local = local.pipeline.rates(&Ends::default().mapping(vec![1])).unwrap();
    assert_eq!(local.moves, [7.0, 7.0]);
    let ends = Description::parse(&format!("{GOOD} input = 2; output = 1")).unwrap();
    assert_eq!(ends.mappings[2].to_string(), "[2,(3,3,3),1]");
}

#[test]
fn every_mistake_has_its_place_and_what_would_be_right() {
    let cases = [
        ("type = pipeline;", "type = deal;", "line 2, column 5: type is 'deal'; allowed is pipeline"),
        ("nbproc = 3", "nbproc = 2.5", "line 3, column 5: nbproc is 2.5; allowed is a whole number from 1 to 256"),
        ("nbproc = 3;", "", "nbproc is missing; write nbproc = 3;"),
        ("cp2 = 10", "cp2 = 0", "line 3, column 27: cp2 is 0; allowed is a finite number above 0"),
        ("cp2 = 10", "cp2 = NaN", "cp2 is NaN; allowed is a finite number above 0"),
        ("cp2 = 10", "cp2 = -3", "cp2 is -3; allowed"),
        ("cp2 = 10", "cp2 = ten", "line 3, column 33: expected a number, found 'ten'"),
        ("cp2 = 10;", "", "cp2 is missing; write cp2 = 1; or cp = 1; for all"),
        ("cp2 = 10", "cp1 = 10", "line 3, column 27: 'cp1' has a value already"),
        ("cp2 = 10", "cp2 = 10; cp4 = 1", "line 3, column 37: unknown key 'cp4'"),
        ("nl = 10;", "", "nl1-1 is missing; write nl1-1 = 10; or nl = 10; for all links"),
        ("nl = 10;", "nl;", "line 4, column 7: expected '=' and a value, found ';'"),
        ("[1,(1,2,3),3]", "[1,(1,2,4),3]", "line 6, column 16: this mapping is on processor 4; allowed is 1 to 3"),
        ("[1,(1,2,3),3]", "[1,(1,2),3]", "this mapping is of 2 stages; allowed is 3, as nbstage says"),
        ("[1,(1,2,3),3]", "[1,(1,2,3)]", "line 6, column 26: expected ',' and the output's place, found ']'"),
        ("(3,3,3)", "", "expected '[' and another mapping after ','"),
        ("throughput;", "latency = 1;", "unknown key 'latency'; known are type, nbproc"),
    ];
    for (good, bad, expected) in cases {
        let error = Description::parse(&GOOD.replace(good, bad)).expect_err(bad).to_string();
        assert!(error.contains(expected), "{bad}\n  says {error}\n  not  {expected}");
    }
}

proptest! {
    #[test]
    fn any_text_is_read_or_refused_but_never_panics(text in any::<String>()) {
        let _ = Description::parse(&text);
    }

    #[test]
    fn any_row_of_pieces_is_read_or_refused(
        pieces in prop::collection::vec(prop::sample::select(vec![
            "type", "nbproc", "cp1", "cp", "nl1-2", "nl", "nbstage", "w", "ds", "mappings", "throughput", "=", ";", "\n",
            "1", "2", "99999999999999999999999", "1e300", "-1", "[1,(1),1]", "(1,2)", "[", "(", ",", ")", "]", "pipeline",
            "type=pipeline;", "nbproc=2;", "nbstage=1;", "cp=1;", "nl=1;", "w=1;", "ds=1;", "input=1",
        ]), 0..30)
    ) {
        let _ = Description::parse(&pieces.join(" "));
    }
}
