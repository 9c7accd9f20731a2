import type { DeliveryNote, SessionStore } from '../../src/core/index.js';
import { escapeText, messageOf, shown } from '../../src/core/index.js';
import { deliver, guardedPost } from '../../src/outgoing/index.js';
import { effectiveFlags } from '../config/index.js';
import type { CommonFlags, RunFlags } from '../flags/index.js';
import type { Io } from '../host/index.js';
import { tell } from '../host/index.js';
import { configuredChannels } from './channels.js';

/** The surroundings of sending. */
export interface SendingOptions {
  readonly store: SessionStore;
  /** Ends it. */
  readonly signal: AbortSignal;
  /** The beginning of the addresses of pages, as it was said here: it counts before the configuration. */
  readonly pages?: string | undefined;
  /** The same, where nothing says it. */
  readonly ownPages?: string;
}

/**
 * Begins to tell the receivers of the configuration of what waits; resolves at once where there are none.
 * @throws HitlError BAD_CONFIG before anything is sent, where a receiver cannot be used
 */
export async function beginSending(
  io: Io,
  flags: CommonFlags & Partial<RunFlags>,
  { store, signal, pages: said, ownPages }: SendingOptions,
): Promise<{ readonly names: readonly string[]; readonly ended: Promise<void> }> {
  const given: RunFlags = { builtinTools: true, inputFormat: 'text', save: true, ...flags };
  const { config } = await effectiveFlags(io, given);
  const channels = configuredChannels(io, config, guardedPost());
  const names = channels.map(({ name }) => name);
  if (channels.length === 0) return { names, ended: Promise.resolve() };
  const pages = said ?? config.pages ?? ownPages;
  let troubled = '';
  const ended = deliver({
    ...{ store, channels, signal, clock: io.clock, random: io.random },
    ...(pages !== undefined && { pages: pages.replace(/\/+$/u, '') }),
    told: (note) => {
      troubled = '';
      say(io, note);
    },
    failed: (thrown) => {
      const why = messageOf(thrown);
      if (why !== troubled) tell(io.stderr, shown`send: ${escapeText(why)}; it tries again`);
      troubled = why;
    },
  });
  ended.catch(() => undefined); // whoever waits for it is told
  return { names, ended };
}

/** Tells what did not arrive: what did is nobody's concern. */
function say(io: Io, { channel, session, interrupt, state, why = '', at }: DeliveryNote): void {
  if (state !== 'left' && state !== 'waiting') return;
  const what = shown`send: ${escapeText(channel)} was not told of ${session} ${escapeText(interrupt)}: ${escapeText(why)}`;
  const then = state === 'left' ? shown`it is left to you: hitl doctor` : shown`again at ${escapeText(at)}`;
  tell(io.stderr, shown`${what}; ${then}`);
}
