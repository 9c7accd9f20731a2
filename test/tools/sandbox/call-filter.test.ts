import { describe, expect, test } from 'vitest';

import { callFilter } from '../../../src/tools/sandbox/call-filter.js';

const AUDIT = { x64: 0xc000003e, arm64: 0xc00000b7, i386: 0x40000003 };

interface SystemCall {
  readonly call: number;
  readonly audit?: number;
  readonly first?: number;
}

/** Runs a filter as the kernel does. Source: `Documentation/networking/filter.rst`. */
function answer(filter: Uint8Array, { call, audit = AUDIT.x64, first = 0 }: SystemCall): string {
  const program = Buffer.from(filter);
  const data = new Map([
    [0, call],
    [4, audit],
    [16, first],
  ]);
  let loaded = 0;
  for (let at = 0; at < program.length / 8; at += 1) {
    const value = program.readUInt32LE(at * 8 + 4);
    const skip = (holds: boolean) => program.readUInt8(at * 8 + (holds ? 2 : 3));
    switch (program.readUInt16LE(at * 8)) {
      case 0x20:
        loaded = data.get(value)!;
        break;
      case 0x15:
        at += skip(loaded === value);
        break;
      case 0x35:
        at += skip(loaded >= value);
        break;
      case 0x06:
        return value === 0x7fff0000 ? 'allowed' : `refused ${value & 0xffff}`;
      default:
        throw new Error('not an instruction that it uses');
    }
  }
  throw new Error('it ran off its end');
}

describe('the filter of system calls', () => {
  const filter = callFilter('x64')!;

  test.for([
    ['read', 0],
    ['openat', 257],
    ['execve', 59],
    ['clone', 56],
    ['socketpair', 53],
  ] as const)('lets %s through', ([, call]) => {
    expect(answer(filter, { call })).toBe('allowed');
  });

  test.for([
    ['ptrace', 101],
    ['mount', 165],
    ['add_key', 248],
    ['keyctl', 250],
    ['unshare', 272],
    ['setns', 308],
    ['bpf', 321],
    ['io_uring_setup', 425],
    ['the second set of socket', 0x40000000 + 41],
  ] as const)('refuses %s', ([, call]) => {
    expect(answer(filter, { call })).toBe('refused 1');
  });

  test('lets through sockets of its own loopback network, and no other', () => {
    const allowed = Array.from({ length: 50 }, (_, first) => first).filter(
      (first) => answer(filter, { call: 41, first }) === 'allowed',
    );
    expect(allowed).toEqual([2, 10, 16]);
    expect(answer(callFilter('arm64')!, { call: 198, first: 1, audit: AUDIT.arm64 })).toBe('refused 1');
    expect(answer(callFilter('arm64')!, { call: 41, audit: AUDIT.arm64 })).toBe('refused 1');
  });

  test('refuses every call by the numbers of another machine', () => {
    for (const audit of [AUDIT.i386, AUDIT.arm64])
      expect(answer(filter, { call: 0, audit })).toBe('refused 1');
  });

  test.for(['ia32', 'riscv64', 'constructor'])('is not there for %s', (architecture) => {
    expect(callFilter(architecture)).toBeUndefined();
  });
});
