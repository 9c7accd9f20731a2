import type { Interrupt, Resolution, RunState } from '../../core/index.js';
import { subjectOfSource } from '../../core/index.js';
import type { Asked, Prompter } from '../prompt/prompter.js';
import type { KeyChoice } from '../prompt/key-prompt.js';
import { answered, BACK, saying } from '../prompt/prompter.js';
import { askKey } from '../prompt/key-prompt.js';
import { viewWhole } from '../prompt/view-whole.js';
import { oneLineOf } from '../question/question-plain.js';
import { passedOn } from '../question/form-fields.js';
import { plainWays } from '../question/fitting-lines.js';
import { questionView } from '../question/question-text.js';
import { shownWhole } from '../device/region.js';
import { wholeRows } from '../look/terminal-look.js';

/** Open interrupts that one answer may settle: the same kind, tool or node, and actions. */
export interface Alike {
  /** In our own words: `all 3 calls of transferMoney`, `both commands`. */
  readonly label: string;
  readonly interrupts: readonly Interrupt[];
}

function groupOf(interrupt: Interrupt): string {
  const { kind, source, allowed, edit } = interrupt;
  const name = source.type === 'tool' ? source.name : source.type === 'node' ? source.nodeId : '';
  return JSON.stringify([kind, source.type, name, allowed, edit]);
}

/** Groups two or more interrupts; never questions, which each need their own answer. */
export function alike(open: readonly Interrupt[]): readonly Alike[] {
  const groups = new Map<string, Interrupt[]>();
  for (const interrupt of open) {
    if (interrupt.kind === 'question' || plainChoices(interrupt).length === 0) continue;
    const group = groups.get(groupOf(interrupt));
    if (group === undefined) groups.set(groupOf(interrupt), [interrupt]);
    else group.push(interrupt);
  }
  return [...groups.values()]
    .filter((interrupts) => interrupts.length > 1)
    .map((interrupts) => {
      const [first] = interrupts;
      return { label: `${allOf(interrupts)} ${first === undefined ? '' : namesOf(first)}`, interrupts };
    });
}

function allOf({ length }: readonly Interrupt[]): string {
  return length === 2 ? 'both' : `all ${length}`;
}

function namesOf({ kind, source }: Interrupt): string {
  if (source.type === 'tool' && source.name === 'run_command') return 'commands';
  return `${kind === 'confirmation' ? 'calls' : 'questions'} of ${subjectOfSource(source)}`;
}

/** Returns actions that need no further input. */
function plainChoices(interrupt: Interrupt): readonly KeyChoice<Resolution>[] {
  const isWanted = passedOn(interrupt) !== undefined;
  return plainWays(interrupt).flatMap((way): KeyChoice<Resolution>[] => {
    if (isWanted && way.action === 'restart') return [];
    if (way.takes === 'nothing') return [{ key: way.key, label: way.label, value: way.make(undefined) }];
    return way.takes === 'reason' ? [{ key: way.key, label: way.label, value: way.make('') }] : [];
  });
}

/** Shows every item of a group in full, then asks for one answer for all; Esc goes back. */
export async function askAlike(
  prompter: Prompter,
  group: Alike,
  state: RunState,
): Promise<Asked<Resolution>> {
  const { terminal, theme, clock } = prompter;
  const { interrupts } = group;
  const makeRows = (columns: number) =>
    interrupts.flatMap((interrupt) => {
      const view = questionView(interrupt, state, { open: interrupts, now: clock.now(), limits: null });
      return [...wholeRows(view, columns, theme), ''];
    });
  // Every item is seen before any is answered.
  const rows = makeRows(terminal.columns);
  const fits = rows.length <= terminal.rows - 4 && shownWhole(rows, terminal.columns) === rows.length;
  if (!fits && !(await viewWhole(prompter, makeRows))) return BACK;
  // What is decided on stands above the keys, in full or by its names.
  const asking = saying(prompter, ({ columns }) =>
    fits ? makeRows(columns) : interrupts.map((interrupt) => `  ${oneLineOf(interrupt, columns - 4)}`),
  );
  const [first] = interrupts;
  if (first === undefined) return BACK;
  const choices = plainChoices(first).map(({ label, ...choice }) => ({
    ...choice,
    label: `${label} ${allOf(interrupts)}`,
  }));
  const message =
    first.kind === 'confirmation' ? `Approve ${group.label}?` : `Your decision for ${group.label}:`;
  const asked = await askKey(asking, { message, choices });
  return asked.type === 'back' ? BACK : answered(asked.value);
}
