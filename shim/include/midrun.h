/* midrun.h - the C API of libmidrun, the library in each rank.
 *
 * A program can be tuned in four ways:
 *   1. Master/Worker framework (midrun_mw_*): you write the task; midrun distributes the tasks.
 *   2. Pipeline framework (midrun_pipe_*): you write the stages; midrun moves the inputs through them.
 *   3. Divide-and-conquer framework (midrun_dc_*): you write how to divide a problem and to combine results; midrun
 *      decides how far to divide, and hands the parts out.
 *   4. Markers (midrun_iteration_begin ...): you keep your own loop, mark where iterations and work begin
 *      and end, and ask midrun for the size of the next chunk.
 * In addition, a program can expose its own variables as tuning points (midrun_expose_*).
 *
 * Functions return MIDRUN_OK (0) on success, a positive status for a benign condition (the rank is not
 * tuned), and a negative status for an error. Without an agent everything works, but nothing is tuned.
 * "Collective" functions are called by all ranks of the communicator.
 *
 * A program may use several frameworks, each on a communicator of its own, also inside a callback of another one. Such an
 * inner framework shares no rank with the outer one but the caller: others wait in the outer one, and the call returns
 * MIDRUN_ERR_ARGUMENT. Each master is tuned by itself.
 *
 * Link the program with libmidrun, or let `midrun run` preload it. If MIDRUN_WEAK is defined before this
 * header is included, the markers are weak symbols: see MIDRUN_MARK.
 *
 * Old names, for programs written for version 0.1: `policy` for `technique` in two structs, midrun_policy_name().
 */
#ifndef MIDRUN_H
#define MIDRUN_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define MIDRUN_VERSION "0.1.0"

/* Status codes. */
#define MIDRUN_OK 0
#define MIDRUN_OFF 1            /* benign: there is no agent, or the library switched itself off */
#define MIDRUN_ENDED 2          /* benign, on a worker: the master has called midrun_mw_finish */
#define MIDRUN_ERR_ARGUMENT -1  /* an argument is out of its range; nothing was done */
#define MIDRUN_ERR_MPI -2       /* MPI is not initialised, or an MPI call failed on a communicator with
                                   MPI_ERRORS_RETURN: the program should abort */
#define MIDRUN_ERR_NO_WORKER -3 /* the communicator has only one rank, so there is no worker; or all workers died */
#define MIDRUN_ERR_TASK -4      /* a callback of the program returned non-zero */
#define MIDRUN_ERR_COUNT -5     /* a task was lost or computed twice: a defect of midrun */
#define MIDRUN_ERR_MEMORY -6    /* out of memory */
#define MIDRUN_ERR_INTERNAL -7  /* a defect of midrun; the call did nothing more */

/* Describes a status in one sentence. Never NULL. */
const char *midrun_status_text(int status);

/* ---- Master/Worker framework --------------------------------------------------------------- */

typedef struct midrun_mw midrun_mw_t;
typedef struct midrun_mw_out midrun_mw_out_t; /* receives inputs or results of any size */

/* Flags of midrun_mw_config_t. */
#define MIDRUN_MW_CHUNKS 1u /* compute() gets whole chunks. Without this flag it gets one task at a time
                               (count == 1), and midrun times every task. */
#define MIDRUN_MW_SPAWN 2u  /* compute() needs no data of other ranks but the bytes of its tasks. Midrun may
                               then start this program again, with the same arguments, as a further worker,
                               if the user allows more workers than ranks (--max-workers) and MPI supports
                               it. Such a process is alone in its MPI_COMM_WORLD. It runs main() up to the
                               first midrun_mw_create, which does not return: it computes there until the
                               master destroys the framework, then calls MPI_Finalize and exit(0). MPI is
                               initialised with MPI_THREAD_MULTIPLE. */

#define MIDRUN_MW_RECALL 4u /* idle workers get tasks that a busy worker has not begun, from the start (tuning point
                               mw.recall). A program that names no technique starts so in any case. */

#define MIDRUN_MW_ANY_SIZE 8u /* inputs and results of any size: prepare_any, compute_any and collect_any take the place of
                                 prepare, compute and collect; task_bytes and result_bytes are 0. */

#define MIDRUN_MW_MASTER_WORKS 16u /* compute() works on the master, too. The master then is the last of the workers: it computes
                                      tasks one at a time (count == 1) while no worker needs it, and a single rank does
                                      all. MIDRUN_MW_SPAWN and mw.workers count it. */

#define MIDRUN_MW_COUNTER 32u /* Tasks carry no input (task_bytes is 0): workers on the master's host take their chunks from a
                                 counter in shared memory, from the start (tuning point mw.counter, which every such
                                 program has), and send their results several chunks at a time. A program that names no
                                 technique starts so where all workers are on that host. Not with MIDRUN_MW_ANY_SIZE. */

#define MIDRUN_MW_TOLERATE 64u /* A worker that dies does not end the job, where the MPI allows it (Open MPI 5 started by mpirun
                                  --with-ft ulfm; else midrun says at start that this has no effect). Tasks that it had
                                  and whose results have not come are given to others: prepare() is called again for
                                  them, and compute() may have run in part on the dead worker. collect() gets each task
                                  once. midrun_mw_iterate succeeds with those that are left; midrun_mw_stats_t counts
                                  lost workers. With none left it returns MIDRUN_ERR_NO_WORKER; on the workers of a
                                  master that dies, MIDRUN_ERR_MPI. Collective calls of the program on communicators
                                  with a dead rank fail as that MPI says. There are no sub-teams then, and no processes
                                  are started beyond the ranks. */

typedef struct midrun_mw_config {
  size_t struct_size;  /* sizeof(midrun_mw_config_t) */
  const void *comm;    /* address of an MPI_Comm; NULL = MPI_COMM_WORLD */
  int master;          /* rank of the master in comm; all other ranks are workers */
  uint32_t flags;
  size_t task_bytes;   /* bytes of input per task, sent to the worker; may be 0 */
  size_t result_bytes; /* bytes of result per task, sent to the master; may be 0 */
  /* Callbacks return 0, or non-zero for an error, which ends the iteration with MIDRUN_ERR_TASK.
     Master: write the inputs of tasks first .. first+count-1 to `tasks`. May be NULL if task_bytes is 0. */
  int (*prepare)(void *user, uint64_t iteration, uint64_t first, uint64_t count, void *tasks);
  /* Worker: compute tasks first .. first+count-1 and write count * result_bytes bytes to `results`. */
  int (*compute)(void *user, uint64_t iteration, uint64_t first, uint64_t count, const void *tasks,
                 void *results);
  /* Master: process results. Called once per chunk, in any order. May be NULL. */
  int (*collect)(void *user, uint64_t iteration, uint64_t first, uint64_t count,
                 const void *results);
  void *user;          /* passed to the callbacks */
  union {
    const char *technique; /* initial loop scheduling technique: none ss fsc gss fac2 dpf daf af tss mfsc awf-b awf-c.
                              NULL = mfsc with recall; with a factor: dpf with recall; where
                              all workers can take chunks from the counter: fsc by it */
    const char *policy;    /* old name of technique */
  };
  double factor;       /* share per batch (fsc, dpf), 0 to 1; 0 = the technique's default */
  uint32_t workers;    /* initial number of active workers; 0 = all. The others are parked: they sleep until
                          midrun activates them. Only the master's value is used. */
  /* With MIDRUN_MW_ANY_SIZE, whole chunks. Master: emit the inputs of tasks first .. first+count-1 by midrun_mw_emit, in
     a form of your own. Called again for tasks that a worker gave back. May be NULL. */
  int (*prepare_any)(void *user, uint64_t iteration, uint64_t first, uint64_t count, midrun_mw_out_t *out);
  /* Worker: compute tasks first .. first+count-1 and emit their results. `tasks` is what prepare_any emitted for
     tasks from `first` on: for these, or for more, of which the last were given back. */
  int (*compute_any)(void *user, uint64_t iteration, uint64_t first, uint64_t count, const void *tasks, size_t bytes,
                     midrun_mw_out_t *out);
  /* Master: process what compute_any emitted. May be NULL. */
  int (*collect_any)(void *user, uint64_t iteration, uint64_t first, uint64_t count, const void *results, size_t bytes);
} midrun_mw_config_t;

/* Statistics of the last iteration, on the master. */
typedef struct midrun_mw_stats {
  size_t struct_size;      /* sizeof(midrun_mw_stats_t), set by the caller */
  uint64_t iteration;
  uint64_t tasks;          /* tasks whose results were collected */
  uint64_t chunks;
  uint32_t workers;        /* active workers */
  union {
    uint32_t technique;    /* code; see midrun_technique_name() */
    uint32_t policy;       /* old name of technique */
  };
  double iteration_s;      /* wall time, seconds */
  double task_s;           /* compute time of all tasks, summed over the workers, seconds */
  double master_busy_s;    /* time in which the master did not wait, seconds */
  uint32_t lost_workers;   /* workers that died in this iteration or since the last one (MIDRUN_MW_TOLERATE) */
  uint64_t redone_tasks;   /* tasks that they had, which were given to others */
} midrun_mw_stats_t;

/* Collective over comm. All ranks pass the same task_bytes, result_bytes, master and flags. On an error *mw is
 * NULL. */
int midrun_mw_create(midrun_mw_t **mw, const midrun_mw_config_t *config);
/* Collective: runs one iteration of `tasks` tasks (the master's value is used). Returns on the master when all
 * results are collected, and on a worker when no task is left for it. Between iterations the program may
 * communicate freely, for example by MPI_Bcast. An error is returned on all ranks; more than 2^40 - 1 tasks, as a negative
 * number seems to be, are one. */
int midrun_mw_iterate(midrun_mw_t *mw, uint64_t tasks);
/* In prepare_any and compute_any: appends `bytes` zeros to the chunk's inputs or results and returns them. The next call
 * may move them. The first begins at a multiple of 16 bytes. NULL: out of memory. */
void *midrun_mw_emit(midrun_mw_out_t *out, size_t bytes);
/* Master, for programs whose workers do not know the number of iterations: no iteration follows. On every worker
 * midrun_mw_iterate then returns MIDRUN_ENDED. midrun_mw_destroy is due afterwards. */
int midrun_mw_finish(midrun_mw_t *mw);
/* Copies the statistics of the last iteration. MIDRUN_ERR_ARGUMENT on a worker. */
int midrun_mw_last(const midrun_mw_t *mw, midrun_mw_stats_t *stats);
/* Collective. Sets *mw to NULL. */
int midrun_mw_destroy(midrun_mw_t **mw);
/* The name of a technique's code; "unknown" for any other number. */
const char *midrun_technique_name(uint32_t technique);
const char *midrun_policy_name(uint32_t technique); /* old name of midrun_technique_name */

/* ---- Pipeline framework ---------------------------------------------------------------------- */

typedef struct midrun_pipe midrun_pipe_t;
typedef struct midrun_pipe_out midrun_pipe_out_t; /* receives the outputs of a source or stage */

/* Flags of midrun_pipe_stage_t. */
#define MIDRUN_PIPE_STATEFUL 1u /* keeps state between inputs: has one replica, stays on its rank, and gets
                                   the inputs in order */
#define MIDRUN_PIPE_MANY 2u     /* emits any number of outputs per input, including none; otherwise exactly one */
/* Flags of midrun_pipe_config_t. */
#define MIDRUN_PIPE_UNORDERED 1u /* outputs may reach the sink in any order */
#define MIDRUN_PIPE_SPAWN 2u     /* stages need no data of other ranks but the bytes of their inputs. Midrun may then
                                    start this program again, as MIDRUN_MW_SPAWN describes, as a further rank of
                                    the first pipeline: its midrun_pipe_create computes stages and does not return.
                                    Not for a pipeline on one rank, or with a team's stage. */
/* Return value of a source that has no more inputs. */
#define MIDRUN_PIPE_END 1

/* The result of a task. */
typedef struct midrun_pipe_part {
  const void *data; /* aligned to 8 bytes */
  size_t bytes;
} midrun_pipe_part_t;

/* A stage has one function, run, or is a team's: then run is NULL, flags are 0, and split, task and join are set. The ranks that the
 * pattern gives to a team's stage compute each input together: `1x4` is one lead and three workers, not four replicas. The lead splits
 * the input into tasks, hands them out (tuning points mw.technique ... of its rank), computes some itself, and joins the results. */
typedef struct midrun_pipe_stage {
  const char *name; /* for error messages and logs; may be NULL */
  /* Process one input. `data` is aligned to 16 bytes and valid during the call. Return 0, or non-zero for an
     error, which stops the stream. */
  int (*run)(void *user, uint64_t input, const void *data, size_t bytes, midrun_pipe_out_t *out);
  uint32_t flags;
  /* Lead: emit the data of each task of an input, any number of them. */
  int (*split)(void *user, uint64_t input, const void *data, size_t bytes, midrun_pipe_out_t *out);
  /* Any rank of the team: compute task 0, 1, 2, ... of an input from what split emitted for it; emit one result. */
  int (*task)(void *user, uint64_t input, uint64_t task, const void *data, size_t bytes, midrun_pipe_out_t *out);
  /* Lead: emit one output from the results of all tasks, in the order of the tasks. `data` is the input. */
  int (*join)(void *user, uint64_t input, const void *data, size_t bytes, uint64_t tasks,
              const midrun_pipe_part_t *results, midrun_pipe_out_t *out);
} midrun_pipe_stage_t;

typedef struct midrun_pipe_config {
  size_t struct_size; /* sizeof(midrun_pipe_config_t) */
  const void *comm;   /* address of an MPI_Comm; NULL = MPI_COMM_WORLD */
  uint32_t flags;
  uint32_t stage_count;
  const midrun_pipe_stage_t *stages;
  size_t stage_size; /* sizeof(midrun_pipe_stage_t) */
  /* Rank 0: emit input 0, 1, 2, ... Return 0, MIDRUN_PIPE_END after the last input, or an error. */
  int (*source)(void *user, uint64_t input, midrun_pipe_out_t *out);
  /* Rank 0: process an output of `input`. Return 0 or an error. May be NULL. */
  int (*sink)(void *user, uint64_t input, const void *data, size_t bytes);
  void *user;          /* passed to the functions */
  const char *pattern; /* initial pattern; see midrun_pipe_pattern. NULL = the one that an earlier run under midrun found
                          best, else one rank per stage or, with fewer ranks, neighbouring stages together. Only rank 0's
                          value is used. */
  uint32_t in_flight;  /* most inputs in flight; 0 = enough for the ranks */
} midrun_pipe_config_t;

/* Statistics of the last run, on rank 0. */
typedef struct midrun_pipe_stats {
  size_t struct_size; /* sizeof(midrun_pipe_stats_t), set by the caller */
  uint64_t inputs;    /* drawn from the source */
  uint64_t outputs;   /* passed to the sink */
  uint64_t changes;   /* changes of the pattern */
  double seconds;
  int32_t failed_stage;  /* stage that failed; -1 = none or, if failed_status != 0, the source or the sink */
  int32_t failed_status; /* return value of the function that failed */
  uint64_t failed_input; /* input for which it failed */
} midrun_pipe_stats_t;

/* Collective over comm. All ranks pass the same stages and flags. Rank 0 draws the inputs and delivers the outputs,
 * the other ranks compute the stages (a single rank does both); ranks that no stage needs sleep. */
int midrun_pipe_create(midrun_pipe_t **pipe, const midrun_pipe_config_t *config);
/* Collective: runs until the source has ended and all outputs are delivered, or until a function fails, which rank 0
 * reports on stderr. An error is returned on all ranks. Each call runs a new stream that starts with input 0. */
int midrun_pipe_run(midrun_pipe_t *pipe);
/* In a stage or source: allocates an output of `bytes` zeros. Write it before the next emission and before the
 * function returns. NULL: out of memory, or more outputs than declared. */
void *midrun_pipe_emit(midrun_pipe_out_t *out, size_t bytes);
/* Rank 0, between runs or in the source or sink: places the stages on ranks by `pattern`, from the next input on.
 *   "0,1x4,2-3x2,4"  stage 1 on four ranks, stages 2 and 3 together on each of two ranks
 *   "1x4m"           a communication manager on a rank of its own distributes inputs to the four replicas
 *   "1x4s"           the same, with the manager on the rank of the first replica
 *   "1x2@3+5"        replicas on ranks 3 and 5 of the communicator
 * Midrun changes the pattern too, unless the run has `--objective fixed`. */
int midrun_pipe_pattern(midrun_pipe_t *pipe, const char *pattern);
/* Copies the statistics of the last run. MIDRUN_ERR_ARGUMENT on ranks other than 0. */
int midrun_pipe_last(const midrun_pipe_t *pipe, midrun_pipe_stats_t *stats);
/* Collective. Sets *pipe to NULL. */
int midrun_pipe_destroy(midrun_pipe_t **pipe);

/* ---- Divide-and-conquer framework ------------------------------------------------------------ */

typedef struct midrun_dc midrun_dc_t;
typedef struct midrun_dc_out midrun_dc_out_t; /* receives the parts of a problem, or a result */

/* Return value of `divide` for a problem that is to be solved as it is. */
#define MIDRUN_DC_BASE 1

typedef struct midrun_dc_part {
  const void *data; /* result of a part, aligned to 16 bytes */
  size_t bytes;
} midrun_dc_part_t;

typedef struct midrun_dc_config {
  size_t struct_size; /* sizeof(midrun_dc_config_t) */
  const void *comm;   /* address of an MPI_Comm; NULL = MPI_COMM_WORLD */
  int master;         /* rank of the master in comm; all other ranks are workers. A single rank does all. */
  uint32_t flags;     /* 0 */
  /* All three functions run on the master and on workers, and see nothing but the bytes of their problem. These are
     aligned to 16 bytes and valid during the call. An error (a value besides those named) ends the solve with
     MIDRUN_ERR_TASK on all ranks. */
  /* Emit the parts of `problem` by midrun_dc_emit and return 0; or emit nothing and return MIDRUN_DC_BASE. */
  int (*divide)(void *user, const void *problem, size_t bytes, midrun_dc_out_t *parts);
  /* Solve `problem` as it is: emit its result, and return 0. */
  int (*base)(void *user, const void *problem, size_t bytes, midrun_dc_out_t *result);
  /* Emit the result of `problem`, whose `count` parts have these results, in the order of their emission; return 0. */
  int (*combine)(void *user, const void *problem, size_t bytes, const midrun_dc_part_t *parts, uint32_t count,
                 midrun_dc_out_t *result);
  void *user;            /* passed to the functions */
  uint32_t cutoff;       /* initial cut-off depth: the master divides down to it, and each problem there is solved by one
                            worker; 0 = the one that an earlier run under midrun found best, else enough tasks for the
                            workers. Only the master's value is used. */
  uint32_t workers;      /* as in midrun_mw_config_t */
  const char *technique; /* as in midrun_mw_config_t; NULL = ss with recall */
} midrun_dc_config_t;

/* Statistics of the last solve, on the master. */
typedef struct midrun_dc_stats {
  size_t struct_size; /* sizeof(midrun_dc_stats_t), set by the caller */
  uint64_t iteration;
  uint64_t tasks;     /* problems that workers solved */
  uint32_t cutoff;    /* cut-off depth in force; the tree may end above it */
  uint32_t workers;   /* active workers */
  double iteration_s; /* wall time, seconds */
  double task_s;      /* time of all tasks, summed over the workers, seconds */
  double divide_s;    /* time in which the master divided, seconds */
  double combine_s;   /* time in which it combined, seconds */
} midrun_dc_stats_t;

/* Collective over comm. All ranks pass the same master and functions. On an error *dc is NULL. */
int midrun_dc_create(midrun_dc_t **dc, const midrun_dc_config_t *config);
/* Collective: solves the master's `problem`. On the master *result is the result, aligned to 16 bytes and valid until the
 * next solve, or destruction; on a worker *result and *result_bytes are 0, and all arguments but dc may be.
 * A wrong argument on the master is MIDRUN_ERR_ARGUMENT there, and fails the solve on the workers (MIDRUN_ERR_TASK). */
int midrun_dc_solve(midrun_dc_t *dc, const void *problem, size_t bytes, const void **result, size_t *result_bytes);
/* In divide, base and combine: allocates a part or the result of `bytes` zeros, valid until the function returns.
 * NULL: out of memory, or more results than one. */
void *midrun_dc_emit(midrun_dc_out_t *out, size_t bytes);
/* Master, for programs whose workers do not know the number of solves: as midrun_mw_finish. */
int midrun_dc_finish(midrun_dc_t *dc);
/* Copies the statistics of the last solve. MIDRUN_ERR_ARGUMENT on a worker. */
int midrun_dc_last(const midrun_dc_t *dc, midrun_dc_stats_t *stats);
/* Collective. Sets *dc to NULL. */
int midrun_dc_destroy(midrun_dc_t **dc);

/* ---- Markers for programs with their own loop ----------------------------------------------- */

/* Master: an iteration of `tasks` tasks for `workers` workers begins. This is a safe point: exposed variables may
 * change inside the call. */
int midrun_iteration_begin(uint64_t tasks, uint32_t workers);
/* Master: all results of the iteration have arrived. */
int midrun_iteration_end(void);
/* Worker: the computation of `tasks` tasks begins, of which `first` is the first (0 if tasks have no order) and
 * midrun_work_end() ends it. Midrun finds the iteration by the time. A worker that knows where each iteration begins
 * and how many tasks it has calls midrun_iteration_begin(tasks, 0) there; then midrun also learns how task times
 * depend on the position of a task. */
int midrun_work_begin(uint64_t first, uint64_t tasks);
int midrun_work_end(void);
/* Master: returns the number of tasks to send to `worker` (0 .. workers-1) next. Counts down from the iteration's
 * tasks; 0 when none is left. This is a safe point. */
uint64_t midrun_next_chunk(uint32_t worker);
/* Master: reports the compute time of a chunk that came back. Use it if the workers have no markers, or to let AF
 * know each worker's speed at once. If the workers' markers cover the iteration, midrun uses those. */
int midrun_chunk_done(uint32_t worker, uint64_t tasks, double seconds);

/* ---- Tuning points: let midrun change a variable of yours ------------------------------------- */

/* Expose a variable. Midrun changes it only in the thread that exposed it: inside midrun_iteration_begin,
 * midrun_iteration_end, midrun_next_chunk or midrun_safe_point. Until the rank has called one of them, and without a
 * framework, it changes it inside blocking MPI calls, too. `name` has at most 31 bytes; the variable must live as long as the program.
 * A master that cuts batches by itself exposes F0, F1, F2, ...: the share of ALL tasks of the iteration that batch
 * 0, 1, 2, ... gets; or F0.rest, F1.rest, ...: the share of the tasks that are LEFT. */
int midrun_expose_double(const char *name, double *variable, double minimum, double maximum);
int midrun_expose_float(const char *name, float *variable, float minimum, float maximum);
int midrun_expose_int(const char *name, int *variable, int minimum, int maximum);
int midrun_expose_unsigned(const char *name, unsigned *variable, unsigned minimum, unsigned maximum);
/* A safe point, for programs without iterations: exposed variables may change inside the call. */
int midrun_safe_point(void);

#ifdef MIDRUN_WEAK
#pragma weak midrun_iteration_begin
#pragma weak midrun_iteration_end
#pragma weak midrun_work_begin
#pragma weak midrun_work_end
#pragma weak midrun_next_chunk
#pragma weak midrun_chunk_done
#pragma weak midrun_expose_double
#pragma weak midrun_expose_float
#pragma weak midrun_expose_int
#pragma weak midrun_expose_unsigned
#pragma weak midrun_safe_point
/* Calls a function only if the library is present: MIDRUN_MARK(midrun_iteration_begin, (tasks, workers)); */
#define MIDRUN_MARK(function, arguments) ((function) ? (function) arguments : MIDRUN_OFF)
#endif

#ifdef __cplusplus
}
#endif
#endif
