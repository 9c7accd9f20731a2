import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

import { parse, parseAllDocuments } from 'yaml';

import type { Answer, Loose, LooseObject } from './anthropic-server.js';
import { eventStream, messageStream, sse } from './anthropic-server.js';

const root = fileURLToPath(new URL('../../../shared/fixtures/anthropic/', import.meta.url));

/** The recordings are not the project's to ship: without their folder the tests that need them skip, with this note. */
export const recordingsMissing = existsSync(root) ? '' : ` (skipped: there are no recordings at ${root})`;

/** One recorded request and the answer to it. */
export interface Exchange {
  readonly request: LooseObject | undefined;
  readonly answer: Answer;
  /** Where a whole message was recorded, the message. */
  readonly message?: LooseObject;
}

const binary = {
  tag: '!binary',
  resolve: (text: string) => Buffer.from(text, 'base64').toString('utf8'),
};

function asAnswer(status: number, body: string, headers: Record<string, string>): Answer {
  if (status !== 200 || body.startsWith('event:')) return { status, headers, body };
  return sse(messageStream(JSON.parse(body)));
}

/** The header list of a rig cassette; a recorded length or coding would not fit what is sent here. */
function headersOf(list: readonly { name: string; value: string }[]): Record<string, string> {
  return Object.fromEntries(list.map(({ name, value }) => [name, value]));
}

const formats: Record<string, (text: string) => Exchange[]> = {
  'vercel-ai': (text) => {
    const events = text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { type: string });
    return [{ request: undefined, answer: sse(eventStream(events)) }];
  },
  'anthropic-sdk-typescript': (text) => [{ request: undefined, answer: sse(text) }],
  rig: (text) =>
    parseAllDocuments(text).map((document) => {
      const { when, then } = document.toJS();
      return {
        request: JSON.parse(when.body),
        answer: asAnswer(then.status, then.body, headersOf(then.header)),
      };
    }),
  'pydantic-ai': vcrpy,
  'dd-trace-py': vcrpy,
  ruby_llm: (text) =>
    parse(text, { customTags: [binary] }).http_interactions.map(({ request, response }: Loose) => ({
      request: JSON.parse(request.body.string),
      answer: sse(response.body.string),
    })),
  opencode: (text) =>
    JSON.parse(text).interactions.map(({ request, response }: Loose) => ({
      request: JSON.parse(request.body),
      answer: { status: response.status, headers: response.headers, body: response.body },
    })),
};

function vcrpy(text: string): Exchange[] {
  return parse(text).interactions.map(({ request, response }: Loose) => {
    const { parsed_body: message, body } = response;
    return {
      request: request.parsed_body ?? JSON.parse(request.body),
      answer: sse(message === undefined ? body.string : messageStream(message)),
      message,
    };
  });
}

/** The exchanges of one recording. */
export function recording(file: string): Exchange[] {
  const [folder = ''] = file.split('/');
  const read = formats[folder];
  if (read === undefined) throw new Error(`unknown format: ${file}`);
  return read(readFileSync(path.join(root, file), 'utf8'));
}
