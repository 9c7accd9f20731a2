// What the hooks of other agents tell, and what becomes of a question whose hook is gone.
import { execFileSync } from 'node:child_process';
import { rmSync, symlinkSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

import { attacks } from './attacks.js';
import { withoutSandbox } from './in-sandbox.js';
import { at, parsed, textAt } from './json.js';
import type { Process } from './process.js';
import { heldUnless, premise } from './verdict.js';
import type { World } from './world.js';

const PRINTING = { CLAUDE_CODE_ENTRYPOINT: 'sdk-cli' };
const DIALOG = { hook_event_name: 'PermissionRequest', tool_use_id: undefined };

interface Told {
  readonly agent?: 'claude-code' | 'codex';
  /** Members of the event that differ. */
  readonly event?: object;
  readonly wait?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** Starts a hook for a command. */
function started(world: World, { agent = 'claude-code', event = {}, wait = '30s', env = {} }: Told): Process {
  const input = JSON.stringify({
    ...{ session_id: '0b1c', transcript_path: '/none', cwd: world.project, permission_mode: 'default' },
    ...{ hook_event_name: 'PreToolUse', tool_name: 'Bash', tool_input: { command: 'npm test' } },
    ...{ tool_use_id: 'toolu_1', ...event },
  });
  return world.start(['hook', agent, '--wait', wait], { input, env });
}

/** What a hook says, whole; `undefined` for no word. */
function wordOf(stdout: string): unknown {
  return stdout === '' ? undefined : at(parsed(stdout), 'hookSpecificOutput');
}

/** Runs a hook to its end; its word, or its error. */
async function heard(world: World, told: Told): Promise<unknown> {
  const { status, stdout, stderr } = await started(world, { wait: '1s', ...told }).ended;
  return status === 0 && stderr === '' ? wordOf(stdout) : [status, stderr];
}

/** Waits for a question beyond those that were there. */
async function question(world: World, before: readonly string[] = []): Promise<string> {
  for (let look = 0; look < 200; look += 1) {
    const id = world.sessions().find((one) => !before.includes(one)) ?? '';
    if (id !== '' && world.questionOf(id).id !== '') return id;
    await sleep(50);
  }
  premise(false, 'nothing was asked');
}

const different = (found: unknown, wanted: unknown, what: string): readonly string[] =>
  JSON.stringify(found) === JSON.stringify(wanted) ? [] : [`${what}: ${JSON.stringify(found)}`];

/** A reviewer in sh that notes that it was asked. */
const YES_TO_ALL = [
  '#!/bin/sh',
  'cat > "$0.asked"',
  `echo '{"risk":"low","authorized":"high","decision":"allow","why":"Yes."}'`,
];

/** A call of each kind, none of which has a warning. */
const callsOfEachKind = (world: World): readonly (readonly [string, object])[] => [
  ['Bash', { command: 'npm test' }],
  ['Write', { file_path: world.path('proj', 'notes.md'), content: 'one\n' }],
  ['WebFetch', { url: 'https://docs.example.org/a', prompt: 'sum it up' }],
  ['mcp__files__read', { path: 'notes.md' }],
];
const KINDS = 4;

attacks('hooks of other agents', [
  {
    id: 'H30',
    tried:
      'the transcript of an event is another person’s file, a link to it, a pipe, and a file without an end',
    async run(world) {
      const secret = world.write('user/secret', 'TOP-SECRET\n', 0o600);
      symlinkSync(secret, world.path('link'));
      execFileSync('mkfifo', [world.path('pipe')]);
      const words: unknown[] = [];
      for (const transcript of [secret, world.path('link'), world.path('pipe'), '/dev/zero', '/etc/shadow'])
        words.push(
          textAt(
            await heard(world, { env: PRINTING, event: { transcript_path: transcript } }),
            'permissionDecision',
          ),
        );
      const shown = await world.run(['show', world.session, '--full']);
      const journal = JSON.stringify(world.events(world.session));
      return heldUnless(
        [
          ...different(words, Array(5).fill('defer'), 'words'),
          ...(/SECRET|root:/u.test(shown.stdout + journal) ? ['it was read'] : []),
        ],
        'one question, and none of it was read',
      );
    },
  },
  {
    id: 'H31',
    tried: 'an edit where the agent takes none',
    async run(world) {
      const hook = started(world, { agent: 'codex', event: DIALOG });
      const id = await question(world);
      const { id: interrupt, digest } = world.questionOf(id);
      const input = at(world.eventsOf(id, 'interrupt-raised')[0], 'interrupt', 'source', 'input');
      premise(textAt(input, 'command') === 'npm test', 'the input is not known');
      const edited = { action: 'restart', input: { ...(input as object), command: 'rm -rf .' } };
      const edit = await world.run([
        ...['answer', id, JSON.stringify(edited), '--interrupt', interrupt, '--digest', digest],
      ]);
      const yes = await world.approve(id);
      const word = wordOf((await hook.ended).stdout);
      return heldUnless(
        [
          ...different([edit.status, yes.status], [2, 0], edit.stderr),
          ...different(word, { hookEventName: 'PermissionRequest', decision: { behavior: 'allow' } }, 'word'),
        ],
        'refused, and what was shown is allowed',
      );
    },
  },
  {
    id: 'H32',
    tried: 'kill -9 of a hook while its question is open',
    async run(world) {
      const hook = started(world, { event: DIALOG, wait: '2s' });
      const id = await question(world);
      hook.kill('SIGKILL');
      premise((await hook.ended).stdout === '', 'it had its word already');
      const before = await world.run(['inbox']);
      await sleep(8_000);
      const after = await world.run(['inbox']);
      const shown = await world.run(['show', id]);
      const yes = await world.approve(id);
      const over = await world.run(['inbox']);
      const again = started(world, { event: DIALOG });
      const other = await question(world, [id]);
      premise((await world.approve(other)).status === 0, 'the second is not answered');
      const word = wordOf((await again.ended).stdout);
      return heldUnless(
        [
          ...(before.stdout.includes('until ') ? [] : [`no end is told: ${before.stdout}`]),
          ...(after.stdout.includes(', expired') ? [] : [`nobody is told that it is over: ${after.stdout}`]),
          ...(/expired .*: cancelled/u.test(shown.stdout) ? [] : [shown.stdout]),
          ...different(yes.status, 2, 'a yes after the end'),
          ...(over.stderr.includes(id) ? [`it is left as work: ${over.stderr}`] : []),
          ...(yes.stderr.includes('was already cancelled by the clock') ? [] : [yes.stderr]),
          ...different(word, { hookEventName: 'PermissionRequest', decision: { behavior: 'allow' } }, 'word'),
        ],
        'its end is told, a later answer is refused, and the agent’s next dialog is asked about anew',
      );
    },
  },
  {
    id: 'H33',
    tried: 'names with parts of a path as the session, the call and the tool of an event',
    async run(world) {
      const before = world.run(['list']);
      await before;
      for (const name of [
        '../../../pwned',
        '/etc/pwned',
        'a/../../b',
        '..',
        '.',
        'ask-000000000000',
        '%2e%2e',
      ])
        await heard(world, {
          env: PRINTING,
          event: { session_id: name, tool_use_id: name, tool_name: name },
        });
      const ids = world.sessions();
      return heldUnless(
        [
          ...different(ids.length, 7, 'questions'),
          ...(ids.every((id) => /^ask-[a-z0-9]{12}$/u.test(id) && id !== 'ask-000000000000')
            ? []
            : [ids.join(', ')]),
          ...(['pwned', 'home/pwned', 'b', 'home/b'].some((file) => world.exists(file)) ? ['a file'] : []),
        ],
        'each is a question under an id of ours',
      );
    },
  },
  {
    id: 'H34',
    tried: 'two hooks of one name with the same call at once',
    async run(world) {
      const both = [0, 1].map(() => started(world, { env: PRINTING }));
      const id = await question(world);
      premise((await world.approve(id)).status === 0, 'it could not be approved');
      const words = (await Promise.all(both.map(({ ended }) => ended))).map(({ stdout }) => wordOf(stdout));
      const allowed = words.filter((word) => at(word, 'permissionDecision') === 'allow');
      return heldUnless(
        [...different(allowed.length, 1, 'allowed'), ...different(world.sessions(), [id], 'questions')],
        'one of them hears the answer',
      );
    },
  },
  {
    id: 'H35',
    tried: 'an answer after `codex exec` went on without one, and a call that is made again',
    async run(world) {
      const never = { permission_mode: 'bypassPermissions' };
      const word = await heard(world, { agent: 'codex', event: never });
      const id = world.session;
      const inbox = await world.run(['inbox']);
      const yes = await world.approve(id);
      const again = await heard(world, { agent: 'codex', event: never });
      return heldUnless(
        [
          ...different(
            word,
            {
              hookEventName: 'PreToolUse',
              permissionDecision: 'deny',
              permissionDecisionReason: `hitl: no answer yet to question ${id}`,
            },
            'word',
          ),
          ...(inbox.stdout.includes(id) ? ['it is left with a question that decides nothing'] : []),
          ...different(yes.status, 2, 'a yes after the end'),
          ...different(at(again, 'permissionDecision'), 'deny', 'again'),
          ...different(world.sessions().length, 2, 'questions'),
        ],
        'denied, the question is withdrawn, and the same call asks anew',
      );
    },
  },
  {
    id: 'H36',
    tried: 'the same dialog twice, of which nobody answered the first',
    async run(world) {
      const first = await heard(world, { event: DIALOG });
      const before = world.sessions();
      premise(first === undefined && before.length === 1, 'the first had a word');
      const again = started(world, { event: DIALOG });
      const id = await question(world, before);
      const rejected = await world.run(['answer', id, 'n', 'not now', '--any']);
      premise(rejected.status === 0, rejected.stderr);
      const word = wordOf((await again.ended).stdout);
      const isRejected = /^hitl: rejected by .+: not now$/u.test(textAt(word, 'decision', 'message'));
      return heldUnless(isRejected ? [] : [JSON.stringify(word)], 'the second is a question of its own');
    },
  },
  {
    id: 'H37',
    tried:
      'a reviewer that always says yes, the person’s own and the project’s, and a call of each kind that an agent makes',
    async run(world) {
      const [own, theirs] = ['own', 'theirs'].map((name) =>
        world.write(`${name}.sh`, YES_TO_ALL.join('\n'), 0o755),
      );
      const mcpServers = { files: { command: 'true' } };
      const reviewer = { command: [own], mayAllow: 'high' };
      const rules = { review: ['mcp:files/*'] };
      world.write('home/config.json', JSON.stringify({ mode: 'auto', reviewer, mcpServers, rules }));
      if (!withoutSandbox()) {
        const fetch = world.calling('fetch_url', { url: 'https://docs.example.invalid/a' });
        const ran = await world.run(['chat', '--model', fetch, '-p', 'go']);
        premise(world.exists('own.sh.asked'), `it is not asked in a session of hitl’s: ${ran.stderr}`);
        rmSync(world.path('own.sh.asked'));
      }
      const before = world.sessions();
      world.write('proj/hitl.config.json', JSON.stringify({ reviewer: { command: [theirs] } }));
      const words = await Promise.all(
        callsOfEachKind(world).flatMap(([tool, input]) => {
          const call = { tool_name: tool, tool_input: input };
          return [
            heard(world, { env: PRINTING, event: call }).then((word) => at(word, 'permissionDecision')),
            heard(world, { event: { ...call, ...DIALOG } }),
          ];
        }),
      );
      const asked = world.sessions().filter((id) => !before.includes(id));
      const journals = JSON.stringify(asked.map((id) => world.events(id)));
      return heldUnless(
        [
          ...different(words, Array(KINDS).fill(['defer', undefined]).flat(), 'words'),
          ...different(asked.length, KINDS * 2, 'questions'),
          ...(world.exists('own.sh.asked') || world.exists('theirs.sh.asked')
            ? ['a reviewer was asked']
            : []),
          ...(/"reviewe[dr]"/u.test(journals) ? ['a journal names a reviewer'] : []),
        ],
        'no reviewer is started, and each call is a question',
      );
    },
  },
]);
