import { describe, expect, test } from 'vitest';

import { judgeCall, readRule } from '../../../src/core/index.js';

function says(effect: 'allow' | 'deny', rule: string, host: string): boolean {
  const read = readRule(effect, `fetch_url ${rule}`, 'f', { folder: '/w', home: '/h' });
  expect(read.problem).toBeUndefined();
  return judgeCall([read], { name: 'fetch_url', input: {}, payload: { facts: { host } } })?.effect === effect;
}

/** A host of a rule, the host of a call, and whether a rule denies and allows it. */
const TABLE: readonly (readonly [rule: string, host: string, denies: boolean, allows: boolean])[] = [
  ['evil.com', 'evil.com', true, true],
  ['evil.com', 'evil.com:8080', true, false],
  ['evil.com', 'EVIL.com.', true, true],
  ['evil.com', 'evil.com.:8080', true, false],
  ['evil.com.', 'evil.com', true, true],
  ['evil.com', 'sub.evil.com', false, false],
  ['evil.com', 'notevil.com', false, false],
  ['*.bad.org', 'a.bad.org:8080', true, false],
  ['*.bad.org', 'a.bad.org.:8080', true, false],
  ['*.bad.org', 'bad.org', false, false],
  ['port.com:8080', 'port.com:8080', true, true],
  ['port.com:8080', 'port.com.:8080', true, true],
  ['port.com:8080', 'port.com', false, false],
  ['port.com:8080', 'port.com:8081', false, false],
  ['port.com:443', 'port.com', true, true],
  ['port.com:443', 'port.com:8080', false, false],
  ['port.com:80', 'port.com', true, false],
  ['xn--bcher-kva.example', 'bücher.example', true, true],
  ['10.1.2.3', '0x0a.1.515', true, true],
  ['10.1.2.3', '[::ffff:10.1.2.3]', true, true],
  ['10.1.2.3', '[::ffff:a01:203]:8080', true, false],
  ['127.0.0.1', 'localhost', true, false],
  ['127.0.0.1', 'localhost:3000', true, false],
  ['127.0.0.1', 'app.localhost.', true, false],
  ['127.0.0.1', '0', true, false],
  ['127.0.0.1', '0.0.0.0:80', true, false],
  ['127.0.0.1', '[::1]', true, false],
  ['127.0.0.1', '[::]', true, false],
  ['127.0.0.1', '[::ffff:127.0.0.1]', true, true],
  ['127.0.0.1', '2130706433', true, true],
  ['127.0.0.1', '127.1', true, true],
  ['localhost', '127.8.8.8:9', true, false],
  ['localhost:3000', '127.0.0.1:3000', true, false],
  ['localhost:3000', '127.0.0.1:4000', false, false],
  ['[::1]', '127.0.0.1', true, false],
];

describe('a host is compared in one spelling', () => {
  test.for(TABLE)('a rule about %s and a call to %s', ([rule, host, denies, allows]) => {
    expect({ denies: says('deny', rule, host), allows: says('allow', rule, host) }).toEqual({
      denies,
      allows,
    });
  });
});
