/* tools.c - the functions that the wrappers call: those of another tool if one is preloaded behind us, else MPI's.
 *
 * They are looked up once, at the first wrapped call. A tool that is preloaded before us decides itself whether its calls
 * reach us.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "counted.h"

void *midrun_next[CALLS + 1], *midrun_next_c[CALLS + 1];
__thread uint64_t *midrun_page;

void midrun_calls_set_page(uint64_t *page) { midrun_page = page; }

/* The next function `name`. Where libmidrun-select.so has loaded us, what follows is what follows it. */
static void *next_of(const char *name) {
  void *(*select_next)(const char *) = (void *(*)(const char *))dlsym(RTLD_DEFAULT, "midrun_select_next");
  return select_next ? select_next(name) : dlsym(RTLD_NEXT, name);
}

static void *object(const void *address) {
  Dl_info info;
  return address && dladdr(address, &info) ? info.dli_fbase : NULL;
}

/* The next function `name`, if it is neither in the object of `pname` nor in this one, so that it belongs to another tool. */
static void *chained(const char *name, const char *pname) {
  void *next = next_of(name), *real = dlsym(RTLD_DEFAULT, pname);
  return next && real && object(next) != object(real) && object(next) != object((void *)chained) ? next : NULL;
}

static void resolve(void) {
  char name[80] = "P";
  uint32_t found = 0;
  if (!midrun_reach_mpi()) return;
  for (int i = 1; i <= CALLS; i++) {
    snprintf(name + 1, sizeof name - 1, "%s", midrun_call_names[i]);
    midrun_next[i] = chained(name + 1, name);
    strncat(name, "_c", sizeof name - strlen(name) - 1);
    midrun_next_c[i] = chained(name + 1, name);
    if (midrun_next[i] || midrun_next_c[i]) found = CHAINED;
  }
  __atomic_fetch_or(&midrun_calls_switch, found, __ATOMIC_RELEASE);
  __atomic_fetch_and(&midrun_calls_switch, ~(uint32_t)UNRESOLVED, __ATOMIC_RELEASE);
}

void midrun_calls_resolve(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, resolve);
}

#ifndef MPI_ABI_VERSION /* its Fortran calls the C functions */
/* ---- Fortran -------------------------------------------------------------------------------------- */

/* As midrun_reach_mpi, for the libraries with the Fortran bindings. */
static int promote(struct dl_phdr_info *info, size_t size, void *unused) {
  (void)size, (void)unused;
  const char *name = strrchr(info->dlpi_name, '/');
  if (name && (!strncmp(name, "/libmpi", 7) || !strncmp(name, "/libmpich", 9)))
    dlopen(info->dlpi_name, RTLD_NOLOAD | RTLD_LAZY | RTLD_GLOBAL);
  return 0;
}

/* The next function of a Fortran name. The program was linked against it, so its library is loaded. */
void *midrun_fortran(const char *name, const char *pname) {
  void *found = next_of(name);
  if (!found) found = dlsym(RTLD_DEFAULT, pname);
  if (!found) {
    dl_iterate_phdr(promote, NULL);
    found = next_of(name);
  }
  if (!found) found = dlsym(RTLD_DEFAULT, pname);
  if (found) return found;
  fprintf(stderr, "midrun: no MPI library with %s is in reach: link it with -Wl,--no-as-needed\n", name);
  exit(1);
}

const void *fortran_buffer(const void *buffer) {
  static const void *in_place;
  if (!in_place) in_place = dlsym(RTLD_DEFAULT, "mpi_fortran_in_place_");
  return buffer && buffer == in_place ? MPI_IN_PLACE : buffer;
}

MPI_Status *fortran_status(void *status, MPI_Status *room) {
  if (!status || status == (void *)MPI_F_STATUS_IGNORE) return NULL;
  return PMPI_Status_f2c(status, room) == MPI_SUCCESS ? room : NULL;
}
#endif
