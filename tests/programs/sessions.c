/* sessions.c - MPI without MPI_Init: one session after the other, with as many calls of MPI_Allreduce as each argument says. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static int sum_of_ranks(int rounds) {
  MPI_Session session;
  MPI_Group group;
  MPI_Comm comm;
  int rank, sum = 0;
  MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
  MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
  MPI_Comm_create_from_group(group, "sessions.c", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
  MPI_Group_free(&group);
  MPI_Comm_rank(comm, &rank);
  for (int i = 0; i < rounds; i++) MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm);
  int next = rank ^ 1, mine = rank, other = -1;
  MPI_Sendrecv(&mine, 1, MPI_INT, next, 0, &other, 1, MPI_INT, next, 0, comm, MPI_STATUS_IGNORE);
  if (other != next) abort();
  MPI_Comm_free(&comm);
  MPI_Session_finalize(&session);
  return rank ? -1 : sum;
}

int main(int argc, char **argv) {
  for (int i = 1; i < argc; i++) {
    int sum = sum_of_ranks(atoi(argv[i]));
    if (sum >= 0) printf("sum %d\n", sum);
  }
  return 0;
}
