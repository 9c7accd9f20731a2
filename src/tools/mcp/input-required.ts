// Invariants:
// I1 What a server wants before it goes on is asked by a question of the call: it is in the journal before anybody is asked, and
//    the answer, given by whomever and to whichever process, goes on with the same call.
// I2 The state of the server is handed back as it came, and is shown to nobody.
import type { InputRequiredResult } from '@modelcontextprotocol/client';
import type { JsonObject, JsonValue, ToolContext } from '../../core/index.js';
import { HitlError, isJsonObject, membersOf } from '../../core/index.js';
import { toJson } from '../to-json.js';
import { elicited, readQuestion } from './elicitation.js';

/** Maximum size of the requests and state that hitl keeps for a server between two calls, in characters. */
const LARGEST_STATE = 65_536;

/** Data sent to a server when a paused tool call is sent again. */
export interface Continuation {
  readonly inputResponses: JsonObject;
  readonly requestState?: string;
}

/** The state of a call that a server paused: its requests and the responses so far. */
interface PutOff extends JsonObject {
  readonly requests: JsonObject;
  readonly responses: JsonObject;
  /** Key of the request that the user is being asked about. */
  readonly asking: string;
}

/**
 * Reads the user's answer to a paused call and asks the next question, or returns the continuation if no
 * questions remain. Returns `undefined` for a call that was not paused.
 */
export function continuationOf(
  server: string,
  context: Pick<ToolContext, 'resumed' | 'interrupt'>,
): Continuation | undefined {
  const { answer, kept } = membersOf(context.resumed ?? null);
  if (answer === undefined || kept === undefined || !isPutOff(kept)) return undefined;
  const params = elicitationIn(server, kept.requests[kept.asking]);
  const response = toJson(elicited(readQuestion(server, params), answer), 'the answer');
  return next(server, { ...kept, responses: { ...kept.responses, [kept.asking]: response } }, context);
}

/**
 * Asks the user the questions that a server requests, and returns the continuation once all are answered.
 * @throws HitlError TOOL_FAILED if the server requests something unsupported.
 */
export function askFor(
  server: string,
  { inputRequests = {}, requestState }: InputRequiredResult,
  context: Pick<ToolContext, 'interrupt'>,
  root: string | undefined,
): Continuation {
  const requests = membersOf(toJson(inputRequests, 'the server’s requests'));
  const size = JSON.stringify(requests).length + (requestState?.length ?? 0);
  if (size > LARGEST_STATE)
    throw new HitlError(
      'TOOL_FAILED',
      `server \`${server}\` asked hitl to keep more than ${LARGEST_STATE} characters`,
    );
  const responses = Object.entries(requests).flatMap(([key, request]) =>
    membersOf(request)['method'] === 'roots/list'
      ? [[key, { roots: root === undefined ? [] : [{ uri: root }] }] as const]
      : [],
  );
  const state = requestState === undefined ? {} : { requestState };
  return next(server, { requests, responses: Object.fromEntries(responses), ...state, asking: '' }, context);
}

/** Asks the next unanswered question. If no questions remain, returns the continuation for the server. */
function next(server: string, putOff: PutOff, context: Pick<ToolContext, 'interrupt'>): Continuation {
  const { requests, responses } = putOff;
  const asking = Object.keys(requests).find((key) => !Object.hasOwn(responses, key));
  const state = putOff['requestState'];
  if (asking === undefined)
    return { inputResponses: responses, ...(typeof state === 'string' && { requestState: state }) };
  const { payload, answerSchema } = readQuestion(server, elicitationIn(server, requests[asking]));
  return context.interrupt(payload, { kind: 'question', answerSchema, kept: { ...putOff, asking } });
}

type Params = Parameters<typeof readQuestion>[1];

/**
 * Converts a request from a server to a question. @throws HitlError TOOL_FAILED for any other kind of
 * request.
 */
export function elicitationIn(server: string, request: JsonValue | undefined): Params {
  const { method, params } = membersOf(request ?? null);
  if (method !== 'elicitation/create' || params === undefined || !isParams(params))
    throw new HitlError(
      'TOOL_FAILED',
      `server \`${server}\` requested \`${JSON.stringify(method ?? null)}\`, which is not supported`,
    );
  return params;
}

function isParams(params: JsonValue): params is JsonValue & Params {
  if (!isJsonObject(params) || typeof params['message'] !== 'string') return false;
  return params['mode'] === 'url'
    ? typeof params['url'] === 'string'
    : isJsonObject(params['requestedSchema'] ?? null);
}

function isPutOff(kept: JsonValue): kept is PutOff {
  if (!isJsonObject(kept)) return false;
  const { requests = null, responses = null, asking } = kept;
  return isJsonObject(requests) && isJsonObject(responses) && typeof asking === 'string';
}
