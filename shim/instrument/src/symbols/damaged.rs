//! Damaged files of libraries. For a mutation loop and for a target of `tests/fuzz`.

use super::{Found, Kind, Object, loaded, scan_file};
use std::sync::OnceLock;

/// The loaded object whose file is the smallest, and that file.
fn smallest() -> &'static (Object, Vec<u8>) {
    static SMALLEST: OnceLock<(Object, Vec<u8>)> = OnceLock::new();
    SMALLEST.get_or_init(|| {
        let files = loaded().into_iter().filter_map(|object| object.bytes().map(|file| (object, file.get().to_vec())));
        files.min_by_key(|(_, file)| file.len()).expect("a loaded file")
    })
}

/// The file of a loaded library, read as far as it makes sense; how many symbols it names. Only addresses of the loaded object are taken for
/// its code and variables.
pub fn library(bytes: &[u8]) -> usize {
    let (object, _) = smallest();
    let mut found = Vec::new();
    scan_file(bytes, object, &|name| name.len() % 3 == 0, &mut found);
    let is_outside = |f: &Found| f.kind != Kind::ThreadLocal && !object.has(f.address);
    assert!(!found.iter().any(is_outside), "an address outside the library");
    found.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use midrun_mutations::damaged;

    #[test]
    fn damaged_files_of_libraries_are_read_as_far_as_they_make_sense() {
        let (object, file) = smallest();
        assert!(library(file) > 0, "{} has symbols", object.name);
        let read = |bytes: &[u8]| {
            library(bytes);
        };
        damaged("library", &[file], read);
        // The tables are at the end, where a random place hardly ever lies.
        let (head, tail) = file.split_at(file.len().saturating_sub(4096));
        damaged("library_end", &[tail], |damaged| read(&[head, damaged].concat()));
        damaged("library_head", &[&file[..64]], |damaged| read(&[damaged, &file[64..]].concat()));
    }
}
