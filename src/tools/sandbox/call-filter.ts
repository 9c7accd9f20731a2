// Invariants:
// S1 A command that only reads makes no socket that leaves its sandbox, reads no key ring, and makes no name space.
// S2 What the filter does not know is refused: another architecture, or the second set of numbers of x86-64.

/** System call numbers of an architecture, from the tables of the Linux kernel. */
interface Calls {
  /** `AUDIT_ARCH_…` of `linux/audit.h`. */
  readonly audit: number;
  readonly socket: number;
  readonly refused: readonly number[];
  /** First number of a second set of the same system calls. */
  readonly secondSet?: number;
}

/** System calls that have the same number on all newer architectures. */
const NEW = {
  ioUringSetup: 425,
  openTree: 428,
  moveMount: 429,
  fsopen: 430,
  mountSetattr: 442,
} as const;

const ARCHITECTURES: Readonly<Record<string, Calls>> = {
  x64: {
    audit: 0xc000003e,
    socket: 41,
    // ptrace, syslog, pivot_root, chroot, mount, umount2, add_key, request_key, keyctl, unshare, perf_event_open, setns,
    // process_vm_readv, process_vm_writev, bpf, userfaultfd
    refused: [
      101,
      103,
      155,
      161,
      165,
      166,
      248,
      249,
      250,
      272,
      298,
      308,
      310,
      311,
      321,
      323,
      ...Object.values(NEW),
    ],
    secondSet: 0x40000000,
  },
  arm64: {
    audit: 0xc00000b7,
    socket: 198,
    refused: [
      117,
      116,
      41,
      51,
      40,
      39,
      217,
      218,
      219,
      97,
      241,
      268,
      270,
      271,
      280,
      282,
      ...Object.values(NEW),
    ],
  },
};

/**
 * Socket families that do not give access to anything outside the sandbox, because its only network is its
 * own loopback interface: IPv4, IPv6 and netlink.
 */
const OWN_FAMILIES: readonly number[] = [2, 10, 16];

// Instructions of classic BPF and answers of seccomp. Source: `linux/bpf_common.h`, `linux/seccomp.h`.
const LOAD = 0x20;
const IF_EQUAL = 0x15;
const IF_AT_LEAST = 0x35;
const ANSWER = 0x06;
const ALLOWED = 0x7fff0000;
const REFUSED = 0x00050000 | 1; // EPERM

/** Offsets in `struct seccomp_data`. */
const AT = { call: 0, audit: 4, firstArgument: 16 } as const;

interface Instruction {
  readonly code: number;
  readonly value: number;
  /** Number of instructions to skip if the comparison is true, and if it is false. */
  readonly skip?: readonly [number, number];
}

/**
 * Returns the system call filter for read-only commands, in the form that bubblewrap's `--seccomp` accepts.
 * Returns `undefined` for an architecture whose call numbers are not listed.
 */
export function callFilter(architecture: string): Uint8Array | undefined {
  if (!Object.hasOwn(ARCHITECTURES, architecture)) return undefined;
  const calls = ARCHITECTURES[architecture];
  return calls === undefined ? undefined : encoded(instructionsOf(calls));
}

function instructionsOf({ audit, socket, refused, secondSet }: Calls): readonly Instruction[] {
  const answer = (value: number): Instruction => ({ code: ANSWER, value });
  const refuseIf = (code: number, value: number): readonly Instruction[] => [
    { code, value, skip: [0, 1] },
    answer(REFUSED),
  ];
  return [
    { code: LOAD, value: AT.audit },
    { code: IF_EQUAL, value: audit, skip: [1, 0] },
    answer(REFUSED), // S2
    { code: LOAD, value: AT.call },
    ...(secondSet === undefined ? [] : refuseIf(IF_AT_LEAST, secondSet)),
    ...refused.flatMap((call) => refuseIf(IF_EQUAL, call)),
    { code: IF_EQUAL, value: socket, skip: [1, 0] },
    answer(ALLOWED),
    { code: LOAD, value: AT.firstArgument },
    ...OWN_FAMILIES.flatMap((family): Instruction[] => [
      { code: IF_EQUAL, value: family, skip: [0, 1] },
      answer(ALLOWED),
    ]),
    answer(REFUSED), // S1
  ];
}

/** Size of one `struct sock_filter`, in bytes. */
const SIZE = 8;

/** Encodes instructions. All supported architectures are little-endian. */
function encoded(instructions: readonly Instruction[]): Uint8Array {
  const bytes = Buffer.alloc(instructions.length * SIZE);
  for (const [index, { code, value, skip = [0, 0] }] of instructions.entries()) {
    const at = index * SIZE;
    bytes.writeUInt16LE(code, at);
    bytes.writeUInt8(skip[0], at + 2);
    bytes.writeUInt8(skip[1], at + 3);
    bytes.writeUInt32LE(value, at + 4);
  }
  return bytes;
}
