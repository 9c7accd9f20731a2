import type {
  AskingHelp,
  HumanChannel,
  RunState,
  SessionEvent,
  TranscriptMessage,
  TransientEvent,
} from '../core/index.js';
import {
  answerEvents,
  checkedOutput,
  count,
  evolve,
  finishReasonOf,
  HitlError,
  isHitlError,
  isoTime,
  messageOf,
  openInterrupts,
  plainAnswer,
  SecretVault,
  textOf,
  transcriptMessages,
  transcriptPart,
  unfinishedOf,
} from '../core/index.js';
import type { RunOutcome } from './active-run.js';
import type { GenerateEvent, GenerateRequest, GenerateResponse } from './generate-request.js';
import { checkRequest, NO_TOOLS } from './generate-request.js';
import type { Asked } from './generate-start.js';
import { answerHistory, conversationName, readHistory, withPrompt } from './generate-start.js';
import { resumedMark } from './read-resume.js';
import type { RunOptions } from './run-options.js';
import { run } from './run.js';
import { HistorySigner } from './signing.js';

/** Default for `maxTurns`, as in Genkit. */
const MAX_TURNS = 5;

/**
 * Runs a model and its tools until they end or are interrupted. It accepts messages and returns messages,
 * without storing anything. A resume is all or nothing: all problems are reported together, before anything
 * runs.
 * @throws HitlError BAD_INPUT, BAD_CONFIG, BAD_TRANSCRIPT, NOTHING_TO_RESUME, INVALID_RESUME, OPEN_INTERRUPT,
 * TURN_LIMIT, TOOL_FAILED, MODEL_FAILED, ABORTED
 */
export async function generate(request: GenerateRequest, signal: AbortSignal): Promise<GenerateResponse> {
  checkRequest(request);
  const signer = signerOf(request);
  const history = readHistory(request);
  signer?.check(request.messages ?? []);
  const vault = new SecretVault();
  const answered = await answerHistory(history, { request, vault }, signal);
  if (history.open !== undefined) await signer?.spend(request.messages ?? []);
  const stream = new ChunkStream(request.onEvent ?? (() => undefined));
  stream.settled(history, answered);
  const outcome = await drive(withPrompt(answered, request), { request, vault }, stream, signal);
  const unsaid = unsaidOf(request, answered, outcome.state);
  checkEnd(outcome, request, unsaid);
  const output = await outputOf(outcome, request, unsaid);
  return { ...response(request, history, outcome, unsaid), ...output };
}

function signerOf({ signing, runId }: GenerateRequest): HistorySigner | undefined {
  return signing === undefined ? undefined : new HistorySigner(signing, runId);
}

/** Runs to the end, or to a question that the reviewer does not answer. */
async function drive(
  given: RunState,
  asked: Asked,
  stream: ChunkStream,
  signal: AbortSignal,
): Promise<RunOutcome> {
  const { request } = asked;
  const { reviewer, model, tools = NO_TOOLS } = request;
  if (reviewer === undefined) return driveOnce(given, asked, stream, signal);
  // The law of reviewers is held to the tools that the session knows.
  const agent = { model: model.id, tools: tools.descriptors, reviewer: reviewer.name };
  let state: RunState = { ...given, agent };
  let said = asked;
  for (;;) {
    const outcome = await driveOnce(state, said, stream, signal);
    if (outcome.type !== 'interrupted') return outcome;
    const reviewed = await reviewedState(outcome.state, request, reviewer.channel, signal);
    if (openInterrupts(reviewed).length > 0)
      return { ...outcome, state: { ...outcome.state, usage: reviewed.usage } };
    const { prompt: _said, ...rest } = request; // it is said once
    if (reviewed.turns > given.turns) said = { ...asked, request: rest };
    state = reviewed;
  }
}

/** Returns the state after the reviewer has been asked, including any answers. */
async function reviewedState(
  given: RunState,
  { clock, onEvent }: GenerateRequest,
  channel: HumanChannel,
  signal: AbortSignal,
): Promise<RunState> {
  let state = given;
  const help: AskingHelp = {
    preview: () => Promise.resolve({ ok: false, issues: ['a reviewer edits nothing'] }),
    reviewing: (name) => onEvent?.({ type: 'reviewing', name }),
    reviewed: (review) => {
      state = evolve(state, { type: 'reviewed', ...review });
      return Promise.resolve(state);
    },
  };
  for (;;) {
    const result = await channel.ask(openInterrupts(state), state, signal, help);
    if (result.type !== 'answered') return state;
    const { answer } = result;
    const interrupt = openInterrupts(state).find(({ id }) => id === answer.id);
    if (interrupt === undefined) return state;
    const events = answerEvents(plainAnswer(answer, { interrupt }), state, { at: isoTime(clock.now()) });
    for (const event of events) state = evolve(state, event);
  }
}

/** Runs to the end or to a question. A failure includes the messages up to that point. */
async function driveOnce(
  state: RunState,
  { request, vault }: Asked,
  stream: ChunkStream,
  signal: AbortSignal,
): Promise<RunOutcome> {
  const events = run(state, { ...runOptions(request, state), vault }, signal);
  let folded = state;
  try {
    for (;;) {
      const step = await events.next(folded);
      if (step.done === true) return step.value;
      if (!step.value.durable) stream.transient(step.value.event);
      for (const event of step.value.durable ? step.value.events : []) {
        const before = folded;
        folded = evolve(folded, event);
        stream.told(event, before, folded);
      }
    }
  } catch (thrown) {
    // Who listens threw, or what decides when to stop: what runs is stopped first.
    await events.return({ type: 'ended', reason: { type: 'aborted' }, state: folded });
    throw withMessages(thrown, folded, { request, unsaid: unsaidOf(request, state, folded) });
  }
}

/** Returns the prompt that was passed with answers if it has not been added to the messages. */
function unsaidOf({ prompt, resume }: GenerateRequest, before: RunState, after: RunState): Unsaid {
  const isUnsaid = prompt !== undefined && resume !== undefined && after.turns === before.turns;
  return isUnsaid ? { unsaid: prompt } : {};
}

type Unsaid = Pick<GenerateResponse, 'unsaid'>;

function runOptions(request: GenerateRequest, state: RunState): RunOptions {
  const { model, clock, tools = NO_TOOLS, maxTurns = MAX_TURNS, runId = conversationName(state) } = request;
  const { system, onToolError, stopWhen, returnToolRequests, prompt, resume, output, reviewer } = request;
  return {
    model,
    clock,
    tools,
    runId,
    context: request.context,
    limits: { maxTurns },
    ...(system !== undefined && { system }),
    ...(prompt !== undefined && resume !== undefined && { prompt }),
    ...(onToolError !== undefined && { onToolError }),
    ...(stopWhen !== undefined && { stopWhen }),
    ...(output !== undefined && { outputSchema: output.json }),
    ...(returnToolRequests !== undefined && { returnToolRequests }),
    ...(reviewer !== undefined && { reviewedBy: ({ name }) => name === reviewer.name }),
  };
}

function checkEnd({ state, ...outcome }: RunOutcome, request: GenerateRequest, unsaid: Unsaid): void {
  if (state.asks !== undefined) {
    const max = request.maxTurns ?? MAX_TURNS;
    const hint = 'raise `maxTurns`, or use a session, where a person can extend the limit';
    const error = new HitlError('TURN_LIMIT', `more than ${max} rounds of tool calls`, { hint });
    throw withMessages(error, state, { request, unsaid });
  }
  if (outcome.type !== 'ended') return;
  if (outcome.reason.type === 'aborted')
    throw withMessages(new HitlError('ABORTED', 'the run was stopped'), state, { request, unsaid });
  if (outcome.reason.type === 'failed') {
    throw withMessages(outcome.error ?? outcome.reason.error.message, state, { request, unsaid });
  }
}

/**
 * Returns the value of the reply for a requested schema; empty if the model did not finish or a tool ended
 * the run.
 */
async function outputOf(
  { state, ...outcome }: RunOutcome,
  request: GenerateRequest,
  unsaid: Unsaid,
): Promise<Pick<GenerateResponse, 'output'>> {
  const last = state.entries.at(-1);
  if (request.output === undefined || outcome.type !== 'ended' || outcome.reason.type !== 'done') return {};
  if (last?.end === undefined || unfinishedOf(last.end) !== undefined) return {};
  try {
    const { value } = await checkedOutput(textOf(last.message), request.output);
    return { output: value };
  } catch (thrown) {
    throw withMessages(thrown, state, { request, unsaid });
  }
}

const GO_ON =
  'continue with `detail.messages`, which include the calls that ran; the messages you passed do not';

/** Adds the messages so far to an error, so that the caller can continue from them. */
function withMessages(
  thrown: unknown,
  state: RunState,
  { request, unsaid }: { readonly request: GenerateRequest; readonly unsaid: Unsaid },
): HitlError {
  const told = transcriptMessages(state);
  const messages = signerOf(request)?.signed(told) ?? told;
  if (!isHitlError(thrown)) {
    const detail = { messages, ...unsaid };
    return new HitlError('INTERNAL', messageOf(thrown), { hint: GO_ON, cause: thrown, detail });
  }
  const { code, message, detail, hint } = thrown;
  if (detail?.messages !== undefined && unsaid.unsaid === undefined && request.signing === undefined)
    return thrown;
  return new HitlError(code, message, {
    hint: code === 'TURN_LIMIT' && hint !== undefined ? hint : GO_ON,
    cause: thrown,
    detail: { ...detail, messages, ...unsaid },
  });
}

function response(
  request: GenerateRequest,
  history: RunState,
  outcome: RunOutcome,
  unsaid: Unsaid,
): GenerateResponse {
  const { state } = outcome;
  const kept = (request.messages ?? []).slice(0, history.entries.length);
  const added = transcriptMessages(state, kept.length).map((message) => withResumed(message, request));
  const told = [...kept, ...added];
  const messages = signerOf(request)?.signed(told) ?? told;
  const message = messages.findLast(({ role }) => role === 'model');
  const toolRequests = message?.content.filter((part) => part.toolRequest !== undefined) ?? [];
  const interrupts = outcome.type === 'interrupted' ? outcome.interrupts : [];
  const lastModel =
    state.open?.message ?? state.entries.findLast((entry) => entry.message.role === 'model')?.message;
  const end = state.open?.end ?? state.entries.at(-1)?.end;
  const waits = interrupts.length > 0;
  const finished =
    outcome.type === 'ended' && outcome.reason.type === 'finished' ? { output: outcome.reason.output } : {};
  return {
    message,
    messages,
    toolRequests,
    interrupts,
    ...finished,
    ...unsaid,
    text: lastModel === undefined ? '' : textOf(lastModel),
    finishReason: waits ? 'interrupted' : end === undefined ? 'stop' : finishReasonOf(end),
    ...(waits && {
      finishMessage: `${count(interrupts.length, 'tool call is waiting', 'tool calls are waiting')} for an answer`,
    }),
    usage: state.usage,
  };
}

function withResumed(message: TranscriptMessage, { resume }: GenerateRequest): TranscriptMessage {
  const resumed = resumedMark(resume);
  if (resumed === undefined || message.role !== 'tool' || message.metadata?.['resumed'] !== true)
    return message;
  return { ...message, metadata: { ...message.metadata, resumed } };
}

/** Passes transient events on to the consumer of a stream, and reports complete messages with their index. */
class ChunkStream {
  readonly #tell: (event: GenerateEvent) => void;
  #index = 0;

  constructor(tell: (event: GenerateEvent) => void) {
    this.#tell = tell;
  }

  transient(event: TransientEvent): void {
    this.#tell(event);
  }

  told(event: SessionEvent, before: RunState, after: RunState): void {
    if (event.type === 'interrupt-raised' && event.interrupt.atOnce !== true)
      this.#tell({ type: 'interrupt', interrupt: event.interrupt });
    if (event.type === 'message-added' && event.message.role === 'model')
      this.#chunk('model', event.message.content.map(transcriptPart));
    this.settled(before, after);
  }

  /**
   * Reports the tool message once the last call of its turn is settled. Notes from people may follow the
   * message.
   */
  settled(before: RunState, after: RunState): void {
    if (before.open === undefined || after.open !== undefined) return;
    const [answers] = transcriptMessages(after, before.entries.length + 1);
    if (answers !== undefined) this.#chunk('tool', answers.content);
  }

  #chunk(role: 'model' | 'tool', content: (GenerateEvent & { type: 'chunk' })['content']): void {
    this.#tell({ type: 'chunk', index: this.#index, role, content });
    this.#index += 1;
  }
}
