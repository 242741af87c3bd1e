// A mesh on its way to oriented particles.
#pragma once

#include <sinew/particles.h>
#include <sinew/solid_model.h>

typedef struct ParticleBody {
    char label[256]; // where it comes from, for messages
    char name[64];   // the file's without folder and ending, or the model's
    SnMesh mesh;
    SnFill fill;
    SnParticles particles;
    double seconds; // that the conversion took
    double scale;   // metres per unit of the mesh
    bool z_is_up;   // in the mesh; in scenes, y is
} ParticleBody;

// What was made of it, in words or as JSON, on stdout.
void particles_print(const ParticleBody *body);
void particles_print_json(const ParticleBody *body);

// The mesh, its ellipsoids and their graph, side by side.
SnResult particles_write_picture(const ParticleBody *body, const char *path);

// A scene in which the body falls on a floor. Beside it the mesh is written for its skin, SCENE.NAME.obj,
// in metres.
SnResult particles_write_scene(const ParticleBody *body, const char *path);
