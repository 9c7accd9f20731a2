// An editor: the SDK's own client over the built `hitl acp`.
import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Readable, Writable } from 'node:stream';

import * as acp from '@agentclientprotocol/sdk';

import type { Home } from './program.js';
import { PROGRAM } from './program.js';

/** A dialog that the program opened. */
export interface Opened {
  readonly params: acp.RequestPermissionRequest;
  /** Aborts where the program withdraws it. */
  readonly signal: AbortSignal;
  choose(optionId: string): void;
  cancel(): void;
}

/** A form that the program opened. */
export interface OpenedForm {
  readonly params: acp.CreateElicitationRequest;
  answer(response: acp.CreateElicitationResponse): void;
}

/** What an editor can do besides. */
export interface EditorOptions {
  readonly args?: readonly string[];
  readonly capabilities?: acp.ClientCapabilities;
  readonly env?: Readonly<Record<string, string>>;
}

/** The built program with an editor at its other end. */
export class Editor implements AsyncDisposable {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #connection: acp.ClientConnection;
  readonly updates: acp.SessionUpdate[] = [];
  readonly #waiting: ((opened: Opened) => void)[] = [];
  readonly #dialogs: Opened[] = [];
  readonly #formsWaiting: ((opened: OpenedForm) => void)[] = [];
  readonly #forms: OpenedForm[] = [];
  stderr = '';
  readonly ended: Promise<unknown>;

  private constructor(home: Home, { args = [], env = {} }: EditorOptions) {
    this.#child = spawn(process.execPath, [PROGRAM, 'acp', ...args], {
      env: { ...home.env, ...env },
      cwd: home.work,
    });
    this.ended = once(this.#child, 'close');
    this.#child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.stderr += text;
    });
    const client = acp
      .client({ name: 'test' })
      .onRequest('session/request_permission', ({ params, signal }) => this.#dialog(params, signal))
      .onRequest('elicitation/create', ({ params }) => this.#form(params))
      .onNotification('session/update', ({ params }) => {
        this.updates.push(params.update);
      });
    const output = Writable.toWeb(this.#child.stdin) as WritableStream<Uint8Array>;
    const input = Readable.toWeb(this.#child.stdout) as unknown as ReadableStream<Uint8Array>;
    this.#connection = client.connect(acp.ndJsonStream(output, input));
  }

  static async open(home: Home, options: EditorOptions = {}): Promise<Editor> {
    const editor = new Editor(home, options);
    await editor.agent.request('initialize', {
      protocolVersion: acp.PROTOCOL_VERSION,
      clientCapabilities: options.capabilities ?? {},
      clientInfo: { name: 'test', version: '1' },
    });
    return editor;
  }

  get agent(): acp.ClientContext {
    return this.#connection.agent;
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /** A new session in a folder. */
  async session(cwd: string): Promise<string> {
    const { sessionId } = await this.agent.request('session/new', { cwd, mcpServers: [] });
    return sessionId;
  }

  /** Sends a message; resolves when its answer, and all that was told before that, is here. */
  async prompt(sessionId: string, text: string): Promise<acp.PromptResponse> {
    const response = await this.agent.request('session/prompt', {
      sessionId,
      prompt: [{ type: 'text', text }],
    });
    await this.agent.request('test/none').catch(() => undefined); // one more way there and back
    return response;
  }

  /** The next dialog. */
  dialog(): Promise<Opened> {
    const opened = this.#dialogs.shift();
    if (opened !== undefined) return Promise.resolve(opened);
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
    });
  }

  /** The next form. */
  form(): Promise<OpenedForm> {
    const opened = this.#forms.shift();
    if (opened !== undefined) return Promise.resolve(opened);
    return new Promise((resolve) => {
      this.#formsWaiting.push(resolve);
    });
  }

  /** What was said to the person, joined. */
  get said(): string {
    return this.updates
      .map((update) =>
        update.sessionUpdate === 'agent_message_chunk' && update.content.type === 'text'
          ? update.content.text
          : '',
      )
      .join('');
  }

  kill(): Promise<unknown> {
    this.#child.kill('SIGKILL');
    return this.ended;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.stdin.end();
    await this.ended;
    this.#connection.close();
  }

  #dialog(params: acp.RequestPermissionRequest, signal: AbortSignal): Promise<acp.RequestPermissionResponse> {
    return new Promise((resolve) => {
      const opened: Opened = {
        params,
        signal,
        choose: (optionId) => {
          resolve({ outcome: { outcome: 'selected', optionId } });
        },
        cancel: () => {
          resolve({ outcome: { outcome: 'cancelled' } });
        },
      };
      const waiting = this.#waiting.shift();
      if (waiting === undefined) this.#dialogs.push(opened);
      else waiting(opened);
    });
  }

  #form(params: acp.CreateElicitationRequest): Promise<acp.CreateElicitationResponse> {
    return new Promise((resolve) => {
      const opened: OpenedForm = { params, answer: resolve };
      const waiting = this.#formsWaiting.shift();
      if (waiting === undefined) this.#forms.push(opened);
      else waiting(opened);
    });
  }
}
