#include "stiff/weather.h"

#include <assert.h>

#include "body/fields.h"
#include "math/air.h"
#include "stiff/scheme.h"

// Winds beyond these do not reach stiff rods.
#define MAX_WINDS 4
#define SEGMENTS_AT_ONCE 256

typedef struct AirTask {
    const StiffRod *rod;
    Grove *grove;
    const WindField *winds;
    int wind_count;
    AirKernel *kernel;
} AirTask;

static void air_at(const AirTask *t, int first, int count) {
    assert(count > 0 && count <= SEGMENTS_AT_ONCE && t->kernel && t->wind_count > 0);
    float at[3][SEGMENTS_AT_ONCE] __attribute__((aligned(64))) = {{0}};
    for (int k = 0; k < count; ++k) {
        int slot = t->rod->slot[first + k];
        const StiffState *s = &t->grove->state[slot / STIFF_LANES];
        at[0][k] = (float)s->x[slot % STIFF_LANES];
        at[1][k] = (float)s->y[slot % STIFF_LANES];
        at[2][k] = (float)s->z[slot % STIFF_LANES];
    }
    int lanes = (count + WIND_LANES - 1) / WIND_LANES * WIND_LANES;
    t->kernel(t->winds, t->wind_count, at[0], at[1], at[2], lanes, at[0], at[1], at[2]);
    for (int k = 0; k < count; ++k) {
        int slot = t->rod->slot[first + k];
        StiffLoads *l = &t->grove->loads[slot / STIFF_LANES];
        l->ax[slot % STIFF_LANES] = (double)at[0][k];
        l->ay[slot % STIFF_LANES] = (double)at[1][k];
        l->az[slot % STIFF_LANES] = (double)at[2][k];
    }
}

static void air_chunks(int begin, int end, int worker, void *context) {
    (void)worker;
    const AirTask *t = context;
    for (int k = begin; k < end; ++k) {
        int first = k * SEGMENTS_AT_ONCE, left = t->rod->segments - first;
        air_at(t, first, left < SEGMENTS_AT_ONCE ? left : SEGMENTS_AT_ONCE);
    }
}

void sn__grove_feel_air(StiffGrove *grove, const Air *air, SnIsa isa, const SnTaskSystem *tasks) {
    WindField winds[MAX_WINDS];
    int count = air->count < MAX_WINDS ? air->count : MAX_WINDS;
    for (int k = 0; k < grove->rod_count && count > 0; ++k) {
        const StiffRod *t = grove->rods[k];
        const double origin[1][3] = {{t->origin[0], t->origin[1], t->origin[2]}};
        for (int w = 0; w < count; ++w)
            sn__wind_place(&air->winds[w], origin, 1, &winds[w]);
        AirTask task = {t, &grove->g, winds, count, sn__air_kernel(isa)};
        int chunks = (t->segments + SEGMENTS_AT_ONCE - 1) / SEGMENTS_AT_ONCE;
        if (tasks)
            tasks->parallel_for(chunks, 1, air_chunks, &task, tasks->context);
        else
            air_chunks(0, chunks, 0, &task);
    }
}

void sn__grove_feel_fields(StiffGrove *grove, const SnFieldDef *fields, int count, double h) {
    for (int k = 0; k < grove->rod_count && count > 0; ++k) {
        const StiffRod *t = grove->rods[k];
        Vec3d origin = {t->origin[0], t->origin[1], t->origin[2]};
        for (int j = 0; j < t->segments; ++j) {
            int row = t->slot[j] / STIFF_LANES, i = t->slot[j] % STIFF_LANES;
            const StiffRest *r = &grove->g.rest[row];
            StiffMotion *m = &grove->g.motion[row];
            StiffPose pose = sn__stiff_pose(t, j);
            Vec3d p = {0};
            for (int f = 0; f < count; ++f)
                p = addd(p, sn__field_acceleration(&fields[f], addd(origin, pose.x)));
            p = scaled(p, (1.0 - SECOND_OUTSIDE * r->second[i]) * h * h * r->mass[i]);
            m->kx[i] += p.x;
            m->ky[i] += p.y;
            m->kz[i] += p.z;
        }
    }
}
