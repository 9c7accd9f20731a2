import type { CallToolResult, Client, Progress, Transport } from '@modelcontextprotocol/client';
import { pathToFileURL } from 'node:url';
import type { JsonObject } from '../../core/index.js';
import { HitlError, messageOf, OutcomeUnknown } from '../../core/index.js';
import { ChildTransport } from './child-transport.js';
import type { OfferedTools } from './offered.js';
import { readTools } from './offered.js';
import type { Sdk } from './sdk.js';
import { loadSdk, transportParts } from './sdk.js';
import type { McpServer } from './server.js';

// Invariants:
// M1 A server is connected before a call of it is started: a second try may be made then, and none afterwards.
// M2 What became of a call that was sent and not answered is unknown, however its connection ended.

/** The time that a server may take to be there, in milliseconds. */
const CONNECT_MS = 30_000;
/** The time that it may take to say which version it speaks; an older server may never say. */
const PROBE_MS = 3_000;
/** The time that a call may take without a sign of progress, in milliseconds. */
const CALL_MS = 600_000;

/** The surroundings of a connection. */
export interface ConnectionOptions {
  readonly version: string;
  /** The folder that a server is told of. Default: it is told of none. */
  readonly root?: string;
  /** Hears what becomes of a server, a line each. */
  notice(server: McpServer, line: string): void;
  /** Hears what a server writes on its error stream, a line each. */
  logged(server: McpServer, line: string): void;
  /** Hears that the tools of a server may have changed. */
  changed(): void;
}

/** A call of a server's tool. */
export interface ServerCall {
  readonly tool: string;
  readonly input: JsonObject;
  readonly progress: (text: string) => void;
  readonly signal: AbortSignal;
}

/** One server, connected when it is needed. */
export class McpConnection {
  readonly server: McpServer;
  readonly #options: ConnectionOptions;
  #live: Promise<Client> | undefined;
  #offered: OfferedTools = { tools: [], problems: [] };
  #isClosed = false;
  #lastWords: string | undefined;
  #channel: ChildTransport | undefined;

  constructor(server: McpServer, options: ConnectionOptions) {
    this.server = server;
    this.#options = options;
  }

  /** The number of the process, where the server is a program that runs. */
  get pid(): number | undefined {
    return this.#channel?.pid ?? undefined;
  }

  /** The tools as they were told last. */
  get offered(): OfferedTools {
    return this.#offered;
  }

  /**
   * Connects where no connection is.
   * @throws HitlError TOOL_FAILED where the server cannot be reached.
   */
  async connect(): Promise<void> {
    await this.#connected();
  }

  /**
   * Calls a tool of the server. Nothing is sent a second time (M1).
   * @throws OutcomeUnknown where it was sent, and no answer came (M2).
   */
  async call({ tool, input, progress, signal }: ServerCall): Promise<CallToolResult> {
    const client = await this.#connected();
    try {
      return await client.callTool(
        { name: tool, arguments: input },
        {
          signal,
          timeout: this.server.timeoutMs ?? CALL_MS,
          resetTimeoutOnProgress: true,
          onprogress: (step) => {
            progress(progressText(step));
          },
        },
      );
    } catch (thrown) {
      signal.throwIfAborted();
      if (hasCode(thrown, 'REQUEST_TIMEOUT')) throw this.#unknown('did not answer in time', progress, thrown);
      if (await isAnswer(thrown)) throw thrown;
      await client.close().catch(() => undefined); // it is gone, or talks nonsense
      throw this.#unknown('ended while it ran', progress, thrown);
    }
  }

  /** Ends the connection, and the server where it is a program. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const live = await this.#live?.catch(() => undefined);
    await live?.close();
  }

  #unknown(what: string, progress: (text: string) => void, cause: unknown): OutcomeUnknown {
    const said = `the server \`${this.server.name}\` ${what}`;
    progress(said);
    return new OutcomeUnknown(said, { cause });
  }

  #connected(): Promise<Client> {
    if (this.#isClosed) throw new HitlError('ABORTED', `the server \`${this.server.name}\` was closed`);
    this.#live ??= this.#open();
    this.#live.catch(() => {
      this.#live = undefined;
    });
    return this.#live;
  }

  async #open(): Promise<Client> {
    const sdk = await loadSdk();
    try {
      return await this.#reach(sdk, 'auto').catch((thrown: unknown) => {
        // A program of an older kind may end at a question that it does not know.
        if (this.server.type === 'http' || hasCode(thrown, 'ENOENT')) throw thrown;
        return this.#reach(sdk, 'legacy');
      });
    } catch (cause) {
      throw new HitlError(
        'TOOL_FAILED',
        `the server \`${this.server.name}\` is not there: ${this.#lastWords ?? messageOf(cause)}`,
        { cause },
      );
    }
  }

  async #reach(sdk: Sdk, mode: 'auto' | 'legacy'): Promise<Client> {
    const { version, root } = this.#options;
    const client = new sdk.Client(
      { name: 'hitl', version },
      {
        capabilities: { ...(root !== undefined && { roots: {} }) },
        versionNegotiation: { mode, probe: { timeoutMs: PROBE_MS } },
        inputRequired: { autoFulfill: false },
        listChanged: {
          tools: {
            onChanged: (_error, tools) => {
              if (tools === null) return; // as they were told last
              this.#offered = readTools(this.server, tools);
              this.#options.changed();
            },
          },
        },
      },
    );
    if (root !== undefined)
      client.setRequestHandler('roots/list', () => ({ roots: [{ uri: pathToFileURL(root).href }] }));
    client.onclose = () => {
      this.#live = undefined;
    };
    try {
      await client.connect(await this.#transport(sdk), { timeout: CONNECT_MS });
      const { tools } = await client.listTools();
      this.#offered = readTools(this.server, tools);
      return client;
    } catch (thrown) {
      await client.close().catch(() => undefined); // the first error is the one to tell
      throw thrown;
    }
  }

  async #transport(sdk: Sdk): Promise<Transport> {
    const { server } = this;
    switch (server.type) {
      case 'stdio':
        return (this.#channel = new ChildTransport(server, await transportParts(sdk), (line) => {
          this.#lastWords = line;
          this.#options.logged(server, line);
        }));
      case 'http':
        return new sdk.StreamableHTTPClientTransport(new URL(server.url), {
          requestInit: { headers: { ...server.headers }, redirect: 'error' },
        });
    }
  }
}

/** True for an error that the server gave as its answer: it did not do what it was asked. */
async function isAnswer(thrown: unknown): Promise<boolean> {
  const { ProtocolError, SdkHttpError } = await loadSdk();
  if (thrown instanceof SdkHttpError) return thrown.status >= 400 && thrown.status < 500;
  return thrown instanceof ProtocolError;
}

function hasCode(thrown: unknown, code: string): boolean {
  return thrown instanceof Error && 'code' in thrown && thrown.code === code;
}

function progressText({ progress, total, message }: Progress): string {
  const far = total === undefined ? String(progress) : `${progress} of ${total}`;
  return message === undefined ? far : `${far}: ${message}`;
}
