// Muscles under implicit skins: one entry of "flesh", from the file into the world.
//
// The line of a muscle is a rod that is held on joints and pulled tight (Roussellet et al. 2018, section
// 6.2): between its tendons, segments want to be a tenth as long as they are. A tight line has the same
// stiffness along and across itself, so that the muscle jiggles both ways, and it is at rest when it is
// straight. With masses m_i at s_i along its length L, Rayleigh's quotient of a half sine gives the tension for
// a frequency f: T = (2πf)² (2L/π²) Σ m_i sin²(π s_i/L), which is 4 f² L M for a string of mass M.
//
// A segment of stretching stiffness E A that wants to be c times as long as it is made pulls with
// E A (1/c − 1)/c where it has that length (docs/physics.md, eq. 11 per length as made).
#include "io/scene_flesh.h"

#include <math.h>
#include <string.h>

#include <sinew/implicit.h>

#include "io/scene_parts.h"
#include "io/scene_skeleton.h"
#include "io/tables.h"
#include "math/map.h"

#define PI 3.14159265358979323846
#define DENSITY 1060.0f            // kg/m³, of muscle
#define TIGHT 0.1                  // the length that segments want, over the one they have
#define TENDON_STIFF 1e4           // over that of the muscle
#define THINNEST 0.2               // radius of the line's ends, over the largest
#define FLESH_CATEGORY 0x80000000u // no other body has it unless it asks for all
#define SOFT 1e-3f // of bending and of changes of the cross-section, over the stretching

#define FLESH(name, type, min, max, required, animated)                                            \
    { #name, type, FIELD(SceneFleshMuscle, name), {min, max, false }, required, animated }
static const KeyField flesh_keys[] = {
    BY_HAND_REQUIRED("path"),
    FLESH(volume, KEY_FLOAT, 1e-12, 1e6, true, true),
    FLESH(normal, KEY_VEC3, -3.4e38, 3.4e38, false, false),
    BY_HAND("rest"),
    BY_HAND("active"),
    FLESH(exaggeration, KEY_FLOAT, 0.01, 100, false, true),
    FLESH(points, KEY_INT, 4, SN_MAX_MUSCLE_POINTS, false, false),
    FLESH(tendon, KEY_FLOAT, 0, 0.45, false, false),
    FLESH(frequency, KEY_FLOAT, 0.1, 1000, false, true),
    FLESH(damping, KEY_FLOAT, 0, 10, false, false),
    FLESH(activation, KEY_FLOAT, 0, 1, false, true),
    BY_HAND("activated_by"),
};

static void use_defaults(Reader *reader, const Json *json, SceneFleshMuscle *m) {
    const struct {
        const char *key;
        float *value, by_default;
    } rows[] = {{"exaggeration", &m->exaggeration, 1.0f},
                {"tendon", &m->tendon, 0.1f},
                {"frequency", &m->frequency, 12.0f},
                {"damping", &m->damping, 0.3f},
                {"gravity_scale", &m->body.gravity_scale, 0.0f}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i)
        if (sn__json_member(&reader->doc, json, rows[i].key) == NULL)
            *rows[i].value = rows[i].by_default;
    if (m->points == 0) // left out, or complained about
        m->points = 16;
    SnMuscleFieldDef def = sn_default_muscle_field_def();
    m->rest = def.rest;
    m->active = def.active;
    m->drive.joint = -1;
}

int sn__skeleton_of_frame(const SnScene *scene, int frame) {
    for (int s = 0; s < scene->skeleton_count; ++s) {
        const SceneSkeleton *entry = &scene->skeletons[s];
        int joints = entry->skeleton ? sn_skeleton_joint_count(entry->skeleton) : 0;
        if (frame >= entry->first_frame && frame < entry->first_frame + joints)
            return s;
    }
    return -1;
}

static bool read_point(Reader *reader, const SnScene *scene, const Json *json,
                       const NameTable *frames, SceneFleshMuscle *m, FleshPoint *point) {
    if (!sn__read_object(reader, json, &sn__table_flesh_point, point))
        return false;
    const Json *frame = sn__json_member(&reader->doc, json, "frame");
    point->frame = sn__read_name(reader, frames, frame, "frame");
    if (point->frame < 0)
        return false;
    int skeleton = sn__skeleton_of_frame(scene, point->frame);
    if (skeleton < 0 || (m->skeleton >= 0 && m->skeleton != skeleton)) {
        sn__reader_error(reader, frame,
                         skeleton < 0 ? "is no joint of a skeleton"
                                      : "is a joint of another skeleton than the first point's");
        return false;
    }
    m->skeleton = skeleton;
    return true;
}

static bool read_path(Reader *reader, const SnScene *scene, const Json *json,
                      const NameTable *frames, SceneFleshMuscle *m) {
    int count;
    const Json **items = sn__read_list(reader, json, &count);
    m->skeleton = -1;
    if (items && (count < 2 || count > m->points / 2)) {
        sn__reader_error(reader, json, "has %d points, not 2 to %d, half of those of the line",
                         count, m->points / 2);
        return false;
    }
    m->path = sn__reader_alloc(reader, (size_t)count, sizeof *m->path);
    for (int i = 0; items && i < count && m->path; ++i)
        if (!read_point(reader, scene, items[i], frames, m, &m->path[i]))
            return false;
    m->point_count = count;
    return items && m->path;
}

static double map_scale(const SnMap *map) {
    Map wide = map_wide(map);
    return cbrt(fabs(map_volume(&wide)));
}

// Places of the path, in a pose of the joints; `scale` of the frame's metres are one of the pose's.
static void place_path(const SceneFleshMuscle *m, const SnPose *poses, double scale, Vec3d *out) {
    for (int i = 0; i < m->point_count; ++i)
        out[i] = addd(
            vec3d(poses[i].position),
            rotated(quatd(poses[i].rotation), scaled(vec3d(m->path[i].position), 1.0 / scale)));
}

// Which point of the line each point of the path is, so that they are spread evenly.
static void choose_vertices(SceneFleshMuscle *m, const Vec3d *path) {
    double total = 0.0, done = 0.0;
    int last = m->points - 1;
    for (int i = 1; i < m->point_count; ++i)
        total += lengthd(subd(path[i], path[i - 1]));
    for (int i = 1; i < m->point_count; ++i) {
        done += lengthd(subd(path[i], path[i - 1]));
        int to = total > 0.0 ? (int)lround(last * done / total) : last;
        int least = m->path[i - 1].vertex + 1, most = last - (m->point_count - 1 - i);
        m->path[i].vertex = to < least ? least : to > most ? most : to;
    }
}

static void fill_line(const SceneFleshMuscle *m, const Vec3d *path, SnVec3 *line) {
    for (int i = 1; i < m->point_count; ++i) {
        int from = m->path[i - 1].vertex, to = m->path[i].vertex;
        for (int k = from; k <= to; ++k) {
            double t = (double)(k - from) / (to - from);
            line[k] = vec3f(addd(path[i - 1], scaled(subd(path[i], path[i - 1]), t)));
        }
    }
}

static double line_length(const SnVec3 *line, int count) {
    double length = 0.0;
    for (int i = 1; i < count; ++i)
        length += (double)sn_vec3_length(sn_vec3_sub(line[i], line[i - 1]));
    return length;
}

bool sn__find_bound(Reader *reader, SceneSkeleton *entry, const Json *json) {
    if (entry->bound)
        return true;
    size_t joints = (size_t)sn_skeleton_joint_count(entry->skeleton);
    entry->bound = sn__reader_alloc(reader, joints, sizeof *entry->bound);
    if (entry->bound == NULL)
        return false;
    SnResult result = sn_skeleton_bound_maps(entry->skeleton, entry->bound);
    if (result.code != SN_OK)
        sn__reader_error(reader, json, "%s", result.message);
    return result.code == SN_OK;
}

float sn__bound_scale(Reader *reader, SceneSkeleton *entry, int joint) {
    size_t joints = (size_t)sn_skeleton_joint_count(entry->skeleton);
    SnTransform *locals = sn__reader_alloc(reader, joints, sizeof *locals);
    SnMap *maps = sn__reader_alloc(reader, joints, sizeof *maps);
    if (reader->out_of_memory)
        return 0.0f;
    SnMap place = sn__skeleton_place(entry);
    sn_skeleton_rest(entry->skeleton, locals);
    sn_skeleton_maps(entry->skeleton, locals, &place, maps);
    double bound = map_scale(&entry->bound[joint]);
    return bound > 0.0 ? (float)(map_scale(&maps[joint]) / bound) : 1.0f;
}

// The lines at rest and at the start, and the normals of both ends.
static bool place_lines(Reader *reader, SnScene *scene, const Json *json, SceneFleshMuscle *m) {
    SceneSkeleton *entry = &scene->skeletons[m->skeleton];
    size_t points = (size_t)m->point_count;
    SnPose *poses = sn__reader_alloc(reader, 2 * points, sizeof *poses);
    Vec3d *path = sn__reader_alloc(reader, points, sizeof *path);
    m->body.positions = sn__reader_alloc(reader, (size_t)m->points, sizeof(SnVec3));
    m->rest_line = sn__reader_alloc(reader, (size_t)m->points, sizeof(SnVec3));
    if (reader->out_of_memory || !sn__find_bound(reader, entry, json))
        return false;
    SnPose *bound = poses + points;
    for (int i = 0; i < m->point_count; ++i) {
        int frame = m->path[i].frame;
        poses[i] = sn__scene_frame_pose(&scene->frames[frame]);
        bound[i] = sn_map_pose(&entry->bound[frame - entry->first_frame]);
    }
    int origin = m->path[0].frame - entry->first_frame;
    m->rest_scale = sn__bound_scale(reader, entry, origin);
    if (reader->out_of_memory)
        return false;
    if (!(m->rest_scale > 0.0f)) {
        sn__reader_error(reader, json, "its first joint is scaled to nothing");
        return false;
    }
    place_path(m, bound, (double)m->rest_scale, path);
    choose_vertices(m, path);
    fill_line(m, path, m->rest_line);
    place_path(m, poses, 1.0, path);
    fill_line(m, path, m->body.positions);
    Quatd first = quatd(bound[0].rotation), last = quatd(bound[m->point_count - 1].rotation);
    Vec3d normal = rotated(first, vec3d(m->normal));
    m->rest_normal = vec3f(normal);
    m->insertion_normal = vec3f(rotated(conjugated(last), normal));
    if (!(line_length(m->body.positions, m->points) > 1e-6)) {
        sn__reader_error(reader, json, "its path has no length");
        return false;
    }
    return true;
}

SnMuscleFieldDef sn__flesh_field_def(const SceneFleshMuscle *m, const SnVec3 *line) {
    SnMuscleFieldDef def = sn_default_muscle_field_def();
    def.point_count = m->points;
    def.line = line;
    def.volume = m->volume;
    def.rest = m->rest;
    def.active = m->active;
    def.exaggeration = m->exaggeration;
    return def;
}

// Radii as the profile at rest has them, and masses; stretching is as stiff everywhere, tendons apart.
static bool shape_rod(Reader *reader, const Json *json, SceneFleshMuscle *m,
                      SnRodMaterial *material) {
    SceneBody *body = &m->body;
    size_t n = (size_t)m->points;
    SnMuscleField *field = NULL;
    SnMuscleFieldDef def = sn__flesh_field_def(m, body->positions);
    SnResult result = sn_muscle_field_create(&def, NULL, &field);
    if (result.code != SN_OK) {
        sn__reader_error(reader, json, "%s", result.message);
        return false;
    }
    body->radii = sn__reader_alloc(reader, n, sizeof(float));
    m->masses = sn__reader_alloc(reader, n, sizeof(float));
    m->stretch_factors = sn__reader_alloc(reader, n, sizeof(float));
    float widest = 0.0f;
    for (int i = 0; i < m->points && !reader->out_of_memory; ++i) {
        body->radii[i] = (float)sn_muscle_field_radius(field, (double)i / (m->points - 1));
        widest = fmaxf(widest, body->radii[i]);
    }
    sn_muscle_field_destroy(field);
    if (reader->out_of_memory)
        return false;
    for (int i = 0; i < m->points; ++i)
        body->radii[i] = fmaxf(body->radii[i], (float)THINNEST * widest);
    m->tendon_segments = (int)lroundf(m->tendon * (float)(m->points - 1));
    double modal = 0.0, length = line_length(body->positions, m->points);
    for (int i = 0; i + 1 < m->points; ++i) {
        double r = 0.5 * ((double)body->radii[i] + (double)body->radii[i + 1]);
        double own = (double)DENSITY * PI * r * r * length / (m->points - 1);
        bool tendon = i < m->tendon_segments || i >= m->points - 1 - m->tendon_segments;
        m->masses[i] += (float)(0.5 * own);
        m->masses[i + 1] += (float)(0.5 * own);
        m->stretch_factors[i] =
            (float)((double)widest * (double)widest / (r * r) * (tendon ? TENDON_STIFF : 1.0));
        m->stretch_factors[i] = fmaxf(1.0f, m->stretch_factors[i]);
    }
    for (int i = 0; i < m->points; ++i)
        modal += (double)m->masses[i] * pow(sin(PI * i / (m->points - 1)), 2.0);
    double f = (double)m->frequency, pull = (1.0 / TIGHT - 1.0) / TIGHT;
    double tension = 8.0 * f * f * length * modal;
    *material = sn_default_rod_material();
    material->density = DENSITY;
    material->young = (float)(tension / (pull * PI * (double)widest * (double)widest));
    material->shear = material->young;
    material->bend = material->twist = material->cross_section = material->scale_gradient =
        SOFT * material->young;
    material->scale_bend = 0.0f;
    // Tendons start with the tension they will bear.
    double k = pull / TENDON_STIFF; // (1 − c)/c² = k
    m->tendon_scale = (float)((sqrt(1.0 + 4.0 * k) - 1.0) / (2.0 * k));
    return true;
}

static void read_drive(Reader *reader, const SnScene *scene, const Json *json,
                       const NameTable *frames, SceneFleshMuscle *m) {
    if (!sn__read_object(reader, json, &sn__table_flesh_drive, &m->drive))
        return;
    const Json *joint = sn__json_member(&reader->doc, json, "frame");
    int frame = sn__read_name(reader, frames, joint, "frame");
    if (frame < 0)
        return;
    if (sn__skeleton_of_frame(scene, frame) != m->skeleton)
        sn__reader_error(reader, joint, "is no joint of the muscle's skeleton");
    else if (m->drive.from == m->drive.to)
        sn__reader_error(reader, json, "\"from\" and \"to\" are the same angle");
    m->drive.joint = frame - scene->skeletons[m->skeleton].first_frame;
}

static void read_flesh(Reader *reader, SnScene *scene, const Json *json, SceneBody *body,
                       const SceneNames *names) {
    SceneFleshMuscle *m = (SceneFleshMuscle *)body;
    const JsonDoc *doc = &reader->doc;
    SnRodMaterial material = sn_default_rod_material();
    use_defaults(reader, json, m);
    body->self_collide = false;
    const Json *path = sn__json_member(doc, json, "path"), *member;
    if (path == NULL || !(m->volume > 0.0f) || !read_path(reader, scene, path, &names->frames, m))
        return;
    if ((member = sn__json_member(doc, json, "rest")))
        sn__read_object(reader, member, &sn__table_flesh_profile, &m->rest);
    if ((member = sn__json_member(doc, json, "active")))
        sn__read_object(reader, member, &sn__table_flesh_profile, &m->active);
    if ((member = sn__json_member(doc, json, "activated_by")))
        read_drive(reader, scene, member, &names->frames, m);
    if ((member = sn__json_member(doc, json, "copies")))
        sn__reader_error(reader, member, "a muscle of a skeleton cannot be copied");
    if (!place_lines(reader, scene, json, m) || !shape_rod(reader, json, m, &material))
        return;
    body->point_count = m->points;
    body->element_count = m->points - 1;
    sn__read_body(reader, scene, json, body, names, &material);
    m->made = scene->materials[body->material].values;
    m->made_frequency = m->frequency;
    if (sn__json_member(doc, json, "filter") == NULL) {
        // Muscles lie side by side; bones and everything else they touch.
        body->filter.category = FLESH_CATEGORY;
        body->filter.mask = ~FLESH_CATEGORY;
    }
}

static SnResult hold(const SnScene *scene, SnWorld *world, const SceneFleshMuscle *m, SnBodyId id) {
    SnResult result = sn_ok();
    for (int i = 0; i < m->point_count && result.code == SN_OK; ++i) {
        SnAttachmentDef def = sn_default_attachment_def();
        def.body = id;
        def.index = m->path[i].vertex;
        def.frame = scene->frames[m->path[i].frame].id;
        def.keep_current = false;
        def.position = m->path[i].position;
        result = sn_attachment_create(world, &def, NULL);
    }
    return result;
}

static SnResult build_flesh(const SnScene *scene, SnWorld *world, const SceneBody *body, int copy,
                            const SceneScratch *scratch, SnBodyId *out_id) {
    const SceneFleshMuscle *m = (const SceneFleshMuscle *)body;
    (void)scratch;
    SnRodDef def = sn_default_rod_def();
    def.name = scene->body_names[body->first + copy];
    def.vertex_count = body->point_count;
    def.positions = body->positions;
    def.radii = body->radii;
    def.material = scene->materials[body->material].values;
    def.stretch_factors = m->stretch_factors;
    def.surface = body->surface;
    def.filter = sn__body_filter(body);
    def.self_collide = false;
    def.gravity_scale = body->gravity_scale;
    SnResult result = sn_rod_create(world, &def, out_id);
    int tendon = m->tendon_segments, last = body->element_count - tendon;
    if (result.code == SN_OK)
        result = sn_rod_set_length_scale(world, *out_id, tendon, last - tendon, (float)TIGHT);
    if (result.code == SN_OK && tendon > 0)
        result = sn_rod_set_length_scale(world, *out_id, 0, tendon, m->tendon_scale);
    if (result.code == SN_OK && tendon > 0)
        result = sn_rod_set_length_scale(world, *out_id, last, tendon, m->tendon_scale);
    return result.code == SN_OK ? hold(scene, world, m, *out_id) : result;
}

// The tension of a string goes as the square of its frequency, and so does its material here, all of it.
static SnResult animate_flesh(SnWorld *world, const SceneBody *body, SnBodyId id) {
    const SceneFleshMuscle *m = (const SceneFleshMuscle *)body;
    float ratio = m->frequency / m->made_frequency, by = ratio * ratio;
    SnRodMaterial material = m->made;
    float *const stiffnesses[] = {&material.young,         &material.shear,
                                  &material.bend,          &material.twist,
                                  &material.cross_section, &material.scale_gradient};
    for (size_t i = 0; i < sizeof stiffnesses / sizeof *stiffnesses; ++i)
        *stiffnesses[i] *= by;
    SnRodMaterial now;
    SnResult result = sn_rod_material(world, id, &now);
    if (result.code != SN_OK || now.young == material.young)
        return result;
    return sn_rod_set_material(world, id, &material);
}

static void describe_flesh(const SceneBody *body, SnSceneBody *out) {
    const SceneFleshMuscle *m = (const SceneFleshMuscle *)body;
    out->kind = SN_BODY_ROD;
    out->flesh_of = m->skeleton;
}

static void *find_profile(SceneBody *body, const char *key, const KeyTable **out_table) {
    SceneFleshMuscle *m = (SceneFleshMuscle *)body;
    *out_table = &sn__table_flesh_profile;
    return strcmp(key, "rest") == 0 ? &m->rest : strcmp(key, "active") == 0 ? &m->active : NULL;
}

const SceneKind sn__kind_flesh = {
    .one = "muscle",
    .many = "muscles",
    .size = sizeof(SceneFleshMuscle),
    .table = {"flesh", flesh_keys, KEY_COUNT(flesh_keys), &sn__table_body},
    .keeps_material = true,
    .read = read_flesh,
    .build = build_flesh,
    .describe = describe_flesh,
    .animate = animate_flesh,
    .find_part = find_profile,
};

const SceneFleshMuscle *sn__scene_flesh(const SceneBody *body) {
    return body->kind == &sn__kind_flesh ? (const SceneFleshMuscle *)body : NULL;
}
