import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, beforeEach, describe, expect, test } from 'vitest';

import { loginAt } from '../../../commands/mcp-login.js';
import { keptLogins } from '../../../commands/mcp/kept-logins.js';
import { contextOf } from '../../tools/run-tool.js';
import { runningServers } from '../../helpers/everything.js';
import type { OAuthServer } from '../../helpers/oauth-server.js';
import { startOAuthServer } from '../../helpers/oauth-server.js';

let home: string;
let shop: OAuthServer;
beforeEach(async () => {
  home = mkdtempSync(join(tmpdir(), 'hitl-login-'));
  shop = await startOAuthServer();
});
afterEach(async () => {
  rmSync(home, { recursive: true });
  await shop[Symbol.asyncDispose]();
});

const logins = () => keptLogins({ home, env: { HITL_HOME: home } });
const server = (url: string) => ({ type: 'http', name: 'shop', from: '--mcp', url, headers: {} }) as const;
const kept = () => readFileSync(join(home, 'mcp-logins.json'), 'utf8');

/** Logs in, as a browser that does `browse` with the link. */
async function login(browse: (link: string) => Promise<unknown>): Promise<string> {
  let said = '';
  let browsing: Promise<unknown> | undefined;
  await loginAt(server(shop.url), {
    logins: logins(),
    port: 0,
    show: (lines) => {
      said = lines;
      browsing = browse(/^http\S+$/mu.exec(lines)?.[0] ?? '');
    },
  });
  await browsing;
  return said;
}

const connect = () => runningServers([server(shop.url)], { logins: logins() });

describe('a server that wants a login', () => {
  test('says so with the command for it, and is not registered at by a run', async () => {
    await using servers = await connect();
    expect(servers.told).toEqual([`server \`shop\` requires a login: hitl mcp login ${shop.url}`]);
    expect(shop.asked).toEqual([]);
  });

  test('lets in whoever came back from the browser with the state and the proof that the link was made with', async () => {
    const said = await login((link) => fetch(link));
    expect(said).toMatch(
      /^shop \(http:\/\/127\.0\.0\.1:\d+\/mcp\) asks you to log in at 127\.0\.0\.1:\d+\nopen this link in your browser/u,
    );
    expect(shop.asked.slice(-4)).toEqual(['/register', '/authorize', '/token', 'authorization_code']);
    expect(statSync(join(home, 'mcp-logins.json')).mode & 0o777).toBe(0o600);
    await using servers = await connect();
    expect(servers.tools.map(({ name }) => name)).toEqual(['shop__leak']);
  });

  test('gives no key of the login to a model, a journal or a person, also where it says one itself', async () => {
    await login((link) => fetch(link));
    const [key = ''] = shop.keys;
    expect(kept()).toContain(key);
    await using servers = await connect();
    const result = await servers.tools[0]?.execute({}, contextOf());
    expect(JSON.stringify(result)).toContain('the key is ');
    expect(JSON.stringify([result, servers.told, servers.tools])).not.toContain(key);
  });

  test('renews a key that is over, and asks for a login where it does not', async () => {
    await login((link) => fetch(link));
    const [first = ''] = shop.keys;
    shop.keys.clear();
    {
      await using servers = await connect();
      expect(servers.tools).toHaveLength(1);
    }
    expect([shop.asked.at(-1), kept().includes(first)]).toEqual(['refresh_token', false]);
    shop.keys.clear();
    writeFileSync(join(home, 'mcp-logins.json'), kept().replace(/"refresh-[^"]*"/u, '"refresh-gone"'));
    await using servers = await connect();
    expect(servers.told).toEqual([expect.stringContaining('requires a login')]);
  });

  test('turns away a browser that brings another state, and waits for the right one', async () => {
    const seen: number[] = [];
    await login(async (link) => {
      const back = new URL(link).searchParams.get('redirect_uri') ?? '';
      seen.push((await fetch(`${back}?code=stolen&state=guessed`)).status);
      seen.push((await fetch(back.replace('/callback', '/'))).status);
      seen.push((await fetch(link)).status);
    });
    expect(seen).toEqual([400, 404, 200]);
  });

  test('that refuses the login is told in its words, and nothing is kept as a key', async () => {
    const refused = login((link) => {
      const { searchParams } = new URL(link);
      const state = searchParams.get('state') ?? '';
      return fetch(`${searchParams.get('redirect_uri') ?? ''}?error=access_denied&state=${state}`);
    });
    await expect(refused).rejects.toThrow('the login was refused: access_denied');
    expect(kept()).not.toContain('access_token');
  });

  test('is one address: another one of its name gets no key', async () => {
    await login((link) => fetch(link));
    await using other = await startOAuthServer();
    await using servers = await runningServers([server(other.url)], { logins: logins() });
    expect(servers.told).toEqual([expect.stringContaining('requires a login')]);
    expect(await logins().forget(shop.url)).toBe(true);
    expect(kept()).not.toContain('access-');
    expect(await logins().forget(shop.url)).toBe(false);
  });

  test('is not read from a file that others could have written', async () => {
    await login((link) => fetch(link));
    writeFileSync(join(home, 'open'), '');
    const { chmodSync } = await import('node:fs');
    chmodSync(join(home, 'mcp-logins.json'), 0o644);
    expect(await logins().read(shop.url)).toBeUndefined();
  });

  test('F7: keeps what was found at the login, and a run asks nobody else', async () => {
    await login((link) => fetch(link));
    const before = kept();
    await using elsewhere = await startOAuthServer();
    const posts: string[] = [];
    await using internal = await listening((request) => {
      posts.push(`${request.method ?? ''} ${request.url ?? ''}`);
    });
    shop.moveTo(new URL(elsewhere.url).origin, internal.url);
    shop.keys.clear();
    {
      await using servers = await connect();
      expect(servers.tools).toHaveLength(1); // renewed at the address that the login was made at
    }
    expect([elsewhere.asked, posts]).toEqual([[], []]);
    expect(clientIn(kept())).toEqual(clientIn(before));
  });

  test('F7: is asked for again, and not made by a run, where what was found is not kept', async () => {
    await login((link) => fetch(link));
    const { discovered: _gone, ...older } = (await logins().read(shop.url))!;
    await logins().write(shop.url, older);
    const before = kept();
    shop.keys.clear();
    const asked = shop.asked.length;
    await using servers = await connect();
    expect(servers.told).toEqual([`server \`shop\` requires a login: hitl mcp login ${shop.url}`]);
    expect([shop.asked.slice(asked), kept()]).toEqual([[], before]);
  });

  test('F7: is left as it is by a run that it refuses', async () => {
    await login((link) => fetch(link));
    writeFileSync(join(home, 'mcp-logins.json'), kept().replace(/"refresh-[^"]*"/u, '"refresh-gone"'), {
      mode: 0o600,
    });
    const before = kept();
    shop.keys.clear();
    await using servers = await connect();
    expect(servers.told).toEqual([expect.stringContaining('requires a login')]);
    expect(kept()).toBe(before);
  });

  test('F7: sends a login to no address of a private network but that of the server itself', async () => {
    const posts: string[] = [];
    await using internal = await listening((request) => {
      posts.push(`${request.method ?? ''} ${request.url ?? ''}`);
    });
    shop.moveTo(new URL(shop.url).origin, internal.url.replace('127.0.0.1', '127.0.0.2'));
    await expect(login((link) => fetch(link))).rejects.toThrow(
      'only https is allowed (http only for a listed address on this machine)',
    );
    expect(posts).toEqual([]);
  });
});

const clientIn = (text: string): string | undefined => /"client": \{[^}]*\}/u.exec(text)?.[0];

/** A service of the private network, which hears what it is asked. */
async function listening(
  heard: (request: IncomingMessage) => void,
): Promise<AsyncDisposable & { readonly url: string }> {
  const http = createServer((request, response) => {
    heard(request);
    response
      .writeHead(201, { 'content-type': 'application/json' })
      .end('{"client_id":"internal","redirect_uris":[]}');
  });
  http.listen(0, '0.0.0.0');
  await once(http, 'listening');
  return {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/admin/shutdown?now=1`,
    async [Symbol.asyncDispose]() {
      http.closeAllConnections();
      http.close();
      await once(http, 'close');
    },
  };
}
