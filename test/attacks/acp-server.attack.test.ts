// A hostile editor at `hitl acp`: it writes what it likes on stdin, and answers dialogs as nobody did.
import { mkdirSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

import { attacks } from './attacks.js';
import { jsonLines, textAt } from './json.js';
import type { Process } from './process.js';
import { ledgerModule, ledgerOf, PAY } from './tools.js';
import type { Verdict } from './verdict.js';
import { heldUnless, premise } from './verdict.js';
import type { World } from './world.js';

/** Bytes of one line that is too long. */
const TOO_LONG = 21_000_000;
/** How long an answer is waited for. */
const TRY_MS = 10;
const MOST_TRIES = 1_500;

/** The program, and lines of the protocol as an editor may write them. */
class Hostile {
  readonly #process: Process;
  #id = 0;

  private constructor(started: Process) {
    this.#process = started;
  }

  /** One that has said who it is. */
  static async open(world: World, ...flags: readonly string[]): Promise<Hostile> {
    const editor = new Hostile(world.start(['acp', ...flags]));
    await editor.ask('initialize', { protocolVersion: 1, clientCapabilities: {} });
    return editor;
  }

  get ended(): Promise<{ readonly status: number }> {
    return this.#process.ended;
  }

  get hasEnded(): boolean {
    return this.#process.hasEnded;
  }

  write(line: string): void {
    this.#process.write(`${line}\n`);
  }

  send(message: object): void {
    this.write(JSON.stringify({ jsonrpc: '2.0', ...message }));
  }

  /** Everything that came, a message each; what is no JSON is a fault of the program. */
  get received(): readonly unknown[] {
    return jsonLines(this.#process.stdout.slice(0, this.#process.stdout.lastIndexOf('\n') + 1));
  }

  /** Sends a request without waiting. */
  begin(method: string, params: unknown): number {
    this.#id += 1;
    this.send({ id: this.#id, method, params });
    return this.#id;
  }

  /** Sends a request, and gives what came back; nothing where nothing does. */
  async ask(method: string, params: unknown): Promise<unknown> {
    return this.answer(this.begin(method, params));
  }

  /** What came back for a request, once it did. */
  async answer(id: number): Promise<unknown> {
    const isIt = (message: unknown): boolean => idOf(message) === id && !hasMethod(message);
    for (let tries = 0; tries < MOST_TRIES && !this.#process.hasEnded; tries += 1) {
      const found = this.received.find(isIt);
      if (found !== undefined) return found;
      await sleep(TRY_MS);
    }
    return this.received.find(isIt);
  }

  /** The next dialog. */
  async dialog(): Promise<number | string> {
    premise(await this.#process.until('session/request_permission'), 'no dialog was opened');
    const asked = this.received.find((message) => textAt(message, 'method') === 'session/request_permission');
    return idOf(asked) ?? -1;
  }
}

const idOf = (message: unknown): number | string | undefined =>
  typeof message === 'object' && message !== null && 'id' in message
    ? (message.id as number | string)
    : undefined;
const hasMethod = (message: unknown): boolean => textAt(message, 'method') !== '';
const isRefused = (message: unknown): boolean => textAt(message, 'error', 'message') !== '';

/** A session that waits in a dialog for a payment. */
async function paying(world: World) {
  const module = ledgerModule(world, PAY);
  const model = world.calling('pay', { to: 'Bob', amount: 5 });
  const editor = await Hostile.open(world, '-m', model, '-t', module);
  const made = await editor.ask('session/new', { cwd: world.project, mcpServers: [] });
  const sessionId = textAt(made, 'result', 'sessionId');
  premise(sessionId !== '', 'no session was made');
  const prompt = editor.begin('session/prompt', { sessionId, prompt: [{ type: 'text', text: 'go' }] });
  return { editor, sessionId, prompt, dialog: await editor.dialog() };
}

/** Nothing was approved, and nothing paid. */
function nothingDone(world: World): readonly string[] {
  const decided = world.sessions().flatMap((id) => world.eventsOf(id, 'interrupt-resolved'));
  return [
    ...(decided.some((event) => JSON.stringify(event).includes('"restart"'))
      ? ['something was approved']
      : []),
    ...(ledgerOf(world).length > 0 ? ['it paid'] : []),
  ];
}

attacks('a hostile editor', [
  {
    id: 'E1',
    tried: 'unknown methods, wrong shapes, batches and lines that are no JSON',
    async run(world): Promise<Verdict> {
      const editor = await Hostile.open(world);
      for (const line of ['{', '[]', 'null', '7', '[{"jsonrpc":"2.0","id":1,"method":"session/new"}]'])
        editor.write(line);
      editor.send({ id: { a: 1 }, method: 'session/new', params: {} });
      editor.send({ method: 'session/cancel', params: { sessionId: 5 } });
      editor.send({ id: 'x', result: { outcome: { outcome: 'selected', optionId: 'y' } } });
      const cwd = world.project;
      const tries: readonly (readonly [string, unknown])[] = [
        ['session/approve', { sessionId: 'x' }],
        ['fs/write_text_file', { path: '/tmp/x', content: 'x' }],
        ['session/new', null],
        ['session/new', { cwd: 7, mcpServers: [] }],
        ['session/new', { cwd: '.', mcpServers: [] }],
        ['session/new', { cwd: `${cwd}/none`, mcpServers: [] }],
        ['session/new', { cwd: '/etc/passwd', mcpServers: [] }],
        ['session/new', { cwd, mcpServers: [], additionalDirectories: ['/'] }],
        ['session/prompt', { sessionId: '__proto__', prompt: [{ type: 'text', text: 'x' }] }],
        ['session/load', { sessionId: '../../x', cwd, mcpServers: [] }],
      ];
      const objections: string[] = [];
      for (const [method, params] of tries)
        if (!isRefused(await editor.ask(method, params))) objections.push(`${method} got through`);
      if (editor.hasEnded) objections.push('the program ended');
      if (world.sessions().length > 0) objections.push('a session was made');
      return heldUnless(objections, 'each refused, and the program serves on');
    },
  },
  {
    id: 'E2',
    tried: 'the session of another process, of another folder, and a mode that there is not',
    async run(world): Promise<Verdict> {
      const { editor, sessionId } = await paying(world);
      const other = await Hostile.open(world, '-m', 'demo');
      const folder = world.path('elsewhere');
      mkdirSync(folder);
      const tries: readonly (readonly [string, object])[] = [
        ['session/prompt', { sessionId, prompt: [{ type: 'text', text: 'x' }] }],
        ['session/set_mode', { sessionId, modeId: 'auto' }],
        ['session/close', { sessionId }],
        ['session/load', { sessionId, cwd: world.project, mcpServers: [] }],
        ['session/load', { sessionId, cwd: folder, mcpServers: [] }],
      ];
      const objections: string[] = [];
      for (const [method, params] of tries)
        if (!isRefused(await other.ask(method, params))) objections.push(`${method} got through`);
      other.send({ method: 'session/cancel', params: { sessionId } });
      const mode = await editor.ask('session/set_mode', { sessionId, modeId: 'approve-all' });
      if (!isRefused(mode)) objections.push('a mode was made up');
      return heldUnless([...objections, ...nothingDone(world)], 'refused, and the question waits');
    },
  },
  {
    id: 'E3',
    tried: 'an option that was not offered, then the right one for the same dialog',
    async run(world): Promise<Verdict> {
      const { editor, dialog } = await paying(world);
      const outcomes = [
        { outcome: 'selected', optionId: 'approve' },
        { outcome: 'selected', optionId: 'y' },
      ];
      for (const outcome of outcomes) editor.send({ id: dialog, result: { outcome } });
      await editor.ask('session/unknown', {});
      premise((await world.run(['inbox'])).stdout.includes('pay'), 'the question does not wait');
      return heldUnless(nothingDone(world), 'not answered, and it waits in the inbox');
    },
  },
  {
    id: 'E4',
    tried: 'a yes after the turn was stopped, and a yes for a dialog that there was not',
    async run(world): Promise<Verdict> {
      const { editor, sessionId, prompt, dialog } = await paying(world);
      const outcome = { outcome: 'selected', optionId: 'y' };
      editor.send({ id: 4711, result: { outcome } });
      editor.send({ method: 'session/cancel', params: { sessionId } });
      const stopped = textAt(await editor.answer(prompt), 'result', 'stopReason');
      editor.send({ id: dialog, result: { outcome } });
      await editor.ask('session/unknown', {});
      const objections = stopped === 'cancelled' ? [] : [`the turn ended with ${stopped}`];
      return heldUnless([...objections, ...nothingDone(world)], 'ignored');
    },
  },
  {
    id: 'E5',
    tried: 'floods: messages while one is answered, and a line without end',
    async run(world): Promise<Verdict> {
      const { editor, sessionId } = await paying(world);
      const prompts = Array.from({ length: 200 }, () =>
        editor.begin('session/prompt', { sessionId, prompt: [{ type: 'text', text: 'x' }] }),
      );
      const answers = await Promise.all(prompts.map((id) => editor.answer(id)));
      const objections = answers.every(isRefused) ? [] : ['a message got through beside another'];
      editor.write('x'.repeat(TOO_LONG));
      const { status } = await editor.ended;
      if (status !== 0) objections.push(`it ended with ${String(status)}`);
      return heldUnless([...objections, ...nothingDone(world)], 'refused, and the connection ended');
    },
  },
]);
