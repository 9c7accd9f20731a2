import type { Shown } from '../../src/core/index.js';
import { actorName, escapeText, joined, plainLine, shown, shownJson } from '../../src/core/index.js';
import type { OwnEffect, ToolEffect } from '../../src/repl/index.js';

/** Width of an operation's description, in columns. */
const ABOUT_COLUMNS = 60;

interface Effects {
  readonly tools: readonly ToolEffect[];
  /** Operations that are no longer in the tree, because they were undone or happened before a checkpoint. */
  readonly past: readonly OwnEffect[];
  /** The rows in the tree of a workflow that have an effect; empty in a chat. */
  readonly tree: Shown;
}

/**
 * Formats the tree of the workflow's own effects, followed by one line for each start of a tool. Safe for a
 * terminal.
 */
export function effectsText({ tools, past, tree }: Effects): Shown {
  if (tools.length === 0 && past.length === 0 && tree === '') return shown`No tools ran.\n`;
  const before = past.length === 0 ? [] : [shown`before the run went back, or before a checkpoint:\n`];
  const starts = tools.map((effect) => shown`${lineOf(effect)}\n`);
  return joined([tree, ...before, ...past.map(ownLine), ...starts], '');
}

function ownLine({ seq, name, title, effect, outcome }: OwnEffect): Shown {
  const about = title === undefined ? shown`` : shown`  ${plainLine(title, ABOUT_COLUMNS)}`;
  const at = escapeText(String(seq).padStart(4));
  return shown`${at}  ${escapeText(name)}${about} (${escapeText(effect)}) → ${escapeText(outcome)}\n`;
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
