import { checkModel } from '../src/models/index.js';
import type { ChosenModel } from './agent/choose-model.js';
import type { ModelName } from './agent/model-words.js';
import { accessTo, checkServerFlag, chosenModel, isDemo } from './agent/choose-model.js';
import { modeFor } from './agent/mode-for.js';
import { nameOf } from './agent/model-words.js';
import { needsKeyCommand } from './agent/key-command.js';
import type { FoundMemory } from './agent/project-memory.js';
import { projectMemory } from './agent/project-memory.js';
import type { NewChat } from './running/new-chat.js';
import { effectiveFlags } from './config/effective.js';
import { firstText } from './input/first-text.js';
import { atFirstPrompt } from './seat/first-prompt.js';
import { columnsOf } from './screen/terminal-facts.js';
import { startLines } from './seat/start-lines.js';
import { statusBar } from './seat/status-bar.js';
import { newChat } from './running/new-chat.js';
import { unsavedNotices } from './running/unsaved.js';
import type { Io } from './host/index.js';
import type { Mode } from './flags/mode.js';
import type { AgentFlags, ReplyFlags, RunFlags, TalkFlags } from './flags/options.js';
import { withAgent } from './flags/options.js';
import { modeOf } from './flags/mode.js';
import { modeLines, RulesInForce } from './agent/rules-in-force.js';

/**
 * `hitl chat`: starts a session. Without an initial message, shows the prompt before most of the program has
 * loaded.
 */
export async function chat(
  io: Io,
  words: readonly string[],
  given: TalkFlags & ReplyFlags & AgentFlags,
): Promise<number> {
  const mode = modeOf(io, given);
  const { flags, config } = await effectiveFlags(io, withAgent(given), mode);
  const prompt = await firstText(io, flags, words);
  const chosen = await chosenModel(io, flags, { config });
  const inForce = modeFor(flags, config);
  const name = isDemo(chosen, config) ? { spec: 'demo' } : nameOf(chosen);
  const found = await projectMemory(io, flags, mode);
  const notices = [
    ...openingLines(io, flags, mode, { chosen, name, found }),
    ...found.notices,
    ...(inForce === 'ask' ? [] : modeLines(new RulesInForce(io, flags, { mode: inForce }))),
    ...unsavedNotices(flags),
  ];
  const plan = { mode, config, chosen, found };
  if (prompt === undefined && isPlain(io, flags, plan)) {
    return atFirstPrompt(
      io,
      flags,
      { mode, notices, status: statusBar(io, flags, name, inForce) },
      (entrance) => newChat(io, flags, { ...plan, notices: [], entrance }),
    );
  }
  return newChat(io, flags, { ...plan, notices, ...(prompt !== undefined && { prompt }) });
}

/**
 * Returns the lines at the start of a session. On a terminal, they show the location and what to type.
 * Otherwise, they explain why this model was chosen, unless a flag chose it.
 */
function openingLines(
  io: Io,
  flags: RunFlags,
  { interactive }: Mode,
  {
    chosen,
    name,
    found: { memory },
  }: { readonly chosen: ChosenModel; readonly name: ModelName; readonly found: FoundMemory },
): readonly string[] {
  if (interactive && flags.print !== true)
    return startLines(io, flags, { ...name, ...columnsOf(io.stderr), memory: memory?.name });
  return chosen.notice === undefined ? [] : [chosen.notice];
}

/**
 * Flags that can only be checked once the whole program has loaded. If one is set, it is checked before the
 * prompt appears.
 */
const TOLD_FIRST = [
  'tools',
  'allowTool',
  'denyTool',
  'allow',
  'yes',
  'answers',
  'answer',
  'recordAnswers',
  'jsonSchema',
  'serverTool',
] as const;

/**
 * Whether the prompt can appear before the program has fully loaded: a user is at the terminal, and nothing
 * else must be checked first.
 * @throws HitlError USAGE for an unknown model, BAD_CONFIG for a provider without a key or with a bad URL.
 */
function isPlain(
  io: Io,
  flags: RunFlags,
  { mode, config, chosen }: Pick<NewChat, 'mode' | 'config' | 'chosen'>,
): boolean {
  if (mode.keys === undefined || mode.format !== 'text' || !io.stdout.isTTY) return false;
  if (TOLD_FIRST.some((flag) => flags[flag] !== undefined) || flags.system?.startsWith('@') === true)
    return false;
  if (needsKeyCommand(io, config, chosen)) return false; // what is wrong with it is told first
  checkServerFlag(flags, chosen, config);
  const { type } = checkModel(chosen.spec, accessTo(chosen, io, config));
  return type === 'demo' || type === 'anthropic'; // the others are files, and are read first
}
