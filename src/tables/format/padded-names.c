/*
 * Names of table rows and labels of values. They are padded once, so that rendering a line only copies them.
 */
#include <string.h>

#include "libxtf/trace.h"
#include "libxtf/vocabulary.h"
#include "src/model/tables.h"
#include "src/tables/format/call-sites.h"
#include "src/tables/format/format.h"
#include "src/trace/text/escape.h"

static void names_free(void *data)
{
    XtfPaddedNames *names = data;
    if (names) {
        g_free(names->text);
        g_free(names->whole);
    }
    g_free(names);
}

void xtf_lines_padded_name(XtfLines *lines, const XtfPaddedNames *names, uint64_t i)
{
    xtf_lines_shown_text(lines, names->text + i * names->width, names->width, names->whole[i]);
}

void xtf_lines_padded_name_if(XtfLines *lines, const XtfPaddedNames *names, uint64_t i)
{
    if (names && i < names->n)
        xtf_lines_padded_name(lines, names, i);
    else
        xtf_lines_none(lines);
}

void xtf_formats_init(XtfFormats *formats, XtfTraceContext *context)
{
    *formats = (XtfFormats){.context = context};
    g_mutex_init(&formats->lock);
    formats->formats = g_new0(XtfFormat *, xtf_trace_n_schemas(context->trace) + 2);
    formats->names = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, names_free);
    formats->labels = g_ptr_array_new_with_free_func(names_free);
}

bool xtf_format_shows_calls(const XtfFormat *format)
{
    bool shows = false;

    for (uint32_t i = 0; i < format->n_programs; i++)
        shows |= format->programs[i].shows_calls;
    return shows;
}

void xtf_format_free(XtfFormat *format)
{
    if (!format)
        return;
    for (uint32_t i = 0; i < format->n_programs; i++) {
        g_free(format->programs[i].cells);
        g_free(format->programs[i].template);
    }
    g_free(format->programs);
    for (unsigned i = 0; i < format->columns->len; i++) {
        XtfRecordColumn *column = &g_array_index(format->columns, XtfRecordColumn, i);
        g_free(column->name);
        g_free(column->unit);
        g_free(column->description);
    }
    g_array_unref(format->columns);
    g_free(format);
}

void xtf_formats_finish(XtfFormats *formats)
{
    for (uint32_t i = 0; i <= xtf_trace_n_schemas(formats->context->trace) + 1; i++)
        xtf_format_free(formats->formats[i]);
    g_free(formats->formats);
    g_hash_table_unref(formats->names);
    g_ptr_array_unref(formats->labels);
    g_mutex_clear(&formats->lock);
}

/* Pads words to the width of the widest word from `first` to `last`, but at least `least` and at most `cap` bytes. */
static XtfPaddedNames *pad_words(const char *const *words, uint64_t n, uint64_t first, uint64_t last, uint32_t least,
                                 uint32_t cap, bool blanks)
{
    XtfPaddedNames *names = g_new0(XtfPaddedNames, 1);
    size_t widest = least;

    for (uint64_t i = first; i < n && i <= last && widest < cap; i++)
        widest = MAX(widest, xtf_text_width(words[i], blanks, cap));
    names->n = n;
    names->width = (uint32_t)widest;
    names->text = g_malloc(n * names->width + 1);
    names->whole = g_memdup2(words, n * sizeof *words);
    for (uint64_t i = 0; i < n; i++)
        xtf_text_put(names->text + i * names->width, names->width, words[i], blanks, i);
    return names;
}

/* True if a table without names may get names in a later commit. */
static bool may_get_names(const XtfFormats *formats, const char *table)
{
    const XtfSchema *schema = xtf_trace_find_schema(formats->context->trace, table);
    const XtfField *name = schema ? xtf_schema_field(schema, "name") : NULL;
    return !schema || (name && name->type == XTF_TYPE_STRING);
}

bool xtf_formats_names(XtfFormats *formats, const char *table, uint32_t cap, const XtfPaddedNames **names,
                       GError **error)
{
    g_autofree char *key = g_strdup_printf("%u %s", cap, table);
    g_autofree const char **texts = NULL;
    uint64_t n = 0;

    if (g_hash_table_contains(formats->names, key)) {
        *names = g_hash_table_lookup(formats->names, key);
        return true;
    }
    if (!xtf_table_names(formats->context->trace, table, &texts, &n, error))
        return false;
    bool growing = formats->context->growing, named = texts || (growing && may_get_names(formats, table));
    XtfPaddedNames *loaded =
        named ? pad_words(texts, n, 0, UINT64_MAX, growing ? cap : 1, cap, cap != XTF_NAME_WIDTH_MAX) : NULL;
    g_hash_table_insert(formats->names, g_steal_pointer(&key), loaded);
    *names = loaded;
    return true;
}

static bool names_of_width(XtfFormats *formats, const char *table, uint32_t cap, const XtfPaddedNames **names,
                           GError **error)
{
    g_mutex_lock(&formats->lock);
    bool good = xtf_formats_names(formats, table, cap, names, error);
    g_mutex_unlock(&formats->lock);
    return good;
}

bool xtf_padded_names_of_table(XtfFormats *formats, const char *table, const XtfPaddedNames **names, GError **error)
{
    return names_of_width(formats, table, XTF_NAME_WIDTH_MAX, names, error);
}

bool xtf_padded_words_of_table(XtfFormats *formats, const char *table, const XtfPaddedNames **names, GError **error)
{
    return names_of_width(formats, table, XTF_STRING_WIDTH_MAX, names, error);
}

/* Returns the name of a call site without the blank before its parenthesis. */
static char *join_site_name(const char *name)
{
    const char *place = g_strrstr(name, " (");
    const char *line = place ? strrchr(place, ':') : NULL;

    if (!line || !g_str_has_suffix(name, ")"))
        return g_strdup(name);
    g_autofree char *joined = g_strdup_printf("%.*s%s", (int)(place - name), name, place + 1);
    if (xtf_text_width(joined, true, SIZE_MAX) <= XTF_NAME_WIDTH_MAX)
        return g_steal_pointer(&joined);
    return g_strndup(place + 2, strlen(place) - strlen(" ()"));
}

bool xtf_formats_site_names(XtfFormats *formats, const XtfPaddedNames **names, GError **error)
{
    static const char key[] = "joined " XTF_TABLE_SITES;
    g_autofree const char **texts = NULL;
    uint64_t n = 0;

    *names = g_hash_table_lookup(formats->names, key);
    if (*names)
        return true;
    if (!xtf_table_names(formats->context->trace, XTF_TABLE_SITES, &texts, &n, error))
        return false;
    g_autofree char **joined = g_new(char *, n + 1);
    for (uint64_t i = 0; i < n; i++)
        joined[i] = join_site_name(texts[i]);
    XtfPaddedNames *loaded = pad_words((const char *const *)joined, n, 0, UINT64_MAX,
                                       formats->context->growing ? XTF_NAME_WIDTH_MAX : 1, XTF_NAME_WIDTH_MAX, true);
    for (uint64_t i = 0; i < n; i++) {
        loaded->whole[i] = texts[i];
        g_free(joined[i]);
    }
    g_hash_table_insert(formats->names, g_strdup(key), loaded);
    *names = loaded;
    return true;
}

bool xtf_padded_names_of_sites(XtfFormats *formats, const XtfPaddedNames **names, GError **error)
{
    *names = NULL;
    if (!xtf_call_site_field(formats->context))
        return true;
    g_mutex_lock(&formats->lock);
    bool good = xtf_formats_site_names(formats, names, error);
    g_mutex_unlock(&formats->lock);
    return good;
}

void xtf_lines_site(XtfLines *lines, const XtfPaddedNames *names, uint32_t site)
{
    if (!names || site == XTF_NONE32)
        xtf_lines_none(lines);
    else if (site < names->n)
        xtf_lines_padded_name(lines, names, site);
    else
        xtf_lines_word(lines, "?");
}

const XtfPaddedNames *xtf_formats_labels(XtfFormats *formats, const XtfField *field, const XtfLimits *limits)
{
    XtfPaddedNames *names = pad_words((const char *const *)field->labels, field->n_labels, limits->min, limits->max, 1,
                                      XTF_STRING_WIDTH_MAX, true);
    g_ptr_array_add(formats->labels, names);
    return names;
}

const XtfPaddedNames *xtf_formats_words(XtfFormats *formats, const char *const *words, uint64_t n)
{
    XtfPaddedNames *names = pad_words(words, n, 0, n - 1, 1, XTF_STRING_WIDTH_MAX, true);
    g_ptr_array_add(formats->labels, names);
    return names;
}
