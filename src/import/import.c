#include "src/import/import.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/import/otf2/import.h"
#include "src/import/output.h"

enum {
    DEATHS_MAX = 64, /* locations that an import with keep_going gives up for the reader's death */
};

void xtf_import_report_init(XtfImportReport *report)
{
    *report = (XtfImportReport){
        .counts = g_array_new(FALSE, FALSE, sizeof(XtfImportCount)),
        .left_out = g_ptr_array_new_with_free_func(g_free),
        .warnings = g_ptr_array_new_with_free_func(g_free),
    };
}

void xtf_import_report_finish(XtfImportReport *report)
{
    g_clear_pointer(&report->counts, g_array_unref);
    g_clear_pointer(&report->left_out, g_ptr_array_unref);
    g_clear_pointer(&report->warnings, g_ptr_array_unref);
}

/* The only anchor in a folder. */
static char *anchor_in(const char *path, GError **error)
{
    g_autofree char *anchor = NULL;
    g_autoptr(GDir) dir = g_dir_open(path, 0, NULL);
    const char *name;

    while (dir != NULL && (name = g_dir_read_name(dir)) != NULL) {
        if (!g_str_has_suffix(name, ".otf2"))
            continue;
        if (anchor != NULL) {
            g_set_error(error, XTF_ERROR, XTF_ERROR_NOT_XTF,
                        "%s: has several OTF2 archives; name the one that is meant", path);
            return NULL;
        }
        anchor = g_build_filename(path, name, NULL);
    }
    if (anchor == NULL)
        g_set_error(error, XTF_ERROR, XTF_ERROR_NOT_XTF, "%s: no OTF2 archive (a file NAME.otf2) in it", path);
    return g_steal_pointer(&anchor);
}

static bool is_anchor(const char *path)
{
    static const char magic[] = "OTF2"; /* after a byte of OTF2's own, and one for the byte order */
    char start[16] = "";
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    bool is = fd >= 0 && read(fd, start, sizeof start) >= 6 && memcmp(start + 2, magic, strlen(magic)) == 0;

    if (fd >= 0)
        close(fd);
    return is;
}

char *xtf_import_detect(const char *path, GError **error)
{
    struct stat info;

    if (stat(path, &info) != 0) {
        g_set_error(error, XTF_ERROR, errno == ENOENT ? XTF_ERROR_NOT_FOUND : XTF_ERROR_IO, "%s: %s", path,
                    g_strerror(errno));
        return NULL;
    }
    if (S_ISDIR(info.st_mode))
        return anchor_in(path, error);
    if (!S_ISREG(info.st_mode) || !is_anchor(path)) {
        g_set_error(error, XTF_ERROR, XTF_ERROR_NOT_XTF, "%s: is not the anchor file (NAME.otf2) of an OTF2 archive",
                    path);
        return NULL;
    }
    return g_strdup(path);
}

static void fill_report(XtfImportReport *report, GVariant *result)
{
    g_autoptr(GVariantIter) counts = NULL, left_out = NULL, warnings = NULL;
    guint64 read, kept, locations, definitions, n;
    XtfImportCount count;
    const char *text;
    guint32 type, event;

    g_variant_get(result, XTF_OTF2_RESULT, &counts, &left_out, &warnings, &read, &kept, &locations, &definitions);
    while (g_variant_iter_next(counts, "(uut)", &type, &event, &n)) {
        const XtfSchema *schema = xtf_model_schema(type);
        count.event = xtf_schema_field_by_role(schema, XTF_ROLE_EVENT)->labels[event];
        count.type = schema->name;
        count.read = count.kept = n;
        g_array_append_val(report->counts, count);
    }
    while (g_variant_iter_next(left_out, "&s", &text))
        g_ptr_array_add(report->left_out, g_strdup(text));
    while (g_variant_iter_next(warnings, "&s", &text))
        g_ptr_array_add(report->warnings, g_strdup(text));
    report->read = read;
    report->kept = kept;
    report->locations = locations;
    report->definitions = definitions;
}

/* Says where it was that the reader died. */
static void blame(GError *error, const char *anchor, const GArray *suspects)
{
    g_autoptr(GString) message = g_string_new(NULL);

    for (guint i = 0; i < suspects->len; i++)
        g_string_append_printf(message, "%s %" PRIu64, i == 0 ? ", in location" : " or",
                               g_array_index(suspects, uint64_t, i));
    if (error->code != XTF_ERROR_DAMAGED || g_str_has_prefix(error->message, anchor))
        return;
    g_string_prepend(message, error->message);
    g_string_prepend(message, ": ");
    g_string_prepend(message, anchor);
    g_free(error->message);
    error->message = g_string_free(g_steal_pointer(&message), FALSE);
}

/*
 * Reads in a child process. Should that die of a location, and we are to keep going, then once more: one location at a
 * time, to know for sure which one it is, and then without it.
 */
static GVariant *read_archive(const char *anchor, const char *output, const XtfImportOptions *options, GError **error)
{
    g_autoptr(GArray) skipped = g_array_new(FALSE, FALSE, sizeof(uint64_t));
    XtfImportOptions own = *options;

    for (;;) {
        XtfOtf2Import import = {.anchor = anchor, .output = output, .options = &own, .skipped = skipped};
        XtfSupervision supervision = {
            .work = xtf_otf2_import,
            .data = &import,
            .type = G_VARIANT_TYPE(XTF_OTF2_RESULT),
            .cancel = options->cancel,
            .progress = options->progress,
            .progress_data = options->progress_data,
        };
        g_autoptr(GArray) suspects = g_array_new(FALSE, FALSE, sizeof(uint64_t));
        GError *failed = NULL;
        GVariant *result = xtf_supervise(&supervision, suspects, &failed);
        if (result != NULL)
            return result;
        if (!options->keep_going || suspects->len == 0 || skipped->len >= DEATHS_MAX) {
            blame(failed, anchor, suspects);
            g_propagate_error(error, failed);
            return NULL;
        }
        g_clear_error(&failed);
        if (own.jobs == 1)
            g_array_append_vals(skipped, suspects->data, suspects->len);
        own.jobs = 1;
    }
}

bool xtf_import_otf2(const char *archive, const char *output, const XtfImportOptions *options, XtfImportReport *report,
                     GError **error)
{
    static const XtfImportOptions defaults;
    g_autofree char *anchor = xtf_import_detect(archive, error);
    char *temporary = anchor != NULL ? xtf_output_begin(output, anchor, error) : NULL;

    if (temporary == NULL)
        return false;
    g_autoptr(GVariant) result = read_archive(anchor, temporary, options != NULL ? options : &defaults, error);
    if (!xtf_output_end(temporary, output, result != NULL, error))
        return false;
    fill_report(report, result);
    return true;
}
