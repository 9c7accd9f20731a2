// Builds `dist`: the program, a CommonJS file for each source; the packages it uses, a file each; the library; its types.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

import { bundleLibrary } from './bundle-library.mjs';
import { compileProgram } from './compile-program.mjs';
import { withoutNumbers } from './house-numbers.mjs';
import { noticesOf } from './notices.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const require = createRequire(import.meta.url);
const manifest = JSON.parse(await readFile(path.join(root, 'package.json'), 'utf8'));

// Everything else is built in. jiti is not: it loads a second file of its own when it first meets TypeScript.
const { dependencies, peerDependenciesMeta } = manifest;
const installed = [...Object.keys(dependencies), ...Object.keys(peerDependenciesMeta)];

// Built aside and swapped in, so that a running program never sees half a build.
const building = path.join(root, `dist.building-${process.pid}`);
try {
  await mkdir(building);
  const [packages, library] = await allOf([
    compileProgram(manifest, installed, root, building),
    bundleLibrary(manifest, installed, root, building),
    declareTypes(),
  ]);
  await writeFile(path.join(building, 'NOTICES.txt'), await noticesOf([...packages, library], root));
  await declareFormats({ '.': 'commonjs', lib: 'module', types: 'module' });
  await chmod(path.join(building, 'bin/hitl.js'), 0o755);
  await rm(path.join(root, 'dist'), { recursive: true, force: true });
  await rename(building, path.join(root, 'dist'));
} catch (error) {
  // The compilers have shown where it is; a crash of this script would be a second message.
  console.error(`build failed: ${error.message}`);
  process.exitCode = 1;
} finally {
  await rm(building, { recursive: true, force: true });
}

/** Waits for all parts, also where one has failed: it would go on writing into a folder that is being removed. */
async function allOf(parts) {
  const ends = await Promise.allSettled(parts);
  const failed = ends.find(({ status }) => status === 'rejected');
  if (failed !== undefined) throw failed.reason;
  return ends.map(({ value }) => value);
}

/** Writes the declarations of the library. `npm run types` checks types; the build does not. */
async function declareTypes() {
  const compiler = require.resolve('typescript/bin/tsc');
  const folder = path.join(building, 'types');
  const args = ['-p', 'tsconfig.build.json', '--noCheck', '--emitDeclarationOnly', '--outDir', folder];
  const child = spawn(process.execPath, [compiler, ...args], { cwd: root, stdio: 'inherit' });
  const [status] = await once(child, 'close');
  if (status !== 0) throw new Error(`the library does not compile: tsc ended with ${status}`);
  for (const name of (await readdir(folder, { recursive: true })).filter((one) => one.endsWith('.d.ts'))) {
    const file = path.join(folder, name);
    // Numbers of laws and cases help a reader of the source; they mean nothing to a user of the package.
    await writeFile(file, withoutNumbers(await readFile(file, 'utf8')));
  }
}

/** Tells Node how to read the `.js` files of each folder: the manifest of the package says `module`. */
async function declareFormats(formats) {
  for (const [folder, type] of Object.entries(formats))
    await writeFile(path.join(building, folder, 'package.json'), `{ "type": "${type}" }\n`);
}
