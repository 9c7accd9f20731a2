// Invariants:
// U1 Of what a client sends only the last message of the user and its answers are looked at: the journal is the history.
// U2 A thread is a session of its own, which began under the name of this agent: its id says so. No client goes on with
//    what is somebody else's, or with another agent.
// U3 A client has its own threads, and with the role `read` those of others; it answers with the role `answer` alone.
import * as z from 'zod';
import type { JsonValue, SessionId } from '../../core/index.js';
import { HitlError, isHitlError, problemOf, sha256 } from '../../core/index.js';
import { jsonValueSchema } from '../../core/told/schemas.js';
import type { Chat, LiveRun } from '../../library/index.js';
import { openChat } from '../../library/index.js';
import { readGiven, stateOf } from '../answering/take-answer.js';
import { busy } from '../api/routes.js';
import { jsonOf } from '../body.js';
import { actorOf, may } from '../doors/visitor.js';
import { eventMessage } from '../json.js';
import type { Call } from '../route.js';
import { lacking } from '../sight/sight.js';
import type { ServedAgent } from '../running/served-agent.js';
import type { ServedSessions } from '../running/served-sessions.js';
import type { Slot } from '../running/slots.js';
import { chatOptions } from '../running/served-agent.js';
import type { ServerWorld } from '../world.js';
import type { AgUiEvent, RunNames } from './agui-events.js';
import { agUiEvents } from './agui-events.js';

const inputSchema = z.looseObject({
  threadId: z.string().min(1).max(400),
  runId: z.string().max(400),
  messages: z.array(z.looseObject({ role: z.string(), content: z.unknown() })),
  resume: z
    .array(
      z.looseObject({
        interruptId: z.string().max(2_000),
        status: z.enum(['resolved', 'cancelled']),
        payload: jsonValueSchema.optional(),
      }),
    )
    .optional(),
});

/** A client request that has been admitted. */
type ClientCall = Pick<Call, 'request' | 'mostBytes' | 'visitor' | 'sight'>;

type RunInput = z.infer<typeof inputSchema>;

/** Handles a client's run: takes its message or answers, then streams the result. */
export async function runForClient(
  call: ClientCall,
  world: ServerWorld,
  served: Pick<ServedSessions, 'agent' | 'idOf' | 'slot'>,
): Promise<Response> {
  const input = await jsonOf(call, inputSchema);
  const { threadId, runId } = input;
  const id = served.idOf('agui', sha256(threadId).slice(0, 24)); // U2
  const names = { threadId, runId };
  const slot = served.slot();
  if (slot === undefined) return busy();
  return streamOf({ names, slot, world }, () => begin(call, world, { id, input, agent: served.agent }));
}

interface Begun {
  readonly chat: Chat;
  readonly run: LiveRun;
}

async function begin(
  call: ClientCall,
  world: ServerWorld,
  { id, input, agent }: { readonly id: SessionId; readonly input: RunInput; readonly agent: ServedAgent },
): Promise<Begun> {
  const { store, clock } = world;
  const { visitor, sight } = call;
  const isKnown = (await stateOf(store, id)) !== undefined;
  if (isKnown && !(await sight.sees(id)))
    // U3
    throw new HitlError('SESSION_NOT_FOUND', 'another user started this thread', {
      hint: 'start your own: use another threadId',
    });
  if (!isKnown && !may(visitor, 'begin')) throw lacking(visitor, 'begin');
  for (const entry of input.resume ?? []) await take(call, id, entry);
  const by = actorOf(visitor, 'ag-ui');
  const options = chatOptions(agent);
  const chat = isKnown
    ? await openChat(id, { ...options, store, clock })
    : await openChat({ ...options, id, store, clock, by });
  const said = input.messages.findLast(({ role }) => role === 'user')?.content; // U1
  const isAnswer = (input.resume ?? []).length > 0;
  return { chat, run: isAnswer ? chat.resume() : chat.say(typeof said === 'string' ? said : '', { by }) };
}

/** Records one answer. An invalid answer ends the run. */
async function take(
  { sight }: ClientCall,
  session: SessionId,
  { interruptId: interrupt, status, payload }: NonNullable<RunInput['resume']>[number],
): Promise<void> {
  const given = z.object({ digest: z.string(), answer: jsonValueSchema }).safeParse(payload);
  if (!given.success)
    throw new HitlError('BAD_ANSWER', 'an answer must include the displayed digest', {
      hint: 'payload: {"digest": metadata.digest, "answer": "y"}',
    });
  const answer: JsonValue = status === 'cancelled' ? { action: 'cancel' } : given.data.answer;
  const { digest } = given.data;
  const taken = await sight.answer(
    { session, interrupt, digest, read: (context) => readGiven(answer, context) },
    'ag-ui',
  );
  switch (taken.type) {
    case 'recorded':
    case 'taken':
    case 'voted':
    case 'left':
      return;
    case 'answered':
      throw new HitlError('ALREADY_ANSWERED', taken.why);
    case 'not-eligible':
      throw new HitlError('NOT_ELIGIBLE', taken.why);
    case 'changed':
      throw new HitlError('BAD_ANSWER', 'the question has changed');
    case 'misfit':
      throw new HitlError('BAD_ANSWER', taken.why);
    case 'not-found':
      throw new HitlError('INTERRUPT_NOT_FOUND', taken.why);
  }
}

/**
 * Streams a run to the client. If the client disconnects, the run continues. Everything is in the journal, so
 * the thread's next run reports the rest.
 */
function streamOf(
  { names, slot, world }: { readonly names: RunNames; readonly slot: Slot; readonly world: ServerWorld },
  start: () => Promise<Begun>,
): Response {
  const encoder = new TextEncoder();
  let isGone = false;
  const body = new ReadableStream<Uint8Array>({
    async start(controller) {
      const send = (event: AgUiEvent): void => {
        if (!isGone) controller.enqueue(encoder.encode(eventMessage(event)));
      };
      send({ type: 'RUN_STARTED', ...names });
      await sendRun(start, { names, slot, world }, send);
      if (!isGone) controller.close();
    },
    cancel() {
      isGone = true;
    },
  });
  return new Response(body, { headers: { 'content-type': 'text/event-stream; charset=utf-8' } });
}

async function sendRun(
  start: () => Promise<Begun>,
  { names, slot, world }: { readonly names: RunNames; readonly slot: Slot; readonly world: ServerWorld },
  send: (event: AgUiEvent) => void,
): Promise<void> {
  using _taken = slot;
  try {
    const { chat, run } = await start();
    await using _held = chat;
    slot.hold(chat);
    for await (const event of run) {
      const state = event.type === 'rested' ? await stateOf(world.store, chat.id) : undefined;
      for (const one of agUiEvents(event, names, state)) send(one);
    }
  } catch (thrown) {
    const { error } = problemOf(thrown);
    const hint = isHitlError(thrown) && thrown.hint !== undefined ? ` (${thrown.hint})` : '';
    send({ type: 'RUN_ERROR', message: `${error.message}${hint}`, code: error.code });
  }
}
