import type { CallToolResult } from '@modelcontextprotocol/client';
import type { JsonValue, Part, ToolResult } from '../../core/index.js';
import { HitlError, toWellFormed } from '../../core/index.js';
import { toJson } from '../to-json.js';

type Content = CallToolResult['content'][number];

/** The characters of a failure that the model and a person are told. */
const FAILURE_LENGTH = 4_000;

/**
 * Reads what a server's tool gave: text is the output, or what the tool declares as its shape; images, sound and links
 * stand beside it as parts.
 * @throws HitlError TOOL_FAILED with the server's words where it says that the call failed.
 */
export function readResult(result: CallToolResult, tool: { readonly hasShape: boolean }): ToolResult {
  const parts = result.content.map(partOf);
  const text = parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
  if (result.isError === true)
    throw new HitlError('TOOL_FAILED', text === '' ? 'the server says that it failed' : cut(text));
  const content = parts.filter(({ type }) => type !== 'text');
  const shaped = result.structuredContent;
  const output: JsonValue =
    shaped === undefined || (!tool.hasShape && text !== '') ? text : toJson(shaped, 'the structured output');
  return { output, ...(content.length > 0 && { content }) };
}

function cut(text: string): string {
  return text.length > FAILURE_LENGTH ? toWellFormed(`${text.slice(0, FAILURE_LENGTH)}…`) : text;
}

/** One piece of what a server gave, as a part: text as text, images and sound as media, a link as words. */
export function partOf(content: Content): Part {
  switch (content.type) {
    case 'text':
      return { type: 'text', text: toWellFormed(content.text) };
    case 'image':
    case 'audio':
      return {
        type: 'media',
        url: `data:${content.mimeType};base64,${content.data}`,
        contentType: content.mimeType,
      };
    case 'resource_link':
      return linkPart(content);
    case 'resource':
      return resourcePart(content.resource);
  }
}

/** A link is words: nothing follows it. */
function linkPart({ uri, name, mimeType, description }: Content & { type: 'resource_link' }): Part {
  const kind = mimeType === undefined ? '' : ` (${mimeType})`;
  const about = description === undefined ? '' : `: ${description}`;
  return { type: 'text', text: toWellFormed(`[${name}](${uri})${kind}${about}`) };
}

type Resource = (Content & { type: 'resource' })['resource'];

/** The contents of a resource as a part: text as text, anything else by its kind. */
export function resourcePart(resource: Resource): Part {
  const { uri, mimeType = 'application/octet-stream' } = resource;
  if ('text' in resource) return { type: 'text', text: toWellFormed(`${uri}\n${resource.text}`) };
  return { type: 'media', url: `data:${mimeType};base64,${resource.blob}`, contentType: mimeType };
}
