//! Hooks in real programs, compiled here in the ways in which programs are compiled.

use std::path::{Path, PathBuf};
use std::process::Command;

/// The directory in which cargo puts `libprobe.so`.
fn examples() -> PathBuf {
    let own = std::env::current_exe().unwrap();
    own.parent().and_then(Path::parent).unwrap().join("examples")
}

fn sources() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs")
}

fn run(command: &mut Command) -> String {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{command:?}: {}\n{out}{err}", output.status);
    out.into_owned()
}

/// Compiles a program with the flags and runs it.
fn story(name: &str, flags: &[&str], more: &[&str], arguments: &[&str]) -> String {
    let directory = tempfile::tempdir().unwrap();
    let program = directory.path().join(name.split('.').next().unwrap());
    let compiler = if name.ends_with(".cc") { "c++" } else { "cc" };
    let mut command = Command::new(compiler);
    command.args(["-g", "-pthread", "-o"]).arg(&program).args(flags).arg(sources().join(name)).args(more);
    command.arg("-L").arg(examples()).arg("-lprobe").arg(format!("-Wl,-rpath,{}", examples().display()));
    run(command.args(["-lm"]));
    run(Command::new(&program).args(arguments))
}

/// The ways in which programs are compiled.
const WAYS: [&[&str]; 7] = [
    &["-O0"],
    &["-O1"],
    &["-O2"],
    &["-O3", "-fomit-frame-pointer"],
    &["-O2", "-no-pie", "-fno-pie"],
    &["-O2", "-fcf-protection=full"],
    &["-O2", "-march=native", "-fno-plt"],
];

#[test]
fn results_are_the_same_with_hooks_and_without_whatever_the_signature() {
    for way in WAYS {
        let out = story("calls.c", way, &[], &[]);
        let line = out.lines().find(|line| line.contains("functions are hooked")).unwrap();
        let hooked: u32 = line.split(' ').next().unwrap().parse().unwrap();
        assert!(hooked >= 10, "{way:?}: {out}");
    }
}

#[test]
fn exceptions_cancellation_and_backtraces_pass_through_hooked_functions() {
    for way in WAYS {
        println!("{way:?}: {}", story("leave.cc", way, &[], &[]));
    }
    story("leave.cc", &["-O2", "-static-libgcc", "-static-libstdc++"], &["-ldl"], &[]);
}

#[test]
fn longjmp_signals_and_coroutines_pass_through_hooked_functions() {
    for way in WAYS {
        story("jump.c", way, &[], &[]);
    }
}

#[test]
fn threads_that_were_interrupted_between_the_first_instructions_go_on_there_after_the_hook_was_put_in() {
    for way in [&["-O1"][..], &["-O1", "-no-pie", "-fno-pie"]] {
        story("held.c", way, &[], &[]);
    }
}

#[test]
fn hooked_functions_return_to_their_callers_though_stacks_lie_within_stacks_are_copied_or_go_to_another_thread() {
    for way in WAYS {
        story("stacks.c", way, &[], &[]);
    }
}

#[test]
fn hooks_come_and_go_while_threads_run_the_functions() {
    for way in [&["-O0"][..], &["-O2"], &["-O1", "-fcf-protection=full"], &["-O2", "-no-pie", "-fno-pie"]] {
        println!("{way:?}: {}", story("toggle.c", way, &[], &["50"]));
    }
}

#[test]
fn threads_that_block_sigtrap_are_not_met_by_a_breakpoint_and_a_handler_of_the_program_stays_in_force() {
    for way in [&["-O0"][..], &["-O2"], &["-O2", "-fcf-protection=full"]] {
        println!("{way:?}: {}", story("blocked.c", way, &[], &[]));
    }
}

#[test]
fn what_cannot_be_hooked_is_refused_with_its_reason_and_the_rest_can_be_tuned() {
    let directory = tempfile::tempdir().unwrap();
    let twin = sources().join("twin.c");
    let part = |name: &str, flags: &[&str]| {
        let path = directory.path().join(name);
        run(Command::new("cc").args(flags).arg("-o").arg(&path).arg(&twin));
        path.display().to_string()
    };
    let a = part("a.o", &["-c", "-O1", "-DNAME=twin_a", "-DNUMBER=1"]);
    let b = part("b.o", &["-c", "-O1", "-DNAME=twin_b", "-DNUMBER=2"]);
    let shared = part("libtwin.so", &["-shared", "-fPIC", "-DSHARED"]);
    let rpath = format!("-Wl,-rpath,{}", directory.path().display());
    for way in [&["-O0"][..], &["-O2"], &["-O2", "-no-pie", "-fno-pie"], &["-O2", "-Wl,-z,now"]] {
        println!("{}", story("refused.c", way, &[&a, &b, &shared, &rpath], &[]));
    }
}

#[test]
fn a_library_that_is_unloaded_or_replaced_on_disk_is_not_written_to_where_it_was() {
    // Many compilers do not write build ids unless they are told to.
    for build_id in ["-Wl,--build-id", "-Wl,--build-id=none"] {
        unload_and_replace(build_id);
    }
}

fn unload_and_replace(build_id: &str) {
    let directory = tempfile::tempdir().unwrap();
    let library = |file: &str, source: &str| {
        let path = directory.path().join(file);
        std::fs::write(path.with_extension("c"), source).unwrap();
        let mut command = Command::new("cc");
        command.args(["-O1", "-shared", "-fPIC", build_id, "-o"]).arg(&path).arg(path.with_extension("c"));
        run(&mut command);
        path.display().to_string()
    };
    let plugged = "long plugged_value = 5;\nlong plugged(long x, double y) { long volatile keep = x; return keep * 3 + (long)(y * 2); }\n";
    let replaced = "long replaced(long x) { long volatile keep = x; return keep * 3; }\n";
    let files = [
        library("libplugged.so", plugged),
        library("libreplaced.so", replaced),
        library("libnew.so", &format!("long before(long x) {{ return x * 5; }}\n{replaced}")),
    ];
    let files: Vec<&str> = files.iter().map(String::as_str).collect();
    story("unload.c", &["-O2"], &["-ldl"], &files);
}

#[test]
fn a_stripped_program_is_named() {
    let directory = tempfile::tempdir().unwrap();
    let source = directory.path().join("stripped.c");
    std::fs::write(
        &source,
        "#include \"probe.h\"\n#include <string.h>\n\
         __attribute__((noinline)) static int hidden(int n) { __asm__ volatile(\"\"); return n; }\n\
         int main(void) { CHECK(hidden(1) == 1); CHECK(probe_hook(\"hidden\") < 0);\n\
         CHECK(strstr(probe_error(), \"there is no hidden, and stripped has no symbol table (stripped)\")); }\n",
    )
    .unwrap();
    let program = directory.path().join("stripped");
    let mut command = Command::new("cc");
    command.args(["-O1", "-s", "-I"]).arg(sources()).arg("-o").arg(&program).arg(&source).arg("-L").arg(examples());
    run(command.arg("-lprobe").arg(format!("-Wl,-rpath,{}", examples().display())));
    run(&mut Command::new(&program));
}
