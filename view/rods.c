#include "view/rods.h"

#include "view/pills.h"
#include "view/tubes.h"
#include "view/vec.h"

// Triangles of a picture; beyond it all rods get coarser together.
#define TRIANGLE_BUDGET 320000.0
#define FARTHEST 1.0e9f

static int vertex_count(const ViewRods *rods, int i) {
    return rods->vertex_begin[i + 1] - rods->vertex_begin[i];
}

static int segment_count(const ViewRods *rods, int i) {
    return rods->segment_begin[i + 1] - rods->segment_begin[i];
}

ViewSegment view_rod_segment(const ViewRods *rods, int i, int segment) {
    ViewSegment ends = {segment, (segment + 1) % vertex_count(rods, i)};
    if (rods->edges) {
        const int *edge = rods->edges + 2 * ((size_t)rods->segment_begin[i] + (size_t)segment);
        ends = (ViewSegment){edge[0], edge[1]};
    }
    return ends;
}

// Segments that follow each other from the first vertex on.
static bool is_chain(const ViewRods *rods, int i) {
    int vertices = vertex_count(rods, i), segments = segment_count(rods, i);
    for (int k = 0; rods->edges && k < segments; ++k) {
        ViewSegment ends = view_rod_segment(rods, i, k);
        if (ends.a != k || ends.b != (k + 1) % vertices)
            return false;
    }
    return vertices > 1 && (segments == vertices || segments == vertices - 1);
}

static bool has_good_edges(const ViewRods *rods, int i) {
    int vertices = vertex_count(rods, i);
    for (int k = 0; k < segment_count(rods, i); ++k) {
        ViewSegment ends = view_rod_segment(rods, i, k);
        if (ends.a < 0 || ends.a >= vertices || ends.b < 0 || ends.b >= vertices)
            return false;
    }
    return true;
}

static ViewTube tube_of(const ViewRods *rods, int i, const ViewLook *look) {
    size_t vertex = (size_t)rods->vertex_begin[i], segment = (size_t)rods->segment_begin[i];
    ViewTube tube = {
        .vertex_count = vertex_count(rods, i),
        .segment_count = segment_count(rods, i),
        .positions = rods->positions + 3 * vertex,
        .radii = rods->radii + vertex,
        .frames = rods->frames ? rods->frames + 4 * segment : NULL,
        .look = look,
    };
    tube.closed = tube.segment_count == tube.vertex_count;
    return tube;
}

bool view_rod_is_drawable(const ViewRods *rods, int i) {
    ViewTube tube = tube_of(rods, i, NULL);
    bool too_short = tube.vertex_count < (rods->edges ? 1 : 2) || tube.segment_count < 1;
    if (too_short || (rods->edges == NULL && tube.segment_count < tube.vertex_count - 1))
        return false;
    // Comparisons that NaN fails.
    for (int k = 0; k < 3 * tube.vertex_count; ++k)
        if (!(fabsf(tube.positions[k]) < FARTHEST))
            return false;
    for (int k = 0; k < tube.vertex_count; ++k)
        if (!(tube.radii[k] > 0.0f && tube.radii[k] < FARTHEST))
            return false;
    for (int k = 0; tube.frames && k < 4 * tube.segment_count; ++k)
        if (!(fabsf(tube.frames[k]) < 2.0f))
            return false;
    return has_good_edges(rods, i);
}

static bool is_hidden(const ViewRods *rods, int i) { return rods->hidden && rods->hidden[i]; }

int view_first_torn(const SnTornEnd *torn, int torn_count, int rod, int segment) {
    int low = 0, high = torn_count;
    while (low < high) {
        int middle = low + (high - low) / 2;
        const SnTornEnd *end = &torn[middle];
        if (end->body < rod || (end->body == rod && end->element < segment))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool is_whole(const ViewRods *rods, int i) {
    int k = view_first_torn(rods->torn, rods->torn_count, i, 0);
    return k == rods->torn_count || rods->torn[k].body != i;
}

static bool is_drawn_as_tube(const ViewRods *rods, int i) {
    return !rods->as_pills && is_chain(rods, i) && is_whole(rods, i);
}

static ViewPill pill_of(const ViewRods *rods, int i, int segment) {
    ViewSegment ends = view_rod_segment(rods, i, segment);
    size_t a = (size_t)(rods->vertex_begin[i] + ends.a);
    size_t b = (size_t)(rods->vertex_begin[i] + ends.b);
    ViewPill pill = {view_load(rods->positions + 3 * a), view_load(rods->positions + 3 * b),
                     rods->radii[a], rods->radii[b]};
    int k = view_first_torn(rods->torn, rods->torn_count, i, segment);
    for (; k < rods->torn_count; ++k) {
        const SnTornEnd *torn = &rods->torn[k];
        if (torn->body != i || torn->element != segment)
            break;
        *(torn->end == 0 ? &pill.a : &pill.b) = torn->position;
        *(torn->end == 0 ? &pill.radius_a : &pill.radius_b) = torn->radius;
    }
    return pill;
}

static bool is_ellipsoid(const ViewRods *rods, int i, int segment) {
    ViewSegment ends = view_rod_segment(rods, i, segment);
    size_t at = (size_t)rods->segment_begin[i] + (size_t)segment;
    return rods->shapes && rods->frames && ends.a == ends.b && rods->shapes[3 * at] > 0.0f;
}

static SnQuat load_quat(const float *q) { return (SnQuat){q[0], q[1], q[2], q[3]}; }

static double triangle_count(const ViewRods *rods, int i, ViewDetail detail) {
    if (is_drawn_as_tube(rods, i)) {
        ViewTube tube = tube_of(rods, i, NULL);
        ViewTubeDetail fine = view_tube_detail(&tube, detail);
        return 2.0 * fine.sides * (double)fine.rings;
    }
    double triangles = 0.0;
    for (int k = 0; k < segment_count(rods, i); ++k) {
        ViewPill pill = pill_of(rods, i, k);
        triangles += (double)view_pill_triangle_count(&pill, detail);
    }
    return triangles;
}

static float choose_coarseness(const ViewRods *rods, ViewDetail detail) {
    double triangles = 0.0;
    for (int i = 0; i < rods->count; ++i)
        if (!is_hidden(rods, i) && view_rod_is_drawable(rods, i))
            triangles += triangle_count(rods, i, detail);
    return (float)fmax(1.0, sqrt(triangles / TRIANGLE_BUDGET));
}

// What branches and is not round is a tube for every segment.
static bool is_flat(const ViewRods *rods, const ViewLook *look, int i) {
    return !rods->as_pills && rods->frames && look->section[0] > 0.0f && is_whole(rods, i);
}

static SnResult add_flat(ViewTriangles *triangles, const ViewPill *pill, const float *frame,
                         const ViewLook *look, ViewDetail detail) {
    const float positions[6] = {pill->a.x, pill->a.y, pill->a.z, pill->b.x, pill->b.y, pill->b.z};
    const float radii[2] = {pill->radius_a, pill->radius_b};
    ViewTube tube = {.vertex_count = 2,
                     .segment_count = 1,
                     .positions = positions,
                     .radii = radii,
                     .frames = frame,
                     .look = look};
    return view_tube_add(triangles, &tube, detail);
}

static SnResult add_rod(ViewTriangles *triangles, const ViewRods *rods, int i, ViewDetail detail) {
    ViewLook look = rods->looks ? rods->looks[i] : view_palette(i);
    ViewTube tube = tube_of(rods, i, &look);
    if (is_drawn_as_tube(rods, i))
        return view_tube_add(triangles, &tube, detail);
    SnResult result = {.code = SN_OK};
    for (int k = 0; k < tube.segment_count && result.code == SN_OK; ++k) {
        ViewPill pill = pill_of(rods, i, k);
        size_t at = (size_t)rods->segment_begin[i] + (size_t)k;
        if (is_ellipsoid(rods, i, k))
            result = view_ellipsoid_add(triangles, &pill, view_load(rods->shapes + 3 * at),
                                        load_quat(rods->frames + 4 * at), &look, detail);
        else if (is_flat(rods, &look, i))
            result = add_flat(triangles, &pill, rods->frames + 4 * at, &look, detail);
        else
            result = view_pill_add(triangles, &pill, &look, detail);
    }
    return result;
}

SnResult view_rods_add(ViewTriangles *triangles, const ViewRods *rods, ViewDetail detail,
                       ViewRodsDrawn *out_drawn) {
    SnResult result = {.code = SN_OK};
    detail.coarseness = choose_coarseness(rods, detail);
    *out_drawn = (ViewRodsDrawn){.box = view_box_empty()};
    double radius_sum = 0.0;
    long drawn = 0;
    for (int i = 0; i < rods->count && result.code == SN_OK; ++i) {
        if (!view_rod_is_drawable(rods, i)) {
            ++out_drawn->skipped;
            continue;
        }
        for (int k = rods->vertex_begin[i]; k < rods->vertex_begin[i + 1]; ++k) {
            radius_sum += rods->radii[k];
            view_box_add(&out_drawn->box, view_load(rods->positions + 3 * (size_t)k),
                         rods->radii[k]);
            ++drawn;
        }
        if (!is_hidden(rods, i))
            result = add_rod(triangles, rods, i, detail);
    }
    out_drawn->mean_radius = drawn ? (float)(radius_sum / (double)drawn) : 0.0f;
    return result;
}
