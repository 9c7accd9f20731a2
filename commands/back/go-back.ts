import type { Actor, SessionEvent, Shown } from '../../src/core/index.js';
import { evolve } from '../../src/core/index.js';
import type { OwnEffect, ToolEffect } from '../../src/repl/index.js';
import { lastingLines } from '../report/lasting-effects.js';
import { voidedRules } from '../report/voided-rules.js';
import type { FileResult, FilesPlan, FilesPlace } from './files.js';
import { bringBack } from './files.js';
import type { Back } from './offer.js';
import { doneLines, resultLines } from './offer.js';

/** A position to go back to. */
export interface Position {
  /** Goes back in the conversation, or in a workflow. */
  readonly event: SessionEvent;
  /** What happened since. */
  readonly effects: readonly ToolEffect[];
  readonly own?: readonly OwnEffect[];
}

/** How to go back. */
interface Going {
  readonly back: Back;
  /** The files, as they were shown; made again to overwrite what something else changed. */
  readonly planned: (overwrite: boolean) => Promise<FilesPlan>;
  readonly plan: FilesPlan;
  readonly by: Actor;
  readonly append: (event: SessionEvent) => Promise<void>;
}

/** What came of it. */
interface WentBack {
  readonly results: readonly FileResult[];
  /** Effects of tools that are not undone. */
  readonly remaining: readonly ToolEffect[];
  /** Session rules that were revoked, as text. */
  readonly voided: readonly string[];
  /** What happened to files and what is not undone; nothing again that was shown before the choice. */
  readonly lines: readonly Shown[];
}

/**
 * Goes back in a session, in its files or both. Files first: if the process ends in between, the same command finishes it.
 * @throws HitlError ILLEGAL_EVENT before a file changes, and what `bringBack` throws.
 */
export async function goBack(
  place: FilesPlace,
  { event, effects, own }: Position,
  { back, planned, plan, by, append }: Going,
): Promise<WentBack> {
  const { session } = place;
  const { files, conversation, overwrite, isChosen = false } = back;
  const taken = files && overwrite ? await planned(true) : plan;
  if (conversation) evolve(session.state, event);
  const results = files ? await bringBack(place, taken, { by, append }) : [];
  const { rules } = session.state;
  if (conversation) await append(event);
  const remaining = files ? taken.remaining(effects) : effects;
  return {
    results,
    remaining,
    voided: voidedRules(rules, session.state.rules),
    lines:
      isChosen && files
        ? doneLines(plan, results)
        : [...resultLines(plan.folder, results), ...lastingLines(remaining, own)],
  };
}
