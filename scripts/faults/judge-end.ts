import { audit } from './audit.js';
import type { KillWorld } from './kill-world.js';
import type { Ledger } from './life.js';
import { live } from './life.js';

/** Begins the session, types the message again that nobody confirmed, or goes on. */
export async function nextArgs(world: KillWorld): Promise<readonly string[]> {
  const id = await world.id();
  if (id === undefined) return ['chat', '-p', 'go'];
  const events = await world.events(id);
  const isTyped = events.some(({ event }) => event.type === 'message-added');
  return isTyped ? ['resume', id] : ['resume', id, '-p', '--message', 'go'];
}

/** The end holds: the oracle finds nothing, and resuming again adds nothing but that the session was opened. */
export async function judgeEnd(world: KillWorld, ledger: Ledger): Promise<readonly string[]> {
  const first = await audit(world, ledger, 'ended');
  const id = await world.id();
  if (first.length > 0 || id === undefined) return first;
  const before = await world.journal(id);
  const effects = JSON.stringify(world.effects());
  const again = await live(world, { args: ['resume', id, '-p'], ledger });
  const after = await world.journal(id);
  const added = (await world.events(id)).slice(before.toString('latin1').split('\n').length - 1);
  const problems: string[] = [];
  if (again.status !== 0) problems.push(`resuming again ended with status ${again.status}: ${again.stderr}`);
  if (!after.subarray(0, before.length).equals(before)) problems.push('resuming again changed the journal');
  const foreign = added.filter(({ event }) => event.type !== 'session-opened');
  if (foreign.length > 0) problems.push(`resuming again added ${JSON.stringify(foreign)}`);
  if (JSON.stringify(world.effects()) !== effects) problems.push('resuming again had effects');
  return [...problems, ...(await audit(world, ledger, 'ended'))];
}
