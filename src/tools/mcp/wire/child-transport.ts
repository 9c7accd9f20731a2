import type { ChildProcess } from 'node:child_process';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import { FOLDER_VARIABLE, startProgram } from '../../../programs/index.js';
import { killGroup } from '../../builtin/index.js';
import { MessageLines } from './message-lines.js';
import type { Sdk } from './mcp-sdk.js';
import type { McpProgram } from './mcp-server.js';

// Invariants:
// S1 The server leads a process group of its own, and nothing of that group is left when `close` settles or we exit.
// S2 It gets the variables that every program needs and those that its configuration names: no key of ours.
// S3 It gets none of our files, and its words on the error stream reach no terminal by themselves. A line among its
//    messages that is none is such words too: many programs print one when they start.

/** How long to wait for a server to exit after its input is closed, in milliseconds. */
const END_MS = 500;

/** The transport to a local server program. Output that is not a message is passed on line by line. */
export class ChildTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: NonNullable<Transport['onmessage']>;
  readonly #server: McpProgram;
  readonly #sdk: Sdk;
  readonly #environment: Readonly<Record<string, string>>;
  readonly #onLine: (line: string) => void;
  readonly #lines = new MessageLines();
  readonly #atExit = (): void => void this.#kill('SIGKILL');
  #child: ChildProcess | undefined;
  #failure: string | undefined;

  /** @param environment the variables that every program needs */
  constructor(
    server: McpProgram,
    { sdk, environment }: { readonly sdk: Sdk; readonly environment: Readonly<Record<string, string>> },
    onLine: (line: string) => void,
  ) {
    this.#server = server;
    this.#sdk = sdk;
    this.#environment = environment;
    this.#onLine = onLine;
  }

  /** Process ID. The SDK recognizes a local program by this property and `stderr`. */
  get pid(): number | null {
    return this.#child?.pid ?? null;
  }

  /** The reason that reading stopped, or `undefined` if it has not stopped. */
  get failure(): string | undefined {
    return this.#failure;
  }

  get stderr(): Readable | null {
    return this.#child?.stderr ?? null;
  }

  start(): Promise<void> {
    const { command, args, env, cwd, kind = 'library-server', place, files, unseen } = this.#server;
    const told = place === undefined ? {} : { [FOLDER_VARIABLE]: place.cwd };
    return new Promise((resolve, reject) => {
      // S1, S3: as the laws of its kind say.
      const child = startProgram(kind, {
        ...{ program: command, args },
        env: { ...this.#environment, ...told, ...env }, // S2
        ...(cwd !== undefined && { cwd }),
        ...(place && { place }),
        ...(files && { files }),
        ...(unseen && { unseen }),
      });
      this.#child = child;
      process.once('exit', this.#atExit); // S1
      child.once('spawn', resolve);
      child.once('error', (error) => {
        this.#ended();
        reject(error);
      });
      child.once('close', () => {
        this.#ended();
      });
      child.stdin?.on('error', (error) => this.onerror?.(error));
      child.stdout?.on('data', (chunk: Buffer) => {
        this.#read(chunk);
      });
      linesOf(child.stderr, this.#onLine);
    });
  }

  send(message: JSONRPCMessage): Promise<void> {
    return new Promise((resolve, reject) => {
      const { stdin } = this.#child ?? {};
      if (stdin?.writable !== true) {
        reject(new Error('the server has ended'));
        return;
      }
      stdin.write(this.#sdk.serializeMessage(message), (error) => {
        if (error instanceof Error) reject(error);
        else resolve();
      });
    });
  }

  /** Stops the server: closes its input, then sends a signal to its process group, then kills the group. */
  async close(): Promise<void> {
    const child = this.#child;
    if (child === undefined) return;
    const closed = new Promise<void>((resolve) => {
      child.once('close', () => {
        resolve();
      });
    });
    child.stdin?.end();
    const late = () => sleep(END_MS, undefined, { ref: false }); // what has ended is not waited for
    await Promise.race([closed, late()]);
    if (this.#kill('SIGTERM')) await Promise.race([closed, late()]);
    this.#kill('SIGKILL', child);
    this.#ended();
  }

  #read(chunk: Buffer): void {
    if (this.#failure !== undefined) return;
    try {
      for (const line of this.#lines.append(chunk)) this.#heard(line);
    } catch (error) {
      // A message without end: nothing that comes after it can be told apart.
      const what = error instanceof Error ? error : new Error(String(error));
      this.#failure = what.message.replace(/^it /u, '');
      this.#onLine(what.message);
      this.onerror?.(what);
      void this.close();
    }
  }

  #heard(line: string): void {
    let message: JSONRPCMessage;
    try {
      message = this.#sdk.deserializeMessage(line);
    } catch {
      if (line.trim() !== '') this.#onLine(line.slice(0, LONGEST_LINE)); // S3
      return;
    }
    this.onmessage?.(message);
  }

  #kill(signal: 'SIGTERM' | 'SIGKILL', child = this.#child): boolean {
    return child !== undefined && killGroup(child, signal);
  }

  #ended(): void {
    if (this.#child === undefined) return;
    this.#kill('SIGKILL'); // what it had started itself
    this.#child = undefined;
    process.removeListener('exit', this.#atExit);
    this.onclose?.();
  }
}

/** Maximum length of a line to show, in characters. */
const LONGEST_LINE = 400;

/** Calls `onLine` with each line of a stream. Long lines are cut. */
function linesOf(stream: Readable | null, onLine: (line: string) => void): void {
  let rest = '';
  stream?.setEncoding('utf8').on('data', (text: string) => {
    const lines = `${rest}${text}`.split('\n');
    rest = (lines.pop() ?? '').slice(0, LONGEST_LINE);
    for (const line of lines) if (line.trim() !== '') onLine(line.slice(0, LONGEST_LINE));
  });
}
