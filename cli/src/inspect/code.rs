//! A program's code: which function calls which, from inside a loop or not, and who reads and writes which variable.

use std::collections::{BTreeMap, BTreeSet};

use iced_x86::{
    Decoder, DecoderOptions, FlowControl, Instruction, InstructionInfoFactory, MemorySize, Mnemonic, OpAccess, OpKind,
    Register,
};

use super::program::{Function, Program};

/// Most instructions of a stub that leads to an imported function: endbr64, and the jump.
const STUB: usize = 3;

/// A call, by the name of what is called.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Call {
    /// The function called.
    pub to: String,
    /// First and last address of each loop around it.
    pub loops: Vec<(u64, u64)>,
}

impl Call {
    /// Whether a loop contains both calls.
    pub fn shares_loop(&self, other: &Call) -> bool {
        self.loops.iter().any(|around| other.loops.contains(around))
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

/// How the code uses one variable.
#[derive(Clone, Debug, Default)]
pub struct Uses {
    /// Functions that read it.
    pub readers: BTreeSet<String>,
    /// Functions that write it.
    pub writers: BTreeSet<String>,
    /// Functions that take its address, and may do either.
    pub takers: BTreeSet<String>,
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
        let loops: Vec<(u64, u64)> = instructions.iter().filter_map(|i| back_edge(i, function.address)).collect();
        let mut calls = Vec::new();
        let mut info = InstructionInfoFactory::new();
        // Registers that hold the value of a variable.
        let mut holds: BTreeMap<Register, String> = BTreeMap::new();
        // Variables whose addresses the next call may get.
        let mut taken: Vec<String> = Vec::new();
        for instruction in &instructions {
            let is_call = matches!(instruction.flow_control(), FlowControl::Call | FlowControl::IndirectCall);
            let leaves = instruction.flow_control() == FlowControl::UnconditionalBranch
                && !(function.address..end).contains(&instruction.near_branch_target());
            if let Some(to) = (is_call || leaves).then(|| target(program, instruction)).flatten() {
                let ip = instruction.ip();
                let loops = loops.iter().filter(|(first, last)| (*first..=*last).contains(&ip)).copied().collect();
                if ["MPI_Comm_rank", "MPI_Comm_size"].contains(&&*to) {
                    for name in &taken {
                        self.uses.entry(name.clone()).or_default().is_rank = true;
                    }
                }
                taken.clear();
                calls.push(Call { to, loops });
            }
            taken.extend(self.note_uses(program, &function.name, instruction, &mut info, &mut holds));
            if is_call {
                holds.clear();
            }
        }
        Body { calls, has_loop: !loops.is_empty(), size: function.code.len() }
    }

    /// Notes how an instruction uses a variable. Returns the variable if it takes the address.
    fn note_uses(
        &mut self,
        program: &Program,
        function: &str,
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
        if instruction.mnemonic() == Mnemonic::Lea || info.used_memory().is_empty() {
            uses.takers.insert(function.to_owned());
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
                uses.readers.insert(function.to_owned());
            }
            if writes {
                uses.writers.insert(function.to_owned());
            }
        }
        if instruction.mnemonic() == Mnemonic::Mov && instruction.op0_kind() == OpKind::Register {
            holds.insert(instruction.op0_register().full_register(), name);
        }
        None
    }
}

/// A jump back inside the function ends a loop: from the target to the jump.
fn back_edge(instruction: &Instruction, begin: u64) -> Option<(u64, u64)> {
    let jumps = matches!(instruction.flow_control(), FlowControl::ConditionalBranch | FlowControl::UnconditionalBranch);
    let target = instruction.near_branch_target();
    (jumps && target >= begin && target <= instruction.ip()).then(|| (target, instruction.ip()))
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
