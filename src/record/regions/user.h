/*
 * Regions of a program, for `xtf record`: parts of it that a trace shows by name, as it shows calls of MPI.
 *
 *     #include <xtf/user.h>
 *
 *     void solve(void)
 *     {
 *         XTF_FUNCTION;                     // the function, until it returns
 *         XTF_REGION_BEGIN("assemble");     // from here ...
 *         ...
 *         XTF_REGION_END("assemble");       // ... to here
 *         {
 *             XTF_REGION("iterate");        // until the end of the block, in whichever way it is left
 *             ...
 *         }
 *         for (int i = 0; i < n; i++) {
 *             XTF_ITERATION;                // an iteration of the main loop: iter/0/, iter/1/ ... in a mount
 *             ...
 *         }
 *     }
 *
 * The program need not be linked with any library. A region costs a test and a branch while the program is not
 * recorded. While it is recorded, the begin and the end cost some 20 ns each. If XTF_USER_OFF is defined before this
 * header is included, the macros generate no code. They work in C (GNU C for XTF_FUNCTION and XTF_REGION) and C++, in
 * any thread.
 *
 * Names are literals. Regions of the same name in the same file are one region; its line is that of the first one
 * begun. A region may contain itself. A thread must end the regions that it has begun in the reverse order. An end
 * without a begin is ignored.
 *
 * These macros do nothing in programs that are linked statically, or compiled by clang with -fno-pie and without
 * -fno-plt.
 */
#ifndef XTF_USER_H
#define XTF_USER_H

#ifdef __cplusplus
extern "C" {
#endif

#ifdef __has_attribute
#if __has_attribute(noplt)
#define XTF_USER_WEAK __attribute__((weak, noplt, visibility("default")))
#endif
#endif
#ifndef XTF_USER_WEAK
#define XTF_USER_WEAK __attribute__((weak, visibility("default")))
#endif

/* A region. The macros create it. It lives as long as the program or library that contains it. */
typedef struct XtfUserRegion {
    const char *name, *file;
    unsigned line;
    unsigned function; /* 1: it is a function, 0: a part of one */
    unsigned number;   /* 0: not known yet */
} XtfUserRegion;

/* The macros call these functions if the program is recorded. */

void xtf_user_begin(XtfUserRegion *region) XTF_USER_WEAK;
void xtf_user_end(XtfUserRegion *region) XTF_USER_WEAK;
/* Begins a region whose name need not be a literal. Copies the name. Slower, since the name is looked up. */
void xtf_user_begin_named(const char *name) XTF_USER_WEAK;
void xtf_user_end_named(const char *name) XTF_USER_WEAK;
/* Switches recording of the calling thread, including its calls of MPI, off (0) or on (1). Calls do not nest: one 1
 * ends any number of 0. Does nothing in a signal handler that interrupts the writing of a record. */
void xtf_user_record(int on) XTF_USER_WEAK;

#ifdef __cplusplus
}
#endif

#define XTF_USER_JOIN_(a, b) a##b
#define XTF_USER_JOIN(a, b)  XTF_USER_JOIN_(a, b)

#ifdef XTF_USER_OFF

#define XTF_REGION_BEGIN(name)       ((void)0)
#define XTF_REGION_END(name)         ((void)0)
#define XTF_REGION_BEGIN_NAMED(name) ((void)0)
#define XTF_REGION_END_NAMED(name)   ((void)0)
#define XTF_REGION(name)             ((void)0)
#define XTF_ITERATION                ((void)0)
#define XTF_FUNCTION                 ((void)0)
#define XTF_RECORDING_OFF()          ((void)0)
#define XTF_RECORDING_ON()           ((void)0)

#else

/* The region `name`, in this file, from here to XTF_REGION_END(name). */
#define XTF_REGION_BEGIN(name) XTF_USER_CALL_(xtf_user_begin, name)
#define XTF_REGION_END(name)   XTF_USER_CALL_(xtf_user_end, name)
#define XTF_USER_CALL_(call, name)                                                      \
    do {                                                                                \
        if (call) {                                                                     \
            static XtfUserRegion xtf_user_region = {"" name, __FILE__, __LINE__, 0, 0}; \
            call(&xtf_user_region);                                                     \
        }                                                                               \
    } while (0)

/* A region whose name is determined at run time. It has no file. */
#define XTF_REGION_BEGIN_NAMED(name) (xtf_user_begin_named ? xtf_user_begin_named(name) : (void)0)
#define XTF_REGION_END_NAMED(name)   (xtf_user_end_named ? xtf_user_end_named(name) : (void)0)

/* From OFF to ON the calling thread is not recorded. Regions begun before OFF may end in between. */
#define XTF_RECORDING_OFF()          (xtf_user_record ? xtf_user_record(0) : (void)0)
#define XTF_RECORDING_ON()           (xtf_user_record ? xtf_user_record(1) : (void)0)

/* XTF_REGION(name): a region until the end of the block. XTF_FUNCTION: the same, by the function's name. */
#define XTF_REGION(name)             XTF_USER_SCOPE_("" name, 0, XTF_USER_JOIN(xtf_user_region_, __LINE__))
/* The region `iteration`: the rest of the block is an iteration of the main loop. */
#define XTF_ITERATION                XTF_REGION("iteration")

#ifdef __cplusplus

namespace xtf
{
/* A region from its construction to its destruction. */
class Region
{
  public:
    explicit Region(XtfUserRegion &region) : region(&region)
    {
        if (xtf_user_begin)
            xtf_user_begin(this->region);
    }
    ~Region()
    {
        if (xtf_user_end)
            xtf_user_end(region);
    }
    Region(const Region &) = delete;
    Region &operator=(const Region &) = delete;

  private:
    XtfUserRegion *region;
};
} // namespace xtf

#define XTF_FUNCTION XTF_USER_SCOPE_(__PRETTY_FUNCTION__, 1, xtf_user_function)
#define XTF_USER_SCOPE_(name, is_function, variable)                                                    \
    static XtfUserRegion XTF_USER_JOIN(variable, _static) = {name, __FILE__, __LINE__, is_function, 0}; \
    const xtf::Region variable(XTF_USER_JOIN(variable, _static))

#else

static inline XtfUserRegion *xtf_user_scope_begin(XtfUserRegion *region)
{
    if (xtf_user_begin)
        xtf_user_begin(region);
    return region;
}

static inline void xtf_user_scope_end(XtfUserRegion **region)
{
    if (xtf_user_end)
        xtf_user_end(*region);
}

#define XTF_FUNCTION XTF_USER_SCOPE_(__func__, 1, xtf_user_function)
#define XTF_USER_SCOPE_(name, is_function, variable)                                                    \
    static XtfUserRegion XTF_USER_JOIN(variable, _static) = {name, __FILE__, __LINE__, is_function, 0}; \
    __attribute__((cleanup(xtf_user_scope_end), unused)) XtfUserRegion *variable =                      \
        xtf_user_scope_begin(&XTF_USER_JOIN(variable, _static))

#endif
#endif
#endif
