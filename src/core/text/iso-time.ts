/** Reads ISO 8601 as milliseconds since 1970; `NaN` where it is none. */
export function timeOf(iso: string): number {
  // eslint-disable-next-line no-restricted-globals -- pure: the moment is given
  return Date.parse(iso);
}

/** A moment, given in milliseconds since 1970, as ISO 8601 in UTC. */
export function isoTime(ms: number): string {
  // eslint-disable-next-line no-restricted-globals -- pure: the moment is given
  return new Date(ms).toISOString();
}
