import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import type { JsonObject, Shown } from '../src/core/index.js';
import { escapeText, HitlError, joined, jsonEquals, messageOf, shown, spaces } from '../src/core/index.js';
import { formatAge } from '../src/render/index.js';
import type { AgentName } from './asking/agents.js';
import { AGENTS } from './asking/agents.js';
import { modeOf } from './flags/mode.js';
import type { CommonFlags } from './flags/options.js';
import { lastHeard, TRUST_IN_CODEX } from './hook/heard.js';
import { hookCommandOf, hookFile, installedFor, readHooks, withHook, withoutHook } from './hook/hook-file.js';
import type { Io } from './host/index.js';
import { printJson, replaceFile, tell } from './host/index.js';
import { confirmHere } from './screen/confirm-here.js';

interface ChangeFlags extends CommonFlags {
  readonly project?: boolean;
  readonly yes?: boolean;
}

interface InstallFlags extends ChangeFlags {
  readonly for?: string;
  readonly onError?: 'ask' | 'deny';
}

/** Tools of the agents that change or send something. */
const TOOLS = 'Bash,Edit,MultiEdit,Write,NotebookEdit,WebFetch,apply_patch,mcp__*';

/** `hitl hook install`: shows the change, then writes the hook to the agent's configuration. */
export async function installHook(io: Io, agent: AgentName, flags: InstallFlags): Promise<number> {
  const matcher = (flags.for ?? TOOLS)
    .split(',')
    .map((one) => one.trim().replaceAll('*', '.*'))
    .join('|');
  const command = hookCommandOf(agent, flags.onError);
  const hint =
    agent === 'codex'
      ? shown`hint: Codex skips untrusted hooks: start codex, run /hooks and trust this one`
      : shown`hint: takes effect when Claude Code next starts; check with: hitl hook status`;
  return changed(io, agent, flags, { of: (before) => withHook(before, agent, matcher, command), hint });
}

/** `hitl hook uninstall`: removes only what `install` wrote. */
export async function uninstallHook(io: Io, agent: AgentName, flags: ChangeFlags): Promise<number> {
  const of = (before: JsonObject): JsonObject => withoutHook(before, agent);
  return changed(io, agent, flags, { of, hint: shown`hint: hitl hook status` });
}

async function changed(
  io: Io,
  agent: AgentName,
  flags: ChangeFlags,
  { of, hint }: { readonly of: (before: JsonObject) => JsonObject; readonly hint: Shown },
): Promise<number> {
  const path = hookFile(io, agent, flags.project === true);
  const { text, document } = readHooks(path);
  const after = of(document);
  if (jsonEquals(document, after)) {
    tell(io.stderr, shown`${escapeText(path)} is already so`);
    return 0;
  }
  const hooks = JSON.stringify({ hooks: after['hooks'] ?? {} }, undefined, 2);
  tell(io.stderr, shown`${escapeText(path)} will have:\n${indented(hooks)}`);
  if (!(await isAgreed(io, flags))) {
    tell(io.stderr, shown`not changed`);
    return 0;
  }
  try {
    mkdirSync(dirname(path), { recursive: true });
    if (text !== undefined) await replaceFile(`${path}.before-hitl`, text);
    await replaceFile(path, `${JSON.stringify(after, undefined, 2)}\n`);
  } catch (cause) {
    throw new HitlError('SAVE_FAILED', `cannot write \`${path}\`: ${messageOf(cause)}`, { cause });
  }
  const copy = text === undefined ? shown`` : shown` (before: ${escapeText(path)}.before-hitl)`;
  tell(io.stderr, shown`changed: ${escapeText(path)}${copy}\n${hint}`);
  return 0;
}

/** Escapes lines of JSON for display, keeping their indentation. */
function indented(json: string): Shown {
  const lines = json.split('\n').map((line) => {
    const text = line.trimStart();
    return shown`${spaces(line.length - text.length)}${escapeText(text)}`;
  });
  return joined(lines);
}

async function isAgreed(io: Io, flags: ChangeFlags): Promise<boolean> {
  if (flags.yes === true) return true;
  if (!modeOf(io, flags).interactive)
    throw new HitlError('USAGE', 'cannot ask for confirmation without a terminal', {
      hint: 'add --yes to change the file',
    });
  return confirmHere(io, flags, { message: 'Change the file?', yes: 'change it', no: 'leave it' });
}

/**
 * `hitl hook status`: shows where hooks are installed, for which tools, and when each agent last started one.
 */
export async function hookStatus(io: Io, flags: CommonFlags): Promise<number> {
  const rows = AGENTS.flatMap((agent) =>
    [false, true].map((isProject) => {
      const file = hookFile(io, agent, isProject);
      return {
        agent,
        file,
        tools: installedFor(readHooks(file).document, agent),
        heard: lastHeard(io, agent),
      };
    }),
  );
  if (flags.json === true) printJson(io, rows);
  else
    for (const { agent, file, tools, heard } of rows) {
      if (tools.length === 0) {
        tell(io.stdout, shown`${escapeText(agent)}: not installed in ${escapeText(file)}`);
        continue;
      }
      const when =
        heard === undefined ? shown`never heard yet` : shown`last heard ${formatAge(heard, io.clock.now())}`;
      tell(
        io.stdout,
        shown`${escapeText(agent)}: ${escapeText(tools.join(', '))} (${escapeText(file)}), ${when}`,
      );
      if (heard === undefined && agent === 'codex')
        tell(io.stderr, shown`hint: ${escapeText(TRUST_IN_CODEX)}`);
    }
  return 0;
}
