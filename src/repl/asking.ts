import type {
  Answer,
  AskingHelp,
  AskResult,
  Clock,
  HumanChannel,
  Interrupt,
  PostedAnswers,
  RunState,
  Session,
} from '../core/index.js';
import { actorName, doneOf, HitlError, isHitlError, nextTimer } from '../core/index.js';
import type { Elsewhere } from './elsewhere.js';
import { awaitsEvents } from './outside-events.js';
import type { WaitingMail } from './waiting-mail.js';

/** The result of asking the user while also waiting for remote answers, messages and the timeout. */
export type Heard =
  | AskResult
  | { readonly type: 'posted'; readonly answer: Answer }
  /** The question must be asked again, because it may have changed. */
  | { readonly type: 'again'; readonly why: HitlError };

/** The channel to ask, and the sources of events that can withdraw the question. */
interface Asking {
  readonly channel: HumanChannel;
  readonly session: Session;
  readonly run: { readonly clock: Clock };
  readonly elsewhere: Elsewhere;
  readonly posted?: PostedAnswers;
  readonly mail: WaitingMail | undefined;
  readonly help: AskingHelp;
}

/**
 * Asks the user and waits for a remote answer. The first answer wins and withdraws the question (G16). A
 * message also withdraws it if the user can be asked again, because the question may have changed.
 */
export async function askOrHear(
  open: readonly Interrupt[],
  { channel, posted, session, mail, elsewhere, help, run: { clock } }: Asking,
  signal: AbortSignal,
): Promise<Heard> {
  if (signal.aborted) return { type: 'left-open', why: 'stopped' };
  const withdraw = new AbortController();
  const scope = AbortSignal.any([signal, withdraw.signal]);
  const asked = channel.ask(open, session.state, scope, help).catch((thrown: unknown): AskResult => {
    if (scope.aborted && !isHitlError(thrown)) return { type: 'left-open', why: 'stopped' };
    throw thrown;
  });
  const heard: Promise<Heard>[] = [];
  if (posted !== undefined) heard.push(elsewhere.next(scope).then((answer) => ({ type: 'posted', answer })));
  if (mail !== undefined && (channel.interactive === true || awaitsEvents(open)))
    heard.push(mail.news(scope).then((why) => ({ type: 'again', why })));
  if (nextTimer(session.state) !== undefined)
    heard.push(timeIsOver(session.state, clock, scope).then((why) => ({ type: 'again', why })));
  if (heard.length === 0) return asked;
  try {
    return await Promise.race([asked, ...heard.map((one) => one.catch(() => asked))]);
  } finally {
    withdraw.abort(await whyWithdrawn(heard, asked, open));
    await Promise.allSettled([asked, ...heard]);
  }
}

/** Returns the reason that a question was withdrawn, based on the event that arrived first. */
async function whyWithdrawn(
  heard: readonly Promise<Heard>[],
  asked: Promise<AskResult>,
  open: readonly Interrupt[],
): Promise<HitlError> {
  const here = asked.then(
    () => undefined,
    () => undefined,
  );
  const first = await Promise.race([...heard.map((one) => one.catch(() => here)), here]);
  if (first?.type === 'again') return first.why;
  if (first?.type !== 'posted') return new HitlError('ALREADY_ANSWERED', 'answered here');
  const { id, by, resolution } = first.answer;
  const interrupt = open.find((one) => one.id === id);
  const what = interrupt === undefined ? resolution.action : doneOf(interrupt, resolution).verb;
  return new HitlError('ALREADY_ANSWERED', `answered elsewhere by ${actorName(by)}: ${what}`);
}

/** Longest sleep, in milliseconds. Timers do not support delays longer than a few weeks. */
const MOST_SLEEP_MS = 86_400_000;

/**
 * Waits until the first question expires and returns the reason for withdrawing it. Without a deadline, it
 * waits forever. Rejects with the signal's reason.
 */
async function timeIsOver(state: RunState, clock: Clock, signal: AbortSignal): Promise<HitlError> {
  const at = nextTimer(state)?.at ?? Number.POSITIVE_INFINITY;
  for (;;) {
    const left = at - clock.now();
    if (left <= 0) return new HitlError('ABORTED', 'the question has expired');
    await clock.sleep(Math.min(left, MOST_SLEEP_MS), signal);
  }
}
