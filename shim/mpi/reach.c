/* reach.c - finds the MPI library of this process, and says whether it may be called. The floor that the other C files stand on. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <string.h>

#include "parts.h"

/* An interpreter that loads MPI as a plug-in keeps MPI's names out of the global scope. This promotes the loaded library to
 * it; otherwise a preloaded shim would call address 0. */
static int promote(struct dl_phdr_info *info, size_t size, void *unused) {
  (void)size, (void)unused;
  const char *name = strrchr(info->dlpi_name, '/');
  /* Cray's name has the compiler in it: libmpi_gnu_91.so.12. */
  if (!name || strncmp(name, "/libmpi", 7) || (name[7] != '.' && name[7] != '_' && strncmp(name, "/libmpich", 9))) return 0;
  return dlopen(info->dlpi_name, RTLD_NOLOAD | RTLD_LAZY | RTLD_GLOBAL) && dlsym(RTLD_DEFAULT, "PMPI_Init");
}

/* Last resort: if a program calls only MPI functions that we define, a linker that drops unneeded libraries drops the MPI
 * library. */
static int load(void) {
#ifdef OPEN_MPI
  static const char *const names[] = {"libmpi.so.40", "libmpi.so"};
#else
  static const char *const names[] = {"libmpich.so.12", "libmpi.so.12", "libmpi.so"};
#endif
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (dlopen(names[i], RTLD_LAZY | RTLD_GLOBAL)) return 1;
  return 0;
}

/* Returns 0 if no MPI library can be found. */
int midrun_reach_mpi(void) {
  if (dlsym(RTLD_DEFAULT, "PMPI_Init")) return 1;
  if (dl_iterate_phdr(promote, NULL)) return 1;
  if (load()) return 1;
  fputs("midrun: this program is linked without an MPI library: link with -Wl,--no-as-needed\n", stderr);
  return 0;
}

/* Open MPI's handles are addresses of data, bound when we were loaded. Without them this rank cannot be tuned. */
int midrun_handles_are_bound(void) {
#ifdef OPEN_MPI
  if (dlsym(RTLD_DEFAULT, "ompi_mpi_comm_world") != (void *)MPI_COMM_WORLD) {
    fputs("midrun: MPI was loaded after midrun, so this rank is not tuned; link with -Wl,--no-as-needed\n", stderr);
    return 0;
  }
#endif
  return 1;
}

#pragma weak PMPI_Initialized
/* Whether MPI may be called: between MPI_Init and MPI_Finalize. */
int midrun_mpi_ready(void) {
  int begun = 0, ended = 0;
  if (!PMPI_Initialized || PMPI_Initialized(&begun) != MPI_SUCCESS || !begun) return 0;
  return PMPI_Finalized(&ended) == MPI_SUCCESS && !ended;
}
