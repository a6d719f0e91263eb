! Regions by xtf_user: two calls of "step" in a place of the source, one of "outer" by a name in a variable, and none while recording is off.
program regions
    use mpi
    use xtf_user
    implicit none
    integer :: error, i
    character(len=20) :: outer

    outer = 'outer'
    call MPI_Init(error)
    call xtf_region_begin(outer)
    do i = 1, 2
        call xtf_region_begin('step', __FILE__, __LINE__)
        call MPI_Barrier(MPI_COMM_WORLD, error)
        call xtf_region_end('step', __FILE__)
    end do
    call xtf_recording_off()
    call xtf_region_begin('unseen')
    call xtf_region_end('unseen')
    call xtf_recording_on()
    call xtf_region_end('outer')
    call xtf_region_end('never begun')
    call MPI_Finalize(error)
    print '(a)', 'done'
end program regions
