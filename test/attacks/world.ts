// A temporary world for one attack: a project, a home of its own, and everything that was started in it.
import {
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

import { COMPILED_CODE } from '../helpers/program.js';
import { isPlain, runWarm } from '../helpers/warm/warm.js';
import { at, jsonLines, parsed, textAt } from './json.js';
import type { Ended, StartOptions } from './process.js';
import { Process } from './process.js';
import { Terminal } from './terminal.js';
import { premise } from './verdict.js';

/** How the program is started; what is not said is as in a shell whose working directory is the project. */
export interface RunOptions extends Partial<StartOptions> {
  /** Loaded before the program. */
  readonly preload?: string;
}

/** How a program of the library is started. */
export interface LibraryOptions extends Partial<StartOptions> {
  readonly args?: readonly string[];
}

/** Size and place of a terminal. */
export interface ScreenOptions {
  readonly cols?: number;
  readonly rows?: number;
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** What is disposed of when the attack is over. */
export interface Closable {
  close(): Promise<void> | void;
}

/** The short form of the attacks: only what a row attacks by its start has a process of its own. */
const IS_SHORT = process.env['ATTACKS'] === 'short';

/** One attack's own part of the disk, with the program in it. */
export class World implements AsyncDisposable {
  readonly root = mkdtempSync(path.join(tmpdir(), 'hitl-attack-'));
  readonly project = path.join(this.root, 'proj');
  readonly home = path.join(this.root, 'home');
  readonly #program: string;
  readonly #isCold: boolean;
  #isOver = false;
  readonly #processes: Process[] = [];
  readonly #terminals: Terminal[] = [];
  readonly #closables: Closable[] = [];
  #made = 0;

  /**
   * @param program the folder of the package that is attacked.
   * @param isCold whether each run has a process of its own, also in the short form.
   */
  constructor(program: string, isCold: boolean) {
    this.#program = program;
    this.#isCold = isCold;
    for (const folder of [this.project, this.home, this.path('user')]) mkdirSync(folder);
  }

  get env(): Readonly<Record<string, string>> {
    const entries = (process.env['PATH'] ?? '').split(path.delimiter);
    return {
      PATH: entries.filter((entry) => !entry.includes('node_modules')).join(path.delimiter),
      HOME: this.path('user'),
      HITL_HOME: this.home,
      TERM: 'xterm-256color',
      LANG: 'C.UTF-8',
      EDITOR: 'false',
      NODE_COMPILE_CACHE: COMPILED_CODE,
    };
  }

  /** The command line of the program. */
  command(...args: readonly string[]): readonly [string, ...string[]] {
    return [process.execPath, path.join(this.#program, 'dist/bin/hitl.js'), ...args];
  }

  path(...names: readonly string[]): string {
    return path.join(this.root, ...names);
  }

  /** Writes a file below the world's root, with its folders, and returns its path. */
  write(name: string, content: string | Uint8Array, mode = 0o644): string {
    const file = this.path(name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, content, { mode });
    return file;
  }

  exists(name: string): boolean {
    return existsSync(this.path(name));
  }

  /** The text of a file; empty where there is none. */
  read(name: string): string {
    return this.exists(name) ? readFileSync(this.path(name), 'utf8') : '';
  }

  /** A model that gives these replies, then says ok. */
  script(...replies: readonly object[]): string {
    const lines = [...replies, { text: 'ok' }].map((reply) => `${JSON.stringify(reply)}\n`);
    return `script:${this.write(`models/${String((this.#made += 1))}.jsonl`, lines.join(''))}`;
  }

  /** A model that calls one tool, then says ok. */
  calling(name: string, input: unknown): string {
    return this.script({ tools: [{ name, input }] });
  }

  start(args: readonly string[], { preload, ...options }: RunOptions = {}): Process {
    const [node, ...rest] = this.command(...args);
    const flags = preload === undefined ? [] : [`--import=${preload}`];
    return this.spawn(node, [...flags, ...rest], options);
  }

  /** Starts any program in this world. */
  spawn(command: string, args: readonly string[], options: Partial<StartOptions> = {}): Process {
    if (this.#isOver) throw new Error('the row is over: nothing begins in its world any more');
    const env = { ...this.env, ...options.env };
    const started = new Process(command, args, { cwd: this.project, ...options, env });
    this.#processes.push(started);
    return started;
  }

  /** Runs the program to its end; without input its stdin is empty. */
  async run(args: readonly string[], options: RunOptions = {}): Promise<Ended> {
    return (await this.#runWarm(args, options)) ?? this.start(args, { input: '', ...options }).ended;
  }

  /**
   * Runs it in a process that has loaded it, in the short form of the attacks, and unless the row says how a process
   * of its own starts.
   */
  async #runWarm(args: readonly string[], options: RunOptions): Promise<Ended | undefined> {
    const { env = {}, cwd = this.project, input = '', ...others } = options;
    if (!IS_SHORT || this.#isCold || !isPlain(args, env) || input === null || Object.keys(others).length > 0)
      return undefined;
    const startedAt = performance.now();
    const wanted = { args, cwd, env: { ...this.env, ...env }, input: [input] };
    const ran = await runWarm(this.command()[1] ?? '', wanted);
    return ran && { ...ran, ms: performance.now() - startedAt, wasTooLong: false };
  }

  terminal(args: readonly string[], { env, cwd = this.project, ...size }: ScreenOptions = {}): Terminal {
    const terminal = new Terminal({
      command: this.command(...args),
      cwd,
      env: { ...this.env, ...env },
      ...size,
    });
    this.#terminals.push(terminal);
    return terminal;
  }

  /** Closes something when the attack is over. */
  keep<T extends Closable>(closable: T): T {
    this.#closables.push(closable);
    return closable;
  }

  /** Starts a session by one turn and returns its id. @throws Error where there is none. */
  async chat(model: string, ...flags: readonly string[]): Promise<string> {
    const ran = await this.run(['chat', '--model', model, '-p', 'go', '--json', ...flags]);
    const id = textAt(parsed(ran.stdout), 'session');
    premise(id !== '', `chat made no session: status ${String(ran.status)}, ${ran.stderr}`);
    return id;
  }

  /** Ids of the sessions of a home, oldest first. */
  sessions(home = this.home): readonly string[] {
    const folder = path.join(home, 'sessions');
    if (!existsSync(folder)) return [];
    return readdirSync(folder).filter((name) => existsSync(path.join(folder, name, 'journal.jsonl')));
  }

  /** The only session. */
  get session(): string {
    const [id, ...more] = this.sessions();
    premise(id !== undefined && more.length === 0, 'there is not exactly one session');
    return id;
  }

  /** The events of a session's journal. */
  events(id: string, home = this.home): readonly unknown[] {
    const file = path.join(home, 'sessions', id, 'journal.jsonl');
    return existsSync(file) ? jsonLines(readFileSync(file, 'utf8')).map((line) => at(line, 'event')) : [];
  }

  /** The events of one type. */
  eventsOf(id: string, type: string): readonly unknown[] {
    return this.events(id).filter((event) => at(event, 'type') === type);
  }

  /** The question that was asked last in a session: its id and its digest; empty where there is none. */
  questionOf(id: string, home = this.home): { readonly id: string; readonly digest: string } {
    const asked = this.events(id, home).findLast((event) => at(event, 'type') === 'interrupt-raised');
    return { id: textAt(asked, 'interrupt', 'id'), digest: textAt(asked, 'interrupt', 'digest') };
  }

  /** Says yes from another process to the question that was asked last, as somebody who saw it. */
  async approve(id: string, env: Readonly<Record<string, string>> = {}): Promise<Ended> {
    const { id: interrupt, digest } = this.questionOf(id, env['HITL_HOME'] ?? this.home);
    return this.run(['answer', id, 'y', '--interrupt', interrupt, '--digest', digest.slice(0, 8)], { env });
  }

  /**
   * Runs a program that imports the built library and returns what it gave to `report`; undefined where it gave nothing.
   * @param source a module; `report(value)`, and `answers` (the makers of answers), are there.
   */
  async library(
    source: string,
    { args = [], ...options }: LibraryOptions = {},
  ): Promise<{ readonly ran: Ended; readonly value: unknown }> {
    const folder = this.path('lib');
    if (!existsSync(folder)) {
      mkdirSync(path.join(folder, 'node_modules'), { recursive: true });
      symlinkSync(this.#program, path.join(folder, 'node_modules/hitl'));
      symlinkSync(path.join(this.#program, 'node_modules/zod'), path.join(folder, 'node_modules/zod'));
    }
    const file = this.write(`lib/${String((this.#made += 1))}.mjs`, `${LIBRARY_HEAD}${source}`);
    const ran = await this.spawn(process.execPath, [file, ...args], { input: '', cwd: folder, ...options })
      .ended;
    const line = ran.stdout.split('\n').findLast((text) => text.startsWith(MARK));
    return { ran, value: line === undefined ? undefined : parsed(line.slice(MARK.length)) };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isOver = true;
    for (const terminal of this.#terminals) terminal.kill();
    for (const started of this.#processes) started.kill('SIGKILL');
    await Promise.allSettled(this.#closables.map(async (closable) => closable.close()));
    rmSync(this.root, { recursive: true, force: true, maxRetries: 3 });
  }
}

const MARK = 'REPORT ';
const LIBRARY_HEAD = `import * as hitl from 'hitl';
const report = (value) => process.stdout.write(${JSON.stringify(MARK)} + JSON.stringify(value ?? null) + '\\n');
const { answers } = hitl;
const failureOf = async (work) => {
  try { return { value: await work() }; }
  catch (error) { return { name: error?.name, code: error?.code, message: String(error?.message), detail: error?.detail }; }
};
`;
