// Whether the storage of rigid bodies fits together.
#include "rigid/validate.h"

#include "base/require.h"

static SnResult check_body(const Rigid *r, int number) {
    Quatd q = r->pose.q;
    double norm = q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w;
    double sum = dotd(r->pose.x, r->pose.x) + dotd(r->v, r->v) + dotd(r->L, r->L);
    REQUIRE(fabs(norm - 1.0) < 1e-6 && isfinite(sum), "rigid body %d: it is not finite", number);
    REQUIRE(r->mass > 0.0 && r->inertia.x > 0.0 && r->inertia.y > 0.0 && r->inertia.z > 0.0,
            "rigid body %d: mass %g", number, r->mass);
    REQUIRE(r->lead_count >= 0 && r->lead_count <= r->lead_capacity, "rigid body %d: %d leads",
            number, r->lead_count);
    for (int k = 0; k < r->lead_count; ++k) {
        const BodyLead *l = &r->leads[k];
        int count = l->held == HELD_FRAME ? r->parts : r->points;
        REQUIRE(l->owner != 0 && l->index >= 0 && l->index < count,
                "rigid body %d: lead %d of element %d", number, k, l->index);
    }
    for (int j = 0; j < r->parts; ++j)
        REQUIRE(r->edge[j][0] >= 0 && r->edge[j][1] < r->points, "rigid body %d: part %d", number,
                j);
    return sn_ok();
}

SnResult sn__rigids_validate(const void *system) {
    const RigidSystem *rigids = system;
    int bodies = 0;
    SnResult result = sn_ok();
    for (int k = 0; sn__bodies_next(rigids->bodies, &sn__rigid_kind, &k) != NULL; ++k)
        ++bodies;
    REQUIRE(bodies == rigids->count, "rigid bodies: %d are listed, %d registered", rigids->count,
            bodies);
    for (int k = 0; k < rigids->count && result.code == SN_OK; ++k)
        result = check_body(rigids->list[k], k);
    return result;
}
