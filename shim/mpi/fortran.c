/* fortran.c - calls of Fortran programs, counted; generated from calls.json: MIDRUN_BLESS=1 cargo test -p midrun-tests --test generated */
#include "counted.h"

/* mpif.h and `use mpi`: Open MPI's call PMPI functions. MPICH's call the C functions, which are counted. */
#ifdef OPEN_MPI

void mpi_send_(void *buf_f, void *count_f, void *datatype_f, void *dest_f, void *tag_f, void *comm_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_send_", "pmpi_send_");
  if (midrun_passes(CALL_Send)) { ((void (*)(void *, void *, void *, void *, void *, void *, void *))real)(buf_f, count_f, datatype_f, dest_f, tag_f, comm_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Send, 0, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *, void *, void *, void *))real)(buf_f, count_f, datatype_f, dest_f, tag_f, comm_f, ierr);
  if (!begin_) return;
  int count = *(MPI_Fint *)count_f;
  MPI_Datatype datatype = PMPI_Type_f2c(*(MPI_Fint *)datatype_f);
  int dest = *(MPI_Fint *)dest_f;
  int tag = *(MPI_Fint *)tag_f;
  MPI_Comm comm = PMPI_Comm_f2c(*(MPI_Fint *)comm_f);
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Send, 0, begin_, result_, peer(dest, comm), block_to(dest, count, datatype), dest, tag, comm);
}

void mpi_ssend_(void *buf_f, void *count_f, void *datatype_f, void *dest_f, void *tag_f, void *comm_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_ssend_", "pmpi_ssend_");
  if (midrun_passes(CALL_Ssend)) { ((void (*)(void *, void *, void *, void *, void *, void *, void *))real)(buf_f, count_f, datatype_f, dest_f, tag_f, comm_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Ssend, 0, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *, void *, void *, void *))real)(buf_f, count_f, datatype_f, dest_f, tag_f, comm_f, ierr);
  if (!begin_) return;
  int count = *(MPI_Fint *)count_f;
  MPI_Datatype datatype = PMPI_Type_f2c(*(MPI_Fint *)datatype_f);
  int dest = *(MPI_Fint *)dest_f;
  int tag = *(MPI_Fint *)tag_f;
  MPI_Comm comm = PMPI_Comm_f2c(*(MPI_Fint *)comm_f);
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Ssend, 0, begin_, result_, peer(dest, comm), block_to(dest, count, datatype), dest, tag, comm);
}

void mpi_bsend_(void *buf_f, void *count_f, void *datatype_f, void *dest_f, void *tag_f, void *comm_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_bsend_", "pmpi_bsend_");
  if (midrun_passes(CALL_Bsend)) { ((void (*)(void *, void *, void *, void *, void *, void *, void *))real)(buf_f, count_f, datatype_f, dest_f, tag_f, comm_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Bsend, 0, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *, void *, void *, void *))real)(buf_f, count_f, datatype_f, dest_f, tag_f, comm_f, ierr);
  if (!begin_) return;
  int count = *(MPI_Fint *)count_f;
  MPI_Datatype datatype = PMPI_Type_f2c(*(MPI_Fint *)datatype_f);
  int dest = *(MPI_Fint *)dest_f;
  int tag = *(MPI_Fint *)tag_f;
  MPI_Comm comm = PMPI_Comm_f2c(*(MPI_Fint *)comm_f);
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Bsend, 0, begin_, result_, peer(dest, comm), block_to(dest, count, datatype), dest, tag, comm);
}

void mpi_rsend_(void *buf_f, void *count_f, void *datatype_f, void *dest_f, void *tag_f, void *comm_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_rsend_", "pmpi_rsend_");
  if (midrun_passes(CALL_Rsend)) { ((void (*)(void *, void *, void *, void *, void *, void *, void *))real)(buf_f, count_f, datatype_f, dest_f, tag_f, comm_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Rsend, 0, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *, void *, void *, void *))real)(buf_f, count_f, datatype_f, dest_f, tag_f, comm_f, ierr);
  if (!begin_) return;
  int count = *(MPI_Fint *)count_f;
  MPI_Datatype datatype = PMPI_Type_f2c(*(MPI_Fint *)datatype_f);
  int dest = *(MPI_Fint *)dest_f;
  int tag = *(MPI_Fint *)tag_f;
  MPI_Comm comm = PMPI_Comm_f2c(*(MPI_Fint *)comm_f);
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Rsend, 0, begin_, result_, peer(dest, comm), block_to(dest, count, datatype), dest, tag, comm);
}

void mpi_isend_(void *buf_f, void *count_f, void *datatype_f, void *dest_f, void *tag_f, void *comm_f, void *request_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_isend_", "pmpi_isend_");
  if (midrun_passes(CALL_Isend)) { ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *))real)(buf_f, count_f, datatype_f, dest_f, tag_f, comm_f, request_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Isend, 0, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *))real)(buf_f, count_f, datatype_f, dest_f, tag_f, comm_f, request_f, ierr);
  if (!begin_) return;
  int count = *(MPI_Fint *)count_f;
  MPI_Datatype datatype = PMPI_Type_f2c(*(MPI_Fint *)datatype_f);
  int dest = *(MPI_Fint *)dest_f;
  int tag = *(MPI_Fint *)tag_f;
  MPI_Comm comm = PMPI_Comm_f2c(*(MPI_Fint *)comm_f);
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Isend, 0, begin_, result_, peer(dest, comm), block_to(dest, count, datatype), dest, tag, comm);
  if (begin_ && result_ == MPI_SUCCESS) midrun_posted(request_f, sizeof (MPI_Fint), comm == MPI_COMM_WORLD);
}

void mpi_issend_(void *buf_f, void *count_f, void *datatype_f, void *dest_f, void *tag_f, void *comm_f, void *request_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_issend_", "pmpi_issend_");
  if (midrun_passes(CALL_Issend)) { ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *))real)(buf_f, count_f, datatype_f, dest_f, tag_f, comm_f, request_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Issend, 0, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *))real)(buf_f, count_f, datatype_f, dest_f, tag_f, comm_f, request_f, ierr);
  if (!begin_) return;
  int count = *(MPI_Fint *)count_f;
  MPI_Datatype datatype = PMPI_Type_f2c(*(MPI_Fint *)datatype_f);
  int dest = *(MPI_Fint *)dest_f;
  int tag = *(MPI_Fint *)tag_f;
  MPI_Comm comm = PMPI_Comm_f2c(*(MPI_Fint *)comm_f);
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Issend, 0, begin_, result_, peer(dest, comm), block_to(dest, count, datatype), dest, tag, comm);
  if (begin_ && result_ == MPI_SUCCESS) midrun_posted(request_f, sizeof (MPI_Fint), comm == MPI_COMM_WORLD);
}

void mpi_ibsend_(void *buf_f, void *count_f, void *datatype_f, void *dest_f, void *tag_f, void *comm_f, void *request_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_ibsend_", "pmpi_ibsend_");
  if (midrun_passes(CALL_Ibsend)) { ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *))real)(buf_f, count_f, datatype_f, dest_f, tag_f, comm_f, request_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Ibsend, 0, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *))real)(buf_f, count_f, datatype_f, dest_f, tag_f, comm_f, request_f, ierr);
  if (!begin_) return;
  int count = *(MPI_Fint *)count_f;
  MPI_Datatype datatype = PMPI_Type_f2c(*(MPI_Fint *)datatype_f);
  int dest = *(MPI_Fint *)dest_f;
  int tag = *(MPI_Fint *)tag_f;
  MPI_Comm comm = PMPI_Comm_f2c(*(MPI_Fint *)comm_f);
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Ibsend, 0, begin_, result_, peer(dest, comm), block_to(dest, count, datatype), dest, tag, comm);
}

void mpi_irsend_(void *buf_f, void *count_f, void *datatype_f, void *dest_f, void *tag_f, void *comm_f, void *request_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_irsend_", "pmpi_irsend_");
  if (midrun_passes(CALL_Irsend)) { ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *))real)(buf_f, count_f, datatype_f, dest_f, tag_f, comm_f, request_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Irsend, 0, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *))real)(buf_f, count_f, datatype_f, dest_f, tag_f, comm_f, request_f, ierr);
  if (!begin_) return;
  int count = *(MPI_Fint *)count_f;
  MPI_Datatype datatype = PMPI_Type_f2c(*(MPI_Fint *)datatype_f);
  int dest = *(MPI_Fint *)dest_f;
  int tag = *(MPI_Fint *)tag_f;
  MPI_Comm comm = PMPI_Comm_f2c(*(MPI_Fint *)comm_f);
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Irsend, 0, begin_, result_, peer(dest, comm), block_to(dest, count, datatype), dest, tag, comm);
  if (begin_ && result_ == MPI_SUCCESS) midrun_posted(request_f, sizeof (MPI_Fint), comm == MPI_COMM_WORLD);
}

void mpi_recv_(void *buf_f, void *count_f, void *datatype_f, void *source_f, void *tag_f, void *comm_f, void *status_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_recv_", "pmpi_recv_");
  if (midrun_passes(CALL_Recv)) { ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *))real)(buf_f, count_f, datatype_f, source_f, tag_f, comm_f, status_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Recv, 1, 1);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  MPI_Fint own_[FORTRAN_STATUS];
  if (begin_ && status_f == (void *)MPI_F_STATUS_IGNORE) status_f = own_;
  ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *))real)(buf_f, count_f, datatype_f, source_f, tag_f, comm_f, status_f, ierr);
  if (!begin_) return;
  int count = *(MPI_Fint *)count_f;
  MPI_Datatype datatype = PMPI_Type_f2c(*(MPI_Fint *)datatype_f);
  int source = *(MPI_Fint *)source_f;
  int tag = *(MPI_Fint *)tag_f;
  MPI_Comm comm = PMPI_Comm_f2c(*(MPI_Fint *)comm_f);
  MPI_Status c_status, *status = fortran_status(status_f, &c_status);
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Recv, 1, begin_, result_, from(source, status, comm), received(status, count, datatype), source, tag, comm);
}

void mpi_irecv_(void *buf_f, void *count_f, void *datatype_f, void *source_f, void *tag_f, void *comm_f, void *request_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_irecv_", "pmpi_irecv_");
  if (midrun_passes(CALL_Irecv)) { ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *))real)(buf_f, count_f, datatype_f, source_f, tag_f, comm_f, request_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Irecv, 0, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *))real)(buf_f, count_f, datatype_f, source_f, tag_f, comm_f, request_f, ierr);
  if (!begin_) return;
  int count = *(MPI_Fint *)count_f;
  MPI_Datatype datatype = PMPI_Type_f2c(*(MPI_Fint *)datatype_f);
  int source = *(MPI_Fint *)source_f;
  int tag = *(MPI_Fint *)tag_f;
  MPI_Comm comm = PMPI_Comm_f2c(*(MPI_Fint *)comm_f);
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Irecv, 0, begin_, result_, peer(source, comm), block_to(source, count, datatype), source, tag, comm);
  if (begin_ && result_ == MPI_SUCCESS) midrun_posted(request_f, sizeof (MPI_Fint), comm == MPI_COMM_WORLD);
}

void mpi_mrecv_(void *buf_f, void *count_f, void *datatype_f, void *message_f, void *status_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_mrecv_", "pmpi_mrecv_");
  if (midrun_passes(CALL_Mrecv)) { ((void (*)(void *, void *, void *, void *, void *, void *))real)(buf_f, count_f, datatype_f, message_f, status_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Mrecv, 1, 1);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  MPI_Fint own_[FORTRAN_STATUS];
  if (begin_ && status_f == (void *)MPI_F_STATUS_IGNORE) status_f = own_;
  ((void (*)(void *, void *, void *, void *, void *, void *))real)(buf_f, count_f, datatype_f, message_f, status_f, ierr);
  if (!begin_) return;
  int count = *(MPI_Fint *)count_f;
  MPI_Datatype datatype = PMPI_Type_f2c(*(MPI_Fint *)datatype_f);
  MPI_Status c_status, *status = fortran_status(status_f, &c_status);
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Mrecv, 1, begin_, result_, ANY, received(status, count, datatype), MPI_PROC_NULL, -1, MPI_COMM_NULL);
}

void mpi_imrecv_(void *buf_f, void *count_f, void *datatype_f, void *message_f, void *request_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_imrecv_", "pmpi_imrecv_");
  if (midrun_passes(CALL_Imrecv)) { ((void (*)(void *, void *, void *, void *, void *, void *))real)(buf_f, count_f, datatype_f, message_f, request_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Imrecv, 0, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *, void *, void *))real)(buf_f, count_f, datatype_f, message_f, request_f, ierr);
  if (!begin_) return;
  int count = *(MPI_Fint *)count_f;
  MPI_Datatype datatype = PMPI_Type_f2c(*(MPI_Fint *)datatype_f);
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Imrecv, 0, begin_, result_, ANY, block(count, datatype), MPI_PROC_NULL, -1, MPI_COMM_NULL);
}

void mpi_sendrecv_(void *sendbuf_f, void *sendcount_f, void *sendtype_f, void *dest_f, void *sendtag_f, void *recvbuf_f, void *recvcount_f, void *recvtype_f, void *source_f, void *recvtag_f, void *comm_f, void *status_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_sendrecv_", "pmpi_sendrecv_");
  if (midrun_passes(CALL_Sendrecv)) { ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *))real)(sendbuf_f, sendcount_f, sendtype_f, dest_f, sendtag_f, recvbuf_f, recvcount_f, recvtype_f, source_f, recvtag_f, comm_f, status_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Sendrecv, 1, 1);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  MPI_Fint own_[FORTRAN_STATUS];
  if (begin_ && status_f == (void *)MPI_F_STATUS_IGNORE) status_f = own_;
  ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *))real)(sendbuf_f, sendcount_f, sendtype_f, dest_f, sendtag_f, recvbuf_f, recvcount_f, recvtype_f, source_f, recvtag_f, comm_f, status_f, ierr);
  if (!begin_) return;
  int sendcount = *(MPI_Fint *)sendcount_f;
  MPI_Datatype sendtype = PMPI_Type_f2c(*(MPI_Fint *)sendtype_f);
  int dest = *(MPI_Fint *)dest_f;
  int sendtag = *(MPI_Fint *)sendtag_f;
  int recvcount = *(MPI_Fint *)recvcount_f;
  MPI_Datatype recvtype = PMPI_Type_f2c(*(MPI_Fint *)recvtype_f);
  int source = *(MPI_Fint *)source_f;
  MPI_Comm comm = PMPI_Comm_f2c(*(MPI_Fint *)comm_f);
  MPI_Status c_status, *status = fortran_status(status_f, &c_status);
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Sendrecv, 1, begin_, result_, either(dest, source, comm), block_to(dest, sendcount, sendtype) + received_from(source, status, recvcount, recvtype), dest, sendtag, comm);
  if (begin_ && result_ == MPI_SUCCESS) midrun_exchanged(peer(dest, comm), block_to(dest, sendcount, sendtype), from(source, status, comm), received_from(source, status, recvcount, recvtype));
}

void mpi_sendrecv_replace_(void *buf_f, void *count_f, void *datatype_f, void *dest_f, void *sendtag_f, void *source_f, void *recvtag_f, void *comm_f, void *status_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_sendrecv_replace_", "pmpi_sendrecv_replace_");
  if (midrun_passes(CALL_Sendrecv_replace)) { ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *, void *, void *))real)(buf_f, count_f, datatype_f, dest_f, sendtag_f, source_f, recvtag_f, comm_f, status_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Sendrecv_replace, 1, 1);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  MPI_Fint own_[FORTRAN_STATUS];
  if (begin_ && status_f == (void *)MPI_F_STATUS_IGNORE) status_f = own_;
  ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *, void *, void *))real)(buf_f, count_f, datatype_f, dest_f, sendtag_f, source_f, recvtag_f, comm_f, status_f, ierr);
  if (!begin_) return;
  int count = *(MPI_Fint *)count_f;
  MPI_Datatype datatype = PMPI_Type_f2c(*(MPI_Fint *)datatype_f);
  int dest = *(MPI_Fint *)dest_f;
  int sendtag = *(MPI_Fint *)sendtag_f;
  int source = *(MPI_Fint *)source_f;
  MPI_Comm comm = PMPI_Comm_f2c(*(MPI_Fint *)comm_f);
  MPI_Status c_status, *status = fortran_status(status_f, &c_status);
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Sendrecv_replace, 1, begin_, result_, either(dest, source, comm), block_to(dest, count, datatype) + received_from(source, status, count, datatype), dest, sendtag, comm);
  if (begin_ && result_ == MPI_SUCCESS) midrun_exchanged(peer(dest, comm), block_to(dest, count, datatype), from(source, status, comm), received_from(source, status, count, datatype));
}

void mpi_probe_(void *source_f, void *tag_f, void *comm_f, void *status_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_probe_", "pmpi_probe_");
  if (midrun_passes(CALL_Probe)) { ((void (*)(void *, void *, void *, void *, void *))real)(source_f, tag_f, comm_f, status_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Probe, 1, 1);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *, void *))real)(source_f, tag_f, comm_f, status_f, ierr);
  if (!begin_) return;
  int source = *(MPI_Fint *)source_f;
  int tag = *(MPI_Fint *)tag_f;
  MPI_Comm comm = PMPI_Comm_f2c(*(MPI_Fint *)comm_f);
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Probe, 1, begin_, result_, peer(source, comm), 0, source, tag, comm);
}

void mpi_iprobe_(void *source_f, void *tag_f, void *comm_f, void *flag_f, void *status_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_iprobe_", "pmpi_iprobe_");
  if (midrun_passes(CALL_Iprobe)) { ((void (*)(void *, void *, void *, void *, void *, void *))real)(source_f, tag_f, comm_f, flag_f, status_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Iprobe, 0, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *, void *, void *))real)(source_f, tag_f, comm_f, flag_f, status_f, ierr);
  if (!begin_) return;
  int source = *(MPI_Fint *)source_f;
  int tag = *(MPI_Fint *)tag_f;
  MPI_Comm comm = PMPI_Comm_f2c(*(MPI_Fint *)comm_f);
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Iprobe, 0, begin_, result_, peer(source, comm), 0, source, tag, comm);
}

void mpi_mprobe_(void *source_f, void *tag_f, void *comm_f, void *message_f, void *status_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_mprobe_", "pmpi_mprobe_");
  if (midrun_passes(CALL_Mprobe)) { ((void (*)(void *, void *, void *, void *, void *, void *))real)(source_f, tag_f, comm_f, message_f, status_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Mprobe, 1, 1);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *, void *, void *))real)(source_f, tag_f, comm_f, message_f, status_f, ierr);
  if (!begin_) return;
  int source = *(MPI_Fint *)source_f;
  int tag = *(MPI_Fint *)tag_f;
  MPI_Comm comm = PMPI_Comm_f2c(*(MPI_Fint *)comm_f);
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Mprobe, 1, begin_, result_, peer(source, comm), 0, source, tag, comm);
}

void mpi_improbe_(void *source_f, void *tag_f, void *comm_f, void *flag_f, void *message_f, void *status_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_improbe_", "pmpi_improbe_");
  if (midrun_passes(CALL_Improbe)) { ((void (*)(void *, void *, void *, void *, void *, void *, void *))real)(source_f, tag_f, comm_f, flag_f, message_f, status_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Improbe, 0, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *, void *, void *, void *))real)(source_f, tag_f, comm_f, flag_f, message_f, status_f, ierr);
  if (!begin_) return;
  int source = *(MPI_Fint *)source_f;
  int tag = *(MPI_Fint *)tag_f;
  MPI_Comm comm = PMPI_Comm_f2c(*(MPI_Fint *)comm_f);
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Improbe, 0, begin_, result_, peer(source, comm), 0, source, tag, comm);
}

void mpi_get_count_(void *status_f, void *datatype_f, void *count_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_get_count_", "pmpi_get_count_");
  if (midrun_passes(CALL_Get_count)) { ((void (*)(void *, void *, void *, void *))real)(status_f, datatype_f, count_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Get_count, 0, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *))real)(status_f, datatype_f, count_f, ierr);
  if (!begin_) return;
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Get_count, 0, begin_, result_, LOCAL, 0, MPI_PROC_NULL, -1, MPI_COMM_NULL);
}

void mpi_get_elements_(void *status_f, void *datatype_f, void *count_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_get_elements_", "pmpi_get_elements_");
  if (midrun_passes(CALL_Get_elements)) { ((void (*)(void *, void *, void *, void *))real)(status_f, datatype_f, count_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Get_elements, 0, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *))real)(status_f, datatype_f, count_f, ierr);
  if (!begin_) return;
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Get_elements, 0, begin_, result_, LOCAL, 0, MPI_PROC_NULL, -1, MPI_COMM_NULL);
}

void mpi_buffer_attach_(void *buffer_f, void *size_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_buffer_attach_", "pmpi_buffer_attach_");
  if (midrun_passes(CALL_Buffer_attach)) { ((void (*)(void *, void *, void *))real)(buffer_f, size_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Buffer_attach, 0, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *))real)(buffer_f, size_f, ierr);
  if (!begin_) return;
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Buffer_attach, 0, begin_, result_, LOCAL, 0, MPI_PROC_NULL, -1, MPI_COMM_NULL);
}

void mpi_buffer_detach_(void *buffer_addr_f, void *size_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_buffer_detach_", "pmpi_buffer_detach_");
  if (midrun_passes(CALL_Buffer_detach)) { ((void (*)(void *, void *, void *))real)(buffer_addr_f, size_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Buffer_detach, 1, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *))real)(buffer_addr_f, size_f, ierr);
  if (!begin_) return;
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Buffer_detach, 1, begin_, result_, LOCAL, 0, MPI_PROC_NULL, -1, MPI_COMM_NULL);
}

void mpi_wait_(void *request_f, void *status_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_wait_", "pmpi_wait_");
  if (midrun_passes(CALL_Wait)) { ((void (*)(void *, void *, void *))real)(request_f, status_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Wait, 1, 1);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  MPI_Fint own_[FORTRAN_STATUS];
  if (begin_ && status_f == (void *)MPI_F_STATUS_IGNORE) status_f = own_;
  awaited_t awaited_;
  midrun_await(&awaited_, begin_ ? 1 : 0, request_f, sizeof (MPI_Fint));
  ((void (*)(void *, void *, void *))real)(request_f, status_f, ierr);
  if (!begin_) return;
  MPI_Status c_status, *status = fortran_status(status_f, &c_status);
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Wait, 1, begin_, result_, LOCAL, 0, MPI_PROC_NULL, -1, MPI_COMM_NULL);
  if (begin_ && result_ == MPI_SUCCESS) midrun_arrived(&awaited_, 1, NULL, 1, status);
}

void mpi_waitall_(void *count_f, void *array_of_requests_f, void *array_of_statuses_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_waitall_", "pmpi_waitall_");
  if (midrun_passes(CALL_Waitall)) { ((void (*)(void *, void *, void *, void *))real)(count_f, array_of_requests_f, array_of_statuses_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Waitall, 1, 1);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  awaited_t awaited_;
  midrun_await(&awaited_, begin_ ? *(MPI_Fint *)count_f : 0, array_of_requests_f, sizeof (MPI_Fint));
  ((void (*)(void *, void *, void *, void *))real)(count_f, array_of_requests_f, array_of_statuses_f, ierr);
  if (!begin_) return;
  int count = *(MPI_Fint *)count_f;
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Waitall, 1, begin_, result_, LOCAL, 0, MPI_PROC_NULL, -1, MPI_COMM_NULL);
  if (begin_ && result_ == MPI_SUCCESS) midrun_arrived(&awaited_, count, NULL, 1, NULL);
}

void mpi_waitany_(void *count_f, void *array_of_requests_f, void *indx_f, void *status_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_waitany_", "pmpi_waitany_");
  if (midrun_passes(CALL_Waitany)) { ((void (*)(void *, void *, void *, void *, void *))real)(count_f, array_of_requests_f, indx_f, status_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Waitany, 1, 1);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  MPI_Fint own_[FORTRAN_STATUS];
  if (begin_ && status_f == (void *)MPI_F_STATUS_IGNORE) status_f = own_;
  awaited_t awaited_;
  midrun_await(&awaited_, begin_ ? *(MPI_Fint *)count_f : 0, array_of_requests_f, sizeof (MPI_Fint));
  ((void (*)(void *, void *, void *, void *, void *))real)(count_f, array_of_requests_f, indx_f, status_f, ierr);
  if (!begin_) return;
  const MPI_Fint *indx = indx_f;
  MPI_Status c_status, *status = fortran_status(status_f, &c_status);
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Waitany, 1, begin_, result_, LOCAL, 0, MPI_PROC_NULL, -1, MPI_COMM_NULL);
  if (begin_ && result_ == MPI_SUCCESS) midrun_arrived(&awaited_, 1, indx, 1, status);
}

void mpi_waitsome_(void *incount_f, void *array_of_requests_f, void *outcount_f, void *array_of_indices_f, void *array_of_statuses_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_waitsome_", "pmpi_waitsome_");
  if (midrun_passes(CALL_Waitsome)) { ((void (*)(void *, void *, void *, void *, void *, void *))real)(incount_f, array_of_requests_f, outcount_f, array_of_indices_f, array_of_statuses_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Waitsome, 1, 1);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  awaited_t awaited_;
  midrun_await(&awaited_, begin_ ? *(MPI_Fint *)incount_f : 0, array_of_requests_f, sizeof (MPI_Fint));
  ((void (*)(void *, void *, void *, void *, void *, void *))real)(incount_f, array_of_requests_f, outcount_f, array_of_indices_f, array_of_statuses_f, ierr);
  if (!begin_) return;
  const MPI_Fint *outcount = outcount_f;
  const MPI_Fint *array_of_indices = array_of_indices_f;
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Waitsome, 1, begin_, result_, LOCAL, 0, MPI_PROC_NULL, -1, MPI_COMM_NULL);
  if (begin_ && result_ == MPI_SUCCESS) midrun_arrived(&awaited_, *outcount, array_of_indices, 1, NULL);
}

void mpi_test_(void *request_f, void *flag_f, void *status_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_test_", "pmpi_test_");
  if (midrun_passes(CALL_Test)) { ((void (*)(void *, void *, void *, void *))real)(request_f, flag_f, status_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Test, 0, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *))real)(request_f, flag_f, status_f, ierr);
  if (!begin_) return;
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Test, 0, begin_, result_, LOCAL, 0, MPI_PROC_NULL, -1, MPI_COMM_NULL);
}

void mpi_testall_(void *count_f, void *array_of_requests_f, void *flag_f, void *array_of_statuses_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_testall_", "pmpi_testall_");
  if (midrun_passes(CALL_Testall)) { ((void (*)(void *, void *, void *, void *, void *))real)(count_f, array_of_requests_f, flag_f, array_of_statuses_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Testall, 0, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *, void *))real)(count_f, array_of_requests_f, flag_f, array_of_statuses_f, ierr);
  if (!begin_) return;
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Testall, 0, begin_, result_, LOCAL, 0, MPI_PROC_NULL, -1, MPI_COMM_NULL);
}

void mpi_testany_(void *count_f, void *array_of_requests_f, void *indx_f, void *flag_f, void *status_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_testany_", "pmpi_testany_");
  if (midrun_passes(CALL_Testany)) { ((void (*)(void *, void *, void *, void *, void *, void *))real)(count_f, array_of_requests_f, indx_f, flag_f, status_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Testany, 0, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *, void *, void *))real)(count_f, array_of_requests_f, indx_f, flag_f, status_f, ierr);
  if (!begin_) return;
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Testany, 0, begin_, result_, LOCAL, 0, MPI_PROC_NULL, -1, MPI_COMM_NULL);
}

void mpi_testsome_(void *incount_f, void *array_of_requests_f, void *outcount_f, void *array_of_indices_f, void *array_of_statuses_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_testsome_", "pmpi_testsome_");
  if (midrun_passes(CALL_Testsome)) { ((void (*)(void *, void *, void *, void *, void *, void *))real)(incount_f, array_of_requests_f, outcount_f, array_of_indices_f, array_of_statuses_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Testsome, 0, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *, void *, void *))real)(incount_f, array_of_requests_f, outcount_f, array_of_indices_f, array_of_statuses_f, ierr);
  if (!begin_) return;
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Testsome, 0, begin_, result_, LOCAL, 0, MPI_PROC_NULL, -1, MPI_COMM_NULL);
}

void mpi_request_get_status_(void *request_f, void *flag_f, void *status_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_request_get_status_", "pmpi_request_get_status_");
  if (midrun_passes(CALL_Request_get_status)) { ((void (*)(void *, void *, void *, void *))real)(request_f, flag_f, status_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Request_get_status, 0, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *))real)(request_f, flag_f, status_f, ierr);
  if (!begin_) return;
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Request_get_status, 0, begin_, result_, LOCAL, 0, MPI_PROC_NULL, -1, MPI_COMM_NULL);
}

void mpi_test_cancelled_(void *status_f, void *flag_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_test_cancelled_", "pmpi_test_cancelled_");
  if (midrun_passes(CALL_Test_cancelled)) { ((void (*)(void *, void *, void *))real)(status_f, flag_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Test_cancelled, 0, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *))real)(status_f, flag_f, ierr);
  if (!begin_) return;
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Test_cancelled, 0, begin_, result_, LOCAL, 0, MPI_PROC_NULL, -1, MPI_COMM_NULL);
}

void mpi_cancel_(void *request_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_cancel_", "pmpi_cancel_");
  if (midrun_passes(CALL_Cancel)) { ((void (*)(void *, void *))real)(request_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Cancel, 0, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *))real)(request_f, ierr);
  if (!begin_) return;
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Cancel, 0, begin_, result_, LOCAL, 0, MPI_PROC_NULL, -1, MPI_COMM_NULL);
}

void mpi_request_free_(void *request_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_request_free_", "pmpi_request_free_");
  midrun_forget(request_f, sizeof (MPI_Fint));
  if (midrun_passes(CALL_Request_free)) { ((void (*)(void *, void *))real)(request_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Request_free, 0, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *))real)(request_f, ierr);
  if (!begin_) return;
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Request_free, 0, begin_, result_, LOCAL, 0, MPI_PROC_NULL, -1, MPI_COMM_NULL);
}

void mpi_send_init_(void *buf_f, void *count_f, void *datatype_f, void *dest_f, void *tag_f, void *comm_f, void *request_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_send_init_", "pmpi_send_init_");
  uint64_t begin_ = BEGIN(CALL_Send_init, 0, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *))real)(buf_f, count_f, datatype_f, dest_f, tag_f, comm_f, request_f, ierr);
  if (!begin_) return;
  int count = *(MPI_Fint *)count_f;
  MPI_Datatype datatype = PMPI_Type_f2c(*(MPI_Fint *)datatype_f);
  int dest = *(MPI_Fint *)dest_f;
  int tag = *(MPI_Fint *)tag_f;
  MPI_Comm comm = PMPI_Comm_f2c(*(MPI_Fint *)comm_f);
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Send_init, 0, begin_, result_, peer(dest, comm), block_to(dest, count, datatype), dest, tag, comm);
  if (begin_ && result_ == MPI_SUCCESS) midrun_kept(request_f, sizeof (MPI_Fint), comm == MPI_COMM_WORLD);
}

void mpi_ssend_init_(void *buf_f, void *count_f, void *datatype_f, void *dest_f, void *tag_f, void *comm_f, void *request_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_ssend_init_", "pmpi_ssend_init_");
  uint64_t begin_ = BEGIN(CALL_Ssend_init, 0, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *))real)(buf_f, count_f, datatype_f, dest_f, tag_f, comm_f, request_f, ierr);
  if (!begin_) return;
  int count = *(MPI_Fint *)count_f;
  MPI_Datatype datatype = PMPI_Type_f2c(*(MPI_Fint *)datatype_f);
  int dest = *(MPI_Fint *)dest_f;
  int tag = *(MPI_Fint *)tag_f;
  MPI_Comm comm = PMPI_Comm_f2c(*(MPI_Fint *)comm_f);
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Ssend_init, 0, begin_, result_, peer(dest, comm), block_to(dest, count, datatype), dest, tag, comm);
  if (begin_ && result_ == MPI_SUCCESS) midrun_kept(request_f, sizeof (MPI_Fint), comm == MPI_COMM_WORLD);
}

void mpi_bsend_init_(void *buf_f, void *count_f, void *datatype_f, void *dest_f, void *tag_f, void *comm_f, void *request_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_bsend_init_", "pmpi_bsend_init_");
  if (midrun_passes(CALL_Bsend_init)) { ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *))real)(buf_f, count_f, datatype_f, dest_f, tag_f, comm_f, request_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Bsend_init, 0, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *))real)(buf_f, count_f, datatype_f, dest_f, tag_f, comm_f, request_f, ierr);
  if (!begin_) return;
  int count = *(MPI_Fint *)count_f;
  MPI_Datatype datatype = PMPI_Type_f2c(*(MPI_Fint *)datatype_f);
  int dest = *(MPI_Fint *)dest_f;
  int tag = *(MPI_Fint *)tag_f;
  MPI_Comm comm = PMPI_Comm_f2c(*(MPI_Fint *)comm_f);
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Bsend_init, 0, begin_, result_, peer(dest, comm), block_to(dest, count, datatype), dest, tag, comm);
}

void mpi_rsend_init_(void *buf_f, void *count_f, void *datatype_f, void *dest_f, void *tag_f, void *comm_f, void *request_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_rsend_init_", "pmpi_rsend_init_");
  uint64_t begin_ = BEGIN(CALL_Rsend_init, 0, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *))real)(buf_f, count_f, datatype_f, dest_f, tag_f, comm_f, request_f, ierr);
  if (!begin_) return;
  int count = *(MPI_Fint *)count_f;
  MPI_Datatype datatype = PMPI_Type_f2c(*(MPI_Fint *)datatype_f);
  int dest = *(MPI_Fint *)dest_f;
  int tag = *(MPI_Fint *)tag_f;
  MPI_Comm comm = PMPI_Comm_f2c(*(MPI_Fint *)comm_f);
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Rsend_init, 0, begin_, result_, peer(dest, comm), block_to(dest, count, datatype), dest, tag, comm);
  if (begin_ && result_ == MPI_SUCCESS) midrun_kept(request_f, sizeof (MPI_Fint), comm == MPI_COMM_WORLD);
}

void mpi_recv_init_(void *buf_f, void *count_f, void *datatype_f, void *source_f, void *tag_f, void *comm_f, void *request_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_recv_init_", "pmpi_recv_init_");
  uint64_t begin_ = BEGIN(CALL_Recv_init, 0, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *))real)(buf_f, count_f, datatype_f, source_f, tag_f, comm_f, request_f, ierr);
  if (!begin_) return;
  int count = *(MPI_Fint *)count_f;
  MPI_Datatype datatype = PMPI_Type_f2c(*(MPI_Fint *)datatype_f);
  int source = *(MPI_Fint *)source_f;
  int tag = *(MPI_Fint *)tag_f;
  MPI_Comm comm = PMPI_Comm_f2c(*(MPI_Fint *)comm_f);
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Recv_init, 0, begin_, result_, peer(source, comm), block_to(source, count, datatype), source, tag, comm);
  if (begin_ && result_ == MPI_SUCCESS) midrun_kept(request_f, sizeof (MPI_Fint), comm == MPI_COMM_WORLD);
}

void mpi_start_(void *request_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_start_", "pmpi_start_");
  if (midrun_passes(CALL_Start)) { ((void (*)(void *, void *))real)(request_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Start, 0, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  int started_ = LOCAL;
  ((void (*)(void *, void *))real)(request_f, ierr);
  if (!begin_) return;
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Start, 0, begin_, result_, started_, midrun_call_starts(request_f, sizeof (MPI_Fint), 1, &started_), MPI_PROC_NULL, -1, MPI_COMM_NULL);
  if (begin_ && result_ == MPI_SUCCESS) midrun_call_started(request_f, sizeof (MPI_Fint), 1);
}

void mpi_startall_(void *count_f, void *array_of_requests_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_startall_", "pmpi_startall_");
  if (midrun_passes(CALL_Startall)) { ((void (*)(void *, void *, void *))real)(count_f, array_of_requests_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Startall, 0, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  int started_ = LOCAL;
  ((void (*)(void *, void *, void *))real)(count_f, array_of_requests_f, ierr);
  if (!begin_) return;
  int count = *(MPI_Fint *)count_f;
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Startall, 0, begin_, result_, started_, midrun_call_starts(array_of_requests_f, sizeof (MPI_Fint), count, &started_), MPI_PROC_NULL, -1, MPI_COMM_NULL);
  if (begin_ && result_ == MPI_SUCCESS) midrun_call_started(array_of_requests_f, sizeof (MPI_Fint), count);
}

void mpi_barrier_(void *comm_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_barrier_", "pmpi_barrier_");
  if (midrun_passes(CALL_Barrier)) { ((void (*)(void *, void *))real)(comm_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Barrier, 1, 1);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *))real)(comm_f, ierr);
  if (!begin_) return;
  MPI_Comm comm = PMPI_Comm_f2c(*(MPI_Fint *)comm_f);
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Barrier, 1, begin_, result_, COLLECTIVE, 0, MPI_PROC_NULL, -1, comm);
}

void mpi_bcast_(void *buffer_f, void *count_f, void *datatype_f, void *root_f, void *comm_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_bcast_", "pmpi_bcast_");
  if (midrun_passes(CALL_Bcast)) { ((void (*)(void *, void *, void *, void *, void *, void *))real)(buffer_f, count_f, datatype_f, root_f, comm_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Bcast, 1, 1);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *, void *, void *))real)(buffer_f, count_f, datatype_f, root_f, comm_f, ierr);
  if (!begin_) return;
  int count = *(MPI_Fint *)count_f;
  MPI_Datatype datatype = PMPI_Type_f2c(*(MPI_Fint *)datatype_f);
  int root = *(MPI_Fint *)root_f;
  MPI_Comm comm = PMPI_Comm_f2c(*(MPI_Fint *)comm_f);
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Bcast, 1, begin_, result_, COLLECTIVE, rooted(root, count, datatype, comm), MPI_PROC_NULL, -1, comm);
}

void mpi_gather_(void *sendbuf_f, void *sendcount_f, void *sendtype_f, void *recvbuf_f, void *recvcount_f, void *recvtype_f, void *root_f, void *comm_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_gather_", "pmpi_gather_");
  if (midrun_passes(CALL_Gather)) { ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *, void *))real)(sendbuf_f, sendcount_f, sendtype_f, recvbuf_f, recvcount_f, recvtype_f, root_f, comm_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Gather, 1, 1);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *, void *))real)(sendbuf_f, sendcount_f, sendtype_f, recvbuf_f, recvcount_f, recvtype_f, root_f, comm_f, ierr);
  if (!begin_) return;
  const void *sendbuf = fortran_buffer(sendbuf_f);
  int sendcount = *(MPI_Fint *)sendcount_f;
  MPI_Datatype sendtype = PMPI_Type_f2c(*(MPI_Fint *)sendtype_f);
  int recvcount = *(MPI_Fint *)recvcount_f;
  MPI_Datatype recvtype = PMPI_Type_f2c(*(MPI_Fint *)recvtype_f);
  int root = *(MPI_Fint *)root_f;
  MPI_Comm comm = PMPI_Comm_f2c(*(MPI_Fint *)comm_f);
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Gather, 1, begin_, result_, COLLECTIVE, gathered(sendbuf, sendcount, sendtype, recvcount, recvtype, root, comm), MPI_PROC_NULL, -1, comm);
}

void mpi_gatherv_(void *sendbuf_f, void *sendcount_f, void *sendtype_f, void *recvbuf_f, void *recvcounts_f, void *displs_f, void *recvtype_f, void *root_f, void *comm_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_gatherv_", "pmpi_gatherv_");
  if (midrun_passes(CALL_Gatherv)) { ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *, void *, void *))real)(sendbuf_f, sendcount_f, sendtype_f, recvbuf_f, recvcounts_f, displs_f, recvtype_f, root_f, comm_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Gatherv, 1, 1);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *, void *, void *))real)(sendbuf_f, sendcount_f, sendtype_f, recvbuf_f, recvcounts_f, displs_f, recvtype_f, root_f, comm_f, ierr);
  if (!begin_) return;
  const void *sendbuf = fortran_buffer(sendbuf_f);
  int sendcount = *(MPI_Fint *)sendcount_f;
  MPI_Datatype sendtype = PMPI_Type_f2c(*(MPI_Fint *)sendtype_f);
  const MPI_Fint *recvcounts = recvcounts_f;
  MPI_Datatype recvtype = PMPI_Type_f2c(*(MPI_Fint *)recvtype_f);
  int root = *(MPI_Fint *)root_f;
  MPI_Comm comm = PMPI_Comm_f2c(*(MPI_Fint *)comm_f);
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Gatherv, 1, begin_, result_, COLLECTIVE, gathered_v_f(sendbuf, sendcount, sendtype, recvcounts, recvtype, root, comm), MPI_PROC_NULL, -1, comm);
}

void mpi_scatter_(void *sendbuf_f, void *sendcount_f, void *sendtype_f, void *recvbuf_f, void *recvcount_f, void *recvtype_f, void *root_f, void *comm_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_scatter_", "pmpi_scatter_");
  if (midrun_passes(CALL_Scatter)) { ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *, void *))real)(sendbuf_f, sendcount_f, sendtype_f, recvbuf_f, recvcount_f, recvtype_f, root_f, comm_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Scatter, 1, 1);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *, void *))real)(sendbuf_f, sendcount_f, sendtype_f, recvbuf_f, recvcount_f, recvtype_f, root_f, comm_f, ierr);
  if (!begin_) return;
  int sendcount = *(MPI_Fint *)sendcount_f;
  MPI_Datatype sendtype = PMPI_Type_f2c(*(MPI_Fint *)sendtype_f);
  const void *recvbuf = fortran_buffer(recvbuf_f);
  int recvcount = *(MPI_Fint *)recvcount_f;
  MPI_Datatype recvtype = PMPI_Type_f2c(*(MPI_Fint *)recvtype_f);
  int root = *(MPI_Fint *)root_f;
  MPI_Comm comm = PMPI_Comm_f2c(*(MPI_Fint *)comm_f);
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Scatter, 1, begin_, result_, COLLECTIVE, scattered(recvbuf, recvcount, recvtype, sendcount, sendtype, root, comm), MPI_PROC_NULL, -1, comm);
}

void mpi_scatterv_(void *sendbuf_f, void *sendcounts_f, void *displs_f, void *sendtype_f, void *recvbuf_f, void *recvcount_f, void *recvtype_f, void *root_f, void *comm_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_scatterv_", "pmpi_scatterv_");
  if (midrun_passes(CALL_Scatterv)) { ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *, void *, void *))real)(sendbuf_f, sendcounts_f, displs_f, sendtype_f, recvbuf_f, recvcount_f, recvtype_f, root_f, comm_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Scatterv, 1, 1);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *, void *, void *))real)(sendbuf_f, sendcounts_f, displs_f, sendtype_f, recvbuf_f, recvcount_f, recvtype_f, root_f, comm_f, ierr);
  if (!begin_) return;
  const MPI_Fint *sendcounts = sendcounts_f;
  MPI_Datatype sendtype = PMPI_Type_f2c(*(MPI_Fint *)sendtype_f);
  const void *recvbuf = fortran_buffer(recvbuf_f);
  int recvcount = *(MPI_Fint *)recvcount_f;
  MPI_Datatype recvtype = PMPI_Type_f2c(*(MPI_Fint *)recvtype_f);
  int root = *(MPI_Fint *)root_f;
  MPI_Comm comm = PMPI_Comm_f2c(*(MPI_Fint *)comm_f);
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Scatterv, 1, begin_, result_, COLLECTIVE, scattered_v_f(recvbuf, recvcount, recvtype, sendcounts, sendtype, root, comm), MPI_PROC_NULL, -1, comm);
}

void mpi_allgather_(void *sendbuf_f, void *sendcount_f, void *sendtype_f, void *recvbuf_f, void *recvcount_f, void *recvtype_f, void *comm_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_allgather_", "pmpi_allgather_");
  if (midrun_passes(CALL_Allgather)) { ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *))real)(sendbuf_f, sendcount_f, sendtype_f, recvbuf_f, recvcount_f, recvtype_f, comm_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Allgather, 1, 1);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *))real)(sendbuf_f, sendcount_f, sendtype_f, recvbuf_f, recvcount_f, recvtype_f, comm_f, ierr);
  if (!begin_) return;
  const void *sendbuf = fortran_buffer(sendbuf_f);
  int sendcount = *(MPI_Fint *)sendcount_f;
  MPI_Datatype sendtype = PMPI_Type_f2c(*(MPI_Fint *)sendtype_f);
  int recvcount = *(MPI_Fint *)recvcount_f;
  MPI_Datatype recvtype = PMPI_Type_f2c(*(MPI_Fint *)recvtype_f);
  MPI_Comm comm = PMPI_Comm_f2c(*(MPI_Fint *)comm_f);
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Allgather, 1, begin_, result_, COLLECTIVE, own(sendbuf, sendcount, sendtype, recvcount, recvtype), MPI_PROC_NULL, -1, comm);
}

void mpi_allgatherv_(void *sendbuf_f, void *sendcount_f, void *sendtype_f, void *recvbuf_f, void *recvcounts_f, void *displs_f, void *recvtype_f, void *comm_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_allgatherv_", "pmpi_allgatherv_");
  if (midrun_passes(CALL_Allgatherv)) { ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *, void *))real)(sendbuf_f, sendcount_f, sendtype_f, recvbuf_f, recvcounts_f, displs_f, recvtype_f, comm_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Allgatherv, 1, 1);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *, void *))real)(sendbuf_f, sendcount_f, sendtype_f, recvbuf_f, recvcounts_f, displs_f, recvtype_f, comm_f, ierr);
  if (!begin_) return;
  const void *sendbuf = fortran_buffer(sendbuf_f);
  int sendcount = *(MPI_Fint *)sendcount_f;
  MPI_Datatype sendtype = PMPI_Type_f2c(*(MPI_Fint *)sendtype_f);
  const MPI_Fint *recvcounts = recvcounts_f;
  MPI_Datatype recvtype = PMPI_Type_f2c(*(MPI_Fint *)recvtype_f);
  MPI_Comm comm = PMPI_Comm_f2c(*(MPI_Fint *)comm_f);
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Allgatherv, 1, begin_, result_, COLLECTIVE, own_v_f(sendbuf, sendcount, sendtype, recvcounts, recvtype, comm), MPI_PROC_NULL, -1, comm);
}

void mpi_alltoall_(void *sendbuf_f, void *sendcount_f, void *sendtype_f, void *recvbuf_f, void *recvcount_f, void *recvtype_f, void *comm_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_alltoall_", "pmpi_alltoall_");
  if (midrun_passes(CALL_Alltoall)) { ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *))real)(sendbuf_f, sendcount_f, sendtype_f, recvbuf_f, recvcount_f, recvtype_f, comm_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Alltoall, 1, 1);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *))real)(sendbuf_f, sendcount_f, sendtype_f, recvbuf_f, recvcount_f, recvtype_f, comm_f, ierr);
  if (!begin_) return;
  const void *sendbuf = fortran_buffer(sendbuf_f);
  int sendcount = *(MPI_Fint *)sendcount_f;
  MPI_Datatype sendtype = PMPI_Type_f2c(*(MPI_Fint *)sendtype_f);
  int recvcount = *(MPI_Fint *)recvcount_f;
  MPI_Datatype recvtype = PMPI_Type_f2c(*(MPI_Fint *)recvtype_f);
  MPI_Comm comm = PMPI_Comm_f2c(*(MPI_Fint *)comm_f);
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Alltoall, 1, begin_, result_, COLLECTIVE, own(sendbuf, sendcount, sendtype, recvcount, recvtype) * peers(comm), MPI_PROC_NULL, -1, comm);
}

void mpi_alltoallv_(void *sendbuf_f, void *sendcounts_f, void *sdispls_f, void *sendtype_f, void *recvbuf_f, void *recvcounts_f, void *rdispls_f, void *recvtype_f, void *comm_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_alltoallv_", "pmpi_alltoallv_");
  if (midrun_passes(CALL_Alltoallv)) { ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *, void *, void *))real)(sendbuf_f, sendcounts_f, sdispls_f, sendtype_f, recvbuf_f, recvcounts_f, rdispls_f, recvtype_f, comm_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Alltoallv, 1, 1);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *, void *, void *))real)(sendbuf_f, sendcounts_f, sdispls_f, sendtype_f, recvbuf_f, recvcounts_f, rdispls_f, recvtype_f, comm_f, ierr);
  if (!begin_) return;
  const void *sendbuf = fortran_buffer(sendbuf_f);
  const MPI_Fint *sendcounts = sendcounts_f;
  MPI_Datatype sendtype = PMPI_Type_f2c(*(MPI_Fint *)sendtype_f);
  const MPI_Fint *recvcounts = recvcounts_f;
  MPI_Datatype recvtype = PMPI_Type_f2c(*(MPI_Fint *)recvtype_f);
  MPI_Comm comm = PMPI_Comm_f2c(*(MPI_Fint *)comm_f);
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Alltoallv, 1, begin_, result_, COLLECTIVE, own_all_v_f(sendbuf, sendcounts, sendtype, recvcounts, recvtype, peers(comm)), MPI_PROC_NULL, -1, comm);
}

void mpi_alltoallw_(void *sendbuf_f, void *sendcounts_f, void *sdispls_f, void *sendtypes_f, void *recvbuf_f, void *recvcounts_f, void *rdispls_f, void *recvtypes_f, void *comm_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_alltoallw_", "pmpi_alltoallw_");
  if (midrun_passes(CALL_Alltoallw)) { ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *, void *, void *))real)(sendbuf_f, sendcounts_f, sdispls_f, sendtypes_f, recvbuf_f, recvcounts_f, rdispls_f, recvtypes_f, comm_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Alltoallw, 1, 1);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *, void *, void *))real)(sendbuf_f, sendcounts_f, sdispls_f, sendtypes_f, recvbuf_f, recvcounts_f, rdispls_f, recvtypes_f, comm_f, ierr);
  if (!begin_) return;
  const void *sendbuf = fortran_buffer(sendbuf_f);
  const MPI_Fint *sendcounts = sendcounts_f;
  const MPI_Fint *sendtypes = sendtypes_f;
  const MPI_Fint *recvcounts = recvcounts_f;
  const MPI_Fint *recvtypes = recvtypes_f;
  MPI_Comm comm = PMPI_Comm_f2c(*(MPI_Fint *)comm_f);
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Alltoallw, 1, begin_, result_, COLLECTIVE, own_all_w_f(sendbuf, sendcounts, sendtypes, recvcounts, recvtypes, peers(comm)), MPI_PROC_NULL, -1, comm);
}

void mpi_reduce_(void *sendbuf_f, void *recvbuf_f, void *count_f, void *datatype_f, void *op_f, void *root_f, void *comm_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_reduce_", "pmpi_reduce_");
  if (midrun_passes(CALL_Reduce)) { ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *))real)(sendbuf_f, recvbuf_f, count_f, datatype_f, op_f, root_f, comm_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Reduce, 1, 1);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *))real)(sendbuf_f, recvbuf_f, count_f, datatype_f, op_f, root_f, comm_f, ierr);
  if (!begin_) return;
  int count = *(MPI_Fint *)count_f;
  MPI_Datatype datatype = PMPI_Type_f2c(*(MPI_Fint *)datatype_f);
  int root = *(MPI_Fint *)root_f;
  MPI_Comm comm = PMPI_Comm_f2c(*(MPI_Fint *)comm_f);
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Reduce, 1, begin_, result_, COLLECTIVE, rooted(root, count, datatype, comm), MPI_PROC_NULL, -1, comm);
}

void mpi_allreduce_(void *sendbuf_f, void *recvbuf_f, void *count_f, void *datatype_f, void *op_f, void *comm_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_allreduce_", "pmpi_allreduce_");
  if (midrun_passes(CALL_Allreduce)) { ((void (*)(void *, void *, void *, void *, void *, void *, void *))real)(sendbuf_f, recvbuf_f, count_f, datatype_f, op_f, comm_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Allreduce, 1, 1);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *, void *, void *, void *))real)(sendbuf_f, recvbuf_f, count_f, datatype_f, op_f, comm_f, ierr);
  if (!begin_) return;
  int count = *(MPI_Fint *)count_f;
  MPI_Datatype datatype = PMPI_Type_f2c(*(MPI_Fint *)datatype_f);
  MPI_Comm comm = PMPI_Comm_f2c(*(MPI_Fint *)comm_f);
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Allreduce, 1, begin_, result_, COLLECTIVE, block(count, datatype), MPI_PROC_NULL, -1, comm);
}

void mpi_reduce_scatter_(void *sendbuf_f, void *recvbuf_f, void *recvcounts_f, void *datatype_f, void *op_f, void *comm_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_reduce_scatter_", "pmpi_reduce_scatter_");
  if (midrun_passes(CALL_Reduce_scatter)) { ((void (*)(void *, void *, void *, void *, void *, void *, void *))real)(sendbuf_f, recvbuf_f, recvcounts_f, datatype_f, op_f, comm_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Reduce_scatter, 1, 1);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *, void *, void *, void *))real)(sendbuf_f, recvbuf_f, recvcounts_f, datatype_f, op_f, comm_f, ierr);
  if (!begin_) return;
  const MPI_Fint *recvcounts = recvcounts_f;
  MPI_Datatype datatype = PMPI_Type_f2c(*(MPI_Fint *)datatype_f);
  MPI_Comm comm = PMPI_Comm_f2c(*(MPI_Fint *)comm_f);
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Reduce_scatter, 1, begin_, result_, COLLECTIVE, all_v_f(recvcounts, datatype, members(comm)), MPI_PROC_NULL, -1, comm);
}

void mpi_reduce_scatter_block_(void *sendbuf_f, void *recvbuf_f, void *recvcount_f, void *datatype_f, void *op_f, void *comm_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_reduce_scatter_block_", "pmpi_reduce_scatter_block_");
  if (midrun_passes(CALL_Reduce_scatter_block)) { ((void (*)(void *, void *, void *, void *, void *, void *, void *))real)(sendbuf_f, recvbuf_f, recvcount_f, datatype_f, op_f, comm_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Reduce_scatter_block, 1, 1);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *, void *, void *, void *))real)(sendbuf_f, recvbuf_f, recvcount_f, datatype_f, op_f, comm_f, ierr);
  if (!begin_) return;
  int recvcount = *(MPI_Fint *)recvcount_f;
  MPI_Datatype datatype = PMPI_Type_f2c(*(MPI_Fint *)datatype_f);
  MPI_Comm comm = PMPI_Comm_f2c(*(MPI_Fint *)comm_f);
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Reduce_scatter_block, 1, begin_, result_, COLLECTIVE, block(recvcount, datatype) * members(comm), MPI_PROC_NULL, -1, comm);
}

void mpi_scan_(void *sendbuf_f, void *recvbuf_f, void *count_f, void *datatype_f, void *op_f, void *comm_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_scan_", "pmpi_scan_");
  if (midrun_passes(CALL_Scan)) { ((void (*)(void *, void *, void *, void *, void *, void *, void *))real)(sendbuf_f, recvbuf_f, count_f, datatype_f, op_f, comm_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Scan, 1, 1);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *, void *, void *, void *))real)(sendbuf_f, recvbuf_f, count_f, datatype_f, op_f, comm_f, ierr);
  if (!begin_) return;
  int count = *(MPI_Fint *)count_f;
  MPI_Datatype datatype = PMPI_Type_f2c(*(MPI_Fint *)datatype_f);
  MPI_Comm comm = PMPI_Comm_f2c(*(MPI_Fint *)comm_f);
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Scan, 1, begin_, result_, COLLECTIVE, block(count, datatype), MPI_PROC_NULL, -1, comm);
}

void mpi_exscan_(void *sendbuf_f, void *recvbuf_f, void *count_f, void *datatype_f, void *op_f, void *comm_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_exscan_", "pmpi_exscan_");
  if (midrun_passes(CALL_Exscan)) { ((void (*)(void *, void *, void *, void *, void *, void *, void *))real)(sendbuf_f, recvbuf_f, count_f, datatype_f, op_f, comm_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Exscan, 1, 1);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *, void *, void *, void *))real)(sendbuf_f, recvbuf_f, count_f, datatype_f, op_f, comm_f, ierr);
  if (!begin_) return;
  int count = *(MPI_Fint *)count_f;
  MPI_Datatype datatype = PMPI_Type_f2c(*(MPI_Fint *)datatype_f);
  MPI_Comm comm = PMPI_Comm_f2c(*(MPI_Fint *)comm_f);
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Exscan, 1, begin_, result_, COLLECTIVE, block(count, datatype), MPI_PROC_NULL, -1, comm);
}

void mpi_neighbor_allgather_(void *sendbuf_f, void *sendcount_f, void *sendtype_f, void *recvbuf_f, void *recvcount_f, void *recvtype_f, void *comm_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_neighbor_allgather_", "pmpi_neighbor_allgather_");
  if (midrun_passes(CALL_Neighbor_allgather)) { ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *))real)(sendbuf_f, sendcount_f, sendtype_f, recvbuf_f, recvcount_f, recvtype_f, comm_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Neighbor_allgather, 1, 1);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *))real)(sendbuf_f, sendcount_f, sendtype_f, recvbuf_f, recvcount_f, recvtype_f, comm_f, ierr);
  if (!begin_) return;
  int sendcount = *(MPI_Fint *)sendcount_f;
  MPI_Datatype sendtype = PMPI_Type_f2c(*(MPI_Fint *)sendtype_f);
  MPI_Comm comm = PMPI_Comm_f2c(*(MPI_Fint *)comm_f);
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Neighbor_allgather, 1, begin_, result_, COLLECTIVE, block(sendcount, sendtype), MPI_PROC_NULL, -1, comm);
}

void mpi_neighbor_allgatherv_(void *sendbuf_f, void *sendcount_f, void *sendtype_f, void *recvbuf_f, void *recvcounts_f, void *displs_f, void *recvtype_f, void *comm_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_neighbor_allgatherv_", "pmpi_neighbor_allgatherv_");
  if (midrun_passes(CALL_Neighbor_allgatherv)) { ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *, void *))real)(sendbuf_f, sendcount_f, sendtype_f, recvbuf_f, recvcounts_f, displs_f, recvtype_f, comm_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Neighbor_allgatherv, 1, 1);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *, void *))real)(sendbuf_f, sendcount_f, sendtype_f, recvbuf_f, recvcounts_f, displs_f, recvtype_f, comm_f, ierr);
  if (!begin_) return;
  int sendcount = *(MPI_Fint *)sendcount_f;
  MPI_Datatype sendtype = PMPI_Type_f2c(*(MPI_Fint *)sendtype_f);
  MPI_Comm comm = PMPI_Comm_f2c(*(MPI_Fint *)comm_f);
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Neighbor_allgatherv, 1, begin_, result_, COLLECTIVE, block(sendcount, sendtype), MPI_PROC_NULL, -1, comm);
}

void mpi_neighbor_alltoall_(void *sendbuf_f, void *sendcount_f, void *sendtype_f, void *recvbuf_f, void *recvcount_f, void *recvtype_f, void *comm_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_neighbor_alltoall_", "pmpi_neighbor_alltoall_");
  if (midrun_passes(CALL_Neighbor_alltoall)) { ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *))real)(sendbuf_f, sendcount_f, sendtype_f, recvbuf_f, recvcount_f, recvtype_f, comm_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Neighbor_alltoall, 1, 1);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *))real)(sendbuf_f, sendcount_f, sendtype_f, recvbuf_f, recvcount_f, recvtype_f, comm_f, ierr);
  if (!begin_) return;
  int sendcount = *(MPI_Fint *)sendcount_f;
  MPI_Datatype sendtype = PMPI_Type_f2c(*(MPI_Fint *)sendtype_f);
  MPI_Comm comm = PMPI_Comm_f2c(*(MPI_Fint *)comm_f);
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Neighbor_alltoall, 1, begin_, result_, COLLECTIVE, block(sendcount, sendtype) * neighbours(comm), MPI_PROC_NULL, -1, comm);
}

void mpi_neighbor_alltoallv_(void *sendbuf_f, void *sendcounts_f, void *sdispls_f, void *sendtype_f, void *recvbuf_f, void *recvcounts_f, void *rdispls_f, void *recvtype_f, void *comm_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_neighbor_alltoallv_", "pmpi_neighbor_alltoallv_");
  if (midrun_passes(CALL_Neighbor_alltoallv)) { ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *, void *, void *))real)(sendbuf_f, sendcounts_f, sdispls_f, sendtype_f, recvbuf_f, recvcounts_f, rdispls_f, recvtype_f, comm_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Neighbor_alltoallv, 1, 1);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *, void *, void *))real)(sendbuf_f, sendcounts_f, sdispls_f, sendtype_f, recvbuf_f, recvcounts_f, rdispls_f, recvtype_f, comm_f, ierr);
  if (!begin_) return;
  const MPI_Fint *sendcounts = sendcounts_f;
  MPI_Datatype sendtype = PMPI_Type_f2c(*(MPI_Fint *)sendtype_f);
  MPI_Comm comm = PMPI_Comm_f2c(*(MPI_Fint *)comm_f);
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Neighbor_alltoallv, 1, begin_, result_, COLLECTIVE, all_v_f(sendcounts, sendtype, neighbours(comm)), MPI_PROC_NULL, -1, comm);
}

void mpi_neighbor_alltoallw_(void *sendbuf_f, void *sendcounts_f, void *sdispls_f, void *sendtypes_f, void *recvbuf_f, void *recvcounts_f, void *rdispls_f, void *recvtypes_f, void *comm_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_neighbor_alltoallw_", "pmpi_neighbor_alltoallw_");
  if (midrun_passes(CALL_Neighbor_alltoallw)) { ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *, void *, void *))real)(sendbuf_f, sendcounts_f, sdispls_f, sendtypes_f, recvbuf_f, recvcounts_f, rdispls_f, recvtypes_f, comm_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Neighbor_alltoallw, 1, 1);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *, void *, void *))real)(sendbuf_f, sendcounts_f, sdispls_f, sendtypes_f, recvbuf_f, recvcounts_f, rdispls_f, recvtypes_f, comm_f, ierr);
  if (!begin_) return;
  const MPI_Fint *sendcounts = sendcounts_f;
  const MPI_Fint *sendtypes = sendtypes_f;
  MPI_Comm comm = PMPI_Comm_f2c(*(MPI_Fint *)comm_f);
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Neighbor_alltoallw, 1, begin_, result_, COLLECTIVE, all_w_f(sendcounts, sendtypes, neighbours(comm)), MPI_PROC_NULL, -1, comm);
}

void mpi_ibarrier_(void *comm_f, void *request_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_ibarrier_", "pmpi_ibarrier_");
  if (midrun_passes(CALL_Ibarrier)) { ((void (*)(void *, void *, void *))real)(comm_f, request_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Ibarrier, 0, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *))real)(comm_f, request_f, ierr);
  if (!begin_) return;
  MPI_Comm comm = PMPI_Comm_f2c(*(MPI_Fint *)comm_f);
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Ibarrier, 0, begin_, result_, COLLECTIVE, 0, MPI_PROC_NULL, -1, comm);
}

void mpi_ibcast_(void *buffer_f, void *count_f, void *datatype_f, void *root_f, void *comm_f, void *request_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_ibcast_", "pmpi_ibcast_");
  if (midrun_passes(CALL_Ibcast)) { ((void (*)(void *, void *, void *, void *, void *, void *, void *))real)(buffer_f, count_f, datatype_f, root_f, comm_f, request_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Ibcast, 0, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *, void *, void *, void *))real)(buffer_f, count_f, datatype_f, root_f, comm_f, request_f, ierr);
  if (!begin_) return;
  int count = *(MPI_Fint *)count_f;
  MPI_Datatype datatype = PMPI_Type_f2c(*(MPI_Fint *)datatype_f);
  int root = *(MPI_Fint *)root_f;
  MPI_Comm comm = PMPI_Comm_f2c(*(MPI_Fint *)comm_f);
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Ibcast, 0, begin_, result_, COLLECTIVE, rooted(root, count, datatype, comm), MPI_PROC_NULL, -1, comm);
}

void mpi_igather_(void *sendbuf_f, void *sendcount_f, void *sendtype_f, void *recvbuf_f, void *recvcount_f, void *recvtype_f, void *root_f, void *comm_f, void *request_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_igather_", "pmpi_igather_");
  if (midrun_passes(CALL_Igather)) { ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *, void *, void *))real)(sendbuf_f, sendcount_f, sendtype_f, recvbuf_f, recvcount_f, recvtype_f, root_f, comm_f, request_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Igather, 0, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *, void *, void *))real)(sendbuf_f, sendcount_f, sendtype_f, recvbuf_f, recvcount_f, recvtype_f, root_f, comm_f, request_f, ierr);
  if (!begin_) return;
  const void *sendbuf = fortran_buffer(sendbuf_f);
  int sendcount = *(MPI_Fint *)sendcount_f;
  MPI_Datatype sendtype = PMPI_Type_f2c(*(MPI_Fint *)sendtype_f);
  int recvcount = *(MPI_Fint *)recvcount_f;
  MPI_Datatype recvtype = PMPI_Type_f2c(*(MPI_Fint *)recvtype_f);
  int root = *(MPI_Fint *)root_f;
  MPI_Comm comm = PMPI_Comm_f2c(*(MPI_Fint *)comm_f);
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Igather, 0, begin_, result_, COLLECTIVE, gathered(sendbuf, sendcount, sendtype, recvcount, recvtype, root, comm), MPI_PROC_NULL, -1, comm);
}

void mpi_igatherv_(void *sendbuf_f, void *sendcount_f, void *sendtype_f, void *recvbuf_f, void *recvcounts_f, void *displs_f, void *recvtype_f, void *root_f, void *comm_f, void *request_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_igatherv_", "pmpi_igatherv_");
  if (midrun_passes(CALL_Igatherv)) { ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *))real)(sendbuf_f, sendcount_f, sendtype_f, recvbuf_f, recvcounts_f, displs_f, recvtype_f, root_f, comm_f, request_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Igatherv, 0, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *))real)(sendbuf_f, sendcount_f, sendtype_f, recvbuf_f, recvcounts_f, displs_f, recvtype_f, root_f, comm_f, request_f, ierr);
  if (!begin_) return;
  const void *sendbuf = fortran_buffer(sendbuf_f);
  int sendcount = *(MPI_Fint *)sendcount_f;
  MPI_Datatype sendtype = PMPI_Type_f2c(*(MPI_Fint *)sendtype_f);
  const MPI_Fint *recvcounts = recvcounts_f;
  MPI_Datatype recvtype = PMPI_Type_f2c(*(MPI_Fint *)recvtype_f);
  int root = *(MPI_Fint *)root_f;
  MPI_Comm comm = PMPI_Comm_f2c(*(MPI_Fint *)comm_f);
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Igatherv, 0, begin_, result_, COLLECTIVE, gathered_v_f(sendbuf, sendcount, sendtype, recvcounts, recvtype, root, comm), MPI_PROC_NULL, -1, comm);
}

void mpi_iscatter_(void *sendbuf_f, void *sendcount_f, void *sendtype_f, void *recvbuf_f, void *recvcount_f, void *recvtype_f, void *root_f, void *comm_f, void *request_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_iscatter_", "pmpi_iscatter_");
  if (midrun_passes(CALL_Iscatter)) { ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *, void *, void *))real)(sendbuf_f, sendcount_f, sendtype_f, recvbuf_f, recvcount_f, recvtype_f, root_f, comm_f, request_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Iscatter, 0, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *, void *, void *))real)(sendbuf_f, sendcount_f, sendtype_f, recvbuf_f, recvcount_f, recvtype_f, root_f, comm_f, request_f, ierr);
  if (!begin_) return;
  int sendcount = *(MPI_Fint *)sendcount_f;
  MPI_Datatype sendtype = PMPI_Type_f2c(*(MPI_Fint *)sendtype_f);
  const void *recvbuf = fortran_buffer(recvbuf_f);
  int recvcount = *(MPI_Fint *)recvcount_f;
  MPI_Datatype recvtype = PMPI_Type_f2c(*(MPI_Fint *)recvtype_f);
  int root = *(MPI_Fint *)root_f;
  MPI_Comm comm = PMPI_Comm_f2c(*(MPI_Fint *)comm_f);
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Iscatter, 0, begin_, result_, COLLECTIVE, scattered(recvbuf, recvcount, recvtype, sendcount, sendtype, root, comm), MPI_PROC_NULL, -1, comm);
}

void mpi_iscatterv_(void *sendbuf_f, void *sendcounts_f, void *displs_f, void *sendtype_f, void *recvbuf_f, void *recvcount_f, void *recvtype_f, void *root_f, void *comm_f, void *request_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_iscatterv_", "pmpi_iscatterv_");
  if (midrun_passes(CALL_Iscatterv)) { ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *))real)(sendbuf_f, sendcounts_f, displs_f, sendtype_f, recvbuf_f, recvcount_f, recvtype_f, root_f, comm_f, request_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Iscatterv, 0, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *))real)(sendbuf_f, sendcounts_f, displs_f, sendtype_f, recvbuf_f, recvcount_f, recvtype_f, root_f, comm_f, request_f, ierr);
  if (!begin_) return;
  const MPI_Fint *sendcounts = sendcounts_f;
  MPI_Datatype sendtype = PMPI_Type_f2c(*(MPI_Fint *)sendtype_f);
  const void *recvbuf = fortran_buffer(recvbuf_f);
  int recvcount = *(MPI_Fint *)recvcount_f;
  MPI_Datatype recvtype = PMPI_Type_f2c(*(MPI_Fint *)recvtype_f);
  int root = *(MPI_Fint *)root_f;
  MPI_Comm comm = PMPI_Comm_f2c(*(MPI_Fint *)comm_f);
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Iscatterv, 0, begin_, result_, COLLECTIVE, scattered_v_f(recvbuf, recvcount, recvtype, sendcounts, sendtype, root, comm), MPI_PROC_NULL, -1, comm);
}

void mpi_iallgather_(void *sendbuf_f, void *sendcount_f, void *sendtype_f, void *recvbuf_f, void *recvcount_f, void *recvtype_f, void *comm_f, void *request_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_iallgather_", "pmpi_iallgather_");
  if (midrun_passes(CALL_Iallgather)) { ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *, void *))real)(sendbuf_f, sendcount_f, sendtype_f, recvbuf_f, recvcount_f, recvtype_f, comm_f, request_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Iallgather, 0, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *, void *))real)(sendbuf_f, sendcount_f, sendtype_f, recvbuf_f, recvcount_f, recvtype_f, comm_f, request_f, ierr);
  if (!begin_) return;
  const void *sendbuf = fortran_buffer(sendbuf_f);
  int sendcount = *(MPI_Fint *)sendcount_f;
  MPI_Datatype sendtype = PMPI_Type_f2c(*(MPI_Fint *)sendtype_f);
  int recvcount = *(MPI_Fint *)recvcount_f;
  MPI_Datatype recvtype = PMPI_Type_f2c(*(MPI_Fint *)recvtype_f);
  MPI_Comm comm = PMPI_Comm_f2c(*(MPI_Fint *)comm_f);
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Iallgather, 0, begin_, result_, COLLECTIVE, own(sendbuf, sendcount, sendtype, recvcount, recvtype), MPI_PROC_NULL, -1, comm);
}

void mpi_iallgatherv_(void *sendbuf_f, void *sendcount_f, void *sendtype_f, void *recvbuf_f, void *recvcounts_f, void *displs_f, void *recvtype_f, void *comm_f, void *request_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_iallgatherv_", "pmpi_iallgatherv_");
  if (midrun_passes(CALL_Iallgatherv)) { ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *, void *, void *))real)(sendbuf_f, sendcount_f, sendtype_f, recvbuf_f, recvcounts_f, displs_f, recvtype_f, comm_f, request_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Iallgatherv, 0, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *, void *, void *))real)(sendbuf_f, sendcount_f, sendtype_f, recvbuf_f, recvcounts_f, displs_f, recvtype_f, comm_f, request_f, ierr);
  if (!begin_) return;
  const void *sendbuf = fortran_buffer(sendbuf_f);
  int sendcount = *(MPI_Fint *)sendcount_f;
  MPI_Datatype sendtype = PMPI_Type_f2c(*(MPI_Fint *)sendtype_f);
  const MPI_Fint *recvcounts = recvcounts_f;
  MPI_Datatype recvtype = PMPI_Type_f2c(*(MPI_Fint *)recvtype_f);
  MPI_Comm comm = PMPI_Comm_f2c(*(MPI_Fint *)comm_f);
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Iallgatherv, 0, begin_, result_, COLLECTIVE, own_v_f(sendbuf, sendcount, sendtype, recvcounts, recvtype, comm), MPI_PROC_NULL, -1, comm);
}

void mpi_ialltoall_(void *sendbuf_f, void *sendcount_f, void *sendtype_f, void *recvbuf_f, void *recvcount_f, void *recvtype_f, void *comm_f, void *request_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_ialltoall_", "pmpi_ialltoall_");
  if (midrun_passes(CALL_Ialltoall)) { ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *, void *))real)(sendbuf_f, sendcount_f, sendtype_f, recvbuf_f, recvcount_f, recvtype_f, comm_f, request_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Ialltoall, 0, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *, void *))real)(sendbuf_f, sendcount_f, sendtype_f, recvbuf_f, recvcount_f, recvtype_f, comm_f, request_f, ierr);
  if (!begin_) return;
  const void *sendbuf = fortran_buffer(sendbuf_f);
  int sendcount = *(MPI_Fint *)sendcount_f;
  MPI_Datatype sendtype = PMPI_Type_f2c(*(MPI_Fint *)sendtype_f);
  int recvcount = *(MPI_Fint *)recvcount_f;
  MPI_Datatype recvtype = PMPI_Type_f2c(*(MPI_Fint *)recvtype_f);
  MPI_Comm comm = PMPI_Comm_f2c(*(MPI_Fint *)comm_f);
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Ialltoall, 0, begin_, result_, COLLECTIVE, own(sendbuf, sendcount, sendtype, recvcount, recvtype) * peers(comm), MPI_PROC_NULL, -1, comm);
}

void mpi_ialltoallv_(void *sendbuf_f, void *sendcounts_f, void *sdispls_f, void *sendtype_f, void *recvbuf_f, void *recvcounts_f, void *rdispls_f, void *recvtype_f, void *comm_f, void *request_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_ialltoallv_", "pmpi_ialltoallv_");
  if (midrun_passes(CALL_Ialltoallv)) { ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *))real)(sendbuf_f, sendcounts_f, sdispls_f, sendtype_f, recvbuf_f, recvcounts_f, rdispls_f, recvtype_f, comm_f, request_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Ialltoallv, 0, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *))real)(sendbuf_f, sendcounts_f, sdispls_f, sendtype_f, recvbuf_f, recvcounts_f, rdispls_f, recvtype_f, comm_f, request_f, ierr);
  if (!begin_) return;
  const void *sendbuf = fortran_buffer(sendbuf_f);
  const MPI_Fint *sendcounts = sendcounts_f;
  MPI_Datatype sendtype = PMPI_Type_f2c(*(MPI_Fint *)sendtype_f);
  const MPI_Fint *recvcounts = recvcounts_f;
  MPI_Datatype recvtype = PMPI_Type_f2c(*(MPI_Fint *)recvtype_f);
  MPI_Comm comm = PMPI_Comm_f2c(*(MPI_Fint *)comm_f);
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Ialltoallv, 0, begin_, result_, COLLECTIVE, own_all_v_f(sendbuf, sendcounts, sendtype, recvcounts, recvtype, peers(comm)), MPI_PROC_NULL, -1, comm);
}

void mpi_ialltoallw_(void *sendbuf_f, void *sendcounts_f, void *sdispls_f, void *sendtypes_f, void *recvbuf_f, void *recvcounts_f, void *rdispls_f, void *recvtypes_f, void *comm_f, void *request_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_ialltoallw_", "pmpi_ialltoallw_");
  if (midrun_passes(CALL_Ialltoallw)) { ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *))real)(sendbuf_f, sendcounts_f, sdispls_f, sendtypes_f, recvbuf_f, recvcounts_f, rdispls_f, recvtypes_f, comm_f, request_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Ialltoallw, 0, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *))real)(sendbuf_f, sendcounts_f, sdispls_f, sendtypes_f, recvbuf_f, recvcounts_f, rdispls_f, recvtypes_f, comm_f, request_f, ierr);
  if (!begin_) return;
  const void *sendbuf = fortran_buffer(sendbuf_f);
  const MPI_Fint *sendcounts = sendcounts_f;
  const MPI_Fint *sendtypes = sendtypes_f;
  const MPI_Fint *recvcounts = recvcounts_f;
  const MPI_Fint *recvtypes = recvtypes_f;
  MPI_Comm comm = PMPI_Comm_f2c(*(MPI_Fint *)comm_f);
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Ialltoallw, 0, begin_, result_, COLLECTIVE, own_all_w_f(sendbuf, sendcounts, sendtypes, recvcounts, recvtypes, peers(comm)), MPI_PROC_NULL, -1, comm);
}

void mpi_ireduce_(void *sendbuf_f, void *recvbuf_f, void *count_f, void *datatype_f, void *op_f, void *root_f, void *comm_f, void *request_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_ireduce_", "pmpi_ireduce_");
  if (midrun_passes(CALL_Ireduce)) { ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *, void *))real)(sendbuf_f, recvbuf_f, count_f, datatype_f, op_f, root_f, comm_f, request_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Ireduce, 0, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *, void *))real)(sendbuf_f, recvbuf_f, count_f, datatype_f, op_f, root_f, comm_f, request_f, ierr);
  if (!begin_) return;
  int count = *(MPI_Fint *)count_f;
  MPI_Datatype datatype = PMPI_Type_f2c(*(MPI_Fint *)datatype_f);
  int root = *(MPI_Fint *)root_f;
  MPI_Comm comm = PMPI_Comm_f2c(*(MPI_Fint *)comm_f);
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Ireduce, 0, begin_, result_, COLLECTIVE, rooted(root, count, datatype, comm), MPI_PROC_NULL, -1, comm);
}

void mpi_iallreduce_(void *sendbuf_f, void *recvbuf_f, void *count_f, void *datatype_f, void *op_f, void *comm_f, void *request_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_iallreduce_", "pmpi_iallreduce_");
  if (midrun_passes(CALL_Iallreduce)) { ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *))real)(sendbuf_f, recvbuf_f, count_f, datatype_f, op_f, comm_f, request_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Iallreduce, 0, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *))real)(sendbuf_f, recvbuf_f, count_f, datatype_f, op_f, comm_f, request_f, ierr);
  if (!begin_) return;
  int count = *(MPI_Fint *)count_f;
  MPI_Datatype datatype = PMPI_Type_f2c(*(MPI_Fint *)datatype_f);
  MPI_Comm comm = PMPI_Comm_f2c(*(MPI_Fint *)comm_f);
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Iallreduce, 0, begin_, result_, COLLECTIVE, block(count, datatype), MPI_PROC_NULL, -1, comm);
}

void mpi_ireduce_scatter_(void *sendbuf_f, void *recvbuf_f, void *recvcounts_f, void *datatype_f, void *op_f, void *comm_f, void *request_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_ireduce_scatter_", "pmpi_ireduce_scatter_");
  if (midrun_passes(CALL_Ireduce_scatter)) { ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *))real)(sendbuf_f, recvbuf_f, recvcounts_f, datatype_f, op_f, comm_f, request_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Ireduce_scatter, 0, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *))real)(sendbuf_f, recvbuf_f, recvcounts_f, datatype_f, op_f, comm_f, request_f, ierr);
  if (!begin_) return;
  const MPI_Fint *recvcounts = recvcounts_f;
  MPI_Datatype datatype = PMPI_Type_f2c(*(MPI_Fint *)datatype_f);
  MPI_Comm comm = PMPI_Comm_f2c(*(MPI_Fint *)comm_f);
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Ireduce_scatter, 0, begin_, result_, COLLECTIVE, all_v_f(recvcounts, datatype, members(comm)), MPI_PROC_NULL, -1, comm);
}

void mpi_ireduce_scatter_block_(void *sendbuf_f, void *recvbuf_f, void *recvcount_f, void *datatype_f, void *op_f, void *comm_f, void *request_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_ireduce_scatter_block_", "pmpi_ireduce_scatter_block_");
  if (midrun_passes(CALL_Ireduce_scatter_block)) { ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *))real)(sendbuf_f, recvbuf_f, recvcount_f, datatype_f, op_f, comm_f, request_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Ireduce_scatter_block, 0, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *))real)(sendbuf_f, recvbuf_f, recvcount_f, datatype_f, op_f, comm_f, request_f, ierr);
  if (!begin_) return;
  int recvcount = *(MPI_Fint *)recvcount_f;
  MPI_Datatype datatype = PMPI_Type_f2c(*(MPI_Fint *)datatype_f);
  MPI_Comm comm = PMPI_Comm_f2c(*(MPI_Fint *)comm_f);
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Ireduce_scatter_block, 0, begin_, result_, COLLECTIVE, block(recvcount, datatype) * members(comm), MPI_PROC_NULL, -1, comm);
}

void mpi_iscan_(void *sendbuf_f, void *recvbuf_f, void *count_f, void *datatype_f, void *op_f, void *comm_f, void *request_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_iscan_", "pmpi_iscan_");
  if (midrun_passes(CALL_Iscan)) { ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *))real)(sendbuf_f, recvbuf_f, count_f, datatype_f, op_f, comm_f, request_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Iscan, 0, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *))real)(sendbuf_f, recvbuf_f, count_f, datatype_f, op_f, comm_f, request_f, ierr);
  if (!begin_) return;
  int count = *(MPI_Fint *)count_f;
  MPI_Datatype datatype = PMPI_Type_f2c(*(MPI_Fint *)datatype_f);
  MPI_Comm comm = PMPI_Comm_f2c(*(MPI_Fint *)comm_f);
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Iscan, 0, begin_, result_, COLLECTIVE, block(count, datatype), MPI_PROC_NULL, -1, comm);
}

void mpi_iexscan_(void *sendbuf_f, void *recvbuf_f, void *count_f, void *datatype_f, void *op_f, void *comm_f, void *request_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_iexscan_", "pmpi_iexscan_");
  if (midrun_passes(CALL_Iexscan)) { ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *))real)(sendbuf_f, recvbuf_f, count_f, datatype_f, op_f, comm_f, request_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Iexscan, 0, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *))real)(sendbuf_f, recvbuf_f, count_f, datatype_f, op_f, comm_f, request_f, ierr);
  if (!begin_) return;
  int count = *(MPI_Fint *)count_f;
  MPI_Datatype datatype = PMPI_Type_f2c(*(MPI_Fint *)datatype_f);
  MPI_Comm comm = PMPI_Comm_f2c(*(MPI_Fint *)comm_f);
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Iexscan, 0, begin_, result_, COLLECTIVE, block(count, datatype), MPI_PROC_NULL, -1, comm);
}

void mpi_ineighbor_allgather_(void *sendbuf_f, void *sendcount_f, void *sendtype_f, void *recvbuf_f, void *recvcount_f, void *recvtype_f, void *comm_f, void *request_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_ineighbor_allgather_", "pmpi_ineighbor_allgather_");
  if (midrun_passes(CALL_Ineighbor_allgather)) { ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *, void *))real)(sendbuf_f, sendcount_f, sendtype_f, recvbuf_f, recvcount_f, recvtype_f, comm_f, request_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Ineighbor_allgather, 0, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *, void *))real)(sendbuf_f, sendcount_f, sendtype_f, recvbuf_f, recvcount_f, recvtype_f, comm_f, request_f, ierr);
  if (!begin_) return;
  int sendcount = *(MPI_Fint *)sendcount_f;
  MPI_Datatype sendtype = PMPI_Type_f2c(*(MPI_Fint *)sendtype_f);
  MPI_Comm comm = PMPI_Comm_f2c(*(MPI_Fint *)comm_f);
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Ineighbor_allgather, 0, begin_, result_, COLLECTIVE, block(sendcount, sendtype), MPI_PROC_NULL, -1, comm);
}

void mpi_ineighbor_allgatherv_(void *sendbuf_f, void *sendcount_f, void *sendtype_f, void *recvbuf_f, void *recvcounts_f, void *displs_f, void *recvtype_f, void *comm_f, void *request_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_ineighbor_allgatherv_", "pmpi_ineighbor_allgatherv_");
  if (midrun_passes(CALL_Ineighbor_allgatherv)) { ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *, void *, void *))real)(sendbuf_f, sendcount_f, sendtype_f, recvbuf_f, recvcounts_f, displs_f, recvtype_f, comm_f, request_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Ineighbor_allgatherv, 0, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *, void *, void *))real)(sendbuf_f, sendcount_f, sendtype_f, recvbuf_f, recvcounts_f, displs_f, recvtype_f, comm_f, request_f, ierr);
  if (!begin_) return;
  int sendcount = *(MPI_Fint *)sendcount_f;
  MPI_Datatype sendtype = PMPI_Type_f2c(*(MPI_Fint *)sendtype_f);
  MPI_Comm comm = PMPI_Comm_f2c(*(MPI_Fint *)comm_f);
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Ineighbor_allgatherv, 0, begin_, result_, COLLECTIVE, block(sendcount, sendtype), MPI_PROC_NULL, -1, comm);
}

void mpi_ineighbor_alltoall_(void *sendbuf_f, void *sendcount_f, void *sendtype_f, void *recvbuf_f, void *recvcount_f, void *recvtype_f, void *comm_f, void *request_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_ineighbor_alltoall_", "pmpi_ineighbor_alltoall_");
  if (midrun_passes(CALL_Ineighbor_alltoall)) { ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *, void *))real)(sendbuf_f, sendcount_f, sendtype_f, recvbuf_f, recvcount_f, recvtype_f, comm_f, request_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Ineighbor_alltoall, 0, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *, void *))real)(sendbuf_f, sendcount_f, sendtype_f, recvbuf_f, recvcount_f, recvtype_f, comm_f, request_f, ierr);
  if (!begin_) return;
  int sendcount = *(MPI_Fint *)sendcount_f;
  MPI_Datatype sendtype = PMPI_Type_f2c(*(MPI_Fint *)sendtype_f);
  MPI_Comm comm = PMPI_Comm_f2c(*(MPI_Fint *)comm_f);
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Ineighbor_alltoall, 0, begin_, result_, COLLECTIVE, block(sendcount, sendtype) * neighbours(comm), MPI_PROC_NULL, -1, comm);
}

void mpi_ineighbor_alltoallv_(void *sendbuf_f, void *sendcounts_f, void *sdispls_f, void *sendtype_f, void *recvbuf_f, void *recvcounts_f, void *rdispls_f, void *recvtype_f, void *comm_f, void *request_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_ineighbor_alltoallv_", "pmpi_ineighbor_alltoallv_");
  if (midrun_passes(CALL_Ineighbor_alltoallv)) { ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *))real)(sendbuf_f, sendcounts_f, sdispls_f, sendtype_f, recvbuf_f, recvcounts_f, rdispls_f, recvtype_f, comm_f, request_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Ineighbor_alltoallv, 0, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *))real)(sendbuf_f, sendcounts_f, sdispls_f, sendtype_f, recvbuf_f, recvcounts_f, rdispls_f, recvtype_f, comm_f, request_f, ierr);
  if (!begin_) return;
  const MPI_Fint *sendcounts = sendcounts_f;
  MPI_Datatype sendtype = PMPI_Type_f2c(*(MPI_Fint *)sendtype_f);
  MPI_Comm comm = PMPI_Comm_f2c(*(MPI_Fint *)comm_f);
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Ineighbor_alltoallv, 0, begin_, result_, COLLECTIVE, all_v_f(sendcounts, sendtype, neighbours(comm)), MPI_PROC_NULL, -1, comm);
}

void mpi_ineighbor_alltoallw_(void *sendbuf_f, void *sendcounts_f, void *sdispls_f, void *sendtypes_f, void *recvbuf_f, void *recvcounts_f, void *rdispls_f, void *recvtypes_f, void *comm_f, void *request_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_ineighbor_alltoallw_", "pmpi_ineighbor_alltoallw_");
  if (midrun_passes(CALL_Ineighbor_alltoallw)) { ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *))real)(sendbuf_f, sendcounts_f, sdispls_f, sendtypes_f, recvbuf_f, recvcounts_f, rdispls_f, recvtypes_f, comm_f, request_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Ineighbor_alltoallw, 0, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *))real)(sendbuf_f, sendcounts_f, sdispls_f, sendtypes_f, recvbuf_f, recvcounts_f, rdispls_f, recvtypes_f, comm_f, request_f, ierr);
  if (!begin_) return;
  const MPI_Fint *sendcounts = sendcounts_f;
  const MPI_Fint *sendtypes = sendtypes_f;
  MPI_Comm comm = PMPI_Comm_f2c(*(MPI_Fint *)comm_f);
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Ineighbor_alltoallw, 0, begin_, result_, COLLECTIVE, all_w_f(sendcounts, sendtypes, neighbours(comm)), MPI_PROC_NULL, -1, comm);
}

void mpi_reduce_local_(void *inbuf_f, void *inoutbuf_f, void *count_f, void *datatype_f, void *op_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_reduce_local_", "pmpi_reduce_local_");
  if (midrun_passes(CALL_Reduce_local)) { ((void (*)(void *, void *, void *, void *, void *, void *))real)(inbuf_f, inoutbuf_f, count_f, datatype_f, op_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Reduce_local, 0, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *, void *, void *))real)(inbuf_f, inoutbuf_f, count_f, datatype_f, op_f, ierr);
  if (!begin_) return;
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Reduce_local, 0, begin_, result_, LOCAL, 0, MPI_PROC_NULL, -1, MPI_COMM_NULL);
}

void mpi_comm_size_(void *comm_f, void *size_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_comm_size_", "pmpi_comm_size_");
  if (midrun_passes(CALL_Comm_size)) { ((void (*)(void *, void *, void *))real)(comm_f, size_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Comm_size, 0, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *))real)(comm_f, size_f, ierr);
  if (!begin_) return;
  MPI_Comm comm = PMPI_Comm_f2c(*(MPI_Fint *)comm_f);
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Comm_size, 0, begin_, result_, LOCAL, 0, MPI_PROC_NULL, -1, comm);
}

void mpi_comm_rank_(void *comm_f, void *rank_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_comm_rank_", "pmpi_comm_rank_");
  if (midrun_passes(CALL_Comm_rank)) { ((void (*)(void *, void *, void *))real)(comm_f, rank_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Comm_rank, 0, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *))real)(comm_f, rank_f, ierr);
  if (!begin_) return;
  MPI_Comm comm = PMPI_Comm_f2c(*(MPI_Fint *)comm_f);
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Comm_rank, 0, begin_, result_, LOCAL, 0, MPI_PROC_NULL, -1, comm);
}

void mpi_comm_compare_(void *comm1_f, void *comm2_f, void *result_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_comm_compare_", "pmpi_comm_compare_");
  if (midrun_passes(CALL_Comm_compare)) { ((void (*)(void *, void *, void *, void *))real)(comm1_f, comm2_f, result_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Comm_compare, 0, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *))real)(comm1_f, comm2_f, result_f, ierr);
  if (!begin_) return;
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Comm_compare, 0, begin_, result_, LOCAL, 0, MPI_PROC_NULL, -1, MPI_COMM_NULL);
}

void mpi_comm_group_(void *comm_f, void *group_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_comm_group_", "pmpi_comm_group_");
  if (midrun_passes(CALL_Comm_group)) { ((void (*)(void *, void *, void *))real)(comm_f, group_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Comm_group, 0, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *))real)(comm_f, group_f, ierr);
  if (!begin_) return;
  MPI_Comm comm = PMPI_Comm_f2c(*(MPI_Fint *)comm_f);
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Comm_group, 0, begin_, result_, LOCAL, 0, MPI_PROC_NULL, -1, comm);
}

void mpi_comm_remote_size_(void *comm_f, void *size_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_comm_remote_size_", "pmpi_comm_remote_size_");
  if (midrun_passes(CALL_Comm_remote_size)) { ((void (*)(void *, void *, void *))real)(comm_f, size_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Comm_remote_size, 0, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *))real)(comm_f, size_f, ierr);
  if (!begin_) return;
  MPI_Comm comm = PMPI_Comm_f2c(*(MPI_Fint *)comm_f);
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Comm_remote_size, 0, begin_, result_, LOCAL, 0, MPI_PROC_NULL, -1, comm);
}

void mpi_comm_remote_group_(void *comm_f, void *group_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_comm_remote_group_", "pmpi_comm_remote_group_");
  if (midrun_passes(CALL_Comm_remote_group)) { ((void (*)(void *, void *, void *))real)(comm_f, group_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Comm_remote_group, 0, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *))real)(comm_f, group_f, ierr);
  if (!begin_) return;
  MPI_Comm comm = PMPI_Comm_f2c(*(MPI_Fint *)comm_f);
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Comm_remote_group, 0, begin_, result_, LOCAL, 0, MPI_PROC_NULL, -1, comm);
}

void mpi_comm_test_inter_(void *comm_f, void *flag_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_comm_test_inter_", "pmpi_comm_test_inter_");
  if (midrun_passes(CALL_Comm_test_inter)) { ((void (*)(void *, void *, void *))real)(comm_f, flag_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Comm_test_inter, 0, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *))real)(comm_f, flag_f, ierr);
  if (!begin_) return;
  MPI_Comm comm = PMPI_Comm_f2c(*(MPI_Fint *)comm_f);
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Comm_test_inter, 0, begin_, result_, LOCAL, 0, MPI_PROC_NULL, -1, comm);
}

void mpi_comm_get_parent_(void *parent_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_comm_get_parent_", "pmpi_comm_get_parent_");
  if (midrun_passes(CALL_Comm_get_parent)) { ((void (*)(void *, void *))real)(parent_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Comm_get_parent, 0, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *))real)(parent_f, ierr);
  if (!begin_) return;
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Comm_get_parent, 0, begin_, result_, LOCAL, 0, MPI_PROC_NULL, -1, MPI_COMM_NULL);
}

void mpi_group_size_(void *group_f, void *size_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_group_size_", "pmpi_group_size_");
  if (midrun_passes(CALL_Group_size)) { ((void (*)(void *, void *, void *))real)(group_f, size_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Group_size, 0, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *))real)(group_f, size_f, ierr);
  if (!begin_) return;
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Group_size, 0, begin_, result_, LOCAL, 0, MPI_PROC_NULL, -1, MPI_COMM_NULL);
}

void mpi_group_rank_(void *group_f, void *rank_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_group_rank_", "pmpi_group_rank_");
  if (midrun_passes(CALL_Group_rank)) { ((void (*)(void *, void *, void *))real)(group_f, rank_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Group_rank, 0, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *))real)(group_f, rank_f, ierr);
  if (!begin_) return;
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Group_rank, 0, begin_, result_, LOCAL, 0, MPI_PROC_NULL, -1, MPI_COMM_NULL);
}

void mpi_group_translate_ranks_(void *group1_f, void *n_f, void *ranks1_f, void *group2_f, void *ranks2_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_group_translate_ranks_", "pmpi_group_translate_ranks_");
  if (midrun_passes(CALL_Group_translate_ranks)) { ((void (*)(void *, void *, void *, void *, void *, void *))real)(group1_f, n_f, ranks1_f, group2_f, ranks2_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Group_translate_ranks, 0, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *, void *, void *))real)(group1_f, n_f, ranks1_f, group2_f, ranks2_f, ierr);
  if (!begin_) return;
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Group_translate_ranks, 0, begin_, result_, LOCAL, 0, MPI_PROC_NULL, -1, MPI_COMM_NULL);
}

void mpi_group_compare_(void *group1_f, void *group2_f, void *result_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_group_compare_", "pmpi_group_compare_");
  if (midrun_passes(CALL_Group_compare)) { ((void (*)(void *, void *, void *, void *))real)(group1_f, group2_f, result_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Group_compare, 0, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *))real)(group1_f, group2_f, result_f, ierr);
  if (!begin_) return;
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Group_compare, 0, begin_, result_, LOCAL, 0, MPI_PROC_NULL, -1, MPI_COMM_NULL);
}

void mpi_group_union_(void *group1_f, void *group2_f, void *newgroup_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_group_union_", "pmpi_group_union_");
  if (midrun_passes(CALL_Group_union)) { ((void (*)(void *, void *, void *, void *))real)(group1_f, group2_f, newgroup_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Group_union, 0, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *))real)(group1_f, group2_f, newgroup_f, ierr);
  if (!begin_) return;
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Group_union, 0, begin_, result_, LOCAL, 0, MPI_PROC_NULL, -1, MPI_COMM_NULL);
}

void mpi_group_intersection_(void *group1_f, void *group2_f, void *newgroup_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_group_intersection_", "pmpi_group_intersection_");
  if (midrun_passes(CALL_Group_intersection)) { ((void (*)(void *, void *, void *, void *))real)(group1_f, group2_f, newgroup_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Group_intersection, 0, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *))real)(group1_f, group2_f, newgroup_f, ierr);
  if (!begin_) return;
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Group_intersection, 0, begin_, result_, LOCAL, 0, MPI_PROC_NULL, -1, MPI_COMM_NULL);
}

void mpi_group_difference_(void *group1_f, void *group2_f, void *newgroup_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_group_difference_", "pmpi_group_difference_");
  if (midrun_passes(CALL_Group_difference)) { ((void (*)(void *, void *, void *, void *))real)(group1_f, group2_f, newgroup_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Group_difference, 0, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *))real)(group1_f, group2_f, newgroup_f, ierr);
  if (!begin_) return;
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Group_difference, 0, begin_, result_, LOCAL, 0, MPI_PROC_NULL, -1, MPI_COMM_NULL);
}

void mpi_group_incl_(void *group_f, void *n_f, void *ranks_f, void *newgroup_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_group_incl_", "pmpi_group_incl_");
  if (midrun_passes(CALL_Group_incl)) { ((void (*)(void *, void *, void *, void *, void *))real)(group_f, n_f, ranks_f, newgroup_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Group_incl, 0, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *, void *))real)(group_f, n_f, ranks_f, newgroup_f, ierr);
  if (!begin_) return;
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Group_incl, 0, begin_, result_, LOCAL, 0, MPI_PROC_NULL, -1, MPI_COMM_NULL);
}

void mpi_group_excl_(void *group_f, void *n_f, void *ranks_f, void *newgroup_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_group_excl_", "pmpi_group_excl_");
  if (midrun_passes(CALL_Group_excl)) { ((void (*)(void *, void *, void *, void *, void *))real)(group_f, n_f, ranks_f, newgroup_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Group_excl, 0, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *, void *))real)(group_f, n_f, ranks_f, newgroup_f, ierr);
  if (!begin_) return;
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Group_excl, 0, begin_, result_, LOCAL, 0, MPI_PROC_NULL, -1, MPI_COMM_NULL);
}

void mpi_group_range_incl_(void *group_f, void *n_f, void *ranges_f, void *newgroup_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_group_range_incl_", "pmpi_group_range_incl_");
  if (midrun_passes(CALL_Group_range_incl)) { ((void (*)(void *, void *, void *, void *, void *))real)(group_f, n_f, ranges_f, newgroup_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Group_range_incl, 0, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *, void *))real)(group_f, n_f, ranges_f, newgroup_f, ierr);
  if (!begin_) return;
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Group_range_incl, 0, begin_, result_, LOCAL, 0, MPI_PROC_NULL, -1, MPI_COMM_NULL);
}

void mpi_group_range_excl_(void *group_f, void *n_f, void *ranges_f, void *newgroup_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_group_range_excl_", "pmpi_group_range_excl_");
  if (midrun_passes(CALL_Group_range_excl)) { ((void (*)(void *, void *, void *, void *, void *))real)(group_f, n_f, ranges_f, newgroup_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Group_range_excl, 0, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *, void *))real)(group_f, n_f, ranges_f, newgroup_f, ierr);
  if (!begin_) return;
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Group_range_excl, 0, begin_, result_, LOCAL, 0, MPI_PROC_NULL, -1, MPI_COMM_NULL);
}

void mpi_group_free_(void *group_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_group_free_", "pmpi_group_free_");
  if (midrun_passes(CALL_Group_free)) { ((void (*)(void *, void *))real)(group_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Group_free, 0, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *))real)(group_f, ierr);
  if (!begin_) return;
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Group_free, 0, begin_, result_, LOCAL, 0, MPI_PROC_NULL, -1, MPI_COMM_NULL);
}

void mpi_topo_test_(void *comm_f, void *status_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_topo_test_", "pmpi_topo_test_");
  if (midrun_passes(CALL_Topo_test)) { ((void (*)(void *, void *, void *))real)(comm_f, status_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Topo_test, 0, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *))real)(comm_f, status_f, ierr);
  if (!begin_) return;
  MPI_Comm comm = PMPI_Comm_f2c(*(MPI_Fint *)comm_f);
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Topo_test, 0, begin_, result_, LOCAL, 0, MPI_PROC_NULL, -1, comm);
}

void mpi_cart_coords_(void *comm_f, void *rank_f, void *maxdims_f, void *coords_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_cart_coords_", "pmpi_cart_coords_");
  if (midrun_passes(CALL_Cart_coords)) { ((void (*)(void *, void *, void *, void *, void *))real)(comm_f, rank_f, maxdims_f, coords_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Cart_coords, 0, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *, void *))real)(comm_f, rank_f, maxdims_f, coords_f, ierr);
  if (!begin_) return;
  MPI_Comm comm = PMPI_Comm_f2c(*(MPI_Fint *)comm_f);
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Cart_coords, 0, begin_, result_, LOCAL, 0, MPI_PROC_NULL, -1, comm);
}

void mpi_cart_rank_(void *comm_f, void *coords_f, void *rank_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_cart_rank_", "pmpi_cart_rank_");
  if (midrun_passes(CALL_Cart_rank)) { ((void (*)(void *, void *, void *, void *))real)(comm_f, coords_f, rank_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Cart_rank, 0, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *))real)(comm_f, coords_f, rank_f, ierr);
  if (!begin_) return;
  MPI_Comm comm = PMPI_Comm_f2c(*(MPI_Fint *)comm_f);
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Cart_rank, 0, begin_, result_, LOCAL, 0, MPI_PROC_NULL, -1, comm);
}

void mpi_cart_shift_(void *comm_f, void *direction_f, void *disp_f, void *rank_source_f, void *rank_dest_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_cart_shift_", "pmpi_cart_shift_");
  if (midrun_passes(CALL_Cart_shift)) { ((void (*)(void *, void *, void *, void *, void *, void *))real)(comm_f, direction_f, disp_f, rank_source_f, rank_dest_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Cart_shift, 0, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *, void *, void *))real)(comm_f, direction_f, disp_f, rank_source_f, rank_dest_f, ierr);
  if (!begin_) return;
  MPI_Comm comm = PMPI_Comm_f2c(*(MPI_Fint *)comm_f);
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Cart_shift, 0, begin_, result_, LOCAL, 0, MPI_PROC_NULL, -1, comm);
}

void mpi_cart_get_(void *comm_f, void *maxdims_f, void *dims_f, void *periods_f, void *coords_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_cart_get_", "pmpi_cart_get_");
  if (midrun_passes(CALL_Cart_get)) { ((void (*)(void *, void *, void *, void *, void *, void *))real)(comm_f, maxdims_f, dims_f, periods_f, coords_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Cart_get, 0, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *, void *, void *))real)(comm_f, maxdims_f, dims_f, periods_f, coords_f, ierr);
  if (!begin_) return;
  MPI_Comm comm = PMPI_Comm_f2c(*(MPI_Fint *)comm_f);
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Cart_get, 0, begin_, result_, LOCAL, 0, MPI_PROC_NULL, -1, comm);
}

void mpi_cartdim_get_(void *comm_f, void *ndims_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_cartdim_get_", "pmpi_cartdim_get_");
  if (midrun_passes(CALL_Cartdim_get)) { ((void (*)(void *, void *, void *))real)(comm_f, ndims_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Cartdim_get, 0, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *))real)(comm_f, ndims_f, ierr);
  if (!begin_) return;
  MPI_Comm comm = PMPI_Comm_f2c(*(MPI_Fint *)comm_f);
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Cartdim_get, 0, begin_, result_, LOCAL, 0, MPI_PROC_NULL, -1, comm);
}

void mpi_cart_map_(void *comm_f, void *ndims_f, void *dims_f, void *periods_f, void *newrank_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_cart_map_", "pmpi_cart_map_");
  if (midrun_passes(CALL_Cart_map)) { ((void (*)(void *, void *, void *, void *, void *, void *))real)(comm_f, ndims_f, dims_f, periods_f, newrank_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Cart_map, 0, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *, void *, void *))real)(comm_f, ndims_f, dims_f, periods_f, newrank_f, ierr);
  if (!begin_) return;
  MPI_Comm comm = PMPI_Comm_f2c(*(MPI_Fint *)comm_f);
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Cart_map, 0, begin_, result_, LOCAL, 0, MPI_PROC_NULL, -1, comm);
}

void mpi_graph_neighbors_(void *comm_f, void *rank_f, void *maxneighbors_f, void *neighbors_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_graph_neighbors_", "pmpi_graph_neighbors_");
  if (midrun_passes(CALL_Graph_neighbors)) { ((void (*)(void *, void *, void *, void *, void *))real)(comm_f, rank_f, maxneighbors_f, neighbors_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Graph_neighbors, 0, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *, void *))real)(comm_f, rank_f, maxneighbors_f, neighbors_f, ierr);
  if (!begin_) return;
  MPI_Comm comm = PMPI_Comm_f2c(*(MPI_Fint *)comm_f);
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Graph_neighbors, 0, begin_, result_, LOCAL, 0, MPI_PROC_NULL, -1, comm);
}

void mpi_graph_neighbors_count_(void *comm_f, void *rank_f, void *nneighbors_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_graph_neighbors_count_", "pmpi_graph_neighbors_count_");
  if (midrun_passes(CALL_Graph_neighbors_count)) { ((void (*)(void *, void *, void *, void *))real)(comm_f, rank_f, nneighbors_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Graph_neighbors_count, 0, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *))real)(comm_f, rank_f, nneighbors_f, ierr);
  if (!begin_) return;
  MPI_Comm comm = PMPI_Comm_f2c(*(MPI_Fint *)comm_f);
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Graph_neighbors_count, 0, begin_, result_, LOCAL, 0, MPI_PROC_NULL, -1, comm);
}

void mpi_dist_graph_neighbors_(void *comm_f, void *maxindegree_f, void *sources_f, void *sourceweights_f, void *maxoutdegree_f, void *destinations_f, void *destweights_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_dist_graph_neighbors_", "pmpi_dist_graph_neighbors_");
  if (midrun_passes(CALL_Dist_graph_neighbors)) { ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *))real)(comm_f, maxindegree_f, sources_f, sourceweights_f, maxoutdegree_f, destinations_f, destweights_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Dist_graph_neighbors, 0, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *))real)(comm_f, maxindegree_f, sources_f, sourceweights_f, maxoutdegree_f, destinations_f, destweights_f, ierr);
  if (!begin_) return;
  MPI_Comm comm = PMPI_Comm_f2c(*(MPI_Fint *)comm_f);
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Dist_graph_neighbors, 0, begin_, result_, LOCAL, 0, MPI_PROC_NULL, -1, comm);
}

void mpi_dist_graph_neighbors_count_(void *comm_f, void *indegree_f, void *outdegree_f, void *weighted_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_dist_graph_neighbors_count_", "pmpi_dist_graph_neighbors_count_");
  if (midrun_passes(CALL_Dist_graph_neighbors_count)) { ((void (*)(void *, void *, void *, void *, void *))real)(comm_f, indegree_f, outdegree_f, weighted_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Dist_graph_neighbors_count, 0, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *, void *))real)(comm_f, indegree_f, outdegree_f, weighted_f, ierr);
  if (!begin_) return;
  MPI_Comm comm = PMPI_Comm_f2c(*(MPI_Fint *)comm_f);
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Dist_graph_neighbors_count, 0, begin_, result_, LOCAL, 0, MPI_PROC_NULL, -1, comm);
}

void mpi_dims_create_(void *nnodes_f, void *ndims_f, void *dims_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_dims_create_", "pmpi_dims_create_");
  if (midrun_passes(CALL_Dims_create)) { ((void (*)(void *, void *, void *, void *))real)(nnodes_f, ndims_f, dims_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Dims_create, 0, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *))real)(nnodes_f, ndims_f, dims_f, ierr);
  if (!begin_) return;
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Dims_create, 0, begin_, result_, LOCAL, 0, MPI_PROC_NULL, -1, MPI_COMM_NULL);
}

void mpi_comm_dup_(void *comm_f, void *newcomm_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_comm_dup_", "pmpi_comm_dup_");
  if (midrun_passes(CALL_Comm_dup)) { ((void (*)(void *, void *, void *))real)(comm_f, newcomm_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Comm_dup, 1, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *))real)(comm_f, newcomm_f, ierr);
  if (!begin_) return;
  MPI_Comm comm = PMPI_Comm_f2c(*(MPI_Fint *)comm_f);
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Comm_dup, 1, begin_, result_, COLLECTIVE, 0, MPI_PROC_NULL, -1, comm);
}

void mpi_comm_dup_with_info_(void *comm_f, void *info_f, void *newcomm_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_comm_dup_with_info_", "pmpi_comm_dup_with_info_");
  if (midrun_passes(CALL_Comm_dup_with_info)) { ((void (*)(void *, void *, void *, void *))real)(comm_f, info_f, newcomm_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Comm_dup_with_info, 1, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *))real)(comm_f, info_f, newcomm_f, ierr);
  if (!begin_) return;
  MPI_Comm comm = PMPI_Comm_f2c(*(MPI_Fint *)comm_f);
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Comm_dup_with_info, 1, begin_, result_, COLLECTIVE, 0, MPI_PROC_NULL, -1, comm);
}

void mpi_comm_create_(void *comm_f, void *group_f, void *newcomm_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_comm_create_", "pmpi_comm_create_");
  if (midrun_passes(CALL_Comm_create)) { ((void (*)(void *, void *, void *, void *))real)(comm_f, group_f, newcomm_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Comm_create, 1, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *))real)(comm_f, group_f, newcomm_f, ierr);
  if (!begin_) return;
  MPI_Comm comm = PMPI_Comm_f2c(*(MPI_Fint *)comm_f);
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Comm_create, 1, begin_, result_, COLLECTIVE, 0, MPI_PROC_NULL, -1, comm);
}

void mpi_comm_create_group_(void *comm_f, void *group_f, void *tag_f, void *newcomm_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_comm_create_group_", "pmpi_comm_create_group_");
  if (midrun_passes(CALL_Comm_create_group)) { ((void (*)(void *, void *, void *, void *, void *))real)(comm_f, group_f, tag_f, newcomm_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Comm_create_group, 1, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *, void *))real)(comm_f, group_f, tag_f, newcomm_f, ierr);
  if (!begin_) return;
  MPI_Comm comm = PMPI_Comm_f2c(*(MPI_Fint *)comm_f);
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Comm_create_group, 1, begin_, result_, COLLECTIVE, 0, MPI_PROC_NULL, -1, comm);
}

void mpi_comm_split_(void *comm_f, void *color_f, void *key_f, void *newcomm_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_comm_split_", "pmpi_comm_split_");
  if (midrun_passes(CALL_Comm_split)) { ((void (*)(void *, void *, void *, void *, void *))real)(comm_f, color_f, key_f, newcomm_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Comm_split, 1, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *, void *))real)(comm_f, color_f, key_f, newcomm_f, ierr);
  if (!begin_) return;
  MPI_Comm comm = PMPI_Comm_f2c(*(MPI_Fint *)comm_f);
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Comm_split, 1, begin_, result_, COLLECTIVE, 0, MPI_PROC_NULL, -1, comm);
}

void mpi_comm_split_type_(void *comm_f, void *split_type_f, void *key_f, void *info_f, void *newcomm_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_comm_split_type_", "pmpi_comm_split_type_");
  if (midrun_passes(CALL_Comm_split_type)) { ((void (*)(void *, void *, void *, void *, void *, void *))real)(comm_f, split_type_f, key_f, info_f, newcomm_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Comm_split_type, 1, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *, void *, void *))real)(comm_f, split_type_f, key_f, info_f, newcomm_f, ierr);
  if (!begin_) return;
  MPI_Comm comm = PMPI_Comm_f2c(*(MPI_Fint *)comm_f);
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Comm_split_type, 1, begin_, result_, COLLECTIVE, 0, MPI_PROC_NULL, -1, comm);
}

void mpi_intercomm_create_(void *local_comm_f, void *local_leader_f, void *peer_comm_f, void *remote_leader_f, void *tag_f, void *newintercomm_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_intercomm_create_", "pmpi_intercomm_create_");
  if (midrun_passes(CALL_Intercomm_create)) { ((void (*)(void *, void *, void *, void *, void *, void *, void *))real)(local_comm_f, local_leader_f, peer_comm_f, remote_leader_f, tag_f, newintercomm_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Intercomm_create, 1, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *, void *, void *, void *))real)(local_comm_f, local_leader_f, peer_comm_f, remote_leader_f, tag_f, newintercomm_f, ierr);
  if (!begin_) return;
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Intercomm_create, 1, begin_, result_, COLLECTIVE, 0, MPI_PROC_NULL, -1, MPI_COMM_NULL);
}

void mpi_intercomm_merge_(void *intercomm_f, void *high_f, void *newintracomm_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_intercomm_merge_", "pmpi_intercomm_merge_");
  if (midrun_passes(CALL_Intercomm_merge)) { ((void (*)(void *, void *, void *, void *))real)(intercomm_f, high_f, newintracomm_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Intercomm_merge, 1, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *))real)(intercomm_f, high_f, newintracomm_f, ierr);
  if (!begin_) return;
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Intercomm_merge, 1, begin_, result_, COLLECTIVE, 0, MPI_PROC_NULL, -1, MPI_COMM_NULL);
}

void mpi_cart_create_(void *comm_old_f, void *ndims_f, void *dims_f, void *periods_f, void *reorder_f, void *comm_cart_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_cart_create_", "pmpi_cart_create_");
  if (midrun_passes(CALL_Cart_create)) { ((void (*)(void *, void *, void *, void *, void *, void *, void *))real)(comm_old_f, ndims_f, dims_f, periods_f, reorder_f, comm_cart_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Cart_create, 1, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *, void *, void *, void *))real)(comm_old_f, ndims_f, dims_f, periods_f, reorder_f, comm_cart_f, ierr);
  if (!begin_) return;
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Cart_create, 1, begin_, result_, COLLECTIVE, 0, MPI_PROC_NULL, -1, MPI_COMM_NULL);
}

void mpi_cart_sub_(void *comm_f, void *remain_dims_f, void *newcomm_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_cart_sub_", "pmpi_cart_sub_");
  if (midrun_passes(CALL_Cart_sub)) { ((void (*)(void *, void *, void *, void *))real)(comm_f, remain_dims_f, newcomm_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Cart_sub, 1, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *))real)(comm_f, remain_dims_f, newcomm_f, ierr);
  if (!begin_) return;
  MPI_Comm comm = PMPI_Comm_f2c(*(MPI_Fint *)comm_f);
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Cart_sub, 1, begin_, result_, COLLECTIVE, 0, MPI_PROC_NULL, -1, comm);
}

void mpi_graph_create_(void *comm_old_f, void *nnodes_f, void *indx_f, void *edges_f, void *reorder_f, void *comm_graph_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_graph_create_", "pmpi_graph_create_");
  if (midrun_passes(CALL_Graph_create)) { ((void (*)(void *, void *, void *, void *, void *, void *, void *))real)(comm_old_f, nnodes_f, indx_f, edges_f, reorder_f, comm_graph_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Graph_create, 1, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *, void *, void *, void *))real)(comm_old_f, nnodes_f, indx_f, edges_f, reorder_f, comm_graph_f, ierr);
  if (!begin_) return;
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Graph_create, 1, begin_, result_, COLLECTIVE, 0, MPI_PROC_NULL, -1, MPI_COMM_NULL);
}

void mpi_dist_graph_create_(void *comm_old_f, void *n_f, void *sources_f, void *degrees_f, void *destinations_f, void *weights_f, void *info_f, void *reorder_f, void *comm_dist_graph_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_dist_graph_create_", "pmpi_dist_graph_create_");
  if (midrun_passes(CALL_Dist_graph_create)) { ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *, void *, void *))real)(comm_old_f, n_f, sources_f, degrees_f, destinations_f, weights_f, info_f, reorder_f, comm_dist_graph_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Dist_graph_create, 1, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *, void *, void *))real)(comm_old_f, n_f, sources_f, degrees_f, destinations_f, weights_f, info_f, reorder_f, comm_dist_graph_f, ierr);
  if (!begin_) return;
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Dist_graph_create, 1, begin_, result_, COLLECTIVE, 0, MPI_PROC_NULL, -1, MPI_COMM_NULL);
}

void mpi_dist_graph_create_adjacent_(void *comm_old_f, void *indegree_f, void *sources_f, void *sourceweights_f, void *outdegree_f, void *destinations_f, void *destweights_f, void *info_f, void *reorder_f, void *comm_dist_graph_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_dist_graph_create_adjacent_", "pmpi_dist_graph_create_adjacent_");
  if (midrun_passes(CALL_Dist_graph_create_adjacent)) { ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *))real)(comm_old_f, indegree_f, sources_f, sourceweights_f, outdegree_f, destinations_f, destweights_f, info_f, reorder_f, comm_dist_graph_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Dist_graph_create_adjacent, 1, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *))real)(comm_old_f, indegree_f, sources_f, sourceweights_f, outdegree_f, destinations_f, destweights_f, info_f, reorder_f, comm_dist_graph_f, ierr);
  if (!begin_) return;
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Dist_graph_create_adjacent, 1, begin_, result_, COLLECTIVE, 0, MPI_PROC_NULL, -1, MPI_COMM_NULL);
}

void mpi_comm_idup_(void *comm_f, void *newcomm_f, void *request_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_comm_idup_", "pmpi_comm_idup_");
  if (midrun_passes(CALL_Comm_idup)) { ((void (*)(void *, void *, void *, void *))real)(comm_f, newcomm_f, request_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Comm_idup, 0, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *))real)(comm_f, newcomm_f, request_f, ierr);
  if (!begin_) return;
  MPI_Comm comm = PMPI_Comm_f2c(*(MPI_Fint *)comm_f);
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Comm_idup, 0, begin_, result_, COLLECTIVE, 0, MPI_PROC_NULL, -1, comm);
}

void mpi_comm_free_(void *comm_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_comm_free_", "pmpi_comm_free_");
  midrun_peers_forget();
  uint64_t begin_ = BEGIN(CALL_Comm_free, 1, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *))real)(comm_f, ierr);
  if (!begin_) return;
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Comm_free, 1, begin_, result_, COLLECTIVE, 0, MPI_PROC_NULL, -1, MPI_COMM_NULL);
}

void mpi_comm_disconnect_(void *comm_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_comm_disconnect_", "pmpi_comm_disconnect_");
  midrun_peers_forget();
  uint64_t begin_ = BEGIN(CALL_Comm_disconnect, 1, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *))real)(comm_f, ierr);
  if (!begin_) return;
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Comm_disconnect, 1, begin_, result_, COLLECTIVE, 0, MPI_PROC_NULL, -1, MPI_COMM_NULL);
}

void mpi_comm_join_(void *fd_f, void *intercomm_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_comm_join_", "pmpi_comm_join_");
  if (midrun_passes(CALL_Comm_join)) { ((void (*)(void *, void *, void *))real)(fd_f, intercomm_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Comm_join, 1, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *))real)(fd_f, intercomm_f, ierr);
  if (!begin_) return;
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Comm_join, 1, begin_, result_, COLLECTIVE, 0, MPI_PROC_NULL, -1, MPI_COMM_NULL);
}

void mpi_win_create_(void *base_f, void *size_f, void *disp_unit_f, void *info_f, void *comm_f, void *win_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_win_create_", "pmpi_win_create_");
  if (midrun_passes(CALL_Win_create)) { ((void (*)(void *, void *, void *, void *, void *, void *, void *))real)(base_f, size_f, disp_unit_f, info_f, comm_f, win_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Win_create, 1, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *, void *, void *, void *))real)(base_f, size_f, disp_unit_f, info_f, comm_f, win_f, ierr);
  if (!begin_) return;
  MPI_Comm comm = PMPI_Comm_f2c(*(MPI_Fint *)comm_f);
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Win_create, 1, begin_, result_, COLLECTIVE, 0, MPI_PROC_NULL, -1, comm);
}

void mpi_win_allocate_(void *size_f, void *disp_unit_f, void *info_f, void *comm_f, void *baseptr_f, void *win_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_win_allocate_", "pmpi_win_allocate_");
  if (midrun_passes(CALL_Win_allocate)) { ((void (*)(void *, void *, void *, void *, void *, void *, void *))real)(size_f, disp_unit_f, info_f, comm_f, baseptr_f, win_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Win_allocate, 1, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *, void *, void *, void *))real)(size_f, disp_unit_f, info_f, comm_f, baseptr_f, win_f, ierr);
  if (!begin_) return;
  MPI_Comm comm = PMPI_Comm_f2c(*(MPI_Fint *)comm_f);
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Win_allocate, 1, begin_, result_, COLLECTIVE, 0, MPI_PROC_NULL, -1, comm);
}

void mpi_win_allocate_shared_(void *size_f, void *disp_unit_f, void *info_f, void *comm_f, void *baseptr_f, void *win_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_win_allocate_shared_", "pmpi_win_allocate_shared_");
  if (midrun_passes(CALL_Win_allocate_shared)) { ((void (*)(void *, void *, void *, void *, void *, void *, void *))real)(size_f, disp_unit_f, info_f, comm_f, baseptr_f, win_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Win_allocate_shared, 1, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *, void *, void *, void *))real)(size_f, disp_unit_f, info_f, comm_f, baseptr_f, win_f, ierr);
  if (!begin_) return;
  MPI_Comm comm = PMPI_Comm_f2c(*(MPI_Fint *)comm_f);
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Win_allocate_shared, 1, begin_, result_, COLLECTIVE, 0, MPI_PROC_NULL, -1, comm);
}

void mpi_win_create_dynamic_(void *info_f, void *comm_f, void *win_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_win_create_dynamic_", "pmpi_win_create_dynamic_");
  if (midrun_passes(CALL_Win_create_dynamic)) { ((void (*)(void *, void *, void *, void *))real)(info_f, comm_f, win_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Win_create_dynamic, 1, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *))real)(info_f, comm_f, win_f, ierr);
  if (!begin_) return;
  MPI_Comm comm = PMPI_Comm_f2c(*(MPI_Fint *)comm_f);
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Win_create_dynamic, 1, begin_, result_, COLLECTIVE, 0, MPI_PROC_NULL, -1, comm);
}

void mpi_win_free_(void *win_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_win_free_", "pmpi_win_free_");
  midrun_peers_forget();
  uint64_t begin_ = BEGIN(CALL_Win_free, 1, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *))real)(win_f, ierr);
  if (!begin_) return;
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Win_free, 1, begin_, result_, COLLECTIVE, 0, MPI_PROC_NULL, -1, MPI_COMM_NULL);
}

void mpi_win_fence_(void *assert_f, void *win_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_win_fence_", "pmpi_win_fence_");
  if (midrun_passes(CALL_Win_fence)) { ((void (*)(void *, void *, void *))real)(assert_f, win_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Win_fence, 1, 1);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *))real)(assert_f, win_f, ierr);
  if (!begin_) return;
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Win_fence, 1, begin_, result_, COLLECTIVE, 0, MPI_PROC_NULL, -1, MPI_COMM_NULL);
}

void mpi_win_attach_(void *win_f, void *base_f, void *size_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_win_attach_", "pmpi_win_attach_");
  if (midrun_passes(CALL_Win_attach)) { ((void (*)(void *, void *, void *, void *))real)(win_f, base_f, size_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Win_attach, 0, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *))real)(win_f, base_f, size_f, ierr);
  if (!begin_) return;
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Win_attach, 0, begin_, result_, LOCAL, 0, MPI_PROC_NULL, -1, MPI_COMM_NULL);
}

void mpi_win_detach_(void *win_f, void *base_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_win_detach_", "pmpi_win_detach_");
  if (midrun_passes(CALL_Win_detach)) { ((void (*)(void *, void *, void *))real)(win_f, base_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Win_detach, 0, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *))real)(win_f, base_f, ierr);
  if (!begin_) return;
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Win_detach, 0, begin_, result_, LOCAL, 0, MPI_PROC_NULL, -1, MPI_COMM_NULL);
}

void mpi_win_sync_(void *win_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_win_sync_", "pmpi_win_sync_");
  if (midrun_passes(CALL_Win_sync)) { ((void (*)(void *, void *))real)(win_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Win_sync, 0, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *))real)(win_f, ierr);
  if (!begin_) return;
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Win_sync, 0, begin_, result_, LOCAL, 0, MPI_PROC_NULL, -1, MPI_COMM_NULL);
}

void mpi_win_shared_query_(void *win_f, void *rank_f, void *size_f, void *disp_unit_f, void *baseptr_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_win_shared_query_", "pmpi_win_shared_query_");
  if (midrun_passes(CALL_Win_shared_query)) { ((void (*)(void *, void *, void *, void *, void *, void *))real)(win_f, rank_f, size_f, disp_unit_f, baseptr_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Win_shared_query, 0, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *, void *, void *))real)(win_f, rank_f, size_f, disp_unit_f, baseptr_f, ierr);
  if (!begin_) return;
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Win_shared_query, 0, begin_, result_, LOCAL, 0, MPI_PROC_NULL, -1, MPI_COMM_NULL);
}

void mpi_win_get_group_(void *win_f, void *group_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_win_get_group_", "pmpi_win_get_group_");
  if (midrun_passes(CALL_Win_get_group)) { ((void (*)(void *, void *, void *))real)(win_f, group_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Win_get_group, 0, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *))real)(win_f, group_f, ierr);
  if (!begin_) return;
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Win_get_group, 0, begin_, result_, LOCAL, 0, MPI_PROC_NULL, -1, MPI_COMM_NULL);
}

void mpi_win_post_(void *group_f, void *assert_f, void *win_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_win_post_", "pmpi_win_post_");
  if (midrun_passes(CALL_Win_post)) { ((void (*)(void *, void *, void *, void *))real)(group_f, assert_f, win_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Win_post, 0, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *))real)(group_f, assert_f, win_f, ierr);
  if (!begin_) return;
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Win_post, 0, begin_, result_, LOCAL, 0, MPI_PROC_NULL, -1, MPI_COMM_NULL);
}

void mpi_win_test_(void *win_f, void *flag_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_win_test_", "pmpi_win_test_");
  if (midrun_passes(CALL_Win_test)) { ((void (*)(void *, void *, void *))real)(win_f, flag_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Win_test, 0, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *))real)(win_f, flag_f, ierr);
  if (!begin_) return;
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Win_test, 0, begin_, result_, LOCAL, 0, MPI_PROC_NULL, -1, MPI_COMM_NULL);
}

void mpi_win_start_(void *group_f, void *assert_f, void *win_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_win_start_", "pmpi_win_start_");
  if (midrun_passes(CALL_Win_start)) { ((void (*)(void *, void *, void *, void *))real)(group_f, assert_f, win_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Win_start, 1, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *))real)(group_f, assert_f, win_f, ierr);
  if (!begin_) return;
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Win_start, 1, begin_, result_, LOCAL, 0, MPI_PROC_NULL, -1, MPI_COMM_NULL);
}

void mpi_win_complete_(void *win_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_win_complete_", "pmpi_win_complete_");
  if (midrun_passes(CALL_Win_complete)) { ((void (*)(void *, void *))real)(win_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Win_complete, 1, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *))real)(win_f, ierr);
  if (!begin_) return;
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Win_complete, 1, begin_, result_, LOCAL, 0, MPI_PROC_NULL, -1, MPI_COMM_NULL);
}

void mpi_win_wait_(void *win_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_win_wait_", "pmpi_win_wait_");
  if (midrun_passes(CALL_Win_wait)) { ((void (*)(void *, void *))real)(win_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Win_wait, 1, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *))real)(win_f, ierr);
  if (!begin_) return;
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Win_wait, 1, begin_, result_, LOCAL, 0, MPI_PROC_NULL, -1, MPI_COMM_NULL);
}

void mpi_win_lock_all_(void *assert_f, void *win_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_win_lock_all_", "pmpi_win_lock_all_");
  if (midrun_passes(CALL_Win_lock_all)) { ((void (*)(void *, void *, void *))real)(assert_f, win_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Win_lock_all, 1, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *))real)(assert_f, win_f, ierr);
  if (!begin_) return;
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Win_lock_all, 1, begin_, result_, LOCAL, 0, MPI_PROC_NULL, -1, MPI_COMM_NULL);
}

void mpi_win_unlock_all_(void *win_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_win_unlock_all_", "pmpi_win_unlock_all_");
  if (midrun_passes(CALL_Win_unlock_all)) { ((void (*)(void *, void *))real)(win_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Win_unlock_all, 1, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *))real)(win_f, ierr);
  if (!begin_) return;
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Win_unlock_all, 1, begin_, result_, LOCAL, 0, MPI_PROC_NULL, -1, MPI_COMM_NULL);
}

void mpi_win_flush_all_(void *win_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_win_flush_all_", "pmpi_win_flush_all_");
  if (midrun_passes(CALL_Win_flush_all)) { ((void (*)(void *, void *))real)(win_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Win_flush_all, 1, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *))real)(win_f, ierr);
  if (!begin_) return;
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Win_flush_all, 1, begin_, result_, LOCAL, 0, MPI_PROC_NULL, -1, MPI_COMM_NULL);
}

void mpi_win_flush_local_all_(void *win_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_win_flush_local_all_", "pmpi_win_flush_local_all_");
  if (midrun_passes(CALL_Win_flush_local_all)) { ((void (*)(void *, void *))real)(win_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Win_flush_local_all, 1, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *))real)(win_f, ierr);
  if (!begin_) return;
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Win_flush_local_all, 1, begin_, result_, LOCAL, 0, MPI_PROC_NULL, -1, MPI_COMM_NULL);
}

void mpi_win_lock_(void *lock_type_f, void *rank_f, void *assert_f, void *win_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_win_lock_", "pmpi_win_lock_");
  if (midrun_passes(CALL_Win_lock)) { ((void (*)(void *, void *, void *, void *, void *))real)(lock_type_f, rank_f, assert_f, win_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Win_lock, 1, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *, void *))real)(lock_type_f, rank_f, assert_f, win_f, ierr);
  if (!begin_) return;
  int rank = *(MPI_Fint *)rank_f;
  MPI_Win win = PMPI_Win_f2c(*(MPI_Fint *)win_f);
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Win_lock, 1, begin_, result_, target(rank, win), 0, rank, -1, MPI_COMM_NULL);
}

void mpi_win_unlock_(void *rank_f, void *win_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_win_unlock_", "pmpi_win_unlock_");
  if (midrun_passes(CALL_Win_unlock)) { ((void (*)(void *, void *, void *))real)(rank_f, win_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Win_unlock, 1, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *))real)(rank_f, win_f, ierr);
  if (!begin_) return;
  int rank = *(MPI_Fint *)rank_f;
  MPI_Win win = PMPI_Win_f2c(*(MPI_Fint *)win_f);
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Win_unlock, 1, begin_, result_, target(rank, win), 0, rank, -1, MPI_COMM_NULL);
}

void mpi_win_flush_(void *rank_f, void *win_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_win_flush_", "pmpi_win_flush_");
  if (midrun_passes(CALL_Win_flush)) { ((void (*)(void *, void *, void *))real)(rank_f, win_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Win_flush, 1, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *))real)(rank_f, win_f, ierr);
  if (!begin_) return;
  int rank = *(MPI_Fint *)rank_f;
  MPI_Win win = PMPI_Win_f2c(*(MPI_Fint *)win_f);
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Win_flush, 1, begin_, result_, target(rank, win), 0, rank, -1, MPI_COMM_NULL);
}

void mpi_win_flush_local_(void *rank_f, void *win_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_win_flush_local_", "pmpi_win_flush_local_");
  if (midrun_passes(CALL_Win_flush_local)) { ((void (*)(void *, void *, void *))real)(rank_f, win_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Win_flush_local, 1, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *))real)(rank_f, win_f, ierr);
  if (!begin_) return;
  int rank = *(MPI_Fint *)rank_f;
  MPI_Win win = PMPI_Win_f2c(*(MPI_Fint *)win_f);
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Win_flush_local, 1, begin_, result_, target(rank, win), 0, rank, -1, MPI_COMM_NULL);
}

void mpi_put_(void *origin_addr_f, void *origin_count_f, void *origin_datatype_f, void *target_rank_f, void *target_disp_f, void *target_count_f, void *target_datatype_f, void *win_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_put_", "pmpi_put_");
  if (midrun_passes(CALL_Put)) { ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *, void *))real)(origin_addr_f, origin_count_f, origin_datatype_f, target_rank_f, target_disp_f, target_count_f, target_datatype_f, win_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Put, 0, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *, void *))real)(origin_addr_f, origin_count_f, origin_datatype_f, target_rank_f, target_disp_f, target_count_f, target_datatype_f, win_f, ierr);
  if (!begin_) return;
  int origin_count = *(MPI_Fint *)origin_count_f;
  MPI_Datatype origin_datatype = PMPI_Type_f2c(*(MPI_Fint *)origin_datatype_f);
  int target_rank = *(MPI_Fint *)target_rank_f;
  MPI_Win win = PMPI_Win_f2c(*(MPI_Fint *)win_f);
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Put, 0, begin_, result_, target(target_rank, win), block_to(target_rank, origin_count, origin_datatype), target_rank, -1, MPI_COMM_NULL);
}

void mpi_get_(void *origin_addr_f, void *origin_count_f, void *origin_datatype_f, void *target_rank_f, void *target_disp_f, void *target_count_f, void *target_datatype_f, void *win_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_get_", "pmpi_get_");
  if (midrun_passes(CALL_Get)) { ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *, void *))real)(origin_addr_f, origin_count_f, origin_datatype_f, target_rank_f, target_disp_f, target_count_f, target_datatype_f, win_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Get, 0, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *, void *))real)(origin_addr_f, origin_count_f, origin_datatype_f, target_rank_f, target_disp_f, target_count_f, target_datatype_f, win_f, ierr);
  if (!begin_) return;
  int origin_count = *(MPI_Fint *)origin_count_f;
  MPI_Datatype origin_datatype = PMPI_Type_f2c(*(MPI_Fint *)origin_datatype_f);
  int target_rank = *(MPI_Fint *)target_rank_f;
  MPI_Win win = PMPI_Win_f2c(*(MPI_Fint *)win_f);
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Get, 0, begin_, result_, target(target_rank, win), block_to(target_rank, origin_count, origin_datatype), target_rank, -1, MPI_COMM_NULL);
}

void mpi_accumulate_(void *origin_addr_f, void *origin_count_f, void *origin_datatype_f, void *target_rank_f, void *target_disp_f, void *target_count_f, void *target_datatype_f, void *op_f, void *win_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_accumulate_", "pmpi_accumulate_");
  if (midrun_passes(CALL_Accumulate)) { ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *, void *, void *))real)(origin_addr_f, origin_count_f, origin_datatype_f, target_rank_f, target_disp_f, target_count_f, target_datatype_f, op_f, win_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Accumulate, 0, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *, void *, void *))real)(origin_addr_f, origin_count_f, origin_datatype_f, target_rank_f, target_disp_f, target_count_f, target_datatype_f, op_f, win_f, ierr);
  if (!begin_) return;
  int origin_count = *(MPI_Fint *)origin_count_f;
  MPI_Datatype origin_datatype = PMPI_Type_f2c(*(MPI_Fint *)origin_datatype_f);
  int target_rank = *(MPI_Fint *)target_rank_f;
  MPI_Win win = PMPI_Win_f2c(*(MPI_Fint *)win_f);
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Accumulate, 0, begin_, result_, target(target_rank, win), block_to(target_rank, origin_count, origin_datatype), target_rank, -1, MPI_COMM_NULL);
}

void mpi_rput_(void *origin_addr_f, void *origin_count_f, void *origin_datatype_f, void *target_rank_f, void *target_disp_f, void *target_count_f, void *target_datatype_f, void *win_f, void *request_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_rput_", "pmpi_rput_");
  if (midrun_passes(CALL_Rput)) { ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *, void *, void *))real)(origin_addr_f, origin_count_f, origin_datatype_f, target_rank_f, target_disp_f, target_count_f, target_datatype_f, win_f, request_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Rput, 0, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *, void *, void *))real)(origin_addr_f, origin_count_f, origin_datatype_f, target_rank_f, target_disp_f, target_count_f, target_datatype_f, win_f, request_f, ierr);
  if (!begin_) return;
  int origin_count = *(MPI_Fint *)origin_count_f;
  MPI_Datatype origin_datatype = PMPI_Type_f2c(*(MPI_Fint *)origin_datatype_f);
  int target_rank = *(MPI_Fint *)target_rank_f;
  MPI_Win win = PMPI_Win_f2c(*(MPI_Fint *)win_f);
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Rput, 0, begin_, result_, target(target_rank, win), block_to(target_rank, origin_count, origin_datatype), target_rank, -1, MPI_COMM_NULL);
}

void mpi_rget_(void *origin_addr_f, void *origin_count_f, void *origin_datatype_f, void *target_rank_f, void *target_disp_f, void *target_count_f, void *target_datatype_f, void *win_f, void *request_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_rget_", "pmpi_rget_");
  if (midrun_passes(CALL_Rget)) { ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *, void *, void *))real)(origin_addr_f, origin_count_f, origin_datatype_f, target_rank_f, target_disp_f, target_count_f, target_datatype_f, win_f, request_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Rget, 0, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *, void *, void *))real)(origin_addr_f, origin_count_f, origin_datatype_f, target_rank_f, target_disp_f, target_count_f, target_datatype_f, win_f, request_f, ierr);
  if (!begin_) return;
  int origin_count = *(MPI_Fint *)origin_count_f;
  MPI_Datatype origin_datatype = PMPI_Type_f2c(*(MPI_Fint *)origin_datatype_f);
  int target_rank = *(MPI_Fint *)target_rank_f;
  MPI_Win win = PMPI_Win_f2c(*(MPI_Fint *)win_f);
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Rget, 0, begin_, result_, target(target_rank, win), block_to(target_rank, origin_count, origin_datatype), target_rank, -1, MPI_COMM_NULL);
}

void mpi_raccumulate_(void *origin_addr_f, void *origin_count_f, void *origin_datatype_f, void *target_rank_f, void *target_disp_f, void *target_count_f, void *target_datatype_f, void *op_f, void *win_f, void *request_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_raccumulate_", "pmpi_raccumulate_");
  if (midrun_passes(CALL_Raccumulate)) { ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *))real)(origin_addr_f, origin_count_f, origin_datatype_f, target_rank_f, target_disp_f, target_count_f, target_datatype_f, op_f, win_f, request_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Raccumulate, 0, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *))real)(origin_addr_f, origin_count_f, origin_datatype_f, target_rank_f, target_disp_f, target_count_f, target_datatype_f, op_f, win_f, request_f, ierr);
  if (!begin_) return;
  int origin_count = *(MPI_Fint *)origin_count_f;
  MPI_Datatype origin_datatype = PMPI_Type_f2c(*(MPI_Fint *)origin_datatype_f);
  int target_rank = *(MPI_Fint *)target_rank_f;
  MPI_Win win = PMPI_Win_f2c(*(MPI_Fint *)win_f);
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Raccumulate, 0, begin_, result_, target(target_rank, win), block_to(target_rank, origin_count, origin_datatype), target_rank, -1, MPI_COMM_NULL);
}

void mpi_get_accumulate_(void *origin_addr_f, void *origin_count_f, void *origin_datatype_f, void *result_addr_f, void *result_count_f, void *result_datatype_f, void *target_rank_f, void *target_disp_f, void *target_count_f, void *target_datatype_f, void *op_f, void *win_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_get_accumulate_", "pmpi_get_accumulate_");
  if (midrun_passes(CALL_Get_accumulate)) { ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *))real)(origin_addr_f, origin_count_f, origin_datatype_f, result_addr_f, result_count_f, result_datatype_f, target_rank_f, target_disp_f, target_count_f, target_datatype_f, op_f, win_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Get_accumulate, 0, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *))real)(origin_addr_f, origin_count_f, origin_datatype_f, result_addr_f, result_count_f, result_datatype_f, target_rank_f, target_disp_f, target_count_f, target_datatype_f, op_f, win_f, ierr);
  if (!begin_) return;
  int result_count = *(MPI_Fint *)result_count_f;
  MPI_Datatype result_datatype = PMPI_Type_f2c(*(MPI_Fint *)result_datatype_f);
  int target_rank = *(MPI_Fint *)target_rank_f;
  MPI_Win win = PMPI_Win_f2c(*(MPI_Fint *)win_f);
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Get_accumulate, 0, begin_, result_, target(target_rank, win), block_to(target_rank, result_count, result_datatype), target_rank, -1, MPI_COMM_NULL);
}

void mpi_rget_accumulate_(void *origin_addr_f, void *origin_count_f, void *origin_datatype_f, void *result_addr_f, void *result_count_f, void *result_datatype_f, void *target_rank_f, void *target_disp_f, void *target_count_f, void *target_datatype_f, void *op_f, void *win_f, void *request_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_rget_accumulate_", "pmpi_rget_accumulate_");
  if (midrun_passes(CALL_Rget_accumulate)) { ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *))real)(origin_addr_f, origin_count_f, origin_datatype_f, result_addr_f, result_count_f, result_datatype_f, target_rank_f, target_disp_f, target_count_f, target_datatype_f, op_f, win_f, request_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Rget_accumulate, 0, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *))real)(origin_addr_f, origin_count_f, origin_datatype_f, result_addr_f, result_count_f, result_datatype_f, target_rank_f, target_disp_f, target_count_f, target_datatype_f, op_f, win_f, request_f, ierr);
  if (!begin_) return;
  int result_count = *(MPI_Fint *)result_count_f;
  MPI_Datatype result_datatype = PMPI_Type_f2c(*(MPI_Fint *)result_datatype_f);
  int target_rank = *(MPI_Fint *)target_rank_f;
  MPI_Win win = PMPI_Win_f2c(*(MPI_Fint *)win_f);
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Rget_accumulate, 0, begin_, result_, target(target_rank, win), block_to(target_rank, result_count, result_datatype), target_rank, -1, MPI_COMM_NULL);
}

void mpi_fetch_and_op_(void *origin_addr_f, void *result_addr_f, void *datatype_f, void *target_rank_f, void *target_disp_f, void *op_f, void *win_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_fetch_and_op_", "pmpi_fetch_and_op_");
  if (midrun_passes(CALL_Fetch_and_op)) { ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *))real)(origin_addr_f, result_addr_f, datatype_f, target_rank_f, target_disp_f, op_f, win_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Fetch_and_op, 0, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *))real)(origin_addr_f, result_addr_f, datatype_f, target_rank_f, target_disp_f, op_f, win_f, ierr);
  if (!begin_) return;
  MPI_Datatype datatype = PMPI_Type_f2c(*(MPI_Fint *)datatype_f);
  int target_rank = *(MPI_Fint *)target_rank_f;
  MPI_Win win = PMPI_Win_f2c(*(MPI_Fint *)win_f);
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Fetch_and_op, 0, begin_, result_, target(target_rank, win), block_to(target_rank, 1, datatype), target_rank, -1, MPI_COMM_NULL);
}

void mpi_compare_and_swap_(void *origin_addr_f, void *compare_addr_f, void *result_addr_f, void *datatype_f, void *target_rank_f, void *target_disp_f, void *win_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_compare_and_swap_", "pmpi_compare_and_swap_");
  if (midrun_passes(CALL_Compare_and_swap)) { ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *))real)(origin_addr_f, compare_addr_f, result_addr_f, datatype_f, target_rank_f, target_disp_f, win_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Compare_and_swap, 0, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *))real)(origin_addr_f, compare_addr_f, result_addr_f, datatype_f, target_rank_f, target_disp_f, win_f, ierr);
  if (!begin_) return;
  MPI_Datatype datatype = PMPI_Type_f2c(*(MPI_Fint *)datatype_f);
  int target_rank = *(MPI_Fint *)target_rank_f;
  MPI_Win win = PMPI_Win_f2c(*(MPI_Fint *)win_f);
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Compare_and_swap, 0, begin_, result_, target(target_rank, win), block_to(target_rank, 1, datatype), target_rank, -1, MPI_COMM_NULL);
}
#endif

/* `use mpi_f08`: MPICH's with a buffer call the C functions. */

#if defined OPEN_MPI
void mpi_send_f08_(void *buf_f, void *count_f, void *datatype_f, void *dest_f, void *tag_f, void *comm_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_send_f08_", "pmpi_send_f08_");
  if (midrun_passes(CALL_Send)) { ((void (*)(void *, void *, void *, void *, void *, void *, void *))real)(buf_f, count_f, datatype_f, dest_f, tag_f, comm_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Send, 0, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *, void *, void *, void *))real)(buf_f, count_f, datatype_f, dest_f, tag_f, comm_f, ierr);
  if (!begin_) return;
  int count = *(MPI_Fint *)count_f;
  MPI_Datatype datatype = PMPI_Type_f2c(*(MPI_Fint *)datatype_f);
  int dest = *(MPI_Fint *)dest_f;
  int tag = *(MPI_Fint *)tag_f;
  MPI_Comm comm = PMPI_Comm_f2c(*(MPI_Fint *)comm_f);
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Send, 0, begin_, result_, peer(dest, comm), block_to(dest, count, datatype), dest, tag, comm);
}
#endif

#if defined OPEN_MPI
void mpi_ssend_f08_(void *buf_f, void *count_f, void *datatype_f, void *dest_f, void *tag_f, void *comm_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_ssend_f08_", "pmpi_ssend_f08_");
  if (midrun_passes(CALL_Ssend)) { ((void (*)(void *, void *, void *, void *, void *, void *, void *))real)(buf_f, count_f, datatype_f, dest_f, tag_f, comm_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Ssend, 0, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *, void *, void *, void *))real)(buf_f, count_f, datatype_f, dest_f, tag_f, comm_f, ierr);
  if (!begin_) return;
  int count = *(MPI_Fint *)count_f;
  MPI_Datatype datatype = PMPI_Type_f2c(*(MPI_Fint *)datatype_f);
  int dest = *(MPI_Fint *)dest_f;
  int tag = *(MPI_Fint *)tag_f;
  MPI_Comm comm = PMPI_Comm_f2c(*(MPI_Fint *)comm_f);
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Ssend, 0, begin_, result_, peer(dest, comm), block_to(dest, count, datatype), dest, tag, comm);
}
#endif

#if defined OPEN_MPI
void mpi_bsend_f08_(void *buf_f, void *count_f, void *datatype_f, void *dest_f, void *tag_f, void *comm_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_bsend_f08_", "pmpi_bsend_f08_");
  if (midrun_passes(CALL_Bsend)) { ((void (*)(void *, void *, void *, void *, void *, void *, void *))real)(buf_f, count_f, datatype_f, dest_f, tag_f, comm_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Bsend, 0, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *, void *, void *, void *))real)(buf_f, count_f, datatype_f, dest_f, tag_f, comm_f, ierr);
  if (!begin_) return;
  int count = *(MPI_Fint *)count_f;
  MPI_Datatype datatype = PMPI_Type_f2c(*(MPI_Fint *)datatype_f);
  int dest = *(MPI_Fint *)dest_f;
  int tag = *(MPI_Fint *)tag_f;
  MPI_Comm comm = PMPI_Comm_f2c(*(MPI_Fint *)comm_f);
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Bsend, 0, begin_, result_, peer(dest, comm), block_to(dest, count, datatype), dest, tag, comm);
}
#endif

#if defined OPEN_MPI
void mpi_rsend_f08_(void *buf_f, void *count_f, void *datatype_f, void *dest_f, void *tag_f, void *comm_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_rsend_f08_", "pmpi_rsend_f08_");
  if (midrun_passes(CALL_Rsend)) { ((void (*)(void *, void *, void *, void *, void *, void *, void *))real)(buf_f, count_f, datatype_f, dest_f, tag_f, comm_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Rsend, 0, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *, void *, void *, void *))real)(buf_f, count_f, datatype_f, dest_f, tag_f, comm_f, ierr);
  if (!begin_) return;
  int count = *(MPI_Fint *)count_f;
  MPI_Datatype datatype = PMPI_Type_f2c(*(MPI_Fint *)datatype_f);
  int dest = *(MPI_Fint *)dest_f;
  int tag = *(MPI_Fint *)tag_f;
  MPI_Comm comm = PMPI_Comm_f2c(*(MPI_Fint *)comm_f);
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Rsend, 0, begin_, result_, peer(dest, comm), block_to(dest, count, datatype), dest, tag, comm);
}
#endif

#if defined OPEN_MPI
void mpi_isend_f08_(void *buf_f, void *count_f, void *datatype_f, void *dest_f, void *tag_f, void *comm_f, void *request_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_isend_f08_", "pmpi_isend_f08_");
  if (midrun_passes(CALL_Isend)) { ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *))real)(buf_f, count_f, datatype_f, dest_f, tag_f, comm_f, request_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Isend, 0, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *))real)(buf_f, count_f, datatype_f, dest_f, tag_f, comm_f, request_f, ierr);
  if (!begin_) return;
  int count = *(MPI_Fint *)count_f;
  MPI_Datatype datatype = PMPI_Type_f2c(*(MPI_Fint *)datatype_f);
  int dest = *(MPI_Fint *)dest_f;
  int tag = *(MPI_Fint *)tag_f;
  MPI_Comm comm = PMPI_Comm_f2c(*(MPI_Fint *)comm_f);
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Isend, 0, begin_, result_, peer(dest, comm), block_to(dest, count, datatype), dest, tag, comm);
  if (begin_ && result_ == MPI_SUCCESS) midrun_posted(request_f, sizeof (MPI_Fint), comm == MPI_COMM_WORLD);
}
#endif

#if defined OPEN_MPI
void mpi_issend_f08_(void *buf_f, void *count_f, void *datatype_f, void *dest_f, void *tag_f, void *comm_f, void *request_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_issend_f08_", "pmpi_issend_f08_");
  if (midrun_passes(CALL_Issend)) { ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *))real)(buf_f, count_f, datatype_f, dest_f, tag_f, comm_f, request_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Issend, 0, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *))real)(buf_f, count_f, datatype_f, dest_f, tag_f, comm_f, request_f, ierr);
  if (!begin_) return;
  int count = *(MPI_Fint *)count_f;
  MPI_Datatype datatype = PMPI_Type_f2c(*(MPI_Fint *)datatype_f);
  int dest = *(MPI_Fint *)dest_f;
  int tag = *(MPI_Fint *)tag_f;
  MPI_Comm comm = PMPI_Comm_f2c(*(MPI_Fint *)comm_f);
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Issend, 0, begin_, result_, peer(dest, comm), block_to(dest, count, datatype), dest, tag, comm);
  if (begin_ && result_ == MPI_SUCCESS) midrun_posted(request_f, sizeof (MPI_Fint), comm == MPI_COMM_WORLD);
}
#endif

#if defined OPEN_MPI
void mpi_ibsend_f08_(void *buf_f, void *count_f, void *datatype_f, void *dest_f, void *tag_f, void *comm_f, void *request_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_ibsend_f08_", "pmpi_ibsend_f08_");
  if (midrun_passes(CALL_Ibsend)) { ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *))real)(buf_f, count_f, datatype_f, dest_f, tag_f, comm_f, request_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Ibsend, 0, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *))real)(buf_f, count_f, datatype_f, dest_f, tag_f, comm_f, request_f, ierr);
  if (!begin_) return;
  int count = *(MPI_Fint *)count_f;
  MPI_Datatype datatype = PMPI_Type_f2c(*(MPI_Fint *)datatype_f);
  int dest = *(MPI_Fint *)dest_f;
  int tag = *(MPI_Fint *)tag_f;
  MPI_Comm comm = PMPI_Comm_f2c(*(MPI_Fint *)comm_f);
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Ibsend, 0, begin_, result_, peer(dest, comm), block_to(dest, count, datatype), dest, tag, comm);
}
#endif

#if defined OPEN_MPI
void mpi_irsend_f08_(void *buf_f, void *count_f, void *datatype_f, void *dest_f, void *tag_f, void *comm_f, void *request_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_irsend_f08_", "pmpi_irsend_f08_");
  if (midrun_passes(CALL_Irsend)) { ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *))real)(buf_f, count_f, datatype_f, dest_f, tag_f, comm_f, request_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Irsend, 0, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *))real)(buf_f, count_f, datatype_f, dest_f, tag_f, comm_f, request_f, ierr);
  if (!begin_) return;
  int count = *(MPI_Fint *)count_f;
  MPI_Datatype datatype = PMPI_Type_f2c(*(MPI_Fint *)datatype_f);
  int dest = *(MPI_Fint *)dest_f;
  int tag = *(MPI_Fint *)tag_f;
  MPI_Comm comm = PMPI_Comm_f2c(*(MPI_Fint *)comm_f);
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Irsend, 0, begin_, result_, peer(dest, comm), block_to(dest, count, datatype), dest, tag, comm);
  if (begin_ && result_ == MPI_SUCCESS) midrun_posted(request_f, sizeof (MPI_Fint), comm == MPI_COMM_WORLD);
}
#endif

#if defined OPEN_MPI
void mpi_recv_f08_(void *buf_f, void *count_f, void *datatype_f, void *source_f, void *tag_f, void *comm_f, void *status_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_recv_f08_", "pmpi_recv_f08_");
  if (midrun_passes(CALL_Recv)) { ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *))real)(buf_f, count_f, datatype_f, source_f, tag_f, comm_f, status_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Recv, 1, 1);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  MPI_Fint own_[FORTRAN_STATUS];
  if (begin_ && status_f == (void *)MPI_F_STATUS_IGNORE) status_f = own_;
  ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *))real)(buf_f, count_f, datatype_f, source_f, tag_f, comm_f, status_f, ierr);
  if (!begin_) return;
  int count = *(MPI_Fint *)count_f;
  MPI_Datatype datatype = PMPI_Type_f2c(*(MPI_Fint *)datatype_f);
  int source = *(MPI_Fint *)source_f;
  int tag = *(MPI_Fint *)tag_f;
  MPI_Comm comm = PMPI_Comm_f2c(*(MPI_Fint *)comm_f);
  MPI_Status c_status, *status = fortran_status(status_f, &c_status);
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Recv, 1, begin_, result_, from(source, status, comm), received(status, count, datatype), source, tag, comm);
}
#endif

#if defined OPEN_MPI
void mpi_irecv_f08_(void *buf_f, void *count_f, void *datatype_f, void *source_f, void *tag_f, void *comm_f, void *request_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_irecv_f08_", "pmpi_irecv_f08_");
  if (midrun_passes(CALL_Irecv)) { ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *))real)(buf_f, count_f, datatype_f, source_f, tag_f, comm_f, request_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Irecv, 0, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *))real)(buf_f, count_f, datatype_f, source_f, tag_f, comm_f, request_f, ierr);
  if (!begin_) return;
  int count = *(MPI_Fint *)count_f;
  MPI_Datatype datatype = PMPI_Type_f2c(*(MPI_Fint *)datatype_f);
  int source = *(MPI_Fint *)source_f;
  int tag = *(MPI_Fint *)tag_f;
  MPI_Comm comm = PMPI_Comm_f2c(*(MPI_Fint *)comm_f);
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Irecv, 0, begin_, result_, peer(source, comm), block_to(source, count, datatype), source, tag, comm);
  if (begin_ && result_ == MPI_SUCCESS) midrun_posted(request_f, sizeof (MPI_Fint), comm == MPI_COMM_WORLD);
}
#endif

#if defined OPEN_MPI
void mpi_mrecv_f08_(void *buf_f, void *count_f, void *datatype_f, void *message_f, void *status_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_mrecv_f08_", "pmpi_mrecv_f08_");
  if (midrun_passes(CALL_Mrecv)) { ((void (*)(void *, void *, void *, void *, void *, void *))real)(buf_f, count_f, datatype_f, message_f, status_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Mrecv, 1, 1);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  MPI_Fint own_[FORTRAN_STATUS];
  if (begin_ && status_f == (void *)MPI_F_STATUS_IGNORE) status_f = own_;
  ((void (*)(void *, void *, void *, void *, void *, void *))real)(buf_f, count_f, datatype_f, message_f, status_f, ierr);
  if (!begin_) return;
  int count = *(MPI_Fint *)count_f;
  MPI_Datatype datatype = PMPI_Type_f2c(*(MPI_Fint *)datatype_f);
  MPI_Status c_status, *status = fortran_status(status_f, &c_status);
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Mrecv, 1, begin_, result_, ANY, received(status, count, datatype), MPI_PROC_NULL, -1, MPI_COMM_NULL);
}
#endif

#if defined OPEN_MPI
void mpi_imrecv_f08_(void *buf_f, void *count_f, void *datatype_f, void *message_f, void *request_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_imrecv_f08_", "pmpi_imrecv_f08_");
  if (midrun_passes(CALL_Imrecv)) { ((void (*)(void *, void *, void *, void *, void *, void *))real)(buf_f, count_f, datatype_f, message_f, request_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Imrecv, 0, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *, void *, void *))real)(buf_f, count_f, datatype_f, message_f, request_f, ierr);
  if (!begin_) return;
  int count = *(MPI_Fint *)count_f;
  MPI_Datatype datatype = PMPI_Type_f2c(*(MPI_Fint *)datatype_f);
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Imrecv, 0, begin_, result_, ANY, block(count, datatype), MPI_PROC_NULL, -1, MPI_COMM_NULL);
}
#endif

#if defined OPEN_MPI
void mpi_sendrecv_f08_(void *sendbuf_f, void *sendcount_f, void *sendtype_f, void *dest_f, void *sendtag_f, void *recvbuf_f, void *recvcount_f, void *recvtype_f, void *source_f, void *recvtag_f, void *comm_f, void *status_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_sendrecv_f08_", "pmpi_sendrecv_f08_");
  if (midrun_passes(CALL_Sendrecv)) { ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *))real)(sendbuf_f, sendcount_f, sendtype_f, dest_f, sendtag_f, recvbuf_f, recvcount_f, recvtype_f, source_f, recvtag_f, comm_f, status_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Sendrecv, 1, 1);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  MPI_Fint own_[FORTRAN_STATUS];
  if (begin_ && status_f == (void *)MPI_F_STATUS_IGNORE) status_f = own_;
  ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *))real)(sendbuf_f, sendcount_f, sendtype_f, dest_f, sendtag_f, recvbuf_f, recvcount_f, recvtype_f, source_f, recvtag_f, comm_f, status_f, ierr);
  if (!begin_) return;
  int sendcount = *(MPI_Fint *)sendcount_f;
  MPI_Datatype sendtype = PMPI_Type_f2c(*(MPI_Fint *)sendtype_f);
  int dest = *(MPI_Fint *)dest_f;
  int sendtag = *(MPI_Fint *)sendtag_f;
  int recvcount = *(MPI_Fint *)recvcount_f;
  MPI_Datatype recvtype = PMPI_Type_f2c(*(MPI_Fint *)recvtype_f);
  int source = *(MPI_Fint *)source_f;
  MPI_Comm comm = PMPI_Comm_f2c(*(MPI_Fint *)comm_f);
  MPI_Status c_status, *status = fortran_status(status_f, &c_status);
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Sendrecv, 1, begin_, result_, either(dest, source, comm), block_to(dest, sendcount, sendtype) + received_from(source, status, recvcount, recvtype), dest, sendtag, comm);
  if (begin_ && result_ == MPI_SUCCESS) midrun_exchanged(peer(dest, comm), block_to(dest, sendcount, sendtype), from(source, status, comm), received_from(source, status, recvcount, recvtype));
}
#endif

#if defined OPEN_MPI
void mpi_sendrecv_replace_f08_(void *buf_f, void *count_f, void *datatype_f, void *dest_f, void *sendtag_f, void *source_f, void *recvtag_f, void *comm_f, void *status_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_sendrecv_replace_f08_", "pmpi_sendrecv_replace_f08_");
  if (midrun_passes(CALL_Sendrecv_replace)) { ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *, void *, void *))real)(buf_f, count_f, datatype_f, dest_f, sendtag_f, source_f, recvtag_f, comm_f, status_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Sendrecv_replace, 1, 1);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  MPI_Fint own_[FORTRAN_STATUS];
  if (begin_ && status_f == (void *)MPI_F_STATUS_IGNORE) status_f = own_;
  ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *, void *, void *))real)(buf_f, count_f, datatype_f, dest_f, sendtag_f, source_f, recvtag_f, comm_f, status_f, ierr);
  if (!begin_) return;
  int count = *(MPI_Fint *)count_f;
  MPI_Datatype datatype = PMPI_Type_f2c(*(MPI_Fint *)datatype_f);
  int dest = *(MPI_Fint *)dest_f;
  int sendtag = *(MPI_Fint *)sendtag_f;
  int source = *(MPI_Fint *)source_f;
  MPI_Comm comm = PMPI_Comm_f2c(*(MPI_Fint *)comm_f);
  MPI_Status c_status, *status = fortran_status(status_f, &c_status);
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Sendrecv_replace, 1, begin_, result_, either(dest, source, comm), block_to(dest, count, datatype) + received_from(source, status, count, datatype), dest, sendtag, comm);
  if (begin_ && result_ == MPI_SUCCESS) midrun_exchanged(peer(dest, comm), block_to(dest, count, datatype), from(source, status, comm), received_from(source, status, count, datatype));
}
#endif

void mpi_probe_f08_(void *source_f, void *tag_f, void *comm_f, void *status_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_probe_f08_", "pmpi_probe_f08_");
  if (midrun_passes(CALL_Probe)) { ((void (*)(void *, void *, void *, void *, void *))real)(source_f, tag_f, comm_f, status_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Probe, 1, 1);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *, void *))real)(source_f, tag_f, comm_f, status_f, ierr);
  if (!begin_) return;
  int source = *(MPI_Fint *)source_f;
  int tag = *(MPI_Fint *)tag_f;
  MPI_Comm comm = PMPI_Comm_f2c(*(MPI_Fint *)comm_f);
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Probe, 1, begin_, result_, peer(source, comm), 0, source, tag, comm);
}

void mpi_iprobe_f08_(void *source_f, void *tag_f, void *comm_f, void *flag_f, void *status_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_iprobe_f08_", "pmpi_iprobe_f08_");
  if (midrun_passes(CALL_Iprobe)) { ((void (*)(void *, void *, void *, void *, void *, void *))real)(source_f, tag_f, comm_f, flag_f, status_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Iprobe, 0, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *, void *, void *))real)(source_f, tag_f, comm_f, flag_f, status_f, ierr);
  if (!begin_) return;
  int source = *(MPI_Fint *)source_f;
  int tag = *(MPI_Fint *)tag_f;
  MPI_Comm comm = PMPI_Comm_f2c(*(MPI_Fint *)comm_f);
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Iprobe, 0, begin_, result_, peer(source, comm), 0, source, tag, comm);
}

void mpi_mprobe_f08_(void *source_f, void *tag_f, void *comm_f, void *message_f, void *status_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_mprobe_f08_", "pmpi_mprobe_f08_");
  if (midrun_passes(CALL_Mprobe)) { ((void (*)(void *, void *, void *, void *, void *, void *))real)(source_f, tag_f, comm_f, message_f, status_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Mprobe, 1, 1);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *, void *, void *))real)(source_f, tag_f, comm_f, message_f, status_f, ierr);
  if (!begin_) return;
  int source = *(MPI_Fint *)source_f;
  int tag = *(MPI_Fint *)tag_f;
  MPI_Comm comm = PMPI_Comm_f2c(*(MPI_Fint *)comm_f);
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Mprobe, 1, begin_, result_, peer(source, comm), 0, source, tag, comm);
}

void mpi_improbe_f08_(void *source_f, void *tag_f, void *comm_f, void *flag_f, void *message_f, void *status_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_improbe_f08_", "pmpi_improbe_f08_");
  if (midrun_passes(CALL_Improbe)) { ((void (*)(void *, void *, void *, void *, void *, void *, void *))real)(source_f, tag_f, comm_f, flag_f, message_f, status_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Improbe, 0, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *, void *, void *, void *))real)(source_f, tag_f, comm_f, flag_f, message_f, status_f, ierr);
  if (!begin_) return;
  int source = *(MPI_Fint *)source_f;
  int tag = *(MPI_Fint *)tag_f;
  MPI_Comm comm = PMPI_Comm_f2c(*(MPI_Fint *)comm_f);
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Improbe, 0, begin_, result_, peer(source, comm), 0, source, tag, comm);
}

void mpi_get_count_f08_(void *status_f, void *datatype_f, void *count_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_get_count_f08_", "pmpi_get_count_f08_");
  if (midrun_passes(CALL_Get_count)) { ((void (*)(void *, void *, void *, void *))real)(status_f, datatype_f, count_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Get_count, 0, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *))real)(status_f, datatype_f, count_f, ierr);
  if (!begin_) return;
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Get_count, 0, begin_, result_, LOCAL, 0, MPI_PROC_NULL, -1, MPI_COMM_NULL);
}

void mpi_get_elements_f08_(void *status_f, void *datatype_f, void *count_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_get_elements_f08_", "pmpi_get_elements_f08_");
  if (midrun_passes(CALL_Get_elements)) { ((void (*)(void *, void *, void *, void *))real)(status_f, datatype_f, count_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Get_elements, 0, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *))real)(status_f, datatype_f, count_f, ierr);
  if (!begin_) return;
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Get_elements, 0, begin_, result_, LOCAL, 0, MPI_PROC_NULL, -1, MPI_COMM_NULL);
}

#if defined OPEN_MPI
void mpi_buffer_attach_f08_(void *buffer_f, void *size_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_buffer_attach_f08_", "pmpi_buffer_attach_f08_");
  if (midrun_passes(CALL_Buffer_attach)) { ((void (*)(void *, void *, void *))real)(buffer_f, size_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Buffer_attach, 0, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *))real)(buffer_f, size_f, ierr);
  if (!begin_) return;
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Buffer_attach, 0, begin_, result_, LOCAL, 0, MPI_PROC_NULL, -1, MPI_COMM_NULL);
}
#endif

#if defined OPEN_MPI
void mpi_buffer_detach_f08_(void *buffer_addr_f, void *size_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_buffer_detach_f08_", "pmpi_buffer_detach_f08_");
  if (midrun_passes(CALL_Buffer_detach)) { ((void (*)(void *, void *, void *))real)(buffer_addr_f, size_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Buffer_detach, 1, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *))real)(buffer_addr_f, size_f, ierr);
  if (!begin_) return;
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Buffer_detach, 1, begin_, result_, LOCAL, 0, MPI_PROC_NULL, -1, MPI_COMM_NULL);
}
#endif

void mpi_wait_f08_(void *request_f, void *status_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_wait_f08_", "pmpi_wait_f08_");
  if (midrun_passes(CALL_Wait)) { ((void (*)(void *, void *, void *))real)(request_f, status_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Wait, 1, 1);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  MPI_Fint own_[FORTRAN_STATUS];
  if (begin_ && status_f == (void *)MPI_F_STATUS_IGNORE) status_f = own_;
  awaited_t awaited_;
  midrun_await(&awaited_, begin_ ? 1 : 0, request_f, sizeof (MPI_Fint));
  ((void (*)(void *, void *, void *))real)(request_f, status_f, ierr);
  if (!begin_) return;
  MPI_Status c_status, *status = fortran_status(status_f, &c_status);
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Wait, 1, begin_, result_, LOCAL, 0, MPI_PROC_NULL, -1, MPI_COMM_NULL);
  if (begin_ && result_ == MPI_SUCCESS) midrun_arrived(&awaited_, 1, NULL, 1, status);
}

void mpi_waitall_f08_(void *count_f, void *array_of_requests_f, void *array_of_statuses_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_waitall_f08_", "pmpi_waitall_f08_");
  if (midrun_passes(CALL_Waitall)) { ((void (*)(void *, void *, void *, void *))real)(count_f, array_of_requests_f, array_of_statuses_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Waitall, 1, 1);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  awaited_t awaited_;
  midrun_await(&awaited_, begin_ ? *(MPI_Fint *)count_f : 0, array_of_requests_f, sizeof (MPI_Fint));
  ((void (*)(void *, void *, void *, void *))real)(count_f, array_of_requests_f, array_of_statuses_f, ierr);
  if (!begin_) return;
  int count = *(MPI_Fint *)count_f;
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Waitall, 1, begin_, result_, LOCAL, 0, MPI_PROC_NULL, -1, MPI_COMM_NULL);
  if (begin_ && result_ == MPI_SUCCESS) midrun_arrived(&awaited_, count, NULL, 1, NULL);
}

void mpi_waitany_f08_(void *count_f, void *array_of_requests_f, void *indx_f, void *status_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_waitany_f08_", "pmpi_waitany_f08_");
  if (midrun_passes(CALL_Waitany)) { ((void (*)(void *, void *, void *, void *, void *))real)(count_f, array_of_requests_f, indx_f, status_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Waitany, 1, 1);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  MPI_Fint own_[FORTRAN_STATUS];
  if (begin_ && status_f == (void *)MPI_F_STATUS_IGNORE) status_f = own_;
  awaited_t awaited_;
  midrun_await(&awaited_, begin_ ? *(MPI_Fint *)count_f : 0, array_of_requests_f, sizeof (MPI_Fint));
  ((void (*)(void *, void *, void *, void *, void *))real)(count_f, array_of_requests_f, indx_f, status_f, ierr);
  if (!begin_) return;
  const MPI_Fint *indx = indx_f;
  MPI_Status c_status, *status = fortran_status(status_f, &c_status);
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Waitany, 1, begin_, result_, LOCAL, 0, MPI_PROC_NULL, -1, MPI_COMM_NULL);
  if (begin_ && result_ == MPI_SUCCESS) midrun_arrived(&awaited_, 1, indx, 1, status);
}

void mpi_waitsome_f08_(void *incount_f, void *array_of_requests_f, void *outcount_f, void *array_of_indices_f, void *array_of_statuses_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_waitsome_f08_", "pmpi_waitsome_f08_");
  if (midrun_passes(CALL_Waitsome)) { ((void (*)(void *, void *, void *, void *, void *, void *))real)(incount_f, array_of_requests_f, outcount_f, array_of_indices_f, array_of_statuses_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Waitsome, 1, 1);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  awaited_t awaited_;
  midrun_await(&awaited_, begin_ ? *(MPI_Fint *)incount_f : 0, array_of_requests_f, sizeof (MPI_Fint));
  ((void (*)(void *, void *, void *, void *, void *, void *))real)(incount_f, array_of_requests_f, outcount_f, array_of_indices_f, array_of_statuses_f, ierr);
  if (!begin_) return;
  const MPI_Fint *outcount = outcount_f;
  const MPI_Fint *array_of_indices = array_of_indices_f;
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Waitsome, 1, begin_, result_, LOCAL, 0, MPI_PROC_NULL, -1, MPI_COMM_NULL);
  if (begin_ && result_ == MPI_SUCCESS) midrun_arrived(&awaited_, *outcount, array_of_indices, 1, NULL);
}

void mpi_test_f08_(void *request_f, void *flag_f, void *status_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_test_f08_", "pmpi_test_f08_");
  if (midrun_passes(CALL_Test)) { ((void (*)(void *, void *, void *, void *))real)(request_f, flag_f, status_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Test, 0, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *))real)(request_f, flag_f, status_f, ierr);
  if (!begin_) return;
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Test, 0, begin_, result_, LOCAL, 0, MPI_PROC_NULL, -1, MPI_COMM_NULL);
}

void mpi_testall_f08_(void *count_f, void *array_of_requests_f, void *flag_f, void *array_of_statuses_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_testall_f08_", "pmpi_testall_f08_");
  if (midrun_passes(CALL_Testall)) { ((void (*)(void *, void *, void *, void *, void *))real)(count_f, array_of_requests_f, flag_f, array_of_statuses_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Testall, 0, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *, void *))real)(count_f, array_of_requests_f, flag_f, array_of_statuses_f, ierr);
  if (!begin_) return;
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Testall, 0, begin_, result_, LOCAL, 0, MPI_PROC_NULL, -1, MPI_COMM_NULL);
}

void mpi_testany_f08_(void *count_f, void *array_of_requests_f, void *indx_f, void *flag_f, void *status_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_testany_f08_", "pmpi_testany_f08_");
  if (midrun_passes(CALL_Testany)) { ((void (*)(void *, void *, void *, void *, void *, void *))real)(count_f, array_of_requests_f, indx_f, flag_f, status_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Testany, 0, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *, void *, void *))real)(count_f, array_of_requests_f, indx_f, flag_f, status_f, ierr);
  if (!begin_) return;
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Testany, 0, begin_, result_, LOCAL, 0, MPI_PROC_NULL, -1, MPI_COMM_NULL);
}

void mpi_testsome_f08_(void *incount_f, void *array_of_requests_f, void *outcount_f, void *array_of_indices_f, void *array_of_statuses_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_testsome_f08_", "pmpi_testsome_f08_");
  if (midrun_passes(CALL_Testsome)) { ((void (*)(void *, void *, void *, void *, void *, void *))real)(incount_f, array_of_requests_f, outcount_f, array_of_indices_f, array_of_statuses_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Testsome, 0, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *, void *, void *))real)(incount_f, array_of_requests_f, outcount_f, array_of_indices_f, array_of_statuses_f, ierr);
  if (!begin_) return;
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Testsome, 0, begin_, result_, LOCAL, 0, MPI_PROC_NULL, -1, MPI_COMM_NULL);
}

void mpi_request_get_status_f08_(void *request_f, void *flag_f, void *status_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_request_get_status_f08_", "pmpi_request_get_status_f08_");
  if (midrun_passes(CALL_Request_get_status)) { ((void (*)(void *, void *, void *, void *))real)(request_f, flag_f, status_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Request_get_status, 0, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *))real)(request_f, flag_f, status_f, ierr);
  if (!begin_) return;
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Request_get_status, 0, begin_, result_, LOCAL, 0, MPI_PROC_NULL, -1, MPI_COMM_NULL);
}

void mpi_test_cancelled_f08_(void *status_f, void *flag_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_test_cancelled_f08_", "pmpi_test_cancelled_f08_");
  if (midrun_passes(CALL_Test_cancelled)) { ((void (*)(void *, void *, void *))real)(status_f, flag_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Test_cancelled, 0, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *))real)(status_f, flag_f, ierr);
  if (!begin_) return;
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Test_cancelled, 0, begin_, result_, LOCAL, 0, MPI_PROC_NULL, -1, MPI_COMM_NULL);
}

void mpi_cancel_f08_(void *request_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_cancel_f08_", "pmpi_cancel_f08_");
  if (midrun_passes(CALL_Cancel)) { ((void (*)(void *, void *))real)(request_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Cancel, 0, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *))real)(request_f, ierr);
  if (!begin_) return;
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Cancel, 0, begin_, result_, LOCAL, 0, MPI_PROC_NULL, -1, MPI_COMM_NULL);
}

void mpi_request_free_f08_(void *request_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_request_free_f08_", "pmpi_request_free_f08_");
  midrun_forget(request_f, sizeof (MPI_Fint));
  if (midrun_passes(CALL_Request_free)) { ((void (*)(void *, void *))real)(request_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Request_free, 0, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *))real)(request_f, ierr);
  if (!begin_) return;
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Request_free, 0, begin_, result_, LOCAL, 0, MPI_PROC_NULL, -1, MPI_COMM_NULL);
}

#if defined OPEN_MPI
void mpi_send_init_f08_(void *buf_f, void *count_f, void *datatype_f, void *dest_f, void *tag_f, void *comm_f, void *request_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_send_init_f08_", "pmpi_send_init_f08_");
  uint64_t begin_ = BEGIN(CALL_Send_init, 0, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *))real)(buf_f, count_f, datatype_f, dest_f, tag_f, comm_f, request_f, ierr);
  if (!begin_) return;
  int count = *(MPI_Fint *)count_f;
  MPI_Datatype datatype = PMPI_Type_f2c(*(MPI_Fint *)datatype_f);
  int dest = *(MPI_Fint *)dest_f;
  int tag = *(MPI_Fint *)tag_f;
  MPI_Comm comm = PMPI_Comm_f2c(*(MPI_Fint *)comm_f);
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Send_init, 0, begin_, result_, peer(dest, comm), block_to(dest, count, datatype), dest, tag, comm);
  if (begin_ && result_ == MPI_SUCCESS) midrun_kept(request_f, sizeof (MPI_Fint), comm == MPI_COMM_WORLD);
}
#endif

#if defined OPEN_MPI
void mpi_ssend_init_f08_(void *buf_f, void *count_f, void *datatype_f, void *dest_f, void *tag_f, void *comm_f, void *request_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_ssend_init_f08_", "pmpi_ssend_init_f08_");
  uint64_t begin_ = BEGIN(CALL_Ssend_init, 0, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *))real)(buf_f, count_f, datatype_f, dest_f, tag_f, comm_f, request_f, ierr);
  if (!begin_) return;
  int count = *(MPI_Fint *)count_f;
  MPI_Datatype datatype = PMPI_Type_f2c(*(MPI_Fint *)datatype_f);
  int dest = *(MPI_Fint *)dest_f;
  int tag = *(MPI_Fint *)tag_f;
  MPI_Comm comm = PMPI_Comm_f2c(*(MPI_Fint *)comm_f);
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Ssend_init, 0, begin_, result_, peer(dest, comm), block_to(dest, count, datatype), dest, tag, comm);
  if (begin_ && result_ == MPI_SUCCESS) midrun_kept(request_f, sizeof (MPI_Fint), comm == MPI_COMM_WORLD);
}
#endif

#if defined OPEN_MPI
void mpi_bsend_init_f08_(void *buf_f, void *count_f, void *datatype_f, void *dest_f, void *tag_f, void *comm_f, void *request_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_bsend_init_f08_", "pmpi_bsend_init_f08_");
  if (midrun_passes(CALL_Bsend_init)) { ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *))real)(buf_f, count_f, datatype_f, dest_f, tag_f, comm_f, request_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Bsend_init, 0, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *))real)(buf_f, count_f, datatype_f, dest_f, tag_f, comm_f, request_f, ierr);
  if (!begin_) return;
  int count = *(MPI_Fint *)count_f;
  MPI_Datatype datatype = PMPI_Type_f2c(*(MPI_Fint *)datatype_f);
  int dest = *(MPI_Fint *)dest_f;
  int tag = *(MPI_Fint *)tag_f;
  MPI_Comm comm = PMPI_Comm_f2c(*(MPI_Fint *)comm_f);
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Bsend_init, 0, begin_, result_, peer(dest, comm), block_to(dest, count, datatype), dest, tag, comm);
}
#endif

#if defined OPEN_MPI
void mpi_rsend_init_f08_(void *buf_f, void *count_f, void *datatype_f, void *dest_f, void *tag_f, void *comm_f, void *request_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_rsend_init_f08_", "pmpi_rsend_init_f08_");
  uint64_t begin_ = BEGIN(CALL_Rsend_init, 0, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *))real)(buf_f, count_f, datatype_f, dest_f, tag_f, comm_f, request_f, ierr);
  if (!begin_) return;
  int count = *(MPI_Fint *)count_f;
  MPI_Datatype datatype = PMPI_Type_f2c(*(MPI_Fint *)datatype_f);
  int dest = *(MPI_Fint *)dest_f;
  int tag = *(MPI_Fint *)tag_f;
  MPI_Comm comm = PMPI_Comm_f2c(*(MPI_Fint *)comm_f);
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Rsend_init, 0, begin_, result_, peer(dest, comm), block_to(dest, count, datatype), dest, tag, comm);
  if (begin_ && result_ == MPI_SUCCESS) midrun_kept(request_f, sizeof (MPI_Fint), comm == MPI_COMM_WORLD);
}
#endif

#if defined OPEN_MPI
void mpi_recv_init_f08_(void *buf_f, void *count_f, void *datatype_f, void *source_f, void *tag_f, void *comm_f, void *request_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_recv_init_f08_", "pmpi_recv_init_f08_");
  uint64_t begin_ = BEGIN(CALL_Recv_init, 0, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *))real)(buf_f, count_f, datatype_f, source_f, tag_f, comm_f, request_f, ierr);
  if (!begin_) return;
  int count = *(MPI_Fint *)count_f;
  MPI_Datatype datatype = PMPI_Type_f2c(*(MPI_Fint *)datatype_f);
  int source = *(MPI_Fint *)source_f;
  int tag = *(MPI_Fint *)tag_f;
  MPI_Comm comm = PMPI_Comm_f2c(*(MPI_Fint *)comm_f);
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Recv_init, 0, begin_, result_, peer(source, comm), block_to(source, count, datatype), source, tag, comm);
  if (begin_ && result_ == MPI_SUCCESS) midrun_kept(request_f, sizeof (MPI_Fint), comm == MPI_COMM_WORLD);
}
#endif

void mpi_start_f08_(void *request_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_start_f08_", "pmpi_start_f08_");
  if (midrun_passes(CALL_Start)) { ((void (*)(void *, void *))real)(request_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Start, 0, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  int started_ = LOCAL;
  ((void (*)(void *, void *))real)(request_f, ierr);
  if (!begin_) return;
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Start, 0, begin_, result_, started_, midrun_call_starts(request_f, sizeof (MPI_Fint), 1, &started_), MPI_PROC_NULL, -1, MPI_COMM_NULL);
  if (begin_ && result_ == MPI_SUCCESS) midrun_call_started(request_f, sizeof (MPI_Fint), 1);
}

void mpi_startall_f08_(void *count_f, void *array_of_requests_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_startall_f08_", "pmpi_startall_f08_");
  if (midrun_passes(CALL_Startall)) { ((void (*)(void *, void *, void *))real)(count_f, array_of_requests_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Startall, 0, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  int started_ = LOCAL;
  ((void (*)(void *, void *, void *))real)(count_f, array_of_requests_f, ierr);
  if (!begin_) return;
  int count = *(MPI_Fint *)count_f;
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Startall, 0, begin_, result_, started_, midrun_call_starts(array_of_requests_f, sizeof (MPI_Fint), count, &started_), MPI_PROC_NULL, -1, MPI_COMM_NULL);
  if (begin_ && result_ == MPI_SUCCESS) midrun_call_started(array_of_requests_f, sizeof (MPI_Fint), count);
}

void mpi_barrier_f08_(void *comm_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_barrier_f08_", "pmpi_barrier_f08_");
  if (midrun_passes(CALL_Barrier)) { ((void (*)(void *, void *))real)(comm_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Barrier, 1, 1);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *))real)(comm_f, ierr);
  if (!begin_) return;
  MPI_Comm comm = PMPI_Comm_f2c(*(MPI_Fint *)comm_f);
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Barrier, 1, begin_, result_, COLLECTIVE, 0, MPI_PROC_NULL, -1, comm);
}

#if defined OPEN_MPI
void mpi_bcast_f08_(void *buffer_f, void *count_f, void *datatype_f, void *root_f, void *comm_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_bcast_f08_", "pmpi_bcast_f08_");
  if (midrun_passes(CALL_Bcast)) { ((void (*)(void *, void *, void *, void *, void *, void *))real)(buffer_f, count_f, datatype_f, root_f, comm_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Bcast, 1, 1);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *, void *, void *))real)(buffer_f, count_f, datatype_f, root_f, comm_f, ierr);
  if (!begin_) return;
  int count = *(MPI_Fint *)count_f;
  MPI_Datatype datatype = PMPI_Type_f2c(*(MPI_Fint *)datatype_f);
  int root = *(MPI_Fint *)root_f;
  MPI_Comm comm = PMPI_Comm_f2c(*(MPI_Fint *)comm_f);
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Bcast, 1, begin_, result_, COLLECTIVE, rooted(root, count, datatype, comm), MPI_PROC_NULL, -1, comm);
}
#endif

#if defined OPEN_MPI
void mpi_gather_f08_(void *sendbuf_f, void *sendcount_f, void *sendtype_f, void *recvbuf_f, void *recvcount_f, void *recvtype_f, void *root_f, void *comm_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_gather_f08_", "pmpi_gather_f08_");
  if (midrun_passes(CALL_Gather)) { ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *, void *))real)(sendbuf_f, sendcount_f, sendtype_f, recvbuf_f, recvcount_f, recvtype_f, root_f, comm_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Gather, 1, 1);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *, void *))real)(sendbuf_f, sendcount_f, sendtype_f, recvbuf_f, recvcount_f, recvtype_f, root_f, comm_f, ierr);
  if (!begin_) return;
  const void *sendbuf = fortran_buffer(sendbuf_f);
  int sendcount = *(MPI_Fint *)sendcount_f;
  MPI_Datatype sendtype = PMPI_Type_f2c(*(MPI_Fint *)sendtype_f);
  int recvcount = *(MPI_Fint *)recvcount_f;
  MPI_Datatype recvtype = PMPI_Type_f2c(*(MPI_Fint *)recvtype_f);
  int root = *(MPI_Fint *)root_f;
  MPI_Comm comm = PMPI_Comm_f2c(*(MPI_Fint *)comm_f);
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Gather, 1, begin_, result_, COLLECTIVE, gathered(sendbuf, sendcount, sendtype, recvcount, recvtype, root, comm), MPI_PROC_NULL, -1, comm);
}
#endif

#if defined OPEN_MPI
void mpi_gatherv_f08_(void *sendbuf_f, void *sendcount_f, void *sendtype_f, void *recvbuf_f, void *recvcounts_f, void *displs_f, void *recvtype_f, void *root_f, void *comm_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_gatherv_f08_", "pmpi_gatherv_f08_");
  if (midrun_passes(CALL_Gatherv)) { ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *, void *, void *))real)(sendbuf_f, sendcount_f, sendtype_f, recvbuf_f, recvcounts_f, displs_f, recvtype_f, root_f, comm_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Gatherv, 1, 1);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *, void *, void *))real)(sendbuf_f, sendcount_f, sendtype_f, recvbuf_f, recvcounts_f, displs_f, recvtype_f, root_f, comm_f, ierr);
  if (!begin_) return;
  const void *sendbuf = fortran_buffer(sendbuf_f);
  int sendcount = *(MPI_Fint *)sendcount_f;
  MPI_Datatype sendtype = PMPI_Type_f2c(*(MPI_Fint *)sendtype_f);
  const MPI_Fint *recvcounts = recvcounts_f;
  MPI_Datatype recvtype = PMPI_Type_f2c(*(MPI_Fint *)recvtype_f);
  int root = *(MPI_Fint *)root_f;
  MPI_Comm comm = PMPI_Comm_f2c(*(MPI_Fint *)comm_f);
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Gatherv, 1, begin_, result_, COLLECTIVE, gathered_v_f(sendbuf, sendcount, sendtype, recvcounts, recvtype, root, comm), MPI_PROC_NULL, -1, comm);
}
#endif

#if defined OPEN_MPI
void mpi_scatter_f08_(void *sendbuf_f, void *sendcount_f, void *sendtype_f, void *recvbuf_f, void *recvcount_f, void *recvtype_f, void *root_f, void *comm_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_scatter_f08_", "pmpi_scatter_f08_");
  if (midrun_passes(CALL_Scatter)) { ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *, void *))real)(sendbuf_f, sendcount_f, sendtype_f, recvbuf_f, recvcount_f, recvtype_f, root_f, comm_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Scatter, 1, 1);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *, void *))real)(sendbuf_f, sendcount_f, sendtype_f, recvbuf_f, recvcount_f, recvtype_f, root_f, comm_f, ierr);
  if (!begin_) return;
  int sendcount = *(MPI_Fint *)sendcount_f;
  MPI_Datatype sendtype = PMPI_Type_f2c(*(MPI_Fint *)sendtype_f);
  const void *recvbuf = fortran_buffer(recvbuf_f);
  int recvcount = *(MPI_Fint *)recvcount_f;
  MPI_Datatype recvtype = PMPI_Type_f2c(*(MPI_Fint *)recvtype_f);
  int root = *(MPI_Fint *)root_f;
  MPI_Comm comm = PMPI_Comm_f2c(*(MPI_Fint *)comm_f);
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Scatter, 1, begin_, result_, COLLECTIVE, scattered(recvbuf, recvcount, recvtype, sendcount, sendtype, root, comm), MPI_PROC_NULL, -1, comm);
}
#endif

#if defined OPEN_MPI
void mpi_scatterv_f08_(void *sendbuf_f, void *sendcounts_f, void *displs_f, void *sendtype_f, void *recvbuf_f, void *recvcount_f, void *recvtype_f, void *root_f, void *comm_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_scatterv_f08_", "pmpi_scatterv_f08_");
  if (midrun_passes(CALL_Scatterv)) { ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *, void *, void *))real)(sendbuf_f, sendcounts_f, displs_f, sendtype_f, recvbuf_f, recvcount_f, recvtype_f, root_f, comm_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Scatterv, 1, 1);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *, void *, void *))real)(sendbuf_f, sendcounts_f, displs_f, sendtype_f, recvbuf_f, recvcount_f, recvtype_f, root_f, comm_f, ierr);
  if (!begin_) return;
  const MPI_Fint *sendcounts = sendcounts_f;
  MPI_Datatype sendtype = PMPI_Type_f2c(*(MPI_Fint *)sendtype_f);
  const void *recvbuf = fortran_buffer(recvbuf_f);
  int recvcount = *(MPI_Fint *)recvcount_f;
  MPI_Datatype recvtype = PMPI_Type_f2c(*(MPI_Fint *)recvtype_f);
  int root = *(MPI_Fint *)root_f;
  MPI_Comm comm = PMPI_Comm_f2c(*(MPI_Fint *)comm_f);
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Scatterv, 1, begin_, result_, COLLECTIVE, scattered_v_f(recvbuf, recvcount, recvtype, sendcounts, sendtype, root, comm), MPI_PROC_NULL, -1, comm);
}
#endif

#if defined OPEN_MPI
void mpi_allgather_f08_(void *sendbuf_f, void *sendcount_f, void *sendtype_f, void *recvbuf_f, void *recvcount_f, void *recvtype_f, void *comm_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_allgather_f08_", "pmpi_allgather_f08_");
  if (midrun_passes(CALL_Allgather)) { ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *))real)(sendbuf_f, sendcount_f, sendtype_f, recvbuf_f, recvcount_f, recvtype_f, comm_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Allgather, 1, 1);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *))real)(sendbuf_f, sendcount_f, sendtype_f, recvbuf_f, recvcount_f, recvtype_f, comm_f, ierr);
  if (!begin_) return;
  const void *sendbuf = fortran_buffer(sendbuf_f);
  int sendcount = *(MPI_Fint *)sendcount_f;
  MPI_Datatype sendtype = PMPI_Type_f2c(*(MPI_Fint *)sendtype_f);
  int recvcount = *(MPI_Fint *)recvcount_f;
  MPI_Datatype recvtype = PMPI_Type_f2c(*(MPI_Fint *)recvtype_f);
  MPI_Comm comm = PMPI_Comm_f2c(*(MPI_Fint *)comm_f);
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Allgather, 1, begin_, result_, COLLECTIVE, own(sendbuf, sendcount, sendtype, recvcount, recvtype), MPI_PROC_NULL, -1, comm);
}
#endif

#if defined OPEN_MPI
void mpi_allgatherv_f08_(void *sendbuf_f, void *sendcount_f, void *sendtype_f, void *recvbuf_f, void *recvcounts_f, void *displs_f, void *recvtype_f, void *comm_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_allgatherv_f08_", "pmpi_allgatherv_f08_");
  if (midrun_passes(CALL_Allgatherv)) { ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *, void *))real)(sendbuf_f, sendcount_f, sendtype_f, recvbuf_f, recvcounts_f, displs_f, recvtype_f, comm_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Allgatherv, 1, 1);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *, void *))real)(sendbuf_f, sendcount_f, sendtype_f, recvbuf_f, recvcounts_f, displs_f, recvtype_f, comm_f, ierr);
  if (!begin_) return;
  const void *sendbuf = fortran_buffer(sendbuf_f);
  int sendcount = *(MPI_Fint *)sendcount_f;
  MPI_Datatype sendtype = PMPI_Type_f2c(*(MPI_Fint *)sendtype_f);
  const MPI_Fint *recvcounts = recvcounts_f;
  MPI_Datatype recvtype = PMPI_Type_f2c(*(MPI_Fint *)recvtype_f);
  MPI_Comm comm = PMPI_Comm_f2c(*(MPI_Fint *)comm_f);
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Allgatherv, 1, begin_, result_, COLLECTIVE, own_v_f(sendbuf, sendcount, sendtype, recvcounts, recvtype, comm), MPI_PROC_NULL, -1, comm);
}
#endif

#if defined OPEN_MPI
void mpi_alltoall_f08_(void *sendbuf_f, void *sendcount_f, void *sendtype_f, void *recvbuf_f, void *recvcount_f, void *recvtype_f, void *comm_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_alltoall_f08_", "pmpi_alltoall_f08_");
  if (midrun_passes(CALL_Alltoall)) { ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *))real)(sendbuf_f, sendcount_f, sendtype_f, recvbuf_f, recvcount_f, recvtype_f, comm_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Alltoall, 1, 1);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *))real)(sendbuf_f, sendcount_f, sendtype_f, recvbuf_f, recvcount_f, recvtype_f, comm_f, ierr);
  if (!begin_) return;
  const void *sendbuf = fortran_buffer(sendbuf_f);
  int sendcount = *(MPI_Fint *)sendcount_f;
  MPI_Datatype sendtype = PMPI_Type_f2c(*(MPI_Fint *)sendtype_f);
  int recvcount = *(MPI_Fint *)recvcount_f;
  MPI_Datatype recvtype = PMPI_Type_f2c(*(MPI_Fint *)recvtype_f);
  MPI_Comm comm = PMPI_Comm_f2c(*(MPI_Fint *)comm_f);
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Alltoall, 1, begin_, result_, COLLECTIVE, own(sendbuf, sendcount, sendtype, recvcount, recvtype) * peers(comm), MPI_PROC_NULL, -1, comm);
}
#endif

#if defined OPEN_MPI
void mpi_alltoallv_f08_(void *sendbuf_f, void *sendcounts_f, void *sdispls_f, void *sendtype_f, void *recvbuf_f, void *recvcounts_f, void *rdispls_f, void *recvtype_f, void *comm_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_alltoallv_f08_", "pmpi_alltoallv_f08_");
  if (midrun_passes(CALL_Alltoallv)) { ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *, void *, void *))real)(sendbuf_f, sendcounts_f, sdispls_f, sendtype_f, recvbuf_f, recvcounts_f, rdispls_f, recvtype_f, comm_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Alltoallv, 1, 1);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *, void *, void *))real)(sendbuf_f, sendcounts_f, sdispls_f, sendtype_f, recvbuf_f, recvcounts_f, rdispls_f, recvtype_f, comm_f, ierr);
  if (!begin_) return;
  const void *sendbuf = fortran_buffer(sendbuf_f);
  const MPI_Fint *sendcounts = sendcounts_f;
  MPI_Datatype sendtype = PMPI_Type_f2c(*(MPI_Fint *)sendtype_f);
  const MPI_Fint *recvcounts = recvcounts_f;
  MPI_Datatype recvtype = PMPI_Type_f2c(*(MPI_Fint *)recvtype_f);
  MPI_Comm comm = PMPI_Comm_f2c(*(MPI_Fint *)comm_f);
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Alltoallv, 1, begin_, result_, COLLECTIVE, own_all_v_f(sendbuf, sendcounts, sendtype, recvcounts, recvtype, peers(comm)), MPI_PROC_NULL, -1, comm);
}
#endif

#if defined OPEN_MPI
void mpi_alltoallw_f08_(void *sendbuf_f, void *sendcounts_f, void *sdispls_f, void *sendtypes_f, void *recvbuf_f, void *recvcounts_f, void *rdispls_f, void *recvtypes_f, void *comm_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_alltoallw_f08_", "pmpi_alltoallw_f08_");
  if (midrun_passes(CALL_Alltoallw)) { ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *, void *, void *))real)(sendbuf_f, sendcounts_f, sdispls_f, sendtypes_f, recvbuf_f, recvcounts_f, rdispls_f, recvtypes_f, comm_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Alltoallw, 1, 1);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *, void *, void *))real)(sendbuf_f, sendcounts_f, sdispls_f, sendtypes_f, recvbuf_f, recvcounts_f, rdispls_f, recvtypes_f, comm_f, ierr);
  if (!begin_) return;
  const void *sendbuf = fortran_buffer(sendbuf_f);
  const MPI_Fint *sendcounts = sendcounts_f;
  const MPI_Fint *sendtypes = sendtypes_f;
  const MPI_Fint *recvcounts = recvcounts_f;
  const MPI_Fint *recvtypes = recvtypes_f;
  MPI_Comm comm = PMPI_Comm_f2c(*(MPI_Fint *)comm_f);
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Alltoallw, 1, begin_, result_, COLLECTIVE, own_all_w_f(sendbuf, sendcounts, sendtypes, recvcounts, recvtypes, peers(comm)), MPI_PROC_NULL, -1, comm);
}
#endif

#if defined OPEN_MPI
void mpi_reduce_f08_(void *sendbuf_f, void *recvbuf_f, void *count_f, void *datatype_f, void *op_f, void *root_f, void *comm_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_reduce_f08_", "pmpi_reduce_f08_");
  if (midrun_passes(CALL_Reduce)) { ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *))real)(sendbuf_f, recvbuf_f, count_f, datatype_f, op_f, root_f, comm_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Reduce, 1, 1);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *))real)(sendbuf_f, recvbuf_f, count_f, datatype_f, op_f, root_f, comm_f, ierr);
  if (!begin_) return;
  int count = *(MPI_Fint *)count_f;
  MPI_Datatype datatype = PMPI_Type_f2c(*(MPI_Fint *)datatype_f);
  int root = *(MPI_Fint *)root_f;
  MPI_Comm comm = PMPI_Comm_f2c(*(MPI_Fint *)comm_f);
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Reduce, 1, begin_, result_, COLLECTIVE, rooted(root, count, datatype, comm), MPI_PROC_NULL, -1, comm);
}
#endif

#if defined OPEN_MPI
void mpi_allreduce_f08_(void *sendbuf_f, void *recvbuf_f, void *count_f, void *datatype_f, void *op_f, void *comm_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_allreduce_f08_", "pmpi_allreduce_f08_");
  if (midrun_passes(CALL_Allreduce)) { ((void (*)(void *, void *, void *, void *, void *, void *, void *))real)(sendbuf_f, recvbuf_f, count_f, datatype_f, op_f, comm_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Allreduce, 1, 1);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *, void *, void *, void *))real)(sendbuf_f, recvbuf_f, count_f, datatype_f, op_f, comm_f, ierr);
  if (!begin_) return;
  int count = *(MPI_Fint *)count_f;
  MPI_Datatype datatype = PMPI_Type_f2c(*(MPI_Fint *)datatype_f);
  MPI_Comm comm = PMPI_Comm_f2c(*(MPI_Fint *)comm_f);
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Allreduce, 1, begin_, result_, COLLECTIVE, block(count, datatype), MPI_PROC_NULL, -1, comm);
}
#endif

#if defined OPEN_MPI
void mpi_reduce_scatter_f08_(void *sendbuf_f, void *recvbuf_f, void *recvcounts_f, void *datatype_f, void *op_f, void *comm_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_reduce_scatter_f08_", "pmpi_reduce_scatter_f08_");
  if (midrun_passes(CALL_Reduce_scatter)) { ((void (*)(void *, void *, void *, void *, void *, void *, void *))real)(sendbuf_f, recvbuf_f, recvcounts_f, datatype_f, op_f, comm_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Reduce_scatter, 1, 1);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *, void *, void *, void *))real)(sendbuf_f, recvbuf_f, recvcounts_f, datatype_f, op_f, comm_f, ierr);
  if (!begin_) return;
  const MPI_Fint *recvcounts = recvcounts_f;
  MPI_Datatype datatype = PMPI_Type_f2c(*(MPI_Fint *)datatype_f);
  MPI_Comm comm = PMPI_Comm_f2c(*(MPI_Fint *)comm_f);
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Reduce_scatter, 1, begin_, result_, COLLECTIVE, all_v_f(recvcounts, datatype, members(comm)), MPI_PROC_NULL, -1, comm);
}
#endif

#if defined OPEN_MPI
void mpi_reduce_scatter_block_f08_(void *sendbuf_f, void *recvbuf_f, void *recvcount_f, void *datatype_f, void *op_f, void *comm_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_reduce_scatter_block_f08_", "pmpi_reduce_scatter_block_f08_");
  if (midrun_passes(CALL_Reduce_scatter_block)) { ((void (*)(void *, void *, void *, void *, void *, void *, void *))real)(sendbuf_f, recvbuf_f, recvcount_f, datatype_f, op_f, comm_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Reduce_scatter_block, 1, 1);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *, void *, void *, void *))real)(sendbuf_f, recvbuf_f, recvcount_f, datatype_f, op_f, comm_f, ierr);
  if (!begin_) return;
  int recvcount = *(MPI_Fint *)recvcount_f;
  MPI_Datatype datatype = PMPI_Type_f2c(*(MPI_Fint *)datatype_f);
  MPI_Comm comm = PMPI_Comm_f2c(*(MPI_Fint *)comm_f);
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Reduce_scatter_block, 1, begin_, result_, COLLECTIVE, block(recvcount, datatype) * members(comm), MPI_PROC_NULL, -1, comm);
}
#endif

#if defined OPEN_MPI
void mpi_scan_f08_(void *sendbuf_f, void *recvbuf_f, void *count_f, void *datatype_f, void *op_f, void *comm_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_scan_f08_", "pmpi_scan_f08_");
  if (midrun_passes(CALL_Scan)) { ((void (*)(void *, void *, void *, void *, void *, void *, void *))real)(sendbuf_f, recvbuf_f, count_f, datatype_f, op_f, comm_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Scan, 1, 1);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *, void *, void *, void *))real)(sendbuf_f, recvbuf_f, count_f, datatype_f, op_f, comm_f, ierr);
  if (!begin_) return;
  int count = *(MPI_Fint *)count_f;
  MPI_Datatype datatype = PMPI_Type_f2c(*(MPI_Fint *)datatype_f);
  MPI_Comm comm = PMPI_Comm_f2c(*(MPI_Fint *)comm_f);
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Scan, 1, begin_, result_, COLLECTIVE, block(count, datatype), MPI_PROC_NULL, -1, comm);
}
#endif

#if defined OPEN_MPI
void mpi_exscan_f08_(void *sendbuf_f, void *recvbuf_f, void *count_f, void *datatype_f, void *op_f, void *comm_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_exscan_f08_", "pmpi_exscan_f08_");
  if (midrun_passes(CALL_Exscan)) { ((void (*)(void *, void *, void *, void *, void *, void *, void *))real)(sendbuf_f, recvbuf_f, count_f, datatype_f, op_f, comm_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Exscan, 1, 1);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *, void *, void *, void *))real)(sendbuf_f, recvbuf_f, count_f, datatype_f, op_f, comm_f, ierr);
  if (!begin_) return;
  int count = *(MPI_Fint *)count_f;
  MPI_Datatype datatype = PMPI_Type_f2c(*(MPI_Fint *)datatype_f);
  MPI_Comm comm = PMPI_Comm_f2c(*(MPI_Fint *)comm_f);
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Exscan, 1, begin_, result_, COLLECTIVE, block(count, datatype), MPI_PROC_NULL, -1, comm);
}
#endif

#if defined OPEN_MPI
void mpi_neighbor_allgather_f08_(void *sendbuf_f, void *sendcount_f, void *sendtype_f, void *recvbuf_f, void *recvcount_f, void *recvtype_f, void *comm_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_neighbor_allgather_f08_", "pmpi_neighbor_allgather_f08_");
  if (midrun_passes(CALL_Neighbor_allgather)) { ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *))real)(sendbuf_f, sendcount_f, sendtype_f, recvbuf_f, recvcount_f, recvtype_f, comm_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Neighbor_allgather, 1, 1);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *))real)(sendbuf_f, sendcount_f, sendtype_f, recvbuf_f, recvcount_f, recvtype_f, comm_f, ierr);
  if (!begin_) return;
  int sendcount = *(MPI_Fint *)sendcount_f;
  MPI_Datatype sendtype = PMPI_Type_f2c(*(MPI_Fint *)sendtype_f);
  MPI_Comm comm = PMPI_Comm_f2c(*(MPI_Fint *)comm_f);
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Neighbor_allgather, 1, begin_, result_, COLLECTIVE, block(sendcount, sendtype), MPI_PROC_NULL, -1, comm);
}
#endif

#if defined OPEN_MPI
void mpi_neighbor_allgatherv_f08_(void *sendbuf_f, void *sendcount_f, void *sendtype_f, void *recvbuf_f, void *recvcounts_f, void *displs_f, void *recvtype_f, void *comm_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_neighbor_allgatherv_f08_", "pmpi_neighbor_allgatherv_f08_");
  if (midrun_passes(CALL_Neighbor_allgatherv)) { ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *, void *))real)(sendbuf_f, sendcount_f, sendtype_f, recvbuf_f, recvcounts_f, displs_f, recvtype_f, comm_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Neighbor_allgatherv, 1, 1);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *, void *))real)(sendbuf_f, sendcount_f, sendtype_f, recvbuf_f, recvcounts_f, displs_f, recvtype_f, comm_f, ierr);
  if (!begin_) return;
  int sendcount = *(MPI_Fint *)sendcount_f;
  MPI_Datatype sendtype = PMPI_Type_f2c(*(MPI_Fint *)sendtype_f);
  MPI_Comm comm = PMPI_Comm_f2c(*(MPI_Fint *)comm_f);
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Neighbor_allgatherv, 1, begin_, result_, COLLECTIVE, block(sendcount, sendtype), MPI_PROC_NULL, -1, comm);
}
#endif

#if defined OPEN_MPI
void mpi_neighbor_alltoall_f08_(void *sendbuf_f, void *sendcount_f, void *sendtype_f, void *recvbuf_f, void *recvcount_f, void *recvtype_f, void *comm_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_neighbor_alltoall_f08_", "pmpi_neighbor_alltoall_f08_");
  if (midrun_passes(CALL_Neighbor_alltoall)) { ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *))real)(sendbuf_f, sendcount_f, sendtype_f, recvbuf_f, recvcount_f, recvtype_f, comm_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Neighbor_alltoall, 1, 1);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *))real)(sendbuf_f, sendcount_f, sendtype_f, recvbuf_f, recvcount_f, recvtype_f, comm_f, ierr);
  if (!begin_) return;
  int sendcount = *(MPI_Fint *)sendcount_f;
  MPI_Datatype sendtype = PMPI_Type_f2c(*(MPI_Fint *)sendtype_f);
  MPI_Comm comm = PMPI_Comm_f2c(*(MPI_Fint *)comm_f);
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Neighbor_alltoall, 1, begin_, result_, COLLECTIVE, block(sendcount, sendtype) * neighbours(comm), MPI_PROC_NULL, -1, comm);
}
#endif

#if defined OPEN_MPI
void mpi_neighbor_alltoallv_f08_(void *sendbuf_f, void *sendcounts_f, void *sdispls_f, void *sendtype_f, void *recvbuf_f, void *recvcounts_f, void *rdispls_f, void *recvtype_f, void *comm_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_neighbor_alltoallv_f08_", "pmpi_neighbor_alltoallv_f08_");
  if (midrun_passes(CALL_Neighbor_alltoallv)) { ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *, void *, void *))real)(sendbuf_f, sendcounts_f, sdispls_f, sendtype_f, recvbuf_f, recvcounts_f, rdispls_f, recvtype_f, comm_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Neighbor_alltoallv, 1, 1);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *, void *, void *))real)(sendbuf_f, sendcounts_f, sdispls_f, sendtype_f, recvbuf_f, recvcounts_f, rdispls_f, recvtype_f, comm_f, ierr);
  if (!begin_) return;
  const MPI_Fint *sendcounts = sendcounts_f;
  MPI_Datatype sendtype = PMPI_Type_f2c(*(MPI_Fint *)sendtype_f);
  MPI_Comm comm = PMPI_Comm_f2c(*(MPI_Fint *)comm_f);
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Neighbor_alltoallv, 1, begin_, result_, COLLECTIVE, all_v_f(sendcounts, sendtype, neighbours(comm)), MPI_PROC_NULL, -1, comm);
}
#endif

#if defined OPEN_MPI
void mpi_neighbor_alltoallw_f08_(void *sendbuf_f, void *sendcounts_f, void *sdispls_f, void *sendtypes_f, void *recvbuf_f, void *recvcounts_f, void *rdispls_f, void *recvtypes_f, void *comm_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_neighbor_alltoallw_f08_", "pmpi_neighbor_alltoallw_f08_");
  if (midrun_passes(CALL_Neighbor_alltoallw)) { ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *, void *, void *))real)(sendbuf_f, sendcounts_f, sdispls_f, sendtypes_f, recvbuf_f, recvcounts_f, rdispls_f, recvtypes_f, comm_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Neighbor_alltoallw, 1, 1);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *, void *, void *))real)(sendbuf_f, sendcounts_f, sdispls_f, sendtypes_f, recvbuf_f, recvcounts_f, rdispls_f, recvtypes_f, comm_f, ierr);
  if (!begin_) return;
  const MPI_Fint *sendcounts = sendcounts_f;
  const MPI_Fint *sendtypes = sendtypes_f;
  MPI_Comm comm = PMPI_Comm_f2c(*(MPI_Fint *)comm_f);
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Neighbor_alltoallw, 1, begin_, result_, COLLECTIVE, all_w_f(sendcounts, sendtypes, neighbours(comm)), MPI_PROC_NULL, -1, comm);
}
#endif

void mpi_ibarrier_f08_(void *comm_f, void *request_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_ibarrier_f08_", "pmpi_ibarrier_f08_");
  if (midrun_passes(CALL_Ibarrier)) { ((void (*)(void *, void *, void *))real)(comm_f, request_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Ibarrier, 0, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *))real)(comm_f, request_f, ierr);
  if (!begin_) return;
  MPI_Comm comm = PMPI_Comm_f2c(*(MPI_Fint *)comm_f);
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Ibarrier, 0, begin_, result_, COLLECTIVE, 0, MPI_PROC_NULL, -1, comm);
}

#if defined OPEN_MPI
void mpi_ibcast_f08_(void *buffer_f, void *count_f, void *datatype_f, void *root_f, void *comm_f, void *request_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_ibcast_f08_", "pmpi_ibcast_f08_");
  if (midrun_passes(CALL_Ibcast)) { ((void (*)(void *, void *, void *, void *, void *, void *, void *))real)(buffer_f, count_f, datatype_f, root_f, comm_f, request_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Ibcast, 0, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *, void *, void *, void *))real)(buffer_f, count_f, datatype_f, root_f, comm_f, request_f, ierr);
  if (!begin_) return;
  int count = *(MPI_Fint *)count_f;
  MPI_Datatype datatype = PMPI_Type_f2c(*(MPI_Fint *)datatype_f);
  int root = *(MPI_Fint *)root_f;
  MPI_Comm comm = PMPI_Comm_f2c(*(MPI_Fint *)comm_f);
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Ibcast, 0, begin_, result_, COLLECTIVE, rooted(root, count, datatype, comm), MPI_PROC_NULL, -1, comm);
}
#endif

#if defined OPEN_MPI
void mpi_igather_f08_(void *sendbuf_f, void *sendcount_f, void *sendtype_f, void *recvbuf_f, void *recvcount_f, void *recvtype_f, void *root_f, void *comm_f, void *request_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_igather_f08_", "pmpi_igather_f08_");
  if (midrun_passes(CALL_Igather)) { ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *, void *, void *))real)(sendbuf_f, sendcount_f, sendtype_f, recvbuf_f, recvcount_f, recvtype_f, root_f, comm_f, request_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Igather, 0, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *, void *, void *))real)(sendbuf_f, sendcount_f, sendtype_f, recvbuf_f, recvcount_f, recvtype_f, root_f, comm_f, request_f, ierr);
  if (!begin_) return;
  const void *sendbuf = fortran_buffer(sendbuf_f);
  int sendcount = *(MPI_Fint *)sendcount_f;
  MPI_Datatype sendtype = PMPI_Type_f2c(*(MPI_Fint *)sendtype_f);
  int recvcount = *(MPI_Fint *)recvcount_f;
  MPI_Datatype recvtype = PMPI_Type_f2c(*(MPI_Fint *)recvtype_f);
  int root = *(MPI_Fint *)root_f;
  MPI_Comm comm = PMPI_Comm_f2c(*(MPI_Fint *)comm_f);
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Igather, 0, begin_, result_, COLLECTIVE, gathered(sendbuf, sendcount, sendtype, recvcount, recvtype, root, comm), MPI_PROC_NULL, -1, comm);
}
#endif

#if defined OPEN_MPI
void mpi_igatherv_f08_(void *sendbuf_f, void *sendcount_f, void *sendtype_f, void *recvbuf_f, void *recvcounts_f, void *displs_f, void *recvtype_f, void *root_f, void *comm_f, void *request_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_igatherv_f08_", "pmpi_igatherv_f08_");
  if (midrun_passes(CALL_Igatherv)) { ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *))real)(sendbuf_f, sendcount_f, sendtype_f, recvbuf_f, recvcounts_f, displs_f, recvtype_f, root_f, comm_f, request_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Igatherv, 0, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *))real)(sendbuf_f, sendcount_f, sendtype_f, recvbuf_f, recvcounts_f, displs_f, recvtype_f, root_f, comm_f, request_f, ierr);
  if (!begin_) return;
  const void *sendbuf = fortran_buffer(sendbuf_f);
  int sendcount = *(MPI_Fint *)sendcount_f;
  MPI_Datatype sendtype = PMPI_Type_f2c(*(MPI_Fint *)sendtype_f);
  const MPI_Fint *recvcounts = recvcounts_f;
  MPI_Datatype recvtype = PMPI_Type_f2c(*(MPI_Fint *)recvtype_f);
  int root = *(MPI_Fint *)root_f;
  MPI_Comm comm = PMPI_Comm_f2c(*(MPI_Fint *)comm_f);
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Igatherv, 0, begin_, result_, COLLECTIVE, gathered_v_f(sendbuf, sendcount, sendtype, recvcounts, recvtype, root, comm), MPI_PROC_NULL, -1, comm);
}
#endif

#if defined OPEN_MPI
void mpi_iscatter_f08_(void *sendbuf_f, void *sendcount_f, void *sendtype_f, void *recvbuf_f, void *recvcount_f, void *recvtype_f, void *root_f, void *comm_f, void *request_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_iscatter_f08_", "pmpi_iscatter_f08_");
  if (midrun_passes(CALL_Iscatter)) { ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *, void *, void *))real)(sendbuf_f, sendcount_f, sendtype_f, recvbuf_f, recvcount_f, recvtype_f, root_f, comm_f, request_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Iscatter, 0, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *, void *, void *))real)(sendbuf_f, sendcount_f, sendtype_f, recvbuf_f, recvcount_f, recvtype_f, root_f, comm_f, request_f, ierr);
  if (!begin_) return;
  int sendcount = *(MPI_Fint *)sendcount_f;
  MPI_Datatype sendtype = PMPI_Type_f2c(*(MPI_Fint *)sendtype_f);
  const void *recvbuf = fortran_buffer(recvbuf_f);
  int recvcount = *(MPI_Fint *)recvcount_f;
  MPI_Datatype recvtype = PMPI_Type_f2c(*(MPI_Fint *)recvtype_f);
  int root = *(MPI_Fint *)root_f;
  MPI_Comm comm = PMPI_Comm_f2c(*(MPI_Fint *)comm_f);
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Iscatter, 0, begin_, result_, COLLECTIVE, scattered(recvbuf, recvcount, recvtype, sendcount, sendtype, root, comm), MPI_PROC_NULL, -1, comm);
}
#endif

#if defined OPEN_MPI
void mpi_iscatterv_f08_(void *sendbuf_f, void *sendcounts_f, void *displs_f, void *sendtype_f, void *recvbuf_f, void *recvcount_f, void *recvtype_f, void *root_f, void *comm_f, void *request_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_iscatterv_f08_", "pmpi_iscatterv_f08_");
  if (midrun_passes(CALL_Iscatterv)) { ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *))real)(sendbuf_f, sendcounts_f, displs_f, sendtype_f, recvbuf_f, recvcount_f, recvtype_f, root_f, comm_f, request_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Iscatterv, 0, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *))real)(sendbuf_f, sendcounts_f, displs_f, sendtype_f, recvbuf_f, recvcount_f, recvtype_f, root_f, comm_f, request_f, ierr);
  if (!begin_) return;
  const MPI_Fint *sendcounts = sendcounts_f;
  MPI_Datatype sendtype = PMPI_Type_f2c(*(MPI_Fint *)sendtype_f);
  const void *recvbuf = fortran_buffer(recvbuf_f);
  int recvcount = *(MPI_Fint *)recvcount_f;
  MPI_Datatype recvtype = PMPI_Type_f2c(*(MPI_Fint *)recvtype_f);
  int root = *(MPI_Fint *)root_f;
  MPI_Comm comm = PMPI_Comm_f2c(*(MPI_Fint *)comm_f);
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Iscatterv, 0, begin_, result_, COLLECTIVE, scattered_v_f(recvbuf, recvcount, recvtype, sendcounts, sendtype, root, comm), MPI_PROC_NULL, -1, comm);
}
#endif

#if defined OPEN_MPI
void mpi_iallgather_f08_(void *sendbuf_f, void *sendcount_f, void *sendtype_f, void *recvbuf_f, void *recvcount_f, void *recvtype_f, void *comm_f, void *request_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_iallgather_f08_", "pmpi_iallgather_f08_");
  if (midrun_passes(CALL_Iallgather)) { ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *, void *))real)(sendbuf_f, sendcount_f, sendtype_f, recvbuf_f, recvcount_f, recvtype_f, comm_f, request_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Iallgather, 0, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *, void *))real)(sendbuf_f, sendcount_f, sendtype_f, recvbuf_f, recvcount_f, recvtype_f, comm_f, request_f, ierr);
  if (!begin_) return;
  const void *sendbuf = fortran_buffer(sendbuf_f);
  int sendcount = *(MPI_Fint *)sendcount_f;
  MPI_Datatype sendtype = PMPI_Type_f2c(*(MPI_Fint *)sendtype_f);
  int recvcount = *(MPI_Fint *)recvcount_f;
  MPI_Datatype recvtype = PMPI_Type_f2c(*(MPI_Fint *)recvtype_f);
  MPI_Comm comm = PMPI_Comm_f2c(*(MPI_Fint *)comm_f);
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Iallgather, 0, begin_, result_, COLLECTIVE, own(sendbuf, sendcount, sendtype, recvcount, recvtype), MPI_PROC_NULL, -1, comm);
}
#endif

#if defined OPEN_MPI
void mpi_iallgatherv_f08_(void *sendbuf_f, void *sendcount_f, void *sendtype_f, void *recvbuf_f, void *recvcounts_f, void *displs_f, void *recvtype_f, void *comm_f, void *request_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_iallgatherv_f08_", "pmpi_iallgatherv_f08_");
  if (midrun_passes(CALL_Iallgatherv)) { ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *, void *, void *))real)(sendbuf_f, sendcount_f, sendtype_f, recvbuf_f, recvcounts_f, displs_f, recvtype_f, comm_f, request_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Iallgatherv, 0, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *, void *, void *))real)(sendbuf_f, sendcount_f, sendtype_f, recvbuf_f, recvcounts_f, displs_f, recvtype_f, comm_f, request_f, ierr);
  if (!begin_) return;
  const void *sendbuf = fortran_buffer(sendbuf_f);
  int sendcount = *(MPI_Fint *)sendcount_f;
  MPI_Datatype sendtype = PMPI_Type_f2c(*(MPI_Fint *)sendtype_f);
  const MPI_Fint *recvcounts = recvcounts_f;
  MPI_Datatype recvtype = PMPI_Type_f2c(*(MPI_Fint *)recvtype_f);
  MPI_Comm comm = PMPI_Comm_f2c(*(MPI_Fint *)comm_f);
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Iallgatherv, 0, begin_, result_, COLLECTIVE, own_v_f(sendbuf, sendcount, sendtype, recvcounts, recvtype, comm), MPI_PROC_NULL, -1, comm);
}
#endif

#if defined OPEN_MPI
void mpi_ialltoall_f08_(void *sendbuf_f, void *sendcount_f, void *sendtype_f, void *recvbuf_f, void *recvcount_f, void *recvtype_f, void *comm_f, void *request_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_ialltoall_f08_", "pmpi_ialltoall_f08_");
  if (midrun_passes(CALL_Ialltoall)) { ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *, void *))real)(sendbuf_f, sendcount_f, sendtype_f, recvbuf_f, recvcount_f, recvtype_f, comm_f, request_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Ialltoall, 0, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *, void *))real)(sendbuf_f, sendcount_f, sendtype_f, recvbuf_f, recvcount_f, recvtype_f, comm_f, request_f, ierr);
  if (!begin_) return;
  const void *sendbuf = fortran_buffer(sendbuf_f);
  int sendcount = *(MPI_Fint *)sendcount_f;
  MPI_Datatype sendtype = PMPI_Type_f2c(*(MPI_Fint *)sendtype_f);
  int recvcount = *(MPI_Fint *)recvcount_f;
  MPI_Datatype recvtype = PMPI_Type_f2c(*(MPI_Fint *)recvtype_f);
  MPI_Comm comm = PMPI_Comm_f2c(*(MPI_Fint *)comm_f);
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Ialltoall, 0, begin_, result_, COLLECTIVE, own(sendbuf, sendcount, sendtype, recvcount, recvtype) * peers(comm), MPI_PROC_NULL, -1, comm);
}
#endif

#if defined OPEN_MPI
void mpi_ialltoallv_f08_(void *sendbuf_f, void *sendcounts_f, void *sdispls_f, void *sendtype_f, void *recvbuf_f, void *recvcounts_f, void *rdispls_f, void *recvtype_f, void *comm_f, void *request_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_ialltoallv_f08_", "pmpi_ialltoallv_f08_");
  if (midrun_passes(CALL_Ialltoallv)) { ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *))real)(sendbuf_f, sendcounts_f, sdispls_f, sendtype_f, recvbuf_f, recvcounts_f, rdispls_f, recvtype_f, comm_f, request_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Ialltoallv, 0, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *))real)(sendbuf_f, sendcounts_f, sdispls_f, sendtype_f, recvbuf_f, recvcounts_f, rdispls_f, recvtype_f, comm_f, request_f, ierr);
  if (!begin_) return;
  const void *sendbuf = fortran_buffer(sendbuf_f);
  const MPI_Fint *sendcounts = sendcounts_f;
  MPI_Datatype sendtype = PMPI_Type_f2c(*(MPI_Fint *)sendtype_f);
  const MPI_Fint *recvcounts = recvcounts_f;
  MPI_Datatype recvtype = PMPI_Type_f2c(*(MPI_Fint *)recvtype_f);
  MPI_Comm comm = PMPI_Comm_f2c(*(MPI_Fint *)comm_f);
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Ialltoallv, 0, begin_, result_, COLLECTIVE, own_all_v_f(sendbuf, sendcounts, sendtype, recvcounts, recvtype, peers(comm)), MPI_PROC_NULL, -1, comm);
}
#endif

#if defined OPEN_MPI
void mpi_ialltoallw_f08_(void *sendbuf_f, void *sendcounts_f, void *sdispls_f, void *sendtypes_f, void *recvbuf_f, void *recvcounts_f, void *rdispls_f, void *recvtypes_f, void *comm_f, void *request_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_ialltoallw_f08_", "pmpi_ialltoallw_f08_");
  if (midrun_passes(CALL_Ialltoallw)) { ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *))real)(sendbuf_f, sendcounts_f, sdispls_f, sendtypes_f, recvbuf_f, recvcounts_f, rdispls_f, recvtypes_f, comm_f, request_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Ialltoallw, 0, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *))real)(sendbuf_f, sendcounts_f, sdispls_f, sendtypes_f, recvbuf_f, recvcounts_f, rdispls_f, recvtypes_f, comm_f, request_f, ierr);
  if (!begin_) return;
  const void *sendbuf = fortran_buffer(sendbuf_f);
  const MPI_Fint *sendcounts = sendcounts_f;
  const MPI_Fint *sendtypes = sendtypes_f;
  const MPI_Fint *recvcounts = recvcounts_f;
  const MPI_Fint *recvtypes = recvtypes_f;
  MPI_Comm comm = PMPI_Comm_f2c(*(MPI_Fint *)comm_f);
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Ialltoallw, 0, begin_, result_, COLLECTIVE, own_all_w_f(sendbuf, sendcounts, sendtypes, recvcounts, recvtypes, peers(comm)), MPI_PROC_NULL, -1, comm);
}
#endif

#if defined OPEN_MPI
void mpi_ireduce_f08_(void *sendbuf_f, void *recvbuf_f, void *count_f, void *datatype_f, void *op_f, void *root_f, void *comm_f, void *request_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_ireduce_f08_", "pmpi_ireduce_f08_");
  if (midrun_passes(CALL_Ireduce)) { ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *, void *))real)(sendbuf_f, recvbuf_f, count_f, datatype_f, op_f, root_f, comm_f, request_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Ireduce, 0, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *, void *))real)(sendbuf_f, recvbuf_f, count_f, datatype_f, op_f, root_f, comm_f, request_f, ierr);
  if (!begin_) return;
  int count = *(MPI_Fint *)count_f;
  MPI_Datatype datatype = PMPI_Type_f2c(*(MPI_Fint *)datatype_f);
  int root = *(MPI_Fint *)root_f;
  MPI_Comm comm = PMPI_Comm_f2c(*(MPI_Fint *)comm_f);
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Ireduce, 0, begin_, result_, COLLECTIVE, rooted(root, count, datatype, comm), MPI_PROC_NULL, -1, comm);
}
#endif

#if defined OPEN_MPI
void mpi_iallreduce_f08_(void *sendbuf_f, void *recvbuf_f, void *count_f, void *datatype_f, void *op_f, void *comm_f, void *request_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_iallreduce_f08_", "pmpi_iallreduce_f08_");
  if (midrun_passes(CALL_Iallreduce)) { ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *))real)(sendbuf_f, recvbuf_f, count_f, datatype_f, op_f, comm_f, request_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Iallreduce, 0, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *))real)(sendbuf_f, recvbuf_f, count_f, datatype_f, op_f, comm_f, request_f, ierr);
  if (!begin_) return;
  int count = *(MPI_Fint *)count_f;
  MPI_Datatype datatype = PMPI_Type_f2c(*(MPI_Fint *)datatype_f);
  MPI_Comm comm = PMPI_Comm_f2c(*(MPI_Fint *)comm_f);
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Iallreduce, 0, begin_, result_, COLLECTIVE, block(count, datatype), MPI_PROC_NULL, -1, comm);
}
#endif

#if defined OPEN_MPI
void mpi_ireduce_scatter_f08_(void *sendbuf_f, void *recvbuf_f, void *recvcounts_f, void *datatype_f, void *op_f, void *comm_f, void *request_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_ireduce_scatter_f08_", "pmpi_ireduce_scatter_f08_");
  if (midrun_passes(CALL_Ireduce_scatter)) { ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *))real)(sendbuf_f, recvbuf_f, recvcounts_f, datatype_f, op_f, comm_f, request_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Ireduce_scatter, 0, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *))real)(sendbuf_f, recvbuf_f, recvcounts_f, datatype_f, op_f, comm_f, request_f, ierr);
  if (!begin_) return;
  const MPI_Fint *recvcounts = recvcounts_f;
  MPI_Datatype datatype = PMPI_Type_f2c(*(MPI_Fint *)datatype_f);
  MPI_Comm comm = PMPI_Comm_f2c(*(MPI_Fint *)comm_f);
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Ireduce_scatter, 0, begin_, result_, COLLECTIVE, all_v_f(recvcounts, datatype, members(comm)), MPI_PROC_NULL, -1, comm);
}
#endif

#if defined OPEN_MPI
void mpi_ireduce_scatter_block_f08_(void *sendbuf_f, void *recvbuf_f, void *recvcount_f, void *datatype_f, void *op_f, void *comm_f, void *request_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_ireduce_scatter_block_f08_", "pmpi_ireduce_scatter_block_f08_");
  if (midrun_passes(CALL_Ireduce_scatter_block)) { ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *))real)(sendbuf_f, recvbuf_f, recvcount_f, datatype_f, op_f, comm_f, request_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Ireduce_scatter_block, 0, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *))real)(sendbuf_f, recvbuf_f, recvcount_f, datatype_f, op_f, comm_f, request_f, ierr);
  if (!begin_) return;
  int recvcount = *(MPI_Fint *)recvcount_f;
  MPI_Datatype datatype = PMPI_Type_f2c(*(MPI_Fint *)datatype_f);
  MPI_Comm comm = PMPI_Comm_f2c(*(MPI_Fint *)comm_f);
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Ireduce_scatter_block, 0, begin_, result_, COLLECTIVE, block(recvcount, datatype) * members(comm), MPI_PROC_NULL, -1, comm);
}
#endif

#if defined OPEN_MPI
void mpi_iscan_f08_(void *sendbuf_f, void *recvbuf_f, void *count_f, void *datatype_f, void *op_f, void *comm_f, void *request_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_iscan_f08_", "pmpi_iscan_f08_");
  if (midrun_passes(CALL_Iscan)) { ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *))real)(sendbuf_f, recvbuf_f, count_f, datatype_f, op_f, comm_f, request_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Iscan, 0, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *))real)(sendbuf_f, recvbuf_f, count_f, datatype_f, op_f, comm_f, request_f, ierr);
  if (!begin_) return;
  int count = *(MPI_Fint *)count_f;
  MPI_Datatype datatype = PMPI_Type_f2c(*(MPI_Fint *)datatype_f);
  MPI_Comm comm = PMPI_Comm_f2c(*(MPI_Fint *)comm_f);
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Iscan, 0, begin_, result_, COLLECTIVE, block(count, datatype), MPI_PROC_NULL, -1, comm);
}
#endif

#if defined OPEN_MPI
void mpi_iexscan_f08_(void *sendbuf_f, void *recvbuf_f, void *count_f, void *datatype_f, void *op_f, void *comm_f, void *request_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_iexscan_f08_", "pmpi_iexscan_f08_");
  if (midrun_passes(CALL_Iexscan)) { ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *))real)(sendbuf_f, recvbuf_f, count_f, datatype_f, op_f, comm_f, request_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Iexscan, 0, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *))real)(sendbuf_f, recvbuf_f, count_f, datatype_f, op_f, comm_f, request_f, ierr);
  if (!begin_) return;
  int count = *(MPI_Fint *)count_f;
  MPI_Datatype datatype = PMPI_Type_f2c(*(MPI_Fint *)datatype_f);
  MPI_Comm comm = PMPI_Comm_f2c(*(MPI_Fint *)comm_f);
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Iexscan, 0, begin_, result_, COLLECTIVE, block(count, datatype), MPI_PROC_NULL, -1, comm);
}
#endif

#if defined OPEN_MPI
void mpi_ineighbor_allgather_f08_(void *sendbuf_f, void *sendcount_f, void *sendtype_f, void *recvbuf_f, void *recvcount_f, void *recvtype_f, void *comm_f, void *request_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_ineighbor_allgather_f08_", "pmpi_ineighbor_allgather_f08_");
  if (midrun_passes(CALL_Ineighbor_allgather)) { ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *, void *))real)(sendbuf_f, sendcount_f, sendtype_f, recvbuf_f, recvcount_f, recvtype_f, comm_f, request_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Ineighbor_allgather, 0, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *, void *))real)(sendbuf_f, sendcount_f, sendtype_f, recvbuf_f, recvcount_f, recvtype_f, comm_f, request_f, ierr);
  if (!begin_) return;
  int sendcount = *(MPI_Fint *)sendcount_f;
  MPI_Datatype sendtype = PMPI_Type_f2c(*(MPI_Fint *)sendtype_f);
  MPI_Comm comm = PMPI_Comm_f2c(*(MPI_Fint *)comm_f);
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Ineighbor_allgather, 0, begin_, result_, COLLECTIVE, block(sendcount, sendtype), MPI_PROC_NULL, -1, comm);
}
#endif

#if defined OPEN_MPI
void mpi_ineighbor_allgatherv_f08_(void *sendbuf_f, void *sendcount_f, void *sendtype_f, void *recvbuf_f, void *recvcounts_f, void *displs_f, void *recvtype_f, void *comm_f, void *request_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_ineighbor_allgatherv_f08_", "pmpi_ineighbor_allgatherv_f08_");
  if (midrun_passes(CALL_Ineighbor_allgatherv)) { ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *, void *, void *))real)(sendbuf_f, sendcount_f, sendtype_f, recvbuf_f, recvcounts_f, displs_f, recvtype_f, comm_f, request_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Ineighbor_allgatherv, 0, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *, void *, void *))real)(sendbuf_f, sendcount_f, sendtype_f, recvbuf_f, recvcounts_f, displs_f, recvtype_f, comm_f, request_f, ierr);
  if (!begin_) return;
  int sendcount = *(MPI_Fint *)sendcount_f;
  MPI_Datatype sendtype = PMPI_Type_f2c(*(MPI_Fint *)sendtype_f);
  MPI_Comm comm = PMPI_Comm_f2c(*(MPI_Fint *)comm_f);
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Ineighbor_allgatherv, 0, begin_, result_, COLLECTIVE, block(sendcount, sendtype), MPI_PROC_NULL, -1, comm);
}
#endif

#if defined OPEN_MPI
void mpi_ineighbor_alltoall_f08_(void *sendbuf_f, void *sendcount_f, void *sendtype_f, void *recvbuf_f, void *recvcount_f, void *recvtype_f, void *comm_f, void *request_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_ineighbor_alltoall_f08_", "pmpi_ineighbor_alltoall_f08_");
  if (midrun_passes(CALL_Ineighbor_alltoall)) { ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *, void *))real)(sendbuf_f, sendcount_f, sendtype_f, recvbuf_f, recvcount_f, recvtype_f, comm_f, request_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Ineighbor_alltoall, 0, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *, void *))real)(sendbuf_f, sendcount_f, sendtype_f, recvbuf_f, recvcount_f, recvtype_f, comm_f, request_f, ierr);
  if (!begin_) return;
  int sendcount = *(MPI_Fint *)sendcount_f;
  MPI_Datatype sendtype = PMPI_Type_f2c(*(MPI_Fint *)sendtype_f);
  MPI_Comm comm = PMPI_Comm_f2c(*(MPI_Fint *)comm_f);
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Ineighbor_alltoall, 0, begin_, result_, COLLECTIVE, block(sendcount, sendtype) * neighbours(comm), MPI_PROC_NULL, -1, comm);
}
#endif

#if defined OPEN_MPI
void mpi_ineighbor_alltoallv_f08_(void *sendbuf_f, void *sendcounts_f, void *sdispls_f, void *sendtype_f, void *recvbuf_f, void *recvcounts_f, void *rdispls_f, void *recvtype_f, void *comm_f, void *request_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_ineighbor_alltoallv_f08_", "pmpi_ineighbor_alltoallv_f08_");
  if (midrun_passes(CALL_Ineighbor_alltoallv)) { ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *))real)(sendbuf_f, sendcounts_f, sdispls_f, sendtype_f, recvbuf_f, recvcounts_f, rdispls_f, recvtype_f, comm_f, request_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Ineighbor_alltoallv, 0, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *))real)(sendbuf_f, sendcounts_f, sdispls_f, sendtype_f, recvbuf_f, recvcounts_f, rdispls_f, recvtype_f, comm_f, request_f, ierr);
  if (!begin_) return;
  const MPI_Fint *sendcounts = sendcounts_f;
  MPI_Datatype sendtype = PMPI_Type_f2c(*(MPI_Fint *)sendtype_f);
  MPI_Comm comm = PMPI_Comm_f2c(*(MPI_Fint *)comm_f);
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Ineighbor_alltoallv, 0, begin_, result_, COLLECTIVE, all_v_f(sendcounts, sendtype, neighbours(comm)), MPI_PROC_NULL, -1, comm);
}
#endif

#if defined OPEN_MPI
void mpi_ineighbor_alltoallw_f08_(void *sendbuf_f, void *sendcounts_f, void *sdispls_f, void *sendtypes_f, void *recvbuf_f, void *recvcounts_f, void *rdispls_f, void *recvtypes_f, void *comm_f, void *request_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_ineighbor_alltoallw_f08_", "pmpi_ineighbor_alltoallw_f08_");
  if (midrun_passes(CALL_Ineighbor_alltoallw)) { ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *))real)(sendbuf_f, sendcounts_f, sdispls_f, sendtypes_f, recvbuf_f, recvcounts_f, rdispls_f, recvtypes_f, comm_f, request_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Ineighbor_alltoallw, 0, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *))real)(sendbuf_f, sendcounts_f, sdispls_f, sendtypes_f, recvbuf_f, recvcounts_f, rdispls_f, recvtypes_f, comm_f, request_f, ierr);
  if (!begin_) return;
  const MPI_Fint *sendcounts = sendcounts_f;
  const MPI_Fint *sendtypes = sendtypes_f;
  MPI_Comm comm = PMPI_Comm_f2c(*(MPI_Fint *)comm_f);
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Ineighbor_alltoallw, 0, begin_, result_, COLLECTIVE, all_w_f(sendcounts, sendtypes, neighbours(comm)), MPI_PROC_NULL, -1, comm);
}
#endif

#if defined OPEN_MPI
void mpi_reduce_local_f08_(void *inbuf_f, void *inoutbuf_f, void *count_f, void *datatype_f, void *op_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_reduce_local_f08_", "pmpi_reduce_local_f08_");
  if (midrun_passes(CALL_Reduce_local)) { ((void (*)(void *, void *, void *, void *, void *, void *))real)(inbuf_f, inoutbuf_f, count_f, datatype_f, op_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Reduce_local, 0, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *, void *, void *))real)(inbuf_f, inoutbuf_f, count_f, datatype_f, op_f, ierr);
  if (!begin_) return;
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Reduce_local, 0, begin_, result_, LOCAL, 0, MPI_PROC_NULL, -1, MPI_COMM_NULL);
}
#endif

void mpi_comm_size_f08_(void *comm_f, void *size_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_comm_size_f08_", "pmpi_comm_size_f08_");
  if (midrun_passes(CALL_Comm_size)) { ((void (*)(void *, void *, void *))real)(comm_f, size_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Comm_size, 0, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *))real)(comm_f, size_f, ierr);
  if (!begin_) return;
  MPI_Comm comm = PMPI_Comm_f2c(*(MPI_Fint *)comm_f);
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Comm_size, 0, begin_, result_, LOCAL, 0, MPI_PROC_NULL, -1, comm);
}

void mpi_comm_rank_f08_(void *comm_f, void *rank_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_comm_rank_f08_", "pmpi_comm_rank_f08_");
  if (midrun_passes(CALL_Comm_rank)) { ((void (*)(void *, void *, void *))real)(comm_f, rank_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Comm_rank, 0, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *))real)(comm_f, rank_f, ierr);
  if (!begin_) return;
  MPI_Comm comm = PMPI_Comm_f2c(*(MPI_Fint *)comm_f);
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Comm_rank, 0, begin_, result_, LOCAL, 0, MPI_PROC_NULL, -1, comm);
}

void mpi_comm_compare_f08_(void *comm1_f, void *comm2_f, void *result_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_comm_compare_f08_", "pmpi_comm_compare_f08_");
  if (midrun_passes(CALL_Comm_compare)) { ((void (*)(void *, void *, void *, void *))real)(comm1_f, comm2_f, result_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Comm_compare, 0, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *))real)(comm1_f, comm2_f, result_f, ierr);
  if (!begin_) return;
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Comm_compare, 0, begin_, result_, LOCAL, 0, MPI_PROC_NULL, -1, MPI_COMM_NULL);
}

void mpi_comm_group_f08_(void *comm_f, void *group_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_comm_group_f08_", "pmpi_comm_group_f08_");
  if (midrun_passes(CALL_Comm_group)) { ((void (*)(void *, void *, void *))real)(comm_f, group_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Comm_group, 0, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *))real)(comm_f, group_f, ierr);
  if (!begin_) return;
  MPI_Comm comm = PMPI_Comm_f2c(*(MPI_Fint *)comm_f);
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Comm_group, 0, begin_, result_, LOCAL, 0, MPI_PROC_NULL, -1, comm);
}

void mpi_comm_remote_size_f08_(void *comm_f, void *size_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_comm_remote_size_f08_", "pmpi_comm_remote_size_f08_");
  if (midrun_passes(CALL_Comm_remote_size)) { ((void (*)(void *, void *, void *))real)(comm_f, size_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Comm_remote_size, 0, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *))real)(comm_f, size_f, ierr);
  if (!begin_) return;
  MPI_Comm comm = PMPI_Comm_f2c(*(MPI_Fint *)comm_f);
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Comm_remote_size, 0, begin_, result_, LOCAL, 0, MPI_PROC_NULL, -1, comm);
}

void mpi_comm_remote_group_f08_(void *comm_f, void *group_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_comm_remote_group_f08_", "pmpi_comm_remote_group_f08_");
  if (midrun_passes(CALL_Comm_remote_group)) { ((void (*)(void *, void *, void *))real)(comm_f, group_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Comm_remote_group, 0, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *))real)(comm_f, group_f, ierr);
  if (!begin_) return;
  MPI_Comm comm = PMPI_Comm_f2c(*(MPI_Fint *)comm_f);
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Comm_remote_group, 0, begin_, result_, LOCAL, 0, MPI_PROC_NULL, -1, comm);
}

void mpi_comm_test_inter_f08_(void *comm_f, void *flag_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_comm_test_inter_f08_", "pmpi_comm_test_inter_f08_");
  if (midrun_passes(CALL_Comm_test_inter)) { ((void (*)(void *, void *, void *))real)(comm_f, flag_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Comm_test_inter, 0, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *))real)(comm_f, flag_f, ierr);
  if (!begin_) return;
  MPI_Comm comm = PMPI_Comm_f2c(*(MPI_Fint *)comm_f);
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Comm_test_inter, 0, begin_, result_, LOCAL, 0, MPI_PROC_NULL, -1, comm);
}

void mpi_comm_get_parent_f08_(void *parent_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_comm_get_parent_f08_", "pmpi_comm_get_parent_f08_");
  if (midrun_passes(CALL_Comm_get_parent)) { ((void (*)(void *, void *))real)(parent_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Comm_get_parent, 0, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *))real)(parent_f, ierr);
  if (!begin_) return;
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Comm_get_parent, 0, begin_, result_, LOCAL, 0, MPI_PROC_NULL, -1, MPI_COMM_NULL);
}

void mpi_group_size_f08_(void *group_f, void *size_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_group_size_f08_", "pmpi_group_size_f08_");
  if (midrun_passes(CALL_Group_size)) { ((void (*)(void *, void *, void *))real)(group_f, size_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Group_size, 0, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *))real)(group_f, size_f, ierr);
  if (!begin_) return;
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Group_size, 0, begin_, result_, LOCAL, 0, MPI_PROC_NULL, -1, MPI_COMM_NULL);
}

void mpi_group_rank_f08_(void *group_f, void *rank_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_group_rank_f08_", "pmpi_group_rank_f08_");
  if (midrun_passes(CALL_Group_rank)) { ((void (*)(void *, void *, void *))real)(group_f, rank_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Group_rank, 0, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *))real)(group_f, rank_f, ierr);
  if (!begin_) return;
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Group_rank, 0, begin_, result_, LOCAL, 0, MPI_PROC_NULL, -1, MPI_COMM_NULL);
}

void mpi_group_translate_ranks_f08_(void *group1_f, void *n_f, void *ranks1_f, void *group2_f, void *ranks2_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_group_translate_ranks_f08_", "pmpi_group_translate_ranks_f08_");
  if (midrun_passes(CALL_Group_translate_ranks)) { ((void (*)(void *, void *, void *, void *, void *, void *))real)(group1_f, n_f, ranks1_f, group2_f, ranks2_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Group_translate_ranks, 0, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *, void *, void *))real)(group1_f, n_f, ranks1_f, group2_f, ranks2_f, ierr);
  if (!begin_) return;
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Group_translate_ranks, 0, begin_, result_, LOCAL, 0, MPI_PROC_NULL, -1, MPI_COMM_NULL);
}

void mpi_group_compare_f08_(void *group1_f, void *group2_f, void *result_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_group_compare_f08_", "pmpi_group_compare_f08_");
  if (midrun_passes(CALL_Group_compare)) { ((void (*)(void *, void *, void *, void *))real)(group1_f, group2_f, result_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Group_compare, 0, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *))real)(group1_f, group2_f, result_f, ierr);
  if (!begin_) return;
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Group_compare, 0, begin_, result_, LOCAL, 0, MPI_PROC_NULL, -1, MPI_COMM_NULL);
}

void mpi_group_union_f08_(void *group1_f, void *group2_f, void *newgroup_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_group_union_f08_", "pmpi_group_union_f08_");
  if (midrun_passes(CALL_Group_union)) { ((void (*)(void *, void *, void *, void *))real)(group1_f, group2_f, newgroup_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Group_union, 0, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *))real)(group1_f, group2_f, newgroup_f, ierr);
  if (!begin_) return;
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Group_union, 0, begin_, result_, LOCAL, 0, MPI_PROC_NULL, -1, MPI_COMM_NULL);
}

void mpi_group_intersection_f08_(void *group1_f, void *group2_f, void *newgroup_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_group_intersection_f08_", "pmpi_group_intersection_f08_");
  if (midrun_passes(CALL_Group_intersection)) { ((void (*)(void *, void *, void *, void *))real)(group1_f, group2_f, newgroup_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Group_intersection, 0, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *))real)(group1_f, group2_f, newgroup_f, ierr);
  if (!begin_) return;
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Group_intersection, 0, begin_, result_, LOCAL, 0, MPI_PROC_NULL, -1, MPI_COMM_NULL);
}

void mpi_group_difference_f08_(void *group1_f, void *group2_f, void *newgroup_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_group_difference_f08_", "pmpi_group_difference_f08_");
  if (midrun_passes(CALL_Group_difference)) { ((void (*)(void *, void *, void *, void *))real)(group1_f, group2_f, newgroup_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Group_difference, 0, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *))real)(group1_f, group2_f, newgroup_f, ierr);
  if (!begin_) return;
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Group_difference, 0, begin_, result_, LOCAL, 0, MPI_PROC_NULL, -1, MPI_COMM_NULL);
}

void mpi_group_incl_f08_(void *group_f, void *n_f, void *ranks_f, void *newgroup_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_group_incl_f08_", "pmpi_group_incl_f08_");
  if (midrun_passes(CALL_Group_incl)) { ((void (*)(void *, void *, void *, void *, void *))real)(group_f, n_f, ranks_f, newgroup_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Group_incl, 0, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *, void *))real)(group_f, n_f, ranks_f, newgroup_f, ierr);
  if (!begin_) return;
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Group_incl, 0, begin_, result_, LOCAL, 0, MPI_PROC_NULL, -1, MPI_COMM_NULL);
}

void mpi_group_excl_f08_(void *group_f, void *n_f, void *ranks_f, void *newgroup_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_group_excl_f08_", "pmpi_group_excl_f08_");
  if (midrun_passes(CALL_Group_excl)) { ((void (*)(void *, void *, void *, void *, void *))real)(group_f, n_f, ranks_f, newgroup_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Group_excl, 0, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *, void *))real)(group_f, n_f, ranks_f, newgroup_f, ierr);
  if (!begin_) return;
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Group_excl, 0, begin_, result_, LOCAL, 0, MPI_PROC_NULL, -1, MPI_COMM_NULL);
}

void mpi_group_range_incl_f08_(void *group_f, void *n_f, void *ranges_f, void *newgroup_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_group_range_incl_f08_", "pmpi_group_range_incl_f08_");
  if (midrun_passes(CALL_Group_range_incl)) { ((void (*)(void *, void *, void *, void *, void *))real)(group_f, n_f, ranges_f, newgroup_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Group_range_incl, 0, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *, void *))real)(group_f, n_f, ranges_f, newgroup_f, ierr);
  if (!begin_) return;
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Group_range_incl, 0, begin_, result_, LOCAL, 0, MPI_PROC_NULL, -1, MPI_COMM_NULL);
}

void mpi_group_range_excl_f08_(void *group_f, void *n_f, void *ranges_f, void *newgroup_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_group_range_excl_f08_", "pmpi_group_range_excl_f08_");
  if (midrun_passes(CALL_Group_range_excl)) { ((void (*)(void *, void *, void *, void *, void *))real)(group_f, n_f, ranges_f, newgroup_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Group_range_excl, 0, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *, void *))real)(group_f, n_f, ranges_f, newgroup_f, ierr);
  if (!begin_) return;
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Group_range_excl, 0, begin_, result_, LOCAL, 0, MPI_PROC_NULL, -1, MPI_COMM_NULL);
}

void mpi_group_free_f08_(void *group_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_group_free_f08_", "pmpi_group_free_f08_");
  if (midrun_passes(CALL_Group_free)) { ((void (*)(void *, void *))real)(group_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Group_free, 0, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *))real)(group_f, ierr);
  if (!begin_) return;
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Group_free, 0, begin_, result_, LOCAL, 0, MPI_PROC_NULL, -1, MPI_COMM_NULL);
}

void mpi_topo_test_f08_(void *comm_f, void *status_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_topo_test_f08_", "pmpi_topo_test_f08_");
  if (midrun_passes(CALL_Topo_test)) { ((void (*)(void *, void *, void *))real)(comm_f, status_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Topo_test, 0, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *))real)(comm_f, status_f, ierr);
  if (!begin_) return;
  MPI_Comm comm = PMPI_Comm_f2c(*(MPI_Fint *)comm_f);
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Topo_test, 0, begin_, result_, LOCAL, 0, MPI_PROC_NULL, -1, comm);
}

void mpi_cart_coords_f08_(void *comm_f, void *rank_f, void *maxdims_f, void *coords_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_cart_coords_f08_", "pmpi_cart_coords_f08_");
  if (midrun_passes(CALL_Cart_coords)) { ((void (*)(void *, void *, void *, void *, void *))real)(comm_f, rank_f, maxdims_f, coords_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Cart_coords, 0, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *, void *))real)(comm_f, rank_f, maxdims_f, coords_f, ierr);
  if (!begin_) return;
  MPI_Comm comm = PMPI_Comm_f2c(*(MPI_Fint *)comm_f);
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Cart_coords, 0, begin_, result_, LOCAL, 0, MPI_PROC_NULL, -1, comm);
}

void mpi_cart_rank_f08_(void *comm_f, void *coords_f, void *rank_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_cart_rank_f08_", "pmpi_cart_rank_f08_");
  if (midrun_passes(CALL_Cart_rank)) { ((void (*)(void *, void *, void *, void *))real)(comm_f, coords_f, rank_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Cart_rank, 0, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *))real)(comm_f, coords_f, rank_f, ierr);
  if (!begin_) return;
  MPI_Comm comm = PMPI_Comm_f2c(*(MPI_Fint *)comm_f);
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Cart_rank, 0, begin_, result_, LOCAL, 0, MPI_PROC_NULL, -1, comm);
}

void mpi_cart_shift_f08_(void *comm_f, void *direction_f, void *disp_f, void *rank_source_f, void *rank_dest_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_cart_shift_f08_", "pmpi_cart_shift_f08_");
  if (midrun_passes(CALL_Cart_shift)) { ((void (*)(void *, void *, void *, void *, void *, void *))real)(comm_f, direction_f, disp_f, rank_source_f, rank_dest_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Cart_shift, 0, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *, void *, void *))real)(comm_f, direction_f, disp_f, rank_source_f, rank_dest_f, ierr);
  if (!begin_) return;
  MPI_Comm comm = PMPI_Comm_f2c(*(MPI_Fint *)comm_f);
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Cart_shift, 0, begin_, result_, LOCAL, 0, MPI_PROC_NULL, -1, comm);
}

void mpi_cart_get_f08_(void *comm_f, void *maxdims_f, void *dims_f, void *periods_f, void *coords_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_cart_get_f08_", "pmpi_cart_get_f08_");
  if (midrun_passes(CALL_Cart_get)) { ((void (*)(void *, void *, void *, void *, void *, void *))real)(comm_f, maxdims_f, dims_f, periods_f, coords_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Cart_get, 0, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *, void *, void *))real)(comm_f, maxdims_f, dims_f, periods_f, coords_f, ierr);
  if (!begin_) return;
  MPI_Comm comm = PMPI_Comm_f2c(*(MPI_Fint *)comm_f);
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Cart_get, 0, begin_, result_, LOCAL, 0, MPI_PROC_NULL, -1, comm);
}

void mpi_cartdim_get_f08_(void *comm_f, void *ndims_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_cartdim_get_f08_", "pmpi_cartdim_get_f08_");
  if (midrun_passes(CALL_Cartdim_get)) { ((void (*)(void *, void *, void *))real)(comm_f, ndims_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Cartdim_get, 0, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *))real)(comm_f, ndims_f, ierr);
  if (!begin_) return;
  MPI_Comm comm = PMPI_Comm_f2c(*(MPI_Fint *)comm_f);
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Cartdim_get, 0, begin_, result_, LOCAL, 0, MPI_PROC_NULL, -1, comm);
}

void mpi_cart_map_f08_(void *comm_f, void *ndims_f, void *dims_f, void *periods_f, void *newrank_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_cart_map_f08_", "pmpi_cart_map_f08_");
  if (midrun_passes(CALL_Cart_map)) { ((void (*)(void *, void *, void *, void *, void *, void *))real)(comm_f, ndims_f, dims_f, periods_f, newrank_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Cart_map, 0, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *, void *, void *))real)(comm_f, ndims_f, dims_f, periods_f, newrank_f, ierr);
  if (!begin_) return;
  MPI_Comm comm = PMPI_Comm_f2c(*(MPI_Fint *)comm_f);
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Cart_map, 0, begin_, result_, LOCAL, 0, MPI_PROC_NULL, -1, comm);
}

void mpi_graph_neighbors_f08_(void *comm_f, void *rank_f, void *maxneighbors_f, void *neighbors_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_graph_neighbors_f08_", "pmpi_graph_neighbors_f08_");
  if (midrun_passes(CALL_Graph_neighbors)) { ((void (*)(void *, void *, void *, void *, void *))real)(comm_f, rank_f, maxneighbors_f, neighbors_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Graph_neighbors, 0, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *, void *))real)(comm_f, rank_f, maxneighbors_f, neighbors_f, ierr);
  if (!begin_) return;
  MPI_Comm comm = PMPI_Comm_f2c(*(MPI_Fint *)comm_f);
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Graph_neighbors, 0, begin_, result_, LOCAL, 0, MPI_PROC_NULL, -1, comm);
}

void mpi_graph_neighbors_count_f08_(void *comm_f, void *rank_f, void *nneighbors_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_graph_neighbors_count_f08_", "pmpi_graph_neighbors_count_f08_");
  if (midrun_passes(CALL_Graph_neighbors_count)) { ((void (*)(void *, void *, void *, void *))real)(comm_f, rank_f, nneighbors_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Graph_neighbors_count, 0, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *))real)(comm_f, rank_f, nneighbors_f, ierr);
  if (!begin_) return;
  MPI_Comm comm = PMPI_Comm_f2c(*(MPI_Fint *)comm_f);
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Graph_neighbors_count, 0, begin_, result_, LOCAL, 0, MPI_PROC_NULL, -1, comm);
}

void mpi_dist_graph_neighbors_f08_(void *comm_f, void *maxindegree_f, void *sources_f, void *sourceweights_f, void *maxoutdegree_f, void *destinations_f, void *destweights_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_dist_graph_neighbors_f08_", "pmpi_dist_graph_neighbors_f08_");
  if (midrun_passes(CALL_Dist_graph_neighbors)) { ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *))real)(comm_f, maxindegree_f, sources_f, sourceweights_f, maxoutdegree_f, destinations_f, destweights_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Dist_graph_neighbors, 0, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *))real)(comm_f, maxindegree_f, sources_f, sourceweights_f, maxoutdegree_f, destinations_f, destweights_f, ierr);
  if (!begin_) return;
  MPI_Comm comm = PMPI_Comm_f2c(*(MPI_Fint *)comm_f);
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Dist_graph_neighbors, 0, begin_, result_, LOCAL, 0, MPI_PROC_NULL, -1, comm);
}

void mpi_dist_graph_neighbors_count_f08_(void *comm_f, void *indegree_f, void *outdegree_f, void *weighted_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_dist_graph_neighbors_count_f08_", "pmpi_dist_graph_neighbors_count_f08_");
  if (midrun_passes(CALL_Dist_graph_neighbors_count)) { ((void (*)(void *, void *, void *, void *, void *))real)(comm_f, indegree_f, outdegree_f, weighted_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Dist_graph_neighbors_count, 0, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *, void *))real)(comm_f, indegree_f, outdegree_f, weighted_f, ierr);
  if (!begin_) return;
  MPI_Comm comm = PMPI_Comm_f2c(*(MPI_Fint *)comm_f);
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Dist_graph_neighbors_count, 0, begin_, result_, LOCAL, 0, MPI_PROC_NULL, -1, comm);
}

void mpi_dims_create_f08_(void *nnodes_f, void *ndims_f, void *dims_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_dims_create_f08_", "pmpi_dims_create_f08_");
  if (midrun_passes(CALL_Dims_create)) { ((void (*)(void *, void *, void *, void *))real)(nnodes_f, ndims_f, dims_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Dims_create, 0, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *))real)(nnodes_f, ndims_f, dims_f, ierr);
  if (!begin_) return;
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Dims_create, 0, begin_, result_, LOCAL, 0, MPI_PROC_NULL, -1, MPI_COMM_NULL);
}

void mpi_comm_dup_f08_(void *comm_f, void *newcomm_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_comm_dup_f08_", "pmpi_comm_dup_f08_");
  if (midrun_passes(CALL_Comm_dup)) { ((void (*)(void *, void *, void *))real)(comm_f, newcomm_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Comm_dup, 1, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *))real)(comm_f, newcomm_f, ierr);
  if (!begin_) return;
  MPI_Comm comm = PMPI_Comm_f2c(*(MPI_Fint *)comm_f);
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Comm_dup, 1, begin_, result_, COLLECTIVE, 0, MPI_PROC_NULL, -1, comm);
}

void mpi_comm_dup_with_info_f08_(void *comm_f, void *info_f, void *newcomm_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_comm_dup_with_info_f08_", "pmpi_comm_dup_with_info_f08_");
  if (midrun_passes(CALL_Comm_dup_with_info)) { ((void (*)(void *, void *, void *, void *))real)(comm_f, info_f, newcomm_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Comm_dup_with_info, 1, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *))real)(comm_f, info_f, newcomm_f, ierr);
  if (!begin_) return;
  MPI_Comm comm = PMPI_Comm_f2c(*(MPI_Fint *)comm_f);
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Comm_dup_with_info, 1, begin_, result_, COLLECTIVE, 0, MPI_PROC_NULL, -1, comm);
}

void mpi_comm_create_f08_(void *comm_f, void *group_f, void *newcomm_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_comm_create_f08_", "pmpi_comm_create_f08_");
  if (midrun_passes(CALL_Comm_create)) { ((void (*)(void *, void *, void *, void *))real)(comm_f, group_f, newcomm_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Comm_create, 1, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *))real)(comm_f, group_f, newcomm_f, ierr);
  if (!begin_) return;
  MPI_Comm comm = PMPI_Comm_f2c(*(MPI_Fint *)comm_f);
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Comm_create, 1, begin_, result_, COLLECTIVE, 0, MPI_PROC_NULL, -1, comm);
}

void mpi_comm_create_group_f08_(void *comm_f, void *group_f, void *tag_f, void *newcomm_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_comm_create_group_f08_", "pmpi_comm_create_group_f08_");
  if (midrun_passes(CALL_Comm_create_group)) { ((void (*)(void *, void *, void *, void *, void *))real)(comm_f, group_f, tag_f, newcomm_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Comm_create_group, 1, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *, void *))real)(comm_f, group_f, tag_f, newcomm_f, ierr);
  if (!begin_) return;
  MPI_Comm comm = PMPI_Comm_f2c(*(MPI_Fint *)comm_f);
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Comm_create_group, 1, begin_, result_, COLLECTIVE, 0, MPI_PROC_NULL, -1, comm);
}

void mpi_comm_split_f08_(void *comm_f, void *color_f, void *key_f, void *newcomm_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_comm_split_f08_", "pmpi_comm_split_f08_");
  if (midrun_passes(CALL_Comm_split)) { ((void (*)(void *, void *, void *, void *, void *))real)(comm_f, color_f, key_f, newcomm_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Comm_split, 1, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *, void *))real)(comm_f, color_f, key_f, newcomm_f, ierr);
  if (!begin_) return;
  MPI_Comm comm = PMPI_Comm_f2c(*(MPI_Fint *)comm_f);
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Comm_split, 1, begin_, result_, COLLECTIVE, 0, MPI_PROC_NULL, -1, comm);
}

void mpi_comm_split_type_f08_(void *comm_f, void *split_type_f, void *key_f, void *info_f, void *newcomm_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_comm_split_type_f08_", "pmpi_comm_split_type_f08_");
  if (midrun_passes(CALL_Comm_split_type)) { ((void (*)(void *, void *, void *, void *, void *, void *))real)(comm_f, split_type_f, key_f, info_f, newcomm_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Comm_split_type, 1, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *, void *, void *))real)(comm_f, split_type_f, key_f, info_f, newcomm_f, ierr);
  if (!begin_) return;
  MPI_Comm comm = PMPI_Comm_f2c(*(MPI_Fint *)comm_f);
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Comm_split_type, 1, begin_, result_, COLLECTIVE, 0, MPI_PROC_NULL, -1, comm);
}

void mpi_intercomm_create_f08_(void *local_comm_f, void *local_leader_f, void *peer_comm_f, void *remote_leader_f, void *tag_f, void *newintercomm_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_intercomm_create_f08_", "pmpi_intercomm_create_f08_");
  if (midrun_passes(CALL_Intercomm_create)) { ((void (*)(void *, void *, void *, void *, void *, void *, void *))real)(local_comm_f, local_leader_f, peer_comm_f, remote_leader_f, tag_f, newintercomm_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Intercomm_create, 1, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *, void *, void *, void *))real)(local_comm_f, local_leader_f, peer_comm_f, remote_leader_f, tag_f, newintercomm_f, ierr);
  if (!begin_) return;
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Intercomm_create, 1, begin_, result_, COLLECTIVE, 0, MPI_PROC_NULL, -1, MPI_COMM_NULL);
}

void mpi_intercomm_merge_f08_(void *intercomm_f, void *high_f, void *newintracomm_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_intercomm_merge_f08_", "pmpi_intercomm_merge_f08_");
  if (midrun_passes(CALL_Intercomm_merge)) { ((void (*)(void *, void *, void *, void *))real)(intercomm_f, high_f, newintracomm_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Intercomm_merge, 1, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *))real)(intercomm_f, high_f, newintracomm_f, ierr);
  if (!begin_) return;
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Intercomm_merge, 1, begin_, result_, COLLECTIVE, 0, MPI_PROC_NULL, -1, MPI_COMM_NULL);
}

void mpi_cart_create_f08_(void *comm_old_f, void *ndims_f, void *dims_f, void *periods_f, void *reorder_f, void *comm_cart_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_cart_create_f08_", "pmpi_cart_create_f08_");
  if (midrun_passes(CALL_Cart_create)) { ((void (*)(void *, void *, void *, void *, void *, void *, void *))real)(comm_old_f, ndims_f, dims_f, periods_f, reorder_f, comm_cart_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Cart_create, 1, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *, void *, void *, void *))real)(comm_old_f, ndims_f, dims_f, periods_f, reorder_f, comm_cart_f, ierr);
  if (!begin_) return;
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Cart_create, 1, begin_, result_, COLLECTIVE, 0, MPI_PROC_NULL, -1, MPI_COMM_NULL);
}

void mpi_cart_sub_f08_(void *comm_f, void *remain_dims_f, void *newcomm_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_cart_sub_f08_", "pmpi_cart_sub_f08_");
  if (midrun_passes(CALL_Cart_sub)) { ((void (*)(void *, void *, void *, void *))real)(comm_f, remain_dims_f, newcomm_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Cart_sub, 1, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *))real)(comm_f, remain_dims_f, newcomm_f, ierr);
  if (!begin_) return;
  MPI_Comm comm = PMPI_Comm_f2c(*(MPI_Fint *)comm_f);
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Cart_sub, 1, begin_, result_, COLLECTIVE, 0, MPI_PROC_NULL, -1, comm);
}

void mpi_graph_create_f08_(void *comm_old_f, void *nnodes_f, void *indx_f, void *edges_f, void *reorder_f, void *comm_graph_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_graph_create_f08_", "pmpi_graph_create_f08_");
  if (midrun_passes(CALL_Graph_create)) { ((void (*)(void *, void *, void *, void *, void *, void *, void *))real)(comm_old_f, nnodes_f, indx_f, edges_f, reorder_f, comm_graph_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Graph_create, 1, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *, void *, void *, void *))real)(comm_old_f, nnodes_f, indx_f, edges_f, reorder_f, comm_graph_f, ierr);
  if (!begin_) return;
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Graph_create, 1, begin_, result_, COLLECTIVE, 0, MPI_PROC_NULL, -1, MPI_COMM_NULL);
}

void mpi_dist_graph_create_f08_(void *comm_old_f, void *n_f, void *sources_f, void *degrees_f, void *destinations_f, void *weights_f, void *info_f, void *reorder_f, void *comm_dist_graph_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_dist_graph_create_f08_", "pmpi_dist_graph_create_f08_");
  if (midrun_passes(CALL_Dist_graph_create)) { ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *, void *, void *))real)(comm_old_f, n_f, sources_f, degrees_f, destinations_f, weights_f, info_f, reorder_f, comm_dist_graph_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Dist_graph_create, 1, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *, void *, void *))real)(comm_old_f, n_f, sources_f, degrees_f, destinations_f, weights_f, info_f, reorder_f, comm_dist_graph_f, ierr);
  if (!begin_) return;
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Dist_graph_create, 1, begin_, result_, COLLECTIVE, 0, MPI_PROC_NULL, -1, MPI_COMM_NULL);
}

void mpi_dist_graph_create_adjacent_f08_(void *comm_old_f, void *indegree_f, void *sources_f, void *sourceweights_f, void *outdegree_f, void *destinations_f, void *destweights_f, void *info_f, void *reorder_f, void *comm_dist_graph_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_dist_graph_create_adjacent_f08_", "pmpi_dist_graph_create_adjacent_f08_");
  if (midrun_passes(CALL_Dist_graph_create_adjacent)) { ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *))real)(comm_old_f, indegree_f, sources_f, sourceweights_f, outdegree_f, destinations_f, destweights_f, info_f, reorder_f, comm_dist_graph_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Dist_graph_create_adjacent, 1, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *))real)(comm_old_f, indegree_f, sources_f, sourceweights_f, outdegree_f, destinations_f, destweights_f, info_f, reorder_f, comm_dist_graph_f, ierr);
  if (!begin_) return;
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Dist_graph_create_adjacent, 1, begin_, result_, COLLECTIVE, 0, MPI_PROC_NULL, -1, MPI_COMM_NULL);
}

void mpi_comm_idup_f08_(void *comm_f, void *newcomm_f, void *request_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_comm_idup_f08_", "pmpi_comm_idup_f08_");
  if (midrun_passes(CALL_Comm_idup)) { ((void (*)(void *, void *, void *, void *))real)(comm_f, newcomm_f, request_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Comm_idup, 0, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *))real)(comm_f, newcomm_f, request_f, ierr);
  if (!begin_) return;
  MPI_Comm comm = PMPI_Comm_f2c(*(MPI_Fint *)comm_f);
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Comm_idup, 0, begin_, result_, COLLECTIVE, 0, MPI_PROC_NULL, -1, comm);
}

void mpi_comm_free_f08_(void *comm_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_comm_free_f08_", "pmpi_comm_free_f08_");
  midrun_peers_forget();
  uint64_t begin_ = BEGIN(CALL_Comm_free, 1, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *))real)(comm_f, ierr);
  if (!begin_) return;
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Comm_free, 1, begin_, result_, COLLECTIVE, 0, MPI_PROC_NULL, -1, MPI_COMM_NULL);
}

void mpi_comm_disconnect_f08_(void *comm_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_comm_disconnect_f08_", "pmpi_comm_disconnect_f08_");
  midrun_peers_forget();
  uint64_t begin_ = BEGIN(CALL_Comm_disconnect, 1, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *))real)(comm_f, ierr);
  if (!begin_) return;
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Comm_disconnect, 1, begin_, result_, COLLECTIVE, 0, MPI_PROC_NULL, -1, MPI_COMM_NULL);
}

void mpi_comm_join_f08_(void *fd_f, void *intercomm_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_comm_join_f08_", "pmpi_comm_join_f08_");
  if (midrun_passes(CALL_Comm_join)) { ((void (*)(void *, void *, void *))real)(fd_f, intercomm_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Comm_join, 1, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *))real)(fd_f, intercomm_f, ierr);
  if (!begin_) return;
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Comm_join, 1, begin_, result_, COLLECTIVE, 0, MPI_PROC_NULL, -1, MPI_COMM_NULL);
}

#if defined OPEN_MPI
void mpi_win_create_f08_(void *base_f, void *size_f, void *disp_unit_f, void *info_f, void *comm_f, void *win_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_win_create_f08_", "pmpi_win_create_f08_");
  if (midrun_passes(CALL_Win_create)) { ((void (*)(void *, void *, void *, void *, void *, void *, void *))real)(base_f, size_f, disp_unit_f, info_f, comm_f, win_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Win_create, 1, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *, void *, void *, void *))real)(base_f, size_f, disp_unit_f, info_f, comm_f, win_f, ierr);
  if (!begin_) return;
  MPI_Comm comm = PMPI_Comm_f2c(*(MPI_Fint *)comm_f);
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Win_create, 1, begin_, result_, COLLECTIVE, 0, MPI_PROC_NULL, -1, comm);
}
#endif

#if defined OPEN_MPI
void mpi_win_allocate_f08_(void *size_f, void *disp_unit_f, void *info_f, void *comm_f, void *baseptr_f, void *win_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_win_allocate_f08_", "pmpi_win_allocate_f08_");
  if (midrun_passes(CALL_Win_allocate)) { ((void (*)(void *, void *, void *, void *, void *, void *, void *))real)(size_f, disp_unit_f, info_f, comm_f, baseptr_f, win_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Win_allocate, 1, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *, void *, void *, void *))real)(size_f, disp_unit_f, info_f, comm_f, baseptr_f, win_f, ierr);
  if (!begin_) return;
  MPI_Comm comm = PMPI_Comm_f2c(*(MPI_Fint *)comm_f);
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Win_allocate, 1, begin_, result_, COLLECTIVE, 0, MPI_PROC_NULL, -1, comm);
}
#endif

#if defined OPEN_MPI
void mpi_win_allocate_shared_f08_(void *size_f, void *disp_unit_f, void *info_f, void *comm_f, void *baseptr_f, void *win_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_win_allocate_shared_f08_", "pmpi_win_allocate_shared_f08_");
  if (midrun_passes(CALL_Win_allocate_shared)) { ((void (*)(void *, void *, void *, void *, void *, void *, void *))real)(size_f, disp_unit_f, info_f, comm_f, baseptr_f, win_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Win_allocate_shared, 1, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *, void *, void *, void *))real)(size_f, disp_unit_f, info_f, comm_f, baseptr_f, win_f, ierr);
  if (!begin_) return;
  MPI_Comm comm = PMPI_Comm_f2c(*(MPI_Fint *)comm_f);
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Win_allocate_shared, 1, begin_, result_, COLLECTIVE, 0, MPI_PROC_NULL, -1, comm);
}
#endif

void mpi_win_create_dynamic_f08_(void *info_f, void *comm_f, void *win_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_win_create_dynamic_f08_", "pmpi_win_create_dynamic_f08_");
  if (midrun_passes(CALL_Win_create_dynamic)) { ((void (*)(void *, void *, void *, void *))real)(info_f, comm_f, win_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Win_create_dynamic, 1, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *))real)(info_f, comm_f, win_f, ierr);
  if (!begin_) return;
  MPI_Comm comm = PMPI_Comm_f2c(*(MPI_Fint *)comm_f);
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Win_create_dynamic, 1, begin_, result_, COLLECTIVE, 0, MPI_PROC_NULL, -1, comm);
}

void mpi_win_free_f08_(void *win_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_win_free_f08_", "pmpi_win_free_f08_");
  midrun_peers_forget();
  uint64_t begin_ = BEGIN(CALL_Win_free, 1, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *))real)(win_f, ierr);
  if (!begin_) return;
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Win_free, 1, begin_, result_, COLLECTIVE, 0, MPI_PROC_NULL, -1, MPI_COMM_NULL);
}

void mpi_win_fence_f08_(void *assert_f, void *win_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_win_fence_f08_", "pmpi_win_fence_f08_");
  if (midrun_passes(CALL_Win_fence)) { ((void (*)(void *, void *, void *))real)(assert_f, win_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Win_fence, 1, 1);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *))real)(assert_f, win_f, ierr);
  if (!begin_) return;
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Win_fence, 1, begin_, result_, COLLECTIVE, 0, MPI_PROC_NULL, -1, MPI_COMM_NULL);
}

#if defined OPEN_MPI
void mpi_win_attach_f08_(void *win_f, void *base_f, void *size_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_win_attach_f08_", "pmpi_win_attach_f08_");
  if (midrun_passes(CALL_Win_attach)) { ((void (*)(void *, void *, void *, void *))real)(win_f, base_f, size_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Win_attach, 0, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *))real)(win_f, base_f, size_f, ierr);
  if (!begin_) return;
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Win_attach, 0, begin_, result_, LOCAL, 0, MPI_PROC_NULL, -1, MPI_COMM_NULL);
}
#endif

#if defined OPEN_MPI
void mpi_win_detach_f08_(void *win_f, void *base_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_win_detach_f08_", "pmpi_win_detach_f08_");
  if (midrun_passes(CALL_Win_detach)) { ((void (*)(void *, void *, void *))real)(win_f, base_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Win_detach, 0, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *))real)(win_f, base_f, ierr);
  if (!begin_) return;
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Win_detach, 0, begin_, result_, LOCAL, 0, MPI_PROC_NULL, -1, MPI_COMM_NULL);
}
#endif

void mpi_win_sync_f08_(void *win_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_win_sync_f08_", "pmpi_win_sync_f08_");
  if (midrun_passes(CALL_Win_sync)) { ((void (*)(void *, void *))real)(win_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Win_sync, 0, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *))real)(win_f, ierr);
  if (!begin_) return;
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Win_sync, 0, begin_, result_, LOCAL, 0, MPI_PROC_NULL, -1, MPI_COMM_NULL);
}

#if defined OPEN_MPI
void mpi_win_shared_query_f08_(void *win_f, void *rank_f, void *size_f, void *disp_unit_f, void *baseptr_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_win_shared_query_f08_", "pmpi_win_shared_query_f08_");
  if (midrun_passes(CALL_Win_shared_query)) { ((void (*)(void *, void *, void *, void *, void *, void *))real)(win_f, rank_f, size_f, disp_unit_f, baseptr_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Win_shared_query, 0, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *, void *, void *))real)(win_f, rank_f, size_f, disp_unit_f, baseptr_f, ierr);
  if (!begin_) return;
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Win_shared_query, 0, begin_, result_, LOCAL, 0, MPI_PROC_NULL, -1, MPI_COMM_NULL);
}
#endif

void mpi_win_get_group_f08_(void *win_f, void *group_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_win_get_group_f08_", "pmpi_win_get_group_f08_");
  if (midrun_passes(CALL_Win_get_group)) { ((void (*)(void *, void *, void *))real)(win_f, group_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Win_get_group, 0, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *))real)(win_f, group_f, ierr);
  if (!begin_) return;
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Win_get_group, 0, begin_, result_, LOCAL, 0, MPI_PROC_NULL, -1, MPI_COMM_NULL);
}

void mpi_win_post_f08_(void *group_f, void *assert_f, void *win_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_win_post_f08_", "pmpi_win_post_f08_");
  if (midrun_passes(CALL_Win_post)) { ((void (*)(void *, void *, void *, void *))real)(group_f, assert_f, win_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Win_post, 0, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *))real)(group_f, assert_f, win_f, ierr);
  if (!begin_) return;
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Win_post, 0, begin_, result_, LOCAL, 0, MPI_PROC_NULL, -1, MPI_COMM_NULL);
}

void mpi_win_test_f08_(void *win_f, void *flag_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_win_test_f08_", "pmpi_win_test_f08_");
  if (midrun_passes(CALL_Win_test)) { ((void (*)(void *, void *, void *))real)(win_f, flag_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Win_test, 0, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *))real)(win_f, flag_f, ierr);
  if (!begin_) return;
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Win_test, 0, begin_, result_, LOCAL, 0, MPI_PROC_NULL, -1, MPI_COMM_NULL);
}

void mpi_win_start_f08_(void *group_f, void *assert_f, void *win_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_win_start_f08_", "pmpi_win_start_f08_");
  if (midrun_passes(CALL_Win_start)) { ((void (*)(void *, void *, void *, void *))real)(group_f, assert_f, win_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Win_start, 1, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *))real)(group_f, assert_f, win_f, ierr);
  if (!begin_) return;
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Win_start, 1, begin_, result_, LOCAL, 0, MPI_PROC_NULL, -1, MPI_COMM_NULL);
}

void mpi_win_complete_f08_(void *win_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_win_complete_f08_", "pmpi_win_complete_f08_");
  if (midrun_passes(CALL_Win_complete)) { ((void (*)(void *, void *))real)(win_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Win_complete, 1, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *))real)(win_f, ierr);
  if (!begin_) return;
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Win_complete, 1, begin_, result_, LOCAL, 0, MPI_PROC_NULL, -1, MPI_COMM_NULL);
}

void mpi_win_wait_f08_(void *win_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_win_wait_f08_", "pmpi_win_wait_f08_");
  if (midrun_passes(CALL_Win_wait)) { ((void (*)(void *, void *))real)(win_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Win_wait, 1, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *))real)(win_f, ierr);
  if (!begin_) return;
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Win_wait, 1, begin_, result_, LOCAL, 0, MPI_PROC_NULL, -1, MPI_COMM_NULL);
}

void mpi_win_lock_all_f08_(void *assert_f, void *win_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_win_lock_all_f08_", "pmpi_win_lock_all_f08_");
  if (midrun_passes(CALL_Win_lock_all)) { ((void (*)(void *, void *, void *))real)(assert_f, win_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Win_lock_all, 1, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *))real)(assert_f, win_f, ierr);
  if (!begin_) return;
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Win_lock_all, 1, begin_, result_, LOCAL, 0, MPI_PROC_NULL, -1, MPI_COMM_NULL);
}

void mpi_win_unlock_all_f08_(void *win_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_win_unlock_all_f08_", "pmpi_win_unlock_all_f08_");
  if (midrun_passes(CALL_Win_unlock_all)) { ((void (*)(void *, void *))real)(win_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Win_unlock_all, 1, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *))real)(win_f, ierr);
  if (!begin_) return;
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Win_unlock_all, 1, begin_, result_, LOCAL, 0, MPI_PROC_NULL, -1, MPI_COMM_NULL);
}

void mpi_win_flush_all_f08_(void *win_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_win_flush_all_f08_", "pmpi_win_flush_all_f08_");
  if (midrun_passes(CALL_Win_flush_all)) { ((void (*)(void *, void *))real)(win_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Win_flush_all, 1, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *))real)(win_f, ierr);
  if (!begin_) return;
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Win_flush_all, 1, begin_, result_, LOCAL, 0, MPI_PROC_NULL, -1, MPI_COMM_NULL);
}

void mpi_win_flush_local_all_f08_(void *win_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_win_flush_local_all_f08_", "pmpi_win_flush_local_all_f08_");
  if (midrun_passes(CALL_Win_flush_local_all)) { ((void (*)(void *, void *))real)(win_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Win_flush_local_all, 1, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *))real)(win_f, ierr);
  if (!begin_) return;
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Win_flush_local_all, 1, begin_, result_, LOCAL, 0, MPI_PROC_NULL, -1, MPI_COMM_NULL);
}

void mpi_win_lock_f08_(void *lock_type_f, void *rank_f, void *assert_f, void *win_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_win_lock_f08_", "pmpi_win_lock_f08_");
  if (midrun_passes(CALL_Win_lock)) { ((void (*)(void *, void *, void *, void *, void *))real)(lock_type_f, rank_f, assert_f, win_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Win_lock, 1, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *, void *))real)(lock_type_f, rank_f, assert_f, win_f, ierr);
  if (!begin_) return;
  int rank = *(MPI_Fint *)rank_f;
  MPI_Win win = PMPI_Win_f2c(*(MPI_Fint *)win_f);
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Win_lock, 1, begin_, result_, target(rank, win), 0, rank, -1, MPI_COMM_NULL);
}

void mpi_win_unlock_f08_(void *rank_f, void *win_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_win_unlock_f08_", "pmpi_win_unlock_f08_");
  if (midrun_passes(CALL_Win_unlock)) { ((void (*)(void *, void *, void *))real)(rank_f, win_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Win_unlock, 1, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *))real)(rank_f, win_f, ierr);
  if (!begin_) return;
  int rank = *(MPI_Fint *)rank_f;
  MPI_Win win = PMPI_Win_f2c(*(MPI_Fint *)win_f);
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Win_unlock, 1, begin_, result_, target(rank, win), 0, rank, -1, MPI_COMM_NULL);
}

void mpi_win_flush_f08_(void *rank_f, void *win_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_win_flush_f08_", "pmpi_win_flush_f08_");
  if (midrun_passes(CALL_Win_flush)) { ((void (*)(void *, void *, void *))real)(rank_f, win_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Win_flush, 1, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *))real)(rank_f, win_f, ierr);
  if (!begin_) return;
  int rank = *(MPI_Fint *)rank_f;
  MPI_Win win = PMPI_Win_f2c(*(MPI_Fint *)win_f);
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Win_flush, 1, begin_, result_, target(rank, win), 0, rank, -1, MPI_COMM_NULL);
}

void mpi_win_flush_local_f08_(void *rank_f, void *win_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_win_flush_local_f08_", "pmpi_win_flush_local_f08_");
  if (midrun_passes(CALL_Win_flush_local)) { ((void (*)(void *, void *, void *))real)(rank_f, win_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Win_flush_local, 1, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *))real)(rank_f, win_f, ierr);
  if (!begin_) return;
  int rank = *(MPI_Fint *)rank_f;
  MPI_Win win = PMPI_Win_f2c(*(MPI_Fint *)win_f);
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Win_flush_local, 1, begin_, result_, target(rank, win), 0, rank, -1, MPI_COMM_NULL);
}

#if defined OPEN_MPI
void mpi_put_f08_(void *origin_addr_f, void *origin_count_f, void *origin_datatype_f, void *target_rank_f, void *target_disp_f, void *target_count_f, void *target_datatype_f, void *win_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_put_f08_", "pmpi_put_f08_");
  if (midrun_passes(CALL_Put)) { ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *, void *))real)(origin_addr_f, origin_count_f, origin_datatype_f, target_rank_f, target_disp_f, target_count_f, target_datatype_f, win_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Put, 0, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *, void *))real)(origin_addr_f, origin_count_f, origin_datatype_f, target_rank_f, target_disp_f, target_count_f, target_datatype_f, win_f, ierr);
  if (!begin_) return;
  int origin_count = *(MPI_Fint *)origin_count_f;
  MPI_Datatype origin_datatype = PMPI_Type_f2c(*(MPI_Fint *)origin_datatype_f);
  int target_rank = *(MPI_Fint *)target_rank_f;
  MPI_Win win = PMPI_Win_f2c(*(MPI_Fint *)win_f);
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Put, 0, begin_, result_, target(target_rank, win), block_to(target_rank, origin_count, origin_datatype), target_rank, -1, MPI_COMM_NULL);
}
#endif

#if defined OPEN_MPI
void mpi_get_f08_(void *origin_addr_f, void *origin_count_f, void *origin_datatype_f, void *target_rank_f, void *target_disp_f, void *target_count_f, void *target_datatype_f, void *win_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_get_f08_", "pmpi_get_f08_");
  if (midrun_passes(CALL_Get)) { ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *, void *))real)(origin_addr_f, origin_count_f, origin_datatype_f, target_rank_f, target_disp_f, target_count_f, target_datatype_f, win_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Get, 0, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *, void *))real)(origin_addr_f, origin_count_f, origin_datatype_f, target_rank_f, target_disp_f, target_count_f, target_datatype_f, win_f, ierr);
  if (!begin_) return;
  int origin_count = *(MPI_Fint *)origin_count_f;
  MPI_Datatype origin_datatype = PMPI_Type_f2c(*(MPI_Fint *)origin_datatype_f);
  int target_rank = *(MPI_Fint *)target_rank_f;
  MPI_Win win = PMPI_Win_f2c(*(MPI_Fint *)win_f);
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Get, 0, begin_, result_, target(target_rank, win), block_to(target_rank, origin_count, origin_datatype), target_rank, -1, MPI_COMM_NULL);
}
#endif

#if defined OPEN_MPI
void mpi_accumulate_f08_(void *origin_addr_f, void *origin_count_f, void *origin_datatype_f, void *target_rank_f, void *target_disp_f, void *target_count_f, void *target_datatype_f, void *op_f, void *win_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_accumulate_f08_", "pmpi_accumulate_f08_");
  if (midrun_passes(CALL_Accumulate)) { ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *, void *, void *))real)(origin_addr_f, origin_count_f, origin_datatype_f, target_rank_f, target_disp_f, target_count_f, target_datatype_f, op_f, win_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Accumulate, 0, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *, void *, void *))real)(origin_addr_f, origin_count_f, origin_datatype_f, target_rank_f, target_disp_f, target_count_f, target_datatype_f, op_f, win_f, ierr);
  if (!begin_) return;
  int origin_count = *(MPI_Fint *)origin_count_f;
  MPI_Datatype origin_datatype = PMPI_Type_f2c(*(MPI_Fint *)origin_datatype_f);
  int target_rank = *(MPI_Fint *)target_rank_f;
  MPI_Win win = PMPI_Win_f2c(*(MPI_Fint *)win_f);
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Accumulate, 0, begin_, result_, target(target_rank, win), block_to(target_rank, origin_count, origin_datatype), target_rank, -1, MPI_COMM_NULL);
}
#endif

#if defined OPEN_MPI
void mpi_rput_f08_(void *origin_addr_f, void *origin_count_f, void *origin_datatype_f, void *target_rank_f, void *target_disp_f, void *target_count_f, void *target_datatype_f, void *win_f, void *request_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_rput_f08_", "pmpi_rput_f08_");
  if (midrun_passes(CALL_Rput)) { ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *, void *, void *))real)(origin_addr_f, origin_count_f, origin_datatype_f, target_rank_f, target_disp_f, target_count_f, target_datatype_f, win_f, request_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Rput, 0, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *, void *, void *))real)(origin_addr_f, origin_count_f, origin_datatype_f, target_rank_f, target_disp_f, target_count_f, target_datatype_f, win_f, request_f, ierr);
  if (!begin_) return;
  int origin_count = *(MPI_Fint *)origin_count_f;
  MPI_Datatype origin_datatype = PMPI_Type_f2c(*(MPI_Fint *)origin_datatype_f);
  int target_rank = *(MPI_Fint *)target_rank_f;
  MPI_Win win = PMPI_Win_f2c(*(MPI_Fint *)win_f);
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Rput, 0, begin_, result_, target(target_rank, win), block_to(target_rank, origin_count, origin_datatype), target_rank, -1, MPI_COMM_NULL);
}
#endif

#if defined OPEN_MPI
void mpi_rget_f08_(void *origin_addr_f, void *origin_count_f, void *origin_datatype_f, void *target_rank_f, void *target_disp_f, void *target_count_f, void *target_datatype_f, void *win_f, void *request_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_rget_f08_", "pmpi_rget_f08_");
  if (midrun_passes(CALL_Rget)) { ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *, void *, void *))real)(origin_addr_f, origin_count_f, origin_datatype_f, target_rank_f, target_disp_f, target_count_f, target_datatype_f, win_f, request_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Rget, 0, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *, void *, void *))real)(origin_addr_f, origin_count_f, origin_datatype_f, target_rank_f, target_disp_f, target_count_f, target_datatype_f, win_f, request_f, ierr);
  if (!begin_) return;
  int origin_count = *(MPI_Fint *)origin_count_f;
  MPI_Datatype origin_datatype = PMPI_Type_f2c(*(MPI_Fint *)origin_datatype_f);
  int target_rank = *(MPI_Fint *)target_rank_f;
  MPI_Win win = PMPI_Win_f2c(*(MPI_Fint *)win_f);
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Rget, 0, begin_, result_, target(target_rank, win), block_to(target_rank, origin_count, origin_datatype), target_rank, -1, MPI_COMM_NULL);
}
#endif

#if defined OPEN_MPI
void mpi_raccumulate_f08_(void *origin_addr_f, void *origin_count_f, void *origin_datatype_f, void *target_rank_f, void *target_disp_f, void *target_count_f, void *target_datatype_f, void *op_f, void *win_f, void *request_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_raccumulate_f08_", "pmpi_raccumulate_f08_");
  if (midrun_passes(CALL_Raccumulate)) { ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *))real)(origin_addr_f, origin_count_f, origin_datatype_f, target_rank_f, target_disp_f, target_count_f, target_datatype_f, op_f, win_f, request_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Raccumulate, 0, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *))real)(origin_addr_f, origin_count_f, origin_datatype_f, target_rank_f, target_disp_f, target_count_f, target_datatype_f, op_f, win_f, request_f, ierr);
  if (!begin_) return;
  int origin_count = *(MPI_Fint *)origin_count_f;
  MPI_Datatype origin_datatype = PMPI_Type_f2c(*(MPI_Fint *)origin_datatype_f);
  int target_rank = *(MPI_Fint *)target_rank_f;
  MPI_Win win = PMPI_Win_f2c(*(MPI_Fint *)win_f);
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Raccumulate, 0, begin_, result_, target(target_rank, win), block_to(target_rank, origin_count, origin_datatype), target_rank, -1, MPI_COMM_NULL);
}
#endif

#if defined OPEN_MPI
void mpi_get_accumulate_f08_(void *origin_addr_f, void *origin_count_f, void *origin_datatype_f, void *result_addr_f, void *result_count_f, void *result_datatype_f, void *target_rank_f, void *target_disp_f, void *target_count_f, void *target_datatype_f, void *op_f, void *win_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_get_accumulate_f08_", "pmpi_get_accumulate_f08_");
  if (midrun_passes(CALL_Get_accumulate)) { ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *))real)(origin_addr_f, origin_count_f, origin_datatype_f, result_addr_f, result_count_f, result_datatype_f, target_rank_f, target_disp_f, target_count_f, target_datatype_f, op_f, win_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Get_accumulate, 0, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *))real)(origin_addr_f, origin_count_f, origin_datatype_f, result_addr_f, result_count_f, result_datatype_f, target_rank_f, target_disp_f, target_count_f, target_datatype_f, op_f, win_f, ierr);
  if (!begin_) return;
  int result_count = *(MPI_Fint *)result_count_f;
  MPI_Datatype result_datatype = PMPI_Type_f2c(*(MPI_Fint *)result_datatype_f);
  int target_rank = *(MPI_Fint *)target_rank_f;
  MPI_Win win = PMPI_Win_f2c(*(MPI_Fint *)win_f);
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Get_accumulate, 0, begin_, result_, target(target_rank, win), block_to(target_rank, result_count, result_datatype), target_rank, -1, MPI_COMM_NULL);
}
#endif

#if defined OPEN_MPI
void mpi_rget_accumulate_f08_(void *origin_addr_f, void *origin_count_f, void *origin_datatype_f, void *result_addr_f, void *result_count_f, void *result_datatype_f, void *target_rank_f, void *target_disp_f, void *target_count_f, void *target_datatype_f, void *op_f, void *win_f, void *request_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_rget_accumulate_f08_", "pmpi_rget_accumulate_f08_");
  if (midrun_passes(CALL_Rget_accumulate)) { ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *))real)(origin_addr_f, origin_count_f, origin_datatype_f, result_addr_f, result_count_f, result_datatype_f, target_rank_f, target_disp_f, target_count_f, target_datatype_f, op_f, win_f, request_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Rget_accumulate, 0, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *))real)(origin_addr_f, origin_count_f, origin_datatype_f, result_addr_f, result_count_f, result_datatype_f, target_rank_f, target_disp_f, target_count_f, target_datatype_f, op_f, win_f, request_f, ierr);
  if (!begin_) return;
  int result_count = *(MPI_Fint *)result_count_f;
  MPI_Datatype result_datatype = PMPI_Type_f2c(*(MPI_Fint *)result_datatype_f);
  int target_rank = *(MPI_Fint *)target_rank_f;
  MPI_Win win = PMPI_Win_f2c(*(MPI_Fint *)win_f);
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Rget_accumulate, 0, begin_, result_, target(target_rank, win), block_to(target_rank, result_count, result_datatype), target_rank, -1, MPI_COMM_NULL);
}
#endif

#if defined OPEN_MPI
void mpi_fetch_and_op_f08_(void *origin_addr_f, void *result_addr_f, void *datatype_f, void *target_rank_f, void *target_disp_f, void *op_f, void *win_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_fetch_and_op_f08_", "pmpi_fetch_and_op_f08_");
  if (midrun_passes(CALL_Fetch_and_op)) { ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *))real)(origin_addr_f, result_addr_f, datatype_f, target_rank_f, target_disp_f, op_f, win_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Fetch_and_op, 0, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *))real)(origin_addr_f, result_addr_f, datatype_f, target_rank_f, target_disp_f, op_f, win_f, ierr);
  if (!begin_) return;
  MPI_Datatype datatype = PMPI_Type_f2c(*(MPI_Fint *)datatype_f);
  int target_rank = *(MPI_Fint *)target_rank_f;
  MPI_Win win = PMPI_Win_f2c(*(MPI_Fint *)win_f);
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Fetch_and_op, 0, begin_, result_, target(target_rank, win), block_to(target_rank, 1, datatype), target_rank, -1, MPI_COMM_NULL);
}
#endif

#if defined OPEN_MPI
void mpi_compare_and_swap_f08_(void *origin_addr_f, void *compare_addr_f, void *result_addr_f, void *datatype_f, void *target_rank_f, void *target_disp_f, void *win_f, void *ierr) {
  static void *real;
  FIND(real, "mpi_compare_and_swap_f08_", "pmpi_compare_and_swap_f08_");
  if (midrun_passes(CALL_Compare_and_swap)) { ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *))real)(origin_addr_f, compare_addr_f, result_addr_f, datatype_f, target_rank_f, target_disp_f, win_f, ierr); return; }
  uint64_t begin_ = BEGIN(CALL_Compare_and_swap, 0, 0);
  MPI_Fint own_ierr_ = MPI_SUCCESS;
  if (!ierr) ierr = &own_ierr_;
  ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *))real)(origin_addr_f, compare_addr_f, result_addr_f, datatype_f, target_rank_f, target_disp_f, win_f, ierr);
  if (!begin_) return;
  MPI_Datatype datatype = PMPI_Type_f2c(*(MPI_Fint *)datatype_f);
  int target_rank = *(MPI_Fint *)target_rank_f;
  MPI_Win win = PMPI_Win_f2c(*(MPI_Fint *)win_f);
  int result_ = *(MPI_Fint *)ierr;
  END(CALL_Compare_and_swap, 0, begin_, result_, target(target_rank, win), block_to(target_rank, 1, datatype), target_rank, -1, MPI_COMM_NULL);
}
#endif
