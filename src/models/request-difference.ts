import type { JsonValue, Message, Part, Sequence } from '../core/index.js';
import { canonicalJson } from '../core/index.js';

const MAX_SHOWN = 80;

function shown(text: string): string {
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}… (${text.length} characters)` : text;
}

/**
 * Returns the name and value of a part for comparison. Refs and provider metadata are left out, because the
 * model does not read them.
 */
function contentOf(part: Part): { readonly name: string; readonly value: JsonValue } {
  switch (part.type) {
    case 'text':
    case 'reasoning':
      return { name: part.type, value: part.text };
    case 'media':
      return { name: 'media', value: [part.url, part.contentType ?? null] };
    case 'data':
      return { name: 'data', value: part.data };
    case 'tool-request':
      return { name: `input of \`${part.name}\``, value: part.input };
    case 'tool-response': {
      const content = (part.content ?? []).map((inner): JsonValue => [inner.type, contentOf(inner).value]);
      const value = content.length === 0 ? part.output : [part.output, ...content];
      return { name: `${part.isError === true ? 'error' : 'output'} of \`${part.name}\``, value };
    }
  }
}

function partDifference(recorded: Part | undefined, now: Part | undefined): string | undefined {
  if (recorded === undefined) return now === undefined ? undefined : `a ${now.type} was added`;
  if (now === undefined) return `the ${recorded.type} is missing`;
  const before = contentOf(recorded);
  const after = contentOf(now);
  const left = canonicalJson(before.value);
  const right = canonicalJson(after.value);
  if (before.name === after.name) {
    return left === right ? undefined : `${before.name} was ${shown(left)}, is ${shown(right)}`;
  }
  return `was ${before.name} ${shown(left)}, is ${after.name} ${shown(right)}`;
}

function messageDifference(recorded: Message, now: Message): string | undefined {
  if (recorded.role !== now.role) return `: role was ${recorded.role}, is ${now.role}`;
  const length = Math.max(recorded.content.length, now.content.length);
  for (let index = 0; index < length; index += 1) {
    const difference = partDifference(recorded.content[index], now.content[index]);
    if (difference !== undefined) return ` (${now.role}), part ${index + 1}: ${difference}`;
  }
  return undefined;
}

/**
 * Describes the first difference between two requests; `undefined` if a model would see the same content in
 * both.
 */
export function firstDifference(recorded: Sequence<Message>, now: Sequence<Message>): string | undefined {
  for (let index = 0; index < Math.max(recorded.length, now.length); index += 1) {
    const before = recorded.at(index);
    const after = now.at(index);
    if (before === undefined) return `message ${index + 1} (${after?.role ?? '?'}) was added`;
    if (after === undefined) return `message ${index + 1} (${before.role}) is missing`;
    const difference = before === after ? undefined : messageDifference(before, after);
    if (difference !== undefined) return `message ${index + 1}${difference}`;
  }
  return undefined;
}
