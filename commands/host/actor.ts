import { readFileSync, readlinkSync } from 'node:fs';
import { userInfo } from 'node:os';
import { isatty } from 'node:tty';
import type { Actor } from '../../src/core/index.js';
import { assertNever, isActor, isoTime, UNKNOWN_ACTOR } from '../../src/core/index.js';
import type { Io } from './io.js';

/** The person who sits at this terminal, as the journal names them. */
export function personHere(io: Io, via: 'terminal' | 'answer'): Actor {
  return { type: 'person', name: userName(), via, pid: io.pid };
}

/** The person who asks for what a session does: whoever the system says runs this. */
export function requesterHere(): Actor {
  return { type: 'person', name: userName(), via: 'terminal' };
}

/** The person who answers from here, with what is known of this process: the answer counts in another one. */
export function personElsewhere(io: Io): Actor {
  const pid = process.ppid;
  const startedAt = isoTime(io.clock.now() - process.uptime() * 1000);
  return {
    type: 'person',
    name: userName(),
    via: 'answer',
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

/** The terminal that one of the standard streams is. */
function terminalOf(): string {
  const stream = [0, 1, 2].find((fd) => isatty(fd));
  if (stream === undefined) return 'none';
  try {
    return readlinkSync(`/proc/self/fd/${stream}`);
  } catch {
    return 'a terminal';
  }
}

/** Says what is known of the process of whoever answered elsewhere, for a sentence; not escaped. */
export function provenance(by: Actor): string {
  if (!isActor(by) || by.type !== 'person') return actorName(by);
  const { name, via, host, pid, parent, terminal, startedAt } = by;
  const parts = [
    ...(pid === undefined ? [] : [`process ${pid}`]),
    ...(host === undefined ? [] : [`on ${host}`]),
    ...(parent === undefined ? [] : [`of ${parent.name} (${parent.pid})`]),
    ...(terminal === undefined ? [] : [terminal === 'none' ? 'no terminal' : terminal]),
    ...(startedAt === undefined ? [] : [`began ${startedAt.slice(11, 19)}`]),
  ];
  return parts.length === 0 ? `${name} (${via})` : `${name} (${via}: ${parts.join(', ')})`;
}

/** The user's name; `unknown` where the system knows none. */
export function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return 'unknown'; // a user id without an entry in the user database
  }
}

/** Says who decided, in words; text from outside is not escaped. */
function actorName(by: Actor): string {
  if (!isActor(by)) return UNKNOWN_ACTOR;
  switch (by.type) {
    case 'person':
      return `${by.name} (${by.via})`;
    case 'script':
      return by.place === undefined ? by.name : `${by.name}, ${by.place}`;
    case 'rule':
      return `rule \`${by.rule}\``;
    case 'clock':
      return 'the clock';
    default:
      return assertNever(by);
  }
}
