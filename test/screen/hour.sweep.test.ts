// An hour of coding in a minute: the built program on a git repository at 80x24, a played model that makes 60 calls, and a
// person who does everything that one can do there. Then the scrollback is read.
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import type { IPty } from '@lydell/node-pty';
import { spawn } from '@lydell/node-pty';
import xterm from '@xterm/headless';
import { expect, test } from 'vitest';

import type { SessionEvent } from '../../src/core/index.js';
import type { ScriptReply } from '../../src/models/script-reply.js';
import { Home, PROGRAM } from '../helpers/program.js';
import { payModule, scriptModel } from '../helpers/tool-module.js';
import { faultsOf, requestsIn } from './scrollback.js';

const SIZE = { cols: 80, rows: 24 };
const PATIENCE_MS = 20_000;
/** A key counts from here on after a question was drawn. */
const ARMED_MS = 420;
/** The row of what is waited for. */
const SPINS = /^[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏] /u;
/** What is said to a key that came earlier. */
const TOO_SOON = /^(?:Ignored: too soon|Not sent)/u;
/** A screen on which nothing changed for so long is drawn. */
const STILL_MS = 60;
const [ENTER, ESC, TAB, SHIFT_TAB, CTRL_O] = ['\r', '\u001b', '\t', '\u001b[Z', '\u000f'];

/** One terminal in which programs run one after the other. */
class Shell implements Disposable {
  readonly #screen = new xterm.Terminal({ ...SIZE, allowProposedApi: true, scrollback: 5000 });
  readonly #home: Home;
  #pty: IPty | undefined;
  #ended: Promise<void> = Promise.resolve();
  #changedAt = Date.now();

  constructor(home: Home) {
    this.#home = home;
  }

  /** Starts the program below what is there, as a shell does. */
  start(...args: readonly string[]): void {
    this.#screen.write(`\r\u001b[J$ hitl ${args[0] ?? ''}\r\n`);
    const env = { ...this.#home.env, NO_COLOR: '1' };
    const pty = spawn(process.execPath, [PROGRAM, ...args], { ...SIZE, cwd: this.#home.work, env });
    pty.onData((data) => {
      this.#screen.write(data, () => {
        this.#changedAt = Date.now();
      });
    });
    this.#ended = new Promise((resolve) => {
      pty.onExit(() => {
        resolve();
      });
    });
    this.#pty = pty;
  }

  /** All rows, and those that a person sees now. */
  get rows(): readonly string[] {
    const { active } = this.#screen.buffer;
    return Array.from(
      { length: active.length },
      (_, row) => active.getLine(row)?.translateToString(true).trimEnd() ?? '',
    );
  }

  get view(): readonly string[] {
    const { active } = this.#screen.buffer;
    return this.rows.slice(active.baseY).slice(0, this.#screen.rows);
  }

  /** Waits until the view shows it, and stands still. */
  async until(shows: string | ((view: readonly string[]) => boolean)): Promise<void> {
    const isThere = () =>
      typeof shows === 'string' ? this.view.some((row) => row.includes(shows)) : shows(this.view);
    const end = Date.now() + PATIENCE_MS;
    while (!isThere() || Date.now() - this.#changedAt < STILL_MS) {
      if (Date.now() > end) throw new Error(`did not see ${String(shows)} on:\n${this.rows.join('\n')}`);
      await sleep(10);
    }
  }

  /** Waits for the question about a call alone, or for the list with it, until a key counts there. */
  async asked(tag: string, where: 'alone' | 'listed' = 'alone'): Promise<void> {
    await this.until((view) => {
      const last = view.findLast((row) => row !== '') ?? '';
      const isListed = view.some((row) => row.includes('one at a time'));
      return (
        isListed === (where === 'listed') &&
        view.some((row) => /^[┃ ]/u.test(row) && row.includes(tag)) &&
        /[?:]$|Esc (?:back|more|for more)$/u.test(last)
      );
    });
    await sleep(ARMED_MS);
  }

  /** Waits for an empty prompt, below what the program before this one may have left. */
  async prompted(): Promise<void> {
    await this.until((view) => {
      const own = view.slice(view.findLastIndex((row) => row.startsWith('$ hitl')) + 1);
      return own.includes('>') && !own.some((row) => SPINS.test(row));
    });
  }

  /** Presses keys one by one; again, where a busy machine drew the question later than it was waited for. */
  async press(...keys: readonly string[]): Promise<void> {
    for (const [at, key] of keys.entries()) {
      if (at > 0) await sleep(ARMED_MS);
      for (let tries = 0; tries < 4; tries += 1) {
        this.#pty?.write(key);
        await sleep(STILL_MS);
        if (!this.view.some((row) => TOO_SOON.test(row))) break;
        await sleep(ARMED_MS);
      }
    }
  }

  async type(text: string): Promise<void> {
    for (const letter of text) {
      this.#pty?.write(letter);
      await sleep(3);
    }
  }

  /** Types at the prompt, and sends. */
  async say(text: string): Promise<void> {
    await this.prompted();
    await this.type(text);
    await this.press('', ENTER);
  }

  /** Waits for a line of words at a question, types them and sends them. */
  async answer(prompt: string, text: string): Promise<void> {
    await this.until((view) => view.some((row) => row.startsWith(prompt)));
    await sleep(ARMED_MS);
    await this.type(text);
    await sleep(ARMED_MS);
    await this.press(ENTER);
  }

  async resize(cols: number, rows: number): Promise<void> {
    this.#screen.resize(cols, rows);
    this.#pty?.resize(cols, rows);
    await sleep(100);
  }

  async kill(): Promise<void> {
    this.#pty?.kill('SIGKILL');
    await this.#ended;
  }

  async end(): Promise<void> {
    await this.prompted();
    await this.press('\u0004');
    await this.#ended;
    await sleep(STILL_MS);
  }

  [Symbol.dispose](): void {
    try {
      this.#pty?.kill('SIGKILL');
    } catch {
      // It has ended.
    }
  }
}

/** The calls that the model makes, each with a tag that stands nowhere else. */
const read = (tag: string) => ({ name: 'read_file', input: { path: `${tag}.js` } });
const sh = (tag: string, program = 'ok') => ({
  name: 'run_command',
  input: { writes: true, command: `sh ${program}.sh ${tag}` },
});
const edit = (tag: string, count = 1) => ({
  name: 'edit_file',
  input: {
    path: `${tag}.js`,
    oldText: `const ${tag} = 2;\n`,
    newText: Array.from({ length: count }, (_, at) => `const ${tag} = ${at + 20};\n`).join(''),
  },
});
const write = (path: string, tag: string, count: number) => ({
  name: 'write_file',
  input: { path, content: Array.from({ length: count }, (_, at) => `${tag} line ${at}\n`).join('') },
});
const ask = (question: string, ...choices: readonly string[]) => ({
  name: 'ask_user',
  input: { question, ...(choices.length > 0 && { choices }) },
});
const pay = (tag: string) => ({ name: 'pay', input: { to: tag, amount: 5 } });

const REPLIES: readonly ScriptReply[] = [
  // Looking around: six files in a row, a plan, a list and a search.
  { text: 'I look at the files first.', tools: ['k01', 'k02', 'k03', 'k04', 'k05', 'k06'].map(read) },
  {
    tools: [
      { name: 'todo', input: { items: [{ text: 'look at k07', state: 'doing' }, { text: 'change it' }] } },
    ],
  },
  {
    tools: [
      { name: 'list_files', input: { path: 'k08' } },
      { name: 'search_files', input: { pattern: 'const k09' } },
    ],
  },
  { text: 'I have seen the files.' },
  // Edits: one, two at once, one rejected, one changed, one with words, a new file, a long one.
  { text: 'Now I change them.', tools: [edit('k10')] },
  { tools: [edit('k11'), edit('k12')] },
  { tools: [edit('k13')] },
  { tools: [edit('k14')] },
  { tools: [edit('k15')] },
  { tools: [write('k16.md', 'k16', 11)] },
  { tools: [write('k17.md', 'k17', 60)] },
  { text: 'The files are changed.' },
  // Commands: a long log, a failure, both of two, one of two, one that is stopped.
  { tools: [sh('k18', 'many')] },
  { tools: [sh('k19', 'fail')] },
  { text: 'Two more.', tools: [sh('k20'), sh('k21', 'many')] },
  { tools: [sh('k22', 'fail'), sh('k23')] },
  { tools: [sh('k24', 'slow')] },
  // After the stop: a command that is changed, one that is cancelled, one whose result is given, three questions.
  { text: 'I go on.', tools: [sh('k25')] },
  { tools: [sh('k26')] },
  { tools: [sh('k27')] },
  { tools: [ask('Which one is k28?', 'red', 'green', 'blue')] },
  { tools: [ask('What is k29 called?')] },
  { tools: [ask('Which one is k30?', 'left', 'right')] },
  { tools: [read('k31'), edit('k32'), read('k33')] },
  { text: 'That was the first half.' },
  // Edits that are taken unasked, and what asks beside them.
  { tools: [edit('k34'), edit('k35', 30), sh('k36')] },
  { text: 'Taken.' },
  // A question that is put aside, one with a resize, a rule for a command.
  { tools: [sh('k37')] },
  { text: 'That waited.' },
  { text: 'Heard.', tools: [edit('k38')] },
  { tools: [pay('k39')] },
  { tools: [pay('k40')] },
  { tools: [sh('k41')] },
  { text: 'Half of it is left.' },
  // Killed while a command runs; after that one does not know what became of it.
  { tools: [sh('k42', 'slow')] },
  { text: 'It was ended.' },
  { tools: [sh('k43')] },
  // Several in a reply, decided in another order.
  { tools: [sh('k44'), edit('k45'), sh('k46', 'fail')] },
  { tools: [read('k47'), sh('k48'), read('k49')] },
  { text: 'And the rest.', tools: [sh('k50', 'many'), sh('k51'), sh('k52', 'fail'), sh('k53')] },
  { tools: [edit('k54'), sh('k55')] },
  { tools: [{ name: 'read_file', input: { path: 'not-there-k56.js' } }] },
  { tools: [write('k57.md', 'k57', 3), write('k58.md', 'k58', 3)] },
  { tools: [edit('k59', 3)] },
  { tools: [sh('k60')] },
  { text: 'That is all.' },
];

const PROGRAMS = {
  ok: 'echo "$1 is done"',
  fail: 'echo "$1 begins"; echo "$1 fails" >&2; exit 3',
  many: 'for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do echo "$1 prints $i"; done; echo; echo "$1 sums up"',
  slow: 'for i in 1 2 3 4 5 6; do echo "$1 prints $i"; done; sleep 15',
};

/** A repository with the files that the model reads and edits, and the programs that it runs. */
function prepare(work: string): void {
  mkdirSync(join(work, 'k08'));
  writeFileSync(join(work, 'k08/inside.txt'), 'x\n');
  for (let at = 1; at <= 60; at += 1) {
    const tag = `k${String(at).padStart(2, '0')}`;
    writeFileSync(join(work, `${tag}.js`), `// ${tag}\nconst ${tag} = 2;\n// the end\n`);
  }
  for (const [name, text] of Object.entries(PROGRAMS)) writeFileSync(join(work, `${name}.sh`), `${text}\n`);
  const git = (...args: readonly string[]) =>
    execFileSync('git', ['-c', 'user.name=ann', '-c', 'user.email=ann@example.com', ...args], { cwd: work });
  git('init', '--quiet', '--initial-branch=main');
  git('add', '.');
  git('commit', '--quiet', '--message', 'begin');
}

/** What a person does in an hour. */
async function work(shell: Shell): Promise<void> {
  const yes = async (tag: string, ...keys: readonly string[]): Promise<void> => {
    await shell.asked(tag);
    await shell.press(...keys, 'y');
  };
  await shell.say('look around');
  await shell.say('change the files');
  await yes('k10');
  await shell.asked('k12', 'listed');
  await shell.press('Y');
  await shell.asked('k13');
  await shell.press('n');
  await shell.answer('why not:', 'leave it');
  await shell.asked('k14');
  await shell.press('e');
  await shell.until('Enter shows the change');
  await shell.type('// mine');
  await shell.press('', ENTER);
  await shell.until('change again');
  await sleep(ARMED_MS);
  await shell.press('y');
  await shell.asked('k15');
  await shell.press(TAB);
  await shell.answer('yes, and:', 'use tabs');
  await yes('k16');
  await yes('k17', ' ', ' ', ' ', ' ');

  await shell.say('run the commands');
  await yes('k18');
  await yes('k19');
  await shell.asked('k21', 'listed');
  await shell.press('Y');
  await shell.asked('k23', 'listed');
  await shell.press('1');
  await yes('k22');
  await shell.asked('k23');
  await shell.press('n');
  await shell.answer('why not:', 'not now');
  await yes('k24');
  await shell.until('k24 prints 6');
  await shell.press(ESC);
  await shell.until('[stopped]');

  await shell.say('go on');
  await shell.asked('k25');
  await shell.press('e');
  await shell.until('Enter shows the change');
  await shell.type(' again');
  await shell.press('', ENTER);
  await shell.until('change again');
  await sleep(ARMED_MS);
  await shell.press('y');
  await shell.asked('k26');
  await shell.press('c');
  await shell.asked('k27');
  await shell.press('a');
  await shell.answer('answer', 'it went well');
  await shell.asked('k28');
  await shell.press('2');
  await shell.answer('answer:', 'the shop');
  await shell.asked('k30');
  await shell.press('4');
  await shell.answer('say:', 'what is the difference?');
  await yes('k32');

  await shell.prompted();
  await shell.press(SHIFT_TAB);
  await shell.until('accept-edits ·');
  await shell.say('take these');
  await yes('k36');
  await shell.prompted();
  await shell.press(SHIFT_TAB);
  await shell.until('read-only ·');
  await shell.press(SHIFT_TAB);
  await shell.until((view) => view.some((row) => row.startsWith('ask ·')));

  await shell.say('one that waits');
  await shell.asked('k37');
  await shell.press(ESC);
  await shell.until('1 question waiting');
  await shell.type('and then this');
  await shell.press('', ENTER);
  await shell.until('queued  and then this');
  await shell.press(CTRL_O);
  await shell.until('q back');
  await shell.press('', 'q');
  await shell.until('1 question waiting');
  await shell.press(TAB);
  await yes('k37');
  await shell.asked('k38');
  await shell.resize(100, 30);
  await shell.resize(SIZE.cols, SIZE.rows);
  await yes('k38');
  await shell.asked('k39');
  await shell.press('w', 't', 't');
  await shell.asked('k41');
  await yes('k41');

  await shell.say('one that is killed');
  await yes('k42');
  await shell.until('k42 prints 6');
  await shell.kill();
  shell.start('resume', '--last');
  await shell.asked('k42');
  await shell.press('n');
  await shell.answer('why not:', 'it was killed');

  await shell.say('the rest');
  await yes('k43');
  await shell.asked('k46', 'listed');
  await shell.press('3');
  await yes('k46');
  await shell.asked('k45', 'listed');
  await shell.press('2');
  await shell.asked('k45');
  await shell.press('n');
  await shell.answer('why not:', 'no');
  await yes('k44');
  await yes('k48');
  await shell.asked('k53', 'listed');
  await shell.press('Y');
  await shell.asked('k55', 'listed');
  await shell.press('2');
  await yes('k55');
  await yes('k54');
  await shell.asked('k58', 'listed');
  await shell.press('Y');
  await yes('k59');
  await yes('k60');
  await shell.until('That is all.');
  await shell.end();
}

/** Without what a killed program leaves: rows that it would have drawn again. */
function withoutKilled(rows: readonly string[]): readonly string[] {
  const next = rows.indexOf('$ hitl resume');
  const from = rows.slice(0, next).findLastIndex((row) => SPINS.test(row));
  return [...rows.slice(0, from), ...rows.slice(next)];
}

test.skipIf(process.platform === 'win32')(
  'after 60 calls nothing stands in the scrollback twice, stale, or below the line of another call',
  async () => {
    using home = new Home();
    prepare(home.work);
    const { module } = payModule(home, { members: 'needsApproval: true,' });
    using shell = new Shell(home);
    const model = scriptModel(home, REPLIES);
    shell.start('chat', '--model', model, '--sandbox', 'off', '-t', module);
    await work(shell);
    const journal = home.events() as unknown as readonly SessionEvent[];
    const rows = withoutKilled(shell.rows);
    expect(journal.flatMap(requestsIn)).toHaveLength(60);
    const faults = faultsOf(rows, journal);
    expect({ faults, rows: faults.length === 0 ? [] : rows }).toEqual({ faults: [], rows: [] });
  },
);
