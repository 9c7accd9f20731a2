// The words of ours in a question: its first line, the names of the parts below it, and what is asked at the end. What a
// run of it does and since when it waits stands in `effect-words.ts`, whose word it takes in `src/core/told/people-words.ts`,
// what the rows of keys say, and what is said to a key, in `key-words.ts`. The call itself is told by `src/core/title`, what each way to answer does and
// what was done by `src/core/ways`, warnings by `src/human/warnings`. Words from outside are escaped and stand among these.
import type { Interrupt, JsonValue, ToolDescriptor } from '../../core/index.js';
import {
  assertNever,
  confirmationWords,
  escapeText,
  isDifference,
  isFourEyes,
  isJsonObject,
  limitName,
  operationAsked,
  ownOf,
  pathText,
  plainLine,
  subjectOf,
  titleOf,
} from '../../core/index.js';

/** Headings of the parts of a question, and the text for empty parts. */
export const PARTS = {
  input: 'input',
  noInput: 'no input',
  noChange: 'no change: the file already has this content',
  adds: 'details',
  addsThis: '(from the tool)',
  output: 'output',
  state: 'state',
  because: 'Reason: ',
  says: 'Message: ',
  wants: 'To approve, enter: ',
  why: 'model’s reasoning',
} as const;

/** Label for approving a call that the user has changed. `short` is used on a low screen. */
export interface YesWords {
  readonly label: string;
  readonly short?: string;
}

/** The question about a call, and the label for approving the call after a change. */
interface Decision {
  readonly asks: string;
  readonly yes: YesWords;
}

const ANY_CALL: Decision = { asks: 'Approve this call?', yes: { label: 'approve' } };
const AN_EDIT: Decision = { asks: 'Make this edit?', yes: { label: 'make this edit', short: 'make it' } };
const DECISIONS: Readonly<Record<string, Decision>> = {
  run_command: { asks: 'Run this command?', yes: { label: 'run it' } },
  edit_file: AN_EDIT,
  write_file: AN_EDIT,
  request_grant: { asks: 'Allow these calls?', yes: { label: 'allow these' } },
};

function decisionOf({ source }: Interrupt, tool: ToolDescriptor | undefined): Decision {
  const isOurs = source.type === 'tool' && tool?.origin === BUILT_IN;
  return (isOurs ? ownOf(DECISIONS, source.name) : undefined) ?? ANY_CALL;
}

/** Returns the question shown directly above the keys. */
export function decisionWords(interrupt: Interrupt, tool: ToolDescriptor | undefined): string {
  switch (interrupt.kind) {
    case 'confirmation':
      return decisionOf(interrupt, tool).asks;
    case 'in-doubt':
      return 'What happened?';
    case 'error':
      return 'What next?';
    case 'gate':
    case 'limit':
    case 'pause':
    case 'question':
      return 'Continue?';
  }
}

/** Returns the label for approving a call that the user has changed. */
export function yesWords(interrupt: Interrupt, tool: ToolDescriptor | undefined): YesWords {
  if (isProposed(interrupt)) return { label: 'propose it', short: 'propose' };
  if (interrupt.kind === 'error') return { label: 'run it again', short: 'run it' };
  return decisionOf(interrupt, tool).yes;
}

/** Whether other people must approve a changed input. */
function isProposed({ approvers, edit }: Interrupt): boolean {
  return isFourEyes({ ...(approvers && { approvers }) }) && edit !== 'required';
}

/** Formats a note next to a value, in parentheses. */
export function bracketed(note: string): string {
  return note === PARTS.addsThis ? note : `(${note})`;
}

export function warningWords(place: string, message: string): string {
  return `warning: ${place === '' ? '' : `${place}: `}${message}`;
}

/** Source shown for built-in tools. Other tools cannot use it. */
export const BUILT_IN = 'built in';
/** Maximum width of an untrusted name in a heading, in columns. */
export const NAME_COLUMNS = 80;

/** Returns an interrupt's location: its graph, or for an operation, its workflow and branch. */
function placeOf(interrupt: Interrupt): string {
  const path = operationAsked(interrupt)?.path ?? interrupt.path;
  return path === '' ? '' : plainLine(pathText(path), NAME_COLUMNS);
}

/** Returns the source of a tool, safe for a terminal. */
function originWords(tool: ToolDescriptor | undefined): string {
  return tool === undefined ? 'not available in this session' : plainLine(tool.origin, NAME_COLUMNS);
}

function requestOf(interrupt: Interrupt): string {
  const { kind, source, payload } = interrupt;
  const subject = subjectOf(interrupt);
  switch (kind) {
    case 'question':
      return `${source.type === 'node' ? plainLine(source.nodeId, NAME_COLUMNS) : subject} asks`;
    case 'confirmation':
      return `${subject} ${confirmationWords(source)}`;
    case 'gate':
      return source.type === 'node'
        ? `gate ${source.phase} ${subject}${source.visit > 1 ? ` (visit ${source.visit})` : ''}`
        : `${subject} is waiting at a gate`;
    case 'pause':
      return `${subject} is paused${byWords(payload)}`;
    case 'error':
      return isDifference(interrupt)
        ? `${subject}: the code no longer matches the journal`
        : `${subject} failed`;
    case 'in-doubt':
      return `${subject} may have run; no result was recorded`;
    case 'limit':
      return limitWords(isJsonObject(payload) ? payload['limit'] : undefined);
    default:
      return assertNever(kind);
  }
}

function capital(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;
}

/**
 * Describes the limit that was reached. For the context limit, the user is asked before the context is full.
 */
function limitWords(limit: unknown): string {
  return limit === 'context' ? 'Context window nearly full' : `${capital(limitName(limit))} reached`;
}

/**
 * Returns the source of an interrupt's tool, safe for a terminal. Includes the tool's name if the title does
 * not contain it. Empty for built-in tools.
 */
export function originOf(interrupt: Interrupt, tool: ToolDescriptor | undefined): string {
  const { source } = interrupt;
  if (source.type !== 'tool') return '';
  if (tool?.origin === BUILT_IN) return '';
  if (tool?.mcp !== undefined && source.title !== undefined) return mcpWords(tool.mcp);
  const origin = tool === undefined && interrupt.path !== '' ? '' : originWords(tool);
  if (origin === '') return source.title === undefined ? '' : subjectOf(interrupt);
  return source.title === undefined ? origin : `${subjectOf(interrupt)} · ${origin}`;
}

/**
 * Describes who is asking. For a built-in tool, the model is asking. For an MCP server, the text also says
 * where the answer goes, because the server's own text is untrusted.
 */
export function askerOf(interrupt: Interrupt, tool: ToolDescriptor | undefined): string | undefined {
  const { kind, source } = interrupt;
  if (kind === 'question' && tool?.mcp !== undefined && source.type === 'tool' && source.raisedBy === 'tool')
    return `the server ${tool.mcp.server} is asking; your answer goes only to ${tool.mcp.server}`;
  const isModel = interrupt.kind === 'question' && tool?.origin === BUILT_IN && interrupt.path === '';
  return isModel ? 'The model asks' : undefined;
}

/** Describes an MCP tool: `MCP tool echo`. The server is already part of the title. */
function mcpWords({ title, tool }: NonNullable<ToolDescriptor['mcp']>): string {
  return title === undefined || title === tool ? 'MCP tool' : `MCP tool ${plainLine(tool, NAME_COLUMNS)}`;
}

/**
 * Returns the title of a question and the input properties that the title shows. For an MCP tool, leaves out
 * the values at the end of the title, because they may be cut off there and are shown below.
 */
export function leadOf(
  interrupt: Interrupt,
  tool: ToolDescriptor | undefined,
): { readonly lead: string; readonly shows: readonly string[] } {
  const { source } = interrupt;
  const title = titleOf(interrupt);
  if (source.type !== 'tool' || tool?.mcp === undefined || interrupt.kind === 'question') return title;
  const { server, title: label, tool: name } = tool.mcp;
  const start = `${server}: ${label ?? name}`;
  return source.title?.startsWith(`${start} (`) === true ? { lead: escapeText(start), shows: [] } : title;
}

/**
 * Returns the first line of a question: its subject and, if something went wrong, the problem.
 * @param text the subject; default: the interrupt's title
 */
export function titleLineOf(interrupt: Interrupt, text = titleOf(interrupt).text): string {
  const place = placeOf(interrupt);
  const where = place === '' ? '' : operationAsked(interrupt) === undefined ? `  in ${place}` : ` · ${place}`;
  switch (interrupt.kind) {
    case 'confirmation':
      return `${text}${where}`;
    case 'in-doubt':
      return `Did this happen?  ${text}${where}`;
    case 'error':
      if (isDifference(interrupt)) return `The code no longer matches the journal: ${text}${where}`;
      return `Failed${failureWords(interrupt)}: ${text}${where}`;
    case 'question':
    case 'gate':
    case 'pause':
    case 'limit':
      return `${requestOf(interrupt)}${where}`;
    default:
      return assertNever(interrupt.kind);
  }
}

/** Returns the name of the person who paused: ` by ann`. */
function byWords(payload: JsonValue): string {
  const by = isJsonObject(payload) ? payload['by'] : undefined;
  if (typeof by !== 'string') return '';
  const shown = plainLine(by, NAME_COLUMNS);
  // A name of other letters could be taken for words of ours.
  return ` by ${/^[A-Za-z0-9_.:@-]+…?$/.test(shown) ? shown : `“${shown}”`}`;
}

/** Describes how a call failed, if that adds information: ` (timed out)`. */
function failureWords({ payload }: Interrupt): string {
  const code = isJsonObject(payload) ? payload['code'] : undefined;
  return typeof code === 'string' && code !== 'failed'
    ? ` (${plainLine(code.replaceAll('-', ' '), NAME_COLUMNS)})`
    : '';
}

const OPERATIONS: ReadonlyMap<JsonValue | undefined, string> = new Map([
  ['step', 'a step'],
  ['tool', 'a tool'],
  ['agent', 'an agent'],
  ['call', 'a workflow'],
]);

/** Describes the operation that a gate guards. Returns `undefined` if there is no such operation. */
export function operationWords(does: JsonValue | undefined): string | undefined {
  return OPERATIONS.get(does);
}
