! The calls of calls.c in the same order, by one binding. BINDING is 0 for mpif.h, 1 for the module mpi, 2 for the
! module mpi_f08. Run by 2 processes, with the name of a file.
#if BINDING == 2
#define COMM type(MPI_Comm)
#define GROUP type(MPI_Group)
#define WINDOW type(MPI_Win)
#define FILE_HANDLE type(MPI_File)
#define REQUEST type(MPI_Request)
#define DATATYPE type(MPI_Datatype)
#define MESSAGE type(MPI_Message)
#define STATUS type(MPI_Status)
#define TAG_OF(status) status%MPI_TAG
#else
#define COMM integer
#define GROUP integer
#define WINDOW integer
#define FILE_HANDLE integer
#define REQUEST integer
#define DATATYPE integer
#define MESSAGE integer
#define STATUS integer, dimension(MPI_STATUS_SIZE)
#define TAG_OF(status) status(MPI_TAG)
#endif

module callbacks
#if BINDING == 2
  use mpi_f08
#elif BINDING == 1
  use mpi
#endif
  implicit none
#if BINDING == 0
  include 'mpif.h'
#endif
  integer :: n_deleted = 0
contains
  subroutine on_delete(handle, keyval, value, extra, ierr)
    COMM :: handle
    integer :: keyval, ierr
    integer(kind=MPI_ADDRESS_KIND) :: value, extra
    n_deleted = n_deleted + int(value)
    ierr = MPI_SUCCESS
  end subroutine

#if BINDING == 2
  subroutine add(from, into, n, datatype)
    use, intrinsic :: iso_c_binding, only: c_ptr, c_f_pointer
    type(c_ptr), value :: from, into
    integer :: n
    type(MPI_Datatype) :: datatype
    integer, pointer :: a(:), b(:)
    call c_f_pointer(from, a, [n])
    call c_f_pointer(into, b, [n])
    b = a + b
  end subroutine
#else
  subroutine add(from, into, n, datatype)
    integer :: n, datatype
    integer :: from(n), into(n)
    into = from + into
  end subroutine
#endif
end module

program calls
  use callbacks
  implicit none
  integer :: ierr, rank, n, peer, i, keyval, outcount, indices(2), counts(2), offsets(2), one(1), two(2), sums(2), length
  integer :: dims(1), coords(1)
  integer(kind=MPI_ADDRESS_KIND) :: attribute, extra, address, size_bytes, zero
  integer(kind=MPI_OFFSET_KIND) :: offset
  logical :: flag, periods(1)
  COMM :: world, copy, half, grid
  WINDOW :: win
  FILE_HANDLE :: fh
  REQUEST :: requests(2), one_request
  DATATYPE :: types(2), at_bottom
  MESSAGE :: found
  STATUS :: status1
#if BINDING == 2
  type(MPI_Status) :: statuses(2)
  type(MPI_Op) :: own_op
#else
  integer :: statuses(MPI_STATUS_SIZE, 2), own_op
#endif
  character(len=200) :: filename
  character(len=MPI_MAX_ERROR_STRING) :: text
  integer, target :: memory(4)

  call get_command_argument(1, filename)
  call MPI_Init(ierr)
  world = MPI_COMM_WORLD
  call MPI_Comm_rank(world, rank, ierr)
  call MPI_Comm_size(world, n, ierr)
  peer = 1 - rank
  one = rank
  two = 0

  ! messages
  if (rank == 0) then
    call MPI_Send(one, 1, MPI_INTEGER, peer, 7, world, ierr)
    call MPI_Recv(two, 2, MPI_INTEGER, peer, 8, world, status1, ierr)
    if (TAG_OF(status1) /= 8) call MPI_Abort(world, 1, ierr)
  else
    call MPI_Recv(two, 2, MPI_INTEGER, MPI_ANY_SOURCE, MPI_ANY_TAG, world, MPI_STATUS_IGNORE, ierr)
    call MPI_Send(two, 2, MPI_INTEGER, peer, 8, world, ierr)
  end if
  call MPI_Sendrecv(one, 1, MPI_INTEGER, peer, 9, two, 1, MPI_INTEGER, peer, 9, world, MPI_STATUS_IGNORE, ierr)
  call MPI_Irecv(two, 2, MPI_INTEGER, peer, 10, world, requests(1), ierr)
  call MPI_Isend(one, 1, MPI_INTEGER, peer, 10, world, requests(2), ierr)
  call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE, ierr)
  call MPI_Irecv(two, 2, MPI_INTEGER, peer, 11, world, requests(1), ierr)
  call MPI_Isend(one, 1, MPI_INTEGER, peer, 11, world, requests(2), ierr)
  call MPI_Waitall(2, requests, statuses, ierr)
  requests(1) = MPI_REQUEST_NULL
  call MPI_Irecv(two, 2, MPI_INTEGER, peer, 12, world, requests(2), ierr)
  call MPI_Send(one, 1, MPI_INTEGER, peer, 12, world, ierr)
  call MPI_Waitany(2, requests, i, status1, ierr)
  if (requests(2) /= MPI_REQUEST_NULL) call MPI_Abort(world, 2, ierr)
  call MPI_Irecv(two, 2, MPI_INTEGER, peer, 13, world, requests(2), ierr)
  call MPI_Send(one, 1, MPI_INTEGER, peer, 13, world, ierr)
  call MPI_Waitsome(2, requests, outcount, indices, MPI_STATUSES_IGNORE, ierr)
  if (outcount /= 1 .or. requests(2) /= MPI_REQUEST_NULL) call MPI_Abort(world, 3, ierr)
  call MPI_Isend(one, 1, MPI_INTEGER, peer, 14, world, one_request, ierr)
  call MPI_Mprobe(peer, 14, world, found, status1, ierr)
  call MPI_Mrecv(two, 2, MPI_INTEGER, found, MPI_STATUS_IGNORE, ierr)
  call MPI_Wait(one_request, MPI_STATUS_IGNORE, ierr)
  call MPI_Send_init(one, 1, MPI_INTEGER, peer, 15, world, requests(1), ierr)
  call MPI_Recv_init(two, 1, MPI_INTEGER, peer, 15, world, requests(2), ierr)
  call MPI_Startall(2, requests, ierr)
  call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE, ierr)
  call MPI_Start(requests(2), ierr)
  call MPI_Start(requests(1), ierr)
  call MPI_Waitall(2, requests, statuses, ierr)
  call MPI_Request_free(requests(1), ierr)
  call MPI_Request_free(requests(2), ierr)
  call MPI_Get_address(one, address, ierr)
  call MPI_Type_create_hindexed(1, [1], [address], MPI_INTEGER, at_bottom, ierr)
  call MPI_Type_commit(at_bottom, ierr)
  call MPI_Isend(MPI_BOTTOM, 1, at_bottom, peer, 16, world, one_request, ierr)
  call MPI_Recv(two, 2, MPI_INTEGER, peer, 16, world, MPI_STATUS_IGNORE, ierr)
  call MPI_Wait(one_request, status1, ierr)
  if (two(1) /= peer) call MPI_Abort(world, 4, ierr)
  call MPI_Type_free(at_bottom, ierr)
  call MPI_Send(one, 1, MPI_INTEGER, MPI_PROC_NULL, 17, world, ierr)

  ! collective operations
  call MPI_Barrier(world, ierr)
  call MPI_Bcast(two, 2, MPI_INTEGER, 1, world, ierr)
  sums = rank
  call MPI_Allreduce(MPI_IN_PLACE, sums, 2, MPI_INTEGER, MPI_SUM, world, ierr)
  if (sums(1) /= 1) call MPI_Abort(world, 5, ierr)
  call MPI_Allreduce(two, sums, 2, MPI_INTEGER, MPI_SUM, world, ierr)
  call MPI_Op_create(add, .true., own_op, ierr)
  call MPI_Reduce(one, sums, 1, MPI_INTEGER, own_op, 0, world, ierr)
  call MPI_Op_free(own_op, ierr)
  counts = [1, 1]
  offsets = [0, 1]
  call MPI_Gatherv(one, 1, MPI_INTEGER, sums, counts, offsets, MPI_INTEGER, 1, world, ierr)
  call MPI_Allgather(one, 1, MPI_INTEGER, sums, 1, MPI_INTEGER, world, ierr)
  call MPI_Scatter(sums, 1, MPI_INTEGER, one, 1, MPI_INTEGER, 0, world, ierr)
  one = rank
  types = MPI_INTEGER
  offsets = [0, 4]
  call MPI_Alltoallw(two, counts, offsets, types, sums, counts, offsets, types, world, ierr)
  call MPI_Alltoall(two, 1, MPI_INTEGER, sums, 1, MPI_INTEGER, world, ierr)
  call MPI_Scan(one, sums, 1, MPI_INTEGER, MPI_SUM, world, ierr)
  call MPI_Ibarrier(world, one_request, ierr)
  call MPI_Wait(one_request, MPI_STATUS_IGNORE, ierr)
  call MPI_Iallreduce(one, sums, 1, MPI_INTEGER, MPI_MAX, world, one_request, ierr)
  call MPI_Wait(one_request, status1, ierr)

  ! communicators
  extra = 0
  attribute = 5
  call MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, on_delete, keyval, extra, ierr)
  call MPI_Comm_dup(world, copy, ierr)
  call MPI_Comm_set_name(copy, 'the copy', ierr)
  call MPI_Comm_set_attr(copy, keyval, attribute, ierr)
  call MPI_Comm_get_attr(copy, keyval, extra, flag, ierr)
  if (.not. flag .or. extra /= 5) call MPI_Abort(world, 6, ierr)
  call MPI_Allreduce(one, sums, 1, MPI_INTEGER, MPI_SUM, copy, ierr)
  call MPI_Comm_free(copy, ierr)
  if (n_deleted /= 5) call MPI_Abort(world, 7, ierr)
  call MPI_Comm_free_keyval(keyval, ierr)
  call MPI_Comm_split(world, rank, 0, half, ierr)
  call MPI_Barrier(half, ierr)
  call MPI_Comm_free(half, ierr)
  dims = 2
  periods = .true.
  call MPI_Cart_create(world, 1, dims, periods, .false., grid, ierr)
  call MPI_Cart_coords(grid, rank, 1, coords, ierr)
  call MPI_Barrier(grid, ierr)
  call MPI_Comm_free(grid, ierr)

  ! windows and files
  zero = 0
  size_bytes = 16
  call MPI_Win_create(memory, size_bytes, 4, MPI_INFO_NULL, world, win, ierr)
  call MPI_Win_fence(0, win, ierr)
  call MPI_Put(one, 1, MPI_INTEGER, peer, zero, 1, MPI_INTEGER, win, ierr)
  call MPI_Win_fence(0, win, ierr)
  if (memory(1) /= peer) call MPI_Abort(world, 8, ierr)
  call MPI_Win_free(win, ierr)
  call MPI_File_open(world, filename, MPI_MODE_CREATE + MPI_MODE_RDWR, MPI_INFO_NULL, fh, ierr)
  offset = rank * 4
  call MPI_File_write_at(fh, offset, one, 1, MPI_INTEGER, MPI_STATUS_IGNORE, ierr)
  call MPI_File_read_at_all(fh, offset, two, 1, MPI_INTEGER, status1, ierr)
  call MPI_File_close(fh, ierr)

  ! texts
  call MPI_Error_string(MPI_ERR_RANK, text, length, ierr)
  if (length < 1 .or. text(length:length) == ' ') call MPI_Abort(world, 9, ierr)
  call MPI_Finalize(ierr)
  print '(a,i0)', 'well ', n
end program
