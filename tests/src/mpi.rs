//! The MPIs of this machine, and their command lines for more ranks than cores.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::skip::skip;
use crate::{Scratch, root};

/// An implementation of MPI.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mpi {
    /// Open MPI.
    OpenMpi,
    /// MPICH.
    Mpich,
}

impl Mpi {
    /// All of them.
    pub const ALL: [Mpi; 2] = [Mpi::OpenMpi, Mpi::Mpich];

    /// Its name in the names of directories and commands.
    pub fn name(self) -> &'static str {
        match self {
            Mpi::OpenMpi => "openmpi",
            Mpi::Mpich => "mpich",
        }
    }

    /// Its launcher.
    pub fn launcher(self) -> String {
        format!("mpirun.{}", self.name())
    }

    /// Whether its launcher, its libmidrun and the examples built with it are here.
    pub fn is_here(self) -> bool {
        let says = Command::new(self.launcher()).arg("--version").output();
        says.is_ok() && self.example("mw_synthetic").is_file() && self.library().is_file()
    }

    /// Path of an example built with it.
    pub fn example(self, name: &str) -> PathBuf {
        root().canonicalize().expect("the root").join("examples/build").join(self.name()).join(name)
    }

    /// Path of its libmidrun.
    pub fn library(self) -> PathBuf {
        root().join("target/midrun/lib/midrun").join(self.name()).join("libmidrun.so")
    }

    /// Makes a copy of libmidrun whose memory has another magic number: that of another version. Returns its directory.
    pub fn another_version(self, scratch: &Scratch) -> PathBuf {
        let (old, new) = (b"midrun\0\x01", b"midrun\0\x02");
        let mut bytes = std::fs::read(self.library()).expect("libmidrun");
        let places: Vec<usize> = (0..bytes.len() - old.len()).filter(|at| bytes[*at..].starts_with(old)).collect();
        assert!(!places.is_empty(), "the magic number is in libmidrun");
        places.into_iter().for_each(|at| bytes[at..at + new.len()].copy_from_slice(new));
        let directory = scratch.path("other");
        std::fs::create_dir(&directory).expect("a directory");
        std::fs::write(directory.join("libmidrun.so"), bytes).expect("a library");
        directory
    }

    /// The command line that starts `ranks` ranks of `program` on this host.
    pub fn line(self, ranks: u32, program: &Path) -> Vec<String> {
        let mut words = vec![self.launcher(), "-n".into(), ranks.to_string()];
        words.extend(self.flags().iter().map(|word| (*word).to_owned()));
        words.push(program.display().to_string());
        words
    }

    /// Compiles a C program into the test's directory; `flags` go to the compiler.
    pub fn compile(self, scratch: &Scratch, source: &Path, flags: &[String]) -> PathBuf {
        let program = scratch.path("program");
        let mut compiler = Command::new(format!("mpicc.{}", self.name()));
        let built = compiler.arg(source).arg("-o").arg(&program).args(flags).status();
        assert!(built.is_ok_and(|status| status.success()), "{self:?} compiles {}", source.display());
        program
    }

    /// Compiles a Fortran program likewise; `None` where there is no compiler.
    pub fn compile_fortran(self, scratch: &Scratch, source: &Path, flags: &[&str]) -> Option<PathBuf> {
        let program = scratch.path("program");
        let compiler = format!("mpifort.{}", self.name());
        Command::new(&compiler).arg("--version").output().ok().filter(|answer| answer.status.success())?;
        let mut compile = Command::new(compiler);
        compile.arg("-cpp").arg(source).args(flags).arg("-o").arg(&program).arg("-J").arg(scratch.directory());
        assert!(
            compile.status().is_ok_and(|status| status.success()),
            "{self:?} compiles {} {flags:?}",
            source.display()
        );
        Some(program)
    }

    /// Compiles a C program that calls functions of `midrun.h`.
    pub fn compile_with_midrun(self, scratch: &Scratch, source: &Path) -> PathBuf {
        let library = self.library().canonicalize().expect("libmidrun");
        let directory = library.parent().expect("its directory").display();
        let include = root().canonicalize().expect("the root").join("target/midrun/include");
        let flags = [
            format!("-I{}", include.display()),
            format!("-L{directory}"),
            format!("-Wl,-rpath,{directory}"),
            "-Wl,--no-as-needed".into(),
            "-lmidrun".into(),
            "-ldl".into(),
        ];
        self.compile(scratch, source, &flags)
    }

    /// Flags of the launcher for more ranks than cores.
    pub fn flags(self) -> &'static [&'static str] {
        match self {
            Mpi::OpenMpi => &["--oversubscribe", "--bind-to", "none", "--mca", "mpi_yield_when_idle", "1"],
            Mpi::Mpich => &["-bind-to", "none"],
        }
    }
}

/// Directory of an MPI in `target/NAME`, which `tests/run` puts there.
pub fn fetched(name: &str) -> Option<PathBuf> {
    let directory = root().canonicalize().expect("the root").join("target").join(name);
    directory.join("bin/mpirun").is_file().then_some(directory)
}

/// Runs a test of `#[each_mpi]` under an MPI. If this MPI is absent, the test is skipped and counted.
pub fn run_with(mpi: Mpi, test: fn(Mpi)) {
    if mpi.is_here() {
        test(mpi);
    } else {
        skip(&format!("{mpi:?} with its examples is not here"));
    }
}

/// The command of a command line, allowed to run as root.
pub fn command(words: &[String]) -> Command {
    let mut command = Command::new(&words[0]);
    command
        .args(&words[1..])
        .env("OMPI_ALLOW_RUN_AS_ROOT", "1")
        .env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1")
        .env_remove("LD_PRELOAD");
    command
}
