//! A program's code: which function calls which, from inside a loop or not, and who reads and writes which variable.

use std::collections::{BTreeMap, BTreeSet};

use iced_x86::{
    Decoder, DecoderOptions, FlowControl, Instruction, InstructionInfoFactory, MemorySize, Mnemonic, OpAccess, OpKind,
    Register,
};
use petgraph::Direction;
use petgraph::algo::kosaraju_scc;
use petgraph::graph::{DiGraph, NodeIndex};
use petgraph::visit::{Dfs, NodeFiltered};

use super::program::{Function, Program};

/// Most instructions of a stub that leads to an imported function: endbr64, and the jump.
const STUB: usize = 3;

/// A call, by the name of what is called.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Call {
    /// The function called.
    pub to: String,
    /// Numbers of the loops around it within its function, the outermost first.
    pub loops: Vec<usize>,
}

impl Call {
    /// Number of the outermost loop around it.
    pub fn around(&self) -> Option<usize> {
        self.loops.first().copied()
    }
}

/// What the code of one function does.
#[derive(Clone, Debug, Default)]
pub struct Body {
    /// Its calls, in order.
    pub calls: Vec<Call>,
    /// Whether it has a loop.
    pub has_loop: bool,
    /// Bytes of its code.
    pub size: usize,
}

/// The outermost loops around instructions of a function, or none, by function.
pub type Places = BTreeMap<String, BTreeSet<Option<usize>>>;

/// How the code uses one variable.
#[derive(Clone, Debug, Default)]
pub struct Uses {
    /// Functions that read it, and in which loops.
    pub readers: Places,
    /// Functions that write it.
    pub writers: Places,
    /// Functions that take its address, and may do either.
    pub takers: Places,
    /// It is read or written as a floating-point number.
    pub is_float: bool,
    /// MPI says in it which rank this is, or how many there are.
    pub is_rank: bool,
    /// Its value is used as an address.
    pub is_pointer: bool,
}

/// A program's code.
#[derive(Debug, Default)]
pub struct Code {
    /// By the function's name.
    pub bodies: BTreeMap<String, Body>,
    /// By the variable's name.
    pub uses: BTreeMap<String, Uses>,
}

impl Code {
    /// Decodes all functions of the program.
    pub fn of(program: &Program) -> Code {
        let mut code = Code::default();
        for function in program.functions.values() {
            let body = code.body(program, function);
            code.bodies.insert(function.name.clone(), body);
        }
        code
    }

    /// The functions that `from` calls, and those that they call; `from` itself if something calls it again.
    pub fn reached(&self, from: &str) -> BTreeSet<&str> {
        let (mut reached, mut open) = (BTreeSet::new(), vec![from]);
        while let Some(next) = open.pop() {
            for call in self.bodies.get(next).map(|body| &*body.calls).unwrap_or_default() {
                if reached.insert(&*call.to) {
                    open.push(&call.to);
                }
            }
        }
        reached
    }

    /// The function `from`, what it calls, what that calls beside, and so on.
    pub fn levels<'c>(&'c self, from: &'c str) -> Vec<BTreeSet<&'c str>> {
        let (mut known, mut levels) = (BTreeSet::from([from]), vec![BTreeSet::from([from])]);
        while let Some(level) = levels.last().filter(|level| !level.is_empty()) {
            let calls = level.iter().filter_map(|name| self.bodies.get(*name)).flat_map(|body| &body.calls);
            let next: BTreeSet<&str> = calls.map(|call| &*call.to).filter(|to| !known.contains(to)).collect();
            known.extend(&next);
            levels.push(next);
        }
        levels
    }

    /// The functions that lead to a call for which `wanted` holds, by themselves or by what they call.
    pub fn leading_to(&self, wanted: impl Fn(&str) -> bool) -> BTreeSet<&str> {
        let mut callers: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        let mut open = Vec::new();
        for (name, body) in &self.bodies {
            for call in &body.calls {
                callers.entry(&call.to).or_default().push(name);
                if wanted(&call.to) {
                    open.push(name.as_str());
                }
            }
        }
        let mut leading = BTreeSet::new();
        while let Some(next) = open.pop() {
            if leading.insert(next) {
                open.extend(callers.get(next).into_iter().flatten());
            }
        }
        leading
    }

    fn body(&mut self, program: &Program, function: &Function) -> Body {
        let instructions: Vec<Instruction> =
            Decoder::with_ip(64, &function.code, function.address, DecoderOptions::NONE).into_iter().collect();
        let end = function.address + function.code.len() as u64;
        let loops = loops(&instructions);
        let mut calls = Vec::new();
        let mut info = InstructionInfoFactory::new();
        // Registers that hold the value of a variable.
        let mut holds: BTreeMap<Register, String> = BTreeMap::new();
        // Variables whose addresses the next call may get.
        let mut taken: Vec<String> = Vec::new();
        for (instruction, around) in instructions.iter().zip(&loops) {
            let outermost = around.first().copied();
            let is_call = matches!(instruction.flow_control(), FlowControl::Call | FlowControl::IndirectCall);
            let leaves = instruction.flow_control() == FlowControl::UnconditionalBranch
                && !(function.address..end).contains(&instruction.near_branch_target());
            if let Some(to) = (is_call || leaves).then(|| target(program, instruction)).flatten() {
                // Of C, and of Fortran.
                let name = to.trim_end_matches('_');
                if ["MPI_Comm_rank", "MPI_Comm_size"].iter().any(|tells| name.eq_ignore_ascii_case(tells)) {
                    for name in &taken {
                        self.uses.entry(name.clone()).or_default().is_rank = true;
                    }
                }
                taken.clear();
                calls.push(Call { to, loops: around.clone() });
            }
            taken.extend(self.note_uses(program, (&function.name, outermost), instruction, &mut info, &mut holds));
            if is_call {
                holds.clear();
            }
        }
        Body { calls, has_loop: loops.iter().any(|around| !around.is_empty()), size: function.code.len() }
    }

    /// Notes how an instruction uses a variable. Returns the variable if it takes the address.
    fn note_uses(
        &mut self,
        program: &Program,
        (function, around): (&str, Option<usize>),
        instruction: &Instruction,
        info: &mut InstructionInfoFactory,
        holds: &mut BTreeMap<Register, String>,
    ) -> Option<String> {
        let info = info.info(instruction);
        for memory in info.used_memory() {
            if let Some(uses) = holds.get(&memory.base().full_register()).and_then(|name| self.uses.get_mut(name)) {
                uses.is_pointer = true;
            }
        }
        let variable = named(program, instruction);
        for written in info.used_registers().iter().filter(|used| used.access() != OpAccess::Read) {
            holds.remove(&written.register().full_register());
        }
        let name = variable?;
        let uses = self.uses.entry(name.clone()).or_default();
        let here = |places: &mut Places| {
            places.entry(function.to_owned()).or_default().insert(around);
        };
        if instruction.mnemonic() == Mnemonic::Lea || info.used_memory().is_empty() {
            here(&mut uses.takers);
            return Some(name);
        }
        uses.is_float |= matches!(instruction.memory_size(), MemorySize::Float32 | MemorySize::Float64);
        for memory in
            info.used_memory().iter().filter(|memory| memory.base() == Register::RIP || memory.base() == Register::None)
        {
            let (reads, writes) = match memory.access() {
                OpAccess::Read | OpAccess::CondRead => (true, false),
                OpAccess::Write | OpAccess::CondWrite => (false, true),
                OpAccess::ReadWrite | OpAccess::ReadCondWrite => (true, true),
                _ => (false, false),
            };
            if reads {
                here(&mut uses.readers);
            }
            if writes {
                here(&mut uses.writers);
            }
        }
        if instruction.mnemonic() == Mnemonic::Mov && instruction.op0_kind() == OpKind::Register {
            holds.insert(instruction.op0_register().full_register(), name);
        }
        None
    }
}

/// The loops around each instruction of a function, the outermost first: instructions that lead to each other, and within those the ones that still do
/// without where the loop is entered (Steensgaard 1993). What the compiler laid out behind the rest and jumps back from is none.
fn loops(instructions: &[Instruction]) -> Vec<Vec<usize>> {
    let place = |ip: u64| instructions.binary_search_by_key(&ip, Instruction::ip).ok();
    let (mut edges, mut indirect) = (Vec::new(), Vec::new());
    for (at, instruction) in instructions.iter().enumerate() {
        let flow = instruction.flow_control();
        let jumps = matches!(flow, FlowControl::ConditionalBranch | FlowControl::UnconditionalBranch);
        edges.extend(place(instruction.near_branch_target()).filter(|_| jumps).map(|to| (at, to)));
        match flow {
            FlowControl::IndirectBranch => indirect.push(at),
            FlowControl::UnconditionalBranch | FlowControl::Return => {}
            _ if at + 1 < instructions.len() => edges.push((at, at + 1)),
            _ => {}
        }
    }
    // A jump by a table leads to what nothing else leads to, but for what aligns code.
    let reached: BTreeSet<usize> = edges.iter().map(|(_, to)| *to).collect();
    let aligns = |at: usize| matches!(instructions[at].mnemonic(), Mnemonic::Nop | Mnemonic::Int3);
    let tabled: Vec<usize> = (1..instructions.len()).filter(|at| !reached.contains(at) && !aligns(*at)).collect();
    edges.extend(indirect.iter().flat_map(|from| tabled.iter().map(|to| (*from, *to))));
    let graph = DiGraph::<(), ()>::from_edges(edges.iter().map(|(from, to)| (*from as u32, *to as u32)));
    let mut around = vec![Vec::new(); instructions.len()];
    let Some(begin) = graph.node_indices().next() else { return around };
    // What aligns a loop's begin is not where it is entered.
    let mut dfs = Dfs::new(&graph, begin);
    let runs: BTreeSet<NodeIndex> = std::iter::from_fn(|| dfs.next(&graph)).collect();
    let (mut number, mut open) = (0, vec![graph.node_indices().collect::<BTreeSet<NodeIndex>>()]);
    while let Some(nodes) = open.pop() {
        for circle in kosaraju_scc(&NodeFiltered::from_fn(&graph, |node| nodes.contains(&node))) {
            if circle.len() == 1 && !graph.contains_edge(circle[0], circle[0]) {
                continue;
            }
            circle.iter().for_each(|node| around[node.index()].push(number));
            number += 1;
            let mut inside: BTreeSet<NodeIndex> = circle.iter().copied().collect();
            let is_entry = |node: &NodeIndex| {
                graph
                    .neighbors_directed(*node, Direction::Incoming)
                    .any(|from| runs.contains(&from) && !inside.contains(&from))
            };
            let mut entries: Vec<NodeIndex> = circle.iter().copied().filter(is_entry).collect();
            if entries.is_empty() {
                // The function begins with the loop.
                entries.extend(circle.iter().min());
            }
            inside.retain(|node| !entries.contains(node));
            open.push(inside);
        }
    }
    around
}

/// The variable that the instruction names.
fn named(program: &Program, instruction: &Instruction) -> Option<String> {
    let address = if instruction.is_ip_rel_memory_operand() {
        instruction.ip_rel_memory_address()
    } else if (0..instruction.op_count()).any(|op| instruction.op_kind(op) == OpKind::Memory)
        && instruction.memory_base() == Register::None
        && instruction.memory_index() == Register::None
    {
        instruction.memory_displacement64()
    } else if instruction.mnemonic() == Mnemonic::Mov && instruction.op1_kind() == OpKind::Immediate32 {
        u64::from(instruction.immediate32()) // the address itself, in a program that is not position-independent
    } else {
        return None;
    };
    program.variables.get(&address).map(|variable| variable.name.clone())
}

/// The name of what a call or a jump out of the function leads to.
fn target(program: &Program, instruction: &Instruction) -> Option<String> {
    if instruction.is_ip_rel_memory_operand() {
        return program.imports.get(&instruction.ip_rel_memory_address()).cloned();
    }
    let address = instruction.near_branch_target();
    if let Some(function) = program.functions.get(&address) {
        return Some(function.name.clone());
    }
    let (begin, bytes) =
        program.sections.iter().find(|(begin, bytes)| (*begin..*begin + bytes.len() as u64).contains(&address))?;
    let stub = &bytes[(address - begin) as usize..];
    let jump = Decoder::with_ip(64, stub, address, DecoderOptions::NONE).into_iter().take(STUB);
    let slot =
        jump.into_iter().find(|i| i.flow_control() == FlowControl::IndirectBranch && i.is_ip_rel_memory_operand())?;
    program.imports.get(&slot.ip_rel_memory_address()).cloned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_loop_within_a_loop_is_told_from_the_one_around_it() {
        // nop; inner: nop; jne inner; nop; jne begin; ret.
        let code = [0x90, 0x90, 0x75, 0xfd, 0x90, 0x75, 0xf9, 0xc3];
        let instructions: Vec<Instruction> = Decoder::with_ip(64, &code, 0, DecoderOptions::NONE).into_iter().collect();
        let around: Vec<usize> = loops(&instructions).iter().map(Vec::len).collect();
        assert_eq!(around, [1, 2, 2, 1, 1, 0]);
        let outermost: BTreeSet<Option<usize>> = loops(&instructions).iter().map(|of| of.first().copied()).collect();
        assert_eq!(outermost.len(), 2, "one, and none");
    }

    #[test]
    fn a_function_that_only_returns_has_no_loop() {
        let code = [0xc3];
        let instructions: Vec<Instruction> = Decoder::with_ip(64, &code, 0, DecoderOptions::NONE).into_iter().collect();
        assert_eq!(loops(&instructions), [Vec::<usize>::new()]);
    }

    #[test]
    fn what_aligns_a_loop_is_not_where_it_is_entered() {
        // begin: nop; jmp test; nop that nothing reaches; inner: nop; test: nop; jne inner; jne begin; ret.
        let code = [0x90, 0xeb, 0x02, 0x90, 0x90, 0x90, 0x75, 0xfc, 0x75, 0xf6, 0xc3];
        let instructions: Vec<Instruction> = Decoder::with_ip(64, &code, 0, DecoderOptions::NONE).into_iter().collect();
        let around: Vec<usize> = loops(&instructions).iter().map(Vec::len).collect();
        assert_eq!(around, [1, 1, 0, 2, 2, 2, 1, 0]);
    }
}
