//! Whatever a file says: it is read or refused, its script ends, and nothing panics.

use proptest::prelude::*;

use super::super::damaged::tunlet as live;

/// Pieces of scripts that, put together, are often one.
fn piece() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        "loop {",
        "while true {",
        "}",
        "(",
        ")",
        "[",
        "]",
        "#{",
        "x:",
        "set:",
        ",",
        ";",
        "let a =",
        "a",
        "a +=",
        "1",
        "0.5",
        "\"s\"",
        "`${",
        "}`",
        "points",
        ".chunk",
        ".mean",
        "tuning_points.x",
        "work.busy_s",
        "state",
        "state.s =",
        "last",
        "fn f(x) {",
        "f(",
        "f(1)",
        "|y|",
        "if",
        "else {",
        "iteration",
        "-",
        "+",
        "*",
        "/",
        "==",
        "&&",
        "!",
        "return",
        "break;",
        "throw",
        "try {",
        "} catch (e) {",
        "for i in 0..99999999 {",
        ".push(",
        ".map(",
        ".sort()",
        ".len()",
        "sigma(",
        "batch_shares(0.8, 99, 9, 3)",
        "call(",
        "Fn(\"f\")",
        "this",
        "switch 1 {",
        "=>",
        "const b =",
        "a[0] =",
        "??",
        "?.",
        "in",
        "'c'",
        "\n",
    ])
}

proptest! {
    #[test]
    fn any_text_as_a_file_is_read_or_refused(text in ".{0,400}") {
        live(&text);
    }

    #[test]
    fn any_script_ends(pieces in prop::collection::vec(piece(), 0..40)) {
        let script = pieces.join(" ");
        live(&format!("name = 't'\npoints = 'measure chunk function f sum'\nscript = '''\n{script}\n'''\n[tuning_points]\nx = {{ name = 'x' }}\n"));
    }

    #[test]
    fn any_text_as_a_script_or_a_rule_ends(script in "[ -~\n]{0,200}", when in "[ -&(-~]{0,60}", set in "[ -&(-~]{0,60}") {
        live(&format!("name = 't'\nscript = '''\n{script}\n'''\n[tuning_points]\nx = {{ name = 'x' }}\n"));
        live(&format!("name = 't'\n[[rule]]\nwhen = '{when}'\nset = {{ x = '{set}' }}\nwhy = ''\n[tuning_points]\nx = {{ name = 'x' }}\n"));
    }
}

#[test]
fn what_is_nested_without_end_is_refused_before_the_stack_ends() {
    // As deep as a thread of the analyzer goes: two mebibytes of stack.
    let thread = std::thread::Builder::new().stack_size(2 << 20).spawn(|| {
        for (open, close) in [
            ("(", ")"),
            ("[", "]"),
            ("{", "}"),
            ("-", ""),
            ("!", ""),
            ("if true {", "}"),
            ("#{a:", "}"),
            ("f(", ")"),
            ("a.", ""),
            ("|x|", ""),
            ("`${", "}`"),
        ] {
            for depth in [20, 47, 60, 5_000] {
                let script = format!("{}1{}", open.repeat(depth), close.repeat(depth));
                live(&format!("name = 't'\nscript = '''\n{script}\n'''\n"));
                live(&format!(
                    "name = 't'\nscript = '''\nfn g(x) {{ {script} }} fn h(x) {{ g(x) + h(x) }} h(1)\n'''\n"
                ));
            }
        }
    });
    assert!(thread.expect("a thread").join().is_ok());
}
