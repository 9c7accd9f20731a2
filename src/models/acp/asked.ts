// What an agent asks its client for, as calls of tools, and the results of those calls as the agent is told them.
import type {
  CreateTerminalRequest,
  PermissionOption,
  ReadTextFileRequest,
  RequestPermissionRequest,
  ToolCallUpdate,
  WriteTextFileRequest,
} from '@agentclientprotocol/sdk';

import type { JsonObject, JsonValue, ToolResponsePart } from '../../core/index.js';
import {
  bareText,
  digestOf,
  isJsonObject,
  membersOf,
  parseStrictJson,
  toWellFormed,
  toWellFormedJson,
} from '../../core/index.js';

// Invariants:
// O1 A permission is answered by an option of the agent's that allows once, or one that a person named; never by
//    `allow_always` by itself.
// O2 What a person is asked about is all of what came: what is too large to be shown is not asked about.

/** The tool call that an agent's request is converted to. */
export interface AskedCall {
  readonly name: string;
  readonly input: JsonObject;
}

/** Name of the tool that asks the user for a permission. */
export const PERMISSION_TOOL = 'agent_permission';

/** An answer to an agent, in the format of its protocol. `says` is text for its next prompt. */
export type AgentAnswer =
  | { readonly result: JsonObject; readonly says?: string }
  | { readonly error: { readonly code: number; readonly message: string }; readonly says?: string };

/** Error codes that the protocol defines. */
export const NOT_FOUND = -32_002;
const FAILED = -32_603;
export const INVALID = -32_602;

/** Maximum size of a permission request, in characters (O2). */
const MOST_SHOWN = 400_000;
const MOST_OPTIONS = 20;
const MOST_MESSAGE = 4_000;
/** Time limit for a command that an agent runs, in milliseconds. Same as for hitl's own commands. */
const COMMAND_MS = 600_000;
/** Maximum number of lines to read if the request does not set a limit. */
const ALL_LINES = 100_000;

export function readCall({ path, line, limit }: ReadTextFileRequest): AskedCall {
  const fromLine = Math.max(1, line ?? 1);
  return {
    name: 'read_file',
    input: { path, ...(fromLine > 1 && { fromLine }), maxLines: Math.min(limit ?? ALL_LINES, ALL_LINES) },
  };
}

export function writeCall({ path, content }: WriteTextFileRequest): AskedCall {
  return { name: 'write_file', input: { path, content } };
}

/**
 * Returns the tool call for a command. If there are arguments, the command is a program; otherwise, it is
 * shell text. Its environment variables are included, so that they are shown as well.
 */
export function commandCall({ command, args = [], env = [], cwd }: CreateTerminalRequest): AskedCall {
  const given = env.map(({ name, value }) => `${name}=${value}`);
  const words = args.length > 0 ? [command, ...args] : ['sh', '-c', command];
  return {
    name: 'run_command',
    input: {
      ...(given.length > 0
        ? { argv: ['env', ...given, ...words] }
        : args.length > 0
          ? { argv: words }
          : { command }),
      ...(cwd !== undefined && cwd !== null && { cwd }),
      ...{ timeoutMs: COMMAND_MS, writes: true },
    },
  };
}

/** Details that an agent reported about one of its own calls before asking about it. */
export type KnownCall = Partial<Omit<ToolCallUpdate, 'toolCallId'>>;

/** Returns the tool call that asks the user for a permission, or the reason that the user cannot be asked. */
export function permissionCall(
  agent: string,
  { toolCall, options }: RequestPermissionRequest,
  known: KnownCall = {},
): AskedCall | string {
  const ids = new Set(options.map(({ optionId }) => optionId));
  if (options.length === 0 || options.length > MOST_OPTIONS)
    return `a permission request needs 1 to ${MOST_OPTIONS} options, got ${options.length}`;
  if (ids.size < options.length) return 'two permission options have the same id';
  const given = { ...known, ...definedOf(toolCall) };
  const { title, kind, rawInput, content, locations } = given;
  const diffs = (content ?? []).flatMap((one) =>
    one.type === 'diff' ? [{ path: one.path, before: one.oldText ?? '', after: one.newText }] : [],
  );
  const text = (content ?? []).flatMap((one) =>
    one.type === 'content' && one.content.type === 'text' ? [one.content.text] : [],
  );
  const allowing = options.find((one) => one.kind === 'allow_once'); // O1
  const input = asJson({
    agent,
    call: toolCall.toolCallId,
    title: title ?? toolCall.toolCallId,
    kind: kind ?? 'other',
    ...(rawInput !== undefined && rawInput !== null && { input: rawInput }),
    ...(diffs.length > 0 && { diffs }),
    ...(text.length > 0 && { text: text.join('\n') }),
    ...(locations !== undefined &&
      locations !== null &&
      locations.length > 0 && { places: locations.map(({ path }) => path) }),
    options: options.map(({ optionId: id, name, kind: of }) => ({ id, name, kind: of })),
    option: allowing?.optionId ?? '',
  });
  if (!isJsonObject(input)) return 'the permission request is not JSON';
  if (JSON.stringify(input).length > MOST_SHOWN)
    return 'the permission request is too large to show to a person'; // O2
  return { name: PERMISSION_TOOL, input };
}

function definedOf(call: ToolCallUpdate): KnownCall {
  const { toolCallId: _id, ...rest } = call;
  return Object.fromEntries(
    Object.entries(rest).filter(([, value]) => value !== undefined && value !== null),
  );
}

function asJson(value: object): JsonValue | undefined {
  const read = parseStrictJson(JSON.stringify(value));
  return read.ok ? toWellFormedJson(read.value) : undefined;
}

/**
 * Returns a digest of everything that a person sees of a permission request. This does not include the
 * agent's call id.
 */
export function permissionDigest(input: JsonObject): string {
  const { call: _call, option: _option, earlier: _earlier, ...shown } = input;
  return digestOf(shown);
}

/** Results of refused calls that contain no message from the user. */
const PLAIN = new Set([
  'the user rejected this call; it did not run',
  'cancelled by the user; it did not run',
]);

/**
 * Returns the option that answers a permission request. The protocol does not support a message with it, so a
 * message is sent with the next prompt.
 */
export function permissionAnswer(
  { title }: { readonly title: string },
  options: readonly PermissionOption[],
  { output, isError }: Pick<ToolResponsePart, 'output' | 'isError'>,
): AgentAnswer {
  const { option } = membersOf(output);
  const chosen = isError === true ? undefined : options.find(({ optionId }) => optionId === option);
  if (chosen !== undefined)
    return { result: { outcome: { outcome: 'selected', optionId: chosen.optionId } } };
  const refusal = options.find(({ kind }) => kind === 'reject_once');
  const outcome: JsonObject =
    refusal === undefined ? { outcome: 'cancelled' } : { outcome: 'selected', optionId: refusal.optionId };
  const words = bareText(output);
  if (isError === true && PLAIN.has(words)) return { result: { outcome } };
  const what =
    isError === true ? words : `it was not allowed, because the user did it instead; the result: ${words}`;
  return { result: { outcome }, says: `About your request ${JSON.stringify(title)}: ${what}` };
}

function failed(output: JsonValue): AgentAnswer {
  const message = bareText(output).slice(0, MOST_MESSAGE);
  const code = message.endsWith(' does not exist') ? NOT_FOUND : FAILED;
  return { error: { code, message } };
}

/**
 * Returns the text of a file that was read. If the text was cut off, returns an error, because the agent
 * might otherwise overwrite the file with the shortened text.
 */
export function readAnswer(
  asked: JsonObject,
  { output, isError }: Pick<ToolResponsePart, 'output' | 'isError'>,
): AgentAnswer {
  if (isError === true) return failed(output);
  if (typeof output === 'string') return { result: { content: output } };
  const { content, truncated, cut, more, toLine, totalLines } = membersOf(output);
  if (typeof content !== 'string') return failed('it is an image or a document, not text');
  const isLimited = asked['maxLines'] !== ALL_LINES;
  const isShort =
    truncated === true || cut === true || (!isLimited && (more === true || isBelow(toLine, totalLines)));
  return isShort
    ? failed('too long for one read; read it in parts, with `line` and `limit`')
    : { result: { content } };
}

function isBelow(line: JsonValue | undefined, total: JsonValue | undefined): boolean {
  return typeof line === 'number' && typeof total === 'number' && line < total;
}

/**
 * Returns the answer to a write request. If the user edited the content, tells the agent so, because the
 * agent would otherwise assume that its own content was written.
 */
export function writeAnswer(
  asked: JsonObject,
  ran: JsonValue,
  { output, isError }: Pick<ToolResponsePart, 'output' | 'isError'>,
): AgentAnswer {
  if (isError === true) return failed(output);
  const { path, content } = membersOf(ran);
  if (path === asked['path'] && content === asked['content']) return { result: {} };
  return {
    result: {},
    says: `The user changed the content written to ${JSON.stringify(path ?? asked['path'] ?? '')}; read it again before you continue.`,
  };
}

/** The outcome of a command, used to answer later requests about its terminal. */
export interface EndedTerminal {
  readonly output: string;
  readonly truncated: boolean;
  readonly exitCode: number | null;
  readonly signal: string | null;
}

/**
 * Returns the outcome of a command, or an error if it did not run. If the user changed the command, the
 * output says so.
 */
export function endedTerminal(
  {
    asked,
    ran,
    limit,
  }: { readonly asked: JsonObject; readonly ran: JsonValue; readonly limit: number | undefined },
  { output, isError }: Pick<ToolResponsePart, 'output' | 'isError'>,
): EndedTerminal | AgentAnswer {
  if (isError === true) return failed(output);
  const { exitCode, signal, output: printed, omittedCharacters, notes } = membersOf(output);
  const told = [
    ...(digestOf(asked) === digestOf(ran)
      ? []
      : [`the user changed the command; this ran: ${JSON.stringify(ran)}`]),
    ...(Array.isArray(notes) ? notes.filter((note) => typeof note === 'string') : []),
  ];
  const all = typeof output === 'string' ? output : typeof printed === 'string' ? printed : '';
  const words = told.length === 0 ? all : `${all}\n[hitl: ${told.join('; ')}]`;
  const kept = limit === undefined || words.length <= limit ? words : words.slice(words.length - limit);
  return {
    output: toWellFormed(kept),
    truncated: typeof omittedCharacters === 'number' || kept.length < words.length,
    exitCode: typeof exitCode === 'number' ? exitCode : typeof output === 'string' ? 0 : null,
    signal: typeof signal === 'string' ? signal : null,
  };
}
