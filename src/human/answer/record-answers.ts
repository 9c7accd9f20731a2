import { appendFile, writeFile } from 'node:fs/promises';

import type {
  Actor,
  Answer,
  AnswerMatch,
  AskResult,
  HumanChannel,
  Interrupt,
  Resolution,
  RunState,
  SessionSize,
  ToolSet,
} from '../../core/index.js';
import { HitlError, holdsSecret, messageOf } from '../../core/index.js';
import { questionContent } from '../question/question-content.js';
import { toolOf } from '../question/question-text.js';

interface AnswerEntry {
  readonly match: AnswerMatch;
  readonly answer: Resolution & { readonly always?: true | SessionSize };
}

/**
 * Returns the answers-file entry that reproduces an answer. Returns `undefined` if the answer contains a
 * secret, because secrets are never written to a file.
 */
function answerEntry(
  interrupt: Interrupt,
  { resolution }: Answer,
  always: boolean | SessionSize,
  known: Known,
): AnswerEntry | undefined {
  if (questionContent(interrupt).secret || mayHold(resolution, interrupt, known)) return undefined;
  const { kind, source, id } = interrupt;
  const match: AnswerMatch =
    source.type === 'tool' ? { kind, tool: source.name, input: source.input } : { kind, interrupt: id };
  return { match, answer: { ...resolution, ...(always !== false && { always }) } };
}

/** The state and tools, which determine the parts of an answer that are secret. */
interface Known {
  readonly state: RunState;
  readonly tools: ToolSet | undefined;
}

/** Whether an answer may contain a secret. Always true for a value passed to an unknown tool. */
function mayHold(resolution: Resolution, interrupt: Interrupt, { state, tools }: Known): boolean {
  const { source } = interrupt;
  const tool = source.type === 'tool' ? tools?.get(source.name) : undefined;
  if (tool === undefined && resolution.action === 'restart' && resolution.metadata !== undefined) return true;
  const { inputSchema } = tool ?? toolOf(interrupt, state) ?? {};
  return holdsSecret(resolution, { interrupt, input: inputSchema, resumed: tool?.resumeSchema });
}

/**
 * Writes answers from a terminal or stdin to a file for `--answers`, one JSON line each. Skips answers from
 * rules, flags and other files, and answers that contain a secret. Creates a new file that only its owner can
 * read.
 * @throws HitlError SAVE_FAILED if the file cannot be written.
 */
export async function recordAnswers(
  channel: HumanChannel,
  file: string,
  tools?: ToolSet,
): Promise<HumanChannel> {
  await save(() => writeFile(file, '', { mode: 0o600 }), file);
  return {
    ...(channel.interactive !== undefined && { interactive: channel.interactive }),
    async ask(open, state, signal, help): Promise<AskResult> {
      const result = await channel.ask(open, state, signal, help);
      const entry = result.type === 'answered' ? entryOf(result, open, { state, tools }) : undefined;
      if (entry !== undefined) await save(() => appendFile(file, `${JSON.stringify(entry)}\n`), file);
      return result;
    },
  };
}

function entryOf(
  { answer, always = false }: AskResult & { readonly type: 'answered' },
  open: readonly Interrupt[],
  known: Known,
): AnswerEntry | undefined {
  const interrupt = open.find(({ id }) => id === answer.id);
  return interrupt === undefined || !isTyped(answer.by)
    ? undefined
    : answerEntry(interrupt, answer, always, known);
}

function isTyped(by: Actor): boolean {
  return by.type === 'person' || (by.type === 'script' && by.via === 'stdin');
}

async function save(write: () => Promise<void>, file: string): Promise<void> {
  try {
    await write();
  } catch (cause) {
    throw new HitlError('SAVE_FAILED', `cannot write the answers to ${file}: ${messageOf(cause)}`, {
      cause,
    });
  }
}
