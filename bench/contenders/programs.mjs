// The programs whose start is measured: how each is called, and what its first prompt shows.
import { existsSync } from 'node:fs';
import path from 'node:path';

import { hookEvent, RULES } from '../harness/hook-event.mjs';
import { agents, program } from '../harness/places.mjs';

const readline = `require('node:readline').createInterface({ input: process.stdin, output: process.stdout })`;

/** What a package puts on the path. */
function installed(name, ...words) {
  return [path.join(agents, 'node_modules', '.bin', name), ...words];
}

/** The binary for this platform of a package whose installation would put it in the place of its own script. */
function native(folder, ...file) {
  return [path.join(agents, 'node_modules', `${folder}-${process.platform}-${process.arch}`, ...file)];
}

/** Codex with a provider of its own at an address, so that nobody asks who pays. */
function providerAt(url) {
  return [
    ['model_provider', 'none'],
    ['model_providers.none.name', 'none'],
    ['model_providers.none.base_url', url],
  ].flatMap(([key, value]) => ['-c', `${key}="${value}"`]);
}

const NO_PROVIDER = providerAt('http://127.0.0.1:9/v1');

/**
 * By name: `command` with its first words, `prompt` with words of its own and the text that shows it, `home` with files
 * of the home folder, `env` with variables for it, `input` with what its stdin says in a folder, `alone` for what must
 * reach no network; `script` says how a script gives it a prompt, which a
 * server at an address answers.
 */
export const programs = {
  'an empty Node': { command: [process.execPath] },
  'Node with readline': {
    command: [process.execPath],
    prompt: { words: ['-e', `${readline}.question('> ', () => undefined)`], shows: '>' },
  },
  hitl: { command: [process.execPath, program], prompt: { words: ['chat', '--model', 'demo'], shows: '>' } },
  'hitl, a hook that a rule decides': {
    command: [process.execPath, program],
    home: { 'config.json': RULES },
    env: (home) => ({ HITL_HOME: home }),
    input: hookEvent,
  },
  'hitl, a server on this machine': {
    command: [process.execPath, program],
    script: {
      words: () => ['chat', '--model', 'anthropic/claude-sonnet-5-5', '--print', 'hello'],
      env: (url) => ({ ANTHROPIC_API_KEY: 'none', ANTHROPIC_BASE_URL: url }),
    },
  },
  'Codex 0.169.0': {
    command: installed('codex'),
    prompt: { words: NO_PROVIDER, shows: 'OpenAI Codex' },
    script: {
      words: (url) => [...providerAt(`${url}/v1`), 'exec', '--skip-git-repo-check', 'hello'],
    },
    alone: true,
  },
  'Claude Code 2.1.329': {
    command: native('@anthropic-ai/claude-code', 'claude'),
    prompt: { words: [], shows: 'trust this folder' },
    home: { '.claude.json': { hasCompletedOnboarding: true, theme: 'dark' } },
    script: {
      words: () => ['-p', 'hello'],
      env: (url) => ({
        ANTHROPIC_API_KEY: 'none',
        ANTHROPIC_BASE_URL: url,
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      }),
    },
    alone: true,
  },
  'pi 0.73.0': {
    command: installed('pi'),
    prompt: { words: ['--offline'], shows: 'ctrl+o more' },
    alone: true,
  },
  'opencode 1.18.33': {
    command: native('opencode', 'bin', 'opencode'),
    prompt: { words: [], shows: 'Ask anything' },
    alone: true,
  },
  'Gemini CLI 0.61.0': {
    command: installed('gemini'),
    prompt: { words: [], shows: 'Do you trust' },
    alone: true,
  },
  'Genkit CLI 1.43.0': { command: installed('genkit'), alone: true },
};

/** The names of those that are others. */
export const others = Object.keys(programs).filter((name) => programs[name].alone === true);

/** The names of those that a script can give a prompt. */
export const SCRIPTED = Object.keys(programs).filter((name) => programs[name].script !== undefined);

/** @throws Error where it is not installed here */
export function programOf(name) {
  const { command, ...rest } = programs[name];
  if (!existsSync(command[0])) throw new Error(`Error: ${name} is not installed for this platform`);
  return { command, ...rest };
}
