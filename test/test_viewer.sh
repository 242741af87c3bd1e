#!/usr/bin/env bash
# test_viewer.sh PROGRAM SOURCE_DIR: the viewer on a virtual display: pictures with every switch,
# and a body dragged with the mouse. One line per check; the first that fails ends it.
set -uo pipefail
sinew=$1 source=$2

if [ -z "${SINEW_TEST_DISPLAY:-}" ]; then
    for tool in xvfb-run xauth xdotool ffmpeg; do
        command -v $tool >/dev/null || {
            echo "skipped: $tool is not installed"
            exit 77
        }
    done
    SINEW_TEST_DISPLAY=1 exec xvfb-run -a -s "-screen 0 640x480x24" bash "$0" "$@"
fi

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 1
# The window system's own libraries keep some memory until the end.
export ASAN_OPTIONS=detect_leaks=0

width=240 height=180

fail() {
    echo "FAILED: $1"
    sed 's/^/  err: /' err
    exit 1
}

# expect STATUS "what it is about" COMMAND…: runs it; its words are in err afterwards.
expect() {
    local wanted=$1 about=$2 got
    shift 2
    timeout 180 "$@" >out 2>err </dev/null
    got=$?
    [ $got -eq "$wanted" ] || fail "$about: exit status $got, not $wanted: $*"
    echo "ok: $about"
}

says() { # TEXT: the last command's errors hold it
    grep -qF -- "$1" err || fail "no error says: $1"
}

# shot NAME SCENE OPTIONS…: NAME.rgb has the pixels of a picture, three bytes each.
shot() {
    local name=$1 scene=$2
    shift 2
    expect 0 "a picture of $name" "$sinew" view "$scene" --size ${width}x$height \
        --screenshot "$name.png" --frames 1 "$@"
    pixels "$name"
}

pixels() {
    ffmpeg -v error -y -i "$1.png" -f rawvideo -pix_fmt rgb24 "$1.rgb" 2>err ||
        fail "$1.png is no picture"
    [ "$(wc -c <"$1.rgb")" -eq $((3 * width * height)) ] || fail "$1.png has another size"
}

# How many bytes differ by more than 24.
difference() {
    cmp -l "$1.rgb" "$2.rgb" |
        awk 'function number(o) { return int(o / 100) * 64 + int(o % 100 / 10) * 8 + o % 10 }
             { d = number($2) - number($3); if (d > 24 || d < -24) count++ }
             END { print count + 0 }'
}

differs() { # A B LEAST
    local count
    count=$(difference "$1" "$2")
    [ "$count" -ge "$3" ] || fail "$2 looks like $1 ($count bytes differ)"
}

# Pixels that are clearly red, and the mean row of them.
red() {
    od -An -v -tu1 -w3 "$1.rgb" | awk -v width=$width '
        $1 > 90 && $1 > 2 * $2 && $1 > 2 * $3 { count++; rows += int((NR - 1) / width) }
        END { print count + 0, count ? int(rows / count) : 0 }'
}

cat >creature.json <<'END'
{
    "version": 1,
    "name": "creature",
    "world": {"seconds": 2, "fps": 20, "step": 0.025, "substeps": 8},
    "rods": [{"name": "octopus", "shape": {"octopus": {"size": 1}}, "position": [0, 0.2, 0],
              "colour": "red"}],
    "colliders": [{"plane": {}}, {"box": {"size": [0.3, 0.3, 0.3]}, "position": [0.9, 0.15, 0.4]}],
    "skins": [{"rods": "octopus", "iso": {"triangles": 2000}}]
}
END
cat >bar.json <<'END'
{
    "version": 1,
    "name": "bar",
    "world": {"gravity": [0, 0, 0], "fps": 60, "step": 0.0166667, "substeps": 8},
    "rods": [{"shape": {"line": {"from": [-0.5, 0, 0], "to": [0.5, 0, 0], "segments": 8}},
              "radius": 0.15, "colour": "red", "material": {"drag": 1}}],
    "camera": {"position": [0, 0, 4], "target": [0, 0, 0], "fov": 35}
}
END

expect 4 "no display" env -u DISPLAY -u WAYLAND_DISPLAY "$sinew" view bar.json
says "view: no display: "
expect 2 "no scene" "$sinew" view
expect 0 "help" "$sinew" view --help
expect 2 "an unknown key" "$sinew" view bar.json --keys spac
says "did you mean space?"
expect 3 "no such scene" "$sinew" view none.json
expect 4 "a folder that is not there" "$sinew" view bar.json --size 64x64 --frames 1 \
    --screenshot none/x.png

tug=$source/scenes/tug.json
shot tug "$tug"
shot later "$tug" --frames 45
differs tug later 300
shot statistics "$tug" --keys s
differs tug statistics 3000
shot help "$tug" --keys h
differs tug help 3000
shot paused "$tug" --keys space --frames 5
cmp -s <(head -c $((3 * width * 130)) tug.rgb) <(head -c $((3 * width * 130)) paused.rgb) ||
    fail "it moved while it was paused"
[ "$(difference tug paused)" -gt 100 ] || fail "nothing says that it is paused"
shot stepped "$tug" --keys period --frames 5
differs paused stepped 10 # it says when it was paused
shot pills "$tug" --keys 2
differs tug pills 300

shot skin creature.json --frames 6
read -r count row < <(red skin)
[ "$count" -gt 800 ] || fail "only $count pixels of skin are red"
for switch in 1 2 3 4; do
    shot switch-$switch creature.json --frames 6 --keys $switch
    differs skin switch-$switch 60
done
# Pills are shown in place of the skin, whether it is on or off.
shot switch-12 creature.json --frames 6 --keys 1,2
cmp -s switch-2.rgb switch-12.rgb || fail "the skin is shown beside the pills"

# Readings of a muscle, which come and go by M; and a skin over others, which key 1 takes away first.
cat >limb.json <<'END'
{
    "version": 1,
    "name": "limb",
    "world": {"gravity": [0, 0, 0], "fps": 60, "step": 0.0166667, "substeps": 8},
    "frames": [{"name": "bone"}],
    "colliders": [{"frame": "bone", "pill": {"from": [-0.5, -0.2, 0], "to": [0.5, -0.2, 0], "radius": 0.05}}],
    "muscles": [
        {"name": "one", "colour": "red", "spindle": {"from": [-0.5, 0, 0], "to": [0.5, 0, 0], "radius": 0.1}},
        {"name": "two", "colour": "red", "spindle": {"from": [-0.5, 0.3, 0], "to": [0.5, 0.3, 0], "radius": 0.1}}],
    "skins": [
        {"rods": "one", "iso": {"triangles": 1000}}, {"rods": "two", "iso": {"triangles": 1000}},
        {"rods": ["one", "two"], "frames": ["bone"], "colour": "blue", "iso": {"triangles": 2000, "grow": 0.03}}],
    "camera": {"position": [0, 0, 4], "target": [0, 0, 0], "fov": 35}
}
END
shot limb limb.json
shot muscle limb.json --keys m
differs limb muscle 1500
shot muscle-two limb.json --keys m,m
differs muscle muscle-two 20 # the name
shot muscle-none limb.json --keys m,m,m
cmp -s limb.rgb muscle-none.rgb || fail "readings are shown where no muscle is chosen"
read -r count row < <(red limb)
[ "$count" -eq 0 ] || fail "muscles are seen through the skin"
shot muscles limb.json --keys 1
read -r count row < <(red muscles)
[ "$count" -gt 500 ] || fail "the skin still lies over the muscles"
shot fibres limb.json --keys 1,1
differs muscles fibres 300
shot all-again limb.json --keys 1,1,1
cmp -s limb.rgb all-again.rgb || fail "key 1 does not come back to all skins"

# begin SCENE NAME: a window that stays until Escape, and then writes NAME.png.
begin() {
    "$sinew" view "$1.json" --size ${width}x$height --screenshot "$2.png" --keys h 2>err &
    viewer=$!
    window=$(timeout 60 xdotool search --sync --onlyvisible --name "$1 - sinew" | head -1)
    sleep 0.3
}

end() { # NAME
    xdotool key --window "$window" Escape
    timeout 60 tail --pid=$viewer -f /dev/null
    wait $viewer || fail "the viewer did not end well"
    pixels "$1"
}

drag_up() { # the left button goes down on the bar, and moves up
    xdotool mousemove --window "$window" 120 90 sleep 0.2 mousedown 1
    for y in 80 70 60 50 42; do
        xdotool mousemove --window "$window" 120 $y sleep 0.05
    done
}

shot bar bar.json --frames 10
read -r count rest < <(red bar)
[ "$count" -gt 600 ] || fail "only $count pixels of the bar are red"
begin bar dragged
drag_up
sleep 1
end dragged
xdotool mouseup 1
read -r count row < <(red dragged)
[ "$count" -gt 600 ] && [ "$row" -lt $((rest - 24)) ] ||
    fail "the bar was at row $rest and is now at row $row"
echo "ok: dragging moves a body"

# R puts it back. Beside the bar, the same button turns the camera.
begin bar turned
drag_up
xdotool mouseup 1 sleep 0.3 key --window "$window" space sleep 0.3
xdotool key --window "$window" r sleep 0.3
xdotool mousemove --window "$window" 40 150 sleep 0.2 mousedown 1
for x in 60 80 100; do
    xdotool mousemove --window "$window" $x 150 sleep 0.05
done
xdotool mouseup 1 sleep 0.2 click 4 sleep 0.5
end turned
read -r count row < <(red turned)
[ "$row" -gt $((rest - 10)) ] && [ "$row" -lt $((rest + 10)) ] ||
    fail "the bar is not back at row $rest but at $row"
differs bar turned 1000
echo "ok: R puts a body back, and beside it dragging turns the camera"

# Without --frames it goes at the pace of the clock; after half a second the scene moves.
cp "$tug" tug.json
begin tug paced
sleep 2
end paced
cmp -s <(head -c $((3 * width * 130)) tug.rgb) <(head -c $((3 * width * 130)) paced.rgb) &&
    fail "the scene stood still for two seconds"
echo "ok: steps follow the clock"
echo "all is well"
