import { attacks } from './attacks.js';
import { ledgerModule, ledgerOf, SH } from './tools.js';
import { modelSays } from './tools.js';
import { broken, held, heldUnless, premise } from './verdict.js';
import type { World } from './world.js';

/** Asks about one call of a tool of a module without a terminal, and gives what is shown. */
async function questionAbout(world: World, input: unknown): Promise<string> {
  const module = ledgerModule(world, SH, 'sh.mjs');
  const ran = await world.run(['chat', '-m', world.calling('sh', input), '-t', module, '-p', 'go']);
  premise(ran.status === 3, `nothing was asked: status ${String(ran.status)}, ${ran.stderr}`);
  return ran.stderr;
}

attacks('Letters, numbers and names that are taken for others', [
  {
    id: 'X7',
    tried: 'right-to-left letters without a control character: the warnings of the question',
    run: async (world) => {
      const shown = await questionAbout(world, { path: 'שלום/abc.txt' });
      return /bidi|right-to-left/iu.test(shown) ? held('it warns') : broken('no word about the direction');
    },
  },
  {
    id: 'X8',
    tried: 'a Latin letter in a Cyrillic word, and full-width letters: what the warnings name',
    run: async (world) => {
      const mixed = await questionAbout(world, { name: 'аррlе' });
      const wide = await questionAbout(world, { name: 'ｒｍ' });
      return heldUnless(
        [
          ...(/U\+04(30|40|35)/iu.test(mixed) ? [] : ['the Cyrillic letters are not named']),
          ...(/U\+FF52|full-?width/iu.test(wide) ? [] : ['the full-width letters are not named']),
        ],
        'named',
      );
    },
  },
  {
    id: 'X9',
    tried: 'a tool that is called __proto__',
    run: async (world) => {
      const module = ledgerModule(
        world,
        SH.replace("name: 'sh'", "name: '__proto__'").replace('needsApproval: true,', ''),
        'sh.mjs',
      );
      const ran = await world.run(['chat', '-m', world.calling('__proto__', {}), '-t', module, '-p', 'go']);
      return ledgerOf(world).length > 0
        ? broken('it is offered, and ran')
        : held(`status ${String(ran.status)}: ${ran.stderr}`);
    },
  },
  {
    id: 'X10',
    tried: 'an input with constructor.prototype',
    run: async (world) => {
      const module = ledgerModule(world, SH, 'sh.mjs');
      const ran = await world.run([
        'chat',
        '-m',
        world.calling('sh', { constructor: { prototype: { polluted: 1 } } }),
        '-t',
        module,
        '-p',
        'go',
      ]);
      return ran.status === 3 ? broken('it is offered for approval') : held(`status ${String(ran.status)}`);
    },
  },
  {
    id: 'X11',
    tried: 'a number of 22 digits in a question',
    run: async (world) => {
      const shown = await questionAbout(world, { amount: 1e21 });
      return shown.includes('1000000000000000000000')
        ? held('shown with all its digits')
        : broken('shown as 1e+21');
    },
  },
  {
    id: 'X12',
    tried: 'the characters \\u{1B} typed by the model, and a real escape: whether they look alike',
    run: async (world) => {
      const typed = (await modelSays(world, 'one \\u{1B}[2J two')).find((row) => row.includes('two'));
      const real = (await modelSays(world, 'one \u001b[2J two')).find((row) => row.includes('two'));
      premise(typed !== undefined && real !== undefined, 'not shown');
      return typed === real ? broken(`both are shown as ${typed}`) : held(`${typed} and ${real}`);
    },
  },
]);
