import type { JsonValue } from '../../../src/core/index.js';
import type { Rule } from './rule.js';
import { oneCall } from './rule.js';
import { block, memberOf, valueText } from './say.js';
import type { DoneCall } from './turn.js';

const TOOL = 'run_command';

function commandOf(said: string): string | undefined {
  const match =
    /^(?:\$\s+|!)(?<command>.+)$/su.exec(said) ??
    /^(?:run|execute|exec)\b(?:\s+(?:the\s+)?(?:shell\s+)?command\b)?:?\s+(?<command>.+)$/isu.exec(said);
  const text = match?.groups?.['command']?.trim();
  if (text === undefined || text === '') return undefined;
  const quoted = /^(?<quote>["'`])(?<inner>.*)\k<quote>[.!?]?$/su.exec(text)?.groups?.['inner'];
  // A question mark at the end of a sentence is not part of a command; one in the middle may be.
  return quoted ?? text.replace(/\?$/u, '').trim();
}

function ran(call: DoneCall, asked: string): string {
  const command = memberOf(call.input, 'command') ?? memberOf(call.input, 'argv') ?? asked;
  return `\`${valueText(command)}\``;
}

function ending(output: JsonValue): string {
  const signal = memberOf(output, 'signal');
  const status = memberOf(output, 'exitCode', 'status', 'code');
  if (typeof signal === 'string') return `was ended by ${signal}`;
  return status === undefined ? 'ended' : `ended with status ${valueText(status)}`;
}

function report(call: DoneCall, asked: string): string {
  const { output } = call;
  const name = ran(call, asked);
  if (typeof output === 'string') return `${name} printed:\n${block(output)}`;
  if (memberOf(output, 'exitCode', 'status', 'code', 'output', 'stdout') === undefined) {
    return `${name} gave: ${valueText(output)}`;
  }
  const printed = [memberOf(output, 'stdout', 'output'), memberOf(output, 'stderr')]
    .map((text) => (typeof text === 'string' ? text : ''))
    .filter((text) => text.trim() !== '')
    .map((text) => block(text));
  const notes = memberOf(output, 'notes');
  const noted = notes === undefined ? '' : ` (${valueText(notes)})`;
  const said = printed.length === 0 ? 'printed nothing.' : `printed:\n${printed.join('\n')}`;
  return `${name} ${ending(output)}${noted} and ${said}`;
}

/** Runs a command and shows what it printed. */
export const commandRule: Rule = (said) => {
  const command = commandOf(said);
  if (command === undefined) return undefined;
  return oneCall({
    tool: TOOL,
    input: { command },
    before: `I run \`${command}\`.`,
    what: `the command \`${command}\``,
    report: (call) => report(call, command),
  });
};
