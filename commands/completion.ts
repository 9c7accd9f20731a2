import type { Command } from 'commander';
import { HitlError, plainLine } from '../src/core/index.js';
import type { Io } from './host/index.js';
import type { CommonFlags } from './flags/index.js';
import { openStore } from './store/index.js';

const SCRIPTS: Readonly<Record<string, string>> = {
  bash: `# hitl completion for bash: add to ~/.bashrc:  source <(hitl completion bash)
_hitl() {
  local line words
  COMPREPLY=()
  while IFS=$'\\t' read -r line _; do COMPREPLY+=("$line"); done < <(hitl __complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -o default -F _hitl hitl
`,
  zsh: `#compdef hitl
# hitl completion for zsh: add to ~/.zshrc:  source <(hitl completion zsh)
_hitl() {
  local -a found
  local line
  while IFS=$'\\t' read -r word text; do found+=("\${word//:/\\\\:}\${text:+:$text}"); done < <(hitl __complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)
  _describe 'hitl' found
}
compdef _hitl hitl
`,
  fish: `# hitl completion for fish: save as ~/.config/fish/completions/hitl.fish
complete -c hitl -f -a '(hitl __complete -- (commandline -opc)[2..-1] (commandline -ct) 2>/dev/null)'
`,
};

/** Commands whose first argument is a session. */
const TAKES_SESSION = new Set([
  'resume',
  'answer',
  'send',
  'pause',
  'cancel',
  'queue',
  'fork',
  'rewind',
  'show',
  'why',
  'export',
  'rm',
  'doctor',
]);
const MOST_SESSIONS = 50;

/** `hitl completion <shell>`: the script that a shell loads. */
export function completion(io: Io, [shell]: readonly unknown[]): Promise<number> {
  const script = typeof shell === 'string' && Object.hasOwn(SCRIPTS, shell) ? SCRIPTS[shell] : undefined;
  if (script === undefined) {
    throw new HitlError('USAGE', `no completion for \`${String(shell)}\``, {
      hint: `the shells are: ${Object.keys(SCRIPTS).join(', ')}`,
    });
  }
  io.stdout.write(script);
  return Promise.resolve(0);
}

/** What the words so far may become, one a line, with a tab before what it is. */
export async function complete(
  io: Io,
  [given]: readonly unknown[],
  flags: CommonFlags,
  program: Command,
): Promise<number> {
  const words = Array.isArray(given) ? given.map(String) : [];
  const current = words.at(-1) ?? '';
  const found = await candidates(io, { before: words.slice(0, -1), current }, flags, program);
  for (const [word, text] of found) if (word.startsWith(current)) io.stdout.write(`${word}\t${text}\n`);
  return 0;
}

async function candidates(
  io: Io,
  { before, current }: { readonly before: readonly string[]; readonly current: string },
  flags: CommonFlags,
  program: Command,
): Promise<readonly (readonly [string, string])[]> {
  const commands = program.commands.filter((command) => !command.name().startsWith('__'));
  const name = before.find((word) => !word.startsWith('-'));
  if (name === undefined && !current.startsWith('-')) {
    return commands.map((command) => [command.name(), command.description()]);
  }
  const command =
    commands.find((one) => one.name() === name || one.aliases().includes(name ?? '')) ?? program;
  if (current.startsWith('-'))
    return command.options.map((option) => [option.long ?? option.flags, option.description]);
  return TAKES_SESSION.has(command.name()) ? sessions(io, flags) : [];
}

async function sessions(io: Io, flags: CommonFlags): Promise<readonly (readonly [string, string])[]> {
  const found: (readonly [string, string])[] = [];
  for await (const { id, title } of openStore(io, flags).list()) {
    found.push([id, plainLine(title, 40)]);
    if (found.length >= MOST_SESSIONS) break;
  }
  return found;
}
