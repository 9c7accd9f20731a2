import type { JsonObject, JsonValue } from '../../../core/index.js';
import { hasLoneSurrogate, isJsonArray, isJsonObject, isLegalToolName } from '../../../core/index.js';

const LEGAL_ID = /^[a-zA-Z0-9_-]+$/;
const MOST_CACHE_MARKS = 4;

function objects(value: JsonValue | undefined): readonly JsonObject[] {
  return value !== undefined && isJsonArray(value) ? value.filter(isJsonObject) : [];
}

function text(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : '';
}

function blocksOf({ content }: JsonObject): readonly JsonObject[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : objects(content);
}

/**
 * Checks the body of a request for anything that the API is known to reject (G19). Returns one line per
 * problem, with its location. This function deliberately does not share any code with `toRequest`, so that it
 * does not repeat the same mistakes.
 */
export function checkRequest(body: JsonObject): readonly string[] {
  const { model, max_tokens: maxTokens, tools, messages } = body;
  const problems: string[] = [];
  if (text(model) === '') problems.push('model: empty');
  if (typeof maxTokens !== 'number' || !Number.isInteger(maxTokens) || maxTokens < 1) {
    problems.push('max_tokens: not a positive integer');
  }
  problems.push(...checkTools(objects(tools)), ...checkTexts(body), ...checkMessages(objects(messages)));
  if (hasLoneSurrogate(body)) problems.push('a string contains a lone surrogate');
  if (cacheMarks(body) > MOST_CACHE_MARKS) problems.push(`cache_control: more than ${MOST_CACHE_MARKS}`);
  return problems;
}

function checkTools(tools: readonly JsonObject[]): readonly string[] {
  const names = new Set<string>();
  return tools.flatMap(({ name, input_schema: schema, type }, index) => {
    const problems: string[] = [];
    const toolName = text(name);
    if (!isLegalToolName(toolName)) problems.push(`tools.${index}: illegal name \`${toolName}\``);
    if (names.has(toolName)) problems.push(`tools.${index}: duplicate name \`${toolName}\``);
    const object = schema !== undefined && isJsonObject(schema) && schema['type'] === 'object';
    if (type === undefined && !object) problems.push(`tools.${index}: input_schema is not an object schema`);
    names.add(toolName);
    return problems;
  });
}

function checkTexts({ system }: JsonObject): readonly string[] {
  return objects(system).flatMap((block, index) => {
    return text(block['text']).trim() === '' ? [`system.${index}: empty text`] : [];
  });
}

function cacheMarks(value: JsonValue): number {
  if (isJsonArray(value)) return value.reduce<number>((sum, item) => sum + cacheMarks(item), 0);
  if (!isJsonObject(value)) return 0;
  // Inside a tool's input or schema the word means nothing.
  const { input: _input, input_schema: _schema, ...rest } = value;
  const own = rest['cache_control'] === undefined ? 0 : 1;
  return Object.values(rest).reduce<number>((sum, member) => sum + cacheMarks(member), own);
}

function checkMessages(messages: readonly JsonObject[]): readonly string[] {
  const problems = messages.length === 0 ? ['messages: none'] : [];
  const ids = new Set<string>();
  for (const [index, message] of messages.entries()) {
    const before = messages[index - 1];
    const say: Say = (problem) => {
      problems.push(`messages.${index}: ${problem}`);
    };
    checkRoles(message, before, say);
    checkBlocks(message, say);
    if (message['role'] === 'assistant') checkCalls(blocksOf(message), ids, say);
    else checkResults(blocksOf(message), before === undefined ? [] : blocksOf(before), say);
  }
  const last = messages.at(-1);
  const open = last?.['role'] === 'assistant' ? blocksOf(last).filter(isCall) : [];
  if (open.length > 0)
    problems.push(`messages.${messages.length - 1}: tool_use without tool_result after it`);
  return problems;
}

type Say = (problem: string) => void;

function checkRoles(message: JsonObject, before: JsonObject | undefined, say: Say): void {
  const role = text(message['role']);
  if (role !== 'user' && role !== 'assistant') say(`unknown role \`${role}\``);
  if (before === undefined && role !== 'user') say('the first message is not from the user');
  if (before?.['role'] === role) say(`two messages with role ${role} in a row`);
}

function checkBlocks(message: JsonObject, say: Say): void {
  const blocks = blocksOf(message);
  if (blocks.length === 0) say('empty content');
  for (const block of blocks) {
    if (block['type'] === undefined) say('a block without a type');
    if (block['type'] === 'text' && text(block['text']).trim() === '') say('empty text');
    const marked = block['cache_control'] !== undefined;
    if (marked && text(block['type']).endsWith('thinking')) say('cache_control on thinking');
  }
}

function isCall(block: JsonObject): boolean {
  return block['type'] === 'tool_use';
}

function checkCalls(blocks: readonly JsonObject[], ids: Set<string>, say: Say): void {
  let called = false;
  for (const block of blocks) {
    if (block['type'] === 'tool_result') say('tool_result in an assistant message');
    if (called && block['type'] === 'text') say('text after tool_use');
    if (!isCall(block)) continue;
    called = true;
    const id = text(block['id']);
    if (!LEGAL_ID.test(id)) say(`illegal tool_use id \`${id}\``);
    if (ids.has(id)) say(`tool_use id \`${id}\` is not unique`);
    if (!isLegalToolName(text(block['name']))) say(`illegal tool name \`${text(block['name'])}\``);
    if (block['input'] === undefined || !isJsonObject(block['input']))
      say(`the input of \`${id}\` is not an object`);
    ids.add(id);
  }
}

/**
 * Checks that the blocks start with exactly one result for each call in the previous message, and contain no
 * other results.
 */
function checkResults(blocks: readonly JsonObject[], before: readonly JsonObject[], say: Say): void {
  const open = new Set(before.filter(isCall).map((block) => text(block['id'])));
  let other = false;
  for (const block of blocks) {
    if (isCall(block)) say('tool_use in a user message');
    if (block['type'] !== 'tool_result') {
      other = true;
      continue;
    }
    const id = text(block['tool_use_id']);
    if (other) say(`tool_result \`${id}\` is not at the start of its message`);
    if (!open.delete(id)) say(`tool_result \`${id}\` does not match an open tool_use`);
    if (block['is_error'] === true && isBlank(block['content'])) say(`the error \`${id}\` has no content`);
    for (const inner of objects(block['content'])) {
      if (inner['type'] === 'text' && text(inner['text']).trim() === '') say(`empty text in \`${id}\``);
    }
  }
  for (const id of open) say(`tool_use \`${id}\` in the previous message has no tool_result`);
}

function isBlank(content: JsonValue | undefined): boolean {
  if (content === undefined) return true;
  return typeof content === 'string' ? content.trim() === '' : objects(content).length === 0;
}
