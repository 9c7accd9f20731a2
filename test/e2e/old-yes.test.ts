// A yes is for the code that was there, and it has a time: by the program, with a workflow that lies in a file.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, test } from 'vitest';

import { Home } from '../helpers/program.js';

/** A workflow that deploys by a tool; what it did is in a file. */
function flow(effects: string, { says = 'DEPLOY', more = '' } = {}): string {
  return `import { appendFileSync } from 'node:fs';
import { defineTool, workflow } from 'hitl';
const deploy = defineTool(
  { name: 'deploy', description: 'Deploys.', needsApproval: true, ${more} },
  async () => {
    appendFileSync(${JSON.stringify(effects)}, '${says}\\n');
    return 'ok';
  },
);
export default workflow('ship', async (ctx) => ctx.tool(deploy, {}));
`;
}

function setUp(more = ''): { home: Home; file: string; effects: () => string; change: () => void } {
  const home = new Home();
  const [file, made] = [join(home.work, 'ship.mjs'), join(home.work, 'effects')];
  writeFileSync(made, '');
  writeFileSync(file, flow(made, { more }));
  const effects = (): string => readFileSync(made, 'utf8');
  const change = (): void => {
    writeFileSync(file, flow(made, { says: 'CHANGED', more }));
  };
  return { home, file, effects, change };
}

const CHANGED = 'asked again: the code of `deploy` has changed since it was approved';

describe('an approval that was given before its code changed', () => {
  test('lets nothing run by `resume --trust`, and is asked for again with a line that says so (rivals 5)', async () => {
    const { home, file, effects, change } = setUp();
    using _home = home;
    expect((await home.run(['run', file])).status).toBe(3);
    const { id } = home;
    await home.run(['answer', id, 'y', '--interrupt', 'i1', '--digest', home.digest('i1', id)]);
    change();
    const untrusted = await home.run(['resume', id]);
    expect([untrusted.status, effects()]).toEqual([2, '']);
    const again = await home.run(['resume', id, '--trust']);
    expect([again.status, effects()]).toEqual([3, '']);
    expect(again.stderr).toContain(CHANGED);
    await home.run(['answer', id, 'y', '--interrupt', 'i2', '--digest', home.digest('i2', id)]);
    expect((await home.run(['resume', id])).status).toBe(0);
    expect(effects()).toBe('CHANGED\n');
    expect((await home.run(['why', id, 'i1', '--verbose'])).stdout).toMatch(
      /^ {2}void {4}the code has changed since then; asked again as i2, .+, event \d+$/mu,
    );
    expect((await home.run(['show', id])).stdout).toContain(
      'no longer valid: the code has changed since then; asked again as i2\n',
    );
  });

  test('counts once for the changed code where a person keeps it, and the journal says who', async () => {
    const { home, file, effects, change } = setUp();
    using _home = home;
    await home.run(['run', file]);
    const { id } = home;
    await home.run(['answer', id, 'y', '--interrupt', 'i1', '--digest', home.digest('i1', id)]);
    change();
    const keep = ['migrate', id, '--keep-approvals', '--trust'];
    const unasked = await home.run(keep);
    expect([unasked.status, unasked.stdout]).toEqual([
      2,
      expect.stringContaining(
        'the approval of deploy {} can be used only once, for the current code',
      ) as string,
    ]);
    const shown = JSON.parse((await home.run([...keep, '--dry-run', '--json'])).stdout) as { plan: string };
    const other = await home.run([...keep, '--agree', 'f00']);
    expect([other.status, other.stderr]).toEqual([
      2,
      `error: plan \`f00\` is out of date\nhint: get the current plan: hitl migrate ${id} --dry-run\n`,
    ]);
    expect((await home.run([...keep, '--agree', shown.plan])).status).toBe(0);
    const kept = home.events().filter(({ type }) => type === 'approvals-kept');
    expect(kept).toMatchObject([{ by: { type: 'person' }, kept: [{}] }]);
    expect((await home.run(['resume', id, '--trust'])).status).toBe(0);
    expect(effects()).toBe('CHANGED\n');
    expect((await home.run(['why', id, '--verbose'])).stdout).toMatch(
      /^ {2}kept {4}for the changed code, by .+, event \d+$/mu,
    );
    expect((await home.run(['show', id])).stdout).toContain('kept for the changed code, by ');
  });
});

test('an approval does not go along with a fork, and `why` and `show` say so', async () => {
  const { home, file, effects } = setUp();
  using _home = home;
  await home.run(['run', file]);
  const { id } = home;
  await home.run(['answer', id, 'y', '--interrupt', 'i1', '--digest', home.digest('i1', id)]);
  const { session: fork } = JSON.parse((await home.run(['fork', id, '--json'])).stdout) as {
    session: string;
  };
  const words = 'this session is a copy, and an approval is valid in only one session';
  expect((await home.run(['why', fork, '--verbose'])).stdout).toContain(`  void    ${words}, `);
  expect((await home.run(['show', fork])).stdout).toContain(`no longer valid: ${words}\n`);
  expect([(await home.run(['resume', fork, '--trust'])).status, effects()]).toEqual([3, '']);
});

test('what is kept for changed code is shown with its input, and agreed to for it and for its session alone', async () => {
  const { home, file, change } = setUp();
  using _home = home;
  for (let nth = 0; nth < 2; nth += 1) await home.run(['run', file, '--trust']);
  const ids = home.ids();
  for (const id of ids) await home.run(['answer', id, '--answer', 'i1=y', '--any']);
  change();
  const keep = (id: string) =>
    home.run(['migrate', id, '--keep-approvals', '--trust', '--dry-run', '--json']);
  const shown = await Promise.all(ids.map(async (id) => JSON.parse((await keep(id)).stdout) as object));
  expect(shown).toMatchObject([
    { kept: [{ call: { tool: 'deploy', input: {} } }] },
    { kept: [{ call: { tool: 'deploy', input: {} } }] },
  ]);
  const [one, other] = shown as readonly { plan: string }[];
  expect(one?.plan).not.toBe(other?.plan);
});

describe('an approval that has a time', () => {
  test('lets nothing run later than that, and `why` says until when it counts (rivals 6)', async () => {
    const { home, file, effects } = setUp("approvalLasts: '1ms'");
    using _home = home;
    const asked = await home.run(['run', file]);
    expect([asked.status, asked.stderr]).toEqual([
      3,
      expect.stringContaining('approval lasts 1 ms') as string,
    ]);
    const { id } = home;
    await home.run(['answer', id, 'y', '--interrupt', 'i1', '--digest', home.digest('i1', id)]);
    expect((await home.run(['why', id, '--verbose'])).stdout).toMatch(
      /^ {2}until {3}\d{4}-.+Z \(approval lasts 1 ms\)$/mu,
    );
    const late = await home.run(['resume', id]);
    expect([late.status, effects()]).toEqual([3, '']);
    expect(late.stderr).toMatch(/asked again: approved by .+ at .+ UTC, valid until .+ UTC/u);
  });

  test('has the one that a rule says, where that is shorter', async () => {
    using home = new Home();
    const { args } = chat(home, "approvalLasts: '1h'");
    await home.run(['rules', 'add', 'ask', 'deploy', 'lasts', '1ms']);
    const asked = await home.run(args(1), { cwd: home.work });
    expect(asked.stderr).toContain('approval lasts 1 ms');
    await home.run(['answer', home.id, 'y', '--interrupt', 'i1', '--digest', home.digest('i1', home.id)]);
    const late = await home.run(['resume', home.id], { cwd: home.work });
    expect(late.status).toBe(3);
    expect(late.stderr).toContain('asked again: approved by ');
  });
});

/** A chat with a tool module whose model calls it so many times. */
function chat(
  home: Home,
  more = '',
): { args: (calls: number, later?: readonly object[]) => readonly string[]; write: (says: string) => void } {
  const write = (says: string): void => {
    writeFileSync(
      join(home.work, 'tools.mjs'),
      `import { defineTool } from 'hitl';
export const deploy = defineTool(
  { name: 'deploy', description: 'Deploys.', needsApproval: true, ${more} },
  async () => '${says}',
);
`,
    );
  };
  write('first');
  const call = { tools: [{ name: 'deploy', input: {} }] };
  const args = (calls: number, later: readonly object[] = []): readonly string[] => {
    const done = { text: 'Done.' };
    const replies = [...Array.from({ length: calls }, () => call), done, ...later];
    writeFileSync(join(home.work, 's.jsonl'), replies.map((reply) => `${JSON.stringify(reply)}\n`).join(''));
    return ['chat', '-m', 'script:s.jsonl', '--tools', './tools.mjs', '-p', 'go'];
  };
  return { args, write };
}

test('an approval for the rest of a session is for the code that was there (rivals 5)', async () => {
  using home = new Home();
  const { args, write } = chat(home);
  const first = await home.run([...args(3), '--answer', 'i1=always tool'], { cwd: home.work });
  expect([first.status, first.stdout]).toEqual([0, 'Done.\n']);
  write('second');
  args(3, [{ tools: [{ name: 'deploy', input: {} }] }, { text: 'Done.' }]);
  const asked = await home.run(['resume', home.id, '--trust'], { cwd: home.work, input: 'again\n' });
  expect([asked.status, home.events().filter(({ type }) => type === 'tool-started').length]).toEqual([3, 3]);
});
