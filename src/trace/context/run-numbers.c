#include "src/trace/context/run-numbers.h"

#include "src/model/tables.h"

const XtfRunNumber *xtf_run_numbers(size_t *n)
{
    static const XtfRunNumber numbers[] = {
        {XTF_TABLE_COMMUNICATORS, "id"},
        {XTF_TABLE_GROUPS, "id"},
        {XTF_TABLE_RMA_WINDOWS, "id"},
        {XTF_TABLE_IO_HANDLES, "id"},
        {XTF_TABLE_CART_DIMENSIONS, "id"},
        {XTF_TABLE_CART_TOPOLOGIES, "id"},
        {XTF_TABLE_REGION_DEFINITIONS, "id"},
        {XTF_RECORD_SENDS, "request"},
        {XTF_RECORD_RECVS, "request"},
        {XTF_RECORD_REQUESTS, "request"},
        {XTF_RECORD_COLLECTIVES, "request"},
        {"io_operations", "matching"},
        {"rma_operations", "matching"},
        {"locks", "lock"},
        {"rma_locks", "lock"},
        {"threads", "sequence"},
        {"tasks", "task"},
    };

    *n = G_N_ELEMENTS(numbers);
    return numbers;
}

const char *const *xtf_run_separate_tables(void)
{
    static const char *const tables[] = {XTF_TABLE_DEFINITION_PROPERTIES, NULL};

    return tables;
}

const char *const *xtf_run_left_out_tables(void)
{
    static const char *const tables[] = {
        XTF_TABLE_ANALYSES,
        XTF_TABLE_CONTEXTS,
        XTF_TABLE_CLOCK_ALIGNMENTS,
        XTF_TABLE_EARLIER_CLOCKS,
        XTF_TABLE_STRINGS,
        XTF_TABLE_DEFINITION_ORDER,
        XTF_TABLE_DEFINITION_REFERENCES,
        XTF_TABLE_RUNS,
        NULL,
    };

    return tables;
}
