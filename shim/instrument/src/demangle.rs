//! C++ names as people write them.

use cpp_demangle::{DemangleOptions, Symbol};
use std::fmt;

/// Longest name that is looked at, bytes: a short symbol can stand for a name of any length.
const LONGEST: usize = 1 << 16;

/// Whether the mangled `symbol` is called `wanted`: with its parameters, without spaces, or without parameters.
pub fn is(symbol: &str, wanted: &str) -> bool {
    is_called(symbol, wanted, |name| name == wanted || without_parameters(name) == wanted)
}

/// The same of a member function whose qualifiers behind its parameters (`const`, `&`) are not in `wanted`.
pub fn is_but_for_qualifiers(symbol: &str, wanted: &str) -> bool {
    let without = |name: &str| {
        let name = name.trim_end_matches('&');
        let name = name.strip_suffix("volatile").unwrap_or(name);
        name.strip_suffix("const").unwrap_or(name) == wanted
    };
    wanted.ends_with(')') && is_called(symbol, wanted, without)
}

fn is_called(symbol: &str, wanted: &str, is: impl Fn(&str) -> bool) -> bool {
    // Parts that the compiler split off have a point in their name.
    if !symbol.starts_with("_Z") || symbol.contains('.') || !symbol.contains(last_word(wanted)) {
        return false;
    }
    // The demangler bounds its recursion. A panic would reach the program.
    let Ok(Some(name)) = std::panic::catch_unwind(|| demangled(symbol)) else { return false };
    is(&name)
}

/// The name before its parameters. Parentheses in template arguments (`f<void(int)>`), of `operator()`, and of a function around what is named
/// (`f(int)::{lambda(int)#1}`) belong to the name.
fn without_parameters(name: &str) -> &str {
    let mut depth = 0usize;
    for (at, c) in name.char_indices() {
        let before = &name[..at];
        let is_of_name =
            || before.ends_with("operator") || name[at..].starts_with("(anonymous") || is_around(&name[at..]);
        match c {
            _ if before.trim_end_matches(['<', '>', '-', '=']).ends_with("operator") && matches!(c, '<' | '>') => {}
            '(' if depth == 0 && !is_of_name() => return before,
            '<' | '{' | '(' => depth += 1,
            '>' | '}' | ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    name
}

/// Whether these are the parameters of a function that has something inside: a lambda, a class, a static variable.
fn is_around(parameters: &str) -> bool {
    let mut depth = 0i32;
    let ends = |c: char| {
        depth += i32::from(c == '(') - i32::from(c == ')');
        depth == 0
    };
    let rest = parameters.find(ends).map_or("", |end| &parameters[end + 1..]);
    rest.trim_start_matches("const").trim_start_matches("volatile").trim_start_matches('&').starts_with("::")
}

/// The last identifier before the parameters; a mangled name contains it.
fn last_word(name: &str) -> &str {
    let name = without_parameters(name);
    let name = name.split('<').next().unwrap_or(name);
    let end = name.rsplit("::").next().unwrap_or(name);
    let is_word = !end.is_empty() && end.chars().all(|c| c.is_alphanumeric() || c == '_');
    if is_word { end } else { "" }
}

/// A name without its spaces, at most [`LONGEST`] bytes.
struct Name(String);

impl fmt::Write for Name {
    fn write_str(&mut self, part: &str) -> fmt::Result {
        self.0.extend(part.chars().filter(|c| *c != ' '));
        if self.0.len() > LONGEST { Err(fmt::Error) } else { Ok(()) }
    }
}

fn demangled(symbol: &str) -> Option<String> {
    let mut name = Name(String::new());
    // The return type stands in the symbols of templates only, and nobody writes it.
    Symbol::new(symbol).ok()?.structured_demangle(&mut name, &DemangleOptions::new().no_return_type()).ok()?;
    Some(mended(name.0))
}

/// The demangler writes `A&::B` for `A::B&` where the symbol named A before: moves the reference to the end of the type.
fn mended(mut name: String) -> String {
    while let Some(at) = name.find("&::") {
        name.remove(at);
        let mut depth = 0;
        let ends = |c: char| {
            depth += i32::from(c == '<' || c == '(');
            depth -= i32::from(c == '>' || c == ')');
            depth < 0 || (depth == 0 && matches!(c, ',' | '&' | '*'))
        };
        let end = name[at..].find(ends).map_or(name.len(), |length| at + length);
        name.insert(end, '&');
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_symbol_is_found_by_the_name_that_a_person_writes() {
        let symbol = "_ZNK5space6Solver4stepERKSt6vectorIdSaIdEEi";
        assert!(is(symbol, "space::Solver::step"));
        assert!(is(symbol, "space::Solver::step(std::vector<double,std::allocator<double>>const&,int)const"));
        assert!(!is(symbol, "space::Solver::step(int)") && !is(symbol, "Solver::step") && !is(symbol, "step"));
        let shorter = "space::Solver::step(std::vector<double,std::allocator<double>>const&,int)";
        assert!(!is(symbol, shorter) && is_but_for_qualifiers(symbol, shorter));
        assert!(is_but_for_qualifiers("_ZNVKR1A1fEv", "A::f()"), "{:?}", demangled("_ZNVKR1A1fEv"));
        assert!(!is_but_for_qualifiers("_ZNK1A1fEi", "A::f()"));
        assert!(!is("_ZNK5space6Solver4stepEi.cold", "space::Solver::step"), "a part that the compiler split off");
        assert!(is("_ZN5spaceplERKNS_1AES2_", "space::operator+"));
        assert!(
            is("_Z5scaleIdEdPT_i", "scale<double>"),
            "a template's symbol has its return type, which nobody writes"
        );
        assert!(is("_Z5scaleIdEdPT_i", "scale<double>(double*,int)"));
        assert!(is("_ZN2ns4pairIidEEbT_T0_", "ns::pair<int,double>"));
        assert!(is("_Z3runIFviEEiT_", "run<void(int)>"), "{:?}", demangled("_Z3runIFviEEiT_"));
        assert!(is("_ZN1AclEi", "A::operator()"));
        let lambda = "_ZZN2mc11Coordinator10generationEiiENKUliE_clEi";
        assert!(!is(lambda, "mc::Coordinator::generation"), "a lambda in a function is not the function");
        assert!(is(lambda, "mc::Coordinator::generation(int,int)::{lambda(int)#1}::operator()"));
        assert!(is("_ZZ4stepvE5calls", "step()::calls"), "{:?}", demangled("_ZZ4stepvE5calls"));
        assert!(!is("_ZZ4stepvE5calls", "step"), "nor is its static variable");
        assert!(is("_ZN12_GLOBAL__N_14stepEi", "(anonymousnamespace)::step"));
        assert!(is("_Z2g2PKN2ns1AERNS0_1BE", "g2(ns::Aconst*,ns::A::B&)"));
    }

    #[test]
    fn symbols_that_recurse_or_grow_without_bound_are_no_name() {
        assert!(!is(&format!("_Z1f{}i", "P".repeat(1 << 20)), "f"));
        // Each pair names the one before it twice.
        let doubling = (0..40).fold("_Z1fI1AE".to_owned(), |text, _| text + "St4pairIS_S_E");
        assert!(!is(&doubling, "g"));
        assert!(!is("_Z1f", "f(") && !is("_Z\u{fffd}", "f"));
    }
}
