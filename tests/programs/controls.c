/* controls: four ranks reduce numbers whose sum depends on the order in which they are added, so that the algorithm shows in the
 * result. Rank 0 prints each result that differs from the one before, with its iteration. Ends when the file argv[1] is there, after
 * argv[2] iterations, or after a minute. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv) {
  const double terms[4] = {1e16, 1, -1e16, 1};
  int rank, goes_on = 1, counts[4] = {1, 1, 1, 1};
  double sum[8] = {-1}, part = -1, begin;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  begin = MPI_Wtime();
  for (int iteration = 0; goes_on; iteration++) {
    double own[8], last_sum = sum[0], last_part = part;
    MPI_Comm fresh;
    for (int i = 0; i < 8; i++) own[i] = terms[rank % 4];
    /* Open MPI takes a new algorithm for communicators that are made afterwards. */
    MPI_Comm_dup(MPI_COMM_WORLD, &fresh);
    MPI_Allreduce(own, sum, 8, MPI_DOUBLE, MPI_SUM, fresh);
    MPI_Comm_free(&fresh);
    MPI_Reduce_scatter(own, &part, counts, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0 && (sum[0] != last_sum || part != last_part)) {
      printf("iteration %d: sum %g part %g\n", iteration, sum[0], part);
      fflush(stdout);
    }
    usleep(5000);
    goes_on = access(argv[1], F_OK) != 0 && MPI_Wtime() < begin + 60 && (argc < 3 || iteration < atol(argv[2]));
    MPI_Bcast(&goes_on, 1, MPI_INT, 0, MPI_COMM_WORLD);
  }
  MPI_Finalize();
  return 0;
}
