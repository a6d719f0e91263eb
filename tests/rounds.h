/*
 * The number of rounds of a random test. Builds with sanitizers or without optimisation are several times as slow. A
 * quarter of the rounds is enough for the errors that these builds should find. The ordinary build compares all
 * results.
 */
#pragma once

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define TEST_IS_SANITIZED 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__)
#define TEST_IS_SANITIZED 1
#endif

#if defined(TEST_IS_SANITIZED) || !defined(__OPTIMIZE__)
#define TEST_ROUNDS(n) (((n) + 3) / 4)
#else
#define TEST_ROUNDS(n) (n)
#endif
