import type { CommandUnknownOpts } from '@commander-js/extra-typings';
import { HitlError, plainLine, shown, laidOut, escapeText, toolSetOf } from '../../src/core/index.js';
import { loadConfig } from '../config/config-file.js';
import { HELP_TOPICS } from '../help/help-topics.js';
import type { Io } from '../host/index.js';
import { openStore } from '../store/store.js';
import type { CompletionWord } from './completion.js';
import { completionOf } from './completion.js';
import { FILES, SHELL_SCRIPTS } from './shells.js';
import { KNOWN_MODELS } from '../../src/models/index.js';
import { builtinTools, requestGrant } from '../../src/tools/index.js';

const MOST_SESSIONS = 50;
/** Placeholders that stand for a file or folder. */
const FILE_NAMES: ReadonlySet<string> = new Set(['file', 'flow', 'module', 'dir', 'text|@file']);

/** `hitl completion <shell>`: prints the script for a shell to load. */
export function completion(io: Io, shell: string, _flags: object): Promise<number> {
  const script = Object.hasOwn(SHELL_SCRIPTS, shell) ? SHELL_SCRIPTS[shell] : undefined;
  if (script === undefined) {
    throw new HitlError('USAGE', `no completion for \`${shell}\``, {
      hint: `the shells are: ${Object.keys(SHELL_SCRIPTS).join(', ')}`,
    });
  }
  io.stdout.write(laidOut(script));
  return Promise.resolve(0);
}

/**
 * `hitl __complete`: prints completions, each on its own line with a tab before the description, or prints
 * `:files`.
 */
export async function complete(
  io: Io,
  given: readonly string[],
  program: CommandUnknownOpts,
): Promise<number> {
  const { words, kept } = wholeWords(given);
  const current = words.at(-1) ?? '';
  const found = words[0] === 'help' ? helpWords(program) : completionOf(program, words);
  if (found.type === 'value' && FILE_NAMES.has(found.of)) {
    io.stdout.write(laidOut(`${FILES}\n`));
    return 0;
  }
  const offered = found.type === 'words' ? found.words : await valuesOf(io, found.of);
  for (const { word, text } of offered)
    if (word.startsWith(current)) io.stdout.write(shown`${escapeText(word.slice(kept))}\t${laidOut(text)}\n`);
  return 0;
}

/**
 * Rejoins words that Bash splits at `:`. `kept` is the length of the part that Bash does not replace, which
 * ends at the last `:`.
 */
function wholeWords(given: readonly string[]): { readonly words: readonly string[]; readonly kept: number } {
  const words: string[] = [];
  let isOpen = false;
  for (const word of given) {
    const last = words.at(-1);
    if (last !== undefined && (word === ':' || isOpen)) words.splice(-1, 1, last + word);
    else words.push(word);
    isOpen = word === ':';
  }
  const isBroken = given.at(-1) === ':' || given.at(-2) === ':';
  return { words, kept: isBroken ? (words.at(-1) ?? '').lastIndexOf(':') + 1 : 0 };
}

function helpWords(program: CommandUnknownOpts): {
  readonly type: 'words';
  readonly words: readonly CompletionWord[];
} {
  const topics = Object.entries(HELP_TOPICS).map(([word, { what }]) => ({ word, text: what }));
  const commands = completionOf(program, ['']);
  return { type: 'words', words: [...(commands.type === 'words' ? commands.words : []), ...topics] };
}

/**
 * Returns the values of a placeholder. Returns an empty list if finding them would require running something.
 */
async function valuesOf(io: Io, placeholder: string): Promise<readonly CompletionWord[]> {
  switch (placeholder) {
    case 'id':
      return sessions(io);
    case 'shell':
      return Object.keys(SHELL_SCRIPTS).map((word) => ({ word, text: '' }));
    case 'effect':
      return ['allow', 'ask', 'deny', 'review'].map((word) => ({ word, text: '' }));
    case 'spec':
    case 'model':
      return models(io);
    case 'tool':
    case 'rule':
    case 'name':
      return tools(io);
    default:
      return [];
  }
}

async function sessions(io: Io): Promise<readonly CompletionWord[]> {
  const found: CompletionWord[] = [];
  for await (const { id, title } of openStore(io, {}).list({ limit: MOST_SESSIONS }))
    found.push({ word: id, text: plainLine(title, 40) });
  return found;
}

/** Returns model kinds, the user's model aliases, and models with known prices. */
function models(io: Io): readonly CompletionWord[] {
  const { config } = loadConfig(io);
  const kinds: readonly CompletionWord[] = [
    { word: 'demo', text: 'the built-in demo model' },
    { word: 'anthropic:', text: 'a model on the Anthropic Messages API' },
    { word: 'ai-sdk:', text: 'a model from an AI SDK provider package' },
    { word: 'script:', text: 'replies from a file' },
    { word: 'replay:', text: 'replies from a recorded session' },
  ];
  return [
    ...Object.entries(config.models ?? {}).map(([word, text]) => ({ word, text })),
    ...kinds,
    ...KNOWN_MODELS.flatMap((name) => [
      { word: name, text: 'a model of Anthropic' },
      { word: `anthropic:${name}`, text: 'a model of Anthropic' },
    ]),
  ];
}

/** Returns the built-in tools. Modules are not loaded for completion. */
function tools(io: Io): readonly CompletionWord[] {
  const { cwd, env, home, clock } = io;
  const grant = requestGrant({ tools: () => toolSetOf([]), rules: () => [], clock });
  return [...builtinTools({ cwd, env, home, clock }), grant].map(({ name, description }) => ({
    word: name,
    text: plainLine(description, 40),
  }));
}
