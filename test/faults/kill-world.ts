import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import * as z from 'zod';

import { decodeLine } from '../../sessions/format/codec.js';
import type { StoredEvent } from '../../src/core/index.js';
import { COMPILED_CODE } from '../helpers/program.js';
import type { Place } from './place.js';
import { folderPlace } from './place.js';

/** Whether the command of each session runs in a sandbox, as `--sandbox` says it. */
export type SandboxMode = 'auto' | 'off' | 'required';

/** What a tool did, as it wrote it down itself. */
const EffectLine = z.object({ key: z.string(), name: z.string(), amount: z.number() });
export type EffectLine = z.infer<typeof EffectLine>;

/** Tools that change the world, slowly enough to be killed in the middle. */
const TOOLS = `import { appendFileSync } from 'node:fs';
const input = {
  type: 'object',
  properties: { amount: { type: 'number' } },
  required: ['amount'],
  additionalProperties: false,
};
const pause = () => new Promise((resolve) => setTimeout(resolve, 8));
async function act(called, { amount }, { idempotencyKey: key }) {
  const name = globalThis.hasJournalFailed ? 'unsaved ' + called : called;
  await pause();
  appendFileSync(process.env.EFFECTS, JSON.stringify({ key, name, amount }) + '\\n');
  await pause();
  return { paid: amount };
}
export const pay = {
  name: 'pay',
  description: 'Pays, after asking.',
  input,
  effect: 'once',
  execute: async (given, context) =>
    context.resumed === undefined ? context.interrupt({ confirm: given.amount }) : act('pay', given, context),
};
export const note = {
  name: 'note',
  description: 'Notes.',
  input,
  effect: 'once',
  execute: (given, context) => act('note', given, context),
};
export const stamp = {
  name: 'stamp',
  description: 'Stamps; again with the same key is the same stamp.',
  input,
  effect: 'idempotent',
  execute: (given, context) => act('stamp', given, context),
};
export const look = { name: 'look', description: 'Looks.', input, effect: 'none', execute: async () => 'seen' };
`;

/** A command in the working folder: its sandbox lets it write nowhere else, and it knows no idempotency key. */
const COMMAND = `sleep 0.01; echo '${JSON.stringify({ key: 'command:shelled', name: 'run_command', amount: 7 })}' >> ran.jsonl; sleep 0.01`;

/** Two turns of parallel calls, five confirmations, a question, and the end. */
const SCRIPT = [
  {
    text: 'Several things at once.',
    tools: [
      { name: 'pay', input: { amount: 10 }, ref: 'edited' },
      { name: 'note', input: { amount: 1 }, ref: 'noted' },
      { name: 'pay', input: { amount: 30 }, ref: 'approved' },
      { name: 'look', input: { amount: 0 }, ref: 'looked' },
      { name: 'pay', input: { amount: 40 }, ref: 'cancelled' },
      { name: 'stamp', input: { amount: 2 }, ref: 'stamped' },
    ],
  },
  {
    text: 'And more.',
    tools: [
      { name: 'note', input: { amount: 3 }, ref: 'noted-too' },
      { name: 'ask_user', input: { question: 'Which colour?' }, ref: 'asked' },
      { name: 'run_command', input: { command: COMMAND, writes: true }, ref: 'shelled' },
      { name: 'pay', input: { amount: 50 }, ref: 'last' },
    ],
  },
  { text: 'Done.' },
];

/** What one session changes when nothing goes wrong: amounts by ref. */
export const EXPECTED_EFFECTS: ReadonlyMap<string, number> = new Map([
  ['approved', 30],
  ['edited', 15],
  ['last', 50],
  ['noted', 1],
  ['noted-too', 3],
  ['shelled', 7],
  ['stamped', 2],
]);

/** What others write beside the sessions: the tools, and which tool modules the user trusts. */
const ALLOWED: ReadonlySet<string> = new Set([
  'effects.jsonl',
  'home/key',
  'home/trust.json',
  'work/ran.jsonl',
]);

/** Where each session ended, beside the key; a process that died may leave one half written. */
const ENDS = /^home\/ends(?:\/\.?[0-9a-f]{32}\.(?:journal|inbox)(?:\.[0-9a-f]{16}\.tmp)?)?$/;

/** The ref of the call that an effect belongs to. */
export function refOf({ key }: EffectLine): string {
  return key.slice(key.lastIndexOf(':') + 1);
}

/** A home of its own for one session, the tools, the model's script, and the world that the tools change. */
export class KillWorld implements Disposable {
  readonly #root = mkdtempSync(path.join(tmpdir(), 'hitl-faults-'));
  readonly home = path.join(this.#root, 'home');
  readonly sessions = path.join(this.home, 'sessions');
  /** Beside the home, which commands must not see. */
  readonly work = path.join(this.#root, 'work');
  readonly #program: string;
  readonly #effects = path.join(this.#root, 'effects.jsonl');
  readonly #sandbox: SandboxMode;

  /** The place where its sessions are kept. */
  readonly place: Place;

  constructor(program: string, sandbox: SandboxMode = 'auto', database?: Place) {
    this.place = database ?? folderPlace(this.sessions);
    this.#program = program;
    this.#sandbox = sandbox;
    mkdirSync(this.home);
    mkdirSync(this.work);
    writeFileSync(path.join(this.#root, 'tools.mjs'), TOOLS);
    writeFileSync(
      path.join(this.#root, 'script.jsonl'),
      SCRIPT.map((reply) => `${JSON.stringify(reply)}\n`).join(''),
    );
    writeFileSync(path.join(this.work, 'precious'), 'not to be touched\n');
  }

  get env(): Readonly<Record<string, string>> {
    return {
      PATH: process.env['PATH'] ?? '',
      HOME: this.#root,
      HITL_HOME: this.home,
      EFFECTS: this.#effects,
      NODE_COMPILE_CACHE: COMPILED_CODE,
      ...this.place.env,
    };
  }

  /** The command line of the program. */
  command(args: readonly string[]): readonly string[] {
    return [this.#program, ...args];
  }

  /** Flags of a life that runs the session. */
  get flags(): readonly string[] {
    return [
      ...['-m', `script:${path.join(this.#root, 'script.jsonl')}`, '-t', path.join(this.#root, 'tools.mjs')],
      ...['--sandbox', this.#sandbox, '--input-format', 'ndjson', '-o', 'stream-json'],
    ];
  }

  journalOf(id: string): string {
    return path.join(this.sessions, id, 'journal.jsonl');
  }

  /** The session that has records, if there is one yet. */
  async id(): Promise<string | undefined> {
    for (const id of await this.place.ids()) if ((await this.events(id)).length > 0) return id;
    return undefined;
  }

  /** The journal as bytes. */
  async journal(id: string): Promise<Buffer> {
    return this.place.journal(id);
  }

  /** The whole records of a journal, up to the first that is not. */
  async events(id: string): Promise<readonly StoredEvent[]> {
    const events: StoredEvent[] = [];
    const text = (await this.journal(id)).toString('latin1');
    for (const line of text.split('\n').slice(0, -1)) {
      const decoded = decodeLine(Buffer.from(line, 'latin1'));
      if (decoded.type !== 'event') break;
      events.push(decoded.stored);
    }
    return events;
  }

  /** What tools did, in order, then what commands did. */
  effects(): readonly EffectLine[] {
    return [this.#effects, path.join(this.work, 'ran.jsonl')].flatMap((file) => effectsIn(file));
  }

  /** Every file of this world that is not of the session, not of the effects, and not a session nobody was told of. */
  async foreignFiles(): Promise<readonly string[]> {
    const id = await this.id();
    return (
      readdirSync(this.#root, { recursive: true, encoding: 'utf8' })
        .filter(
          (name) => !ALLOWED.has(name) && !ENDS.test(name) && !name.startsWith(`home/sessions/${id ?? '?'}`),
        )
        // A death before the rename leaves the temporary file of what was being made.
        .filter((name) => !/^home\/(?:key|trust\.json)\.[0-9a-f]+\.tmp$/.test(name))
        // Compiled code that the program keeps for its next start is of no session.
        .filter((name) => !/^home\/compile-cache(\/[^/]+)?$/.test(name) && name !== 'home')
        // What says that tools ran in a folder is of no session.
        .filter((name) => !/^home\/marks(\/[0-9a-f.-]+(json|running))?$/.test(name))
        // Where sessions are in a database, the program may make a folder for files of tools.
        .filter((name) => !/^home\/beside(\/[0-9a-z]{16})?$/.test(name))
        .filter((name) => !/^home\/sessions(\/[0-9a-z]{16}(\/(lock|journal\.jsonl))?)?$/.test(name))
        .sort()
    );
  }

  [Symbol.dispose](): void {
    rmSync(this.#root, { recursive: true, force: true });
  }
}

function effectsIn(file: string): readonly EffectLine[] {
  if (!existsSync(file)) return [];
  // A death between the making of the file and the first line leaves it empty.
  const lines = readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '');
  return lines.map((line) => EffectLine.parse(JSON.parse(line)));
}

/** A copy of the built program, so that a build meanwhile does not change what is tested. */
export class ProgramCopy implements Disposable {
  readonly #folder = mkdtempSync(path.join(tmpdir(), 'hitl-program-'));
  readonly path = path.join(this.#folder, 'dist/bin/hitl.js');

  constructor(dist: string) {
    cpSync(dist, path.join(this.#folder, 'dist'), { recursive: true });
    writeFileSync(path.join(this.#folder, 'package.json'), '{"type":"module"}');
    symlinkSync(path.join(dist, '../node_modules'), path.join(this.#folder, 'node_modules'));
  }

  [Symbol.dispose](): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
