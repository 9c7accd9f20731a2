import type { Shown } from '../core/index.js';
import { shown, escapeText } from '../core/index.js';
const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/**
 * Formats a duration with at most two units: `4 s`, `2 min 5 s`, `3 h 12 min`, `5 d`. Negative durations are
 * formatted as zero.
 */
export function formatDuration(ms: number): Shown {
  if (!(ms >= SECOND)) return shown`${Math.max(0, Math.round(Number.isNaN(ms) ? 0 : ms))} ms`;
  if (ms < MINUTE) return shown`${Math.floor(ms / SECOND)} s`;
  if (ms < HOUR) return twoUnits(ms, MINUTE, 'min', 's');
  if (ms < DAY) return twoUnits(ms, HOUR, 'h', 'min');
  return shown`${Math.floor(ms / DAY)} d`;
}

function twoUnits(ms: number, unit: number, name: 'min' | 'h', smaller: 's' | 'min'): Shown {
  const rest = Math.floor((ms % unit) / (unit / 60));
  return escapeText(`${Math.floor(ms / unit)} ${name}${rest === 0 ? '' : ` ${rest} ${smaller}`}`);
}

/**
 * Formats a deadline in local time: `09:00`, or `01-03 09:00` on another day. An invalid time is formatted as
 * `unknown`.
 */
export function formatUntil(iso: string, now: number): Shown {
  const then = new Date(iso);
  if (Number.isNaN(then.getTime())) return shown`unknown`;
  const two = (value: number): Shown => escapeText(String(value).padStart(2, '0'));
  const time = shown`${two(then.getHours())}:${two(then.getMinutes())}`;
  const today = new Date(now);
  if (then.toDateString() === today.toDateString()) return time;
  const date = shown`${two(then.getMonth() + 1)}-${two(then.getDate())} ${time}`;
  return then.getFullYear() === today.getFullYear() ? date : shown`${then.getFullYear()}-${date}`;
}

/**
 * Formats the age of an ISO 8601 time with one unit: `just now`, `3 h ago`. An invalid time is formatted as
 * `unknown`.
 */
export function formatAge(iso: string, now: number): Shown {
  const then = Date.parse(iso);
  if (Number.isNaN(then)) return shown`unknown`;
  const ms = now - then;
  if (ms < MINUTE) return shown`just now`;
  if (ms < HOUR) return shown`${Math.floor(ms / MINUTE)} min ago`;
  if (ms < DAY) return shown`${Math.floor(ms / HOUR)} h ago`;
  return shown`${Math.floor(ms / DAY)} d ago`;
}
