import type { McpServer, ServerContext } from '@modelcontextprotocol/server';
import type { Interrupt, JsonObject, JsonValue, Resolution } from '../../src/core/index.js';
import { isJsonObject, membersOf } from '../../src/core/index.js';

/** The form in which a client asks its user a question from hitl. */
interface ClientForm {
  readonly message: string;
  readonly requestedSchema: JsonObject;
}

/** Whether a client can ask its user with a form. */
export function canAsk(server: McpServer, { mcpReq }: ServerContext, capabilitiesKey: string): boolean {
  const told = membersOf(mcpReq.envelope)[capabilitiesKey];
  // oxlint-disable-next-line typescript/no-deprecated -- an older client says it once, when it connects
  return membersOf(told ?? server.server.getClientCapabilities())['elicitation'] !== undefined;
}

/** Creates the form for an open question. */
export function formOf({ kind, source, payload, answerSchema = {} }: Interrupt): ClientForm {
  const input = source.type === 'tool' ? membersOf(source.input) : {};
  if (kind !== 'question') {
    const properties = {
      approve: { type: 'boolean', title: 'Approve' },
      reason: { type: 'string', title: 'Reason, if not' },
    };
    return {
      message: approvalText(input),
      requestedSchema: { type: 'object', properties, required: ['approve'] },
    };
  }
  const message = text(membersOf(payload)['question']);
  const { properties, required } = answerSchema;
  if (isJsonObject(properties ?? null)) {
    const names = Array.isArray(required) ? required.filter((name) => typeof name === 'string') : [];
    return {
      message,
      requestedSchema: { type: 'object', properties: membersOf(properties), required: names },
    };
  }
  const answer = { title: 'Answer', ...answerSchema };
  return { message, requestedSchema: { type: 'object', properties: { answer }, required: ['answer'] } };
}

function approvalText({ action, facts, diff }: JsonObject): string {
  const known = Object.entries(membersOf(facts)).map(([name, value]) => `${name}: ${text(value)}`);
  return [text(action), ...known, ...(diff === undefined ? [] : [text(diff)])].join('\n');
}

function text(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : '';
}

/**
 * Converts a form result from a client into a resolution. Returns `undefined` if the client's user did not
 * decide.
 */
export function resolutionOf(
  { kind, answerSchema = {} }: Interrupt,
  response: unknown,
): Resolution | undefined {
  const { action, content } = membersOf(response);
  if (action === 'decline') return { action: 'reject', reason: 'declined in the client' };
  if (action !== 'accept') return undefined;
  const { approve, reason, answer } = membersOf(content);
  if (kind === 'question') {
    if (isJsonObject(answerSchema['properties'] ?? null))
      return { action: 'respond', output: membersOf(content) };
    return answer === undefined ? undefined : { action: 'respond', output: answer };
  }
  if (approve === true) return { action: 'restart' };
  return { action: 'reject', ...(typeof reason === 'string' && reason !== '' && { reason }) };
}
