import type { Command } from 'commander';
import { HitlError, laidOut, meantHint, nearNames } from '../../src/core/index.js';
import { HELP_TOPICS } from '../help/help-topics.js';
import { helpColumns } from '../help/help-columns.js';
import type { Io } from '../host/index.js';
import { tell } from '../host/index.js';

/**
 * Tells a topic of `hitl help <topic>` that is no command; false where it is one, or none was named.
 * @throws HitlError USAGE where there is no help on a thing.
 */
export function tellTopic(io: Io, [, name = '']: readonly string[], program: Command): boolean {
  const topic = Object.hasOwn(HELP_TOPICS, name) ? HELP_TOPICS[name] : undefined;
  if (topic !== undefined) {
    const text = topic.text(program, helpColumns(io.stdout));
    tell(io.stdout, laidOut(text.trimEnd()));
    return true;
  }
  if (name !== '') checkTopic(name, program);
  return false;
}

/** @throws HitlError USAGE where there is no help on a thing. */
function checkTopic(name: string, { commands }: Command): void {
  const names = [
    ...commands.flatMap((command) => [command.name(), ...command.aliases()]),
    ...Object.keys(HELP_TOPICS),
  ];
  if (name.startsWith('-') || names.includes(name)) return;
  const topics = Object.keys(HELP_TOPICS).join(', ');
  throw new HitlError('USAGE', `there is no help on \`${name}\``, {
    hint: meantHint(nearNames(name, names).slice(0, 1), `the topics are: ${topics}`),
  });
}
