// sinew viperize: rods of the meshes of muscles, pills of those of bones, and a scene of them all.
#include "app/commands.h"
#include "app/interrupt.h"
#include "app/limb_options.h"
#include "app/mesh_import.h"
#include "app/progress.h"
#include "app/terminal.h"

#include <sinew/muscle_model.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

typedef struct ViperizeOptions {
    int rods, slices, pills;
    const char *source, *sink, *radii, *bones, *up;
    const char *output, *image;
    double scale;
    bool json, quiet;
    SnFitEnd source_end, sink_end;
} ViperizeOptions;

static bool report_progress(const char *stage, double done, void *context) {
    (void)stage;
    progress_update(context, done);
    return !interrupted();
}

// Words in the names of files that tell bones from muscles.
static bool sounds_like_bone(const char *name) {
    static const char *const words[] = {
        "bone",   "humerus", "radius",  "ulna",     "clavicle", "scapula",   "femur",  "tibia",
        "fibula", "patella", "sternum", "rib",      "pelvis",   "hip_bone",  "sacrum", "skull",
        "carpal", "tarsal",  "phalanx", "vertebra", "mandible", "metacarpal"};
    // "brachioradialis" and "tibialis" are muscles: a word ends where the letters do.
    for (size_t w = 0; w < sizeof words / sizeof words[0]; ++w)
        for (const char *at = name; *at; ++at) {
            size_t length = strlen(words[w]);
            bool starts = at == name || !((at[-1] | 32) >= 'a' && (at[-1] | 32) <= 'z');
            if (starts && strncasecmp(at, words[w], length) == 0 &&
                !((at[length] | 32) >= 'a' && (at[length] | 32) <= 'z'))
                return true;
        }
    return false;
}

// Whether a name is in a list with commas.
static bool is_listed(const char *list, const char *name) {
    size_t length = strlen(name);
    for (const char *at = list; at; at = strchr(at, ',')) {
        at += *at == ',';
        if (strncmp(at, name, length) == 0 && (at[length] == ',' || at[length] == '\0'))
            return true;
    }
    return false;
}

static SnResult convert_muscle(const ViperizeOptions *o, LimbPart *part, Progress *progress) {
    SnViperizeDef def = sn_default_viperize_def();
    def.vertex_count = part->mesh.vertex_count;
    def.positions = part->mesh.positions;
    def.triangle_count = part->mesh.triangle_count;
    def.triangles = part->mesh.triangles;
    def.rods = o->rods;
    def.slices = o->slices;
    def.source = o->source_end;
    def.sink = o->sink_end;
    def.radii = strcmp(o->radii, "own") == 0 ? SN_FIT_RADII_OWN : SN_FIT_RADII_SLICE;
    def.progress = report_progress;
    def.progress_context = progress;
    return sn_viperize(&def, NULL, &part->muscle);
}

static SnResult convert_bone(const ViperizeOptions *o, LimbPart *part, Progress *progress) {
    SnBonifyDef def = sn_default_bonify_def();
    def.vertex_count = part->mesh.vertex_count;
    def.positions = part->mesh.positions;
    def.triangle_count = part->mesh.triangle_count;
    def.triangles = part->mesh.triangles;
    def.pills = o->pills;
    def.progress = report_progress;
    def.progress_context = progress;
    return sn_bonify(&def, NULL, &part->bone);
}

static int convert(const ViperizeOptions *o, LimbPart *part) {
    Progress progress = progress_begin(part->name, NULL, 1.0, o->quiet);
    double began = sn_now_ms();
    SnResult result =
        part->is_bone ? convert_bone(o, part, &progress) : convert_muscle(o, part, &progress);
    part->seconds = 1e-3 * (sn_now_ms() - began);
    progress_end(&progress);
    if (interrupted())
        return STATUS_INTERRUPTED;
    if (result.code != SN_OK)
        say_error("%s: %s", part->path, result.message);
    return result.code == SN_OK ? STATUS_OK : STATUS_INPUT;
}

static int convert_all(const ViperizeOptions *o, Limb *limb, int argc, char **argv,
                       bool all_are_bones) {
    limb->parts = calloc((size_t)argc, sizeof *limb->parts);
    int status = limb->parts ? STATUS_OK : STATUS_INPUT;
    for (int i = 0; i < argc && status == STATUS_OK; ++i) {
        LimbPart *part = &limb->parts[limb->count];
        if (!limb_read(argv[i], part))
            return STATUS_INPUT;
        ++limb->count;
        part->is_bone = all_are_bones || (o->bones ? is_listed(o->bones, part->name)
                                                   : argc > 1 && sounds_like_bone(part->name));
        status = convert(o, part);
        if (status == STATUS_OK && !o->json && !o->quiet)
            limb_print(part);
    }
    return status;
}

static int write_outputs(const ViperizeOptions *o, Limb *limb) {
    int status = STATUS_OK;
    if (o->json)
        limb_print_json(limb);
    if (o->output) {
        limb->scale = limb_scale(limb, o->scale, o->quiet);
        limb->z_is_up = strcmp(o->up, "z") == 0;
        SnResult result = limb_write_scene(limb, o->output);
        if (result.code == SN_OK && !o->json && !o->quiet)
            printf("%s: written\n", o->output);
        if (result.code != SN_OK) {
            say_error("%s", result.message);
            status = STATUS_OUTPUT;
        }
    }
    if (o->image) {
        SnResult result = limb_write_picture(limb, o->image);
        if (result.code == SN_OK && !o->json && !o->quiet)
            printf("%s: written\n", o->image);
        if (result.code != SN_OK) {
            say_error("%s", result.message);
            status = STATUS_OUTPUT;
        }
    }
    return status;
}

static int convert_and_write(const ViperizeOptions *o, int argc, char **argv, bool bones) {
    Limb limb = {0};
    interrupt_watch();
    int status = convert_all(o, &limb, argc, argv, bones);
    if (status == STATUS_OK)
        status = write_outputs(o, &limb);
    limb_release(&limb);
    return status;
}

// NULL, or what is wrong with the options.
static const char *check_options(ViperizeOptions *o, int argc) {
    if (strcmp(o->radii, "slice") != 0 && strcmp(o->radii, "own") != 0)
        return "--radii: expected slice or own";
    if (argc > 1 && (o->source || o->sink))
        return "--source and --sink are for a single mesh";
    const char *wrong = o->source ? limb_read_end(o->source, &o->source_end) : NULL;
    if (wrong == NULL && o->sink)
        wrong = limb_read_end(o->sink, &o->sink_end);
    return wrong;
}

static bool ends_with(const char *path, const char *ending) {
    size_t length = strlen(path), tail = strlen(ending);
    return length >= tail && strcasecmp(path + length - tail, ending) == 0;
}

// NULL, or what is wrong with the names of the outputs.
static const char *check_outputs(const ViperizeOptions *o) {
    if (strcmp(o->up, "y") != 0 && strcmp(o->up, "z") != 0)
        return "--up: expected y or z";
    if (o->output && !ends_with(o->output, ".json"))
        return "--output: a scene's name ends in .json";
    if (o->image && !ends_with(o->image, ".png"))
        return "--image: a picture's name ends in .png";
    return NULL;
}

static void release_ends(ViperizeOptions *o) {
    free((void *)o->source_end.spheres);
    free((void *)o->source_end.vertices);
    free((void *)o->sink_end.spheres);
    free((void *)o->sink_end.vertices);
}

int viperize_command(int argc, char **argv) {
    ViperizeOptions o = {.rods = 8, .pills = 12, .radii = "slice", .up = "y"};
    const Option options[] = {
        {"output", 'o', OPTION_TEXT, &o.output, 0, 0, "OUT.json", "scene of the rods, with skins"},
        {"image", 0, OPTION_TEXT, &o.image, 0, 0, "OUT.png", "picture of every stage"},
        {"json", 0, OPTION_FLAG, &o.json, 0, 0, NULL, "print the quality as JSON"},
        {"rods", 0, OPTION_INT, &o.rods, 1, SN_MAX_FIT_RODS, "K", "rods of a muscle, default 8"},
        {"slices", 0, OPTION_INT, &o.slices, 0, SN_MAX_FIT_SLICES, "M",
         "points of a rod; default: 8, or more for what is long and thin"},
        {"radii", 0, OPTION_TEXT, &o.radii, 0, 0, "slice|own",
         "one radius for all rods at a slice (default), or their own"},
        {"source", 0, OPTION_TEXT, &o.source, 0, 0, "PLACE",
         "where it starts: x,y,z,radius;… or vertices:i,j,…"},
        {"sink", 0, OPTION_TEXT, &o.sink, 0, 0, "PLACE", "where it ends, likewise"},
        {"bones", 0, OPTION_TEXT, &o.bones, 0, 0, "NAMES",
         "which of several meshes are bones: names with commas; default: by their names"},
        {"pills", 0, OPTION_INT, &o.pills, 1, SN_MAX_FIT_PILLS, "N", "of a bone, default 12"},
        {"scale", 0, OPTION_NUMBER, &o.scale, 1e-6, 1e6, "S",
         "metres per unit of the mesh; default: 1, or 0.001 for what is longer than 20"},
        {"up", 0, OPTION_TEXT, &o.up, 0, 0, "y|z", "the axis of the mesh that is up, default y"},
        {"quiet", 'q', OPTION_FLAG, &o.quiet, 0, 0, NULL, "only errors"},
    };
    const CommandLine line = {
        "viperize",
        "MESH… [options]",
        "Fills the mesh of a muscle with rods (VIPER, section 8.1) and says "
        "how well they fit. Several\n"
        "meshes, muscles and bones, become one scene. muscle:spindle, :strap, :fan, :curved, "
        ":bipennate\n"
        "and :two-headed are meshes to try it on.",
        options,
        sizeof options / sizeof options[0],
        "  sinew viperize biceps.stl -o biceps.json --image fit.png\n"
        "  sinew viperize muscle:two-headed --rods 24 --slices 16 --image fit.png\n"
        "  sinew viperize biceps.stl humerus.stl radius.stl -o arm.json\n"};
    int status;
    if (!options_parse(&line, &argc, argv, &status))
        return status;
    if (argc == 0)
        return options_wrong(&line, "no mesh given");
    const char *wrong = check_options(&o, argc);
    if (wrong == NULL)
        wrong = check_outputs(&o);
    status = wrong ? options_wrong(&line, "%s", wrong) : convert_and_write(&o, argc, argv, false);
    release_ends(&o);
    return status;
}

int bonify_command(int argc, char **argv) {
    ViperizeOptions o = {.rods = 8, .pills = 12, .radii = "slice", .up = "y"};
    const Option options[] = {
        {"output", 'o', OPTION_TEXT, &o.output, 0, 0, "OUT.json", "scene of the pills"},
        {"image", 0, OPTION_TEXT, &o.image, 0, 0, "OUT.png", "picture of mesh and pills"},
        {"json", 0, OPTION_FLAG, &o.json, 0, 0, NULL, "print the quality as JSON"},
        {"pills", 0, OPTION_INT, &o.pills, 1, SN_MAX_FIT_PILLS, "N", "at most, default 12"},
        {"scale", 0, OPTION_NUMBER, &o.scale, 1e-6, 1e6, "S",
         "metres per unit of the mesh; default: 1, or 0.001 for what is longer than 20"},
        {"up", 0, OPTION_TEXT, &o.up, 0, 0, "y|z", "the axis of the mesh that is up, default y"},
        {"quiet", 'q', OPTION_FLAG, &o.quiet, 0, 0, NULL, "only errors"},
    };
    const CommandLine line = {
        "bonify",
        "MESH… [options]",
        "Fits a few pills to the mesh of a bone and says how far off they are.",
        options,
        sizeof options / sizeof options[0],
        "  sinew bonify humerus.stl -o humerus.json --image fit.png\n"};
    int status;
    if (!options_parse(&line, &argc, argv, &status))
        return status;
    if (argc == 0)
        return options_wrong(&line, "no mesh given");
    const char *wrong = check_outputs(&o);
    return wrong ? options_wrong(&line, "%s", wrong) : convert_and_write(&o, argc, argv, true);
}
