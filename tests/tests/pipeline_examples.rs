//! Pipelines that do real work, under `midrun run`: pictures through TurboJPEG and a signal through FFTW, whatever the pattern.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use midrun_tests::process::Ended;
use midrun_tests::skip::skip;
use midrun_tests::{Mpi, Scratch, Summary, each_mpi, under_midrun};

/// An example, and the library that it stands on.
struct Example {
    name: &'static str,
    library: &'static str,
}

const IMAGES: Example = Example { name: "image_pipeline", library: "TurboJPEG" };
const SIGNAL: Example = Example { name: "fft_pipeline", library: "FFTW" };

impl Example {
    /// Runs it on `ranks` ranks under `midrun run`, in the test's directory. Advice only: the pattern is the test's.
    fn run(&self, scratch: &Scratch, mpi: Mpi, ranks: u32, options: &str) -> Ended {
        let mut line = mpi.line(ranks, &mpi.example(self.name));
        line.extend(options.split_whitespace().map(str::to_owned));
        under_midrun(scratch, self.name, &["--dry-run"], &line).wait()
    }

    /// The same, when it should end well: its figures, a line per stream.
    fn figures(&self, scratch: &Scratch, mpi: Mpi, ranks: u32, options: &str) -> Vec<Summary> {
        let ended = self.run(scratch, mpi, ranks, &format!("--check --json {options}"));
        assert_eq!(ended.code, 0, "{mpi:?} {ranks} {options}\n{}\n{}", ended.out, ended.err);
        let lines = ended.out.lines().filter(|line| line.starts_with('{'));
        lines.map(|line| Summary(serde_json::from_str(line).expect("JSON"))).collect()
    }

    /// A directory for a test of it; `None`, counted as skipped, where it is not built.
    fn directory(&self, mpi: Mpi) -> Option<Scratch> {
        let here = mpi.example(self.name).is_file();
        if !here {
            skip(&format!("{} for {} is not here", self.library, self.name));
        }
        here.then(Scratch::new)
    }

    /// It ends with 64 and one sentence of its own that contains `part`.
    fn assert_refused(&self, scratch: &Scratch, mpi: Mpi, options: &str, part: &str) {
        let ended = self.run(scratch, mpi, 3, options);
        let prefixes = [format!("{}: ", self.name), "midrun: the pattern".into()];
        let own = |line: &&str| prefixes.iter().any(|prefix| line.starts_with(prefix));
        let sentences: Vec<&str> = ended.err.lines().filter(own).collect();
        assert_eq!(ended.code, 64, "{options}: {}", ended.err);
        assert!(sentences.len() == 1 && sentences[0].contains(part), "{options}: {}", ended.err);
    }
}

/// What a folder holds.
fn contents(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = fs::read_dir(folder).expect("a folder").flatten();
    let file = |path: &Path| fs::read(path).expect("a file");
    entries.map(|entry| (entry.file_name().display().to_string(), file(&entry.path()))).collect()
}

#[each_mpi]
fn pictures_come_out_the_same_by_every_pattern(mpi: Mpi) {
    let Some(scratch) = IMAGES.directory(mpi) else { return };
    let scratch = &scratch;
    let made = IMAGES.figures(scratch, mpi, 1, "--in in --out alone --make 12 --size 161x120 --seed 3");
    assert_eq!(["inputs", "outputs"].map(|key| made[0].count(&format!("/{key}"))), [12, 12]);
    for (ranks, out, options) in [
        (5, "a", "--runs 2"),
        (7, "b", "--pattern 0,1x3,2,3"),
        (3, "c", ""),
        (8, "d", "--pattern 0,1x4m,2-3"),
        (7, "e", "--team --pattern 0,1x3,2,3"),
        (3, "f", "--team"),
    ] {
        let figures = IMAGES.figures(scratch, mpi, ranks, &format!("--in in --out {out} {options}"));
        assert_eq!(figures.len(), if options.contains("runs") { 2 } else { 1 });
        for stream in figures {
            let counts = ["inputs", "outputs", "changes", "wrong"].map(|key| stream.count(&format!("/{key}")));
            assert_eq!(counts, [12, 12, 0, 0], "{mpi:?} {options}");
        }
        assert_eq!(contents(&scratch.path("alone")), contents(&scratch.path(out)), "{mpi:?} {options}");
    }
}

#[each_mpi]
fn pictures_change_on_their_way_and_each_in_its_own(mpi: Mpi) {
    let Some(scratch) = IMAGES.directory(mpi) else { return };
    let scratch = &scratch;
    IMAGES.figures(scratch, mpi, 5, "--in in --out out --make 5 --size 64x48");
    let (before, after) = (contents(&scratch.path("in")), contents(&scratch.path("out")));
    assert_eq!(before.keys().collect::<Vec<_>>(), after.keys().collect::<Vec<_>>());
    let different: std::collections::BTreeSet<_> = before.values().chain(after.values()).collect();
    assert_eq!(different.len(), 10);
    // Height and width, big-endian, behind a baseline frame's marker, length and precision (ITU-T T.81, B.2.2).
    let at = |file: &[u8]| file.windows(2).position(|pair| pair == [0xff, 0xc0]).expect("a frame");
    let size = |file: &Vec<u8>| file[at(file) + 5..at(file) + 9].to_vec();
    assert!(before.values().all(|file| size(file) == [0, 48, 0, 64]));
    assert!(after.values().all(|file| size(file) == [0, 24, 0, 32]), "half the size");
}

#[each_mpi]
fn a_picture_that_is_none_is_named_and_so_is_one_that_was_cut_off(mpi: Mpi) {
    let Some(scratch) = IMAGES.directory(mpi) else { return };
    let scratch = &scratch;
    IMAGES.figures(scratch, mpi, 3, "--in in --out out --make 9 --size 160x120");
    let whole = fs::read(scratch.path("in/picture000004.jpg")).expect("a picture");
    for (bytes, why) in [(&b"no picture"[..], "Not a JPEG file"), (&whole[..whole.len() / 2], "Premature end")] {
        fs::write(scratch.path("in/picture000004.jpg"), bytes).expect("a file");
        for (ranks, options) in [(7, "--pattern 0x2,1x2,2,3"), (5, ""), (1, "")] {
            let ended = IMAGES.run(scratch, mpi, ranks, &format!("--in in --out out {options}"));
            assert_ne!(ended.code, 0);
            assert!(ended.err.contains("image_pipeline: picture000004.jpg: "), "{}", ended.err);
            assert!(ended.err.contains(why), "{}", ended.err);
            assert!(ended.err.contains("stage 0 (decode) returned 2 for input 4"), "{}", ended.err);
        }
    }
}

#[each_mpi]
fn image_pipeline_refuses_what_makes_no_sense_in_one_sentence(mpi: Mpi) {
    let Some(scratch) = IMAGES.directory(mpi) else { return };
    let scratch = &scratch;
    fs::create_dir(scratch.path("empty")).expect("a folder");
    for (options, part) in [
        ("--in empty", "--out \"\" is not right: a folder is expected"),
        ("--in nowhere --out out", "--in \"nowhere\" is not right: No such file or directory"),
        ("--in empty --out out", "a folder with .jpg or .jpeg files is expected"),
        ("--in empty --out empty", "another folder than that of --in"),
        ("--in empty --out out --size 7x", "--size \"7x\" is not right: WIDTHxHEIGHT from 1x1"),
        ("--in empty --out out --make 0", "--make \"0\" is not right: a whole number from 1 to"),
        ("--in empty --out out --seed", "the option \"--seed\" is not right: it wants a value"),
        ("--in in --out out --make 1 --size 9x9 --pattern 0,1x3,2,3", "it takes 6 ranks where 2 compute"),
        ("--colour", "the option \"--colour\" is not right"),
    ] {
        IMAGES.assert_refused(scratch, mpi, options, part);
    }
}

#[each_mpi]
fn a_signal_is_freed_of_noise_by_every_pattern(mpi: Mpi) {
    let Some(scratch) = SIGNAL.directory(mpi) else { return };
    let scratch = &scratch;
    for (ranks, options) in [
        (6, ""),
        (8, "--pattern 0,1x2,2,3x2,4 --runs 2"),
        (3, ""),
        (1, ""),
        (7, "--pattern 0-3x5,4"),
        (4, "--seed 9 --runs 2"),
    ] {
        for stream in SIGNAL.figures(scratch, mpi, ranks, &format!("--blocks 60 --samples 512 {options}")) {
            let counts = ["inputs", "outputs", "changes", "wrong"].map(|key| stream.count(&format!("/{key}")));
            assert_eq!(counts, [60, 60, 0, 0], "{mpi:?} {options}");
            let [before, after] = ["snr_before_db", "snr_after_db"].map(|key| stream.0[key].as_f64().expect("dB"));
            // Power of the tones 1/2 + 1/8, of the hum 1/2, of the noise 1/3.
            let expected = 10.0 * (0.625_f64 / (0.5 + 1.0 / 3.0)).log10();
            assert!((before - expected).abs() < 0.2, "{before} dB where {expected} dB were put in");
            assert!(after > 15.0, "{after} dB");
        }
    }
}

#[each_mpi]
fn fft_pipeline_refuses_what_makes_no_sense_in_one_sentence(mpi: Mpi) {
    let Some(scratch) = SIGNAL.directory(mpi) else { return };
    let scratch = &scratch;
    for (options, part) in [
        ("--samples 257", "--samples \"257\" is not right: an even number is expected"),
        ("--samples 2.5", "--samples \"2.5\" is not right: a whole number from 256 to 1048576"),
        ("--blocks 1", "--blocks \"1\" is not right: a whole number from 2 to 1000000"),
        ("--runs many", "--runs \"many\" is not right"),
        ("--pattern 0-3,4x2", "stage 4 keeps state and cannot have replicas"),
        ("more", "the argument \"more\" is not right"),
    ] {
        SIGNAL.assert_refused(scratch, mpi, options, part);
    }
}
