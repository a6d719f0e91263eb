/*
 * The hard idea: pairs belong together if many matrices say so, and one may err.
 *
 * Each matrix puts each pair into a cluster of its own kind, so a pair has a vector of labels, one a matrix. Pairs with
 * the same vector are an intersection of clusters (L in the paper). Noise lets a value slip over the border of a range
 * here and there, so vectors of one true class differ in a place or two: the paper joins to the largest intersection
 * all intersections of m - 1 of its m clusters (H), which are the vectors that differ from it in one place. Then comes
 * the next largest of what is left.
 *
 * A comparison of all vectors would cost their number squared. Two vectors differ in place w alone if they agree when w
 * is left out, so for each w the vectors that agree without it are linked in a ring, and a cluster is an intersection
 * and its m rings. All members of a ring are taken at once, so no ring is walked twice: O(vectors x m) altogether.
 *
 * What agrees without place w is found by numbers for prefixes and suffixes: a prefix' number is that of (the prefix
 * without its last place, the label there). The same numbers, of whole vectors, find the intersections.
 */
#include "src/network/cluster/intersections.h"

#include <glib.h>

#include "src/network/cluster/numbering.h"

enum {
    LEAST_OTHERS = 2, /* matrices; if the only one may err, nothing is left that agrees */
};

/* The distinct vectors. */
typedef struct {
    const uint32_t *const *labels;
    unsigned n_places, first_wild;
    uint32_t n;
    uint32_t *pairs;  /* a vector's first pair */
    uint32_t *sizes;  /* pairs with the vector */
    uint32_t **rings; /* of place w: the next vector that agrees without w */
    XtfNumbering numbering;
} Vectors;

static uint32_t label_of(const Vectors *vectors, uint32_t vector, unsigned place)
{
    return vectors->labels[place][vectors->pairs[vector]];
}

/* The number of each pair's vector, by prefixes that grow by a place. */
static void find_vectors(Vectors *vectors, size_t n_pairs, uint32_t *of_pairs)
{
    for (size_t pair = 0; pair < n_pairs; pair++)
        of_pairs[pair] = 0;
    for (unsigned place = 0; place < vectors->n_places; place++) {
        xtf_numbering_clear(&vectors->numbering);
        for (size_t pair = 0; pair < n_pairs; pair++)
            of_pairs[pair] = xtf_numbering_get(&vectors->numbering, of_pairs[pair], vectors->labels[place][pair]);
    }
    vectors->n = vectors->numbering.n;
    vectors->pairs = g_new(uint32_t, vectors->n);
    vectors->sizes = g_new0(uint32_t, vectors->n);
    for (size_t pair = 0; pair < n_pairs; pair++) {
        if (vectors->sizes[of_pairs[pair]]++ == 0)
            vectors->pairs[of_pairs[pair]] = (uint32_t)pair;
    }
}

/* Links the vectors whose (a, b) is the same. `ring` may be `b`, which is overwritten. */
static void link_ring(Vectors *vectors, const uint32_t *a, const uint32_t *b, uint32_t *ring)
{
    g_autofree uint32_t *heads = g_new(uint32_t, vectors->n);

    xtf_numbering_clear(&vectors->numbering);
    for (uint32_t v = 0; v < vectors->n; v++) {
        uint32_t before = vectors->numbering.n;
        uint32_t group = xtf_numbering_get(&vectors->numbering, a[v], b[v]);
        if (group == before) {
            heads[group] = v;
            ring[v] = v;
        } else {
            ring[v] = ring[heads[group]];
            ring[heads[group]] = v;
        }
    }
}

/* numbers[v] becomes the number of (numbers[v], label in place). `to` may be `numbers`. */
static void add_place(Vectors *vectors, const uint32_t *numbers, unsigned place, uint32_t *to)
{
    xtf_numbering_clear(&vectors->numbering);
    for (uint32_t v = 0; v < vectors->n; v++)
        to[v] = xtf_numbering_get(&vectors->numbering, numbers[v], label_of(vectors, v, place));
}

/* rings[w] is the suffix behind w first, then the ring. */
static void link_vectors(Vectors *vectors)
{
    g_autofree uint32_t *prefixes = g_new0(uint32_t, vectors->n);

    vectors->rings = g_new(uint32_t *, vectors->n_places);
    for (unsigned w = 0; w < vectors->n_places; w++)
        vectors->rings[w] = g_new0(uint32_t, vectors->n);
    for (unsigned w = vectors->n_places; w-- > 1;)
        add_place(vectors, vectors->rings[w], w, vectors->rings[w - 1]);
    for (unsigned w = 0; w < vectors->n_places; w++) {
        link_ring(vectors, prefixes, vectors->rings[w], vectors->rings[w]);
        add_place(vectors, prefixes, w, prefixes);
    }
}

/* The largest first; of equal sizes the smallest vector. */
static int compare_vectors(gconstpointer left, gconstpointer right, gpointer data)
{
    const Vectors *vectors = data;
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;

    if (vectors->sizes[a] != vectors->sizes[b])
        return vectors->sizes[a] > vectors->sizes[b] ? -1 : 1;
    for (unsigned place = 0; place < vectors->n_places; place++) {
        uint32_t x = label_of(vectors, a, place), y = label_of(vectors, b, place);
        if (x != y)
            return x < y ? -1 : 1;
    }
    return 0;
}

static uint32_t form_clusters(const Vectors *vectors, uint32_t *clusters)
{
    g_autofree uint32_t *order = g_new(uint32_t, vectors->n);
    uint32_t n = 0;

    for (uint32_t v = 0; v < vectors->n; v++) {
        order[v] = v;
        clusters[v] = XTF_UNNUMBERED;
    }
    if (vectors->n > 0)
        g_qsort_with_data(order, (int)vectors->n, sizeof *order, compare_vectors, (gpointer)vectors);
    for (uint32_t i = 0; i < vectors->n; i++) {
        uint32_t largest = order[i];
        if (clusters[largest] != XTF_UNNUMBERED)
            continue;
        clusters[largest] = n;
        for (unsigned w = vectors->first_wild; w < vectors->n_places; w++) {
            for (uint32_t v = vectors->rings[w][largest]; v != largest; v = vectors->rings[w][v])
                clusters[v] = clusters[v] == XTF_UNNUMBERED ? n : clusters[v];
        }
        n++;
    }
    return n;
}

uint32_t xtf_intersections_cluster(const uint32_t *const *labels, unsigned n_places, bool first_fixed, size_t n_pairs,
                                   uint32_t *clusters)
{
    Vectors vectors = {.labels = labels, .n_places = n_places};
    g_autofree uint32_t *of_pairs = g_new(uint32_t, n_pairs);

    vectors.first_wild = n_places - first_fixed < LEAST_OTHERS ? n_places : first_fixed;
    xtf_numbering_init(&vectors.numbering);
    find_vectors(&vectors, n_pairs, of_pairs);
    link_vectors(&vectors);
    g_autofree uint32_t *of_vectors = g_new(uint32_t, vectors.n);
    uint32_t n = form_clusters(&vectors, of_vectors);
    for (size_t pair = 0; pair < n_pairs; pair++)
        clusters[pair] = of_vectors[of_pairs[pair]];
    for (unsigned w = 0; w < n_places; w++)
        g_free(vectors.rings[w]);
    g_free(vectors.rings);
    g_free(vectors.pairs);
    g_free(vectors.sizes);
    xtf_numbering_finish(&vectors.numbering);
    return n;
}

size_t xtf_intersections_dropped(const uint32_t *before, uint32_t n_before, const uint32_t *after, uint32_t n_after,
                                 size_t n_pairs)
{
    g_autofree uint32_t *sizes = g_new0(uint32_t, n_after), *largest = g_new0(uint32_t, n_before);
    size_t kept = 0;

    for (size_t pair = 0; pair < n_pairs; pair++)
        sizes[after[pair]]++;
    for (size_t pair = 0; pair < n_pairs; pair++)
        largest[before[pair]] = MAX(largest[before[pair]], sizes[after[pair]]);
    for (uint32_t i = 0; i < n_before; i++)
        kept += largest[i];
    return n_pairs - kept;
}
