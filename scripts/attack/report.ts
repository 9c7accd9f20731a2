// How the table is written.
import type { Result } from './verdict.js';

const EVIDENCE_LENGTH = 300;

/** A text on one line, with what a terminal would act on made visible, and cut where it is long. */
export function oneLine(text: string): string {
  const flat = text
    .replaceAll(/\s*\n\s*/gu, ' ⏎ ')
    .replaceAll(/[^\P{C}]/gu, (odd) => `\\u{${(odd.codePointAt(0) ?? 0).toString(16)}}`);
  return flat.length <= EVIDENCE_LENGTH ? flat : `${flat.slice(0, EVIDENCE_LENGTH)}…`;
}

/** One row as text: number, what was tried, and what came of it. */
export function rowText({ id, tried, verdict }: Result): string {
  const said = verdict.evidence === '' ? '' : `: ${oneLine(verdict.evidence)}`;
  return `${id.padEnd(5)} ${tried}\n      ${verdict.type}${said}\n`;
}
