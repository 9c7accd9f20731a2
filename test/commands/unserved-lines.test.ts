import { describe, expect, test } from 'vitest';

import { unservedLines } from '../../commands/report/unserved-lines.js';

function lines(why: string): Promise<readonly string[]> {
  const unserved = [{ needs: '3f0c transfer_money', why, sessions: 2 }];
  const workers = { unserved: () => Promise.resolve(unserved) };
  return unservedLines({ capabilities: { workers } } as unknown as Parameters<typeof unservedLines>[0]);
}

describe('what no worker that lives can run', () => {
  test('is told by what is missing', async () => {
    expect(await lines('cannot read the module `deploy.ts`')).toEqual([
      'no worker can run 2 sessions: needs transfer_money',
    ]);
  });

  test('is told as its folder where no worker serves that', async () => {
    expect(await lines('its folder `/srv/pay` is outside the folders served here')).toEqual([
      'no worker can run 2 sessions: its folder `/srv/pay` is outside the folders served here',
    ]);
  });

  test('shows what a row says as what it is', async () => {
    const [line] = await lines('\u001b[2J outside the folders served here');
    expect(line).not.toContain('\u001b');
  });
});
