//! What the view shows, and what keys do to it.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use midrun_proto::v1::control_request::Control;
use midrun_proto::v1::{Freeze, Pause, Resume, SetPoint};
use serde_json::Value;

use super::source::{Request, Update};

/// Windows that are kept: more than the widest terminal has columns.
const MOST_WINDOWS: usize = 1000;
/// Longest line that is typed.
const MOST_TYPED: usize = 200;

/// Whether news comes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Connection {
    /// Nothing has come yet.
    Waiting,
    /// It does.
    Live,
    /// It does not, for this reason.
    Lost(String),
}

/// What is to be done after a key.
#[derive(Clone, Debug, PartialEq)]
pub enum Reaction {
    /// Nothing.
    Nothing,
    /// The user leaves.
    Leave,
    /// Ask this.
    Ask(Request),
}

/// What the view shows.
#[derive(Clone, Debug)]
pub struct View {
    /// The status with the newest windows; null before the first update.
    pub status: Value,
    /// Whether news comes.
    pub connection: Connection,
    /// Ids of the jobs that can be shown.
    pub jobs: Vec<String>,
    /// Which of them is.
    pub selected: usize,
    /// The answer to the last request.
    pub message: String,
    /// What is typed after the key for a tuning point.
    pub typed: Option<String>,
    /// Whether colours are used.
    pub has_colour: bool,
}

impl View {
    /// Nothing shown yet of the first of these jobs.
    pub fn new(jobs: Vec<String>, has_colour: bool) -> View {
        View {
            status: Value::Null,
            connection: Connection::Waiting,
            jobs,
            selected: 0,
            message: String::new(),
            typed: None,
            has_colour,
        }
    }

    /// News of the job.
    pub fn on_update(&mut self, update: Update) {
        match update {
            Update::Began => self.status = Value::Null,
            Update::Status(patch) => {
                midrun_analyzer::status::merge(&mut self.status, patch, MOST_WINDOWS);
                self.connection = Connection::Live;
            }
            Update::Lost(why) => self.connection = Connection::Lost(why),
            Update::Answered(text) => self.message = text,
        }
    }

    /// A key was pressed.
    pub fn on_key(&mut self, key: KeyEvent) -> Reaction {
        if key.modifiers.contains(KeyModifiers::CONTROL) && matches!(key.code, KeyCode::Char('c' | 'd')) {
            return Reaction::Leave;
        }
        if self.typed.is_some() {
            return self.on_typed(key.code);
        }
        match key.code {
            KeyCode::Char('q') | KeyCode::Esc => Reaction::Leave,
            KeyCode::Char('f') => self.ask("freeze", Control::Freeze(Freeze {})),
            KeyCode::Char('p') => self.ask("pause", Control::Pause(Pause {})),
            KeyCode::Char('r') => self.ask("resume", Control::Resume(Resume {})),
            KeyCode::Char('s') => {
                self.typed = Some(String::new());
                Reaction::Nothing
            }
            KeyCode::Tab | KeyCode::Right => self.select(1),
            KeyCode::BackTab | KeyCode::Left => self.select(self.jobs.len().saturating_sub(1)),
            _ => Reaction::Nothing,
        }
    }

    fn ask(&mut self, what: &str, control: Control) -> Reaction {
        self.message = format!("{what}: asked");
        Reaction::Ask(Request::Control(control))
    }

    fn select(&mut self, by: usize) -> Reaction {
        if self.jobs.len() < 2 {
            return Reaction::Nothing;
        }
        self.selected = (self.selected + by) % self.jobs.len();
        (self.status, self.connection, self.message) = (Value::Null, Connection::Waiting, String::new());
        Reaction::Ask(Request::Follow(self.jobs[self.selected].clone()))
    }

    fn on_typed(&mut self, key: KeyCode) -> Reaction {
        let Some(typed) = &mut self.typed else { return Reaction::Nothing };
        match key {
            KeyCode::Esc => self.typed = None,
            KeyCode::Backspace => drop(typed.pop()),
            KeyCode::Char(letter) if typed.len() < MOST_TYPED => typed.push(letter),
            KeyCode::Enter => {
                let line = std::mem::take(typed);
                self.typed = None;
                let Some((point, value)) = line.trim().split_once([' ', '=']) else {
                    self.message = "a tuning point and a value are needed, such as: mw.technique gss".into();
                    return Reaction::Nothing;
                };
                let point = midrun_vocabulary::names::current(point.trim()).to_owned();
                let value = value.trim_start_matches([' ', '=']).to_owned();
                let set = SetPoint { point, value, rank: None, synchronized: false, at_iteration: None };
                return self.ask("set", Control::Set(set));
            }
            _ => {}
        }
        Reaction::Nothing
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn press(view: &mut View, keys: &str) -> Vec<Reaction> {
        let code = |key: char| if key == '\n' { KeyCode::Enter } else { KeyCode::Char(key) };
        keys.chars().map(|key| view.on_key(KeyEvent::new(code(key), KeyModifiers::NONE))).collect()
    }

    #[test]
    fn keys_freeze_pause_resume_and_set() {
        let mut view = View::new(vec!["a".into()], true);
        let asked = |reaction: &Reaction| match reaction {
            Reaction::Ask(Request::Control(control)) => control.clone(),
            other => panic!("{other:?}"),
        };
        let reactions = press(&mut view, "fpr");
        assert!(
            matches!(asked(&reactions[0]), Control::Freeze(_)) && matches!(asked(&reactions[2]), Control::Resume(_))
        );
        let reactions = press(&mut view, "smw.technique gss\n");
        let Control::Set(set) = asked(reactions.last().unwrap()) else { panic!("no set") };
        assert_eq!((set.point.as_str(), set.value.as_str(), set.rank), ("mw.technique", "gss", None));
        assert_eq!(press(&mut view, "sq\n").last(), Some(&Reaction::Nothing), "q is a letter while a value is typed");
        assert!(view.message.contains("such as: mw.technique gss"), "{}", view.message);
        assert_eq!(press(&mut view, "q"), [Reaction::Leave]);
    }

    #[test]
    fn another_job_is_shown_from_its_beginning() {
        let mut view = View::new(vec!["a".into(), "b".into()], true);
        view.on_update(Update::Status(json!({"job": "a", "windows": []})));
        let tab = KeyEvent::new(KeyCode::Tab, KeyModifiers::NONE);
        assert_eq!(view.on_key(tab), Reaction::Ask(Request::Follow("b".into())));
        assert_eq!((view.status.clone(), view.connection.clone()), (Value::Null, Connection::Waiting));
        view.on_update(Update::Lost("no analyzer answers".into()));
        assert_eq!(view.connection, Connection::Lost("no analyzer answers".into()));
        view.on_key(tab);
        assert_eq!(view.selected, 0);
        assert_eq!(View::new(vec!["a".into()], true).on_key(tab), Reaction::Nothing);
    }
}
