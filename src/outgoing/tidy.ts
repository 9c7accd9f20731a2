import type { Clock, DeliveryNote, SessionStore } from '../core/index.js';
import { noteKey } from '../core/index.js';

/** Age, in milliseconds, at which a delivery note for an unknown receiver is deleted. */
const STRAY_MS = 7 * 86_400_000;
/** Interval between checks, in milliseconds. */
const LOOK_MS = 86_400_000;

/** Dependencies for deleting old delivery notes. */
export interface TidyWorld {
  readonly store: SessionStore;
  readonly clock: Clock;
  /** Names of the configured receivers. */
  readonly names: readonly string[];
}

/** Deletes old delivery notes for removed receivers once a day, until the signal aborts. */
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
 * Deletes delivery notes for unknown receivers if the question is closed and the note has not changed for a
 * week. A receiver configured in another process deletes its own notes sooner.
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
