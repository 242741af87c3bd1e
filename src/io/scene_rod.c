// One entry of "rods".
#include "io/scene_parts.h"
#include "io/tables.h"

static void read_material(Reader *reader, SnScene *scene, const Json *json, SceneRod *rod,
                          const NameTable *names) {
    if (json->kind == JSON_STRING) {
        int number = sn__names_find(reader, names, json, "material");
        rod->material = number < 0 ? 0 : number;
        return;
    }
    if (!sn__read_kind(reader, json, JSON_OBJECT, "the name of a material or an object"))
        return;
    SceneMaterial *material = &scene->materials[scene->material_count];
    material->name = "";
    material->values = rod->tree ? sn__tree_material() : sn_default_rod_material();
    sn__read_object(reader, json, &sn__table_material, &material->values);
    rod->material = scene->material_count++;
}

static void take_wood(SnScene *scene, SceneRod *rod) {
    rod->material = scene->material_count++;
    scene->materials[rod->material] = (SceneMaterial){.name = "", .values = sn__tree_material()};
}

static void read_solver(Reader *reader, const Json *json, SceneRod *rod) {
    static const char *const words[] = {"auto", "sweep", "direct"}; // as SnRodSolver
    int number = (int)rod->solver;
    if (sn__read_word(reader, json, words, 3, &number))
        rod->solver = (SnRodSolver)number;
}

void sn__read_rod(Reader *reader, SnScene *scene, const Json *json, SceneRod *rod,
                  const SceneNames *names) {
    rod->name = "";
    rod->gravity_scale = 1;
    rod->collide = scene->world.collide;
    rod->self_collide = true;
    rod->solver = SN_SOLVER_SWEEP;
    sn__default_place(&rod->place);
    sn__read_object(reader, json, &sn__table_rod, rod);
    rod->copy_count = 1;
    if (json->kind != JSON_OBJECT)
        return;
    sn__read_shape(reader, json, rod);
    sn__read_stiff(reader, json, rod);
    sn__read_place(reader, json, &rod->place);
    sn__read_contact(reader, json, &names->categories, &rod->surface, &rod->filter);
    rod->copy_count = rod->place.copies.count;
    const JsonDoc *doc = &reader->doc;
    const Json *member;
    if ((member = sn__json_member(doc, json, "material")))
        read_material(reader, scene, member, rod, &names->materials);
    else if (rod->tree)
        take_wood(scene, rod);
    if ((member = sn__json_member(doc, json, "solver")))
        read_solver(reader, member, rod);
    if ((member = sn__json_member(doc, json, "burst")))
        sn__read_object(reader, member, &sn__table_burst, &rod->burst);
    if ((member = sn__json_member(doc, json, "colour")))
        sn__read_colours(reader, member, &rod->colours);
    if (rod->tree)
        sn__tree_defaults(reader, json, rod);
    if (rod->vertex_count == 0)
        return; // without a shape, places on the rod cannot be checked
    sn__read_attachments(reader, sn__json_member(doc, json, "attach"), rod, &names->frames);
    sn__read_activations(reader, sn__json_member(doc, json, "activation"), rod);
    sn__read_forces(reader, sn__json_member(doc, json, "forces"), rod);
}
