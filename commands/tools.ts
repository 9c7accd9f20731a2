import type { Tool } from '../src/core/index.js';
import { formatTable, rowsWithin } from '../src/render/index.js';
import { printJson, stdoutTable } from './host/index.js';
import { effectiveFlags } from './config/index.js';
import type { Io } from './host/index.js';
import { modeOf } from './flags/index.js';
import { offeredTools } from './agent/index.js';
import type { RunFlags } from './flags/index.js';

/** `hitl tools`: the tools that would be offered. */
export async function tools(io: Io, _args: readonly unknown[], given: RunFlags): Promise<number> {
  const mode = modeOf(io, given);
  const { flags, config } = await effectiveFlags(io, given, mode);
  const set = await offeredTools(io, flags, mode, config);
  const rows = [...set].map((tool) => ({
    name: tool.name,
    description: tool.description,
    origin: tool.origin,
    effect: tool.effect,
    rule: ruleOfTool(tool, flags),
    inputSchema: tool.inputSchema,
  }));
  if (flags.json === true) {
    printJson(io, rows);
    return 0;
  }
  const look = stdoutTable(io, flags.color);
  const table = formatTable(
    rows,
    [
      { title: 'NAME', text: (tool) => tool.name },
      { title: 'EFFECT', shown: (tool) => tool.effect },
      { title: 'RULE', shown: (tool) => tool.rule },
      { title: 'ORIGIN', text: (tool) => tool.origin },
      { title: 'DESCRIPTION', text: (tool) => tool.description },
    ],
    look,
  );
  io.stdout.write(rowsWithin(table, look.columns));
  return 0;
}

/** What stands for a tool before anything is known of an input; `hitl rules test` says it for one. */
function ruleOfTool(tool: Tool, { rules = [], yes }: RunFlags): string {
  const about = rules.filter((rule) => rule.tool === '*' || rule.tool === tool.name).map(({ text }) => text);
  const approved = yes?.includes(tool.name) === true ? ['approved by --yes'] : [];
  if (about.length + approved.length > 0) return [...about.sort(), ...approved].join(', ');
  return tool.approval === undefined ? 'runs without asking' : 'asks where it must';
}
