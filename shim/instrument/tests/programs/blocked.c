/* SIGTRAP is the program's, too: threads that block it, a handler and signals of the program's own, processes made by vfork. */
#include "probe.h"
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline, noclone))

static int pipe_ends[2];
static atomic_int ready, over, own_traps;

/* Several short instructions at the entry. */
NOINLINE long step(long x, double y)
{
    long volatile keep = x;
    return keep * 3 + (long)(y * 2);
}
NOINLINE long other(long x, double y)
{
    long volatile keep = x;
    return keep * 5 + (long)(y * 2);
}

static void block(int how)
{
    sigset_t trap;
    sigemptyset(&trap);
    sigaddset(&trap, SIGTRAP);
    CHECK(pthread_sigmask(how, &trap, 0) == 0);
}
static void *sleeps_blocked(void *unused)
{
    char byte;
    block(SIG_BLOCK);
    ready = 1;
    CHECK(read(pipe_ends[0], &byte, 1) == 1);
    return unused;
}
static void *runs(void *unused)
{
    while (!over)
        CHECK(step(2, 1.5) == 9 && other(2, 1.5) == 13);
    return unused;
}
static void *waits_for_child(void *unused)
{
    char byte;
    pid_t child = vfork();
    if (child == 0) { /* in this memory, with handlers of its own */
        ready = 2;
        CHECK(read(pipe_ends[0], &byte, 1) == 1);
        _exit(probe_insert(*(int *)unused) == 0 || !strstr(probe_error(), "does not show all threads"));
    }
    int status;
    CHECK(waitpid(child, &status, 0) == child && status == 0);
    return unused;
}
static void on_trap(int number)
{
    (void)number;
    own_traps++;
}

int main(void)
{
    alarm(300); /* against a hang */
    pthread_t thread;
    int id = probe_hook("step"), other_id = probe_hook("other");
    CHECK(id >= 0 && other_id >= 0 && pipe(pipe_ends) == 0);

    /* It sleeps now, and may wake while breakpoints are set. */
    CHECK(pthread_create(&thread, 0, sleeps_blocked, 0) == 0);
    while (!ready)
        usleep(1000);
    usleep(20000);
    CHECK(probe_insert(id) != 0 && strstr(probe_error(), "block SIGTRAP"));
    CHECK(write(pipe_ends[1], "x", 1) == 1 && pthread_join(thread, 0) == 0);

    CHECK(pthread_create(&thread, 0, waits_for_child, &id) == 0);
    while (ready != 2)
        usleep(1000);
    usleep(20000);
    CHECK(probe_insert(id) != 0 && strstr(probe_error(), "vfork"));
    CHECK(write(pipe_ends[1], "x", 1) == 1 && pthread_join(thread, 0) == 0);

    CHECK(pthread_create(&thread, 0, runs, 0) == 0);
    block(SIG_BLOCK); /* the calling thread itself */
    CHECK(probe_insert(id) != 0 && strstr(probe_error(), "block SIGTRAP"));
    block(SIG_UNBLOCK);
    while (probe_insert(id) != 0) { /* a thread that is just being started blocks all signals */
        CHECK(strstr(probe_error(), "block SIGTRAP"));
        usleep(1000);
    }

    /* The program takes SIGTRAP for itself; its own traps are its own, and those of hooks are not. */
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = on_trap;
    CHECK(sigaction(SIGTRAP, &action, 0) == 0);
    for (int i = 0; i < 100; i++) {
        CHECK(probe_insert(other_id) == 0);
        CHECK(probe_remove(other_id) == 0);
    }
    CHECK(raise(SIGTRAP) == 0 && own_traps == 1);
    /* Sent to a thread behind any instruction, also behind one where a trap was. */
    for (int i = 0; i < 20000; i++)
        CHECK(pthread_kill(thread, SIGTRAP) == 0);
    CHECK(own_traps > 1);
    over = 1;
    pthread_join(thread, 0);
    printf("%ld calls seen, %ld of the other\n", probe_calls(id), probe_calls(other_id));
    CHECK(probe_calls(id) > 0);
    return 0;
}
