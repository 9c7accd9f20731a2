import type { AgentFingerprint, ServedTool, ToolRule } from '../src/core/index.js';
import { count, escapeText, sessionRuleText, shown } from '../src/core/index.js';
import { formatTable } from '../src/render/index.js';
import { effectiveFlags } from './config/effective.js';
import { rulesOf } from './config/said-rules.js';
import type { Io } from './host/index.js';
import type { PreviewFlags, SessionFlags } from './flags/options.js';
import { printJson, tell } from './host/index.js';
import { stdoutTable } from './screen/theme.js';
import { openStore } from './store/store.js';
import { rulesHere } from './agent/rules-in-force.js';

export interface RulesFlags extends SessionFlags {
  /** Id of a session, or a prefix of it. */
  readonly session?: string;
}

interface RuleRow {
  readonly rule: string;
  /** The file or session that contains the rule. */
  readonly from: string;
  /** The folder that the rule is limited to; absent if it applies everywhere. */
  readonly folder?: string;
  /** The tools that the rule allows, grouped by server; absent if the rule is not bound to tools. */
  readonly boundTo?: string;
  /** The reason that the rule cannot be read. hitl asks about every call if a rule is unreadable. */
  readonly problem?: string;
}

/** `hitl rules`: lists the active rules. Exits with status 2 if one is unreadable. */
export async function rules(io: Io, flags: RulesFlags & PreviewFlags): Promise<number> {
  const effective = await effectiveFlags(io, flags);
  const { files } = effective;
  const { problems } = rulesOf(io, files);
  const session = await ofSession(io, flags);
  const inForce = await rulesHere(io, effective, session?.agent);
  const rows: readonly RuleRow[] = [...rowsOf(inForce.all), ...(session?.rows ?? [])];
  for (const problem of problems) tell(io.stderr, shown`warning: ${problem}`);
  for (const { exists, trusted, path } of [files.project, files.local])
    if (exists && !trusted) tell(io.stderr, shown`not used (not trusted): ${escapeText(path)}`);
  if (flags.json === true) printJson(io, rows);
  else if (rows.length === 0) tell(io.stderr, shown`No rules. Add one: hitl rules add --help`);
  else
    io.stdout.write(
      formatTable(
        rows,
        [
          { title: 'RULE', text: ({ rule }) => rule, narrows: 'wrap' },
          ...(rows.some(({ boundTo }) => boundTo !== undefined) ? [BOUND_TO] : []),
          ...(rows.some(({ folder }) => folder !== undefined)
            ? [
                {
                  title: 'FOLDER',
                  text: ({ folder = '' }: RuleRow) => fromHome(io, folder),
                  narrows: 'wrap' as const,
                },
              ]
            : []),
          { title: 'FROM', text: ({ from }) => fromHome(io, from), narrows: 'wrap' },
        ],
        stdoutTable(io, flags.color),
      ),
    );
  return problems.length > 0 ? 2 : 0;
}

/** Formats a path, with `~` for the home folder. */
function fromHome({ home }: Io, from: string): string {
  return from.startsWith(`${home}/`) ? `~${from.slice(home.length)}` : from;
}

/** Returns one row per rule. A mode consists of one rule for each of its tools, but gets only one row. */
function rowsOf(all: readonly ToolRule[]): readonly RuleRow[] {
  const rows = all.map(({ text, from, folder, problem, served = [] }) => ({
    rule: text,
    from,
    ...(folder !== undefined && { folder }),
    ...(served.length > 0 && { boundTo: placesOf(served) }),
    ...(problem !== undefined && { problem }),
  }));
  return rows.filter(({ rule, from, folder }, at) => {
    const before = rows[at - 1];
    return before?.rule !== rule || before.from !== from || before.folder !== folder;
  });
}

/** Formats the tools that a rule is bound to, grouped by server: `go, ls of node ./server.mjs`. */
function placesOf(served: readonly ServedTool[]): string {
  const places = new Map<string, string[]>();
  for (const { name, reached } of served) places.set(reached, [...(places.get(reached) ?? []), name]);
  return [...places]
    .map(
      ([reached, names]) =>
        `${names.length > NAMED ? count(names.length, 'tool') : names.join(', ')} of ${reached}`,
    )
    .join('; ');
}

const BOUND_TO = {
  title: 'BOUND TO',
  text: ({ boundTo = '' }: RuleRow) => boundTo,
  narrows: 'wrap',
} as const;

/** Maximum number of tools to list by name. If there are more, only their number is shown. */
const NAMED = 3;

interface OfSession {
  readonly agent?: AgentFingerprint;
  readonly rows: readonly RuleRow[];
}

async function ofSession(io: Io, flags: RulesFlags): Promise<OfSession | undefined> {
  if (flags.session === undefined) return undefined;
  const store = openStore(io, flags);
  await using session = await store.open(await store.resolve(flags.session), 'read');
  const { rules: approved, agent } = session.state;
  const texts = new Set(approved.map(sessionRuleText));
  const rows = [...texts].map((rule) => ({ rule, from: `session ${session.id}` }));
  return { rows, ...(agent !== undefined && { agent }) };
}
