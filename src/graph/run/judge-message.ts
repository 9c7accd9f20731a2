import type { Activation, Resolution, ResolutionAction } from '../../core/index.js';
import { livePath, partsOf } from '../../core/index.js';
import type { SteerRules } from '../definition/graph-definition.js';
import { answerKeys, askedOnTheWayTo, askers, isAsked } from './asks-people.js';
import type { GraphLoop } from './graph-loop.js';

/** The fate of a message: it is done at once, when a person agreed, or not at all. */
export type MessageFate = { readonly type: 'do' } | { readonly type: 'ask' | 'refuse'; readonly why: string };

const DO: MessageFate = { type: 'do' };

/** Decides about what a message asks at an activation: by what people are asked, and by what the graph says. */
export function judgeMessage(loop: GraphLoop, current: Activation, resolution: Resolution): MessageFate {
  const rules = rulesAt(loop, current);
  const actions = namesOf(resolution);
  const refused =
    rules && actions.find((action) => !isIn(rules.allow, action) && !isIn(rules.confirm, action));
  if (refused !== undefined) return { type: 'refuse', why: `this workflow takes no \`${refused}\` here` };
  const forPeople = answersForPeople(loop, current, resolution);
  if (forPeople !== undefined) return { type: 'ask', why: forPeople };
  if (rules === undefined)
    return isAboutAnswers(resolution) && isDecided(loop, current)
      ? { type: 'ask', why: 'it changes what a person has answered about' }
      : DO;
  return actions.every((action) => isIn(rules.allow, action))
    ? DO
    : { type: 'ask', why: 'this workflow wants a yes for it' };
}

/** The rules of a node, else of its graph, else of what is around it; none where nobody says anything. */
export function rulesAt({ graph, place }: GraphLoop, { node }: Activation): SteerRules | undefined {
  return graph.nodes[node]?.steer ?? graph.steer ?? place.steer;
}

/** True where a person decided something in this run so far, at a gate or in answer to a node. */
export function hasAnswers({ place, state: { graph } }: GraphLoop): boolean {
  return place.hasAnswers === true || (graph !== undefined && livePath(graph).some(isAnswered));
}

/**
 * True where a decision may be about what is there now. A gate in front of the node that is about to run asks again, and
 * so does a node that asks.
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

/** True for what changes the state, or what is done with it. */
function isAboutAnswers(resolution: Resolution): boolean {
  const { patches, conditions, output, flows } = partsOf(resolution);
  const isInput = flows.some(({ action }) => action === 'edit-input');
  return patches.length + conditions.length > 0 || output !== undefined || isInput;
}

/** Says why a message would decide in the place of a person; `undefined` where it would not. */
function answersForPeople(loop: GraphLoop, current: Activation, resolution: Resolution): string | undefined {
  const { patches, output, flows } = partsOf(resolution);
  const { node: name, phase } = current;
  const answers = answerKeys(Object.entries(loop.graph.nodes), askers(loop.frame()));
  const key = patches.flatMap((patch) => Object.keys(patch)).find((one) => answers.has(one));
  if (key !== undefined) return `\`${key}\` is what a person answers`;
  const isPeoples = isAsked(name, loop.node(current), loop.frame()) || isAnswered(current);
  if (output !== undefined && isPeoples) return `a person decides what comes of \`${name}\``;
  const [flow] = flows;
  // eslint-disable-next-line @typescript-eslint/switch-exhaustiveness-check -- the other ways leave it to the person who is asked
  switch (flow?.action) {
    case 'reject':
    case 'skip':
      return isPeoples ? `a person decides about \`${name}\`` : undefined;
    case 'goto': {
      const [passed] = askedOnTheWayTo(flow.node, loop.graph, loop.frame());
      return passed === undefined ? undefined : `it passes by \`${passed}\`, where a person is asked`;
    }
    case 'edit-input':
    case 'rerun':
      return phase === 'before' && current.passed.includes('before')
        ? `a person let \`${name}\` run without it`
        : undefined;
    default:
      return undefined;
  }
}
