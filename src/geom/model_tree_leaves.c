#include "geom/model_tree.h"

// What a segment of wood needs of the pipes of the wood below it, where a leaf needs one.
#define WOOD_FLOW 0.1
// The trunk's foot: up to this part of its length, so much thicker.
#define FOOT 0.1
#define FOOT_FLARE 0.35

// The blade's upper side is where `sky` says as far as the stalk lets it. Of the two ways to say so,
// the one nearer to the frame of the twig, because small turns are kinder to solvers.
static Quatd leaf_frame(Quatd twig, Vec3d along, Vec3d sky) {
    Quatd frame = mulqd(rotation_between(axis_z(twig), along), twig);
    Vec3d x = rotated(frame, (Vec3d){1.0, 0.0, 0.0}), y = rotated(frame, (Vec3d){0.0, 1.0, 0.0});
    Vec3d across = sn__plant_direction(crossd(sky, along), x);
    double c = dotd(across, x), s = dotd(across, y);
    if (c < 0.0) {
        c = -c;
        s = -s;
    }
    // Half the angle whose cosine and sine these are.
    double half_cos = sqrt(0.5 + 0.5 * c);
    return normalisedq(mulqd(frame, (Quatd){0.0, 0.0, 0.5 * s / half_cos, half_cos}));
}

static void grow_leaf(TreeGrowth *g, int edge, int vertex, double azimuth) {
    const TreeSpecies *species = g->species;
    SnTreeModel *model = g->model;
    Quatd twig = quatd(model->frames[vertex - 1]);
    double angle = species->leaf_angle * (TREE_PI / 180.0) * (1.0 + 0.3 * sn__plant_jitter(g));
    Vec3d along = sn__plant_turned(axis_z(twig), angle, azimuth);
    along.y -= species->leaf_droop * (0.6 + 0.8 * sn__plant_random(g));
    along = sn__plant_direction(along, axis_z(twig));
    double size = fmin(1.0, g->height / species->height * 3.0) * (1.0 + 0.18 * sn__plant_jitter(g));
    Vec3d at = addd(vec3d(model->positions[vertex]), scaled(along, size * species->leaf_length));
    Vec3d sky = {0.9 * sn__plant_jitter(g), 0.8, 0.9 * sn__plant_jitter(g)};
    model->edges[2 * edge] = vertex;
    model->edges[2 * edge + 1] = edge + 1;
    model->positions[edge + 1] = sn_vec3((float)at.x, (float)at.y, (float)at.z);
    model->frames[edge] = quatf(leaf_frame(twig, along, sky));
    model->leaf[edge] = 1;
    model->leaf_widths[edge] = (float)(size * species->leaf_width);
}

static double leafiness(const TreeSpecies *species, int depth, const TreeStem *stem) {
    const TreeLevel *level = species->levels + depth;
    return level->leaf_density * (1.0 - level->leaf_begin) * stem->length;
}

void sn__plant_grow_leaves(TreeGrowth *g) {
    int edge = g->model->edge_count - g->leaf_count;
    TreeShares shares = {.whole = g->leaf_count};
    for (int depth = 0; depth < TREE_LEVELS; ++depth)
        for (int i = g->level_begin[depth]; i < g->level_begin[depth + 1]; ++i)
            shares.weight += leafiness(g->species, depth, g->stems + i);
    for (int depth = 0; depth < TREE_LEVELS; ++depth) {
        double begin = g->species->levels[depth].leaf_begin;
        for (int i = g->level_begin[depth]; i < g->level_begin[depth + 1]; ++i) {
            const TreeStem *stem = g->stems + i;
            int count = sn__plant_share(&shares, leafiness(g->species, depth, stem));
            double turn = 2.0 * TREE_PI * sn__plant_random(g);
            for (int k = 0; k < count; ++k) {
                double t = begin + (1.0 - begin) * (k + 1) / count;
                int step = (int)ceil(t * stem->segments);
                step = step < 1 ? 1 : step > stem->segments ? stem->segments : step;
                grow_leaf(g, edge++, stem->edge + step, turn + k * TREE_GOLDEN_ANGLE);
            }
        }
    }
}

static double foot_factor(int vertex, int trunk) {
    double t = 1.0 - (double)vertex / (FOOT * trunk);
    return t > 0.0 ? 1.0 + FOOT_FLARE * t * t : 1.0;
}

// Da Vinci's rule, or the pipe model: what flows to all leaves above a cut flows through it, and the
// radius goes with a power of that, near the square root, that makes twigs and trunk what they are.
void sn__plant_radii(TreeGrowth *g, double *flow) {
    const TreeSpecies *species = g->species;
    SnTreeModel *model = g->model;
    int wood = model->edge_count - g->leaf_count;
    for (int i = model->edge_count - 1; i >= 0; --i) {
        flow[i + 1] += model->leaf[i] ? 1.0 : WOOD_FLOW;
        flow[model->edges[2 * i]] += flow[i + 1];
    }
    // What is twice as high has to be more than twice as thick, to bend as little by its own weight.
    double trunk = species->radius * pow(g->height / species->height, 1.25);
    double tip = fmin(species->tip_radius, 0.1 * trunk), pipe = fmin(species->pipe_radius, tip);
    double power = log(trunk / pipe) / log(flow[0]);
    float stalk = (float)fmin(species->stalk_radius, 0.75 * tip);
    for (int i = 0; i <= wood; ++i) {
        double radius = fmax(tip, pipe * pow(flow[i], power));
        // Of a stem that forks off, the first edge is as thick at its base as behind it.
        if (i > 0)
            model->base_radii[i - 1] = (float)radius;
        if (i <= g->level_segments[0])
            radius *= foot_factor(i, g->level_segments[0]);
        model->radii[i] = (float)radius;
    }
    for (int i = 0; i < wood; ++i)
        if (model->edges[2 * i] == i)
            model->base_radii[i] = model->radii[i];
    for (int i = wood; i < model->edge_count; ++i)
        model->radii[i + 1] = model->base_radii[i] = stalk;
}
