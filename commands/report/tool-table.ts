import type { Tool } from '../../src/core/index.js';
import { isAbout } from '../../src/core/index.js';
import type { TableOptions } from '../../src/render/index.js';
import { formatTable } from '../../src/render/index.js';
import type { RunFlags } from '../flags/index.js';

/** Tools as people read them: what a second run would do, what stands for them, where they come from, what they do. */
export function toolTable(tools: Iterable<Tool>, flags: Pick<RunFlags, 'rules'>, look: TableOptions): string {
  return formatTable(
    [...tools],
    [
      { title: 'NAME', text: (tool) => tool.name },
      { title: 'EFFECT', shown: (tool) => tool.effect },
      { title: 'RULE', text: (tool) => ruleOfTool(tool, flags), narrows: 'wrap' },
      { title: 'ORIGIN', text: (tool) => tool.origin, narrows: 'wrap' },
      { title: 'DESCRIPTION', text: (tool) => tool.description, narrows: 'wrap' },
    ],
    look,
  );
}

/** What stands for a tool before anything is known of an input; `hitl rules test` says it for one. */
export function ruleOfTool(tool: Tool, { rules = [] }: Pick<RunFlags, 'rules'>): string {
  const { name, effect } = tool;
  const about = rules.filter((rule) => isAbout(rule, name)).map(({ text }) => text);
  if (about.length > 0) return about.sort().join(', ');
  if (tool.approval !== undefined) return effect === 'none' ? 'asks for some' : 'asks';
  return effect === 'none' ? 'runs' : 'may ask itself';
}
