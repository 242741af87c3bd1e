// The last step of sorting a list: the order of the records that have the same key.
#include "collide/grid_wide.h"
#include "math/lanes.h"

#include <string.h>

// Keys with more records than this are sorted apart.
#define FEW 64

// How many of the first `count` numbers are below b. There may be WIDE more to read.
INLINE int rank_of(int b, const int *numbers, int count) {
#if WIDE == 16 && defined(__AVX512F__)
    int rank = 0;
    for (int k = 0; k < count; k += WIDE) {
        unsigned bits =
            _mm512_cmplt_epi32_mask(_mm512_loadu_si512(numbers + k), _mm512_set1_epi32(b));
        bits &= count - k < WIDE ? (1u << (count - k)) - 1 : ~0u;
        rank += __builtin_popcount(bits);
    }
    return rank;
#else
    // Lanes at or past the count are told apart by comparing as well; each that is below is −1.
    LaneBits sum = {0}, lane;
    for (int i = 0; i < WIDE; ++i)
        lane[i] = i;
    for (int k = 0; k < count; k += WIDE) {
        LaneBits some;
        memcpy(&some, numbers + k, sizeof some);
        sum += (LaneBits)(some < b) & (LaneBits)(lane < count - k);
    }
    int rank = 0;
    for (int i = 0; i < WIDE; ++i)
        rank -= sum[i];
    return rank;
#endif
}

#define DIGIT_BITS 10
#define DIGITS (1 << DIGIT_BITS)

// Where numbers with each digit start, when sorted by it.
static void start_digits(const int *numbers, int count, int shift, int *starts) {
    int at = 0;
    memset(starts, 0, DIGITS * sizeof *starts);
    for (int i = 0; i < count; ++i)
        ++starts[numbers[i] >> shift & (DIGITS - 1)];
    for (int k = 0; k < DIGITS; ++k) {
        int of_digit = starts[k];
        starts[k] = at;
        at += of_digit;
    }
}

// By three digits, the lowest first; they have room for GRID_MAX_BOXES. The pairs' memory serves as
// scratch, and so do the numbers.
static void sort_many(int *numbers, int count, int key, GridPair *out) {
    int starts[DIGITS], *scratch = (int *)out;
    start_digits(numbers, count, 0, starts);
    for (int i = 0; i < count; ++i)
        scratch[starts[numbers[i] & (DIGITS - 1)]++] = numbers[i];
    start_digits(scratch, count, DIGIT_BITS, starts);
    for (int i = 0; i < count; ++i)
        numbers[starts[scratch[i] >> DIGIT_BITS & (DIGITS - 1)]++] = scratch[i];
    start_digits(numbers, count, 2 * DIGIT_BITS, starts);
    for (int i = 0; i < count; ++i)
        out[starts[numbers[i] >> 2 * DIGIT_BITS & (DIGITS - 1)]++] = (GridPair){key, numbers[i]};
}

// A record's place is the rank of its second number among those of its key: a flat loop, where
// sorting key by key would be all branches.
void WIDE_FUNCTION(grid_order)(const GridPair *from, GridPair *to, int count, const int *ends,
                               int *numbers, int first_key, int key_count) {
    for (int i = 0; i < count; ++i) {
        int key = from[i].a - first_key, first = key ? ends[key - 1] : 0, many = ends[key] - first;
        int rank = many <= FEW ? rank_of(from[i].b, numbers + first, many) : 0;
        to[first + rank] = from[i];
    }
    for (int key = 0, first = 0; key < key_count; first = ends[key++]) {
        int many = ends[key] - first;
        if (many > FEW)
            sort_many(numbers + first, many, first_key + key, to + first);
    }
}
