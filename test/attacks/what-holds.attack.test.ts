// Words that say more than holds: a choice, a rule, a host, a history that was taken back.
import { rmSync } from 'node:fs';

import { attacks } from './attacks.js';
import { at, textAt } from './json.js';
import { ledgerModule, ledgerOf, PAY } from './tools.js';
import { heldUnless, premise } from './verdict.js';
import type { World } from './world.js';

/** The server of a person's own, whose tools they allowed, with one more rule. */
async function ranUnder(
  world: World,
  deny: string,
): Promise<{ readonly said: string; readonly ran: boolean }> {
  const effects = world.path('effects');
  const server = world.write(
    'user/files.mjs',
    `import { createInterface } from 'node:readline';
import { appendFileSync } from 'node:fs';
const say = (id, result) => console.log(JSON.stringify({ jsonrpc: '2.0', id, result }));
for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  if (method === 'initialize')
    say(id, { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'files', version: '1' } });
  else if (method === 'tools/list') say(id, { tools: [{ name: 'del', description: 'Deletes', inputSchema: { type: 'object' } }] });
  else if (method === 'tools/call') {
    appendFileSync(${JSON.stringify(effects)}, 'ran');
    say(id, { content: [{ type: 'text', text: 'did' }] });
  } else if (id !== undefined) say(id, {});
}
`,
  );
  const mcpServers = { files: { command: process.execPath, args: [server] } };
  const rules = { allow: ['mcp:files/*'], deny: deny === '' ? [] : [deny] };
  world.write('home/config.json', JSON.stringify({ mcpServers, rules }));
  const ran = await world.run(['chat', '--model', world.calling('files__del', {}), '-p', 'go', '--json']);
  return { said: ran.stderr, ran: world.exists('effects') };
}

attacks('what is said is what holds', [
  {
    id: 'J1',
    tried: 'A choice says one thing and answers another.',
    async run(world) {
      const choices = [
        { label: 'No, keep them', value: 'yes, delete them all' },
        { label: 'Yes', value: 'no' },
      ];
      const model = world.calling('ask_user', { question: 'May I delete the backups?', choices });
      const id = await world.chat(model);
      const shown = await world.run(['show', id]);
      await world.run(['answer', id, '1']);
      const [settled] = world.eventsOf(id, 'interrupt-resolved');
      premise(textAt(settled, 'resolution', 'output') === 'yes, delete them all', 'the choice was not taken');
      return heldUnless(
        shown.stdout.includes('No, keep them → "yes, delete them all"') ? [] : [shown.stdout],
        'the answer stands beside the label',
      );
    },
  },
  {
    id: 'J2',
    tried: 'A tool of a server runs though a rule in the spelling of other agents denies it.',
    async run(world) {
      const free = await ranUnder(world, '');
      premise(free.ran, `the allowed call did not run: ${free.said}`);
      rmSync(world.path('effects'));
      const under = [];
      for (const deny of ['mcp__files__*', 'mcp__files__del', 'mcp:Files/*', 'mcp__Files__*'])
        under.push({ deny, ...(await ranUnder(world, deny)) });
      return heldUnless(
        under.flatMap(({ deny, ran, said }) => [
          ...(ran ? [`it ran under deny ${deny}`] : []),
          ...(deny.includes('Files') && !said.includes('does not deny any call: no server `Files`')
            ? [`not told: ${said}`]
            : []),
        ]),
        'denied, or the start is refused with the reason',
      );
    },
  },
  {
    id: 'J3',
    tried: 'A denied host is reached by a port, by a dot at its end, or by another name of this machine.',
    async run(world) {
      const deny = ['fetch_url evil.com', 'fetch_url port.com:8080', 'fetch_url 127.0.0.1'];
      world.write('home/config.json', JSON.stringify({ rules: { deny, allow: ['fetch_url'] } }));
      const passed: string[] = [];
      for (const host of [
        'evil.com:8080',
        'evil.com.',
        'port.com.:8080',
        'localhost:1',
        '0',
        '[::ffff:7f00:1]',
      ]) {
        const url = `http://${host}/`;
        const tested = await world.run(['rules', 'test', 'fetch_url', JSON.stringify({ url })]);
        if (!tested.stdout.startsWith('denied')) passed.push(`${host}: ${tested.stdout}${tested.stderr}`);
      }
      return heldUnless(passed, 'each is denied');
    },
  },
  {
    id: 'J4',
    tried: 'A call that ran is made again after a rewind that told nothing.',
    async run(world) {
      const tools = ledgerModule(world, PAY);
      const id = await world.chat(world.calling('pay', { to: 'A', amount: 1 }), '--tools', tools);
      await world.approve(id);
      await world.run(['resume', id]);
      premise(ledgerOf(world).length === 1, 'it was not paid once');
      const started = world.events(id).findIndex((event) => at(event, 'type') === 'tool-started') + 1;
      const back = await world.run(['rewind', id, '--to', String(started)]);
      return heldUnless(
        /Not undone:[^]*(?:pay|Pays)/u.test(back.stderr) ? [] : [`nothing is told: ${back.stderr}`],
        'the rewind tells what stays done',
      );
    },
  },
  {
    id: 'J5',
    tried: 'An allow with words reads a file of keys by a path inside of an argument.',
    async run(world) {
      world.write('proj/.env', 'top secret');
      world.write('proj/notes.md', 'hello');
      world.write('home/config.json', JSON.stringify({ rules: { allow: ['run_command sed …'] } }));
      const passed: string[] = [];
      for (const script of ['r .env', 'r.env', 'w ../out', '1e cat .env']) {
        const sessions = world.path(`s${String(passed.length)}${script.length}`);
        const model = world.calling('run_command', { writes: true, argv: ['sed', script, 'notes.md'] });
        const ran = await world.run(['chat', '--model', model, '-p', 'go', '--sessions', sessions]);
        if (ran.status !== 3) passed.push(`${script}: status ${String(ran.status)} ${ran.stderr}`);
      }
      return heldUnless(passed, 'each is asked about');
    },
  },
]);
