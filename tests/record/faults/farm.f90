! A master that hands tasks to workers, one at a time, and writes each result before it hands out the next one.
!
!   farm RANK TASKS EXTRA      the rank of the master, and the milliseconds of a write
program farm
  use mpi_f08
  use fault
  implicit none
  integer :: master, tasks, rank, processes, i
  real :: extra

  call read_arguments(master, tasks, extra)
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, processes)
  if (rank == master) then
    call hand_out()
  else
    call do_tasks()
  end if
  call MPI_Finalize()

contains

  subroutine hand_out()
    type(MPI_Status) :: status
    integer :: done, answer

    do i = 1, tasks + processes - 1
      call MPI_Recv(answer, 1, MPI_INTEGER, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, status)
      call store_result()
      done = merge(1, 0, i > tasks)
      call MPI_Send(done, 1, MPI_INTEGER, status%MPI_SOURCE, 1, MPI_COMM_WORLD)
    end do
  end subroutine

  subroutine store_result()
    call work(extra)
  end subroutine

  subroutine do_tasks()
    integer :: done

    do
      call MPI_Send(rank, 1, MPI_INTEGER, master, 0, MPI_COMM_WORLD)
      call MPI_Recv(done, 1, MPI_INTEGER, master, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
      if (done == 1) exit
      call work(1.0)
    end do
  end subroutine
end program
