#include "src/import/definitions/call-sites.h"

#include <inttypes.h>
#include <string.h>

enum {
    SOURCE_CODE_LOCATION = 20, /* index in xtf_value_types */
    STRING = 11,
    UINT64 = 4,
    OF_CALLING_CONTEXT = 3, /* index in xtf_property_owners */
};

const char *const xtf_site_properties[XTF_N_SITE_PROPERTIES] = {"function", "inlined_into", "object",
                                                                "build_id", "name",         "offset"};

/* A template is a row of `sites` without its region, one for each source location. */
struct XtfCallSites {
    XtfDefinitions *definitions;
    XtfSiteRow *templates; /* by row of `source_locations` */
    uint32_t *firsts;      /* by the same: the first row with the same template */
    uint64_t n;
    uint32_t attribute; /* the source's id */
    GHashTable *rows;   /* uint64_t, region and source location -> row of `sites`, plus 1 */
    GMutex lock;        /* of `rows` */
};

/* True if a string of the source, by its id, is a text. */
static bool is_text(const XtfDefinitions *definitions, uint32_t id, const char *text)
{
    uint32_t row;

    return xtf_id_map_find(&definitions->strings_by_id, id, &row) &&
           g_str_equal(g_ptr_array_index(definitions->strings, row), text);
}

bool xtf_call_sites_find(const XtfDefinitions *definitions, uint32_t *attribute)
{
    for (uint64_t i = 0; i < xtf_definitions_n_rows(definitions, XTF_MODEL_ATTRIBUTE_DEFINITIONS); i++) {
        const XtfAttributeDefinitionRow *row = xtf_definitions_at(definitions, XTF_MODEL_ATTRIBUTE_DEFINITIONS, i);
        *attribute = row->id;
        if (row->type == SOURCE_CODE_LOCATION && is_text(definitions, row->name, "call site"))
            return xtf_definitions_n_rows(definitions, XTF_MODEL_SOURCE_LOCATIONS) > 0;
    }
    return false;
}

/* Sets a member of the template that has the source location of the property's calling context. */
static void apply_property(XtfCallSites *sites, const XtfDefinitionPropertyRow *property, unsigned kind)
{
    XtfDefinitions *definitions = sites->definitions;

    if (property->owner >= xtf_definitions_n_rows(definitions, XTF_MODEL_CALLING_CONTEXTS))
        return;
    const XtfCallingContextRow *context = xtf_definitions_at(definitions, XTF_MODEL_CALLING_CONTEXTS, property->owner);
    if (context->source_location >= sites->n || property->type != (kind == XTF_SITE_OFFSET ? UINT64 : STRING))
        return;
    XtfSiteRow *site = &sites->templates[context->source_location];
    uint32_t text = (uint32_t)property->value;
    switch (kind) {
    case XTF_SITE_FUNCTION:
        site->function = text;
        break;
    case XTF_SITE_INLINED_INTO:
        site->inlined_into = text;
        break;
    case XTF_SITE_OBJECT:
        site->object = text;
        break;
    case XTF_SITE_BUILD_ID:
        site->build_id = text;
        break;
    case XTF_SITE_NAME:
        site->name = text;
        break;
    default:
        site->offset = property->value;
    }
}

static void apply_properties(XtfCallSites *sites)
{
    XtfDefinitions *definitions = sites->definitions;
    uint32_t names[XTF_N_SITE_PROPERTIES];

    for (unsigned kind = 0; kind < XTF_N_SITE_PROPERTIES; kind++)
        names[kind] = xtf_definitions_late_string(definitions, xtf_site_properties[kind]);
    for (uint64_t i = 0; i < xtf_definitions_n_rows(definitions, XTF_MODEL_DEFINITION_PROPERTIES); i++) {
        const XtfDefinitionPropertyRow *row = xtf_definitions_at(definitions, XTF_MODEL_DEFINITION_PROPERTIES, i);
        for (unsigned kind = 0; row->of == OF_CALLING_CONTEXT && kind < XTF_N_SITE_PROPERTIES; kind++)
            if (row->name == names[kind])
                apply_property(sites, row, kind);
    }
}

static void make_template(XtfCallSites *sites, uint64_t i)
{
    XtfDefinitions *definitions = sites->definitions;
    const XtfSourceLocationRow *from = xtf_definitions_at(definitions, XTF_MODEL_SOURCE_LOCATIONS, i);
    uint32_t none = xtf_definitions_late_string(definitions, "");

    sites->templates[i] = (XtfSiteRow){.line = from->line > 0 ? from->line : XTF_NONE32,
                                       .offset = XTF_NONE64,
                                       .function = none,
                                       .inlined_into = none,
                                       .file = from->line > 0 ? from->file : none,
                                       .object = none,
                                       .build_id = none,
                                       .name = none};
}

/* Names a site that has no name of its own by its line, or else by the text that takes the place of the file. */
static void name_template(XtfCallSites *sites, GHashTable *texts, uint64_t i)
{
    const XtfSourceLocationRow *from = xtf_definitions_at(sites->definitions, XTF_MODEL_SOURCE_LOCATIONS, i);
    const char *path = g_hash_table_lookup(texts, GUINT_TO_POINTER(from->file));
    g_autofree char *file = g_path_get_basename(path ? path : "");
    g_autofree char *line = g_strdup_printf("%s:%" PRIu32, file, from->line);

    if (sites->templates[i].name == xtf_definitions_late_string(sites->definitions, ""))
        sites->templates[i].name = xtf_definitions_late_string(sites->definitions, from->line > 0 ? line : file);
}

static guint hash_template(gconstpointer data)
{
    const XtfSiteRow *site = data;

    return xtf_id_hash((uint64_t[]){(uint64_t)site->name << 32 | site->line, site->offset}, 2);
}

static gboolean equal_templates(gconstpointer a, gconstpointer b)
{
    return memcmp(a, b, sizeof(XtfSiteRow)) == 0;
}

static void find_equal_templates(XtfCallSites *sites)
{
    g_autoptr(GHashTable) seen = g_hash_table_new(hash_template, equal_templates);
    gpointer first;

    for (uint32_t i = 0; i < sites->n; i++) {
        sites->firsts[i] = i;
        if (g_hash_table_lookup_extended(seen, &sites->templates[i], NULL, &first))
            sites->firsts[i] = GPOINTER_TO_UINT(first);
        else
            g_hash_table_insert(seen, &sites->templates[i], GUINT_TO_POINTER(i));
    }
}

XtfCallSites *xtf_call_sites_new(XtfDefinitions *definitions, uint32_t attribute)
{
    XtfCallSites *sites = g_new0(XtfCallSites, 1);

    sites->definitions = definitions;
    sites->attribute = attribute;
    sites->n = xtf_definitions_n_rows(definitions, XTF_MODEL_SOURCE_LOCATIONS);
    sites->templates = g_new0(XtfSiteRow, sites->n);
    sites->firsts = g_new0(uint32_t, sites->n);
    sites->rows = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
    g_mutex_init(&sites->lock);
    for (uint64_t i = 0; i < sites->n; i++)
        make_template(sites, i);
    apply_properties(sites);
    g_autoptr(GHashTable) texts = xtf_definitions_texts(definitions);
    for (uint64_t i = 0; i < sites->n; i++)
        name_template(sites, texts, i);
    find_equal_templates(sites);
    return sites;
}

void xtf_call_sites_free(XtfCallSites *sites)
{
    if (!sites)
        return;
    g_hash_table_unref(sites->rows);
    g_mutex_clear(&sites->lock);
    g_free(sites->templates);
    g_free(sites->firsts);
    g_free(sites);
}

uint32_t xtf_call_sites_attribute(const XtfCallSites *sites)
{
    return sites->attribute;
}

uint32_t xtf_call_sites_row(XtfCallSites *sites, uint32_t region, uint32_t source_location)
{
    if (source_location >= sites->n)
        return XTF_NONE32;
    uint32_t first = sites->firsts[source_location];
    const uint64_t key = (uint64_t)region << 32 | first;
    g_autoptr(GMutexLocker) locked G_GNUC_UNUSED = g_mutex_locker_new(&sites->lock);
    gpointer known = g_hash_table_lookup(sites->rows, &key);

    if (known)
        return GPOINTER_TO_UINT(known) - 1;
    XtfStackedSiteRow site = {.caller = XTF_NONE32,
                              .callee = XTF_NONE32}; /* without frames, the table takes its begin */
    memcpy(&site, &sites->templates[first], sizeof sites->templates[first]);
    site.region = region;
    uint32_t row = xtf_definitions_append(sites->definitions, XTF_MODEL_SITES, &site);
    g_hash_table_insert(sites->rows, g_memdup2(&key, sizeof key), GUINT_TO_POINTER(row + 1));
    return row;
}
