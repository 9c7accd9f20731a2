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
  /** The key of the user. */
  readonly secret: Uint8Array;
  readonly version: string;
  /** Folder in which a client started the server, as shown to people. */
  readonly place: string;
  /** Identifies the connection: the same question by another connection is another question. */
  readonly connection: string;
  /** The time that a call waits for an answer, in milliseconds. */
  readonly waitMs: number;
  /** Asks in the client first, if it supports forms. Default: in the inbox. */
  readonly inClient?: boolean;
}

/** A client's position in a question. */
interface Round {
  readonly id: string;
  /** The digest of the tool and its arguments (Q2). */
  readonly asked: string;
  /** Counts from 1. */
  readonly round: number;
}

/** Clients fail after ten rounds; before that they get instructions to check themselves. */
const MOST_ROUNDS = 8;
/** How long a client may return with its state, in seconds. */
const STATE_SECONDS = 30 * 24 * 3600;
const NEXT =
  'The user has not answered yet. Call check_answer with this id later. Until then, do nothing that depends on the answer.';
/** Name of the form in a client request. */
const FORM = 'answer';
const USED =
  'The user approved this, and the approval was already used. An approval is valid once; to do it again, ask again.';
const ASKS = { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false };
const LOOKS = { readOnlyHint: true, openWorldHint: false };

/** The time between two signs that a call is alive, in milliseconds. */
const BEAT_MS = 5_000;

/** Waits for work and reports progress, if the client wants it, because clients give up on silence. */
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

/** Longest shown name, in characters. */
const LONGEST = 60;
const NAMELESS = 'a program';

/** Returns a client's name with only visible characters. */
function clientName(server: McpServer, { mcpReq }: ServerContext, infoKey: string): string {
  const info = membersOf(mcpReq.envelope)[infoKey];
  // oxlint-disable-next-line typescript/no-deprecated -- an older client says it once, when it connects
  const name = isJsonObject(info) ? info['name'] : server.server.getClientVersion()?.name;
  if (typeof name !== 'string') return NAMELESS;
  const shown = name.replaceAll(/[\p{C}\p{Z}]+/gu, ' ').trim();
  return shown === '' ? NAMELESS : toWellFormed(shown.slice(0, LONGEST));
}

/** Formats a tool result: as JSON text for a model, and as data for a program. */
function resultOf(value: JsonObject): CallToolResult {
  return { content: [{ type: 'text', text: JSON.stringify(value) }], structuredContent: value };
}

/** Returns faults of the model's request as a result instead of a failed request. */
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

/** Creates the MCP server by which other programs ask the user: one per connection. */
export function askingServer(
  sdk: ServerSdk,
  options: AskingServerOptions,
  era: 'legacy' | 'modern',
): McpServer {
  const { questions, clock, connection, place, waitMs } = options;
  /** The questions that this connection has asked, or has named by their ids. */
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

  /** Asks in the client, if enabled and supported and the question is still open. */
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

  /** @throws HitlError BAD_INPUT for the state of another question, or of a handed-out answer (Q2). */
  const checkState = (state: Round, asked: string): void => {
    const isUsed = isSessionId(state.id) && questions.wasGivenOut(state.id);
    if (state.asked === asked && !isUsed) return;
    const why = isUsed ? 'has been used: its answer was returned' : 'belongs to another question';
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

/** @throws HitlError BAD_INPUT naming an argument that a tool does not have (Q3). */
function checkArguments(tool: string, input: JsonObject, { properties = {} }: JsonObject): void {
  const names = Object.keys(membersOf(properties));
  const unknown = Object.keys(input).find((name) => !names.includes(name));
  if (unknown === undefined) return;
  const takes = names.length === 0 ? 'none' : names.join(', ');
  throw new HitlError('BAD_INPUT', `unknown argument \`${unknown}\` of ${tool}`, {
    hint: `valid arguments: ${takes}`,
  });
}
