#!/usr/bin/env bash
# test_particle_files.sh PROGRAM SOURCE_DIR: meshes to particles at the command line and in scenes, mistakes
# included. One line per check; the first that fails ends it.
set -uo pipefail
. "$2/test/cli_kit.bash" "$1"

# box FILE X0 X1 Y0 Y1 Z0 Z1 [FIRST]: the vertices and triangles of a closed box in OBJ, added to the file;
# FIRST is the number of its first vertex.
box() {
    local n=${8:-1} x y z f
    for z in "$6" "$7"; do for y in "$4" "$5"; do for x in "$2" "$3"; do echo "v $x $y $z"; done; done; done >>"$1"
    for f in "0 4 6 2" "1 3 7 5" "0 1 5 4" "2 6 7 3" "0 2 3 1" "4 5 7 6"; do
        set -- "$1" $f
        echo "f $((n + $2)) $((n + $3)) $((n + $4)) $((n + $5))"
    done >>"$1"
}

# refused STATUS "what it is about" "what it says" ARGUMENTS…: with --json, too, where nothing is printed.
refused() {
    local status=$1 about=$2 text=$3
    shift 3
    expect "$status" "$about" "$sinew" particles "$@"
    says err "$text"
    expect "$status" "$about, with --json" "$sinew" particles "$@" --json
    says err "$text"
    [ ! -s out ] || fail "something was printed"
}

# scene FILE SOLID: a scene with one solid.
scene() {
    echo "{\"version\": 1, \"colliders\": [{\"plane\": {\"normal\": [0, 1, 0]}}], \"solids\": [$2]}" >"$1"
}

box box.obj 0 400 0 100 -50 50 # mm

expect 0 "a mesh becomes a scene" "$sinew" particles box.obj -n 24 -o box.json
says out "box.obj: 24 particles"
says out "time: mend"
says err "taken as millimetres"
[ -s box.box.obj ] || fail "no mesh for the skin"
expect 0 "the scene is right" "$sinew" check box.json
says out "24 vertices, 1 collider, 1 skin"
expect 0 "the scene runs" "$sinew" run box.json --seconds 0.3
if command -v python3 >/dev/null; then
    python3 -c "
import json
s = json.load(open('box.json'))['solids'][0]
assert len(s['positions']) == len(s['rotations']) == len(s['radii']) == len(s['volumes']) == 24
assert abs(sum(s['volumes']) / 0.004 - 1) < 0.01, sum(s['volumes'])
assert max(p[0] for p in s['positions']) < 0.2 and all(a < b < 24 for a, b in s['edges'])" || fail "box.json"
fi

expect 0 "quality as JSON" "$sinew" particles box.obj -n 24 --json
json out "set(d) == {'fill', 'particles', 'edges', 'parts', 'edges_per_particle', 'volume', 'area', 'covered', 'thick', 'volume_ratio', 'rms', 'hausdorff', 'spacing', 'seconds', 'notes'}"
json out "d['particles'] == 24 and d['fill'] == 'solid' and d['parts'] == 1 and d['notes'] == []"
json out "abs(d['volume'] / 4e6 - 1) < 1e-4 and abs(d['area'] / 1.8e5 - 1) < 1e-4 and d['covered'] > 0.8"
expect 0 "a picture" "$sinew" particles model:torus -n 12 --image fit.png --quiet
has fit.png $png
expect 0 "a curve" "$sinew" particles model:bar --fill curve -n 20 --json
json out "d['particles'] == 20 and d['edges'] == 19"
expect 0 "a shell" "$sinew" particles model:sheet --fill shell -n 64 --thickness 0.01 -o sheet.json --json
json out "d['particles'] == 64 and abs(d['volume'] - 0.01) < 1e-6"
expect 0 "the shell runs" "$sinew" run sheet.json --seconds 0.2
for model in dinosaur rabbit figure column; do
    expect 0 "a $model" "$sinew" particles model:$model -n 30 --json
    json out "d['particles'] == 30 and d['parts'] == 1 and d['notes'] == []"
done
expect 0 "z up" "$sinew" particles box.obj -n 5 --up z --scale 0.01 -o up.json --quiet
expect 0 "its scene is right" "$sinew" check up.json

# Two bodies in one mesh hang together by a bridge, and that is told.
cp box.obj two.obj
box two.obj 600 1000 0 100 -50 50 9
expect 0 "shells that do not touch" "$sinew" particles two.obj -n 20 --json
json out "d['parts'] == 2 and '2 parts do not touch: 1 edge' in d['notes'][0]"

refused 2 "no mesh" "no mesh given"
refused 2 "two meshes" "one mesh at a time" box.obj two.obj
refused 2 "no particles" "--particles" box.obj -n 0
refused 2 "too many particles" "4096" box.obj -n 5000
refused 2 "a fill that is none" "--fill: expected solid, shell or curve" box.obj --fill full
refused 2 "a thickness of a solid" "add --fill shell" box.obj --thickness 1
refused 2 "a scene that is none" ".json" box.obj -o box.glb
refused 2 "a picture that is none" ".png" box.obj --image box.jpg
refused 3 "a mesh that is not there" "No such file" none.obj
refused 3 "a model that is not there" "did you mean model:rabbit?" model:rabit
grep '^v' box.obj >points.obj
refused 3 "points without triangles" "no triangles" points.obj
{ grep '^v' box.obj; echo "f 1 2 3"; } >one.obj
refused 3 "one triangle" "mesh: it is empty, or too small to have an inside" one.obj
says err "--fill shell takes surfaces"
expect 0 "one triangle as a shell" "$sinew" particles one.obj --fill shell -n 10 --json
json out "d['particles'] == 10"
refused 3 "a flat mesh" "mesh: " model:sheet
sed 's/^v 400 /v nan /' box.obj >nan.obj
refused 3 "vertices that are no numbers" "nan.obj" nan.obj
box dust.obj 0 1e-5 0 1e-5 0 1e-5
refused 3 "particles of no size a world takes" "a world takes" dust.obj -n 8 -o dust.json
expect 4 "a folder that is not there" "$sinew" particles box.obj -n 2 -o none/box.json

# Solids of scenes: from a mesh, from a model, and with particles of their own.
scene mesh.json '{"mesh": {"file": "box.obj", "scale": 0.001}, "particles": 10, "position": [0, 0.2, 0]}'
expect 0 "a solid from a mesh" "$sinew" run mesh.json --seconds 0.1 -o mesh.glb
scene file.json '{"mesh": "box.box.obj", "particles": 10}'
expect 0 "a solid from a file alone" "$sinew" check file.json
says out "10 vertices, 1 collider, 1 skin"
scene bare.json '{"model": "torus", "length": 0.3, "triangles": 500, "particles": 12, "bare": true, "copies": {"count": [2, 1, 1], "spacing": [1, 1, 1]}}'
expect 0 "copies of a model without its skin" "$sinew" check bare.json
says out "2 solids, 24 vertices, 1 collider, 5 s"
scene bad.json '{"mesh": "none.obj"}'
expect 1 "a mesh that is not there" "$sinew" check bad.json
says out "/solids/0/mesh"
scene bad.json '{"model": "dinosour"}'
expect 1 "a model that is not there" "$sinew" check bad.json
says out "dinosaur"
scene bad.json '{"model": "sheet"}'
expect 1 "a sheet that is to be filled" "$sinew" check bad.json
says out "/solids/0/model: mesh: it is open"
scene bad.json '{"model": "bar", "mesh": "box.obj"}'
expect 1 "a mesh and a model" "$sinew" check bad.json
says out "goes without a"
scene bad.json '{"model": "bar", "particles": 0}'
expect 1 "no particles" "$sinew" check bad.json
says out "particles"
echo "all is well"
