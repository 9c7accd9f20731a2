// What a session leaves above its live area, read as a person reads it: each call once, each result with its own call.
import type { Part, SessionEvent } from '../../src/core/index.js';

/** A call carries its own tag somewhere in its input, and what it prints carries it too. */
const TAG = /\bk\d\d\b/gu;
/** Rows that are drawn again and again, and must not be left above. */
const LIVE: readonly (readonly [string, RegExp])[] = [
  ['a question', /^[┃┆]/u],
  ['the line of what is waited for', /^[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏] | · Esc stops$/u],
  ['a message that waits', /^queued {2}/u],
  ['the status', /^(?:ask|read-only|accept-edits|auto) · script/u],
  ['keys', / · \? more$|^(?:Enter|y|Y) [a-z ]+ · | · Esc (?:back|for more|more)$/u],
  [
    'the words before a key',
    /^(?:Run|Make|Approve) (?:this|both|all).*\?$|^Your [a-z]+:|^Did this happen\?$/u,
  ],
  ['a prompt', /^(?:>|yes, and:|why not:|say:|answer:)/u],
  ['what was said to a key', /^(?:Press|Ignored:|The text you were typing|You changed nothing)/u],
  ['the steps', /^▸ \d+ of \d+/u],
  ['a hint', /waiting · Tab answers|^Esc again|^Press Ctrl-C/u],
];
/** The row of a decision, of a person or of a rule. */
const DECIDED =
  /^[✓✗] (?:(?:\S+ )?(?:approved|rejected|cancelled|answered|provided|accepted|marked|replied)\b|.* \((?:allowed|denied) (?:for|by) )/u;
/** A row of a change: the number of its line, and the sign. */
const CHANGED = /^ {4,}\d+ [+−] /u;
/** Tools of which no result is told: their decision, their question or the steps above the line tell it. */
const UNTOLD: ReadonlySet<string> = new Set(['edit_file', 'write_file', 'ask_user', 'todo']);

/** A call, and what became of it. */
interface Call {
  readonly tag: string;
  readonly name: string;
  decisions: number;
  isOutput: boolean;
  isSettled: boolean;
  isApproved: boolean;
}

/** A row at the left edge, and those below it. */
interface Block {
  readonly head: string;
  readonly tags: ReadonlySet<string>;
  readonly below: readonly string[];
}

const tagsIn = (text: string): ReadonlySet<string> => new Set(text.match(TAG) ?? []);

/**
 * What is wrong with the rows above the live area, beside what the journal says: a call, a decision, a result, a change or
 * a text that stands there twice or not at all; a result below another call; a row of the live area. None where all is well.
 */
export function faultsOf(scrollback: readonly string[], journal: readonly SessionEvent[]): readonly string[] {
  const calls = callsIn(journal);
  const blocks = blocksOf(scrollback);
  return [
    ...scrollback.flatMap((row) =>
      LIVE.flatMap(([what, rows]) => (isTold(row) || !rows.test(row) ? [] : [`${what} was left: ${row}`])),
    ),
    ...[...calls.values()].flatMap((call) => faultsOfCall(call, blocks)),
    ...blocks.flatMap((block) => faultsOfBlock(block, calls)),
    ...textsIn(journal).flatMap((row) => {
      const count = scrollback.filter((other) => other === row).length;
      return count === 1 ? [] : [`stands there ${count} times: ${row}`];
    }),
    ...doubled(scrollback.filter((row) => CHANGED.test(row) || DECIDED.test(row))),
    ...outOfOrder(blocks, journal, calls),
  ];
}

/** A message of the person, which begins as the prompt does. */
function isTold(row: string): boolean {
  return /^> \S/u.test(row);
}

/** The calls that a reply of the model makes. */
export function requestsIn(event: SessionEvent): readonly (Part & { readonly type: 'tool-request' })[] {
  const content = event.type === 'message-added' ? event.message.content : [];
  return content.flatMap((part) => (part.type === 'tool-request' ? [part] : []));
}

function callsIn(journal: readonly SessionEvent[]): ReadonlyMap<string, Call> {
  const calls = new Map<string, Call>();
  const raised = new Map<string, string>();
  for (const event of journal) {
    for (const { ref, name, input } of requestsIn(event)) {
      const [tag] = tagsIn(JSON.stringify(input));
      const before = { decisions: 0, isOutput: false, isSettled: false, isApproved: false };
      if (tag !== undefined) calls.set(ref, { tag, name, ...before });
    }
    if (event.type === 'interrupt-raised' && event.interrupt.source.type === 'tool')
      raised.set(event.interrupt.id, event.interrupt.source.ref);
    if (event.type === 'interrupt-resolved') {
      const call = calls.get(raised.get(event.id) ?? '');
      if (call !== undefined) {
        call.decisions += 1;
        call.isApproved ||= event.resolution.action === 'restart' || event.resolution.action === 'retry';
      }
    }
    if (event.type === 'tool-settled') {
      const call = calls.get(event.ref);
      if (call !== undefined)
        Object.assign(call, { isSettled: true, isOutput: event.outcome.type === 'output' });
    }
  }
  return calls;
}

function blocksOf(rows: readonly string[]): readonly Block[] {
  const blocks: { readonly head: string; readonly below: string[] }[] = [];
  for (const row of rows) {
    if (/^\S/u.test(row)) blocks.push({ head: row, below: [] });
    else blocks.at(-1)?.below.push(row);
  }
  return blocks.map(({ head, below }) => {
    // A name that is longer than its row goes on below it.
    const end = below.findIndex((row) => !/^ {2}[^ ✓✗]/u.test(row));
    const wrapped = end === -1 ? below : below.slice(0, end);
    return { head, tags: tagsIn([head, ...wrapped].join(' ')), below: below.slice(wrapped.length) };
  });
}

const isNameless = (row: string): boolean => /^ {2}[✓✗] /u.test(row);

function faultsOfCall(
  { tag, name, decisions, isOutput, isSettled, isApproved }: Call,
  blocks: readonly Block[],
) {
  const own = blocks.filter(({ tags, head }) => tags.has(tag) && /^[✓✗→]/u.test(head));
  const decided = own.filter(({ head }) => DECIDED.test(head));
  const named = own.filter(({ head }) => /^[✓✗]/u.test(head) && !DECIDED.test(head));
  const results = named.length + own.flatMap(({ below }) => below.filter(isNameless)).length;
  const ran = decisions === 0 || isApproved;
  const isTold = isSettled && isOutput && !UNTOLD.has(name) && ran;
  const changes = own.flatMap(({ below }) => below.filter((row) => CHANGED.test(row)));
  const changesFile = name === 'edit_file' || name === 'write_file';
  return [
    ...(decided.length === decisions ? [] : [`${tag}: ${decisions} decisions, told ${decided.length} times`]),
    ...(results > 1 || (isTold && results === 0) ? [`${tag}: its result is told ${results} times`] : []),
    ...(!ran && results > 0 ? [`${tag}: a result is told, and it did not run`] : []),
    ...(own.length === 0 && !UNTOLD.has(name) ? [`${tag}: nothing tells of it`] : []),
    ...(changesFile && isOutput && isApproved && changes.length === 0
      ? [`${tag}: its change is not told`]
      : []),
  ];
}

/** Rows that stand below another call, or below none. */
function faultsOfBlock({ head, tags, below }: Block, calls: ReadonlyMap<string, Call>): readonly string[] {
  const isOfCall = /^[✓✗→]/u.test(head) && tags.size > 0;
  const strange = below.filter((row) => [...tagsIn(row)].some((tag) => !tags.has(tag)));
  const results = below.filter(isNameless);
  const settled = [...calls.values()].filter(({ tag, isSettled }) => tags.has(tag) && isSettled);
  return [
    ...strange.map((row) => `below “${head}”: ${row}`),
    ...(results.length > 0 && !isOfCall
      ? [`a result below no call: ${results.join(' / ')}, below “${head}”`]
      : []),
    ...(results.length > settled.length ? [`${results.length} results below “${head}”`] : []),
  ];
}

/** What was said, as it stands there: the texts are shorter than a row. */
function textsIn(journal: readonly SessionEvent[]): readonly string[] {
  return journal.flatMap((event) => {
    if (event.type !== 'message-added') return [];
    const { role, content } = event.message;
    const text = content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('');
    if (text === '') return [];
    return role === 'user' ? [`> ${text}`] : [`  ${text}`];
  });
}

function doubled(rows: readonly string[]): readonly string[] {
  return rows.filter((row, at) => rows.indexOf(row) !== at).map((row) => `stands there twice: ${row}`);
}

/** Decisions that stand in another order than they were made. */
function outOfOrder(
  blocks: readonly Block[],
  journal: readonly SessionEvent[],
  calls: ReadonlyMap<string, Call>,
): readonly string[] {
  const refs = new Map(
    journal.flatMap((event) =>
      event.type === 'interrupt-raised' && event.interrupt.source.type === 'tool'
        ? [[event.interrupt.id, event.interrupt.source.ref] as const]
        : [],
    ),
  );
  const made = journal.flatMap((event) => {
    const call = event.type === 'interrupt-resolved' ? calls.get(refs.get(event.id) ?? '') : undefined;
    return call === undefined ? [] : [call.tag];
  });
  const told = blocks.filter(({ head }) => DECIDED.test(head)).flatMap(({ tags }) => [...tags].slice(0, 1));
  const at = told.findIndex((tag, index) => tag !== made[index]);
  return at === -1
    ? []
    : [`decision ${at + 1} is told of ${told[at] ?? ''}, and was made on ${made[at] ?? 'none'}`];
}
