import { count, messageOf, noteAgain } from '../../src/core/index.js';
import type { DeliveryNote, SessionStore } from '../../src/core/index.js';
import { guardedPost } from '../../src/outgoing/index.js';
import type { Config } from '../settings/settings.js';
import type { Io } from '../host/index.js';
import { configuredChannels } from './channels.js';

/** Result of one check of the notification channels. */
interface ChannelCheck {
  readonly what: string;
  readonly status: 'ok' | 'warning' | 'failed';
  readonly found: string;
  readonly hint?: string;
}

/** Checks the receivers in a configuration and looks for undelivered messages. Sends nothing. */
export async function channelChecks(
  io: Io,
  config: Config,
  { capabilities: { deliveries } }: SessionStore,
): Promise<readonly ChannelCheck[]> {
  const left: DeliveryNote[] = [];
  for await (const note of deliveries?.list() ?? []) if (note.state === 'left') left.push(note);
  return [...named(io, config), ...notTold(left)];
}

function named(io: Io, config: Config): readonly ChannelCheck[] {
  const what = 'channels';
  try {
    const names = configuredChannels(io, config, guardedPost()).channels.map(({ name }) => name);
    return names.length === 0 ? [] : [{ what, status: 'ok', found: names.join(', ') }];
  } catch (thrown) {
    return [{ what, status: 'failed', found: messageOf(thrown) }];
  }
}

function notTold(left: readonly DeliveryNote[]): readonly ChannelCheck[] {
  const [first] = left;
  if (first === undefined) return [];
  const { channel, session, interrupt, why = '' } = first;
  const found = `${count(left.length, 'notification')} failed; ${channel}, ${session} ${interrupt}: ${why}`;
  const hint = 'answer with hitl inbox, or fix the channel and run hitl doctor --resend';
  return [{ what: 'not sent', status: 'warning', found, hint }];
}

/** Queues abandoned messages for another delivery. @returns the number of messages */
export async function sendAgain(
  { capabilities: { deliveries } }: SessionStore,
  now: number,
): Promise<number> {
  let sent = 0;
  for await (const note of deliveries?.list() ?? [])
    if (note.state === 'left' && (await deliveries?.put(noteAgain(note, now))) === true) sent += 1;
  return sent;
}
