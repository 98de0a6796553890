/* counted_sends.c - preloaded beside midrun: counts the sends that midrun's frameworks begin, by their mode, and says so at the end. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>

static long standard, synchronous;

typedef int send_t(const void *, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request *);

int PMPI_Isend(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request *request) {
  standard++;
  return ((send_t *)dlsym(RTLD_NEXT, "PMPI_Isend"))(data, count, type, to, tag, comm, request);
}

int PMPI_Issend(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request *request) {
  synchronous++;
  return ((send_t *)dlsym(RTLD_NEXT, "PMPI_Issend"))(data, count, type, to, tag, comm, request);
}

__attribute__((destructor)) static void tell(void) {
  if (standard + synchronous > 0) fprintf(stderr, "sends: %ld standard, %ld synchronous\n", standard, synchronous);
}
