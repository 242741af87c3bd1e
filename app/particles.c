// sinew particles: ellipsoids that fill a mesh, the graph that joins them, and a scene of them.
#include "app/particles.h"

#include "app/commands.h"
#include "app/interrupt.h"
#include "app/options.h"
#include "app/progress.h"
#include "app/terminal.h"

#include <sinew/mesh_file.h>

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

// What stands in front of the name of a body that is made by code, its size, m, and its triangles.
#define MODEL_PREFIX "model:"
#define MODEL_SIZE 1.0f
#define MODEL_TRIANGLES 10000

// Meshes that are larger than this are taken to be in millimetres.
#define LARGEST_METRES 20.0

typedef struct ParticlesOptions {
    int particles;
    const char *fill, *up, *output, *image;
    double scale, thickness;
    bool json, quiet;
} ParticlesOptions;

static bool report_progress(const char *stage, double done, void *context) {
    (void)stage;
    progress_update(context, done);
    return !interrupted();
}

static bool read_model(ParticleBody *body, const char *path) {
    const char *shape = path + sizeof MODEL_PREFIX - 1, *names[SN_SOLID_SHAPE_COUNT];
    int found = -1;
    for (int i = 0; i < SN_SOLID_SHAPE_COUNT; ++i) {
        names[i] = sn_solid_shape_name((SnSolidShape)i);
        if (strcmp(shape, names[i]) == 0)
            found = i;
    }
    if (found < 0) {
        char hint[80];
        options_suggest(hint, sizeof hint, shape, MODEL_PREFIX, names, SN_SOLID_SHAPE_COUNT);
        say_error("%s: no such model, but dinosaur, rabbit, figure, torus, bar, sheet and column%s",
                  path, hint);
        return false;
    }
    snprintf(body->name, sizeof body->name, "%s", shape);
    SnResult result =
        sn_solid_mesh((SnSolidShape)found, MODEL_SIZE, MODEL_TRIANGLES, NULL, &body->mesh);
    if (result.code != SN_OK)
        say_error("%s", result.message);
    return result.code == SN_OK;
}

static bool read_body(ParticleBody *body, const char *path) {
    snprintf(body->label, sizeof body->label, "%s", path);
    if (strncmp(path, MODEL_PREFIX, sizeof MODEL_PREFIX - 1) == 0)
        return read_model(body, path);
    const char *slash = strrchr(path, '/'), *stem = slash ? slash + 1 : path;
    const char *dot = strrchr(stem, '.');
    int length = dot && dot > stem ? (int)(dot - stem) : (int)strlen(stem);
    snprintf(body->name, sizeof body->name, "%.*s", length, stem);
    for (char *c = body->name; *c; ++c)
        if ((unsigned char)*c < 0x20 || strchr("\"\\/,", *c))
            *c = '_';
    SnResult result = sn_mesh_read(path, NULL, &body->mesh);
    if (result.code != SN_OK)
        say_error("%s", result.message);
    return result.code == SN_OK;
}

static int convert(const ParticlesOptions *o, ParticleBody *body) {
    SnParticlesDef def = sn_default_particles_def();
    def.vertex_count = body->mesh.vertex_count;
    def.positions = body->mesh.positions;
    def.triangle_count = body->mesh.triangle_count;
    def.triangles = body->mesh.triangles;
    def.particles = o->particles;
    def.fill = body->fill;
    def.thickness = o->thickness > 0.0 ? (float)o->thickness : SN_DERIVED;
    Progress progress = progress_begin(body->name, NULL, 1.0, o->quiet);
    def.progress = report_progress;
    def.progress_context = &progress;
    double began = sn_now_ms();
    SnResult result = sn_particles_create(&def, NULL, &body->particles);
    body->seconds = 1e-3 * (sn_now_ms() - began);
    progress_end(&progress);
    if (interrupted())
        return STATUS_INTERRUPTED;
    if (result.code != SN_OK)
        say_error("%s: %s%s", body->label, result.message,
                  body->fill == SN_FILL_SOLID && strstr(result.message, "mesh: it ")
                      ? "; --fill shell takes surfaces"
                      : "");
    return result.code == SN_OK ? STATUS_OK : STATUS_INPUT;
}

// Metres per unit: what is asked for or, for 0, a guess from the size, which is said.
static double choose_scale(const ParticleBody *body, double wanted, bool quiet) {
    if (wanted > 0.0)
        return wanted;
    SnVec3 low = body->mesh.positions[0], high = low;
    for (int i = 0; i < body->mesh.vertex_count; ++i) {
        SnVec3 x = body->mesh.positions[i];
        low = sn_vec3(fminf(low.x, x.x), fminf(low.y, x.y), fminf(low.z, x.z));
        high = sn_vec3(fmaxf(high.x, x.x), fmaxf(high.y, x.y), fmaxf(high.z, x.z));
    }
    double longest = (double)fmaxf(high.x - low.x, fmaxf(high.y - low.y, high.z - low.z));
    if (longest <= LARGEST_METRES)
        return 1.0;
    if (!quiet)
        say_note("a length of %.3g: taken as millimetres; --scale says otherwise", longest);
    return 0.001;
}

// What a solid of a scene may have: radii in metres, and volumes.
#define LEAST_RADIUS 1e-5
#define MOST_RADIUS 1e4
#define LEAST_VOLUME 1e-18

// Whether particles are of a size that a world takes; says what to do if not.
static bool check_size(const ParticleBody *body) {
    double least = 1e300, most = 0.0, volume = 1e300;
    for (int i = 0; i < body->particles.particle_count; ++i) {
        SnVec3 r = body->particles.radii[i];
        least = fmin(least, fmin((double)r.x, fmin((double)r.y, (double)r.z)));
        most = fmax(most, fmax((double)r.x, fmax((double)r.y, (double)r.z)));
        volume = fmin(volume, (double)body->particles.volumes[i]);
    }
    double s = body->scale;
    if (s * least >= LEAST_RADIUS && s * most <= MOST_RADIUS && s * s * s * volume >= LEAST_VOLUME)
        return true;
    say_error("%s: at %g metres per unit, radii of its particles are %.3g to %.3g m; a world takes "
              "%g to %g m, and %g m³ at least: --scale gives other sizes",
              body->label, s, s * least, s * most, LEAST_RADIUS, MOST_RADIUS, LEAST_VOLUME);
    return false;
}

typedef SnResult WriteBody(const ParticleBody *body, const char *path);

static int write_to(const ParticlesOptions *o, const ParticleBody *body, const char *path,
                    WriteBody *write) {
    if (path == NULL)
        return STATUS_OK;
    SnResult result = write(body, path);
    if (result.code == SN_OK && !o->json && !o->quiet)
        printf("%s: written\n", path);
    if (result.code != SN_OK)
        say_error("%s", result.message);
    return result.code == SN_OK ? STATUS_OK : STATUS_OUTPUT;
}

static int run(const ParticlesOptions *o, ParticleBody *body, const char *path) {
    if (!read_body(body, path))
        return STATUS_INPUT;
    int status = convert(o, body);
    if (status != STATUS_OK)
        return status;
    body->scale = choose_scale(body, o->scale, o->quiet);
    body->z_is_up = strcmp(o->up, "z") == 0;
    if (o->output && !check_size(body))
        return STATUS_INPUT;
    if (o->json)
        particles_print_json(body);
    else if (!o->quiet)
        particles_print(body);
    status = write_to(o, body, o->output, particles_write_scene);
    int drawn = write_to(o, body, o->image, particles_write_picture);
    return status != STATUS_OK ? status : drawn;
}

static bool ends_with(const char *path, const char *ending) {
    size_t length = strlen(path), tail = strlen(ending);
    return length >= tail && strcasecmp(path + length - tail, ending) == 0;
}

// NULL, or what is wrong with the options.
static const char *check_options(const ParticlesOptions *o, SnFill *out_fill) {
    *out_fill = SN_FILL_COUNT;
    for (int i = 0; i < SN_FILL_COUNT; ++i)
        if (strcmp(o->fill, sn_fill_name((SnFill)i)) == 0)
            *out_fill = (SnFill)i;
    if (*out_fill == SN_FILL_COUNT)
        return "--fill: expected solid, shell or curve";
    if (o->thickness > 0.0 && *out_fill != SN_FILL_SHELL)
        return "--thickness is that of a shell: add --fill shell";
    if (strcmp(o->up, "y") != 0 && strcmp(o->up, "z") != 0)
        return "--up: expected y or z";
    if (o->output && !ends_with(o->output, ".json"))
        return "--output: a scene's name ends in .json";
    if (o->image && !ends_with(o->image, ".png"))
        return "--image: a picture's name ends in .png";
    return NULL;
}

int particles_command(int argc, char **argv) {
    ParticlesOptions o = {.particles = 100, .fill = "solid", .up = "y"};
    const Option options[] = {
        {"particles", 'n', OPTION_INT, &o.particles, 1, SN_MAX_FIT_PARTICLES, "N", "default 100"},
        {"output", 'o', OPTION_TEXT, &o.output, 0, 0, "OUT.json", "scene of the body, with a skin"},
        {"fill", 0, OPTION_TEXT, &o.fill, 0, 0, "solid|shell|curve",
         "fill the inside (default), cover the surface, or line up along it"},
        {"thickness", 0, OPTION_NUMBER, &o.thickness, 1e-9, 1e9, "T",
         "of a shell, in the unit of the mesh; default: a fifth of the distance of particles"},
        {"image", 0, OPTION_TEXT, &o.image, 0, 0, "OUT.png",
         "picture of mesh, particles and graph"},
        {"json", 0, OPTION_FLAG, &o.json, 0, 0, NULL, "print the quality as JSON"},
        {"scale", 0, OPTION_NUMBER, &o.scale, 1e-6, 1e6, "S",
         "metres per unit of the mesh; default: 1, or 0.001 for what is larger than 20"},
        {"up", 0, OPTION_TEXT, &o.up, 0, 0, "y|z", "the axis of the mesh that is up, default y"},
        {"quiet", 'q', OPTION_FLAG, &o.quiet, 0, 0, NULL, "only errors"},
    };
    const CommandLine line = {"particles",
                              "MESH [options]",
                              "Fills a mesh with ellipsoids and joins them to a graph, for a soft "
                              "solid, and says how well\n"
                              "they fit. model:dinosaur, :rabbit, :figure, :torus, :bar, :sheet "
                              "and :column are meshes to\n"
                              "try it on.",
                              options,
                              sizeof options / sizeof options[0],
                              "  sinew particles bunny.obj -n 100 -o bunny.json --image fit.png\n"
                              "  sinew particles model:sheet --fill shell -n 256 -o sheet.json\n"
                              "  sinew particles model:bar --fill curve -n 20 --json\n"};
    int status;
    if (!options_parse(&line, &argc, argv, &status))
        return status;
    if (argc != 1)
        return options_wrong(&line, argc == 0 ? "no mesh given" : "one mesh at a time");
    ParticleBody body = {0};
    const char *wrong = check_options(&o, &body.fill);
    if (wrong)
        return options_wrong(&line, "%s", wrong);
    interrupt_watch();
    status = run(&o, &body, argv[0]);
    sn_particles_destroy(&body.particles);
    sn_mesh_destroy(&body.mesh);
    return status;
}
