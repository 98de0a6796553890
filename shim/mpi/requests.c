/* requests.c - the messages of nonblocking and persistent calls: which request is whose, from the call that posts it to the one that waits for it. */
#include <string.h>

#include "counted.h"

/* A handle of C or of Fortran. */
static uint64_t handle(const void *request, size_t width) {
  uint64_t value = 0;
  memcpy(&value, request, width);
  return value;
}

void midrun_posted(const void *request, size_t width, int world) { midrun_call_posted(handle(request, width), world); }

void midrun_kept(const void *request, size_t width, int world) { midrun_call_kept(handle(request, width), world); }

/* Before MPI takes the handle away, and may give it again. */
void midrun_forget(const void *request, size_t width) {
  if (request && __atomic_load_n(&midrun_calls_kept, __ATOMIC_RELAXED)) midrun_call_forget(handle(request, width));
}

/* The call waits for these requests. Of more than AWAITED nothing is kept. */
void midrun_await(awaited_t *all, int count, const void *requests, size_t width) {
  all->count = 0;
  if (count <= 0 || count > AWAITED || !midrun_call_has_posted()) return;
  for (int i = 0; i < count; i++) all->request[i] = handle((const char *)requests + (size_t)i * width, width);
  all->count = count;
}

/* `count` of them have completed: those of these indices, counted from `first`, or all. */
void midrun_arrived(const awaited_t *all, int count, const int *which, int first, const MPI_Status *statuses) {
  int k = count > 0 && all->count > 0 ? midrun_call_arrived(all->request, all->count, count, which, first) : -1;
  if (k < 0) return;
  uint64_t request = all->request[which ? which[k] - first : k];
  const MPI_Status *status = statuses ? &statuses[k] : NULL;
  int source = status ? status->MPI_SOURCE : MPI_ANY_SOURCE;
  midrun_call_received(request, source, status ? received(status, 0, MPI_BYTE) : UINT64_MAX);
}
