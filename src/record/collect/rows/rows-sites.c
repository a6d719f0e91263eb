/*
 * Call sites: from where the program calls functions of MPI.
 *
 * The first record of a site adds its row, and the definition fills it in with the place in the object file. The name
 * in the source is found later, by another thread. The collector waits for names only when the process has ended.
 *
 * A call with several frames shows one of them: the innermost one in the program, else in a library that is not MPI's.
 * The row of the site has that frame. `caller` leads to the rows of frames around it, `callee` to rows of frames
 * between it and MPI. These rows have no region, and sites share them.
 */
#include <string.h>

#include "src/record/collect/rows/build-id.h"
#include "src/record/collect/rows/collect.h"
#include "src/record/mpi-library.h"
#include "src/record/names/namer.h"
#include "src/record/nanoseconds.h"

enum {
    FIRST_SITES = 256,
    NUMBERS = XTF_WIRE_SITES + XTF_WIRE_FUNCTIONS,
};
#define NAMING_NS (UINT64_C(10) * 1000 * 1000 * 1000) /* the longest wait for names at the end */

/* A place in an object file to which a call returns. */
typedef struct {
    uint32_t number;
    char *path; /* of the object file; "": unknown */
    uint64_t offset;
    uint32_t name, object, build_id; /* strings; the name is that of the address */
    bool is_named;
    XtfCallPlace source; /* place in the source, if the place is named */
    GArray *rows;        /* uint32_t: rows of `sites` with this place */
} Place;

/* The identity of a row of `sites`. */
typedef struct {
    uint32_t region, place, caller, callee;
} Frame;

typedef struct {
    XtfNamer *namer; /* NULL: no name was asked for, or there is no thread */
    bool tried;      /* true once the collector has tried to create the namer */
    uint32_t awaited;
    GHashTable *build_ids; /* by path of object file */
    GHashTable *by_place;  /* Place by object file and offset; owned by `places` */
    GPtrArray *places;     /* Place, by the place's number */
    GHashTable *by_frame;  /* rows by Frame, which the table owns */
} Sites;

static void free_place(gpointer data)
{
    Place *place = data;

    xtf_call_place_clear(&place->source);
    g_array_unref(place->rows);
    g_free(place->path);
    g_free(place);
}

static guint hash_frame(gconstpointer data)
{
    const Frame *frame = data;

    return ((frame->region * 31 + frame->place) * 0x9e3779b1U ^ frame->caller) * 0x85ebca6bU ^ frame->callee;
}

static gboolean equal_frames(gconstpointer a, gconstpointer b)
{
    return memcmp(a, b, sizeof(Frame)) == 0;
}

static void sites_finish(void *data)
{
    Sites *sites = data;

    xtf_namer_free(sites->namer);
    if (!sites->places)
        return;
    g_hash_table_unref(sites->build_ids);
    g_hash_table_unref(sites->by_place);
    g_hash_table_unref(sites->by_frame);
    g_ptr_array_unref(sites->places);
}

static Sites *sites_of(XtfCollector *collector)
{
    Sites *sites = xtf_collect_own(collector, "sites", sizeof *sites, sites_finish);

    if (!sites->places) {
        sites->build_ids = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
        sites->by_place = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
        sites->by_frame = g_hash_table_new_full(hash_frame, equal_frames, g_free, NULL);
        sites->places = g_ptr_array_new_with_free_func(free_place);
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

static uint32_t add_row(XtfCollector *collector, uint32_t region, uint32_t name)
{
    XtfStackedSiteRow row; /* begins as an XtfSiteRow */

    row.caller = row.callee = XTF_NONE32;
    xtf_collect_empty_row(XTF_MODEL_SITES, &row);
    row.region = region;
    row.name = name;
    return xtf_collect_add_row(&collector->tables, XTF_MODEL_SITES, &row);
}

uint32_t xtf_collect_new_site(XtfCollector *collector, uint32_t number, uint32_t region)
{
    if (number >= NUMBERS)
        return XTF_NONE32;
    if (number > XTF_WIRE_SITES)
        xtf_collect_remark(collector,
                           "process %" PRIu32 " calls MPI from more than %d places: those that came later are the "
                           "site \"other sites\" of their function",
                           collector->rank, XTF_WIRE_SITES / 8 * 7);
    if (number >= collector->n_sites)
        grow_sites(collector, number);
    collector->sites[number] = add_row(collector, region, xtf_collect_string(&collector->tables, "other sites"));
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

/* Writes a place's name in the source into a row. */
static void set_source(XtfCollectTables *tables, uint32_t row, const XtfCallPlace *place)
{
    g_autofree char *name = xtf_call_place_name(place);

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

static void ask_for_name(Sites *sites, const Place *place, const XtfDefineFrame *frame)
{
    if (!sites->tried)
        sites->namer = xtf_namer_new();
    sites->tried = true;
    if (!sites->namer || !place->path[0])
        return;
    xtf_namer_ask(sites->namer, place->number, place->path, frame->base, frame->address);
    sites->awaited++;
}

/* Finds the place of a frame, or adds it and asks for its name. */
static Place *find_site_place(XtfCollector *collector, const XtfDefineFrame *frame, const char *path)
{
    Sites *sites = sites_of(collector);
    XtfCollectTables *tables = &collector->tables;
    char *key = g_strdup_printf("%s\n%" PRIx64, path, frame->address - frame->base);
    Place *place = g_hash_table_lookup(sites->by_place, key);

    if (place) {
        g_free(key);
        return place;
    }
    place = g_new0(Place, 1);
    *place = (Place){.number = sites->places->len, .path = g_strdup(path), .offset = frame->address - frame->base};
    place->rows = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    g_ptr_array_add(sites->places, place);
    g_hash_table_insert(sites->by_place, key, place);
    g_autofree char *name = address_name(path, place->offset);
    place->name = xtf_collect_string(tables, name);
    place->object = xtf_collect_string(tables, path);
    place->build_id = xtf_collect_string(tables, build_id_of(sites, path));
    ask_for_name(sites, place, frame);
    return place;
}

/* Writes a frame into a row. */
static void fill_row(XtfCollector *collector, uint32_t row, const Frame *frame)
{
    Place *place = g_ptr_array_index(sites_of(collector)->places, frame->place);
    XtfStackedSiteRow *site = xtf_collect_change_row(&collector->tables, XTF_MODEL_SITES, row);

    site->name = place->name;
    site->object = place->object;
    site->build_id = place->build_id;
    site->offset = place->offset;
    if (collector->site_frames > 1) {
        site->caller = frame->caller;
        site->callee = frame->callee;
    }
    g_array_append_val(place->rows, row);
    if (place->is_named)
        set_source(&collector->tables, row, &place->source);
}

/* Returns the row of a frame, and adds it if it is new. */
static uint32_t row_of_frame(XtfCollector *collector, const Frame *frame)
{
    Sites *sites = sites_of(collector);
    void *known;

    if (g_hash_table_lookup_extended(sites->by_frame, frame, NULL, &known))
        return GPOINTER_TO_UINT(known);
    uint32_t row = add_row(collector, frame->region, 0);
    g_hash_table_insert(sites->by_frame, g_memdup2(frame, sizeof *frame), GUINT_TO_POINTER(row));
    fill_row(collector, row, frame);
    return row;
}

/* Gives the number of a site its row. The site's first records, its definition in another ring, or another number of it
 * may have added the row. A site has another number after its library was loaded again. */
static void set_site(XtfCollector *collector, uint32_t number, uint32_t region, const Frame *frame)
{
    Sites *sites = sites_of(collector);

    if (number >= collector->n_sites)
        grow_sites(collector, number);
    if (collector->sites[number] == XTF_NONE32 && g_hash_table_contains(sites->by_frame, frame)) {
        collector->sites[number] = row_of_frame(collector, frame);
        return;
    }
    uint32_t row = xtf_collect_site(collector, number, region);
    g_hash_table_insert(sites->by_frame, g_memdup2(frame, sizeof *frame), GUINT_TO_POINTER(row));
    const XtfSiteRow *known = xtf_collect_see_row(&collector->tables, XTF_MODEL_SITES, row);
    if (known->offset == XTF_NONE64)
        fill_row(collector, row, frame);
}

/* A definition. */
typedef struct {
    XtfDefineSite head;
    XtfDefineFrame frames[XTF_WIRE_FRAMES_MAX]; /* head.n, innermost first */
    char *paths[XTF_WIRE_FRAMES_MAX];           /* of object files; the others are NULL */
} Definition;

static void free_paths(Definition *site)
{
    for (size_t i = 0; i < G_N_ELEMENTS(site->paths); i++)
        g_free(site->paths[i]);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Definition, free_paths)

static bool read_definition(XtfCollectData *data, uint64_t id, Definition *site)
{
    if (!xtf_collect_read(data, &site->head, sizeof site->head))
        return false;
    uint32_t n = site->head.n;
    if (id == 0 || id > XTF_WIRE_SITES || site->head.region >= XTF_WIRE_FUNCTIONS || n == 0 || n > XTF_WIRE_FRAMES_MAX)
        return xtf_collect_malformed(data->ring,
                                     "site %" PRIu64 " of region %" PRIu32 " cannot be defined with frames: %" PRIu32,
                                     id, site->head.region, n);
    if (!xtf_collect_read(data, site->frames, n * sizeof *site->frames))
        return false;
    for (uint32_t i = 0; i < n; i++)
        if (!xtf_collect_read_text(data, site->frames[i].path_size, &site->paths[i]))
            return false;
    return true;
}

/* True if an object file is the recorder's own, or a library of MPI. */
static bool is_below_program(const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;

    return xtf_is_mpi_library(name) || g_str_has_prefix(name, "libxtf-record");
}

/* Returns the index of the frame that the site shows. */
static uint32_t choose_frame(const Definition *site)
{
    for (uint32_t i = 0; i < site->head.n; i++)
        if (site->frames[i].in_program)
            return i;
    for (uint32_t i = 0; i < site->head.n; i++)
        if (!is_below_program(site->paths[i]))
            return i;
    return 0;
}

static bool define_site(XtfCollectRing *ring, uint64_t id, const uint8_t *bytes, size_t size)
{
    XtfCollector *collector = ring->collector;
    XtfCollectData data = {.ring = ring, .data = bytes, .left = size};
    uint32_t places[XTF_WIRE_FRAMES_MAX];
    g_auto(Definition) site = {0};

    if (!read_definition(&data, id, &site))
        return false;
    if (collector->site_frames == 0)
        return true;
    if (site.head.n > collector->site_frames)
        return xtf_collect_malformed(ring, "site %" PRIu64 " has more than %" PRIu32 " frames", id,
                                     collector->site_frames);
    uint32_t n = site.head.n, shown = choose_frame(&site);
    for (uint32_t i = 0; i < n; i++)
        places[i] = find_site_place(collector, &site.frames[i], site.paths[i])->number;
    Frame outer = {XTF_NONE32, 0, XTF_NONE32, XTF_NONE32}, inner = outer, frame = outer;
    for (uint32_t i = n - 1; i > shown; i--) {
        outer.place = places[i];
        outer.caller = row_of_frame(collector, &outer);
    }
    for (uint32_t i = 0; i < shown; i++) {
        inner.place = places[i];
        inner.callee = row_of_frame(collector, &inner);
    }
    frame = (Frame){xtf_collect_region(collector, site.head.region), places[shown], outer.caller, inner.callee};
    set_site(collector, (uint32_t)id, frame.region, &frame);
    return true;
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
        Place *place = g_ptr_array_index(sites->places, naming->number);
        place->is_named = true;
        place->source = naming->place;
        naming->place = (XtfCallPlace){0};
        xtf_naming_free(naming);
        for (guint i = 0; i < place->rows->len; i++)
            set_source(&collector->tables, g_array_index(place->rows, uint32_t, i), &place->source);
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
