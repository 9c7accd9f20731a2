import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';

const root = path.resolve(import.meta.dirname, '../..');
const TIMEOUT_MS = 120_000;

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
    const { dependencies, devDependencies } = JSON.parse(
      readFileSync(path.join(root, 'package.json'), 'utf8'),
    );
    const tools = ['typescript', '@types/node'].map((name) => `${name}@${devDependencies[name]}`);
    const args = ['install', '--engine-strict', '--prefer-offline', '--no-audit', '--no-fund'];
    this.run('npm', [...args, tarball, `zod@${dependencies.zod}`]);
    this.run('npm', [...args, '--save-dev', ...tools]);
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

  #programs() {
    const programs = readdirSync(path.join(this.#package, 'examples/programs'));
    const named = programs
      .filter((name) => name.endsWith('.ts'))
      .map((name) => `programs/${name.slice(0, -3)}`);
    return ['library', 'server/main', ...named];
  }

  /** The scripts of the examples, each with every workflow of its folder. */
  #workflows() {
    const examples = path.join(this.#package, 'examples');
    const folders = readdirSync(examples).filter((name) => existsSync(path.join(examples, name, 'run.sh')));
    return folders.flatMap((name) =>
      readdirSync(path.join(examples, name))
        .filter((file) => file.startsWith('flow.'))
        .map((file) => [`${name}/run.sh`, file]),
    );
  }

  #runProgram(name, bin) {
    this.#expect('node', [`out/examples/${name}.js`], { bin }, this.#expected(`${name}.ts`));
  }

  /** Runs a script where it lies in the package, in an empty folder: what it writes is not there for the next Node. */
  #runWorkflow([script, flow], bin) {
    const args = [path.join(this.#package, 'examples', script), flow];
    const cwd = mkdtempSync(path.join(this.#folder, 'run-'));
    this.#expect('bash', args, { bin, cwd }, this.#expected(script));
  }

  /** Saves the files that a guide names, and runs what it shows, as a reader does. */
  #followGuide(name, bin) {
    const text = readFileSync(path.join(this.#package, 'docs/guides', name), 'utf8');
    const files = [...text.matchAll(/<!-- file: (\S+) -->\n+```\w*\n([^]*?)^```$/gm)];
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
