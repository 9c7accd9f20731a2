import { describe, expect, test } from 'vitest';

import { checkConfig } from '../../commands/config/config-schema.js';
import { lawful } from '../../commands/config/law.js';
import { variablesIn } from '../../commands/config/variables.js';
import { buildProgram } from '../../commands/program/main.js';
import type { Io } from '../../commands/host/index.js';
import type { Config } from '../../commands/settings/settings.js';
import type { ReadingCommand } from '../../commands/settings/row.js';
import type { SettingKind } from '../../commands/settings/kind.js';
import { readValue } from '../../commands/settings/read-value.js';
import { settingRows } from '../../commands/settings/settings.js';
import { SETTINGS } from '../../commands/settings/table.js';
import { DEFAULT_MAX_TURNS } from '../../src/engine/index.js';

describe('the flags of commands', () => {
  const program = buildProgram({} as Io, '0').command;
  const all = program.commands
    .flatMap((one) => [one, ...one.commands])
    .filter((one) => !one.name().startsWith('__'));

  function nameOf(command: (typeof all)[number]): string {
    const { parent } = command;
    return parent === null || parent === program ? command.name() : `${parent.name()} ${command.name()}`;
  }

  test('are those of the settings that the table says they read, and no others', () => {
    const flags = settingRows().flatMap(([key, row]) =>
      row.reads === undefined ? [] : [[key, row] as const],
    );
    const readers: readonly string[] = [...new Set(flags.flatMap(([, { reads = [] }]) => reads))];
    const parted = all.map((command) => {
      const name = nameOf(command) as ReadingCommand;
      const given = command.options.map((option) => option.flags);
      const taken = flags.filter(([, { flag = '' }]) => given.includes(flag)).map(([key]) => key);
      const wanted = flags.filter(([, { flag, reads }]) => flag !== undefined && reads?.includes(name));
      return { name, taken, wanted: wanted.map(([key]) => key) };
    });
    expect(parted.filter(({ taken, wanted }) => taken.join() !== wanted.join())).toEqual([]);
    expect(readers.filter((reader) => !all.some((command) => nameOf(command) === reader))).toEqual([]);
  });

  test('that trust nothing come with those that do: alone they would trust by themselves', () => {
    const trusting = all.filter((command) => command.opts()['trust'] !== undefined);
    expect(trusting.map(nameOf)).toEqual([]);
  });

  test('are called as the settings that they set', () => {
    const named = all.flatMap(({ options }) =>
      options.flatMap((option) =>
        settingRows()
          .filter(([, { flag }]) => flag === option.flags)
          .map(([key]) => ({ key, attribute: option.attributeName() })),
      ),
    );
    expect(named.length).toBeGreaterThan(50);
    expect(named.filter(({ key, attribute }) => key !== attribute)).toEqual([]);
  });

  test('leave the environment to where it is told from a flag', () => {
    const read = all.flatMap(({ options }) => options.filter(({ envVar }) => envVar !== undefined));
    expect(read).toEqual([]);
  });
});

test('the limit of rounds has the default of the engine', () => {
  expect(SETTINGS.maxTurns.default).toBe(DEFAULT_MAX_TURNS);
});

describe('a value', () => {
  const turns: SettingKind = { type: 'whole', min: 1, max: 9 };
  test.for([
    [turns, '9', 9],
    [turns, '10', undefined],
    [turns, '1.5', undefined],
    [turns, ' 1', undefined],
    [{ type: 'dollars' }, '$0.50', 0.5],
    [{ type: 'dollars' }, '0', undefined],
    [{ type: 'dollars' }, '1e3', undefined],
    [{ type: 'duration' }, '1h30m', 5_400_000],
    [{ type: 'switch' }, 'off', false],
    [{ type: 'switch' }, 'TRUE', true],
    [{ type: 'switch' }, 'maybe', undefined],
    [{ type: 'url' }, 'http://localhost:11434', 'http://localhost:11434'],
    [{ type: 'url' }, 'file:///etc/passwd', undefined],
    [{ type: 'choice', of: ['off', 'auto'] }, 'auto', 'auto'],
    [{ type: 'choice', of: ['off', 'auto'] }, 'AUTO', undefined],
  ] as const)('of %j is read from `%s` as %j', ([kind, text, value]) => {
    const read = readValue(kind, text);
    expect(read.ok ? read.value : undefined).toBe(value);
  });

  test.for([
    ['maxTime', '5m', 300_000],
    ['maxTime', 90, 90_000],
    ['maxTime', 999, 999_000],
    ['maxTime', '1h30m', 5_400_000],
    ['maxCost', '$2', 2],
    ['maxCost', 0.5, 0.5],
    ['maxTurns', '7', 7],
    ['maxTurns', 7, 7],
  ] as const)('of the key %s is read from %j in a file as from a flag', ([key, given, value]) => {
    expect(checkConfig({ [key]: given }, 'c')).toEqual({ [key]: value });
  });

  test.for([
    [{ maxTime: '5x' }, 'maxTime: must be a duration above 0'],
    [
      { maxTime: 60_000 },
      'maxTime: 60000 meant milliseconds in version 0.1 but now means seconds; write 1m or 16h40m',
    ],
    [
      { maxTime: '1500' },
      'maxTime: 1500 meant milliseconds in version 0.1 but now means seconds; write 1s500ms or 25m',
    ],
    [{ profiles: { ci: { maxTime: 1_000 } } }, 'profiles.ci.maxTime: 1000 meant milliseconds in version 0.1'],
    [{ maxTime: 0 }, 'maxTime: must be a duration above 0'],
    [{ maxTurns: 1.5 }, 'maxTurns: must be a whole number from 1 to 1000'],
    [{ sandbox: 'on' }, 'sandbox: must be off, auto or required'],
    [{ baseUrl: 'ftp://x' }, 'baseUrl: must be a URL that starts with http:// or https://'],
    [{ statusLine: 'yes' }, 'statusLine: must be true or false'],
    [{ sessions: '/tmp' }, '`sessions` cannot be set in a configuration file: use `--sessions <dir>`'],
    [
      { answersFrom: 'anywhere' },
      '`answersFrom` cannot be set in a configuration file: use `--answers-from <where>`',
    ],
    [{ maxTruns: 7 }, 'unknown key `maxTruns` (did you mean `maxTurns`?)'],
    [{ profiles: { work: { maxTurns: 0 } } }, 'profiles.work.maxTurns: must be a whole number'],
    [{ profiles: { work: { profiles: {} } } }, 'unknown key `profiles`'],
    [{ apiKey: 'sk' }, 'unknown key `apiKey`'],
  ] as const)('of %j in a file is refused', ([config, why]) => {
    expect(() => checkConfig(config, 'c')).toThrow(why);
  });

  test('`$schema` is for editors and says nothing', () => {
    expect(checkConfig({ $schema: './config.schema.json', model: 'demo' }, 'c')).toEqual({ model: 'demo' });
  });
});

describe('the environment', () => {
  test('says settings, the first variable that is set, and an empty one says nothing', () => {
    const env = {
      HITL_MAX_TURNS: '',
      HITL_MAX_TIME: '5m',
      HITL_BASE_URL: '',
      ANTHROPIC_BASE_URL: 'http://127.0.0.1:9',
      HITL_TOOLS: '/tmp/evil.mjs',
      HITL_RULES: '{}',
    };
    const { config, names } = variablesIn({ env });
    expect(config).toEqual({ maxTime: 300_000, baseUrl: 'http://127.0.0.1:9' });
    expect([...names]).toEqual([
      ['baseUrl', 'ANTHROPIC_BASE_URL'],
      ['maxTime', 'HITL_MAX_TIME'],
    ]);
  });

  test('that does not fit is an error that names the variable', () => {
    expect(() => variablesIn({ env: { HITL_MAX_TURNS: 'many' } })).toThrow(
      'environment variable `HITL_MAX_TURNS` must be a whole number from 1 to 1000, got `many`',
    );
  });
});

describe('what a project may say', () => {
  const said = (project: Config, mine: Config = {}) => lawful(project, mine, '/p/hitl.config.json');

  test.for<[Config, Config]>([
    [{ sandbox: 'required' }, {}],
    [{ sandbox: 'required' }, { sandbox: 'off' }],
    [{ sandbox: 'auto' }, { sandbox: 'off' }],
    [{ allowHttp: false }, { allowHttp: true }],
    [{ maxTurns: 9 }, {}],
    [{ maxCost: 5 }, {}],
    [{ maxCost: 5 }, { maxCost: 6 }],
    [{ maxTime: 1_000 }, { maxTime: 2_000 }],
    [{ model: 'demo', baseUrl: 'https://x.example', system: 's', tools: ['/t.mjs'] }, { model: 'other' }],
    [{ rules: { deny: ['*'] } }, {}],
  ])('%j counts beside %j', ([project, mine]) => {
    expect(said(project, mine)).toEqual({ config: project, problems: [] });
  });

  test.for<[Config, Config]>([
    [{ sandbox: 'off' }, {}],
    [{ sandbox: 'auto' }, { sandbox: 'required' }],
    [{ allowHttp: true }, {}],
    [{ maxTurns: 51 }, {}],
    [{ maxCost: 7 }, { maxCost: 6 }],
    [{ maxTime: 3_000 }, { maxTime: 2_000 }],
  ])('%j does not count beside %j, and that is told', ([project, mine]) => {
    const [key = ''] = Object.keys(project);
    expect(said(project, mine)).toEqual({
      config: {},
      problems: [
        `\`${key}\` in /p/hitl.config.json ignored: a project can only be stricter than your own settings`,
      ],
    });
  });

  test('what is as you have it already is passed over in silence', () => {
    expect(said({ sandbox: 'auto', maxTurns: 50 })).toEqual({
      config: {},
      problems: [],
    });
  });

  test('which folders the sandbox shows is yours to say', () => {
    expect(said({ sandboxReads: ['~/.ssh'] })).toEqual({
      config: {},
      problems: [
        '`sandboxReads` in /p/hitl.config.json ignored: it can only be set in your own configuration',
      ],
    });
  });

  test('what only you can say does not count', () => {
    expect(said({ onInterrupt: 'deny' })).toEqual({
      config: {},
      problems: [
        '`onInterrupt` in /p/hitl.config.json ignored: it can only be set in your own configuration',
      ],
    });
  });
});
