import { assertNever, escapeText, fenced, isJsonObject, mediaWords, safeJson } from '../core/index.js';
import type {
  JsonValue,
  ResolvedInterrupt,
  TranscriptDocument,
  TranscriptInterrupt,
  TranscriptMessage,
  TranscriptPart,
  TranscriptToolRequest,
} from '../core/index.js';
import { decidersText, decisionOf } from './decision.js';
import { waitsFor } from './interrupt-lines.js';
import { formatMoment } from './moment.js';
import { safeText } from './safe-text.js';
import { formatUsage } from './usage-line.js';

type Block = string;

function jsonBlock(value: JsonValue): Block {
  return typeof value === 'string' && value.includes('\n')
    ? fenced(safeText(value, '\t'), '')
    : fenced(safeJson(value, 2), 'json');
}

/** Formats untrusted text as inline code for a line of markdown. */
function inCode(text: string): string {
  return `\`${escapeText(text).replaceAll('`', "'")}\``;
}

function decidedOf(interrupt: TranscriptInterrupt): ResolvedInterrupt | undefined {
  const { resolution, by, resolvedAt, votes, ...raised } = interrupt;
  if (resolution === undefined || by === undefined) return undefined;
  return {
    interrupt: raised,
    resolution,
    by,
    ...(resolvedAt !== undefined && { resolvedAt }),
    ...(votes !== undefined && { votes }),
  };
}

function interruptBlocks(interrupt: TranscriptInterrupt): readonly Block[] {
  const decided = decidedOf(interrupt);
  if (decided === undefined) {
    return [
      `**Open:** ${waitsFor(interrupt)} (${inCode(interrupt.id)}), asked ${formatMoment(interrupt.raisedAt)}`,
    ];
  }
  const { verb, text, value, edit } = decisionOf(decided);
  const when = decided.resolvedAt === undefined ? '' : `, ${formatMoment(decided.resolvedAt)}`;
  const line = `**Decided:** ${verb} by ${decidersText(decided)}${when} (${inCode(interrupt.id)})${text === '' ? '' : `: ${text}`}`;
  if (edit !== undefined) return [line, 'Before:', jsonBlock(edit.before), 'After:', jsonBlock(edit.after)];
  return value === undefined ? [line] : [line, jsonBlock(value)];
}

function requestBlocks(
  request: TranscriptToolRequest,
  part: TranscriptPart,
  interrupts: readonly TranscriptInterrupt[],
): readonly Block[] {
  const asked = interrupts.filter(({ source }) => source.type === 'tool' && source.ref === request.ref);
  const pending = part.metadata?.['pendingOutput'];
  return [
    `### Tool call ${inCode(request.name)}`,
    jsonBlock(request.input ?? {}),
    ...asked.flatMap(interruptBlocks),
    ...(pending === undefined
      ? []
      : ['Result (held until the other calls are answered):', jsonBlock(pending)]),
  ];
}

function failureOf({ metadata }: TranscriptPart): string | undefined {
  const ours = metadata?.['hitl'];
  const error = isJsonObject(ours) ? ours['error'] : undefined;
  return typeof error === 'string' ? error : undefined;
}

function partBlocks(part: TranscriptPart, interrupts: readonly TranscriptInterrupt[]): readonly Block[] {
  if (part.text !== undefined) return part.text.trim() === '' ? [] : [safeText(part.text, '\t').trim()];
  if (part.reasoning !== undefined) return [safeText(part.reasoning, '\t').trim().replaceAll(/^/gm, '> ')];
  if (part.media !== undefined) return [mediaWords({ ...part.media, ...part })];
  if (part.toolRequest !== undefined) return requestBlocks(part.toolRequest, part, interrupts);
  if (part.toolResponse === undefined) return [];
  const { name, output = null } = part.toolResponse;
  const error = failureOf(part);
  return [
    `### ${error === undefined ? 'Result' : `Error (${escapeText(error)})`} of ${inCode(name)}`,
    jsonBlock(output),
  ];
}

function speaker(message: TranscriptMessage, model: string): string {
  switch (message.role) {
    case 'user':
      return 'You';
    case 'model':
      return escapeText(model);
    case 'tool':
      return 'Tools';
    case 'system':
      return 'System';
    default:
      return assertNever(message.role);
  }
}

/** Formats a transcript as markdown for `hitl export --format markdown`. Ends with a line break. */
export function transcriptMarkdown(transcript: TranscriptDocument): string {
  const { id, title, agent, status, createdAt, updatedAt, messages, interrupts, usage } = transcript;
  const model = agent?.model ?? 'Model';
  const facts = [
    `- session: ${inCode(id)}, ${status}`,
    `- model: ${inCode(model)}`,
    `- from ${formatMoment(createdAt)} to ${formatMoment(updatedAt)}`,
    `- tokens: ${formatUsage(usage, { inputTokens: 0, outputTokens: 0 })}`,
  ].join('\n');
  const said = messages.flatMap((message) => [
    `## ${speaker(message, model)}`,
    ...message.content.flatMap((part) => partBlocks(part, interrupts)),
  ]);
  const ofRun = interrupts.filter(({ source }) => source.type !== 'tool').flatMap(interruptBlocks);
  const blocks = [`# ${escapeText(title)}`, facts, ...said, ...ofRun];
  return `${blocks.join('\n\n')}\n`;
}
