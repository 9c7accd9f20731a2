import { sourceLines } from './source-lines.js';
import {
  assertNever,
  escapeLines,
  filesBackLine,
  limitName,
  escapeText,
  laidOut,
  mediaWords,
  operationTree,
  providerCallOf,
  providerResultOf,
} from '../core/index.js';
import type {
  Call,
  Entry,
  GraphFrame,
  OperationTree,
  Part,
  RunEnd,
  RunState,
  RunTimes,
  Shown,
} from '../core/index.js';
import { showMarkdown } from './markdown/stream.js';
import { safeText } from './safe-text.js';
import type { Drawing } from './status-line.js';
import type { CallDrawing, ToldDecision } from './transcript-calls.js';
import { callLines, decisionLines, openLines } from './transcript-calls.js';
import { graphBlocks } from './transcript-graph.js';
import { providerLine, providerResultLine } from './tool-lines.js';
import { valueBlock } from './value-block.js';

function linesOf(text: string): readonly string[] {
  return text.replace(/\n+$/, '').split('\n');
}

function indented(lines: readonly string[]): readonly string[] {
  return lines.map((line) => (line === '' ? '' : `  ${line}`));
}

/** Groups the decisions at one path by call. */
function decisionsByRef(
  all: readonly ToldDecision[],
  path: string,
): ReadonlyMap<string, readonly ToldDecision[]> {
  const byRef = new Map<string, ToldDecision[]>();
  for (const resolved of all) {
    const { source, path: at } = resolved.interrupt;
    if (source.type !== 'tool' || at !== path) continue;
    const known = byRef.get(source.ref);
    if (known === undefined) byRef.set(source.ref, [resolved]);
    else known.push(resolved);
  }
  return byRef;
}

/** Formats a session as readable text. Only long values in calls are cut. */
class TranscriptWriter {
  readonly #state: RunState;
  readonly #drawing: CallDrawing;
  readonly #resolved: readonly ToldDecision[];
  readonly #tree: OperationTree | undefined;
  readonly #path: string;
  readonly #decisions: ReadonlyMap<string, readonly ToldDecision[]>;

  /** `path` is the path of `state`. `resolved` contains every decision in the session. */
  constructor(
    state: RunState,
    { columns, ...look }: CallDrawing,
    {
      resolved,
      tree,
    }: { readonly resolved: readonly ToldDecision[]; readonly tree?: OperationTree | undefined },
    path = '',
  ) {
    this.#state = state;
    this.#tree = tree;
    // Everything but the names stands two columns to the right.
    this.#drawing = { ...look, columns: columns - 2 };
    this.#resolved = resolved;
    this.#path = path;
    this.#decisions = decisionsByRef(resolved, path);
  }

  blocks(): readonly (readonly string[])[] {
    const { open, asks, ended, graph, filesBack } = this.#state;
    const blocks: (readonly string[])[] = this.#state.entries
      .toArray()
      .flatMap((entry, index, entries) => [
        this.#filesBack(entry.filesBack),
        this.#entry(entry, entries[index - 1]),
      ]);
    if (open !== undefined) blocks.push(this.#entry(open, undefined));
    if (graph !== undefined) blocks.push(...this.#nodes(graph));
    const ofRun = this.#resolved.filter(
      ({ interrupt: { source, path } }) => source.type === 'run' && path === this.#path,
    );
    blocks.push(ofRun.flatMap((decided) => decisionLines(decided, this.#drawing)));
    if (asks !== undefined) blocks.push(openLines(asks, this.#drawing));
    if (ended !== undefined) blocks.push(this.#ended(ended));
    blocks.push(this.#filesBack(filesBack));
    return blocks.filter((block) => block.length > 0);
  }

  #filesBack(files: RunState['filesBack']): readonly string[] {
    return files === undefined ? [] : [this.#drawing.theme.dim(filesBackLine(files, this.#state.cwd))];
  }

  #nodes(graph: GraphFrame): readonly (readonly string[])[] {
    const drawing = this.#drawing;
    return graphBlocks({
      graph,
      path: this.#path,
      resolved: this.#resolved,
      drawing,
      tree: this.#tree,
      inside: (state, path, isDrawn) => {
        const story = { resolved: this.#resolved, tree: isDrawn ? undefined : this.#tree };
        return new TranscriptWriter(state, drawing, story, path).blocks().flat();
      },
    });
  }

  #entry({ message, calls }: Pick<Entry, 'message' | 'calls'>, before: Entry | undefined): readonly string[] {
    // Its responses were shown with the calls that they answer.
    if (message.role === 'tool' && before?.calls !== undefined) return [];
    const byRef = new Map((calls ?? []).map((call) => [call.request.ref, call]));
    const shown = joined(message.content).flatMap((part) =>
      this.#part(part, byRef, message.role === 'model'),
    );
    const { theme } = this.#drawing;
    return [theme.strong(this.#speaker(message.role)), ...indented(shown), ...sourceLines(message, theme)];
  }

  #speaker(role: Entry['message']['role']): string {
    switch (role) {
      case 'user':
        return 'you';
      case 'model':
        return escapeText(this.#state.agent?.model ?? 'model');
      case 'tool':
      case 'system':
        return role;
      default:
        return assertNever(role);
    }
  }

  #part(part: Part, calls: ReadonlyMap<string, Call>, isMarkdown: boolean): readonly string[] {
    const { theme, columns } = this.#drawing;
    switch (part.type) {
      case 'text':
        return linesOf(isMarkdown ? showMarkdown(part.text, theme, columns) : safeText(part.text));
      case 'reasoning':
        return escapeLines(part.text).map((line) => theme.dim(`${theme.symbols.bar} ${line}`));
      case 'media':
        return [mediaWords(part)];
      case 'data': {
        const call = providerCallOf(part.data);
        if (call !== undefined) return [providerLine(call, this.#drawing)];
        const result = providerResultOf(part.data);
        return [
          result === undefined ? theme.dim('[provider data]') : providerResultLine(result, this.#drawing),
        ];
      }
      case 'tool-request': {
        const call = calls.get(part.ref);
        if (call === undefined)
          return [
            `${theme.symbols.started} ${theme.tool(escapeText(part.name))}`,
            ...indented(valueBlock(part.input, theme, columns - 2)),
          ];
        return callLines(call, this.#decisions.get(part.ref) ?? [], this.#drawing);
      }
      case 'tool-response':
        return [theme.tool(escapeText(part.name)), ...indented(valueBlock(part.output, theme, columns - 2))];
      default:
        return assertNever(part);
    }
  }

  #ended(reason: RunEnd): readonly string[] {
    const { theme } = this.#drawing;
    switch (reason.type) {
      case 'done':
      case 'finished':
        return [];
      case 'aborted':
        return [...this.#partial(reason.partial), theme.warning('[stopped]')];
      case 'limit':
        return [theme.warning(`[stopped: ${limitName(reason.limit)} reached]`)];
      case 'failed':
        return [
          ...this.#partial(reason.partial),
          theme.failure(`[failed: ${escapeText(reason.error.message)}]`),
        ];
      default:
        return assertNever(reason);
    }
  }

  /** Formats text that was shown but is not part of the history. */
  #partial(text: string | undefined): readonly string[] {
    if (text === undefined) return [];
    return linesOf(safeText(text)).map((line) => this.#drawing.theme.dim(line));
  }
}

/**
 * Formats a session as text for `hitl show`: messages, calls with the input before and after an edit,
 * decisions with their author and time, open questions, and the operation tree of workflow code. `standings`
 * contains the outcome of each approval. Rows of the tree are cut. Long values are cut only if `whole`, the
 * command that shows them in full, is set. Ends with a line break unless the text is empty.
 */
export function transcriptText(
  state: RunState,
  drawing: Drawing,
  {
    standings = new Map<string, readonly Shown[]>(),
    times,
    whole,
  }: {
    readonly standings?: ReadonlyMap<string, readonly Shown[]>;
    readonly times?: RunTimes;
    readonly whole?: Shown | undefined;
  } = {},
): Shown {
  const resolved = state.resolved
    .toArray()
    .map((one) => ({ ...one, standing: standings.get(one.interrupt.id) ?? [] }));
  const { graph } = state;
  const tree = graph && operationTree(graph, { resolved, ...(times !== undefined && { times }) });
  const blocks = new TranscriptWriter(state, { ...drawing, whole }, { resolved, tree }).blocks();
  return laidOut(blocks.map((block) => block.map((line) => `${line}\n`).join('')).join('\n'));
}

/** Joins adjacent text parts, because a provider starts a new part at each citation. */
function joined(parts: readonly Part[]): readonly Part[] {
  const whole: Part[] = [];
  for (const part of parts) {
    const last = whole.at(-1);
    if (part.type === 'text' && last?.type === 'text')
      whole[whole.length - 1] = { type: 'text', text: last.text + part.text };
    else whole.push(part);
  }
  return whole;
}
