// A workflow with every kind of question, what its last body was entered with, and why that may not be.
import type { Actor, JsonObject, JsonValue, Resolution, RunState } from '../../src/core/index.js';
import { canonicalJson, isJsonObject } from '../../src/core/index.js';
import type { Graph } from '../../src/graph/index.js';
import { graph } from '../../src/graph/index.js';

/** Whoever sends messages: nobody whose answers count. */
export const SENDER: Actor = { type: 'person', name: 'sender', via: 'answer' };

/** The body behind the gate, as it was entered. */
export interface Entered {
  readonly visit: number;
  readonly state: JsonObject;
  readonly input: JsonValue | undefined;
  readonly guidance: readonly string[];
}

/** A review, a body that asks, and a gate in front of what pays. */
export function payingFlow(entered: Entered[]): Graph {
  return graph('pay', { maxIterations: 40 })
    .fn('prep', () => undefined, { effect: 'none' })
    .human('review', { question: ({ amount = null }) => ({ prompt: 'Pay?', payload: { amount } }) })
    .fn(
      'check',
      async ({ amount = null }, context) => {
        await context.step('look', () => amount);
        return { output: await context.ask({ prompt: 'Sure?', payload: { amount } }) };
      },
      // What its body asks is known only when it has asked.
      { effect: 'none', steer: { confirm: '*' } },
    )
    .fn(
      'pay',
      (state, { visit, input, guidance }) => {
        entered.push({ visit, state, input, guidance });
      },
      { effect: 'none', gate: { before: true } },
    )
    .fn('drop', () => undefined, { effect: 'none' })
    .edge('prep', 'review')
    .edge('review', 'check', { when: "state.review == 'yes'" })
    .edge('review', 'drop', { priority: 0 })
    .edge('check', 'pay', { when: "state.check == 'yes'" })
    .edge('check', 'drop', { priority: 0 })
    .end('pay', 'drop')
    .build();
}

interface Decision {
  readonly node: string;
  readonly visit: number;
  readonly phase: string;
  readonly payload: JsonObject;
  readonly resolution: Resolution;
}

/** What people decided, in their order; what messages did is none of it. */
function decisionsOf({ resolved }: RunState): readonly Decision[] {
  return [...resolved].flatMap(({ interrupt: { source, payload }, resolution, by }) =>
    source.type === 'node' && canonicalJson({ ...by }) !== canonicalJson({ ...SENDER })
      ? [
          {
            node: source.nodeId,
            visit: source.visit,
            phase: source.phase,
            payload: isJsonObject(payload) ? payload : {},
            resolution,
          },
        ]
      : [],
  );
}

/** Why the body may not have been entered like this, for everything that people decided before; told from outside. */
export function graphLawProblem(state: RunState, entered: Entered): string | undefined {
  const decisions = decisionsOf(state);
  return gateProblem(decisions, entered) ?? answerProblem(decisions, entered);
}

/** The last yes at the gate showed this state; input and words are those that a person gave or agreed to. */
function gateProblem(decisions: readonly Decision[], { visit, state, input, guidance }: Entered) {
  let agreed: JsonValue | undefined;
  let given: JsonValue | undefined;
  const words: string[] = [];
  for (const { node, phase, payload, resolution, ...at } of decisions) {
    if (node !== 'pay' || at.visit !== visit || phase !== 'before') continue;
    const proposed = payload['proposed'];
    const isProposal = isJsonObject(proposed);
    if (isProposal && resolution.action === 'reject') continue;
    // What a person decides in the place of a proposal is that person's own.
    const isAgreed = isProposal && resolution.action === 'continue';
    const parts = partsOf(isAgreed ? (proposed as unknown as Resolution) : resolution);
    // Whoever only edits has agreed to nothing; whoever edits and goes on has made what runs.
    if (!isProposal && parts.rest.length > 0) agreed = { ...stateIn(payload), ...parts.patch };
    for (const one of parts.rest) {
      if (one.action === 'edit-input') given = one.value;
      if (one.action === 'rerun' && one.guidance !== undefined) words.push(one.guidance);
      if (one.action === 'reject' || one.action === 'skip') return 'a person said no at the gate';
    }
  }
  if (agreed === undefined) return 'nobody agreed to it at the gate';
  const shown = canonicalJson([agreed, given ?? null, words]);
  const ran = canonicalJson([state, input ?? null, [...guidance]]);
  return shown === ran ? undefined : `shown ${shown}, ran ${ran}`;
}

function stateIn({ state = null }: JsonObject): JsonObject {
  return isJsonObject(state) ? state : {};
}

/** The edits of the state in a decision, as one, and what else it says. */
function partsOf(resolution: Resolution): {
  readonly patch: JsonObject;
  readonly rest: readonly Resolution[];
} {
  const all = resolution.action === 'sequence' ? resolution.actions : [resolution];
  const patches = all.flatMap((one) => (one.action === 'update-state' ? [one.patch] : []));
  return {
    patch: Object.assign({}, ...patches) as JsonObject,
    rest: all.filter(({ action }) => action !== 'update-state'),
  };
}

/** Where people only answered, what they answered leads here, and they were asked about this amount. */
function answerProblem(decisions: readonly Decision[], { state }: Entered): string | undefined {
  const isPlain = decisions.every(
    ({ payload, resolution: { action } }) =>
      action === 'respond' ||
      (payload['proposed'] === undefined ? action === 'continue' : action === 'reject'),
  );
  if (!isPlain) return undefined;
  for (const node of ['review', 'check']) {
    const last = decisions.findLast((one) => one.node === node && one.phase === 'run');
    if (last?.resolution.action !== 'respond') return `nobody answered ${node}`;
    if (last.resolution.output !== 'yes') return `the answer to ${node} was no`;
    const details = last.payload['details'];
    const amount = isJsonObject(details) ? (details['amount'] ?? null) : null;
    if (amount !== (state['amount'] ?? null)) return `${node} was asked about another amount`;
  }
  return undefined;
}
