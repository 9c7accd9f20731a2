// Counts the keys of some pieces of work in the built program, and writes the table of docs/terminal.md; --check compares,
// --peer counts those of the real Claude Code and Codex instead, and ends with 1 where one is not what the table says.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { formatted } from '../formatted.mjs';
import type { PlayedTurn, PlayedTurns } from '../mcp/played-models.mjs';
import { playMessages, playResponses } from '../mcp/played-models.mjs';
import { Screen } from './screen.js';
import type { Reply } from './stage.js';
import { CART_EDIT, Stage } from './stage.js';

const PAGE = fileURLToPath(new URL('../../docs/terminal.md', import.meta.url));
const SIZE = { columns: 80, rows: 24 };
/** The keys that the same works take in another program, in their order, or why it cannot: see PEER_WORKS. */
const PEER = 'Claude Code 2.1.329';
const PEER_KEYS: readonly (number | string)[] = [
  ...[1, 1, 1, 1, 13, 2, 1, 1, 'cannot: Esc rejects', 2],
  ...['cannot', 'cannot', 2],
  ...[2, 'not counted'],
];

/** The same in a third one: see CODEX_WORKS. */
const CODEX = 'Codex 0.169.0';
const CODEX_KEYS = new Map<string, number | string>([
  ['approve an edit of three lines', 1],
  ['approve a new file of 11 lines', 1],
  ['approve a first shell command', 1],
  ['approve a second shell command', 1],
  ['reject an edit, and say why', 2],
  ['postpone a question, come back, approve', 'cannot'],
  ['change a command, run it', 'cannot'],
  ['change an edit, run it', 'cannot'],
  ['approve, and tell the model something', 'cannot'],
  ['approve two shell commands at once', 2],
]);

const ASKED = /this (?:call|command|edit)\?/u;
/** A piece of work: what the model says, and what a person does. */
interface Work {
  readonly what: string;
  readonly replies: readonly Reply[];
  /** The keys, and what then stands on the screen. */
  readonly play: (screen: Screen) => Promise<void>;
}

const lines = (count: number, name: string): string =>
  Array.from({ length: count }, (_, at) => `${name} ${at + 1}\n`).join('');
const write = (path: string, content: string): Reply => ({
  tools: [{ name: 'write_file', input: { path, content } }],
});
const command = (word: string): Reply => ({
  tools: [{ name: 'run_command', input: { writes: true, argv: ['touch', word] } }],
});
const ask = (input: object): Reply => ({ tools: [{ name: 'ask_user', input }] });
const edit: Reply = { tools: [CART_EDIT] };
const done: Reply = { text: 'That is all.' };

/** Changes the call that is asked about, and runs it. */
const change = async (screen: Screen, typed: string): Promise<void> => {
  await screen.until(ASKED);
  await screen.press('e');
  await screen.until('Enter shows the change');
  await screen.say(typed);
  await screen.until('change again');
  await screen.press('y');
  await screen.until('That is all.');
};

/** Presses keys at a question, and waits for what comes of it. */
const decide =
  (...keys: readonly string[]) =>
  async (screen: Screen): Promise<void> => {
    await screen.until(ASKED);
    await screen.press(...keys);
    await screen.until('That is all.');
  };

/** A file of 150 lines, and the same with every second block of 15 lines changed. */
const block = (word: string): string =>
  Array.from({ length: 150 }, (_, at) => {
    const name = Math.floor(at / 15) % 2 === 1 ? word : 'discount';
    return `const total${at} = round(net${at} - ${name});\n`;
  }).join('');

/** Reads what is asked about to its end. */
async function readAll(screen: Screen): Promise<void> {
  await screen.until(ASKED);
  while (screen.shown.includes('left to read')) {
    await screen.press(' ');
    await screen.until(ASKED);
  }
}

/** The works that are counted. */
const WORKS: readonly Work[] = [
  { what: 'approve an edit of three lines', replies: [edit, done], play: decide('y') },
  {
    what: 'approve a new file of 11 lines',
    replies: [write('new.txt', lines(11, 'line')), done],
    play: decide('y'),
  },
  { what: 'approve a first shell command', replies: [command('one'), done], play: decide('y') },
  {
    what: 'approve a second shell command',
    replies: [command('one'), command('two'), done],
    play: async (screen) => {
      await screen.until(ASKED);
      await screen.press('y');
      await screen.until('touch two');
      screen.keys = 0;
      await decide('y')(screen);
    },
  },
  {
    what: 'read all of a 120-line file that replaces another, approve',
    replies: [write('src/cart.js', lines(120, 'line')), done],
    play: async (screen) => {
      await readAll(screen);
      await decide('y')(screen);
    },
  },
  {
    what: 'reject an edit, and say why',
    replies: [edit, done],
    play: async (screen) => {
      await screen.until(ASKED);
      await screen.press('n');
      await screen.until('why not:');
      await screen.say('keep it');
      await screen.until('That is all.');
    },
  },
  {
    what: 'choose one of three',
    replies: [ask({ question: 'Which?', choices: ['one', 'two', 'three'] }), done],
    play: async (screen) => {
      await screen.until('Your choice:');
      await screen.press('2');
      await screen.until('That is all.');
    },
  },
  {
    what: 'answer a question in words',
    replies: [ask({ question: 'What is it called?' }), done],
    play: async (screen) => {
      await screen.until('answer:');
      await screen.say('the shop');
      await screen.until('That is all.');
    },
  },
  {
    what: 'postpone a question, come back, approve',
    replies: [edit, done],
    play: async (screen) => {
      await screen.until(ASKED);
      await screen.press('\u001b');
      await screen.until('1 question waiting');
      await screen.press('\t');
      await decide('y')(screen);
    },
  },
  {
    what: 'cancel a call, and let the model continue',
    replies: [{ ...command('one'), text: 'First this.' }, done],
    play: async (screen) => {
      await screen.until(ASKED);
      await screen.press('c');
      await screen.until('That is all.');
    },
  },
  {
    what: 'change a command, run it',
    replies: [command('one'), done],
    play: (screen) => change(screen, ' two'),
  },
  { what: 'change an edit, run it', replies: [edit, done], play: (screen) => change(screen, ' // mine') },
  {
    what: 'approve, and tell the model something',
    replies: [edit, done],
    play: async (screen) => {
      await screen.until(ASKED);
      await screen.press('\t');
      await screen.until('yes, and:');
      await screen.say('use tabs');
      await screen.until('That is all.');
    },
  },
  {
    what: 'approve two shell commands at once',
    replies: [
      {
        tools: ['one', 'two'].map((word) => ({
          name: 'run_command',
          input: { writes: true, argv: ['touch', word] },
        })),
      },
      done,
    ],
    play: async (screen) => {
      await screen.until('Run both commands?');
      await screen.press('Y');
      await screen.until('That is all.');
    },
  },
  {
    what: 'read all of a 150-line replacement, half of it unchanged, approve',
    replies: [write('total.js', block('discount')), write('total.js', block('rebate')), done],
    play: async (screen) => {
      await readAll(screen);
      await screen.press('y');
      await screen.until('+75 −75');
      screen.keys = 0;
      await readAll(screen);
      await decide('y')(screen);
    },
  },
];

/** A piece of work in the other program. */
interface PeerWork {
  readonly turns: readonly PlayedTurn[];
  readonly play: (screen: Screen) => Promise<void>;
  /** Where it cannot: `play` sees that it offers no such answer. */
  readonly cannot?: true;
}

const peerCommand = (word: string): PlayedTurn => ({
  tool: 'Bash',
  input: { command: `touch ${word}`, description: 'Makes a file' },
});
const peerEdit: PlayedTurn = {
  tool: 'Edit',
  input: {
    file_path: CART_EDIT.input.path,
    old_string: CART_EDIT.input.oldText,
    new_string: CART_EDIT.input.newText,
  },
};
const PEER_ASKED = /Do you want to [\s\S]*❯ 1\. Yes/u;
const peerYes = async (screen: Screen): Promise<void> => {
  await screen.until(PEER_ASKED);
  await screen.press('1');
  await screen.until('That is all.');
};

/** The works that are played there, by their names; the others were counted once by hand. */
const PEER_WORKS: Readonly<Record<string, PeerWork>> = {
  'approve an edit of three lines': { turns: [peerEdit, done], play: peerYes },
  'approve a new file of 11 lines': {
    turns: [{ tool: 'Write', input: { file_path: 'new.txt', content: lines(11, 'line') } }, done],
    play: peerYes,
  },
  'approve a first shell command': { turns: [peerCommand('one'), done], play: peerYes },
  'approve a second shell command': {
    turns: [peerCommand('one'), peerCommand('two'), done],
    play: async (screen) => {
      await screen.until(PEER_ASKED);
      await screen.press('1');
      await screen.until(/touch two[\s\S]*❯ 1\. Yes/u);
      screen.keys = 0;
      await peerYes(screen);
    },
  },
  'reject an edit, and say why': {
    turns: [peerEdit, done],
    play: async (screen) => {
      await screen.until(PEER_ASKED);
      await screen.press('3');
      await screen.until('Rejected update');
      await screen.say('keep it');
      await screen.until('That is all.');
    },
  },
  'change an edit, run it': {
    turns: [peerEdit, done],
    play: async (screen) => {
      // These are all its answers. Tab adds words for the model; the edit stays as it is.
      await screen.until(/❯ 1\. Yes\s+2\. Yes, and switch[\s\S]*3\. No\s+Esc to cancel · Tab to amend/u);
    },
    cannot: true,
  },
  'approve, and tell the model something': {
    turns: [peerEdit, done],
    play: async (screen) => {
      await screen.until(PEER_ASKED);
      await screen.press('\t');
      await screen.until('Yes, and tell Claude what to do next');
      await screen.say('use tabs');
      await screen.until('That is all.');
    },
  },
};

/** A piece of work in Codex. */
interface CodexWork {
  readonly turns: readonly PlayedTurns[];
  readonly play: (screen: Screen) => Promise<void>;
  readonly cannot?: true;
}

/** A call that Codex asks about: a command that wants to run outside of its sandbox. */
const codexCommand = (cmd: string) => ({
  tool: 'exec_command',
  input: { cmd, sandbox_permissions: 'require_escalated', justification: 'May I make a file?' },
});
const codexPatch = (patch: string): PlayedTurns => ({
  tool: 'exec_command',
  input: { cmd: `apply_patch <<'EOF'\n*** Begin Patch\n${patch}*** End Patch\nEOF\n` },
});
const signed = (sign: string, text: string): string =>
  text
    .split('\n')
    .map((line) => `${sign}${line}\n`)
    .join('');
const { path: cart, oldText, newText } = CART_EDIT.input;
const codexEdit = codexPatch(`*** Update File: ${cart}\n@@\n${signed('-', oldText)}${signed('+', newText)}`);
/** All the answers that it offers: a command or an edit is run as it is, or not, and Esc is a no. */
const CODEX_EDITS =
  /Would you like to make the following edits\?[\s\S]*› 1\. Yes, proceed \(y\)\s+2\. Yes, and don't ask again for these files \(a\)\s+3\. No, and tell Codex what to do differently \(esc\)\s+Press enter/u;
const CODEX_RUNS =
  /Would you like to run the following command\?[\s\S]*› 1\. Yes, proceed \(y\)\s+2\. Yes, and don't ask again for commands that start with [\s\S]*\(p\)\s+3\. No, and tell Codex what to do differently \(esc\)\s+Press enter/u;
const codexYes =
  (asked: RegExp) =>
  async (screen: Screen): Promise<void> => {
    await screen.until(asked);
    await screen.press('y');
    await screen.until('That is all.');
  };
const codexOffers = (asked: RegExp): Pick<CodexWork, 'play' | 'cannot'> => ({
  play: async (screen) => {
    await screen.until(asked);
  },
  cannot: true,
});

/** The works whose keys are counted in Codex. */
const CODEX_WORKS: Readonly<Record<string, CodexWork>> = {
  'approve an edit of three lines': { turns: [codexEdit, done], play: codexYes(CODEX_EDITS) },
  'approve a new file of 11 lines': {
    turns: [codexPatch(`*** Add File: new.txt\n${signed('+', lines(11, 'line').trimEnd())}`), done],
    play: codexYes(CODEX_EDITS),
  },
  'approve a first shell command': { turns: [codexCommand('touch one'), done], play: codexYes(CODEX_RUNS) },
  'approve a second shell command': {
    turns: [codexCommand('touch one'), codexCommand('touch two'), done],
    play: async (screen) => {
      await screen.until(CODEX_RUNS);
      await screen.press('y');
      await screen.until(/\$ touch two[\s\S]*› 1\. Yes/u);
      screen.keys = 0;
      await codexYes(CODEX_RUNS)(screen);
    },
  },
  'reject an edit, and say why': {
    turns: [codexEdit, done],
    play: async (screen) => {
      await screen.until(CODEX_EDITS);
      await screen.press('\u001b');
      await screen.until('interrupted');
      await screen.say('keep it');
      await screen.until('That is all.');
    },
  },
  'postpone a question, come back, approve': { turns: [codexEdit, done], ...codexOffers(CODEX_EDITS) },
  'change a command, run it': { turns: [codexCommand('touch one'), done], ...codexOffers(CODEX_RUNS) },
  'change an edit, run it': { turns: [codexEdit, done], ...codexOffers(CODEX_EDITS) },
  'approve, and tell the model something': { turns: [codexEdit, done], ...codexOffers(CODEX_EDITS) },
  'approve two shell commands at once': {
    turns: [{ calls: [codexCommand('touch one'), codexCommand('touch two')] }, done, done],
    play: async (screen) => {
      await screen.until(/\$ touch one[\s\S]*› 1\. Yes/u);
      await screen.press('y');
      await screen.until(/\$ touch two[\s\S]*› 1\. Yes/u);
      await codexYes(CODEX_RUNS)(screen);
    },
  },
};

const CODEX_PROGRAM = fileURLToPath(new URL('../../bench/agents/node_modules/.bin/codex', import.meta.url));

async function codexKeysOf({ turns, play, cannot }: CodexWork): Promise<number | string> {
  using stage = new Stage();
  const settings = join(stage.env['HOME'] ?? '', '.codex');
  mkdirSync(settings);
  const model = await playResponses(turns, '');
  writeFileSync(
    join(settings, 'config.toml'),
    [
      'model = "gpt-5.1-codex"',
      'model_provider = "played"',
      'check_for_update_on_startup = false',
      '[model_providers.played]',
      'name = "played"',
      `base_url = "${model.url}/v1"`,
      'wire_api = "responses"',
      `[projects."${stage.work}"]`,
      'trust_level = "trusted"',
    ].join('\n'),
  );
  try {
    // Without its server in the background, which would outlive it.
    const words = ['--no-daemon', '--ask-for-approval', 'on-request', '--sandbox', 'read-only', 'go'];
    using screen = new Screen(stage, words, SIZE, { command: CODEX_PROGRAM, env: stage.env });
    await play(screen);
    return cannot === undefined ? screen.keys : 'cannot';
  } finally {
    await model.stop();
  }
}

const CLAUDE = fileURLToPath(
  new URL(
    `../../bench/agents/node_modules/@anthropic-ai/claude-code-${process.platform}-${process.arch}/claude`,
    import.meta.url,
  ),
);

async function peerKeysOf({ turns, play, cannot }: PeerWork): Promise<number | string> {
  using stage = new Stage();
  const settings = join(stage.env['HOME'] ?? '', 'claude');
  mkdirSync(settings);
  const known = {
    hasCompletedOnboarding: true,
    theme: 'dark',
    customApiKeyResponses: { approved: ['x'] },
    projects: { [stage.work]: { hasTrustDialogAccepted: true } },
  };
  writeFileSync(join(settings, '.claude.json'), JSON.stringify(known));
  const model = await playMessages(turns, '');
  try {
    using screen = new Screen(stage, ['--permission-mode', 'default', 'go'], SIZE, {
      command: CLAUDE,
      env: {
        ...stage.env,
        ...{ CLAUDE_CONFIG_DIR: settings, ANTHROPIC_API_KEY: 'x', ANTHROPIC_BASE_URL: model.url },
        ...{ DISABLE_TELEMETRY: '1', DISABLE_AUTOUPDATER: '1' },
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      },
    });
    await play(screen);
    return cannot === undefined ? screen.keys : 'cannot';
  } finally {
    await model.stop();
  }
}

/** A program in which the same works are played. */
interface Peer {
  readonly name: string;
  readonly program: string;
  /** The works that it plays, by their names. */
  readonly works: readonly string[];
  readonly keysOf: (what: string) => Promise<number | string>;
  /** What the table says. */
  readonly told: (what: string) => number | string | undefined;
}

const PEERS: readonly Peer[] = [
  {
    name: PEER,
    program: CLAUDE,
    works: Object.keys(PEER_WORKS),
    keysOf: (what) => {
      const work = PEER_WORKS[what];
      if (work === undefined) throw new Error(`no such work: ${what}`);
      return peerKeysOf(work);
    },
    told: (what) => PEER_KEYS[WORKS.findIndex((work) => work.what === what)],
  },
  {
    name: CODEX,
    program: CODEX_PROGRAM,
    works: Object.keys(CODEX_WORKS),
    keysOf: (what) => {
      const work = CODEX_WORKS[what];
      if (work === undefined) throw new Error(`no such work: ${what}`);
      return codexKeysOf(work);
    },
    told: (what) => CODEX_KEYS.get(what),
  },
];

/** @returns whether each count is that of the table. */
async function countPeer({ name, program, works, keysOf: count, told }: Peer): Promise<boolean> {
  if (!existsSync(program)) {
    process.stdout.write(`${name} is not here: npm ci --ignore-scripts --prefix bench/agents\n`);
    return true;
  }
  let others = 0;
  for (const what of works) {
    const keys = await count(what);
    const isSame = keys === told(what);
    if (!isSame) others += 1;
    process.stdout.write(`${what}: ${keys}${isSame ? '' : `, not ${told(what) ?? 'counted'}`}\n`);
  }
  process.stdout.write(`${name}: ${works.length} counted, ${others} other than in the table\n`);
  return others === 0;
}

async function countPeers(): Promise<boolean> {
  let isRight = true;
  for (const peer of PEERS) isRight = (await countPeer(peer)) && isRight;
  return isRight;
}

async function keysOf({ replies, play }: Work): Promise<number> {
  using stage = new Stage();
  const model = stage.model(...replies);
  using screen = new Screen(stage, ['chat', 'go', '--model', model, '--sandbox', 'off'], SIZE);
  await play(screen);
  return screen.keys;
}

async function countOurs(isCheck: boolean): Promise<boolean> {
  const rows: string[] = [];
  let more = 0;
  for (const [at, work] of WORKS.entries()) {
    const keys = await keysOf(work);
    const peer = PEER_KEYS[at] ?? '';
    const byHand = work.what in PEER_WORKS || peer === 'not counted' ? '' : ' (by hand)';
    const codex = CODEX_KEYS.get(work.what) ?? 'not counted';
    rows.push(`| ${work.what} | ${keys} | ${peer}${byHand} | ${codex} |`);
    process.stderr.write(`${rows.at(-1) ?? ''}\n`);
    if (typeof peer === 'string' || keys <= peer) continue;
    more += 1;
    process.stderr.write(`more keys than elsewhere: ${work.what}\n`);
  }
  const table = [`| work at 80x24 | keys | ${PEER} | ${CODEX} |`, '| --- | --- | --- | --- |', ...rows].join(
    '\n',
  );
  const before = readFileSync(PAGE, 'utf8');
  const START = '<!-- keys: written by npm run keys -->';
  const from = before.indexOf(START) + START.length;
  const to = before.indexOf('<!-- end of keys -->');
  const after = await formatted(PAGE, `${before.slice(0, from)}\n\n${table}\n\n${before.slice(to)}`);
  if (!isCheck) writeFileSync(PAGE, after);
  process.stdout.write(
    `${rows.length} counted, ${more} too many, ${after === before ? 'current' : 'changed'}\n`,
  );
  return more === 0 && (!isCheck || after === before);
}

const isRight = process.argv.includes('--peer')
  ? await countPeers()
  : await countOurs(process.argv.includes('--check'));
process.exitCode = isRight ? 0 : 1;
