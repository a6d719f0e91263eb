/* Files. */
#include "src/record/collect/rows/collect.h"

/* PARADIGM_MPI_IO: id of the only paradigm. */
enum { PARADIGM_MPI_IO = 0, CLASS_PARALLEL = 1 };

static uint32_t handle_of(XtfCollectRing *ring, uint32_t id)
{
    return xtf_collect_reference(ring->collector, XTF_MODEL_IO_HANDLES, id);
}

static uint32_t paradigm_of(XtfCollectTables *tables)
{
    bool is_new;
    uint32_t row = xtf_collect_new_row(tables, XTF_MODEL_IO_PARADIGMS, PARADIGM_MPI_IO, &is_new);

    if (is_new) {
        uint32_t name = xtf_collect_string(tables, "MPI-IO");
        XtfIoParadigmRow *to = xtf_collect_change_row(tables, XTF_MODEL_IO_PARADIGMS, row);
        to->class = CLASS_PARALLEL;
        to->identification = name;
        to->name = name;
    }
    return row;
}

static bool define_file(XtfCollectRing *ring, uint64_t id, const uint8_t *bytes, size_t size)
{
    XtfCollectData data = {.ring = ring, .data = bytes, .left = size};
    XtfCollectTables *tables = &ring->collector->tables;
    g_autofree char *name = NULL;
    XtfDefineFile file;

    if (!xtf_collect_read(&data, &file, sizeof file) || !xtf_collect_read_text(&data, file.name_size, &name))
        return false;
    if (id >= XTF_WIRE_NONE)
        return xtf_collect_malformed(ring, "file %" PRIu64 " cannot be defined", id);
    uint32_t row = xtf_collect_row(tables, XTF_MODEL_IO_FILES, (uint32_t)id), text = xtf_collect_string(tables, name);
    ((XtfIoFileRow *)xtf_collect_change_row(tables, XTF_MODEL_IO_FILES, row))->name = text;
    return true;
}

static bool define_handle(XtfCollectRing *ring, uint64_t id, const uint8_t *bytes, size_t size)
{
    XtfCollectData data = {.ring = ring, .data = bytes, .left = size};
    XtfCollector *collector = ring->collector;
    XtfDefineHandle handle;

    if (!xtf_collect_read(&data, &handle, sizeof handle))
        return false;
    if (id >= XTF_WIRE_NONE)
        return xtf_collect_malformed(ring, "handle %" PRIu64 " of a file cannot be defined", id);
    uint32_t row = xtf_collect_row(&collector->tables, XTF_MODEL_IO_HANDLES, (uint32_t)id);
    uint32_t file = xtf_collect_reference(collector, XTF_MODEL_IO_FILES, handle.file);
    uint32_t comm = xtf_collect_reference(collector, XTF_MODEL_COMMUNICATORS, handle.comm);
    uint32_t paradigm = paradigm_of(&collector->tables);
    XtfIoHandleRow *to = xtf_collect_change_row(&collector->tables, XTF_MODEL_IO_HANDLES, row);
    to->file = file;
    to->comm = comm;
    to->io_paradigm = paradigm;
    to->flags = handle.flags;
    return true;
}

/* ---- Opening and closing. */

static bool append_control(XtfCollectRing *ring, unsigned event, uint64_t time, XtfIoControlRow row)
{
    row.region = xtf_stream_region(&ring->stream);
    row.new_handle = XTF_NONE32;
    return xtf_stream_append(&ring->stream, XTF_MODEL_IO_CONTROL, event, time, &row);
}

static bool create_handle(XtfCollectRing *ring, uint64_t time, XtfWireHead head, const uint64_t *more)
{
    return append_control(ring, XTF_LABEL_IO_CREATE_HANDLE, time,
                          (XtfIoControlRow){.handle = handle_of(ring, head.arg),
                                            .mode = (uint8_t)MIN(xtf_collect_low(more[0]), UINT8_MAX),
                                            .creation_flags = xtf_collect_high(more[0]),
                                            .status_flags = xtf_collect_low(more[1]),
                                            .io_paradigm = XTF_NONE32,
                                            .file = XTF_NONE32});
}

static bool destroy_handle(XtfCollectRing *ring, uint64_t time, XtfWireHead head, const uint64_t *more)
{
    return append_control(ring, XTF_LABEL_IO_DESTROY_HANDLE, time,
                          (XtfIoControlRow){.handle = handle_of(ring, head.arg),
                                            .mode = UINT8_MAX,
                                            .creation_flags = XTF_NONE32,
                                            .status_flags = XTF_NONE32,
                                            .io_paradigm = XTF_NONE32,
                                            .file = XTF_NONE32});
}

static bool delete_file(XtfCollectRing *ring, uint64_t time, XtfWireHead head, const uint64_t *more)
{
    uint32_t file = xtf_collect_reference(ring->collector, XTF_MODEL_IO_FILES, head.arg);

    return append_control(ring, XTF_LABEL_IO_DELETE_FILE, time,
                          (XtfIoControlRow){.handle = XTF_NONE32,
                                            .mode = UINT8_MAX,
                                            .creation_flags = XTF_NONE32,
                                            .status_flags = XTF_NONE32,
                                            .io_paradigm = paradigm_of(&ring->collector->tables),
                                            .file = file});
}

static bool seek_file(XtfCollectRing *ring, uint64_t time, XtfWireHead head, const uint64_t *more)
{
    XtfIoSeeksRow row = {.region = xtf_stream_region(&ring->stream),
                         .handle = handle_of(ring, head.arg),
                         .offset = (int64_t)more[0],
                         .whence = (uint8_t)MIN(head.region, (uint32_t)UINT8_MAX),
                         .result = more[1]};

    return xtf_stream_append(&ring->stream, XTF_MODEL_IO_SEEKS, XTF_LABEL_IO_SEEK, time, &row);
}

/* ---- Reading and writing. */

static bool append_operation(XtfCollectRing *ring, unsigned event, uint64_t time, uint32_t handle,
                             XtfIoOperationsRow row)
{
    row.region = xtf_stream_region(&ring->stream);
    row.handle = handle_of(ring, handle);
    return xtf_stream_append(&ring->stream, XTF_MODEL_IO_OPERATIONS, event, time, &row);
}

static bool begin_operation(XtfCollectRing *ring, uint64_t time, XtfWireHead head, const uint64_t *more)
{
    return append_operation(ring, XTF_LABEL_IO_OPERATION_BEGIN, time, head.arg,
                            (XtfIoOperationsRow){.mode = (uint8_t)MIN(head.region, (uint32_t)UINT8_MAX),
                                                 .operation_flags = xtf_collect_low(more[0]),
                                                 .requested = more[1],
                                                 .bytes = XTF_NONE64,
                                                 .matching = more[2]});
}

static bool append_progress(XtfCollectRing *ring, unsigned event, uint64_t time, uint32_t handle, uint64_t matching,
                            uint64_t bytes)
{
    return append_operation(ring, event, time, handle,
                            (XtfIoOperationsRow){.mode = UINT8_MAX,
                                                 .operation_flags = XTF_NONE32,
                                                 .requested = XTF_NONE64,
                                                 .bytes = bytes,
                                                 .matching = matching});
}

static bool issue_operation(XtfCollectRing *ring, uint64_t time, XtfWireHead head, const uint64_t *more)
{
    return append_progress(ring, XTF_LABEL_IO_OPERATION_ISSUED, time, head.arg, more[0], XTF_NONE64);
}

static bool test_operation(XtfCollectRing *ring, uint64_t time, XtfWireHead head, const uint64_t *more)
{
    return append_progress(ring, XTF_LABEL_IO_OPERATION_TEST, time, head.arg, more[0], XTF_NONE64);
}

static bool complete_operation(XtfCollectRing *ring, uint64_t time, XtfWireHead head, const uint64_t *more)
{
    return append_progress(ring, XTF_LABEL_IO_OPERATION_COMPLETE, time, head.arg, more[0], more[1]);
}

static const XtfCollectKind kinds[] = {
    {XTF_WIRE_IO_CREATE_HANDLE, create_handle},
    {XTF_WIRE_IO_DESTROY_HANDLE, destroy_handle},
    {XTF_WIRE_IO_DELETE_FILE, delete_file},
    {XTF_WIRE_IO_SEEK, seek_file},
    {XTF_WIRE_IO_BEGIN, begin_operation},
    {XTF_WIRE_IO_ISSUED, issue_operation},
    {XTF_WIRE_IO_TEST, test_operation},
    {XTF_WIRE_IO_COMPLETE, complete_operation},
    {0},
};
static const XtfCollectDefinition definitions[] = {
    {XTF_DEFINE_FILE, define_file}, {XTF_DEFINE_HANDLE, define_handle}, {0}};
const XtfCollectRows xtf_collect_io = {.kinds = kinds, .definitions = definitions};
