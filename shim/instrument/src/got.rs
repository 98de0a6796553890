//! A function's slots in the global offset tables of other objects: the addresses through which those call it.

use crate::memory::{protection, writable};
use crate::objects::loaded;
use crate::refusal::Refusal;
use crate::symbols::{Function, lookup};
use object::{Object as _, ObjectSymbol, ObjectSymbolTable, RelocationFlags, RelocationTarget};
use std::sync::atomic::{AtomicUsize, Ordering};

/// The slots of one function.
#[derive(Debug)]
pub struct Slots {
    /// Their addresses.
    places: Vec<usize>,
    function: usize,
    stub: usize,
    is_in: bool,
}

impl Slots {
    /// The slots of `function`; `None` where no object calls it through one.
    pub fn of(function: &Function, stub: usize) -> Option<Slots> {
        if lookup(&function.name) != Some(function.address) {
            return None; // calls by that name go elsewhere
        }
        let own = Slots::of as fn(_, _) -> _ as usize;
        let objects = loaded();
        let others = objects.iter().filter(|object| object.is_program || !object.has(own));
        let places: Vec<usize> = others.flat_map(|object| in_object(object, &function.name)).collect();
        (!places.is_empty()).then_some(Slots { places, function: function.address, stub, is_in: false })
    }

    /// Whether they hold the stub's address.
    pub fn is_in(&self) -> bool {
        self.is_in
    }

    /// Writes the stub's address into the slots.
    ///
    /// # Errors
    /// The system's.
    pub fn insert(&mut self) -> Result<(), Refusal> {
        self.write(self.stub)?;
        self.is_in = true;
        Ok(())
    }

    /// Writes the function's address into the slots.
    ///
    /// # Errors
    /// The system's.
    pub fn remove(&mut self) -> Result<(), Refusal> {
        self.write(self.function)?;
        self.is_in = false;
        Ok(())
    }

    fn write(&self, address: usize) -> Result<(), Refusal> {
        for &place in &self.places {
            let Some(protection) = protection(place) else { continue };
            // SAFETY: a slot of a loaded object, aligned and writable now; threads read it as one word, and it is written as one.
            let put = || unsafe { &*(place as *const AtomicUsize) }.store(address, Ordering::SeqCst);
            if protection & libc::PROT_WRITE != 0 { put() } else { writable(place, 8, protection, put)? }
        }
        Ok(())
    }
}

fn in_object(object: &crate::objects::Object, name: &str) -> Vec<usize> {
    let Some(bytes) = object.bytes() else { return Vec::new() };
    let Ok(file) = object::File::parse(bytes.get()) else { return Vec::new() };
    let (Some(relocations), Some(symbols)) = (file.dynamic_relocations(), file.dynamic_symbol_table()) else {
        return Vec::new();
    };
    let leads = |relocation: &object::Relocation| {
        let RelocationTarget::Symbol(index) = relocation.target() else { return false };
        let kind = match relocation.flags() {
            RelocationFlags::Elf { r_type } => r_type,
            _ => return false,
        };
        let is_slot = [object::elf::R_X86_64_GLOB_DAT, object::elf::R_X86_64_JUMP_SLOT].contains(&kind);
        is_slot && symbols.symbol_by_index(index).ok().and_then(|symbol| symbol.name().ok()) == Some(name)
    };
    let slots = relocations.filter(|(_, relocation)| leads(relocation));
    slots.map(|(offset, _)| object.base + offset as usize).filter(|place| object.has(*place)).collect()
}
