//! Finds functions and variables of this process by name: in the program first, then in its libraries.

#[cfg(any(test, fuzzing))]
pub mod damaged;

use crate::demangle;
use crate::memory::protection;
use crate::objects::{Object, loaded, pin};
use crate::refusal::{Refusal, reason};
use object::{Object as _, ObjectSymbol, SymbolFlags, SymbolKind};
use std::ffi::CString;

/// A symbol type (STT_GNU_IFUNC) that crate `object` does not name: the dynamic linker calls the function to select another.
const STT_GNU_IFUNC: u8 = 10;

/// A function of this process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Function {
    /// As in the symbol table.
    pub name: String,
    /// File name of the program or library that contains it.
    pub object: String,
    /// Address of its code.
    pub address: usize,
    /// Bytes of its code.
    pub size: u64,
    /// Whether other objects can call it by name.
    pub exported: bool,
}

/// A variable of this process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variable {
    /// As in the symbol table.
    pub name: String,
    /// Its address.
    pub address: usize,
    /// Its size, bytes; 0 where the table does not say.
    pub size: u64,
    /// Whether the program may change it.
    pub writable: bool,
}

/// One symbol of one object.
#[derive(Clone, Debug)]
struct Found {
    name: String,
    object: String,
    in_program: bool,
    address: usize,
    /// Its address in the object's file, as `nm` prints it: the same in each process.
    offset: u64,
    size: u64,
    kind: Kind,
    exported: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Function,
    Variable,
    Indirect,
    ThreadLocal,
    Other,
}

/// The function called `name`, in `object` if given.
///
/// # Errors
/// There is none, more than one, or none that can be hooked; the refusal says which.
pub fn function(name: &str, object: Option<&str>) -> Result<Function, Refusal> {
    let f = find(name, object, Kind::Function)?;
    match f.kind {
        Kind::Function => {
            pin(f.address);
            Ok(Function { name: f.name, object: f.object, address: f.address, size: f.size, exported: f.exported })
        }
        Kind::Indirect => Err(Refusal::Indirect(name.into())),
        _ => Err(Refusal::NotAFunction(name.into())),
    }
}

/// Address and length of the cold parts that the compiler split off functions with the name of this one, in its object.
#[cfg_attr(not(target_arch = "x86_64"), allow(dead_code))]
pub(crate) fn cold_parts(function: &Function) -> Vec<(usize, u64)> {
    let cold = format!("{}.cold", function.name);
    let mut found = Vec::new();
    for object in loaded().iter().filter(|object| object.has(function.address)) {
        scan(object, &|symbol| symbol == cold, &mut found);
    }
    found.into_iter().filter(|f| f.kind == Kind::Function).map(|f| (f.address, f.size)).collect()
}

/// All functions with one of these names, in any object, that can be hooked.
pub(crate) fn everywhere(names: &[&str]) -> Vec<Function> {
    let objects = loaded();
    let mut all: Vec<Found> = Vec::new();
    for object in &objects {
        scan(object, &|symbol| names.contains(&symbol), &mut all);
    }
    let functions = all.into_iter().filter(|f| f.kind == Kind::Function);
    let mut list: Vec<Function> = Vec::new();
    for f in functions {
        if !list.iter().any(|known| known.address == f.address) {
            let Found { name, object, address, size, exported, .. } = f;
            pin(address);
            list.push(Function { name, object, address, size, exported });
        }
    }
    list
}

/// The variable called `name`, in `object` if given, of at least `bytes` bytes, or of exactly `bytes` bytes if `exactly`.
///
/// # Errors
/// There is none, more than one, or one of another size; the refusal says which.
pub fn variable(name: &str, object: Option<&str>, bytes: u64, exactly: bool) -> Result<Variable, Refusal> {
    let f = find(name, object, Kind::Variable)?;
    match f.kind {
        Kind::Variable if f.size > 0 && (f.size < bytes || (exactly && f.size != bytes)) => {
            Err(Refusal::Size(name.into(), f.size, bytes))
        }
        Kind::Variable => {
            pin(f.address);
            let writable = protection(f.address).is_some_and(|bits| bits & libc::PROT_WRITE != 0);
            Ok(Variable { name: f.name, address: f.address, size: f.size, writable })
        }
        Kind::ThreadLocal => Err(Refusal::ThreadLocal(name.into())),
        _ => Err(Refusal::NotAVariable(name.into())),
    }
}

fn find(name: &str, object: Option<&str>, kind: Kind) -> Result<Found, Refusal> {
    let all = loaded();
    let own = find as fn(_, _, _) -> _ as usize;
    let alone = all.iter().find(|object| object.has(own)).filter(|object| !object.is_program).map(|object| object.base);
    let wanted = |o: &&Object| object.is_none_or(|name| o.name == name) && Some(o.base) != alone;
    let objects: Vec<&Object> = all.iter().filter(wanted).collect();
    if let (Some(object), true) = (object, objects.is_empty()) {
        return Err(Refusal::NoObject(object.into()));
    }
    let fortran = format!("{name}_");
    let exactly = |symbol: &str| symbol == name;
    let demangled = |symbol: &str| demangle::is(symbol, name);
    let with_underscore = |symbol: &str| symbol == fortran;
    let unqualified = |symbol: &str| demangle::is_but_for_qualifiers(symbol, name);
    let matchers: [&dyn Fn(&str) -> bool; 4] = [&exactly, &with_underscore, &demangled, &unqualified];
    let mut stripped: Vec<String> = Vec::new();
    for matches in matchers {
        let mut found: Vec<Found> = Vec::new();
        stripped.clear();
        for object in &objects {
            if !scan(object, matches, &mut found) {
                stripped.push(object.name.clone());
            }
            // The program's own comes before those of libraries, whose tables are long.
            if found.iter().any(|f| f.in_program && is_right(f, kind)) {
                break;
            }
        }
        if let Some(one) = choose(name, found, kind)? {
            return Ok(one);
        }
    }
    if let Some((object, error)) = objects.iter().find_map(|object| Some((object, object.access_error()?))) {
        return Err(Refusal::Unreadable(name.into(), object.name.clone(), reason(&error)));
    }
    let replaced = objects.iter().filter(|object| object.is_replaced());
    let replaced: Vec<String> = replaced.map(|object| object.name.clone()).collect();
    if !replaced.is_empty() {
        return Err(Refusal::Replaced(name.into(), replaced));
    }
    // A distribution strips its libraries, so the hint names only the program or the object that the user named.
    let program = all.first().map(|program| program.name.as_str());
    stripped.retain(|object_name| object.is_some() || Some(object_name.as_str()) == program);
    if stripped.is_empty() {
        Err(Refusal::NotThere(name.into()))
    } else {
        Err(Refusal::Stripped(name.into(), stripped))
    }
}

/// Whether a symbol is of the kind that is looked for.
fn is_right(found: &Found, kind: Kind) -> bool {
    found.kind == kind || (kind == Kind::Function && found.kind == Kind::Indirect)
}

/// Selects one symbol: the right kind before others, the program before libraries, and among the exports of several libraries the one
/// that the dynamic linker selects.
fn choose(name: &str, mut found: Vec<Found>, kind: Kind) -> Result<Option<Found>, Refusal> {
    if found.iter().any(|f| is_right(f, kind)) {
        found.retain(|f| is_right(f, kind));
    }
    if found.iter().any(|f| f.in_program) {
        found.retain(|f| f.in_program);
    }
    found.sort_by_key(|f| (f.address, !f.exported));
    found.dedup_by_key(|f| f.address);
    if found.len() > 1
        && found.iter().all(|f| f.exported)
        && let Some(address) = lookup(&found[0].name)
        && found.iter().any(|f| f.address == address)
    {
        found.retain(|f| f.address == address);
    }
    // Versions of one function; the dynamic linker selects among some of them at the first call.
    if found.len() > 1 && found.iter().all(|f| f.exported && f.object == found[0].object) {
        found.sort_by_key(|f| f.kind == Kind::Indirect);
        found.drain(..found.len() - 1);
    }
    if found.len() > 1 {
        let places = found.iter().map(|f| format!("{}:{} at {:#x}", f.object, f.name, f.offset)).collect();
        return Err(Refusal::Ambiguous(name.into(), places));
    }
    Ok(found.pop())
}

/// The address to which the dynamic linker resolves a name.
pub(crate) fn lookup(name: &str) -> Option<usize> {
    let name = CString::new(name).ok()?;
    // SAFETY: the name is a C string; RTLD_DEFAULT is always valid.
    let address = unsafe { libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()) } as usize;
    (address != 0).then_some(address)
}

/// Adds the symbols of `object` whose name satisfies `is`; `false` if the object has no full symbol table (stripped).
fn scan(object: &Object, is: &dyn Fn(&str) -> bool, found: &mut Vec<Found>) -> bool {
    object.bytes().is_none_or(|bytes| scan_file(bytes.get(), object, is, found))
}

/// The same for the bytes of its file.
fn scan_file(bytes: &[u8], object: &Object, is: &dyn Fn(&str) -> bool, found: &mut Vec<Found>) -> bool {
    let Ok(file) = object::File::parse(bytes) else { return true };
    let mut all = 0usize;
    let mut take = |symbol: object::Symbol<'_, '_>, dynamic: bool| {
        let Ok(name) = symbol.name() else { return };
        // Dynamic names may carry a version: name@@VERSION.
        let name = name.split('@').next().unwrap_or(name);
        if symbol.is_undefined() || name.is_empty() || !is(name) {
            return;
        }
        let kind = match (symbol.flags(), symbol.kind()) {
            (SymbolFlags::Elf { st_info, .. }, _) if st_info & 0xf == STT_GNU_IFUNC => Kind::Indirect,
            (_, SymbolKind::Text) => Kind::Function,
            (_, SymbolKind::Data) => Kind::Variable,
            (_, SymbolKind::Tls) => Kind::ThreadLocal,
            _ => Kind::Other,
        };
        let address = object.base.wrapping_add(symbol.address() as usize);
        if kind != Kind::ThreadLocal && !object.has(address) {
            return;
        }
        if let Some(known) = found.iter_mut().find(|f| f.address == address && f.name == name) {
            known.exported |= dynamic;
            return;
        }
        found.push(Found {
            name: name.into(),
            object: object.name.clone(),
            in_program: object.is_program,
            address,
            offset: symbol.address(),
            size: symbol.size(),
            kind,
            exported: dynamic,
        });
    };
    for symbol in file.symbols() {
        all += 1;
        take(symbol, false);
    }
    for symbol in file.dynamic_symbols() {
        take(symbol, true);
    }
    all > 0
}
