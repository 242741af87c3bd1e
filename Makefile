# A thin door to CMake: see CMakePresets.json for the builds and tools/setup for what they need.

.PHONY: build demo site test test-arm test-windows fuzz bench format clean setup
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

# The tests that tell most of a machine; tools/test-arm and tools/test-windows run all.
CROSS_TESTS = test_golden test_determinism test_math test_band test_json test_hinge hello

test-arm: setup
	@tools/test-arm $(CROSS_TESTS) test_contact_determinism

test-windows: setup
	@tools/test-windows $(CROSS_TESTS)

fuzz: setup
	@tools/fuzz

# The documents and the API reference as a web site, in out/site.
site:
	@tools/site

bench: build
	build/sinew bench --all --csv bench/results

format: setup
	tools/format

clean:
	rm -rf build build-debug build-sanitize build-scalar build-fuzz build-arm build-windows out
