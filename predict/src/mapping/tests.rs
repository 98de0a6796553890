//! The source's throughputs, and what any mapping and any search must obey.

use proptest::prelude::*;

use super::*;
use crate::pepa::Limits;

fn uniform(processors: &[f64], link: f64, stages: usize) -> Pipeline {
    let links = vec![vec![link; processors.len()]; processors.len()];
    let stages = Stages { work: vec![1.0; stages], data: vec![1.0; stages + 1] };
    Pipeline::new(processors.to_vec(), links, stages).unwrap()
}

fn exact(pipeline: &Pipeline, stages: &[usize]) -> Evaluation {
    let mapping = Ends::default().mapping(stages.to_vec());
    Evaluator::new(pipeline.clone(), Limits::default()).evaluate(&mapping).unwrap()
}

#[test]
fn the_sources_throughputs_come_out_to_five_digits() {
    for (power, expected) in [(10.0, 5.63467), (5.0, 2.81892)] {
        let got = exact(&uniform(&[power; 3], 10_000.0, 3), &[0, 1, 2]);
        assert_eq!((got.states, got.transitions), (27, 51));
        assert!((got.throughput - expected).abs() < 0.000_005, "{}", got.throughput);
    }
}

/// Table 5.1, the rows whose chains were solved in rational numbers (27 equations, Gauss): the source prints row 3 as 3.36671.
#[test]
fn table_5_1_comes_out_to_all_digits() {
    let rows = [
        ([10.0, 10.0, 10.0], 10_000.0, [0, 1, 2], 5.634_666_690_183_31),
        ([5.0, 5.0, 5.0], 10_000.0, [0, 1, 2], 2.818_922_422_616_351_3),
        ([10.0, 10.0, 1.0], 10_000.0, [0, 1, 0], 3.366_715_063_966_352_2),
        ([10.0, 10.0, 1.0], 10.0, [0, 0, 1], 2.599_144_062_453_995),
        ([10.0, 10.0, 1.0], 1.0, [0, 0, 0], 1.879_634_938_984_393),
        ([1.0, 1.0, 100.0], 1.0, [0, 2, 2], 0.499_876_932_547_046_1),
    ];
    for (power, link, stages, expected) in rows {
        let links = (0..3).map(|a| (0..3).map(|b| if a == b { 10_000.0 } else { link }).collect()).collect();
        let sizes = Stages { work: vec![1.0; 3], data: vec![1.0; 4] };
        let got = exact(&Pipeline::new(power.to_vec(), links, sizes).unwrap(), &stages).throughput;
        assert!((got / expected - 1.0).abs() < 1e-12, "{got} instead of {expected}");
    }
}

#[test]
fn the_sources_best_mapping_on_a_slow_third_processor_is_found_and_proven() {
    // Within a processor data moves a thousand times as fast.
    let links = (0..3).map(|a| (0..3).map(|b| if a == b { 10_000.0 } else { 10.0 }).collect()).collect();
    let stages = Stages { work: vec![1.0; 3], data: vec![1.0; 4] };
    let pipeline = Pipeline::new(vec![10.0, 10.0, 1.0], links, stages).unwrap();
    for (stages, expected) in [([0, 0, 1], 2.59914), ([0, 1, 1], 2.59914)] {
        assert!((exact(&pipeline, &stages).throughput - expected).abs() < 0.000_005);
    }
    let mut evaluator = Evaluator::new(pipeline, Limits::default());
    let found = search(&mut evaluator, Ends::default(), &Effort::default()).unwrap();
    assert!(found.exhaustive && found.examined == 27 && found.is_optimal());
    assert_eq!(found.evaluated[0].mapping.stages, [0, 0, 1]);
    assert!((found.evaluated[0].throughput - 2.59914).abs() < 0.000_005);
}

#[test]
fn the_pepa_model_of_a_mapping_gives_what_the_evaluator_gives() {
    let pipeline = uniform(&[7.0, 3.0, 11.0], 20.0, 4);
    for stages in [[0, 1, 2, 0], [2, 2, 2, 2], [1, 0, 0, 2]] {
        let mapping = Mapping { input: 1, stages: stages.to_vec(), output: 0 };
        let model = pipeline.model(&mapping).unwrap();
        let read = crate::pepa::Model::parse(&model.to_string()).unwrap();
        assert_eq!(read, model);
        let space = read.derive(&Limits::default()).unwrap();
        let solution = space.solve(&crate::markov::Options::default()).unwrap();
        let got = Evaluator::new(pipeline.clone(), Limits::default()).evaluate(&mapping).unwrap();
        assert!((solution.results()[0].1 - got.throughput).abs() < 1e-9);
        assert_eq!((got.states, got.transitions), (space.states(), space.transitions()));
    }
}

#[test]
fn one_stage_alone_takes_the_sum_of_its_times() {
    let pipeline = uniform(&[4.0], 10.0, 1);
    let got = exact(&pipeline, &[0]);
    assert!((got.throughput - 1.0 / (0.1 + 0.25 + 0.1)).abs() < 1e-12);
    assert!((got.throughput - cycle_bound(&pipeline, &got.mapping).unwrap()).abs() < 1e-12);
}

#[test]
fn many_mappings_are_searched_locally_and_the_distance_to_the_bound_is_reported() {
    // Two fast processors among eight; 8^7 = 2 million mappings.
    let pipeline = uniform(&[3.0, 20.0, 3.0, 3.0, 20.0, 3.0, 3.0, 3.0], 1000.0, 7);
    let mut evaluator = Evaluator::new(pipeline, Limits::default());
    let found = search(&mut evaluator, Ends::default(), &Effort::default()).unwrap();
    assert!(!found.exhaustive && found.examined < 100_000);
    let best = &found.evaluated[0];
    assert!(best.throughput <= found.bound && best.throughput > 0.4 * found.bound, "{best:?} of {}", found.bound);
    let naive = exact(evaluator.pipeline(), &[0, 1, 2, 3, 4, 5, 6]).throughput;
    assert!(best.throughput > 1.2 * naive, "{best:?} against {naive}");
}

#[test]
fn local_search_finds_what_looking_at_all_finds() {
    let mut better = 0;
    for seed in 1..=6 {
        let power = |k: u64| 1.0 + ((seed * 7 + k * 13) % 10) as f64;
        let pipeline = uniform(&[power(1), power(2), power(3), power(4)], 30.0, 5);
        let mut evaluator = Evaluator::new(pipeline, Limits::default());
        let all = search(&mut evaluator, Ends::default(), &Effort::default()).unwrap();
        let few = Effort { all_up_to: 0, seed, ..Effort::default() };
        let local = search(&mut evaluator, Ends::default(), &few).unwrap();
        assert!(all.is_optimal() && local.bound >= all.evaluated[0].throughput * (1.0 - 1e-9));
        let share = local.evaluated[0].throughput / all.evaluated[0].throughput;
        assert!((0.95..=1.0 + 1e-9).contains(&share), "seed {seed}: {share}");
        better += usize::from(share > 0.999);
    }
    assert!(better >= 4, "{better} of 6 were the best");
}

#[test]
fn too_many_states_stop_with_their_count() {
    let pipeline = uniform(&[1.0, 2.0], 10.0, 12);
    let mapping = Ends::default().mapping(vec![0; 12]);
    let limits = Limits { max_states: 5000, ..Limits::default() };
    let error = Evaluator::new(pipeline, limits).evaluate(&mapping).unwrap_err().to_string();
    assert!(error.contains("stopped at") && error.contains("limit of 5000 states"), "{error}");
}

#[test]
fn numbers_that_do_not_fit_together_are_named() {
    let stages = || Stages { work: vec![1.0; 2], data: vec![1.0; 3] };
    let new = |p: &[f64], links: Vec<Vec<f64>>, s| Pipeline::new(p.to_vec(), links, s).unwrap_err().to_string();
    let square = vec![vec![1.0; 2]; 2];
    assert_eq!(new(&[1.0, f64::NAN], square.clone(), stages()), "cp2 is NaN; it must be a finite number above 0");
    assert!(new(&[], vec![], stages()).starts_with("processors: there are 0"));
    assert!(new(&[1.0; 2], vec![vec![1.0; 2]], stages()).starts_with("rows of links: there are 1"));
    let short = Stages { work: vec![1.0; 2], data: vec![1.0; 2] };
    assert!(new(&[1.0; 2], square, short).contains("there must be 3, one more than stages"));
    let pipeline = uniform(&[1.0; 2], 1.0, 2);
    let wrong = |stages: Vec<usize>| pipeline.rates(&Ends::default().mapping(stages)).unwrap_err().to_string();
    assert_eq!(wrong(vec![0, 2]), "mapping [1,(1,3),3]: there is no processor 3; they are 1 to 2");
    assert!(wrong(vec![0]).contains("there are 1, there must be 2"));
    assert!(wrong(vec![]).contains("there are 0, there must be 2"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(ProptestConfig::default().cases / 6))]

    #[test]
    fn no_throughput_is_above_its_bounds_and_more_power_never_hurts(
        powers in prop::collection::vec(0.1_f64..100.0, 3),
        links in prop::collection::vec(0.1_f64..1000.0, 9),
        work in prop::collection::vec(0.1_f64..10.0, 4),
        data in prop::collection::vec(0.1_f64..10.0, 5),
        places in prop::collection::vec(0_usize..3, 6),
    ) {
        let links: Vec<Vec<f64>> = links.chunks(3).map(<[f64]>::to_vec).collect();
        let stages = Stages { work, data };
        let pipeline = Pipeline::new(powers.clone(), links.clone(), stages.clone()).unwrap();
        let mapping = Mapping { input: places[0], stages: places[1..5].to_vec(), output: places[5] };
        let value = Evaluator::new(pipeline.clone(), Limits::default()).evaluate(&mapping).unwrap().throughput;
        let ends = Ends { input: Some(places[0]), output: Some(places[5]) };
        let cycle = cycle_bound(&pipeline, &mapping).unwrap();
        prop_assert!(value > 0.0 && value <= cycle * (1.0 + 1e-9), "{value} {cycle}");
        prop_assert!(cycle <= proven_bound(&pipeline, ends) * (1.0 + 1e-9));
        let twice = powers.iter().map(|p| 2.0 * p).collect();
        let faster = Pipeline::new(twice, links, stages).unwrap();
        let more = Evaluator::new(faster, Limits::default()).evaluate(&mapping).unwrap().throughput;
        prop_assert!(more > value * (1.0 - 1e-9));
    }
}
