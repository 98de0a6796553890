/* spawn.c - worker processes beyond MPI_COMM_WORLD: how a master starts one, and what becomes of it until its program
 * creates the framework.
 *
 * The master's side runs in a thread of its own (MPI_THREAD_MULTIPLE) and never blocks the others. A started process
 * initialises MPI before its main() runs: both MPIs let MPI_Comm_spawn wait for that, MPICH with all of the master's
 * other calls. Until the framework takes over, a thread waits for the master's farewell, so that a process whose
 * program is slow can be sent away.
 */
#define _GNU_SOURCE
#include <limits.h>
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>
#include <unistd.h>

#include "parts.h"

/* Receives what has arrived and nobody wants: MPICH's MPI_Finalize aborts the job over a message not received. */
static void drain(MPI_Comm comm) {
  MPI_Status status;
  int found = 0, count = 0;
  while (PMPI_Iprobe(0, MPI_ANY_TAG, comm, &found, &status) == MPI_SUCCESS && found) {
    int counted = PMPI_Get_count(&status, MPI_BYTE, &count) == MPI_SUCCESS && count >= 0;
    void *message = counted ? malloc((size_t)count + 1) : NULL;
    if (!message) return;
    int received = PMPI_Recv(message, count, MPI_BYTE, 0, status.MPI_TAG, comm, MPI_STATUS_IGNORE);
    free(message);
    if (received != MPI_SUCCESS) return;
  }
}

/* ---- The master's side ---------------------------------------------------------------------- */

enum { MOST = 1024, FAREWELL = 64 };

/* Entries are written once, before their number is given out. */
static struct {
  MPI_Comm comm;
  MPI_Request request;
  char farewell[FAREWELL];
  int dismissed;
} children[MOST];
static int child_count;
static pthread_mutex_t children_lock = PTHREAD_MUTEX_INITIALIZER;

#ifdef OPEN_MPI
static int is_on(const char *text) { return text && *text && !strchr("0fFnN", *text); }

/* A spawn that Open MPI refuses for want of slots leaves an mpirun that never ends, so it must not be tried. */
static int free_slots(int world) {
  const char *mapping = getenv("OMPI_MCA_rmaps_base_mapping_policy");
  int *universe = NULL, found = 0;
  if (is_on(getenv("OMPI_MCA_rmaps_base_oversubscribe"))) return INT_MAX;
  if (mapping && strcasestr(mapping, "oversubscribe") && !strcasestr(mapping, "nooversubscribe")) return INT_MAX;
  if (PMPI_Comm_get_attr(MPI_COMM_WORLD, MPI_UNIVERSE_SIZE, &universe, &found) != MPI_SUCCESS || !found) return 0;
  /* More ranks than slots were allowed already. */
  return *universe < world ? INT_MAX : *universe - world;
}
#endif

/* How many processes can be started; with 0, why none. */
int midrun_spawn_room(char *why, size_t bytes) {
  int level = MPI_THREAD_SINGLE, world = 0;
  if (PMPI_Query_thread(&level) != MPI_SUCCESS || level < MPI_THREAD_MULTIPLE) {
    snprintf(why, bytes, "this MPI does not provide MPI_THREAD_MULTIPLE");
    return 0;
  }
  if (PMPI_Comm_size(MPI_COMM_WORLD, &world) != MPI_SUCCESS) return 0;
#ifdef OPEN_MPI
  int room = free_slots(world);
  if (room == 0)
    snprintf(why, bytes, "Open MPI has no free slots: give the hosts more slots, or mpirun --oversubscribe");
  return room;
#else
  char version[MPI_MAX_LIBRARY_VERSION_STRING];
  int length = 0, major = 0, minor = 0;
  if (PMPI_Get_library_version(version, &length) == MPI_SUCCESS &&
      sscanf(version, "MPICH Version: %d.%d", &major, &minor) == 2 && major == 4 && minor == 0) {
    snprintf(why, bytes, "MPICH %d.%d does not support MPI_Comm_spawn, MPICH 5 does", major, minor);
    return 0;
  }
  return INT_MAX;
#endif
}

static void say_why(int status, char *why, size_t bytes) {
  char text[MPI_MAX_ERROR_STRING];
  int length = 0;
  if (PMPI_Error_string(status, text, &length) != MPI_SUCCESS) strcpy(text, "unknown error");
  text[strcspn(text, "\n")] = '\0';
  snprintf(why, bytes, "MPI_Comm_spawn failed: %s", text);
}

/* Starts one process; returns its number, or -1 and why. Blocks until the process has initialised MPI. */
int midrun_spawn_start(const char *command, char **arguments, const char *directory, char *why, size_t bytes) {
  MPI_Comm self, comm = MPI_COMM_NULL;
  MPI_Info info;
  int code = MPI_SUCCESS, number = -1;
  /* A copy, whose errors come back to us and not to the program. */
  int status = PMPI_Comm_dup(MPI_COMM_SELF, &self);
  if (status == MPI_SUCCESS) status = PMPI_Comm_set_errhandler(self, MPI_ERRORS_RETURN);
  if (status == MPI_SUCCESS) status = PMPI_Info_create(&info);
  if (status != MPI_SUCCESS) return say_why(status, why, bytes), -1;
  if (directory) PMPI_Info_set(info, "wdir", directory);
  status = PMPI_Comm_spawn(command, arguments, 1, info, 0, self, &comm, &code);
  PMPI_Info_free(&info);
  PMPI_Comm_free(&self);
  if (status != MPI_SUCCESS || comm == MPI_COMM_NULL)
    return say_why(status != MPI_SUCCESS ? status : code, why, bytes), -1;
  PMPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  pthread_mutex_lock(&children_lock);
  if (child_count < MOST) {
    number = child_count++;
    children[number].comm = comm;
    children[number].request = MPI_REQUEST_NULL;
  }
  pthread_mutex_unlock(&children_lock);
  if (number < 0) snprintf(why, bytes, "there are %d already", MOST);
  return number;
}

MPI_Comm midrun_spawn_comm(int child) {
  return child >= 0 && child < child_count ? children[child].comm : MPI_COMM_NULL;
}

/* Its first message of `bytes` bytes: 1 = here it is, 0 = not yet, -1 = it sent something else, or MPI failed. */
int midrun_spawn_hear(int child, void *data, size_t bytes) {
  MPI_Comm comm = midrun_spawn_comm(child);
  MPI_Status status;
  int found = 0, count = 0;
  if (comm == MPI_COMM_NULL || PMPI_Iprobe(0, PORT_TAG, comm, &found, &status) != MPI_SUCCESS) return -1;
  if (!found) return 0;
  if (PMPI_Get_count(&status, MPI_BYTE, &count) != MPI_SUCCESS || (size_t)count != bytes) return -1;
  return PMPI_Recv(data, count, MPI_BYTE, 0, PORT_TAG, comm, MPI_STATUS_IGNORE) == MPI_SUCCESS ? 1 : -1;
}

/* Sends the farewell to a process, or with -1 to all, once each, and waits for nothing. */
void midrun_spawn_dismiss(int child, const void *farewell, size_t bytes) {
  if (bytes > FAREWELL || !midrun_port_ready()) return;
  pthread_mutex_lock(&children_lock);
  for (int i = child < 0 ? 0 : child; i < child_count && (child < 0 || i == child); i++) {
    if (children[i].dismissed) continue;
    children[i].dismissed = 1;
    memcpy(children[i].farewell, farewell, bytes);
    PMPI_Isend(children[i].farewell, (int)bytes, MPI_BYTE, 0, PORT_TAG, children[i].comm, &children[i].request);
  }
  pthread_mutex_unlock(&children_lock);
}

/* MPI is about to end: 1 when every farewell is on its way. Open MPI connects at the first message, which takes a while,
 * and a process that never hears it would never end. */
int midrun_spawn_settled(void) {
  int settled = 1;
  if (!midrun_port_ready()) return 1;
  pthread_mutex_lock(&children_lock);
  for (int i = 0; i < child_count; i++) {
    int sent = 1;
    if (PMPI_Test(&children[i].request, &sent, MPI_STATUS_IGNORE) == MPI_SUCCESS && !sent) settled = 0;
    drain(children[i].comm);
  }
  pthread_mutex_unlock(&children_lock);
  return settled;
}

/* ---- The started process's side --------------------------------------------------------------- */

static const char VARIABLE[] = "MIDRUN_SPAWNED"; /* its number among the job's ranks */

static enum { ORDINARY, WAITING, TAKEN } state;
static pthread_mutex_t state_lock = PTHREAD_MUTEX_INITIALIZER;
static MPI_Comm master = MPI_COMM_NULL;
static int number = -1;
static int early;

/* The number of this process among the job's ranks, -1 where it was not started by a master of ours. */
int midrun_spawned_number(void) { return number; }

/* Ends the process while its program is somewhere in main(). */
static void leave(void) {
#ifdef OPEN_MPI
  _exit(0);
#else
  exit(0); /* MPICH takes leave of its launcher in an exit handler; without it the launcher ends the job */
#endif
}

/* Until the framework takes over: whatever the master says, it is goodbye. */
static void *wait_for_farewell(void *unused) {
  static const struct timespec NAP = {0, 20 * 1000 * 1000};
  (void)unused;
  for (;;) {
    int found = 0;
    pthread_mutex_lock(&state_lock);
    if (state != WAITING) break;
    if (PMPI_Iprobe(0, MPI_ANY_TAG, master, &found, MPI_STATUS_IGNORE) != MPI_SUCCESS || found) {
      drain(master);
      midrun_shim_on_finalize();
      PMPI_Finalize();
      leave();
    }
    pthread_mutex_unlock(&state_lock);
    nanosleep(&NAP, NULL);
  }
  pthread_mutex_unlock(&state_lock);
  return NULL;
}

/* MPI is initialised: is this a process that a master of ours started? */
void midrun_spawned_begin(void) {
  const char *text = getenv(VARIABLE);
  char *end = NULL;
  long value = text ? strtol(text, &end, 10) : -1;
  int level = MPI_THREAD_SINGLE;
  pthread_t thread;
  if (!text) return;
  unsetenv(VARIABLE); /* what this process starts in its turn is not ours */
  if (end == text || *end || value < 1 || value > INT_MAX - 1) return;
  if (PMPI_Comm_get_parent(&master) != MPI_SUCCESS || master == MPI_COMM_NULL) return;
  PMPI_Comm_set_errhandler(master, MPI_ERRORS_RETURN);
  number = (int)value;
  state = WAITING;
  if (PMPI_Query_thread(&level) == MPI_SUCCESS && level == MPI_THREAD_MULTIPLE &&
      pthread_create(&thread, NULL, wait_for_farewell, NULL) == 0)
    pthread_detach(thread);
}

/* Ends the wait for the farewell: the framework, or the program's own end, takes over. */
MPI_Comm midrun_spawned_take(void) {
  pthread_mutex_lock(&state_lock);
  if (state == WAITING) state = TAKEN;
  pthread_mutex_unlock(&state_lock);
  return master;
}

/* MPI is about to end in this process. */
void midrun_spawned_leave(void) {
  if (midrun_spawned_take() != MPI_COMM_NULL) drain(master);
}

/* The framework's end, which is the process's. */
void midrun_spawned_end(void) {
  midrun_spawned_leave();
  midrun_shim_on_finalize();
  PMPI_Finalize();
}

/* Whether MPI was initialised before main(): then the program's own MPI_Init finds it done. Answers so once. */
int midrun_spawned_early(void) {
  int was = early;
  early = 0;
  return was;
}

__attribute__((constructor)) static void initialise_early(void) {
  int begun = 0, level = MPI_THREAD_SINGLE;
  if (!getenv(VARIABLE) || !midrun_reach_mpi() || !midrun_handles_are_bound()) return;
  if (PMPI_Initialized(&begun) != MPI_SUCCESS || begun) return;
  midrun_shim_on_before_init();
  if (PMPI_Init_thread(NULL, NULL, MPI_THREAD_MULTIPLE, &level) != MPI_SUCCESS) return;
  early = 1;
  midrun_initialised();
}
