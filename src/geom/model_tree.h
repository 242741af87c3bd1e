// What the parts of the procedural trees share: the tables of the species, and a tree in the making.
//
// A tree is made of stems: the trunk is the stem of level 0, limbs are those of level 1 and so on.
// It grows level by level, then gets its leaves, and at last, from the leaves down, its radii.
#pragma once

#include "math/vec.h"
#include "sinew/tree_model.h"

#define TREE_LEVELS 4
#define TREE_PROFILE 5
#define TREE_PI 3.14159265358979323846
// Between neighbours around a stem: a turn divided by the golden ratio, twice.
#define TREE_GOLDEN_ANGLE 2.39996322972865332

// How the stems of one level grow. Lengths are relative, angles in degrees.
typedef struct TreeLevel {
    int stems, segments; // in all, in the reference tree
    double crowding;     // the number of stems goes with this power of the number of segments
    double begin, end;   // where on their parents they are, 0 to 1
    double length;       // of the tree's height for trunk and limbs, else of the parent's length
    double shortening;   // how much less that is at the parent's tip
    double angle_low, angle_high; // away from the parent's direction, at begin and end
    double flat;                  // 0: all around the parent, 1: to its left and right
    double rise, droop; // how much they turn up, at their base and at their tip; negative: down
    double wiggle;
    double leaf_begin, leaf_density; // leaves are from here to the tip, so many per length
} TreeLevel;

typedef struct TreeSpecies {
    const char *name;
    int segments;          // of the reference tree
    double height, radius; // m, of the reference tree: all of it, and of the trunk's foot
    TreeLevel levels[TREE_LEVELS];
    double profile[TREE_PROFILE]; // length of limbs from the lowest to the highest
    int whorl;                    // limbs that sprout from one place of the trunk
    double clearance;             // between the ground and the lowest twigs, of the height
    double leaf_length, leaf_width, leaf_angle, leaf_droop; // m, m, degrees, relative
    double pipe_radius; // m, of what feeds one leaf, if a trunk of so many pipes is its right size
    double tip_radius, stalk_radius; // m, the least of twigs, and of leaves
} TreeSpecies;

// NULL if there is no such kind.
const TreeSpecies *sn__plant_species(SnTreeKind kind);

typedef struct TreeStem {
    int parent;   // the vertex it grows from
    int edge;     // its first one; the others follow
    int segments; // so many
    double length;
    Vec3d direction;
} TreeStem;

typedef struct TreeGrowth {
    const TreeSpecies *species;
    double height;
    double fineness; // how much shorter branches are, compared to their parents, than in the tables
    uint64_t random;
    // Stems of all levels, one level after the other; level i from level_begin[i].
    TreeStem *stems;
    int level_begin[TREE_LEVELS + 1];
    int level_segments[TREE_LEVELS];
    int leaf_count;
    SnTreeModel *model;
} TreeGrowth;

// How many stems, segments and leaves there are. `growth` knows its species.
void sn__plant_plan(TreeGrowth *growth, int segments);
// Positions and frames of the wood; the stems have room for all of them.
void sn__plant_grow_wood(TreeGrowth *growth);
void sn__plant_grow_leaves(TreeGrowth *growth);
// `flow` has room for one number per vertex.
void sn__plant_radii(TreeGrowth *growth, double *flow);

// splitmix64, in [0, 1).
static inline double sn__plant_random(TreeGrowth *growth) {
    uint64_t z = (growth->random += 0x9E3779B97F4A7C15u);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

// In [−1, 1).
static inline double sn__plant_jitter(TreeGrowth *growth) {
    return 2.0 * sn__plant_random(growth) - 1.0;
}

// Shares of a whole number in proportion to weights: share i is what the running sum rounds to, so
// that all shares together are the whole.
typedef struct TreeShares {
    double weight, sum; // of all, and so far
    int whole, given;
} TreeShares;

static inline int sn__plant_share(TreeShares *shares, double weight) {
    shares->sum += weight;
    double part = shares->weight > 0.0 ? shares->sum / shares->weight : 1.0;
    int until = (int)floor((double)shares->whole * fmin(part, 1.0) + 0.5);
    int share = until - shares->given;
    shares->given = until;
    return share;
}

// Whether the stem of the edge before goes on along this one: not where it would be folded.
static inline bool sn__plant_continues(const SnTreeModel *model, int edge) {
    return !model->leaf[edge] && model->edges[2 * edge] == edge &&
           dotd(axis_z(quatd(model->frames[edge - 1])), axis_z(quatd(model->frames[edge]))) > 0.5;
}

static inline Vec3d sn__plant_direction(Vec3d v, Vec3d otherwise) {
    double length = lengthd(v);
    return length > 1e-9 ? scaled(v, 1.0 / length) : otherwise;
}

// Away from `along` by `angle`, on the side that `azimuth` says.
Vec3d sn__plant_turned(Vec3d along, double angle, double azimuth);
