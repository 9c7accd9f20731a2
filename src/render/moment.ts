import type { Shown } from '../core/index.js';
import { escapeText, momentText } from '../core/index.js';

/**
 * Formats an ISO 8601 time for people: `2026-01-02 03:04 UTC`. An invalid time is returned unchanged but
 * escaped.
 */
export function formatMoment(iso: string): Shown {
  return escapeText(momentText(iso));
}
