import { describe, expect, test } from 'vitest';

import { namesThatRun, projectNamesThatRun } from '../../src/files/index.js';
import { foldName, nameTable } from '../../src/files/name-table.js';
import { sensitiveNames } from '../../src/files/holdings.js';

describe('a table of names', () => {
  const table = nameTable([
    { names: '*.pem .git/config', says: 'file' },
    { names: '.ssh/ a/b/', says: 'folder' },
  ]);

  test.for([
    ['/x/key.pem', 'file'],
    ['/x/key.pem/y', undefined],
    ['/x/.git/config', 'file'],
    ['/x/config', undefined],
    ['/x/git/config', undefined],
    ['/x/.ssh', 'folder'],
    ['/x/.ssh/deep/y', 'folder'],
    ['/x/a/b', 'folder'],
    ['/x/a/b/c/d', 'folder'],
    ['/x/a/c/b', undefined],
    ['/', undefined],
  ] as const)('says of %s: %s', ([file, says]) => {
    expect(table.find(file)).toBe(says);
  });

  test('tells what only the part below a folder tells', () => {
    expect(table.findBelow('/x/.ssh', '/x/.ssh/note')).toBeUndefined();
    expect(table.findBelow('/x/.ssh', '/x/.ssh/key.pem')).toBe('file');
    expect(table.findBelow('/x/.git', '/x/.git/config')).toBe('file');
    expect(table.findBelow('/x', '/x/.ssh/note')).toBe('folder');
  });
});

test.for([
  ['.GIT', '.git'],
  ['.\u0261it', '.\u0261it'],
  ['.g\u200cit', '.git'],
  ['.\u017f\u017fh', '.ssh'],
  ['e\u0301.pem', '\u00e9.pem'],
  ['\u212aEY.PEM', 'key.pem'],
  ['.git. ', '.git'],
  ['...', '...'],
  ['Makefile', 'makefile'],
  ['', ''],
])('the name %j is compared as %j', ([name, folded]) => {
  expect(foldName(name!)).toBe(folded);
});

describe('what often holds keys', () => {
  test.for([
    '/p/.env',
    '/p/.env.local',
    '/p/.ENV',
    '/h/.ssh/known_hosts',
    '/h/.aws/credentials',
    '/h/.gnupg/x',
    '/h/.netrc',
    '/p/.npmrc',
    '/p/id_rsa',
    '/p/server.pem',
    '/p/.git/config',
    '/h/.bash_history',
    '/h/.kube/config',
    '/h/.docker/config.json',
    '/h/.config/gh/hosts.yml',
  ])('%s', (file) => {
    expect(sensitiveNames.find(file)).toBeDefined();
  });

  test.for(['/p/src/env.ts', '/p/environment', '/p/README.md', '/p/.git/HEAD', '/p/ssh/a', '/p/config'])(
    'not %s',
    (file) => {
      expect(sensitiveNames.find(file)).toBeUndefined();
    },
  );
});

const OBEYED = 'other agents run what it specifies, or follow its instructions';
const INSTALLED = 'an install loads the packages it lists, many of which run code';

describe('what runs later', () => {
  test.for([
    ['/p/.git/hooks/pre-commit', 'git runs its hooks, and the programs in its settings'],
    ['/p/.GIT/hooks/pre-commit', 'git runs its hooks, and the programs in its settings'],
    ['/p/.husky/pre-commit', 'git runs it on commit or push'],
    ['/p/.envrc', 'direnv runs it when a shell enters the folder'],
    ['/p/.vscode/tasks.json', 'Visual Studio Code runs its tasks, some when the folder is opened'],
    ['/p/package.json', 'npm and similar tools run its scripts, some on install'],
    ['/p/hitl.config.json', 'hitl reads it at the next start, after asking whether to trust it'],
    ['/p/HITL.config.ts', 'hitl reads it at the next start, after asking whether to trust it'],
    ['/h/.bashrc', 'a shell runs it at startup'],
    ['/p/.github/workflows/ci.yml', 'a build server runs it, with its own keys'],
    ['/p/Makefile', 'make and similar tools run the commands in it'],
    ['/p/vite.config.ts', 'the tool it configures runs it as code'],
    ['/h/.ssh/authorized_keys', 'ssh runs the programs it specifies, and grants access to the keys it lists'],
    ['/h/.config/systemd/user/x.service', 'the system or the desktop runs it automatically'],
    ['/p/AGENTS.md', OBEYED],
    ['/p/deep/below/claude.md', OBEYED],
    ['/p/.github/copilot-instructions.md', OBEYED],
    ['/p/.github/instructions/x.md', OBEYED],
    ['/p/.claude/settings.json', OBEYED],
    ['/p/package-lock.json', INSTALLED],
    ['/p/sub/yarn.lock', INSTALLED],
    ['/p/requirements-dev.txt', INSTALLED],
  ])('%s: %s', ([file, by]) => {
    expect(namesThatRun.find(file!)).toBe(by);
  });

  // A15: each was written without a question in the mode `accept-edits`.
  test.for(
    (
      'gulpfile.js Gruntfile.js karma.conf.js webpack.prod.js jest.setup.js .mocharc.json .babelrc .eslintrc.json nodemon.json ' +
      'deno.json turbo.json nx.json mise.toml .tool-versions Procfile Tiltfile Brewfile WORKSPACE BUILD.bazel meson.build ' +
      'SConstruct Makefile.am .nvim.lua .rspec package-lock.json AGENTS.md CLAUDE.md GEMINI.md .cursorrules ' +
      'buildSrc/A.kt more.gradle.kts project/plugins.sbt angular.json gatsby-node.js schema.prisma phpunit.xml.dist ' +
      'rector.php mkdocs.yml BUILD.gn conanfile.py x.cabal pubspec.yaml A.xcodeproj/project.pbxproj .config/nextest.toml ' +
      'codegen.ts codegen.yml main.nf sub.nf west.yml orval.config.ts opam app.opam Appraisals Thorfile Berksfile autogen.sh acinclude.m4 ' +
      'build.mill App.sln Directory.Build.props moon.yml .prototools pants.toml hatch_build.py waf pavement.py environment.yml go.sum ' +
      'app.crontab a.socket zuul.yaml codemagic.yml dagger.json docker-bake.hcl base.dockerfile x.nix devfile.yaml image.pkr.hcl ' +
      '.ideavimrc .sbclrc .amp/settings.json .openhands/setup.sh SKILL.md biome.jsonc foundry.toml cspell.json vcpkg.json'
    ).split(' '),
  )('%s, at the top and below', (name) => {
    expect(namesThatRun.find(`/p/${name}`)).toBeDefined();
    expect(namesThatRun.find(`/p/packages/one/${name}`)).toBeDefined();
  });

  test.for([
    '/p/src/main.ts',
    '/p/README.md',
    '/p/config.ts',
    '/p/git/hooks/x',
    '/p/src/workspace.ts',
    '/p/build/out.txt',
    '/p/src/setup.ts',
    '/p/docs/agents.md.txt',
    '/p/src/lock.ts',
    '/p/src/init.lua',
    '/p/src/code-generator.ts',
    '/p/docs/environment.md',
    '/p/src/west.ts',
    '/p/src/socket.ts',
  ])('not %s', (file) => {
    expect(namesThatRun.find(file)).toBeUndefined();
  });
});

test.for(
  'HEAD sub/HEAD commondir gulpfile.js .pnp.cjs mise.toml .mise.toml .tool-versions sub/CLAUDE.md sub/AGENTS.md sub/.mcp.json'.split(
    ' ',
  ),
)('%s runs or steers something later (H7)', (name) => {
  expect(namesThatRun.find(`/proj/${name}`)).toBeDefined();
});

test.for([
  ['/scripts/check.mjs', 'hooks, builds and people run it'],
  ['/tools/release.sh', 'hooks, builds and people run it'],
  ['/infra/main.tf', 'a deployment uses it on other machines'],
  ['/packages/app/migrations/002.sql', 'a deployment runs it on existing data'],
  ['/infra-app/cdk.json', 'a deployment uses it on other machines'],
  ['/src/cart.ts', undefined],
] as const)('%s of a project runs later: %s', ([file, says]) => {
  expect(projectNamesThatRun.find(file)).toBe(says);
});
