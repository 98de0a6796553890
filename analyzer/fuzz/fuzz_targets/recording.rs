//! Any bytes as a recording: read, replayed, and its windows taken; once as they are, once as the contents of sound frames.
#![no_main]

use libfuzzer_sys::fuzz_target;
use midrun_analyzer::catalogue::from_catalogue;
use midrun_analyzer::recording::{FORMAT, MAGIC, Reader, job, replay, windows};
use midrun_tunlets::TuningOptions;

fn read(file: &[u8]) {
    let Ok(reader) = Reader::new(file) else { return };
    let Ok(job) = job(reader, None) else { return };
    let options = TuningOptions { tunlet: String::new(), technique: String::new(), objective: String::new(), ..TuningOptions::default() };
    if let Ok(reader) = Reader::new(file) {
        let _ = replay(reader, &job, &options, from_catalogue);
    }
    if let Ok(reader) = Reader::new(file) {
        let _ = windows(reader, &job);
    }
}

/// What is parted by four bytes of 255 as frames with the right checksums, which no fuzzer guesses.
fn framed(bytes: &[u8]) -> Vec<u8> {
    let mut file = [&MAGIC[..], &FORMAT.to_le_bytes()].concat();
    let mut rest = bytes;
    while !rest.is_empty() {
        let end = rest.windows(4).position(|part| part == [255; 4]);
        let (content, after) = end.map_or((rest, &rest[rest.len()..]), |end| (&rest[..end], &rest[end + 4..]));
        let length = (content.len() as u32).to_le_bytes();
        let mut sum = crc32fast::Hasher::new();
        sum.update(&length);
        sum.update(content);
        file.extend(length);
        file.extend(sum.finalize().to_le_bytes());
        file.extend(content);
        rest = after;
    }
    file
}

fuzz_target!(|bytes: &[u8]| {
    read(bytes);
    read(&framed(bytes));
});
