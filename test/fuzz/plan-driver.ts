import type {
  Actor,
  ApprovalRequest,
  Interrupt,
  JsonValue,
  Message,
  OpenTurn,
  Resolution,
  RunState,
  SessionEvent,
  Tool,
  TranscriptMessage,
} from '../../src/core/index.js';
import {
  emptyState,
  evolve,
  fold,
  isHitlError,
  isoTime,
  makeInterrupt,
  openInterrupts,
  readTranscript,
  answerEvents,
  schemaDigest,
  SecretVault,
  timeOf,
  transcriptMessages,
} from '../../src/core/index.js';
import { readHistory } from '../../src/engine/generate-start.js';
import { checkResume, run, sealed } from '../../src/engine/index.js';
import type { RunOptions } from '../../src/engine/index.js';
import { fakeClock, scriptedModel } from '../../src/testing/index.js';
import { toolSet } from '../../src/tools/index.js';
import { modelSaid, requestPart, userSaid } from '../helpers/events.js';
import type { Answered } from './plan-oracle.js';
import { forgeries, lawProblem } from './plan-oracle.js';
import type { Death, PlanCall, PlanStep } from './plan-steps.js';
import type { Name, PlanTools, World } from './plan-world.js';
import { FIRST_WORLD, gateOf, NAMES } from './plan-world.js';

const never = new AbortController().signal;
const ACTORS: Readonly<Record<'terminal' | 'script', Actor>> = {
  terminal: { type: 'person', name: 'ann', via: 'terminal' },
  script: { type: 'script', name: 'nightly', via: 'answers' },
};

/** A session in memory whose every body is held against law 5 when it is entered. */
export class PlanDriver {
  /** What the session began with: nothing, or what a caller hands over. */
  #base: RunState = emptyState();
  #journal: SessionEvent[] = [];
  #world: World = FIRST_WORLD;
  readonly #made: PlanTools;
  readonly #clock = fakeClock();
  /** What was there when an answer was kept, by the id of its question, for each journal. */
  readonly #found = new Map<string, ApprovalRequest>();
  readonly #problems: string[] = [];
  #calls = 0;
  /** How many bodies were entered to which the law says something. */
  judged = 0;

  constructor(made: PlanTools) {
    this.#made = made;
  }

  /** What was found wrong with the steps. */
  async play(steps: readonly PlanStep[]): Promise<readonly string[]> {
    this.#use();
    for (const step of steps) await this.#step(step);
    this.#forge();
    return this.#problems;
  }

  get #state(): RunState {
    return fold(this.#journal, this.#base);
  }

  async #step(step: PlanStep): Promise<void> {
    switch (step.type) {
      case 'say':
        if (this.#state.open === undefined) this.#say(step.calls);
        return this.#goOn(step.dies);
      case 'answer':
        return this.#answer(step);
      case 'go':
        return this.#goOn(step.dies);
      case 'change':
        this.#world = { ...this.#world, ...step.change };
        this.#use();
        return;
      case 'wait':
        return this.#clock.advance(step.ms);
      case 'import':
        this.#import(step.from);
    }
  }

  /** The tools see this world, and tell of the bodies that are entered. */
  #use(): void {
    this.#made.user = {
      world: this.#world,
      entered: (name, input, context) => {
        this.#entered(name, input, context);
      },
    };
  }

  #say(calls: readonly PlanCall[]): void {
    const parts = calls.map(({ name, path, n }) =>
      requestPart(name, `c${(this.#calls += 1)}`, { path, ...(n !== undefined && { n }) }),
    );
    this.#append([userSaid('go on'), modelSaid(parts)]);
  }

  #append(events: readonly SessionEvent[]): void {
    this.#journal.push(...(JSON.parse(JSON.stringify(events)) as SessionEvent[]));
  }

  #tools(): readonly Tool[] {
    const { version, code } = this.#world;
    const made = this.#made.of(version);
    return code === 0 ? made : made.map((tool) => ({ ...tool, code: `version:${code}` }));
  }

  #options(): RunOptions {
    const model = scriptedModel(Array.from({ length: 20 }, () => 'done'));
    return { model, tools: toolSet(this.#tools()), clock: this.#clock, runId: 'r' };
  }

  /** A process takes the session up, and goes on until it rests or dies. */
  async #goOn(dies: Death | undefined): Promise<void> {
    this.#use();
    const steps = run(this.#state, this.#options(), never);
    let kept = 0;
    for (;;) {
      const step = await steps.next();
      if (step.done === true) return;
      if (!step.value.durable) continue;
      for (const event of step.value.events) {
        kept += 1;
        if (dies?.at === kept && dies.when === 'before') return this.#die(steps);
        this.#append([event]);
        if (dies?.at === kept) return this.#die(steps);
      }
    }
  }

  async #die(steps: AsyncGenerator<unknown, unknown, undefined>): Promise<void> {
    this.#made.user = { world: this.#world, entered: () => undefined }; // what a dead process still does is nothing
    await steps.throw(new Error('died')).catch(() => undefined);
  }

  async #answer({ which, action, edit, by, all, goes }: PlanStep & { type: 'answer' }): Promise<void> {
    const open = openInterrupts(this.#state);
    const chosen = open[which % Math.max(open.length, 1)];
    for (const interrupt of open) {
      const isChosen = interrupt === chosen;
      const resolution = isChosen ? resolutionFor(interrupt, action, edit) : resolutionFor(interrupt, 0);
      if (isChosen || all) await this.#keep(interrupt, resolution, by);
    }
    if (goes) await this.#goOn(undefined);
  }

  async #keep(interrupt: Interrupt, resolution: Resolution, by: 'terminal' | 'script'): Promise<void> {
    const { id, digest } = interrupt;
    const answer = { id, digest, resolution, by: ACTORS[by] };
    const tools = toolSet(this.#tools());
    const problems = await checkResume(this.#state, [answer], tools, { complete: false });
    if (problems.length > 0) return;
    const bound = await sealed(
      answer,
      this.#state,
      { tools, vault: new SecretVault(), run: { runId: 's1' } },
      never,
    );
    const found = this.#foundFor(interrupt, resolution);
    if (found !== undefined) this.#found.set(id, found);
    this.#append(answerEvents(bound, this.#state, { at: isoTime(this.#clock.now()) }));
  }

  #foundFor({ source }: Interrupt, resolution: Resolution): ApprovalRequest | undefined {
    if (source.type !== 'tool' || resolution.action !== 'restart') return undefined;
    if (resolution.input === undefined) return undefined;
    const parsed = this.#parsed(source.name)(resolution.input);
    return parsed === undefined ? undefined : gateOf(nameOf(source.name), parsed, this.#world);
  }

  #parsed(name: string): (input: JsonValue) => JsonValue | undefined {
    const tool = this.#toolNow(name);
    return (input) => {
      const parsed = tool.parseInput(input);
      if (parsed instanceof Promise) throw new Error('the schema is at once');
      return parsed.ok ? parsed.value : undefined;
    };
  }

  #toolNow(name: string): Tool {
    const tool = this.#tools().find((one) => one.name === name);
    if (tool === undefined) throw new Error(`there is no tool ${name}`);
    return tool;
  }

  #entered(name: Name, input: JsonValue, { ref, resumed }: { ref: string; resumed?: JsonValue }): void {
    const answers = this.#answersAbout(ref);
    const gate = gateOf(name, input, this.#world);
    const isResumed = resumed !== undefined;
    if (gate !== undefined || isResumed) this.judged += 1;
    const made = this.#toolNow(name);
    const entry = {
      input,
      gate,
      isResumed,
      tool: schemaDigest(made),
      code: made.code,
      at: this.#clock.now(),
    };
    const problem = lawProblem(answers, entry, this.#parsed(name));
    if (problem !== undefined)
      this.#problems.push(`${name} ${ref} with ${JSON.stringify(input)}: ${problem}`);
  }

  #answersAbout(ref: string): readonly Answered[] {
    const asked = new Map<string, Interrupt>(
      openInterrupts(this.#base)
        .filter(({ source }) => source.type === 'tool' && source.ref === ref)
        .map((interrupt) => [interrupt.id, interrupt]),
    );
    const answers: Answered[] = [];
    for (const [index, event] of this.#journal.entries()) {
      if (event.type === 'interrupt-raised') {
        const { source } = event.interrupt;
        if (source.type === 'tool' && source.ref === ref) asked.set(event.interrupt.id, event.interrupt);
      }
      const interrupt = event.type === 'interrupt-resolved' ? asked.get(event.id) : undefined;
      if (event.type !== 'interrupt-resolved' || interrupt === undefined) continue;
      const { resolution, by } = event;
      const isTerminal = by.type === 'person' && by.via === 'terminal';
      const isEdit = resolution.action === 'restart' && resolution.input !== undefined;
      const found = isEdit ? this.#found.get(event.id) : undefined;
      // The start that is judged now is in the journal, too.
      const starts = this.#journal
        .slice(index)
        .filter((one) => one.type === 'tool-started' && one.ref === ref);
      answers.push({
        interrupt,
        resolution,
        isTerminal,
        at: timeOf(event.resolvedAt),
        isUsed: starts.length > 1,
        ...(found !== undefined && { found }),
      });
    }
    return answers;
  }

  /**
   * What is written is read again: by `generate`, as what it said itself, or by an import, as what somebody says. What
   * was agreed to before is in neither.
   */
  #import(from: 'own' | 'foreign'): void {
    const messages = JSON.parse(JSON.stringify(transcriptMessages(this.#state))) as TranscriptMessage[];
    this.#journal = [];
    this.#found.clear();
    this.#base = emptyState();
    if (from === 'own') {
      this.#base = readHistory({ model: scriptedModel([]), clock: this.#clock, messages });
      return;
    }
    const { closed, open } = readTranscript(messages, isoTime(0), from);
    this.#append([...historyOf(closed), ...(open === undefined ? [] : turnOf(open))]);
  }

  #forge(): void {
    const asking = (
      { id, path, raisedAt, digest: _digest, ...draft }: Interrupt,
      source: Interrupt['source'],
    ) => makeInterrupt({ ...draft, source }, { id, path, raisedAt });
    for (const journal of forgeries(this.#journal, asking)) {
      const last = journal.at(-1);
      const before = fold(journal.slice(0, -1), this.#base);
      if (last !== undefined && folds(before, last)) this.#problems.push(`a forged ${last.type} folds`);
    }
  }
}

function folds(state: RunState, event: SessionEvent): boolean {
  try {
    evolve(state, event);
    return true;
  } catch (thrown) {
    if (isHitlError(thrown) && thrown.code === 'ILLEGAL_EVENT') return false;
    throw thrown;
  }
}

function historyOf(messages: readonly Message[]): readonly SessionEvent[] {
  return messages.length === 0 ? [] : [{ type: 'history-imported', messages }];
}

function turnOf({ message, calls }: OpenTurn): readonly SessionEvent[] {
  const waiting = calls.flatMap(({ request: { ref }, state }): SessionEvent[] => {
    if (state.status === 'settled') return [{ type: 'tool-settled', ref, outcome: state.outcome }];
    return state.status === 'interrupted' ? [{ type: 'interrupt-raised', interrupt: state.interrupt }] : [];
  });
  return [{ type: 'message-added', message }, ...waiting];
}

function nameOf(name: string): Name {
  const known = NAMES.find((one) => one === name);
  if (known === undefined) throw new Error(`there is no tool ${name}`);
  return known;
}

function resolutionFor(
  { allowed }: Interrupt,
  action: number,
  edit?: { readonly path: string; readonly n: number | undefined },
): Resolution {
  const { path, n } = edit ?? {};
  const input = path === undefined ? undefined : { path, ...(n !== undefined && { n }) };
  const known: readonly Resolution[] = [
    { action: 'restart', ...(input !== undefined && { input }) },
    { action: 'retry' },
    { action: 'reject' },
    { action: 'respond', output: 'by hand' },
    { action: 'cancel' },
  ];
  const fitting = known.filter((one) => allowed.includes(one.action));
  return fitting[action % fitting.length] ?? { action: 'cancel' };
}
