#include <sys/stat.h>
#include <unistd.h>

#include "libxtf/disk/address.h"
#include "libxtf/disk/node.h"
#include "libxtf/merge/merge-private.h"

static void free_part(gpointer part)
{
    xtf_part_free(part);
}

void xtf_merge_init(XtfMerge *merge, const XtfMergeOptions *options)
{
    *merge = (XtfMerge){
        .join = xtf_join_new(),
        .parts = g_ptr_array_new_with_free_func(free_part),
        .files = xtf_part_set_new(),
        .arrays = g_array_new(FALSE, FALSE, sizeof(XtfArray)),
        .limits = g_ptr_array_new_with_free_func(g_free),
        .clocks = xtf_clock_set_new(),
        .clock_bytes = g_byte_array_new(),
        .leaf_heads = g_byte_array_new(),
        .leaf_lists = g_byte_array_new(),
        .deferred_limits = g_array_new(FALSE, FALSE, sizeof(XtfDeferredLimits)),
        .n_rows = g_array_new(FALSE, FALSE, sizeof(uint64_t)),
    };
    if (options)
        merge->options = *options;
}

void xtf_merge_finish(XtfMerge *merge)
{
    xtf_join_free(merge->join);
    g_hash_table_unref(merge->files);
    g_ptr_array_unref(merge->parts);
    g_array_unref(merge->arrays);
    g_ptr_array_unref(merge->limits);
    g_hash_table_unref(merge->clocks);
    g_byte_array_unref(merge->clock_bytes);
    g_byte_array_unref(merge->leaf_heads);
    g_byte_array_unref(merge->leaf_lists);
    g_array_unref(merge->deferred_limits);
    g_array_unref(merge->n_rows);
}

static bool report_merge_progress(const XtfMerge *merge, uint64_t done, uint64_t total, GError **error)
{
    const XtfMergeOptions *options = &merge->options;

    return !options->progress || options->progress(done, total, options->data) ||
           xtf_fail(error, XTF_ERROR_CANCELLED, "interrupted");
}

/* Reads a part. Retries if the part grew so far during reading that its writer overwrote the commit. */
static bool add_part_with_retry(XtfMerge *merge, const char *path, bool *fatal, GError **error)
{
    enum { ATTEMPTS_MAX = 8 };

    for (unsigned attempts = 1;; attempts++) {
        g_autoptr(GError) fault = NULL;
        if (xtf_merge_add_part(merge, path, fatal, &fault))
            return true;
        if (*fatal || attempts == ATTEMPTS_MAX || !g_error_matches(fault, XTF_ERROR, XTF_ERROR_STALE)) {
            g_propagate_error(error, g_steal_pointer(&fault));
            return false;
        }
    }
}

/* Reads the parts. Leaves out unreadable parts if options->keep_going is set. */
static bool add_parts(XtfMerge *merge, const char *const *paths, size_t n_parts, GError **error)
{
    const XtfMergeOptions *options = &merge->options;

    for (size_t i = 0; i < n_parts; i++) {
        g_autoptr(GError) fault = NULL;
        bool fatal;
        if (!report_merge_progress(merge, 0, 0, error))
            return false;
        if (add_part_with_retry(merge, paths[i], &fatal, &fault))
            continue;
        if (fatal || !options->keep_going) {
            g_propagate_error(error, g_steal_pointer(&fault));
            return false;
        }
        if (options->left_out)
            options->left_out(paths[i], fault, options->data);
    }
    return merge->parts->len > 0 || xtf_fail(error, XTF_ERROR_INVALID, "no part to merge");
}

static gint compare_arrays(gconstpointer a, gconstpointer b)
{
    const XtfArray *left = a, *right = b;
    return xtf_compare_array_keys(left->location, left->schema->id, right->location, right->schema->id);
}

static const XtfPart *find_part_of_segment(const XtfMerge *merge, uint32_t segment)
{
    for (guint i = merge->parts->len; i > 0; i--) {
        const XtfPart *part = merge->parts->pdata[i - 1];
        if (part->first_segment <= segment)
            return part;
    }
    return merge->parts->pdata[0];
}

/* Sorts the arrays of all parts into the order of the P index. All arrays of a location must be in one part. */
static bool order_arrays(XtfMerge *merge, GError **error)
{
    g_array_sort(merge->arrays, compare_arrays);
    for (guint i = 1; i < merge->arrays->len; i++) {
        const XtfArray *before = &g_array_index(merge->arrays, XtfArray, i - 1), *array = before + 1;
        if (before->location != array->location || before->segment == array->segment)
            continue;
        const XtfPart *first = find_part_of_segment(merge, before->segment),
                      *second = find_part_of_segment(merge, array->segment);
        if (first != second)
            return xtf_fail(error, XTF_ERROR_INVALID,
                            "%s and %s both have location %" PRIu64 ": xtf merge --runs joins runs of one job",
                            first->path, second->path, array->location);
    }
    return true;
}

static bool is_output_a_part(const XtfMerge *merge, const char *path, GError **error)
{
    struct stat status;
    bool exists = stat(path, &status) == 0;

    for (guint i = 0; exists && i < merge->parts->len; i++) {
        const XtfPart *part = merge->parts->pdata[i];
        if (part->device == status.st_dev && part->inode == status.st_ino) {
            xtf_fail(error, XTF_ERROR_IO, "%s: the output file is one of the parts", path);
            return true;
        }
    }
    return false;
}

static uint64_t place_parts(XtfMerge *merge, uint64_t page)
{
    uint64_t total = 0;

    for (guint i = 0; i < merge->parts->len; i++) {
        XtfPart *part = merge->parts->pdata[i];
        part->first_page = page;
        page += part->pages;
        for (guint f = 0; f < part->files->len; f++)
            total += g_array_index(part->files, XtfPartFile, f).size;
    }
    return total;
}

/* Copies all files of a part. `total`: bytes of all parts. */
static bool copy_part(const XtfMerge *merge, const XtfPart *part, uint64_t total, XtfMergeOutput *output,
                      GError **error)
{
    bool good = true;

    for (guint i = 0; i < part->files->len && good; i++) {
        const XtfPartFile *file = &g_array_index(part->files, XtfPartFile, i);
        int fd = xtf_part_open(part, file, error);
        good =
            fd >= 0 && xtf_merge_output_copy(output, fd, part, file, total, merge->page_size, &merge->options, error);
        if (fd >= 0)
            close(fd);
    }
    return good;
}

static bool refuse_removed(const XtfMerge *merge, GError **error)
{
    return merge->kept_from == 0 ||
           xtf_fail(error, XTF_ERROR_INVALID,
                    "the first volumes of the parts were removed: only --anchor joins the others, in place");
}

static bool copy_parts(XtfMerge *merge, XtfMergeOutput *output, GError **error)
{
    uint64_t total = place_parts(merge, xtf_first_place(merge->page_size));

    for (guint i = 0; i < merge->parts->len; i++)
        if (!copy_part(merge, merge->parts->pdata[i], total, output, error))
            return false;
    return true;
}

bool xtf_merge_join_parts(XtfMerge *merge, const char *const *parts, size_t n_parts, GError **error)
{
    merge->join->keeps_order = merge->shared;
    if (!add_parts(merge, parts, n_parts, error) || !order_arrays(merge, error) ||
        !xtf_join_finish_tables(merge->join, error))
        return false;
    xtf_merge_finish_limits(merge);
    if (merge->clock.first <= merge->clock.last) /* the whole begins where all parts have their records */
        merge->clock.first = MIN(MAX(merge->clock.first, merge->kept_from), merge->clock.last);
    return true;
}

static void fill_report(const XtfMerge *merge, size_t n_parts, const XtfMergeOutput *output, XtfMergeReport *report)
{
    if (report)
        *report = (XtfMergeReport){
            .parts = merge->parts->len,
            .left_out = n_parts - merge->parts->len,
            .copied = output->copied,
            .written = output->end - output->copied,
        };
}

bool xtf_merge(const char *path, const char *const *parts, size_t n_parts, const XtfMergeOptions *options,
               XtfMergeReport *report, GError **error)
{
    g_auto(XtfMerge) merge;
    g_auto(XtfMergeOutput) output = {.fd = -1};

    xtf_merge_init(&merge, options);
    merge.lists = true;
    if (!xtf_merge_join_parts(&merge, parts, n_parts, error) || !refuse_removed(&merge, error) ||
        is_output_a_part(&merge, path, error) || !xtf_merge_output_begin(&output, path, error) ||
        !copy_parts(&merge, &output, error) || !xtf_merge_write_whole(&merge, &output, error) ||
        !xtf_merge_output_end(&output, !merge.options.no_sync, error))
        return false;
    fill_report(&merge, n_parts, &output, report);
    return true;
}

bool xtf_merge_write_in_place(XtfMerge *merge, XtfMergeOutput *output, GError **error)
{
    merge->in_place = true;
    merge->incompatible |= XTF_FEATURE_FILES;
    place_parts(merge, 0);
    xtf_merge_output_skip(output, xtf_first_place(merge->page_size) * merge->page_size);
    return xtf_merge_write_whole(merge, output, error);
}

/* Writes the anchor of parts in a folder. */
static bool write_anchor(XtfMerge *merge, const char *folder, const char *const *parts, size_t n_parts,
                         XtfMergeReport *report, GError **error)
{
    g_auto(XtfMergeOutput) output = {.fd = -1};
    g_autofree char *path = g_build_filename(folder, XTF_ANCHOR_NAME, NULL);

    if (!xtf_merge_join_parts(merge, parts, n_parts, error) || !xtf_merge_output_begin(&output, path, error) ||
        !xtf_merge_write_in_place(merge, &output, error) ||
        !xtf_merge_output_end(&output, !merge->options.no_sync, error))
        return false;
    fill_report(merge, n_parts, &output, report);
    return true;
}

bool xtf_merge_anchor(const char *folder, const XtfMergeOptions *options, XtfMergeReport *report, GError **error)
{
    g_auto(XtfMerge) merge;
    g_auto(GStrv) parts = xtf_folder_parts(folder, error);

    xtf_merge_init(&merge, options);
    return parts && write_anchor(&merge, folder, (const char *const *)parts, g_strv_length(parts), report, error);
}

bool xtf_merge_anchor_shared(const char *folder, const XtfMergePart *parts, size_t n_parts,
                             const XtfMergeOptions *options, XtfMergeReport *report, GError **error)
{
    g_auto(XtfMerge) merge;
    g_autofree const char **paths = g_new(const char *, n_parts);

    for (size_t i = 0; i < n_parts; i++)
        paths[i] = parts[i].path;
    xtf_merge_init(&merge, options);
    merge.options.keep_going = false;
    merge.shared = parts;
    return write_anchor(&merge, folder, paths, n_parts, report, error);
}
