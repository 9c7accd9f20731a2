import type { Interrupt } from '../../src/core/index.js';
import type { KillWorld } from './kill-world.js';
import { refOf } from './kill-world.js';

/** What is answered to each call when it asks. */
const DECISIONS: Readonly<Record<string, string>> = {
  edited: 'edit {"amount":15}',
  approved: 'y',
  cancelled: 'cancel',
  last: 'y',
  asked: 'answer blue',
  shelled: 'y',
};

/** What a person answers to an interrupt: looks at the world where the program does not know what became of a call. */
export function decide(world: KillWorld, { kind, source }: Interrupt): string {
  if (source.type !== 'tool') throw new Error(`nothing is known of a ${kind} of a ${source.type}`);
  if (kind !== 'in-doubt') return DECISIONS[source.ref] ?? `no answer for ${source.ref}`;
  const effect = world.effects().find((line) => refOf(line) === source.ref);
  if (effect === undefined) return 'retry';
  return source.name === 'run_command'
    ? 'answer {"exitCode":0,"signal":null,"output":""}'
    : `answer {"paid":${effect.amount}}`;
}
