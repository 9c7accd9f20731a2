import type { Actor } from '../../../src/core/index.js';
import { escapeText, HitlError, sessionRuleText, shown, joined } from '../../../src/core/index.js';
import { keep } from '../../../src/repl/index.js';
import type { Mode } from '../../flags/index.js';
import { personHere, userName } from '../../host/index.js';
import type { Io } from '../../host/index.js';
import type { SlashHandler } from '../context.js';

/**
 * `/rules` shows what was approved for the rest of the session; `/rules remove <tool>` takes it back.
 * @throws HitlError BAD_INPUT for anything else.
 */
export const rules: SlashHandler = async (argument, { io, session, renderer, mode }, print) => {
  const approved = [...new Set(session.state.rules.map(({ tool }) => tool))];
  if (argument === '') {
    const listed = [...new Set(session.state.rules.map((rule) => escapeText(sessionRuleText(rule))))];
    print(listed.length === 0 ? shown`nothing is approved for the rest of this session` : joined(listed));
    print(shown`those of the configuration: hitl rules`);
    return;
  }
  const [verb, tool, ...more] = argument.split(/\s+/u);
  if (verb === 'remove' && tool !== undefined && more.length === 0 && approved.includes(tool)) {
    await keep([{ type: 'rule-removed', tool, by: actorOf(io, mode) }], session, renderer);
    return;
  }
  const isRemoval = verb === 'remove' && tool !== undefined;
  const message = isRemoval ? `there is no rule for \`${tool}\`` : `unknown: \`/rules ${argument}\``;
  throw new HitlError('BAD_INPUT', message, { hint: 'take one back with `/rules remove <tool>`' });
};

function actorOf(io: Io, { interactive }: Mode): Actor {
  return interactive ? personHere(io, 'terminal') : { type: 'script', name: userName(), via: 'stdin' };
}
