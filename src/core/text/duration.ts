const UNITS: ReadonlyMap<string, number> = new Map([
  ['ms', 1],
  ['s', 1_000],
  ['m', 60_000],
  ['min', 60_000],
  ['h', 3_600_000],
  ['d', 86_400_000],
]);

/** Reads a duration that a person wrote as milliseconds: `90s`, `5m`, `2h`, `500ms`, `1d`; a bare number is seconds. */
export function durationMs(text: string): number | undefined {
  const [, number, unit = 's'] = /^(\d{1,12}(?:\.\d{1,6})?) ?([a-z]+)?$/.exec(text) ?? [];
  const length = UNITS.get(unit);
  const ms = number === undefined || length === undefined ? 0 : Number(number) * length;
  return ms > 0 ? ms : undefined;
}

const SHOWN: readonly (readonly [string, number])[] = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1_000],
];

/** A duration for people, in its largest unit: `3 h`. */
export function durationText(ms: number): string {
  for (const [unit, length] of SHOWN) if (ms >= length) return `${Math.floor(ms / length)} ${unit}`;
  return `${Math.round(ms)} ms`;
}
