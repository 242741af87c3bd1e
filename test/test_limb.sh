#!/usr/bin/env bash
# test_limb.sh PROGRAM SOURCE_DIR: meshes to scenes at the command line, mistakes included. One line
# per check; the first that fails ends it.
set -uo pipefail
sinew=$1

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 1

# expect STATUS "what it is about" COMMAND…: runs it; its words are in out and err afterwards.
expect() {
    local wanted=$1 about=$2 got
    shift 2
    timeout -k 1 60 "$@" >out 2>err </dev/null
    got=$?
    if [ $got -ne "$wanted" ]; then
        fail "$about: exit status $got, not $wanted: $*"
    fi
    echo "ok: $about"
}

fail() {
    echo "FAILED: $1"
    sed 's/^/  out: /' out
    sed 's/^/  err: /' err
    exit 1
}

says() { # out|err TEXT: the last command said so
    grep -qF -- "$2" "$1" || fail "nothing in $1 says: $2"
}

# spindle FILE LENGTH RADIUS X: a closed OBJ mesh along y, its middle at X, LENGTH / 7 and −LENGTH / 3.
spindle() {
    awk -v length_="$2" -v radius="$3" -v x="$4" 'BEGIN {
        pi = 3.14159265358979; rings = 30; sides = 24; y = length_ / 7; z = -length_ / 3
        printf "v %g %g %g\n", x, y - length_ / 2, z
        for (i = 1; i < rings; ++i) for (k = 0; k < sides; ++k) {
            r = radius * sqrt(sin(pi * i / rings)); a = 2 * pi * k / sides
            printf "v %g %g %g\n", x + r * cos(a), y + length_ * (i / rings - 0.5), z + r * sin(a)
        }
        printf "v %g %g %g\n", x, y + length_ / 2, z
        last = (rings - 1) * sides + 2
        for (k = 0; k < sides; ++k) {
            n = (k + 1) % sides
            printf "f 1 %d %d\n", 2 + k, 2 + n
            for (i = 0; i < rings - 2; ++i) {
                a = 2 + i * sides + k; b = 2 + i * sides + n
                printf "f %d %d %d\nf %d %d %d\n", a, a + sides, b, b, a + sides, b + sides
            }
            a = 2 + (rings - 2) * sides
            printf "f %d %d %d\n", a + k, last, a + n
        }
    }' >"$1"
}

spindle muscle.obj 300 40 1000 # mm
spindle humerus.obj 0.3 0.01 0.05
spindle biceps.obj 0.25 0.03 0.1

expect 0 "a muscle becomes a scene" "$sinew" viperize muscle.obj -o muscle.json --rods 5
says out "muscle.obj: 5 rods of 8 points"
says out "time: mend"
says err "taken as millimetres"
[ -s muscle.muscle.obj ] || fail "no mesh for the skin"
expect 0 "the scene is right" "$sinew" check muscle.json
says out "1 rod, 40 vertices, 1 skin"
expect 0 "the scene runs" "$sinew" run muscle.json --seconds 0.2

expect 0 "quality as JSON" "$sinew" viperize muscle.obj --json --rods 4 --slices 6 --radii own
if command -v python3 >/dev/null; then
    python3 - <<'END' || fail "the JSON is not what it should be"
import json
d = json.load(open("out"))
assert set(d) == {"volume_ratio", "rms", "hausdorff", "thickness", "rods", "slices", "seconds"}, d
assert d["rods"] == 4 and d["slices"] == 6 and abs(d["volume_ratio"] - 1) < 0.02, d
assert d["rms"] < 0.05 * d["thickness"] < d["thickness"] < 80, d
END
fi
expect 0 "sources and sinks" "$sinew" viperize muscle.obj --json --rods 3 \
    --source "1000,192,-100,20" --sink vertices:0,1
expect 0 "a bone becomes pills" "$sinew" bonify humerus.obj -o bone.json --json
says out '"pills":'
expect 0 "its scene is right" "$sinew" check bone.json
expect 0 "a limb" "$sinew" viperize biceps.obj humerus.obj -o limb.json --rods 3 --pills 4
says out "humerus.obj: "
grep -q '"origin_frame":"humerus"' limb.json || fail "the muscle is not held by the bone"
expect 0 "its scene is right" "$sinew" check limb.json
expect 0 "a picture" "$sinew" viperize muscle.obj --image fit.png --rods 3 --quiet
[ "$(head -c 4 fit.png | od -An -tx1 | tr -d ' \n')" = 89504e47 ] || fail "fit.png is no picture"

expect 0 "a muscle made by code" "$sinew" viperize muscle:strap --rods 3 --json
expect 3 "a muscle of no shape" "$sinew" viperize muscle:stap
says err "did you mean muscle:strap?"
expect 2 "no mesh" "$sinew" viperize
expect 2 "an unknown option" "$sinew" viperize muscle.obj --rod 3
says err "did you mean --rods?"
expect 2 "too few slices" "$sinew" viperize muscle.obj --rods 0
expect 2 "a source that is none" "$sinew" viperize muscle.obj --source here
says err "expected spheres as x,y,z,radius"
expect 2 "a scene that is none" "$sinew" viperize muscle.obj -o muscle.glb
says err ".json"
expect 3 "a mesh that is not there" "$sinew" viperize none.obj
expect 3 "one slice" "$sinew" viperize muscle.obj --slices 1
says err "slices: 1"
expect 3 "source and sink that touch" "$sinew" viperize muscle.obj --source 1000,0,-100,90 \
    --sink 1000,100,-100,90
says err "touches the sink"
expect 3 "too many points" "$sinew" viperize muscle.obj --rods 256 --slices 256
says err "ask for fewer"
grep '^v' muscle.obj >points.obj
expect 3 "points without triangles" "$sinew" viperize points.obj
expect 4 "a folder that is not there" "$sinew" viperize muscle.obj --rods 2 -o none/muscle.json
echo "all is well"
