/** Printed instead of completions if the shell should complete file names. */
export const FILES = ':files';

/**
 * Completion script for each shell. The script passes the words to `hitl __complete` and reads completions,
 * each on its own line with a tab before the description, or `:files`.
 */
export const SHELL_SCRIPTS: Readonly<Record<string, string>> = {
  // Bash offers files by itself where nothing was found. It makes words of their own of `:` and `=`.
  bash: `# hitl completion for bash: add to ~/.bashrc:  source <(hitl completion bash)
_hitl() {
  local line
  COMPREPLY=()
  while IFS=$'\\t' read -r line _; do
    [ "$line" = ${FILES} ] || COMPREPLY+=("$line")
  done < <(hitl __complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -o default -F _hitl hitl
`,
  zsh: `#compdef hitl
# hitl completion for zsh: add to ~/.zshrc:  source <(hitl completion zsh)
_hitl() {
  local -a found
  local word text
  while IFS=$'\\t' read -r word text; do
    if [[ $word == ${FILES} ]]; then _files; return; fi
    found+=("\${word//:/\\\\:}\${text:+:$text}")
  done < <(hitl __complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)
  _describe 'hitl' found
}
if [[ $funcstack[1] == _hitl ]]; then
  _hitl "$@"
else
  (( $+functions[compdef] )) || { autoload -Uz compinit && compinit }
  compdef _hitl hitl
fi
`,
  fish: `# hitl completion for fish: save as ~/.config/fish/completions/hitl.fish
function __hitl_complete
  set -l found (hitl __complete -- (commandline -opc)[2..-1] (commandline -ct) 2>/dev/null)
  if test "$found" = ${FILES}
    __fish_complete_path (commandline -ct)
  else
    printf '%s\\n' $found
  end
end
complete -c hitl -f -a '(__hitl_complete)'
`,
};
