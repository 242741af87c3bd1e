# A thin door to CMake: see CMakePresets.json for the builds and tools/setup for what they need.

.PHONY: build demo test fuzz bench format clean setup
.DEFAULT_GOAL := build

setup:
	@tools/setup

build: setup
	@cmake --preset release --log-level=WARNING
	cmake --build --preset release

demo: build
	@mkdir -p out
	build/sinew run scenes/demo.json -o out/demo.glb --image out/demo.png --video out/demo.mp4 \
	    --stats out/demo.json
	build/sinew run scenes/arm.json -o out/arm.glb --image out/arm.png --image-time 1.8 \
	    --video out/arm.mp4 --size 640x360 --stats out/arm.json
	@ls -lh out/demo.glb out/demo.png out/demo.mp4 out/demo.json out/arm.glb out/arm.png \
	    out/arm.mp4 out/arm.json

test: setup
	@tools/test

fuzz: setup
	@tools/fuzz

bench: build
	build/sinew bench --all --csv bench/results

format: setup
	tools/format

clean:
	rm -rf build build-debug build-sanitize build-scalar build-fuzz out
