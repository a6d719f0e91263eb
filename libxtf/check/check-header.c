#include "libxtf/check/check-header.h"

#include "libxtf/error.h"
#include "libxtf/tree/trace-private.h"

static void G_GNUC_PRINTF(2, 3) problem(const XtfAggregateCheck *check, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    g_autofree char *message = g_strdup_vprintf(format, arguments);
    va_end(arguments);
    check->problem(message, check->data);
}

/* Whether the slot is whole, or as empty as before the second commit. */
static bool check_slot(const XtfTrace *trace, unsigned slot, XtfSuperblock *superblock, bool *found, GError **error)
{
    static const uint8_t zeros[sizeof(XtfDiskSuperblock)];
    uint8_t bytes[sizeof zeros];

    if (!xtf_superblock_read_slot(trace->source, slot, superblock, found, error) ||
        !trace->source->ops->read(trace->source, (uint64_t)slot * XTF_SUPERBLOCK_STRIDE, bytes, sizeof bytes, error))
        return false;
    return *found || memcmp(bytes, zeros, sizeof zeros) == 0 ||
           xtf_damaged(error, "superblock %u (byte %u) is damaged", slot, slot * XTF_SUPERBLOCK_STRIDE);
}

/* The file's own segment, which begins at page 0. A merged file does not list it. */
static void check_own_segment(const XtfSuperblock *superblock, const XtfSegment *segment,
                              const XtfAggregateCheck *check)
{
    if (segment->id != xtf_load64(superblock->info.file_id))
        problem(check, "superblock: the file id does not begin with the id of the file's segment");
    if (segment->epoch > superblock->info.epoch)
        problem(check, "superblock: writer %u, but pages of writer %u", superblock->info.epoch, segment->epoch);
}

static void check_own_numbers(const XtfTrace *trace, const XtfAggregateCheck *check)
{
    const XtfSuperblock *superblock = &trace->superblock;
    const XtfTraceInfo *info = &superblock->info;
    uint64_t size = trace->source->size, opening_end = superblock->opening + superblock->opening_bytes;

    if (info->commit == 0 || info->epoch == 0)
        problem(check, "superblock: commit %" PRIu64 " of writer %u: both are counted from 1", info->commit,
                info->epoch);
    if (info->kept_commits < 2)
        problem(check, "superblock: %u commits are kept, fewer than 2", info->kept_commits);
    if (superblock->opening > size || superblock->opening_bytes > size - superblock->opening ||
        superblock->catalog.offset < superblock->opening ||
        superblock->catalog.offset + superblock->catalog.length > opening_end)
        problem(check, "superblock: what opening reads does not hold the catalog, or lies beyond the file");
    for (uint32_t i = 0; i < trace->catalog.n_segments; i++)
        if (trace->catalog.segments[i].first_page == 0)
            check_own_segment(superblock, &trace->catalog.segments[i], check);
}

void xtf_check_superblocks(const XtfTrace *trace, const XtfAggregateCheck *check)
{
    XtfSuperblock superblocks[XTF_SUPERBLOCK_SLOTS];
    bool found[XTF_SUPERBLOCK_SLOTS] = {0};

    for (unsigned slot = 0; slot < XTF_SUPERBLOCK_SLOTS; slot++) {
        g_autoptr(GError) error = NULL;
        if (!check_slot(trace, slot, &superblocks[slot], &found[slot], &error))
            problem(check, "%s", error->message);
    }
    if (trace->superblock.info.closed &&
        !(found[0] && found[1] && superblocks[0].info.commit == superblocks[1].info.commit))
        problem(check, "superblock: the file is closed, but only one superblock is of its last commit");
    check_own_numbers(trace, check);
}

static void check_name(const XtfSchema *schema, const char *name, const XtfAggregateCheck *check)
{
    if (!g_utf8_validate(name, -1, NULL))
        problem(check, "schema \"%s\": the name \"%s\" is not UTF-8", schema->name, name);
}

void xtf_check_names(const XtfTrace *trace, const XtfAggregateCheck *check)
{
    for (uint32_t i = 0; i < trace->catalog.n_schemas; i++) {
        const XtfSchema *schema = trace->catalog.schemas[i];
        check_name(schema, schema->name, check);
        for (uint32_t f = 0; f < schema->n_fields; f++) {
            const XtfField *field = &schema->fields[f];
            const char *const names[] = {field->name, field->role, field->unit, field->refers_to};
            for (unsigned n = 0; n < G_N_ELEMENTS(names); n++)
                check_name(schema, names[n], check);
            for (unsigned n = 0; n < field->n_labels; n++)
                check_name(schema, field->labels[n], check);
        }
    }
}
