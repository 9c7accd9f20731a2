import type { Part } from '../../core/index.js';
import { membersOf } from '../../core/index.js';
import type { AiSdkVersion } from './sdk-model.js';

type Media = Part & { readonly type: 'media' };

const DATA_URL = /^data:([^;,]*)[^,]*,(.*)$/s;

/** Returns a file's type, and its bytes in base64 if available. */
function opened({ url, contentType }: Media): { readonly mediaType: string; readonly data?: string } {
  const [, type = '', data] = DATA_URL.exec(url) ?? [];
  const mediaType = contentType ?? (type === '' ? 'application/octet-stream' : type);
  return { mediaType, ...(data !== undefined && { data }) };
}

/** A file of a message: its base64 bytes, or its URL. */
export function messageFile(part: Media, version: AiSdkVersion): object {
  const { mediaType, data } = opened(part);
  if (version !== 'v4') return { type: 'file', mediaType, data: data ?? new URL(part.url) };
  const given = data === undefined ? { type: 'url', url: new URL(part.url) } : { type: 'data', data };
  return { type: 'file', mediaType, data: given };
}

/** Converts a file in a tool's output, if its bytes are available. The name differs by version. */
export function resultFile(part: Part, version: AiSdkVersion): readonly object[] {
  if (part.type !== 'media') return [];
  const { mediaType, data } = opened(part);
  if (data === undefined) return [];
  switch (version) {
    case 'v2':
      return [{ type: 'media', mediaType, data }];
    case 'v3':
      return [{ type: mediaType.startsWith('image/') ? 'image-data' : 'file-data', mediaType, data }];
    case 'v4':
      return [{ type: 'file', mediaType, data: { type: 'data', data } }];
  }
}

/** Reads a reply's file: bytes or base64, tagged in version 4; nothing for a mere URL. */
export function replyFile({ data, mediaType }: Readonly<Record<string, unknown>>): readonly Media[] {
  const kind = typeof mediaType === 'string' ? mediaType : '';
  const { type, data: tagged } = membersOf(data);
  const given = type === 'data' ? tagged : data;
  const bytes = given instanceof Uint8Array ? Buffer.from(given).toString('base64') : given;
  if (typeof bytes !== 'string') return [];
  return [{ type: 'media', url: `data:${kind};base64,${bytes}`, contentType: kind }];
}
