// “Approve in CI”, as the guide has it, run step by step: two jobs with a checkout each (A11).
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { expect, test } from 'vitest';
import { parse } from 'yaml';

import { Home, PROGRAM } from '../helpers/program.js';

interface Step {
  readonly run?: string;
  readonly uses?: string;
  readonly with?: { readonly name: string; readonly path: string };
  readonly env?: Readonly<Record<string, string>>;
}

interface Workflow {
  readonly env: Readonly<Record<string, string>>;
  readonly jobs: Readonly<Record<'propose' | 'approve', { readonly steps: readonly Step[] }>>;
}

function recipe(): Workflow {
  const text = readFileSync('docs/guides/recipes.md', 'utf8');
  const [, block = ''] = /## Approve in CI[\s\S]*?```text\n([\s\S]*?)```/u.exec(text) ?? [];
  return parse(block) as Workflow;
}

const hasJq = spawnSync('jq', ['--version']).status === 0;

/** A runner: its own checkout of the pull request, and what one job hands to the next. */
class Runner {
  readonly #home: Home;
  readonly #name: string;
  readonly #variables: Record<string, string>;

  constructor(home: Home, name: string) {
    this.#home = home;
    this.#name = name;
    this.#variables = { RUNNER_TEMP: join(home.work, name, 'temp') };
    mkdirSync(this.#variables['RUNNER_TEMP'] ?? '', { recursive: true });
    cpSync(join(home.work, 'pull'), this.checkout, { recursive: true });
  }

  get checkout(): string {
    return join(this.#home.work, this.#name, 'repo');
  }

  /** The home, as the steps before have set it. */
  get kept(): string {
    return this.#variables['HITL_HOME'] ?? '';
  }

  /** Runs a step as a shell of the runner does; what it writes for later steps counts for them. */
  step({ run = '', env = {} }: Step, outputs: Readonly<Record<string, string>> = {}): string {
    const [variables, output] = ['variables', 'output'].map((file) =>
      join(this.#home.work, this.#name, file),
    );
    for (const file of [variables, output]) writeFileSync(file ?? '', '');
    execFileSync('bash', ['-e', '-o', 'pipefail', '-c', run], {
      cwd: this.checkout,
      stdio: ['ignore', 'ignore', 'pipe'],
      env: {
        PATH: `${join(this.#home.work, 'bin')}:${process.env['PATH'] ?? ''}`,
        HOME: join(this.#home.work, 'person'),
        HITL_MODEL: `script:${join(this.#home.work, 'model.jsonl')}`,
        ...this.#variables,
        ...Object.fromEntries(Object.keys(env).map((name) => [name, outputs[name] ?? ''])),
        GITHUB_ENV: variables,
        GITHUB_OUTPUT: output,
      },
    });
    for (const line of readFileSync(variables ?? '', 'utf8').split('\n')) {
      const [, name, value] = /^(\w+)=(.*)$/u.exec(line) ?? [];
      if (name !== undefined) this.#variables[name] = value ?? '';
    }
    return readFileSync(output ?? '', 'utf8').trim();
  }
}

test.skipIf(!hasJq)(
  'the recipe for CI approves what was asked, and takes nothing of the checkout for the configuration (A11)',
  async () => {
    using home = new Home();
    const write = (name: string, content: string, mode = 0o644): void => {
      mkdirSync(dirname(join(home.work, name)), { recursive: true });
      writeFileSync(join(home.work, name), content, { mode });
    };
    const released = join(home.work, 'released');
    write('bin/hitl', `#!/bin/sh\nexec ${process.execPath} ${PROGRAM} "$@"\n`, 0o755);
    write(
      'model.jsonl',
      `${JSON.stringify({ tools: [{ name: 'release', input: {} }] })}\n${JSON.stringify({ text: 'ok' })}\n`,
    );
    // A pull request that brings a configuration where a home in the checkout would have it.
    const theirs = JSON.stringify({ rules: { allow: ['release'] } });
    for (const place of ['.hitl', 'hitl', 'temp/hitl']) write(`pull/${place}/config.json`, theirs);
    write(
      'pull/tools.mjs',
      `import { appendFileSync } from 'node:fs';
       import { defineTool } from 'hitl';
       export const tools = [defineTool({ name: 'release', description: 'releases', needsApproval: true,
         input: { type: 'object', properties: {} } }, () => { appendFileSync(${JSON.stringify(released)}, 'x'); return 1; })];\n`,
    );
    execFileSync('git', ['init', '-q', '.'], { cwd: join(home.work, 'pull') });
    execFileSync('git', ['add', '-A'], { cwd: join(home.work, 'pull') });
    const { env, jobs } = recipe();
    expect(Object.keys(env)).toEqual(['ANTHROPIC_API_KEY']);
    const steps = (job: 'propose' | 'approve') =>
      jobs[job].steps.filter(({ run }) => run !== undefined && !run.startsWith('npm '));

    const propose = new Runner(home, 'propose');
    const said = steps('propose').map((step) => propose.step(step));
    expect(existsSync(released)).toBe(false);
    const [, question = ''] = /^question=(.*)$/mu.exec(said.join('\n')) ?? [];
    expect(question).toMatch(/^\S+ --interrupt i1 --digest [0-9a-f]{8,}$/u);

    const approve = new Runner(home, 'approve');
    const [setUp, ...rest] = steps('approve');
    approve.step(setUp ?? {});
    // The artifact is the folder of sessions, as its step names it.
    const { path: uploaded } =
      jobs.propose.steps.find(({ uses }) => uses?.includes('upload') === true)?.with ?? {};
    expect(uploaded).toBe('${{ env.HITL_HOME }}/sessions');
    cpSync(join(propose.kept, 'sessions'), join(approve.kept, 'sessions'), { recursive: true });
    for (const step of rest) approve.step(step, { QUESTION: question });
    expect(readFileSync(released, 'utf8')).toBe('x');
    expect([propose, approve].map((one) => one.kept.startsWith(one.checkout))).toEqual([false, false]);
  },
);
