/*
 * Clusters from labels: a pair joins a cluster if all its labels but at most one agree with it.
 *
 * Each matrix gives each pair a label, so a pair has a vector with one label for each matrix. Pairs with the same
 * vector are an intersection of clusters (L in the paper). Noise moves some values over the border of a range, so
 * vectors of one true class differ in a place or two. The paper takes the largest intersection and joins to it all
 * intersections of m - 1 of its m clusters (H). These are the vectors that differ from it in one place. Then it takes
 * the largest intersection that is still free, and so on.
 *
 * A comparison of all vectors would cost the square of their number. Two vectors differ in place w only if they agree
 * without w. So for each w, the vectors that agree without w are linked in a ring. A cluster is an intersection and its
 * m rings. A cluster takes all free members of a ring, so no ring is walked twice: O(vectors x m) in all.
 *
 * Two vectors agree without w if they have the same prefix before w and the same suffix after it. Prefixes are
 * numbered: a prefix' number is the number of (the prefix without its last place, the label there). Suffixes are
 * numbered likewise. The numbers of whole vectors identify the intersections.
 */
#include "src/network/cluster/intersections.h"

#include <glib.h>

#include "src/network/cluster/numbering.h"

enum {
    MIN_FREE_PLACES = 2, /* fewest places in which vectors may differ: with one, no label would have to agree */
};

/* The distinct vectors. */
typedef struct {
    const uint32_t *const *labels;
    unsigned n_places, first_free; /* vectors of a cluster may differ in the places from first_free on */
    uint32_t n;
    uint32_t *pairs;  /* by vector: its first pair */
    uint32_t *sizes;  /* by vector: number of pairs that have it */
    uint32_t **rings; /* rings[w][v]: the next vector that agrees with v without w */
    XtfNumbering numbering;
} Vectors;

static uint32_t label_of(const Vectors *vectors, uint32_t vector, unsigned place)
{
    return vectors->labels[place][vectors->pairs[vector]];
}

/* Numbers the distinct vectors by prefixes that grow by a place, and finds the first pair and the size of each. */
static void find_vectors(Vectors *vectors, size_t n_pairs, uint32_t *pair_vectors)
{
    for (size_t pair = 0; pair < n_pairs; pair++)
        pair_vectors[pair] = 0;
    for (unsigned place = 0; place < vectors->n_places; place++) {
        xtf_numbering_clear(&vectors->numbering);
        for (size_t pair = 0; pair < n_pairs; pair++)
            pair_vectors[pair] =
                xtf_numbering_get(&vectors->numbering, pair_vectors[pair], vectors->labels[place][pair]);
    }
    vectors->n = vectors->numbering.n;
    vectors->pairs = g_new(uint32_t, vectors->n);
    vectors->sizes = g_new0(uint32_t, vectors->n);
    for (size_t pair = 0; pair < n_pairs; pair++) {
        if (vectors->sizes[pair_vectors[pair]]++ == 0)
            vectors->pairs[pair_vectors[pair]] = (uint32_t)pair;
    }
}

/* Links the vectors with the same (a, b) in rings. `ring` may be `b`. */
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

/* Sets to[v] to the number of (numbers[v], the label of v in `place`). `to` may be `numbers`. */
static void add_place(Vectors *vectors, const uint32_t *numbers, unsigned place, uint32_t *to)
{
    xtf_numbering_clear(&vectors->numbering);
    for (uint32_t v = 0; v < vectors->n; v++)
        to[v] = xtf_numbering_get(&vectors->numbering, numbers[v], label_of(vectors, v, place));
}

/* Links the rings of all places. Until its ring is linked, rings[w] has the numbers of the suffixes after w. */
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

/* Orders vectors by falling size, then by their labels. */
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
        for (unsigned w = vectors->first_free; w < vectors->n_places; w++) {
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
    g_autofree uint32_t *pair_vectors = g_new(uint32_t, n_pairs);

    vectors.first_free = n_places - first_fixed < MIN_FREE_PLACES ? n_places : first_fixed;
    xtf_numbering_init(&vectors.numbering);
    find_vectors(&vectors, n_pairs, pair_vectors);
    link_vectors(&vectors);
    g_autofree uint32_t *vector_clusters = g_new(uint32_t, vectors.n);
    uint32_t n = form_clusters(&vectors, vector_clusters);
    for (size_t pair = 0; pair < n_pairs; pair++)
        clusters[pair] = vector_clusters[pair_vectors[pair]];
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
