//! A program's file: its functions, its variables, and what it imports.

use std::collections::BTreeMap;

use object::{Object as _, ObjectSection, ObjectSymbol, RelocationTarget, SectionKind, SymbolKind};

/// A function with its code.
#[derive(Clone, Debug)]
pub struct Function {
    /// As in the symbol table.
    pub name: String,
    /// Address of its first byte.
    pub address: u64,
    /// Its code.
    pub code: Vec<u8>,
}

/// A variable of the program that a tuning point could set: of 1, 4 or 8 bytes, writable, of its own.
#[derive(Clone, Debug)]
pub struct Variable {
    /// As in the symbol table.
    pub name: String,
    /// Its bytes at start; a variable without initial value is zero.
    pub start: Vec<u8>,
}

/// What is read of a program's file.
#[derive(Debug)]
pub struct Program {
    /// By address.
    pub functions: BTreeMap<u64, Function>,
    /// By address.
    pub variables: BTreeMap<u64, Variable>,
    /// Names of imported functions by the address of the slot through which they are called.
    pub imports: BTreeMap<u64, String>,
    /// Code outside of all functions: the stubs that lead to imported functions. Address and bytes of each section.
    pub sections: Vec<(u64, Vec<u8>)>,
    /// It has no symbol table.
    pub is_stripped: bool,
}

impl Program {
    /// Reads an ELF file of x86-64.
    ///
    /// # Errors
    /// What is wrong with it, as the end of a sentence.
    pub fn read(bytes: &[u8]) -> Result<Program, String> {
        if bytes.starts_with(b"#!") {
            return Err("it is a script; name the program that the script starts".into());
        }
        let file = object::File::parse(bytes).map_err(|_| "it is not a program file (ELF)".to_owned())?;
        if file.architecture() != object::Architecture::X86_64 {
            return Err(format!("it is for {:?}, and points at functions work on x86-64", file.architecture()));
        }
        let mut program = Program {
            functions: BTreeMap::new(),
            variables: BTreeMap::new(),
            imports: imports(&file),
            sections: Vec::new(),
            is_stripped: file.symbols().next().is_none(),
        };
        for section in file.sections().filter(|section| section.kind() == SectionKind::Text) {
            program.sections.push((section.address(), section.data().unwrap_or_default().to_vec()));
        }
        // What the program takes over from a library at its start is the library's.
        let copied: Vec<u64> = file.dynamic_relocations().into_iter().flatten().map(|(at, _)| at).collect();
        // A stripped file still has the symbols that others may use: all functions of most libraries.
        let dynamic = program.is_stripped.then(|| file.dynamic_symbols()).into_iter().flatten();
        for symbol in file.symbols().chain(dynamic) {
            let (Ok(name), address, size) = (symbol.name(), symbol.address(), symbol.size()) else { continue };
            let section = symbol.section_index().and_then(|index| file.section_by_index(index).ok());
            let Some(section) = section.filter(|_| !name.is_empty() && size > 0) else { continue };
            match (symbol.kind(), section.kind()) {
                (SymbolKind::Text, SectionKind::Text) if !name.contains(".cold") => {
                    let code = section.data_range(address, size).ok().flatten().unwrap_or_default().to_vec();
                    // Of several names for one function, the first one stays.
                    program.functions.entry(address).or_insert(Function { name: name.to_owned(), address, code });
                }
                (SymbolKind::Data, SectionKind::Data | SectionKind::UninitializedData)
                    if [1, 4, 8].contains(&size) && !copied.contains(&address) && !is_of_runtime(name) =>
                {
                    let start = section.data_range(address, size).ok().flatten();
                    let start = start.map_or_else(|| vec![0; size as usize], <[u8]>::to_vec);
                    program.variables.insert(address, Variable { name: name.to_owned(), start });
                }
                _ => {}
            }
        }
        Ok(program)
    }

    /// Whether its code calls MPI.
    pub fn calls_mpi(&self) -> bool {
        self.imports.values().any(|name| is_of_mpi(name))
    }

    /// Whether it is a library of MPI itself.
    pub fn is_mpi(&self) -> bool {
        self.functions.values().any(|function| is_of_mpi(&function.name))
    }
}

/// Whether a function is one of MPI's, in C or in Fortran.
fn is_of_mpi(name: &str) -> bool {
    ["MPI_", "PMPI_", "mpi_", "pmpi_"].iter().any(|prefix| name.starts_with(prefix))
}

/// Variables of the C and C++ run-time and of compilers. Those of Fortran's modules (gfortran, flang) and C++'s own begin with an underscore, too.
fn is_of_runtime(name: &str) -> bool {
    let of_module = name.starts_with("__") && name.contains("_MOD_") || name.starts_with("_QM");
    let of_cpp = ["_ZN", "_ZL", "_ZZ"].iter().any(|own| name.starts_with(own)) && !name.starts_with("_ZNSt");
    let underscored = name.starts_with('_') && !of_module && !of_cpp;
    underscored || name.contains('@') || name.starts_with("completed.")
}

fn imports(file: &object::File<'_>) -> BTreeMap<u64, String> {
    use object::ObjectSymbolTable as _;
    let Some(table) = file.dynamic_symbol_table() else { return BTreeMap::new() };
    let relocations = file.dynamic_relocations().into_iter().flatten();
    let name = |target| match target {
        RelocationTarget::Symbol(index) => table.symbol_by_index(index).ok()?.name().ok().map(str::to_owned),
        _ => None,
    };
    relocations.filter_map(|(slot, relocation)| Some((slot, name(relocation.target())?))).collect()
}
