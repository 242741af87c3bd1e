// Bodies that are alike to the last bit share what follows from their shape and material alone.
#include <string.h>

#include "solid/solid.h"

static bool same_edges(const Solid *s, const Solid *other) {
    for (int k = 0; k < s->edge_count; ++k) {
        const SolidEdge *a = &s->edges[k], *b = &other->edges[k];
        if (a->stretch != b->stretch)
            return false;
    }
    return true;
}

// All else of the matrix at rest follows from these.
static bool are_alike(const Solid *s, const Solid *other) {
    const SnSolidMaterial *a = &s->material, *b = &other->material;
    return s->graph == other->graph && a->density == b->density && a->young == b->young &&
           a->damping == b->damping &&
           memcmp(s->particles, other->particles, (size_t)s->count * sizeof *s->particles) == 0 &&
           same_edges(s, other);
}

static SolidRest *create_rest(const SnAllocator *a, const SparsePlan *plan) {
    SolidRest *rest = sn__alloc(a, sizeof *rest);
    if (rest == NULL)
        return NULL;
    size_t blocks = (size_t)plan->size + (size_t)plan->blocks;
    *rest = (SolidRest){.users = 1, .bytes = 2 * blocks * sizeof(SparseBlock)};
    rest->block = sn__alloc(a, rest->bytes);
    if (rest->block == NULL) {
        sn__free(a, rest, sizeof *rest);
        return NULL;
    }
    for (int k = 0; k < 2; ++k) {
        SparseBlock *first = (SparseBlock *)rest->block + (size_t)k * blocks;
        rest->factors[k] = (SolidFactors){.diagonal = first, .below = first + plan->size};
    }
    return rest;
}

bool sn__solid_share(Solid *s) {
    const SolidSystem *solids = s->system;
    sn__solid_unshare(s);
    for (int k = 0; k < solids->count && s->rest == NULL; ++k) {
        const Solid *other = solids->list[k];
        if (other != s && other->rest && are_alike(s, other)) {
            s->rest = other->rest;
            ++s->rest->users;
        }
    }
    if (s->rest == NULL)
        s->rest = create_rest(&solids->allocator, &s->graph->plan);
    return s->rest != NULL;
}

void sn__solid_unshare(Solid *s) {
    SnAllocator a = s->system->allocator;
    if (s->rest && --s->rest->users == 0) {
        sn__free(&a, s->rest->block, s->rest->bytes);
        sn__free(&a, s->rest, sizeof *s->rest);
    }
    s->rest = NULL;
}
