//! Imports inside each crate point one way: no cycle between sibling modules at any level, and none between the C files of the shim.
//!
//! The graph has an edge from one module to another where code outside tests names something of the other. Names that a module
//! re-exports lead to the module that defines them. An edge between two modules counts for their ancestors below the common one.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use midrun_tests::root;
use syn::visit::{self, Visit};
use syn::{Attribute, Item, ItemMod, ItemUse, UseTree};

/// A module's path from the crate's root, which is empty.
type ModulePath = Vec<String>;

/// One path in the source: the module that has it, its segments, the place.
struct Reference {
    from: ModulePath,
    segments: Vec<String>,
    place: String,
}

/// What a module defines and what it imports.
#[derive(Default)]
struct Module {
    items: BTreeSet<String>,
    imports: BTreeMap<String, Vec<String>>,
    globs: Vec<Vec<String>>,
}

/// The modules of one crate and all paths between them.
#[derive(Default)]
struct Crate {
    modules: BTreeMap<ModulePath, Module>,
    references: Vec<Reference>,
}

fn is_for_tests(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        let condition = attribute.path().is_ident("cfg").then(|| attribute.meta.require_list().ok()).flatten();
        let words = condition.map(|list| list.tokens.to_string()).unwrap_or_default();
        words == "test" || words.starts_with("all (test") || attribute.path().is_ident("test")
    })
}

fn joined(module: &[String], name: &str) -> ModulePath {
    [module, &[name.to_owned()]].concat()
}

/// Collects the paths of one module.
struct Collector<'a> {
    of: &'a mut Crate,
    at: ModulePath,
    file: &'a Path,
}

impl Collector<'_> {
    fn refer(&mut self, segments: Vec<String>, line: usize) {
        let name = self.file.strip_prefix(root()).unwrap_or(self.file).display();
        self.of.references.push(Reference { from: self.at.clone(), segments, place: format!("{name}:{line}") });
    }

    fn import(&mut self, tree: &UseTree, before: &[String], line: usize) {
        match tree {
            UseTree::Path(path) => self.import(&path.tree, &joined(before, &path.ident.to_string()), line),
            UseTree::Group(group) => group.items.iter().for_each(|tree| self.import(tree, before, line)),
            UseTree::Name(name) => self.name(before, &name.ident.to_string(), None, line),
            UseTree::Rename(name) => {
                self.name(before, &name.ident.to_string(), Some(name.rename.to_string()), line);
            }
            UseTree::Glob(_) => {
                self.refer(before.to_vec(), line);
                self.of.modules.entry(self.at.clone()).or_default().globs.push(before.to_vec());
            }
        }
    }

    fn name(&mut self, before: &[String], name: &str, renamed: Option<String>, line: usize) {
        let segments = if name == "self" { before.to_vec() } else { joined(before, name) };
        let alias = renamed.unwrap_or_else(|| segments.last().cloned().unwrap_or_default());
        self.of.modules.entry(self.at.clone()).or_default().imports.insert(alias, segments.clone());
        self.refer(segments, line);
    }
}

impl<'ast> Visit<'ast> for Collector<'_> {
    fn visit_item(&mut self, item: &'ast Item) {
        let attributes: &[Attribute] = match item {
            Item::Fn(item) => &item.attrs,
            Item::Impl(item) => &item.attrs,
            Item::Use(item) => &item.attrs,
            Item::Mod(item) => &item.attrs,
            Item::Struct(item) => &item.attrs,
            Item::Const(item) => &item.attrs,
            Item::Static(item) => &item.attrs,
            _ => &[],
        };
        if !is_for_tests(attributes) {
            visit::visit_item(self, item);
        }
    }

    fn visit_impl_item_fn(&mut self, function: &'ast syn::ImplItemFn) {
        if !is_for_tests(&function.attrs) {
            visit::visit_impl_item_fn(self, function);
        }
    }

    fn visit_item_mod(&mut self, item: &'ast ItemMod) {
        let at = joined(&self.at, &item.ident.to_string());
        match &item.content {
            Some((_, items)) => read_items(self.of, at, self.file, items),
            None => read_file(self.of, at, &file_of(self.file, &self.at, item)),
        }
    }

    fn visit_item_use(&mut self, item: &'ast ItemUse) {
        self.import(&item.tree, &[], item.use_token.span.start().line);
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let segments: Vec<String> = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        // Other names are the module's own or come by a `use`, which counts.
        if ["crate", "self", "super"].contains(&segments[0].as_str()) {
            self.refer(segments, path.segments[0].ident.span().start().line);
        }
        visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, tokens: &'ast syn::Macro) {
        self.visit_path(&tokens.path);
        // Arguments of a macro are read as expressions where they are a list of them.
        let list = syn::punctuated::Punctuated::<syn::Expr, syn::Token![,]>::parse_terminated;
        if let Ok(arguments) = tokens.parse_body_with(list) {
            arguments.iter().for_each(|argument| self.visit_expr(argument));
        }
    }
}

/// The file that `mod name;` in `file` stands for.
fn file_of(file: &Path, parent: &[String], item: &ItemMod) -> PathBuf {
    let folder = file.parent().expect("a folder");
    let path = item.attrs.iter().find_map(|attribute| {
        let value = attribute.path().is_ident("path").then(|| attribute.meta.require_name_value().ok()).flatten()?;
        match &value.value {
            syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(text), .. }) => Some(text.value()),
            _ => None,
        }
    });
    if let Some(path) = path {
        return folder.join(path);
    }
    let own = ["mod.rs", "lib.rs", "main.rs"].iter().any(|name| file.ends_with(name));
    let folder = if own { folder.to_owned() } else { folder.join(parent.last().expect("a module below the root")) };
    let flat = folder.join(format!("{}.rs", item.ident));
    if flat.is_file() { flat } else { folder.join(item.ident.to_string()).join("mod.rs") }
}

fn read_file(of: &mut Crate, at: ModulePath, file: &Path) {
    let text = fs::read_to_string(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    let parsed = syn::parse_file(&text).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    if !is_for_tests(&parsed.attrs) {
        read_items(of, at, file, &parsed.items);
    }
}

fn read_items(of: &mut Crate, at: ModulePath, file: &Path, items: &[Item]) {
    let names = items.iter().filter_map(|item| match item {
        Item::Const(item) => Some(&item.ident),
        Item::Enum(item) => Some(&item.ident),
        Item::Fn(item) => Some(&item.sig.ident),
        Item::Static(item) => Some(&item.ident),
        Item::Struct(item) => Some(&item.ident),
        Item::Trait(item) => Some(&item.ident),
        Item::Type(item) => Some(&item.ident),
        Item::Union(item) => Some(&item.ident),
        Item::Macro(item) => item.ident.as_ref(),
        _ => None,
    });
    of.modules.entry(at.clone()).or_default().items.extend(names.map(ToString::to_string));
    let mut collector = Collector { of, at, file };
    items.iter().for_each(|item| collector.visit_item(item));
}

impl Crate {
    fn read(folder: &Path) -> Crate {
        let mut all = Crate::default();
        let file = ["src/lib.rs", "src/main.rs"].iter().map(|name| folder.join(name)).find(|path| path.is_file());
        read_file(&mut all, Vec::new(), &file.unwrap_or_else(|| panic!("{} has no root", folder.display())));
        all
    }

    /// The module that defines what `segments` name in module `from`; `None` for another crate's or a local name.
    fn defining(&self, from: &[String], segments: &[String], depth: usize) -> Option<ModulePath> {
        let (first, rest) = segments.split_first()?;
        if depth > 20 {
            return None;
        }
        match first.as_str() {
            "crate" => self.descend(Vec::new(), rest, depth),
            "self" => self.descend(from.to_vec(), rest, depth),
            "super" => self.descend(from[..from.len().checked_sub(1)?].to_vec(), rest, depth),
            name => {
                let module = self.modules.get(from)?;
                let known = self.modules.contains_key(&joined(from, name))
                    || module.items.contains(name)
                    || module.imports.contains_key(name);
                // An import of the same name as its first segment is another crate's.
                let itself = module.imports.get(name).is_some_and(|import| import.first() == Some(first));
                (known && !itself).then(|| self.descend(from.to_vec(), segments, depth)).flatten()
            }
        }
    }

    fn descend(&self, mut at: ModulePath, segments: &[String], depth: usize) -> Option<ModulePath> {
        let mut rest = segments;
        while let Some((name, after)) = rest.split_first() {
            if name == "super" {
                at.pop()?;
            } else if self.modules.contains_key(&joined(&at, name)) {
                at.push(name.clone());
            } else {
                return self.item(&at, name, depth);
            }
            rest = after;
        }
        Some(at)
    }

    fn item(&self, at: &[String], name: &str, depth: usize) -> Option<ModulePath> {
        let module = self.modules.get(at)?;
        if module.items.contains(name) {
            return Some(at.to_vec());
        }
        if let Some(import) = module.imports.get(name) {
            return self.defining(at, import, depth + 1);
        }
        let of_globs = module.globs.iter().filter_map(|glob| self.defining(at, glob, depth + 1));
        of_globs.filter(|target| target != at).find_map(|target| self.item(&target, name, depth + 1))
    }

    /// (parent, from, to) with the places of the imports, for all pairs of siblings.
    fn edges(&self) -> BTreeMap<ModulePath, BTreeMap<(String, String), BTreeSet<String>>> {
        let mut all: BTreeMap<ModulePath, BTreeMap<(String, String), BTreeSet<String>>> = BTreeMap::new();
        for reference in &self.references {
            let Some(to) = self.defining(&reference.from, &reference.segments, 0) else { continue };
            let common = reference.from.iter().zip(&to).take_while(|(a, b)| a == b).count();
            let (Some(from), Some(target)) = (reference.from.get(common), to.get(common)) else { continue };
            let level = all.entry(to[..common].to_vec()).or_default();
            let place = format!("{}: {}", reference.place, reference.segments.join("::"));
            level.entry((from.clone(), target.clone())).or_default().insert(place);
        }
        all
    }
}

/// Modules by floor: each uses only those before it. Where a cycle is left, the one that uses the fewest others goes first.
fn floors(edges: &BTreeMap<(String, String), BTreeSet<String>>) -> Vec<String> {
    let mut left: BTreeSet<&String> = edges.keys().flat_map(|(from, to)| [from, to]).collect();
    let mut order = Vec::new();
    while !left.is_empty() {
        let weight = |module: &String, outward: bool| -> usize {
            let counts = edges.iter().filter(|((from, to), _)| {
                let (own, other) = if outward { (from, to) } else { (to, from) };
                own == module && left.contains(other) && other != module
            });
            counts.map(|(_, places)| places.len()).sum()
        };
        let used_less_used = |module: &&&String| (weight(module, true), usize::MAX - weight(module, false));
        let next = *left.iter().min_by_key(used_less_used).expect("a module");
        order.push(next.clone());
        left.remove(next);
    }
    order
}

/// Imports that point up, each with its place.
fn upward(of: &Crate) -> Vec<String> {
    let mut wrong = Vec::new();
    for (parent, edges) in of.edges() {
        let level = ["crate".to_owned()].into_iter().chain(parent).collect::<Vec<_>>().join("::");
        wrong.extend(against(&edges, &level));
    }
    wrong
}

/// The uses in a graph that point up.
fn against(edges: &BTreeMap<(String, String), BTreeSet<String>>, level: &str) -> Vec<String> {
    let order = floors(edges);
    let floor = |module: &String| order.iter().position(|one| one == module);
    let up = edges.iter().filter(|((from, to), _)| from != to && floor(from) < floor(to));
    let line = |((from, to), places): (&(String, String), &BTreeSet<String>)| {
        places.iter().map(|place| format!("{place} ({from} -> {to} in {level})")).collect::<Vec<String>>()
    };
    up.flat_map(line).collect()
}

fn members() -> Vec<PathBuf> {
    let manifest = fs::read_to_string(root().join("Cargo.toml")).expect("the manifest");
    let list = manifest.split("members = [").nth(1).and_then(|rest| rest.split(']').next()).expect("members");
    list.split('"').skip(1).step_by(2).map(|name| root().join(name)).collect()
}

#[test]
fn no_import_between_sibling_modules_points_up() {
    let wrong: Vec<String> = members().iter().flat_map(|folder| upward(&Crate::read(folder))).collect();
    assert!(wrong.is_empty(), "{} imports point up:\n{}", wrong.len(), wrong.join("\n"));
}

/// Names that C code uses, without comments and texts: ours, which begin with `midrun_`, and whatever it calls.
fn used_names(code: &str) -> BTreeSet<&str> {
    let code = code.split("/*").map(|part| part.split_once("*/").map_or(part, |(_, after)| after));
    let outside_texts = code.flat_map(|part| part.split('"').step_by(2));
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    let mut names = BTreeSet::new();
    for mut rest in outside_texts {
        while let Some(begin) = rest.find(is_name) {
            let name = rest[begin..].split(|c| !is_name(c)).next().unwrap_or_default();
            rest = &rest[begin + name.len()..];
            if name.starts_with("midrun_") || rest.starts_with('(') {
                names.insert(name);
            }
        }
    }
    names
}

/// Functions and data that a C file defines for others: they begin at the line's first column and are not static.
fn definitions(code: &str) -> BTreeSet<&str> {
    let begins = |line: &&str| {
        let own = ["static", "typedef", "extern", "enum"].iter().any(|word| line.starts_with(word));
        line.starts_with(|c: char| c.is_ascii_lowercase()) && !own
    };
    let declared = code.lines().filter(begins).filter_map(|line| line.split(['(', '=', ';']).next());
    let names = declared.flat_map(|line| line.split(',')).filter_map(|part| {
        part.split('[').next()?.split(|c: char| !c.is_alphanumeric() && c != '_').rfind(|word| !word.is_empty())
    });
    names.collect()
}

#[test]
fn no_call_between_c_files_points_up() {
    let folder = root().join("shim/mpi");
    let listed = fs::read_dir(&folder).expect("the folder").map(|entry| entry.expect("an entry").path());
    let read = |path: PathBuf| {
        let name = path.file_name()?.to_str()?.strip_suffix(".c")?.to_owned();
        Some((name, fs::read_to_string(&path).expect("the file")))
    };
    let files: BTreeMap<String, String> = listed.filter_map(read).collect();
    let mut edges: BTreeMap<(String, String), BTreeSet<String>> = BTreeMap::new();
    for (from, code) in &files {
        for (to, other) in files.iter().filter(|(to, _)| *to != from) {
            let used: Vec<&str> = definitions(other).intersection(&used_names(code)).copied().collect();
            let places = used.iter().map(|name| format!("{from}.c: {name}"));
            if !used.is_empty() {
                edges.entry((from.clone(), to.clone())).or_default().extend(places);
            }
        }
    }
    for (from, to) in [("wrappers", "spawn"), ("tools", "names"), ("calls", "tools"), ("port", "spawn")] {
        assert!(edges.contains_key(&(from.into(), to.into())), "{from}.c uses {to}.c: {edges:?}");
    }
    let wrong = against(&edges, "shim/mpi");
    assert!(wrong.is_empty(), "{} calls point up:\n{}", wrong.len(), wrong.join("\n"));
}
