/*
 * The events of UPC programs, and their numbers in the dialects of compilers. Each dialect has numbers of its own:
 *
 * - Berkeley UPC, and compilers that use its runtime: 1000 to 1410; the program's events: 100 to 999
 * - GNU UPC, and Clang UPC: 1 to 43; the program's events: 1000 to 1999
 *
 * EVENT(NAME, region, role, paradigm, arguments of START, of END, KIND, number in Berkeley UPC, in GNU UPC)
 *
 * Number 0: the dialect does not have the event. Letters of the arguments that the recorder reads, in their order:
 *
 *   i  int: a number, flags, an operation, a type.     z  size_t.
 *   p  an address in the thread's own memory.          s  text.
 *   P  the address of a pointer to shared data.        h  the handle of an operation that may not be complete
 */
#pragma once

#include <stdbool.h>

/* Indices in xtf_region_roles. */
enum {
    XTF_GASP_ROLE_FUNCTION = 1,
    XTF_GASP_ROLE_WORKSHARE = 8,
    XTF_GASP_ROLE_LOCK = 29, /* of one-sided communication, as all accesses */
    XTF_GASP_ROLE_BARRIER = 15,
    XTF_GASP_ROLE_FLUSH = 17,
    XTF_GASP_ROLE_ONE2ALL = 23,
    XTF_GASP_ROLE_ALL2ONE = 24,
    XTF_GASP_ROLE_ALL2ALL = 25,
    XTF_GASP_ROLE_OTHER = 26,
    XTF_GASP_ROLE_RMA = 29,
    XTF_GASP_ROLE_ALLOCATE = 35,
    XTF_GASP_ROLE_DEALLOCATE = 36,
    XTF_GASP_ROLE_REALLOCATE = 37,
};

/* Records of a START and an END, beside the call. */
typedef enum {
    XTF_GASP_CALL,     /* nothing */
    XTF_GASP_FUNCTION, /* the call is of the function that the argument names */
    XTF_GASP_GET,      /* an access to the data of one thread */
    XTF_GASP_PUT,
    XTF_GASP_COPY,       /* an access to the source's thread, and one to the target's */
    XTF_GASP_SYNC,       /* the completion of an access */
    XTF_GASP_NOTIFY,     /* the begin of a barrier */
    XTF_GASP_WAIT,       /* its end */
    XTF_GASP_BARRIER,    /* both */
    XTF_GASP_ALLOCATE,   /* a collective operation of which thread 0 does the work */
    XTF_GASP_COLLECTIVE, /* another collective operation */
    XTF_GASP_LOCK,
    XTF_GASP_ATTEMPT,
    XTF_GASP_UNLOCK,
    XTF_GASP_EXIT, /* the end of the program */
    XTF_GASP_SKIP, /* nothing, not even a call */
} XtfGaspKind;

/* clang-format off */
#define XTF_GASP_EVENTS(EVENT)                                                                              \
    EVENT(C_FUNC, "", FUNCTION, USER, "s", "s", FUNCTION, 1023, 1)                                          \
    EVENT(C_MALLOC, "malloc", ALLOCATE, USER, "", "", CALL, 1020, 2)                                        \
    EVENT(C_REALLOC, "realloc", REALLOCATE, USER, "", "", CALL, 1021, 3)                                    \
    EVENT(C_FREE, "free", DEALLOCATE, USER, "", "", CALL, 1022, 4)                                          \
    EVENT(COLLECTIVE_EXIT, "upc_exit", FUNCTION, UPC, "", "", EXIT, 1210, 5)                                \
    EVENT(NONCOLLECTIVE_EXIT, "upc_global_exit", FUNCTION, UPC, "", "", EXIT, 1211, 6)                      \
    EVENT(NOTIFY, "upc_notify", BARRIER, UPC, "", "", NOTIFY, 1100, 7)                                      \
    EVENT(WAIT, "upc_wait", BARRIER, UPC, "", "", WAIT, 1101, 8)                                            \
    EVENT(BARRIER, "upc_barrier", BARRIER, UPC, "", "", BARRIER, 0, 9)                                      \
    EVENT(FENCE, "upc_fence", FLUSH, UPC, "", "", CALL, 0, 10)                                              \
    EVENT(FORALL, "upc_forall", WORKSHARE, UPC, "", "", CALL, 0, 11)                                        \
    EVENT(GLOBAL_ALLOC, "upc_global_alloc", ALLOCATE, UPC, "zz", "", CALL, 1001, 12)                        \
    EVENT(ALL_ALLOC, "upc_all_alloc", ALLOCATE, UPC, "zz", "", ALLOCATE, 1002, 13)                          \
    EVENT(ALLOC, "upc_alloc", ALLOCATE, UPC, "z", "", CALL, 1000, 14)                                       \
    EVENT(FREE, "upc_free", DEALLOCATE, UPC, "", "", CALL, 1003, 15)                                        \
    EVENT(GLOBAL_LOCK_ALLOC, "upc_global_lock_alloc", ALLOCATE, UPC, "", "", CALL, 1010, 16)                \
    EVENT(ALL_LOCK_ALLOC, "upc_all_lock_alloc", ALLOCATE, UPC, "", "", ALLOCATE, 1011, 17)                  \
    EVENT(LOCK_FREE, "upc_lock_free", DEALLOCATE, UPC, "", "", CALL, 1012, 18)                              \
    EVENT(LOCK, "upc_lock", LOCK, UPC, "P", "P", LOCK, 1014, 19)                                            \
    EVENT(LOCK_ATTEMPT, "upc_lock_attempt", LOCK, UPC, "P", "Pi", ATTEMPT, 1013, 20)                        \
    EVENT(UNLOCK, "upc_unlock", LOCK, UPC, "P", "", UNLOCK, 1015, 21)                                       \
    EVENT(MEMCPY, "upc_memcpy", RMA, UPC, "PPz", "", COPY, 1032, 22)                                        \
    EVENT(MEMGET, "upc_memget", RMA, UPC, "pPz", "", GET, 1030, 23)                                         \
    EVENT(MEMPUT, "upc_memput", RMA, UPC, "Ppz", "", PUT, 1031, 24)                                         \
    EVENT(MEMSET, "upc_memset", RMA, UPC, "Piz", "", PUT, 1033, 25)                                         \
    EVENT(GET, "upc_get", RMA, UPC, "ipPz", "", GET, 1111, 26)                                              \
    EVENT(PUT, "upc_put", RMA, UPC, "iPpz", "", PUT, 1110, 27)                                              \
    EVENT(NB_GET_INIT, "upc_nb_get_init", RMA, UPC, "ipPz", "ipPzh", GET, 1120, 28)                         \
    EVENT(NB_GET_DATA, "", RMA, UPC, "", "", SKIP, 0, 29)                                                   \
    EVENT(NB_PUT_INIT, "upc_nb_put_init", RMA, UPC, "iPpz", "iPpzh", PUT, 1121, 30)                         \
    EVENT(NB_PUT_DATA, "", RMA, UPC, "", "", SKIP, 0, 31)                                                   \
    EVENT(NB_SYNC, "upc_nb_sync", RMA, UPC, "h", "h", SYNC, 1122, 32)                                       \
    EVENT(CACHE_MISS, "", RMA, UPC, "", "", SKIP, 0, 33)                                                    \
    EVENT(CACHE_HIT, "", RMA, UPC, "", "", SKIP, 0, 34)                                                     \
    EVENT(CACHE_INVALIDATE, "", RMA, UPC, "", "", SKIP, 0, 35)                                              \
    EVENT(NB_TRYSYNC, "bupc_trysync", RMA, UPC, "h", "hi", SYNC, 1130, 0)                                   \
    EVENT(NB_MEMGET_INIT, "bupc_memget_async", RMA, UPC, "pPz", "pPzh", GET, 1131, 0)                       \
    EVENT(NB_MEMPUT_INIT, "bupc_memput_async", RMA, UPC, "Ppz", "Ppzh", PUT, 1132, 0)                       \
    EVENT(NB_MEMCPY_INIT, "bupc_memcpy_async", RMA, UPC, "PPz", "PPzh", COPY, 1133, 0)                      \
    EVENT(STATIC_SHARED, "", RMA, UPC, "", "", SKIP, 1140, 0)                                               \
    EVENT(ALL_BROADCAST, "upc_all_broadcast", ONE2ALL, UPC, "", "PPzi", COLLECTIVE, 1300, 36)               \
    EVENT(ALL_SCATTER, "upc_all_scatter", ONE2ALL, UPC, "", "PPzi", COLLECTIVE, 1310, 37)                   \
    EVENT(ALL_GATHER, "upc_all_gather", ALL2ONE, UPC, "", "PPzi", COLLECTIVE, 1320, 38)                     \
    EVENT(ALL_GATHER_ALL, "upc_all_gather_all", ALL2ALL, UPC, "", "PPzi", COLLECTIVE, 1330, 39)             \
    EVENT(ALL_EXCHANGE, "upc_all_exchange", ALL2ALL, UPC, "", "PPzi", COLLECTIVE, 1340, 40)                 \
    EVENT(ALL_PERMUTE, "upc_all_permute", OTHER, UPC, "", "PPPzi", COLLECTIVE, 1350, 41)                    \
    EVENT(ALL_REDUCE, "upc_all_reduce", ALL2ONE, UPC, "", "PPizzpii", COLLECTIVE, 1400, 42)                 \
    EVENT(ALL_PREFIX_REDUCE, "upc_all_prefix_reduce", OTHER, UPC, "", "PPizzpii", COLLECTIVE, 1410, 43)
/* clang-format on */

#define XTF_GASP_NAME(NAME, ...) XTF_GASP_##NAME##_EVENT,
typedef enum { XTF_GASP_NO_EVENT, XTF_GASP_EVENTS(XTF_GASP_NAME) XTF_GASP_N_EVENTS } XtfGaspEventId;
#undef XTF_GASP_NAME

/* The compilers that number events alike. */
typedef enum { XTF_GASP_BERKELEY, XTF_GASP_GNU, XTF_GASP_N_DIALECTS } XtfGaspDialect;

typedef struct {
    const char *region;      /* "": the event names its region, or has none */
    const char *start, *end; /* arguments */
    unsigned char role, paradigm;
    unsigned char kind;                          /* XtfGaspKind */
    unsigned short numbers[XTF_GASP_N_DIALECTS]; /* 0: the dialect does not have the event */
} XtfGaspEvent;

#pragma GCC visibility push(hidden)

extern const XtfGaspEvent xtf_gasp_events[XTF_GASP_N_EVENTS];

/* Returns the first, and the last, number that a dialect gives to events of the program. */
static inline unsigned xtf_gasp_user_first(XtfGaspDialect dialect)
{
    return dialect == XTF_GASP_BERKELEY ? 100 : 1000;
}
static inline unsigned xtf_gasp_user_last(XtfGaspDialect dialect)
{
    return dialect == XTF_GASP_BERKELEY ? 999 : 1999;
}

/* Finds the dialect of a name, "bupc" or "gupc". Returns false if there is none. */
bool xtf_gasp_find_dialect(const char *name, XtfGaspDialect *dialect);
/* Fills `ids`, of n entries: the XtfGaspEventId of each number; 0: none. */
void xtf_gasp_number_events(XtfGaspDialect dialect, unsigned short *ids, unsigned n);

#pragma GCC visibility pop
