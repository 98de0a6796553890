/* wrappers.c - the life cycle: the wrappers of MPI_Init, MPI_Init_thread, MPI_Finalize and of sessions; the others are in calls.c and fortran.c.
 *
 * Compiled once per MPI. If libmidrun is preloaded or linked before the MPI library, a call of MPI_Init by the program, a
 * runtime or a Fortran binding reaches the wrapper here, which calls the next function of that name.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "counted.h"

/* A program may start processes by itself. They have a world of their own, whose rank numbers the job has given out already. */
static int is_programs_child(int rank) {
  MPI_Comm parent;
  if (midrun_spawned_number() > 0 || PMPI_Comm_get_parent(&parent) != MPI_SUCCESS || parent == MPI_COMM_NULL) return 0;
  if (rank == 0 && getenv("MIDRUN_SOCKET")) fputs("midrun: processes that the program itself started (MPI_Comm_spawn) are left alone\n", stderr);
  return 1;
}

static void initialised(void) {
  int rank = 0, size = 0;
  const char *version = midrun_our_mpi();
  if (!version) return;
  if (PMPI_Comm_rank(MPI_COMM_WORLD, &rank) != MPI_SUCCESS) return;
  if (PMPI_Comm_size(MPI_COMM_WORLD, &size) != MPI_SUCCESS) return;
  midrun_spawned_begin();
  /* A started worker is alone in its MPI_COMM_WORLD; in the job it follows the existing ranks. */
  if (midrun_spawned_number() > 0) {
    rank = midrun_spawned_number();
    size = rank + 1;
  }
  if (is_programs_child(rank)) return;
  midrun_shim_on_init(rank, size, version);
  if (midrun_spawned_number() <= 0) midrun_shim_on_world();
}

/* MPI_Comm_spawn waits in both MPIs until the started process has initialised MPI, so that happens before main(). */
static int early;

__attribute__((constructor)) static void initialise_early(void) {
  int begun = 0, level = MPI_THREAD_SINGLE;
  if (!midrun_spawned_here() || !midrun_reach_mpi() || !midrun_handles_are_bound()) return;
  if (PMPI_Initialized(&begun) != MPI_SUCCESS || begun) return;
  midrun_shim_on_before_init();
  if (PMPI_Init_thread(NULL, NULL, MPI_THREAD_MULTIPLE, &level) != MPI_SUCCESS) return;
  early = 1;
  initialised();
}

/* Returns 1, once, if MPI was initialised before main(): then the program's MPI_Init has nothing to do. */
static int was_early(void) {
  int was = early;
  early = 0;
  return was;
}

/* The thread level to request: a background thread starts workers beyond the ranks, if the user allows any. */
static int level(int asked) {
  const char *most = getenv("MIDRUN_MAX_WORKERS");
  return most && *most && asked < MPI_THREAD_MULTIPLE ? MPI_THREAD_MULTIPLE : asked;
}

static int reach(void) {
  if (!midrun_reach_mpi()) return 0;
  midrun_calls_resolve();
  return 1;
}

static void before_init(void) {
  midrun_register_prepare();
  midrun_failure_prepare();
  midrun_shim_on_before_init();
}

int MPI_Init(int *argc, char ***argv) {
  if (!reach()) return MPI_ERR_OTHER;
  if (was_early()) return MPI_SUCCESS;
  before_init();
  int provided, asked = level(MPI_THREAD_SINGLE);
  int status = asked == MPI_THREAD_SINGLE ? NEXT(Init, midrun_next[CALL_Init], (argc, argv))
                                          : NEXT(Init_thread, midrun_next[CALL_Init_thread], (argc, argv, asked, &provided));
  if (status == MPI_SUCCESS) initialised();
  return status;
}

int MPI_Init_thread(int *argc, char ***argv, int required, int *provided) {
  if (!reach()) return MPI_ERR_OTHER;
  if (was_early()) return PMPI_Query_thread(provided);
  before_init();
  int status = NEXT(Init_thread, midrun_next[CALL_Init_thread], (argc, argv, level(required), provided));
  if (status == MPI_SUCCESS) initialised();
  return status;
}

/* MPI_Finalize is about to run. */
static void leave(void) {
  midrun_spawned_leave();
  midrun_shim_on_finalize();
  midrun_register_close();
}

int MPI_Finalize(void) {
  if (!reach()) return MPI_ERR_OTHER;
  leave();
  return NEXT(Finalize, midrun_next[CALL_Finalize], ());
}

/* ---- Sessions (MPI 4, 11.3): MPI without MPI_Init and without MPI_COMM_WORLD ---------------------------------------
 *
 * A rank's number is its number in the process set mpi://WORLD. The peers of calls are known while there is one session: groups of two must
 * not meet in one call. Not in Fortran. */

#if MPI_VERSION < 4
typedef void *MPI_Session; /* Open MPI 5 runs with a library that was built with the header of version 4 */
int PMPI_Session_init(MPI_Info info, MPI_Errhandler errhandler, MPI_Session *session);
int PMPI_Session_finalize(MPI_Session *session);
int PMPI_Group_from_session_pset(MPI_Session session, const char *name, MPI_Group *group);
#endif
#pragma weak PMPI_Session_init
#pragma weak PMPI_Session_finalize
#pragma weak PMPI_Group_from_session_pset

static pthread_mutex_t sessions_lock = PTHREAD_MUTEX_INITIALIZER;
static MPI_Session first_session;
static MPI_Group session_world = MPI_GROUP_NULL;
static int live_sessions, seen_sessions;

static void forget_world(void) {
  if (session_world == MPI_GROUP_NULL) return;
  midrun_peers_world(MPI_GROUP_NULL);
  PMPI_Group_free(&session_world);
  session_world = MPI_GROUP_NULL;
}

static void session_began(MPI_Session session) {
  int rank = 0, size = 0;
  const char *version;
  live_sessions++;
  if (seen_sessions++) return forget_world();
  if (midrun_mpi_ready() || !(version = midrun_our_mpi())) return; /* MPI_Init has said it */
  if (PMPI_Group_from_session_pset(session, "mpi://WORLD", &session_world) != MPI_SUCCESS) return;
  if (PMPI_Group_rank(session_world, &rank) != MPI_SUCCESS || PMPI_Group_size(session_world, &size) != MPI_SUCCESS) return;
  first_session = session;
  midrun_peers_world(session_world);
  midrun_shim_on_init(rank, size, version);
}

int MPI_Session_init(MPI_Info info, MPI_Errhandler errhandler, MPI_Session *session) {
  if (!reach()) return MPI_ERR_OTHER;
  if (!midrun_mpi_ready()) midrun_shim_on_before_init();
  int status = NEXT(Session_init, dlsym(RTLD_NEXT, "MPI_Session_init"), (info, errhandler, session));
  if (status == MPI_SUCCESS) {
    pthread_mutex_lock(&sessions_lock);
    session_began(*session);
    pthread_mutex_unlock(&sessions_lock);
  }
  return status;
}

int MPI_Session_finalize(MPI_Session *session) {
  if (!reach()) return MPI_ERR_OTHER;
  pthread_mutex_lock(&sessions_lock);
  if (*session == first_session) forget_world();
  int is_last = --live_sessions == 0 && !midrun_mpi_ready();
  pthread_mutex_unlock(&sessions_lock);
  if (is_last) midrun_shim_on_finalize();
  return NEXT(Session_finalize, dlsym(RTLD_NEXT, "MPI_Session_finalize"), (session));
}

#ifndef MPI_ABI_VERSION
/* ---- Fortran's bindings that do not reach the C functions above: Open MPI's all, MPICH's mpi_f08 ------------------- */

typedef void one_t(MPI_Fint *);
typedef void three_t(MPI_Fint *, MPI_Fint *, MPI_Fint *);
#define ONE(name) ((one_t *)midrun_fortran(name, "p" name))
#define THREE(name) ((three_t *)midrun_fortran(name, "p" name))

static void fortran_thread(three_t *real, MPI_Fint *required, MPI_Fint *provided, MPI_Fint *status) {
  MPI_Fint asked = level(*required);
  if (was_early()) {
    int given = MPI_THREAD_MULTIPLE;
    *status = PMPI_Query_thread(&given);
    *provided = given;
    return;
  }
  before_init();
  real(&asked, provided, status);
  if (*status == MPI_SUCCESS) initialised();
}

static void fortran_init(one_t *real, three_t *threaded, MPI_Fint *status) {
  MPI_Fint single = MPI_THREAD_SINGLE, provided;
  if (level(MPI_THREAD_SINGLE) != MPI_THREAD_SINGLE) return fortran_thread(threaded, &single, &provided, status);
  *status = MPI_SUCCESS;
  if (was_early()) return;
  before_init();
  real(status);
  if (*status == MPI_SUCCESS) initialised();
}

static void fortran_finalize(one_t *real, MPI_Fint *status) {
  leave();
  real(status);
}

#ifdef OPEN_MPI
void mpi_init_(MPI_Fint *status) { fortran_init(ONE("mpi_init_"), THREE("mpi_init_thread_"), status); }

void mpi_init_thread_(MPI_Fint *required, MPI_Fint *provided, MPI_Fint *status) {
  fortran_thread(THREE("mpi_init_thread_"), required, provided, status);
}

void mpi_finalize_(MPI_Fint *status) { fortran_finalize(ONE("mpi_finalize_"), status); }
#endif

/* In mpi_f08 the status may be left out. */
void mpi_init_f08_(MPI_Fint *status) {
  MPI_Fint own;
  fortran_init(ONE("mpi_init_f08_"), THREE("mpi_init_thread_f08_"), status ? status : &own);
}

void mpi_init_thread_f08_(MPI_Fint *required, MPI_Fint *provided, MPI_Fint *status) {
  MPI_Fint own;
  fortran_thread(THREE("mpi_init_thread_f08_"), required, provided, status ? status : &own);
}

void mpi_finalize_f08_(MPI_Fint *status) {
  MPI_Fint own;
  fortran_finalize(ONE("mpi_finalize_f08_"), status ? status : &own);
}
#endif
