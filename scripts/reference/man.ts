import type { CommandUnknownOpts as Command } from '@commander-js/extra-typings';

import { EXIT_STATUSES } from '../../commands/exit/exit-codes.js';

/** The man page, made from the commands as they are declared. */
export function manPage(program: Command): string {
  const shown = program.commands.filter((command) => !command.name().startsWith('__'));
  return [
    '.TH HITL 1 "" "hitl" "User commands"',
    '.SH NAME',
    `hitl \\- ${roff(program.description())}`,
    '.SH SYNOPSIS',
    '.B hitl',
    '\\fIcommand\\fR [\\fIoptions\\fR]',
    '.SH COMMANDS',
    ...shown.flatMap((command) => [command, ...command.commands]).flatMap((command) => entry(command)),
    '.SH EXIT STATUS',
    ...Object.entries(EXIT_STATUSES).flatMap(([status, text]) => ['.TP', status, roff(text)]),
    '.SH SEE ALSO',
    'hitl \\fIcommand\\fR \\-\\-help, hitl help answers, hitl demo',
    '',
  ].join('\n');
}

function entry(command: Command): readonly string[] {
  const parent = command.parent?.parent === null ? '' : `${command.parent?.name() ?? ''} `;
  const words = command.registeredArguments.map((argument) => {
    const word = `\\fI${roff(argument.name())}\\fR${argument.variadic ? '...' : ''}`;
    return argument.required ? word : `[${word}]`;
  });
  const flags = command.options.flatMap(({ flags: flag, description, argChoices }) => {
    const values = argChoices === undefined ? '' : `: ${argChoices.join(', ')}`;
    return ['.TP', `.B ${roff(flag)}`, roff(`${description}${values}`)];
  });
  return [
    `.SS ${[`${roff(parent)}${roff(command.name())}`, ...words].join(' ')}`,
    roff(command.description()),
    ...flags,
  ];
}

/** Text that roff prints as it is: no command at the head of a line, no escape, minus signs that can be copied. */
function roff(text: string): string {
  return text.replaceAll('\\', '\\e').replaceAll('-', '\\-').replace(/^[.']/u, '\\&$&');
}
