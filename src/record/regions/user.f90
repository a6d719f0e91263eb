! Regions of a program in Fortran, for `xtf record`: parts of it that a trace shows by name, as it shows calls of MPI.
!
!     use xtf_user
!     ...
!     call xtf_region_begin('assemble')     ! from here ...
!     ...
!     call xtf_region_end('assemble')       ! ... to here
!
! Compile this file with the program: compilers do not share modules. The program needs no library, and runs as before
! where it is not recorded. The functions are those of <xtf/user.h>, found when the program runs.
!
! Names need not be literals; blanks at their ends do not count. Regions of the same name are one region. With
! `file` and `line`, begin and end are regions of that file, and both must name the same one; in files that are
! preprocessed: call xtf_region_begin('assemble', __FILE__, __LINE__). A thread must end the regions that it has begun
! in the reverse order.
module xtf_user
    use, intrinsic :: iso_c_binding, only: c_char, c_f_procpointer, c_funptr, c_associated, c_int, c_loc, c_null_char, &
                                           c_null_ptr, c_ptr
    implicit none
    private
    public :: xtf_region_begin, xtf_region_end, xtf_recording_on, xtf_recording_off

    ! XtfUserRegion of <xtf/user.h>.
    type, bind(C) :: user_region
        type(c_ptr) :: name, file
        integer(c_int) :: line, is_function, number
    end type user_region

    abstract interface
        subroutine mark_region(region) bind(C)
            import :: user_region
            type(user_region), intent(inout) :: region
        end subroutine mark_region

        subroutine switch_recording(on) bind(C)
            import :: c_int
            integer(c_int), value :: on
        end subroutine switch_recording
    end interface

    interface
        function find_symbol(handle, name) bind(C, name='dlsym')
            import :: c_char, c_funptr, c_ptr
            type(c_ptr), value :: handle
            character(kind=c_char), intent(in) :: name(*)
            type(c_funptr) :: find_symbol
        end function find_symbol
    end interface

    ! The recorder's functions; null if the program is not recorded.
    procedure(mark_region), pointer, save :: user_begin => null(), user_end => null()
    procedure(switch_recording), pointer, save :: user_record => null()
    logical, save :: is_ready = .false.

contains

    ! Finds the recorder's functions. Several threads may do so at once: they find the same.
    subroutine find_functions()
        type(c_funptr) :: found

        found = find_symbol(c_null_ptr, 'xtf_user_begin' // c_null_char)
        if (c_associated(found)) call c_f_procpointer(found, user_begin)
        found = find_symbol(c_null_ptr, 'xtf_user_end' // c_null_char)
        if (c_associated(found)) call c_f_procpointer(found, user_end)
        found = find_symbol(c_null_ptr, 'xtf_user_record' // c_null_char)
        if (c_associated(found)) call c_f_procpointer(found, user_record)
        is_ready = .true.
    end subroutine find_functions

    ! Begins a region.
    subroutine xtf_region_begin(name, file, line)
        character(len=*), intent(in) :: name
        character(len=*), intent(in), optional :: file
        integer, intent(in), optional :: line

        if (.not. is_ready) call find_functions()
        if (associated(user_begin)) call mark(user_begin, name, file, line)
    end subroutine xtf_region_begin

    ! Ends the region of that name, and of that file, if one is given.
    subroutine xtf_region_end(name, file)
        character(len=*), intent(in) :: name
        character(len=*), intent(in), optional :: file

        if (.not. is_ready) call find_functions()
        if (associated(user_end)) call mark(user_end, name, file)
    end subroutine xtf_region_end

    ! Records the calling thread from here on, including its calls of MPI.
    subroutine xtf_recording_on()
        if (.not. is_ready) call find_functions()
        if (associated(user_record)) call user_record(1_c_int)
    end subroutine xtf_recording_on

    ! Ends the records of the calling thread.
    subroutine xtf_recording_off()
        if (.not. is_ready) call find_functions()
        if (associated(user_record)) call user_record(0_c_int)
    end subroutine xtf_recording_off

    ! Calls a function of the recorder with a region.
    subroutine mark(function, name, file, line)
        procedure(mark_region) :: function
        character(len=*), intent(in) :: name
        character(len=*), intent(in), optional :: file
        integer, intent(in), optional :: line
        character(kind=c_char, len=len_trim(name) + 1), target :: c_name
        character(kind=c_char, len=4096), target :: c_file
        type(user_region) :: region

        c_name = trim(name) // c_null_char
        c_file(1:1) = c_null_char
        if (present(file)) c_file = trim(file(1:min(len(file), 4095))) // c_null_char
        region%name = c_loc(c_name)
        region%file = c_loc(c_file)
        region%line = 0
        if (present(line)) region%line = int(line, c_int)
        region%is_function = 0
        region%number = 0
        call function(region)
    end subroutine mark

end module xtf_user
