/*
 * Call sites: from where the program calls functions of MPI.
 *
 * The first record of a site adds its row, and the definition fills it in with the place in the object file. The name
 * in the source is found later, by another thread. The collector waits for names only when the process has ended.
 */
#include <string.h>

#include "src/record/collect/rows/build-id.h"
#include "src/record/collect/rows/collect.h"
#include "src/record/names/namer.h"
#include "src/record/nanoseconds.h"

enum {
    FIRST_SITES = 256,
    NUMBERS = XTF_WIRE_SITES + XTF_WIRE_FUNCTIONS,
};
#define NAMING_NS (UINT64_C(10) * 1000 * 1000 * 1000) /* the longest wait for names at the end */

typedef struct {
    XtfNamer *namer; /* NULL: no name was asked for, or there is no thread */
    bool tried;      /* to create the namer */
    uint32_t awaited;
    GHashTable *build_ids; /* by path of object file */
    GHashTable *by_place;  /* rows by object file, offset and region */
} Sites;

static void sites_finish(void *data)
{
    Sites *sites = data;

    xtf_namer_free(sites->namer);
    if (sites->build_ids)
        g_hash_table_unref(sites->build_ids);
    if (sites->by_place)
        g_hash_table_unref(sites->by_place);
}

static Sites *sites_of(XtfCollector *collector)
{
    Sites *sites = xtf_collect_own(collector, "sites", sizeof *sites, sites_finish);

    if (!sites->build_ids) {
        sites->build_ids = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
        sites->by_place = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    }
    return sites;
}

static void grow_sites(XtfCollector *collector, uint32_t number)
{
    uint32_t n = MAX(number + 1, MAX(2 * collector->n_sites, FIRST_SITES));

    collector->sites = g_renew(uint32_t, collector->sites, n);
    memset(collector->sites + collector->n_sites, 0xff, (n - collector->n_sites) * sizeof *collector->sites);
    collector->n_sites = n;
}

uint32_t xtf_collect_new_site(XtfCollector *collector, uint32_t number, uint32_t region)
{
    XtfSiteRow site;

    if (number >= NUMBERS)
        return XTF_NONE32;
    xtf_collect_empty_row(XTF_MODEL_SITES, &site);
    site.region = region;
    site.name = xtf_collect_string(&collector->tables, "other sites");
    if (number > XTF_WIRE_SITES)
        xtf_collect_remark(collector,
                           "process %" PRIu32 " calls MPI from more than %d places: those that came later are the "
                           "site \"other sites\" of their function",
                           collector->rank, XTF_WIRE_SITES / 8 * 7);
    if (number >= collector->n_sites)
        grow_sites(collector, number);
    collector->sites[number] = xtf_collect_add_row(&collector->tables, XTF_MODEL_SITES, &site);
    return collector->sites[number];
}

static const char *build_id_of(Sites *sites, const char *path)
{
    char *id = g_hash_table_lookup(sites->build_ids, path);
    if (id)
        return id;
    id = path[0] ? xtf_collect_build_id(path) : g_strdup("");
    g_hash_table_insert(sites->build_ids, g_strdup(path), id);
    return id;
}

/* Returns the name of a site of which only the address is known. The caller frees it. */
static char *address_name(const char *path, uint64_t offset)
{
    g_autofree char *file = path[0] ? g_path_get_basename(path) : NULL;

    return file ? g_strdup_printf("0x%" PRIx64 "@%s", offset, file) : g_strdup_printf("0x%" PRIx64, offset);
}

static void ask_for_name(Sites *sites, uint32_t row, const char *path, const XtfDefineSite *site)
{
    if (!sites->tried)
        sites->namer = xtf_namer_new();
    sites->tried = true;
    if (!sites->namer || !path[0])
        return;
    xtf_namer_ask(sites->namer, row, path, site->base, site->address);
    sites->awaited++;
}

/* Gives the number of a site the row of the same place, if it has one: a library was unloaded and loaded again. Returns
 * true if the place is new. */
static bool is_new_place(XtfCollector *collector, uint32_t number, const char *path, const XtfDefineSite *site)
{
    Sites *sites = sites_of(collector);
    char *key = g_strdup_printf("%s\n%" PRIx64 "\n%" PRIu32, path, site->address - site->base, site->region);
    void *row;

    if (number >= collector->n_sites)
        grow_sites(collector, number);
    if (collector->sites[number] == XTF_NONE32 && g_hash_table_lookup_extended(sites->by_place, key, NULL, &row)) {
        collector->sites[number] = GPOINTER_TO_UINT(row);
        g_free(key);
        return false;
    }
    uint32_t new_row = xtf_collect_site(collector, number, xtf_collect_region(collector, site->region));
    g_hash_table_insert(sites->by_place, key, GUINT_TO_POINTER(new_row));
    const XtfSiteRow *known = xtf_collect_see_row(&collector->tables, XTF_MODEL_SITES, new_row);
    return known->offset == XTF_NONE64; /* else another thread has defined it */
}

static bool define_site(XtfCollectRing *ring, uint64_t id, const uint8_t *bytes, size_t size)
{
    XtfCollector *collector = ring->collector;
    XtfCollectTables *tables = &collector->tables;
    XtfCollectData data = {.ring = ring, .data = bytes, .left = size};
    g_autofree char *path = NULL;
    XtfDefineSite site;

    if (!xtf_collect_read(&data, &site, sizeof site) || !xtf_collect_read_text(&data, data.left, &path))
        return false;
    if (id == 0 || id > XTF_WIRE_SITES || site.region >= XTF_WIRE_FUNCTIONS)
        return xtf_collect_malformed(ring, "site %" PRIu64 " of region %" PRIu32 " cannot be defined", id, site.region);
    if (!collector->has_sites || !is_new_place(collector, id, path, &site))
        return true;
    uint32_t row = collector->sites[id];
    Sites *sites = sites_of(collector);
    g_autofree char *name = address_name(path, site.address - site.base);
    uint32_t name_id = xtf_collect_string(tables, name), path_id = xtf_collect_string(tables, path);
    uint32_t build_id = xtf_collect_string(tables, build_id_of(sites, path));
    XtfSiteRow *changed = xtf_collect_change_row(tables, XTF_MODEL_SITES, row);
    changed->name = name_id;
    changed->object = path_id;
    changed->build_id = build_id;
    changed->offset = site.address - site.base;
    ask_for_name(sites, row, path, &site);
    return true;
}

/* Returns the name of a site in the source. NULL if the function is unknown. The caller frees it. */
static char *source_name(const XtfCallPlace *place)
{
    g_autofree char *file = place->file[0] ? g_path_get_basename(place->file) : NULL;

    if (!place->function[0])
        return file ? g_strdup_printf("%s:%" PRIu32, file, place->line) : NULL;
    if (file && place->line > 0)
        return g_strdup_printf("%s (%s:%" PRIu32 ")", place->function, file, place->line);
    return g_strdup_printf("%s+0x%" PRIx64, place->function, place->offset);
}

static void set_place(XtfCollectTables *tables, uint32_t row, const XtfCallPlace *place)
{
    g_autofree char *name = source_name(place);

    if (!name)
        return;
    uint32_t name_id = xtf_collect_string(tables, name), function = xtf_collect_string(tables, place->function);
    uint32_t file = xtf_collect_string(tables, place->file), outer = xtf_collect_string(tables, place->inlined_into);
    XtfSiteRow *site = xtf_collect_change_row(tables, XTF_MODEL_SITES, row);
    site->name = name_id;
    site->function = function;
    site->inlined_into = outer;
    site->file = file;
    site->line = place->line > 0 ? place->line : XTF_NONE32;
}

/* Takes the names that were found since the last commit. At the end of the process waits for all of them. */
static void take_names(XtfCollector *collector, bool end)
{
    Sites *sites = sites_of(collector);
    uint64_t until = xtf_monotonic_ns() + NAMING_NS;

    while (sites->awaited > 0) {
        uint64_t now = end ? xtf_monotonic_ns() : until;
        XtfNaming *naming = xtf_namer_answer(sites->namer, now < until ? (until - now) / 1000 : 0);
        if (!naming)
            break;
        set_place(&collector->tables, naming->number, &naming->place);
        xtf_naming_free(naming);
        sites->awaited--;
    }
    if (end && sites->awaited > 0)
        xtf_collect_remark(collector,
                           "process %" PRIu32 ": %" PRIu32 " call sites have no name, since reading debug information "
                           "took longer than %d s",
                           collector->rank, sites->awaited, (int)(NAMING_NS / 1000000000));
}

static const XtfCollectDefinition definitions[] = {{XTF_DEFINE_SITE, define_site}, {0}};
const XtfCollectRows xtf_collect_sites = {.definitions = definitions, .complete = take_names};
