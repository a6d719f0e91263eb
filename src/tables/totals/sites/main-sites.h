/*
 * The one or two sites from which most calls of a region are made, by their time or their waits, and words for them.
 */
#pragma once

#include "src/tables/totals/sites/site-totals.h"

#define XTF_NO_SITE UINT32_MAX

typedef struct {
    uint32_t region;                  /* row of definitions/regions; UINT32_MAX: no site has any weight */
    uint32_t n;                       /* sites of the region that have weight */
    uint32_t first, second;           /* sites with most weight; XTF_NO_SITE: there is none */
    double first_share, second_share; /* of the region's weight, from 0 to 1 */
} XtfMainSites;

/* Finds the main sites of a region by the weight of each site. UINT32_MAX as the region: the one with most weight. */
XtfMainSites xtf_main_sites(const XtfSites *sites, const double *weights, uint32_t region);
/* Finds the main sites of a region by the time of their calls. */
XtfMainSites xtf_main_sites_by_time(const XtfSiteTotals *totals, uint32_t region);

/* True if one site has most of the weight. */
bool xtf_main_sites_is_one(const XtfMainSites *main);
/* Returns the words for main sites behind the name of the region: ", called by exchange (stencil.c:142)". The words are
 * ", mostly called by ..." if other sites matter, and name two sites if none has 60 %. They are ", called
 * from 7 sites" if two sites have less than two thirds, and "" without sites. NULL with an error. The caller frees
 * them. */
char *xtf_main_sites_words(const XtfMainSites *main, XtfTraceContext *context, GError **error);
/* Returns ", called by exchange (stencil.c:142)" for one site; "" for a number that is none. NULL with an error. */
char *xtf_site_words(uint64_t site, XtfTraceContext *context, GError **error);
