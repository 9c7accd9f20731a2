// Invariants:
// Q1 No tool answers: whoever asks can ask, look and wait. The form of a client answers only where people chose that.
// Q2 What a client hands back counts only where the key of this user signed it.
import type {
  CallToolResult,
  InputRequiredResult,
  McpServer,
  ServerContext,
} from '@modelcontextprotocol/server';
import type { Clock, JsonObject } from '../../src/core/index.js';
import { hmacSha256, isSessionId } from '../../src/core/index.js';
import { oneLineOf } from '../../src/human/index.js';
import { askHuman, requestApproval } from '../../src/tools/index.js';
import type { AskingTool, Questions, Standing } from '../asking/index.js';
import { beating } from './beating.js';
import { clientName } from './client-name.js';
import { canAsk, formOf, resolutionOf } from './in-client.js';
import { resultOf, told } from './result.js';
import type { ServerSdk } from './sdk.js';
import { CHECK_SCHEMA, NO_INPUT, offeredSchema, TOOL_WORDS } from './tool-words.js';

/** The surroundings of the server. */
export interface AskingServerOptions {
  readonly questions: Questions;
  readonly clock: Clock;
  /** The key of the user. */
  readonly secret: Uint8Array;
  readonly version: string;
  /** The folder in which a client started the server, as people are told it. */
  readonly place: string;
  /** The time that a call waits for an answer, in milliseconds. */
  readonly waitMs: number;
  /** People are asked in the client first, where it can ask with a form. Default: in their own inbox. */
  readonly inClient?: boolean;
}

/** The place in a question that a client hands back. */
interface Round {
  readonly id: string;
  /** Counts from 1. */
  readonly round: number;
}

/** Clients come back ten times and then fail: before that they are told how to look themselves. */
const MOST_ROUNDS = 8;
/** A client that was away may come back with what it was given for so long, in seconds. */
const STATE_SECONDS = 30 * 24 * 3600;
const NEXT =
  'the person has not answered yet; the question stays in `hitl inbox`: call check_answer with this id later, and do nothing that needs the answer until then';
/** The name of the form among what a client is asked for. */
const FORM = 'answer';
const ASKS = { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false };
const LOOKS = { readOnlyHint: true, openWorldHint: false };

/** Makes the server by which another program asks the people here: one for each connection. */
export function askingServer(
  sdk: ServerSdk,
  options: AskingServerOptions,
  era: 'legacy' | 'modern',
): McpServer {
  const { questions, clock, place, waitMs } = options;
  const codec = sdk.createRequestStateCodec<Round>({
    key: hmacSha256(options.secret, 'hitl mcp requestState'), // Q2
    ttlSeconds: STATE_SECONDS,
    bind: () => place,
  });
  const server = new sdk.McpServer(
    { name: 'hitl', title: 'The person in charge', version: options.version },
    {
      capabilities: { tools: {} },
      requestState: { verify: (state, context) => codec.verify(state, context) },
    },
  );

  const fromOf = (context: ServerContext): string =>
    `${clientName(server, context, sdk.CLIENT_INFO_META_KEY)} in ${place}`;

  const waited = (id: string, ms: number, context: ServerContext): Promise<Standing> =>
    beating(
      questions.answered(id, ms, context.mcpReq.signal),
      clock,
      context,
      `waits for a person: hitl inbox, ${id}`,
    );

  const handedOut = (id: string, standing: Standing): CallToolResult => {
    if (standing.status === 'waiting') return resultOf({ id, ...standing, next: NEXT });
    if (isSessionId(id)) questions.handOut(id);
    return resultOf({ id, ...standing });
  };

  /** Has the client ask its person, where that is wanted, the client can, and nobody has answered by now. */
  const askedInClient = async (
    id: string,
    context: ServerContext,
  ): Promise<InputRequiredResult | undefined> => {
    const isWanted = options.inClient === true && canAsk(server, context, sdk.CLIENT_CAPABILITIES_META_KEY);
    const open = isWanted && isSessionId(id) ? await questions.open(id) : undefined;
    if (open === undefined) return undefined;
    const { message, requestedSchema } = formOf(open);
    const form = sdk.inputRequired.elicit({ message, requestedSchema: sdk.fromJsonSchema(requestedSchema) });
    const requestState = await codec.mint({ id, round: 2 }, context);
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
    const { id, round } = context.mcpReq.requestState<Round>() ?? {
      id: await questions.ask({
        tool,
        input,
        from: fromOf(context),
        ...(typeof key === 'string' && { key }),
      }),
      round: 1,
    };
    const inForm = round === 1 ? await askedInClient(id, context) : undefined;
    if (inForm !== undefined) return inForm;
    if (context.mcpReq.inputResponses !== undefined) await takeForm(id, context);
    const standing = await waited(id, waitMs, context);
    if (standing.status === 'waiting' && era === 'modern' && round < MOST_ROUNDS)
      return sdk.inputRequired({ requestState: await codec.mint({ id, round: round + 1 }, context) });
    return handedOut(id, standing);
  };

  const offerAsking = (name: AskingTool, inputSchema: JsonObject): void => {
    const schema = sdk.fromJsonSchema<JsonObject>(offeredSchema(inputSchema));
    server.registerTool(
      name,
      { ...TOOL_WORDS[name], inputSchema: schema, annotations: ASKS },
      (input, context) => told(() => ask(name, input, context)),
    );
  };
  offerAsking('ask_human', askHuman().inputSchema);
  offerAsking('request_approval', requestApproval().inputSchema);
  server.registerTool(
    'check_answer',
    {
      ...TOOL_WORDS.check_answer,
      inputSchema: sdk.fromJsonSchema<{ readonly id: string; readonly wait?: number }>(CHECK_SCHEMA),
      annotations: LOOKS,
    },
    ({ id, wait = 0 }, context) => told(async () => handedOut(id, await waited(id, wait * 1000, context))),
  );
  server.registerTool(
    'list_waiting',
    {
      ...TOOL_WORDS.list_waiting,
      inputSchema: sdk.fromJsonSchema<JsonObject>(NO_INPUT),
      annotations: LOOKS,
    },
    (_input, context) =>
      told(async () => {
        const waiting: JsonObject[] = [];
        for await (const { session, interrupt } of questions.waiting(fromOf(context)))
          waiting.push({ id: session, since: interrupt.raisedAt, asked: oneLineOf(interrupt) });
        return resultOf({ waiting });
      }),
  );
  return server;
}
