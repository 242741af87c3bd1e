// Muscles: one entry of "muscles", from the file into the world.
#include "io/scene_muscle.h"

#include <math.h>
#include <string.h>

#include "io/scene_parts.h"
#include "io/tables.h"

#define PI 3.14159265358979323846

// The limits are those of sn_muscle_create.
#define MUSCLE(name, min, max, animated)                                                           \
    { #name, KEY_FLOAT, FIELD(SceneMuscle, name), {min, max, false }, false, animated }
static const KeyField muscle_keys[] = {
    BY_HAND("spindle"),
    BY_HAND("fibres"),
    BY_HAND("radius"),
    BY_HAND("origin_frame"),
    BY_HAND("insertion_frame"),
    BY_HAND("matching"),
    BY_HAND("drive"),
    BY_HAND("hill"),
    BY_HAND("fibre_activation"),
    {"under_skin", KEY_BOOL, FIELD(SceneMuscle, under_skin), RANGE_ANY, false, false},
    MUSCLE(activation, 0, 1, true),
    MUSCLE(packing, 0.01, 10, false),
    MUSCLE(section_compliance, 0, 1e6, false),
    MUSCLE(carry, 0, 1, false),
    MUSCLE(tendon, 0, 0.45, false),
    MUSCLE(tendon_stiffening, 1, 1e6, false),
    MUSCLE(shortening, 0, 0.85, false),
    MUSCLE(stress, 0, 1e8, false),
    MUSCLE(rise_time, 0, 100, false),
    MUSCLE(fall_time, 0, 100, false),
};

// Room for the vertices and segments of all fibres; false after a complaint.
static bool reserve(Reader *reader, const Json *json, SceneMuscle *m) {
    SceneBody *body = &m->body;
    if (m->rods > SN_MAX_MUSCLE_RODS || m->slices - 1 > SN_MAX_CREATURE_EDGES / m->rods) {
        sn__reader_error(reader, json,
                         "%d fibres of %d vertices are too many; the limits are %d fibres and %d "
                         "segments",
                         m->rods, m->slices, SN_MAX_MUSCLE_RODS, SN_MAX_CREATURE_EDGES);
        return false;
    }
    body->point_count = m->rods * m->slices;
    body->element_count = m->rods * (m->slices - 1);
    size_t points = (size_t)body->point_count, elements = (size_t)body->element_count;
    body->positions = sn__reader_alloc(reader, points, sizeof *body->positions);
    body->radii = sn__reader_alloc(reader, points, sizeof *body->radii);
    body->edges = sn__reader_alloc(reader, 2 * elements, sizeof *body->edges);
    if (reader->out_of_memory)
        return false;
    for (int k = 0, element = 0; k < m->rods; ++k)
        for (int j = 0; j + 1 < m->slices; ++j, ++element) {
            body->edges[2 * element] = k * m->slices + j;
            body->edges[2 * element + 1] = k * m->slices + j + 1;
        }
    return true;
}

// Fibres are spread evenly over a round section, each turned by the golden angle from the one before,
// and have together the area of the section.
static void fill_spindle(const SpindleParams *p, SceneMuscle *m) {
    Vec3d from = vec3d(p->from), way = subd(vec3d(p->to), from);
    Quatd turn = rotation_between((Vec3d){0.0, 0.0, 1.0}, scaled(way, 1.0 / lengthd(way)));
    const double golden = PI * (3.0 - sqrt(5.0));
    double fibre = (double)p->radius / sqrt((double)m->rods);
    for (int k = 0; k < m->rods; ++k) {
        // A fibre on the rim does not stick out of it.
        double out = ((double)p->radius - 0.7 * fibre) * sqrt((k + 0.5) / m->rods);
        Vec3d place = {m->rods > 1 ? out * cos(golden * k) : 0.0,
                       m->rods > 1 ? out * sin(golden * k) : 0.0, 0.0};
        place = rotated(turn, place);
        for (int j = 0; j < m->slices; ++j) {
            double t = (double)j / (m->slices - 1);
            double width = (double)p->ends + (1.0 - (double)p->ends) * sin(PI * t);
            int v = k * m->slices + j;
            m->body.positions[v] = vec3f(addd(addd(from, scaled(way, t)), scaled(place, width)));
            m->body.radii[v] = (float)(fibre * width);
        }
    }
}

static bool read_spindle(Reader *reader, const Json *json, SceneMuscle *m) {
    SpindleParams p = {.rods = 8, .segments = 8, .ends = 0.4f};
    if (!sn__read_object(reader, json, &sn__table_spindle, &p))
        return false;
    if (!(lengthd(subd(vec3d(p.to), vec3d(p.from))) > 0.0)) {
        sn__reader_error(reader, json, "\"from\" and \"to\" are the same point");
        return false;
    }
    m->rods = p.rods;
    m->slices = p.segments + 1;
    if (!reserve(reader, json, m))
        return false;
    fill_spindle(&p, m);
    return true;
}

static bool read_fibre(Reader *reader, const Json *json, SceneMuscle *m, int fibre) {
    int count;
    const Json **points = sn__read_list(reader, json, &count);
    if (points == NULL)
        return false;
    if (fibre == 0) {
        m->slices = count;
        if (count < 2) {
            sn__reader_error(reader, json, "a fibre has at least 2 points, not %d", count);
            return false;
        }
        if (!reserve(reader, json, m))
            return false;
    }
    if (count != m->slices) {
        sn__reader_error(reader, json, "has %d points; the first fibre has %d, and so must all",
                         count, m->slices);
        return false;
    }
    const Range range = RANGE_ANY;
    for (int j = 0; j < count; ++j)
        if (!sn__read_vec3(reader, points[j], range, &m->body.positions[fibre * m->slices + j]))
            return false;
    return true;
}

static bool read_fibres(Reader *reader, const Json *json, SceneMuscle *m) {
    int count;
    const Json **items = sn__read_list(reader, json, &count);
    if (items == NULL)
        return false;
    if (count < 1) {
        sn__reader_error(reader, json, "a muscle has at least one fibre");
        return false;
    }
    m->rods = count;
    for (int k = 0; k < count; ++k)
        if (!read_fibre(reader, items[k], m, k))
            return false;
    return true;
}

// One number, or a list with one per vertex for each fibre.
static void read_radius(Reader *reader, const Json *json, SceneMuscle *m) {
    const Range range = {1e-5, 1e4, false};
    float *radii = m->body.radii;
    if (json->kind != JSON_ARRAY) {
        float all = 0.0f;
        if (sn__read_float(reader, json, range, &all))
            for (int i = 0; i < m->body.point_count; ++i)
                radii[i] = all;
        return;
    }
    int count;
    const Json **lists = sn__read_list(reader, json, &count);
    if (count != m->rods) {
        sn__reader_error(reader, json, "has %d lists for %d fibres", count, m->rods);
        return;
    }
    for (int k = 0; k < count; ++k) {
        int n;
        const Json **values = sn__read_list(reader, lists[k], &n);
        if (values && n != m->slices)
            sn__reader_error(reader, lists[k], "has %d radii for %d vertices", n, m->slices);
        for (int j = 0; values && n == m->slices && j < n; ++j)
            sn__read_float(reader, values[j], range, &radii[k * n + j]);
    }
}

static bool read_fibre_shape(Reader *reader, const Json *json, SceneMuscle *m) {
    const JsonDoc *doc = &reader->doc;
    const Json *spindle = sn__json_member(doc, json, "spindle");
    const Json *fibres = sn__json_member(doc, json, "fibres");
    const Json *radius = sn__json_member(doc, json, "radius");
    if ((spindle != NULL) == (fibres != NULL)) {
        sn__reader_error(reader, json, "needs one of: spindle, fibres");
        return false;
    }
    if (fibres && radius == NULL) {
        sn__reader_error(reader, json, "\"fibres\" need a \"radius\"");
        return false;
    }
    if (!(spindle ? read_spindle(reader, spindle, m) : read_fibres(reader, fibres, m)))
        return false;
    if (radius)
        read_radius(reader, radius, m);
    return true;
}

// The name of a frame, "world" or "free".
static void read_end(Reader *reader, const Json *json, const NameTable *frames, MusclePlace *end) {
    const char *text = NULL;
    end->frame = -1;
    if (json == NULL)
        return;
    if (json->kind == JSON_STRING && sn__read_text(reader, json, &text)) {
        end->free = strcmp(text, "free") == 0;
        if (end->free || strcmp(text, "world") == 0)
            return;
    }
    end->frame = sn__read_name(reader, frames, json, "frame");
}

static void read_fibre_activation(Reader *reader, const Json *json, SceneMuscle *m) {
    const Range range = {0, 1, false};
    int count;
    const Json **values = sn__read_list(reader, json, &count);
    if (values && count != m->rods) {
        sn__reader_error(reader, json, "has %d values for %d fibres", count, m->rods);
        return;
    }
    m->fibre_activation = sn__reader_alloc(reader, (size_t)m->rods, sizeof(float));
    for (int k = 0; values && m->fibre_activation && k < count; ++k)
        sn__read_float(reader, values[k], range, &m->fibre_activation[k]);
}

static void read_words(Reader *reader, const Json *json, SceneMuscle *m) {
    static const char *const matchings[] = {"scaled", "rigid"};       // as SnMatching
    static const char *const drives[] = {"shorten", "force", "hill"}; // as SnMuscleDrive
    const Json *matching = sn__json_member(&reader->doc, json, "matching");
    const Json *drive = sn__json_member(&reader->doc, json, "drive");
    int number = 0;
    if (matching && sn__read_word(reader, matching, matchings, 2, &number))
        m->matching = (SnMatching)number;
    if (drive && sn__read_word(reader, drive, drives, 3, &number))
        m->drive = (SnMuscleDrive)number;
}

// The table has read its numbers into 0s, which are not the defaults.
static void use_defaults(Reader *reader, const Json *json, SceneMuscle *m) {
    const SnMuscleDef d = sn_default_muscle_def();
    const struct {
        const char *key;
        float *value, by_default;
    } rows[] = {
        {"packing", &m->packing, d.packing},
        {"section_compliance", &m->section_compliance, d.section_compliance},
        {"carry", &m->carry, d.carry},
        {"tendon", &m->tendon, d.tendon},
        {"tendon_stiffening", &m->tendon_stiffening, d.tendon_stiffening},
        {"shortening", &m->shortening, d.shortening},
        {"stress", &m->stress, d.stress},
        {"rise_time", &m->rise_time, d.rise_time},
        {"fall_time", &m->fall_time, d.fall_time},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i)
        if (sn__json_member(&reader->doc, json, rows[i].key) == NULL)
            *rows[i].value = rows[i].by_default;
    m->hill = d.hill;
    m->matching = d.section_matching;
    m->drive = d.drive;
}

static void read_muscle(Reader *reader, SnScene *scene, const Json *json, SceneBody *body,
                        const SceneNames *names) {
    SceneMuscle *m = (SceneMuscle *)body;
    const JsonDoc *doc = &reader->doc;
    SnMuscleDef def = sn_default_muscle_def();
    use_defaults(reader, json, m);
    body->self_collide = false;
    if (!read_fibre_shape(reader, json, m))
        return;
    read_words(reader, json, m);
    read_end(reader, sn__json_member(doc, json, "origin_frame"), &names->frames, &m->end[0]);
    read_end(reader, sn__json_member(doc, json, "insertion_frame"), &names->frames, &m->end[1]);
    const Json *hill = sn__json_member(doc, json, "hill");
    const Json *fibres = sn__json_member(doc, json, "fibre_activation");
    if (hill)
        sn__read_object(reader, hill, &sn__table_hill, &m->hill);
    if (fibres)
        read_fibre_activation(reader, fibres, m);
    sn__read_body(reader, scene, json, body, names, &def.material);
    m->skeleton = -1;
    if (m->under_skin)
        sn__read_bundle(reader, scene, json, m);
}

static SnResult animate_muscle(SnWorld *world, const SceneBody *body, SnBodyId id) {
    return sn_muscle_activate(world, id, ((const SceneMuscle *)body)->activation);
}

static SnResult build_muscle(const SnScene *scene, SnWorld *world, const SceneBody *body, int copy,
                             const SceneScratch *scratch, SnBodyId *out_id) {
    const SceneMuscle *m = (const SceneMuscle *)body;
    Placement p = sn__place_copy(&body->place, copy);
    SnMuscleDef def = sn_default_muscle_def();
    SnFrameId *ends[2] = {&def.origin, &def.insertion};
    for (int e = 0; e < 2; ++e)
        if (m->end[e].frame >= 0)
            *ends[e] = scene->frames[m->end[e].frame].id;
    for (int i = 0; i < body->point_count; ++i)
        scratch->positions[i] = sn__place_point(&p, body->positions[i]);
    def.name = scene->body_names[body->first + copy];
    def.rod_count = m->rods;
    def.slice_count = m->slices;
    def.positions = scratch->positions;
    def.radii = body->radii;
    def.material = scene->materials[body->material].values;
    def.packing = m->packing;
    def.section_compliance = m->section_compliance;
    def.section_matching = m->matching;
    def.origin_free = m->end[0].free;
    def.insertion_free = m->end[1].free;
    def.carry = m->carry;
    def.tendon = m->tendon;
    def.tendon_stiffening = m->tendon_stiffening;
    def.drive = m->drive;
    def.shortening = m->shortening;
    def.stress = m->stress;
    def.hill = m->hill;
    def.rise_time = m->rise_time;
    def.fall_time = m->fall_time;
    def.surface = body->surface;
    def.filter = sn__body_filter(body);
    memcpy(def.origin_point, p.origin, sizeof def.origin_point);
    SnResult result = sn_muscle_create(world, &def, out_id);
    for (int k = 0; m->fibre_activation && k < m->rods && result.code == SN_OK; ++k)
        result = sn_muscle_activate_fibre(world, *out_id, k, m->fibre_activation[k]);
    return result.code == SN_OK ? animate_muscle(world, body, *out_id) : result;
}

static void describe_muscle(const SceneBody *body, SnSceneBody *out) {
    out->kind = SN_BODY_ROD;
    out->flesh_of = ((const SceneMuscle *)body)->skeleton;
}

const SceneKind sn__kind_muscle = {
    .one = "muscle",
    .many = "muscles",
    .size = sizeof(SceneMuscle),
    .table = {"muscle", muscle_keys, KEY_COUNT(muscle_keys), &sn__table_body},
    .read = read_muscle,
    .build = build_muscle,
    .describe = describe_muscle,
    .animate = animate_muscle,
};
