//! Manual overrides: a person's `set`, `freeze`, `pause` and `resume`, one after the other, each when no action is in flight.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use midrun_scheduling::Technique;
use midrun_tunlets::tuning_point::names;
use midrun_tunlets::{TuningPoint, Value};
use serde_json::json;

use super::membership::{RankState, Roster};
use crate::actions::{Action, ActionStatus, Assigned};
use crate::context::Ctx;
use crate::control::{Change, Control, ControlLine, Mode, Turned};
use crate::decisions::Per;
use crate::ids::AskId;
use crate::in_flight::When;
use crate::input::{Answer, Output};
use crate::limits;
use crate::log_lines;
use crate::owner::Manual;

/// Names in a sentence.
const NAMES_SHOWN: usize = 12;

/// An override whose actions are on their way.
#[derive(Debug)]
struct Active {
    ask: AskId,
    control: Control,
    at_s: f64,
    /// Actions to send one round after the other, at most one per rank in each; and whether all ranks take a round over in one iteration.
    rounds: VecDeque<(bool, Vec<Assigned>)>,
    changes: Vec<Change>,
    /// Indexes of the changes of each rank.
    by_rank: BTreeMap<u32, Vec<usize>>,
    /// Values that cannot be brought back, each with a reason.
    kept: Vec<String>,
}

impl Active {
    fn is_synchronized(&self) -> bool {
        matches!(self.control, Control::Set { synchronized: true, .. })
    }

    /// Marks the changes that these assignments make.
    fn mark(&mut self, rank: u32, assignments: &[(String, Value)], mark: impl Fn(&mut Change)) {
        for at in self.by_rank.get(&rank).into_iter().flatten() {
            let change = &mut self.changes[*at];
            if assignments.iter().any(|(name, _)| *name == change.tuning_point) {
                mark(change);
            }
        }
    }

    fn open(&mut self) -> impl Iterator<Item = &mut Change> {
        self.changes.iter_mut().filter(|change| !change.applied)
    }
}

/// Actions that an override needs next.
pub(super) enum Round {
    /// By each rank by itself.
    Each(Vec<Assigned>, When),
    /// By all ranks in one iteration.
    Synchronized(Vec<Assigned>),
}

/// All manual overrides of a job.
#[derive(Debug)]
pub(super) struct Overrides {
    started_ns: u64,
    manual: Manual,
    /// Revision of the newest setting; grows from analyzer to analyzer.
    revision: u64,
    pending: VecDeque<(AskId, Control)>,
    /// Values for iterations that are far away, in the order in which they were asked for.
    later: VecDeque<(AskId, Control)>,
    active: Option<Active>,
    turned: BTreeMap<(u32, String), Turned>,
    lines: VecDeque<ControlLine>,
}

impl Overrides {
    /// None yet; times count from `started_ns`, revisions from `revision`.
    pub(super) fn new(started_ns: u64, revision: u64) -> Overrides {
        Overrides {
            started_ns,
            manual: Manual::default(),
            revision,
            pending: VecDeque::new(),
            later: VecDeque::new(),
            active: None,
            turned: BTreeMap::new(),
            lines: VecDeque::new(),
        }
    }

    /// Queues one more; false when too many wait.
    pub(super) fn queue(&mut self, ask: AskId, control: Control) -> bool {
        // What waits for an iteration leaves room for who lets it go.
        let fits = self.pending.len() < limits::CONTROLS_PER_JOB;
        if fits {
            self.pending.push_back((ask, control));
        }
        fits
    }

    /// Whether tunlets decide.
    pub(super) fn mode(&self) -> Mode {
        self.manual.mode
    }

    /// The overrides that stand.
    pub(super) fn manual(&self) -> &Manual {
        &self.manual
    }

    /// Takes in what another analyzer was asked for.
    pub(super) fn adopt(&mut self, theirs: &Manual) {
        self.manual.merge(theirs);
        self.revision = self.revision.max(theirs.revision());
    }

    /// Revision of the newest setting; 0 when nothing was set.
    pub(super) fn revision(&self) -> u64 {
        if self.manual == Manual::default() { 0 } else { self.revision }
    }

    fn set_mode(&mut self, mode: Mode) {
        let revision = self.next_revision();
        self.manual.set_mode(mode, revision);
    }

    fn next_revision(&mut self) -> u64 {
        self.revision += 1;
        self.revision
    }

    /// Overrides that wait for their turn.
    pub(super) fn pending(&self) -> usize {
        self.pending.len()
    }

    /// Values that wait for an iteration.
    pub(super) fn later(&self) -> usize {
        self.later.len()
    }

    /// One is on its way.
    pub(super) fn is_active(&self) -> bool {
        self.active.is_some()
    }

    /// The one that waits longest. Values for an iteration wait until that `is_near`, and go in the order of these; what would be refused
    /// is refused at once.
    pub(super) fn next(
        &mut self,
        is_near: impl Fn(u64) -> bool,
        may_set: Result<(), &str>,
        roster: &Roster,
    ) -> Option<(AskId, Control)> {
        let awaited = |control: &Control| match control {
            Control::Set { at_iteration: Some(k), synchronized: false, .. } => Some(*k),
            _ => None,
        };
        let due = self.later.iter().enumerate().filter_map(|(at, (_, control))| Some((awaited(control)?, at)));
        if let Some((_, at)) = due.filter(|(k, _)| is_near(*k)).min() {
            return self.later.remove(at);
        }
        while let Some((ask, control)) = self.pending.pop_front() {
            let waits = awaited(&control).is_some_and(|k| !is_near(k)) && is_possible(&control, may_set, roster);
            if !waits || self.later.len() >= limits::CONTROLS_PER_JOB {
                return Some((ask, control));
            }
            self.later.push_back((ask, control));
        }
        None
    }

    /// Lets go what waits for an iteration.
    fn forget_later(&mut self, ctx: &mut Ctx<'_>, why: &str) {
        while let Some((ask, control)) = self.later.pop_front() {
            self.refuse(ctx, ask, &control, why.to_owned());
        }
    }

    /// Whether a person has set this point since tunlets were last let go on.
    pub(super) fn holds(&self, rank: u32, point: &str) -> bool {
        self.manual.holds(rank, point)
    }

    /// The last change of a point, if there was one.
    pub(super) fn turned(&self, rank: u32, point: &str) -> Option<&Turned> {
        self.turned.get(&(rank, point.to_owned()))
    }

    /// Overrides that have ended, in order.
    pub(super) fn lines(&self) -> Vec<ControlLine> {
        self.lines.iter().cloned().collect()
    }

    /// A tunlet's change was applied.
    pub(super) fn on_tuned(&mut self, action: &Action, by: &str, why: &str, iteration: Option<u64>) {
        for (name, _) in &action.assignments {
            let turned = Turned { by: by.to_owned(), why: why.to_owned(), iteration };
            self.turned.insert((action.rank, name.clone()), turned);
        }
    }

    /// All ranks are to take these over in one iteration.
    pub(super) fn on_together(&mut self, assigned: &[Assigned]) {
        let names = assigned.iter().flat_map(|(_, assignments)| assignments).map(|(name, _)| name);
        let new = names.filter(|name| self.manual.take_together(name)).count();
        if new > 0 {
            self.next_revision(); // the agents are told
        }
    }

    /// A person's change was applied, in time or late.
    pub(super) fn on_applied(&mut self, action: &Action, iteration: Option<u64>) {
        let paused = matches!(&self.active, Some(Active { control: Control::Pause, .. }));
        self.on_tuned(action, "user", if paused { "value at start: paused" } else { "set by hand" }, iteration);
        if !paused {
            let revision = self.next_revision();
            action.assignments.iter().for_each(|(name, _)| self.manual.hold(name, Some(action.rank), revision));
        }
    }

    /// The active override has nothing more to send: only its answer is due. What it set on all ranks is held on all ranks.
    pub(super) fn is_settled(&mut self) -> bool {
        let Some(active) = self.active.as_ref().filter(|active| active.rounds.is_empty()) else { return false };
        if let Control::Set { point, rank: None, .. } = &active.control
            && active.changes.iter().all(|change| change.applied_iteration.is_some())
            && !self.manual.values.contains_key(&(point.clone(), None))
        {
            self.manual.hold(point, None, self.revision);
        }
        true
    }

    /// An action of the active override has ended.
    pub(super) fn on_settled(&mut self, action: &Action, status: ActionStatus, iteration: Option<u64>) {
        let Some(active) = &mut self.active else { return };
        active.mark(action.rank, &action.assignments, |change| {
            if status == ActionStatus::Applied {
                (change.applied, change.applied_iteration) = (true, iteration);
                change.refused = None;
            } else {
                let text = matches!(change.to, Value::Text(_)) && status == ActionStatus::RefusedRange;
                let why = if text { "refused: the program cannot take this text" } else { status.as_str() };
                change.refused = Some(why.to_owned());
            }
        });
    }

    /// The changes that are open do not come.
    pub(super) fn refuse_open(&mut self, why: &str) {
        let open = self.active.as_mut().into_iter().flat_map(Active::open);
        open.for_each(|change| change.refused = Some(why.to_owned()));
    }

    /// Refuses everything: the job is over.
    pub(super) fn end(&mut self, ctx: &mut Ctx<'_>, per: Per) {
        let ended = "the job has ended";
        if let Some(mut active) = self.active.take() {
            active.open().for_each(|change| change.refused = change.refused.take().or(Some(ended.to_owned())));
            self.conclude(ctx, active, per);
        }
        while let Some((ask, control)) = self.pending.pop_front() {
            self.refuse(ctx, ask, &control, ended.to_owned());
        }
        self.forget_later(ctx, ended);
    }

    /// Begins an override, or refuses it. `renewed` says whether the tunlets that a `resume` asks for could be made.
    pub(super) fn begin(
        &mut self,
        ctx: &mut Ctx<'_>,
        (ask, control): (AskId, Control),
        renewed: Result<(), String>,
        may_set: Result<(), &str>,
        roster: &Roster,
    ) {
        let (mut rounds, mut kept) = (VecDeque::new(), Vec::new());
        let asked = renewed.and_then(|()| match &control {
            Control::Set { point, value, rank, synchronized, .. } => {
                admissible(&control, may_set)?;
                if self.manual.values.len() >= limits::MANUAL_VALUES {
                    return Err(format!(
                        "{} values are set by hand: midrun resume lets them go",
                        limits::MANUAL_VALUES
                    ));
                }
                requested(point, value, *rank, roster).map(|assigned| rounds.push_back((*synchronized, assigned)))
            }
            _ => Ok(()),
        });
        if let Err(why) = asked {
            return self.refuse(ctx, ask, &control, why);
        }
        match &control {
            Control::Set { .. } => {}
            Control::Pause => {
                self.set_mode(Mode::Paused);
                (rounds, kept) = rollback_to_start(roster, &self.manual.together);
            }
            Control::Freeze => self.set_mode(Mode::Frozen),
            Control::Resume => {
                self.set_mode(Mode::Tuned);
                self.forget_later(ctx, "midrun resume let it go");
            }
        }
        let asked = rounds.iter().flat_map(|(_, round)| round);
        let changes: Vec<Change> = asked.flat_map(|asked| changes(asked, roster)).collect();
        let mut by_rank: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
        for (at, change) in changes.iter().enumerate() {
            by_rank.entry(change.rank).or_default().push(at);
        }
        if let (Control::Set { point, at_iteration, .. }, [first, ..]) = (&control, &changes[..]) {
            let ranks: Vec<u32> = by_rank.keys().copied().collect();
            let at = at_iteration.map_or(String::new(), |k| format!(" at iteration {k}"));
            let on = log_lines::ranks(&ranks);
            let text = format!("user: set {point} {} -> {} on {on}{at}", first.from, first.to);
            ctx.life(
                "control",
                text,
                json!({"tuning_point": point, "from": first.from, "to": first.to, "ranks": ranks}),
            );
        }
        let at_s = self.at_s(ctx);
        self.active = Some(Active { ask, control, at_s, rounds, changes, by_rank, kept });
    }

    /// The next actions of the active override, if there are any. After the last ones it ends, and the person is answered.
    pub(super) fn advance(&mut self, ctx: &mut Ctx<'_>, roster: &Roster, per: Per) -> Option<Round> {
        let mut active = self.active.take()?;
        let Some((together, mut round)) = active.rounds.pop_front() else {
            self.conclude(ctx, active, per);
            return None;
        };
        if together {
            self.active = Some(active);
            return Some(Round::Synchronized(round));
        }
        round.retain(|(rank, assignments)| {
            let reached = roster.members.link_of(*rank, ctx.links).is_some();
            if !reached {
                let why =
                    if roster.members.is_present(*rank) { "its agent is not connected" } else { "the rank has ended" };
                active.mark(*rank, assignments, |change| change.refused = Some(why.to_owned()));
            }
            reached
        });
        let all_scheduling = || round.iter().flat_map(|(_, assigned)| assigned).all(|(name, _)| is_scheduling(name));
        let when = match active.control {
            Control::Set { at_iteration: Some(iteration), .. } => When::Iteration(iteration),
            _ if all_scheduling() => When::Now,
            _ => When::NextIteration,
        };
        self.active = Some(active);
        (!round.is_empty()).then_some(Round::Each(round, when))
    }

    fn conclude(&mut self, ctx: &mut Ctx<'_>, active: Active, per: Per) {
        let synchronized = active.is_synchronized();
        let Active { ask, control, at_s, changes, kept, .. } = active;
        let failed: Vec<&Change> = changes.iter().filter(|change| !change.applied).collect();
        let mut text = match &control {
            Control::Set { point, value, .. } => outcome_of_set(point, value, per.safe_point(), &changes),
            Control::Freeze => "frozen: tunlets decide nothing more, values stay".to_owned(),
            Control::Pause => {
                let back = changes.len() - failed.len();
                format!("paused: tunlets decide nothing more; values brought back to those at start: {back}")
            }
            Control::Resume => "resumed: tunlets look afresh and may turn everything".to_owned(),
        };
        for change in &failed {
            let why = change.refused.as_deref().unwrap_or("nobody answered");
            if synchronized {
                text += &format!("; {why}");
                break; // all have the same reason
            }
            text += &format!("; {} on rank {}: {why}", change.tuning_point, change.rank);
        }
        for why in &kept {
            text += &format!("; {why}");
        }
        let done = failed.is_empty();
        self.answer(ctx, ask, ControlLine { at_s, control: control.name(), done, text, changes });
    }

    fn refuse(&mut self, ctx: &mut Ctx<'_>, ask: AskId, control: &Control, why: String) {
        let text = match control {
            Control::Set { point, value, .. } => format!("{point} = {value} was not set: {why}"),
            other => format!("{} was refused: {why}", other.name()),
        };
        let at_s = self.at_s(ctx);
        let line = ControlLine { at_s, control: control.name(), done: false, text, changes: Vec::new() };
        self.answer(ctx, ask, line);
    }

    fn answer(&mut self, ctx: &mut Ctx<'_>, ask: AskId, line: ControlLine) {
        ctx.notify(log_lines::controlled(&ctx.job, &line));
        let mut listed = line.clone();
        listed.changes.truncate(limits::LISTED_CHANGES);
        limits::push(&mut self.lines, listed, limits::LISTED_CONTROLS);
        ctx.out.push(Output::Answer { ask, answer: Answer::Controlled(Box::new(line)) });
    }

    fn at_s(&self, ctx: &Ctx<'_>) -> f64 {
        ctx.now.saturating_sub(self.started_ns) as f64 / 1e9
    }
}

/// Whether a tuning point is of the loop scheduling, which may change inside an iteration; all others wait for one to begin.
fn is_scheduling(name: &str) -> bool {
    [names::TECHNIQUE, names::FACTOR, names::TASK_MEAN_S, names::TASK_SIGMA_S, names::MIN_CHUNK].contains(&name)
}

fn outcome_of_set(point: &str, value: &str, at: &str, changes: &[Change]) -> String {
    let applied: Vec<&Change> = changes.iter().filter(|change| change.applied).collect();
    if applied.is_empty() {
        return format!("{point} = {value} was not set");
    }
    let ranks: Vec<u32> = applied.iter().map(|change| change.rank).collect();
    let last = applied.iter().filter_map(|change| change.applied_iteration).max();
    let when = last.map_or(String::new(), |last| format!(" at {at} {last}"));
    let held = "tunlets leave it alone until midrun resume";
    format!("{point} = {value} applied on {}{when}; {held}", log_lines::ranks(&ranks))
}

/// Whether it would not be refused now.
fn is_possible(control: &Control, may_set: Result<(), &str>, roster: &Roster) -> bool {
    match control {
        Control::Set { point, value, rank, .. } => {
            admissible(control, may_set).is_ok() && requested(point, value, *rank, roster).is_ok()
        }
        _ => true,
    }
}

/// The error says why a `set` cannot be, whatever its ranks have; `may_set`, whether the job takes any.
fn admissible(control: &Control, may_set: Result<(), &str>) -> Result<(), String> {
    match control {
        Control::Set { synchronized: true, rank: Some(_), .. } => {
            Err("--synchronized is for all ranks that have the point: leave --rank out".into())
        }
        Control::Set { at_iteration: Some(k), .. } if *k >= limits::ITERATION_END => {
            Err(format!("an iteration has a number below {}, and {k} is none", limits::ITERATION_END))
        }
        Control::Set { at_iteration: Some(_), synchronized: true, .. } => {
            Err("--synchronized chooses the iteration itself: leave --at-iteration out".into())
        }
        Control::Set { .. } => may_set.map_err(str::to_owned),
        _ => Ok(()),
    }
}

/// The ranks and values that a `set` asks for; the error says why it cannot be.
fn requested(point: &str, value: &str, rank: Option<u32>, roster: &Roster) -> Result<Vec<Assigned>, String> {
    let chosen = match rank {
        Some(rank) => vec![point_of(rank, point, roster)?],
        None => points_of_all(point, roster)?,
    };
    let of_rank = |tuning_point: &TuningPoint| {
        let assignments = vec![(point.to_owned(), read(tuning_point, value)?)];
        match roster.points.objection(tuning_point.rank, &assignments) {
            Some(why) => Err(why),
            None => Ok((tuning_point.rank, assignments)),
        }
    };
    chosen.into_iter().map(of_rank).collect()
}

fn point_of<'a>(rank: u32, point: &str, roster: &'a Roster) -> Result<&'a TuningPoint, String> {
    match roster.members.state(rank) {
        None => {
            let all: Vec<u32> = roster.members.ranks().map(|(rank, ..)| rank).collect();
            return Err(format!("the job has no rank {rank}, it has {}", log_lines::ranks(&all)));
        }
        Some(RankState::Present) => {}
        Some(_) => return Err(format!("rank {rank} has ended")),
    }
    let own = || names_of(roster.points.list().iter().filter(|tuning_point| tuning_point.rank == rank));
    roster.points.get(rank, point).ok_or_else(|| format!("rank {rank} has no tuning point {point}; {}", own()))
}

fn points_of_all<'a>(point: &str, roster: &'a Roster) -> Result<Vec<&'a TuningPoint>, String> {
    let named: Vec<&TuningPoint> = roster.points.list().iter().filter(|known| known.name == point).collect();
    if named.is_empty() {
        return Err(format!("no rank has a tuning point {point}; {}", names_of(roster.points.list().iter())));
    }
    let mut present: Vec<&TuningPoint> =
        named.into_iter().filter(|known| roster.members.is_present(known.rank)).collect();
    present.sort_by_key(|known| known.rank);
    if present.is_empty() { Err(format!("every rank that has {point} has ended")) } else { Ok(present) }
}

/// Rounds that bring the values at start back, each of `together` by all ranks in one iteration; and what cannot come back, and why.
fn rollback_to_start(roster: &Roster, together: &BTreeSet<String>) -> (VecDeque<(bool, Vec<Assigned>)>, Vec<String>) {
    let first = together.iter().filter_map(|name| all_to_start(name, roster)).map(|round| (true, round));
    let (others, kept) = rounds_to_start(roster, |name| !together.contains(name));
    (first.chain(others.into_iter().map(|round| (false, round))).collect(), kept)
}

/// What brings a point back on all ranks, those too that have the value at start; `None` where all have it.
fn all_to_start(name: &str, roster: &Roster) -> Option<Vec<Assigned>> {
    let points =
        || roster.points.list().iter().filter(|point| point.name == name && roster.members.is_present(point.rank));
    let start = |point: &TuningPoint| roster.points.start(point);
    if points().all(|point| start(point).is_none_or(|start| start == point.present())) {
        return None;
    }
    Some(points().filter_map(|point| Some((point.rank, vec![(name.to_owned(), start(point)?)]))).collect())
}

/// The same of the points whose names are wanted: actions, at most one per rank and round.
fn rounds_to_start(roster: &Roster, is_wanted: impl Fn(&String) -> bool) -> (VecDeque<Vec<Assigned>>, Vec<String>) {
    let mut by_rank: BTreeMap<u32, VecDeque<Assigned>> = BTreeMap::new();
    let mut kept = Vec::new();
    let points = roster.points.list().iter().filter(|point| is_wanted(&point.name));
    for point in points.filter(|point| roster.members.is_present(point.rank)) {
        let current = point.present();
        let Some(start) = roster.points.start(point).filter(|start| *start != current) else { continue };
        let wanted = vec![(point.name.clone(), start)];
        if let Some(why) = roster.points.objection(point.rank, &wanted) {
            kept.push(format!("rank {} keeps its {} {current}: {why}", point.rank, point.name));
            continue;
        }
        let actions = by_rank.entry(point.rank).or_default();
        // A text fills an action by itself.
        let fits = |last: &&mut Assigned| point.text.is_none() && last.1.len() < limits::ASSIGNMENTS;
        match actions.back_mut().filter(fits) {
            Some(last) => last.1.extend(wanted),
            None if point.text.is_some() => actions.push_front((point.rank, wanted)),
            None => actions.push_back((point.rank, wanted)),
        }
    }
    let mut rounds = VecDeque::new();
    while !by_rank.is_empty() {
        rounds.push_back(by_rank.values_mut().filter_map(VecDeque::pop_front).collect());
        by_rank.retain(|_, actions| !actions.is_empty());
    }
    (rounds, kept)
}

fn changes((rank, assignments): &Assigned, roster: &Roster) -> Vec<Change> {
    let current = roster.points.current(*rank, assignments);
    let change = |((name, to), (_, from)): (&(String, Value), (String, Value))| Change {
        rank: *rank,
        tuning_point: name.clone(),
        from,
        to: to.clone(),
        applied: false,
        applied_iteration: None,
        refused: None,
    };
    assignments.iter().zip(current).map(change).collect()
}

/// Reads the value that a person wrote for a tuning point.
fn read(point: &TuningPoint, value: &str) -> Result<Value, String> {
    if point.text.is_some() {
        return Ok(Value::Text(value.to_owned()));
    }
    if point.name == names::TECHNIQUE
        && let Some(kind) = Technique::parse(value)
    {
        return Ok(Value::Number(f64::from(kind.code())));
    }
    let (least, most) = point.range;
    let takes = if point.whole { "whole numbers" } else { "numbers" };
    let named = match point.name == names::TECHNIQUE {
        true => format!(" or their names, {}", Technique::ALL.map(Technique::name).join(" ")),
        false => String::new(),
    };
    let number = value.parse().ok().filter(|number: &f64| number.is_finite());
    match number.filter(|number| !point.whole || number.fract() == 0.0) {
        Some(number) => Ok(Value::Number(number)),
        None => Err(format!("{} takes {takes} from {least} to {most}{named}, and {value} is none", point.name)),
    }
}

fn names_of<'a>(points: impl Iterator<Item = &'a TuningPoint>) -> String {
    let names: BTreeSet<&str> = points.map(|point| point.name.as_str()).collect();
    if names.is_empty() {
        return "nothing is declared".into();
    }
    let shown: Vec<&str> = names.iter().copied().take(NAMES_SHOWN).collect();
    let more =
        if names.len() > NAMES_SHOWN { format!(" and {} more", names.len() - NAMES_SHOWN) } else { String::new() };
    format!("there are {}{more}", shown.join(", "))
}
