#pragma once

#include <cstddef>

// Compiles one function for several vector widths; the loader takes the widest that the processor has.
// Only glibc's loader can, and sanitizers start too late for it.
#if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__)
#if __GNUC__ >= 12
#define CLEARTITLE_VECTOR __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define CLEARTITLE_VECTOR __attribute__((target_clones("avx2", "default")))
#endif
#else
#define CLEARTITLE_VECTOR
#endif

// A helper that has to become part of such a function.
#if defined(__GNUC__)
#define CLEARTITLE_INLINE inline __attribute__((always_inline))
#else
#define CLEARTITLE_INLINE inline
#endif
