//! PEPA, the Performance Evaluation Process Algebra, in the input language of the PEPA Workbench.
//!
//! # Language
//! ```text
//! r = 2; s = 3 * r;                       % rates, per second; arithmetic, each defined before it is used
//! P = (a, r).Q + (b, infty).P;            % prefix, choice; infty (or T) is passive, 3 * infty has weight 3
//! Q = (c, s).(b, 1).P;
//! (P <a, b> Q)/{c} || P[2 * n]            % cooperation (<*>: on all shared actions), hiding, copies
//! U = s * {Q || ** || **}                 % result: rate times the probability of a pattern of local states
//! ```
//! Comments are `% …`, `// …` and `/* … */`. `#P = …` (a component), `r := 2;` (a rate), `P/<a>` (hiding), `top` (passive) and names in
//! quotes are read, too; `% r = 2;` is a rate where nothing else defines the rate that the model uses. `+` binds more tightly
//! than cooperation, a prefix more tightly than `+`, hiding most tightly; cooperation is bound to the left, as the plug-in does
//! (the Workbench's ML edition binds it to the right).
//!
//! Copies `P[n]` of a sequential component are not told apart: a state says how many of them are in which local state, so that
//! there are binomially many states instead of exponentially many (the plug-in's canonical form; Gilmore, Hillston, Ribaudo, *An
//! efficient algorithm for aggregating PEPA models*, 2001). `P || P` tells its copies apart.
//!
//! # Meaning
//! Hillston, *A Compositional Approach to Performance Modelling* (1996), ch. 3. The *apparent rate* r_a(P) is the sum of
//! the rates at which P offers `a`. In `P <a> Q` the activities (a, r1) of P and (a, r2) of Q become one with rate
//!
//! > r1 / r_a(P) * r2 / r_a(Q) * min(r_a(P), r_a(Q))
//!
//! where a passive rate is larger than every active one, and passive rates compare by their weights.
//! The states reached from the system equation form a continuous-time Markov chain ([`crate::markov`]).
//!
//! ```
//! use midrun_predict::pepa::{Limits, Model};
//! let model = Model::parse(
//!     "r1 = 2; r2 = 3;
//!      P1 = (start, r1).P2;
//!      P2 = (run, r2).P1;
//!      P1 || P1
//!      T = r2 * {P2 || **}",
//! )?;
//! let space = model.derive(&Limits::default())?;
//! assert_eq!((space.states(), space.transitions()), (4, 8));
//! let solution = space.solve(&Default::default())?;
//! let (name, value) = &solution.results()[0];
//! assert_eq!(*name, "T");
//! assert!((value - 3.0 * 2.0 / (2.0 + 3.0)).abs() < 1e-9); // one P alone: P2 with probability r1/(r1 + r2)
//! # Ok::<(), midrun_predict::pepa::Error>(())
//! ```

mod compile;
mod error;
mod lexer;
mod local;
mod machine;
mod names;
mod parser;
mod print;
mod rates;
mod results;
mod solution;
mod space;
mod store;
mod syntax;
mod tree;

pub use error::Error;
pub use solution::Solution;
pub use space::{Limits, StateSpace};
pub use syntax::{Activity, Expr, Model, Name, Operator, Part, Position, Set, Term, Where};
