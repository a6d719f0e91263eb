/*
 * The pages that arrays occupy in the file.
 */
#pragma once

#include "libxtf/write/writer-private.h"

/* State of a search for the pages of arrays. */
typedef struct {
    const XtfWriter *writer;
    GHashTable *visited;      /* places of visited pages, and of pages dropped since the last commit */
    GArray *ids;              /* uint32_t: ids of all arrays, ascending */
    const XtfFreePages *free; /* free pages, ascending; owned by the writer's space */
    uint32_t n_free;
} XtfPageSearch;

/* Starts a search. Returns false if two arrays have the same id: then a page head does not identify its array. The
 * caller may allocate no pages from the writer's space until xtf_page_search_finish(). */
bool xtf_page_search_init(XtfPageSearch *search, const XtfWriter *writer);
void xtf_page_search_finish(XtfPageSearch *search);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(XtfPageSearch, xtf_page_search_finish)

/* Appends the places (uint64_t) of all pages of an array to `places`, reserved places too. Returns false and appends
 * nothing if a page is damaged, names another array or was visited before, or if the array is closed. */
bool xtf_page_search_array(XtfPageSearch *search, const XtfArrayWriter *array, GArray *places);

/* Appends the entries of all pages of level 1 of an array (XtfDiskEntry), the open page last. The array's height is 2
 * or more. Returns false if a page is damaged, or there are more than `most` entries. Pages of earlier volumes count as
 * damaged. */
bool xtf_array_pages_leaves(const XtfArrayWriter *array, GArray *entries, guint most);
