// What outside programs ask: `hitl ask` and `POST /v1/questions`.
import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, truncateSync } from 'node:fs';

import { attacks } from './attacks.js';
import type { Answered, Door } from './doors.js';
import { answersOf, bodyOf, placeOf } from './doors.js';
import { at, parsed, textAt } from './json.js';
import { as, formOf, withTokens } from './people.js';
import { heldUnless, premise } from './verdict.js';
import type { World } from './world.js';

/** What a terminal obeys, what turns text around, and what nobody sees. */
const EVIL = '\u001b]0;PWN\u0007\u001b[2J\u202Eevil\u2069\u200B';
const RAW = ['\u001b', '\u0007', '\u202E', '\u2069', '\u200B'];
const hasRaw = (text: string): boolean => RAW.some((one) => text.includes(one));

/** A form whose titles and choices are hostile. */
const form = (words: string): object => ({
  type: 'object',
  title: words,
  properties: { region: { type: 'string', title: words, description: words, enum: [words, 'us'] } },
});

/** Asks without waiting; the id, or what was said instead. */
async function asked(world: World, ...args: readonly string[]): Promise<string> {
  const { status, stdout, stderr } = await world.run(['ask', ...args, '--detach', '--quiet']);
  return status === 3 ? stdout.trim() : stderr;
}

/** Asks over HTTP as somebody. */
async function posted(door: Door, name: string, body: object | string, key?: string): Promise<Answered> {
  return door.ask('/v1/questions', {
    method: 'POST',
    headers: {
      ...as(name),
      'content-type': 'application/json',
      ...(key !== undefined && { 'idempotency-key': key }),
    },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
}

const outcomeIn = ({ status, body }: Answered): readonly [number, string] => [
  status,
  textAt(parsed(body), 'status') || textAt(parsed(body), 'error', 'code'),
];
const idIn = ({ body }: Answered): string => textAt(parsed(body), 'id');

/** Answers over HTTP as somebody. */
async function answered(world: World, door: Door, name: string, session: string) {
  const { id: interrupt, digest } = world.questionOf(session);
  const asking = { session, interrupt, digest };
  return door.ask(answersOf(asking), {
    method: 'POST',
    headers: { ...as(name), 'content-type': 'application/json' },
    body: bodyOf(asking),
  });
}

const decisionsOf = (world: World, id: string): number => world.eventsOf(id, 'interrupt-resolved').length;
const different = (found: unknown, wanted: unknown, what: string): readonly string[] =>
  JSON.stringify(found) === JSON.stringify(wanted) ? [] : [`${what}: ${JSON.stringify(found)}`];

attacks('questions of other programs', [
  {
    id: 'A1',
    tried: '`hitl ask` with control characters and bidi in every field',
    async run(world) {
      world.write('proj/form.json', JSON.stringify(form(EVIL)));
      world.write('proj/change.diff', `--- a\n+++ b\n@@ -1 +1 @@\n-${EVIL}\n+${EVIL}\n`);
      const fields = ['--facts', `k${EVIL}=${EVIL}`, '--diff', 'change.diff', '--wait', '100ms'];
      const shown = [
        await world.run(['ask', EVIL, ...fields, '--key', EVIL]),
        await world.run(['ask', EVIL, ...fields, '--choices', `a${EVIL},b`]),
        await world.run(['ask', EVIL, ...fields, '--form', 'form.json']),
        await world.run(['ask', EVIL, '--timeout', EVIL, '--wait', '100ms']),
        await world.run(['ask', EVIL, '--approvers', EVIL, '--wait', '100ms']),
        await world.run(['inbox']),
        await world.run(['list']),
      ];
      for (const id of world.sessions())
        shown.push(await world.run(['show', id]), await world.run(['why', id]));
      const statuses = shown.slice(0, 5).map(({ status }) => status);
      return heldUnless(
        [
          ...different(statuses, [3, 3, 3, 2, 2], 'statuses'),
          ...(shown.some(({ stdout, stderr }) => hasRaw(stdout + stderr)) ? ['raw characters got out'] : []),
        ],
        'no raw character got out',
      );
    },
  },
  {
    id: 'A2',
    tried: '`POST /v1/questions` with control characters and bidi in every field',
    async run(world) {
      const door = await withTokens(world);
      const told = { question: EVIL, facts: { [EVIL]: EVIL }, diff: EVIL };
      const all = [
        await posted(door, 'bot', told),
        await posted(door, 'bot', { ...told, choices: [EVIL, 'b'] }),
        await posted(door, 'bot', { ...told, form: form(EVIL) }),
        await posted(door, 'bot', { question: EVIL, timeout: EVIL.slice(0, 20) }),
        await posted(door, 'bot', { question: EVIL, approvers: EVIL }),
        await posted(door, 'bot', { question: 'Q', [EVIL]: EVIL }),
      ];
      const statuses = all.map(({ status }) => status);
      for (const id of world.sessions()) {
        const { id: interrupt, digest } = world.questionOf(id);
        const headers = as('ann');
        all.push(await door.ask(placeOf({ session: id, interrupt, digest }), { headers }));
        all.push(await door.ask(`/sessions/${id}`, { headers }));
        all.push(await door.ask(`/v1/questions/${id}`, { headers }));
      }
      all.push(await door.ask('/', { headers: as('ann') }));
      all.push(await door.ask('/v1/waiting', { headers: as('ann') }));
      premise(
        all.slice(6).every(({ status }) => status === 200),
        'a page or an answer was refused',
      );
      return heldUnless(
        [
          ...different(statuses, [201, 201, 201, 400, 400, 400], 'statuses'),
          // A choice that is posted is exactly that choice.
          ...(all.some(({ body }) => hasRaw(body.replaceAll(/ value="[^"]*"/gu, '')))
            ? ['raw characters got out']
            : []),
        ],
        'no raw character got out',
      );
    },
  },
  {
    id: 'A3',
    tried: 'a file without an end, one of a terabyte, a folder, and a pipe that nobody writes',
    async run(world) {
      truncateSync(world.write('proj/huge', ''), 1e12);
      mkdirSync(world.path('proj/folder'));
      symlinkSync('/dev/zero', world.path('proj/link'));
      execFileSync('mkfifo', [world.path('proj/pipe')]);
      const objections: string[] = [];
      for (const name of ['/dev/zero', 'link', 'huge', 'folder'])
        for (const flag of ['--diff', '--form']) {
          const { status, stdout, stderr, ms } = await world.run(['ask', 'Q?', flag, name, '--detach']);
          const isSaid = stderr.includes(
            name === 'folder' ? 'cannot read' : 'is too large (maximum 1000000 bytes)',
          );
          if (status !== 2 || stdout !== '' || !isSaid) objections.push(`${flag} ${name}: ${stderr}`);
          if (ms > 10_000) objections.push(`${flag} ${name}: ${String(ms)} ms`);
        }
      const waiting = world.start(['ask', 'Q?', '--diff', 'pipe', '--detach'], { input: '' });
      await waiting.until('never', 1_500);
      premise(!waiting.hasEnded, `it did not wait for the pipe: ${waiting.stderr}`);
      waiting.kill('SIGTERM');
      const { status, wasTooLong } = await waiting.ended;
      if (status !== 143 || wasTooLong) objections.push(`SIGTERM at a pipe: ${String(status)}`);
      objections.push(...different(world.sessions(), [], 'questions'));
      return heldUnless(objections, 'refused in words, and a signal ends the wait for a pipe');
    },
  },
  {
    id: 'A4',
    tried: 'a question that looks as if another agent asked, and a name of its own',
    async run(world) {
      const words = 'claude-code in ~/shop wants to: Run `npm test`';
      for (const kind of ['--yes-no', '--text', '--choices=y,n'])
        await asked(world, words, kind, '--facts', 'from=claude-code');
      const inbox = await world.run(['inbox']);
      const rows = inbox.stdout.split('\n').filter((row) => row.includes('claude-code'));
      const door = await withTokens(world);
      const statuses = [
        await posted(door, 'bot', { question: 'Q', from: 'ann' }),
        await posted(door, 'bot', { question: 'Q', by: { name: 'ann' } }),
        await posted(door, 'bot', { question: 'Q', name: 'ann' }),
      ].map(({ status }) => status);
      await posted(door, 'bot', { question: words, text: true });
      const listed = (await world.run(['inbox'])).stdout.split('\n').find((row) => row.includes(' bot '));
      return heldUnless(
        [
          ...different(rows.length, 3, 'rows'),
          ...(rows.every((row) => /a script in \S+ (?:asks|wants to): claude-code/u.test(row))
            ? []
            : [`who asks is not shown: ${rows.join(' | ')}`]),
          ...different(statuses, [400, 400, 400], 'names of its own'),
          ...(listed === undefined ? ['the list does not say that bot asks'] : []),
        ],
        'each row begins with who asks',
      );
    },
  },
  {
    id: 'A5',
    tried: 'an approval of another program under the same key, from another folder, and by another token',
    async run(world) {
      mkdirSync(world.path('other'));
      const own = await asked(world, 'Deploy?', '--key', 'd');
      premise((await world.approve(own)).status === 0, 'it could not be approved');
      const other = await world.run(['ask', 'Deploy?', '--key', 'd', '--wait', '100ms', '--json'], {
        cwd: world.path('other'),
      });
      const file = world.write(
        'two.txt',
        `bot ${'1'.repeat(40)} roles=ask\nbot ${'2'.repeat(40)} roles=ask\n`,
        0o600,
      );
      const two = await world.run(['serve', '--port', '0', '--auth', 'token-file', '--token-file', file]);
      return heldUnless(
        [
          ...different([other.status, textAt(parsed(other.stdout), 'status')], [3, 'waiting'], 'elsewhere'),
          ...(textAt(parsed(other.stdout), 'id') === own ? ['it is the same question'] : []),
          ...different(two.status, 2, 'two tokens of one name'),
        ],
        'another question, and no server for two of one name',
      );
    },
  },
  {
    id: 'A6',
    tried: 'an answer that changes what is asked',
    async run(world) {
      const id = await asked(world, 'Delete a?', '--facts', 'host=a');
      const { id: interrupt, digest } = world.questionOf(id);
      const edit = { action: 'restart', input: { action: 'Delete b?', from: 'ann' } };
      const local = await world.run(['answer', id, JSON.stringify(edit), '--digest', digest]);
      const door = await withTokens(world);
      const statuses: number[] = [];
      for (const resolution of [
        edit,
        { action: 'respond', output: { approved: true } },
        { action: 'retry' },
      ]) {
        const headers = { ...as('ann'), 'content-type': 'application/json' };
        const body = JSON.stringify({ interrupt, digest, resolution });
        statuses.push(
          (await door.ask(`/v1/sessions/${id}/answers`, { method: 'POST', headers, body })).status,
        );
        const answer = JSON.stringify({ interrupt, digest, answer: resolution });
        statuses.push(
          (await door.ask(`/v1/sessions/${id}/answers`, { method: 'POST', headers, body: answer })).status,
        );
      }
      const standing = await world.run(['ask', '--id', id, '--wait', '100ms', '--json']);
      return heldUnless(
        [
          ...different(local.status, 2, local.stderr),
          ...(statuses.every((status) => status === 400) ? [] : [`over HTTP: ${statuses.join(', ')}`]),
          ...different([standing.status, decisionsOf(world, id)], [3, 0], 'standing'),
        ],
        'refused, and the question waits',
      );
    },
  },
  {
    id: 'A7',
    tried: 'a program answers its own question over HTTP',
    async run(world) {
      const door = await withTokens(world);
      const objections: string[] = [];
      for (const name of ['bot', 'bob']) {
        const id = idIn(await posted(door, name, { question: 'Deploy?' }));
        const asking = { session: id, interrupt: 'i1', digest: world.questionOf(id).digest };
        const headers = as(name);
        const json = { ...headers, 'content-type': 'application/json' };
        const page = await door.ask(placeOf(asking), { headers });
        const body = new URLSearchParams({ form: formOf(page.body), digest: asking.digest, way: 'y' });
        const tries: readonly Answered[] = [
          await answered(world, door, name, id),
          await door.ask(`${placeOf(asking)}/answer`, {
            method: 'POST',
            headers: { ...headers, 'content-type': 'application/x-www-form-urlencoded' },
            body: body.toString(),
          }),
          await door.ask(`/v1/questions/${id}`, { method: 'POST', headers: json, body: '{"answer":"y"}' }),
          await door.ask(`/v1/questions/${id}`, {
            method: 'PUT',
            headers: json,
            body: '{"status":"approved"}',
          }),
          await door.ask(`/v1/questions/${id}?status=approved&isAsker=true`, { headers }),
          await posted(door, name, { question: 'Deploy?', approvers: `1 of ${name}`, approved: true }),
        ];
        const taken = tries.filter(({ status, body: said }) => status < 400 && !said.includes('"waiting"'));
        objections.push(...taken.map(({ status, body: said }) => `${name}: ${String(status)} ${said}`));
        objections.push(...different(decisionsOf(world, id), 0, `decisions of ${name}`));
      }
      const last = world.sessions().at(-1) ?? '';
      premise((await answered(world, door, 'ann', last)).status === 200, 'nor does anybody else answer');
      return heldUnless(objections, 'somebody else has to');
    },
  },
  {
    id: 'A8',
    tried: 'more questions than anybody can read',
    limitMs: 120_000,
    async run(world) {
      const door = await withTokens(world);
      const first = await posted(door, 'bot', { question: 'first' }, 'first');
      const statuses = new Map<number, number>();
      for (let round = 0; round < 26; round += 1)
        for (const { status } of await Promise.all(
          Array.from({ length: 10 }, () => posted(door, 'bot', { question: 'Q?' })),
        ))
          statuses.set(status, (statuses.get(status) ?? 0) + 1);
      const again = await posted(door, 'bot', { question: 'first' }, 'first');
      const other = await posted(door, 'bob', { question: 'Deploy?' });
      const filed = statuses.get(201) ?? 0;
      return heldUnless(
        [
          ...(filed <= 210 && filed + (statuses.get(429) ?? 0) === 260
            ? []
            : [`statuses ${JSON.stringify([...statuses])}`]),
          ...different(again.body, first.body, 'the one that was asked before'),
          ...different(other.status, 201, 'another program'),
        ],
        'no more than 200, and others can ask',
      );
    },
  },
  {
    id: 'A9',
    tried: 'other words under the key of a question that was approved',
    async run(world) {
      const door = await withTokens(world);
      const body = { question: 'Deploy?', facts: { host: 'a' }, diff: 'a', timeout: '1h' };
      const first = await posted(door, 'bot', body, 'k');
      const id = idIn(first);
      await answered(world, door, 'ann', id);
      const others: readonly object[] = [
        { ...body, question: 'Delete?' },
        { ...body, facts: { host: 'b' } },
        { ...body, facts: {} },
        { ...body, diff: 'b' },
        { ...body, timeout: '2h' },
        { ...body, approvers: '1 of ann' },
        { ...body, text: true },
        { ...body, choices: ['y'] },
      ];
      const outcomes: unknown[] = [];
      for (const other of others) outcomes.push(outcomeIn(await posted(door, 'bot', other, 'k')));
      const local = await asked(world, 'Deploy?', '--key', 'k');
      const other = await asked(world, 'Delete?', '--key', 'k');
      const [mine, again] = [await posted(door, 'bot', body, 'k'), await posted(door, 'bot', body, 'k')];
      return heldUnless(
        [
          ...different(
            outcomes,
            others.map(() => [400, 'BAD_INPUT']),
            'other words',
          ),
          ...(local.startsWith('ask-') && other.includes('belongs to a different question') ? [] : [other]),
          ...different(
            [mine, again].map(outcomeIn),
            [
              [201, 'approved'],
              [201, 'used'],
            ],
            'the question itself',
          ),
          ...different(decisionsOf(world, id), 1, 'decisions'),
        ],
        'the key is of one question, and its approval is handed out once',
      );
    },
  },
  {
    id: 'A10',
    tried: 'a time limit in the past, of none, and of ten thousand years',
    async run(world) {
      const door = await withTokens(world);
      const objections: string[] = [];
      for (const timeout of [
        '-1d',
        '0s',
        '0',
        '2020-01-01',
        '4000000d',
        '9'.repeat(20),
        'soon',
        '1e3s',
        '\u0661d',
      ])
        for (const kind of [{}, { text: true }]) {
          const { status, body } = await posted(door, 'bot', { question: 'Q?', timeout, ...kind });
          if (status !== 400 || !body.includes('duration')) objections.push(`${timeout}: ${body}`);
        }
      const local = await asked(world, 'Q?', '--timeout=-1d');
      if (!local.includes('must be a duration')) objections.push(local);
      objections.push(...different(world.sessions(), [], 'questions'));
      return heldUnless(objections, 'refused, and nothing is asked');
    },
  },
  {
    id: 'A11',
    tried: 'choices that are the same, look the same, or are words of ours',
    async run(world) {
      const door = await withTokens(world);
      const ask = async (...choices: readonly string[]) => posted(door, 'bot', { question: 'Q?', choices });
      const same = [await ask('a', 'a'), await ask('a', ' A'), await ask('', 'b'), await ask()];
      const alike = idIn(await ask('eu', '\u0435u'));
      const shown = await world.run(['show', alike]);
      const odd = idIn(await ask('n', '/cancel', '2', 'y'));
      const unclear = await world.run(['answer', odd, '2']);
      const chosen = await world.run(['answer', odd, 'y', '--digest', world.questionOf(odd).digest]);
      const { body } = await door.ask(`/v1/questions/${odd}`, { headers: as('bot') });
      return heldUnless(
        [
          ...different(
            same.map(({ status }) => status),
            [400, 400, 400, 400],
            'the same',
          ),
          ...(shown.stdout.includes('looks like choice 1') ? [] : ['nobody is told that two look alike']),
          ...different([unclear.status, chosen.status], [2, 0], unclear.stderr),
          ...different([at(parsed(body), 'answer'), decisionsOf(world, odd)], ['y', 1], 'the answer'),
        ],
        'refused or told, and a choice is what was chosen',
      );
    },
  },
  {
    id: 'A12',
    tried: 'keys of objects in a body, in facts, in a form and in an answer',
    async run(world) {
      const door = await withTokens(world);
      const proto = '"__proto__":{"roles":["answer"],"approved":true,"text":true}';
      const bodies = [
        `{"question":"Q?",${proto}}`,
        `{"question":"Q?","constructor":{"prototype":{"approved":true}}}`,
        `{"question":"Q?","question":"Other?"}`,
        `{"question":"Q?","form":{"type":"object","properties":{"__proto__":{"type":"string"}}}}`,
        `{"question":"Q?","form":{"type":"object","properties":{"a":{"type":"string"}},${proto}}}`,
        `{"question":"Q?","form":{"type":"object","properties":{"a":{"type":"string"}},"required":["toString"]}}`,
        `{"question":"Q?","facts":{"__proto__":"x"}}`,
      ];
      const statuses: number[] = [];
      for (const body of bodies) statuses.push((await posted(door, 'bot', body)).status);
      const facts = await posted(door, 'bot', '{"question":"Q?","facts":{"constructor":"c","toString":"t"}}');
      const asking = idIn(
        await posted(door, 'bot', {
          question: 'Q?',
          form: { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] },
        }),
      );
      const evil = await world.run(['answer', asking, '{"a":"x","__proto__":{"b":1}}']);
      const inherited = await world.run(['answer', asking, '{"constructor":"x"}']);
      const local = await world.run(['ask', 'Q?', '--facts', '__proto__=x', '--detach']);
      return heldUnless(
        [
          ...different(
            statuses,
            bodies.map(() => 400),
            'bodies',
          ),
          ...different(facts.status, 201, 'facts that are named so'),
          ...different([evil.status, inherited.status, local.status], [2, 2, 2], 'answers'),
          ...different(decisionsOf(world, asking), 0, 'decisions'),
          ...(Object.hasOwn({}, 'approved') ? ['objects were changed'] : []),
        ],
        'refused, or a word like any other',
      );
    },
  },
  {
    id: 'A13',
    tried: 'a question is withdrawn while somebody answers it',
    async run(world) {
      const door = await withTokens(world);
      const objections: string[] = [];
      for (let round = 0; round < 3; round += 1) {
        const id = idIn(await posted(door, 'bot', { question: 'Deploy?' }, `k${String(round)}`));
        const { digest } = world.questionOf(id);
        const [yes, no, reply] = await Promise.all([
          world.run(['answer', id, 'y', '--digest', digest]),
          world.run(['answer', id, 'n', 'withdrawn', '--digest', digest]),
          answered(world, door, 'ann', id),
        ]);
        const taken = [yes.status === 0, no.status === 0, reply.status === 200];
        const [status, outcome] = outcomeIn(await door.ask(`/v1/questions/${id}`, { headers: as('bot') }));
        const decided = world
          .eventsOf(id, 'interrupt-resolved')
          .map((event) => textAt(event, 'resolution', 'action'));
        if (taken.filter(Boolean).length !== 1) objections.push(`${taken.join(', ')} were taken`);
        const wanted = taken[1] === true ? ['rejected', ['reject']] : ['approved', ['restart']];
        objections.push(...different([status, outcome, decided], [200, ...wanted], 'what the program hears'));
      }
      return heldUnless(objections, 'one answer counts, and it is the one that the program hears');
    },
  },
  {
    id: 'A14',
    tried: 'kill -9 of the program and of the server between question and answer',
    async run(world) {
      const first = await withTokens(world);
      const body = { question: 'Deploy?' };
      const id = idIn(await posted(first, 'bot', body, 'k'));
      const waits = first.ask(`/v1/questions/${id}?wait=60`, { headers: as('bot') });
      const asker = world.start(['ask', '--id', id], { input: '' });
      premise(await asker.until('Deploy?'), asker.stderr);
      asker.kill('SIGKILL');
      await first.stop();
      const cut = await waits;
      const second = await withTokens(world);
      const again = await posted(second, 'bot', body, 'k');
      const reply = await answered(world, second, 'ann', id);
      await second.stop();
      const third = await withTokens(world);
      const heard = [await posted(third, 'bot', body, 'k'), await posted(third, 'bot', body, 'k')];
      return heldUnless(
        [
          ...different([cut.status, again.status, idIn(again), reply.status], [0, 201, id, 200], 'statuses'),
          ...different(
            heard.map(outcomeIn),
            [
              [201, 'approved'],
              [201, 'used'],
            ],
            'what the program hears',
          ),
          ...different([world.sessions(), decisionsOf(world, id)], [[id], 1], 'sessions and decisions'),
        ],
        'one question, one answer',
      );
    },
  },
]);
