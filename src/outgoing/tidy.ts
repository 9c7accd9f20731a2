import type { Clock, DeliveryNote, SessionStore } from '../core/index.js';
import { noteKey } from '../core/index.js';

/** Age after which the note of a missing receiver is abandoned, in milliseconds. */
const STRAY_MS = 7 * 86_400_000;
/** Interval of checks, in milliseconds. */
const LOOK_MS = 86_400_000;

/** The dependencies of tidying. */
export interface TidyWorld {
  readonly store: SessionStore;
  readonly clock: Clock;
  /** Names of the configured receivers. */
  readonly names: readonly string[];
}

/** Deletes data of removed receivers, once a day, until the signal aborts. */
export async function keepTidy(
  world: TidyWorld,
  signal: AbortSignal,
  failed: (error: unknown) => void = () => undefined,
): Promise<void> {
  while (!signal.aborted) {
    await forgetStrays(world).catch(failed);
    await world.clock.sleep(LOOK_MS, signal).catch(() => undefined);
  }
}

/**
 * Deletes notes of missing receivers about closed questions, unchanged for a week: a receiver configured
 * elsewhere deletes its own sooner.
 */
export async function forgetStrays({ store, clock, names }: TidyWorld): Promise<void> {
  const { deliveries } = store.capabilities;
  if (deliveries === undefined) return;
  const old: DeliveryNote[] = [];
  for await (const note of deliveries.list({ gone: true }))
    if (!names.includes(note.channel) && clock.now() - Date.parse(note.at) > STRAY_MS) old.push(note);
  if (old.length === 0) return;
  const open = new Set<string>();
  const channels = new Set(old.map(({ channel }) => channel));
  for await (const { session, interrupt } of store.waiting()) {
    const question = { session, interrupt: interrupt.id, digest: interrupt.digest };
    for (const channel of channels) open.add(noteKey(question, channel));
  }
  for (const note of old) if (!open.has(note.key)) await deliveries.drop(note);
}
