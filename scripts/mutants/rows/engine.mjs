// What runs, and what must be durable before.

import { mutant } from '../mutant.mjs';

const store = 'test/contracts/session-store.test.ts';
const inbox = 'test/sessions/answer-inbox.test.ts';
const rules = ['test/fuzz/rules.test.ts', 'test/core/rules/judge-call.test.ts'];
const recorder = 'test/repl/record.test.ts';
const lazily = 'test/engine/lazily.test.ts';
const death = 'test/engine/crash.test.ts';
const doubt = 'test/engine/in-doubt.test.ts';
const nextStep = 'test/engine/next-step.test.ts';
const allowed = 'test/library/allowed.test.ts';
const checkResume = 'test/engine/check-resume.test.ts';
const abort = 'test/engine/abort.test.ts';
const bounds = 'test/engine/bounds.test.ts';
const approvals = 'test/engine/approvals.test.ts';
const chat = 'test/crash/chat.test.ts';

export const engine = [
  mutant(
    'a tool runs before its intent is durable',
    'src/engine/run-tools.ts',
    [
      [
        'this.#starting = begun.map((one) => one.prepared); // R1',
        "for (const { prepared: one } of begun) if (one.type === 'run') this.#crew.enter(one, this.#round.idempotencyKey(one.call));",
      ],
    ],
    death,
    'test/engine/run.test.ts',
  ),
  mutant(
    'an event is shown before it is durable',
    'src/repl/record.ts',
    [
      ['    await appended;\n    await before; // K1\n', ''],
      [
        '    this.#show(events, written ?? this.#here());\n',
        '    this.#show(events, written ?? this.#here());\n    await appended;\n    await before;\n',
      ],
    ],
    'test/faults/acknowledge.test.ts',
  ),
  mutant(
    'a run goes on after a failure to save',
    'src/repl/record.ts',
    [
      [
        'await this.keep(step.value.events, step.value);',
        'await this.keep(step.value.events, step.value).catch(() => undefined);',
      ],
    ],
    'test/faults/acknowledge.test.ts',
  ),
  mutant(
    'what was kept lazily and lost is not noticed',
    'src/repl/record.ts',
    [['    await before; // K1\n', '']],
    recorder,
  ),
  mutant(
    'a run ends before the last of it is durable',
    'src/repl/record.ts',
    [['          await this.flushed();\n', '']],
    recorder,
  ),
  mutant(
    'a tool starts before its intent is flushed',
    'src/engine/run-tools.ts',
    [
      [
        'events: begun.map(({ event }) => event) }',
        'events: begun.map(({ event }) => event), lazily: true }',
      ],
    ],
    lazily,
  ),
  mutant(
    'a model is called before its request is flushed',
    'src/engine/run-model.ts',
    [
      [
        "events: [{ type: 'model-started', attempt: this.#attempt }] }",
        "events: [{ type: 'model-started', attempt: this.#attempt }], lazily: true }",
      ],
    ],
    lazily,
  ),
  mutant(
    'nothing is in doubt',
    'src/engine/next-step.ts',
    [['if (inDoubt.length > 0)', 'if (false)']],
    nextStep,
  ),
  mutant(
    'the effect that was written down does not count',
    'src/engine/next-step.ts',
    [["state.effect === 'once' || ", '']],
    nextStep,
    doubt,
  ),
  mutant(
    'the effect of the tool as it is now does not count',
    'src/engine/next-step.ts',
    [[" || tools.get(request.name)?.effect === 'once'", '']],
    nextStep,
    doubt,
  ),
  mutant(
    'a call starts while its sibling waits',
    'src/engine/next-step.ts',
    [['waiting.length > 0 || answered', 'answered']],
    nextStep,
    chat,
  ),
  mutant(
    'the digest of an answer is not checked',
    'src/core/answer/check.ts',
    [['if (digest !== interrupt.digest)', 'if (false)']],
    checkResume,
    inbox,
    store,
  ),
  mutant(
    'the action of an answer is not checked',
    'src/core/ways/narrow.ts',
    [['if (!interrupt.allowed.includes(resolution.action))', 'if (false)']],
    checkResume,
  ),
  mutant(
    'a call that must be edited can be approved as it is',
    'src/core/ways/narrow.ts',
    [["if (isEdited === (edit === 'required')) return undefined;", 'return undefined;']],
    allowed,
  ),
  mutant(
    'what a rule forbids can be agreed to',
    'src/engine/check-resume.ts',
    [['const why = tool.forbids?.(input, facts);', 'const why = undefined;']],
    checkResume,
    approvals,
  ),
  mutant(
    'a rule that allows wins over one that denies',
    'src/core/rules/judge-call.ts',
    [['{ deny: 3, doubt: 2, ask: 1, allow: 0 }', '{ deny: 0, doubt: 2, ask: 1, allow: 3 }']],
    rules,
  ),
  mutant(
    'a command that cannot be analysed passes what is denied',
    'src/core/rules/scope-fit.ts',
    [['return may(whyMay(call.input, words));', 'return NO;']],
    rules,
  ),
  mutant(
    'an allow with words holds below its folder too',
    'src/core/rules/scope-fit.ts',
    [[' ?? notByFolder(facts, scope)', '']],
    rules,
  ),
  mutant(
    'a program is found in the folder that the session works on',
    'src/programs/guarded.ts',
    [['.filter((entry) => !liesIn(entry, guarded))', '']],
    'test/programs/start.test.ts',
  ),
  mutant(
    'a program starts with another content than was trusted',
    'src/programs/start.ts',
    [['if (changed !== undefined)', 'if (changed === undefined && files.length < 0)']],
    'test/programs/start.test.ts',
  ),
  mutant(
    'what a server started outlives it',
    'src/programs/start.ts',
    [['child.stdio[3]?.destroy();', '']],
    'test/programs/start.test.ts',
  ),
  mutant(
    'a hook of a repository runs by a rule',
    'src/programs/plain-repository.ts',
    [['if (hook !== undefined) return', "if (hook === '') return"]],
    'test/programs/plain-repository.test.ts',
  ),
  mutant(
    'people in quotes are an argument, and one yes is enough',
    'src/core/rules/tool-rule.ts',
    [['const slip = slipIn(before, given);', 'const slip = slipIn("", "");']],
    'test/core/rules/rule-mutations.test.ts',
  ),
  mutant(
    'the reason is that of a rule which only may be about the call',
    'src/core/rules/judge-call.ts',
    [['sureOf(left) - sureOf(right) ||', '']],
    rules,
  ),
  mutant(
    'a rule that only may be about a call is said to be about it',
    'src/core/rules/judge-call.ts',
    [['says: `${says}, and ${doubt}`', 'says']],
    rules,
  ),
  mutant(
    'an allow with words reads what lies outside',
    'src/core/rules/scope-fit.ts',
    [[' ?? notByPath(facts, words.slice(scope.words.length))', '']],
    rules,
  ),
  mutant(
    'a package asks another server than the one that was named',
    'src/models/ai-sdk/installed.ts',
    [['only !== undefined && origin !== only', 'only === origin']],
    'test/models/registry.test.ts',
  ),
  mutant(
    'a removed session stays in the caches of lists',
    'sessions/listing/waiting-index.ts',
    [['  withoutGone(context, SESSION_INDEX);', '']],
    'test/sessions/removal.test.ts',
  ),
  mutant(
    'a list brings a removed session back into its cache',
    'sessions/listing/store-cache.ts',
    [['left.length < entries.length', 'left.length < 0']],
    'test/sessions/removal.test.ts',
  ),
  mutant(
    'an edited input is not checked',
    'src/engine/check-resume.ts',
    [
      [
        'if (parsed.ok) return forbiddenBy(tool, interrupt, parsed.value);',
        'return forbiddenBy(tool, interrupt, input);',
      ],
    ],
    checkResume,
  ),
  mutant(
    'inputs are not frozen',
    'src/engine/prepare-call.ts',
    [['deepFreeze(parsed.value)', 'parsed.value']],
    'test/engine/run.test.ts',
    'test/engine/secrets.test.ts',
    approvals,
  ),
  mutant(
    'a gate that throws lets pass',
    'src/engine/prepare-call.ts',
    [
      [
        'return { warnings: [`whether this needs approval could not be decided: ${messageOf(thrown)}`] };',
        'return undefined;',
      ],
    ],
    approvals,
  ),
  mutant(
    'calls start after a stop',
    'src/engine/run-tools.ts',
    [['if (this.#loop.stop.aborted) return this.#start(); // R4', '']],
    abort,
  ),
  mutant(
    'all calls of a reply run at a time',
    'src/engine/crew.ts',
    [['MOST_AT_ONCE - this.#busy', 'this.#waiting.length']],
    bounds,
  ),
  mutant(
    'a call that asks keeps the room of a body',
    'src/engine/crew.ts',
    [['return arrival.calls.length;', 'return 0;']],
    bounds,
  ),
  mutant(
    'all calls of a reply start',
    'src/engine/excess-calls.ts',
    [['all.length <= MOST_CALLS', 'true']],
    bounds,
  ),
  mutant(
    'a call that began is taken back for its place',
    'src/engine/excess-calls.ts',
    [[' && isFresh(call)', '']],
    bounds,
  ),
  mutant(
    'rounds have no limit of their own',
    'src/engine/limits.ts',
    [['const { maxTurns = DEFAULT_MAX_TURNS } = limits', 'const { maxTurns } = limits']],
    bounds,
  ),
  mutant(
    'a body is entered after a stop',
    'src/engine/run-tool.ts',
    [["if (around.aborted) return Promise.resolve({ type: 'settled', outcome: NOT_STARTED });", '']],
    abort,
  ),
  mutant(
    'keys change with the attempt',
    'src/engine/round.ts',
    [
      [
        '`${this.#options.runId}:${call.request.ref}`',
        '`${this.#options.runId}:${call.request.ref}:${call.attempts}`',
      ],
    ],
    'test/engine/run.test.ts',
    doubt,
    chat,
  ),
];
