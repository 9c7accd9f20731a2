// Doors that answer the questions of a store, each as a few lines: a session waits, somebody says yes, and what came of
// it is read from the journal and from what was paid.
import { createHmac, randomBytes } from 'node:crypto';
import path from 'node:path';

import * as z from 'zod';

import { sessionFolder } from '../../sessions/folder/session-folder.js';
import { storeContext } from '../../sessions/folder/store-options.js';
import { appendToInbox } from '../../sessions/inbox/inbox-place.js';
import { inboxFile } from '../../sessions/inbox/inbox-file.js';
import { createFileStore } from '../../sessions/index.js';
import { readSession } from '../../sessions/opening/open-session.js';
import type {
  Actor,
  Answer,
  ApprovalPolicy,
  Clock,
  Interrupt,
  SessionId,
  SessionStore,
} from '../../src/core/index.js';
import { openInterrupts, standingVotes } from '../../src/core/index.js';
import { answers, defineTool, openChat, systemClock } from '../../src/index.js';
import { slackValue } from '../../src/outgoing/index.js';
import type { HitlServer, TokenHolder } from '../../src/server/index.js';
import { scriptedModel } from '../../src/testing/index.js';
import { playedPost } from '../outgoing/played.js';
import { HOME, HOST, openServer, valueIn } from '../server/server-harness.js';
import { temporaryFolder } from '../sessions/temporary-store.js';

/** Four people whom each door knows, and somebody whom it does not; `ann` is the one who asks. */
export type Who = 'ann' | 'ben' | 'cyd' | 'mal' | 'nobody';

/** A yes: to what was shown, unless something else is said. */
export interface Said {
  readonly digest?: string;
  /** Another input than was asked about. */
  readonly amount?: number;
}

/** What the tool asks for. */
export interface Asks {
  readonly approvers?: ApprovalPolicy;
  readonly deadline?: { readonly timeout: string };
  readonly approvalLasts?: string;
}

/** A question that waits at a door: `ann` asked for a payment of 5. */
export interface Scene {
  /** Says yes at the door. Whatever the door replies, what counts is in the journal. */
  say(who: Who, said?: Said): Promise<void>;
  /** Goes on with the session, as a process does that takes it up. */
  goOn(): Promise<void>;
  /** The question that waits; undefined where none does. */
  question(): Promise<Interrupt | undefined>;
  /** Who decided, in their order, and whose votes stand. */
  decided(): Promise<readonly string[]>;
  voted(): Promise<readonly string[]>;
  /** The payments that were made. */
  readonly paid: readonly number[];
  /** Lets time pass. */
  pass(ms: number): void;
  /** Leaves a yes of `ben`, as somebody does who may write the store and has not its key. */
  forge(where: 'inbox' | 'journal'): Promise<void>;
  close(): Promise<void>;
}

/** A door that somebody answers by. */
export type Door = (asks: Asks) => Promise<Scene>;

/** The store of a scene, as its program has it, and as somebody has it without the key. */
export interface Stores {
  readonly ours: SessionStore;
  readonly theirs: SessionStore;
  /** Takes away what a database notes of its key: whoever writes its rows can. */
  readonly unmark?: () => Promise<unknown>;
  /** Writes a signed answer into the inbox, without a look at it. */
  readonly write?: (id: SessionId, answer: Answer) => Promise<void>;
}

type MakeStores = (clock: Clock) => Stores | Promise<Stores>;

const KEY = new Uint8Array(32).fill(1);

/** A folder with a key. */
export function inFiles(clock: Clock): Stores {
  const root = path.join(temporaryFolder(), 'sessions');
  const options = { root, clock, random: randomBytes };
  const signed = { ...options, key: () => KEY };
  const context = storeContext(signed);
  return {
    ours: createFileStore(signed),
    theirs: createFileStore(options),
    write: async (id, answer) => {
      const place = inboxFile(context, sessionFolder(root, id), () => readSession(context, id).tip);
      const { past } = await place.session();
      const receipt = randomBytes(8).toString('hex');
      const at = new Date(clock.now()).toISOString();
      await appendToInbox(
        place,
        { v: 1, type: 'answer', receipt, at, answer },
        past,
        AbortSignal.timeout(20_000),
      );
    },
  };
}

/** Somebody as the program says that uses the library. */
const inLibrary = (name: Who): Actor =>
  name === 'nobody'
    ? { type: 'script', name: 'cron', via: 'flag' }
    : { type: 'person', name, via: 'library' };

/** Somebody who has proved nothing, under a name that is asked. */
const UNPROVED: Actor = { type: 'person', name: 'ben', via: 'answer' };

/** What a session runs with. */
interface World {
  readonly stores: Stores;
  readonly clock: Clock;
  readonly tools: readonly ReturnType<typeof payTool>[];
}

/** A session that waits. */
interface Waiting extends World {
  readonly id: SessionId;
  /** The question as it was shown last; it may be answered by now. */
  readonly shown: () => Promise<Interrupt>;
}

const payTool = (paid: number[], asks: Asks) =>
  defineTool(
    {
      ...{ name: 'pay', description: 'Pays.', input: z.object({ amount: z.number() }), needsApproval: true },
      ...asks,
    },
    ({ amount }) => {
      paid.push(amount);
      return `paid ${amount}`;
    },
  );

const CALL = { tools: [{ name: 'pay', input: { amount: 5 } }] };

/** What a door does with a session that waits; what it began is its own where it begins sessions by itself. */
type Way = (waiting: Waiting) => Promise<{
  readonly say: Scene['say'];
  readonly close?: () => Promise<void>;
}>;

interface DoorOptions {
  /** `ann` as this door knows her: votes of two doors cannot be told apart. */
  readonly ann?: Actor;
  readonly makeStores?: MakeStores;
}

/** A session that `ann` began, and a door to it. */
function doorTo(way: Way, { ann = inLibrary('ann'), makeStores = inFiles }: DoorOptions = {}): Door {
  return async (asks) => {
    const { waiting, ...scene } = await sceneOf(asks, makeStores, async ({ stores, clock, tools }) => {
      const chat = await openChat({
        ...{ store: stores.ours, clock, tools, title: 'About a payment' },
        ...{ model: scriptedModel([CALL, 'Done.']), by: ann },
      });
      await chat.say('Pay 5', { by: ann });
      await chat.close();
      return chat.id;
    });
    const { say, close = async () => undefined } = await way(waiting);
    return { ...scene, say, close };
  };
}

async function sceneOf(asks: Asks, makeStores: MakeStores, begin: (world: World) => Promise<SessionId>) {
  let passed = 0;
  const clock: Clock = {
    now: () => systemClock.now() + passed,
    sleep: (ms, signal) => systemClock.sleep(ms, signal),
    correct: () => 0, // the test says what time it is, and not the database
  };
  const stores = await makeStores(clock);
  const paid: number[] = [];
  const world: World = { stores, clock, tools: [payTool(paid, asks)] };
  const id = await begin(world);
  const state = async () => {
    await using session = await stores.ours.open(id, 'read');
    return session.state;
  };
  const question = async () => openInterrupts(await state())[0];
  const nameOf = ({ by }: { readonly by: Actor }) => ('name' in by ? by.name : by.type);
  let last = (await question())!;
  const shown = async () => {
    last = (await question()) ?? last;
    return last;
  };
  const waiting: Waiting = { ...world, id, shown };
  return {
    waiting,
    paid,
    question,
    pass: (ms: number) => {
      passed += ms;
    },
    decided: async () => [...(await state()).resolved].map(nameOf),
    voted: async () => {
      const now = await state();
      const open = openInterrupts(now)[0];
      return open === undefined ? [] : standingVotes(now.votes, open.id).map(nameOf);
    },
    goOn: async () => {
      const model = scriptedModel(['Done.', 'Done.']);
      const chat = await openChat(id, { store: stores.ours, clock, tools: world.tools, model });
      await chat.resume();
      await chat.close();
    },
    forge: async (where: 'inbox' | 'journal') => {
      const { id: interrupt, digest } = await shown();
      const answer: Answer = {
        ...{ id: interrupt, digest, resolution: { action: 'restart' } },
        by: inLibrary('ben'),
      };
      await stores.unmark?.();
      const held = where === 'inbox' ? await stores.theirs.open(id, 'write') : undefined;
      await stores.theirs.post(id, answer, { signal: AbortSignal.timeout(20_000) });
      await held?.[Symbol.asyncDispose]();
    },
  };
}

/** What somebody says, as a resolution. */
const resolutionOf = ({ amount }: Said) =>
  ({ action: 'restart', ...(amount !== undefined && { input: { amount } }) }) as const;

/** The same, as programs write an answer. */
const wordsOf = ({ amount }: Said) => (amount === undefined ? 'y' : { action: 'restart', input: { amount } });

/** Answers that a program posts to the store with the library. */
export const library: Door = doorTo(async ({ stores, id, shown }) => ({
  say: async (who, said = {}) => {
    const open = await shown();
    const { digest = open.digest } = said;
    const by = inLibrary(who);
    await posted(() =>
      stores.ours.post(id, answers.read({ id: open.id, digest, resolution: resolutionOf(said) }, { by })),
    );
  },
}));

/** The rows of a store, which `makeStores` opens. */
export const rowsOf = (makeStores: MakeStores): Door =>
  doorTo(
    async ({ stores, id, shown }) => ({
      say: async (who, said = {}) => {
        const open = await shown();
        const { digest = open.digest } = said;
        const by = who === 'nobody' ? UNPROVED : inLibrary(who);
        await posted(() => stores.ours.post(id, { id: open.id, digest, resolution: resolutionOf(said), by }));
      },
    }),
    { makeStores },
  );

/** Answers that stand in the inbox, signed, and that nobody looked at before. */
export const inbox: Door = doorTo(async ({ stores, id, shown }) => ({
  say: async (who, said = {}) => {
    const open = await shown();
    const { digest = open.digest } = said;
    const by = who === 'nobody' ? UNPROVED : inLibrary(who);
    await stores.write?.(id, { id: open.id, digest, resolution: resolutionOf(said), by });
  },
}));

/** A refusal is a reply; a fault of the test is not. */
async function posted(post: () => Promise<unknown>): Promise<void> {
  try {
    await post();
  } catch (error) {
    const { code } = error as { readonly code?: string };
    if (!REFUSALS.has(code)) throw error;
  }
}

const REFUSALS: ReadonlySet<string | undefined> = new Set([
  ...['NOT_ELIGIBLE', 'BAD_ANSWER', 'ALREADY_ANSWERED', 'INTERRUPT_NOT_FOUND'],
]);

const tokenOf = (who: Who) => who.padEnd(32, '-');
const people: readonly TokenHolder[] = (['ann', 'ben', 'cyd', 'mal'] as const).map((name) => ({
  ...{ name, token: tokenOf(name) },
  roles: name === 'ann' ? ['answer', 'read', 'say', 'begin'] : ['answer', 'read', 'say'],
}));

const access = { type: 'tokens', people } as const;
/** `ann` by her token. */
const ANN: Actor = {
  ...{ type: 'person', name: 'ann', via: 'web' },
  id: { issuer: 'hitl serve', subject: 'ann' },
};

/** Sends JSON as a program with the token of somebody. */
async function sendJson(server: HitlServer, who: Who, place: string, body: object): Promise<string> {
  const headers = new Headers({ host: HOST, 'content-type': 'application/json' });
  if (who !== 'nobody') headers.set('authorization', `Bearer ${tokenOf(who)}`);
  const init = { method: 'POST', headers, body: JSON.stringify(body) };
  const response = await server.fetch(new Request(`http://${HOST}${place}`, init), '127.0.0.1');
  return response.text();
}

/** The interface for programs. */
export const api: Door = doorTo(
  async ({ stores, clock, id, shown }) => {
    const { server } = await openServer({ store: stores.ours, clock, access });
    return {
      close: () => server.close(),
      say: async (who, said = {}) => {
        const open = await shown();
        const { digest = open.digest } = said;
        const answer = { interrupt: open.id, digest, answer: wordsOf(said) };
        await sendJson(server, who, `/v1/sessions/${id}/answers`, answer);
      },
    };
  },
  { ann: ANN },
);

/** A page in a browser where somebody signed in with their token. */
export const page: Door = doorTo(
  async ({ stores, clock, id, shown }) => {
    const { server } = await openServer({ store: stores.ours, clock, access });
    const ask = (place: string, headers: Headers, form?: Record<string, string>) =>
      server.fetch(
        new Request(`http://${HOME}${place}`, {
          headers,
          ...(form !== undefined && { method: 'POST', body: new URLSearchParams(form) }),
        }),
        '127.0.0.1',
      );
    return {
      close: () => server.close(),
      say: async (who, said = {}) => {
        const open = await shown();
        const headers = new Headers({ host: HOME, 'sec-fetch-site': 'same-origin' });
        const entered = await ask('/sign-in', headers, { token: tokenOf(who) });
        headers.set('cookie', (entered.headers.get('set-cookie') ?? '').split(';')[0] ?? '');
        const place = `/sessions/${id}/questions/${open.id}`;
        const form = valueIn(await (await ask(place, headers)).text(), 'form');
        const edit = said.amount === undefined ? undefined : JSON.stringify({ amount: said.amount });
        await ask(`${place}/answer`, headers, {
          ...{ form, digest: said.digest ?? open.digest },
          ...(edit === undefined ? { way: 'y' } : { way: 'e', json: edit }),
        });
      },
    };
  },
  { ann: ANN },
);

const SECRET = '8f742231b10e8888abcd99yyyzzz85a5';
const USERS: Readonly<Record<Who, string>> = { ann: 'U1', ben: 'U2', cyd: 'U3', mal: 'U4', nobody: 'U9' };

/** Clicks of Slack; its buttons edit nothing. */
export const slack: Door = doorTo(
  async ({ stores, clock, id, shown }) => {
    const names = Object.fromEntries(people.map(({ name }) => [USERS[name as Who], name]));
    const door = { signingSecret: SECRET, replyHosts: [], post: playedPost(), team: 'T1', people: names };
    const { server } = await openServer({ store: stores.ours, clock, access, slack: [door] });
    return {
      close: () => server.close(),
      say: async (who, said = {}) => {
        const { id: interrupt, digest } = await shown();
        const payload = {
          ...{ type: 'block_actions', team: { id: 'T1' }, user: { id: USERS[who], username: 'ben' } },
          actions: [
            {
              action_id: 'approve',
              value: slackValue({ session: id, interrupt, digest: said.digest ?? digest }),
            },
          ],
          response_url: '',
        };
        const raw = new URLSearchParams({ payload: JSON.stringify(payload) }).toString();
        const seconds = String(Math.floor(clock.now() / 1_000));
        const signature = createHmac('sha256', SECRET).update(`v0:${seconds}:${raw}`).digest('hex');
        const headers = {
          ...{ host: HOST, 'content-type': 'application/x-www-form-urlencoded' },
          ...{ 'x-slack-request-timestamp': seconds, 'x-slack-signature': `v0=${signature}` },
        };
        const init = { method: 'POST', headers, body: raw };
        await server.fetch(new Request(`http://${HOST}/hooks/slack`, init), '127.0.0.1');
      },
    };
  },
  { ann: { ...ANN, via: 'slack', id: { issuer: 'slack:T1', subject: USERS.ann } } },
);

/** A client of AG-UI; the thread is one that `ann` began there. */
export const agUi: Door = async (asks) => {
  let close: Scene['close'] = async () => undefined;
  let run: (who: Who, more?: object) => Promise<string> = async () => '';
  const { waiting, ...scene } = await sceneOf(asks, inFiles, async ({ stores, clock, tools }) => {
    const agent = { name: 'payer', tools, model: scriptedModel([CALL, 'Done.', 'Done.', 'Done.']) };
    const { server } = await openServer({ store: stores.ours, clock, access, agent });
    const words = { threadId: 't1', runId: 'r1', messages: [{ role: 'user', content: 'Pay 5' }] };
    close = () => server.close();
    run = (who, more = {}) => sendJson(server, who, '/agui', { ...words, ...more });
    await run('ann');
    for await (const { id } of stores.ours.list()) return id;
    throw new Error('no thread was begun');
  });
  return {
    ...scene,
    close,
    say: async (who, said = {}) => {
      const open = await waiting.shown();
      const { digest = open.digest } = said;
      const payload = { digest, answer: wordsOf(said) };
      await run(who, { resume: [{ interruptId: open.id, status: 'resolved', payload }] });
    },
  };
};
