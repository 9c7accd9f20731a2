// What the service of the test and those who ask it have in common: an agent that pays, once a person agreed.
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import * as z from 'zod';
import { defineTool } from '../../src/index.js';
import type { ChatOptions } from '../../src/index.js';
import { scriptedModel } from '../../src/testing/index.js';

/** The agent of one session. A payment takes long enough for a death to hit it; each is a line of a file. */
export function payingAgent(folder: string, id: string): Pick<ChatOptions, 'model' | 'tools'> {
  const pay = defineTool(
    { name: 'pay', description: 'Pays.', input: z.object({ to: z.string() }), needsApproval: true },
    async ({ to }) => {
      await sleep(10);
      appendFileSync(effectsFile(folder), `${to}\n`);
      await sleep(20);
      return { paid: true };
    },
  );
  const model = scriptedModel([{ tools: [{ name: 'pay', input: { to: id } }] }, { text: 'paid' }]);
  return { model, tools: [pay] };
}

/** The number of payments of each session. */
export function payments(folder: string): ReadonlyMap<string, number> {
  const file = effectsFile(folder);
  const counts = new Map<string, number>();
  const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n') : [];
  for (const line of lines) if (line !== '') counts.set(line, (counts.get(line) ?? 0) + 1);
  return counts;
}

function effectsFile(folder: string): string {
  return path.join(folder, 'effects');
}

/** The folder of the sessions. */
export function storeFolder(folder: string): string {
  return path.join(folder, 'sessions');
}
