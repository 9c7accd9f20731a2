import type {
  Answer,
  AskResult,
  HumanChannel,
  Interrupt,
  Model,
  ModelEvent,
  ModelRequest,
  Renderer,
  Resolution,
  Session,
  SessionId,
} from '../../src/core/index.js';
import {
  checkMessages,
  describeTool,
  fold,
  HitlError,
  interruptId,
  isHitlError,
  openInterrupts,
  textPart,
  toolRef,
} from '../../src/core/index.js';
import { converse, keep } from '../../src/repl/index.js';
import { FuzzProcess, Machine } from './fuzz-process.js';
import { CUT_TEXT, SessionModel } from './session-model.js';
import type { FuzzReply, Step, Trouble } from './session-steps.js';
import { fuzzTools } from './session-tools.js';
import { leave } from '../sessions/temporary-store.js';

const ANN = { type: 'person', name: 'ann', via: 'terminal' } as const;
const BOB = { type: 'person', name: 'bob', via: 'answer' } as const;
const NO_TROUBLE: Trouble = { type: 'none' };
const MOST_ROUNDS = 60;

/** A session on a machine, and everything outside the product that touches it. */
export class SessionDriver implements Disposable {
  readonly #machine = new Machine();
  readonly #model = new SessionModel();
  readonly #replies: FuzzReply[] = [];
  #process = new FuzzProcess(this.#machine);
  #session: Session | undefined;
  #id: SessionId | undefined;
  #calls = 0;
  #trouble: Trouble = NO_TROUBLE;
  #stop = new AbortController();
  #shown = 0;

  /** Plays steps, then goes on until the session ends; what was found wrong. */
  async play(steps: readonly Step[]): Promise<readonly string[]> {
    await this.#begin();
    for (const [index, step] of steps.entries()) {
      await this.#step(step);
      this.#model.check(this.#machine.journal(this.#known));
      const problems = this.#model.problems();
      if (problems.length > 0)
        return problems.map((problem) => `step ${index + 1} (${step.type}): ${problem}`);
    }
    await this.#end();
    return this.#model.problems().map((problem) => `at the end: ${problem}`);
  }

  [Symbol.dispose](): void {
    this.#process[Symbol.dispose]();
    this.#machine[Symbol.dispose]();
  }

  get #known(): SessionId {
    if (this.#id === undefined) throw new Error('no session was made');
    return this.#id;
  }

  async #begin(): Promise<void> {
    const agent = { model: 'fuzz', tools: [...this.#tools()].map(describeTool) };
    this.#session = await this.#process.store.create({ agent });
    this.#id = this.#session.id;
  }

  #tools() {
    const process = this.#process;
    return fuzzTools(async (tool, input, { ref, attempt }) => {
      await Promise.resolve();
      const trouble = this.#trouble;
      const isKilled = trouble.type === 'kill-in-tool' && process.alive && !process.fs.struck;
      if (isKilled) process.fs.fail(1, { type: 'crash', when: 'before' });
      if (isKilled && trouble.when === 'before') throw new Error('killed');
      if (!this.#isAlive(process)) throw new Error('killed');
      this.#model.effect({ tool, ref, attempt, input }, this.#machine.journal(this.#known));
    });
  }

  /** A process that met a crash does nothing any more, also before it notices. */
  #isAlive(process: FuzzProcess): boolean {
    const isCrashing = this.#trouble.type === 'kill' || this.#trouble.type === 'kill-in-tool';
    return process.alive && !(process === this.#process && isCrashing && process.fs.struck);
  }

  async #step(step: Step): Promise<void> {
    switch (step.type) {
      case 'say':
        this.#replies.push(...step.replies);
        return this.#work(step.trouble, () => this.#say());
      case 'answer':
        return this.#answer(step);
      case 'wrong-answer':
        return this.#answerWrongly(step.which);
      case 'second-process':
        return this.#openTwice();
      case 'clock':
        this.#machine.setClock(step.to);
        return;
      case 'resume':
        await this.#leave();
        this.#session = undefined;
        return this.#work(step.trouble, () => this.#goOn());
    }
  }

  /** Lets something happen in trouble; whoever died is followed by a new process, which has none. */
  async #work(trouble: Trouble, work: () => Promise<void>): Promise<void> {
    this.#trouble = trouble;
    this.#stop = new AbortController();
    this.#shown = 0;
    arm(this.#process, trouble);
    try {
      this.#session ??= await this.#process.store.open(this.#known, 'write');
      await work();
    } catch (error) {
      if (this.#isAlive(this.#process) && !isExpected(error, trouble)) throw error;
    }
    await someTurns();
    this.#process.fs.heal();
    if (this.#isAlive(this.#process)) return;
    await this.#die('power' in trouble && trouble.power);
  }

  async #die(power: boolean): Promise<void> {
    this.#process[Symbol.dispose]();
    if (power) this.#machine.cutPower(this.#known);
    this.#trouble = NO_TROUBLE;
    this.#process = new FuzzProcess(this.#machine);
    this.#session = await this.#process.store.open(this.#known, 'write');
  }

  async #say(): Promise<void> {
    const session = this.#opened;
    if (session.state.open === undefined && session.state.asks === undefined) {
      const content = [textPart(`message ${session.version}`)];
      await keep([{ type: 'message-added', message: { role: 'user', content } }], session, this.#renderer());
    }
    await this.#goOn();
  }

  /** The process ends by itself, or tries to. */
  async #leave(): Promise<void> {
    try {
      await this.#session?.[Symbol.asyncDispose]();
    } catch {
      // what could not be written is written by the next one
    }
  }

  get #opened(): Session {
    if (this.#session === undefined) throw new Error('no session is open');
    return this.#session;
  }

  /** One stretch of work of the process, with a person who gives these answers and then leaves; `isBlind`: whatever is asked. */
  async #goOn(answers: readonly Answer[] = [], isBlind = false): Promise<void> {
    const session = this.#opened;
    const left = [...answers];
    const channel: HumanChannel = {
      ask: async (open): Promise<AskResult> => {
        let answer = left.shift();
        // A person sees what is open, and not what somebody else has answered meanwhile.
        while (!isBlind && answer !== undefined && open.every(({ id }) => id !== answer?.id))
          answer = left.shift();
        return answer === undefined ? { type: 'left-open', why: 'nobody' } : { type: 'answered', answer };
      },
    };
    const run = {
      model: this.#replying(),
      tools: this.#tools(),
      clock: this.#machine.clock,
      runId: session.id,
    };
    const posted = session.answers();
    await converse({ session, run, channel, renderer: this.#renderer(), posted }, this.#stop.signal);
  }

  #renderer(): Renderer {
    return {
      event: (event, seq) => {
        this.#model.show(event, seq);
        this.#shown += 1;
        const trouble = this.#trouble;
        if (trouble.type === 'stop' && this.#shown > trouble.after) this.#stop.abort(new Error('Ctrl-C'));
      },
      transient: () => undefined,
      notice: () => undefined,
      pause: () => undefined,
      stopped: () => undefined,
    };
  }

  #replying(): Model {
    const [process, model] = [this.#process, this.#model];
    const next = () => this.#replies.shift() ?? { type: 'text', isCut: false };
    const refOf = () => toolRef(`c${(this.#calls += 1)}`);
    const journal = () => this.#machine.journal(this.#known).map(({ event }) => event);
    return {
      id: 'fuzz',
      async *generate(request: ModelRequest): AsyncGenerator<ModelEvent, void> {
        const messages = request.messages.toArray();
        for (const problem of checkMessages(messages)) model.wrong(`G19 a request: ${problem.message}`);
        if (process.alive && JSON.stringify(messages) !== JSON.stringify(fold(journal()).view.toArray()))
          model.wrong('G2 the model was sent what is not on disk');
        const reply = next();
        if (reply.isCut) {
          yield { type: 'text-delta', text: CUT_TEXT };
          throw new HitlError('MODEL_FAILED', 'the stream ended before the reply was complete');
        }
        await Promise.resolve();
        const calls = reply.type === 'text' ? [] : reply.calls;
        const requests = calls.map(({ tool, amount }) => ({
          type: 'tool-request' as const,
          ref: refOf(),
          name: tool,
          input: { amount },
        }));
        const content = [textPart('a reply'), ...requests];
        yield { type: 'reply', reply: { content, end: requests.length > 0 ? 'tool-use' : 'stop' } };
      },
    };
  }

  async #answer(step: Extract<Step, { type: 'answer' }>): Promise<void> {
    const { which, count, action, amount, by, trouble } = step;
    const open = openInterrupts(this.#session?.state ?? fold([]));
    if (open.length === 0) return this.#work(trouble, () => this.#say());
    const chosen = [...open.slice(which % open.length), ...open.slice(0, which % open.length)].slice(
      0,
      count,
    );
    const here = chosen.map((interrupt, index): Answer => {
      const resolution = resolutionFor(interrupt, index === 0 ? action : 0, amount);
      return { ...answerTo(interrupt, resolution), by: ANN };
    });
    const [first] = chosen;
    if (by !== 'here' && first !== undefined)
      await this.#post({ ...answerTo(first, resolutionFor(first, action + 1)), by: BOB });
    return this.#work(trouble, () => this.#goOn(by === 'posted' ? here.slice(1) : here));
  }

  /** Another process leaves an answer. */
  async #post(answer: Answer): Promise<void> {
    using other = new FuzzProcess(this.#machine);
    try {
      await leave(other.store, this.#known, answer, AbortSignal.timeout(60_000));
      this.#model.post(answer);
    } catch (error) {
      // A record whose flush failed stands in the file until the writer goes on: who looks then is told of it.
      if (!isHitlError(error) || error.code !== 'ALREADY_ANSWERED') throw error;
    }
  }

  /** G16: a second answer, one to nothing, and one to what was never shown so, are refused and change nothing. */
  async #answerWrongly(which: number): Promise<void> {
    this.#trouble = NO_TROUBLE;
    this.#stop = new AbortController();
    this.#session ??= await this.#process.store.open(this.#known, 'write');
    const { state } = this.#session;
    const [answered] = state.resolved.toArray().slice(which);
    const [open] = openInterrupts(state);
    const wrong: Answer[] = [
      { id: interruptId('none'), digest: '', resolution: { action: 'cancel' }, by: BOB },
      ...(answered === undefined ? [] : [{ ...answerTo(answered.interrupt, { action: 'cancel' }), by: BOB }]),
      ...(open === undefined ? [] : [{ ...answerTo(open, { action: 'cancel' }), digest: 'other', by: BOB }]),
    ];
    const before = this.#answersOnDisk();
    using other = new FuzzProcess(this.#machine);
    for (const answer of wrong) {
      const refused = await leave(other.store, this.#known, answer, AbortSignal.timeout(60_000)).then(
        () => false,
        (error: unknown) => isHitlError(error),
      );
      if (!refused) this.#model.wrong(`G16 an answer to ${answer.id} was taken that fits nothing`);
      if (open === undefined) continue;
      const taken = await this.#goOn([answer], true).then(
        () => true,
        (error: unknown) => !(isHitlError(error) && error.code === 'BAD_ANSWER'),
      );
      if (taken) this.#model.wrong(`G16 the session took an answer to ${answer.id} that fits nothing`);
    }
    if (this.#answersOnDisk() !== before)
      this.#model.wrong('G16 an answer that was refused is in the journal');
  }

  #answersOnDisk(): number {
    return this.#machine.journal(this.#known).filter(({ event }) => event.type === 'interrupt-resolved')
      .length;
  }

  /** G23: while one process has the session no other one writes it, and any may read it. */
  async #openTwice(): Promise<void> {
    using other = new FuzzProcess(this.#machine);
    const code = await other.store.open(this.#known, 'write').then(
      () => 'opened',
      (error: unknown) => (isHitlError(error) ? error.code : String(error)),
    );
    if (this.#session !== undefined && code !== 'SESSION_LOCKED')
      this.#model.wrong(`G23 a second process got ${code}`);
    await using reader = await other.store.open(this.#known, 'read');
    if (this.#session !== undefined && reader.version < this.#session.version)
      this.#model.wrong('a reader sees less than was confirmed');
  }

  /** A person comes back, looks at the world before answering a doubt, and agrees to the rest. */
  async #end(): Promise<void> {
    this.#trouble = NO_TROUBLE;
    this.#stop = new AbortController();
    this.#replies.splice(0);
    await this.#leave();
    await this.#die(false);
    for (let round = 0; round <= MOST_ROUNDS; round += 1) {
      const [interrupt] = openInterrupts(this.#opened.state);
      await this.#goOn(interrupt === undefined ? [] : [this.#deciding(interrupt)]);
      if (openInterrupts(this.#opened.state).length === 0) break;
    }
    this.#model.check(this.#machine.journal(this.#known));
    this.#model.checkEnd();
    await this.#resumeAgain();
  }

  #deciding(interrupt: Interrupt): Answer {
    const { kind, source } = interrupt;
    const isDone = source.type === 'tool' && this.#model.effectsOf(source.ref) > 0;
    const doubt: Resolution = isDone ? { action: 'respond', output: 'it had happened' } : { action: 'retry' };
    const known: Resolution =
      kind === 'question' ? { action: 'respond', output: 'yes' } : { action: 'restart' };
    return { ...answerTo(interrupt, kind === 'in-doubt' ? doubt : known), by: ANN };
  }

  /** A session that has ended is not changed by resuming it. */
  async #resumeAgain(): Promise<void> {
    await this.#opened[Symbol.asyncDispose]();
    const before = this.#machine.bytes(this.#known);
    await this.#die(false);
    await this.#goOn();
    await this.#opened[Symbol.asyncDispose]();
    if (!this.#machine.bytes(this.#known).equals(before))
      this.#model.wrong('a second resume changed the session');
    const examined = await this.#process.store.capabilities.doctor.examine(this.#known);
    if (examined.status !== 'ok') this.#model.wrong(`the journal is ${examined.status}`);
  }
}

/**
 * Nobody goes on in the turn of the event loop in which something failed: after a lazy append nothing is appended in
 * that turn, and one that was under way fails a turn later.
 */
async function someTurns(): Promise<void> {
  for (let turn = 0; turn < 3; turn += 1) {
    await new Promise<void>((resolve) => {
      setImmediate(resolve);
    });
  }
}

function arm({ fs }: FuzzProcess, trouble: Trouble): void {
  switch (trouble.type) {
    case 'kill':
      fs.fail(trouble.at, { type: 'crash', when: trouble.when });
      break;
    case 'full':
      fs.fail(trouble.at, { type: 'error', errno: trouble.errno, sticky: trouble.sticky });
      break;
    case 'short':
      fs.fail(trouble.at, { type: 'short', errno: 'ENOSPC' });
      break;
    case 'none':
    case 'stop':
    case 'kill-in-tool':
      break;
  }
}

/** What a failing disk may come to: it says so (G6). */
function isExpected(error: unknown, trouble: Trouble): boolean {
  const isDisk = trouble.type === 'full' || trouble.type === 'short';
  return (
    isDisk && isHitlError(error) && (error.code === 'SAVE_FAILED' || error.code === 'SESSION_UNREADABLE')
  );
}

function answerTo({ id, digest }: Interrupt, resolution: Resolution): Omit<Answer, 'by'> {
  return { id, digest, resolution };
}

function resolutionFor({ kind, allowed }: Interrupt, action: number, amount?: number): Resolution {
  const known: readonly Resolution[] = [
    { action: 'restart', ...(amount !== undefined && amount > 0 && { input: { amount } }) },
    { action: 'restart' },
    { action: 'respond', output: 'done by hand' },
    { action: 'retry' },
    { action: 'reject', reason: 'no' },
    { action: 'cancel' },
  ];
  const fitting = known.filter((resolution) => allowed.includes(resolution.action));
  const chosen = fitting[action % fitting.length];
  if (chosen === undefined) throw new Error(`nothing answers a ${kind}`);
  return chosen;
}
