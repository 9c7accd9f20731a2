import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { runTool } from '../run-tool.js';
import { asked, builtin } from './builtin.js';

const tool = builtin('fetch_url', '/');
const seen: { url: string; headers: object }[] = [];

const server = createServer((request, response) => {
  const url = request.url ?? '';
  seen.push({ url, headers: request.headers });
  const redirect = /^\/redirect\/(?<to>.*)$/.exec(url)?.groups?.['to'];
  if (redirect !== undefined) {
    response.writeHead(302, { location: decodeURIComponent(redirect) }).end('moved');
  } else if (url === '/loop') {
    response.writeHead(301, { location: '/loop' }).end();
  } else if (url === '/image') {
    response.writeHead(200, { 'content-type': 'image/png' }).end(Buffer.from([1, 2]));
  } else if (url === '/hidden-binary') {
    response.writeHead(200, { 'content-type': 'text/plain' }).end('a\0b');
  } else if (url === '/latin') {
    response.writeHead(200, { 'content-type': 'text/plain; charset=iso-8859-1' }).end(Buffer.from([0xe9]));
  } else if (url === '/long') {
    response.writeHead(200, { 'content-type': 'text/plain' }).end('x'.repeat(150_000));
  } else if (url === '/endless') {
    response.writeHead(200, { 'content-type': 'text/plain' });
    const more = (): void => {
      if (!response.destroyed) response.write('y'.repeat(65_536), more);
    };
    more();
  } else if (url === '/silent') {
    // Never answers.
  } else if (url === '/error') {
    response.writeHead(500, { 'content-type': 'text/plain' }).end('broken');
  } else {
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end('<p>né</p>');
  }
});
let base = '';

beforeAll(async () => {
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const fetched = async (path: string) =>
  ((await runTool(tool, { url: base + path })) as { output: object }).output;

describe('the approval of a fetch', () => {
  test('tells host and address as the network knows them', async () => {
    expect(await asked(tool, { url: 'https://Example.COM:443/a b?q#f' })).toEqual({
      facts: { host: 'example.com', address: 'https://example.com/a%20b?q#f' },
    });
    expect(await asked(tool, { url: 'https://аpple.com/' })).toEqual({
      facts: { host: 'xn--pple-43d.com', address: 'https://xn--pple-43d.com/' },
      warnings: ['the host is written in letters that may look like others'],
    });
  });

  test('warns where a user name looks like a host, and sends none', async () => {
    expect(await asked(tool, { url: 'https://google.com:pw@evil.example/x' })).toEqual({
      facts: { host: 'evil.example', address: 'https://evil.example/x' },
      warnings: ['what stands before the @ is a user name, not the host; it is not sent'],
    });
    await runTool(tool, { url: base.replace('//', '//ann:secret@') });
    expect(JSON.stringify(seen.at(-1))).not.toMatch(/authorization|secret/);
  });

  test.for([
    'http://localhost:1/',
    'http://127.0.0.1/',
    'http://2130706433/',
    'http://0x7f.1/',
    'http://10.1.2.3/',
    'http://172.20.0.1/',
    'http://192.168.0.1/',
    'http://169.254.169.254/latest',
    'http://[::1]/',
    'http://[fd00::1]/',
    'http://[::ffff:127.0.0.1]/',
    'http://router/',
    'http://printer.local/',
    'http://db.internal./',
  ])('warns of %s as local', async (url) => {
    expect((await asked(tool, { url }))?.warnings).toEqual([
      'not encrypted',
      'a host of this machine or of its own network',
    ]);
  });

  test.for(['https://172.32.0.1/', 'https://11.0.0.1/', 'https://example.com/', 'https://fd.example/'])(
    'does not take %s for local',
    async (url) => {
      expect((await asked(tool, { url }))?.warnings).toBeUndefined();
    },
  );

  test.for([
    'ftp://a/',
    'file:///etc/passwd',
    'data:text/plain,x',
    'javascript:1',
    'example.com',
    'http://',
    '',
  ])('is not asked for %j, which is not fetched', async (url) => {
    expect(await tool.parseInput({ url })).toMatchObject({ ok: false });
  });
});

describe('a fetch', () => {
  test('gives status, type and text', async () => {
    expect(await fetched('/page')).toEqual({
      url: `${base}/page`,
      status: 200,
      contentType: 'text/html; charset=utf-8',
      body: '<p>né</p>',
    });
    expect(await fetched('/error')).toMatchObject({ status: 500, body: 'broken' });
    expect(await fetched('/latin')).toMatchObject({ body: 'é' });
  });

  test.for(['/image', '/hidden-binary'])('does not give what is not text: %s', async (path) => {
    expect(await fetched(path)).toMatchObject({ body: '', note: 'not text, so it was not read' });
  });

  test('cuts what is long, and stops reading what does not end', async () => {
    const long = await fetched('/long');
    expect(long).toMatchObject({ omittedCharacters: 50_000, body: 'x'.repeat(100_000) });
    expect(await fetched('/endless')).toMatchObject({
      note: 'longer than 1048576 bytes; the rest was not read',
    });
  });

  test('follows redirects of the same host, and lists them', async () => {
    expect(await fetched('/redirect/%2Fredirect%2F%252Fpage')).toMatchObject({
      url: `${base}/page`,
      status: 200,
      redirects: [`${base}/redirect/%2Fpage`, `${base}/page`],
    });
    expect(await fetched('/loop')).toMatchObject({ status: 301, note: 'more than 5 redirects' });
  });

  test('does not follow a redirect to another host, which nobody approved', async () => {
    const before = seen.length;
    const other = base.replace('127.0.0.1', 'localhost');
    expect(await fetched(`/redirect/${encodeURIComponent(`${other}/page`)}`)).toEqual({
      url: `${base}/redirect/${encodeURIComponent(`${other}/page`)}`,
      status: 302,
      redirectedTo: `${other}/page`,
      note: 'the redirect leads to another host, which was not approved; fetch it by itself if it is wanted',
      redirects: [`${other}/page`],
    });
    expect(await fetched(`/redirect/${encodeURIComponent('file:///etc/passwd')}`)).toMatchObject({
      redirectedTo: 'file:///etc/passwd',
    });
    expect(seen.length).toBe(before + 2);
  });

  test('says why a host cannot be reached', async () => {
    await expect(runTool(tool, { url: 'http://127.0.0.1:1/' })).rejects.toThrow(
      /127\.0\.0\.1:1 could not be reached: .+/,
    );
  });

  test('stops when the run is stopped', async () => {
    const stop = new AbortController();
    const fetching = runTool(tool, { url: `${base}/silent` }, { signal: stop.signal });
    const failed = expect(fetching).rejects.toThrow('stopped');
    stop.abort(new Error('stopped'));
    await failed;
  });
});
