import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';

import { describe, expect, test } from 'vitest';

import { Home } from '../helpers/program.js';

/** A home, and a repository in it. */
class Place extends Home {
  readonly root = join(this.work, 'shop');
  readonly sub = join(this.root, 'src', 'deep');
  readonly own = join(this.path, 'config.json');

  constructor() {
    super();
    mkdirSync(this.sub, { recursive: true });
    mkdirSync(join(this.root, '.git'));
  }

  async get(key: string, args: readonly string[] = [], env: Readonly<Record<string, string>> = {}) {
    const { stdout } = await this.run(['config', 'get', key, '--json', ...args], {
      cwd: this.sub,
      env,
    });
    return JSON.parse(stdout) as Readonly<Record<string, unknown>>;
  }
}

describe('hitl config', () => {
  test('shows channels by their names alone, whatever somebody wrote into them', async () => {
    using place = new Place();
    const channels = { ops: { type: 'webhook', url: 'https://a.example/hunter2', secret: 'whsec_hunter2' } };
    writeFileSync(place.own, JSON.stringify({ channels }));
    expect(await place.get('channels')).toMatchObject({ key: 'channels', value: ['ops'] });
    for (const words of [['list'], ['list', '--json'], ['get', 'channels']]) {
      const { stdout, stderr } = await place.run(['config', ...words]);
      expect(`${stdout}${stderr}`).not.toContain('hunter2');
      expect(stdout).toContain('ops');
    }
  });

  test('sets, gets and takes out a setting, keeps comments, and refuses what does not fit', async () => {
    using place = new Place();
    writeFileSync(place.own, '// mine\n{ "statusLine": false /* calm */ }\n', { mode: 0o640 });
    expect((await place.run(['config', 'set', 'maxTime', '1h30m'])).stderr).toBe(
      `set: maxTime (${place.own})\n`,
    );
    expect(readFileSync(place.own, 'utf8')).toBe(
      '// mine\n{ "statusLine": false /* calm */, "maxTime": "1h30m" }\n'.replace(
        'false /* calm */, ',
        'false, /* calm */ ',
      ),
    );
    expect(statSync(place.own).mode & 0o777).toBe(0o600);
    expect(await place.get('maxTime')).toEqual({
      key: 'maxTime',
      value: 5_400_000,
      source: 'configuration',
      from: `${place.own}:2`,
    });
    expect((await place.run(['config', 'get', 'maxTime'])).stdout).toBe('1h30m\n');
    expect(
      (await place.run(['config', 'set', 'model', 'demo'], { env: { HITL_MODEL: 'demo' } })).stderr,
    ).toContain('overridden here by HITL_MODEL');
    const before = readFileSync(place.own, 'utf8');
    for (const [words, why] of [
      [['set', 'maxTruns', '9'], 'did you mean `maxTurns`?'],
      [['set', 'maxTurns', 'many'], '`maxTurns` must be a whole number from 1 to 1000, got `many`'],
      [['set', 'rules', 'x'], 'hitl rules add'],
      [
        ['set', 'maxTime', '60000'],
        '60000 meant milliseconds in version 0.1 but now means seconds; write 1m or 16h40m',
      ], // adopter 5
      [['get', 'modle'], 'did you mean `mode` or `model`'],
    ] as const) {
      const { status, stderr } = await place.run(['config', ...words]);
      expect({ status, told: stderr.includes(why) }).toEqual({ status: 2, told: true });
    }
    expect(readFileSync(place.own, 'utf8')).toBe(before);
    await place.run(['config', 'unset', 'maxTime']);
    expect(await place.get('maxTime')).toMatchObject({ source: 'default' });
    writeFileSync(place.own, '{ "maxTime": 60000 }');
    const bare = await place.run(['chat', '-p', 'hello']); // adopter 5
    expect([bare.status, bare.stderr]).toEqual([
      2,
      expect.stringContaining('line 1: maxTime: 60000 meant milliseconds in version 0.1') as string,
    ]);
    writeFileSync(place.own, '{\n  // a slip\n  "maxTruns": 7\n}\n');
    const { status, stderr } = await place.run(['config']);
    expect({ status, stderr }).toEqual({
      status: 2,
      stderr: expect.stringContaining('line 3: unknown key `maxTruns` (did you mean `maxTurns`?)') as string,
    });
    expect((await place.run(['config', 'unset', 'maxTruns'])).status).toBe(0);
  });

  test('takes what an editor leaves only where it fits', async () => {
    using place = new Place();
    const editor = (text: string) => ({ VISUAL: `printf '%s' '${text}' | tee` });
    expect((await place.run(['config', 'edit'], { env: editor('{"maxTurns":7}') })).status).toBe(0);
    expect((await place.run(['config', 'edit'], { env: editor('{"maxTruns":8}') })).status).toBe(2);
    expect(readFileSync(place.own, 'utf8')).toBe('{"maxTurns":7}\n');
  });

  test('finds the project’s files from a folder below it, and only up to the root of the repository', async () => {
    using place = new Place();
    writeFileSync(join(place.work, 'hitl.config.json'), '{"maxTurns":1}');
    await place.run(['config', 'set', 'maxTurns', '9', '--project'], { cwd: place.sub });
    await place.run(['config', 'set', 'maxTurns', '8', '--local'], { cwd: place.sub });
    await place.run(['config', 'set', 'sandbox', 'required', '--project'], { cwd: place.sub });
    const { stdout } = await place.run(['config', 'path', '--json'], { cwd: place.sub });
    expect(JSON.parse(stdout)).toEqual({
      files: [
        { is: 'yours', path: place.own, exists: false },
        { is: 'project', path: join(place.root, 'hitl.config.json'), exists: true, trusted: true },
        { is: 'local', path: join(place.root, 'hitl.config.local.json'), exists: true, trusted: true },
      ],
      searched: [place.sub, join(place.root, 'src'), place.root],
    });
    expect(await place.get('maxTurns')).toMatchObject({ value: 8, source: 'local' });
    expect(await place.get('sandbox', [], { HITL_SANDBOX: '' })).toMatchObject({
      value: 'required',
      source: 'project',
    });
    writeFileSync(join(place.root, 'hitl.config.local.json'), '{"maxTurns":7}');
    expect(await place.get('maxTurns')).toMatchObject({ value: 9, source: 'project' });
    expect(await place.get('maxTurns', ['--trust'])).toMatchObject({ value: 7, source: 'local' });
    expect(await place.get('maxTurns')).toMatchObject({ value: 9, source: 'project' });
    const refused = await place.run(['config', 'set', 'onInterrupt', 'deny', '--project'], {
      cwd: place.sub,
    });
    expect(refused.status).toBe(2);
  });

  test('takes a profile by flag or variable: it wins over your others, and never over what a project narrows', async () => {
    using place = new Place();
    await place.run(['config', 'set', 'profiles.work.maxTurns', '40']);
    await place.run(['config', 'set', 'profiles.work.system', 'Be brief.']);
    await place.run(['config', 'set', 'system', 'Be kind.']);
    expect(await place.get('system')).toMatchObject({ value: 'Be kind.' });
    expect(await place.get('system', ['--profile', 'work'])).toMatchObject({
      value: 'Be brief.',
      source: 'profile',
      from: `${place.own}:5`,
    });
    await place.run(['config', 'set', 'maxTurns', '20', '--project'], { cwd: place.sub });
    expect(await place.get('maxTurns', [], { HITL_PROFILE: 'work' })).toMatchObject({
      value: 20,
      source: 'project',
    });
    expect(await place.get('maxTurns', ['--profile', 'wrok'])).toMatchObject({
      error: { code: 'USAGE', hint: 'did you mean `work`?' },
    });
  });

  test('asks the command of your configuration for the key, sends it, and keeps it nowhere', async () => {
    using place = new Place();
    const keys: unknown[] = [];
    const server = createServer((request, response) => {
      keys.push(request.headers['x-api-key']);
      response.writeHead(401).end('{}');
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = server.address() as AddressInfo;
    const config = {
      apiKeyCommand: ['printf', 'sk-%s-%s', 'from', 'command'],
      baseUrl: `http://127.0.0.1:${port}`,
    };
    writeFileSync(place.own, JSON.stringify(config));
    const { stdout, stderr } = await place.run(['chat', '-p', 'hi', '--json'], { env: { HITL_MODEL: '' } });
    server.close();
    expect(keys).toEqual(['sk-from-command']);
    const kept = readdirSync(place.path, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8'));
    expect([stdout, stderr, ...kept].filter((text) => text.includes('sk-from-command'))).toEqual([]);
  });
});
