#!/usr/bin/env bash
# test_limb.sh PROGRAM SOURCE_DIR: meshes to scenes at the command line, mistakes included. One line
# per check; the first that fails ends it.
set -uo pipefail
. "$2/test/cli_kit.bash" "$1"

# spindle FILE LENGTH RADIUS X Y: a closed OBJ mesh along y, its middle at X, Y and −LENGTH / 3. Its lower
# tenth is red and of the material origin, its upper tenth blue and of the material insertion.
spindle() {
    awk -v length_="$2" -v radius="$3" -v x="$4" -v y="$5" '
    function vertex(px, part, pz) {
        colour = part <= 0.1 ? "1 0 0" : part >= 0.9 ? "0 0 1" : "0.5 0.5 0.5"
        printf "v %g %g %g %s\n", px, y + length_ * (part - 0.5), pz, colour
    }
    function material(ring) {
        name = ring < 3 ? "origin" : ring >= 27 ? "insertion" : "belly"
        if (name != last_name)
            printf "usemtl %s\n", name
        last_name = name
    }
    BEGIN {
        pi = 3.14159265358979; rings = 30; sides = 24; z = -length_ / 3
        vertex(x, 0, z)
        for (i = 1; i < rings; ++i) for (k = 0; k < sides; ++k) {
            r = radius * sqrt(sin(pi * i / rings)); a = 2 * pi * k / sides
            vertex(x + r * cos(a), i / rings, z + r * sin(a))
        }
        vertex(x, 1, z)
        last = (rings - 1) * sides + 2
        material(0)
        for (k = 0; k < sides; ++k)
            printf "f 1 %d %d\n", 2 + k, 2 + (k + 1) % sides
        for (i = 0; i < rings - 2; ++i) {
            material(i + 1)
            for (k = 0; k < sides; ++k) {
                a = 2 + i * sides + k; b = 2 + i * sides + (k + 1) % sides
                printf "f %d %d %d\nf %d %d %d\n", a, a + sides, b, b, a + sides, b + sides
            }
        }
        material(29)
        a = 2 + (rings - 2) * sides
        for (k = 0; k < sides; ++k)
            printf "f %d %d %d\n", a + k, last, a + (k + 1) % sides
    }' >"$1"
}

# gltf FILE NAME.obj…: a glTF file with a node for each of these meshes, named after it, with a primitive
# for each material and with the colours of vertices.
gltf() {
    python3 - "$@" <<'END'
import base64, json, struct, sys
out = {"asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": []}], "nodes": [], "meshes": [],
       "materials": [], "accessors": [], "bufferViews": []}
data = b""
def accessor(values, kind, component, code):
    global data
    flat = [v for value in values for v in value]
    packed = struct.pack("<%d%s" % (len(flat), code), *flat)
    out["bufferViews"].append({"buffer": 0, "byteOffset": len(data), "byteLength": len(packed)})
    data += packed
    view = {"bufferView": len(out["bufferViews"]) - 1, "componentType": component, "type": kind,
            "count": len(values)}
    if kind == "VEC3":
        view["min"] = [min(v[c] for v in values) for c in range(3)]
        view["max"] = [max(v[c] for v in values) for c in range(3)]
    out["accessors"].append(view)
    return len(out["accessors"]) - 1
for path in sys.argv[2:]:
    positions, colours, groups = [], [], {}
    for line in open(path):
        words = line.split()
        if words[0] == "v":
            positions.append([float(w) for w in words[1:4]])
            colours.append([float(w) for w in words[4:7]] + [1.0])
        elif words[0] == "usemtl":
            faces = groups.setdefault(words[1], [])
        elif words[0] == "f":
            faces += [[int(w) - 1] for w in words[1:4]]
    attributes = {"POSITION": accessor(positions, "VEC3", 5126, "f"),
                  "COLOR_0": accessor(colours, "VEC4", 5126, "f")}
    primitives = []
    for name, faces in groups.items():
        out["materials"].append({"name": name})
        primitives.append({"attributes": attributes, "material": len(out["materials"]) - 1,
                           "indices": accessor(faces, "SCALAR", 5125, "I")})
    out["scenes"][0]["nodes"].append(len(out["nodes"]))
    out["nodes"].append({"name": path[:-4], "mesh": len(out["meshes"])})
    out["meshes"].append({"primitives": primitives})
if data:
    out["buffers"] = [{"byteLength": len(data), "uri": "data:application/octet-stream;base64," +
                       base64.b64encode(data).decode()}]
else:
    out = {"asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}], "nodes": [{}]}
json.dump(out, open(sys.argv[1], "w"))
END
}

# first_fibre_rises SCENE True|False: whether the source of the muscle of a scene is its lower end.
first_fibre_rises() {
    python3 -c "
import json
fibre = json.load(open('$1'))['muscles'][0]['fibres'][0]
assert (fibre[-1][1] > fibre[0][1]) == $2, fibre" || fail "$1: the fibres go the wrong way"
}

# refused STATUS "what it is about" "what it says" ARGUMENTS…: with --json, too, where nothing is printed.
refused() {
    local status=$1 about=$2 text=$3
    shift 3
    expect "$status" "$about" "$sinew" viperize "$@"
    says err "$text"
    expect "$status" "$about, with --json" "$sinew" viperize "$@" --json
    says err "$text"
    [ ! -s out ] || fail "something was printed"
}

spindle muscle.obj 300 40 1000 40 # mm
spindle humerus.obj 0.3 0.01 0.05 0
spindle biceps.obj 0.25 0.03 0.1 0

expect 0 "a muscle becomes a scene" "$sinew" viperize muscle.obj -o muscle.json --rods 5
says out "muscle.obj: 5 rods of 8 points"
says out "time: mend"
says err "taken as millimetres"
[ -s muscle.muscle.obj ] || fail "no mesh for the skin"
expect 0 "the scene is right" "$sinew" check muscle.json
says out "1 rod, 40 vertices, 1 skin"
expect 0 "the scene runs" "$sinew" run muscle.json --seconds 0.2

expect 0 "quality as JSON" "$sinew" viperize muscle.obj --json --rods 4 --slices 6 --radii own
json out "set(d) == {'volume_ratio', 'rms', 'hausdorff', 'thickness', 'rods', 'slices', 'seconds', 'notes'}"
json out "d['rods'] == 4 and d['slices'] == 6 and abs(d['volume_ratio'] - 1) < 0.02"
json out "d['rms'] < 0.05 * d['thickness'] < d['thickness'] < 80 and d['notes'] == []"
expect 0 "a bone becomes pills" "$sinew" bonify humerus.obj -o bone.json --json
says out '"pills":'
expect 0 "its scene is right" "$sinew" check bone.json
expect 0 "a limb" "$sinew" viperize biceps.obj humerus.obj -o limb.json --rods 3 --pills 4
says out "humerus.obj: "
grep -q '"origin_frame":"humerus"' limb.json || fail "the muscle is not held by the bone"
expect 0 "its scene is right" "$sinew" check limb.json
expect 0 "a picture" "$sinew" viperize muscle.obj --image fit.png --rods 3 --quiet
has fit.png $png
expect 0 "a muscle made by code" "$sinew" viperize muscle:strap --rods 3 --json
expect 0 "one rod, two points" "$sinew" viperize muscle.obj --rods 1 --slices 2 --json
json out "d['rods'] == 1 and d['slices'] == 2"

# Sources and sinks in every way there is, each of them both ways round.
mkdir arm
spindle arm/biceps.obj 0.25 0.03 0.1 0
spindle arm/ulna.obj 0.1 0.01 0.1 -0.19
spindle arm/scapula.obj 0.1 0.01 0.1 0.19
echo "no mesh" >arm/README.md
for place in "0.1,-0.125,-0.083,0.03" vertices:0,1,2,3,4,5 bones:ulna material:origin colour:#ff0000; do
    expect 0 "source by $place" "$sinew" viperize arm -o up.json --rods 2 --pills 2 --quiet --source "$place"
    first_fibre_rises up.json True
    expect 0 "sink by $place" "$sinew" viperize arm -o down.json --rods 2 --pills 2 --quiet --sink "$place"
    first_fibre_rises down.json False
done
expect 0 "both ends at bones" "$sinew" viperize arm -o arm.json --rods 2 --pills 2 --quiet \
    --source bones:scapula --sink bones:ulna
first_fibre_rises arm.json False
grep -q '"origin_frame":"scapula","insertion_frame":"ulna"' arm.json || fail "held by other bones"
expect 0 "one end at a bone, one painted" "$sinew" viperize arm -o arm.json --rods 2 --pills 2 --quiet \
    --bones scapula,ulna --source bones:scapula --sink material:origin
expect 0 "its scene is right" "$sinew" check arm.json

# Bones are found by a word of their names, if only one has it.
mkdir pair
cp arm/biceps.obj pair
cp arm/scapula.obj pair/FMA13395_scapula_r.obj
cp arm/ulna.obj pair/ulna_r.obj
cp arm/ulna.obj pair/ulna_l.obj
expect 0 "bones by a word" "$sinew" viperize pair -o pair.json --rods 2 --pills 2 --quiet \
    --bones scapula,ulna_l,ulna_r --source bones:scap
grep -q '"origin_frame":"FMA13395_scapula_r"' pair.json || fail "held by other bones"
refused 2 "a word of two bones" "--sink: ulna may be several of these, give the whole name: " \
    pair --sink bones:ulna

cp biceps.obj triceps.obj
if command -v python3 >/dev/null; then
    cp arm/*.obj .
    gltf arm.gltf biceps.obj ulna.obj scapula.obj
    expect 0 "the nodes of a glTF file" "$sinew" viperize arm.gltf -o nodes.json --rods 2 --pills 2 \
        --source bones:ulna --json
    json out "[p['name'] for p in d] == ['biceps', 'ulna', 'scapula'] and 'pills' in d[1]"
    first_fibre_rises nodes.json True
    for place in material:insertion colour:#0000ff; do
        expect 0 "source by $place of a glTF file" "$sinew" viperize arm.gltf -o nodes.json --rods 2 \
            --pills 2 --quiet --source $place
        first_fibre_rises nodes.json False
    done
    gltf twice.gltf biceps.obj biceps.obj
    expect 0 "nodes of one name" "$sinew" viperize twice.gltf -o twice.json --rods 2 --json
    json out "[p['name'] for p in d] == ['biceps', 'biceps 2']"
    expect 0 "its scene is right" "$sinew" check twice.json
    gltf none.gltf
    refused 3 "a glTF file without meshes" "no node of its scene shows a mesh" none.gltf
fi

refused 2 "a bone that is not there" "--source: no bone is called ulan; there are: scapula, ulna; did you mean ulna?" \
    arm --source bones:ulan
refused 2 "a muscle that is no bone" "no bone is called biceps" arm --source bones:biceps
refused 2 "no bones at all" "no mesh is a bone" muscle.obj --sink bones:femur
refused 2 "a list of bones with another name" "--bones: no mesh is called femur; there are: biceps, scapula, ulna" \
    arm --bones scapula,femur
refused 2 "a material that nothing has" "no part of a muscle has the material orign; there are: origin, belly, insertion" \
    muscle.obj --source material:orign
refused 2 "a colour that nothing has" "no part of a muscle has the colour #00ff00; there are: #ff0000, " \
    muscle.obj --sink colour:#00ff00
grep -v usemtl muscle.obj | cut -d' ' -f1-4 >plain.obj
refused 2 "colours where there are none" "no muscle has vertex colours" plain.obj --sink colour:#00ff00
refused 2 "a colour that is none" "expected a colour as #rrggbb" muscle.obj --sink colour:red
refused 2 "a source that is none" "--source: expected spheres as x,y,z,radius" muscle.obj --source here
refused 2 "a sphere for two muscles" "are for a single muscle, not for 2" biceps.obj triceps.obj --source 0,0,0,1
mkdir empty
refused 3 "an empty folder" "empty: no meshes are in this folder" empty
cp arm/README.md empty
refused 3 "a folder without meshes" "empty: no meshes are in this folder" empty
refused 2 "a scene among its meshes" "write the scene to another folder" arm -o arm/arm.json
refused 3 "a mesh that is not there" "No such file" none.obj
refused 3 "a muscle of no shape" "did you mean muscle:strap?" muscle:stap
refused 3 "one slice" "slices: 1" muscle.obj --slices 1
refused 3 "source and sink that touch" "touches the sink" muscle.obj --source 1000,-40,-100,90 \
    --sink 1000,60,-100,90
refused 3 "one bone at both ends" "name another bone" arm --source bones:ulna --sink bones:ulna
refused 3 "all of it is the source" "touches the sink" muscle.obj --source 1000,40,-100,1000
refused 3 "too many points" "ask for fewer" muscle.obj --rods 256 --slices 256
refused 3 "a vertex that is not there" "vertex 100000 is not in" muscle.obj --source vertices:100000
grep '^v' muscle.obj >points.obj
refused 3 "points without triangles" "no triangles" points.obj
head -n 100 muscle.obj >sheet.obj
grep '^f 1 ' muscle.obj >>sheet.obj
refused 3 "a mesh that is more hole than surface" "mesh: " sheet.obj
refused 2 "no rods" "--rods" muscle.obj --rods 0
refused 2 "an unknown option" "did you mean --rods?" muscle.obj --rod 3
refused 2 "a scene that is none" ".json" muscle.obj -o muscle.glb
refused 2 "no mesh" "no mesh given"

# Open meshes and two muscles in one mesh are used, and that is told.
grep -v '^f 1 ' muscle.obj >open.obj
expect 0 "an open mesh" "$sinew" viperize open.obj --rods 2
says err "it is open: 1 hole closed"
expect 0 "an open mesh as JSON" "$sinew" viperize open.obj --rods 2 --json
json out "'1 hole closed' in d['notes'][0]"
{ cat muscle.obj; awk '/^v/ {$2 += 200} /^f/ {for (i = 2; i < 5; ++i) $i += 698} 1' muscle.obj; } >two.obj
expect 0 "two muscles in one mesh" "$sinew" viperize two.obj --rods 2 --json
json out "'give each its own file' in d['notes'][0]"

expect 4 "a folder that is not there" "$sinew" viperize muscle.obj --rods 2 -o none/muscle.json
echo "all is well"
