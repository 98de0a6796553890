/* What libprobe offers, and how a program says that something is not as it should be. */
#pragma once
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#ifdef __cplusplus
extern "C" {
#endif
int probe_hook(const char *name);
const char *probe_error(void);
uintptr_t probe_variable(const char *name, uint64_t bytes);
uintptr_t probe_function(const char *name);
int probe_insert(int id);
int probe_remove(int id);
int probe_is_partial(int id);
void probe_replace(int id, uintptr_t by);
void probe_argument(int id, int at, uint32_t place, uint64_t bits);
void probe_handle(int id);
long probe_handled_entries(void);
long probe_handled_exits(void);
long probe_calls(int id);
long probe_timed(int id);
long probe_ticks(int id);
long probe_cost(void);
long probe_missed(void);
#ifdef __cplusplus
}
#endif

#define CHECK(what)                                                                                   \
    do {                                                                                              \
        if (!(what)) {                                                                                \
            const char *why = probe_error();                                                          \
            fprintf(stderr, "%s:%d: %s does not hold (%s)\n", __FILE__, __LINE__, #what, why ? why : ""); \
            fflush(stdout);                                                                           \
            _Exit(1);                                                                                 \
        }                                                                                             \
    } while (0)

/* Hooks a function and puts the hook in. */
static inline int probe_in(const char *name)
{
    int id = probe_hook(name);
    CHECK(id >= 0);
    CHECK(probe_insert(id) == 0);
    return id;
}
