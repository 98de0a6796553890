/* Functions of many signatures, hooked and not: the results are the same, the calls are counted. */
#include "probe.h"
#include <complex.h>
#include <stdarg.h>
#include <string.h>

#define NOINLINE __attribute__((noinline, noclone))

NOINLINE int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }

NOINLINE static double many(int a, double b, long c, float d, short e, double f, char g, double h, int i, double j,
                            int k, double l, int m, double n, int o, double p, double q, double r)
{
    __asm__ volatile("");
    return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h + 9 * i + 10 * j + 11 * k + 12 * l + 13 * m + 14 * n +
           15 * o + 16 * p + 17 * q + 18 * r;
}

NOINLINE static int sum_of(int count, ...)
{
    va_list list;
    va_start(list, count);
    int sum = 0;
    for (int i = 0; i < count; i++)
        sum += i % 2 ? va_arg(list, int) : (int)va_arg(list, double);
    va_end(list);
    return sum;
}

struct large {
    double values[9];
    int number;
};
NOINLINE static struct large make_large(int n)
{
    struct large l = {{n, n + 1, n + 2}, n * n};
    return l;
}

struct pair {
    long a;
    double b;
};
NOINLINE static struct pair make_pair(long a, double b)
{
    __asm__ volatile("");
    return (struct pair){a + 1, b + 1};
}

NOINLINE static __int128 wide(long a, long b)
{
    __asm__ volatile("");
    return (__int128)a * b;
}
NOINLINE static long double extended(long double x)
{
    __asm__ volatile("");
    return x * 3;
}
NOINLINE static double complex rotate(double complex z)
{
    __asm__ volatile("");
    return z * I;
}
NOINLINE static int by_value(struct large l) { return l.number + (int)l.values[2]; }

typedef double v4 __attribute__((vector_size(32)));
__attribute__((target("avx2"))) NOINLINE static v4 vectors(v4 a, v4 b)
{
    __asm__ volatile("");
    return a * b + a;
}
__attribute__((target("avx2"))) NOINLINE static double all_lanes(int hooked)
{
    v4 a = {1, 2, 3, 4 + hooked * 0}, b = {5, 6, 7, 8}, sum = {0, 0, 0, 0};
    for (int i = 0; i < 3; i++)
        sum += vectors(a, b + (double)i);
    return sum[0] + 10 * sum[1] + 100 * sum[2] + 1000 * sum[3];
}

/* With -O2 the compiler knows which registers this leaves alone and keeps values in them. */
NOINLINE static long modest(long x)
{
    __asm__ volatile("" : "+r"(x));
    return x ^ 0x55;
}
NOINLINE static long around(long n)
{
    long a = n, b = n * 3, c = n * 5, d = n * 7, e = n * 11;
    double f = n * 1.5, g = n * 2.5;
    long r = 0;
    for (long i = 0; i < 50; i++) {
        r += modest(i);
        r += a * i + b - c + d * 2 - e;
        f += g * 1.0001;
    }
    return r + (long)f + a + b + c + d + e;
}

static int compare(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }

static int cpu_has_avx(void) { return __builtin_cpu_supports("avx2"); }

static double everything(int hooked)
{
    double all = fibonacci(16);
    all += many(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18);
    all += sum_of(6, 1.0, 2, 3.0, 4, 5.0, 6);
    struct large l = make_large(4);
    all += l.number + l.values[2] + by_value(l);
    struct pair p = make_pair(3, 4);
    all += p.a * p.b;
    all += (double)(long)(wide(1L << 40, 1L << 30) >> 20);
    all += (double)extended(1.25L);
    double complex z = rotate(2 + 3 * I);
    all += creal(z) * 7 + cimag(z);
    all += (double)around(17);
    if (cpu_has_avx())
        all += all_lanes(hooked);
    int values[] = {5, 3, 9, 1, 7};
    qsort(values, 5, sizeof *values, compare);
    for (int i = 0; i < 5; i++)
        all += values[i] * (i + 1);
    return all;
}

int main(void)
{
    const char *names[] = {"fibonacci", "many", "sum_of", "make_large", "make_pair", "wide", "extended", "rotate",
                           "by_value", "modest", "around", "compare", "everything", "vectors"};
    enum { N = sizeof names / sizeof *names };
    int ids[N];
    double plain = everything(0);
    int hooked = 0;
    for (int i = 0; i < N; i++) {
        ids[i] = probe_hook(names[i]);
        if (ids[i] < 0)
            printf("%s is refused: %s\n", names[i], probe_error());
        hooked += ids[i] >= 0;
    }
    printf("%d of %d functions are hooked\n", hooked, N);
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < N; i++)
            CHECK(ids[i] < 0 || probe_insert(ids[i]) == 0);
        if (round == 2)
            for (int i = 0; i < N; i++)
                if (ids[i] >= 0)
                    probe_handle(ids[i]);
        double with = everything(1);
        CHECK(with == plain);
        for (int i = 0; i < N; i++)
            CHECK(ids[i] < 0 || probe_remove(ids[i]) == 0);
        CHECK(everything(0) == plain);
    }
    if (ids[0] >= 0) {
        /* An optimising compiler puts some of the calls into the function itself. */
        long calls = probe_calls(ids[0]);
#ifdef __OPTIMIZE__
        CHECK(calls > 0 && calls % 3 == 0 && calls <= 3 * 3193);
#else
        CHECK(calls == 3 * 3193);
#endif
        CHECK(probe_timed(ids[0]) == calls);
    }
    if (ids[12] >= 0)
        CHECK(probe_calls(ids[12]) == 3);
    CHECK(probe_handled_entries() > 100 && probe_handled_entries() == probe_handled_exits());
    CHECK(probe_missed() == 0);
    return 0;
}
