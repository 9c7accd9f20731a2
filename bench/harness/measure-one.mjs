// Runs inside the fresh process: loads one contender, measures, and answers on descriptor 3.
import { writeSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

import { bench } from './places.mjs';

const [module, params] = process.argv.slice(2);
const { measure } = await import(pathToFileURL(path.join(bench, 'contenders', module)).href);
const numbers = await measure(JSON.parse(params));
const peakMb = process.resourceUsage().maxRSS / 1024;
writeSync(3, JSON.stringify({ ...numbers, peakMb: numbers.peakMb ?? peakMb }));
process.exit(0);
