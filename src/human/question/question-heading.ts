import type { Interrupt, ToolDescriptor } from '../../core/index.js';
import {
  assertNever,
  confirmationWords,
  isJsonObject,
  pathText,
  plainLine,
  subjectOfSource,
  titleOf,
} from '../../core/index.js';

/** The origin of the tools that come with the product; no loaded tool can give it. */
export const BUILT_IN = 'built in';
/** How wide a name from outside may be in a heading, in columns. */
const NAME_COLUMNS = 80;

/** One line that says what is wanted, of which tool, and where the tool comes from. */
export function headingOf(interrupt: Interrupt, tool: ToolDescriptor | undefined): string {
  const where = interrupt.path === '' ? '' : ` · in ${plainLine(pathText(interrupt.path), NAME_COLUMNS)}`;
  const what = `${requestOf(interrupt)}${where}`;
  if (interrupt.source.type !== 'tool') return what;
  const origin = tool === undefined ? 'not offered in this session' : plainLine(tool.origin, NAME_COLUMNS);
  return `${what} · ${origin}`;
}

function requestOf(interrupt: Interrupt): string {
  const { kind, source, payload } = interrupt;
  const subject = subjectOfSource(source);
  switch (kind) {
    case 'question':
      return `${subject} asks`;
    case 'confirmation':
      return `${subject} ${confirmationWords(source)}`;
    case 'gate':
      return source.type === 'node'
        ? `gate ${source.phase} ${subject}${source.visit > 1 ? `, visit ${source.visit}` : ''}`
        : `${subject} waits at a gate`;
    case 'pause':
      return `${subject} is paused`;
    case 'error':
      return `${subject} failed`;
    case 'in-doubt':
      return `${subject} may have run: its outcome is unknown`;
    case 'limit':
      return `${limitName(isJsonObject(payload) ? payload['limit'] : undefined)} is reached`;
    default:
      return assertNever(kind);
  }
}

function limitName(limit: unknown): string {
  switch (limit) {
    case 'turns':
      return 'the limit of tool rounds';
    case 'cost':
      return 'the limit of cost';
    case 'time':
      return 'the limit of time';
    case 'iterations':
      return 'the limit of nodes entered';
    default:
      return 'a limit';
  }
}

/**
 * Where the tool of an interrupt comes from, in safe text, and its name where the title does not say it; empty for tools
 * that come with the product.
 */
export function originOf({ source }: Interrupt, tool: ToolDescriptor | undefined): string {
  if (source.type !== 'tool') return '';
  if (tool?.origin === BUILT_IN) return '';
  const origin = tool === undefined ? 'not offered in this session' : plainLine(tool.origin, NAME_COLUMNS);
  return source.title === undefined ? origin : `${subjectOfSource(source)} · ${origin}`;
}

/** What asks, in a person's words: the tool by which a model asks is the model. */
export function askerOf(interrupt: Interrupt, tool: ToolDescriptor | undefined): string | undefined {
  const isModel = interrupt.kind === 'question' && tool?.origin === BUILT_IN && interrupt.path === '';
  return isModel ? 'The model asks' : undefined;
}

/**
 * The first line of a question: the thing itself, and what is wrong with it where something is. `lead` is without the
 * values that stand below it.
 */
export function titleLineOf(interrupt: Interrupt, form: 'text' | 'lead' = 'text'): string {
  const text = titleOf(interrupt)[form];
  const where = interrupt.path === '' ? '' : `  in ${plainLine(pathText(interrupt.path), NAME_COLUMNS)}`;
  switch (interrupt.kind) {
    case 'confirmation':
      return `${text}${where}`;
    case 'in-doubt':
      return `Did this happen?  ${text}${where}`;
    case 'error':
      return `Failed: ${text}${where}`;
    case 'question':
    case 'gate':
    case 'pause':
    case 'limit':
      return `${requestOf(interrupt)}${where}`;
    default:
      return assertNever(interrupt.kind);
  }
}
