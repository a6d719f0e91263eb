#include "libxtf/tree/items.h"

#include "libxtf/base/checksum.h"

bool xtf_trace_item_lies_within(const XtfSource *source, XtfRef ref, const char *name, GError **error)
{
    if (ref.length > xtf_source_size(source) || ref.offset > xtf_source_size(source) - ref.length)
        return xtf_damaged(error, "%s: byte %" PRIu64 " plus %u bytes is beyond the end of the file, byte %" PRIu64,
                           name, ref.offset, ref.length, xtf_source_size(source));
    if (ref.offset % XTF_ITEM_ALIGNMENT != 0 || ref.length > XTF_ITEM_MAX)
        return xtf_damaged(error, "%s: invalid reference to an item at byte %" PRIu64 ", %u bytes", name, ref.offset,
                           ref.length);
    return true;
}

static bool fail_checksum(XtfSource *source, XtfRef ref, const char *name, GError **error)
{
    uint64_t at = source->ops->file_offset ? source->ops->file_offset(source, ref.offset) : ref.offset;

    xtf_damaged(error, "%s (byte %" PRIu64 "): its checksum is wrong", name, at);
    if (source->ops->name_file)
        source->ops->name_file(source, ref.offset, error);
    return false;
}

const uint8_t *xtf_opening_item(const XtfOpening *opening, XtfRef ref)
{
    uint64_t from = ref.offset - opening->offset;

    return ref.offset >= opening->offset && from <= opening->length && ref.length <= opening->length - from
               ? opening->bytes + from
               : NULL;
}

bool xtf_trace_read_item_to(XtfTrace *trace, XtfRef ref, const char *name, uint8_t *bytes, GError **error)
{
    const uint8_t *known = xtf_opening_item(&trace->opening, ref);

    if (known && ref.length > 0)
        memcpy(bytes, known, ref.length);
    else if (ref.length > 0 && !trace->source->ops->read(trace->source, ref.offset, bytes, ref.length, error))
        return false;
    return xtf_checksum(bytes, ref.length) == ref.checksum || fail_checksum(trace->source, ref, name, error);
}

uint8_t *xtf_trace_allocate(uint64_t length, const char *name, GError **error)
{
    uint8_t *bytes = g_try_malloc(MAX(length, 1));

    if (!bytes)
        xtf_fail(error, XTF_ERROR_TOO_LARGE, "%s: not enough memory for %" PRIu64 " bytes", name, length);
    return bytes;
}

uint8_t *xtf_trace_read_item(XtfTrace *trace, XtfRef ref, const char *name, GError **error)
{
    if (!xtf_trace_item_lies_within(trace->source, ref, name, error))
        return NULL;
    g_autofree uint8_t *bytes = xtf_trace_allocate(ref.length, name, error);
    return bytes && xtf_trace_read_item_to(trace, ref, name, bytes, error) ? g_steal_pointer(&bytes) : NULL;
}

const uint8_t *xtf_trace_borrow_item(XtfTrace *trace, XtfRef ref, const char *name, uint8_t **own, GError **error)
{
    const uint8_t *known = xtf_opening_item(&trace->opening, ref);

    if (!known || ref.length == 0 || ref.offset % XTF_ITEM_ALIGNMENT != 0)
        return *own = xtf_trace_read_item(trace, ref, name, error);
    if (xtf_checksum(known, ref.length) == ref.checksum)
        return known;
    fail_checksum(trace->source, ref, name, error);
    return NULL;
}
