// What was made of a mesh, in words and as JSON.
#include "app/particles.h"

#include "app/terminal.h"
#include "io/json_write.h"

#include <stdio.h>

// Particles that the body is thick, on the mean: a bar of side a has a volume of a/4 times its area. Bars and columns of
// the models bend as beams do within 10 % from 2.2 on, within 20 % from 1.7 on, and else up to half as far again
// (test_solid_mesh bending).
static double across(const SnParticlesQuality *q) {
    return q->area > 0.0 ? 4.0 * q->volume / (q->area * q->spacing) : 0.0;
}

static void print_bending(const ParticleBody *body) {
    double thick = across(&body->particles.quality);
    if (body->fill != SN_FILL_SOLID || body->particles.particle_count < 2)
        return;
    printf("  %.2f particles thick on the mean: a bar like that bends as its material does %s\n",
           thick,
           thick >= 2.2   ? "within 10 %"
           : thick >= 1.7 ? "within 20 %; more particles are better"
                          : "at best within 50 %: take more particles");
}

void particles_print(const ParticleBody *body) {
    const SnParticles *p = &body->particles;
    const SnParticlesQuality *q = &p->quality;
    for (int i = 0; i < p->report.message_count; ++i)
        say_note("%s: %s", body->name, p->report.messages[i]);
    printf("%s: %d particles, %d edges (%.2f per particle), %.2f s for %d triangles\n", body->label,
           p->particle_count, p->edge_count, q->edges_per_particle, body->seconds,
           body->mesh.triangle_count);
    printf("  covered: %.1f %% of the %s; the union has %.1f %% of the volume %.4g\n",
           100.0 * q->covered, body->fill == SN_FILL_SHELL ? "surface" : "inside",
           100.0 * q->volume_ratio, q->volume);
    printf("  distance from the mesh to the union %.3g rms, %.1f %% of the spacing %.4g; farthest "
           "%.3g (Hausdorff)\n",
           q->rms, 100.0 * q->rms / q->spacing, q->spacing, q->hausdorff);
    print_bending(body);
    printf("  time:");
    for (int i = 0; i < p->report.stage_count; ++i)
        printf("%s %s %.0f ms", i > 0 ? "," : "", p->report.stages[i].name, p->report.stages[i].ms);
    printf("\n");
}

static void put(JsonWriter *json, const char *key, double value) {
    sn__json_put_key(json, key);
    sn__json_put_double(json, value);
}

static void put_int(JsonWriter *json, const char *key, int value) {
    sn__json_put_key(json, key);
    sn__json_put_int(json, value);
}

void particles_print_json(const ParticleBody *body) {
    const SnParticles *p = &body->particles;
    const SnParticlesQuality *q = &p->quality;
    JsonWriter json = {0};
    sn__json_open(&json, '{');
    sn__json_put_key(&json, "fill");
    sn__json_put_string(&json, sn_fill_name(body->fill));
    put_int(&json, "particles", p->particle_count);
    put_int(&json, "edges", p->edge_count);
    put_int(&json, "parts", q->parts);
    put(&json, "edges_per_particle", q->edges_per_particle);
    put(&json, "volume", q->volume);
    put(&json, "area", q->area);
    put(&json, "covered", q->covered);
    put(&json, "thick", across(q));
    put(&json, "volume_ratio", q->volume_ratio);
    put(&json, "rms", q->rms);
    put(&json, "hausdorff", q->hausdorff);
    put(&json, "spacing", q->spacing);
    put(&json, "seconds", body->seconds);
    sn__json_put_key(&json, "notes");
    sn__json_open(&json, '[');
    for (int i = 0; i < p->report.message_count; ++i)
        sn__json_put_string(&json, p->report.messages[i]);
    sn__json_close(&json, ']');
    sn__json_close(&json, '}');
    puts(json.text && !json.out_of_memory ? json.text : "");
    sn__json_writer_free(&json);
}
