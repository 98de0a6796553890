/* own_loop.c - a Master/Worker loop of its own, which knows nothing of midrun. Before it begins, rank 0 measures what
 * messages cost by round trips with each rank: the median half round trip of each size, without the time for which the
 * other rank held the message, which that one says.
 *
 * own_loop ITERATIONS PAUSE_US [FILE [LARGEST [PACE_US [CALLS]]]]: a worker computes PAUSE_US for each message, and the master before it sends one;
 * in the round trips both compute PACE_US (PAUSE_US). Messages have up to LARGEST bytes (65536). FILE gets a line `peer bytes seconds` per
 * measured size; stdout (or -) without it. CALLS are those of the loop: blocking (MPI_Send, MPI_Recv), nonblocking (MPI_Isend with MPI_Wait, and
 * MPI_Irecv with MPI_Waitany in the master and MPI_Wait in the workers), together (both in one MPI_Waitall), sendrecv (worker and master send their
 * next message in the same MPI_Sendrecv in which they receive one) or persistent (a request for each size and peer: MPI_Startall and MPI_Waitall in the
 * master, MPI_Start and MPI_Wait in the workers).
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { SIZES = 6, ROUNDS = 21, LARGEST = 1 << 16, TAG_PING = 1, TAG_WORK, TAG_RESULT, TAG_STOP };
static int sizes[SIZES];
static char buffer[LARGEST];

static int by_time(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static void compute(long us) {
  struct timespec now, end;
  clock_gettime(CLOCK_MONOTONIC, &end);
  end.tv_nsec += us * 1000;
  end.tv_sec += end.tv_nsec / 1000000000;
  end.tv_nsec %= 1000000000;
  do clock_gettime(CLOCK_MONOTONIC, &now);
  while (now.tv_sec < end.tv_sec || (now.tv_sec == end.tv_sec && now.tv_nsec < end.tv_nsec));
}

static void ping(int rank, int size, long pause_us, const char *path) {
  FILE *out = path && rank == 0 ? fopen(path, "w") : stdout;
  if (!out) MPI_Abort(MPI_COMM_WORLD, 1);
  for (int peer = 1; peer < size; peer++) {
    for (int s = 0; s < SIZES; s++) {
      double times[ROUNDS];
      for (int k = 0; k < ROUNDS; k++) {
        double begin = 0, held = 0;
        if (rank == 0) {
          compute(pause_us);
          begin = MPI_Wtime();
          PMPI_Send(buffer, sizes[s], MPI_BYTE, peer, TAG_PING, MPI_COMM_WORLD);
          PMPI_Recv(buffer, sizes[s], MPI_BYTE, peer, TAG_PING, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        } else if (rank == peer) {
          PMPI_Recv(buffer, sizes[s], MPI_BYTE, 0, TAG_PING, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
          begin = MPI_Wtime();
          compute(pause_us);
          held = MPI_Wtime() - begin;
          memcpy(buffer, &held, sizeof held);
          PMPI_Send(buffer, sizes[s], MPI_BYTE, 0, TAG_PING, MPI_COMM_WORLD);
        }
        if (rank == 0) {
          times[k] = MPI_Wtime() - begin;
          memcpy(&held, buffer, sizeof held);
          times[k] = 0.5 * (times[k] - held);
        }
      }
      if (rank != 0) continue;
      qsort(times, ROUNDS, sizeof *times, by_time);
      fprintf(out, "%d %d %.9f\n", peer, sizes[s], times[ROUNDS / 2]);
    }
    PMPI_Barrier(MPI_COMM_WORLD);
  }
  if (out != stdout) fclose(out);
}

#pragma GCC diagnostic ignored "-Wstringop-overflow" /* MPICH's MPI_STATUSES_IGNORE is no array */

enum { BLOCKING, NONBLOCKING, TOGETHER, SENDRECV, PERSISTENT, CALLS };
static const char *const names[CALLS] = {"blocking", "nonblocking", "together", "sendrecv", "persistent"};
static int calls = BLOCKING;
static char answer[LARGEST];
/* The master's for each peer and size: to send work, and for its answer. A worker's for each size, the second of the first one for its work. */
static MPI_Request (*kept)[2];

static int size_of(int bytes) {
  int s = 0;
  while (s + 1 < SIZES && sizes[s] != bytes) s++;
  return s;
}

static void make_requests(int rank, int size) {
  kept = malloc(sizeof *kept * (size_t)(size * SIZES));
  if (!kept) MPI_Abort(MPI_COMM_WORLD, 1);
  for (int k = 0; k < (rank == 0 ? size * SIZES : SIZES); k++) {
    int bytes = sizes[k % SIZES], peer = k / SIZES;
    if (rank == 0) {
      MPI_Send_init(buffer, bytes, MPI_BYTE, peer, TAG_WORK, MPI_COMM_WORLD, &kept[k][0]);
      MPI_Recv_init(answer, bytes, MPI_BYTE, peer, TAG_RESULT, MPI_COMM_WORLD, &kept[k][1]);
    } else {
      MPI_Send_init(answer, bytes, MPI_BYTE, 0, TAG_RESULT, MPI_COMM_WORLD, &kept[k][0]);
      MPI_Recv_init(buffer, LARGEST, MPI_BYTE, 0, MPI_ANY_TAG, MPI_COMM_WORLD, &kept[k][1]);
    }
  }
}

static void free_requests(int rank, int size) {
  for (int k = 0; k < 2 * (rank == 0 ? size * SIZES : SIZES); k++) MPI_Request_free(&kept[k / 2][k % 2]);
  free(kept);
}

/* The master sends work to a peer, and has its answer. */
static void turn(int bytes, int peer) {
  MPI_Request requests[2];
  int which;
  switch (calls) {
    case BLOCKING:
      MPI_Send(buffer, bytes, MPI_BYTE, peer, TAG_WORK, MPI_COMM_WORLD);
      MPI_Recv(answer, LARGEST, MPI_BYTE, peer, TAG_RESULT, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      break;
    case NONBLOCKING:
      MPI_Irecv(answer, LARGEST, MPI_BYTE, MPI_ANY_SOURCE, TAG_RESULT, MPI_COMM_WORLD, &requests[0]);
      MPI_Isend(buffer, bytes, MPI_BYTE, peer, TAG_WORK, MPI_COMM_WORLD, &requests[1]);
      MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
      MPI_Waitany(1, requests, &which, MPI_STATUS_IGNORE);
      break;
    case TOGETHER:
      MPI_Irecv(answer, bytes, MPI_BYTE, peer, TAG_RESULT, MPI_COMM_WORLD, &requests[0]);
      MPI_Isend(buffer, bytes, MPI_BYTE, peer, TAG_WORK, MPI_COMM_WORLD, &requests[1]);
      MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
      break;
    case PERSISTENT:
      MPI_Startall(2, kept[peer * SIZES + size_of(bytes)]);
      MPI_Waitall(2, kept[peer * SIZES + size_of(bytes)], MPI_STATUSES_IGNORE);
      break;
    default:
      MPI_Sendrecv(buffer, bytes, MPI_BYTE, peer, TAG_WORK, answer, LARGEST, MPI_BYTE, peer, TAG_RESULT, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
}

/* A worker sends an answer, of no bytes to begin with where it sends with what it receives, and has its next message. */
static void next(int *bytes, MPI_Status *status) {
  MPI_Request request;
  if (calls == SENDRECV) {
    MPI_Sendrecv(answer, *bytes, MPI_BYTE, 0, TAG_RESULT, buffer, LARGEST, MPI_BYTE, 0, MPI_ANY_TAG, MPI_COMM_WORLD, status);
  } else if (calls == NONBLOCKING) {
    MPI_Irecv(buffer, LARGEST, MPI_BYTE, 0, MPI_ANY_TAG, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, status);
  } else if (calls == PERSISTENT) {
    MPI_Start(&kept[0][1]);
    MPI_Wait(&kept[0][1], status);
  } else {
    MPI_Recv(buffer, LARGEST, MPI_BYTE, 0, MPI_ANY_TAG, MPI_COMM_WORLD, status);
  }
  MPI_Get_count(status, MPI_BYTE, bytes);
}

static void answers_with(int bytes) {
  MPI_Request request;
  if (calls == NONBLOCKING) {
    MPI_Isend(answer, bytes, MPI_BYTE, 0, TAG_RESULT, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  } else if (calls == PERSISTENT) {
    MPI_Start(&kept[size_of(bytes)][0]);
    MPI_Wait(&kept[size_of(bytes)][0], MPI_STATUS_IGNORE);
  } else if (calls != SENDRECV) {
    MPI_Send(answer, bytes, MPI_BYTE, 0, TAG_RESULT, MPI_COMM_WORLD);
  }
}

int main(int argc, char **argv) {
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  int iterations = argc > 1 ? atoi(argv[1]) : 50;
  long pause_us = argc > 2 ? atol(argv[2]) : 200;
  int largest = argc > 4 ? atoi(argv[4]) : LARGEST;
  if (largest < 64 || largest > LARGEST) largest = LARGEST;
  const int all[SIZES] = {8, largest / 64, largest / 16, largest / 4, 3 * (largest / 4), largest};
  for (int s = 0; s < SIZES; s++) sizes[s] = all[s];
  for (int c = 0; argc > 6 && c < CALLS; c++)
    if (!strcmp(argv[6], names[c])) calls = c;
  ping(rank, size, argc > 5 ? atol(argv[5]) : pause_us, argc > 3 && strcmp(argv[3], "-") ? argv[3] : NULL);
  long answers = 0;
  if (calls == PERSISTENT) make_requests(rank, size);
  if (rank == 0) {
    for (int i = 0; i < iterations; i++) {
      for (int peer = 1; peer < size; peer++) {
        compute(pause_us); /* so that the worker waits for its message, as the master does for the answer */
        turn(sizes[(i + peer) % SIZES], peer);
        answers++;
      }
    }
    for (int peer = 1; peer < size; peer++) {
      MPI_Send(buffer, 0, MPI_BYTE, peer, TAG_STOP, MPI_COMM_WORLD);
      if (calls == SENDRECV) MPI_Recv(answer, LARGEST, MPI_BYTE, peer, TAG_RESULT, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    printf("answers %ld\n", answers);
  } else {
    MPI_Status status;
    for (int bytes = 0;; answers_with(bytes)) {
      next(&bytes, &status);
      if (status.MPI_TAG == TAG_STOP) break;
      compute(pause_us);
    }
  }
  if (calls == PERSISTENT) free_requests(rank, size);
  MPI_Finalize();
  return 0;
}
