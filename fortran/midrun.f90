! midrun - the Fortran 2008 API of libmidrun.
!
!   use midrun
!   type(midrun_farm) :: farm
!   call farm%create(inputs=2, results=1, prepare=prepare, compute=compute, collect=collect)   ! every rank
!   call farm%iterate(1000_int64)                                                              ! every rank, per iteration
!   call farm%destroy()
!
! Tasks are numbered from 1 in each iteration; inputs and results are real(real64). A callback that fails sets `failed`.
! Each procedure has an optional last argument `status` (MIDRUN_OK ...); without it, an error stops the program.
module midrun
  use, intrinsic :: iso_fortran_env, only: int32, int64, real32, real64, error_unit
  use, intrinsic :: iso_c_binding, only: c_char, c_double, c_f_pointer, c_float, c_funloc, c_funptr, c_int, c_int32_t, &
    c_int64_t, c_loc, c_null_char, c_null_funptr, c_null_ptr, c_ptr, c_size_t, c_sizeof
  implicit none
  private

  public :: midrun_farm, midrun_prepare, midrun_compute, midrun_collect
  public :: midrun_iteration_begin, midrun_iteration_end, midrun_work_begin, midrun_work_end
  public :: midrun_next_chunk, midrun_chunk_done, midrun_safe_point, midrun_expose

  integer, parameter, public :: MIDRUN_OK = 0, MIDRUN_OFF = 1, MIDRUN_ENDED = 2, MIDRUN_ERR_ARGUMENT = -1, &
    MIDRUN_ERR_MPI = -2, MIDRUN_ERR_NO_WORKER = -3, MIDRUN_ERR_TASK = -4, MIDRUN_ERR_COUNT = -5, MIDRUN_ERR_MEMORY = -6, &
    MIDRUN_ERR_INTERNAL = -7

  abstract interface
    ! Master: writes the inputs of a task.
    subroutine midrun_prepare(task, inputs, failed)
      import :: int64, real64
      integer(int64), intent(in) :: task
      real(real64), intent(out) :: inputs(:)
      logical, intent(inout) :: failed
    end subroutine
    ! Worker: computes a task.
    subroutine midrun_compute(task, inputs, results, failed)
      import :: int64, real64
      integer(int64), intent(in) :: task
      real(real64), intent(in) :: inputs(:)
      real(real64), intent(out) :: results(:)
      logical, intent(inout) :: failed
    end subroutine
    ! Master: takes the results of a task. Tasks come in any order.
    subroutine midrun_collect(task, results, failed)
      import :: int64, real64
      integer(int64), intent(in) :: task
      real(real64), intent(in) :: results(:)
      logical, intent(inout) :: failed
    end subroutine
  end interface

  type :: callbacks
    integer :: inputs = 0, results = 0
    procedure(midrun_prepare), pointer, nopass :: prepare => null()
    procedure(midrun_compute), pointer, nopass :: compute => null()
    procedure(midrun_collect), pointer, nopass :: collect => null()
  end type

  ! A Master/Worker farm over MPI_COMM_WORLD. Not to be copied.
  type :: midrun_farm
    private
    type(c_ptr) :: handle = c_null_ptr
    type(callbacks), pointer :: own => null()
  contains
    procedure :: create => farm_create
    procedure :: iterate => farm_iterate
    procedure :: finish => farm_finish
    procedure :: destroy => farm_destroy
  end type

  ! midrun_mw_config_t
  type, bind(c) :: config_t
    integer(c_size_t) :: struct_size = 0
    type(c_ptr) :: comm = c_null_ptr
    integer(c_int) :: master = 0
    integer(c_int32_t) :: flags = 0
    integer(c_size_t) :: task_bytes = 0, result_bytes = 0
    type(c_funptr) :: prepare = c_null_funptr, compute = c_null_funptr, collect = c_null_funptr
    type(c_ptr) :: user = c_null_ptr, technique = c_null_ptr
    real(c_double) :: factor = 0
    integer(c_int32_t) :: workers = 0
    type(c_funptr) :: prepare_any = c_null_funptr, compute_any = c_null_funptr, collect_any = c_null_funptr
  end type

  interface midrun_expose
    module procedure expose_int32, expose_real32, expose_real64
  end interface

  interface
    integer(c_int) function c_create(mw, config) bind(c, name='midrun_mw_create')
      import :: c_int, c_ptr, config_t
      type(c_ptr), intent(out) :: mw
      type(config_t), intent(in) :: config
    end function
    integer(c_int) function c_iterate(mw, tasks) bind(c, name='midrun_mw_iterate')
      import :: c_int, c_ptr, c_int64_t
      type(c_ptr), value :: mw
      integer(c_int64_t), value :: tasks
    end function
    integer(c_int) function c_finish(mw) bind(c, name='midrun_mw_finish')
      import :: c_int, c_ptr
      type(c_ptr), value :: mw
    end function
    integer(c_int) function c_destroy(mw) bind(c, name='midrun_mw_destroy')
      import :: c_int, c_ptr
      type(c_ptr), intent(inout) :: mw
    end function
    type(c_ptr) function c_status_text(status) bind(c, name='midrun_status_text')
      import :: c_int, c_ptr
      integer(c_int), value :: status
    end function
    integer(c_int) function c_iteration_begin(tasks, workers) bind(c, name='midrun_iteration_begin')
      import :: c_int, c_int32_t, c_int64_t
      integer(c_int64_t), value :: tasks
      integer(c_int32_t), value :: workers
    end function
    integer(c_int) function c_iteration_end() bind(c, name='midrun_iteration_end')
      import :: c_int
    end function
    integer(c_int) function c_work_begin(first, tasks) bind(c, name='midrun_work_begin')
      import :: c_int, c_int64_t
      integer(c_int64_t), value :: first, tasks
    end function
    integer(c_int) function c_work_end() bind(c, name='midrun_work_end')
      import :: c_int
    end function
    integer(c_int64_t) function c_next_chunk(worker) bind(c, name='midrun_next_chunk')
      import :: c_int32_t, c_int64_t
      integer(c_int32_t), value :: worker
    end function
    integer(c_int) function c_chunk_done(worker, tasks, seconds) bind(c, name='midrun_chunk_done')
      import :: c_int, c_int32_t, c_int64_t, c_double
      integer(c_int32_t), value :: worker
      integer(c_int64_t), value :: tasks
      real(c_double), value :: seconds
    end function
    integer(c_int) function c_safe_point() bind(c, name='midrun_safe_point')
      import :: c_int
    end function
    integer(c_int) function c_expose_int(name, variable, minimum, maximum) bind(c, name='midrun_expose_int')
      import :: c_int, c_char, c_ptr
      character(kind=c_char), intent(in) :: name(*)
      type(c_ptr), value :: variable
      integer(c_int), value :: minimum, maximum
    end function
    integer(c_int) function c_expose_float(name, variable, minimum, maximum) bind(c, name='midrun_expose_float')
      import :: c_int, c_char, c_ptr, c_float
      character(kind=c_char), intent(in) :: name(*)
      type(c_ptr), value :: variable
      real(c_float), value :: minimum, maximum
    end function
    integer(c_int) function c_expose_double(name, variable, minimum, maximum) bind(c, name='midrun_expose_double')
      import :: c_int, c_char, c_ptr, c_double
      character(kind=c_char), intent(in) :: name(*)
      type(c_ptr), value :: variable
      real(c_double), value :: minimum, maximum
    end function
  end interface

contains

  subroutine conclude(code, what, status)
    integer(c_int), intent(in) :: code
    character(*), intent(in) :: what
    integer, intent(out), optional :: status
    character(kind=c_char), pointer :: text(:)
    integer :: i
    if (present(status)) then
      status = code
    else if (code < 0) then
      call c_f_pointer(c_status_text(code), text, [200])
      write (error_unit, '(3a)', advance='no') 'midrun: ', what, ': '
      do i = 1, 200
        if (text(i) == c_null_char) exit
        write (error_unit, '(a)', advance='no') text(i)
      end do
      write (error_unit, '()')
      error stop 1
    end if
  end subroutine

  ! Collective. inputs, results: number of real(real64) per task. technique, factor, workers: at start, see midrun.h.
  subroutine farm_create(self, inputs, results, prepare, compute, collect, technique, factor, workers, status)
    class(midrun_farm), intent(inout) :: self
    integer, intent(in) :: inputs, results
    procedure(midrun_prepare), optional :: prepare
    procedure(midrun_compute) :: compute
    procedure(midrun_collect), optional :: collect
    character(*), intent(in), optional :: technique
    real(real64), intent(in), optional :: factor
    integer, intent(in), optional :: workers
    integer, intent(out), optional :: status
    type(config_t) :: config
    character(kind=c_char), allocatable, target :: name(:)
    integer(c_int) :: code
    integer :: i
    if (inputs < 0 .or. results < 0) then
      call conclude(int(MIDRUN_ERR_ARGUMENT, c_int), 'create', status)
      return
    end if
    allocate (self%own)
    self%own%inputs = inputs
    self%own%results = results
    self%own%compute => compute
    if (present(prepare)) then
      self%own%prepare => prepare
      config%prepare = c_funloc(call_prepare)
    end if
    if (present(collect)) then
      self%own%collect => collect
      config%collect = c_funloc(call_collect)
    end if
    config%struct_size = c_sizeof(config)
    config%task_bytes = 8_c_size_t * inputs
    config%result_bytes = 8_c_size_t * results
    config%compute = c_funloc(call_compute)
    config%user = c_loc(self%own)
    if (present(technique)) then
      allocate (name(len_trim(technique) + 1))
      do i = 1, len_trim(technique)
        name(i) = technique(i:i)
      end do
      name(size(name)) = c_null_char
      config%technique = c_loc(name)
    end if
    if (present(factor)) config%factor = factor
    if (present(workers)) config%workers = int(workers, c_int32_t)
    code = c_create(self%handle, config)
    if (code < 0) deallocate (self%own)
    call conclude(code, 'create', status)
  end subroutine

  ! Collective: one iteration of `tasks` tasks (the master's value). On a worker `status` is MIDRUN_ENDED after finish.
  subroutine farm_iterate(self, tasks, status)
    class(midrun_farm), intent(inout) :: self
    integer(int64), intent(in) :: tasks
    integer, intent(out), optional :: status
    call conclude(c_iterate(self%handle, tasks), 'iterate', status)
  end subroutine

  ! Master: no iteration follows; see midrun_mw_finish.
  subroutine farm_finish(self, status)
    class(midrun_farm), intent(inout) :: self
    integer, intent(out), optional :: status
    call conclude(c_finish(self%handle), 'finish', status)
  end subroutine

  ! Collective.
  subroutine farm_destroy(self, status)
    class(midrun_farm), intent(inout) :: self
    integer, intent(out), optional :: status
    call conclude(c_destroy(self%handle), 'destroy', status)
    if (associated(self%own)) deallocate (self%own)
  end subroutine

  integer(c_int) function call_prepare(user, iteration, first, count, tasks) bind(c)
    type(c_ptr), value :: user, tasks
    integer(c_int64_t), value :: iteration, first, count
    type(callbacks), pointer :: own
    real(real64), pointer :: inputs(:, :)
    logical :: failed
    integer(int64) :: i
    call c_f_pointer(user, own)
    call c_f_pointer(tasks, inputs, [int(own%inputs, int64), count])
    failed = .false.
    do i = 1, count
      call own%prepare(first + i, inputs(:, i), failed)
    end do
    call_prepare = merge(1, 0, failed)
  end function

  integer(c_int) function call_compute(user, iteration, first, count, tasks, results) bind(c)
    type(c_ptr), value :: user, tasks, results
    integer(c_int64_t), value :: iteration, first, count
    type(callbacks), pointer :: own
    real(real64), pointer :: inputs(:, :), outputs(:, :)
    logical :: failed
    integer(int64) :: i
    call c_f_pointer(user, own)
    call c_f_pointer(tasks, inputs, [int(own%inputs, int64), count])
    call c_f_pointer(results, outputs, [int(own%results, int64), count])
    failed = .false.
    do i = 1, count
      call own%compute(first + i, inputs(:, i), outputs(:, i), failed)
    end do
    call_compute = merge(1, 0, failed)
  end function

  integer(c_int) function call_collect(user, iteration, first, count, results) bind(c)
    type(c_ptr), value :: user, results
    integer(c_int64_t), value :: iteration, first, count
    type(callbacks), pointer :: own
    real(real64), pointer :: outputs(:, :)
    logical :: failed
    integer(int64) :: i
    call c_f_pointer(user, own)
    call c_f_pointer(results, outputs, [int(own%results, int64), count])
    failed = .false.
    do i = 1, count
      call own%collect(first + i, outputs(:, i), failed)
    end do
    call_collect = merge(1, 0, failed)
  end function

  ! Marks of programs with their own loop; first tasks are numbered from 1, workers from 1.

  subroutine midrun_iteration_begin(tasks, workers, status)
    integer(int64), intent(in) :: tasks
    integer, intent(in) :: workers
    integer, intent(out), optional :: status
    call conclude(c_iteration_begin(tasks, int(workers, c_int32_t)), 'midrun_iteration_begin', status)
  end subroutine

  subroutine midrun_iteration_end(status)
    integer, intent(out), optional :: status
    call conclude(c_iteration_end(), 'midrun_iteration_end', status)
  end subroutine

  subroutine midrun_work_begin(first, tasks, status)
    integer(int64), intent(in) :: first, tasks
    integer, intent(out), optional :: status
    call conclude(c_work_begin(first - 1, tasks), 'midrun_work_begin', status)
  end subroutine

  subroutine midrun_work_end(status)
    integer, intent(out), optional :: status
    call conclude(c_work_end(), 'midrun_work_end', status)
  end subroutine

  integer(int64) function midrun_next_chunk(worker)
    integer, intent(in) :: worker
    midrun_next_chunk = c_next_chunk(int(worker - 1, c_int32_t))
  end function

  subroutine midrun_chunk_done(worker, tasks, seconds, status)
    integer, intent(in) :: worker
    integer(int64), intent(in) :: tasks
    real(real64), intent(in) :: seconds
    integer, intent(out), optional :: status
    call conclude(c_chunk_done(int(worker - 1, c_int32_t), tasks, seconds), 'midrun_chunk_done', status)
  end subroutine

  subroutine midrun_safe_point(status)
    integer, intent(out), optional :: status
    call conclude(c_safe_point(), 'midrun_safe_point', status)
  end subroutine

  ! A variable that midrun may change at safe points: save it, and give it the attributes target and volatile.

  subroutine expose_int32(name, variable, minimum, maximum, status)
    character(*), intent(in) :: name
    integer(int32), intent(inout), target :: variable
    integer(int32), intent(in) :: minimum, maximum
    integer, intent(out), optional :: status
    call conclude(c_expose_int(trim(name) // c_null_char, c_loc(variable), minimum, maximum), 'midrun_expose', status)
  end subroutine

  subroutine expose_real32(name, variable, minimum, maximum, status)
    character(*), intent(in) :: name
    real(real32), intent(inout), target :: variable
    real(real32), intent(in) :: minimum, maximum
    integer, intent(out), optional :: status
    call conclude(c_expose_float(trim(name) // c_null_char, c_loc(variable), minimum, maximum), 'midrun_expose', status)
  end subroutine

  subroutine expose_real64(name, variable, minimum, maximum, status)
    character(*), intent(in) :: name
    real(real64), intent(inout), target :: variable
    real(real64), intent(in) :: minimum, maximum
    integer, intent(out), optional :: status
    call conclude(c_expose_double(trim(name) // c_null_char, c_loc(variable), minimum, maximum), 'midrun_expose', status)
  end subroutine

end module
