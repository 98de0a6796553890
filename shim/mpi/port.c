/* port.c - the MPI calls of the frameworks, as functions whose types are the same under every MPI.
 *
 * Only the calling thread calls MPI, so MPI_THREAD_SINGLE is enough (but see spawn.c). The PMPI names keep our calls out of
 * the counts of profiling tools. Requests live in numbered slots. Every function returns 0, or -1 if MPI failed.
 */
#include <limits.h>
#include <mpi.h>
#include <stdint.h>
#include <stdlib.h>

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
} port_t;

#define TRY(call) do { if ((call) != MPI_SUCCESS) return -1; } while (0)

int midrun_port_close(port_t *port) {
  if (!port) return 0;
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
  return 0;
}

/* Collective. Copies *comm (NULL: MPI_COMM_WORLD), so that our messages never match the program's. Errors are handled as the
 * program chose for *comm; by default MPI ends the job, because the other ranks would wait for this one for ever. */
int midrun_port_open(const void *comm, int slots_per_rank, port_t **out, int *rank, int *size) {
  MPI_Comm from = comm ? *(const MPI_Comm *)comm : MPI_COMM_WORLD;
  if (from == MPI_COMM_NULL || !midrun_our_mpi()) return -1;
  port_t *port = calloc(1, sizeof *port);
  if (!port) return -1;
  port->comm = port->node = MPI_COMM_NULL;
  if (PMPI_Comm_dup(from, &port->comm) != MPI_SUCCESS) return midrun_port_close(port), -1;
  MPI_Errhandler handler; /* not every MPI copies it to a duplicate */
  if (PMPI_Comm_get_errhandler(from, &handler) == MPI_SUCCESS) {
    PMPI_Comm_set_errhandler(port->comm, handler);
    PMPI_Errhandler_free(&handler);
  }
  if (PMPI_Comm_rank(port->comm, rank) != MPI_SUCCESS || PMPI_Comm_size(port->comm, size) != MPI_SUCCESS)
    return midrun_port_close(port), -1;
  port->size = *size;
  port->slots_per_rank = slots_per_rank;
  if (make_slots(port, *size)) return midrun_port_close(port), -1;
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

/* Collective on this host: broadcasts the first rank's values. */
int midrun_port_node_share(port_t *port, int64_t *values, int count) {
  TRY(PMPI_Bcast(values, count, MPI_INT64_T, 0, port->node));
  return 0;
}

/* Collective: the minimum of each value over all ranks (here != 0: over the ranks of this host). */
int midrun_port_minimum(port_t *port, int here, int64_t *values, int count) {
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

/* synchronous: the request is done only when the receiver has begun to receive. */
int midrun_port_send(port_t *port, int slot, const void *data, size_t bytes, int to, int synchronous) {
  if (slot < 0 || slot >= port->slots) return -1;
  MPI_Comm comm = communicator(port, &to);
  MPI_Datatype type = MPI_BYTE;
  int large = bytes > INT_MAX;
  if (large && large_type(bytes, &type)) return -1;
  TRY((synchronous ? PMPI_Issend : PMPI_Isend)(data, large ? 1 : (int)bytes, type, to, PORT_TAG, comm, &port->requests[slot]));
  if (large) PMPI_Type_free(&type);
  return 0;
}

int midrun_port_receive(port_t *port, int slot, void *data, size_t bytes, int from) {
  if (slot < 0 || slot >= port->slots) return -1;
  MPI_Comm comm = communicator(port, &from);
  MPI_Datatype type = MPI_BYTE;
  int large = bytes > INT_MAX;
  if (large && large_type(bytes, &type)) return -1;
  TRY(PMPI_Irecv(data, large ? 1 : (int)bytes, type, from, PORT_TAG, comm, &port->requests[slot]));
  if (large) PMPI_Type_free(&type);
  return 0;
}

int midrun_port_test(port_t *port, int slot, int *done) {
  TRY(PMPI_Test(&port->requests[slot], done, MPI_STATUS_IGNORE));
  return 0;
}

/* Probes for a message: whether one has arrived, its sender and its size. */
int midrun_port_probe(port_t *port, int *found, int *from, size_t *bytes) {
  MPI_Status status;
  MPI_Count count = 0;
  int adopted = -1;
  TRY(PMPI_Iprobe(MPI_ANY_SOURCE, PORT_TAG, port->comm, found, &status));
  while (!*found && ++adopted < port->adopted_count)
    TRY(PMPI_Iprobe(0, PORT_TAG, port->adopted[adopted], found, &status));
  if (!*found) return 0;
  TRY(PMPI_Get_elements_x(&status, MPI_BYTE, &count));
  if (count < 0) return -1;
  *from = adopted < 0 ? status.MPI_SOURCE : port->size + adopted;
  *bytes = (size_t)count;
  return 0;
}
