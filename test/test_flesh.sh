#!/usr/bin/env bash
# test_flesh.sh PROGRAM SOURCE_DIR: characters to scenes with implicit skins, and from there to GLB files that
# are characters again. One line per check; the first that fails ends it.
set -uo pipefail
. "$2/test/cli_kit.bash" "$1"

expect 0 "a limb becomes a scene" "$sinew" flesh model:arm -o arm.json
says out "model:arm: 3 parts, 2172 of 2172 points follow them"
says out 'part "forearm"'
says out 'plays "bend"'
json arm.json "d['skeleton'] == {'model': 'arm', 'clip': 'bend', 'implicit': True, 'bones': False}"
expect 0 "the scene is right" "$sinew" check arm.json
expect 0 "the scene becomes a GLB" "$sinew" run arm.json -o arm.glb --seconds 0.9
says out "morph targets, largest error"
has arm.glb $glb

# What came out is a rigged character, and goes in.
mkdir below
cp arm.glb below/
expect 0 "a file becomes a scene, with a picture" "$sinew" flesh below/arm.glb -o man.json --image man.png
says out "3 parts"
json man.json "d['skeleton']['file'] == 'below/arm.glb'"
has man.png $png
expect 0 "quietly" "$sinew" flesh below/arm.glb -q
[ ! -s out ] || fail "something was printed"

# Seven frames of 2,172 points, the first of them at rest.
expect 0 "the scene becomes a point cache" "$sinew" run arm.json --cache arm.pc2 --seconds 0.2
python3 - <<'END' || fail "arm.pc2 is no point cache of seven frames"
import struct
data = open('arm.pc2', 'rb').read()
magic, version, points, start, rate, samples = struct.unpack('<12siiffi', data[:32])
assert magic == b'POINTCACHE2\0' and (version, points, samples) == (1, 2172, 7)
assert len(data) == 32 + 12 * points * samples
x = struct.unpack('<%df' % (3 * points), data[32:32 + 12 * points])
assert abs(max(x[0::3]) - 0.743) < 0.01, max(x[0::3])
END
expect 4 "a cache of no mesh" "$sinew" run "$2/scenes/spring.json" --cache none.pc2 --seconds 0.1
says err "no skeleton with a mesh"

# Muscles, from a character to a GLB in two commands.
expect 0 "muscles of a person" "$sinew" flesh model:figure --muscles humanoid -o person.json
says out "50 muscles"
json person.json "len(d['flesh']) == 50 and len(d['skeleton']['bones']) == 4"
json person.json "[m['name'] for m in d['flesh'] if 'biceps f' in m['name']] == ['biceps femoris left', 'biceps femoris right']"
expect 0 "they run" "$sinew" run person.json -o person.glb --seconds 0.1
has person.glb $glb
expect 0 "muscles along bones" "$sinew" flesh model:arm --muscles "along:upper arm,forearm" -o along.json
says out "6 muscles"
expect 0 "they run, too" "$sinew" run along.json -o along.glb --seconds 0.9
says out "morph targets, largest error"
expect 3 "an arm is no humanoid" "$sinew" flesh model:arm --muscles humanoid
says err "it is no humanoid"
expect 3 "a joint that does not exist" "$sinew" flesh model:arm --muscles along:elbow
says err 'it has no joint "elbow"'
expect 3 "a preset that does not exist" "$sinew" flesh model:arm --muscles horse
says err "neither humanoid nor along"

expect 3 "a model that does not exist" "$sinew" flesh model:lge
says err "did you mean model:leg?"
expect 3 "a file that does not exist" "$sinew" flesh none.glb
says err "none.glb"
expect 3 "a clip that does not exist" "$sinew" flesh model:arm --clip walk
says err 'it has no clip "walk"'
printf 'HIERARCHY\nROOT hip\n{\nOFFSET 0 0 0\nCHANNELS 3 Zrotation Xrotation Yrotation\nEnd Site\n{\nOFFSET 0 1 0\n}\n}\nMOTION\nFrames: 1\nFrame Time: 0.1\n0 0 0\n' >walk.bvh
expect 3 "a skeleton without a mesh" "$sinew" flesh walk.bvh
says err "the skeleton has no mesh"
expect 4 "a folder that does not exist" "$sinew" flesh model:arm -o no/where.json
expect 2 "no character" "$sinew" flesh
expect 2 "a scene of another ending" "$sinew" flesh model:arm -o arm.glb
expect 2 "a picture without a scene" "$sinew" flesh model:arm --image arm.png
