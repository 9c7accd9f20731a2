// Modules that run when something of them is used first, for files that hold more than a command uses.
//
// esbuild puts the functions of all modules into one scope: a program of 1,200 modules begins by making 15,000
// functions, and by running whatever a module imports, to use a few hundred. Here each module is a function of its own,
// in which an import runs at its first use, and leads past the doors to the module that it is in. What a command does
// not use costs its bytes, and no time.
import { readFile } from 'node:fs/promises';
import path from 'node:path';

import { build, transform } from 'esbuild';

import { lazyBuiltins } from './lazy-builtins.mjs';

/** Where a module begins that esbuild has made CommonJS of; before that stand helpers, which a file has once. */
const BEGIN = /^(?:var \w+_exports = \{\};|module\.exports = __toCommonJS)/m;
const GIVEN = /var (\w+_exports) = \{\};\n(?:__export\(\1, \{\n([\s\S]*?)\n\}\);\n)?/;
const MEMBER = /^ {2}(\w+): \(\) => (?:(import_\w+)\.(\w+)|\w+),?$/gm;
const TO_COMMONJS = /module\.exports = __toCommonJS\(\w+_exports\);\n/;
const PASSED_ON = /__reExport\(\w+_exports, require\("([^"]+)"\), module\.exports\)[;,]?/g;
const NAMED_AGAIN = /\/\/ Annotate the CommonJS export names for ESM import in node:\n0 && [\s\S]*$/;
const IMPORTED = /(?<=\bvar |, )(import_\w+) = (?:(__toESM)\()?require\("([^"]+)"\)\)?(, |;)/g;
const WHOLE = /(?<=\bvar |, )(?!import_)(\w+) = __toESM\(require\("([^"]+)"\)\)/g;
/** Before a name that is no member of something; three dots spread it. */
const ALONE = String.raw`(?<![\w$]|[^.]\.)`;

/** What uses every helper, so that the code of each is esbuild's own. */
const EVERY_HELPER = `
  import one from 'a'; export * from 'b'; import * as all from 'c';
  export function f() { using two = one(all); }`;

/** Makes the members of a module in place of esbuild's `__toCommonJS`, which copies them once more. */
const MEMBERS =
  'var __members=(to,all)=>{Object.defineProperty(to,"__esModule",{value:true});__export(to,all)};\n';

/** Stands for all of a package that is imported under one name, and runs it at the first look at a member. */
const WHOLE_LATE = 'var __whole=load=>{let all;return new Proxy({},{get:(_,key)=>(all??=load())[key]})};\n';

/**
 * Reads the sources so that their modules run late.
 * @param root the folder that `sources` start from; @param common what esbuild is told for every file
 * @returns the plugin, and code that stands at the head of a file of such modules
 * @throws Error for what cannot be led: nothing is built that would run in another way than it is written
 */
export async function lateModules({ root, sources, common }) {
  const { target, minifySyntax, define } = common;
  const options = { loader: 'ts', format: 'cjs', platform: 'node', target, minifySyntax, define };
  const { code: sample } = await transform(EVERY_HELPER, options);
  const parsed = new Map();
  await Promise.all(
    sources.map(async (source) => {
      const text = await readFile(path.join(root, source), 'utf8');
      if (text.includes('import_')) throw new Error(`${source} has a name that esbuild gives to imports`);
      const { code } = await transform(text, { ...options, sourcefile: source });
      parsed.set(source, partsOf(code, source));
    }),
  );
  const used = new Map();
  const linked = new Map(sources.map((source) => [source, link(source, { parsed, used })]));
  const setup = ({ onResolve, onLoad }) => {
    onResolve({ filter: /^\.\.?\/.*\.[jt]s$/ }, ({ path: wanted, resolveDir }) => {
      const source = path.relative(root, path.resolve(resolveDir, wanted)).replace(/\.js$/, '.ts');
      return linked.has(source) ? { path: source, namespace: 'late' } : undefined;
    });
    onResolve({ filter: /^late:/ }, ({ path: wanted }) => ({ path: wanted.slice(5), namespace: 'late' }));
    onLoad({ filter: /^/, namespace: 'late' }, ({ path: source }) => ({
      contents: linked.get(source),
      resolveDir: path.dirname(path.join(root, source)),
    }));
    onResolve({ filter: /^[@a-z]/ }, ({ path: name, namespace }) =>
      namespace === 'late' && used.has(name) && !name.startsWith('node:') && !common.external.includes(name)
        ? { path: name, namespace: 'package' }
        : undefined,
    );
    onLoad({ filter: /^/, namespace: 'package' }, ({ path: name }) => ({
      contents: `module.exports = require("whole:${packageOf(name)}")[${JSON.stringify(name)}];`,
    }));
    onResolve({ filter: /^whole:/ }, ({ path: wanted }) => ({ path: wanted.slice(6), namespace: 'whole' }));
    onLoad({ filter: /^/, namespace: 'whole' }, async ({ path: name }) => ({
      contents: await usedOf(name, used, { root, common }),
    }));
  };
  return {
    head: sample.slice(0, sample.search(BEGIN)) + MEMBERS + WHOLE_LATE,
    plugin: { name: 'late', setup },
  };
}

/** Takes a module apart: what it gives, what it imports, and the rest. */
function partsOf(code, source) {
  const imports = new Map();
  const begin = code.search(BEGIN);
  if (begin < 0) {
    if (code.trim() !== '') throw new Error(`${source} gives nothing, and does something`);
    return { body: '', members: new Map(), passedOn: [], imports }; // types only
  }
  let given = '';
  const passedOn = [];
  const body = code
    .slice(begin)
    .replace(NAMED_AGAIN, '')
    .replace(TO_COMMONJS, '')
    .replace(GIVEN, (_, __, members = '') => {
      given = members;
      return '';
    })
    .replaceAll(PASSED_ON, (_, from) => {
      passedOn.push(from);
      return '';
    })
    .replaceAll(IMPORTED, (_, name, isWhole, from, after) => {
      imports.set(name, { from, isWhole: isWhole !== undefined });
      return name + after;
    });
  const members = new Map(
    [...given.matchAll(MEMBER)].map(([, key, name, there]) => [
      key,
      name === undefined ? undefined : { from: imports.get(name).from, key: there },
    ]),
  );
  if (members.size !== given.split('\n').filter((line) => line !== '').length || /__reExport/.test(body))
    throw new Error(`${source} gives something in a way that cannot be led`);
  return { body, given, members, passedOn, imports };
}

/** Makes a module whose imports run at their first use, and notes what it uses of each package. */
function link(source, { parsed, used }) {
  const { body, given = '', members, passedOn, imports } = parsed.get(source);
  const loads = new Map();
  /** The expression for a member of what is imported. */
  const led = (from, key, isWhole) => {
    const place = placeOf(parsed, source, from, key);
    const wanted = isWhole ? `__toESM(require("${place.from}"))` : `require("${place.from}")`;
    const name = loads.get(wanted) ?? `import_late${loads.size}`;
    loads.set(wanted, name);
    if (!place.from.startsWith('late:')) note(used, place.from, place.key);
    return [`${name}()`, place.key];
  };
  let text = body;
  for (const [name, { from, isWhole }] of imports) {
    const member = new RegExp(String.raw`(new )?${ALONE}${name}\.(\w+)`, 'g');
    text = text.replaceAll(member, (_, made, key) => {
      const [module, there] = led(from, key, isWhole);
      return made === undefined ? `${module}.${there}` : `new (${module}).${there}`;
    });
    const left = new RegExp(String.raw`${ALONE}${name}(?![\w$])(?!, |;)`).exec(text);
    if (left !== null) throw new Error(`${source} uses ${from} in a way that cannot be led`);
  }
  for (const [, name, from] of body.matchAll(WHOLE))
    for (const [, key] of body.matchAll(new RegExp(String.raw`${ALONE}${name}\.(\w+)`, 'g')))
      note(used, from, key);
  text = text.replaceAll(WHOLE, (all, name, from) =>
    from.startsWith('.') ? all : `${name} = __whole(() => __toESM(require("${from}")))`,
  );
  const own = [...given.matchAll(MEMBER)]
    .filter(([, , name]) => name === undefined)
    .map(([line]) => line.replace(/,?$/, ','));
  const passed = [
    ...[...members].filter(([, there]) => there !== undefined),
    ...passedOn.flatMap((from) => namesOf(parsed, source, from).map((key) => [key, { from, key }])),
  ].map(([key, { from, key: there }]) => `${key}: () => ${led(from, there, false).join('.')},`);
  const heads = [...loads].map(([wanted, name]) => `var ${name}_, ${name} = () => ${name}_ ??= ${wanted};\n`);
  return `__members(exports, {${[...own, ...passed].join('\n')}});\n${heads.join('')}${text}`;
}

function sourceOf(source, from) {
  return from.startsWith('.') ? path.join(path.dirname(source), from).replace(/\.js$/, '.ts') : undefined;
}

/** The module that a member is in, behind all doors. */
function placeOf(parsed, source, from, key) {
  const target = sourceOf(source, from);
  if (target === undefined) return { from, key };
  const { members, passedOn } = parsed.get(target);
  if (members.has(key)) {
    const there = members.get(key);
    return there === undefined
      ? { from: `late:${target}`, key }
      : placeOf(parsed, target, there.from, there.key);
  }
  const door = passedOn.find((further) => namesOf(parsed, target, further).includes(key));
  if (door === undefined) throw new Error(`${target} gives no ${key}, which ${source} uses`);
  return placeOf(parsed, target, door, key);
}

function namesOf(parsed, source, from) {
  const target = sourceOf(source, from);
  const { members, passedOn } = parsed.get(target);
  return [...members.keys(), ...passedOn.flatMap((further) => namesOf(parsed, target, further))];
}

function note(used, from, key) {
  used.set(from, (used.get(from) ?? new Set()).add(key));
}

function packageOf(name) {
  return name.split('/', name.startsWith('@') ? 2 : 1).join('/');
}

/** Makes one module of a package, with what is used of it; each of its entries runs when it is used first. */
async function usedOf(whole, used, { root, common }) {
  const entries = [...used.keys()].filter((name) => packageOf(name) === whole);
  const getters = entries.map((name) => `get "${name}"() { return require("entry:${name}") }`);
  const setup = ({ onResolve, onLoad }) => {
    onResolve({ filter: /^entry:/ }, ({ path: wanted }) => ({ path: wanted.slice(6), namespace: 'entry' }));
    onLoad({ filter: /^/, namespace: 'entry' }, async ({ path: name }) => {
      // A name may stand in a text only.
      const given = await import(name);
      const keys = [...used.get(name)].filter((key) => key in given);
      return { contents: `export { ${keys.join(', ')} } from "${name}";`, resolveDir: root };
    });
  };
  const made = await build({
    ...common,
    stdin: { contents: `module.exports = { ${getters.join(', ')} };`, resolveDir: root },
    legalComments: 'inline',
    plugins: [{ name: 'entries', setup }, lazyBuiltins()],
    write: false,
  });
  return made.outputFiles[0].text;
}
