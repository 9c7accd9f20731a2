import type { SessionId, SessionStore } from '../../src/core/index.js';
import { HitlError } from '../../src/core/index.js';
import { latestSession } from './store.js';

/** The specified session and the remaining arguments. */
interface Named {
  readonly id: SessionId;
  readonly rest: readonly string[];
}

/**
 * Returns the session specified by the first argument, an id or its prefix, and the remaining arguments. With
 * `--last`, returns the newest session and all arguments.
 * @throws HitlError USAGE if no session is specified, and any error that `resolve` throws
 */
export async function namedSession(
  store: SessionStore,
  command: string,
  given: readonly (string | undefined)[],
  { last }: { readonly last?: boolean },
): Promise<Named> {
  const words = given.filter((word) => word !== undefined);
  if (last === true) return { id: await latestSession(store), rest: words };
  const [first, ...rest] = words;
  if (first !== undefined) return { id: await store.resolve(first), rest };
  throw new HitlError('USAGE', 'missing session id', {
    hint: `hitl ${command} <id>, or hitl ${command} --last (see hitl list)`,
  });
}

/** @throws HitlError USAGE for too many arguments. */
export function atMost(rest: readonly string[], most: number): readonly string[] {
  if (rest.length <= most) return rest;
  throw new HitlError('USAGE', '`<id>` and `--last` cannot be used together', { hint: 'use one of them' });
}
