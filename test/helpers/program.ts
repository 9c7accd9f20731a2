import type { ChildProcessByStdio } from 'node:child_process';
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';

import type { FileStoreOptions } from '../../sessions/index.js';
import type { Interrupt } from '../../src/core/index.js';
import type { Ran } from './warm/warm.js';
import { isOfProgram, isPlain, runWarm } from './warm/warm.js';

/** The built program. */
export const PROGRAM = fileURLToPath(new URL('../../dist/bin/hitl.js', import.meta.url));

/** Where the programs that tests start keep compiled code together; it is named anew with every build. */
export const COMPILED_CODE = join(tmpdir(), `hitl-test-code-${process.getuid?.() ?? 0}`);

export type { Ran } from './warm/warm.js';

export interface RunOptions {
  /** Text, bytes, or pieces that are written one after the other. Default: stdin is closed at once. */
  readonly input?: string | Uint8Array | readonly (string | Uint8Array)[];
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
}

/** A question in a journal. */
export type Asked = Pick<Interrupt, 'id' | 'digest' | 'kind' | 'allowed' | 'payload'>;

/** A home of its own for one test, and the program in it. */
export class Home implements Disposable {
  readonly path = mkdtempSync(join(tmpdir(), 'hitl-e2e-'));
  #work: string | undefined;

  /** A folder to work in: what lies in the home itself, and in the program's own folder, is asked about. */
  get work(): string {
    this.#work ??= mkdtempSync(join(tmpdir(), 'hitl-work-'));
    return this.#work;
  }

  get env(): Record<string, string> {
    return {
      PATH: process.env['PATH'] ?? '',
      HOME: this.path,
      HITL_HOME: this.path,
      HITL_MODEL: 'demo',
      NODE_COMPILE_CACHE: COMPILED_CODE,
      TERM: 'xterm-256color',
    };
  }

  get sessions(): string {
    return join(this.path, 'sessions');
  }

  /** The sessions as the program itself keeps them: with its key, and the ends beside it. */
  get kept(): Pick<FileStoreOptions, 'root' | 'key' | 'ends'> {
    const key = (): Uint8Array => readFileSync(join(this.path, 'key'));
    return { root: this.sessions, key, ends: join(this.path, 'ends') };
  }

  /** Ids of all sessions, oldest first. */
  ids(): readonly string[] {
    if (!existsSync(this.sessions)) return [];
    return readdirSync(this.sessions, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => name)
      .sort();
  }

  /** The only session. */
  get id(): string {
    const [id, ...more] = this.ids();
    if (id === undefined || more.length > 0)
      throw new Error(`expected one session, there are ${more.length + (id ? 1 : 0)}`);
    return id;
  }

  /** Transfers of the bank example, as its effects log has them. */
  transfers(id = this.id): readonly { readonly toAccount: string; readonly amount: number }[] {
    const file = join(this.sessions, id, 'demo-bank.jsonl');
    if (!existsSync(file)) return [];
    return readFileSync(file, 'utf8')
      .trim()
      .split('\n')
      .filter(Boolean)
      .map((line) => {
        const { toAccount, amount } = JSON.parse(line) as { toAccount: string; amount: number };
        return { toAccount, amount };
      });
  }

  /** Events of a session's journal. */
  events(id = this.id): readonly Record<string, unknown>[] {
    const text = readFileSync(join(this.sessions, id, 'journal.jsonl'), 'utf8');
    return text
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as { event: Record<string, unknown> }).event);
  }

  /** A question, as it was asked last. */
  asked(interrupt = 'i1', id = this.id): Asked {
    const raised = this.events(id)
      .map((event) => event['interrupt'] as Asked | undefined)
      .findLast((asked) => asked?.id === interrupt);
    if (raised === undefined) throw new Error(`${interrupt} was not asked`);
    return raised;
  }

  /** The digest of a question, as it is printed beside it. */
  digest(interrupt = 'i1', id = this.id): string {
    return this.asked(interrupt, id).digest.slice(0, 8);
  }

  /**
   * Runs the program to its end: in a process that has loaded it already, as long as nothing but its own variables is
   * given, one is free, and it keeps no connection that the next one could take.
   */
  run(args: readonly string[], options: RunOptions = {}): Promise<Ran> {
    const { env = {}, cwd = process.cwd(), input = [] } = options;
    const isWarm =
      isPlain(args, env) && Object.keys(this.env).every((name) => isOfProgram(name) || HOST.includes(name));
    const pieces = typeof input === 'string' || input instanceof Uint8Array ? [input] : input;
    const wanted = { args, cwd, env: { ...this.env, ...env }, input: pieces };
    return (isWarm ? runWarm(PROGRAM, wanted) : undefined) ?? this.runAlone(args, options);
  }

  /** Runs the program to its end in a process of its own. */
  runAlone(args: readonly string[], options: RunOptions = {}): Promise<Ran> {
    return runProgram(args, { ...options, env: { ...this.env, ...options.env } });
  }

  [Symbol.dispose](): void {
    rmSync(this.path, { recursive: true, force: true, maxRetries: 5 }); // a program that was killed may write still
    if (this.#work !== undefined) rmSync(this.#work, { recursive: true, force: true });
  }
}

/** The variables that a process which has loaded the program already has, or reads anew for each run. */
const HOST: readonly string[] = ['HOME', 'TERM', 'NODE_COMPILE_CACHE'];

/** What a process printed, and its status, when it has ended. */
export function ranBy(child: ChildProcessByStdio<Writable | null, Readable, Readable>): Promise<Ran> {
  return new Promise((resolve, reject) => {
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text;
    });
    child.on('error', reject);
    child.on('close', (code, signal) => {
      resolve({ status: code ?? (signal === 'SIGKILL' ? 137 : 1), stdout, stderr });
    });
  });
}

function runProgram(args: readonly string[], { input, env, cwd }: RunOptions): Promise<Ran> {
  const child = spawn(process.execPath, [PROGRAM, ...args], { env, cwd, stdio: ['pipe', 'pipe', 'pipe'] });
  const ran = ranBy(child);
  child.stdin.on('error', () => undefined); // the program may leave before it has read everything
  const pieces =
    input === undefined ? [] : typeof input === 'string' || input instanceof Uint8Array ? [input] : input;
  void (async () => {
    for (const piece of pieces) {
      child.stdin.write(piece);
      if (pieces.length > 1)
        await new Promise<void>((next) => {
          setImmediate(next);
        });
    }
    child.stdin.end();
  })();
  return ran;
}

/** Lines as a script would print them. */
export function lines(...texts: readonly string[]): string {
  return texts.map((text) => `${text}\n`).join('');
}
