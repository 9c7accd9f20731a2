import type { Interrupt, Resolution, RunState } from '../core/index.js';
import { askKey } from './prompt/key-prompt.js';
import type { Asked, Prompter } from './prompt/prompter.js';
import { answered } from './prompt/prompter.js';
import { questionRows } from './terminal-question.js';
import { questionView } from './question-text.js';

/** What was decided about one interrupt. */
export interface Decision {
  readonly resolution: Resolution;
  readonly always?: boolean;
}

/** Shows one interrupt and asks what to do about it. */
export async function askInterrupt(
  prompter: Prompter,
  interrupt: Interrupt,
  state: RunState,
  options: { readonly open: readonly Interrupt[] },
): Promise<Asked<Decision>> {
  const { terminal, theme, clock } = prompter;
  const view = questionView(interrupt, state, { open: options.open, now: clock.now() });
  const rows = [theme.title(view.heading), ...questionRows(view.lines, terminal.columns, theme)];
  terminal.write(`${rows.join('\r\n')}\r\n`);
  const asked = await askKey<Decision>(prompter, {
    message: 'Your decision:',
    choices: [
      { key: 'y', label: 'approve', value: { resolution: { action: 'restart' } } },
      { key: 'n', label: 'reject', value: { resolution: { action: 'reject' } } },
      { key: 'c', label: 'cancel', value: { resolution: { action: 'cancel' } } },
    ],
  });
  return asked.type === 'back' ? asked : answered(asked.value);
}
