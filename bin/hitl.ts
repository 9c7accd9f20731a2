#!/usr/bin/env node
import module from 'node:module';
import { version } from '../commands/version.js';

// Until the program says otherwise: with nothing left to wait for and no end, Node itself would say the same.
process.exitCode = 13;
void start(process.argv.slice(2)).then((status) => {
  process.exitCode = status;
});

/** What is asked most is answered with the least: the version without any command, a list without the others. */
async function start(words: readonly string[]): Promise<number> {
  const [word = '', ...more] = words;
  if (more.length === 0 && (word === '--version' || word === '-V')) {
    process.stdout.write(`${version()}\n`);
    return 0;
  }
  enableCompileCache();
  if (word === 'list' || word === 'ls') {
    const { quickList } = await import('../commands/quick-list.js');
    const status = await quickList(more);
    if (status !== undefined) return status;
  }
  const { main } = await import('../commands/main.js');
  return main(words);
}

/** Node 22 and later keep compiled code between starts; Node 20 has no such function. */
function enableCompileCache(): void {
  const enable: unknown = Reflect.get(module, 'enableCompileCache');
  if (typeof enable === 'function') Reflect.apply(enable, module, []);
}
