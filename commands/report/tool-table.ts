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
      { title: 'ORIGIN', text: isTerminal ? shortOrigin : ({ origin }) => origin, narrows: 'wrap' },
      {
        title: 'DESCRIPTION',
        text: (tool) => `${claimsOf(tool)}${isTerminal ? firstSentence(tool.description) : tool.description}`,
        narrows: 'wrap',
      },
    ],
    look,
  );
}

/** The name of a server's tool begins with its server. */
function shortOrigin({ origin, mcp }: Tool): string {
  return mcp === undefined ? origin : 'mcp';
}

/** The claims of a server about its tool, in front of its words. */
function claimsOf({ mcp }: Tool): string {
  const claims = mcp === undefined ? [] : mcpHints(mcp);
  return claims.length === 0 ? '' : `(claims: ${claims.join(', ')}) `;
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
  if (asks) return tool.asksAlways === true ? 'asks' : 'asks sometimes';
  return effect === 'none' ? 'runs' : 'may ask';
}
