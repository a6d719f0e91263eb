#include "src/import/requests.h"

#include <string.h>

#include "src/import/definitions/id-map.h"

enum { INITIAL_CAPACITY = 64 };

/* Returns zeroed memory, from a mapped file if `in_file`. NULL with an error. */
static void *memory_new(XtfFileMemory *file, const char *folder, size_t size, bool in_file, GError **error)
{
    if (!in_file)
        return g_malloc0(size);
    return xtf_file_memory_make(file, folder, size, error) ? file->data : NULL;
}

static void memory_free(void *memory, XtfFileMemory *file)
{
    if (!file->data)
        g_free(memory);
    xtf_file_memory_free(file);
}

void xtf_requests_init(XtfRequests *requests, const char *folder)
{
    *requests = (XtfRequests){.folder = folder};
}

void xtf_requests_finish(XtfRequests *requests)
{
    memory_free(requests->ring, &requests->ring_file);
    memory_free(requests->slots, &requests->slots_file);
    xtf_requests_init(requests, requests->folder);
}

static size_t slots_size(const XtfRequests *requests)
{
    return 2 * requests->capacity * sizeof *requests->slots;
}

void xtf_requests_clear(XtfRequests *requests)
{
    if (requests->capacity > XTF_REQUESTS_IN_MEMORY)
        xtf_requests_finish(requests);
    if (requests->capacity > 0)
        memset(requests->slots, 0, slots_size(requests));
    requests->first = requests->end = 0;
}

static XtfRequest *request_at(const XtfRequests *requests, uint64_t number)
{
    return &requests->ring[number & (requests->capacity - 1)];
}

/* Returns the slot at which the look-up of an id begins. */
static uint64_t home_slot(const XtfRequests *requests, uint64_t id, XtfRequestState kind)
{
    const uint64_t key[] = {id, kind == XTF_REQUEST_SENDING}; /* a random hash: no archive can make ids collide */

    return xtf_id_hash(key, G_N_ELEMENTS(key)) & (2 * requests->capacity - 1);
}

/* Returns the slot of the open request of that kind; a free slot if there is none. */
static uint64_t find_slot(const XtfRequests *requests, uint64_t id, XtfRequestState kind)
{
    uint64_t slot = home_slot(requests, id, kind);

    for (; requests->slots[slot] != 0; slot = (slot + 1) & (2 * requests->capacity - 1)) {
        const XtfRequest *request = request_at(requests, requests->slots[slot] - 1);
        if (request->id == id && request->state == kind)
            break;
    }
    return slot;
}

/* Frees a slot. Moves up the entries after it that it displaced from their home slots. The request must still have its
 * id and kind. */
static void free_slot(XtfRequests *requests, uint64_t slot)
{
    uint64_t mask = 2 * requests->capacity - 1;

    requests->slots[slot] = 0;
    for (uint64_t next = (slot + 1) & mask; requests->slots[next] != 0; next = (next + 1) & mask) {
        const XtfRequest *request = request_at(requests, requests->slots[next] - 1);
        uint64_t home = home_slot(requests, request->id, request->state);
        if (((next - home) & mask) < ((next - slot) & mask))
            continue; /* the entry's home is after the free slot */
        requests->slots[slot] = requests->slots[next];
        requests->slots[next] = 0;
        slot = next;
    }
}

/* Ends the open request of that kind and returns it; NULL: there is none. */
static XtfRequest *end_request(XtfRequests *requests, uint64_t id, XtfRequestState kind, XtfRequestState end)
{
    if (xtf_requests_empty(requests))
        return NULL;
    uint64_t slot = find_slot(requests, id, kind);
    if (requests->slots[slot] == 0)
        return NULL;
    XtfRequest *request = request_at(requests, requests->slots[slot] - 1);
    free_slot(requests, slot);
    request->state = end;
    return request;
}

static bool is_open(const XtfRequest *request)
{
    return request->state == XTF_REQUEST_RECEIVING || request->state == XTF_REQUEST_SENDING;
}

static bool grow_ring(XtfRequests *requests, GError **error)
{
    XtfRequests larger = {.folder = requests->folder, .first = requests->first, .end = requests->end};
    larger.capacity = requests->capacity > 0 ? 2 * requests->capacity : INITIAL_CAPACITY;
    bool in_file = larger.capacity > XTF_REQUESTS_IN_MEMORY;

    larger.ring = memory_new(&larger.ring_file, larger.folder, larger.capacity * sizeof *larger.ring, in_file, error);
    if (larger.ring)
        larger.slots = memory_new(&larger.slots_file, larger.folder, slots_size(&larger), in_file, error);
    if (!larger.slots) {
        xtf_requests_finish(&larger);
        return false;
    }
    for (uint64_t number = requests->first; number < requests->end; number++) {
        XtfRequest *request = request_at(&larger, number);
        *request = *request_at(requests, number);
        if (is_open(request))
            larger.slots[find_slot(&larger, request->id, request->state)] = number + 1;
    }
    xtf_requests_finish(requests);
    *requests = larger;
    return true;
}

bool xtf_requests_post(XtfRequests *requests, XtfRequestState state, uint64_t id, const XtfPostingsRow *row,
                       GError **error)
{
    bool open = state == XTF_REQUEST_RECEIVING || state == XTF_REQUEST_SENDING;

    if (open)
        end_request(requests, id, state, XTF_REQUEST_FORGOTTEN);
    if (requests->end - requests->first == requests->capacity && !grow_ring(requests, error))
        return false;
    XtfRequest *request = request_at(requests, requests->end++);
    *request = (XtfRequest){.row = *row, .state = state, .id = id};
    if (open)
        requests->slots[find_slot(requests, id, state)] = requests->end;
    return true;
}

XtfPostingsRow *xtf_requests_receive(XtfRequests *requests, uint64_t id)
{
    XtfRequest *request = end_request(requests, id, XTF_REQUEST_RECEIVING, XTF_REQUEST_RECEIVED);

    return request ? &request->row : NULL;
}

void xtf_requests_sent(XtfRequests *requests, uint64_t id)
{
    end_request(requests, id, XTF_REQUEST_SENDING, XTF_REQUEST_FORGOTTEN);
}

void xtf_requests_cancel(XtfRequests *requests, uint64_t id)
{
    if (xtf_requests_empty(requests))
        return;
    uint64_t receive = requests->slots[find_slot(requests, id, XTF_REQUEST_RECEIVING)];
    uint64_t send = requests->slots[find_slot(requests, id, XTF_REQUEST_SENDING)];
    if (receive > send)
        end_request(requests, id, XTF_REQUEST_RECEIVING, XTF_REQUEST_FORGOTTEN);
    else
        end_request(requests, id, XTF_REQUEST_SENDING, XTF_REQUEST_CANCELLED_SEND);
}

const XtfRequest *xtf_requests_take(XtfRequests *requests, bool ended)
{
    while (!xtf_requests_empty(requests)) {
        XtfRequest *request = request_at(requests, requests->first);
        if (is_open(request) && !ended)
            return NULL;
        if (is_open(request))
            end_request(requests, request->id, request->state, XTF_REQUEST_FORGOTTEN);
        requests->first++;
        if (request->state != XTF_REQUEST_FORGOTTEN)
            return request;
    }
    return NULL;
}
