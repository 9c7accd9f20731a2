import { realpathSync } from 'node:fs';
import { isAbsolute } from 'node:path';

import { messageOf } from '../../src/core/index.js';
import { findInPath } from '../../src/programs/index.js';
import type { AgentName } from '../asking/agents.js';
import { AGENTS } from '../asking/agents.js';
import { lastHeard, TRUST_IN_CODEX } from './heard.js';
import { hookFile, readHooks, startedHooks } from './hook-file.js';
import type { Io } from '../host/index.js';
import type { Check } from '../report/checks.js';

type Place = Pick<Io, 'env' | 'home' | 'cwd'>;

/**
 * Checks the hitl hooks in the configurations of other agents, without running them. @param own the path of
 * this program
 */
export function hookChecks(io: Place, own: string): readonly Check[] {
  return AGENTS.flatMap((agent) =>
    [false, true].flatMap((isProject): readonly Check[] => {
      const file = hookFile(io, agent, isProject);
      const what = `hook ${agent}`;
      try {
        return startedHooks(readHooks(file).document, agent).map(({ tools, program }) => ({
          what,
          ...checked(io, { agent, tools, program, file, own }),
        }));
      } catch (thrown) {
        return [{ what, status: 'warning', found: messageOf(thrown), hint: 'mend the file' }];
      }
    }),
  );
}

interface Installed {
  readonly agent: AgentName;
  readonly tools: string;
  readonly program: readonly string[];
  /** The configuration file that contains the hook. */
  readonly file: string;
  readonly own: string;
}

function checked(io: Place, { agent, tools, program, file, own }: Installed): Omit<Check, 'what'> {
  // A program that is a script of Node is started by the one on the search path.
  const words = program.length === 1 ? ['node', ...program] : program;
  const places = words.map((word) => placeOf(io, word));
  const missing = words.find((_word, index) => places[index] === undefined);
  if (missing !== undefined)
    return {
      status: 'failed',
      found: `program \`${missing}\` not found (${file}), so ${agent} decides without hitl`,
      hint: `install it where ${agent} can find it, or: hitl hook uninstall ${agent}`,
    };
  const started = places.at(-1) ?? '';
  if (started !== realOf(own))
    return {
      status: 'warning',
      found: `starts ${started} instead of this program (${file})`,
      hint: `remove the other hitl from PATH, or run: ${started} hook status`,
    };
  const heard = lastHeard(io, agent);
  return heard === undefined
    ? {
        status: 'warning',
        found: `${tools} (${file}), never heard yet`,
        hint: agent === 'codex' ? TRUST_IN_CODEX : 'restart the agent and let it call a tool',
      }
    : { status: 'ok', found: `${tools} (${file}), last heard ${heard}` };
}

/** Finds a program or file used in a command. Returns its real path, or `undefined` if it is not found. */
function placeOf({ env }: Pick<Io, 'env'>, word: string): string | undefined {
  const file = isAbsolute(word) ? word : findInPath(word, env['PATH'] ?? '');
  return file === undefined ? undefined : realOf(file);
}

function realOf(file: string): string | undefined {
  try {
    return realpathSync(file);
  } catch {
    return undefined; // not there
  }
}
