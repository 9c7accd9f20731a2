import type { Effect, SessionEvent, StoredEvent } from '../../core/index.js';
import { activationId } from '../../core/index.js';

/**
 * An effect of the workflow itself: a step in its code or in the body of a node, or the function of a node.
 */
export interface OwnEffect {
  readonly seq: number;
  /** Name of the effect: `deploy#2`, or `ship@1` for a node. */
  readonly name: string;
  /** One-line description of the effect. Untrusted text. */
  readonly title?: string;
  /** Path of the effect's graph; absent at the top level. */
  readonly path?: string;
  readonly effect: Effect;
  /** `unknown` means that the process ended before the effect was complete. */
  readonly outcome: 'output' | 'error' | 'unknown';
}

/** Lists the effects of the workflow itself, in order of first start. */
export function ownEffectsOf(events: readonly StoredEvent[]): readonly OwnEffect[] {
  const effects = new Map<string, OwnEffect>();
  for (const { seq, scope, event } of events) {
    const about = aboutOf(event);
    if (about === undefined) continue;
    const { name, place } = about;
    const key = `${scope} ${place}`;
    const before = effects.get(key);
    if (about.outcome !== undefined) {
      if (before?.outcome === 'unknown') effects.set(key, { ...before, outcome: about.outcome });
      continue;
    }
    const { effect, title } = about;
    if (effect === 'none') continue;
    effects.set(key, {
      seq: before?.seq ?? seq,
      name,
      ...(title !== undefined && { title }),
      ...(scope !== '' && { path: scope }),
      effect,
      outcome: 'unknown',
    });
  }
  return [...effects.values()];
}

interface Start {
  readonly name: string;
  readonly place: string;
  readonly effect: Effect;
  readonly title?: string;
  readonly outcome?: undefined;
}

interface End {
  readonly name: string;
  readonly place: string;
  readonly outcome: 'output' | 'error';
}

function aboutOf(event: SessionEvent): Start | End | undefined {
  // oxlint-disable-next-line typescript/switch-exhaustiveness-check -- the other events tell nothing of it
  switch (event.type) {
    case 'node-started':
      return { name: activationId(event), place: activationId(event), effect: event.effect };
    case 'node-settled':
      return { name: activationId(event), place: activationId(event), outcome: 'output' };
    case 'node-failed':
      return { name: activationId(event), place: activationId(event), outcome: 'error' };
    case 'op-started': {
      const { effect, title } = event;
      return { ...operationOf(event), effect, ...(title !== undefined && { title }) };
    }
    case 'step-started':
      return { ...operationOf(event), effect: event.effect };
    case 'op-settled':
    case 'step-settled':
      return { ...operationOf(event), outcome: 'output' };
    case 'op-failed':
      return { ...operationOf(event), outcome: 'error' };
    default:
      return undefined;
  }
}

function operationOf(event: { readonly node: string; readonly visit: number; readonly key: string }) {
  return { name: event.key, place: `${activationId(event)} ${event.key}` };
}
