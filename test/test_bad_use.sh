#!/usr/bin/env bash
# test_bad_use.sh PROGRAM SOURCE_DIR: runs that are killed, disturbed or fed with what was made to harm,
# and outputs that would lie in the way of something.
set -uo pipefail
source "$(dirname "$0")/cli_kit.bash"

cat >rope.json <<'JSON'
{
    "version": 1,
    "name": "rope",
    "world": {"seconds": 0.2, "fps": 20, "step": 0.025, "substeps": 2},
    "rods": [{
        "name": "rope",
        "shape": {"line": {"from": [0, 1, 0], "to": [1, 1, 0], "segments": 8}},
        "radius": 0.05,
        "attach": [{"vertex": "first"}]
    }]
}
JSON
sed 's/"seconds": 0.2/"seconds": 3000/' rope.json >long.json

# A run that is killed leaves the older file, and parts that the next run clears away.
expect 0 "an older file" "$sinew" run rope.json --stats kept.json --quiet
for delay in 0.05 0.1 0.2 0.4; do
    "$sinew" run long.json --stats kept.json -o kept.glb --quiet &
    pid=$!
    sleep $delay
    kill -KILL $pid
    wait $pid 2>/dev/null
    json kept.json "len(d['frames']) == 5"
done
echo "ok: a killed run keeps the older statistics"
touch kept.json.3.part
expect 0 "clear away what was left" "$sinew" run rope.json --stats kept.json -o kept.glb --quiet
[ -z "$(ls ./*.part 2>/dev/null)" ] || fail "parts were left: $(ls ./*.part)"

# Two runs to one path do not disturb each other: the file is one of them, whole, and no part stays.
for i in 1 2 3 4; do
    "$sinew" run rope.json --seconds 0.$((i + 2)) --stats both.json -o both.glb --image both.png \
        --size 64x48 --quiet &
done
wait
json both.json "4 <= len(d['frames']) <= 16"
expect 0 "four runs to one path" "$sinew" info both.glb
has both.png $png
[ -z "$(ls ./*.part 2>/dev/null)" ] || fail "parts were left: $(ls ./*.part)"

# Outputs and inputs are not each other.
cp rope.json input.json
ln -s input.json also.json
expect 4 "statistics over the scene" "$sinew" run input.json --stats ./input.json
says err "is a file that the scene is read from"
expect 4 "statistics over the scene, through a link" "$sinew" run input.json --stats also.json
cmp -s rope.json input.json || fail "the scene was written over"
expect 0 "a skeleton" "$sinew" run rope.json -o puppet.glb
cat >puppet.json <<'JSON'
{"version": 1, "world": {"seconds": 0.2}, "skeleton": {"file": "puppet.glb", "bones": false}}
JSON
expect 4 "a GLB over the skeleton it is made from" "$sinew" run puppet.json -o puppet.glb
says err "is a file that the scene is read from"
expect 4 "two outputs at one path" "$sinew" run rope.json -o one.glb --stats one.glb
says err "is given for two outputs"

# A symbolic link stays one, and what it points to is written, whether it was there or not.
mkdir elsewhere
ln -s elsewhere/real.glb link.glb
for about in "a link to nothing" "a link to a file"; do
    expect 0 "$about" "$sinew" run rope.json -o link.glb --quiet
    [ -L link.glb ] || fail "the link is gone"
    has elsewhere/real.glb $glb
    [ -z "$(ls elsewhere/*.part 2>/dev/null)" ] || fail "parts were left"
done
ln -s round.glb round.glb
expect 4 "a link to itself" "$sinew" run rope.json -o round.glb

# Files that ask for others.
echo '{"asset": {"version": "2.0"}, "buffers": [{"byteLength": 4, "uri": "URI"}], "nodes": [{}],
    "scenes": [{"nodes": [0]}]}' >names.txt
for uri in /dev/zero ../secret.bin a/../../secret.bin file:///dev/zero '..%2Fsecret.bin'; do
    sed "s|URI|$uri|" names.txt >names.gltf
    expect 0 "a glTF that names $uri" "$sinew" info names.gltf
    says err "which is not in its own folder"
done
mkfifo pipe.bin pipe.glb pipe.obj
sed "s|URI|pipe.bin|" names.txt >names.gltf
expect 0 "a glTF that names a pipe" timeout 5 "$sinew" info names.gltf
says err "pipe.bin: is not a regular file"
expect 3 "a pipe as glTF" timeout 5 "$sinew" info pipe.glb
says err "pipe.glb: is not a regular file"
cat >pipe.json <<'JSON'
{"version": 1, "colliders": [{"mesh": {"file": "pipe.obj"}}]}
JSON
expect 1 "a pipe as mesh" timeout 5 "$sinew" check pipe.json
says out "pipe.obj: is not a regular file"

# 3,000 nodes that show one mesh of 20,000 triangles would take 10 GB.
python3 - <<'PYTHON'
import json, struct
count = 20000
data = struct.pack('<9f', 0, 0, 0, 1, 0, 0, 0, 1, 0) + struct.pack('<H', 0) * 3 * count
open('many.bin', 'wb').write(data)
nodes = 3000
json.dump({
    'asset': {'version': '2.0'}, 'buffers': [{'byteLength': len(data), 'uri': 'many.bin'}],
    'bufferViews': [{'buffer': 0, 'byteLength': 36}, {'buffer': 0, 'byteOffset': 36, 'byteLength': 6 * count}],
    'accessors': [{'bufferView': 0, 'componentType': 5126, 'count': 3, 'type': 'VEC3'},
                  {'bufferView': 1, 'componentType': 5123, 'count': 3 * count, 'type': 'SCALAR'}],
    'meshes': [{'primitives': [{'attributes': {'POSITION': 0}, 'indices': 1}]}],
    'nodes': [{'mesh': 0} for _ in range(nodes)], 'scenes': [{'nodes': list(range(nodes))}]},
    open('many.gltf', 'w'))
PYTHON
expect 0 "a small file that would grow" "$sinew" info many.gltf
says err "let fewer nodes show the same mesh"

# Names that steer a terminal.
printf '{"version": 1, "name": "a\\u001b[2Jb\\u009bc", "rods": [{"name": "\\u001b]0;x", "shape":
    {"line": {"from": [0, 1, 0], "to": [1, 1, 0]}}}]}' >escape.json
expect 0 "names with escape codes" "$sinew" info escape.json
says out 'scene "a?[2Jb??c"'
sed -i 's/"shape"/"shpae"/; s/"line"/"\\u001bline"/' escape.json
expect 1 "errors with escape codes" "$sinew" check escape.json
! grep -q $'\033' out || fail "an escape code reached the terminal"

# A step that takes many seconds is left within one, and so is a set-up.
cat >net.json <<'JSON'
{"version": 1, "world": {"seconds": 1}, "rods": [{"radius": 0.002, "stiff": true, "attach": [{"vertex": "first"}],
    "shape": {"net": {"columns": 250, "rows": 250, "width": 3, "depth": 3}}}]}
JSON
# What cannot be written is told before anything is simulated.
sed 's/250/270/g' net.json >large.json
expect 4 "a body that a GLB has no room for" timeout 60 "$sinew" run large.json -o large.glb
says err "a skin has room for 65535"
[ ! -s out ] || fail "something was simulated"

# Ctrl-C after some seconds of a command; `took` has the ms until it ended.
interrupt() { # SECONDS COMMAND…
    local seconds=$1 pid start got
    shift
    set -m # a process group of its own, which does not ignore SIGINT
    "$@" >out 2>err &
    pid=$!
    set +m
    sleep "$seconds"
    start=$(date +%s%N)
    kill -INT -- -$pid
    wait $pid
    got=$?
    took=$((($(date +%s%N) - start) / 1000000))
    [ $got -eq 130 ] || fail "Ctrl-C: exit status $got, not 130: $*"
    [ $took -lt 2000 ] || fail "Ctrl-C was seen after $took ms: $*"
}
interrupt 3 "$sinew" run net.json --stats net.stats.json --image net.png --video net.mp4
says err "interrupted within a long step after 1 frame"
json net.stats.json "len(d['frames']) == 1"
[ ! -e net.png ] && [ ! -e net.mp4 ] || fail "something was drawn"
echo "ok: Ctrl-C within a step was seen after $took ms"
interrupt 0.5 "$sinew" figure implicit-bends -o figures
says err "implicit-bends: interrupted"
[ ! -e figures/implicit-bends.png ] || fail "the figure was drawn"
echo "ok: Ctrl-C within a figure was seen after $took ms"
echo "all is well"
