// Figure 5 of Deul et al., the Wilberforce pendulum: a helical spring whose bob moves up and down,
// then turns, then moves up and down again.
//
// An axial force P and an axial couple M make the moments PR cos α + M sin α along the wire of a
// helix, and M cos α − PR sin α across it, α its pitch angle (Love, Mathematical Theory of
// Elasticity, § 271; Wahl, Mechanical Springs, on open-coiled springs). With a wire of length ℓ that
// gives way by 1/GJ to the one and 1/EI to the other, the bob moves along and around the axis by
//
//     z = ℓ R² (cos²α/GJ + sin²α/EI) P + ℓ R sin α cos α (1/GJ − 1/EI) M
//     φ = ℓ R sin α cos α (1/GJ − 1/EI) P + ℓ (sin²α/GJ + cos²α/EI) M.
//
// The inverse is the stiffness. A third of the spring moves with the bob. Where both motions are
// equally fast, energy goes from the one to the other and back in the time 2π/(ω₂ − ω₁) (Berg and
// Marshall, Wilberforce pendulum oscillations and normal modes, Am. J. Phys. 59, 1991), and the part
// of it that is in the turning is sin²(π t/T).
//
// There is no gravity: what it does is to stretch the spring, and the rest shape here is the one it
// hangs in. The bob moves by millimetres only: farther, and the spring bends aside as it is pressed.
#include "app/figure_kit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

// As in the scene.
#define RADIUS 0.02  // m, of the helix
#define WIRE 0.0007  // m, its radius
#define TURNS 12     //
#define PER_TURN 24  // segments
#define PITCH 0.03   // m
#define YOUNG 2.0e11 // Pa
#define SHEAR (YOUNG / 2.6)
#define DENSITY 7800.0      // kg/m³
#define BOB 0.3             // kg
#define BOB_WIDE 0.03185995 // m, its radius

typedef struct Theory {
    double mass, inertia; // of the bob, and a third of the spring
    double k[3];          // stiffness: zz, φφ, zφ
    double slow, fast;    // rad/s, of the normal modes
} Theory;

static Theory theory(void) {
    double angle = atan(PITCH / (2.0 * FIGURE_PI * RADIUS)), c = cos(angle), s = sin(angle);
    double chord = hypot(2.0 * RADIUS * sin(FIGURE_PI / PER_TURN), PITCH / PER_TURN);
    int segments = TURNS * PER_TURN;
    double wire = (segments - 1) * chord; // from the middle of the first to that of the last
    double i = 0.25 * FIGURE_PI * pow(WIRE, 4.0), bend = 1.0 / (YOUNG * i);
    double twist = 1.0 / (SHEAR * 2.0 * i);
    double zz = wire * RADIUS * RADIUS * (c * c * twist + s * s * bend);
    double ff = wire * (s * s * twist + c * c * bend);
    double zf = wire * RADIUS * s * c * (twist - bend);
    double det = zz * ff - zf * zf, spring = DENSITY * FIGURE_PI * WIRE * WIRE * segments * chord;
    Theory t = {.mass = BOB + spring / 3.0,
                .inertia = 0.5 * BOB * BOB_WIDE * BOB_WIDE + spring * RADIUS * RADIUS / 3.0,
                .k = {ff / det, zz / det, -zf / det}};
    double p = t.k[0] / t.mass, q = t.k[1] / t.inertia;
    double apart = sqrt(0.25 * (p - q) * (p - q) + t.k[2] * t.k[2] / (t.mass * t.inertia));
    t.slow = sqrt(0.5 * (p + q) - apart);
    t.fast = sqrt(0.5 * (p + q) + apart);
    return t;
}

typedef struct Motion {
    int count;
    double step;
    double *time, *z, *turn; // s, mm, rad
    double *share;           // of the energy that is in the turning, mean over a period
    double *fit;             // what it should be
} Motion;

// About the axis of the bob, which points down; the angle of its first axis.
static double angle_of(const float *q) {
    double x = (double)q[0], y = (double)q[1], z = (double)q[2], w = (double)q[3];
    double first_x = 1.0 - 2.0 * (y * y + z * z), first_z = 2.0 * (x * z - y * w);
    return atan2(-first_z, first_x);
}

static SnResult record(FigureRun *run, Motion *m) {
    SnResult result = sn_ok();
    double start_z = 0.0, start_turn = 0.0, turn = 0.0;
    for (int i = 0; result.code == SN_OK && i < m->count; ++i) {
        SnPoses poses;
        result = figure_run_to(run, i * m->step);
        if (result.code == SN_OK)
            result = figure_run_poses(run, &poses);
        if (result.code == SN_OK) {
            RodPose rod = figure_rod(&poses, 0);
            const float *end = rod.positions + 3 * (rod.vertices - 1);
            double z = 0.5 * ((double)end[1] + (double)end[-2]);
            double now = angle_of(rod.frames + 4 * (rod.segments - 1));
            turn = i == 0 ? now : turn + remainder(now - turn, 2.0 * FIGURE_PI);
            start_z = i == 0 ? z : start_z;
            start_turn = i == 0 ? turn : start_turn;
            m->time[i] = i * m->step;
            m->z[i] = 1.0e3 * (z - start_z);
            m->turn[i] = turn - start_turn;
        }
    }
    return result;
}

// Energies of both motions, each as if there were no other.
static void share_energy(Motion *m, const Theory *t) {
    int period = (int)lround(2.0 * FIGURE_PI / (0.5 * (t->slow + t->fast)) / m->step);
    for (int i = 0; i < m->count; ++i) {
        double up = 0.0, round = 0.0;
        m->share[i] = NAN;
        if (i < period / 2 + 1 || i + period / 2 + 2 > m->count)
            continue;
        for (int k = i - period / 2; k < i - period / 2 + period; ++k) {
            double v = 1.0e-3 * (m->z[k + 1] - m->z[k - 1]) / (2.0 * m->step);
            double w = (m->turn[k + 1] - m->turn[k - 1]) / (2.0 * m->step);
            up += t->mass * v * v + t->k[0] * 1.0e-6 * m->z[k] * m->z[k];
            round += t->inertia * w * w + t->k[1] * m->turn[k] * m->turn[k];
        }
        m->share[i] = round / (up + round);
    }
}

static double misfit(const Motion *m, double period) {
    double sum = 0.0;
    for (int i = 0; i < m->count; ++i) {
        double s = sin(FIGURE_PI * m->time[i] / period), d = m->share[i] - s * s;
        sum += isfinite(d) ? d * d : 0.0;
    }
    return sum;
}

// The exchange period that fits best, within a fifth of the expected one.
static double exchange_period(const Motion *m, double expected) {
    double best = expected;
    for (int i = -400; i <= 400; ++i) {
        double period = expected * (1.0 + 0.0005 * i);
        best = misfit(m, period) < misfit(m, best) ? period : best;
    }
    return best;
}

// Mean angular frequency, by crossings of z through 0 in the first quarter, where it is largest.
static double frequency(const Motion *m) {
    double first = 0.0, last = 0.0;
    int crossings = 0;
    for (int i = 1; i < m->count / 8; ++i)
        if (m->z[i - 1] < 0.0 && m->z[i] >= 0.0) {
            last = m->time[i] - m->step * m->z[i] / (m->z[i] - m->z[i - 1]);
            first = crossings++ == 0 ? last : first;
        }
    return 2.0 * FIGURE_PI * (crossings - 1) / (last - first);
}

static void report(Figure *figure, Motion *m, const Theory *t) {
    double expected = 2.0 * FIGURE_PI / (t->fast - t->slow), most = 0.0, least = 1.0;
    double period = exchange_period(m, expected);
    for (int i = 0; i < m->count; ++i) {
        double s = sin(FIGURE_PI * m->time[i] / expected);
        m->fit[i] = s * s;
        most = m->share[i] > most ? m->share[i] : most;
        least = m->time[i] > 0.75 * expected && m->share[i] < least ? m->share[i] : least;
    }
    figure_table_begin("Wilberforce pendulum");
    figure_check_near(figure, "mean frequency, rad/s", frequency(m), 0.5 * (t->slow + t->fast),
                      0.005);
    figure_check_near(figure, "exchange period, s", period, expected, 0.01);
    figure_check_near(figure, "largest part of the energy in the turning", most, 1.0, 0.03);
    figure_check_below(figure, "smallest part after that", least, 0.03);
}

static SnResult draw(Motion *m, ViewImage images[2]) {
    static const float blue[3] = {0.33f, 0.50f, 0.70f}, orange[3] = {0.91f, 0.42f, 0.32f};
    double most_z = 0.0, most_turn = 0.0;
    for (int i = 0; i < m->count; ++i) {
        most_z = fmax(most_z, fabs(m->z[i]));
        most_turn = fmax(most_turn, fabs(m->turn[i]));
    }
    const ViewPlotSeries motion[] = {
        {"z, mm", m->count, m->time, m->z, VIEW_PLOT_LINE, blue},
        {"turn, degrees", m->count, m->time, m->turn, VIEW_PLOT_LINE, orange},
    };
    const ViewPlotSeries share[] = {
        {"measured", m->count, m->time, m->share, VIEW_PLOT_LINE, orange},
        {"sin^2(pi t / T)", m->count, m->time, m->fit, VIEW_PLOT_DASHES, NULL},
    };
    for (int i = 0; i < m->count; ++i)
        m->turn[i] *= 180.0 / FIGURE_PI;
    double most = fmax(most_z, most_turn * 180.0 / FIGURE_PI);
    const ViewPlot charts[2] = {
        {.title = "Wilberforce pendulum: translation and rotation of the bob",
         .x = {.label = "time, s"},
         .y = {.low = -1.1 * most, .high = 1.5 * most},
         .series = motion,
         .series_count = 2,
         .width = 1100,
         .height = 560},
        {.title = "Part of the energy in the rotation",
         .x = {.label = "time, s"},
         .y = {.low = 0.0, .high = 1.3},
         .series = share,
         .series_count = 2,
         .width = 1100,
         .height = 400},
    };
    SnResult result = view_plot_draw(&charts[0], &images[0]);
    return result.code == SN_OK ? view_plot_draw(&charts[1], &images[1]) : result;
}

static SnResult run_pendulum(Figure *figure, FigureRun *run, Motion *m) {
    ViewImage images[2] = {{0}};
    SnResult result = record(run, m);
    if (result.code == SN_OK) {
        Theory t = theory();
        share_energy(m, &t);
        report(figure, m, &t);
        result = draw(m, images);
    }
    if (result.code != SN_OK) {
        figure_release(images, 2);
        return result;
    }
    return figure_write_grid(figure, images, NULL, 2, 1);
}

SnResult figure_rods_fig5(Figure *figure) {
    FigureRun run;
    SnResult result = figure_run_begin(figure, "rods-fig5", &run);
    if (result.code != SN_OK) {
        figure_run_end(&run);
        return result;
    }
    Motion m = {.step = run.simulation.settings.step};
    m.count = (int)(run.simulation.settings.seconds / m.step) + 1;
    double *block = calloc((size_t)m.count, 5 * sizeof *block);
    if (block) {
        m.time = block;
        m.z = m.time + m.count;
        m.turn = m.z + m.count;
        m.share = m.turn + m.count;
        m.fit = m.share + m.count;
        result = run_pendulum(figure, &run, &m);
    } else {
        result = sn_error(SN_ERROR_MEMORY, "no memory for %d samples", m.count);
    }
    free(block);
    figure_run_end(&run);
    return result;
}
