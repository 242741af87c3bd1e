// sinew run: simulates a scene and writes what is asked for.
#include "app/capture.h"
#include "app/commands.h"
#include "app/input.h"
#include "app/interrupt.h"
#include "app/meshopt.h"
#include "app/options.h"
#include "app/terminal.h"
#include "view/renderer.h"

#include <stdio.h>

#define IMAGE_MOMENT 0.6 // of the whole time

typedef struct RunOptions {
    Sinks sinks;
    double seconds;    // 0: the scene's
    double image_time; // negative: at IMAGE_MOMENT
    int threads;       // 0: one per core
    SnIsa isa;
    int size[2];
    bool quiet;
} RunOptions;

static bool parse(RunOptions *run, int *argc, char **argv, int *out_status) {
    const Option options[] = {
        {"output", 'o', OPTION_TEXT, &run->sinks.paths[SINK_GLB], 0, 0, "OUT.glb",
         "animated glTF: skins, and bodies without one as tubes, pills and spheres"},
        {"meshopt", 0, OPTION_FLAG, &run->sinks.meshopt, 0, 0, NULL,
         "compress it (EXT_meshopt_compression): about 0.6 of the size, not for every reader"},
        {"video", 0, OPTION_TEXT, &run->sinks.paths[SINK_VIDEO], 0, 0, "OUT.mp4",
         "video (needs ffmpeg)"},
        {"image", 0, OPTION_TEXT, &run->sinks.paths[SINK_IMAGE], 0, 0, "OUT.png", "one picture"},
        {"image-time", 0, OPTION_NUMBER, &run->image_time, 0, 3600, "T",
         "when to take it, s (default: at 60 % of the time)"},
        {"cache", 0, OPTION_TEXT, &run->sinks.paths[SINK_CACHE], 0, 0, "OUT.pc2",
         "point cache of the meshes of skeletons, as they are in every frame"},
        {"stats", 0, OPTION_TEXT, &run->sinks.paths[SINK_STATS], 0, 0, "OUT.json",
         "times, volume errors, energies, contacts, reactions and forces of links of every frame"},
        {"seconds", 0, OPTION_NUMBER, &run->seconds, 1.0e-3, 3600, "S",
         "how long to simulate (default: what the scene says)"},
        {"size", 0, OPTION_SIZE, run->size, 16, 8192, "WxH",
         "of picture and video (default: 1280x720)"},
        {"threads", 0, OPTION_INT, &run->threads, 1, 64, "N", "threads (default: one per core)"},
        {"isa", 0, OPTION_ISA, &run->isa, 0, 0, "NAME",
         "instruction set (default: the best there is); the result is the same"},
        {"quiet", 0, OPTION_FLAG, &run->quiet, 0, 0, NULL, "only errors and warnings"},
    };
    const CommandLine line = {
        "run",
        "SCENE.json [options]",
        "Simulates a scene and writes any of: animated glTF, video, picture, statistics. Without\n"
        "an output it simulates and says how it went. Ctrl-C finishes the files with what is done.",
        options,
        sizeof options / sizeof options[0],
        "  sinew run scenes/demo.json -o demo.glb --video demo.mp4 --image demo.png\n"};
    if (!options_parse(&line, argc, argv, out_status))
        return false;
    Sink sink = SINK_GLB;
    const char *ending = sinks_wrong_ending(&run->sinks, &sink);
    if (*argc != 1)
        *out_status = options_wrong(&line, *argc == 0 ? "no scene file given"
                                                      : "more than one scene file given");
    else if (ending)
        *out_status =
            options_wrong(&line, "%s: this output must end in %s", run->sinks.paths[sink], ending);
    bool packs = !run->sinks.meshopt || (run->sinks.paths[SINK_GLB] && meshopt_encoder());
    if (*argc == 1 && ending == NULL && !packs)
        *out_status = options_wrong(
            &line, run->sinks.paths[SINK_GLB] ? "--meshopt: this program was built without "
                                                "meshoptimizer (Debian: libmeshoptimizer-dev)"
                                              : "--meshopt compresses a GLB: give -o OUT.glb, too");
    return *argc == 1 && ending == NULL && packs;
}

static void warn_about_motion(const SnScene *scene, const CaptureReport *report) {
    uint32_t bits = report->bits;
    if (report->stretched)
        say_warning("%s", report->stretched_line);
    if (bits & SN_STEP_CLAMPED)
        say_warning("a speed reached %g m/s and was held there; the scene may need a smaller step",
                    (double)SN_MAX_SPEED);
    if (bits & SN_STEP_RECOVERED)
        say_warning("a %s left the range of numbers and was put back to rest",
                    rod_count(scene) < sn_scene_body_count(scene) ? "body" : "rod");
    if (bits & SN_STEP_APART)
        say_warning("a stiff rod is not where it is held: its attachments contradict each other");
    if (bits & SN_STEP_TORN && report->torn_gap > 0.0f)
        say_warning("a link could not be closed: %s, open by up to %.2g m; what it ties is too "
                    "heavy or too fast for the step, or links contradict each other",
                    report->torn_link, (double)report->torn_gap);
}

static void warn_about_nothing(const SnScene *scene, const CaptureReport *report) {
    if (report->steps == 0 && !report->interrupted)
        say_warning(
            "nothing was simulated: the time is shorter than a frame of %.4g s, or less than "
            "half a step of %.4g s; give more --seconds",
            1.0 / sn_scene_settings(scene).fps, sn_scene_settings(scene).step);
}

// Those that there are, in J.
static void print_energies(const SnMeasures *m) {
    const struct {
        const char *name;
        double value;
    } parts[] = {{"kinetic", m->energy_kinetic}, {"stretch", m->energy_stretch},
                 {"shear", m->energy_shear},     {"bend", m->energy_bend},
                 {"twist", m->energy_twist},     {"scale", m->energy_scale},
                 {"volume", m->energy_volume}};
    say_result("  energy: gravity %.3g J", m->energy_gravity);
    for (size_t k = 0; k < sizeof parts / sizeof parts[0]; ++k)
        if (parts[k].value != 0.0)
            say_result(", %s %.3g", parts[k].name, parts[k].value);
    say_result("\n");
}

// Not a warning: most scenes that sweep mean it.
static void note_sweeps(const CaptureReport *report, bool quiet) {
    if (report->soft && !quiet)
        say_note("%s", report->soft_line);
}

// How bodies are when it is over.
static void print_end(const SnScene *scene, const CaptureReport *report) {
    say_result(
        "  at the end: %d contact%s, deepest %.2g %% of a radius, fastest vertex %.3g m/s, %d "
        "of %d "
        "%s asleep\n",
        report->contacts, report->contacts == 1 ? "" : "s", 100.0 * report->last.penetration_max,
        report->last.speed_max, report->asleep, report->bodies,
        rod_count(scene) < sn_scene_body_count(scene) ? "bodies" : "rods");
    print_energies(&report->last);
    if (report->last.broken_joints > 0)
        say_result("  %d joint%s broke\n", report->last.broken_joints,
                   report->last.broken_joints == 1 ? "" : "s");
}

static void print_report(const SnScene *scene, const Sinks *sinks, const CaptureReport *report) {
    double factor = report->wall_seconds > 0.0 ? report->seconds / report->wall_seconds : 0.0;
    say_result("%s: %.4g s simulated in %.3g s (%.3g × real time), %ld steps", sn_scene_name(scene),
               report->seconds, report->wall_seconds, factor, report->steps);
    // Lines of muscles under skins have no volume of their own; their fields keep it.
    int lines = 0;
    for (int i = 0; i < sn_scene_flesh_count(scene); ++i)
        lines += !sn_scene_flesh(scene, i).is_bundle;
    if (lines < report->bodies)
        say_result(", largest volume error %.2g %%", 100.0 * report->volume_error_max);
    say_result("\n");
    if (report->bodies > 0)
        print_end(scene, report);
    if (report->morphs.target_count > 0)
        say_result("  skin in the GLB: %d morph target%s, largest error %.2g mm, %.2g %% of the "
                   "height\n",
                   report->morphs.target_count, report->morphs.target_count == 1 ? "" : "s",
                   1000.0 * report->morphs.error,
                   100.0 * report->morphs.error / report->morphs.height);
    sinks_print(sinks);
}

static void say_interrupted(const Sinks *sinks, const CaptureReport *report, double wanted) {
    say_note("interrupted after %.4g of %.4g s; what was done is kept", report->seconds, wanted);
    if (sinks->made[SINK_VIDEO])
        say_note("the video shows the first %.4g s", report->video_seconds);
}

static int run_scene(RunOptions *run, SnScene *scene) {
    SnSceneSettings settings = sn_scene_settings(scene);
    CaptureDef def = {.scene = scene, .world = sn_default_world_def(), .quiet = run->quiet};
    def.world.thread_count = run->threads ? run->threads : core_count();
    def.world.isa = run->isa;
    def.seconds = run->seconds > 0.0 ? run->seconds : settings.seconds;
    def.image_time = run->image_time >= 0.0 ? run->image_time : IMAGE_MOMENT * def.seconds;
    def.width = run->size[0];
    def.height = run->size[1];
    if (def.image_time > def.seconds) {
        say_error("--image-time: %g is not in [0, %g] s", def.image_time, def.seconds);
        return STATUS_USAGE;
    }

    CaptureReport report;
    SnResult result = capture(&def, &run->sinks, &report);
    warn_about_motion(scene, &report);
    if (result.code != SN_OK) {
        say_error("%s: %s", sn_scene_name(scene), result.message);
        return STATUS_INPUT;
    }
    if (report.steps == 0 && sinks_all_failed(&run->sinks))
        return STATUS_OUTPUT; // there was no reason to simulate
    warn_about_nothing(scene, &report);
    note_sweeps(&report, run->quiet);
    if (!run->quiet)
        print_report(scene, &run->sinks, &report);
    if (report.interrupted) {
        say_interrupted(&run->sinks, &report, def.seconds);
        return STATUS_INTERRUPTED;
    }
    return sinks_any_failed(&run->sinks) ? STATUS_OUTPUT : STATUS_OK;
}

int run_command(int argc, char **argv) {
    RunOptions run = {.image_time = -1.0, .size = {VIEW_DEFAULT_WIDTH, VIEW_DEFAULT_HEIGHT}};
    int status;
    if (!parse(&run, &argc, argv, &status))
        return status;
    SnScene *scene;
    if (!load_scene(argv[0], stderr, &scene))
        return STATUS_INPUT;
    sinks_check_places(&run.sinks, scene);
    if (sinks_all_failed(&run.sinks)) {
        sn_scene_destroy(scene);
        return STATUS_OUTPUT;
    }
    interrupt_watch();
    status = run_scene(&run, scene);
    sn_scene_destroy(scene);
    return status;
}
