import type { AgentFingerprint, ToolRule } from '../src/core/index.js';
import { escapeText, sessionRuleText, shown } from '../src/core/index.js';
import { formatTable } from '../src/render/index.js';
import { effectiveFlags, rulesOf } from './config/index.js';
import type { Io } from './host/index.js';
import type { CommonFlags, RunFlags } from './flags/index.js';
import { printJson, tell } from './host/index.js';
import { stdoutTable } from './screen/index.js';
import { openStore } from './store/index.js';
import { rulesHere } from './agent/index.js';

export interface RulesFlags extends CommonFlags {
  /** A session, by a prefix of its id. */
  readonly session?: string;
}

interface RuleRow {
  readonly rule: string;
  /** The file, or the session. */
  readonly from: string;
  /** The reason why it cannot be read. A rule that cannot be read asks. */
  readonly problem?: string;
}

/** `hitl rules`: what is in force here; status 2 where one of them cannot be read. */
export async function rules(
  io: Io,
  _args: readonly unknown[],
  flags: RulesFlags & RunFlags,
): Promise<number> {
  const effective = await effectiveFlags(io, flags);
  const { files } = effective;
  const { problems } = rulesOf(io, files);
  const session = await ofSession(io, flags);
  const inForce = rulesHere(io, effective, session?.agent);
  const rows: readonly RuleRow[] = [...rowsOf(inForce.all), ...(session?.rows ?? [])];
  for (const problem of problems) tell(io.stderr, shown`warning: ${problem}`);
  for (const { exists, trusted, path } of [files.project, files.local])
    if (exists && !trusted) tell(io.stderr, shown`not used, because it is not trusted: ${escapeText(path)}`);
  if (flags.json === true) printJson(io, rows);
  else if (rows.length === 0) tell(io.stderr, shown`there are no rules; hitl rules add --help`);
  else
    io.stdout.write(
      formatTable(
        rows,
        [
          { title: 'RULE', text: ({ rule }) => rule, narrows: 'wrap' },
          { title: 'FROM', text: ({ from }) => fromHome(io, from), narrows: 'wrap' },
        ],
        stdoutTable(io, flags.color),
      ),
    );
  return problems.length > 0 ? 2 : 0;
}

/** A place as its owner names it. */
function fromHome({ home }: Io, from: string): string {
  return from.startsWith(`${home}/`) ? `~${from.slice(home.length)}` : from;
}

/** A mode has a rule for each tool that it is about, and is one. */
function rowsOf(all: readonly ToolRule[]): readonly RuleRow[] {
  const rows = all.map(({ text, from, problem }) => ({
    rule: text,
    from,
    ...(problem !== undefined && { problem }),
  }));
  return rows.filter(({ rule, from }, at) => rows[at - 1]?.rule !== rule || rows[at - 1]?.from !== from);
}

interface OfSession {
  readonly agent?: AgentFingerprint;
  readonly rows: readonly RuleRow[];
}

async function ofSession(io: Io, flags: RulesFlags): Promise<OfSession | undefined> {
  if (flags.session === undefined) return undefined;
  const store = await openStore(io, flags);
  await using session = await store.open(await store.resolve(flags.session), 'read');
  const { rules: approved, agent } = session.state;
  const texts = new Set(approved.map(sessionRuleText));
  const rows = [...texts].map((rule) => ({ rule, from: `session ${session.id}` }));
  return { rows, ...(agent !== undefined && { agent }) };
}
