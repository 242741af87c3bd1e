// Ropes of Sinew on a body of another engine. Here, the other engine is thirty lines: a box that falls, with
// semi-implicit Euler; yours does what it does.
//
// A rope ends at a frame that follows the other engine's body (attachment and frame), and pulls at it with
// the opposite of what the attachment does to the rope (sn_attachment_reaction). Both engines take turns, so
// a force arrives one step late: that is stable as long as the rope is much lighter than the body, its
// stiffness k is far below m/dt², and it is damped by more than k·dt (rope: damping τ > dt).
#include <sinew/sinew.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define STEP (1.0f / 240.0f)
#define GRAVITY 9.81f
#define ROPES 2
#define VERTICES 12

// The other engine.
typedef struct Box {
    SnVec3 position, velocity, force;
    float mass;
} Box;

static void box_step(Box *box, float dt) {
    SnVec3 *v = &box->velocity, *x = &box->position;
    v->x += dt * box->force.x / box->mass;
    v->y += dt * (box->force.y / box->mass - GRAVITY);
    v->z += dt * box->force.z / box->mass;
    x->x += dt * v->x;
    x->y += dt * v->y;
    x->z += dt * v->z;
    box->force = sn_vec3(0.0f, 0.0f, 0.0f);
}

static void must(SnResult result) {
    if (result.code == SN_OK)
        return;
    fprintf(stderr, "coupling: %s\n", result.message);
    exit(1);
}

typedef struct Coupled {
    SnBodyId rope;
    SnAttachmentId end; // on the box
} Coupled;

static Coupled hang(SnWorld *world, SnVec3 top, SnVec3 bottom, SnFrameId box_frame) {
    SnVec3 points[VERTICES];
    for (int i = 0; i < VERTICES; ++i) {
        float t = (float)i / (float)(VERTICES - 1);
        points[i] = sn_vec3(top.x + t * (bottom.x - top.x), top.y + t * (bottom.y - top.y),
                            top.z + t * (bottom.z - top.z));
    }
    SnRodDef def = sn_default_rod_def();
    def.vertex_count = VERTICES;
    def.positions = points;
    def.radius = 0.01f;
    def.classic = true;
    def.material.density = 900.0f;
    def.material.young = 3.0e7f;
    def.material.damping = 0.02f;
    Coupled coupled;
    must(sn_rod_create(world, &def, &coupled.rope));
    SnAttachmentDef peg = sn_default_attachment_def();
    peg.body = coupled.rope;
    must(sn_attachment_create(world, &peg, NULL)); // the upper end, to the world
    peg.index = VERTICES - 1;
    peg.frame = box_frame;
    must(sn_attachment_create(world, &peg, &coupled.end));
    return coupled;
}

int main(void) {
    SnWorldDef world_def = sn_default_world_def();
    SnWorld *world;
    must(sn_world_create(&world_def, &world));
    Box box = {.position = {0.0f, 1.0f, 0.0f}, .mass = 10.0f};
    SnPose pose = sn_pose_identity();
    pose.position = box.position;
    SnFrameId frame;
    must(sn_frame_create(world, pose, &frame));
    const SnVec3 tops[ROPES] = {{-0.8f, 2.0f, 0.0f}, {0.8f, 2.0f, 0.0f}};
    Coupled ropes[ROPES];
    for (int k = 0; k < ROPES; ++k)
        ropes[k] = hang(world, tops[k], box.position, frame);

    float pull = 0.0f;
    for (int i = 0; i < 5 * 240; ++i) {
        // The other engine moves its body, with what the ropes did to it in the last step.
        box_step(&box, STEP);
        // Sinew leads the ends of the ropes there.
        pose.position = box.position;
        must(sn_frame_set_target(world, frame, pose));
        sn_world_step(world, STEP, 4, 1);
        // What holds the rope pulls at it; the rope pulls back.
        pull = 0.0f;
        for (int k = 0; k < ROPES; ++k) {
            SnReaction reaction;
            must(sn_attachment_reaction(world, ropes[k].end, &reaction));
            box.force.x -= reaction.force.x;
            box.force.y -= reaction.force.y;
            box.force.z -= reaction.force.z;
            pull -= reaction.force.y;
        }
        if (i % 240 == 239)
            printf("%d s: box at %.3f m, %.3f m/s, ropes pull with %.1f N\n", (i + 1) / 240,
                   (double)box.position.y, (double)box.velocity.y, (double)pull);
    }
    bool rests = fabsf(box.velocity.y) < 0.01f && fabsf(pull / (box.mass * GRAVITY) - 1.0f) < 0.01f;
    if (!rests)
        fprintf(stderr, "coupling: the box does not hang still on its ropes\n");
    sn_world_destroy(world);
    return rests ? 0 : 1;
}
