/* filter.c - a PMPI tool that lets its rank run under a seccomp filter: preloaded behind midrun, it refuses one system call with EPERM.
 *
 *     -DCALL=SYS_mprotect -DARGUMENT=2 -DBITS=PROT_EXEC    where the argument has one of these bits
 *     -DBEFORE=1    from before MPI's own MPI_Init on, else from behind it: MPI opens files and lists directories there
 */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <mpi.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

static void refuse(void) {
  struct sock_filter lines[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, CALL, 0, 3),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args) + 8 * ARGUMENT),
      BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, BITS, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  struct sock_fprog filter = {sizeof lines / sizeof *lines, lines};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter)) perror("no filter");
}

int MPI_Init(int *argc, char ***argv) {
  if (BEFORE) refuse();
  int status = PMPI_Init(argc, argv);
  if (!BEFORE) refuse();
  fprintf(stderr, "filtered\n");
  return status;
}
