import { lstat, readdir, readlink } from 'node:fs/promises';
import path from 'node:path';

import type { Place } from './existing.js';
import { existing } from './existing.js';
import type { Mount } from './mounts.js';

/**
 * Folders with the programs, libraries and settings of the system. Source: Filesystem Hierarchy Standard 3.0,
 * chapter 3.
 */
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
/** Folders in which programs share files and sockets. Each command gets its own. */
export const SHARED: readonly string[] = ['/tmp', '/var/tmp', '/run'];
/** Folders that the sandbox itself creates. */
const MADE: readonly string[] = ['/proc', '/dev', '/sys'];

/** System paths that the folders of a user must not replace. */
export const TAKEN: readonly string[] = [...SYSTEM, ...SHARED, ...MADE];

/**
 * Returns the mounts that every command sees: the parts of the system that every user can read, and empty
 * writable folders.
 */
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

/** Permissions with which every user can list and enter a folder, or read a file. */
const OPEN_FOLDER = 0o005;
const OPEN_FILE = 0o004;

/**
 * Returns the parts of a folder that not every user can read. They must be hidden even from commands without
 * capabilities, because root owns them, and a user may be in their group.
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

/**
 * Returns the DNS resolver configuration, for a command with network access. The file is often a link into
 * `/run`.
 */
export async function resolverPlace(): Promise<readonly Place[]> {
  return existing(['/etc/resolv.conf']);
}

/**
 * Parts of `/proc` that affect the whole machine. They are mounted read-only, because root owns them and can
 * write to some of them even without capabilities.
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

/** Returns the protected parts of `/proc` that exist on this system. */
export async function guardedProc(): Promise<readonly string[]> {
  return (await existing(PARTS.map((part) => `/proc/${part}`))).map(({ path }) => path);
}
