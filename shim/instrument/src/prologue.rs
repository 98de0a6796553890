//! The first instructions of a function: which of them a jump replaces, whether that is safe, and their code at another address.

use crate::refusal::Refusal;
use iced_x86::{
    BlockEncoder, BlockEncoderOptions, Code, Decoder, DecoderOptions, FlowControl, Instruction, InstructionBlock,
    OpKind, Register,
};
use std::ops::Range;

/// Bytes of a jump to anywhere within 2 GiB.
pub const JUMP: usize = 5;
/// Longest instruction.
const LONGEST: usize = 15;

/// The instructions that a jump replaces.
#[derive(Clone, Debug)]
pub struct Prologue {
    /// Address of the jump: the entry, or behind its ENDBR64.
    pub at: usize,
    /// Whole instructions that the jump covers.
    instructions: Vec<Instruction>,
    /// Their bytes.
    pub length: usize,
}

/// The instructions at another address.
#[derive(Debug)]
pub struct Moved {
    /// Their code, and a jump back behind the originals.
    pub code: Vec<u8>,
    /// Old and new address of each instruction that begins inside the jump.
    pub starts: Vec<(usize, usize)>,
}

/// Looks at the function of `code` at `address`; `elsewhere` is code that belongs to it.
///
/// # Errors
/// Why no jump can be put there.
pub fn look(code: &[u8], address: usize, elsewhere: &[(&[u8], usize)]) -> Result<Prologue, Refusal> {
    let mut decoder = Decoder::with_ip(64, code, address as u64, DecoderOptions::NONE);
    let mut instructions = Vec::new();
    let (mut at, mut length) = (address, 0);
    while length < JUMP {
        if !decoder.can_decode() {
            return Err(Refusal::TooShort(code.len() as u64));
        }
        let instruction = decoder.decode();
        if instructions.is_empty() && instruction.code() == Code::Endbr64 {
            at = instruction.next_ip() as usize;
            continue;
        }
        if instruction.is_invalid() {
            return Err(Refusal::Unmovable);
        }
        length += instruction.len();
        let flow = instruction.flow_control();
        if matches!(flow, FlowControl::XbeginXabortXend | FlowControl::Interrupt)
            || !call_can_move(&instruction)
            || instructions.last().is_some_and(is_call)
        {
            return Err(Refusal::Unmovable); // a call must return to the original, behind the jump
        }
        let ends = matches!(flow, FlowControl::Return | FlowControl::UnconditionalBranch | FlowControl::IndirectBranch);
        instructions.push(instruction);
        if ends && length < JUMP {
            return Err(Refusal::TooShort((at - address + length) as u64));
        }
    }
    let inside = at as u64..(at + length) as u64;
    let own = (code, address);
    let into = |&(code, address): &(&[u8], usize)| leads_into(code, address, &inside);
    if std::iter::once(&own).chain(elsewhere).any(into) || (at != address && leads_to(code, address)) {
        return Err(Refusal::BranchIntoEntry);
    }
    Ok(Prologue { at, instructions, length })
}

fn branches(code: &[u8], address: usize) -> impl Iterator<Item = u64> {
    let decoder = Decoder::with_ip(64, code, address as u64, DecoderOptions::NONE);
    let branch = |i: &Instruction| {
        matches!(i.flow_control(), FlowControl::ConditionalBranch | FlowControl::UnconditionalBranch)
            && matches!(i.op0_kind(), OpKind::NearBranch16 | OpKind::NearBranch32 | OpKind::NearBranch64)
    };
    decoder.into_iter().filter(branch).map(|i| i.near_branch_target()).collect::<Vec<_>>().into_iter()
}

/// Whether a branch of the code leads into `inside`, its first byte included: a loop to the entry would count as calls.
fn leads_into(code: &[u8], address: usize, inside: &Range<u64>) -> bool {
    branches(code, address).any(|target| inside.contains(&target))
}

fn leads_to(code: &[u8], address: usize) -> bool {
    branches(code, address).any(|target| target == address as u64)
}

impl Prologue {
    /// The highest address in `free` to which a jump leads that has one of `traps` at each byte at which a replaced instruction begins.
    pub fn highest(&self, free: Range<usize>, traps: &[u8]) -> Option<usize> {
        let inside: Vec<usize> = self.instructions.iter().skip(1).map(|i| i.ip() as usize - self.at).collect();
        let behind = (self.at + JUMP) as i64;
        let mut distance = (free.end as i64).checked_sub(1)? - behind;
        while distance >= free.start as i64 - behind {
            let bits = |byte: usize| 8 * (byte - 1);
            let traps = |byte: usize| !inside.contains(&byte) || traps.contains(&((distance >> bits(byte)) as u8));
            // The highest byte that is wrong: the next lower value of it, with the highest bytes below.
            match (1..JUMP).rev().find(|byte| !traps(*byte)) {
                None => return Some((behind + distance) as usize),
                Some(wrong) => distance = (distance >> bits(wrong) << bits(wrong)) - 1,
            }
        }
        None
    }

    /// The instructions as they are to stand at `to`, with a jump back at the end.
    ///
    /// # Errors
    /// [`Refusal::Unmovable`] or [`Refusal::NoRoom`] where they cannot stand there.
    pub fn moved(&self, to: usize) -> Result<Moved, Refusal> {
        let call = self.instructions.last().filter(|last| is_call(last));
        let plain = &self.instructions[..self.instructions.len() - usize::from(call.is_some())];
        let (mut code, places) = encode(plain, to)?;
        let mut starts = Vec::new();
        for (old, place) in plain.iter().zip(places) {
            let offset = old.ip() as usize - self.at;
            if offset < JUMP {
                // A branch that was rewritten has no single place; only the first may be one.
                let place = place.or((offset == 0).then_some(0)).ok_or(Refusal::Unmovable)?;
                starts.push((self.at + offset, to + place));
            }
        }
        if let Some(call) = call {
            starts.push((call.ip() as usize, to + code.len()));
            starts.retain(|(from, _)| from - self.at < JUMP);
            // The callee must return to the original place: push that address and jump.
            let back = call.next_ip().to_le_bytes();
            code.push(0x68);
            code.extend(&back[..4]);
            code.extend([0xc7, 0x44, 0x24, 0x04]);
            code.extend(&back[4..]);
            let (jump, _) = encode(&[as_jump(call)], to + code.len())?;
            code.extend(jump);
            return Ok(Moved { code, starts });
        }
        code.extend(far_jump(self.at + self.length));
        Ok(Moved { code, starts })
    }
}

/// Instructions as they are to stand at `to`, and where each stands then, if in one place.
fn encode(instructions: &[Instruction], to: usize) -> Result<(Vec<u8>, Vec<Option<usize>>), Refusal> {
    let block = InstructionBlock::new(instructions, to as u64);
    let options = BlockEncoderOptions::RETURN_NEW_INSTRUCTION_OFFSETS;
    let encoded = BlockEncoder::encode(64, block, options).map_err(|_| Refusal::NoRoom)?;
    let place = |place: u32| (place != u32::MAX).then_some(place as usize);
    Ok((encoded.code_buffer, encoded.new_instruction_offsets.into_iter().map(place).collect()))
}

fn is_call(instruction: &Instruction) -> bool {
    matches!(instruction.flow_control(), FlowControl::Call | FlowControl::IndirectCall)
}

/// Whether it is no call, or one that a push and a jump can stand for.
fn call_can_move(instruction: &Instruction) -> bool {
    match instruction.flow_control() {
        FlowControl::Call => instruction.code() == Code::Call_rel32_64,
        FlowControl::IndirectCall => {
            let by_stack = instruction.op0_kind() == OpKind::Memory && instruction.memory_base() == Register::RSP;
            instruction.code() == Code::Call_rm64 && !by_stack && instruction.op0_register() != Register::RSP
        }
        _ => true,
    }
}

fn as_jump(call: &Instruction) -> Instruction {
    let mut jump = *call;
    jump.set_code(if call.code() == Code::Call_rel32_64 { Code::Jmp_rel32_64 } else { Code::Jmp_rm64 });
    jump
}

/// A jump to anywhere: `jmp [rip+0]` and the address.
pub fn far_jump(to: usize) -> [u8; 14] {
    let mut code = [0; 14];
    code[..2].copy_from_slice(&[0xff, 0x25]);
    code[6..].copy_from_slice(&(to as u64).to_le_bytes());
    code
}

/// The jump from `at` to `to`; `None` where that is too far.
pub fn near_jump(at: usize, to: usize) -> Option<[u8; JUMP]> {
    let distance = i32::try_from((to as i64).wrapping_sub((at + JUMP) as i64)).ok()?;
    let mut code = [0xe9; JUMP];
    code[1..].copy_from_slice(&distance.to_le_bytes());
    Some(code)
}

/// Length of a function whose symbol has none: up to its first return, or to where nothing more can be read.
pub fn length_of(code: &[u8], address: usize) -> usize {
    let decoder = Decoder::with_ip(64, code, address as u64, DecoderOptions::NONE);
    let end = |i: &Instruction| matches!(i.flow_control(), FlowControl::Return) || i.is_invalid();
    let last = decoder.into_iter().find(end);
    last.map_or(code.len().saturating_sub(LONGEST), |i| i.next_ip() as usize - address)
}

#[cfg(test)]
mod tests {
    use super::*;

    const AT: usize = 0x40_1000;

    fn refused(code: &[u8]) -> Refusal {
        look(code, AT, &[]).expect_err("a refusal")
    }

    #[test]
    fn whole_instructions_are_taken_and_an_endbr_stays() {
        // push rbp; mov rbp,rsp; sub rsp,16; ret
        let code = [0x55, 0x48, 0x89, 0xe5, 0x48, 0x83, 0xec, 0x10, 0xc3];
        let plain = look(&code, AT, &[]).expect("a prologue");
        assert_eq!((plain.at, plain.length), (AT, 8));
        let starts = plain.moved(AT + 0x1000).expect("moved").starts;
        assert_eq!(starts, [(AT, AT + 0x1000), (AT + 1, AT + 0x1001), (AT + 4, AT + 0x1004)]);
        let with: Vec<u8> = [0xf3, 0x0f, 0x1e, 0xfa].into_iter().chain(code).collect();
        let with = look(&with, AT, &[]).expect("a prologue");
        assert_eq!((with.at, with.length), (AT + 4, 8));
    }

    #[test]
    fn a_jump_leads_to_where_its_bytes_trap_at_each_instruction_that_it_replaces() {
        // push rbp; mov rbp,rsp; sub rsp,16; ret: behind 1 and 4 bytes
        let first = look(&[0x55, 0x48, 0x89, 0xe5, 0x48, 0x83, 0xec, 0x10, 0xc3], 1 << 40, &[]).expect("a prologue");
        let behind = first.at + JUMP;
        let traps = crate::trap::BYTES;
        let (low, high) = (first.at - (1 << 31), first.at + (1 << 30));
        assert_eq!(first.highest(low..high, &traps), Some(behind + 0x3fff_ffcc));
        assert_eq!(first.highest(low..high, &traps[..1]), Some(behind - 0x3300_0034));
        for at in [first.highest(low..behind - 0x3300_1000, &traps[..1]), first.highest(low..high - 0x10_0000, &traps)]
        {
            let jump = near_jump(first.at, at.expect("a place")).expect("within reach");
            assert!(traps.contains(&jump[1]) && traps.contains(&jump[4]), "{jump:x?}");
        }
        assert_eq!(first.highest(behind - 0x2000_0000..behind - 0x1000_0000, &traps), None);
        assert_eq!(first.highest(0..0, &traps), None);
        // nop of 5 bytes: anywhere.
        let single = look(&[0x0f, 0x1f, 0x44, 0, 0, 0xc3], 1 << 40, &[]).expect("a prologue");
        assert_eq!(single.highest(low..high, &traps[..1]), Some(high - 1));
    }

    #[test]
    fn what_lies_relative_to_the_code_is_found_from_elsewhere() {
        // mov eax,[rip+0x10]; ret
        let code = [0x8b, 0x05, 0x10, 0, 0, 0, 0xc3];
        let moved = look(&code, AT, &[]).expect("a prologue").moved(AT + 0x1000).expect("moved");
        let offset = i32::from_le_bytes(moved.code[2..6].try_into().expect("four bytes"));
        assert_eq!(offset, 0x10 - 0x1000);
        assert_eq!(&moved.code[6..], far_jump(AT + 6));
    }

    #[test]
    fn a_call_returns_to_where_it_stood() {
        // push rax; call +0x100; ret
        let code = [0x50, 0xe8, 0, 1, 0, 0, 0xc3];
        let moved = look(&code, AT, &[]).expect("a prologue").moved(AT + 0x1000).expect("moved");
        assert_eq!(moved.starts, [(AT, AT + 0x1000), (AT + 1, AT + 0x1001)]);
        let (pushed, high) = (AT + 6, [0xc7, 0x44, 0x24, 0x04, 0, 0, 0, 0]);
        assert_eq!(moved.code[1..6], [&[0x68], &(pushed as u32).to_le_bytes()[..]].concat());
        assert_eq!(moved.code[6..14], high);
        let distance = i32::from_le_bytes(moved.code[15..19].try_into().expect("four bytes"));
        assert_eq!((moved.code[14], AT + 0x1000 + 19 + distance as usize), (0xe9, AT + 6 + 0x100));
    }

    #[test]
    fn what_cannot_be_replaced_is_named() {
        assert_eq!(refused(&[0x31, 0xc0, 0xc3]), Refusal::TooShort(3)); // xor eax,eax; ret
        assert_eq!(refused(&[0x31, 0xc0, 0xc3, 0x90, 0x90, 0x90]), Refusal::TooShort(3));
        // xor eax,eax; inc eax; dec edi; jnz to the inc; ret
        assert_eq!(refused(&[0x31, 0xc0, 0xff, 0xc0, 0xff, 0xcf, 0x75, 0xfa, 0xc3]), Refusal::BranchIntoEntry);
        // sub edi,1; mov eax,edi; jnz to the entry; ret
        assert_eq!(refused(&[0x83, 0xef, 0x01, 0x89, 0xf8, 0x75, 0xf9, 0xc3]), Refusal::BranchIntoEntry);
        assert_eq!(refused(&[0x50, 0xff, 0x54, 0x24, 0x08, 0xc3]), Refusal::Unmovable); // push rax; call [rsp+8]; ret
        // push rbx; call rdi; mov rbx,rax; ret: the call would return into the jump.
        assert_eq!(refused(&[0x53, 0xff, 0xd7, 0x48, 0x89, 0xc3, 0xc3]), Refusal::Unmovable);
        // Code elsewhere that belongs to the function: jmp into it.
        let code = [0x55, 0x48, 0x89, 0xe5, 0x48, 0x83, 0xec, 0x10, 0xc3];
        let cold = [0xe9, 0xfc, 0xef, 0xff, 0xff];
        assert_eq!(look(&code, AT, &[(&cold, AT + 0x1000)]).expect_err("a refusal"), Refusal::BranchIntoEntry);
    }

    #[test]
    fn a_jump_knows_how_far_it_reaches() {
        assert_eq!(near_jump(0x1000, 0x1005), Some([0xe9, 0, 0, 0, 0]));
        assert_eq!(near_jump(0x1000, 0x1_0000_0000_0000), None);
    }

    #[test]
    fn the_length_of_a_nameless_function_is_up_to_its_return() {
        assert_eq!(length_of(&[0x31, 0xc0, 0xc3, 0x90, 0x90], AT), 3);
    }
}
