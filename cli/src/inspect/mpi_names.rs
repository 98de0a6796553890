//! Names of MPI's functions, as C and Fortran have them.

/// MPI functions that reach no other rank, or only at the start and end of a program, by how their names begin.
const LOCAL: [&str; 30] = [
    "Init",
    "Finalize",
    "Comm_",
    "Group_",
    "Type_",
    "Info_",
    "Op_",
    "Err",
    "Wtime",
    "Wtick",
    "Get_",
    "Abort",
    "Query_",
    "Is_thread",
    "Pack",
    "Unpack",
    "Address",
    "Status_",
    "Attr_",
    "Keyval_",
    "Cart_",
    "Dims_",
    "Topo_",
    "Graph_",
    "Alloc_mem",
    "Free_mem",
    "Buffer_",
    "Request_",
    "Cancel",
    "File_",
];

/// The part of the name of an MPI function that follows `MPI_`, in the case of C. Fortran's names end in underscores.
pub fn mpi(name: &str) -> Option<&str> {
    let prefixes = ["MPI_", "PMPI_", "mpi_", "pmpi_"];
    let rest = prefixes.iter().find_map(|prefix| name.strip_prefix(prefix))?;
    // Of Fortran's modules, too.
    Some(rest.trim_end_matches('_').trim_end_matches("_f08ts").trim_end_matches("_f08"))
}

/// Whether a function is one of MPI that reaches other ranks.
pub fn reaches_others(name: &str) -> bool {
    let local =
        |rest: &str| LOCAL.iter().any(|local| rest.get(..local.len()).is_some_and(|of| of.eq_ignore_ascii_case(local)));
    mpi(name).is_some_and(|rest| !local(rest))
}

/// Whether an MPI function sends or receives a message, or waits for one.
pub fn is_message(name: &str) -> bool {
    let name = mpi(name).unwrap_or_default().to_ascii_lowercase();
    ["send", "recv", "probe", "wait", "test", "start"].iter().any(|part| name.contains(part))
}

/// The name of an MPI function in C.
pub fn as_in_c(name: &str) -> Option<String> {
    let rest = mpi(name)?.to_ascii_lowercase();
    let (first, rest) = rest.split_at_checked(1)?;
    Some(format!("MPI_{}{rest}", first.to_ascii_uppercase()))
}
