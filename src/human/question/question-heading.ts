import type { Interrupt, InterruptSource, ToolDescriptor } from '../../core/index.js';
import { assertNever, confirmationWords, isJsonObject, pathText, plainLine } from '../../core/index.js';

/** How wide a name from outside may be in a heading, in columns. */
const NAME_COLUMNS = 80;

/** A name from outside inside the product's own words. */
function shownName(name: string): string {
  const shown = plainLine(name, NAME_COLUMNS);
  // A name of the usual letters cannot be taken for words of ours.
  return /^[A-Za-z0-9_.:/-]+…?$/.test(shown) ? shown : `"${shown.replaceAll('"', '\\u{22}')}"`;
}

/** What an interrupt is about: the name of the tool or node, or the run. */
export function subjectOf(source: InterruptSource): string {
  switch (source.type) {
    case 'tool':
      return shownName(source.name);
    case 'node':
      return shownName(source.nodeId);
    case 'run':
      return 'the run';
    default:
      return assertNever(source);
  }
}

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
  const subject = subjectOf(source);
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
