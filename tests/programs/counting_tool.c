/* counting_tool.c - another PMPI tool: preloaded beside midrun it counts some calls and says so at the end. */
#include <mpi.h>
#include <stdio.h>

static int inits, sends, reductions;

int MPI_Init(int *argc, char ***argv) {
  inits++;
  return PMPI_Init(argc, argv);
}

int MPI_Send(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm) {
  sends++;
  return PMPI_Send(data, count, type, to, tag, comm);
}

int MPI_Allreduce(const void *in, void *out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  reductions++;
  return PMPI_Allreduce(in, out, count, type, op, comm);
}

int MPI_Finalize(void) {
  int rank;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) printf("tool: %d inits, %d sends, %d reductions\n", inits, sends, reductions);
  return PMPI_Finalize();
}
