/* counted.h - the building blocks of the generated wrappers (calls.c, fortran.c).
 *
 * A wrapper calls the next function of the same name: that of another tool preloaded behind us, or the PMPI function. Peer and
 * bytes of a call are computed after it succeeded, because only then are its arguments known to be valid.
 */
#ifndef COUNTED_H
#define COUNTED_H
#include <mpi.h>
#include <stddef.h>
#include <stdint.h>

#include "numbers.h"
#include "parts.h"

/* The class of a call's peer; the numbers of shim/ring/src/counters.rs. Where the peer is one rank, its number in
 * MPI_COMM_WORLD plus one stands above the class. */
enum { SAME_HOST, OTHER_HOST, COLLECTIVE, LOCAL, ANY, CLASS_BITS = 3 };

/* Active features; if there are none, a wrapper costs one load and a jump. */
enum { COUNTING = 1, SAFE_POINTS = 2, WATCHED = 4, UNRESOLVED = 8, CHAINED = 16 };
extern uint32_t midrun_calls_switch __attribute__((visibility("hidden")));
#define SWITCH __atomic_load_n(&midrun_calls_switch, __ATOMIC_RELAXED)

/* The calling thread's page of counters (shim/ring/src/counters.rs): null before its first call, while it is in a counted call, and
 * after MPI_Finalize. Of the page the wrappers increment the number of calls made, and read which one is to be timed next. */
enum { ENTRY_WORDS = 24, MADE = 20, DUE = 21 };
extern __thread uint64_t *midrun_page __attribute__((visibility("hidden"), tls_model("initial-exec")));
void midrun_calls_set_page(uint64_t *page);

/* Whether the call is passed on: nothing is switched on, or it is none of those that are timed. */
static inline int midrun_passes(uint32_t number) {
  uint64_t *page = midrun_page;
  if (__builtin_expect(!page, 0)) return !SWITCH;
  uint64_t *entry = page + number * ENTRY_WORDS;
  uint64_t made = __atomic_load_n(entry + MADE, __ATOMIC_RELAXED) + 1;
  __atomic_store_n(entry + MADE, made, __ATOMIC_RELAXED);
  return made < __atomic_load_n(entry + DUE, __ATOMIC_RELAXED);
}

/* The counting part of a wrapper is a separate function, so that the other part is a jump that leaves all registers
 * unchanged. */
#define COUNTED static __attribute__((noinline))

/* shim/src/mpi_calls: time in nanoseconds; 0 = do not count this call. */
uint64_t midrun_call_enter(uint32_t number, int waits);
uint64_t midrun_call_now(void);
uint64_t *midrun_call_leave(uint32_t number, int waits, uint32_t peer, uint64_t bytes, uint64_t begin, uint64_t end);
void midrun_call_safe_point(void);
void midrun_call_watched(uint32_t number, uint64_t begin, uint64_t end, uint64_t bytes, int peer, int tag, int world);

/* shim/src/mpi_calls/messages.rs, of the call that ended last: it posted a request; it sent and received a message; it waited for all these
 * requests, of which `count` have completed, those of these indices or all: returns which of those shows a receive, -1 = none; whose source and
 * bytes are these (MPI_ANY_SOURCE and UINT64_MAX: not known). */
int midrun_call_has_left(void); /* whether any message is still to be recorded */
int midrun_call_has_posted(void);
void midrun_call_posted(uint64_t request, int world);
void midrun_call_exchanged(int to, uint64_t sent, int from, uint64_t got);
int midrun_call_arrived(const uint64_t *requests, int all, int count, const int *which, int first);
void midrun_call_received(uint64_t request, int source, uint64_t bytes);

/* shim/src/mpi_calls/persistent.rs and requests.rs: the call that ended last made this persistent request, the next one frees it; these requests were
 * started: returns the bytes that are sent, and sets the peer. */
extern uint32_t midrun_calls_kept __attribute__((visibility("hidden")));
void midrun_call_kept(uint64_t request, int world);
void midrun_call_forget(uint64_t request);
uint64_t midrun_call_starts(const void *requests, size_t width, int count, int *peer);
void midrun_call_started(const void *requests, size_t width, int count);

/* requests.c */
enum { AWAITED = 32 };
typedef struct {
  int count;
  uint64_t request[AWAITED];
} awaited_t;
void midrun_posted(const void *request, size_t width, int world);
void midrun_kept(const void *request, size_t width, int world);
void midrun_forget(const void *request, size_t width);
void midrun_await(awaited_t *all, int count, const void *requests, size_t width);
void midrun_arrived(const awaited_t *all, int count, const int *which, int first, const MPI_Status *statuses);
/* Its arguments are looked up only as long as messages are recorded. */
#define midrun_exchanged(to, sent, from, got) (midrun_call_has_left() ? midrun_call_exchanged(to, sent, from, got) : (void)0)
#define STATUSES(list) ((list) == MPI_STATUSES_IGNORE ? NULL : (list))

/* names.c */
extern const char *const midrun_call_names[CALLS + 1];

/* tools.c */
extern void *midrun_next[CALLS + 1], *midrun_next_c[CALLS + 1];
void midrun_calls_resolve(void);
void *midrun_fortran(const char *name, const char *pname);

/* peers.c */
void midrun_peers_forget(void);
int peer(int rank, MPI_Comm comm);
int target(int rank, MPI_Win win);
uint64_t block(MPI_Count count, MPI_Datatype type);
uint64_t received(const MPI_Status *status, MPI_Count count, MPI_Datatype type);
int members(MPI_Comm comm);
int peers(MPI_Comm comm);
int neighbours(MPI_Comm comm);

static inline uint64_t midrun_begin(uint32_t number, int waits, int safe) {
  uint32_t on = SWITCH;
  if (__builtin_expect(on & UNRESOLVED, 0)) midrun_calls_resolve();
  if (safe && (on & SAFE_POINTS)) midrun_call_safe_point();
  uint64_t begin = on & COUNTING ? midrun_call_enter(number, waits) : 0;
  if (begin) midrun_page = NULL; /* calls inside this one are not the program's */
  return begin;
}
#define BEGIN(number, waits, safe) midrun_begin(number, waits, safe)

/* The PMPI function is called directly, without taking its address: it is bound at its first call, when MPI is loaded. */
#define NEXT(name, next, list) ((next) ? ((__typeof__(&PMPI_##name))(next)) list : PMPI_##name list)

#define END(number, waits, begin, result, class, bytes, peer, tag, comm) \
  do { \
    if (!(begin)) break; \
    uint64_t end_ = midrun_call_now(); \
    int good_ = (result) == MPI_SUCCESS; \
    uint64_t bytes_ = good_ ? (uint64_t)(bytes) : 0; /* before the class: MPI_Start finds both at once */ \
    midrun_page = midrun_call_leave((number), (waits), good_ ? (uint32_t)(class) : LOCAL, bytes_, (begin), end_); \
    if (__builtin_expect(SWITCH & WATCHED, 0)) \
      midrun_call_watched((number), (begin), end_, bytes_, (peer), (tag), (comm) == MPI_COMM_WORLD); \
  } while (0)

#define FIND(real, name, pname) \
  do { \
    if (__builtin_expect(!(real), 0)) (real) = midrun_fortran(name, pname); \
  } while (0)

#ifndef MPI_ABI_VERSION
enum { FORTRAN_STATUS = sizeof(MPI_Status) / sizeof(MPI_Fint) };
const void *fortran_buffer(const void *buffer);
MPI_Status *fortran_status(void *status, MPI_Status *room);
#endif

/* ---- The peer of a call --------------------------------------------------------------------- */

static inline int from(int source, const MPI_Status *status, MPI_Comm comm) {
  if (source == MPI_ANY_SOURCE && status) source = status->MPI_SOURCE;
  return peer(source, comm);
}

/* A call that sends and receives counts for its destination. Without one it sends nothing, which its class says; its peer is its source then. */
static inline int either(int dest, int source, MPI_Comm comm) {
  if (dest != MPI_PROC_NULL) return peer(dest, comm);
  return (peer(source, comm) & ~((1 << CLASS_BITS) - 1)) | LOCAL;
}

/* ---- The bytes described by this rank's arguments ---------------------------------------------------- */

static inline uint64_t block_to(int rank, MPI_Count count, MPI_Datatype type) {
  return rank == MPI_PROC_NULL ? 0 : block(count, type);
}

static inline uint64_t received_from(int source, const MPI_Status *status, MPI_Count count, MPI_Datatype type) {
  return source == MPI_PROC_NULL ? 0 : received(status, count, type);
}

/* On an intercommunicator only the arguments of the root and of the other group are significant. */
static inline int is_outside(int root) { return root == MPI_PROC_NULL || root == MPI_ROOT; }

static inline uint64_t rooted(int root, MPI_Count count, MPI_Datatype type, MPI_Comm comm) {
  (void)comm;
  return root == MPI_PROC_NULL ? 0 : block(count, type);
}

static inline uint64_t own(const void *sent, MPI_Count sends, MPI_Datatype sent_type, MPI_Count receives, MPI_Datatype type) {
  return sent == MPI_IN_PLACE ? block(receives, type) : block(sends, sent_type);
}

static inline uint64_t gathered(const void *sent, MPI_Count sends, MPI_Datatype sent_type, MPI_Count receives,
                                MPI_Datatype type, int root, MPI_Comm comm) {
  (void)comm;
  return is_outside(root) ? 0 : own(sent, sends, sent_type, receives, type);
}

static inline uint64_t scattered(const void *got, MPI_Count receives, MPI_Datatype type, MPI_Count sends,
                                 MPI_Datatype sent_type, int root, MPI_Comm comm) {
  return gathered(got, receives, type, sends, sent_type, root, comm);
}

/* The same with one count per rank, for the three types of counts and datatypes. */
#define VECTORS(form, count_t, type_t, to_c) \
  static inline uint64_t all_v##form(const count_t *counts, MPI_Datatype type, int n) { \
    MPI_Count sum = 0; \
    for (int i = 0; i < n; i++) sum += counts[i]; \
    return block(sum, type); \
  } \
  static inline uint64_t all_w##form(const count_t *counts, const type_t *types, int n) { \
    uint64_t sum = 0; \
    for (int i = 0; i < n; i++) sum += counts[i] ? block(counts[i], to_c(types[i])) : 0; \
    return sum; \
  } \
  static inline uint64_t own_v##form(const void *sent, MPI_Count sends, MPI_Datatype sent_type, const count_t *receives, \
                                     MPI_Datatype type, MPI_Comm comm) { \
    int rank = 0; \
    if (sent != MPI_IN_PLACE) return block(sends, sent_type); \
    PMPI_Comm_rank(comm, &rank); \
    return block(receives[rank], type); \
  } \
  static inline uint64_t gathered_v##form(const void *sent, MPI_Count sends, MPI_Datatype sent_type, \
                                          const count_t *receives, MPI_Datatype type, int root, MPI_Comm comm) { \
    return is_outside(root) ? 0 : own_v##form(sent, sends, sent_type, receives, type, comm); \
  } \
  static inline uint64_t scattered_v##form(const void *got, MPI_Count receives, MPI_Datatype type, const count_t *sends, \
                                           MPI_Datatype sent_type, int root, MPI_Comm comm) { \
    return gathered_v##form(got, receives, type, sends, sent_type, root, comm); \
  } \
  static inline uint64_t own_all_v##form(const void *sent, const count_t *sends, MPI_Datatype sent_type, \
                                         const count_t *receives, MPI_Datatype type, int n) { \
    return sent == MPI_IN_PLACE ? all_v##form(receives, type, n) : all_v##form(sends, sent_type, n); \
  } \
  static inline uint64_t own_all_w##form(const void *sent, const count_t *sends, const type_t *sent_types, \
                                         const count_t *receives, const type_t *types, int n) { \
    return sent == MPI_IN_PLACE ? all_w##form(receives, types, n) : all_w##form(sends, sent_types, n); \
  }
#define AS_IT_IS(type) (type)
VECTORS(, int, MPI_Datatype, AS_IT_IS)
VECTORS(_c, MPI_Count, MPI_Datatype, AS_IT_IS)
#ifndef MPI_ABI_VERSION
VECTORS(_f, MPI_Fint, MPI_Fint, PMPI_Type_f2c)
#endif
#endif
