import { lstat, readdir, readlink } from 'node:fs/promises';
import path from 'node:path';

import type { Place } from './existing.js';
import { existing } from './existing.js';
import type { Mount } from './mounts.js';

/** The programs and libraries of the system, and its settings. Source: Filesystem Hierarchy Standard 3.0, chapter 3. */
const SYSTEM: readonly string[] = [
  '/usr',
  '/etc',
  '/bin',
  '/sbin',
  '/lib',
  '/lib32',
  '/lib64',
  '/libx32',
  // The certificates of openSUSE.
  '/var/lib/ca-certificates',
];
/** Folders that programs share for files and sockets: a command gets its own. */
export const SHARED: readonly string[] = ['/tmp', '/var/tmp', '/run'];
/** Made by the sandbox itself. */
const MADE: readonly string[] = ['/proc', '/dev', '/sys'];

/** Paths that the user's folders cannot replace. */
export const TAKEN: readonly string[] = [...SYSTEM, ...SHARED, ...MADE];

/** What every command sees: the world-readable part of the system, and writable folders. */
export async function systemMounts(): Promise<readonly Mount[]> {
  const shown = await Promise.all(SYSTEM.map(shownPart));
  const hidden = await privateParts('/etc');
  return [
    ...shown.flat(),
    ...hidden.map(({ path, isFile }): Mount => ({ path, kind: isFile ? 'nothing' : 'empty' })),
    ...SHARED.map((folder): Mount => ({ path: folder, kind: 'fresh' })),
    { path: '/var/run', kind: 'link', to: '../run' },
  ];
}

async function shownPart(part: string): Promise<readonly Mount[]> {
  try {
    const at = await lstat(part);
    if (at.isSymbolicLink()) return [{ path: part, kind: 'link', to: await readlink(part) }];
    return [{ path: part, kind: 'read-only' }];
  } catch {
    return []; // This system has none.
  }
}

/** Every user may list and enter it, or read it. */
const OPEN_FOLDER = 0o005;
const OPEN_FILE = 0o004;

/**
 * The parts of a folder that not every user can read: root owns them and needs no capability; a user may be
 * in their group.
 */
async function privateParts(folder: string): Promise<readonly Place[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []); // Not ours to list.
  const parts = await Promise.all(
    entries
      .filter((entry) => !entry.isSymbolicLink())
      .map(async (entry): Promise<readonly Place[]> => {
        const part = path.join(folder, entry.name);
        const isFile = !entry.isDirectory();
        const open = isFile ? OPEN_FILE : OPEN_FOLDER;
        const mode = await lstat(part).then(
          (at) => at.mode,
          () => undefined, // Gone since it was listed.
        );
        if (mode === undefined) return [];
        if ((mode & open) !== open) return [{ path: part, isFile }];
        return isFile ? [] : privateParts(part);
      }),
  );
  return parts.flat();
}

/** Returns the resolver configuration for a command with network access: often below `/run`. */
export async function resolverPlace(): Promise<readonly Place[]> {
  return existing(['/etc/resolv.conf']);
}

/**
 * Parts of `/proc` that affect the whole machine. Root owns them, and can write to some without capabilities.
 */
const PARTS: readonly string[] = [
  'sys',
  'sysrq-trigger',
  'irq',
  'bus',
  'acpi',
  'scsi',
  'mtrr',
  'driver',
  'pressure',
];

/** Returns those that exist. */
export async function guardedProc(): Promise<readonly string[]> {
  return (await existing(PARTS.map((part) => `/proc/${part}`))).map(({ path }) => path);
}
