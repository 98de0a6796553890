//! The code that runs at the entry and exit of a hooked function: keeps every register that the function or its caller
//! may still need, whatever its signature, and asks `passage` where to go on.
//!
//! The compiler may know that a static function leaves some registers alone that calls usually destroy (`-fipa-ra`), so
//! all of them are kept. Of vector registers the lower 128 bits are: what runs in between, `passage`, is built for
//! baseline x86-64 and calls nothing that uses more, or calls it through [`saved`], which keeps everything.

use crate::refusal::Refusal;
use std::arch::{global_asm, x86_64::__cpuid_count};
use std::ffi::c_void;
use std::sync::atomic::{AtomicU64, Ordering};

unsafe extern "C" {
    fn midrun_instrument_entry();
    fn midrun_instrument_exit();
    fn midrun_instrument_saved(body: extern "C" fn(*mut c_void), argument: *mut c_void);
    fn midrun_instrument_thread() -> *mut usize;
}

/// Bytes and components of the processor's state that [`saved`] keeps.
static STATE_BYTES: AtomicU64 = AtomicU64::new(0);
static STATE_MASK: AtomicU64 = AtomicU64::new(0);

global_asm!(
    r#"
    .macro midrun_keep
        push rbp
        mov rbp, rsp
        push rax
        push rcx
        push rdx
        push rsi
        push rdi
        push r8
        push r9
        push r10
        push r11
        sub rsp, 264
        and rsp, -16
        .irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15
        movaps [rsp + 16 * \n], xmm\n
        .endr
        mov rdi, rbp
        mov rsi, rsp
    .endm
    .macro midrun_give_back
        mov [rbp + 8], rax
        .irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15
        movaps xmm\n, [rsp + 16 * \n]
        .endr
        mov rax, [rbp - 8]
        mov rcx, [rbp - 16]
        mov rdx, [rbp - 24]
        mov rsi, [rbp - 32]
        mov rdi, [rbp - 40]
        mov r8, [rbp - 48]
        mov r9, [rbp - 56]
        mov r10, [rbp - 64]
        mov r11, [rbp - 72]
        mov rsp, rbp
        pop rbp
        lea rsp, [rsp + 8]
        jmp qword ptr [rsp - 8]
    .endm

    .text
    .p2align 4
    .globl midrun_instrument_entry
    .hidden midrun_instrument_entry
    .type midrun_instrument_entry, @function
    midrun_instrument_entry:
        midrun_keep
        call {entered}
        midrun_give_back
    .size midrun_instrument_entry, . - midrun_instrument_entry

    .p2align 4
    nop
    .globl midrun_instrument_exit
    .hidden midrun_instrument_exit
    .type midrun_instrument_exit, @function
    midrun_instrument_exit:
        sub rsp, 8
        midrun_keep
        call {left}
        midrun_give_back
    .size midrun_instrument_exit, . - midrun_instrument_exit

    .p2align 4
    .globl midrun_instrument_saved
    .hidden midrun_instrument_saved
    .type midrun_instrument_saved, @function
    midrun_instrument_saved:
        push rbp
        mov rbp, rsp
        push rbx
        push r12
        mov r12, rdi
        mov rbx, rsi
        sub rsp, qword ptr [rip + {bytes}]
        and rsp, -64
        xor eax, eax
        .irp n, 512,520,528,536,544,552,560,568
        mov [rsp + \n], rax
        .endr
        mov eax, dword ptr [rip + {mask}]
        xor edx, edx
        xsave64 [rsp]
        mov rdi, rbx
        call r12
        mov eax, dword ptr [rip + {mask}]
        xor edx, edx
        xrstor64 [rsp]
        lea rsp, [rbp - 16]
        pop r12
        pop rbx
        pop rbp
        ret
    .size midrun_instrument_saved, . - midrun_instrument_saved

    .p2align 4
    .globl midrun_instrument_thread
    .hidden midrun_instrument_thread
    .type midrun_instrument_thread, @function
    midrun_instrument_thread:
        mov rax, qword ptr [rip + midrun_instrument_local@gottpoff]
        add rax, qword ptr fs:[0]
        ret
    .size midrun_instrument_thread, . - midrun_instrument_thread

    .section .tbss.midrun_instrument_local,"awT",@nobits
    .p2align 3
    .globl midrun_instrument_local
    .hidden midrun_instrument_local
    .type midrun_instrument_local, @object
    midrun_instrument_local:
        .zero 8
    .size midrun_instrument_local, 8
    .text
    "#,
    entered = sym crate::passage::entered,
    left = sym crate::passage::left,
    bytes = sym STATE_BYTES,
    mask = sym STATE_MASK,
);

/// Where the stub of a point jumps to.
pub fn entry() -> usize {
    midrun_instrument_entry as unsafe extern "C" fn() as usize
}

/// What stands in place of a return address.
pub fn exit() -> usize {
    midrun_instrument_exit as unsafe extern "C" fn() as usize
}

/// This thread's own word. Not by way of `__tls_get_addr`, which may allocate.
#[inline]
pub fn local() -> *mut usize {
    // SAFETY: only reads the thread's pointer.
    unsafe { midrun_instrument_thread() }
}

/// Finds out what [`saved`] has to keep. Before the first use.
///
/// # Errors
/// A processor or kernel without XSAVE.
pub fn learn_state() -> Result<(), Refusal> {
    /// x87, SSE, AVX, and the three of AVX-512: what code of a compiler may use unasked.
    const COMPONENTS: u64 = 0xe7;
    const OSXSAVE: u32 = 1 << 27;
    if STATE_MASK.load(Ordering::Relaxed) != 0 {
        return Ok(());
    }
    if __cpuid_count(1, 0).ecx & OSXSAVE == 0 {
        return Err(Refusal::Processor("XSAVE"));
    }
    // SAFETY: there with OSXSAVE.
    let enabled = unsafe { read_xcr0() } & COMPONENTS;
    let end = |component: u32| {
        let place = __cpuid_count(0xd, component);
        u64::from(place.eax) + u64::from(place.ebx)
    };
    let ends = (2..8).filter(|component| enabled & (1 << component) != 0).map(end);
    let bytes = ends.fold(576, u64::max) + 64;
    STATE_BYTES.store(bytes, Ordering::Relaxed);
    STATE_MASK.store(enabled, Ordering::Relaxed);
    Ok(())
}

unsafe fn read_xcr0() -> u64 {
    let (low, high): (u32, u32);
    // SAFETY: the caller has checked that the instruction is there.
    unsafe { std::arch::asm!("xgetbv", in("ecx") 0, out("eax") low, out("edx") high, options(nomem, nostack)) };
    u64::from(low) | u64::from(high) << 32
}

/// Runs `body` with all of the processor's registers kept.
#[cold]
pub fn saved<F: FnMut()>(mut body: F) {
    extern "C" fn run<F: FnMut()>(body: *mut c_void) {
        // SAFETY: the closure of `saved`, which waits for us.
        let body = unsafe { &mut *body.cast::<F>() };
        // A panic must not reach the program. What it leaves behind is the caller's to notice.
        let _ = std::panic::catch_unwind(std::panic::AssertUnwindSafe(body));
    }
    // SAFETY: `run` gets its own closure, which lives until it returns.
    unsafe { midrun_instrument_saved(run::<F>, (&raw mut body).cast()) };
}
