import type { Activation, Resolution, ResolutionAction } from '../../core/index.js';
import { livePath, partsOf } from '../../core/index.js';
import type { SteerRules } from '../definition/graph-definition.js';
import { answerKeys, askedOnTheWayTo, askers, isAsked } from './asks-people.js';
import type { GraphLoop } from './graph-loop.js';

/** How a message is handled: applied immediately, applied after approval, or refused. */
export type MessageFate = { readonly type: 'do' } | { readonly type: 'ask' | 'refuse'; readonly why: string };

const DO: MessageFate = { type: 'do' };

/**
 * Decides whether to apply a message at the current node, ask a person first, or refuse it, based on people's
 * decisions and the message rules.
 */
export function judgeMessage(loop: GraphLoop, current: Activation, resolution: Resolution): MessageFate {
  const rules = rulesAt(loop, current);
  const actions = namesOf(resolution);
  const refused =
    rules && actions.find((action) => !isIn(rules.allow, action) && !isIn(rules.confirm, action));
  if (refused !== undefined)
    return { type: 'refuse', why: `this workflow does not accept \`${refused}\` at this point` };
  const forPeople = answersForPeople(loop, current, resolution);
  if (forPeople !== undefined) return { type: 'ask', why: forPeople };
  if (rules === undefined)
    return isAboutAnswers(resolution) && isDecided(loop, current)
      ? { type: 'ask', why: 'it would change a decision that a person has already made' }
      : DO;
  return actions.every((action) => isIn(rules.allow, action))
    ? DO
    : { type: 'ask', why: 'this workflow requires approval for it' };
}

/**
 * Returns the message rules of a node, its graph, or the enclosing graph, whichever is found first;
 * `undefined` if there are none.
 */
export function rulesAt({ graph, place }: GraphLoop, { node }: Activation): SteerRules | undefined {
  return graph.nodes[node]?.steer ?? graph.steer ?? place.steer;
}

/** Whether a person has made a decision in this run, at a gate or in a node. */
export function hasAnswers({ place, state: { graph } }: GraphLoop): boolean {
  return place.hasAnswers === true || (graph !== undefined && livePath(graph).some(isAnswered));
}

/**
 * Whether a person's earlier decision may depend on the current state. If the current node has not started
 * and no gate was passed, ignores the node, because it will ask again.
 */
function isDecided({ place, state: { graph } }: GraphLoop, current: Activation): boolean {
  if (place.hasAnswers === true || graph === undefined) return place.hasAnswers === true;
  const { phase, passed } = current;
  const asks = phase === 'before' || (phase === 'run' && passed.length === 0);
  return livePath(graph).some((one) => !(one === current && asks) && isAnswered(one));
}

function isAnswered({ asks, passed, frames }: Activation): boolean {
  return (
    passed.length > 0 ||
    asks.some(({ answer }) => answer !== undefined) ||
    frames.values().some(({ graph }) => graph !== undefined && livePath(graph).some(isAnswered))
  );
}

function namesOf(resolution: Resolution): readonly ResolutionAction[] {
  const all = resolution.action === 'sequence' ? resolution.actions : [resolution];
  return all.map(({ action }) => action);
}

function isIn(actions: SteerRules['allow'] = [], action: ResolutionAction): boolean {
  return actions === '*' || actions.includes(action);
}

/** Whether a resolution changes state, conditions, input or output. */
function isAboutAnswers(resolution: Resolution): boolean {
  const { patches, conditions, output, flows } = partsOf(resolution);
  const isInput = flows.some(({ action }) => action === 'edit-input');
  return patches.length + conditions.length > 0 || output !== undefined || isInput;
}

/**
 * Returns the reason that a message would make a decision that belongs to a person; `undefined` if it would
 * not.
 */
function answersForPeople(loop: GraphLoop, current: Activation, resolution: Resolution): string | undefined {
  const { patches, output, flows } = partsOf(resolution);
  const { node: name, phase } = current;
  const answers = answerKeys(Object.entries(loop.graph.nodes), askers(loop.frame()));
  const key = patches.flatMap((patch) => Object.keys(patch)).find((one) => answers.has(one));
  if (key !== undefined) return `a person sets \`${key}\``;
  const isPeoples = isAsked(name, loop.node(current), loop.frame()) || isAnswered(current);
  if (output !== undefined && isPeoples) return `a person decides the outcome of \`${name}\``;
  const [flow] = flows;
  // oxlint-disable-next-line typescript/switch-exhaustiveness-check -- the other ways leave it to the person who is asked
  switch (flow?.action) {
    case 'reject':
    case 'skip':
      return isPeoples ? `a person decides about \`${name}\`` : undefined;
    case 'goto': {
      const [passed] = askedOnTheWayTo(flow.node, loop.graph, loop.frame());
      return passed === undefined ? undefined : `it would skip \`${passed}\`, which asks a person`;
    }
    case 'edit-input':
    case 'rerun':
      return phase === 'before' && current.passed.includes('before')
        ? `a person approved \`${name}\` without this change`
        : undefined;
    default:
      return undefined;
  }
}
