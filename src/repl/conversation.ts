import type {
  Answer,
  AskingHelp,
  AskResult,
  HumanChannel,
  NodePath,
  PostedAnswers,
  Renderer,
  RunEnd,
  RunInbox,
  RunState,
  Session,
  SessionEvent,
  ShownEdit,
  ToolSet,
  SessionSize,
} from '../core/index.js';
import {
  actorName,
  answerEvents,
  asksForGrant,
  assertNever,
  fireDue,
  HitlError,
  messageOf,
  isoTime,
  openInterrupts,
  ROOT_PATH,
  SecretVault,
  openInterrupt,
  placedScope,
  present,
  schemaDigest,
  servedTool,
  SESSION_SIZES,
  sessionScope,
  toolDigest,
  validUntil,
} from '../core/index.js';
import type { EngineEvent, RunOptions, RunOutcome } from '../engine/index.js';
import { checkToolsHere, previewEdit, run, sealed, toolNotHere, withKeptSecrets } from '../engine/index.js';
import { problemsOf, toolsFor, toolsOf } from './answer-problems.js';
import { askOrHear } from './asking.js';
import type { Takes } from './elsewhere.js';
import { Elsewhere } from './elsewhere.js';
import { tookEvent } from './outside-events.js';
import { Recorder } from './record.js';
import { WaitingMail } from './waiting-mail.js';

/** A workflow to run instead of a chat. */
export interface FlowRunner {
  /**
   * Runs the workflow from a state until it next stops.
   * @param notice is called with each notice
   */
  run(
    state: RunState,
    signal: AbortSignal,
    notice: (text: string) => void,
  ): AsyncGenerator<EngineEvent, RunOutcome>;
  /** Returns the tools available at a path. */
  toolsAt(path: NodePath, state: RunState): Promise<ToolSet>;
}

/** Session, model, tools and channels for `converse`. */
export interface ConversationOptions {
  readonly session: Session;
  readonly run: RunOptions;
  /** Default: a chat with the session's model and tools. */
  readonly flow?: FlowRunner;
  readonly channel: HumanChannel;
  readonly renderer: Renderer;
  readonly posted?: PostedAnswers;
  /**
   * Asks the local user whether to accept a remote answer. Default: all are accepted, as when no user is at
   * the terminal.
   */
  readonly takes?: Takes;
  /**
   * Returns changes made outside the run that are not in the journal yet. They are written to the journal
   * before anything is asked or run.
   */
  readonly changes?: (state: RunState) => readonly SessionEvent[];
  /** Incoming messages. `cancel` takes effect even while something is running or a question is open. */
  readonly inbox?: RunInbox;
}

interface Conversing extends ConversationOptions {
  readonly vault: SecretVault;
  /** Whether the caller supplied the vault and shares it with the workflow. */
  readonly hasVault: boolean;
  readonly recorder: Recorder;
  readonly mail: WaitingMail | undefined;
  readonly elsewhere: Elsewhere;
  /**
   * Aborts when the caller stops the conversation, the session is lost, or another process cancels the run.
   */
  readonly signal: AbortSignal;
  readonly isCancelled: () => boolean;
}

/** The reason that a conversation stopped. */
export type Rest =
  | { readonly type: 'ended'; readonly reason: RunEnd; readonly error?: unknown }
  | { readonly type: 'waiting'; readonly why: string };

/**
 * Runs and asks questions until the session stops: either the model is done or an interrupt stays open. If
 * the signal aborts or the session is lost, the run stops, or the question is withdrawn and stays open.
 * @param first events to start with; they are flushed together with the events that follow from them.
 */
export function converse(
  options: ConversationOptions,
  signal: AbortSignal,
  first: readonly SessionEvent[] = [],
): Promise<Rest> {
  const rest = untilRest(options, signal, first);
  // Behind `return converse(…)` the session is disposed of first: until then nobody listens, and is told all the same.
  rest.catch(() => undefined);
  return rest;
}

async function untilRest(
  options: ConversationOptions,
  signal: AbortSignal,
  first: readonly SessionEvent[],
): Promise<Rest> {
  const { inbox, session, renderer } = options;
  const cancel = listenForCancel(options, AbortSignal.any([signal, session.lost]));
  const vault = options.run.vault ?? new SecretVault();
  const here: Conversing = {
    ...options,
    run: { ...options.run, vault },
    vault,
    hasVault: options.run.vault !== undefined,
    recorder: new Recorder(session, renderer),
    mail: inbox && new WaitingMail(inbox, renderer),
    elsewhere: new Elsewhere(options.posted, options.takes),
    signal: cancel.signal,
    isCancelled: cancel.isCancelled,
  };
  try {
    await checkToolsHere(session.state, (path) => toolsOf(path, options));
    // Nothing is shown, asked or sent of them before they are durable.
    if (first.length > 0) await here.recorder.keep(first, { lazily: true });
    const rest = await runAndAsk(here);
    await here.recorder.flushed(); // after an answer there may have been no run
    if (rest.type === 'ended') session.lost.throwIfAborted(); // a suspended run has no end of its own
    return rest;
  } finally {
    cancel.close();
  }
}

/** The main loop: runs to the next stop, asks, records the answer, and runs again. */
async function runAndAsk(here: Conversing): Promise<Rest> {
  for (;;) {
    const outcome = await runToStop(here);
    let rest: Rest | undefined;
    if (outcome.type === 'ended') rest = endedRest(outcome);
    else if (!here.isCancelled()) rest = await answerOne(here);
    if (here.isCancelled()) {
      await takeCancel(here);
      return rest ?? { type: 'waiting', why: 'cancelled from elsewhere' };
    }
    if (rest !== undefined) return rest;
  }
}

/** Runs the chat or workflow until it ends or asks a question, recording every event. */
async function runToStop(here: Conversing): Promise<RunOutcome> {
  const { session, recorder, renderer, run: options, flow, signal } = here;
  await keepChanges(here);
  const notice = (text: string): void => {
    renderer.notice(text);
  };
  return recorder.record(flow?.run(session.state, signal, notice) ?? run(session.state, options, signal));
}

function endedRest({ reason, error }: RunOutcome & { readonly type: 'ended' }): Rest {
  return { type: 'ended', reason, ...(error !== undefined && { error }) };
}

/** Listens for a cancellation, so that a silent model or a slow tool cannot delay it. */
function listenForCancel(
  { inbox, renderer }: Pick<ConversationOptions, 'inbox' | 'renderer'>,
  signal: AbortSignal,
): { readonly signal: AbortSignal; isCancelled: () => boolean; close: () => void } {
  const cancelled = new AbortController();
  const deaf = new AbortController();
  const listening = AbortSignal.any([signal, deaf.signal]);
  void inbox?.control(['cancel'], listening).then(
    ({ from }) => {
      const who = actorName(from);
      cancelled.abort(new HitlError('ABORTED', `cancelled from elsewhere by ${who}`));
    },
    (thrown: unknown) => {
      if (listening.aborted) return; // nobody listens any more
      renderer.notice(`this run can no longer be cancelled from elsewhere: ${messageOf(thrown)}`);
    },
  );
  return {
    signal: AbortSignal.any([signal, cancelled.signal]),
    isCancelled: () => cancelled.signal.aborted,
    close: () => {
      deaf.abort();
    },
  };
}

async function keepChanges({ changes, session, recorder }: Conversing): Promise<void> {
  const changed = changes?.(session.state) ?? [];
  if (changed.length > 0) await recorder.keep(changed, { lazily: true });
}

/** Takes the cancel message and records it as delivered and applied. */
async function takeCancel({ inbox, recorder }: Conversing): Promise<void> {
  const taken = await inbox?.take({ phase: 'after', path: ROOT_PATH }, new AbortController().signal, {
    wants: () => false,
  });
  if (taken === undefined) return;
  try {
    const { control, events } = taken;
    if (events.length === 0) return; // the run itself took it
    const settled: readonly SessionEvent[] =
      control === undefined ? [] : [{ type: 'inbox-settled', id: control.id, outcome: { type: 'applied' } }];
    await recorder.keep([...events, ...settled]);
  } finally {
    taken.release();
  }
}

/** Gets and records one answer. Returns the reason for stopping, or undefined to continue. */
async function answerOne(options: Conversing): Promise<Rest | undefined> {
  const waiting = await options.posted?.take();
  if (waiting !== undefined) return takePosted(waiting, options);
  const { session, recorder, run: running } = options;
  if (await tookEvent(options)) return undefined;
  if (await fireDue(session, running.clock.now(), (event) => recorder.keep([event]))) return undefined;
  const open = openInterrupts(session.state);
  await options.mail?.tell();
  await keepChanges(options);
  const { agent } = session.state;
  options.renderer.pause();
  const result = await askOrHear(open, { ...options, help: helpIn(options) }, options.signal);
  switch (result.type) {
    case 'again':
      return undefined;
    case 'posted':
      return takePosted(result.answer, options);
    case 'left-open':
      return { type: 'waiting', why: result.why };
    case 'answered':
      await takeAnswer(result, options, agent);
      return undefined;
    default:
      return assertNever(result);
  }
}

/** Lets a channel preview the effect of an edit, using the tools available at the question. */
function helpIn(options: Conversing): AskingHelp {
  const { session, vault, recorder, renderer, run: running } = options;
  return {
    reviewing: (name) => {
      renderer.transient({ type: 'reviewing', name });
    },
    reviewed: async (review) => {
      await recorder.keep([{ type: 'reviewed', ...review }]);
      renderer.pause(); // whoever is asked next has the screen
      return session.state;
    },
    preview: async (interrupt, input, signal) =>
      previewEdit(
        { interrupt, input },
        session.state,
        { tools: await toolsFor(interrupt.id, options), vault, run: running },
        signal,
      ),
  };
}
/**
 * Records or refuses a remote answer. If the user did not decide, returns the reason that the conversation
 * stops, and the answer stays queued for the next process.
 */
async function takePosted(given: Answer, options: Conversing): Promise<Rest | undefined> {
  const answer = withKeptSecrets(given, options.session.state, options.vault);
  const { session, elsewhere, signal } = options;
  const problems = await problemsOf(answer, options, toolNotHere); // it stays for whoever has the tool
  const verdict =
    problems === undefined
      ? await elsewhere.whyNotTaken(answer, session.state, signal)
      : { declined: problems };
  if (verdict === 'stopped') return { type: 'waiting', why: 'stopped' };
  if (verdict === undefined)
    await keepAnswer(answer, options, [], {
      receipt: options.posted?.receiptOf?.(given),
      saidAt: options.posted?.leftAt?.(given),
    });
  else await options.posted?.refuse(given, verdict.declined);
  return undefined;
}

/**
 * Returns the session rule that an answer adds for later calls like this one. If the tool differs from the
 * one shown in the question, no rule is added. The rule expires with the approval.
 * @throws HitlError BAD_ANSWER for an invalid scope, which a third-party channel could send
 */
export function addedRule(
  { id, by }: Answer,
  always: true | SessionSize,
  { state, tools, at }: { readonly state: RunState; readonly tools: ToolSet; readonly at: string },
): readonly SessionEvent[] {
  const interrupt = openInterrupt(state, id);
  const { source, payload = null, bound } = interrupt ?? {};
  const tool = source?.type === 'tool' ? tools.get(source.name) : undefined;
  if (interrupt === undefined || tool === undefined || source?.type !== 'tool') return [];
  if (asksForGrant(interrupt)) return [];
  if (bound !== undefined && (bound.tool !== schemaDigest(tool) || bound.code !== tool.code)) return [];
  const size = always === true ? 'call' : always;
  if (!SESSION_SIZES.includes(size))
    throw new HitlError('BAD_ANSWER', `\`always\` must be true or one of ${SESSION_SIZES.join(', ')}`);
  const exact =
    size === 'tool' ? undefined : sessionScope(size, { name: tool.name, input: source.input, payload });
  if (size !== 'tool' && exact === undefined) return [];
  const scope = exact && placedScope(exact, payload); // who reads the rule later sees no question about a folder
  const until = validUntil(interrupt, { action: 'restart', by, at });
  const known = present({ served: servedTool(tool), until });
  const allowed = { effect: 'allow', tool: tool.name, toolDigest: toolDigest(tool), ...known } as const;
  return [{ type: 'rule-added', rule: { ...allowed, ...(scope && { scope }) }, by }];
}

/**
 * Records an answer from a channel. A reviewer's answer is valid only for the agent that the question was
 * about. If the agent has changed since, the user is asked instead.
 */
async function takeAnswer(
  { answer: given, always, seen }: AskResult & { type: 'answered' },
  options: Conversing,
  agent: RunState['agent'],
): Promise<void> {
  const isLate = (): boolean => given.by.type === 'reviewer' && options.session.state.agent !== agent;
  const answer = withKeptSecrets(given, options.session.state, options.vault);
  const problems = await problemsOf(answer, options, 'inside');
  if (isLate()) return;
  if (problems === undefined) {
    await keepAnswer(
      answer,
      options,
      always === undefined || always === false
        ? []
        : addedRule(answer, always, {
            state: options.session.state,
            tools: await toolsFor(answer.id, options),
            at: isoTime(options.run.clock.now()),
          }),
      { seen, isLate },
    );
    return;
  }
  if (options.channel.interactive !== true) {
    throw new HitlError('BAD_ANSWER', problems, { hint: 'the interrupt is still open; answer it again' });
  }
  options.renderer.notice(problems);
}

/** The origin of an answer, and the edit preview that the approver saw. */
type Circumstances = Omit<Parameters<typeof answerEvents>[2], 'at'> & {
  readonly seen?: ShownEdit | undefined;
  /** Whether the answer is no longer valid. Default: the answer is valid. */
  readonly isLate?: () => boolean;
};
/**
 * Records an answer. It may be flushed together with the events that it causes. Before the flush, nothing
 * that depends on it is started, asked or shown.
 */
async function keepAnswer(
  given: Answer,
  options: Conversing,
  extra: readonly SessionEvent[] = [],
  { seen, isLate = () => false, ...posted }: Circumstances = {},
): Promise<void> {
  const { session, recorder, vault } = options;
  const tools = await toolsFor(given.id, options);
  const looking = { tools, vault, run: options.run, seen };
  const answer = await sealed(given, session.state, looking, options.signal);
  if (answer.secrets.length > 0 && options.flow !== undefined && !options.hasVault)
    throw new HitlError('BAD_CONFIG', 'the answer contains a secret, but the workflow has no vault', {
      hint: 'create one with `new SecretVault()` and pass it as `vault` to both the conversation and the workflow',
    });
  if (isLate()) return;
  const at = isoTime(options.run.clock.now());
  const events = answerEvents(answer, session.state, { at, ...posted });
  await recorder.keep([...events, ...extra], { lazily: true });
}
