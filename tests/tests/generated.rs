//! Sources that are made of the table of MPI calls are those that are committed.

use midrun_tests::calls::{generated, table};

#[test]
fn the_wrappers_are_generated_from_the_table_of_calls() {
    for (path, text) in generated() {
        if std::env::var_os("MIDRUN_BLESS").is_some() {
            std::fs::write(&path, &text).expect("the file can be written");
        }
        let committed = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(committed == text, "{} differs: run with MIDRUN_BLESS=1", path.display());
    }
}

#[test]
fn the_table_of_calls_makes_sense() {
    let kinds = ["send", "receive", "probe", "wait", "test", "persistent", "collective", "one-sided", "communicator"];
    let kinds = [&kinds[..], &["spawn", "init", "local"]].concat();
    let table = table();
    for call in &table {
        let name = &call.name;
        assert_eq!(table.iter().filter(|other| other.name == *name).count(), 1, "{name} is there once");
        assert!(kinds.contains(&call.text("kind").expect("a kind")), "{name} is of a known kind");
        assert!(!call.is("waits") || call.is("blocking"), "{name} waits, so it blocks");
        assert!(!call.is("safe_point") || call.is("waits"), "{name} is a safe point, so it waits");
        for key in ["peer", "tag", "status"] {
            let parameter = call.text(key);
            let there = |parameter: &str| call.args.iter().any(|(_, name)| name == parameter);
            assert!(parameter.is_none_or(there), "the {key} of {name} is a parameter");
        }
    }
    for needed in ["Send", "Irecv", "Waitall", "Start", "Ialltoallw", "Get_accumulate", "Comm_spawn_multiple"] {
        assert!(table.iter().any(|call| call.name == needed), "{needed} is in the table");
    }
}
