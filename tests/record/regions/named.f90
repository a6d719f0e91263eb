! Each kind of subprogram that compilers rename. They print nothing, and call each other as often as test_regions.py
! says.
module work
  implicit none
contains
  subroutine rows(n)
    integer, intent(inout) :: n

    call helper()
    call helper()
  contains
    subroutine helper()
      n = n + 1
    end subroutine
  end subroutine

  subroutine bound(n) bind(c, name='Bound_In_C')
    use, intrinsic :: iso_c_binding
    integer(c_int), intent(inout) :: n

    n = n + 1
  end subroutine
end module

program spectrum
  use work
  use, intrinsic :: iso_c_binding
  implicit none
  interface
    subroutine of_c(n) bind(c, name='of_c_')
      import c_int
      integer(c_int) :: n
    end subroutine
    subroutine solve(n)
      integer, intent(inout) :: n
    end subroutine
  end interface
  integer(c_int) :: n

  n = 0
  call rows(n)
  call helper()
  call bound(n)
  call solve(n)
  call of_c(n)
contains
  subroutine helper()
    n = n + 1
  end subroutine
end program

subroutine solve(n)
  implicit none
  integer, intent(inout) :: n

  n = n + 1
end subroutine
