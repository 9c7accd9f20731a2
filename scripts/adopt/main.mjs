// `npm run adopt [-- 22 24]`: uses the packed package as somebody does who has nothing but the tarball, in a project of
// its own: installs it, checks the types of its examples strictly and without `skipLibCheck`, runs them, the workflows
// and the guide to testing as written, on this Node, or on the majors that are named. Then the first tool of the
// documents in projects that have the oldest and the newest of the packages that it works beside.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { pack } from '../pack.mjs';
import { projectsBeside } from './beside.mjs';
import { installNode } from './node.mjs';
import { Project } from './project.mjs';

const majors = process.argv.slice(2);
if (majors.some((major) => !/^\d+$/.test(major))) {
  console.error('usage: npm run adopt [-- <major of Node>…]');
  process.exit(2);
}

const folder = mkdtempSync(path.join(tmpdir(), 'hitl-adopt-'));
const failed = [];
let done = 0;

try {
  const { tarball } = await pack();
  const project = new Project(path.join(folder, 'shop'));
  step('npm install of the tarball, with zod below 30 MB', () => project.install(tarball));
  step('tsc --strict without skipLibCheck: the examples', () => project.checkTypes());
  step('tsc with the tsconfig.json of the examples', () => project.checkTypesAsShipped());
  const nodes =
    majors.length === 0
      ? [path.dirname(process.execPath)]
      : majors.map((major) => installNode(major, path.join(folder, major)));
  for (const bin of nodes) {
    const version = project.run('node', ['--version'], { bin }).trim();
    for (const [name, check] of project.checks(bin)) step(`${version}: ${name}`, check);
  }
  for (const { name, typescript, has } of projectsBeside()) {
    const beside = new Project(path.join(folder, name));
    step(`beside ${name}: npm install, beside ${Object.keys(has).join(', ')}`, () =>
      beside.installBeside(tarball, has, { typescript, from: project }),
    );
    for (const [what, check] of beside.checksBeside(has)) step(`beside ${name}: ${what}`, check);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
for (const fault of failed) console.error(fault);
console.log(`adopt: ${done} done as written, ${failed.length} not`);
process.exitCode = done > 0 && failed.length === 0 ? 0 : 1;

function step(name, act) {
  const started = Date.now();
  try {
    act();
    done += 1;
    console.log(`${name}: ${((Date.now() - started) / 1000).toFixed(1)} s`);
  } catch (thrown) {
    failed.push(`${name}: ${thrown.message}`);
  }
}
