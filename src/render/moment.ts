import { escapeText } from '../core/index.js';

const ISO = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?Z$/;

/** Formats an ISO 8601 time for people: `2026-01-02 03:04 UTC`; returns an invalid one unchanged. */
export function formatMoment(iso: string): string {
  return ISO.test(iso) ? `${iso.slice(0, 10)} ${iso.slice(11, 16)} UTC` : escapeText(iso);
}
