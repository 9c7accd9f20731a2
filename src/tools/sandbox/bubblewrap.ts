import { canSucceed, FILTER, systemProgram } from './system-program.js';
import type { Invocation } from './system-program.js';
import type { Layout, Mount } from './mounts.js';

/** A command and its view of the system. */
export interface Inside extends Invocation {
  readonly layout: Layout;
  /** Parts of `/proc` that stay read-only, also for root. */
  readonly guarded: readonly string[];
  readonly cwd: string;
  readonly network: boolean;
  /** Whether it reads a filter of system calls from the file `FILTER`, and its memory for files is limited. */
  readonly isFiltered: boolean;
}

/** Bytes of each folder that exists in memory only, for a command that nobody was asked about. */
const MOST_FRESH = 256 * 1024 * 1024;

/** Runs a command in the sandbox. */
export interface Bubblewrap {
  wrap(inside: Inside): Promise<Invocation>;
}

/** Never gains permissions, and ends with hitl. Version-dependent flags are tried, not looked up. */
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
 * Returns bubblewrap from a system folder; `undefined` if not installed. The plain variant also supports old
 * and setuid versions: it lets a command create its own namespaces.
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
 * Returns the `env` that can shield bubblewrap from SIGTERM, which would end the command before it cleaned
 * up; `undefined` for an older one. The command itself gets the signal.
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
