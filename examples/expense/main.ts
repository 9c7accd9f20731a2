// One expense and the people of an office: whoever has something to say says it, and what they may not decide is refused.
// Started again after a crash it goes on, with what was said by then. `SESSIONS` is where; without it, in memory.
import type { Interrupt, JsonValue } from 'hitl';
import { answers, isHitlError, openFlow, openStore } from 'hitl';
import { fakeClock } from 'hitl/testing';
import { existsSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import expense from './flow.js';

const ledger = (process.env['LEDGER'] ??= path.join(
  mkdtempSync(path.join(tmpdir(), 'hitl-expense-')),
  'ledger.txt',
));
const person = (name: string, ...groups: string[]) =>
  ({ type: 'person', name, groups, via: 'library' }) as const;
const ann = person('ann', 'board'); // it is her expense, and she sits on the board
const input = { what: 'a lathe', amount: 5000, manager: 'mia' };

/** Who says what: the second person of finance is away, so that two days pass. */
function saidTo({ approvers, escalated }: Interrupt): readonly [ReturnType<typeof person>, JsonValue][] {
  if (escalated !== undefined) return [[ann, 'pay'], [person('dan', 'board'), 'pay']]; // prettier-ignore
  if (approvers?.need === 2) return [[ann, 'pay'], [person('eve', 'finance'), 'pay']]; // prettier-ignore
  return [[person('ben'), { ok: true }], [person('mia'), { passTo: 'ben' }]]; // prettier-ignore
}

/** It died while it paid: somebody looks into the ledger. */
function inDoubt(question: Interrupt) {
  const isPaid = existsSync(ledger) && readFileSync(ledger, 'utf8').includes(input.what);
  return isPaid ? answers.respond(question, null) : answers.retry(question);
}

const clock = fakeClock();
const store = openStore(process.env['SESSIONS'], { clock });
let kept: string | undefined;
for await (const { id } of store.list()) kept = id;
await using flow =
  kept === undefined ? await openFlow(expense, { store, by: ann }) : await openFlow(kept, expense, { store });
let rest = await (flow.isStarted ? flow.resume() : flow.start({ input }));
while (rest.type === 'waiting') {
  const [question] = flow.open;
  if (question === undefined) throw new Error('nothing is asked');
  const isOpen = (): boolean => flow.open[0]?.id === question.id;
  if (question.kind === 'in-doubt') await flow.answer(inDoubt(question));
  for (const [by, value] of question.kind === 'in-doubt' ? [] : saidTo(question))
    if (isOpen()) await say(question, by, value);
  if (isOpen()) await clock.advance(2 * 24 * 60 * 60 * 1000);
  rest = await flow.resume();
}
console.log(rest.type === 'done' ? rest.output : rest);

async function say(question: Interrupt, by: ReturnType<typeof person>, value: JsonValue): Promise<void> {
  try {
    await flow.answer(answers.respond(question, value, { by }));
    console.log(by.name, 'says', JSON.stringify(value));
  } catch (thrown) {
    if (!isHitlError(thrown) || thrown.code !== 'NOT_ELIGIBLE') throw thrown;
    console.log(by.name, 'is refused:', thrown.message);
  }
}
