// Prepared numbers that several packs have in common.
//
// In a crowd of one creature all packs have the same masses and gains, a third of all that a
// sub-step reads. They are all read from the first of these packs then, and stay in the cache. Every
// pack keeps numbers of its own, which are read again as soon as it, or the first one, has changed.
#include <assert.h>
#include <string.h>

#include "rod/rods.h"

static bool same_rows(const void *a, const void *b, int rows, size_t row_size) {
    return memcmp((const char *)a - row_size, (const char *)b - row_size,
                  ((size_t)rows + 2) * row_size) == 0;
}

static bool same_numbers(const RodPack *a, const RodPack *b) {
    return a->graph == b->graph && a->classic == b->classic && a->rows == b->rows &&
           same_rows(a->own_prepared, b->own_prepared, a->tall, sizeof(RodPrepared)) &&
           same_rows(a->own_turn, b->own_turn, a->tall, sizeof(RodTurn));
}

void sn__rods_share(RodSystem *rods) {
    int first = -1; // of those that read the same numbers
    for (int k = 0; k < rods->pack_count; ++k) {
        RodPack *pack = rods->packs[k];
        if (pack->lanes == 0)
            continue;
        assert(pack->own_prepared);
        const RodPack *other = first >= 0 ? rods->packs[first] : NULL;
        if (other && (pack->compared != first + 1 || pack->renewed || other->renewed)) {
            pack->same = same_numbers(pack, other);
            pack->compared = first + 1;
        }
        if (other == NULL || !pack->same) {
            first = k;
            other = pack;
        }
        pack->prepared = other->own_prepared;
        pack->turn = pack->curved ? other->own_turn : NULL;
    }
    for (int k = 0; k < rods->pack_count; ++k)
        rods->packs[k]->renewed = false;
}
