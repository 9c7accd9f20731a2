import { describe, expect, test } from 'vitest';

import { commandWords } from '../../../commands/mcp/command-words.js';
import { configuredServers } from '../../../commands/mcp/configured-servers.js';
import { namedServer, withOwnNames } from '../../../commands/mcp/named-server.js';

const place = { known: new Map(), cwd: '/work', home: '/home/me', env: {} };

describe('a server that a flag names', () => {
  test.for([
    ['npx -y @modelcontextprotocol/server-everything', 'everything'],
    ['npx -y @modelcontextprotocol/server-everything@2026.8.31 stdio', 'everything'],
    ['uvx mcp-server-git', 'git'],
    ['node ./tools/shop.mjs', 'shop'],
    ['node /srv/server-files/dist/index.js', 'files'],
    ['python3 "my server.py"', 'my-server'],
    ['https://mcp.example.org/mcp', 'mcp-example-org'],
  ] as const)('%s has a short name of its own', ([text, name]) => {
    expect(namedServer(text, place).name).toBe(name);
  });

  test('is split into words without a shell', () => {
    expect(commandWords(`a 'b c' "d \\"e\\"" f\\ g $HOME;x`)).toEqual([
      'a',
      'b c',
      'd "e"',
      'f g',
      '$HOME;x',
    ]);
    expect(() => commandWords(`a 'b`)).toThrow('unclosed quote');
  });

  test('has a number where another one has its name', () => {
    const one = namedServer('node a.js', place);
    expect(withOwnNames([one, one]).map(({ name }) => name)).toEqual(['a', 'a-2']);
  });
});

describe('a server of the configuration', () => {
  const io = { cwd: '/work', home: '/home/me', env: { KEY: 'k', OTHER: 'secret' } };

  test('gets what the list of variables names, and what stands beside it', () => {
    const mcpServers = {
      a: { command: 'a', args: ['--key=${KEY}', '${MISSING:-none}'], env: { K: '${KEY}' }, timeout: 1_000 },
      b: { url: 'https://example.org/', headers: { 'x-key': '${KEY}' } },
    };
    const { servers, problems } = configuredServers(io, { mcpServers, mcpEnv: ['KEY', 'MISSING'] });
    expect(problems).toEqual([]);
    const from = 'your configuration';
    expect([...servers.values()]).toEqual([
      {
        ...{ type: 'stdio', name: 'a', from, command: 'a', args: ['--key=k', 'none'] },
        ...{ env: { K: 'k' }, timeoutMs: 1_000, kind: 'mcp-server', files: [] },
        place: { cwd: '/work', home: '/home/me' },
      },
      { type: 'http', name: 'b', from, url: 'https://example.org/', headers: { 'x-key': 'k' }, allow: [] },
    ]);
  });

  test.for([
    [{ 'a b': { command: 'a' } }, 'a name has 1 to 32 letters'],
    [{ a__b: { command: 'a' } }, 'a name has 1 to 32 letters'],
    [{ a: {} }, 'missing `command` or `url`'],
    [{ a: { url: 'file:///etc/passwd' } }, '`url` is not a valid URL'],
    [{ a: { command: 'a', args: 'b' } }, '`args` must be a list of strings'],
    [{ a: { command: 'a', env: { K: 1 } } }, '`env.K` must be a string'],
    [{ a: { command: 'a', env: { K: '${OTHER}' } } }, 'it uses variable `OTHER`'],
    [{ a: { command: '${KEY2}' } }, 'it uses variable `KEY2`'],
    [{ a: { command: 'npx', args: ['-y', 'files', '.'] } }, '`.` is a relative path'],
    [{ a: { command: './run' } }, '`./run` is a relative path'],
    [{ a: { command: 'a', args: ['--root=../x'] } }, '`--root=../x` is a relative path'],
    [{ a: { command: 'a', cwd: 'x' } }, '`x` is a relative path'],
  ] as const)('%j is left out, and told', ([mcpServers, why]) => {
    const { servers, problems } = configuredServers(io, { mcpServers, mcpEnv: ['KEY'] });
    expect([servers.size, problems.length, problems[0]?.includes(why)]).toEqual([0, 1, true]);
  });
});
