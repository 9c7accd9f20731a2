import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { setTimeout as passing } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

import { detectSandbox, whyNotHeld } from '../../src/tools/index.js';
import { COMPILED_CODE, PROGRAM, ranBy } from '../helpers/program.js';
import type { Effect, Played } from './judge.js';
import { effectsOf } from './judge.js';
import type { Look, World } from './world.js';
import { createWorld } from './world.js';
import type { Work } from './works.js';

/** A way to run a session; a further one is a row. */
export interface Mode {
  readonly name: string;
  readonly flags: readonly string[];
  /** The person's own configuration. */
  readonly config?: object;
  /** Whether a change of files counts only if it remains after `hitl rewind --files`, which is really run. */
  readonly undoes?: true;
}

/** The worst reviewer: it allows whatever it is given, and may allow as much as a reviewer can. */
const YES_TO_ALL = {
  command: [
    ...['/bin/sh', '-c'],
    `cat > /dev/null; echo '{"risk":"low","authorized":"high","decision":"allow","why":"Yes."}'`,
  ],
  mayAllow: 'high',
};

export const MODES: readonly Mode[] = [
  { name: 'ask', flags: ['--mode', 'ask'] },
  { name: 'accept-edits', flags: ['--mode', 'accept-edits'] },
  { name: 'auto', flags: ['--mode', 'auto'], undoes: true },
  {
    name: 'auto+reviewer',
    flags: ['--mode', 'auto'],
    undoes: true,
    config: { reviewer: YES_TO_ALL },
  },
];

/** Says why commands cannot run where they change and send nothing; `undefined` where they can. */
export async function whyNoSandbox(): Promise<string | undefined> {
  return whyNotHeld(await detectSandbox());
}

/** How long what holds a sandbox may take to end after its command. */
const ENDING_MS = 2000;

/** Answers that wait on stdin, more than are needed: an answers file would come before the mode. */
const MOST_ANSWERS = 200;

export const TICKETS = fileURLToPath(new URL('tickets.mjs', import.meta.url));

/**
 * Plays a work with the built program, one call after the other: a server of the Messages API is its model, and looks at
 * the world before each call and after it. A person says yes to every question, so that later calls find what they need;
 * without a sandbox no, so that nothing runs here that could harm.
 */
export async function play(work: Work, mode: Mode, isSandboxed: boolean): Promise<readonly Played[]> {
  await using world = await createWorld(work);
  const calls = work.calls.map(({ tool, input }) => ({ name: tool, input }));
  const model = await startModel(world, calls, mode.undoes === true);
  try {
    writeFileSync(path.join(world.state, 'config.json'), JSON.stringify(mode.config ?? {}));
    const child = spawn(
      process.execPath,
      [
        ...[PROGRAM, 'chat', '-p', work.says, '--model', 'anthropic:claude-sonnet-4-5'],
        ...['--base-url', model.url, '--quiet'],
        ...['--sandbox', isSandboxed ? 'required' : 'off'],
        ...(work.tickets ? ['--mcp', `node ${TICKETS} ${world.fill('{{server}}')}`] : []),
        ...mode.flags,
      ],
      {
        cwd: world.project,
        stdio: ['pipe', 'pipe', 'pipe'],
        env: {
          ...{ PATH: '/usr/local/bin:/usr/bin:/bin', HOME: world.home, HITL_HOME: world.state },
          // The program masks variables whose names are those of keys, wherever they are: none of them is the planted one.
          ...{ ANTHROPIC_API_KEY: 'key-of-the-program', DEPLOY: world.key },
          NODE_COMPILE_CACHE: COMPILED_CODE,
        },
      },
    );
    child.stdin.on('error', () => undefined); // the program may end before it has read every answer
    child.stdin.end((isSandboxed ? 'y\n' : 'n\n').repeat(MOST_ANSWERS));
    const { status, stderr } = await ranBy(child);
    const { results } = model;
    const hasEnded = status === 0 || (status === 2 && stderr.includes('error: unused input'));
    if (!hasEnded || results.length !== work.calls.length)
      throw new Error(
        `${work.work} in ${mode.name}: status ${status} after ${results.length} of ${work.calls.length} calls\n${stderr}`,
      );
    const events = eventsOf(world.state);
    const played = work.calls.map((call, index): Played => {
      const ref = refOf(index);
      const raised = events.filter(
        ({ type, interrupt }) => type === 'interrupt-raised' && interrupt?.source.ref === ref,
      );
      const byPerson = events.filter(
        ({ type, id, interrupt, by }) =>
          type === 'interrupt-resolved' &&
          raised.some((one) => one.interrupt?.id === (id ?? interrupt?.id)) &&
          by?.via === 'stdin',
      );
      return {
        call,
        questions: byPerson.length,
        ran: events.some(({ type, ref: of }) => type === 'tool-started' && of === ref),
        effects: results[index]?.effects ?? [],
      };
    });
    const remaining: Played[] = [];
    for (const [index, one] of played.entries()) {
      const result = results[index];
      const counts = one.questions === 0 && one.call.label !== 'undoable' && result?.kept !== undefined;
      remaining.push(counts ? { ...one, effects: await afterUndoing(world, refOf(index), result) } : one);
    }
    return remaining;
  } finally {
    await model.close();
  }
}

/** Goes back to the world after a call, has its files brought back, and says what of its effects remains. */
async function afterUndoing(
  world: World,
  ref: string,
  { effects, before, kept }: Result,
): Promise<readonly Effect[]> {
  for (const folder of [world.home, world.state]) {
    rmSync(folder, { recursive: true, force: true });
    execFileSync('cp', ['-a', path.join(kept ?? '', path.basename(folder)), folder]);
  }
  const seq = eventsOf(world.state).findIndex(({ type, ref: of }) => type === 'tool-started' && of === ref);
  const [id = ''] = readdirSync(path.join(world.state, 'sessions'));
  const child = spawn(process.execPath, [PROGRAM, 'rewind', id, '--to', String(seq), '--files'], {
    cwd: world.project,
    env: {
      PATH: '/usr/local/bin:/usr/bin:/bin',
      HOME: world.home,
      HITL_HOME: world.state,
      NODE_COMPILE_CACHE: COMPILED_CODE,
    },
  });
  const { status, stderr } = await ranBy(child);
  if (status !== 0 && status !== 1) throw new Error(`cannot bring files back: status ${status}\n${stderr}`);
  const now = world.look();
  // A folder that is left empty holds nothing, and runs nothing.
  const remains = effectsOf(before, now, '', world.key).filter(
    (effect) =>
      effect.type === 'changed' &&
      !(before.files.get(effect.path) === undefined && isFolder(now, effect.path)),
  );
  return [...remains, ...effects.filter(({ type }) => type !== 'changed')];
}

function isFolder({ files }: Look, name: string): boolean {
  return files.get(name)?.startsWith('4') === true;
}

/** The name by which the model knows a call, from 0. */
export function refOf(index: number): string {
  return `call_${index + 1}`;
}

/** The parts of events that are looked at. */
interface Event {
  readonly type: string;
  readonly id?: string;
  readonly ref?: string;
  readonly interrupt?: { readonly id: string; readonly source: { readonly ref?: string } };
  readonly by?: { readonly via?: string };
}

function eventsOf(state: string): readonly Event[] {
  const sessions = path.join(state, 'sessions');
  return readdirSync(sessions).flatMap((id) =>
    readFileSync(path.join(sessions, id, 'journal.jsonl'), 'utf8')
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as { event: Event }).event),
  );
}

interface PlayedModel {
  readonly url: string;
  /** What each call did to the world, as far as it was played. */
  readonly results: readonly Result[];
  close(): Promise<void>;
}

interface Result {
  readonly effects: readonly Effect[];
  readonly before: Look;
  /** A folder with the home directory and the state of the program as they were after the call, if files changed. */
  readonly kept?: string;
}

/** The parts of a request that are looked at. */
interface Request {
  readonly messages: readonly { readonly role: string }[];
}

/** A server of the Messages API that makes one call after the other, as their tools are named there. */
export async function startModel(
  world: World,
  calls: readonly { readonly name: string; readonly input: object }[],
  keeps: boolean,
): Promise<PlayedModel> {
  const results: Result[] = [];
  let at = 0;
  let before: Look | undefined;

  async function next(request: Request, response: ServerResponse): Promise<void> {
    let now = world.look();
    if (before !== undefined) {
      const { processes } = before;
      for (let waited = 0; now.processes > processes && waited < ENDING_MS; waited += 50) {
        await passing(50);
        now = world.look();
      }
      // Before it is the conversation, with what was agreed to.
      const last = JSON.stringify(
        request.messages.slice(request.messages.findLastIndex(({ role }) => role === 'assistant') + 1),
      );
      const effects = effectsOf(before, now, last, world.key);
      const isChanged = keeps && effects.some(({ type }) => type === 'changed');
      results.push({ effects, before, ...(isChanged && { kept: keep(world, results.length) }) });
    }
    before = now;
    const call = calls[at];
    at += 1;
    const block =
      call === undefined
        ? { type: 'text', text: 'Done.' }
        : {
            type: 'tool_use',
            id: refOf(at - 1),
            name: call.name,
            input: JSON.parse(world.fill(JSON.stringify(call.input))) as object,
          };
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.end(messageStream(`msg_${at}`, block));
  }

  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => void chunks.push(chunk));
    request.on('end', () => {
      next(JSON.parse(Buffer.concat(chunks).toString()) as Request, response).catch((error: unknown) => {
        response.destroy(error instanceof Error ? error : undefined);
      });
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    results,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Copies the home directory and the state of the program beside them. */
function keep({ home, state }: World, at: number): string {
  const kept = path.join(path.dirname(state), `after-${at}`);
  mkdirSync(kept);
  for (const folder of [home, state])
    execFileSync('cp', ['-a', folder, path.join(kept, path.basename(folder))]);
  return kept;
}

/** A reply of one block, as the stream that the Messages API makes of it. */
function messageStream(
  id: string,
  block: { readonly type: string; readonly text?: string; readonly input?: object },
): string {
  const isCall = block.type === 'tool_use';
  const delta = isCall
    ? { type: 'input_json_delta', partial_json: JSON.stringify(block.input) }
    : { type: 'text_delta', text: block.text };
  const message = { id, type: 'message', role: 'assistant', model: 'played', content: [] };
  const usage = { input_tokens: 1, output_tokens: 1 };
  return [
    { type: 'message_start', message: { ...message, stop_reason: null, stop_sequence: null, usage } },
    {
      type: 'content_block_start',
      index: 0,
      content_block: { ...block, ...(isCall ? { input: {} } : { text: '' }) },
    },
    { type: 'content_block_delta', index: 0, delta },
    { type: 'content_block_stop', index: 0 },
    {
      type: 'message_delta',
      delta: { stop_reason: isCall ? 'tool_use' : 'end_turn', stop_sequence: null },
      usage: { output_tokens: 1 },
    },
    { type: 'message_stop' },
  ]
    .map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
    .join('');
}
