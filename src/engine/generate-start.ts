import type { RunState, ToolSet, TranscriptMessage } from '../core/index.js';
import { emptyState, evolve, HitlError, isoTime, readTranscript, toolRequestsOf } from '../core/index.js';
import type { ResumeProblem } from './check-resume.js';
import { checkResume } from './check-resume.js';
import type { GenerateRequest } from './generate-types.js';
import type { ResumeOptions } from './resume-parts.js';
import { readResume } from './resume-parts.js';

/** A tool set without tools. */
export const NO_TOOLS: ToolSet = {
  get: () => undefined,
  descriptors: [],
  [Symbol.iterator]: () => [].values(),
};

/** The state that a history stands for, with the prompt added or the open calls waiting. */
export function startState(request: GenerateRequest): RunState {
  const { messages = [], prompt, resume, clock } = request;
  if (prompt !== undefined && resume !== undefined) {
    throw new HitlError('NOTHING_TO_RESUME', '`prompt` and `resume` cannot be given together', {
      hint: 'resume first; the next `generate` takes the prompt',
    });
  }
  const read = readTranscript(messages, isoTime(clock.now()));
  if (resume !== undefined && read.open === undefined) throw nothingToResume(messages);
  if (resume === undefined && read.open !== undefined && request.returnToolRequests !== true)
    throw stillOpen(read.open.calls.length);
  let state: RunState = { ...emptyState(), rounds: read.open === undefined ? 0 : -1 };
  for (const message of read.closed) {
    let { refs } = state;
    for (const { ref } of toolRequestsOf(message)) refs = refs.has(ref) ? refs : refs.add(ref);
    state = {
      ...state,
      refs,
      entries: state.entries.append({ message }),
      view: message.content.length > 0 ? state.view.append(message) : state.view,
    };
  }
  if (read.open !== undefined) {
    const interruptCount = read.open.calls.filter((call) => call.state.status === 'interrupted').length;
    return { ...state, open: read.open, interruptCount };
  }
  return prompt === undefined
    ? state
    : evolve(state, {
        type: 'message-added',
        message: { role: 'user', content: [{ type: 'text', text: prompt }] },
      });
}

function nothingToResume(messages: readonly TranscriptMessage[]): HitlError {
  const last = messages.at(-1);
  const why =
    last === undefined
      ? 'there are no messages'
      : last.role === 'model'
        ? 'the last model message has no tool requests'
        : `the last message has role \`${last.role}\``;
  return new HitlError('NOTHING_TO_RESUME', `nothing to resume: ${why}`, {
    hint: 'pass the `messages` of the interrupted response, unchanged',
  });
}

function stillOpen(count: number): HitlError {
  return new HitlError(
    'OPEN_INTERRUPT',
    `the last model message has ${count} open tool ${count === 1 ? 'call' : 'calls'}`,
    {
      hint: 'answer with `resume`, or cancel the calls, before anything else is asked of the model',
    },
  );
}

/** The state after every answer of a resume, or one error that names every problem. */
export async function resumed(
  state: RunState,
  request: GenerateRequest,
  resume: ResumeOptions,
): Promise<RunState> {
  const { answers, problems } = readResume(resume, state);
  const all: readonly ResumeProblem[] = [
    ...problems,
    ...(await checkResume(state, answers, request.tools ?? NO_TOOLS)),
  ];
  if (all.length > 0) {
    const missing = all.some(({ kind }) => kind === 'tool-missing');
    throw new HitlError(
      missing ? 'TOOL_NOT_FOUND' : 'INVALID_RESUME',
      all.map(({ message }) => message).join('; '),
      {
        hint: 'nothing was run; mend the answers and resume again with the same messages',
        detail: { problems: all },
      },
    );
  }
  const resolvedAt = isoTime(request.clock.now());
  let next = state;
  for (const { id, digest, resolution, by } of answers) {
    next = evolve(next, { type: 'interrupt-resolved', id, digest, resolution, by, resolvedAt });
  }
  return next;
}
