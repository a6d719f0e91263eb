/* Tests the lists of members of operations: each is kept once, however many alternate, and is read as it was put. */
#include <criterion/criterion.h>

#include "src/analysis/waits/operations.h"

enum { MEMBERS = 3 };

/* Puts the members of communicator `comm`, the last location first. Lists of different communicators share no
 * location. */
static void put_members(XtfOperations *operations, uint64_t instance, uint32_t comm)
{
    XtfOperation operation = {.culprit = comm};
    XtfOperationMember members[MEMBERS];

    for (uint32_t i = 0; i < MEMBERS; i++)
        members[i] = (XtfOperationMember){.location = MEMBERS * comm + MEMBERS - 1 - i, .synchronises = i != comm % 2};
    cr_assert(xtf_operations_put(operations, instance, &operation, members, MEMBERS, NULL));
}

static uint64_t check_members(const XtfOperations *operations, XtfOperationHeads *heads, uint64_t instance,
                              uint32_t comm)
{
    XtfOperationMember members[MEMBERS];
    XtfOperation operation;

    cr_assert(xtf_operation_heads_get(heads, instance, &operation, NULL));
    cr_assert_eq(operation.culprit, comm);
    cr_assert_eq(operation.n_members, MEMBERS);
    cr_assert_eq(operation.n_points, MEMBERS - 1);
    cr_assert(xtf_operations_members(operations, &operation, members, NULL));
    for (uint32_t i = 0; i < MEMBERS; i++) {
        cr_assert_eq(members[i].location, MEMBERS * comm + i);
        cr_assert_eq(members[i].synchronises, MEMBERS - 1 - i != comm % 2);
    }
    return operation.first;
}

Test(operations, alternating_lists_are_kept_once)
{
    enum { COMMS = 5000, ROUNDS = 3 };
    XtfOperationHeads heads;
    XtfOperations operations;

    cr_assert(xtf_operations_open(&operations, NULL));
    for (uint32_t i = 0; i < COMMS * ROUNDS; i++)
        put_members(&operations, i, i % COMMS);
    cr_assert_eq(operations.members.end, COMMS * MEMBERS * sizeof(XtfOperationMember));
    xtf_operation_heads_init(&heads, &operations);
    for (uint32_t i = 0; i < COMMS; i++) {
        uint64_t first = check_members(&operations, &heads, i, i);
        cr_assert_eq(check_members(&operations, &heads, COMMS + i, i), first);
    }
    xtf_operations_close(&operations);
}

/* Puts more lists than the table remembers; a forgotten list is put again, and is read correctly. */
Test(operations, table_of_lists_is_bounded)
{
    enum { LISTS = 150000 };
    XtfOperationHeads heads;
    XtfOperations operations;

    cr_assert(xtf_operations_open(&operations, NULL));
    for (uint32_t i = 0; i < LISTS; i++)
        put_members(&operations, i, i);
    cr_assert_lt(g_hash_table_size(operations.sets), LISTS / 2);
    put_members(&operations, LISTS, 1);
    xtf_operation_heads_init(&heads, &operations);
    for (uint32_t i = 0; i < LISTS; i += 1009)
        check_members(&operations, &heads, i, i);
    check_members(&operations, &heads, LISTS, 1);
    xtf_operations_close(&operations);
}
