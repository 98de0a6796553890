/* port.c - what the frameworks need of MPI, behind functions that do not mention MPI's types (their types differ between
 * MPIs). Compiled once per MPI; the Rust half declares these functions in src/port.rs.
 *
 * Everything uses the PMPI names: a tool that counts the program's calls shall not count ours. Every function returns
 * 0 or a positive result, and a negative number when MPI failed; the duplicated communicator returns errors.
 */
#include <limits.h>
#include <mpi.h>
#include <stdint.h>
#include <stdlib.h>

struct port {
  MPI_Comm comm;
  MPI_Comm node; /* the ranks of comm that share this host's memory */
  MPI_Request *requests;
  int slots;
};

enum { FAILED = -1 };

void midrun_port_close(struct port *p);

int midrun_port_ready(void) {
  int yes = 0, over = 0;
  if (PMPI_Initialized(&yes) != MPI_SUCCESS || PMPI_Finalized(&over) != MPI_SUCCESS) return 0;
  return yes && !over;
}

/* comm: address of an MPI_Comm, or NULL for MPI_COMM_WORLD. Collective. */
struct port *midrun_port_open(const void *comm, int *rank, int *size) {
  MPI_Comm from = comm ? *(const MPI_Comm *)comm : MPI_COMM_WORLD;
  if (from == MPI_COMM_NULL) return NULL;
  struct port *p = calloc(1, sizeof *p);
  if (!p) return NULL;
  p->comm = p->node = MPI_COMM_NULL;
  if (PMPI_Comm_dup(from, &p->comm) != MPI_SUCCESS ||
      PMPI_Comm_set_errhandler(p->comm, MPI_ERRORS_RETURN) != MPI_SUCCESS ||
      PMPI_Comm_split_type(p->comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &p->node) != MPI_SUCCESS ||
      PMPI_Comm_rank(p->comm, rank) != MPI_SUCCESS || PMPI_Comm_size(p->comm, size) != MPI_SUCCESS) {
    midrun_port_close(p);
    return NULL;
  }
  return p;
}

void midrun_port_close(struct port *p) {
  if (p->node != MPI_COMM_NULL) PMPI_Comm_free(&p->node);
  if (p->comm != MPI_COMM_NULL) PMPI_Comm_free(&p->comm);
  free(p->requests);
  free(p);
}

/* Minimum over all ranks of each of `count` numbers. Collective. */
int midrun_port_minimum(struct port *p, int64_t *numbers, int count) {
  return PMPI_Allreduce(MPI_IN_PLACE, numbers, count, MPI_INT64_T, MPI_MIN, p->comm) == MPI_SUCCESS ? 0 : FAILED;
}

/* same[r] becomes 1 for every rank r of comm on this host. Returns this rank's number on the host. */
int midrun_port_same_host(struct port *p, unsigned char *same, int size) {
  MPI_Group all, here;
  int count, number;
  if (PMPI_Comm_group(p->comm, &all) != MPI_SUCCESS || PMPI_Comm_group(p->node, &here) != MPI_SUCCESS) return FAILED;
  if (PMPI_Group_size(here, &count) != MPI_SUCCESS || PMPI_Group_rank(here, &number) != MPI_SUCCESS) return FAILED;
  for (int i = 0; i < count; i++) {
    int rank;
    if (PMPI_Group_translate_ranks(here, 1, &i, all, &rank) != MPI_SUCCESS) return FAILED;
    if (rank >= 0 && rank < size) same[rank] = 1;
  }
  PMPI_Group_free(&all);
  PMPI_Group_free(&here);
  return number;
}

/* The host's first rank's bytes reach all ranks of the host. Collective over the host. */
int midrun_port_tell_host(struct port *p, void *bytes, int count) {
  return PMPI_Bcast(bytes, count, MPI_BYTE, 0, p->node) == MPI_SUCCESS ? 0 : FAILED;
}

/* Starts a send and returns its slot. The buffer stays with MPI until midrun_port_sent says so. */
int midrun_port_send(struct port *p, const void *bytes, size_t count, int to, int tag) {
  int slot = 0;
  if (count > INT_MAX) return FAILED;
  while (slot < p->slots && p->requests[slot] != MPI_REQUEST_NULL) slot++;
  if (slot == p->slots) {
    int more = p->slots ? 2 * p->slots : 16;
    MPI_Request *grown = realloc(p->requests, (size_t)more * sizeof *grown);
    if (!grown) return FAILED;
    p->requests = grown;
    while (p->slots < more) p->requests[p->slots++] = MPI_REQUEST_NULL;
  }
  if (PMPI_Isend(bytes, (int)count, MPI_BYTE, to, tag, p->comm, &p->requests[slot]) != MPI_SUCCESS) {
    p->requests[slot] = MPI_REQUEST_NULL;
    return FAILED;
  }
  return slot;
}

/* 1 when the send in this slot is done; the slot is free then. */
int midrun_port_sent(struct port *p, int slot) {
  int done = 0;
  return PMPI_Test(&p->requests[slot], &done, MPI_STATUS_IGNORE) == MPI_SUCCESS ? done : FAILED;
}

/* 1 when a message with this tag has arrived; says from whom and how long it is. */
int midrun_port_probe(struct port *p, int tag, int *from, size_t *count) {
  int there = 0, bytes;
  MPI_Status status;
  if (PMPI_Iprobe(MPI_ANY_SOURCE, tag, p->comm, &there, &status) != MPI_SUCCESS) return FAILED;
  if (!there) return 0;
  if (PMPI_Get_count(&status, MPI_BYTE, &bytes) != MPI_SUCCESS || bytes < 0) return FAILED;
  *from = status.MPI_SOURCE;
  *count = (size_t)bytes;
  return 1;
}

/* Takes the message that midrun_port_probe described. */
int midrun_port_receive(struct port *p, void *bytes, size_t count, int from, int tag) {
  return PMPI_Recv(bytes, (int)count, MPI_BYTE, from, tag, p->comm, MPI_STATUS_IGNORE) == MPI_SUCCESS ? 0 : FAILED;
}
