import type {
  Answer,
  Interrupt,
  JsonValue,
  RunState,
  SealedAnswer,
  SecretVault,
  TranscriptMessage,
} from '../core/index.js';
import {
  answerEvents,
  canonicalJson,
  closeSettledTurn,
  count,
  emptyState,
  evolve,
  HitlError,
  isoTime,
  mendedView,
  openInterrupts,
  partJson,
  readTranscript,
  sha256,
  toolRequestsOf,
} from '../core/index.js';
import type { ResumeProblem } from './check-resume.js';
import { checkResume, sealed } from './check-resume.js';
import type { GenerateRequest } from './generate-request.js';
import { NO_TOOLS } from './generate-request.js';
import type { ReadAnswers } from './read-resume.js';
import { CALLER, readResume } from './read-resume.js';
import { userWords } from './steer.js';

/** Returns the state for a history. Its last model message may be open. */
export function readHistory({ messages = [], clock }: GenerateRequest): RunState {
  const { closed, open, interruptCount } = readTranscript(messages, isoTime(clock.now()));
  const state = emptyState();
  let { entries, view, refs } = state;
  for (const message of closed) {
    entries = entries.append({ message });
    for (const { ref } of toolRequestsOf(message)) refs = refs.add(ref);
  }
  for (const message of mendedView(closed)) view = view.append(message);
  if (open === undefined) return { ...state, entries, view, refs };
  for (const { request } of open.calls) refs = refs.add(request.ref);
  // The round that waits was counted by the call before: a resume costs no turn.
  return { ...state, entries, view, refs, open, interruptCount, rounds: -1 };
}

/** A request to `generate`, and the secrets known so far. */
export interface Asked {
  readonly request: GenerateRequest;
  readonly vault: SecretVault;
}

/**
 * Returns the state from which the loop continues, with every open call answered.
 * @throws HitlError NOTHING_TO_RESUME, OPEN_INTERRUPT, INVALID_RESUME, TOOL_NOT_FOUND
 */
export async function answerHistory(
  state: RunState,
  { request, vault }: Asked,
  signal: AbortSignal,
): Promise<RunState> {
  const { messages = [], resume, cancelOpen = false } = request;
  if (resume !== undefined && cancelOpen) {
    throw new HitlError('NOTHING_TO_RESUME', '`cancelOpen` and `resume` cannot be used together', {
      hint: 'answer each call with `resume`; use `answers.cancel(…)` for calls that must not run',
    });
  }
  if (resume !== undefined && state.open === undefined) throw nothingToResume(messages);
  if (resume === undefined && state.open !== undefined && !cancelOpen)
    throw stillOpen(state.open.calls.length);
  const given =
    resume === undefined
      ? { answers: openInterrupts(state).map(cancelled), problems: [] }
      : readResume(resume, state);
  return resolved(state, await checkedAnswers(state, given, { request, vault }, signal), request);
}

/**
 * Adds the prompt to the state as its latest message. With `resume`, the state is unchanged, because the
 * prompt follows the results of the answered calls.
 */
export function withPrompt(state: RunState, { prompt, resume }: GenerateRequest): RunState {
  if (prompt === undefined || resume !== undefined) return state; // behind the results of what is resumed
  return evolve(state, userWords(prompt));
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

function stillOpen(calls: number): HitlError {
  return new HitlError('OPEN_INTERRUPT', `the last model message has ${count(calls, 'open tool call')}`, {
    hint: 'answer them with `resume`, or cancel them with `cancelOpen`, before sending the model anything else',
  });
}

function cancelled({ id, digest }: Interrupt): Answer {
  return { id, digest, resolution: { action: 'cancel' }, by: CALLER };
}

/** Returns the answers if they are valid. Otherwise, throws one error that lists all problems. */
async function checkedAnswers(
  state: RunState,
  { answers, problems }: ReadAnswers,
  { request, vault }: Asked,
  signal: AbortSignal,
): Promise<readonly SealedAnswer[]> {
  const { tools = NO_TOOLS, runId = conversationName(state), context } = request;
  const run = { runId, context };
  const isReadable = problems.every(({ kind }) => kind !== 'malformed');
  const misfits = isReadable ? await checkResume(state, answers, tools) : [];
  const all: readonly ResumeProblem[] = [...problems, ...misfits];
  if (all.length === 0)
    return Promise.all(answers.map((answer) => sealed(answer, state, { tools, vault, run }, signal)));
  const missing = all.some(({ kind }) => kind === 'tool-missing');
  throw new HitlError(
    missing ? 'TOOL_NOT_FOUND' : 'INVALID_RESUME',
    all.map(({ message }) => message).join('; '),
    {
      hint: 'nothing ran; correct the answers and resume again with the same messages',
      detail: { problems: all },
    },
  );
}

function resolved(state: RunState, answers: readonly SealedAnswer[], { clock }: GenerateRequest): RunState {
  const at = isoTime(clock.now());
  let next = state;
  for (const answer of answers) {
    for (const event of answerEvents(answer, next, { at })) {
      if (event.type === 'vote-cast') throw needsMore(answer);
      next = evolve(next, event);
    }
  }
  return closeSettledTurn(next); // also where every call had its result already
}

/**
 * Creates the error for a question that needs several approvers. Such a question can be answered only in a
 * session, because messages do not store votes.
 */
function needsMore({ answer: { id } }: SealedAnswer): HitlError {
  return new HitlError(
    'INVALID_RESUME',
    `\`${id}\` needs more than one approver, and messages cannot store votes`,
    {
      hint: 'use a session: `openChat`, or a flow',
    },
  );
}

/** Derives a name for a conversation from its messages up to the last user message. */
export function conversationName({ entries }: RunState): string {
  const messages = entries.toArray().map(({ message }) => message);
  const end = messages.findLastIndex(({ role }) => role === 'user');
  const begin: JsonValue = messages
    .slice(0, end + 1)
    .map(({ role, content }) => [role, content.map(partJson)]);
  return `generate-${sha256(canonicalJson(begin)).slice(0, 16)}`;
}
