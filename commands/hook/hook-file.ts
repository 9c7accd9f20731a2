import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { JsonObject, JsonValue } from '../../src/core/index.js';
import {
  errnoOf,
  HitlError,
  isJsonArray,
  isJsonObject,
  jsonEquals,
  membersOf,
  parseStrictJson,
} from '../../src/core/index.js';
import type { AgentName } from '../asking/agents.js';
import { EVENTS } from '../asking/agents.js';
import type { Io } from '../host/index.js';
import { commandWords } from '../mcp/command-words.js';

/** The file in which an agent reads its hooks: the person's own, or that of the folder. */
export function hookFile(
  { env, home, cwd }: Pick<Io, 'env' | 'home' | 'cwd'>,
  agent: AgentName,
  isProject: boolean,
): string {
  const { folder, variable, file } = PLACES[agent];
  const own = env[variable] ?? '';
  return join(isProject ? join(cwd, folder) : own === '' ? join(home, folder) : own, file);
}

const PLACES = {
  'claude-code': { folder: '.claude', variable: 'CLAUDE_CONFIG_DIR', file: 'settings.json' },
  codex: { folder: '.codex', variable: 'CODEX_HOME', file: 'hooks.json' },
} as const;

/** Reads the file; `{}` if there is none. @throws HitlError BAD_CONFIG if it is no JSON object. */
export function readHooks(path: string): { readonly text?: string; readonly document: JsonObject } {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (cause) {
    if (errnoOf(cause) === 'ENOENT') return { document: {} };
    throw new HitlError('BAD_CONFIG', `cannot read \`${path}\``, { cause });
  }
  const json = parseStrictJson(text.trim() === '' ? '{}' : text);
  if (json.ok && isJsonObject(json.value) && isJsonObject(json.value['hooks'] ?? {}))
    return { text, document: json.value };
  throw new HitlError('BAD_CONFIG', `\`${path}\` is not a JSON object with \`hooks\``, {
    hint: 'fix it first; nothing was changed',
  });
}

/** Seconds that the agent gives the hook: a little more than it waits. */
const TIMEOUT_S = 60;

/** The command of a hook of ours. */
export function hookCommandOf(agent: AgentName, onError: string | undefined): string {
  return `hitl hook ${agent}${onError === 'deny' ? ' --on-error deny' : ''}`;
}

/** Adds the hook for these tools, in place of an earlier one of ours. */
export function withHook(document: JsonObject, agent: AgentName, tools: string, command: string): JsonObject {
  const { hooks = {}, ...rest } = withoutHook(document, agent);
  const added = EVENTS.map((event): [string, JsonValue] => [
    event,
    [
      ...listOf(membersOf(hooks)[event]),
      { matcher: tools, hooks: [{ type: 'command', command, timeout: TIMEOUT_S }] },
    ],
  ]);
  return { ...rest, hooks: { ...membersOf(hooks), ...Object.fromEntries(added) } };
}

/** Takes out the hooks of ours, and what is empty without them. */
export function withoutHook(document: JsonObject, agent: AgentName): JsonObject {
  const { hooks, ...rest } = document;
  if (hooks === undefined) return document;
  const left = Object.entries(membersOf(hooks)).flatMap(([event, groups]): [string, JsonValue][] => {
    if (!isJsonArray(groups)) return [[event, groups]];
    const kept = groups.flatMap((group) => {
      if (!isJsonObject(group) || group['hooks'] === undefined) return [group];
      const others = listOf(group['hooks']).filter((one) => !isOurs(one, agent));
      if (others.length === listOf(group['hooks']).length) return [group];
      return others.length === 0 ? [] : [{ ...group, hooks: others }];
    });
    return kept.length === 0 && groups.length > 0 ? [] : [[event, kept]];
  });
  return left.length === 0 ? rest : { ...rest, hooks: Object.fromEntries(left) };
}

/** Every hook of a document, with the matcher of its group. */
function hooksIn({ hooks }: JsonObject): readonly { readonly tools: string; readonly hook: JsonValue }[] {
  return Object.values(membersOf(hooks))
    .flatMap(listOf)
    .flatMap((group) => {
      const { matcher: tools = '*', hooks: own } = membersOf(group);
      return typeof tools === 'string' ? listOf(own).map((hook) => ({ tools, hook })) : [];
    });
}

/** The tools that hooks of ours are installed for, by their matchers. */
export function installedFor(document: JsonObject, agent: AgentName): readonly string[] {
  const ours = hooksIn(document).filter(({ hook }) => isOurs(hook, agent));
  return [...new Set(ours.map(({ tools }) => tools))];
}

/** A hook that starts hitl for an agent. */
interface StartedHook {
  /** The tools that it is started for, by its matcher. */
  readonly tools: string;
  /** The program, after a Node that starts it. */
  readonly program: readonly string[];
}

/** The hooks that start hitl for an agent, also those that a person wrote with a path of the program. */
export function startedHooks(document: JsonObject, agent: AgentName): readonly StartedHook[] {
  const found = hooksIn(document).flatMap(({ tools, hook }): StartedHook[] => {
    const program = programOf(hook, agent);
    return program === undefined ? [] : [{ tools, program }];
  });
  return found.filter(
    (one, index) => found.findIndex((other) => jsonEquals({ ...one }, { ...other })) === index,
  );
}

/** The words before `hook <agent>`, where they end with a hitl. */
function programOf(hook: JsonValue, agent: AgentName): readonly string[] | undefined {
  const { command } = membersOf(hook);
  if (typeof command !== 'string') return undefined;
  let words: readonly string[];
  try {
    words = commandWords(command);
  } catch {
    return undefined; // no shell starts it either
  }
  const end = words.findIndex((word, index) => word === 'hook' && words[index + 1] === agent);
  const program = words.slice(0, Math.max(end, 0));
  return ['hitl', 'hitl.js'].includes(basename(program.at(-1) ?? '')) ? program : undefined;
}

function isOurs(hook: JsonValue, agent: AgentName): boolean {
  const { command } = membersOf(hook);
  return typeof command === 'string' && `${command} `.startsWith(`hitl hook ${agent} `);
}

function listOf(value: JsonValue | undefined): readonly JsonValue[] {
  return value !== undefined && isJsonArray(value) ? value : [];
}
