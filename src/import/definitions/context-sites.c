#include "src/import/definitions/context-sites.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <string.h>

enum {
    FRAMES_MAX = 8, /* of a site, as `xtf record` takes them */
    SAMPLING = 21,  /* of xtf_paradigm_names */
    STRING = 11,    /* of xtf_value_types */
    UINT64 = 4,
    OF_CALLING_CONTEXT = 3, /* of xtf_property_owners */
    PLACE_WORDS = 4,        /* of the key of a place */
};
#define UNKNOWN (UINT32_MAX - 1) /* a row that was not looked up yet */

/* Properties by which Score-P describes the instruction of a calling context. */
#define OBJECT_PROPERTY "EXECUTABLE/SHARED OBJECT"
#define OFFSET_PROPERTY "INSTRUCTION OFFSET"

/* A calling context, as a frame of other calls. */
typedef struct {
    uint32_t parent; /* row of `calling_contexts`; XTF_NONE32: none */
    uint32_t place;  /* the first context with the same region, source location and instruction */
    uint32_t object; /* a string; 0: unknown */
    bool unwound;    /* the recorder found the frame on the stack, without an event of its region */
    bool placed;     /* the source location is defined, or the context has a property such as an address */
    uint64_t offset; /* of the instruction in the object; XTF_NONE64: unknown */
} Context;

/* The identity of a row of `sites`. */
typedef struct {
    uint32_t region, place, caller, callee;
} Frame;

struct XtfContextSites {
    XtfDefinitions *definitions;
    Context *contexts; /* by row of `calling_contexts` */
    uint32_t n;
    uint32_t program; /* the object of the function main, a string; 0: unknown */
    uint64_t n_circles;
    GHashTable *texts;       /* string of the trace -> text */
    GHashTable *rows;        /* Frame -> row of `sites`, plus 1 */
    _Atomic uint32_t *known; /* by context: the row of its call's site, or UNKNOWN */
    GMutex lock;             /* of `rows` */
};

/* ---- Keys of tables. */

static guint hash_frame(gconstpointer data)
{
    const Frame *frame = data;

    return xtf_id_hash(
        (uint64_t[]){(uint64_t)frame->region << 32 | frame->place, (uint64_t)frame->caller << 32 | frame->callee}, 2);
}

static gboolean equal_frames(gconstpointer a, gconstpointer b)
{
    return memcmp(a, b, sizeof(Frame)) == 0;
}

static guint hash_context_place(gconstpointer data)
{
    return xtf_id_hash(data, PLACE_WORDS);
}

static gboolean equal_context_places(gconstpointer a, gconstpointer b)
{
    return memcmp(a, b, PLACE_WORDS * sizeof(uint64_t)) == 0;
}

/* ---- Before resolving. */

/* True if the recorder defined the region of a context for frames that it finds on the stack. */
static bool is_unwound(const XtfDefinitions *definitions, const XtfCallingContextRow *context)
{
    uint32_t row;

    if (!xtf_id_map_find(&definitions->tables[XTF_MODEL_REGION_DEFINITIONS].rows_by_id, context->region, &row))
        return false;
    const XtfRegionDefinitionRow *region = xtf_definitions_at(definitions, XTF_MODEL_REGION_DEFINITIONS, row);
    return region->paradigm == SAMPLING;
}

/* Finds the row of a context by the source's id. */
static bool find_context(const XtfDefinitions *definitions, uint64_t id, uint32_t *row)
{
    return id < XTF_NONE32 &&
           xtf_id_map_find(&definitions->tables[XTF_MODEL_CALLING_CONTEXTS].rows_by_id, (uint32_t)id, row);
}

/* Returns the contexts of the archive, without the members that need resolving. The caller frees them. */
static Context *list_contexts(const XtfDefinitions *definitions, uint32_t n)
{
    Context *contexts = g_new0(Context, (gsize)n + 1);
    uint32_t owner;

    for (uint32_t i = 0; i < n; i++) {
        const XtfCallingContextRow *row = xtf_definitions_at(definitions, XTF_MODEL_CALLING_CONTEXTS, i);
        contexts[i].unwound = is_unwound(definitions, row);
        contexts[i].placed = row->source_location != XTF_NONE32;
    }
    for (uint64_t i = 0; i < xtf_definitions_n_rows(definitions, XTF_MODEL_DEFINITION_PROPERTIES); i++) {
        const XtfDefinitionPropertyRow *row = xtf_definitions_at(definitions, XTF_MODEL_DEFINITION_PROPERTIES, i);
        if (row->of == OF_CALLING_CONTEXT && find_context(definitions, row->owner, &owner))
            contexts[owner].placed = true;
    }
    return contexts;
}

XtfContextSites *xtf_context_sites_new(XtfDefinitions *definitions)
{
    const uint32_t n = (uint32_t)xtf_definitions_n_rows(definitions, XTF_MODEL_CALLING_CONTEXTS);
    g_autofree Context *contexts = list_contexts(definitions, n);
    bool any = false;
    uint32_t parent;

    for (uint32_t i = 0; i < n; i++) {
        const XtfCallingContextRow *row = xtf_definitions_at(definitions, XTF_MODEL_CALLING_CONTEXTS, i);
        any |= !contexts[i].unwound && find_context(definitions, row->parent, &parent) && contexts[parent].placed;
    }
    if (!any)
        return NULL;
    XtfContextSites *sites = g_new0(XtfContextSites, 1);
    sites->definitions = definitions;
    sites->contexts = g_steal_pointer(&contexts);
    sites->n = n;
    sites->rows = g_hash_table_new_full(hash_frame, equal_frames, g_free, NULL);
    g_mutex_init(&sites->lock);
    definitions->tables[XTF_MODEL_SITES].schema = xtf_model_schema_with_frames();
    return sites;
}

/* ---- After resolving. */

static const XtfCallingContextRow *definition_of(const XtfContextSites *sites, uint32_t context)
{
    return xtf_definitions_at(sites->definitions, XTF_MODEL_CALLING_CONTEXTS, context);
}

/* Returns the region of a context; NULL if it is not defined. */
static const XtfRegionRow *region_of(const XtfContextSites *sites, uint32_t context)
{
    uint32_t region = definition_of(sites, context)->region;

    return region < xtf_definitions_n_rows(sites->definitions, XTF_MODEL_REGIONS)
               ? xtf_definitions_at(sites->definitions, XTF_MODEL_REGIONS, region)
               : NULL;
}

static void read_properties(XtfContextSites *sites)
{
    XtfDefinitions *definitions = sites->definitions;
    const uint32_t object = xtf_definitions_late_string(definitions, OBJECT_PROPERTY);
    const uint32_t offset = xtf_definitions_late_string(definitions, OFFSET_PROPERTY);

    for (uint64_t i = 0; i < xtf_definitions_n_rows(definitions, XTF_MODEL_DEFINITION_PROPERTIES); i++) {
        const XtfDefinitionPropertyRow *row = xtf_definitions_at(definitions, XTF_MODEL_DEFINITION_PROPERTIES, i);
        if (row->of != OF_CALLING_CONTEXT || row->owner >= sites->n)
            continue;
        if (row->name == object && row->type == STRING)
            sites->contexts[row->owner].object = (uint32_t)row->value;
        else if (row->name == offset && row->type == UINT64)
            sites->contexts[row->owner].offset = row->value;
    }
}

/* Notes the parents, and cuts each circle of them at one context. */
static void link_contexts(XtfContextSites *sites)
{
    g_autofree uint32_t *walks = g_new0(uint32_t, (gsize)sites->n + 1); /* by context: the walk that came by, plus 1 */

    for (uint32_t i = 0; i < sites->n; i++) {
        uint32_t parent = definition_of(sites, i)->parent;
        sites->contexts[i].parent = parent < sites->n ? parent : XTF_NONE32;
    }
    for (uint32_t i = 0; i < sites->n; i++) {
        for (uint32_t at = i, next; at != XTF_NONE32 && walks[at] == 0; at = next) {
            walks[at] = i + 1;
            next = sites->contexts[at].parent;
            if (next != XTF_NONE32 && walks[next] == i + 1) {
                sites->contexts[at].parent = XTF_NONE32;
                sites->n_circles++;
                break;
            }
        }
    }
}

static void find_places(XtfContextSites *sites)
{
    g_autoptr(GHashTable) first = g_hash_table_new_full(hash_context_place, equal_context_places, g_free, NULL);

    for (uint32_t i = 0; i < sites->n; i++) {
        const XtfCallingContextRow *row = definition_of(sites, i);
        const uint64_t key[PLACE_WORDS] = {row->region, row->source_location, sites->contexts[i].object,
                                           sites->contexts[i].offset};
        gpointer known = g_hash_table_lookup(first, key);
        sites->contexts[i].place = known ? GPOINTER_TO_UINT(known) - 1 : i;
        if (!known)
            g_hash_table_insert(first, g_memdup2(key, sizeof key), GUINT_TO_POINTER(i + 1));
    }
}

static void find_program(XtfContextSites *sites)
{
    const uint32_t c = xtf_definitions_late_string(sites->definitions, "main");
    const uint32_t fortran = xtf_definitions_late_string(sites->definitions, "MAIN__");

    for (uint32_t i = 0; i < sites->n && sites->program == 0; i++) {
        const XtfRegionRow *region = region_of(sites, i);
        if (region && (region->name == c || region->name == fortran))
            sites->program = sites->contexts[i].object;
    }
}

void xtf_context_sites_prepare(XtfContextSites *sites)
{
    sites->known = g_new(_Atomic uint32_t, sites->n);
    for (uint32_t i = 0; i < sites->n; i++) {
        sites->known[i] = UNKNOWN;
        sites->contexts[i].offset = XTF_NONE64;
    }
    sites->texts = xtf_definitions_texts(sites->definitions);
    read_properties(sites);
    link_contexts(sites);
    find_places(sites);
    find_program(sites);
}

void xtf_context_sites_free(XtfContextSites *sites)
{
    if (!sites)
        return;
    g_clear_pointer(&sites->texts, g_hash_table_unref);
    g_hash_table_unref(sites->rows);
    g_mutex_clear(&sites->lock);
    g_free(sites->contexts);
    g_free(sites->known);
    g_free(sites);
}

uint64_t xtf_context_sites_n_circles(const XtfContextSites *sites)
{
    return sites->n_circles;
}

/* ---- Rows. */

static const char *text_of(const XtfContextSites *sites, uint32_t string)
{
    const char *text = g_hash_table_lookup(sites->texts, GUINT_TO_POINTER(string));

    return text ? text : "";
}

/* Returns the name of a frame: "exchange (stencil.c:142)", "exchange" without a line, "0x1139@program" without a
 * function. The caller frees it. */
static char *name_frame(const XtfContextSites *sites, const XtfSiteRow *frame)
{
    g_autofree char *file = g_path_get_basename(text_of(sites, frame->file));
    g_autofree char *object = g_path_get_basename(text_of(sites, frame->object));
    const char *function = text_of(sites, frame->function);

    if (frame->line != XTF_NONE32 && *function)
        return g_strdup_printf("%s (%s:%" PRIu32 ")", function, file, frame->line);
    if (frame->line != XTF_NONE32)
        return g_strdup_printf("%s:%" PRIu32, file, frame->line);
    if (!*function && frame->offset != XTF_NONE64)
        return g_strdup_printf("0x%" PRIx64 "@%s", frame->offset, object);
    return g_strdup(*function ? function : "unknown function");
}

/* Sets the place of a row, by a calling context. */
static void set_place(const XtfContextSites *sites, uint32_t context, XtfStackedSiteRow *row)
{
    XtfDefinitions *definitions = sites->definitions;
    const Context *from = &sites->contexts[context];
    const XtfRegionRow *region = region_of(sites, context);
    const uint32_t location = definition_of(sites, context)->source_location;
    const uint32_t none = xtf_definitions_late_string(definitions, "");
    XtfSiteRow place = {.line = XTF_NONE32,
                        /* Score-P has the address of the call, one byte before the one at which it returns. */
                        .offset = from->offset != XTF_NONE64 ? from->offset + 1 : XTF_NONE64,
                        .function = region ? region->name : none,
                        .inlined_into = none,
                        .file = none,
                        .object = from->object != 0 ? from->object : none,
                        .build_id = none};

    if (location < xtf_definitions_n_rows(definitions, XTF_MODEL_SOURCE_LOCATIONS)) {
        const XtfSourceLocationRow *source = xtf_definitions_at(definitions, XTF_MODEL_SOURCE_LOCATIONS, location);
        place.line = source->line > 0 ? source->line : XTF_NONE32;
        place.file = source->line > 0 ? source->file : none;
    }
    g_autofree char *name = name_frame(sites, &place);
    place.name = xtf_definitions_late_string(definitions, name);
    memcpy(row, &place, sizeof place);
}

/* Returns the row of a frame, and adds it if it is new. Needs the lock. */
static uint32_t row_of_frame(XtfContextSites *sites, Frame frame)
{
    frame.place = sites->contexts[frame.place].place;
    gpointer known = g_hash_table_lookup(sites->rows, &frame);
    if (known)
        return GPOINTER_TO_UINT(known) - 1;
    XtfStackedSiteRow row;
    set_place(sites, frame.place, &row);
    row.region = frame.region;
    row.caller = frame.caller;
    row.callee = frame.callee;
    uint32_t number = xtf_definitions_append(sites->definitions, XTF_MODEL_SITES, &row);
    g_hash_table_insert(sites->rows, g_memdup2(&frame, sizeof frame), GUINT_TO_POINTER(number + 1));
    return number;
}

/* True if a context is the stack's frame of the function that the inner context enters. Score-P has both if the
 * compiler instruments functions. */
static bool is_own_frame(const XtfContextSites *sites, uint32_t context, uint32_t inner)
{
    const XtfRegionRow *a = region_of(sites, context), *b = region_of(sites, inner);

    return sites->contexts[context].unwound && !sites->contexts[inner].unwound && a && b &&
           (a->name == b->name || (a->canonical == b->canonical && *text_of(sites, a->canonical)));
}

/* Returns the context that calls a context; XTF_NONE32: none. */
static uint32_t caller_of(const XtfContextSites *sites, uint32_t context)
{
    uint32_t parent = sites->contexts[context].parent;

    return parent != XTF_NONE32 && is_own_frame(sites, parent, context) ? sites->contexts[parent].parent : parent;
}

static bool has_line(const XtfContextSites *sites, uint32_t context)
{
    uint32_t location = definition_of(sites, context)->source_location;

    if (location >= xtf_definitions_n_rows(sites->definitions, XTF_MODEL_SOURCE_LOCATIONS))
        return false;
    const XtfSourceLocationRow *row = xtf_definitions_at(sites->definitions, XTF_MODEL_SOURCE_LOCATIONS, location);
    return row->line > 0;
}

/* Returns the index of the frame that the site shows: the innermost one in the program, else with a line, else of all.
 * Frames are innermost first. */
static unsigned choose_frame(const XtfContextSites *sites, const uint32_t *frames, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        if (sites->program != 0 && sites->contexts[frames[i]].object == sites->program)
            return i;
    for (unsigned i = 0; i < n; i++)
        if (has_line(sites, frames[i]))
            return i;
    return 0;
}

/* Adds the rows of a call's frames. Returns that of its site. Needs the lock. */
static uint32_t add_site(XtfContextSites *sites, uint32_t context)
{
    const uint32_t region = definition_of(sites, context)->region;
    uint32_t frames[FRAMES_MAX], caller = XTF_NONE32, callee = XTF_NONE32;
    bool placed = false;
    unsigned n = 0;

    for (uint32_t at = caller_of(sites, context); at != XTF_NONE32 && n < FRAMES_MAX; at = caller_of(sites, at)) {
        placed |= sites->contexts[at].placed;
        frames[n++] = at;
    }
    if (!placed || region == XTF_NONE32)
        return XTF_NONE32;
    unsigned shown = choose_frame(sites, frames, n);
    for (unsigned i = n - 1; i > shown; i--)
        caller = row_of_frame(sites, (Frame){XTF_NONE32, frames[i], caller, XTF_NONE32});
    for (unsigned i = 0; i < shown; i++)
        callee = row_of_frame(sites, (Frame){XTF_NONE32, frames[i], XTF_NONE32, callee});
    return row_of_frame(sites, (Frame){region, frames[shown], caller, callee});
}

uint32_t xtf_context_sites_row(XtfContextSites *sites, uint32_t context)
{
    if (context >= sites->n)
        return XTF_NONE32;
    uint32_t row = atomic_load(&sites->known[context]);
    if (row != UNKNOWN)
        return row;
    g_mutex_lock(&sites->lock);
    row = add_site(sites, context);
    g_mutex_unlock(&sites->lock);
    atomic_store(&sites->known[context], row);
    return row;
}
