#include "src/trace/context/sites.h"

#include <inttypes.h>
#include <string.h>

#include "libxtf/error.h"
#include "libxtf/trace.h"
#include "src/model/tables.h"

/* ---- Files by their shortest names. */

/* A file's path, and the part of it from which on it is printed. */
typedef struct {
    const char *path;
    const char *name; /* pointer into `path` */
} File;

enum {
    ROUNDS = 16, /* parts of a path that a name has at most, unless it is the whole path */
};

/* Finds the end of a path that has one more part than `name`. Returns `path` if there is no other. */
static const char *one_part_more(const char *path, const char *name)
{
    if (name <= path + 1)
        return path;
    for (name -= 2; name > path && *name != '/'; name--)
        continue;
    return *name == '/' ? name + 1 : name;
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* Adds one part of the path to each name that several files share. Returns true if a name became longer. */
static bool extend_shared_names(File *files, unsigned n)
{
    g_autoptr(GHashTable) uses = g_hash_table_new(g_str_hash, g_str_equal);
    bool changed = false;

    for (unsigned i = 0; i < n; i++)
        g_hash_table_insert(uses, (void *)files[i].name,
                            GUINT_TO_POINTER(GPOINTER_TO_UINT(g_hash_table_lookup(uses, files[i].name)) + 1));
    g_autofree bool *shared = g_new0(bool, n + 1);
    for (unsigned i = 0; i < n; i++)
        shared[i] = GPOINTER_TO_UINT(g_hash_table_lookup(uses, files[i].name)) > 1;
    for (unsigned i = 0; i < n; i++) {
        const char *longer = shared[i] ? one_part_more(files[i].path, files[i].name) : files[i].name;
        changed |= longer != files[i].name;
        files[i].name = longer;
    }
    return changed;
}

/* Returns the names of files, by path. The table borrows the paths. */
static GHashTable *name_files(const char *const *paths, uint64_t n)
{
    g_autoptr(GHashTable) distinct = g_hash_table_new(g_str_hash, g_str_equal);
    g_autoptr(GArray) files = g_array_new(FALSE, FALSE, sizeof(File));
    GHashTable *names = g_hash_table_new(g_str_hash, g_str_equal);

    for (uint64_t i = 0; i < n; i++) {
        File file = {paths[i], base_name(paths[i])};
        if (*paths[i] && g_hash_table_add(distinct, (void *)paths[i]))
            g_array_append_val(files, file);
    }
    File *all = (File *)(void *)files->data;
    bool unique = false;
    for (unsigned round = 0; round < ROUNDS && !unique; round++)
        unique = !extend_shared_names(all, files->len);
    for (unsigned i = 0; i < files->len; i++)
        g_hash_table_insert(names, (void *)all[i].path, (void *)(unique ? all[i].name : all[i].path));
    return names;
}

/* ---- Loading. */

/* Reads a field of texts of all rows. Texts of a missing field are empty. */
static bool load_texts(XtfTrace *trace, const XtfTable *table, const char *name, const char **texts, GError **error)
{
    const XtfField *field = xtf_schema_field(table->schema, name);

    for (uint64_t i = 0; i < table->n_rows; i++) {
        const uint8_t *row = table->rows + i * table->schema->row_size;
        texts[i] = "";
        if (field && field->type == XTF_TYPE_STRING &&
            !xtf_trace_string(trace, (uint32_t)xtf_field_get(field, row), &texts[i], error))
            return false;
    }
    return true;
}

static uint32_t region_of_row(const XtfTable *table, uint64_t i)
{
    const XtfField *field = xtf_schema_field(table->schema, "region");
    const uint8_t *row = table->rows + i * table->schema->row_size;

    return field ? (uint32_t)xtf_field_get(field, row) : UINT32_MAX;
}

/* Returns the line of a row; 0 if it has none. */
static uint64_t line_of_row(const XtfTable *table, uint64_t i)
{
    const XtfField *field = xtf_schema_field(table->schema, "line");
    const uint8_t *row = table->rows + i * table->schema->row_size;

    return xtf_field_get_or(field, row, 0);
}

/* Gives the rows of outer frames the texts of a site that calls have, so that no directory is listed for them. A lookup
 * of that site finds them, too, which adds no call. */
static void hide_outer_frames(const XtfSites *sites, const char **texts)
{
    uint64_t shown = 0;

    while (shown < sites->n && !xtf_sites_is_called_from(sites, shown))
        shown++;
    for (uint64_t i = 0; i < sites->n && shown < sites->n; i++) {
        if (xtf_sites_is_called_from(sites, i))
            continue;
        texts[i] = texts[shown];
        texts[sites->n + i] = texts[sites->n + shown];
    }
}

/* Sets the two texts of each row. */
static void set_texts(XtfSites *sites, const XtfTable *table, const char *const *paths, const char *const *names,
                      const char **texts)
{
    g_autoptr(GHashTable) files = name_files(paths, sites->n);

    for (uint64_t i = 0; i < sites->n; i++) {
        const char *file = g_hash_table_lookup(files, paths[i]);
        uint64_t line = line_of_row(table, i);
        texts[i] = texts[sites->n + i] = names[i];
        if (!file || !line)
            continue;
        g_autofree char *name = g_strdelimit(g_strdup(file), "/", ':');
        g_autofree char *place = g_strdup_printf("%s:%" PRIu64, name, line);
        texts[i] = g_string_chunk_insert_const(sites->texts, place);
        texts[sites->n + i] = g_string_chunk_insert_const(sites->texts, name);
    }
    hide_outer_frames(sites, texts);
}

bool xtf_sites_load(XtfSites *sites, XtfTrace *trace, GError **error)
{
    const XtfTable *table;

    *sites = (XtfSites){0};
    if (!xtf_trace_table(trace, XTF_TABLE_SITES, &table, error))
        return false;
    if (!table)
        return true;
    if (table->n_rows > XTF_NAMES_MAX / 2)
        return xtf_fail(error, XTF_ERROR_TOO_LARGE, "the table \"%s\" has %" PRIu64 " rows, more than %d",
                        XTF_TABLE_SITES, table->n_rows, XTF_NAMES_MAX / 2);
    g_autofree const char **paths = g_new(const char *, table->n_rows + 1);
    g_autofree const char **names = g_new(const char *, table->n_rows + 1);
    if (!load_texts(trace, table, "file", paths, error) || !load_texts(trace, table, "name", names, error))
        return false;
    sites->n = table->n_rows;
    sites->texts = g_string_chunk_new(4096);
    sites->regions = g_new(uint32_t, sites->n + 1);
    for (uint64_t i = 0; i < sites->n; i++)
        sites->regions[i] = region_of_row(table, i);
    const char **texts = g_new(const char *, 2 * sites->n + 1);
    set_texts(sites, table, paths, names, texts);
    xtf_name_index_init(&sites->names, "call site", texts, 2 * sites->n);
    xtf_name_index_number(&sites->names, sites->n);
    return true;
}

void xtf_sites_finish(XtfSites *sites)
{
    xtf_name_index_finish(&sites->names);
    g_clear_pointer(&sites->regions, g_free);
    g_clear_pointer(&sites->texts, g_string_chunk_free);
}

/* ---- Looking up. */

XtfNumberSet *xtf_sites_lookup(const XtfSites *sites, const char *name, GError **error)
{
    g_autoptr(XtfNumberSet) texts = xtf_name_index_lookup(&sites->names, name, error);

    if (!texts)
        return NULL;
    g_autofree bool *chosen = g_new0(bool, sites->n + 1);
    for (unsigned i = 0; i < texts->n_ranges; i++) {
        for (uint64_t text = texts->ranges[i].first; text <= texts->ranges[i].last && text < 2 * sites->n; text++)
            chosen[text % sites->n] = true;
    }
    return xtf_number_set_from_flags(chosen, sites->n);
}

XtfNumberSet *xtf_sites_regions(const XtfSites *sites, const XtfNumberSet *rows)
{
    g_autoptr(GArray) regions = g_array_new(FALSE, FALSE, sizeof(XtfNumberRange));

    for (unsigned i = 0; i < rows->n_ranges; i++) {
        for (uint64_t row = rows->ranges[i].first; row <= rows->ranges[i].last && row < sites->n; row++) {
            XtfNumberRange range = {sites->regions[row], sites->regions[row]};
            if (xtf_sites_is_called_from(sites, row))
                g_array_append_val(regions, range);
        }
    }
    return xtf_number_set_from_ranges((const XtfNumberRange *)(void *)regions->data, regions->len);
}
