#!/usr/bin/env node
import { watchOutputs } from '../commands/host/outputs.js';
import { keepCompiledCode } from '../commands/host/compiled/index.js';
import { homeHere } from '../commands/host/home.js';
import { HELP_COLUMNS, helpColumns } from '../commands/help/help-columns.js';
import { version } from '../commands/host/version.js';

/** Written in by the build, as the whole program says it; absent when run from source. */
declare const HITL_HELP: string | undefined;

// Until the program says otherwise: with nothing left to wait for and no end, Node itself would say the same.
process.exitCode = 13;
void start(process.argv.slice(2)).then((status) => {
  process.exitCode = status;
});

/** Answers what is asked most with the least: version and help without any command, a list without the others. */
async function start(words: readonly string[]): Promise<number> {
  const [word = '--help', ...more] = words;
  const isFirst = words.length === 0 && process.stdin.isTTY && process.stdout.isTTY;
  const text = more.length > 0 || isFirst ? undefined : shortAnswer(word);
  if (text !== undefined) {
    const outputs = watchOutputs(process);
    outputs.watch('stdout');
    process.stdout.write(text);
    return await outputs.judged(0);
  }
  keepCompiledCode({ env: process.env, home: homeHere() }, word);
  if (word === 'list' || word === 'ls') {
    const { quickList } = await import('../commands/program/quick-list.js');
    const status = await quickList(more);
    if (status !== undefined) return status;
  }
  const { main } = await import('../commands/program/main.js');
  return main(words);
}

/** Gives the answer that is known before anything is loaded; `undefined` where there is none. */
function shortAnswer(word: string): string | undefined {
  if (word === '--version' || word === '-V') return `${version()}\n`;
  if ((word !== '--help' && word !== '-h') || helpColumns(process.stdout) !== HELP_COLUMNS) return undefined;
  return typeof HITL_HELP === 'string' ? HITL_HELP : undefined;
}
