import type { ApprovalRequest, JsonObject, JsonValue, McpOrigin, Tool } from '../../core/index.js';
import { codeName, digestOf, HitlError, mcpHints, mcpToolName, messageOf } from '../../core/index.js';
import { defineTool } from '../define-tool.js';
import type { McpConnection } from './server-connection.js';
import { askFor, continuationOf } from './input-required.js';
import type { OfferedTool } from './offered.js';
import { cut } from './server-answer.js';
import { readResult } from './read-result.js';

/**
 * Maximum number of times per call that a server may request something that hitl can provide without asking
 * the user, such as the folder.
 */
const MOST_ROUNDS = 10;

/**
 * Creates a tool from a tool that a server offers. Every call needs approval unless one of the user's rules
 * decides it.
 * @throws HitlError BAD_CONFIG for unusable schemas.
 */
export function mcpTool(offered: OfferedTool, connection: McpConnection): Tool {
  const { name, label, description, inputSchema, outputSchema, origin, editing } = offered;
  const request = requestOf(origin);
  const tool = defineTool(
    {
      name: mcpToolName(origin.server, name),
      description,
      input: inputSchema,
      ...(outputSchema !== undefined && { output: outputSchema }),
      effect: 'once',
      origin: `mcp ${origin.server}`,
      title: (input) => titleOf(origin.server, label, input),
      ...(editing !== undefined && { editing }),
      needsApproval: true,
      approval: () => request,
      multipart: true,
    },
    async (input: JsonObject, context) => {
      const { progress, signal } = context;
      const talk = { progress, signal, askAtOnce: context.askAtOnce };
      const goesOn = continuationOf(origin.server, context);
      let answer = await connection.call({ as: offered, input, ...(goesOn && { goesOn }), ...talk });
      for (let rounds = 0; answer.type === 'asks'; rounds += 1) {
        if (rounds === MOST_ROUNDS) throw new HitlError('TOOL_FAILED', 'the server keeps asking for input');
        const asked = askFor(origin.server, answer.result, context, connection.rootUri);
        answer = await connection.call({ as: offered, input, goesOn: asked, ...talk });
      }
      return readResult(answer.result, { hasShape: outputSchema !== undefined });
    },
  );
  return {
    ...tool,
    mcp: origin,
    // The schemas and hints are in the fingerprint of every tool: an approval was for these words, too.
    code: codeName('server', digestOf(description)),
    async parseInput(input: JsonValue, signal?: AbortSignal) {
      try {
        await connection.connect(signal);
      } catch (thrown) {
        return { ok: false, issues: [messageOf(thrown)] };
      }
      return tool.parseInput(input);
    },
  };
}

function requestOf(origin: McpOrigin): ApprovalRequest {
  const hints = mcpHints(origin);
  const warnings = [
    ...(origin.destructive === true ? ['marked by the server as destructive'] : []),
    ...(origin.openWorld === true ? ['marked by the server as reaching other systems'] : []),
  ];
  return {
    facts: { server: origin.reached, ...(hints.length > 0 && { claims: hints.join(', ') }) },
    ...(warnings.length > 0 && { warnings }),
  };
}

/** Maximum length of a title, in characters. It is slightly below the storage limit. */
const TITLE_LENGTH = 190;
const LABEL_LENGTH = 60;
/**
 * Maximum number of input properties in a title, and the maximum length of each. Identifying properties may
 * be longer.
 */
const MEMBERS = 3;
const MEMBER_LENGTH = 50;
const DECIDING_LENGTH = 90;
const KEY_LENGTH = 30;
const LEAST_ROOM = 16;

/**
 * Patterns for the last word in the name of a property that identifies what a call acts on, most important
 * first.
 */
const DECIDING: readonly RegExp[] = [
  /^(?:paths?|files?|filename|filepath|folder|dir|directory|source|src|destination|dest|target|urls?|uri|href|link|address|host|endpoint)$/u,
  /^(?:to|cc|bcc|recipients?|receiver|payee|email|user|username|account|channel|chat|owner)$/u,
  /^(?:command|cmd|script|code|query|sql|statement|repo|repository|branch|database|db|table|bucket|amount|method|action|operation)$/u,
];

/**
 * Returns the title of a call. It starts with the name that the user gave the server, because the rest comes
 * from the server and the model. Identifying properties come first, long values are cut, and properties that
 * do not fit are counted.
 */
export function titleOf(server: string, label: string, input: JsonObject): string {
  const start = `${server}: ${cut(label, LABEL_LENGTH)}`;
  const members = Object.entries(input)
    .map(([key, value]) => ({ key, value, rank: rankOf(key) }))
    .sort((one, other) => one.rank - other.rank);
  const shown: string[] = [];
  let room = TITLE_LENGTH - start.length - ' (, and 9999 more)'.length;
  for (const { key, value, rank } of members.slice(0, MEMBERS)) {
    if (room < LEAST_ROOM) break;
    const most = rank < DECIDING.length ? DECIDING_LENGTH : MEMBER_LENGTH;
    const text = memberText(key, value, Math.min(room, most));
    shown.push(text);
    room -= text.length + 2;
  }
  const left = members.length - shown.length;
  const all = left === 0 ? shown : [...shown, `${shown.length > 0 ? 'and ' : ''}${left} more`];
  return all.length === 0 ? start : `${start} (${all.join(', ')})`;
}

/**
 * Returns the rank of a property by the last word of its name, so that `filePath` and `file_path` both rank
 * as paths.
 */
function rankOf(key: string): number {
  const words = key
    .replaceAll(/([a-z\d])([A-Z])/gu, '$1 $2')
    .toLowerCase()
    .split(/[\s_-]+/u);
  const rank = DECIDING.findIndex((names) => names.test(words.at(-1) ?? ''));
  return rank === -1 ? DECIDING.length : rank;
}

/** Matches text that can only be read as a value and therefore needs no quotes. */
const PLAIN = /^[\p{L}\p{N}_./:@~+-]+$/u;

/** Formats a property for a title. Quotes it unless it is plain text. */
function memberText(key: string, value: JsonValue, most: number): string {
  const name = `${PLAIN.test(key) ? cut(key, KEY_LENGTH) : cut(JSON.stringify(key), KEY_LENGTH)}: `;
  const text = typeof value === 'string' && PLAIN.test(value) ? value : JSON.stringify(value);
  return `${name}${cut(text, Math.max(1, most - name.length))}`;
}
