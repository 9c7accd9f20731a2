import type { SessionQuery, WaitingItem } from '../../core/index.js';
import { HitlError, interruptId, isName, isSessionId, ROOT_PATH } from '../../core/index.js';

/** The place of an open question in the list of all. */
export function waitingCursor({ session, interrupt }: WaitingItem): string {
  return packed([interrupt.raisedAt, session, interrupt.id]);
}

/** The item behind which a page begins: nothing but its place is looked at. @throws HitlError BAD_INPUT */
export function waitingAfter(cursor: string): WaitingItem {
  const [raisedAt = '', session = '', id = ''] = unpacked(cursor);
  if (!isSessionId(session) || !isName(id) || Number.isNaN(Date.parse(raisedAt))) throw noCursor();
  const place = { id: interruptId(id), raisedAt, digest: '', path: ROOT_PATH, payload: true } as const;
  return {
    session,
    title: '',
    interrupt: { ...place, kind: 'pause', source: { type: 'run' }, allowed: [] },
  };
}

/** The place of a session in the list of all. */
export function sessionCursor({ updatedAt, id }: NonNullable<SessionQuery['before']>): string {
  return packed([updatedAt, id]);
}

/** The session behind which a page begins. @throws HitlError BAD_INPUT */
export function sessionBefore(cursor: string): NonNullable<SessionQuery['before']> {
  const [updatedAt = '', id = ''] = unpacked(cursor);
  if (!isSessionId(id) || Number.isNaN(Date.parse(updatedAt))) throw noCursor();
  return { updatedAt, id };
}

function packed(parts: readonly string[]): string {
  return Buffer.from(parts.join('\n')).toString('base64url');
}

function unpacked(cursor: string): readonly string[] {
  return Buffer.from(cursor, 'base64url').toString().split('\n');
}

function noCursor(): HitlError {
  return new HitlError('BAD_INPUT', '`after` is no place in this list', {
    hint: 'it is `next` of the page before',
  });
}
