import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { Home } from './program.js';
import { payModule, scriptModel } from './tool-module.js';

/** A verdict that lets `pay` run. */
export const LOW = { risk: 'low', authorized: 'high', decision: 'allow', why: 'The user asked to pay ann.' };

/** A line of sh that gives a verdict. */
export const echo = (verdict: object): string => `cat >/dev/null; echo '${JSON.stringify(verdict)}'`;

/** A home with a tool that may be reviewed, a model that calls it, and a reviewer of these words. */
export class Reviewed extends Home {
  readonly pay = payModule(this, { members: 'needsApproval: true,\n  reviewable: true,' });
  readonly beside = mkdtempSync(join(tmpdir(), 'hitl-reviewer-'));

  /** Names a command of these lines of sh as the reviewer. */
  reviewBy(...script: readonly string[]): void {
    const file = join(this.beside, 'policy');
    writeFileSync(file, ['#!/bin/sh', ...script].join('\n'));
    chmodSync(file, 0o755);
    this.configure({ reviewer: { command: [file] } });
  }

  configure(config: object): void {
    writeFileSync(join(this.path, 'config.json'), JSON.stringify(config));
  }

  /** The words of a chat in mode auto, whose model pays ann, and then says these. */
  words(said: readonly string[], texts: readonly string[] = ['done']): readonly string[] {
    const tools = [{ name: 'pay', input: { to: 'ann', amount: 2 } }];
    const model = scriptModel(this, [{ tools }, ...texts.map((text) => ({ text }))]);
    return ['chat', ...said, '--model', model, '-t', this.pay.module, '--mode', 'auto'];
  }

  /** Sends `pay ann` in mode auto; nobody is there to be asked. */
  say({
    flags = [],
    env = {},
  }: { readonly flags?: readonly string[]; readonly env?: Record<string, string> } = {}) {
    return this.run([...this.words(['-p', 'pay ann']), ...flags], { cwd: this.work, env });
  }

  get reviews(): readonly unknown[] {
    return this.events().flatMap(({ type, outcome, by, plan }) =>
      type === 'reviewed' ? [{ outcome, by, plan }] : [],
    );
  }

  override [Symbol.dispose](): void {
    rmSync(this.beside, { recursive: true, force: true });
    super[Symbol.dispose]();
  }
}
