// The field of every part: centres among its points, spread evenly, and one beyond each joint that it
// ends at, so that the field closes there as a hemisphere around the joint.
#include "implicit/implicit.h"

#include <string.h>

#include "math/principal.h"

#define OWN_WEIGHT 0.6f  // of a point that may be a centre
#define FEW_POINTS 12    // if there are no more of those, all points may
#define CAP_POINTS 0.8   // of the reach of an end, beyond which points tell its radius
#define CAP_BEYOND 1.5   // of the end's points, a cap lies at most, over that radius
#define CAP_APART 0.7    // from all centres, over that radius
#define LEAST_REACH 0.02 // over the longest side of the part

// What the fit of one part needs, of all parts one after the other.
typedef struct Fit {
    SnImplicit *skin;
    const int *part; // of the points
    Vec3d *normals;  // of the points
    int *own;        // points of the part at hand
    int own_count;
    double *spacing; // of these, to the nearest centre
    Vec3d centres[HRBF_MOST_CENTRES], directions[HRBF_MOST_CENTRES];
    int count;
    Hrbf *hrbfs; // of all parts
} Fit;

static Vec3d place(const Fit *fit, int point) {
    return vec3d(fit->skin->rest[fit->skin->surface.vertex[point]]);
}

// Numbers the shells of the mesh. `own` serves as the list of points to be looked at.
static void find_shells(Fit *fit) {
    const SkinSurface *s = &fit->skin->surface;
    int shells = 0;
    for (int seed = 0; seed < s->point_count; ++seed) {
        int waiting = 0;
        if (fit->skin->shells[seed] == 0) {
            fit->skin->shells[seed] = ++shells;
            fit->own[waiting++] = seed;
        }
        while (waiting > 0) {
            int point = fit->own[--waiting];
            for (int k = s->begin[point]; k < s->begin[point + 1]; ++k)
                if (fit->skin->shells[s->neighbours[k]] == 0) {
                    fit->skin->shells[s->neighbours[k]] = shells;
                    fit->own[waiting++] = s->neighbours[k];
                }
        }
    }
}

// The shell that has most points of the part: others lie in it or on it.
static int main_shell(const Fit *fit, int part, int *counts) {
    int best = 0, points = fit->skin->surface.point_count;
    memset(counts, 0, (size_t)(points + 1) * sizeof *counts);
    for (int i = 0; i < points; ++i)
        if (fit->part[i] == part)
            ++counts[fit->skin->shells[i]];
    for (int s = 0; s <= points; ++s)
        best = counts[s] > counts[best] ? s : best;
    return best;
}

static float own_weight(const Fit *fit, int part, int point) {
    BoundPoint p = sn__implicit_point(fit->skin, point);
    float sum = 0.0f;
    for (int k = 0; k < SN_MESH_JOINTS; ++k)
        sum += p.joints[k] == fit->skin->parts[part].joint ? p.weights[k] : 0.0f;
    return sum;
}

static void list_points(Fit *fit, int part, int shell) {
    int strong = 0;
    fit->own_count = 0;
    for (int i = 0; i < fit->skin->surface.point_count; ++i) {
        if (fit->part[i] != part || fit->skin->shells[i] != shell)
            continue;
        int at = fit->own_count++;
        fit->own[at] = i;
        if (own_weight(fit, part, i) >= OWN_WEIGHT) {
            fit->own[at] = fit->own[strong];
            fit->own[strong++] = i;
        }
    }
    if (strong > FEW_POINTS)
        fit->own_count = strong;
}

static Vec3d middle_of(const Fit *fit) {
    Vec3d sum = {0.0, 0.0, 0.0};
    for (int i = 0; i < fit->own_count; ++i)
        sum = addd(sum, place(fit, fit->own[i]));
    return scaled(sum, 1.0 / fit->own_count);
}

// The mean distance of the points from the longest axis through their middle.
static double radius_of(const Fit *fit, Vec3d middle) {
    double m[3][3] = {{0.0}}, values[3], sum = 0.0;
    for (int i = 0; i < fit->own_count; ++i) {
        Vec3d r = subd(place(fit, fit->own[i]), middle);
        const double e[3] = {r.x, r.y, r.z};
        for (int a = 0; a < 9; ++a)
            m[a / 3][a % 3] += e[a / 3] * e[a % 3];
    }
    Quatd axes;
    sn__principal_axes(m, values, &axes);
    int longest = values[0] > values[1] ? 0 : 1;
    longest = values[2] > values[longest] ? 2 : longest;
    Vec3d axis = rotated(axes, (Vec3d){longest == 0, longest == 1, longest == 2});
    for (int i = 0; i < fit->own_count; ++i) {
        Vec3d r = subd(place(fit, fit->own[i]), middle);
        sum += lengthd(crossd(axis, r));
    }
    return sum / fit->own_count;
}

// Each next centre is the point that is farthest from all before: no two are near each other, and no
// point is far from all of them, as with Poisson disks of the largest radius.
static void choose_centres(Fit *fit, Vec3d middle, int most) {
    for (int i = 0; i < fit->own_count; ++i)
        fit->spacing[i] = 1e300;
    Vec3d last = middle;
    for (fit->count = 0; fit->count < most && fit->count < fit->own_count; ++fit->count) {
        int best = 0;
        for (int i = 0; i < fit->own_count; ++i) {
            double apart = lengthd(subd(place(fit, fit->own[i]), last));
            if (fit->count != 1)
                fit->spacing[i] = fmin(fit->spacing[i], apart);
            else
                fit->spacing[i] = apart; // the middle is no centre
            best = fit->spacing[i] > fit->spacing[best] ? i : best;
        }
        if (!(fit->spacing[best] > 1e-6 * fit->skin->height))
            break;
        last = place(fit, fit->own[best]);
        fit->centres[fit->count] = last;
        fit->directions[fit->count] = fit->normals[fit->own[best]];
    }
}

// The end of a part towards a joint: how far its points reach from the middle along a unit vector, and
// the mean distance of the outermost ones from that axis.
typedef struct End {
    double reach, radius;
} End;

static End find_end(const Fit *fit, Vec3d middle, Vec3d out) {
    End end = {0.0, 0.0};
    int count = 0;
    for (int i = 0; i < fit->own_count; ++i)
        end.reach = fmax(end.reach, dotd(subd(place(fit, fit->own[i]), middle), out));
    for (int i = 0; i < fit->own_count; ++i) {
        Vec3d r = subd(place(fit, fit->own[i]), middle);
        if (dotd(r, out) > CAP_POINTS * end.reach) {
            end.radius += lengthd(crossd(r, out));
            ++count;
        }
    }
    end.radius /= count > 0 ? count : 1;
    return end;
}

// A hemisphere around the joint, unless the points end long before it.
static void add_cap(Fit *fit, Vec3d middle, const BoundJoint *joint) {
    Map back = map_inverse(&joint->bind);
    Vec3d origin = back.column[3], out = subd(origin, middle);
    double length = lengthd(out);
    if (fit->count == HRBF_MOST_CENTRES || !(length > 1e-6 * fit->skin->height))
        return;
    out = scaled(out, 1.0 / length);
    End end = find_end(fit, middle, out);
    double far = fmin(length + end.radius, end.reach + CAP_BEYOND * end.radius);
    Vec3d cap = addd(middle, scaled(out, far));
    for (int i = 0; i < fit->count; ++i)
        if (lengthd(subd(fit->centres[i], cap)) < CAP_APART * end.radius)
            return;
    fit->centres[fit->count] = cap;
    fit->directions[fit->count++] = out;
}

static bool fit_part(Fit *fit, int number) {
    SnImplicit *skin = fit->skin;
    Part *part = &skin->parts[number];
    Vec3d middle = part->middle = middle_of(fit);
    choose_centres(fit, middle, skin->centres);
    if (part->parent >= 0)
        add_cap(fit, middle, &skin->joints[part->joint]);
    for (int i = 0; i < skin->part_count; ++i)
        if (skin->parts[i].parent == number)
            add_cap(fit, middle, &skin->joints[skin->parts[i].joint]);
    if (fit->count < 4 || sn__hrbf_fit(&skin->allocator, fit->centres, fit->directions, fit->count,
                                       &fit->hrbfs[number])
                                  .code != SN_OK)
        return true; // a part that is no surface has no field
    Vec3d low = fit->centres[0], high = low;
    for (int i = 1; i < fit->count; ++i) {
        Vec3d c = fit->centres[i];
        low = (Vec3d){fmin(low.x, c.x), fmin(low.y, c.y), fmin(low.z, c.z)};
        high = (Vec3d){fmax(high.x, c.x), fmax(high.y, c.y), fmax(high.z, c.z)};
    }
    Vec3d side = subd(high, low);
    double longest = fmax(side.x, fmax(side.y, side.z));
    double reach = fmax(radius_of(fit, middle), LEAST_REACH * longest);
    return sn__field_grid_create(&skin->allocator, low, high, reach, &part->grid);
}

// Layers of all grids, one after the other.
static void sample_layers(int begin, int end, int worker, void *context) {
    Fit *fit = context;
    (void)worker;
    for (int i = begin; i < end; ++i) {
        int layer = i, part = 0;
        while (layer >= fit->skin->parts[part].grid.size[2])
            layer -= fit->skin->parts[part++].grid.size[2];
        sn__field_grid_sample(&fit->skin->parts[part].grid, &fit->hrbfs[part], layer);
    }
}

static bool fit_parts(Fit *fit, int *counts) {
    SnImplicit *skin = fit->skin;
    sn__skin_surface_normals(&skin->surface, skin->rest, skin->triangles, skin->triangle_count,
                             fit->normals);
    find_shells(fit);
    int layers = 0;
    for (int i = 0; i < skin->part_count; ++i) {
        list_points(fit, i, main_shell(fit, i, counts));
        if (!fit_part(fit, i))
            return false;
        layers += skin->parts[i].grid.size[2];
    }
    skin->tasks.parallel_for(layers, 1, sample_layers, fit, skin->tasks.context);
    return true;
}

SnResult sn__implicit_fit(SnImplicit *skin, const int *part) {
    const SnAllocator *a = &skin->allocator;
    size_t points = (size_t)skin->surface.point_count, parts = (size_t)skin->part_count;
    int *counts = sn__alloc_array(a, points + 1, sizeof *counts);
    Fit fit = {.skin = skin,
               .part = part,
               .own = sn__alloc_array(a, points, sizeof(int)),
               .normals = sn__alloc_array(a, points, sizeof(Vec3d)),
               .spacing = sn__alloc_array(a, points, sizeof(double)),
               .hrbfs = sn__alloc_array(a, parts, sizeof(Hrbf))};
    skin->shells = sn__alloc_array(a, points, sizeof(int));
    bool good = counts && skin->shells && fit.own && fit.normals && fit.spacing && fit.hrbfs &&
                fit_parts(&fit, counts);
    sn__free(a, counts, (points + 1) * sizeof *counts);
    sn__free(a, fit.own, points * sizeof(int));
    sn__free(a, fit.normals, points * sizeof(Vec3d));
    sn__free(a, fit.spacing, points * sizeof(double));
    sn__free(a, fit.hrbfs, parts * sizeof(Hrbf));
    return good ? sn_ok() : sn_error(SN_ERROR_MEMORY, "implicit: no memory for %zu parts", parts);
}
