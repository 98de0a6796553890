/* children.c - starts as many processes as it has ranks; all compute in two worlds, each 20 times 10 ms between barriers. */
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char **argv) {
  MPI_Comm others;
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm_get_parent(&others);
  int is_child = others != MPI_COMM_NULL;
  if (!is_child) MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, size, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &others, MPI_ERRCODES_IGNORE);
  for (int i = 0; i < 20; i++) {
    usleep(10000);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  MPI_Barrier(others);
  MPI_Comm_disconnect(&others);
  printf("%s %d of %d is done\n", is_child ? "child" : "rank", rank, size);
  MPI_Finalize();
  return 0;
}
