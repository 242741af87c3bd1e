// sinew info: describes a scene, a glTF file, a mesh, a motion, or this machine.
#include "app/commands.h"
#include "app/info_mesh.h"
#include "app/input.h"
#include "app/options.h"
#include "app/terminal.h"

#include <math.h>
#include <sinew/gltf.h>
#include <sinew/mesh_file.h>
#include <sinew/skeleton_file.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static int machine_info(void) {
    say_result("sinew %s\n", sn_version());
    say_result("instruction sets:");
    for (int isa = SN_ISA_SCALAR; isa <= SN_ISA_AVX512; ++isa)
        if (sn_isa_available((SnIsa)isa))
            say_result(" %s", sn_isa_name((SnIsa)isa));
    say_result("\nthreads: %d\n", core_count());
    return STATUS_OK;
}

static void print_kinds(int rods, int rigid, int solids) {
    if (rods > 0 || rigid + solids == 0)
        say_result("%d rod%s", rods, rods == 1 ? "" : "s");
    if (rigid > 0)
        say_result("%s%d rigid bod%s", rods > 0 ? ", " : "", rigid, rigid == 1 ? "y" : "ies");
    if (solids > 0)
        say_result("%s%d solid%s", rods + rigid > 0 ? ", " : "", solids, solids == 1 ? "" : "s");
}

static void print_materials(const SnScene *scene) {
    for (int i = 0; i < sn_scene_material_count(scene); ++i) {
        SnSceneMaterial material = sn_scene_material(scene, i);
        const SnRodMaterial derived = sn_rod_material_derived(material.values), *m = &derived;
        int all = 0, rigid = 0, solids = 0;
        for (int k = 0; k < sn_scene_body_count(scene); ++k) {
            SnSceneBody body = sn_scene_body(scene, k);
            all += body.material == i;
            rigid += body.material == i && body.kind == SN_BODY_RIGID;
            solids += body.material == i && body.kind == SN_BODY_SOLID;
        }
        if (all > 0) {
            const char *name = material.name[0] ? material.name : i ? "(inline)" : "(default)";
            char stretch[40] = "", limits[80] = "";
            if (m->stretch >= 0)
                snprintf(stretch, sizeof stretch, "stretch %g, ", (double)m->stretch);
            if (m->yield > 0 || m->strength > 0)
                snprintf(limits, sizeof limits, ", yield %g, strength %g Pa", (double)m->yield,
                         (double)m->strength);
            say_result(
                "  material %s: density %g kg/m³, young %g, %sshear %g, volume %g Pa, damping "
                "%g s, drag %g /s%s; ",
                name, (double)m->density, (double)m->young, stretch, (double)m->shear,
                (double)m->volume, (double)m->damping, (double)m->drag, limits);
            print_kinds(all - rigid - solids, rigid, solids);
            say_result("\n");
        }
    }
}

static void print_bodies(const SnScene *scene) {
    long long points = 0, segments = 0;
    int count = sn_scene_body_count(scene), rigid = rigid_count(scene);
    int solids = solid_count(scene), others = rigid + solids;
    int creatures = 0, silent = 0, stiff = 0, trees = 0;
    for (int i = 0; i < count; ++i) {
        SnSceneBody body = sn_scene_body(scene, i);
        points += body.point_count;
        segments += body.element_count;
        creatures += body.edges != NULL && body.kind != SN_BODY_RIGID && body.kind != SN_BODY_SOLID;
        stiff += body.kind == SN_BODY_STIFF_ROD;
        trees += body.tree;
        silent += !body.touches;
    }
    say_result("  ");
    print_kinds(count - others, rigid, solids);
    say_result(", %lld vertices, %lld segments%s; %d of the rods branch, %d %stouch nothing\n",
               points, segments, others > 0 ? " and parts" : "", creatures, silent,
               others > 0 ? "bodies " : "");
    if (stiff > 0)
        say_result("  %d of the rods are stiff, %d of them trees\n", stiff, trees);
    int colliders = sn_scene_collider_count(scene), links = sn_scene_link_count(scene);
    int skins = sn_scene_skin_count(scene);
    say_result("  %d collider%s, %d link%s, %d skin%s\n", colliders, colliders == 1 ? "" : "s",
               links, links == 1 ? "" : "s", skins, skins == 1 ? "" : "s");
}

// A thousandth of a millimetre is what is left of a sum that should be 0.
static double rounded(float x) { return fabsf(x) < 1.0e-6f ? 0.0 : (double)x; }

// Where joints are, with the names that scenes refer to: in a scene, as it begins; otherwise at rest.
static void print_joints(const SnSkeleton *skeleton, const SnSceneSkeleton *in_scene) {
    size_t count = (size_t)sn_skeleton_joint_count(skeleton);
    SnTransform *locals = malloc((count + 1) * sizeof *locals);
    SnMap *maps = malloc((count + 1) * sizeof *maps);
    const SnCue *cues = in_scene ? in_scene->cues : NULL;
    int cue_count = in_scene ? in_scene->cue_count : 0;
    bool known =
        locals && maps && sn_skeleton_play(skeleton, cues, cue_count, 0.0, locals).code == SN_OK &&
        sn_skeleton_maps(skeleton, locals, in_scene ? &in_scene->place : NULL, maps).code == SN_OK;
    for (size_t i = 0; i < count; ++i) {
        SnJointDef joint = sn_skeleton_joint(skeleton, (int)i);
        say_result("    joint \"%s\"", joint.name);
        if (known)
            say_result(" at [%.4g, %.4g, %.4g]", rounded(maps[i].origin.x),
                       rounded(maps[i].origin.y), rounded(maps[i].origin.z));
        if (joint.parent >= 0)
            say_result(", child of \"%s\"", sn_skeleton_joint(skeleton, joint.parent).name);
        say_result("\n");
    }
    free(locals);
    free(maps);
}

// Names of joints and clips, which scenes refer to.
static void print_skeleton(const SnSkeleton *skeleton, const SnSceneSkeleton *in_scene) {
    int joints = sn_skeleton_joint_count(skeleton), clips = sn_skeleton_clip_count(skeleton);
    say_result("  skeleton of %d joint%s, %d clip%s%s\n", joints, joints == 1 ? "" : "s", clips,
               clips == 1 ? "" : "s", in_scene ? ", as the scene begins" : "");
    print_joints(skeleton, in_scene);
    for (int i = 0; i < sn_skeleton_mesh_count(skeleton); ++i) {
        SnSkeletonMesh mesh = sn_skeleton_mesh(skeleton, i);
        say_result("  mesh \"%s\", %d triangles, follows %d joint%s\n", mesh.name,
                   mesh.triangle_count, mesh.joint_count, mesh.joint_count == 1 ? "" : "s");
    }
    for (int i = 0; i < clips; ++i) {
        SnClip clip = sn_skeleton_clip(skeleton, i);
        say_result("  clip \"%s\", %.4g s%s\n", clip.name, clip.duration,
                   clip.channel_count > 0 ? "" : ", moves no joint");
    }
}

static int scene_info(const char *path) {
    SnScene *scene;
    if (!load_scene(path, stderr, &scene))
        return STATUS_INPUT;
    SnSceneSettings settings = sn_scene_settings(scene);
    say_result("%s: scene \"%s\"\n", path, sn_scene_name(scene));
    say_result("  %g s at %g frames per second, step %.4g s of %d sub-steps × %d iterations\n",
               settings.seconds, settings.fps, settings.step, settings.substeps,
               settings.iterations);
    print_bodies(scene);
    say_result("  %d frames, %d fields, %d animated values\n", sn_scene_frame_count(scene),
               sn_scene_field_count(scene), sn_scene_animated_count(scene));
    for (int i = 0; i < sn_scene_skeleton_count(scene); ++i) {
        SnSceneSkeleton in_scene = sn_scene_skeleton(scene, i);
        print_skeleton(in_scene.skeleton, &in_scene);
    }
    print_materials(scene);
    sn_scene_destroy(scene);
    return STATUS_OK;
}

static int skeleton_info(const char *path) {
    SnSkeleton *skeleton;
    SnResult result = sn_skeleton_load_file(path, NULL, &skeleton);
    if (result.code != SN_OK) {
        say_error("%s", result.message);
        return STATUS_INPUT;
    }
    say_result("%s: motion\n", path);
    print_skeleton(skeleton, NULL);
    sn_skeleton_destroy(skeleton);
    return STATUS_OK;
}

static int gltf_info(const char *path) {
    SnGltfInfo info;
    SnResult result = sn_gltf_info(path, &info);
    if (result.code != SN_OK) {
        say_error("%s", result.message);
        return STATUS_INPUT;
    }
    say_result("%s: glTF, %zu bytes%s%s\n", path, info.bytes, info.generator[0] ? ", made by " : "",
               info.generator);
    say_result("  %d nodes, %d meshes, %d vertices, %d triangles\n", info.nodes, info.meshes,
               info.vertices, info.triangles);
    say_result("  %d materials, %d images\n", info.materials, info.images);
    say_result("  %d skins, %d joints\n", info.skins, info.joints);
    say_result("  %d animations, %d channels, %g s\n", info.animations, info.channels,
               info.duration);
    if (info.has_bounds) {
        const double *low = info.bounds_min, *high = info.bounds_max;
        say_result("  meshes within [%.4g, %.4g, %.4g] to [%.4g, %.4g, %.4g] m\n", low[0], low[1],
                   low[2], high[0], high[1], high[2]);
    }
    if (info.triangles > 0)
        print_mesh_of(path);
    SnSkeleton *skeleton = NULL;
    result = sn_skeleton_load_file(path, NULL, &skeleton);
    if (result.code == SN_OK && info.animations + info.skins > 0)
        print_skeleton(skeleton, NULL);
    else if (result.code != SN_OK)
        say_note("not a skeleton: %s", result.message);
    sn_skeleton_destroy(skeleton);
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
        "Describes a scene (.json), a glTF file (.glb, .gltf), a mesh (.obj, .stl, .ply) or a "
        "motion\n"
        "(.bvh), with the names of its joints and clips; without one, this machine.",
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
    if (ends_with(argv[0], ".bvh"))
        return skeleton_info(argv[0]);
    if (ends_with(argv[0], ".json"))
        return scene_info(argv[0]);
    if (sn_mesh_file_is_known(argv[0]))
        return mesh_info(argv[0]);
    return options_wrong(&line, "%s: does not end in .json, .glb, .gltf, .bvh, .obj, .stl or .ply",
                         argv[0]);
}
