import type { Shown } from '../../../src/core/index.js';
import { escapeText, openInterrupts, shown, joined, trimmed } from '../../../src/core/index.js';
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
  const rows: readonly (readonly [string, Shown])[] = [
    ['session', shown`${id}${store.capabilities.durable ? shown`` : shown` (kept nowhere)`}`],
    ['model', agent === undefined ? shown`unknown` : escapeText(modelWords({ ...agent, spec: agent.model }))],
    ['folder', escapeText(workPlace(io))],
    ['mode', escapeText(rules.modeInWords.replace(/^mode /u, ''))],
    ['turns', shown`${turns}`],
    [
      'open',
      open.length === 0
        ? shown`nothing`
        : joined(
            open.map((one) => oneLineOf(one)),
            '; ',
          ),
    ],
    ['used', costLine(state, model.current)],
  ];
  print(
    trimmed(
      formatTable(
        rows,
        [
          { title: '', text: ([name]) => name },
          {
            title: '',
            shown: ([, value]) => value,
            narrows: 'wrap',
          },
        ],
        { ...lookOf(io, flags), titles: false },
      ),
    ),
  );
};
