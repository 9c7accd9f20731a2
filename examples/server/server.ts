import type { Chat, ChatOptions, HitlStatus, LiveEvent, LiveRun } from 'hitl';
import { answers, HitlError, isHitlError, openChat } from 'hitl';
import { toResponse } from 'hitl/web';
import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';

type Options = ChatOptions & { readonly store: string };

/** Characters of a body that are read. */
const MOST = 100_000;

/**
 * A chat over HTTP, without a framework. Each request opens the chat and gives it back, so that any number of processes
 * may serve it; while one runs it, the others answer 409.
 *
 *     POST /chats                     says {"text"} in a new chat: a stream of events, the id in a header
 *     POST /chats/<id>                says {"text"}: a stream of events
 *     GET  /chats/<id>                what waits, and what was said
 *     GET  /chats/<id>/events?after=  the events behind one that is known
 *     POST /chats/<id>/answers        takes {"id","digest","resolution"}: a stream of events
 */
export function chatServer(options: Options): Server {
  return createServer((request, response) => {
    handle(request, response, options).catch((thrown: unknown) => {
      if (response.headersSent) response.destroy();
      else
        send(response, Response.json({ error: errorOf(thrown) }, { status: statusOf(thrown) })).catch(() =>
          response.destroy(),
        );
    });
  });
}

async function handle(request: IncomingMessage, response: ServerResponse, options: Options): Promise<void> {
  const url = new URL(request.url ?? '/', 'http://here');
  const route = `${request.method ?? ''} ${url.pathname}`;
  const [, id] = /^\S+ \/chats\/([^/]+)/u.exec(route) ?? [];
  if (route === 'POST /chats') {
    const text = textIn(await jsonOf(request));
    await using chat = await openChat(options);
    await stream(chat, chat.say(text), response);
    return;
  }
  if (id === undefined) throw new HitlError('SESSION_NOT_FOUND', `there is no ${route}`);
  const body = request.method === 'POST' ? await jsonOf(request) : {};
  const after = Number(url.searchParams.get('after'));
  const live = running.get(id);
  if (live !== undefined && route === `GET /chats/${id}/events`) {
    await send(response, toResponse(live.events({ after })));
    return;
  }
  await using chat = await openChat(id, options);
  switch (route.replace(id, '*')) {
    case 'POST /chats/*':
      await stream(chat, chat.say(textIn(body)), response);
      return;
    case 'POST /chats/*/answers': {
      const by = { type: 'person', name: userOf(request), via: 'library' } as const;
      await stream(chat, chat.answer(answers.read(body, { by })), response);
      return;
    }
    case 'GET /chats/*':
      await send(response, Response.json({ open: chat.open, messages: chat.messages }));
      return;
    case 'GET /chats/*/events':
      await send(response, toResponse(chat.events({ after })));
      return;
    default:
      throw new HitlError('SESSION_NOT_FOUND', `there is no ${route}`);
  }
}

/** The chats of this process in which something runs: whoever lost the line reads on in them. */
const running = new Map<string, Chat>();

/** A run that is refused has a status of its own; one that has begun goes on, whether or not somebody reads it. */
async function stream(chat: Chat, run: LiveRun, response: ServerResponse): Promise<void> {
  const { id } = chat;
  for await (const first of run) if (first.session === id) break;
  running.set(id, chat);
  await Promise.allSettled([
    send(response, toResponse(released(chat, run), { headers: { 'x-chat': id } })),
    run.finally(() => void running.delete(id)),
  ]);
}

/** The end is told when the chat was given back: whoever answers at once can open it. */
async function* released(chat: Chat, run: LiveRun): AsyncGenerator<LiveEvent> {
  try {
    for await (const event of run) {
      if (event.type === 'rested') await chat.close();
      yield event;
    }
  } catch (thrown) {
    await chat.close();
    throw thrown;
  }
}

async function send(response: ServerResponse, { status, headers, body }: Response): Promise<void> {
  response.writeHead(status, Object.fromEntries(headers));
  const reader = body?.getReader();
  for (let piece = await reader?.read(); piece?.done === false; piece = await reader?.read())
    response.write(piece.value);
  response.end();
}

async function jsonOf(request: IncomingMessage): Promise<unknown> {
  let text = '';
  request.setEncoding('utf8');
  for await (const piece of request) {
    text += String(piece);
    if (text.length > MOST) throw new HitlError('BAD_INPUT', 'the body is too long');
  }
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new HitlError('BAD_INPUT', 'the body is not JSON', { cause });
  }
}

function textIn(body: unknown): string {
  if (typeof body === 'object' && body !== null && 'text' in body && typeof body.text === 'string')
    return body.text;
  throw new HitlError('BAD_INPUT', 'the body has no `text`');
}

/** Whoever decides is whom the server knows: here a header that your login would set. */
function userOf({ headers }: IncomingMessage): string {
  const user = headers['x-user'];
  return typeof user === 'string' ? user : 'somebody';
}

function statusOf(thrown: unknown): number {
  return isHitlError(thrown) ? (STATUS[thrown.status] ?? 500) : 500;
}

const STATUS: Partial<Record<HitlStatus, number>> = {
  INVALID_ARGUMENT: 400,
  NOT_FOUND: 404,
  FAILED_PRECONDITION: 409,
  UNAVAILABLE: 409,
};

function errorOf(thrown: unknown): { code: string; message: string } {
  if (!isHitlError(thrown)) return { code: 'INTERNAL', message: 'something failed' };
  return { code: thrown.code, message: thrown.message };
}
