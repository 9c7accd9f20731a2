// Invariants:
// Q1 No tool answers: whoever asks can ask, look and wait. The form of a client answers only where people chose that.
// Q2 What a client hands back counts only where the key of this user signed it, for the tool and the arguments that it
//    was given for, and until the answer was given out.
// Q3 An argument that a tool does not have is refused: who gave it meant something by it.
import type {
  CallToolResult,
  InputRequiredResult,
  McpServer,
  ServerContext,
  ToolAnnotations,
} from '@modelcontextprotocol/server';
import type { Clock, JsonObject } from '../../src/core/index.js';
import {
  digestOf,
  HitlError,
  hmacSha256,
  isSessionId,
  membersOf,
  isJsonObject,
  toWellFormed,
  isHitlError,
} from '../../src/core/index.js';
import { oneLineOf } from '../../src/human/index.js';
import { askHuman, requestApproval } from '../../src/tools/index.js';
import type { AskingTool, Questions } from '../asking/questions.js';
import type { Standing } from '../asking/standing.js';
import { canAsk, formOf, resolutionOf } from './in-client.js';
import type { ServerSdk } from './sdk.js';
import { CHECK_SCHEMA, NO_INPUT, offeredSchema, TOOL_WORDS } from './tool-words.js';

/** Options of the server. */
export interface AskingServerOptions {
  readonly questions: Questions;
  readonly clock: Clock;
  /** The user's key. */
  readonly secret: Uint8Array;
  readonly version: string;
  /** The folder in which the client started the server, as shown to people. */
  readonly place: string;
  /** Identifies the connection; the same question on another connection is a new question. */
  readonly connection: string;
  /** How long a call to a tool waits for an answer, in milliseconds. */
  readonly waitMs: number;
  /**
   * Whether to ask in the client first, if it supports forms. By default, questions appear only in the inbox.
   */
  readonly inClient?: boolean;
}

/** The state of a question that a client keeps between requests. */
interface Round {
  readonly id: string;
  /** Digest of the tool and its arguments (Q2). */
  readonly asked: string;
  /** Counts from 1. */
  readonly round: number;
}

/**
 * Maximum number of rounds. Clients fail after ten rounds, so the server tells them to call `check_answer`
 * before that.
 */
const MOST_ROUNDS = 8;
/** Time, in seconds, after which the state that a client returns is no longer valid. */
const STATE_SECONDS = 30 * 24 * 3600;
const NEXT =
  'The user has not answered yet. Call check_answer with this id later. Until then, do nothing that depends on the answer.';
/** Name of the form in a request to the client. */
const FORM = 'answer';
const USED =
  'The user approved this, but the approval was already used. An approval can be used only once; to do it again, ask again.';
const ASKS = { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false };
const LOOKS = { readOnlyHint: true, openWorldHint: false };

/** Interval between progress notifications of a call, in milliseconds. */
const BEAT_MS = 5_000;

/**
 * Waits for work. If the client asked for progress notifications, sends them in the meantime, because clients
 * abandon a call that shows no activity.
 */
async function beating<Value>(
  work: Promise<Value>,
  clock: Clock,
  { mcpReq }: ServerContext,
  message: string,
): Promise<Value> {
  const token = mcpReq._meta?.progressToken;
  if (token === undefined) return work;
  const over = new AbortController();
  const beat = async (): Promise<void> => {
    for (let progress = 1; !over.signal.aborted; progress += 1) {
      await mcpReq.notify({
        method: 'notifications/progress',
        params: { progressToken: token, progress, message },
      });
      await clock.sleep(BEAT_MS, over.signal);
    }
  };
  const beats = beat().catch(() => undefined); // the client is gone, or it is over
  try {
    return await work;
  } finally {
    over.abort();
    await beats;
  }
}

/** Maximum length of a name shown to the user, in characters. */
const LONGEST = 60;
const NAMELESS = 'a program';

/** Returns the name of the client, reduced to visible characters. */
function clientName(server: McpServer, { mcpReq }: ServerContext, infoKey: string): string {
  const info = membersOf(mcpReq.envelope)[infoKey];
  // oxlint-disable-next-line typescript/no-deprecated -- an older client says it once, when it connects
  const name = isJsonObject(info) ? info['name'] : server.server.getClientVersion()?.name;
  if (typeof name !== 'string') return NAMELESS;
  const shown = name.replaceAll(/[\p{C}\p{Z}]+/gu, ' ').trim();
  return shown === '' ? NAMELESS : toWellFormed(shown.slice(0, LONGEST));
}

/** Formats the result of a tool, both as JSON text for a model and as data for a program. */
function resultOf(value: JsonObject): CallToolResult {
  return { content: [{ type: 'text', text: JSON.stringify(value) }], structuredContent: value };
}

/**
 * Runs work, and returns its errors as a tool result that the model can read, so that the request itself does
 * not fail.
 */
async function told<Value>(work: () => Promise<Value>): Promise<Value | CallToolResult> {
  try {
    return await work();
  } catch (thrown) {
    if (!isHitlError(thrown)) throw thrown;
    const { code, message, hint } = thrown;
    const text = JSON.stringify({ status: 'failed', code, message, ...(hint !== undefined && { hint }) });
    return { content: [{ type: 'text', text }], isError: true };
  }
}

/** Creates the MCP server through which another program asks the user. Each connection has its own server. */
export function askingServer(
  sdk: ServerSdk,
  options: AskingServerOptions,
  era: 'legacy' | 'modern',
): McpServer {
  const { questions, clock, connection, place, waitMs } = options;
  /** Questions that this connection has asked or referred to by id. */
  const known = new Set<string>();
  const codec = sdk.createRequestStateCodec<Round>({
    key: hmacSha256(options.secret, 'hitl mcp requestState'), // Q2
    ttlSeconds: STATE_SECONDS,
    bind: () => place,
  });
  const server = new sdk.McpServer(
    { name: 'hitl', title: 'Ask the user', version: options.version },
    {
      capabilities: { tools: {} },
      requestState: { verify: (state, context) => codec.verify(state, context) },
    },
  );

  const fromOf = (context: ServerContext): string =>
    `${clientName(server, context, sdk.CLIENT_INFO_META_KEY)} in ${place}`;

  const waited = (id: string, ms: number, context: ServerContext): Promise<Standing> =>
    beating(
      questions.answered({ id, from: fromOf(context), ms }, context.mcpReq.signal),
      clock,
      context,
      `waiting for the user: hitl inbox, ${id}`,
    );

  const givenOut = (id: string, standing: Standing, context: ServerContext): CallToolResult => {
    known.add(id);
    if (standing.status === 'waiting') return resultOf({ id, ...standing, next: NEXT });
    context.mcpReq.signal.throwIfAborted(); // nobody would hear of it
    const given = isSessionId(id) ? questions.giveOut(id, standing) : standing;
    return resultOf({ id, ...given, ...(given.status === 'used' && { next: USED }) });
  };

  /**
   * Requests that the client ask its user, if this is enabled and supported and the question is still open.
   */
  const askedInClient = async (
    { id, asked }: Round,
    context: ServerContext,
  ): Promise<InputRequiredResult | undefined> => {
    const isWanted = options.inClient === true && canAsk(server, context, sdk.CLIENT_CAPABILITIES_META_KEY);
    const open = isWanted && isSessionId(id) ? await questions.open(id) : undefined;
    if (open === undefined) return undefined;
    const { message, requestedSchema } = formOf(open);
    const form = sdk.inputRequired.elicit({ message, requestedSchema: sdk.fromJsonSchema(requestedSchema) });
    const requestState = await codec.mint({ id, asked, round: 2 }, context);
    return sdk.inputRequired({ inputRequests: { [FORM]: form }, requestState });
  };

  const takeForm = async (id: string, context: ServerContext): Promise<void> => {
    const open = options.inClient === true && isSessionId(id) ? await questions.open(id) : undefined;
    if (open === undefined || !isSessionId(id)) return;
    const resolution = resolutionOf(open, context.mcpReq.inputResponses?.[FORM]);
    if (resolution !== undefined) await questions.take(id, open, resolution, fromOf(context));
  };

  const ask = async (
    tool: AskingTool,
    { key, ...input }: JsonObject,
    context: ServerContext,
  ): Promise<CallToolResult | InputRequiredResult> => {
    const asked = digestOf([tool, input, key ?? null]);
    const state = context.mcpReq.requestState<Round>();
    if (state !== undefined) checkState(state, asked);
    const from = fromOf(context);
    const named = typeof key === 'string' && { key };
    const id = state?.id ?? (await questions.ask({ tool, input, from, connection, ...named }));
    const round = state?.round ?? 1;
    known.add(id);
    const inForm = round === 1 ? await askedInClient({ id, asked, round }, context) : undefined;
    if (inForm !== undefined) return inForm;
    if (context.mcpReq.inputResponses !== undefined) await takeForm(id, context);
    const standing = await waited(id, waitMs, context);
    if (standing.status === 'waiting' && era === 'modern' && round < MOST_ROUNDS)
      return sdk.inputRequired({ requestState: await codec.mint({ id, asked, round: round + 1 }, context) });
    return givenOut(id, standing, context);
  };

  /**
   * @throws HitlError BAD_INPUT if the state belongs to a different question, or to an answer that was
   * already handed out (Q2).
   */
  const checkState = (state: Round, asked: string): void => {
    const isUsed = isSessionId(state.id) && questions.wasGivenOut(state.id);
    if (state.asked === asked && !isUsed) return;
    const why = isUsed ? 'was already used, and its answer was delivered' : 'belongs to a different question';
    throw new HitlError('BAD_INPUT', `the returned state ${why}`, {
      hint: 'ask again without it, or call check_answer with the id',
    });
  };

  const offer = (
    name: keyof typeof TOOL_WORDS,
    { inputSchema, annotations }: { readonly inputSchema: JsonObject; readonly annotations: ToolAnnotations },
    run: (input: JsonObject, context: ServerContext) => Promise<CallToolResult | InputRequiredResult>,
  ): void => {
    server.registerTool(
      name,
      { ...TOOL_WORDS[name], inputSchema: sdk.fromJsonSchema<JsonObject>(inputSchema), annotations },
      (input, context) =>
        told(() => {
          checkArguments(name, input, inputSchema);
          return run(input, context);
        }),
    );
  };

  const asking = { ask_human: askHuman(), request_approval: requestApproval() };
  for (const name of ['ask_human', 'request_approval'] as const)
    offer(
      name,
      { inputSchema: offeredSchema(asking[name].inputSchema), annotations: ASKS },
      (input, context) => ask(name, input, context),
    );
  offer('check_answer', { inputSchema: CHECK_SCHEMA, annotations: LOOKS }, async (input, context) => {
    const { id, wait } = input;
    if (typeof id !== 'string') throw new HitlError('BAD_INPUT', 'missing argument `id`');
    const ms = typeof wait === 'number' ? wait * 1000 : 0;
    return givenOut(id, await waited(id, ms, context), context);
  });
  offer('list_waiting', { inputSchema: NO_INPUT, annotations: LOOKS }, async (_input, context) => {
    const waiting: JsonObject[] = [];
    for await (const { session, interrupt } of questions.waiting(fromOf(context)))
      if (known.has(session))
        waiting.push({ id: session, since: interrupt.raisedAt, asked: oneLineOf(interrupt) });
    return resultOf({ waiting });
  });
  return server;
}

/** @throws HitlError BAD_INPUT for an argument that the tool does not have (Q3). */
function checkArguments(tool: string, input: JsonObject, { properties = {} }: JsonObject): void {
  const names = Object.keys(membersOf(properties));
  const unknown = Object.keys(input).find((name) => !names.includes(name));
  if (unknown === undefined) return;
  const takes = names.length === 0 ? 'none' : names.join(', ');
  throw new HitlError('BAD_INPUT', `unknown argument \`${unknown}\` of ${tool}`, {
    hint: `valid arguments: ${takes}`,
  });
}
