import type { Actor, Effect, JsonValue, StoredEvent, Shown } from '../../src/core/index.js';
import { actorName, escapeText, shown, joined } from '../../src/core/index.js';

/** One start of a tool, and what became of it. */
export interface ToolEffect {
  readonly seq: number;
  readonly startedAt: string;
  readonly tool: string;
  /** The tool's own words for the call. */
  readonly title?: string;
  /** The node in which it ran; absent in a chat. */
  readonly path?: string;
  readonly ref: string;
  readonly attempt: number;
  readonly effect: Effect;
  readonly input: JsonValue;
  readonly idempotencyKey: string;
  /** `asked`: it stopped to ask. `unknown`: the process ended before it did. */
  readonly outcome: 'output' | 'error' | 'asked' | 'unknown';
  readonly output?: JsonValue;
  /** The one who agreed to it, where somebody was asked before it started. */
  readonly approvedBy?: Actor;
}

/** Lists what the tools of a session really did, in the order in which they were started. */
export function effectsOf(events: readonly StoredEvent[]): readonly ToolEffect[] {
  const effects: ToolEffect[] = [];
  const running = new Map<string, number>();
  const asked = new Map<string, string>();
  const approved = new Map<string, Actor>();
  for (const { seq, scope, event } of events) {
    // Two nodes of a workflow may have calls of one ref.
    const keyOf = (ref: string): string => `${scope} ${ref}`;
    // eslint-disable-next-line @typescript-eslint/switch-exhaustiveness-check -- the other events tell nothing of tools
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
      case 'tool-settled': {
        const { outcome } = event;
        const output = outcome.type === 'output' ? outcome.output : outcome.message;
        close(effects, running, keyOf(event.ref), { outcome: outcome.type, output });
        break;
      }
      case 'interrupt-raised': {
        const { source, id } = event.interrupt;
        if (source.type !== 'tool') break;
        asked.set(id, keyOf(source.ref));
        if (source.raisedBy === 'tool') close(effects, running, keyOf(source.ref), { outcome: 'asked' });
        break;
      }
      case 'interrupt-escalated': {
        const ref = asked.get(event.id);
        if (ref !== undefined) asked.set(event.interrupt.id, ref);
        break;
      }
      case 'interrupt-resolved': {
        const ref = asked.get(event.id);
        if (ref !== undefined && event.resolution.action === 'restart') approved.set(ref, event.by);
        break;
      }
      default:
        break;
    }
  }
  return effects;
}

function close(
  effects: ToolEffect[],
  running: Map<string, number>,
  ref: string,
  end: Pick<ToolEffect, 'outcome'> & { readonly output?: JsonValue },
): void {
  const index = running.get(ref);
  const effect = index === undefined ? undefined : effects[index];
  if (index === undefined || effect === undefined) return;
  effects[index] = { ...effect, ...end };
  running.delete(ref);
}

/** One line a start, safe for a terminal. */
export function effectsText(effects: readonly ToolEffect[]): Shown {
  if (effects.length === 0) return shown`no tool was started\n`;
  return joined(
    effects.map((effect) => shown`${lineOf(effect)}\n`),
    '',
  );
}

function lineOf({
  seq,
  startedAt,
  tool,
  attempt,
  input,
  outcome,
  output,
  approvedBy,
  effect,
}: ToolEffect): Shown {
  const what = shown`${escapeText(tool)} ${escapeText(JSON.stringify(input))}`;
  const came =
    output === undefined
      ? escapeText(outcome)
      : shown`${escapeText(outcome)} ${escapeText(JSON.stringify(output))}`;
  const by = approvedBy === undefined ? shown`` : shown`, approved by ${escapeText(actorName(approvedBy))}`;
  const at = shown`${escapeText(String(seq).padStart(4))}  ${escapeText(startedAt)}`;
  return shown`${at}  ${what} (attempt ${attempt}, ${escapeText(effect)}${by}) → ${came}`;
}
