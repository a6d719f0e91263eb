! Rows and columns in turn, with MPI_Alltoallv between them.
!
!   transpose RANK STEPS EXTRA      the rank with most rows, for which it takes EXTRA milliseconds longer
program transpose_rows
  use mpi_f08
  use fault
  implicit none
  integer, parameter :: n = 16
  integer :: slow, steps, rank, processes, i
  real :: extra
  integer, allocatable :: counts(:), places(:)
  double precision, allocatable :: rows(:), columns(:)

  call read_arguments(slow, steps, extra)
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, processes)
  allocate (counts(processes), places(processes), rows(n * processes), columns(n * processes))
  counts = n
  places = [(n * (i - 1), i = 1, processes)]
  rows = rank
  do i = 1, steps
    call work(2 + merge(extra, 0.0, rank == slow))
    call MPI_Alltoallv(rows, counts, places, MPI_DOUBLE_PRECISION, columns, counts, places, MPI_DOUBLE_PRECISION, &
                       MPI_COMM_WORLD)
  end do
  call MPI_Finalize()
end program
