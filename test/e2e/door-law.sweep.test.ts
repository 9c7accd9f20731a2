// Every door by which an answer comes in, and every law of who decides: each cell is run, or names the test that shows
// it, or says why it cannot be.
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as passing } from 'node:timers/promises';

import { afterAll, describe, expect, test } from 'vitest';

import { createFileStore } from '../../sessions/index.js';
import type { SqlDriver } from '../../sessions/postgres/index.js';
import { pgliteDriver } from '../../sessions/postgres/index.js';
import type { SessionId } from '../../src/core/index.js';
import { openInterrupts } from '../../src/core/index.js';
import { systemClock } from '../../src/index.js';
import { Home } from '../helpers/program.js';
import { Terminal } from '../helpers/terminal.js';
import { payModule, scriptModel } from '../helpers/tool-module.js';
import { hasDatabases, storeOn } from '../postgres/databases.js';
import type { Door, Scene } from './door-scenes.js';
import { agUi, api, inbox, library, page, rowsOf, slack } from './door-scenes.js';

/** What every door holds. */
type LawName = 'digest' | 'identity' | 'authorship' | 'authenticity' | 'expiry' | 'quorum' | 'receipt';

/** A cell that is run, a test of another file that shows it, or why it cannot be run at this door. */
type Cell =
  | (() => Promise<void>)
  | { readonly shown: readonly [file: string, title: string] }
  | { readonly cannot: string };

type Row = Readonly<Record<LawName, Cell>>;

/** A law at a door of a store. */
type Law = (door: Door) => Promise<void>;

async function at(door: Door, asks: Parameters<Door>[0], look: (scene: Scene) => Promise<void>) {
  const scene = await door(asks);
  try {
    await look(scene);
  } finally {
    await scene.close();
  }
}

/** What came of a scene once it went on. */
async function outcome(scene: Scene) {
  await scene.goOn();
  return { decided: await scene.decided(), voted: await scene.voted(), paid: scene.paid };
}

const NOTHING = { decided: [], voted: [], paid: [] };

/** A yes to anything else than was shown is no yes. */
const digest: Law = (door) =>
  at(door, {}, async (scene) => {
    await scene.say('ben', { digest: 'f'.repeat(64) });
    expect(await outcome(scene)).toEqual(NOTHING);
    await scene.say('ben');
    expect(await outcome(scene)).toEqual({ decided: ['ben'], voted: [], paid: [5] });
  });

/** Where people are named, nobody else has a vote, and no name that nothing proves. */
const identity: Law = (door) =>
  at(door, { approvers: { from: ['ben'] } }, async (scene) => {
    await scene.say('mal');
    await scene.say('nobody');
    expect(await outcome(scene)).toEqual(NOTHING);
    await scene.say('ben');
    expect(await outcome(scene)).toEqual({ decided: ['ben'], voted: [], paid: [5] });
  });

/** Who asked for it does not approve it under four eyes. */
const requester: Law = (door) =>
  at(door, { approvers: { notRequester: true } }, async (scene) => {
    await scene.say('ann');
    expect(await outcome(scene)).toEqual(NOTHING);
    await scene.say('ben');
    expect(await outcome(scene)).toEqual({ decided: ['ben'], voted: [], paid: [5] });
  });

/** Neither does who edited it: the edit is asked about again, of others. */
const editor: Law = (door) =>
  at(door, { approvers: { notRequester: true } }, async (scene) => {
    await scene.say('ben', { amount: 9 });
    expect(await outcome(scene)).toEqual({ decided: ['ben'], voted: [], paid: [] });
    await scene.say('ben');
    expect(await outcome(scene)).toEqual({ decided: ['ben'], voted: [], paid: [] });
    await scene.say('cyd');
    expect(await outcome(scene)).toEqual({ decided: ['ben', 'cyd'], voted: [], paid: [9] });
  });

/** A yes that nobody here signed is no vote, in the inbox or behind the journal. */
const authenticity: Law = async (door) => {
  for (const where of ['inbox', 'journal'] as const)
    await at(door, { approvers: { need: 2 } }, async (scene) => {
      await scene.forge(where);
      await scene.say('cyd');
      expect(await outcome(scene)).toEqual({ decided: [], voted: ['cyd'], paid: [] });
      await scene.say('ben');
      expect(await outcome(scene)).toMatchObject({ voted: [], paid: [5] });
    });
};

const HOUR_MS = 3_600_000;

/** A yes to a question whose time is over starts nothing. */
const deadline: Law = (door) =>
  at(door, { deadline: { timeout: '1h' } }, async (scene) => {
    scene.pass(HOUR_MS + 1);
    await scene.say('ben');
    expect((await outcome(scene)).paid).toEqual([]);
  });

/** Neither does a yes that is older than it may be. */
const age: Law = (door) =>
  at(door, { approvalLasts: '1h' }, async (scene) => {
    await scene.say('ben');
    scene.pass(HOUR_MS + 1);
    expect(await outcome(scene)).toEqual({ decided: ['ben'], voted: [], paid: [] });
    expect(await scene.question()).toMatchObject({ source: { input: { amount: 5 } } });
  });

/** One person is one vote, however often they say it. */
const quorum: Law = (door) =>
  at(door, { approvers: { need: 2 } }, async (scene) => {
    await scene.say('ben');
    await scene.say('ben');
    expect(await outcome(scene)).toEqual({ decided: [], voted: ['ben'], paid: [] });
    await scene.say('cyd');
    expect(await outcome(scene)).toMatchObject({ voted: [], paid: [5] });
  });

/** The same answer twice, before and after it was used, counts once. */
const receipt: Law = (door) =>
  at(door, {}, async (scene) => {
    await scene.say('ben');
    await scene.say('ben');
    await scene.goOn();
    await scene.say('ben');
    expect(await outcome(scene)).toEqual({ decided: ['ben'], voted: [], paid: [5] });
  });

/** The cells of a door of a store. */
function rowOf(door: Door, { edits = true, goesOn = false } = {}): Row {
  const all = (laws: readonly Law[]) => async () => {
    for (const law of laws) await law(door);
  };
  return {
    digest: all([digest]),
    identity: all([identity]),
    authorship: all(edits ? [requester, editor] : [requester]),
    authenticity: all([authenticity]),
    expiry: all(goesOn ? [deadline] : [deadline, age]),
    quorum: all([quorum]),
    receipt: all([receipt]),
  };
}

/** A session of the program that waits for a payment, in a home of its own. */
class Office extends Home {
  #paid: () => readonly unknown[] = () => [];

  async ask(request = ''): Promise<void> {
    const { module, paid } = payModule(this, { members: `approval: async () => ({ ${request} }),` });
    this.#paid = paid;
    const calls = [{ tools: [{ name: 'pay', input: { to: 'x', amount: 1 } }] }, { text: 'done' }];
    const model = scriptModel(this, calls);
    const ran = await this.run(['chat', '-p', 'pay', '--model', model, '--tools', module, '--trust'], {
      cwd: this.work,
    });
    expect([ran.status, ran.stderr]).toEqual([3, expect.anything()]);
  }

  /** Leaves an approval in the inbox, as somebody does who may write the folder and has not the key. */
  async forge(): Promise<void> {
    const { sessions: root, id } = this;
    const store = createFileStore({ root, clock: systemClock, random: randomBytes });
    const session = id as SessionId;
    await using writer = await store.open(session, 'write');
    const [question] = openInterrupts(writer.state);
    const { id: interrupt, digest: shown } = question!;
    const by = { type: 'person', name: 'root', via: 'answer' } as const;
    await store.post(session, { id: interrupt, digest: shown, resolution: { action: 'restart' }, by });
  }

  /** Goes on with the session without a person. */
  async goOn(): Promise<void> {
    await this.run(['resume', this.id, '-p', '--trust'], { cwd: this.work });
  }

  /** How many answers of people were used, and how many payments were made. */
  get came(): { readonly decided: number; readonly voted: number; readonly paid: number } {
    const by = (type: string) =>
      this.events().filter((event) => event['type'] === type && isPerson(event['by'])).length;
    return { decided: by('interrupt-resolved'), voted: by('vote-cast'), paid: this.#paid().length };
  }
}

const isPerson = (by: unknown): boolean => (by as { readonly type?: string } | undefined)?.type !== 'clock';

const UNANSWERED = { decided: 0, voted: 0, paid: 0 };
const PAID = { decided: 1, voted: 0, paid: 1 };

/** Somebody says yes to the first question of a session, which was shown with this digest. */
type Say = (home: Office, shown: string) => Promise<unknown>;

/** The cells of a door of the program: the person is whoever runs these tests. */
function rowOfProgram(say: Say): Row {
  const asked =
    (members: string, look: (home: Office, yes: () => Promise<unknown>) => Promise<void>) => async () => {
      using home = new Office();
      await home.ask(members);
      const shown = home.digest();
      await look(home, () => say(home, shown));
    };
  const never = (members: string) =>
    asked(members, async (home, yes) => {
      await yes();
      await yes();
      await home.goOn();
      expect(home.came).toEqual(UNANSWERED);
    });
  return {
    digest: asked('', async (home, yes) => {
      await say(home, '00000000');
      await home.goOn();
      expect(home.came).toEqual(UNANSWERED);
      await yes();
      await home.goOn();
      expect(home.came).toEqual(PAID);
    }),
    identity: never("approvers: { from: ['nobody-here'] },"),
    authorship: never('approvers: { notRequester: true },'),
    authenticity: asked('', async (home, yes) => {
      await home.forge();
      await home.goOn();
      expect(home.came).toEqual(UNANSWERED);
      await yes();
      await home.goOn();
      expect(home.came).toEqual(PAID);
    }),
    expiry: asked("deadline: { timeout: '1s' },", async (home, yes) => {
      await passing(1_100);
      await yes();
      await home.goOn();
      expect(home.came).toEqual(UNANSWERED);
    }),
    quorum: never('approvers: { need: 2 },'),
    receipt: asked('', async (home, yes) => {
      await yes();
      await yes();
      await home.goOn();
      await yes();
      await home.goOn();
      expect(home.came).toEqual(PAID);
    }),
  };
}

const answer: Say = (home, shown) =>
  home.run(['answer', home.id, 'y', '--interrupt', 'i1', '--digest', shown], { cwd: home.work });

const answerFlag: Say = (home, shown) =>
  home.run(['resume', home.id, '-p', '--trust', '--answer', `i1@${shown}=y`], { cwd: home.work });

/** The time in which a key at a question has come to what it comes to. */
const KEY_MS = 2_000;

const key: Say = async (home) => {
  using terminal = new Terminal(home, ['resume', home.id, '--trust'], { PWD: home.work });
  await Promise.race([
    terminal.until(/Continue\?|What (?:happened|next)\?|Approve this call/u),
    terminal.ended,
  ]);
  await terminal.press('y');
  await passing(KEY_MS);
};

/** PostgreSQL in this process; the space of each scene is its own. */
const rows: Door = rowsOf(async (clock) => {
  started ??= startDatabase();
  const driver = await started;
  spaces += 1;
  const space = `doors ${spaces}`;
  return {
    ours: storeOn(driver, space, clock, new Uint8Array(32).fill(1)),
    theirs: storeOn(driver, space, clock),
    unmark: () => driver.query('delete from hitl_key where space = $1', [space]),
  };
});

let started: Promise<SqlDriver> | undefined;
let spaces = 0;
afterAll(async () => (await started)?.close());

async function startDatabase(): Promise<SqlDriver> {
  const { createPglite } = await import('../../tools/servers/pglite.mjs');
  return pgliteDriver(await createPglite());
}

const NOT_INSTALLED = { cannot: 'PostgreSQL is not installed here: `npm run tools` installs it' };

const MAIL: Cell = { cannot: 'a link in a mail opens the page of its question, and answers nothing itself' };
const inMcp = (title: string): Cell => ({ shown: ['commands/asking.test.ts', title] });
const inEditor = (title: string, file = 'e2e/acp.sweep.test.ts'): Cell => ({ shown: [file, title] });
const NAMED_IN_EDITOR =
  'who may not decide a question at a terminal may not in an editor, and everything else says where it waits';
const LATE_IN_EDITOR =
  'an answer from elsewhere closes the dialog, and what is chosen after that is ignored and told';
const BY_OTHERS =
  'takes no answer itself: it goes on with those of the journal and the inbox, which have rows of their own';
const asOthers = (door: string): Cell => ({ cannot: `${door} ${BY_OTHERS}` });

const DOORS = {
  terminal: {
    ...rowOfProgram(key),
    digest: {
      shown: [
        'human/terminal.test.ts',
        'G11: `y` approves exactly what was shown, and the question folds to one line',
      ],
    },
    expiry: {
      cannot: 'at its deadline the clock takes the question off the screen, so that no key is at it any more',
    },
    receipt: {
      cannot: 'a question that was answered is no longer on the screen, so that a key cannot answer it again',
    },
  },
  'hitl answer': rowOfProgram(answer),
  'answers file, --answer': rowOfProgram(answerFlag),
  'inbox file': rowOf(inbox),
  'page of `hitl serve`': rowOf(page),
  API: rowOf(api),
  'AG-UI': rowOf(agUi, { goesOn: true }),
  Slack: rowOf(slack, { edits: false }),
  'link in a mail': {
    digest: MAIL,
    identity: MAIL,
    authorship: MAIL,
    authenticity: MAIL,
    expiry: MAIL,
    quorum: MAIL,
    receipt: MAIL,
  },
  'hitl mcp': {
    digest: inMcp('is not given for %s by the state of its question (connect 3)'),
    identity: inMcp('a form answers nothing where nobody chose that'),
    authorship: inMcp('the tools of the server ask and look, and none of them answers'),
    authenticity: inMcp(
      'a client of 2026-07-28 comes back with a signed state, also to another process, and a forged one is refused',
    ),
    expiry: { cannot: 'a program that asks sets no time, and its answer is handed out and not run here' },
    quorum: {
      cannot: 'a program that asks names nobody, so that one person answers at a door of this table',
    },
    receipt: inMcp(
      'is given out once, also to another connection that names it by its id or by its key (F9)',
    ),
  },
  'hitl acp': {
    digest: inEditor('a yes is bound to what the dialog showed', 'commands/acp/editor-person.test.ts'),
    identity: inEditor(NAMED_IN_EDITOR),
    authorship: inEditor(NAMED_IN_EDITOR),
    authenticity: asOthers('an editor’s session'),
    expiry: inEditor(LATE_IN_EDITOR, 'commands/acp/editor-person.test.ts'),
    quorum: inEditor(NAMED_IN_EDITOR),
    receipt: inEditor(LATE_IN_EDITOR, 'commands/acp/editor-person.test.ts'),
  },
  'hitl worker': {
    digest: asOthers('a worker'),
    identity: asOthers('a worker'),
    authorship: asOthers('a worker'),
    authenticity: asOthers('a worker'),
    expiry: {
      shown: [
        'sessions/worker.test.ts',
        'keeps what is due by time also where it does not know the agent, and approves nothing by it',
      ],
    },
    quorum: asOthers('a worker'),
    receipt: asOthers('a worker'),
  },
  'hitl tick': {
    digest: asOthers('a tick'),
    identity: asOthers('a tick'),
    authorship: asOthers('a tick'),
    authenticity: asOthers('a tick'),
    expiry: { shown: ['e2e/tick.sweep.test.ts', 'is kept by an answer that comes later, which is refused'] },
    quorum: asOthers('a tick'),
    receipt: asOthers('a tick'),
  },
  library: rowOf(library),
  'row of PostgreSQL': rowOf(rows),
} as const satisfies Readonly<Record<string, Row>>;

const LAWS: readonly LawName[] = [
  ...(['digest', 'identity', 'authorship', 'authenticity', 'expiry', 'quorum', 'receipt'] as const),
];

const TESTS = join(import.meta.dirname, '..');

test('every door has a cell for every law', () => {
  expect(Object.keys(DOORS)).toHaveLength(15);
  for (const row of Object.values(DOORS)) expect(Object.keys(row).sort()).toEqual([...LAWS].sort());
});

describe.for(Object.entries<Row>(DOORS))('the door %s', ([door, row]) => {
  test.for(LAWS)('%s', async (law, { skip }) => {
    skip(door === 'row of PostgreSQL' && !hasDatabases, NOT_INSTALLED.cannot);
    skip(door === 'terminal' && process.platform === 'win32', 'there is no such terminal on Windows');
    const cell = row[law];
    if (typeof cell === 'function') return cell();
    if ('shown' in cell) {
      const [file, title] = cell.shown;
      expect(readFileSync(join(TESTS, file), 'utf8')).toContain(`'${title}'`);
      return;
    }
    skip(true, cell.cannot);
  });
});
