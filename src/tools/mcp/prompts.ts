import type { Client, Prompt, PromptMessage, Resource } from '@modelcontextprotocol/client';
import type { Part } from '../../core/index.js';
import { onOneLine, textPart, toWellFormed } from '../../core/index.js';
import { partOf } from './read-result.js';

/** A server's prompt for users; foreign text. */
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

/** A server's prompts and resources, for typing. */
export interface OfferedTexts {
  readonly prompts: readonly OfferedPrompt[];
  readonly resources: readonly OfferedResource[];
}

export const NO_TEXTS: OfferedTexts = { prompts: [], resources: [] };

/** Limit for each list and its texts. */
const MOST = 256;
const LONGEST_ABOUT = 200;
const MOST_ARGUMENTS = 32;

/** Time limit for a list, in milliseconds: tools do not wait long for what users may type. */
const LIST_MS = 5_000;

/** Requests a server's prompts and resources, if it has any. A missing list is empty. */
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

/** Reads a prompt; omits one whose name cannot be typed as a word. */
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

/** Converts a prompt's messages to parts: all of it is the server's, whatever role it claims. */
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
