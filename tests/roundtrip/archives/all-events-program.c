/* Definitions of paradigms, regions, call paths and calling contexts. */
#include "all-events.h"

#pragma GCC diagnostic ignored "-Wdeprecated-declarations" /* Callsite */

static void define_paradigms(Archive *archive)
{
    OTF2_AttributeValue template = {.stringRef = archive_string(archive, "communicator ${id}")};

    DEFINE(Paradigm, OTF2_PARADIGM_MPI, archive_string(archive, "MPI"), OTF2_PARADIGM_CLASS_PROCESS);
    DEFINE(Paradigm, OTF2_PARADIGM_OPENMP, archive_string(archive, "OpenMP"), OTF2_PARADIGM_CLASS_THREAD_FORK_JOIN);
    DEFINE(ParadigmProperty, OTF2_PARADIGM_MPI, OTF2_PARADIGM_PROPERTY_COMM_NAME_TEMPLATE, OTF2_TYPE_STRING, template);
}

static void define_regions(Archive *archive)
{
    for (uint32_t i = 0; i < N_OF_EACH; i++) {
        g_autofree char *name = g_strdup_printf("function<%u, \"q\">(int, char **)", i);
        g_autofree char *mangled = g_strdup_printf("_Z8functionILi%u", i);
        g_autofree char *file = i ? g_strdup_printf("src/file%u.c", i / 2) : g_strdup("");
        DEFINE(Region, REGION_FIRST + i, archive_string(archive, name), archive_string(archive, mangled),
               archive_string(archive, "a region"), OTF2_REGION_ROLE_FUNCTION + i, OTF2_PARADIGM_USER + i, i % 3,
               archive_string(archive, file), i ? 100 + i : 0, i ? 200 + i : 0);
        DEFINE(SourceCodeLocation, SOURCE_FIRST + i, archive_string(archive, file), 50 + i);
        DEFINE(Callsite, i, archive_string(archive, file), 30 + i, REGION_FIRST + i, REGION_FIRST);
    }
}

static void define_paths(Archive *archive)
{
    OTF2_StringRef key = archive_string(archive, "context property");

    for (uint32_t i = 0; i < N_OF_EACH; i++) {
        DEFINE(Callpath, CALLPATH_FIRST + i, i ? CALLPATH_FIRST + i - 1 : OTF2_UNDEFINED_CALLPATH, REGION_FIRST + i);
        DEFINE(CallpathParameter, CALLPATH_FIRST + i, PARAMETER_FIRST + 1, OTF2_TYPE_INT64,
               all_events_value(archive, OTF2_TYPE_INT64, i));
        DEFINE(CallingContext, CONTEXT_FIRST + i, REGION_FIRST + i, SOURCE_FIRST + i,
               i ? CONTEXT_FIRST + i / 2 : OTF2_UNDEFINED_CALLING_CONTEXT);
        DEFINE(CallingContextProperty, CONTEXT_FIRST + i, key, OTF2_TYPE_FLOAT,
               all_events_value(archive, OTF2_TYPE_FLOAT, i));
        g_autofree char *name = g_strdup_printf("generator %u", i);
        DEFINE(InterruptGenerator, GENERATOR_FIRST + i, archive_string(archive, name), i % 2, i / 2 % 2, -(int64_t)i,
               1000 + i);
    }
}

void define_program(Archive *archive)
{
    define_paradigms(archive);
    define_regions(archive);
    define_paths(archive);
}
