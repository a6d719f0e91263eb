/*
 * Gathering: reads of many arrays by few requests, for sources whose requests are slow. From a disk, the pages on the
 * way to two times are read at once: one descent after the other would wait for each page.
 */
#include "libxtf/base/fetching-source.h"
#include "libxtf/tree/descent.h"

/* Most reads that wait for one another: nodes of the P index, a right edge, the pages of a descent. */
enum { ROUNDS_MAX = XTF_HEIGHT_MAX + 4 };

void xtf_trace_gather(XtfTrace *trace, XtfGatherWork work, void *data)
{
    g_auto(XtfGathering) gathering;

    if (!xtf_gathering_begin(&gathering, trace->source, XTF_GATHER_NOTED))
        return;
    for (unsigned i = 0; i < ROUNDS_MAX; i++) {
        work(data);
        if (!xtf_gathering_fetch(&gathering))
            return;
    }
}

/* ---- Two descents at once. */

/* Starts to read the children of two pages of one level, if they are two sealed pages. */
static void expect_children(const XtfDescentPage pages[2], const uint32_t slots[2])
{
    const XtfArray *array = pages[0].array;
    XtfSource *source = array->trace->source;
    uint64_t offsets[2];

    for (unsigned i = 0; i < 2; i++) {
        uint64_t place = xtf_read64(xtf_page_entry(&pages[i].page, slots[i])->child);
        if ((pages[i].open && slots[i] + 1 == pages[i].page.count) || !xtf_page_locate(array, place, &offsets[i], NULL))
            return;
    }
    for (unsigned i = 0; i < 2 && offsets[0] != offsets[1]; i++)
        source->ops->expect(source, offsets[i], xtf_array_page_size(array));
}

void xtf_descent_expect(const XtfArray *array, uint64_t t1, uint64_t t2)
{
    const uint64_t keys[2] = {t1, t2};
    XtfDescentPage pages[2] = {0}, children[2] = {0};
    uint32_t slots[2];

    if (!array->trace->source->ops->expect || array->height < 2 || array->joined)
        return;
    g_autoptr(XtfBlock) edge = xtf_edge_get(array, NULL);
    if (!edge)
        return;
    xtf_descent_root_page(array, edge, &pages[0]);
    pages[1] = pages[0];
    for (bool good = true; good;) {
        for (unsigned i = 0; i < 2; i++)
            slots[i] = xtf_descent_child_of_time(&pages[i], keys[i]);
        expect_children(pages, slots);
        good = pages[0].level > 1;
        for (unsigned i = 0; i < 2 && good; i++)
            good = xtf_descent_enter(&pages[i], slots[i], &children[i], NULL);
        for (unsigned i = 0; i < 2; i++) {
            xtf_descent_leave(&pages[i]);
            pages[i] = children[i];
            children[i] = (XtfDescentPage){0};
        }
    }
    xtf_descent_leave(&pages[0]);
    xtf_descent_leave(&pages[1]);
}
