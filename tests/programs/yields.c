/* Preloaded into ranks of an MPICH that waits in UCX: one that waits gives up its core after a few looks, as Open MPI's
   mpi_yield_when_idle does. Else a rank that waits for another one on the same core spins until the scheduler takes that from it. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sched.h>

enum { LOOKS = 20 };

unsigned ucp_worker_progress(void *worker) {
  static unsigned (*next)(void *);
  static __thread int idle;
  if (!next) next = (unsigned (*)(void *))dlsym(RTLD_NEXT, "ucp_worker_progress");
  unsigned progress = next(worker);
  idle = progress ? 0 : idle + 1;
  if (idle > LOOKS) {
    idle = 0;
    sched_yield();
  }
  return progress;
}
