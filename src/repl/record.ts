import type { Renderer, Session, SessionEvent } from '../core/index.js';
import type { EngineEvent, RunOutcome } from '../engine/index.js';

/**
 * Drives a run: journal first, then show, then advance (law 2). The only place that advances a run's generator.
 * @throws HitlError SAVE_FAILED where an event could not be made durable; nothing that depends on it has happened.
 */
export async function record(
  events: AsyncGenerator<EngineEvent, RunOutcome>,
  session: Session,
  renderer: Renderer,
): Promise<RunOutcome> {
  try {
    for (;;) {
      const step = await events.next(session.state);
      if (step.done === true) return step.value;
      if (step.value.durable) await keep(step.value.events, session, renderer);
      else renderer.transient(step.value.event);
    }
  } catch (thrown) {
    // After a failed append the run stops its tools, and waits for them, before anybody hears of it.
    await events.throw(thrown).catch(() => undefined); // it is the same error again
    throw thrown;
  }
}

/** Makes events durable, then shows them. */
export async function keep(
  events: readonly SessionEvent[],
  session: Session,
  renderer: Renderer,
): Promise<void> {
  await session.append(events);
  const first = session.version - events.length + 1;
  events.forEach((event, index) => {
    renderer.event(event, first + index, session.state);
  });
}
