import type { Tool } from '../../src/core/index.js';
import type { TableOptions } from '../../src/render/index.js';
import { formatTable } from '../../src/render/index.js';
import type { RunFlags } from '../flags/index.js';

/** Tools as people read them: what a second run would do, what stands for them, where they come from, what they do. */
export function toolTable(
  tools: Iterable<Tool>,
  flags: Pick<RunFlags, 'rules' | 'yes'>,
  look: TableOptions,
): string {
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
export function ruleOfTool(tool: Tool, { rules = [], yes }: Pick<RunFlags, 'rules' | 'yes'>): string {
  const { name, effect } = tool;
  const about = rules.filter((rule) => rule.tool === '*' || rule.tool === name).map(({ text }) => text);
  const approved = yes?.includes(name) === true ? ['approved by --yes'] : [];
  if (about.length + approved.length > 0) return [...about.sort(), ...approved].join(', ');
  if (tool.approval !== undefined) return effect === 'none' ? 'asks for some' : 'asks';
  return effect === 'none' ? 'runs' : 'may ask itself';
}
