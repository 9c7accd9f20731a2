import type { JsonValue } from '../data/json.js';
import { plainLine } from '../data/plain-line.js';
import { factsShown, notByTool } from './call-facts.js';
import { FURTHER, quotedWord, NEVER_BY_WORDS } from './command-words.js';
import { judgeCall } from './judge-call.js';
import type { RulePlace } from './path-pattern.js';
import { quotedPath } from './rule-scope.js';
import type { RuledCall } from './call-facts.js';
import { servedTool } from './served-tool.js';
import type { SessionScope, SessionSize } from './session-scope.js';
import { sessionScope } from './session-scope.js';
import type { ToolRule } from './tool-rule.js';
import { readRule } from './tool-rule.js';

/** A scope of later calls that can be approved together with the current one. */
export interface AlwaysOffer {
  readonly size: SessionSize;
  /** The calls that the approval would allow, in one line. */
  readonly says: string;
  /** The calls that the approval would not allow. */
  readonly never: string;
  /** The equivalent rule to save; absent if there is none. */
  readonly rule?: ToolRule;
}

/** Maximum width of a call in an offer. */
const OFFER_COLUMNS = 60;

/**
 * Returns every scope that can be offered for a call, narrowest first. `place` is the folder in which saved
 * rules apply.
 */
export function alwaysOffers(
  sizes: readonly SessionSize[],
  call: RuledCall,
  place: RulePlace | undefined,
): readonly AlwaysOffer[] {
  return sizes.flatMap((size): AlwaysOffer[] => {
    const { payload = null } = call;
    const scope = size === 'tool' ? undefined : sessionScope(size, { ...call, payload });
    const isNone = size === 'tool' ? notByTool(factsShown(payload)) !== undefined : scope === undefined;
    if (isNone) return [];
    const rule = place === undefined ? undefined : keptRule(textOf(call, scope), call, place);
    return [{ size, ...wordsOf(call, scope), ...(rule !== undefined && { rule }) }];
  });
}

/** Returns the rule as a user would write it; `undefined` if such a rule would not allow this call. */
function keptRule(text: string, call: RuledCall, place: RulePlace): ToolRule | undefined {
  const served = call.tool === undefined ? undefined : servedTool(call.tool);
  const rule = {
    ...readRule('allow', text, 'your configuration, for this folder', place),
    ...(served !== undefined && { served: [served] }),
  };
  return rule.problem === undefined && judgeCall([rule], call)?.effect === 'allow' ? rule : undefined;
}

function textOf({ name }: RuledCall, scope: SessionScope | undefined): string {
  switch (scope?.type) {
    case undefined:
      return name;
    case 'call':
      return `${name} ${JSON.stringify(scope.input)}`;
    case 'words':
      return [name, ...scope.words.map(quotedWord), FURTHER].join(' ');
    case 'folder':
      return `${name} ${quotedPath(scope.folder)}/**`;
    case 'host':
      return `${name} ${scope.host}`;
  }
}

/**
 * Describes the calls of a tool that a scope allows: `commands that start with npm test`.
 * @param cut shortens untrusted text. Default: the text is shown in full.
 */
export function scopeSays(
  tool: string,
  scope: SessionScope | undefined,
  cut: (text: string) => string = (text) => text,
): string {
  switch (scope?.type) {
    case undefined:
      return `every call of ${tool}, with any input`;
    case 'call':
      return 'exactly this call';
    case 'words':
      return `commands that start with ${cut(scope.words.map(quotedWord).join(' '))}${scope.folder === undefined ? '' : ` in ${cut(quotedPath(scope.folder))}`}`;
    case 'folder':
      return `${tool} in ${cut(quotedPath(scope.folder))} and below it`;
    case 'host':
      return `${tool} at ${cut(scope.host)}`;
  }
}

function wordsOf(
  { name, payload = null }: RuledCall,
  scope: SessionScope | undefined,
): Pick<AlwaysOffer, 'says' | 'never'> {
  return { says: scopeSays(name, scope, shown), never: neverWords(scope, payload) };
}

function neverWords(scope: SessionScope | undefined, payload: JsonValue): string {
  switch (scope?.type) {
    case undefined:
      return `ask and deny rules still apply${typeof factsShown(payload)['host'] === 'string' ? '; still asks: local network addresses' : ''}`;
    case 'call':
      return 'still asks: any change of input, details or warnings';
    case 'words':
      return `still asks: ${NEVER_BY_WORDS}`;
    case 'folder':
      return 'still asks: files with keys, hooks, scripts';
    case 'host':
      return 'still asks: other hosts, local network addresses';
  }
}

function shown(text: string): string {
  return plainLine(text, OFFER_COLUMNS);
}
