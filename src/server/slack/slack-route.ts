// Invariants:
// B1 A click is believed by its signature over the very bytes, made within five minutes, and by nothing that is in it.
// B2 It answers by the digest that its button carries, what a button may stand for, and by the law of every answer.
// B3 A person is a user of one team, by the name that our own configuration has for them. Nobody else decides anything,
//    and a name that Slack shows names nobody.
// B4 What is told goes to a host that was named before, whatever the click says.
import { createHmac } from 'node:crypto';

import type { Identified, JsonObject, JsonValue } from '../../core/index.js';
import {
  digestOf,
  identify,
  isJsonArray,
  isSameText,
  membersOf,
  parseStrictJson,
  personOf,
  votesCount,
} from '../../core/index.js';
import type { ClickedQuestion, Post } from '../../outgoing/index.js';
import { readSlackValue, slackWays, slackWords } from '../../outgoing/index.js';
import type { TakenAnswer } from '../answering/take-answer.js';
import { takeAnswer } from '../answering/take-answer.js';
import type { ServerWorld } from '../world.js';

/** A Slack workspace whose clicks are accepted. */
export interface SlackDoor {
  readonly signingSecret: string;
  /** ID of the workspace. User IDs are unique only within a workspace. */
  readonly team: string;
  /** Names of the users who can answer, by user ID. */
  readonly people: Readonly<Record<string, string>>;
  /** Hosts that the result of a click may be sent to, such as `hooks.slack.com`. */
  readonly replyHosts: readonly string[];
  /** Sends the outcome. */
  readonly post: Post;
}

/** How long a signature is valid, in seconds. */
const FRESH_S = 300;
/**
 * Maximum time before Slack gets the response to a click, in milliseconds. It is shorter than the limit that
 * Slack sets.
 */
const SOON_MS = 2_000;

/** Handles a Slack click. `raw` is the unmodified body, which the signature covers. */
export async function slackClick(
  { headers }: Request,
  raw: string,
  world: ServerWorld,
  doors: readonly SlackDoor[],
): Promise<Response> {
  const signed = doors.filter(({ signingSecret }) =>
    isSigned(headers, raw, { secret: signingSecret, now: world.clock.now() }),
  );
  if (signed.length === 0) return new Response('not signed by a known Slack app\n', { status: 401 });
  const read = parseStrictJson(new URLSearchParams(raw).get('payload') ?? '');
  const click = read.ok ? clickIn(read.value) : undefined;
  const door = click && doorFor(click, signed);
  if (click === undefined || door === undefined) return new Response(null, { status: 200 }); // a link was opened, or it is another app's
  const soon = new AbortController();
  const told = tellOutcome(click, world, door).finally(() => {
    soon.abort();
  });
  const late = world.clock.sleep(SOON_MS, soon.signal).catch(() => undefined);
  await Promise.race([told.catch(() => undefined), late]);
  return new Response(null, { status: 200 });
}

/**
 * Returns the channel that lists the user. The channels belong to one Slack app and have the same signing
 * secret. If none of them lists the user, returns the first channel, which reports that to the user (B3).
 */
function doorFor({ user, team }: Click, doors: readonly SlackDoor[]): SlackDoor | undefined {
  const knows = (door: SlackDoor): boolean => door.team === team && Object.hasOwn(door.people, user);
  return doors.find(knows) ?? doors[0];
}

/** Whether a body has a valid, recent signature made with a secret (B1). */
function isSigned(
  headers: Headers,
  raw: string,
  { secret, now }: { readonly secret: string; readonly now: number },
): boolean {
  const at = headers.get('x-slack-request-timestamp') ?? '';
  if (!/^\d{1,12}$/u.test(at) || Math.abs(now / 1_000 - Number(at)) > FRESH_S) return false;
  const signature = createHmac('sha256', secret).update(`v0:${at}:${raw}`).digest('hex');
  return isSameText(headers.get('x-slack-signature') ?? '', `v0=${signature}`);
}

interface Click {
  readonly way: 'approve' | 'reject';
  readonly question: ClickedQuestion;
  readonly team: string;
  readonly user: string;
  readonly replyTo: string;
}

const ID = /^[A-Z0-9]{2,40}$/u;

function clickIn(payload: JsonValue): Click | undefined {
  const { type, team, user, actions, response_url: replyTo } = membersOf(payload);
  const [action] = actions !== undefined && isJsonArray(actions) ? actions : [];
  const { action_id: way, value } = membersOf(action ?? null);
  const { id, team_id: home } = membersOf(user ?? null);
  const { id: place = home } = membersOf(team ?? null);
  if (type !== 'block_actions' || (way !== 'approve' && way !== 'reject') || typeof value !== 'string')
    return undefined;
  const question = readSlackValue(value);
  if (question === undefined || typeof id !== 'string' || typeof place !== 'string') return undefined;
  if (!ID.test(id) || !ID.test(place)) return undefined;
  return {
    ...{ way, question, team: place, user: id },
    replyTo: typeof replyTo === 'string' ? replyTo : '',
  };
}

async function tellOutcome(click: Click, world: ServerWorld, door: SlackDoor): Promise<void> {
  const { session } = click.question;
  const { text, isOver } = await outcomeOf(click, world, door);
  const content: JsonObject = isOver
    ? { replace_original: true, ...slackWords(text, session) }
    : { replace_original: false, response_type: 'ephemeral', text: slackWords(text, session)['text'] ?? '' };
  const url = URL.canParse(click.replyTo) ? new URL(click.replyTo) : undefined;
  if (url?.protocol !== 'https:' || url.port !== '' || !door.replyHosts.includes(url.hostname)) return; // B4
  const headers = { 'content-type': 'application/json; charset=utf-8' };
  await door.post({ url: url.href, headers, body: JSON.stringify(content), allow: [] });
}

/** The message for the result of a click. `isOver` is true if the question does not need any more clicks. */
interface Outcome {
  readonly text: string;
  readonly isOver: boolean;
}

async function outcomeOf(click: Click, world: ServerWorld, door: SlackDoor): Promise<Outcome> {
  const { question, way } = click;
  const found = whoClicked(click, door);
  if (!found.ok) return { text: `Not recorded: ${found.why}`, isOver: false };
  const by = personOf(found.identity, 'slack');
  const taken = await takeAnswer(world, {
    ...question,
    by,
    receipt: `slack-${digestOf([click.team, click.user, question.session, question.interrupt, question.digest, way]).slice(0, 32)}`,
    read: (context, now) => {
      const resolution = slackWays(context.interrupt, now)[way]; // B2
      return resolution === undefined
        ? { ok: false, why: 'Decide this on its page' }
        : { ok: true, resolution };
    },
  });
  return words(taken, by.name, way);
}

/** Returns the person who clicked (B3). */
function whoClicked({ team, user }: Click, door: SlackDoor): Identified {
  if (team !== door.team) return { ok: false, why: `sent from another workspace, ${team}` };
  const name = Object.hasOwn(door.people, user) ? door.people[user] : undefined;
  return identify({ type: 'slack', team, user, ...(name !== undefined && { name }) });
}

function voteText({ interrupt, votes }: TakenAnswer & { readonly type: 'voted' }): string {
  const { agree, need } = votesCount(interrupt, votes);
  return `Vote recorded (${agree} of ${need})`;
}

function words(taken: TakenAnswer, name: string, way: Click['way']): Outcome {
  switch (taken.type) {
    case 'recorded':
    case 'taken':
      return { text: `${way === 'approve' ? '✓ approved' : '✗ rejected'} by ${name}`, isOver: true };
    case 'left':
      return { text: 'Saved; not yet confirmed by the session.', isOver: false };
    case 'voted':
      return { text: voteText(taken), isOver: false };
    case 'answered':
      return { text: `Not recorded: this was ${taken.why}`, isOver: true };
    case 'changed':
      return { text: 'The question has changed; open it', isOver: true };
    case 'misfit':
    case 'not-eligible':
    case 'not-found':
      return { text: taken.why, isOver: false };
  }
}
