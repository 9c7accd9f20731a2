// The outcome of one attack.

/** What an attack came to. */
export type Verdict =
  | { readonly type: 'held'; readonly evidence: string }
  | { readonly type: 'broken'; readonly evidence: string }
  | { readonly type: 'skipped'; readonly evidence: string };

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

/** `held` if there are no objections, otherwise `broken` with all of them. */
export function heldUnless(objections: readonly string[], evidence: string): Verdict {
  return objections.length === 0 ? held(evidence) : broken(objections.join('; '));
}

/** Stops an attack whose preparation failed: its verdict would mean nothing. */
export function premise(isSo: boolean, what: string): asserts isSo {
  if (!isSo) throw new Error(`could not be tried: ${what}`);
}
