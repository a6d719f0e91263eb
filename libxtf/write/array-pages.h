/*
 * The pages that arrays take in the file.
 */
#pragma once

#include "libxtf/write/writer-private.h"

/* What a clearing of arrays knows of pages. */
typedef struct {
    const XtfWriter *writer;
    GHashTable *met;          /* places of pages that it came to, or that were dropped since the last commit */
    GArray *ids;              /* uint32_t: of all arrays, in order */
    const XtfFreePages *free; /* pages that nothing takes, by page; the space's own */
    uint32_t n_free;
} XtfPageSearch;

/* False if two arrays have the same id: then a page does not say which array's it is. Nothing may be taken from the
 * writer's space until the search is finished. */
bool xtf_page_search_init(XtfPageSearch *search, const XtfWriter *writer);
void xtf_page_search_finish(XtfPageSearch *search);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(XtfPageSearch, xtf_page_search_finish)

/* Appends the places of all pages of an array (uint64_t), those that are reserved too, to `places`. False, with none
 * appended, if they are not all known: a page is damaged, or another's, or was met before; or the array is closed. */
bool xtf_page_search_array(XtfPageSearch *search, const XtfArrayWriter *array, GArray *places);
