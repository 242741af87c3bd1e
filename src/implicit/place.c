// Joints, parts and blended points of a frame.
#include "implicit/implicit.h"

#include <string.h>

#define EVEN 1.02 // ratio of a joint's scales up to which they are one
#define NEAR 0.3f // of a grid from a pack, over the reach: points may get there
#define FLAT 1e-9 // of a joint's volume, over the cube of its longest axis

// The root mean square of its axes' lengths, negative if it mirrors: the rotation of such a map is that of
// the map with all axes reversed.
static double mean_scale(const Map *map, bool *uneven) {
    double least = 1e300, most = 0.0, sum = 0.0;
    for (int c = 0; c < 3; ++c) {
        double square = dotd(map->column[c], map->column[c]);
        least = fmin(least, square);
        most = fmax(most, square);
        sum += square;
    }
    *uneven |= most > EVEN * EVEN * least;
    return (map_volume(map) < 0.0 ? -1.0 : 1.0) * sqrt(sum / 3.0);
}

static bool is_flat(const Map *map, double scale) {
    return !(fabs(map_volume(map)) > FLAT * fabs(scale * scale * scale));
}

bool sn__implicit_place_joints(SnImplicit *skin, const SnMap *maps) {
    bool moved = false;
    skin->uneven = false;
    for (int i = 0; i < skin->joint_count; ++i) {
        BoundJoint *joint = &skin->joints[i];
        Map outer = map_wide(&maps[joint->joint]), map = map_chain(&outer, &joint->bind);
        float before[3][4];
        memcpy(before, joint->map, sizeof before);
        for (int c = 0; c < 4; ++c) {
            joint->map[0][c] = (float)map.column[c].x;
            joint->map[1][c] = (float)map.column[c].y;
            joint->map[2][c] = (float)map.column[c].z;
        }
        moved |= memcmp(before, joint->map, sizeof before) != 0;
        SnMap narrow = map_narrow(&map);
        SnPose pose = sn_map_pose(&narrow);
        joint->turn = pose.rotation;
        joint->scale = (float)mean_scale(&map, &skin->uneven);
        joint->flat = is_flat(&map, (double)joint->scale);
        // Half the translation times the rotation (Kavan et al. 2008).
        SnQuat half = {0.5f * pose.position.x, 0.5f * pose.position.y, 0.5f * pose.position.z,
                       0.0f};
        SnQuat dual = sn_quat_multiply(half, pose.rotation);
        memcpy(joint->dual, &dual, sizeof joint->dual);
    }
    return moved;
}

static Map joint_map(const BoundJoint *joint) {
    Map map;
    for (int c = 0; c < 4; ++c)
        map.column[c] =
            (Vec3d){(double)joint->map[0][c], (double)joint->map[1][c], (double)joint->map[2][c]};
    return map;
}

static BvhBox grid_box(const FieldGrid *grid, const Map *map) {
    BvhBox box;
    Vec3d centre = grid->low, half = {0.0, 0.0, 0.0};
    const double side[3] = {grid->cell * (grid->size[0] - 1), grid->cell * (grid->size[1] - 1),
                            grid->cell * (grid->size[2] - 1)};
    centre = map_point(map, addd(centre, scaled((Vec3d){side[0], side[1], side[2]}, 0.5)));
    for (int c = 0; c < 3; ++c) {
        Vec3d axis = scaled(map->column[c], 0.5 * side[c]);
        half = addd(half, (Vec3d){fabs(axis.x), fabs(axis.y), fabs(axis.z)});
    }
    Vec3d low = subd(centre, half), high = addd(centre, half);
    memcpy(box.low, &low, sizeof box.low);
    memcpy(box.high, &high, sizeof box.high);
    return box;
}

static void place_field(const SnImplicit *skin, const Part *part, FieldPart *field, BvhBox *box) {
    const BoundJoint *joint = &skin->joints[part->joint];
    const FieldGrid *grid = &part->grid;
    Map map = joint_map(joint);
    *box = grid_box(grid, &map);
    double size = fabs((double)joint->scale);
    *field = (FieldPart){.cell = (float)grid->cell,
                         .reach = (float)grid->reach,
                         .reach_now = (float)(grid->reach * size),
                         .size = {grid->size[0], grid->size[1], grid->size[2]}};
    if (grid->samples == NULL || is_flat(&map, size))
        return;
    field->samples = (const float(*)[4])grid->samples;
    Map back = map_inverse(&map);
    for (int c = 0; c < 4; ++c) {
        Vec3d column =
            scaled(c < 3 ? back.column[c] : subd(back.column[3], grid->low), 1.0 / grid->cell);
        field->to_grid[0][c] = (float)column.x;
        field->to_grid[1][c] = (float)column.y;
        field->to_grid[2][c] = (float)column.z;
    }
}

static bool overlap(const BvhBox *a, const BvhBox *b) {
    for (int c = 0; c < 3; ++c)
        if (a->low[c] > b->high[c] || a->high[c] < b->low[c])
            return false;
    return true;
}

// Looking for parts whose boxes overlap that of another.
typedef struct Search {
    SnImplicit *skin;
    int part, count;
} Search;

static double overlap_bound(const BvhBox *box, void *context) {
    const Search *search = context;
    const BvhBox *own = &search->skin->boxes[search->part];
    return overlap(box, own) ? 0.0 : 1.0;
}

static double add_other(int item, double limit, void *context) {
    Search *search = context;
    int *others = search->skin->others + PART_OTHERS * search->part;
    const BvhBox *box = &search->skin->boxes[item];
    for (int i = 0; i < search->count; ++i)
        if (others[i] == item)
            return limit;
    if (item != search->part && search->count < PART_OTHERS && overlap_bound(box, context) == 0.0 &&
        search->skin->fields[item].samples)
        others[search->count++] = item;
    return limit;
}

bool sn__implicit_place_fields(SnImplicit *skin) {
    for (int i = 0; i < skin->part_count; ++i)
        place_field(skin, &skin->parts[i], &skin->fields[i], &skin->boxes[i]);
    return skin->muscles_joined && sn__implicit_place_muscles(skin);
}

// From the own part to the other one, at rest: along the one that hangs on the joint between them, as the
// one above may be short and wide; without such a joint, from middle to middle.
static Vec3d way_between(const SnImplicit *skin, int own, int other) {
    bool below = skin->parts[other].parent == own;
    if (!below && skin->parts[own].parent != other)
        return subd(skin->parts[other].middle, skin->parts[own].middle);
    const Part *lower = &skin->parts[below ? other : own];
    Map back = map_inverse(&skin->joints[lower->joint].bind);
    return scaled(subd(lower->middle, back.column[3]), below ? 1.0 : -1.0);
}

// With t along that way, and R how the other part has turned as the own one sees it: R t is
// t cos β + s sin β, and s is the way.
static FieldBend find_bend(const SnImplicit *skin, int own, int other) {
    Vec3d t = way_between(skin, own, other);
    double length = lengthd(t);
    Quatd a = quatd(skin->joints[skin->parts[own].joint].turn);
    Quatd b = quatd(skin->joints[skin->parts[other].joint].turn);
    if (!(length > 0.0))
        return (FieldBend){.most = 0.0f};
    t = scaled(t, 1.0 / length);
    Vec3d turned = rotated(mulqd(conjugated(a), b), t);
    double cosine = dotd(t, turned);
    Vec3d way = subd(turned, scaled(t, cosine));
    double sine = lengthd(way), over = sine > 1e-9 ? 1.0 / sine : 0.0;
    return (FieldBend){{(float)(way.x * over), (float)(way.y * over), (float)(way.z * over)},
                       (float)(1.0 - cosine)};
}

void sn__implicit_meet_parts(SnImplicit *skin) {
    sn__bvh_refit(&skin->tree, skin->boxes);
    for (int i = 0, pack = 0; i < skin->part_count; ++i) {
        const Part *part = &skin->parts[i];
        Search search = {skin, i, part->blended_count};
        memcpy(skin->others + PART_OTHERS * i, part->blended,
               (size_t)part->blended_count * sizeof(int));
        for (int k = 0; k < part->blended_count; ++k)
            skin->bends[PART_OTHERS * i + k] = find_bend(skin, i, part->blended[k]);
        sn__bvh_search(&skin->tree, 0.5, overlap_bound, add_other, &search);
        for (; pack < skin->tracked_packs && skin->packs[pack].own == i; ++pack) {
            skin->packs[pack].first = PART_OTHERS * i;
            skin->packs[pack].blended = part->blended_count;
            skin->packs[pack].count = search.count;
        }
    }
}

static FieldBall pack_ball(const FieldPack *pack) {
    FieldBall ball = {{0.0f, 0.0f, 0.0f}, 0.0f};
    for (int lane = 0; lane < FIELD_LANES; ++lane)
        ball.centre = sn_vec3_add_scaled(
            ball.centre, sn_vec3(pack->x[lane], pack->y[lane], pack->z[lane]), 1.0f / FIELD_LANES);
    for (int lane = 0; lane < FIELD_LANES; ++lane) {
        SnVec3 x = sn_vec3(pack->x[lane], pack->y[lane], pack->z[lane]);
        SnVec3 way = sn_vec3_sub(x, ball.centre);
        ball.radius = fmaxf(ball.radius, sn_vec3_dot(way, way));
    }
    ball.radius = sqrtf(ball.radius);
    return ball;
}

// Whether the ball reaches the grid of a part, axis by axis of that grid.
static bool reaches(const FieldBall *ball, const FieldPart *part) {
    for (int c = 0; c < 3 && part->samples; ++c) {
        const float *row = part->to_grid[c];
        float at =
            row[0] * ball->centre.x + row[1] * ball->centre.y + row[2] * ball->centre.z + row[3];
        float grow = ball->radius * sqrtf(row[0] * row[0] + row[1] * row[1] + row[2] * row[2]);
        if (at < -grow || at > (float)(part->size[c] - 1) + grow)
            return false;
    }
    return part->samples != NULL;
}

void sn__implicit_meet_packs(SnImplicit *skin, int begin, int end) {
    for (int i = begin; i < end; ++i) {
        FieldPack *pack = &skin->packs[i];
        FieldBall ball = pack_ball(pack);
        pack->reach_now = skin->fields[pack->own].reach_now;
        pack->quiet = pack->arrived = pack->lost = false;
        ball.radius += NEAR * pack->reach_now;
        pack->near = 0;
        for (int k = 0; k < pack->count; ++k)
            if (reaches(&ball, &skin->fields[skin->others[pack->first + k]]))
                pack->near |= 1u << k;
        sn__implicit_meet_muscles(skin, pack, &ball);
        pack->rigid = pack->alone && pack->near == 0 && pack->muscle_count == 0;
    }
}

// Quaternions of a joint and of the heaviest one that lie on one side.
static float side_of(SnQuat a, SnQuat b) {
    return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w < 0.0f ? -1.0f : 1.0f;
}

SnVec3 sn__implicit_apply(const float map[3][4], SnVec3 x) {
    return sn_vec3(map[0][0] * x.x + map[0][1] * x.y + map[0][2] * x.z + map[0][3],
                   map[1][0] * x.x + map[1][1] * x.y + map[1][2] * x.z + map[1][3],
                   map[2][0] * x.x + map[2][1] * x.y + map[2][2] * x.z + map[2][3]);
}

// Of a point: the blended map, the unit quaternion q and the dual part d.
typedef struct Blend {
    float map[3][4];
    float q[4], d[4];
    float scale;
} Blend;

static Blend blend_point(const SnImplicit *skin, const BoundPoint *p) {
    Blend b = {.scale = 0.0f};
    int heaviest = 0;
    for (int k = 1; k < SN_MESH_JOINTS && p->weights[k] > 0.0f; ++k)
        heaviest = p->weights[k] > p->weights[heaviest] ? k : heaviest;
    SnQuat first = skin->joints[p->joints[heaviest]].turn;
    for (int k = 0; k < SN_MESH_JOINTS && p->weights[k] > 0.0f; ++k) {
        float w = p->weights[k];
        const BoundJoint *joint = &skin->joints[p->joints[k]];
        float signed_w = w * side_of(first, joint->turn);
        const float q[4] = {joint->turn.x, joint->turn.y, joint->turn.z, joint->turn.w};
        for (int c = 0; c < 12; ++c)
            b.map[c / 4][c % 4] += w * joint->map[c / 4][c % 4];
        for (int c = 0; c < 4; ++c) {
            b.q[c] += signed_w * q[c];
            b.d[c] += signed_w * joint->dual[c];
        }
        b.scale += w * joint->scale;
    }
    float square = b.q[0] * b.q[0] + b.q[1] * b.q[1] + b.q[2] * b.q[2] + b.q[3] * b.q[3];
    float over = square > 1e-20f ? 1.0f / sqrtf(square) : 0.0f;
    for (int c = 0; c < 4; ++c) {
        b.q[c] *= over;
        b.d[c] *= over;
    }
    b.q[3] = over > 0.0f ? b.q[3] : 1.0f;
    return b;
}

// The blended rotation, and the translation 2 d q*, of the point as blended scales have it.
static SnVec3 dual_place(const Blend *b, SnVec3 rest) {
    SnQuat q = {b->q[0], b->q[1], b->q[2], b->q[3]}, d = {b->d[0], b->d[1], b->d[2], b->d[3]};
    SnQuat t = sn_quat_multiply(d, sn_quat_inverse(q));
    SnVec3 turned = sn_vec3_scale(sn_quat_rotate(q, rest), b->scale);
    return sn_vec3(turned.x + 2.0f * t.x, turned.y + 2.0f * t.y, turned.z + 2.0f * t.z);
}

void sn__implicit_blend(SnImplicit *skin, int begin, int end) {
    for (int i = begin; i < end; ++i) {
        const BoundPoint *p = &skin->points[i];
        Blend b = blend_point(skin, p);
        skin->turns[i] = (SnQuat){b.q[0], b.q[1], b.q[2], b.q[3]};
        skin->scales[i] = b.scale;
        // Dual quaternions know nothing of scales that differ by direction.
        skin->geometric[i].at = skin->start == SN_BLEND_LINEAR || skin->uneven
                                    ? sn__implicit_apply((const float(*)[4])b.map, p->rest)
                                    : dual_place(&b, p->rest);
    }
}
