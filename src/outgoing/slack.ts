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

/** A Slack channel, or a compatible receiver. */
export interface SlackOptions {
  readonly name: string;
  /** An incoming webhook, or a channel that a bot writes to with its token. */
  readonly to:
    | { readonly type: 'url'; readonly url: string }
    | { readonly type: 'bot'; readonly token: string; readonly channel: string; readonly api: string };
  /** Whether its clicks reach our page `/hooks/slack`, so that messages may have buttons. */
  readonly hasWayBack: boolean;
  readonly tellsResolved: boolean;
  readonly allow: readonly string[];
}

/** Makes a receiver in Slack. */
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

/** A bot's success is in the text of a 200 response. */
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

/** Decisions available as buttons. */
export interface SlackWays {
  readonly approve?: Resolution;
  readonly reject?: Resolution;
}

/** Returns the decisions that may have buttons (K1); clicks are checked the same way. */
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

/** Characters as sent, and rows that a chat shows unfolded; it refuses messages over 3,000. */
const MOST_CHARACTERS = 2_400;
const MOST_ROWS = 40;
const MOST_COLUMNS = 400;

/** The question as text, and whether it is complete. */
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

/** The question of a button. */
export interface ClickedQuestion {
  readonly session: SessionId;
  readonly interrupt: string;
  readonly digest: string;
}

/** Characters that a button may carry. */
const MOST = 2_000;

/** Returns a button's value; `undefined` if it would be too long. */
export function slackValue({ session, interrupt, digest }: ClickedQuestion): string | undefined {
  const value = JSON.stringify([session, interrupt, digest]);
  return value.length <= MOST ? value : undefined;
}

/** Reads a button's value; `undefined` if it is not ours. */
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

/** Characters of a shortened text. */
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

/** Returns a one-line message instead of a question. */
export function slackWords(line: string, session: string): JsonObject {
  return {
    text: plainText(line),
    blocks: [
      { type: 'section', text: { type: 'plain_text', text: cut(line, MOST_CHARACTERS), emoji: false } },
      note(`session ${session}`),
    ],
  };
}

/** Cuts a text without splitting a surrogate pair, which some JSON parsers reject. */
function cut(text: string, most: number): string {
  return toWellFormed(text.slice(0, most));
}

/** Escapes text for Slack (K2): its three special characters, so that no mention or link starts. */
function plainText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
