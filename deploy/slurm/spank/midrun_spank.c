/* midrun_spank.c - srun --midrun[=OPTIONS]: tunes a step without a word more in the user's line. A plugin for Slurm's SPANK.
 *
 * srun that is asked for midrun becomes `midrun run FLAGS -- srun ...`, before it has asked Slurm for anything. Slurm hands an option
 * of sbatch and salloc to every srun in the job. OPTIONS are flags of `midrun run` separated by commas: --midrun=dry-run,summary=s.json;
 * --midrun=off leaves a step alone.
 *
 * Arguments in plugstack.conf: midrun=PATH of the command, default=on (every srun, unless --midrun=off), flag=--FLAG or
 * flag=--FLAG=VALUE (given to every run, before the user's; repeatable).
 */
#define _GNU_SOURCE
#include <slurm/spank.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

SPANK_PLUGIN(midrun, 1)

enum { WORDS = 65536, BYTES = 1 << 22, FLAGS = 64 };

/* Set for the srun that midrun run starts: it is left alone. */
static const char STARTED[] = "MIDRUN_SRUN_STARTED";

static char *options; /* of the user, here or in the line of sbatch or salloc; NULL: not asked for */

static int take_option(int value, const char *argument, int remote) {
  (void)value;
  if (remote) return ESPANK_SUCCESS;
  free(options);
  /* Slurm hands on an option without argument as this text. */
  options = strdup(argument && strcmp(argument, "(null)") ? argument : "");
  return options ? ESPANK_SUCCESS : ESPANK_ERROR;
}

static struct spank_option option = {"midrun", "[options]",
                                     "Tune the step with midrun; options are flags of midrun run, separated by commas; "
                                     "off: leave it alone",
                                     2, 0, take_option};

int slurm_spank_init(spank_t spank, int count, char **arguments) {
  (void)count, (void)arguments;
  spank_context_t context = spank_context();
  if (context != S_CTX_LOCAL && context != S_CTX_ALLOCATOR && context != S_CTX_REMOTE) return ESPANK_SUCCESS;
  return spank_option_register(spank, &option);
}

/* The words of this command; the last one is NULL. */
static char **own_words(void) {
  static char text[BYTES], *words[WORDS + 1];
  FILE *file = fopen("/proc/self/cmdline", "r");
  if (!file) return NULL;
  size_t bytes = fread(text, 1, sizeof text - 1, file);
  int is_whole = feof(file);
  fclose(file);
  int count = 0;
  for (size_t at = 0; at < bytes && count < WORDS; at += strlen(text + at) + 1) words[count++] = text + at;
  return is_whole && count > 0 && count < WORDS ? words : NULL;
}

static int is_option(const char *word) { return !strcmp(word, "--midrun") || !strncmp(word, "--midrun=", 9); }

/* Replaces this process by `midrun run`; returns where that is not possible. */
static const char *become_midrun(const char *midrun, char **flags) {
  static char *line[WORDS + 2 * FLAGS + 8], srun[4096];
  char **words = own_words();
  if (!words) return "its own command line cannot be read";
  ssize_t bytes = readlink("/proc/self/exe", srun, sizeof srun - 1);
  if (bytes <= 0) return "its own path cannot be read";
  int count = 0, stripped = 0;
  line[count++] = (char *)midrun;
  line[count++] = "run";
  for (; *flags; flags++) line[count++] = *flags;
  line[count++] = "--";
  line[count++] = srun;
  for (words++; *words; words++) {
    if (!stripped && is_option(*words)) stripped = 1; /* the first: any other belongs to the program */
    else line[count++] = *words;
  }
  line[count] = NULL;
  setenv(STARTED, "1", 1);
  execv(midrun, line);
  return "the command cannot be executed";
}

int slurm_spank_init_post_opt(spank_t spank, int count, char **arguments) {
  (void)spank;
  spank_context_t context = spank_context();
  if (context != S_CTX_LOCAL || getenv(STARTED) || getenv("MIDRUN_HOST")) return ESPANK_SUCCESS; /* the last: midrun run was typed */
  const char *midrun = "/usr/bin/midrun";
  char *flags[2 * FLAGS + 1];
  int flag_count = 0, is_default = 0;
  for (int i = 0; i < count; i++) {
    if (!strncmp(arguments[i], "midrun=", 7)) midrun = arguments[i] + 7;
    else if (!strcmp(arguments[i], "default=on")) is_default = 1;
    else if (!strncmp(arguments[i], "flag=", 5) && flag_count < FLAGS) flags[flag_count++] = arguments[i] + 5;
    else if (strcmp(arguments[i], "default=off"))
      slurm_error("midrun: %s in plugstack.conf: allowed are midrun=PATH, default=on, default=off and flag=--FLAG", arguments[i]);
  }
  if (!options && is_default) options = strdup("");
  if (!options || !strcmp(options, "off")) return ESPANK_SUCCESS;
  for (char *rest = options, *word; (word = strsep(&rest, ","));) {
    char *flag = NULL;
    if (!*word) continue;
    if (flag_count == 2 * FLAGS || asprintf(&flag, "--%s", word) < 0) break;
    flags[flag_count++] = flag;
  }
  flags[flag_count] = NULL;
  slurm_info("midrun: %s; the step runs untuned", become_midrun(midrun, flags));
  return ESPANK_SUCCESS;
}
