import type { Part } from '../../core/index.js';
import { membersOf } from '../../core/index.js';
import type { AiSdkVersion } from './sdk-model.js';

type Media = Part & { readonly type: 'media' };

const DATA_URL = /^data:([^;,]*)[^,]*,(.*)$/s;

/** Returns the media type of a file, and its base64 content if that is available. */
function opened({ url, contentType }: Media): { readonly mediaType: string; readonly data?: string } {
  const [, type = '', data] = DATA_URL.exec(url) ?? [];
  const mediaType = contentType ?? (type === '' ? 'application/octet-stream' : type);
  return { mediaType, ...(data !== undefined && { data }) };
}

/** Converts a file in a message, using its base64 content or, if that is not available, its URL. */
export function messageFile(part: Media, version: AiSdkVersion): object {
  const { mediaType, data } = opened(part);
  if (version !== 'v4') return { type: 'file', mediaType, data: data ?? new URL(part.url) };
  const given = data === undefined ? { type: 'url', url: new URL(part.url) } : { type: 'data', data };
  return { type: 'file', mediaType, data: given };
}

/**
 * Converts a file in the output of a tool. Returns an empty list if its content is not available. The format
 * depends on the version.
 */
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

/**
 * Reads a file in a reply, given as bytes or base64 (tagged in version 4). Returns an empty list if there is
 * only a URL.
 */
export function replyFile({ data, mediaType }: Readonly<Record<string, unknown>>): readonly Media[] {
  const kind = typeof mediaType === 'string' ? mediaType : '';
  const { type, data: tagged } = membersOf(data);
  const given = type === 'data' ? tagged : data;
  const bytes = given instanceof Uint8Array ? Buffer.from(given).toString('base64') : given;
  if (typeof bytes !== 'string') return [];
  return [{ type: 'media', url: `data:${kind};base64,${bytes}`, contentType: kind }];
}
