import type { JsonObject, JsonValue, SessionEvent } from '../../src/core/index.js';
import { HitlError } from '../../src/core/index.js';
import type { Expectations } from '../../src/graph/index.js';
import { evaluateRun, readExpectations } from '../../src/graph/index.js';

/** What each member is compared with; a new one does not compile until it is told here. */
const MEMBERS: Readonly<Record<keyof Expectations, string>> = {
  path: 'a list of names: every node of the workflow that ran, in order, and no other. One that ran twice is there twice; one that was gone back over (`rewind`, `go-back`) is not, and neither is what stands inside of a group, a map or a subgraph. A node that waits for a person is its last one',
  state:
    'an object: these keys of the state at the end have exactly these values, deeply; other keys may be there too',
};

const PATH = ['draft', 'review', 'publish'];
const STATE: JsonObject = { draft: 'Tea is old.', review: { verdict: 'yes' } };

/** Expectations that are met, that are not, and that cannot be read. */
const EXAMPLES: readonly JsonValue[] = [
  { path: PATH },
  { path: ['draft', 'publish'] },
  { state: { review: { verdict: 'yes' } } },
  { state: { review: {} } },
  { path: PATH, state: { published: true } },
  { paths: PATH },
  { path: 'draft' },
];

/** The page of the files for `--expect`, whose examples are compared with a run. */
export function expectationsPage(): string {
  return [
    '# Expectations',
    '',
    'Made from the program by `npm run reference`: each example was compared. `hitl run <flow> --expect <file>` compares what a run did with what it should have done; the file is one JSON object, and its schema [schemas/expectations.schema.json](../../schemas/expectations.schema.json).',
    '',
    '```json',
    JSON.stringify({
      $schema: 'node_modules/hitl/schemas/expectations.schema.json',
      path: PATH,
      state: { review: { verdict: 'yes' } },
    }),
    '```',
    '',
    '| member | what the run is compared with |',
    '| --- | --- |',
    ...Object.entries(MEMBERS).map(([name, words]) => `| \`${name}\` | ${words} |`),
    '| `$schema` | nothing: for editors |',
    '',
    'A member that is left out is not looked at. The file is read before anything runs: one that cannot be read ends with status 2. Each member has a line on stderr when the run stops, also where it stops at a question; where one differs the status is 9, and otherwise that of the run.',
    '',
    `A run went through ${PATH.map((node) => `\`${node}\``).join(', ')} and ended with the state \`${JSON.stringify(STATE)}\`:`,
    '',
    '| file | what is told |',
    '| --- | --- |',
    ...EXAMPLES.map((written) => `| \`${JSON.stringify(written)}\` | ${told(written)} |`),
    '',
    'In a program: `evaluateRun(events, readExpectations(json))` ([workflows](../guides/workflows.md)).',
    '',
  ].join('\n');
}

function told(written: JsonValue): string {
  try {
    const { scores } = evaluateRun(RUN, readExpectations(written));
    return scores
      .map(({ metric, verdict, actual }) => {
        return `\`${metric}\`: ${verdict}${verdict === 'pass' ? '' : `: it was \`${JSON.stringify(actual)}\``}`;
      })
      .join('<br>');
  } catch (thrown) {
    if (thrown instanceof HitlError) return `error: ${thrown.message}`;
    throw thrown;
  }
}

const RUN: readonly SessionEvent[] = [
  {
    type: 'graph-started',
    name: 'article',
    hash: '',
    start: 'draft',
    seed: 1,
    maxIterations: 50,
    inherit: false,
    set: STATE,
    reducers: {},
    before: [],
    after: [],
  },
  ...PATH.flatMap((node): readonly SessionEvent[] => [
    { type: 'node-entered', node, visit: 1 },
    { type: 'node-started', node, visit: 1, attempt: 1, effect: 'none', startedAt: '' },
    { type: 'node-settled', node, visit: 1, changes: { set: {} } },
  ]),
];
