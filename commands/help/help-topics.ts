import type { CommandUnknownOpts as Command } from '@commander-js/extra-typings';
import { exitCodesText } from '../exit/exit-codes.js';
import { commandsHelp } from './root-help.js';
import { configurationHelp, environmentHelp } from './settings-topics.js';

/** A page of `hitl help <topic>` that does not describe a single command. */
export interface HelpTopic {
  /** Short description of the page. */
  readonly what: string;
  readonly text: (program: Command, columns: number) => string;
}

const ANSWERS = `Lines of stdin, arguments of \`hitl answer\` and entries of --answers:

  y, yes, approve           run it as shown
  e {json}, e +{json}       run it with this input (+ merges it into the input)
  n [reason]                don't run it, and tell the model why
  a {json or text}          don't run it; this is the result
  c [reason]                don't run it, and tell the model you cancelled
  always                    run it, and don't ask again for exactly this call
  retry                     in doubt, or after an error: run it again
  extend n                  raise the limit by n; a time is 90s, 5m, 2h
  {"action":…}              full form, see schemas/answer.schema.json

At a question anything else is the answer: a text, the number or the value of a
choice, and for several of them 1,3. End of input approves nothing: the session
is saved, and the status is 3.
`;

/** The topics of `hitl help`, other than commands. */
export const HELP_TOPICS: Readonly<Record<string, HelpTopic>> = {
  commands: { what: 'all commands, with descriptions', text: commandsHelp },
  'exit-codes': { what: 'meaning of the exit statuses', text: () => `${exitCodesText()}\n` },
  answers: { what: 'answers in scripts and on stdin', text: () => ANSWERS },
  configuration: { what: 'configuration files and keys', text: (_, columns) => configurationHelp(columns) },
  environment: { what: 'environment variables', text: (_, columns) => environmentHelp(columns) },
};
