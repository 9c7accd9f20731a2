import { count } from './plain-line.js';

const UNITS: ReadonlyMap<string, number> = new Map([
  ['ms', 1],
  ['s', 1_000],
  ['m', 60_000],
  ['min', 60_000],
  ['h', 3_600_000],
  ['d', 86_400_000],
]);

/**
 * Parses a duration written by a person and returns milliseconds: `90s`, `5m`, `2h`, `1h30m`, `500ms`, `1d`.
 * A bare number is in seconds. The maximum is a hundred years.
 */
export function durationMs(text: string): number | undefined {
  if (/^\d{1,12}(?:\.\d{1,6})?$/u.test(text)) return within(Number(text) * 1_000);
  if (!/^(?:\d{1,12}(?:\.\d{1,6})? ?[a-z]{1,3} ?){1,6}$/u.test(text) || text.endsWith(' ')) return undefined;
  let ms = 0;
  let shortest = Number.POSITIVE_INFINITY;
  for (const [, number, unit = ''] of text.matchAll(/(\d+(?:\.\d+)?) ?([a-z]+)/gu)) {
    const length = UNITS.get(unit);
    if (length === undefined || length >= shortest) return undefined; // from the longest unit to the shortest
    shortest = length;
    ms += Number(number) * length;
  }
  return within(ms);
}

/** A duration as a string (`90s`, `1h30m`, `2d`) or a number of milliseconds. */
export type Duration = string | number;

/** Parses a duration and returns milliseconds; `undefined` if it is invalid. A number may be 0. */
export function millisecondsOf(given: unknown): number | undefined {
  if (typeof given === 'string') return durationMs(given);
  return typeof given === 'number' && given >= 0 && given <= LONGEST ? given : undefined;
}

/**
 * Explains a bare number whose unit has changed: version 0.1 read it as milliseconds, later versions read it
 * as seconds. Returns `undefined` for a number below 1,000, which can only mean seconds because no limit is
 * shorter than a second.
 */
export function ambiguousDuration(text: string): string | undefined {
  const number = /^\d{1,12}(?:\.\d{1,6})?$/u.test(text) ? Number(text) : 0;
  if (number < 1_000) return undefined;
  const readings = [exactDuration(number), exactDuration(number * 1_000)];
  return `${text} meant milliseconds in version 0.1 but now means seconds; write ${readings.join(' or ')}`;
}

/** A hundred years: the longest duration that is accepted. */
const LONGEST = 36_525 * 86_400_000;

function within(ms: number): number | undefined {
  return ms > 0 && ms <= LONGEST ? ms : undefined;
}

const SHOWN: readonly (readonly [string, number])[] = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1_000],
];

/** Formats whole milliseconds for flags and files: `1h30m`. `durationMs` parses the result. */
export function exactDuration(ms: number): string {
  let rest = ms;
  const pieces = ['d', 'h', 'm', 's', 'ms'].map((unit) => {
    const length = UNITS.get(unit) ?? 1;
    const count = Math.floor(rest / length);
    rest -= count * length;
    return count === 0 ? '' : `${count}${unit}`;
  });
  return pieces.join('');
}

/** Formats a duration for people, in the largest unit that fits: `3 h`. */
export function durationText(ms: number): string {
  for (const [unit, length] of SHOWN) if (ms >= length) return `${Math.floor(ms / length)} ${unit}`;
  return `${Math.round(ms)} ms`;
}

/** Parses an ISO 8601 time and returns milliseconds since 1970; `NaN` if it is invalid. */
export function timeOf(iso: string): number {
  // oxlint-disable-next-line no-restricted-globals -- pure: the moment is given
  return Date.parse(iso);
}

/** Formats milliseconds since 1970 as ISO 8601 in UTC. */
export function isoTime(ms: number): string {
  // oxlint-disable-next-line no-restricted-globals -- pure: the moment is given
  return new Date(ms).toISOString();
}

const MOMENT = /^(\d{4}-\d{2}-\d{2})T(\d{2}:\d{2})(?::\d{2}(?:\.\d+)?)?Z$/;

/**
 * Formats a journal timestamp for people: `2026-01-02 03:04 UTC`. Returns an invalid timestamp unchanged. Not
 * escaped.
 */
export function momentText(iso: string): string {
  const [, day, time] = MOMENT.exec(iso) ?? [];
  return day === undefined || time === undefined ? iso : `${day} ${time} UTC`;
}

/** Formats an amount with the unit of its limit: `5 rounds`, `$0.50`, `90 s`. */
export function amountText(value: number, limit: string): string {
  switch (limit) {
    case 'cost':
      return `$${value.toFixed(value < 1 ? 4 : 2)}`;
    case 'time':
      return durationText(value);
    case 'tokens':
    case 'context':
      return `${value.toLocaleString('en-US')} tokens`;
    case 'turns':
      return count(value, 'round');
    default:
      return String(value);
  }
}

/** Describes the unit in which a limit is entered. */
export function amountUnit(limit: string): string {
  switch (limit) {
    case 'cost':
      return 'an amount in US dollars';
    case 'time':
      return 'a number of seconds, or a duration with a unit: 90s, 5m, 2h';
    case 'tokens':
    case 'context':
      return 'a whole number of tokens';
    default:
      return `a whole number of ${limit === 'turns' ? 'rounds' : 'nodes'}`;
  }
}

/** Returns a limit's display name: `cost limit`. */
export function limitName(limit: unknown): string {
  switch (limit) {
    case 'turns':
      return 'tool round limit';
    case 'tokens':
      return 'token limit';
    case 'cost':
      return 'cost limit';
    case 'time':
      return 'time limit';
    case 'iterations':
      return 'node limit';
    default:
      return 'limit';
  }
}
