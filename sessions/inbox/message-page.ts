import type { InboxMessage, MessagePage, PageRequest } from '../../src/core/index.js';
import { HitlError } from '../../src/core/index.js';
import { levelOf } from './message-board.js';

const DEFAULT_SIZE = 50;
const MAX_SIZE = 1000;
const CURSOR = /^([0-2])\.([1-9][0-9]{0,15})$/;

function whole(value: number | undefined, fallback: number, most: number): number {
  if (value === undefined || Number.isNaN(value)) return fallback;
  return Math.min(Math.max(Math.trunc(value), 1), most);
}

function cursorOf({ priority, seq }: InboxMessage): string {
  return `${levelOf(priority)}.${seq}`;
}

/** Creates a predicate for messages after a cursor. @throws HitlError BAD_INPUT */
function behind(cursor: string): (message: InboxMessage) => boolean {
  const [, level, seq] = CURSOR.exec(cursor) ?? [];
  if (level === undefined || seq === undefined)
    throw new HitlError('BAD_INPUT', `\`${cursor.slice(0, 40)}\` is not a valid cursor`, {
      hint: 'use `next` from the previous page',
    });
  return (message) => {
    const own = levelOf(message.priority);
    return own < Number(level) || (own === Number(level) && message.seq > Number(seq));
  };
}

/**
 * Returns a page of queued messages, which must be sorted. @throws HitlError BAD_INPUT for an invalid cursor
 */
export function pageOf(waiting: Iterable<InboxMessage>, request: PageRequest): MessagePage {
  const pageSize = whole(request.pageSize, DEFAULT_SIZE, MAX_SIZE);
  const page = whole(request.page, 1, Number.MAX_SAFE_INTEGER);
  const all = [...waiting];
  const rest =
    request.after === undefined ? all.slice((page - 1) * pageSize) : all.filter(behind(request.after));
  const items = rest.slice(0, pageSize);
  const last = items.at(-1);
  const hasNext = rest.length > items.length;
  return {
    items,
    total: all.length,
    page,
    pageSize,
    hasNext,
    ...(hasNext && last !== undefined && { next: cursorOf(last) }),
  };
}
