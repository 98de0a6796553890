//! Mistakes in files: one sentence with its place.

use super::super::{FILE_BYTES, Scripted};

fn with(more: &str) -> String {
    let points = "\"\"\"\nmeasure chunk function f sum\ntune f0 variable F0 f64 0..1\n\"\"\"";
    format!("name = 't'\npoints = {points}\n{more}")
}

fn rule(rule: &str) -> String {
    with(&format!("[[rule]]\nwhen = 'true'\nwhy = ''\n{rule}"))
}

#[test]
fn a_mistake_in_a_file_is_reported_with_its_place_and_what_would_be_right() {
    for (file, place, what) in [
        ("name = 't'".to_owned(), (1, 1), "needs `script"),
        ("nam = 't'".to_owned(), (1, 1), "unknown field `nam`, expected one of `name`"),
        ("name = 3".to_owned(), (1, 8), "expected a string"),
        ("name = 'auto'\nscript = '()'".to_owned(), (1, 8), "the name of a built-in tunlet"),
        ("name = 'T t'\nscript = '()'".to_owned(), (1, 8), "a name is a letter"),
        ("name = 't".to_owned(), (1, 10), "invalid literal string"),
        ("name = 't'\nscript = '()'\nscript = '()'".to_owned(), (3, 1), "duplicate key"),
        (with("script = '()'\n[tuning_points]\nchunk = { name = 'C' }"), (8, 1), "used twice"),
        (with("script = '()'\n[tuning_points]\nf0 = { name = 'C' }"), (8, 1), "used twice"),
        (with("script = '()'\n[tuning_points]\nf1 = { step = 1 }"), (8, 1), "needs `name"),
        (with("script = '()'\n[tuning_points]\nf0 = { range = [0, 2] }"), (8, 16), "beyond the 0..1"),
        (with("script = '()'\n[tuning_points]\nf0 = { step = 0 }"), (8, 15), "a number above 0"),
        (with("script = '()'\n[tuning_points]\nf0 = { rank = -1 }"), (8, 15), "a number from 0, or"),
        (with("script = '()'\n[tuning_points]\nf0 = { stp = 0 }"), (8, 8), "unknown field `stp`"),
        (with("script = '()'\n[tuning_points]\nx = { name = 'x', together = true }"), (8, 30), "`rank = \"all\"`"),
        (with("script = '()'\n[tuning_points]\nf0 = { rank = 'all', together = true }"), (8, 33), "the program itself"),
        (
            with("script = '()'\n[tuning_points]\nx = { name = 'mw.factor', rank = 'all', together = true }"),
            (8, 52),
            "itself",
        ),
        (with("script = '()'\n[limits]\nmin_gain = 2"), (8, 12), "a share from 0 to below 1"),
        (with("script = '()'\n[limits]\nwatched_iterations = 0"), (8, 22), "is 1 to 8"),
        (with("script = '()'\n[objective]\nminimise = 'a'\nmaximise = 'b'"), (9, 12), "not both"),
        (with("script = '()'\n[[rule]]\nwhen = 'true'\nset = {}\nwhy = ''"), (7, 1), "not both"),
        (with("script = '''\nlet a = 1;\n  b\n'''"), (8, 3), "nothing is called `b`; there are iteration,"),
        (with("script = 'points.chnk.mean'"), (6, 18), "nothing declares `chnk` of `points`: there are chunk"),
        (with("script = 'points[\"chnk\"].mean'"), (6, 18), "nothing declares `chnk`"),
        (with("script = 'points.chunk.meen'"), (6, 24), "nothing declares `meen` of `points.chunk`: there are count"),
        (with("script = 'tuning_points.f1'"), (6, 25), "nothing declares `f1` of `tuning_points`: there are f0"),
        (with("script = 'work.time'"), (6, 16), "there are rank, tasks"),
        (with("script = '#{ set: #{ f9: 1 } }'"), (6, 22), "nothing declares `f9`"),
        (with("script = 'balance(1)'"), (6, 11), "there is no function `balance`"),
        (with("script = 'iteration_s.sleep()'"), (6, 23), "there is no function `sleep`"),
        (with("script = 'sleep(1)'"), (6, 11), "there is no function `sleep`"),
        (with("script = 'eval(\"1\")'"), (6, 11), "'eval' is disabled"),
        (with("script = 'let iteration = 1'"), (6, 15), "`iteration` is a name of the window's"),
        (with("script = '1 +'"), (6, 14), "incomplete"),
        (with("script = 'import \"x\"'"), (6, 11), "reserved"),
        (
            with("script = '()'\n[objective]\nminimise = 'tuning_points.f0'"),
            (8, 13),
            "nothing is called `tuning_points`",
        ),
        (rule("set = { f9 = 1 }"), (9, 14), "nothing declares `f9`: there are f0"),
        (rule("set = { f0 = 'a' }"), (9, 15), "nothing is called `a`"),
        ("name = 't'\npoints = '''\nmeasure chunk function f sun\n'''".to_owned(), (3, 26), "a mode"),
    ] {
        let mistake = Scripted::read(&file).err().unwrap_or_else(|| panic!("{file} has a mistake"));
        assert!(mistake.what.contains(what), "{file}\n{mistake}");
        assert_eq!((mistake.line, mistake.column), place, "{file}\n{mistake}");
        assert!(!mistake.what.contains('\n'), "{mistake}");
    }
    let long = format!("name = 't'\nabout = '{}'", "x".repeat(FILE_BYTES));
    assert!(Scripted::read(&long).unwrap_err().what.contains("at most 65536"));
}
