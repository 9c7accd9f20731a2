import type { Bubblewrap } from '../../../src/tools/sandbox/bubblewrap.js';
import { bubblewrap } from '../../../src/tools/sandbox/bubblewrap.js';
import { works } from '../../../src/tools/sandbox/sandbox.js';

interface Kind {
  readonly name: string;
  readonly sandbox: Bubblewrap | undefined;
  /** Why there is none. */
  readonly why: string;
}

async function tried(name: string, made: Bubblewrap | undefined): Promise<Kind> {
  if (made !== undefined && (await works(made))) return { name, sandbox: made, why: '' };
  const why = `${name} ${made === undefined ? 'is not installed here' : 'is not let make namespaces here'}`;
  process.stderr.write(`skipped: ${why}\n`);
  return { name, sandbox: undefined, why };
}

/** A user without rights and without files. */
export const USER = 65_534;

/** As an ordinary user starts it, where this one is root. */
function asUser(made: Bubblewrap): Bubblewrap {
  return {
    async wrap(inside) {
      const { program, args } = await made.wrap(inside);
      const user = [`--reuid=${USER}`, `--regid=${USER}`, '--clear-groups', '--no-new-privs', '--'];
      return { program: '/usr/bin/setpriv', args: [...user, program, ...args] };
    },
  };
}

const strict = await bubblewrap('strict');

/** Every way to start the sandbox that there is; tests of one that does not work here are skipped, and say so. */
export const kinds: readonly Kind[] = [
  await tried('bubblewrap', strict),
  await tried('an older bubblewrap', await bubblewrap('plain')),
];

/** The same, and as another user where this one is root. */
export const kindsByUser: readonly Kind[] = [
  ...kinds,
  ...(process.getuid?.() === 0
    ? [await tried('bubblewrap of a user', strict === undefined ? undefined : asUser(strict))]
    : []),
];
