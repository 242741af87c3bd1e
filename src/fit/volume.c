#include "fit/pills.h"

#define BLOCK 8 // cubes along the side of a block
#define BLOCK_CUBES (BLOCK * BLOCK * BLOCK)
// Of the box around all pills; and with each pill those that it comes near to. What is very long or very flat would
// take minutes with cubes of the size that its inside has.
#define MOST_BLOCKS 1000000.0
#define MOST_VISITS 50000

// Distances to the union at the middles of cubes. Only blocks of cubes that pills come near to have
// any.
typedef struct Grid {
    Vec3d low;
    double side;
    int size[3];  // in blocks
    int *numbers; // per block: its place plus one; 0: nothing near
    int block_count, visits;
    float (*distances)[BLOCK_CUBES];
} Grid;

typedef struct Range {
    int low[3], high[3];
} Range;

static Range blocks_of(const Grid *grid, const Pill *p, double reach) {
    double a[3] = {p->a.x, p->a.y, p->a.z}, b[3] = {p->b.x, p->b.y, p->b.z};
    double low[3] = {grid->low.x, grid->low.y, grid->low.z}, unit = grid->side * BLOCK;
    double ra = p->radius_a + reach, rb = p->radius_b + reach;
    Range range;
    for (int c = 0; c < 3; ++c) {
        double from = (fmin(a[c] - ra, b[c] - rb) - low[c]) / unit;
        double to = (fmax(a[c] + ra, b[c] + rb) - low[c]) / unit;
        range.low[c] = (int)fmax(0.0, floor(from));
        range.high[c] = (int)fmin(grid->size[c] - 1.0, floor(to));
    }
    return range;
}

static Vec3d block_corner(const Grid *grid, int x, int y, int z) {
    return addd(grid->low, scaled((Vec3d){x, y, z}, BLOCK * grid->side));
}

// What to do with a block that a pill comes near to.
typedef void BlockWork(Grid *grid, size_t block, Vec3d corner, const Pill *pill);

static void visit_blocks(Grid *grid, const Pill *pill, double reach, BlockWork *work) {
    Range range = blocks_of(grid, pill, reach);
    double half = 0.5 * BLOCK * grid->side, diagonal = half * 1.7320508075688772;
    for (int z = range.low[2]; z <= range.high[2]; ++z)
        for (int y = range.low[1]; y <= range.high[1]; ++y)
            for (int x = range.low[0]; x <= range.high[0]; ++x) {
                Vec3d corner = block_corner(grid, x, y, z);
                Vec3d middle = addd(corner, (Vec3d){half, half, half});
                size_t row = (size_t)z * (size_t)grid->size[1] + (size_t)y;
                if (sn__pill_distance(pill, middle, NULL) <= reach + diagonal)
                    work(grid, row * (size_t)grid->size[0] + (size_t)x, corner, pill);
            }
}

static void number_block(Grid *grid, size_t block, Vec3d corner, const Pill *pill) {
    (void)corner;
    (void)pill;
    ++grid->visits;
    if (grid->numbers[block] == 0)
        grid->numbers[block] = ++grid->block_count;
}

static void fill_block(Grid *grid, size_t block, Vec3d corner, const Pill *pill) {
    float *distances = grid->distances[grid->numbers[block] - 1];
    for (int i = 0; i < BLOCK_CUBES; ++i) {
        // Deep inside of one pill, others change nothing.
        if ((double)distances[i] < -2.0 * grid->side - 0.5 * pill->radius_a)
            continue;
        Vec3d at = {i % BLOCK + 0.5, i / BLOCK % BLOCK + 0.5, i / (BLOCK * BLOCK) + 0.5};
        Vec3d x = addd(corner, scaled(at, grid->side));
        float distance = (float)sn__pill_distance(pill, x, NULL);
        if (distance < distances[i])
            distances[i] = distance;
    }
}

static void choose_size(const FitPills *pills, double side, double reach, Grid *grid) {
    Vec3d low = pills->points[0], high = low;
    for (int i = 0; i < pills->node_count; ++i) {
        Vec3d x = pills->points[i];
        double r = pills->radii[i] + reach;
        low = (Vec3d){fmin(low.x, x.x - r), fmin(low.y, x.y - r), fmin(low.z, x.z - r)};
        high = (Vec3d){fmax(high.x, x.x + r), fmax(high.y, x.y + r), fmax(high.z, x.z + r)};
    }
    Vec3d size = subd(high, low);
    double unit = side * BLOCK, blocks = size.x * size.y * size.z / (unit * unit * unit);
    if (blocks > MOST_BLOCKS)
        unit *= cbrt(blocks / MOST_BLOCKS);
    grid->low = low;
    grid->side = unit / BLOCK;
    grid->size[0] = (int)(size.x / unit) + 1;
    grid->size[1] = (int)(size.y / unit) + 1;
    grid->size[2] = (int)(size.z / unit) + 1;
}

static bool number_blocks(FitMemory *memory, const FitPills *pills, double side, double reach,
                          Grid *grid) {
    *grid = (Grid){0};
    choose_size(pills, side, reach, grid);
    size_t blocks = (size_t)grid->size[0] * (size_t)grid->size[1] * (size_t)grid->size[2];
    grid->numbers = sn__fit_alloc(memory, blocks, sizeof *grid->numbers);
    for (int i = 0; i < pills->edge_count && grid->numbers; ++i) {
        Pill pill = sn__fit_pill(pills, i);
        visit_blocks(grid, &pill, reach, number_block);
    }
    return grid->numbers != NULL;
}

static bool make_grid(FitMemory *memory, const FitPills *pills, double side, double reach,
                      Grid *grid) {
    FitBlock *mark = memory->last;
    if (!number_blocks(memory, pills, side, reach, grid))
        return false;
    while (grid->visits > MOST_VISITS) {
        double coarser = 1.1 * cbrt((double)grid->visits / MOST_VISITS) * grid->side;
        sn__fit_release(memory, mark);
        if (!number_blocks(memory, pills, coarser, reach, grid))
            return false;
    }
    grid->distances = sn__fit_alloc(memory, (size_t)grid->block_count, sizeof *grid->distances);
    if (grid->distances == NULL)
        return false;
    for (int i = 0; i < grid->block_count; ++i)
        for (int k = 0; k < BLOCK_CUBES; ++k)
            grid->distances[i][k] = HUGE_VALF;
    for (int i = 0; i < pills->edge_count; ++i) {
        Pill pill = sn__fit_pill(pills, i);
        visit_blocks(grid, &pill, reach, fill_block);
    }
    return true;
}

// A cube counts by the part of it that lies behind a plane through the nearest surface. All distances to
// a pill fall by what its two radii grow, so one grid serves every growth.
static double volume_with(const Grid *grid, double growth) {
    double sum = 0.0, unit = 1.0 / grid->side, shift = 0.5 + growth * unit;
    for (int i = 0; i < grid->block_count; ++i)
        for (int k = 0; k < BLOCK_CUBES; ++k) {
            double part = shift - (double)grid->distances[i][k] * unit;
            sum += fmin(1.0, fmax(0.0, part));
        }
    return sum * grid->side * grid->side * grid->side;
}

bool sn__fit_volume(FitMemory *memory, const FitPills *pills, double side, double wanted,
                    double *out_growth, double *out_volume) {
    FitBlock *mark = memory->last;
    double mean = 0.0;
    for (int i = 0; i < pills->node_count; ++i)
        mean += pills->radii[i] / pills->node_count;
    double reach = 0.3 * mean + side;
    Grid grid;
    if (!make_grid(memory, pills, side, reach, &grid)) {
        sn__fit_release(memory, mark);
        return false;
    }
    *out_volume = volume_with(&grid, 0.0);
    double low = -0.3 * mean, high = 0.3 * mean;
    for (int i = 0; i < 14; ++i) {
        double middle = 0.5 * (low + high);
        *(volume_with(&grid, middle) < wanted ? &low : &high) = middle;
    }
    *out_growth = 0.5 * (low + high);
    sn__fit_release(memory, mark);
    return true;
}

bool sn__fit_match_volume(FitMemory *memory, FitPills *pills, double side, double wanted,
                          double *out_volume) {
    for (int i = 0;; ++i) {
        double growth;
        if (!sn__fit_volume(memory, pills, side, wanted, &growth, out_volume))
            return false;
        if (fabs(*out_volume / wanted - 1.0) < 1e-3 || i == 4)
            return true;
        for (int k = 0; k < pills->node_count; ++k)
            pills->radii[k] = fmax(pills->radii[k] + growth, 0.33 * pills->radii[k]);
        sn__fit_enclose(pills);
    }
}
