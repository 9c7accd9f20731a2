/** A call of another agent that a rule of a person decides. */
export const RULES = { rules: { allow: ['run_command git status'] } };

/** What the agent's hook is told of the call. */
export function hookEvent(cwd) {
  return JSON.stringify({
    ...{ session_id: 'bench', transcript_path: '/none', cwd, permission_mode: 'default' },
    ...{ hook_event_name: 'PreToolUse', tool_name: 'Bash', tool_use_id: 'toolu_1' },
    tool_input: { command: 'git status' },
  });
}
