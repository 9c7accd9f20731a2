import { describe, expect, test } from 'vitest';

import { killAt } from '../helpers/kill-at.js';
import type { Ran } from '../helpers/program.js';
import { Home, lines } from '../helpers/program.js';
import { Running } from '../helpers/running.js';
import { payModule, scriptModel } from '../helpers/tool-module.js';

const ASK = 'Transfer 200 to ABC123';
const ONCE = [{ toAccount: 'ABC123', amount: 200 }];
const HAPPENED = 'a {"transferred":200,"toAccount":"ABC123","balance":800}';

interface Shown {
  readonly status: string;
  readonly interrupts: readonly { readonly id: string; readonly digest: string; readonly kind: string }[];
}

function shown({ stdout }: Ran): Shown {
  return JSON.parse(stdout) as Shown;
}

/** The kinds of what is asked. */
function kinds(ran: Ran): readonly string[] {
  return shown(ran).interrupts.map(({ kind }) => kind);
}

describe('a killed process', () => {
  test('P8, P9: leaves its question, and the very same one comes back', async () => {
    using home = new Home();
    const first = new Running(home, ['chat']);
    first.write(lines(ASK));
    await first.until('needs your confirmation');
    await first.kill();
    const asked = JSON.parse((await home.run(['inbox', '--json'])).stdout) as Record<string, unknown>[];
    const again = await home.run(['resume', home.id, '--json']);
    expect(again.status).toBe(3);
    expect(shown(again).interrupts).toEqual(asked.map(({ session: _session, ...interrupt }) => interrupt));
    expect(shown(again).interrupts).toHaveLength(1);
    expect(home.transfers()).toEqual([]);
    const { status } = await home.run(['resume', home.id], { input: lines('y') });
    expect({ status, transfers: home.transfers() }).toEqual({ status: 0, transfers: ONCE });
  });

  test.for([
    // P2 to P6: the model is asked, or asked again.
    { place: 'after', type: 'message-added', nth: 1, asks: ['confirmation'], answers: ['y'] },
    { place: 'after', type: 'model-started', nth: 1, asks: ['confirmation'], answers: ['y'] },
    // P7
    { place: 'after', type: 'message-added', nth: 2, asks: ['confirmation'], answers: ['y'] },
    // P14: the tool had started and may have done anything before it asked.
    { place: 'before', type: 'interrupt-raised', nth: 1, asks: ['in-doubt'], answers: ['retry', 'y'] },
    // P10: no acknowledgement was shown.
    { place: 'before', type: 'interrupt-resolved', nth: 1, asks: ['confirmation'], answers: ['y'] },
    // P11, P12: it is not asked again.
    { place: 'after', type: 'interrupt-resolved', nth: 1, asks: [], answers: [] },
    // P13 cannot be told apart from P14 and P15.
    { place: 'after', type: 'tool-started', nth: 2, asks: ['in-doubt'], answers: ['retry'] },
    { place: 'before', type: 'tool-settled', nth: 1, asks: ['in-doubt'], answers: [HAPPENED] },
    // P16, P17
    { place: 'after', type: 'tool-settled', nth: 1, asks: [], answers: [] },
    { place: 'before', type: 'run-ended', nth: 1, asks: [], answers: [] },
  ] as const)(
    'dies $place $type $nth: resume asks $asks and the transfer happens once',
    async ({ place, type, nth, asks, answers }) => {
      using home = new Home();
      const died = await home.run(['chat', '-p', ASK], {
        input: lines('y'),
        env: killAt(home, place, type, nth),
      });
      expect(died.status).toBe(137);
      const again = await home.run(['resume', home.id, '--json']);
      expect({ status: again.status, kinds: kinds(again) }).toEqual({
        status: asks.length > 0 ? 3 : 0,
        kinds: asks,
      });
      const end =
        answers.length > 0 ? await home.run(['resume', home.id], { input: lines(...answers) }) : again;
      expect({ status: end.status, transfers: home.transfers() }).toEqual({ status: 0, transfers: ONCE });
    },
  );
});

describe('a process killed while a tool with effect `once` runs', () => {
  const BOB = { to: 'Bob', amount: 5 };

  /** Kills it in the tool and returns what is there to go on with. */
  async function killedInTool(home: Home, PAY: 'hang-before' | 'hang-after', isError = false) {
    const pay = payModule(home);
    const model = scriptModel(home, [
      { tools: [{ name: 'pay', input: BOB }] },
      { text: isError ? 'It is not paid.' : 'It is paid.', when: { toolResult: { tool: 'pay', isError } } },
    ]);
    const args = ['--model', model, '--tools', pay.module];
    const first = new Running(home, ['chat', '-p', 'Pay Bob 5', ...args], { PAY });
    await first.until(PAY === 'hang-before' ? 'PAYING' : 'PAID');
    await first.kill();
    return pay;
  }

  test('P14: asks what became of it; `y` is no answer; `a` gives the outcome and nothing runs again', async () => {
    using home = new Home();
    const pay = await killedInTool(home, 'hang-after');
    const asked = await home.run(['resume', home.id, '--json']);
    expect({ status: asked.status, kinds: kinds(asked), paid: pay.paid() }).toEqual({
      status: 3,
      kinds: ['in-doubt'],
      paid: [BOB],
    });
    const refused = await home.run(['resume', home.id], { input: lines('y') });
    expect({ status: refused.status, paid: pay.paid() }).toEqual({ status: 2, paid: [BOB] });
    const same = await home.run(['resume', home.id, '--json']);
    expect(shown(same).interrupts).toEqual(shown(asked).interrupts);
    const answered = await home.run(['resume', home.id], { input: lines('a {"paid":5,"to":"Bob"}') });
    expect({ ...answered, stderr: '', paid: pay.paid() }).toEqual({
      status: 0,
      stdout: 'It is paid.\n',
      stderr: '',
      paid: [BOB],
    });
    const effects = await home.run(['show', '--effects', home.id]);
    expect(effects.stdout).toMatch(/→ unknown; \S+ marked as done \{"paid":5,"to":"Bob"\}\n$/u);
  });

  test('P13: `retry` runs it again, because a person said so', async () => {
    using home = new Home();
    const pay = await killedInTool(home, 'hang-before');
    const asked = await home.run(['resume', home.id, '--json']);
    expect({ kinds: kinds(asked), paid: pay.paid() }).toEqual({ kinds: ['in-doubt'], paid: [] });
    const { status, stdout } = await home.run(['resume', home.id], { input: lines('retry') });
    expect({ status, stdout, paid: pay.paid() }).toEqual({
      status: 0,
      stdout: 'It is paid.\n',
      paid: [BOB],
    });
  });

  test('P14: `c` runs nothing, and the model is told', async () => {
    using home = new Home();
    const pay = await killedInTool(home, 'hang-before', true);
    const { status, stdout } = await home.run(['resume', home.id], { input: lines('c') });
    expect({ status, stdout, paid: pay.paid() }).toEqual({
      status: 0,
      stdout: 'It is not paid.\n',
      paid: [],
    });
  });
});
