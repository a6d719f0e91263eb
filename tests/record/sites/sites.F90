! Calls MPI by one binding, and counts the calls by line. BINDING is 0 for mpif.h, 1 for the module mpi, 2 for the module
! mpi_f08.
#if BINDING == 2
#define REQUEST type(MPI_Request)
#define COMM type(MPI_Comm)
#define WINDOW type(MPI_Win)
#else
#define REQUEST integer
#define COMM integer
#define WINDOW integer
#endif
#define COUNTED(name) call count(__LINE__, "name"); call name

module exchanges
#if BINDING == 2
  use mpi_f08
#elif BINDING == 1
  use mpi
#endif
  implicit none
#if BINDING == 0
  include 'mpif.h'
#endif
  integer :: counts(1000) = 0, ierr, rank, n_ranks
  character(len=32) :: names(1000)
contains
  subroutine count(line, name)
    integer, intent(in) :: line
    character(len=*), intent(in) :: name
    counts(line) = counts(line) + 1
    names(line) = name
  end subroutine

  subroutine exchange(times)
    integer, intent(in) :: times
    integer :: i, in(4), out(4)
    REQUEST :: requests(2)
    out = rank
    do i = 1, times
      COUNTED(MPI_Irecv)(in, 4, MPI_INTEGER, mod(rank + n_ranks - 1, n_ranks), 1, MPI_COMM_WORLD, requests(1), ierr)
      COUNTED(MPI_Isend)(out, 4, MPI_INTEGER, mod(rank + 1, n_ranks), 1, MPI_COMM_WORLD, requests(2), ierr)
      COUNTED(MPI_Waitall)(2, requests, MPI_STATUSES_IGNORE, ierr)
      COUNTED(MPI_Barrier)(MPI_COMM_WORLD, ierr)
    end do
    COUNTED(MPI_Barrier)(MPI_COMM_WORLD, ierr)
  end subroutine
end module

subroutine reduce(times)
  use exchanges
  implicit none
  integer, intent(in) :: times
  integer :: i, total
  COMM :: copy
  COUNTED(MPI_Comm_dup)(MPI_COMM_WORLD, copy, ierr)
  do i = 1, times
    COUNTED(MPI_Allreduce)(i, total, 1, MPI_INTEGER, MPI_SUM, copy, ierr)
    COUNTED(MPI_Allreduce)(i, total, 1, MPI_INTEGER, MPI_MAX, copy, ierr)
    COUNTED(MPI_Bcast)(total, 1, MPI_INTEGER, 0, copy, ierr)
  end do
  COUNTED(MPI_Comm_set_name)(copy, 'copy', ierr)
  COUNTED(MPI_Comm_free)(copy, ierr)
end subroutine

program sites
  use exchanges
  implicit none
  integer :: line
  character(len=32) :: path
  COUNTED(MPI_Init)(ierr)
  COUNTED(MPI_Comm_rank)(MPI_COMM_WORLD, rank, ierr)
  COUNTED(MPI_Comm_size)(MPI_COMM_WORLD, n_ranks, ierr)
  call exchange(5)
  call exchange(2)
  call reduce(3)
  COUNTED(MPI_Finalize)(ierr)
  write (path, '(a, i0)') 'counts.', rank
  open (10, file=path)
  do line = 1, 1000
    if (counts(line) > 0) write (10, '(a, " - sites.F90 ", i0, " ", i0)') trim(names(line)), line, counts(line)
  end do
  close (10)
end program
