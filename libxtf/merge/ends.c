/*
 * The end of the output: the items that opening reads, and the superblocks. The pages of an anchor's parts follow.
 */
#include <sys/random.h>

#include "libxtf/disk/address.h"
#include "libxtf/disk/files.h"
#include "libxtf/merge/merge-private.h"
#include "libxtf/schema/schema-codec.h"

static bool write_opening_items(const XtfMerge *merge, XtfMergeOutput *output, XtfCatalog *catalog,
                                XtfSuperblock *superblock, GError **error)
{
    g_autoptr(GByteArray) bytes = g_byte_array_new();
    XtfChunks schemas = {0};
    g_autofree XtfRef *limits = g_new0(XtfRef, catalog->n_schemas + 1);

    superblock->opening = xtf_merge_output_align(output);
    for (uint32_t i = 0; i < catalog->n_schemas; i++)
        xtf_schema_encode(catalog->schemas[i], bytes);
    if (bytes->len > 0 && !xtf_merge_add_chunk(output, bytes->data, bytes->len, &schemas, error))
        return false;
    g_free(catalog->schema_chunks.chunks);
    catalog->schema_chunks = schemas;
    for (uint32_t i = 0; i < catalog->n_schemas; i++) {
        g_byte_array_set_size(bytes, 0);
        xtf_catalog_encode_limits(catalog, i, bytes);
        if (!xtf_merge_output_add(output, bytes->data, bytes->len, &limits[i], error))
            return false;
    }
    g_free(catalog->limit_items);
    catalog->limit_items = g_steal_pointer(&limits);
    xtf_catalog_encode(catalog, bytes);
    if (!xtf_merge_output_add(output, bytes->data, bytes->len, &superblock->catalog, error))
        return false;
    superblock->opening_bytes = (uint32_t)MIN(output->end - superblock->opening, UINT32_MAX);
    return true;
}

static bool write_superblock(XtfMergeOutput *output, const XtfSuperblock *superblock, GError **error)
{
    XtfDiskSuperblock disk;

    xtf_superblock_encode(superblock, &disk);
    return xtf_merge_output_write(output, (uint64_t)superblock->slot * XTF_SUPERBLOCK_STRIDE, &disk, sizeof disk,
                                  error);
}

bool xtf_merge_new_file_id(uint8_t id[16], GError **error)
{
    return getrandom(id, 16, 0) == 16 || xtf_fail(error, XTF_ERROR_IO, "cannot get random bytes for the file id");
}

/* Returns the number of pages of the whole, parts included. */
static uint64_t count_pages(const XtfMerge *merge, const XtfMergeOutput *output, const XtfCatalog *catalog)
{
    const XtfPartFile *last = catalog->n_files > 0 ? &catalog->files[catalog->n_files - 1] : NULL;

    return last ? last->first_page + last->pages : (output->end + merge->page_size - 1) / merge->page_size;
}

/* Makes the opening run begin at an offset before it. Returns false if the run would be too long. */
static bool begin_opening(XtfSuperblock *superblock, uint64_t offset)
{
    uint64_t before = superblock->opening - offset;

    if (before > XTF_OPENING_BYTES || superblock->opening_bytes > XTF_OPENING_BYTES - before)
        return false;
    superblock->opening = offset;
    superblock->opening_bytes += (uint32_t)before;
    return true;
}

bool xtf_merge_write_ends(const XtfMerge *merge, XtfMergeOutput *output, uint64_t index, XtfCatalog *catalog,
                          GError **error)
{
    XtfSuperblock superblocks[XTF_SUPERBLOCK_SLOTS] = {{.info = merge->info}};

    if (merge->info.commit == 0) { /* a new file: create its id */
        superblocks[0].info = (XtfTraceInfo){.epoch = 1, .commit = 1, .closed = true, .kept_commits = 2};
        superblocks[0].info.wall_time = (uint64_t)g_get_real_time() * 1000;
        if (!xtf_merge_new_file_id(superblocks[0].info.file_id, error))
            return false;
    }
    superblocks[0].info.page_size = merge->page_size;
    superblocks[0].incompatible = merge->incompatible;
    superblocks[1] = superblocks[0];
    superblocks[1].slot = 1;
    for (unsigned slot = 0; slot < XTF_SUPERBLOCK_SLOTS; slot++) {
        if (!write_opening_items(merge, output, catalog, &superblocks[slot], error))
            return false;
        if (slot == 0 || catalog->leaf_lists.length == 0 ||
            !begin_opening(&superblocks[slot], catalog->leaf_lists.offset))
            begin_opening(&superblocks[slot], index);
    }
    if (!xtf_merge_output_flush(output, error))
        return false;
    for (unsigned slot = 0; slot < XTF_SUPERBLOCK_SLOTS; slot++) {
        superblocks[slot].info.pages = count_pages(merge, output, catalog);
        if (!write_superblock(output, &superblocks[slot], error))
            return false;
    }
    return true;
}

/* ---- The parts of an anchor. */

/* Finds the first page behind everything that is written or still will be. The length of a catalog does not depend on
 * the pages of the parts. */
static bool find_end(const XtfMerge *merge, const XtfMergeOutput *output, XtfCatalog *catalog, uint64_t *page,
                     GError **error)
{
    g_auto(XtfMergeOutput) scratch;
    XtfSuperblock superblock;

    xtf_merge_output_begin_in_memory(&scratch, output->path);
    if (!write_opening_items(merge, &scratch, catalog, &superblock, error))
        return false;
    uint64_t end = output->end + XTF_SUPERBLOCK_SLOTS * (scratch.end + XTF_ITEM_ALIGNMENT);
    *page = (end + merge->page_size - 1) / merge->page_size;
    return true;
}

/* Adds the files of a part to the catalog, at their pages in the whole. */
static bool name_files_of_part(const XtfPart *part, XtfCatalog *catalog, GError **error)
{
    catalog->files = g_renew(XtfPartFile, catalog->files, catalog->n_files + part->files->len);
    for (guint i = 0; i < part->files->len; i++) {
        XtfPartFile *file = &catalog->files[catalog->n_files++];
        *file = g_array_index(part->files, XtfPartFile, i);
        file->name = g_strdup(file->name);
        file->first_page += part->first_page;
        if (file->pages > XTF_FILES_PAGES_MAX)
            return xtf_fail(error, XTF_ERROR_TOO_LARGE, "%s: the superblock states more pages than a part may have",
                            part->path);
    }
    return true;
}

bool xtf_merge_name_files(const XtfMerge *merge, const XtfMergeOutput *output, XtfCatalog *catalog,
                          uint32_t own_strings, GError **error)
{
    uint64_t first;

    for (guint i = 0; i < merge->parts->len; i++)
        if (!name_files_of_part(merge->parts->pdata[i], catalog, error))
            return false;
    if (!find_end(merge, output, catalog, &first, error))
        return false;
    for (uint32_t i = 0; i < catalog->n_files; i++)
        catalog->files[i].first_page += first;
    for (uint32_t i = 0; i < catalog->n_segments; i++)
        catalog->segments[i].first_page += first;
    for (uint32_t i = own_strings; i < catalog->strings.n; i++)
        catalog->strings.chunks[i].offset += first * merge->page_size;
    return true;
}
