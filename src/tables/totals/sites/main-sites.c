#include "src/tables/totals/sites/main-sites.h"

#include "libxtf/trace.h"
#include "libxtf/vocabulary.h"
#include "src/model/tables.h"
#include "src/trace/text/escape.h"

enum {
    NAME_BYTES = 400,    /* most bytes of a name that are escaped */
    NAME_CHARACTERS = 70 /* most characters of a name in a sentence */
};

#define ALL_SHARE  0.95      /* share from which on other sites do not matter */
#define MOST_SHARE 0.6       /* one site with more has most */
#define TWO_SHARE  (2.0 / 3) /* two sites with more have most */

/* ---- Main sites. */

/* Returns the region whose sites have most weight; UINT32_MAX if none has any. */
static uint32_t find_heaviest_region(const XtfSites *sites, const double *weights)
{
    g_autoptr(GHashTable) sums = g_hash_table_new_full(NULL, NULL, NULL, g_free);
    uint32_t heaviest = UINT32_MAX;
    double most = 0;

    for (uint64_t i = 0; i < sites->n; i++) {
        if (weights[i] <= 0)
            continue;
        double *sum = g_hash_table_lookup(sums, GUINT_TO_POINTER(sites->regions[i]));
        if (!sum) {
            sum = g_new0(double, 1);
            g_hash_table_insert(sums, GUINT_TO_POINTER(sites->regions[i]), sum);
        }
        *sum += weights[i];
        if (*sum > most) {
            most = *sum;
            heaviest = sites->regions[i];
        }
    }
    return heaviest;
}

XtfMainSites xtf_main_sites(const XtfSites *sites, const double *weights, uint32_t region)
{
    XtfMainSites main = {.region = region == UINT32_MAX ? find_heaviest_region(sites, weights) : region,
                         .first = XTF_NO_SITE,
                         .second = XTF_NO_SITE};
    double whole = 0;

    for (uint64_t i = 0; i < sites->n && main.region != UINT32_MAX; i++) {
        if (sites->regions[i] != main.region || weights[i] <= 0)
            continue;
        main.n++;
        whole += weights[i];
        if (weights[i] > main.first_share) {
            main.second = main.first;
            main.second_share = main.first_share;
            main.first = (uint32_t)i;
            main.first_share = weights[i];
        } else if (weights[i] > main.second_share) {
            main.second = (uint32_t)i;
            main.second_share = weights[i];
        }
    }
    main.first_share = whole > 0 ? main.first_share / whole : 0;
    main.second_share = whole > 0 ? main.second_share / whole : 0;
    return main;
}

XtfMainSites xtf_main_sites_by_time(const XtfSiteTotals *totals, uint32_t region)
{
    g_autofree double *weights = g_new0(double, totals->sites->n + 1);

    for (uint64_t i = 0; i < totals->sites->n; i++)
        weights[i] = (double)totals->all[i].time;
    return xtf_main_sites(totals->sites, weights, region);
}

/* ---- Words. */

/* Returns a name without the middle of its function, if it is long: the file and the line remain. */
static char *shorten_name(const char *name)
{
    const char *place = g_strrstr(name, " (");
    glong length = g_utf8_strlen(name, -1), end = place ? g_utf8_strlen(place, -1) : 0;

    if (length <= NAME_CHARACTERS || end >= NAME_CHARACTERS - 8)
        return length <= NAME_CHARACTERS ? g_strdup(name) : g_utf8_substring(name, 0, NAME_CHARACTERS);
    g_autofree char *function = g_utf8_substring(name, 0, NAME_CHARACTERS - end - 1);
    return g_strdup_printf("%s\xe2\x80\xa6%s", function, place);
}

/* Returns the name of a site, ready to print: "exchange (stencil.c:142)". NULL with an error; "" for a missing name. */
static char *read_name(uint64_t site, XtfTraceContext *context, GError **error)
{
    const XtfTable *table;
    const char *raw = "";

    if (!xtf_trace_table(context->trace, XTF_TABLE_SITES, &table, error))
        return NULL;
    const XtfField *field = table && site < table->n_rows ? xtf_schema_field(table->schema, "name") : NULL;
    if (field && field->type == XTF_TYPE_STRING) {
        const uint8_t *row = table->rows + site * table->schema->row_size;
        if (!xtf_trace_string(context->trace, (uint32_t)xtf_field_get(field, row), &raw, error))
            return NULL;
    }
    g_autofree char *shown = xtf_text_shown(raw, NAME_BYTES);
    return shorten_name(shown);
}

/* Returns "by" for a function, "from" for an address or for sites without a name of their own. */
static const char *preposition_of(const char *name)
{
    return g_str_has_prefix(name, "0x") || g_str_equal(name, "other sites") ? "from" : "by";
}

char *xtf_site_words(uint64_t site, XtfTraceContext *context, GError **error)
{
    g_autofree char *name = read_name(site, context, error);

    if (!name)
        return NULL;
    return name[0] ? g_strdup_printf(", called %s %s", preposition_of(name), name) : g_strdup("");
}

bool xtf_main_sites_is_one(const XtfMainSites *main)
{
    return main->n > 0 && main->first_share > MOST_SHARE;
}

char *xtf_main_sites_words(const XtfMainSites *main, XtfTraceContext *context, GError **error)
{
    if (main->n == 0)
        return g_strdup("");
    g_autofree char *first = read_name(main->first, context, error);
    if (!first)
        return NULL;
    const char *by = preposition_of(first);
    if (main->first_share >= ALL_SHARE)
        return g_strdup_printf(", called %s %s", by, first);
    if (xtf_main_sites_is_one(main))
        return g_strdup_printf(", mostly called %s %s", by, first);
    if (main->n > 2 && main->first_share + main->second_share < TWO_SHARE)
        return g_strdup_printf(", called from %u sites", main->n);
    g_autofree char *second = read_name(main->second, context, error);
    if (!second)
        return NULL;
    return g_strdup_printf(", %scalled %s %s and %s", main->n > 2 ? "mostly " : "", by, first, second);
}
