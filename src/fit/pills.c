#include "fit/pills.h"

bool sn__fit_create_pills(FitMemory *memory, int nodes, int edges, FitPills *out) {
    *out = (FitPills){.node_count = nodes, .edge_count = edges};
    out->points = sn__fit_alloc(memory, (size_t)nodes, sizeof *out->points);
    out->radii = sn__fit_alloc(memory, (size_t)nodes, sizeof *out->radii);
    out->edges = sn__fit_alloc(memory, (size_t)edges, sizeof *out->edges);
    out->balls = sn__fit_alloc(memory, (size_t)edges, sizeof *out->balls);
    return out->points && out->radii && out->edges && out->balls;
}

Pill sn__fit_pill(const FitPills *pills, int edge) {
    int a = pills->edges[edge][0], b = pills->edges[edge][1];
    return (Pill){pills->points[a], pills->points[b], pills->radii[a], pills->radii[b]};
}

void sn__fit_enclose(FitPills *pills) {
    for (int i = 0; i < pills->edge_count; ++i) {
        Pill p = sn__fit_pill(pills, i);
        double half = 0.5 * lengthd(subd(p.b, p.a));
        pills->balls[i] =
            (FitBall){scaled(addd(p.a, p.b), 0.5), half + fmax(p.radius_a, p.radius_b)};
    }
}

FitTouch sn__fit_touch(const FitPills *pills, Vec3d x, int guess) {
    Pill pill = sn__fit_pill(pills, guess);
    FitTouch best = {.edge = guess};
    best.distance = sn__pill_distance(&pill, x, &best.t);
    for (int i = 0; i < pills->edge_count; ++i) {
        // No point of the pill is nearer than the ball, whose distance is ‖x − centre‖ − radius.
        const FitBall *ball = pills->balls + i;
        Vec3d d = subd(x, ball->centre);
        double reach = best.distance + ball->radius;
        if (reach <= 0.0 || dotd(d, d) >= reach * reach || i == guess)
            continue;
        pill = sn__fit_pill(pills, i);
        double t, distance = sn__pill_distance(&pill, x, &t);
        if (distance < best.distance)
            best = (FitTouch){distance, i, t};
    }
    return best;
}
