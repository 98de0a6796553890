/* midrun.h - the C API of libmidrun, the library in each rank.
 *
 * Three ways to be tuned:
 *   1. The Master/Worker framework (midrun_mw_*): you write the task, midrun hands tasks out.
 *   2. The pipeline framework (midrun_pipe_*): you write the stages, midrun moves the inputs through them.
 *   3. Marks (midrun_iteration_begin ...): your own loop stays, you say where iterations and work
 *      begin and end, and ask how many tasks to hand out next.
 *
 * Every function returns MIDRUN_OK (0) when done, a positive status for something benign
 * ("not tuned now"), a negative one for an error. Without an agent everything works, untuned.
 * A program may be linked with libmidrun, or let `midrun run` preload it: with MIDRUN_WEAK defined
 * before this header is included, the marks become no-ops where the library is not there.
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
#define MIDRUN_OFF 1            /* benign: no agent, or the shim switched itself off */
#define MIDRUN_ERR_ARGUMENT -1  /* an argument is out of its range; nothing was done */
#define MIDRUN_ERR_MPI -2       /* MPI is not initialised, or a call of it failed (and the communicator has MPI_ERRORS_RETURN): abort */
#define MIDRUN_ERR_NO_WORKER -3 /* the communicator has one rank: nobody to hand tasks to */
#define MIDRUN_ERR_TASK -4      /* a callback of yours returned non-zero */
#define MIDRUN_ERR_COUNT -5     /* a task was lost or computed twice (this is a defect of midrun) */
#define MIDRUN_ERR_MEMORY -6    /* out of memory */
#define MIDRUN_ERR_INTERNAL -7  /* a defect of midrun, caught */

/* A sentence for a status. Never NULL. */
const char *midrun_status_text(int status);

/* ---- Master/Worker framework --------------------------------------------------------------- */

typedef struct midrun_mw midrun_mw_t;

/* Flags of midrun_mw_config_t. */
#define MIDRUN_MW_CHUNKS 1u /* compute() is given a whole chunk. Without it compute() is called for one
                               task at a time (count == 1), so that every task is timed. */
#define MIDRUN_MW_SPAWN 2u  /* compute() needs nothing of other ranks but its tasks' bytes, so midrun may
                               start this program once more, with the same arguments, as a further worker:
                               where the user asks for more workers than ranks (--max-workers) and MPI can
                               do it. Such a process is alone in its MPI_COMM_WORLD. It runs main() up to
                               the program's first midrun_mw_create, which does not return: it computes
                               there until the master destroys the framework, then MPI_Finalize and exit(0)
                               are called. MPI runs with MPI_THREAD_MULTIPLE. */

typedef struct midrun_mw_config {
  size_t struct_size;  /* sizeof(midrun_mw_config_t) */
  const void *comm;    /* address of an MPI_Comm; NULL = MPI_COMM_WORLD */
  int master;          /* rank of the master in comm; all others are workers */
  uint32_t flags;
  size_t task_bytes;   /* bytes of input per task, sent with the task; may be 0 */
  size_t result_bytes; /* bytes of result per task; may be 0 */
  /* Master: write the inputs of tasks first .. first+count-1 to `tasks`. NULL where task_bytes is 0. */
  int (*prepare)(void *user, uint64_t iteration, uint64_t first, uint64_t count, void *tasks);
  /* Worker: compute tasks first .. first+count-1, write count * result_bytes to `results`. */
  int (*compute)(void *user, uint64_t iteration, uint64_t first, uint64_t count, const void *tasks,
                 void *results);
  /* Master: take results. Called once per chunk, in any order. May be NULL. */
  int (*collect)(void *user, uint64_t iteration, uint64_t first, uint64_t count,
                 const void *results);
  void *user;          /* given to the callbacks */
  union {
    const char *technique; /* scheduling technique to start with: none ss fsc gss fac2 dpf daf af; NULL = dpf */
    const char *policy;    /* its name in version 0.1 */
  };
  double factor;       /* its share (fsc, dpf); 0 = the technique's default */
  uint32_t workers;    /* workers to begin with; 0 = all. The others are parked: they sleep until midrun
                          needs them. Counts on the master. */
} midrun_mw_config_t;

/* What the last iteration was, on the master. */
typedef struct midrun_mw_stats {
  size_t struct_size;      /* sizeof(midrun_mw_stats_t), set by the caller */
  uint64_t iteration;
  uint64_t tasks;          /* results taken in */
  uint64_t chunks;
  uint32_t workers;        /* that took part */
  union {
    uint32_t technique;    /* code; see midrun_technique_name() */
    uint32_t policy;       /* its name in version 0.1 */
  };
  double iteration_s;      /* wall time */
  double task_s;           /* sum of the tasks' own times over all workers */
  double master_busy_s;
} midrun_mw_stats_t;

/* Collective over comm. Every rank gives the same task_bytes, result_bytes, master and flags. */
int midrun_mw_create(midrun_mw_t **mw, const midrun_mw_config_t *config);
/* Collective: one iteration of `tasks` tasks (the master's number counts). Returns on the master when
 * every result was collected, on a worker when nothing is left for it. Between two iterations the
 * program may do what it likes, for example MPI_Bcast. An error is returned on every rank. */
int midrun_mw_iterate(midrun_mw_t *mw, uint64_t tasks);
/* The last iteration's figures. MIDRUN_ERR_ARGUMENT on a worker. */
int midrun_mw_last(const midrun_mw_t *mw, midrun_mw_stats_t *stats);
/* Collective. Sets *mw to NULL. */
int midrun_mw_destroy(midrun_mw_t **mw);
/* Name of a technique code; "unknown" for any other number. */
const char *midrun_technique_name(uint32_t technique);

/* ---- Pipeline framework ---------------------------------------------------------------------- */

typedef struct midrun_pipe midrun_pipe_t;
typedef struct midrun_pipe_out midrun_pipe_out_t; /* where a function puts its outputs */

/* Flags of midrun_pipe_stage_t. */
#define MIDRUN_PIPE_STATEFUL 1u /* keeps state between inputs: has one replica, stays on its rank, and is
                                   given the inputs in their order */
#define MIDRUN_PIPE_MANY 2u     /* emits any number of outputs per input, also none; else exactly one */
/* Flags of midrun_pipe_config_t. */
#define MIDRUN_PIPE_UNORDERED 1u /* outputs may reach the sink in any order */
/* What a source returns when it has no more inputs. */
#define MIDRUN_PIPE_END 1

typedef struct midrun_pipe_stage {
  const char *name; /* for messages; may be NULL */
  /* `data`, aligned to 16 bytes, is valid during the call. 0, or an error, which stops the stream. */
  int (*run)(void *user, uint64_t input, const void *data, size_t bytes, midrun_pipe_out_t *out);
  uint32_t flags;
} midrun_pipe_stage_t;

typedef struct midrun_pipe_config {
  size_t struct_size; /* sizeof(midrun_pipe_config_t) */
  const void *comm;   /* address of an MPI_Comm; NULL = MPI_COMM_WORLD */
  uint32_t flags;
  uint32_t stage_count;
  const midrun_pipe_stage_t *stages;
  size_t stage_size; /* sizeof(midrun_pipe_stage_t) */
  /* Rank 0: emit input 0, 1, 2 ...; 0, MIDRUN_PIPE_END after the last, or an error. */
  int (*source)(void *user, uint64_t input, midrun_pipe_out_t *out);
  /* Rank 0: take an output of `input`. 0, or an error. May be NULL. */
  int (*sink)(void *user, uint64_t input, const void *data, size_t bytes);
  void *user;          /* given to the functions */
  const char *pattern; /* to begin with; see midrun_pipe_pattern. NULL = one rank per stage, or neighbours
                          together where ranks are fewer. Counts on rank 0. */
  uint32_t in_flight;  /* most inputs on their way at once; 0 = enough for the ranks */
} midrun_pipe_config_t;

/* What the last run was, on rank 0. */
typedef struct midrun_pipe_stats {
  size_t struct_size; /* sizeof(midrun_pipe_stats_t), set by the caller */
  uint64_t inputs;    /* drawn from the source */
  uint64_t outputs;   /* given to the sink */
  uint64_t changes;   /* of the pattern */
  double seconds;
  int32_t failed_stage;  /* -1: none; with failed_status != 0 the source or the sink */
  int32_t failed_status; /* what the failed function returned */
  uint64_t failed_input;
} midrun_pipe_stats_t;

/* Collective over comm. Every rank gives the same stages and flags. Rank 0 draws the inputs and takes the
 * outputs, ranks 1 and up compute the stages (rank 0 does when it is alone); those that no stage needs sleep. */
int midrun_pipe_create(midrun_pipe_t **pipe, const midrun_pipe_config_t *config);
/* Collective: until the source is dry and every output was taken, or a function failed, which rank 0 names on
 * stderr. An error is returned on every rank. May be called again: a new stream, with input 0 first. */
int midrun_pipe_run(midrun_pipe_t *pipe);
/* In a stage or source: room for an output of `bytes` bytes, zeros, to be written before the next emission and
 * before the function returns. NULL: out of memory, or more outputs than declared. */
void *midrun_pipe_emit(midrun_pipe_out_t *out, size_t bytes);
/* Rank 0, between runs or in the source or sink: from the next input on, stages run on ranks in this pattern.
 * "0,1x4,2-3x2,4": stage 1 on four ranks, 2 and 3 together on each of two. "1x4m": a communication manager on
 * a rank of its own hands out to the four; "1x4s": one that shares the first replica's rank. "1x2@3+5": on ranks 3
 * and 5 of the communicator. The tunlet changes patterns too, unless the run has `--objective fixed`. */
int midrun_pipe_pattern(midrun_pipe_t *pipe, const char *pattern);
/* The last run's figures. MIDRUN_ERR_ARGUMENT on other ranks than 0. */
int midrun_pipe_last(const midrun_pipe_t *pipe, midrun_pipe_stats_t *stats);
/* Collective. Sets *pipe to NULL. */
int midrun_pipe_destroy(midrun_pipe_t **pipe);

/* ---- Marks for programs that keep their own loop -------------------------------------------- */

/* Master: an iteration of `tasks` tasks for `workers` workers begins here. A safe point: exposed
 * variables may change inside this call. */
int midrun_iteration_begin(uint64_t tasks, uint32_t workers);
/* Master: all results of the iteration are there. */
int midrun_iteration_end(void);
/* Worker: computing `tasks` tasks, of which `first` is the first, begins here. Use 0 where tasks have
 * no order. The iteration is found by the time; a worker that knows it better, and how many tasks there
 * are, calls midrun_iteration_begin(tasks, 0) where each iteration begins for it: then midrun also
 * learns how task times depend on a task's place. */
int midrun_work_begin(uint64_t first, uint64_t tasks);
int midrun_work_end(void);
/* Master: how many tasks shall I hand out next, and to whom? `worker` is 0 .. workers-1. Counts down
 * from the iteration's tasks; 0 when all are handed out. A safe point. */
uint64_t midrun_next_chunk(uint32_t worker);
/* Master: tell midrun how long a chunk took that came back: where the workers carry no marks, or to let
 * AF know each worker's speed at once. Where the workers' own marks cover the iteration, they count. */
int midrun_chunk_done(uint32_t worker, uint64_t tasks, double seconds);

/* ---- Tuning points: let midrun change a variable of yours ------------------------------------- */

/* The variable changes only inside midrun_iteration_begin, midrun_next_chunk or midrun_safe_point of
 * the same thread. `name` is at most 31 bytes; the variable must live as long as the program.
 * A master that cuts batches by itself exposes F0, F1, F2, ... : the share of ALL tasks of the
 * iteration that batch 0, 1, 2, ... hands out. */
int midrun_expose_double(const char *name, double *variable, double minimum, double maximum);
int midrun_expose_int(const char *name, int *variable, int minimum, int maximum);
/* A place where variables may change, for programs with no iterations. */
int midrun_safe_point(void);

#ifdef MIDRUN_WEAK
#pragma weak midrun_iteration_begin
#pragma weak midrun_iteration_end
#pragma weak midrun_work_begin
#pragma weak midrun_work_end
#pragma weak midrun_next_chunk
#pragma weak midrun_chunk_done
#pragma weak midrun_expose_double
#pragma weak midrun_expose_int
#pragma weak midrun_safe_point
/* A call only where the library is there: MIDRUN_MARK(midrun_iteration_begin, (tasks, workers)); */
#define MIDRUN_MARK(function, arguments) ((function) ? (function) arguments : MIDRUN_OFF)
#endif

#ifdef __cplusplus
}
#endif
#endif
