import type { Answer, JsonValue, SessionEvent, StoredEvent } from '../../src/core/index.js';
import { canonicalJson, checkMessages, emptyState, evolve, openInterrupts } from '../../src/core/index.js';

/** What a tool did to the world, and for which run of which call. */
export interface Effect {
  readonly tool: string;
  readonly ref: string;
  readonly attempt: number;
  readonly input: JsonValue;
}

type Event<Type extends SessionEvent['type']> = Extract<SessionEvent, { type: Type }>;

/** Text of a reply that was cut: it must never be history. */
export const CUT_TEXT = 'this reply was cut';

/**
 * What has to hold of a session whatever happens to it, told by what can be seen from outside: what was shown, what was
 * confirmed, what tools did, and the lines on disk. It knows nothing of the fold and of the engine.
 */
export class SessionModel {
  readonly #shown = new Map<number, string>();
  readonly #posted: Answer[] = [];
  readonly #effects: Effect[] = [];
  readonly #problems: string[] = [];
  /** The state behind the records whose prefixes were looked at. */
  #state = emptyState();
  #checked: readonly string[] = [];

  /** Takes what was found wrong since the last time. */
  problems(): readonly string[] {
    return this.#problems.splice(0);
  }

  wrong(problem: string): void {
    this.#problems.push(problem);
  }

  /** How often the world was changed for a call. */
  effectsOf(ref: string): number {
    return this.#effects.filter((effect) => effect.ref === ref).length;
  }

  /** An event was shown: it counts from now on. */
  show(event: SessionEvent, seq: number): void {
    this.#shown.set(seq, JSON.stringify(event));
  }

  /** Another process was told that its answer is kept. */
  post(answer: Answer): void {
    this.#posted.push(answer);
  }

  /** A tool changes the world; `journal` is what is on disk by then. */
  effect(effect: Effect, journal: readonly StoredEvent[]): void {
    const { ref, tool, attempt, input } = effect;
    const of = (what: string) => `${what}: ${tool} ${ref}#${attempt} with ${JSON.stringify(input)}`;
    const events = journal.map(({ event }) => event);
    const raised = ofType(events, 'interrupt-raised').filter(
      ({ interrupt: { source } }) => source.type === 'tool' && source.ref === ref,
    );
    const asked = new Map(raised.map(({ interrupt }) => [interrupt.id, interrupt]));
    const answers = ofType(events, 'interrupt-resolved').filter(({ id }) => asked.has(id));
    const actions = answers.map(({ resolution: { action } }) => action);
    const started = ofType(events, 'tool-started').findLast((event) => event.ref === ref);
    if (started?.attempt !== attempt || canonicalJson(started.input) !== canonicalJson(input))
      this.wrong(of('G9 an effect without its intent'));
    if (ofType(events, 'tool-settled').some((event) => event.ref === ref))
      this.wrong(of('G15 an effect of a call that has its result'));
    if (actions.some((action) => action === 'cancel' || action === 'reject' || action === 'respond'))
      this.wrong(of('G14 an effect of a call that was decided otherwise'));
    const before = this.effectsOf(ref);
    const again = answers.filter(
      ({ id, resolution }) => asked.get(id)?.kind === 'in-doubt' && resolution.action === 'retry',
    ).length;
    if (tool !== 'note' && before > again) this.wrong(of('G10 an effect twice, and nobody was told'));
    if (tool !== 'note') this.#checkApproval(of, { input, before, again }, { asked, answers });
    this.#effects.push(effect);
  }

  /** G11: what runs was agreed to, with this input, and for this time. */
  #checkApproval(
    of: (what: string) => string,
    { input, before, again }: { input: JsonValue; before: number; again: number },
    {
      asked,
      answers,
    }: {
      asked: ReadonlyMap<string, Event<'interrupt-raised'>['interrupt']>;
      answers: readonly Event<'interrupt-resolved'>[];
    },
  ): void {
    const agreed = answers.flatMap(({ id, digest, resolution }) => {
      const interrupt = asked.get(id);
      if (interrupt?.source.type !== 'tool' || interrupt.digest !== digest) return [];
      return resolution.action === 'restart' ? [resolution.input ?? interrupt.source.input] : [];
    });
    const last = agreed.at(-1);
    if (last === undefined || canonicalJson(last) !== canonicalJson(input))
      this.wrong(of('G11 something ran that nobody agreed to'));
    if (before >= agreed.length + again) this.wrong(of('G11 an approval was used twice'));
  }

  /** Looks at what is on disk after a step. */
  check(journal: readonly StoredEvent[]): void {
    const events = journal.map(({ event }) => event);
    for (const [seq, shown] of this.#shown) {
      const event = events[seq - 1];
      if (event === undefined || JSON.stringify(event) !== shown)
        this.wrong(`G1 record ${seq} was shown and is lost`);
    }
    this.#once(
      ofType(events, 'interrupt-resolved').map(({ id }) => id),
      'G16 a second answer counts for',
    );
    this.#once(
      ofType(events, 'interrupt-raised').map(({ interrupt }) => interrupt.id),
      'G16 two interrupts are',
    );
    this.#once(
      ofType(events, 'tool-settled').map(({ ref }) => ref),
      'G15 a second result of',
    );
    this.#checkPrefixes(events);
  }

  /** Only what was not looked at yet, unless records that nobody was told of are gone again. */
  #checkPrefixes(events: readonly SessionEvent[]): void {
    const texts = events.map((event) => JSON.stringify(event));
    if (!this.#checked.every((text, index) => text === texts[index]))
      [this.#state, this.#checked] = [emptyState(), []];
    for (const event of events.slice(this.#checked.length)) {
      this.#state = evolve(this.#state, event);
      this.#checkPrefix();
    }
    this.#checked = texts;
  }

  #once(ids: readonly string[], what: string): void {
    for (const [index, id] of ids.entries()) if (ids.indexOf(id) < index) this.wrong(`${what} ${id}`);
  }

  #checkPrefix(): void {
    const { view } = this.#state;
    if (view.length === 0) return;
    for (const { message } of checkMessages(view)) this.wrong(`G19 ${message}`);
    if (JSON.stringify(view.at(-1)).includes(CUT_TEXT)) this.wrong('G20 a reply that was cut is history');
  }

  /** At its end a session has used every answer that was posted, or another one in its place. */
  checkEnd(): void {
    if (openInterrupts(this.#state).length > 0) this.wrong('the session waits at its end');
    const resolved = new Set(this.#state.resolved.toArray().map(({ interrupt }) => interrupt.id));
    for (const { id } of this.#posted) {
      if (!resolved.has(id)) this.wrong(`G1 the posted answer to ${id} is lost`);
    }
  }
}

function ofType<Type extends SessionEvent['type']>(
  events: readonly SessionEvent[],
  type: Type,
): readonly Event<Type>[] {
  return events.filter((event): event is Event<Type> => event.type === type);
}
