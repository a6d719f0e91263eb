! Code shared by the Fortran programs with a planted fault, like fault.h for C.
module fault
  use, intrinsic :: iso_c_binding
  implicit none
  interface
    integer(c_int) function usleep(microseconds) bind(c, name='usleep')
      import c_int
      integer(c_int), value :: microseconds
    end function
  end interface

contains

  ! Sleeps for some milliseconds, and leaves the processor free.
  subroutine work(milliseconds)
    real, intent(in) :: milliseconds
    integer(c_int) :: ignored

    ignored = usleep(int(1000 * milliseconds, c_int))
  end subroutine

  ! Reads the arguments of all programs: the rank with the fault, steps, and the milliseconds of the fault.
  subroutine read_arguments(rank, steps, extra)
    integer, intent(out) :: rank, steps
    real, intent(out) :: extra
    character(16) :: word

    call get_command_argument(1, word)
    read (word, *) rank
    call get_command_argument(2, word)
    read (word, *) steps
    call get_command_argument(3, word)
    read (word, *) extra
  end subroutine
end module
