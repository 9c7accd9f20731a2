import {
  askedBy,
  assertNever,
  confirmationWords,
  escapeText,
  isDifference,
  operationAsked,
  plainLine,
  raiserOf,
  shownPayload,
  timeOf,
  waitOf,
  waitVerb,
} from '../core/index.js';
import type { Interrupt } from '../core/index.js';
import { statusLine } from './status-line.js';
import type { Drawing } from './status-line.js';
import { formatUntil } from './time.js';
import { valueLine } from './value-line.js';

/** Returns the subject of an interrupt: the tool, node, operation or run. The name is not escaped. */
export function subjectOf(interrupt: Interrupt): string {
  const { source } = interrupt;
  const operation = operationAsked(interrupt);
  if (operation !== undefined) return operation.name;
  switch (source.type) {
    case 'tool':
      return source.name;
    case 'node':
      return raiserOf(source);
    case 'run':
      return 'run';
    default:
      return assertNever(source);
  }
}

/** Describes what an interrupt is waiting for. */
export function waitsFor(interrupt: Interrupt): string {
  const wait = waitOf(interrupt);
  if (wait !== undefined) return escapeText(waitVerb(wait));
  switch (interrupt.kind) {
    case 'question':
      return 'asks you';
    case 'confirmation':
      return confirmationWords(interrupt.source);
    case 'gate':
      return 'is waiting at a gate';
    case 'pause':
      return 'is paused';
    case 'error':
      return isDifference(interrupt)
        ? 'no longer matches the journal and needs your decision'
        : 'failed and needs your decision';
    case 'in-doubt':
      return 'may have run; no result was recorded';
    case 'limit':
      return 'reached a limit';
    default:
      return assertNever(interrupt.kind);
  }
}

/** Formats an escalation: `● transfer_money: escalated to lead (i2)  i1 was not answered in time`. */
export function escalatedLine(interrupt: Interrupt, drawing: Drawing): string {
  const { theme } = drawing;
  const { escalated, source, id } = interrupt;
  const asked = escalated === undefined ? 'someone else' : escapeText(escalated.to);
  const head = {
    symbol: theme.symbols.waiting,
    style: theme.warning,
    name: (source.type === 'tool' ? source.title : undefined) ?? subjectOf(interrupt),
    verb: `escalated to ${asked} (${escapeText(id)})`,
  };
  return statusLine(head, `${escapeText(escalated?.id ?? '')} was not answered in time`, drawing);
}

/** Formats a sleep, which ends without asking the user: `● pause sleeps (i1) until 18:16`. */
function sleepLine(interrupt: Interrupt, { theme, ...drawing }: Drawing): string {
  const { id, raisedAt, expiresAt } = interrupt;
  const head = {
    symbol: theme.symbols.waiting,
    style: theme.dim,
    name: subjectOf(interrupt),
    verb: `${waitsFor(interrupt)} (${escapeText(id)})`,
  };
  const until = expiresAt === undefined ? '' : `until ${formatUntil(expiresAt, timeOf(raisedAt))}`;
  return statusLine(head, until, { theme, ...drawing });
}

/**
 * Formats an open question: `● transfer_money needs your confirmation (i1) to: "ABC123", amount: 200`, or
 * with the tool's own title; `● ask_user asks you (i1) How many people will come?`.
 */
export function waitingLine(interrupt: Interrupt, drawing: Drawing): string {
  const { theme, columns } = drawing;
  const { kind, source, payload } = interrupt;
  if (waitOf(interrupt) !== undefined) return sleepLine(interrupt, drawing);
  const title = source.type === 'tool' ? source.title : undefined;
  const shown = source.type === 'tool' ? source.input : shownPayload(interrupt);
  const asked = kind === 'question' && source.type === 'tool' ? askedBy(shown, payload) : undefined;
  const head = {
    symbol: theme.symbols.waiting,
    style: theme.warning,
    name: title ?? subjectOf(interrupt),
    verb: `${waitsFor(interrupt)} (${escapeText(interrupt.id)})`,
  };
  if (asked !== undefined) return statusLine(head, plainLine(asked, columns), drawing);
  return statusLine(head, title === undefined ? valueLine(shown, columns) : '', drawing);
}
