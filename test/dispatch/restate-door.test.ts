import { describe, expect, test } from 'vitest';

import { createRestateDispatcher } from '../../src/restate/index.js';
import { fakeClock } from '../../src/testing/index.js';

/** Works until it listens, and says what the endpoint was made with. */
async function working(options: object): Promise<unknown> {
  const stop = new AbortController();
  let made: unknown;
  const sdk = {
    object: () => ({}),
    createEndpointHandler: (given: unknown) => {
      made = given;
      return () => undefined;
    },
  };
  const registered = (): Promise<Response> => {
    stop.abort();
    return Promise.resolve(new Response());
  };
  const world = { sdk, clock: fakeClock(), ingress: 'http://r:8080', admin: 'http://r:9070' } as const;
  const dispatcher = createRestateDispatcher({ ...world, fetch: registered, ...options });
  await dispatcher.work(() => Promise.resolve(), stop.signal);
  return made;
}

describe('F17: the endpoint that Restate calls', () => {
  test('takes calls that are signed by the keys it is given', async () => {
    const identityKeys = ['publickeyv1_w7YHemBctH5Ck2nQRQ47iBBqhNHy4FV7t2Usbye2A6f'];
    expect(await working({ identityKeys })).toMatchObject({ identityKeys });
  });

  test.each(['0.0.0.0', '::', '10.0.0.5', 'worker.example.org'])(
    'does not listen on %s for anyone',
    async (host) => {
      await expect(working({ host, address: 'http://worker' })).rejects.toMatchObject({
        code: 'BAD_CONFIG',
        message: `listening on ${host} requires identityKeys: anyone who can connect could call this worker`,
        hint: "identityKeys: ['publickeyv1_…'], the public keys of your Restate; or isOpen: true",
      });
    },
  );

  test('listens open where that was said', async () => {
    expect(await working({ host: '0.0.0.0', address: 'http://worker', isOpen: true })).toBeDefined();
  });

  test('needs its address said where the host names every interface', async () => {
    await expect(working({ host: '0.0.0.0', isOpen: true })).rejects.toMatchObject({
      code: 'BAD_CONFIG',
      message: 'a worker on 0.0.0.0 requires address: Restate cannot call that host',
    });
  });

  test('listens on this machine as it did', async () => {
    expect(await working({})).toBeDefined();
  });
});
