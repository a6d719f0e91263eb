#include "src/record/launch/find-names.h"

#include <inttypes.h>
#include <string.h>

#include "libxtf/trace.h"
#include "src/model/schemas.h"
#include "src/model/tables.h"
#include "src/record/launch/debug-files.h"
#include "src/record/names/symbols.h"

/* The name of a row. Texts that do not apply are NULL. */
typedef struct {
    char *name, *function, *inlined_into, *file;
    uint32_t line; /* 0: unknown */
} FoundName;

/* How well a call site is known. */
typedef enum { AN_ADDRESS, A_FUNCTION, A_LINE } Quality;

/* An object file of the recording. */
typedef struct {
    char *path, *build_id;
    GPtrArray *files; /* files with the debug information of the object file; NULL: not searched yet */
    bool lacks_names; /* true if some rows of the object file stay without a name */
} Object;

typedef struct {
    XtfFoundNames *found;
    XtfTrace *trace;
    const char *folder;
    XtfSymbols *symbols;
    GHashTable *objects; /* Object by path and build id */
    GHashTable *by_name; /* Object by the last part of its path; NULL: several */
    GHashTable *regions; /* keys of all rows of `regions`, which stay distinct */
} Search;

static void free_found_name(gpointer data)
{
    FoundName *found = data;

    g_free(found->name);
    g_free(found->function);
    g_free(found->inlined_into);
    g_free(found->file);
    g_free(found);
}

static void free_object(gpointer data)
{
    Object *object = data;

    g_free(object->path);
    g_free(object->build_id);
    if (object->files)
        g_ptr_array_unref(object->files);
    g_free(object);
}

static void search_finish(Search *search)
{
    g_hash_table_unref(search->regions);
    g_hash_table_unref(search->by_name);
    g_hash_table_unref(search->objects);
    xtf_symbols_free(search->symbols);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Search, search_finish)

static void search_init(Search *search, XtfFoundNames *found, const char *folder)
{
    *search = (Search){
        .found = found,
        .trace = found->trace,
        .folder = folder,
        .symbols = xtf_symbols_new(),
        .objects = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, free_object),
        .by_name = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL),
        .regions = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL),
    };
}

/* ---- Rows of the trace. */

static const uint8_t *named_row(const XtfTable *table, uint32_t row)
{
    return table->rows + (size_t)row * table->schema->row_size;
}

static bool read_row_text(XtfTrace *trace, const XtfTable *table, uint32_t row, const char *name, const char **text,
                          GError **error)
{
    const XtfField *field = xtf_schema_field(table->schema, name);

    *text = "";
    return !field || xtf_trace_string(trace, (uint32_t)xtf_field_get(field, named_row(table, row)), text, error);
}

/* Returns a number of a row, XTF_NONE64 if it is none or if there is no such field. */
static uint64_t read_number(const XtfTable *table, uint32_t row, const char *name)
{
    const XtfField *field = xtf_schema_field(table->schema, name);

    if (!field)
        return XTF_NONE64;
    const uint8_t *bytes = named_row(table, row);
    return xtf_field_is_none(field, bytes) ? XTF_NONE64 : xtf_field_get(field, bytes);
}

/* ---- Object files. */

static Object *find_object(Search *search, const char *path, const char *build_id)
{
    g_autofree char *key = g_strconcat(path, "\n", build_id, NULL);
    Object *object = g_hash_table_lookup(search->objects, key), *namesake;

    if (object || !build_id[0])
        return object;
    object = g_new0(Object, 1);
    object->path = g_strdup(path);
    object->build_id = g_strdup(build_id);
    g_hash_table_insert(search->objects, g_steal_pointer(&key), object);
    char *name = g_path_get_basename(path);
    bool several = g_hash_table_lookup_extended(search->by_name, name, NULL, (gpointer *)&namesake) &&
                   (!namesake || !g_str_equal(namesake->build_id, build_id));
    g_hash_table_insert(search->by_name, name, several ? NULL : object);
    return object;
}

/* Returns the files with debug information of an object file. */
static const GPtrArray *files_of(Search *search, Object *object)
{
    if (!object->files)
        object->files = xtf_debug_files(search->folder, object->path, object->build_id);
    return object->files;
}

/* Finds the executables of processes, by their properties. */
static bool find_executables(Search *search, GError **error)
{
    const XtfTable *properties;
    g_autofree char *path = NULL;
    uint64_t path_owner = XTF_NONE64;

    if (!xtf_trace_table(search->trace, XTF_TABLE_DEFINITION_PROPERTIES, &properties, error))
        return false;
    for (uint32_t i = 0; properties && i < properties->n_rows; i++) {
        const char *name, *value;
        if (!read_row_text(search->trace, properties, i, "name", &name, error))
            return false;
        bool is_path = g_str_equal(name, "record.executable");
        if (!is_path && !g_str_equal(name, "record.build_id"))
            continue;
        uint64_t owner = read_number(properties, i, "owner");
        uint64_t text = read_number(properties, i, "value");
        if (!xtf_trace_string(search->trace, (uint32_t)text, &value, error))
            return false;
        if (is_path) {
            g_free(path);
            path = g_strdup(value);
            path_owner = owner;
        } else if (path && path_owner == owner) {
            find_object(search, path, value);
        }
    }
    return true;
}

/* ---- Names. */

static Quality quality_of(const char *function, uint64_t line)
{
    return line > 0 && line != XTF_NONE64 ? A_LINE : function[0] ? A_FUNCTION : AN_ADDRESS;
}

/* Finds the best place of a call among the files with debug information. */
static Quality find_call_in_files(Search *search, Object *object, uint64_t offset, XtfCallPlace *best)
{
    const GPtrArray *files = files_of(search, object);
    Quality quality = AN_ADDRESS;

    for (guint i = 0; i < files->len && quality < A_LINE; i++) {
        XtfCallPlace place;
        xtf_symbols_find_call(search->symbols, files->pdata[i], 0, offset, &place);
        Quality found = quality_of(place.function, place.line);
        if (found > quality) {
            xtf_call_place_clear(best);
            *best = place;
            quality = found;
        } else {
            xtf_call_place_clear(&place);
        }
    }
    return quality;
}

static bool name_site(Search *search, const XtfTable *sites, uint32_t row, GError **error)
{
    const char *path, *build_id, *function;
    uint64_t offset = read_number(sites, row, "offset");
    XtfNamedRows *named = &search->found->sites;
    XtfCallPlace place = {0};

    if (!read_row_text(search->trace, sites, row, "object", &path, error) ||
        !read_row_text(search->trace, sites, row, "build_id", &build_id, error) ||
        !read_row_text(search->trace, sites, row, "function", &function, error))
        return false;
    if (offset == XTF_NONE64)
        return true;
    Quality known = quality_of(function, read_number(sites, row, "line"));
    named->n_rows++;
    named->n_unnamed += known < A_LINE;
    Object *object = find_object(search, path, build_id);
    if (known == A_LINE || !object)
        return true;
    Quality quality = find_call_in_files(search, object, offset, &place);
    object->lacks_names |= quality < A_LINE;
    if (quality <= known) {
        xtf_call_place_clear(&place);
        return true;
    }
    FoundName *found = g_new0(FoundName, 1);
    *found = (FoundName){.name = xtf_call_place_name(&place),
                         .function = g_steal_pointer(&place.function),
                         .inlined_into = g_steal_pointer(&place.inlined_into),
                         .file = g_steal_pointer(&place.file),
                         .line = place.line};
    g_hash_table_insert(named->found, GUINT_TO_POINTER(row), found);
    return true;
}

/* Returns the key by which rows of `regions` are distinct. The caller frees it. */
static char *region_key(const char *name, const char *file, uint64_t line)
{
    return g_strdup_printf("%s\n%s\n%" PRIu64, name, file, line);
}

/* Reads the name of a function without a symbol, `0x1139@program`. Returns the object file; NULL if the name is another
 * one. */
static const char *parse_address(const char *name, uint64_t *offset)
{
    char *end;

    if (!g_str_has_prefix(name, "0x"))
        return NULL;
    *offset = g_ascii_strtoull(name + 2, &end, 16);
    return end > name + 2 && *end == '@' ? end + 1 : NULL;
}

static bool find_function_in_files(Search *search, Object *object, uint64_t offset, XtfSymbol *symbol)
{
    const GPtrArray *files = files_of(search, object);

    for (guint i = 0; i < files->len; i++)
        if (xtf_symbols_find(search->symbols, files->pdata[i], 0, offset, symbol))
            return true;
    return false;
}

static bool name_region(Search *search, const XtfTable *regions, uint32_t row, GError **error)
{
    XtfNamedRows *named = &search->found->regions;
    XtfSymbol symbol = {.file = ""};
    const char *name;
    uint64_t offset;

    if (!read_row_text(search->trace, regions, row, "name", &name, error))
        return false;
    const char *file = parse_address(name, &offset);
    if (!file)
        return true;
    named->n_rows++;
    named->n_unnamed++;
    Object *object = g_hash_table_lookup(search->by_name, file);
    if (!object)
        return true;
    if (!find_function_in_files(search, object, offset, &symbol)) {
        object->lacks_names = true;
        return true;
    }
    FoundName *found = g_new0(FoundName, 1);
    *found = (FoundName){.name = xtf_readable_name(&symbol), .file = g_strdup(symbol.file), .line = symbol.line};
    char *key = region_key(found->name, found->file, found->line > 0 ? found->line : XTF_NONE64);
    if (g_hash_table_add(search->regions, key)) /* if the key is known, the function has a row with its name already */
        g_hash_table_insert(named->found, GUINT_TO_POINTER(row), found);
    else
        free_found_name(found);
    return true;
}

static bool name_sites(Search *search, GError **error)
{
    const XtfTable *sites;

    if (!xtf_trace_table(search->trace, XTF_TABLE_SITES, &sites, error))
        return false;
    for (uint32_t i = 0; sites && i < sites->n_rows; i++)
        if (!name_site(search, sites, i, error))
            return false;
    return true;
}

static bool name_regions(Search *search, GError **error)
{
    const XtfTable *regions;
    const char *name, *file;

    if (!xtf_trace_table(search->trace, XTF_TABLE_REGIONS, &regions, error))
        return false;
    for (uint32_t i = 0; regions && i < regions->n_rows; i++) {
        if (!read_row_text(search->trace, regions, i, "name", &name, error) ||
            !read_row_text(search->trace, regions, i, "file", &file, error))
            return false;
        g_hash_table_add(search->regions, region_key(name, file, read_number(regions, i, "line")));
    }
    for (uint32_t i = 0; regions && i < regions->n_rows; i++)
        if (!name_region(search, regions, i, error))
            return false;
    return true;
}

static int compare_texts(gconstpointer a, gconstpointer b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void list_missing(const Search *search)
{
    GPtrArray *missing = search->found->missing;
    GHashTableIter iter;
    gpointer value;

    g_hash_table_iter_init(&iter, search->objects);
    while (g_hash_table_iter_next(&iter, NULL, &value)) {
        const Object *object = value;
        if (object->lacks_names)
            g_ptr_array_add(missing, g_strdup_printf("%s (build id %s)", object->path, object->build_id));
    }
    g_ptr_array_sort(missing, compare_texts);
}

bool xtf_find_names(XtfFoundNames *found, XtfTrace *trace, const char *folder, GError **error)
{
    g_auto(Search) search = {0};

    *found = (XtfFoundNames){.trace = trace,
                             .sites.found = g_hash_table_new_full(NULL, NULL, NULL, free_found_name),
                             .regions.found = g_hash_table_new_full(NULL, NULL, NULL, free_found_name),
                             .missing = g_ptr_array_new_with_free_func(g_free)};
    search_init(&search, found, folder);
    bool good = xtf_symbols_load(error) && find_executables(&search, error) && name_sites(&search, error) &&
                name_regions(&search, error);
    list_missing(&search);
    return good;
}

void xtf_found_names_finish(XtfFoundNames *found)
{
    g_clear_pointer(&found->sites.found, g_hash_table_unref);
    g_clear_pointer(&found->regions.found, g_hash_table_unref);
    g_clear_pointer(&found->missing, g_ptr_array_unref);
}

/* ---- Writing them. */

/* Sets a text of a row, unless it is NULL. */
static bool set_text(XtfWriter *writer, const XtfSchema *schema, uint8_t *row, const char *name, const char *text,
                     GError **error)
{
    const XtfField *field = xtf_schema_field(schema, name);
    uint32_t id;

    if (!field || !text)
        return true;
    if (!xtf_writer_add_string(writer, text, &id, error))
        return false;
    xtf_field_set(field, row, id);
    return true;
}

static bool set_found_name(XtfWriter *writer, const XtfSchema *schema, uint8_t *row, const FoundName *found,
                           GError **error)
{
    const XtfField *line = xtf_schema_field(schema, "line");

    if (line)
        xtf_field_set(line, row, found->line > 0 ? found->line : XTF_NONE64);
    return set_text(writer, schema, row, "name", found->name, error) &&
           set_text(writer, schema, row, "canonical", found->name, error) &&
           set_text(writer, schema, row, "function", found->function, error) &&
           set_text(writer, schema, row, "inlined_into", found->inlined_into, error) &&
           set_text(writer, schema, row, "file", found->file, error);
}

/* Gives a row the ids that its texts have in the writer's trace. */
static bool write_texts(XtfTrace *trace, XtfWriter *writer, const XtfSchema *schema, uint8_t *row, GError **error)
{
    for (uint32_t i = 0; i < schema->n_fields; i++) {
        const XtfField *field = &schema->fields[i];
        const char *text;
        if (field->type == XTF_TYPE_STRING &&
            (!xtf_trace_string(trace, (uint32_t)xtf_field_get(field, row), &text, error) ||
             !set_text(writer, schema, row, field->name, text, error)))
            return false;
    }
    return true;
}

static bool store_rows(XtfTrace *trace, const char *name, const XtfNamedRows *named, XtfWriter *writer, GError **error)
{
    const XtfTable *table;
    uint8_t row[XTF_ROW_MAX];
    uint32_t id;

    if (g_hash_table_size(named->found) == 0)
        return true;
    if (!xtf_trace_table(trace, name, &table, error) || !xtf_writer_add_schema(writer, table->schema, &id, error))
        return false;
    XtfTableWriter *to = xtf_writer_table(writer, id, error);
    if (!to)
        return false;
    xtf_table_writer_clear(to);
    for (uint32_t i = 0; i < table->n_rows; i++) {
        const FoundName *found = g_hash_table_lookup(named->found, GUINT_TO_POINTER(i));
        memcpy(row, named_row(table, i), table->schema->row_size);
        if (!write_texts(trace, writer, table->schema, row, error) ||
            (found && !set_found_name(writer, table->schema, row, found, error)) ||
            !xtf_table_writer_append(to, row, NULL, error))
            return false;
    }
    return true;
}

bool xtf_found_names_store(const XtfFoundNames *found, XtfWriter *writer, GError **error)
{
    return store_rows(found->trace, XTF_TABLE_SITES, &found->sites, writer, error) &&
           store_rows(found->trace, XTF_TABLE_REGIONS, &found->regions, writer, error);
}
