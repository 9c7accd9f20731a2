import type { Shown, Tool, ToolRule } from '../../src/core/index.js';
import { concerns, mcpHints } from '../../src/core/index.js';
import type { TableOptions } from '../../src/render/index.js';
import { formatTable } from '../../src/render/index.js';

/**
 * Formats a table of tools: rule, source and description. A terminal shows one sentence of the description:
 * the rest is written for models.
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
        below: true,
      },
    ],
    look,
  );
}

/** Omits the server from the source: the tool's name starts with it. */
function shortOrigin({ origin, mcp }: Tool): string {
  return mcp === undefined ? origin : 'mcp';
}

/** Formats a server's annotations of its tool, before the description. */
function claimsOf({ mcp }: Tool): string {
  const claims = mcp === undefined ? [] : mcpHints(mcp);
  return claims.length === 0 ? '' : `(claims: ${claims.join(', ')}) `;
}

function firstSentence(text: string): string {
  const [first = text] = /^[^]*?[.!?](?=\s)/u.exec(text) ?? [];
  return first;
}

/** Returns the rule for a tool with an unknown input; `hitl rules test` does this for one input. */
export function ruleOfTool(tool: Tool, rules: readonly ToolRule[]): string {
  const { effect } = tool;
  const about = rules.filter((rule) => concerns(rule, tool)).map(({ text }) => text);
  if (about.length > 0) return [...new Set(about)].sort().join(', ');
  const asks = 'asksItself' in tool ? tool.asksItself === true : tool.approval !== undefined;
  if (asks) return tool.asksAlways === true ? 'asks' : 'asks sometimes';
  return effect === 'none' ? 'runs' : 'may ask';
}
