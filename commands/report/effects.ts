import type { Shown } from '../../src/core/index.js';
import { actorName, escapeText, joined, shown, shownJson } from '../../src/core/index.js';
import type { ToolEffect } from '../../src/repl/index.js';

/** One line a start, safe for a terminal. */
export function effectsText(effects: readonly ToolEffect[]): Shown {
  if (effects.length === 0) return shown`no tool was started\n`;
  return joined(
    effects.map((effect) => shown`${lineOf(effect)}\n`),
    '',
  );
}

function lineOf({
  seq,
  startedAt,
  tool,
  attempt,
  input,
  outcome,
  output,
  approvedBy,
  effect,
  settled,
}: ToolEffect): Shown {
  const what = shown`${escapeText(tool)} ${shownJson(input)}`;
  const came =
    output === undefined ? escapeText(outcome) : shown`${escapeText(outcome)} ${shownJson(output)}`;
  const by = approvedBy === undefined ? shown`` : shown`, approved by ${escapeText(actorName(approvedBy))}`;
  const at = shown`${escapeText(String(seq).padStart(4))}  ${escapeText(startedAt)}`;
  return shown`${at}  ${what} (attempt ${attempt}, ${escapeText(effect)}${by}) → ${came}${settledText(settled)}`;
}

function settledText(settled: ToolEffect['settled']): Shown {
  if (settled === undefined) return shown``;
  const { verb, resolution, by } = settled;
  const said = resolution.action === 'respond' ? shown` ${shownJson(resolution.output)}` : shown``;
  return shown`; ${escapeText(actorName(by))} ${escapeText(verb)}${said}`;
}
