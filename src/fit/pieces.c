#include "fit/pieces.h"

#include <stdlib.h>
#include <string.h>

// Numbers the parts; false: no memory.
static bool find_parts(FitMemory *memory, FitPieces *p) {
    p->parts = sn__fit_alloc(memory, (size_t)p->count, sizeof *p->parts);
    FitBlock *mark = memory->last;
    int *queue = sn__fit_alloc(memory, (size_t)p->count, sizeof *queue);
    if (p->parts == NULL || queue == NULL)
        return false;
    for (int i = 0; i < p->count; ++i)
        p->parts[i] = -1;
    for (int first = 0; first < p->count; ++first) {
        if (p->parts[first] >= 0)
            continue;
        int begin = 0, end = 0;
        queue[end++] = first;
        p->parts[first] = p->part_count;
        while (begin < end) {
            int i = queue[begin++];
            for (int k = p->begin[i]; k < p->begin[i + 1]; ++k) {
                int other = p->neighbours[k];
                if (p->parts[other] < 0) {
                    p->parts[other] = p->part_count;
                    queue[end++] = other;
                }
            }
        }
        ++p->part_count;
    }
    sn__fit_release(memory, mark);
    return true;
}

bool sn__fit_pieces_of_cells(FitMemory *memory, const FitCells *cells, double volume,
                             FitPieces *out) {
    size_t count = (size_t)cells->count;
    *out = (FitPieces){.count = cells->count,
                       .centres = cells->centres,
                       .weights = sn__fit_alloc(memory, count, sizeof *out->weights),
                       .total = volume,
                       .inertia = cells->side * cells->side / 12.0,
                       .dimension = 3,
                       .begin = sn__fit_alloc(memory, count + 1, sizeof *out->begin),
                       .neighbours = sn__fit_alloc(memory, 6 * count, sizeof *out->neighbours),
                       .contacts = sn__fit_alloc(memory, 6 * count, sizeof *out->contacts)};
    if (out->weights == NULL || out->begin == NULL || out->neighbours == NULL ||
        out->contacts == NULL)
        return false;
    int used = 0;
    for (int i = 0; i < cells->count; ++i) {
        out->weights[i] = volume / cells->count;
        out->begin[i] = used;
        for (int side = 0; side < 6; ++side) {
            if (cells->neighbours[i][side] < 0)
                continue;
            out->neighbours[used] = cells->neighbours[i][side];
            out->contacts[used++] = cells->side * cells->side;
        }
    }
    out->begin[cells->count] = used;
    return find_parts(memory, out);
}

// Two bits that share a part of an edge.
typedef struct Contact {
    int from, to;
    double length;
} Contact;

// How the bits of a triangle are numbered: it is cut into k strips along its first edge, strip j of 2 j + 1
// bits, the tip of the triangle being strip 0. Bits in a strip point up and down in turn.
static int bit_of(int strip, int place) { return strip * strip + place; }

// The bit that has interval i of k, counted from its corner `c`, of the edge from there to the next corner.
// Corner 0 is the tip, the edge from 1 to 2 is the last strip.
static int bit_at_edge(int k, int c, int i) {
    if (c == 0)
        return bit_of(i, 0); // from the tip down to corner 1, on the left
    if (c == 1)
        return bit_of(k - 1, 2 * i);           // along the last strip
    return bit_of(k - 1 - i, 2 * (k - 1 - i)); // from corner 2 up to the tip, on the right
}

int sn__fit_corner_piece(const int *first, int triangle, int corner) {
    int k = (int)floor(sqrt(first[triangle + 1] - first[triangle]) + 0.5);
    return first[triangle] + bit_at_edge(k, corner, 0);
}

static Vec3d bit_centre(Vec3d tip, Vec3d left, Vec3d right, int k, int strip, int place) {
    // Down from the tip along the left side, and across to the right, in thirds of a strip.
    int column = place / 2;
    double down = place % 2 ? strip + 1.0 / 3.0 : strip + 2.0 / 3.0;
    double across = place % 2 ? column + 2.0 / 3.0 : column + 1.0 / 3.0;
    Vec3d x = addd(tip, scaled(subd(left, tip), down / k));
    return addd(x, scaled(subd(right, left), across / k));
}

// So many strips that bits are about as large as this.
static int strips_of(const FitSurface *surface, int triangle, double length) {
    const int *t = surface->triangles[triangle];
    double longest = 0.0;
    for (int c = 0; c < 3; ++c)
        longest =
            fmax(longest, lengthd(subd(surface->points[t[c]], surface->points[t[(c + 1) % 3]])));
    return (int)fmin(fmax(ceil(longest / length), 1.0), 1000.0);
}

// Long triangles make more bits than their area asks for: the length grows until there are few enough.
static double choose_length(const FitSurface *surface, int wanted) {
    double length = 1.5 * sqrt(surface->area / wanted);
    for (int round = 0; round < 60; ++round) {
        double bits = 0.0;
        for (int i = 0; i < surface->triangle_count; ++i) {
            double k = strips_of(surface, i, length);
            bits += k * k;
        }
        if (bits <= 3.0 * wanted + surface->triangle_count)
            break;
        length *= 1.3;
    }
    return length;
}

static void add_contact(Contact *list, int *count, int from, int to, double length) {
    list[(*count)++] = (Contact){from, to, length};
    list[(*count)++] = (Contact){to, from, length};
}

static void join_inside(const FitSurface *surface, int triangle, int k, int first, Contact *list,
                        int *count) {
    const int *t = surface->triangles[triangle];
    double sides[3];
    for (int c = 0; c < 3; ++c)
        sides[c] = lengthd(subd(surface->points[t[c]], surface->points[t[(c + 1) % 3]])) / k;
    for (int strip = 0; strip < k; ++strip)
        for (int place = 1; place < 2 * strip; place += 2) {
            // One that points down has an upright one on its left, its right and above.
            int bit = first + bit_of(strip, place);
            add_contact(list, count, bit, bit - 1, sides[2]);
            add_contact(list, count, bit, bit + 1, sides[0]);
            add_contact(list, count, bit, first + bit_of(strip - 1, place - 1), sides[1]);
        }
}

static int corner_of(const int triangle[3], int a, int b) {
    for (int c = 0; c < 3; ++c) {
        int from = triangle[c], to = triangle[(c + 1) % 3];
        if ((from == a && to == b) || (from == b && to == a))
            return c;
    }
    return 0;
}

// Joins the bits of two triangles along their edge from a to b: their intervals overlap.
static void join_across(const FitSurface *surface, int a, int b, const int triangles[2],
                        const int strips[2], const int firsts[2], Contact *list, int *count) {
    int corners[2];
    bool along[2];
    for (int s = 0; s < 2; ++s) {
        const int *t = surface->triangles[triangles[s]];
        corners[s] = corner_of(t, a, b);
        along[s] = t[corners[s]] == a;
    }
    double length = lengthd(subd(surface->points[a], surface->points[b])), at = 0.0;
    for (int i = 0, j = 0; i < strips[0] && j < strips[1];) {
        double end_i = (i + 1.0) / strips[0], end_j = (j + 1.0) / strips[1];
        double end = fmin(end_i, end_j);
        int p = along[0] ? i : strips[0] - 1 - i, q = along[1] ? j : strips[1] - 1 - j;
        if (end > at + 1e-9)
            add_contact(list, count, firsts[0] + bit_at_edge(strips[0], corners[0], p),
                        firsts[1] + bit_at_edge(strips[1], corners[1], q), (end - at) * length);
        at = end;
        i += end_i <= end + 1e-9;
        j += end_j <= end + 1e-9;
    }
}

// All contacts of bits; NULL: no memory.
static Contact *find_contacts(FitMemory *memory, const FitSurface *surface, const int *strips,
                              const int *first, int *out_count) {
    FitEdges edges;
    if (!sn__fit_find_edges(memory, surface, &edges))
        return NULL;
    size_t most = 6 * (size_t)first[surface->triangle_count];
    for (int i = 0; i < surface->triangle_count; ++i)
        for (int c = 0; c < 3; ++c) {
            const int *t = surface->triangles[i];
            int other = sn__fit_edge(&edges, t[c], t[(c + 1) % 3])->triangles[0];
            most += 2 * (size_t)(strips[i] + strips[other]);
        }
    Contact *list = sn__fit_alloc(memory, most, sizeof *list);
    if (list == NULL)
        return NULL;
    int count = 0;
    for (int i = 0; i < surface->triangle_count; ++i) {
        join_inside(surface, i, strips[i], first[i], list, &count);
        const int *t = surface->triangles[i];
        for (int c = 0; c < 3; ++c) {
            int a = t[c], b = t[(c + 1) % 3], other = sn__fit_edge(&edges, a, b)->triangles[0];
            if (other == i)
                continue;
            join_across(surface, a, b, (int[2]){i, other}, (int[2]){strips[i], strips[other]},
                        (int[2]){first[i], first[other]}, list, &count);
        }
    }
    *out_count = count;
    return list;
}

// Contacts in the order of the bits.
static bool sort_contacts(FitMemory *memory, const Contact *list, int count, FitPieces *p) {
    p->begin = sn__fit_alloc(memory, (size_t)p->count + 2, sizeof *p->begin);
    p->neighbours = sn__fit_alloc(memory, (size_t)count, sizeof *p->neighbours);
    p->contacts = sn__fit_alloc(memory, (size_t)count, sizeof *p->contacts);
    if (p->begin == NULL || p->neighbours == NULL || p->contacts == NULL)
        return false;
    // Counts are kept two places on, so that filling leaves the beginnings where they belong.
    for (int i = 0; i < count; ++i)
        ++p->begin[list[i].from + 2];
    for (int i = 0; i < p->count; ++i)
        p->begin[i + 2] += p->begin[i + 1];
    for (int i = 0; i < count; ++i) {
        int at = p->begin[list[i].from + 1]++;
        p->neighbours[at] = list[i].to;
        p->contacts[at] = list[i].length;
    }
    return true;
}

bool sn__fit_pieces_of_surface(FitMemory *memory, const FitSurface *surface, int wanted,
                               int **out_first, FitPieces *out) {
    double length = choose_length(surface, wanted);
    size_t triangles = (size_t)surface->triangle_count;
    int *first = sn__fit_alloc(memory, triangles + 1, sizeof *first);
    int *strips = sn__fit_alloc(memory, triangles, sizeof *strips);
    if (first == NULL || strips == NULL)
        return false;
    for (size_t i = 0; i < triangles; ++i) {
        strips[i] = strips_of(surface, (int)i, length);
        first[i + 1] = first[i] + strips[i] * strips[i];
    }
    size_t count = (size_t)first[triangles];
    *out = (FitPieces){.count = (int)count,
                       .centres = sn__fit_alloc(memory, count, sizeof *out->centres),
                       .weights = sn__fit_alloc(memory, count, sizeof *out->weights),
                       .total = surface->area,
                       .inertia = surface->area / (18.0 * (double)count),
                       .dimension = 2};
    *out_first = first;
    if (out->centres == NULL || out->weights == NULL)
        return false;
    for (size_t i = 0; i < triangles; ++i) {
        const int *t = surface->triangles[i];
        Vec3d a = surface->points[t[0]], b = surface->points[t[1]], c = surface->points[t[2]];
        double area = 0.5 * lengthd(crossd(subd(b, a), subd(c, a)));
        int k = strips[i];
        for (int strip = 0; strip < k; ++strip)
            for (int place = 0; place <= 2 * strip; ++place) {
                int bit = first[i] + bit_of(strip, place);
                out->centres[bit] = bit_centre(a, b, c, k, strip, place);
                out->weights[bit] = area / ((double)k * k);
            }
    }
    int contacts;
    Contact *list = find_contacts(memory, surface, strips, first, &contacts);
    return list != NULL && sort_contacts(memory, list, contacts, out) && find_parts(memory, out);
}
