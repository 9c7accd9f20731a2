import type { Shown, Tool, ToolRule } from '../../src/core/index.js';
import { concerns, mcpHints } from '../../src/core/index.js';
import type { TableOptions } from '../../src/render/index.js';
import { formatTable } from '../../src/render/index.js';

/**
 * Tools as people read them: what stands for them, where they come from, what they do. On a terminal what they do is said
 * in a sentence: the rest of it is written for models.
 */
export function toolTable(tools: Iterable<Tool>, rules: readonly ToolRule[], look: TableOptions): Shown {
  const isTerminal = look.columns !== undefined;
  return formatTable(
    [...tools],
    [
      { title: 'NAME', text: (tool) => tool.name },
      { title: 'RULE', text: (tool) => ruleOfTool(tool, rules), narrows: 'wrap' },
      { title: 'ORIGIN', text: originOf, narrows: 'wrap' },
      {
        title: 'DESCRIPTION',
        text: ({ description }) => (isTerminal ? firstSentence(description) : description),
        narrows: 'wrap',
      },
    ],
    look,
  );
}

/** The origin, and what a server says of its tool. */
function originOf({ origin, mcp }: Tool): string {
  const claims = mcp === undefined ? [] : mcpHints(mcp);
  return claims.length === 0 ? origin : `${origin}, claims: ${claims.join(', ')}`;
}

function firstSentence(text: string): string {
  const [first = text] = /^[^]*?[.!?](?=\s)/u.exec(text) ?? [];
  return first;
}

/** Says what holds for a tool before anything is known of an input. `hitl rules test` says it for one input. */
export function ruleOfTool(tool: Tool, rules: readonly ToolRule[]): string {
  const { effect } = tool;
  const about = rules.filter((rule) => concerns(rule, tool)).map(({ text }) => text);
  if (about.length > 0) return [...new Set(about)].sort().join(', ');
  const asks = 'asksItself' in tool ? tool.asksItself === true : tool.approval !== undefined;
  if (asks) return effect === 'none' ? 'asks for some' : 'asks';
  return effect === 'none' ? 'runs' : 'may ask itself';
}
