import { escapeText, isJsonObject } from '../core/index.js';
import type { JsonValue } from '../core/index.js';
import { formatDuration } from './time.js';

/** The result of a call as it is shown: a few facts, and a text of which the first lines are shown. */
export interface ShownResult {
  /** The tool did its work and tells of a failure: a command that ended with another status than 0. */
  readonly tellsFailure?: boolean;
  /** In words of ours, safe for a terminal. */
  readonly facts: readonly string[];
  /** From outside. */
  readonly text?: string;
  /** The rest, which is neither of them; absent where nothing is left. */
  readonly rest?: JsonValue;
}

/** A call that took less is told without its time. */
const WORTH_TELLING_MS = 100;

/** `0.8 s`; nothing for what took no time. */
export function tookFact(ms: number | undefined): readonly string[] {
  if (ms === undefined || ms < WORTH_TELLING_MS) return [];
  return [ms < 10_000 ? `${(ms / 1000).toFixed(1)} s` : formatDuration(ms)];
}

/** An output in words where it is one of the product's own tools', else its one text of several lines and the rest. */
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

/** The one text of several lines in an output, and what else it holds. */
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
