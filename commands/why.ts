import type { Actor, JsonValue, Resolution } from '../src/core/index.js';
import { escapeText, HitlError, pathText, safeJson } from '../src/core/index.js';
import { eventsOf } from '../src/repl/index.js';
import { rowsWithin } from '../src/render/index.js';
import { printJson, provenance, tell } from './host/index.js';
import { stdoutTable } from './screen/index.js';
import type { Decision } from './report/index.js';
import { decisionsOf } from './report/index.js';
import { openStore } from './store/index.js';
import type { Io } from './host/index.js';
import type { CommonFlags } from './flags/index.js';

/** `hitl why`: who decided what, when, on which input, and what ran because of it. */
export async function why(io: Io, [given, wanted]: readonly unknown[], flags: CommonFlags): Promise<number> {
  const store = openStore(io, flags);
  await using session = await store.open(await store.resolve(String(given)), 'read');
  for (const notice of session.notices) tell(io.stderr, notice);
  const all = decisionsOf(await eventsOf(session));
  const chosen = typeof wanted === 'string' ? about(all, wanted) : all;
  if (flags.json === true) {
    printJson(io, chosen);
    return 0;
  }
  const text = chosen.length === 0 ? 'nobody was asked anything\n' : chosen.map(textOf).join('\n');
  io.stdout.write(rowsWithin(text, stdoutTable(io, flags.color).columns));
  return 0;
}

/** By the id of an interrupt, the ref of a call, the name of a tool, or a node of a workflow. */
function about(all: readonly Decision[], wanted: string): readonly Decision[] {
  const found = all.filter(({ interrupt, ref, tool, node, path }) =>
    [interrupt, ref, tool, node, path].includes(wanted),
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

function textOf(decision: Decision): string {
  const { interrupt, kind, tool, ref, node, path, seq, askedAt, askedBy, shown, digest, ran } = decision;
  const { askedOf, insteadOf = '' } = decision;
  const asks = node === undefined ? '' : ` of ${escapeText(node)}`;
  const subject = tool === undefined ? asks : ` of ${escapeText(tool)} (${escapeText(ref ?? '')})`;
  const where = path === undefined ? '' : ` in ${escapeText(pathText(path))}`;
  const rows: readonly (readonly [string, string] | undefined)[] = [
    ['asked', `${askedAt}, record ${seq}${askedBy === undefined ? '' : `, by the ${ASKED_BY[askedBy]}`}`],
    askedOf === undefined
      ? undefined
      : ['asks', `${escapeText(askedOf)}, in the place of ${escapeText(insteadOf)}`],
    shown.title === undefined ? undefined : ['title', escapeText(shown.title)],
    shown.input === undefined ? undefined : ['input', json(shown.input)],
    shown.payload === true ? undefined : ['shown', json(shown.payload)],
    ['hash', digest],
    ['decided', decidedText(decision)],
    becauseRow(decision.decided?.by),
    ...ran.map(({ seq: at, attempt, input, outcome, output }): readonly [string, string] => [
      'ran',
      `attempt ${attempt}, record ${at}, ${json(input)} → ${outcome}${output === undefined ? '' : ` ${json(output)}`}`,
    ]),
  ];
  const lines = rows
    .filter((row) => row !== undefined)
    .map(([label, text]) => `  ${label.padEnd(7)} ${text}\n`);
  return `${interrupt}  ${kind}${subject}${where}\n${lines.join('')}`;
}

function decidedText({ decided, escalated }: Decision): string {
  if (escalated !== undefined) {
    const { to, interrupt, at, seq } = escalated;
    return `by nobody in time: ${escapeText(to)} was asked (${escapeText(interrupt)}), ${at}, record ${seq}`;
  }
  if (decided === undefined) return 'not yet';
  const { resolution, by, at, seq } = decided;
  return `${resolutionText(resolution)}, by ${escapeText(provenance(by))}, ${at}, record ${seq}`;
}

/** The rule that decided, what it is about, and where it stands. */
function becauseRow(by: Actor | undefined): readonly [string, string] | undefined {
  if (by?.type !== 'rule' || by.says === undefined || by.from === undefined) return undefined;
  return ['because', escapeText(`the rule \`${by.rule}\` (${by.from}) ${by.says}`)];
}

const ASKED_BY = { tool: 'tool itself', approval: 'gate in front of the tool', engine: 'program' } as const;

/** The answer as it would be typed, with what was given for it. */
function resolutionText(resolution: Resolution): string {
  const { action, ...rest } = resolution;
  const given = Object.keys(rest).length === 0 ? '' : ` ${escapeText(safeJson(rest))}`;
  return `${action}${given}`;
}

function json(value: JsonValue): string {
  return escapeText(JSON.stringify(value));
}
