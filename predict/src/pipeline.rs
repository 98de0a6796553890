//! The text format of pipelines (TOML): the network, and the stages in the order of the stream.

mod varying;

use serde::{Deserialize, Serialize};
use toml::Spanned;

pub use varying::Varying;

use crate::description::{DescriptionError, parse};
use crate::units::{bytes, seconds};
use midrun_models::pipeline::production::Buffers;
use midrun_models::pipeline::{Manager, Network, Pipeline, Protocol, Stage};

/// Most stages of a description.
pub const MOST_STAGES: usize = 1000;

/// A manager that shares a rank: the middle of what the source allows, with Linux's usual turn.
const SHARED: Manager = Manager::SharedRank { quantum_s: 4e-3, quanta: 1.0, slowing: 0.5 };

/// The whole text.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    network: NetworkTable,
    stage: Vec<Spanned<StageTable>>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct NetworkTable {
    start_up: Spanned<String>,
    per_byte: Spanned<String>,
    #[serde(default)]
    protocol: ProtocolName,
    #[serde(default)]
    manager: ManagerName,
    /// See [`Pipeline::overlap`].
    #[serde(default = "all")]
    overlap: f64,
    #[serde(default)]
    buffers: BuffersName,
}

fn all() -> f64 {
    1.0
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct StageTable {
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    compute: Spanned<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    deviation: Option<Spanned<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<Spanned<String>>,
    #[serde(default)]
    stateful: bool,
}

#[derive(Serialize, Deserialize, Default)]
#[serde(rename_all = "kebab-case")]
enum ProtocolName {
    #[default]
    Async,
    Sync,
}

#[derive(Serialize, Deserialize, Default)]
#[serde(rename_all = "kebab-case")]
enum ManagerName {
    #[default]
    Sender,
    OwnRank,
    SharedRank,
}

#[derive(Serialize, Deserialize, Default)]
#[serde(rename_all = "kebab-case")]
enum BuffersName {
    #[default]
    Full,
    Open,
}

/// A checked description.
#[derive(Clone, Debug, PartialEq)]
pub struct Description {
    /// The stages and the network.
    pub pipeline: Pipeline,
    /// Each stage's name, empty where it has none.
    pub names: Vec<String>,
    /// Standard deviation of each stage's time per input, seconds.
    pub deviations_s: Vec<f64>,
    /// State of the buffers between stages.
    pub buffers: Buffers,
}

impl Description {
    /// Reads a description.
    ///
    /// # Errors
    /// A sentence with line and column of the first mistake.
    ///
    /// ```
    /// use midrun_predict::pipeline::Description;
    /// let text = "network = { start_up = '50us', per_byte = '1ns' }\n[[stage]]\ncompute = '4ms'\nmessage = '10KB'\n";
    /// assert_eq!(Description::from_toml(text)?.pipeline.stages[0].compute_s, 4e-3);
    /// # Ok::<(), midrun_predict::description::DescriptionError>(())
    /// ```
    pub fn from_toml(text: &str) -> Result<Description, DescriptionError> {
        let file: File = parse(text)?;
        let value = |key: &str, given: &Spanned<String>, read: fn(&str) -> Result<f64, String>| {
            let wrong = |allowed| {
                let sentence = format!("{key} = \"{}\": {allowed}", given.get_ref());
                DescriptionError::at(text, given.span(), sentence)
            };
            read(given.get_ref()).map_err(wrong)
        };
        if file.stage.len() > MOST_STAGES {
            let sentence = format!("{} stages are too many: at most {MOST_STAGES} are looked at", file.stage.len());
            return Err(DescriptionError::at(text, file.stage[MOST_STAGES].span(), sentence));
        }
        let NetworkTable { start_up, per_byte, protocol, manager, overlap, buffers } = &file.network;
        let protocol = match protocol {
            ProtocolName::Async => Protocol::Async,
            ProtocolName::Sync => Protocol::Sync,
        };
        let manager = match manager {
            ManagerName::Sender => Manager::Sender,
            ManagerName::OwnRank => Manager::OwnRank,
            ManagerName::SharedRank => SHARED,
        };
        let network = Network {
            start_up_s: value("start_up", start_up, seconds)?,
            per_byte_s: value("per_byte", per_byte, seconds)?,
            protocol,
        };
        let stage = |(k, table): (usize, &Spanned<StageTable>)| {
            let StageTable { compute, message, stateful, .. } = table.get_ref();
            let key = |name: &str| format!("stage {k}: {name}");
            let message = message.as_ref().map_or(Ok(0.0), |given| value(&key("message"), given, bytes))?;
            let compute_s = value(&key("compute"), compute, seconds)?;
            Ok(Stage { compute_s, message_bytes: message, stateful: *stateful })
        };
        let stages = file.stage.iter().enumerate().map(stage).collect::<Result<_, DescriptionError>>()?;
        let pipeline = Pipeline { manager, overlap: *overlap, ..Pipeline::new(stages, network) }
            .checked()
            .map_err(|error| DescriptionError::at(text, 0..0, error.to_string()))?;
        let buffers = match buffers {
            BuffersName::Full => Buffers::Full,
            BuffersName::Open => Buffers::Open,
        };
        let deviation = |(k, table): (usize, &Spanned<StageTable>)| {
            let key = format!("stage {k}: deviation");
            let Some(given) = &table.get_ref().deviation else { return Ok(0.0) };
            let deviation_s = value(&key, given, seconds)?;
            if deviation_s > 0.0 && !matches!(manager, Manager::Sender) {
                let sentence =
                    format!("{key}: times that vary are simulated where senders distribute: leave `manager` out");
                return Err(DescriptionError::at(text, given.span(), sentence));
            }
            if deviation_s > 0.0 && pipeline.stages[k].compute_s == 0.0 {
                let sentence = format!("{key} = \"{}\": a time that is always 0 does not vary", given.get_ref());
                return Err(DescriptionError::at(text, given.span(), sentence));
            }
            Ok(deviation_s)
        };
        let deviations_s = file.stage.iter().enumerate().map(deviation).collect::<Result<_, DescriptionError>>()?;
        let names = file.stage.into_iter().map(|table| table.into_inner().name.unwrap_or_default()).collect();
        Ok(Description { pipeline, names, deviations_s, buffers })
    }

    /// A text that reads back as the same description; figures of a manager that shares a rank are always [`SHARED`].
    pub fn to_toml(&self) -> String {
        let spanned = |value: String| Spanned::new(0..0, value);
        let Network { start_up_s, per_byte_s, protocol } = self.pipeline.network;
        let network = NetworkTable {
            start_up: spanned(format!("{start_up_s}s")),
            per_byte: spanned(format!("{per_byte_s}s")),
            protocol: match protocol {
                Protocol::Async => ProtocolName::Async,
                Protocol::Sync => ProtocolName::Sync,
            },
            manager: match self.pipeline.manager {
                Manager::Sender => ManagerName::Sender,
                Manager::OwnRank => ManagerName::OwnRank,
                Manager::SharedRank { .. } => ManagerName::SharedRank,
            },
            overlap: self.pipeline.overlap,
            buffers: match self.buffers {
                Buffers::Full => BuffersName::Full,
                Buffers::Open => BuffersName::Open,
            },
        };
        let stage = |((stage, name), deviation_s): ((&Stage, &String), &f64)| StageTable {
            name: (!name.is_empty()).then(|| name.clone()),
            compute: spanned(format!("{}s", stage.compute_s)),
            deviation: (*deviation_s > 0.0).then(|| spanned(format!("{deviation_s}s"))),
            message: Some(spanned(stage.message_bytes.to_string())),
            stateful: stage.stateful,
        };
        let stages = self.pipeline.stages.iter().zip(&self.names).zip(&self.deviations_s);
        let stages = stages.map(|all| Spanned::new(0..0, stage(all)));
        // Only numbers and names, which TOML always accepts.
        toml::to_string(&File { network, stage: stages.collect() }).unwrap_or_default()
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use proptest::prelude::*;

    pub(crate) const EXAMPLE: &str = r#"
        network = { start_up = "2.131ms", per_byte = "93ns", manager = "own-rank" }
        stage = [
            { compute = "100ms", message = "10KB" },
            { compute = "400ms", message = "10KB", name = "denoise" },
            { compute = "100ms" },
        ]"#;

    #[test]
    fn a_text_that_makes_no_sense_is_answered_by_what_and_where() {
        let change =
            |from: &str, to: &str| Description::from_toml(&EXAMPLE.replacen(from, to, 1)).unwrap_err().to_string();
        for (from, to, expected) in [
            ("\"100ms\"", "\"100\"", "line 4, column 25: stage 0: compute = \"100\": allowed is a time"),
            ("10KB", "ten", "line 4, column 44: stage 0: message = \"ten\": allowed is a size"),
            ("93ns", "fast", "line 2, column 54: per_byte = \"fast\": allowed is a time"),
            ("own-rank", "boss", "line 2, column 72: unknown variant `boss`"),
            ("compute", "computes", "line 4, column 15: unknown field `computes`"),
            ("message", "deviation", "line 4, column 46: stage 0: deviation = \"10KB\": allowed is a time"),
            (
                "message = \"10KB\"",
                "deviation = '9ms'",
                "line 4, column 46: stage 0: deviation: times that vary are simulated where senders distribute",
            ),
        ] {
            let sentence = change(from, to);
            assert!(sentence.starts_with(expected), "{sentence}");
        }
        assert!(change("\"own-rank\"", "\"own-rank\", overlap = 2.0").contains("the overlap"));
        assert!(Description::from_toml("").unwrap_err().sentence.contains("network"));
        let network = "network = { start_up = '0', per_byte = '0' }\n";
        assert!(Description::from_toml(&format!("{network}stage = []")).unwrap_err().sentence.contains("stages"));
        let many = "[[stage]]\ncompute = '1s'\n".repeat(MOST_STAGES + 1);
        let error = Description::from_toml(&format!("{network}{many}")).unwrap_err();
        assert!(error.line == 2 * MOST_STAGES + 2 && error.sentence.contains("1001 stages"), "{error}");
    }

    fn any_description() -> impl Strategy<Value = Description> {
        let stage = (0.0..1e6_f64, 0.0..1e12_f64, any::<bool>(), "\\PC{0,5}", 0.0..10.0_f64);
        let stages = proptest::collection::vec(stage, 1..6);
        let manager = prop_oneof![Just(Manager::Sender), Just(Manager::OwnRank), Just(SHARED)];
        let protocol = prop_oneof![Just(Protocol::Async), Just(Protocol::Sync)];
        let buffers = prop_oneof![Just(Buffers::Full), Just(Buffers::Open)];
        (stages, 0.0..1e3_f64, 0.0..1.0_f64, (manager, 0.0..1.0_f64), protocol, buffers).prop_map(
            |(list, start_up_s, per_byte_s, (manager, overlap), protocol, buffers)| {
                let names = list.iter().map(|(.., name, _)| name.clone()).collect();
                let varies = |time_s: f64, by: f64| if manager == Manager::Sender && time_s > 0.0 { by } else { 0.0 };
                let deviations_s = list.iter().map(|(time_s, .., by)| varies(*time_s, *by)).collect();
                let stage = |(k, (compute_s, message_bytes, stateful, ..)): (usize, (f64, f64, bool, String, f64))| {
                    Stage { compute_s: if k == 0 { compute_s.max(1e-9) } else { compute_s }, message_bytes, stateful }
                };
                let stages = list.into_iter().enumerate().map(stage).collect();
                let network = Network { start_up_s, per_byte_s, protocol };
                let pipeline = Pipeline { manager, overlap, ..Pipeline::new(stages, network) };
                Description { pipeline, names, deviations_s, buffers }
            },
        )
    }

    proptest! {
        #[test]
        fn what_is_printed_reads_back_as_the_same(description in any_description()) {
            prop_assert_eq!(Description::from_toml(&description.to_toml()).unwrap(), description);
        }

        #[test]
        fn no_change_of_a_good_text_makes_the_reader_panic(at in 0_usize..330, with in "\\PC{0,3}", cut in 0_usize..5) {
            let mut text: Vec<char> = EXAMPLE.chars().collect();
            let at = at.min(text.len());
            text.splice(at..(at + cut).min(text.len()), with.chars());
            let _ = Description::from_toml(&text.into_iter().collect::<String>());
        }
    }
}
