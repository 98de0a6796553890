// Calls that do not return: exceptions and thread cancellation through hooked functions.
#include "probe.h"
#include <cxxabi.h>
#include <execinfo.h>
#include <pthread.h>
#include <stdexcept>
#include <string>
#include <unistd.h>

#define NOINLINE __attribute__((noinline, noclone))

static int destroyed;
struct Guard {
    NOINLINE ~Guard() { destroyed++; }
};

NOINLINE int thrower(int n)
{
    if (n == 0)
        throw std::runtime_error("thrown");
    return n;
}
NOINLINE int through(int n)
{
    Guard guard;
    return thrower(n) + 1;
}
NOINLINE int deeper(int n, int depth)
{
    Guard guard;
    return depth ? deeper(n, depth - 1) + 1 : through(n);
}
namespace ns {
NOINLINE int catcher(int n)
{
    try {
        return deeper(n, 3);
    } catch (const std::exception &e) {
        return std::string(e.what()) == "thrown" ? -7 : -8;
    }
}
} // namespace ns
NOINLINE int rethrows(int n)
{
    try {
        return ns::catcher(n) == -7 ? thrower(n) : 5;
    } catch (...) {
        throw;
    }
}
NOINLINE int outer(int n)
{
    int a = ns::catcher(n), b = 0;
    try {
        b = rethrows(n);
    } catch (const std::runtime_error &) {
        b = -9;
    }
    return 100 * a + b;
}
NOINLINE static int trace(int n)
{
    void *frames[50];
    int count = backtrace(frames, 50);
    return count > 3 ? n : -1;
}
NOINLINE static int traced(int n) { return trace(n) + 1; }

NOINLINE static void waits(void)
{
    Guard guard;
    for (;;)
        usleep(1000);
}
static void *cancelled(void *)
{
    waits();
    return nullptr;
}

int main()
{
    const char *names[] = {"_Z7throweri", "through(int)", "deeper(int,int)", "ns::catcher", "rethrows(int)", "outer(int)"};
    int plain = outer(0), plain_good = outer(3);
    int before = destroyed;
    outer(0);
    int each = destroyed - before;
    int ids[6];
    for (int i = 0; i < 6; i++)
        ids[i] = probe_in(names[i]);
    for (int round = 0; round < 100; round++) {
        before = destroyed;
        CHECK(outer(0) == plain);
        CHECK(destroyed - before == each);
        CHECK(outer(3) == plain_good);
    }
    // Every call is counted, and each has ended, by return or by exception.
    CHECK(probe_calls(ids[5]) == 200 && probe_timed(ids[5]) == 200);
    CHECK(probe_calls(ids[3]) == 400 && probe_timed(ids[3]) == 400);
    printf("deeper: %ld of %ld calls ended\n", probe_timed(ids[2]), probe_calls(ids[2]));
    // (the compiler may have put some calls of a function into itself)
    CHECK(probe_calls(ids[2]) >= 400 && probe_timed(ids[2]) == probe_calls(ids[2]));
    CHECK(probe_calls(ids[1]) == 400 && probe_timed(ids[1]) == 400);
    CHECK(probe_calls(ids[0]) == 500 && probe_timed(ids[0]) == 500);

    int trace_ids[2] = {probe_in("traced"), probe_in("trace")};
    for (int i = 0; i < 10; i++)
        CHECK(traced(i) == i + 1);
    CHECK(probe_calls(trace_ids[0]) == 10 && probe_calls(trace_ids[1]) == 10);

    int wait_id = probe_in("waits");
    before = destroyed;
    pthread_t thread;
    CHECK(pthread_create(&thread, nullptr, cancelled, nullptr) == 0);
    usleep(20000);
    pthread_cancel(thread);
    void *result;
    CHECK(pthread_join(thread, &result) == 0 && result == PTHREAD_CANCELED);
    CHECK(destroyed - before == 1 && probe_calls(wait_id) == 1);

    // Put in while an exception is on its way, and taken out while a hooked call is open.
    for (int i = 0; i < 6; i++)
        CHECK(probe_remove(ids[i]) == 0);
    CHECK(outer(0) == plain && outer(3) == plain_good);
    return 0;
}
