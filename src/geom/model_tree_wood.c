#include "geom/model_tree.h"

static const Vec3d up = {0.0, 1.0, 0.0};

Vec3d sn__plant_turned(Vec3d along, double angle, double azimuth) {
    Vec3d other = fabs(along.y) < 0.9 ? up : (Vec3d){1.0, 0.0, 0.0};
    Vec3d a = sn__plant_direction(crossd(along, other), (Vec3d){0.0, 0.0, 1.0});
    Vec3d b = crossd(along, a);
    Vec3d side = addd(scaled(a, cos(azimuth)), scaled(b, sin(azimuth)));
    return addd(scaled(along, cos(angle)), scaled(side, sin(angle)));
}

static double radians(double degrees) { return degrees * (TREE_PI / 180.0); }

static double mixed(double a, double b, double t) { return a + (b - a) * t; }

// The outline of the crown, piecewise linear from the lowest limb to the highest.
static double profile_at(const TreeSpecies *species, double t) {
    double x = t * (TREE_PROFILE - 1);
    int i = x < TREE_PROFILE - 2 ? (int)x : TREE_PROFILE - 2;
    return mixed(species->profile[i], species->profile[i + 1], x - i);
}

static Vec3d edge_direction(const SnTreeModel *model, int edge) {
    Vec3d from = vec3d(model->positions[model->edges[2 * edge]]);
    return sn__plant_direction(subd(vec3d(model->positions[edge + 1]), from), up);
}

// A stem's own vertices are those behind its edges.
static int stem_vertex(const TreeStem *stem, double t) {
    int i = (int)floor(t * stem->segments + 0.5);
    i = i < 1 ? 1 : i > stem->segments ? stem->segments : i;
    return stem->edge + i;
}

// Child `k` of `count` on a stem: where it sprouts, in which direction, how long it becomes.
static TreeStem sprout(TreeGrowth *g, int depth, const TreeStem *parent, int k, int count,
                       double turn) {
    const TreeLevel *level = g->species->levels + depth;
    int group = depth == 1 ? g->species->whorl : 1, groups = (count + group - 1) / group;
    double t = (k / group + 0.5) / groups;
    if (group == 1)
        t += 0.4 * sn__plant_jitter(g) / groups;
    TreeStem stem = {.parent = stem_vertex(parent, mixed(level->begin, level->end, t))};
    Vec3d along = edge_direction(g->model, stem.parent - 1);
    double azimuth = turn + (k / group) * TREE_GOLDEN_ANGLE + k % group * (2.0 * TREE_PI / group);
    azimuth += 0.3 * sn__plant_jitter(g);
    // a of sn__plant_turned is level: the left and right of what is not upright itself.
    if (sn__plant_random(g) < level->flat)
        azimuth = (k % 2 ? TREE_PI : 0.0) + 0.45 * sn__plant_jitter(g);
    double angle =
        mixed(level->angle_low, level->angle_high, t) * (1.0 + 0.12 * sn__plant_jitter(g));
    stem.direction = sn__plant_turned(along, radians(angle), azimuth);
    stem.length = depth == 1 ? g->height * profile_at(g->species, t)
                             : parent->length * (1.0 - level->shortening * t) * g->fineness;
    stem.length *= level->length * (1.0 + 0.2 * sn__plant_jitter(g));
    return stem;
}

// Twigs that hang down end above the ground, not all at the same height.
static double hanging_length(TreeGrowth *g, const TreeLevel *level, const TreeStem *stem) {
    if (level->rise + level->droop > -10.0)
        return stem->length;
    double ground = g->height * g->species->clearance * (0.5 + 2.0 * sn__plant_random(g));
    double room = (double)g->model->positions[stem->parent].y - ground;
    return fmin(stem->length, fmax(room, 0.05 * stem->length));
}

static void grow_stem(TreeGrowth *g, const TreeLevel *level, const TreeStem *stem) {
    double step = 1.0 / stem->segments, floor_height = 0.5 * g->species->clearance * g->height;
    Vec3d at = vec3d(g->model->positions[stem->parent]), direction = stem->direction;
    int vertex = stem->parent;
    for (int i = 0; i < stem->segments; ++i) {
        double t = (i + 0.5) * step, wander = level->wiggle * sqrt(step);
        Vec3d wish = {wander * sn__plant_jitter(g), wander * sn__plant_jitter(g),
                      wander * sn__plant_jitter(g)};
        // Stems of few segments must not be broken ones.
        wish.y += fmax(-0.8, fmin(0.8, mixed(level->rise, level->droop, t) * step));
        if (i > 0)
            direction = sn__plant_direction(addd(direction, wish), direction);
        double length = stem->length * step;
        if (at.y + direction.y * length < floor_height && direction.y < 0.0)
            direction =
                sn__plant_direction((Vec3d){direction.x, 0.0, direction.z}, (Vec3d){1.0, 0.0, 0.0});
        at = addd(at, scaled(direction, length));
        int edge = stem->edge + i;
        g->model->edges[2 * edge] = vertex;
        g->model->edges[2 * edge + 1] = vertex = edge + 1;
        g->model->positions[vertex] = sn_vec3((float)at.x, (float)at.y, (float)at.z);
    }
}

// All stems of a level: as many on each parent as its length deserves, each with as many segments as
// its own length does, and at least one.
static void grow_level(TreeGrowth *g, int depth, int edge) {
    const TreeLevel *level = g->species->levels + depth;
    int begin = g->level_begin[depth], end = g->level_begin[depth + 1];
    TreeShares children = {.whole = end - begin};
    for (int i = g->level_begin[depth - 1]; i < begin; ++i)
        children.weight += g->stems[i].length;
    TreeShares segments = {.whole = g->level_segments[depth] - (end - begin)};
    int next = begin;
    for (int i = g->level_begin[depth - 1]; i < begin; ++i) {
        int count = sn__plant_share(&children, g->stems[i].length);
        double turn = 2.0 * TREE_PI * sn__plant_random(g);
        for (int k = 0; k < count; ++k) {
            TreeStem stem = sprout(g, depth, g->stems + i, k, count, turn);
            stem.length = hanging_length(g, level, &stem);
            segments.weight += stem.length;
            g->stems[next++] = stem;
        }
    }
    for (int i = begin; i < end; ++i) {
        TreeStem *stem = g->stems + i;
        stem->edge = edge;
        stem->segments = 1 + sn__plant_share(&segments, stem->length);
        edge += stem->segments;
        grow_stem(g, level, stem);
    }
}

// Growth has its own mind about the height.
static void fit_height(TreeGrowth *g, int wood) {
    double top = 0.0;
    for (int i = 1; i <= wood; ++i)
        top = fmax(top, (double)g->model->positions[i].y);
    float scale = (float)(g->height / top);
    for (int i = 1; i <= wood; ++i) {
        SnVec3 *x = g->model->positions + i;
        *x = sn_vec3(scale * x->x, scale * x->y, scale * x->z);
    }
    for (int i = 0; i < g->level_begin[TREE_LEVELS]; ++i)
        g->stems[i].length *= (double)scale;
}

static void find_frames(SnTreeModel *model, int wood) {
    for (int i = 0; i < wood; ++i) {
        int near = model->edges[2 * i];
        Vec3d before = near > 0 ? edge_direction(model, near - 1) : (Vec3d){0.0, 0.0, 1.0};
        Quatd frame = near > 0 ? quatd(model->frames[near - 1]) : (Quatd){0.0, 0.0, 0.0, 1.0};
        Quatd turn = rotation_between(before, edge_direction(model, i));
        model->frames[i] = quatf(normalisedq(mulqd(turn, frame)));
    }
}

void sn__plant_grow_wood(TreeGrowth *g) {
    const TreeLevel *trunk = g->species->levels;
    g->stems[0] = (TreeStem){
        .segments = g->level_segments[0], .length = g->height * trunk->length, .direction = up};
    grow_stem(g, trunk, g->stems);
    int wood = g->level_segments[0];
    for (int i = 1; i < TREE_LEVELS; ++i) {
        grow_level(g, i, wood);
        wood += g->level_segments[i];
    }
    fit_height(g, wood);
    find_frames(g->model, wood);
}
