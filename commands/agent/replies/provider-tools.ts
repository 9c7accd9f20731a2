import type { ProviderTool } from '../../../src/core/index.js';
import { HitlError, PROVIDER_TOOLS } from '../../../src/core/index.js';
import type { CreatedModel } from '../../../src/models/index.js';

/** Default and maximum number of calls of a provider tool per request. */
const USUAL_USES = 5;
const MOST_USES = 100;
/** Value that turns off the provider tools set in the session or the configuration. */
const NONE = 'none';
const HOST = /^(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+[a-z0-9-]+(?:\/\S*)?$/iu;

/**
 * Parses specifications of provider tools, such as `web_search`, `web_search:3` and
 * `web_fetch:3:example.com,docs.org`.
 * @throws HitlError USAGE for an invalid name, number or site.
 */
export function providerTools(given: readonly string[]): readonly ProviderTool[] {
  const tools = given.filter((text) => text !== NONE).map(providerTool);
  const twice = tools.find(({ name }, index) => tools.findIndex((other) => other.name === name) !== index);
  if (twice !== undefined) throw wrong(`duplicate tool \`${twice.name}\``);
  return tools;
}

function providerTool(text: string): ProviderTool {
  const [named = '', uses = String(USUAL_USES), sites, ...more] = text.split(':');
  const name = PROVIDER_TOOLS.find((one) => one === named);
  if (name === undefined) throw wrong(`unknown tool \`${named}\``);
  const maxUses = Number(uses);
  if (!Number.isInteger(maxUses) || maxUses < 1 || maxUses > MOST_USES)
    throw wrong(`calls must be 1 to ${MOST_USES}, got \`${uses}\``);
  const domains = sites?.split(',') ?? [];
  const bad = more.length > 0 ? more.join(':') : domains.find((site) => !HOST.test(site));
  if (bad !== undefined) throw wrong(`invalid site \`${bad}\``);
  if (name !== 'code_execution') return { name, maxUses, ...(domains.length > 0 && { domains }) };
  if (text === name) return { name };
  throw wrong('`code_execution` does not accept a call limit or sites');
}

function wrong(why: string): HitlError {
  return new HitlError('USAGE', `--server-tool: ${why}`, {
    hint: `${PROVIDER_TOOLS.join(', ')}, or none; limit calls and sites with web_search:3:example.com`,
  });
}

/**
 * Refuses provider tools if the model does not support them, or if there is a cost limit, because the limit
 * would not include their cost.
 */
export function checkProviderTools(
  { id, hasProviderTools }: CreatedModel,
  tools: readonly ProviderTool[],
  maxCost: number | undefined,
): void {
  if (tools.length === 0) return;
  if (hasProviderTools !== true)
    throw new HitlError('USAGE', `--server-tool: \`${id}\` has no provider tools`, {
      hint: 'provider tools need a model on the Anthropic Messages API; --server-tool none turns them off',
    });
  if (maxCost !== undefined)
    throw new HitlError(
      'USAGE',
      '--server-tool calls have their own prices, so --max-cost cannot be enforced',
      {
        hint: 'leave out --max-cost (`maxCost` in the configuration); use --max-tokens, --max-turns or --max-time',
      },
    );
}

/** Returns one line for each provider tool that may run without asking. */
export function providerToolLines(tools: readonly ProviderTool[]): readonly string[] {
  return tools.map(({ name, maxUses, domains }) => {
    const often = maxUses === undefined ? [] : [`max ${maxUses} per request`];
    const where =
      name === 'code_execution' ? [] : [domains === undefined ? 'any site' : `on ${domains.join(', ')}`];
    const limits = [...often, ...where];
    return `${name} runs at the provider without asking${limits.length === 0 ? '' : ` (${limits.join(', ')})`}`;
  });
}
