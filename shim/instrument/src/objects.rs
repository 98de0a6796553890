//! The program and its libraries as they are loaded: their files and their addresses.

use object::Object as _;
use std::collections::BTreeSet;
use std::ffi::{CStr, CString, c_int, c_void};
use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;
use std::sync::Mutex;

/// A loaded program or library.
#[derive(Clone, Debug)]
pub struct Object {
    /// Its file name, without directories.
    pub name: String,
    /// Its file.
    path: PathBuf,
    /// Added to the addresses in its symbol table.
    pub base: usize,
    /// Whether it is the program.
    pub is_program: bool,
    /// Begin and end of each loaded segment.
    segments: Vec<(usize, usize)>,
    /// What its linker wrote into it to tell builds apart; empty where it did not.
    build_id: Vec<u8>,
    /// Its dynamic section, 0 where it has none.
    pub dynamic: usize,
}

impl Object {
    /// Whether `address` lies in it.
    pub fn has(&self, address: usize) -> bool {
        self.segments.iter().any(|&(from, to)| (from..to).contains(&address))
    }

    /// Its file's bytes; `None` where it cannot be read, or is not the one that was loaded: its addresses would be wrong.
    pub fn bytes(&self) -> Option<Bytes> {
        Bytes::of(&File::open(&self.path).ok()?).filter(|bytes| !self.differs(bytes))
    }

    /// Why the system does not let its file be read; `None` where it does, or where there is no such file, as of what the kernel loads.
    pub fn access_error(&self) -> Option<io::Error> {
        File::open(&self.path).err().filter(|error| error.kind() == io::ErrorKind::PermissionDenied)
    }

    /// Whether another build has taken the place of its file since it was loaded.
    pub fn is_replaced(&self) -> bool {
        File::open(&self.path).ok().and_then(|file| Bytes::of(&file)).is_some_and(|bytes| self.differs(&bytes))
    }

    fn differs(&self, bytes: &Bytes) -> bool {
        if self.build_id.is_empty() {
            return !self.is_content(bytes);
        }
        let file = object::File::parse(bytes.get());
        file.as_ref().ok().and_then(|file| file.build_id().ok().flatten()) != Some(&self.build_id)
    }

    /// Whether the memory that is not written has the file's bytes. Looked at once for a file: hooks change the memory later.
    fn is_content(&self, bytes: &Bytes) -> bool {
        static KNOWN: Mutex<BTreeSet<(usize, Identity)>> = Mutex::new(BTreeSet::new());
        let mut known = KNOWN.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        let is_known = known.contains(&(self.base, bytes.identity));
        if !is_known && is_loaded_from(self.base, bytes.get()) {
            known.insert((self.base, bytes.identity));
            return true;
        }
        is_known
    }
}

/// Device, number, bytes and time of change of a file.
type Identity = (u64, u64, u64, i64, i64);

/// Whether the object at `base` has the bytes of `file` wherever it cannot be written.
fn is_loaded_from(base: usize, file: &[u8]) -> bool {
    let mut question = (base, file, false);
    // SAFETY: `compare` casts the pointer back to the question, which outlives the call.
    unsafe { libc::dl_iterate_phdr(Some(compare), (&raw mut question).cast()) };
    question.2
}

unsafe extern "C" fn compare(info: *mut libc::dl_phdr_info, _: usize, data: *mut c_void) -> c_int {
    // SAFETY: the dynamic linker passes a description that is valid during the call, and the pointer to the question that
    // `is_loaded_from` gave it; nobody else uses that meanwhile.
    let (info, (base, file, answer)) = unsafe { (&*info, &mut *data.cast::<(usize, &[u8], bool)>()) };
    if info.dlpi_addr as usize != *base {
        return 0;
    }
    // SAFETY: the linker's array has `dlpi_phnum` headers.
    let headers = unsafe { std::slice::from_raw_parts(info.dlpi_phdr, info.dlpi_phnum.into()) };
    let is_constant = |header: &&libc::Elf64_Phdr| {
        header.p_type == libc::PT_LOAD && header.p_flags & (libc::PF_R | libc::PF_W) == libc::PF_R
    };
    *answer = headers.iter().filter(is_constant).all(|header| {
        let (offset, length) = (header.p_offset as usize, header.p_filesz as usize);
        // SAFETY: a loaded segment that can be read. The linker unloads nothing during this call; only hooks and tools write there.
        let memory = unsafe { std::slice::from_raw_parts((*base + header.p_vaddr as usize) as *const u8, length) };
        file.get(offset..offset.saturating_add(length)) == Some(memory)
    });
    1
}

/// Keeps the library that has this address loaded for the rest of the process: its code and variables are about to be used.
pub fn pin(address: usize) {
    let all = loaded();
    let owner = all.iter().find(|object| object.has(address)).filter(|object| !object.is_program);
    let Some(path) = owner.and_then(|owner| CString::new(owner.path.as_os_str().as_bytes()).ok()) else { return };
    // SAFETY: the name is a C string. Nothing is loaded and no code runs: the library only loses the right to be unloaded.
    unsafe { libc::dlopen(path.as_ptr(), libc::RTLD_LAZY | libc::RTLD_NOLOAD | libc::RTLD_NODELETE) };
}

/// The build id among the notes of one segment; empty without one.
fn build_id(mut notes: &[u8]) -> Vec<u8> {
    const BUILD_ID: u32 = 3;
    const HEAD: usize = 12;
    while let Some((head, rest)) = notes.split_at_checked(HEAD) {
        let word = |at: usize| u32::from_le_bytes([head[at], head[at + 1], head[at + 2], head[at + 3]]);
        let (name, description) = (word(0) as usize, word(4) as usize);
        let begin = name.next_multiple_of(4);
        let Some(bytes) = rest.get(begin..begin.saturating_add(description)) else { break };
        if word(8) == BUILD_ID && rest.starts_with(b"GNU\0") {
            return bytes.to_vec();
        }
        notes = rest.get(begin + description.next_multiple_of(4)..).unwrap_or_default();
    }
    Vec::new()
}

/// A file, mapped to be read.
pub struct Bytes {
    start: *mut c_void,
    length: usize,
    identity: Identity,
}

impl Bytes {
    fn of(file: &File) -> Option<Bytes> {
        let data = file.metadata().ok()?;
        let identity = (data.dev(), data.ino(), data.len(), data.mtime(), data.mtime_nsec());
        let length = data.len() as usize;
        if length == 0 {
            return None;
        }
        // SAFETY: the kernel chooses the address of a new mapping, so no other memory is replaced; the result is checked.
        let start = unsafe {
            libc::mmap(std::ptr::null_mut(), length, libc::PROT_READ, libc::MAP_PRIVATE, file.as_raw_fd(), 0)
        };
        (start != libc::MAP_FAILED).then_some(Bytes { start, length, identity })
    }

    /// The bytes.
    pub fn get(&self) -> &[u8] {
        // SAFETY: the range is mapped as long as `self` lives, and this process does not write to it. What another process writes into
        // the file may show here, and where it shortens the file a read ends the program (SIGBUS). Package tools replace a library's
        // file instead: the dynamic linker's own mapping of it has the same need.
        unsafe { std::slice::from_raw_parts(self.start.cast(), self.length) }
    }
}

impl Drop for Bytes {
    fn drop(&mut self) {
        // SAFETY: `of` made this mapping; slices of it borrow `self`, so none is left.
        unsafe { libc::munmap(self.start, self.length) };
    }
}

/// Begin and end of each segment of everything that is loaded.
pub fn segments() -> Vec<(usize, usize)> {
    loaded().into_iter().flat_map(|object| object.segments).collect()
}

/// Everything that is loaded, the program first.
pub fn loaded() -> Vec<Object> {
    let mut all: Vec<Object> = Vec::new();
    // SAFETY: `visit` casts the pointer back to the vector, which outlives the call.
    unsafe { libc::dl_iterate_phdr(Some(visit), (&raw mut all).cast()) };
    all
}

unsafe extern "C" fn visit(info: *mut libc::dl_phdr_info, _: usize, data: *mut c_void) -> c_int {
    // SAFETY: the dynamic linker passes a description that is valid during the call, and the pointer to the vector that `loaded` gave
    // it; nobody else uses the vector meanwhile.
    let (info, all) = unsafe { (&*info, &mut *data.cast::<Vec<Object>>()) };
    let is_program = all.is_empty();
    let path = if is_program || info.dlpi_name.is_null() {
        PathBuf::from("/proc/self/exe")
    } else {
        // SAFETY: the name is not NULL, so it is a C string of the dynamic linker.
        PathBuf::from(unsafe { CStr::from_ptr(info.dlpi_name) }.to_string_lossy().into_owned())
    };
    let shown = if is_program { std::fs::read_link(&path).unwrap_or_else(|_| path.clone()) } else { path.clone() };
    let name = shown.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let base = info.dlpi_addr as usize;
    let mut object = Object { name, path, base, is_program, segments: Vec::new(), build_id: Vec::new(), dynamic: 0 };
    let mut notes = Vec::new();
    for k in 0..usize::from(info.dlpi_phnum) {
        // SAFETY: the linker's array has `dlpi_phnum` headers.
        let header = unsafe { &*info.dlpi_phdr.add(k) };
        let from = base + header.p_vaddr as usize;
        match header.p_type {
            libc::PT_LOAD => object.segments.push((from, from + header.p_memsz as usize)),
            libc::PT_DYNAMIC => object.dynamic = from,
            libc::PT_NOTE if header.p_flags & libc::PF_R != 0 => notes.push((from, header.p_memsz as usize)),
            _ => {}
        }
    }
    let is_mapped = |(from, length): &(usize, usize)| *length > 0 && object.has(*from) && object.has(from + length - 1);
    // SAFETY: these notes lie in loaded segments and are to be read. The linker unloads nothing during this call, and nobody writes notes.
    let texts = notes
        .into_iter()
        .filter(is_mapped)
        .map(|(from, length)| unsafe { std::slice::from_raw_parts(from as *const u8, length) });
    object.build_id = texts.map(build_id).find(|id| !id.is_empty()).unwrap_or_default();
    all.push(object);
    0
}
