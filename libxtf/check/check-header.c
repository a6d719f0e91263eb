#include "libxtf/check/check-private.h"

/* Reads the superblock of a slot, where *found. A slot may hold zeros, as the second one before the second commit.
 * Fails if a slot holds neither. */
static bool check_slot(const XtfTrace *trace, unsigned slot, XtfSuperblock *superblock, bool *found, GError **error)
{
    static const uint8_t zeros[sizeof(XtfDiskSuperblock)];
    uint8_t bytes[sizeof zeros];

    XtfSource *own = trace->file->own;

    if (!xtf_superblock_read_slot(own, slot, superblock, found, error) ||
        !own->ops->read(own, (uint64_t)slot * XTF_SUPERBLOCK_STRIDE, bytes, sizeof bytes, error))
        return false;
    return *found || memcmp(bytes, zeros, sizeof zeros) == 0 ||
           xtf_damaged(error, "superblock %u (byte %u) is damaged", slot, slot * XTF_SUPERBLOCK_STRIDE);
}

/* Checks the file's own segment, which begins at page 0. A merged file does not list it. */
static void check_own_segment(const XtfSuperblock *superblock, const XtfSegment *segment, XtfChecking *check)
{
    if (segment->id != xtf_load64(superblock->info.file_id))
        xtf_checking_problem(check, "superblock: the file id does not begin with the id of the file's segment");
    if (segment->epoch > superblock->info.epoch)
        xtf_checking_problem(check, "superblock: its epoch is %u, but there are pages of epoch %u",
                             superblock->info.epoch, segment->epoch);
}

static void check_own_numbers(XtfChecking *check)
{
    const XtfTrace *trace = check->trace;
    const XtfSuperblock *superblock = &trace->superblock;
    const XtfTraceInfo *info = &superblock->info;
    uint64_t size = trace->source->size, opening_end = superblock->opening + superblock->opening_bytes;

    if (info->commit == 0 || info->epoch == 0)
        xtf_checking_problem(check, "superblock: commit %" PRIu64 ", epoch %u: both must be at least 1", info->commit,
                             info->epoch);
    if (info->kept_commits < 2)
        xtf_checking_problem(check, "superblock: %u commits are kept, fewer than 2", info->kept_commits);
    if (superblock->opening > size || superblock->opening_bytes > size - superblock->opening ||
        superblock->catalog.offset < superblock->opening ||
        superblock->catalog.offset + superblock->catalog.length > opening_end)
        xtf_checking_problem(check, "superblock: the opening run does not contain the catalog, or ends after the file");
    for (uint32_t i = 0; i < trace->catalog.n_segments; i++)
        if (trace->catalog.segments[i].first_page == 0)
            check_own_segment(superblock, &trace->catalog.segments[i], check);
}

void xtf_checking_superblocks(XtfChecking *check)
{
    const XtfTrace *trace = check->trace;
    XtfSuperblock superblocks[XTF_SUPERBLOCK_SLOTS];
    bool found[XTF_SUPERBLOCK_SLOTS] = {0};

    bool sound = true;

    for (unsigned slot = 0; slot < XTF_SUPERBLOCK_SLOTS; slot++) {
        g_autoptr(GError) error = NULL;
        if (check_slot(trace, slot, &superblocks[slot], &found[slot], &error))
            continue;
        xtf_checking_problem(check, "%s", error->message);
        sound = false;
    }
    /* A closing writer writes both superblocks. If power failed between the two writes, only one reached the disk. */
    check->report.one_superblock = sound && trace->superblock.info.closed &&
                                   !(found[0] && found[1] && superblocks[0].info.commit == superblocks[1].info.commit);
    if (trace->catalog.unmarked)
        xtf_checking_problem(check, "catalog: a required section is not marked as required");
    check_own_numbers(check);
}

/* ---- The other superblock of a closed file. */

static bool numbers_equal(const XtfSuperblock *a, const XtfSuperblock *b)
{
    const XtfTraceInfo *left = &a->info, *right = &b->info;

    return memcmp(left->file_id, right->file_id, sizeof left->file_id) == 0 && left->page_size == right->page_size &&
           left->version_major == right->version_major && left->version_minor == right->version_minor &&
           a->checksum_kind == b->checksum_kind && left->epoch == right->epoch && left->wall_time == right->wall_time &&
           left->pages == right->pages && left->closed == right->closed && left->kept_commits == right->kept_commits &&
           left->kept_seconds == right->kept_seconds && a->incompatible == b->incompatible &&
           a->read_only == b->read_only && a->compatible == b->compatible;
}

static bool limits_equal(const XtfCatalog *a, const XtfCatalog *b)
{
    g_autoptr(GByteArray) left = g_byte_array_new(), right = g_byte_array_new();

    for (uint32_t i = 0; i < a->n_schemas; i++) {
        xtf_catalog_encode_limits(a, i, left);
        xtf_catalog_encode_limits(b, i, right);
    }
    return left->len == right->len && (left->len == 0 || memcmp(left->data, right->data, left->len) == 0);
}

/* Encodes all of a catalog except schemas and limits. */
static GByteArray *encode_other_sections(const XtfCatalog *catalog)
{
    g_autofree XtfRef *none = g_new0(XtfRef, catalog->n_counts + 1);
    XtfCatalog copy = *catalog;
    GByteArray *bytes = g_byte_array_new();

    copy.schema_chunks = (XtfChunks){0};
    copy.limit_items = none;
    xtf_catalog_encode(&copy, bytes);
    return bytes;
}

static bool catalogs_equal(const XtfCatalog *a, const XtfCatalog *b)
{
    g_autoptr(GByteArray) left = encode_other_sections(a), right = encode_other_sections(b);

    if (left->len != right->len || memcmp(left->data, right->data, left->len) != 0)
        return false;
    for (uint32_t i = 0; i < a->n_schemas; i++)
        if (!xtf_schema_equal(a->schemas[i], b->schemas[i]))
            return false;
    return limits_equal(a, b);
}

static bool is_item_of(const XtfRef *refs, uint32_t n, XtfRef ref)
{
    for (uint32_t i = 0; i < n; i++)
        if (refs[i].length > 0 && refs[i].offset == ref.offset)
            return true;
    return false;
}

/* True if the catalogs of two superblocks share an item. Damage to the item would lose both catalogs. */
static bool share_items(const XtfCatalog *a, const XtfCatalog *b)
{
    for (uint32_t i = 0; i < a->schema_chunks.n; i++)
        if (is_item_of(b->schema_chunks.chunks, b->schema_chunks.n, a->schema_chunks.chunks[i]))
            return true;
    for (uint32_t i = 0; i < a->n_schemas; i++)
        if (is_item_of(b->limit_items, b->n_schemas, a->limit_items[i]))
            return true;
    return false;
}

void xtf_checking_twin(XtfChecking *check, const XtfTwin *twin)
{
    const XtfTrace *trace = check->trace;

    if (!trace->superblock.info.closed)
        return;
    if (!numbers_equal(&trace->superblock, &twin->superblock))
        xtf_checking_problem(check, "superblocks: they are of one commit but differ");
    if (trace->superblock.catalog.offset == twin->superblock.catalog.offset)
        xtf_checking_problem(check, "superblocks: both name the same catalog");
    else if (!catalogs_equal(&trace->catalog, &twin->catalog))
        xtf_checking_problem(check, "superblocks: their catalogs differ");
    else if (share_items(&trace->catalog, &twin->catalog))
        xtf_checking_problem(check, "superblocks: their catalogs share schemas or limits");
}
