import { formatTable } from '../src/render/index.js';
import { stdoutTable } from './theme.js';
import { composeTools } from './compose-tools.js';
import { composeModel } from './compose-model.js';
import { effectiveFlags } from './effective.js';
import type { Io } from './io.js';
import { modeOf } from './mode.js';
import type { RunFlags } from './options.js';
import { printJson } from './print-json.js';
import { resolve } from 'node:path';

/** `hitl tools`: the tools that would be offered. */
export async function tools(io: Io, _args: readonly unknown[], given: RunFlags): Promise<number> {
  const mode = modeOf(io, given);
  const { flags, config } = await effectiveFlags(io, given, mode);
  const { spec } = await composeModel(io, flags, mode, { config });
  const modules = (flags.tools ?? []).map((module) => resolve(io.cwd, module));
  const set = await composeTools(io, flags, { demo: spec === 'demo', modules });
  const rows = [...set].map((tool) => ({
    name: tool.name,
    description: tool.description,
    origin: tool.origin,
    effect: tool.effect,
    rule:
      flags.yes?.includes(tool.name) === true
        ? 'approved by --yes'
        : tool.approval === undefined
          ? 'runs without asking'
          : 'asks where it must',
    inputSchema: tool.inputSchema,
  }));
  if (flags.json === true) {
    printJson(io, rows);
    return 0;
  }
  io.stdout.write(
    formatTable(
      rows,
      [
        { title: 'NAME', text: (tool) => tool.name },
        { title: 'EFFECT', shown: (tool) => tool.effect },
        { title: 'RULE', shown: (tool) => tool.rule },
        { title: 'ORIGIN', text: (tool) => tool.origin },
        { title: 'DESCRIPTION', text: (tool) => tool.description },
      ],
      stdoutTable(io, flags.color),
    ),
  );
  return 0;
}
