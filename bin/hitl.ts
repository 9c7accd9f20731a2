#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import module from 'node:module';

/** Written in by the build; absent when run from source. */
declare const HITL_VERSION: string | undefined;

function versionFromPackage(): string {
  return /"version": "([^"]+)"/.exec(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))?.[1] ?? '';
}

const argv = process.argv.slice(2);

if (argv.length === 1 && (argv[0] === '--version' || argv[0] === '-V')) {
  process.stdout.write(`${typeof HITL_VERSION === 'string' ? HITL_VERSION : versionFromPackage()}\n`);
} else {
  if ('enableCompileCache' in module && typeof module.enableCompileCache === 'function') module.enableCompileCache();
  const { main } = await import('../commands/main.js');
  process.exitCode = await main(argv);
}
