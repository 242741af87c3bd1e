#include "implicit/grid.h"

// How much farther than the reach of the field the grid goes: vertices come back from there.
#define MARGIN 1.25

bool sn__field_grid_create(const SnAllocator *allocator, Vec3d low, Vec3d high, double reach,
                           FieldGrid *out) {
    double grow = MARGIN * reach;
    *out = (FieldGrid){.allocator = *allocator, .reach = reach};
    out->low = subd(low, (Vec3d){grow, grow, grow});
    Vec3d extent = addd(subd(high, low), (Vec3d){2.0 * grow, 2.0 * grow, 2.0 * grow});
    out->cell = fmax(extent.x, fmax(extent.y, extent.z)) / (FIELD_GRID_POINTS - 1);
    const double sides[3] = {extent.x, extent.y, extent.z};
    for (int c = 0; c < 3; ++c)
        out->size[c] = (int)ceil(sides[c] / out->cell - 1e-9) + 1;
    out->samples = sn__alloc_array(allocator, sn__field_grid_points(out), sizeof *out->samples);
    return out->samples != NULL;
}

void sn__field_grid_sample(FieldGrid *grid, const Hrbf *hrbf, int layer) {
    size_t per_layer = (size_t)grid->size[0] * (size_t)grid->size[1];
    float(*sample)[4] = grid->samples + (size_t)layer * per_layer;
    for (int j = 0; j < grid->size[1]; ++j)
        for (int i = 0; i < grid->size[0]; ++i, ++sample) {
            Vec3d x = addd(grid->low, scaled((Vec3d){i, j, layer}, grid->cell)), gradient;
            (*sample)[3] = (float)sn__hrbf_bounded(hrbf, x, &gradient);
            (*sample)[0] = (float)gradient.x;
            (*sample)[1] = (float)gradient.y;
            (*sample)[2] = (float)gradient.z;
        }
}

void sn__field_grid_destroy(FieldGrid *grid) {
    sn__free(&grid->allocator, grid->samples, sn__field_grid_points(grid) * sizeof *grid->samples);
    *grid = (FieldGrid){.allocator = grid->allocator};
}
