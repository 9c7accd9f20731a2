// What became of one attack, and of all of them.

/** What an attack came to; `broken` also where it could not be tried, since nothing was shown then. */
export type Verdict =
  | { readonly type: 'held'; readonly evidence: string }
  | { readonly type: 'broken'; readonly evidence: string }
  | { readonly type: 'skipped'; readonly evidence: string };

/** A row of the table: an attack that was tried, and how it ended. */
export interface Result {
  readonly id: string;
  readonly tried: string;
  readonly verdict: Verdict;
  readonly ms: number;
}

/** The law held; `evidence` says by what it was seen. */
export function held(evidence: string): Verdict {
  return { type: 'held', evidence };
}

/** The law was broken; `evidence` says by what it was seen. */
export function broken(evidence: string): Verdict {
  return { type: 'broken', evidence };
}

/** This system lacks what the attack needs. */
export function skipped(why: string): Verdict {
  return { type: 'skipped', evidence: why };
}

/** `held` where nothing is left to say against it, otherwise `broken` with all of it. */
export function heldUnless(objections: readonly string[], evidence: string): Verdict {
  return objections.length === 0 ? held(evidence) : broken(objections.join('; '));
}

/** Says that an attack never got to its point: what it builds on did not happen. */
export class NotTried extends Error {}

/** Stops an attack whose preparation did not do what it must: its verdict would mean nothing. */
export function premise(isSo: boolean, what: string): asserts isSo {
  if (!isSo) throw new NotTried(what);
}

/** What an attack that threw came to. */
export function verdictOfError(error: unknown): Verdict {
  const said = error instanceof Error ? error.message : String(error);
  return broken(`could not be tried: ${said}`);
}

/** The last line: how many held, and how many did not. */
export function summaryOf(results: readonly Result[]): string {
  const count = (type: Verdict['type']) => results.filter(({ verdict }) => verdict.type === type).length;
  const left = count('skipped');
  return `${count('held')} held, ${count('broken')} broken${left === 0 ? '' : `, ${left} skipped`}`;
}

/** 0 where something was tried and all of it held, otherwise 1. */
export function statusOf(results: readonly Result[]): number {
  const isAnyHeld = results.some(({ verdict }) => verdict.type === 'held');
  return isAnyHeld && results.every(({ verdict }) => verdict.type !== 'broken') ? 0 : 1;
}
