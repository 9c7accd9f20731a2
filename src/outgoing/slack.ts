// Invariants:
// K1 A button stands only where all of a question is above it, unfolded, and where it says all that runs: no warning, no
//    edit, nothing that is typed. Elsewhere there is a link.
// K2 Nothing of a question is read as markup: it names nobody, links nowhere, and leaves its frame by no sign.
import type { Interrupt, JsonObject, Resolution, RunState, SendOutcome, SessionId } from '../core/index.js';
import {
  actorName,
  decidedWords,
  escapeText,
  isJsonObject,
  parseStrictJson,
  toWellFormed,
  isJsonArray,
  isSessionId,
} from '../core/index.js';
import { askedRows, questionView } from '../human/index.js';
import type { Channel, Message } from './channel.js';
import { openingOf } from './channel.js';
import { outcomeOf } from './send-outcome.js';
import type { Post, PostReply } from './post.js';

/** Options for a Slack channel, or a compatible receiver. */
export interface SlackOptions {
  readonly name: string;
  /** An incoming webhook, or a channel that a bot posts to with its token. */
  readonly to:
    | { readonly type: 'url'; readonly url: string }
    | { readonly type: 'bot'; readonly token: string; readonly channel: string; readonly api: string };
  /** Whether button clicks reach our `/hooks/slack` endpoint. Messages have buttons only if they do. */
  readonly hasWayBack: boolean;
  readonly tellsResolved: boolean;
  readonly allow: readonly string[];
}

/** Creates a Slack receiver. */
export function slackChannel(
  { name, to, hasWayBack, tellsResolved, allow }: SlackOptions,
  post: Post,
): Channel {
  return {
    name,
    tellsResolved,
    send: async (message) => {
      const content = message.resolved === undefined ? asked(message, hasWayBack) : answered(message);
      if (to.type === 'url')
        return outcomeOf(
          await post({ url: to.url, headers: JSON_TYPE, body: JSON.stringify(content), allow }),
        );
      const [channel = to.channel, ts] = message.reference?.split('/') ?? [];
      const method = ts === undefined ? 'chat.postMessage' : 'chat.update';
      return outcomeOfBot(
        await post({
          url: `${to.api}/${method}`,
          headers: { ...JSON_TYPE, authorization: `Bearer ${to.token}` },
          body: JSON.stringify({ channel, ...(ts !== undefined && { ts }), ...QUIET, ...content }),
          allow,
        }),
      );
    },
  };
}

const JSON_TYPE = { 'content-type': 'application/json; charset=utf-8' };
const QUIET = { parse: 'none', link_names: false, unfurl_links: false, unfurl_media: false };

/**
 * Returns the outcome of a bot request. Slack responds with status 200 even to a failed request and reports
 * the failure in the body.
 */
function outcomeOfBot(reply: PostReply): SendOutcome {
  const outcome = outcomeOf(reply);
  if (reply.type === 'failed' || outcome.type === 'failed') return outcome;
  const read = parseStrictJson(reply.text);
  const { ok, ts, channel, error } = read.ok && isJsonObject(read.value) ? read.value : {};
  if (ok !== true) {
    const code = typeof error === 'string' && /^[a-z_]{1,40}$/u.test(error) ? error : 'an error';
    return { type: 'failed', why: `Slack answered ${code}` };
  }
  const isNamed =
    typeof ts === 'string' && typeof channel === 'string' && /^[\w.]+$/u.test(`${channel}${ts}`);
  return { type: 'sent', ...(isNamed && { reference: `${channel}/${ts}` }) };
}

/** Decisions that can be offered as buttons. */
export interface SlackWays {
  readonly approve?: Resolution;
  readonly reject?: Resolution;
}

/** Returns the decisions to offer as buttons (K1). Clicks are checked against the same rules. */
export function slackWays(interrupt: Interrupt, state: RunState): SlackWays {
  const { kind, allowed, edit, resumeSchema } = interrupt;
  if (kind !== 'confirmation' && kind !== 'gate') return {};
  const { isWhole } = frameOf(interrupt, state);
  const runs = kind === 'gate' ? 'continue' : 'restart';
  const mayRun = isWhole && edit !== 'required' && resumeSchema === undefined && allowed.includes(runs);
  return {
    ...(mayRun && { approve: { action: runs } }),
    ...(allowed.includes('reject') && { reject: { action: 'reject' } }),
  };
}

/**
 * Maximum number of escaped characters and rows, and maximum row length, for a question to be shown in full.
 * Slack rejects messages over 3,000 characters.
 */
const MOST_CHARACTERS = 2_400;
const MOST_ROWS = 40;
const MOST_COLUMNS = 400;

/**
 * Returns the title and text of a question, along with whether the text is complete enough for the question
 * to be approved.
 */
function frameOf(
  interrupt: Interrupt,
  state: RunState,
): { readonly title: string; readonly text: string; readonly isWhole: boolean } {
  const view = questionView(interrupt, state, { limits: null });
  const all = askedRows(view);
  const text = all.join('\n');
  const warns = view.warnings.length > 0 || view.brief.all.some(({ tone }) => tone === 'warning');
  const isWhole =
    !warns &&
    !view.secret &&
    !text.includes('```') &&
    plainText(text).length <= MOST_CHARACTERS &&
    all.length <= MOST_ROWS &&
    all.every((row) => row.length <= MOST_COLUMNS);
  return { title: view.title, text, isWhole };
}

/** The question that a button belongs to. */
export interface ClickedQuestion {
  readonly session: SessionId;
  readonly interrupt: string;
  readonly digest: string;
}

/** Maximum length of a button's value, in characters. */
const MOST = 2_000;

/** Returns a button's value; `undefined` if it is too long. */
export function slackValue({ session, interrupt, digest }: ClickedQuestion): string | undefined {
  const value = JSON.stringify([session, interrupt, digest]);
  return value.length <= MOST ? value : undefined;
}

/** Parses a button's value; `undefined` if hitl did not create it. */
export function readSlackValue(text: string): ClickedQuestion | undefined {
  const read = parseStrictJson(text.slice(0, MOST));
  if (!read.ok || !isJsonArray(read.value)) return undefined;
  const [session, interrupt, digest, ...more] = read.value;
  const isOurs = typeof session === 'string' && isSessionId(session) && more.length === 0;
  if (!isOurs || typeof interrupt !== 'string' || typeof digest !== 'string') return undefined;
  return { session, interrupt, digest };
}

function asked({ item: { session, interrupt }, state, page }: Message, hasWayBack: boolean): JsonObject {
  const { text, title, isWhole } = frameOf(interrupt, state);
  const value = slackValue({ session, interrupt: interrupt.id, digest: interrupt.digest });
  const ways = hasWayBack && value !== undefined ? slackWays(interrupt, state) : {};
  const shown = isWhole ? text : `${cut(text, SHORT)}\n…`;
  const buttons = [
    ...(ways.approve === undefined ? [] : [button('approve', 'Approve', value)]),
    ...(ways.reject === undefined ? [] : [button('reject', 'Reject', value)]),
    ...(page === undefined ? [] : [{ ...button('open', 'Open', undefined), url: page }]),
  ];
  return {
    text: plainText(`${openingOf(interrupt)}: ${cut(title, SHORT)}`),
    blocks: [
      section(`\`\`\`\n${plainText(shown).replaceAll('```', "'''")}\n\`\`\``),
      ...(isWhole ? [] : [note('Preview only. Open it to decide.')]),
      ...(buttons.length === 0 ? [] : [{ type: 'actions', block_id: 'decide', elements: buttons }]),
      note(`session ${session} · ${escapeText(interrupt.id)} · hitl resume ${session}`),
    ],
  };
}

/** Maximum length of a shortened text, in characters. */
const SHORT = 300;

function button(way: string, label: string, value: string | undefined): JsonObject {
  return {
    type: 'button',
    action_id: way,
    text: { type: 'plain_text', text: label },
    ...(value !== undefined && { value }),
  };
}

function section(text: string): JsonObject {
  return { type: 'section', expand: true, text: { type: 'mrkdwn', text, verbatim: true } };
}

function note(text: string): JsonObject {
  return { type: 'context', elements: [{ type: 'plain_text', text, emoji: false }] };
}

function answered({ item: { session, interrupt }, resolved }: Message): JsonObject {
  const words = decidedWords(interrupt, resolved?.resolution ?? { action: 'cancel' });
  const who = resolved === undefined ? 'somebody' : escapeText(actorName(resolved.by));
  return slackWords(`${who} ${words.verb} ${words.what}`, session);
}

/** Returns a one-line message that replaces a question. */
export function slackWords(line: string, session: string): JsonObject {
  return {
    text: plainText(line),
    blocks: [
      { type: 'section', text: { type: 'plain_text', text: cut(line, MOST_CHARACTERS), emoji: false } },
      note(`session ${session}`),
    ],
  };
}

/** Cuts text without splitting a surrogate pair, which some JSON parsers reject. */
function cut(text: string, most: number): string {
  return toWellFormed(text.slice(0, most));
}

/** Escapes Slack's three special characters (K2), so that text cannot start a mention or a link. */
function plainText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
