import { toolTable } from '../../report/index.js';
import type { SlashHandler } from '../context.js';
import { lookOf } from './look.js';

/** `/tools`: the tools that are offered, and what stands for them. */
export const tools: SlashHandler = (_argument, { io, flags, rules, tools: offered }, print) => {
  const table = toolTable(offered, rules.all, lookOf(io, flags));
  print(table === '' ? 'no tools are offered' : table.trimEnd());
  return Promise.resolve(undefined);
};
