import { killPoints, upTo } from '../helpers/kill-points.js';
import { attacks } from './attacks.js';
import { flowModule, runFlow } from './flows.js';
import { DIE_AT } from './die-at.js';
import { at, listAt, parsed, textAt } from './json.js';
import { ledgerOf } from './tools.js';
import type { Verdict } from './verdict.js';
import { broken, held, heldUnless, premise } from './verdict.js';
import type { World } from './world.js';

const ONE = "fn('work', ({ v = null }) => { append({ v }); return { output: v }; }, { effect: 'none' })";

/** A flow that must not be built, or not be started, as it is. */
async function refused(world: World, built: string, flags: readonly string[] = []): Promise<Verdict> {
  const ran = await runFlow(world, flowModule(world, built), flags);
  const isQuestion = ran.status === 3;
  return ledgerOf(world).length > 0 && !isQuestion
    ? broken(`it ran, and ended with ${String(ran.status)}`)
    : held(`status ${String(ran.status)}: ${ran.stderr}`);
}

/** A node with a limit of 50 ms around 1.5 s of work. */
async function limited(world: World, build: string): Promise<Verdict> {
  const slow =
    "const slow = async () => { await new Promise((go) => setTimeout(go, 1500)); append('done'); return { output: 1 }; };";
  const tool =
    "const tool = defineTool({ name: 'slow', description: 's', effect: 'none', input: { type: 'object' } }, async () => { await slow(); return 1; });";
  const flow = flowModule(
    world,
    `(() => { ${slow} ${tool} const inner = graph('inner').fn('w', slow, { effect: 'none' }).end('w').build(); return ${build}; })()`,
  );
  const ran = await runFlow(world, flow);
  const isOver = world
    .sessions()
    .some((id) => JSON.stringify(world.eventsOf(id, 'run-ended')).includes('done'));
  return isOver && ran.status === 0
    ? broken('accepted, and it took 1.5 s')
    : held(`status ${String(ran.status)}: ${ran.stderr}`);
}

/** What a map of two items gives the node behind it. */
async function mapped(world: World, worker: string): Promise<Verdict> {
  const inner =
    "const inner = graph('inner').fn('w', ({ item }) => ({ output: 'did ' + item }), { effect: 'none' }).end('w').build();";
  const flow = flowModule(
    world,
    `(() => { ${inner} return graph('m').map('all', { items: () => [1, 2], worker: ${worker} }).fn('look', ({ all }) => { append({ all }); return { output: 1 }; }, { effect: 'none' }).edge('all', 'look').end('look').build(); })()`,
  );
  const ran = await runFlow(world, flow);
  const [line] = ledgerOf(world);
  if (line === undefined) return held(`refused, status ${String(ran.status)}: ${ran.stderr}`);
  const results = listAt(line, 'all');
  return results.length === 2 && results.every((result) => result === null)
    ? broken('the results are null, and nobody said so')
    : held(JSON.stringify(results));
}

async function lostInput(world: World): Promise<Verdict> {
  const preload = world.write('die.mjs', DIE_AT);
  const flow = flowModule(world, `graph('input').${ONE}.end('work').build()`);
  const args = ['run', flow, '-m', 'demo', '--set', 'v=7'];
  const count = world.path('count');
  await world.run(args, { preload, env: { HITL_HOME: world.path('first'), DIE_AT: '0', DIE_COUNT: count } });
  const operations = Number(world.read('count'));
  premise(operations > 3 && ledgerOf(world).length === 1, 'no operation was seen');
  const lost: number[] = [];
  const tried = killPoints(upTo(operations), 18);
  for (const n of tried) {
    const home = world.path(`home-${String(n)}`);
    await world.run(args, { preload, env: { HITL_HOME: home, DIE_AT: String(n), DIE_COUNT: count } });
    const before = ledgerOf(world).length;
    for (const id of world.sessions(home))
      await world.run(['resume', id, '--trust'], { env: { HITL_HOME: home } });
    if (
      ledgerOf(world)
        .slice(before)
        .some((line) => at(line, 'v') === null)
    )
      lost.push(n);
  }
  return heldUnless(
    lost.length > 0
      ? [`killed before operation ${lost.join(', ')} of ${String(operations)}, it resumed without its input`]
      : [],
    `${String(tried.length)} kills`,
  );
}

const DEEP = `(() => {
  const c = graph('c').human('ask', { question: () => ({ prompt: 'deep?', schema: { type: 'string' } }) }).fn('after', () => { append('after'); return { output: 1 }; }, { effect: 'none' }).edge('ask', 'after').end('after').build();
  const b = graph('b').subgraph('inner', { graph: c, state: 'STATE' }).end('inner').build();
  return graph('a').subgraph('outer', { graph: b, state: 'STATE' }).end('outer').build();
})()`;

async function deepSteering(world: World, state: string): Promise<Verdict> {
  const started = await runFlow(world, flowModule(world, DEEP.replaceAll('STATE', state)));
  premise(started.status === 3, `nothing was asked: ${started.stderr}`);
  const id = world.session;
  for (const target of ['after', 'ask'])
    await world.run([
      'send',
      id,
      '--action',
      'update-state',
      '--params',
      '{"patch":{"k":1}}',
      '--target',
      target,
    ]);
  await world.run(['answer', id, 'fine']);
  const outputs: string[] = [];
  for (let round = 0; round < 4; round += 1) {
    const ran = await world.run(['resume', id], { input: 'y\ny\n' });
    outputs.push(`${String(ran.status)} ${ran.stderr}`);
    if (ran.status !== 3) break;
    await world.run(['answer', id, 'fine']);
  }
  const isDead = outputs.some((text) => /does not fit|ILLEGAL_EVENT|bug in hitl/u.test(text));
  return isDead
    ? broken(outputs.at(-1) ?? '')
    : held(`statuses ${outputs.map((text) => text.slice(0, 1)).join(', ')}`);
}

attacks('Workflows: what is lost, what is ignored without a word, and what ends a run for no reason', [
  {
    id: 'D4a',
    tried: 'messages to nodes two graphs deep, with state of their own',
    run: async (world) => deepSteering(world, 'isolated'),
  },
  {
    id: 'D4b',
    tried: 'messages to nodes two graphs deep, with shared state',
    run: async (world) => deepSteering(world, 'shared'),
  },
  {
    id: 'D5a',
    tried: 'a map whose worker is a graph with shared state',
    run: async (world) => mapped(world, "{ kind: 'subgraph', state: 'shared', graph: inner }"),
  },
  {
    id: 'D5b',
    tried: 'a map whose worker is a graph with a `result`',
    run: async (world) =>
      mapped(world, "{ kind: 'subgraph', graph: inner, result: (state) => ({ out: state.w }) }"),
  },
  {
    id: 'D5c',
    tried: 'a map whose worker only patches the state',
    run: async (world) =>
      mapped(
        world,
        "{ kind: 'function', run: ({ item }) => ({ patch: { ['r' + item]: item } }), effect: 'none' }",
      ),
  },
  {
    id: 'D6',
    limitMs: 300_000,
    tried: 'a run that is killed before each of its operations on files, then resumed: its input',
    run: lostInput,
  },
  {
    id: 'D7a',
    tried: '`--before` with the name of no node',
    run: async (world) => refused(world, `graph('g').${ONE}.end('work').build()`, ['--before', 'wrok']),
  },
  {
    id: 'D7b',
    tried: '`interruptBefore` with the name of no node',
    run: async (world) =>
      refused(world, `graph('g', { interruptBefore: ['wrok'] }).${ONE}.end('work').build()`),
  },
  {
    id: 'D7c',
    tried: 'a reducer that does not exist, from JavaScript',
    run: async (world) =>
      refused(world, `graph('g', { reducers: { work: 'apend' } }).${ONE}.end('work').build()`),
  },
  {
    id: 'D7d',
    tried: '`maxIterations: -1`',
    run: async (world) => refused(world, `graph('g', { maxIterations: -1 }).${ONE}.end('work').build()`),
  },
  {
    id: 'D8a',
    tried: '`timeoutMs` of a tool node',
    run: async (world) =>
      limited(world, "graph('g').tool('t', { tool, input: () => ({}), timeoutMs: 50 }).end('t').build()"),
  },
  {
    id: 'D8b',
    tried: '`timeoutMs` of a group',
    run: async (world) =>
      limited(
        world,
        "graph('g').group('t', { members: { m: { kind: 'function', run: slow, effect: 'none' } }, timeoutMs: 50 }).end('t').build()",
      ),
  },
  {
    id: 'D8c',
    tried: '`timeoutMs` of a subgraph',
    run: async (world) =>
      limited(world, "graph('g').subgraph('t', { graph: inner, timeoutMs: 50 }).end('t').build()"),
  },
  {
    id: 'D9a',
    tried: 'a message to a node that does not exist',
    run: async (world) => {
      await runFlow(
        world,
        flowModule(
          world,
          `graph('g').${ONE.replace("effect: 'none'", "effect: 'none', gate: { before: true }")}.end('work').build()`,
        ),
      );
      const id = world.session;
      const sent = await world.run([
        'send',
        id,
        '--action',
        'update-state',
        '--params',
        '{"patch":{"v":1}}',
        '--target',
        'wrok',
      ]);
      premise(world.eventsOf(id, 'interrupt-raised').length > 0, 'no gate');
      return sent.status === 0
        ? broken('accepted; it waits for ever')
        : held(`status ${String(sent.status)}: ${sent.stderr}`);
    },
  },
  {
    id: 'D9b',
    tried: 'a message that mends the input of a failed node, then resume',
    run: async (world) => {
      const flow = flowModule(
        world,
        "graph('g').fn('work', ({ v = 0 }) => { if (v === 0) throw new Error('no v'); append({ v }); return { output: v }; }, { effect: 'none' }).end('work').build()",
      );
      const first = await runFlow(world, flow);
      premise(first.status !== 0, 'the node did not fail');
      const id = world.session;
      const sent = await world.run(['send', id, '--action', 'update-state', '--params', '{"patch":{"v":1}}']);
      const resumed = await world.run(['resume', id]);
      const isMended = ledgerOf(world).length > 0;
      const isTold = resumed.stderr.includes('rewind') || sent.status !== 0;
      return isMended || isTold
        ? held(isMended ? 'it ran with the mended input' : 'the hint says what helps')
        : broken(`it failed again; ${resumed.stderr}`);
    },
  },
  {
    id: 'D10',
    tried: 'a session that was rewound to its first node, in `list`',
    run: async (world) => {
      await runFlow(
        world,
        flowModule(
          world,
          `graph('g').${ONE}.fn('b', () => ({ output: 1 }), { effect: 'none' }).edge('work', 'b').end('b').build()`,
        ),
      );
      const id = world.session;
      const rewound = await world.run(['rewind', id, '--to', 'work']);
      premise(rewound.status === 0, `not rewound: ${rewound.stderr}`);
      const status = textAt(parsed((await world.run(['list', '--json'])).stdout), 0, 'status');
      return status === 'done' ? broken('listed as done') : held(`listed as ${status}`);
    },
  },
]);
