import type { ApprovalRequest, JsonObject, JsonValue, McpOrigin, Tool } from '../../core/index.js';
import { HitlError, mcpHints, mcpToolName, messageOf } from '../../core/index.js';
import { defineTool } from '../define-tool.js';
import type { McpConnection } from './connection.js';
import { askFor, continuationOf } from './input-required.js';
import type { OfferedTool } from './offered.js';
import { readResult } from './result.js';

/** The times that a server may ask for what needs no person, such as the folder, in one call. */
const MOST_ROUNDS = 10;

/**
 * Makes a tool of one that a server offers: every call of it is asked about, unless a rule of the person says otherwise.
 * @throws HitlError BAD_CONFIG where its schemas cannot be used.
 */
export function mcpTool(offered: OfferedTool, connection: McpConnection): Tool {
  const { name, label, description, inputSchema, outputSchema, origin } = offered;
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
      needsApproval: true,
      approval: () => request,
      multipart: true,
    },
    async (input: JsonObject, context) => {
      const { progress, signal } = context;
      const goesOn = continuationOf(origin.server, context);
      let answer = await connection.call({ tool: name, input, ...(goesOn && { goesOn }), progress, signal });
      for (let rounds = 0; answer.type === 'asks'; rounds += 1) {
        if (rounds === MOST_ROUNDS) throw new HitlError('TOOL_FAILED', 'the server does not stop asking');
        const asked = askFor(origin.server, answer.result, context, connection.rootUri);
        answer = await connection.call({ tool: name, input, goesOn: asked, progress, signal });
      }
      return readResult(answer.result, { hasShape: outputSchema !== undefined });
    },
  );
  return {
    ...tool,
    mcp: origin,
    async parseInput(input: JsonValue) {
      try {
        await connection.connect();
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
    ...(origin.destructive === true ? ['the server says that this may destroy something'] : []),
    ...(origin.openWorld === true ? ['the server says that this reaches other systems'] : []),
  ];
  return {
    facts: { server: origin.reached, ...(hints.length > 0 && { claims: hints.join(', ') }) },
    ...(warnings.length > 0 && { warnings }),
  };
}

/** The number of members of an input that a title takes, and the length of each. */
const MEMBERS = 3;
const MEMBER_LENGTH = 40;

/** The server stands first, in the person's own word for it: what follows is the server's. A value has its name. */
function titleOf(server: string, label: string, input: JsonObject): string {
  const members = Object.entries(input).flatMap(([key, value]) => {
    if (typeof value === 'object' || value === '') return [];
    const text = `${key}: ${String(value)}`;
    return text.length > MEMBER_LENGTH ? [] : [text];
  });
  return `${server}: ${label}${members.length === 0 ? '' : ` (${members.slice(0, MEMBERS).join(', ')})`}`;
}
