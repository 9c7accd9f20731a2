import { createTwoFilesPatch } from 'diff';

import type {
  GrantRow,
  Interrupt,
  InterruptDraft,
  JsonObject,
  JsonValue,
  Review,
  RunState,
  ToolDescriptor,
} from '../../../src/core/index.js';
import {
  emptyState,
  grantRequest,
  keptTitle,
  requestJson,
  SANDBOX_OFF,
  toolRef,
} from '../../../src/core/index.js';
import { answerSchemaOf, payloadOf } from '../../../src/tools/builtin/ask-user.js';
import { titleOf as mcpTitle } from '../../../src/tools/mcp/mcp-tool.js';
import { interruptOf } from '../../human/open-interrupt.js';
import { CONTENTS, WORDS } from './contents.js';
import type { Content, Words } from './contents.js';

/** What waits, in the session that it waits in. */
export interface Scene {
  readonly open: readonly Interrupt[];
  readonly state: RunState;
}

const TEXT: JsonObject = { type: 'string' };

const TOOLS: readonly ToolDescriptor[] = [
  tool('transfer_money', 'module ./bank.js', {
    toAccount: { type: 'string', description: 'the account that receives the money' },
    amount: { type: 'number', description: 'in US dollars' },
  }),
  {
    ...tool('edit_file', 'built in', { path: TEXT, oldText: TEXT, newText: TEXT }),
    editing: {
      field: 'newText',
      as: 'text',
      file: 'path',
      labels: { path: 'file', oldText: 'old text', newText: 'new text' },
    },
  },
  tool('write_file', 'built in', { path: TEXT, content: TEXT }),
  {
    ...tool('run_command', 'built in', {
      command: TEXT,
      argv: { type: 'array', items: TEXT },
      cwd: { type: 'string', default: '.' },
      timeoutMs: { type: 'integer', minimum: 1, maximum: 600_000, default: 120_000 },
      network: { type: 'boolean', default: false },
    }),
    editing: {
      field: 'command',
      words: 'argv',
      labels: { cwd: 'folder', timeoutMs: 'time limit (ms)', network: 'network' },
    },
  },
  { ...tool('ask_user', 'built in', { question: {} }), restartable: false },
  tool('fetch_url', 'built in', { url: {} }),
  {
    ...tool('request_grant', 'built in', {
      reason: TEXT,
      calls: { type: 'array', items: { type: 'object' } },
      until: { type: 'string', enum: ['turn', 'session'], default: 'turn' },
    }),
    effect: 'idempotent',
  },
  {
    ...tool('everything__echo', 'mcp everything', { message: { ...TEXT, description: 'Message to echo' } }),
    mcp: {
      server: 'everything',
      tool: 'echo',
      title: 'Echo Tool',
      reached: 'npx -y @modelcontextprotocol/server-everything',
      readOnly: true,
    },
  },
];

function tool(name: string, origin: string, properties: JsonObject): ToolDescriptor {
  return {
    name,
    description: name,
    inputSchema: { type: 'object', properties },
    outputSchema: { type: 'object', properties: { done: { type: 'boolean' } }, required: ['done'] },
    effect: 'once',
    origin,
    restartable: true,
  };
}

const STATE: RunState = { ...emptyState(), agent: { model: 'demo', tools: TOOLS } };

interface Asked {
  readonly kind?: Interrupt['kind'];
  readonly name: string;
  readonly input: JsonValue;
  readonly payload?: JsonValue;
  readonly answerSchema?: JsonObject;
  readonly raisedBy?: 'tool' | 'approval' | 'engine';
  readonly title?: string;
  readonly allowed?: InterruptDraft['allowed'];
}

function asked(
  {
    kind = 'confirmation',
    name,
    input,
    payload = true,
    answerSchema,
    raisedBy = 'approval',
    title,
    allowed,
  }: Asked,
  id = 1,
): Interrupt {
  const draft: InterruptDraft = {
    kind,
    source: {
      type: 'tool',
      ref: toolRef(`r${id}`),
      name,
      input,
      raisedBy,
      ...(title !== undefined && { title }),
    },
    payload,
    ...(answerSchema && { answerSchema }),
    ...(allowed && { allowed }),
  };
  return interruptOf(draft, `i${id}`);
}

function transfer(words: Words, amount = 200, id = 1): Interrupt {
  const input = { toAccount: words.name, amount };
  return asked(
    {
      name: 'transfer_money',
      input,
      payload: { reason: 'transfers above 100', balance: 1000 },
      raisedBy: 'tool',
    },
    id,
  );
}

/** A transfer whose tool says in a sentence what it does. */
function titled(words: Words, amount = 200, id = 1): Interrupt {
  const input = { toAccount: words.name, amount, note: words.sentence.slice(0, 60) };
  return asked(
    {
      name: 'transfer_money',
      input,
      payload: { reason: 'transfers above 100', balance: 1000 },
      raisedBy: 'tool',
      title: keptTitle(`Transfer ${amount} to ${words.name}`) ?? '',
    },
    id,
  );
}

function edit(words: Words): Interrupt {
  const around = ['export function total(lines) {', '  const net = sum(lines);'];
  const before = words.lines.map((line) => `  ${line}`).join('\n');
  const after = words.lines
    .map((line, at) => `  ${line.replace('const', 'let').replace('1 +', '2 +')}${at === 1 ? ' // done' : ''}`)
    .join('\n');
  const file = (text: string) => [...around, text, '}', ''].join('\n');
  const diff = createTwoFilesPatch(
    `a/${words.path}`,
    `b/${words.path}`,
    file(before),
    file(after),
    undefined,
    undefined,
    { context: 3 },
  );
  return asked({
    name: 'edit_file',
    input: { path: words.path, oldText: before, newText: after },
    payload: {
      facts: { path: `/home/ann/shop/${words.path}`, change: 'replaces 120 bytes' },
      diff: diff.replace(/^=+\n/, ''),
    },
  });
}

/** A file that is written with what it has already. */
function same(words: Words): Interrupt {
  const { path } = words;
  const input = { path, content: `${words.lines.join('\n')}\n` };
  const payload = {
    facts: { path: `/home/ann/shop/${path}`, change: 'replaces the file' },
    diff: `--- a/${path}\n+++ b/${path}\n`,
  };
  return asked({ name: 'write_file', input, payload });
}

function command(words: Words, around: Around = IN_SANDBOX): Interrupt {
  const text =
    words.lines.length > 5
      ? `npm test -- --reporter=dot ${words.lines.map((_, n) => `test/part-${n}.test.js`).join(' ')}`
      : `npm test -- ${words.path}`;
  return asked({
    name: 'run_command',
    input: { command: text, cwd: '.', timeoutMs: 120_000 },
    payload: {
      facts: {
        'working directory': '/home/ann/shop',
        shell: '/bin/bash',
        sandbox: around.sandbox,
        environment: 'HOME LANG PATH',
        'time limit': '120 s',
      },
      ...(around.warnings && { warnings: [...around.warnings] }),
    },
  });
}

/** What a command is told of its sandbox. */
interface Around {
  readonly sandbox: string;
  readonly warnings?: readonly string[];
}

const IN_SANDBOX: Around = { sandbox: 'can write in this folder, no network' };
const WITHOUT: Around = { sandbox: 'off', warnings: [SANDBOX_OFF] };

/** A call that a reviewer left to the person. */
function reviewed(words: Words): Interrupt {
  const input = { toAccount: words.name, amount: 200 };
  return asked({ name: 'transfer_money', input, payload: { reason: 'transfers above 100' } });
}

function reviewOf({ id, digest }: Interrupt, words: Words): Review {
  const by = { type: 'reviewer', via: 'model', name: 'anthropic:claude-haiku-4-5' } as const;
  const why = words.sentence.slice(0, 80);
  const outcome = { type: 'said', risk: 'high', authorized: 'unknown', decision: 'ask', why } as const;
  return { id, digest, plan: 'p', policy: 'p', by, mayAllow: 'low', outcome };
}

/** A form; `listed` has a field with choices, whose words an answer to copy says again. */
function form(words: Words, listed = false): Interrupt {
  const field = (name: string, label: string, type: 'text' | 'yes-no' | 'choice' | 'secret') => ({
    ...{ name, label, type, optional: false },
    ...(type === 'choice' && { choices: ['stable', 'beta'] }),
  });
  const fields = [
    field('version', words.choices[0] ?? '', 'text'),
    field('draft', 'Draft?', 'yes-no'),
    ...(listed ? [field('channel', 'Channel', 'choice')] : []),
    field('token', 'Token', 'secret'),
  ];
  const asking = { question: words.sentence, multiple: false, allowOther: true, fields };
  return asked({
    kind: 'question',
    name: 'ask_user',
    input: { question: words.sentence, fields },
    payload: payloadOf(asking),
    raisedBy: 'tool',
    answerSchema: answerSchemaOf(asking),
  });
}

function question(words: Words, choices: readonly string[]): Interrupt {
  const payload = {
    question: words.sentence,
    ...(choices.length > 0 && { choices: [...choices], allowOther: true }),
  };
  const answerSchema = { type: 'string' };
  return asked({
    kind: 'question',
    name: 'ask_user',
    input: payload,
    payload,
    answerSchema,
    raisedBy: 'tool',
  });
}

function doubt(words: Words): Interrupt {
  return asked({
    kind: 'in-doubt',
    name: 'run_command',
    input: { command: `./deploy.sh ${words.name}`, cwd: '.', timeoutMs: 120_000 },
    payload: { startedAt: '2026-01-02T03:00:05.000Z', attempt: 1, pid: 31326 },
    raisedBy: 'engine',
  });
}

function gate(words: Words): Interrupt {
  return interruptOf({
    kind: 'gate',
    source: { type: 'node', nodeId: 'publish', visit: 1, phase: 'before' },
    payload: { message: words.sentence, state: { draft: words.name, stars: 3 }, stateDigest: 'd'.repeat(64) },
    allowed: ['continue', 'skip', 'update-state', 'go-back', 'cancel'],
  });
}

/** An address; the hostile one has a user name that looks like a host. */
function fetched(words: Words): Interrupt {
  const long = `https://example.com/${words.path}?${'part=1&'.repeat(12)}`;
  const url = {
    short: 'https://example.com/prices',
    long,
    CJK: 'https://例え.jp/買い物',
    hostile: 'https://github.com:x@evil.example/',
  }[contentOf(words)];
  const { host, href } = new URL(url);
  return asked({
    name: 'fetch_url',
    input: { url },
    payload: { facts: { host, address: href.replace('github.com:x@', ''), 'resolves to': 'not looked up' } },
  });
}

/** A call of a server’s tool, with the title that it gets there. */
function served(words: Words): Interrupt {
  const input = { message: words.sentence };
  return asked({
    name: 'everything__echo',
    input,
    payload: {
      facts: { server: 'npx -y @modelcontextprotocol/server-everything', claims: 'read-only' },
    },
    title: mcpTitle('everything', 'Echo Tool', input),
  });
}

/** A call that failed, and may be tried again. */
function failed(words: Words): Interrupt {
  return asked({
    kind: 'error',
    name: 'transfer_money',
    input: { toAccount: words.name, amount: 200 },
    payload: { code: contentOf(words) === 'CJK' ? 'timeout' : 'failed', message: words.sentence },
    raisedBy: 'engine',
  });
}

function pause(words: Words): Interrupt {
  return interruptOf({
    kind: 'pause',
    source: { type: 'run' },
    payload: { reason: words.sentence, by: words.name },
  });
}

function limit(words: Words): Interrupt {
  const spent = { short: 5, long: 12_345, CJK: 50, hostile: null }[contentOf(words)];
  return interruptOf({ kind: 'limit', source: { type: 'run' }, payload: { limit: 'cost', max: 5, spent } });
}

function contentOf(words: Words): Content {
  return CONTENTS.find((content) => WORDS[content] === words) ?? 'short';
}

/** The tools, uses and scopes of several calls that a model asks for at once. */
function grantRows({ name, path }: Words): readonly (GrantRow & { readonly input: JsonValue })[] {
  const shown = 'd'.repeat(64);
  const folder = `/w/${path.replace(/\/[^/]*$/u, '')}`;
  const paid = { toAccount: name, amount: 20 };
  const row = { toolDigest: 't' };
  return [
    {
      ...{ ...row, tool: 'run_command', input: { command: 'npm test', writes: true }, times: 5 },
      scope: { type: 'words', words: ['npm', 'test'], folder: '/w', shown },
    },
    {
      ...{ ...row, tool: 'write_file', input: { path, content: '' }, times: 10 },
      scope: { type: 'folder', folder, shown },
    },
    { ...row, tool: 'transfer_money', input: paid, times: 1, scope: { type: 'call', input: paid, shown } },
  ];
}

/** The question of a grant for some of these calls, as its gate asks it. */
export function grantOf(words: Words, isIn: (tool: string) => boolean = () => true): Interrupt {
  const rows = grantRows(words).filter(({ tool: name }) => isIn(name));
  const all = rows.reduce((sum, { times }) => sum + times, 0);
  const calls = rows.map(({ tool: name, input, scope, times }) => ({
    ...{ tool: name, input, times },
    size: scope?.type ?? 'tool',
  }));
  const sandboxes = isIn('run_command') ? ['can write in this folder, no network'] : [];
  const plan = { until: 'turn', rows: rows.map(({ input: _input, ...row }) => row) } as const;
  return asked({
    name: 'request_grant',
    input: { reason: words.sentence, calls, until: 'turn' },
    payload: requestJson({ reason: words.sentence, ...grantRequest(plan, { sandboxes, warnings: [] }) }),
    title: keptTitle(`Allow ${all === 1 ? 'a call' : `up to ${all} calls`} without asking`) ?? '',
    allowed: ['restart', 'reject', 'cancel'],
  });
}

const MAKE: Readonly<Record<string, (words: Words) => readonly Interrupt[]>> = {
  confirmation: (words) => [transfer(words)],
  titled: (words) => [titled(words)],
  edit: (words) => [edit(words)],
  'same-content': (words) => [same(words)],
  command: (words) => [command(words)],
  'command-without-sandbox': (words) => [command(words, WITHOUT)],
  reviewed: (words) => [reviewed(words)],
  form: (words) => [form(words)],
  'listed-form': (words) => [form(words, true)],
  choice: (words) => [question(words, words.choices)],
  question: (words) => [question(words, [])],
  'in-doubt': (words) => [doubt(words)],
  limit: (words) => [limit(words)],
  fetch: (words) => [fetched(words)],
  grant: (words) => [grantOf(words)],
  server: (words) => [served(words)],
  error: (words) => [failed(words)],
  pause: (words) => [pause(words)],
  gate: (words) => [gate(words)],
  'two-calls': (words) => [titled(words, 200), titled(words, 300, 2)],
  'two-commands': (words) => [
    command(words),
    { ...command({ ...words, path: 'src/tax.js' }), id: 'i2' as never },
  ],
  'two-edits': (words) => [edit(words), { ...edit({ ...words, path: 'src/tax.js' }), id: 'i2' as never }],
  several: (words) => [transfer(words), titled(words, 300, 2), { ...question(words, []), id: 'i3' as never }],
};

/** Every kind of question that a screen shows. */
export const KINDS: readonly string[] = Object.keys(MAKE).filter((kind) => kind !== 'listed-form');

/** What waits, of one kind, with one content. */
export function sceneOf(kind: string, content: Content): Scene {
  const words = WORDS[content];
  const open = MAKE[kind]?.(words) ?? [];
  if (kind !== 'reviewed') return { open, state: STATE };
  return { open, state: { ...STATE, reviews: open.map((one) => reviewOf(one, words)) } };
}
