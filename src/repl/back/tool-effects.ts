import type { Actor, Effect, Interrupt, JsonValue, Resolution, StoredEvent } from '../../core/index.js';
import { doneOf } from '../../core/index.js';

/** A tool call that started, with its result. */
export interface ToolEffect {
  readonly seq: number;
  readonly startedAt: string;
  readonly tool: string;
  /** The tool's title for the call. */
  readonly title?: string;
  /** The node in which the call ran; absent in a chat. */
  readonly path?: string;
  readonly ref: string;
  readonly attempt: number;
  readonly effect: Effect;
  readonly input: JsonValue;
  readonly idempotencyKey: string;
  /**
   * `asked` means that the call stopped to ask a question. `unknown` means that the process ended before the
   * call did.
   */
  readonly outcome: 'output' | 'error' | 'asked' | 'unknown';
  readonly output?: JsonValue;
  /** The user's answer that replaces an unknown outcome. */
  readonly settled?: Settled;
  /** The approver, if the call needed approval before it started. */
  readonly approvedBy?: Actor;
}

/** The user's answer about the outcome of a call. */
interface Settled {
  readonly interrupt: string;
  /** The answer in the past tense: `marked as done`, `marked as failed`. */
  readonly verb: string;
  readonly resolution: Resolution;
  readonly by: Actor;
}

/** Lists the tool calls that started in a session, with their actual effects, in start order. */
export function effectsOf(events: readonly StoredEvent[]): readonly ToolEffect[] {
  const effects: ToolEffect[] = [];
  const running = new Map<string, number>();
  const asked = new Map<string, Asked>();
  const approved = new Map<string, Actor>();
  for (const { seq, scope, event } of events) {
    // Two nodes of a workflow may have calls of one ref.
    const keyOf = (ref: string): string => `${scope} ${ref}`;
    // oxlint-disable-next-line typescript/switch-exhaustiveness-check -- the other events tell nothing of tools
    switch (event.type) {
      case 'tool-started': {
        const { ref, name, title, attempt, effect, input, idempotencyKey, startedAt } = event;
        const by = approved.get(keyOf(ref));
        running.set(keyOf(ref), effects.length);
        effects.push({
          seq,
          startedAt,
          tool: name,
          ...(title !== undefined && { title }),
          ...(scope !== '' && { path: scope }),
          ref,
          attempt,
          effect,
          input,
          idempotencyKey,
          outcome: 'unknown',
          ...(by !== undefined && { approvedBy: by }),
        });
        break;
      }
      case 'file-noted':
        // A call of no effect has one from the first file on that it changes.
        if (event.ref !== undefined) change(effects, running.get(keyOf(event.ref)), { effect: 'once' });
        break;
      case 'tool-settled': {
        const { outcome } = event;
        const output = outcome.type === 'output' ? outcome.output : outcome.message;
        close(effects, running, keyOf(event.ref), { outcome: outcome.type, output });
        break;
      }
      case 'interrupt-raised': {
        const { source, id } = event.interrupt;
        if (source.type !== 'tool' || event.interrupt.atOnce === true) break;
        asked.set(id, { key: keyOf(source.ref), interrupt: event.interrupt });
        if (source.raisedBy === 'tool') close(effects, running, keyOf(source.ref), { outcome: 'asked' });
        break;
      }
      case 'interrupt-escalated': {
        const before = asked.get(event.id);
        if (before !== undefined) asked.set(event.interrupt.id, { ...before, interrupt: event.interrupt });
        break;
      }
      case 'interrupt-resolved': {
        const question = asked.get(event.id);
        if (question === undefined) break;
        const { key, interrupt } = question;
        const { id, resolution, by } = event;
        if (resolution.action === 'restart') approved.set(key, by);
        if (interrupt.kind !== 'in-doubt') break;
        const { verb } = doneOf(interrupt, resolution);
        change(effects, running.get(key), { settled: { interrupt: id, verb, resolution, by } });
        break;
      }
      default:
        break;
    }
  }
  return effects;
}

interface Asked {
  readonly key: string;
  readonly interrupt: Interrupt;
}

function close(
  effects: ToolEffect[],
  running: Map<string, number>,
  key: string,
  end: Pick<ToolEffect, 'outcome' | 'output'>,
): void {
  const index = running.get(key);
  // The record behind a person's word on a doubt settles the call, and says nothing of that run.
  if (index !== undefined && effects[index]?.settled === undefined) change(effects, index, end);
  running.delete(key);
}

function change(effects: ToolEffect[], index: number | undefined, more: Partial<ToolEffect>): void {
  const effect = index === undefined ? undefined : effects[index];
  if (index !== undefined && effect !== undefined) effects[index] = { ...effect, ...more };
}
