! A stencil whose last process works longer than the others. Lines with a mark are WAITS, where the others wait, or ENDS,
! where the last process ends their wait. BINDING is 0 for mpif.h, 1 for the module mpi, 2 for the module mpi_f08.
module stencil
#if BINDING == 2
  use mpi_f08
#elif BINDING == 1
  use mpi
#endif
  implicit none
#if BINDING == 0
  include 'mpif.h'
#endif
  integer :: ierr, rank, n_ranks
contains
  subroutine work(milliseconds)
    integer, intent(in) :: milliseconds
    integer(kind=8) :: begin, now, rate
    call system_clock(begin, rate)
    do
      call system_clock(now)
      if (now - begin >= milliseconds * rate / 1000) exit
    end do
  end subroutine

  subroutine exchange()
    double precision :: cells(64), halo(64)
#if BINDING == 2
    type(MPI_Request) :: requests(2)
#else
    integer :: requests(2)
#endif
    cells = rank
    call MPI_Irecv(halo, 64, MPI_DOUBLE_PRECISION, mod(rank + n_ranks - 1, n_ranks), 1, MPI_COMM_WORLD, requests(1), ierr)
    call MPI_Isend(cells, 64, MPI_DOUBLE_PRECISION, mod(rank + 1, n_ranks), 1, MPI_COMM_WORLD, requests(2), ierr) ! ENDS
    call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE, ierr) ! WAITS
  end subroutine
end module

program slow
  use stencil
  implicit none
  integer :: i
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, n_ranks, ierr)
  do i = 1, 16
    if (rank == n_ranks - 1) call work(40)
    call exchange()
  end do
  call MPI_Finalize(ierr)
end program
