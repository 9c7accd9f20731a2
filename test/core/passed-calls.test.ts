import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import type { Actor, Interrupt, PassedCall, SessionEvent, StoredEvent } from '../../src/core/index.js';
import {
  interruptId,
  isFolded,
  makeInterrupt,
  passedCalls,
  passedGroups,
  passedSummary,
  passedWords,
  ReviewTally,
  toReview,
  toolRef,
} from '../../src/core/index.js';
import { AT, ANN, modelSaid, requestPart, toolSettled, toolStarted } from '../helpers/events.js';

const MODE: Actor = { type: 'rule', rule: 'mode accept-edits', from: '--mode' };
const RULE: Actor = { type: 'rule', rule: 'run_command npm test', from: 'config.json', says: 'allows it' };
const SCRIPT: Actor = { type: 'script', name: 'ann', via: 'stdin', place: 'line 2' };
const CLOCK: Actor = { type: 'clock' };

function stored(events: readonly (SessionEvent & { readonly foreign?: true })[]): readonly StoredEvent[] {
  return events.map(({ foreign, ...event }, at) => ({
    ...{ v: 2, seq: at + 1, at: AT, scope: (event.scope ?? '') as StoredEvent['scope'] },
    ...{ event },
    ...(foreign && { foreign }),
  }));
}

interface Asked {
  readonly name?: string;
  readonly payload?: Interrupt['payload'];
  readonly raisedBy?: 'tool' | 'approval' | 'engine';
  readonly kind?: 'confirmation' | 'error' | 'in-doubt';
}

function question(id: string, ref: string, more: Asked = {}): Interrupt {
  const { name = 'pay', payload = {}, raisedBy = 'approval', kind = 'confirmation' } = more;
  return makeInterrupt(
    { kind, source: { type: 'tool', ref: toolRef(ref), name, input: {}, raisedBy }, payload },
    { id: interruptId(id), path: '' as Interrupt['path'], raisedAt: AT },
  );
}

const raised = (id: string, ref: string, more: Asked = {}): SessionEvent => ({
  type: 'interrupt-raised',
  interrupt: question(id, ref, more),
});

const resolved = (
  id: string,
  by: Actor,
  action: 'restart' | 'retry' | 'reject' = 'restart',
): SessionEvent => ({
  ...{ type: 'interrupt-resolved', id: interruptId(id), digest: 'd', resolution: { action }, by },
  resolvedAt: AT,
});

const start = (ref: string, attempt = 1, name = 'pay', effect: 'none' | 'once' = 'once'): SessionEvent =>
  toolStarted(name, ref, { attempt, effect });

const requested = (...refs: readonly string[]): SessionEvent =>
  modelSaid(refs.map((ref) => requestPart('pay', ref)));

const seqs = (events: readonly SessionEvent[]): readonly number[] =>
  passedCalls(stored(events)).map(({ seq }) => seq);

describe('a call that went by', () => {
  test('has who let it run, what its question showed, and how it ended', () => {
    const payload = { facts: { path: '/w/src/a.ts' }, diff: '+a' };
    const events = [
      requested('a', 'b'),
      raised('i1', 'a', { name: 'edit_file', payload }),
      resolved('i1', MODE),
      { ...toolStarted('edit_file', 'a', { input: { path: 'src/a.ts' } }), title: 'Edit src/a.ts' },
      toolSettled('a', { ok: true }),
      start('b'),
      toolSettled('b', { type: 'error', code: 'failed', message: 'no' }),
    ] as const;
    const shared = { startedAt: AT, attempt: 1, effect: 'once' };
    expect(passedCalls(stored(events as readonly SessionEvent[]))).toEqual([
      {
        ...{ seq: 4, ref: 'a', tool: 'edit_file', title: 'Edit src/a.ts', input: { path: 'src/a.ts' } },
        ...{ ...shared, passed: { type: 'decided', by: MODE, seq: 3 }, plan: payload, askedBy: 'approval' },
        ...{ outcome: 'done', output: { ok: true } },
      },
      {
        ...{ seq: 6, ref: 'b', tool: 'pay', input: {}, ...shared },
        passed: { type: 'unasked', tier: 'does-not-ask' },
        ...{ outcome: 'failed', error: { code: 'failed', message: 'no' } },
      },
    ]);
  });

  test('is none that a person approved, also when it runs again after a crash', () => {
    expect(
      seqs([
        ...[requested('a'), raised('i1', 'a'), resolved('i1', ANN), start('a')],
        ...[raised('i2', 'a', { kind: 'in-doubt', raisedBy: 'engine' }), resolved('i2', ANN, 'retry')],
        start('a', 2),
      ]),
    ).toEqual([]);
  });

  test.for([RULE, SCRIPT, CLOCK, MODE])('is one that %j approved', (by) => {
    expect(seqs([requested('a'), raised('i1', 'a'), resolved('i1', by), start('a')])).toEqual([4]);
  });

  test('is one that a person only let run again', () => {
    const failed = raised('i1', 'a', { kind: 'error', raisedBy: 'engine', payload: { message: 'no' } });
    const events = [requested('a'), start('a'), failed, resolved('i1', ANN, 'retry'), start('a', 2)];
    expect(passedCalls(stored(events)).map(({ seq, outcome, error }) => [seq, outcome, error])).toEqual([
      [2, 'failed', { message: 'no' }],
      [5, 'unknown', undefined],
    ]);
  });

  test('is one under an approval that does not count any more', () => {
    const approved = [requested('a'), raised('i1', 'a'), resolved('i1', ANN)];
    expect(seqs([...approved, { type: 'approvals-voided' }, start('a')])).toEqual([5]);
    expect(seqs([...approved, start('a'), toolSettled('a', 1), requested('a'), start('a')])).toEqual([7]);
    expect(seqs([...approved, raised('i2', 'a'), resolved('i2', RULE), start('a')])).toEqual([6]);
  });

  test('is one under a proposal, which approves nothing', () => {
    const proposed = { ...resolved('i1', ANN), proposal: true } as SessionEvent;
    expect(seqs([requested('a'), raised('i1', 'a'), proposed, start('a')])).toEqual([4]);
  });

  test('is one of another node than the approved one of the same ref', () => {
    const at = (scope: string, event: SessionEvent): SessionEvent =>
      ({ ...event, scope }) as unknown as SessionEvent;
    const events = [
      at('x@1', raised('i1', 'a')),
      at('x@1', resolved('i1', ANN)),
      at('y@1', start('a')),
      at('x@1', start('a')),
    ];
    expect(passedCalls(stored(events)).map(({ seq, path }) => [seq, path])).toEqual([[3, 'y@1']]);
  });

  test('is one under a yes that this store did not write', () => {
    const yes = { ...resolved('i1', ANN), foreign: true } as const;
    const found = passedCalls(stored([requested('a'), raised('i1', 'a'), yes, start('a')]));
    expect(found.map(({ passed }) => passed)).toEqual([{ type: 'unproved', by: ANN, seq: 3 }]);
    const past = { ...start('a'), foreign: true } as const;
    expect(passedCalls(stored([requested('a'), raised('i1', 'a'), yes, past]))).toEqual([]);
  });

  test('that stopped to ask is counted, and its second start has the answer of the person', () => {
    const asks = raised('i1', 'a', { raisedBy: 'tool' });
    const found = passedCalls(
      stored([requested('a'), start('a'), asks, resolved('i1', ANN), start('a', 2), toolSettled('a', 1)]),
    );
    expect(found.map((call) => [call.seq, call.outcome, isFolded(call)])).toEqual([[2, 'asked', true]]);
    const groups = passedGroups(found);
    expect(groups).toMatchObject([{ what: '1 call', by: 'stopped to ask you' }]);
    expect(passedSummary(groups)).toBe('1 call that stopped to ask you');
  });

  test('follows a question to whom it escalates', () => {
    const escalated: SessionEvent = {
      ...{ type: 'interrupt-escalated', id: interruptId('i1') },
      interrupt: question('i2', 'a'),
    };
    expect(seqs([raised('i1', 'a'), escalated, resolved('i2', ANN), start('a')])).toEqual([]);
    expect(seqs([raised('i1', 'a'), escalated, resolved('i1', ANN), start('a')])).toEqual([4]);
  });
});

describe('groups', () => {
  const calls = (): readonly PassedCall[] => {
    const edit = (ref: string, path: string): readonly SessionEvent[] => [
      raised(`i${ref}`, ref, { name: 'edit_file' }),
      resolved(`i${ref}`, MODE),
      toolStarted('edit_file', ref, { input: { path } }),
      toolSettled(ref, 1),
    ];
    return passedCalls(
      stored([
        start('r', 1, 'run_command', 'none'),
        ...edit('a', 'src/core/a.ts'),
        start('f', 1, 'read_file', 'none'),
        start('s', 1, 'search_files', 'none'),
        ...edit('b', './src/b.ts'),
        raised('i9', 'c', { name: 'run_command' }),
        resolved('i9', RULE),
        start('c', 1, 'run_command'),
        start('w', 1, 'weather', 'none'),
      ]),
    );
  };

  test('name what ran and what let it run, the ones that only read last', () => {
    expect(passedGroups(calls()).map(({ what, by, isFolded: folded }) => [what, by, folded])).toEqual([
      ['2 edits in src', 'mode accept-edits', false],
      ['1 run_command call', 'rule `run_command npm test` (config.json)', false],
      ['1 weather call', 'declared read-only', false],
      ['1 read-only command', 'changes nothing, no network', true],
      ['2 reads', 'only reads', true],
    ]);
  });

  test.for(['constructor', 'toString', '__proto__'])('name a tool that is called %s', (name) => {
    const groups = passedGroups(passedCalls(stored([start('c', 1, name)])));
    expect(groups.map(({ what }) => what)).toEqual([`1 ${name} call`]);
  });

  test('are one line together, and only what is not folded is to review', () => {
    expect(passedSummary(passedGroups(calls()))).toBe(
      '2 edits in src, 1 run_command call, 1 weather call, 1 read-only command, 2 reads',
    );
    expect(toReview(calls())).toBe(4);
  });

  test.for([
    [{ type: 'decided', by: SCRIPT, seq: 1 }, 'script ann (stdin line 2)'],
    [{ type: 'decided', by: CLOCK, seq: 1 }, 'the clock'],
    [{ type: 'unproved', by: ANN, seq: 1 }, 'approval by ann, not recorded in this store'],
    [{ type: 'decided', by: { type: 'wizard' } as unknown as Actor, seq: 1 }, 'somebody unknown'],
  ] as const)('say of %j: %s', ([passed, words]) => {
    expect(passedWords({ passed, outcome: 'done' })).toBe(words);
  });
});

/** Something that happens to one of few calls in one of two places. `which` names a question that was asked before. */
interface Step {
  readonly type: 'start' | 'ask' | 'decide' | 'answer' | 'escalate' | 'request' | 'settle' | 'void';
  readonly ref: string;
  readonly scope: string;
  readonly which: number;
  readonly by: Actor;
  readonly action: 'restart' | 'retry' | 'reject';
  readonly raisedBy: 'tool' | 'approval' | 'engine';
  readonly isProposal: boolean;
  readonly foreign: boolean;
}

/** Plays steps as a journal in which every question has an id of its own. */
function played(steps: readonly Step[]): readonly StoredEvent[] {
  const asked: { id: string; ref: string }[] = [];
  const events = steps.flatMap(({ type, ref, which, by, action, raisedBy, isProposal, scope, foreign }) => {
    const about = asked[asked.length - 1 - (which % Math.max(1, asked.length))];
    const events = ((): readonly SessionEvent[] => {
      switch (type) {
        case 'start':
          return [start(ref)];
        case 'ask':
        case 'decide': {
          const id = `i${asked.length}`;
          asked.push({ id, ref });
          const question = raised(id, ref, { raisedBy });
          return type === 'ask' ? [question] : [question, resolved(id, by)];
        }
        case 'answer': {
          if (about === undefined) return [];
          const said = resolved(about.id, by, action);
          return [isProposal ? ({ ...said, proposal: true } as SessionEvent) : said];
        }
        case 'escalate': {
          if (about === undefined) return [];
          const id = `i${asked.length}`;
          asked.push({ id, ref: about.ref });
          const interrupt = question(id, about.ref);
          return [{ type: 'interrupt-escalated', id: interruptId(about.id), interrupt }];
        }
        case 'request':
          return [requested(ref)];
        case 'settle':
          return [toolSettled(ref, 1)];
        case 'void':
          return [{ type: 'approvals-voided' }];
      }
    })();
    return events.map((event) => ({ ...event, scope, ...(foreign && { foreign }) }));
  });
  return stored(events as unknown as readonly (SessionEvent & { foreign?: true })[]);
}

function journals(): fc.Arbitrary<readonly StoredEvent[]> {
  const types = ['start', 'start', 'start', 'decide', 'decide', 'ask', 'answer', 'answer'] as const;
  const step = fc.record<Step>({
    type: fc.constantFrom<Step['type']>(...types, 'escalate', 'request', 'settle', 'void'),
    ref: fc.constantFrom('a', 'a', 'b'),
    scope: fc.constantFrom('', '', 'x@1'),
    which: fc.constantFrom(0, 0, 0, 1, 2),
    by: fc.constantFrom<Actor>(ANN, ANN, ANN, RULE, SCRIPT, CLOCK, { type: 'wizard' } as unknown as Actor),
    action: fc.constantFrom('restart', 'restart', 'restart', 'retry', 'reject'),
    raisedBy: fc.constantFrom('tool', 'approval', 'engine'),
    isProposal: fc.constantFrom(false, false, false, true),
    foreign: fc.constantFrom(false, false, false, true),
  });
  return fc.array(step, { maxLength: 40, size: 'max' }).map(played);
}

/** Whether the last word about a call before its start was the yes of a person, found by looking back from it. */
function hasYes(events: readonly StoredEvent[], at: number): boolean {
  const here = events[at]!;
  if (here.event.type !== 'tool-started') throw new Error('no start');
  const { ref } = here.event;
  for (let back = at - 1; back >= 0; back -= 1) {
    const { event, scope, foreign } = events[back]!;
    if (event.type === 'approvals-voided') return false;
    if (event.type === 'message-added' && scope === here.scope)
      if (event.message.content.some((part) => part.type === 'tool-request' && part.ref === ref))
        return false;
    if (event.type === 'interrupt-raised' && scope === here.scope && event.interrupt.source.type === 'tool')
      if (event.interrupt.source.ref === ref && event.interrupt.source.raisedBy === 'approval') return false;
    if (event.type !== 'interrupt-resolved' || event.resolution.action !== 'restart') continue;
    const place = openBefore(events, back);
    if (place !== here.scope || event.proposal === true || questionRef(events, event.id) !== ref) continue;
    return event.by.type === 'person' && (foreign !== true || here.foreign === true);
  }
  return false;
}

function questionRef(events: readonly StoredEvent[], id: string): string | undefined {
  for (const { event } of events)
    if (event.type === 'interrupt-raised' || event.type === 'interrupt-escalated')
      if (event.interrupt.id === id && event.interrupt.source.type === 'tool')
        return event.interrupt.source.ref;
  return undefined;
}

/** The place of the question that an answer closes; `undefined` if it was closed before, or is of another place. */
function openBefore(events: readonly StoredEvent[], at: number): string | undefined {
  const open = new Map<string, string>();
  for (const [now, { event, scope }] of events.slice(0, at + 1).entries()) {
    if (event.type === 'interrupt-raised') open.set(event.interrupt.id, scope);
    if (event.type !== 'interrupt-resolved' && event.type !== 'interrupt-escalated') continue;
    const place = open.get(event.id);
    if (place === undefined || (scope !== place && scope !== '')) continue;
    if (now === at) return place;
    open.delete(event.id);
    if (event.type === 'interrupt-escalated') open.set(event.interrupt.id, place);
  }
  return undefined;
}

test('every start is in the list, or its call has the yes of a person', () => {
  const seen = { passed: 0, agreed: 0 };
  fc.assert(
    fc.property(journals(), (events) => {
      const listed = passedCalls(events).map(({ seq }) => seq);
      const starts = [...events.entries()].filter(([, { event }]) => event.type === 'tool-started');
      const without = starts.filter(([at]) => !hasYes(events, at)).map(([, { seq }]) => seq);
      expect(listed).toEqual(without);
      seen.passed += listed.length;
      seen.agreed += starts.length - listed.length;
    }),
    { numRuns: 2000 },
  );
  expect(seen.agreed).toBeGreaterThan(500);
  expect(seen.passed).toBeGreaterThan(seen.agreed);
});

test('counted event by event, they are as many as in the list, after any event', () => {
  fc.assert(
    fc.property(journals(), fc.nat(), (events, nth) => {
      const tally = new ReviewTally();
      for (const [at, one] of events.entries()) {
        tally.read(one);
        if (at % 3 !== 0) continue;
        const seen = nth % (at + 2);
        const listed = passedCalls(events.slice(0, at + 1)).filter(({ seq }) => seq > seen);
        expect(tally.after(seen)).toBe(toReview(listed));
      }
    }),
  );
});

test('of two questions with one id neither is answered by a yes that does not say which', () => {
  const at = (scope: string, event: SessionEvent): SessionEvent =>
    ({ ...event, scope }) as unknown as SessionEvent;
  expect(
    seqs([
      at('x@1', raised('i1', 'a')),
      at('y@1', raised('i1', 'a')),
      ...[resolved('i1', ANN), at('x@1', start('a')), at('y@1', start('a'))],
    ]),
  ).toEqual([4, 5]);
});
