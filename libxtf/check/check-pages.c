#include "libxtf/check/check-private.h"

bool xtf_checking_use_page(XtfChecking *check, uint64_t page, uint8_t use)
{
    uint64_t slot = xtf_checking_page_slot(check, page);

    if (page >= check->trace->superblock.info.pages)
        xtf_checking_problem(check, "page %" PRIu64 " is used, but not allotted", page);
    if (page < xtf_first_place(check->trace->superblock.info.page_size))
        xtf_checking_problem(check, "page %" PRIu64 " is used, but reserved for superblocks", page);
    if (!xtf_checking_can_read(check, page))
        return true;
    if (slot >= check->n_uses) {
        if (use == XTF_USE_RESERVED && g_hash_table_add(check->beyond, g_memdup2(&page, sizeof page)))
            return true;
        xtf_checking_problem(check,
                             use == XTF_USE_RESERVED ? "page %" PRIu64 " is reserved twice"
                                                     : "page %" PRIu64 " lies past the end of the file",
                             page);
        return false;
    }
    uint8_t previous_use = check->uses[slot];
    bool free = previous_use == XTF_USE_NONE || (previous_use == XTF_USE_ITEM && use == XTF_USE_ITEM);
    if (!free)
        xtf_checking_problem(check, "page %" PRIu64 " is used twice", page);
    check->uses[slot] = use;
    return free;
}

void xtf_checking_use_item(XtfChecking *check, uint64_t base, XtfRef ref)
{
    uint32_t page_size = check->trace->superblock.info.page_size;

    if (ref.length == 0 || ref.offset > check->trace->source->size)
        return; /* reading the item reports the problem */
    uint64_t first = (base + ref.offset) / page_size, last = (base + ref.offset + ref.length - 1) / page_size;
    if (!xtf_checking_lies_in_one_file(check, first, last))
        xtf_checking_problem(check, "byte %" PRIu64 ": an item lies in two files", base + ref.offset);
    for (uint64_t page = first; page <= last && !xtf_checking_stopping(check); page++)
        xtf_checking_use_page(check, page, XTF_USE_ITEM);
}

void xtf_checking_use_own_item(XtfChecking *check, XtfRef ref)
{
    if (ref.length > 0 && !xtf_checking_lies_in_anchor(check, ref.offset / check->trace->superblock.info.page_size))
        xtf_checking_problem(check, "byte %" PRIu64 ": an item lies in a file beside the anchor, not in the anchor",
                             ref.offset);
    xtf_checking_use_item(check, 0, ref);
}

void xtf_checking_free_pages(XtfChecking *check)
{
    const XtfCatalog *catalog = &check->trace->catalog;

    uint64_t previous_page = 0;

    for (uint32_t i = 0; i < catalog->n_free_pages && !xtf_checking_stopping(check); i++) {
        const XtfFreePages *pages = &catalog->free_pages[i];
        uint64_t end = pages->page + pages->n_pages;
        if (pages->n_pages == 0)
            continue;
        if (pages->page < previous_page)
            xtf_checking_problem(check, "catalog: free pages %" PRIu64 " to %" PRIu64 " are out of order", pages->page,
                                 end);
        previous_page = pages->page;
        if (pages->page < xtf_first_place(check->trace->superblock.info.page_size) ||
            end > check->trace->superblock.info.pages || pages->commit > check->trace->superblock.info.commit)
            xtf_checking_problem(
                check, "catalog: free pages %" PRIu64 " to %" PRIu64 " are outside of the file or of a later commit",
                pages->page, end);
        end = MIN(end, check->n_uses + check->wrong_pages[catalog->n_files]);
        for (uint64_t page = pages->page; page < end && !xtf_checking_stopping(check); page++)
            xtf_checking_use_page(check, page, XTF_USE_FREE);
    }
}

void xtf_checking_count_pages(XtfChecking *check)
{
    for (uint64_t slot = xtf_first_place(check->trace->superblock.info.page_size); slot < check->n_uses; slot++) {
        check->report.reserved_pages += check->uses[slot] == XTF_USE_RESERVED;
        check->report.free_pages += check->uses[slot] == XTF_USE_FREE;
        check->report.unreachable_pages += check->uses[slot] == XTF_USE_NONE;
    }
    check->report.reserved_pages += g_hash_table_size(check->beyond);
}

void xtf_checking_add_identity(XtfChecking *check, const XtfArray *array)
{
    uint64_t identity = (uint64_t)array->segment << 32 | array->id;
    const XtfCodec *codec = xtf_codec(array->codec);

    g_array_append_val(check->array_ids, identity);
    if (codec && codec->feature & ~check->trace->superblock.incompatible)
        xtf_checking_problem(check, "array %u: its codec is %s, but the superblock lacks the feature bit of the codec",
                             array->id, codec->name);
}
