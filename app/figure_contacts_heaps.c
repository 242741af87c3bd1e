// Parts of the figure `contacts` in which many bodies come to rest on each other.
#include "app/figure_contacts.h"

#include <sinew/model.h>

#include <math.h>

#define BIN_RODS 50

// Four walls, each a plane whose y axis points inwards.
static void add_walls(Yard *y, double half) {
    for (int i = 0; i < 4; ++i) {
        SnVec3 axis = i < 2 ? sn_vec3(1.0f, 0.0f, 0.0f) : sn_vec3(0.0f, 0.0f, 1.0f);
        SnQuat turn = sn_quat_about(axis, (float)(i % 2 ? -0.5 : 0.5) * (float)FIGURE_PI);
        SnVec3 inwards = sn_quat_rotate(turn, sn_vec3(0.0f, 1.0f, 0.0f));
        yard_plane(y, sn_vec3_scale(inwards, (float)-half), turn, 0.0);
    }
}

// Layers of five, across each other in turn, a little askew.
static void add_rods(Yard *y, ContactKind kind, double young) {
    static const double radii[] = {0.02, 0.015, 0.025}, lengths[] = {0.3, 0.2, 0.36};
    for (int i = 0; i < BIN_RODS; ++i) {
        double half = 0.5 * lengths[i % 3], askew = 0.3 * yard_noise(3 * i);
        double across = 0.08 * (i % 5 - 2) + 0.01 * yard_noise(3 * i + 1);
        double height = 0.06 + 0.07 * (i / 5) + 0.005 * yard_noise(3 * i + 2);
        if (i / 5 % 2)
            askew += 0.5 * FIGURE_PI;
        SnVec3 along = sn_vec3((float)cos(askew), 0.0f, (float)sin(askew));
        SnVec3 centre = i / 5 % 2 ? sn_vec3((float)across, (float)height, 0.0f)
                                  : sn_vec3(0.0f, (float)height, (float)across);
        yard_stick(y, &(Stick){.kind = kind,
                               .radius = radii[i % 3],
                               .young = young,
                               .segments = 5,
                               .damping = 0.01,
                               .drag = 1.0,
                               .from = sn_vec3_add_scaled(centre, along, (float)-half),
                               .to = sn_vec3_add_scaled(centre, along, (float)half)});
    }
}

static SnResult try_bin(Contacts *c, ContactKind kind, double young) {
    Yard y;
    yard_begin(&y, GRAVITY, 0.0);
    yard_floor(&y, 0.0);
    add_walls(&y, 0.25);
    add_rods(&y, kind, young);
    yard_run(&y, 9.5);
    double speed = yard_fastest(&y, 0.5), overlap = yard_overlap(&y);
    if (y.result.code == SN_OK) {
        check_below(c, kind, speed, 0.01, "bin, E = %.0e, speed, m/s", young);
        check_below(c, kind, overlap, 0.05, "bin, E = %.0e, overlap / radius", young);
    }
    return yard_end(&y);
}

SnResult try_bins(Contacts *c) {
    static const double youngs[] = {1e5, 1e6, 1e7, 1e8};
    SnResult result = sn_ok();
    for (int kind = CONTACT_VOLUME; kind < CONTACT_KINDS; ++kind)
        for (int i = 0; i < 4 && result.code == SN_OK; ++i)
            result = try_bin(c, (ContactKind)kind, youngs[i]);
    return result;
}

#define CABIN_LAYERS 8
#define CABIN_LOGS (2 * CABIN_LAYERS)
#define CABIN_SEGMENTS 8
#define CABIN_RADIUS 0.025f
#define CABIN_NOTCH 0.2f // of the radius
#define CABIN_REACH 0.2f // m, half of a log's length
#define CABIN_QUARTER (CABIN_SEGMENTS / 4)

// Logs cross where they are thinner: round ones without notches would roll down their own sag.
static SnBodyId add_log(Yard *y, ContactKind kind, int index) {
    SnVec3 positions[CABIN_SEGMENTS + 1];
    float radii[CABIN_SEGMENTS + 1];
    SnBodyId log = {0, 0};
    float height = CABIN_RADIUS * (1.0f + 2.0f * (1.0f - CABIN_NOTCH) * (float)(index / 2));
    float across = 0.5f * (index % 2 ? CABIN_REACH : -CABIN_REACH);
    for (int i = 0; i <= CABIN_SEGMENTS; ++i) {
        float along = CABIN_REACH * (2.0f * (float)i / CABIN_SEGMENTS - 1.0f);
        bool notched = i == CABIN_QUARTER || i == CABIN_SEGMENTS - CABIN_QUARTER;
        positions[i] =
            index / 2 % 2 ? sn_vec3(along, height, across) : sn_vec3(across, height, along);
        radii[i] = notched ? (1.0f - CABIN_NOTCH) * CABIN_RADIUS : CABIN_RADIUS;
    }
    SnRodDef def = sn_default_rod_def();
    def.vertex_count = CABIN_SEGMENTS + 1;
    def.positions = positions;
    def.radii = radii;
    def.material.young = 1e7f;
    def.material.damping = 0.01f;
    yard_set_kind(&def, kind);
    if (y->result.code == SN_OK)
        y->result = sn_rod_create(y->world, &def, &log);
    return log;
}

// How far logs move between the moment in which they have settled and the end.
static SnResult try_cabin(Contacts *c, ContactKind kind) {
    Yard y;
    SnBodyId logs[CABIN_LOGS];
    SnVec3 settled[CABIN_LOGS];
    double creep = 0.0;
    yard_begin(&y, GRAVITY, 0.0);
    yard_floor(&y, 0.0);
    for (int i = 0; i < CABIN_LOGS; ++i)
        logs[i] = add_log(&y, kind, i);
    double top = (double)yard_point(&y, logs[CABIN_LOGS - 1], CABIN_SEGMENTS / 2).y;
    yard_run(&y, 2.0);
    for (int i = 0; i < CABIN_LOGS; ++i)
        settled[i] = yard_point(&y, logs[i], CABIN_SEGMENTS / 2);
    yard_run(&y, 28.0);
    for (int i = 0; i < CABIN_LOGS; ++i) {
        SnVec3 now = yard_point(&y, logs[i], CABIN_SEGMENTS / 2);
        creep = fmax(creep, figure_length(sn_vec3_sub(now, settled[i])));
    }
    double sunk = top - (double)yard_point(&y, logs[CABIN_LOGS - 1], CABIN_SEGMENTS / 2).y;
    if (y.result.code == SN_OK) {
        begin_checks(c, &y, kind, logs[0]);
        check_below(c, kind, sunk / (double)CABIN_RADIUS, 0.5, "cabin, top came down by / radius");
        check_below(c, kind, creep / (double)CABIN_RADIUS, 0.1,
                    "cabin, creep from 2 s on / radius");
        end_checks(c);
    }
    return yard_end(&y);
}

SnResult try_cabins(Contacts *c) {
    SnResult result = sn_ok();
    for (int kind = 0; kind < CONTACT_KINDS && result.code == SN_OK; ++kind)
        result = try_cabin(c, (ContactKind)kind);
    return result;
}

#define STACK_RODS 10
#define STACK_VERTICES 4

static double worst_scale(Yard *y, const SnBodyId *rods) {
    double worst = 0.0;
    float scales[STACK_VERTICES];
    for (int i = 0; i < STACK_RODS && y->result.code == SN_OK; ++i) {
        y->result = sn_body_read(y->world, rods[i], &(SnBodyState){.scales = scales});
        for (int v = 0; v < STACK_VERTICES && y->result.code == SN_OK; ++v)
            worst = fmax(worst, fabs((double)scales[v] - 1.0));
    }
    return worst;
}

// One exactly above the other, or askew by up to a hundredth of a radius, so that they roll apart at
// once; drag stops those that roll. Exact ones may fall over at any time.
static SnResult try_stack(Contacts *c, ContactKind kind, int substeps, bool askew) {
    Yard y;
    const double radius = 0.05, gap = 0.05, top = (STACK_RODS - 1) * (2.0 * radius + gap) + gap;
    SnBodyId rods[STACK_RODS];
    double scale = 0.0, overlap = 0.0, fastest = 0.0, speed = 0.0;
    yard_begin(&y, GRAVITY, 0.0);
    yard_floor(&y, 0.0);
    y.substeps = substeps;
    for (int i = 0; i < STACK_RODS; ++i) {
        float x = askew ? (float)(0.01 * radius * yard_noise(i)) : 0.0f;
        float height = (float)((2 * i + 1) * radius + (i + 1) * gap);
        rods[i] = yard_stick(&y, &(Stick){.kind = kind,
                                          .radius = radius,
                                          .young = 1e6,
                                          .segments = STACK_VERTICES - 1,
                                          .damping = 0.01,
                                          .drag = 2.0,
                                          .from = sn_vec3(x, height, -0.1f),
                                          .to = sn_vec3(x, height, 0.1f)});
    }
    for (int i = 0; i < 180; ++i) {
        yard_step(&y);
        scale = fmax(scale, worst_scale(&y, rods));
        overlap = fmax(overlap, yard_overlap(&y));
        speed = yard_measure(&y).speed_max;
        fastest = fmax(fastest, speed);
    }
    if (y.result.code == SN_OK) {
        const char *how = askew ? "askew" : "exact";
        begin_checks(c, &y, kind, rods[0]);
        if (kind <= CONTACT_VOLUME)
            check_below(c, kind, scale, 0.2, "%d sub-steps, %s, |scale - 1|", substeps, how);
        check_below(c, kind, overlap, 0.2, "%d sub-steps, %s, overlap / radius", substeps, how);
        check_below(c, kind, fastest / sqrt(2.0 * GRAVITY * top), 1.0,
                    "%d sub-steps, %s, fastest / fall", substeps, how);
        if (askew)
            check_below(c, kind, speed, 0.1, "%d sub-steps, %s, speed, m/s", substeps, how);
        end_checks(c);
    }
    return yard_end(&y);
}

SnResult try_stacks(Contacts *c) {
    static const int substeps[] = {2, 4, 10};
    SnResult result = sn_ok();
    for (int kind = 0; kind < CONTACT_KINDS; ++kind)
        for (int i = 0; i < 6 && result.code == SN_OK; ++i)
            result = try_stack(c, (ContactKind)kind, substeps[i / 2], i % 2 == 1);
    return result;
}

#define OCTOPUSES 12

// Of the flesh of those in viper-fig7, each turned about an axis of its own.
static void add_octopus(Yard *y, ContactKind kind, const SnModel *model, int index) {
    SnVec3 positions[64];
    SnVec3 axis =
        sn_vec3_normalise(sn_vec3((float)yard_noise(4 * index), (float)yard_noise(4 * index + 1),
                                  (float)yard_noise(4 * index + 2)),
                          sn_vec3(0.0f, 1.0f, 0.0f));
    SnQuat turn = sn_quat_about(axis, (float)(FIGURE_PI * yard_noise(4 * index + 3)));
    for (int i = 0; i < model->vertex_count && i < 64; ++i)
        positions[i] = sn_quat_rotate(turn, model->positions[i]);
    SnRodDef def = sn_default_rod_def();
    def.vertex_count = model->vertex_count;
    def.positions = positions;
    def.radii = model->radii;
    def.edges = model->edges;
    def.edge_count = model->edge_count;
    yard_set_kind(&def, kind);
    def.material.density = 150.0f;
    def.material.young = 4e5f;
    def.material.shear = 1.4e5f;
    def.material.volume = 8e6f;
    def.material.damping = 0.03f;
    def.material.drag = 1.0f;
    def.origin[0] = 0.6 * (index % 2);
    def.origin[1] = 0.7 + 1.2 * (index / 4);
    def.origin[2] = 0.6 * (index / 2 % 2);
    if (y->result.code == SN_OK)
        y->result = sn_rod_create(y->world, &def, NULL);
}

static SnResult try_heap(Contacts *c, ContactKind kind, const SnModel *model) {
    Yard y;
    yard_begin(&y, GRAVITY, 0.0);
    yard_floor(&y, 0.0);
    for (int i = 0; i < OCTOPUSES; ++i)
        add_octopus(&y, kind, model, i);
    yard_run(&y, 9.5);
    double speed = yard_fastest(&y, 0.5);
    if (y.result.code == SN_OK)
        check_below(c, kind, speed, 0.01, "octopuses, speed, m/s");
    return yard_end(&y);
}

SnResult try_octopuses(Contacts *c) {
    SnModel model;
    SnResult result = sn_octopus(0.5f, NULL, &model);
    if (result.code != SN_OK)
        return result;
    result = try_heap(c, CONTACT_SWEPT, &model);
    if (result.code == SN_OK)
        result = try_heap(c, CONTACT_VOLUME, &model);
    sn_model_destroy(&model);
    return result;
}
