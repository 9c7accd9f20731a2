import { escapeText, openInterrupts } from '../../../src/core/index.js';
import { oneLineOf } from '../../../src/human/index.js';
import { formatTable } from '../../../src/render/index.js';
import { modelWords } from '../../agent/index.js';
import { workPlace } from '../../host/index.js';
import type { SlashHandler } from '../context.js';
import { costLine } from './cost.js';
import { lookOf } from './look.js';

/** `/status`: where the session is, and what it has used. */
export const status: SlashHandler = (_argument, { io, flags, session, store, model, rules }, print) => {
  const { id, state } = session;
  const { agent, turns } = state;
  const open = openInterrupts(state);
  const rows: readonly (readonly [string, string])[] = [
    ['session', `${id}${store.capabilities.durable ? '' : ' (kept nowhere)'}`],
    ['model', agent === undefined ? 'unknown' : modelWords({ ...agent, spec: agent.model })],
    ['folder', workPlace(io)],
    ['mode', rules.modeInWords.replace(/^mode /u, '')],
    ['turns', String(turns)],
    ['open', open.length === 0 ? 'nothing' : open.map((one) => oneLineOf(one)).join('; ')],
    ['used', costLine(state, model.current)],
  ];
  print(
    formatTable(
      rows,
      [
        { title: '', shown: ([name]) => name },
        {
          title: '',
          shown: ([name, value]) => (name === 'open' ? value : escapeText(value)),
          narrows: 'wrap',
        },
      ],
      { ...lookOf(io, flags), titles: false },
    ).trimEnd(),
  );
  return Promise.resolve(undefined);
};
