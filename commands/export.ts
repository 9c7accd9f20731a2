import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { JsonObject, Session, TranscriptDocument } from '../src/core/index.js';
import {
  assertNever,
  count,
  HitlError,
  maskText,
  messageOf,
  safeJson,
  shown,
  laidOut,
  escapeText,
} from '../src/core/index.js';
import { anthropicBody } from '../src/models/index.js';
import { transcriptMarkdown } from '../src/render/index.js';
import { transcriptDocument } from '../sessions/index.js';
import type { Io } from './host/index.js';
import type { SessionFlags } from './flags/options.js';
import { secretValues, tell } from './host/index.js';
import { tellForeign } from './show.js';
import { openStore } from './store/store.js';

type ExportFormat = 'json' | 'genkit' | 'anthropic' | 'markdown';

interface ExportFlags extends SessionFlags {
  readonly format: ExportFormat;
  readonly redact?: boolean;
  readonly output: string;
}

/** `hitl export`: prints a session as a transcript document or in another format. */
export async function exportSession(io: Io, given: string, flags: ExportFlags): Promise<number> {
  const store = openStore(io, flags);
  await using session = await store.open(await store.resolve(given), 'read');
  for (const notice of session.notices) tell(io.stderr, escapeText(notice));
  await tellForeign(io, store, session);
  const whole = textIn(flags.format, session);
  const { value: text, count: masked } =
    flags.redact === true ? maskText(whole, secretValues(io.env)) : { value: whole, count: 0 };
  if (flags.redact === true && flags.quiet !== true)
    tell(io.stderr, shown`${count(masked, 'secret')} masked`);
  if (flags.output === '-') io.stdout.write(laidOut(text));
  else await writeNew(resolve(io.cwd, flags.output), text);
  return 0;
}

function textIn(format: ExportFormat, session: Session): string {
  const document: TranscriptDocument = transcriptDocument(session);
  switch (format) {
    case 'json':
      return `${safeJson(document, 2)}\n`;
    case 'genkit':
      return `${safeJson(document.messages, 2)}\n`;
    case 'anthropic':
      return `${safeJson(anthropicRequest(session), 2)}
`;
    case 'markdown':
      return transcriptMarkdown(document);
    default:
      return assertNever(format);
  }
}

function anthropicRequest({ state }: Session): JsonObject {
  const { agent, view } = state;
  const system = agent?.system === undefined ? {} : { system: agent.system };
  return anthropicBody(
    { messages: view, tools: agent?.tools ?? [], ...system },
    agent?.model.replace(/^anthropic:/u, '') ?? '',
  );
}

/** Writes a file, but never overwrites an existing one. */
async function writeNew(path: string, text: string): Promise<void> {
  try {
    await writeFile(path, text, { mode: 0o600, flag: 'wx' });
  } catch (cause) {
    throw new HitlError('SAVE_FAILED', `cannot write \`${path}\`: ${messageOf(cause)}`, {
      hint: 'choose another file, or remove it first',
      cause,
    });
  }
}
