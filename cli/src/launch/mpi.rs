//! Detects the MPI library: of a launcher by its version text, of a program by its ELF file.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use object::{Object, ObjectSection, ObjectSymbol};

/// Families of MPI libraries with a common binary interface; one libmidrun serves each family.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flavour {
    /// Open MPI.
    OpenMpi,
    /// MPICH and its relatives (Intel MPI, MVAPICH, Cray).
    Mpich,
}

impl Flavour {
    /// Directory that holds the libmidrun of this family.
    pub fn directory(self) -> &'static str {
        match self {
            Flavour::OpenMpi => "openmpi",
            Flavour::Mpich => "mpich",
        }
    }

    /// Name for messages.
    pub fn name(self) -> &'static str {
        match self {
            Flavour::OpenMpi => "Open MPI",
            Flavour::Mpich => "MPICH",
        }
    }
}

/// The libraries that an executable file is linked with, as far as they matter here.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Linkage {
    /// The MPI and the name of its library, if the file names one.
    pub mpi: Option<(Flavour, String)>,
    /// The file is linked with MPI's standard ABI, for which no libmidrun exists.
    pub standard_abi: bool,
    /// The file is linked with libmidrun, as a shared library or statically.
    pub has_midrun: bool,
}

/// Reads an ELF file. Returns `None` if the file is unreadable or no ELF file.
pub fn linkage(path: &Path) -> Option<Linkage> {
    let bytes = std::fs::read(path).ok()?;
    if !bytes.starts_with(b"\x7fELF") {
        return None;
    }
    let file = object::File::parse(bytes.as_slice()).ok()?;
    let mut found = Linkage::default();
    for name in needed(&file) {
        if name.starts_with("libmidrun.so") {
            found.has_midrun = true;
        } else if name.starts_with("libmpi_abi.so") {
            found.standard_abi = true;
        } else if let Some(flavour) = flavour_of_library(&name) {
            found.mpi.get_or_insert((flavour, name));
        }
    }
    found.has_midrun = found.has_midrun || defines_midrun(&file);
    Some(found)
}

/// The MPI behind a library's name. The libmpi of Open MPI has the number 20 or more, that of MPICH 12.
fn flavour_of_library(name: &str) -> Option<Flavour> {
    if name.starts_with("libmpich") {
        return Some(Flavour::Mpich);
    }
    let number: u32 = name.strip_prefix("libmpi.so.")?.split('.').next()?.parse().ok()?;
    Some(if number >= 20 { Flavour::OpenMpi } else { Flavour::Mpich })
}

fn needed(file: &object::File<'_>) -> Vec<String> {
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
fn defines_midrun(file: &object::File<'_>) -> bool {
    let symbols = file.symbols().chain(file.dynamic_symbols());
    let by_symbol = symbols
        .filter(|symbol| symbol.is_definition())
        .any(|symbol| symbol.name().is_ok_and(|name| name == "midrun_status_text"));
    let needle = b"MIDRUN_SOCKET";
    by_symbol
        || file
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

/// Runs a launcher with `--version` and parses its output.
pub fn launcher_version(launcher: &Path) -> LauncherVersion {
    let output = Command::new(launcher).arg("--version").stdin(Stdio::null()).output();
    let text = output
        .map(|output| String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned())
        .unwrap_or_default();
    parse_version(&text)
}

fn parse_version(text: &str) -> LauncherVersion {
    let number = |line: &str| line.split_whitespace().last().unwrap_or("").to_owned();
    let first = text.lines().find(|line| !line.trim().is_empty()).unwrap_or("");
    let says = |words: &[&str]| words.iter().any(|word| text.contains(word));
    if says(&["Open MPI", "OpenRTE", "open-mpi.org", "PRRTE", "prte"]) {
        return LauncherVersion { mpi: Some(Flavour::OpenMpi), version: format!("Open MPI {}", number(first)) };
    }
    if says(&["HYDRA", "Intel(R) MPI", "MVAPICH"]) {
        let line = text.lines().find(|line| line.contains("Version:")).unwrap_or("");
        return LauncherVersion { mpi: Some(Flavour::Mpich), version: format!("MPICH {}", number(line)) };
    }
    LauncherVersion { mpi: None, version: first.to_owned() }
}

/// Path of the `libmidrun.so` for `flavour`.
///
/// # Errors
/// The paths that were tried.
pub fn library(flavour: Flavour, configured: Option<&Path>) -> Result<PathBuf, Vec<PathBuf>> {
    let candidates: Vec<PathBuf> = library_directories(configured)
        .into_iter()
        .map(|directory| directory.join(flavour.directory()).join("libmidrun.so"))
        .collect();
    let found = candidates.iter().find(|path| path.is_file());
    found.and_then(|path| path.canonicalize().ok()).ok_or(candidates)
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
    fn libraries_are_recognised_by_name_and_number() {
        assert_eq!(flavour_of_library("libmpi.so.40"), Some(Flavour::OpenMpi));
        assert_eq!(flavour_of_library("libmpi.so.12"), Some(Flavour::Mpich));
        assert_eq!(flavour_of_library("libmpich.so.12"), Some(Flavour::Mpich));
        assert_eq!(flavour_of_library("libm.so.6"), None);
    }

    #[test]
    fn launchers_are_recognised_by_their_version_text() {
        let open = parse_version("mpirun.openmpi (OpenRTE) 4.1.4\n\nReport bugs to http://www.open-mpi.org/\n");
        assert_eq!(open, LauncherVersion { mpi: Some(Flavour::OpenMpi), version: "Open MPI 4.1.4".into() });
        let hydra = parse_version("HYDRA build details:\n    Version:      4.0.2\n    Release Date: x\n");
        assert_eq!(hydra, LauncherVersion { mpi: Some(Flavour::Mpich), version: "MPICH 4.0.2".into() });
        assert_eq!(parse_version("slurm 22.05.8\n").mpi, None);
    }

    #[test]
    fn this_test_is_an_elf_file_with_no_mpi() {
        let linkage = linkage(&std::env::current_exe().unwrap()).unwrap();
        assert_eq!(linkage.mpi, None);
        assert_eq!(super::linkage(Path::new("/etc/hosts")), None);
    }
}
