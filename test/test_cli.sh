#!/usr/bin/env bash
# test_cli.sh PROGRAM SOURCE_DIR: a newcomer's session with the program, mistakes included. One line
# per check; the first that fails ends it.
set -uo pipefail
source=$2
. "$source/test/cli_kit.bash" "$1"

cat >rope.json <<'END'
{
    "version": 1,
    "name": "rope",
    "world": {"seconds": 0.2, "fps": 20, "step": 0.025, "substeps": 2},
    "rods": [{
        "shape": {"line": {"from": [0, 1, 0], "to": [1, 1, 0], "segments": 8}},
        "radius": 0.05,
        "attach": [{"vertex": "first"}]
    }]
}
END
sed 's/"seconds": 0.2/"seconds": 3000/' rope.json >long.json
sed 's/"seconds": 0.2/"seconds": 60/' rope.json >minute.json
sed 's/0.05,/-0.2, "colur": "red",/' rope.json >bad.json
sed 's/"attach".*/"classic": true/' rope.json >falling.json
# A rod that says nothing of its radius, in a hand, which is drawn as a collar around it.
sed 's/"radius": 0.05,//; s/"rods"/"frames": [{"name": "hand"}],\n    "rods"/
    s/"vertex": "first"/"vertex": "first", "frame": "hand"/' rope.json >plain_rope.json
head -c 150 rope.json >half.json
cat >bodies.json <<'END'
{
    "version": 1,
    "name": "bodies",
    "world": {"seconds": 1, "fps": 20, "step": 0.025},
    "rods": [
        {"name": "rope", "shape": {"line": {"from": [0, 0.1, 0], "to": [1, 0.1, 0], "segments": 8}},
         "radius": 0.05, "copies": {"count": [1, 1, 2], "spacing": [0, 0, 1]}},
        {"name": "star", "shape": {"points": [[0, 1, 0], [0.5, 1, 0], [0, 1, 0.5], [-0.5, 1, 0]]},
         "edges": [[0, 1], [0, 2], [0, 3]], "radius": 0.05, "collide": false}
    ],
    "colliders": [{"name": "floor", "plane": {}}, {"mesh": {"file": "parts/tent.obj"}, "position": [0, -3, 0]}],
    "links": [{"a": {"rod": "star", "vertex": 0}}],
    "skins": [{"rods": "rope", "iso": {"triangles": 400}}]
}
END
cat >ball.json <<'END'
{
    "version": 1,
    "name": "ball",
    "world": {"seconds": 0.2, "fps": 20, "step": 0.025},
    "materials": {"oak": {"drag": 0}},
    "animation": [{"target": "/materials/oak/drag", "keys": [[0, 0], [1, 1]]}],
    "rods": [{"name": "rope", "shape": {"line": {"from": [0, 1, 0], "to": [1, 1, 0], "segments": 8}},
              "material": "oak", "attach": [{"vertex": "first"}]}],
    "rigid": [{"name": "ball", "material": "oak", "parts": [{"centre": [1, 1, 0], "radius": 0.1}]},
              {"name": "stone", "parts": [{"centre": [0, 0, 0], "radius": 0.1}], "collide": false}],
    "links": [{"a": {"rod": "rope", "vertex": "last"}, "b": {"rod": "ball", "vertex": 0}}],
    "ignore": [["rope", "ball"]]
}
END
cat >named.json <<'END'
{
    "version": 1,
    "materials": {"hard": {"like": "steel", "drag": 1}},
    "rods": [{"material": "rope", "shape": {"line": {"from": [0, 1, 0], "to": [1, 1, 0]}}}],
    "rigid": [{"material": "hard", "parts": [{"centre": [1, 1, 0], "radius": 0.1}]}]
}
END
mkdir parts
printf 'v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n' >parts/tent.obj
sed 's/tent.obj/gone.obj/' bodies.json >gone.json
sed 's/"plane": {}/"plain": {}/' bodies.json >plain.json
{ printf '[%.0s' {1..100000}; } >deep.json

expect 0 "help" "$sinew" --help
says out "sinew run scenes/demo.json"
says out "exit status"
for command in run check info figure bench; do
    expect 0 "help on $command" "$sinew" $command --help
    says out "example:"
done
expect 0 "options for the shell" "$sinew" run --list-options
says out "--image-time"
PATH=$(dirname "$sinew"):$PATH expect 0 "completion" bash -c "source '$source/tools/completion.bash'
    COMP_WORDS=(sinew run --vi) COMP_CWORD=2; _sinew; echo \"\${COMPREPLY[*]}\"
    COMP_WORDS=(sinew ch) COMP_CWORD=1; _sinew; echo \"\${COMPREPLY[*]}\""
[ "$(cat out)" = "--video
check" ] || fail "that is not what completes the words"
expect 0 "the manual page" "$source/tools/man" "$sinew"
says out '.SH SINEW RUN'
says out '\-\-video OUT.mp4'
expect 2 "compressing nothing" "$sinew" run rope.json --meshopt
says err "give -o OUT.glb"
expect 0 "the document of the commands" "$source/tools/commands" "$sinew" --check
expect 0 "version" "$sinew" --version
says out "sinew "
expect 2 "no command" "$sinew"
expect 2 "a misspelt command" "$sinew" chekc rope.json
says err "did you mean sinew check?"
expect 2 "a misspelt option" "$sinew" run rope.json --vidoe x.mp4
says err "did you mean --video?"
expect 2 "an option that is like no other" "$sinew" run rope.json --csv x
! grep -q "did you mean" err || fail "--csv is not like another option"
expect 2 "an option without its value" "$sinew" run rope.json --seconds
says err "--seconds needs a value"
expect 2 "a number that is none" "$sinew" run rope.json --seconds=soon
says err "--seconds: soon is not a number"
expect 2 "a number and more" "$sinew" run rope.json --seconds 2x
expect 2 "a size that is none" "$sinew" run rope.json --size 640
expect 2 "an instruction set that is none" "$sinew" run rope.json --isa abacus
says err "scalar"
expect 2 "an output with the wrong ending" "$sinew" run rope.json --video x.png
expect 2 "a picture after the end" "$sinew" run rope.json --image x.png --image-time 9

expect 0 "check a good scene" "$sinew" check rope.json
says out "rope.json: ok (1 rod, 9 vertices, 0.2 s)"
expect 1 "check a bad scene" "$sinew" check rope.json bad.json
says out "rope.json: ok"
says out "bad.json:7:19: /rods/0/radius: -0.2 is not > 0"
says out "colour"
echo '{"version": 1, "rods": [{"shape": {"lin": 1}, "attach": [{"vertx": 1}]}]}' >two.json
expect 1 "check two mistakes of a rod" "$sinew" check two.json
says out "attach/0/vertx: unknown key"
expect 1 "check half a file" "$sinew" check half.json
says out "half.json"
expect 1 "check brackets 100,000 deep" "$sinew" check deep.json
says out "deep.json"
expect 1 "check a missing file" "$sinew" check nowhere.json
says out "nowhere.json: No such file"
expect 0 "check what touches" "$sinew" check bodies.json
says out "bodies.json: ok (3 rods, 22 vertices, 2 colliders, 1 link, 2 skins, 1 s)"
expect 0 "check rigid bodies" "$sinew" check ball.json
says out "ball.json: ok (1 rod, 2 rigid bodies, 11 vertices, 1 link, 0.2 s)"
sed 's/"radius"/"material": "nylon", "solver": "sweep", "radius"/' rope.json >soft.json
expect 0 "check sweeps that are far off" "$sinew" check soft.json
says out "soft.json: ok ("
says out "soft.json: note: 1 rod is too stiff for its sweeps: "
[ "$(grep -c "times as far as" out)" = 1 ] || fail "it is not said once"
expect 0 "run sweeps that are far off" "$sinew" run soft.json
says err "1 rod is too stiff for its sweeps: "
# The same mesh in metres, in millimetres, and somewhere else.
cat >sleeve.json <<'END'
{"version": 1, "rods": [{"name": "rod", "shape": {"line": {"from": [0, 0.3, 0.3], "to": [1, 0.3, 0.3]}}}],
 "skins": [{"name": "sleeve", "rods": "rod", "mesh": {"file": "parts/tent.obj", "scale": 1, "position": [0, 0, 0]}}]}
END
expect 0 "check a mesh that fits" "$sinew" check sleeve.json
! grep -q warning out || fail "it fits"
sed -i 's/"scale": 1/"scale": 1000/' sleeve.json
expect 0 "check a mesh in millimetres" "$sinew" check sleeve.json
says out 'sleeve.json: warning: skin 0 (sleeve): its mesh is 1.73e+03 m across'
says out 'a factor of 1.73e+03'
sed -i 's/"scale": 1000/"scale": 1/; s/"position": .0, 0, 0./"position": [0, 0, 9]/' sleeve.json
expect 0 "check a mesh that lies elsewhere" "$sinew" check sleeve.json
says out 'its mesh lies 8.7 m away'
# A rope that was laid where a hand is at rest, and not where its clip begins; what the rope carries is jerked at first,
# and hangs on it at the end of every step.
cat >jerked.json <<'END'
{"version": 1, "world": {"seconds": 1},
 "skeleton": {"joints": [{"name": "arm", "position": [0, 2, 0]}, {"name": "hand", "parent": "arm", "position": [0.5, 0, 0]}],
  "clips": [{"name": "hang", "channels": [{"joint": "arm", "path": "rotation",
   "keys": [[0, {"axis": [0, 0, 1], "angle": -60}]]}]}], "clip": "hang", "bones": false},
 "rods": [{"name": "rope", "material": "rope", "radius": 0.01,
  "shape": {"line": {"from": [0.5, 2, 0], "to": [0.5, 1.5, 0], "segments": 20}},
  "attach": [{"vertex": "first", "frame": "hand", "position": [0, 0, 0]}]}],
 "rigid": [{"name": "lamp", "position": [0.5, 1.45, 0], "parts": [{"centre": [0, 0, 0], "radius": 0.06}]}],
 "links": [{"a": {"rod": "rope", "vertex": "last"}, "b": {"rod": "lamp", "vertex": 0}, "ignore": true}]}
END
expect 0 "check a rope that is not where its hand is" "$sinew" check jerked.json
says out 'jerked.json: warning: "rope" begins with a segment of 19.1 times its length'
expect 0 "describe where joints are as a scene begins" "$sinew" info jerked.json
says out 'joint "hand" at [0.25, 1.567, 0]'
expect 0 "run a rope that is not where its hand is" "$sinew" run jerked.json
says err 'warning: "rope" begins with a segment'
! grep -q "could not be closed" err || fail "no link is open at the end of a step"
sed '/"rods"/,$d' jerked.json | sed '$s/,$/}/' >bare.json
expect 0 "run a skeleton without a body" "$sinew" run bare.json
says out "bare.json: 1 s simulated in"
! grep -qE "asleep|energy|volume" out || fail "there is nothing that could sleep"
expect 1 "check a misspelt collider" "$sinew" check plain.json
says out 'plain.json:11:46: /colliders/0/plain: unknown key "plain"; did you mean "plane"?'
expect 1 "check a missing mesh" "$sinew" check gone.json
says out "gone.json:11: /colliders/1: parts/gone.obj: No such file"
cp parts/tent.obj tent.OBJ
expect 3 "run a mesh" "$sinew" run tent.OBJ
says err 'tent.OBJ: is not a scene (.json), but a mesh; a skin or a collider of a scene'
expect 1 "check a mesh as if it were a scene" "$sinew" check tent.OBJ
says out 'tent.OBJ: is not a scene'
expect 3 "run a mesh that is not there" "$sinew" run nowhere.obj
says err 'nowhere.obj: No such file'
expect 3 "run a missing file" "$sinew" run nowhere.json
expect 3 "run a bad scene" "$sinew" run bad.json
says err "bad.json:7:19: /rods/0/radius: -0.2 is not > 0"
expect 3 "describe a file that is not glTF" "$sinew" info nowhere.glb

expect 0 "describe this machine" "$sinew" info
says out "instruction sets: scalar"
expect 0 "describe a scene" "$sinew" info rope.json
says out "1 rod, 9 vertices, 8 segments"
expect 0 "describe a mesh" "$sinew" info parts/tent.obj
says out "4 vertices, 4 triangles in 1 shell, closed"
says out "from [0, 0, 0] to [1, 1, 1], 1 × 1 × 1"
head -n 7 parts/tent.obj >parts/open.obj
expect 0 "describe an open mesh" "$sinew" info parts/open.obj
says out "3 triangles in 1 shell, open: 3 edges"
expect 3 "describe a mesh that is none" "$sinew" info parts/none.stl
expect 0 "describe what touches" "$sinew" info bodies.json
says out "1 of the rods branch, 1 touch nothing"
says out "2 colliders, 1 link, 2 skins"
expect 0 "describe rigid bodies" "$sinew" info ball.json
says out "1 rod, 2 rigid bodies, 11 vertices, 10 segments and parts"
says out "0 of the rods branch, 1 bodies touch nothing"
says out "drag 0 /s; 1 rod, 1 rigid body"
expect 0 "describe built-in materials" "$sinew" info named.json
says out "material rope: density 880 kg/m³, young 1e+07, stretch 7e+08, shear 3.5e+06"
says out "material hard: density 7850 kg/m³, young 2e+11"

expect 0 "run rigid bodies" "$sinew" run ball.json
says out "0 of 3 bodies asleep"
expect 0 "run without outputs" "$sinew" run rope.json
says out "rope: 0.2 s simulated"
says out "energy: gravity "
[ ! -s err ] || fail "something was said in a pipe"
expect 0 "run less than a frame" "$sinew" run rope.json --seconds 0.02
says err "nothing was simulated: the time is shorter than a frame of 0.05 s"
expect 0 "run quietly" "$sinew" run rope.json --quiet
[ ! -s out ] && [ ! -s err ] || fail "quiet was not quiet"

expect 0 "make a GLB and statistics" \
    "$sinew" run rope.json -o rope.glb --stats rope.stats.json --threads 1 --isa scalar
has rope.glb $glb
says out "rope.glb ("
json rope.stats.json "len(d['frames']) == 5 and d['isa'] == 'scalar' and d['threads'] == 1"
json rope.stats.json "abs(d['frames'][4]['time'] - 0.2) < 1e-9 and d['substeps'] == 2"
json rope.stats.json "d['frames'][4]['energy']['kinetic'] > 0 and d['frames'][4]['ms']['total'] > 0"
json rope.stats.json "d['frames'][4]['bodies'][0]['energy'] == d['frames'][4]['energy']"
json rope.stats.json "d['frames'][0]['bodies'][0]['first'] == d['frames'][4]['bodies'][0]['first'] == [0, 1, 0]"
json rope.stats.json "d['frames'][4]['bodies'][0]['last'][1] < 0.95 < d['frames'][0]['bodies'][0]['last'][1]"
json rope.stats.json "len(d['attachments']) == len(d['frames'][4]['reactions']) > 0"
json rope.stats.json "d['frames'][4]['reactions'][0]['force'][1] > 0 == d['frames'][0]['reactions'][0]['force'][1]"
# A metre of 7.85 kg/m falls for 0.2 s: m (g t)² / 2.
expect 0 "a link in the statistics" "$sinew" run ball.json --stats ball.stats.json
json ball.stats.json "d['frames'][4]['links'][0]['b']['body'] == 'ball' and d['frames'][4]['links'][0]['force'][1] < 0"
json ball.stats.json "d['frames'][4]['links'][0]['gap'] < 1e-3"
expect 4 "statistics to the standard output" "$sinew" run ball.json --stats -
says err "/dev/stdout"
expect 0 "let it fall" "$sinew" run falling.json --stats falling.stats.json
json falling.stats.json "abs(d['frames'][4]['energy']['kinetic'] - 15.1) < 0.1"
# Ropes of radius 5 cm lie on the floor after a second, and are fast for nobody.
expect 0 "let them lie" "$sinew" run bodies.json --stats bodies.stats.json -o bodies.glb
says out "at the end: "
json bodies.stats.json "d['frames'][0]['contacts'] == 0 and d['frames'][20]['contacts'] > 0"
json bodies.stats.json "0 <= d['frames'][20]['penetration_max'] < 0.1 and d['frames'][20]['asleep'] == 0"
json bodies.stats.json "d['frames'][2]['speed_max'] > 0.3 and d['frames'][20]['ms']['collide'] > 0"
has bodies.glb $glb
expect 0 "describe the GLB" "$sinew" info rope.glb
says out "1 skins, 9 joints"
expect 0 "the same scene again, otherwise" "$sinew" run rope.json -o again.glb --threads 2
cmp -s rope.glb again.glb || fail "threads or instruction set changed the result"
echo "ok: it is the same, byte for byte"

# What was recorded is a skeleton, too.
cat >puppet.json <<'END'
{"version": 1, "name": "puppet", "world": {"seconds": 0.2, "fps": 20},
 "skeleton": {"file": "rope.glb", "clip": "rope", "bones": false}}
END
expect 0 "describe a skeleton" "$sinew" info rope.glb
says out "skeleton of 13 joints, 1 clip"
says out '"rod 0 8"'
expect 0 "describe a scene with a skeleton" "$sinew" info puppet.json
says out 'clip "rope", 0.2 s'
expect 0 "show a skeleton's mesh" "$sinew" run puppet.json -o puppet.glb --image puppet.png --size 64x48
has puppet.glb $glb
has puppet.png $png
expect 0 "describe it again" "$sinew" info puppet.glb
says out 'clip "puppet", 0.2 s'
sed 's/"rope", "bones"/"roep", "bones"/' puppet.json >other.json
expect 1 "a clip that is not there" "$sinew" check other.json
says out 'did you mean "rope"?'

expect 0 "make a picture" "$sinew" run rope.json --image rope.png --size 64x48 --image-time 0.1
has rope.png $png
expect 0 "draw a rod without a radius" "$sinew" run plain_rope.json --image plain_rope.png --size 64x48
has plain_rope.png $png
# What holds a thick rod is in the picture, too: its dark collars do not reach the edge.
cat >held.json <<'END'
{"version": 1, "world": {"seconds": 0.1}, "frames": [{"name": "left"}, {"name": "right"}],
 "rods": [{"radius": 0.1, "shape": {"line": {"from": [0, 1, 0], "to": [0, 1.3, 0]}},
  "attach": [{"clamp": "first", "frame": "left"}, {"clamp": "last", "frame": "right"}]}]}
END
expect 0 "draw a rod between two hands" "$sinew" run held.json --image held.png --size 64x96
for edge in in_w:2:0:0 in_w:2:0:in_h-2; do
    darkest=$(ffmpeg -v error -i held.png -vf "crop=$edge" -f rawvideo -pix_fmt gray - | od -v -An -tu1 -w1 | sort -n | head -1)
    [ "$darkest" -gt 110 ] || fail "the picture cuts what holds the rod: $darkest at $edge"
done
expect 0 "make a video" "$sinew" run rope.json --video rope.mp4 --size 64x48
[ "$(head -c 8 rope.mp4 | tail -c 4)" = ftyp ] || fail "rope.mp4 is not a video"
if command -v ffprobe >/dev/null; then
    frames=$(ffprobe -v error -count_frames -show_entries stream=nb_read_frames \
        -of csv=p=0 rope.mp4)
    [ "$frames" = 5 ] || fail "the video has $frames frames, not 5"
fi

# Statistics need nothing but a stream, and a full disk is one.
expect 0 "statistics into a pipe" bash -c "'$sinew' run rope.json --quiet --stats /dev/stdout | cat"
json out "len(d['frames']) == 5"
if [ -w /dev/full ]; then
    expect 4 "a full disk" "$sinew" run rope.json --stats /dev/full -o beside.glb
    says err "/dev/full: No space left on device"
    has beside.glb $glb
fi
mkdir folder
expect 4 "a folder in the way" "$sinew" run rope.json --image folder/none/x.png -o still.glb
says err "folder/none/x.png"
has still.glb $glb
mkdir taken.glb
expect 4 "a path that is a folder" "$sinew" run rope.json -o taken.glb
says err "taken.glb: is a folder"
expect 4 "a place nobody can write" "$sinew" run rope.json -o /proc/x.glb --stats kept.json
says err "/proc/x.glb"
json kept.json "len(d['frames']) == 5"
# A limit on the size of files fails a write in its middle, as a full disk does.
expect 4 "a disk that fills up" bash -c "trap '' XFSZ; ulimit -f 1; '$sinew' run rope.json \
    -o cut.glb --image cut.png --size 640x480"
[ ! -e cut.glb ] && [ ! -e cut.glb.part ] || fail "half a GLB was left"
[ ! -e cut.png ] && [ ! -e cut.png.part ] || fail "half a picture was left"

# interrupt "what it is about" SECONDS ARGUMENTS…: Ctrl-C after that long. As a terminal does, it
# sends one signal to the whole process group; `timeout` sends two, and the second one kills.
interrupt() {
    local about=$1 after=$2 pid got
    shift 2
    set -m # a process group of its own, which does not ignore SIGINT
    "$sinew" "$@" >out 2>err &
    pid=$!
    set +m
    sleep "$after"
    kill -INT -- -$pid
    wait $pid
    got=$?
    [ $got -eq 130 ] || fail "$about: exit status $got, not 130"
    says err "interrupted after"
    echo "ok: $about"
}
interrupt "Ctrl-C while simulating" 1 run long.json -o stop.glb --stats stop.json \
    --image stop.png --video stop.mp4 --size 64x48
has stop.glb $glb
has stop.png $png
json stop.json "len(d['frames']) > 1"
[ "$(head -c 8 stop.mp4 | tail -c 4)" = ftyp ] || fail "stop.mp4 is not a video"
expect 0 "the GLB is whole" "$sinew" info stop.glb
interrupt "Ctrl-C while drawing" 2 run minute.json --video draw.mp4 --size 640x480
[ "$(head -c 8 draw.mp4 | tail -c 4)" = ftyp ] || fail "draw.mp4 is not a video"

awk '/^```json/ {inside = 1; next} /^```/ {inside = 0} inside' "$source/README.md" >readme.json
expect 0 "the README's scene" "$sinew" run readme.json --seconds 0.5 -o readme.glb
has readme.glb $glb
expect 0 "every scene of the gallery" "$sinew" check "$source"/scenes/*.json "$source"/scenes/figures/*.json

expect 0 "list the benchmarks" "$sinew" bench --list
says out "headline"
expect 2 "a misspelt benchmark" "$sinew" bench rodz
says err "did you mean rods?"
expect 0 "run a benchmark" "$sinew" bench wind --json --threads 1 --runs 1 --csv results --isa scalar
json out "d['bench'] == 'wind' and d['isa'] == 'scalar'"
json out "[r for r in d['rows'] if r['case'] == 'gusts' and r['value'] > 0 and r['unit'] == 'ns']"
grep -q '^gusts,1,' results/wind-scalar.csv || fail "no row of gusts in the CSV file"
grep -q '^# cpu: ' results/wind-scalar.csv || fail "no machine in the CSV file"
echo "all is well"
