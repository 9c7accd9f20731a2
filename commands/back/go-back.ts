import type { Actor, SessionEvent, Shown } from '../../src/core/index.js';
import { evolve } from '../../src/core/index.js';
import type { OwnEffect, ToolEffect } from '../../src/repl/index.js';
import { lastingLines } from '../report/lasting-effects.js';
import { voidedRules } from '../report/voided-rules.js';
import type { FileResult, FilesPlan, FilesPlace } from './files.js';
import { bringBack } from './files.js';
import type { Back } from './offer.js';
import { doneLines, resultLines } from './offer.js';

/** Event that moves the conversation or workflow back. */
export interface Position {
  /** Tool effects since that position. */
  readonly event: SessionEvent;
  /** What happened since. */
  readonly effects: readonly ToolEffect[];
  readonly own?: readonly OwnEffect[];
}

/** Options for going back. */
interface Going {
  readonly back: Back;
  /** Plans the files again, optionally including files where changes made by something else would be lost. */
  readonly planned: (overwrite: boolean) => Promise<FilesPlan>;
  readonly plan: FilesPlan;
  readonly by: Actor;
  readonly append: (event: SessionEvent) => Promise<void>;
}

/** The result of going back. */
interface WentBack {
  readonly results: readonly FileResult[];
  /** Effects of tools that are not undone. */
  readonly remaining: readonly ToolEffect[];
  /** Session rules that were revoked, as text. */
  readonly voided: readonly string[];
  /**
   * Lines that report the results for files and the effects that are not undone. Lines that the user saw
   * before choosing are omitted.
   */
  readonly lines: readonly Shown[];
}

/**
 * Goes back in a session, in its files, or in both. Restores files first, so that after a crash the same
 * command can be run again to finish the job.
 * @throws HitlError ILLEGAL_EVENT before a file changes, and any error from `bringBack`.
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
