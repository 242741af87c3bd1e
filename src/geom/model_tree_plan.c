#include "geom/model_tree.h"

// Numbers of a larger or smaller tree. Branches and leaves keep their shares of the segments. The
// trunk grows longer only, with the cube root, since it is one and fills a line, not a volume.
void sn__plant_plan(TreeGrowth *growth, int segments) {
    const TreeSpecies *species = growth->species;
    double size = (double)segments / (double)species->segments;
    int left = segments;
    growth->level_begin[0] = 0;
    for (int i = 0; i < TREE_LEVELS; ++i) {
        const TreeLevel *level = species->levels + i;
        double wished = level->segments * (i == 0 ? cbrt(size) : size);
        int count = (int)fmax(i == 0 ? 3.0 : 1.0, floor(wished + 0.5));
        int stems = (int)floor(level->stems * pow(size, level->crowding) + 0.5);
        stems = stems < 1 ? 1 : stems > count ? count : stems;
        growth->level_segments[i] = count;
        growth->level_begin[i + 1] = growth->level_begin[i] + stems;
        left -= count;
    }
    // Every species is so leafy that even the smallest tree has some left.
    growth->leaf_count = left;
}
