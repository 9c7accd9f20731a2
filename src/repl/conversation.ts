import type {
  Answer,
  AskResult,
  Clock,
  HumanChannel,
  Interrupt,
  Renderer,
  RunEnd,
  Session,
  SessionEvent,
  ToolSet,
} from '../core/index.js';
import { HitlError, isHitlError, isoTime, openInterrupts, toolDigest } from '../core/index.js';
import type { RunOptions } from '../engine/index.js';
import { checkResume, run } from '../engine/index.js';
import { keep, record } from './record.js';

/** Answers that other processes left for this session. */
export interface PostedAnswers {
  /** The next one; what has been waiting comes first. Rejects with the signal's reason when it aborts. */
  next(signal: AbortSignal): Promise<Answer>;
  /** One that is there already. */
  take(): Promise<Answer | undefined>;
  /** Says to whoever posted it why an answer was not used. */
  refuse(answer: Answer, why: string): Promise<void>;
}

export interface ConversationOptions {
  readonly session: Session;
  readonly run: RunOptions;
  readonly channel: HumanChannel;
  readonly renderer: Renderer;
  readonly posted?: PostedAnswers;
}

/** Why a conversation came to rest. */
export type Rest =
  | { readonly type: 'ended'; readonly reason: RunEnd; readonly error?: unknown }
  | { readonly type: 'waiting'; readonly why: string };

/**
 * Runs, asks, and goes on until the session rests: the model is done, or an interrupt stays open.
 * Aborting the signal stops the run, or withdraws the question and leaves it open.
 */
export async function converse(options: ConversationOptions, signal: AbortSignal): Promise<Rest> {
  const { session, renderer, run: runOptions } = options;
  for (;;) {
    const outcome = await record(run(session.state, runOptions, signal), session, renderer);
    if (outcome.type === 'ended') {
      return {
        type: 'ended',
        reason: outcome.reason,
        ...(outcome.error !== undefined && { error: outcome.error }),
      };
    }
    const rest = await answerOne(options, signal);
    if (rest !== undefined) return rest;
  }
}

/** Gets one answer and makes it durable; says so where nobody gave one. */
async function answerOne(options: ConversationOptions, signal: AbortSignal): Promise<Rest | undefined> {
  const waiting = await options.posted?.take();
  if (waiting !== undefined) {
    await takePosted(waiting, options);
    return undefined;
  }
  const open = openInterrupts(options.session.state);
  options.renderer.pause();
  const result = await askOrHear(open, options, signal);
  if ('posted' in result) {
    await takePosted(result.posted, options);
    return undefined;
  }
  if (result.type === 'left-open') return { type: 'waiting', why: result.why };
  await takeAnswer(result, options);
  return undefined;
}

/** Asks here, and listens for an answer from elsewhere; the first one wins, and withdraws the question (G16). */
async function askOrHear(
  open: readonly Interrupt[],
  { channel, posted, session }: ConversationOptions,
  signal: AbortSignal,
): Promise<AskResult | { readonly posted: Answer }> {
  if (signal.aborted) return { type: 'left-open', why: 'stopped' };
  const withdraw = new AbortController();
  const deaf = new AbortController();
  const scope = AbortSignal.any([signal, withdraw.signal]);
  const asked = channel.ask(open, session.state, scope).catch((thrown: unknown): AskResult => {
    if (scope.aborted && !isHitlError(thrown)) return { type: 'left-open', why: 'stopped' };
    throw thrown;
  });
  if (posted === undefined) return asked;
  const heard = posted.next(AbortSignal.any([scope, deaf.signal])).then((answer) => ({ posted: answer }));
  try {
    return await Promise.race([asked, heard.catch(() => asked)]);
  } finally {
    withdraw.abort(new HitlError('ALREADY_ANSWERED', await whoAnswered(heard, asked)));
    deaf.abort();
    await Promise.allSettled([asked, heard]);
  }
}

async function whoAnswered(heard: Promise<{ posted: Answer }>, asked: Promise<AskResult>): Promise<string> {
  const first = await Promise.race([
    heard.catch(() => undefined),
    asked.then(
      () => undefined,
      () => undefined,
    ),
  ]);
  if (first === undefined) return 'answered here';
  const { by, resolution } = first.posted;
  return `answered elsewhere by ${by.type === 'rule' ? by.rule : by.name}: ${resolution.action}`;
}

async function takePosted(answer: Answer, options: ConversationOptions): Promise<void> {
  const problems = await problemsOf(answer, options);
  if (problems === undefined) await keepAnswer(answer, options);
  else await options.posted?.refuse(answer, problems);
}

async function takeAnswer(
  { answer, always }: AskResult & { type: 'answered' },
  options: ConversationOptions,
): Promise<void> {
  const problems = await problemsOf(answer, options);
  if (problems === undefined) {
    await keepAnswer(answer, options, always === true ? rule(answer, options) : []);
    return;
  }
  if (options.channel.interactive !== true) {
    throw new HitlError('BAD_ANSWER', problems, { hint: 'the interrupt is still open; answer it again' });
  }
  options.renderer.notice(problems);
}

async function problemsOf(
  answer: Answer,
  { session, run: { tools } }: ConversationOptions,
): Promise<string | undefined> {
  const problems = await checkResume(session.state, [answer], tools, { complete: false });
  return problems.length === 0 ? undefined : problems.map(({ message }) => message).join('; ');
}

async function keepAnswer(
  answer: Answer,
  options: ConversationOptions,
  extra: readonly SessionEvent[] = [],
): Promise<void> {
  await keep([resolvedEvent(answer, options.run.clock), ...extra], options.session, options.renderer);
}

/** The event that makes an answer durable. */
export function resolvedEvent(answer: Answer, clock: Clock): SessionEvent {
  const { id, digest, resolution, by } = answer;
  return { type: 'interrupt-resolved', id, digest, resolution, by, resolvedAt: isoTime(clock.now()) };
}

function rule({ id, by }: Answer, { session, run: { tools } }: ConversationOptions): readonly SessionEvent[] {
  const source = openInterrupts(session.state).find((interrupt) => interrupt.id === id)?.source;
  const tool = source?.type === 'tool' ? findTool(tools, source.name) : undefined;
  if (tool === undefined) return [];
  return [
    { type: 'rule-added', rule: { effect: 'allow', tool: tool.name, toolDigest: toolDigest(tool) }, by },
  ];
}

function findTool(tools: ToolSet, name: string): ReturnType<ToolSet['get']> {
  return tools.get(name);
}
