/* Calls that do not return: setjmp and longjmp through hooked functions, and signals, and other stacks. */
#include "probe.h"
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <ucontext.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline, noclone))

static jmp_buf back;
static int volatile sink;

NOINLINE static void leaves(int n)
{
    sink = n;
    if (n % 2)
        longjmp(back, n);
}
NOINLINE static int middle(int n, int depth)
{
    int volatile keep = depth;
    if (depth)
        return middle(n, depth - 1) + (keep - depth);
    leaves(n);
    return 1;
}
NOINLINE static int holder(int n)
{
    int volatile kept = n;
    int came = setjmp(back);
    if (came)
        return -came + (kept - n);
    return middle(n, 5);
}
NOINLINE static int work(int n)
{
    int volatile sum = 0;
    for (int i = 0; i < n; i++)
        sum += i;
    return sum;
}

static atomic_int signals;
NOINLINE static void handled(void) { signals++; }
static void on_signal(int number)
{
    (void)number;
    handled();
    sink = work(3);
}

static ucontext_t home, away;
static char stack[1 << 16];
static int steps;
NOINLINE static int yields(int n)
{
    int volatile keep = n;
    steps++;
    swapcontext(&away, &home);
    return keep;
}
static void coroutine(void)
{
    for (int i = 0; i < 10; i++)
        CHECK(yields(i) == i);
}

/* A thread whose coroutine has its stack above the thread's own. */
static ucontext_t thread_home, thread_away;
static void *high;
NOINLINE static int visits(int n)
{
    int volatile keep = n;
    swapcontext(&thread_away, &thread_home);
    return keep;
}
static void above(void) { CHECK(visits(7) == 7); }
NOINLINE static int outer(int n)
{
    int volatile keep = n;
    swapcontext(&thread_home, &thread_away);
    CHECK(work(4) == 6);
    swapcontext(&thread_home, &thread_away);
    CHECK(work(5) == 10);
    return keep;
}
static void *with_coroutine(void *unused)
{
    int here = 0;
    (void)unused;
    CHECK((uintptr_t)high > (uintptr_t)&here);
    getcontext(&thread_away);
    thread_away.uc_stack.ss_sp = high;
    thread_away.uc_stack.ss_size = sizeof stack;
    thread_away.uc_link = &thread_home;
    makecontext(&thread_away, above, 0);
    CHECK(outer(3) == 3);
    return 0;
}

int main(void)
{
    int holder_id = probe_in("holder"), middle_id = probe_in("middle"), leaves_id = probe_in("leaves");
    for (int i = 0; i < 100; i++)
        CHECK(holder(i) == (i % 2 ? -i : 1));
    CHECK(probe_calls(holder_id) == 100 && probe_timed(holder_id) == 100);
    CHECK(probe_calls(middle_id) == 600 && probe_timed(middle_id) == 300);
    CHECK(probe_calls(leaves_id) == 100 && probe_timed(leaves_id) == 50);
    CHECK(probe_missed() >= 50 * 7 - 7);

    CHECK(probe_hook("setjmp") < 0 && probe_hook("_setjmp") < 0);

    int work_id = probe_in("work"), handled_id = probe_in("handled");
    int signal_id = probe_in("on_signal");
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = on_signal;
    sigaction(SIGALRM, &action, 0);
    struct itimerval often = {{0, 200}, {0, 200}};
    setitimer(ITIMER_REAL, &often, 0);
    for (int i = 0; i < 2000000 || signals < 100; i++)
        CHECK(work(5) == 10);
    memset(&often, 0, sizeof often);
    setitimer(ITIMER_REAL, &often, 0);
    printf("%d signals, %ld handlers seen, %ld calls\n", (int)signals, probe_calls(handled_id), probe_calls(work_id));
    CHECK(probe_calls(work_id) >= 2000000 && probe_calls(handled_id) <= signals && probe_calls(signal_id) <= signals);

    int yields_id = probe_in("yields");
    getcontext(&away);
    away.uc_stack.ss_sp = stack;
    away.uc_stack.ss_size = sizeof stack;
    away.uc_link = &home;
    makecontext(&away, coroutine, 0);
    for (int i = 0; i < 11; i++) {
        swapcontext(&home, &away);
        CHECK(work(4) == 6);
    }
    CHECK(steps == 10 && probe_calls(yields_id) == 10);

    int outer_id = probe_in("outer"), visits_id = probe_in("visits");
    high = mmap(0, sizeof stack, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(high != MAP_FAILED);
    pthread_t thread;
    CHECK(pthread_create(&thread, 0, with_coroutine, 0) == 0 && pthread_join(thread, 0) == 0);
    CHECK(probe_timed(outer_id) == 1 && probe_calls(visits_id) == 1 && probe_timed(visits_id) == 0);
    return 0;
}
