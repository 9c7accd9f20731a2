import { execFileSync, spawn } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { hostname, userInfo } from 'node:os';
import { join } from 'node:path';

import { describe, expect, test } from 'vitest';

import { isFirstNamespace } from '../../src/core/index.js';
import type { Ran } from '../helpers/program.js';
import { Home, PROGRAM, ranBy } from '../helpers/program.js';
import { payModule, scriptModel } from '../helpers/tool-module.js';

const ME = userInfo().username;
const UID = process.getuid?.();

/** The reason why nobody becomes another user in a namespace here; empty where they do. */
function whyNot(): string {
  if (process.platform !== 'linux') return 'only Linux has user namespaces';
  if (!isFirstNamespace(readFileSync('/proc/self/uid_map', 'utf8')))
    return 'this runs in a user namespace already';
  try {
    execFileSync('unshare', ['--user', '--map-user=1', 'true'], { stdio: 'ignore' });
    return '';
  } catch {
    return 'unshare --user is not allowed here';
  }
}
const why = whyNot();

/** A home whose session waits for a payment that these people have to approve. */
class Asking extends Home {
  async ask(approvers: string): Promise<string> {
    const { module } = payModule(this, { members: `approval: async () => ({ approvers: ${approvers} }),` });
    const model = scriptModel(this, [
      { tools: [{ name: 'pay', input: { to: 'x', amount: 1 } }] },
      { text: 'done' },
    ]);
    const ran = await this.run(['chat', '-p', 'pay', '--model', model, '--tools', module, '--trust'], {
      cwd: this.work,
    });
    expect(ran.status).toBe(3);
    return this.id;
  }

  /** Answers as another user, whom a namespace makes of this one. */
  answerAs(user: number, id: string, answer: string): Promise<Ran> {
    const { env } = this;
    const args = [
      '--user',
      `--map-user=${user}`,
      '--',
      process.execPath,
      PROGRAM,
      'answer',
      id,
      answer,
      '--digest',
      this.digest('i1', id),
    ];
    return ranBy(spawn('unshare', args, { env, cwd: this.path, stdio: ['ignore', 'pipe', 'pipe'] }));
  }

  /** Who decided, or voted. */
  said(): readonly unknown[] {
    return this.events().flatMap(({ type, by }) =>
      type === 'interrupt-resolved' || type === 'vote-cast' ? [by] : [],
    );
  }
}

describe.skipIf(why !== '')(`somebody in another user namespace (${why || 'unshare is allowed'})`, () => {
  test('is not one of those whom a question names, under any user ID (A9)', async () => {
    using home = new Asking();
    const id = await home.ask(`{ from: ['daemon', 'bin', '${ME}'] }`);
    for (const user of [0, 1, 2, 4711]) {
      const ran = await home.answerAs(user, id, 'y');
      expect([ran.status, ran.stderr]).toEqual([
        2,
        expect.stringMatching(
          /the identity of .+ is not verified, and this needs an answer from daemon, bin, /u,
        ),
      ]);
      expect(ran.stderr).toContain(
        `hint: not saved: this process runs in another user namespace, where anyone can have user ID ${user}`,
      );
    }
    expect(home.said()).toEqual([]);
  });

  test('is none of several who are needed (A9)', async () => {
    using home = new Asking();
    const id = await home.ask('{ need: 2 }');
    for (const user of [1, 2]) expect((await home.answerAs(user, id, 'y')).status).toBe(2);
    expect(home.said()).toEqual([]);
  });

  test('answers what needs one person and names nobody', async () => {
    using home = new Asking();
    const id = await home.ask('undefined');
    expect((await home.answerAs(1, id, 'y')).status).toBe(0);
    expect(home.said()).toEqual([expect.not.objectContaining({ id: expect.anything() as unknown })]);
  });
});

describe.skipIf(UID === undefined || why === 'this runs in a user namespace already')(
  'somebody at this machine',
  () => {
    test('is named by their user ID, and may be one of those who are asked', async () => {
      using home = new Asking();
      const id = await home.ask(`{ from: ['${ME}'] }`);
      expect((await home.run(['answer', id, 'y', '--digest', home.digest('i1', id)])).status).toBe(0);
      const identity = { issuer: `local:${hostname()}`, subject: String(UID) };
      expect(home.said()).toMatchObject([{ type: 'person', name: ME, id: identity }]);
    });

    test('cannot be two of those who are needed, and is told where people can (A9)', async () => {
      using home = new Asking();
      const id = await home.ask('{ need: 2 }');
      const ran = await home.run(['answer', id, 'y', '--digest', home.digest('i1', id)]);
      expect([ran.status, ran.stderr]).toEqual([
        2,
        expect.stringContaining(
          `the session files belong to user ID ${String(UID)}, so 2 people cannot vote from the command line: use \`hitl serve --auth\`, or PostgreSQL`,
        ),
      ]);
      expect(home.said()).toEqual([]);
      expect((await home.run(['answer', id, 'n', 'not now'])).status).toBe(0);
    });

    test('is in no group because of a program of the search path (A9)', async () => {
      using home = new Asking();
      const id = await home.ask("{ from: ['@ops-of-nobody'] }");
      const fake = join(home.path, 'bin');
      mkdirSync(fake);
      writeFileSync(join(fake, 'id'), '#!/bin/sh\necho root ops-of-nobody\n');
      chmodSync(join(fake, 'id'), 0o755);
      const PATH = `${fake}:${process.env['PATH'] ?? ''}`;
      const ran = await home.runAlone(['answer', id, 'y', '--digest', home.digest('i1', id)], {
        env: { PATH },
      });
      expect([ran.status, ran.stderr]).toEqual([
        2,
        expect.stringContaining('cannot answer: this needs an answer from @ops-of-nobody'),
      ]);
    });

    test('is in the groups that the kernel says', async () => {
      using home = new Asking();
      const group = execFileSync('/usr/bin/id', ['-gn'], { encoding: 'utf8' }).trim();
      const id = await home.ask(`{ from: ['@${group}'] }`);
      expect((await home.run(['answer', id, 'y', '--digest', home.digest('i1', id)])).status).toBe(0);
    });
  },
);
