//! The processor's state: keeps all of it around code that may use any register, and reads the thread's own word.

use crate::refusal::Refusal;
use std::arch::{global_asm, x86_64::__cpuid_count};
use std::ffi::c_void;
use std::sync::atomic::{AtomicU64, Ordering};

unsafe extern "C" {
    fn midrun_instrument_saved(body: extern "C" fn(*mut c_void), argument: *mut c_void);
    fn midrun_instrument_thread() -> *mut usize;
}

/// Bytes and components of the state that [`saved`] keeps.
static STATE_BYTES: AtomicU64 = AtomicU64::new(0);
static STATE_MASK: AtomicU64 = AtomicU64::new(0);

global_asm!(
    r#"
    .text
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
    bytes = sym STATE_BYTES,
    mask = sym STATE_MASK,
);

/// This thread's own word, found without `__tls_get_addr`, which may allocate.
#[inline]
pub fn local() -> *mut usize {
    // SAFETY: the function takes nothing and only computes the address of this thread's word.
    unsafe { midrun_instrument_thread() }
}

/// Finds out what [`saved`] has to keep; called before its first use.
///
/// # Errors
/// A processor or kernel without XSAVE.
pub fn learn_state() -> Result<(), Refusal> {
    /// x87, SSE, AVX, and the three of AVX-512: the registers that a compiler may use unasked.
    const COMPONENTS: u64 = 0xe7;
    const OSXSAVE: u32 = 1 << 27;
    if STATE_MASK.load(Ordering::Relaxed) != 0 {
        return Ok(());
    }
    if __cpuid_count(1, 0).ecx & OSXSAVE == 0 {
        return Err(Refusal::Processor("XSAVE"));
    }
    // SAFETY: OSXSAVE says that the instruction is there.
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

/// Runs `body` and restores all of the processor's registers after it.
#[cold]
pub fn saved<F: FnMut()>(mut body: F) {
    extern "C" fn run<F: FnMut()>(body: *mut c_void) {
        // SAFETY: `saved` passes its own closure, and waits for this call.
        let body = unsafe { &mut *body.cast::<F>() };
        // A panic must not reach the program; the caller sees that its result is missing.
        let _ = std::panic::catch_unwind(std::panic::AssertUnwindSafe(body));
    }
    // SAFETY: `run::<F>` gets a closure of type F, which lives until it returns; `learn_state` has run (see there).
    unsafe { midrun_instrument_saved(run::<F>, (&raw mut body).cast()) };
}
