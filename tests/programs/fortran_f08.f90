! fortran_f08.f90 - calls of Fortran's binding mpi_f08, without ierror, whose numbers and bytes its test knows.
program fortran_f08
  use mpi_f08
  implicit none
  integer, parameter :: rounds = 50
  integer :: rank, ranks, next, before, out, in(4), i, total, ones(8)
  type(MPI_Request) :: requests(2)
  type(MPI_Status) :: statuses(2)
  type(MPI_Status) :: status
  type(MPI_Comm) :: copy
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  next = mod(rank + 1, ranks)
  before = mod(rank + ranks - 1, ranks)
  total = 0
  out = rank
  do i = 1, rounds
    call MPI_Isend(out, 1, MPI_INTEGER, next, 1, MPI_COMM_WORLD, requests(1))
    call MPI_Recv(in, 4, MPI_INTEGER, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
    call MPI_Wait(requests(1), MPI_STATUS_IGNORE)
    call MPI_Irecv(in, 1, MPI_INTEGER, before, 2, MPI_COMM_WORLD, requests(1))
    call MPI_Isend(out, 1, MPI_INTEGER, next, 2, MPI_COMM_WORLD, requests(2))
    call MPI_Waitall(2, requests, statuses)
    total = total + in(1)
  end do
  call MPI_Sendrecv(out, 1, MPI_INTEGER, next, 3, in, 4, MPI_INTEGER, before, 3, MPI_COMM_WORLD, status)
  ones = 1
  call MPI_Allreduce(MPI_IN_PLACE, ones, 8, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
  total = total + ones(8)
  ones(1) = total
  call MPI_Allreduce(MPI_IN_PLACE, ones, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
  call MPI_Comm_dup(MPI_COMM_WORLD, copy)
  call MPI_Barrier(copy)
  call MPI_Comm_free(copy)
  if (rank == 0) print "(a, i0)", "total ", ones(1)
  call MPI_Finalize()
end program
