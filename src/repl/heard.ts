import type { Answer, AskResult, Interrupt } from '../core/index.js';
import { actorName, doneOf, HitlError } from '../core/index.js';

/** The result of asking here and of listening for what comes from elsewhere, and for the time. */
export type Heard = AskResult | { readonly posted: Answer } | { readonly again: HitlError };

/** Says why a question is taken back: what came first in its place. */
export async function whyWithdrawn(
  heard: readonly Promise<Heard>[],
  asked: Promise<AskResult>,
  open: readonly Interrupt[],
): Promise<HitlError> {
  const here = asked.then(
    () => undefined,
    () => undefined,
  );
  const first = await Promise.race([...heard.map((one) => one.catch(() => here)), here]);
  if (first !== undefined && 'again' in first) return first.again;
  if (first === undefined || !('posted' in first)) return new HitlError('ALREADY_ANSWERED', 'answered here');
  const { id, by, resolution } = first.posted;
  const interrupt = open.find((one) => one.id === id);
  const what = interrupt === undefined ? resolution.action : doneOf(interrupt, resolution).verb;
  return new HitlError('ALREADY_ANSWERED', `answered elsewhere by ${actorName(by)}: ${what}`);
}
