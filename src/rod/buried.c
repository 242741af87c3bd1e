// Which segments of a bundle lie so deep in it that nothing can touch them but what goes through others.
//
// A vertex is buried if all of the rim of its disc, across its rod, is inside other discs of its section,
// as they are at rest: sections keep their proportions. A segment is if both its ends are. What is
// outside touches for them, which makes a third of the pairs of a muscle of 8 fibres needless and more
// of larger ones.
#include <math.h>

#include "rod/sections.h"

#define RIM 24 // points on a rim

typedef struct Disc {
    Vec3d centre, along;
    double radius;
} Disc;

static Disc disc_of(const RodPack *pack, int vertex, int lane) {
    const RodBundle *b = pack->bundle + vertex;
    return (Disc){{(double)b->x[lane], (double)b->y[lane], (double)b->z[lane]},
                  {(double)b->along_x[lane], (double)b->along_y[lane], (double)b->along_z[lane]},
                  (double)pack->rest[vertex].radius[lane]};
}

// Inside the cylinder along the other one's rod: rods go on to both sides of a section.
static bool is_inside(const Disc *disc, Vec3d point) {
    Vec3d off = subd(point, disc->centre);
    off = subd(off, scaled(disc->along, dotd(disc->along, off)));
    return lengthd(off) < disc->radius;
}

static bool is_covered(const RodPack *pack, int section, int vertex, int lane, Vec3d point) {
    const RodGraph *graph = pack->graph;
    for (int e = graph->section_begin[section]; e < graph->section_begin[section + 1]; ++e) {
        int other = graph->section_vertex[e];
        Disc disc = disc_of(pack, other, lane);
        if (other != vertex && is_inside(&disc, point))
            return true;
    }
    return false;
}

static bool is_buried(const RodPack *pack, int section, int vertex, int lane) {
    Disc disc = disc_of(pack, vertex, lane);
    Quatd turn = rotation_between((Vec3d){0.0, 0.0, 1.0}, disc.along);
    for (int k = 0; k < RIM; ++k) {
        double angle = 2.0 * 3.14159265358979323846 * k / RIM;
        Vec3d out = rotated(turn, (Vec3d){cos(angle), sin(angle), 0.0});
        if (!is_covered(pack, section, vertex, lane, addd(disc.centre, scaled(out, disc.radius))))
            return false;
    }
    return true;
}

void sn__sections_bury(RodPack *pack, int lane) {
    const RodGraph *graph = pack->graph;
    if (pack->bundle == NULL)
        return;
    for (int j = 0; j < graph->segments; ++j)
        pack->buried[j][lane] = 2; // ends that are still to be found buried
    for (int k = 0; k < graph->sections; ++k)
        for (int e = graph->section_begin[k]; e < graph->section_begin[k + 1]; ++e) {
            int v = graph->section_vertex[e];
            bool buried = is_buried(pack, k, v, lane);
            for (int i = graph->incident_begin[v]; buried && i < graph->incident_begin[v + 1]; ++i)
                pack->buried[graph->incident[i]][lane] -= 1;
        }
    for (int j = 0; j < graph->segments; ++j)
        pack->buried[j][lane] = pack->buried[j][lane] == 0;
}
