import { builtinModules } from 'node:module';

import js from '@eslint/js';
import { defineConfig } from 'eslint/config';
import tseslint from 'typescript-eslint';

/** The layers that decide and never act: time, chance and the world come in as parameters. */
const pureLayers = ['src/core/**/*.ts', 'src/engine/**/*.ts', 'src/graph/**/*.ts', 'src/reasoner/**/*.ts'];

/** Where `import()` may stand: where a choice at run time, or an optional peer, decides what is loaded. */
const lazyImporters = [
  'bin/**/*.ts',
  'commands/**/*.ts',
  'sessions/postgres/driver/connect.ts',
  'src/graph/graph-from-file.ts',
  'src/human/look/highlight.ts',
  'src/outgoing/send-mail.ts',
  'src/server/load-hono.ts',
  'src/models/registry.ts',
  'src/models/acp/sdk.ts',
  'src/tools/load-module.ts',
  'src/tools/mcp/**/*.ts',
  'src/telemetry/otel.ts',
];

const noDefaultExport = {
  selector: 'ExportDefaultDeclaration, ExportSpecifier[exported.name="default"]',
  message: 'export by name; only configuration files have a default export',
};
const noCast = {
  selector: 'TSAsExpression:not([typeAnnotation.typeName.name="const"]), TSTypeAssertion',
  message: 'narrow with a guard or a schema instead of a cast',
};
const noDynamicImport = {
  selector: 'ImportExpression',
  message: 'import() is for the model registry, the tool loader, the commands and optional peers',
};

const noPrivateKeyword = {
  selector:
    ':matches(PropertyDefinition, AccessorProperty, MethodDefinition[kind!="constructor"])[accessibility="private"]',
  message: 'write #name: it is private when it runs too',
};

const noUsingInLoop = {
  selector:
    ':matches(ForStatement, ForInStatement, ForOfStatement, WhileStatement, DoWhileStatement) VariableDeclaration[kind=/using$/]' +
    ':not(:matches(ForStatement, ForInStatement, ForOfStatement, WhileStatement, DoWhileStatement) :function VariableDeclaration)',
  message:
    'put it in a function of its own: as esbuild writes it for Node 20, an error of one round is thrown in the next',
};

const lostTimeout = {
  selector:
    "CallExpression[callee.object.name='AbortSignal'][callee.property.name='any'] CallExpression[callee.object.name='AbortSignal'][callee.property.name='timeout']",
  message: 'the timeout may be collected before it fires: use withinTime, or a sleep of the clock',
};
const timeoutSignal = {
  object: 'AbortSignal',
  property: 'timeout',
  message: 'time comes in as a parameter: use withinTime, or a sleep of the clock',
};

const rawJson = {
  object: 'Response',
  property: 'json',
  message: 'JSON that is read with curl is written by safeJson: use jsonResponse',
};

const processStreams = ['stdout', 'stderr'].map((property) => ({
  object: 'process',
  property,
  message: 'write what is Shown to an Output, or tell it',
}));
const layout = {
  group: ['**/core/index.js'],
  importNames: ['laidOut'],
  message: 'say it with shown`…` and escapeText: the parts of a layout have no type that follows them',
};

const impureGlobals = [
  'Date',
  'process',
  'performance',
  'crypto',
  'fetch',
  'console',
  'setTimeout',
  'setInterval',
  'setImmediate',
].map((name) => ({ name, message: 'this layer is pure: take it as a parameter' }));

const wholeZod = {
  selector:
    "ImportDeclaration[source.value='zod'] > :matches(ImportDefaultSpecifier, ImportSpecifier[imported.name='z'])",
  message: "write import * as z from 'zod': the build then leaves out what nothing uses (134 kB, not 582)",
};

const bareBuiltins = [
  ...builtinModules
    .filter((name) => !name.startsWith('_') && !name.startsWith('node:'))
    .map((name) => ({ name, message: `write node:${name}` })),
  { name: 'node:process', importNames: ['stdout', 'stderr'], message: processStreams[0].message },
];

/** Requests leave by `src/outgoing` alone, where addresses are looked at and no redirect is followed. */
const unguarded = 'send it by guardedFetch, or by namedFetch where a person named the server';
const unguardedFetch = [
  { name: 'fetch', message: unguarded },
  { name: 'WebSocket', message: unguarded },
  { name: 'EventSource', message: unguarded },
];
const unguardedGlobals = ['globalThis', 'global', 'window', 'self'].map((object) => ({
  ...{ object, property: 'fetch', message: unguarded },
}));
const unguardedImports = [
  {
    name: 'node:http',
    importNames: ['default', 'request', 'get', 'Agent', 'ClientRequest'],
    message: unguarded,
  },
  { name: 'node:https', message: unguarded },
  { name: 'node:tls', message: unguarded },
  { name: 'node:dgram', message: unguarded },
  { name: 'node:http2', importNames: ['default', 'connect'], message: unguarded },
  { name: 'undici', message: unguarded },
];
/** The files that send: to a server that a person named, or to an address that was looked at. */
const senders = ['src/outgoing/guarded-request.ts', 'src/outgoing/named-fetch.ts'];

export default defineConfig(
  { ignores: ['dist/', 'dist.building-*/', 'coverage/', 'reports/', 'node_modules/', 'test/fixtures/'] },
  { linterOptions: { reportUnusedDisableDirectives: 'error' } },
  js.configs.recommended,
  {
    files: ['**/*.ts'],
    extends: [tseslint.configs.strict, tseslint.configs.stylistic], // rules that know types: .oxlintrc.json
    rules: {
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'separate-type-imports' }],
      '@typescript-eslint/max-params': ['error', { max: 4 }],
      '@typescript-eslint/no-import-type-side-effects': 'error',
      // `_` marks a parameter that a signature asks for and this implementation does not need.
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      eqeqeq: 'error',
      'max-depth': ['error', 3],
      'no-console': 'error',
      'no-restricted-imports': ['error', { paths: bareBuiltins }],
      'no-restricted-syntax': [
        'error',
        noDefaultExport,
        noCast,
        noDynamicImport,
        noPrivateKeyword,
        noUsingInLoop,
        wholeZod,
        lostTimeout,
      ],
    },
  },
  {
    // A screen takes only what is `Shown`; who has the stream of the process could write anything.
    files: ['{src,sessions}/**/*.ts'],
    ignores: ['src/library/terminal.ts'],
    rules: { 'no-restricted-properties': ['error', timeoutSignal, ...processStreams, ...unguardedGlobals] },
  },
  {
    files: ['src/{server,web}/**/*.ts'],
    rules: {
      'no-restricted-properties': ['error', timeoutSignal, ...processStreams, ...unguardedGlobals, rawJson],
    },
  },
  {
    files: ['{commands,bin}/**/*.ts'],
    ignores: ['bin/hitl.ts', 'commands/host/io.ts'],
    rules: { 'no-restricted-properties': ['error', ...processStreams, ...unguardedGlobals] },
  },
  {
    files: ['{src,sessions,commands,bin}/**/*.ts'],
    ignores: senders,
    rules: {
      'no-restricted-globals': ['error', ...unguardedFetch],
      'no-restricted-imports': ['error', { paths: [...bareBuiltins, ...unguardedImports] }],
    },
  },
  {
    files: pureLayers,
    rules: {
      'no-restricted-globals': ['error', ...impureGlobals],
      'no-restricted-properties': [
        'error',
        timeoutSignal,
        { object: 'Math', property: 'random', message: 'this layer is pure: take it as a parameter' },
        { object: 'globalThis', property: 'process', message: 'this layer is pure: take it as a parameter' },
        { object: 'globalThis', property: 'Date', message: 'this layer is pure: take it as a parameter' },
      ],
    },
  },
  { files: ['examples/**'], rules: { 'no-console': 'off' } },
  {
    files: ['commands/**/*.ts'],
    ignores: [
      'commands/completion/index.ts',
      'commands/demo.ts',
      'commands/ask.ts',
      'commands/export.ts',
      'commands/graph.ts',
      'commands/program/{program-of,main}.ts',
      'commands/report/session-review.ts',
      'commands/slash/{folder-diff,table}.ts',
      'commands/why.ts',
    ],
    rules: {
      'no-restricted-imports': [
        'error',
        { paths: [...bareBuiltins, ...unguardedImports], patterns: [layout] },
      ],
    },
  },
  {
    files: lazyImporters,
    rules: {
      'no-restricted-syntax': [
        'error',
        noDefaultExport,
        noCast,
        noPrivateKeyword,
        noUsingInLoop,
        wholeZod,
        lostTimeout,
      ],
    },
  },
  {
    // The one file that makes branded ids.
    files: ['src/core/data/ids.ts'],
    rules: {
      'no-restricted-syntax': [
        'error',
        noDefaultExport,
        noDynamicImport,
        noPrivateKeyword,
        noUsingInLoop,
        wholeZod,
        lostTimeout,
      ],
    },
  },
  {
    files: ['test/**/*.ts'],
    rules: {
      '@typescript-eslint/no-empty-function': 'off',
      '@typescript-eslint/no-non-null-assertion': 'off',
      'no-restricted-syntax': ['error', noDefaultExport, lostTimeout],
    },
  },
  { files: ['*.config.ts', 'examples/**/*.ts'], rules: { 'no-restricted-syntax': 'off' } },
  {
    files: ['**/*.{js,mjs,cjs}'],
    languageOptions: {
      globals: Object.fromEntries(
        ['URL', 'console', 'module', 'process', 'setTimeout', 'clearTimeout', 'AbortSignal'].map((name) => [
          name,
          'readonly',
        ]),
      ),
    },
  },
  {
    // Runs on Node only, as a program of its own.
    files: ['bench/**/*.mjs'],
    languageOptions: {
      globals: Object.fromEntries(
        [
          'AbortController',
          'Buffer',
          'ReadableStream',
          'TextDecoder',
          'URLSearchParams',
          'fetch',
          'performance',
        ].map((name) => [name, 'readonly']),
      ),
    },
    rules: { 'no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }] },
  },
);
