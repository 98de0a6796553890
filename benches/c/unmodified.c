/* unmodified.c - a Master/Worker program in the style of XFire, whose task times were drawn beforehand. It knows nothing of midrun.
 *
 * unmodified FILE F0,F1,F2|CHUNK|fac2|gss [NW [of-all]]: the file is that of drawn.h. The master's own loop cuts the tasks into batches: F0, F1 and F2 are
 * the shares of what is left (of-all: of all tasks) that the first three take, each in equal parts to NW slaves; what the third leaves goes out in
 * equal parts, too. CHUNK is the number of tasks of every chunk; fac2 takes half of what is left for each batch, gss an NW-th of it for each chunk.
 * Slaves loop on receive; inputs and results travel in messages. Prints the time of all iterations, seconds.
 */
#include "drawn.h"
#include <string.h>

enum { TAG_WORK = 1, TAG_RESULT, TAG_STOP };
enum { HEADER = 3 }; /* iteration, first task, number of tasks; the inputs follow */

float F0, F1, F2;
int CHUNK; /* 0: batches */
int NW;
static int size, of_all;
static const char *rule;
static uint64_t largest; /* most tasks of an iteration */
static uint64_t *message, *results;

static float share_of(int batch) {
  if (!strcmp(rule, "fac2")) return 0.5f;
  return batch == 0 ? F0 : batch == 1 ? F1 : batch == 2 ? F2 : 1.0f;
}

static uint64_t chunk_of(int batch, uint64_t all, uint64_t left) {
  double of = of_all && batch < 3 ? (double)all : (double)left;
  uint64_t chunk = (uint64_t)(of * share_of(batch) / NW);
  return chunk < 1 ? 1 : chunk < left ? chunk : left;
}

static void send_chunk(int to, uint64_t iteration, uint64_t first, uint64_t count) {
  int64_t end = now_ns() + (int64_t)(head.chunk_s * 1e9);
  while (now_ns() < end) continue;
  message[0] = iteration, message[1] = first, message[2] = count;
  MPI_Send(message, (int)(HEADER * sizeof *message + count * head.bytes), MPI_BYTE, to, TAG_WORK, MPI_COMM_WORLD);
}

/* A waiting rank sleeps, so that many of them fit on two cores: one look misses messages that have arrived. */
static void await(int from, int tag) {
  for (int looks = 0, there = 0;; looks++) {
    MPI_Iprobe(from, tag, MPI_COMM_WORLD, &there, MPI_STATUS_IGNORE);
    if (there) return;
    if (looks % 3 == 2) sleep_until(now_ns() + 100000);
  }
}

static void collect(int *from, uint64_t *collected) {
  MPI_Status status;
  int bytes;
  await(MPI_ANY_SOURCE, TAG_RESULT);
  MPI_Recv(results, (int)((1 + largest) * sizeof *results), MPI_BYTE, MPI_ANY_SOURCE, TAG_RESULT, MPI_COMM_WORLD, &status);
  MPI_Get_count(&status, MPI_BYTE, &bytes);
  uint64_t count = (uint64_t)bytes / sizeof *results - 1;
  for (uint64_t i = 0; i < count; i++) *collected += results[1 + i] == results[0] + i;
  *from = status.MPI_SOURCE;
}

/* One iteration, by the master. In the author's sources it stands in a file of its own: it is not inlined. */
__attribute__((noinline)) void propagate(uint64_t iteration) {
  uint64_t next = 0, chunk = 0, collected = 0;
  int out = 0, sent = 0;
  for (int to = 1; next < tasks[iteration] || out > 0;) {
    if (to > NW || next >= tasks[iteration]) collect(&to, &collected), out--;
    if (next < tasks[iteration]) {
      uint64_t left = tasks[iteration] - next;
      if (!strcmp(rule, "gss")) chunk = (left + (uint64_t)NW - 1) / (uint64_t)NW;
      else if (CHUNK > 0) chunk = (uint64_t)CHUNK;
      else if (sent % NW == 0) chunk = chunk_of(sent / NW, tasks[iteration], left);
      uint64_t count = chunk < left ? chunk : left;
      send_chunk(to, iteration, next, count);
      next += count, out++, sent++;
      to = sent < NW ? sent + 1 : NW + 1;
    }
  }
  if (collected != tasks[iteration]) MPI_Abort(MPI_COMM_WORLD, 2);
}

/* A chunk, by a slave. */
__attribute__((noinline)) void compute(uint64_t iteration, uint64_t first, uint64_t count) {
  results[0] = first;
  for (uint64_t i = 0; i < count; i++) {
    sleep_task(iteration, first + i);
    results[1 + i] = first + i;
  }
}

static void slave(void) {
  MPI_Status status;
  for (;;) {
    await(0, MPI_ANY_TAG);
    MPI_Recv(message, (int)(HEADER * sizeof *message + largest * head.bytes), MPI_BYTE, 0, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
    if (status.MPI_TAG == TAG_STOP) return;
    compute(message[0], message[1], message[2]);
    MPI_Send(results, (int)((1 + message[2]) * sizeof *results), MPI_BYTE, 0, TAG_RESULT, MPI_COMM_WORLD);
  }
}

int main(int argc, char **argv) {
  begin_drawn(&argc, &argv);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  rule = argc > 2 ? argv[2] : "0.5,0.5,0.5";
  if (sscanf(rule, "%f,%f,%f", &F0, &F1, &F2) == 1) CHUNK = atoi(rule);
  NW = argc > 3 ? atoi(argv[3]) : size - 1;
  of_all = argc > 4 && !strcmp(argv[4], "of-all") && strchr(rule, ',');
  for (uint64_t i = 0; i < head.iterations; i++) largest = tasks[i] > largest ? tasks[i] : largest;
  message = calloc(1, HEADER * sizeof *message + largest * head.bytes);
  results = calloc(1 + largest, sizeof *results);
  if (!message || !results || NW < 1 || NW >= size) MPI_Abort(MPI_COMM_WORLD, 64);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) {
    int64_t begun = now_ns();
    for (uint64_t i = 0; i < head.iterations; i++) propagate(i);
    printf("%.6f\n", 1e-9 * (double)(now_ns() - begun));
    for (int to = 1; to < size; to++) MPI_Send(NULL, 0, MPI_BYTE, to, TAG_STOP, MPI_COMM_WORLD);
  } else {
    slave();
  }
  MPI_Finalize();
  return 0;
}
