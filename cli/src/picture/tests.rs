//! Pictures by their structure: well-formed XML, every element named, no box on another.

use std::collections::BTreeSet;

use midrun_predict::program::{Machine, Program};
use midrun_predict::state_diagram::{Diagram, Time};
use midrun_predict::time_cost::Structure;
use roxmltree::{Document, Node};

use super::{Picture, diagram, program, structure};

/// A box: its name, and its corners.
#[derive(Debug)]
struct Rect {
    name: String,
    class: String,
    from: (f64, f64),
    to: (f64, f64),
}

fn number(node: &Node<'_, '_>, key: &str) -> f64 {
    node.attribute(key).map_or(0.0, |text| text.parse().expect("a number"))
}

fn moved(node: &Node<'_, '_>) -> (f64, f64) {
    let Some(by) = node.attribute("transform") else { return (0.0, 0.0) };
    let (x, y) =
        by.strip_prefix("translate(").and_then(|rest| rest.strip_suffix(')')?.split_once(' ')).expect("a move");
    (x.parse().expect("a number"), y.parse().expect("a number"))
}

fn boxes(node: Node<'_, '_>, (x, y): (f64, f64), all: &mut Vec<Rect>) {
    let (x, y) = (x + moved(&node).0, y + moved(&node).1);
    let class = node.attribute("class").unwrap_or_default();
    if node.tag_name().name() == "rect" {
        let from = (x + number(&node, "x"), y + number(&node, "y"));
        let to = (from.0 + number(&node, "width"), from.1 + number(&node, "height"));
        let name = node.parent().and_then(|parent| parent.attribute("data-name")).unwrap_or_default().to_owned();
        all.push(Rect { name, class: class.to_owned(), from, to });
    }
    node.children().for_each(|child| boxes(child, (x, y), all));
}

/// The picture's boxes, after what must hold of each picture has been looked at.
fn seen(picture: &Picture) -> Vec<Rect> {
    let text = picture.svg().into_string();
    let document = Document::parse(&text).expect("XML");
    let root = document.root_element();
    assert_eq!(root.attribute("aria-labelledby"), Some("picture-title picture-description"));
    let said = |id: &str| {
        root.descendants().find(|node| node.attribute("id") == Some(id)).and_then(|node| node.text().map(str::to_owned))
    };
    assert!(said("picture-title").is_some_and(|text| !text.is_empty()));
    let description = said("picture-description").expect("a description");
    let mut all = Vec::new();
    boxes(root, (0.0, 0.0), &mut all);
    let paper = all.iter().position(|of| of.class == "paper").map(|at| all.remove(at)).expect("the paper");
    all.retain(|of| of.class == "box" || of.class == "frame");
    let inside = |of: &Rect, around: &Rect| {
        of.from.0 >= around.from.0 && of.from.1 >= around.from.1 && of.to.0 <= around.to.0 && of.to.1 <= around.to.1
    };
    for (at, one) in all.iter().enumerate() {
        assert!(inside(one, &paper), "{one:?} is not on the paper {paper:?}");
        assert!(!one.name.is_empty(), "{one:?} has no name");
        for other in &all[at + 1..] {
            let apart = one.to.0 <= other.from.0
                || other.to.0 <= one.from.0
                || one.to.1 <= other.from.1
                || other.to.1 <= one.from.1;
            let nested = one.class == "frame" && inside(other, one) || other.class == "frame" && inside(one, other);
            assert!(apart || nested, "{one:?} lies on {other:?}");
        }
    }
    assert!(!description.is_empty());
    all
}

fn machine() -> Machine {
    Machine::from_toml(include_str!("../../../examples/models/two_nodes.toml")).expect("a machine")
}

fn drawn(text: &str) -> (Picture, Vec<Rect>) {
    let program = Program::from_toml(text).expect("a program");
    let picture = program::picture("example", &program, &machine()).expect("a picture");
    let all = seen(&picture);
    (picture, all)
}

fn names(of: &[Rect]) -> BTreeSet<&str> {
    of.iter().map(|of| of.name.as_str()).collect()
}

#[test]
fn a_program_is_drawn_with_every_element_its_ranks_sizes_and_cost_functions() {
    let text = include_str!("../../../examples/models/stencil.toml");
    let (picture, all) = drawn(text);
    assert_eq!(
        names(&all),
        BTreeSet::from(["read", "share", "iterate", "points", "down", "up", "converged", "collect"])
    );
    let svg = picture.svg().into_string();
    for part in
        ["seconds", "rank 0", "row_bytes = 32 KB", "iterations = 200", "point_s * columns", "scatter", "processes: 8"]
    {
        assert!(svg.contains(part), "{part} is missing in {svg}");
    }
    // Messages between neighbours: seven arcs each for `down` and `up`; the same picture each time.
    let document = svg.as_str();
    assert_eq!(drawn(text).0.svg().into_string(), document);
}

#[test]
fn a_hundred_elements_fold_where_they_are_alike_and_stand_apart_where_not() {
    let element = |name: String, body: &str| format!("[element.{name}]\n{body}\n");
    let listed = |names: &[String]| names.iter().map(|name| format!("'{name}'")).collect::<Vec<_>>().join(", ");
    let names_of: Vec<String> = (0..100).map(|k| format!("e{k:02}")).collect();
    let alike: String = names_of
        .iter()
        .enumerate()
        .map(|(k, name)| element(name.clone(), &format!("kind = 'compute'\nseconds = 0.{:02}", k + 1)))
        .collect();
    let (picture, all) = drawn(&format!("processes = 4\nrun = [{}]\n{alike}", listed(&names_of)));
    assert_eq!(all.len(), 1, "one box for all: {all:?}");
    assert!(picture.svg().into_string().contains("e57"), "their names are told");
    // Each a little different: two kinds in turn, each time with another condition.
    let unlike = |(k, name): (usize, &String)| {
        let condition = format!("when = 'rank {}'", ["== 0", "> 0", "< 2", "% 2 == 0", "!= 1"][k * 7 % 5]);
        let kinds = [
            "kind = 'barrier'",
            "kind = 'compute'\nseconds = 'rank'",
            "kind = 'allreduce'\nbytes = 8",
            "kind = 'compute'\noperations = 'rank + 1'",
        ];
        element(name.clone(), &format!("{}\n{condition}", kinds[k * k % 11 % 4]))
    };
    let different: String = names_of.iter().enumerate().map(unlike).collect();
    let (picture, all) = drawn(&format!("processes = 100\nrun = [{}]\n{different}", listed(&names_of)));
    assert!(all.len() > 30, "{}", all.len());
    let svg = picture.svg().into_string();
    assert!(names_of.iter().all(|name| svg.contains(name.as_str())), "every element is named");
}

#[test]
fn frameworks_are_drawn_as_what_they_are() {
    let text = "processes = 9\nrun = ['farm', 'line']\n
        [element.farm]\nkind = 'master-worker'\ntasks = 100\ntask_s = 0.01\ntask_bytes = 1000\nresult_bytes = 8\nworkers = 5\n
        [element.line]\nkind = 'pipeline'\ninputs = 50\nstages = [{ compute_s = 0.1, bytes = 1000 }, { compute_s = 0.3, bytes = 50, replicas = 3 }]\n";
    let (picture, all) = drawn(text);
    assert_eq!(names(&all), BTreeSet::from(["farm", "line"]));
    let svg = picture.svg().into_string();
    for part in ["0: master", "technique dpf", "task&#39;s bytes", "source", "sink", "1: x3", "replicas = 3"] {
        assert!(svg.replace("'", "&#39;").contains(part), "{part} is missing in {svg}");
    }
}

#[test]
fn loops_and_branches_are_frames_and_an_element_that_comes_again_is_named_only() {
    let text = "processes = 2\nrun = ['twice', 'once', 'twice']\n
        [element.twice]\nkind = 'loop'\ncount = 3\nindex = 'i'\ndo = ['if']\n
        [element.if]\nkind = 'branch'\nwhen = 'rank == 0'\ndo = ['a']\nelse = ['b']\n
        [element.a]\nkind = 'send'\nto = 1\nbytes = 10\n
        [element.b]\nkind = 'receive'\nfrom = 0\n
        [element.once]\nkind = 'barrier'\n";
    let (picture, all) = drawn(text);
    let frames = all.iter().filter(|of| of.class == "frame").count();
    assert_eq!((frames, all.iter().filter(|of| of.name == "twice").count()), (2, 2));
    let svg = picture.svg().into_string();
    assert!(svg.contains("as above") && svg.contains("so:") && svg.contains("else:"));
}

#[test]
fn names_and_texts_of_a_description_cannot_leave_their_place() {
    let text = "processes = 'n'\nrun = ['<b>&\"x']\n[parameters]\nn = 3\n[element.'<b>&\"x']\nkind = 'compute'\nseconds = 'if(rank < 2, 1, 2)'\n";
    let (_, all) = drawn(text);
    assert_eq!(all[0].name, "<b>&\"x");
}

#[test]
fn a_diagram_has_a_box_for_each_stage_and_folds_many() {
    let time = Time::new(1.0, 0.25).expect("a time");
    let chain = Diagram::communicating_sequential_elements(4, 3, time).expect("a diagram");
    let all = seen(&diagram::picture("chain", &chain));
    assert_eq!(all.len(), 12);
    assert!(names(&all).contains("process 3, stage 2"));
    let many = Diagram::manager_workers(200, 50, time).expect("a diagram");
    let picture = diagram::picture("many", &many);
    assert!(seen(&picture).len() <= 121);
    let svg = picture.svg().into_string();
    assert!(svg.contains("and 190 processes more") && svg.contains("40 stages more"), "{svg}");
    assert!(svg.contains("data-waits") && svg.len() < 100_000, "a bar instead of arrows: {}", svg.len());
}

#[test]
fn a_structure_has_a_box_for_each_node_and_its_loops_lead_back() {
    let text = include_str!("../../../examples/models/producer_consumer.toml");
    let read = Structure::from_toml(text).expect("a structure");
    let picture = structure::picture("producer_consumer", &read);
    let all = seen(&picture);
    let expected: BTreeSet<&str> = read.nodes().iter().map(|node| node.name.as_str()).collect();
    assert_eq!(names(&all), expected);
    assert_eq!(all.len(), expected.len());
    let svg = picture.svg().into_string();
    assert!(svg.contains("locks to write") && svg.contains("times") && svg.contains("fork"), "{svg}");
}
