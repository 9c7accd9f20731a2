// The files for those who run hitl say what the program does: their flags, numbers and times.
import { chmodSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';

import { processIo } from '../../commands/host/index.js';
import { buildProgram } from '../../commands/program/main.js';
import { Home } from '../helpers/program.js';
import { Running } from '../helpers/running.js';

const FOLDER = join(import.meta.dirname, '../../examples/operations');
const textOf = (name: string): string => readFileSync(join(FOLDER, name), 'utf8');
const TOKEN = 't'.repeat(40);

/** The flags that a command takes, and those that a line gives it. */
function flagsOf([name, ...given]: readonly string[]): {
  readonly known: string[];
  readonly given: string[];
} {
  const { command } = buildProgram(processIo(), '');
  const found = command.commands.find((one) => one.name() === name);
  const known = found?.options.flatMap(({ long }) => (typeof long === 'string' ? [long] : [])) ?? [];
  const flags = given.filter((word) => word.startsWith('--')).map((word) => word.split('=')[0] ?? '');
  return { known, given: flags };
}

/** The value of a flag in a line, as `--flag value` or `--flag=value`. */
function valueOf(words: readonly string[], flag: string): string | undefined {
  const at = words.findIndex((word) => word === flag || word.startsWith(`${flag}=`));
  return words[at]?.split('=')[1] ?? words[at + 1];
}

const seconds = (text: string | undefined): number => Number(/^(\d+)s?$/u.exec(text ?? '')?.[1] ?? NaN);

interface Started {
  readonly from: string;
  /** The words after `hitl`. */
  readonly words: readonly string[];
  /** Seconds that whoever ends it waits. */
  readonly patience: number;
}

interface Compose {
  readonly services: Record<
    string,
    { readonly image?: string; readonly command?: readonly string[]; readonly stop_grace_period?: string }
  >;
}

function started(): readonly Started[] {
  const units = readdirSync(join(FOLDER, 'systemd')).map((name) => {
    const lines = textOf(`systemd/${name}`).split('\n');
    const setting = (key: string) => lines.find((line) => line.startsWith(`${key}=`))?.slice(key.length + 1);
    const [, program, ...words] = (setting('ExecStart') ?? '').split(' ');
    expect([name, program]).toEqual([name, 'hitl']);
    return { from: name, words, patience: seconds(setting('TimeoutStopSec')) };
  });
  const { services } = parse(textOf('compose.yaml')) as Compose;
  const built = Object.entries(services).flatMap(([name, { command, stop_grace_period: patience }]) =>
    command === undefined ? [] : [{ from: name, words: command.slice(1), patience: seconds(patience) }],
  );
  return [...units, ...built];
}

describe('the units and the compose file', () => {
  test('start what there is, with flags that there are', () => {
    const all = started();
    expect(all.map(({ from }) => from).sort()).toEqual([
      'hitl-serve.service',
      'hitl-worker.service',
      'serve',
      'worker',
    ]);
    for (const { from, words } of all) {
      const { known, given } = flagsOf(words);
      expect([from, given.filter((flag) => !known.includes(flag)), given.length > 2]).toEqual([
        from,
        [],
        true,
      ]);
    }
  });

  test('wait longer for a worker than it drains, and for its last words', () => {
    for (const { from, words, patience } of started()) {
      const drain = words[0] === 'worker' ? seconds(valueOf(words, '--drain')) : 3;
      expect([from, patience >= drain + 5]).toEqual([from, true]);
    }
  });

  test('name no secret in a line, and no image that is not the maker’s own', () => {
    const { services } = parse(textOf('compose.yaml')) as Compose;
    const images = Object.values(services).flatMap(({ image }) => image ?? []);
    const base = /FROM (\S+)/u.exec(textOf('compose.yaml'))?.[1];
    expect([images, base]).toEqual([['postgres:18'], 'node:22-slim']);
    for (const { words } of started())
      expect(words.join(' ')).not.toMatch(/postgres:|password|secret=|key=/iu);
    expect(textOf('compose.yaml')).not.toMatch(/:\/\/[^/@\s]+:[^/@\s]+@/u);
  });
});

/** Names of numbers that a text of queries asks for. */
const namesIn = (text: string): readonly string[] => [
  ...new Set([...text.matchAll(/\b(?:hitl|process)_[a-z_]+\b/gu)].map(([name]) => name)),
];

/** The names that `/metrics` has at an address. */
async function toldAt(address: string): Promise<readonly string[]> {
  const response = await fetch(address, { headers: { authorization: `Bearer ${TOKEN}` } });
  const text = await response.text();
  return [...text.matchAll(/^# TYPE (\S+) (\S+)$/gmu)].flatMap(([, name = '', type]) =>
    type === 'histogram' ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name],
  );
}

describe('the dashboard and the alarms', () => {
  test('ask for numbers that `hitl serve` and `hitl worker` tell, and for most of them', async () => {
    using home = new Home();
    const people = join(home.path, 'people.txt');
    writeFileSync(people, `prometheus ${TOKEN} roles=measure\n`);
    chmodSync(people, 0o600);
    const ops = { type: 'webhook', url: 'https://hooks.example.org/x', secret: { env: 'OPS_SECRET' } };
    writeFileSync(join(home.path, 'config.json'), JSON.stringify({ channels: { ops } }));
    const env = { OPS_SECRET: `whsec_${Buffer.alloc(32).toString('base64')}` };
    await using serve = new Running(
      home,
      ['serve', '--port', '0', '--auth', 'token-file', '--token-file', people],
      env,
    );
    await using worker = new Running(home, ['worker', '--listen', '127.0.0.1:0', '--log', 'json'], env);
    await Promise.all([serve.until('Programs call'), worker.until('/metrics')]);
    const port = /Programs call http:\/\/127\.0\.0\.1:(\d+)/u.exec(serve.stderr)?.[1] ?? '';
    const at = /http:\/\/127\.0\.0\.1:\d+\/metrics/u.exec(worker.stderr)?.[0] ?? '';
    const told = new Set([...(await toldAt(`http://127.0.0.1:${port}/metrics`)), ...(await toldAt(at))]);
    for (const name of ['grafana.json', 'hitl-alerts.yaml']) {
      const asked = namesIn(textOf(name));
      expect([name, asked.filter((one) => !told.has(one))]).toEqual([name, []]);
    }
    const untold = [...told].filter((one) => !namesIn(textOf('grafana.json')).includes(one));
    expect(untold.sort()).toEqual([
      'hitl_build_info',
      'hitl_work_duration_seconds_sum',
      'process_start_time_seconds',
    ]);
    const lines = worker.stderr.trim().split('\n');
    for (const line of lines)
      expect(JSON.parse(line)).toEqual({
        time: expect.stringMatching(/Z$/u) as string,
        level: 'info',
        message: expect.any(String) as string,
      });
  });

  test('are files that Prometheus and Grafana can read', () => {
    const { title, panels } = JSON.parse(textOf('grafana.json')) as {
      title: string;
      panels: { id: number }[];
    };
    expect([title, new Set(panels.map(({ id }) => id)).size]).toEqual(['hitl', panels.length]);
    const { rule_files: files } = parse(textOf('prometheus.yaml')) as { rule_files: string[] };
    for (const file of files) expect(Object.keys(parse(textOf(file)) as object)).toEqual(['groups']);
  });
});
