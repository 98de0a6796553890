/* many_calls: two ranks ask for the number of ranks 2 000 000 times each, far more often than each such call can be timed within
 * 1 %. (A probe would do, but an MPI may yield the processor in it.) Between, each sends 1000 messages of 64 bytes to itself, and they
 * meet 20 times, rank 1 some milliseconds late. */
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

enum { ROUNDS = 20, QUESTIONS = 100000, MESSAGES = 50 };

int main(int argc, char **argv) {
  int rank, size = 0;
  long arrived = 0;
  char out[64] = {0}, in[64];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int round = 0; round < ROUNDS; round++) {
    for (int i = 0; i < QUESTIONS; i++) MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; i < MESSAGES; i++) {
      MPI_Request request;
      MPI_Irecv(in, sizeof in, MPI_CHAR, rank, 2, MPI_COMM_WORLD, &request);
      MPI_Send(out, sizeof out, MPI_CHAR, rank, 2, MPI_COMM_WORLD);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
      arrived += size;
    }
    if (rank == 1) usleep(20000);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  if (rank == 0) printf("%ld arrived\n", arrived);
  MPI_Finalize();
  return 0;
}
