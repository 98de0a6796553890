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
#elif defined MPI_ABI_VERSION
  static const char *const names[] = {"libmpi_abi.so.1", "libmpi_abi.so"};
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

/* An interpreter can load another MPI than the launcher's, for which this library was chosen. Its handles differ from ours, so
 * this rank is not tuned: while nothing is switched on, the wrappers pass their arguments on unchanged. */
static int is_our_mpi(const char *version) {
  /* Of the two libraries of one MPI, only that of the standard ABI answers with the ABI's version. */
  int (*abi_version)(int *, int *) = (int (*)(int *, int *))dlsym(RTLD_DEFAULT, "PMPI_Abi_get_version");
  int abi = -1, minor;
  if (abi_version && abi_version(&abi, &minor) != MPI_SUCCESS) abi = -1;
#ifdef MPI_ABI_VERSION
  (void)version;
  int ours = abi == MPI_ABI_VERSION;
#elif defined OPEN_MPI
  int ours = abi < 0 && !strncmp(version, "Open MPI", 8);
#else
  int ours = abi < 0 && strncmp(version, "Open MPI", 8) != 0;
#endif
  if (!ours) fputs("midrun: the program's MPI is not the one that its launcher belongs to, so this rank is not tuned\n", stderr);
  return ours;
}

/* The MPI's name and version; NULL where this rank cannot be tuned. */
const char *midrun_our_mpi(void) {
  static char version[8192 + MPI_MAX_LIBRARY_VERSION_STRING]; /* as long as any MPI's */
  int length = 0;
  if (PMPI_Get_library_version(version, &length) != MPI_SUCCESS) return NULL;
  if (!is_our_mpi(version) || !midrun_handles_are_bound()) return NULL;
  /* Keep the text up to the first comma or end of line. MPICH separates words by tabs. */
  version[strcspn(version, ",\n\r")] = '\0';
  for (char *c = version; *c; c++)
    if (*c == '\t') *c = ' ';
  return version;
}

#pragma weak PMPI_Initialized
/* Whether MPI may be called: between MPI_Init and MPI_Finalize. */
int midrun_mpi_ready(void) {
  int begun = 0, ended = 0;
  if (!PMPI_Initialized || PMPI_Initialized(&begun) != MPI_SUCCESS || !begun) return 0;
  return PMPI_Finalized(&ended) == MPI_SUCCESS && !ended;
}

/* Errors on a communicator or window come back to the caller. Not by MPI_ERRORS_RETURN: in the standard ABI, MPICH 5.0.2 has the value of
 * MPI_ERRORS_ABORT for it. */
#define ERRORS_RETURN(Kind, kind)                                                            \
  static void keep_##kind(MPI_##Kind *object, int *code, ...) { (void)object, (void)code; }  \
  int midrun_##kind##_errors_return(MPI_##Kind object) {                                     \
    MPI_Errhandler own;                                                                      \
    int status = PMPI_##Kind##_create_errhandler(keep_##kind, &own);                         \
    if (status != MPI_SUCCESS) return status;                                                \
    status = PMPI_##Kind##_set_errhandler(object, own);                                      \
    PMPI_Errhandler_free(&own);                                                              \
    return status;                                                                           \
  }
ERRORS_RETURN(Comm, comm)
ERRORS_RETURN(Win, win)
