import { canSucceed, systemProgram } from './system-program.js';
import type { Invocation } from './system-program.js';
import type { Layout, Mount } from './mounts.js';

/** A command and what it sees of the world. */
export interface Inside extends Invocation {
  readonly layout: Layout;
  /** Parts of `/proc` that stay read-only, also for root. */
  readonly guarded: readonly string[];
  readonly cwd: string;
  readonly network: boolean;
}

/** What runs a command in the sandbox. */
export interface Bubblewrap {
  wrap(inside: Inside): Promise<Invocation>;
}

/** Never asks for more than it was given, and is gone with us. What a flag needs of the version is tried, not looked up. */
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
 * The bubblewrap of a system folder; `undefined` where it is not installed. The plainer one also works with old
 * versions and with those that are setuid: it does not keep a command from making namespaces of its own.
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
 * The `env` that can keep bubblewrap from ending at a SIGTERM, and with it the command before it has cleaned up;
 * `undefined` for an older one. The command itself hears it.
 */
async function deafness(): Promise<string | undefined> {
  const env = await systemProgram('env');
  const signals = ['--ignore-signal=TERM', '--default-signal=TERM', '/bin/sh', '-c', ':'];
  return env !== undefined && (await canSucceed({ program: env, args: signals })) ? env : undefined;
}

function started(env: string, option: string, { program, args }: Invocation): Invocation {
  return { program: env, args: [option, program, ...args] };
}

function argumentsOf({ layout, guarded, program, args, cwd, network }: Inside): readonly string[] {
  return [
    ...ALWAYS,
    ...(network ? [] : ['--unshare-net']),
    ...['--dev', '/dev', '--proc', '/proc'],
    // Bubblewrap leaves out what the caller cannot write by its mode; root can write what lies below it.
    ...guarded.flatMap((place) => ['--ro-bind', place, place]),
    ...layout.flatMap(mountOf),
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
