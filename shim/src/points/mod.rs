//! Points: what is measured, and what can be tuned, in a program that was never written for midrun, as a text says it.
//!
//! The text is the value of the tuning point `points`, or comes with the start of the rank. Each line becomes an item or a
//! refusal with its reason. The actions at each hooked function are worked out anew from all items whenever one of them
//! changes ([`functions`]); what was measured is sent at each iteration's end ([`report`]).

mod boundaries;
mod budget;
mod calls;
mod events;
mod functions;
mod items;
mod measured;
mod reference;
mod report;
mod state;
mod variable;

use crate::mpi_calls;
use crate::safe_point::{self, Listener};
use crate::tuning_points::{self, Setter, TuningPoint, TuningPoints};
use crate::{clock, controls, iterations, state as process};
pub use events::on_marked_iteration;
use items::Item;
use midrun_instrument as instrument;
use midrun_points::{Declaration, Label, Line, Tuned, parse};
use midrun_ring::TuningPointKind;
use midrun_vocabulary::bounds::TEXT_BYTES;
use midrun_vocabulary::names;
use report::refuse;
use state::{POINT, POLL_NS, lock};

/// Takes the text.
static POINTS: Setter = Setter {
    accepts: |_, _, text| is_permitted(text),
    ..Setter::new(|registry, _, _, text| declare(registry, text), |_| 0.0)
};

/// Takes what begins the iterations where the text declares none.
static ITERATION: Setter = Setter {
    // None is one, too.
    accepts: |_, _, text| text.is_empty() || (!text.contains('\n') && is_permitted(&iteration_line(text))),
    ..Setter::new(
        |registry, _, _, text| {
            let points = {
                let mut guard = lock();
                let state = guard.get_or_insert_default();
                state.iteration = if text.is_empty() { String::new() } else { iteration_line(text) };
                state.text.clone()
            };
            declare(registry, &points);
        },
        |_| 0.0,
    )
};

/// MPI is initialised and an agent was asked for: declares the tuning point `points`, and the lines that came with the start.
pub fn on_init() {
    safe_point::listen(Listener { on_safe_point: boundaries::on_safe_point, on_awaited: boundaries::on_awaited });
    functions::handle(functions::Handlers { on_entry: events::on_entry, on_exit: events::on_exit });
    calls::on_iteration(events::next_iteration);
    mpi_calls::before_wait(state::send_unattributed);
    safe_point::allow_in_calls();
    tuning_points::with(|registry| {
        for (name, setter) in [(names::POINTS, &POINTS), (names::ITERATION, &ITERATION)] {
            let (kind, range) = (TuningPointKind::Text, (0.0, TEXT_BYTES as f64));
            registry.declare(TuningPoint { name: name.into(), kind, range, setter, number: 0 }, 0.0);
        }
        if let Ok(text) = std::env::var("MIDRUN_POINTS") {
            let text = text.replace(';', "\n");
            declare(registry, &text);
            let is_for_all = |line: &Line| line.iterates() && line.rank.is_none();
            if parse(&text).is_ok_and(|lines| lines.iter().any(is_for_all)) {
                iterations::set_synchronized();
            }
        }
    });
}

/// The line that begins the iterations, by what follows its first word.
fn iteration_line(text: &str) -> String {
    format!("{} {text}", names::ITERATION)
}

/// Whether a text that comes while the program runs is in the language, and names nothing to be changed that the job's owner did not
/// name or allow at its start: who can name any function or variable can make the program do anything. Sends the reason if not.
fn is_permitted(text: &str) -> bool {
    let lines = match parse(text) {
        Ok(lines) => lines,
        Err(error) => {
            refuse(error.line, 0, &error.to_string());
            return false;
        }
    };
    let is_allowed = std::env::var_os("MIDRUN_ALLOW_POINTS").is_some_and(|value| value == "1");
    let guard = lock();
    let items = guard.as_ref().map_or(&[][..], |state| &state.items);
    let is_known = |declaration: &Declaration| match declaration {
        Declaration::Tune { label, what: Tuned::Control { name, .. }, .. } => controls::is_declared(label, name),
        _ => items.iter().any(|item| item.declaration == *declaration),
    };
    let new = lines.iter().find(|line| line.declaration.has_tuning_point() && !is_known(&line.declaration));
    match new {
        Some(line) if !is_allowed => {
            refuse(
                line.number,
                0,
                "the job's owner has not allowed new tuning points at its start (midrun run --allow-points)",
            );
            false
        }
        _ => true,
    }
}

/// The lines of the text, and the line that begins the iterations where the text has none. Sends the reason where the text is
/// not in the language.
fn lines_of(text: &str, iteration: &str) -> Option<Vec<Line>> {
    let parsed = parse(text).and_then(|lines| match lines.iter().any(Line::iterates) {
        true => Ok(lines),
        false => parse(&format!("{text}\n{iteration}")),
    });
    parsed.inspect_err(|error| refuse(error.line, 0, &error.to_string())).ok()
}

/// Declares what the text says in place of what was declared before.
fn declare(registry: &mut TuningPoints, text: &str) {
    let iteration = {
        let mut guard = lock();
        let state = guard.get_or_insert_default();
        text.clone_into(&mut state.text);
        state.iteration.clone()
    };
    let Some(mut lines) = lines_of(text, &iteration) else { return };
    let own = process::segment().map_or(0, |segment| segment.identity().rank);
    let has_work = lines.iter().any(|line| matches!(line.declaration, Declaration::Work { .. }));
    lines.retain(|line| line.rank.is_none_or(|rank| rank == own));
    let iteration = lines.iter().find(|line| line.iterates());
    let is_first = iteration.is_some_and(|line| line.rank.is_some() || own == 0);
    // A rank that never calls the function of the iterations must not keep others waiting for a value.
    let waits = iteration.is_some_and(|line| line.rank.is_none()) && iterations::declared().is_none();
    process::set_hooked();
    learn_rate();
    let mut guard = lock();
    let state = guard.get_or_insert_default();
    (state.has_work, state.is_first) = (has_work, is_first);
    let reset: Vec<&Label> = lines.iter().filter_map(|line| resets(&line.declaration)).collect();
    let stays = |item: &Item| lines.iter().any(|line| line.declaration == item.declaration);
    let (kept, gone): (Vec<Item>, Vec<Item>) = std::mem::take(&mut state.items).into_iter().partition(stays);
    state.items = kept;
    for item in gone {
        if item.iterates() {
            iterations::change_line();
        }
        item.undo();
        functions::leave(&state.items, &item);
        registry.withdraw(&POINT, item.id);
    }
    for line in lines.iter().filter(|line| resets(&line.declaration).is_none()) {
        if let Declaration::Tune { label, what: Tuned::Control { name, span }, .. } = &line.declaration {
            let declared = controls::declare(registry, label, name, *span, line.rank.is_some());
            declared.unwrap_or_else(|why| refuse(line.number, 0, &why));
            continue;
        }
        if let Some(known) = state.items.iter_mut().find(|item| item.declaration == line.declaration) {
            known.line = line.number;
            continue;
        }
        let made = items::make(line).map(|item| Item { waits: waits && line.rank.is_none(), ..item });
        match made {
            Ok(item) if boundaries::declare(registry, &item) => state.items.push(item),
            Ok(_) => refuse(line.number, 0, boundaries::REFUSED_NAME),
            Err(why) => refuse(line.number, 0, &why),
        }
    }
    for item in &mut state.items {
        item.resets_on_loss = item.declaration.label().is_some_and(|label| reset.contains(&label));
    }
    iterations::set_declared(state.items.iter().any(Item::iterates));
    state.report.learn_cost();
    state.apply();
}

/// The label whose value the line resets when the agent disconnects.
fn resets(declaration: &Declaration) -> Option<&Label> {
    match declaration {
        Declaration::Return { label } => Some(label),
        _ => None,
    }
}

/// Sets the length of a tick from the clock; where the clock does not know it yet, a millisecond is measured.
fn learn_rate() {
    clock::resync();
    if clock::rate() == 0 {
        let (begin, ticks) = (clock::now_ns(), instrument::ticks());
        while clock::now_ns() < begin + POLL_NS {}
        let (ns, ticks) = (clock::now_ns() - begin, instrument::ticks().saturating_sub(ticks).max(1));
        instrument::set_rate(((u128::from(ns) << 32) / u128::from(ticks)) as u64);
    } else {
        instrument::set_rate(clock::rate());
    }
}

/// MPI is about to be finalised: sends the last measurements and restores the program.
pub fn on_finalize() {
    let mut guard = lock();
    let Some(state) = guard.as_mut() else { return };
    state.end_iteration(iterations::current().filter(|_| !iterations::are_declared()), false);
    let items = std::mem::take(&mut state.items);
    items.iter().for_each(Item::undo);
    state.apply();
}
