/* calls.c - the program's MPI calls, counted; generated from calls.json: MIDRUN_BLESS=1 cargo test -p midrun-tests --test generated */
#include "counted.h"


COUNTED int counted_Send(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm) {
  uint64_t begin_ = BEGIN(CALL_Send, 0, 0);
  int result_ = NEXT(Send, midrun_next[CALL_Send], (buf, count, datatype, dest, tag, comm));
  END(CALL_Send, 0, begin_, result_, peer(dest, comm), block_to(dest, count, datatype), dest, tag, comm);
  return result_;
}
int MPI_Send(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm) { return midrun_passes(CALL_Send) ? PMPI_Send(buf, count, datatype, dest, tag, comm) : counted_Send(buf, count, datatype, dest, tag, comm); }

COUNTED int counted_Ssend(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm) {
  uint64_t begin_ = BEGIN(CALL_Ssend, 0, 0);
  int result_ = NEXT(Ssend, midrun_next[CALL_Ssend], (buf, count, datatype, dest, tag, comm));
  END(CALL_Ssend, 0, begin_, result_, peer(dest, comm), block_to(dest, count, datatype), dest, tag, comm);
  return result_;
}
int MPI_Ssend(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm) { return midrun_passes(CALL_Ssend) ? PMPI_Ssend(buf, count, datatype, dest, tag, comm) : counted_Ssend(buf, count, datatype, dest, tag, comm); }

COUNTED int counted_Bsend(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm) {
  uint64_t begin_ = BEGIN(CALL_Bsend, 0, 0);
  int result_ = NEXT(Bsend, midrun_next[CALL_Bsend], (buf, count, datatype, dest, tag, comm));
  END(CALL_Bsend, 0, begin_, result_, peer(dest, comm), block_to(dest, count, datatype), dest, tag, comm);
  return result_;
}
int MPI_Bsend(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm) { return midrun_passes(CALL_Bsend) ? PMPI_Bsend(buf, count, datatype, dest, tag, comm) : counted_Bsend(buf, count, datatype, dest, tag, comm); }

COUNTED int counted_Rsend(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm) {
  uint64_t begin_ = BEGIN(CALL_Rsend, 0, 0);
  int result_ = NEXT(Rsend, midrun_next[CALL_Rsend], (buf, count, datatype, dest, tag, comm));
  END(CALL_Rsend, 0, begin_, result_, peer(dest, comm), block_to(dest, count, datatype), dest, tag, comm);
  return result_;
}
int MPI_Rsend(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm) { return midrun_passes(CALL_Rsend) ? PMPI_Rsend(buf, count, datatype, dest, tag, comm) : counted_Rsend(buf, count, datatype, dest, tag, comm); }

COUNTED int counted_Isend(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm, MPI_Request *request) {
  uint64_t begin_ = BEGIN(CALL_Isend, 0, 0);
  int result_ = NEXT(Isend, midrun_next[CALL_Isend], (buf, count, datatype, dest, tag, comm, request));
  END(CALL_Isend, 0, begin_, result_, peer(dest, comm), block_to(dest, count, datatype), dest, tag, comm);
  if (begin_ && result_ == MPI_SUCCESS) midrun_posted(request, sizeof *request, comm == MPI_COMM_WORLD);
  return result_;
}
int MPI_Isend(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm, MPI_Request *request) { return midrun_passes(CALL_Isend) ? PMPI_Isend(buf, count, datatype, dest, tag, comm, request) : counted_Isend(buf, count, datatype, dest, tag, comm, request); }

COUNTED int counted_Issend(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm, MPI_Request *request) {
  uint64_t begin_ = BEGIN(CALL_Issend, 0, 0);
  int result_ = NEXT(Issend, midrun_next[CALL_Issend], (buf, count, datatype, dest, tag, comm, request));
  END(CALL_Issend, 0, begin_, result_, peer(dest, comm), block_to(dest, count, datatype), dest, tag, comm);
  if (begin_ && result_ == MPI_SUCCESS) midrun_posted(request, sizeof *request, comm == MPI_COMM_WORLD);
  return result_;
}
int MPI_Issend(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm, MPI_Request *request) { return midrun_passes(CALL_Issend) ? PMPI_Issend(buf, count, datatype, dest, tag, comm, request) : counted_Issend(buf, count, datatype, dest, tag, comm, request); }

COUNTED int counted_Ibsend(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm, MPI_Request *request) {
  uint64_t begin_ = BEGIN(CALL_Ibsend, 0, 0);
  int result_ = NEXT(Ibsend, midrun_next[CALL_Ibsend], (buf, count, datatype, dest, tag, comm, request));
  END(CALL_Ibsend, 0, begin_, result_, peer(dest, comm), block_to(dest, count, datatype), dest, tag, comm);
  return result_;
}
int MPI_Ibsend(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm, MPI_Request *request) { return midrun_passes(CALL_Ibsend) ? PMPI_Ibsend(buf, count, datatype, dest, tag, comm, request) : counted_Ibsend(buf, count, datatype, dest, tag, comm, request); }

COUNTED int counted_Irsend(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm, MPI_Request *request) {
  uint64_t begin_ = BEGIN(CALL_Irsend, 0, 0);
  int result_ = NEXT(Irsend, midrun_next[CALL_Irsend], (buf, count, datatype, dest, tag, comm, request));
  END(CALL_Irsend, 0, begin_, result_, peer(dest, comm), block_to(dest, count, datatype), dest, tag, comm);
  if (begin_ && result_ == MPI_SUCCESS) midrun_posted(request, sizeof *request, comm == MPI_COMM_WORLD);
  return result_;
}
int MPI_Irsend(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm, MPI_Request *request) { return midrun_passes(CALL_Irsend) ? PMPI_Irsend(buf, count, datatype, dest, tag, comm, request) : counted_Irsend(buf, count, datatype, dest, tag, comm, request); }

COUNTED int counted_Recv(void *buf, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm, MPI_Status *status) {
  uint64_t begin_ = BEGIN(CALL_Recv, 1, 1);
  MPI_Status own_;
  if (begin_ && status == MPI_STATUS_IGNORE) status = &own_;
  int result_ = NEXT(Recv, midrun_next[CALL_Recv], (buf, count, datatype, source, tag, comm, status));
  END(CALL_Recv, 1, begin_, result_, from(source, status, comm), received(status, count, datatype), source, tag, comm);
  return result_;
}
int MPI_Recv(void *buf, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm, MPI_Status *status) { return midrun_passes(CALL_Recv) ? PMPI_Recv(buf, count, datatype, source, tag, comm, status) : counted_Recv(buf, count, datatype, source, tag, comm, status); }

COUNTED int counted_Irecv(void *buf, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm, MPI_Request *request) {
  uint64_t begin_ = BEGIN(CALL_Irecv, 0, 0);
  int result_ = NEXT(Irecv, midrun_next[CALL_Irecv], (buf, count, datatype, source, tag, comm, request));
  END(CALL_Irecv, 0, begin_, result_, peer(source, comm), block_to(source, count, datatype), source, tag, comm);
  if (begin_ && result_ == MPI_SUCCESS) midrun_posted(request, sizeof *request, comm == MPI_COMM_WORLD);
  return result_;
}
int MPI_Irecv(void *buf, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm, MPI_Request *request) { return midrun_passes(CALL_Irecv) ? PMPI_Irecv(buf, count, datatype, source, tag, comm, request) : counted_Irecv(buf, count, datatype, source, tag, comm, request); }

COUNTED int counted_Mrecv(void *buf, int count, MPI_Datatype datatype, MPI_Message *message, MPI_Status *status) {
  uint64_t begin_ = BEGIN(CALL_Mrecv, 1, 1);
  MPI_Status own_;
  if (begin_ && status == MPI_STATUS_IGNORE) status = &own_;
  int result_ = NEXT(Mrecv, midrun_next[CALL_Mrecv], (buf, count, datatype, message, status));
  END(CALL_Mrecv, 1, begin_, result_, ANY, received(status, count, datatype), MPI_PROC_NULL, -1, MPI_COMM_NULL);
  return result_;
}
int MPI_Mrecv(void *buf, int count, MPI_Datatype datatype, MPI_Message *message, MPI_Status *status) { return midrun_passes(CALL_Mrecv) ? PMPI_Mrecv(buf, count, datatype, message, status) : counted_Mrecv(buf, count, datatype, message, status); }

COUNTED int counted_Imrecv(void *buf, int count, MPI_Datatype datatype, MPI_Message *message, MPI_Request *request) {
  uint64_t begin_ = BEGIN(CALL_Imrecv, 0, 0);
  int result_ = NEXT(Imrecv, midrun_next[CALL_Imrecv], (buf, count, datatype, message, request));
  END(CALL_Imrecv, 0, begin_, result_, ANY, block(count, datatype), MPI_PROC_NULL, -1, MPI_COMM_NULL);
  return result_;
}
int MPI_Imrecv(void *buf, int count, MPI_Datatype datatype, MPI_Message *message, MPI_Request *request) { return midrun_passes(CALL_Imrecv) ? PMPI_Imrecv(buf, count, datatype, message, request) : counted_Imrecv(buf, count, datatype, message, request); }

COUNTED int counted_Sendrecv(const void *sendbuf, int sendcount, MPI_Datatype sendtype, int dest, int sendtag, void *recvbuf, int recvcount, MPI_Datatype recvtype, int source, int recvtag, MPI_Comm comm, MPI_Status *status) {
  uint64_t begin_ = BEGIN(CALL_Sendrecv, 1, 1);
  MPI_Status own_;
  if (begin_ && status == MPI_STATUS_IGNORE) status = &own_;
  int result_ = NEXT(Sendrecv, midrun_next[CALL_Sendrecv], (sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount, recvtype, source, recvtag, comm, status));
  END(CALL_Sendrecv, 1, begin_, result_, either(dest, source, comm), block_to(dest, sendcount, sendtype) + received_from(source, status, recvcount, recvtype), dest, sendtag, comm);
  if (begin_ && result_ == MPI_SUCCESS) midrun_exchanged(peer(dest, comm), block_to(dest, sendcount, sendtype), from(source, status, comm), received_from(source, status, recvcount, recvtype));
  return result_;
}
int MPI_Sendrecv(const void *sendbuf, int sendcount, MPI_Datatype sendtype, int dest, int sendtag, void *recvbuf, int recvcount, MPI_Datatype recvtype, int source, int recvtag, MPI_Comm comm, MPI_Status *status) { return midrun_passes(CALL_Sendrecv) ? PMPI_Sendrecv(sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount, recvtype, source, recvtag, comm, status) : counted_Sendrecv(sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount, recvtype, source, recvtag, comm, status); }

COUNTED int counted_Sendrecv_replace(void *buf, int count, MPI_Datatype datatype, int dest, int sendtag, int source, int recvtag, MPI_Comm comm, MPI_Status *status) {
  uint64_t begin_ = BEGIN(CALL_Sendrecv_replace, 1, 1);
  MPI_Status own_;
  if (begin_ && status == MPI_STATUS_IGNORE) status = &own_;
  int result_ = NEXT(Sendrecv_replace, midrun_next[CALL_Sendrecv_replace], (buf, count, datatype, dest, sendtag, source, recvtag, comm, status));
  END(CALL_Sendrecv_replace, 1, begin_, result_, either(dest, source, comm), block_to(dest, count, datatype) + received_from(source, status, count, datatype), dest, sendtag, comm);
  if (begin_ && result_ == MPI_SUCCESS) midrun_exchanged(peer(dest, comm), block_to(dest, count, datatype), from(source, status, comm), received_from(source, status, count, datatype));
  return result_;
}
int MPI_Sendrecv_replace(void *buf, int count, MPI_Datatype datatype, int dest, int sendtag, int source, int recvtag, MPI_Comm comm, MPI_Status *status) { return midrun_passes(CALL_Sendrecv_replace) ? PMPI_Sendrecv_replace(buf, count, datatype, dest, sendtag, source, recvtag, comm, status) : counted_Sendrecv_replace(buf, count, datatype, dest, sendtag, source, recvtag, comm, status); }

#if MPI_VERSION >= 4
COUNTED int counted_Isendrecv(const void *sendbuf, int sendcount, MPI_Datatype sendtype, int dest, int sendtag, void *recvbuf, int recvcount, MPI_Datatype recvtype, int source, int recvtag, MPI_Comm comm, MPI_Request *request) {
  uint64_t begin_ = BEGIN(CALL_Isendrecv, 0, 0);
  int result_ = NEXT(Isendrecv, midrun_next[CALL_Isendrecv], (sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount, recvtype, source, recvtag, comm, request));
  END(CALL_Isendrecv, 0, begin_, result_, either(dest, source, comm), block_to(dest, sendcount, sendtype) + block_to(source, recvcount, recvtype), dest, sendtag, comm);
  return result_;
}
int MPI_Isendrecv(const void *sendbuf, int sendcount, MPI_Datatype sendtype, int dest, int sendtag, void *recvbuf, int recvcount, MPI_Datatype recvtype, int source, int recvtag, MPI_Comm comm, MPI_Request *request) { return midrun_passes(CALL_Isendrecv) ? PMPI_Isendrecv(sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount, recvtype, source, recvtag, comm, request) : counted_Isendrecv(sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount, recvtype, source, recvtag, comm, request); }
#endif

#if MPI_VERSION >= 4
COUNTED int counted_Isendrecv_replace(void *buf, int count, MPI_Datatype datatype, int dest, int sendtag, int source, int recvtag, MPI_Comm comm, MPI_Request *request) {
  uint64_t begin_ = BEGIN(CALL_Isendrecv_replace, 0, 0);
  int result_ = NEXT(Isendrecv_replace, midrun_next[CALL_Isendrecv_replace], (buf, count, datatype, dest, sendtag, source, recvtag, comm, request));
  END(CALL_Isendrecv_replace, 0, begin_, result_, either(dest, source, comm), block_to(dest, count, datatype) + block_to(source, count, datatype), dest, sendtag, comm);
  return result_;
}
int MPI_Isendrecv_replace(void *buf, int count, MPI_Datatype datatype, int dest, int sendtag, int source, int recvtag, MPI_Comm comm, MPI_Request *request) { return midrun_passes(CALL_Isendrecv_replace) ? PMPI_Isendrecv_replace(buf, count, datatype, dest, sendtag, source, recvtag, comm, request) : counted_Isendrecv_replace(buf, count, datatype, dest, sendtag, source, recvtag, comm, request); }
#endif

COUNTED int counted_Probe(int source, int tag, MPI_Comm comm, MPI_Status *status) {
  uint64_t begin_ = BEGIN(CALL_Probe, 1, 1);
  int result_ = NEXT(Probe, midrun_next[CALL_Probe], (source, tag, comm, status));
  END(CALL_Probe, 1, begin_, result_, peer(source, comm), 0, source, tag, comm);
  return result_;
}
int MPI_Probe(int source, int tag, MPI_Comm comm, MPI_Status *status) { return midrun_passes(CALL_Probe) ? PMPI_Probe(source, tag, comm, status) : counted_Probe(source, tag, comm, status); }

COUNTED int counted_Iprobe(int source, int tag, MPI_Comm comm, int *flag, MPI_Status *status) {
  uint64_t begin_ = BEGIN(CALL_Iprobe, 0, 0);
  int result_ = NEXT(Iprobe, midrun_next[CALL_Iprobe], (source, tag, comm, flag, status));
  END(CALL_Iprobe, 0, begin_, result_, peer(source, comm), 0, source, tag, comm);
  return result_;
}
int MPI_Iprobe(int source, int tag, MPI_Comm comm, int *flag, MPI_Status *status) { return midrun_passes(CALL_Iprobe) ? PMPI_Iprobe(source, tag, comm, flag, status) : counted_Iprobe(source, tag, comm, flag, status); }

COUNTED int counted_Mprobe(int source, int tag, MPI_Comm comm, MPI_Message *message, MPI_Status *status) {
  uint64_t begin_ = BEGIN(CALL_Mprobe, 1, 1);
  int result_ = NEXT(Mprobe, midrun_next[CALL_Mprobe], (source, tag, comm, message, status));
  END(CALL_Mprobe, 1, begin_, result_, peer(source, comm), 0, source, tag, comm);
  return result_;
}
int MPI_Mprobe(int source, int tag, MPI_Comm comm, MPI_Message *message, MPI_Status *status) { return midrun_passes(CALL_Mprobe) ? PMPI_Mprobe(source, tag, comm, message, status) : counted_Mprobe(source, tag, comm, message, status); }

COUNTED int counted_Improbe(int source, int tag, MPI_Comm comm, int *flag, MPI_Message *message, MPI_Status *status) {
  uint64_t begin_ = BEGIN(CALL_Improbe, 0, 0);
  int result_ = NEXT(Improbe, midrun_next[CALL_Improbe], (source, tag, comm, flag, message, status));
  END(CALL_Improbe, 0, begin_, result_, peer(source, comm), 0, source, tag, comm);
  return result_;
}
int MPI_Improbe(int source, int tag, MPI_Comm comm, int *flag, MPI_Message *message, MPI_Status *status) { return midrun_passes(CALL_Improbe) ? PMPI_Improbe(source, tag, comm, flag, message, status) : counted_Improbe(source, tag, comm, flag, message, status); }

COUNTED int counted_Get_count(const MPI_Status *status, MPI_Datatype datatype, int *count) {
  uint64_t begin_ = BEGIN(CALL_Get_count, 0, 0);
  int result_ = NEXT(Get_count, midrun_next[CALL_Get_count], (status, datatype, count));
  END(CALL_Get_count, 0, begin_, result_, LOCAL, 0, MPI_PROC_NULL, -1, MPI_COMM_NULL);
  return result_;
}
int MPI_Get_count(const MPI_Status *status, MPI_Datatype datatype, int *count) { return midrun_passes(CALL_Get_count) ? PMPI_Get_count(status, datatype, count) : counted_Get_count(status, datatype, count); }

COUNTED int counted_Get_elements(const MPI_Status *status, MPI_Datatype datatype, int *count) {
  uint64_t begin_ = BEGIN(CALL_Get_elements, 0, 0);
  int result_ = NEXT(Get_elements, midrun_next[CALL_Get_elements], (status, datatype, count));
  END(CALL_Get_elements, 0, begin_, result_, LOCAL, 0, MPI_PROC_NULL, -1, MPI_COMM_NULL);
  return result_;
}
int MPI_Get_elements(const MPI_Status *status, MPI_Datatype datatype, int *count) { return midrun_passes(CALL_Get_elements) ? PMPI_Get_elements(status, datatype, count) : counted_Get_elements(status, datatype, count); }

COUNTED int counted_Buffer_attach(void *buffer, int size) {
  uint64_t begin_ = BEGIN(CALL_Buffer_attach, 0, 0);
  int result_ = NEXT(Buffer_attach, midrun_next[CALL_Buffer_attach], (buffer, size));
  END(CALL_Buffer_attach, 0, begin_, result_, LOCAL, 0, MPI_PROC_NULL, -1, MPI_COMM_NULL);
  return result_;
}
int MPI_Buffer_attach(void *buffer, int size) { return midrun_passes(CALL_Buffer_attach) ? PMPI_Buffer_attach(buffer, size) : counted_Buffer_attach(buffer, size); }

COUNTED int counted_Buffer_detach(void *buffer_addr, int *size) {
  uint64_t begin_ = BEGIN(CALL_Buffer_detach, 1, 0);
  int result_ = NEXT(Buffer_detach, midrun_next[CALL_Buffer_detach], (buffer_addr, size));
  END(CALL_Buffer_detach, 1, begin_, result_, LOCAL, 0, MPI_PROC_NULL, -1, MPI_COMM_NULL);
  return result_;
}
int MPI_Buffer_detach(void *buffer_addr, int *size) { return midrun_passes(CALL_Buffer_detach) ? PMPI_Buffer_detach(buffer_addr, size) : counted_Buffer_detach(buffer_addr, size); }

COUNTED int counted_Wait(MPI_Request *request, MPI_Status *status) {
  uint64_t begin_ = BEGIN(CALL_Wait, 1, 1);
  MPI_Status own_;
  if (begin_ && status == MPI_STATUS_IGNORE) status = &own_;
  awaited_t awaited_;
  midrun_await(&awaited_, begin_ ? 1 : 0, request, sizeof *request);
  int result_ = NEXT(Wait, midrun_next[CALL_Wait], (request, status));
  END(CALL_Wait, 1, begin_, result_, LOCAL, 0, MPI_PROC_NULL, -1, MPI_COMM_NULL);
  if (begin_ && result_ == MPI_SUCCESS) midrun_arrived(&awaited_, 1, NULL, 0, status);
  return result_;
}
int MPI_Wait(MPI_Request *request, MPI_Status *status) { return midrun_passes(CALL_Wait) ? PMPI_Wait(request, status) : counted_Wait(request, status); }

COUNTED int counted_Waitall(int count, MPI_Request array_of_requests[], MPI_Status array_of_statuses[]) {
  uint64_t begin_ = BEGIN(CALL_Waitall, 1, 1);
  awaited_t awaited_;
  midrun_await(&awaited_, begin_ ? count : 0, array_of_requests, sizeof *array_of_requests);
  int result_ = NEXT(Waitall, midrun_next[CALL_Waitall], (count, array_of_requests, array_of_statuses));
  END(CALL_Waitall, 1, begin_, result_, LOCAL, 0, MPI_PROC_NULL, -1, MPI_COMM_NULL);
  if (begin_ && result_ == MPI_SUCCESS) midrun_arrived(&awaited_, count, NULL, 0, STATUSES(array_of_statuses));
  return result_;
}
int MPI_Waitall(int count, MPI_Request array_of_requests[], MPI_Status array_of_statuses[]) { return midrun_passes(CALL_Waitall) ? PMPI_Waitall(count, array_of_requests, array_of_statuses) : counted_Waitall(count, array_of_requests, array_of_statuses); }

COUNTED int counted_Waitany(int count, MPI_Request array_of_requests[], int *indx, MPI_Status *status) {
  uint64_t begin_ = BEGIN(CALL_Waitany, 1, 1);
  MPI_Status own_;
  if (begin_ && status == MPI_STATUS_IGNORE) status = &own_;
  awaited_t awaited_;
  midrun_await(&awaited_, begin_ ? count : 0, array_of_requests, sizeof *array_of_requests);
  int result_ = NEXT(Waitany, midrun_next[CALL_Waitany], (count, array_of_requests, indx, status));
  END(CALL_Waitany, 1, begin_, result_, LOCAL, 0, MPI_PROC_NULL, -1, MPI_COMM_NULL);
  if (begin_ && result_ == MPI_SUCCESS) midrun_arrived(&awaited_, 1, indx, 0, status);
  return result_;
}
int MPI_Waitany(int count, MPI_Request array_of_requests[], int *indx, MPI_Status *status) { return midrun_passes(CALL_Waitany) ? PMPI_Waitany(count, array_of_requests, indx, status) : counted_Waitany(count, array_of_requests, indx, status); }

COUNTED int counted_Waitsome(int incount, MPI_Request array_of_requests[], int *outcount, int array_of_indices[], MPI_Status array_of_statuses[]) {
  uint64_t begin_ = BEGIN(CALL_Waitsome, 1, 1);
  awaited_t awaited_;
  midrun_await(&awaited_, begin_ ? incount : 0, array_of_requests, sizeof *array_of_requests);
  int result_ = NEXT(Waitsome, midrun_next[CALL_Waitsome], (incount, array_of_requests, outcount, array_of_indices, array_of_statuses));
  END(CALL_Waitsome, 1, begin_, result_, LOCAL, 0, MPI_PROC_NULL, -1, MPI_COMM_NULL);
  if (begin_ && result_ == MPI_SUCCESS) midrun_arrived(&awaited_, *outcount, array_of_indices, 0, STATUSES(array_of_statuses));
  return result_;
}
int MPI_Waitsome(int incount, MPI_Request array_of_requests[], int *outcount, int array_of_indices[], MPI_Status array_of_statuses[]) { return midrun_passes(CALL_Waitsome) ? PMPI_Waitsome(incount, array_of_requests, outcount, array_of_indices, array_of_statuses) : counted_Waitsome(incount, array_of_requests, outcount, array_of_indices, array_of_statuses); }

COUNTED int counted_Test(MPI_Request *request, int *flag, MPI_Status *status) {
  uint64_t begin_ = BEGIN(CALL_Test, 0, 0);
  int result_ = NEXT(Test, midrun_next[CALL_Test], (request, flag, status));
  END(CALL_Test, 0, begin_, result_, LOCAL, 0, MPI_PROC_NULL, -1, MPI_COMM_NULL);
  return result_;
}
int MPI_Test(MPI_Request *request, int *flag, MPI_Status *status) { return midrun_passes(CALL_Test) ? PMPI_Test(request, flag, status) : counted_Test(request, flag, status); }

COUNTED int counted_Testall(int count, MPI_Request array_of_requests[], int *flag, MPI_Status array_of_statuses[]) {
  uint64_t begin_ = BEGIN(CALL_Testall, 0, 0);
  int result_ = NEXT(Testall, midrun_next[CALL_Testall], (count, array_of_requests, flag, array_of_statuses));
  END(CALL_Testall, 0, begin_, result_, LOCAL, 0, MPI_PROC_NULL, -1, MPI_COMM_NULL);
  return result_;
}
int MPI_Testall(int count, MPI_Request array_of_requests[], int *flag, MPI_Status array_of_statuses[]) { return midrun_passes(CALL_Testall) ? PMPI_Testall(count, array_of_requests, flag, array_of_statuses) : counted_Testall(count, array_of_requests, flag, array_of_statuses); }

COUNTED int counted_Testany(int count, MPI_Request array_of_requests[], int *indx, int *flag, MPI_Status *status) {
  uint64_t begin_ = BEGIN(CALL_Testany, 0, 0);
  int result_ = NEXT(Testany, midrun_next[CALL_Testany], (count, array_of_requests, indx, flag, status));
  END(CALL_Testany, 0, begin_, result_, LOCAL, 0, MPI_PROC_NULL, -1, MPI_COMM_NULL);
  return result_;
}
int MPI_Testany(int count, MPI_Request array_of_requests[], int *indx, int *flag, MPI_Status *status) { return midrun_passes(CALL_Testany) ? PMPI_Testany(count, array_of_requests, indx, flag, status) : counted_Testany(count, array_of_requests, indx, flag, status); }

COUNTED int counted_Testsome(int incount, MPI_Request array_of_requests[], int *outcount, int array_of_indices[], MPI_Status array_of_statuses[]) {
  uint64_t begin_ = BEGIN(CALL_Testsome, 0, 0);
  int result_ = NEXT(Testsome, midrun_next[CALL_Testsome], (incount, array_of_requests, outcount, array_of_indices, array_of_statuses));
  END(CALL_Testsome, 0, begin_, result_, LOCAL, 0, MPI_PROC_NULL, -1, MPI_COMM_NULL);
  return result_;
}
int MPI_Testsome(int incount, MPI_Request array_of_requests[], int *outcount, int array_of_indices[], MPI_Status array_of_statuses[]) { return midrun_passes(CALL_Testsome) ? PMPI_Testsome(incount, array_of_requests, outcount, array_of_indices, array_of_statuses) : counted_Testsome(incount, array_of_requests, outcount, array_of_indices, array_of_statuses); }

COUNTED int counted_Request_get_status(MPI_Request request, int *flag, MPI_Status *status) {
  uint64_t begin_ = BEGIN(CALL_Request_get_status, 0, 0);
  int result_ = NEXT(Request_get_status, midrun_next[CALL_Request_get_status], (request, flag, status));
  END(CALL_Request_get_status, 0, begin_, result_, LOCAL, 0, MPI_PROC_NULL, -1, MPI_COMM_NULL);
  return result_;
}
int MPI_Request_get_status(MPI_Request request, int *flag, MPI_Status *status) { return midrun_passes(CALL_Request_get_status) ? PMPI_Request_get_status(request, flag, status) : counted_Request_get_status(request, flag, status); }

COUNTED int counted_Test_cancelled(const MPI_Status *status, int *flag) {
  uint64_t begin_ = BEGIN(CALL_Test_cancelled, 0, 0);
  int result_ = NEXT(Test_cancelled, midrun_next[CALL_Test_cancelled], (status, flag));
  END(CALL_Test_cancelled, 0, begin_, result_, LOCAL, 0, MPI_PROC_NULL, -1, MPI_COMM_NULL);
  return result_;
}
int MPI_Test_cancelled(const MPI_Status *status, int *flag) { return midrun_passes(CALL_Test_cancelled) ? PMPI_Test_cancelled(status, flag) : counted_Test_cancelled(status, flag); }

COUNTED int counted_Cancel(MPI_Request *request) {
  uint64_t begin_ = BEGIN(CALL_Cancel, 0, 0);
  int result_ = NEXT(Cancel, midrun_next[CALL_Cancel], (request));
  END(CALL_Cancel, 0, begin_, result_, LOCAL, 0, MPI_PROC_NULL, -1, MPI_COMM_NULL);
  return result_;
}
int MPI_Cancel(MPI_Request *request) { return midrun_passes(CALL_Cancel) ? PMPI_Cancel(request) : counted_Cancel(request); }

COUNTED int counted_Request_free(MPI_Request *request) {
  uint64_t begin_ = BEGIN(CALL_Request_free, 0, 0);
  int result_ = NEXT(Request_free, midrun_next[CALL_Request_free], (request));
  END(CALL_Request_free, 0, begin_, result_, LOCAL, 0, MPI_PROC_NULL, -1, MPI_COMM_NULL);
  return result_;
}
int MPI_Request_free(MPI_Request *request) { midrun_forget(request, sizeof *request); return midrun_passes(CALL_Request_free) ? PMPI_Request_free(request) : counted_Request_free(request); }

COUNTED int counted_Send_init(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm, MPI_Request *request) {
  uint64_t begin_ = BEGIN(CALL_Send_init, 0, 0);
  int result_ = NEXT(Send_init, midrun_next[CALL_Send_init], (buf, count, datatype, dest, tag, comm, request));
  END(CALL_Send_init, 0, begin_, result_, peer(dest, comm), block_to(dest, count, datatype), dest, tag, comm);
  if (begin_ && result_ == MPI_SUCCESS) midrun_kept(request, sizeof *request, comm == MPI_COMM_WORLD);
  return result_;
}
int MPI_Send_init(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm, MPI_Request *request) { return !SWITCH ? PMPI_Send_init(buf, count, datatype, dest, tag, comm, request) : counted_Send_init(buf, count, datatype, dest, tag, comm, request); }

COUNTED int counted_Ssend_init(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm, MPI_Request *request) {
  uint64_t begin_ = BEGIN(CALL_Ssend_init, 0, 0);
  int result_ = NEXT(Ssend_init, midrun_next[CALL_Ssend_init], (buf, count, datatype, dest, tag, comm, request));
  END(CALL_Ssend_init, 0, begin_, result_, peer(dest, comm), block_to(dest, count, datatype), dest, tag, comm);
  if (begin_ && result_ == MPI_SUCCESS) midrun_kept(request, sizeof *request, comm == MPI_COMM_WORLD);
  return result_;
}
int MPI_Ssend_init(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm, MPI_Request *request) { return !SWITCH ? PMPI_Ssend_init(buf, count, datatype, dest, tag, comm, request) : counted_Ssend_init(buf, count, datatype, dest, tag, comm, request); }

COUNTED int counted_Bsend_init(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm, MPI_Request *request) {
  uint64_t begin_ = BEGIN(CALL_Bsend_init, 0, 0);
  int result_ = NEXT(Bsend_init, midrun_next[CALL_Bsend_init], (buf, count, datatype, dest, tag, comm, request));
  END(CALL_Bsend_init, 0, begin_, result_, peer(dest, comm), block_to(dest, count, datatype), dest, tag, comm);
  return result_;
}
int MPI_Bsend_init(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm, MPI_Request *request) { return midrun_passes(CALL_Bsend_init) ? PMPI_Bsend_init(buf, count, datatype, dest, tag, comm, request) : counted_Bsend_init(buf, count, datatype, dest, tag, comm, request); }

COUNTED int counted_Rsend_init(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm, MPI_Request *request) {
  uint64_t begin_ = BEGIN(CALL_Rsend_init, 0, 0);
  int result_ = NEXT(Rsend_init, midrun_next[CALL_Rsend_init], (buf, count, datatype, dest, tag, comm, request));
  END(CALL_Rsend_init, 0, begin_, result_, peer(dest, comm), block_to(dest, count, datatype), dest, tag, comm);
  if (begin_ && result_ == MPI_SUCCESS) midrun_kept(request, sizeof *request, comm == MPI_COMM_WORLD);
  return result_;
}
int MPI_Rsend_init(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm, MPI_Request *request) { return !SWITCH ? PMPI_Rsend_init(buf, count, datatype, dest, tag, comm, request) : counted_Rsend_init(buf, count, datatype, dest, tag, comm, request); }

COUNTED int counted_Recv_init(void *buf, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm, MPI_Request *request) {
  uint64_t begin_ = BEGIN(CALL_Recv_init, 0, 0);
  int result_ = NEXT(Recv_init, midrun_next[CALL_Recv_init], (buf, count, datatype, source, tag, comm, request));
  END(CALL_Recv_init, 0, begin_, result_, peer(source, comm), block_to(source, count, datatype), source, tag, comm);
  if (begin_ && result_ == MPI_SUCCESS) midrun_kept(request, sizeof *request, comm == MPI_COMM_WORLD);
  return result_;
}
int MPI_Recv_init(void *buf, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm, MPI_Request *request) { return !SWITCH ? PMPI_Recv_init(buf, count, datatype, source, tag, comm, request) : counted_Recv_init(buf, count, datatype, source, tag, comm, request); }

COUNTED int counted_Start(MPI_Request *request) {
  uint64_t begin_ = BEGIN(CALL_Start, 0, 0);
  int started_ = LOCAL;
  int result_ = NEXT(Start, midrun_next[CALL_Start], (request));
  END(CALL_Start, 0, begin_, result_, started_, midrun_call_starts(request, sizeof *request, 1, &started_), MPI_PROC_NULL, -1, MPI_COMM_NULL);
  if (begin_ && result_ == MPI_SUCCESS) midrun_call_started(request, sizeof *request, 1);
  return result_;
}
int MPI_Start(MPI_Request *request) { return midrun_passes(CALL_Start) ? PMPI_Start(request) : counted_Start(request); }

COUNTED int counted_Startall(int count, MPI_Request array_of_requests[]) {
  uint64_t begin_ = BEGIN(CALL_Startall, 0, 0);
  int started_ = LOCAL;
  int result_ = NEXT(Startall, midrun_next[CALL_Startall], (count, array_of_requests));
  END(CALL_Startall, 0, begin_, result_, started_, midrun_call_starts(array_of_requests, sizeof *array_of_requests, count, &started_), MPI_PROC_NULL, -1, MPI_COMM_NULL);
  if (begin_ && result_ == MPI_SUCCESS) midrun_call_started(array_of_requests, sizeof *array_of_requests, count);
  return result_;
}
int MPI_Startall(int count, MPI_Request array_of_requests[]) { return midrun_passes(CALL_Startall) ? PMPI_Startall(count, array_of_requests) : counted_Startall(count, array_of_requests); }

COUNTED int counted_Barrier(MPI_Comm comm) {
  uint64_t begin_ = BEGIN(CALL_Barrier, 1, 1);
  int result_ = NEXT(Barrier, midrun_next[CALL_Barrier], (comm));
  END(CALL_Barrier, 1, begin_, result_, COLLECTIVE, 0, MPI_PROC_NULL, -1, comm);
  return result_;
}
int MPI_Barrier(MPI_Comm comm) { return midrun_passes(CALL_Barrier) ? PMPI_Barrier(comm) : counted_Barrier(comm); }

COUNTED int counted_Bcast(void *buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm) {
  uint64_t begin_ = BEGIN(CALL_Bcast, 1, 1);
  int result_ = NEXT(Bcast, midrun_next[CALL_Bcast], (buffer, count, datatype, root, comm));
  END(CALL_Bcast, 1, begin_, result_, COLLECTIVE, rooted(root, count, datatype, comm), MPI_PROC_NULL, -1, comm);
  return result_;
}
int MPI_Bcast(void *buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm) { return midrun_passes(CALL_Bcast) ? PMPI_Bcast(buffer, count, datatype, root, comm) : counted_Bcast(buffer, count, datatype, root, comm); }

COUNTED int counted_Gather(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm) {
  uint64_t begin_ = BEGIN(CALL_Gather, 1, 1);
  int result_ = NEXT(Gather, midrun_next[CALL_Gather], (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm));
  END(CALL_Gather, 1, begin_, result_, COLLECTIVE, gathered(sendbuf, sendcount, sendtype, recvcount, recvtype, root, comm), MPI_PROC_NULL, -1, comm);
  return result_;
}
int MPI_Gather(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm) { return midrun_passes(CALL_Gather) ? PMPI_Gather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm) : counted_Gather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm); }

COUNTED int counted_Gatherv(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, const int recvcounts[], const int displs[], MPI_Datatype recvtype, int root, MPI_Comm comm) {
  uint64_t begin_ = BEGIN(CALL_Gatherv, 1, 1);
  int result_ = NEXT(Gatherv, midrun_next[CALL_Gatherv], (sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root, comm));
  END(CALL_Gatherv, 1, begin_, result_, COLLECTIVE, gathered_v(sendbuf, sendcount, sendtype, recvcounts, recvtype, root, comm), MPI_PROC_NULL, -1, comm);
  return result_;
}
int MPI_Gatherv(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, const int recvcounts[], const int displs[], MPI_Datatype recvtype, int root, MPI_Comm comm) { return midrun_passes(CALL_Gatherv) ? PMPI_Gatherv(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root, comm) : counted_Gatherv(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root, comm); }

COUNTED int counted_Scatter(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm) {
  uint64_t begin_ = BEGIN(CALL_Scatter, 1, 1);
  int result_ = NEXT(Scatter, midrun_next[CALL_Scatter], (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm));
  END(CALL_Scatter, 1, begin_, result_, COLLECTIVE, scattered(recvbuf, recvcount, recvtype, sendcount, sendtype, root, comm), MPI_PROC_NULL, -1, comm);
  return result_;
}
int MPI_Scatter(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm) { return midrun_passes(CALL_Scatter) ? PMPI_Scatter(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm) : counted_Scatter(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm); }

COUNTED int counted_Scatterv(const void *sendbuf, const int sendcounts[], const int displs[], MPI_Datatype sendtype, void *recvbuf, int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm) {
  uint64_t begin_ = BEGIN(CALL_Scatterv, 1, 1);
  int result_ = NEXT(Scatterv, midrun_next[CALL_Scatterv], (sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root, comm));
  END(CALL_Scatterv, 1, begin_, result_, COLLECTIVE, scattered_v(recvbuf, recvcount, recvtype, sendcounts, sendtype, root, comm), MPI_PROC_NULL, -1, comm);
  return result_;
}
int MPI_Scatterv(const void *sendbuf, const int sendcounts[], const int displs[], MPI_Datatype sendtype, void *recvbuf, int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm) { return midrun_passes(CALL_Scatterv) ? PMPI_Scatterv(sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root, comm) : counted_Scatterv(sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root, comm); }

COUNTED int counted_Allgather(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm) {
  uint64_t begin_ = BEGIN(CALL_Allgather, 1, 1);
  int result_ = NEXT(Allgather, midrun_next[CALL_Allgather], (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm));
  END(CALL_Allgather, 1, begin_, result_, COLLECTIVE, own(sendbuf, sendcount, sendtype, recvcount, recvtype), MPI_PROC_NULL, -1, comm);
  return result_;
}
int MPI_Allgather(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm) { return midrun_passes(CALL_Allgather) ? PMPI_Allgather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm) : counted_Allgather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm); }

COUNTED int counted_Allgatherv(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, const int recvcounts[], const int displs[], MPI_Datatype recvtype, MPI_Comm comm) {
  uint64_t begin_ = BEGIN(CALL_Allgatherv, 1, 1);
  int result_ = NEXT(Allgatherv, midrun_next[CALL_Allgatherv], (sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm));
  END(CALL_Allgatherv, 1, begin_, result_, COLLECTIVE, own_v(sendbuf, sendcount, sendtype, recvcounts, recvtype, comm), MPI_PROC_NULL, -1, comm);
  return result_;
}
int MPI_Allgatherv(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, const int recvcounts[], const int displs[], MPI_Datatype recvtype, MPI_Comm comm) { return midrun_passes(CALL_Allgatherv) ? PMPI_Allgatherv(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm) : counted_Allgatherv(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm); }

COUNTED int counted_Alltoall(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm) {
  uint64_t begin_ = BEGIN(CALL_Alltoall, 1, 1);
  int result_ = NEXT(Alltoall, midrun_next[CALL_Alltoall], (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm));
  END(CALL_Alltoall, 1, begin_, result_, COLLECTIVE, own(sendbuf, sendcount, sendtype, recvcount, recvtype) * peers(comm), MPI_PROC_NULL, -1, comm);
  return result_;
}
int MPI_Alltoall(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm) { return midrun_passes(CALL_Alltoall) ? PMPI_Alltoall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm) : counted_Alltoall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm); }

COUNTED int counted_Alltoallv(const void *sendbuf, const int sendcounts[], const int sdispls[], MPI_Datatype sendtype, void *recvbuf, const int recvcounts[], const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm) {
  uint64_t begin_ = BEGIN(CALL_Alltoallv, 1, 1);
  int result_ = NEXT(Alltoallv, midrun_next[CALL_Alltoallv], (sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm));
  END(CALL_Alltoallv, 1, begin_, result_, COLLECTIVE, own_all_v(sendbuf, sendcounts, sendtype, recvcounts, recvtype, peers(comm)), MPI_PROC_NULL, -1, comm);
  return result_;
}
int MPI_Alltoallv(const void *sendbuf, const int sendcounts[], const int sdispls[], MPI_Datatype sendtype, void *recvbuf, const int recvcounts[], const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm) { return midrun_passes(CALL_Alltoallv) ? PMPI_Alltoallv(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm) : counted_Alltoallv(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm); }

COUNTED int counted_Alltoallw(const void *sendbuf, const int sendcounts[], const int sdispls[], const MPI_Datatype sendtypes[], void *recvbuf, const int recvcounts[], const int rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm) {
  uint64_t begin_ = BEGIN(CALL_Alltoallw, 1, 1);
  int result_ = NEXT(Alltoallw, midrun_next[CALL_Alltoallw], (sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm));
  END(CALL_Alltoallw, 1, begin_, result_, COLLECTIVE, own_all_w(sendbuf, sendcounts, sendtypes, recvcounts, recvtypes, peers(comm)), MPI_PROC_NULL, -1, comm);
  return result_;
}
int MPI_Alltoallw(const void *sendbuf, const int sendcounts[], const int sdispls[], const MPI_Datatype sendtypes[], void *recvbuf, const int recvcounts[], const int rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm) { return midrun_passes(CALL_Alltoallw) ? PMPI_Alltoallw(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm) : counted_Alltoallw(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm); }

COUNTED int counted_Reduce(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op, int root, MPI_Comm comm) {
  uint64_t begin_ = BEGIN(CALL_Reduce, 1, 1);
  int result_ = NEXT(Reduce, midrun_next[CALL_Reduce], (sendbuf, recvbuf, count, datatype, op, root, comm));
  END(CALL_Reduce, 1, begin_, result_, COLLECTIVE, rooted(root, count, datatype, comm), MPI_PROC_NULL, -1, comm);
  return result_;
}
int MPI_Reduce(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op, int root, MPI_Comm comm) { return midrun_passes(CALL_Reduce) ? PMPI_Reduce(sendbuf, recvbuf, count, datatype, op, root, comm) : counted_Reduce(sendbuf, recvbuf, count, datatype, op, root, comm); }

COUNTED int counted_Allreduce(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm) {
  uint64_t begin_ = BEGIN(CALL_Allreduce, 1, 1);
  int result_ = NEXT(Allreduce, midrun_next[CALL_Allreduce], (sendbuf, recvbuf, count, datatype, op, comm));
  END(CALL_Allreduce, 1, begin_, result_, COLLECTIVE, block(count, datatype), MPI_PROC_NULL, -1, comm);
  return result_;
}
int MPI_Allreduce(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm) { return midrun_passes(CALL_Allreduce) ? PMPI_Allreduce(sendbuf, recvbuf, count, datatype, op, comm) : counted_Allreduce(sendbuf, recvbuf, count, datatype, op, comm); }

COUNTED int counted_Reduce_scatter(const void *sendbuf, void *recvbuf, const int recvcounts[], MPI_Datatype datatype, MPI_Op op, MPI_Comm comm) {
  uint64_t begin_ = BEGIN(CALL_Reduce_scatter, 1, 1);
  int result_ = NEXT(Reduce_scatter, midrun_next[CALL_Reduce_scatter], (sendbuf, recvbuf, recvcounts, datatype, op, comm));
  END(CALL_Reduce_scatter, 1, begin_, result_, COLLECTIVE, all_v(recvcounts, datatype, members(comm)), MPI_PROC_NULL, -1, comm);
  return result_;
}
int MPI_Reduce_scatter(const void *sendbuf, void *recvbuf, const int recvcounts[], MPI_Datatype datatype, MPI_Op op, MPI_Comm comm) { return midrun_passes(CALL_Reduce_scatter) ? PMPI_Reduce_scatter(sendbuf, recvbuf, recvcounts, datatype, op, comm) : counted_Reduce_scatter(sendbuf, recvbuf, recvcounts, datatype, op, comm); }

COUNTED int counted_Reduce_scatter_block(const void *sendbuf, void *recvbuf, int recvcount, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm) {
  uint64_t begin_ = BEGIN(CALL_Reduce_scatter_block, 1, 1);
  int result_ = NEXT(Reduce_scatter_block, midrun_next[CALL_Reduce_scatter_block], (sendbuf, recvbuf, recvcount, datatype, op, comm));
  END(CALL_Reduce_scatter_block, 1, begin_, result_, COLLECTIVE, block(recvcount, datatype) * members(comm), MPI_PROC_NULL, -1, comm);
  return result_;
}
int MPI_Reduce_scatter_block(const void *sendbuf, void *recvbuf, int recvcount, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm) { return midrun_passes(CALL_Reduce_scatter_block) ? PMPI_Reduce_scatter_block(sendbuf, recvbuf, recvcount, datatype, op, comm) : counted_Reduce_scatter_block(sendbuf, recvbuf, recvcount, datatype, op, comm); }

COUNTED int counted_Scan(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm) {
  uint64_t begin_ = BEGIN(CALL_Scan, 1, 1);
  int result_ = NEXT(Scan, midrun_next[CALL_Scan], (sendbuf, recvbuf, count, datatype, op, comm));
  END(CALL_Scan, 1, begin_, result_, COLLECTIVE, block(count, datatype), MPI_PROC_NULL, -1, comm);
  return result_;
}
int MPI_Scan(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm) { return midrun_passes(CALL_Scan) ? PMPI_Scan(sendbuf, recvbuf, count, datatype, op, comm) : counted_Scan(sendbuf, recvbuf, count, datatype, op, comm); }

COUNTED int counted_Exscan(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm) {
  uint64_t begin_ = BEGIN(CALL_Exscan, 1, 1);
  int result_ = NEXT(Exscan, midrun_next[CALL_Exscan], (sendbuf, recvbuf, count, datatype, op, comm));
  END(CALL_Exscan, 1, begin_, result_, COLLECTIVE, block(count, datatype), MPI_PROC_NULL, -1, comm);
  return result_;
}
int MPI_Exscan(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm) { return midrun_passes(CALL_Exscan) ? PMPI_Exscan(sendbuf, recvbuf, count, datatype, op, comm) : counted_Exscan(sendbuf, recvbuf, count, datatype, op, comm); }

COUNTED int counted_Neighbor_allgather(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm) {
  uint64_t begin_ = BEGIN(CALL_Neighbor_allgather, 1, 1);
  int result_ = NEXT(Neighbor_allgather, midrun_next[CALL_Neighbor_allgather], (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm));
  END(CALL_Neighbor_allgather, 1, begin_, result_, COLLECTIVE, block(sendcount, sendtype), MPI_PROC_NULL, -1, comm);
  return result_;
}
int MPI_Neighbor_allgather(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm) { return midrun_passes(CALL_Neighbor_allgather) ? PMPI_Neighbor_allgather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm) : counted_Neighbor_allgather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm); }

COUNTED int counted_Neighbor_allgatherv(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, const int recvcounts[], const int displs[], MPI_Datatype recvtype, MPI_Comm comm) {
  uint64_t begin_ = BEGIN(CALL_Neighbor_allgatherv, 1, 1);
  int result_ = NEXT(Neighbor_allgatherv, midrun_next[CALL_Neighbor_allgatherv], (sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm));
  END(CALL_Neighbor_allgatherv, 1, begin_, result_, COLLECTIVE, block(sendcount, sendtype), MPI_PROC_NULL, -1, comm);
  return result_;
}
int MPI_Neighbor_allgatherv(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, const int recvcounts[], const int displs[], MPI_Datatype recvtype, MPI_Comm comm) { return midrun_passes(CALL_Neighbor_allgatherv) ? PMPI_Neighbor_allgatherv(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm) : counted_Neighbor_allgatherv(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm); }

COUNTED int counted_Neighbor_alltoall(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm) {
  uint64_t begin_ = BEGIN(CALL_Neighbor_alltoall, 1, 1);
  int result_ = NEXT(Neighbor_alltoall, midrun_next[CALL_Neighbor_alltoall], (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm));
  END(CALL_Neighbor_alltoall, 1, begin_, result_, COLLECTIVE, block(sendcount, sendtype) * neighbours(comm), MPI_PROC_NULL, -1, comm);
  return result_;
}
int MPI_Neighbor_alltoall(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm) { return midrun_passes(CALL_Neighbor_alltoall) ? PMPI_Neighbor_alltoall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm) : counted_Neighbor_alltoall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm); }

COUNTED int counted_Neighbor_alltoallv(const void *sendbuf, const int sendcounts[], const int sdispls[], MPI_Datatype sendtype, void *recvbuf, const int recvcounts[], const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm) {
  uint64_t begin_ = BEGIN(CALL_Neighbor_alltoallv, 1, 1);
  int result_ = NEXT(Neighbor_alltoallv, midrun_next[CALL_Neighbor_alltoallv], (sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm));
  END(CALL_Neighbor_alltoallv, 1, begin_, result_, COLLECTIVE, all_v(sendcounts, sendtype, neighbours(comm)), MPI_PROC_NULL, -1, comm);
  return result_;
}
int MPI_Neighbor_alltoallv(const void *sendbuf, const int sendcounts[], const int sdispls[], MPI_Datatype sendtype, void *recvbuf, const int recvcounts[], const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm) { return midrun_passes(CALL_Neighbor_alltoallv) ? PMPI_Neighbor_alltoallv(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm) : counted_Neighbor_alltoallv(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm); }

COUNTED int counted_Neighbor_alltoallw(const void *sendbuf, const int sendcounts[], const MPI_Aint sdispls[], const MPI_Datatype sendtypes[], void *recvbuf, const int recvcounts[], const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm) {
  uint64_t begin_ = BEGIN(CALL_Neighbor_alltoallw, 1, 1);
  int result_ = NEXT(Neighbor_alltoallw, midrun_next[CALL_Neighbor_alltoallw], (sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm));
  END(CALL_Neighbor_alltoallw, 1, begin_, result_, COLLECTIVE, all_w(sendcounts, sendtypes, neighbours(comm)), MPI_PROC_NULL, -1, comm);
  return result_;
}
int MPI_Neighbor_alltoallw(const void *sendbuf, const int sendcounts[], const MPI_Aint sdispls[], const MPI_Datatype sendtypes[], void *recvbuf, const int recvcounts[], const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm) { return midrun_passes(CALL_Neighbor_alltoallw) ? PMPI_Neighbor_alltoallw(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm) : counted_Neighbor_alltoallw(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm); }

COUNTED int counted_Ibarrier(MPI_Comm comm, MPI_Request *request) {
  uint64_t begin_ = BEGIN(CALL_Ibarrier, 0, 0);
  int result_ = NEXT(Ibarrier, midrun_next[CALL_Ibarrier], (comm, request));
  END(CALL_Ibarrier, 0, begin_, result_, COLLECTIVE, 0, MPI_PROC_NULL, -1, comm);
  return result_;
}
int MPI_Ibarrier(MPI_Comm comm, MPI_Request *request) { return midrun_passes(CALL_Ibarrier) ? PMPI_Ibarrier(comm, request) : counted_Ibarrier(comm, request); }

COUNTED int counted_Ibcast(void *buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm, MPI_Request *request) {
  uint64_t begin_ = BEGIN(CALL_Ibcast, 0, 0);
  int result_ = NEXT(Ibcast, midrun_next[CALL_Ibcast], (buffer, count, datatype, root, comm, request));
  END(CALL_Ibcast, 0, begin_, result_, COLLECTIVE, rooted(root, count, datatype, comm), MPI_PROC_NULL, -1, comm);
  return result_;
}
int MPI_Ibcast(void *buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm, MPI_Request *request) { return midrun_passes(CALL_Ibcast) ? PMPI_Ibcast(buffer, count, datatype, root, comm, request) : counted_Ibcast(buffer, count, datatype, root, comm, request); }

COUNTED int counted_Igather(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Request *request) {
  uint64_t begin_ = BEGIN(CALL_Igather, 0, 0);
  int result_ = NEXT(Igather, midrun_next[CALL_Igather], (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, request));
  END(CALL_Igather, 0, begin_, result_, COLLECTIVE, gathered(sendbuf, sendcount, sendtype, recvcount, recvtype, root, comm), MPI_PROC_NULL, -1, comm);
  return result_;
}
int MPI_Igather(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Request *request) { return midrun_passes(CALL_Igather) ? PMPI_Igather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, request) : counted_Igather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, request); }

COUNTED int counted_Igatherv(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, const int recvcounts[], const int displs[], MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Request *request) {
  uint64_t begin_ = BEGIN(CALL_Igatherv, 0, 0);
  int result_ = NEXT(Igatherv, midrun_next[CALL_Igatherv], (sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root, comm, request));
  END(CALL_Igatherv, 0, begin_, result_, COLLECTIVE, gathered_v(sendbuf, sendcount, sendtype, recvcounts, recvtype, root, comm), MPI_PROC_NULL, -1, comm);
  return result_;
}
int MPI_Igatherv(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, const int recvcounts[], const int displs[], MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Request *request) { return midrun_passes(CALL_Igatherv) ? PMPI_Igatherv(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root, comm, request) : counted_Igatherv(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root, comm, request); }

COUNTED int counted_Iscatter(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Request *request) {
  uint64_t begin_ = BEGIN(CALL_Iscatter, 0, 0);
  int result_ = NEXT(Iscatter, midrun_next[CALL_Iscatter], (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, request));
  END(CALL_Iscatter, 0, begin_, result_, COLLECTIVE, scattered(recvbuf, recvcount, recvtype, sendcount, sendtype, root, comm), MPI_PROC_NULL, -1, comm);
  return result_;
}
int MPI_Iscatter(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Request *request) { return midrun_passes(CALL_Iscatter) ? PMPI_Iscatter(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, request) : counted_Iscatter(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, request); }

COUNTED int counted_Iscatterv(const void *sendbuf, const int sendcounts[], const int displs[], MPI_Datatype sendtype, void *recvbuf, int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Request *request) {
  uint64_t begin_ = BEGIN(CALL_Iscatterv, 0, 0);
  int result_ = NEXT(Iscatterv, midrun_next[CALL_Iscatterv], (sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root, comm, request));
  END(CALL_Iscatterv, 0, begin_, result_, COLLECTIVE, scattered_v(recvbuf, recvcount, recvtype, sendcounts, sendtype, root, comm), MPI_PROC_NULL, -1, comm);
  return result_;
}
int MPI_Iscatterv(const void *sendbuf, const int sendcounts[], const int displs[], MPI_Datatype sendtype, void *recvbuf, int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Request *request) { return midrun_passes(CALL_Iscatterv) ? PMPI_Iscatterv(sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root, comm, request) : counted_Iscatterv(sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root, comm, request); }

COUNTED int counted_Iallgather(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request) {
  uint64_t begin_ = BEGIN(CALL_Iallgather, 0, 0);
  int result_ = NEXT(Iallgather, midrun_next[CALL_Iallgather], (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, request));
  END(CALL_Iallgather, 0, begin_, result_, COLLECTIVE, own(sendbuf, sendcount, sendtype, recvcount, recvtype), MPI_PROC_NULL, -1, comm);
  return result_;
}
int MPI_Iallgather(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request) { return midrun_passes(CALL_Iallgather) ? PMPI_Iallgather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, request) : counted_Iallgather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, request); }

COUNTED int counted_Iallgatherv(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, const int recvcounts[], const int displs[], MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request) {
  uint64_t begin_ = BEGIN(CALL_Iallgatherv, 0, 0);
  int result_ = NEXT(Iallgatherv, midrun_next[CALL_Iallgatherv], (sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm, request));
  END(CALL_Iallgatherv, 0, begin_, result_, COLLECTIVE, own_v(sendbuf, sendcount, sendtype, recvcounts, recvtype, comm), MPI_PROC_NULL, -1, comm);
  return result_;
}
int MPI_Iallgatherv(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, const int recvcounts[], const int displs[], MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request) { return midrun_passes(CALL_Iallgatherv) ? PMPI_Iallgatherv(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm, request) : counted_Iallgatherv(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm, request); }

COUNTED int counted_Ialltoall(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request) {
  uint64_t begin_ = BEGIN(CALL_Ialltoall, 0, 0);
  int result_ = NEXT(Ialltoall, midrun_next[CALL_Ialltoall], (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, request));
  END(CALL_Ialltoall, 0, begin_, result_, COLLECTIVE, own(sendbuf, sendcount, sendtype, recvcount, recvtype) * peers(comm), MPI_PROC_NULL, -1, comm);
  return result_;
}
int MPI_Ialltoall(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request) { return midrun_passes(CALL_Ialltoall) ? PMPI_Ialltoall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, request) : counted_Ialltoall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, request); }

COUNTED int counted_Ialltoallv(const void *sendbuf, const int sendcounts[], const int sdispls[], MPI_Datatype sendtype, void *recvbuf, const int recvcounts[], const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request) {
  uint64_t begin_ = BEGIN(CALL_Ialltoallv, 0, 0);
  int result_ = NEXT(Ialltoallv, midrun_next[CALL_Ialltoallv], (sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm, request));
  END(CALL_Ialltoallv, 0, begin_, result_, COLLECTIVE, own_all_v(sendbuf, sendcounts, sendtype, recvcounts, recvtype, peers(comm)), MPI_PROC_NULL, -1, comm);
  return result_;
}
int MPI_Ialltoallv(const void *sendbuf, const int sendcounts[], const int sdispls[], MPI_Datatype sendtype, void *recvbuf, const int recvcounts[], const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request) { return midrun_passes(CALL_Ialltoallv) ? PMPI_Ialltoallv(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm, request) : counted_Ialltoallv(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm, request); }

COUNTED int counted_Ialltoallw(const void *sendbuf, const int sendcounts[], const int sdispls[], const MPI_Datatype sendtypes[], void *recvbuf, const int recvcounts[], const int rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm, MPI_Request *request) {
  uint64_t begin_ = BEGIN(CALL_Ialltoallw, 0, 0);
  int result_ = NEXT(Ialltoallw, midrun_next[CALL_Ialltoallw], (sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm, request));
  END(CALL_Ialltoallw, 0, begin_, result_, COLLECTIVE, own_all_w(sendbuf, sendcounts, sendtypes, recvcounts, recvtypes, peers(comm)), MPI_PROC_NULL, -1, comm);
  return result_;
}
int MPI_Ialltoallw(const void *sendbuf, const int sendcounts[], const int sdispls[], const MPI_Datatype sendtypes[], void *recvbuf, const int recvcounts[], const int rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm, MPI_Request *request) { return midrun_passes(CALL_Ialltoallw) ? PMPI_Ialltoallw(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm, request) : counted_Ialltoallw(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm, request); }

COUNTED int counted_Ireduce(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op, int root, MPI_Comm comm, MPI_Request *request) {
  uint64_t begin_ = BEGIN(CALL_Ireduce, 0, 0);
  int result_ = NEXT(Ireduce, midrun_next[CALL_Ireduce], (sendbuf, recvbuf, count, datatype, op, root, comm, request));
  END(CALL_Ireduce, 0, begin_, result_, COLLECTIVE, rooted(root, count, datatype, comm), MPI_PROC_NULL, -1, comm);
  return result_;
}
int MPI_Ireduce(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op, int root, MPI_Comm comm, MPI_Request *request) { return midrun_passes(CALL_Ireduce) ? PMPI_Ireduce(sendbuf, recvbuf, count, datatype, op, root, comm, request) : counted_Ireduce(sendbuf, recvbuf, count, datatype, op, root, comm, request); }

COUNTED int counted_Iallreduce(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Request *request) {
  uint64_t begin_ = BEGIN(CALL_Iallreduce, 0, 0);
  int result_ = NEXT(Iallreduce, midrun_next[CALL_Iallreduce], (sendbuf, recvbuf, count, datatype, op, comm, request));
  END(CALL_Iallreduce, 0, begin_, result_, COLLECTIVE, block(count, datatype), MPI_PROC_NULL, -1, comm);
  return result_;
}
int MPI_Iallreduce(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Request *request) { return midrun_passes(CALL_Iallreduce) ? PMPI_Iallreduce(sendbuf, recvbuf, count, datatype, op, comm, request) : counted_Iallreduce(sendbuf, recvbuf, count, datatype, op, comm, request); }

COUNTED int counted_Ireduce_scatter(const void *sendbuf, void *recvbuf, const int recvcounts[], MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Request *request) {
  uint64_t begin_ = BEGIN(CALL_Ireduce_scatter, 0, 0);
  int result_ = NEXT(Ireduce_scatter, midrun_next[CALL_Ireduce_scatter], (sendbuf, recvbuf, recvcounts, datatype, op, comm, request));
  END(CALL_Ireduce_scatter, 0, begin_, result_, COLLECTIVE, all_v(recvcounts, datatype, members(comm)), MPI_PROC_NULL, -1, comm);
  return result_;
}
int MPI_Ireduce_scatter(const void *sendbuf, void *recvbuf, const int recvcounts[], MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Request *request) { return midrun_passes(CALL_Ireduce_scatter) ? PMPI_Ireduce_scatter(sendbuf, recvbuf, recvcounts, datatype, op, comm, request) : counted_Ireduce_scatter(sendbuf, recvbuf, recvcounts, datatype, op, comm, request); }

COUNTED int counted_Ireduce_scatter_block(const void *sendbuf, void *recvbuf, int recvcount, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Request *request) {
  uint64_t begin_ = BEGIN(CALL_Ireduce_scatter_block, 0, 0);
  int result_ = NEXT(Ireduce_scatter_block, midrun_next[CALL_Ireduce_scatter_block], (sendbuf, recvbuf, recvcount, datatype, op, comm, request));
  END(CALL_Ireduce_scatter_block, 0, begin_, result_, COLLECTIVE, block(recvcount, datatype) * members(comm), MPI_PROC_NULL, -1, comm);
  return result_;
}
int MPI_Ireduce_scatter_block(const void *sendbuf, void *recvbuf, int recvcount, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Request *request) { return midrun_passes(CALL_Ireduce_scatter_block) ? PMPI_Ireduce_scatter_block(sendbuf, recvbuf, recvcount, datatype, op, comm, request) : counted_Ireduce_scatter_block(sendbuf, recvbuf, recvcount, datatype, op, comm, request); }

COUNTED int counted_Iscan(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Request *request) {
  uint64_t begin_ = BEGIN(CALL_Iscan, 0, 0);
  int result_ = NEXT(Iscan, midrun_next[CALL_Iscan], (sendbuf, recvbuf, count, datatype, op, comm, request));
  END(CALL_Iscan, 0, begin_, result_, COLLECTIVE, block(count, datatype), MPI_PROC_NULL, -1, comm);
  return result_;
}
int MPI_Iscan(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Request *request) { return midrun_passes(CALL_Iscan) ? PMPI_Iscan(sendbuf, recvbuf, count, datatype, op, comm, request) : counted_Iscan(sendbuf, recvbuf, count, datatype, op, comm, request); }

COUNTED int counted_Iexscan(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Request *request) {
  uint64_t begin_ = BEGIN(CALL_Iexscan, 0, 0);
  int result_ = NEXT(Iexscan, midrun_next[CALL_Iexscan], (sendbuf, recvbuf, count, datatype, op, comm, request));
  END(CALL_Iexscan, 0, begin_, result_, COLLECTIVE, block(count, datatype), MPI_PROC_NULL, -1, comm);
  return result_;
}
int MPI_Iexscan(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Request *request) { return midrun_passes(CALL_Iexscan) ? PMPI_Iexscan(sendbuf, recvbuf, count, datatype, op, comm, request) : counted_Iexscan(sendbuf, recvbuf, count, datatype, op, comm, request); }

COUNTED int counted_Ineighbor_allgather(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request) {
  uint64_t begin_ = BEGIN(CALL_Ineighbor_allgather, 0, 0);
  int result_ = NEXT(Ineighbor_allgather, midrun_next[CALL_Ineighbor_allgather], (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, request));
  END(CALL_Ineighbor_allgather, 0, begin_, result_, COLLECTIVE, block(sendcount, sendtype), MPI_PROC_NULL, -1, comm);
  return result_;
}
int MPI_Ineighbor_allgather(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request) { return midrun_passes(CALL_Ineighbor_allgather) ? PMPI_Ineighbor_allgather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, request) : counted_Ineighbor_allgather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, request); }

COUNTED int counted_Ineighbor_allgatherv(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, const int recvcounts[], const int displs[], MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request) {
  uint64_t begin_ = BEGIN(CALL_Ineighbor_allgatherv, 0, 0);
  int result_ = NEXT(Ineighbor_allgatherv, midrun_next[CALL_Ineighbor_allgatherv], (sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm, request));
  END(CALL_Ineighbor_allgatherv, 0, begin_, result_, COLLECTIVE, block(sendcount, sendtype), MPI_PROC_NULL, -1, comm);
  return result_;
}
int MPI_Ineighbor_allgatherv(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, const int recvcounts[], const int displs[], MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request) { return midrun_passes(CALL_Ineighbor_allgatherv) ? PMPI_Ineighbor_allgatherv(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm, request) : counted_Ineighbor_allgatherv(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm, request); }

COUNTED int counted_Ineighbor_alltoall(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request) {
  uint64_t begin_ = BEGIN(CALL_Ineighbor_alltoall, 0, 0);
  int result_ = NEXT(Ineighbor_alltoall, midrun_next[CALL_Ineighbor_alltoall], (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, request));
  END(CALL_Ineighbor_alltoall, 0, begin_, result_, COLLECTIVE, block(sendcount, sendtype) * neighbours(comm), MPI_PROC_NULL, -1, comm);
  return result_;
}
int MPI_Ineighbor_alltoall(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request) { return midrun_passes(CALL_Ineighbor_alltoall) ? PMPI_Ineighbor_alltoall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, request) : counted_Ineighbor_alltoall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, request); }

COUNTED int counted_Ineighbor_alltoallv(const void *sendbuf, const int sendcounts[], const int sdispls[], MPI_Datatype sendtype, void *recvbuf, const int recvcounts[], const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request) {
  uint64_t begin_ = BEGIN(CALL_Ineighbor_alltoallv, 0, 0);
  int result_ = NEXT(Ineighbor_alltoallv, midrun_next[CALL_Ineighbor_alltoallv], (sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm, request));
  END(CALL_Ineighbor_alltoallv, 0, begin_, result_, COLLECTIVE, all_v(sendcounts, sendtype, neighbours(comm)), MPI_PROC_NULL, -1, comm);
  return result_;
}
int MPI_Ineighbor_alltoallv(const void *sendbuf, const int sendcounts[], const int sdispls[], MPI_Datatype sendtype, void *recvbuf, const int recvcounts[], const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request) { return midrun_passes(CALL_Ineighbor_alltoallv) ? PMPI_Ineighbor_alltoallv(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm, request) : counted_Ineighbor_alltoallv(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm, request); }

COUNTED int counted_Ineighbor_alltoallw(const void *sendbuf, const int sendcounts[], const MPI_Aint sdispls[], const MPI_Datatype sendtypes[], void *recvbuf, const int recvcounts[], const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm, MPI_Request *request) {
  uint64_t begin_ = BEGIN(CALL_Ineighbor_alltoallw, 0, 0);
  int result_ = NEXT(Ineighbor_alltoallw, midrun_next[CALL_Ineighbor_alltoallw], (sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm, request));
  END(CALL_Ineighbor_alltoallw, 0, begin_, result_, COLLECTIVE, all_w(sendcounts, sendtypes, neighbours(comm)), MPI_PROC_NULL, -1, comm);
  return result_;
}
int MPI_Ineighbor_alltoallw(const void *sendbuf, const int sendcounts[], const MPI_Aint sdispls[], const MPI_Datatype sendtypes[], void *recvbuf, const int recvcounts[], const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm, MPI_Request *request) { return midrun_passes(CALL_Ineighbor_alltoallw) ? PMPI_Ineighbor_alltoallw(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm, request) : counted_Ineighbor_alltoallw(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm, request); }

#if MPI_VERSION >= 4
COUNTED int counted_Barrier_init(MPI_Comm comm, MPI_Info info, MPI_Request *request) {
  uint64_t begin_ = BEGIN(CALL_Barrier_init, 0, 0);
  int result_ = NEXT(Barrier_init, midrun_next[CALL_Barrier_init], (comm, info, request));
  END(CALL_Barrier_init, 0, begin_, result_, COLLECTIVE, 0, MPI_PROC_NULL, -1, comm);
  return result_;
}
int MPI_Barrier_init(MPI_Comm comm, MPI_Info info, MPI_Request *request) { return midrun_passes(CALL_Barrier_init) ? PMPI_Barrier_init(comm, info, request) : counted_Barrier_init(comm, info, request); }
#endif

#if MPI_VERSION >= 4
COUNTED int counted_Bcast_init(void *buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm, MPI_Info info, MPI_Request *request) {
  uint64_t begin_ = BEGIN(CALL_Bcast_init, 0, 0);
  int result_ = NEXT(Bcast_init, midrun_next[CALL_Bcast_init], (buffer, count, datatype, root, comm, info, request));
  END(CALL_Bcast_init, 0, begin_, result_, COLLECTIVE, rooted(root, count, datatype, comm), MPI_PROC_NULL, -1, comm);
  return result_;
}
int MPI_Bcast_init(void *buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm, MPI_Info info, MPI_Request *request) { return midrun_passes(CALL_Bcast_init) ? PMPI_Bcast_init(buffer, count, datatype, root, comm, info, request) : counted_Bcast_init(buffer, count, datatype, root, comm, info, request); }
#endif

#if MPI_VERSION >= 4
COUNTED int counted_Gather_init(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Info info, MPI_Request *request) {
  uint64_t begin_ = BEGIN(CALL_Gather_init, 0, 0);
  int result_ = NEXT(Gather_init, midrun_next[CALL_Gather_init], (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, info, request));
  END(CALL_Gather_init, 0, begin_, result_, COLLECTIVE, gathered(sendbuf, sendcount, sendtype, recvcount, recvtype, root, comm), MPI_PROC_NULL, -1, comm);
  return result_;
}
int MPI_Gather_init(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Info info, MPI_Request *request) { return midrun_passes(CALL_Gather_init) ? PMPI_Gather_init(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, info, request) : counted_Gather_init(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, info, request); }
#endif

#if MPI_VERSION >= 4
COUNTED int counted_Gatherv_init(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, const int recvcounts[], const int displs[], MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Info info, MPI_Request *request) {
  uint64_t begin_ = BEGIN(CALL_Gatherv_init, 0, 0);
  int result_ = NEXT(Gatherv_init, midrun_next[CALL_Gatherv_init], (sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root, comm, info, request));
  END(CALL_Gatherv_init, 0, begin_, result_, COLLECTIVE, gathered_v(sendbuf, sendcount, sendtype, recvcounts, recvtype, root, comm), MPI_PROC_NULL, -1, comm);
  return result_;
}
int MPI_Gatherv_init(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, const int recvcounts[], const int displs[], MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Info info, MPI_Request *request) { return midrun_passes(CALL_Gatherv_init) ? PMPI_Gatherv_init(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root, comm, info, request) : counted_Gatherv_init(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root, comm, info, request); }
#endif

#if MPI_VERSION >= 4
COUNTED int counted_Scatter_init(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Info info, MPI_Request *request) {
  uint64_t begin_ = BEGIN(CALL_Scatter_init, 0, 0);
  int result_ = NEXT(Scatter_init, midrun_next[CALL_Scatter_init], (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, info, request));
  END(CALL_Scatter_init, 0, begin_, result_, COLLECTIVE, scattered(recvbuf, recvcount, recvtype, sendcount, sendtype, root, comm), MPI_PROC_NULL, -1, comm);
  return result_;
}
int MPI_Scatter_init(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Info info, MPI_Request *request) { return midrun_passes(CALL_Scatter_init) ? PMPI_Scatter_init(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, info, request) : counted_Scatter_init(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, info, request); }
#endif

#if MPI_VERSION >= 4
COUNTED int counted_Scatterv_init(const void *sendbuf, const int sendcounts[], const int displs[], MPI_Datatype sendtype, void *recvbuf, int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Info info, MPI_Request *request) {
  uint64_t begin_ = BEGIN(CALL_Scatterv_init, 0, 0);
  int result_ = NEXT(Scatterv_init, midrun_next[CALL_Scatterv_init], (sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root, comm, info, request));
  END(CALL_Scatterv_init, 0, begin_, result_, COLLECTIVE, scattered_v(recvbuf, recvcount, recvtype, sendcounts, sendtype, root, comm), MPI_PROC_NULL, -1, comm);
  return result_;
}
int MPI_Scatterv_init(const void *sendbuf, const int sendcounts[], const int displs[], MPI_Datatype sendtype, void *recvbuf, int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Info info, MPI_Request *request) { return midrun_passes(CALL_Scatterv_init) ? PMPI_Scatterv_init(sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root, comm, info, request) : counted_Scatterv_init(sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root, comm, info, request); }
#endif

#if MPI_VERSION >= 4
COUNTED int counted_Allgather_init(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info, MPI_Request *request) {
  uint64_t begin_ = BEGIN(CALL_Allgather_init, 0, 0);
  int result_ = NEXT(Allgather_init, midrun_next[CALL_Allgather_init], (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, info, request));
  END(CALL_Allgather_init, 0, begin_, result_, COLLECTIVE, own(sendbuf, sendcount, sendtype, recvcount, recvtype), MPI_PROC_NULL, -1, comm);
  return result_;
}
int MPI_Allgather_init(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info, MPI_Request *request) { return midrun_passes(CALL_Allgather_init) ? PMPI_Allgather_init(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, info, request) : counted_Allgather_init(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, info, request); }
#endif

#if MPI_VERSION >= 4
COUNTED int counted_Allgatherv_init(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, const int recvcounts[], const int displs[], MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info, MPI_Request *request) {
  uint64_t begin_ = BEGIN(CALL_Allgatherv_init, 0, 0);
  int result_ = NEXT(Allgatherv_init, midrun_next[CALL_Allgatherv_init], (sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm, info, request));
  END(CALL_Allgatherv_init, 0, begin_, result_, COLLECTIVE, own_v(sendbuf, sendcount, sendtype, recvcounts, recvtype, comm), MPI_PROC_NULL, -1, comm);
  return result_;
}
int MPI_Allgatherv_init(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, const int recvcounts[], const int displs[], MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info, MPI_Request *request) { return midrun_passes(CALL_Allgatherv_init) ? PMPI_Allgatherv_init(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm, info, request) : counted_Allgatherv_init(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm, info, request); }
#endif

#if MPI_VERSION >= 4
COUNTED int counted_Alltoall_init(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info, MPI_Request *request) {
  uint64_t begin_ = BEGIN(CALL_Alltoall_init, 0, 0);
  int result_ = NEXT(Alltoall_init, midrun_next[CALL_Alltoall_init], (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, info, request));
  END(CALL_Alltoall_init, 0, begin_, result_, COLLECTIVE, own(sendbuf, sendcount, sendtype, recvcount, recvtype) * peers(comm), MPI_PROC_NULL, -1, comm);
  return result_;
}
int MPI_Alltoall_init(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info, MPI_Request *request) { return midrun_passes(CALL_Alltoall_init) ? PMPI_Alltoall_init(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, info, request) : counted_Alltoall_init(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, info, request); }
#endif

#if MPI_VERSION >= 4
COUNTED int counted_Alltoallv_init(const void *sendbuf, const int sendcounts[], const int sdispls[], MPI_Datatype sendtype, void *recvbuf, const int recvcounts[], const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info, MPI_Request *request) {
  uint64_t begin_ = BEGIN(CALL_Alltoallv_init, 0, 0);
  int result_ = NEXT(Alltoallv_init, midrun_next[CALL_Alltoallv_init], (sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm, info, request));
  END(CALL_Alltoallv_init, 0, begin_, result_, COLLECTIVE, own_all_v(sendbuf, sendcounts, sendtype, recvcounts, recvtype, peers(comm)), MPI_PROC_NULL, -1, comm);
  return result_;
}
int MPI_Alltoallv_init(const void *sendbuf, const int sendcounts[], const int sdispls[], MPI_Datatype sendtype, void *recvbuf, const int recvcounts[], const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info, MPI_Request *request) { return midrun_passes(CALL_Alltoallv_init) ? PMPI_Alltoallv_init(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm, info, request) : counted_Alltoallv_init(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm, info, request); }
#endif

#if MPI_VERSION >= 4
COUNTED int counted_Alltoallw_init(const void *sendbuf, const int sendcounts[], const int sdispls[], const MPI_Datatype sendtypes[], void *recvbuf, const int recvcounts[], const int rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm, MPI_Info info, MPI_Request *request) {
  uint64_t begin_ = BEGIN(CALL_Alltoallw_init, 0, 0);
  int result_ = NEXT(Alltoallw_init, midrun_next[CALL_Alltoallw_init], (sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm, info, request));
  END(CALL_Alltoallw_init, 0, begin_, result_, COLLECTIVE, own_all_w(sendbuf, sendcounts, sendtypes, recvcounts, recvtypes, peers(comm)), MPI_PROC_NULL, -1, comm);
  return result_;
}
int MPI_Alltoallw_init(const void *sendbuf, const int sendcounts[], const int sdispls[], const MPI_Datatype sendtypes[], void *recvbuf, const int recvcounts[], const int rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm, MPI_Info info, MPI_Request *request) { return midrun_passes(CALL_Alltoallw_init) ? PMPI_Alltoallw_init(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm, info, request) : counted_Alltoallw_init(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm, info, request); }
#endif

#if MPI_VERSION >= 4
COUNTED int counted_Reduce_init(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op, int root, MPI_Comm comm, MPI_Info info, MPI_Request *request) {
  uint64_t begin_ = BEGIN(CALL_Reduce_init, 0, 0);
  int result_ = NEXT(Reduce_init, midrun_next[CALL_Reduce_init], (sendbuf, recvbuf, count, datatype, op, root, comm, info, request));
  END(CALL_Reduce_init, 0, begin_, result_, COLLECTIVE, rooted(root, count, datatype, comm), MPI_PROC_NULL, -1, comm);
  return result_;
}
int MPI_Reduce_init(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op, int root, MPI_Comm comm, MPI_Info info, MPI_Request *request) { return midrun_passes(CALL_Reduce_init) ? PMPI_Reduce_init(sendbuf, recvbuf, count, datatype, op, root, comm, info, request) : counted_Reduce_init(sendbuf, recvbuf, count, datatype, op, root, comm, info, request); }
#endif

#if MPI_VERSION >= 4
COUNTED int counted_Allreduce_init(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Info info, MPI_Request *request) {
  uint64_t begin_ = BEGIN(CALL_Allreduce_init, 0, 0);
  int result_ = NEXT(Allreduce_init, midrun_next[CALL_Allreduce_init], (sendbuf, recvbuf, count, datatype, op, comm, info, request));
  END(CALL_Allreduce_init, 0, begin_, result_, COLLECTIVE, block(count, datatype), MPI_PROC_NULL, -1, comm);
  return result_;
}
int MPI_Allreduce_init(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Info info, MPI_Request *request) { return midrun_passes(CALL_Allreduce_init) ? PMPI_Allreduce_init(sendbuf, recvbuf, count, datatype, op, comm, info, request) : counted_Allreduce_init(sendbuf, recvbuf, count, datatype, op, comm, info, request); }
#endif

#if MPI_VERSION >= 4
COUNTED int counted_Reduce_scatter_init(const void *sendbuf, void *recvbuf, const int recvcounts[], MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Info info, MPI_Request *request) {
  uint64_t begin_ = BEGIN(CALL_Reduce_scatter_init, 0, 0);
  int result_ = NEXT(Reduce_scatter_init, midrun_next[CALL_Reduce_scatter_init], (sendbuf, recvbuf, recvcounts, datatype, op, comm, info, request));
  END(CALL_Reduce_scatter_init, 0, begin_, result_, COLLECTIVE, all_v(recvcounts, datatype, members(comm)), MPI_PROC_NULL, -1, comm);
  return result_;
}
int MPI_Reduce_scatter_init(const void *sendbuf, void *recvbuf, const int recvcounts[], MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Info info, MPI_Request *request) { return midrun_passes(CALL_Reduce_scatter_init) ? PMPI_Reduce_scatter_init(sendbuf, recvbuf, recvcounts, datatype, op, comm, info, request) : counted_Reduce_scatter_init(sendbuf, recvbuf, recvcounts, datatype, op, comm, info, request); }
#endif

#if MPI_VERSION >= 4
COUNTED int counted_Reduce_scatter_block_init(const void *sendbuf, void *recvbuf, int recvcount, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Info info, MPI_Request *request) {
  uint64_t begin_ = BEGIN(CALL_Reduce_scatter_block_init, 0, 0);
  int result_ = NEXT(Reduce_scatter_block_init, midrun_next[CALL_Reduce_scatter_block_init], (sendbuf, recvbuf, recvcount, datatype, op, comm, info, request));
  END(CALL_Reduce_scatter_block_init, 0, begin_, result_, COLLECTIVE, block(recvcount, datatype) * members(comm), MPI_PROC_NULL, -1, comm);
  return result_;
}
int MPI_Reduce_scatter_block_init(const void *sendbuf, void *recvbuf, int recvcount, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Info info, MPI_Request *request) { return midrun_passes(CALL_Reduce_scatter_block_init) ? PMPI_Reduce_scatter_block_init(sendbuf, recvbuf, recvcount, datatype, op, comm, info, request) : counted_Reduce_scatter_block_init(sendbuf, recvbuf, recvcount, datatype, op, comm, info, request); }
#endif

#if MPI_VERSION >= 4
COUNTED int counted_Scan_init(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Info info, MPI_Request *request) {
  uint64_t begin_ = BEGIN(CALL_Scan_init, 0, 0);
  int result_ = NEXT(Scan_init, midrun_next[CALL_Scan_init], (sendbuf, recvbuf, count, datatype, op, comm, info, request));
  END(CALL_Scan_init, 0, begin_, result_, COLLECTIVE, block(count, datatype), MPI_PROC_NULL, -1, comm);
  return result_;
}
int MPI_Scan_init(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Info info, MPI_Request *request) { return midrun_passes(CALL_Scan_init) ? PMPI_Scan_init(sendbuf, recvbuf, count, datatype, op, comm, info, request) : counted_Scan_init(sendbuf, recvbuf, count, datatype, op, comm, info, request); }
#endif

#if MPI_VERSION >= 4
COUNTED int counted_Exscan_init(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Info info, MPI_Request *request) {
  uint64_t begin_ = BEGIN(CALL_Exscan_init, 0, 0);
  int result_ = NEXT(Exscan_init, midrun_next[CALL_Exscan_init], (sendbuf, recvbuf, count, datatype, op, comm, info, request));
  END(CALL_Exscan_init, 0, begin_, result_, COLLECTIVE, block(count, datatype), MPI_PROC_NULL, -1, comm);
  return result_;
}
int MPI_Exscan_init(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Info info, MPI_Request *request) { return midrun_passes(CALL_Exscan_init) ? PMPI_Exscan_init(sendbuf, recvbuf, count, datatype, op, comm, info, request) : counted_Exscan_init(sendbuf, recvbuf, count, datatype, op, comm, info, request); }
#endif

#if MPI_VERSION >= 4
COUNTED int counted_Neighbor_allgather_init(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info, MPI_Request *request) {
  uint64_t begin_ = BEGIN(CALL_Neighbor_allgather_init, 0, 0);
  int result_ = NEXT(Neighbor_allgather_init, midrun_next[CALL_Neighbor_allgather_init], (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, info, request));
  END(CALL_Neighbor_allgather_init, 0, begin_, result_, COLLECTIVE, block(sendcount, sendtype), MPI_PROC_NULL, -1, comm);
  return result_;
}
int MPI_Neighbor_allgather_init(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info, MPI_Request *request) { return midrun_passes(CALL_Neighbor_allgather_init) ? PMPI_Neighbor_allgather_init(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, info, request) : counted_Neighbor_allgather_init(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, info, request); }
#endif

#if MPI_VERSION >= 4
COUNTED int counted_Neighbor_allgatherv_init(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, const int recvcounts[], const int displs[], MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info, MPI_Request *request) {
  uint64_t begin_ = BEGIN(CALL_Neighbor_allgatherv_init, 0, 0);
  int result_ = NEXT(Neighbor_allgatherv_init, midrun_next[CALL_Neighbor_allgatherv_init], (sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm, info, request));
  END(CALL_Neighbor_allgatherv_init, 0, begin_, result_, COLLECTIVE, block(sendcount, sendtype), MPI_PROC_NULL, -1, comm);
  return result_;
}
int MPI_Neighbor_allgatherv_init(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, const int recvcounts[], const int displs[], MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info, MPI_Request *request) { return midrun_passes(CALL_Neighbor_allgatherv_init) ? PMPI_Neighbor_allgatherv_init(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm, info, request) : counted_Neighbor_allgatherv_init(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm, info, request); }
#endif

#if MPI_VERSION >= 4
COUNTED int counted_Neighbor_alltoall_init(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info, MPI_Request *request) {
  uint64_t begin_ = BEGIN(CALL_Neighbor_alltoall_init, 0, 0);
  int result_ = NEXT(Neighbor_alltoall_init, midrun_next[CALL_Neighbor_alltoall_init], (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, info, request));
  END(CALL_Neighbor_alltoall_init, 0, begin_, result_, COLLECTIVE, block(sendcount, sendtype) * neighbours(comm), MPI_PROC_NULL, -1, comm);
  return result_;
}
int MPI_Neighbor_alltoall_init(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info, MPI_Request *request) { return midrun_passes(CALL_Neighbor_alltoall_init) ? PMPI_Neighbor_alltoall_init(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, info, request) : counted_Neighbor_alltoall_init(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, info, request); }
#endif

#if MPI_VERSION >= 4
COUNTED int counted_Neighbor_alltoallv_init(const void *sendbuf, const int sendcounts[], const int sdispls[], MPI_Datatype sendtype, void *recvbuf, const int recvcounts[], const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info, MPI_Request *request) {
  uint64_t begin_ = BEGIN(CALL_Neighbor_alltoallv_init, 0, 0);
  int result_ = NEXT(Neighbor_alltoallv_init, midrun_next[CALL_Neighbor_alltoallv_init], (sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm, info, request));
  END(CALL_Neighbor_alltoallv_init, 0, begin_, result_, COLLECTIVE, all_v(sendcounts, sendtype, neighbours(comm)), MPI_PROC_NULL, -1, comm);
  return result_;
}
int MPI_Neighbor_alltoallv_init(const void *sendbuf, const int sendcounts[], const int sdispls[], MPI_Datatype sendtype, void *recvbuf, const int recvcounts[], const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info, MPI_Request *request) { return midrun_passes(CALL_Neighbor_alltoallv_init) ? PMPI_Neighbor_alltoallv_init(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm, info, request) : counted_Neighbor_alltoallv_init(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm, info, request); }
#endif

#if MPI_VERSION >= 4
COUNTED int counted_Neighbor_alltoallw_init(const void *sendbuf, const int sendcounts[], const MPI_Aint sdispls[], const MPI_Datatype sendtypes[], void *recvbuf, const int recvcounts[], const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm, MPI_Info info, MPI_Request *request) {
  uint64_t begin_ = BEGIN(CALL_Neighbor_alltoallw_init, 0, 0);
  int result_ = NEXT(Neighbor_alltoallw_init, midrun_next[CALL_Neighbor_alltoallw_init], (sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm, info, request));
  END(CALL_Neighbor_alltoallw_init, 0, begin_, result_, COLLECTIVE, all_w(sendcounts, sendtypes, neighbours(comm)), MPI_PROC_NULL, -1, comm);
  return result_;
}
int MPI_Neighbor_alltoallw_init(const void *sendbuf, const int sendcounts[], const MPI_Aint sdispls[], const MPI_Datatype sendtypes[], void *recvbuf, const int recvcounts[], const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm, MPI_Info info, MPI_Request *request) { return midrun_passes(CALL_Neighbor_alltoallw_init) ? PMPI_Neighbor_alltoallw_init(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm, info, request) : counted_Neighbor_alltoallw_init(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm, info, request); }
#endif

COUNTED int counted_Reduce_local(const void *inbuf, void *inoutbuf, int count, MPI_Datatype datatype, MPI_Op op) {
  uint64_t begin_ = BEGIN(CALL_Reduce_local, 0, 0);
  int result_ = NEXT(Reduce_local, midrun_next[CALL_Reduce_local], (inbuf, inoutbuf, count, datatype, op));
  END(CALL_Reduce_local, 0, begin_, result_, LOCAL, 0, MPI_PROC_NULL, -1, MPI_COMM_NULL);
  return result_;
}
int MPI_Reduce_local(const void *inbuf, void *inoutbuf, int count, MPI_Datatype datatype, MPI_Op op) { return midrun_passes(CALL_Reduce_local) ? PMPI_Reduce_local(inbuf, inoutbuf, count, datatype, op) : counted_Reduce_local(inbuf, inoutbuf, count, datatype, op); }

COUNTED int counted_Comm_size(MPI_Comm comm, int *size) {
  uint64_t begin_ = BEGIN(CALL_Comm_size, 0, 0);
  int result_ = NEXT(Comm_size, midrun_next[CALL_Comm_size], (comm, size));
  END(CALL_Comm_size, 0, begin_, result_, LOCAL, 0, MPI_PROC_NULL, -1, comm);
  return result_;
}
int MPI_Comm_size(MPI_Comm comm, int *size) { return midrun_passes(CALL_Comm_size) ? PMPI_Comm_size(comm, size) : counted_Comm_size(comm, size); }

COUNTED int counted_Comm_rank(MPI_Comm comm, int *rank) {
  uint64_t begin_ = BEGIN(CALL_Comm_rank, 0, 0);
  int result_ = NEXT(Comm_rank, midrun_next[CALL_Comm_rank], (comm, rank));
  END(CALL_Comm_rank, 0, begin_, result_, LOCAL, 0, MPI_PROC_NULL, -1, comm);
  return result_;
}
int MPI_Comm_rank(MPI_Comm comm, int *rank) { return midrun_passes(CALL_Comm_rank) ? PMPI_Comm_rank(comm, rank) : counted_Comm_rank(comm, rank); }

COUNTED int counted_Comm_compare(MPI_Comm comm1, MPI_Comm comm2, int *result) {
  uint64_t begin_ = BEGIN(CALL_Comm_compare, 0, 0);
  int result_ = NEXT(Comm_compare, midrun_next[CALL_Comm_compare], (comm1, comm2, result));
  END(CALL_Comm_compare, 0, begin_, result_, LOCAL, 0, MPI_PROC_NULL, -1, MPI_COMM_NULL);
  return result_;
}
int MPI_Comm_compare(MPI_Comm comm1, MPI_Comm comm2, int *result) { return midrun_passes(CALL_Comm_compare) ? PMPI_Comm_compare(comm1, comm2, result) : counted_Comm_compare(comm1, comm2, result); }

COUNTED int counted_Comm_group(MPI_Comm comm, MPI_Group *group) {
  uint64_t begin_ = BEGIN(CALL_Comm_group, 0, 0);
  int result_ = NEXT(Comm_group, midrun_next[CALL_Comm_group], (comm, group));
  END(CALL_Comm_group, 0, begin_, result_, LOCAL, 0, MPI_PROC_NULL, -1, comm);
  return result_;
}
int MPI_Comm_group(MPI_Comm comm, MPI_Group *group) { return midrun_passes(CALL_Comm_group) ? PMPI_Comm_group(comm, group) : counted_Comm_group(comm, group); }

COUNTED int counted_Comm_remote_size(MPI_Comm comm, int *size) {
  uint64_t begin_ = BEGIN(CALL_Comm_remote_size, 0, 0);
  int result_ = NEXT(Comm_remote_size, midrun_next[CALL_Comm_remote_size], (comm, size));
  END(CALL_Comm_remote_size, 0, begin_, result_, LOCAL, 0, MPI_PROC_NULL, -1, comm);
  return result_;
}
int MPI_Comm_remote_size(MPI_Comm comm, int *size) { return midrun_passes(CALL_Comm_remote_size) ? PMPI_Comm_remote_size(comm, size) : counted_Comm_remote_size(comm, size); }

COUNTED int counted_Comm_remote_group(MPI_Comm comm, MPI_Group *group) {
  uint64_t begin_ = BEGIN(CALL_Comm_remote_group, 0, 0);
  int result_ = NEXT(Comm_remote_group, midrun_next[CALL_Comm_remote_group], (comm, group));
  END(CALL_Comm_remote_group, 0, begin_, result_, LOCAL, 0, MPI_PROC_NULL, -1, comm);
  return result_;
}
int MPI_Comm_remote_group(MPI_Comm comm, MPI_Group *group) { return midrun_passes(CALL_Comm_remote_group) ? PMPI_Comm_remote_group(comm, group) : counted_Comm_remote_group(comm, group); }

COUNTED int counted_Comm_test_inter(MPI_Comm comm, int *flag) {
  uint64_t begin_ = BEGIN(CALL_Comm_test_inter, 0, 0);
  int result_ = NEXT(Comm_test_inter, midrun_next[CALL_Comm_test_inter], (comm, flag));
  END(CALL_Comm_test_inter, 0, begin_, result_, LOCAL, 0, MPI_PROC_NULL, -1, comm);
  return result_;
}
int MPI_Comm_test_inter(MPI_Comm comm, int *flag) { return midrun_passes(CALL_Comm_test_inter) ? PMPI_Comm_test_inter(comm, flag) : counted_Comm_test_inter(comm, flag); }

COUNTED int counted_Comm_get_parent(MPI_Comm *parent) {
  uint64_t begin_ = BEGIN(CALL_Comm_get_parent, 0, 0);
  int result_ = NEXT(Comm_get_parent, midrun_next[CALL_Comm_get_parent], (parent));
  END(CALL_Comm_get_parent, 0, begin_, result_, LOCAL, 0, MPI_PROC_NULL, -1, MPI_COMM_NULL);
  return result_;
}
int MPI_Comm_get_parent(MPI_Comm *parent) { return midrun_passes(CALL_Comm_get_parent) ? PMPI_Comm_get_parent(parent) : counted_Comm_get_parent(parent); }

COUNTED int counted_Group_size(MPI_Group group, int *size) {
  uint64_t begin_ = BEGIN(CALL_Group_size, 0, 0);
  int result_ = NEXT(Group_size, midrun_next[CALL_Group_size], (group, size));
  END(CALL_Group_size, 0, begin_, result_, LOCAL, 0, MPI_PROC_NULL, -1, MPI_COMM_NULL);
  return result_;
}
int MPI_Group_size(MPI_Group group, int *size) { return midrun_passes(CALL_Group_size) ? PMPI_Group_size(group, size) : counted_Group_size(group, size); }

COUNTED int counted_Group_rank(MPI_Group group, int *rank) {
  uint64_t begin_ = BEGIN(CALL_Group_rank, 0, 0);
  int result_ = NEXT(Group_rank, midrun_next[CALL_Group_rank], (group, rank));
  END(CALL_Group_rank, 0, begin_, result_, LOCAL, 0, MPI_PROC_NULL, -1, MPI_COMM_NULL);
  return result_;
}
int MPI_Group_rank(MPI_Group group, int *rank) { return midrun_passes(CALL_Group_rank) ? PMPI_Group_rank(group, rank) : counted_Group_rank(group, rank); }

COUNTED int counted_Group_translate_ranks(MPI_Group group1, int n, const int ranks1[], MPI_Group group2, int ranks2[]) {
  uint64_t begin_ = BEGIN(CALL_Group_translate_ranks, 0, 0);
  int result_ = NEXT(Group_translate_ranks, midrun_next[CALL_Group_translate_ranks], (group1, n, ranks1, group2, ranks2));
  END(CALL_Group_translate_ranks, 0, begin_, result_, LOCAL, 0, MPI_PROC_NULL, -1, MPI_COMM_NULL);
  return result_;
}
int MPI_Group_translate_ranks(MPI_Group group1, int n, const int ranks1[], MPI_Group group2, int ranks2[]) { return midrun_passes(CALL_Group_translate_ranks) ? PMPI_Group_translate_ranks(group1, n, ranks1, group2, ranks2) : counted_Group_translate_ranks(group1, n, ranks1, group2, ranks2); }

COUNTED int counted_Group_compare(MPI_Group group1, MPI_Group group2, int *result) {
  uint64_t begin_ = BEGIN(CALL_Group_compare, 0, 0);
  int result_ = NEXT(Group_compare, midrun_next[CALL_Group_compare], (group1, group2, result));
  END(CALL_Group_compare, 0, begin_, result_, LOCAL, 0, MPI_PROC_NULL, -1, MPI_COMM_NULL);
  return result_;
}
int MPI_Group_compare(MPI_Group group1, MPI_Group group2, int *result) { return midrun_passes(CALL_Group_compare) ? PMPI_Group_compare(group1, group2, result) : counted_Group_compare(group1, group2, result); }

COUNTED int counted_Group_union(MPI_Group group1, MPI_Group group2, MPI_Group *newgroup) {
  uint64_t begin_ = BEGIN(CALL_Group_union, 0, 0);
  int result_ = NEXT(Group_union, midrun_next[CALL_Group_union], (group1, group2, newgroup));
  END(CALL_Group_union, 0, begin_, result_, LOCAL, 0, MPI_PROC_NULL, -1, MPI_COMM_NULL);
  return result_;
}
int MPI_Group_union(MPI_Group group1, MPI_Group group2, MPI_Group *newgroup) { return midrun_passes(CALL_Group_union) ? PMPI_Group_union(group1, group2, newgroup) : counted_Group_union(group1, group2, newgroup); }

COUNTED int counted_Group_intersection(MPI_Group group1, MPI_Group group2, MPI_Group *newgroup) {
  uint64_t begin_ = BEGIN(CALL_Group_intersection, 0, 0);
  int result_ = NEXT(Group_intersection, midrun_next[CALL_Group_intersection], (group1, group2, newgroup));
  END(CALL_Group_intersection, 0, begin_, result_, LOCAL, 0, MPI_PROC_NULL, -1, MPI_COMM_NULL);
  return result_;
}
int MPI_Group_intersection(MPI_Group group1, MPI_Group group2, MPI_Group *newgroup) { return midrun_passes(CALL_Group_intersection) ? PMPI_Group_intersection(group1, group2, newgroup) : counted_Group_intersection(group1, group2, newgroup); }

COUNTED int counted_Group_difference(MPI_Group group1, MPI_Group group2, MPI_Group *newgroup) {
  uint64_t begin_ = BEGIN(CALL_Group_difference, 0, 0);
  int result_ = NEXT(Group_difference, midrun_next[CALL_Group_difference], (group1, group2, newgroup));
  END(CALL_Group_difference, 0, begin_, result_, LOCAL, 0, MPI_PROC_NULL, -1, MPI_COMM_NULL);
  return result_;
}
int MPI_Group_difference(MPI_Group group1, MPI_Group group2, MPI_Group *newgroup) { return midrun_passes(CALL_Group_difference) ? PMPI_Group_difference(group1, group2, newgroup) : counted_Group_difference(group1, group2, newgroup); }

COUNTED int counted_Group_incl(MPI_Group group, int n, const int ranks[], MPI_Group *newgroup) {
  uint64_t begin_ = BEGIN(CALL_Group_incl, 0, 0);
  int result_ = NEXT(Group_incl, midrun_next[CALL_Group_incl], (group, n, ranks, newgroup));
  END(CALL_Group_incl, 0, begin_, result_, LOCAL, 0, MPI_PROC_NULL, -1, MPI_COMM_NULL);
  return result_;
}
int MPI_Group_incl(MPI_Group group, int n, const int ranks[], MPI_Group *newgroup) { return midrun_passes(CALL_Group_incl) ? PMPI_Group_incl(group, n, ranks, newgroup) : counted_Group_incl(group, n, ranks, newgroup); }

COUNTED int counted_Group_excl(MPI_Group group, int n, const int ranks[], MPI_Group *newgroup) {
  uint64_t begin_ = BEGIN(CALL_Group_excl, 0, 0);
  int result_ = NEXT(Group_excl, midrun_next[CALL_Group_excl], (group, n, ranks, newgroup));
  END(CALL_Group_excl, 0, begin_, result_, LOCAL, 0, MPI_PROC_NULL, -1, MPI_COMM_NULL);
  return result_;
}
int MPI_Group_excl(MPI_Group group, int n, const int ranks[], MPI_Group *newgroup) { return midrun_passes(CALL_Group_excl) ? PMPI_Group_excl(group, n, ranks, newgroup) : counted_Group_excl(group, n, ranks, newgroup); }

COUNTED int counted_Group_range_incl(MPI_Group group, int n, int ranges[][3], MPI_Group *newgroup) {
  uint64_t begin_ = BEGIN(CALL_Group_range_incl, 0, 0);
  int result_ = NEXT(Group_range_incl, midrun_next[CALL_Group_range_incl], (group, n, ranges, newgroup));
  END(CALL_Group_range_incl, 0, begin_, result_, LOCAL, 0, MPI_PROC_NULL, -1, MPI_COMM_NULL);
  return result_;
}
int MPI_Group_range_incl(MPI_Group group, int n, int ranges[][3], MPI_Group *newgroup) { return midrun_passes(CALL_Group_range_incl) ? PMPI_Group_range_incl(group, n, ranges, newgroup) : counted_Group_range_incl(group, n, ranges, newgroup); }

COUNTED int counted_Group_range_excl(MPI_Group group, int n, int ranges[][3], MPI_Group *newgroup) {
  uint64_t begin_ = BEGIN(CALL_Group_range_excl, 0, 0);
  int result_ = NEXT(Group_range_excl, midrun_next[CALL_Group_range_excl], (group, n, ranges, newgroup));
  END(CALL_Group_range_excl, 0, begin_, result_, LOCAL, 0, MPI_PROC_NULL, -1, MPI_COMM_NULL);
  return result_;
}
int MPI_Group_range_excl(MPI_Group group, int n, int ranges[][3], MPI_Group *newgroup) { return midrun_passes(CALL_Group_range_excl) ? PMPI_Group_range_excl(group, n, ranges, newgroup) : counted_Group_range_excl(group, n, ranges, newgroup); }

COUNTED int counted_Group_free(MPI_Group *group) {
  uint64_t begin_ = BEGIN(CALL_Group_free, 0, 0);
  int result_ = NEXT(Group_free, midrun_next[CALL_Group_free], (group));
  END(CALL_Group_free, 0, begin_, result_, LOCAL, 0, MPI_PROC_NULL, -1, MPI_COMM_NULL);
  return result_;
}
int MPI_Group_free(MPI_Group *group) { return midrun_passes(CALL_Group_free) ? PMPI_Group_free(group) : counted_Group_free(group); }

COUNTED int counted_Topo_test(MPI_Comm comm, int *status) {
  uint64_t begin_ = BEGIN(CALL_Topo_test, 0, 0);
  int result_ = NEXT(Topo_test, midrun_next[CALL_Topo_test], (comm, status));
  END(CALL_Topo_test, 0, begin_, result_, LOCAL, 0, MPI_PROC_NULL, -1, comm);
  return result_;
}
int MPI_Topo_test(MPI_Comm comm, int *status) { return midrun_passes(CALL_Topo_test) ? PMPI_Topo_test(comm, status) : counted_Topo_test(comm, status); }

COUNTED int counted_Cart_coords(MPI_Comm comm, int rank, int maxdims, int coords[]) {
  uint64_t begin_ = BEGIN(CALL_Cart_coords, 0, 0);
  int result_ = NEXT(Cart_coords, midrun_next[CALL_Cart_coords], (comm, rank, maxdims, coords));
  END(CALL_Cart_coords, 0, begin_, result_, LOCAL, 0, MPI_PROC_NULL, -1, comm);
  return result_;
}
int MPI_Cart_coords(MPI_Comm comm, int rank, int maxdims, int coords[]) { return midrun_passes(CALL_Cart_coords) ? PMPI_Cart_coords(comm, rank, maxdims, coords) : counted_Cart_coords(comm, rank, maxdims, coords); }

COUNTED int counted_Cart_rank(MPI_Comm comm, const int coords[], int *rank) {
  uint64_t begin_ = BEGIN(CALL_Cart_rank, 0, 0);
  int result_ = NEXT(Cart_rank, midrun_next[CALL_Cart_rank], (comm, coords, rank));
  END(CALL_Cart_rank, 0, begin_, result_, LOCAL, 0, MPI_PROC_NULL, -1, comm);
  return result_;
}
int MPI_Cart_rank(MPI_Comm comm, const int coords[], int *rank) { return midrun_passes(CALL_Cart_rank) ? PMPI_Cart_rank(comm, coords, rank) : counted_Cart_rank(comm, coords, rank); }

COUNTED int counted_Cart_shift(MPI_Comm comm, int direction, int disp, int *rank_source, int *rank_dest) {
  uint64_t begin_ = BEGIN(CALL_Cart_shift, 0, 0);
  int result_ = NEXT(Cart_shift, midrun_next[CALL_Cart_shift], (comm, direction, disp, rank_source, rank_dest));
  END(CALL_Cart_shift, 0, begin_, result_, LOCAL, 0, MPI_PROC_NULL, -1, comm);
  return result_;
}
int MPI_Cart_shift(MPI_Comm comm, int direction, int disp, int *rank_source, int *rank_dest) { return midrun_passes(CALL_Cart_shift) ? PMPI_Cart_shift(comm, direction, disp, rank_source, rank_dest) : counted_Cart_shift(comm, direction, disp, rank_source, rank_dest); }

COUNTED int counted_Cart_get(MPI_Comm comm, int maxdims, int dims[], int periods[], int coords[]) {
  uint64_t begin_ = BEGIN(CALL_Cart_get, 0, 0);
  int result_ = NEXT(Cart_get, midrun_next[CALL_Cart_get], (comm, maxdims, dims, periods, coords));
  END(CALL_Cart_get, 0, begin_, result_, LOCAL, 0, MPI_PROC_NULL, -1, comm);
  return result_;
}
int MPI_Cart_get(MPI_Comm comm, int maxdims, int dims[], int periods[], int coords[]) { return midrun_passes(CALL_Cart_get) ? PMPI_Cart_get(comm, maxdims, dims, periods, coords) : counted_Cart_get(comm, maxdims, dims, periods, coords); }

COUNTED int counted_Cartdim_get(MPI_Comm comm, int *ndims) {
  uint64_t begin_ = BEGIN(CALL_Cartdim_get, 0, 0);
  int result_ = NEXT(Cartdim_get, midrun_next[CALL_Cartdim_get], (comm, ndims));
  END(CALL_Cartdim_get, 0, begin_, result_, LOCAL, 0, MPI_PROC_NULL, -1, comm);
  return result_;
}
int MPI_Cartdim_get(MPI_Comm comm, int *ndims) { return midrun_passes(CALL_Cartdim_get) ? PMPI_Cartdim_get(comm, ndims) : counted_Cartdim_get(comm, ndims); }

COUNTED int counted_Cart_map(MPI_Comm comm, int ndims, const int dims[], const int periods[], int *newrank) {
  uint64_t begin_ = BEGIN(CALL_Cart_map, 0, 0);
  int result_ = NEXT(Cart_map, midrun_next[CALL_Cart_map], (comm, ndims, dims, periods, newrank));
  END(CALL_Cart_map, 0, begin_, result_, LOCAL, 0, MPI_PROC_NULL, -1, comm);
  return result_;
}
int MPI_Cart_map(MPI_Comm comm, int ndims, const int dims[], const int periods[], int *newrank) { return midrun_passes(CALL_Cart_map) ? PMPI_Cart_map(comm, ndims, dims, periods, newrank) : counted_Cart_map(comm, ndims, dims, periods, newrank); }

COUNTED int counted_Graph_neighbors(MPI_Comm comm, int rank, int maxneighbors, int neighbors[]) {
  uint64_t begin_ = BEGIN(CALL_Graph_neighbors, 0, 0);
  int result_ = NEXT(Graph_neighbors, midrun_next[CALL_Graph_neighbors], (comm, rank, maxneighbors, neighbors));
  END(CALL_Graph_neighbors, 0, begin_, result_, LOCAL, 0, MPI_PROC_NULL, -1, comm);
  return result_;
}
int MPI_Graph_neighbors(MPI_Comm comm, int rank, int maxneighbors, int neighbors[]) { return midrun_passes(CALL_Graph_neighbors) ? PMPI_Graph_neighbors(comm, rank, maxneighbors, neighbors) : counted_Graph_neighbors(comm, rank, maxneighbors, neighbors); }

COUNTED int counted_Graph_neighbors_count(MPI_Comm comm, int rank, int *nneighbors) {
  uint64_t begin_ = BEGIN(CALL_Graph_neighbors_count, 0, 0);
  int result_ = NEXT(Graph_neighbors_count, midrun_next[CALL_Graph_neighbors_count], (comm, rank, nneighbors));
  END(CALL_Graph_neighbors_count, 0, begin_, result_, LOCAL, 0, MPI_PROC_NULL, -1, comm);
  return result_;
}
int MPI_Graph_neighbors_count(MPI_Comm comm, int rank, int *nneighbors) { return midrun_passes(CALL_Graph_neighbors_count) ? PMPI_Graph_neighbors_count(comm, rank, nneighbors) : counted_Graph_neighbors_count(comm, rank, nneighbors); }

COUNTED int counted_Dist_graph_neighbors(MPI_Comm comm, int maxindegree, int sources[], int sourceweights[], int maxoutdegree, int destinations[], int destweights[]) {
  uint64_t begin_ = BEGIN(CALL_Dist_graph_neighbors, 0, 0);
  int result_ = NEXT(Dist_graph_neighbors, midrun_next[CALL_Dist_graph_neighbors], (comm, maxindegree, sources, sourceweights, maxoutdegree, destinations, destweights));
  END(CALL_Dist_graph_neighbors, 0, begin_, result_, LOCAL, 0, MPI_PROC_NULL, -1, comm);
  return result_;
}
int MPI_Dist_graph_neighbors(MPI_Comm comm, int maxindegree, int sources[], int sourceweights[], int maxoutdegree, int destinations[], int destweights[]) { return midrun_passes(CALL_Dist_graph_neighbors) ? PMPI_Dist_graph_neighbors(comm, maxindegree, sources, sourceweights, maxoutdegree, destinations, destweights) : counted_Dist_graph_neighbors(comm, maxindegree, sources, sourceweights, maxoutdegree, destinations, destweights); }

COUNTED int counted_Dist_graph_neighbors_count(MPI_Comm comm, int *indegree, int *outdegree, int *weighted) {
  uint64_t begin_ = BEGIN(CALL_Dist_graph_neighbors_count, 0, 0);
  int result_ = NEXT(Dist_graph_neighbors_count, midrun_next[CALL_Dist_graph_neighbors_count], (comm, indegree, outdegree, weighted));
  END(CALL_Dist_graph_neighbors_count, 0, begin_, result_, LOCAL, 0, MPI_PROC_NULL, -1, comm);
  return result_;
}
int MPI_Dist_graph_neighbors_count(MPI_Comm comm, int *indegree, int *outdegree, int *weighted) { return midrun_passes(CALL_Dist_graph_neighbors_count) ? PMPI_Dist_graph_neighbors_count(comm, indegree, outdegree, weighted) : counted_Dist_graph_neighbors_count(comm, indegree, outdegree, weighted); }

COUNTED int counted_Dims_create(int nnodes, int ndims, int dims[]) {
  uint64_t begin_ = BEGIN(CALL_Dims_create, 0, 0);
  int result_ = NEXT(Dims_create, midrun_next[CALL_Dims_create], (nnodes, ndims, dims));
  END(CALL_Dims_create, 0, begin_, result_, LOCAL, 0, MPI_PROC_NULL, -1, MPI_COMM_NULL);
  return result_;
}
int MPI_Dims_create(int nnodes, int ndims, int dims[]) { return midrun_passes(CALL_Dims_create) ? PMPI_Dims_create(nnodes, ndims, dims) : counted_Dims_create(nnodes, ndims, dims); }

COUNTED int counted_Comm_dup(MPI_Comm comm, MPI_Comm *newcomm) {
  uint64_t begin_ = BEGIN(CALL_Comm_dup, 1, 0);
  int result_ = NEXT(Comm_dup, midrun_next[CALL_Comm_dup], (comm, newcomm));
  END(CALL_Comm_dup, 1, begin_, result_, COLLECTIVE, 0, MPI_PROC_NULL, -1, comm);
  return result_;
}
int MPI_Comm_dup(MPI_Comm comm, MPI_Comm *newcomm) { return midrun_passes(CALL_Comm_dup) ? PMPI_Comm_dup(comm, newcomm) : counted_Comm_dup(comm, newcomm); }

COUNTED int counted_Comm_dup_with_info(MPI_Comm comm, MPI_Info info, MPI_Comm *newcomm) {
  uint64_t begin_ = BEGIN(CALL_Comm_dup_with_info, 1, 0);
  int result_ = NEXT(Comm_dup_with_info, midrun_next[CALL_Comm_dup_with_info], (comm, info, newcomm));
  END(CALL_Comm_dup_with_info, 1, begin_, result_, COLLECTIVE, 0, MPI_PROC_NULL, -1, comm);
  return result_;
}
int MPI_Comm_dup_with_info(MPI_Comm comm, MPI_Info info, MPI_Comm *newcomm) { return midrun_passes(CALL_Comm_dup_with_info) ? PMPI_Comm_dup_with_info(comm, info, newcomm) : counted_Comm_dup_with_info(comm, info, newcomm); }

COUNTED int counted_Comm_create(MPI_Comm comm, MPI_Group group, MPI_Comm *newcomm) {
  uint64_t begin_ = BEGIN(CALL_Comm_create, 1, 0);
  int result_ = NEXT(Comm_create, midrun_next[CALL_Comm_create], (comm, group, newcomm));
  END(CALL_Comm_create, 1, begin_, result_, COLLECTIVE, 0, MPI_PROC_NULL, -1, comm);
  return result_;
}
int MPI_Comm_create(MPI_Comm comm, MPI_Group group, MPI_Comm *newcomm) { return midrun_passes(CALL_Comm_create) ? PMPI_Comm_create(comm, group, newcomm) : counted_Comm_create(comm, group, newcomm); }

COUNTED int counted_Comm_create_group(MPI_Comm comm, MPI_Group group, int tag, MPI_Comm *newcomm) {
  uint64_t begin_ = BEGIN(CALL_Comm_create_group, 1, 0);
  int result_ = NEXT(Comm_create_group, midrun_next[CALL_Comm_create_group], (comm, group, tag, newcomm));
  END(CALL_Comm_create_group, 1, begin_, result_, COLLECTIVE, 0, MPI_PROC_NULL, -1, comm);
  return result_;
}
int MPI_Comm_create_group(MPI_Comm comm, MPI_Group group, int tag, MPI_Comm *newcomm) { return midrun_passes(CALL_Comm_create_group) ? PMPI_Comm_create_group(comm, group, tag, newcomm) : counted_Comm_create_group(comm, group, tag, newcomm); }

COUNTED int counted_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm *newcomm) {
  uint64_t begin_ = BEGIN(CALL_Comm_split, 1, 0);
  int result_ = NEXT(Comm_split, midrun_next[CALL_Comm_split], (comm, color, key, newcomm));
  END(CALL_Comm_split, 1, begin_, result_, COLLECTIVE, 0, MPI_PROC_NULL, -1, comm);
  return result_;
}
int MPI_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm *newcomm) { return midrun_passes(CALL_Comm_split) ? PMPI_Comm_split(comm, color, key, newcomm) : counted_Comm_split(comm, color, key, newcomm); }

COUNTED int counted_Comm_split_type(MPI_Comm comm, int split_type, int key, MPI_Info info, MPI_Comm *newcomm) {
  uint64_t begin_ = BEGIN(CALL_Comm_split_type, 1, 0);
  int result_ = NEXT(Comm_split_type, midrun_next[CALL_Comm_split_type], (comm, split_type, key, info, newcomm));
  END(CALL_Comm_split_type, 1, begin_, result_, COLLECTIVE, 0, MPI_PROC_NULL, -1, comm);
  return result_;
}
int MPI_Comm_split_type(MPI_Comm comm, int split_type, int key, MPI_Info info, MPI_Comm *newcomm) { return midrun_passes(CALL_Comm_split_type) ? PMPI_Comm_split_type(comm, split_type, key, info, newcomm) : counted_Comm_split_type(comm, split_type, key, info, newcomm); }

COUNTED int counted_Intercomm_create(MPI_Comm local_comm, int local_leader, MPI_Comm peer_comm, int remote_leader, int tag, MPI_Comm *newintercomm) {
  uint64_t begin_ = BEGIN(CALL_Intercomm_create, 1, 0);
  int result_ = NEXT(Intercomm_create, midrun_next[CALL_Intercomm_create], (local_comm, local_leader, peer_comm, remote_leader, tag, newintercomm));
  END(CALL_Intercomm_create, 1, begin_, result_, COLLECTIVE, 0, MPI_PROC_NULL, -1, MPI_COMM_NULL);
  return result_;
}
int MPI_Intercomm_create(MPI_Comm local_comm, int local_leader, MPI_Comm peer_comm, int remote_leader, int tag, MPI_Comm *newintercomm) { return midrun_passes(CALL_Intercomm_create) ? PMPI_Intercomm_create(local_comm, local_leader, peer_comm, remote_leader, tag, newintercomm) : counted_Intercomm_create(local_comm, local_leader, peer_comm, remote_leader, tag, newintercomm); }

COUNTED int counted_Intercomm_merge(MPI_Comm intercomm, int high, MPI_Comm *newintracomm) {
  uint64_t begin_ = BEGIN(CALL_Intercomm_merge, 1, 0);
  int result_ = NEXT(Intercomm_merge, midrun_next[CALL_Intercomm_merge], (intercomm, high, newintracomm));
  END(CALL_Intercomm_merge, 1, begin_, result_, COLLECTIVE, 0, MPI_PROC_NULL, -1, MPI_COMM_NULL);
  return result_;
}
int MPI_Intercomm_merge(MPI_Comm intercomm, int high, MPI_Comm *newintracomm) { return midrun_passes(CALL_Intercomm_merge) ? PMPI_Intercomm_merge(intercomm, high, newintracomm) : counted_Intercomm_merge(intercomm, high, newintracomm); }

COUNTED int counted_Cart_create(MPI_Comm comm_old, int ndims, const int dims[], const int periods[], int reorder, MPI_Comm *comm_cart) {
  uint64_t begin_ = BEGIN(CALL_Cart_create, 1, 0);
  int result_ = NEXT(Cart_create, midrun_next[CALL_Cart_create], (comm_old, ndims, dims, periods, reorder, comm_cart));
  END(CALL_Cart_create, 1, begin_, result_, COLLECTIVE, 0, MPI_PROC_NULL, -1, MPI_COMM_NULL);
  return result_;
}
int MPI_Cart_create(MPI_Comm comm_old, int ndims, const int dims[], const int periods[], int reorder, MPI_Comm *comm_cart) { return midrun_passes(CALL_Cart_create) ? PMPI_Cart_create(comm_old, ndims, dims, periods, reorder, comm_cart) : counted_Cart_create(comm_old, ndims, dims, periods, reorder, comm_cart); }

COUNTED int counted_Cart_sub(MPI_Comm comm, const int remain_dims[], MPI_Comm *newcomm) {
  uint64_t begin_ = BEGIN(CALL_Cart_sub, 1, 0);
  int result_ = NEXT(Cart_sub, midrun_next[CALL_Cart_sub], (comm, remain_dims, newcomm));
  END(CALL_Cart_sub, 1, begin_, result_, COLLECTIVE, 0, MPI_PROC_NULL, -1, comm);
  return result_;
}
int MPI_Cart_sub(MPI_Comm comm, const int remain_dims[], MPI_Comm *newcomm) { return midrun_passes(CALL_Cart_sub) ? PMPI_Cart_sub(comm, remain_dims, newcomm) : counted_Cart_sub(comm, remain_dims, newcomm); }

COUNTED int counted_Graph_create(MPI_Comm comm_old, int nnodes, const int indx[], const int edges[], int reorder, MPI_Comm *comm_graph) {
  uint64_t begin_ = BEGIN(CALL_Graph_create, 1, 0);
  int result_ = NEXT(Graph_create, midrun_next[CALL_Graph_create], (comm_old, nnodes, indx, edges, reorder, comm_graph));
  END(CALL_Graph_create, 1, begin_, result_, COLLECTIVE, 0, MPI_PROC_NULL, -1, MPI_COMM_NULL);
  return result_;
}
int MPI_Graph_create(MPI_Comm comm_old, int nnodes, const int indx[], const int edges[], int reorder, MPI_Comm *comm_graph) { return midrun_passes(CALL_Graph_create) ? PMPI_Graph_create(comm_old, nnodes, indx, edges, reorder, comm_graph) : counted_Graph_create(comm_old, nnodes, indx, edges, reorder, comm_graph); }

COUNTED int counted_Dist_graph_create(MPI_Comm comm_old, int n, const int sources[], const int degrees[], const int destinations[], const int weights[], MPI_Info info, int reorder, MPI_Comm *comm_dist_graph) {
  uint64_t begin_ = BEGIN(CALL_Dist_graph_create, 1, 0);
  int result_ = NEXT(Dist_graph_create, midrun_next[CALL_Dist_graph_create], (comm_old, n, sources, degrees, destinations, weights, info, reorder, comm_dist_graph));
  END(CALL_Dist_graph_create, 1, begin_, result_, COLLECTIVE, 0, MPI_PROC_NULL, -1, MPI_COMM_NULL);
  return result_;
}
int MPI_Dist_graph_create(MPI_Comm comm_old, int n, const int sources[], const int degrees[], const int destinations[], const int weights[], MPI_Info info, int reorder, MPI_Comm *comm_dist_graph) { return midrun_passes(CALL_Dist_graph_create) ? PMPI_Dist_graph_create(comm_old, n, sources, degrees, destinations, weights, info, reorder, comm_dist_graph) : counted_Dist_graph_create(comm_old, n, sources, degrees, destinations, weights, info, reorder, comm_dist_graph); }

COUNTED int counted_Dist_graph_create_adjacent(MPI_Comm comm_old, int indegree, const int sources[], const int sourceweights[], int outdegree, const int destinations[], const int destweights[], MPI_Info info, int reorder, MPI_Comm *comm_dist_graph) {
  uint64_t begin_ = BEGIN(CALL_Dist_graph_create_adjacent, 1, 0);
  int result_ = NEXT(Dist_graph_create_adjacent, midrun_next[CALL_Dist_graph_create_adjacent], (comm_old, indegree, sources, sourceweights, outdegree, destinations, destweights, info, reorder, comm_dist_graph));
  END(CALL_Dist_graph_create_adjacent, 1, begin_, result_, COLLECTIVE, 0, MPI_PROC_NULL, -1, MPI_COMM_NULL);
  return result_;
}
int MPI_Dist_graph_create_adjacent(MPI_Comm comm_old, int indegree, const int sources[], const int sourceweights[], int outdegree, const int destinations[], const int destweights[], MPI_Info info, int reorder, MPI_Comm *comm_dist_graph) { return midrun_passes(CALL_Dist_graph_create_adjacent) ? PMPI_Dist_graph_create_adjacent(comm_old, indegree, sources, sourceweights, outdegree, destinations, destweights, info, reorder, comm_dist_graph) : counted_Dist_graph_create_adjacent(comm_old, indegree, sources, sourceweights, outdegree, destinations, destweights, info, reorder, comm_dist_graph); }

COUNTED int counted_Comm_idup(MPI_Comm comm, MPI_Comm *newcomm, MPI_Request *request) {
  uint64_t begin_ = BEGIN(CALL_Comm_idup, 0, 0);
  int result_ = NEXT(Comm_idup, midrun_next[CALL_Comm_idup], (comm, newcomm, request));
  END(CALL_Comm_idup, 0, begin_, result_, COLLECTIVE, 0, MPI_PROC_NULL, -1, comm);
  return result_;
}
int MPI_Comm_idup(MPI_Comm comm, MPI_Comm *newcomm, MPI_Request *request) { return midrun_passes(CALL_Comm_idup) ? PMPI_Comm_idup(comm, newcomm, request) : counted_Comm_idup(comm, newcomm, request); }

COUNTED int counted_Comm_free(MPI_Comm *comm) {
  midrun_peers_forget();
  uint64_t begin_ = BEGIN(CALL_Comm_free, 1, 0);
  int result_ = NEXT(Comm_free, midrun_next[CALL_Comm_free], (comm));
  END(CALL_Comm_free, 1, begin_, result_, COLLECTIVE, 0, MPI_PROC_NULL, -1, MPI_COMM_NULL);
  return result_;
}
int MPI_Comm_free(MPI_Comm *comm) { return !SWITCH ? PMPI_Comm_free(comm) : counted_Comm_free(comm); }

COUNTED int counted_Comm_disconnect(MPI_Comm *comm) {
  midrun_peers_forget();
  uint64_t begin_ = BEGIN(CALL_Comm_disconnect, 1, 0);
  int result_ = NEXT(Comm_disconnect, midrun_next[CALL_Comm_disconnect], (comm));
  END(CALL_Comm_disconnect, 1, begin_, result_, COLLECTIVE, 0, MPI_PROC_NULL, -1, MPI_COMM_NULL);
  return result_;
}
int MPI_Comm_disconnect(MPI_Comm *comm) { return !SWITCH ? PMPI_Comm_disconnect(comm) : counted_Comm_disconnect(comm); }

COUNTED int counted_Comm_spawn(const char *command, char *argv[], int maxprocs, MPI_Info info, int root, MPI_Comm comm, MPI_Comm *intercomm, int array_of_errcodes[]) {
  uint64_t begin_ = BEGIN(CALL_Comm_spawn, 1, 0);
  int result_ = NEXT(Comm_spawn, midrun_next[CALL_Comm_spawn], (command, argv, maxprocs, info, root, comm, intercomm, array_of_errcodes));
  END(CALL_Comm_spawn, 1, begin_, result_, COLLECTIVE, 0, MPI_PROC_NULL, -1, comm);
  return result_;
}
int MPI_Comm_spawn(const char *command, char *argv[], int maxprocs, MPI_Info info, int root, MPI_Comm comm, MPI_Comm *intercomm, int array_of_errcodes[]) { return midrun_passes(CALL_Comm_spawn) ? PMPI_Comm_spawn(command, argv, maxprocs, info, root, comm, intercomm, array_of_errcodes) : counted_Comm_spawn(command, argv, maxprocs, info, root, comm, intercomm, array_of_errcodes); }

COUNTED int counted_Comm_spawn_multiple(int count, char *array_of_commands[], char **array_of_argv[], const int array_of_maxprocs[], const MPI_Info array_of_info[], int root, MPI_Comm comm, MPI_Comm *intercomm, int array_of_errcodes[]) {
  uint64_t begin_ = BEGIN(CALL_Comm_spawn_multiple, 1, 0);
  int result_ = NEXT(Comm_spawn_multiple, midrun_next[CALL_Comm_spawn_multiple], (count, array_of_commands, array_of_argv, array_of_maxprocs, array_of_info, root, comm, intercomm, array_of_errcodes));
  END(CALL_Comm_spawn_multiple, 1, begin_, result_, COLLECTIVE, 0, MPI_PROC_NULL, -1, comm);
  return result_;
}
int MPI_Comm_spawn_multiple(int count, char *array_of_commands[], char **array_of_argv[], const int array_of_maxprocs[], const MPI_Info array_of_info[], int root, MPI_Comm comm, MPI_Comm *intercomm, int array_of_errcodes[]) { return midrun_passes(CALL_Comm_spawn_multiple) ? PMPI_Comm_spawn_multiple(count, array_of_commands, array_of_argv, array_of_maxprocs, array_of_info, root, comm, intercomm, array_of_errcodes) : counted_Comm_spawn_multiple(count, array_of_commands, array_of_argv, array_of_maxprocs, array_of_info, root, comm, intercomm, array_of_errcodes); }

COUNTED int counted_Comm_accept(const char *port_name, MPI_Info info, int root, MPI_Comm comm, MPI_Comm *newcomm) {
  uint64_t begin_ = BEGIN(CALL_Comm_accept, 1, 0);
  int result_ = NEXT(Comm_accept, midrun_next[CALL_Comm_accept], (port_name, info, root, comm, newcomm));
  END(CALL_Comm_accept, 1, begin_, result_, COLLECTIVE, 0, MPI_PROC_NULL, -1, comm);
  return result_;
}
int MPI_Comm_accept(const char *port_name, MPI_Info info, int root, MPI_Comm comm, MPI_Comm *newcomm) { return midrun_passes(CALL_Comm_accept) ? PMPI_Comm_accept(port_name, info, root, comm, newcomm) : counted_Comm_accept(port_name, info, root, comm, newcomm); }

COUNTED int counted_Comm_connect(const char *port_name, MPI_Info info, int root, MPI_Comm comm, MPI_Comm *newcomm) {
  uint64_t begin_ = BEGIN(CALL_Comm_connect, 1, 0);
  int result_ = NEXT(Comm_connect, midrun_next[CALL_Comm_connect], (port_name, info, root, comm, newcomm));
  END(CALL_Comm_connect, 1, begin_, result_, COLLECTIVE, 0, MPI_PROC_NULL, -1, comm);
  return result_;
}
int MPI_Comm_connect(const char *port_name, MPI_Info info, int root, MPI_Comm comm, MPI_Comm *newcomm) { return midrun_passes(CALL_Comm_connect) ? PMPI_Comm_connect(port_name, info, root, comm, newcomm) : counted_Comm_connect(port_name, info, root, comm, newcomm); }

COUNTED int counted_Comm_join(int fd, MPI_Comm *intercomm) {
  uint64_t begin_ = BEGIN(CALL_Comm_join, 1, 0);
  int result_ = NEXT(Comm_join, midrun_next[CALL_Comm_join], (fd, intercomm));
  END(CALL_Comm_join, 1, begin_, result_, COLLECTIVE, 0, MPI_PROC_NULL, -1, MPI_COMM_NULL);
  return result_;
}
int MPI_Comm_join(int fd, MPI_Comm *intercomm) { return midrun_passes(CALL_Comm_join) ? PMPI_Comm_join(fd, intercomm) : counted_Comm_join(fd, intercomm); }

COUNTED int counted_Win_create(void *base, MPI_Aint size, int disp_unit, MPI_Info info, MPI_Comm comm, MPI_Win *win) {
  uint64_t begin_ = BEGIN(CALL_Win_create, 1, 0);
  int result_ = NEXT(Win_create, midrun_next[CALL_Win_create], (base, size, disp_unit, info, comm, win));
  END(CALL_Win_create, 1, begin_, result_, COLLECTIVE, 0, MPI_PROC_NULL, -1, comm);
  return result_;
}
int MPI_Win_create(void *base, MPI_Aint size, int disp_unit, MPI_Info info, MPI_Comm comm, MPI_Win *win) { return midrun_passes(CALL_Win_create) ? PMPI_Win_create(base, size, disp_unit, info, comm, win) : counted_Win_create(base, size, disp_unit, info, comm, win); }

COUNTED int counted_Win_allocate(MPI_Aint size, int disp_unit, MPI_Info info, MPI_Comm comm, void *baseptr, MPI_Win *win) {
  uint64_t begin_ = BEGIN(CALL_Win_allocate, 1, 0);
  int result_ = NEXT(Win_allocate, midrun_next[CALL_Win_allocate], (size, disp_unit, info, comm, baseptr, win));
  END(CALL_Win_allocate, 1, begin_, result_, COLLECTIVE, 0, MPI_PROC_NULL, -1, comm);
  return result_;
}
int MPI_Win_allocate(MPI_Aint size, int disp_unit, MPI_Info info, MPI_Comm comm, void *baseptr, MPI_Win *win) { return midrun_passes(CALL_Win_allocate) ? PMPI_Win_allocate(size, disp_unit, info, comm, baseptr, win) : counted_Win_allocate(size, disp_unit, info, comm, baseptr, win); }

COUNTED int counted_Win_allocate_shared(MPI_Aint size, int disp_unit, MPI_Info info, MPI_Comm comm, void *baseptr, MPI_Win *win) {
  uint64_t begin_ = BEGIN(CALL_Win_allocate_shared, 1, 0);
  int result_ = NEXT(Win_allocate_shared, midrun_next[CALL_Win_allocate_shared], (size, disp_unit, info, comm, baseptr, win));
  END(CALL_Win_allocate_shared, 1, begin_, result_, COLLECTIVE, 0, MPI_PROC_NULL, -1, comm);
  return result_;
}
int MPI_Win_allocate_shared(MPI_Aint size, int disp_unit, MPI_Info info, MPI_Comm comm, void *baseptr, MPI_Win *win) { return midrun_passes(CALL_Win_allocate_shared) ? PMPI_Win_allocate_shared(size, disp_unit, info, comm, baseptr, win) : counted_Win_allocate_shared(size, disp_unit, info, comm, baseptr, win); }

COUNTED int counted_Win_create_dynamic(MPI_Info info, MPI_Comm comm, MPI_Win *win) {
  uint64_t begin_ = BEGIN(CALL_Win_create_dynamic, 1, 0);
  int result_ = NEXT(Win_create_dynamic, midrun_next[CALL_Win_create_dynamic], (info, comm, win));
  END(CALL_Win_create_dynamic, 1, begin_, result_, COLLECTIVE, 0, MPI_PROC_NULL, -1, comm);
  return result_;
}
int MPI_Win_create_dynamic(MPI_Info info, MPI_Comm comm, MPI_Win *win) { return midrun_passes(CALL_Win_create_dynamic) ? PMPI_Win_create_dynamic(info, comm, win) : counted_Win_create_dynamic(info, comm, win); }

COUNTED int counted_Win_free(MPI_Win *win) {
  midrun_peers_forget();
  uint64_t begin_ = BEGIN(CALL_Win_free, 1, 0);
  int result_ = NEXT(Win_free, midrun_next[CALL_Win_free], (win));
  END(CALL_Win_free, 1, begin_, result_, COLLECTIVE, 0, MPI_PROC_NULL, -1, MPI_COMM_NULL);
  return result_;
}
int MPI_Win_free(MPI_Win *win) { return !SWITCH ? PMPI_Win_free(win) : counted_Win_free(win); }

COUNTED int counted_Win_fence(int assert, MPI_Win win) {
  uint64_t begin_ = BEGIN(CALL_Win_fence, 1, 1);
  int result_ = NEXT(Win_fence, midrun_next[CALL_Win_fence], (assert, win));
  END(CALL_Win_fence, 1, begin_, result_, COLLECTIVE, 0, MPI_PROC_NULL, -1, MPI_COMM_NULL);
  return result_;
}
int MPI_Win_fence(int assert, MPI_Win win) { return midrun_passes(CALL_Win_fence) ? PMPI_Win_fence(assert, win) : counted_Win_fence(assert, win); }

COUNTED int counted_Win_attach(MPI_Win win, void *base, MPI_Aint size) {
  uint64_t begin_ = BEGIN(CALL_Win_attach, 0, 0);
  int result_ = NEXT(Win_attach, midrun_next[CALL_Win_attach], (win, base, size));
  END(CALL_Win_attach, 0, begin_, result_, LOCAL, 0, MPI_PROC_NULL, -1, MPI_COMM_NULL);
  return result_;
}
int MPI_Win_attach(MPI_Win win, void *base, MPI_Aint size) { return midrun_passes(CALL_Win_attach) ? PMPI_Win_attach(win, base, size) : counted_Win_attach(win, base, size); }

COUNTED int counted_Win_detach(MPI_Win win, const void *base) {
  uint64_t begin_ = BEGIN(CALL_Win_detach, 0, 0);
  int result_ = NEXT(Win_detach, midrun_next[CALL_Win_detach], (win, base));
  END(CALL_Win_detach, 0, begin_, result_, LOCAL, 0, MPI_PROC_NULL, -1, MPI_COMM_NULL);
  return result_;
}
int MPI_Win_detach(MPI_Win win, const void *base) { return midrun_passes(CALL_Win_detach) ? PMPI_Win_detach(win, base) : counted_Win_detach(win, base); }

COUNTED int counted_Win_sync(MPI_Win win) {
  uint64_t begin_ = BEGIN(CALL_Win_sync, 0, 0);
  int result_ = NEXT(Win_sync, midrun_next[CALL_Win_sync], (win));
  END(CALL_Win_sync, 0, begin_, result_, LOCAL, 0, MPI_PROC_NULL, -1, MPI_COMM_NULL);
  return result_;
}
int MPI_Win_sync(MPI_Win win) { return midrun_passes(CALL_Win_sync) ? PMPI_Win_sync(win) : counted_Win_sync(win); }

COUNTED int counted_Win_shared_query(MPI_Win win, int rank, MPI_Aint *size, int *disp_unit, void *baseptr) {
  uint64_t begin_ = BEGIN(CALL_Win_shared_query, 0, 0);
  int result_ = NEXT(Win_shared_query, midrun_next[CALL_Win_shared_query], (win, rank, size, disp_unit, baseptr));
  END(CALL_Win_shared_query, 0, begin_, result_, LOCAL, 0, MPI_PROC_NULL, -1, MPI_COMM_NULL);
  return result_;
}
int MPI_Win_shared_query(MPI_Win win, int rank, MPI_Aint *size, int *disp_unit, void *baseptr) { return midrun_passes(CALL_Win_shared_query) ? PMPI_Win_shared_query(win, rank, size, disp_unit, baseptr) : counted_Win_shared_query(win, rank, size, disp_unit, baseptr); }

COUNTED int counted_Win_get_group(MPI_Win win, MPI_Group *group) {
  uint64_t begin_ = BEGIN(CALL_Win_get_group, 0, 0);
  int result_ = NEXT(Win_get_group, midrun_next[CALL_Win_get_group], (win, group));
  END(CALL_Win_get_group, 0, begin_, result_, LOCAL, 0, MPI_PROC_NULL, -1, MPI_COMM_NULL);
  return result_;
}
int MPI_Win_get_group(MPI_Win win, MPI_Group *group) { return midrun_passes(CALL_Win_get_group) ? PMPI_Win_get_group(win, group) : counted_Win_get_group(win, group); }

COUNTED int counted_Win_post(MPI_Group group, int assert, MPI_Win win) {
  uint64_t begin_ = BEGIN(CALL_Win_post, 0, 0);
  int result_ = NEXT(Win_post, midrun_next[CALL_Win_post], (group, assert, win));
  END(CALL_Win_post, 0, begin_, result_, LOCAL, 0, MPI_PROC_NULL, -1, MPI_COMM_NULL);
  return result_;
}
int MPI_Win_post(MPI_Group group, int assert, MPI_Win win) { return midrun_passes(CALL_Win_post) ? PMPI_Win_post(group, assert, win) : counted_Win_post(group, assert, win); }

COUNTED int counted_Win_test(MPI_Win win, int *flag) {
  uint64_t begin_ = BEGIN(CALL_Win_test, 0, 0);
  int result_ = NEXT(Win_test, midrun_next[CALL_Win_test], (win, flag));
  END(CALL_Win_test, 0, begin_, result_, LOCAL, 0, MPI_PROC_NULL, -1, MPI_COMM_NULL);
  return result_;
}
int MPI_Win_test(MPI_Win win, int *flag) { return midrun_passes(CALL_Win_test) ? PMPI_Win_test(win, flag) : counted_Win_test(win, flag); }

COUNTED int counted_Win_start(MPI_Group group, int assert, MPI_Win win) {
  uint64_t begin_ = BEGIN(CALL_Win_start, 1, 0);
  int result_ = NEXT(Win_start, midrun_next[CALL_Win_start], (group, assert, win));
  END(CALL_Win_start, 1, begin_, result_, LOCAL, 0, MPI_PROC_NULL, -1, MPI_COMM_NULL);
  return result_;
}
int MPI_Win_start(MPI_Group group, int assert, MPI_Win win) { return midrun_passes(CALL_Win_start) ? PMPI_Win_start(group, assert, win) : counted_Win_start(group, assert, win); }

COUNTED int counted_Win_complete(MPI_Win win) {
  uint64_t begin_ = BEGIN(CALL_Win_complete, 1, 0);
  int result_ = NEXT(Win_complete, midrun_next[CALL_Win_complete], (win));
  END(CALL_Win_complete, 1, begin_, result_, LOCAL, 0, MPI_PROC_NULL, -1, MPI_COMM_NULL);
  return result_;
}
int MPI_Win_complete(MPI_Win win) { return midrun_passes(CALL_Win_complete) ? PMPI_Win_complete(win) : counted_Win_complete(win); }

COUNTED int counted_Win_wait(MPI_Win win) {
  uint64_t begin_ = BEGIN(CALL_Win_wait, 1, 0);
  int result_ = NEXT(Win_wait, midrun_next[CALL_Win_wait], (win));
  END(CALL_Win_wait, 1, begin_, result_, LOCAL, 0, MPI_PROC_NULL, -1, MPI_COMM_NULL);
  return result_;
}
int MPI_Win_wait(MPI_Win win) { return midrun_passes(CALL_Win_wait) ? PMPI_Win_wait(win) : counted_Win_wait(win); }

COUNTED int counted_Win_lock_all(int assert, MPI_Win win) {
  uint64_t begin_ = BEGIN(CALL_Win_lock_all, 1, 0);
  int result_ = NEXT(Win_lock_all, midrun_next[CALL_Win_lock_all], (assert, win));
  END(CALL_Win_lock_all, 1, begin_, result_, LOCAL, 0, MPI_PROC_NULL, -1, MPI_COMM_NULL);
  return result_;
}
int MPI_Win_lock_all(int assert, MPI_Win win) { return midrun_passes(CALL_Win_lock_all) ? PMPI_Win_lock_all(assert, win) : counted_Win_lock_all(assert, win); }

COUNTED int counted_Win_unlock_all(MPI_Win win) {
  uint64_t begin_ = BEGIN(CALL_Win_unlock_all, 1, 0);
  int result_ = NEXT(Win_unlock_all, midrun_next[CALL_Win_unlock_all], (win));
  END(CALL_Win_unlock_all, 1, begin_, result_, LOCAL, 0, MPI_PROC_NULL, -1, MPI_COMM_NULL);
  return result_;
}
int MPI_Win_unlock_all(MPI_Win win) { return midrun_passes(CALL_Win_unlock_all) ? PMPI_Win_unlock_all(win) : counted_Win_unlock_all(win); }

COUNTED int counted_Win_flush_all(MPI_Win win) {
  uint64_t begin_ = BEGIN(CALL_Win_flush_all, 1, 0);
  int result_ = NEXT(Win_flush_all, midrun_next[CALL_Win_flush_all], (win));
  END(CALL_Win_flush_all, 1, begin_, result_, LOCAL, 0, MPI_PROC_NULL, -1, MPI_COMM_NULL);
  return result_;
}
int MPI_Win_flush_all(MPI_Win win) { return midrun_passes(CALL_Win_flush_all) ? PMPI_Win_flush_all(win) : counted_Win_flush_all(win); }

COUNTED int counted_Win_flush_local_all(MPI_Win win) {
  uint64_t begin_ = BEGIN(CALL_Win_flush_local_all, 1, 0);
  int result_ = NEXT(Win_flush_local_all, midrun_next[CALL_Win_flush_local_all], (win));
  END(CALL_Win_flush_local_all, 1, begin_, result_, LOCAL, 0, MPI_PROC_NULL, -1, MPI_COMM_NULL);
  return result_;
}
int MPI_Win_flush_local_all(MPI_Win win) { return midrun_passes(CALL_Win_flush_local_all) ? PMPI_Win_flush_local_all(win) : counted_Win_flush_local_all(win); }

COUNTED int counted_Win_lock(int lock_type, int rank, int assert, MPI_Win win) {
  uint64_t begin_ = BEGIN(CALL_Win_lock, 1, 0);
  int result_ = NEXT(Win_lock, midrun_next[CALL_Win_lock], (lock_type, rank, assert, win));
  END(CALL_Win_lock, 1, begin_, result_, target(rank, win), 0, rank, -1, MPI_COMM_NULL);
  return result_;
}
int MPI_Win_lock(int lock_type, int rank, int assert, MPI_Win win) { return midrun_passes(CALL_Win_lock) ? PMPI_Win_lock(lock_type, rank, assert, win) : counted_Win_lock(lock_type, rank, assert, win); }

COUNTED int counted_Win_unlock(int rank, MPI_Win win) {
  uint64_t begin_ = BEGIN(CALL_Win_unlock, 1, 0);
  int result_ = NEXT(Win_unlock, midrun_next[CALL_Win_unlock], (rank, win));
  END(CALL_Win_unlock, 1, begin_, result_, target(rank, win), 0, rank, -1, MPI_COMM_NULL);
  return result_;
}
int MPI_Win_unlock(int rank, MPI_Win win) { return midrun_passes(CALL_Win_unlock) ? PMPI_Win_unlock(rank, win) : counted_Win_unlock(rank, win); }

COUNTED int counted_Win_flush(int rank, MPI_Win win) {
  uint64_t begin_ = BEGIN(CALL_Win_flush, 1, 0);
  int result_ = NEXT(Win_flush, midrun_next[CALL_Win_flush], (rank, win));
  END(CALL_Win_flush, 1, begin_, result_, target(rank, win), 0, rank, -1, MPI_COMM_NULL);
  return result_;
}
int MPI_Win_flush(int rank, MPI_Win win) { return midrun_passes(CALL_Win_flush) ? PMPI_Win_flush(rank, win) : counted_Win_flush(rank, win); }

COUNTED int counted_Win_flush_local(int rank, MPI_Win win) {
  uint64_t begin_ = BEGIN(CALL_Win_flush_local, 1, 0);
  int result_ = NEXT(Win_flush_local, midrun_next[CALL_Win_flush_local], (rank, win));
  END(CALL_Win_flush_local, 1, begin_, result_, target(rank, win), 0, rank, -1, MPI_COMM_NULL);
  return result_;
}
int MPI_Win_flush_local(int rank, MPI_Win win) { return midrun_passes(CALL_Win_flush_local) ? PMPI_Win_flush_local(rank, win) : counted_Win_flush_local(rank, win); }

COUNTED int counted_Put(const void *origin_addr, int origin_count, MPI_Datatype origin_datatype, int target_rank, MPI_Aint target_disp, int target_count, MPI_Datatype target_datatype, MPI_Win win) {
  uint64_t begin_ = BEGIN(CALL_Put, 0, 0);
  int result_ = NEXT(Put, midrun_next[CALL_Put], (origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_count, target_datatype, win));
  END(CALL_Put, 0, begin_, result_, target(target_rank, win), block_to(target_rank, origin_count, origin_datatype), target_rank, -1, MPI_COMM_NULL);
  return result_;
}
int MPI_Put(const void *origin_addr, int origin_count, MPI_Datatype origin_datatype, int target_rank, MPI_Aint target_disp, int target_count, MPI_Datatype target_datatype, MPI_Win win) { return midrun_passes(CALL_Put) ? PMPI_Put(origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_count, target_datatype, win) : counted_Put(origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_count, target_datatype, win); }

COUNTED int counted_Get(void *origin_addr, int origin_count, MPI_Datatype origin_datatype, int target_rank, MPI_Aint target_disp, int target_count, MPI_Datatype target_datatype, MPI_Win win) {
  uint64_t begin_ = BEGIN(CALL_Get, 0, 0);
  int result_ = NEXT(Get, midrun_next[CALL_Get], (origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_count, target_datatype, win));
  END(CALL_Get, 0, begin_, result_, target(target_rank, win), block_to(target_rank, origin_count, origin_datatype), target_rank, -1, MPI_COMM_NULL);
  return result_;
}
int MPI_Get(void *origin_addr, int origin_count, MPI_Datatype origin_datatype, int target_rank, MPI_Aint target_disp, int target_count, MPI_Datatype target_datatype, MPI_Win win) { return midrun_passes(CALL_Get) ? PMPI_Get(origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_count, target_datatype, win) : counted_Get(origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_count, target_datatype, win); }

COUNTED int counted_Accumulate(const void *origin_addr, int origin_count, MPI_Datatype origin_datatype, int target_rank, MPI_Aint target_disp, int target_count, MPI_Datatype target_datatype, MPI_Op op, MPI_Win win) {
  uint64_t begin_ = BEGIN(CALL_Accumulate, 0, 0);
  int result_ = NEXT(Accumulate, midrun_next[CALL_Accumulate], (origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_count, target_datatype, op, win));
  END(CALL_Accumulate, 0, begin_, result_, target(target_rank, win), block_to(target_rank, origin_count, origin_datatype), target_rank, -1, MPI_COMM_NULL);
  return result_;
}
int MPI_Accumulate(const void *origin_addr, int origin_count, MPI_Datatype origin_datatype, int target_rank, MPI_Aint target_disp, int target_count, MPI_Datatype target_datatype, MPI_Op op, MPI_Win win) { return midrun_passes(CALL_Accumulate) ? PMPI_Accumulate(origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_count, target_datatype, op, win) : counted_Accumulate(origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_count, target_datatype, op, win); }

COUNTED int counted_Rput(const void *origin_addr, int origin_count, MPI_Datatype origin_datatype, int target_rank, MPI_Aint target_disp, int target_count, MPI_Datatype target_datatype, MPI_Win win, MPI_Request *request) {
  uint64_t begin_ = BEGIN(CALL_Rput, 0, 0);
  int result_ = NEXT(Rput, midrun_next[CALL_Rput], (origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_count, target_datatype, win, request));
  END(CALL_Rput, 0, begin_, result_, target(target_rank, win), block_to(target_rank, origin_count, origin_datatype), target_rank, -1, MPI_COMM_NULL);
  return result_;
}
int MPI_Rput(const void *origin_addr, int origin_count, MPI_Datatype origin_datatype, int target_rank, MPI_Aint target_disp, int target_count, MPI_Datatype target_datatype, MPI_Win win, MPI_Request *request) { return midrun_passes(CALL_Rput) ? PMPI_Rput(origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_count, target_datatype, win, request) : counted_Rput(origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_count, target_datatype, win, request); }

COUNTED int counted_Rget(void *origin_addr, int origin_count, MPI_Datatype origin_datatype, int target_rank, MPI_Aint target_disp, int target_count, MPI_Datatype target_datatype, MPI_Win win, MPI_Request *request) {
  uint64_t begin_ = BEGIN(CALL_Rget, 0, 0);
  int result_ = NEXT(Rget, midrun_next[CALL_Rget], (origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_count, target_datatype, win, request));
  END(CALL_Rget, 0, begin_, result_, target(target_rank, win), block_to(target_rank, origin_count, origin_datatype), target_rank, -1, MPI_COMM_NULL);
  return result_;
}
int MPI_Rget(void *origin_addr, int origin_count, MPI_Datatype origin_datatype, int target_rank, MPI_Aint target_disp, int target_count, MPI_Datatype target_datatype, MPI_Win win, MPI_Request *request) { return midrun_passes(CALL_Rget) ? PMPI_Rget(origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_count, target_datatype, win, request) : counted_Rget(origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_count, target_datatype, win, request); }

COUNTED int counted_Raccumulate(const void *origin_addr, int origin_count, MPI_Datatype origin_datatype, int target_rank, MPI_Aint target_disp, int target_count, MPI_Datatype target_datatype, MPI_Op op, MPI_Win win, MPI_Request *request) {
  uint64_t begin_ = BEGIN(CALL_Raccumulate, 0, 0);
  int result_ = NEXT(Raccumulate, midrun_next[CALL_Raccumulate], (origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_count, target_datatype, op, win, request));
  END(CALL_Raccumulate, 0, begin_, result_, target(target_rank, win), block_to(target_rank, origin_count, origin_datatype), target_rank, -1, MPI_COMM_NULL);
  return result_;
}
int MPI_Raccumulate(const void *origin_addr, int origin_count, MPI_Datatype origin_datatype, int target_rank, MPI_Aint target_disp, int target_count, MPI_Datatype target_datatype, MPI_Op op, MPI_Win win, MPI_Request *request) { return midrun_passes(CALL_Raccumulate) ? PMPI_Raccumulate(origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_count, target_datatype, op, win, request) : counted_Raccumulate(origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_count, target_datatype, op, win, request); }

COUNTED int counted_Get_accumulate(const void *origin_addr, int origin_count, MPI_Datatype origin_datatype, void *result_addr, int result_count, MPI_Datatype result_datatype, int target_rank, MPI_Aint target_disp, int target_count, MPI_Datatype target_datatype, MPI_Op op, MPI_Win win) {
  uint64_t begin_ = BEGIN(CALL_Get_accumulate, 0, 0);
  int result_ = NEXT(Get_accumulate, midrun_next[CALL_Get_accumulate], (origin_addr, origin_count, origin_datatype, result_addr, result_count, result_datatype, target_rank, target_disp, target_count, target_datatype, op, win));
  END(CALL_Get_accumulate, 0, begin_, result_, target(target_rank, win), block_to(target_rank, result_count, result_datatype), target_rank, -1, MPI_COMM_NULL);
  return result_;
}
int MPI_Get_accumulate(const void *origin_addr, int origin_count, MPI_Datatype origin_datatype, void *result_addr, int result_count, MPI_Datatype result_datatype, int target_rank, MPI_Aint target_disp, int target_count, MPI_Datatype target_datatype, MPI_Op op, MPI_Win win) { return midrun_passes(CALL_Get_accumulate) ? PMPI_Get_accumulate(origin_addr, origin_count, origin_datatype, result_addr, result_count, result_datatype, target_rank, target_disp, target_count, target_datatype, op, win) : counted_Get_accumulate(origin_addr, origin_count, origin_datatype, result_addr, result_count, result_datatype, target_rank, target_disp, target_count, target_datatype, op, win); }

COUNTED int counted_Rget_accumulate(const void *origin_addr, int origin_count, MPI_Datatype origin_datatype, void *result_addr, int result_count, MPI_Datatype result_datatype, int target_rank, MPI_Aint target_disp, int target_count, MPI_Datatype target_datatype, MPI_Op op, MPI_Win win, MPI_Request *request) {
  uint64_t begin_ = BEGIN(CALL_Rget_accumulate, 0, 0);
  int result_ = NEXT(Rget_accumulate, midrun_next[CALL_Rget_accumulate], (origin_addr, origin_count, origin_datatype, result_addr, result_count, result_datatype, target_rank, target_disp, target_count, target_datatype, op, win, request));
  END(CALL_Rget_accumulate, 0, begin_, result_, target(target_rank, win), block_to(target_rank, result_count, result_datatype), target_rank, -1, MPI_COMM_NULL);
  return result_;
}
int MPI_Rget_accumulate(const void *origin_addr, int origin_count, MPI_Datatype origin_datatype, void *result_addr, int result_count, MPI_Datatype result_datatype, int target_rank, MPI_Aint target_disp, int target_count, MPI_Datatype target_datatype, MPI_Op op, MPI_Win win, MPI_Request *request) { return midrun_passes(CALL_Rget_accumulate) ? PMPI_Rget_accumulate(origin_addr, origin_count, origin_datatype, result_addr, result_count, result_datatype, target_rank, target_disp, target_count, target_datatype, op, win, request) : counted_Rget_accumulate(origin_addr, origin_count, origin_datatype, result_addr, result_count, result_datatype, target_rank, target_disp, target_count, target_datatype, op, win, request); }

COUNTED int counted_Fetch_and_op(const void *origin_addr, void *result_addr, MPI_Datatype datatype, int target_rank, MPI_Aint target_disp, MPI_Op op, MPI_Win win) {
  uint64_t begin_ = BEGIN(CALL_Fetch_and_op, 0, 0);
  int result_ = NEXT(Fetch_and_op, midrun_next[CALL_Fetch_and_op], (origin_addr, result_addr, datatype, target_rank, target_disp, op, win));
  END(CALL_Fetch_and_op, 0, begin_, result_, target(target_rank, win), block_to(target_rank, 1, datatype), target_rank, -1, MPI_COMM_NULL);
  return result_;
}
int MPI_Fetch_and_op(const void *origin_addr, void *result_addr, MPI_Datatype datatype, int target_rank, MPI_Aint target_disp, MPI_Op op, MPI_Win win) { return midrun_passes(CALL_Fetch_and_op) ? PMPI_Fetch_and_op(origin_addr, result_addr, datatype, target_rank, target_disp, op, win) : counted_Fetch_and_op(origin_addr, result_addr, datatype, target_rank, target_disp, op, win); }

COUNTED int counted_Compare_and_swap(const void *origin_addr, const void *compare_addr, void *result_addr, MPI_Datatype datatype, int target_rank, MPI_Aint target_disp, MPI_Win win) {
  uint64_t begin_ = BEGIN(CALL_Compare_and_swap, 0, 0);
  int result_ = NEXT(Compare_and_swap, midrun_next[CALL_Compare_and_swap], (origin_addr, compare_addr, result_addr, datatype, target_rank, target_disp, win));
  END(CALL_Compare_and_swap, 0, begin_, result_, target(target_rank, win), block_to(target_rank, 1, datatype), target_rank, -1, MPI_COMM_NULL);
  return result_;
}
int MPI_Compare_and_swap(const void *origin_addr, const void *compare_addr, void *result_addr, MPI_Datatype datatype, int target_rank, MPI_Aint target_disp, MPI_Win win) { return midrun_passes(CALL_Compare_and_swap) ? PMPI_Compare_and_swap(origin_addr, compare_addr, result_addr, datatype, target_rank, target_disp, win) : counted_Compare_and_swap(origin_addr, compare_addr, result_addr, datatype, target_rank, target_disp, win); }

#if MPI_VERSION >= 4

COUNTED int counted_Send_c(const void *buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm) {
  uint64_t begin_ = BEGIN(CALL_Send, 0, 0);
  int result_ = NEXT(Send_c, midrun_next_c[CALL_Send], (buf, count, datatype, dest, tag, comm));
  END(CALL_Send, 0, begin_, result_, peer(dest, comm), block_to(dest, count, datatype), dest, tag, comm);
  return result_;
}
int MPI_Send_c(const void *buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm) { return midrun_passes(CALL_Send) ? PMPI_Send_c(buf, count, datatype, dest, tag, comm) : counted_Send_c(buf, count, datatype, dest, tag, comm); }

COUNTED int counted_Ssend_c(const void *buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm) {
  uint64_t begin_ = BEGIN(CALL_Ssend, 0, 0);
  int result_ = NEXT(Ssend_c, midrun_next_c[CALL_Ssend], (buf, count, datatype, dest, tag, comm));
  END(CALL_Ssend, 0, begin_, result_, peer(dest, comm), block_to(dest, count, datatype), dest, tag, comm);
  return result_;
}
int MPI_Ssend_c(const void *buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm) { return midrun_passes(CALL_Ssend) ? PMPI_Ssend_c(buf, count, datatype, dest, tag, comm) : counted_Ssend_c(buf, count, datatype, dest, tag, comm); }

COUNTED int counted_Bsend_c(const void *buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm) {
  uint64_t begin_ = BEGIN(CALL_Bsend, 0, 0);
  int result_ = NEXT(Bsend_c, midrun_next_c[CALL_Bsend], (buf, count, datatype, dest, tag, comm));
  END(CALL_Bsend, 0, begin_, result_, peer(dest, comm), block_to(dest, count, datatype), dest, tag, comm);
  return result_;
}
int MPI_Bsend_c(const void *buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm) { return midrun_passes(CALL_Bsend) ? PMPI_Bsend_c(buf, count, datatype, dest, tag, comm) : counted_Bsend_c(buf, count, datatype, dest, tag, comm); }

COUNTED int counted_Rsend_c(const void *buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm) {
  uint64_t begin_ = BEGIN(CALL_Rsend, 0, 0);
  int result_ = NEXT(Rsend_c, midrun_next_c[CALL_Rsend], (buf, count, datatype, dest, tag, comm));
  END(CALL_Rsend, 0, begin_, result_, peer(dest, comm), block_to(dest, count, datatype), dest, tag, comm);
  return result_;
}
int MPI_Rsend_c(const void *buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm) { return midrun_passes(CALL_Rsend) ? PMPI_Rsend_c(buf, count, datatype, dest, tag, comm) : counted_Rsend_c(buf, count, datatype, dest, tag, comm); }

COUNTED int counted_Isend_c(const void *buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm, MPI_Request *request) {
  uint64_t begin_ = BEGIN(CALL_Isend, 0, 0);
  int result_ = NEXT(Isend_c, midrun_next_c[CALL_Isend], (buf, count, datatype, dest, tag, comm, request));
  END(CALL_Isend, 0, begin_, result_, peer(dest, comm), block_to(dest, count, datatype), dest, tag, comm);
  if (begin_ && result_ == MPI_SUCCESS) midrun_posted(request, sizeof *request, comm == MPI_COMM_WORLD);
  return result_;
}
int MPI_Isend_c(const void *buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm, MPI_Request *request) { return midrun_passes(CALL_Isend) ? PMPI_Isend_c(buf, count, datatype, dest, tag, comm, request) : counted_Isend_c(buf, count, datatype, dest, tag, comm, request); }

COUNTED int counted_Issend_c(const void *buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm, MPI_Request *request) {
  uint64_t begin_ = BEGIN(CALL_Issend, 0, 0);
  int result_ = NEXT(Issend_c, midrun_next_c[CALL_Issend], (buf, count, datatype, dest, tag, comm, request));
  END(CALL_Issend, 0, begin_, result_, peer(dest, comm), block_to(dest, count, datatype), dest, tag, comm);
  if (begin_ && result_ == MPI_SUCCESS) midrun_posted(request, sizeof *request, comm == MPI_COMM_WORLD);
  return result_;
}
int MPI_Issend_c(const void *buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm, MPI_Request *request) { return midrun_passes(CALL_Issend) ? PMPI_Issend_c(buf, count, datatype, dest, tag, comm, request) : counted_Issend_c(buf, count, datatype, dest, tag, comm, request); }

COUNTED int counted_Ibsend_c(const void *buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm, MPI_Request *request) {
  uint64_t begin_ = BEGIN(CALL_Ibsend, 0, 0);
  int result_ = NEXT(Ibsend_c, midrun_next_c[CALL_Ibsend], (buf, count, datatype, dest, tag, comm, request));
  END(CALL_Ibsend, 0, begin_, result_, peer(dest, comm), block_to(dest, count, datatype), dest, tag, comm);
  return result_;
}
int MPI_Ibsend_c(const void *buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm, MPI_Request *request) { return midrun_passes(CALL_Ibsend) ? PMPI_Ibsend_c(buf, count, datatype, dest, tag, comm, request) : counted_Ibsend_c(buf, count, datatype, dest, tag, comm, request); }

COUNTED int counted_Irsend_c(const void *buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm, MPI_Request *request) {
  uint64_t begin_ = BEGIN(CALL_Irsend, 0, 0);
  int result_ = NEXT(Irsend_c, midrun_next_c[CALL_Irsend], (buf, count, datatype, dest, tag, comm, request));
  END(CALL_Irsend, 0, begin_, result_, peer(dest, comm), block_to(dest, count, datatype), dest, tag, comm);
  if (begin_ && result_ == MPI_SUCCESS) midrun_posted(request, sizeof *request, comm == MPI_COMM_WORLD);
  return result_;
}
int MPI_Irsend_c(const void *buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm, MPI_Request *request) { return midrun_passes(CALL_Irsend) ? PMPI_Irsend_c(buf, count, datatype, dest, tag, comm, request) : counted_Irsend_c(buf, count, datatype, dest, tag, comm, request); }

COUNTED int counted_Recv_c(void *buf, MPI_Count count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm, MPI_Status *status) {
  uint64_t begin_ = BEGIN(CALL_Recv, 1, 1);
  MPI_Status own_;
  if (begin_ && status == MPI_STATUS_IGNORE) status = &own_;
  int result_ = NEXT(Recv_c, midrun_next_c[CALL_Recv], (buf, count, datatype, source, tag, comm, status));
  END(CALL_Recv, 1, begin_, result_, from(source, status, comm), received(status, count, datatype), source, tag, comm);
  return result_;
}
int MPI_Recv_c(void *buf, MPI_Count count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm, MPI_Status *status) { return midrun_passes(CALL_Recv) ? PMPI_Recv_c(buf, count, datatype, source, tag, comm, status) : counted_Recv_c(buf, count, datatype, source, tag, comm, status); }

COUNTED int counted_Irecv_c(void *buf, MPI_Count count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm, MPI_Request *request) {
  uint64_t begin_ = BEGIN(CALL_Irecv, 0, 0);
  int result_ = NEXT(Irecv_c, midrun_next_c[CALL_Irecv], (buf, count, datatype, source, tag, comm, request));
  END(CALL_Irecv, 0, begin_, result_, peer(source, comm), block_to(source, count, datatype), source, tag, comm);
  if (begin_ && result_ == MPI_SUCCESS) midrun_posted(request, sizeof *request, comm == MPI_COMM_WORLD);
  return result_;
}
int MPI_Irecv_c(void *buf, MPI_Count count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm, MPI_Request *request) { return midrun_passes(CALL_Irecv) ? PMPI_Irecv_c(buf, count, datatype, source, tag, comm, request) : counted_Irecv_c(buf, count, datatype, source, tag, comm, request); }

COUNTED int counted_Mrecv_c(void *buf, MPI_Count count, MPI_Datatype datatype, MPI_Message *message, MPI_Status *status) {
  uint64_t begin_ = BEGIN(CALL_Mrecv, 1, 1);
  MPI_Status own_;
  if (begin_ && status == MPI_STATUS_IGNORE) status = &own_;
  int result_ = NEXT(Mrecv_c, midrun_next_c[CALL_Mrecv], (buf, count, datatype, message, status));
  END(CALL_Mrecv, 1, begin_, result_, ANY, received(status, count, datatype), MPI_PROC_NULL, -1, MPI_COMM_NULL);
  return result_;
}
int MPI_Mrecv_c(void *buf, MPI_Count count, MPI_Datatype datatype, MPI_Message *message, MPI_Status *status) { return midrun_passes(CALL_Mrecv) ? PMPI_Mrecv_c(buf, count, datatype, message, status) : counted_Mrecv_c(buf, count, datatype, message, status); }

COUNTED int counted_Imrecv_c(void *buf, MPI_Count count, MPI_Datatype datatype, MPI_Message *message, MPI_Request *request) {
  uint64_t begin_ = BEGIN(CALL_Imrecv, 0, 0);
  int result_ = NEXT(Imrecv_c, midrun_next_c[CALL_Imrecv], (buf, count, datatype, message, request));
  END(CALL_Imrecv, 0, begin_, result_, ANY, block(count, datatype), MPI_PROC_NULL, -1, MPI_COMM_NULL);
  return result_;
}
int MPI_Imrecv_c(void *buf, MPI_Count count, MPI_Datatype datatype, MPI_Message *message, MPI_Request *request) { return midrun_passes(CALL_Imrecv) ? PMPI_Imrecv_c(buf, count, datatype, message, request) : counted_Imrecv_c(buf, count, datatype, message, request); }

COUNTED int counted_Sendrecv_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, int dest, int sendtag, void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int source, int recvtag, MPI_Comm comm, MPI_Status *status) {
  uint64_t begin_ = BEGIN(CALL_Sendrecv, 1, 1);
  MPI_Status own_;
  if (begin_ && status == MPI_STATUS_IGNORE) status = &own_;
  int result_ = NEXT(Sendrecv_c, midrun_next_c[CALL_Sendrecv], (sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount, recvtype, source, recvtag, comm, status));
  END(CALL_Sendrecv, 1, begin_, result_, either(dest, source, comm), block_to(dest, sendcount, sendtype) + received_from(source, status, recvcount, recvtype), dest, sendtag, comm);
  if (begin_ && result_ == MPI_SUCCESS) midrun_exchanged(peer(dest, comm), block_to(dest, sendcount, sendtype), from(source, status, comm), received_from(source, status, recvcount, recvtype));
  return result_;
}
int MPI_Sendrecv_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, int dest, int sendtag, void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int source, int recvtag, MPI_Comm comm, MPI_Status *status) { return midrun_passes(CALL_Sendrecv) ? PMPI_Sendrecv_c(sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount, recvtype, source, recvtag, comm, status) : counted_Sendrecv_c(sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount, recvtype, source, recvtag, comm, status); }

COUNTED int counted_Sendrecv_replace_c(void *buf, MPI_Count count, MPI_Datatype datatype, int dest, int sendtag, int source, int recvtag, MPI_Comm comm, MPI_Status *status) {
  uint64_t begin_ = BEGIN(CALL_Sendrecv_replace, 1, 1);
  MPI_Status own_;
  if (begin_ && status == MPI_STATUS_IGNORE) status = &own_;
  int result_ = NEXT(Sendrecv_replace_c, midrun_next_c[CALL_Sendrecv_replace], (buf, count, datatype, dest, sendtag, source, recvtag, comm, status));
  END(CALL_Sendrecv_replace, 1, begin_, result_, either(dest, source, comm), block_to(dest, count, datatype) + received_from(source, status, count, datatype), dest, sendtag, comm);
  if (begin_ && result_ == MPI_SUCCESS) midrun_exchanged(peer(dest, comm), block_to(dest, count, datatype), from(source, status, comm), received_from(source, status, count, datatype));
  return result_;
}
int MPI_Sendrecv_replace_c(void *buf, MPI_Count count, MPI_Datatype datatype, int dest, int sendtag, int source, int recvtag, MPI_Comm comm, MPI_Status *status) { return midrun_passes(CALL_Sendrecv_replace) ? PMPI_Sendrecv_replace_c(buf, count, datatype, dest, sendtag, source, recvtag, comm, status) : counted_Sendrecv_replace_c(buf, count, datatype, dest, sendtag, source, recvtag, comm, status); }

COUNTED int counted_Isendrecv_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, int dest, int sendtag, void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int source, int recvtag, MPI_Comm comm, MPI_Request *request) {
  uint64_t begin_ = BEGIN(CALL_Isendrecv, 0, 0);
  int result_ = NEXT(Isendrecv_c, midrun_next_c[CALL_Isendrecv], (sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount, recvtype, source, recvtag, comm, request));
  END(CALL_Isendrecv, 0, begin_, result_, either(dest, source, comm), block_to(dest, sendcount, sendtype) + block_to(source, recvcount, recvtype), dest, sendtag, comm);
  return result_;
}
int MPI_Isendrecv_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, int dest, int sendtag, void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int source, int recvtag, MPI_Comm comm, MPI_Request *request) { return midrun_passes(CALL_Isendrecv) ? PMPI_Isendrecv_c(sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount, recvtype, source, recvtag, comm, request) : counted_Isendrecv_c(sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount, recvtype, source, recvtag, comm, request); }

COUNTED int counted_Isendrecv_replace_c(void *buf, MPI_Count count, MPI_Datatype datatype, int dest, int sendtag, int source, int recvtag, MPI_Comm comm, MPI_Request *request) {
  uint64_t begin_ = BEGIN(CALL_Isendrecv_replace, 0, 0);
  int result_ = NEXT(Isendrecv_replace_c, midrun_next_c[CALL_Isendrecv_replace], (buf, count, datatype, dest, sendtag, source, recvtag, comm, request));
  END(CALL_Isendrecv_replace, 0, begin_, result_, either(dest, source, comm), block_to(dest, count, datatype) + block_to(source, count, datatype), dest, sendtag, comm);
  return result_;
}
int MPI_Isendrecv_replace_c(void *buf, MPI_Count count, MPI_Datatype datatype, int dest, int sendtag, int source, int recvtag, MPI_Comm comm, MPI_Request *request) { return midrun_passes(CALL_Isendrecv_replace) ? PMPI_Isendrecv_replace_c(buf, count, datatype, dest, sendtag, source, recvtag, comm, request) : counted_Isendrecv_replace_c(buf, count, datatype, dest, sendtag, source, recvtag, comm, request); }

COUNTED int counted_Get_count_c(const MPI_Status *status, MPI_Datatype datatype, MPI_Count *count) {
  uint64_t begin_ = BEGIN(CALL_Get_count, 0, 0);
  int result_ = NEXT(Get_count_c, midrun_next_c[CALL_Get_count], (status, datatype, count));
  END(CALL_Get_count, 0, begin_, result_, LOCAL, 0, MPI_PROC_NULL, -1, MPI_COMM_NULL);
  return result_;
}
int MPI_Get_count_c(const MPI_Status *status, MPI_Datatype datatype, MPI_Count *count) { return midrun_passes(CALL_Get_count) ? PMPI_Get_count_c(status, datatype, count) : counted_Get_count_c(status, datatype, count); }

COUNTED int counted_Get_elements_c(const MPI_Status *status, MPI_Datatype datatype, MPI_Count *count) {
  uint64_t begin_ = BEGIN(CALL_Get_elements, 0, 0);
  int result_ = NEXT(Get_elements_c, midrun_next_c[CALL_Get_elements], (status, datatype, count));
  END(CALL_Get_elements, 0, begin_, result_, LOCAL, 0, MPI_PROC_NULL, -1, MPI_COMM_NULL);
  return result_;
}
int MPI_Get_elements_c(const MPI_Status *status, MPI_Datatype datatype, MPI_Count *count) { return midrun_passes(CALL_Get_elements) ? PMPI_Get_elements_c(status, datatype, count) : counted_Get_elements_c(status, datatype, count); }

COUNTED int counted_Buffer_attach_c(void *buffer, MPI_Count size) {
  uint64_t begin_ = BEGIN(CALL_Buffer_attach, 0, 0);
  int result_ = NEXT(Buffer_attach_c, midrun_next_c[CALL_Buffer_attach], (buffer, size));
  END(CALL_Buffer_attach, 0, begin_, result_, LOCAL, 0, MPI_PROC_NULL, -1, MPI_COMM_NULL);
  return result_;
}
int MPI_Buffer_attach_c(void *buffer, MPI_Count size) { return midrun_passes(CALL_Buffer_attach) ? PMPI_Buffer_attach_c(buffer, size) : counted_Buffer_attach_c(buffer, size); }

COUNTED int counted_Buffer_detach_c(void *buffer_addr, MPI_Count *size) {
  uint64_t begin_ = BEGIN(CALL_Buffer_detach, 1, 0);
  int result_ = NEXT(Buffer_detach_c, midrun_next_c[CALL_Buffer_detach], (buffer_addr, size));
  END(CALL_Buffer_detach, 1, begin_, result_, LOCAL, 0, MPI_PROC_NULL, -1, MPI_COMM_NULL);
  return result_;
}
int MPI_Buffer_detach_c(void *buffer_addr, MPI_Count *size) { return midrun_passes(CALL_Buffer_detach) ? PMPI_Buffer_detach_c(buffer_addr, size) : counted_Buffer_detach_c(buffer_addr, size); }

COUNTED int counted_Send_init_c(const void *buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm, MPI_Request *request) {
  uint64_t begin_ = BEGIN(CALL_Send_init, 0, 0);
  int result_ = NEXT(Send_init_c, midrun_next_c[CALL_Send_init], (buf, count, datatype, dest, tag, comm, request));
  END(CALL_Send_init, 0, begin_, result_, peer(dest, comm), block_to(dest, count, datatype), dest, tag, comm);
  if (begin_ && result_ == MPI_SUCCESS) midrun_kept(request, sizeof *request, comm == MPI_COMM_WORLD);
  return result_;
}
int MPI_Send_init_c(const void *buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm, MPI_Request *request) { return !SWITCH ? PMPI_Send_init_c(buf, count, datatype, dest, tag, comm, request) : counted_Send_init_c(buf, count, datatype, dest, tag, comm, request); }

COUNTED int counted_Ssend_init_c(const void *buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm, MPI_Request *request) {
  uint64_t begin_ = BEGIN(CALL_Ssend_init, 0, 0);
  int result_ = NEXT(Ssend_init_c, midrun_next_c[CALL_Ssend_init], (buf, count, datatype, dest, tag, comm, request));
  END(CALL_Ssend_init, 0, begin_, result_, peer(dest, comm), block_to(dest, count, datatype), dest, tag, comm);
  if (begin_ && result_ == MPI_SUCCESS) midrun_kept(request, sizeof *request, comm == MPI_COMM_WORLD);
  return result_;
}
int MPI_Ssend_init_c(const void *buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm, MPI_Request *request) { return !SWITCH ? PMPI_Ssend_init_c(buf, count, datatype, dest, tag, comm, request) : counted_Ssend_init_c(buf, count, datatype, dest, tag, comm, request); }

COUNTED int counted_Bsend_init_c(const void *buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm, MPI_Request *request) {
  uint64_t begin_ = BEGIN(CALL_Bsend_init, 0, 0);
  int result_ = NEXT(Bsend_init_c, midrun_next_c[CALL_Bsend_init], (buf, count, datatype, dest, tag, comm, request));
  END(CALL_Bsend_init, 0, begin_, result_, peer(dest, comm), block_to(dest, count, datatype), dest, tag, comm);
  return result_;
}
int MPI_Bsend_init_c(const void *buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm, MPI_Request *request) { return midrun_passes(CALL_Bsend_init) ? PMPI_Bsend_init_c(buf, count, datatype, dest, tag, comm, request) : counted_Bsend_init_c(buf, count, datatype, dest, tag, comm, request); }

COUNTED int counted_Rsend_init_c(const void *buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm, MPI_Request *request) {
  uint64_t begin_ = BEGIN(CALL_Rsend_init, 0, 0);
  int result_ = NEXT(Rsend_init_c, midrun_next_c[CALL_Rsend_init], (buf, count, datatype, dest, tag, comm, request));
  END(CALL_Rsend_init, 0, begin_, result_, peer(dest, comm), block_to(dest, count, datatype), dest, tag, comm);
  if (begin_ && result_ == MPI_SUCCESS) midrun_kept(request, sizeof *request, comm == MPI_COMM_WORLD);
  return result_;
}
int MPI_Rsend_init_c(const void *buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm, MPI_Request *request) { return !SWITCH ? PMPI_Rsend_init_c(buf, count, datatype, dest, tag, comm, request) : counted_Rsend_init_c(buf, count, datatype, dest, tag, comm, request); }

COUNTED int counted_Recv_init_c(void *buf, MPI_Count count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm, MPI_Request *request) {
  uint64_t begin_ = BEGIN(CALL_Recv_init, 0, 0);
  int result_ = NEXT(Recv_init_c, midrun_next_c[CALL_Recv_init], (buf, count, datatype, source, tag, comm, request));
  END(CALL_Recv_init, 0, begin_, result_, peer(source, comm), block_to(source, count, datatype), source, tag, comm);
  if (begin_ && result_ == MPI_SUCCESS) midrun_kept(request, sizeof *request, comm == MPI_COMM_WORLD);
  return result_;
}
int MPI_Recv_init_c(void *buf, MPI_Count count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm, MPI_Request *request) { return !SWITCH ? PMPI_Recv_init_c(buf, count, datatype, source, tag, comm, request) : counted_Recv_init_c(buf, count, datatype, source, tag, comm, request); }

COUNTED int counted_Bcast_c(void *buffer, MPI_Count count, MPI_Datatype datatype, int root, MPI_Comm comm) {
  uint64_t begin_ = BEGIN(CALL_Bcast, 1, 1);
  int result_ = NEXT(Bcast_c, midrun_next_c[CALL_Bcast], (buffer, count, datatype, root, comm));
  END(CALL_Bcast, 1, begin_, result_, COLLECTIVE, rooted(root, count, datatype, comm), MPI_PROC_NULL, -1, comm);
  return result_;
}
int MPI_Bcast_c(void *buffer, MPI_Count count, MPI_Datatype datatype, int root, MPI_Comm comm) { return midrun_passes(CALL_Bcast) ? PMPI_Bcast_c(buffer, count, datatype, root, comm) : counted_Bcast_c(buffer, count, datatype, root, comm); }

COUNTED int counted_Gather_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm) {
  uint64_t begin_ = BEGIN(CALL_Gather, 1, 1);
  int result_ = NEXT(Gather_c, midrun_next_c[CALL_Gather], (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm));
  END(CALL_Gather, 1, begin_, result_, COLLECTIVE, gathered(sendbuf, sendcount, sendtype, recvcount, recvtype, root, comm), MPI_PROC_NULL, -1, comm);
  return result_;
}
int MPI_Gather_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm) { return midrun_passes(CALL_Gather) ? PMPI_Gather_c(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm) : counted_Gather_c(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm); }

COUNTED int counted_Gatherv_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf, const MPI_Count recvcounts[], const MPI_Aint displs[], MPI_Datatype recvtype, int root, MPI_Comm comm) {
  uint64_t begin_ = BEGIN(CALL_Gatherv, 1, 1);
  int result_ = NEXT(Gatherv_c, midrun_next_c[CALL_Gatherv], (sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root, comm));
  END(CALL_Gatherv, 1, begin_, result_, COLLECTIVE, gathered_v_c(sendbuf, sendcount, sendtype, recvcounts, recvtype, root, comm), MPI_PROC_NULL, -1, comm);
  return result_;
}
int MPI_Gatherv_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf, const MPI_Count recvcounts[], const MPI_Aint displs[], MPI_Datatype recvtype, int root, MPI_Comm comm) { return midrun_passes(CALL_Gatherv) ? PMPI_Gatherv_c(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root, comm) : counted_Gatherv_c(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root, comm); }

COUNTED int counted_Scatter_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm) {
  uint64_t begin_ = BEGIN(CALL_Scatter, 1, 1);
  int result_ = NEXT(Scatter_c, midrun_next_c[CALL_Scatter], (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm));
  END(CALL_Scatter, 1, begin_, result_, COLLECTIVE, scattered(recvbuf, recvcount, recvtype, sendcount, sendtype, root, comm), MPI_PROC_NULL, -1, comm);
  return result_;
}
int MPI_Scatter_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm) { return midrun_passes(CALL_Scatter) ? PMPI_Scatter_c(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm) : counted_Scatter_c(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm); }

COUNTED int counted_Scatterv_c(const void *sendbuf, const MPI_Count sendcounts[], const MPI_Aint displs[], MPI_Datatype sendtype, void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm) {
  uint64_t begin_ = BEGIN(CALL_Scatterv, 1, 1);
  int result_ = NEXT(Scatterv_c, midrun_next_c[CALL_Scatterv], (sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root, comm));
  END(CALL_Scatterv, 1, begin_, result_, COLLECTIVE, scattered_v_c(recvbuf, recvcount, recvtype, sendcounts, sendtype, root, comm), MPI_PROC_NULL, -1, comm);
  return result_;
}
int MPI_Scatterv_c(const void *sendbuf, const MPI_Count sendcounts[], const MPI_Aint displs[], MPI_Datatype sendtype, void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm) { return midrun_passes(CALL_Scatterv) ? PMPI_Scatterv_c(sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root, comm) : counted_Scatterv_c(sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root, comm); }

COUNTED int counted_Allgather_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm) {
  uint64_t begin_ = BEGIN(CALL_Allgather, 1, 1);
  int result_ = NEXT(Allgather_c, midrun_next_c[CALL_Allgather], (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm));
  END(CALL_Allgather, 1, begin_, result_, COLLECTIVE, own(sendbuf, sendcount, sendtype, recvcount, recvtype), MPI_PROC_NULL, -1, comm);
  return result_;
}
int MPI_Allgather_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm) { return midrun_passes(CALL_Allgather) ? PMPI_Allgather_c(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm) : counted_Allgather_c(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm); }

COUNTED int counted_Allgatherv_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf, const MPI_Count recvcounts[], const MPI_Aint displs[], MPI_Datatype recvtype, MPI_Comm comm) {
  uint64_t begin_ = BEGIN(CALL_Allgatherv, 1, 1);
  int result_ = NEXT(Allgatherv_c, midrun_next_c[CALL_Allgatherv], (sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm));
  END(CALL_Allgatherv, 1, begin_, result_, COLLECTIVE, own_v_c(sendbuf, sendcount, sendtype, recvcounts, recvtype, comm), MPI_PROC_NULL, -1, comm);
  return result_;
}
int MPI_Allgatherv_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf, const MPI_Count recvcounts[], const MPI_Aint displs[], MPI_Datatype recvtype, MPI_Comm comm) { return midrun_passes(CALL_Allgatherv) ? PMPI_Allgatherv_c(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm) : counted_Allgatherv_c(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm); }

COUNTED int counted_Alltoall_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm) {
  uint64_t begin_ = BEGIN(CALL_Alltoall, 1, 1);
  int result_ = NEXT(Alltoall_c, midrun_next_c[CALL_Alltoall], (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm));
  END(CALL_Alltoall, 1, begin_, result_, COLLECTIVE, own(sendbuf, sendcount, sendtype, recvcount, recvtype) * peers(comm), MPI_PROC_NULL, -1, comm);
  return result_;
}
int MPI_Alltoall_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm) { return midrun_passes(CALL_Alltoall) ? PMPI_Alltoall_c(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm) : counted_Alltoall_c(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm); }

COUNTED int counted_Alltoallv_c(const void *sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[], MPI_Datatype sendtype, void *recvbuf, const MPI_Count recvcounts[], const MPI_Aint rdispls[], MPI_Datatype recvtype, MPI_Comm comm) {
  uint64_t begin_ = BEGIN(CALL_Alltoallv, 1, 1);
  int result_ = NEXT(Alltoallv_c, midrun_next_c[CALL_Alltoallv], (sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm));
  END(CALL_Alltoallv, 1, begin_, result_, COLLECTIVE, own_all_v_c(sendbuf, sendcounts, sendtype, recvcounts, recvtype, peers(comm)), MPI_PROC_NULL, -1, comm);
  return result_;
}
int MPI_Alltoallv_c(const void *sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[], MPI_Datatype sendtype, void *recvbuf, const MPI_Count recvcounts[], const MPI_Aint rdispls[], MPI_Datatype recvtype, MPI_Comm comm) { return midrun_passes(CALL_Alltoallv) ? PMPI_Alltoallv_c(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm) : counted_Alltoallv_c(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm); }

COUNTED int counted_Alltoallw_c(const void *sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[], const MPI_Datatype sendtypes[], void *recvbuf, const MPI_Count recvcounts[], const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm) {
  uint64_t begin_ = BEGIN(CALL_Alltoallw, 1, 1);
  int result_ = NEXT(Alltoallw_c, midrun_next_c[CALL_Alltoallw], (sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm));
  END(CALL_Alltoallw, 1, begin_, result_, COLLECTIVE, own_all_w_c(sendbuf, sendcounts, sendtypes, recvcounts, recvtypes, peers(comm)), MPI_PROC_NULL, -1, comm);
  return result_;
}
int MPI_Alltoallw_c(const void *sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[], const MPI_Datatype sendtypes[], void *recvbuf, const MPI_Count recvcounts[], const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm) { return midrun_passes(CALL_Alltoallw) ? PMPI_Alltoallw_c(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm) : counted_Alltoallw_c(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm); }

COUNTED int counted_Reduce_c(const void *sendbuf, void *recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op, int root, MPI_Comm comm) {
  uint64_t begin_ = BEGIN(CALL_Reduce, 1, 1);
  int result_ = NEXT(Reduce_c, midrun_next_c[CALL_Reduce], (sendbuf, recvbuf, count, datatype, op, root, comm));
  END(CALL_Reduce, 1, begin_, result_, COLLECTIVE, rooted(root, count, datatype, comm), MPI_PROC_NULL, -1, comm);
  return result_;
}
int MPI_Reduce_c(const void *sendbuf, void *recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op, int root, MPI_Comm comm) { return midrun_passes(CALL_Reduce) ? PMPI_Reduce_c(sendbuf, recvbuf, count, datatype, op, root, comm) : counted_Reduce_c(sendbuf, recvbuf, count, datatype, op, root, comm); }

COUNTED int counted_Allreduce_c(const void *sendbuf, void *recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm) {
  uint64_t begin_ = BEGIN(CALL_Allreduce, 1, 1);
  int result_ = NEXT(Allreduce_c, midrun_next_c[CALL_Allreduce], (sendbuf, recvbuf, count, datatype, op, comm));
  END(CALL_Allreduce, 1, begin_, result_, COLLECTIVE, block(count, datatype), MPI_PROC_NULL, -1, comm);
  return result_;
}
int MPI_Allreduce_c(const void *sendbuf, void *recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm) { return midrun_passes(CALL_Allreduce) ? PMPI_Allreduce_c(sendbuf, recvbuf, count, datatype, op, comm) : counted_Allreduce_c(sendbuf, recvbuf, count, datatype, op, comm); }

COUNTED int counted_Reduce_scatter_c(const void *sendbuf, void *recvbuf, const MPI_Count recvcounts[], MPI_Datatype datatype, MPI_Op op, MPI_Comm comm) {
  uint64_t begin_ = BEGIN(CALL_Reduce_scatter, 1, 1);
  int result_ = NEXT(Reduce_scatter_c, midrun_next_c[CALL_Reduce_scatter], (sendbuf, recvbuf, recvcounts, datatype, op, comm));
  END(CALL_Reduce_scatter, 1, begin_, result_, COLLECTIVE, all_v_c(recvcounts, datatype, members(comm)), MPI_PROC_NULL, -1, comm);
  return result_;
}
int MPI_Reduce_scatter_c(const void *sendbuf, void *recvbuf, const MPI_Count recvcounts[], MPI_Datatype datatype, MPI_Op op, MPI_Comm comm) { return midrun_passes(CALL_Reduce_scatter) ? PMPI_Reduce_scatter_c(sendbuf, recvbuf, recvcounts, datatype, op, comm) : counted_Reduce_scatter_c(sendbuf, recvbuf, recvcounts, datatype, op, comm); }

COUNTED int counted_Reduce_scatter_block_c(const void *sendbuf, void *recvbuf, MPI_Count recvcount, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm) {
  uint64_t begin_ = BEGIN(CALL_Reduce_scatter_block, 1, 1);
  int result_ = NEXT(Reduce_scatter_block_c, midrun_next_c[CALL_Reduce_scatter_block], (sendbuf, recvbuf, recvcount, datatype, op, comm));
  END(CALL_Reduce_scatter_block, 1, begin_, result_, COLLECTIVE, block(recvcount, datatype) * members(comm), MPI_PROC_NULL, -1, comm);
  return result_;
}
int MPI_Reduce_scatter_block_c(const void *sendbuf, void *recvbuf, MPI_Count recvcount, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm) { return midrun_passes(CALL_Reduce_scatter_block) ? PMPI_Reduce_scatter_block_c(sendbuf, recvbuf, recvcount, datatype, op, comm) : counted_Reduce_scatter_block_c(sendbuf, recvbuf, recvcount, datatype, op, comm); }

COUNTED int counted_Scan_c(const void *sendbuf, void *recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm) {
  uint64_t begin_ = BEGIN(CALL_Scan, 1, 1);
  int result_ = NEXT(Scan_c, midrun_next_c[CALL_Scan], (sendbuf, recvbuf, count, datatype, op, comm));
  END(CALL_Scan, 1, begin_, result_, COLLECTIVE, block(count, datatype), MPI_PROC_NULL, -1, comm);
  return result_;
}
int MPI_Scan_c(const void *sendbuf, void *recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm) { return midrun_passes(CALL_Scan) ? PMPI_Scan_c(sendbuf, recvbuf, count, datatype, op, comm) : counted_Scan_c(sendbuf, recvbuf, count, datatype, op, comm); }

COUNTED int counted_Exscan_c(const void *sendbuf, void *recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm) {
  uint64_t begin_ = BEGIN(CALL_Exscan, 1, 1);
  int result_ = NEXT(Exscan_c, midrun_next_c[CALL_Exscan], (sendbuf, recvbuf, count, datatype, op, comm));
  END(CALL_Exscan, 1, begin_, result_, COLLECTIVE, block(count, datatype), MPI_PROC_NULL, -1, comm);
  return result_;
}
int MPI_Exscan_c(const void *sendbuf, void *recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm) { return midrun_passes(CALL_Exscan) ? PMPI_Exscan_c(sendbuf, recvbuf, count, datatype, op, comm) : counted_Exscan_c(sendbuf, recvbuf, count, datatype, op, comm); }

COUNTED int counted_Neighbor_allgather_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm) {
  uint64_t begin_ = BEGIN(CALL_Neighbor_allgather, 1, 1);
  int result_ = NEXT(Neighbor_allgather_c, midrun_next_c[CALL_Neighbor_allgather], (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm));
  END(CALL_Neighbor_allgather, 1, begin_, result_, COLLECTIVE, block(sendcount, sendtype), MPI_PROC_NULL, -1, comm);
  return result_;
}
int MPI_Neighbor_allgather_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm) { return midrun_passes(CALL_Neighbor_allgather) ? PMPI_Neighbor_allgather_c(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm) : counted_Neighbor_allgather_c(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm); }

COUNTED int counted_Neighbor_allgatherv_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf, const MPI_Count recvcounts[], const MPI_Aint displs[], MPI_Datatype recvtype, MPI_Comm comm) {
  uint64_t begin_ = BEGIN(CALL_Neighbor_allgatherv, 1, 1);
  int result_ = NEXT(Neighbor_allgatherv_c, midrun_next_c[CALL_Neighbor_allgatherv], (sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm));
  END(CALL_Neighbor_allgatherv, 1, begin_, result_, COLLECTIVE, block(sendcount, sendtype), MPI_PROC_NULL, -1, comm);
  return result_;
}
int MPI_Neighbor_allgatherv_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf, const MPI_Count recvcounts[], const MPI_Aint displs[], MPI_Datatype recvtype, MPI_Comm comm) { return midrun_passes(CALL_Neighbor_allgatherv) ? PMPI_Neighbor_allgatherv_c(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm) : counted_Neighbor_allgatherv_c(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm); }

COUNTED int counted_Neighbor_alltoall_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm) {
  uint64_t begin_ = BEGIN(CALL_Neighbor_alltoall, 1, 1);
  int result_ = NEXT(Neighbor_alltoall_c, midrun_next_c[CALL_Neighbor_alltoall], (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm));
  END(CALL_Neighbor_alltoall, 1, begin_, result_, COLLECTIVE, block(sendcount, sendtype) * neighbours(comm), MPI_PROC_NULL, -1, comm);
  return result_;
}
int MPI_Neighbor_alltoall_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm) { return midrun_passes(CALL_Neighbor_alltoall) ? PMPI_Neighbor_alltoall_c(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm) : counted_Neighbor_alltoall_c(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm); }

COUNTED int counted_Neighbor_alltoallv_c(const void *sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[], MPI_Datatype sendtype, void *recvbuf, const MPI_Count recvcounts[], const MPI_Aint rdispls[], MPI_Datatype recvtype, MPI_Comm comm) {
  uint64_t begin_ = BEGIN(CALL_Neighbor_alltoallv, 1, 1);
  int result_ = NEXT(Neighbor_alltoallv_c, midrun_next_c[CALL_Neighbor_alltoallv], (sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm));
  END(CALL_Neighbor_alltoallv, 1, begin_, result_, COLLECTIVE, all_v_c(sendcounts, sendtype, neighbours(comm)), MPI_PROC_NULL, -1, comm);
  return result_;
}
int MPI_Neighbor_alltoallv_c(const void *sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[], MPI_Datatype sendtype, void *recvbuf, const MPI_Count recvcounts[], const MPI_Aint rdispls[], MPI_Datatype recvtype, MPI_Comm comm) { return midrun_passes(CALL_Neighbor_alltoallv) ? PMPI_Neighbor_alltoallv_c(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm) : counted_Neighbor_alltoallv_c(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm); }

COUNTED int counted_Neighbor_alltoallw_c(const void *sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[], const MPI_Datatype sendtypes[], void *recvbuf, const MPI_Count recvcounts[], const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm) {
  uint64_t begin_ = BEGIN(CALL_Neighbor_alltoallw, 1, 1);
  int result_ = NEXT(Neighbor_alltoallw_c, midrun_next_c[CALL_Neighbor_alltoallw], (sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm));
  END(CALL_Neighbor_alltoallw, 1, begin_, result_, COLLECTIVE, all_w_c(sendcounts, sendtypes, neighbours(comm)), MPI_PROC_NULL, -1, comm);
  return result_;
}
int MPI_Neighbor_alltoallw_c(const void *sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[], const MPI_Datatype sendtypes[], void *recvbuf, const MPI_Count recvcounts[], const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm) { return midrun_passes(CALL_Neighbor_alltoallw) ? PMPI_Neighbor_alltoallw_c(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm) : counted_Neighbor_alltoallw_c(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm); }

COUNTED int counted_Ibcast_c(void *buffer, MPI_Count count, MPI_Datatype datatype, int root, MPI_Comm comm, MPI_Request *request) {
  uint64_t begin_ = BEGIN(CALL_Ibcast, 0, 0);
  int result_ = NEXT(Ibcast_c, midrun_next_c[CALL_Ibcast], (buffer, count, datatype, root, comm, request));
  END(CALL_Ibcast, 0, begin_, result_, COLLECTIVE, rooted(root, count, datatype, comm), MPI_PROC_NULL, -1, comm);
  return result_;
}
int MPI_Ibcast_c(void *buffer, MPI_Count count, MPI_Datatype datatype, int root, MPI_Comm comm, MPI_Request *request) { return midrun_passes(CALL_Ibcast) ? PMPI_Ibcast_c(buffer, count, datatype, root, comm, request) : counted_Ibcast_c(buffer, count, datatype, root, comm, request); }

COUNTED int counted_Igather_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Request *request) {
  uint64_t begin_ = BEGIN(CALL_Igather, 0, 0);
  int result_ = NEXT(Igather_c, midrun_next_c[CALL_Igather], (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, request));
  END(CALL_Igather, 0, begin_, result_, COLLECTIVE, gathered(sendbuf, sendcount, sendtype, recvcount, recvtype, root, comm), MPI_PROC_NULL, -1, comm);
  return result_;
}
int MPI_Igather_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Request *request) { return midrun_passes(CALL_Igather) ? PMPI_Igather_c(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, request) : counted_Igather_c(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, request); }

COUNTED int counted_Igatherv_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf, const MPI_Count recvcounts[], const MPI_Aint displs[], MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Request *request) {
  uint64_t begin_ = BEGIN(CALL_Igatherv, 0, 0);
  int result_ = NEXT(Igatherv_c, midrun_next_c[CALL_Igatherv], (sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root, comm, request));
  END(CALL_Igatherv, 0, begin_, result_, COLLECTIVE, gathered_v_c(sendbuf, sendcount, sendtype, recvcounts, recvtype, root, comm), MPI_PROC_NULL, -1, comm);
  return result_;
}
int MPI_Igatherv_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf, const MPI_Count recvcounts[], const MPI_Aint displs[], MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Request *request) { return midrun_passes(CALL_Igatherv) ? PMPI_Igatherv_c(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root, comm, request) : counted_Igatherv_c(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root, comm, request); }

COUNTED int counted_Iscatter_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Request *request) {
  uint64_t begin_ = BEGIN(CALL_Iscatter, 0, 0);
  int result_ = NEXT(Iscatter_c, midrun_next_c[CALL_Iscatter], (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, request));
  END(CALL_Iscatter, 0, begin_, result_, COLLECTIVE, scattered(recvbuf, recvcount, recvtype, sendcount, sendtype, root, comm), MPI_PROC_NULL, -1, comm);
  return result_;
}
int MPI_Iscatter_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Request *request) { return midrun_passes(CALL_Iscatter) ? PMPI_Iscatter_c(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, request) : counted_Iscatter_c(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, request); }

COUNTED int counted_Iscatterv_c(const void *sendbuf, const MPI_Count sendcounts[], const MPI_Aint displs[], MPI_Datatype sendtype, void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Request *request) {
  uint64_t begin_ = BEGIN(CALL_Iscatterv, 0, 0);
  int result_ = NEXT(Iscatterv_c, midrun_next_c[CALL_Iscatterv], (sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root, comm, request));
  END(CALL_Iscatterv, 0, begin_, result_, COLLECTIVE, scattered_v_c(recvbuf, recvcount, recvtype, sendcounts, sendtype, root, comm), MPI_PROC_NULL, -1, comm);
  return result_;
}
int MPI_Iscatterv_c(const void *sendbuf, const MPI_Count sendcounts[], const MPI_Aint displs[], MPI_Datatype sendtype, void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Request *request) { return midrun_passes(CALL_Iscatterv) ? PMPI_Iscatterv_c(sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root, comm, request) : counted_Iscatterv_c(sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root, comm, request); }

COUNTED int counted_Iallgather_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request) {
  uint64_t begin_ = BEGIN(CALL_Iallgather, 0, 0);
  int result_ = NEXT(Iallgather_c, midrun_next_c[CALL_Iallgather], (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, request));
  END(CALL_Iallgather, 0, begin_, result_, COLLECTIVE, own(sendbuf, sendcount, sendtype, recvcount, recvtype), MPI_PROC_NULL, -1, comm);
  return result_;
}
int MPI_Iallgather_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request) { return midrun_passes(CALL_Iallgather) ? PMPI_Iallgather_c(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, request) : counted_Iallgather_c(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, request); }

COUNTED int counted_Iallgatherv_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf, const MPI_Count recvcounts[], const MPI_Aint displs[], MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request) {
  uint64_t begin_ = BEGIN(CALL_Iallgatherv, 0, 0);
  int result_ = NEXT(Iallgatherv_c, midrun_next_c[CALL_Iallgatherv], (sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm, request));
  END(CALL_Iallgatherv, 0, begin_, result_, COLLECTIVE, own_v_c(sendbuf, sendcount, sendtype, recvcounts, recvtype, comm), MPI_PROC_NULL, -1, comm);
  return result_;
}
int MPI_Iallgatherv_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf, const MPI_Count recvcounts[], const MPI_Aint displs[], MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request) { return midrun_passes(CALL_Iallgatherv) ? PMPI_Iallgatherv_c(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm, request) : counted_Iallgatherv_c(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm, request); }

COUNTED int counted_Ialltoall_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request) {
  uint64_t begin_ = BEGIN(CALL_Ialltoall, 0, 0);
  int result_ = NEXT(Ialltoall_c, midrun_next_c[CALL_Ialltoall], (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, request));
  END(CALL_Ialltoall, 0, begin_, result_, COLLECTIVE, own(sendbuf, sendcount, sendtype, recvcount, recvtype) * peers(comm), MPI_PROC_NULL, -1, comm);
  return result_;
}
int MPI_Ialltoall_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request) { return midrun_passes(CALL_Ialltoall) ? PMPI_Ialltoall_c(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, request) : counted_Ialltoall_c(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, request); }

COUNTED int counted_Ialltoallv_c(const void *sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[], MPI_Datatype sendtype, void *recvbuf, const MPI_Count recvcounts[], const MPI_Aint rdispls[], MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request) {
  uint64_t begin_ = BEGIN(CALL_Ialltoallv, 0, 0);
  int result_ = NEXT(Ialltoallv_c, midrun_next_c[CALL_Ialltoallv], (sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm, request));
  END(CALL_Ialltoallv, 0, begin_, result_, COLLECTIVE, own_all_v_c(sendbuf, sendcounts, sendtype, recvcounts, recvtype, peers(comm)), MPI_PROC_NULL, -1, comm);
  return result_;
}
int MPI_Ialltoallv_c(const void *sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[], MPI_Datatype sendtype, void *recvbuf, const MPI_Count recvcounts[], const MPI_Aint rdispls[], MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request) { return midrun_passes(CALL_Ialltoallv) ? PMPI_Ialltoallv_c(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm, request) : counted_Ialltoallv_c(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm, request); }

COUNTED int counted_Ialltoallw_c(const void *sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[], const MPI_Datatype sendtypes[], void *recvbuf, const MPI_Count recvcounts[], const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm, MPI_Request *request) {
  uint64_t begin_ = BEGIN(CALL_Ialltoallw, 0, 0);
  int result_ = NEXT(Ialltoallw_c, midrun_next_c[CALL_Ialltoallw], (sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm, request));
  END(CALL_Ialltoallw, 0, begin_, result_, COLLECTIVE, own_all_w_c(sendbuf, sendcounts, sendtypes, recvcounts, recvtypes, peers(comm)), MPI_PROC_NULL, -1, comm);
  return result_;
}
int MPI_Ialltoallw_c(const void *sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[], const MPI_Datatype sendtypes[], void *recvbuf, const MPI_Count recvcounts[], const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm, MPI_Request *request) { return midrun_passes(CALL_Ialltoallw) ? PMPI_Ialltoallw_c(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm, request) : counted_Ialltoallw_c(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm, request); }

COUNTED int counted_Ireduce_c(const void *sendbuf, void *recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op, int root, MPI_Comm comm, MPI_Request *request) {
  uint64_t begin_ = BEGIN(CALL_Ireduce, 0, 0);
  int result_ = NEXT(Ireduce_c, midrun_next_c[CALL_Ireduce], (sendbuf, recvbuf, count, datatype, op, root, comm, request));
  END(CALL_Ireduce, 0, begin_, result_, COLLECTIVE, rooted(root, count, datatype, comm), MPI_PROC_NULL, -1, comm);
  return result_;
}
int MPI_Ireduce_c(const void *sendbuf, void *recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op, int root, MPI_Comm comm, MPI_Request *request) { return midrun_passes(CALL_Ireduce) ? PMPI_Ireduce_c(sendbuf, recvbuf, count, datatype, op, root, comm, request) : counted_Ireduce_c(sendbuf, recvbuf, count, datatype, op, root, comm, request); }

COUNTED int counted_Iallreduce_c(const void *sendbuf, void *recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Request *request) {
  uint64_t begin_ = BEGIN(CALL_Iallreduce, 0, 0);
  int result_ = NEXT(Iallreduce_c, midrun_next_c[CALL_Iallreduce], (sendbuf, recvbuf, count, datatype, op, comm, request));
  END(CALL_Iallreduce, 0, begin_, result_, COLLECTIVE, block(count, datatype), MPI_PROC_NULL, -1, comm);
  return result_;
}
int MPI_Iallreduce_c(const void *sendbuf, void *recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Request *request) { return midrun_passes(CALL_Iallreduce) ? PMPI_Iallreduce_c(sendbuf, recvbuf, count, datatype, op, comm, request) : counted_Iallreduce_c(sendbuf, recvbuf, count, datatype, op, comm, request); }

COUNTED int counted_Ireduce_scatter_c(const void *sendbuf, void *recvbuf, const MPI_Count recvcounts[], MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Request *request) {
  uint64_t begin_ = BEGIN(CALL_Ireduce_scatter, 0, 0);
  int result_ = NEXT(Ireduce_scatter_c, midrun_next_c[CALL_Ireduce_scatter], (sendbuf, recvbuf, recvcounts, datatype, op, comm, request));
  END(CALL_Ireduce_scatter, 0, begin_, result_, COLLECTIVE, all_v_c(recvcounts, datatype, members(comm)), MPI_PROC_NULL, -1, comm);
  return result_;
}
int MPI_Ireduce_scatter_c(const void *sendbuf, void *recvbuf, const MPI_Count recvcounts[], MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Request *request) { return midrun_passes(CALL_Ireduce_scatter) ? PMPI_Ireduce_scatter_c(sendbuf, recvbuf, recvcounts, datatype, op, comm, request) : counted_Ireduce_scatter_c(sendbuf, recvbuf, recvcounts, datatype, op, comm, request); }

COUNTED int counted_Ireduce_scatter_block_c(const void *sendbuf, void *recvbuf, MPI_Count recvcount, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Request *request) {
  uint64_t begin_ = BEGIN(CALL_Ireduce_scatter_block, 0, 0);
  int result_ = NEXT(Ireduce_scatter_block_c, midrun_next_c[CALL_Ireduce_scatter_block], (sendbuf, recvbuf, recvcount, datatype, op, comm, request));
  END(CALL_Ireduce_scatter_block, 0, begin_, result_, COLLECTIVE, block(recvcount, datatype) * members(comm), MPI_PROC_NULL, -1, comm);
  return result_;
}
int MPI_Ireduce_scatter_block_c(const void *sendbuf, void *recvbuf, MPI_Count recvcount, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Request *request) { return midrun_passes(CALL_Ireduce_scatter_block) ? PMPI_Ireduce_scatter_block_c(sendbuf, recvbuf, recvcount, datatype, op, comm, request) : counted_Ireduce_scatter_block_c(sendbuf, recvbuf, recvcount, datatype, op, comm, request); }

COUNTED int counted_Iscan_c(const void *sendbuf, void *recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Request *request) {
  uint64_t begin_ = BEGIN(CALL_Iscan, 0, 0);
  int result_ = NEXT(Iscan_c, midrun_next_c[CALL_Iscan], (sendbuf, recvbuf, count, datatype, op, comm, request));
  END(CALL_Iscan, 0, begin_, result_, COLLECTIVE, block(count, datatype), MPI_PROC_NULL, -1, comm);
  return result_;
}
int MPI_Iscan_c(const void *sendbuf, void *recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Request *request) { return midrun_passes(CALL_Iscan) ? PMPI_Iscan_c(sendbuf, recvbuf, count, datatype, op, comm, request) : counted_Iscan_c(sendbuf, recvbuf, count, datatype, op, comm, request); }

COUNTED int counted_Iexscan_c(const void *sendbuf, void *recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Request *request) {
  uint64_t begin_ = BEGIN(CALL_Iexscan, 0, 0);
  int result_ = NEXT(Iexscan_c, midrun_next_c[CALL_Iexscan], (sendbuf, recvbuf, count, datatype, op, comm, request));
  END(CALL_Iexscan, 0, begin_, result_, COLLECTIVE, block(count, datatype), MPI_PROC_NULL, -1, comm);
  return result_;
}
int MPI_Iexscan_c(const void *sendbuf, void *recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Request *request) { return midrun_passes(CALL_Iexscan) ? PMPI_Iexscan_c(sendbuf, recvbuf, count, datatype, op, comm, request) : counted_Iexscan_c(sendbuf, recvbuf, count, datatype, op, comm, request); }

COUNTED int counted_Ineighbor_allgather_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request) {
  uint64_t begin_ = BEGIN(CALL_Ineighbor_allgather, 0, 0);
  int result_ = NEXT(Ineighbor_allgather_c, midrun_next_c[CALL_Ineighbor_allgather], (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, request));
  END(CALL_Ineighbor_allgather, 0, begin_, result_, COLLECTIVE, block(sendcount, sendtype), MPI_PROC_NULL, -1, comm);
  return result_;
}
int MPI_Ineighbor_allgather_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request) { return midrun_passes(CALL_Ineighbor_allgather) ? PMPI_Ineighbor_allgather_c(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, request) : counted_Ineighbor_allgather_c(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, request); }

COUNTED int counted_Ineighbor_allgatherv_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf, const MPI_Count recvcounts[], const MPI_Aint displs[], MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request) {
  uint64_t begin_ = BEGIN(CALL_Ineighbor_allgatherv, 0, 0);
  int result_ = NEXT(Ineighbor_allgatherv_c, midrun_next_c[CALL_Ineighbor_allgatherv], (sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm, request));
  END(CALL_Ineighbor_allgatherv, 0, begin_, result_, COLLECTIVE, block(sendcount, sendtype), MPI_PROC_NULL, -1, comm);
  return result_;
}
int MPI_Ineighbor_allgatherv_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf, const MPI_Count recvcounts[], const MPI_Aint displs[], MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request) { return midrun_passes(CALL_Ineighbor_allgatherv) ? PMPI_Ineighbor_allgatherv_c(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm, request) : counted_Ineighbor_allgatherv_c(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm, request); }

COUNTED int counted_Ineighbor_alltoall_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request) {
  uint64_t begin_ = BEGIN(CALL_Ineighbor_alltoall, 0, 0);
  int result_ = NEXT(Ineighbor_alltoall_c, midrun_next_c[CALL_Ineighbor_alltoall], (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, request));
  END(CALL_Ineighbor_alltoall, 0, begin_, result_, COLLECTIVE, block(sendcount, sendtype) * neighbours(comm), MPI_PROC_NULL, -1, comm);
  return result_;
}
int MPI_Ineighbor_alltoall_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request) { return midrun_passes(CALL_Ineighbor_alltoall) ? PMPI_Ineighbor_alltoall_c(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, request) : counted_Ineighbor_alltoall_c(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, request); }

COUNTED int counted_Ineighbor_alltoallv_c(const void *sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[], MPI_Datatype sendtype, void *recvbuf, const MPI_Count recvcounts[], const MPI_Aint rdispls[], MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request) {
  uint64_t begin_ = BEGIN(CALL_Ineighbor_alltoallv, 0, 0);
  int result_ = NEXT(Ineighbor_alltoallv_c, midrun_next_c[CALL_Ineighbor_alltoallv], (sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm, request));
  END(CALL_Ineighbor_alltoallv, 0, begin_, result_, COLLECTIVE, all_v_c(sendcounts, sendtype, neighbours(comm)), MPI_PROC_NULL, -1, comm);
  return result_;
}
int MPI_Ineighbor_alltoallv_c(const void *sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[], MPI_Datatype sendtype, void *recvbuf, const MPI_Count recvcounts[], const MPI_Aint rdispls[], MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request) { return midrun_passes(CALL_Ineighbor_alltoallv) ? PMPI_Ineighbor_alltoallv_c(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm, request) : counted_Ineighbor_alltoallv_c(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm, request); }

COUNTED int counted_Ineighbor_alltoallw_c(const void *sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[], const MPI_Datatype sendtypes[], void *recvbuf, const MPI_Count recvcounts[], const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm, MPI_Request *request) {
  uint64_t begin_ = BEGIN(CALL_Ineighbor_alltoallw, 0, 0);
  int result_ = NEXT(Ineighbor_alltoallw_c, midrun_next_c[CALL_Ineighbor_alltoallw], (sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm, request));
  END(CALL_Ineighbor_alltoallw, 0, begin_, result_, COLLECTIVE, all_w_c(sendcounts, sendtypes, neighbours(comm)), MPI_PROC_NULL, -1, comm);
  return result_;
}
int MPI_Ineighbor_alltoallw_c(const void *sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[], const MPI_Datatype sendtypes[], void *recvbuf, const MPI_Count recvcounts[], const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm, MPI_Request *request) { return midrun_passes(CALL_Ineighbor_alltoallw) ? PMPI_Ineighbor_alltoallw_c(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm, request) : counted_Ineighbor_alltoallw_c(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm, request); }

COUNTED int counted_Bcast_init_c(void *buffer, MPI_Count count, MPI_Datatype datatype, int root, MPI_Comm comm, MPI_Info info, MPI_Request *request) {
  uint64_t begin_ = BEGIN(CALL_Bcast_init, 0, 0);
  int result_ = NEXT(Bcast_init_c, midrun_next_c[CALL_Bcast_init], (buffer, count, datatype, root, comm, info, request));
  END(CALL_Bcast_init, 0, begin_, result_, COLLECTIVE, rooted(root, count, datatype, comm), MPI_PROC_NULL, -1, comm);
  return result_;
}
int MPI_Bcast_init_c(void *buffer, MPI_Count count, MPI_Datatype datatype, int root, MPI_Comm comm, MPI_Info info, MPI_Request *request) { return midrun_passes(CALL_Bcast_init) ? PMPI_Bcast_init_c(buffer, count, datatype, root, comm, info, request) : counted_Bcast_init_c(buffer, count, datatype, root, comm, info, request); }

COUNTED int counted_Gather_init_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Info info, MPI_Request *request) {
  uint64_t begin_ = BEGIN(CALL_Gather_init, 0, 0);
  int result_ = NEXT(Gather_init_c, midrun_next_c[CALL_Gather_init], (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, info, request));
  END(CALL_Gather_init, 0, begin_, result_, COLLECTIVE, gathered(sendbuf, sendcount, sendtype, recvcount, recvtype, root, comm), MPI_PROC_NULL, -1, comm);
  return result_;
}
int MPI_Gather_init_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Info info, MPI_Request *request) { return midrun_passes(CALL_Gather_init) ? PMPI_Gather_init_c(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, info, request) : counted_Gather_init_c(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, info, request); }

COUNTED int counted_Gatherv_init_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf, const MPI_Count recvcounts[], const MPI_Aint displs[], MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Info info, MPI_Request *request) {
  uint64_t begin_ = BEGIN(CALL_Gatherv_init, 0, 0);
  int result_ = NEXT(Gatherv_init_c, midrun_next_c[CALL_Gatherv_init], (sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root, comm, info, request));
  END(CALL_Gatherv_init, 0, begin_, result_, COLLECTIVE, gathered_v_c(sendbuf, sendcount, sendtype, recvcounts, recvtype, root, comm), MPI_PROC_NULL, -1, comm);
  return result_;
}
int MPI_Gatherv_init_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf, const MPI_Count recvcounts[], const MPI_Aint displs[], MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Info info, MPI_Request *request) { return midrun_passes(CALL_Gatherv_init) ? PMPI_Gatherv_init_c(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root, comm, info, request) : counted_Gatherv_init_c(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root, comm, info, request); }

COUNTED int counted_Scatter_init_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Info info, MPI_Request *request) {
  uint64_t begin_ = BEGIN(CALL_Scatter_init, 0, 0);
  int result_ = NEXT(Scatter_init_c, midrun_next_c[CALL_Scatter_init], (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, info, request));
  END(CALL_Scatter_init, 0, begin_, result_, COLLECTIVE, scattered(recvbuf, recvcount, recvtype, sendcount, sendtype, root, comm), MPI_PROC_NULL, -1, comm);
  return result_;
}
int MPI_Scatter_init_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Info info, MPI_Request *request) { return midrun_passes(CALL_Scatter_init) ? PMPI_Scatter_init_c(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, info, request) : counted_Scatter_init_c(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, info, request); }

COUNTED int counted_Scatterv_init_c(const void *sendbuf, const MPI_Count sendcounts[], const MPI_Aint displs[], MPI_Datatype sendtype, void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Info info, MPI_Request *request) {
  uint64_t begin_ = BEGIN(CALL_Scatterv_init, 0, 0);
  int result_ = NEXT(Scatterv_init_c, midrun_next_c[CALL_Scatterv_init], (sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root, comm, info, request));
  END(CALL_Scatterv_init, 0, begin_, result_, COLLECTIVE, scattered_v_c(recvbuf, recvcount, recvtype, sendcounts, sendtype, root, comm), MPI_PROC_NULL, -1, comm);
  return result_;
}
int MPI_Scatterv_init_c(const void *sendbuf, const MPI_Count sendcounts[], const MPI_Aint displs[], MPI_Datatype sendtype, void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Info info, MPI_Request *request) { return midrun_passes(CALL_Scatterv_init) ? PMPI_Scatterv_init_c(sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root, comm, info, request) : counted_Scatterv_init_c(sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root, comm, info, request); }

COUNTED int counted_Allgather_init_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info, MPI_Request *request) {
  uint64_t begin_ = BEGIN(CALL_Allgather_init, 0, 0);
  int result_ = NEXT(Allgather_init_c, midrun_next_c[CALL_Allgather_init], (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, info, request));
  END(CALL_Allgather_init, 0, begin_, result_, COLLECTIVE, own(sendbuf, sendcount, sendtype, recvcount, recvtype), MPI_PROC_NULL, -1, comm);
  return result_;
}
int MPI_Allgather_init_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info, MPI_Request *request) { return midrun_passes(CALL_Allgather_init) ? PMPI_Allgather_init_c(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, info, request) : counted_Allgather_init_c(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, info, request); }

COUNTED int counted_Allgatherv_init_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf, const MPI_Count recvcounts[], const MPI_Aint displs[], MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info, MPI_Request *request) {
  uint64_t begin_ = BEGIN(CALL_Allgatherv_init, 0, 0);
  int result_ = NEXT(Allgatherv_init_c, midrun_next_c[CALL_Allgatherv_init], (sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm, info, request));
  END(CALL_Allgatherv_init, 0, begin_, result_, COLLECTIVE, own_v_c(sendbuf, sendcount, sendtype, recvcounts, recvtype, comm), MPI_PROC_NULL, -1, comm);
  return result_;
}
int MPI_Allgatherv_init_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf, const MPI_Count recvcounts[], const MPI_Aint displs[], MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info, MPI_Request *request) { return midrun_passes(CALL_Allgatherv_init) ? PMPI_Allgatherv_init_c(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm, info, request) : counted_Allgatherv_init_c(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm, info, request); }

COUNTED int counted_Alltoall_init_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info, MPI_Request *request) {
  uint64_t begin_ = BEGIN(CALL_Alltoall_init, 0, 0);
  int result_ = NEXT(Alltoall_init_c, midrun_next_c[CALL_Alltoall_init], (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, info, request));
  END(CALL_Alltoall_init, 0, begin_, result_, COLLECTIVE, own(sendbuf, sendcount, sendtype, recvcount, recvtype) * peers(comm), MPI_PROC_NULL, -1, comm);
  return result_;
}
int MPI_Alltoall_init_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info, MPI_Request *request) { return midrun_passes(CALL_Alltoall_init) ? PMPI_Alltoall_init_c(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, info, request) : counted_Alltoall_init_c(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, info, request); }

COUNTED int counted_Alltoallv_init_c(const void *sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[], MPI_Datatype sendtype, void *recvbuf, const MPI_Count recvcounts[], const MPI_Aint rdispls[], MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info, MPI_Request *request) {
  uint64_t begin_ = BEGIN(CALL_Alltoallv_init, 0, 0);
  int result_ = NEXT(Alltoallv_init_c, midrun_next_c[CALL_Alltoallv_init], (sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm, info, request));
  END(CALL_Alltoallv_init, 0, begin_, result_, COLLECTIVE, own_all_v_c(sendbuf, sendcounts, sendtype, recvcounts, recvtype, peers(comm)), MPI_PROC_NULL, -1, comm);
  return result_;
}
int MPI_Alltoallv_init_c(const void *sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[], MPI_Datatype sendtype, void *recvbuf, const MPI_Count recvcounts[], const MPI_Aint rdispls[], MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info, MPI_Request *request) { return midrun_passes(CALL_Alltoallv_init) ? PMPI_Alltoallv_init_c(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm, info, request) : counted_Alltoallv_init_c(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm, info, request); }

COUNTED int counted_Alltoallw_init_c(const void *sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[], const MPI_Datatype sendtypes[], void *recvbuf, const MPI_Count recvcounts[], const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm, MPI_Info info, MPI_Request *request) {
  uint64_t begin_ = BEGIN(CALL_Alltoallw_init, 0, 0);
  int result_ = NEXT(Alltoallw_init_c, midrun_next_c[CALL_Alltoallw_init], (sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm, info, request));
  END(CALL_Alltoallw_init, 0, begin_, result_, COLLECTIVE, own_all_w_c(sendbuf, sendcounts, sendtypes, recvcounts, recvtypes, peers(comm)), MPI_PROC_NULL, -1, comm);
  return result_;
}
int MPI_Alltoallw_init_c(const void *sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[], const MPI_Datatype sendtypes[], void *recvbuf, const MPI_Count recvcounts[], const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm, MPI_Info info, MPI_Request *request) { return midrun_passes(CALL_Alltoallw_init) ? PMPI_Alltoallw_init_c(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm, info, request) : counted_Alltoallw_init_c(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm, info, request); }

COUNTED int counted_Reduce_init_c(const void *sendbuf, void *recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op, int root, MPI_Comm comm, MPI_Info info, MPI_Request *request) {
  uint64_t begin_ = BEGIN(CALL_Reduce_init, 0, 0);
  int result_ = NEXT(Reduce_init_c, midrun_next_c[CALL_Reduce_init], (sendbuf, recvbuf, count, datatype, op, root, comm, info, request));
  END(CALL_Reduce_init, 0, begin_, result_, COLLECTIVE, rooted(root, count, datatype, comm), MPI_PROC_NULL, -1, comm);
  return result_;
}
int MPI_Reduce_init_c(const void *sendbuf, void *recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op, int root, MPI_Comm comm, MPI_Info info, MPI_Request *request) { return midrun_passes(CALL_Reduce_init) ? PMPI_Reduce_init_c(sendbuf, recvbuf, count, datatype, op, root, comm, info, request) : counted_Reduce_init_c(sendbuf, recvbuf, count, datatype, op, root, comm, info, request); }

COUNTED int counted_Allreduce_init_c(const void *sendbuf, void *recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Info info, MPI_Request *request) {
  uint64_t begin_ = BEGIN(CALL_Allreduce_init, 0, 0);
  int result_ = NEXT(Allreduce_init_c, midrun_next_c[CALL_Allreduce_init], (sendbuf, recvbuf, count, datatype, op, comm, info, request));
  END(CALL_Allreduce_init, 0, begin_, result_, COLLECTIVE, block(count, datatype), MPI_PROC_NULL, -1, comm);
  return result_;
}
int MPI_Allreduce_init_c(const void *sendbuf, void *recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Info info, MPI_Request *request) { return midrun_passes(CALL_Allreduce_init) ? PMPI_Allreduce_init_c(sendbuf, recvbuf, count, datatype, op, comm, info, request) : counted_Allreduce_init_c(sendbuf, recvbuf, count, datatype, op, comm, info, request); }

COUNTED int counted_Reduce_scatter_init_c(const void *sendbuf, void *recvbuf, const MPI_Count recvcounts[], MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Info info, MPI_Request *request) {
  uint64_t begin_ = BEGIN(CALL_Reduce_scatter_init, 0, 0);
  int result_ = NEXT(Reduce_scatter_init_c, midrun_next_c[CALL_Reduce_scatter_init], (sendbuf, recvbuf, recvcounts, datatype, op, comm, info, request));
  END(CALL_Reduce_scatter_init, 0, begin_, result_, COLLECTIVE, all_v_c(recvcounts, datatype, members(comm)), MPI_PROC_NULL, -1, comm);
  return result_;
}
int MPI_Reduce_scatter_init_c(const void *sendbuf, void *recvbuf, const MPI_Count recvcounts[], MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Info info, MPI_Request *request) { return midrun_passes(CALL_Reduce_scatter_init) ? PMPI_Reduce_scatter_init_c(sendbuf, recvbuf, recvcounts, datatype, op, comm, info, request) : counted_Reduce_scatter_init_c(sendbuf, recvbuf, recvcounts, datatype, op, comm, info, request); }

COUNTED int counted_Reduce_scatter_block_init_c(const void *sendbuf, void *recvbuf, MPI_Count recvcount, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Info info, MPI_Request *request) {
  uint64_t begin_ = BEGIN(CALL_Reduce_scatter_block_init, 0, 0);
  int result_ = NEXT(Reduce_scatter_block_init_c, midrun_next_c[CALL_Reduce_scatter_block_init], (sendbuf, recvbuf, recvcount, datatype, op, comm, info, request));
  END(CALL_Reduce_scatter_block_init, 0, begin_, result_, COLLECTIVE, block(recvcount, datatype) * members(comm), MPI_PROC_NULL, -1, comm);
  return result_;
}
int MPI_Reduce_scatter_block_init_c(const void *sendbuf, void *recvbuf, MPI_Count recvcount, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Info info, MPI_Request *request) { return midrun_passes(CALL_Reduce_scatter_block_init) ? PMPI_Reduce_scatter_block_init_c(sendbuf, recvbuf, recvcount, datatype, op, comm, info, request) : counted_Reduce_scatter_block_init_c(sendbuf, recvbuf, recvcount, datatype, op, comm, info, request); }

COUNTED int counted_Scan_init_c(const void *sendbuf, void *recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Info info, MPI_Request *request) {
  uint64_t begin_ = BEGIN(CALL_Scan_init, 0, 0);
  int result_ = NEXT(Scan_init_c, midrun_next_c[CALL_Scan_init], (sendbuf, recvbuf, count, datatype, op, comm, info, request));
  END(CALL_Scan_init, 0, begin_, result_, COLLECTIVE, block(count, datatype), MPI_PROC_NULL, -1, comm);
  return result_;
}
int MPI_Scan_init_c(const void *sendbuf, void *recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Info info, MPI_Request *request) { return midrun_passes(CALL_Scan_init) ? PMPI_Scan_init_c(sendbuf, recvbuf, count, datatype, op, comm, info, request) : counted_Scan_init_c(sendbuf, recvbuf, count, datatype, op, comm, info, request); }

COUNTED int counted_Exscan_init_c(const void *sendbuf, void *recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Info info, MPI_Request *request) {
  uint64_t begin_ = BEGIN(CALL_Exscan_init, 0, 0);
  int result_ = NEXT(Exscan_init_c, midrun_next_c[CALL_Exscan_init], (sendbuf, recvbuf, count, datatype, op, comm, info, request));
  END(CALL_Exscan_init, 0, begin_, result_, COLLECTIVE, block(count, datatype), MPI_PROC_NULL, -1, comm);
  return result_;
}
int MPI_Exscan_init_c(const void *sendbuf, void *recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Info info, MPI_Request *request) { return midrun_passes(CALL_Exscan_init) ? PMPI_Exscan_init_c(sendbuf, recvbuf, count, datatype, op, comm, info, request) : counted_Exscan_init_c(sendbuf, recvbuf, count, datatype, op, comm, info, request); }

COUNTED int counted_Neighbor_allgather_init_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info, MPI_Request *request) {
  uint64_t begin_ = BEGIN(CALL_Neighbor_allgather_init, 0, 0);
  int result_ = NEXT(Neighbor_allgather_init_c, midrun_next_c[CALL_Neighbor_allgather_init], (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, info, request));
  END(CALL_Neighbor_allgather_init, 0, begin_, result_, COLLECTIVE, block(sendcount, sendtype), MPI_PROC_NULL, -1, comm);
  return result_;
}
int MPI_Neighbor_allgather_init_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info, MPI_Request *request) { return midrun_passes(CALL_Neighbor_allgather_init) ? PMPI_Neighbor_allgather_init_c(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, info, request) : counted_Neighbor_allgather_init_c(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, info, request); }

COUNTED int counted_Neighbor_allgatherv_init_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf, const MPI_Count recvcounts[], const MPI_Aint displs[], MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info, MPI_Request *request) {
  uint64_t begin_ = BEGIN(CALL_Neighbor_allgatherv_init, 0, 0);
  int result_ = NEXT(Neighbor_allgatherv_init_c, midrun_next_c[CALL_Neighbor_allgatherv_init], (sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm, info, request));
  END(CALL_Neighbor_allgatherv_init, 0, begin_, result_, COLLECTIVE, block(sendcount, sendtype), MPI_PROC_NULL, -1, comm);
  return result_;
}
int MPI_Neighbor_allgatherv_init_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf, const MPI_Count recvcounts[], const MPI_Aint displs[], MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info, MPI_Request *request) { return midrun_passes(CALL_Neighbor_allgatherv_init) ? PMPI_Neighbor_allgatherv_init_c(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm, info, request) : counted_Neighbor_allgatherv_init_c(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm, info, request); }

COUNTED int counted_Neighbor_alltoall_init_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info, MPI_Request *request) {
  uint64_t begin_ = BEGIN(CALL_Neighbor_alltoall_init, 0, 0);
  int result_ = NEXT(Neighbor_alltoall_init_c, midrun_next_c[CALL_Neighbor_alltoall_init], (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, info, request));
  END(CALL_Neighbor_alltoall_init, 0, begin_, result_, COLLECTIVE, block(sendcount, sendtype) * neighbours(comm), MPI_PROC_NULL, -1, comm);
  return result_;
}
int MPI_Neighbor_alltoall_init_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info, MPI_Request *request) { return midrun_passes(CALL_Neighbor_alltoall_init) ? PMPI_Neighbor_alltoall_init_c(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, info, request) : counted_Neighbor_alltoall_init_c(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, info, request); }

COUNTED int counted_Neighbor_alltoallv_init_c(const void *sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[], MPI_Datatype sendtype, void *recvbuf, const MPI_Count recvcounts[], const MPI_Aint rdispls[], MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info, MPI_Request *request) {
  uint64_t begin_ = BEGIN(CALL_Neighbor_alltoallv_init, 0, 0);
  int result_ = NEXT(Neighbor_alltoallv_init_c, midrun_next_c[CALL_Neighbor_alltoallv_init], (sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm, info, request));
  END(CALL_Neighbor_alltoallv_init, 0, begin_, result_, COLLECTIVE, all_v_c(sendcounts, sendtype, neighbours(comm)), MPI_PROC_NULL, -1, comm);
  return result_;
}
int MPI_Neighbor_alltoallv_init_c(const void *sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[], MPI_Datatype sendtype, void *recvbuf, const MPI_Count recvcounts[], const MPI_Aint rdispls[], MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info, MPI_Request *request) { return midrun_passes(CALL_Neighbor_alltoallv_init) ? PMPI_Neighbor_alltoallv_init_c(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm, info, request) : counted_Neighbor_alltoallv_init_c(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm, info, request); }

COUNTED int counted_Neighbor_alltoallw_init_c(const void *sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[], const MPI_Datatype sendtypes[], void *recvbuf, const MPI_Count recvcounts[], const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm, MPI_Info info, MPI_Request *request) {
  uint64_t begin_ = BEGIN(CALL_Neighbor_alltoallw_init, 0, 0);
  int result_ = NEXT(Neighbor_alltoallw_init_c, midrun_next_c[CALL_Neighbor_alltoallw_init], (sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm, info, request));
  END(CALL_Neighbor_alltoallw_init, 0, begin_, result_, COLLECTIVE, all_w_c(sendcounts, sendtypes, neighbours(comm)), MPI_PROC_NULL, -1, comm);
  return result_;
}
int MPI_Neighbor_alltoallw_init_c(const void *sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[], const MPI_Datatype sendtypes[], void *recvbuf, const MPI_Count recvcounts[], const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm, MPI_Info info, MPI_Request *request) { return midrun_passes(CALL_Neighbor_alltoallw_init) ? PMPI_Neighbor_alltoallw_init_c(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm, info, request) : counted_Neighbor_alltoallw_init_c(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm, info, request); }

COUNTED int counted_Reduce_local_c(const void *inbuf, void *inoutbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op) {
  uint64_t begin_ = BEGIN(CALL_Reduce_local, 0, 0);
  int result_ = NEXT(Reduce_local_c, midrun_next_c[CALL_Reduce_local], (inbuf, inoutbuf, count, datatype, op));
  END(CALL_Reduce_local, 0, begin_, result_, LOCAL, 0, MPI_PROC_NULL, -1, MPI_COMM_NULL);
  return result_;
}
int MPI_Reduce_local_c(const void *inbuf, void *inoutbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op) { return midrun_passes(CALL_Reduce_local) ? PMPI_Reduce_local_c(inbuf, inoutbuf, count, datatype, op) : counted_Reduce_local_c(inbuf, inoutbuf, count, datatype, op); }

COUNTED int counted_Win_create_c(void *base, MPI_Aint size, MPI_Aint disp_unit, MPI_Info info, MPI_Comm comm, MPI_Win *win) {
  uint64_t begin_ = BEGIN(CALL_Win_create, 1, 0);
  int result_ = NEXT(Win_create_c, midrun_next_c[CALL_Win_create], (base, size, disp_unit, info, comm, win));
  END(CALL_Win_create, 1, begin_, result_, COLLECTIVE, 0, MPI_PROC_NULL, -1, comm);
  return result_;
}
int MPI_Win_create_c(void *base, MPI_Aint size, MPI_Aint disp_unit, MPI_Info info, MPI_Comm comm, MPI_Win *win) { return midrun_passes(CALL_Win_create) ? PMPI_Win_create_c(base, size, disp_unit, info, comm, win) : counted_Win_create_c(base, size, disp_unit, info, comm, win); }

COUNTED int counted_Win_allocate_c(MPI_Aint size, MPI_Aint disp_unit, MPI_Info info, MPI_Comm comm, void *baseptr, MPI_Win *win) {
  uint64_t begin_ = BEGIN(CALL_Win_allocate, 1, 0);
  int result_ = NEXT(Win_allocate_c, midrun_next_c[CALL_Win_allocate], (size, disp_unit, info, comm, baseptr, win));
  END(CALL_Win_allocate, 1, begin_, result_, COLLECTIVE, 0, MPI_PROC_NULL, -1, comm);
  return result_;
}
int MPI_Win_allocate_c(MPI_Aint size, MPI_Aint disp_unit, MPI_Info info, MPI_Comm comm, void *baseptr, MPI_Win *win) { return midrun_passes(CALL_Win_allocate) ? PMPI_Win_allocate_c(size, disp_unit, info, comm, baseptr, win) : counted_Win_allocate_c(size, disp_unit, info, comm, baseptr, win); }

COUNTED int counted_Win_allocate_shared_c(MPI_Aint size, MPI_Aint disp_unit, MPI_Info info, MPI_Comm comm, void *baseptr, MPI_Win *win) {
  uint64_t begin_ = BEGIN(CALL_Win_allocate_shared, 1, 0);
  int result_ = NEXT(Win_allocate_shared_c, midrun_next_c[CALL_Win_allocate_shared], (size, disp_unit, info, comm, baseptr, win));
  END(CALL_Win_allocate_shared, 1, begin_, result_, COLLECTIVE, 0, MPI_PROC_NULL, -1, comm);
  return result_;
}
int MPI_Win_allocate_shared_c(MPI_Aint size, MPI_Aint disp_unit, MPI_Info info, MPI_Comm comm, void *baseptr, MPI_Win *win) { return midrun_passes(CALL_Win_allocate_shared) ? PMPI_Win_allocate_shared_c(size, disp_unit, info, comm, baseptr, win) : counted_Win_allocate_shared_c(size, disp_unit, info, comm, baseptr, win); }

COUNTED int counted_Win_shared_query_c(MPI_Win win, int rank, MPI_Aint *size, MPI_Aint *disp_unit, void *baseptr) {
  uint64_t begin_ = BEGIN(CALL_Win_shared_query, 0, 0);
  int result_ = NEXT(Win_shared_query_c, midrun_next_c[CALL_Win_shared_query], (win, rank, size, disp_unit, baseptr));
  END(CALL_Win_shared_query, 0, begin_, result_, LOCAL, 0, MPI_PROC_NULL, -1, MPI_COMM_NULL);
  return result_;
}
int MPI_Win_shared_query_c(MPI_Win win, int rank, MPI_Aint *size, MPI_Aint *disp_unit, void *baseptr) { return midrun_passes(CALL_Win_shared_query) ? PMPI_Win_shared_query_c(win, rank, size, disp_unit, baseptr) : counted_Win_shared_query_c(win, rank, size, disp_unit, baseptr); }

COUNTED int counted_Put_c(const void *origin_addr, MPI_Count origin_count, MPI_Datatype origin_datatype, int target_rank, MPI_Aint target_disp, MPI_Count target_count, MPI_Datatype target_datatype, MPI_Win win) {
  uint64_t begin_ = BEGIN(CALL_Put, 0, 0);
  int result_ = NEXT(Put_c, midrun_next_c[CALL_Put], (origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_count, target_datatype, win));
  END(CALL_Put, 0, begin_, result_, target(target_rank, win), block_to(target_rank, origin_count, origin_datatype), target_rank, -1, MPI_COMM_NULL);
  return result_;
}
int MPI_Put_c(const void *origin_addr, MPI_Count origin_count, MPI_Datatype origin_datatype, int target_rank, MPI_Aint target_disp, MPI_Count target_count, MPI_Datatype target_datatype, MPI_Win win) { return midrun_passes(CALL_Put) ? PMPI_Put_c(origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_count, target_datatype, win) : counted_Put_c(origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_count, target_datatype, win); }

COUNTED int counted_Get_c(void *origin_addr, MPI_Count origin_count, MPI_Datatype origin_datatype, int target_rank, MPI_Aint target_disp, MPI_Count target_count, MPI_Datatype target_datatype, MPI_Win win) {
  uint64_t begin_ = BEGIN(CALL_Get, 0, 0);
  int result_ = NEXT(Get_c, midrun_next_c[CALL_Get], (origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_count, target_datatype, win));
  END(CALL_Get, 0, begin_, result_, target(target_rank, win), block_to(target_rank, origin_count, origin_datatype), target_rank, -1, MPI_COMM_NULL);
  return result_;
}
int MPI_Get_c(void *origin_addr, MPI_Count origin_count, MPI_Datatype origin_datatype, int target_rank, MPI_Aint target_disp, MPI_Count target_count, MPI_Datatype target_datatype, MPI_Win win) { return midrun_passes(CALL_Get) ? PMPI_Get_c(origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_count, target_datatype, win) : counted_Get_c(origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_count, target_datatype, win); }

COUNTED int counted_Accumulate_c(const void *origin_addr, MPI_Count origin_count, MPI_Datatype origin_datatype, int target_rank, MPI_Aint target_disp, MPI_Count target_count, MPI_Datatype target_datatype, MPI_Op op, MPI_Win win) {
  uint64_t begin_ = BEGIN(CALL_Accumulate, 0, 0);
  int result_ = NEXT(Accumulate_c, midrun_next_c[CALL_Accumulate], (origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_count, target_datatype, op, win));
  END(CALL_Accumulate, 0, begin_, result_, target(target_rank, win), block_to(target_rank, origin_count, origin_datatype), target_rank, -1, MPI_COMM_NULL);
  return result_;
}
int MPI_Accumulate_c(const void *origin_addr, MPI_Count origin_count, MPI_Datatype origin_datatype, int target_rank, MPI_Aint target_disp, MPI_Count target_count, MPI_Datatype target_datatype, MPI_Op op, MPI_Win win) { return midrun_passes(CALL_Accumulate) ? PMPI_Accumulate_c(origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_count, target_datatype, op, win) : counted_Accumulate_c(origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_count, target_datatype, op, win); }

COUNTED int counted_Rput_c(const void *origin_addr, MPI_Count origin_count, MPI_Datatype origin_datatype, int target_rank, MPI_Aint target_disp, MPI_Count target_count, MPI_Datatype target_datatype, MPI_Win win, MPI_Request *request) {
  uint64_t begin_ = BEGIN(CALL_Rput, 0, 0);
  int result_ = NEXT(Rput_c, midrun_next_c[CALL_Rput], (origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_count, target_datatype, win, request));
  END(CALL_Rput, 0, begin_, result_, target(target_rank, win), block_to(target_rank, origin_count, origin_datatype), target_rank, -1, MPI_COMM_NULL);
  return result_;
}
int MPI_Rput_c(const void *origin_addr, MPI_Count origin_count, MPI_Datatype origin_datatype, int target_rank, MPI_Aint target_disp, MPI_Count target_count, MPI_Datatype target_datatype, MPI_Win win, MPI_Request *request) { return midrun_passes(CALL_Rput) ? PMPI_Rput_c(origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_count, target_datatype, win, request) : counted_Rput_c(origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_count, target_datatype, win, request); }

COUNTED int counted_Rget_c(void *origin_addr, MPI_Count origin_count, MPI_Datatype origin_datatype, int target_rank, MPI_Aint target_disp, MPI_Count target_count, MPI_Datatype target_datatype, MPI_Win win, MPI_Request *request) {
  uint64_t begin_ = BEGIN(CALL_Rget, 0, 0);
  int result_ = NEXT(Rget_c, midrun_next_c[CALL_Rget], (origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_count, target_datatype, win, request));
  END(CALL_Rget, 0, begin_, result_, target(target_rank, win), block_to(target_rank, origin_count, origin_datatype), target_rank, -1, MPI_COMM_NULL);
  return result_;
}
int MPI_Rget_c(void *origin_addr, MPI_Count origin_count, MPI_Datatype origin_datatype, int target_rank, MPI_Aint target_disp, MPI_Count target_count, MPI_Datatype target_datatype, MPI_Win win, MPI_Request *request) { return midrun_passes(CALL_Rget) ? PMPI_Rget_c(origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_count, target_datatype, win, request) : counted_Rget_c(origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_count, target_datatype, win, request); }

COUNTED int counted_Raccumulate_c(const void *origin_addr, MPI_Count origin_count, MPI_Datatype origin_datatype, int target_rank, MPI_Aint target_disp, MPI_Count target_count, MPI_Datatype target_datatype, MPI_Op op, MPI_Win win, MPI_Request *request) {
  uint64_t begin_ = BEGIN(CALL_Raccumulate, 0, 0);
  int result_ = NEXT(Raccumulate_c, midrun_next_c[CALL_Raccumulate], (origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_count, target_datatype, op, win, request));
  END(CALL_Raccumulate, 0, begin_, result_, target(target_rank, win), block_to(target_rank, origin_count, origin_datatype), target_rank, -1, MPI_COMM_NULL);
  return result_;
}
int MPI_Raccumulate_c(const void *origin_addr, MPI_Count origin_count, MPI_Datatype origin_datatype, int target_rank, MPI_Aint target_disp, MPI_Count target_count, MPI_Datatype target_datatype, MPI_Op op, MPI_Win win, MPI_Request *request) { return midrun_passes(CALL_Raccumulate) ? PMPI_Raccumulate_c(origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_count, target_datatype, op, win, request) : counted_Raccumulate_c(origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_count, target_datatype, op, win, request); }

COUNTED int counted_Get_accumulate_c(const void *origin_addr, MPI_Count origin_count, MPI_Datatype origin_datatype, void *result_addr, MPI_Count result_count, MPI_Datatype result_datatype, int target_rank, MPI_Aint target_disp, MPI_Count target_count, MPI_Datatype target_datatype, MPI_Op op, MPI_Win win) {
  uint64_t begin_ = BEGIN(CALL_Get_accumulate, 0, 0);
  int result_ = NEXT(Get_accumulate_c, midrun_next_c[CALL_Get_accumulate], (origin_addr, origin_count, origin_datatype, result_addr, result_count, result_datatype, target_rank, target_disp, target_count, target_datatype, op, win));
  END(CALL_Get_accumulate, 0, begin_, result_, target(target_rank, win), block_to(target_rank, result_count, result_datatype), target_rank, -1, MPI_COMM_NULL);
  return result_;
}
int MPI_Get_accumulate_c(const void *origin_addr, MPI_Count origin_count, MPI_Datatype origin_datatype, void *result_addr, MPI_Count result_count, MPI_Datatype result_datatype, int target_rank, MPI_Aint target_disp, MPI_Count target_count, MPI_Datatype target_datatype, MPI_Op op, MPI_Win win) { return midrun_passes(CALL_Get_accumulate) ? PMPI_Get_accumulate_c(origin_addr, origin_count, origin_datatype, result_addr, result_count, result_datatype, target_rank, target_disp, target_count, target_datatype, op, win) : counted_Get_accumulate_c(origin_addr, origin_count, origin_datatype, result_addr, result_count, result_datatype, target_rank, target_disp, target_count, target_datatype, op, win); }

COUNTED int counted_Rget_accumulate_c(const void *origin_addr, MPI_Count origin_count, MPI_Datatype origin_datatype, void *result_addr, MPI_Count result_count, MPI_Datatype result_datatype, int target_rank, MPI_Aint target_disp, MPI_Count target_count, MPI_Datatype target_datatype, MPI_Op op, MPI_Win win, MPI_Request *request) {
  uint64_t begin_ = BEGIN(CALL_Rget_accumulate, 0, 0);
  int result_ = NEXT(Rget_accumulate_c, midrun_next_c[CALL_Rget_accumulate], (origin_addr, origin_count, origin_datatype, result_addr, result_count, result_datatype, target_rank, target_disp, target_count, target_datatype, op, win, request));
  END(CALL_Rget_accumulate, 0, begin_, result_, target(target_rank, win), block_to(target_rank, result_count, result_datatype), target_rank, -1, MPI_COMM_NULL);
  return result_;
}
int MPI_Rget_accumulate_c(const void *origin_addr, MPI_Count origin_count, MPI_Datatype origin_datatype, void *result_addr, MPI_Count result_count, MPI_Datatype result_datatype, int target_rank, MPI_Aint target_disp, MPI_Count target_count, MPI_Datatype target_datatype, MPI_Op op, MPI_Win win, MPI_Request *request) { return midrun_passes(CALL_Rget_accumulate) ? PMPI_Rget_accumulate_c(origin_addr, origin_count, origin_datatype, result_addr, result_count, result_datatype, target_rank, target_disp, target_count, target_datatype, op, win, request) : counted_Rget_accumulate_c(origin_addr, origin_count, origin_datatype, result_addr, result_count, result_datatype, target_rank, target_disp, target_count, target_datatype, op, win, request); }
#endif
