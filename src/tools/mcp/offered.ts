import type { Tool as ServerTool } from '@modelcontextprotocol/client';
import type { JsonObject, McpOrigin } from '../../core/index.js';
import { isJsonObject, toWellFormed } from '../../core/index.js';
import { toJson } from '../to-json.js';
import type { McpServer } from './server.js';
import { reachedBy } from './server.js';

/** A tool as its server offers it; all of it is the server's word. */
export interface OfferedTool {
  readonly name: string;
  readonly label: string;
  readonly description: string;
  readonly inputSchema: JsonObject;
  readonly outputSchema?: JsonObject;
  readonly origin: McpOrigin;
}

/** A server offers no more tools than this, and describes none at greater length. */
const MOST_TOOLS = 256;
const LONGEST_DESCRIPTION = 8_000;
const LARGEST_SCHEMA = 100_000;
const LONGEST_LABEL = 80;

/** The tools of a server that can be offered on, and one line about each that cannot. */
export interface OfferedTools {
  readonly tools: readonly OfferedTool[];
  readonly problems: readonly string[];
}

/** Reads the list of a server's tools. */
export function readTools(server: McpServer, list: readonly ServerTool[]): OfferedTools {
  const problems: string[] = [];
  if (list.length > MOST_TOOLS)
    problems.push(`${server.name} offers ${list.length} tools; the first ${MOST_TOOLS} are taken`);
  const tools = list.slice(0, MOST_TOOLS).flatMap((tool): OfferedTool[] => {
    const read = readTool(server, tool);
    if (typeof read !== 'string') return [read];
    problems.push(`${server.name}: the tool \`${tool.name}\` is left out: ${read}`);
    return [];
  });
  return { tools, problems };
}

/** Reads one tool, or says why it cannot be offered. */
function readTool(server: McpServer, tool: ServerTool): OfferedTool | string {
  if (tool.execution?.taskSupport === 'required') return 'it runs as a task, which is not known here';
  const { annotations = {} } = tool;
  const inputSchema = toJson(tool.inputSchema, 'the input schema');
  const outputSchema =
    tool.outputSchema === undefined ? undefined : toJson(tool.outputSchema, 'the output schema');
  if (!isJsonObject(inputSchema)) return 'its input schema is no object';
  if (JSON.stringify([inputSchema, outputSchema ?? null]).length > LARGEST_SCHEMA)
    return `its schemas have more than ${LARGEST_SCHEMA} characters`;
  const label = annotations.title ?? tool.title ?? tool.name;
  return {
    name: tool.name,
    label: toWellFormed(label.slice(0, LONGEST_LABEL)),
    description: described(tool.description ?? label),
    inputSchema,
    ...(outputSchema !== undefined && isJsonObject(outputSchema) && { outputSchema }),
    origin: {
      server: server.name,
      tool: tool.name,
      reached: reachedBy(server),
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
