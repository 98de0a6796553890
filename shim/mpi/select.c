/* select.c - libmidrun for a program that names no MPI: an interpreter, a script, a program that loads MPI late.
 *
 * It defines the names of every libmidrun (select_names.S, generated). Each is a jump through a slot. The first call of one asks
 * which MPI this process has loaded by now, loads the libmidrun for it, and fills all slots: with libmidrun's functions where it
 * has them, else with MPI's. What the MPI lacks we no longer define from then on. Without a libmidrun for the MPI the program's calls go to MPI as if we were not here.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

extern const char *const midrun_select_names[];
extern void *midrun_select_slots[];
extern void *const midrun_select_unfilled[]; /* what the slots hold at first */
extern void *const midrun_select_entries[];  /* the functions that we define */

/* The directory of the MPIs' directories: this library's own, or one below it. */
#ifndef BELOW
#define BELOW ""
#endif
static char directory[4096];
static const char *flavour;    /* of the MPI that is loaded; NULL: unknown */
static char version[16384];    /* as long as any MPI's */

/* MPI's libraries are in reach of our lookups, and of libmidrun's, only in the global scope. An interpreter keeps them out of it. */
static int promote(struct dl_phdr_info *info, size_t size, void *unused) {
  (void)size, (void)unused;
  const char *name = strrchr(info->dlpi_name, '/');
  if (name && !strncmp(name, "/libmpi", 7)) dlopen(info->dlpi_name, RTLD_NOLOAD | RTLD_LAZY | RTLD_GLOBAL);
  return 0;
}

/* Asks MPI itself. Of the two libraries of one MPI, only that of the standard ABI answers with the ABI's version. */
static const char *loaded_mpi(void) {
  dl_iterate_phdr(promote, NULL);
  int (*get)(char *, int *) = (int (*)(char *, int *))dlsym(RTLD_DEFAULT, "PMPI_Get_library_version");
  int (*get_abi)(int *, int *) = (int (*)(int *, int *))dlsym(RTLD_DEFAULT, "PMPI_Abi_get_version");
  int length = 0, abi = -1, minor;
  if (!get || get(version, &length)) return NULL;
  version[strcspn(version, "\n\r")] = '\0';
  if (get_abi && !get_abi(&abi, &minor) && abi >= 0) return abi == 1 ? "abi" : NULL;
  static const char *const families[][2] = {
      {"Open MPI", "openmpi"}, {"IBM Spectrum MPI", "openmpi"}, {"MPICH", "mpich"},   {"Intel(R) MPI", "mpich"},
      {"MVAPICH", "mpich"},    {"CRAY MPICH", "mpich"},         {"ParaStation", "mpich"},
  };
  for (size_t i = 0; i < sizeof families / sizeof *families; i++)
    if (strstr(version, families[i][0])) return families[i][1];
  return NULL;
}

/* One line per host, where the launcher numbers the processes of a host. */
static void say(const char *what, const char *which) {
  static const char *const numbers[] = {"OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID", "SLURM_LOCALID", "PALS_LOCAL_RANKID",
                                        "FLUX_TASK_LOCAL_ID", "PMI_LOCAL_RANK"};
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
    const char *number = getenv(numbers[i]);
    if (number && strcmp(number, "0")) return;
    if (number) break;
  }
  fprintf(stderr, "midrun: %s %s; the program runs untuned\n", what, which);
}

static void *open_library(const char *name) {
  char path[sizeof directory + 64];
  snprintf(path, sizeof path, "%s/%s/libmidrun.so", directory, name);
  return dlopen(path, RTLD_LAZY | RTLD_LOCAL);
}

static void find_directory(void) {
  Dl_info info;
  const char *configured = secure_getenv("MIDRUN_LIB_DIR");
  if (configured && *configured) {
    snprintf(directory, sizeof directory, "%s", configured);
  } else if (dladdr((void *)find_directory, &info) && strrchr(info.dli_fname, '/')) {
    int length = (int)(strrchr(info.dli_fname, '/') - info.dli_fname);
    snprintf(directory, sizeof directory, "%.*s/" BELOW, length, info.dli_fname);
  }
}

/* Writes `value` where it may be protected from that; what cannot be written stays. */
static void overwrite(ElfW(Addr) *at, ElfW(Addr) value) {
  size_t page = (size_t)sysconf(_SC_PAGESIZE);
  char *from = (char *)((uintptr_t)at & -page);
  if (mprotect(from, page, PROT_READ | PROT_WRITE)) return;
  *(volatile ElfW(Addr) *)at = value;
}

static void protect(const void *at, size_t bytes) {
  size_t page = (size_t)sysconf(_SC_PAGESIZE), from = (uintptr_t)at & -page;
  mprotect((void *)from, (((uintptr_t)at + bytes + page - 1) & -page) - from, PROT_READ);
}

/* Whether the address is that of a function of ours that no library has. */
static int is_lacking(ElfW(Addr) address) {
  for (int i = 0; midrun_select_names[i]; i++)
    if ((ElfW(Addr))midrun_select_entries[i] == address) return midrun_select_slots[i] == midrun_select_unfilled[i];
  return 0;
}

/* Whether an object's data are there: code that is relocated stays as it is. */
static int is_data(const struct dl_phdr_info *info, ElfW(Addr) at) {
  for (int i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *part = &info->dlpi_phdr[i];
    ElfW(Addr) begin = info->dlpi_addr + part->p_vaddr;
    if (part->p_type == PT_LOAD && (part->p_flags & PF_W) && at >= begin && at < begin + part->p_memsz) return 1;
  }
  return 0;
}

/* The weak references of an object to functions that no library has become what they would be without us. */
static int unbind(struct dl_phdr_info *info, size_t size, void *unused) {
  (void)size, (void)unused;
  const ElfW(Dyn) *dynamic = NULL;
  ElfW(Addr) relro = 0, relro_end = 0;
  for (int i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *part = &info->dlpi_phdr[i];
    if (part->p_type == PT_DYNAMIC) dynamic = (const void *)(info->dlpi_addr + part->p_vaddr);
    if (part->p_type == PT_GNU_RELRO) relro = info->dlpi_addr + part->p_vaddr, relro_end = relro + part->p_memsz;
  }
  const ElfW(Sym) *symbols = NULL;
  const ElfW(Rela) *all = NULL;
  size_t bytes = 0;
  for (; dynamic && dynamic->d_tag != DT_NULL; dynamic++) {
    if (dynamic->d_tag == DT_SYMTAB) symbols = (const void *)dynamic->d_un.d_ptr;
    if (dynamic->d_tag == DT_RELA) all = (const void *)dynamic->d_un.d_ptr;
    if (dynamic->d_tag == DT_RELASZ) bytes = dynamic->d_un.d_val;
  }
  /* The vdso has addresses that nobody has moved, and nothing of ours. */
  if (!symbols || !all || (ElfW(Addr))symbols < info->dlpi_addr) return 0;
  int is_open = 0;
  for (const ElfW(Rela) *one = all; one < all + bytes / sizeof *all; one++) {
    ElfW(Addr) *slot = (ElfW(Addr) *)(info->dlpi_addr + one->r_offset);
    unsigned long type = ELF64_R_TYPE(one->r_info);
    if ((type != R_X86_64_GLOB_DAT && type != R_X86_64_64) || !is_data(info, (ElfW(Addr))slot)) continue;
    const ElfW(Sym) *symbol = &symbols[ELF64_R_SYM(one->r_info)];
    if (ELF64_ST_BIND(symbol->st_info) != STB_WEAK || !is_lacking(*slot)) continue;
    /* What the object itself has in its place, or nothing. */
    ElfW(Addr) value = symbol->st_shndx == SHN_UNDEF ? 0 : info->dlpi_addr + symbol->st_value;
    int is_protected = (ElfW(Addr))slot >= relro && (ElfW(Addr))slot < relro_end;
    if (is_protected) overwrite(slot, value), is_open = 1;
    else *slot = value;
  }
  if (is_open) protect((const void *)relro, (relro_end & -(ElfW(Addr))sysconf(_SC_PAGESIZE)) - relro);
  return 0;
}

/* A program may ask by weak references which functions its MPI has. Ours must not answer for it: neither in what is loaded, nor in what
 * will be. */
static void withdraw(void) {
  dl_iterate_phdr(unbind, NULL);
  for (int i = 0; midrun_select_names[i]; i++) {
    Dl_info info;
    ElfW(Sym) *symbol;
    if (midrun_select_slots[i] != midrun_select_unfilled[i]) continue;
    if (!dladdr1(midrun_select_entries[i], &info, (void **)&symbol, RTLD_DL_SYMENT) || !symbol) continue;
    overwrite(&symbol->st_value, 0); /* the dynamic linker passes such a symbol over */
    protect(&symbol->st_value, sizeof symbol->st_value);
  }
}

static void fill(void) {
  find_directory();
  flavour = loaded_mpi();
  void *library = flavour ? open_library(flavour) : NULL;
  if (!flavour && *version) say("there is no libmidrun for", version);
  if (flavour && !library) say("there is no libmidrun on this host for", version);
  /* Without MPI the functions of midrun.h do what they do in an untuned program, whichever MPI their library is for. */
  void *own = library ? library : open_library("abi");
  for (int i = 0; midrun_select_names[i]; i++) {
    const char *name = midrun_select_names[i];
    void *found = library ? dlsym(library, name) : NULL;
    if (!found && !strncmp(name, "midrun_", 7) && own) found = dlsym(own, name);
    if (!found) found = dlsym(RTLD_NEXT, name);
    if (found) midrun_select_slots[i] = found;
  }
  if (*version) withdraw();
}

/* The function behind slot `index`; called by the slots until they are filled. */
__attribute__((visibility("hidden"))) void *midrun_select(long index) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, fill);
  if (midrun_select_slots[index] != midrun_select_unfilled[index]) return midrun_select_slots[index];
  /* A library with this name may have been loaded since. */
  void *found = dlsym(RTLD_NEXT, midrun_select_names[index]);
  if (found) return midrun_select_slots[index] = found;
  fprintf(stderr, "midrun: no library of this program has %s\n", midrun_select_names[index]);
  abort();
}

/* For libmidrun, whose own RTLD_NEXT ends with itself when we have loaded it: the function of the tool that is preloaded behind us.
 * Not a tail call: dlsym takes the library that it returns to for the one that asks. */
void *midrun_select_next(const char *name) {
  void *found = dlsym(RTLD_NEXT, name);
  __asm__ volatile("" : "+r"(found));
  return found;
}
