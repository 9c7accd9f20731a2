import type { Interrupt } from '../../core/index.js';
import { answered, BACK, saying } from '../prompt/prompter.js';
import { askChoice } from '../prompt/choice-prompt.js';
import type { Asked, Prompter } from '../prompt/prompter.js';
import { oneLineOf } from '../question/question-plain.js';
import type { Alike } from './alike.js';
import { alike } from './alike.js';

/** The question that a person wants to answer next. */
export type Picked =
  { readonly type: 'one'; readonly interrupt: Interrupt } | { readonly type: 'alike'; readonly group: Alike };

/** Shows every open interrupt as a numbered list, to be answered in any order. */
export async function pickInterrupt(prompter: Prompter, open: readonly Interrupt[]): Promise<Asked<Picked>> {
  const { terminal, theme } = prompter;
  const groups = alike(open);
  const title = theme.title(`${open.length} questions are open`);
  const asked = await askChoice(
    saying(prompter, () => [title]),
    {
      message: 'Which one first?',
      rows: [
        ...open.map((interrupt) => ({ label: oneLineOf(interrupt, Math.max(30, terminal.columns - 8)) })),
        ...groups.map((group) => ({ label: `the same for all ${group.label}: shows each of them first` })),
      ],
      multiple: false,
    },
  );
  const [index] = asked.type === 'back' ? [] : asked.value;
  if (index === undefined) return BACK;
  const interrupt = open[index];
  if (interrupt !== undefined) return answered({ type: 'one', interrupt });
  const group = groups[index - open.length];
  return group === undefined ? BACK : answered({ type: 'alike', group });
}
