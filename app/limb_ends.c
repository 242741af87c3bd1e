#include "app/limb_ends.h"

#include "app/limb_read.h"
#include "app/terminal.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Colours that differ by less than this in each of red, green and blue, which go from 0 to 1, are one.
#define ALIKE 0.1f

#define FORMS                                                                                      \
    "expected spheres as x,y,z,radius with ; between them, vertices:3,17,99, bones:NAME,NAME, "    \
    "material:NAME or colour:#rrggbb"

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

static const char *read_vertices(const char *text, LimbPlace *place) {
    place->vertices = calloc(strlen(text) / 2 + 1, sizeof *place->vertices);
    if (place->vertices == NULL)
        return "no memory";
    for (;; ++text) {
        char *after;
        long vertex = strtol(text, &after, 10);
        if (after == text || vertex < 0 || vertex > INT32_MAX)
            return "expected numbers of vertices, as in vertices:3,17,99";
        place->vertices[place->vertex_count++] = (int)vertex;
        for (text = after; isspace((unsigned char)*text); ++text)
            continue;
        if (*text == '\0')
            return NULL;
        if (*text != ',')
            return "expected a comma between numbers of vertices";
    }
}

static const char *read_spheres(const char *text, LimbPlace *place) {
    place->spheres = calloc(strlen(text) / 5 + 1, sizeof *place->spheres);
    if (place->spheres == NULL)
        return "no memory";
    for (;; ++text) {
        double n[4] = {0.0};
        int count = read_numbers(&text, n, 4);
        if (count < 3)
            return FORMS;
        place->spheres[place->sphere_count++] =
            (SnFitSphere){sn_vec3((float)n[0], (float)n[1], (float)n[2]), (float)n[3]};
        if (*text == '\0')
            return NULL;
        if (*text != ';')
            return "expected ; between spheres";
    }
}

static const char *read_colour(const char *text, LimbPlace *place) {
    unsigned rgb;
    place->colour = text;
    if (strlen(text) != 7 || strspn(text + 1, "0123456789abcdefABCDEF") != 6 ||
        sscanf(text, "#%6x", &rgb) != 1)
        return "expected a colour as #rrggbb, with digits from 0 to f";
    for (int c = 0; c < 3; ++c)
        place->rgb[c] = (float)(rgb >> (16 - 8 * c) & 255) / 255.0f;
    return NULL;
}

// What follows a prefix, or NULL.
static const char *after(const char *text, const char *prefix) {
    size_t length = strlen(prefix);
    return strncmp(text, prefix, length) == 0 ? text + length : NULL;
}

const char *limb_place_read(const char *option, const char *text, LimbPlace *out_place) {
    *out_place = (LimbPlace){.option = option};
    const char *rest;
    if (text == NULL)
        return NULL;
    if ((rest = after(text, "vertices:")) != NULL)
        return read_vertices(rest, out_place);
    if ((rest = after(text, "colour:")) != NULL)
        return read_colour(rest, out_place);
    if ((rest = after(text, "bones:")) != NULL) {
        out_place->bones = rest;
        return NULL;
    }
    if ((rest = after(text, "material:")) != NULL) {
        out_place->material = rest;
        return NULL;
    }
    return read_spheres(text, out_place);
}

void limb_place_release(LimbPlace *place) {
    free(place->spheres);
    free(place->vertices);
    *place = (LimbPlace){0};
}

static bool is_colour(const LimbPlace *place, const float rgb[3]) {
    for (int c = 0; c < 3; ++c)
        if (!(fabsf(rgb[c] - place->rgb[c]) < ALIKE))
            return false;
    return true;
}

// Whether a corner of a triangle of a mesh is painted as the place wants it.
static bool is_painted(const PaintedMesh *mesh, const LimbPlace *place, int corner) {
    if (place->colour)
        return mesh->colours && is_colour(place, mesh->colours[corner]);
    return place->material && mesh->materials &&
           strcmp(mesh->material_names[mesh->materials[corner / 3]], place->material) == 0;
}

// Corners that are painted; and their vertices, each of them once, if a list is given.
static int count_painted(const PaintedMesh *mesh, const LimbPlace *place, int *out_vertices,
                         bool *seen) {
    int count = 0;
    for (int i = 0; i < 3 * mesh->mesh.triangle_count; ++i) {
        uint32_t vertex = mesh->mesh.triangles[i];
        if (!is_painted(mesh, place, i) || (seen && seen[vertex]))
            continue;
        if (seen) {
            seen[vertex] = true;
            out_vertices[count] = (int)vertex;
        }
        ++count;
    }
    return count;
}

// The materials or colours of all muscles, as far as there is room, to choose from.
static void list_paints(const Limb *limb, bool colours, char *text, size_t size) {
    text[0] = '\0';
    for (int i = 0; i < limb->count; ++i) {
        const PaintedMesh *mesh = &limb->parts[i].from;
        for (int t = 0; !limb->parts[i].is_bone && t < mesh->mesh.triangle_count; ++t) {
            char name[PAINTED_NAME + 2] = "", found[PAINTED_NAME + 4];
            if (colours && mesh->colours) {
                const float *c = mesh->colours[3 * t];
                snprintf(name, sizeof name, "#%02x%02x%02x", (int)lroundf(255.0f * c[0]) & 255,
                         (int)lroundf(255.0f * c[1]) & 255, (int)lroundf(255.0f * c[2]) & 255);
            } else if (!colours && mesh->materials) {
                snprintf(name, sizeof name, "%s", mesh->material_names[mesh->materials[t]]);
            }
            snprintf(found, sizeof found, "%s,", name);
            size_t used = strlen(text);
            if (name[0] == '\0' || strstr(text, found) || used + strlen(found) + 3 > size)
                continue;
            snprintf(text + used, size - used, "%s%s", used > 0 ? " " : "", found);
        }
    }
    size_t used = strlen(text);
    if (used > 0)
        text[used - 1] = '\0'; // the last comma
}

static bool check_paint(const Limb *limb, const LimbPlace *place) {
    char paints[200];
    for (int i = 0; i < limb->count; ++i)
        if (!limb->parts[i].is_bone && count_painted(&limb->parts[i].from, place, NULL, NULL) > 0)
            return true;
    const char *what = place->colour ? "colour" : "material";
    list_paints(limb, place->colour != NULL, paints, sizeof paints);
    if (paints[0])
        say_error("%s: no part of a muscle has the %s %s; there are: %s", place->option, what,
                  place->colour ? place->colour : place->material, paints);
    else
        say_error("%s: no muscle has %ss; give spheres, vertices or bones instead", place->option,
                  place->colour ? "vertex colour" : "material");
    return false;
}

static int count_muscles(const Limb *limb) {
    int count = 0;
    for (int i = 0; i < limb->count; ++i)
        count += !limb->parts[i].is_bone;
    return count;
}

bool limb_place_check(const Limb *limb, const LimbPlace *place) {
    const char *at = place->bones, *name;
    int length;
    while ((name = limb_next_name(&at, &length)) != NULL)
        if (limb_find_bone(limb, place->option, name, length) < 0)
            return false;
    if (place->sphere_count + place->vertex_count > 0 && count_muscles(limb) > 1) {
        say_error("%s: spheres and vertices are for a single muscle, not for %d; bones:, material: "
                  "and colour: are for all",
                  place->option, count_muscles(limb));
        return false;
    }
    return (place->colour == NULL && place->material == NULL) || check_paint(limb, place);
}

static bool find_bones(const Limb *limb, const LimbPlace *place, SnFitEnd *end) {
    const char *at = place->bones, *name;
    int length;
    SnFitBone *bones = calloc((size_t)limb->count, sizeof *bones);
    end->bones = bones;
    if (bones == NULL)
        return false;
    while (end->bone_count < limb->count && (name = limb_next_name(&at, &length)) != NULL) {
        const SnMesh *mesh =
            &limb->parts[limb_find_bone(limb, place->option, name, length)].from.mesh;
        bones[end->bone_count++] =
            (SnFitBone){mesh->vertex_count, mesh->triangle_count, mesh->positions, mesh->triangles};
    }
    return true;
}

static bool find_painted(const LimbPart *part, const LimbPlace *place, SnFitEnd *end) {
    size_t most = (size_t)part->from.mesh.vertex_count;
    int *vertices = calloc(most + 1, sizeof *vertices);
    bool *seen = calloc(most + 1, sizeof *seen);
    end->vertices = vertices;
    if (vertices && seen)
        end->vertex_count = count_painted(&part->from, place, vertices, seen);
    if (vertices && seen && end->vertex_count == 0)
        say_note("%s: %s: nothing of it has the %s %s: found from its shape", part->name,
                 place->option, place->colour ? "colour" : "material",
                 place->colour ? place->colour : place->material);
    free(seen);
    return vertices && seen;
}

bool limb_place_find(const Limb *limb, const LimbPart *part, const LimbPlace *place,
                     SnFitEnd *out_end) {
    *out_end = (SnFitEnd){0};
    if (place->bones)
        return find_bones(limb, place, out_end);
    if (place->colour || place->material)
        return find_painted(part, place, out_end);
    SnFitSphere *spheres = calloc((size_t)place->sphere_count + 1, sizeof *spheres);
    int *vertices = calloc((size_t)place->vertex_count + 1, sizeof *vertices);
    *out_end = (SnFitEnd){.spheres = spheres, .vertices = vertices};
    if (spheres == NULL || vertices == NULL)
        return false;
    for (int i = 0; i < place->sphere_count; ++i)
        spheres[out_end->sphere_count++] = place->spheres[i];
    for (int i = 0; i < place->vertex_count; ++i)
        vertices[out_end->vertex_count++] = place->vertices[i];
    return true;
}

void limb_end_release(SnFitEnd *end) {
    free((void *)end->spheres);
    free((void *)end->vertices);
    free((void *)end->bones);
    *end = (SnFitEnd){0};
}
