! The head of the module of every_fortran.py: callbacks, and macros for differences between the bindings. BINDING is 0
! for mpif.h, 1 for the module mpi, 2 for the module mpi_f08.
#if BINDING == 2
#define COMM type(MPI_Comm)
#define DATATYPE type(MPI_Datatype)
#define ERRHANDLER type(MPI_Errhandler)
#define FILE_HANDLE type(MPI_File)
#define GROUP type(MPI_Group)
#define INFO type(MPI_Info)
#define MESSAGE type(MPI_Message)
#define OPERATION type(MPI_Op)
#define REQUEST type(MPI_Request)
#define SESSION type(MPI_Session)
#define WINDOW type(MPI_Win)
#define STATUS type(MPI_Status)
#define STATUSES(name) type(MPI_Status) :: name(*)
#else
#define COMM integer
#define DATATYPE integer
#define ERRHANDLER integer
#define FILE_HANDLE integer
#define GROUP integer
#define INFO integer
#define MESSAGE integer
#define OPERATION integer
#define REQUEST integer
#define SESSION integer
#define WINDOW integer
#define STATUS integer, dimension(MPI_STATUS_SIZE)
#define STATUSES(name) integer :: name(MPI_STATUS_SIZE, *)
#endif
#if BINDING == 1 && defined(MPICH_4_0)
#define PARRIVED integer
#else
#define PARRIVED logical
#endif

module every
  use, intrinsic :: iso_c_binding, only: c_ptr, c_int
#if BINDING == 2
  use mpi_f08
#elif BINDING == 1
  use mpi
#endif
  implicit none
#if BINDING == 0
  include 'mpif.h'
#endif
#if BINDING == 1 && defined(MPICH_4_0)
  external :: MPI_CONVERSION_FN_NULL ! MPICH's module lacks it
#endif
  integer(c_int), bind(C) :: variant
contains

#if BINDING == 2
subroutine on_reduce(in, inout, n, datatype)
  type(c_ptr), value :: in, inout
  integer :: n
  DATATYPE :: datatype
end subroutine
#else
subroutine on_reduce(in, inout, n, datatype)
  integer :: in(*), inout(*), n, datatype
end subroutine
#endif

subroutine on_comm_error(handle, code)
  COMM :: handle
  integer :: code
end subroutine

subroutine on_win_error(handle, code)
  WINDOW :: handle
  integer :: code
end subroutine

subroutine on_file_error(handle, code)
  FILE_HANDLE :: handle
  integer :: code
end subroutine

#ifdef SESSIONS
subroutine on_session_error(handle, code)
  SESSION :: handle
  integer :: code
end subroutine
#endif

subroutine on_query(extra_state, status, ierror)
  integer(MPI_ADDRESS_KIND) :: extra_state
  STATUS :: status
  integer :: ierror
  interface
    subroutine set_status(status) bind(C)
      import
      STATUS :: status
    end subroutine
  end interface
  call set_status(status)
  ierror = MPI_SUCCESS
end subroutine

subroutine on_free(extra_state, ierror)
  integer(MPI_ADDRESS_KIND) :: extra_state
  integer :: ierror
  ierror = MPI_SUCCESS
end subroutine

subroutine on_cancel(extra_state, complete, ierror)
  integer(MPI_ADDRESS_KIND) :: extra_state
  logical :: complete
  integer :: ierror
  ierror = MPI_SUCCESS
end subroutine

subroutine on_extent(datatype, extent, extra_state, ierror)
  DATATYPE :: datatype
  integer(MPI_ADDRESS_KIND) :: extent, extra_state
  integer :: ierror
  extent = 4
  ierror = MPI_SUCCESS
end subroutine
