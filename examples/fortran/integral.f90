! integral - integrates a function by a farm in Fortran: mpirun -n 5 integral [ITERATIONS].
module problem
  use midrun
  use, intrinsic :: iso_fortran_env, only: int64, real64
  implicit none
  integer(int64), parameter :: intervals = 400
  real(real64), parameter :: pi = acos(-1.0_real64)
  real(real64) :: total
contains
  subroutine prepare(task, inputs, failed)
    integer(int64), intent(in) :: task
    real(real64), intent(out) :: inputs(:)
    logical, intent(inout) :: failed
    inputs = [pi * real(task - 1, real64) / intervals, pi * real(task, real64) / intervals]
  end subroutine

  subroutine compute(task, inputs, results, failed)
    integer(int64), intent(in) :: task
    real(real64), intent(in) :: inputs(:)
    real(real64), intent(out) :: results(:)
    logical, intent(inout) :: failed
    integer(int64) :: i, steps
    real(real64) :: width
    steps = 10 + 10 * task
    width = (inputs(2) - inputs(1)) / steps
    results(1) = 0
    do i = 1, steps
      results(1) = results(1) + sin(inputs(1) + (i - 0.5_real64) * width) * width
    end do
  end subroutine

  subroutine collect(task, results, failed)
    integer(int64), intent(in) :: task
    real(real64), intent(in) :: results(:)
    logical, intent(inout) :: failed
    total = total + results(1)
  end subroutine
end module

program integral
  use mpi
  use problem
  implicit none
  type(midrun_farm) :: farm
  integer :: rank, ierr, n, iterations
  character(16) :: word
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  iterations = 3
  if (command_argument_count() > 0) then
    call get_command_argument(1, word)
    read (word, *) iterations
  end if
  call farm%create(inputs=2, results=1, prepare=prepare, compute=compute, collect=collect)
  do n = 0, iterations - 1
    total = 0
    call farm%iterate(intervals)
    if (rank == 0) print '(a, i0, a, f8.6)', 'iteration ', n, ': integral ', total
  end do
  call farm%destroy()
  call MPI_Finalize(ierr)
end program
