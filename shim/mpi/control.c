/* control.c - MPI's control variables (MPI_T): found by name, read and set as numbers. Called with one lock held (shim/src/controls.rs). */
#define _GNU_SOURCE
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "parts.h"

/* As in shim/src/controls.rs. */
enum { FOUND, NO_MPI_T, NONE, NO_NUMBER, OF_OBJECT, READ_ONLY, NOT_NOW, TOO_MANY };
enum { OPEN = 64, ITEMS = 64, NAME = 256 };

typedef struct {
  MPI_T_cvar_handle handle;
  MPI_Datatype type;
  int items, item[ITEMS]; /* of an enumeration: its values */
} control_t;

static control_t opened[OPEN];
static int count;

typedef union {
  int as_int;
  unsigned as_unsigned;
  unsigned long as_long;
  unsigned long long as_long_long;
  MPI_Count as_count;
  double as_double;
  _Bool as_bool;
  char room[64]; /* more than any scalar */
} value_t;

static int is_number(MPI_Datatype type) {
  return type == MPI_INT || type == MPI_UNSIGNED || type == MPI_UNSIGNED_LONG || type == MPI_UNSIGNED_LONG_LONG ||
         type == MPI_COUNT || type == MPI_DOUBLE || type == MPI_C_BOOL;
}

static int get(const control_t *control, double *value) {
  value_t now;
  if (PMPI_T_cvar_read(control->handle, &now) != MPI_SUCCESS) return -1;
  MPI_Datatype type = control->type;
  *value = type == MPI_INT             ? now.as_int
           : type == MPI_UNSIGNED      ? now.as_unsigned
           : type == MPI_UNSIGNED_LONG ? (double)now.as_long
           : type == MPI_COUNT         ? (double)now.as_count
           : type == MPI_DOUBLE        ? now.as_double
           : type == MPI_C_BOOL        ? now.as_bool
                                       : (double)now.as_long_long;
  return 0;
}

static int put(const control_t *control, double value) {
  value_t new = {.as_long_long = 0};
  MPI_Datatype type = control->type;
  if (type == MPI_INT) new.as_int = (int)value;
  else if (type == MPI_UNSIGNED) new.as_unsigned = (unsigned)value;
  else if (type == MPI_UNSIGNED_LONG) new.as_long = (unsigned long)value;
  else if (type == MPI_COUNT) new.as_count = (MPI_Count)value;
  else if (type == MPI_DOUBLE) new.as_double = value;
  else if (type == MPI_C_BOOL) new.as_bool = value != 0;
  else new.as_long_long = (unsigned long long)value;
  return PMPI_T_cvar_write(control->handle, &new);
}

static void learn_items(control_t *control, MPI_T_enum values) {
  char name[NAME];
  int length = sizeof name, items = 0;
  control->items = 0;
  if (values == MPI_T_ENUM_NULL || PMPI_T_enum_get_info(values, &items, name, &length) != MPI_SUCCESS) return;
  for (int i = 0; i < items && i < ITEMS; i++) {
    length = sizeof name;
    if (PMPI_T_enum_get_item(values, i, &control->item[control->items], name, &length) == MPI_SUCCESS) control->items++;
  }
}

/* Opens the variable: `number` is its number here, `all_ranks` whether a change concerns all ranks, `whole` whether it takes whole
 * numbers only; `least` > `most` where MPI names no values. Returns a code from above. */
int midrun_control_open(const char *wanted, int *number, int *all_ranks, int *whole, double *least, double *most) {
  static int begun;
  char name[NAME], text[NAME];
  int level, asked = MPI_THREAD_SERIALIZED, variables = 0, verbosity, bind, scope, elements = 0;
  MPI_Datatype type;
  MPI_T_enum values;
  /* Open MPI takes what is asked for here for the level of the whole program: ask for the level that it has. */
  if (!begun && midrun_mpi_ready()) PMPI_Query_thread(&asked);
  if (!begun && PMPI_T_init_thread(asked, &level) != MPI_SUCCESS) return NO_MPI_T;
  begun = 1;
  if (PMPI_T_cvar_get_num(&variables) != MPI_SUCCESS) return NO_MPI_T;
  for (int i = 0; i < variables; i++) {
    int name_length = sizeof name, text_length = sizeof text;
    if (PMPI_T_cvar_get_info(i, name, &name_length, &verbosity, &type, &values, text, &text_length, &bind, &scope) !=
            MPI_SUCCESS ||
        strcmp(name, wanted))
      continue;
    if (bind != MPI_T_BIND_NO_OBJECT) return OF_OBJECT;
    if (!is_number(type)) return NO_NUMBER;
    if (scope == MPI_T_SCOPE_CONSTANT || scope == MPI_T_SCOPE_READONLY) return READ_ONLY;
    if (count == OPEN) return TOO_MANY;
    control_t *control = &opened[count];
    control->type = type;
    if (PMPI_T_cvar_handle_alloc(i, NULL, &control->handle, &elements) != MPI_SUCCESS) return NOT_NOW;
    double now = 0;
    /* Whether it can be set, only setting it shows: to the value that it has. */
    if (elements != 1 || get(control, &now) || put(control, now) != MPI_SUCCESS) {
      PMPI_T_cvar_handle_free(&control->handle);
      return elements == 1 ? NOT_NOW : NO_NUMBER;
    }
    learn_items(control, values);
    *least = type == MPI_C_BOOL ? 0 : 1, *most = type == MPI_C_BOOL ? 1 : 0;
    for (int k = 0; k < control->items; k++) {
      if (!k || control->item[k] < *least) *least = control->item[k];
      if (!k || control->item[k] > *most) *most = control->item[k];
    }
    *all_ranks = scope != MPI_T_SCOPE_LOCAL;
    *whole = type != MPI_DOUBLE;
    *number = count++;
    return FOUND;
  }
  return NONE;
}

/* The value now; -1 where MPI does not say. */
int midrun_control_get(int number, double *value) {
  return number >= 0 && number < count ? get(&opened[number], value) : -1;
}

/* Whether MPI names the value, or names none. */
int midrun_control_takes(int number, double value) {
  if (number < 0 || number >= count) return 0;
  const control_t *control = &opened[number];
  for (int k = 0; k < control->items; k++)
    if (control->item[k] == value) return 1;
  return control->items == 0;
}

/* Sets it; -1 where MPI refuses. */
int midrun_control_set(int number, double value) {
  return number >= 0 && number < count && put(&opened[number], value) == MPI_SUCCESS ? 0 : -1;
}

/* ---- The list, for `midrun inspect --controls` ------------------------------------------------------------------- */

static const char *kind_of(MPI_Datatype type) { return type == MPI_CHAR ? "text" : type == MPI_DOUBLE ? "real" : "whole"; }

static const char *changed_by(int scope) {
  return scope == MPI_T_SCOPE_CONSTANT || scope == MPI_T_SCOPE_READONLY ? "nobody" : scope == MPI_T_SCOPE_LOCAL ? "one" : "all";
}

/* One line for each variable that belongs to no object: name, kind, who changes it, the values that MPI names, description. */
static void list(void) {
  static char name[NAME], text[4096];
  int level, variables = 0, verbosity, bind, scope;
  MPI_Datatype type;
  MPI_T_enum values;
  if (PMPI_T_init_thread(MPI_THREAD_SERIALIZED, &level) != MPI_SUCCESS || PMPI_T_cvar_get_num(&variables) != MPI_SUCCESS) return;
  for (int i = 0; i < variables; i++) {
    control_t control;
    int name_length = sizeof name, text_length = sizeof text;
    if (PMPI_T_cvar_get_info(i, name, &name_length, &verbosity, &type, &values, text, &text_length, &bind, &scope) !=
            MPI_SUCCESS ||
        bind != MPI_T_BIND_NO_OBJECT)
      continue;
    for (char *c = text; *c; c++)
      if ((unsigned char)*c < ' ') *c = ' ';
    learn_items(&control, values);
    printf("%s\t%s\t%s\t", name, kind_of(type), changed_by(scope));
    for (int k = 0; k < control.items; k++) printf("%s%d", k ? "," : "", control.item[k]);
    printf("\t%s\n", text);
  }
}

/* In a program that is only asked for its MPI's variables: it ends before its main(). */
__attribute__((constructor)) static void list_and_end(void) {
  const char *wanted = secure_getenv("MIDRUN_CONTROLS");
  if (!wanted || strcmp(wanted, "1")) return;
  if (midrun_reach_mpi() && midrun_handles_are_bound()) list();
  fflush(stdout);
  _exit(0);
}
