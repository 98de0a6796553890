/* The programs that benches/src/bin/referee.rs describes to `midrun predict program`, to be run by SimGrid's smpirun.
   usage: referee PROGRAM BYTES REPEATS; prints the simulated seconds. */
#include <mpi.h>
#include <smpi/smpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, size, bytes, repeats;
static char *in, *out;
#define all MPI_COMM_WORLD

/* Hosts do 1e9 operations per second. */
static void compute(double seconds)
{
    smpi_execute_flops(1e9 * seconds);
}

static void send_receive(int to, int from, int n)
{
    MPI_Sendrecv(out, n, MPI_BYTE, to, 0, in, n, MPI_BYTE, from, 0, all, MPI_STATUS_IGNORE);
}

/* Rank 0 gives each other rank a message, all at once. */
static void fan_out(void)
{
    if (rank > 0) {
        MPI_Recv(in, bytes, MPI_BYTE, 0, 0, all, MPI_STATUS_IGNORE);
        return;
    }
    MPI_Request *sent = malloc(sizeof *sent * (size_t) size);
    for (int to = 1; to < size; to++)
        MPI_Isend(out, bytes, MPI_BYTE, to, 0, all, &sent[to - 1]);
    MPI_Waitall(size - 1, sent, MPI_STATUSES_IGNORE);
    free(sent);
}

/* All give rank 0 a message; they begin one after another, and the later the smaller. */
static void fan_in(void)
{
    if (rank > 0) {
        compute(1e-3 * rank);
        MPI_Send(out, bytes / rank, MPI_BYTE, 0, 0, all);
    }
    for (int from = 1; rank == 0 && from < size; from++)
        MPI_Recv(in, bytes, MPI_BYTE, MPI_ANY_SOURCE, 0, all, MPI_STATUS_IGNORE);
}

/* Each rank of the first half and its partner in the other half; the sizes differ. */
static void pairs(void)
{
    int other = (rank + size / 2) % size, n = bytes * (1 + rank % (size / 2));
    send_receive(other, other, n);
}

/* A square of ranks, four neighbours. */
static void halo(void)
{
    int side = 1;
    while (side * side < size)
        side++;
    int x = rank % side, y = rank / side;
    int left = x > 0 ? rank - 1 : MPI_PROC_NULL, right = x < side - 1 ? rank + 1 : MPI_PROC_NULL;
    int up = y > 0 ? rank - side : MPI_PROC_NULL, down = y < side - 1 ? rank + side : MPI_PROC_NULL;
    compute(5e-3 + 1e-4 * (rank % 5));
    send_receive(right, left, bytes);
    send_receive(left, right, bytes);
    send_receive(down, up, bytes);
    send_receive(up, down, bytes);
}

/* Everybody sends to a rank far away, each its own amount. */
static void shift(void)
{
    int far = size / 2 - 1;
    MPI_Request sent;
    MPI_Isend(out, bytes * (1 + rank % 7), MPI_BYTE, (rank + far) % size, 0, all, &sent);
    MPI_Recv(in, bytes * 7, MPI_BYTE, (rank + size - far) % size, 0, all, MPI_STATUS_IGNORE);
    MPI_Wait(&sent, MPI_STATUS_IGNORE);
}

/* A master deals out chunks by hand. */
static void farm(void)
{
    const int chunks = 20 * (size - 1);
    for (int k = 0; rank == 0 && k < chunks + size - 1; k++) {
        MPI_Status of;
        int to = k + 1;
        if (k >= size - 1) {
            MPI_Recv(in, bytes, MPI_BYTE, MPI_ANY_SOURCE, 0, all, &of);
            to = k % (size - 1) + 1;
        }
        if (k < chunks)
            MPI_Send(out, bytes, MPI_BYTE, to, 0, all);
    }
    for (int k = 0; rank > 0 && k < 20; k++) {
        MPI_Recv(in, bytes, MPI_BYTE, 0, 0, all, MPI_STATUS_IGNORE);
        compute(2e-3 + 1e-4 * (rank % 4));
        MPI_Send(out, bytes, MPI_BYTE, 0, 0, all);
    }
}

/* Whether a worker that holds so many tasks gets one, as the framework hands single tasks out: a second one while much is left. */
static int gets_one(int held, int left, int each)
{
    const int workers = size - 1;
    int ahead = each > 1 && held == 1 && 8 * workers <= left && left > 2 * workers;
    return left > 0 && (held == 0 || ahead);
}

/* The framework's iteration of so many tasks for each worker; the tag is the task's number, and at the end their number. Where each
   gets one, the first has the longest: that all get theirs at the same time counts. */
static void master_worker(int each, int task_bytes, int result_bytes)
{
    const int workers = size - 1, tasks = each * workers;
    MPI_Request *sent = malloc(sizeof *sent * (size_t) (tasks + 1));
    int sends = 0;
    if (rank > 0) {
        for (MPI_Status of;;) {
            MPI_Recv(in, task_bytes, MPI_BYTE, 0, MPI_ANY_TAG, all, &of);
            if (of.MPI_TAG == tasks)
                break;
            compute(each == 1 ? 4e-3 * (size - of.MPI_TAG) : 2e-3 + 1e-4 * (of.MPI_TAG % 4));
            MPI_Isend(out, result_bytes, MPI_BYTE, 0, 0, all, &sent[sends++]);
        }
        MPI_Waitall(sends, sent, MPI_STATUSES_IGNORE);
        free(sent);
        return;
    }
    MPI_Request *back = malloc(sizeof *back * (size_t) workers);
    int *held = calloc((size_t) workers, sizeof *held), done = 0;
    for (int k = 0; k < 2 * workers; k++) {
        int worker = k % workers;
        if (k < workers)
            MPI_Irecv(in, result_bytes, MPI_BYTE, worker + 1, 0, all, &back[worker]);
        if (gets_one(held[worker], tasks - sends, each)) {
            MPI_Isend(out, task_bytes, MPI_BYTE, worker + 1, sends, all, &sent[sends]);
            sends++, held[worker]++;
        }
    }
    while (done < tasks) {
        int worker;
        MPI_Waitany(workers, back, &worker, MPI_STATUS_IGNORE);
        done++, held[worker]--;
        while (gets_one(held[worker], tasks - sends, each)) {
            MPI_Isend(out, task_bytes, MPI_BYTE, worker + 1, sends, all, &sent[sends]);
            sends++, held[worker]++;
        }
        if (held[worker] > 0)
            MPI_Irecv(in, result_bytes, MPI_BYTE, worker + 1, 0, all, &back[worker]);
    }
    MPI_Waitall(sends, sent, MPI_STATUSES_IGNORE);
    for (int worker = 0; worker < workers; worker++)
        MPI_Send(out, 0, MPI_BYTE, worker + 1, tasks, all);
    free(back);
    free(held);
    free(sent);
}

static void collective(const char *which)
{
    if (!strcmp(which, "barrier"))
        MPI_Barrier(all);
    else if (!strcmp(which, "broadcast"))
        MPI_Bcast(in, bytes, MPI_BYTE, 0, all);
    else if (!strcmp(which, "reduce"))
        MPI_Reduce(out, in, bytes / 8, MPI_DOUBLE, MPI_SUM, 0, all);
    else if (!strcmp(which, "allreduce"))
        MPI_Allreduce(out, in, bytes / 8, MPI_DOUBLE, MPI_SUM, all);
    else if (!strcmp(which, "gather"))
        MPI_Gather(out, bytes, MPI_BYTE, in, bytes, MPI_BYTE, 0, all);
    else if (!strcmp(which, "scatter"))
        MPI_Scatter(out, bytes, MPI_BYTE, in, bytes, MPI_BYTE, 0, all);
    else if (!strcmp(which, "allgather"))
        MPI_Allgather(out, bytes, MPI_BYTE, in, bytes, MPI_BYTE, all);
    else if (!strcmp(which, "alltoall"))
        MPI_Alltoall(out, bytes, MPI_BYTE, in, bytes, MPI_BYTE, all);
    else {
        fprintf(stderr, "referee: there is no program %s\n", which);
        MPI_Abort(all, 1);
    }
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(all, &rank);
    MPI_Comm_size(all, &size);
    const char *which = argc > 1 ? argv[1] : "";
    bytes = argc > 2 ? atoi(argv[2]) : 0;
    repeats = argc > 3 ? atoi(argv[3]) : 1;
    /* Nothing is looked at: all programs' messages fit. */
    size_t most = (size_t) (bytes + 8) * (size_t) (size + 8);
    in = calloc(1, most);
    out = calloc(1, most);
    double begin = MPI_Wtime();
    for (int k = 0; k < repeats; k++) {
        if (!strcmp(which, "fan-out")) fan_out();
        else if (!strcmp(which, "fan-in")) fan_in();
        else if (!strcmp(which, "pairs")) pairs();
        else if (!strcmp(which, "halo")) halo();
        else if (!strcmp(which, "shift")) shift();
        else if (!strcmp(which, "farm")) farm();
        else if (!strcmp(which, "mw-once")) master_worker(1, bytes, 0);
        else if (!strcmp(which, "mw-queue")) master_worker(20, bytes, 0);
        else if (!strcmp(which, "mw-results")) master_worker(20, 0, bytes);
        else if (!strcmp(which, "mw-both")) master_worker(20, bytes, bytes);
        else collective(which);
    }
    double end = MPI_Wtime();
    /* Every rank writes when it ends: finding the last one by messages would take time. */
    printf("ended %.9f\n", end - begin);
    MPI_Finalize();
    return 0;
}
