// Invariants:
// H2 What an agent hears of a person is what the journal of its question says: an answer that a person gave, for this
//    call and this input. A failure is never an allow.
// H3 An answer is handed out once: that it was is on disk before the agent has it. The same call is then asked about anew.
// H5 A question that no hook will hear an answer to is withdrawn: by the hook, and by its time limit where that was killed.
import { bareText, jsonEquals, membersOf } from '../../src/core/index.js';
import type { Call, SessionId, SessionStore } from '../../src/core/index.js';
import { startedIn } from '../agent/started.js';
import { Questions } from '../asking/questions.js';
import { marksOf } from '../running/questions-here.js';
import { callOf } from '../asking/standing.js';
import type { Io } from '../host/index.js';
import { folderWords } from '../host/index.js';
import { openStore, userKey } from '../store/store.js';
import { agentTools, askedAs, FIXED, inputAsked } from '../asking/agent-call.js';
import type { HookEvent, HookWord } from '../asking/agents.js';
import { AGENT_ROWS } from '../asking/agents.js';

interface AskFlags {
  readonly sessions?: string;
  readonly store?: string;
}

/**
 * Extra time, in milliseconds, after which a question is cancelled even if its hook was killed while waiting.
 */
const GRACE_MS = 5_000;

/** Asks people about a call and waits for an answer. */
export async function askedPeople(
  io: Io,
  event: HookEvent,
  flags: AskFlags,
  waitMs: number,
): Promise<HookWord> {
  const store = openStore(io, flags);
  const unanswered = AGENT_ROWS[event.agent].unanswered(event, io);
  const isHeardLater = unanswered === 'defer';
  const questions = new Questions({
    ...{ store, secret: userKey(io), clock: io.clock, beside: marksOf(store) },
    tools: agentTools(io, startedIn, isHeardLater ? undefined : waitMs + GRACE_MS), // H5
  });
  const { mode: _mode, ...call } = event;
  const from = `${event.agent} in ${folderWords(event.folder, io.home)}`;
  const { tool, input } = askedAs({ ...call, from });
  // One call of one session: another input under its name is another question.
  const connection = JSON.stringify([event.session, event.call ?? '', event.event]);
  const asked = { ...{ tool, input, from, connection }, title: from };
  const signal = new AbortController().signal;
  let id = await questions.ask(asked);
  const before = await questions.standing(id, from, signal);
  if (before.status !== 'waiting' && wordOf(await callIn(store, id), event).type === 'none') {
    questions.handOut(id); // that of a hook that was killed, whose time is over
    id = await questions.ask(asked);
  }
  let standing = await questions.answered({ id, from, ms: waitMs }, signal);
  const why = `no answer yet to question ${id}`;
  const nobody: HookWord = unanswered === 'own-dialog' ? { type: 'none' } : { type: unanswered, why };
  if (standing.status === 'waiting' && !isHeardLater) {
    const open = await questions.open(id);
    if (open !== undefined) {
      const reason = `${event.agent} ${unanswered === 'deny' ? 'continues without an answer' : 'asks its user directly'}`;
      const by = { type: 'script', name: from, via: 'flag', place: 'hitl hook' } as const;
      const resolution = { action: 'cancel', reason } as const;
      await store.post(id, { id: open.id, digest: open.digest, resolution, by });
      standing = await questions.standing(id, from, signal);
    }
  }
  if (standing.status === 'waiting') return nobody;
  const isFirst = questions.handOut(id); // H3
  const word = wordOf(await callIn(store, id), event);
  if (isFirst && word.type !== 'none') return word;
  // Silence would let it run there.
  return unanswered === 'deny' ? nobody : { type: 'none' };
}

async function callIn(store: SessionStore, id: SessionId): Promise<Call | undefined> {
  await using session = await store.open(id, 'read');
  return callOf(session.state);
}

/** Converts the outcome of a question into a reply to the agent (H2). */
function wordOf(call: Call | undefined, event: HookEvent): HookWord {
  if (call?.state.status !== 'settled' || call.resolved === undefined) return { type: 'none' };
  const { resolution, by } = call.resolved;
  if (by.type !== 'person') return { type: 'none' };
  const { outcome } = call.state;
  if (resolution.action === 'respond')
    return {
      type: 'deny',
      why: `${by.name} provided the result: ${bareText(resolution.output)}`,
    };
  if (resolution.action === 'reject' || resolution.action === 'cancel') {
    const { reason = '' } = resolution;
    return { type: 'deny', why: `rejected by ${by.name}${reason === '' ? '' : `: ${reason}`}` };
  }
  if (resolution.action !== 'restart') return { type: 'none' };
  const [asked, agreed] = [membersOf(call.request.input), membersOf(call.input)];
  const isSame = FIXED.every((key) => jsonEquals(asked[key] ?? null, agreed[key] ?? null));
  const [before, input] = [inputAsked(asked), inputAsked(agreed)];
  const isRun = outcome.type !== 'error' && membersOf(outcome.output)['allowed'] === true;
  if (!isRun || !isSame || input === undefined || before === undefined) return { type: 'none' };
  if (!jsonEquals(before, event.input)) return { type: 'none' };
  const why = `approved by ${by.name}`;
  return jsonEquals(before, input) ? { type: 'allow', why } : { type: 'allow', why: `${why}, edited`, input };
}
