/* Compares memory.c with the C library: every length up to 420 and every distance between overlapping ranges. */

#include <stdio.h>
#include <string.h>

#define NAME(name) own_##name
#include "memory.c"

static unsigned char area[2][4096], others[2][4096];

static void fill(unsigned seed) {
    for (size_t i = 0; i < sizeof area[0]; i++) {
        seed = seed * 1664525u + 1013904223u;
        area[0][i] = area[1][i] = (unsigned char)(seed >> 24);
    }
}

static int sign(int x) { return (x > 0) - (x < 0); }

int main(void) {
    unsigned long checks = 0;
    for (size_t size = 0; size <= 420; size++)
        for (int apart = -200; apart <= 200; apart++, checks++) {
            fill((unsigned)(size * 1000 + (unsigned)(apart + 500)));
            own_memmove(area[0] + 1200 + apart, area[0] + 1200, size);
            memmove(area[1] + 1200 + apart, area[1] + 1200, size);
            if (memcmp(area[0], area[1], sizeof area[0]))
                return printf("memmove of %zu bytes by %d\n", size, apart), 1;
        }
    for (size_t size = 0; size <= 700; size++, checks++) {
        fill((unsigned)size);
        memcpy(others, area, sizeof area);
        own_memcpy(others[0] + 3, area[0] + 1501, size);
        memcpy(others[1] + 3, area[1] + 1501, size);
        if (memcmp(others[0], others[1], sizeof others[0]))
            return printf("memcpy of %zu bytes\n", size), 1;
    }
    for (size_t size = 0; size <= 300; size++)
        for (size_t at = 0; at <= size; at++)
            for (int step = -1; step <= 1; step++, checks++) {
                fill((unsigned)(size + at));
                area[1][7 + at] = (unsigned char)(area[1][7 + at] + step * 100);
                if (size)
                    area[1][7 + size - 1] ^= 1;
                int own = own_memcmp(area[0] + 7, area[1] + 7, size), theirs = memcmp(area[0] + 7, area[1] + 7, size);
                if (sign(own) != sign(theirs))
                    return printf("memcmp of %zu bytes that differ at %zu\n", size, at), 1;
            }
    printf("%lu checks\n", checks);
    return 0;
}
