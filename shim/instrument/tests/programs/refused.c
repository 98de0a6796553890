/* Functions and variables that cannot be had, each with its reason; and what can be done with those that can. */
#include "probe.h"
#include <string.h>
#include <sys/prctl.h>

#ifndef PR_SET_MDWE
#define PR_SET_MDWE 65
#define PR_MDWE_REFUSE_EXEC_GAIN 1UL
#endif
#define NOINLINE __attribute__((noinline, noclone))

__asm__(".text\n.globl tiny\n.type tiny,@function\ntiny: xor %eax,%eax\nret\n.size tiny,.-tiny\n"
        ".globl looping\n.type looping,@function\nlooping: xor %eax,%eax\n1: inc %eax\ndec %edi\njnz 1b\nret\n"
        ".size looping,.-looping\n"
        ".globl relative\n.type relative,@function\nrelative: mov number(%rip),%eax\nret\n.size relative,.-relative\n"
        ".globl branching\n.type branching,@function\nbranching: test %edi,%edi\nje 2f\nmov $1,%eax\nret\n"
        "2: mov $2,%eax\nret\n.size branching,.-branching\n"
        ".section .note.GNU-stack,\"\",@progbits\n.text\n");
int tiny(void);
int looping(int n);
int relative(void);
int branching(int n);
int number = 4711;

static int chosen_one(void) { return 5; }
static int (*choose(void))(void) { return chosen_one; }
int chosen(void) __attribute__((ifunc("choose")));

__thread int own = 3;
double factor = 0.5;
static short small = 9;
char text[32] = "unset";

NOINLINE int original(int a, double b, float c, long d)
{
    __asm__ volatile("");
    return a + (int)(b * 10) + (int)(c * 100) + (int)d;
}
NOINLINE int other(int a, double b, float c, long d)
{
    __asm__ volatile("");
    return -(a + (int)b + (int)c + (int)d);
}
__attribute__((patchable_function_entry(5))) NOINLINE int patchable(int n)
{
    __asm__ volatile("");
    return n + 1;
}

static void refused(const char *name, const char *why)
{
    CHECK(probe_hook(name) < 0);
    printf("%s: %s\n", name, probe_error());
    CHECK(strstr(probe_error(), why));
}

int twin_a(void), twin_b(void);

int main(void)
{
    refused("tiny", "the function has 3 bytes of code; a jump takes 5");
    refused("looping", "a branch leads into the first bytes");
    refused("nowhere", "there is no nowhere");
    refused("factor", "factor is no function");
    refused("twin", "twin is there more than once: ");
    refused("libnothing.so:step", "no program or library called libnothing.so is loaded");
    refused("chosen", "chosen by the dynamic linker");
    refused("memcpy", "chosen by the dynamic linker");
    refused("dlsym", "looks at its caller");

    CHECK(probe_variable("own", 4) == 0 && strstr(probe_error(), "own is thread-local"));
    CHECK(probe_variable("factor", 4) == 0 && strstr(probe_error(), "factor has 8 bytes, not 4"));
    CHECK(probe_variable("original", 4) == 0 && strstr(probe_error(), "original is no variable"));
    CHECK(probe_variable("factor", 8) == (uintptr_t)&factor);
    CHECK(probe_variable("small", 2) == (uintptr_t)&small);
    CHECK(probe_variable("text", 32) == (uintptr_t)text);

    CHECK(probe_in("relative") >= 0 && relative() == 4711);
    CHECK(probe_in("branching") >= 0 && branching(0) == 2 && branching(1) == 1);

    int id = probe_in("original");
    CHECK(original(1, 2, 3, 4) == 325);
    probe_replace(id, probe_function("other"));
    CHECK(original(1, 2, 3, 4) == -10);
    probe_replace(id, 0);
    probe_argument(id, 0, 1, 100);
    CHECK(original(1, 2, 3, 4) == 424);
    double b = 5;
    float c = 0.5f;
    uint64_t bits = 0;
    memcpy(&bits, &b, 8);
    probe_argument(id, 1, 16 + 1, bits);
    bits = 0;
    memcpy(&bits, &c, 4);
    probe_argument(id, 2, 32 + 2, bits);
    probe_argument(id, 3, 2, (uint64_t)-4);
    CHECK(original(1, 2, 3, 4) == 100 + 50 + 50 - 4);
    for (int i = 0; i < 4; i++)
        probe_argument(id, i, 0, 0);
    CHECK(original(1, 2, 3, 4) == 325);

    int patch = probe_in("patchable");
    CHECK(patchable(1) == 2 && probe_calls(patch) == 1);

    /* A function of another library whose entry cannot be changed is led by the calls to it. */
    CHECK(twin_a() + twin_b() == 3);
    int rng = probe_hook("shared_tiny");
    CHECK(rng >= 0 && probe_is_partial(rng));
    int shared_tiny(void);
    CHECK(shared_tiny() == 0 && probe_calls(rng) == 0);
    CHECK(probe_insert(rng) == 0 && shared_tiny() == 0 && probe_calls(rng) == 1 && probe_timed(rng) == 1);
    CHECK(probe_remove(rng) == 0 && shared_tiny() == 0 && probe_calls(rng) == 1);
    printf("a timed call costs %ld ticks\n", probe_cost() / 100);
    CHECK(probe_cost() > 0);

    /* Where the system takes no memory that was written for code (W^X): what is in stays, and nothing more comes in or out. */
    if (prctl(PR_SET_MDWE, PR_MDWE_REFUSE_EXEC_GAIN, 0, 0, 0) == 0) {
        refused("other", "code cannot be made executable");
        CHECK(other(1, 2, 3, 4) == -10);
        CHECK(probe_remove(patch) < 0);
        printf("patchable stays hooked: %s\n", probe_error());
        CHECK(patchable(1) == 2 && probe_calls(patch) == 2);
    } else {
        printf("this kernel knows no W^X\n");
    }
    return 0;
}
