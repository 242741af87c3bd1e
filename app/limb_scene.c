// The scene that a conversion writes, and the meshes of its skins.
#include "app/limb.h"
#include "app/limb_touch.h"
#include "app/write_obj.h"

#include "io/file.h"
#include "io/json_write.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PI 3.14159265358979323846

// How far a muscle without bones shortens, and how long it takes for that, s.
#define SHORTEST 0.88
#define CONTRACTION 1.0
// Of a fibre, over the thickness of its muscle; and what a scene may have at least, m.
#define LEAST_RADIUS 1e-3f
#define LEAST_METRES 1.1e-5f

// A point of a muscle's rods or of a bone where it is in the scene, m.
static SnVec3 in_metres(const Limb *limb, SnVec3 x) {
    SnVec3 upright = limb->z_is_up ? sn_vec3(x.x, x.z, -x.y) : x;
    return sn_vec3_scale(upright, (float)limb->scale);
}

static void put_text(JsonWriter *json, const char *key, const char *value) {
    sn__json_put_key(json, key);
    sn__json_put_string(json, value);
}

static void put_vec(JsonWriter *json, SnVec3 x) {
    sn__json_open(json, '[');
    sn__json_put_float(json, x.x);
    sn__json_put_float(json, x.y);
    sn__json_put_float(json, x.z);
    sn__json_close(json, ']');
}

static void put_key_vec(JsonWriter *json, const char *key, SnVec3 x) {
    sn__json_put_key(json, key);
    put_vec(json, x);
}

static SnVec3 mean_of_end(const Limb *limb, const SnViper *m, bool last) {
    SnVec3 sum = sn_vec3(0.0f, 0.0f, 0.0f);
    for (int k = 0; k < m->rod_count; ++k)
        sum = sn_vec3_add(sum, m->positions[k * m->slice_count + (last ? m->slice_count - 1 : 0)]);
    return in_metres(limb, sn_vec3_scale(sum, 1.0f / (float)m->rod_count));
}

static SnVec3 bone_centre(const Limb *limb, const SnBonePills *bone) {
    SnVec3 sum = sn_vec3(0.0f, 0.0f, 0.0f);
    for (int i = 0; i < bone->sphere_count; ++i)
        sum = sn_vec3_add(sum, bone->positions[i]);
    return in_metres(limb, sn_vec3_scale(sum, 1.0f / (float)bone->sphere_count));
}

// What holds an end of a muscle: the nearest bone, or a frame of its own.
static void holder_name(const Limb *limb, const LimbPart *part, bool last, char *name,
                        size_t size) {
    int bone = limb_nearest_bone(limb, &part->muscle, last, NULL);
    if (bone >= 0)
        snprintf(name, size, "%s", limb->parts[bone].name);
    else
        snprintf(name, size, "%s %s", part->name, last ? "sink" : "source");
}

// The sink of a muscle without bones comes nearer and goes back again.
static void put_motion(JsonWriter *json, SnVec3 from, SnVec3 to) {
    SnVec3 near = sn_vec3_add(sn_vec3_scale(from, 1.0f - (float)SHORTEST),
                              sn_vec3_scale(to, (float)SHORTEST));
    const SnVec3 places[3] = {to, near, to};
    sn__json_put_key(json, "animation");
    sn__json_open(json, '[');
    sn__json_open(json, '{');
    put_text(json, "target", "position");
    put_text(json, "interpolation", "smooth");
    sn__json_put_key(json, "keys");
    sn__json_open(json, '[');
    for (int i = 0; i < 3; ++i) {
        sn__json_open(json, '[');
        sn__json_put_double(json, CONTRACTION * i);
        put_vec(json, places[i]);
        sn__json_close(json, ']');
    }
    sn__json_close(json, ']');
    sn__json_close(json, '}');
    sn__json_close(json, ']');
}

static void put_frames(JsonWriter *json, const Limb *limb) {
    sn__json_put_key(json, "frames");
    sn__json_open(json, '[');
    for (int i = 0; i < limb->count; ++i) {
        const LimbPart *part = &limb->parts[i];
        if (part->is_bone) {
            sn__json_put_space(json, "\n  ");
            sn__json_open(json, '{');
            put_text(json, "name", part->name);
            put_key_vec(json, "position", bone_centre(limb, &part->bone));
            sn__json_close(json, '}');
            continue;
        }
        for (int last = 0; last < 2 && limb_nearest_bone(limb, &part->muscle, last, NULL) < 0;
             ++last) {
            char name[96];
            holder_name(limb, part, last, name, sizeof name);
            SnVec3 source = mean_of_end(limb, &part->muscle, false);
            SnVec3 sink = mean_of_end(limb, &part->muscle, true);
            sn__json_put_space(json, "\n  ");
            sn__json_open(json, '{');
            put_text(json, "name", name);
            put_key_vec(json, "position", last ? sink : source);
            if (last)
                put_motion(json, source, sink);
            sn__json_close(json, '}');
        }
    }
    sn__json_close(json, ']');
}

static void put_fibres(JsonWriter *json, const Limb *limb, const SnViper *m) {
    sn__json_put_key(json, "fibres");
    sn__json_open(json, '[');
    for (int k = 0; k < m->rod_count; ++k) {
        sn__json_put_space(json, "\n   ");
        sn__json_open(json, '[');
        for (int j = 0; j < m->slice_count; ++j)
            put_vec(json, in_metres(limb, m->positions[k * m->slice_count + j]));
        sn__json_close(json, ']');
    }
    sn__json_close(json, ']');
    // Where rods are crowded, as in parts of a slice that next to nothing goes through, radii come near to nothing.
    const float least =
        fmaxf(LEAST_RADIUS * (float)m->quality.thickness, LEAST_METRES / (float)limb->scale);
    sn__json_put_space(json, "\n   ");
    sn__json_put_key(json, "radius");
    sn__json_open(json, '[');
    for (int k = 0; k < m->rod_count; ++k) {
        sn__json_open(json, '[');
        for (int j = 0; j < m->slice_count; ++j)
            sn__json_put_float(json,
                               fmaxf(m->radii[k * m->slice_count + j], least) * (float)limb->scale);
        sn__json_close(json, ']');
    }
    sn__json_close(json, ']');
}

// Rods that fill a mesh overlap: of the frustums that they are made of, so much is muscle.
static double packing_of(const SnViper *m) {
    double sum = 0.0;
    for (int k = 0; k < m->rod_count; ++k)
        for (int j = 0; j + 1 < m->slice_count; ++j) {
            int v = k * m->slice_count + j;
            double a = (double)m->radii[v], b = (double)m->radii[v + 1];
            SnVec3 p = m->positions[v], q = m->positions[v + 1];
            double x = (double)q.x - (double)p.x, y = (double)q.y - (double)p.y,
                   z = (double)q.z - (double)p.z;
            sum += PI / 3.0 * sqrt(x * x + y * y + z * z) * (a * a + a * b + b * b);
        }
    double part = m->quality.volume * m->quality.volume_ratio / sum;
    return fmin(fmax(part, 0.01), 10.0);
}

static void put_muscle(JsonWriter *json, const Limb *limb, const LimbPart *part) {
    sn__json_put_space(json, "\n  ");
    sn__json_open(json, '{');
    put_text(json, "name", part->name);
    put_text(json, "colour", "#b4483c");
    for (int last = 0; last < 2; ++last) {
        char holder[96];
        holder_name(limb, part, last, holder, sizeof holder);
        put_text(json, last ? "insertion_frame" : "origin_frame", holder);
    }
    sn__json_put_key(json, "shortening");
    sn__json_put_double(json, 1.0 - SHORTEST);
    sn__json_put_key(json, "packing");
    sn__json_put_float(json, (float)packing_of(&part->muscle));
    put_fibres(json, limb, &part->muscle);
    sn__json_close(json, '}');
}

static void put_muscles(JsonWriter *json, const Limb *limb) {
    sn__json_put_key(json, "muscles");
    sn__json_open(json, '[');
    for (int i = 0; i < limb->count; ++i)
        if (!limb->parts[i].is_bone)
            put_muscle(json, limb, &limb->parts[i]);
    sn__json_close(json, ']');
}

// A muscle without bones contracts and lets go.
static void put_activation(JsonWriter *json, const LimbPart *part) {
    char target[128];
    snprintf(target, sizeof target, "/muscles/%s/activation", part->name);
    sn__json_put_space(json, "\n  ");
    sn__json_open(json, '{');
    put_text(json, "target", target);
    put_text(json, "interpolation", "smooth");
    sn__json_put_key(json, "keys");
    sn__json_open(json, '[');
    for (int i = 0; i < 3; ++i) {
        sn__json_open(json, '[');
        sn__json_put_double(json, CONTRACTION * i);
        sn__json_put_double(json, i == 1 ? 1.0 : 0.0);
        sn__json_close(json, ']');
    }
    sn__json_close(json, ']');
    sn__json_close(json, '}');
}

static void put_activations(JsonWriter *json, const Limb *limb) {
    sn__json_put_key(json, "animation");
    sn__json_open(json, '[');
    for (int i = 0; i < limb->count; ++i) {
        const LimbPart *part = &limb->parts[i];
        if (!part->is_bone && limb_nearest_bone(limb, &part->muscle, true, NULL) < 0)
            put_activation(json, part);
    }
    sn__json_close(json, ']');
}

static void pill_name(const LimbPart *part, int pill, char *name, size_t size) {
    snprintf(name, size, "%s pill %d", part->name, pill);
}

static void put_bones(JsonWriter *json, const Limb *limb) {
    sn__json_put_key(json, "colliders");
    sn__json_open(json, '[');
    for (int i = 0; i < limb->count; ++i) {
        const LimbPart *part = &limb->parts[i];
        for (int p = 0; part->is_bone && p < part->bone.pill_count; ++p) {
            SnVec3 centre = bone_centre(limb, &part->bone);
            const SnBonePills *bone = &part->bone;
            int a = bone->edges[2 * p], b = bone->edges[2 * p + 1];
            char name[96];
            pill_name(part, p, name, sizeof name);
            sn__json_put_space(json, "\n  ");
            sn__json_open(json, '{');
            put_text(json, "name", name);
            put_text(json, "frame", part->name);
            put_text(json, "colour", "#e8e0cc");
            sn__json_put_key(json, "pill");
            sn__json_open(json, '{');
            put_key_vec(json, "from", sn_vec3_sub(in_metres(limb, bone->positions[a]), centre));
            put_key_vec(json, "to", sn_vec3_sub(in_metres(limb, bone->positions[b]), centre));
            sn__json_put_key(json, "radius");
            sn__json_open(json, '{');
            sn__json_put_key(json, "from");
            sn__json_put_float(json, bone->radii[a] * (float)limb->scale);
            sn__json_put_key(json, "to");
            sn__json_put_float(json, bone->radii[b] * (float)limb->scale);
            sn__json_close(json, '}');
            sn__json_close(json, '}');
            sn__json_close(json, '}');
        }
    }
    sn__json_close(json, ']');
}

static void put_pair(JsonWriter *json, const char *a, const char *b) {
    sn__json_put_space(json, "\n  ");
    sn__json_open(json, '[');
    sn__json_put_string(json, a);
    sn__json_put_string(json, b);
    sn__json_close(json, ']');
}

// What overlaps at rest must not push itself apart.
static void put_ignored_of(JsonWriter *json, const Limb *limb, int number) {
    const LimbPart *part = &limb->parts[number];
    char other[96];
    for (int i = 0; i < limb->count; ++i) {
        const LimbPart *with = &limb->parts[i];
        for (int p = 0; with->is_bone && p < with->bone.pill_count; ++p)
            if (limb_muscle_meets_pill(&part->muscle, &with->bone, p)) {
                pill_name(with, p, other, sizeof other);
                put_pair(json, part->name, other);
            }
        if (i < number && !with->is_bone && limb_muscles_meet(&part->muscle, &with->muscle))
            put_pair(json, part->name, with->name);
    }
}

static void put_ignored(JsonWriter *json, const Limb *limb) {
    sn__json_put_key(json, "ignore");
    sn__json_open(json, '[');
    for (int i = 0; i < limb->count; ++i)
        if (!limb->parts[i].is_bone)
            put_ignored_of(json, limb, i);
    sn__json_close(json, ']');
}

// The file of a muscle's skin, beside the scene: SCENE.NAME.obj. False: the path is too long.
static bool skin_path(const char *scene, const LimbPart *part, char *path, size_t size) {
    const char *dot = strrchr(scene, '.'), *slash = strrchr(scene, '/');
    int stem = dot && (slash == NULL || dot > slash) ? (int)(dot - scene) : (int)strlen(scene);
    int length = snprintf(path, size, "%.*s.%s.obj", stem, scene, part->name);
    return length > 0 && (size_t)length < size;
}

static SnVec3 place_vertex(const void *limb, SnVec3 x) { return in_metres(limb, x); }

static SnResult write_skin(const Limb *limb, const LimbPart *part, const char *path) {
    const SnViper *m = &part->muscle;
    const ObjMesh mesh = {.vertex_count = m->vertex_count,
                          .triangle_count = m->triangle_count,
                          .positions = m->mesh_positions,
                          .triangles = m->mesh_triangles,
                          .place = place_vertex,
                          .context = limb};
    return write_obj(&mesh, path);
}

static SnResult put_skin(JsonWriter *json, const Limb *limb, const LimbPart *part,
                         const char *scene) {
    char path[1024];
    if (!skin_path(scene, part, path, sizeof path))
        return sn_error(SN_ERROR_FILE, "%.120s: the path is too long", scene);
    SnResult result = write_skin(limb, part, path);
    const char *slash = strrchr(path, '/');
    sn__json_put_space(json, "\n  ");
    sn__json_open(json, '{');
    sn__json_put_key(json, "rods");
    sn__json_open(json, '[');
    sn__json_put_string(json, part->name);
    sn__json_close(json, ']');
    sn__json_put_key(json, "mesh");
    sn__json_open(json, '{');
    put_text(json, "file", slash ? slash + 1 : path);
    sn__json_close(json, '}');
    sn__json_close(json, '}');
    return result;
}

static SnResult put_skins(JsonWriter *json, const Limb *limb, const char *scene) {
    SnResult result = sn_ok();
    sn__json_put_key(json, "skins");
    sn__json_open(json, '[');
    for (int i = 0; i < limb->count && result.code == SN_OK; ++i)
        if (!limb->parts[i].is_bone)
            result = put_skin(json, limb, &limb->parts[i], scene);
    sn__json_close(json, ']');
    return result;
}

// Muscles hang in what is around them: without that, they need no gravity.
static void put_world(JsonWriter *json) {
    sn__json_put_key(json, "world");
    sn__json_open(json, '{');
    put_key_vec(json, "gravity", sn_vec3(0.0f, 0.0f, 0.0f));
    sn__json_put_key(json, "seconds");
    sn__json_put_double(json, 2.0 * CONTRACTION);
    sn__json_close(json, '}');
}

static SnResult write_text(const JsonWriter *json, const char *path) {
    if (json->out_of_memory || json->text == NULL)
        return sn_error(SN_ERROR_MEMORY, "%s: no memory", path);
    FileWriter writer;
    SnResult result = sn__file_begin(&writer, path);
    if (result.code != SN_OK)
        return result;
    sn__file_write(&writer, json->text, json->size);
    return sn__file_end(&writer);
}

SnResult limb_write_scene(const Limb *limb, const char *path) {
    JsonWriter json = {0};
    sn__json_open(&json, '{');
    sn__json_put_key(&json, "version");
    sn__json_put_int(&json, 1);
    put_text(&json, "name", limb->count == 1 ? limb->parts[0].name : "limb");
    put_world(&json);
    put_frames(&json, limb);
    sn__json_put_space(&json, "\n ");
    put_muscles(&json, limb);
    sn__json_put_space(&json, "\n ");
    put_activations(&json, limb);
    sn__json_put_space(&json, "\n ");
    put_bones(&json, limb);
    sn__json_put_space(&json, "\n ");
    put_ignored(&json, limb);
    sn__json_put_space(&json, "\n ");
    SnResult result = put_skins(&json, limb, path);
    sn__json_close(&json, '}');
    sn__json_put_space(&json, "\n");
    if (result.code == SN_OK)
        result = write_text(&json, path);
    sn__json_writer_free(&json);
    return result;
}
