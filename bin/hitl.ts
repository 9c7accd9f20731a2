#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import module from 'node:module';

/** Written in by the build; absent when run from source. */
declare const HITL_VERSION: string | undefined;

const argv = process.argv.slice(2);

// Answered here, so that asking for the version loads no command.
if (argv.length === 1 && (argv[0] === '--version' || argv[0] === '-V')) {
  process.stdout.write(`${typeof HITL_VERSION === 'string' ? HITL_VERSION : versionOfSource()}\n`);
} else {
  enableCompileCache();
  const { main } = await import('../commands/main.js');
  process.exitCode = await main(argv);
}

function versionOfSource(): string {
  const text = readFileSync(new URL('../package.json', import.meta.url), 'utf8');
  return /"version": "([^"]+)"/.exec(text)?.[1] ?? 'unknown';
}

/** Node 22 and later keep compiled code between starts; Node 20 has no such function. */
function enableCompileCache(): void {
  const enable: unknown = Reflect.get(module, 'enableCompileCache');
  if (typeof enable === 'function') Reflect.apply(enable, module, []);
}
