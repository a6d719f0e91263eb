/*
 * How often a test repeats what it does at random. With sanitizers or without optimisation, which are several times as
 * slow, a quarter of the rounds finds what these builds are for: what is right is compared in the ordinary build.
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
