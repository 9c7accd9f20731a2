import type { Command } from 'commander';
import { exitCodesText } from '../exit/exit-codes.js';
import { commandsHelp } from './root-help.js';
import { configurationHelp, environmentHelp } from './settings-topics.js';

/** A page of `hitl help <topic>` that is about no single command. */
export interface HelpTopic {
  /** The subject of the page, in a few words. */
  readonly what: string;
  readonly text: (program: Command, columns: number) => string;
}

const ANSWERS = `Lines of stdin, the words of \`hitl answer\` and entries of --answers say alike:

  y, yes, approve           run it as shown
  e {json}, e +{json}       run it with this input; + merges into what was shown
  n [reason]                do not run it; the model is told the reason
  a {json or text}          this is the result, nothing runs
  c [reason]                never run it
  always                    run it, and exactly this call again, unasked
  retry                     in doubt, or after an error: run it again
  extend n                  at a limit: so much more; a time is 90s, 5m, 2h
  {"action":…}              the resolution itself: schemas/answer.schema.json

At a question anything else is the answer: a text, the number or the value of a
choice, and for several of them 1,3. End of input approves nothing: the session
is saved, and the status is 3.
`;

/** The topics of \`hitl help\` beside the commands. */
export const HELP_TOPICS: Readonly<Record<string, HelpTopic>> = {
  commands: { what: 'every command, with what it does', text: commandsHelp },
  'exit-codes': { what: 'what the exit statuses mean', text: () => `${exitCodesText()}\n` },
  answers: { what: 'how a script or a line answers a question', text: () => ANSWERS },
  configuration: { what: 'files and their keys', text: (_, columns) => configurationHelp(columns) },
  environment: { what: 'variables that are read', text: (_, columns) => environmentHelp(columns) },
};
