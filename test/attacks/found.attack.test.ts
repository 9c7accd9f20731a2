import { execFileSync } from 'node:child_process';
import { symlinkSync } from 'node:fs';

import { attacks } from './attacks.js';
import { peakMegabytes } from './memory.js';
import type { Verdict } from './verdict.js';
import { broken, held, heldUnless, premise } from './verdict.js';
import type { World } from './world.js';

const FLOW = 'name: x\nend: [a]\nnodes:\n  a: { kind: set, set: { k: 1 } }\n';

function marking(world: World, mark: string): string {
  return `import fs from 'node:fs'; fs.writeFileSync(${JSON.stringify(world.path(mark))}, 'ran'); export const functions = {};\n`;
}

async function partsRun(world: World, ...args: readonly string[]): Promise<Verdict> {
  world.write('proj/g/flow.yaml', FLOW);
  world.write('proj/g/parts.mjs', marking(world, 'parts-ran'));
  const ran = await world.run(args);
  return world.exists('parts-ran')
    ? broken(`\`hitl ${args.join(' ')}\` ran parts.mjs, which nobody named`)
    : held(`not run; status ${String(ran.status)}`);
}

const MOST_MEGABYTES = 700;
const CONFIG_LIMIT_MS = 12_000;

/** Runs commands in a folder whose configuration never ends, or never begins. */
async function boundedConfig(world: World, commands: readonly (readonly string[])[]): Promise<Verdict> {
  const objections: string[] = [];
  for (const args of commands) {
    const program = world.start(args, { input: '', limitMs: CONFIG_LIMIT_MS });
    const peak = await peakMegabytes(program, MOST_MEGABYTES);
    const { wasTooLong } = await program.ended;
    if (peak > MOST_MEGABYTES)
      objections.push(`\`hitl ${args.join(' ')}\` took more than ${String(MOST_MEGABYTES)} MB`);
    else if (wasTooLong) objections.push(`\`hitl ${args.join(' ')}\` hangs`);
  }
  return heldUnless(
    objections,
    `${String(commands.length)} commands ended, each with less than ${String(MOST_MEGABYTES)} MB`,
  );
}

const COMMANDS = [['tools', '-m', 'demo'], ['config'], ['chat', '--no-trust', '-m', 'demo', '-p', 'hi']];

attacks(
  'What is found is not what was named: modules beside a flow, configuration of a folder, what a module imports',
  [
    {
      id: 'H7a',
      tried: '`hitl graph` of a YAML flow with a module beside it',
      run: async (world) => partsRun(world, 'graph', 'g/flow.yaml'),
    },
    {
      id: 'H7b',
      tried: '`hitl run` of a YAML flow with a module beside it',
      run: async (world) => partsRun(world, 'run', 'g/flow.yaml', '-m', 'demo'),
    },
    {
      id: 'H7c',
      tried: '`hitl run` of a folder in which flow.mjs is found',
      run: async (world) => {
        const graph =
          "import { graph } from 'hitl'; export default graph('x').fn('a', () => ({ output: 1 })).end('a').build();\n";
        for (const name of ['flow.ts', 'flow.mjs'])
          world.write(`proj/h-${name.slice(5)}/${name}`, `${marking(world, 'flow-ran')}${graph}`);
        const ran = await world.run(['run', 'h-mjs', '-m', 'demo']);
        const other = await world.run(['run', 'h-ts', '-m', 'demo']);
        if (world.exists('flow-ran'))
          return broken('a flow that was only found in the folder ran without a question');
        return held(`not run; statuses ${String(ran.status)}, ${String(other.status)}`);
      },
    },
    {
      id: 'M1a',
      tried: 'a configuration of the folder that names /dev/zero as a module',
      run: async (world) => {
        world.write('proj/hitl.config.json', '{"tools":["/dev/zero"]}');
        return boundedConfig(world, COMMANDS);
      },
    },
    {
      id: 'M1b',
      tried: 'a configuration of the folder that is a link to /dev/zero',
      run: async (world) => {
        symlinkSync('/dev/zero', world.path('proj/hitl.config.json'));
        return boundedConfig(world, COMMANDS);
      },
    },
    {
      id: 'M1c',
      tried: 'a configuration of the folder that is a FIFO',
      run: async (world) => {
        execFileSync('mkfifo', [world.path('proj/hitl.config.json')]);
        return boundedConfig(world, COMMANDS);
      },
    },
    {
      id: 'M8',
      tried: 'the content of what a trusted module imports is changed',
      run: async (world) => {
        const source = (mark: string) =>
          `import fs from 'node:fs'; fs.writeFileSync(${JSON.stringify(world.path(mark))}, ''); export const x = 1;\n`;
        world.write('proj/helper.mjs', source('first'));
        world.write(
          'proj/tools.mjs',
          "import { x } from './helper.mjs'; export const y = { name: 'y', description: String(x), input: { type: 'object' }, execute: async () => x };\n",
        );
        world.write('proj/hitl.config.json', '{"tools":["./tools.mjs"]}');
        const trusted = await world.run(['tools', '--trust', '-m', 'demo']);
        premise(world.exists('first'), `the trusted module was not loaded: ${trusted.stderr}`);
        world.write('proj/helper.mjs', source('second'));
        const again = await world.run(['tools', '-m', 'demo']);
        return world.exists('second')
          ? broken('the changed code ran, and nothing asked')
          : held(`asked; status ${String(again.status)}`);
      },
    },
  ],
);
