import type { JsonValue } from '../../src/core/index.js';
import { HitlError, membersOf } from '../../src/core/index.js';
import type { OfferedPrompt, ServerQuestion } from '../../src/tools/mcp/index.js';
import { readQuestion } from '../../src/tools/mcp/index.js';
import { commandWords } from './command-words.js';

/** Arguments for a prompt, by name. */
export type PromptArguments = Readonly<Record<string, string>>;

/** Formats a prompt as the user types it: `/shop:order <item> [size]`. */
export function promptUsage(server: string, { name, arguments: wanted }: OfferedPrompt): string {
  const words = wanted.map((one) => (one.required ? `<${one.name}>` : `[${one.name}]`));
  return [`/${server}:${name}`, ...words].join(' ');
}

/**
 * Parses the arguments for a prompt: `name=value` sets an argument by name, and other words are assigned in
 * order. If the prompt has only one argument, the whole text is its value.
 * @throws HitlError BAD_INPUT for too many words.
 */
export function readArguments({ arguments: wanted }: OfferedPrompt, text: string): PromptArguments {
  const [only] = wanted;
  if (text === '') return {};
  if (only !== undefined && wanted.length === 1 && !text.startsWith(`${only.name}=`))
    return { [only.name]: text };
  const given: Record<string, string> = {};
  const others: string[] = [];
  for (const word of commandWords(text)) {
    const named = wanted.find(({ name }) => word.startsWith(`${name}=`));
    if (named === undefined) others.push(word);
    else given[named.name] = word.slice(named.name.length + 1);
  }
  const unnamed = wanted.filter(({ name }) => !Object.hasOwn(given, name));
  for (const [index, { name }] of unnamed.entries()) {
    const next = others[index];
    if (next !== undefined) given[name] = next;
  }
  const left = others[unnamed.length];
  if (left === undefined) return given;
  throw new HitlError('BAD_INPUT', `unexpected argument \`${left}\``, {
    hint: 'quote arguments with spaces: "two words"',
  });
}

/** Lists the required arguments that are missing. */
export function missing({ arguments: wanted }: OfferedPrompt, given: PromptArguments): readonly string[] {
  return wanted
    .filter(({ name, required }) => required && !Object.hasOwn(given, name))
    .map(({ name }) => name);
}

/**
 * Returns a form that asks for missing arguments, or `undefined` if none is missing.
 * @throws HitlError TOOL_FAILED if the prompt asks for a secret.
 */
export function formOf(
  server: string,
  { about, arguments: wanted }: OfferedPrompt,
  given: PromptArguments,
): ServerQuestion | undefined {
  const left = wanted.filter(({ name }) => !Object.hasOwn(given, name));
  if (left.length === 0) return undefined;
  const properties = Object.fromEntries(
    left.map((one) => [
      one.name,
      { type: 'string' as const, ...(one.about !== '' && { description: one.about }) },
    ]),
  );
  const required = left.filter((one) => one.required).map(({ name }) => name);
  // What a server says of its prompt, which a person chose by its name, asks for nothing.
  const question = readQuestion(server, {
    message: '',
    requestedSchema: { type: 'object', properties, required },
  });
  return { ...question, payload: { message: about } };
}

/** Returns the arguments from a completed form. Empty strings are left out. */
export function answered(answer: JsonValue): PromptArguments {
  return Object.fromEntries(
    Object.entries(membersOf(answer)).flatMap(([name, value]) =>
      typeof value === 'string' && value !== '' ? [[name, value] as const] : [],
    ),
  );
}
