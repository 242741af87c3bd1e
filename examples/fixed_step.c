// Steps of 1/60 s and pictures at any rate: an accumulator, and poses between the last two steps. Here,
// pictures come every 1/144 s, then every 1/25 s; the motion that they show is even in both.
#include <sinew/sinew.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define STEP (1.0 / 60.0)
#define MOST_STEPS 4 // per picture: after a hitch, time is lost rather than caught up with

typedef struct Game {
    SnWorld *world;
    SnInterpolator *interpolator;
    double accumulator;
} Game;

static void must(SnResult result) {
    if (result.code == SN_OK)
        return;
    fprintf(stderr, "fixed_step: %s\n", result.message);
    exit(1);
}

static void start(Game *game) {
    SnWorldDef def = sn_default_world_def();
    must(sn_world_create(&def, &game->world));
    must(sn_interpolator_create(NULL, &game->interpolator));
    SnRigidPart part = sn_rigid_sphere(sn_vec3(0.0f, 0.0f, 0.0f), 0.1f);
    SnRigidDef ball = sn_default_rigid_def();
    ball.parts = &part;
    ball.part_count = 1;
    ball.velocity = sn_vec3(3.0f, 0.0f, 0.0f);
    ball.gravity_scale = 0.0f;
    must(sn_rigid_create(game->world, &ball, NULL));
    must(sn_interpolator_push(game->interpolator, game->world));
}

// Time goes on by that of one picture, and poses are those to draw.
static void advance(Game *game, double picture_time, SnPoses *out_poses) {
    game->accumulator += picture_time;
    for (int n = 0; game->accumulator >= STEP; ++n) {
        game->accumulator -= STEP;
        if (n >= MOST_STEPS)
            continue;
        sn_world_step(game->world, (float)STEP, 8, 1);
        must(sn_interpolator_push(game->interpolator, game->world));
    }
    must(sn_interpolator_poses(game->interpolator, (float)(game->accumulator / STEP), out_poses));
}

// The largest difference between how far the ball goes from picture to picture and how far it should.
static double unevenness(double picture_time) {
    Game game = {0};
    start(&game);
    double before = 0.0, worst = 0.0;
    for (int k = 0; k < 200; ++k) {
        SnPoses poses;
        advance(&game, picture_time, &poses);
        double x = (double)poses.positions[0];
        if (k > 10)
            worst = fmax(worst, fabs(x - before - 3.0 * picture_time));
        before = x;
    }
    sn_interpolator_destroy(game.interpolator);
    sn_world_destroy(game.world);
    return worst;
}

int main(void) {
    const double rates[2] = {144.0, 25.0};
    int failures = 0;
    for (int k = 0; k < 2; ++k) {
        double worst = unevenness(1.0 / rates[k]);
        printf("%.0f pictures per second: steps from picture to picture differ by %.2g m\n",
               rates[k], worst);
        failures += worst > 1e-4;
    }
    return failures > 0;
}
