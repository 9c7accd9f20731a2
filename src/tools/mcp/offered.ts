import type { Tool as ServerTool } from '@modelcontextprotocol/client';
import type { EditForm, JsonObject, McpOrigin } from '../../core/index.js';
import { isEditForm, isJsonObject, mcpToolName, toWellFormed } from '../../core/index.js';
import { toJson } from '../to-json.js';
import type { McpServer } from './wire/mcp-server.js';
import { reachedBy } from './wire/mcp-server.js';

/** A tool as its server describes it. The text is untrusted. */
export interface OfferedTool {
  readonly name: string;
  readonly label: string;
  readonly description: string;
  readonly inputSchema: JsonObject;
  readonly outputSchema?: JsonObject;
  readonly origin: McpOrigin;
  /** The part of a call to edit first. */
  readonly editing?: EditForm;
}

/** Maximum number of tools per server, and maximum length of a tool description in characters. */
const MOST_TOOLS = 256;
const LONGEST_DESCRIPTION = 8_000;
const LARGEST_SCHEMA = 100_000;
const LONGEST_LABEL = 80;
const LONGEST_NAME = 128;
const NAME_IN_PROBLEM = 60;
/** Maximum number of unusable tools to list. Any others are only counted. */
const MOST_PROBLEMS = 10;

/** A server's usable tools, and one line about each unusable tool. */
export interface OfferedTools {
  readonly tools: readonly OfferedTool[];
  readonly problems: readonly string[];
}

/** Reads a server's list of tools. */
export function readTools(server: McpServer, list: readonly ServerTool[]): OfferedTools {
  const left: string[] = [];
  const names = new Set<string>();
  const tools = list.slice(0, MOST_TOOLS).flatMap((tool): OfferedTool[] => {
    const name = mcpToolName(server.name, tool.name);
    const read = names.has(name) ? 'duplicate name' : readTool(server, tool);
    names.add(name);
    if (typeof read !== 'string') return [read];
    left.push(`${server.name}: tool \`${tool.name.slice(0, NAME_IN_PROBLEM)}\` skipped: ${read}`);
    return [];
  });
  const most = `${server.name} offers ${list.length} tools; only the first ${MOST_TOOLS} are used`;
  const more = `${server.name}: ${left.length - MOST_PROBLEMS} more tools skipped`;
  const problems = [
    ...(list.length > MOST_TOOLS ? [most] : []),
    ...left.slice(0, MOST_PROBLEMS),
    ...(left.length > MOST_PROBLEMS ? [more] : []),
  ];
  return { tools, problems };
}

/** Property of `_meta` that specifies how calls of a tool are edited. */
const EDITING = 'hitl/editing';
/** Reads one tool. If the tool cannot be offered, returns the reason. */
function readTool(server: McpServer, tool: ServerTool): OfferedTool | string {
  if (tool.execution?.taskSupport === 'required') return 'it requires MCP tasks, which are not supported';
  if (tool.name === '' || tool.name.length > LONGEST_NAME)
    return `its name has ${tool.name.length} characters; 1 to ${LONGEST_NAME} are allowed`;
  const { annotations = {} } = tool;
  const inputSchema = toJson(tool.inputSchema, 'the input schema');
  const outputSchema =
    tool.outputSchema === undefined ? undefined : toJson(tool.outputSchema, 'the output schema');
  if (!isJsonObject(inputSchema)) return 'its input schema is not an object';
  if (JSON.stringify([inputSchema, outputSchema ?? null]).length > LARGEST_SCHEMA)
    return `its schemas have more than ${LARGEST_SCHEMA} characters`;
  const title = annotations.title ?? tool.title;
  const label = title ?? tool.name;
  const editing = tool._meta?.[EDITING];
  return {
    name: tool.name,
    label: toWellFormed(label.slice(0, LONGEST_LABEL)),
    description: described(tool.description ?? label),
    inputSchema,
    ...(outputSchema !== undefined && isJsonObject(outputSchema) && { outputSchema }),
    ...(isEditForm(editing, inputSchema) && { editing }),
    origin: {
      server: server.name,
      tool: tool.name,
      reached: reachedBy(server),
      ...(title !== undefined && { title: toWellFormed(title.slice(0, LONGEST_LABEL)) }),
      ...(annotations.readOnlyHint !== undefined && { readOnly: annotations.readOnlyHint }),
      ...(annotations.destructiveHint !== undefined && { destructive: annotations.destructiveHint }),
      ...(annotations.idempotentHint !== undefined && { idempotent: annotations.idempotentHint }),
      ...(annotations.openWorldHint !== undefined && { openWorld: annotations.openWorldHint }),
    },
  };
}

function described(text: string): string {
  const whole = toWellFormed(text.slice(0, LONGEST_DESCRIPTION)).trim();
  return whole === '' ? 'its server does not describe it' : whole;
}
