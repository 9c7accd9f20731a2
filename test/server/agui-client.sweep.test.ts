import { describe, expect, test } from 'vitest';
import * as z from 'zod';

import { isInstalled } from '../../scripts/tools.mjs';
import { defineTool, openStore } from '../../src/index.js';
import { createServer, listen, loopbackHosts } from '../../src/server/index.js';
import { scriptedModel } from '../../src/testing/index.js';
import { TOKEN } from './server-harness.js';

const isHere = isInstalled();

describe.skipIf(!isHere)('the client of AG-UI as it is shipped (`npm run tools` installs it)', () => {
  test('pauses, goes on from another object, and is refused the second answer', async () => {
    const { HttpAgent } = await import('../../tools/agui/client.mjs');
    const transfer = defineTool(
      {
        name: 'transfer',
        description: 'Transfers.',
        input: z.object({ amount: z.number() }),
        needsApproval: true,
      },
      ({ amount }) => `sent ${amount}`,
    );
    const model = scriptedModel([{ tools: [{ name: 'transfer', input: { amount: 5 } }] }, 'It is done.']);
    const access = { type: 'link', token: TOKEN, name: 'ann' } as const;
    const server = await listen((port) =>
      createServer({
        store: openStore(),
        access,
        port,
        hosts: loopbackHosts(port),
        agent: { model, tools: [transfer] },
      }),
    );
    try {
      const client = () =>
        new HttpAgent({
          url: `http://127.0.0.1:${server.port}/agui`,
          headers: { authorization: `Bearer ${TOKEN}` },
          threadId: 'thread',
          initialMessages: [{ id: 'u1', role: 'user', content: 'Pay 5' }],
        });
      const first = client();
      await first.runAgent({});
      const [question] = first.pendingInterrupts;
      expect(question).toMatchObject({ id: 'i1', reason: 'confirmation' });
      const payload = { digest: question?.metadata?.['digest'], answer: 'y' };
      const resume = [{ interruptId: 'i1', status: 'resolved' as const, payload }];
      const second = client();
      await second.runAgent({ resume });
      expect(second.pendingInterrupts).toEqual([]);
      expect(second.messages.map(({ content }) => content)).toEqual(['Pay 5', 'sent 5', 'It is done.']);
      const errors: string[] = [];
      const third = client();
      await third
        .runAgent({ resume }, { onRunErrorEvent: ({ event }) => void errors.push(String(event.code)) })
        .catch(() => undefined);
      expect(errors).toEqual(['ALREADY_ANSWERED']);
    } finally {
      await server.close();
    }
  });
});
