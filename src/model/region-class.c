#include "src/model/region-class.h"

#include <glib.h>
#include <string.h>

#include "src/model/mpi-functions.h"

const char *const xtf_class_names[XTF_N_CLASSES] = {
    [XTF_CLASS_PROGRAM] = "program",
    [XTF_CLASS_P2P] = "p2p",
    [XTF_CLASS_WAIT] = "wait",
    [XTF_CLASS_COLLECTIVE] = "collective",
    [XTF_CLASS_BARRIER] = "barrier",
    [XTF_CLASS_RMA] = "rma",
    [XTF_CLASS_MPI_IO] = "mpi-io",
    [XTF_CLASS_MPI_INIT] = "mpi-init",
    [XTF_CLASS_MPI_OTHER] = "mpi-other",
    [XTF_CLASS_OMP_WORK] = "omp-work",
    [XTF_CLASS_OMP_SYNC] = "omp-sync",
    [XTF_CLASS_OMP_OTHER] = "omp-other",
    [XTF_CLASS_THREADS] = "threads",
    [XTF_CLASS_PGAS] = "pgas",
    [XTF_CLASS_OFFLOAD] = "offload",
    [XTF_CLASS_IO] = "io",
    [XTF_CLASS_MEASUREMENT] = "measurement",
    [XTF_CLASS_UNRECORDED] = "unrecorded",
};

const XtfClassGroup xtf_class_groups[] = {
    {"mpi", XTF_CLASSES_MPI}, {"omp", XTF_CLASSES_OMP}, {"useful", XTF_CLASSES_USEFUL}, {NULL, 0}};

XtfClassSet xtf_classes_by_name(const char *name)
{
    for (unsigned i = 0; i < XTF_N_CLASSES; i++) {
        if (g_str_equal(xtf_class_names[i], name))
            return XTF_CLASS_BIT(i);
    }
    for (const XtfClassGroup *group = xtf_class_groups; group->name; group++) {
        if (g_str_equal(group->name, name))
            return group->classes;
    }
    return 0;
}

/* ---- Words: lists of them, with a blank before and behind each. */

static bool is_among(const char *words, const char *word)
{
    size_t length = strlen(word);

    if (strchr(word, ' ')) /* several words, or none */
        return false;
    for (const char *p = words; length && (p = strstr(p, word)); p++) {
        if (p[-1] == ' ' && p[length] == ' ')
            return true;
    }
    return false;
}

static bool contains_any(const char *text, const char *const *parts)
{
    while (*parts && !strstr(text, *parts))
        parts++;
    return *parts;
}

/* ---- Roles. */

typedef struct {
    const char *words;
    XtfRegionClass class;
} Rule;

static bool apply_rules(const Rule *rules, size_t n, const char *word, XtfRegionClass *class)
{
    for (size_t i = 0; i < n; i++) {
        if (is_among(rules[i].words, word)) {
            *class = rules[i].class;
            return true;
        }
    }
    return false;
}

static const Rule message_roles[] = {
    {" POINT2POINT ", XTF_CLASS_P2P},
    {" COLL_ONE2ALL COLL_ALL2ONE COLL_ALL2ALL COLL_OTHER ", XTF_CLASS_COLLECTIVE},
    {" BARRIER ", XTF_CLASS_BARRIER},
    {" RMA ", XTF_CLASS_RMA},
};

static const Rule omp_roles[] = {
    {" PARALLEL LOOP CODE SECTIONS SECTION WORKSHARE SINGLE SINGLE_SBLOCK MASTER CRITICAL_SBLOCK ORDERED_SBLOCK TASK "
     "TASK_UNTIED ",
     XTF_CLASS_OMP_WORK},
    {" BARRIER IMPLICIT_BARRIER CRITICAL ATOMIC ORDERED TASK_WAIT THREAD_WAIT ", XTF_CLASS_OMP_SYNC},
    {" FLUSH TASK_CREATE THREAD_CREATE ARTIFICIAL ALLOCATE DEALLOCATE REALLOCATE ", XTF_CLASS_OMP_OTHER},
    {" DATA_TRANSFER ", XTF_CLASS_OFFLOAD},
};

/* Classes by role, for regions whose paradigm says nothing (UNKNOWN, USER, NONE). */
static const Rule bare_roles[] = {
    {" IMPLICIT_BARRIER CRITICAL ORDERED ", XTF_CLASS_OMP_SYNC},
    {" THREAD_CREATE THREAD_WAIT ", XTF_CLASS_THREADS},
    {" DATA_TRANSFER ", XTF_CLASS_OFFLOAD},
    {" FILE_IO FILE_IO_METADATA ", XTF_CLASS_IO},
};

static const char works[] = " PARALLEL LOOP CODE SECTIONS SECTION WORKSHARE SINGLE SINGLE_SBLOCK MASTER TASK "
                            "TASK_UNTIED ";
static const char moves[] = " DATA_TRANSFER ALLOCATE DEALLOCATE REALLOCATE ";
static const char files[] = " FILE_IO FILE_IO_METADATA ";

/* ---- Names by convention. */

/* Functions of POSIX I/O. Quick functions whose names a program may well define itself, such as dup and rewind, are
 * left out. */
static const char posix_io[] =
    " open open64 openat openat64 creat creat64 close read write pread pread64 pwrite pwrite64 readv writev preadv "
    "preadv2 preadv64 pwritev pwritev2 pwritev64 lseek lseek64 fsync fdatasync syncfs ftruncate ftruncate64 fopen "
    "fopen64 fdopen freopen fclose fread fwrite fgets fputs fgetc fputc fprintf fscanf fflush fseek fseeko aio_read "
    "aio_write aio_suspend aio_fsync aio_return lio_listio ";
static const char posix_semaphores[] =
    " sem_wait sem_trywait sem_timedwait sem_post sem_init sem_destroy sem_open sem_close ";

/* Parts of the names of OpenMP's run-time functions: functions that wait, functions that only begin something, and
 * functions that execute the program's work. */
static const char *const omp_waits[] = {"barrier",  "critical",     "ordered",       "lock",
                                        "mutex",    "taskwait",     "taskgroup_end", "atomic",
                                        "loop_end", "sections_end", "parallel_end",  NULL};
static const char *const omp_starts[] = {"task_create", "task_alloc", "_start", NULL};
static const char *const omp_works[] = {"parallel", "fork_call", "fork_teams", "implicit", "loop",
                                        "task",     "section",   "single",     "master",   NULL};

static XtfRegionClass class_of_omp_name(const char *name)
{
    bool function = strncmp(name, "omp_", 4) == 0; /* a function of OpenMP's interface, not a construct */

    if (contains_any(name, omp_waits))
        return XTF_CLASS_OMP_SYNC;
    return !function && !contains_any(name, omp_starts) && contains_any(name, omp_works) ? XTF_CLASS_OMP_WORK
                                                                                         : XTF_CLASS_OMP_OTHER;
}

static bool begins_with(const char *name, const char *prefix)
{
    return strncmp(name, prefix, strlen(prefix)) == 0;
}

/* True if a name begins with a prefix and then a capital letter. */
static bool begins_with_word(const char *name, const char *prefix)
{
    return begins_with(name, prefix) && g_ascii_isupper(name[strlen(prefix)]);
}

static XtfRegionClass class_of_name(const char *name)
{
    if (begins_with(name, "omp_") || begins_with(name, "GOMP_") || begins_with(name, "__kmpc_") ||
        begins_with(name, "OpenMP ") || begins_with(name, "POMP2_"))
        return class_of_omp_name(name);
    if (begins_with(name, "pthread_") || is_among(posix_semaphores, name))
        return XTF_CLASS_THREADS;
    if (begins_with(name, "shmem_") || begins_with(name, "gaspi_"))
        return XTF_CLASS_PGAS;
    if (begins_with_word(name, "cuda") || begins_with_word(name, "hip") || begins_with_word(name, "clEnqueue") ||
        begins_with(name, "acc_") || is_among(" clFinish clFlush clWaitForEvents ", name))
        return XTF_CLASS_OFFLOAD;
    return is_among(posix_io, name) ? XTF_CLASS_IO : XTF_CLASS_PROGRAM;
}

/* ---- Definitions. */

/* True if a region is the measurement's own. Score-P gives the program itself the same paradigm and role as its own
 * regions, so the name decides. */
static bool is_measurement(const char *name, const char *paradigm, const char *role)
{
    if (g_str_equal(role, "ARTIFICIAL"))
        return g_str_equal(name, "TRACE BUFFER FLUSH") || g_str_equal(name, "THREADS") || g_str_equal(name, "TASKS");
    return g_str_equal(paradigm, "MEASUREMENT_SYSTEM") || begins_with(name, "EZTrace ");
}

static XtfRegionClass class_of_mpi(const char *name, const char *role)
{
    XtfRegionClass by_name = XTF_CLASS_MPI_OTHER, class;
    XtfMpiKnowledge known = xtf_mpi_function_class(name, &by_name);

    if (known == XTF_MPI_KNOWN)
        return by_name;
    if (apply_rules(message_roles, G_N_ELEMENTS(message_roles), role, &class))
        return class;
    return is_among(files, role) ? XTF_CLASS_MPI_IO : by_name;
}

static XtfRegionClass class_of_omp(const char *name, const char *role)
{
    XtfRegionClass class;

    return apply_rules(omp_roles, G_N_ELEMENTS(omp_roles), role, &class) ? class : class_of_omp_name(name);
}

/* Returns the class of a region whose paradigm means nothing. */
static XtfRegionClass class_of_any(const char *name, const char *role)
{
    XtfRegionClass class;

    if (xtf_mpi_function_class(name, &class) != XTF_MPI_NONE ||
        apply_rules(message_roles, G_N_ELEMENTS(message_roles), role, &class) ||
        apply_rules(bare_roles, G_N_ELEMENTS(bare_roles), role, &class))
        return class;
    return is_among(" UNKNOWN FUNCTION WRAPPER ", role) ? class_of_name(name) : XTF_CLASS_PROGRAM;
}

XtfRegionClass xtf_region_class(const char *name, const char *paradigm, const char *role)
{
    paradigm = paradigm ? paradigm : "UNKNOWN";
    role = role ? role : "UNKNOWN";
    if (g_str_equal(role, "ARTIFICIAL") && g_str_equal(name, XTF_REGION_OFF))
        return XTF_CLASS_UNRECORDED;
    if (is_measurement(name, paradigm, role))
        return XTF_CLASS_MEASUREMENT;
    if (g_str_equal(paradigm, "MPI"))
        return class_of_mpi(name, role);
    if (is_among(" OPENMP OMPSS ", paradigm))
        return class_of_omp(name, role);
    if (is_among(files, role))
        return XTF_CLASS_IO;
    if (is_among(" PTHREAD WINTHREAD QTTHREAD ACETHREAD TBBTHREAD MTAPI ", paradigm))
        return is_among(works, role) ? XTF_CLASS_PROGRAM : XTF_CLASS_THREADS;
    if (is_among(" GASPI UPC SHMEM ", paradigm))
        return XTF_CLASS_PGAS;
    if (is_among(" CUDA HMPP OPENACC OPENCL HIP ", paradigm))
        return XTF_CLASS_OFFLOAD;
    if (g_str_equal(paradigm, "KOKKOS"))
        return is_among(moves, role) ? XTF_CLASS_OFFLOAD : XTF_CLASS_PROGRAM;
    /* Regions from a compiler or from samples are no wrappers: MPI's functions have another paradigm in such traces. */
    if (is_among(" COMPILER SAMPLING MEASUREMENT_SYSTEM ", paradigm))
        return XTF_CLASS_PROGRAM;
    return class_of_any(name, role);
}
