/* Hash table in stripes, each with its own lock, chains and memory. A chain keeps the order of adding. Requests are
 * added at its end and searched from its beginning, so that thousands of requests with one handle are found quickly. */
#include "src/record/mpi/messages/requests.h"

#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "src/record/core/spin.h"

enum {
    STRIPES = 16,
    CHAINS = 64,      /* hash chains that a stripe begins with */
    FIRST_CHUNK = 64, /* requests in the first chunk of memory; each further chunk doubles the memory */
    CHUNKS = 26,
    NONE = 0, /* index of no request */
};

typedef struct {
    uint32_t first, last;
} Chain;

typedef struct {
    _Alignas(64) XtfSpin lock;
    uint32_t free;     /* index of a free request */
    uint32_t n;        /* requests in use */
    uint32_t n_chunks; /* chunks of memory that exist */
    uint32_t mask;     /* number of chains, less 1; 0: there are none yet */
    Chain *chains;
    XtfMpiRequest *chunks[CHUNKS];
} Stripe;

static Stripe stripes[STRIPES];
static bool is_shared = true;
static _Atomic uint64_t last_id;

static uint64_t hash_of(uint64_t handle)
{
    uint64_t hash = handle * UINT64_C(0x9e3779b97f4a7c15);

    return hash ^ hash >> 32;
}

static Stripe *stripe_of(uint64_t hash)
{
    return &stripes[hash % STRIPES];
}

static void lock_stripe(Stripe *stripe)
{
    if (is_shared)
        xtf_spin_lock(&stripe->lock);
}

static void unlock_stripe(Stripe *stripe)
{
    if (is_shared)
        xtf_spin_unlock(&stripe->lock);
}

/* Returns request `index`. Index i > 0 is in chunk c of FIRST_CHUNK << (c - 1) requests. The first two chunks have
 * FIRST_CHUNK each. */
static XtfMpiRequest *request_at(Stripe *stripe, uint32_t index)
{
    unsigned chunk = 0;

    if (index >= FIRST_CHUNK) {
        chunk = 32 - (unsigned)__builtin_clz(index / FIRST_CHUNK);
        index -= (uint32_t)FIRST_CHUNK << (chunk - 1);
    }
    return &stripe->chunks[chunk][index];
}

static Chain *chain_of(Stripe *stripe, uint64_t hash)
{
    return &stripe->chains[hash / STRIPES & stripe->mask];
}

static void append_request(Stripe *stripe, uint32_t index)
{
    XtfMpiRequest *request = request_at(stripe, index);
    Chain *chain = chain_of(stripe, hash_of(request->handle));

    request->next = NONE;
    request->before = chain->last;
    if (chain->first == NONE)
        chain->first = index;
    else
        request_at(stripe, chain->last)->next = index;
    chain->last = index;
}

/* Makes more chains, and moves all requests to them in their order. */
static bool add_chains(Stripe *stripe)
{
    uint32_t old = stripe->chains ? stripe->mask + 1 : 0, n = old ? 4 * old : CHAINS;
    Chain *before = stripe->chains, *chains = calloc(n, sizeof *chains);

    if (!chains)
        return before != NULL;
    stripe->chains = chains;
    stripe->mask = n - 1;
    for (uint32_t i = 0; i < old; i++)
        for (uint32_t index = before[i].first, next; index != NONE; index = next) {
            next = request_at(stripe, index)->next;
            append_request(stripe, index);
        }
    free(before);
    return true;
}

static bool add_chunk(Stripe *stripe)
{
    if (stripe->n_chunks == CHUNKS || (!stripe->chains && !add_chains(stripe)))
        return false;
    uint32_t n = stripe->n_chunks < 2 ? FIRST_CHUNK : (uint32_t)FIRST_CHUNK << (stripe->n_chunks - 1);
    uint32_t first = stripe->n_chunks == 0 ? 0 : n;
    XtfMpiRequest *chunk = aligned_alloc(64, n * sizeof *chunk);

    if (!chunk)
        return false;
    memset(chunk, 0, n * sizeof *chunk);
    stripe->chunks[stripe->n_chunks++] = chunk;
    for (uint32_t i = n; i-- > 0;)
        if (first + i != NONE) {
            chunk[i].next = stripe->free;
            stripe->free = first + i;
        }
    return true;
}

static bool matches_handle(const XtfMpiRequest *request, uint64_t handle, bool message)
{
    return request->handle == handle && (request->kind == XTF_MPI_REQUEST_MESSAGE) == message &&
           !(request->flags & XTF_MPI_REQUEST_HELD);
}

static void remove_request(Stripe *stripe, uint32_t index)
{
    XtfMpiRequest *request = request_at(stripe, index);
    Chain *chain = chain_of(stripe, hash_of(request->handle));

    if (request->before == NONE)
        chain->first = request->next;
    else
        request_at(stripe, request->before)->next = request->next;
    if (request->next == NONE)
        chain->last = request->before;
    else
        request_at(stripe, request->next)->before = request->before;
    request->next = stripe->free;
    request->id = 0;
    request->flags = 0;
    stripe->free = index;
    stripe->n--;
}

/* Finds the first request of a handle that is not held. */
static uint32_t find_request(Stripe *stripe, uint64_t hash, uint64_t handle, bool message)
{
    if (!stripe->chains)
        return NONE;
    uint32_t index = chain_of(stripe, hash)->first;
    while (index != NONE && !matches_handle(request_at(stripe, index), handle, message))
        index = request_at(stripe, index)->next;
    return index;
}

/* Request of a hold, with its stripe locked; NONE: no request. */
typedef struct {
    Stripe *stripe;
    uint32_t index;
} Held;

static Held lock_held(uint64_t hold)
{
    Held found = {&stripes[hold % STRIPES], (uint32_t)(hold / STRIPES)};

    lock_stripe(found.stripe);
    return found;
}

/* Ends a hold, and returns its request as lock_held() does. */
static Held lock_released(uint64_t hold)
{
    Held found = lock_held(hold);

    if (found.index != NONE)
        request_at(found.stripe, found.index)->flags &= (uint8_t)~XTF_MPI_REQUEST_HELD;
    return found;
}

/* Sets a flag of a known request. Returns its place, which is a hold. */
static uint64_t set_flag(uint64_t handle, bool message, uint8_t flag)
{
    uint64_t hash = hash_of(handle);
    Stripe *stripe = stripe_of(hash);

    lock_stripe(stripe);
    uint32_t index = find_request(stripe, hash, handle, message);
    if (index != NONE)
        request_at(stripe, index)->flags |= flag;
    unlock_stripe(stripe);
    return (uint64_t)index * STRIPES + (uint64_t)(stripe - stripes);
}

uint64_t xtf_mpi_requests_hold(uint64_t handle, bool message)
{
    return set_flag(handle, message, XTF_MPI_REQUEST_HELD);
}

XtfMpiHeldRequest xtf_mpi_requests_hold_known(uint64_t handle)
{
    uint64_t hash = hash_of(handle);
    Stripe *stripe = stripe_of(hash);

    lock_stripe(stripe);
    uint32_t index = find_request(stripe, hash, handle, false);
    XtfMpiRequest *found = index == NONE ? NULL : request_at(stripe, index);
    if (found)
        found->flags |= XTF_MPI_REQUEST_HELD;
    unlock_stripe(stripe);
    return (XtfMpiHeldRequest){(uint64_t)index * STRIPES + (uint64_t)(stripe - stripes), found};
}

void xtf_mpi_requests_share(bool share)
{
    is_shared = share;
}

bool xtf_mpi_requests_may_exist(void)
{
    if (is_shared)
        return true;
    for (unsigned i = 0; i < STRIPES; i++)
        if (stripes[i].n > 0)
            return true;
    return false;
}

uint64_t xtf_mpi_requests_ids(unsigned n)
{
    if (is_shared)
        return atomic_fetch_add_explicit(&last_id, n, memory_order_relaxed) + 1;
    uint64_t id = atomic_load_explicit(&last_id, memory_order_relaxed);
    atomic_store_explicit(&last_id, id + n, memory_order_relaxed);
    return id + 1;
}

XtfMpiRequest *xtf_mpi_requests_open(uint64_t handle, XtfMpiRequestKind kind)
{
    uint64_t hash = hash_of(handle);
    Stripe *stripe = stripe_of(hash);

    lock_stripe(stripe);
    if (__builtin_expect(stripe->free == NONE, 0) && !add_chunk(stripe)) {
        unlock_stripe(stripe);
        return NULL;
    }
    uint32_t index = stripe->free;
    XtfMpiRequest *request = request_at(stripe, index);
    stripe->free = request->next;
    *request = (XtfMpiRequest){.handle = handle, .kind = (uint8_t)kind};
    append_request(stripe, index);
    if (__builtin_expect(++stripe->n > 2 * stripe->mask, 0))
        add_chains(stripe);
    return request;
}

void xtf_mpi_requests_close(XtfMpiRequest *request)
{
    unlock_stripe(stripe_of(hash_of(request->handle)));
}

bool xtf_mpi_requests_add(const XtfMpiRequest *request)
{
    XtfMpiRequest *added = xtf_mpi_requests_open(request->handle, (XtfMpiRequestKind)request->kind);

    if (!added)
        return false;
    uint32_t next = added->next, before = added->before;
    *added = *request;
    added->next = next;
    added->before = before;
    xtf_mpi_requests_close(added);
    return true;
}

bool xtf_mpi_requests_complete(uint64_t hold, XtfMpiRequest *request)
{
    Held done = lock_held(hold);
    bool known = false;

    if (done.index != NONE) {
        XtfMpiRequest *found = request_at(done.stripe, done.index);
        known = found->id != 0;
        *request = *found; /* before a byte of it is written: the copy would wait for that */
        request->flags &= (uint8_t)~XTF_MPI_REQUEST_HELD;
        if (found->flags & XTF_MPI_REQUEST_PERSISTENT) {
            found->id = 0;
            found->tests = 0;
            found->flags &= (uint8_t) ~(XTF_MPI_REQUEST_CANCEL | XTF_MPI_REQUEST_HELD);
        } else {
            remove_request(done.stripe, done.index);
        }
    }
    unlock_stripe(done.stripe);
    return known;
}

/* Returns the held request, active or not; NULL: none is held. No other thread changes it, and its memory stays. */
static const XtfMpiRequest *peek_request(uint64_t hold)
{
    return hold / STRIPES == NONE ? NULL : request_at(&stripes[hold % STRIPES], (uint32_t)(hold / STRIPES));
}

const XtfMpiRequest *xtf_mpi_requests_held(uint64_t hold)
{
    const XtfMpiRequest *request = peek_request(hold);

    return request && request->id != 0 ? request : NULL;
}

bool xtf_mpi_requests_is_idle(uint64_t hold)
{
    const XtfMpiRequest *request = peek_request(hold);

    return request && request->id == 0;
}

bool xtf_mpi_requests_test(uint64_t hold, XtfMpiRequest *request)
{
    Held tested = lock_released(hold);
    bool known = false;

    if (tested.index != NONE && request_at(tested.stripe, tested.index)->id != 0) {
        request_at(tested.stripe, tested.index)->tests++;
        *request = *request_at(tested.stripe, tested.index);
        known = true;
    }
    unlock_stripe(tested.stripe);
    return known;
}

bool xtf_mpi_requests_free(uint64_t hold, XtfMpiRequest *request)
{
    Held freed = lock_released(hold);

    if (freed.index != NONE) {
        *request = *request_at(freed.stripe, freed.index);
        remove_request(freed.stripe, freed.index);
    }
    unlock_stripe(freed.stripe);
    return freed.index != NONE;
}

void xtf_mpi_requests_release(uint64_t hold)
{
    if (hold / STRIPES != NONE)
        unlock_stripe(lock_released(hold).stripe);
}

uint64_t xtf_mpi_requests_handle(uint64_t hold)
{
    const XtfMpiRequest *request = peek_request(hold);
    return request ? request->handle : 0;
}

/* Moves a persistent request to the new handle that the library gave it. */
static bool move_request(uint64_t handle, uint64_t new_handle, uint64_t id, XtfMpiRequest *request)
{
    if (!xtf_mpi_requests_free(xtf_mpi_requests_hold(handle, false), request))
        return false;
    request->handle = new_handle;
    request->id = id;
    request->tests = 0;
    request->flags &= (uint8_t)~XTF_MPI_REQUEST_CANCEL;
    return xtf_mpi_requests_add(request);
}

bool xtf_mpi_requests_start(uint64_t handle, uint64_t new_handle, uint64_t id, XtfMpiRequest *request)
{
    if (handle != new_handle)
        return move_request(handle, new_handle, id, request);
    uint64_t hash = hash_of(handle);
    Stripe *stripe = stripe_of(hash);

    lock_stripe(stripe);
    uint32_t index = find_request(stripe, hash, handle, false);
    if (index != NONE) {
        XtfMpiRequest *found = request_at(stripe, index);
        found->id = id;
        found->tests = 0;
        found->flags &= (uint8_t)~XTF_MPI_REQUEST_CANCEL;
        *request = *found;
    }
    unlock_stripe(stripe);
    return index != NONE;
}

void xtf_mpi_requests_cancel(uint64_t handle)
{
    set_flag(handle, false, XTF_MPI_REQUEST_CANCEL);
}

void xtf_mpi_requests_each(void (*visit)(const XtfMpiRequest *request, void *data), void *data)
{
    for (unsigned i = 0; i < STRIPES; i++) {
        Stripe *stripe = &stripes[i];
        for (uint32_t chain = 0; stripe->chains && chain <= stripe->mask; chain++)
            for (uint32_t index = stripe->chains[chain].first; index != NONE; index = request_at(stripe, index)->next)
                if (request_at(stripe, index)->id != 0)
                    visit(request_at(stripe, index), data);
    }
}
