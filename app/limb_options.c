#include "app/limb_options.h"

#include "app/mesh_import.h"
#include "app/terminal.h"
#include "io/json_write.h"

#include <sinew/muscle_model.h>

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Meshes that are longer than this are taken to be in millimetres: no muscle has so many metres.
#define LONGEST_METRES 20.0

// What stands in front of the name of a muscle that is made by code, its length, m, and its triangles.
#define MODEL_PREFIX "muscle:"
#define MODEL_LENGTH 0.3f
#define MODEL_TRIANGLES 20000

static void name_part(LimbPart *part) {
    const char *slash = strrchr(part->path, '/'), *name = slash ? slash + 1 : part->path;
    const char *dot = strrchr(name, '.');
    int length = dot && dot > name ? (int)(dot - name) : (int)strlen(name);
    snprintf(part->name, sizeof part->name, "%.*s", length, name);
    for (char *c = part->name; *c; ++c)
        if ((unsigned char)*c < 0x20 || *c == '"' || *c == '\\')
            *c = '_';
}

// A muscle made by code, by the name of its shape.
static SnResult make_muscle(const char *shape, LimbPart *part) {
    const char *names[SN_MUSCLE_SHAPE_COUNT];
    snprintf(part->name, sizeof part->name, "%s", shape);
    for (int i = 0; i < SN_MUSCLE_SHAPE_COUNT; ++i) {
        names[i] = sn_muscle_shape_name((SnMuscleShape)i);
        if (strcmp(shape, names[i]) == 0)
            return sn_muscle_mesh((SnMuscleShape)i, MODEL_LENGTH, MODEL_TRIANGLES, NULL,
                                  &part->mesh);
    }
    char hint[80];
    options_suggest(hint, sizeof hint, shape, MODEL_PREFIX, names, SN_MUSCLE_SHAPE_COUNT);
    return sn_error(SN_ERROR_INVALID,
                    MODEL_PREFIX
                    "%s: no such muscle, but spindle, strap, fan, curved, bipennate and "
                    "two-headed%s",
                    shape, hint);
}

bool limb_read(const char *path, LimbPart *out_part) {
    size_t prefix = sizeof MODEL_PREFIX - 1;
    *out_part = (LimbPart){.path = path};
    name_part(out_part);
    SnResult result = strncmp(path, MODEL_PREFIX, prefix) == 0
                          ? make_muscle(path + prefix, out_part)
                          : mesh_import(path, &out_part->mesh);
    if (result.code != SN_OK)
        say_error("%s", result.message);
    return result.code == SN_OK;
}

void limb_release(Limb *limb) {
    for (int i = 0; i < limb->count; ++i) {
        sn_mesh_destroy(&limb->parts[i].mesh);
        sn_viper_destroy(&limb->parts[i].muscle);
        sn_bone_pills_destroy(&limb->parts[i].bone);
    }
    free(limb->parts);
    *limb = (Limb){0};
}

double limb_scale(const Limb *limb, double wanted, bool quiet) {
    if (wanted > 0.0)
        return wanted;
    double longest = 0.0;
    for (int i = 0; i < limb->count; ++i)
        longest = fmax(longest, limb_quality(&limb->parts[i]).length);
    if (longest <= LONGEST_METRES)
        return 1.0;
    if (!quiet)
        say_note("a length of %.3g: taken as millimetres; --scale says otherwise", longest);
    return 0.001;
}

// Numbers between commas, up to `most`; -1: something else is there.
static int read_numbers(const char **text, double *numbers, int most) {
    for (int count = 0;; ++*text) {
        char *end;
        double number = strtod(*text, &end);
        if (end == *text || !isfinite(number) || count == most)
            return -1;
        numbers[count++] = number;
        for (*text = end; isspace((unsigned char)**text); ++*text)
            continue;
        if (**text != ',')
            return count;
    }
}

static const char *read_vertices(const char *text, SnFitEnd *end) {
    size_t most = strlen(text) / 2 + 1;
    int *vertices = calloc(most, sizeof *vertices);
    end->vertices = vertices;
    if (vertices == NULL)
        return "no memory";
    for (;; ++text) {
        char *after;
        long vertex = strtol(text, &after, 10);
        if (after == text || vertex < 0 || vertex > INT32_MAX)
            return "expected numbers of vertices, as in vertices:3,17,99";
        vertices[end->vertex_count++] = (int)vertex;
        for (text = after; isspace((unsigned char)*text); ++text)
            continue;
        if (*text == '\0')
            return NULL;
        if (*text != ',')
            return "expected a comma between numbers of vertices";
    }
}

const char *limb_read_end(const char *text, SnFitEnd *out_end) {
    static const char vertices[] = "vertices:";
    *out_end = (SnFitEnd){0};
    if (strncmp(text, vertices, sizeof vertices - 1) == 0)
        return read_vertices(text + sizeof vertices - 1, out_end);
    SnFitSphere *spheres = calloc(strlen(text) / 5 + 1, sizeof *spheres);
    out_end->spheres = spheres;
    if (spheres == NULL)
        return "no memory";
    for (;; ++text) {
        double n[4] = {0.0};
        int count = read_numbers(&text, n, 4);
        if (count < 3)
            return "expected spheres as x,y,z,radius with ; between them, or vertices:3,17,99";
        spheres[out_end->sphere_count++] =
            (SnFitSphere){sn_vec3((float)n[0], (float)n[1], (float)n[2]), (float)n[3]};
        if (*text == '\0')
            return NULL;
        if (*text != ';')
            return "expected ; between spheres";
    }
}

SnFitQuality limb_quality(const LimbPart *part) {
    return part->is_bone ? part->bone.quality : part->muscle.quality;
}

const SnFitReport *limb_report(const LimbPart *part) {
    return part->is_bone ? &part->bone.report : &part->muscle.report;
}

static const char *grade(double share) {
    return share < 0.025 ? "very close" : share < 0.06 ? "close" : share < 0.12 ? "rough" : "poor";
}

void limb_print(const LimbPart *part) {
    SnFitQuality q = limb_quality(part);
    const SnFitReport *report = limb_report(part);
    for (int i = 0; i < report->message_count; ++i)
        say_note("%s: %s", part->name, report->messages[i]);
    if (part->is_bone)
        printf("%s: %d pills between %d spheres", part->path, part->bone.pill_count,
               part->bone.sphere_count);
    else
        printf("%s: %d rods of %d points", part->path, part->muscle.rod_count,
               part->muscle.slice_count);
    printf(", %.2f s for %d triangles\n", part->seconds, part->mesh.triangle_count);
    printf("  %s: distance from the mesh to the union %.3g rms, %.2f %% of its thickness %.4g\n",
           grade(q.rms / q.thickness), q.rms, 100.0 * q.rms / q.thickness, q.thickness);
    printf("  farthest %.3g (Hausdorff), volume %.2f %% of %.4g, length %.4g\n", q.hausdorff,
           100.0 * q.volume_ratio, q.volume, q.length);
    printf("  %s from %.4g to %.4g long\n  time:", part->is_bone ? "pills" : "rods", q.shortest,
           q.longest);
    for (int i = 0; i < report->stage_count; ++i)
        printf("%s %s %.0f ms", i > 0 ? "," : "", report->stages[i].name, report->stages[i].ms);
    printf("\n");
}

static void put(JsonWriter *json, const char *key, double value) {
    sn__json_put_key(json, key);
    sn__json_put_double(json, value);
}

static void put_part(JsonWriter *json, const LimbPart *part, bool named) {
    SnFitQuality q = limb_quality(part);
    sn__json_open(json, '{');
    if (named) {
        sn__json_put_key(json, "name");
        sn__json_put_string(json, part->name);
    }
    put(json, "volume_ratio", q.volume_ratio);
    put(json, "rms", q.rms);
    put(json, "hausdorff", q.hausdorff);
    put(json, "thickness", q.thickness);
    sn__json_put_key(json, part->is_bone ? "pills" : "rods");
    sn__json_put_int(json, part->is_bone ? part->bone.pill_count : part->muscle.rod_count);
    sn__json_put_key(json, part->is_bone ? "spheres" : "slices");
    sn__json_put_int(json, part->is_bone ? part->bone.sphere_count : part->muscle.slice_count);
    put(json, "seconds", part->seconds);
    sn__json_close(json, '}');
}

void limb_print_json(const Limb *limb) {
    JsonWriter json = {0};
    if (limb->count > 1)
        sn__json_open(&json, '[');
    for (int i = 0; i < limb->count; ++i)
        put_part(&json, &limb->parts[i], limb->count > 1);
    if (limb->count > 1)
        sn__json_close(&json, ']');
    puts(json.text && !json.out_of_memory ? json.text : "");
    sn__json_writer_free(&json);
}
