import { readFileSync, readlinkSync } from 'node:fs';
import { isatty } from 'node:tty';
import type { Actor, Identity, Interrupt, Person } from '../../src/core/index.js';
import { assertNever, isActor, isoTime, UNKNOWN_ACTOR } from '../../src/core/index.js';
import { runProgram } from '../../src/programs/index.js';
import { localIdentity, localUser } from '../../src/library/local-user.js';
import type { Io } from './io.js';

/**
 * Returns the local user as an actor for the journal. The user is at this terminal, or in the editor that
 * started this process.
 */
export function personHere(io: Io, via: 'terminal' | 'answer' | 'editor'): Person {
  return { ...localUser(via), pid: io.pid };
}

/** Returns the user who runs this process, as the person who requests the session's work. */
export function requesterHere(): Person {
  return localUser('terminal');
}

/** Returns the user's identity and groups; empty if the kernel cannot prove an identity. */
export function ownerHere(): { readonly identity?: Identity } {
  const found = localIdentity();
  return found.ok ? { identity: { ...found.identity, groups: groupsHere() } } : {};
}

/** Time limit for the system to return group names, in milliseconds. */
const PATIENCE_MS = 2000;

/** Adds the user's system groups if the question's approvers include a group. */
export function asMember(by: Actor, { approvers }: Pick<Interrupt, 'approvers'>): Actor {
  const isForGroup = approvers?.from?.some((name) => name.startsWith('@')) === true;
  if (!isForGroup || by.type !== 'person' || by.id === undefined) return by;
  return { ...by, groups: groupsHere() };
}

/**
 * Returns the names of this process's groups, as reported by the kernel. Runs `/usr/bin/id`, and never a
 * program from the search path.
 */
function groupsHere(): readonly string[] {
  const { status, stdout } = runProgram(
    'groups',
    { program: '/usr/bin/id', args: ['-Gn'] },
    { timeout: PATIENCE_MS, stdio: ['ignore', 'pipe', 'ignore'] },
  );
  // A system without `id` there vouches for no group.
  return status === 0 ? stdout.split(/\s+/u).filter((name) => name !== '') : [];
}

/**
 * Returns the local user as an actor who uses this process to answer another process's question. Includes
 * details of this process.
 */
export function personElsewhere(io: Io): Actor {
  const pid = process.ppid;
  const startedAt = isoTime(io.clock.now() - process.uptime() * 1000);
  return {
    ...localUser('answer'),
    pid: io.pid,
    parent: { pid, name: nameOfProcess(pid) },
    terminal: terminalOf(),
    startedAt,
  };
}

function nameOfProcess(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/comm`, 'utf8').trim();
  } catch {
    return 'unknown'; // not Linux, or it has ended
  }
}

/** Whether a user can be asked now: a user is at the terminal, and `--no-input` is not set. */
export function isAskable(
  { stdin, stderr }: Pick<Io, 'stdin' | 'stderr'>,
  { input }: { input: boolean },
): boolean {
  return input && stdin.isTTY && stderr.isTTY;
}

/** Whether a local process reads from a terminal; false if unknown. */
export function hasTerminal(pid: number): boolean {
  try {
    return /^\/dev\/(?:pts\/|tty)/u.test(readlinkSync(`/proc/${pid}/fd/0`));
  } catch {
    return false; // not Linux, a process of somebody else, or one that has ended
  }
}

/** Returns the terminal of the first standard stream that has one. */
function terminalOf(): string {
  const stream = [0, 1, 2].find((fd) => isatty(fd));
  if (stream === undefined) return 'none';
  try {
    return readlinkSync(`/proc/self/fd/${stream}`);
  } catch {
    return 'a terminal';
  }
}

/** Describes the process that sent an answer, for use in a sentence. The text is not escaped. */
export function provenance(by: Actor): string {
  if (!isActor(by) || by.type !== 'person') return actorName(by);
  const { name, via, host, pid, parent, terminal, startedAt } = by;
  const parts = [
    ...(pid === undefined ? [] : [`process ${pid}`]),
    ...(host === undefined ? [] : [`on ${host}`]),
    ...(parent === undefined ? [] : [`of ${parent.name} (${parent.pid})`]),
    ...(terminal === undefined ? [] : [terminal === 'none' ? 'no terminal' : terminal]),
    ...(startedAt === undefined ? [] : [`started ${startedAt.slice(11, 19)}`]),
  ];
  return parts.length === 0 ? `${name} (${via})` : `${name} (${via}: ${parts.join(', ')})`;
}

/** Formats the author of a decision. Untrusted text is not escaped. */
function actorName(by: Actor): string {
  if (!isActor(by)) return UNKNOWN_ACTOR;
  switch (by.type) {
    case 'person':
      return `${by.name} (${by.via})`;
    case 'script':
      return by.place === undefined ? by.name : `${by.name}, ${by.place}`;
    case 'rule':
      return `rule \`${by.rule}\``;
    case 'reviewer':
      return `reviewer ${by.name}`;
    case 'clock':
      return 'the clock';
    default:
      return assertNever(by);
  }
}
