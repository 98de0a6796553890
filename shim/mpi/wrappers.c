/* wrappers.c - where the program's MPI calls pass through us: only its beginning and its end.
 *
 * Compiled once per MPI. Whoever calls MPI_Init (the program, a runtime, a Fortran binding) reaches the function here
 * if libmidrun is linked before the MPI library or preloaded; it calls the real one by its PMPI name.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "parts.h"

/* In an interpreter that loads MPI as a plug-in, MPI's names are not in the global scope when we need them: promote the
 * library that is loaded already. Without this, a preloaded shim would call address 0. */
static int promote(struct dl_phdr_info *info, size_t size, void *unused) {
  (void)size, (void)unused;
  const char *name = strrchr(info->dlpi_name, '/');
  if (!name || (strncmp(name, "/libmpi.so", 10) && strncmp(name, "/libmpich.so", 12))) return 0;
  return dlopen(info->dlpi_name, RTLD_NOLOAD | RTLD_LAZY | RTLD_GLOBAL) != NULL;
}

/* Last resort: a program that calls nothing of MPI but what we define is linked without its MPI library by linkers that
 * keep only what is needed. */
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

/* 0 when there is no MPI in reach. */
int midrun_reach_mpi(void) {
  if (dlsym(RTLD_DEFAULT, "PMPI_Init")) return 1;
  if (dl_iterate_phdr(promote, NULL)) return 1;
  if (load()) return 1;
  fputs("midrun: this program is linked without an MPI library: link with -Wl,--no-as-needed\n", stderr);
  return 0;
}

/* Open MPI's handles are addresses of data, bound when we were loaded: without them this rank cannot be tuned. */
int midrun_handles_are_bound(void) {
#ifdef OPEN_MPI
  if (dlsym(RTLD_DEFAULT, "ompi_mpi_comm_world") != (void *)MPI_COMM_WORLD) {
    fputs("midrun: MPI was loaded after midrun, so this rank is not tuned; link with -Wl,--no-as-needed\n", stderr);
    return 0;
  }
#endif
  return 1;
}

void midrun_initialised(void) {
  if (!midrun_handles_are_bound()) return;
  int rank = 0, size = 0, length = 0;
  char version[MPI_MAX_LIBRARY_VERSION_STRING];
  if (PMPI_Comm_rank(MPI_COMM_WORLD, &rank) != MPI_SUCCESS) return;
  if (PMPI_Comm_size(MPI_COMM_WORLD, &size) != MPI_SUCCESS) return;
  if (PMPI_Get_library_version(version, &length) != MPI_SUCCESS) version[0] = '\0';
  /* One short line: up to the first comma or end of line; MPICH puts tabs between its words. */
  version[strcspn(version, ",\n\r")] = '\0';
  for (char *c = version; *c; c++)
    if (*c == '\t') *c = ' ';
  midrun_spawned_begin();
  /* A started worker is alone in its world; in the job it comes after the ranks that were there. */
  if (midrun_spawned_number() > 0) {
    rank = midrun_spawned_number();
    size = rank + 1;
  }
  midrun_shim_on_init(rank, size, version);
}

/* More workers than ranks may be wanted: they are started by a thread beside the work. */
static int level(int asked) {
  const char *most = getenv("MIDRUN_MAX_WORKERS");
  return most && *most && asked < MPI_THREAD_MULTIPLE ? MPI_THREAD_MULTIPLE : asked;
}

int MPI_Init(int *argc, char ***argv) {
  if (!midrun_reach_mpi()) return MPI_ERR_OTHER;
  if (midrun_spawned_early()) return MPI_SUCCESS;
  midrun_shim_on_before_init();
  int provided, asked = level(MPI_THREAD_SINGLE);
  int status = asked == MPI_THREAD_SINGLE ? PMPI_Init(argc, argv) : PMPI_Init_thread(argc, argv, asked, &provided);
  if (status == MPI_SUCCESS) midrun_initialised();
  return status;
}

int MPI_Init_thread(int *argc, char ***argv, int required, int *provided) {
  if (!midrun_reach_mpi()) return MPI_ERR_OTHER;
  if (midrun_spawned_early()) return PMPI_Query_thread(provided);
  midrun_shim_on_before_init();
  int status = PMPI_Init_thread(argc, argv, level(required), provided);
  if (status == MPI_SUCCESS) midrun_initialised();
  return status;
}

int MPI_Finalize(void) {
  if (!midrun_reach_mpi()) return MPI_ERR_OTHER;
  midrun_spawned_leave();
  midrun_shim_on_finalize();
  return PMPI_Finalize();
}

#ifdef OPEN_MPI
/* Open MPI's Fortran binding calls the PMPI functions directly; MPICH's reaches the C functions above. */
void pmpi_init_(MPI_Fint *status);
void pmpi_init_thread_(MPI_Fint *required, MPI_Fint *provided, MPI_Fint *status);
void pmpi_finalize_(MPI_Fint *status);
#pragma weak pmpi_init_
#pragma weak pmpi_init_thread_
#pragma weak pmpi_finalize_

void mpi_init_(MPI_Fint *status) {
  MPI_Fint asked = level(MPI_THREAD_SINGLE), provided;
  *status = MPI_SUCCESS;
  if (midrun_spawned_early()) return;
  midrun_shim_on_before_init();
  if (asked == MPI_THREAD_SINGLE) pmpi_init_(status);
  else pmpi_init_thread_(&asked, &provided, status);
  if (*status == MPI_SUCCESS) midrun_initialised();
}

void mpi_init_thread_(MPI_Fint *required, MPI_Fint *provided, MPI_Fint *status) {
  MPI_Fint asked = level(*required);
  int given = MPI_THREAD_MULTIPLE;
  if (midrun_spawned_early()) {
    *status = PMPI_Query_thread(&given);
    *provided = given;
    return;
  }
  midrun_shim_on_before_init();
  pmpi_init_thread_(&asked, provided, status);
  if (*status == MPI_SUCCESS) midrun_initialised();
}

void mpi_finalize_(MPI_Fint *status) {
  midrun_spawned_leave();
  midrun_shim_on_finalize();
  pmpi_finalize_(status);
}
#endif
