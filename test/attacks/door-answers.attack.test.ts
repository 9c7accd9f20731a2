import { attacks } from './attacks.js';
import type { Answered, Try, Waiting } from './doors.js';
import { allRefused, answersOf, atDoor, bodyOf, Door, payingSession, placeOf, waitingAt } from './doors.js';
import { at, jsonLines, listAt, textAt } from './json.js';
import { ledgerModule, PAY } from './tools.js';
import type { Verdict } from './verdict.js';
import { heldUnless, premise } from './verdict.js';
import type { World } from './world.js';

async function others(world: World, door: Door, question: Waiting): Promise<readonly string[]> {
  const headers = { authorization: `Bearer ${door.token}`, 'content-type': 'application/json' };
  const post = (path: string, body: object, ...allowed: readonly number[]): Try => [
    JSON.stringify(body).slice(0, 60),
    path,
    { method: 'POST', headers, body: JSON.stringify(body) },
    ...allowed,
  ];
  const { session, interrupt, digest } = question;
  const elsewhere = await world.chat(world.script());
  return allRefused(door, [
    post(answersOf(question), { interrupt, answer: 'y' }, 400),
    post(answersOf(question), { interrupt, digest: '', answer: 'y' }, 400, 412),
    post(answersOf(question), { interrupt, digest: 'f'.repeat(64), answer: 'y' }, 412),
    post(answersOf(question), { interrupt, digest: digest.toUpperCase(), answer: 'y' }, 412),
    post(answersOf(question), { interrupt: 'i2', digest, answer: 'y' }, 404, 409, 412),
    post(answersOf(question), { interrupt: '__proto__', digest, answer: 'y' }, 400, 404, 412),
    post(answersOf(question), { interrupt, digest, answer: { action: 'approve', always: true } }, 400),
    post(`/v1/sessions/${elsewhere}/answers`, { interrupt, digest, answer: 'y' }, 404, 409, 412),
    post(`/v1/sessions/${session}x/answers`, { interrupt, digest, answer: 'y' }, 404),
  ]);
}

/** Two tabs say y and n at once. */
async function twoTabs(world: World): Promise<Verdict> {
  await payingSession(world);
  const door = await Door.open(world);
  const [question] = await waitingAt(door);
  premise(question !== undefined, 'nothing waits');
  const said = ['y', 'n', 'y', 'n', 'y', 'n'].map((answer) =>
    door.api(answersOf(question), { method: 'POST', body: bodyOf(question, answer) }),
  );
  const answers = await Promise.all(said);
  const counted = answers.filter(({ status }) => status === 200).length;
  const { decisions } = door.done;
  const statuses = answers.map(({ status }) => status).join(' ');
  return heldUnless(
    [
      ...(decisions === 1 && counted === 1 ? [] : [`${String(decisions)} decisions, ${statuses}`]),
      ...(answers.every(({ status }) => status === 200 || status === 409 || status === 202)
        ? []
        : [statuses]),
    ],
    `one of six counts: ${statuses}`,
  );
}

async function heads(door: Door, question: Waiting): Promise<readonly string[]> {
  const cookie = await door.cookie();
  const objections: string[] = [];
  const look = (path: string, { headers }: Answered): void => {
    const policy = String(headers['content-security-policy'] ?? '');
    if (!policy.includes("frame-ancestors 'none'")) objections.push(`${path} can be framed`);
    if (/unsafe-inline|unsafe-eval/u.test(policy)) objections.push(`${path} runs scripts of anybody`);
    if (headers['cache-control'] !== 'no-store') objections.push(`${path} is kept by caches`);
    if (headers.etag !== undefined || headers['last-modified'] !== undefined)
      objections.push(`${path} has a mark`);
    if (headers['access-control-allow-origin'] !== undefined) objections.push(`${path} is for other sites`);
    if (headers['x-content-type-options'] !== 'nosniff') objections.push(`${path} is sniffed`);
  };
  for (const path of ['/', placeOf(question), '/sessions', '/style.css', '/nothing', '/v1/waiting']) {
    look(path, await door.ask(path, { headers: { cookie, origin: 'https://evil.example' } }));
    const asked = await door.ask(path, {
      headers: { 'if-none-match': '*', 'if-modified-since': 'Sat, 01 Jan 2050 00:00:00 GMT' },
    });
    if (asked.status === 304) objections.push(`${path} tells strangers that nothing changed`);
    look(path, asked);
  }
  const options = await door.ask('/v1/waiting', {
    method: 'OPTIONS',
    headers: { origin: 'https://evil.example', 'access-control-request-method': 'POST' },
  });
  if (options.headers['access-control-allow-origin'] !== undefined) objections.push('a preflight is granted');
  return objections;
}

async function streams(door: Door, question: Waiting): Promise<readonly string[]> {
  const cookie = await door.cookie();
  const own = await door.ask('/v1/stream', { headers: { cookie } });
  const upgrade = {
    connection: 'upgrade',
    upgrade: 'websocket',
    'sec-websocket-version': '13',
    'sec-websocket-key': 'AAAAAAAAAAAAAAAAAAAAAA==',
    origin: 'https://evil.example',
  };
  const events = `/v1/sessions/${question.session}/events`;
  return [
    ...(own.status === 200 ? [] : [`a stream of one’s own: ${String(own.status)}`]),
    ...(await allRefused(door, [
      ['a stream without a token', '/v1/stream', {}],
      ['events without a token', events, {}],
      ['events by another host', events, { headers: { cookie, host: 'evil.example' } }, 421],
      [
        'a stream for another site',
        '/v1/stream',
        {
          headers: {
            cookie,
            'sec-fetch-site': 'cross-site',
            'sec-fetch-mode': 'no-cors',
            origin: 'https://evil.example',
          },
        },
      ],
      [
        'events for another site',
        events,
        {
          headers: {
            cookie,
            'sec-fetch-site': 'cross-site',
            'sec-fetch-mode': 'no-cors',
            origin: 'https://evil.example',
          },
        },
      ],
      ['a websocket', '/v1/stream', { headers: upgrade }, 0, 400, 401, 403, 404, 426],
      ['a websocket with a cookie', '/', { headers: { ...upgrade, cookie } }, 0, 200, 400, 403, 404, 426],
    ])),
  ];
}

const MARKS = ['\u001b', '\u202e', '\u2066'];

/** Words of others on the pages: marks of HTML, of a terminal, and of another direction. */
async function words(world: World): Promise<Verdict> {
  const evil = '<img src=x onerror=alert(1)>"\'\u001b[31m\u202eevil\u2066</textarea><script>1</script>';
  const module = ledgerModule(world, PAY);
  const model = world.calling('pay', { to: evil, amount: 5 });
  const ran = await world.run(['chat', '-m', model, '-t', module, '-p', evil]); // which is the title, too
  premise(ran.status === 3, `nothing was asked: ${ran.stderr}`);
  const door = await Door.open(world);
  const [question] = await waitingAt(door);
  premise(question !== undefined, 'nothing waits');
  const cookie = await door.cookie();
  const objections: string[] = [];
  for (const path of ['/', '/sessions', placeOf(question), `/sessions/${question.session}`]) {
    const { body, status } = await door.ask(path, { headers: { cookie } });
    if (status !== 200) objections.push(`${path}: ${String(status)}`);
    if (/<img|<script>1|<\/textarea><script/u.test(body)) objections.push(`${path} has its markup`);
    if (MARKS.some((mark) => body.includes(mark))) objections.push(`${path} has its marks`);
  }
  return heldUnless(objections, 'shown as escapes');
}

/** A program that asks by `hitl mcp`, and tries to answer itself. */
async function mcp(world: World): Promise<Verdict> {
  await payingSession(world);
  const [paying = ''] = world.sessions();
  const program = world.start(['mcp'], { limitMs: 60_000 });
  let id = 0;
  const ask = async (method: string, params: object): Promise<unknown> => {
    id += 1;
    program.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
    premise(await program.until(`"id":${String(id)}`), `no reply to ${method}: ${program.stderr}`);
    return jsonLines(program.stdout).find((line) => at(line, 'id') === id);
  };
  await ask('initialize', {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'claude-code', version: '1' },
  });
  program.write(`${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' })}\n`);
  const names = listAt(await ask('tools/list', {}), 'result', 'tools').map((tool) => textAt(tool, 'name'));
  const call = (name: string, given: object) => ask('tools/call', { name, arguments: given });
  const answering = names.filter(
    (name) =>
      /answer|approve|resolve|decide/iu.test(name) && name !== 'check_answer' && name !== 'request_approval',
  );
  const objections = answering.map((name) => `it is offered ${name}`);
  for (const name of ['answer', 'answer_question', 'hitl_answer', '__proto__', 'pay']) {
    const told = await call(name, { id: `${paying}/i1`, session: paying, interrupt: 'i1', answer: 'y' });
    if (at(told, 'error') === undefined && at(told, 'result', 'isError') !== true)
      objections.push(`${name} is a tool`);
  }
  for (const forged of [paying, `${paying}/i1`, `../${paying}`, '../../etc/passwd', '__proto__', '']) {
    const told = await call('check_answer', { id: forged });
    if (at(told, 'error') === undefined && at(told, 'result', 'isError') !== true)
      objections.push(`check_answer reads ${forged}: ${JSON.stringify(told).slice(0, 80)}`);
  }
  const decided = world.sessions().flatMap((session) => world.eventsOf(session, 'interrupt-resolved'));
  if (decided.length > 0) objections.push('a decision was recorded');
  program.kill('SIGKILL');
  return heldUnless(objections, `${names.join(', ')}: none answers, and no other id is read`);
}

attacks(
  'The doors of `hitl serve` and `hitl mcp`: whose question is answered, how often, and what a page may do',
  [
    {
      id: 'S7',
      tried: 'digests and ids of other questions and sessions',
      run: async (world) => atDoor(world, async (door, question) => others(world, door, question)),
    },
    { id: 'S8', tried: 'six tabs that answer y and n at once', run: twoTabs },
    {
      id: 'S9',
      tried: 'frames, caches, marks of versions, other origins',
      run: async (world) => atDoor(world, heads),
    },
    { id: 'S10', tried: 'markup, escapes and bidi in titles and inputs of a page', run: words },
    {
      id: 'S11',
      tried: 'streams without a token and for other sites, websockets',
      run: async (world) => atDoor(world, streams),
    },
    { id: 'S12', tried: 'an agent that answers its own question by `hitl mcp`, forged ids', run: mcp },
  ],
);
