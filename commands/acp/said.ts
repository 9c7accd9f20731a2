import { isAbsolute, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ContentBlock } from '@agentclientprotocol/sdk';
import type { HandedOver } from '../input/attached-files.js';

/** A message that the user sent from an editor: its text and attachments. */
export interface Said {
  readonly text: string;
  readonly handed: readonly HandedOver[];
}

/**
 * Reads a message. Links are written into the text where they occur; embedded contents become attachments.
 */
export function saidIn(blocks: readonly ContentBlock[], cwd: string): Said {
  const handed: HandedOver[] = [];
  const words = blocks.map((block): string => {
    switch (block.type) {
      case 'text':
        return block.text;
      case 'resource_link':
        return nameOf(block.uri, cwd);
      case 'resource': {
        const { resource } = block;
        const name = nameOf(resource.uri, cwd);
        const content = 'text' in resource ? resource.text : Buffer.from(resource.blob, 'base64');
        handed.push({ name, content });
        return name;
      }
      case 'image': {
        const name = block.uri === undefined || block.uri === null ? 'image' : nameOf(block.uri, cwd);
        handed.push({ name, content: Buffer.from(block.data, 'base64') });
        return '';
      }
      case 'audio':
        handed.push({ name: 'audio', content: Buffer.from(block.data, 'base64') });
        return '';
    }
  });
  return { text: words.join(''), handed };
}

/** Returns the path of a file, relative if the file is in the folder. Returns other URIs unchanged. */
function nameOf(uri: string, cwd: string): string {
  const path = pathOf(uri);
  if (path === undefined) return uri;
  const within = relative(cwd, path);
  return within === '' || within.startsWith('..') || isAbsolute(within) ? path : within;
}

function pathOf(uri: string): string | undefined {
  if (!uri.startsWith('file:') || !URL.canParse(uri)) return undefined;
  try {
    return fileURLToPath(uri.replace(/[?#].*$/su, ''));
  } catch {
    return undefined; // of another machine, or not a path here
  }
}
