#include "base/reserve.h"

#include <assert.h>
#include <stdint.h>

// Of the header of a block; pieces begin at whole lines.
#define HEADER CACHE_LINE

static size_t whole_lines(size_t size) { return (size + CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE; }

static char *start_of(ReserveBlock *block) { return (char *)block + HEADER; }

static bool holds(ReserveBlock *block, const void *memory) {
    uintptr_t start = (uintptr_t)start_of(block), at = (uintptr_t)memory;
    return at >= start && at < start + block->size;
}

// The first piece that is large enough, or a part of it.
static void *take_piece(ReserveBlock *block, size_t size) {
    for (ReservePiece **at = &block->free; *at; at = &(*at)->next) {
        ReservePiece *piece = *at;
        if (piece->size < size)
            continue;
        if (piece->size > size) {
            ReservePiece *rest = (ReservePiece *)((char *)piece + size);
            *rest = (ReservePiece){piece->size - size, piece->next};
            *at = rest;
        } else {
            *at = piece->next;
        }
        return piece;
    }
    return NULL;
}

static bool touch(const ReservePiece *piece, const ReservePiece *next) {
    return (const char *)piece + piece->size == (const char *)next;
}

static void put_back(ReserveBlock *block, void *memory, size_t size) {
    ReservePiece **at = &block->free, *before = NULL;
    while (*at && (uintptr_t)*at < (uintptr_t)memory) {
        before = *at;
        at = &before->next;
    }
    ReservePiece *piece = memory;
    *piece = (ReservePiece){size, *at};
    *at = piece;
    if (piece->next && touch(piece, piece->next)) {
        piece->size += piece->next->size;
        piece->next = piece->next->next;
    }
    if (before && touch(before, piece)) {
        before->size += piece->size;
        before->next = piece->next;
    }
}

static void *allocate(size_t size, size_t align, void *context) {
    Reserve *r = context;
    assert(align <= CACHE_LINE);
    size_t rounded = whole_lines(size);
    for (ReserveBlock *block = r->open ? r->blocks : NULL; block; block = block->next) {
        void *memory = take_piece(block, rounded);
        if (memory)
            return memory;
    }
    r->exceeded = true;
    return r->user.allocate(size, align, r->user.context);
}

static void release(void *memory, size_t size, void *context) {
    Reserve *r = context;
    for (ReserveBlock *block = r->blocks; block; block = block->next)
        if (holds(block, memory)) {
            put_back(block, memory, whole_lines(size));
            return;
        }
    r->user.release(memory, size, r->user.context);
}

SnAllocator sn__reserve_allocator(Reserve *reserve) {
    return (SnAllocator){allocate, release, reserve};
}

bool sn__reserve_bytes(Reserve *reserve, size_t size) {
    size = whole_lines(size);
    for (ReserveBlock *block = reserve->blocks; block; block = block->next)
        for (const ReservePiece *piece = block->free; piece; piece = piece->next)
            if (piece->size >= size)
                return true;
    ReserveBlock *block =
        size <= SIZE_MAX / 2 ? sn__alloc_raw(&reserve->user, HEADER + size) : NULL;
    if (block == NULL)
        return false;
    *block = (ReserveBlock){.next = reserve->blocks, .size = size};
    block->free = (ReservePiece *)start_of(block);
    *block->free = (ReservePiece){.size = size};
    reserve->blocks = block;
    return true;
}

void sn__reserve_destroy(Reserve *reserve) {
    for (ReserveBlock *block = reserve->blocks, *next; block; block = next) {
        next = block->next;
        assert(block->free && block->free->size == block->size);
        sn__free(&reserve->user, block, HEADER + block->size);
    }
    reserve->blocks = NULL;
}
