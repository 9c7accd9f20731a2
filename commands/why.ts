import type { Actor, Interrupt, JsonValue, Resolution, Shown, StoredEvent } from '../src/core/index.js';
import {
  doneOf,
  durationText,
  escapeText,
  HitlError,
  joined,
  nameOfKey,
  openInterrupts,
  pathText,
  peopleWords,
  shown,
  shownJson,
  shownPayload,
} from '../src/core/index.js';
import { eventsOf } from '../src/repl/index.js';
import { rowsWithin } from '../src/render/index.js';
import { printJson, provenance, tell } from './host/index.js';
import { stdoutTable } from './screen/theme.js';
import type { Decision } from './report/decisions.js';
import { decisionsOf } from './report/decisions.js';
import { standingText } from './report/standing.js';
import { unservedLines } from './report/unserved-lines.js';
import { atMost, namedSession } from './store/which-session.js';
import { openStore } from './store/store.js';
import type { Io } from './host/index.js';
import type { CommonFlags } from './flags/options.js';

/** `hitl why`: explains who decided what, when, on which input, and what ran. */
export async function why(
  io: Io,
  given: readonly unknown[],
  flags: CommonFlags & { readonly last?: boolean },
): Promise<number> {
  const store = openStore(io, flags);
  const { id, rest } = await namedSession(store, 'why', given, flags);
  const [wanted] = atMost(rest, 1);
  await using session = await store.open(id, 'read');
  for (const notice of session.notices) tell(io.stderr, escapeText(notice));
  const events = await eventsOf(session);
  const all = decisionsOf(events);
  const asked = interruptsOf(events);
  const open = new Set(openInterrupts(session.state).map((one) => keyOf(one.id, one.path)));
  const chosen = wanted === undefined ? all : about(all, wanted);
  if (flags.json === true) {
    printJson(io, chosen);
    return 0;
  }
  const text =
    chosen.length === 0
      ? shown`No questions were asked.\n`
      : joined(
          chosen.map((one) => textOf(one, asked.get(one.seq), open.has(keyOf(one.interrupt, one.path)))),
        );
  io.stdout.write(rowsWithin(text, stdoutTable(io, flags.color).columns));
  if (flags.quiet !== true) for (const line of await unservedLines(store, id)) tell(io.stderr, line);
  return 0;
}

/** Names a question: two nodes of a workflow may each have an `i1`. */
function keyOf(interrupt: string, path = ''): string {
  return `${path} ${interrupt}`;
}

/**
 * Filters by an interrupt's id, a call's ref, a tool's name, a workflow node, or an operation of its code.
 */
function about(all: readonly Decision[], wanted: string): readonly Decision[] {
  const found = all.filter(({ interrupt, ref, tool, node, path, operation }) =>
    [interrupt, ref, tool, node, path, operation, operation && nameOfKey(operation)].includes(wanted),
  );
  if (found.length > 0) return found;
  const known = all.map(({ interrupt }) => interrupt).join(', ');
  throw new HitlError('INTERRUPT_NOT_FOUND', `no question found about \`${wanted}\``, {
    hint:
      known === ''
        ? 'no questions were asked; see what ran: hitl show <id> --effects'
        : `questions: ${known}; see what ran without asking: hitl show <id> --effects`,
  });
}

/** The questions, by the events in which they were asked. */
function interruptsOf(events: readonly StoredEvent[]): ReadonlyMap<number, Interrupt> {
  return new Map(
    events.flatMap(({ seq, event }) =>
      event.type === 'interrupt-raised' || event.type === 'interrupt-escalated'
        ? [[seq, event.interrupt] as const]
        : [],
    ),
  );
}

function textOf(decision: Decision, interrupt: Interrupt | undefined, isOpen: boolean): Shown {
  const { interrupt: id, kind, tool, ref, path, seq, askedAt, askedBy, digest, ran } = decision;
  const { title, input: asked, payload } = decision.shown;
  const { askedOf, insteadOf = '' } = decision;
  const subject =
    tool === undefined ? askerText(decision) : shown` of ${escapeText(tool)} (${escapeText(ref ?? '')})`;
  const where = path === undefined ? shown`` : shown` in ${escapeText(pathText(path))}`;
  const rows: readonly (Row | undefined)[] = [
    [
      'asked',
      shown`${escapeText(askedAt)}, ${recordText(seq, decision)}${askedBy === undefined ? shown`` : ASKED_BY[askedBy]}`,
    ],
    askedOf === undefined
      ? undefined
      : ['asks', shown`${escapeText(askedOf)}, instead of ${escapeText(insteadOf)}`],
    title === undefined ? undefined : ['title', escapeText(title)],
    asked === undefined ? undefined : ['input', shownJson(asked)],
    payload === true ? undefined : ['shown', shownJson(readable(decision))],
    ...(decision.changed ?? []).map((line): Row => ['changed', escapeText(line)]),
    ['hash', escapeText(digest)],
    decision.approvers === undefined ? undefined : ['people', escapeText(peopleWords(decision.approvers))],
    ...(decision.cast ?? []).map(({ by, resolution, castAt, seq: at, ...cast }): Row => [
      'vote',
      shown`${resolutionText(resolution, interrupt)} by ${escapeText(provenance(by))}, ${escapeText(castAt)}, ${recordText(at, cast)}`,
    ]),
    ['decided', decidedText(decision, interrupt, isOpen)],
    untilRow(decision),
    becauseRow(decision.decided?.by),
    ...(decision.standing ?? []).map((standing): Row => [
      standing.type,
      shown`${standingText(standing)}, ${escapeText(standing.at)}, event ${standing.seq}`,
    ]),
    ...ran.map(({ seq: at, attempt, input, outcome, output }): Row => [
      'ran',
      shown`attempt ${attempt}, event ${at}, ${shownJson(input)} → ${escapeText(outcome)}${output === undefined ? shown`` : shown` ${shownJson(output)}`}`,
    ]),
  ];
  const lines = rows
    .filter((row) => row !== undefined)
    .map(([label, text]) => shown`  ${escapeText(label.padEnd(7))} ${text}\n`);
  return shown`${escapeText(id)}  ${escapeText(kind)}${subject}${where}\n${joined(lines, '')}`;
}

/** Names the asker: an operation of a node's code, or the node. */
function askerText({ node, operation }: Decision): Shown {
  if (node === undefined) return shown``;
  if (operation === undefined) return shown` of ${escapeText(node)}`;
  return shown` of ${escapeText(operation)} (${escapeText(node)})`;
}

function readable({ kind, node, operation, shown: { payload } }: Decision): JsonValue {
  const type = node === undefined ? 'run' : 'node';
  return shownPayload({ kind, payload, source: { type, ...(operation !== undefined && { operation }) } });
}

function decidedText({ decided, escalated }: Decision, asked: Interrupt | undefined, isOpen: boolean): Shown {
  if (escalated !== undefined) {
    const { to, interrupt, at, seq } = escalated;
    return shown`expired; escalated to ${escapeText(to)} (${escapeText(interrupt)}), ${escapeText(at)}, event ${seq}`;
  }
  if (decided === undefined)
    return isOpen ? shown`pending` : shown`never (the session went back, and the question was withdrawn)`;
  const { resolution, by, at, seq, proposal } = decided;
  const whatFor = proposal === true ? shown` for others to approve` : shown``;
  return shown`${resolutionText(resolution, asked)}${whatFor} by ${escapeText(provenance(by))}, ${escapeText(at)}, ${recordText(seq, decided)}`;
}

/** Formats a vote's event; for one not signed here, notes that its author is unverified. */
function recordText(seq: number, { foreign }: { readonly foreign?: true }): Shown {
  return foreign === true ? shown`event ${seq}, not written with your key` : shown`event ${seq}`;
}

/** How long an approval is valid. */
function untilRow({ decided, approvalLastsMs: ms }: Decision): Row | undefined {
  const lasts = ms === undefined ? undefined : `approval lasts ${durationText(ms)}`;
  if (decided === undefined) return lasts === undefined ? undefined : ['until', escapeText(lasts)];
  const { validUntil } = decided;
  if (validUntil === undefined) return undefined;
  return ['until', escapeText(lasts === undefined ? validUntil : `${validUntil} (${lasts})`)];
}

/** The deciding rule, what it matches, and where it is defined. */
function becauseRow(by: Actor | undefined): Row | undefined {
  if (by?.type !== 'rule' || by.says === undefined || by.from === undefined) return undefined;
  return ['because', escapeText(`the rule \`${by.rule}\` (${by.from}) ${by.says}`)];
}

const ASKED_BY = {
  tool: shown`, by the tool`,
  approval: shown`, by the approval check`,
  engine: shown`, by hitl`,
} as const;

type Row = readonly [label: string, text: Shown];

/** Formats the answer like every screen, with its value. */
function resolutionText(resolution: Resolution, interrupt: Interrupt | undefined): Shown {
  const { action, ...rest } = resolution;
  const done = interrupt === undefined ? undefined : doneOf(interrupt, resolution);
  const words = done?.of === undefined ? done?.verb : `${done.verb} ${done.of}`;
  const given = Object.keys(rest).length === 0 ? shown`` : shown` ${shownJson(rest)}`;
  return shown`${escapeText(words ?? action)}${given}`;
}
