#!/usr/bin/env python3
"""Writes the scenes of the arm: shoulder girdle, ribs, arm and hand, with their muscles.

usage: arm_scene.py SCENE.json

The arm hangs from a shoulder at S, its elbow bent as at rest. x is forward, y up, z to the right: a
right arm. Points of the forearm are given as if it hung straight down from the elbow, E.
"""
import json
import math
import sys

S, E, WRIST = (0, 1.40, 0), (0, 1.09, 0), -0.25  # the wrist as seen from the elbow
REST = 50  # degrees of the elbow for which muscles are at rest
FIBRES, SEGMENTS = 8, 8
BONE, FLESH = "#e6dcc6", ("#a8423c", "#9c3833", "#b24e45")
SKIN = "#d9a88c"

# Keys of the motion: time, and degrees of shoulder and elbow. Curl, then reach.
MOTION = [(0, 0, REST), (0.3, 0, REST), (1.5, 10, 104), (2.1, 10, 104), (3.5, 50, 8), (4.3, 50, 8),
          (5.7, 0, REST), (6, 0, REST)]


def add(a, b):
    return tuple(p + q for p, q in zip(a, b))


def sub(a, b):
    return tuple(p - q for p, q in zip(a, b))


def times(a, f):
    return tuple(p * f for p in a)


def dot(a, b):
    return sum(p * q for p, q in zip(a, b))


def cross(a, b):
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


def unit(a):
    return times(a, 1 / math.sqrt(dot(a, a)))


def turned(p, degrees):
    c, s = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    return (c * p[0] - s * p[1], s * p[0] + c * p[1], p[2])


def forearm(x, y, z, elbow=REST):
    """A point of the forearm where it is at rest."""
    return add(E, turned((x, y, z), elbow))


def moved(p, frame, shoulder, elbow):
    """Where a point that is carried by a frame goes from rest."""
    if frame in ("torso", "scapula"):
        return p
    if frame != "humerus":
        p = add(E, turned(sub(p, E), elbow - REST))
    return add(S, turned(sub(p, S), shoulder))


def curve(points, t):
    """The curve through points (Catmull-Rom), from t = 0 to 1."""
    n = len(points) - 1
    k = min(int(t * n), n - 1)
    u = t * n - k
    p = [points[min(max(k + i - 1, 0), n)] for i in range(4)]
    weights = (-0.5 * u + u * u - 0.5 * u ** 3, 1 - 2.5 * u * u + 1.5 * u ** 3,
               0.5 * u + 2 * u * u - 1.5 * u ** 3, -0.5 * u * u + 0.5 * u ** 3)
    return tuple(sum(w * q[c] for w, q in zip(weights, p)) for c in range(3))


def ease(a, b, t):
    t = min(1, max(0, t))
    return a + (b - a) * t * t * (3 - 2 * t)


def width_at(t, ends, belly):
    """Over the width of the belly: tendons up to belly[0] and from belly[3] on, full width from
    belly[1] to belly[2]."""
    if t < belly[1]:
        return ease(ends[0], 1, (t - belly[0]) / (belly[1] - belly[0]))
    return ease(1, ends[1], (t - belly[2]) / (belly[3] - belly[2]))


def round_muscle(points, wide, thick, side, ends, belly):
    """One fibre in the middle and seven around it, in an ellipse: half its widths along `side` and
    across. Returns fibres and their radii."""
    places = [(0, 0)] + [(math.cos(2 * math.pi * k / 7), math.sin(2 * math.pi * k / 7)) for k in range(7)]
    fibres, radii = [[] for _ in places], [[] for _ in places]
    for j in range(SEGMENTS + 1):
        t = j / SEGMENTS
        along = unit(sub(curve(points, min(1, t + 0.02)), curve(points, max(0, t - 0.02))))
        u = unit(sub(side, times(along, dot(side, along))))
        v = cross(along, u)
        w = width_at(t, ends, belly)
        # Towards the ends, a flat muscle gets round.
        mean = math.sqrt(wide * thick)
        a, b = (mean + (q - mean) * min(1, (w - 0.2) / 0.8) for q in (wide, thick))
        r = 1.03 * math.sqrt(a * b / FIBRES) * w
        for k, (x, y) in enumerate(places):
            offset = add(times(u, x * (a * w - 0.85 * r)), times(v, y * (b * w - 0.85 * r)))
            fibres[k].append(add(curve(points, t), offset))
            radii[k].append(r)
    return fibres, radii


def sheet(lines, thickness, ends, belly):
    """Fibres side by side, between curves."""
    fibres, radii = [], []
    for k in range(FIBRES):
        points = [curve([line[i] for line in lines], k / (FIBRES - 1)) for i in range(len(lines[0]))]
        fibres.append([curve(points, j / SEGMENTS) for j in range(SEGMENTS + 1)])
        radii.append([thickness * width_at(j / SEGMENTS, ends, belly) for j in range(SEGMENTS + 1)])
    return fibres, radii


FRONT = (0, 0, 1)  # flat muscles of the upper arm are wide to the side

# name, frames of origin and insertion, fibres and radii, tendon, how much shorter than the way
# between its ends it wants to be, to be taut
MUSCLES = [
    ("biceps long head", "scapula", "radius",
     round_muscle([(0.033, 1.406, 0.004), (0.026, 1.345, 0.004), (0.050, 1.24, 0.014), (0.058, 1.16, 0.014),
                   forearm(0.022, -0.045, 0.014)], 0.021, 0.0205, FRONT, (0.3, 0.28), (0.2, 0.52, 0.62, 0.96)),
     0.16),
    ("biceps short head", "scapula", "radius",
     round_muscle([(0.034, 1.412, -0.034), (0.036, 1.345, -0.032), (0.050, 1.24, -0.030), (0.058, 1.16, -0.022),
                   forearm(0.024, -0.045, -0.001)], 0.020, 0.0205, FRONT, (0.3, 0.28), (0.12, 0.47, 0.6, 0.96)),
     0.16),
    ("brachialis", "humerus", "ulna",
     round_muscle([(0.0185, 1.255, 0.004), (0.024, 1.19, 0.003), (0.028, 1.13, -0.003),
                   forearm(0.018, -0.028, -0.014)], 0.027, 0.0115, FRONT, (0.45, 0.4), (0, 0.35, 0.7, 1)), 0.06),
    ("triceps long head", "scapula", "ulna",
     round_muscle([(-0.026, 1.368, -0.026), (-0.043, 1.31, -0.026), (-0.047, 1.22, -0.022),
                   (-0.046, 1.14, -0.016), forearm(-0.027, 0.006, -0.016)], 0.021, 0.020, FRONT,
                  (0.35, 0.26), (0, 0.3, 0.5, 0.9)), 0.12),
    ("triceps lateral head", "humerus", "ulna",
     round_muscle([(-0.019, 1.300, 0.000), (-0.036, 1.25, 0.019), (-0.040, 1.20, 0.022),
                   (-0.044, 1.14, 0.010), forearm(-0.027, 0.006, -0.003)], 0.019, 0.018, FRONT,
                  (0.35, 0.28), (0, 0.3, 0.5, 0.9)), 0.12),
    ("triceps medial head", "humerus", "ulna",
     round_muscle([(-0.0185, 1.222, 0.000), (-0.0215, 1.18, -0.001), (-0.0225, 1.135, -0.004),
                   forearm(-0.022, 0.014, -0.010)], 0.019, 0.0085, FRONT, (0.5, 0.45), (0, 0.35, 0.6, 1)), 0.06),
    ("deltoid", "scapula", "humerus",
     sheet([[(0.054, 1.438, -0.052), (0.072, 1.400, -0.004), (0.050, 1.340, 0.040), (0.012, 1.256, 0.027)],
            [(0.026, 1.450, -0.018), (0.050, 1.416, 0.036), (0.034, 1.340, 0.051), (0.006, 1.254, 0.029)],
            [(-0.006, 1.456, 0.004), (-0.004, 1.424, 0.056), (-0.002, 1.340, 0.056), (0.000, 1.252, 0.030)],
            [(-0.038, 1.450, -0.018), (-0.054, 1.414, 0.032), (-0.036, 1.340, 0.050), (-0.006, 1.254, 0.029)],
            [(-0.070, 1.436, -0.052), (-0.076, 1.394, -0.012), (-0.052, 1.340, 0.036), (-0.012, 1.256, 0.027)]],
           0.0155, (0.62, 0.4), (0, 0.3, 0.55, 1)), 0.06),
    ("pectoral", "torso", "humerus",
     sheet([[(0.066, 1.422, -0.088), (0.076, 1.402, -0.062), (0.060, 1.376, -0.022), (0.037, 1.364, 0.018)],
            [(0.112, 1.402, -0.150), (0.110, 1.380, -0.085), (0.078, 1.356, -0.026), (0.038, 1.355, 0.021)],
            [(0.130, 1.330, -0.160), (0.124, 1.332, -0.095), (0.084, 1.334, -0.032), (0.039, 1.345, 0.022)],
            [(0.124, 1.258, -0.150), (0.116, 1.286, -0.088), (0.080, 1.312, -0.034), (0.040, 1.336, 0.022)]],
           0.0165, (0.62, 0.36), (0, 0.25, 0.55, 0.95)), 0.06),
    ("brachioradialis", "humerus", "radius",
     round_muscle([(0.002, 1.185, 0.021), (0.014, 1.125, 0.036), forearm(0.022, -0.06, 0.038),
                   forearm(0.013, -0.14, 0.031), forearm(0.004, -0.225, 0.029)], 0.0165, 0.015, (1, 0, 0),
                  (0.4, 0.28), (0, 0.35, 0.55, 1)), 0.1),
    ("forearm flexors", "ulna", "ulna",
     round_muscle([forearm(0.006, -0.018, -0.036), forearm(0.022, -0.08, -0.028), forearm(0.022, -0.15, -0.017),
                   forearm(0.013, -0.245, -0.004)], 0.023, 0.018, FRONT, (0.4, 0.3), (0, 0.3, 0.45, 1)), 0.1),
    ("forearm extensors", "ulna", "ulna",
     round_muscle([forearm(-0.008, -0.022, 0.036), forearm(-0.026, -0.08, 0.018), forearm(-0.024, -0.15, 0.010),
                   forearm(-0.015, -0.245, 0.004)], 0.021, 0.016, FRONT, (0.4, 0.3), (0, 0.3, 0.45, 1)), 0.1),
]

SHEETS = ("deltoid", "pectoral")
SHORTENING = 0.5
TAUT = 0.06


def distance(a, b):
    return math.sqrt(dot(sub(a, b), sub(a, b)))


def rest_length(fibre, insertion):
    """Along a fibre that pulls straight; those of sheets go around what is under them, and keep
    their way around it."""
    if insertion == "humerus":
        return distance(fibre[0], fibre[-1])
    return sum(distance(a, b) for a, b in zip(fibre, fibre[1:]))


def wanted(muscle, shoulder, elbow):
    """How much every fibre wants to shorten, so that it is taut between its ends."""
    _, origin, insertion, (fibres, _), tendon = muscle
    out = []
    for fibre in fibres:
        now = distance(moved(fibre[0], origin, shoulder, elbow), moved(fibre[-1], insertion, shoulder, elbow))
        ratio = now / rest_length(fibre, insertion) * (1 - TAUT)
        out.append(min(SHORTENING, max(0, 1 - (ratio - 2 * tendon) / (1 - 2 * tendon))))
    return out


def rounded(x):
    if isinstance(x, (list, tuple)):
        return [rounded(v) for v in x]
    return round(x, 4) if isinstance(x, float) else x


def colour_of(number):
    return FLESH[number % len(FLESH)]


def muscle_entry(muscle):
    name, origin, insertion, (fibres, radii), tendon = muscle
    most = [max(wanted(muscle, s, e)[k] for _, s, e in MOTION) for k in range(FIBRES)]
    entry = {"name": name, "colour": colour_of(MUSCLES.index(muscle)), "origin_frame": origin, "insertion_frame": insertion,
             "tendon": tendon, "tendon_stiffening": 10, "shortening": SHORTENING, "fibres": rounded(fibres), "radius": rounded(radii),
             "material": "flesh", "surface": {"friction": 0}}
    if name in SHEETS and max(most) > 0:
        entry["fibre_activation"] = rounded([m / max(most) for m in most])
    return entry


def activation_of(muscle):
    keys = [[t, rounded(max(wanted(muscle, s, e)) / SHORTENING)] for t, s, e in MOTION]
    return {"target": "/muscles/%s/activation" % muscle[0], "interpolation": "smooth", "keys": keys}


def turn(degrees):
    return {"axis": [0, 0, 1], "angle": degrees}


def skeleton():
    joints = [
        {"name": "torso", "position": [0, 0, 0]},
        {"name": "scapula", "parent": "torso", "position": list(S)},
        {"name": "humerus", "parent": "scapula", "position": [0, 0, 0]},
        {"name": "ulna", "parent": "humerus", "position": rounded(list(sub(E, S))), "rotation": turn(REST)},
        {"name": "ulna head", "parent": "ulna", "position": [0, WRIST, -0.014]},
        {"name": "radius", "parent": "ulna", "position": [0.002, -0.014, 0.016]},
        {"name": "radius head", "parent": "radius", "position": [-0.002, WRIST + 0.014, -0.004]},
        {"name": "hand", "parent": "ulna", "position": [0, WRIST - 0.01, 0]},
    ]
    channels = [{"joint": joint, "path": "rotation", "interpolation": "smooth",
                 "keys": [[key[0], turn(key[column])] for key in MOTION]}
                for joint, column in (("humerus", 1), ("ulna", 2))]
    return {"joints": joints, "clips": [{"name": "curl and reach", "channels": channels}],
            "clip": "curl and reach", "colour": BONE,
            "bones": [{"joint": "humerus", "to": "ulna", "radius": 0.011},
                      {"joint": "ulna", "to": "ulna head", "radius": 0.0075},
                      {"joint": "radius", "to": "radius head", "radius": 0.0085}]}


def pill(name, frame, a, b, radius, touched=True):
    base = {"torso": (0, 0, 0), "scapula": S, "humerus": S, "ulna": (0, 0, 0), "hand": (0, 0, 0)}[frame]
    entry = {"name": name, "frame": frame, "colour": BONE,
             "pill": {"from": rounded(list(sub(a, base))), "to": rounded(list(sub(b, base))),
                      "radius": radius}}
    if not touched:
        entry["filter"] = {"mask": 0}
    return entry


def taper(a, b):
    return {"from": a, "to": b}


def girdle():
    sternum = [(0.098, 1.415, -0.172), (0.108, 1.34, -0.172), (0.102, 1.26, -0.172)]
    acromion, glenoid, corner = (-0.010, 1.437, -0.004), (-0.006, 1.398, -0.034), (-0.085, 1.412, -0.105)
    bones = [
        pill("clavicle", "scapula", (0.088, 1.428, -0.160), (0.046, 1.436, -0.075), taper(0.009, 0.007)),
        pill("clavicle end", "scapula", (0.046, 1.436, -0.075), acromion, taper(0.007, 0.008)),
        pill("scapular spine", "scapula", corner, acromion, taper(0.007, 0.009)),
        pill("scapula edge", "scapula", glenoid, (-0.082, 1.275, -0.105), taper(0.010, 0.008), False),
        pill("scapula border", "scapula", corner, (-0.082, 1.275, -0.105), 0.007, False),
        pill("glenoid", "scapula", glenoid, corner, taper(0.012, 0.006), False),
        pill("coracoid", "scapula", glenoid, (0.024, 1.416, -0.034), taper(0.009, 0.006), False),
        pill("manubrium", "torso", sternum[0], sternum[1], taper(0.014, 0.010)),
        pill("sternum", "torso", sternum[1], sternum[2], 0.010),
        pill("spine", "torso", (-0.098, 1.45, -0.172), (-0.112, 1.21, -0.172), 0.014),
        pill("humeral head", "humerus", (0, 1.398, -0.004), (0.002, 1.392, 0.006), 0.023),
        pill("condyles", "humerus", (0, 1.093, -0.022), (0, 1.093, 0.019), 0.0095),
        pill("olecranon", "ulna", (-0.022, 0.005, -0.009), (0, -0.03, -0.008), 0.009),
    ]
    for k in range(6):
        y, depth, side = 1.405 - 0.034 * k, 0.086 + 0.006 * min(k, 3), 0.080 + 0.010 * min(k, 3)
        arc = []
        for i in range(8):
            a = math.radians(8 + 24.5 * i)
            arc.append((depth * math.cos(a), y - 0.020 * math.sin(a / 2) + 0.022 * (1 - math.cos(a)) / 2 * 2,
                        -0.172 + side * math.sin(a)))
        for i in range(7):
            bones.append(pill("rib %d %d" % (k + 1, i), "torso", arc[i], arc[i + 1], 0.0065))
    return bones


def fat():
    """Unseen and untouched: what keeps the skin of the elbow off its bones."""
    pads = [pill("elbow fat", "humerus", (0, 1.093, -0.020), (0, 1.093, 0.018), 0.019, False),
            pill("olecranon fat", "ulna", (-0.020, 0.004, -0.009), (0, -0.03, -0.008), 0.018, False)]
    for pad in pads:
        pad["visible"] = False
    return pads


def hand_pills():
    pills = [((0, -0.006, -0.011), (0, -0.006, 0.011), 0.012, 0.012)]  # the carpus
    for k in range(4):
        z, long = 0.027 - 0.018 * k, (1.0, 1.08, 1.0, 0.8)[k]
        at = [(0, -0.008, 0.5 * z), (0.004, -0.080 - 0.004 * (k in (1, 2)), z)]
        bend, angle = (66, 88, 52), 6  # a fist
        for n, part in enumerate((0.040, 0.026, 0.020)):
            angle += bend[n]
            at.append(add(at[-1], turned((0, -part * long, 0), angle)))
        radii = (0.0085, 0.0085, 0.0078, 0.007, 0.006)
        pills += [(at[i], at[i + 1], radii[i], radii[i + 1]) for i in range(4)]
    thumb = [(0.004, -0.006, 0.016), (0.020, -0.040, 0.037), (0.044, -0.062, 0.031), (0.053, -0.070, 0.008)]
    pills += [(thumb[i], thumb[i + 1], 0.010 - 0.001 * i, 0.009 - 0.001 * i) for i in range(3)]
    return pills


def scene():
    colliders = girdle() + fat()
    for number, (a, b, ra, rb) in enumerate(hand_pills()):
        colliders.append(pill("hand %d" % number, "hand", a, b, taper(round(ra, 4), round(rb, 4)), False))
    return {
        "$schema": "../docs/scene.schema.json",
        "version": 1,
        "name": "arm",
        "description": "An arm with its shoulder girdle curls and reaches: muscles of 8 fibres of 8 segments "
                       "bulge and stretch between their bones.",
        "world": {"seconds": 6, "substeps": 10},
        "materials": {"flesh": {"like": "muscle", "young": 4e4, "shear": 1.3e4, "volume": 4e6, "damping": 0.003}},
        "background": "#cfd6db",
        "ground": {"visible": False},
        "camera": {"position": [0.45, 1.24, 1.25], "target": [0.15, 1.17, 0.0], "fov": 28},
        "skeleton": skeleton(),
        "colliders": colliders,
        "ignore": ignored(),
        "muscles": [muscle_entry(m) for m in MUSCLES],
        "animation": [activation_of(m) for m in MUSCLES],
        "skins": [muscle_skin(m) for m in MUSCLES] + [arm_skin()],
    }


def muscle_skin(muscle):
    """Its own surface, which its sections move."""
    return {"name": muscle[0], "rods": muscle[0], "colour": colour_of(MUSCLES.index(muscle)),
            "iso": {"triangles": 5000, "blend": 0.001, "close": 0.010, "smooth": 0.003}}


def arm_skin():
    """Over bones and muscles of the arm. The pectoral lies under the skin of the chest."""
    return {"name": "skin", "rods": [m[0] for m in MUSCLES if m[0] != "pectoral"],
            "frames": ["humerus", "ulna", "radius", "hand"], "colour": SKIN, "opacity": 0.5, "fairing": 100,
            "iso": {"triangles": 40000, "blend": 0.001, "grow": 0.008, "close": 0.016, "smooth": 0.010}}


def ignored():
    """Heads that share a tendon, tendons and the bone they grow on, and what lies under the deltoid."""
    heads = ["triceps long head", "triceps lateral head", "triceps medial head"]
    return [["pectoral", "biceps long head"], ["pectoral", "deltoid"], [heads[0], heads[2]],
            [heads[1], heads[2]]] + [[head, "olecranon"] for head in heads]


def compact(value, indent=0):
    """JSON with lists of numbers on one line."""
    text = json.dumps(value)
    if len(text) + indent <= 100 or not isinstance(value, (dict, list)):
        return text
    pad = " " * (indent + 2)
    if isinstance(value, dict):
        rows = ["%s%s: %s" % (pad, json.dumps(k), compact(v, indent + 2)) for k, v in value.items()]
        return "{\n%s\n%s}" % (",\n".join(rows), " " * indent)
    rows = [pad + compact(v, indent + 2) for v in value]
    return "[\n%s\n%s]" % (",\n".join(rows), " " * indent)


if __name__ == "__main__":
    with open(sys.argv[1], "w") as out:
        out.write(compact(scene()) + "\n")
