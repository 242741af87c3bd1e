// How long it takes to fill the mesh of a muscle with rods, by stages. One thread.
#include "bench/bench.h"

#include <sinew/fit.h>
#include <sinew/muscle_model.h>

#include <stdio.h>

#define TRIANGLES 40000

static SnResult convert(const SnMesh *mesh, SnFitReport *out_report) {
    SnViperizeDef def = sn_default_viperize_def();
    def.vertex_count = mesh->vertex_count;
    def.positions = mesh->positions;
    def.triangle_count = mesh->triangle_count;
    def.triangles = mesh->triangles;
    SnViper viper;
    SnResult result = sn_viperize(&def, NULL, &viper);
    if (result.code == SN_OK)
        *out_report = viper.report;
    sn_viper_destroy(&viper);
    return result;
}

static double total_of(const SnFitReport *report) {
    double sum = 0.0;
    for (int i = 0; i < report->stage_count; ++i)
        sum += report->stages[i].ms;
    return sum;
}

// The stages of the fastest of all runs.
static SnResult measure(Bench *bench, SnMuscleShape shape) {
    SnMesh mesh;
    SnResult result = sn_muscle_mesh(shape, 0.3f, TRIANGLES, NULL, &mesh);
    SnFitReport best = {0};
    for (int run = 0; run < bench->runs && result.code == SN_OK; ++run) {
        SnFitReport report;
        result = convert(&mesh, &report);
        if (result.code == SN_OK && (run == 0 || total_of(&report) < total_of(&best)))
            best = report;
        if (!bench_go_on(bench, (run + 1.0) / bench->runs))
            break;
    }
    sn_mesh_destroy(&mesh);
    char name[BENCH_NAME_SIZE];
    for (int i = 0; i < best.stage_count && result.code == SN_OK && !bench->stopped; ++i) {
        snprintf(name, sizeof name, "%s-%s", sn_muscle_shape_name(shape), best.stages[i].name);
        bench_add_row(bench, name, 1, best.stages[i].ms, "ms");
    }
    if (result.code == SN_OK && !bench->stopped)
        bench_add_row(bench, sn_muscle_shape_name(shape), 1, total_of(&best), "ms");
    return result;
}

SnResult bench_viperize(Bench *bench) {
    static const SnMuscleShape shapes[] = {SN_MUSCLE_SPINDLE, SN_MUSCLE_FAN, SN_MUSCLE_TWO_HEADED};
    enum { COUNT = sizeof shapes / sizeof shapes[0] };
    SnResult result = sn_ok();
    for (int i = 0; i < COUNT && result.code == SN_OK && !bench->stopped; ++i) {
        bench_part(bench, i, COUNT);
        result = measure(bench, shapes[i]);
    }
    return result;
}
