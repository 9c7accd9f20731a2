// The walks of docs/walk*.md: each place that they name is called when somebody does what they tell.
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

import { expect, test, vi } from 'vitest';

import { Home, PROGRAM } from '../helpers/program.js';
import { Running } from '../helpers/running.js';
import { Terminal } from '../helpers/terminal.js';
import { valueIn } from '../server/server-harness.js';

const root = fileURLToPath(new URL('../..', import.meta.url));

interface Coverage {
  readonly result: readonly {
    readonly url: string;
    readonly functions: readonly {
      readonly functionName: string;
      readonly ranges: readonly { readonly count: number }[];
    }[];
  }[];
}

/** The text of a page. */
const textOf = (page: string): string => readFileSync(join(root, page), 'utf8');

/** The places of a page, in its order, as `file · function`. */
function places(page: string): readonly string[] {
  return placesIn(textOf(page));
}

function placesIn(text: string): readonly string[] {
  return [...text.matchAll(/`([\w/-]+\.ts)` · `(\w+)`/gu)].map(
    ([, file = '', name = '']) => `${file} · ${name}`,
  );
}

/** Every function that a process has called, as the page names it: the build has a file for each source, with its names. */
function called(folder: string): ReadonlySet<string> {
  const base = new URL('../../dist/', import.meta.url).href;
  const names = readdirSync(folder).flatMap((file) => {
    const { result } = JSON.parse(readFileSync(join(folder, file), 'utf8')) as Coverage;
    return result.flatMap(({ url, functions }) =>
      functions
        .filter(({ ranges }) => (ranges[0]?.count ?? 0) > 0)
        .map(
          ({ functionName }) =>
            `${url.replace(base, '').replace(/\.js$/u, '.ts')} · ${functionName.replace(/^(?:#|get )/u, '')}`,
        ),
    );
  });
  return new Set(names);
}

/** Lets it write down which functions it calls. */
const tracing = (coverage: string) => ({ NODE_V8_COVERAGE: coverage });

/** Runs the program to its end, and gives every function that it has called. */
function traced(
  home: Home,
  args: readonly string[],
  { cwd, input, status }: { readonly cwd?: string; readonly input: string; readonly status: number },
): ReadonlySet<string> {
  const coverage = mkdtempSync(join(home.path, 'coverage-'));
  const env = { ...home.env, ...tracing(coverage) };
  const ran = spawnSync(process.execPath, [PROGRAM, ...args], { env, cwd, input, encoding: 'utf8' });
  expect(ran, ran.stderr).toMatchObject({ status });
  return called(coverage);
}

function filesOf(walked: readonly string[]): ReadonlySet<string | undefined> {
  return new Set(walked.map((place) => place.split(' · ')[0]));
}

test('every place that docs/walk.md names is called when a person approves a transfer', async () => {
  using home = new Home();
  const coverage = join(home.path, 'coverage');
  using terminal = new Terminal(home, ['chat', 'Transfer 200 to ABC123'], tracing(coverage));
  await terminal.until('y approve');
  await terminal.press('y');
  await terminal.until('800');
  await terminal.press('\u0004');
  expect(await terminal.ended).toBe(0);
  expect(home.transfers()).toEqual([{ toAccount: 'ABC123', amount: 200 }]);

  const walked = places('docs/walk.md');
  expect(walked.length).toBeGreaterThanOrEqual(27);
  const seen = called(coverage);
  expect(walked.filter((place) => !seen.has(place))).toEqual([]);
});

test('every place that docs/walk-tool-call.md names is called when a tool runs that needs no approval', () => {
  using home = new Home();
  const say = ['chat', '--model', 'demo', '--print', 'Transfer 50 to ABC123'];
  const seen = traced(home, say, { input: '', status: 0 });
  expect(home.transfers()).toEqual([{ toAccount: 'ABC123', amount: 50 }]);

  const walked = places('docs/walk-tool-call.md');
  expect(walked).toHaveLength(14);
  expect(filesOf(walked).size).toBe(8);
  expect(walked.filter((place) => !seen.has(place))).toEqual([]);
});

const FLOW = `import { appendFileSync } from 'node:fs';
import { workflow } from 'hitl';
export default workflow('release', async (ctx) => {
  const version = await ctx.step('deploy', () => {
    appendFileSync('deployed.txt', 'deployed\\n');
    return '1.2';
  });
  const isHealthy = await ctx.ask('healthy', { prompt: 'Is it healthy?', schema: { type: 'boolean' } });
  return isHealthy ? version : 'nothing';
});
`;

test('every place that docs/walk-workflow.md names is called when a step runs, and when it is replayed', () => {
  using home = new Home();
  const cwd = home.work;
  writeFileSync(join(cwd, 'flow.mjs'), FLOW);
  const first = traced(home, ['run', 'flow.mjs', '--trust'], { cwd, input: '', status: 3 });
  const second = traced(home, ['resume', '--last', '--trust'], { cwd, input: 'true\n', status: 0 });
  expect(readFileSync(join(cwd, 'deployed.txt'), 'utf8')).toBe('deployed\n');

  const [live = '', replay = ''] = textOf('docs/walk-workflow.md').split('## The replay');
  const walked = [...placesIn(live), ...placesIn(replay)];
  expect(walked).toHaveLength(23);
  expect(filesOf(walked).size).toBe(8);
  expect(placesIn(live).filter((place) => !first.has(place))).toEqual([]);
  expect(placesIn(replay).filter((place) => !second.has(place))).toEqual([]);
  expect(second.has('src/graph/workflow/journaled-operations.ts · attempt')).toBe(false);
});

/** Asks a server of this machine as a browser does at its own host. */
async function ask(
  { host, port }: URL,
  path: string,
  headers: Readonly<Record<string, string>> = {},
  body?: string,
): Promise<{ readonly status: number | undefined; readonly cookie: string; readonly text: string }> {
  const method = body === undefined ? 'GET' : 'POST';
  const own = { host, 'sec-fetch-site': 'same-origin' };
  const sent = request({ host: '127.0.0.1', port, path, method, headers: { ...own, ...headers } });
  sent.end(body);
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  const cookie = response.headers['set-cookie']?.[0]?.split(';')[0] ?? '';
  return { status: response.statusCode, cookie, text: await text(response) };
}

test('every place that docs/walk-answer.md names is called when somebody approves in a browser', async () => {
  using home = new Home();
  const coverage = join(home.path, 'coverage');
  const args = ['serve', '--port', '0', '--agent', '--model', 'demo'];
  await using server = new Running(home, args, tracing(coverage));
  await server.until('?token=');
  const link = new URL(server.stdout.trim());
  const authorization = `Bearer ${link.searchParams.get('token') ?? ''}`;
  const json = { authorization, 'content-type': 'application/json' };
  const begun = await ask(link, '/v1/sessions', json, JSON.stringify({ text: 'Transfer 200 to ABC123' }));
  const { id } = JSON.parse(begun.text) as { readonly id: string };
  await vi.waitFor(async () => {
    expect((await home.run(['list', '--json'])).stdout).toContain('"status": "waiting"'); // nobody has it
  }, 30_000);
  const { cookie } = await ask(link, `/${link.search}`);
  const page = `/sessions/${id}/questions/i1`;
  const { text: html } = await ask(link, page, { cookie });
  const fields = ['form', 'digest', 'way'].map((name) => [name, valueIn(html, name)]);
  const urlencoded = { cookie, 'content-type': 'application/x-www-form-urlencoded' };
  const sent = await ask(link, `${page}/answer`, urlencoded, new URLSearchParams(fields).toString());
  expect(sent).toMatchObject({ status: 303 });
  await vi.waitFor(() => {
    expect(home.events(id).at(-1)).toEqual({ type: 'run-ended', reason: { type: 'done' } });
  }, 30_000);
  const output = { transferred: 200, toAccount: 'ABC123', balance: 800 };
  expect(home.events(id).filter(({ type }) => type === 'tool-settled')).toMatchObject([
    { outcome: { type: 'output', output } },
  ]);
  server.signal('SIGTERM');
  expect(await server.ended).toMatchObject({ status: 0 });

  const walked = places('docs/walk-answer.md');
  expect(walked).toHaveLength(13);
  expect(filesOf(walked).size).toBe(8);
  const seen = called(coverage);
  expect(walked.filter((place) => !seen.has(place))).toEqual([]);
}, 90_000);
