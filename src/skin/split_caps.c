// Caps: what of the plane between two cells is inside of a closed mesh.
//
// The outline of a cap are rims of the surface, and between the ends of these pieces of the face's own outline.
// Along that, the mesh is entered where a rim ends and left where one begins, so that one corner of which it is
// known how often the mesh is around it tells it of all others; those on the box are outside.
#include <assert.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "geom/polygon.h"
#include "skin/split_cut.h"

#define UNKNOWN INT_MIN

// Where a rim ends on the outline of a face, behind a corner of it.
typedef struct Mark {
    int corner, point, step; // +1: the mesh is entered
    double along;
} Mark;

typedef struct Edge {
    int from, to; // points
    bool used;
} Edge;

typedef struct Caps {
    SplitCut *cut;
    int *rim_begin, *mark_begin; // by face
    Mark *marks;
    KeyTable corner_keys;
    int *corner_of;    // of every corner of a face: its number by keys
    int *windings;     // of those: how often the mesh is around them
    Edge *edges;       // of one cap
    int *loop, *loops; // its corners, and where its loops begin
    Point2 *plane;
    int (*triangles)[3];
    int room, edge_count, loop_count;
    bool overlaps; // somewhere, the mesh is around it twice
} Caps;

static int by_pair(const void *a, const void *b) {
    const SplitRim *p = a, *q = b;
    if (p->pair != q->pair)
        return p->pair - q->pair;
    return p->from != q->from ? p->from - q->from : p->to - q->to;
}

static int by_place(const void *a, const void *b) {
    const Mark *p = a, *q = b;
    if (p->corner != q->corner)
        return p->corner - q->corner;
    return p->along != q->along ? (p->along < q->along ? -1 : 1) : p->point - q->point;
}

static int by_from(const void *a, const void *b) {
    const Edge *p = a, *q = b;
    return p->from != q->from ? (p->from < q->from ? -1 : 1) : (p->to > q->to) - (p->to < q->to);
}

static const VoronoiCorner *corners_of(const Caps *c, const VoronoiFace *face) {
    return c->cut->voronoi.corners + face->first;
}

// The corner of a face behind which a point of three cells is; −1: it is not on the outline.
static int corner_at(const Caps *c, const VoronoiFace *face, const SplitPoint *p) {
    if (p->meets[2] < 0)
        return -1;
    int third = p->meets[0] + p->meets[1] + p->meets[2] - face->cell - face->other;
    for (int k = 0; k < face->count; ++k)
        if (corners_of(c, face)[k].third == third)
            return k;
    return -1;
}

static void mark_end(Caps *c, const VoronoiFace *face, int point, int step, int *count) {
    const SplitPoint *p = &c->cut->points[point];
    int k = corner_at(c, face, p);
    if (k < 0)
        return;
    Vec3d a = corners_of(c, face)[k].x, b = corners_of(c, face)[(k + 1) % face->count].x;
    c->marks[(*count)++] = (Mark){k, point, step, dotd(subd(p->x, a), subd(b, a))};
}

static void mark_faces(Caps *c) {
    SplitCut *cut = c->cut;
    int count = 0, rim = 0;
    if (cut->rim_count > 0)
        qsort(cut->rims, (size_t)cut->rim_count, sizeof *cut->rims, by_pair);
    for (int f = 0; f < cut->voronoi.face_count; ++f) {
        c->rim_begin[f] = rim;
        c->mark_begin[f] = count;
        // The cap of the lower cell passes its rims the other way.
        for (; rim < cut->rim_count && cut->rims[rim].pair == f; ++rim) {
            mark_end(c, &cut->voronoi.faces[f], cut->rims[rim].from, 1, &count);
            mark_end(c, &cut->voronoi.faces[f], cut->rims[rim].to, -1, &count);
        }
        int marks = count - c->mark_begin[f];
        if (marks > 0)
            qsort(c->marks + c->mark_begin[f], (size_t)marks, sizeof *c->marks, by_place);
    }
    c->rim_begin[cut->voronoi.face_count] = rim;
    c->mark_begin[cut->voronoi.face_count] = count;
}

static void corner_key(const Caps *c, const VoronoiFace *face, int corner, int key[KEY_LENGTH]) {
    const VoronoiCorner *corners = corners_of(c, face);
    int before = corners[(corner + face->count - 1) % face->count].third;
    const int cells[4] = {face->cell, face->other, before, corners[corner].third};
    key[0] = key[1] = -1;
    for (int k = 0; k < 4; ++k) {
        int at = 0;
        for (int m = 0; m < 4; ++m)
            at += cells[m] < cells[k] || (cells[m] == cells[k] && m < k);
        key[2 + at] = cells[k];
    }
}

static bool number_corners(Caps *c) {
    const Voronoi *v = &c->cut->voronoi;
    for (int f = 0; f < v->face_count; ++f)
        for (int k = 0; k < v->faces[f].count; ++k) {
            int key[KEY_LENGTH];
            corner_key(c, &v->faces[f], k, key);
            int number = sn__key_table_find(&c->corner_keys, key);
            if (number < 0)
                return false;
            c->corner_of[v->faces[f].first + k] = number;
            c->windings[number] = key[KEY_LENGTH - 1] >= v->site_count ? 0 : UNKNOWN;
        }
    return true;
}

// From corner to corner of one face; false: they do not agree.
static bool wind_face(Caps *c, int f, bool *changed) {
    const VoronoiFace *face = &c->cut->voronoi.faces[f];
    const int *corner = c->corner_of + face->first;
    int mark = c->mark_begin[f];
    for (int k = 0; k < face->count; ++k) {
        int steps = 0, *from = &c->windings[corner[k]],
            *to = &c->windings[corner[(k + 1) % face->count]];
        for (; mark < c->mark_begin[f + 1] && c->marks[mark].corner == k; ++mark)
            steps += c->marks[mark].step;
        if (*from != UNKNOWN && *to != UNKNOWN && *from + steps != *to)
            return false;
        if ((*from == UNKNOWN) == (*to == UNKNOWN))
            continue;
        *changed = true;
        if (*from == UNKNOWN)
            *from = *to - steps;
        else
            *to = *from + steps;
    }
    return true;
}

static bool wind_all(Caps *c) {
    for (bool changed = true; changed;) {
        changed = false;
        for (int f = 0; f < c->cut->voronoi.face_count; ++f)
            if (!wind_face(c, f, &changed))
                return false;
    }
    for (int k = 0; k < c->corner_keys.count; ++k)
        if (c->windings[k] < 0) // not reached, or inside out
            return false;
    return true;
}

static bool add_edges(Caps *c, int from, int to, int times) {
    for (int k = 0; k < times; ++k) {
        if (c->edge_count == c->room)
            return false;
        c->edges[c->edge_count++] = (Edge){from, to, false};
    }
    c->overlaps = c->overlaps || times > 1;
    return times >= 0;
}

// Where four cells meet, inside of the mesh.
static int inner_point(Caps *c, const VoronoiFace *face, int corner) {
    int key[KEY_LENGTH];
    corner_key(c, face, corner, key);
    SplitPoint fill = {.x = corners_of(c, face)[corner].x};
    for (int k = 0; k < SN_SKIN_BONES; ++k) {
        fill.bones[k] = key[2 + k];
        fill.weights[k] = 0.25f;
    }
    return sn__split_point(c->cut, key, &fill);
}

static bool list_outline(Caps *c, int f) {
    const SplitCut *cut = c->cut;
    const VoronoiFace *face = &cut->voronoi.faces[f];
    c->edge_count = 0;
    c->overlaps = false;
    for (int r = c->rim_begin[f]; r < c->rim_begin[f + 1]; ++r)
        if (!add_edges(c, cut->rims[r].to, cut->rims[r].from, 1))
            return false;
    int mark = c->mark_begin[f];
    for (int k = 0; k < face->count; ++k) {
        int then = (k + 1) % face->count, w = c->windings[c->corner_of[face->first + k]];
        int last = w > 0 ? inner_point(c, face, k) : -1;
        for (; mark < c->mark_begin[f + 1] && c->marks[mark].corner == k; ++mark) {
            if (!add_edges(c, last, c->marks[mark].point, w))
                return false;
            w += c->marks[mark].step;
            last = c->marks[mark].point;
        }
        if (w > 0 && !add_edges(c, last, inner_point(c, face, then), w))
            return false;
    }
    return true;
}

// An edge from a point that was not passed yet.
static Edge *edge_from(Caps *c, int point) {
    int low = 0, high = c->edge_count;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (c->edges[middle].from < point)
            low = middle + 1;
        else
            high = middle;
    }
    while (low < c->edge_count && c->edges[low].from == point && c->edges[low].used)
        ++low;
    return low < c->edge_count && c->edges[low].from == point ? &c->edges[low] : NULL;
}

static bool list_loops(Caps *c) {
    int count = 0;
    c->loop_count = 0;
    qsort(c->edges, (size_t)c->edge_count, sizeof *c->edges, by_from);
    for (int k = 0; k < c->edge_count; ++k) {
        Edge *e = &c->edges[k];
        if (e->used)
            continue;
        c->loops[c->loop_count++] = count;
        int start = e->from;
        do {
            e->used = true;
            c->loop[count++] = e->from;
        } while (e->to != start && (e = edge_from(c, e->to)) != NULL);
        if (e == NULL)
            return false;
    }
    c->loops[c->loop_count] = count;
    return true;
}

static void project(Caps *c, Vec3d n) {
    Vec3d other = fabs(n.x) < 0.6 ? (Vec3d){1.0, 0.0, 0.0} : (Vec3d){0.0, 1.0, 0.0};
    Vec3d u = crossd(other, n), first = c->cut->points[c->loop[0]].x;
    u = scaled(u, 1.0 / lengthd(u));
    Vec3d v = crossd(n, u);
    for (int k = 0; k < c->loops[c->loop_count]; ++k) {
        Vec3d d = subd(c->cut->points[c->loop[k]].x, first);
        c->plane[k] = (Point2){dotd(d, u), dotd(d, v)};
    }
}

// From all edges to one point, which is closed whatever they are like: triangles that lie on each other cancel.
static int cut_to_middle(Caps *c, const VoronoiFace *face) {
    const int key[KEY_LENGTH] = {-1, face->first, face->cell, face->other, -1, -1};
    SplitPoint fill = {.bones = {face->cell, face->other}, .weights = {0.5f, 0.5f}};
    int corners = c->loops[c->loop_count], count = 0;
    for (int k = 0; k < corners; ++k)
        fill.x = addd(fill.x, scaled(c->cut->points[c->loop[k]].x, 1.0 / corners));
    int middle = sn__split_point(c->cut, key, &fill);
    if (middle < 0)
        return -1;
    for (int l = 0; l < c->loop_count; ++l)
        for (int k = c->loops[l]; k < c->loops[l + 1]; ++k) {
            int *t = c->triangles[count++];
            t[0] = k;
            t[1] = k + 1 < c->loops[l + 1] ? k + 1 : c->loops[l];
            t[2] = corners;
        }
    c->loop[corners] = middle;
    return count;
}

// The cap of one of the two cells; that of the higher one is the same from behind.
static bool add_side(Caps *c, const VoronoiFace *face, int pair, int triangles, Vec3d n,
                     bool back) {
    SplitCut *cut = c->cut;
    SkinSplit *s = cut->split;
    int first = s->vertex_count, cell = back ? face->other : face->cell, most = 0;
    for (int k = 0; k < triangles; ++k)
        for (int m = 0; m < 3; ++m)
            most = c->triangles[k][m] > most ? c->triangles[k][m] : most;
    for (int k = 0; k <= most; ++k) {
        if (!sn__split_add_vertex(s, &cut->points[c->loop[k]], scaled(n, back ? -1.0 : 1.0), cell))
            return false;
        s->vertices[first + k].pair = pair;
        s->vertices[first + k].first = first;
    }
    for (int k = 0; k < triangles; ++k) {
        const int *t = c->triangles[k], a = t[0], b = t[back ? 2 : 1], d = t[back ? 1 : 2];
        const int points[3] = {c->loop[a], c->loop[b], c->loop[d]};
        sn__split_weigh(cut, cell, points);
        if (!sn__split_add_triangle(s, first + a, first + b, first + d))
            return false;
    }
    return true;
}

static bool add_cap(Caps *c, int f) {
    const VoronoiFace *face = &c->cut->voronoi.faces[f];
    const Vec3d *sites = c->cut->voronoi.sites;
    if (!list_outline(c, f) || !list_loops(c))
        return false;
    if (c->loop_count == 0)
        return true;
    Vec3d n = subd(sites[face->other], sites[face->cell]);
    n = scaled(n, 1.0 / lengthd(n));
    project(c, n);
    Polygon polygon = {c->plane, c->loops, c->loop_count};
    int triangles = c->overlaps ? -1 : sn__polygon_cut(&c->cut->allocator, &polygon, c->triangles);
    if (triangles < 0)
        triangles = cut_to_middle(c, face);
    return triangles >= 0 && add_side(c, face, f, triangles, n, false) &&
           add_side(c, face, f, triangles, n, true);
}

// Room for the cap that has the most edges.
static bool make_room(Caps *c) {
    const SnAllocator *a = &c->cut->allocator;
    const Voronoi *v = &c->cut->voronoi;
    for (int f = 0; f < v->face_count; ++f) {
        int rims = c->rim_begin[f + 1] - c->rim_begin[f],
            marks = c->mark_begin[f + 1] - c->mark_begin[f];
        int edges = rims + 4 * (marks + v->faces[f].count) + 1;
        c->room = edges > c->room ? edges : c->room;
    }
    size_t room = (size_t)c->room;
    c->edges = sn__alloc_array(a, room, sizeof *c->edges);
    c->loop = sn__alloc_array(a, room + 1, sizeof(int));
    c->loops = sn__alloc_array(a, room + 1, sizeof(int));
    c->plane = sn__alloc_array(a, room, sizeof *c->plane);
    c->triangles = sn__alloc_array(a, 3 * room, sizeof *c->triangles);
    return c->edges && c->loop && c->loops && c->plane && c->triangles;
}

static bool make_caps(Caps *c) {
    mark_faces(c);
    bool good = number_corners(c) && wind_all(c) && make_room(c);
    for (int f = 0; f < c->cut->voronoi.face_count && good; ++f)
        good = add_cap(c, f);
    return good;
}

bool sn__split_add_caps(SplitCut *cut) {
    const SnAllocator *a = &cut->allocator;
    const Voronoi *v = &cut->voronoi;
    size_t faces = (size_t)v->face_count + 1, corners = (size_t)v->corner_count + 1,
           ends = 2 * (size_t)cut->rim_count + 1;
    Caps c = {.cut = cut, .corner_keys = {.allocator = *a}};
    c.rim_begin = sn__alloc_array(a, faces, sizeof(int));
    c.mark_begin = sn__alloc_array(a, faces, sizeof(int));
    c.marks = sn__alloc_array(a, ends, sizeof *c.marks);
    c.corner_of = sn__alloc_array(a, corners, sizeof(int));
    c.windings = sn__alloc_array(a, corners, sizeof(int));
    bool good =
        c.rim_begin && c.mark_begin && c.marks && c.corner_of && c.windings && make_caps(&c);
    size_t room = (size_t)c.room;
    sn__free(a, c.rim_begin, faces * sizeof(int));
    sn__free(a, c.mark_begin, faces * sizeof(int));
    sn__free(a, c.marks, ends * sizeof *c.marks);
    sn__free(a, c.corner_of, corners * sizeof(int));
    sn__free(a, c.windings, corners * sizeof(int));
    sn__key_table_destroy(&c.corner_keys);
    sn__free(a, c.edges, room * sizeof *c.edges);
    sn__free(a, c.loop, (room + 1) * sizeof(int));
    sn__free(a, c.loops, (room + 1) * sizeof(int));
    sn__free(a, c.plane, room * sizeof *c.plane);
    sn__free(a, c.triangles, 3 * room * sizeof *c.triangles);
    return good;
}
