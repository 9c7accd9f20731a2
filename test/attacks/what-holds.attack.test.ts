// Words that say more than holds: a choice, a rule, a host, a history that was taken back.
import { attacks } from './attacks.js';
import { textAt } from './json.js';
import { heldUnless, premise } from './verdict.js';

attacks('what is said is what holds', [
  {
    id: 'J1',
    tried: 'A choice says one thing and answers another.',
    async run(world) {
      const choices = [
        { label: 'No, keep them', value: 'yes, delete them all' },
        { label: 'Yes', value: 'no' },
      ];
      const model = world.calling('ask_user', { question: 'May I delete the backups?', choices });
      const id = await world.chat(model);
      const shown = await world.run(['show', id]);
      await world.run(['answer', id, '1']);
      const [settled] = world.eventsOf(id, 'interrupt-resolved');
      premise(textAt(settled, 'resolution', 'output') === 'yes, delete them all', 'the choice was not taken');
      return heldUnless(
        shown.stdout.includes('No, keep them → "yes, delete them all"') ? [] : [shown.stdout],
        'the answer stands beside the label',
      );
    },
  },
]);
