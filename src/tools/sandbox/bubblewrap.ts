import { canSucceed, FILTER, systemProgram } from './system-program.js';
import type { Invocation } from './system-program.js';
import type { Layout, Mount } from './mounts.js';

/** A command, and the part of the system that it can see. */
export interface Inside extends Invocation {
  readonly layout: Layout;
  /** Parts of `/proc` that remain read-only, even for root. */
  readonly guarded: readonly string[];
  readonly cwd: string;
  readonly network: boolean;
  /**
   * Whether the sandbox reads a system call filter from the file descriptor `FILTER` and limits the size of
   * in-memory folders.
   */
  readonly isFiltered: boolean;
}

/** Maximum size of each in-memory folder for an unapproved command, in bytes. */
const MOST_FRESH = 256 * 1024 * 1024;

/** Wraps commands so that bubblewrap runs them in a sandbox. */
export interface Bubblewrap {
  wrap(inside: Inside): Promise<Invocation>;
}

/**
 * Flags that keep a command from gaining permissions, and that end it when hitl ends. Support for a flag is
 * determined by trying it, not from the version.
 */
const ALWAYS: readonly string[] = [
  '--unshare-ipc',
  '--unshare-pid',
  '--unshare-uts',
  '--unshare-cgroup-try',
  '--die-with-parent',
  '--cap-drop',
  'ALL',
];
const WITHOUT_USER_NAMESPACES: readonly string[] = ['--unshare-user', '--disable-userns'];

/**
 * Returns bubblewrap from a system folder, or `undefined` if it is not installed. The `plain` variant also
 * works with old versions and setuid installations, but lets a command create its own namespaces.
 */
export async function bubblewrap(kind: 'strict' | 'plain'): Promise<Bubblewrap | undefined> {
  const program = await systemProgram('bwrap');
  if (program === undefined) return undefined;
  const user = kind === 'strict' ? WITHOUT_USER_NAMESPACES : ['--unshare-user-try'];
  const deaf = await deafness();
  return {
    async wrap(inside) {
      const hearing = { program: inside.program, args: inside.args };
      const inner = deaf === undefined ? hearing : started(deaf, '--default-signal=TERM', hearing);
      const outer = { program, args: [...user, ...argumentsOf({ ...inside, ...inner })] };
      return deaf === undefined ? outer : started(deaf, '--ignore-signal=TERM', outer);
    },
  };
}

/**
 * Returns the path to an `env` program that can make bubblewrap ignore SIGTERM, or `undefined` if `env` is
 * too old. If bubblewrap did not ignore the signal, it would end before the command had cleaned up. The
 * command itself still receives the signal.
 */
async function deafness(): Promise<string | undefined> {
  const env = await systemProgram('env');
  const signals = ['--ignore-signal=TERM', '--default-signal=TERM', '/bin/sh', '-c', ':'];
  return env !== undefined && (await canSucceed({ program: env, args: signals })) ? env : undefined;
}

function started(env: string, option: string, { program, args }: Invocation): Invocation {
  return { program: env, args: [option, program, ...args] };
}

function argumentsOf(inside: Inside): readonly string[] {
  const { layout, guarded, program, args, cwd, network, isFiltered } = inside;
  return [
    ...ALWAYS,
    ...(network ? [] : ['--unshare-net']),
    ...(isFiltered ? ['--new-session', '--seccomp', String(FILTER)] : []),
    ...['--dev', '/dev', '--proc', '/proc'],
    ...(isFiltered ? ['--size', String(MOST_FRESH), '--tmpfs', '/dev/shm'] : []),
    // Bubblewrap leaves out what the caller cannot write by its mode; root can write what lies below it.
    ...guarded.flatMap((place) => ['--ro-bind', place, place]),
    ...layout.flatMap((mount) => [
      ...(isFiltered && mount.kind === 'fresh' ? ['--size', String(MOST_FRESH)] : []),
      ...mountOf(mount),
    ]),
    ...['--remount-ro', '/'],
    ...['--chdir', cwd, '--', program, ...args],
  ];
}

function mountOf(mount: Mount): readonly string[] {
  const { path } = mount;
  switch (mount.kind) {
    case 'fresh':
      return ['--tmpfs', path];
    case 'empty':
      return ['--tmpfs', path, '--remount-ro', path];
    case 'nothing':
      return ['--ro-bind', '/dev/null', path];
    case 'writable':
      return ['--bind', mount.from ?? path, path];
    case 'read-only':
      return ['--ro-bind', mount.from ?? path, path];
    case 'link':
      return ['--symlink', mount.to, path];
  }
}
