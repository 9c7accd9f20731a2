import { readdirSync, readFileSync } from 'node:fs';

import { describe, expect, test } from 'vitest';

import { readJson } from './project.js';

/** A member of the manifest that has packages. */
function membersOf(field: string): Readonly<Record<string, string>> {
  return readJson('package.json')[field] as Record<string, string>;
}

const exact = /^\d+\.\d+\.\d+(-[\w.]+)?$/;

/** A range whose last part is the newest major version, or of those before 1.0 the newest minor one. */
const range = /^(?:\^\d+\.\d+\.\d+ \|\| )*\^(\d+\.\d+)\.\d+$/;

/** The folders whose texts tell people what to install. */
const TELL = ['docs', 'src', 'sessions', 'commands'];

describe('package.json', () => {
  test('has exact versions of what the build and the tests use', () => {
    const versions = Object.entries(membersOf('devDependencies'));
    expect(versions).not.toHaveLength(0);
    expect(versions.filter(([, version]) => !exact.test(version))).toEqual([]);
  });

  test('has ranges of what is installed with it, and beside it', () => {
    const ranges = Object.entries({ ...membersOf('dependencies'), ...membersOf('peerDependencies') });
    expect(ranges.map(([name]) => name)).toEqual(expect.arrayContaining(['jiti', 'zod', 'pg']));
    expect(ranges.filter(([, one]) => !range.test(one))).toEqual([]);
  });

  test('needs zod beside it; each other peer is for whoever wants it', () => {
    const optional = Object.keys(membersOf('peerDependenciesMeta'));
    const peers = Object.keys(membersOf('peerDependencies'));
    expect(peers.filter((name) => !optional.includes(name))).toEqual(['zod']);
  });

  test('takes of each peer the version that people are told to install, the newest', () => {
    const peers = membersOf('peerDependencies');
    const told = TELL.flatMap((folder) =>
      readdirSync(folder, { recursive: true, encoding: 'utf8' })
        .filter((file) => /\.(?:md|ts)$/.test(file) && !file.startsWith('adr/'))
        .flatMap((file) => [
          ...readFileSync(`${folder}/${file}`, 'utf8').matchAll(/([@\w/-]*\w)@(\d+(?:\.\d+)*)(?=[\s`'])/g),
        ])
        .filter(([, name = '']) => name in peers)
        .map(([, name = '', version = '']) => [name, version] as const),
    );
    expect(new Set(told.map(([name]) => name)).size).toBeGreaterThan(4);
    const newest = (name: string) => range.exec(peers[name] ?? '')?.[1] ?? '';
    const wrong = told.filter(
      ([name, version]) => version !== newest(name).replace(newest(name).startsWith('0.') ? '' : /\..*/, ''),
    );
    expect(wrong).toEqual([]);
  });

  test.for(['tools', 'tools/mcp-servers'])('of %s has exact versions', (folder) => {
    const versions = Object.entries(
      readJson(`${folder}/package.json`)['dependencies'] as Record<string, string>,
    );
    expect(versions).not.toHaveLength(0);
    expect(versions.filter(([, version]) => !exact.test(version.replace(/^npm:.+@/, '')))).toEqual([]);
  });

  test('of tools has the TypeScript of the project, by which the layers are checked', () => {
    const [tools, ours] = ['tools/package.json', 'package.json'].map(readJson);
    const { typescript } = ours!['devDependencies'] as Record<string, string>;
    expect(tools?.['dependencies']).toMatchObject({ typescript });
  });

  test('keeps coverage and vitest on one version', () => {
    const versions = readJson('package.json')['devDependencies'] as Record<string, string>;
    expect(versions['@vitest/coverage-v8']).toBe(versions['vitest']);
  });
});

describe.each(['.', 'tools', 'tools/mcp-servers'])('package-lock.json of %s', (folder) => {
  const packages = Object.entries(
    readJson(`${folder}/package-lock.json`)['packages'] as Record<string, object>,
  );

  test('names no download address', () => {
    expect(packages).not.toHaveLength(0);
    expect(packages.filter(([, entry]) => 'resolved' in entry)).toEqual([]);
  });

  test('pins every package by its hash', () => {
    expect(packages.filter(([name, entry]) => name !== '' && !('integrity' in entry))).toEqual([]);
  });

  // npm ci refuses such a lockfile; npm install writes one when a registry lacks a package for another platform.
  test('has an entry for every optional package', () => {
    const installed = packages.map(([name]) => name.replace(/^.*node_modules\//, ''));
    const wanted = packages.flatMap(([, entry]) =>
      'optionalDependencies' in entry ? Object.keys(entry.optionalDependencies as object) : [],
    );
    if (folder === '.') expect(wanted).not.toHaveLength(0);
    expect(wanted.filter((name) => !installed.includes(name))).toEqual([]);
  });

  test('has an approval for every install script', () => {
    const approved = Object.keys(readJson(`${folder}/package.json`)['allowScripts'] ?? {});
    const scripted = packages
      .filter(([, entry]) => 'hasInstallScript' in entry && !('optional' in entry))
      .map(([name]) => name.replace(/^.*node_modules\//, ''));
    expect(scripted.filter((name) => !approved.includes(name))).toEqual([]);
  });
});
