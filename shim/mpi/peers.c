/* peers.c - the peers of a call, and the number of bytes that its arguments describe.
 *
 * Each thread asks MPI once for the ranks of MPI_COMM_WORLD in a communicator or window, and keeps the answer until some
 * communicator or window is freed.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "counted.h"

/* shim/src/mpi_calls/hosts.rs */
int midrun_host_class(int world_rank);

enum { KNOWN = 8 };
typedef struct {
  uintptr_t handle;
  int kind; /* 0: empty, 1: a communicator, 2: a window */
  unsigned generation;
  int size;
  int *world; /* ranks in MPI_COMM_WORLD; -1: not in it */
} known_t;

static __thread known_t known[KNOWN];
static unsigned generation;
static pthread_key_t at_end;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void forget_all(void *thread) {
  known_t *all = thread;
  for (int i = 0; i < KNOWN; i++) free(all[i].world);
  memset(all, 0, sizeof known);
}

static void make_key(void) { (void)!pthread_key_create(&at_end, forget_all); }

void midrun_peers_forget(void) { __atomic_fetch_add(&generation, 1, __ATOMIC_RELAXED); }

/* The ranks of a program that has sessions and no MPI_COMM_WORLD. */
static MPI_Group of_session = MPI_GROUP_NULL;
static int has_sessions;

/* MPI_GROUP_NULL: the peers of calls are no longer known. */
void midrun_peers_world(MPI_Group group) {
  has_sessions = 1;
  of_session = group;
  midrun_peers_forget();
}

static int world_group(MPI_Group *world) {
  if (!has_sessions) return PMPI_Comm_group(MPI_COMM_WORLD, world) == MPI_SUCCESS;
  /* A copy, to be freed as the other one is. */
  return of_session != MPI_GROUP_NULL && PMPI_Group_excl(of_session, 0, NULL, world) == MPI_SUCCESS;
}

static int *translate(MPI_Group group, int *size) {
  MPI_Group world;
  int *from = NULL, *to = NULL;
  if (PMPI_Group_size(group, size) != MPI_SUCCESS || !world_group(&world)) return NULL;
  from = malloc(sizeof(int) * (size_t)(*size + 1));
  to = malloc(sizeof(int) * (size_t)(*size + 1));
  for (int i = 0; from && i < *size; i++) from[i] = i;
  if (!from || !to || PMPI_Group_translate_ranks(group, *size, from, world, to) != MPI_SUCCESS) {
    free(to);
    to = NULL;
  }
  for (int i = 0; to && i < *size; i++)
    if (to[i] == MPI_UNDEFINED) to[i] = -1;
  free(from);
  PMPI_Group_free(&world);
  return to;
}

/* Sets ranks[r] to the rank in MPI_COMM_WORLD of rank r of comm, -1 where it has none. Local. Returns -1 where nobody knows. */
int midrun_peers_ranks(MPI_Comm comm, int *ranks, int size) {
  MPI_Group group;
  int found = 0;
  if (PMPI_Comm_group(comm, &group) != MPI_SUCCESS) return -1;
  int *world = translate(group, &found);
  PMPI_Group_free(&group);
  if (world && found == size) memcpy(ranks, world, sizeof(int) * (size_t)size);
  free(world);
  return world && found == size ? 0 : -1;
}

static void learn(known_t *entry, uintptr_t handle, int kind, unsigned now, MPI_Group group) {
  pthread_once(&once, make_key);
  pthread_setspecific(at_end, known);
  free(entry->world);
  entry->world = translate(group, &entry->size);
  entry->handle = handle;
  entry->generation = now;
  entry->kind = entry->world ? kind : 0;
  PMPI_Group_free(&group);
}

static inline known_t *entry_of(uintptr_t handle, int kind, unsigned now, int *fresh) {
  known_t *entry = &known[(handle ^ handle >> 4 ^ handle >> 12 ^ (unsigned)kind) % KNOWN];
  *fresh = entry->handle == handle && entry->kind == kind && entry->generation == now;
  return entry;
}

static inline int of_world(int rank) { return midrun_host_class(rank) | (rank + 1) << CLASS_BITS; }

static inline int class_of(const known_t *entry, int rank) {
  if (!entry->kind || rank < 0 || rank >= entry->size || entry->world[rank] < 0) return OTHER_HOST;
  return of_world(entry->world[rank]);
}

int peer(int rank, MPI_Comm comm) {
  if (rank == MPI_PROC_NULL) return LOCAL;
  if (rank == MPI_ANY_SOURCE) return ANY;
  if (comm == MPI_COMM_WORLD) return of_world(rank);
  unsigned now = __atomic_load_n(&generation, __ATOMIC_RELAXED);
  int fresh, between = 0;
  known_t *entry = entry_of((uintptr_t)comm, 1, now, &fresh);
  if (!fresh) {
    MPI_Group group;
    if (PMPI_Comm_test_inter(comm, &between) != MPI_SUCCESS) return OTHER_HOST;
    int got = between ? PMPI_Comm_remote_group(comm, &group) : PMPI_Comm_group(comm, &group);
    if (got != MPI_SUCCESS) return OTHER_HOST;
    learn(entry, (uintptr_t)comm, 1, now, group);
  }
  return class_of(entry, rank);
}

int target(int rank, MPI_Win win) {
  if (rank == MPI_PROC_NULL) return LOCAL;
  unsigned now = __atomic_load_n(&generation, __ATOMIC_RELAXED);
  int fresh;
  known_t *entry = entry_of((uintptr_t)win, 2, now, &fresh);
  if (!fresh) {
    MPI_Group group;
    if (PMPI_Win_get_group(win, &group) != MPI_SUCCESS) return OTHER_HOST;
    learn(entry, (uintptr_t)win, 2, now, group);
  }
  return class_of(entry, rank);
}

uint64_t block(MPI_Count count, MPI_Datatype type) {
  MPI_Count size = 0;
  if (count <= 0 || PMPI_Type_size_x(type, &size) != MPI_SUCCESS || size <= 0) return 0;
  return (uint64_t)count * (uint64_t)size;
}

/* Bytes received; without a status the size of the buffer. */
uint64_t received(const MPI_Status *status, MPI_Count count, MPI_Datatype type) {
  MPI_Count bytes = 0;
  if (!status) return block(count, type);
  return PMPI_Get_elements_x(status, MPI_BYTE, &bytes) == MPI_SUCCESS && bytes > 0 ? (uint64_t)bytes : 0;
}

int members(MPI_Comm comm) {
  int size = 0;
  return PMPI_Comm_size(comm, &size) == MPI_SUCCESS ? size : 0;
}

int peers(MPI_Comm comm) {
  int size = 0, between = 0;
  if (PMPI_Comm_test_inter(comm, &between) != MPI_SUCCESS || !between) return members(comm);
  return PMPI_Comm_remote_size(comm, &size) == MPI_SUCCESS ? size : 0;
}

/* The number of ranks to which a rank sends in a neighbourhood collective. */
int neighbours(MPI_Comm comm) {
  int kind = MPI_UNDEFINED, rank, in, out = 0, weighted;
  if (PMPI_Topo_test(comm, &kind) != MPI_SUCCESS) return 0;
  if (kind == MPI_CART && PMPI_Cartdim_get(comm, &out) == MPI_SUCCESS) return 2 * out;
  if (kind == MPI_DIST_GRAPH && PMPI_Dist_graph_neighbors_count(comm, &in, &out, &weighted) == MPI_SUCCESS) return out;
  if (kind != MPI_GRAPH || PMPI_Comm_rank(comm, &rank) != MPI_SUCCESS) return 0;
  return PMPI_Graph_neighbors_count(comm, rank, &out) == MPI_SUCCESS ? out : 0;
}
