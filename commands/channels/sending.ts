import type { DeliveryNote, SessionStore } from '../../src/core/index.js';
import { escapeText, messageOf, shown } from '../../src/core/index.js';
import { deliver, guardedPost } from '../../src/outgoing/index.js';
import { effectiveFlags } from '../config/index.js';
import type { CommonFlags, RunFlags } from '../flags/index.js';
import type { Io } from '../host/index.js';
import { tell } from '../host/index.js';
import type { ConfiguredChannels } from './channels.js';
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

/** The receivers of the configuration in force. @throws HitlError BAD_CONFIG where one cannot be used */
export async function channelsInForce(
  io: Io,
  flags: CommonFlags & Partial<RunFlags>,
): Promise<ChannelsInForce> {
  const given: RunFlags = { builtinTools: true, inputFormat: 'text', save: true, ...flags };
  const { config } = await effectiveFlags(io, given);
  const pages = config.pages?.replace(/\/+$/u, '');
  return {
    ...configuredChannels(
      io,
      flags.allowHttp === undefined ? config : { ...config, allowHttp: flags.allowHttp },
      guardedPost(),
    ),
    ...(pages !== undefined && { pages }),
  };
}

/** The receivers, and the address of the pages as the configuration says it. */
type ChannelsInForce = ConfiguredChannels & { readonly pages?: string };

/** Begins to tell the receivers of what waits; resolves at once where there are none. */
export function beginSending(
  io: Io,
  { channels, pages: named }: ChannelsInForce,
  { store, signal, pages: said, ownPages }: SendingOptions,
): Promise<void> {
  if (channels.length === 0) return Promise.resolve();
  const pages = said ?? named ?? ownPages;
  let troubled = '';
  const ended = deliver({
    ...{ store, channels, signal, clock: io.clock, random: io.random },
    ...(pages !== undefined && { pages }),
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
  return ended;
}

/** Tells what did not arrive: what did is nobody's concern. */
function say(io: Io, { channel, session, interrupt, state, why = '', at }: DeliveryNote): void {
  if (state !== 'left' && state !== 'waiting') return;
  const what = shown`send: ${escapeText(channel)} was not told of ${session} ${escapeText(interrupt)}: ${escapeText(why)}`;
  const then = state === 'left' ? shown`it is left to you: hitl doctor` : shown`again at ${escapeText(at)}`;
  tell(io.stderr, shown`${what}; ${then}`);
}
