// Whether the storage of solids fits together.
#include "base/require.h"
#include "solid/solid.h"

static SnResult check_particle(const Solid *s, int number, int i) {
    Quatd q = s->q[i];
    double norm = q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w;
    double sum = dotd(s->x[i], s->x[i]) + dotd(s->v[i], s->v[i]) + dotd(s->l[i], s->l[i]) +
                 dotd(s->a[i], s->a[i]) + dotd(s->t[i], s->t[i]);
    REQUIRE(fabs(norm - 1.0) < 1e-6 && isfinite(sum), "solid %d: particle %d is not finite", number,
            i);
    REQUIRE(s->particles[i].volume > 0.0, "solid %d: particle %d: volume %g", number, i,
            s->particles[i].volume);
    return sn_ok();
}

static SnResult check_body(const Solid *s, int number) {
    SnResult result = sn_ok();
    REQUIRE(s->mass > 0.0 && s->size > 0.0, "solid %d: mass %g, size %g", number, s->mass, s->size);
    REQUIRE(s->graph->users > 0 && s->graph->plan.size == s->count &&
                s->graph->pair_count >= s->edge_count,
            "solid %d: its graph has %d particles", number, s->graph->plan.size);
    REQUIRE(s->lead_count >= 0 && s->lead_count <= s->lead_capacity, "solid %d: %d leads", number,
            s->lead_count);
    for (int k = 0; k < s->lead_count; ++k) {
        const BodyLead *l = &s->leads[k];
        bool mark = l->held == HELD_MARK || l->held == HELD_DIRECTION;
        REQUIRE(l->owner != 0 && l->index >= 0 && l->index < (mark ? s->mark_count : s->count),
                "solid %d: lead %d of particle %d", number, k, l->index);
    }
    for (int k = 0; k < s->edge_count; ++k) {
        const SolidEdge *e = &s->edges[k];
        REQUIRE(e->i >= 0 && e->i < s->count && e->j >= 0 && e->j < s->count && e->stretch >= 0.0 &&
                    e->block >= 0 && e->block < s->graph->plan.blocks,
                "solid %d: edge %d", number, k);
    }
    for (int i = 0; i < s->count && result.code == SN_OK; ++i)
        result = check_particle(s, number, i);
    return result;
}

SnResult sn__solids_validate(const void *system) {
    const SolidSystem *solids = system;
    int bodies = 0;
    SnResult result = sn_ok();
    for (int k = 0; sn__bodies_next(solids->bodies, &sn__solid_kind, &k) != NULL; ++k)
        ++bodies;
    REQUIRE(bodies == solids->count, "solids: %d are listed, %d registered", solids->count, bodies);
    for (int k = 0; k < solids->count && result.code == SN_OK; ++k)
        result = check_body(solids->list[k], k);
    return result;
}
