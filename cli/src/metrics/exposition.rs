//! Families of samples, made anew for each scrape from one moment's figures: nothing is counted twice.

use std::fmt;

use prometheus_client::collector::Collector;
use prometheus_client::encoding::text::encode;
use prometheus_client::encoding::{DescriptorEncoder, EncodeMetric, MetricEncoder};
use prometheus_client::metrics::MetricType;
use prometheus_client::metrics::counter::ConstCounter;
use prometheus_client::metrics::gauge::ConstGauge;
use prometheus_client::registry::Registry;

/// A value and its labels.
#[derive(Debug)]
struct Sample {
    labels: Vec<(&'static str, String)>,
    value: f64,
}

/// Samples of one name: a single one, or some that differ in their labels.
#[derive(Debug)]
struct Family {
    name: &'static str,
    help: &'static str,
    is_counter: bool,
    samples: Vec<Sample>,
}

impl Family {
    fn value(&self, encoder: MetricEncoder<'_>, value: f64) -> fmt::Result {
        match self.is_counter {
            true => ConstCounter::new(value).encode(encoder),
            false => ConstGauge::new(value).encode(encoder),
        }
    }
}

/// Families in the order of their first sample.
#[derive(Debug, Default)]
pub struct Families(Vec<Family>);

impl Families {
    /// Adds a value that goes up and down; one that is not known is left out.
    pub fn gauge(
        &mut self,
        name: &'static str,
        help: &'static str,
        labels: &[(&'static str, &str)],
        value: Option<f64>,
    ) {
        self.add(Family { name, help, is_counter: false, samples: Vec::new() }, labels, value);
    }

    /// Adds a value that only grows; the text adds `_total` to its name.
    pub fn counter(
        &mut self,
        name: &'static str,
        help: &'static str,
        labels: &[(&'static str, &str)],
        value: Option<f64>,
    ) {
        self.add(Family { name, help, is_counter: true, samples: Vec::new() }, labels, value);
    }

    fn add(&mut self, empty: Family, labels: &[(&'static str, &str)], value: Option<f64>) {
        let Some(value) = value.filter(|value| value.is_finite()) else { return };
        let labels = labels.iter().map(|(key, value)| (*key, (*value).to_owned())).collect();
        let sample = Sample { labels, value };
        match self.0.iter_mut().find(|family| family.name == empty.name) {
            Some(family) => family.samples.push(sample),
            None => self.0.push(Family { samples: vec![sample], ..empty }),
        }
    }

    /// OpenMetrics text.
    ///
    /// # Errors
    /// None is known: the text grows in memory.
    pub fn into_text(self) -> Result<String, fmt::Error> {
        let mut registry = Registry::default();
        registry.register_collector(Box::new(self));
        let mut text = String::new();
        encode(&mut text, &registry)?;
        Ok(text)
    }
}

impl Collector for Families {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> fmt::Result {
        for family in &self.0 {
            let kind = if family.is_counter { MetricType::Counter } else { MetricType::Gauge };
            let mut of_family = encoder.encode_descriptor(family.name, family.help, None, kind)?;
            if let [Sample { labels, value }] = &family.samples[..]
                && labels.is_empty()
            {
                family.value(of_family, *value)?;
                continue;
            }
            for Sample { labels, value } in &family.samples {
                family.value(of_family.encode_family(labels)?, *value)?;
            }
        }
        Ok(())
    }
}
