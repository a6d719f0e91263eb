/*
 * Reading the companions of sealed index pages: bytes of tables, compared with their checksums. Nothing is cached here.
 */
#pragma once

#include "libxtf/totals/tables/batches.h"
#include "libxtf/tree/descent.h"

/* Returns the base-2 logarithm of the children of a batch. Returns 0 if a page's totals are not in batches, or the page
 * states batches that it cannot have. */
unsigned xtf_companion_batch_bits(const XtfDescentPage *page);

/* A companion's tables, in one allocation. */
typedef struct {
    uint8_t *bytes;
    uint32_t length;
} XtfCompanionTables;

static inline void xtf_companion_tables_finish(XtfCompanionTables *tables) /* an all-zero struct is allowed */
{
    g_free(tables->bytes);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(XtfCompanionTables, xtf_companion_tables_finish)

/* Finds the place of the companion of a sealed page. */
bool xtf_companion_find(const XtfDescentPage *page, uint64_t *place, GError **error);

/* Reads the whole payload of the companion at a place. If the page's totals are in batches, the payload begins with a
 * directory, which is checked. The caller finishes *tables. */
bool xtf_companion_read(const XtfDescentPage *page, uint64_t place, XtfCompanionTables *tables, GError **error);

/* Reads one section of a companion in batches, and its part of the directory. The caller finishes *tables. */
bool xtf_companion_read_section(const XtfDescentPage *page, uint64_t place, uint32_t section,
                                XtfCompanionTables *tables, GError **error);

/* Returns a section of a payload that xtf_companion_read() returned. */
XtfBytesReader xtf_companion_section(const XtfDescentPage *page, const XtfCompanionTables *tables, uint32_t section);
/* True if the bytes of the section have the checksum of its own. */
bool xtf_companion_section_is_whole(const XtfDescentPage *page, const XtfCompanionTables *tables, uint32_t section);

/* Sets an error that a companion is damaged. Returns false. */
bool xtf_companion_fail(const XtfDescentPage *page, uint64_t place, const char *fault, GError **error);
