//! Small computation structures as text.

/// Two operations that end in the join `meet`.
pub const OPERATIONS: &str =
    "[node.a]\nkind = 'operation'\ncost_s = 1\nto = 'meet'\n[node.b]\nkind = 'operation'\ncost_s = 2\nto = 'meet'\n";

/// An operation.
pub fn op(name: &str, cost_s: f64, to: &str) -> String {
    format!("[node.{name}]\nkind = 'operation'\ncost_s = {cost_s:?}\nto = '{to}'\n")
}

/// These nodes and an end, with the locks `l` and `m`.
pub fn with_nodes(start: &str, processors: f64, nodes: &str) -> String {
    format!(
        "start = '{start}'\nlocks = ['l', 'm']\n[machine]\nprocessors = {processors:?}\nspeed = 1\npolicy = 'equal'\n\
         {nodes}[node.end]\nkind = 'end'\n"
    )
}

/// A fork with these branches, which end in the join `meet`, and then the end.
pub fn forked(processors: f64, branches: &str, nodes: &str) -> String {
    let frame =
        format!("[node.split]\nkind = 'fork'\nbranches = {branches}\n{nodes}[node.meet]\nkind = 'join'\nto = 'end'\n");
    with_nodes("split", processors, &frame)
}
