//! The attribute that makes one test per MPI out of one function.

use proc_macro::{TokenStream, TokenTree};

/// Turns `fn story(mpi: Mpi)` into the tests `story::openmpi` and `story::mpich`, which run in parallel and fail apart.
#[proc_macro_attribute]
pub fn each_mpi(_: TokenStream, function: TokenStream) -> TokenStream {
    let mut tokens = function.clone().into_iter();
    let is_fn = |token: &TokenTree| matches!(token, TokenTree::Ident(word) if word.to_string() == "fn");
    let name = tokens.find(is_fn).and_then(|_| tokens.next()).expect("#[each_mpi] stands before a function");
    let tests = format!(
        "mod {name} {{
            #[test] fn openmpi() {{ midrun_tests::mpi::run_with(midrun_tests::Mpi::OpenMpi, super::{name}); }}
            #[test] fn mpich() {{ midrun_tests::mpi::run_with(midrun_tests::Mpi::Mpich, super::{name}); }}
        }}"
    );
    let tests: TokenStream = tests.parse().expect("a module of two tests");
    function.into_iter().chain(tests).collect()
}
