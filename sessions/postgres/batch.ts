import type { OpenQuestion, RunState, SessionId, StoredEvent } from '../../src/core/index.js';
import { isoTime, openInterrupts, openQuestions, toWellFormed } from '../../src/core/index.js';
import { dueOf, summaryOf } from '../format/summary.js';
import { needsOf } from '../format/needs.js';
import type { SessionTip } from '../journal/session-tip.js';
import type { SqlParameter } from './driver/sql-driver.js';
import type { Packer } from './packing.js';
import { packedLine, packedQuestion } from './packing.js';
import { CHANNEL } from './bell.js';

/** Records to append, as lines without newlines, and the positions before and after them. */
export interface Batch {
  readonly lines: readonly Buffer[];
  readonly stored: readonly StoredEvent[];
  readonly from: SessionTip;
  readonly to: SessionTip;
  /** The packer for the records of the session, if they are packed. */
  readonly packer: Packer | undefined;
}

/** The columns of a session that are derived from its state. */
export const FACTS = [
  'version',
  'prev',
  'status',
  'title',
  'words',
  'turns',
  'waiting',
  'created_at',
  'updated_at',
  'until_at',
  'due_at',
  'needs',
  'folder',
] as const;

/**
 * Returns the placeholders for the values of `FACTS` in a statement. @param first the number of the first
 * parameter
 */
export function places(first: number): readonly string[] {
  return FACTS.map((name, index) => `$${first + index}${name === 'due_at' ? '::text::timestamptz' : ''}`);
}

/** Returns the values of `FACTS` for a session that ends at this tip. */
export function factsOf(id: SessionId, tip: SessionTip): readonly SqlParameter[] {
  const {
    status,
    title,
    turns,
    waiting,
    createdAt,
    updatedAt,
    until = null,
    folder,
  } = summaryOf(id, tip, false);
  const shown = columnText(title);
  const words = columnText(`${id} ${title}`.toLowerCase());
  return [
    ...[tip.seq, tip.prev, status, shown, words, turns, waiting, createdAt, updatedAt, until],
    ...[dueText(tip), needsText(tip), folder === undefined ? null : columnText(folder)],
  ];
}

/** Formats the due time for the database. The database's clock determines the time for `now`. */
function dueText({ state }: SessionTip): string | null {
  const due = dueOf(state);
  return due === undefined || due === 'now' ? (due ?? null) : isoTime(due);
}

/** Formats the requirements of a session for its column. */
export function needsText({ state }: Pick<SessionTip, 'state'>): string | null {
  const needs = needsOf(state);
  return needs === undefined ? null : columnText(needs);
}

/** Replaces characters that PostgreSQL cannot store, such as NUL. */
export function columnText(text: string): string {
  return toWellFormed(text).replaceAll('\0', '\ufffd');
}

/**
 * Builds the statements that write a batch. They follow a statement `s` that returns the session's row as
 * `sid`, `space` and `id`, or no row. The result has one row for each record.
 * @param at the number of the first free parameter
 */
export function writing(
  batch: Batch,
  at: number,
): { readonly text: string; readonly parameters: readonly SqlParameter[] } {
  const { closed, opened } = changeOfOpen(batch.from.state, batch.to.state);
  const questions = opened.map((question) => packedQuestion(question, batch.packer));
  const rows = batch.lines.map((line) => packedLine(line.subarray(0, -1), batch.packer));
  const parameter = (offset: number): string => `$${at + offset}`;
  const text = `
    d as (delete from hitl_open o using s where o.sid = s.sid and o.interrupt = any(${parameter(0)}::text[])),
    o as (insert into hitl_open (sid, space, session, interrupt, number, kind, tool, raised_at, body, packed, digest)
      select s.sid, s.space, s.id, x.interrupt, x.number, x.kind, x.tool, x.raised_at, x.body,
          decode(x.packed, 'hex'), decode(x.digest, 'hex') from s,
        unnest(${parameter(1)}::text[], ${parameter(2)}::int[], ${parameter(3)}::text[], ${parameter(4)}::text[],
               ${parameter(5)}::text[], ${parameter(6)}::text[], ${parameter(13)}::text[], ${parameter(14)}::text[])
          x (interrupt, number, kind, tool, raised_at, body, packed, digest)
      on conflict (sid, interrupt) do update
        set body = excluded.body, packed = excluded.packed, digest = excluded.digest)
    insert into hitl_event (sid, seq, line, resolves, packed, cut)
      select s.sid, e.seq, e.line, e.resolves, decode(e.packed, 'hex'), e.cut from s,
        unnest(${parameter(7)}::bigint[], ${parameter(8)}::text[], ${parameter(9)}::text[], ${parameter(11)}::text[],
               ${parameter(12)}::int[]) e (seq, line, resolves, packed, cut)
      returning sid, case when ${parameter(10)}::boolean then pg_notify('${CHANNEL}', (select id from s))::text end as told`;
  return {
    text,
    parameters: [
      closed,
      opened.map(({ interrupt: { id } }) => id),
      opened.map(({ interrupt: { id } }) => numberOf(id)),
      opened.map(({ interrupt: { kind } }) => kind),
      opened.map(({ interrupt: { source } }) => (source.type === 'tool' ? source.name : null)),
      opened.map(({ interrupt: { raisedAt } }) => raisedAt),
      questions.map(({ body }) => body),
      batch.stored.map(({ seq }) => seq),
      rows.map(({ line }) => line),
      batch.stored.map(({ event }) => (event.type === 'interrupt-resolved' ? event.id : null)),
      closed.length > 0 || opened.length > 0 || batch.stored.some(({ event }) => event.type === 'run-ended'),
      rows.map(({ packed }) => packed),
      rows.map(({ cut }) => cut),
      questions.map(({ packed }) => packed),
      questions.map(({ digest }) => digest),
    ],
  };
}

/** Returns the number of an open question within its session, so that `i10` is ordered after `i9`. */
export function numberOf(id: string): number {
  return Number(id.replace(/\D/gu, '').slice(0, 9));
}

function changeOfOpen(
  from: RunState,
  to: RunState,
): { readonly closed: readonly string[]; readonly opened: readonly OpenQuestion[] } {
  const before = new Map(openInterrupts(from).map((interrupt) => [interrupt.id, interrupt]));
  const after = openQuestions(to);
  const still = new Set(after.map(({ interrupt: { id } }) => id));
  const isVoted = from.votes !== to.votes;
  return {
    closed: [...before.keys()].filter((id) => !still.has(id)),
    opened: after.filter(
      ({ interrupt, votes }) => before.get(interrupt.id) !== interrupt || (isVoted && votes !== undefined),
    ),
  };
}
