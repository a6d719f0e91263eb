/*
 * The number of rounds of a random test: an eighth, or all if XTF_TEST_ALL is set (scripts/test.sh --long). Builds with
 * sanitizers or without optimisation are several times as slow, and then do a quarter. A quarter is enough for the
 * errors that these builds should find.
 */
#pragma once

#include <stdlib.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define TEST_IS_SANITIZED 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__)
#define TEST_IS_SANITIZED 1
#endif

#if defined(TEST_IS_SANITIZED) || !defined(__OPTIMIZE__)
#define TEST_IS_SLOW 1
#else
#define TEST_IS_SLOW 0
#endif

#define TEST_ROUNDS(n) test_rounds(n)

/* Returns the rounds of this run, of a test that has n. */
static inline unsigned test_rounds(unsigned n)
{
    unsigned part = !getenv("XTF_TEST_ALL") ? 8 : TEST_IS_SLOW ? 4 : 1;
    return (n + part - 1) / part;
}
