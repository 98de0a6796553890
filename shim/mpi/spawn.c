/* spawn.c - worker processes beyond MPI_COMM_WORLD: how a master starts one, and the life of such a process until its program
 * creates the framework.
 *
 * The master's part runs in a thread of its own (MPI_THREAD_MULTIPLE) and never blocks the program. A started process
 * initialises MPI before main() runs, because MPI_Comm_spawn waits for that in both MPIs, and in MPICH all other MPI calls of
 * the master wait, too. Until the framework takes over, a thread of the started process waits for the master's farewell, so
 * that the master can dismiss a process whose program is slow.
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

/* Receives and drops messages that have arrived: MPICH's MPI_Finalize aborts the job if a message was not received. */
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

/* ---- The master's part ---------------------------------------------------------------------- */

enum { MOST = 1024, FAREWELL = 64 };

/* An entry is written once, before its number is returned. */
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

/* If Open MPI refuses a spawn for lack of slots, its mpirun never ends: such a spawn must not be tried. */
static int free_slots(int world) {
  const char *mapping = getenv("OMPI_MCA_rmaps_base_mapping_policy");
  int *universe = NULL, found = 0;
  if (is_on(getenv("OMPI_MCA_rmaps_base_oversubscribe"))) return INT_MAX;
  if (mapping && strcasestr(mapping, "oversubscribe") && !strcasestr(mapping, "nooversubscribe")) return INT_MAX;
  if (PMPI_Comm_get_attr(MPI_COMM_WORLD, MPI_UNIVERSE_SIZE, &universe, &found) != MPI_SUCCESS || !found) return 0;
  /* The job is oversubscribed already. */
  return *universe < world ? INT_MAX : *universe - world;
}
#endif

/* Returns how many processes can be started; if 0, `why` gets the reason. */
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
  if (PMPI_Get_library_version(version, &length) != MPI_SUCCESS) return 0;
  if (sscanf(version, "MPICH Version: %d.%d", &major, &minor) == 2 && major == 4 && minor == 0) {
    snprintf(why, bytes, "MPICH %d.%d does not support MPI_Comm_spawn, MPICH 5 does", major, minor);
    return 0;
  }
  /* Without it, MPI_Comm_spawn of 2021.18 crashes, in a program without midrun, too. */
  const char *may = getenv("I_MPI_SPAWN");
  if (strstr(version, "Intel(R) MPI") && !(may && (!strcmp(may, "1") || !strcasecmp(may, "on") || !strcasecmp(may, "yes") || !strcasecmp(may, "enable")))) {
    snprintf(why, bytes, "Intel MPI starts processes with I_MPI_SPAWN=on only");
    return 0;
  }
  if (!strncmp(version, "Open MPI", 8)) { /* by its library for the standard ABI; of its free slots and its end nothing is known there */
    snprintf(why, bytes, "this was never tried with Open MPI's library for the standard ABI");
    return 0;
  }
  return INT_MAX;
#endif
}

static void explain(int status, char *why, size_t bytes) {
  char text[MPI_MAX_ERROR_STRING];
  int length = 0;
  if (PMPI_Error_string(status, text, &length) != MPI_SUCCESS) strcpy(text, "unknown error");
  text[strcspn(text, "\n")] = '\0';
  snprintf(why, bytes, "MPI_Comm_spawn failed: %s", text);
}

/* Starts one process and returns its number, or -1 and the reason. Blocks until the process has initialised MPI. */
int midrun_spawn_start(const char *command, char **arguments, const char *directory, char *why, size_t bytes) {
  MPI_Comm self, comm = MPI_COMM_NULL;
  MPI_Info info;
  int code = MPI_SUCCESS, number = -1;
  /* A copy, so that errors are returned here and do not reach the program's handler. */
  int status = PMPI_Comm_dup(MPI_COMM_SELF, &self);
  if (status == MPI_SUCCESS) status = midrun_comm_errors_return(self);
  if (status == MPI_SUCCESS) status = PMPI_Info_create(&info);
  if (status != MPI_SUCCESS) return explain(status, why, bytes), -1;
  if (directory) PMPI_Info_set(info, "wdir", directory);
  status = PMPI_Comm_spawn(command, arguments, 1, info, 0, self, &comm, &code);
  PMPI_Info_free(&info);
  PMPI_Comm_free(&self);
  if (status != MPI_SUCCESS || comm == MPI_COMM_NULL)
    return explain(status != MPI_SUCCESS ? status : code, why, bytes), -1;
  midrun_comm_errors_return(comm);
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

/* Receives the first message of a process: 1 = received, 0 = not arrived yet, -1 = its size is not `bytes`, or MPI failed. */
int midrun_spawn_hear(int child, void *data, size_t bytes) {
  MPI_Comm comm = midrun_spawn_comm(child);
  MPI_Status status;
  int found = 0, count = 0;
  if (comm == MPI_COMM_NULL || PMPI_Iprobe(0, PORT_TAG, comm, &found, &status) != MPI_SUCCESS) return -1;
  if (!found) return 0;
  if (PMPI_Get_count(&status, MPI_BYTE, &count) != MPI_SUCCESS || (size_t)count != bytes) return -1;
  return PMPI_Recv(data, count, MPI_BYTE, 0, PORT_TAG, comm, MPI_STATUS_IGNORE) == MPI_SUCCESS ? 1 : -1;
}

/* Sends the farewell to one process, or with -1 to all, once each, without waiting. */
void midrun_spawn_dismiss(int child, const void *farewell, size_t bytes) {
  if (bytes > FAREWELL || !midrun_mpi_ready()) return;
  pthread_mutex_lock(&children_lock);
  for (int i = child < 0 ? 0 : child; i < child_count && (child < 0 || i == child); i++) {
    if (children[i].dismissed) continue;
    children[i].dismissed = 1;
    memcpy(children[i].farewell, farewell, bytes);
    PMPI_Isend(children[i].farewell, (int)bytes, MPI_BYTE, 0, PORT_TAG, children[i].comm, &children[i].request);
  }
  pthread_mutex_unlock(&children_lock);
}

/* Before MPI_Finalize: returns 1 when all farewells are sent. Open MPI connects at the first message, which takes a while, and
 * a process that never gets its farewell would never end. */
int midrun_spawn_settled(void) {
  int settled = 1;
  if (!midrun_mpi_ready()) return 1;
  pthread_mutex_lock(&children_lock);
  for (int i = 0; i < child_count; i++) {
    int sent = 1;
    if (PMPI_Test(&children[i].request, &sent, MPI_STATUS_IGNORE) == MPI_SUCCESS && !sent) settled = 0;
    drain(children[i].comm);
  }
  pthread_mutex_unlock(&children_lock);
  return settled;
}

/* ---- The started process's part --------------------------------------------------------------- */

static const char VARIABLE[] = "MIDRUN_SPAWNED"; /* its number among the job's ranks */

static enum { ORDINARY, WAITING, TAKEN } state;
static pthread_mutex_t state_lock = PTHREAD_MUTEX_INITIALIZER;
static MPI_Comm master = MPI_COMM_NULL;
static int number = -1;

/* Whether this may be such a process. Asked before MPI is initialised. */
int midrun_spawned_here(void) { return getenv(VARIABLE) != NULL; }

/* The number of this process among the job's ranks; -1 if no master started it. */
int midrun_spawned_number(void) { return number; }

/* Ends the process while its program is in main(). */
static void leave(void) {
#ifdef OPEN_MPI
  _exit(0);
#else
  exit(0); /* MPICH signs off from its launcher in an exit handler; without that the launcher ends the job */
#endif
}

/* Until the framework takes over, any message of the master is a farewell. */
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

/* After MPI_Init: finds out whether a master started this process. */
void midrun_spawned_begin(void) {
  const char *text = getenv(VARIABLE);
  char *end = NULL;
  long value = text ? strtol(text, &end, 10) : -1;
  int level = MPI_THREAD_SINGLE;
  pthread_t thread;
  if (!text) return;
  unsetenv(VARIABLE); /* processes that this one starts must not inherit it */
  if (end == text || *end || value < 1 || value > INT_MAX - 1) return;
  if (PMPI_Comm_get_parent(&master) != MPI_SUCCESS || master == MPI_COMM_NULL) return;
  midrun_comm_errors_return(master);
  number = (int)value;
  state = WAITING;
  if (PMPI_Query_thread(&level) == MPI_SUCCESS && level == MPI_THREAD_MULTIPLE &&
      pthread_create(&thread, NULL, wait_for_farewell, NULL) == 0)
    pthread_detach(thread);
}

/* Ends the wait for the farewell, because the framework or the end of the program takes over. */
MPI_Comm midrun_spawned_take(void) {
  pthread_mutex_lock(&state_lock);
  if (state == WAITING) state = TAKEN;
  pthread_mutex_unlock(&state_lock);
  return master;
}

/* Before MPI_Finalize in this process. */
void midrun_spawned_leave(void) {
  if (midrun_spawned_take() != MPI_COMM_NULL) drain(master);
}

/* The end of the framework, and of this process. */
void midrun_spawned_end(void) {
  midrun_spawned_leave();
  midrun_shim_on_finalize();
  PMPI_Finalize();
}
