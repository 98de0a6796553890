//! Words of a command that need not be UTF-8, such as a file's name in an old encoding: a job gets them byte for byte.
//!
//! Within midrun such a word is text, in which each byte that is no UTF-8 stands as a private character of plane 16, where no font and no text
//! has any. The bytes of such a character that is in the word by itself stand so, too.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};

use clap::builder::{OsStringValueParser, TypedValueParser};

/// The character for byte 0.
const FIRST: u32 = 0x10_ff00;

fn of_byte(byte: u8) -> char {
    char::from_u32(FIRST + u32::from(byte)).unwrap_or(char::REPLACEMENT_CHARACTER)
}

fn byte_of(character: char) -> Option<u8> {
    u8::try_from(u32::from(character).checked_sub(FIRST)?).ok()
}

/// Reads a flag's values.
pub fn parser() -> impl TypedValueParser<Value = String> {
    OsStringValueParser::new().map(|word| write(&word))
}

/// A word as text.
pub fn write(word: &OsStr) -> String {
    let mut text = String::new();
    for chunk in word.as_bytes().utf8_chunks() {
        for character in chunk.valid().chars() {
            match byte_of(character) {
                None => text.push(character),
                Some(_) => text.extend(character.encode_utf8(&mut [0; 4]).bytes().map(of_byte)),
            }
        }
        text.extend(chunk.invalid().iter().copied().map(of_byte));
    }
    text
}

/// The word of a text.
pub fn read(text: &str) -> OsString {
    let mut bytes = Vec::with_capacity(text.len());
    for character in text.chars() {
        match byte_of(character) {
            Some(byte) => bytes.push(byte),
            None => bytes.extend(character.encode_utf8(&mut [0; 4]).bytes()),
        }
    }
    OsString::from_vec(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_stays_as_it_is_and_every_word_comes_back() {
        assert_eq!(write(OsStr::new("--n\u{e9}e={tile}")), "--n\u{e9}e={tile}");
        assert_eq!(write(OsStr::from_bytes(b"caf\xe9.dat")), "caf\u{10ffe9}.dat");
        let whole = "a\u{10ffe9}\u{fffd}b".as_bytes();
        let mut words: Vec<Vec<u8>> = (0..whole.len()).map(|end| whole[..end].to_vec()).collect();
        words.extend((0..=255).map(|byte| vec![byte, 0x80, byte, b'x']));
        for word in words.into_iter().map(OsString::from_vec) {
            assert_eq!(read(&write(&word)), word, "{word:?}");
        }
    }
}
