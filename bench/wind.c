// wind: what the air costs per point, and what it adds to a sub-step of a rod per segment.
#include "bench/bench.h"
#include "bench/strands.h"
#include "math/air.h"

#include <math.h>

#define POINTS 4096
#define CALLS 200 // per run
#define STRANDS 1000
#define SEGMENTS 30
#define SUBSTEPS 20

typedef struct WindPoints {
    float x[POINTS], y[POINTS], z[POINTS], ux[POINTS], uy[POINTS], uz[POINTS];
} __attribute__((aligned(64))) WindPoints;

static const char *const names[] = {"still", "gusts", "gusts-turbulence", "gusts-profile"};

static SnFieldDef field_of(int kind) {
    SnFieldDef def = sn_default_field_def();
    def.kind = SN_FIELD_WIND;
    def.strength = kind > 0 ? 5.0f : 0.0f;
    def.gust = kind > 0 ? 0.5f : 0.0f;
    def.turbulence = kind == 2 ? 0.3f : 0.0f;
    def.profile = kind == 3 ? 0.15f : 0.0f;
    return def;
}

// Nanoseconds per point.
static double time_air(AirKernel *kernel, int kind, WindPoints *p, int runs) {
    SnFieldDef def = field_of(kind);
    WindState state = {0};
    Wind wind;
    WindField field;
    const double origin[1][3] = {{0.0, 0.0, 0.0}};
    sn__wind_step(&state, &def, 0.01, &wind);
    sn__wind_place(&wind, origin, 1, &field);
    double best = INFINITY;
    for (int run = 0; run < runs; ++run) {
        double start = sn_now_ms();
        for (int k = 0; k < CALLS; ++k)
            kernel(&field, 1, p->x, p->y, p->z, POINTS, p->ux, p->uy, p->uz);
        best = fmin(best, sn_now_ms() - start);
    }
    return best * 1.0e6 / (CALLS * POINTS);
}

static SnResult time_rods(Bench *bench) {
    BenchTimer timers[4] = {0};
    SnResult result = sn_ok();
    for (int kind = -1; kind < 3 && result.code == SN_OK; ++kind) {
        StrandsDef def = {
            .strands = STRANDS, .segments = SEGMENTS, .threads = 1, .isa = bench->isa};
        BenchTimer *timer = &timers[kind + 1];
        *timer = (BenchTimer){.threads = 1, .dt = 1.0f / 60.0f, .substeps = SUBSTEPS};
        timer->iterations = 1;
        result = strands_create(&def, &timer->world);
        if (result.code == SN_OK && kind >= 0) {
            SnFieldDef field = field_of(kind);
            SnFieldId id;
            result = sn_field_create(timer->world, &field, &id);
        }
    }
    if (result.code == SN_OK && bench_time(bench, timers, 4, bench->runs))
        for (int k = 0; k < 4; ++k) {
            static const char *const rows[] = {"rods-no-air", "rods-still", "rods-gusts",
                                               "rods-gusts-turbulence"};
            double ns = timers[k].best_ms * 1.0e6 / ((double)STRANDS * SEGMENTS * SUBSTEPS);
            bench_add_row(bench, rows[k], 1, ns, "ns");
        }
    for (int k = 0; k < 4; ++k)
        sn_world_destroy(timers[k].world);
    return result;
}

SnResult bench_wind(Bench *bench) {
    AirKernel *kernel = sn__air_kernel(bench->isa);
    static WindPoints points;
    for (int n = 0; n < POINTS; ++n) {
        points.x[n] = 0.01f * (float)(n % 64);
        points.y[n] = 0.01f * (float)n;
        points.z[n] = 0.1f * (float)(n % 17);
    }
    for (int kind = 0; kind < 4 && kernel != NULL && bench_go_on(bench, 0.0); ++kind)
        bench_add_row(bench, names[kind], 1, time_air(kernel, kind, &points, bench->runs), "ns");
    return time_rods(bench);
}
