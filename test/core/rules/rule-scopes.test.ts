import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import type { JsonObject, JsonValue, RuleEffect, ToolDescriptor, ToolRule } from '../../../src/core/index.js';
import { judgeCall, NOT_BY_PATTERN, readRule, ruleInWords, servedTool } from '../../../src/core/index.js';
import { urlRequest } from '../../../src/tools/builtin/url-request.js';

const PLACE = { folder: '/home/ann/shop', home: '/home/ann' };
const HERE = '/home/ann/shop';

const rule = (text: string) => {
  const [effect = '', ...rest] = text.split(' ');
  return readRule(effect as RuleEffect, rest.join(' '), 'f', PLACE);
};

function verdict(text: string, name: string, input: JsonValue, facts: JsonObject): string {
  return judgeCall([rule(text)], { name, input, payload: { facts } })?.effect ?? 'none';
}

/** What the file tools show of a path that is what it says. */
const at = (path: string): JsonObject => ({ path });
const KEYS = { [NOT_BY_PATTERN]: 'ignored: files like this often contain keys' };

describe('a rule about paths', () => {
  test.for<readonly [string, string, string]>([
    ['allow write_file src/**', `${HERE}/src/a.js`, 'allow'],
    ['allow write_file src/**', `${HERE}/src/deep/a.js`, 'allow'],
    ['allow write_file src/**', `${HERE}/src`, 'allow'],
    ['allow write_file src/**', `${HERE}/srcs/a.js`, 'none'],
    ['allow write_file src/*', `${HERE}/src/a.js`, 'allow'],
    ['allow write_file src/*', `${HERE}/src/deep/a.js`, 'none'],
    ['allow write_file ./src/*.js', `${HERE}/src/a.js`, 'allow'],
    ['allow write_file *.md', `${HERE}/a.md`, 'allow'],
    ['allow write_file *.md', `${HERE}/docs/a.md`, 'none'],
    ['allow write_file **/*.md', `${HERE}/a.md`, 'allow'],
    ['allow write_file **/*.md', `${HERE}/docs/deep/a.md`, 'allow'],
    ['allow write_file **/*.md', '/etc/a.md', 'none'],
    ['allow write_file ../other/*', '/home/ann/other/a', 'allow'],
    ['allow write_file ~/notes/?.txt', '/home/ann/notes/a.txt', 'allow'],
    ['allow write_file ~/notes/?.txt', '/home/ann/notes/ab.txt', 'none'],
    ['allow write_file /data/**/log', '/data/log', 'allow'],
    ['allow write_file /data/**/log', '/data/a/b/log', 'allow'],
    ['allow write_file SRC/a.js', `${HERE}/src/a.js`, 'none'],
    ['deny write_file SRC/a.js', `${HERE}/src/a.js`, 'deny'],
    ['deny write_file secrets', `${HERE}/secrets/a/b`, 'deny'],
    ['ask write_file src/**', `${HERE}/src/a.js`, 'ask'],
    ['deny write_file src/**', `${HERE}/lib/a.js`, 'none'],
  ])('%s on %s: %s', ([text, path, expected]) => {
    expect(verdict(text, 'write_file', { path: 'as given' }, at(path))).toBe(expected);
  });

  test('is held to the real path where it allows, and to the path as it was asked for too where it denies', () => {
    const linked = { path: 'src/link' };
    expect([
      verdict('allow read_file src/**', 'read_file', linked, at('/outside/x')),
      verdict('deny read_file src/**', 'read_file', linked, at('/outside/x')),
      verdict('deny read_file src/**', 'read_file', { path: 'lib/../src/x' }, {}),
      verdict('deny read_file ~/.zshrc', 'read_file', { path: '~/.zshrc' }, {}),
      verdict('allow read_file src/**', 'read_file', { path: 'src/x' }, {}),
      verdict('deny read_file src/**', 'read_file', { path: 'link' }, {}),
    ]).toEqual(['none', 'deny', 'deny', 'deny', 'none', 'doubt']);
  });

  test('allows what often contains keys, or runs later, only by its own name', () => {
    const facts = { ...at(`${HERE}/.env`), ...KEYS };
    expect(
      ['allow read_file **', 'allow read_file .env*', 'allow read_file .env', 'allow read_file'].map((text) =>
        verdict(text, 'read_file', { path: '.env' }, facts),
      ),
    ).toEqual(['none', 'none', 'allow', 'allow']);
  });

  test('is in doubt about a search of a folder that holds what it denies', () => {
    const search = (text: string, path: string) => verdict(text, 'search_files', { path }, at(path));
    expect([
      search('deny * ./secrets/**', HERE),
      search('deny * ./secrets/**', `${HERE}/secrets/a`),
      search('deny * ./secrets/**', `${HERE}/src`),
      verdict('deny * ./secrets/**', 'list_files', { path: '.' }, at(HERE)),
      verdict('deny * ./secrets/**', 'list_files', { path: '.', recursive: true }, at(HERE)),
      verdict('deny * ./secrets/**', 'list_files', { path: 'src', recursive: true }, at(`${HERE}/src`)),
    ]).toEqual(['doubt', 'deny', 'none', 'none', 'doubt', 'none']);
  });

  test('takes the folder that it starts in as it is named, whatever its letters', () => {
    const starred = readRule('allow', 'write_file a', 'f', { folder: '/w/*', home: '/' });
    const on = (path: string) =>
      judgeCall([starred], { name: 'write_file', input: {}, payload: { facts: { path } } })?.effect;
    expect([on('/w/*/a'), on('/w/x/a')]).toEqual(['allow', undefined]);
  });

  test.for([
    ['read_file src/', 'this is a folder; to match the files in it, write `src/**`'],
    ['read_file a//b', 'empty part'],
    ['read_file src**', '`**` must be a whole path part'],
    ['read_file */../x', 'a path cannot have `..` after a `*`'],
    ['read_file ../../../../x', 'above the file system root'],
    ['read_file ~bob/x', '`~` is only supported as `~/…`'],
    ['read_file "a *"', 'without quotes'],
    ['read_file a b', "quote a name with spaces: `'a b'`"],
    ["read_file it's", 'unclosed quote'],
    ['read_file a\\ b', 'it contains a backslash'],
    ['read_file a\u00a0b', 'U+00A0'],
    ['run_command when read-only', 'only for tools of a server'],
    ["read_file src/a 'when read only'", 'only for tools of a server'],
    ["run_command ''", 'the program name is empty'],
    ["run_command '/usr/bin/git status'", 'its words are quoted as one'],
    ["run_command npm test '…'", '`…` may only be used once, at the end and without quotes'],
    ['run_command npm ... test', '`…` may only be used once, at the end and without quotes'],
    ['fetch_url ...', 'is no host'],
    ['fetch_url \u0435xample.org', 'is requested as `xn--xample-2of.org`'],
    ["fetch_url 'example.org", 'unclosed quote'],
    ['read_file *.{js,ts}', 'write one rule for each'],
    ['fetch_url https://example.org/a', 'write only the host: `example.org`'],
    ['fetch_url domain:example.org', 'write only the host: `example.org`'],
    ['fetch_url example.*', '`*` can only be at the start'],
    ['fetch_url a b', 'more than one word'],
    ['run_command npm run test:*', 'write further arguments as `…` after a space: `npm run test …`'],
    ['run_command git log > x', 'it contains a redirect'],
    ['run_command git log | tee', 'it contains a second command'],
    ['run_command rm $HOME', 'it contains a variable'],
    ['run_command A=1 npm test', 'it sets a variable'],
    ['run_command git * main', 'it contains a wildcard'],
    [
      "run_command 'git status*'",
      'its words are quoted as one string; write them separately: `git status …`',
    ],
    ['run_command …', 'missing program'],
    ['run_command {"argv":["ls"]', 'the input is not valid JSON'],
    ['pay to ann', 'only `run_command` accepts a command'],
    ['Bash(npm test)', 'after a space, without parentheses'],
    ['pay* {}', 'a JSON input requires a single tool name'],
    ['mcp__*', 'is not an MCP tool name'],
    ['mcp:files', 'is not an MCP tool name'],
    ['mcp:files/read_*', 'not part of a name'],
    ['mcp:files/* when idempotent', 'only `when read-only` can follow'],
  ] as const)('would never match and is refused: %s, because %s', ([text, why]) => {
    expect(rule(`deny ${text}`).problem).toContain(why);
  });

  test('cannot be allowed for tools that only begin alike, but for those of one server', () => {
    expect([rule('allow run*').problem === undefined, rule('allow mcp__shop__*').problem]).toEqual([
      false,
      undefined,
    ]);
  });
});

describe('a rule about hosts', () => {
  test.for<readonly [string, string, string]>([
    ['allow fetch_url example.org', 'example.org', 'allow'],
    ['allow fetch_url Example.ORG', 'example.org', 'allow'],
    ['allow fetch_url example.org', 'www.example.org', 'none'],
    ['allow fetch_url example.org', 'example.org:8080', 'none'],
    ['allow fetch_url localhost:8080', 'localhost:8080', 'allow'],
    ['allow fetch_url *.example.org', 'www.example.org', 'allow'],
    ['allow fetch_url *.example.org', 'example.org', 'none'],
    ['allow fetch_url *.example.org', 'evilexample.org', 'none'],
    ['deny fetch_url *.example.org', 'a.b.example.org', 'deny'],
    ['deny * example.org', 'example.org.', 'deny'],
  ])('%s on %s: %s', ([text, host, expected]) => {
    expect(verdict(text, 'fetch_url', { url: 'x' }, { host })).toBe(expected);
  });

  test('does not allow a name that leads into this machine’s network', () => {
    const facts = {
      host: 'example.org',
      [NOT_BY_PATTERN]: 'ignored: it leads to a host of this machine',
    };
    expect(
      ['allow fetch_url example.org', 'deny fetch_url example.org', 'allow fetch_url'].map((text) =>
        verdict(text, 'fetch_url', {}, facts),
      ),
    ).toEqual(['none', 'deny', 'none']);
  });
});

describe('a rule about hosts of this machine', () => {
  test.for<readonly [string, string, string]>([
    ['fetch_url 127.0.0.1', '127.0.0.1', 'allow'],
    ['fetch_url app.localhost:3000', 'app.localhost:3000', 'allow'],
    ['fetch_url', 'example.org', 'allow'],
    ['fetch_url', 'localhost:8080', 'none'],
    ['fetch_url', '10.0.0.1', 'none'],
    ['fetch_url', '169.254.169.254', 'none'],
    ['fetch_url *.localhost', 'app.localhost', 'none'],
    ['fetch_url *.internal', 'db.internal', 'none'],
    ['fetch_url 169.254.169.254', '169.254.169.254', 'none'],
    ['fetch_url metadata.google.internal', 'metadata.google.internal', 'none'],
    ['fetch_url *.google.internal', 'metadata.google.internal', 'none'],
  ])('allow %s on %s: %s', ([text, host, expected]) => {
    const { facts = {} } = urlRequest(`http://${host}/`);
    expect(
      ['allow', 'deny'].map((effect) => verdict(`${effect} ${text}`, 'fetch_url', { url: 'x' }, facts)),
    ).toEqual([expected, 'deny']);
  });
});

describe('a rule about exactly one call', () => {
  const PAY: ToolDescriptor = {
    name: 'pay',
    description: 'Pays.',
    inputSchema: { type: 'object', properties: { note: { type: 'string', default: '' } } },
    effect: 'once',
    origin: 'test',
    restartable: true,
  };

  test('is about that input, with what the tool has by default', () => {
    const on = (input: JsonObject) =>
      judgeCall([rule('allow pay {"to":"ann","amount":1}')], { name: 'pay', input, tool: PAY })?.effect;
    expect([
      on({ to: 'ann', amount: 1 }),
      on({ amount: 1, to: 'ann', note: '' }),
      on({ to: 'ann', amount: 1, note: 'x' }),
      on({ to: 'ann', amount: 2 }),
      on({ to: 'ann' }),
    ]).toEqual(['allow', 'allow', undefined, undefined, undefined]);
  });

  test('allows shell text as it stands, where it runs what it says', () => {
    const on = (command: string, facts: JsonObject) =>
      verdict('allow run_command {"command":"a > b"}', 'run_command', { command }, facts);
    expect([
      on('a > b', { 'working directory': HERE }),
      on('a > c', { 'working directory': HERE }),
      on('a > b', { 'working directory': HERE, 'rules with words': 'ignored: it runs elsewhere' }),
    ]).toEqual(['allow', 'none', 'none']);
  });
});

test('a rule says in words what it does', () => {
  expect(
    [
      'allow pay',
      'deny *',
      'deny mcp__shop__*',
      'allow run_command git status',
      'ask run_command git push …',
      'allow write_file src/**',
      'allow read_file .env',
      'allow fetch_url *.example.org',
      'deny fetch_url example.org',
      'allow pay {"to":"ann"}',
    ].map((text) => ruleInWords(rule(text))),
  ).toEqual([
    'allows every call of `pay`',
    'denies every call of every tool',
    'denies every tool of the server `shop`',
    'allows the command `git status`',
    'asks about commands that start with `git push`',
    'allows files matching `/home/ann/shop/src/**`',
    'allows the file `/home/ann/shop/.env`',
    'allows hosts below `example.org`',
    'denies the host `example.org`',
    'allows exactly this call: {"to":"ann"}',
  ]);
});

test('what a path rule allows, the same rule denies', () => {
  const part = fc.constantFrom('a', 'b', '*', '**', '?', 'A', '..', '.');
  const patterns = fc.array(part, { minLength: 1, maxLength: 4 }).map((parts) => parts.join('/'));
  const paths = fc
    .array(fc.constantFrom('a', 'b', 'ab', 'A'), { maxLength: 4 })
    .map((parts) => `${HERE}/${parts.join('/')}`);
  fc.assert(
    fc.property(patterns, paths, (pattern, path) => {
      fc.pre(rule(`allow read_file ${pattern}`).problem === undefined);
      fc.pre(verdict(`allow read_file ${pattern}`, 'read_file', {}, at(path)) === 'allow');
      expect(verdict(`deny read_file ${pattern}`, 'read_file', {}, at(path))).toBe('deny');
    }),
  );
});

const BOTH = { server: 'files', tool: 'list', reached: 'files', readOnly: true, destructive: true };

describe('a rule about the tools of a server', () => {
  const served = (server: string, readOnly?: boolean): ToolDescriptor => ({
    name: 'files__list',
    description: 'lists',
    inputSchema: { type: 'object' },
    effect: 'once',
    origin: `mcp ${server}`,
    restartable: true,
    mcp: { server, tool: 'list', reached: 'files', ...(readOnly !== undefined && { readOnly }) },
  });
  const { mcp: _mcp, ...impostor } = served('files');
  const boundTo = (one: ToolRule, tool: ToolDescriptor | undefined): ToolRule => {
    const known = tool && servedTool(tool);
    return known === undefined ? one : { ...one, served: [known] };
  };

  test.for<readonly [string, ToolDescriptor | undefined, string]>([
    ['allow mcp:files/*', served('files'), 'allow'],
    ['allow mcp:files/list', served('files'), 'allow'],
    ['allow mcp:files/read', served('files'), 'none'],
    ['allow mcp:file/*', served('files'), 'none'],
    ['allow mcp:files/* when read-only', served('files', true), 'allow'],
    ['allow mcp:files/* when read-only', served('files', false), 'none'],
    ['allow mcp:files/* when read-only', served('files'), 'none'],
    ['allow mcp:files/* when read-only', { ...served('files'), mcp: BOTH }, 'none'],
    ['allow mcp:files/*', impostor, 'none'],
    ['allow mcp:files/*', undefined, 'none'],
    ['deny mcp:files/* when read-only', served('files', true), 'deny'],
    ['deny mcp:files/*', undefined, 'doubt'],
  ])('%s', ([text, tool, expected]) => {
    const call = { name: 'files__list', input: {}, payload: {}, ...(tool && { tool }) };
    expect(judgeCall([boundTo(rule(text), tool)], call)?.effect ?? 'none').toBe(expected);
  });

  test('says in words whose word it takes', () => {
    expect(ruleInWords(rule('allow mcp:files/* when read-only'))).toBe(
      'allows every tool of the server `files` that the server marks as read-only',
    );
  });
});
