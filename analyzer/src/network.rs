//! Cost of a job's messages, to workers on the master's host and on others, from calibration and round trips.

use midrun_tunlets::link::Estimator;
use midrun_tunlets::{LinkCost, Network};

use crate::events::{self, Trip};

#[derive(Clone, Debug, Default)]
struct Class {
    calibrated: Option<LinkCost>,
    estimator: Estimator,
    known: Option<LinkCost>,
    // Something came since `known` was made.
    stale: bool,
}

/// Both classes of links of a job.
#[derive(Clone, Debug, Default)]
pub struct Links {
    near: Class,
    far: Class,
}

impl Links {
    fn class(&mut self, same_host: bool) -> &mut Class {
        if same_host { &mut self.near } else { &mut self.far }
    }

    /// The master has calibrated.
    pub fn on_link(&mut self, link: events::Link) {
        let class = self.class(link.same_host);
        class.calibrated = Some(link.measured);
        class.estimator.on_calibrated(link.measured.cost);
        class.stale = true;
    }

    /// The program's own messages were on their way.
    pub fn on_trip(&mut self, trip: Trip) {
        let class = self.class(trip.same_host);
        class.estimator.on_trip(trip.bytes, trip.trip_s);
        class.stale = true;
    }

    /// Messages of a program with its own loop were on their way. Beside a framework, which calibrates, they say nothing: it waits in its
    /// own way for messages. Returns whether the cost is known since now.
    pub fn on_own_trip(&mut self, trip: Trip) -> bool {
        if self.near.calibrated.is_some() || self.far.calibrated.is_some() {
            return false;
        }
        let was_known = self.class(trip.same_host).link().is_some();
        self.on_trip(trip);
        !was_known && self.class(trip.same_host).link().is_some()
    }

    /// The costs known by now, to other hosts first: (same host, cost).
    pub fn list(&mut self) -> impl Iterator<Item = (bool, LinkCost)> {
        let all = [(false, self.far.link()), (true, self.near.link())];
        all.into_iter().filter_map(|(same_host, link)| link.map(|link| (same_host, link)))
    }

    /// For a window, with the bytes of a task and of a result; `None` where nothing is known.
    pub fn network(&mut self, (task_bytes, result_bytes): (u32, u32)) -> Option<Network> {
        let (near, far) = (self.near.link(), self.far.link());
        (near.is_some() || far.is_some()).then_some(Network { near, far, task_bytes, result_bytes })
    }
}

impl Class {
    fn link(&mut self) -> Option<LinkCost> {
        if std::mem::take(&mut self.stale) {
            let rest = self.calibrated.unwrap_or_default();
            let trips = self.estimator.trips();
            self.known = self.estimator.cost().map(|cost| LinkCost { cost, trips, ..rest });
        }
        self.known
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use midrun_tunlets::link::Cost;

    #[test]
    fn a_program_with_its_own_loop_learns_from_its_messages_and_says_so_once() {
        let mut links = Links::default();
        let trip = |bytes: f64| Trip { same_host: false, bytes, trip_s: 2.0 * 6e-5 + 8e-8 * bytes };
        let news = (0..40).filter(|k| links.on_own_trip(trip(f64::from(1000 * (k % 7))))).count();
        assert_eq!(news, 1);
        let far = links.network((0, 0)).unwrap().far.unwrap().cost;
        assert!((far.start_up_s - 6e-5).abs() < 1e-8 && (far.per_byte_s - 8e-8).abs() < 1e-11, "{far:?}");
        let mut links = Links::default();
        links.on_link(events::Link { same_host: true, measured: LinkCost::default() });
        assert!((0..40).all(|_| !links.on_own_trip(trip(0.0))), "a framework has calibrated");
        assert_eq!(links.network((0, 0)).unwrap().far, None);
    }

    #[test]
    fn each_class_learns_from_its_own_trips() {
        let mut links = Links::default();
        assert_eq!(links.network((8, 8)), None);
        let cost = Cost { start_up_s: 1e-4, start_up_error_s: 1e-6, per_byte_s: 8e-8, per_byte_error_s: 1e-9 };
        for same_host in [true, false] {
            let measured = LinkCost { cost, eager_bytes: 4096, samples: 30, ..LinkCost::default() };
            links.on_link(events::Link { same_host, measured });
        }
        (0..40).for_each(|_| links.on_trip(Trip { same_host: true, bytes: 0.0, trip_s: 2e-5 }));
        let network = links.network((8, 16)).unwrap();
        let (near, far) = (network.near.unwrap(), network.far.unwrap());
        assert!((near.cost.start_up_s - 1e-5).abs() < 1e-6, "{near:?}");
        assert_eq!((near.trips, near.eager_bytes, near.samples), (40, 4096, 30));
        assert_eq!((far.cost, far.trips), (cost, 0));
        assert_eq!((network.task_bytes, network.result_bytes), (8, 16));
        assert_eq!(links.list().map(|(same_host, _)| same_host).collect::<Vec<_>>(), [false, true]);
    }
}
