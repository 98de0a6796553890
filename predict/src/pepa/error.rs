//! Errors of a model: one variant for each mistake its author can correct.

use super::syntax::Position;

/// Why a model cannot be read, derived or solved. Each is one sentence that says what, where and what would be right.
#[derive(thiserror::Error, Clone, Debug, PartialEq)]
pub enum Error {
    /// The text is not PEPA.
    #[error("{at}: expected {expected}, found {found}")]
    Syntax {
        /// Position in the text.
        at: Position,
        /// The correct form.
        expected: &'static str,
        /// The text found.
        found: String,
    },
    /// Brackets, or definitions that lead to definitions, go too deep.
    #[error("{at}: nested more than {limit} deep; give a name to a part of it")]
    TooDeep {
        /// Position in the text.
        at: Position,
        /// Greatest depth allowed.
        limit: usize,
    },
    /// Two definitions of one name.
    #[error("{at}: '{name}' is defined a second time; the first is at {first}")]
    Duplicate {
        /// Position in the text.
        at: Position,
        /// The name.
        name: String,
        /// Position of the first definition.
        first: Position,
    },
    /// A name that no definition has.
    #[error("{at}: unknown {what} '{name}'; define it{before}, as in: {example}")]
    Unknown {
        /// Position of the use.
        at: Position,
        /// `rate` or `component`.
        what: &'static str,
        /// The name.
        name: String,
        /// ` before this line` where that matters.
        before: &'static str,
        /// A definition that would do.
        example: String,
    },
    /// A rate of 0, below 0, infinite or not a number.
    #[error("{at}: the rate {name} is {value}; a rate is a finite number above 0")]
    BadRate {
        /// Position in the text.
        at: Position,
        /// The action or the definition.
        name: String,
        /// Its value.
        value: f64,
    },
    /// `infty` where there is no meaning for it.
    #[error("{at}: 'infty' is a passive rate: it may be multiplied by a weight, as in 3 * infty, and nothing else")]
    BadPassive {
        /// Position in the text.
        at: Position,
    },
    /// A cooperation, a hiding or an array inside a choice or after a prefix.
    #[error(
        "{at}: {name} is not sequential; after a full stop and in a choice there are only names, prefixes and choices"
    )]
    NotSequential {
        /// Position in the text.
        at: Position,
        /// The kind of item.
        name: String,
    },
    /// A definition that is made of itself.
    #[error("{at}: '{name}' is defined by itself without an activity in between")]
    Unguarded {
        /// Position in the text.
        at: Position,
        /// The name.
        name: String,
    },
    /// `tau` in a set.
    #[error("{at}: 'tau' is what hidden actions are called; it can be neither shared nor hidden")]
    TauInSet {
        /// Position in the text.
        at: Position,
    },
    /// A number of copies that is none.
    #[error("{at}: {value} copies of '{name}' are asked for; allowed is a whole number from 1 to 1024")]
    BadCopies {
        /// Position of the component's name.
        at: Position,
        /// The component.
        name: String,
        /// Value of the expression in brackets.
        value: f64,
    },
    /// More components than can be told apart in a state.
    #[error("{at}: the system has more than {limit} components")]
    TooManyComponents {
        /// Position in the text.
        at: Position,
        /// The most.
        limit: usize,
    },
    /// A pattern of another length than the system.
    #[error(
        "{at}: the pattern has {parts} parts but the system {components} components ({names}); write one part for each, '**' for any"
    )]
    PatternLength {
        /// Position in the text.
        at: Position,
        /// Parts it has.
        parts: usize,
        /// Components there are.
        components: usize,
        /// Their names.
        names: String,
    },
    /// A pattern that names a state its component never is in.
    #[error("{at}: component {component} of the system never is '{state}'; its states are {states}")]
    UnknownState {
        /// Position in the text.
        at: Position,
        /// Number of the component, from 1.
        component: usize,
        /// Number or index requested.
        state: String,
        /// Number available.
        states: String,
    },
    /// One component offers an action both actively and passively at the same time.
    #[error("'{action}' is both active and passive in {state}; its apparent rate has no meaning")]
    MixedRates {
        /// The action.
        action: String,
        /// The state.
        state: String,
    },
    /// A passive action that nobody gives a rate.
    #[error(
        "'{action}' of {component} is passive and nobody gives it a rate in state {state}; cooperate on it with a component that does"
    )]
    PassiveUnsynchronised {
        /// The action.
        action: String,
        /// The component.
        component: String,
        /// The state.
        state: String,
    },
    /// A state without a way out.
    #[error("deadlock: nothing can happen in state {state}")]
    Deadlock {
        /// The state.
        state: String,
    },
    /// Several sets of states that are never left: which one is reached is a matter of chance.
    #[error("there is no one steady state: from state {state} there is no way to {first}, and from there none back")]
    NotStronglyConnected {
        /// The state.
        state: String,
        /// A state that is never left for good.
        first: String,
    },
    /// The limit of [`super::Limits`].
    #[error(
        "stopped at {reached} states and {transitions} transitions: the state space is beyond the limit of {limit}"
    )]
    TooManyStates {
        /// States found so far.
        reached: usize,
        /// Transitions found so far.
        transitions: usize,
        /// Which limit.
        limit: String,
    },
    /// The equations could not be solved.
    #[error(transparent)]
    Steady(#[from] crate::markov::Error),
}
