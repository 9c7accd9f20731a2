import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import path from 'node:path';

import { transformAsync } from '@babel/core';
import commonJs from '@babel/plugin-transform-modules-commonjs';
import { build, transform } from 'esbuild';

const SOURCES = ['bin', 'commands', 'sessions', 'src'];

/** Packages of types, each with the one that it is the types of and that runs in its place. */
const TYPED = new Map([['@commander-js/extra-typings', 'commander']]);

/** Stands for all names of a package, where a source does not say which it uses. */
const ALL = '*';

/**
 * Compiles the program: each source to a CommonJS file in the same place below `outFolder`, and what it uses of each
 * package to one file in `outFolder/packages`, but for those of `installed`. A module is loaded at the first use of what is
 * imported from it, so that a command pays only for what it runs. Resolves with what esbuild says of the packages.
 * @throws Error where a source or a package does not compile.
 */
export async function compileProgram({ version }, installed, root, outFolder) {
  /** What is used of packages: names by specifier. */
  const used = new Map();
  const compileOne = async (source) => {
    const file = path.join(outFolder, source.replace(/\.ts$/, '.js'));
    /** Notes what is used, and gives the specifier of the compiled file; `undefined` where it stays as it is. */
    const lead = (given, names) => {
      const specifier = TYPED.get(given) ?? given;
      if (isBuiltin(specifier) || installed.includes(packageOf(specifier))) return undefined;
      if (specifier.startsWith('.')) return specifier;
      used.set(specifier, new Set([...(used.get(specifier) ?? []), ...names]));
      return path.relative(path.dirname(file), path.join(outFolder, fileOf(specifier)));
    };
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, await compile(path.join(root, source), { version, lead }));
  };
  await Promise.all((await sourcesBelow(root)).map(compileOne));
  return bundlePackages(used, root, outFolder);
}

async function sourcesBelow(root) {
  const names = await Promise.all(
    SOURCES.map(async (folder) =>
      (await readdir(path.join(root, folder), { recursive: true })).map((name) => path.join(folder, name)),
    ),
  );
  return names.flat().filter((name) => name.endsWith('.ts'));
}

async function compile(file, { version, lead }) {
  const { code } = await transform(await readFile(file, 'utf8'), {
    loader: 'ts',
    target: 'node20.19',
    sourcefile: file,
    minifySyntax: true,
    define: {
      HITL_VERSION: JSON.stringify(version),
      'import.meta.dirname': '__dirname',
      'import.meta.filename': '__filename',
    },
  });
  const compiled = await transformAsync(code, {
    filename: file,
    babelrc: false,
    configFile: false,
    comments: false,
    plugins: [
      [leadImports, { lead }],
      [commonJs.default, { lazy: () => true }],
    ],
  });
  return `${compiled.code}\n`;
}

/** Leads imports to where they are in `dist`. What is imported on demand from there is required on demand. */
function leadImports({ template, types }, { lead }) {
  const required = template.expression('Promise.resolve().then(() => require(%%specifier%%))', {
    syntacticPlaceholders: true,
  });
  const declaration = (path) => {
    const { source } = path.node;
    if (source) source.value = lead(source.value, namesOf(path)) ?? source.value;
  };
  return {
    visitor: {
      ImportDeclaration: declaration,
      ExportNamedDeclaration: declaration,
      ExportAllDeclaration: declaration,
      CallExpression(call) {
        const { callee, arguments: given } = call.node;
        if (!types.isImport(callee) || !types.isStringLiteral(given[0])) return;
        const specifier = lead(given[0].value, [ALL]);
        if (specifier !== undefined)
          call.replaceWith(required({ specifier: types.stringLiteral(specifier) }));
      },
    },
  };
}

/** The names that a declaration imports; of a namespace the members that are used. */
function namesOf({ node: { specifiers = [] }, scope }) {
  if (specifiers.length === 0) return [ALL];
  return specifiers.flatMap(({ type, imported, local }) => {
    if (type === 'ImportDefaultSpecifier') return ['default'];
    if (type !== 'ImportNamespaceSpecifier') return [(imported ?? local).name];
    return scope
      .getBinding(local.name)
      .referencePaths.map(({ parent }) =>
        parent.type === 'MemberExpression' && !parent.computed ? parent.property.name : ALL,
      );
  });
}

/** Makes a file of what is used of each package; its entries share it. Resolves with what esbuild says of each. */
async function bundlePackages(used, root, outFolder) {
  const metafiles = [];
  const specifiers = [...used.keys()].sort();
  for (const name of new Set(specifiers.map(packageOf))) {
    const entries = specifiers.filter((specifier) => packageOf(specifier) === name);
    const lines = entries.flatMap((entry, at) =>
      used.get(entry).has(ALL)
        ? [`export * as entry${at} from '${entry}';`]
        : [...used.get(entry)].sort().map((one) => `export { ${one} as entry${at}_${one} } from '${entry}';`),
    );
    const { metafile } = await build({
      absWorkingDir: root,
      stdin: { contents: lines.join('\n'), resolveDir: root },
      outfile: path.join(outFolder, wholeOf(name)),
      bundle: true,
      platform: 'node',
      target: 'node20.19',
      format: 'cjs',
      minifySyntax: true,
      minifyWhitespace: true,
      legalComments: 'none',
      define: { 'process.env.NODE_ENV': '"production"' },
      metafile: true,
      logLevel: 'warning',
    });
    metafiles.push(metafile);
    for (const [at, entry] of entries.entries()) {
      const file = path.join(outFolder, fileOf(entry));
      const whole = `require('./${path.relative(path.dirname(file), path.join(outFolder, wholeOf(name)))}')`;
      const members = [...used.get(entry)].sort().map((one) => `${one}: whole.entry${at}_${one}`);
      await mkdir(path.dirname(file), { recursive: true });
      await writeFile(
        file,
        used.get(entry).has(ALL)
          ? `module.exports = ${whole}.entry${at};\n`
          : `const whole = ${whole};\nmodule.exports = { __esModule: true, ${members.join(', ')} };\n`,
      );
    }
  }
  return metafiles;
}

function packageOf(specifier) {
  const parts = specifier.split('/');
  return parts.slice(0, specifier.startsWith('@') ? 2 : 1).join('/');
}

/** The file of an import: `packages/zod/mini.js`. */
function fileOf(specifier) {
  return path.join('packages', `${specifier.replace(/\.js$/, '')}.js`);
}

function wholeOf(name) {
  return path.join('packages', `${name}.all.js`);
}
