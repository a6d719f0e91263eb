#include <sys/stat.h>
#include <unistd.h>

#include "libxtf/disk/address.h"
#include "libxtf/disk/node.h"
#include "libxtf/merge/merge-private.h"

static void free_part(gpointer part)
{
    xtf_part_free(part);
}

static void merge_init(XtfMerge *merge, const XtfMergeOptions *options)
{
    *merge = (XtfMerge){
        .join = xtf_join_new(),
        .parts = g_ptr_array_new_with_free_func(free_part),
        .arrays = g_array_new(FALSE, FALSE, sizeof(XtfArray)),
        .limits = g_ptr_array_new_with_free_func(g_free),
        .clocks = xtf_clock_set_new(),
        .clock_bytes = g_byte_array_new(),
        .late_limits = g_array_new(FALSE, FALSE, sizeof(XtfLateLimits)),
        .n_rows = g_array_new(FALSE, FALSE, sizeof(uint64_t)),
    };
    if (options)
        merge->options = *options;
}

static void merge_finish(XtfMerge *merge)
{
    xtf_join_free(merge->join);
    g_ptr_array_unref(merge->parts);
    g_array_unref(merge->arrays);
    g_ptr_array_unref(merge->limits);
    g_hash_table_unref(merge->clocks);
    g_byte_array_unref(merge->clock_bytes);
    g_array_unref(merge->late_limits);
    g_array_unref(merge->n_rows);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(XtfMerge, merge_finish)

static bool go_on(const XtfMerge *merge, uint64_t done, uint64_t total, GError **error)
{
    const XtfMergeOptions *options = &merge->options;

    return !options->progress || options->progress(done, total, options->data) ||
           xtf_fail(error, XTF_ERROR_CANCELLED, "interrupted");
}

/* Reads the parts; those that cannot be read are left out if the caller says so. */
static bool add_parts(XtfMerge *merge, const char *const *paths, size_t n_parts, GError **error)
{
    const XtfMergeOptions *options = &merge->options;

    for (size_t i = 0; i < n_parts; i++) {
        g_autoptr(GError) fault = NULL;
        bool fatal;
        if (!go_on(merge, 0, 0, error))
            return false;
        if (xtf_merge_add_part(merge, paths[i], &fatal, &fault))
            continue;
        if (fatal || !options->keep_going) {
            g_propagate_error(error, g_steal_pointer(&fault));
            return false;
        }
        if (options->left_out)
            options->left_out(paths[i], fault, options->data);
    }
    return merge->parts->len > 0 || xtf_fail(error, XTF_ERROR_INVALID, "there is no part to merge");
}

static gint compare_arrays(gconstpointer a, gconstpointer b)
{
    const XtfArray *left = a, *right = b;
    return xtf_compare_array_keys(left->location, left->schema->id, right->location, right->schema->id);
}

static const XtfPart *part_of_segment(const XtfMerge *merge, uint32_t segment)
{
    for (guint i = merge->parts->len; i > 0; i--) {
        const XtfPart *part = merge->parts->pdata[i - 1];
        if (part->first_segment <= segment)
            return part;
    }
    return merge->parts->pdata[0];
}

/* Puts the arrays of all parts in the order of the P index. A location's are all of one part. */
static bool order_arrays(XtfMerge *merge, GError **error)
{
    g_array_sort(merge->arrays, compare_arrays);
    for (guint i = 1; i < merge->arrays->len; i++) {
        const XtfArray *before = &g_array_index(merge->arrays, XtfArray, i - 1), *array = before + 1;
        if (before->location != array->location || before->segment == array->segment)
            continue;
        const XtfPart *one = part_of_segment(merge, before->segment), *other = part_of_segment(merge, array->segment);
        if (one != other)
            return xtf_fail(error, XTF_ERROR_INVALID, "%s and %s both have location %" PRIu64, one->path, other->path,
                            array->location);
    }
    return true;
}

static bool is_a_part(const XtfMerge *merge, const char *path, GError **error)
{
    struct stat there;
    bool exists = stat(path, &there) == 0;

    for (guint i = 0; exists && i < merge->parts->len; i++) {
        const XtfPart *part = merge->parts->pdata[i];
        if (part->device == there.st_dev && part->inode == there.st_ino) {
            xtf_fail(error, XTF_ERROR_IO, "%s: is one of the parts", path);
            return true;
        }
    }
    return false;
}

static uint64_t place_parts(XtfMerge *merge)
{
    uint64_t page = xtf_first_place(merge->page_size), total = 0;

    for (guint i = 0; i < merge->parts->len; i++) {
        XtfPart *part = merge->parts->pdata[i];
        part->first_page = page;
        page += part->pages;
        total += part->size;
    }
    return total;
}

static bool copy_parts(XtfMerge *merge, XtfMergeOutput *output, GError **error)
{
    uint64_t total = place_parts(merge);

    for (guint i = 0; i < merge->parts->len; i++) {
        const XtfPart *part = merge->parts->pdata[i];
        int fd = xtf_part_open(part, error);
        bool good = fd >= 0 && xtf_merge_output_copy(output, fd, part, total, merge->page_size, &merge->options, error);
        if (fd >= 0)
            close(fd);
        if (!good)
            return false;
    }
    return true;
}

bool xtf_merge(const char *path, const char *const *parts, size_t n_parts, const XtfMergeOptions *options,
               XtfMergeReport *report, GError **error)
{
    g_auto(XtfMerge) merge;
    g_auto(XtfMergeOutput) output = {.fd = -1};

    merge_init(&merge, options);
    if (!add_parts(&merge, parts, n_parts, error) || is_a_part(&merge, path, error) || !order_arrays(&merge, error) ||
        !xtf_join_finish_tables(merge.join, error))
        return false;
    xtf_merge_finish_limits(&merge);
    if (!xtf_merge_output_begin(&output, path, error) || !copy_parts(&merge, &output, error) ||
        !xtf_merge_write_whole(&merge, &output, error) || !xtf_merge_output_end(&output, !merge.options.no_sync, error))
        return false;
    if (report)
        *report = (XtfMergeReport){
            .parts = merge.parts->len,
            .left_out = n_parts - merge.parts->len,
            .copied = output.copied,
            .written = output.end - output.copied,
        };
    return true;
}
