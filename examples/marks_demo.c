/* marks_demo - a program with its own Master/Worker loop of MPI_Send and MPI_Recv, to which midrun's marks were added.
 *
 *     mpirun -n 9 marks_demo --mode chunks     asks midrun_next_chunk() how many tasks to send
 *     mpirun -n 9 marks_demo --mode factors    cuts three batches by its own F0, F1, F2, which midrun may set
 */
#define _GNU_SOURCE
#include "example.h"
#include <time.h>

static long tasks = 1000, iterations = 5, mean_us = 1000;
static const char *mode = "chunks";
static double factor[3] = {0.5, 0.25, 0.25};
static uint64_t batch_left, batches, chunk;

static void compute(uint64_t first, uint64_t count) {
  for (uint64_t i = first; i < first + count; i++) {
    long u = (long)(i * 2654435761u % 1000), us = 3 * u * u * mean_us / 1000000; /* between 0 and 3 means, most of them short */
    clock_nanosleep(CLOCK_MONOTONIC, 0, &(struct timespec){us / 1000000, us % 1000000 * 1000}, NULL);
  }
}

/* Batch b is the share F_b of all tasks, cut evenly; the last batch takes the rest. */
static uint64_t own_chunk(uint64_t left, uint64_t workers) {
  midrun_safe_point();
  if (batch_left == 0) {
    batch_left = batches < 2 ? (uint64_t)(factor[batches] * (double)tasks) : left;
    if (batch_left == 0) batch_left = 1;
    chunk = (batch_left + workers - 1) / workers;
    batches++;
  }
  uint64_t count = chunk < batch_left ? chunk : batch_left;
  if (count > left) count = left;
  batch_left -= count;
  return count;
}

static int master(int workers) {
  int factors = !strcmp(mode, "factors"), wrong = 0;
  if (factors) {
    const char *const names[] = {"F0", "F1", "F2"};
    for (int i = 0; i < 3; i++) midrun_expose_double(names[i], &factor[i], 0.0, 1.0);
  }
  for (long it = 0; it < iterations; it++) {
    uint64_t next = 0, done = 0, chunks = 0, order[2], answer[2];
    int out = 0;
    double begin = MPI_Wtime();
    batches = batch_left = 0;
    midrun_iteration_begin((uint64_t)tasks, (uint32_t)workers);
    for (int w = 0; w < workers || out > 0;) {
      int to = ++w;
      if (w > workers) {
        MPI_Status s;
        MPI_Recv(answer, 2, MPI_UINT64_T, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &s);
        done += answer[1], out--, to = s.MPI_SOURCE;
      }
      uint64_t left = (uint64_t)tasks - next;
      uint64_t count = left == 0 ? 0 : factors ? own_chunk(left, (uint64_t)workers) : midrun_next_chunk((uint32_t)to - 1);
      if (count == 0) continue;
      order[0] = next, order[1] = count, next += count, out++, chunks++;
      MPI_Send(order, 2, MPI_UINT64_T, to, 0, MPI_COMM_WORLD);
    }
    midrun_iteration_end();
    printf("iteration %ld: %.4f s, %llu chunks\n", it, MPI_Wtime() - begin, (unsigned long long)chunks);
    wrong |= done != (uint64_t)tasks;
  }
  for (int w = 1; w <= workers; w++) MPI_Send((uint64_t[2]){0, 0}, 2, MPI_UINT64_T, w, 0, MPI_COMM_WORLD);
  puts(wrong ? "tasks were lost" : "all tasks done");
  return wrong;
}

static void worker(void) {
  for (uint64_t order[2];;) {
    MPI_Recv(order, 2, MPI_UINT64_T, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (order[1] == 0) return;
    midrun_work_begin(order[0], order[1]);
    compute(order[0], order[1]);
    midrun_work_end();
    MPI_Send(order, 2, MPI_UINT64_T, 0, 0, MPI_COMM_WORLD);
  }
}

int main(int argc, char **argv) {
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const option_t table[] = {{"--tasks", &tasks, 0, 0, 100000000}, {"--iterations", &iterations, 0, 0, 1000000}, {"--mean-us", &mean_us, 0, 0, 1000000000},
                            {"--mode", 0, &mode, 0, 0}, {0}};
  int code = options(argc, argv, rank, table);
  if (!code && strcmp(mode, "chunks") && strcmp(mode, "factors")) {
    if (rank == 0) fprintf(stderr, "marks_demo: there is no mode \"%s\"; the modes are: chunks factors\n", mode);
    code = USAGE;
  }
  if (!code && size < 2) code = exit_code("marks_demo", rank, MIDRUN_ERR_NO_WORKER);
  if (!code && rank == 0) code = master(size - 1);
  else if (!code) worker();
  MPI_Finalize();
  return code;
}
