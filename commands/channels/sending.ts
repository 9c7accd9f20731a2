import type { DeliveryNote, SessionStore } from '../../src/core/index.js';
import { escapeText, messageOf, shown } from '../../src/core/index.js';
import { deliver, guardedPost } from '../../src/outgoing/index.js';
import type { Meter } from '../../src/telemetry/index.js';
import { effectiveFlags } from '../config/effective.js';
import type { RunFlags } from '../flags/options.js';
import type { Io } from '../host/index.js';
import { tell } from '../host/index.js';
import type { ConfiguredChannels } from './channels.js';
import { configuredChannels } from './channels.js';

/** Options of sending. */
export interface SendingOptions {
  readonly store: SessionStore;
  /** Ends it. */
  readonly signal: AbortSignal;
  /** Base URL of web pages, from a flag. Overrides the configuration. */
  readonly pages?: string | undefined;
  /** Default base URL. */
  readonly ownPages?: string;
  /** Counts messages by receiver and outcome. */
  readonly meter?: Meter;
}

/** Returns the receivers of the effective configuration. @throws HitlError BAD_CONFIG for an unusable one */
export async function channelsInForce(io: Io, flags: RunFlags): Promise<ChannelsInForce> {
  const { config } = await effectiveFlags(io, flags);
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

/** Receivers, and the configured base URL of web pages. */
type ChannelsInForce = ConfiguredChannels & { readonly pages?: string };

/** Starts notifying receivers of open questions. Resolves at once if there are no receivers. */
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

/** Metric label for each delivery state. `left`: not delivered until someone acts. */
const OUTCOMES = { sent: 'sent', waiting: 'retry', left: 'failed' } as const;

function countedBy(meter: Meter | undefined, names: readonly string[]): (note: DeliveryNote) => void {
  const counter = meter?.createCounter('hitl.deliveries', {
    description: 'Notifications, by channel and outcome (sent, retry or failed).',
  });
  for (const channel of names)
    for (const outcome of Object.values(OUTCOMES)) counter?.add(0, { channel, outcome });
  return ({ channel, state }) => {
    if (state !== 'sending') counter?.add(1, { channel, outcome: OUTCOMES[state] });
  };
}

/** Reports a message if it could not be delivered. */
function say(io: Io, { channel, session, interrupt, state, why = '', at }: DeliveryNote): void {
  if (state !== 'left' && state !== 'waiting') return;
  const what = shown`send: could not notify ${escapeText(channel)} about ${session} ${escapeText(interrupt)}: ${escapeText(why)}`;
  const then = state === 'left' ? shown`gave up: hitl doctor` : shown`retrying at ${escapeText(at)}`;
  tell(io.stderr, shown`${what}; ${then}`);
}
