import { shown, trimmed } from '../../../src/core/index.js';
import { toolTable } from '../../report/index.js';
import type { SlashHandler } from '../context.js';
import { lookOf } from './look.js';

/** `/tools`: the tools that are offered, and what stands for them. */
export const tools: SlashHandler = (_argument, { io, flags, rules, tools: offered }, print) => {
  const table = toolTable(offered, rules.all, lookOf(io, flags));
  print(table === '' ? shown`no tools are offered` : trimmed(table));
};
