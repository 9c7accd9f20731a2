import type { JsonObject, JsonValue } from '../data/json.js';
import { isJsonObject, membersOf, present } from '../data/json.js';
import type { Part } from '../data/message.js';
import type { TranscriptPart } from './transcript.js';

/** Adds metadata to a part or message, if there is any. */
export function withMetadata<Of extends object>(of: Of, metadata: JsonObject | undefined): Of {
  return metadata === undefined || Object.keys(metadata).length === 0 ? of : { ...of, metadata };
}

/** Converts a part to Genkit's format. */
export function transcriptPart(part: Part): TranscriptPart {
  switch (part.type) {
    case 'text':
      return withMetadata({ text: part.text }, part.metadata);
    case 'reasoning':
      return withMetadata({ reasoning: part.text }, part.metadata);
    case 'media': {
      const { url, contentType } = part;
      return withMetadata(
        { media: { url, ...(contentType !== undefined && { contentType }) } },
        part.metadata,
      );
    }
    case 'data':
      return withMetadata({ data: part.data }, part.metadata);
    case 'tool-request':
      return withMetadata(
        { toolRequest: { name: part.name, ref: part.ref, input: part.input } },
        part.metadata,
      );
    case 'tool-response': {
      const { name, ref, output } = part;
      const content = part.content?.map(transcriptPart);
      const failed =
        part.isError === true && !isJsonObject(part.metadata?.['hitl']) ? { hitl: { error: 'failed' } } : {};
      const metadata = { ...part.metadata, ...failed };
      return withMetadata({ toolResponse: { name, ref, output, ...(content && { content }) } }, metadata);
    }
  }
}

/** Converts a part to Genkit's format as plain JSON. */
export function partJson(part: Part): JsonObject {
  const { toolRequest, toolResponse, ...rest } = transcriptPart(part);
  return {
    ...present(rest),
    ...(toolRequest !== undefined && { toolRequest: present(toolRequest) }),
    ...(toolResponse !== undefined && { toolResponse: responseJson(part) }),
  };
}

function responseJson(part: Part): JsonObject {
  if (part.type !== 'tool-response') return {};
  const { name, ref, output, content } = part;
  return { name, ref, output, ...(content && { content: content.map(partJson) }) };
}

/** Restores a part of a tool response that `partJson` converted. Unknown parts become data. */
export function readPartJson(value: JsonValue): Part {
  const part = membersOf(value);
  const { text, reasoning, media, data } = part;
  const metadata = isJsonObject(part['metadata']) ? { metadata: part['metadata'] } : {};
  if (typeof text === 'string') return { type: 'text', text, ...metadata };
  if (typeof reasoning === 'string') return { type: 'reasoning', text: reasoning, ...metadata };
  if (isJsonObject(media) && typeof media['url'] === 'string') {
    const { url, contentType } = media;
    return { type: 'media', url, ...(typeof contentType === 'string' && { contentType }), ...metadata };
  }
  return data === undefined ? { type: 'data', data: value } : { type: 'data', data, ...metadata };
}
