/* mpi.h - what the shim uses of MPI's standard ABI, version 1 (MPI 5.0, chapter 20 and appendix A), under the names of the standard. So every machine
 * builds the libmidrun for it, whether it has such an MPI or not. Programs are compiled with the mpi.h of their MPI, never with this one.
 *
 * A test compares it with the headers of the MPIs that implement the ABI. Fortran is not in it: the ABI's Fortran calls the C functions. */
#ifndef MIDRUN_ABI_MPI_H
#define MIDRUN_ABI_MPI_H
#include <stdint.h>

#define MPI_VERSION 5
#define MPI_ABI_VERSION 1

typedef intptr_t MPI_Aint;
typedef int64_t MPI_Count;
typedef struct MPI_ABI_Comm *MPI_Comm;
typedef struct MPI_ABI_Datatype *MPI_Datatype;
typedef struct MPI_ABI_Errhandler *MPI_Errhandler;
typedef struct MPI_ABI_Group *MPI_Group;
typedef struct MPI_ABI_Info *MPI_Info;
typedef struct MPI_ABI_Message *MPI_Message;
typedef struct MPI_ABI_Op *MPI_Op;
typedef struct MPI_ABI_Request *MPI_Request;
typedef struct MPI_ABI_Session *MPI_Session;
typedef struct MPI_ABI_Win *MPI_Win;
typedef struct MPI_T_cvar_handle_t *MPI_T_cvar_handle;
typedef struct MPI_T_enum_t *MPI_T_enum;
typedef void MPI_Comm_errhandler_function(MPI_Comm *, int *, ...);
typedef void MPI_Win_errhandler_function(MPI_Win *, int *, ...);
typedef struct { int MPI_SOURCE, MPI_TAG, MPI_ERROR, MPI_internal[5]; } MPI_Status;

#define MPI_MAX ((MPI_Op)0x23)
#define MPI_MIN ((MPI_Op)0x22)
#define MPI_COMM_NULL ((MPI_Comm)0x100)
#define MPI_COMM_WORLD ((MPI_Comm)0x101)
#define MPI_COMM_SELF ((MPI_Comm)0x102)
#define MPI_GROUP_NULL ((MPI_Group)0x108)
#define MPI_WIN_NULL ((MPI_Win)0x110)
#define MPI_INFO_NULL ((MPI_Info)0x130)
#define MPI_REQUEST_NULL ((MPI_Request)0x180)
#define MPI_COUNT ((MPI_Datatype)0x202)
#define MPI_INT ((MPI_Datatype)0x209)
#define MPI_UNSIGNED ((MPI_Datatype)0x20d)
#define MPI_UNSIGNED_LONG ((MPI_Datatype)0x20e)
#define MPI_UNSIGNED_LONG_LONG ((MPI_Datatype)0x20f)
#define MPI_DOUBLE ((MPI_Datatype)0x214)
#define MPI_C_BOOL ((MPI_Datatype)0x238)
#define MPI_CHAR ((MPI_Datatype)0x243)
#define MPI_BYTE ((MPI_Datatype)0x247)
#define MPI_INT64_T ((MPI_Datatype)0x258)
#define MPI_UINT64_T ((MPI_Datatype)0x259)
#define MPI_IN_PLACE ((void *)1)
#define MPI_STATUS_IGNORE ((MPI_Status *)0)
#define MPI_STATUSES_IGNORE ((MPI_Status *)0)
#define MPI_T_ENUM_NULL ((MPI_T_enum)0)

#define MPI_SUCCESS 0
#define MPI_ERR_OTHER 16
#define MPI_ANY_SOURCE (-1)
#define MPI_ANY_TAG (-2)
#define MPI_PROC_NULL (-3)
#define MPI_ROOT (-4)
#define MPI_UNDEFINED (-32766)
#define MPI_THREAD_SINGLE 0
#define MPI_THREAD_SERIALIZED 2048
#define MPI_THREAD_MULTIPLE 4096
#define MPI_CART 211
#define MPI_GRAPH 212
#define MPI_DIST_GRAPH 213
#define MPI_COMM_TYPE_SHARED 221
#define MPI_T_BIND_NO_OBJECT 1
#define MPI_T_SCOPE_CONSTANT 1
#define MPI_T_SCOPE_READONLY 2
#define MPI_T_SCOPE_LOCAL 3
#define MPI_MAX_ERROR_STRING 512
#define MPI_MAX_LIBRARY_VERSION_STRING 8192

#include "calls.h"

int PMPI_Comm_call_errhandler(MPI_Comm comm, int code);
int PMPI_Comm_create_errhandler(MPI_Comm_errhandler_function *function, MPI_Errhandler *errhandler);
int PMPI_Comm_get_errhandler(MPI_Comm comm, MPI_Errhandler *errhandler);
int PMPI_Comm_set_errhandler(MPI_Comm comm, MPI_Errhandler errhandler);
int PMPI_Errhandler_free(MPI_Errhandler *errhandler);
int PMPI_Error_class(int code, int *class);
int PMPI_Error_string(int code, char *string, int *length);
int PMPI_Finalized(int *flag);
int PMPI_Get_elements_x(const MPI_Status *status, MPI_Datatype datatype, MPI_Count *count);
int PMPI_Get_library_version(char *version, int *length);
int PMPI_Group_from_session_pset(MPI_Session session, const char *name, MPI_Group *group);
int PMPI_Info_create(MPI_Info *info);
int PMPI_Info_free(MPI_Info *info);
int PMPI_Info_set(MPI_Info info, const char *key, const char *value);
int PMPI_Initialized(int *flag);
int PMPI_Query_thread(int *provided);
int PMPI_Session_finalize(MPI_Session *session);
int PMPI_Session_init(MPI_Info info, MPI_Errhandler errhandler, MPI_Session *session);
int PMPI_T_cvar_get_info(int index, char *name, int *name_length, int *verbosity, MPI_Datatype *datatype, MPI_T_enum *type, char *text, int *text_length, int *bind, int *scope);
int PMPI_T_cvar_get_num(int *count);
int PMPI_T_cvar_handle_alloc(int index, void *object, MPI_T_cvar_handle *handle, int *count);
int PMPI_T_cvar_handle_free(MPI_T_cvar_handle *handle);
int PMPI_T_cvar_read(MPI_T_cvar_handle handle, void *value);
int PMPI_T_cvar_write(MPI_T_cvar_handle handle, const void *value);
int PMPI_T_enum_get_info(MPI_T_enum type, int *count, char *name, int *length);
int PMPI_T_enum_get_item(MPI_T_enum type, int index, int *value, char *name, int *length);
int PMPI_T_init_thread(int required, int *provided);
int PMPI_Type_commit(MPI_Datatype *datatype);
int PMPI_Type_contiguous(int count, MPI_Datatype old, MPI_Datatype *made);
int PMPI_Type_create_struct(int count, const int lengths[], const MPI_Aint at[], const MPI_Datatype types[], MPI_Datatype *made);
int PMPI_Type_free(MPI_Datatype *datatype);
int PMPI_Type_size_x(MPI_Datatype datatype, MPI_Count *size);
int PMPI_Win_create_errhandler(MPI_Win_errhandler_function *function, MPI_Errhandler *errhandler);
int PMPI_Win_set_errhandler(MPI_Win win, MPI_Errhandler errhandler);
#endif
