// What sinew run writes onto a character's own GLB: everything that was in the file is still there, the
// Khronos validator finds no error, and a player that blends linearly and adds morph targets with weights
// from 0 to 1 puts every vertex where the point cache has it, within 0.5 % of the height. A character that
// has targets already keeps them, and its own clips leave the new ones out.
// node test_gltf_character.mjs PROGRAM SOURCE_DIR; exit status 77 means skipped.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const [program, source] = process.argv.slice(2);
const BOUND = 0.005; // of the height

function readGlb(file) {
  const bytes = readFileSync(file), length = bytes.readUInt32LE(12);
  const json = JSON.parse(bytes.subarray(20, 20 + length).toString());
  return { json, binary: bytes.subarray(28 + length) };
}

// Elements of an accessor as arrays of numbers.
function elements({ json, binary }, index) {
  const accessor = json.accessors[index];
  const width = { SCALAR: 1, VEC2: 2, VEC3: 3, VEC4: 4, MAT4: 16 }[accessor.type];
  const [size, read] = {
    5122: [2, (at) => binary.readInt16LE(at)], 5123: [2, (at) => binary.readUInt16LE(at)],
    5125: [4, (at) => binary.readUInt32LE(at)], 5126: [4, (at) => binary.readFloatLE(at)],
  }[accessor.componentType];
  const most = accessor.normalized ? { 5122: 32767, 5123: 65535 }[accessor.componentType] : 1;
  const view = json.bufferViews[accessor.bufferView];
  const begin = (view?.byteOffset ?? 0) + (accessor.byteOffset ?? 0);
  const stride = view?.byteStride ?? width * size;
  return Array.from({ length: accessor.count }, (_, i) => Array.from({ length: width }, (_, c) =>
    (view ? read(begin + i * stride + c * size) / most : 0)));
}

function blend(a, b, t, turns) {
  const dot = turns ? a.reduce((sum, x, c) => sum + x * b[c], 0) : 1;
  const mixed = a.map((x, c) => x * (1 - t) + (dot < 0 ? -1 : 1) * b[c] * t);
  const size = turns ? Math.hypot(...mixed) : 1;
  return mixed.map((x) => x / size);
}

function sample(glb, sampler, time, turns) {
  const times = elements(glb, sampler.input).flat();
  let values = elements(glb, sampler.output);
  const width = values.length / times.length; // weights are as many numbers
  if (width > 1) values = times.map((_, k) => values.slice(k * width, (k + 1) * width).flat());
  const after = times.findIndex((t) => t > time);
  if (after <= 0) return after === 0 ? values[0] : values[values.length - 1];
  const t = (time - times[after - 1]) / (times[after] - times[after - 1]);
  return blend(values[after - 1], values[after], t, turns);
}

function chain(a, b) {
  const out = new Array(16).fill(0);
  for (let c = 0; c < 4; ++c)
    for (let r = 0; r < 4; ++r)
      for (let k = 0; k < 4; ++k) out[4 * c + r] += a[4 * k + r] * b[4 * c + k];
  return out;
}

function matrixOf({ matrix, translation: t = [0, 0, 0], rotation: q = [0, 0, 0, 1], scale: s = [1, 1, 1] }) {
  if (matrix) return matrix;
  const [x, y, z, w] = q;
  return [
    s[0] * (1 - 2 * (y * y + z * z)), s[0] * 2 * (x * y + w * z), s[0] * 2 * (x * z - w * y), 0,
    s[1] * 2 * (x * y - w * z), s[1] * (1 - 2 * (x * x + z * z)), s[1] * 2 * (y * z + w * x), 0,
    s[2] * 2 * (x * z + w * y), s[2] * 2 * (y * z - w * x), s[2] * (1 - 2 * (x * x + y * y)), 0,
    ...t, 1,
  ];
}

// The vertices of the one mesh at a time of the first animation.
function play(glb, time) {
  const { json } = glb;
  const nodes = json.nodes.map((node) => ({ ...node }));
  for (const { sampler, target } of json.animations[0].channels) {
    const value = sample(glb, json.animations[0].samplers[sampler], time, target.path === 'rotation');
    nodes[target.node][target.path] = value;
  }
  const maps = [];
  const visit = (number, above) => {
    maps[number] = above ? chain(above, matrixOf(nodes[number])) : matrixOf(nodes[number]);
    for (const child of nodes[number].children ?? []) visit(child, maps[number]);
  };
  for (const root of json.scenes[json.scene ?? 0].nodes) visit(root, null);
  const shown = nodes.find((node) => node.mesh !== undefined), mesh = json.meshes[shown.mesh];
  const [primitive] = mesh.primitives, skin = json.skins[shown.skin];
  const weights = shown.weights ?? mesh.weights ?? [];
  for (const w of weights) assert(w > -1e-6 && w < 1 + 1e-6, `a weight of ${w}`);
  const targets = (primitive.targets ?? []).map((target) => elements(glb, target.POSITION));
  const binds = elements(glb, skin.inverseBindMatrices);
  const joints = elements(glb, primitive.attributes.JOINTS_0);
  const shares = elements(glb, primitive.attributes.WEIGHTS_0);
  return elements(glb, primitive.attributes.POSITION).map((rest, v) => {
    const p = rest.map((x, c) => targets.reduce((sum, t, k) => sum + weights[k] * t[v][c], x));
    const out = [0, 0, 0];
    joints[v].forEach((joint, k) => {
      if (shares[v][k] === 0) return;
      const m = chain(maps[skin.joints[joint]], binds[joint]);
      for (let c = 0; c < 3; ++c)
        out[c] += shares[v][k] * (m[c] * p[0] + m[4 + c] * p[1] + m[8 + c] * p[2] + m[12 + c]);
    });
    return out;
  });
}

function readCache(file) {
  const bytes = readFileSync(file), points = bytes.readInt32LE(16), frames = bytes.readInt32LE(28);
  return { frames, at: (frame, v, c) => bytes.readFloatLE(32 + 4 * (3 * (frame * points + v) + c)) };
}

function largestError(glb, cache, fps) {
  let most = 0;
  for (const frame of [0, Math.floor(cache.frames / 2), cache.frames - 1])
    play(glb, frame / fps).forEach((x, v) => {
      most = Math.max(most, Math.hypot(...x.map((value, c) => value - cache.at(frame, v, c))));
    });
  return most;
}

function heightOf({ json }) {
  const { min, max } = json.accessors[json.meshes[0].primitives[0].attributes.POSITION];
  return Math.max(...max.map((x, c) => x - min[c]));
}

// All that was in the file is still there; a clip of weights has zeros more for the new targets.
function assertKept(before, after) {
  for (const key of ['asset', 'scene', 'scenes', 'cameras', 'materials', 'skins', 'images', 'textures'])
    assert.deepEqual(after.json[key], before.json[key], key);
  assert.deepEqual(after.json.nodes, before.json.nodes);
  assert.deepEqual(after.json.accessors.slice(0, before.json.accessors.length), before.json.accessors);
  assert(after.binary.subarray(0, before.json.buffers[0].byteLength)
    .equals(before.binary.subarray(0, before.json.buffers[0].byteLength)));
  const [was] = before.json.meshes[0].primitives, [is] = after.json.meshes[0].primitives;
  assert.deepEqual(is.attributes, was.attributes);
  const own = was.targets?.length ?? 0;
  assert.deepEqual(is.targets.slice(0, own), was.targets ?? []);
  assert(is.targets.length > own + 2);
  before.json.animations.forEach((clip, a) => {
    const now = after.json.animations[a + 1];
    assert.deepEqual(now.channels, clip.channels);
    for (const { sampler, target } of clip.channels) {
      const [then, since] = [clip, now].map((x) => x.samplers[sampler]);
      if (target.path !== 'weights') {
        assert.deepEqual(since, then);
        continue;
      }
      const old = elements(before, then.output).flat(), padded = elements(after, since.output).flat();
      const wide = is.targets.length;
      assert.equal(padded.length * own, old.length * wide);
      padded.forEach((x, i) => assert.equal(
        x, i % wide < own ? old[Math.floor(i / wide) * own + i % wide] : 0));
    }
  });
}

let validator = null;
try {
  validator = createRequire(join(source, 'package.json'))('gltf-validator');
} catch {
  // It is skipped.
}
if (!validator || !program || !existsSync(program)) {
  console.log(`skipped: ${validator ? 'no program' : 'npm package gltf-validator is not installed'}`);
  process.exit(77);
}

const folder = mkdtempSync(join(tmpdir(), 'sinew-character-'));
function run(name, skeleton) {
  const scene = join(folder, `${name}.json`), out = join(folder, `${name}.glb`);
  const cache = join(folder, `${name}.pc2`);
  writeFileSync(scene, JSON.stringify({
    version: 1, name, world: { seconds: 0.5, fps: 30 }, skeleton: { bones: false, ...skeleton },
  }));
  execFileSync(program, ['run', scene, '-o', out, '--cache', cache, '--quiet'],
    { stdio: 'inherit', timeout: 120000 });
  return { glb: readGlb(out), cache: readCache(cache), out };
}

try {
  const plain = run('plain', { model: 'arm', clip: 'bend', offset: 0.3 });
  let before = plain.glb, clip = 'plain';
  for (const name of ['first', 'second']) {
    const { glb, cache, out } = run(name, { file: `${clip}.glb`, clip, implicit: true });
    const report = await validator.validateBytes(new Uint8Array(readFileSync(out)), { maxIssues: 50 });
    assert.deepEqual([report.issues.numErrors, report.issues.numWarnings], [0, 0]);
    assertKept(before, glb);
    const error = largestError(glb, cache, 30) / heightOf(glb);
    console.log(`${name}: ${glb.json.meshes[0].primitives[0].targets.length} targets, `
      + `largest error ${(100 * error).toFixed(2)} % of the height`);
    assert(error < BOUND);
    before = glb;
    clip = name;
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
