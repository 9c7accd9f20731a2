import type { Message, Part, RunState } from '../../../src/core/index.js';
import { contextUsed } from '../../../src/core/index.js';
import { formatCount, formatTable } from '../../../src/render/index.js';
import type { SlashHandler } from '../context.js';
import { lookOf } from './look.js';

/** Characters of a token, about: what providers say of English. */
const CHARACTERS = 4;

/** `/context`: what fills the context of the model, by kind, and how much of it is left. */
export const context: SlashHandler = (_argument, { io, flags, session, model }, print) => {
  const { state } = session;
  const look = lookOf(io, flags);
  const shares = sharesOf(state);
  const estimated = shares.reduce((sum, [, tokens]) => sum + tokens, 0);
  const told = contextUsed(state);
  const used = told === 0 ? estimated : told;
  const room = model.current.contextTokens;
  const full = room === undefined ? '' : ` of ${formatCount(room)} (${Math.round((used / room) * 100)} %)`;
  print(`${told === 0 ? 'about ' : ''}${formatCount(used)} tokens${full}`);
  print(
    formatTable(
      shares,
      [
        { title: '', shown: ([name]) => `  ${name}` },
        { title: '', shown: ([, tokens]) => `about ${formatCount(tokens)}`, align: 'right' },
      ],
      { ...look, titles: false },
    ).trimEnd(),
  );
  if (room === undefined) print('how many tokens fit this model is not known');
  return Promise.resolve(undefined);
};

/** Estimated tokens by what they are for, the largest first; what is not there is left out. */
export function sharesOf({ agent, view }: RunState): readonly (readonly [string, number])[] {
  const sizes = new Map<string, number>([
    ['the system prompt', sizeOf(agent?.system ?? '')],
    [`${agent?.tools.length ?? 0} tools`, sizeOf(JSON.stringify(agent?.tools ?? []))],
  ]);
  for (const message of view) {
    for (const part of message.content) {
      const name = nameOf(message, part);
      sizes.set(name, (sizes.get(name) ?? 0) + sizeOf(JSON.stringify(part)));
    }
  }
  return [...sizes].filter(([, tokens]) => tokens > 0).sort(([, left], [, right]) => right - left);
}

function sizeOf(text: string): number {
  return text === '' || text === '[]' ? 0 : Math.ceil(text.length / CHARACTERS);
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
