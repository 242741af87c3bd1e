// Memory that was taken in advance, so that a step need not ask for any.
//
// A reserve stands between a world and the user's allocator. While it is open, during a step, it hands out
// pieces of blocks that were taken before; what there is no room for comes from the user, and is noted.
#pragma once

#include "base/memory.h"

// A free piece. Pieces of a block are in the order of their addresses and do not touch.
typedef struct ReservePiece {
    size_t size;
    struct ReservePiece *next;
} ReservePiece;

typedef struct ReserveBlock {
    struct ReserveBlock *next;
    size_t size; // of what follows the header
    ReservePiece *free;
} ReserveBlock;

typedef struct Reserve {
    SnAllocator user;
    ReserveBlock *blocks;
    bool open;     // hands out pieces
    bool exceeded; // since it was opened, the user was asked
} Reserve;

// For those whose memory it is; valid as long as the reserve stays where it is.
SnAllocator sn__reserve_allocator(Reserve *reserve);
// Takes memory until one block has a free piece of that size. False without memory.
bool sn__reserve_bytes(Reserve *reserve, size_t size);
// When all that it handed out is back.
void sn__reserve_destroy(Reserve *reserve);
