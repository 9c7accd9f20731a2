import { readFileSync, writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';

import { describe, expect, onTestFinished, test } from 'vitest';

import type { TestServer } from '../../tools/servers/server.mjs';
import { Running } from '../helpers/running.js';
import { hasDatabases, withServer } from './databases.js';
import { Person } from './person.js';

const PATIENCE_MS = 30_000;
/** A page looks again after this time also where it heard nothing. */
const LOOK_MS = 5_000;

/** A module of a tool that leaves a line for each payment. */
function payInto(effects: string): string {
  return `import { appendFileSync } from 'node:fs';
import { defineTool } from 'hitl';
const about = { name: 'pay', description: 'Pays.', needsApproval: true };
export default [defineTool(about, () => {
  appendFileSync(${JSON.stringify(effects)}, 'paid\\n');
  return 'paid';
})];
`;
}

/** A server of the program, and whoever comes to it with the token of that letter. */
async function visit(home: Person, letter: string) {
  const people = join(home.path, 'people.txt');
  const server = new Running(home, ['serve', '--port', '0', '--auth', 'token-file', '--token-file', people]);
  onTestFinished(() => server.kill());
  await server.until('People sign in');
  const place = `http://127.0.0.1:${new URL(server.stdout.trim()).port}`;
  const headers = { authorization: `Bearer ${letter.repeat(32)}`, 'content-type': 'application/json' };
  const get = async (path: string) => (await fetch(`${place}${path}`, { headers })).text();
  return {
    get,
    /** A stream of events, as a live page has it; waits until it holds a text. @returns the milliseconds it took */
    async hears(path: string): Promise<(text: string) => Promise<number>> {
      const gone = new AbortController();
      onTestFinished(() => {
        gone.abort();
      });
      const { body } = await fetch(`${place}${path}`, { headers, signal: gone.signal });
      const reader = body?.pipeThrough(new TextDecoderStream()).getReader();
      let heard = '';
      return async (text) => {
        const from = performance.now();
        while (!heard.includes(text)) {
          if (performance.now() - from > PATIENCE_MS) throw new Error(`it heard ${heard}, and not ${text}`);
          heard += (await reader?.read())?.value ?? '';
        }
        return performance.now() - from;
      };
    },
    async says(session: string, answer: string): Promise<readonly [number, unknown]> {
      const { items } = JSON.parse(await get('/v1/waiting')) as {
        items: { session: string; interrupt: { id: string; digest: string } }[];
      };
      const { id, digest } = items.find((item) => item.session === session)?.interrupt ?? {};
      const sent = { method: 'POST', headers, body: JSON.stringify({ interrupt: id, digest, answer }) };
      const response = await fetch(`${place}/v1/sessions/${session}/answers`, sent);
      return [response.status, ((await response.json()) as { status: unknown }).status];
    },
  };
}

describe.skipIf(!hasDatabases)('votes on PostgreSQL (`npm run tools` installs it)', () => {
  let database: TestServer;

  withServer((started) => {
    database = started;
  });

  test('come by two servers and by `hitl answer`, are seen live by the other server, and let the call run once', async () => {
    using home = new Person(database.url);
    const people = ['bob', 'cyd', 'dan']
      .map(
        (name) =>
          `${name} ${name.slice(0, 1).repeat(32)} roles=answer,read${name === 'dan' ? '' : ' groups=ops'}\n`,
      )
      .join('');
    writeFileSync(join(home.path, 'people.txt'), people, { mode: 0o600 });
    const effects = join(home.path, 'effects');
    const tools = join(home.path, 'tools.mjs');
    writeFileSync(tools, payInto(effects));
    const script = join(home.path, 'model.jsonl');
    writeFileSync(script, `${JSON.stringify({ tools: [{ name: 'pay', input: {} }] })}\n{"text":"Paid."}\n`);
    const chat = ['chat', '-p', 'pay', '--model', `script:${script}`, '--tools', tools, '--trust'];
    const rule = `ask pay needs 2 of @ops, ${userInfo().username} through local, tokens`;
    expect(await home.run(['rules', 'add', ...rule.split(' ')])).toMatchObject({ status: 0 });
    const [bob, cyd, dan] = [await visit(home, 'b'), await visit(home, 'c'), await visit(home, 'd')];
    const hears = await cyd.hears('/v1/stream');
    const ask = async (): Promise<string> => {
      const before = new Set((await home.waiting()).map(({ session }) => session));
      expect(await home.run(chat)).toMatchObject({ status: 3 });
      return (await home.waiting()).find(({ session }) => !before.has(session))?.session ?? '';
    };

    const first = await ask();
    await hears(`{"session":"${first}","what":"raised"}`);
    const follows = await cyd.hears(`/v1/sessions/${first}/events`);
    await follows('"interrupt-raised"');
    expect(await dan.says(first, 'y')).toEqual([403, undefined]);
    expect(await bob.says(first, 'y')).toEqual([202, 'voted']);
    const after = await follows('"vote-cast"');
    expect(after).toBeLessThan(LOOK_MS);
    expect(await bob.says(first, 'y')).toEqual([202, 'voted']); // one person, one vote
    expect(await cyd.says(first, 'y')).toEqual([200, 'recorded']);

    const second = await ask();
    expect(await home.run(['answer', second, 'y', '--any', '--store', database.url])).toMatchObject({
      status: 3,
    });
    await hears(`{"session":"${second}","what":"changed"}`);
    expect(await cyd.says(second, 'y')).toEqual([200, 'recorded']);

    for (const id of [first, second]) {
      const resume = ['resume', id, '--no-input', '--trust'];
      await Promise.all([home.runAlone(resume), home.runAlone(resume)]);
      expect((await home.run(['show', id])).stdout).toContain('Paid.');
    }
    expect(readFileSync(effects, 'utf8')).toBe('paid\npaid\n');
    // oxlint-disable-next-line no-console -- the figure of a report
    console.log(`the other server's page heard of a vote after ${after.toFixed(0)} ms`);
  });
});
