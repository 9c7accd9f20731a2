import { describe, expect, test } from 'vitest';

import { processIo } from '../../commands/host/index.js';
import { buildProgram } from '../../commands/program/main.js';
import { unknownCommands } from '../../scripts/docs/commands.js';
import { brokenLinks } from '../../scripts/docs/links.js';
import { unknownNames } from '../../scripts/docs/names.js';
import { isCurrent, pageOf, pages } from '../../scripts/docs/pages.js';
import { wrongSnippets } from '../../scripts/docs/snippets.js';
import { inventoriesOf, untold } from '../../scripts/docs/untold.js';

const page = (text: string) => pageOf('docs/sample.md', text);
const { command: program } = buildProgram(processIo(), '');

/** What is planted in a page, and what the check says of it. */
const planted = [
  ['a link to no file', '[x](nowhere.md)', 'links to nowhere.md, which is not there'],
  [
    'a link to no heading',
    '[x](start.md#nowhere)',
    'links to #nowhere of docs/start.md, which has no such heading',
  ],
  ['a command', 'Try `hitl frobnicate x`.', 'there is no command hitl frobnicate'],
  ['a command in a block', '```sh\necho y | hitl frobnicate\n```', 'there is no command hitl frobnicate'],
  ['a flag of a command', '```console\n$ hitl list --frobnicate\n```', 'hitl list has no flag --frobnicate'],
  ['a flag of another command', '`hitl list --max-cost 1`', 'hitl list has no flag --max-cost'],
  ['a flag alone', 'With `--frobnicate` it does.', 'there is no flag --frobnicate'],
  ['a script', '`npm run frobnicate`', 'there is no npm run frobnicate'],
  ['a variable', 'Set HITL_FROBNICATE.', 'nothing reads HITL_FROBNICATE'],
  ['an exit status', 'It ends with status 42.', 'there is no exit status 42'],
  [
    'an error code',
    'It is a `SESSION_FROBNICATED`.',
    'SESSION_FROBNICATED is neither an error code nor a variable',
  ],
] as const;

describe('the check of the documents', () => {
  test.for(planted)('finds %s that is not there', ([, text, said]) => {
    const found = [
      ...brokenLinks(page(text)),
      ...unknownCommands(page(text), program),
      ...unknownNames(page(text)),
    ];
    expect(found).toEqual([`docs/sample.md: ${said}`]);
  });

  test('finds a key that no configuration has', () => {
    const [found, ...more] = unknownNames(page('```json\n{ "model": "demo", "frobnicate": 1 }\n```'));
    expect(more).toEqual([]);
    expect(found).toMatch(/^docs\/sample\.md: line 1 is no configuration: .*frobnicate/u);
  });

  test('passes what is there', () => {
    const text =
      '[x](start.md#install), `hitl list --limit 1`, `npm run build`, HITL_MODEL, status 3, `BAD_INPUT`, `--json`\n\n' +
      '```sh\nhitl chat --model demo | tee x\nhitl config --profile work\n```\n\n```json\n{ "model": "demo" }\n```\n';
    expect([brokenLinks(page(text)), unknownCommands(page(text), program), unknownNames(page(text))]).toEqual(
      [[], [], []],
    );
  });

  test.for(inventoriesOf(program))('misses each $sort that no page tells of', (inventory) => {
    const { sort, names } = inventory;
    expect(names).not.toHaveLength(0);
    const rows = names.map((name) => `| \`${sort === 'command' ? `hitl ${name}` : name}\` |`);
    expect(untold([page(rows.join('\n'))], [inventory])).toEqual([]);
    expect(untold([page(rows.slice(1).join('\n'))], [inventory])).toEqual([
      `no page tells of the ${sort} ${names[0] ?? ''}`,
    ]);
    const planted = { ...inventory, names: ['frobnicate'] };
    expect(untold(pages().filter(isCurrent), [planted])).toEqual([`no page tells of the ${sort} frobnicate`]);
  });

  test('does not take the report of declarations for a page that tells of an export', () => {
    expect(pages().filter(({ text }) => text.startsWith('# What the package exports'))).toEqual([]);
  });

  test('compiles TypeScript with what is given before it, and names the line of a fault', () => {
    const text =
      '<!-- given: declare const given: string; -->\n\n```ts\nconst one: string = given;\nconst two: number = one;\n```\n';
    expect(wrongSnippets([page(text)])).toEqual({
      count: 1,
      faults: ["docs/sample.md: line 5: Type 'string' is not assignable to type 'number'."],
    });
  });
});
