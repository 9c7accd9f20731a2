import { nameTable } from './name-table.js';

/** Project files and folders that other agents run or follow. A trailing slash marks a folder. */
export const STEERING_NAMES: readonly string[] = [
  '.mcp.json',
  'AGENTS.md',
  'AGENTS.override.md',
  'AGENT.md',
  'CLAUDE.md',
  'CLAUDE.local.md',
  'GEMINI.md',
  'QWEN.md',
  'WARP.md',
  '.cursorrules',
  '.windsurfrules',
  '.clinerules',
  '.roorules',
  '.goosehints',
  '.aider.conf.yml',
  'opencode.json',
  'opencode.jsonc',
  '.github/copilot-instructions.md',
  '.github/instructions/',
  '.github/prompts/',
  '.github/agents/',
  '.agents/',
  '.amazonq/',
  '.claude/',
  '.codex/',
  '.continue/',
  '.cursor/',
  '.gemini/',
  '.windsurf/',
  '.roo/',
  '.kiro/',
  '.junie/',
  '.opencode/',
  '.qwen/',
  '.kilocode/',
  '.factory/',
  '.goose/',
  '.agent/',
  '.augment/',
  '.trae/',
  'CRUSH.md',
  'crush.json',
  '.crush.json',
  '.roomodes',
  '.rules',
  'mcp.json',
  'JULES.md',
  'AMP.md',
  '.amp/',
  '.crush/',
  '.forge/',
  'forge.yaml',
  '.openhands/',
  '.aider/',
  '.void/',
  '.zencoder/',
  '.tabnine/',
  '.codeium/',
  '.codex.json',
  '.vibe/',
  'SKILL.md',
];

/**
 * Names of files that some program later runs or follows without asking, with the reason for each rule.
 * Writing such a file shows a warning, and a rule with `*` does not allow it. Such a list can never be
 * complete, so nothing relies on it alone; see the rules guide.
 */
export const namesThatRun = nameTable([
  {
    names: '.git/ .githooks/ .gitmodules .gitattributes head commondir',
    says: 'git runs its hooks, and the programs in its settings',
  },
  {
    names:
      '.husky/ lefthook.y* .lefthook.y* lefthook-local.y* .lefthook-local.y* .pre-commit-config.y* .lintstagedrc* ' +
      'githooks/ .hooks/ .huskyrc* .simple-git-hooks.* simple-git-hooks.* .overcommit.yml captainhook.json',
    says: 'git runs it on commit or push',
  },
  { names: '.hg/ .hgrc .jj/', says: 'another version control system runs the programs in its settings' },
  { names: '.gitconfig .config/git/', says: 'git runs the programs it specifies, in every repository' },
  {
    names:
      'mise.toml .mise.toml mise.local.toml .mise/ .tool-versions .nvmrc .node-version .python-version .ruby-version ' +
      'rust-toolchain rust-toolchain.toml',
    says: 'it selects which programs run, and some tools run the commands in it',
  },
  { names: '.envrc .envrc.d/ .direnv/', says: 'direnv runs it when a shell enters the folder' },
  {
    names: '.vscode/ *.code-workspace',
    says: 'Visual Studio Code runs its tasks, some when the folder is opened',
  },
  {
    names:
      '.idea/ .fleet/ .zed/ .devcontainer/ devcontainer.json .devcontainer.json .helix/ .dir-locals.el .run/ *.sublime-project ' +
      '.local.vimrc .kakrc .gitpod.y* .codesandbox/ .replit',
    says: 'an editor runs the programs it specifies',
  },
  { names: 'hitl.config.*', says: 'hitl reads it at the next start, after asking whether to trust it' },
  {
    names: 'package.json .npmrc .yarnrc* .yarn/ .pnpmfile.* .pnp.* pnpm-workspace.yaml binding.gyp',
    says: 'npm and similar tools run its scripts, some on install',
  },
  { names: 'node_modules/', says: 'programs in this folder load it as code' },
  {
    names:
      '*.config.js *.config.cjs *.config.mjs *.config.ts *.config.cts *.config.mts .*rc.js .*rc.cjs .*rc.mjs .*rc.ts ' +
      '*.conf.js *.conf.cjs *.conf.mjs *.conf.ts *.setup.js *.setup.cjs *.setup.mjs *.setup.ts setuptests.* ' +
      '*.config.json tsconfig*.json jsconfig.json webpack.*.js webpack.*.cjs webpack.*.mjs webpack.*.ts gulpfile.* gruntfile.*',
    says: 'the tool it configures runs it as code',
  },
  {
    names:
      '.babelrc* .eslintrc* .mocharc* .nycrc* .postcssrc* .prettierrc* .releaserc* .stylelintrc* .swcrc .taprc nodemon.json ' +
      '.commitlintrc* .versionrc* .changeset/ .graphqlrc* .sequelizerc knexfile.* .remarkrc* .textlintrc* schema.prisma ' +
      'phpunit.xml* phpstan.neon* rector.php .php-cs-fixer*.php grumphp.y* mkdocs.y* .readthedocs.y* book.toml _plugins/ doxyfile ' +
      'codegen.* orval.* openapitools.json .graphqlconfig* apollo.config.* foundry.toml remappings.txt .ansible-lint* .tflint.hcl ' +
      '.megalinter.y* mega-linter.y* .trunk/ biome.json* dprint.json* .markdownlint-cli2.* .cspell.* cspell.* treefmt.toml .treefmt.toml ' +
      '.cz.* .czrc .gitlint .bandit _quarto.y* typedoc.* wdio.* cypress.json .testcaferc* ' +
      '.clangd .ycm_extra_conf.py .coveragerc alembic.ini buf.gen.y* sqlc.y* .pre-commit-hooks.y* ' +
      '.rspec .rubocop.y* .golangci.y* .pylintrc mypy.ini .flake8 .luacheckrc .latexmkrc .storybook/ .eleventy.js',
    says: 'the tool it configures loads or runs what it specifies',
  },
  {
    names:
      'makefile makefile.* gnumakefile gnumakefile.* *.mk *.mak justfile .justfile taskfile.y* rakefile *.rake guardfile ' +
      'cmakelists.txt *.cmake cmakepresets.json configure configure.ac procfile procfile.* tiltfile brewfile earthfile skaffold.y* ' +
      'deno.json deno.jsonc bunfig.toml turbo.json turbo.jsonc nx.json lerna.json rush.json ' +
      'mise.toml mise.*.toml .mise.toml .mise.*.toml mise/config*.toml .mise/ .tool-versions',
    says: 'make and similar tools run the commands in it',
  },
  {
    names:
      'gradlew build.gradle* settings.gradle* init.gradle* mvnw pom.xml .mvn/ build.rs cargo.toml .cargo/ gemfile *.gemspec ' +
      'composer.json mix.exs rebar.config build.xml build.sbt build.sc build.zig package.swift podfile fastfile ' +
      'workspace workspace.bazel workspace.bzlmod build build.bazel module.bazel *.bzl .bazelrc buck sconstruct sconscript wscript ' +
      'meson.build meson_options.txt meson.options xmake.lua premake*.lua *.csproj *.fsproj *.vcxproj *.targets *.props ' +
      'gradle.properties gradle-wrapper.properties dune dune-project setup.hs kbuild bsdmakefile makevars magefile.go deps.edn ' +
      'project.clj bb.edn build.ninja extconf.rb config.nims .bazelrc* snakefile ' +
      'buildsrc/ *.gradle *.gradle.kts *.sbt local.properties .bazeliskrc .bazelversion build.gn *.gni .gn cmakeuserpresets.json ' +
      'main.nf *.nf *.wdl *.cwl west.y* .west/ *.bp android.mk application.mk *.qbs *.gpr alire.toml vcpkg.json appraisals thorfile ' +
      'berksfile puppetfile mintfile deps/build.jl *.m4 autogen.sh bootstrap.sh *.ninja *.gyp *.gypi build.boot shadow-cljs.edn profiles.clj ' +
      '*.mill paket.dependencies global.json *.sln *.slnx *.proj *.pubxml *.csx spago.dhall spago.yaml bower.json .bowerrc gleam.toml ' +
      '*.rockspec .luarocks/ moon.y* .moon/ .prototools pants.toml .buckconfig .plzconfig rebar.config.script config/config.exs ' +
      'config/runtime.exs relx.config opam *.opam ' +
      'conanfile.* platformio.ini *.nimble *.cabal cabal.project* stack.yaml hie.yaml dub.json dub.sdl pubspec.yaml pubspec.lock ' +
      'melos.yaml analysis_options.yaml project.pbxproj *.podspec cartfile *.cake nuget.config dotnet-tools.json makefile.pl ' +
      'build.pl cpanfile dangerfile capfile config.ru .bundle/ angular.json project.json nest-cli.json ember-cli-build.js ' +
      'gatsby-node.* gatsby-config.* tauri.conf.json trunk.toml bacon.toml nextest.toml .air.toml nextflow.config dvc.yaml',
    says: 'a build runs it',
  },
  {
    names:
      'hatch.toml hatch_build.py build_backend.py waf site_scons/ pavement.py gunicorn.conf.py jupyter_*config.py .ipython/ .jupyter/ ' +
      'environment.y* meta.yaml poetry.toml uv.toml pip.conf .pip/ .condarc ' +
      'setup.py setup.cfg pyproject.toml pixi.toml conftest.py dodo.py fabfile.py noxfile.py tox.ini pytest.ini sitecustomize.py usercustomize.py *.pth',
    says: 'Python and its tools run it, some at every start',
  },
  {
    names:
      'package-lock.json npm-shrinkwrap.json yarn.lock pnpm-lock.yaml bun.lock bun.lockb deno.lock cargo.lock gemfile.lock ' +
      'go.sum go.work.sum vendor/modules.txt pylock*.toml constraints*.txt pixi.lock conda-lock.y* ' +
      'composer.lock poetry.lock uv.lock pdm.lock pipfile pipfile.lock requirements*.txt go.mod go.work flake.lock mix.lock ' +
      'podfile.lock package.resolved gradle.lockfile packages.lock.json',
    says: 'an install loads the packages it lists, many of which run code',
  },
  {
    names:
      '.bashrc .bash_profile .bash_login .bash_logout .bash_aliases .profile .zshrc .zshenv .zprofile .zlogin .zlogout ' +
      '.kshrc .cshrc .tcshrc .login .logout .config/fish/ .inputrc .bashrc.d/ etc/profile* etc/profile.d/ etc/bash* etc/zsh/',
    says: 'a shell runs it at startup',
  },
  {
    names:
      '.vimrc .gvimrc .exrc .nvimrc .nvim.lua .lvimrc .vim/ .config/nvim/ .emacs .emacs.d/ .tmux.conf .gdbinit .lldbinit .irbrc .psqlrc ' +
      'init.vim .vscodevimrc .ideavimrc .spacemacs .doom.d/ .config/helix/ .config/zed/ .config/kitty/ .wezterm.lua .lesskey .haskeline ' +
      '.sqliterc .my.cnf .mongorc.js .mongoshrc.js .phpsh .perldb .guile .clisprc .sbclrc .iex.exs ' +
      '.rprofile .renviron .pdbrc .pryrc .ghci .ocamlinit .pythonrc* .nanorc .screenrc .wgetrc .curlrc',
    says: 'its program runs it at startup',
  },
  {
    names:
      'crontab *.crontab supervisord.conf .monitrc *.socket .config/environment.d/ ' +
      '.xprofile .xinitrc .xsession* .pam_environment .config/autostart/ .config/systemd/ etc/systemd/ etc/cron* etc/cron*/ ' +
      'etc/init.d/ etc/ld.so.preload launchagents/ launchdaemons/ *.desktop *.service *.timer .local/bin/',
    says: 'the system or the desktop runs it automatically',
  },
  { names: '.ssh/', says: 'ssh runs the programs it specifies, and grants access to the keys it lists' },
  {
    names:
      '.github/workflows/ .github/actions/ .gitlab-ci.y* .circleci/ .buildkite/ .woodpecker/ .woodpecker.y* .drone.y* .travis.y* ' +
      'azure-pipelines*.y* .azuredevops/ .pipelines/ bitbucket-pipelines.y* appveyor.y* .appveyor.y* jenkinsfile jenkinsfile.* .ci/ ' +
      '.forgejo/ .gitea/ .gitlab/ .cirrus.y* .builds/ .semaphore/ .tekton/ .teamcity/ .harness/ wercker.y* cloudbuild.y* ' +
      'zuul.y* .zuul.y* zuul.d/ .zuul.d/ .prow.y* .prow/ codemagic.y* bitrise.y* .build.y* dagger.json .dagger/ .platform.app.y* .upsun/ ' +
      'cloudbuild.json codefresh.y* .depot/ .argo/ ' +
      'buildspec.y* action.yml action.yaml .goreleaser.y* .release-it.* ' +
      '.github/dependabot.y* renovate.json .renovaterc* codeowners',
    says: 'a build server runs it, with its own keys',
  },
  {
    names:
      'dockerfile* containerfile* docker-compose*.y* compose.y* compose.*.y* vagrantfile flake.nix shell.nix ' +
      '*.nix devenv.y* devfile.y* .devfile.y* *.dockerfile docker-bake.* *.pkr.hcl cloud-init* singularity* okteto.y* garden.y* werf.y* ' +
      'default.nix devenv.nix devbox.json',
    says: 'containers or machines are built from it',
  },
  {
    names: STEERING_NAMES.join(' '),
    says: 'other agents run what it specifies, or follow its instructions',
  },
]);

/** Like `namesThatRun`, but for names that are run or followed only within a project. */
export const projectNamesThatRun = nameTable([
  {
    names:
      'scripts/ script/ bin/ tools/bazel pre-commit post-merge tasks.py manage.py artisan config/boot.rb docs/conf.py ' +
      '*.sh *.bash *.zsh *.fish *.ps1 *.bat *.cmd',
    says: 'hooks, builds and people run it',
  },
  {
    names:
      'vercel.json netlify.toml fly.toml render.y* app.y* serverless.y* *.tf *.tfvars k8s/ kubernetes/ helm/ infra/ ' +
      'cdk.json firebase.json wrangler.* pulumi.* helmfile.y* chart.yaml terragrunt.hcl .terraform/ ' +
      'ansible/ playbook*.y* .ebextensions/ amplify.y* atlantis.y*',
    says: 'a deployment uses it on other machines',
  },
  { names: 'migrations/', says: 'a deployment runs it on existing data' },
]);
