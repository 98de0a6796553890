! asked.f90 - asked.c in Fortran: a Master/Worker program whose workers ask for work, and whose procedures get their arguments by reference.
module front
  use iso_c_binding
  use mpi
  implicit none
  integer, parameter :: cells = 400, dear = 60, asks = 2
  integer :: chunk = cells
  interface
    integer(c_int) function usleep(us) bind(c)
      import
      integer(c_int), value :: us
    end function
  end interface
contains
  ! A cell of the front takes ten times as long.
  subroutine evaluate(step, first, count, total)
    integer, intent(in) :: step, first, count
    real(8), intent(out) :: total
    integer :: cell, us, status
    us = 0
    total = 0
    do cell = first, first + count - 1
      us = us + merge(1000, 100, modulo(cell - step, cells) < dear)
      total = total + cell
    end do
    status = usleep(us)
  end subroutine

  ! A waiting rank sleeps, so that many of them fit on two cores.
  subroutine await(from, tag)
    integer, intent(in) :: from, tag
    integer :: status
    logical :: there
    do
      call MPI_Iprobe(from, tag, MPI_COMM_WORLD, there, MPI_STATUS_IGNORE, status)
      if (there) return
      status = usleep(50)
    end do
  end subroutine

  subroutine answer(step, workers, total)
    integer, intent(in) :: step, workers
    real(8), intent(out) :: total
    integer :: next, stopped, error, work(3), status(MPI_STATUS_SIZE)
    real(8) :: part
    next = 0
    stopped = 0
    total = 0
    do while (stopped < workers)
      ! Who was stopped asks for the next step already.
      call await(MPI_ANY_SOURCE, asks + step)
      call MPI_Recv(part, 1, MPI_DOUBLE_PRECISION, MPI_ANY_SOURCE, asks + step, MPI_COMM_WORLD, status, error)
      total = total + part
      work = [step, next, min(chunk, cells - next)]
      next = next + work(3)
      if (work(3) == 0) stopped = stopped + 1
      call MPI_Send(work, 3, MPI_INTEGER, status(MPI_SOURCE), 1, MPI_COMM_WORLD, error)
    end do
  end subroutine

  subroutine ask(step)
    integer, intent(in) :: step
    integer :: work(3), error
    real(8) :: part
    part = 0
    do
      call MPI_Send(part, 1, MPI_DOUBLE_PRECISION, 0, asks + step, MPI_COMM_WORLD, error)
      call await(0, 1)
      call MPI_Recv(work, 3, MPI_INTEGER, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE, error)
      if (work(3) == 0) return
      call evaluate(work(1), work(2), work(3), part)
    end do
  end subroutine
end module

program asked
  use front
  implicit none
  integer :: rank, ranks, step, error
  real(8) :: part, total
  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, error)
  total = 0
  do step = 0, 29
    if (rank == 0) then
      call answer(step, ranks - 1, part)
      total = total + part
    else
      call ask(step)
    end if
  end do
  if (rank == 0) print '(a, f0.0)', 'total ', total
  call MPI_Finalize(error)
end program
