/* Hooks are put in and taken out while four threads run the functions. */
#include "probe.h"
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline, noclone))
#define THREADS 4

static atomic_int over;
static atomic_long calls;

/* Several short instructions at the entry: a thread can stand between any two of them. */
NOINLINE long step(long x, double y)
{
    long volatile keep = x;
    return keep * 3 + (long)(y * 2);
}
NOINLINE static long inner(long x)
{
    long volatile keep = x;
    return step(keep, 1.5) + step(keep + 1, 2.5);
}

static void *run(void *argument)
{
    long number = (long)argument, own = 0;
    while (!over) {
        for (int i = 0; i < 1000; i++)
            CHECK(inner(number) == number * 3 + 3 + number * 3 + 3 + 5);
        own += 1000;
        sched_yield();
    }
    calls += own;
    return 0;
}

int main(int argc, char **argv)
{
    long wanted = argc > 1 ? atol(argv[1]) : 50;
    alarm(300); /* against a hang */
    pthread_t threads[THREADS];
    int ids[2] = {probe_hook("step"), probe_hook("inner")};
    CHECK(ids[0] >= 0 && ids[1] >= 0);
    for (long i = 0; i < THREADS; i++)
        CHECK(pthread_create(&threads[i], 0, run, (void *)(i + 2)) == 0);
    long toggles = 0, inserted = 0;
    do {
        for (int i = 0; i < 2; i++) {
            /* A thread that is just being started blocks all signals. */
            if (probe_insert(ids[i]) != 0) {
                CHECK(strstr(probe_error(), "block SIGTRAP"));
                usleep(1000);
                continue;
            }
            for (int k = 0; k < 5 + toggles % 300; k++)
                sched_yield();
            inserted++;
        }
        for (int i = 0; i < 2; i++)
            CHECK(probe_remove(ids[i]) == 0);
        toggles++;
    } while (toggles < wanted || inserted == 0 || probe_calls(ids[1]) == 0);
    over = 1;
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], 0);
    printf("%ld toggles, %ld of %ld insertions, %ld calls, of those %ld seen\n", toggles, inserted, 2 * toggles,
           (long)calls, probe_calls(ids[1]));
    CHECK(probe_calls(ids[1]) <= calls);
    CHECK(probe_timed(ids[1]) <= probe_calls(ids[1]));
    CHECK(inner(3) == 29);
    return 0;
}
