//! `midrun predict` with descriptions in files: what the guide shows, what JSON holds, what is refused.

mod stage;

use std::path::{Path, PathBuf};

use serde_json::Value;
use stage::{Stage, stderr};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Runs `midrun` in the root of the repository.
fn midrun(words: &[&str]) -> String {
    let stage = Stage::new();
    let output = stage.watched(words).current_dir(root()).output().unwrap();
    assert!(output.status.success(), "{words:?}: {}", stderr(&output));
    String::from_utf8(output.stdout).unwrap()
}

/// Commands in the indented blocks of a document, each with what it prints there.
fn shown(document: &str) -> Vec<(String, String)> {
    let mut commands: Vec<(String, String)> = Vec::new();
    let mut inside = false;
    for line in document.lines() {
        match (line.strip_prefix("    $ midrun "), line.strip_prefix("    ")) {
            (Some(command), _) => {
                commands.push((command.to_owned(), String::new()));
                inside = true;
            }
            (None, printed) if inside && (printed.is_some() || line.is_empty()) => {
                let known = &mut commands.last_mut().unwrap().1;
                *known += printed.unwrap_or("");
                known.push('\n');
            }
            _ => inside = false,
        }
    }
    commands
}

/// The same words, numbers to six digits.
fn assert_same(printed: &str, shown: &str, command: &str) {
    let words =
        |text: &str| text.split_whitespace().map(|word| word.trim_matches(['(', ')', ',']).to_owned()).collect();
    let (printed_words, shown_words): (Vec<String>, Vec<String>) = (words(printed), words(shown));
    assert_eq!(printed_words.len(), shown_words.len(), "{command}:\n{printed}");
    for (a, b) in printed_words.iter().zip(&shown_words) {
        let same = match (a.parse::<f64>(), b.parse::<f64>()) {
            (Ok(a), Ok(b)) => (a - b).abs() <= 1e-6 * b.abs(),
            _ => a == b,
        };
        assert!(same, "{command}: {a} is not {b}:\n{printed}");
    }
}

#[test]
fn the_commands_of_the_guide_print_what_the_guide_shows() {
    let mut checked = 0;
    for document in ["state-diagrams.md", "time-cost.md", "recorded-runs.md"] {
        let text = std::fs::read_to_string(root().join("docs/predict").join(document)).unwrap();
        for (command, expected) in shown(&text) {
            let words: Vec<&str> = command.split_whitespace().collect();
            assert_same(&midrun(&words), &expected, &command);
            checked += 1;
        }
    }
    assert_eq!(checked, 7, "commands of the guide");
}

/// The recording is of `mw_synthetic --tasks 1000 --mean-us 1000 --slow-workers 0.5:4 --technique daf` on 8 workers; the same with
/// gss took 0.299 s per iteration.
#[test]
fn slow_workers_that_got_the_same_part_each_time_do_not_pass_for_long_tasks() {
    let all = json(&["predict", "run", "examples/recordings/slow_workers.rec", "--technique", "gss"]);
    let predicted_s = all["answers"][0]["predicted_s"].as_f64().unwrap();
    assert!((predicted_s / 0.299 - 1.0).abs() < 0.1, "{all}");
}

fn json(words: &[&str]) -> Value {
    serde_json::from_str(&midrun(&[words, &["--json"]].concat())).unwrap()
}

#[test]
fn the_json_of_a_diagram_has_the_mean_the_method_and_what_it_took() {
    let file = "examples/models/chain.toml";
    let exact = json(&["predict", "diagram", file, "--method", "exact"]);
    assert_eq!((&exact["method"], &exact["states"]), (&"exact".into(), &19201.into()));
    let mean_s = exact["mean_s"].as_f64().unwrap();
    let simulated = json(&["predict", "diagram", file, "--method", "simulate", "--runs", "20000", "--seed", "3"]);
    let end = |key: &str| simulated["interval"][key].as_f64().unwrap();
    let width = end("high_s") - end("low_s");
    assert!(end("low_s") - width < mean_s && mean_s < end("high_s") + width, "{simulated} {mean_s}");
    assert!(simulated["states"].is_null() && exact["interval"].is_null());
    let default = json(&["predict", "diagram", file]);
    assert_eq!((&default["method"], &default["mean_s"]), (&exact["method"], &exact["mean_s"]), "what can be proved");
    let approximate = json(&["predict", "diagram", file, "--method", "approximate"]);
    assert!((approximate["mean_s"].as_f64().unwrap() / mean_s - 1.0).abs() < 0.015 && !approximate["error"].is_null());
}

#[test]
fn the_json_of_a_cost_has_moments_extremes_and_a_histogram_of_all_runs() {
    let cost = json(&["predict", "cost", "examples/models/producer_consumer.toml", "--runs", "200"]);
    let of = |key: &str| cost[key].as_f64().unwrap();
    assert!(of("minimum_s") < of("mean_s") && of("mean_s") < of("maximum_s") && of("variance_s2") > 0.0);
    let counted: u64 = cost["histogram"].as_array().unwrap().iter().map(|bin| bin["runs"].as_u64().unwrap()).sum();
    assert_eq!((counted, cost["runs"].as_u64()), (200, Some(200)));
    assert!(cost["waiting_s"]["producer-locks"].as_f64().unwrap() > 0.0);
    let sweep = json(&["predict", "cost", "examples/models/producer_consumer_sweep.toml", "--runs", "20"]);
    let first = &sweep["sweep"][0];
    assert_eq!(
        (&first["processors"], &first["policy"], &first["parameters"]["n"]),
        (&1.0.into(), &"equal".into(), &10.into())
    );
    assert_eq!(sweep["sweep"].as_array().unwrap().len(), 12);
}

#[test]
fn what_is_wrong_with_a_description_is_one_sentence_with_file_line_and_column() {
    let stage = Stage::new();
    let refused = |words: &[&str], text: &str, parts: &[&str]| {
        std::fs::write(stage.path("m.toml"), text).unwrap();
        let output = stage.run(&[&["predict"], words].concat());
        let error = stderr(&output);
        assert_eq!(output.status.code(), Some(64), "{words:?}: {error}");
        assert_eq!(error.trim_end().lines().count(), 1, "{error}");
        assert!(parts.iter().all(|part| error.contains(part)), "{error}: {parts:?}");
        assert!(output.stdout.is_empty());
    };
    let shape = |time: &str| format!("shape = \"manager-workers\"\nprocesses = 6\nstages = 2\ntime = {time}\n");
    for (rate, read) in [("0", "0"), ("-3", "-3"), ("nan", "NaN")] {
        let text = shape(&format!("{{ rate_per_s = {rate} }}"));
        refused(
            &["diagram", "m.toml"],
            &text,
            &["m.toml: line 4, column 8", &format!("the rate is {read}"), "above 0"],
        );
    }
    let large = shape("{ mean_s = 1, erlang = 8 }").replace("manager-workers", "communicating-sequential-elements");
    let exact = ["diagram", "m.toml", "--method", "exact", "--states", "1000"];
    refused(&exact, &large, &["m.toml", "given up after", "the limit is 1000", "simulate"]);
    refused(&exact, &shape("{ mean_s = 1, variance_s2 = 0.3 }"), &["m.toml", "process 0, stage 0", "whole number"]);
    let approximate = ["diagram", "m.toml", "--method", "approximate"];
    refused(&approximate, &shape("{ mean_s = 1, variance_s2 = 3 }"), &["at most mean²", "simulate"]);
    refused(&["diagram", "none.toml"], "", &["none.toml", "No such file"]);
    refused(&["diagram", "m.toml", "--method", "guess"], "", &["guess", "exact"]);
    refused(&["cost", "m.toml"], "strat = 1\n", &["m.toml: line 1, column 1", "strat", "start"]);
    refused(&["cost", "m.toml", "--runs", "0"], "", &["--runs"]);
    std::fs::write(stage.path("binary"), [0xff, 0xfe, 0x00]).unwrap();
    refused(&["cost", "binary"], "", &["binary", "UTF-8"]);
}
