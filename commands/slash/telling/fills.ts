import type { Message, Part, RunState } from '../../../src/core/index.js';
import {
  contextTokens,
  contextUsed,
  count,
  partTokens,
  textTokens,
  shown,
  trimmed,
} from '../../../src/core/index.js';
import { fixedTokens } from '../../../src/engine/index.js';
import { formatCount, formatTable } from '../../../src/render/index.js';
import { roomOf } from '../../agent/index.js';
import type { SlashHandler } from '../context.js';
import { lookOf } from './look.js';

/** `/context`: what fills the context of the model, by kind, and how much of it is left. The kinds add up to the whole. */
export const context: SlashHandler = (_argument, { io, flags, session, model, tools }, print) => {
  const { state } = session;
  const look = lookOf(io, flags);
  const system = state.agent?.system ?? '';
  const used = contextTokens(state, fixedTokens({ tools, system }));
  const limit = roomOf(flags, model)?.limit;
  const full =
    limit === undefined ? shown`` : shown` of ${formatCount(limit)} (${Math.round((used / limit) * 100)} %)`;
  print(shown`${contextUsed(state) === 0 ? shown`about ` : shown``}${formatCount(used)} tokens${full}`);
  print(
    trimmed(
      formatTable(
        addedUp(sharesOf(state), used),
        [
          { title: '', text: ([name]) => `  ${name}` },
          { title: '', shown: ([, tokens]) => shown`about ${formatCount(tokens)}`, align: 'right' },
        ],
        { ...look, titles: false },
      ),
    ),
  );
  if (limit === undefined) print(shown`how many tokens fit this model is not known: --context-limit says it`);
  return Promise.resolve(undefined);
};

type Share = readonly [name: string, tokens: number];

/** Estimated tokens by what they are for, the largest first; what is not there is left out. */
export function sharesOf({ agent, view, compacted }: RunState): readonly Share[] {
  const tools = agent?.tools ?? [];
  const sizes = new Map<string, number>([
    ['the system prompt', textTokens(agent?.system ?? '')],
    [count(tools.length, 'tool'), tools.length === 0 ? 0 : textTokens(JSON.stringify(tools))],
  ]);
  const summary = compacted === undefined ? undefined : view.at(0);
  for (const message of view) {
    for (const part of message.content) {
      const name =
        message === summary
          ? `the summary of ${count(compacted?.to ?? 0, 'message')}`
          : nameOf(message, part);
      sizes.set(name, (sizes.get(name) ?? 0) + partTokens(part));
    }
  }
  return [...sizes].filter(([, tokens]) => tokens > 0).sort(([, left], [, right]) => right - left);
}

/** The shares in proportion, as whole numbers whose sum is the whole. */
export function addedUp(shares: readonly Share[], whole: number): readonly Share[] {
  const sum = shares.reduce((before, [, tokens]) => before + tokens, 0);
  let before = 0;
  let told = 0;
  return shares.map(([name, tokens]) => {
    before += tokens;
    const upTo = sum === 0 ? 0 : Math.round((before / sum) * whole);
    const share = upTo - told;
    told = upTo;
    return [name, share];
  });
}

function nameOf({ role }: Message, { type }: Part): string {
  switch (type) {
    case 'tool-request':
      return 'calls of tools';
    case 'tool-response':
      return 'results of tools';
    case 'reasoning':
      return 'thinking';
    case 'media':
    case 'data':
      return 'images and other data';
    case 'text':
      return role === 'user' ? 'what you said' : 'what the model said';
  }
}
