import type { Interrupt, JsonValue } from '../../core/index.js';
import { escapeText, membersOf } from '../../core/index.js';

/**
 * The interrupt that an answer is for, or the reason that there is none. `message` is safe to print in a
 * terminal.
 */
export type Target =
  | { readonly ok: true; readonly interrupt: Interrupt }
  | { readonly ok: false; readonly message: string };

/**
 * Whether a name is an interrupt's ID or a prefix of it. `i1` is not considered a prefix of `i10`, because
 * the numbers differ.
 */
export function namesInterrupt(name: string, id: string): boolean {
  if (name === id) return true;
  return name !== '' && id.startsWith(name) && !(/\d$/.test(name) && /^\d/.test(id.slice(name.length)));
}

/** Finds an open interrupt by its ID or a unique prefix of it. */
export function interruptNamed(name: string, open: readonly Interrupt[]): Target {
  const exact = open.find(({ id }) => id === name);
  return exact === undefined
    ? only(
        open.filter(({ id }) => namesInterrupt(name, id)),
        `interrupt \`${escapeText(name)}\``,
        open,
      )
    : { ok: true, interrupt: exact };
}

function ofTool(name: string, open: readonly Interrupt[]): Target {
  const waiting = open.filter(({ source }) => source.type === 'tool' && source.name === name);
  return only(waiting, `interrupt for tool \`${escapeText(name)}\``, open);
}

function only(found: readonly Interrupt[], what: string, open: readonly Interrupt[]): Target {
  const [first, ...more] = found;
  if (first !== undefined && more.length === 0) return { ok: true, interrupt: first };
  const ids = (first === undefined ? open : found).map(({ id }) => escapeText(id)).join(', ');
  return {
    ok: false,
    message: first === undefined ? `no open ${what}; open: ${ids}` : `more than one ${what}: ${ids}`,
  };
}

/**
 * Returns the interrupt specified by `interrupt` or `tool`, or else the first open one in source order.
 * @param open must not be empty.
 */
export function targetOf(value: JsonValue | undefined, open: readonly Interrupt[]): Target {
  const { interrupt, tool } = membersOf(value);
  const byId = typeof interrupt === 'string' ? interruptNamed(interrupt, open) : undefined;
  const byTool =
    typeof tool === 'string' ? ofTool(tool, byId?.ok === true ? [byId.interrupt] : open) : undefined;
  if (byId?.ok === false) return byId;
  if (byTool !== undefined) return byTool;
  if (byId !== undefined) return byId;
  const [first] = open;
  return first === undefined ? { ok: false, message: 'no open questions' } : { ok: true, interrupt: first };
}

/**
 * Finds a question's ID at the start of an answer line: `i5 red`, `i5=red`, `i5@3db9c6df red`. Such an ID is
 * never part of the answer's text, no matter what the question is (law of `hitl answer`).
 */
export function namedAtStart(
  text: string,
  ids: Iterable<string>,
): { readonly id: string; readonly rest: string } | undefined {
  const [, id = '', rest = ''] = /^\s*([^\s=@]+)(?:@[0-9a-f]+)?(?:=|\s+|$)(.*)$/isu.exec(text) ?? [];
  for (const known of ids) if (known === id) return { id, rest };
  return undefined;
}
