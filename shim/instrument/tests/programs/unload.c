/* Libraries that the program unloads, and files that are replaced while their library is loaded. */
#include "probe.h"
#include <dlfcn.h>
#include <string.h>

typedef long plugged_t(long, double);

static plugged_t *plugged(void *library)
{
    plugged_t *function = library ? (plugged_t *)dlsym(library, "plugged") : 0;
    if (!function)
        fprintf(stderr, "%s\n", dlerror());
    return function;
}

int main(int argc, char **argv)
{
    CHECK(argc == 4);
    void *library = dlopen(argv[1], RTLD_NOW);
    plugged_t *function = plugged(library);
    CHECK(function);
    int id = probe_in("plugged");
    CHECK(function(2, 1.5) == 9 && probe_calls(id) == 1);
    long *value = (long *)probe_variable("plugged_value", sizeof(long));
    CHECK(value && *value == 5);

    /* What was hooked or looked up is still there. */
    CHECK(dlclose(library) == 0);
    *value = 7;
    CHECK(probe_remove(id) == 0 && function(2, 1.5) == 9 && probe_calls(id) == 1);
    CHECK(probe_insert(id) == 0 && function(2, 1.5) == 9 && probe_calls(id) == 2);

    /* The file of a loaded library becomes that of another build: its symbols are elsewhere. */
    CHECK(dlopen(argv[2], RTLD_NOW));
    CHECK(rename(argv[3], argv[2]) == 0);
    CHECK(probe_hook("replaced") < 0 && strstr(probe_error(), "was replaced on disk since it was loaded"));
    CHECK(strstr(probe_error(), "libreplaced.so"));
    return 0;
}
