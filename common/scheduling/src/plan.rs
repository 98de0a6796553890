//! The plan of a pipeline: which stages share a rank and how many replicas they have, such as `0,1x4,2-3x2,4`.
//!
//! Its text is the *pattern* of the C API and of the tuning point `pipe.pattern`. The program and the tunlet write it; the
//! shim places it on ranks.

/// The sender of a replicated group's inputs to its replicas.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Manager {
    /// The ranks of the group before it.
    Sender,
    /// A communication manager on a rank of its own (`1x4m`).
    OwnRank,
    /// A communication manager on the rank of the first replica (`1x4s`).
    SharedRank,
}

/// Neighbouring stages that run together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    /// Its first stage.
    pub first: usize,
    /// Number of stages.
    pub stages: usize,
    /// Number of ranks that run them; each input goes to one.
    pub replicas: usize,
    /// [`Manager::Sender`] if there is one replica.
    pub manager: Manager,
    /// Ranks of the pipeline's communicator, the manager's first; empty: any.
    pub at: Vec<usize>,
}

impl Group {
    /// A group on any ranks.
    pub fn any(first: usize, stages: usize, replicas: usize) -> Group {
        Group { first, stages, replicas, manager: Manager::Sender, at: Vec::new() }
    }

    /// Number of ranks it needs.
    pub fn ranks(&self) -> usize {
        self.replicas + usize::from(self.manager == Manager::OwnRank)
    }

    /// The numbers of its stages.
    pub fn range(&self) -> std::ops::Range<usize> {
        self.first..self.first + self.stages
    }
}

/// All groups, in the order of the stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan(pub Vec<Group>);

impl Plan {
    /// Every stage on a rank of its own or, with fewer ranks, neighbouring stages in groups of about equal size.
    pub fn even(stages: usize, ranks: usize) -> Plan {
        let groups = stages.min(ranks.max(1));
        let begin = |g: usize| g * stages / groups;
        let group = |g| Group::any(begin(g), begin(g + 1) - begin(g), 1);
        Plan((0..groups).map(group).collect())
    }

    /// Number of ranks it needs.
    pub fn ranks(&self) -> usize {
        self.0.iter().map(Group::ranks).sum()
    }

    /// Number of its stages.
    pub fn stages(&self) -> usize {
        self.0.last().map_or(0, |group| group.range().end)
    }

    /// Whether a job of so many ranks has those that it needs and names. The head computes only if it is alone.
    pub fn fits(&self, ranks: u32) -> bool {
        let computing = if ranks > 1 { 1..ranks as usize } else { 0..1 };
        self.ranks() <= computing.len()
            && self.0.iter().flat_map(|group| &group.at).all(|rank| computing.contains(rank))
    }

    /// Parses a plan for `stateful.len()` stages. Stages that keep state must not be replicated.
    ///
    /// # Errors
    /// The reason, as part of a sentence.
    pub fn parse(text: &str, stateful: &[bool]) -> Result<Plan, String> {
        let mut groups = Vec::new();
        let mut next = 0;
        for word in text.split(',').map(str::trim) {
            let group = group(word).ok_or_else(|| {
                format!(
                    "\"{word}\" is no group: STAGE or FIRST-LAST is expected, then perhaps xREPLICAS, such as 2-3x4, then perhaps \
                     @RANK+RANK for each of its ranks"
                )
            })?;
            if group.first != next || group.range().end > stateful.len() {
                let last = stateful.len() - 1;
                return Err(format!(
                    "\"{word}\" is out of order: each stage from 0 to {last} stands in one group, in order"
                ));
            }
            next = group.range().end;
            groups.push(group);
        }
        if next != stateful.len() {
            return Err(format!("stage {next} is in no group"));
        }
        let plan = Plan(groups);
        plan.keeps_state(stateful)?;
        Ok(plan)
    }

    /// Checks that no stage with state is replicated.
    ///
    /// # Errors
    /// The reason, as part of a sentence that names the stage.
    pub fn keeps_state(&self, stateful: &[bool]) -> Result<(), String> {
        let replicated = self.0.iter().filter(|group| group.replicas > 1);
        match replicated.flat_map(Group::range).find(|stage| stateful[*stage]) {
            Some(stage) => Err(format!("stage {stage} keeps state and cannot have replicas")),
            None => Ok(()),
        }
    }
}

/// `STAGE` or `FIRST-LAST`, then perhaps `xREPLICAS`, then perhaps `m` or `s`, then perhaps `@RANK+RANK`.
fn group(word: &str) -> Option<Group> {
    let (word, at) = word.split_once('@').map_or((word, None), |(word, at)| (word, Some(at)));
    let at = at.map_or(Some(Vec::new()), |at| at.split('+').map(|rank| rank.parse().ok()).collect())?;
    let (stages, replicas) = word.split_once('x').map_or((word, None), |(stages, rest)| (stages, Some(rest)));
    let (first, last) = stages.split_once('-').unwrap_or((stages, stages));
    let (first, last): (usize, usize) = (first.parse().ok()?, last.parse().ok()?);
    let (number, manager) = match replicas {
        None => ("1", Manager::Sender),
        Some(text) => text.strip_suffix('m').map(|number| (number, Manager::OwnRank)).unwrap_or_else(|| {
            text.strip_suffix('s').map_or((text, Manager::Sender), |number| (number, Manager::SharedRank))
        }),
    };
    let replicas = number.parse().ok().filter(|replicas| (1..=1_000_000).contains(replicas))?;
    let manager = if replicas > 1 { manager } else { Manager::Sender };
    let stages = last.checked_sub(first)?.checked_add(1)?;
    let group = Group { first, stages, replicas, manager, at };
    (group.at.is_empty() || group.at.len() == group.ranks()).then_some(group)
}

impl std::fmt::Display for Plan {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for (k, group) in self.0.iter().enumerate() {
            let comma = if k == 0 { "" } else { "," };
            write!(f, "{comma}{}", group.first)?;
            if group.stages > 1 {
                write!(f, "-{}", group.range().end - 1)?;
            }
            if group.replicas > 1 {
                write!(f, "x{}", group.replicas)?;
            }
            match group.manager {
                Manager::Sender => {}
                Manager::OwnRank => f.write_str("m")?,
                Manager::SharedRank => f.write_str("s")?,
            }
            for (k, rank) in group.at.iter().enumerate() {
                write!(f, "{}{rank}", if k == 0 { '@' } else { '+' })?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plan_prints_as_it_was_parsed() {
        let stateless = [false; 6];
        for text in ["0,1x4,2-3x2,4,5", "0-5", "0-5x3", "0,1x2m,2x3s,3-4,5", "0@3,1x2m@1+4+7,2-5x2@2+9"] {
            assert_eq!(Plan::parse(text, &stateless).unwrap().to_string(), text);
        }
        assert_eq!(Plan::parse("0, 1x4m, 2-5", &stateless).unwrap().ranks(), 1 + 5 + 1);
        assert_eq!(Plan::parse("0x1m,1-5", &stateless).unwrap().to_string(), "0,1-5", "one replica needs no manager");
    }

    #[test]
    fn a_malformed_plan_is_refused_with_the_reason() {
        let state = [false, true, false];
        for (text, part) in [
            ("", "\"\" is no group"),
            ("0,1,x", "\"x\" is no group"),
            ("0,1x0,2", "\"1x0\" is no group"),
            ("0,1@2+3,2", "\"1@2+3\" is no group"),
            ("0,1@,2", "\"1@\" is no group"),
            ("0,2-1,2", "\"2-1\" is no group"),
            ("0,2", "\"2\" is out of order"),
            ("0,1,2,3", "from 0 to 2"),
            ("0-9", "out of order"),
            ("0,1", "stage 2 is in no group"),
            ("0,1x2,2", "stage 1 keeps state"),
            ("0-2x2", "stage 1 keeps state"),
        ] {
            let what = Plan::parse(text, &state).unwrap_err();
            assert!(what.contains(part), "{text}: {what}");
        }
    }

    #[test]
    fn with_fewer_ranks_than_stages_each_gets_about_equally_many() {
        assert_eq!(Plan::even(5, 9).to_string(), "0,1,2,3,4");
        assert_eq!(Plan::even(5, 3).to_string(), "0,1-2,3-4");
        assert_eq!(Plan::even(5, 1).to_string(), "0-4");
    }
}
