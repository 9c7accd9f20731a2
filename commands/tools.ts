import { mcpHints } from '../src/core/index.js';
import { printJson } from './host/index.js';
import { stdoutTable } from './screen/theme.js';
import type { Io } from './host/index.js';
import { modeOf } from './flags/mode.js';
import { offeredTools } from './agent/offered-tools.js';
import type { ApprovalFlags, OfferFlags } from './flags/options.js';
import { ruleOfTool, toolTable } from './report/tool-table.js';

/** `hitl tools`: lists the tools that would be offered. */
export async function tools(io: Io, given: OfferFlags & ApprovalFlags): Promise<number> {
  await using offered = await offeredTools(io, given, modeOf(io, given));
  const { set, rules, flags } = offered;
  if (flags.json === true) {
    printJson(
      io,
      [...set].map((tool) => ({
        name: tool.name,
        description: tool.description,
        origin: tool.origin,
        ...(tool.mcp !== undefined && { claims: mcpHints(tool.mcp) }),
        effect: tool.effect,
        rule: ruleOfTool(tool, rules.all),
        inputSchema: tool.inputSchema,
      })),
    );
    return 0;
  }
  io.stdout.write(toolTable(set, rules.all, stdoutTable(io, flags.color)));
  return 0;
}
