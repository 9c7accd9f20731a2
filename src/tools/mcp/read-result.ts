import type { CallToolResult } from '@modelcontextprotocol/client';
import type { JsonValue, Part, ToolResult } from '../../core/index.js';
import { HitlError, toWellFormed } from '../../core/index.js';
import { toJson } from '../to-json.js';
import { cut } from './server-answer.js';

type Content = CallToolResult['content'][number];

/**
 * Reads the result of a server's tool. The output is the structured content if the tool declares an output
 * schema, and otherwise the text, which includes links. Images and sound become parts.
 * @throws HitlError TOOL_FAILED with the server's message if the server reports a failure.
 */
export function readResult(result: CallToolResult, tool: { readonly hasShape: boolean }): ToolResult {
  const parts = result.content.map(partOf);
  const text = parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
  if (result.isError === true)
    throw new HitlError('TOOL_FAILED', text === '' ? 'the server reported a failure' : cut(text));
  const content = parts.filter(({ type }) => type !== 'text');
  const shaped = result.structuredContent;
  const output: JsonValue =
    shaped === undefined || (!tool.hasShape && text !== '') ? text : toJson(shaped, 'the structured output');
  return { output, ...(content.length > 0 && { content }) };
}

/** Converts content to a part. Text and links become text; images and sound become media. */
export function partOf(content: Content): Part {
  switch (content.type) {
    case 'text':
      return { type: 'text', text: toWellFormed(content.text) };
    case 'image':
    case 'audio':
      return mediaPart(content.mimeType, content.data);
    case 'resource_link':
      return linkPart(content);
    case 'resource':
      return resourcePart(content.resource);
  }
}

/** Converts a link to text, because links are not followed. */
function linkPart({ uri, name, mimeType, description }: Content & { type: 'resource_link' }): Part {
  const kind = mimeType === undefined ? '' : ` (${mimeType})`;
  const about = description === undefined ? '' : `: ${description}`;
  return { type: 'text', text: toWellFormed(`[${name}](${uri})${kind}${about}`) };
}

type Resource = (Content & { type: 'resource' })['resource'];

/** Converts the contents of a resource to a part. Text becomes text; other contents become media. */
export function resourcePart(resource: Resource): Part {
  const { uri, mimeType } = resource;
  if ('text' in resource) return { type: 'text', text: toWellFormed(`${uri}\n${resource.text}`) };
  return mediaPart(mimeType, resource.blob);
}

const UNKNOWN_KIND = 'application/octet-stream';

/**
 * Converts media to a part. An invalid media type is replaced with the generic one, because the type appears
 * in a URL and on the screen.
 */
function mediaPart(mimeType: string | undefined, base64: string): Part {
  const isKind = mimeType !== undefined && /^[\w.+-]{1,100}\/[\w.+-]{1,100}$/u.test(mimeType);
  const contentType = isKind ? mimeType : UNKNOWN_KIND;
  return { type: 'media', url: `data:${contentType};base64,${base64}`, contentType };
}
