#include "world/shocks.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "world/world.h"

// Who is thrown off its way by less than this part of its radius, beside its reach, is not followed.
#define LITTLE 0.1f
// What stops a body is passed on to those that run into it as it is: it stands on something. What
// sets a body in motion is shared with those that it is driven into.
#define SHARED 0.7f
// Bits of a number that are sorted by at a time.
#define DIGIT_BITS 11
#define DIGITS (1 << DIGIT_BITS)

void sn__shocks_clear(ContactSystem *system) {
    ShockSystem *s = &system->shocks;
    for (int k = 0; k < s->count; ++k)
        s->of[s->shocks[k].element] = 0;
    s->count = s->due_count = s->pair_count = 0;
}

static float dot(const float a[3], const float b[3]) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static float larger(float a, float b) { return a > b ? a : b; }
static float smaller(float a, float b) { return a < b ? a : b; }

static float radius_of(const ContactSystem *s, int element) {
    const KnotOwner *owner = &s->owners[element];
    return smaller(s->knots[owner->first].start[3], s->knots[owner->second].start[3]);
}

// How far an element goes against a direction in the step, as it moves now.
static float way_against(const ContactSystem *s, int element, const float direction[3]) {
    const KnotOwner *owner = &s->owners[element];
    float first = -dot(s->knots[owner->first].motion, direction);
    return larger(larger(first, -dot(s->knots[owner->second].motion, direction)), 0.0f);
}

// How far a shock drives its element in a direction.
static float way_along(const ContactSystem *s, int element, const float direction[3]) {
    if (s->shocks.of[element] == 0)
        return 0.0f;
    const Shock *shock = &s->shocks.shocks[s->shocks.of[element] - 1];
    float way = 0.0f;
    for (int c = 0; c < 3; ++c)
        way += larger(direction[c] * shock->low[c], direction[c] * shock->high[c]);
    return smaller(way, shock->most);
}

static Shock *shock_of(SnWorld *world, int element) {
    ShockSystem *s = &world->contacts.shocks;
    if (s->of[element] == 0) {
        if (!sn__reserve(&world->allocator, (void **)&s->shocks, &s->capacity, s->count,
                         sizeof(Shock)))
            return NULL;
        s->shocks[s->count] = (Shock){.element = element, .reach = world->contacts.reach[element]};
        s->of[element] = ++s->count;
    }
    return &s->shocks[s->of[element] - 1];
}

bool sn__shocks_strike(SnWorld *world, int element, const float normal[3], float by) {
    ContactSystem *s = &world->contacts;
    assert(element > 0 && element < s->collider_knots && s->owners[element].body != 0);
    float stopped = smaller(way_against(s, element, normal), by);
    by = stopped + SHARED * (by - stopped);
    float little = LITTLE * radius_of(s, element);
    int32_t index = s->shocks.of[element];
    float reach = index ? s->shocks.shocks[index - 1].reach : s->reach[element];
    // What is not a number strikes nobody.
    if (!(by > little + reach) || !(by < INFINITY))
        return true;
    Shock *shock = shock_of(world, element);
    if (shock == NULL)
        return false;
    bool due = false;
    for (int c = 0; c < 3; ++c) {
        shock->low[c] = smaller(shock->low[c], by * normal[c]);
        shock->high[c] = larger(shock->high[c], by * normal[c]);
        due |= shock->high[c] > shock->asked_high[c] + little;
        due |= shock->low[c] < shock->asked_low[c] - little;
    }
    s->shocks.due_count += due && !shock->due;
    shock->due |= due;
    shock->most = larger(shock->most, by);
    s->reach[element] = shock->reach + shock->most;
    return true;
}

bool sn__shocks_strike_pair(SnWorld *world, GridPair p, const PairFate *fate) {
    const ContactSystem *s = &world->contacts;
    const float *n = fate->normal, back[3] = {-n[0], -n[1], -n[2]};
    if (p.b >= s->collider_knots)
        return sn__shocks_strike(world, p.a, n, fate->blow);
    float of_a = way_along(s, p.a, back), of_b = way_along(s, p.b, n);
    return sn__shocks_strike(world, p.a, n, fate->blow + of_b) &&
           sn__shocks_strike(world, p.b, back, fate->blow + of_a);
}

static GridBox box_of(const ContactSystem *s, const Shock *shock) {
    GridBox box = s->boxes[shock->element];
    for (int c = 0; c < 3; ++c) {
        box.low[c] += shock->low[c];
        box.high[c] += shock->high[c];
    }
    return box;
}

// Makes an array at least `count` long and keeps what is in it; false without memory.
static bool extend(const SnAllocator *allocator, void **array, int *capacity, int count,
                   size_t element) {
    if (count <= *capacity)
        return true;
    int grown = count + count / 2;
    void *memory =
        sn__grow(allocator, *array, (size_t)*capacity * element, (size_t)grown * element);
    if (memory == NULL)
        return false;
    *array = memory;
    *capacity = grown;
    return true;
}

// All pairs of an element with what its shock may drive it into, or what may run into it.
static bool ask(SnWorld *world, Shock *shock) {
    ShockSystem *s = &world->contacts.shocks;
    GridBox box = box_of(&world->contacts, shock);
    int met = sn__grid_query(world->contacts.grid, &box, s->met, s->met_capacity);
    if (met > s->met_capacity) {
        if (!extend(&world->allocator, (void **)&s->met, &s->met_capacity, met, sizeof(int)))
            return false;
        met = sn__grid_query(world->contacts.grid, &box, s->met, s->met_capacity);
    }
    if (!extend(&world->allocator, (void **)&s->asked, &s->asked_capacity, s->asked_count + met,
                sizeof(GridPair)))
        return false;
    for (int i = 0; i < met; ++i) {
        int one = shock->element, other = s->met[i];
        GridPair pair = {one < other ? one : other, one < other ? other : one};
        if (one != other && sn__contacts_may_meet(pair.a, pair.b, world))
            s->asked[s->asked_count++] = pair;
    }
    memcpy(shock->asked_low, shock->low, sizeof shock->low);
    memcpy(shock->asked_high, shock->high, sizeof shock->high);
    shock->due = false;
    return true;
}

static bool judge(SnWorld *world, const GridPair *pairs, int count) {
    ShockSystem *s = &world->contacts.shocks;
    if (!extend(&world->allocator, (void **)&s->fates, &s->fate_capacity, count, sizeof(PairFate)))
        return false;
    sn__contacts_judge(world, pairs, count, s->fates);
    return true;
}

// All shocks that are due, then all that come of them.
static bool spread_once(SnWorld *world) {
    ShockSystem *s = &world->contacts.shocks;
    s->asked_count = s->due_count = 0;
    for (int k = 0; k < s->count; ++k)
        if (s->shocks[k].due && !ask(world, &s->shocks[k]))
            return false;
    if (!judge(world, s->asked, s->asked_count) ||
        !extend(&world->allocator, (void **)&s->pairs, &s->pair_capacity,
                s->pair_count + s->asked_count, sizeof(GridPair)))
        return false;
    for (int k = 0; k < s->asked_count; ++k) {
        if (s->fates[k].room >= 0.0f)
            s->pairs[s->pair_count++] = s->asked[k];
        if (!sn__shocks_strike_pair(world, s->asked[k], &s->fates[k]))
            return false;
    }
    return true;
}

static void sort_by_digit(const GridPair *from, GridPair *to, int count, bool second, int shift) {
    int starts[DIGITS] = {0}, at = 0;
    for (int k = 0; k < count; ++k)
        ++starts[(second ? from[k].b : from[k].a) >> shift & (DIGITS - 1)];
    for (int d = 0; d < DIGITS; ++d) {
        int of_digit = starts[d];
        starts[d] = at;
        at += of_digit;
    }
    for (int k = 0; k < count; ++k)
        to[starts[(second ? from[k].b : from[k].a) >> shift & (DIGITS - 1)]++] = from[k];
}

// By the second number, then by the first, the lowest digits first; a pair that was found from both
// sides, or more than once, stays once.
static bool sort_pairs(SnWorld *world) {
    ShockSystem *s = &world->contacts.shocks;
    if (!extend(&world->allocator, (void **)&s->sorted, &s->sorted_capacity, s->pair_capacity,
                sizeof(GridPair)))
        return false;
    for (int second = 1; second >= 0; --second)
        for (int shift = 0; world->contacts.knot_count >> shift > 0; shift += DIGIT_BITS) {
            sort_by_digit(s->pairs, s->sorted, s->pair_count, second == 1, shift);
            GridPair *swap = s->pairs;
            int capacity = s->pair_capacity;
            s->pairs = s->sorted;
            s->pair_capacity = s->sorted_capacity;
            s->sorted = swap;
            s->sorted_capacity = capacity;
        }
    int kept = 0;
    for (int k = 0; k < s->pair_count; ++k)
        if (kept == 0 || s->pairs[k].a != s->pairs[kept - 1].a ||
            s->pairs[k].b != s->pairs[kept - 1].b)
            s->pairs[kept++] = s->pairs[k];
    s->pair_count = kept;
    return true;
}

// From one neighbour to the next. Where bodies are faster by far than they are large, blows would be handed to and fro.
#define MOST_ROUNDS 64

bool sn__shocks_spread(SnWorld *world) {
    ShockSystem *s = &world->contacts.shocks;
    if (s->count == 0)
        return true;
    for (int round = 0; s->due_count > 0 && round < MOST_ROUNDS; ++round)
        if (!spread_once(world))
            return false;
    return sort_pairs(world) && judge(world, s->pairs, s->pair_count);
}

void sn__shocks_release(const SnAllocator *allocator, ShockSystem *s, int knot_capacity) {
    sn__free(allocator, s->of, (size_t)knot_capacity * sizeof(int32_t));
    sn__free(allocator, s->shocks, (size_t)s->capacity * sizeof(Shock));
    sn__free(allocator, s->met, (size_t)s->met_capacity * sizeof(int));
    sn__free(allocator, s->asked, (size_t)s->asked_capacity * sizeof(GridPair));
    sn__free(allocator, s->pairs, (size_t)s->pair_capacity * sizeof(GridPair));
    sn__free(allocator, s->sorted, (size_t)s->sorted_capacity * sizeof(GridPair));
    sn__free(allocator, s->fates, (size_t)s->fate_capacity * sizeof(PairFate));
}
