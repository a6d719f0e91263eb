#include "src/trace/select/parallel.h"

/* Work that several threads share. References keep the job alive for pool threads that start after the call's end. */
struct XtfJob {
    gint references; /* atomic */
    const XtfParallelWork *work;
    void *data;
    GMutex lock; /* guards all below */
    GCond done;
    uint32_t next, n;   /* items [next, n) are not taken by any thread yet */
    uint32_t failed_at; /* first item of the first run that failed; UINT32_MAX: none did */
    unsigned n_working; /* number of threads that do a run of items now */
    GError *error;
    GPtrArray *results; /* of threads that have finished */
};

static void job_unref(XtfJob *job)
{
    if (!g_atomic_int_dec_and_test(&job->references))
        return;
    g_mutex_clear(&job->lock);
    g_cond_clear(&job->done);
    g_ptr_array_unref(job->results);
    g_free(job);
}

static void note_failure(XtfJob *job, uint32_t first, GError *error)
{
    if (first > job->failed_at) {
        g_error_free(error);
        return;
    }
    g_clear_error(&job->error);
    job->error = error;
    job->failed_at = first;
}

/* Takes and does runs until no run is left, or an earlier run has failed. The caller holds the lock. */
static void take_runs(XtfJob *job, void *thread_data)
{
    while (job->next < job->n && job->next < job->failed_at) {
        GError *error = NULL;
        uint32_t first = job->next, end = first + MIN(job->work->step, job->n - first);
        job->next = end;
        g_mutex_unlock(&job->lock);
        bool good = job->work->work(thread_data, job->data, first, end, &error);
        g_mutex_lock(&job->lock);
        if (!good)
            note_failure(job, first, error);
    }
}

static void work_on_job(XtfJob *job)
{
    g_mutex_lock(&job->lock);
    if (job->next < job->n) {
        job->n_working++;
        g_mutex_unlock(&job->lock);
        void *thread_data = job->work->begin(job->data);
        g_mutex_lock(&job->lock);
        take_runs(job, thread_data);
        g_ptr_array_add(job->results, thread_data);
        if (--job->n_working == 0)
            g_cond_signal(&job->done);
    }
    g_mutex_unlock(&job->lock);
}

static void help_with_job(gpointer data, gpointer unused)
{
    work_on_job(data);
    job_unref(data);
}

static unsigned wanted_threads;

void xtf_parallel_set_threads(unsigned n)
{
    wanted_threads = n;
}

unsigned xtf_parallel_threads(void)
{
    return wanted_threads > 0 ? wanted_threads : g_get_num_processors();
}

/* Returns the pool of threads that help the caller: one fewer than the threads that share work. NULL: no pool.
 */
static GThreadPool *helper_pool(void)
{
    static GThreadPool *pool;
    static gsize ready;

    if (g_once_init_enter(&ready)) {
        int n = (int)xtf_parallel_threads() - 1;
        pool = n > 0 ? g_thread_pool_new(help_with_job, NULL, n, FALSE, NULL) : NULL;
        g_once_init_leave(&ready, 1);
    }
    return pool;
}

/* Calls threads of the pool, at most `n`. */
static void call_helpers(XtfJob *job, uint32_t n)
{
    GThreadPool *pool = n > 0 ? helper_pool() : NULL;

    for (uint32_t i = 0; pool && i < n && i < (uint32_t)g_thread_pool_get_max_threads(pool); i++) {
        g_atomic_int_inc(&job->references);
        if (!g_thread_pool_push(
                pool, job, NULL)) /* the pool could not start a thread, but has queued the task for an existing one */
            break;
    }
}

static XtfJob *create_job(const XtfParallelWork *work, void *data, uint32_t n)
{
    XtfJob *job = g_new(XtfJob, 1);

    *job = (XtfJob){.references = 1, .work = work, .data = data, .n = n, .failed_at = UINT32_MAX};
    job->results = g_ptr_array_new();
    g_mutex_init(&job->lock);
    g_cond_init(&job->done);
    return job;
}

static uint32_t count_runs(const XtfJob *job)
{
    return job->n > 0 ? (job->n - 1) / job->work->step + 1 : 0;
}

XtfJob *xtf_parallel_start(const XtfParallelWork *work, void *data, uint32_t n)
{
    XtfJob *job = create_job(work, data, n);

    call_helpers(job, count_runs(job));
    return job;
}

bool xtf_parallel_finish(XtfJob *job, GError **error)
{
    work_on_job(job);
    g_mutex_lock(&job->lock);
    job->next = job->n; /* a pool thread that starts now finds no items */
    while (job->n_working > 0)
        g_cond_wait(&job->done, &job->lock);
    g_mutex_unlock(&job->lock);
    for (guint i = 0; i < job->results->len; i++)
        job->work->join(g_ptr_array_index(job->results, i), job->data);
    bool good = !job->error;
    if (job->error)
        g_propagate_error(error, g_steal_pointer(&job->error));
    job_unref(job);
    return good;
}

bool xtf_parallel(const XtfParallelWork *work, void *data, uint32_t n, GError **error)
{
    XtfJob *job = create_job(work, data, n);
    uint32_t n_runs = count_runs(job);

    call_helpers(job, n_runs > 0 ? n_runs - 1 : 0);
    return xtf_parallel_finish(job, error);
}

bool xtf_in_order(const XtfParallelWork *work, void *data, uint32_t n, GError **error)
{
    void *thread_data = work->begin(data);
    bool good = work->work(thread_data, data, 0, n, error);

    work->join(thread_data, data);
    return good;
}
