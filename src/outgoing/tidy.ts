import type { Clock, DeliveryNote, SessionStore } from '../core/index.js';
import { noteKey } from '../core/index.js';

/** The time after which nobody comes back to a note of a receiver that is nobody's here, in milliseconds. */
const STRAY_MS = 7 * 86_400_000;
/** The time between two looks, in milliseconds. */
const LOOK_MS = 86_400_000;

/** The things that tidying needs. */
export interface TidyWorld {
  readonly store: SessionStore;
  readonly clock: Clock;
  /** The names of the receivers that are here. */
  readonly names: readonly string[];
}

/** Forgets what is left of receivers that were taken away, once a day, until the signal aborts. */
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
 * Forgets notes of receivers that are not here, about questions that are not open and that nobody came back to for a
 * week: whoever has such a receiver elsewhere forgets them sooner.
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
