/* port.c - what the frameworks need of MPI, as functions whose types are the same under every MPI.
 *
 * Only the calling thread calls MPI (MPI_THREAD_SINGLE is enough), by the PMPI names, so that nobody counts us.
 * Requests live in numbered slots. Every function returns 0, or -1 when MPI refused.
 */
#include <limits.h>
#include <mpi.h>
#include <stdint.h>
#include <stdlib.h>

typedef struct {
  MPI_Comm comm;
  MPI_Comm node;
  MPI_Request *requests;
  int slots;
} port_t;

enum { TAG = 77 };

#define TRY(call) do { if ((call) != MPI_SUCCESS) return -1; } while (0)

#pragma weak PMPI_Initialized
int midrun_port_ready(void) {
  int begun = 0, ended = 0;
  if (!PMPI_Initialized || PMPI_Initialized(&begun) != MPI_SUCCESS || !begun) return 0;
  return PMPI_Finalized(&ended) == MPI_SUCCESS && !ended;
}

int midrun_port_close(port_t *port) {
  if (!port) return 0;
  if (port->node != MPI_COMM_NULL) PMPI_Comm_free(&port->node);
  if (port->comm != MPI_COMM_NULL) PMPI_Comm_free(&port->comm);
  free(port->requests);
  free(port);
  return 0;
}

/* Collective. A copy of *comm (NULL: MPI_COMM_WORLD), so that our messages never meet the program's. What a failing call does is what the
 * program chose for *comm: by default MPI ends the job, since the other ranks would wait for this one for ever. */
int midrun_port_open(const void *comm, int slots_per_rank, port_t **out, int *rank, int *size) {
  MPI_Comm from = comm ? *(const MPI_Comm *)comm : MPI_COMM_WORLD;
  if (from == MPI_COMM_NULL) return -1;
  port_t *port = calloc(1, sizeof *port);
  if (!port) return -1;
  port->comm = port->node = MPI_COMM_NULL;
  if (PMPI_Comm_dup(from, &port->comm) != MPI_SUCCESS) return midrun_port_close(port), -1;
  MPI_Errhandler handler; /* copied by hand: not every MPI lets a copy inherit it */
  if (PMPI_Comm_get_errhandler(from, &handler) == MPI_SUCCESS) {
    PMPI_Comm_set_errhandler(port->comm, handler);
    PMPI_Errhandler_free(&handler);
  }
  if (PMPI_Comm_rank(port->comm, rank) != MPI_SUCCESS || PMPI_Comm_size(port->comm, size) != MPI_SUCCESS)
    return midrun_port_close(port), -1;
  port->slots = slots_per_rank * *size;
  port->requests = malloc(sizeof(MPI_Request) * (size_t)port->slots);
  if (!port->requests) return midrun_port_close(port), -1;
  for (int i = 0; i < port->slots; i++) port->requests[i] = MPI_REQUEST_NULL;
  *out = port;
  return 0;
}

/* Collective. index[r] becomes the place of rank r among the ranks of this host, -1 for ranks of other hosts. */
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

/* Collective on this host: the first rank's values go to all. */
int midrun_port_node_share(port_t *port, int64_t *values, int count) {
  TRY(PMPI_Bcast(values, count, MPI_INT64_T, 0, port->node));
  return 0;
}

/* Collective: the smallest of each value over all ranks (here != 0: over this host's). */
int midrun_port_minimum(port_t *port, int here, int64_t *values, int count) {
  TRY(PMPI_Allreduce(MPI_IN_PLACE, values, count, MPI_INT64_T, MPI_MIN, here ? port->node : port->comm));
  return 0;
}

int midrun_port_send(port_t *port, int slot, const void *data, size_t bytes, int to) {
  if (bytes > INT_MAX || slot < 0 || slot >= port->slots) return -1;
  TRY(PMPI_Isend(data, (int)bytes, MPI_BYTE, to, TAG, port->comm, &port->requests[slot]));
  return 0;
}

int midrun_port_receive(port_t *port, int slot, void *data, size_t bytes, int from) {
  if (bytes > INT_MAX || slot < 0 || slot >= port->slots) return -1;
  TRY(PMPI_Irecv(data, (int)bytes, MPI_BYTE, from, TAG, port->comm, &port->requests[slot]));
  return 0;
}

int midrun_port_test(port_t *port, int slot, int *done) {
  TRY(PMPI_Test(&port->requests[slot], done, MPI_STATUS_IGNORE));
  return 0;
}

/* Is a message there, from whom, of how many bytes? */
int midrun_port_probe(port_t *port, int *found, int *from, size_t *bytes) {
  MPI_Status status;
  int count = 0;
  TRY(PMPI_Iprobe(MPI_ANY_SOURCE, TAG, port->comm, found, &status));
  if (!*found) return 0;
  TRY(PMPI_Get_count(&status, MPI_BYTE, &count));
  if (count < 0) return -1;
  *from = status.MPI_SOURCE;
  *bytes = (size_t)count;
  return 0;
}
