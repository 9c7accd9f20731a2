import type { Client, ElicitRequest, Transport } from '@modelcontextprotocol/client';
import { setImmediate as turn } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import type { Part } from '../../core/index.js';
import {
  HitlError,
  isHitlError,
  maskJson,
  mcpToolName,
  OutcomeUnknown,
  UnlessAborted,
  withinTime,
} from '../../core/index.js';
import { askedAtOnce } from './asked-at-once.js';
import type { ConnectionOptions, ServerCall } from './connection-options.js';
import type { OfferedTool, OfferedTools } from './offered.js';
import { readTools } from './offered.js';
import type { ServerAnswer } from './server-answer.js';
import {
  hasCode,
  isAnswer,
  isCutOff,
  isNoResult,
  isUnknownSession,
  lostWords,
  progressTeller,
  refusalWords,
  shortened,
} from './server-answer.js';
import type { OfferedPrompt, OfferedTexts } from './prompts.js';
import { NO_TEXTS, offeredTexts, promptParts } from './prompts.js';
import { resourcePart } from './read-result.js';
import { UsedLogin } from './oauth.js';
import { promptAfterRounds } from './prompt-rounds.js';
import { RunningCalls } from './running-calls.js';
import type { McpServer } from './wire/mcp-server.js';
import type { Sdk } from './wire/mcp-sdk.js';
import { addressFetch } from './wire/address-fetch.js';
import { checkKeys, hasHeader } from './wire/mcp-server.js';
import { ChildTransport } from './wire/child-transport.js';
import { environmentOfPrograms, loadSdk, UNCHECKED, withOurIds } from './wire/mcp-sdk.js';

// Invariants:
// M1 A server is connected before a call of it is started: a second try may be made then, and none afterwards.
// M2 What became of a call that was sent and not answered is unknown, however its connection ended.
// M3 A call is sent for the tool as it was when it was looked at: a list that may have changed is read first, and where the
//    server tells of the tool otherwise by then, or its list does not come to rest, nothing is sent. The SDK knows the tool
//    from us alone, so it neither lists nor sends again by itself, and keeps no answer back.

/** Time limit for connecting, in milliseconds. */
const CONNECT_MS = 30_000;
/** Time limit for detecting the protocol version, in milliseconds. An older server may never reply. */
const PROBE_MS = 3_000;
/** Time limit for a call without progress, in milliseconds. */
const CALL_MS = 600_000;

/** Time limit for reading a list, prompt or resource, in milliseconds. */
const READ_MS = 20_000;

/** Maximum number of attempts to read a list that keeps changing. */
const MOST_LISTS = 3;

/**
 * How long to hold back a reply while a changed list is read, in milliseconds. The next caller would have to
 * wait for the list anyway.
 */
const HEARD_MS = 2_000;

/**
 * Error code that a server returns if it expects other headers for a tool than those sent with the call. It
 * means that the tool list has changed.
 */
const HEADER_MISMATCH = -32_020;

/** A connection to a server. It is opened on first use. */
export class McpConnection {
  readonly server: McpServer;
  readonly #options: ConnectionOptions;
  #live: Promise<Client> | undefined;
  #offered: OfferedTools = { tools: [], problems: [] };
  /** Whether the server has reported a changed list that has not been read yet. */
  #isStale = false;
  /** Whether change notifications have stopped. If so, the list is read before each use. */
  #isDeaf = false;
  /** Called when the change stream of the current connection opens or closes. */
  #changes: ((isOpen: boolean) => void) | undefined;
  #reading: Promise<boolean> | undefined;
  #texts: OfferedTexts = NO_TEXTS;
  #isClosed = false;
  #current: Client | undefined;
  #connecting: Client | undefined;
  readonly #running = new RunningCalls();
  #lastWords: string | undefined;
  #channel: ChildTransport | undefined;
  readonly #login: UsedLogin | undefined;

  constructor(server: McpServer, options: ConnectionOptions) {
    this.server = server;
    this.#options = options;
    const { logins } = options;
    // A header that the person gave is a login of its own.
    if (logins === undefined || server.type !== 'http' || hasHeader(server, 'authorization')) return;
    this.#login = new UsedLogin(server, logins);
  }

  /** Process ID, if the server is a running program. */
  get pid(): number | undefined {
    return this.#channel?.pid ?? undefined;
  }

  /** URL of the folder that the server is told about. */
  get rootUri(): string | undefined {
    const { root } = this.#options;
    return root === undefined ? undefined : pathToFileURL(root).href;
  }

  /** Prompts and resources from the list that was read last. */
  get texts(): OfferedTexts {
    return this.#texts;
  }

  /** Tools from the list that was read last. */
  get offered(): OfferedTools {
    return this.#offered;
  }

  /**
   * Connects if needed, and reads the tool list if it has changed. The signal ends only the wait, because
   * other callers may be waiting for the same connection.
   * @throws HitlError TOOL_FAILED if the server is unreachable, or its list keeps changing.
   */
  async connect(signal?: AbortSignal): Promise<void> {
    const ready = this.#connected().then((client) => this.#listed(client));
    await (signal === undefined ? ready : new UnlessAborted(signal).wait(ready));
  }

  /**
   * Calls a tool of the server. Never sends a call twice (M1).
   * @throws OutcomeUnknown if the call was sent but not answered (M2).
   * @throws HitlError TOOL_FAILED if the tool has changed; nothing was sent (M3)
   */
  async call({ as, input, goesOn, progress, askAtOnce, signal }: ServerCall): Promise<ServerAnswer> {
    const unlessStopped = new UnlessAborted(signal);
    const client = await unlessStopped.wait(this.#connected());
    await unlessStopped.wait(this.#listed(client));
    this.#refuseEnded(client);
    this.#checkSame(as);
    const tool = as.name;
    const toolDefinition = { name: tool, inputSchema: { ...as.inputSchema, type: 'object' as const } };
    try {
      const result: unknown = await this.#during({ name: tool, askAtOnce }, () =>
        client.callTool(
          { name: tool, arguments: input, ...goesOn },
          {
            signal,
            toolDefinition,
            allowInputRequired: true,
            timeout: this.server.timeoutMs ?? CALL_MS,
            resetTimeoutOnProgress: true,
            onprogress: progressTeller(progress, this.#options.clock),
          },
        ),
      );
      await this.#heard(client, signal);
      const { isInputRequiredResult, isCallToolResult } = await loadSdk();
      if (isInputRequiredResult(result)) return { type: 'asks', result };
      if (isCallToolResult(result)) return { type: 'gave', result: this.#masked(result) };
      throw this.#noResult();
    } catch (thrown) {
      signal.throwIfAborted();
      if (hasCode(thrown, 'REQUEST_TIMEOUT')) throw this.#unknown('did not answer in time', progress, thrown);
      if (isCutOff(thrown)) throw this.#unknown('ended during the call', progress, thrown);
      if (isNoResult(thrown)) throw this.#noResult();
      if (hasCode(thrown, HEADER_MISMATCH)) this.#isStale = true;
      if (isHitlError(thrown) || (await isAnswer(thrown))) {
        if (isUnknownSession(thrown)) await client.close().catch(() => undefined); // the next call begins another one
        throw shortened(thrown);
      }
      const fate = this.#channel?.failure ?? lostWords(thrown);
      await client.close().catch(() => undefined); // it is gone, or talks nonsense
      throw this.#unknown(fate, progress, thrown);
    }
  }

  /**
   * Requests a prompt with the given arguments. Returns its messages and attachments.
   * @throws Error, and HitlError, if the server does not return the prompt.
   */
  async prompt(
    { name }: OfferedPrompt,
    args: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ): Promise<readonly Part[]> {
    const client = await this.#connected();
    const rounds = {
      client,
      sdk: await loadSdk(),
      server: this.server.name,
      root: this.rootUri,
      timeoutMs: READ_MS,
      ask: (params: ElicitRequest['params'], stop: AbortSignal) => askedAtOnce(params, this.#asking, stop),
    };
    const { messages } = await this.#during({ name }, () =>
      promptAfterRounds({ name, arguments: { ...args } }, rounds, signal),
    );
    return this.#masked(promptParts(messages));
  }

  /** Reads a resource. @throws Error, and HitlError, if the server does not return the resource. */
  async read(uri: string, signal: AbortSignal): Promise<readonly Part[]> {
    const client = await this.#connected();
    const { contents } = await this.#during({ name: uri }, () =>
      client.readResource({ uri }, { signal, timeout: READ_MS }),
    );
    return this.#masked(contents.map(resourcePart));
  }

  /** Closes the connection. A local server program is stopped. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#connecting?.close().catch(() => undefined); // one that does not answer is not waited for
    const live = await this.#live?.catch(() => undefined);
    await live?.close();
  }

  /** The context for a question that an older server asks during a call. */
  get #asking(): Parameters<typeof askedAtOnce>[1] {
    const { server } = this;
    return {
      server: server.name,
      running: this.#running,
      ...(this.#options.ask !== undefined && { ask: this.#options.ask }),
      notice: (line) => {
        this.#options.notice(server, line);
      },
    };
  }

  /** Runs work during which the server may ask the user. */
  #during<Result>(
    { name, askAtOnce }: { readonly name: string; readonly askAtOnce?: ServerCall['askAtOnce'] },
    work: () => Promise<Result>,
  ): Promise<Result> {
    const keeps = askAtOnce !== undefined && { askAtOnce };
    return this.#running.during({ name: mcpToolName(this.server.name, name), ...keeps }, work);
  }

  #noResult(): HitlError {
    return new HitlError('TOOL_FAILED', `server \`${this.server.name}\` returned an invalid result`);
  }

  #unknown(what: string, progress: (text: string) => void, cause: unknown): OutcomeUnknown {
    const said = `server \`${this.server.name}\` ${what}`;
    progress(said);
    return new OutcomeUnknown(said, { cause });
  }

  /**
   * Reads a list that changed before a reply arrived, so that the next question reflects the change. Errors
   * are ignored, so that the reply is never lost.
   */
  async #heard(client: Client, signal: AbortSignal): Promise<void> {
    await turn(); // what came before the answer is heard behind it
    const limit = { clock: this.#options.clock, ms: HEARD_MS, late: () => new Error('late') };
    await withinTime(() => this.#listed(client), limit, signal).catch(() => undefined);
  }

  /** Reads the tool list until the server reports no more changes (M3). @throws HitlError TOOL_FAILED */
  async #listed(client: Client): Promise<void> {
    if (this.#isDeaf) this.#isStale = true;
    if (!this.#isStale && this.#reading === undefined) return;
    this.#reading ??= this.#readList(client).finally(() => {
      this.#reading = undefined;
    });
    if (!(await this.#reading))
      throw new HitlError(
        'TOOL_FAILED',
        `server \`${this.server.name}\` keeps changing its tool list; nothing was sent to it`,
      );
  }

  /** @returns false if the list changed again during every attempt to read it */
  async #readList(client: Client): Promise<boolean> {
    for (let times = 0; this.#isStale && times < MOST_LISTS; times += 1) {
      this.#isStale = false;
      try {
        const { tools } = await client.listTools(undefined, { cacheMode: 'refresh', timeout: READ_MS });
        this.#offered = readTools(this.server, tools);
        this.#options.changed();
        await turn(); // what came before the list is heard behind it
      } catch (cause) {
        this.#isStale = true;
        throw new HitlError(
          'TOOL_FAILED',
          `server \`${this.server.name}\` changed its tool list but did not return it`,
          { cause },
        );
      }
    }
    return !this.#isStale;
  }

  /** @throws HitlError TOOL_FAILED if the server's description of a tool has changed (M3). */
  #checkSame(as: OfferedTool): void {
    const now = this.#offered.tools.find(({ name }) => name === as.name);
    if (now === as || JSON.stringify(now) === JSON.stringify(as)) return;
    const what = now === undefined ? 'no longer has the tool' : 'has changed the tool';
    throw new HitlError(
      'TOOL_FAILED',
      `server \`${this.server.name}\` ${what} \`${as.name}\`; nothing was sent, and the next call will ask again`,
    );
  }

  #connected(): Promise<Client> {
    this.#refuseClosed();
    this.#live ??= this.#open();
    this.#live.catch(() => {
      this.#live = undefined;
    });
    return this.#live;
  }

  async #open(): Promise<Client> {
    const { server } = this;
    if (server.type === 'http')
      checkKeys(server, (await this.#login?.token()) !== undefined, this.#options.allowHttp);
    const sdk = await loadSdk();
    try {
      return await this.#reach(sdk, 'auto').catch((thrown: unknown) => {
        // A program of an older kind may end at a question that it does not know.
        if (this.server.type === 'http' || hasCode(thrown, 'ENOENT')) throw thrown;
        return this.#reach(sdk, 'legacy');
      });
    } catch (cause) {
      if (isHitlError(cause)) throw cause;
      throw new HitlError(
        'TOOL_FAILED',
        `server \`${this.server.name}\` is unreachable: ${this.#lastWords ?? (await refusalWords(cause))}`,
        { cause },
      );
    }
  }

  async #reach(sdk: Sdk, mode: 'auto' | 'legacy'): Promise<Client> {
    this.#refuseClosed();
    const { version } = this.#options;
    const uri = this.rootUri;
    const listChanged = (): void => {
      this.#isStale = true;
      // Until the first list is there, this one is read behind it.
      if (this.#current === client) void this.#listed(client).catch(() => undefined); // whoever calls is told
    };
    const client = new sdk.Client(
      { name: 'hitl', version },
      {
        capabilities: { elicitation: { form: {}, url: {} }, ...(uri !== undefined && { roots: {} }) },
        versionNegotiation: { mode, probe: { timeoutMs: PROBE_MS } },
        inputRequired: { autoFulfill: false },
        jsonSchemaValidator: UNCHECKED,
        listChanged: {
          tools: { autoRefresh: false, debounceMs: 0, onChanged: listChanged },
          prompts: {
            autoRefresh: false,
            onChanged: () => void offeredTexts(client).then((texts) => (this.#texts = texts)),
          },
        },
      },
    );
    if (uri !== undefined) client.setRequestHandler('roots/list', () => ({ roots: [{ uri }] }));
    client.setRequestHandler('elicitation/create', ({ params }, context) =>
      askedAtOnce(params, this.#asking, context.mcpReq.signal),
    );
    client.onclose = () => {
      if (this.#current === client) this.#live = undefined;
    };
    try {
      const transport = await this.#transport(sdk);
      this.#refuseClosed();
      this.#connecting = client;
      await client.connect(transport, { timeout: CONNECT_MS });
      const { tools: offers } = client.getServerCapabilities() ?? {};
      // A server may change its list and not have said that it would.
      client.setNotificationHandler('notifications/tools/list_changed', listChanged);
      if (offers?.listChanged === true && client.getProtocolEra() === 'modern') this.#listensBy(client);
      this.#isStale = false;
      const { tools } = offers !== undefined ? await client.listTools() : { tools: [] };
      this.#offered = readTools(this.server, tools);
      this.#texts = await offeredTexts(client);
      this.#refuseEnded(client);
      this.#current = client;
      this.#options.changed();
      return client;
    } catch (thrown) {
      await client.close().catch(() => undefined); // the first error is the one to tell
      throw thrown;
    } finally {
      if (this.#connecting === client) this.#connecting = undefined;
    }
  }

  #refuseClosed(): void {
    if (this.#isClosed) throw new HitlError('ABORTED', `server \`${this.server.name}\` was closed`);
  }

  /** Uses the change subscription of a 2026-07-28 server, and records when it ends. */
  #listensBy(client: Client): void {
    const subscription = client.autoOpenedSubscription;
    if (subscription === undefined) this.#isDeaf = true;
    void subscription?.closed.then(() => {
      if (client.transport !== undefined) this.#isDeaf = true;
    });
  }

  /** @throws HitlError TOOL_FAILED if the connection has ended. The next call opens another one. */
  #refuseEnded({ transport }: Client): void {
    if (transport !== undefined) return;
    throw new HitlError('TOOL_FAILED', `server \`${this.server.name}\` has ended; nothing was sent to it`);
  }

  async #transport(sdk: Sdk): Promise<Transport> {
    const { server } = this;
    const foreign = (id: string): void => {
      this.#options.notice(server, `server \`${server.name}\` answered an unknown request id ${id}; ignored`);
    };
    this.#isDeaf = false;
    if (server.type === 'http') {
      const heard = (isOpen: boolean): void => {
        if (this.#changes !== heard) return;
        this.#isStale ||= isOpen && this.#isDeaf;
        this.#isDeaf = !isOpen;
      };
      this.#changes = heard;
      // Keys go to that address alone: nothing is redirected.
      return withOurIds(
        new sdk.StreamableHTTPClientTransport(new URL(server.url), {
          fetch: addressFetch(server, heard),
          requestInit: { headers: { ...server.headers }, redirect: 'error' },
          ...(this.#login !== undefined && { authProvider: this.#login }),
        }),
        foreign,
      );
    }
    const environment = await environmentOfPrograms();
    this.#channel = new ChildTransport(server, { sdk, environment }, (line) => {
      this.#lastWords = line;
      this.#options.logged(server, line);
    });
    return withOurIds(this.#channel, foreign);
  }

  /** Masks the secrets of the login in data from the server (O3 of `oauth.ts`). */
  #masked<Value>(value: Value): Value {
    const secrets = this.#login?.secrets ?? [];
    return secrets.length === 0 ? value : maskJson(value, secrets).value;
  }
}
