// `sinew figure`: figures of the papers, measured against what they should be.
#include "app/commands.h"
#include "app/figure_kit.h"
#include "app/interrupt.h"
#include "app/options.h"
#include "app/patience.h"
#include "app/terminal.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

typedef struct FigureEntry {
    const char *name, *summary;
    SnResult (*make)(Figure *figure);
} FigureEntry;

static const FigureEntry figures[] = {
    {"viper-fig1", "an arm: muscles as rods between bones, and the skin over them",
     figure_viper_fig1},
    {"viper-fig2", "the cross-section of a muscle as rods", figure_viper_fig2},
    {"viper-fig5", "stretch and compression keep the volume", figure_viper_fig5},
    {"viper-fig6", "a volume wave runs along a rod of fixed length", figure_viper_fig6},
    {"cantilever", "deflection under a tip load, F L^3 / (3 E I)", figure_cantilever},
    {"twist", "turn under a torque, T L / (G J)", figure_twist},
    {"arap-fig1", "solids: a bar that is twisted and bent by a hand", figure_arap_fig1},
    {"arap-fig2", "solids: bars that are 1, 2 and 4 times as stiff", figure_arap_fig2},
    {"arap-fig3", "solids: stiffness against iterations, beside shape matching", figure_arap_fig3},
    {"arap-fig4", "solids: a body that was crushed into a point", figure_arap_fig4},
    {"arap-fig5", "a soft dinosaur falls on the floor", figure_arap_fig5},
    {"arap-fig6", "a sheet on a rod that turns, and a rabbit on a sheet", figure_arap_fig6},
    {"arap-fig7", "52 and 180 soft bodies within a fence of columns", figure_arap_fig7},
    {"arap-table1", "solids: the paper's table of times, and ours", figure_arap_table1},
    {"independence", "stiffness depends on neither step size nor iterations", figure_independence},
    {"volume-direct", "direct and iterative sweeps: a stiff and a soft rod, an octopus",
     figure_volume_direct},
    {"defaults", "rods of every kind and material at default settings, against theory",
     figure_defaults},
    {"damping", "decay rates of internal damping, and equilibria that it leaves alone",
     figure_damping},
    {"contacts", "what is stiff, held, linked, asleep or many, and touches", figure_contacts},
    {"drift", "energy and momentum of a free rod", figure_drift},
    {"viper-fig7", "a hundred octopuses fall on the floor and come to rest", figure_viper_fig7},
    {"viper-fig8", "a rubber band over two pegs snaps back", figure_viper_fig8},
    {"viper-fig9", "sections of a bundle that may scale, beside classic matching",
     figure_viper_fig9},
    {"viper-fig10", "a muscle that is excited, with both", figure_viper_fig10},
    {"viper-fig11", "from the mesh of a muscle to rods, stage by stage", figure_viper_fig11},
    {"viper-fig12", "eight rods of eight points for muscles of every shape", figure_viper_fig12},
    {"rope-pile", "two hundred ropes fall into a pile and come to rest", figure_rope_pile},
    {"carry", "bones that carry the flesh: error against iterations", figure_carry},
    {"friction", "a rod slides at tan(phi) = mu, and as far as v^2 / (2 mu g)", figure_friction},
    {"capstan", "a rope around a post, T2 / T1 = exp(mu theta)", figure_capstan},
    {"knot", "friction holds a knot, and without it the knot opens", figure_knot},
    {"squeeze", "a soft rod between two plates keeps its volume", figure_squeeze},
    {"rods-cantilever", "stiff rods: F L^3 / (3 E I), and the elastica", figure_rods_cantilever},
    {"rods-fig5", "a Wilberforce pendulum and its exchange period", figure_rods_fig5},
    {"rods-slinky", "a Slinky walks down the stairs", figure_rods_slinky},
    {"rods-fig6", "a strand under torsion forms plectonemes", figure_rods_fig6},
    {"rods-fig7", "a birch and a willow in a storm", figure_rods_fig7},
    {"rods-fig8", "a pine in a storm", figure_rods_fig8},
    {"rods-fig9", "direct solver against Gauss-Seidel", figure_rods_fig9},
    {"rods-fig10", "direct solver against the classic rods", figure_rods_fig10},
    {"rods-table1", "time per step of whole trees", figure_rods_table1},
    {"rods-table2", "iterations and speed-up on the birch", figure_rods_table2},
    {"implicit-bends", "elbow and knee at 150 degrees: an implicit skin beside blending",
     figure_implicit_bends},
    {"implicit-curl",
     "muscles under the skin of an arm: their volume, and what contact with bones does",
     figure_implicit_curl},
    {"implicit-fig4", "the place on a muscle's line that points belong to", figure_implicit_fig4},
    {"implicit-fig5", "cross-sections of one area", figure_implicit_fig5},
    {"implicit-fig6", "profiles from rest to activation, of one volume", figure_implicit_fig6},
    {"implicit-fig9", "how a muscle is joined to the surface over it", figure_implicit_fig9},
    {"implicit-fig2", "an arm at rest, with an active biceps, and bent", figure_implicit_fig2},
    {"implicit-fig7", "the pectoral and the deltoid as fans of fibres", figure_implicit_fig7},
    {"implicit-fig11", "calves and backs at rest and active", figure_implicit_fig11},
    {"implicit-fig13", "the volume of muscles through a curl and a jump", figure_implicit_fig13},
    {"implicit-fig14", "a biceps that is wider than its volume makes it", figure_implicit_fig14},
    {"implicit-fig12", "time of a frame against particles per muscle", figure_implicit_fig12},
    {"implicit-table1", "how large the scenes with muscles are", figure_implicit_table1},
    {"implicit-table2", "time of a frame, beside the paper's", figure_implicit_table2},
    {"implicit-table3", "time of the lines, without and with contact", figure_implicit_table3},
};

#define FIGURE_COUNT ((int)(sizeof figures / sizeof figures[0]))

// Makes all folders of a path; those that exist are fine.
static bool make_folder(const char *path) {
    char part[512];
    size_t length = strlen(path);
    if (length == 0 || length >= sizeof part) {
        say_error("%s: no folder can have this name", path);
        return false;
    }
    for (size_t i = 1; i <= length; ++i) {
        if (path[i] != '/' && path[i] != '\0')
            continue;
        memcpy(part, path, i);
        part[i] = '\0';
        if (mkdir(part, 0777) != 0 && errno != EEXIST) {
            say_error("%s: %s", part, strerror(errno));
            return false;
        }
    }
    return true;
}

// Ctrl-C in a part of a figure that does not look for it: its picture is not drawn.
static void leave_figure(void *context) {
    const FigureEntry *entry = context;
    say_note("%s: interrupted", entry->name);
}

static Status make_figure(const FigureEntry *entry, const char *scenes, const char *folder) {
    Figure figure = {
        .name = entry->name, .scenes = scenes, .folder = folder, .threads = FIGURE_THREADS_AUTO};
    double start = sn_now_ms();
    printf("%s: %s\n", entry->name, entry->summary);
    patience_begin(NULL, leave_figure, (void *)entry);
    SnResult result = entry->make(&figure);
    patience_end();
    if (interrupted()) {
        say_note("%s: %s", entry->name, result.message);
        return STATUS_INTERRUPTED;
    }
    if (result.code != SN_OK) {
        printf("%s: fail (%s)\n", entry->name, result.message);
        struct stat about;
        if (stat(scenes, &about) != 0)
            say_note("there is no folder %s: go to that of Sinew, or give --scenes DIR", scenes);
        return STATUS_FAILED;
    }
    printf("%s/%s.png, %.1f s\n", folder, entry->name, 0.001 * (sn_now_ms() - start));
    if (figure.why[0]) {
        printf("%s: fail (%s)\n", entry->name, figure.why);
        return STATUS_FAILED;
    }
    printf("%s: pass\n", entry->name);
    return STATUS_OK;
}

static int list_figures(void) {
    for (int i = 0; i < FIGURE_COUNT; ++i)
        printf("%-16s %s\n", figures[i].name, figures[i].summary);
    return STATUS_OK;
}

static int unknown_figure(const CommandLine *line, const char *word) {
    const char *names[FIGURE_COUNT];
    char hint[80];
    for (int i = 0; i < FIGURE_COUNT; ++i)
        names[i] = figures[i].name;
    options_suggest(hint, sizeof hint, word, "", names, FIGURE_COUNT);
    return options_wrong(line, "there is no figure %s%s", word, hint);
}

static const FigureEntry *find_figure(const char *name) {
    for (int i = 0; i < FIGURE_COUNT; ++i)
        if (strcmp(figures[i].name, name) == 0)
            return &figures[i];
    return NULL;
}

// All figures, or the one; the status is that of the worst.
static int make_figures(const FigureEntry *only, const char *scenes, const char *folder) {
    Status worst = STATUS_OK;
    if (!make_folder(folder))
        return STATUS_OUTPUT;
    interrupt_watch();
    for (int i = 0; i < FIGURE_COUNT; ++i) {
        if (only && only != &figures[i])
            continue;
        Status status = make_figure(&figures[i], scenes, folder);
        fflush(stdout);
        if (status == STATUS_INTERRUPTED)
            return status;
        worst = status > worst ? status : worst;
    }
    return worst;
}

int figure_command(int argc, char **argv) {
    bool all = false, list = false;
    const char *folder = "out/figures", *scenes = "scenes/figures";
    const Option options[] = {
        {"all", 0, OPTION_FLAG, &all, 0, 0, NULL, "every figure"},
        {"list", 0, OPTION_FLAG, &list, 0, 0, NULL, "names them"},
        {"output", 'o', OPTION_TEXT, &folder, 0, 0, "DIR", "for NAME.png; default: out/figures"},
        {"scenes", 0, OPTION_TEXT, &scenes, 0, 0, "DIR",
         "their scene files; default: scenes/figures"},
    };
    const CommandLine line = {
        "figure",
        "NAME | --all | --list [options]",
        "Runs the scenes of a figure, prints measured against expected, leaves its picture,\n"
        "and ends with the line \"NAME: pass\" or \"NAME: fail (why)\".",
        options,
        4,
        "  sinew figure viper-fig5\n  sinew figure --all -o pictures\n"};
    int status;
    if (!options_parse(&line, &argc, argv, &status))
        return status;
    if (list && !all && argc == 0)
        return list_figures();
    if (list || (all ? argc != 0 : argc != 1))
        return options_wrong(&line, "give the name of one figure, --all or --list");
    const FigureEntry *only = all ? NULL : find_figure(argv[0]);
    if (!all && only == NULL)
        return unknown_figure(&line, argv[0]);
    return make_figures(only, scenes, folder);
}
