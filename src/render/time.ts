const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** A duration in words, with two units at most: `4 s`, `2 min 5 s`, `3 h 12 min`, `5 d`. Negative ones count as none. */
export function formatDuration(ms: number): string {
  if (!(ms >= SECOND)) return `${Math.max(0, Math.round(Number.isNaN(ms) ? 0 : ms))} ms`;
  if (ms < MINUTE) return `${Math.floor(ms / SECOND)} s`;
  if (ms < HOUR) return twoUnits(ms, MINUTE, 'min', 's');
  if (ms < DAY) return twoUnits(ms, HOUR, 'h', 'min');
  return `${Math.floor(ms / DAY)} d`;
}

function twoUnits(ms: number, unit: number, name: string, smaller: string): string {
  const rest = Math.floor((ms % unit) / (unit / 60));
  return `${Math.floor(ms / unit)} ${name}${rest === 0 ? '' : ` ${rest} ${smaller}`}`;
}

/** Says until when, on the clock of this place: `09:00`, `01-03 09:00` on another day; `unknown` for what is no time. */
export function formatUntil(iso: string, now: number): string {
  const then = new Date(iso);
  if (Number.isNaN(then.getTime())) return 'unknown';
  const two = (value: number): string => String(value).padStart(2, '0');
  const time = `${two(then.getHours())}:${two(then.getMinutes())}`;
  const today = new Date(now);
  if (then.toDateString() === today.toDateString()) return time;
  const date = `${two(then.getMonth() + 1)}-${two(then.getDate())} ${time}`;
  return then.getFullYear() === today.getFullYear() ? date : `${then.getFullYear()}-${date}`;
}

/** Says how long ago an ISO 8601 time was, with one unit: `just now`, `3 h ago`; `unknown` for what is no time. */
export function formatAge(iso: string, now: number): string {
  const then = Date.parse(iso);
  if (Number.isNaN(then)) return 'unknown';
  const ms = now - then;
  if (ms < MINUTE) return 'just now';
  if (ms < HOUR) return `${Math.floor(ms / MINUTE)} min ago`;
  if (ms < DAY) return `${Math.floor(ms / HOUR)} h ago`;
  return `${Math.floor(ms / DAY)} d ago`;
}
