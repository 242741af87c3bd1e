// One entry of "rods".
#include "io/scene_parts.h"
#include "io/tables.h"

#include <math.h>
#include <string.h>

static void read_material(SnReader *reader, SnScene *scene, const SnJson *json, SnSceneRod *rod,
                          const SnNames *names) {
    if (json->kind == SN__JSON_STRING) {
        int number = sn__names_find(reader, names, json, "material");
        rod->material = number < 0 ? 0 : number;
        return;
    }
    if (!sn__read_kind(reader, json, SN__JSON_OBJECT, "the name of a material or an object")) {
        return;
    }
    SnSceneMaterial *material = &scene->materials[scene->material_count];
    material->name = "";
    material->values = sn_default_rod_material();
    sn__read_object(reader, json, &sn__table_material, &material->values);
    rod->material = scene->material_count++;
}

static void read_origin(SnReader *reader, const SnJson *json, SnSceneRod *rod) {
    int count;
    const SnJson **items = sn__read_list(reader, json, &count);
    SnRange range = {-1e9, 1e9, false};
    if (items && count != 3) {
        sn__reader_error(reader, json, "an array of %d is not three numbers [x, y, z]", count);
        return;
    }
    for (int i = 0; i < count; i++) {
        sn__read_double(reader, items[i], range, &rod->origin[i]);
    }
}

// One colour, or a list of texts that the copies take in turn.
static void read_colour(SnReader *reader, const SnJson *json, SnSceneRod *rod) {
    const SnJson *first = json->kind == SN__JSON_ARRAY ? sn__json_first(json) : NULL;
    bool several = first && first->kind == SN__JSON_STRING;
    int count = several ? (int)json->count : 1;
    SnColour *colours = sn__reader_alloc(reader, (size_t)count, sizeof *colours);
    if (!colours) {
        return;
    }
    if (several) {
        int i = 0;
        for (const SnJson *v = first; v; v = sn__json_next(&reader->doc, v)) {
            sn__read_colour(reader, v, &colours[i++]);
        }
    } else {
        sn__read_colour(reader, json, colours);
    }
    rod->colours = colours;
    rod->colour_count = count;
}

static void read_copies(SnReader *reader, const SnJson *json, SnSceneRod *rod) {
    if (!sn__read_object(reader, json, &sn__table_copies, rod)) {
        return;
    }
    SnRange range = {1, SN_MAX_SCENE_RODS, false};
    const SnJson *list = sn__json_member(&reader->doc, json, "count");
    int count;
    const SnJson **items = sn__read_list(reader, list, &count);
    if (items && count != 3) {
        sn__reader_error(reader, list, "an array of %d is not three numbers [nx, ny, nz]", count);
        return;
    }
    double all = 1;
    for (int i = 0; i < count; i++) {
        sn__read_int(reader, items[i], range, &rod->copies[i]);
        all *= rod->copies[i];
    }
    if (all > SN_MAX_SCENE_RODS) {
        sn__reader_error(reader, list, "%.0f copies are more than %d", all, SN_MAX_SCENE_RODS);
        memset(rod->copies, 0, sizeof rod->copies);
    }
    const SnJson *jitter = sn__json_member(&reader->doc, json, "jitter");
    if (jitter) {
        sn__read_object(reader, jitter, &sn__table_jitter, rod);
    }
}

void sn__read_rod(SnReader *reader, SnScene *scene, const SnJson *json, SnSceneRod *rod,
                  const SnNames *materials, const SnNames *frames) {
    rod->name = "";
    rod->rotation = sn_quat_identity();
    rod->gravity_scale = 1;
    rod->copies[0] = rod->copies[1] = rod->copies[2] = 1;
    sn__read_object(reader, json, &sn__table_rod, rod);
    if (json->kind != SN__JSON_OBJECT) {
        return;
    }
    sn__read_shape(reader, json, rod);
    const SnJsonDoc *doc = &reader->doc;
    const SnJson *member;
    if ((member = sn__json_member(doc, json, "material"))) {
        read_material(reader, scene, member, rod, materials);
    }
    if ((member = sn__json_member(doc, json, "origin"))) {
        read_origin(reader, member, rod);
    }
    if ((member = sn__json_member(doc, json, "colour"))) {
        read_colour(reader, member, rod);
    }
    if ((member = sn__json_member(doc, json, "copies"))) {
        read_copies(reader, member, rod);
    }
    rod->copy_count = rod->copies[0] * rod->copies[1] * rod->copies[2];
    if (rod->vertex_count == 0) {
        return; // without a shape, places on the rod cannot be checked
    }
    sn__read_attachments(reader, sn__json_member(doc, json, "attach"), rod, frames);
    sn__read_activations(reader, sn__json_member(doc, json, "activation"), rod);
    sn__read_forces(reader, sn__json_member(doc, json, "forces"), rod);
}
