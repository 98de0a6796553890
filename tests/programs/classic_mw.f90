! classic_mw.f90 - the same as classic_mw.c in Fortran: a module's variables, a module's procedure as the iteration.
#ifndef FIRST
#define FIRST 0.4d0
#endif
module farm
  use mpi
  implicit none
  double precision :: f0 = FIRST, f1 = 0.3d0, f2 = 0.2d0
  integer :: nw = 0
  integer, parameter :: tasks = 200
  integer :: rank, ranks
  double precision :: total = 0
contains
  double precision function compute(task)
    integer, intent(in) :: task
    integer :: i
    integer(8) :: x
    x = int(task, 8) * 40503 + 12345
    do i = 1, 2000 * (1 + mod(task, 7))
      x = mod(x * 1103515245_8 + 12345_8, 2147483648_8)
    end do
    compute = dble(x)
  end function

  integer function chunk_of(batch, left)
    integer, intent(in) :: batch, left
    double precision :: share
    share = 0
    if (batch == 0) share = f0
    if (batch == 1) share = f1
    if (batch == 2) share = f2
    chunk_of = min(max(1, int(share * tasks / nw)), left)
  end function

  subroutine iterate(number)
    integer, intent(in) :: number
    integer :: w, next, out, chunk, chunks, error, work(2), status(MPI_STATUS_SIZE), t
    double precision :: sum
    if (rank == 0) then
      next = 0; out = 0; chunks = 0
      do w = 1, nw
        if (next == tasks) exit
        chunk = chunk_of(0, tasks - next)
        chunks = chunks + 1
        work = (/ number * tasks + next, chunk /)
        next = next + chunk; out = out + 1
        call MPI_Send(work, 2, MPI_INTEGER, w, 1, MPI_COMM_WORLD, error)
      end do
      do while (out > 0)
        call MPI_Recv(sum, 1, MPI_DOUBLE_PRECISION, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, status, error)
        total = total + sum; out = out - 1
        if (next < tasks) then
          chunk = chunk_of(chunks / nw, tasks - next)
          chunks = chunks + 1
          work = (/ number * tasks + next, chunk /)
          next = next + chunk; out = out + 1
          call MPI_Send(work, 2, MPI_INTEGER, status(MPI_SOURCE), 1, MPI_COMM_WORLD, error)
        end if
      end do
      do w = 1, ranks - 1
        call MPI_Send(work, 0, MPI_INTEGER, w, 3, MPI_COMM_WORLD, error)
      end do
    else
      do
        call MPI_Recv(work, 2, MPI_INTEGER, 0, MPI_ANY_TAG, MPI_COMM_WORLD, status, error)
        if (status(MPI_TAG) == 3) exit
        sum = 0
        do t = work(1), work(1) + work(2) - 1
          sum = sum + compute(t)
        end do
        call MPI_Send(sum, 1, MPI_DOUBLE_PRECISION, 0, 2, MPI_COMM_WORLD, error)
      end do
    end if
  end subroutine
end module

program classic
  use farm
  implicit none
  integer :: i, error, iterations
  character(len=16) :: word
  iterations = 20
  call get_command_argument(1, word)
  if (len_trim(word) > 0) read (word, *) iterations
  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, error)
  nw = ranks - 1
  do i = 0, iterations - 1
    call iterate(i)
  end do
  if (rank == 0) print '(A,F0.0)', 'total ', total
  call MPI_Finalize(error)
end program
