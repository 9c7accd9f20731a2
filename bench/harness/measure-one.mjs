// Runs inside the fresh process: loads one contender, measures, and tells its numbers on descriptor 3, a line each time.
// The last line counts; a contender that takes long tells how far it is, for the case that it is stopped.
import { writeSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

import { bench } from './places.mjs';

function tell(numbers) {
  const peakMb = process.resourceUsage().maxRSS / 1024;
  writeSync(3, `${JSON.stringify({ peakMb, ...numbers })}\n`);
}

const [module, params] = process.argv.slice(2);
const { measure } = await import(pathToFileURL(path.join(bench, 'contenders', module)).href);
tell(await measure(JSON.parse(params), tell));
process.exit(0);
