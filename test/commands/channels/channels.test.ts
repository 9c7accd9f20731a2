import { chmodSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { describe, expect, test } from 'vitest';

import { configuredChannels } from '../../../commands/channels/channels.js';
import { temporaryFolder } from '../../sessions/temporary-store.js';

const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const nobody = () => Promise.reject(new Error('nothing is posted'));

function read(entry: object, env: Record<string, string> = {}, cwd = '/nowhere') {
  return configuredChannels({ env, cwd, home: cwd }, { channels: { ops: entry } }, nobody).channels;
}

const webhook = { type: 'webhook', url: 'https://hooks.example.com/', secret: { env: 'OPS' } };

describe('channels of a configuration', () => {
  test('A receiver is made where its secret is in a variable or in a file of its owner alone.', () => {
    const folder = temporaryFolder();
    const file = path.join(folder, 'ops.secret');
    writeFileSync(file, `${SECRET}\n`, { mode: 0o600 });
    expect(read(webhook, { OPS: SECRET })).toMatchObject([{ name: 'ops', tellsResolved: false }]);
    expect(read({ ...webhook, secret: { file: '~/ops.secret' }, resolved: true }, {}, folder)).toMatchObject([
      { name: 'ops', tellsResolved: true },
    ]);
    chmodSync(file, 0o644);
    expect(() => read({ ...webhook, secret: { file } }, {}, folder)).toThrow('is readable by other users');
  });

  test.each<[string, object, string]>([
    ['names a variable that is not set', webhook, 'environment variable `OPS` is not set'],
    // The configuration counts in every folder: one that somebody else made could bring a file of that name.
    [
      'names a file of whatever folder it is used in',
      { ...webhook, secret: { file: 'ops.secret' } },
      'secret',
    ],
    ['has no secret', { ...webhook, secret: undefined }, 'secret.0: '],
    ['is of an unknown type', { ...webhook, type: 'pigeon' }, '`type` must be'],
    ['has a word too many', { ...webhook, redirects: true }, 'redirects'],
    ['has no address', { ...webhook, url: 'hooks.example.com' }, 'url: must be a URL'],
    ['is in Slack and says not where', { type: 'slack' }, 'either `url`, or `token` and `channel`'],
    [
      'has the address of Slack in it',
      { type: 'slack', url: 'https://hooks.slack.com/x' },
      'url: secrets must not',
    ],
    ['allows what is no range', { ...webhook, allow: ['10.0.0.0/99'] }, 'allow: '],
  ])('One that %s is refused.', (_title, entry, why) => {
    expect(() => read(entry)).toThrow(
      expect.objectContaining({
        code: 'BAD_CONFIG',
        message: expect.stringContaining(why) as string,
      }) as Error,
    );
  });

  test('A receiver may say since when it is told.', () => {
    const [channel] = read({ ...webhook, since: '2026-11-23' }, { OPS: SECRET });
    expect(channel).toMatchObject({ name: 'ops', since: Date.UTC(2026, 10, 23) });
    expect(() => read({ ...webhook, since: 'yesterday' }, { OPS: SECRET })).toThrow('since: must be a date');
  });

  test('A secret in the configuration itself is refused, and not repeated.', () => {
    let message = '';
    try {
      read({ ...webhook, secret: SECRET });
    } catch (thrown) {
      message = String(thrown);
    }
    expect(message).toContain('secrets must not be in the configuration');
    expect(message).not.toContain(SECRET.slice(6, 20));
  });
});
