import type { Client, Prompt, PromptMessage, Resource } from '@modelcontextprotocol/client';
import type { Part } from '../../core/index.js';
import { onOneLine, textPart, toWellFormed } from '../../core/index.js';
import { partOf } from './read-result.js';

/** A prompt that a server offers to users. The text is untrusted. */
export interface OfferedPrompt {
  readonly name: string;
  readonly about: string;
  readonly arguments: readonly {
    readonly name: string;
    readonly about: string;
    readonly required: boolean;
  }[];
}

/** A resource that a server lists. */
export interface OfferedResource {
  readonly uri: string;
  readonly about: string;
}

/** The prompts and resources of a server that the user can enter. */
export interface OfferedTexts {
  readonly prompts: readonly OfferedPrompt[];
  readonly resources: readonly OfferedResource[];
}

export const NO_TEXTS: OfferedTexts = { prompts: [], resources: [] };

/** Maximum number of entries in each list, of characters in a description, and of arguments to a prompt. */
const MOST = 256;
const LONGEST_ABOUT = 200;
const MOST_ARGUMENTS = 32;

/**
 * Time limit for a list, in milliseconds. It is short, because these lists only help the user type and must
 * not delay the tools.
 */
const LIST_MS = 5_000;

/**
 * Requests the prompts and resources of a server, if it offers any. A list that cannot be read is returned as
 * empty.
 */
export async function offeredTexts(client: Client): Promise<OfferedTexts> {
  const { prompts, resources } = client.getServerCapabilities() ?? {};
  const options = { timeout: LIST_MS };
  const [named, listed] = await Promise.all([
    prompts && client.listPrompts({}, options).catch(() => undefined), // its tools count without them
    resources && client.listResources({}, options).catch(() => undefined),
  ]);
  return {
    prompts: (named?.prompts ?? []).slice(0, MOST).flatMap(readPrompt),
    resources: (listed?.resources ?? []).slice(0, MOST).flatMap(readResource),
  };
}

/**
 * Reads a prompt. Returns an empty array if the prompt cannot be typed, because its name or an argument name
 * is not a single word or it has too many arguments.
 */
function readPrompt({ name, title, description, arguments: wanted = [] }: Prompt): readonly OfferedPrompt[] {
  const isTyped = isWord(name) && wanted.length <= MOST_ARGUMENTS && wanted.every((one) => isWord(one.name));
  if (!isTyped) return [];
  return [
    {
      name,
      about: about(description ?? title),
      arguments: wanted.map((one) => ({
        name: one.name,
        about: about(one.description),
        required: one.required === true,
      })),
    },
  ];
}

function readResource({ uri, name, title, description }: Resource): readonly OfferedResource[] {
  return /^\S{1,500}$/u.test(uri) ? [{ uri, about: about(title ?? description ?? name) }] : [];
}

function isWord(name: string): boolean {
  return /^[\w.-]{1,64}$/u.test(name);
}

function about(text = ''): string {
  return onOneLine(toWellFormed(text.slice(0, LONGEST_ABOUT)));
}

/**
 * Converts the messages of a prompt to parts. All of them are treated as content from the server, whatever
 * roles they claim.
 */
export function promptParts(messages: readonly PromptMessage[]): readonly Part[] {
  const parts = messages.map(({ role, content }) => ({ role, part: partOf(content) }));
  const hasRoles = new Set(messages.map(({ role }) => role)).size > 1;
  const text = parts
    .flatMap(({ role, part }) =>
      part.type === 'text' ? [hasRoles ? `${role}: ${part.text}` : part.text] : [],
    )
    .join('\n\n');
  return [
    ...(text === '' ? [] : [textPart(text)]),
    ...parts.flatMap(({ part }) => (part.type === 'text' ? [] : [part])),
  ];
}
