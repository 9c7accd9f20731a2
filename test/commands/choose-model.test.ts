import { describe, expect, test } from 'vitest';

import { checkServerFlag, chosenModel } from '../../commands/agent/choose-model.js';
import { checkEffort } from '../../commands/agent/agent.js';
import type { RunFlags } from '../../commands/flags/options.js';
import type { Io } from '../../commands/host/index.js';
import type { CreatedModel } from '../../src/models/index.js';
import { fakeClock } from '../../src/testing/index.js';

const SERVER = 'http://127.0.0.1:4899/v1';
const OPENAI = 'ai-sdk:@ai-sdk/openai/gpt-5';

async function serverOf(
  flags: { readonly model?: string; readonly baseUrl?: string },
  env: Readonly<Record<string, string>> = {},
  config: { readonly baseUrl?: string; readonly models?: Readonly<Record<string, string>> } = {},
): Promise<string | undefined> {
  const io = { env, clock: fakeClock() } as unknown as Io;
  // A variable stands in the configuration that is in force.
  const named = env['HITL_BASE_URL'] ?? env['ANTHROPIC_BASE_URL'];
  const effective = { ...config, ...(named !== undefined && { baseUrl: named }) };
  return (await chosenModel(io, flags, { config: effective })).baseUrl;
}

describe('effort and thinking', () => {
  test('are refused for a package that has no words for them', () => {
    const made = { id: 'ai-sdk:some/m1', takesEffort: false } as CreatedModel;
    const flags = (given: object) => given as RunFlags;
    expect(() => {
      checkEffort(made, flags({ thinking: 'on' }));
    }).toThrow('`--thinking` and `--model ai-sdk:some/m1` cannot be used together');
    checkEffort(made, flags({}));
    checkEffort({ ...made, takesEffort: true }, flags({ effort: 'high' }));
  });
});

describe('the address of a server', () => {
  test('is for a model of every provider, wherever it stands (adopter 1)', async () => {
    expect([
      await serverOf({ model: OPENAI, baseUrl: SERVER }),
      await serverOf({ model: OPENAI }, { HITL_BASE_URL: SERVER }),
      await serverOf({ model: OPENAI }, {}, { baseUrl: SERVER }),
      await serverOf({ model: 'mine' }, {}, { baseUrl: SERVER, models: { mine: OPENAI } }),
      await serverOf({ model: 'claude-opus-5' }, { ANTHROPIC_BASE_URL: SERVER }),
    ]).toEqual([SERVER, SERVER, SERVER, SERVER, SERVER]);
  });

  test('is only for Anthropic in the variable of Anthropic (adopter 1)', async () => {
    expect([
      await serverOf({ model: OPENAI }, { ANTHROPIC_BASE_URL: SERVER }),
      await serverOf({ model: OPENAI, baseUrl: SERVER }, { ANTHROPIC_BASE_URL: SERVER }),
      await serverOf({ model: OPENAI }, { ANTHROPIC_BASE_URL: SERVER, HITL_BASE_URL: SERVER }),
    ]).toEqual([undefined, SERVER, SERVER]);
  });

  test.for(['demo', 'script:a.jsonl', 'replay:a.json', 'mine'])(
    'is refused for a model that asks none: %s (adopter 1)',
    (spec) => {
      const config = { models: { mine: 'demo' } };
      expect(() => {
        checkServerFlag({ baseUrl: SERVER }, { spec }, config);
      }).toThrow(
        expect.objectContaining({
          code: 'USAGE',
          message: `\`--base-url\` and \`--model ${spec}\` cannot be used together`,
        }),
      );
      checkServerFlag({}, { spec }, config);
    },
  );
});
