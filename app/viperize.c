// sinew viperize: rods of the meshes of muscles, pills of those of bones, and a scene of them all.
#include "app/commands.h"
#include "app/interrupt.h"
#include "app/limb_ends.h"
#include "app/limb_read.h"
#include "app/limb_touch.h"
#include "app/options.h"
#include "app/progress.h"
#include "app/terminal.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

typedef struct ViperizeOptions {
    int rods, slices, pills;
    const char *source, *sink, *radii, *bones, *up;
    const char *output, *image;
    double scale;
    bool json, quiet;
    bool all_are_bones;
    LimbPlace ends[2]; // source and sink
} ViperizeOptions;

static const ViperizeOptions defaults = {.rods = 8, .pills = 12, .radii = "slice", .up = "y"};

static bool report_progress(const char *stage, double done, void *context) {
    (void)stage;
    progress_update(context, done);
    return !interrupted();
}

static SnResult convert_muscle(const ViperizeOptions *o, const Limb *limb, LimbPart *part,
                               Progress *progress) {
    SnViperizeDef def = sn_default_viperize_def();
    def.vertex_count = part->from.mesh.vertex_count;
    def.positions = part->from.mesh.positions;
    def.triangle_count = part->from.mesh.triangle_count;
    def.triangles = part->from.mesh.triangles;
    def.rods = o->rods;
    def.slices = o->slices;
    def.radii = strcmp(o->radii, "own") == 0 ? SN_FIT_RADII_OWN : SN_FIT_RADII_SLICE;
    def.progress = report_progress;
    def.progress_context = progress;
    bool found = limb_place_find(limb, part, &o->ends[0], &def.source);
    found = limb_place_find(limb, part, &o->ends[1], &def.sink) && found;
    SnResult result = found ? sn_viperize(&def, NULL, &part->muscle)
                            : sn_error(SN_ERROR_MEMORY, "no memory for its ends");
    limb_end_release(&def.source);
    limb_end_release(&def.sink);
    return result;
}

static SnResult convert_bone(const ViperizeOptions *o, LimbPart *part, Progress *progress) {
    SnBonifyDef def = sn_default_bonify_def();
    def.vertex_count = part->from.mesh.vertex_count;
    def.positions = part->from.mesh.positions;
    def.triangle_count = part->from.mesh.triangle_count;
    def.triangles = part->from.mesh.triangles;
    def.pills = o->pills;
    def.progress = report_progress;
    def.progress_context = progress;
    return sn_bonify(&def, NULL, &part->bone);
}

static int convert(const ViperizeOptions *o, const Limb *limb, LimbPart *part) {
    Progress progress = progress_begin(part->name, NULL, 1.0, o->quiet);
    double began = sn_now_ms();
    SnResult result =
        part->is_bone ? convert_bone(o, part, &progress) : convert_muscle(o, limb, part, &progress);
    part->seconds = 1e-3 * (sn_now_ms() - began);
    progress_end(&progress);
    if (interrupted())
        return STATUS_INTERRUPTED;
    if (result.code != SN_OK)
        say_error("%s: %s", part->label, result.message);
    return result.code == SN_OK ? STATUS_OK : STATUS_INPUT;
}

static int read_all(const ViperizeOptions *o, Limb *limb, int argc, char **argv) {
    for (int i = 0; i < argc; ++i)
        if (!limb_read(limb, argv[i]))
            return STATUS_INPUT;
    if (!limb_tell_bones(limb, o->bones))
        return STATUS_USAGE;
    for (int i = 0; i < limb->count && o->all_are_bones; ++i)
        limb->parts[i].is_bone = true;
    for (int e = 0; e < 2; ++e) {
        if (!limb_place_check(limb, &o->ends[e]))
            return STATUS_USAGE;
        limb->holders[e] = o->ends[e].bones;
    }
    return STATUS_OK;
}

static int convert_all(const ViperizeOptions *o, Limb *limb) {
    int status = STATUS_OK;
    for (int i = 0; i < limb->count && status == STATUS_OK; ++i) {
        status = convert(o, limb, &limb->parts[i]);
        if (status == STATUS_OK && !o->json && !o->quiet)
            limb_print(&limb->parts[i]);
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
        if (!o->quiet)
            limb_note_holders(limb);
        SnResult result = limb_write_scene(limb, o->output);
        if (result.code == SN_OK && !o->json && !o->quiet)
            say_result("%s: written\n", o->output);
        if (result.code != SN_OK) {
            say_error("%s", result.message);
            status = STATUS_OUTPUT;
        }
    }
    if (o->image) {
        SnResult result = limb_write_picture(limb, o->image);
        if (result.code == SN_OK && !o->json && !o->quiet)
            say_result("%s: written\n", o->image);
        if (result.code != SN_OK) {
            say_error("%s", result.message);
            status = STATUS_OUTPUT;
        }
    }
    return status;
}

static bool ends_with(const char *path, const char *ending) {
    size_t length = strlen(path), tail = strlen(ending);
    return length >= tail && strcasecmp(path + length - tail, ending) == 0;
}

// Whether a scene would lie in one of the folders that are read, among the meshes of its own skins.
static bool is_in_input(const char *output, int argc, char **argv) {
    char folder[1024];
    const char *slash = strrchr(output, '/');
    snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - output) + 1 : 1,
             slash ? output : ".");
    struct stat to, from;
    for (int i = 0; i < argc; ++i)
        if (stat(folder, &to) == 0 && stat(argv[i], &from) == 0 && S_ISDIR(from.st_mode) &&
            to.st_dev == from.st_dev && to.st_ino == from.st_ino)
            return true;
    return false;
}

// NULL, or what is wrong with the options.
static const char *check_options(const ViperizeOptions *o, int argc, char **argv) {
    if (strcmp(o->radii, "slice") != 0 && strcmp(o->radii, "own") != 0)
        return "--radii: expected slice or own";
    if (strcmp(o->up, "y") != 0 && strcmp(o->up, "z") != 0)
        return "--up: expected y or z";
    if (o->output && !ends_with(o->output, ".json"))
        return "--output: a scene's name ends in .json";
    if (o->output && is_in_input(o->output, argc, argv))
        return "--output: write the scene to another folder than its meshes: its skins would be "
               "read with them the next time";
    if (o->image && !ends_with(o->image, ".png"))
        return "--image: a picture's name ends in .png";
    return NULL;
}

// Both commands, from their options on.
static int run(const CommandLine *line, ViperizeOptions *o, int argc, char **argv) {
    int status;
    if (!options_parse(line, &argc, argv, &status))
        return status;
    if (argc == 0)
        return options_wrong(line, "no mesh given");
    const char *wrong = check_options(o, argc, argv), *option = NULL;
    const char *const texts[2] = {o->source, o->sink};
    for (int e = 0; e < 2 && wrong == NULL; ++e) {
        option = e == 0 ? "--source" : "--sink";
        wrong = limb_place_read(option, texts[e], &o->ends[e]);
    }
    if (wrong) {
        status = option ? options_wrong(line, "%s: %s", option, wrong)
                        : options_wrong(line, "%s", wrong);
    } else {
        Limb limb = {0};
        interrupt_watch();
        status = read_all(o, &limb, argc, argv);
        if (status == STATUS_OK)
            status = convert_all(o, &limb);
        if (status == STATUS_OK)
            status = write_outputs(o, &limb);
        limb_release(&limb);
    }
    limb_place_release(&o->ends[0]);
    limb_place_release(&o->ends[1]);
    return status;
}

int viperize_command(int argc, char **argv) {
    ViperizeOptions o = defaults;
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
         "where it starts: x,y,z,radius;… or vertices:i,j,… or bones:NAMES or material:NAME or "
         "colour:#rrggbb"},
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
        "MESH… | FOLDER… [options]",
        "Fills the mesh of a muscle with rods (VIPER, section 8.1) and says "
        "how well they fit. Several\n"
        "meshes, muscles and bones, become one scene: files, all in a folder, or the nodes of a "
        "GLB.\n"
        "muscle:spindle, :strap, :fan, :curved, :bipennate and :two-headed are meshes to try it "
        "on.",
        options,
        sizeof options / sizeof options[0],
        "  sinew viperize biceps.stl -o biceps.json --image fit.png\n"
        "  sinew viperize muscle:two-headed --rods 24 --slices 16 --image fit.png\n"
        "  sinew viperize biceps.stl humerus.stl radius.stl -o arm.json\n"
        "  sinew viperize arm.glb --source bones:scapula --sink bones:radius -o arm.json\n"};
    return run(&line, &o, argc, argv);
}

int bonify_command(int argc, char **argv) {
    ViperizeOptions o = defaults;
    o.all_are_bones = true;
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
    return run(&line, &o, argc, argv);
}
