import type { InterruptKind, Way } from '../../src/core/index.js';
import { waysOf } from '../../src/core/index.js';

type Raiser = Parameters<typeof waysOf>[1];

/** Who asks each kind of question; a new kind does not compile until it is told here. */
export const KINDS: Readonly<
  Record<InterruptKind, { readonly who: string; readonly sources: readonly [string, Raiser][] }>
> = {
  question: {
    who: 'A tool that only asks: `defineInterrupt`, `ask_user`, a node of kind `ask`. The answer is its result, and must fit `answerSchema`.',
    sources: [['', { type: 'tool' }]],
  },
  confirmation: {
    who: 'A tool that needs approval, or that asks in its body (`context.interrupt`).',
    sources: [['', { type: 'tool' }]],
  },
  gate: {
    who: 'A gate of a workflow, before a node or after it.',
    sources: [
      ['Before a node', { type: 'node', phase: 'before' }],
      ['After a node', { type: 'node', phase: 'after' }],
    ],
  },
  pause: { who: 'Somebody sent `hitl pause`.', sources: [['', { type: 'run' }]] },
  error: {
    who: 'A tool or a node failed, and `--on-tool-error ask` or the node says that a person decides.',
    sources: [
      ['A tool', { type: 'tool' }],
      ['A node', { type: 'node', phase: 'run' }],
    ],
  },
  'in-doubt': {
    who: 'The process ended while a tool ran; nobody knows whether it happened.',
    sources: [['', { type: 'tool' }]],
  },
  limit: { who: 'A limit of rounds, cost or time was reached.', sources: [['', { type: 'run' }]] },
};

/** The page of every kind of question with the ways to answer it. */
export function answersPage(): string {
  const sections = Object.entries(KINDS).flatMap(([kind, { who, sources }]) => [
    `## \`${kind}\``,
    '',
    who,
    '',
    ...sources.flatMap(([where, source]) => [
      ...(where === '' ? [] : [`${where}:`, '']),
      '| key | line | JSON | what comes of it |',
      '| --- | --- | --- | --- |',
      ...waysOf(isKind(kind) ? kind : 'question', source).map(rowOf),
      '',
    ]),
  ]);
  return [
    '# Questions and their answers',
    '',
    'Made from the program by `npm run reference`. A key answers at a prompt; a line on stdin, in `hitl answer` and in a file of answers; the JSON is the resolution that the library takes and the journal keeps, and is a line too. Enter alone approves nothing. The schema of a question is [schemas/interrupt.schema.json](../../schemas/interrupt.schema.json), that of an entry of `--answers` [schemas/answer.schema.json](../../schemas/answer.schema.json).',
    '',
    ...sections,
  ].join('\n');
}

function rowOf(way: Way): string {
  const cells = [`\`${way.key}\``, `\`${way.line}\``, `\`${JSON.stringify(madeBy(way))}\``, way.help];
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
}

/** The resolution that a way makes of a value of its kind. */
function madeBy(way: Way): unknown {
  switch (way.takes) {
    case 'nothing':
      return way.make(undefined);
    case 'reason':
      return way.make('the reason');
    case 'guidance':
      return way.make('the guidance');
    case 'note':
      return way.make('the note');
    case 'node':
      return way.make('publish');
    case 'steps':
      return way.make({ steps: 2 });
    case 'amount':
      return way.make(5);
    case 'answer':
      return way.make('the answer');
    case 'input':
      return way.make({ amount: 150 });
    case 'patch':
      return way.make({ title: 'New' });
    case 'value':
      return way.make({ any: 'value' });
    case 'several':
      return way.make([{ action: 'continue' }]);
  }
}

function isKind(text: string): text is InterruptKind {
  return Object.hasOwn(KINDS, text);
}
