import type { Actor, JsonValue, Resolution, Shown } from '../src/core/index.js';
import {
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

/** `hitl why`: who decided what, when, on which input, and what ran because of it. */
export async function why(
  io: Io,
  given: readonly unknown[],
  flags: CommonFlags & { readonly last?: boolean },
): Promise<number> {
  const store = await openStore(io, flags);
  const { id, rest } = await namedSession(store, 'why', given, flags);
  const [wanted] = atMost(rest, 1);
  await using session = await store.open(id, 'read');
  for (const notice of session.notices) tell(io.stderr, escapeText(notice));
  const all = decisionsOf(await eventsOf(session));
  const open = new Set(openInterrupts(session.state).map((one) => keyOf(one.id, one.path)));
  const chosen = wanted === undefined ? all : about(all, wanted);
  if (flags.json === true) {
    printJson(io, chosen);
    return 0;
  }
  const text =
    chosen.length === 0
      ? shown`nobody was asked anything\n`
      : joined(chosen.map((one) => textOf(one, open.has(keyOf(one.interrupt, one.path)))));
  io.stdout.write(rowsWithin(text, stdoutTable(io, flags.color).columns));
  if (flags.quiet !== true) for (const line of await unservedLines(store, id)) tell(io.stderr, line);
  return 0;
}

/** Names a question: two nodes of a workflow may each have an `i1`. */
function keyOf(interrupt: string, path = ''): string {
  return `${path} ${interrupt}`;
}

/** By the id of an interrupt, the ref of a call, the name of a tool, a node of a workflow, or an operation of its code. */
function about(all: readonly Decision[], wanted: string): readonly Decision[] {
  const found = all.filter(({ interrupt, ref, tool, node, path, operation }) =>
    [interrupt, ref, tool, node, path, operation, operation && nameOfKey(operation)].includes(wanted),
  );
  if (found.length > 0) return found;
  const known = all.map(({ interrupt }) => interrupt).join(', ');
  throw new HitlError('INTERRUPT_NOT_FOUND', `nothing was asked about \`${wanted}\``, {
    hint:
      known === ''
        ? 'nobody was asked anything in this session; what ran: hitl show <id> --effects'
        : `asked were: ${known}; what ran without asking: hitl show <id> --effects`,
  });
}

function textOf(decision: Decision, isOpen: boolean): Shown {
  const { interrupt, kind, tool, ref, path, seq, askedAt, askedBy, digest, ran } = decision;
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
      : ['asks', shown`${escapeText(askedOf)}, in the place of ${escapeText(insteadOf)}`],
    title === undefined ? undefined : ['title', escapeText(title)],
    asked === undefined ? undefined : ['input', shownJson(asked)],
    payload === true ? undefined : ['shown', shownJson(readable(decision))],
    ...(decision.changed ?? []).map((line): Row => ['changed', escapeText(line)]),
    ['hash', escapeText(digest)],
    decision.approvers === undefined ? undefined : ['people', escapeText(peopleWords(decision.approvers))],
    ...(decision.cast ?? []).map(({ by, resolution, castAt, seq: at, ...cast }): Row => [
      'vote',
      shown`${resolutionText(resolution)}, by ${escapeText(provenance(by))}, ${escapeText(castAt)}, ${recordText(at, cast)}`,
    ]),
    ['decided', decidedText(decision, isOpen)],
    untilRow(decision),
    becauseRow(decision.decided?.by),
    ...(decision.standing ?? []).map((standing): Row => [
      standing.type,
      shown`${standingText(standing)}, ${escapeText(standing.at)}, record ${standing.seq}`,
    ]),
    ...ran.map(({ seq: at, attempt, input, outcome, output }): Row => [
      'ran',
      shown`attempt ${attempt}, record ${at}, ${shownJson(input)} → ${escapeText(outcome)}${output === undefined ? shown`` : shown` ${shownJson(output)}`}`,
    ]),
  ];
  const lines = rows
    .filter((row) => row !== undefined)
    .map(([label, text]) => shown`  ${escapeText(label.padEnd(7))} ${text}\n`);
  return shown`${escapeText(interrupt)}  ${escapeText(kind)}${subject}${where}\n${joined(lines, '')}`;
}

/** Names who asked: the operation of a node's code, or the node. */
function askerText({ node, operation }: Decision): Shown {
  if (node === undefined) return shown``;
  if (operation === undefined) return shown` of ${escapeText(node)}`;
  return shown` of ${escapeText(operation)} (${escapeText(node)})`;
}

function readable({ kind, node, operation, shown: { payload } }: Decision): JsonValue {
  const type = node === undefined ? 'run' : 'node';
  return shownPayload({ kind, payload, source: { type, ...(operation !== undefined && { operation }) } });
}

function decidedText({ decided, escalated }: Decision, isOpen: boolean): Shown {
  if (escalated !== undefined) {
    const { to, interrupt, at, seq } = escalated;
    return shown`by nobody in time: ${escapeText(to)} was asked (${escapeText(interrupt)}), ${escapeText(at)}, record ${seq}`;
  }
  if (decided === undefined)
    return isOpen ? shown`not yet` : shown`never: the session went back, and the question is gone`;
  const { resolution, by, at, seq, proposal } = decided;
  const what = proposal === true ? shown`proposed, for others to approve: ` : shown``;
  return shown`${what}${resolutionText(resolution)}, by ${escapeText(provenance(by))}, ${escapeText(at)}, ${recordText(seq, decided)}`;
}

/** The record of a word; of one that was not signed here, who said it is what a file says. */
function recordText(seq: number, { foreign }: { readonly foreign?: true }): Shown {
  return foreign === true ? shown`record ${seq}, not written with your key` : shown`record ${seq}`;
}

/** For how long a yes counts. */
function untilRow({ decided, approvalLastsMs: ms }: Decision): Row | undefined {
  const lasts = ms === undefined ? undefined : `approval lasts ${durationText(ms)}`;
  if (decided === undefined) return lasts === undefined ? undefined : ['until', escapeText(lasts)];
  const { validUntil } = decided;
  if (validUntil === undefined) return undefined;
  return ['until', escapeText(lasts === undefined ? validUntil : `${validUntil} (${lasts})`)];
}

/** The rule that decided, what it is about, and where it stands. */
function becauseRow(by: Actor | undefined): Row | undefined {
  if (by?.type !== 'rule' || by.says === undefined || by.from === undefined) return undefined;
  return ['because', escapeText(`the rule \`${by.rule}\` (${by.from}) ${by.says}`)];
}

const ASKED_BY = {
  tool: shown`, by the tool itself`,
  approval: shown`, by the gate in front of the tool`,
  engine: shown`, by the program`,
} as const;

type Row = readonly [label: string, text: Shown];

/** The answer as it would be typed, with what was given for it. */
function resolutionText(resolution: Resolution): Shown {
  const { action, ...rest } = resolution;
  const given = Object.keys(rest).length === 0 ? shown`` : shown` ${shownJson(rest)}`;
  return shown`${escapeText(action)}${given}`;
}
