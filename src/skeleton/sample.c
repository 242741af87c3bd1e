// Poses over time: clips between their keys, blends and cues. Only operations that are exact
// everywhere, so that the same clip gives the same bits on every machine.
#include <assert.h>

#include "base/null.h"
#include "skeleton/skeleton.h"

// The square of the arc of a great circle, in rad², that counts as straight: its error is 0.008 times
// the arc to the third power, below 1e-10 rad. Halved ten times, a quarter turn is as short as that.
#define SLERP_STRAIGHT 5e-6
#define SLERP_HALVINGS 10

static double dotq(Quatd a, Quatd b) { return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w; }

static Quatd mixq(Quatd a, Quatd b, double t) {
    return normalisedq((Quatd){a.x + t * (b.x - a.x), a.y + t * (b.y - a.y), a.z + t * (b.z - a.z),
                               a.w + t * (b.w - a.w)});
}

// Along the great circle, the shorter way. The normalised mean of two unit quaternions is the middle
// of their arc, whatever its length: halving it towards t needs no trigonometry.
static Quatd slerp(Quatd a, Quatd b, double t) {
    if (dotq(a, b) < 0.0)
        b = (Quatd){-b.x, -b.y, -b.z, -b.w};
    Quatd d = {b.x - a.x, b.y - a.y, b.z - a.z, b.w - a.w};
    double arc = dotq(d, d); // halved, about a quarter of it is left
    for (int k = 0; k < SLERP_HALVINGS && arc > SLERP_STRAIGHT && t > 0.0 && t < 1.0; ++k) {
        arc *= 0.26;
        Quatd middle = mixq(a, b, 0.5);
        t *= 2.0;
        if (t < 1.0) {
            b = middle;
        } else {
            a = middle;
            t -= 1.0;
        }
    }
    return mixq(a, b, t);
}

// The number of keys that are not after `time`.
static int keys_until(const SnChannelDef *channel, double time) {
    int low = 0, high = channel->key_count;
    while (low < high) {
        int middle = (low + high) / 2;
        if ((double)channel->times[middle] <= time)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static Quatd quat_at(const float *v) {
    return (Quatd){(double)v[0], (double)v[1], (double)v[2], (double)v[3]};
}

// Hermite's cubic, as glTF 2.0 (appendix C.4) writes it: values v, slopes m in 1/s, the span in s.
static void cubic(const float *a, int width, double t, double span, double out[4]) {
    const float *m0 = a + 2 * width, *m1 = a + 3 * width, *v0 = a + width, *v1 = a + 4 * width;
    double t2 = t * t, t3 = t2 * t;
    for (int c = 0; c < width; ++c)
        out[c] = (2.0 * t3 - 3.0 * t2 + 1.0) * (double)v0[c] +
                 span * (t3 - 2.0 * t2 + t) * (double)m0[c] +
                 (3.0 * t2 - 2.0 * t3) * (double)v1[c] + span * (t3 - t2) * (double)m1[c];
}

static void linear(const float *a, int width, double t, double out[4]) {
    for (int c = 0; c < width; ++c)
        out[c] = (double)a[c] + t * ((double)a[width + c] - (double)a[c]);
    if (width < 4)
        return;
    Quatd q = slerp(normalisedq(quat_at(a)), normalisedq(quat_at(a + 4)), t);
    out[0] = q.x;
    out[1] = q.y;
    out[2] = q.z;
    out[3] = q.w;
}

static void evaluate(const SnChannelDef *channel, double time, double out[4]) {
    int width = sn__key_width(channel->path), per_key = channel->curve == SN_KEYS_CUBIC ? 3 : 1;
    int key = keys_until(channel, time) - 1;
    bool held = key < 0 || key == channel->key_count - 1 || channel->curve == SN_KEYS_STEP;
    const float *at = channel->values + (size_t)(key < 0 ? 0 : key) * (size_t)(per_key * width);
    if (held) {
        at += per_key == 3 ? width : 0; // behind the slope before it
        for (int c = 0; c < width; ++c)
            out[c] = (double)at[c];
        return;
    }
    double from = (double)channel->times[key], span = (double)channel->times[key + 1] - from;
    double t = (time - from) / span;
    assert(t >= 0.0 && t <= 1.0);
    if (channel->curve == SN_KEYS_CUBIC)
        cubic(at, width, t, span, out);
    else
        linear(at, width, t, out);
}

// The first channel of a joint, or behind where it would be.
static int find_channel(const Clip *clip, int joint) {
    int low = 0, high = clip->channel_count;
    while (low < high) {
        int middle = (low + high) / 2;
        if (clip->channels[middle].joint < joint)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

SnTransform sn__sample_joint(const SnSkeleton *skeleton, int clip, int joint, double time) {
    SnTransform local = skeleton->joints[joint].rest;
    if (clip < 0)
        return local;
    const Clip *from = &skeleton->clips[clip];
    for (int k = find_channel(from, joint);
         k < from->channel_count && from->channels[k].joint == joint; ++k) {
        double v[4] = {0};
        evaluate(&from->channels[k], from->first + time, v);
        SnVec3 xyz = {(float)v[0], (float)v[1], (float)v[2]};
        if (from->channels[k].path == SN_KEYS_TRANSLATION)
            local.translation = xyz;
        else if (from->channels[k].path == SN_KEYS_SCALE)
            local.scale = xyz;
        else if (dotq((Quatd){v[0], v[1], v[2], v[3]}, (Quatd){v[0], v[1], v[2], v[3]}) > 0.0)
            local.rotation = quatf(normalisedq((Quatd){v[0], v[1], v[2], v[3]}));
    }
    return local;
}

static SnVec3 mixed(SnVec3 a, SnVec3 b, double t) {
    return vec3f(addd(vec3d(a), scaled(subd(vec3d(b), vec3d(a)), t)));
}

SnTransform sn__blend_joint(const SnTransform *a, const SnTransform *b, double weight) {
    return (SnTransform){
        mixed(a->translation, b->translation, weight),
        quatf(slerp(normalisedq(quatd(a->rotation)), normalisedq(quatd(b->rotation)), weight)),
        mixed(a->scale, b->scale, weight)};
}

SnResult sn_skeleton_rest(const SnSkeleton *skeleton, SnTransform *out_locals) {
    return sn_skeleton_play(skeleton, NULL, 0, 0.0, out_locals);
}

static SnResult check_clip(const SnSkeleton *skeleton, int clip) {
    if (clip >= skeleton->clip_count)
        return sn_error(SN_ERROR_INVALID, "skeleton: clip: there is no clip %d, it has %d", clip,
                        skeleton->clip_count);
    return sn_ok();
}

SnResult sn_skeleton_sample(const SnSkeleton *skeleton, int clip, double time,
                            SnTransform *out_locals) {
    if (skeleton == NULL || out_locals == NULL)
        return sn__null(skeleton ? "skeleton: out_locals" : "skeleton");
    if (clip < 0 || !isfinite(time))
        return sn_error(SN_ERROR_INVALID, "skeleton: clip %d at %g s is none", clip, time);
    SnResult result = check_clip(skeleton, clip);
    for (int i = 0; i < skeleton->joint_count && result.code == SN_OK; ++i)
        out_locals[i] = sn__sample_joint(skeleton, clip, i, time);
    return result;
}

SnResult sn_skeleton_blend(const SnSkeleton *skeleton, const SnTransform *a, const SnTransform *b,
                           float weight, SnTransform *out_locals) {
    if (skeleton == NULL || out_locals == NULL)
        return sn__null(skeleton ? "skeleton: out_locals" : "skeleton");
    if (a == NULL || b == NULL)
        return sn__null(a ? "skeleton: b" : "skeleton: a");
    if (!(weight >= 0.0f && weight <= 1.0f))
        return sn_error(SN_ERROR_INVALID, "skeleton: weight: %g is not in [0, 1]", (double)weight);
    for (int i = 0; i < skeleton->joint_count; ++i)
        out_locals[i] = sn__blend_joint(&a[i], &b[i], (double)weight);
    return sn_ok();
}

SnCue sn_default_cue(void) { return (SnCue){.clip = -1, .speed = 1.0, .loop = true}; }

double sn_skeleton_cue_time(const SnSkeleton *skeleton, const SnCue *cue, double time) {
    if (!GIVEN(skeleton) || !GIVEN(cue) || cue->clip < 0 || cue->clip >= skeleton->clip_count)
        return 0.0;
    const Clip *clip = &skeleton->clips[cue->clip];
    double duration = clip->last - clip->first, since = time > cue->start ? time - cue->start : 0.0;
    double at = cue->offset + cue->speed * since;
    if (!(duration > 0.0))
        return 0.0;
    if (cue->loop)
        at -= floor(at / duration) * duration;
    return at < 0.0 ? 0.0 : (at > duration ? duration : at);
}

static SnResult check_cues(const SnSkeleton *skeleton, const SnCue *cues, int count) {
    for (int i = 0; i < count; ++i) {
        const SnCue *cue = &cues[i];
        if (!isfinite(cue->start) || !isfinite(cue->offset) || !isfinite(cue->speed) ||
            !(cue->fade >= 0.0))
            return sn_error(SN_ERROR_INVALID,
                            "skeleton: cue %d: start, offset and speed must be finite, and the "
                            "fade not negative",
                            i);
        if (i > 0 && cue->start < cues[i - 1].start)
            return sn_error(SN_ERROR_INVALID, "skeleton: cue %d: %g s is before the cue before, %g",
                            i, cue->start, cues[i - 1].start);
        SnResult result = check_clip(skeleton, cue->clip);
        if (result.code != SN_OK)
            return result;
    }
    return sn_ok();
}

// How much of a cue there is: from 0 to 1 over its fade, without a jump in speed.
static double weight_of(const SnCue *cue, double time) {
    if (!(time - cue->start < cue->fade))
        return 1.0;
    double t = time > cue->start ? (time - cue->start) / cue->fade : 0.0;
    return t * t * (3.0 - 2.0 * t);
}

SnResult sn_skeleton_play(const SnSkeleton *skeleton, const SnCue *cues, int cue_count, double time,
                          SnTransform *out_locals) {
    if (skeleton == NULL || out_locals == NULL)
        return sn__null(skeleton ? "skeleton: out_locals" : "skeleton");
    if (cues == NULL && cue_count > 0)
        return sn__null("skeleton: cues");
    SnResult result = check_cues(skeleton, cues, cue_count);
    if (result.code != SN_OK || !isfinite(time))
        return result.code != SN_OK
                   ? result
                   : sn_error(SN_ERROR_INVALID, "skeleton: time: %g is not finite", time);
    int last = cue_count - 1;
    while (last > 0 && cues[last].start > time)
        --last;
    int first = last; // the one below all that is still fading in
    while (first > 0 && weight_of(&cues[first], time) < 1.0)
        --first;
    for (int i = 0; i < skeleton->joint_count; ++i) {
        SnTransform local = skeleton->joints[i].rest;
        for (int k = first; k <= last && k >= 0; ++k) {
            double at = sn_skeleton_cue_time(skeleton, &cues[k], time);
            SnTransform own = sn__sample_joint(skeleton, cues[k].clip, i, at);
            local = k == first ? own : sn__blend_joint(&local, &own, weight_of(&cues[k], time));
        }
        out_locals[i] = local;
    }
    return result;
}
