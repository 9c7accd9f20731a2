import type { Interrupt, JsonObject, JsonValue, ToolDescriptor } from '../../core/index.js';
import {
  bareText,
  escapeText,
  isAboutSandbox,
  isJsonArray,
  isJsonObject,
  membersOf,
  SANDBOX,
} from '../../core/index.js';
import type { QuestionLine } from '../values/text-line.js';
import { GUTTER } from '../values/value-rows.js';
import { BUILT_IN } from './words.js';

/** Matches the paths of system programs. */
const OF_THE_SYSTEM = /^\/(?:usr\/(?:local\/)?)?s?bin\/[^/\s]+$/;

type IsUsual = (fact: string, input: Readonly<Record<string, JsonValue>>) => boolean;

/**
 * Whether a URL has exactly this host directly after its scheme, so that nothing in the URL can be mistaken
 * for a different host.
 */
function saysHost(url: JsonValue | undefined, host: string): boolean {
  if (typeof url !== 'string') return false;
  return [`https://${host}`, `http://${host}`].some(
    (start) => url === start || ['/', '?', '#'].some((end) => url.startsWith(start + end)),
  );
}

/**
 * Checks, by detail name, whether a built-in tool's detail has its usual value and can be left out of the
 * question.
 */
const USUAL: Readonly<Record<string, IsUsual>> = {
  shell: (fact) => OF_THE_SYSTEM.test(fact),
  program: (fact) => OF_THE_SYSTEM.test(fact),
  environment: () => true,
  // A limit of the call's own stands in its input.
  'time limit': () => true,
  change: () => true,
  // The warning that stands with it says why.
  'rules with patterns': () => true,
  'working directory': (_fact, { cwd }) => cwd === undefined || cwd === '.',
  host: (fact, { url }) => saysHost(url, fact),
  address: (fact, { url }) => fact === url,
  path: (fact, { path }) => typeof path === 'string' && fact.endsWith(`/${path.replace(/^(?:\.?\/)+/, '')}`),
};

/**
 * Lists the details that were resolved before asking and must be shown because the input does not show them.
 */
export function newFacts(interrupt: Interrupt, tool: ToolDescriptor | undefined): readonly QuestionLine[] {
  return factLines(interrupt, tool, false);
}

/** Lists the other details, which have their usual values or repeat the input. */
export function usualFacts(interrupt: Interrupt, tool: ToolDescriptor | undefined): readonly QuestionLine[] {
  return factLines(interrupt, tool, true);
}

function warnsOfSandbox({ warnings }: JsonObject): boolean {
  return (
    warnings !== undefined && isJsonArray(warnings) && warnings.some((one) => isAboutSandbox(bareText(one)))
  );
}

function factLines(
  { source, payload }: Interrupt,
  tool: ToolDescriptor | undefined,
  usual: boolean,
): readonly QuestionLine[] {
  if (source.type !== 'tool' || source.raisedBy !== 'approval' || !isJsonObject(payload)) return [];
  const { facts } = payload;
  if (!isJsonObject(facts)) return [];
  const input = membersOf(source.input);
  const isBuiltIn = tool?.origin === BUILT_IN;
  const isWarned = isBuiltIn && source.name === 'run_command' && warnsOfSandbox(payload);
  return Object.entries(facts).flatMap(([name, fact]) => {
    const text = bareText(fact);
    // The warning says the same, and what it means.
    if (isWarned && name === SANDBOX && (text === 'off' || text === 'none')) return [];
    const isOfServer = tool?.mcp !== undefined && name === 'server' && text === tool.mcp.reached;
    const isUsual =
      isOfServer || (isBuiltIn && Object.hasOwn(USUAL, name) && USUAL[name]?.(text, input) === true);
    const isLeftOut = isUsual && !(name === 'change' && typeof payload['diff'] !== 'string');
    if (isLeftOut !== usual) return [];
    const label = `${escapeText(name)}: `;
    return [{ part: 'facts', tone: 'quoted', gutter: GUTTER, label, text: escapeText(text) } as const];
  });
}
