import type { Message, ModelRequest, Part, RunState, Shown } from '../../src/core/index.js';
import {
  contextTokens,
  contextUsed,
  count,
  escapeText,
  joined,
  knownCost,
  openInterrupts,
  partTokens,
  shown,
  textTokens,
  trimmed,
} from '../../src/core/index.js';
import { fixedTokens } from '../../src/engine/index.js';
import { oneLineOf } from '../../src/human/index.js';
import type { CreatedModel } from '../../src/models/index.js';
import { formatCost, formatCount, formatTable } from '../../src/render/index.js';
import { modelWords } from '../agent/model-words.js';
import { roomOf } from '../agent/room.js';
import { workPlace } from '../host/index.js';
import type { SlashHandler } from './context.js';
import { lookOf } from './context.js';

/** `/status`: shows the session with its location and usage. */
export const status: SlashHandler = (_argument, { io, flags, session, store, model, rules }, print) => {
  const { id, state } = session;
  const { agent, turns } = state;
  const open = openInterrupts(state);
  const rows: readonly (readonly [string, Shown])[] = [
    ['session', shown`${id}${store.capabilities.durable ? shown`` : shown` (not saved)`}`],
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

/** `/cost`: shows the session's token usage and cost so far. */
export const cost: SlashHandler = (_argument, { session, model, flags }, print) => {
  print(costLine(session.state, model.current));
  if (flags.maxCost !== undefined) print(shown`limit ${formatCost(flags.maxCost)}`);
};

/** Formats the input and output tokens and their cost. If the cost is unknown, says so. */
function costLine({ usage }: RunState, { isPriced }: Pick<CreatedModel, 'isPriced'>): Shown {
  const { inputTokens, outputTokens, cacheReadTokens = 0 } = usage;
  const cached = cacheReadTokens === 0 ? shown`` : shown` (${formatCount(cacheReadTokens)} from the cache)`;
  const tokens = shown`${formatCount(inputTokens)} tokens in${cached}, ${formatCount(outputTokens)} out`;
  const known = knownCost(usage);
  const price =
    known === undefined || isPriced === false ? shown`cost unknown for this model` : formatCost(known);
  return shown`${tokens}, ${price}`;
}

/** `/context`: shows context usage by kind, and the free space. The kinds add up to the total. */
export const context: SlashHandler = async (_argument, { io, flags, session, model, tools }, print) => {
  const { state } = session;
  const look = lookOf(io, flags);
  const system = state.agent?.system ?? '';
  const room = roomOf(flags, model);
  const counted = await countOf(model.current, { messages: state.view, tools: tools.descriptors, system });
  const used = counted ?? contextTokens(state, fixedTokens({ tools, system }));
  const limit = room?.limit;
  const full =
    limit === undefined ? shown`` : shown` of ${formatCount(limit)} (${Math.round((used / limit) * 100)} %)`;
  print(
    shown`${counted === undefined && contextUsed(state) === 0 ? shown`about ` : shown``}${formatCount(used)} tokens${full}`,
  );
  print(
    trimmed(
      formatTable(
        addedUp(sharesOf(state, model.current.toolsInFull), used),
        [
          { title: '', text: ([name]) => `  ${name}` },
          { title: '', shown: ([, tokens]) => shown`about ${formatCount(tokens)}`, align: 'right' },
        ],
        { ...look, titles: false },
      ),
    ),
  );
  if (limit === undefined) print(shown`context size unknown for this model; set --context-limit`);
};

/** Time limit for the provider's token count, in milliseconds. */
const COUNT_MS = 3_000;

/**
 * Returns the provider's token count for the next request, or `undefined` if the provider cannot count tokens
 * or does not answer in time.
 */
async function countOf(model: CreatedModel, request: ModelRequest): Promise<number | undefined> {
  if (request.messages.length === 0) return undefined; // a request without a message is none
  return model.countTokens?.(request, AbortSignal.timeout(COUNT_MS));
}

type Share = readonly [name: string, tokens: number];

/** Estimates how many tokens each kind of content uses, largest first. Omits kinds that use none. */
export function sharesOf(
  { agent, view, compacted }: RunState,
  inFull = (tools: number) => tools,
): readonly Share[] {
  const offered = agent?.tools ?? [];
  const tools = offered.slice(0, inFull(offered.length));
  const rest = offered.length - tools.length;
  const sizes = new Map<string, number>([
    ['the system prompt', textTokens(agent?.system ?? '')],
    [
      rest === 0 ? count(tools.length, 'tool') : `${tools.length} of ${offered.length} tools`,
      tools.length === 0 ? 0 : textTokens(JSON.stringify(tools)),
    ],
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

/** Scales the shares to whole numbers that add up to `whole`. */
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
      return 'tool calls';
    case 'tool-response':
      return 'tool results';
    case 'reasoning':
      return 'thinking';
    case 'media':
    case 'data':
      return 'images and other data';
    case 'text':
      return role === 'user' ? 'your messages' : 'model messages';
  }
}
