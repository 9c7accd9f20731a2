import type { Shown, Tool, ToolRule } from '../../src/core/index.js';
import { concerns, mcpHints } from '../../src/core/index.js';
import type { TableOptions } from '../../src/render/index.js';
import { formatTable } from '../../src/render/index.js';

/**
 * Formats a table of tools with their rules, sources and descriptions. On a terminal, shows only the first
 * sentence of each description, because the rest is written for models.
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

/**
 * Returns the source of a tool without the MCP server, because the tool's name starts with the server's name.
 */
function shortOrigin({ origin, mcp }: Tool): string {
  return mcp === undefined ? origin : 'mcp';
}

/** Formats the annotations that a server provides for its tool, to be shown before the description. */
function claimsOf({ mcp }: Tool): string {
  const claims = mcp === undefined ? [] : mcpHints(mcp);
  return claims.length === 0 ? '' : `(claims: ${claims.join(', ')}) `;
}

function firstSentence(text: string): string {
  const [first = text] = /^[^]*?[.!?](?=\s)/u.exec(text) ?? [];
  return first;
}

/**
 * Describes the rules for a tool without considering an input. For a specific input, use `hitl rules test`.
 */
export function ruleOfTool(tool: Tool, rules: readonly ToolRule[]): string {
  const { effect } = tool;
  const about = rules.filter((rule) => concerns(rule, tool)).map(({ text }) => text);
  if (about.length > 0) return [...new Set(about)].sort().join(', ');
  const asks = 'asksItself' in tool ? tool.asksItself === true : tool.approval !== undefined;
  if (asks) return tool.asksAlways === true ? 'asks' : 'asks sometimes';
  return effect === 'none' ? 'runs' : 'may ask';
}
