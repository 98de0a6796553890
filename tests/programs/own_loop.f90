! own_loop.f90 - a Master/Worker loop of its own on two ranks, by nonblocking calls: MPI_Waitany and MPI_Waitall in the master, MPI_Wait and
! MPI_Sendrecv in the worker; with the argument `persistent` by persistent requests, one for each of two sizes: MPI_Startall and MPI_Waitall in the
! master, MPI_Start and MPI_Wait in the worker. Both compute for half a millisecond before they send, so that each message finds its receiver waiting.
program own_loop
  use mpi
  implicit none
  integer, parameter :: rounds = 60, longest = 4096
  character :: work(longest), answer(longest)
  integer :: rank, k, bytes, which, ierr, requests(2), kept(2, 0:1), statuses(MPI_STATUS_SIZE, 2), status(MPI_STATUS_SIZE)

  work = 'w'
  answer = 'a'
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  do k = 0, 1
    bytes = merge(8, longest, k == 0)
    call MPI_Send_init(work, bytes, MPI_CHARACTER, 1 - rank, 3, MPI_COMM_WORLD, kept(1, k), ierr)
    call MPI_Recv_init(answer, bytes, MPI_CHARACTER, 1 - rank, 3, MPI_COMM_WORLD, kept(2, k), ierr)
  end do
  do k = 1, merge(rounds, 0, command_argument_count() > 0)
    if (rank == 0) then
      call compute()
      call MPI_Startall(2, kept(:, mod(k, 2)), ierr)
      call MPI_Waitall(2, kept(:, mod(k, 2)), statuses, ierr)
    else
      call MPI_Start(kept(2, mod(k, 2)), ierr)
      call MPI_Wait(kept(2, mod(k, 2)), MPI_STATUS_IGNORE, ierr)
      call compute()
      call MPI_Start(kept(1, mod(k, 2)), ierr)
      call MPI_Wait(kept(1, mod(k, 2)), MPI_STATUS_IGNORE, ierr)
    end if
  end do
  do k = 1, merge(0, rounds, command_argument_count() > 0)
    bytes = merge(8, longest, mod(k, 2) == 0)
    if (rank == 0) then
      call compute()
      call MPI_Irecv(answer, bytes, MPI_CHARACTER, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, requests(1), ierr)
      call MPI_Isend(work, bytes, MPI_CHARACTER, 1, 1, MPI_COMM_WORLD, requests(2), ierr)
      call MPI_Wait(requests(2), MPI_STATUS_IGNORE, ierr)
      call MPI_Waitany(1, requests, which, status, ierr)
      call MPI_Irecv(answer, bytes, MPI_CHARACTER, 1, 2, MPI_COMM_WORLD, requests(1), ierr)
      call MPI_Isend(work, bytes, MPI_CHARACTER, 1, 2, MPI_COMM_WORLD, requests(2), ierr)
      call MPI_Waitall(2, requests, statuses, ierr)
    else
      call MPI_Irecv(work, bytes, MPI_CHARACTER, 0, 1, MPI_COMM_WORLD, requests(1), ierr)
      call MPI_Wait(requests(1), MPI_STATUS_IGNORE, ierr)
      call compute()
      call MPI_Send(answer, bytes, MPI_CHARACTER, 0, 1, MPI_COMM_WORLD, ierr)
      call compute()
      call MPI_Sendrecv(answer, bytes, MPI_CHARACTER, 0, 2, work, bytes, MPI_CHARACTER, 0, 2, &
        MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
    end if
  end do
  do k = 0, 1
    call MPI_Request_free(kept(1, k), ierr)
    call MPI_Request_free(kept(2, k), ierr)
  end do
  if (rank == 0) print '(a)', 'done'
  call MPI_Finalize(ierr)

contains

  subroutine compute()
    double precision :: begin
    begin = MPI_Wtime()
    do while (MPI_Wtime() - begin < 5d-4)
    end do
  end subroutine compute
end program own_loop
