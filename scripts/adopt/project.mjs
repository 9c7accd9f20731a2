import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';

const root = path.resolve(import.meta.dirname, '../..');
/** The registry, or a compiler on a busy machine. */
const TIMEOUT_MS = 300_000;

/** The strictness that a careful user has; nothing of a declaration is passed over. */
const STRICT = {
  target: 'ES2023',
  lib: ['ES2023', 'ESNext.Disposable'],
  types: ['node'],
  module: 'NodeNext',
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  noPropertyAccessFromIndexSignature: true,
  verbatimModuleSyntax: true,
  skipLibCheck: false,
  rootDir: '.',
  outDir: 'out',
};

const INSTALL = ['install', '--engine-strict', '--prefer-offline', '--no-audit', '--no-fund'];

/** What hitl and zod may take, with all that they need. */
const MOST_BYTES = 30_000_000;

const SCHEMA_OF_REFUND = `
const { order, amount } = refund.inputSchema.properties;
console.log(order.type, amount.type);
`;

const SERVED = `
import { randomBytes } from 'node:crypto';
import { systemClock as clock } from 'hitl';
import { listenForProbes } from 'hitl/server';
import { createMemoryStore } from 'hitl/sessions';
import { textMeter } from 'hitl/telemetry';
const store = createMemoryStore({ clock, random: randomBytes });
const probed = { store, clock, meter: textMeter(), version: '' };
const { port, close } = await listenForProbes(probed, { address: '127.0.0.1' });
console.log((await fetch(\`http://127.0.0.1:\${port}/healthz\`)).status);
await close();
`;

/** Its own server, by the packages of the protocol on both sides. */
const CONNECTED = `
import { connectMcp } from 'hitl/mcp';
const servers = await connectMcp({
  own: { command: process.execPath, args: ['node_modules/hitl/dist/bin/hitl.js', 'mcp'] },
});
console.log(servers.tools.some(({ name }) => name === 'own__request_approval'));
await servers[Symbol.asyncDispose]();
`;

/** A project of somebody who has the tarball, and nothing of the clone. */
export class Project {
  #folder;
  #package;

  constructor(folder) {
    this.#folder = folder;
    this.#package = path.join(folder, 'node_modules/hitl');
    mkdirSync(folder);
    this.#write('package.json', '{ "name": "shop", "private": true, "type": "module" }\n');
  }

  /** Installs the tarball as the page that begins says, and what a TypeScript project has. */
  install(tarball) {
    this.run('npm', [...INSTALL, tarball, 'zod']);
    const bytes = bytesIn(path.join(this.#folder, 'node_modules'));
    if (bytes > MOST_BYTES) throw new Error(`it takes ${bytes} bytes with all that it needs`);
    this.run('npm', [...INSTALL, '--save-dev', ...compiler('typescript-7')]);
  }

  /**
   * Makes these the packages of the project, beside the tarball. npm has to be content, and of each there is one. What
   * another project has installed is copied first: npm unpacks a tarball three times, and not what is there.
   */
  installBeside(tarball, has, { typescript, from }) {
    for (const part of ['package-lock.json', 'node_modules'])
      cpSync(path.join(from.#folder, part), path.join(this.#folder, part), {
        recursive: true,
        verbatimSymlinks: true,
      });
    const dependencies = { ...has, hitl: `file:${tarball}` };
    this.#write('package.json', JSON.stringify({ private: true, type: 'module', dependencies }));
    this.run('npm', [...INSTALL, ...compiler(typescript)]);
    this.run('npm', ['ls', '--all']);
    const lock = JSON.parse(readFileSync(path.join(this.#folder, 'package-lock.json'), 'utf8'));
    for (const name of Object.keys(has)) {
      const copies = Object.keys(lock.packages).filter((key) => key.endsWith(`node_modules/${name}`));
      if (copies.length !== 1) throw new Error(`${name} is at ${copies.join(' and ')}`);
    }
  }

  /** What is done beside packages, by names. */
  checksBeside(has) {
    const isThere = (name) => name in has;
    return [
      ['the first tool of the documents, in TypeScript, strictly', () => this.#firstTool(isThere)],
      ...(isThere('pg') ? [['the driver of PostgreSQL', () => this.#reachNoDatabase()]] : []),
      ...(isThere('hono') ? [['a server', () => this.#runModule(SERVED, '200\n')]] : []),
      ...(isThere('@modelcontextprotocol/client')
        ? [['a server of the Model Context Protocol', () => this.#runModule(CONNECTED, 'true\n')]]
        : []),
    ];
  }

  /** Checks the types of copies of the examples, and makes JavaScript of them. */
  checkTypes() {
    cpSync(path.join(this.#package, 'examples'), path.join(this.#folder, 'examples'), { recursive: true });
    this.#write('tsconfig.json', JSON.stringify({ compilerOptions: STRICT, include: ['examples'] }));
    this.run('npx', ['tsc', '-p', '.']);
  }

  /** Checks the types of the examples where they lie in the package, with the settings that lie beside them. */
  checkTypesAsShipped() {
    this.run('npx', ['tsc', '-p', 'node_modules/hitl/examples']);
  }

  /** What is done with each Node, by names. */
  checks(bin) {
    return [
      ['the program', () => this.#expect('hitl', ['--version'], { bin }, `${this.#version()}\n`)],
      ...this.#programs().map((name) => [`examples/${name}.ts`, () => this.#runProgram(name, bin)]),
      ['examples/piped-answers.sh', () => this.#runWorkflow(['piped-answers.sh'], bin)],
      ...this.#workflows().map((args) => [`examples/${args.join(' ')}`, () => this.#runWorkflow(args, bin)]),
      ['docs/guides/testing.md', () => this.#followGuide('testing.md', bin)],
    ];
  }

  /** Runs a command of the project; its own commands come first, those of the clone are not there. */
  run(command, args, { bin = path.dirname(process.execPath), cwd = this.#folder, shell = false } = {}) {
    const own = [path.join(this.#folder, 'node_modules/.bin'), bin, path.dirname(process.execPath)];
    const result = spawnSync(command, args, {
      cwd,
      shell,
      encoding: 'utf8',
      timeout: TIMEOUT_MS,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        ...process.env,
        HITL_HOME: path.join(this.#folder, '.hitl'),
        PATH: `${own.join(':')}:${process.env.PATH}`,
      },
    });
    if (result.status === 0) return result.stdout;
    const said = `${result.error?.message ?? ''}${result.stdout ?? ''}${result.stderr ?? ''}`;
    throw new Error(`${[command, ...args].join(' ')} ended with ${result.status ?? result.signal}\n${said}`);
  }

  /** The tool with which the page that begins ends: its types, and what the page shows of it. */
  #firstTool(isThere) {
    const page = readFileSync(path.join(this.#package, 'docs/start.md'), 'utf8');
    for (const [, file, content] of filesOf(page)) this.#write(file.replace('.mjs', '.ts'), content);
    const needs = { './mcp': '@modelcontextprotocol/client' };
    const { exports } = JSON.parse(readFileSync(path.join(this.#package, 'package.json'), 'utf8'));
    const entries = Object.entries(exports).filter(
      ([entry, { types }]) => types !== undefined && (needs[entry] === undefined || isThere(needs[entry])),
    );
    const lines = entries.map(
      ([entry], at) => `import * as e${at} from '${path.posix.join('hitl', entry)}';`,
    );
    this.#write(
      'entries.ts',
      `${lines.join('\n')}\nconsole.log(${lines.map((_, at) => `e${at}`).join()});\n`,
    );
    this.#write('tsconfig.json', JSON.stringify({ compilerOptions: STRICT, include: ['*.ts'] }));
    this.run('npx', ['tsc', '-p', '.']);
    const [, line, shown] = /^\$ (.* hitl chat .*refund.*)\n([^]*?)^```$/m.exec(page);
    const said = this.run(line.replace('.mjs', '.ts'), [], { shell: true });
    if (said !== shown.split('\n').at(-2) + '\n') throw new Error(`it says\n${said}`);
    this.#runModule(`import { refund } from './out/refund.js'; ${SCHEMA_OF_REFUND}`, 'string number\n');
  }

  /** Nobody listens there: the driver is loaded, and says so. */
  #reachNoDatabase() {
    const said = this.run('hitl list --store postgres://nobody@127.0.0.1:1/none 2>&1 || true', [], {
      shell: true,
    });
    if (!said.includes('ECONNREFUSED')) throw new Error(`it says\n${said}`);
  }

  #runModule(text, expected) {
    this.#write('run.mjs', text);
    this.#expect('node', ['run.mjs'], {}, expected);
  }

  #programs() {
    const programs = readdirSync(path.join(this.#package, 'examples/programs'));
    const named = programs
      .filter((name) => name.endsWith('.ts'))
      .map((name) => `programs/${name.slice(0, -3)}`);
    return ['library', 'server/main', 'expense/main', ...named];
  }

  /**
   * The scripts of the examples, each with its workflow in TypeScript, and the first also with its workflow as a file.
   * test/e2e/examples.sweep.test.ts tests that both do the same.
   */
  #workflows() {
    const examples = path.join(this.#package, 'examples');
    const isThere = (...names) => existsSync(path.join(examples, ...names));
    const folders = readdirSync(examples).filter((name) => isThere(name, 'run.sh'));
    const both = folders.find((name) => isThere(name, 'flow.yaml'));
    const flows = [...folders.map((name) => [name, 'flow.ts']), [both, 'flow.yaml']];
    return flows.filter((flow) => isThere(...flow)).map(([name, flow]) => [`${name}/run.sh`, flow]);
  }

  #runProgram(name, bin) {
    this.#expect('node', [`out/examples/${name}.js`], { bin }, this.#expected(`${name}.ts`));
  }

  /** Runs a script where it lies in the package, in an empty folder: what it writes is not there for the next Node. */
  #runWorkflow([script, ...given], bin) {
    const args = [path.join(this.#package, 'examples', script), ...given];
    const cwd = mkdtempSync(path.join(this.#folder, 'run-'));
    this.#expect('bash', args, { bin, cwd }, this.#expected(script));
  }

  /** Saves the files that a guide names, and runs what it shows, as a reader does. */
  #followGuide(name, bin) {
    const text = readFileSync(path.join(this.#package, 'docs/guides', name), 'utf8');
    const files = filesOf(text);
    const commands = [...text.matchAll(/^```sh\n([^]*?)^```$/gm)].flatMap(([, block]) =>
      block.trim().split('\n'),
    );
    if (files.length === 0 || commands.length === 0) throw new Error('shows nothing to run');
    for (const [, file, content] of files) this.#write(file, content);
    for (const command of commands) this.run(command, [], { bin, shell: true });
  }

  #expect(command, args, options, expected) {
    const shown = this.run(command, args, options);
    if (shown !== expected) throw new Error(`it prints\n${shown}and not\n${expected}`);
  }

  #expected(name) {
    return readFileSync(path.join(this.#package, `examples/${name}.out`), 'utf8');
  }

  #version() {
    return JSON.parse(readFileSync(path.join(this.#package, 'package.json'), 'utf8')).version;
  }

  #write(name, text) {
    writeFileSync(path.join(this.#folder, name), text);
  }
}

/** The files that a page has its readers write, with their names and their texts. */
function filesOf(page) {
  return [...page.matchAll(/<!-- file: (\S+) -->\n+```\w*\n([^]*?)^```$/gm)];
}

/** What a TypeScript project has, in the versions of the clone. */
function compiler(name) {
  const tools = { ...developed('tools/package.json'), ...developed('package.json') };
  return [`typescript@${tools[name].split('@').at(-1)}`, `@types/node@${tools['@types/node']}`];
}

function developed(manifest) {
  const { dependencies, devDependencies } = JSON.parse(readFileSync(path.join(root, manifest), 'utf8'));
  return { ...dependencies, ...devDependencies };
}

/** The bytes of all files below a folder. */
function bytesIn(folder) {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  return files.reduce((sum, { parentPath, name }) => sum + lstatSync(path.join(parentPath, name)).size, 0);
}
