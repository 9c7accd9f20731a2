#!/usr/bin/env node
import { homeHere, keepCompiledCode } from '../commands/host/index.js';
import { main } from '../commands/program/main.js';

// Until the program says otherwise: with nothing left to wait for and no end, Node itself would say the same.
process.exitCode = 13;
keepCompiledCode({ env: process.env, home: homeHere() });
void main(process.argv.slice(2)).then((status) => {
  process.exitCode = status;
});
