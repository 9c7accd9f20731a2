import type { Part } from '../../src/core/index.js';
import { count, maskText, messageOf } from '../../src/core/index.js';
import { mentionedPaths } from '../../src/human/index.js';
import type { McpServers } from '../../src/tools/mcp/index.js';

/** Resources mentioned in a message, as message parts, with a notice about each. Not escaped. */
export interface AttachedResources {
  readonly parts: readonly Part[];
  readonly notices: readonly string[];
}

/** Maximum size of one attached resource in characters, and maximum number of resources. */
const MOST_CHARACTERS = 256 * 1024;
const MOST_RESOURCES = 10;

/**
 * Reads the resources that a message mentions as `@server:uri`. Their text is untrusted, and keys in it are
 * masked. Other words that start with `@` stay text.
 */
export async function attachedResources(
  { connections }: Pick<McpServers, 'connections'>,
  text: string,
  { secrets, takesMedia }: { readonly secrets: readonly string[]; readonly takesMedia: boolean },
  signal: AbortSignal,
): Promise<AttachedResources> {
  const parts: Part[] = [];
  const notices: string[] = [];
  const names = mentionedPaths(text).map((named) => named.replace(/[.,;:!?)]+$/u, ''));
  for (const named of names.slice(0, MOST_RESOURCES)) {
    const [name = ''] = named.split(':', 1);
    const connection = connections.find(({ server }) => server.name === name);
    const uri = named.slice(name.length + 1);
    if (connection === undefined || uri === '') continue;
    try {
      const read = (await connection.read(uri, signal)).map((part) => masked(part, secrets));
      const problem = partsProblem(read, takesMedia, WORDS);
      if (problem === undefined) parts.push(...read);
      notices.push(
        problem === undefined
          ? `attached: ${named} (${count(sizeOf(read), 'character')})`
          : `not attached: ${named} ${problem}`,
      );
    } catch (thrown) {
      signal.throwIfAborted();
      notices.push(`not attached: ${named}: ${messageOf(thrown)}`);
    }
  }
  return { parts, notices };
}

const WORDS = { empty: 'is empty', media: 'is not text' };

/** Masks keys in a message part from a server. */
export function masked(part: Part, secrets: readonly string[]): Part {
  return part.type === 'text' ? { ...part, text: maskText(part.text, secrets).value } : part;
}

function sizeOf(parts: readonly Part[]): number {
  return parts.reduce((sum, part) => sum + (part.type === 'text' ? part.text.length : 0), 0);
}

/**
 * Returns the reason that parts from a server cannot be included in a message, or `undefined` if they can.
 */
export function partsProblem(
  parts: readonly Part[],
  takesMedia: boolean,
  { empty, media }: { readonly empty: string; readonly media: string },
): string | undefined {
  if (parts.length === 0) return empty;
  if (sizeOf(parts) > MOST_CHARACTERS) return 'is too large';
  const isMedia = parts.some(({ type }) => type === 'media');
  return isMedia && !takesMedia ? `${media}, but this model only reads text` : undefined;
}
