/* Threads that were interrupted between the first instructions of a function, and go on there only after a hook was put in. */
#define _GNU_SOURCE
#include "probe.h"
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <ucontext.h>
#include <unistd.h>

/* What the handler does with the thread that it has interrupted between the first instructions. */
static enum { SLEEPS, LOOPS, SWITCHES, HOOKS } volatile what;
static atomic_int caught, over;
static int id;
static ucontext_t suspended, scheduler;

/* Instructions begin behind these bytes of the entry: 1 and 4; 2 and 4; 1 to 4; 1 and 4 across blocks of 16 bytes. */
__asm__(".text\n"
        ".macro function name\n"
        ".globl \\name\n .type \\name, @function\n"
        "\\name:\n"
        ".endm\n"
        ".p2align 4\n"
        "function frame\n push %rbp\n mov %rsp, %rbp\n lea (%rdi,%rdi,2), %rax\n pop %rbp\n ret\n .size frame, .-frame\n"
        ".p2align 4\n"
        "function wide\n push %r15\n push %r14\n push %r13\n lea (%rdi,%rdi,2), %rax\n"
        " pop %r13\n pop %r14\n pop %r15\n ret\n .size wide, .-wide\n"
        ".p2align 4\n"
        "function narrow\n push %rbp\n push %rbx\n push %rcx\n push %rdx\n push %rsi\n lea (%rdi,%rdi,2), %rax\n"
        " pop %rsi\n pop %rdx\n pop %rcx\n pop %rbx\n pop %rbp\n ret\n .size narrow, .-narrow\n"
        ".p2align 4\n .skip 13\n"
        "function across\n push %rbp\n mov %rsp, %rbp\n lea (%rdi,%rdi,2), %rax\n pop %rbp\n ret\n .size across, .-across\n");
long frame(long x), wide(long x), narrow(long x), across(long x);
static long (*step)(long x);

static void on_signal(int number, siginfo_t *info, void *context)
{
    (void)number;
    (void)info;
    uintptr_t at = (uintptr_t)((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP];
    if (caught || at <= (uintptr_t)step || at >= (uintptr_t)step + 5)
        return;
    caught = 1;
    if (what == HOOKS) {
        CHECK(probe_insert(id) == 0);
        caught = 2;
    } else if (what == SWITCHES)
        swapcontext(&suspended, &scheduler);
    else
        while (caught < 2)
            what == SLEEPS ? usleep(1000) : sched_yield();
}
static void calls(void)
{
    while (caught < 2 || (what != HOOKS && !over))
        CHECK(step(2) == 6);
    CHECK(step(2) == 6);
}
static void *thread(void *unused)
{
    static char alternate[1 << 16];
    stack_t other = {.ss_sp = alternate, .ss_size = sizeof alternate};
    if (what == SLEEPS)
        CHECK(sigaltstack(&other, 0) == 0);
    static char stack[1 << 16];
    if (what == SWITCHES) {
        getcontext(&suspended);
        suspended.uc_stack.ss_sp = stack;
        suspended.uc_stack.ss_size = sizeof stack;
        suspended.uc_link = &scheduler;
        makecontext(&suspended, calls, 0);
        swapcontext(&scheduler, &suspended);
        while (caught < 2)
            usleep(1000);
        swapcontext(&scheduler, &suspended); /* goes on where the signal came */
        return unused;
    }
    calls();
    return unused;
}

int main(void)
{
    alarm(300); /* against a hang */
    static struct {
        const char *name;
        long (*call)(long x);
    } const all[] = {{"frame", frame}, {"wide", wide}, {"narrow", narrow}, {"across", across}};
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_sigaction = on_signal;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART;
    CHECK(sigaction(SIGALRM, &action, 0) == 0 && sigaction(SIGUSR1, &action, 0) == 0);

    for (unsigned k = 0; k < sizeof all / sizeof *all; k++) {
        step = all[k].call;
        id = probe_hook(all[k].name);
        CHECK(id >= 0);
        for (what = SLEEPS; what <= SWITCHES; what++)
            for (int round = 0; round < 2; round++) {
                caught = over = 0;
                pthread_t other;
                CHECK(pthread_create(&other, 0, thread, 0) == 0);
                while (!caught) {
                    CHECK(pthread_kill(other, SIGUSR1) == 0);
                    sched_yield();
                }
                usleep(5000);
                long before = probe_calls(id);
                while (probe_insert(id) != 0) {
                    CHECK(strstr(probe_error(), "block"));
                    usleep(1000);
                }
                caught = 2;
                while (probe_calls(id) == before)
                    usleep(1000);
                over = 1;
                CHECK(pthread_join(other, 0) == 0);
                CHECK(probe_remove(id) == 0);
            }

        /* The only thread, in a handler over its own interrupted instruction. */
        what = HOOKS;
        for (int round = 0; round < 2; round++) {
            caught = 0;
            struct itimerval often = {{0, 100}, {0, 100}};
            CHECK(setitimer(ITIMER_REAL, &often, 0) == 0);
            calls();
            memset(&often, 0, sizeof often);
            CHECK(setitimer(ITIMER_REAL, &often, 0) == 0);
            CHECK(probe_calls(id) > 0 && probe_remove(id) == 0);
        }
    }
    return 0;
}
