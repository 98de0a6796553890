/* nested_calls.c - MPI calls inside MPI calls: in an operation, in a callback of an attribute, and in one that never returns. */
#include <mpi.h>
#include <setjmp.h>
#include <stdio.h>

static jmp_buf out;
static int calls;

static void add(void *in, void *inout, int *length, MPI_Datatype *type) {
  int size;
  MPI_Type_size(*type, &size);
  MPI_Comm_size(MPI_COMM_WORLD, &size); /* inside MPI_Allreduce: not counted */
  for (int i = 0; i < *length; i++) ((int *)inout)[i] += ((int *)in)[i];
}

static int copy(MPI_Comm comm, int key, void *extra, void *in, void *to, int *flag) {
  int rank;
  (void)key, (void)extra, (void)in, (void)to;
  calls++;
  *flag = 0;
  return MPI_Comm_rank(comm, &rank); /* inside MPI_Comm_dup: not counted */
}

static void jump(MPI_Comm *comm, int *code, ...) {
  (void)comm, (void)code;
  longjmp(out, 1);
}

int main(int argc, char **argv) {
  int rank, one = 1, sum = 0, key;
  MPI_Op op;
  MPI_Comm other;
  MPI_Errhandler handler;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Op_create(add, 1, &op);
  MPI_Allreduce(&one, &sum, 1, MPI_INT, op, MPI_COMM_WORLD);
  MPI_Op_free(&op);
  MPI_Comm_create_keyval(copy, MPI_COMM_NULL_DELETE_FN, &key, NULL);
  MPI_Comm_set_attr(MPI_COMM_WORLD, key, &key);
  MPI_Comm_dup(MPI_COMM_WORLD, &other);
  MPI_Comm_create_errhandler(jump, &handler);
  MPI_Comm_set_errhandler(other, handler);
  if (!setjmp(out)) MPI_Send(&one, 1, MPI_INT, 99, 0, other); /* there is no rank 99: the handler jumps */
  MPI_Barrier(MPI_COMM_WORLD); /* is counted again */
  if (rank == 0) printf("sum %d callbacks %d\n", sum, calls);
  MPI_Finalize();
  return 0;
}
