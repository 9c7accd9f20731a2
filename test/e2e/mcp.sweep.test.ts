import { describe, expect, test } from 'vitest';
import { rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { join } from 'node:path';

import { Home, lines } from '../helpers/program.js';

const ASKING = `node ${fileURLToPath(new URL('../fixtures/mcp/asking.mjs', import.meta.url))}`;

/** A home whose model calls one tool of the asking server, and then ends. */
function homeCalling(tool: string): Home {
  const home = new Home();
  const replies = [{ tools: [{ name: `asking__${tool}`, input: {} }] }, { text: 'Done.' }];
  writeFileSync(join(home.work, 's.jsonl'), lines(...replies.map((reply) => JSON.stringify(reply))));
  return home;
}

const chat = (home: Home, ...more: string[]) =>
  home.run(['chat', '-m', 'script:s.jsonl', '--mcp', ASKING, '-p', 'go', ...more], { cwd: home.work });

describe('a tool of a server', () => {
  test('is asked about, whatever the server says of it, and runs once a person agrees', async () => {
    using home = homeCalling('echo');
    const asked = await chat(home);
    expect({ status: asked.status, says: asked.stderr.includes('asking: Echo') }).toEqual({
      status: 3,
      says: true,
    });
    const answered = await home.run(['answer', home.id, 'y', '--digest', home.digest(), '--run'], {
      cwd: home.work,
    });
    expect({ status: answered.status, stdout: answered.stdout }).toEqual({ status: 0, stdout: 'Done.\n' });
  });

  test('that wants a person to answer first goes on with the answer in another process, on another server', async () => {
    using home = homeCalling('book');
    const asked = await chat(home, '--allow', 'asking__book', '-o', 'stream-json');
    expect(asked.status).toBe(3);
    expect(asked.stdout).toContain('When shall it be?');
    expect(asked.stdout).not.toContain('state of'); // what the server keeps with us is shown to nobody
    const answered = await home.run(['answer', home.id, '{"day":"Monday","people":2}'], { cwd: home.work });
    expect(answered.status).toBe(0);
    const resumed = await home.run(['resume', home.id], { cwd: home.work });
    expect({ status: resumed.status, stdout: resumed.stdout }).toEqual({ status: 0, stdout: 'Done.\n' });
    expect(resumed.stderr).toMatch(/accept: .*Monday.*\(state of/u);
  });

  test('that sends a person to an address shows its host as it is written, and opens nothing', async () => {
    using home = homeCalling('pay');
    const asked = await chat(home, '--allow', 'asking__pay');
    expect(asked.stderr).toContain('xn--pple-43d.com, which is written аpple.com');
    expect(asked.stderr).toContain('this host has look-alike letters');
  });

  test('that asks for a password in a form is refused', async () => {
    using home = homeCalling('login');
    const refused = await chat(home, '--allow', 'asking__login');
    expect(refused.status).toBe(0);
    expect((await home.run(['show', home.id])).stdout).toContain(
      'secrets are never typed into a server’s form',
    );
  });

  test('of a session starts no program again before a person trusts it', async () => {
    using home = homeCalling('book');
    expect((await chat(home, '--allow', 'asking__book')).status).toBe(3);
    rmSync(join(home.path, 'trust.json'));
    const refused = await home.run(['resume', home.id], { cwd: home.work });
    expect(refused.status).toBe(2);
    expect(refused.stderr).toContain(`this session’s server is not trusted: --mcp ${ASKING}`);
    expect((await home.run(['resume', home.id, '--trust'], { cwd: home.work })).status).toBe(3);
  });
});

describe('a server of the configuration', () => {
  /** A home whose configuration names the asking server, with a key among its variables. */
  function configured(more: object = {}): Home {
    const home = homeCalling('echo');
    const [command, file] = ASKING.split(' ');
    const asking = { command, args: [file], env: { SHOP_KEY: '${SHOP_KEY}' } };
    writeFileSync(join(home.path, 'config.json'), JSON.stringify({ mcpServers: { asking }, ...more }));
    return home;
  }
  const tools = (home: Home, ...flags: string[]) =>
    home.run(['tools', '--no-builtin-tools', ...flags], { cwd: home.work, env: { SHOP_KEY: 'k-1234567' } });

  test('is offered without a flag, and by its name alone where a flag names it', async () => {
    using home = configured({ mcpEnv: ['SHOP_KEY'] });
    const listed = await tools(home);
    expect(listed.stdout).toMatch(/asking__book +asks +mcp asking/u);
    expect((await tools(home, '--mcp', 'asking')).stdout).toBe(listed.stdout);
    const mistaken = await tools(home, '--mcp', 'askin');
    expect(mistaken.stderr).toContain('did you mean `asking`?');
  });

  test('gets only the variables that the list names, and what it holds is not told', async () => {
    using home = configured();
    const listed = await tools(home);
    expect(listed.stdout).not.toContain('asking__book');
    expect(listed.stderr).toContain(
      '`mcpServers.asking` ignored: it uses variable `SHOP_KEY`, which is not in `mcpEnv`',
    );
    const shown = await home.run(['config', 'get', 'mcpServers', '--json']);
    expect(shown.stdout).toContain('asking');
    expect(shown.stdout).not.toContain('SHOP_KEY');
  });

  test('is added, tested and removed by commands, and one of a project counts once it is trusted', async () => {
    using home = new Home();
    const [command = '', script = ''] = ASKING.split(' ');
    await home.run(['mcp', 'add', 'asking', '--', command, script], { cwd: home.work });
    const shared = { mcpServers: { shared: { command, args: [script] } } };
    writeFileSync(join(home.work, '.mcp.json'), JSON.stringify(shared));
    const listed = await home.run(['mcp', 'list'], { cwd: home.work });
    expect(listed.stdout).toMatch(
      /asking +node .*asking\.mjs +your configuration\nshared +- +.*\(not trusted\)/u,
    );
    const tested = await home.run(['mcp', 'test', '--trust', '--json'], { cwd: home.work });
    const servers = JSON.parse(tested.stdout) as { name: string; status: string; tools: unknown[] }[];
    expect(servers.map(({ name, status, tools }) => [name, status, tools.length])).toEqual([
      ['shared', 'ready', 4],
      ['asking', 'ready', 4],
    ]);
    expect((await home.run(['mcp', 'remove', 'asking'], { cwd: home.work })).status).toBe(0);
    expect((await home.run(['mcp', 'list', '--json'], { cwd: home.work })).stdout).not.toContain('"asking"');
  });
});
