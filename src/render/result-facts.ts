import { escapeText, isJsonObject } from '../core/index.js';
import type { JsonValue } from '../core/index.js';
import { formatDuration } from './time.js';

/** A displayed result: a few facts, and a text whose first lines are shown. */
export interface ShownResult {
  /** The tool completed but reports a failure: a command with an exit status other than 0. */
  readonly tellsFailure?: boolean;
  /** In our own words, safe for a terminal. */
  readonly facts: readonly string[];
  /** Foreign text. */
  readonly text?: string;
  /** Everything else; absent if empty. */
  readonly rest?: JsonValue;
}

/** Faster calls are shown without their duration. */
const WORTH_TELLING_MS = 100;

/** `0.8 s`; nothing for a negligible duration. */
export function tookFact(ms: number | undefined): readonly string[] {
  if (ms === undefined || ms < WORTH_TELLING_MS) return [];
  return [ms < 10_000 ? `${(ms / 1000).toFixed(1)} s` : formatDuration(ms)];
}

/** Formats a built-in tool's output in words; for others, separates its one multi-line text from the rest. */
export function shownResult(name: string, output: JsonValue): ShownResult {
  return (isJsonObject(output) ? builtIn(name, output) : undefined) ?? withText(output);
}

function builtIn(name: string, output: Readonly<Record<string, JsonValue>>): ShownResult | undefined {
  switch (name) {
    case 'run_command':
      return commandResult(output);
    case 'write_file': {
      const { bytes } = output;
      return typeof bytes === 'number' ? { facts: [`${bytes.toLocaleString('en-US')} bytes`] } : undefined;
    }
    case 'edit_file': {
      const { line } = output;
      return typeof line === 'number' ? { facts: [`line ${line}`] } : undefined;
    }
    default:
      return undefined;
  }
}

function commandResult(result: Readonly<Record<string, JsonValue>>): ShownResult | undefined {
  const { exitCode, signal, output, omittedCharacters: _omitted, ...rest } = result;
  if (typeof output !== 'string') return undefined;
  const end =
    typeof exitCode === 'number'
      ? [`exit ${exitCode}`]
      : typeof signal === 'string'
        ? [`ended by ${escapeText(signal)}`]
        : [];
  return {
    tellsFailure: exitCode !== 0,
    facts: end,
    ...(output.trim() !== '' && { text: output }),
    ...(Object.keys(rest).length > 0 && { rest }),
  };
}

/** Returns the one multi-line text of an output, and the rest. */
function withText(output: JsonValue): ShownResult {
  if (typeof output === 'string' && output.trimEnd().includes('\n')) return { facts: [], text: output };
  if (!isJsonObject(output)) return { facts: [], rest: output };
  for (const [key, text] of Object.entries(output)) {
    if (typeof text === 'string' && text.trimEnd().includes('\n')) {
      const rest = Object.entries(output).filter(([other, value]) => other !== key && value !== null);
      return { facts: [], text, rest: Object.fromEntries(rest) };
    }
  }
  return { facts: [], rest: output };
}
