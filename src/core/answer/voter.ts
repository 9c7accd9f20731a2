import { actorName, isActor } from '../data/actor-name.js';
import type { Interrupt, ApprovalPolicy, Subject } from '../data/interrupt.js';
import type { Actor, Resolution } from '../data/resolution.js';
import { asksAgain } from '../question/edits.js';
import type { RunState } from '../state/state.js';
import { grantProblem } from './grants.js';
import { reviewerProblem } from './reviewer.js';
import type { CastVote } from '../question/standing-votes.js';
import { isVeto, isProposal } from '../question/standing-votes.js';
import type { Person, Requester } from '../question/identity.js';
import { isGroup, neededBy } from '../question/approvers.js';
import { isLocalIssuer, isNamed, maybeSame, meansIssuer, voterOf } from '../question/identity.js';

// Invariants:
// V1 A voter is a subject of one issuer, as a door proved it (P2 of `../question/identity.ts`). Votes of two issuers are
//    counted together only where the question names both, so that nobody is two of those who are needed.
// V2 Nobody agrees but a person: no script, no rule and no clock.
// V5 Nobody approves what they wrote: whoever edits an input under four eyes proposes it, and others agree to it or not.
// V6 Nobody approves what they asked for by an API, unless the question says so: programs ask, and people answer.

/** Properties of a question that determine its approvers. */
export type Asked = Pick<Interrupt, 'id' | 'kind' | 'source' | 'approvers' | 'kept' | 'edit' | 'proposed'>;
/** A decision and its author. */
interface Decision {
  readonly by: Actor;
  readonly resolution: Resolution;
}

/** The parts of a session's state that describe its requesters, voters and reviewers. */
type Known = Pick<RunState, 'requesters' | 'advisers' | 'votes' | 'writer' | 'agent' | 'cwd' | 'reviews'> &
  Partial<Pick<RunState, 'rules'>>;

/** Whether a decision prevents anything from running. One approver can make such a decision alone. */
export function isNo({ action }: Resolution): boolean {
  return action === 'reject' || action === 'cancel';
}

/**
 * Whether an answer contains instructions or values. If so, the person who gave it is an author of the
 * result.
 */
export function saysWhatToDo(resolution: Resolution): boolean {
  switch (resolution.action) {
    case 'reject':
    case 'cancel':
      return resolution.reason !== undefined && resolution.reason.trim() !== '';
    case 'respond':
    case 'update-state':
    case 'change-condition':
    case 'edit-input':
    case 'edit-output':
      return true;
    case 'rerun':
      return resolution.guidance !== undefined;
    case 'sequence':
      return resolution.actions.some(saysWhatToDo);
    case 'restart':
      return resolution.note !== undefined;
    case 'retry':
    case 'continue':
    case 'skip':
    case 'go-back':
    case 'defer':
    case 'goto':
    case 'pause':
    case 'extend':
      return false;
  }
}

/** Whether a decision needs several approvers. */
export function isVotedOn(interrupt: Omit<Asked, 'id'>, resolution: Resolution): boolean {
  if (neededBy(interrupt.approvers) === 1 || isNo(resolution)) return false;
  return !isProposal(interrupt, resolution) && !isVeto(interrupt, resolution);
}

/** Returns the reason that someone's decision is not accepted, or `undefined` if it is. */
export function voterProblem(interrupt: Interrupt, decision: Decision, known: Known): string | undefined {
  const { requesters, advisers = [], votes = [], writer } = known;
  const { approvers } = interrupt;
  const { by, resolution } = decision;
  const grant = grantProblem(interrupt, decision, known);
  if (grant !== undefined) return grant;
  if (by.type === 'reviewer') return reviewerProblem(interrupt, { by, resolution }, known); // A2 of `reviewer.ts`
  if (approvers === undefined) return programProblem(interrupt, decision, requesters);
  const who = isActor(by) ? actorName(by) : 'somebody unknown';
  if (!isActor(by) || by.type !== 'person') {
    const isRule = isActor(by) && by.type === 'rule' && isNo(resolution);
    return isRule ? undefined : `${who} is not a person, and only people can answer this`;
  }
  const voter = voterOf(by);
  const askers = [...(requesters ?? []), ...advisers];
  const hasAsked = askers.some((one) => maybeSame(one, voter));
  if (isNo(resolution) && hasAsked) return undefined; // whoever asked for it may take it back
  const decides = !isNo(resolution) && !isProposal(interrupt, resolution);
  if (decides && hasAsked && approvers.notRequester === true)
    return `${by.name} requested it, so someone else must decide`;
  const stranger = strangerProblem(approvers, by, who);
  if (stranger !== undefined || !decides) return stranger;
  return (
    requesterProblem(approvers, voter, requesters && askers) ??
    programProblem(interrupt, decision, requesters) ??
    authorProblem(interrupt, voter) ??
    gateEditProblem(interrupt, resolution) ??
    (isVotedOn(interrupt, resolution)
      ? (ownerProblem(approvers, voter, writer) ?? doorProblem(interrupt, voter, votes))
      : undefined)
  );
}

/**
 * Returns the reason that a person cannot answer a question: their identity is unproven, or they are not one
 * of its approvers.
 */
function strangerProblem(approvers: ApprovalPolicy, by: Person, who: string): string | undefined {
  const { from, issuers } = approvers;
  const voter = voterOf(by);
  if (voter.issuer === '')
    return `the identity of ${who} is not verified, and this needs an answer from ${listedNames(approvers)}`;
  if (issuers !== undefined && !counts(issuers, voter.issuer))
    return `${who} was identified by ${voter.issuer}, which is not an accepted issuer (${issuers.join(', ')})`;
  if (from === undefined || from.some((name) => names(name, by))) return undefined;
  return `${who} cannot answer: this needs an answer from ${listedNames(approvers)}`;
}

/** Whether a list entry refers to this person. */
function names(entry: string, by: Person): boolean {
  return isGroup(entry) ? (by.groups ?? []).includes(entry.slice(1)) : isNamed(entry, voterOf(by));
}

function counts(issuers: readonly string[], issuer: string): boolean {
  return issuers.some((entry) => meansIssuer(entry, issuer));
}

function requesterProblem(
  { notRequester, issuers }: ApprovalPolicy,
  voter: Subject,
  askers: readonly Subject[] | undefined,
): string | undefined {
  if (notRequester !== true) return undefined;
  if (askers === undefined) return 'the requester must not decide this, and the requester is unknown';
  return firstOf(askers, (one) => mixedProblem(one, voter, { issuers, did: 'asked' }));
}

/**
 * Returns the reason that someone who made a request through an API cannot approve it (V6); `undefined` if
 * someone else decides, or if the answer would not run anything.
 */
function programProblem(
  interrupt: Asked,
  { by, resolution }: Decision,
  requesters: readonly Requester[] = [],
): string | undefined {
  if (interrupt.approvers?.notRequester === false || !isActor(by) || by.type !== 'person') return undefined;
  if (by.id === undefined || !letsRun(interrupt, resolution)) return undefined;
  const voter = voterOf(by);
  const isAsker = requesters.some(
    (one) => one.byApi === true && one.issuer === voter.issuer && maybeSame(one, voter),
  );
  return isAsker ? `${by.name} requested it through an API, so someone else must approve it` : undefined;
}

/**
 * Whether an answer lets something run. An answer that provides a call's result or a message for the model
 * does not.
 */
function letsRun({ kind, source, kept }: Asked, resolution: Resolution): boolean {
  if (isNo(resolution)) return false;
  if (resolution.action === 'respond')
    return source.type !== 'tool' || kept !== undefined || kind === 'in-doubt';
  return !(kind === 'error' && resolution.action === 'retry') && kind !== 'pause';
}

/**
 * Prevents requesters from using an edit to pass a gate meant for other people (V5). Requesters may edit the
 * state, because the gate then asks again, and may go back from the gate.
 */
function gateEditProblem({ source, approvers }: Asked, resolution: Resolution): string | undefined {
  if (source.type !== 'node' || approvers?.notRequester !== true || (approvers.need ?? 1) > 1)
    return undefined;
  const goesBack = resolution.action === 'rerun' && source.phase === 'after';
  if (!saysWhatToDo(resolution) || resolution.action === 'respond' || asksAgain(resolution) || goesBack)
    return undefined;
  return 'an edit alone cannot answer this: edit the state, which asks again, or reject it';
}

function authorProblem({ proposed, approvers }: Asked, voter: Subject): string | undefined {
  if (proposed === undefined) return undefined;
  const { by } = proposed;
  if (maybeSame(by, voter)) return `${voter.name} proposed this input, so someone else must approve it`;
  return mixedProblem(by, voter, { issuers: approvers?.issuers, did: 'proposed it' });
}

/**
 * Prevents local votes from being counted as votes of different people: session files belong to one user, who
 * could fake other users with a user namespace. Local votes count only together with votes from another
 * issuer.
 */
function ownerProblem(
  { need, issuers = [] }: ApprovalPolicy,
  voter: Subject,
  writer: RunState['writer'],
): string | undefined {
  if (writer?.owner === undefined || !isLocalIssuer(voter.issuer)) return undefined;
  const others = issuers.some((entry) => entry !== 'local' && !isLocalIssuer(entry));
  if (others && voter.subject === String(writer.owner)) return undefined;
  return `the session files belong to user ID ${writer.owner}, so ${need ?? 1} people cannot vote from the command line: use \`hitl serve --auth\`, or PostgreSQL`;
}

/**
 * Requires all votes to come from the issuer of the first vote, or from the issuers that the question
 * specifies (V1).
 */
function doorProblem(
  { id, approvers }: Asked,
  voter: Subject,
  votes: readonly CastVote[],
): string | undefined {
  const before = votes.flatMap(({ id: of, by }) => (of === id && by.type === 'person' ? [voterOf(by)] : []));
  return firstOf(before, (one) => mixedProblem(one, voter, { issuers: approvers?.issuers, did: 'voted' }));
}

function mixedProblem(
  one: Subject,
  voter: Subject,
  { issuers, did }: { readonly issuers: readonly string[] | undefined; readonly did: string },
): string | undefined {
  if (one.issuer === voter.issuer) return undefined;
  if (issuers !== undefined && counts(issuers, one.issuer) && counts(issuers, voter.issuer)) return undefined;
  const before = one.issuer === '' ? 'without proof of identity' : `through ${one.issuer}`;
  return `${one.name} ${did} ${before}, and this vote comes through ${voter.issuer}: they may be the same person`;
}

function firstOf<T>(list: readonly T[], problem: (one: T) => string | undefined): string | undefined {
  for (const one of list) {
    const why = problem(one);
    if (why !== undefined) return why;
  }
  return undefined;
}

/** Formats the required approvers as text; not escaped. */
function listedNames({ need = 1, from = [], notRequester }: ApprovalPolicy): string {
  if (from.length > 0) return from.join(', ');
  if (need > 1) return `${need} people`;
  return notRequester === true ? 'someone other than the requester' : 'anyone with a verified identity';
}
