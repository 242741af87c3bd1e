// The GLB files of the program against the Khronos validator: no errors and no warnings.
// node test_gltf_validator.mjs PROGRAM SOURCE_DIR; exit status 77 means skipped.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const [program, source] = process.argv.slice(2);

// Open, closed, tapered, classic, copied, moving and still rods; creatures; skins on one rod, on
// copies and on several, from an iso-surface and from a file with a vertex that no triangle uses;
// trees of more segments than a file has joints; stiff rods that are flat, that break, that close rings;
// rigid bodies, with and without a skin; a skeleton, and a skin on its joints; an implicit skin. What comes out is read as a skeleton again.
const scene = {
  version: 1,
  name: 'validator "é"',
  world: { seconds: 0.3, fps: 30 },
  frames: [{ name: 'hand', animation: [{ target: 'position', keys: [[0, [0, 0, 0]], [0.3, [0, 0.2, 0]]] }] }],
  skeleton: [{
    name: 'arm',
    joints: [
      { name: 'upper', position: [0, 0, 13] },
      { name: 'lower', parent: 'upper', position: [0, -0.4, 0], scale: [1, 2, 1] },
      { name: 'hand', parent: 'lower', position: [0, -0.3, 0] },
    ],
    clips: [{
      name: 'wave', channels: [
        { joint: 'lower', path: 'rotation', keys: [[0, [0, 0, 0, 1]], [0.2, { axis: [0, 0, 1], angle: 90 }]] },
        { joint: 'upper', path: 'position', interpolation: 'smooth', keys: [[0, [0, 0, 13]], [0.3, [0, 1, 13]]] },
      ],
    }],
    clip: 'wave',
  }, { name: 'limb', model: 'arm', position: [0, 5, 0], clip: 'bend', offset: 0.7, implicit: true }],
  rods: [
    {
      name: 'arm', shape: { line: { from: [0, 0, 0], to: [1, 0, 0], segments: 12 } },
      radius: { from: 0.1, to: 0.02 }, attach: [{ clamp: 'first', frame: 'hand' }], colour: 'coral',
    },
    { name: 'ring', shape: { circle: { centre: [0, 1, 0], radius: 0.5 } }, radius: 0.05, colour: 'teal' },
    {
      name: 'spring', shape: { helix: { centre: [2, 0, 0], radius: 0.2, pitch: 0.1, turns: 3, segments: 60 } },
      radius: 0.02, classic: true, attach: [{ vertex: 'first' }],
    },
    {
      name: 'still', gravity_scale: 0, shape: { line: { from: [0, 2, 0], to: [1, 2, 0], segments: 1 } },
      copies: { count: [2, 1, 2], spacing: [2, 0, 1] },
    },
    {
      name: 'star', shape: { points: [[0, 4, 0], [0.5, 4, 0], [-0.3, 4.4, 0], [-0.3, 3.6, 0]] },
      edges: [[0, 1], [0, 2], [0, 3]], radius: 0.1,
    },
    {
      name: 'octopus', shape: { octopus: { size: 1 } }, colour: 'coral',
      copies: { count: [2, 1, 1], spacing: [4, 0, 0] },
    },
    {
      name: 'tree', shape: { tree: { kind: 'pine', segments: 10000, sides: 3 } }, position: [0, 0, 8],
      copies: { count: [2, 1, 1], spacing: [4, 0, 0], jitter: { turn: 90 } },
    },
    {
      name: 'blade', stiff: true, shape: { line: { from: [0, 0, 9], to: [0, 1, 9], segments: 5 } },
      radius: 0.02, segments: { radius: [0.02, 0.002] }, attach: [{ clamp: 'first' }],
    },
    {
      name: 'weak', stiff: true, shape: { line: { from: [2, 1, 9], to: [3, 1, 9], segments: 8 } },
      radius: 0.01, material: { young: 1e9, shear: 4e8, strength: 1e5 }, attach: [{ clamp: 'first' }],
    },
    {
      name: 'net', stiff: true, shape: { points: [[4, 1, 9], [5, 1, 9], [5, 1, 8], [4, 1, 8]] },
      edges: [[0, 1], [1, 2], [2, 3], [3, 0], [0, 2]], radius: 0.01, attach: [{ vertex: 0 }],
    },
    { name: 'left', shape: { line: { from: [0, 6, 0], to: [1, 6, 0], segments: 4 } }, radius: 0.1 },
    { name: 'right', shape: { line: { from: [0, 6, 1], to: [1, 6, 1], segments: 4 } }, radius: 0.1 },
  ],
  rigid: [
    {
      name: 'dumb-bell', position: [0, 0, 11], angular_velocity: [1, 2, 3],
      parts: [{ from: [0, 0, 0], to: [1, 0, 0], radius: 0.05 }, { centre: [1, 0, 0], radius: 0.2 }],
    },
    {
      name: 'stone', position: [3, 0, 11], angular_velocity: [1, 2, 3],
      parts: [{ from: [0, 0, 0], to: [0.5, 0, 0], radius: 0.3 }, { centre: [0.2, 0.3, 0], radius: 0.2 }],
    },
  ],
  skins: [
    { name: 'moss', rods: 'stone', iso: { triangles: 500 } },
    { rods: 'octopus', iso: { triangles: 2000 } },
    { rods: ['left', 'right'], mesh: { file: 'sheet.obj' }, colour: 'sand' },
    { name: 'sleeve', rods: 'blade', frames: ['arm/upper', 'arm/lower'], iso: { triangles: 800, close: 0.01 }, opacity: 0.4 },
  ],
};
const sheet = 'v 0 6 0\nv 1 6 0\nv 1 6 1\nv 0 6 1\nv 9 9 9\nf 1 2 3 4\n';

function loadValidator() {
  try {
    return createRequire(join(source, 'package.json'))('gltf-validator');
  } catch {
    return null;
  }
}

async function check(validator, file) {
  const report = await validator.validateBytes(new Uint8Array(readFileSync(file)), { maxIssues: 50 });
  const { numErrors, numWarnings, messages } = report.issues;
  for (const m of messages) {
    console.log(`${['error', 'warning', 'info', 'hint'][m.severity]} ${m.code} ${m.pointer ?? ''}: ${m.message}`);
  }
  console.log(`${file}: ${numErrors} errors, ${numWarnings} warnings, `
    + `${report.info.totalTriangleCount} triangles, ${report.info.animationCount} animations`);
  return numErrors === 0 && numWarnings === 0 && report.info.animationCount === 1;
}

const validator = loadValidator();
if (!validator || !program || !existsSync(program)) {
  console.log(`skipped: ${validator ? 'no program' : 'npm package gltf-validator is not installed'}`);
  process.exit(77);
}
const folder = mkdtempSync(join(tmpdir(), 'sinew-gltf-'));
let good = false;
try {
  const input = join(folder, 'scene.json'), output = join(folder, 'scene.glb');
  writeFileSync(input, JSON.stringify(scene));
  writeFileSync(join(folder, 'sheet.obj'), sheet);
  execFileSync(program, ['run', input, '-o', output, '--quiet'], { stdio: 'inherit', timeout: 120000 });
  good = await check(validator, output);
  const again = join(folder, 'again.glb'), second = join(folder, 'again.json');
  writeFileSync(second, JSON.stringify({
    version: 1, world: { seconds: 0.3, collide: false },
    skeleton: { file: 'scene.glb', clip: scene.name, bones: false, scale: 0.5, position: [1, 0, 0] },
  }));
  execFileSync(program, ['run', second, '-o', again, '--quiet'], { stdio: 'inherit', timeout: 120000 });
  good = await check(validator, again) && good;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
process.exit(good ? 0 : 1);
