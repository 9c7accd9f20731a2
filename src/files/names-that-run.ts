import { nameTable } from './name-table.js';

/** The names of files that something else starts, later and without a question: each rule says by what. */
export const namesThatRun = nameTable([
  {
    names: '.git/ .githooks/ .gitmodules .gitattributes head commondir',
    says: 'git runs hooks, and programs that its settings name',
  },
  {
    names: '.husky/ lefthook.y* .lefthook.y* .pre-commit-config.y* .lintstagedrc*',
    says: 'git runs it at a commit or a push',
  },
  { names: '.gitconfig .config/git/', says: 'git runs programs that it names, in every repository' },
  {
    names: 'mise.toml .mise.toml mise.local.toml .mise/ .tool-versions',
    says: 'mise and asdf choose programs by it, and run what it names',
  },
  { names: '.envrc .direnv/', says: 'direnv runs it when a shell enters the folder' },
  {
    names: '.vscode/ *.code-workspace',
    says: 'Visual Studio Code runs tasks of it, some when the folder is opened',
  },
  { names: '.idea/ .fleet/ .zed/ .devcontainer/ devcontainer.json', says: 'an editor runs what it names' },
  { names: 'hitl.config.*', says: 'hitl reads it at its next start, and asks first whether it is trusted' },
  {
    names: 'package.json .npmrc .yarnrc* .yarn/ .pnpmfile.* .pnp.* pnpm-workspace.yaml binding.gyp',
    says: 'npm and its like run scripts that it names, some at an install',
  },
  { names: 'node_modules/', says: 'programs of this folder load it as code' },
  {
    names:
      '*.config.js *.config.cjs *.config.mjs *.config.ts *.config.cts *.config.mts .*rc.js .*rc.cjs .*rc.mjs',
    says: 'the tool that it configures runs it as code',
  },
  {
    names:
      'makefile gnumakefile *.mk justfile .justfile taskfile.y* rakefile cmakelists.txt configure gulpfile.* gruntfile.*',
    says: 'make and its like run the commands in it',
  },
  {
    names:
      'gradlew build.gradle* settings.gradle* mvnw pom.xml .mvn/ build.rs .cargo/ gemfile composer.json mix.exs',
    says: 'a build runs it',
  },
  {
    names:
      'setup.py setup.cfg pyproject.toml conftest.py noxfile.py tox.ini sitecustomize.py usercustomize.py *.pth',
    says: 'Python and its tools run it, some at every start',
  },
  {
    names:
      '.bashrc .bash_profile .bash_login .bash_logout .bash_aliases .profile .zshrc .zshenv .zprofile .zlogin .zlogout ' +
      '.kshrc .cshrc .tcshrc .login .logout .config/fish/ .inputrc .bashrc.d/ etc/profile* etc/profile.d/ etc/bash* etc/zsh/',
    says: 'a shell runs it when it starts',
  },
  {
    names:
      '.vimrc .gvimrc .exrc .nvimrc .vim/ .config/nvim/ .emacs .emacs.d/ .tmux.conf .gdbinit .lldbinit .irbrc .psqlrc ' +
      '.rprofile .pythonrc* .nanorc .screenrc .wgetrc .curlrc',
    says: 'the program that it belongs to runs it when it starts',
  },
  {
    names:
      '.xprofile .xinitrc .xsession* .pam_environment .config/autostart/ .config/systemd/ etc/systemd/ etc/cron* etc/cron*/ ' +
      'etc/init.d/ etc/ld.so.preload launchagents/ launchdaemons/ *.desktop *.service *.timer .local/bin/',
    says: 'the system or the desktop runs it by itself',
  },
  { names: '.ssh/', says: 'ssh runs programs that it names, and lets in whom it lists' },
  {
    names:
      '.github/workflows/ .github/actions/ .gitlab-ci.y* .circleci/ .buildkite/ .woodpecker/ .woodpecker.y* .drone.y* .travis.y* ' +
      'azure-pipelines.y* bitbucket-pipelines.y* appveyor.y* .appveyor.y* jenkinsfile .ci/',
    says: 'a build server runs it, with its own keys',
  },
  {
    names:
      'dockerfile* containerfile* docker-compose*.y* compose.y* compose.*.y* vagrantfile flake.nix shell.nix',
    says: 'a container or a machine is made of it',
  },
  {
    names: '.claude/ .codex/ .cursor/ .gemini/ .mcp.json',
    says: 'an assistant starts programs that it names',
  },
  {
    names:
      'agents.md agents.override.md claude.md claude.local.md gemini.md .cursorrules .windsurfrules .github/copilot-instructions.md',
    says: 'an assistant obeys it',
  },
]);
