//! Detects the MPI library: of a launcher by its version text, of a program by its ELF file.

use std::ffi::OsString;
use std::fs::File;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use object::{Object, ObjectSection, ObjectSegment, ObjectSymbol};

/// Families of MPI libraries with a common binary interface; one libmidrun serves each family.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flavour {
    /// Open MPI.
    OpenMpi,
    /// MPICH and its relatives (Intel MPI, MVAPICH, Cray).
    Mpich,
    /// Any MPI, used by its library for MPI's standard ABI.
    Abi,
}

impl Flavour {
    /// The family that a user names.
    ///
    /// # Errors
    /// One sentence with the names that are known.
    pub fn of_name(name: &str) -> Result<Flavour, String> {
        match name {
            "openmpi" | "spectrum" => Ok(Flavour::OpenMpi),
            "mpich" | "intel" | "cray" | "mvapich" | "parastation" => Ok(Flavour::Mpich),
            "abi" => Ok(Flavour::Abi),
            _ => Err(format!(
                "run.mpi = {name:?}: allowed are openmpi, spectrum, mpich, intel, cray, mvapich, parastation and abi"
            )),
        }
    }

    /// Directory that holds the libmidrun of this family.
    pub fn directory(self) -> &'static str {
        match self {
            Flavour::OpenMpi => "openmpi",
            Flavour::Mpich => "mpich",
            Flavour::Abi => "abi",
        }
    }

    /// Name for messages.
    pub fn name(self) -> &'static str {
        match self {
            Flavour::OpenMpi => "Open MPI",
            Flavour::Mpich => "MPICH",
            Flavour::Abi => "MPI's standard ABI",
        }
    }
}

/// An MPI library by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Named {
    /// One of a family that a libmidrun serves.
    Known(Flavour),
    /// An MPI that no libmidrun serves.
    Unknown,
}

/// The libraries that an executable file is linked with, as far as they matter here.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Linkage {
    /// The MPI and the name of its library, if the file names one that is known.
    pub mpi: Option<(Flavour, String)>,
    /// The name of the library of an MPI that no libmidrun serves.
    pub unknown_mpi: Option<String>,
    /// The file is linked with the static libmidrun, or with a shared one that has to find an MPI for it. Beside an MPI's library, be it
    /// one that another library names, the loader takes the preloaded libmidrun instead of the shared one, since it has its name.
    pub has_midrun: bool,
}

/// Reads an ELF file. Returns `None` if the file is unreadable or no ELF file.
pub fn linkage(path: &Path) -> Option<Linkage> {
    let file = std::fs::File::open(path).ok()?;
    let bytes = object::ReadCache::new(file); // programs can be large, and every rank reads its own
    let file = object::File::parse(&bytes).ok()?;
    let mut found = Linkage::default();
    let mut names_midrun = false;
    for name in needed(&file) {
        names_midrun |= name.starts_with("libmidrun.so");
        match flavour_of_library(&name) {
            Some(Named::Known(flavour)) => {
                found.mpi.get_or_insert((flavour, name));
            }
            Some(Named::Unknown) => {
                found.unknown_mpi.get_or_insert(name);
            }
            None => {}
        }
    }
    if names_midrun && found.mpi.is_none() && found.unknown_mpi.is_none() {
        // A linker that drops what is not called directly leaves the MPI to a library that calls it.
        let known = |path: PathBuf| {
            let name = path.file_name()?.to_str()?;
            let Named::Known(flavour) = flavour_of_library(name)? else { return None };
            Some((flavour, name.to_owned()))
        };
        found.mpi = libraries(path).into_iter().find_map(known);
        names_midrun = found.mpi.is_none();
    } else {
        names_midrun = false;
    }
    found.has_midrun = defines_midrun(&file) || names_midrun;
    Some(found)
}

/// The libraries that the dynamic linker would load for the program at `path`; none for a file that it does not load.
pub fn libraries(path: &Path) -> Vec<PathBuf> {
    let linker = std::fs::File::open(path).ok().and_then(|file| {
        let bytes = object::ReadCache::new(file);
        let file = object::File::parse(&bytes).ok()?;
        let name = file.section_by_name(".interp")?.data().ok()?.split(|byte| *byte == 0).next()?.to_vec();
        Some(PathBuf::from(OsString::from_vec(name)))
    });
    // The linker lists them, also those that it does not find, and does not start the program: glibc's by the variable, musl's by the flag.
    let listed = linker.and_then(|linker| {
        let is_musl = linker.file_name().is_some_and(|name| name.to_string_lossy().starts_with("ld-musl"));
        let mut command = Command::new(linker);
        command.args(is_musl.then_some("--list")).arg(path);
        let command = command.env("LD_TRACE_LOADED_OBJECTS", "1").env_remove("LD_PRELOAD").stdin(Stdio::null());
        command.output().ok()
    });
    let Some(listed) = listed else { return Vec::new() };
    let library = |line: &str| Some(PathBuf::from(line.split_once(" => ")?.1.split(" (0x").next()?));
    String::from_utf8_lossy(&listed.stdout).lines().filter_map(library).collect()
}

/// The MPI behind a library's name; `None` for a library that is no MPI's. MPICH's ABI has the number 12, whatever stands before it:
/// `libmpi_gnu_91.so.12` is Cray's.
fn flavour_of_library(name: &str) -> Option<Named> {
    let (stem, number) = name.split_once(".so")?;
    let number: Option<u32> = number.strip_prefix('.').and_then(|number| number.split('.').next()?.parse().ok());
    let rest = stem.strip_prefix("libmpi")?;
    match (rest, number) {
        ("_abi" | "fort_abi", Some(1)) => Some(Named::Known(Flavour::Abi)),
        ("_abi", _) => Some(Named::Unknown),
        ("_ibm", _) => Some(Named::Known(Flavour::OpenMpi)), // Spectrum MPI
        (_, Some(12)) => Some(Named::Known(Flavour::Mpich)),
        (rest, _) if rest.starts_with("ch") => Some(Named::Known(Flavour::Mpich)), // libmpich of MPICH, Cray and MVAPICH
        // A program in Fortran may name only one of Open MPI's Fortran libraries, `_mpifh` or `_usempif08`, which name its libmpi.
        (rest, Some(number)) if number >= 20 && (rest.is_empty() || rest.starts_with('_')) => {
            Some(Named::Known(Flavour::OpenMpi))
        }
        ("", _) => Some(Named::Unknown),
        _ => None,
    }
}

fn needed<'data, R: object::ReadRef<'data>>(file: &object::File<'data, R>) -> Vec<String> {
    let (Some(dynamic), Some(names)) = (file.section_by_name(".dynamic"), file.section_by_name(".dynstr")) else {
        return Vec::new();
    };
    let (Ok(dynamic), Ok(names)) = (dynamic.data(), names.data()) else {
        return Vec::new();
    };
    if !file.is_64() {
        return Vec::new();
    }
    const DT_NEEDED: u64 = 1;
    let word = |bytes: &[u8]| u64::from_ne_bytes(bytes.try_into().unwrap_or_default());
    dynamic
        .chunks_exact(16)
        .filter(|entry| word(&entry[..8]) == DT_NEEDED)
        .filter_map(|entry| names.get(word(&entry[8..]) as usize..))
        .filter_map(|text| text.split(|&b| b == 0).next())
        .map(|text| String::from_utf8_lossy(text).into_owned())
        .collect()
}

/// Detects a statically linked libmidrun: by a symbol, in a stripped program by the name of an environment variable.
fn defines_midrun<'data, R: object::ReadRef<'data>>(file: &object::File<'data, R>) -> bool {
    let is_stripped = file.symbols().next().is_none();
    let mut symbols = file.symbols().chain(file.dynamic_symbols()).filter(|symbol| symbol.is_definition());
    let needle = b"MIDRUN_SOCKET";
    symbols.any(|symbol| symbol.name().is_ok_and(|name| name == "midrun_status_text"))
        || is_stripped
            && file
                .section_by_name(".rodata")
                .and_then(|section| section.data().ok())
                .is_some_and(|data| data.windows(needle.len()).any(|window| window == needle))
}

/// The version text of a launcher, parsed.
#[derive(Clone, Debug, PartialEq)]
pub struct LauncherVersion {
    /// Its MPI; `None` for a launcher that serves any MPI, such as srun.
    pub mpi: Option<Flavour>,
    /// Name and version for messages.
    pub version: String,
}

/// What a launcher says with `--version`.
pub fn version_text(launcher: &Path) -> String {
    let output = Command::new(launcher).arg("--version").stdin(Stdio::null()).output();
    output
        .map(|output| String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned())
        .unwrap_or_default()
}

/// Parses the version text of a launcher.
pub fn parse_version(text: &str) -> LauncherVersion {
    let number = |line: &str| line.split_whitespace().last().unwrap_or("").to_owned();
    let first = text.lines().find(|line| !line.trim().is_empty()).unwrap_or("");
    let says = |words: &[&str]| words.iter().any(|word| text.contains(word));
    if says(&["Open MPI", "OpenRTE", "open-mpi.org", "PRRTE", "prte"]) {
        return LauncherVersion { mpi: Some(Flavour::OpenMpi), version: format!("Open MPI {}", number(first)) };
    }
    if says(&["Intel(R) MPI"]) {
        let version = first.split("Version ").nth(1).and_then(|rest| rest.split(' ').next()).unwrap_or("");
        return LauncherVersion { mpi: Some(Flavour::Mpich), version: format!("Intel MPI {version}") };
    }
    if says(&["HYDRA", "MVAPICH"]) {
        let line = text.lines().find(|line| line.contains("Version:")).unwrap_or("");
        return LauncherVersion { mpi: Some(Flavour::Mpich), version: format!("MPICH {}", number(line)) };
    }
    LauncherVersion { mpi: None, version: first.to_owned() }
}

/// The library for ranks whose MPI is `flavour`; `None`: one that finds out when the rank has loaded its MPI.
///
/// # Errors
/// The paths that were tried.
pub fn library(flavour: Option<Flavour>, configured: Option<&Path>) -> Result<PathBuf, Vec<PathBuf>> {
    let file = |directory: PathBuf| match flavour {
        Some(flavour) => directory.join(flavour.directory()).join("libmidrun.so"),
        None => directory.join("libmidrun-select.so"),
    };
    let candidates: Vec<PathBuf> = library_directories(configured).into_iter().map(file).collect();
    let found = candidates.iter().find(|path| path.is_file());
    found.and_then(|path| path.canonicalize().ok()).ok_or(candidates)
}

/// Whether the file has all that a process maps of it: one that is torn kills each process that loads it. One that cannot be read is not loaded either.
pub fn is_whole(library: &Path) -> bool {
    let Ok(file) = File::open(library) else { return true };
    let Ok(length) = file.metadata().map(|of| of.len()) else { return true };
    let bytes = object::ReadCache::new(file);
    let Ok(file) = object::File::parse(&bytes) else { return false };
    let end = file.segments().map(|segment| segment.file_range()).map(|(from, size)| from.saturating_add(size)).max();
    end.is_some_and(|end| end <= length)
}

/// What is said of a library that is not whole.
pub fn torn(library: &Path) -> String {
    format!("{} is torn, and would end each process that loads it: install it again", library.display())
}

fn library_directories(configured: Option<&Path>) -> Vec<PathBuf> {
    if let Some(directory) = configured {
        return vec![directory.to_owned()];
    }
    if let Some(directory) = std::env::var_os("MIDRUN_LIB_DIR") {
        return vec![directory.into()];
    }
    let Ok(program) = std::env::current_exe() else {
        return Vec::new();
    };
    let above = program.parent().and_then(Path::parent).unwrap_or(Path::new("/"));
    vec![above.join("lib/midrun"), above.join("midrun/lib/midrun")]
}

/// The value of LD_PRELOAD with `library` before the entries that are there already.
pub fn preload_value(library: &Path, already: Option<&str>) -> String {
    match already.filter(|value| !value.is_empty()) {
        Some(value) => format!("{}:{value}", library.display()),
        None => library.display().to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_is_torn_is_not_whole() {
        let directory = tempfile::tempdir().unwrap();
        let program = std::fs::read("/bin/true").unwrap();
        let is_whole = |length: usize| {
            let path = directory.path().join("torn");
            std::fs::write(&path, &program[..length]).unwrap();
            super::is_whole(&path)
        };
        let torn = [0, 10, 100, 1000, program.len() / 2];
        assert!(is_whole(program.len()) && !torn.into_iter().any(is_whole));
    }

    #[test]
    fn libraries_are_recognised_by_name_and_number() {
        let open_mpi = [
            "libmpi.so.40",
            "libmpi.so.20",
            "libmpi_mpifh.so.40",
            "libmpi_usempif08.so.40",
            "libmpi_usempi_ignore_tkr.so.40",
            "libmpi_cxx.so.40",
            "libmpi_ibm.so.3",
        ];
        let mpich = [
            "libmpi.so.12", // MPICH 3 to 5, Intel MPI, MVAPICH, ParaStation
            "libmpi.so.12.5.1",
            "libmpich.so.12",      // Debian
            "libmpi_gnu_91.so.12", // Cray MPICH, with the compiler in its name
            "libmpi_cray.so.12",
            "libmpi_nvidia.so.12",
            "libmpich_gnu_82.so.3",
            "libmpifort.so.12",
            "libmpicxx.so.12",
        ];
        let abi = ["libmpi_abi.so.1", "libmpi_abi.so.1.0", "libmpifort_abi.so.1"];
        let unknown = ["libmpi_abi.so.2", "libmpi.so", "libmpi.so.1"]; // a later ABI; HPE MPT; Open MPI 1.4
        let none = ["libm.so.6", "libmpfr.so.6", "libmpi++abi1002.so"];
        for (names, is) in [
            (&open_mpi[..], Some(Named::Known(Flavour::OpenMpi))),
            (&mpich[..], Some(Named::Known(Flavour::Mpich))),
            (&abi[..], Some(Named::Known(Flavour::Abi))),
            (&unknown[..], Some(Named::Unknown)),
            (&none[..], None),
        ] {
            for name in names {
                assert_eq!(flavour_of_library(name), is, "{name}");
            }
        }
    }

    #[test]
    fn launchers_are_recognised_by_their_version_text() {
        let open = parse_version("mpirun.openmpi (OpenRTE) 4.1.4\n\nReport bugs to http://www.open-mpi.org/\n");
        assert_eq!(open, LauncherVersion { mpi: Some(Flavour::OpenMpi), version: "Open MPI 4.1.4".into() });
        let hydra = parse_version("HYDRA build details:\n    Version:      4.0.2\n    Release Date: x\n");
        assert_eq!(hydra, LauncherVersion { mpi: Some(Flavour::Mpich), version: "MPICH 4.0.2".into() });
        let intel =
            parse_version("Intel(R) MPI Library for Linux* OS, Version 2021.18.1 Build 20260626 (id: b44796a)\n");
        assert_eq!(intel, LauncherVersion { mpi: Some(Flavour::Mpich), version: "Intel MPI 2021.18.1".into() });
        assert_eq!(parse_version("mpirun (Open MPI) 5.0.11\n").version, "Open MPI 5.0.11");
        assert_eq!(parse_version("slurm 22.05.8\n").mpi, None);
    }

    #[test]
    fn this_test_is_an_elf_file_with_no_mpi() {
        let linkage = linkage(&std::env::current_exe().unwrap()).unwrap();
        assert_eq!(linkage.mpi, None);
        assert_eq!(super::linkage(Path::new("/etc/hosts")), None);
    }
}
