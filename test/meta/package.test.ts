import { describe, expect, test } from 'vitest';

import { readJson } from './project.js';

const exact = /^\d+\.\d+\.\d+(-[\w.]+)?$/;

describe('package.json', () => {
  test.for(['dependencies', 'devDependencies'])('%s are exact versions', (field) => {
    const versions = Object.entries(readJson('package.json')[field] as Record<string, string>);
    expect(versions).not.toHaveLength(0);
    expect(versions.filter(([, version]) => !exact.test(version))).toEqual([]);
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
    const { typescript } = ours?.['devDependencies'] as Record<string, string>;
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
