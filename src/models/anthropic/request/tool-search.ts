import type { JsonObject } from '../../../core/index.js';
import { isJsonArray, isJsonObject } from '../../../core/index.js';

/**
 * Maximum number of tools that are all sent in full. If there are more tools, only the first `FIRST_IN_FULL`
 * are sent in full.
 */
const MOST_IN_FULL = 30;
const FIRST_IN_FULL = 20;

/** The provider's tool that lets a model search for tools that are not sent in full. */
export const TOOL_SEARCH: JsonObject = {
  type: 'tool_search_tool_bm25_20251119',
  name: 'tool_search_tool_bm25',
};

/** Returns the number of tools that are sent to a model in full. The model searches for the others. */
export function toolsInFull(tools: number): number {
  return tools > MOST_IN_FULL ? FIRST_IN_FULL : tools;
}

const RESULT = 'tool_search_tool_result';

/**
 * Removes search results for tools that are not available anymore, because the API rejects them. If the
 * request does not support tool search, removes all earlier searches and their results.
 */
export function withSearches(
  blocks: readonly JsonObject[],
  offered: ReadonlySet<string>,
  searches: boolean,
): readonly JsonObject[] {
  return blocks.flatMap((block) => {
    if (isSearch(block)) return searches ? [block] : [];
    const { type, content = null } = block;
    if (type !== RESULT) return [block];
    if (!searches) return [];
    if (!isJsonObject(content) || !isJsonArray(content['tool_references'] ?? null)) return [block];
    const { tool_references: found = null } = content;
    const left = isJsonArray(found) ? found.filter((one) => isOffered(one, offered)) : [];
    return [{ ...block, content: { ...content, tool_references: left } }];
  });
}

function isSearch({ type, name }: JsonObject): boolean {
  return type === 'server_tool_use' && typeof name === 'string' && name.startsWith('tool_search_tool_');
}

function isOffered(reference: unknown, offered: ReadonlySet<string>): boolean {
  return (
    typeof reference === 'object' &&
    reference !== null &&
    'tool_name' in reference &&
    typeof reference.tool_name === 'string' &&
    offered.has(reference.tool_name)
  );
}
