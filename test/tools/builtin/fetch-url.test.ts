import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';

import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { fakeClock } from '../../../src/testing/index.js';
import { runTool } from '../run-tool.js';
import { approveAndRun, asked, builtin } from './builtin.js';

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
  } else if (url === '/slow') {
    response.writeHead(200, { 'content-type': 'text/plain' }).write('begun');
  } else if (url === '/packed') {
    response.writeHead(200, { 'content-type': 'text/plain', 'content-encoding': 'gzip' });
    response.end(gzipSync('packed text'));
  } else if (url === '/bomb') {
    response.writeHead(200, { 'content-type': 'text/plain', 'content-encoding': 'gzip' });
    response.end(gzipSync(Buffer.alloc(30_000_000, 'z')));
  } else if (url === '/unknown-packing') {
    response.writeHead(200, { 'content-type': 'text/plain', 'content-encoding': 'zip' }).end('x');
  } else if (url === '/broken-packing') {
    response.writeHead(200, { 'content-type': 'text/plain', 'content-encoding': 'gzip' }).end('no gzip');
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
  ((await approveAndRun(tool, { url: base + path })) as { output: object }).output;

const NOT_LOOKED_UP = {
  'resolves to': 'Resolved after you approve. You are asked again if the address is local.',
};

describe('the approval of a fetch', () => {
  test('tells host and address as the network knows them', async () => {
    expect(await asked(tool, { url: 'https://Example.COM:443/a b?q#f' })).toEqual({
      facts: { host: 'example.com', address: 'https://example.com/a%20b?q#f', ...NOT_LOOKED_UP },
    });
    expect(await asked(tool, { url: 'https://аpple.com/' })).toEqual({
      facts: { host: 'xn--pple-43d.com', address: 'https://xn--pple-43d.com/', ...NOT_LOOKED_UP },
      warnings: ['the host contains letters that can look like others'],
    });
  });

  test('warns where a user name looks like a host, and sends none', async () => {
    expect(await asked(tool, { url: 'https://google.com:pw@evil.example/x' })).toEqual({
      facts: { host: 'evil.example', address: 'https://evil.example/x', ...NOT_LOOKED_UP },
      warnings: ['the part before the @ is a user name, not the host; it is not sent'],
    });
    await approveAndRun(tool, { url: base.replace('//', '//ann:secret@') });
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
    'http://[::1]/',
    'http://[fd00::1]/',
    'http://[::ffff:127.0.0.1]/',
    'http://[64:ff9b::127.0.0.1]/',
    'http://[64:ff9b:1::1]/',
    'http://[2002:7f00:1::]/',
    'http://[2001::1]/',
    'http://[::10.0.0.1]/',
    'http://[fec0::1]/',
    'http://[fe80::1]/',
    'http://[ff02::1]/',
    'http://224.0.0.1/',
    'http://0.0.0.0/',
    'http://100.64.0.1/',
    'http://router/',
    'http://printer.local/',
    'http://db.internal./',
  ])('warns of %s as local', async (url) => {
    expect((await asked(tool, { url }))?.warnings).toEqual([
      'not encrypted',
      'a host on this machine or its local network',
    ]);
  });

  test.for([
    'http://169.254.169.254/latest',
    'http://[::ffff:169.254.169.254]/',
    'http://[64:ff9b::a9fe:a9fe]/',
    'http://[fd00:ec2::254]/',
    'http://metadata.google.internal/',
  ])('warns of %s as a service that gives out keys', async (url) => {
    expect((await asked(tool, { url }))?.warnings).toEqual([
      'not encrypted',
      'a host on this machine or its local network',
      'the cloud metadata service, which can return credentials',
    ]);
  });

  test.for<readonly [string, object]>([
    ['https://172.32.0.1/', {}],
    ['https://[2606:4700::1111]/', {}],
    [
      'https://localhost/',
      { 'rules with *': 'ignored: this is a host on this machine or its local network' },
    ],
  ])('says nothing of a look-up where the host of %s tells enough', async ([url, rules]) => {
    expect((await asked(tool, { url }))?.facts).toEqual({
      host: new URL(url).host,
      address: url,
      ...rules,
    });
  });

  test.for([
    'https://[64:ff9b::8.8.8.8]/',
    'https://[2606:4700::1111]/',
    'https://172.32.0.1/',
    'https://11.0.0.1/',
    'https://example.com/',
    'https://fd.example/',
  ])('does not take %s for local', async (url) => {
    expect((await asked(tool, { url }))?.warnings).toBeUndefined();
  });

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
    expect(await fetched(path)).toMatchObject({ body: '', note: 'not read: not text' });
  });

  test('cuts what is long, and stops reading what does not end', async () => {
    const long = await fetched('/long');
    expect(long).toMatchObject({ omittedCharacters: 50_000, body: 'x'.repeat(100_000) });
    expect(await fetched('/endless')).toMatchObject({
      note: 'longer than 1048576 bytes; the rest was not read',
    });
  });

  test('unpacks what is packed, and no more of it than it gives', async () => {
    expect(await fetched('/packed')).toMatchObject({ body: 'packed text' });
    expect(await fetched('/bomb')).toMatchObject({
      body: 'z'.repeat(100_000),
      note: 'longer than 1048576 bytes; the rest was not read',
    });
    expect(await fetched('/unknown-packing')).toMatchObject({
      body: '',
      note: 'not read: unknown compression',
    });
    await expect(fetched('/broken-packing')).rejects.toThrow(/is unreachable: .*header/);
  });

  test.for([
    ['of the same host', '/page', undefined],
    ['to another host', 'http://other.example/x', 'http://other.example/x'],
    ['to a file', 'file:///etc/passwd', 'file:///etc/passwd'],
  ] as const)('does not follow a redirect %s, which nobody saw', async ([, to, target]) => {
    const before = seen.length;
    const path = `/redirect/${encodeURIComponent(to)}`;
    expect(await fetched(path)).toEqual({
      url: base + path,
      status: 302,
      redirectedTo: target ?? `${base}/page`,
      note: 'redirects are not followed; fetch the other URL separately if you need it',
    });
    expect(seen.length).toBe(before + 1);
  });

  test('sends nothing, and resolves nothing, before a person agreed', async () => {
    const names: string[] = [];
    const lookup = async (name: string) => {
      names.push(name);
      return ['127.0.0.1'];
    };
    const careful = builtin('fetch_url', '/', { lookup });
    const before = seen.length;
    const url = `http://secret.example:${new URL(base).port}/page`;
    expect(await asked(careful, { url })).toEqual({
      facts: { host: new URL(url).host, address: url, ...NOT_LOOKED_UP },
      warnings: ['not encrypted'],
    });
    expect(await runTool(careful, { url })).toHaveProperty('interrupt');
    expect({ names, requests: seen.length - before }).toEqual({ names: [], requests: 0 });
  });

  test('asks again where a name leads to this machine, and then connects to what was shown', async () => {
    const lookup = async () => ['127.0.0.1'];
    const careful = builtin('fetch_url', '/', { lookup });
    const before = seen.length;
    const url = `http://rebound.example:${new URL(base).port}/page`;
    const again = await approveAndRun(careful, { url });
    expect(again).toEqual({
      interrupt: {
        reason: 'The target changed after you approved; check again',
        facts: {
          host: new URL(url).host,
          address: url,
          'resolves to': '127.0.0.1',
          'rules with patterns': 'ignored: it leads to a host on this machine or its local network',
        },
        warnings: ['not encrypted', 'a host on this machine or its local network'],
      },
    });
    expect(seen.length).toBe(before);
    const approved = { shown: (again as { interrupt: never }).interrupt, edited: false };
    expect(await runTool(careful, { url }, { approved })).toMatchObject({ output: { status: 200 } });
    expect(seen.length).toBe(before + 1);
    // The name leads elsewhere on this network now: that was not shown.
    const elsewhere = builtin('fetch_url', '/', { lookup: async () => ['127.0.0.1', '10.0.0.1'] });
    expect(await runTool(elsewhere, { url }, { approved })).toMatchObject({
      interrupt: { facts: { 'resolves to': '10.0.0.1 127.0.0.1' } },
    });
  });

  test('connects to the addresses that were looked at, whatever the name leads to a moment later', async () => {
    // The first answer is one of those for documentation, which nobody has; the later ones are this machine.
    const answers = [['192.0.2.1']];
    const lookup = async () => answers.shift() ?? ['127.0.0.1'];
    const clock = fakeClock();
    const careful = builtin('fetch_url', '/', { lookup, clock });
    const before = seen.length;
    const url = `http://rebinding.example:${new URL(base).port}/page`;
    const failed = expect(approveAndRun(careful, { url })).rejects.toThrow(/rebinding\.example/);
    await clock.untilSleeping();
    await clock.advance(30_000);
    await failed;
    expect(seen.length).toBe(before);
  });

  test('does not ask again where the name told it already', async () => {
    const local = base.replace('127.0.0.1', 'localhost');
    const careful = builtin('fetch_url', '/', { lookup: async () => ['127.0.0.1'] });
    expect(await approveAndRun(careful, { url: `${local}/page` })).toMatchObject({ output: { status: 200 } });
  });

  test.for(['/silent', '/slow'])('gives up on %s after 30 s', async (path) => {
    const clock = fakeClock();
    const patient = builtin('fetch_url', '/', { clock });
    const failed = expect(approveAndRun(patient, { url: base + path })).rejects.toThrow(
      `${new URL(base).host} did not answer within 30000 ms`,
    );
    await clock.untilSleeping();
    await clock.advance(30_000);
    await failed;
  });

  test('gives up on a name that nobody resolves', async () => {
    const clock = fakeClock();
    const lookup = async () => new Promise<never>(() => {});
    const patient = builtin('fetch_url', '/', { clock, lookup });
    const failed = expect(approveAndRun(patient, { url: 'https://a.example/' })).rejects.toThrow(
      'a.example did not answer within 30000 ms',
    );
    await clock.untilSleeping();
    await clock.advance(30_000);
    await failed;
  });

  test('says why a host cannot be reached', async () => {
    await expect(approveAndRun(tool, { url: 'http://127.0.0.1:1/' })).rejects.toThrow(
      /127\.0\.0\.1:1 is unreachable: .+/,
    );
  });

  test('stops when the run is stopped', async () => {
    const stop = new AbortController();
    const fetching = approveAndRun(tool, { url: `${base}/silent` }, { signal: stop.signal });
    const failed = expect(fetching).rejects.toThrow('stopped');
    stop.abort(new Error('stopped'));
    await failed;
  });
});
