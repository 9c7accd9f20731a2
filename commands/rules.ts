import { escapeText, sessionRuleText } from '../src/core/index.js';
import { formatTable } from '../src/render/index.js';
import { effectiveFlags, rulesOf } from './config/index.js';
import type { Io } from './host/index.js';
import type { CommonFlags, RunFlags } from './flags/index.js';
import { printJson, tell } from './host/index.js';
import { stdoutTable } from './screen/index.js';
import { openStore } from './store/index.js';

export interface RulesFlags extends CommonFlags {
  /** A session, by a prefix of its id. */
  readonly session?: string;
}

interface RuleRow {
  readonly rule: string;
  /** The file, or the session. */
  readonly from: string;
  /** Why it cannot be read: it asks. */
  readonly problem?: string;
}

/** `hitl rules`: what is in force here; status 2 where one of them cannot be read. */
export async function rules(
  io: Io,
  _args: readonly unknown[],
  flags: RulesFlags & RunFlags,
): Promise<number> {
  const { files } = await effectiveFlags(io, flags);
  const { rules: configured, problems } = rulesOf(io, files);
  const rows: readonly RuleRow[] = [
    ...configured.map(({ text, from, problem }) => ({
      rule: text,
      from,
      ...(problem !== undefined && { problem }),
    })),
    ...(await ofSession(io, flags)),
  ];
  for (const problem of problems) tell(io.stderr, `warning: ${problem}`);
  for (const { exists, trusted, path } of [files.project, files.local])
    if (exists && !trusted) tell(io.stderr, `not used, because it is not trusted: ${escapeText(path)}`);
  if (flags.json === true) printJson(io, rows);
  else if (rows.length === 0) tell(io.stderr, 'there are no rules; hitl rules add --help');
  else
    io.stdout.write(
      formatTable(
        rows,
        [
          { title: 'RULE', text: ({ rule }) => rule },
          { title: 'FROM', text: ({ from }) => from },
        ],
        stdoutTable(io, flags.color),
      ),
    );
  return problems.length > 0 ? 2 : 0;
}

async function ofSession(io: Io, flags: RulesFlags): Promise<readonly RuleRow[]> {
  if (flags.session === undefined) return [];
  const store = openStore(io, flags);
  await using session = await store.open(await store.resolve(flags.session), 'read');
  const texts = new Set(session.state.rules.map(sessionRuleText));
  return [...texts].map((rule) => ({ rule, from: `session ${session.id}` }));
}
