import type { AppendListener, Session, SessionStore, Worklist } from '../core/index.js';
import type { Meter } from './meter.js';

/**
 * Wraps a store and counts what this process does: `hitl.answers` by outcome; `hitl.interrupts` by kind
 * (calls in doubt have the kind `in-doubt`) and `hitl.resolutions`, both for sessions that this process
 * writes; `hitl.claims`; and `hitl.leases.lost`. The number of labels does not grow with the number of
 * sessions, and labels contain no content.
 */
export function countedStore(store: SessionStore, meter: Meter): SessionStore {
  const answers = meter.createCounter('hitl.answers', {
    description:
      'Answers accepted by this process: recorded, voted (more approvals needed) or left (queued for the session’s process).',
  });
  for (const result of ['recorded', 'voted', 'left']) answers.add(0, { result });
  const claims = meter.createCounter('hitl.claims', {
    description: 'Sessions that this worker claimed.',
  });
  const lost = meter.createCounter('hitl.leases.lost', {
    description:
      'Sessions that this process lost to another process, or because the database stopped responding.',
  });
  lost.add(0);
  const listener = listenerOf(meter);
  const watched = (session: Session): Session => {
    session.onAppended(listener);
    session.lost.addEventListener('abort', () => {
      lost.add(1);
    });
    return session;
  };
  const counted = (worklist: Worklist): Worklist => {
    claims.add(0);
    return withOwn(worklist, {
      claim: async (signal, options) => {
        const session = await worklist.claim(signal, options);
        if (session !== undefined) claims.add(1);
        return session && watched(session);
      },
    });
  };
  const { worklist } = store.capabilities;
  return withOwn(store, {
    capabilities: { ...store.capabilities, ...(worklist && { worklist: counted(worklist) }) },
    create: async (init) => watched(await store.create(init)),
    open: async (id, mode) => {
      const session = await store.open(id, mode);
      return mode === 'read' ? session : watched(session);
    },
    post: async (id, answer, options) => {
      const posted = await store.post(id, answer, options);
      answers.add(1, { result: posted.type });
      return posted;
    },
  });
}

/** Returns a proxy for an object that overrides some of its properties. */
function withOwn<Thing extends object>(thing: Thing, own: Partial<Thing>): Thing {
  return new Proxy(thing, {
    get: (target, key): unknown => {
      if (Object.hasOwn(own, key)) return Reflect.get(own, key);
      const member: unknown = Reflect.get(target, key, target);
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });
}

function listenerOf(meter: Meter): AppendListener {
  const interrupts = meter.createCounter('hitl.interrupts', {
    description: 'Interrupts raised in sessions held by this process, by kind.',
  });
  interrupts.add(0, { kind: 'in-doubt' });
  const resolutions = meter.createCounter('hitl.resolutions', {
    description: 'Interrupts resolved in sessions held by this process, by kind, action and actor type.',
  });
  return (events, state) => {
    for (const { event } of events) {
      // oxlint-disable-next-line typescript/switch-exhaustiveness-check -- the rest is not counted
      switch (event.type) {
        case 'interrupt-raised':
        case 'interrupt-escalated':
          interrupts.add(1, { kind: event.interrupt.kind });
          break;
        case 'interrupt-resolved': {
          const resolved = state.resolved.findLast(({ interrupt }) => interrupt.id === event.id);
          resolutions.add(1, {
            kind: resolved?.interrupt.kind ?? 'unknown',
            action: event.resolution.action,
            by: event.by.type,
          });
          break;
        }
        default:
      }
    }
  };
}
