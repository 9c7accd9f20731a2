import type { DeliveryNote, SessionStore } from '../../src/core/index.js';
import { escapeText, messageOf, shown } from '../../src/core/index.js';
import { deliver, guardedPost } from '../../src/outgoing/index.js';
import type { Meter } from '../../src/telemetry/index.js';
import { effectiveFlags } from '../config/effective.js';
import type { CommonFlags, RunFlags } from '../flags/options.js';
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
  /** Counts what was sent, by receiver and what became of it. */
  readonly meter?: Meter;
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
  { store, signal, pages: said, ownPages, meter }: SendingOptions,
): Promise<void> {
  if (channels.length === 0) return Promise.resolve();
  const pages = said ?? named ?? ownPages;
  const count = countedBy(
    meter,
    channels.map(({ name }) => name),
  );
  let troubled = '';
  const ended = deliver({
    ...{ store, channels, signal, clock: io.clock, random: io.random },
    ...(pages !== undefined && { pages }),
    told: (note) => {
      troubled = '';
      count(note);
      say(io, note);
    },
    failed: (thrown) => {
      const why = messageOf(thrown);
      if (why !== troubled) tell(io.stderr, shown`send: ${escapeText(why)}; retrying`);
      troubled = why;
    },
  });
  ended.catch(() => undefined); // whoever waits for it is told
  return ended;
}

/** The outcomes of a message, as they are counted: `left` is what arrives only if a person sees to it. */
const OUTCOMES = { sent: 'sent', waiting: 'retry', left: 'failed' } as const;

function countedBy(meter: Meter | undefined, names: readonly string[]): (note: DeliveryNote) => void {
  const counter = meter?.createCounter('hitl.deliveries', {
    description: 'Notifications: sent, to be retried, failed.',
  });
  for (const channel of names)
    for (const outcome of Object.values(OUTCOMES)) counter?.add(0, { channel, outcome });
  return ({ channel, state }) => {
    if (state !== 'sending') counter?.add(1, { channel, outcome: OUTCOMES[state] });
  };
}

/** Tells what did not arrive: what did is nobody's concern. */
function say(io: Io, { channel, session, interrupt, state, why = '', at }: DeliveryNote): void {
  if (state !== 'left' && state !== 'waiting') return;
  const what = shown`send: could not notify ${escapeText(channel)} about ${session} ${escapeText(interrupt)}: ${escapeText(why)}`;
  const then = state === 'left' ? shown`gave up: hitl doctor` : shown`retrying at ${escapeText(at)}`;
  tell(io.stderr, shown`${what}; ${then}`);
}
