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

const ANSWERS = `Answers on stdin, as arguments of \`hitl answer\`, and in --answers files:

  y, yes, approve           run it as shown
  e {json}, e +{json}       run it with this input (+ merges into the original)
  n [reason]                don't run it, and tell the model why
  a {json or text}          don't run it; use this as the result
  c [reason]                don't run it, and tell the model you cancelled
  always                    run it, and don't ask again for exactly this call
  retry                     in doubt, or after an error: run it again
  extend n                  raise the limit by n (for a time limit: 90s, 5m, 2h)
  {"action":…}              full form, see schemas/answer.schema.json

At a question, any other input is the answer: text, or the number or value of a
choice (1,3 for several). End of input is not an approval: the session is
saved, and the exit status is 3.
`;

/** The topics of `hitl help`, other than commands. */
export const HELP_TOPICS: Readonly<Record<string, HelpTopic>> = {
  commands: { what: 'all commands, with descriptions', text: commandsHelp },
  'exit-codes': { what: 'exit statuses and their meanings', text: () => `${exitCodesText()}\n` },
  answers: { what: 'answers in scripts and on stdin', text: () => ANSWERS },
  configuration: { what: 'configuration files and keys', text: (_, columns) => configurationHelp(columns) },
  environment: { what: 'environment variables', text: (_, columns) => environmentHelp(columns) },
};
