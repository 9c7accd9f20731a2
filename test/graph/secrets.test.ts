import { describe, expect, test } from 'vitest';

import type { JsonObject, RunState, SessionEvent } from '../../src/core/index.js';
import { fold, openInterrupts, answerEvents, SECRET, SecretVault } from '../../src/core/index.js';
import { sealed } from '../../src/engine/index.js';
import type { Graph } from '../../src/graph/index.js';
import { graph, runGraph, toolsAt } from '../../src/graph/index.js';
import { answerTo, scene } from '../engine/drive.js';
import { AT } from '../helpers/events.js';

const TOKEN = 's3cr3t-t0ken';
const never = new AbortController().signal;
const FORM: JsonObject = {
  type: 'object',
  properties: { host: { type: 'string' }, token: { type: 'string', format: 'password', minLength: 8 } },
  required: ['host', 'token'],
};

/** A workflow in one process: its journal is all that another one gets. */
class Process {
  readonly journal: SessionEvent[];
  readonly vault = new SecretVault();
  readonly #graph: Graph;

  constructor(flow: Graph, journal: readonly SessionEvent[] = []) {
    this.#graph = flow;
    this.journal = [...journal];
  }

  get state(): RunState {
    return fold(this.journal);
  }

  async run(): Promise<this> {
    const steps = runGraph(this.state, this.#graph, { run: scene({ vault: this.vault }) }, never);
    for (;;) {
      const step = await steps.next();
      if (step.done === true) return this;
      if (step.value.durable) this.journal.push(...step.value.events);
    }
  }

  async answer(output: JsonObject): Promise<void> {
    const { state, vault } = this;
    const [interrupt] = openInterrupts(state);
    const tools = await toolsAt(this.#graph, state, interrupt!.path, scene().tools);
    const answer = answerTo(interrupt!, { action: 'respond', output });
    this.journal.push(
      ...answerEvents(await sealed(answer, state, { tools, vault, run: { runId: 's1' } }, never), state, {
        at: AT,
      }),
    );
  }
}

describe('a secret that a workflow asks for', () => {
  test('reaches the body that asked, and is in no state, step, question or error', async () => {
    const seen: unknown[] = [];
    const flow = graph('g')
      .fn('login', async (_state, context) => {
        const given = await context.ask({ prompt: 'Token?', schema: FORM });
        seen.push(given);
        const step = await context.step('send', () => ({ sent: `Bearer ${TOKEN}` }));
        const sure = await context.ask({ prompt: `${TOKEN}?`, schema: { type: 'string' } });
        return { output: [given, step, sure], patch: { token: TOKEN } };
      })
      .fn('fail', () => {
        throw new Error(`no ${TOKEN}`);
      })
      .edge('login', 'fail')
      .end('fail')
      .build();
    const one = await new Process(flow).run();
    await one.answer({ host: 'db', token: TOKEN });
    await one.run();
    expect(openInterrupts(one.state)[0]?.payload).toEqual({ question: `${SECRET}?` });
    const open = openInterrupts(one.state)[0]!;
    const yes = answerTo(open, { action: 'respond', output: 'yes' });
    const kept = await sealed(
      yes,
      one.state,
      { tools: scene().tools, vault: one.vault, run: { runId: 's1' } },
      never,
    );
    one.journal.push(...answerEvents(kept, one.state, { at: AT }));
    await one.run();
    expect(seen).toEqual(Array(2).fill({ host: 'db', token: TOKEN }));
    expect(one.state.graph?.state).toEqual({
      login: [{ host: 'db', token: SECRET }, { sent: `Bearer ${SECRET}` }, 'yes'],
      token: SECRET,
    });
    expect(one.state.graph?.current?.error?.message).toBe(`no ${SECRET}`);
    expect(JSON.stringify(one.journal)).not.toContain(TOKEN);
  });

  test('is asked for again by another process, and no step runs twice', async () => {
    const seen: unknown[] = [];
    const steps: string[] = [];
    const flow = graph('g')
      .fn('login', async (_state, context) => {
        await context.step('begin', () => void steps.push('begin'));
        seen.push(await context.ask({ prompt: 'Token?', schema: FORM }));
        return 'in';
      })
      .end('login')
      .build();
    const one = await new Process(flow).run();
    await one.answer({ host: 'db', token: TOKEN });
    const two = await new Process(flow, one.journal).run();
    expect(openInterrupts(two.state).map(({ id, payload }) => ({ id, payload }))).toEqual([
      {
        id: 'i2',
        payload: {
          question: 'Token?',
          changed: ['a secret was typed into a process that has ended, and was not saved: type it again'],
        },
      },
    ]);
    await two.answer({ host: 'db2', token: TOKEN });
    await two.run();
    expect({ seen, steps, state: two.state.graph?.state }).toEqual({
      seen: [{ host: 'db2', token: TOKEN }],
      steps: ['begin'],
      state: { login: 'in' },
    });
    expect(JSON.stringify(two.journal)).not.toContain(TOKEN);
  });

  test('is a mask in what a node that asks gives to the nodes behind it, after a crash too', async () => {
    const seen: unknown[] = [];
    const flow = graph('g')
      .human('ask', { question: () => ({ prompt: 'PIN?', schema: { type: 'integer', format: 'password' } }) })
      .fn('use', (state) => void seen.push(state))
      .edge('ask', 'use')
      .end('use')
      .build();
    const one = await new Process(flow).run();
    const open = openInterrupts(one.state)[0]!;
    const pin = answerTo(open, { action: 'respond', output: 7 });
    const kept = await sealed(
      pin,
      one.state,
      { tools: scene().tools, vault: one.vault, run: { runId: 's1' } },
      never,
    );
    one.journal.push(...answerEvents(kept, one.state, { at: AT }));
    await one.run();
    expect(seen).toEqual([{ ask: SECRET }]);
    expect(one.journal.find(({ type }) => type === 'interrupt-resolved')).toMatchObject({
      resolution: { action: 'respond', output: SECRET },
      secrets: ['/output'],
    });
  });
});
