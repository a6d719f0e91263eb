! Like exhausted.c in Fortran: calls MPI_Comm_idup when MPI has no identifiers left, and completes it by MPI_Wait and
! by MPI_Test.
program exhausted
    use mpi_f08
    implicit none
    type(MPI_Comm) :: parent, made
    type(MPI_Request) :: request
    integer :: error, n
    logical :: flag

    call MPI_Init(error)
    call MPI_Comm_dup(MPI_COMM_SELF, parent, error)
    call MPI_Comm_set_errhandler(parent, MPI_ERRORS_RETURN, error)
    call MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN, error)
    call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN, error)
    n = -1
    do while (error == MPI_SUCCESS)
        n = n + 1
        call MPI_Comm_dup(parent, made, error)
    end do
    print '(I0, A)', n, ' duplicates'
    call MPI_Comm_idup(parent, made, request, error)
    if (error == MPI_SUCCESS) call MPI_Wait(request, MPI_STATUS_IGNORE, error)
    print '(A, L1)', 'MPI_Wait: failed ', error /= MPI_SUCCESS
    call MPI_Comm_idup(parent, made, request, error)
    flag = .false.
    do while (error == MPI_SUCCESS .and. .not. flag)
        call MPI_Test(request, flag, MPI_STATUS_IGNORE, error)
    end do
    print '(A, L1)', 'MPI_Test: failed ', error /= MPI_SUCCESS
    call MPI_Finalize(error)
end program
