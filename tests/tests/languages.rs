//! Programs in C, C++, Fortran and Rust that are built with an installed midrun: they run with it and under it, without a path in them.

use std::path::{Path, PathBuf};
use std::process::Command;

use midrun_tests::mpi::command;
use midrun_tests::{Mpi, Process, Scratch, Summary, each_mpi, need, prefix, root, run};

/// Installs what `deploy/build` has made below a directory of the test.
fn install(scratch: &Scratch) -> PathBuf {
    let place = scratch.path("site").join("midrun");
    let done = Command::new(root().join("deploy/install")).arg(&place).env("FROM", prefix()).output();
    let done = done.expect("deploy/install");
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    place
}

fn is_here(program: &str) -> bool {
    Command::new(program).arg("--version").output().is_ok_and(|answer| answer.status.success())
}

fn succeed(what: &str, command: &mut Command) -> String {
    let done = command.output().unwrap_or_else(|error| panic!("{what}: {error}"));
    let (out, err) = (String::from_utf8_lossy(&done.stdout), String::from_utf8_lossy(&done.stderr));
    assert!(done.status.success(), "{what}: {out}\n{err}");
    out.trim().to_owned()
}

/// What pkg-config says of an installed midrun.
fn flags(place: &Path) -> Vec<String> {
    let mut ask = Command::new("pkg-config");
    ask.args(["--cflags", "--libs", "midrun"]).env("PKG_CONFIG_PATH", place.join("lib/pkgconfig"));
    succeed("pkg-config", &mut ask).split_whitespace().map(str::to_owned).collect()
}

/// Runs a program by itself and under the installed midrun, which needs no path of libraries.
fn assert_runs(scratch: &Scratch, mpi: Mpi, place: &Path, program: &Path, arguments: &[&str]) {
    let mut line = mpi.line(4, program);
    line.extend(arguments.iter().map(|word| (*word).to_owned()));
    let mut alone = command(&line);
    alone.env("LD_LIBRARY_PATH", place.join("lib"));
    let alone = Process::start(scratch, "alone", alone).succeed();
    let mut tuned = run::command(scratch, &["--summary", "s.json"], &line);
    let words: Vec<_> = tuned.get_args().map(ToOwned::to_owned).collect();
    let mut installed = Command::new(place.join("bin/midrun"));
    installed.args(words).current_dir(scratch.directory()).env_remove("LD_LIBRARY_PATH");
    for (name, value) in tuned.get_envs() {
        match value {
            Some(value) => installed.env(name, value),
            None => installed.env_remove(name),
        };
    }
    tuned = installed;
    let under = Process::start(scratch, "under", tuned).succeed();
    for ended in [&alone, &under] {
        assert_eq!(ended.out.lines().filter(|line| line.starts_with("iteration ")).count(), 12, "{}", ended.out);
    }
    let summary = Summary::read(&scratch.path("s.json"));
    summary.assert_contract();
    assert_eq!(summary.count("/iterations"), 12);
}

#[each_mpi]
fn a_program_in_c_finds_midrun_by_pkg_config(mpi: Mpi) {
    need!(is_here("pkg-config"), "no pkg-config");
    let scratch = Scratch::new();
    let place = install(&scratch);
    let mut flags = flags(&place);
    flags.push("-lm".into());
    let program = mpi.compile(&scratch, &root().join("examples/mw_synthetic.c"), &flags);
    let arguments = ["--tasks", "100", "--iterations", "12", "--mean-us", "100"];
    assert_runs(&scratch, mpi, &place, &program, &arguments);
}

#[each_mpi]
fn a_program_in_c_finds_midrun_by_lmods_module_until_it_is_unloaded(mpi: Mpi) {
    need!(Path::new("/etc/profile.d/lmod.sh").exists() && is_here("pkg-config"), "no Lmod or no pkg-config");
    let scratch = Scratch::new();
    let place = install(&scratch);
    let script = format!(
        ". /etc/profile.d/lmod.sh && module use '{place}/share/modulefiles' && module load midrun && command -v midrun &&
        mpicc.{mpi} '{source}' $(pkg-config --cflags --libs midrun) -lm -o program && ldd program | grep libmidrun &&
        module unload midrun && ! command -v midrun && ! pkg-config --exists midrun && echo \"left: $MIDRUN_ROOT$LD_LIBRARY_PATH\"",
        place = place.display(),
        mpi = mpi.name(),
        source = root().canonicalize().expect("the root").join("examples/mw_synthetic.c").display(),
    );
    let mut shell = Command::new("bash");
    shell.args(["-c", &script]).current_dir(scratch.directory()).env_clear().env("PATH", "/usr/bin:/bin");
    let out = succeed("module", &mut shell);
    let place = place.display();
    assert!(out.starts_with(&format!("{place}/bin/midrun\n")) && out.ends_with("left:"), "{out}");
    assert!(out.contains(&format!("libmidrun.so => {place}/lib/libmidrun.so")), "{out}");
}

#[each_mpi]
fn a_program_in_cpp_finds_midrun_by_cmake(mpi: Mpi) {
    need!(is_here("cmake"), "no CMake");
    let scratch = Scratch::new();
    let (place, build) = (install(&scratch), scratch.path("build"));
    let mut configure = Command::new("cmake");
    configure.arg("-S").arg(root().join("examples/cpp")).arg("-B").arg(&build).arg("-DCMAKE_SKIP_RPATH=ON");
    configure.arg(format!("-DCMAKE_PREFIX_PATH={}", place.display()));
    succeed("cmake", configure.arg(format!("-DMPI_CXX_COMPILER=mpicxx.{}", mpi.name())));
    succeed("make", Command::new("cmake").arg("--build").arg(&build));
    assert_runs(&scratch, mpi, &place, &build.join("integral"), &["12"]);
}

#[each_mpi]
fn an_exception_of_a_task_in_cpp_stays_in_cpp(mpi: Mpi) {
    need!(is_here("pkg-config"), "no pkg-config");
    let scratch = Scratch::new();
    let place = install(&scratch);
    let program = scratch.path("throwing");
    let mut compile = Command::new(format!("mpicxx.{}", mpi.name()));
    compile.args(["-std=c++17", "-w"]).arg(root().join("tests/programs/throwing.cpp")).args(flags(&place));
    succeed("mpicxx", compile.arg("-o").arg(&program));
    let mut job = command(&mpi.line(3, &program));
    job.env("LD_LIBRARY_PATH", place.join("lib"));
    let out = Process::start(&scratch, "job", job).succeed().out;
    assert_eq!(out.matches("seven is refused").count(), 1, "{out}");
    assert_eq!(out.matches("a callback of the program returned non-zero (-4)").count(), 2, "{out}");
}

#[each_mpi]
fn a_program_in_fortran_uses_the_module(mpi: Mpi) {
    let compiler = format!("mpifort.{}", mpi.name());
    need!(is_here(&compiler), "no Fortran");
    let scratch = Scratch::new();
    let place = install(&scratch);
    let source = std::fs::read_to_string(root().join("examples/fortran/integral.f90")).expect("the example");
    assert!(source.contains("use mpi\n"), "{source}");
    for module in ["mpi", "mpi_f08"] {
        let (with, program) = (scratch.path(&format!("{module}.f90")), scratch.path(module));
        std::fs::write(&with, source.replace("use mpi\n", &format!("use {module}\n"))).expect("the source");
        let mut compile = Command::new(&compiler);
        compile.args(["-std=f2008", "-O2"]).arg(place.join("share/midrun/fortran/midrun.f90")).arg(with);
        compile.arg("-o").arg(&program).arg(format!("-L{}", place.join("lib").display())).arg("-lmidrun");
        succeed("mpifort", compile.current_dir(scratch.directory()));
        assert_runs(&scratch, mpi, &place, &program, &["12"]);
    }
}

#[each_mpi]
fn a_program_whose_library_alone_names_the_mpi_gets_the_libmidrun_for_that(mpi: Mpi) {
    need!(is_here("pkg-config"), "no pkg-config");
    let scratch = Scratch::new();
    let place = install(&scratch);
    let flags = flags(&place);
    let mut library = Command::new(format!("mpicc.{}", mpi.name()));
    library.args(["-shared", "-fPIC", "-O2", "-Dmain=program", "-o"]).arg(scratch.path("libprogram.so"));
    library.arg(root().join("examples/mw_synthetic.c")).args(&flags).arg("-lm");
    succeed("mpicc", &mut library);
    let (source, program) = (scratch.path("main.c"), scratch.path("with_library"));
    std::fs::write(
        &source,
        "int program(int, char **);\nint main(int n, char **words) { return program(n, words); }\n",
    )
    .expect("the source");
    let here = scratch.directory().display();
    let mut link = Command::new("cc");
    link.arg(&source).arg("-o").arg(&program).arg(format!("-L{here}")).arg("-lprogram").arg("-Wl,--no-as-needed");
    link.args(&flags).arg(format!("-Wl,-rpath,{here}")).arg("-Wl,--allow-shlib-undefined");
    succeed("cc", &mut link);
    let arguments = ["--tasks", "100", "--iterations", "12", "--mean-us", "100"];
    assert_runs(&scratch, mpi, &place, &program, &arguments);
}

#[each_mpi]
fn a_program_in_rust_uses_the_crate(mpi: Mpi) {
    let scratch = Scratch::new();
    let (place, target) = (install(&scratch), scratch.path("target"));
    // The crate's own tests, and the example.
    for words in [&["test", "--lib"][..], &["build", "--example", "integral"]] {
        let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        cargo.args(words).args(["--quiet", "--offline", "--manifest-path"]);
        cargo.arg(place.join("share/midrun/rust/Cargo.toml")).env("CARGO_TARGET_DIR", &target);
        cargo.env("MIDRUN_ROOT", &place).env("LD_LIBRARY_PATH", place.join("lib"));
        cargo.env("RUSTFLAGS", format!("-Clinker=mpicc.{}", mpi.name()));
        succeed("cargo", &mut cargo);
    }
    assert_runs(&scratch, mpi, &place, &target.join("debug/examples/integral"), &["12"]);
}
