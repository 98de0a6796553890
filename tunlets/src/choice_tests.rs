//! Stories of proposals of one round.

use super::*;
use crate::confidence::Confidence;
use crate::master_worker::{Limits, MasterWorker, Mode};
use crate::options::{Objective, SearchOptions};
use crate::pipeline::{Grouping, Pipeline};
use crate::scripted::Scripted;
use crate::search::SearchTunlet;
use crate::testing::{lose, offered, pattern_tuning_point, stream, uneven, window};
use crate::{Observation, TuningPoint, Tunlet};

/// Proposes something of this worth, or nothing, and counts how often it was asked.
#[derive(Clone, Debug)]
struct Bidder(Option<Worth>, u32);

/// Bidders, by the letters of their names.
struct Round(Choice<char>, Vec<(char, Bidder)>);

impl Round {
    fn new(worths: &[(char, Option<Worth>)]) -> Round {
        Round(Choice::new(), worths.iter().map(|(name, worth)| (*name, Bidder(*worth, 0))).collect())
    }

    fn ask(&mut self) -> Option<(char, Proposal)> {
        let all = self.1.iter_mut().map(|(name, bidder)| (*name, bidder));
        self.0.ask(all, |name, bidder| {
            bidder.1 += 1;
            let tunlet = name.to_string().into();
            bidder.0.map(|worth| Proposal { tunlet, ranks: vec![7], worth, ..Proposal::default() })
        })
    }

    /// Who goes out in so many rounds.
    fn names(&mut self, rounds: usize) -> String {
        (0..rounds).filter_map(|_| Some(self.ask()?.0)).collect()
    }
}

fn saves(seconds: f64) -> Option<Worth> {
    Some(Worth::Seconds(seconds))
}

#[test]
fn the_greater_worth_goes_out_whoever_is_asked_first_and_says_what_it_was_preferred_to() {
    for order in [[('a', saves(3.0)), ('b', saves(12.0))], [('b', saves(12.0)), ('a', saves(3.0))]] {
        let (name, proposal) = Round::new(&order).ask().unwrap();
        assert_eq!(name, 'b');
        let why = "rather than `a` of rank 7 (saves 3.000 s over the rest): saves 12.000 s over the rest";
        assert_eq!(proposal.rather_than, why);
    }
    let (_, alone) = Round::new(&[('a', None), ('b', saves(1.0))]).ask().unwrap();
    assert_eq!(alone.rather_than, "");
    assert_eq!(Round::new(&[('a', saves(f64::NAN)), ('b', saves(-1.0))]).names(1), "b");
}

#[test]
fn what_was_asked_in_vain_is_as_before_and_what_had_nothing_to_say_was_asked() {
    let mut round = Round::new(&[('a', saves(3.0)), ('b', saves(12.0)), ('c', None)]);
    assert_eq!(round.names(2), "bb");
    let asked: Vec<u32> = round.1.iter().map(|(_, bidder)| bidder.1).collect();
    assert_eq!(asked, [0, 2, 2]);
    round.1[1].1.0 = None;
    assert_eq!(round.names(1), "a", "it proposes again, and wins");
}

#[test]
fn what_is_due_goes_first_even_before_what_has_waited() {
    let mut round = Round::new(&[('u', Some(Worth::Unknown)), ('v', saves(1e9)), ('d', Some(Worth::Due))]);
    assert_eq!(round.names(3), "ddd");
}

#[test]
fn what_is_unknown_goes_behind_each_other_once_at_most() {
    let unknown = Some(Worth::Unknown);
    assert_eq!(Round::new(&[('u', unknown), ('v', saves(9.0))]).names(6), "vuvuvu");
    assert_eq!(Round::new(&[('u', unknown), ('w', unknown)]).names(4), "uwuw");
    let mut round = Round::new(&[('u', unknown), ('v', saves(9.0)), ('w', saves(3.0))]);
    assert_eq!(round.names(1), "v");
    round.1[1].1.0 = None;
    assert_eq!(round.names(1), "w", "another one of known worth");
    round.1[1].1.0 = saves(9.0);
    assert_eq!(round.names(1), "u");
}

#[test]
fn who_was_not_applied_goes_behind_what_it_kept_waiting() {
    let mut round = Round::new(&[('a', saves(1.0)), ('b', saves(2.0)), ('c', saves(9.0))]);
    let mut names = String::new();
    for _ in 0..6 {
        let (name, _) = round.ask().unwrap();
        names.push(name);
        if name == 'c' {
            round.0.on_not_applied('c');
        }
    }
    assert_eq!(names, "cbacba");
}

#[test]
fn a_master_worker_proposal_that_loses_leaves_no_trace() {
    let limits = Limits::default();
    let mut tunlet = MasterWorker::new(Mode::Auto, Objective::Time, Confidence::default(), limits);
    for iteration in 0..4 {
        tunlet.observe(Observation::Iteration(&uneven(0, iteration, 3.0)));
    }
    let proposal = lose(&tunlet, &offered(0));
    assert!(matches!(proposal.worth, Worth::Seconds(s) if s > 0.0), "{proposal:?}");
}

#[test]
fn a_pipeline_proposal_that_loses_leaves_no_trace() {
    let mut tunlet = Pipeline::new(Objective::Time, Confidence::default(), Grouping::Single, 0);
    tunlet.observe(Observation::Stream(&stream(0, "0,1", 6, &[0.1, 0.4])));
    let proposal = lose(&tunlet, &[pattern_tuning_point("0,1")]);
    // Of the 4 s of the only window three quarters.
    assert!(matches!(proposal.worth, Worth::Seconds(s) if (2.0..4.0).contains(&s)), "{proposal:?}");
}

/// The tuning point `k` of rank 0.
fn k(value: f64) -> TuningPoint {
    TuningPoint { name: "k".into(), range: (0.0, 64.0), value, ..offered(0).remove(0) }
}

#[test]
fn a_search_proposal_that_loses_leaves_no_trace() {
    let options = SearchOptions { points: "k=8..64 step 8".into(), ..SearchOptions::default() };
    let mut tunlet = SearchTunlet::new(&options, Confidence::default()).unwrap();
    let mut worths = Vec::new();
    let mut value = 64.0;
    for iteration in 0..5 {
        tunlet.observe(Observation::Iteration(&window(iteration, 4, 1.0 + value / 10.0)));
        if tunlet.clone().propose(&[k(value)]).is_none() {
            tunlet.propose(&[k(value)]);
            continue;
        }
        worths.push(lose(&tunlet, &[k(value)]).worth);
        let proposal = tunlet.propose(&[k(value)]).unwrap();
        value = proposal.assignments[0].1.number().unwrap();
        tunlet.on_settled(iteration, crate::Settled::Applied { iteration: iteration + 1 });
    }
    assert!(
        worths.len() > 1 && worths.iter().all(|worth| matches!(worth, Worth::Seconds(s) if *s > 0.0)),
        "{worths:?}"
    );
}

#[test]
fn a_proposal_of_a_file_that_loses_leaves_no_trace() {
    let file = "name = 'counts'\n\
                script = 'state.asked = (state.asked ?? 0) + 1; #{ set: #{ k: 2.0 }, why: `asked ${state.asked}` }'\n\
                [tuning_points]\nk = { name = 'k' }\n";
    let mut tunlet = Scripted::read(file).unwrap_or_else(|mistake| panic!("{mistake}"));
    for iteration in 0..4 {
        tunlet.observe(Observation::Iteration(&window(iteration, 4, 1.0)));
    }
    let proposal = lose(&tunlet, &[k(1.0)]);
    assert_eq!((proposal.why.as_str(), proposal.worth), ("asked 1", Worth::Unknown));
}
