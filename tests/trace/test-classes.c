/* Classes of regions, by the names, paradigms and roles that recorders store. */
#include <criterion/criterion.h>
#include <glib.h>
#include <glob.h>
#include <string.h>

#include "src/model/labels.h"
#include "src/model/mpi-functions.h"
#include "src/model/region-class.h"

typedef struct {
    const char *name, *paradigm, *role, *class;
} Case;

static void assert_class(const char *name, const char *paradigm, const char *role, const char *expected)
{
    const char *class = xtf_class_names[xtf_region_class(name, paradigm, role)];
    cr_assert_str_eq(class, expected, "%s (%s, %s) is %s, not %s", name, paradigm, role, class, expected);
}

static void assert_cases(const Case *cases, size_t n)
{
    for (size_t i = 0; i < n; i++)
        assert_class(cases[i].name, cases[i].paradigm, cases[i].role, cases[i].class);
}

/* Regions whose name alone decides their class. */
static const char *const by_name[][2] = {
    {"MPI_Send", "p2p"},
    {"MPI_Isend", "p2p"},
    {"MPI_Isendrecv_replace", "p2p"},
    {"MPI_Psend_init", "p2p"},
    {"MPI_Startall", "p2p"},
    {"MPI_Mrecv", "p2p"},
    {"MPI_Waitsome", "wait"},
    {"MPI_Testany", "wait"},
    {"MPI_Improbe", "wait"},
    {"MPI_Parrived", "wait"},
    {"MPI_Test_cancelled", "mpi-other"},
    {"MPI_Allreduce", "collective"},
    {"MPI_Ineighbor_alltoallw", "collective"},
    {"MPI_Reduce_scatter_block_init", "collective"},
    {"MPI_Reduce_local", "mpi-other"},
    {"MPI_Barrier", "barrier"},
    {"MPI_Ibarrier", "barrier"},
    {"MPI_Win_fence", "rma"},
    {"MPI_Rget_accumulate", "rma"},
    {"MPI_File_write_at_all", "mpi-io"},
    {"MPI_Init_thread", "mpi-init"},
    {"MPI_Finalize", "mpi-init"},
    {"MPI_Comm_split", "mpi-other"},
    {"MPI_Finalized", "mpi-other"},
    /* Each word is in a list of functions, but no element of a list equals the whole string. */
    {" ", "program"},
    {" sem_wait sem_trywait ", "program"},
    {"sem_wait sem_trywait", "program"},
    /* Other spellings of functions of MPI: profiling, Fortran, large counts, parameters. */
    {"PMPI_Send", "p2p"},
    {"mpi_send", "p2p"},
    {"mpi_send_", "p2p"},
    {"mpi_send__", "p2p"},
    {"pmpi_waitall_", "wait"},
    {"MPI_ALLREDUCE", "collective"},
    {"mpi_allreduce_f08_", "collective"},
    {"mpi_isend_f08ts_", "p2p"},
    {"MPI_Allgatherv_c", "collective"},
    {"MPI_Bcast(void*, int, int, int, int)", "collective"},
    /* Names that no table of functions has. */
    {"MPI_Foo", "mpi-other"},
    {"MPIX_Allreduce_enqueue", "collective"},
    {"MPI_File_frobnicate", "mpi-io"},
    {"mpi_step", "program"},
    {"MPI_", "program"},
    {"MPI_wrapper", "program"},
    {"mpi", "program"},
    {"pmpi_", "program"},
    {"compute_MPI_Send", "program"},
    {"omp_set_lock", "omp-sync"},
    {"omp_get_thread_num", "omp-other"},
    {"GOMP_barrier", "omp-sync"},
    {"GOMP_parallel", "omp-work"},
    {"GOMP_loop_dynamic_start", "omp-other"},
    {"GOMP_loop_end", "omp-sync"},
    {"__kmpc_fork_call", "omp-work"},
    {"__kmpc_critical", "omp-sync"},
    {"OpenMP implicit barrier", "omp-sync"},
    {"OpenMP acquire mutex", "omp-sync"},
    {"OpenMP loop", "omp-work"},
    {"pthread_mutex_lock", "threads"},
    {"sem_wait", "threads"},
    {"fwrite", "io"},
    {"pwrite64", "io"},
    {"writer", "program"},
    {"cudaMemcpy", "offload"},
    {"cudamine", "program"},
    {"hipLaunchKernel", "offload"},
    {"hippo", "program"},
    {"shmem_put", "pgas"},
    {"EZTrace finalize", "measurement"},
    {"Working", "program"},
    {"main", "program"},
    {"", "program"},
    {"malloc", "program"},
};

Test(classes, the_name_decides_where_paradigm_and_role_do_not)
{
    for (unsigned i = 0; i < G_N_ELEMENTS(by_name); i++) {
        assert_class(by_name[i][0], "USER", "FUNCTION", by_name[i][1]);
        assert_class(by_name[i][0], "UNKNOWN", "UNKNOWN", by_name[i][1]);
        assert_class(by_name[i][0], NULL, NULL, by_name[i][1]);
    }
}

Test(classes, paradigms_and_roles)
{
    static const Case cases[] = {

        /* A region that a compiler instrumented is in the program's class, even if it has a name of MPI. The recorder
           marks MPI's own functions as MPI. */
        {"mpi_send_", "COMPILER", "FUNCTION", "program"},
        {"write", "COMPILER", "FUNCTION", "program"},
        {"read", "USER", "CODE", "program"},
        {"MPI_Wait", "MPI", "POINT2POINT", "wait"},
        {"MPI_Wait", "MPI", "FUNCTION", "wait"},
        {"MPI_Win_allocate", "MPI", "ALLOCATE", "rma"},
        {"send", "MPI", "POINT2POINT", "p2p"},
        {"exchange", "MPI", "COLL_ALL2ALL", "collective"},
        {"all", "MPI", "BARRIER", "barrier"},
        {"disk", "MPI", "FILE_IO", "mpi-io"},
        {"MPI_Foo_send", "MPI", "COLL_OTHER", "collective"},
        {"MPI_Foo_send", "MPI", "FUNCTION", "p2p"},
        {"PARALLEL", "MPI", "ARTIFICIAL", "mpi-other"},
        {"!$omp parallel @a.c:3", "OPENMP", "PARALLEL", "omp-work"},
        {"!$omp for @a.c:4", "OPENMP", "LOOP", "omp-work"},
        {"!$omp implicit barrier @a.c:5", "OPENMP", "IMPLICIT_BARRIER", "omp-sync"},
        {"!$omp critical @a.c:6", "OPENMP", "CRITICAL", "omp-sync"},
        {"!$omp critical sblock @a.c:6", "OPENMP", "CRITICAL_SBLOCK", "omp-work"},
        {"!$omp create task @a.c:7", "OPENMP", "TASK_CREATE", "omp-other"},
        {"omp_set_lock", "OPENMP", "FUNCTION", "omp-sync"},
        {"pthread_create", "PTHREAD", "THREAD_CREATE", "threads"},
        {"task", "TBBTHREAD", "TASK", "program"},
        {"fopen", "NONE", "FILE_IO_METADATA", "io"},
        {"H5Dwrite", "COMPILER", "FILE_IO", "io"},
        {"kernel", "CUDA", "FUNCTION", "offload"},
        {"Kokkos::parallel_for x", "KOKKOS", "LOOP", "program"},
        {"Kokkos::deep_copy", "KOKKOS", "DATA_TRANSFER", "offload"},
        {"gaspi_wait", "GASPI", "FUNCTION", "pgas"},
        {"x", "UNKNOWN", "POINT2POINT", "p2p"},
        {"x", "UNKNOWN", "BARRIER", "barrier"},
        {"x", "", "THREAD_WAIT", "threads"},
        {"x", "SOMETHING NEW", "FUNCTION", "program"}};

    assert_cases(cases, G_N_ELEMENTS(cases));
}

/* Score-P gives its own regions, and the program itself, the same paradigm and role. */
Test(classes, measurement_systems)
{
    static const Case cases[] = {{"TRACE BUFFER FLUSH", "MEASUREMENT_SYSTEM", "ARTIFICIAL", "measurement"},
                                 {"MEASUREMENT OFF", "USER", "ARTIFICIAL", "unrecorded"},
                                 {"THREADS", "MEASUREMENT_SYSTEM", "ARTIFICIAL", "measurement"},
                                 {"hpcc", "MEASUREMENT_SYSTEM", "ARTIFICIAL", "program"},
                                 {"bcast", "MEASUREMENT_SYSTEM", "ARTIFICIAL", "program"},
                                 {"flush", "MEASUREMENT_SYSTEM", "FUNCTION", "measurement"}};

    assert_cases(cases, G_N_ELEMENTS(cases));
}

Test(classes, every_paradigm_and_role_has_a_class)
{
    for (const char *const *paradigm = xtf_paradigm_names; *paradigm; paradigm++) {
        for (const char *const *role = xtf_region_roles; *role; role++) {
            bool mpi = g_str_equal(*paradigm, "MPI");
            XtfRegionClass class = xtf_region_class("x", *paradigm, *role);
            cr_assert_lt(class, XTF_N_CLASSES);
            if (mpi)
                cr_assert(XTF_CLASSES_MPI & XTF_CLASS_BIT(class), "%s", *role);
        }
    }
}

Test(classes, names_and_groups)
{
    cr_assert_eq(xtf_classes_by_name("wait"), XTF_CLASS_BIT(XTF_CLASS_WAIT));
    cr_assert_eq(xtf_classes_by_name("nothing"), 0);
    cr_assert_eq(xtf_classes_by_name("mpi") & xtf_classes_by_name("omp"), 0);
    for (unsigned i = 0; i < XTF_N_CLASSES; i++) {
        cr_assert_eq(xtf_classes_by_name(xtf_class_names[i]), XTF_CLASS_BIT(i));
        cr_assert_eq(strspn(xtf_class_names[i], "abcdefghijklmnopqrstuvwxyz0123456789-"), strlen(xtf_class_names[i]));
    }
    cr_assert_eq(__builtin_popcount(xtf_classes_by_name("mpi")), 8);
    cr_assert_eq(xtf_mpi_function_bound("mpi_init_thread_"), XTF_MPI_BEGINS);
    cr_assert_eq(xtf_mpi_function_bound("PMPI_Finalize"), XTF_MPI_ENDS);
    cr_assert_eq(xtf_mpi_function_bound("MPI_Initialized"), XTF_MPI_NOT_A_BOUND);
    cr_assert_eq(xtf_mpi_function_bound("init"), XTF_MPI_NOT_A_BOUND);
}

/* ---- The list of functions is complete: it has every function that an installed mpi.h declares. */

static void assert_declared(const char *header)
{
    g_autofree char *text = NULL;
    /* Does not match the return type in MPICH's `typedef MPI_Fint (QMPI_Comm_c2f_t)(...)`. */
    g_autoptr(GRegex) declaration = g_regex_new("\\bMPI_[A-Z][A-Za-z0-9_]*(?=\\s*\\((?!QMPI_))", 0, 0, NULL);
    g_autoptr(GMatchInfo) match = NULL;
    unsigned n = 0;

    cr_assert(g_file_get_contents(header, &text, NULL, NULL));
    g_regex_match(declaration, text, 0, &match);
    for (; g_match_info_matches(match); g_match_info_next(match, NULL)) {
        g_autofree char *name = g_match_info_fetch(match, 0);
        g_autofree char *capitals = g_ascii_strup(name, -1);
        XtfRegionClass class;
        if (g_str_equal(name, capitals) || g_str_has_suffix(name, "_function") || g_str_has_suffix(name, "_fn"))
            continue; /* a macro, or a type of functions */
        n++;
        cr_assert_eq(xtf_mpi_function_class(name, &class), XTF_MPI_KNOWN, "%s of %s", name, header);
    }
    cr_log_info("%u functions of %s", n, header);
}

Test(classes, all_functions_of_installed_headers_have_a_class)
{
    static const char *const patterns[] = {"/usr/include/mpi.h",
                                           "/usr/include/*/mpi*/mpi.h",
                                           "/usr/include/*/mpi*/mpi_proto.h",
                                           "/usr/lib/*/openmpi/include/mpi.h",
                                           "/usr/lib*/openmpi/include/mpi.h",
                                           "/usr/include/*/openmpi*/mpi.h",
                                           "/usr/local/include/mpi.h",
                                           "/opt/*/include/mpi.h"};
    const char *own = g_getenv("XTF_MPI_HEADERS");
    glob_t headers = {0};
    unsigned n = 0;

    glob(own ? own : patterns[0], 0, NULL, &headers);
    for (unsigned i = 1; !own && i < G_N_ELEMENTS(patterns); i++)
        glob(patterns[i], GLOB_APPEND, NULL, &headers);
    for (size_t i = 0; i < headers.gl_pathc; i++, n++)
        assert_declared(headers.gl_pathv[i]);
    globfree(&headers);
    if (!n)
        cr_skip("no mpi.h is installed");
}
