// Grants: what was granted once for a number of calls, tried for more calls, other tools and other histories.
import { attacks } from './attacks.js';
import { at, jsonLines, textAt } from './json.js';
import type { Verdict } from './verdict.js';
import { heldUnless, premise } from './verdict.js';
import type { World } from './world.js';

const PAY = { name: 'pay', input: { to: 'ann' } };

/** Writes the tool that is granted; its words are part of what it is. */
function payTool(world: World, description = 'Pays.'): string {
  return world.write(
    'home/pay.mjs',
    `import { appendFileSync } from 'node:fs';
export const pay = {
  name: 'pay', description: ${JSON.stringify(description)}, needsApproval: true,
  input: { type: 'object', properties: { to: { type: 'string' } }, required: ['to'] },
  async execute({ to }) { appendFileSync(${JSON.stringify(world.path('paid.jsonl'))}, JSON.stringify(to) + '\\n'); return 'paid'; },
};
`,
  );
}

const paid = (world: World): number => jsonLines(world.read('paid.jsonl')).length;

interface Granted {
  readonly id: string;
  /** Goes on with the session or another, whose model pays once more. */
  readonly more: (id?: string) => Promise<void>;
  /** As `more`, where the session may be refused. */
  readonly tryMore: () => Promise<void>;
}

/** A session with a grant of so many uses, of which one is used; nobody is there for other questions. */
async function granted(world: World, times: number, until = 'session'): Promise<Granted> {
  const module = payTool(world);
  const ask = { reason: 'bills', until, calls: [{ tool: 'pay', input: PAY.input, times }] };
  const first = [{ tools: [{ name: 'request_grant', input: ask }] }, { tools: [PAY] }, { text: 'done' }];
  const model = world.script(...first, { tools: [PAY] }, { text: 'again' }, { tools: [PAY] });
  const answers = world.write(
    'answers.json',
    JSON.stringify([{ match: { tool: 'request_grant' }, answer: 'y' }]),
  );
  const id = await world.chat(model, '-t', module, '--answers', answers);
  premise(paid(world) === 1, 'the grant let nothing run');
  const goOn = (other: string) =>
    world.run(['resume', other, '-t', module, '--model', model], { input: 'more\n' });
  const came = (other: string): number => world.eventsOf(other, 'interrupt-raised').length + paid(world);
  return {
    id,
    more: async (other = id) => {
      const before = came(other);
      const ran = await goOn(other);
      premise(came(other) > before, `nothing more was called: ${ran.stderr}`);
    },
    tryMore: async () => {
      await goOn(id);
    },
  };
}

/** The place of the first event of a type, as the commands count. */
function placeOf(world: World, id: string, type: string, which = 0): string {
  const events = world.events(id);
  const places = events.flatMap((event, index) => (at(event, 'type') === type ? [index + 1] : []));
  const found = places[which];
  premise(found !== undefined, `there is no ${type}`);
  return String(found);
}

/** Pays that ran beyond those that were granted. */
function beyond(world: World, most: number, how: string): Verdict {
  const count = paid(world);
  return heldUnless(
    count > most ? [`${count} calls ran ${how}, and ${most} were granted`] : [],
    `${count} of ${most} ran`,
  );
}

attacks('A grant allows what was granted, and no more', [
  {
    id: 'G1',
    tried: 'the tool of a grant becomes another one before its next use',
    isCold: true,
    run: async (world) => {
      const { more } = await granted(world, 5);
      payTool(world, 'Pays, and tells everybody.');
      await more();
      return beyond(world, 1, 'with another tool');
    },
  },
  {
    id: 'G2',
    tried: 'the history with a grant is exported and imported',
    run: async (world) => {
      const { id, more } = await granted(world, 5);
      const file = world.path('out.json');
      const exported = await world.run(['export', id, '--output', file]);
      premise(exported.status === 0, exported.stderr);
      const imported = await world.run(['import', file, '--json']);
      const other = textAt(JSON.parse(imported.stdout || '{}') as unknown, 'session');
      const [made] = world.sessions().filter((one) => one !== id);
      premise(other !== '' || made !== undefined, imported.stderr);
      await more(other === '' ? made : other);
      return beyond(world, 1, 'in an imported session');
    },
  },
  {
    id: 'G3',
    tried: 'a session is forked before each use of its grant, and each fork uses it',
    run: async (world) => {
      const { id, more } = await granted(world, 2);
      const forked = await world.run(['fork', id]);
      premise(forked.status === 0, forked.stderr);
      const [fork] = world.sessions().filter((one) => one !== id);
      await more(fork);
      await more();
      return beyond(world, 2, 'in a fork and in its session');
    },
  },
  {
    id: 'G4',
    tried: 'a session goes back behind the use of its grant, and uses it again',
    run: async (world) => {
      const { id, more } = await granted(world, 1);
      const place = placeOf(world, id, 'tool-settled');
      const back = await world.run(['rewind', id, '--to', place]);
      await more();
      premise(back.status === 0 || back.stderr !== '', 'nothing was said');
      return beyond(world, 1, 'after going back');
    },
  },
  {
    id: 'G5',
    tried: 'a grant for a turn is used in the next one',
    run: async (world) => {
      const { more } = await granted(world, 5, 'turn');
      await more();
      return beyond(world, 1, 'in another turn');
    },
  },
  {
    id: 'G6',
    tried: 'a journal gets a rule of a grant by hand',
    run: async (world) => {
      const { id, tryMore } = await granted(world, 1);
      const file = `home/sessions/${id}/journal.jsonl`;
      const lines = world.read(file).trimEnd().split('\n');
      const grown = lines.map((line) => line.replace('"times":1', '"times":9'));
      premise(grown.join() !== lines.join(), 'the grant is not in the journal');
      world.write(file, `${grown.join('\n')}\n`);
      await tryMore();
      return beyond(world, 1, 'by a changed journal');
    },
  },
]);
