import type { Shown } from '../src/core/index.js';
import { escapeText, HitlError, shown } from '../src/core/index.js';
import type { OfferedModel } from '../src/models/index.js';
import { formatCount, formatTable } from '../src/render/index.js';
import { chosenModel } from './agent/choose-model.js';
import { composeModel } from './agent/model.js';
import { effectiveFlags } from './config/effective.js';
import type { SettingsFlags } from './flags/options.js';
import { modeOf } from './flags/mode.js';
import type { Io } from './host/index.js';
import { printJson } from './host/index.js';
import { stdoutTable } from './screen/theme.js';

/** Time limit for a server to return its list of models, in milliseconds. */
const LIST_MS = 15_000;

/**
 * `hitl models`: lists the models that the server offers. The request is free, and also checks the API key
 * and URL.
 */
export async function models(io: Io, given: SettingsFlags<'models'>): Promise<number> {
  const mode = modeOf(io, given);
  const { flags, config } = await effectiveFlags(io, given, mode);
  const chosen = await chosenModel(io, flags, { config });
  const model = await composeModel(io, mode, config, chosen);
  if (model.listModels === undefined)
    throw new HitlError('USAGE', `cannot list models for \`${model.id}\``, {
      hint: 'set --base-url, or ANTHROPIC_API_KEY',
    });
  const offered = await model.listModels(AbortSignal.timeout(LIST_MS));
  if (flags.json === true) printJson(io, offered);
  else io.stdout.write(modelTable(offered, stdoutTable(io, flags.color)));
  return 0;
}

function modelTable(offered: readonly OfferedModel[], look: Parameters<typeof formatTable>[2]): Shown {
  return formatTable(
    offered,
    [
      { title: 'model', shown: ({ id }) => escapeText(id) },
      { title: 'context', shown: ({ contextTokens }) => tokens(contextTokens), align: 'right' },
      { title: 'reply', shown: ({ outputTokens }) => tokens(outputTokens), align: 'right' },
      {
        title: '$ per 1M tokens',
        shown: ({ price }) => (price ? shown`${price.input} in, ${price.output} out` : shown``),
      },
      { title: '', shown: state },
    ],
    look,
  );
}

function tokens(count: number | undefined): Shown {
  return count === undefined ? shown`` : formatCount(count);
}

function state({ lifecycle, retiresAt }: OfferedModel): Shown {
  const until = retiresAt === undefined ? [] : [`retires ${retiresAt.slice(0, 10)}`];
  return escapeText([...(lifecycle === undefined ? [] : [lifecycle]), ...until].join(', '));
}
