import type {
  Answer,
  AskResult,
  HumanChannel,
  Interrupt,
  NodePath,
  PostedAnswers,
  Renderer,
  RunEnd,
  RunInbox,
  RunState,
  Session,
  SessionEvent,
  ToolSet,
} from '../core/index.js';
import {
  answerEvents,
  fireDue,
  HitlError,
  isHitlError,
  isoTime,
  nextTimer,
  openInterrupts,
  ROOT_PATH,
  SecretVault,
} from '../core/index.js';
import type { EngineEvent, RunOptions, RunOutcome } from '../engine/index.js';
import { checkToolsHere, run, sealed, toolNotHere, withKeptSecrets } from '../engine/index.js';
import { addedRule } from './added-rule.js';
import { problemsOf, toolsFor, toolsOf } from './answer-problems.js';
import { timeIsOver } from './due.js';
import { awaitsEvents, tookEvent } from './outside-events.js';
import type { Ears } from './ears.js';
import { listenForCancel } from './ears.js';
import type { Takes } from './elsewhere.js';
import { Elsewhere } from './elsewhere.js';
import type { Heard } from './heard.js';
import { whyWithdrawn } from './heard.js';
import { Recorder } from './record.js';
import { WaitingMail } from './waiting-mail.js';

/** The workflow that is run in place of a chat. */
export interface FlowRunner {
  /**
   * Runs from where a state is to the next stop.
   * @param notice is told what somebody should know of, and nobody is asked
   */
  run(
    state: RunState,
    signal: AbortSignal,
    notice: (text: string) => void,
  ): AsyncGenerator<EngineEvent, RunOutcome>;
  /** The tools of what runs at a path. */
  toolsAt(path: NodePath, state: RunState): Promise<ToolSet>;
}

/** The session, model, tools and people of `converse`. */
export interface ConversationOptions {
  readonly session: Session;
  readonly run: RunOptions;
  /** Default: a chat with the session's model and tools. */
  readonly flow?: FlowRunner;
  readonly channel: HumanChannel;
  readonly renderer: Renderer;
  readonly posted?: PostedAnswers;
  /**
   * Whether the person here takes an answer from elsewhere. Default: every one counts, as if nobody sat at the terminal.
   */
  readonly takes?: Takes;
  /** What has changed around the run since the session was told of it: it is kept before anything is asked or run. */
  readonly changes?: (state: RunState) => readonly SessionEvent[];
  /** The messages that others send to the run: it listens for `cancel` while something runs or is asked. */
  readonly inbox?: RunInbox;
}

interface Conversing extends ConversationOptions {
  readonly vault: SecretVault;
  /** The vault was given: a workflow has the same. */
  readonly hasVault: boolean;
  readonly recorder: Recorder;
  readonly mail: WaitingMail | undefined;
  readonly elsewhere: Elsewhere;
  readonly signal: AbortSignal;
}

/** The reason why a conversation came to rest. */
export type Rest =
  | { readonly type: 'ended'; readonly reason: RunEnd; readonly error?: unknown }
  | { readonly type: 'waiting'; readonly why: string };

/**
 * Runs, asks, and goes on until the session rests: the model is done, or an interrupt stays open.
 * Aborting the signal stops the run, or withdraws the question and leaves it open; so does the loss of the session.
 * @param first events that it begins with: they are kept, and share their flush with what they start.
 */
export function converse(
  options: ConversationOptions,
  signal: AbortSignal,
  first: readonly SessionEvent[] = [],
): Promise<Rest> {
  const rest = toRest(options, signal, first);
  // Behind `return converse(…)` the session is disposed of first: until then nobody listens, and is told all the same.
  rest.catch(() => undefined);
  return rest;
}

async function toRest(
  options: ConversationOptions,
  signal: AbortSignal,
  first: readonly SessionEvent[],
): Promise<Rest> {
  const ears = listenForCancel(options, AbortSignal.any([signal, options.session.lost]));
  const { inbox, session, renderer } = options;
  const vault = options.run.vault ?? new SecretVault();
  const own = { run: { ...options.run, vault }, vault, hasVault: options.run.vault !== undefined };
  const recorder = new Recorder(session, renderer);
  const mail = inbox && new WaitingMail(inbox, renderer);
  const elsewhere = new Elsewhere(options.posted, options.takes);
  try {
    await checkToolsHere(session.state, (path) => toolsOf(path, options));
    // Nothing is shown, asked or sent of them before they are durable.
    if (first.length > 0) await recorder.keep(first, { lazily: true });
    let rest: Rest | undefined;
    while (rest === undefined)
      rest = await stretch({ ...options, ...own, recorder, mail, elsewhere, signal: ears.signal }, ears);
    await recorder.flushed(); // behind an answer there may have been no run
    if (rest.type === 'ended') session.lost.throwIfAborted(); // a suspended run has no end of its own
    return rest;
  } finally {
    ears.close();
  }
}

/** Runs to the next stop, and asks there; a rest where the session stays. */
async function stretch(options: Conversing, ears: Ears): Promise<Rest | undefined> {
  const { session, recorder, renderer, run: runOptions, flow } = options;
  await keepChanges(options);
  const notice = (text: string): void => {
    renderer.notice(text);
  };
  const events = flow?.run(session.state, ears.signal, notice) ?? run(session.state, runOptions, ears.signal);
  const outcome = await recorder.record(events);
  if (outcome.type === 'ended') {
    if (ears.heard()) await takeCancel(options);
    const { reason, error } = outcome;
    return { type: 'ended', reason, ...(error !== undefined && { error }) };
  }
  const rest = ears.heard() ? undefined : await answerOne(options, ears.signal);
  if (!ears.heard()) return rest;
  await takeCancel(options);
  return rest ?? { type: 'waiting', why: 'cancelled from elsewhere' };
}

async function keepChanges({ changes, session, recorder }: Conversing): Promise<void> {
  const changed = changes?.(session.state) ?? [];
  if (changed.length > 0) await recorder.keep(changed, { lazily: true });
}

/** The verb that was heard is delivered, and done. */
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

/** Gets one answer and keeps it; says so where nobody gave one. */
async function answerOne(options: Conversing, signal: AbortSignal): Promise<Rest | undefined> {
  const waiting = await options.posted?.take();
  if (waiting !== undefined) return takePosted(waiting, options);
  const { session, recorder, run: running } = options;
  if (await tookEvent(options)) return undefined;
  if (await fireDue(session, running.clock.now(), (event) => recorder.keep([event]))) return undefined;
  const open = openInterrupts(session.state);
  await options.mail?.tell();
  await keepChanges(options);
  options.renderer.pause();
  const result = await askOrHear(open, options, signal);
  if ('again' in result) return undefined;
  if ('posted' in result) return takePosted(result.posted, options);
  if (result.type === 'left-open') return { type: 'waiting', why: result.why };
  await takeAnswer(result, options);
  return undefined;
}

/**
 * Asks here, and listens for an answer from elsewhere; the first one wins, and withdraws the question (G16). So does a
 * message, where a person can be asked again: the question may be another one then.
 */
async function askOrHear(
  open: readonly Interrupt[],
  { channel, posted, session, mail, elsewhere, run: { clock } }: Conversing,
  signal: AbortSignal,
): Promise<Heard> {
  if (signal.aborted) return { type: 'left-open', why: 'stopped' };
  const withdraw = new AbortController();
  const scope = AbortSignal.any([signal, withdraw.signal]);
  const asked = channel.ask(open, session.state, scope).catch((thrown: unknown): AskResult => {
    if (scope.aborted && !isHitlError(thrown)) return { type: 'left-open', why: 'stopped' };
    throw thrown;
  });
  const heard: Promise<Heard>[] = [];
  if (posted !== undefined) heard.push(elsewhere.next(scope).then((answer) => ({ posted: answer })));
  if (mail !== undefined && (channel.interactive === true || awaitsEvents(open)))
    heard.push(mail.news(scope).then((news) => ({ again: news })));
  if (nextTimer(session.state) !== undefined)
    heard.push(timeIsOver(session.state, clock, scope).then((over) => ({ again: over })));
  if (heard.length === 0) return asked;
  try {
    return await Promise.race([asked, ...heard.map((one) => one.catch(() => asked))]);
  } finally {
    withdraw.abort(await whyWithdrawn(heard, asked, open));
    await Promise.allSettled([asked, ...heard]);
  }
}

/** Takes an answer from elsewhere, or refuses it; a rest where nobody said what becomes of it: it stays for who comes next. */
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

async function takeAnswer(
  { answer: given, always }: AskResult & { type: 'answered' },
  options: Conversing,
): Promise<void> {
  const answer = withKeptSecrets(given, options.session.state, options.vault);
  const problems = await problemsOf(answer, options);
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
    );
    return;
  }
  if (options.channel.interactive !== true) {
    throw new HitlError('BAD_ANSWER', problems, { hint: 'the interrupt is still open; answer it again' });
  }
  options.renderer.notice(problems);
}

/** The answer may share its flush with what it starts: nothing starts, is asked or is said of it before that. */
async function keepAnswer(
  given: Answer,
  options: Conversing,
  extra: readonly SessionEvent[] = [],
  posted: Omit<Parameters<typeof answerEvents>[2], 'at'> = {},
): Promise<void> {
  const { session, recorder, vault } = options;
  const tools = await toolsFor(given.id, options);
  const answer = await sealed(given, session.state, { tools, vault, run: options.run }, options.signal);
  if (answer.secrets.length > 0 && options.flow !== undefined && !options.hasVault)
    throw new HitlError(
      'BAD_CONFIG',
      'the answer holds a secret, and the workflow has no vault to find it in',
      {
        hint: 'give the run options of both `vault: new SecretVault()`',
      },
    );
  const at = isoTime(options.run.clock.now());
  const events = answerEvents(answer, session.state, { at, ...posted });
  await recorder.keep([...events, ...extra], { lazily: true });
}
