import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { networkInterfaces } from 'node:os';

import { describe, expect, onTestFinished, test } from 'vitest';

import { AppendList, isLoopbackHost, textPart } from '../../src/core/index.js';
import { createModel } from '../../src/models/index.js';
import { mailChannel } from '../../src/outgoing/index.js';
import { systemClock } from '../../src/library/system-clock.js';
import { runningServers } from '../helpers/everything.js';

const HINT =
  'use an encrypted connection, or allow it: --allow-http, or `"allowHttp": true` in the configuration';

test.each([
  ['localhost', true],
  ['a.localhost', true],
  ['127.0.0.1', true],
  ['127.9.9.9', true],
  ['[::1]', true],
  ['::1', true],
  ['0.0.0.0', false],
  ['localhost.example.org', false],
  ['127.0.0.1.example.org', false],
  ['10.0.0.1', false],
  ['', false],
])('%s is this machine: %s', (host, isHere) => {
  expect(isLoopbackHost(host)).toBe(isHere);
});

/** An address of this machine that is not its loopback. */
const OWN = Object.values(networkInterfaces())
  .flatMap((all) => all ?? [])
  .find(({ internal, family }) => !internal && family === 'IPv4')?.address;

async function listening(): Promise<{ readonly url: string; readonly seen: string[] }> {
  const seen: string[] = [];
  const server = createServer((request, response) => {
    seen.push(String(request.headers.authorization));
    response.writeHead(404).end();
  });
  server.listen(0, '0.0.0.0');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://${OWN ?? ''}:${(server.address() as AddressInfo).port}`, seen };
}

describe('F10: a key in the clear', () => {
  /** A provider package that takes its address from the environment, as `@ai-sdk/openai` does. */
  const packageAt = (address: string) => () => {
    const make = (options: { readonly fetch?: typeof fetch } = {}) => {
      const provider = () => undefined;
      provider.languageModel = () => ({
        ...{ specificationVersion: 'v4', provider: 'p', modelId: 'm', supportedUrls: {} },
        doStream: async () => {
          await options.fetch!(`${address}/chat`, { headers: { authorization: 'Bearer sk-secret' } });
          throw new Error('answered');
        },
      });
      return provider;
    };
    return Promise.resolve({ createOpen: make, open: make() });
  };
  const ask = async (address: string, allowHttp: boolean): Promise<unknown> => {
    const options = { clock: systemClock, loadPackage: packageAt(address), allowHttp };
    const model = await createModel('ai-sdk:@p/open/m', options);
    try {
      const messages = AppendList.of([{ role: 'user' as const, content: [textPart('go')] }]);
      const request = { messages, tools: [] };
      for await (const _piece of model.generate(request, AbortSignal.timeout(2_000)));
      return 'answered';
    } catch (thrown) {
      return thrown;
    }
  };

  test.skipIf(OWN === undefined)(
    'is sent by no provider of the AI SDK, unless that was agreed to',
    async () => {
      const { url, seen } = await listening();
      expect(await ask(url, false)).toMatchObject({
        code: 'BAD_CONFIG',
        message: `refusing to send key and conversation to \`${new URL(url).host}\` unencrypted`,
        hint: HINT,
      });
      expect(seen).toEqual([]);
      await ask(url, true);
      expect(seen).toContain('Bearer sk-secret');
    },
  );

  test.skipIf(OWN === undefined)('is sent to no MCP server, unless that was agreed to', async () => {
    const { url, seen } = await listening();
    const server = {
      type: 'http',
      ...{ name: 'evil', from: '--mcp' },
      ...{ url: `${url}/mcp`, headers: { Authorization: 'Bearer mcp-secret' } },
    } as const;
    {
      await using servers = await runningServers([server], {});
      expect(servers.told).toEqual([
        `server \`evil\` was not called: refusing to send the key in its headers to \`${new URL(url).host}\` unencrypted; ${HINT}`,
      ]);
    }
    expect(seen).toEqual([]);
    await using _agreed = await runningServers([server], { allowHttp: true });
    expect(seen).toContain('Bearer mcp-secret');
  });
});

describe('F18: mail in the clear', () => {
  async function used(server: string, allowHttp?: boolean): Promise<unknown> {
    const servers: string[] = [];
    try {
      const channel = mailChannel(
        {
          ...{ name: 'boss', server, from: 'a@example.org', to: ['b@example.org'], tellsResolved: false },
          ...(allowHttp !== undefined && { allowHttp }),
        },
        async (address) => void servers.push(address),
      );
      const item = {
        session: 's',
        title: 't',
        interrupt: { id: 'i1', kind: 'question', payload: {}, digest: 'd' },
      };
      await channel.send({ id: 'm', event: 'raised', at: 0, item } as never).catch(() => undefined);
    } catch (thrown) {
      return thrown;
    }
    return servers;
  }

  test.each([
    'smtp://a:p@mail.example.org?secure=false',
    'smtp://a:p@mail.example.org?secure=true',
    'smtp://a:p@mail.example.org?ignoreTLS=false',
    'smtp://a:p@mail.example.org?ignoreTLS=true',
    'smtp://a:p@mail.example.org?requireTLS=false',
    'smtp://a:p@mail.example.org?requireTLS=true&requireTLS=false',
    'smtp://mail.example.org?ignoreTLS=true',
  ])('%s is refused: no word in the address sends it unencrypted', async (server) => {
    expect(await used(server)).toMatchObject({
      code: 'BAD_CONFIG',
      message: 'refusing to send password and questions to `mail.example.org` unencrypted',
      hint: HINT,
    });
    expect(await used(server, true)).not.toBeInstanceOf(Error);
  });

  test.each(['mail.example.org', 'direct:?name=x', 'ftp://mail.example.org'])(
    '%s is no address of a mail server',
    async (server) => {
      expect(await used(server)).toMatchObject({ code: 'BAD_CONFIG' });
    },
  );
});
