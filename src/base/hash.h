// A 64-bit hash over bytes, for state hashes and look-up tables; not for secrets.
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <string.h>

// For a fixed word each mix is a bijection of the hash (an odd factor, then a xor-shift), so two
// different states never fall together by what follows them.
static inline uint64_t sn__hash_mix(uint64_t hash, uint64_t word) {
    hash = (hash ^ word) * 0x9E3779B97F4A7C15u;
    return hash ^ (hash >> 32);
}

// Chains: the result may be the seed of the next call. Little-endian machines all agree.
static inline uint64_t sn__hash_bytes(uint64_t seed, const void *bytes, size_t size) {
    const unsigned char *at = bytes;
    uint64_t hash = sn__hash_mix(seed, (uint64_t)size);
    for (; size >= 8; size -= 8, at += 8) {
        uint64_t word;
        memcpy(&word, at, sizeof word);
        hash = sn__hash_mix(hash, word);
    }
    if (size > 0) {
        uint64_t word = 0;
        memcpy(&word, at, size);
        hash = sn__hash_mix(hash, word);
    }
    // The last words have gone through one multiplication only; one more spreads their high bits.
    return sn__hash_mix(hash, 0x2545F4914F6CDD1Du);
}
