! Rows and columns by turns, with MPI_Alltoallv between them.
!
!     transpose RANK STEPS EXTRA      the rank that has most rows, and takes EXTRA milliseconds longer for them
program transpose_rows
  use mpi_f08
  use, intrinsic :: iso_c_binding
  implicit none
  interface
    integer(c_int) function usleep(microseconds) bind(c, name='usleep')
      import c_int
      integer(c_int), value :: microseconds
    end function
  end interface
  integer, parameter :: n = 16
  integer :: slow, steps, rank, processes, i, length
  integer(c_int) :: ignored
  real :: extra
  character(16) :: word
  integer, allocatable :: counts(:), places(:)
  double precision, allocatable :: rows(:), columns(:)

  call get_command_argument(1, word, length)
  read (word, *) slow
  call get_command_argument(2, word, length)
  read (word, *) steps
  call get_command_argument(3, word, length)
  read (word, *) extra
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, processes)
  allocate (counts(processes), places(processes), rows(n * processes), columns(n * processes))
  counts = n
  places = [(n * (i - 1), i = 1, processes)]
  rows = rank
  do i = 1, steps
    ignored = usleep(int(1000 * (2 + merge(extra, 0.0, rank == slow)), c_int))
    call MPI_Alltoallv(rows, counts, places, MPI_DOUBLE_PRECISION, columns, counts, places, MPI_DOUBLE_PRECISION, &
                       MPI_COMM_WORLD)
  end do
  call MPI_Finalize()
end program
