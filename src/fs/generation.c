#include "src/fs/generation.h"

XtfGeneration *xtf_generation_new(uint64_t number, XtfTree *tree)
{
    XtfGeneration *generation = g_new0(XtfGeneration, 1);

    g_atomic_ref_count_init(&generation->references);
    generation->number = number;
    generation->tree = tree;
    clock_gettime(CLOCK_REALTIME, &generation->mtime);
    return generation;
}

XtfGeneration *xtf_generation_ref(XtfGeneration *generation)
{
    if (generation)
        g_atomic_ref_count_inc(&generation->references);
    return generation;
}

void xtf_generation_unref(XtfGeneration *generation)
{
    if (!generation || !g_atomic_ref_count_dec(&generation->references))
        return;
    xtf_tree_free(generation->tree);
    g_free(generation);
}

bool xtf_generation_is_older(const XtfGeneration *generation, const XtfGeneration *later)
{
    return (generation ? generation->number : 0) < (later ? later->number : 0);
}
