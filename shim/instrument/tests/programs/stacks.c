/* Hooked functions on stacks that lie within the thread's own, are copied away and back, or go on in another thread. */
#define _GNU_SOURCE
#include "probe.h"
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline, noclone))

static int volatile sink;

NOINLINE static int inner(int n)
{
    int volatile keep = n;
    return keep + 1;
}
NOINLINE static int deeper(int n)
{
    int volatile keep = n;
    return inner(inner(keep)) - 1;
}

/* A stack of signals that is a local array: above the frames of the functions that are interrupted. */
static void on_signal(int number) { sink = deeper(number); }
NOINLINE static int interrupted(int n)
{
    int volatile keep = n;
    CHECK(raise(SIGUSR1) == 0);
    CHECK(inner(keep) == keep + 1);
    return keep + deeper(1);
}
NOINLINE static void signals_within(void)
{
    char stack[1 << 16];
    stack_t own = {.ss_sp = stack, .ss_size = sizeof stack}, off = {.ss_flags = SS_DISABLE};
    CHECK(sigaltstack(&own, 0) == 0);
    for (int i = 0; i < 10; i++)
        CHECK(interrupted(i) == i + 2);
    CHECK(sigaltstack(&off, 0) == 0);
}

/* A coroutine whose stack is a local array. */
static ucontext_t home, away;
NOINLINE static int yields(int n)
{
    int volatile keep = n;
    CHECK(deeper(n) == n + 1);
    swapcontext(&away, &home);
    return keep;
}
static void coroutine(void)
{
    for (int i = 0; i < 10; i++)
        CHECK(yields(i) == i);
}
NOINLINE static int resumes(int n)
{
    int volatile keep = n;
    swapcontext(&home, &away);
    CHECK(deeper(n) == n + 1);
    return keep;
}
NOINLINE static void coroutine_within(void)
{
    char stack[1 << 16];
    getcontext(&away);
    away.uc_stack.ss_sp = stack;
    away.uc_stack.ss_size = sizeof stack;
    away.uc_link = &home;
    makecontext(&away, coroutine, 0);
    for (int i = 0; i < 11; i++)
        CHECK(resumes(i) == i);
}

/* Two threads of control take turns on the same addresses: the frames of the other are copied away meanwhile. */
static ucontext_t start, manager, one[2];
static char *base, *copies[2];
static size_t sizes[2];
static int volatile begun;
static int current;
NOINLINE static int turns(int own)
{
    int volatile keep = own;
    swapcontext(&one[own], &manager);
    return keep + deeper(1);
}
NOINLINE static void frames(int own)
{
    for (int i = 0; i < 5; i++)
        CHECK((own ? deeper(3) : 4) == 4 && turns(own) == own + 2);
}
static void manage(void)
{
    for (int turn = 1; turn < 10; turn++) {
        char *top = (char *)one[current].uc_mcontext.gregs[REG_RSP] - 128;
        sizes[current] = (size_t)(base - top);
        copies[current] = realloc(copies[current], sizes[current]);
        memcpy(copies[current], top, sizes[current]);
        current = 1 - current;
        if (turn == 1) {
            begun = 1;
            swapcontext(&manager, &start);
        } else {
            memcpy(base - sizes[current], copies[current], sizes[current]);
            swapcontext(&manager, &one[current]);
        }
    }
    memcpy(base - sizes[0], copies[0], sizes[0]); /* the first ends, then the program goes on */
    setcontext(&one[0]);
}
NOINLINE static void copied(void)
{
    static char stack[1 << 16];
    getcontext(&manager);
    manager.uc_stack.ss_sp = stack;
    manager.uc_stack.ss_size = sizeof stack;
    makecontext(&manager, manage, 0);
    base = __builtin_frame_address(0);
    base -= 4096;
    getcontext(&start);
    char *here = __builtin_alloca(8192 + 64 * (size_t)begun); /* the second's frames lie lower, or higher than some of the first's */
    memset(here, 0, 64);
    frames(begun);
}

/* A thread's frames go on in another thread. */
static ucontext_t moved, waits;
static atomic_int ready;
static void *takes_over(void *unused)
{
    while (!ready)
        usleep(1000);
    CHECK(deeper(1) == 2);
    setcontext(&moved);
    return unused;
}
static void sleeps(void)
{
    ready = 1;
    for (;;)
        pause();
}
NOINLINE static int goes_on(int n)
{
    int volatile keep = n;
    static char stack[1 << 16];
    getcontext(&waits);
    waits.uc_stack.ss_sp = stack;
    waits.uc_stack.ss_size = sizeof stack;
    makecontext(&waits, sleeps, 0);
    swapcontext(&moved, &waits);
    CHECK(deeper(3) == 4);
    return keep;
}

int main(void)
{
    alarm(100); /* against a hang */
    static const char *const names[] = {"inner", "deeper", "interrupted", "yields", "resumes", "turns", "frames", "goes_on", "on_signal"};
    for (unsigned k = 0; k < sizeof names / sizeof *names; k++)
        probe_in(names[k]);
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = on_signal;
    action.sa_flags = SA_ONSTACK;
    CHECK(sigaction(SIGUSR1, &action, 0) == 0);
    signals_within();
    coroutine_within();
    copied();
    pthread_t other;
    CHECK(pthread_create(&other, 0, takes_over, 0) == 0);
    CHECK(goes_on(5) == 5);
    CHECK(probe_calls(0) > 100);
    _Exit(0); /* in the other thread */
}
