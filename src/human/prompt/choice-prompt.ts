import { createPrompt, useEffect, useKeypress, usePagination, useState } from '@inquirer/core';

import { columnsOf, wrapShown } from '../../core/index.js';
import type { TerminalTheme } from '../device/index.js';
import type { Asked, Prompter } from './prompter.js';
import type { Subscribe } from './run-prompt.js';
import { runPrompt } from './run-prompt.js';

/** One row to choose; `label` and `description` are safe for a terminal. */
export interface ChoiceRow {
  readonly label: string;
  readonly description?: string;
}

export interface ChoiceQuestion {
  readonly message: string;
  readonly rows: readonly ChoiceRow[];
  /** Several may be taken: Space marks them. */
  readonly multiple: boolean;
  /** What Esc does, in the product's own words; not offered where absent. */
  readonly escape?: string;
  /** Writes what is asked about again, after the screen was lost. */
  readonly above?: () => void;
}

interface ChoicePromptConfig {
  readonly question: ChoiceQuestion;
  readonly theme: TerminalTheme;
  readonly subscribe: Subscribe;
  readonly size: () => { readonly columns: number; readonly rows: number };
}

const NONE = -1;
/** Rows of the screen that are not for choices: the message, the hint, and what is asked above. */
const OTHER_ROWS = 8;
const LABEL_ROWS = 5;

/** The number that digits typed one after the other make, where there are so many rows; else the last digit. */
function numberTyped(before: string, digit: string, count: number): string {
  const both = before + digit;
  return Number(both) >= 1 && Number(both) <= count ? both : digit;
}

interface Marks {
  readonly active: number;
  readonly taken: ReadonlySet<number>;
}

function rowText(config: ChoicePromptConfig, index: number, { active, taken }: Marks): string {
  const { question, theme, size } = config;
  const row = question.rows[index];
  const box = question.multiple ? (taken.has(index) ? '[x] ' : '[ ] ') : '';
  const description = row?.description === undefined ? '' : ` – ${row.description}`;
  const width = Math.max(8, size().columns - 2);
  const start = `${index === active ? '❯' : ' '} ${box}${index + 1} `;
  const indent = columnsOf(start);
  const text = folded(wrapShown(`${row?.label ?? ''}${description}`, width - indent)).join(
    `\n${' '.repeat(indent)}`,
  );
  return index === active ? `${theme.key(start)}${text}` : `${start}${text}`;
}

/** A label of many rows keeps the others from being seen: its middle is counted instead. */
function folded(rows: readonly string[]): readonly string[] {
  if (rows.length <= LABEL_ROWS) return rows;
  const hidden = rows.slice(LABEL_ROWS - 2, -1);
  const characters = hidden.reduce((sum, row) => sum + row.length, 0);
  return [
    ...rows.slice(0, LABEL_ROWS - 2),
    `⋯ ${characters} characters hidden: Esc, then v ⋯`,
    ...rows.slice(-1),
  ];
}

/** What Enter answers with: `undefined` where nothing was chosen. */
function chosen(multiple: boolean, { active, taken }: Marks): readonly number[] | undefined {
  if (multiple) return taken.size > 0 ? [...taken].sort((left, right) => left - right) : undefined;
  return active === NONE ? undefined : [active];
}

function toggled(taken: ReadonlySet<number>, index: number): ReadonlySet<number> {
  const next = new Set(taken);
  if (!next.delete(index)) next.add(index);
  return next;
}

/** Choices by number or arrows; nothing is chosen at first, so that Enter alone takes nothing. */
const choicePrompt = createPrompt<readonly number[], ChoicePromptConfig>((config, done) => {
  const { question, theme, subscribe, size } = config;
  const { rows, multiple } = question;
  const [active, setActive] = useState(NONE);
  const [taken, setTaken] = useState<ReadonlySet<number>>(new Set());
  const [digits, setDigits] = useState('');
  const [note, setNote] = useState('');
  const [, setDrawn] = useState(0);
  useEffect(
    () =>
      subscribe((news) => {
        if (news.type === 'resized') setDrawn((count) => count + 1);
      }),
    [],
  );
  useKeypress((key, readline) => {
    readline.clearLine(0);
    setNote('');
    if (/^\d$/.test(key.name)) {
      const typed = numberTyped(digits, key.name, rows.length);
      setDigits(typed);
      if (Number(typed) >= 1 && Number(typed) <= rows.length) setActive(Number(typed) - 1);
      else setNote(`choose 1 to ${rows.length}`);
      return;
    }
    setDigits('');
    if (key.name === 'up') setActive(active <= 0 ? rows.length - 1 : active - 1);
    else if (key.name === 'down') setActive(active === rows.length - 1 ? 0 : active + 1);
    else if (key.name === 'space' && multiple && active !== NONE) setTaken(toggled(taken, active));
    else if (key.name === 'return') {
      const answer = chosen(multiple, { active, taken });
      if (answer !== undefined) done(answer);
      else setNote(multiple ? 'mark at least one with Space' : 'choose one by its number or with the arrows');
    }
  });
  const page = usePagination({
    items: rows,
    active: Math.max(0, active),
    pageSize: Math.max(3, size().rows - OTHER_ROWS),
    loop: false,
    renderItem: ({ index }) => rowText(config, index, { active, taken }),
  });
  const escape = question.escape === undefined ? '' : ` · Esc ${question.escape}`;
  const keys = `${multiple ? 'number or ↑↓, Space marks, Enter sends' : 'number or ↑↓, then Enter'}${escape}`;
  return `${page}\n${theme.dim(note === '' ? keys : note)}\n${theme.title(question.message)} ${digits}`;
});

/** Asks for one row, or several; resolves with their indices. */
export async function askChoice(
  prompter: Prompter,
  question: ChoiceQuestion,
): Promise<Asked<readonly number[]>> {
  const { terminal, theme } = prompter;
  const { above } = question;
  return runPrompt(
    prompter,
    choicePrompt,
    (subscribe) => ({
      question,
      theme,
      subscribe,
      size: () => ({ columns: terminal.columns, rows: terminal.rows }),
    }),
    { ...(above && { above }), decides: (key) => key.name === 'enter' },
  );
}
