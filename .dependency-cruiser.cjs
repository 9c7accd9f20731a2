// The layer table as rules: which layer may import which, and who may touch which package.

/** Layer -> the layers it may import. A folder under `src` without a row here fails the check. */
const layers = {
  'src/core': [],
  'src/engine': ['src/core'],
  'src/graph': ['src/core', 'src/engine'],
  'src/files': ['src/core'],
  // The one place that starts programs.
  'src/programs': ['src/core', 'src/files'],
  'src/models': ['src/core', 'src/outgoing'],
  'src/tools': ['src/core', 'src/files', 'src/programs', 'src/outgoing'],
  'src/human': ['src/core', 'src/programs'],
  'src/render': ['src/core'],
  'src/reasoner': ['src/core'],
  'src/reviewer': ['src/core'],
  'src/telemetry': ['src/core', 'src/outgoing'],
  // Runs in a browser, too.
  'src/web': ['src/core'],
  'src/repl': ['src/core', 'src/engine', 'src/graph'],
  'src/testing': ['src/core', 'src/graph', 'src/models'],
  // The faces of the library: the layers below, put together with sensible defaults.
  'src/library': [
    'src/core',
    'src/engine',
    'src/graph',
    'src/human',
    'src/models',
    'src/repl',
    'src/reviewer',
    'src/tools',
    'sessions',
  ],
  // The server: pages and an interface over a store, with the words of the terminal.
  'src/server': [
    'src/core',
    'src/human',
    'src/library',
    'src/outgoing',
    'src/render',
    'src/telemetry',
    'src/web',
  ],
  // Tells people elsewhere of questions: what is sent, to whom, and that it arrived.
  'src/outgoing': ['src/core', 'src/human'],
  sessions: ['src/core', 'src/programs'],
  commands: ['src', 'sessions'],
  bin: ['commands'],
};

/** Room of the core -> the rooms that it may know. */
const rooms = {
  data: [],
  question: ['data'],
  state: ['data', 'question'],
  answer: ['data', 'question', 'state'],
  ports: ['data', 'question', 'state'],
  told: ['data', 'question', 'state', 'ports'],
};

/** Package -> the layers that may import it. The build puts them into ours, but for jiti and those that are peers. */
const packages = {
  '@humanwhocodes/momoa': ['commands/config'],
  '@anthropic-ai/sdk': ['src/models'],
  '@agentclientprotocol/sdk': ['commands/acp', 'src/models/acp'],
  '@hono/node-server': ['src/server'],
  hono: ['src/server'],
  '@modelcontextprotocol/client': ['src/tools/mcp'],
  '@modelcontextprotocol/server': ['commands/mcp-server'],
  '@inquirer/[^/]+': ['src/human', 'src/render', 'commands'],
  chalk: ['src/human', 'src/render', 'commands'],
  commander: ['commands'],
  '@commander-js/extra-typings': ['commands'], // its types; the build puts commander in its place
  diff: ['src/human', 'src/render', 'src/tools', 'commands'],
  'get-east-asian-width': ['src/core/data'],
  jiti: ['src/tools', 'commands'],
  lowlight: ['src/human'],
  marked: ['src/human', 'src/render', 'commands'],
  ora: ['src/human', 'src/render', 'commands'],
  yaml: ['src/graph/file'],
};

/** Layer -> the modules of Node it may import; a layer without a row may import any. */
const builtins = {
  'src/core': ['crypto', 'process', 'vm'], // vm and process: the clocks of scripts and of the processor, for patterns
  'src/engine': [],
  'src/files': ['crypto', 'fs', 'fs/promises', 'module', 'path', 'url'], // module: which names are Node's own
  'src/graph': ['async_hooks'], // to tell that the body of a step is what begins an operation
  'src/reasoner': [],
  'src/reviewer': [],
  'src/repl': [],
  'src/web': [],
  'src/programs': ['child_process', 'fs', 'os', 'path'],
  sessions: ['crypto', 'fs', 'fs/promises', 'os', 'path', 'zlib'],
};
/** The rows of folders inside a layer, which have rules of their own. */
const inside = (layer) => Object.keys(builtins).filter((other) => other.startsWith(`${layer}/`));

/** Layers without packages; what core needs of zod is in its two schema entries. */
const withoutPackages = ['src/core', 'src/engine', 'src/files', 'src/graph', 'src/repl', 'sessions'];
/** Reads graph files: the one place below the faces where a document of people comes in. */
const graphFiles = '^src/graph/file/';
/** The one measure of the width of text, and the package with Unicode's table of it. */
const widthEntry = '^src/core/data/width\\.ts$';
const zodEntries = ['^src/core/told/(?:schemas|[a-z-]+-schema)\\.ts$'];

/** Files that other layers may import besides `index.ts`: zod, and what must be had without the rest of its layer. */
const extraEntries = [
  '^src/core/data/errors\\.ts$',
  '^src/core/data/error-record\\.ts$',
  '^src/core/told/server-events\\.ts$',
  '^src/core/told/http-problem\\.ts$',
  // The one serializer of JSON, in a browser, too: `hitl/web` has it without the rest.
  '^src/core/data/safe-json\\.ts$',
  '^src/core/told/schemas\\.ts$',
  // What users of the library have of them, so that the declarations of the rest are in no package.
  '^src/core/told/answer-schema\\.ts$',
  '^src/library/(?:local-user|system-clock)\\.ts$',
  '^src/human/seated\\.ts$',
  // What a page says of a result, and how it shows a model’s words, without the packages that draw on a terminal.
  '^src/render/(?:result-facts|safe-text)\\.ts$',
  // Their declarations name packages that users of the library need not have.
  '^src/tools/mcp/index\\.ts$',
  '^src/models/acp/index\\.ts$',
  // Where a request may go, without the receivers of questions.
  '^src/outgoing/(?:outgoing-address|address-warnings|guarded-fetch|guarded-request|named-fetch)\\.ts$',
  '^sessions/listing/list-known\\.ts$',
  // Whether the process still lives that a file names.
  '^sessions/lock-owner\\.ts$',
  // The place in a database: its address is known before it is loaded, which is when one is named.
  '^sessions/postgres/index\\.ts$',
  '^sessions/postgres/driver/database-address\\.ts$',
];

/** Folders of which not everything is loaded at once, or everywhere; what is light in them is entered file by file. */
const onDemand = ['src/models/acp', 'src/models/anthropic'];

const within = (layer) => `^${layer}/`;
const anyPackage = 'node_modules/';
const product = '^(src|sessions|commands|bin)/';

const forbid = (name, comment, from, to) => ({ name, comment, severity: 'error', from, to });

module.exports = {
  layers,
  onDemand,
  forbidden: [
    forbid('no-cycles', 'a cycle has no bottom layer', {}, { circular: true }),
    forbid('no-orphans', 'nothing imports it and it imports nothing', { orphan: true }, {}),
    forbid('no-unresolved', 'the import leads nowhere', {}, { couldNotResolve: true }),
    forbid(
      'product-only',
      'the product does not import tests, scripts or examples',
      { path: product },
      { path: '^(test|scripts|examples|\\.ci)/' },
    ),
    forbid(
      'programs-start-in-one-place',
      'a program is started by src/programs, under the laws of its kind',
      { path: product, pathNot: within('src/programs') },
      { path: '^(node:)?child_process$', dependencyTypesNot: ['type-only'] },
    ),
    forbid(
      'no-dev-dependencies',
      'the package is installed without them, and the build puts no others into it than those with a row in `packages`',
      { path: product },
      {
        dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown'],
        dependencyTypesNot: ['npm-peer'],
        pathNot: `${anyPackage}(?:${Object.keys(packages).join('|')})/`,
      },
    ),
    ...Object.entries(layers).map(([layer, allowed]) =>
      forbid(
        `layer-${layer.replace('/', '-')}`,
        `${layer} may import ${allowed.join(', ') || 'no other layer'}`,
        { path: within(layer) },
        { path: product, pathNot: [layer, ...allowed].map(within) },
      ),
    ),
    ...Object.entries(rooms).map(([room, known]) =>
      forbid(
        `room-${room}`,
        `src/core/${room} may import ${known.join(', ') || 'no other room'}`,
        { path: within(`src/core/${room}`) },
        { path: '^src/core/', pathNot: [room, ...known].map((name) => within(`src/core/${name}`)) },
      ),
    ),
    forbid(
      'enter-by-index',
      'another layer is entered by its index.ts',
      { path: '^(src/[^/]+|sessions|commands|bin)(?:/|$)' },
      {
        path: '^(src/[^/]+|sessions)/',
        pathNot: ['^$1/', '^(src/[^/]+|sessions)/index\\.ts$', ...extraEntries],
      },
    ),
    forbid(
      'top-index-is-for-users',
      'inside the product, import the layer and not the public surface',
      { path: '^(src/[^/]+|sessions)/' },
      { path: '^src/index\\.ts$' },
    ),
    ...Object.entries(packages).map(([name, allowed]) =>
      forbid(
        `package-${name.replace('[^/]+', 'all')}`,
        `only for ${allowed.join(', ')}`,
        { path: product, pathNot: allowed.map(within) },
        { path: `(^|${anyPackage})${name}(/|$)` },
      ),
    ),
    ...withoutPackages.map((layer) =>
      forbid(
        `no-packages-in-${layer.replace('/', '-')}`,
        `${layer} imports no package at run time`,
        { path: within(layer), pathNot: [...zodEntries, widthEntry, graphFiles] },
        { path: anyPackage, dependencyTypesNot: ['type-only'] },
      ),
    ),
    forbid(
      'graph-files-on-demand',
      'readers of YAML and of schemas are loaded with the first graph file, and not before',
      { path: product, pathNot: graphFiles },
      { path: graphFiles, dependencyTypesNot: ['type-only', 'dynamic-import'] },
    ),
    forbid(
      'core-width-only-its-table',
      'the measure of width imports the table of widths and no other package',
      { path: widthEntry },
      { path: anyPackage, pathNot: `${anyPackage}get-east-asian-width/` },
    ),
    forbid(
      'core-schemas-only-zod',
      'the schema entries of core import zod and no other package',
      { path: zodEntries },
      { path: anyPackage, pathNot: `${anyPackage}zod/` },
    ),
    forbid(
      'core-free-of-zod',
      'only the schema entries may import the schemas, so that core stays free of zod at run time',
      { path: '^src/core/', pathNot: zodEntries },
      { path: zodEntries, dependencyTypesNot: ['type-only'] },
    ),
    ...Object.entries(builtins).map(([layer, allowed]) =>
      forbid(
        `builtins-${layer.replace('/', '-')}`,
        `${layer} may import ${allowed.map((name) => `node:${name}`).join(', ') || 'nothing'} of Node`,
        { path: within(layer), ...(inside(layer).length > 0 && { pathNot: inside(layer).map(within) }) },
        { dependencyTypes: ['core'], pathNot: [`^(node:)?(${allowed.join('|') || '-'})$`] },
      ),
    ),
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['types', 'import', 'node', 'default'],
    },
  },
};
