/*
 * Replaces <criterion/criterion.h>: Criterion maps memory at addresses that ThreadSanitizer forbids.
 * Unit tests that start threads are compiled with it, and run in one process (thread-tests.c).
 */
#pragma once

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct ThreadTest ThreadTest;
struct ThreadTest {
    const char *name;
    void (*run)(void);
    ThreadTest *next;
    double timeout; /* ignored */
};

/* Adds a test to the program. */
void thread_test_add(ThreadTest *test);

#define Test(suite, test, ...)                                                                    \
    static void suite##_##test(void);                                                             \
    __attribute__((constructor)) static void add_##suite##_##test(void)                           \
    {                                                                                             \
        static ThreadTest added = {.name = #suite "/" #test, .run = suite##_##test, __VA_ARGS__}; \
        thread_test_add(&added);                                                                  \
    }                                                                                             \
    static void suite##_##test(void)

#define cr_assert(condition, ...)                                                         \
    do {                                                                                  \
        if (!(condition)) {                                                               \
            fprintf(stderr, "%s:%d: %s does not hold\n", __FILE__, __LINE__, #condition); \
            exit(1);                                                                      \
        }                                                                                 \
    } while (0)
#define cr_assert_fail(...)               cr_assert(false)
#define cr_assert_not(condition, ...)     cr_assert(!(condition))
#define cr_assert_null(value, ...)        cr_assert((value) == NULL)
#define cr_assert_not_null(value, ...)    cr_assert((value) != NULL)
#define cr_assert_eq(a, b, ...)           cr_assert((a) == (b))
#define cr_assert_neq(a, b, ...)          cr_assert((a) != (b))
#define cr_assert_lt(a, b, ...)           cr_assert((a) < (b))
#define cr_assert_leq(a, b, ...)          cr_assert((a) <= (b))
#define cr_assert_gt(a, b, ...)           cr_assert((a) > (b))
#define cr_assert_geq(a, b, ...)          cr_assert((a) >= (b))
#define cr_assert_str_eq(a, b, ...)       cr_assert(strcmp(a, b) == 0)
#define cr_assert_arr_eq(a, b, size, ...) cr_assert(memcmp(a, b, size) == 0)
#define cr_expect                         cr_assert
#define cr_expect_not                     cr_assert_not
#define cr_expect_null                    cr_assert_null
#define cr_expect_eq                      cr_assert_eq
#define cr_expect_neq                     cr_assert_neq
#define cr_expect_leq                     cr_assert_leq
#define cr_log_info(...)                  (void)0
