/* Copying and comparing memory for the static Linux program.
 *
 * musl copies with `rep movsq`, which takes tens of cycles to begin, and compares byte by byte. A tool call is thousands of
 * short copies, so that half of its time went there. These take over by being linked before the C library.
 *
 * Up to 128 bytes everything is loaded before anything is stored, so overlapping ranges need no care; the two ends may
 * overlap, which spares the loop over a remainder. musl's `bcmp` calls `memcmp`. Compiled without builtins: a loop must not become a call of itself. */

#include <emmintrin.h>
#include <stddef.h>
#include <stdint.h>

#ifndef NAME
#define NAME(name) name
#endif

typedef unsigned char byte;
typedef uint16_t __attribute__((may_alias, aligned(1))) two;
typedef uint32_t __attribute__((may_alias, aligned(1))) four;
typedef uint64_t __attribute__((may_alias, aligned(1))) eight;
typedef __m128i vec;

static inline vec load(const byte *from) { return _mm_loadu_si128((const vec *)from); }
static inline void store(byte *to, vec value) { _mm_storeu_si128((vec *)to, value); }

static inline void copy_short(byte *to, const byte *from, size_t size) {
    if (size >= 8) {
        uint64_t first = *(const eight *)from, last = *(const eight *)(from + size - 8);
        *(eight *)to = first;
        *(eight *)(to + size - 8) = last;
    } else if (size >= 4) {
        uint32_t first = *(const four *)from, last = *(const four *)(from + size - 4);
        *(four *)to = first;
        *(four *)(to + size - 4) = last;
    } else if (size >= 2) {
        uint16_t first = *(const two *)from, last = *(const two *)(from + size - 2);
        *(two *)to = first;
        *(two *)(to + size - 2) = last;
    } else if (size) {
        *to = *from;
    }
}

static inline void *copy(void *target, const void *source, size_t size) {
    byte *to = target;
    const byte *from = source;
    if (size <= 16) {
        copy_short(to, from, size);
        return target;
    }
    if (size <= 32) {
        vec a = load(from), b = load(from + size - 16);
        store(to, a);
        store(to + size - 16, b);
        return target;
    }
    vec a = load(from), b = load(from + 16);
    vec y = load(from + size - 32), z = load(from + size - 16);
    if (size <= 64) {
        store(to, a);
        store(to + 16, b);
        store(to + size - 32, y);
        store(to + size - 16, z);
        return target;
    }
    vec c = load(from + 32), d = load(from + 48);
    vec w = load(from + size - 64), x = load(from + size - 48);
    if (size > 128) {
        /* The first and the last 64 bytes are in registers; what lies between goes in the direction that reads every byte
         * before it is overwritten. */
        if ((uintptr_t)to - (uintptr_t)from >= size) {
            for (size_t at = 64; at < size - 64; at += 64) {
                vec e = load(from + at), f = load(from + at + 16), g = load(from + at + 32), h = load(from + at + 48);
                store(to + at, e);
                store(to + at + 16, f);
                store(to + at + 32, g);
                store(to + at + 48, h);
            }
        } else {
            vec p = load(from + 64), q = load(from + 80), r = load(from + 96), s = load(from + 112);
            for (size_t at = size - 128; at > 64; at -= 64) {
                vec e = load(from + at), f = load(from + at + 16), g = load(from + at + 32), h = load(from + at + 48);
                store(to + at + 48, h);
                store(to + at + 32, g);
                store(to + at + 16, f);
                store(to + at, e);
            }
            store(to + 64, p);
            store(to + 80, q);
            store(to + 96, r);
            store(to + 112, s);
        }
    }
    store(to, a);
    store(to + 16, b);
    store(to + 32, c);
    store(to + 48, d);
    store(to + size - 64, w);
    store(to + size - 48, x);
    store(to + size - 32, y);
    store(to + size - 16, z);
    return target;
}

void *NAME(memcpy)(void *restrict to, const void *restrict from, size_t size) { return copy(to, from, size); }

void *NAME(memmove)(void *to, const void *from, size_t size) { return copy(to, from, size); }

static inline int order(uint64_t a, uint64_t b) {
    a = __builtin_bswap64(a);
    b = __builtin_bswap64(b);
    return (a > b) - (a < b);
}

static inline int compare(const void *left, const void *right, size_t size) {
    const byte *a = left, *b = right;
    for (; size >= 16; a += 16, b += 16, size -= 16) {
        unsigned same = (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(load(a), load(b)));
        if (same != 0xFFFF) {
            int at = __builtin_ctz(~same);
            return a[at] - b[at];
        }
    }
    if (size >= 8) {
        uint64_t x = *(const eight *)a, y = *(const eight *)b;
        if (x != y)
            return order(x, y);
        a += 8, b += 8, size -= 8;
    }
    if (size >= 4) {
        uint32_t x = *(const four *)a, y = *(const four *)b;
        if (x != y)
            return order(x, y);
        a += 4, b += 4, size -= 4;
    }
    for (; size; a++, b++, size--)
        if (*a != *b)
            return *a - *b;
    return 0;
}

int NAME(memcmp)(const void *a, const void *b, size_t size) { return compare(a, b, size); }
