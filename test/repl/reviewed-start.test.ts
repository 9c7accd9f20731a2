import { describe, expect, test } from 'vitest';

import type { HumanChannel, Interrupt, MayAllow, Renderer, Session } from '../../src/core/index.js';
import { suspending } from '../../src/core/index.js';
import { firstOf } from '../../src/human/index.js';
import { converse } from '../../src/repl/index.js';
import type { Reviewer } from '../../src/reviewer/index.js';
import { createReviewerChannel, functionReviewer, isInForce } from '../../src/reviewer/index.js';
import { fakeClock } from '../../src/testing/index.js';
import { defineTool, toolSet } from '../../src/tools/index.js';
import { calls, scene } from '../engine/drive.js';
import { userSaid } from '../helpers/events.js';
import { temporaryStore } from '../sessions/temporary-store.js';

const LOW = { risk: 'low', authorized: 'high', decision: 'allow', why: 'asked for' } as const;
const reviewerOf = (name = 'ours', mayAllow: MayAllow = 'low'): Reviewer =>
  functionReviewer(() => Promise.resolve(LOW), { name, mayAllow });

/** A session in mode auto whose model posts; a person is there who leaves each question open. */
async function posting(more: Partial<{ at: string; then: (session: Session) => void }> = {}) {
  const posts: unknown[] = [];
  let looks = 0;
  const post = defineTool(
    {
      ...{ name: 'post', description: 'Posts.', reviewable: true, origin: 'module /m.js' },
      needsApproval: () => {
        looks += 1;
        if (more.at === 'gate' && looks === 2) more.then?.(session);
        return true;
      },
    },
    () => {
      posts.push(1);
      return 'posted';
    },
  );
  const tools = toolSet([post]);
  const agent = { model: 'script', tools: tools.descriptors, mode: 'auto' } as const;
  const session = await temporaryStore().create({ agent });
  await session.append([userSaid('go')]);
  const asked: Interrupt[] = [];
  const person: HumanChannel = {
    interactive: true,
    ask(open) {
      asked.push(...open);
      return Promise.resolve({ type: 'left-open', why: 'away' });
    },
  };
  const renderer: Renderer = {
    event: ({ type }) => {
      if (type === more.at) more.then?.(session);
    },
    transient: () => undefined,
    notice: () => undefined,
    pause: () => undefined,
    stopped: () => undefined,
  };
  const goOn = (reviewer: Reviewer, signal = new AbortController().signal) =>
    converse(
      {
        session,
        renderer,
        run: {
          ...scene({ replies: [calls(['post', {}]), 'done'] }),
          tools,
          reviewedBy: isInForce(reviewer, session),
        },
        channel: firstOf(
          createReviewerChannel({
            reviewer,
            clock: fakeClock(),
            isOn: ({ agent: now }) => now?.mode === 'auto',
          }),
          person,
        ),
      },
      signal,
    );
  return { posts, asked, session, goOn, agent };
}

/** As Shift-Tab does it: the event is in the session before it is durable. */
function leaveAuto(session: Session): void {
  const { agent } = session.state;
  if (agent === undefined) throw new Error('no agent');
  const { mode: _auto, ...ask } = agent;
  void session.append([{ type: 'agent-changed', agent: ask }]);
}

describe('the yes of a reviewer', () => {
  test('starts the call in mode auto', async () => {
    const { posts, goOn, asked } = await posting();
    expect([(await goOn(reviewerOf())).type, posts, asked]).toEqual(['ended', [1], []]);
  });

  test.for(['reviewed', 'gate'])(
    'becomes a question to the person where the mode is left at `%s`',
    async (at) => {
      const { posts, asked, goOn } = await posting({ at, then: leaveAuto });
      expect([(await goOn(reviewerOf())).type, posts, asked.length]).toEqual(['waiting', [], 1]);
    },
  );

  test.for([
    ['the same one', reviewerOf(), 1],
    ['another one', reviewerOf('theirs'), 0],
    ['one that may allow more', reviewerOf('ours', 'medium'), 0],
    ['one of another policy', { ...reviewerOf(), policy: 'other' }, 0],
  ] as const)('goes on with %s: %#', async ([, next, count]) => {
    const stop = new AbortController();
    const { posts, asked, goOn } = await posting({
      at: 'gate',
      then: () => {
        stop.abort(suspending(new Error('gone')));
      },
    });
    await goOn(reviewerOf(), stop.signal).catch(() => undefined);
    expect(posts).toEqual([]);
    await goOn(next);
    expect([posts.length, asked.length]).toEqual([count, 1 - count]);
  });
});
