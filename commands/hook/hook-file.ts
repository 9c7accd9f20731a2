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

/**
 * Returns the path of the file that contains an agent's hooks, either the user's own or the one in the
 * folder.
 */
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

/**
 * Reads a hooks file. The document is `{}` if the file does not exist. @throws HitlError BAD_CONFIG if it is
 * not a JSON object.
 */
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
  throw new HitlError('BAD_CONFIG', `\`${path}\` is not a JSON object with valid \`hooks\``, {
    hint: 'fix it first; nothing was changed',
  });
}

/**
 * The agent's time limit for the hook, in seconds. It is slightly longer than the time that the hook waits
 * for an answer.
 */
const TIMEOUT_S = 60;

/** Returns the command that runs hitl's hook. */
export function hookCommandOf(agent: AgentName, onError: string | undefined): string {
  return `hitl hook ${agent}${onError === 'deny' ? ' --on-error deny' : ''}`;
}

/** Adds hitl's hook for these tools, replacing any earlier one. */
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

/** Removes hitl's hooks, along with any object or list that becomes empty. */
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

/** Returns all hooks in a document, each with the matcher of its group. */
function hooksIn({ hooks }: JsonObject): readonly { readonly tools: string; readonly hook: JsonValue }[] {
  return Object.values(membersOf(hooks))
    .flatMap(listOf)
    .flatMap((group) => {
      const { matcher: tools = '*', hooks: own } = membersOf(group);
      return typeof tools === 'string' ? listOf(own).map((hook) => ({ tools, hook })) : [];
    });
}

/** Returns the matchers of the tools that hitl's hooks are installed for. */
export function installedFor(document: JsonObject, agent: AgentName): readonly string[] {
  const ours = hooksIn(document).filter(({ hook }) => isOurs(hook, agent));
  return [...new Set(ours.map(({ tools }) => tools))];
}

/** A configured hook that runs hitl for an agent. */
interface StartedHook {
  /** Matcher for the tools that trigger the hook. */
  readonly tools: string;
  /** The words of the command that start hitl, including Node if it is specified. */
  readonly program: readonly string[];
}

/**
 * Returns the hooks that run hitl for an agent. Includes hooks that the user wrote with a path to the
 * program.
 */
export function startedHooks(document: JsonObject, agent: AgentName): readonly StartedHook[] {
  const found = hooksIn(document).flatMap(({ tools, hook }): StartedHook[] => {
    const program = programOf(hook, agent);
    return program === undefined ? [] : [{ tools, program }];
  });
  return found.filter(
    (one, index) => found.findIndex((other) => jsonEquals({ ...one }, { ...other })) === index,
  );
}

/** Returns the words before `hook <agent>` in a command, if the last of them is hitl. */
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
