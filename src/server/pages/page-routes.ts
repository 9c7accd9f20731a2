import { randomUUID } from 'node:crypto';

import type { Interrupt, RunState, SessionId, SessionSummary, WaitingItem } from '../../core/index.js';
import { approversWords, isHitlError, isQuestion, isSessionId, problemOf } from '../../core/index.js';
import { oneLineOf, questionView, toolOf } from '../../human/index.js';
import { contextOf } from '../answering/take-answer.js';
import { actorOf, may } from '../doors/visitor.js';
import type { Call, InnerRoute } from '../route.js';
import { MESSAGE_BYTES, MOST_BYTES } from '../route.js';
import type { Listed } from '../sight/cursor.js';
import type { SeenQuestion } from '../sight/sight.js';
import type { Beginning, ServerWorld } from '../world.js';
import { editPage } from './edit-page.js';
import type { Page } from './layout.js';
import { plain } from './fields.js';
import { documentOf, messagePage } from './layout.js';
import type { ListView } from './list-pages.js';
import { hasWords, inboxPage, MOST_TURNED, MOST_WORDS, sessionsPage } from './list-pages.js';
import type { NextQuestion, Notice, QuestionShown } from './question-page.js';
import { answeredPage, placeOf, questionPage } from './question-page.js';
import { editOf, readForm } from './read-form.js';
import type { SessionShown } from './session-page.js';
import { sessionPage } from './session-page.js';
import type { WantedStory } from './story.js';

/** Number of items per page. */
const ITEMS = 50;

/** Creates the response for a page. */
export function pageResponse(page: Page, call: Pick<Call, 'visitor'> | undefined, status = 200): Response {
  const text = documentOf({ ...page, ...(call !== undefined && { visitor: call.visitor }) });
  return new Response(text, { status, headers: { 'content-type': 'text/html; charset=utf-8' } });
}

/** Dependencies of pages, other than the visitor's `Sight`. */
type PageWorld = Pick<ServerWorld, 'clock' | 'changes'>;

const READS = { method: 'GET', kind: 'page', needs: 'any role' } as const;
const ANSWERS = {
  method: 'POST',
  kind: 'page',
  needs: 'answer',
  shows: 'field',
  mostBytes: MOST_BYTES,
} as const;

/** Returns the routes of the pages that people use. GET requests do not change anything. */
export function pageRoutes(world: PageWorld): readonly InnerRoute[] {
  const question = '/sessions/:id/questions/:question';
  return [
    { ...READS, path: '/', handle: (call) => showInbox(call, world) },
    { ...READS, path: '/sessions', handle: (call) => showSessions(call, world) },
    { ...READS, path: '/sessions/:id', handle: (call) => showSession(call) },
    {
      ...{ method: 'POST', kind: 'page', needs: 'say', shows: 'field', mostBytes: MESSAGE_BYTES },
      path: '/sessions/:id/messages',
      handle: sendMessage,
    },
    { ...READS, path: question, handle: (call) => showQuestion(call, world) },
    { ...ANSWERS, path: `${question}/answer`, handle: (call) => answerQuestion(call, world) },
    { ...ANSWERS, path: `${question}/preview`, handle: (call) => previewEdit(call, world) },
  ];
}

/** The list to show, with its page size. */
interface WantedList extends Pick<ListView, 'words' | 'isTurned' | 'after'> {
  readonly limit: number;
}

function listOf({ url: { searchParams } }: Call): WantedList {
  const after = searchParams.get('after');
  // No store looks for U+0000.
  const words = (searchParams.get('words') ?? '').replaceAll('\0', ' ').trim().slice(0, MOST_WORDS);
  const isTurned = searchParams.get('order') === 'turned';
  return { words, isTurned, limit: ITEMS, ...(after !== null && { after }) };
}

/**
 * Reads a list in the requested order. A list that is too long is returned in its default order, with
 * `isTooLong` set.
 */
async function inOrder<Item>(
  { isTurned, limit, after }: WantedList,
  read: (part: { readonly limit: number; readonly after?: string }) => Promise<Listed<Item>>,
): Promise<Listed<Item> & { readonly isTooLong: boolean }> {
  if (isTurned) {
    const all = await read({ limit: MOST_TURNED });
    if (all.next === undefined) return { items: all.items.toReversed(), isTooLong: false };
  }
  return { ...(await read({ limit, ...(after !== undefined && { after }) })), isTooLong: isTurned };
}

async function showInbox(call: Call, { clock }: PageWorld): Promise<Response> {
  const { sight } = call;
  const wanted = listOf(call);
  const isWanted = async ({ session, title, folder, interrupt }: WaitingItem): Promise<boolean> => {
    const texts = [title, folder, oneLineOf(interrupt)];
    if (hasWords(wanted.words, texts)) return true;
    const model = (await beginningOf(call, session))?.model;
    return hasWords(wanted.words, [...texts, model]);
  };
  const { isTooLong, ...listed } = await inOrder(wanted, (part) =>
    sight.waiting({ ...part, ...(wanted.words !== '' && { isWanted }) }),
  );
  const beginnings = await beginningsOf(
    call,
    listed.items.map(({ session }) => session),
  );
  return pageResponse(inboxPage(listed, { ...wanted, isTooLong, beginnings, now: clock.now() }), call);
}

async function showSessions(call: Call, { clock }: PageWorld): Promise<Response> {
  const { sight } = call;
  const wanted = listOf(call);
  const { isTooLong, ...listed } = await inOrder(wanted, (part) =>
    sight.sessions({ ...part, ...(wanted.words !== '' && filterBy(wanted.words)) }),
  );
  const sessions = listed.items.map(({ id }) => id);
  const waiting = listed.items.filter((one) => one.waiting > 0).map(({ id }) => id);
  const asked = new Map<SessionId, readonly Interrupt[]>();
  const open =
    waiting.length === 0 ? [] : (await sight.waiting({ sessions: waiting, limit: MOST_TURNED })).items;
  for (const { session, interrupt } of open) asked.set(session, [...(asked.get(session) ?? []), interrupt]);
  const beginnings = await beginningsOf(call, sessions);
  return pageResponse(
    sessionsPage(listed, asked, { ...wanted, isTooLong, beginnings, now: clock.now() }),
    call,
  );
}

/**
 * Creates a filter. The store searches for the longest word, and its results are then filtered by the other
 * words.
 */
function filterBy(words: string) {
  const [search = ''] = words.split(/\s+/u).sort((one, other) => other.length - one.length);
  return { search, isWanted: ({ id, title }: SessionSummary): boolean => hasWords(words, [id, title]) };
}

/** Returns information about how the listed sessions were started. */
async function beginningsOf(
  call: Call,
  sessions: readonly SessionId[],
): Promise<ReadonlyMap<SessionId, Beginning>> {
  const found = new Map<SessionId, Beginning>();
  await Promise.all(
    [...new Set(sessions)].map(async (id) => {
      const beginning = await beginningOf(call, id);
      if (beginning !== undefined) found.set(id, beginning);
    }),
  );
  return found;
}

/**
 * Returns information about how a session was started. `undefined` if it cannot be read; the row is then
 * shown without it.
 */
async function beginningOf({ sight }: Call, id: SessionId): Promise<Beginning | undefined> {
  try {
    return await sight.beginning(id);
  } catch (thrown) {
    if (isHitlError(thrown)) return undefined;
    throw thrown;
  }
}

interface Found {
  readonly session: SessionId;
  readonly state: RunState;
}

/** Shows the current state of a session, starting at the requested position. */
async function showSession(
  call: Call,
  { status = 200, ...more }: Pick<SessionShown, 'notice' | 'unsent'> & { readonly status?: number } = {},
): Promise<Response> {
  const { param, sight, visitor } = call;
  const id = param('id');
  if (!isSessionId(id)) return nothing(call);
  try {
    const seen = { ...(await sight.session(id)), ...(await sight.delivery(id)) };
    const say = { formToken: visitor.formToken ?? '', messageId: randomUUID() };
    const shown = { ...seen, ...more, wanted: storyWanted(call), ...(may(visitor, 'say') && { say }) };
    return pageResponse(sessionPage(shown), call, status);
  } catch (thrown) {
    if (isHitlError(thrown) && thrown.code === 'SESSION_NOT_FOUND') return nothing(call);
    throw thrown;
  }
}

function storyWanted({ url: { searchParams } }: Call): WantedStory {
  const numberOf = (name: string): number | undefined => {
    const text = searchParams.get(name);
    return text !== null && /^\d{1,9}$/u.test(text) ? Number(text) : undefined;
  };
  const [from, before] = [numberOf('from'), numberOf('before')];
  if (before !== undefined && before > 0) return { before };
  return from === undefined ? {} : { since: { from, base: searchParams.get('base') ?? '' } };
}

/** Sends a message to a session in the same way as `POST /v1/sessions/:id/messages` and `hitl send`. */
async function sendMessage(call: Call): Promise<Response> {
  const { form, param, sight } = call;
  const session = param('id');
  if (!isSessionId(session)) return nothing(call);
  const text = plain(form.get('text') ?? '');
  const id = form.get('id') ?? '';
  try {
    await sight.say(session, { text, ...(MESSAGE_ID.test(id) && { id }) });
    return seeOther(`/sessions/${session}#end`);
  } catch (thrown) {
    if (!isHitlError(thrown)) throw thrown;
    if (thrown.code === 'SESSION_NOT_FOUND') return nothing(call);
    if (thrown.code !== 'BAD_INPUT' && thrown.code !== 'QUEUE_FULL') throw thrown;
    const notice = { kind: 'bad', text: `Not sent: ${thrown.message}` } as const;
    return showSession(call, { notice, unsent: text, status: problemOf(thrown).status });
  }
}

/**
 * Matches the idempotency key of a message, as created by our forms. A message sent twice is delivered once.
 */
const MESSAGE_ID = /^[0-9a-f-]{36}$/u;

async function questionOf({ param, sight }: Call): Promise<(Found & SeenQuestion) | undefined> {
  const session = param('id');
  const seen = isSessionId(session) ? await sight.question(session, param('question')) : undefined;
  return isSessionId(session) && seen !== undefined ? { session, ...seen } : undefined;
}

function nothing(call: Call): Response {
  return pageResponse(messagePage('Not found', 'Session or question not found.'), call, 404);
}

/** Shows the current state of a question: open, answered, or not found. */
async function showQuestion(
  call: Call,
  world: PageWorld,
  more: { readonly notice?: Notice; readonly given?: URLSearchParams; readonly status?: number } = {},
): Promise<Response> {
  const found = await questionOf(call);
  if (found === undefined) return nothing(call);
  const { status = 200, ...above } = more;
  const { session, state, interrupt, resolved } = found;
  const open = await call.sight.open(session, state);
  const isSaid = resolved !== undefined || above.notice?.kind === 'good';
  const next = isSaid ? await nextAfter(call, { session, open }) : undefined;
  const shown: QuestionShown = {
    ...{ session, state, open },
    ...above,
    ...(next && { next }),
    seesSession: await call.sight.sees(session),
    you: actorOf(call.visitor, 'web'),
    now: world.clock.now(),
    formToken: call.visitor.formToken ?? '',
  };
  if (interrupt !== undefined) return pageResponse(questionPage(interrupt, shown), call, status);
  return resolved === undefined ? nothing(call) : pageResponse(answeredPage(resolved, shown), call, status);
}

/** Returns the next question: another one in this session, or the oldest visible one. */
async function nextAfter(
  { param, sight }: Call,
  { session, open }: Pick<QuestionShown, 'session' | 'open'>,
): Promise<NextQuestion | undefined> {
  const isOther = (one: NextQuestion): boolean =>
    one.session !== session || one.interrupt.id !== param('question');
  const here = open.filter(isQuestion).map((interrupt) => ({ session, interrupt }));
  return here.find(isOther) ?? (await sight.waiting({ limit: 2 })).items.find(isOther);
}

async function answerQuestion(call: Call, world: PageWorld): Promise<Response> {
  const { form } = call;
  const session = call.param('id');
  if (!isSessionId(session)) return nothing(call);
  const given = { session, interrupt: call.param('question'), digest: form.get('digest') ?? '' };
  const taken = await call.sight.answer(
    { ...given, read: (context, state) => readForm(form, context, state) },
    'web',
  );
  switch (taken.type) {
    case 'recorded':
    case 'taken':
      return seeOther(placeOf(session, call.param('question')));
    case 'voted':
      return showQuestion(call, world, {
        ...said('good', `Vote recorded. It ${approversWords(taken.interrupt, taken.votes) ?? ''}`),
      });
    case 'not-eligible':
      return showQuestion(call, world, { ...said('bad', `Not recorded: ${taken.why}`), status: 403 });
    case 'left':
      return showQuestion(call, world, {
        ...said('good', 'Answer saved. The running session has not confirmed it yet.'),
        status: 202,
      });
    case 'answered':
      return showQuestion(call, world, {
        ...said('bad', `Not recorded: this was ${taken.why}.`),
        status: 409,
      });
    case 'changed':
      return showQuestion(call, world, {
        ...said('bad', 'The question has changed. Nothing was recorded. Review it again.'),
        status: 412,
      });
    case 'misfit':
      return showQuestion(call, world, {
        ...said('bad', `Not recorded: ${taken.why}`),
        given: form,
        status: 400,
      });
    case 'not-found':
      return nothing(call);
  }
}

/** Creates a notice to show above a question. */
function said(kind: Notice['kind'], text: string): { readonly notice: Notice } {
  return { notice: { kind, text } };
}

async function previewEdit(call: Call, world: PageWorld): Promise<Response> {
  const { form } = call;
  const found = await questionOf(call);
  const interrupt = found?.interrupt;
  if (found === undefined || interrupt === undefined) return showQuestion(call, world, { status: 409 });
  if (interrupt.digest !== form.get('digest'))
    return showQuestion(call, world, {
      ...said('bad', 'The question has changed. Review it again.'),
      status: 412,
    });
  const { state, session } = found;
  const context = contextOf(interrupt, state);
  const read = readForm(form, context, state);
  if (!read.ok)
    return showQuestion(call, world, {
      ...said('bad', `Invalid: ${read.why}`),
      given: form,
      status: 400,
    });
  const edit = editOf(read, context, state);
  const view = questionView(interrupt, state, { limits: null, now: world.clock.now() });
  const way = view.ways.find(({ key }) => key === form.get('way'));
  if (edit === undefined || way === undefined) return showQuestion(call, world, { status: 400 });
  const { resolution } = read;
  const sent = 'patch' in resolution ? resolution.patch : edit.after;
  const asked = {
    ...{ view, state, tool: toolOf(interrupt, state), given: form },
    place: placeOf(session, interrupt.id),
    formToken: call.visitor.formToken ?? '',
  };
  return pageResponse(editPage({ asked, way, ...edit, json: JSON.stringify(sent) }), call);
}

function seeOther(location: string): Response {
  return new Response(null, { status: 303, headers: { location } });
}
