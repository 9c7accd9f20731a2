import { describe, expect, test } from 'vitest';
import * as z from 'zod';

import type { Resolution, RunState, SessionEvent, Tool } from '../../src/core/index.js';
import { answerEvents, fold, openInterrupts, SECRET, SecretVault } from '../../src/core/index.js';
import { checkResume, generate, lostSecret, sealed, withKeptSecrets } from '../../src/engine/index.js';
import type { RunOptions } from '../../src/engine/index.js';
import { fakeClock, scriptedModel } from '../../src/testing/index.js';
import { defineTool, toolSet } from '../../src/tools/index.js';
import { ANN, AT, stateAfter, userSaid } from '../helpers/events.js';
import type { Driven } from './drive.js';
import { answerTo, calls, drive, scene, toolOutputs } from './drive.js';

const TOKEN = 's3cr3t-t0ken';
const never = new AbortController().signal;
const password = z.string().min(8).meta({ format: 'password' });
const hi = stateAfter(userSaid('hi'));

/** A session in one process: its journal is all that another one gets. */
class Process {
  readonly journal: SessionEvent[];
  readonly told: Driven[] = [];
  readonly #options: RunOptions;
  readonly vault = new SecretVault();

  constructor(options: RunOptions, journal: readonly SessionEvent[] = [userSaid('hi')]) {
    this.#options = { ...options, vault: this.vault };
    this.journal = [...journal];
  }

  get state(): RunState {
    return fold(this.journal);
  }

  async run(): Promise<this> {
    const driven = await drive(this.state, this.#options);
    this.told.push(driven);
    this.journal.push(...driven.events);
    return this;
  }

  /** Takes an answer as a conversation does; what is wrong with it, where something is. */
  async answer(resolution: Resolution): Promise<string | undefined> {
    const { state, vault } = this;
    const [interrupt] = openInterrupts(state);
    const answer = withKeptSecrets(answerTo(interrupt!, resolution), state, vault);
    const { tools } = this.#options;
    const wrong = await checkResume(state, [answer], tools, { complete: false });
    const problem = lostSecret(answer, state, vault) ?? wrong[0]?.message;
    if (problem !== undefined) return problem;
    this.journal.push(
      ...answerEvents(await sealed(answer, state, { tools, vault, run: { runId: 's1' } }, never), state, {
        at: AT,
      }),
    );
    return undefined;
  }

  /** Everything of it that is kept or told. */
  get bytes(): string {
    const events = this.told.flatMap(({ transient }) => transient);
    return JSON.stringify([this.journal, this.state, events]);
  }
}

/** Another process takes the session up. */
function after(dead: Process, options: RunOptions): Process {
  return new Process(options, dead.journal);
}

/** Asks for a token, and says what it was given in every way that there is. */
function login(seen: unknown[]): Tool {
  return defineTool(
    {
      name: 'login',
      description: 'Logs in.',
      input: z.object({ user: z.string() }),
      resume: z.object({ token: password, note: z.string() }),
    },
    (_input, context) => {
      if (context.resumed === undefined) return context.interrupt({ question: 'Token?' });
      seen.push(context.resumed);
      const { token, note } = context.resumed;
      context.progress(`with ${token}`);
      if (note === 'throw') throw new Error(`refused ${token}`);
      if (note === 'ask') return context.interrupt({ question: `is ${token} right?` });
      return { [token]: [`Bearer ${token}`, Buffer.from(token).toString('base64')] };
    },
  );
}

/** Deploys with a token of its input, which it tells in its question. */
function deploy(seen: unknown[]): Tool {
  return defineTool(
    {
      name: 'deploy',
      description: 'Deploys.',
      input: z.object({ version: z.string(), token: password.optional() }),
      approval: ({ token }) => ({ reason: `deploys with ${token ?? 'no token'}`, facts: { length: '1' } }),
    },
    (input) => {
      seen.push(input);
      return 'deployed';
    },
  );
}

const asking = (seen: unknown[]): RunOptions =>
  scene({ replies: [calls(['login', { user: 'ann' }]), 'done'], tools: [login(seen)] });
const deploying = (seen: unknown[]): RunOptions =>
  scene({ replies: [calls(['deploy', { version: '1' }]), 'done'], tools: [deploy(seen)] });
const given = (note: string): Resolution => ({ action: 'restart', metadata: { token: TOKEN, note } });

describe('a secret that is passed on to a body', () => {
  test.for(['return', 'throw', 'ask'])('reaches the body and nothing else (%s)', async (note) => {
    const seen: unknown[] = [];
    const one = await new Process(asking(seen)).run();
    expect(await one.answer(given(note))).toBeUndefined();
    await one.run();
    expect(seen).toEqual([{ token: TOKEN, note }]);
    expect(one.bytes).not.toContain(TOKEN);
    expect(one.bytes).not.toContain(Buffer.from(TOKEN).toString('base64'));
    expect(one.bytes).toContain(`with ${SECRET}`);
  });

  test('is told to the model with a mask in its place', async () => {
    const one = await new Process(asking([])).run();
    await one.answer(given('return'));
    await one.run();
    expect(toolOutputs(one.state)).toEqual([{ [SECRET]: [`Bearer ${SECRET}`, SECRET] }]);
  });

  test('is asked for again by another process, and the body ran no time without it', async () => {
    const seen: unknown[] = [];
    const one = await new Process(asking(seen)).run();
    await one.answer(given('return'));
    const two = await after(one, asking(seen)).run();
    const [again] = openInterrupts(two.state);
    expect(again).toMatchObject({
      source: { raisedBy: 'tool', input: { user: 'ann' } },
      payload: {
        question: 'Token?',
        again: '`token` was typed into a process that has ended, and was not saved: type it again',
      },
    });
    expect(seen).toEqual([]);
    await two.answer(given('return'));
    await two.run();
    expect(seen).toEqual([{ token: TOKEN, note: 'return' }]);
    expect(two.bytes).not.toContain(TOKEN);
  });

  test('is asked for again where the body may have run, once a person said to run it', async () => {
    const seen: unknown[] = [];
    const one = await new Process(asking(seen)).run();
    await one.answer(given('return'));
    const started: SessionEvent[] = [];
    await drive(
      one.state,
      { ...asking(seen), vault: one.vault },
      {
        kept: (event) => void started.push(event),
      },
    );
    const dead = new Process(asking(seen), [...one.journal, ...started.slice(0, 1)]);
    expect(started[0]?.type).toBe('tool-started');
    const two = await after(dead, asking(seen)).run();
    expect(openInterrupts(two.state)[0]?.kind).toBe('in-doubt');
    await two.answer({ action: 'retry' });
    await two.run();
    expect(openInterrupts(two.state)[0]?.payload).toMatchObject({ question: 'Token?' });
    await two.answer(given('return'));
    await two.run();
    expect(seen).toEqual(Array(2).fill({ token: TOKEN, note: 'return' }));
  });
});

describe('a secret of an edited input', () => {
  const edit = (token: string): Resolution => ({ action: 'restart', input: { version: '2', token } });

  test('runs as it was typed, and stands masked in what is kept', async () => {
    const seen: unknown[] = [];
    const one = await new Process(deploying(seen)).run();
    expect(await one.answer(edit(TOKEN))).toBeUndefined();
    await one.run();
    expect(openInterrupts(one.state)).toEqual([]);
    expect(seen).toEqual([{ version: '2', token: TOKEN }]);
    expect(one.bytes).not.toContain(TOKEN);
    expect(one.bytes).toContain(`deploys with ${SECRET}`);
  });

  test('is frozen with the rest of the input before anybody looks at it', async () => {
    const frozen: boolean[] = [];
    const tool: Tool = {
      ...deploy([]),
      approval: (input) => {
        frozen.push(Object.isFrozen(input));
        return { reason: 'deploys' };
      },
    };
    const options = scene({ replies: [calls(['deploy', { version: '1' }]), 'done'], tools: [tool] });
    const one = await new Process(options).run();
    await one.answer(edit(TOKEN));
    await one.run();
    expect(frozen).toEqual([true, true, true]);
  });

  test('is asked for again by another process, which runs nothing with the mask', async () => {
    const seen: unknown[] = [];
    const one = await new Process(deploying(seen)).run();
    await one.answer(edit(TOKEN));
    const two = await after(one, deploying(seen)).run();
    expect(openInterrupts(two.state)[0]).toMatchObject({
      source: { input: { version: '2', token: SECRET }, raisedBy: 'approval' },
      payload: {
        warnings: [
          '`token` was typed into a process that has ended, and was not saved: type it again, by an edit',
        ],
      },
    });
    expect(await two.answer({ action: 'restart' })).toBe(
      'a secret for `deploy#r1` (i2) was not saved: edit the input, and type the secret again',
    );
    expect(await two.answer(edit(SECRET))).toBe(
      'invalid answer to `deploy#r1` (i2): `token` is a mask, not the secret: type the secret',
    );
    expect(await two.answer(edit(TOKEN))).toBeUndefined();
    await two.run();
    // What the tool says of the call was not in that question: it is shown now, and the secret is not typed again.
    expect(openInterrupts(two.state)[0]?.payload).toMatchObject({ reason: `deploys with ${SECRET}` });
    expect(await two.answer({ action: 'restart' })).toBeUndefined();
    await two.run();
    expect(seen).toEqual([{ version: '2', token: TOKEN }]);
    expect(two.bytes).not.toContain(TOKEN);
  });

  test('that a model made up as a mask is asked for', async () => {
    const seen: unknown[] = [];
    const options = scene({
      replies: [calls(['deploy', { version: '1', token: SECRET }]), 'done'],
      tools: [deploy(seen)],
    });
    const one = await new Process(options).run();
    expect(openInterrupts(one.state)).toHaveLength(1);
    expect(seen).toEqual([]);
  });
});

describe('a secret that is an answer in the place of a call', () => {
  const tool = defineTool({
    name: 'ask',
    description: 'Asks.',
    input: {},
    output: z.object({ pin: z.int().min(1000).meta({ format: 'password' }), name: z.string() }),
  });

  test('is masked before anything is kept, and the fold takes it', async () => {
    const one = await new Process(scene({ replies: [calls(['ask']), 'done'], tools: [tool] })).run();
    expect(await one.answer({ action: 'respond', output: { pin: 7, name: 'ann' } })).toMatch(
      /invalid answer/u,
    );
    expect(await one.answer({ action: 'respond', output: { pin: 482_913, name: 'ann' } })).toBeUndefined();
    await one.run();
    expect(toolOutputs(one.state)).toEqual([{ pin: SECRET, name: 'ann' }]);
    expect(one.journal.find(({ type }) => type === 'interrupt-resolved')).toMatchObject({
      secrets: ['/output/pin'],
      resolution: { action: 'respond', output: { pin: SECRET, name: 'ann' } },
    });
    expect(one.bytes).not.toContain('482913');
  });

  test('is masked in the messages that `generate` gives back', async () => {
    const seen: unknown[] = [];
    const request = {
      clock: fakeClock(),
      tools: toolSet([login(seen)]),
      model: scriptedModel([calls(['login', { user: 'ann' }]), 'done']),
    };
    const asked = await generate({ ...request, prompt: 'hi' }, never);
    const [interrupt] = asked.interrupts;
    const resume = { restart: answerTo(interrupt!, given('return')) };
    const ended = await generate({ ...request, messages: asked.messages, resume }, never);
    expect(seen).toEqual([{ token: TOKEN, note: 'return' }]);
    expect(JSON.stringify(ended)).not.toContain(TOKEN);
  });
});

describe('data that looks like a kept secret', () => {
  test('leads to no secret: neither a mask nor a place that somebody claims', async () => {
    const seen: unknown[] = [];
    const one = await new Process(asking(seen)).run();
    await one.answer(given('return'));
    const echo = defineTool(
      { name: 'echo', description: 'Echoes.', input: z.object({ text: z.string() }) },
      (input) => {
        seen.push(input);
        return input.text;
      },
    );
    const options = scene({
      replies: [calls(['echo', { text: SECRET, secrets: ['/text'] }]), 'done'],
      tools: [echo],
    });
    const { state } = await drive(hi, { ...options, vault: one.vault });
    expect(seen).toEqual([{ text: SECRET }]);
    expect(toolOutputs(state)).toEqual([SECRET]);
  });

  test('is not taken as sealed because an answer says so', async () => {
    const one = await new Process(asking([])).run();
    const [interrupt] = openInterrupts(one.state);
    const claimed = { ...answerTo(interrupt!, given('return')), secrets: ['/metadata/note'] };
    const kept = await sealed(
      claimed,
      one.state,
      { tools: toolSet([login([])]), vault: one.vault, run: { runId: 's1' } },
      never,
    );
    expect(kept.secrets).toEqual(['/metadata/token']);
    expect(fold(answerEvents(kept, one.state, { at: AT }), one.state).resolved.at(-1)).toMatchObject({
      by: ANN,
      secrets: ['/metadata/token'],
    });
  });
});
