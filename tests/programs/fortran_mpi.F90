! fortran_mpi.F90 - calls of Fortran by `use mpi` or, with -DMPIF, by mpif.h, whose numbers and bytes its test knows.
program fortran_mpi
#ifndef MPIF
  use mpi
#endif
  implicit none
#ifdef MPIF
  include "mpif.h"
#endif
  integer, parameter :: rounds = 50
  integer :: rank, ranks, next, before, out, in(4), i, total, ones(8), ierr
  integer :: requests(2)
  integer :: statuses(MPI_STATUS_SIZE, 2)
  integer :: status(MPI_STATUS_SIZE)
  integer :: copy
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
  next = mod(rank + 1, ranks)
  before = mod(rank + ranks - 1, ranks)
  total = 0
  out = rank
  do i = 1, rounds
    call MPI_Isend(out, 1, MPI_INTEGER, next, 1, MPI_COMM_WORLD, requests(1), ierr)
    call MPI_Recv(in, 4, MPI_INTEGER, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
    call MPI_Wait(requests(1), MPI_STATUS_IGNORE, ierr)
    call MPI_Irecv(in, 1, MPI_INTEGER, before, 2, MPI_COMM_WORLD, requests(1), ierr)
    call MPI_Isend(out, 1, MPI_INTEGER, next, 2, MPI_COMM_WORLD, requests(2), ierr)
    call MPI_Waitall(2, requests, statuses, ierr)
    total = total + in(1)
  end do
  call MPI_Sendrecv(out, 1, MPI_INTEGER, next, 3, in, 4, MPI_INTEGER, before, 3, MPI_COMM_WORLD, status, ierr)
  ones = 1
  call MPI_Allreduce(MPI_IN_PLACE, ones, 8, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierr)
  total = total + ones(8)
  ones(1) = total
  call MPI_Allreduce(MPI_IN_PLACE, ones, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierr)
  call MPI_Comm_dup(MPI_COMM_WORLD, copy, ierr)
  call MPI_Barrier(copy, ierr)
  call MPI_Comm_free(copy, ierr)
  if (rank == 0) print "(a, i0)", "total ", ones(1)
  call MPI_Finalize(ierr)
end program
