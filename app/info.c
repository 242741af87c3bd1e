// sinew info: describes a scene, a glTF file, or this machine.
#include "app/commands.h"
#include "app/input.h"
#include "app/options.h"
#include "app/terminal.h"
#include "io/scene_data.h"
#include "io/scene_rod.h"

#include <sinew/gltf.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

static int machine_info(void) {
    printf("sinew %s\n", sn_version());
    printf("instruction sets:");
    for (int isa = SN_ISA_SCALAR; isa <= SN_ISA_AVX512; ++isa)
        if (sn_isa_available((SnIsa)isa))
            printf(" %s", sn_isa_name((SnIsa)isa));
    printf("\nthreads: %d\n", core_count());
    return STATUS_OK;
}

static void print_materials(const SnScene *scene) {
    for (int i = 0; i < scene->material_count; ++i) {
        const SceneMaterial *material = &scene->materials[i];
        const SnRodMaterial *m = &material->values;
        int bodies = 0;
        for (int k = 0; k < scene->body_entry_count; ++k)
            bodies += scene->bodies[k]->material == i ? scene->bodies[k]->copy_count : 0;
        if (bodies > 0) {
            const char *name = material->name[0] ? material->name : i ? "(inline)" : "(default)";
            char limits[80] = "";
            if (m->yield > 0 || m->strength > 0)
                snprintf(limits, sizeof limits, ", yield %g, strength %g Pa", (double)m->yield,
                         (double)m->strength);
            printf("  material %s: density %g kg/m³, young %g, shear %g, volume %g Pa, damping %g "
                   "s, drag %g /s%s; %d rods\n",
                   name, (double)m->density, (double)m->young, (double)m->shear, (double)m->volume,
                   (double)m->damping, (double)m->drag, limits, bodies);
        }
    }
}

static void print_bodies(const SnScene *scene) {
    long long segments = 0;
    int creatures = 0, silent = 0, stiff = 0, trees = 0;
    for (int i = 0; i < scene->body_entry_count; ++i) {
        const SceneBody *body = scene->bodies[i];
        const SceneRod *rod = sn__scene_rod(body);
        segments += (long long)body->element_count * body->copy_count;
        creatures += body->edges ? body->copy_count : 0;
        stiff += rod && rod->stiff ? body->copy_count : 0;
        trees += rod && rod->tree ? body->copy_count : 0;
        silent += sn__body_filter(body).mask == 0 ? body->copy_count : 0;
    }
    printf("  %d rods, %lld vertices, %lld segments; %d of the rods branch, %d touch nothing\n",
           scene->body_count, scene->point_count, segments, creatures, silent);
    if (stiff > 0)
        printf("  %d of the rods are stiff, %d of them trees\n", stiff, trees);
    printf("  %d colliders, %d links, %d skins\n", scene->collider_count,
           sn_scene_link_count(scene), scene->skin_count);
}

static int scene_info(const char *path) {
    SnScene *scene;
    if (!load_scene(path, stderr, &scene))
        return STATUS_INPUT;
    SnSceneSettings settings = sn_scene_settings(scene);
    printf("%s: scene \"%s\"\n", path, sn_scene_name(scene));
    printf("  %g s at %g frames per second, step %.4g s of %d sub-steps × %d iterations\n",
           settings.seconds, settings.fps, settings.step, settings.substeps, settings.iterations);
    print_bodies(scene);
    printf("  %d frames, %d fields, %d animated values\n", scene->frame_count, scene->field_count,
           scene->channel_count);
    print_materials(scene);
    sn_scene_destroy(scene);
    return STATUS_OK;
}

static int gltf_info(const char *path) {
    SnGltfInfo info;
    SnResult result = sn_gltf_info(path, &info);
    if (result.code != SN_OK) {
        say_error("%s", result.message);
        return STATUS_INPUT;
    }
    printf("%s: glTF, %zu bytes%s%s\n", path, info.bytes, info.generator[0] ? ", made by " : "",
           info.generator);
    printf("  %d nodes, %d meshes, %d vertices, %d triangles\n", info.nodes, info.meshes,
           info.vertices, info.triangles);
    printf("  %d materials, %d images\n", info.materials, info.images);
    printf("  %d skins, %d joints\n", info.skins, info.joints);
    printf("  %d animations, %d channels, %g s\n", info.animations, info.channels, info.duration);
    if (info.has_bounds) {
        const double *low = info.bounds_min, *high = info.bounds_max;
        printf("  meshes within [%.4g, %.4g, %.4g] to [%.4g, %.4g, %.4g] m\n", low[0], low[1],
               low[2], high[0], high[1], high[2]);
    }
    return STATUS_OK;
}

static bool ends_with(const char *path, const char *ending) {
    size_t length = strlen(path), tail = strlen(ending);
    return length >= tail && strcasecmp(path + length - tail, ending) == 0;
}

int info_command(int argc, char **argv) {
    const CommandLine line = {
        "info",
        "[FILE]",
        "Describes a scene (.json) or a glTF file (.glb, .gltf); without one, this machine.",
        NULL,
        0,
        "  sinew info scenes/demo.json\n"};
    int status;
    if (!options_parse(&line, &argc, argv, &status))
        return status;
    if (argc == 0)
        return machine_info();
    if (argc > 1)
        return options_wrong(&line, "more than one file given");
    if (ends_with(argv[0], ".glb") || ends_with(argv[0], ".gltf"))
        return gltf_info(argv[0]);
    if (ends_with(argv[0], ".json"))
        return scene_info(argv[0]);
    return options_wrong(&line, "%s: does not end in .json, .glb or .gltf", argv[0]);
}
