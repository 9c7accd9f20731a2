import type { Renderer, RunInbox } from '../core/index.js';
import { actorName, HitlError, messageOf } from '../core/index.js';

/** The ear of a run for whoever cancels it. */
export interface Ears {
  /** Aborts when the given one does, or when somebody cancels the run from elsewhere. */
  readonly signal: AbortSignal;
  heard(): boolean;
  close(): void;
}

/** A model that says nothing, or a tool that takes long, does not keep a run from being cancelled. */
export function listenForCancel(
  { inbox, renderer }: { readonly inbox?: RunInbox; readonly renderer: Renderer },
  signal: AbortSignal,
): Ears {
  const cancelled = new AbortController();
  const deaf = new AbortController();
  const listening = AbortSignal.any([signal, deaf.signal]);
  void inbox?.control(['cancel'], listening).then(
    ({ from }) => {
      const who = actorName(from);
      cancelled.abort(new HitlError('ABORTED', `cancelled from elsewhere by ${who}`));
    },
    (thrown: unknown) => {
      if (listening.aborted) return; // nobody listens any more
      renderer.notice(`this run cannot be cancelled from elsewhere any more: ${messageOf(thrown)}`);
    },
  );
  return {
    signal: AbortSignal.any([signal, cancelled.signal]),
    heard: () => cancelled.signal.aborted,
    close: () => {
      deaf.abort();
    },
  };
}
