/* port.c - the MPI calls of the frameworks, as functions whose types are the same under every MPI.
 *
 * Only the calling thread calls MPI, so MPI_THREAD_SINGLE is enough (but see spawn.c). The PMPI names keep our calls out of
 * the counts of profiling tools. Requests live in numbered slots. Every function returns 0, or -1 if MPI failed. On a port that
 * tolerates the death of ranks, a call that fails because of one is no failure: midrun_port_lost names the rank.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <limits.h>
#include <mpi.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "parts.h"

typedef struct {
  MPI_Comm comm;
  MPI_Comm node;
  int borrowed; /* comm connects a started process to its master, and is not freed here */
  int size;
  int slots_per_rank;
  MPI_Request *requests;
  int slots;
  MPI_Comm *adopted; /* communicators with started processes, whose ranks follow those of comm */
  int adopted_count;
  int tolerates;
  MPI_Errhandler handler; /* the program's, where the port tolerates */
  char *lost;             /* per rank: LIVES, LOST, or TOLD */
  int untold;
} port_t;

enum { LIVES, LOST, TOLD };

#define TRY(call) do { if ((call) != MPI_SUCCESS) return -1; } while (0)

/* ---- Ranks that died: User-Level Failure Mitigation, in Open MPI 5 and later (mpirun --with-ft ulfm). Its names and numbers are not
 * in the header of version 4, with which this library may be built. */

enum { MPI_FT_ATTRIBUTE = 12, PROC_FAILED = 75 };
static int (*failure_ack)(MPI_Comm);
static int (*failure_get_acked)(MPI_Comm, MPI_Group *);

/* Before MPI_Init: where mpirun --with-ft ulfm was asked for, MPI_Finalize does without its second wait for all ranks, a PMIx fence, unless the
 * user has chosen. The first, a barrier of those that live, suffices; the fence of Open MPI 5.0 may wait for dead ranks for ever. */
void midrun_failure_prepare(void) {
#ifdef OPEN_MPI
  const char *is_on = secure_getenv("OMPI_MCA_mpi_ft_enable");
  if (is_on && strchr("1tTyY", *is_on)) setenv("OMPI_MCA_async_mpi_finalize", "1", 0);
#endif
}

/* Whether the other ranks live on here when one dies, and are told. */
static int is_failure_tolerant(void) {
#ifdef OPEN_MPI
  int *is_on = NULL, found = 0;
  *(void **)&failure_ack = dlsym(RTLD_DEFAULT, "PMPIX_Comm_failure_ack");
  *(void **)&failure_get_acked = dlsym(RTLD_DEFAULT, "PMPIX_Comm_failure_get_acked");
  if (!failure_ack || !failure_get_acked) return 0;
  return PMPI_Comm_get_attr(MPI_COMM_WORLD, MPI_FT_ATTRIBUTE, &is_on, &found) == MPI_SUCCESS && found && *is_on;
#else
  return 0;
#endif
}

static void lose(port_t *port, int rank) {
  if (port->lost[rank] != LIVES) return;
  port->lost[rank] = LOST;
  port->untold++;
}

/* 0: the call succeeded; 1: it failed because a rank died; -1: it failed. Then the program's handler decides, as on other ports. */
static int judge(port_t *port, int status) {
  int class = MPI_SUCCESS;
  if (status == MPI_SUCCESS) return 0;
  if (!port->tolerates) return -1;
  if (PMPI_Error_class(status, &class) == MPI_SUCCESS && class == PROC_FAILED) return 1;
  PMPI_Comm_set_errhandler(port->comm, port->handler);
  PMPI_Comm_call_errhandler(port->comm, status);
  return -1;
}

/* Learns who died, and has MPI receive from any source again. */
static int acknowledge(port_t *port) {
  MPI_Group all, dead;
  int count = 0;
  TRY(failure_ack(port->comm));
  TRY(failure_get_acked(port->comm, &dead));
  TRY(PMPI_Comm_group(port->comm, &all));
  TRY(PMPI_Group_size(dead, &count));
  for (int i = 0; i < count; i++) {
    int rank = MPI_UNDEFINED;
    TRY(PMPI_Group_translate_ranks(dead, 1, &i, all, &rank));
    if (rank >= 0 && rank < port->size) lose(port, rank);
  }
  PMPI_Group_free(&all);
  PMPI_Group_free(&dead);
  return 0;
}

/* The next rank that died since this was asked last; -1 if there is none. */
int midrun_port_lost(port_t *port) {
  for (int rank = 0; port->untold && rank < port->size + port->adopted_count; rank++)
    if (port->lost[rank] == LOST) {
      port->lost[rank] = TOLD;
      port->untold--;
      return rank;
    }
  return -1;
}

int midrun_port_close(port_t *port) {
  if (!port) return 0;
  if (port->tolerates) PMPI_Errhandler_free(&port->handler);
  free(port->lost);
  if (port->node != MPI_COMM_NULL) PMPI_Comm_free(&port->node);
  if (port->comm != MPI_COMM_NULL && !port->borrowed) PMPI_Comm_free(&port->comm);
  free(port->requests);
  free(port->adopted);
  free(port);
  return 0;
}

static int make_slots(port_t *port, int ranks) {
  int slots = port->slots_per_rank * ranks;
  MPI_Request *requests = realloc(port->requests, sizeof(MPI_Request) * (size_t)slots);
  if (!requests) return -1;
  for (int i = port->slots; i < slots; i++) requests[i] = MPI_REQUEST_NULL;
  port->requests = requests;
  port->slots = slots;
  char *lost = realloc(port->lost, (size_t)ranks);
  if (!lost) return -1;
  lost[ranks - 1] = LIVES; /* added one by one, but for the first */
  port->lost = lost;
  return 0;
}

/* Collective. Copies *comm (NULL: MPI_COMM_WORLD), so that our messages never match the program's. Errors are handled as the
 * program chose for *comm; by default MPI ends the job, because the other ranks would wait for this one for ever. With `tolerate`, the death of
 * other ranks is no error where MPI can do that: then *tolerates is 1. */
int midrun_port_open(const void *comm, int slots_per_rank, int tolerate, port_t **out, int *rank, int *size, int *tolerates) {
  MPI_Comm from = comm ? *(const MPI_Comm *)comm : MPI_COMM_WORLD;
  if (from == MPI_COMM_NULL || !midrun_our_mpi()) return -1;
  port_t *port = calloc(1, sizeof *port);
  if (!port) return -1;
  port->comm = port->node = MPI_COMM_NULL;
  if (PMPI_Comm_dup(from, &port->comm) != MPI_SUCCESS) return midrun_port_close(port), -1;
  MPI_Errhandler handler; /* not every MPI copies it to a duplicate */
  if (PMPI_Comm_get_errhandler(from, &handler) == MPI_SUCCESS) {
    port->tolerates = tolerate && is_failure_tolerant() && midrun_comm_errors_return(port->comm) == MPI_SUCCESS;
    if (port->tolerates) {
      port->handler = handler;
    } else {
      PMPI_Comm_set_errhandler(port->comm, handler);
      PMPI_Errhandler_free(&handler);
    }
  }
  if (PMPI_Comm_rank(port->comm, rank) != MPI_SUCCESS || PMPI_Comm_size(port->comm, size) != MPI_SUCCESS)
    return midrun_port_close(port), -1;
  port->size = *size;
  port->slots_per_rank = slots_per_rank;
  if (make_slots(port, *size)) return midrun_port_close(port), -1;
  memset(port->lost, LIVES, (size_t)*size);
  *tolerates = port->tolerates;
  *out = port;
  return 0;
}

/* In a process that a master started: opens a port of two ranks, of which 0 is the master and 1 this process. */
int midrun_port_open_spawned(int slots_per_rank, port_t **out) {
  if (midrun_spawned_number() < 0) return -1;
  port_t *port = calloc(1, sizeof *port);
  if (!port) return -1;
  port->comm = midrun_spawned_take();
  port->node = MPI_COMM_NULL;
  port->borrowed = 1;
  port->size = 2;
  port->slots_per_rank = slots_per_rank;
  if (make_slots(port, 2)) return midrun_port_close(port), -1;
  memset(port->lost, LIVES, 2);
  *out = port;
  return 0;
}

/* Adds a started process as the next rank of this port. */
int midrun_port_adopt(port_t *port, int child) {
  MPI_Comm comm = midrun_spawn_comm(child);
  MPI_Comm *adopted = realloc(port->adopted, sizeof(MPI_Comm) * (size_t)(port->adopted_count + 1));
  if (!adopted) return -1;
  port->adopted = adopted;
  if (comm == MPI_COMM_NULL || make_slots(port, port->size + port->adopted_count + 1)) return -1;
  adopted[port->adopted_count++] = comm;
  return 0;
}

/* Collective. Sets index[r] to the position of rank r among the ranks of this host; -1 for ranks of other hosts. */
int midrun_port_node(port_t *port, int *index, int size, int *own, int *count) {
  TRY(PMPI_Comm_split_type(port->comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &port->node));
  TRY(PMPI_Comm_rank(port->node, own));
  TRY(PMPI_Comm_size(port->node, count));
  MPI_Group all, here;
  TRY(PMPI_Comm_group(port->comm, &all));
  TRY(PMPI_Comm_group(port->node, &here));
  for (int r = 0; r < size; r++) {
    TRY(PMPI_Group_translate_ranks(all, 1, &r, here, &index[r]));
    if (index[r] == MPI_UNDEFINED) index[r] = -1;
  }
  PMPI_Group_free(&all);
  PMPI_Group_free(&here);
  return 0;
}

/* Local. Sets ranks[r] to the rank of r in MPI_COMM_WORLD; -1 for one that has none. */
int midrun_port_world(port_t *port, int *ranks, int size) { return midrun_peers_ranks(port->comm, ranks, size); }

/* Collective on this host: broadcasts the first rank's values. An error before midrun_port_node, because MPI may end a job that passes it no
 * communicator. */
int midrun_port_node_share(port_t *port, int64_t *values, int count) {
  if (port->node == MPI_COMM_NULL) return -1;
  TRY(PMPI_Bcast(values, count, MPI_INT64_T, 0, port->node));
  return 0;
}

/* Collective: the minimum of each value over all ranks (here != 0: over the ranks of this host; an error before midrun_port_node). */
int midrun_port_minimum(port_t *port, int here, int64_t *values, int count) {
  if (here && port->node == MPI_COMM_NULL) return -1;
  TRY(PMPI_Allreduce(MPI_IN_PLACE, values, count, MPI_INT64_T, MPI_MIN, here ? port->node : port->comm));
  return 0;
}

/* The communicator that reaches *rank, which becomes the rank in that communicator. */
static MPI_Comm communicator(const port_t *port, int *rank) {
  int adopted = *rank - port->size;
  if (adopted < 0) return port->comm;
  *rank = 0;
  return adopted < port->adopted_count ? port->adopted[adopted] : MPI_COMM_NULL;
}

/* Counts are ints before MPI 4: a message above 2 GiB is one element of a type of its own. The caller frees it. */
static int large_type(size_t bytes, MPI_Datatype *type) {
  const size_t block = (size_t)1 << 30;
  int lengths[] = {(int)(bytes / block), (int)(bytes % block)};
  MPI_Aint at[] = {0, (MPI_Aint)(bytes - bytes % block)};
  MPI_Datatype types[] = {MPI_BYTE, MPI_BYTE};
  TRY(PMPI_Type_contiguous((int)block, MPI_BYTE, &types[0]));
  int failed = PMPI_Type_create_struct(2, lengths, at, types, type) != MPI_SUCCESS || PMPI_Type_commit(type) != MPI_SUCCESS;
  PMPI_Type_free(&types[0]);
  return failed ? -1 : 0;
}

/* A request with the rank of this slot was begun, or not because that rank died. */
static int begun(port_t *port, int slot, int status) {
  int failed = judge(port, status);
  if (failed > 0) {
    port->requests[slot] = MPI_REQUEST_NULL;
    lose(port, slot / port->slots_per_rank);
  }
  return failed < 0 ? -1 : 0;
}

/* synchronous: the request is done only when the receiver has begun to receive. */
int midrun_port_send(port_t *port, int slot, const void *data, size_t bytes, int to, int synchronous) {
  if (slot < 0 || slot >= port->slots) return -1;
  MPI_Comm comm = communicator(port, &to);
  MPI_Datatype type = MPI_BYTE;
  int large = bytes > INT_MAX;
  if (large && large_type(bytes, &type)) return -1;
  int status = (synchronous ? PMPI_Issend : PMPI_Isend)(data, large ? 1 : (int)bytes, type, to, PORT_TAG, comm, &port->requests[slot]);
  if (large) PMPI_Type_free(&type);
  return begun(port, slot, status);
}

int midrun_port_receive(port_t *port, int slot, void *data, size_t bytes, int from) {
  if (slot < 0 || slot >= port->slots) return -1;
  MPI_Comm comm = communicator(port, &from);
  MPI_Datatype type = MPI_BYTE;
  int large = bytes > INT_MAX;
  if (large && large_type(bytes, &type)) return -1;
  int status = PMPI_Irecv(data, large ? 1 : (int)bytes, type, from, PORT_TAG, comm, &port->requests[slot]);
  if (large) PMPI_Type_free(&type);
  return begun(port, slot, status);
}

/* A request with a rank that died is never done. */
int midrun_port_test(port_t *port, int slot, int *done) {
  int rank = slot / port->slots_per_rank;
  *done = 0;
  if (port->lost[rank] != LIVES && port->requests[slot] == MPI_REQUEST_NULL) return 0;
  int failed = judge(port, PMPI_Test(&port->requests[slot], done, MPI_STATUS_IGNORE));
  if (failed > 0) {
    *done = 0;
    lose(port, rank);
  }
  return failed < 0 ? -1 : 0;
}

/* Looks at the ranks that live, one by one: what the dead left behind cannot be received, and would hide what the others send. */
static int probe_living(port_t *port, int *found, MPI_Status *status) {
  for (int rank = 0; rank < port->size && !*found; rank++) {
    if (port->lost[rank] != LIVES) continue;
    int failed = judge(port, PMPI_Iprobe(rank, PORT_TAG, port->comm, found, status));
    if (failed) {
      *found = 0;
      return failed < 0 ? -1 : acknowledge(port);
    }
  }
  return 0;
}

/* Probes for a message: whether one has arrived, its sender and its size. */
int midrun_port_probe(port_t *port, int *found, int *from, size_t *bytes) {
  MPI_Status status;
  MPI_Count count = 0;
  int adopted = -1;
  int failed = judge(port, PMPI_Iprobe(MPI_ANY_SOURCE, PORT_TAG, port->comm, found, &status));
  if (failed) {
    *found = 0;
    return failed < 0 ? -1 : acknowledge(port);
  }
  if (*found && port->lost[status.MPI_SOURCE] != LIVES) {
    *found = 0;
    if (probe_living(port, found, &status)) return -1;
  }
  while (!*found && ++adopted < port->adopted_count)
    TRY(PMPI_Iprobe(0, PORT_TAG, port->adopted[adopted], found, &status));
  if (!*found) return 0;
  TRY(PMPI_Get_elements_x(&status, MPI_BYTE, &count));
  if (count < 0) return -1;
  *from = adopted < 0 ? status.MPI_SOURCE : port->size + adopted;
  *bytes = (size_t)count;
  return 0;
}
