import { appendFile, readFile } from 'node:fs/promises';
import type { JsonValue, NodeResult } from 'hitl';
import { defineTool } from 'hitl';
import * as z from 'zod';

/** What was done to the services: a file, so that this runs without any. */
const log = process.env['OPS_LOG'] ?? 'ops.log';

const service = z.object({ service: z.string() });

/** A service that is sick until its last release is rolled back; restarting it does not help. */
const checkService = defineTool(
  {
    name: 'check_service',
    description: 'Says how a service does. Changes nothing.',
    input: service,
    effect: 'none',
  },
  async ({ service: name }) => {
    const done = await readFile(log, 'utf8').catch(() => '');
    return { service: name, healthy: done.split('\n').includes(`roll back ${name}`) };
  },
);

const restartService = defineTool(
  {
    name: 'restart_service',
    description: 'Restarts a service. Whoever uses it is cut off.',
    input: service,
    needsApproval: true,
  },
  async ({ service: name }) => {
    await appendFile(log, `restart ${name}\n`);
    return `restarted ${name}`;
  },
);

const rollBack = defineTool(
  {
    name: 'roll_back',
    description: 'Puts the release before the last one in its place.',
    input: service,
    needsApproval: true,
  },
  async ({ service: name }) => {
    await appendFile(log, `roll back ${name}\n`);
    return `rolled back ${name}`;
  },
);

type State = Readonly<Record<string, JsonValue>>;

const asText = (value: JsonValue | undefined): string => (typeof value === 'string' ? value : '');

export const tools = [checkService, restartService, rollBack];

export const functions = {
  wait: (): NodeResult => ({ output: 'waited' }),
  /** A choice leaves its output under the name of what was chosen. */
  close: ({ input, roll_back: rolledBack, restart }: State): NodeResult => ({
    output: `${asText(input)} is well again: ${asText(rolledBack ?? restart ?? 'nothing was done')}`,
  }),
};
