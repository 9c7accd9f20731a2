// The table of the guide is run as it stands: what it promises of other products' rules is what the program says.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, test } from 'vitest';

import { Home } from '../helpers/program.js';

interface Row {
  readonly theirs: string;
  readonly ours: readonly string[];
  readonly tool: string;
  readonly input: string;
  readonly says: string;
}

const GUIDE = new URL('../../docs/guides/rules.md', import.meta.url);

/** What stands in a cell between backticks. */
const codes = (cell: string): readonly string[] =>
  [...cell.matchAll(/`([^`]+)`/gu)].map(([, code = '']) => code);

function rows(): readonly Row[] {
  const [, table = ''] = readFileSync(GUIDE, 'utf8').split('## From Claude Code and Codex');
  return table
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .slice(2)
    .map((line) => {
      const [, theirs = '', ours = '', tool = '', input = '', says = ''] = line
        .split(' | ')
        .join('|')
        .split('|');
      const [name = ''] = codes(tool);
      const [json = ''] = codes(input);
      return { theirs: theirs.trim(), ours: codes(ours), tool: name, input: json, says: says.trim() };
    });
}

const MODULE = `export const navigate = {
  name: 'mcp__puppeteer__navigate', description: 'Goes to a page.', needsApproval: true, execute: () => 'there',
};\n`;

describe('the rules of Claude Code and Codex, in ours', () => {
  const all = rows();

  test('are a table of some length', () => {
    expect(all.length).toBeGreaterThan(25);
  });

  test.for(all.map((row) => [row.theirs, row] as const))('%s', async ([, { ours, tool, input, says }]) => {
    using home = new Home();
    const rules: Record<string, string[]> = {};
    for (const rule of ours) {
      const [effect = '', ...rest] = rule.split(' ');
      rules[effect] = [...(rules[effect] ?? []), rest.join(' ')];
    }
    writeFileSync(join(home.path, 'config.json'), JSON.stringify({ rules }));
    const module = join(home.path, 'navigate.mjs');
    writeFileSync(module, MODULE);
    const asked = tool === 'run_command' ? JSON.stringify({ ...JSON.parse(input), writes: true }) : input;
    const tested = await home.run(['rules', 'test', tool, asked, '--tools', module], { cwd: home.work });
    expect(tested).toMatchObject({ status: 0, stderr: '' });
    expect(tested.stdout).toMatch(new RegExp(`^${says}: `, 'u'));
  });
});
