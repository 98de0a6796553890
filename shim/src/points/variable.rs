//! Variables of the program by address and type: read and written whole, as numbers.

use super::reference;
use midrun_instrument::Probe;
use midrun_points::{Extent, Type};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU16, AtomicU32, AtomicU64, Ordering};

/// A variable.
#[derive(Clone, Copy, Debug)]
pub struct Variable {
    /// Its address.
    pub address: usize,
    /// Its type.
    pub kind: Type,
}

impl Variable {
    /// Reads its value.
    pub fn read(self) -> f64 {
        from_bits(self.kind, load(self.address, self.kind.bytes()))
    }

    /// Writes a value; a whole-number type takes the nearest.
    pub fn write(self, value: f64) {
        store(self.address, self.kind.bytes(), to_bits(self.kind, value));
    }
}

/// A value that the program holds.
#[derive(Clone, Copy, Debug)]
pub enum Readable {
    /// At any time.
    Variable(Variable),
    /// At the entry of the function that gets it, by its place.
    Argument(u32, Type),
    /// Likewise, what an argument points to.
    Reference(u32, Type),
}

/// What the arguments of a function say of the chunk that a call computes.
#[derive(Clone, Copy)]
pub struct ChunkArguments {
    /// The number of its first task.
    pub first: Option<Readable>,
    /// How many tasks it has; `None`: one.
    pub tasks: Option<(Extent, Readable)>,
}

impl Readable {
    /// Its value; `None` where it is an argument and `probe` is no entry, or where it points to memory that is not surely mapped.
    pub fn read(self, probe: Option<&Probe>) -> Option<f64> {
        match self {
            Readable::Variable(variable) => Some(variable.read()),
            Readable::Argument(place, kind) => Some(from_bits(kind, probe?.argument(place)?)),
            Readable::Reference(place, kind) => {
                let address = probe?.argument(place)? as usize;
                reference::is_readable(address, kind.bytes()).then(|| Variable { address, kind }.read())
            }
        }
    }
}

/// A variable that has another value inside a function than outside, once one is set.
#[derive(Debug)]
pub struct Held {
    variable: Variable,
    /// The bits of the value inside; of NaN: none is set.
    wanted: AtomicU64,
    /// The bits of the program's own value, while the function runs with another.
    own: AtomicU64,
    inside: AtomicBool,
}

impl Held {
    /// With the program's own value inside, too.
    pub fn new(variable: Variable) -> Held {
        let (wanted, own) = (AtomicU64::new(f64::NAN.to_bits()), AtomicU64::new(0));
        Held { variable, wanted, own, inside: AtomicBool::new(false) }
    }

    fn wanted(&self) -> Option<f64> {
        Some(f64::from_bits(self.wanted.load(Ordering::Relaxed))).filter(|value| !value.is_nan())
    }

    /// The value inside.
    pub fn value(&self) -> f64 {
        self.wanted().unwrap_or_else(|| self.variable.read())
    }

    /// Sets the value inside, at the entry of the function.
    pub fn set(&self, value: f64) {
        self.leave();
        self.wanted.store(value.to_bits(), Ordering::Relaxed);
        self.enter();
    }

    /// The program's own value comes back for good.
    pub fn reset(&self) {
        self.leave();
        self.wanted.store(f64::NAN.to_bits(), Ordering::Relaxed);
    }

    /// The function is entered; a call inside a call changes nothing.
    pub fn enter(&self) {
        if let Some(wanted) = self.wanted().filter(|_| !self.inside.swap(true, Ordering::Relaxed)) {
            self.own.store(self.variable.read().to_bits(), Ordering::Relaxed);
            self.variable.write(wanted);
        }
    }

    /// The function is left.
    pub fn leave(&self) {
        if self.inside.swap(false, Ordering::Relaxed) {
            self.variable.write(f64::from_bits(self.own.load(Ordering::Relaxed)));
        }
    }
}

/// The program's own value of an argument, from the first call that was seen.
#[derive(Debug, Default)]
pub struct FirstSeen(OnceLock<f64>);

impl FirstSeen {
    /// The value; `None` before the first call.
    pub fn get(&self) -> Option<f64> {
        self.0.get().copied()
    }

    /// Keeps the first value; true where it is the first.
    pub fn see(&self, value: f64) -> bool {
        value.is_finite() && self.0.set(value).is_ok()
    }
}

/// The bits of a value in the lowest bytes of the word, with the sign extended above them.
pub fn to_bits(kind: Type, value: f64) -> u64 {
    match kind {
        Type::F64 => value.to_bits(),
        Type::F32 => u64::from((value as f32).to_bits()),
        Type::Bool => u64::from(value != 0.0),
        Type::I8 | Type::I16 | Type::I32 | Type::I64 => value.round() as i64 as u64,
        Type::U8 | Type::U16 | Type::U32 | Type::U64 => value.round() as u64,
    }
}

/// The value that the lowest bits of a word have.
pub fn from_bits(kind: Type, bits: u64) -> f64 {
    match kind {
        Type::F64 => f64::from_bits(bits),
        Type::F32 => f64::from(f32::from_bits(bits as u32)),
        Type::I8 => f64::from(bits as i8),
        Type::I16 => f64::from(bits as i16),
        Type::I32 => f64::from(bits as i32),
        Type::I64 => bits as i64 as f64,
        Type::U8 => f64::from(bits as u8),
        Type::U16 => f64::from(bits as u16),
        Type::U32 => f64::from(bits as u32),
        Type::U64 => bits as f64,
        Type::Bool => f64::from(u8::from(bits as u8 != 0)),
    }
}

fn load(address: usize, bytes: usize) -> u64 {
    // SAFETY: a variable of an object that stays loaded. It has so many bytes by the symbol table, or where that gives no size by the
    // line that names it; it is aligned where it is read as an atomic. The program writes it as it likes: a read that is not aligned may be torn, as in its own threads.
    unsafe {
        match bytes {
            1 => u64::from((*(address as *const AtomicU8)).load(Ordering::Relaxed)),
            2 if address.is_multiple_of(2) => u64::from((*(address as *const AtomicU16)).load(Ordering::Relaxed)),
            4 if address.is_multiple_of(4) => u64::from((*(address as *const AtomicU32)).load(Ordering::Relaxed)),
            8 if address.is_multiple_of(8) => (*(address as *const AtomicU64)).load(Ordering::Relaxed),
            2 => u64::from((address as *const u16).read_unaligned()),
            4 => u64::from((address as *const u32).read_unaligned()),
            _ => (address as *const u64).read_unaligned(),
        }
    }
}

fn store(address: usize, bytes: usize, bits: u64) {
    // SAFETY: as in `load`; `tuned` and `variable` in items.rs refuse what lies in memory that cannot be written.
    unsafe {
        match bytes {
            1 => (*(address as *const AtomicU8)).store(bits as u8, Ordering::SeqCst),
            2 if address.is_multiple_of(2) => (*(address as *const AtomicU16)).store(bits as u16, Ordering::SeqCst),
            4 if address.is_multiple_of(4) => (*(address as *const AtomicU32)).store(bits as u32, Ordering::SeqCst),
            8 if address.is_multiple_of(8) => (*(address as *const AtomicU64)).store(bits, Ordering::SeqCst),
            2 => (address as *mut u16).write_unaligned(bits as u16),
            4 => (address as *mut u32).write_unaligned(bits as u32),
            _ => (address as *mut u64).write_unaligned(bits),
        }
    }
}

/// Reads the C string in a buffer of `bytes` bytes.
pub fn read_text(address: usize, bytes: usize) -> String {
    let mut buffer = vec![0u8; bytes];
    // SAFETY: a buffer of an object that stays loaded, of at least so many bytes (as in `load`). It is copied out, for the program may
    // write it at any time.
    unsafe { std::ptr::copy_nonoverlapping(address as *const u8, buffer.as_mut_ptr(), bytes) };
    let end = buffer.iter().position(|byte| *byte == 0).unwrap_or(bytes);
    String::from_utf8_lossy(&buffer[..end]).into_owned()
}

/// Writes a C string, cut to the buffer; the rest of the buffer becomes zero.
pub fn write_text(address: usize, bytes: usize, text: &str) {
    let mut buffer = vec![0u8; bytes];
    let length = text.len().min(bytes.saturating_sub(1));
    buffer[..length].copy_from_slice(&text.as_bytes()[..length]);
    // SAFETY: as above, and it is no constant. The thread of the safe point does not use it meanwhile; another thread of the program
    // that does so may see a part of the new text, which ends inside the buffer all the same.
    unsafe { std::ptr::copy_nonoverlapping(buffer.as_ptr(), address as *mut u8, bytes) };
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn what_is_written_is_read_and_the_neighbours_stay(at in 0usize..11, offset in 0usize..8, value in any::<f64>()) {
            let kind = Type::ALL[at].0;
            let all = kind.holds();
            let value = if value.is_nan() { 0.0 } else { value.clamp(all.minimum, all.maximum) };
            let value = if kind.is_whole() { value.round() } else { value };
            let mut memory = [0xa5u8; 24];
            let variable = Variable { address: memory.as_mut_ptr() as usize + offset, kind };
            variable.write(value);
            let expected = if kind == Type::F32 { f64::from(value as f32) } else { value };
            prop_assert_eq!(variable.read(), expected);
            let inside = offset..offset + kind.bytes();
            prop_assert!(memory.iter().enumerate().all(|(k, byte)| inside.contains(&k) || *byte == 0xa5));
        }
    }

    #[test]
    fn a_value_inside_a_function_leaves_the_programs_own_outside() {
        let mut memory = 3i32;
        let held = Held::new(Variable { address: (&raw mut memory) as usize, kind: Type::I32 });
        let now = || held.variable.read();
        held.enter();
        assert_eq!((now(), held.value()), (3.0, 3.0));
        held.leave();
        // The program changes it before the first value is set.
        held.variable.write(4.0);
        held.set(2.0);
        held.enter();
        assert_eq!(now(), 2.0, "a call inside the call");
        held.leave();
        assert_eq!((now(), held.value()), (4.0, 2.0));
        held.variable.write(5.0);
        held.enter();
        held.leave();
        assert_eq!(now(), 5.0);
        held.enter();
        held.reset();
        assert_eq!((now(), held.value()), (5.0, 5.0));
    }

    #[test]
    fn a_text_is_cut_to_its_buffer_and_ended() {
        let mut memory = [b'x'; 8];
        let address = memory.as_mut_ptr() as usize;
        write_text(address, 6, "abcdefgh");
        assert_eq!((&memory[..], read_text(address, 6).as_str()), (&b"abcde\0xx"[..], "abcde"));
    }
}
