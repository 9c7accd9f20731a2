// What was shown is what runs: the comparisons that hold an answer to what it was given for.

import { mutant } from '../mutant.mjs';

const checkResume = 'test/engine/check-resume.test.ts';
const plan = 'test/engine/plan.test.ts';
const planFuzz = 'test/fuzz/plans.test.ts';
const oldYes = 'test/engine/old-yes.test.ts';
const oldYesInGraphs = 'test/graph/old-yes.test.ts';
const decisions = 'test/graph/decisions-hold.test.ts';

export const plans = [
  mutant(
    'an approval counts for another input',
    'src/core/plan/plan.ts',
    [
      [
        "if (agreed.asTyped !== true && !jsonEquals(agreed.input, now.input)) return ['the input is another one'];",
        '',
      ],
    ],
    plan,
    planFuzz,
  ),
  mutant(
    'an approval counts for another tool',
    'src/core/plan/plan.ts',
    [['if (agreed.tool !== undefined && agreed.tool !== now.tool)', 'if (false)']],
    plan,
    planFuzz,
  ),
  mutant(
    'an approval counts for other code',
    'src/core/plan/terms.ts',
    [['if (agreed === now) return [];', 'if (true) return [];']],
    oldYes,
    oldYesInGraphs,
    planFuzz,
  ),
  mutant(
    'an approval counts for ever',
    'src/core/plan/terms.ts',
    [['if (age === undefined || at <= timeOf(age.until)) return [];', 'if (true) return [];']],
    oldYes,
    oldYesInGraphs,
    planFuzz,
  ),
  mutant(
    'the time of an approval is not kept with it',
    'src/core/answer/answer-events.ts',
    [['...(until !== undefined && { validUntil: until }),', '']],
    oldYes,
    planFuzz,
  ),
  mutant(
    'an approval counts for whatever the gate says now',
    'src/core/plan/plan.ts',
    [
      [
        'if (agreed.request !== undefined) return requestDifferences(agreed.request, now.request);',
        'if (agreed.request !== undefined) return [];',
      ],
    ],
    planFuzz,
  ),
  mutant(
    'what a gate says only later counts as agreed to',
    'src/core/plan/plan.ts',
    [['return requestDifferences(Object.fromEntries(said), request);', 'return [];']],
    planFuzz,
  ),
  mutant(
    'facts are not compared',
    'src/core/plan/plan.ts',
    [
      [
        "if (member === 'facts') return memberDifferences(membersOf(before), membersOf(after));",
        "if (member === 'facts') return [];",
      ],
    ],
    planFuzz,
  ),
  mutant(
    'an edit at a terminal holds for what nobody has seen',
    'src/core/plan/edit.ts',
    [["return ['facts', 'diff', 'warnings'].every((member) =>", 'return [].every((member) =>']],
    planFuzz,
  ),
  mutant(
    'an edit from elsewhere holds against a new warning',
    'src/core/plan/edit.ts',
    [['return after.every((warning) => before.some((one) => jsonEquals(one, warning)));', 'return true;']],
    planFuzz,
  ),
  mutant(
    'a start with another input folds',
    'src/core/call/lawful.ts',
    [['approval.asTyped !== true && !jsonEquals(approval.input, input)', 'false']],
    planFuzz,
  ),
  mutant(
    'a start with another plan folds',
    'src/core/call/lawful.ts',
    [['planDigest({ ...approval, name }) === plan', 'true']],
    planFuzz,
  ),
  mutant(
    'a start of another tool folds',
    'src/core/call/lawful.ts',
    [['if (name !== request.name) return', 'if (false) return']],
    planFuzz,
  ),
  mutant(
    'a question about another input folds',
    'src/core/call/lawful.ts',
    [
      [
        'if (mayDiffer || runs.some((one) => jsonEquals(one, source.input))) return undefined;',
        'return undefined;',
      ],
    ],
    planFuzz,
  ),
  mutant(
    'a question about another tool folds',
    'src/core/call/lawful.ts',
    [['if (source.name !== request.name)', 'if (false)']],
    planFuzz,
  ),
  mutant(
    'a gate of a graph that was passed holds for any state',
    'src/graph/run/next-graph-step.ts',
    [['return agreed !== undefined && agreed !== stateDigest(frame.values);', 'return false;']],
    decisions,
  ),
  mutant(
    'a gate of a graph that cannot be evaluated lets pass',
    'src/graph/run/next-graph-step.ts',
    [['return result.ok ? result.value : true;', 'return result.ok && result.value;']],
    'test/graph/guards.test.ts',
    'test/graph/run-graph.test.ts',
    'test/graph/answer-cases.test.ts',
  ),
  mutant(
    'an answer is taken for another question of the same node',
    'src/graph/run/body-context.ts',
    [['return jsonEquals(known, [now.payload, now.answerSchema ?? null]);', 'return true;']],
    decisions,
  ),
  mutant(
    'a node that threw on an answer is given it for ever',
    'src/core/graph/evolve-graph.ts',
    [['again.asks.filter((ask) => ask.used === true || ask.begun !== undefined)', 'activation.asks']],
    decisions,
  ),
  mutant(
    'what a restart passes on is not checked',
    'src/engine/check-resume.ts',
    [['(await checkPassedOn(interrupt, resolution.metadata, tool))', 'undefined']],
    checkResume,
  ),
];
