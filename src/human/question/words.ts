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

/** Headings of a question's parts, and their text when empty. */
export const PARTS = {
  input: 'input',
  noInput: 'no input',
  noChange: 'changes nothing: the file already has this content',
  adds: 'details',
  addsThis: '(from the tool)',
  output: 'output',
  state: 'state',
  because: 'Reason: ',
  says: 'Message: ',
  wants: 'To approve, enter: ',
  why: 'model’s reasoning',
} as const;

/** The words of a yes to a call that the person has changed; `short` on a low screen. */
export interface YesWords {
  readonly label: string;
  readonly short?: string;
}

/** What is asked about a call, and the words of a yes to one that the person has changed. */
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

/** Returns what a person is asked at the end, above the keys. */
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

/** Returns the words of a yes to a call that the person has changed. */
export function yesWords(interrupt: Interrupt, tool: ToolDescriptor | undefined): YesWords {
  if (isProposed(interrupt)) return { label: 'propose it', short: 'propose' };
  if (interrupt.kind === 'error') return { label: 'run it again', short: 'run it' };
  return decisionOf(interrupt, tool).yes;
}

/** True where a changed input is for others to approve. */
function isProposed({ approvers, edit }: Interrupt): boolean {
  return isFourEyes({ ...(approvers && { approvers }) }) && edit !== 'required';
}

/** A note beside a value, in brackets. */
export function bracketed(note: string): string {
  return note === PARTS.addsThis ? note : `(${note})`;
}

export function warningWords(place: string, message: string): string {
  return `warning: ${place === '' ? '' : `${place}: `}${message}`;
}

/** Source of the built-in tools; no loaded tool can use it. */
export const BUILT_IN = 'built in';
/** The width that a name from outside may have in a heading, in columns. */
export const NAME_COLUMNS = 80;

/** Returns an interrupt's location: its graph, and for an operation its workflow and branch. */
function placeOf(interrupt: Interrupt): string {
  const path = operationAsked(interrupt)?.path ?? interrupt.path;
  return path === '' ? '' : plainLine(pathText(path), NAME_COLUMNS);
}

/** Returns a tool's source as safe text. */
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

/** Names the reached limit; the context question comes before the context is full. */
function limitWords(limit: unknown): string {
  return limit === 'context' ? 'Context window nearly full' : `${capital(limitName(limit))} reached`;
}

/**
 * Returns the source of an interrupt's tool as safe text, with its name if the title lacks it; empty for
 * built-in tools.
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
 * Names who asks. The tool by which a model asks is named as the model. An asking server is named as a
 * server, with the destination of the answer, because its own words are untrusted.
 */
export function askerOf(interrupt: Interrupt, tool: ToolDescriptor | undefined): string | undefined {
  const { kind, source } = interrupt;
  if (kind === 'question' && tool?.mcp !== undefined && source.type === 'tool' && source.raisedBy === 'tool')
    return `the server ${tool.mcp.server} asks; your answer goes only to ${tool.mcp.server}`;
  const isModel = interrupt.kind === 'question' && tool?.origin === BUILT_IN && interrupt.path === '';
  return isModel ? 'The model asks' : undefined;
}

/** `MCP tool echo`: the title names the server. */
function mcpWords({ title, tool }: NonNullable<ToolDescriptor['mcp']>): string {
  return title === undefined || title === tool ? 'MCP tool' : `MCP tool ${plainLine(tool, NAME_COLUMNS)}`;
}

/**
 * The title of a question without the values that it shows below, and the members of the input that the title shows. The
 * title of a server's tool ends with values that may be cut.
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

/** First line of a question: its subject and any problem. @param text the subject; default: its title */
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

/** ` by ann`: the person who paused. */
function byWords(payload: JsonValue): string {
  const by = isJsonObject(payload) ? payload['by'] : undefined;
  if (typeof by !== 'string') return '';
  const shown = plainLine(by, NAME_COLUMNS);
  // A name of other letters could be taken for words of ours.
  return ` by ${/^[A-Za-z0-9_.:@-]+…?$/.test(shown) ? shown : `“${shown}”`}`;
}

/** ` (timed out)`: how a call failed, if that adds information. */
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

/** Names the operation behind a gate; `undefined` without such a gate. */
export function operationWords(does: JsonValue | undefined): string | undefined {
  return OPERATIONS.get(does);
}
