// Entries that stand for many things: where their copies are, and how they are called and coloured.
#include "io/rotation.h"
#include "io/scene_parts.h"
#include "io/tables.h"

#include <stdio.h>
#include <string.h>

static void read_origin(Reader *reader, const Json *json, double *origin) {
    int count;
    const Json **items = sn__read_list(reader, json, &count);
    Range range = {-1e9, 1e9, false};
    if (items && count != 3) {
        sn__reader_error(reader, json, "an array of %d is not three numbers [x, y, z]", count);
        return;
    }
    for (int i = 0; i < count; ++i)
        sn__read_double(reader, items[i], range, &origin[i]);
}

static void read_grid(Reader *reader, const Json *json, SceneCopies *copies) {
    Range range = {1, SN_MAX_SCENE_BODIES, false};
    int count;
    const Json **items = sn__read_list(reader, json, &count);
    if (items && count != 3) {
        sn__reader_error(reader, json, "an array of %d is not three numbers [nx, ny, nz]", count);
        return;
    }
    for (int i = 0; i < count; ++i)
        sn__read_int(reader, items[i], range, &copies->grid[i]);
}

static void read_ring(Reader *reader, const Json *json, SceneCopies *copies) {
    copies->ring_axis = sn_vec3(0, 1, 0);
    if (!sn__read_object(reader, json, &sn__table_ring, copies)) {
        copies->ring = 1;
        return;
    }
    if (sn__json_member(&reader->doc, json, "step") == NULL)
        copies->ring_step = 360.0f / (float)copies->ring;
    if (!(lengthd(vec3d(copies->ring_axis)) > 0)) {
        sn__reader_error(reader, json, "the axis has no length");
        copies->ring_axis = sn_vec3(0, 1, 0);
    }
}

static void read_copies(Reader *reader, const Json *json, SceneCopies *copies) {
    if (!sn__read_object(reader, json, &sn__table_copies, copies))
        return;
    const Json *grid = sn__json_member(&reader->doc, json, "count");
    const Json *spacing = sn__json_member(&reader->doc, json, "spacing");
    const Json *ring = sn__json_member(&reader->doc, json, "ring");
    const Json *jitter = sn__json_member(&reader->doc, json, "jitter");
    if (grid == NULL && ring == NULL)
        sn__reader_error(reader, json, "needs one of: count, ring");
    else if ((grid != NULL) != (spacing != NULL))
        sn__reader_error(reader, json, "\"count\" and \"spacing\" go together");
    else if (grid)
        read_grid(reader, grid, copies);
    if (ring)
        read_ring(reader, ring, copies);
    if (jitter)
        sn__read_object(reader, jitter, &sn__table_jitter, copies);
    double all = (double)copies->grid[0] * copies->grid[1] * copies->grid[2] * copies->ring;
    if (all > SN_MAX_SCENE_BODIES) {
        sn__reader_error(reader, grid ? grid : ring, "%.0f copies are more than %d", all,
                         SN_MAX_SCENE_BODIES);
        return;
    }
    copies->count = (int)all;
}

void sn__default_place(ScenePlace *place) {
    place->rotation = sn_quat_identity();
    place->copies.grid[0] = place->copies.grid[1] = place->copies.grid[2] = 1;
    place->copies.ring = 1;
    place->copies.count = 1;
}

void sn__read_place(Reader *reader, const Json *json, ScenePlace *place) {
    const Json *origin = sn__json_member(&reader->doc, json, "origin");
    const Json *copies = sn__json_member(&reader->doc, json, "copies");
    if (origin)
        read_origin(reader, origin, place->origin);
    if (copies)
        read_copies(reader, copies, &place->copies);
}

// The splitmix64 generator; every copy has its own stream, so that one does not move the others.
static double random_signed(uint64_t *state) {
    uint64_t z = *state += 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    z ^= z >> 31;
    return (double)(z >> 11) / 4503599627370496.0 - 1.0;
}

static uint64_t random_stream(const SceneCopies *copies, int copy) {
    return (uint64_t)copies->seed * 0x100000001u + (uint64_t)copy * 0xD1342543DE82EF95u;
}

static Vec3d random_axis(uint64_t *state) {
    Vec3d v;
    double length;
    do {
        v = (Vec3d){random_signed(state), random_signed(state), random_signed(state)};
        length = lengthd(v);
    } while (length > 1 || length < 0.1);
    return v;
}

// A ring begins where a circle with the same axis does: at x, after z was turned to the axis.
static void place_on_ring(const SceneCopies *copies, int number, Placement *p) {
    Vec3d axis = vec3d(copies->ring_axis);
    Quatd tilt = rotation_between((Vec3d){0, 0, 1}, scaled(axis, 1 / lengthd(axis)));
    Quatd turn = sn__rotation_about(axis, (double)copies->ring_step * number);
    Vec3d out = rotated(turn, rotated(tilt, (Vec3d){(double)copies->ring_radius, 0, 0}));
    p->position = addd(p->position, out);
    p->rotation = mulqd(turn, p->rotation);
}

Placement sn__place_copy(const ScenePlace *place, int copy) {
    const SceneCopies *copies = &place->copies;
    int nx = copies->grid[0], ny = copies->grid[1], cell = copy / copies->ring;
    int at[3] = {cell % nx, cell / nx % ny, cell / nx / ny};
    const float *spacing = &copies->spacing.x, *jitter = &copies->jitter_position.x;
    uint64_t state = random_stream(copies, copy);
    Placement p = {.rotation = quatd(place->rotation), .position = vec3d(place->position)};
    for (int c = 0; c < 3; ++c)
        p.origin[c] = place->origin[c] +
                      ((double)spacing[c] * at[c] + (double)jitter[c] * random_signed(&state));
    if (copies->ring > 1 || copies->ring_radius > 0)
        place_on_ring(copies, copy % copies->ring, &p);
    if (copies->jitter_turn > 0) {
        double angle = (double)copies->jitter_turn * random_signed(&state);
        p.rotation = mulqd(sn__rotation_about((Vec3d){0, 1, 0}, angle), p.rotation);
    }
    if (copies->jitter_rotation > 0) {
        double angle = (double)copies->jitter_rotation * random_signed(&state);
        p.rotation = mulqd(sn__rotation_about(random_axis(&state), angle), p.rotation);
    }
    return p;
}

Placement sn__place_upright(const Placement *placement) {
    Placement p = {.rotation = {0, 0, 0, 1}};
    p.origin[0] = placement->origin[0] + placement->position.x;
    p.origin[1] = placement->origin[1] + placement->position.y;
    p.origin[2] = placement->origin[2] + placement->position.z;
    return p;
}

SnVec3 sn__place_point(const Placement *placement, SnVec3 point) {
    Vec3d v = addd(placement->position, rotated(placement->rotation, vec3d(point)));
    return sn_vec3((float)v.x, (float)v.y, (float)v.z);
}

SnVec3 sn__place_direction(const Placement *placement, SnVec3 direction) {
    Vec3d v = rotated(placement->rotation, vec3d(direction));
    return sn_vec3((float)v.x, (float)v.y, (float)v.z);
}

// One colour, or a list of texts that the copies take in turn.
void sn__read_colours(Reader *reader, const Json *json, SceneColours *out) {
    const Json *first = json->kind == JSON_ARRAY ? sn__json_first(json) : NULL;
    bool several = first && first->kind == JSON_STRING;
    int count = several ? (int)json->count : 1;
    SnColour *colours = sn__reader_alloc(reader, (size_t)count, sizeof *colours);
    if (colours == NULL)
        return;
    if (several) {
        int i = 0;
        for (const Json *v = first; v; v = sn__json_next(&reader->doc, v))
            sn__read_colour(reader, v, &colours[i++]);
    } else {
        sn__read_colour(reader, json, colours);
    }
    *out = (SceneColours){colours, count};
}

void sn__default_colour(Reader *reader, SceneColours *colours, SnColour colour) {
    if (colours->count == 0) {
        colours->items = sn__reader_alloc(reader, 1, sizeof *colours->items);
        if (colours->items) {
            colours->items[0] = colour;
            colours->count = 1;
        }
    }
}

static float varied(float channel, double factor) {
    double value = (double)channel * factor;
    return (float)(value < 1 ? value : 1);
}

SnColour sn__copy_colour(const SceneColours *colours, const SceneCopies *copies, int copy) {
    SnColour colour = colours->items[copy % colours->count];
    if (copies->jitter_colour > 0) {
        // Another stream than that of the places, so that colours can be tried without moving them.
        uint64_t state = ~random_stream(copies, copy);
        double amount = (double)copies->jitter_colour;
        colour.r = varied(colour.r, 1 + amount * random_signed(&state));
        colour.g = varied(colour.g, 1 + amount * random_signed(&state));
        colour.b = varied(colour.b, 1 + amount * random_signed(&state));
    }
    return colour;
}

const char *sn__copy_name(Reader *reader, const char *kind, const char *name, int entry,
                          int copy_count, int copy) {
    char text[32];
    if (name[0] && copy_count == 1)
        return name;
    const char *front = name[0] ? name : kind;
    snprintf(text, sizeof text, " %d", copy_count == 1 ? entry : copy);
    size_t length = strlen(front), more = strlen(text);
    char *whole = sn__reader_alloc(reader, length + more + 1, 1);
    if (whole) {
        memcpy(whole, front, length);
        memcpy(whole + length, text, more + 1);
    }
    return whole ? whole : "";
}
