import { readFile } from 'node:fs/promises';

import type { Engine, Inside } from './engine.js';
import type { Layout, Mount } from './layout.js';
import { enclosing, isEmptied, isShown } from './layout.js';
import type { MountPoint } from './mount-table.js';
import { escapedPath, holds, mountPoints, reachable } from './mount-table.js';
import { systemProgram } from './system-program.js';
import { SCRIPT, STAGE } from './unshare-script.js';

/** A source of its own: `mount` passes over an entry whose source is mounted at its place already. */
const SOURCE = 'hitl-sandbox';
const READ_ONLY = 'remount,bind,ro,nosuid,nodev';
const NODES: readonly string[] = ['null', 'zero', 'full', 'random', 'urandom', 'tty'];

/** A sandbox of namespaces, made by programs of util-linux; `undefined` where one of them is missing. */
export async function namespaces(): Promise<Engine | undefined> {
  const [unshare, setpriv, mount] = await Promise.all(['unshare', 'setpriv', 'mount'].map(systemProgram));
  if (unshare === undefined || setpriv === undefined || mount === undefined) return undefined;
  return {
    name: 'unshare',
    async wrap(inside) {
      const mounted = reachable(mountPoints(await readFile('/proc/self/mountinfo', 'utf8')));
      const own = ['--user', '--map-root-user', '--mount', '--pid', '--ipc', '--uts', '--cgroup'];
      const net = inside.network ? [] : ['--net'];
      return {
        program: setpriv,
        // Whatever happens to this program, the first process of the sandbox is killed, and all others with it.
        args: [
          ...['--pdeathsig', 'KILL', '--', unshare, ...own, ...net, '--fork', '--kill-child=KILL', '--'],
          ...['/bin/sh', '-c', SCRIPT, 'sandbox', ...argumentsOf(inside, mounted)],
        ],
      };
    },
  };
}

function argumentsOf(
  { layout, guarded, program, args, cwd }: Inside,
  mounted: readonly MountPoint[],
): readonly string[] {
  const staged = layout.filter((mount) => needsStage(mount, layout));
  const made = staged.filter((mount) => isEmptied(enclosing(mount, layout)));
  const covers = layout.filter((mount) => isEmptied(mount) && enclosing(mount, layout) === undefined);
  const open = layout.filter(({ kind }) => kind === 'writable' || kind === 'fresh').map(pathOf);
  const replaced = ['/dev', '/proc', ...open, ...covers.map(pathOf)];
  const before = [
    ...staged.map(({ path }, index) => entry(path, onStage(index), 'rbind')),
    ...devices(),
    ...toClose(mounted, replaced).map((path) => `${SOURCE} ${path} none ${READ_ONLY} 0 0`),
    ...covers.flatMap((mount) => entriesOf(mount, mount.path)),
  ];
  const after = [
    ...layout
      .filter((mount) => !covers.includes(mount))
      .flatMap((mount) =>
        entriesOf(mount, staged.includes(mount) ? onStage(staged.indexOf(mount)) : mount.path),
      ),
    ...guarded.flatMap((path) => entriesOf({ kind: 'read-only', path }, path)),
    entry(SOURCE, STAGE, 'ro,mode=0555', 'tmpfs'),
  ];
  return [
    ...[`${process.getuid?.() ?? 0}`, `${process.getgid?.() ?? 0}`],
    ...[before.join('\n'), after.join('\n')],
    replaced.map(escapedPath).join(' '),
    ...toMake(staged.map(({ isFile = false }, index) => ({ isFile, path: onStage(index) }))),
    ...toMake(made),
    ...[cwd, program, ...args],
  ];
}

/**
 * True for what must be taken hold of before it is covered, or while the mount that it is on can still be written to.
 */
function needsStage(mount: Mount, layout: Layout): boolean {
  if (!isShown(mount)) return false;
  const outer = enclosing(mount, layout);
  return outer === undefined || isEmptied(outer) || (mount.kind === 'writable' && outer.kind === 'read-only');
}

/** The mounts that are to be read-only, as the kernel writes their paths; the root has no place in a table. */
function toClose(mounted: readonly MountPoint[], replaced: readonly string[]): readonly string[] {
  const folders = replaced.map(escapedPath);
  const paths = reachable(mounted).map(({ path }) => path);
  return paths.filter((path) => path !== '/' && !folders.some((folder) => holds(folder, path)));
}

function devices(): readonly string[] {
  return [
    ...NODES.map((node) => entry(`/dev/${node}`, `${STAGE}/dev/${node}`, 'bind')),
    entry('devpts', `${STAGE}/dev/pts`, 'newinstance,ptmxmode=0666', 'devpts'),
    entry(`${STAGE}/dev`, '/dev', 'rbind'),
  ];
}

function entriesOf({ kind, path }: Mount, source: string): readonly string[] {
  switch (kind) {
    case 'fresh':
      return [entry(SOURCE, path, 'mode=1777,nosuid,nodev', 'tmpfs')];
    case 'empty':
      return [entry(SOURCE, path, 'ro,mode=0555', 'tmpfs')];
    case 'nothing':
      return [entry(`${STAGE}/null`, path, 'bind'), entry(SOURCE, path, READ_ONLY)];
    case 'writable':
      return [entry(source, path, 'rbind')];
    case 'read-only':
      return [entry(source, path, 'rbind'), entry(SOURCE, path, READ_ONLY)];
  }
}

/** A line of a table of mounts. */
function entry(source: string, target: string, options: string, type = 'none'): string {
  return `${escapedPath(source)} ${escapedPath(target)} ${type} ${options} 0 0`;
}

function onStage(index: number): string {
  return `${STAGE}/${index}`;
}

function pathOf({ path }: Mount): string {
  return path;
}

/** Folders and files, each as one text for the script. */
function toMake(
  places: readonly Pick<Mount, 'path' | 'isFile'>[],
): readonly [folders: string, files: string] {
  const listed = (wanted: boolean) =>
    places
      .filter(({ isFile = false }) => isFile === wanted)
      .map(({ path }) => escapedPath(path).replaceAll('\\', '\\0'))
      .join(' ');
  return [listed(false), listed(true)];
}
