// The last step of sorting a list: the order of the records that have the same key.
#include "collide/grid_wide.h"
#include "math/lanes.h"

#include <string.h>

// Keys with more records than this are sorted apart.
#define FEW 64

// How many of the first `count` numbers are below b. There may be SN_WIDE more to read.
SN_INLINE int rank_of(int b, const int *numbers, int count) {
#if SN_WIDE == 16 && defined(__AVX512F__)
    int rank = 0;
    for (int k = 0; k < count; k += SN_WIDE) {
        unsigned bits =
            _mm512_cmplt_epi32_mask(_mm512_loadu_si512(numbers + k), _mm512_set1_epi32(b));
        bits &= count - k < SN_WIDE ? (1u << (count - k)) - 1 : ~0u;
        rank += __builtin_popcount(bits);
    }
    return rank;
#else
    // Lanes at or past the count are told apart by comparing as well; each that is below is −1.
    LaneBits sum = {0}, lane;
    for (int i = 0; i < SN_WIDE; i++)
        lane[i] = i;
    for (int k = 0; k < count; k += SN_WIDE) {
        LaneBits some;
        memcpy(&some, numbers + k, sizeof some);
        sum += (LaneBits)(some < b) & (LaneBits)(lane < count - k);
    }
    int rank = 0;
    for (int i = 0; i < SN_WIDE; i++)
        rank -= sum[i];
    return rank;
#endif
}

// Shell's sort.
static void sort_many(GridPair *pairs, int count) {
    static const int gaps[] = {1391376, 463792, 198768, 86961, 33936, 13776, 4592, 1968,
                               861,     336,    112,    48,    21,    7,     3,    1};
    for (size_t g = 0; g < sizeof gaps / sizeof gaps[0]; g++) {
        int gap = gaps[g];
        for (int i = gap; i < count; i++) {
            GridPair pair = pairs[i];
            int k = i;
            for (; k >= gap && pairs[k - gap].b > pair.b; k -= gap)
                pairs[k] = pairs[k - gap];
            pairs[k] = pair;
        }
    }
}

// A record's place is the rank of its second number among those of its key: a flat loop, where
// sorting key by key would be all branches.
void SN_WIDE_FUNCTION(grid_order)(const GridPair *from, GridPair *to, int count, const int *ends,
                                  const int *numbers, int first_key, int key_count) {
    for (int i = 0; i < count; i++) {
        int key = from[i].a - first_key, first = key ? ends[key - 1] : 0, many = ends[key] - first;
        int rank = many <= FEW ? rank_of(from[i].b, numbers + first, many) : 0;
        to[first + rank] = from[i];
    }
    for (int key = 0, first = 0; key < key_count; first = ends[key++]) {
        int many = ends[key] - first;
        if (many > FEW) {
            for (int i = first; i < ends[key]; i++)
                to[i] = (GridPair){first_key + key, numbers[i]};
            sort_many(to + first, many);
        }
    }
}
