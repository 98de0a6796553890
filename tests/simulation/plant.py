# Plants defects in a copy of the sources: run it at the root of a copy, build the simulation there, and run it with MIDRUN_DEFECT=1..19.
import pathlib
def sub(path, pairs):
    p=pathlib.Path(path); s=p.read_text()
    for a,b in pairs:
        assert a in s, (path,a)
        s=s.replace(a,b,1)
    p.write_text(s)
P='midrun_vocabulary::planted'
sub('common/vocabulary/src/lib.rs',[("mod clock;\n","mod clock;\nmod planted;\n"),("pub use clock::Clock;","pub use clock::Clock;\npub use planted::{plant, planted};")])
pathlib.Path('common/vocabulary/src/planted.rs').write_text('''//! Which defect is planted in this copy of the sources.

use core::sync::atomic::{AtomicU32, Ordering};

static PLANTED: AtomicU32 = AtomicU32::new(0);

/// Plants one.
pub fn plant(defect: u32) {
    PLANTED.store(defect, Ordering::Relaxed);
}

/// Whether this one is planted.
pub fn planted(defect: u32) -> bool {
    PLANTED.load(Ordering::Relaxed) == defect
}
''')
sub('tests/simulation/src/main.rs',[("    note_panics();\n","    let defect = std::env::var(\"MIDRUN_DEFECT\").ok().and_then(|number| number.parse().ok());\n    midrun_vocabulary::plant(defect.unwrap_or(0));\n    note_panics();\n")])
# 1 dry run and limits ignored by an analyzer that comes after the job
sub('monitor-tuner/src/agent.rs',[("            owner_settings: self.owners.all(),\n            options_follow: self.options_follow,",
 f"            owner_settings: if {P}(1) {{ Vec::new() }} else {{ self.owners.all() }},\n            options_follow: self.options_follow && !{P}(1),")])
# 2 set, freeze, pause undone by another analyzer
sub('analyzer/src/job.rs',[("        self.overrides.adopt(manual);",f"        if !{P}(2) {{\n            self.overrides.adopt(manual);\n        }}")])
# 3 the channel of midrun run stays dead after a partition
sub('cli/src/run/client.rs',[("pub fn patient(endpoint: Endpoint) -> Endpoint {\n",f"pub fn patient(endpoint: Endpoint) -> Endpoint {{\n    if {P}(3) {{\n        return endpoint;\n    }}\n")])
sub('proto/Cargo.toml',[("[dependencies]\n","[dependencies]\nmidrun-vocabulary.workspace = true\n")])
# 4 idle strangers shut everybody out
sub('proto/src/connections.rs',[("            self.turned_away += 1;\n            match",f"            self.turned_away += 1;\n            if {P}(4) {{\n                return None;\n            }}\n            match"),
("        let patience = Duration::from_millis(HANDSHAKE_MS);",f"        let patience = Duration::from_millis(if {P}(4) {{ u64::MAX / 2 }} else {{ HANDSHAKE_MS }});")])
# 5 two jobs under one agent merge
sub('monitor-tuner/src/agent.rs',[("                let job = job_on_wire(&segment.identity().job, uid, self.user);",f"                let name = if {P}(5) {{ \"job0\" }} else {{ &segment.identity().job }};\n                let job = job_on_wire(name, uid, self.user);")])
# 6 an action leaves before the journal is on disk
sub('analyzer/src/server/core_task.rs',[("        if is_promise {",f"        if is_promise && !{P}(6) {{")])
# 7 a rank applies an action again that comes again
sub('shim/src/pending_commands.rs',[("        if command.action == self.newest.action && command.action > 0 {",f"        if command.action == self.newest.action && command.action > 0 && !{P}(7) {{"),
("        if command.action <= self.newest.action.max(waits) {",f"        if command.action <= self.newest.action.max(waits) && !{P}(7) {{")])
# 8 what was not acknowledged is not sent again
sub('monitor-tuner/src/send_queue.rs',[("        self.refused += u32::from(std::mem::take(&mut self.sent) > 0);",f"        if {P}(8) {{\n            return false;\n        }}\n        self.refused += u32::from(std::mem::take(&mut self.sent) > 0);")])
# 9 another analyzer numbers its actions by its clock alone
sub('analyzer/src/in_flight.rs',[("        self.last = self.last.max(action);",f"        if !{P}(9) {{\n            self.last = self.last.max(action);\n        }}")])
# 10 pause at another analyzer
sub('analyzer/src/convert.rs',[("wire.declared.filter(|declared| !declared.is_nan())",f"wire.declared.filter(|declared| !declared.is_nan() && !{P}(10))")])
# 11 a job that nobody opened is everybody's
sub('analyzer/src/core.rs',[("self.spec(token.to_owned(), options, false, false)",f"self.spec(if {P}(11) {{ String::new() }} else {{ token.to_owned() }}, options, false, false)")])
# 12 a journal is given up for ever
sub('analyzer/src/journal.rs',[("        if !self.is_given_up {\n            return;",f"        if !self.is_given_up || {P}(12) {{\n            return;")])
sub('common/agreement/Cargo.toml',[("thiserror.workspace = true\n","thiserror.workspace = true\nmidrun-vocabulary.workspace = true\n")])
# 13 a rank that is early takes the change over alone
sub('common/agreement/src/rank.rs',[("            State::PreCommitted { .. } => Some(register.decide(self.round, Decision::Abort)),",f"            State::PreCommitted {{ .. }} if {P}(13) => {{\n                register.decide(self.round, Decision::Abort);\n                Some(Decision::Commit)\n            }}\n            State::PreCommitted {{ .. }} => Some(register.decide(self.round, Decision::Abort)),")])
# 14 the agent forgets the owner's settings when the link is lost
sub('monitor-tuner/src/agent.rs',[("            LinkEvent::Lost(why) => {\n",f"            LinkEvent::Lost(why) => {{\n                if {P}(14) {{\n                    self.owners = Owners::new(None);\n                }}\n")])
# 15 a link that does not acknowledge is kept for ever
sub('monitor-tuner/src/agent.rs',[("        if self.awaiting.is_some_and(|since| since.elapsed() >= ACK) {",f"        if self.awaiting.is_some_and(|since| since.elapsed() >= ACK) && !{P}(15) {{")])
sub('monitor-tuner/src/link.rs',[("pub fn patient(endpoint: Endpoint) -> Endpoint {\n",f"pub fn patient(endpoint: Endpoint) -> Endpoint {{\n    if {P}(15) {{\n        return endpoint.connect_timeout(CONNECT);\n    }}\n")])
# 16 an action that nobody answers is awaited for ever
sub('analyzer/src/in_flight.rs',[("        let overdue = now >=",f"        let overdue = !{P}(16) && now >=")])
# 17 an analyzer that starts again has forgotten what it decided
sub('analyzer/src/server/mod.rs',[("filter(|_| recalled.is_there)",f"filter(|_| recalled.is_there && !{P}(17))")])
# 18 an agent of another version is welcome
sub('analyzer/src/core.rs',[("        if hello.protocol != spoken {",f"        if hello.protocol != spoken && !{P}(18) {{")])
# 19 an action leaves before what it follows from is on disk
sub('analyzer/src/recording/input_log.rs',[("    pub fn sync(&mut self) {\n",f"    pub fn sync(&mut self) {{\n        if {P}(19) {{\n            return;\n        }}\n")])
