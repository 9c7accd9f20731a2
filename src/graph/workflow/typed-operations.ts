import type { Duration, JsonObject, JsonValue, Tool } from '../../core/index.js';
import { HitlError, isJsonObject, isoTime, millisecondsOf, plainLine, timeOf } from '../../core/index.js';
import type { CodeOperations, Graph } from '../definition/graph-definition.js';
import type { StepContext, StepOptions } from '../definition/code-operations.js';
import { checkJson } from '../state/check-state.js';
import type { BranchesEnd, Decisive } from './code-branches.js';
import { noneSucceeded, runBranchesOfCode, valueOf } from './code-branches.js';
import { callError, checkCall } from './call-rows.js';
import type { LiveState } from './live-state.js';
import { checked, emitted } from './live-state.js';
import type { TypedSchema } from '../definition/node-schema.js';
import { isTypedSchema, jsonSchemaOf } from '../definition/node-schema.js';
import type {
  AgentOptions,
  Bounded,
  BranchOptions,
  Branches,
  BranchOutcomes,
  BranchResults,
  EventOptions,
  Moment,
  PlainQuestion,
  TypedEvent,
  TypedQuestion,
  TypedTool,
  UntypedGraph,
  UntypedTool,
  Workflow,
  WorkflowContext,
} from './workflow-context.js';

/** Maximum width of an operation's description. */
const TITLE_COLUMNS = 100;
/** The answer that ends a wait. */
const GO_ON = 'go on';

/** The operations available to a workflow's code, typed by its schemas, tools and bodies. */
export class Context<State> implements WorkflowContext<State> {
  readonly #operations: CodeOperations;
  readonly #state: LiveState<State>;

  constructor(operations: CodeOperations, state: LiveState<State>) {
    this.#operations = operations;
    this.#state = state;
  }

  get state(): Readonly<State> {
    return this.#state.value;
  }

  async put(patch: Partial<State>): Promise<void> {
    checkCall('put', { patch });
    return this.#state.put(this.#operations, patch);
  }

  async emit(data: JsonValue, options: { readonly keep?: boolean } = {}): Promise<void> {
    checkCall('emit', { data, options });
    return emitted(this.#operations, data, options.keep ?? false);
  }

  checkpoint(value: JsonValue): Promise<void> {
    const kept = checkJson(value, 'what a checkpoint keeps', { node: 'checkpoint' });
    return this.#operations.checkpoint({ kind: 'checkpoint', name: 'checkpoint' }, kept);
  }

  restored<Value>(schema: TypedSchema<Value>): Promise<Value | undefined>;
  restored(): Promise<JsonValue | undefined>;
  async restored(schema?: TypedSchema<unknown>): Promise<unknown> {
    const value = this.#operations.journal.current.checkpoint?.state;
    return value === undefined || schema === undefined
      ? value
      : checked('the saved checkpoint', schema, value);
  }

  get path(): string {
    return this.#operations.path;
  }

  get guidance(): readonly string[] {
    return this.#operations.journal.current.guidance;
  }

  get signal(): AbortSignal {
    return this.#operations.signal;
  }

  step<Result>(
    name: string,
    body: (context: StepContext) => Result | Promise<Result>,
    options?: StepOptions,
  ): Promise<Result>;
  step(name: string, body: (context: StepContext) => unknown, options: StepOptions = {}): Promise<unknown> {
    const wrong = callError('step', { name, body, options });
    if (wrong !== undefined) return Promise.reject(wrong);
    const { of } = options;
    const about = { kind: 'step', name, ...(of !== undefined && { of, title: titleOf(of) }) } as const;
    return this.#operations.do(about, body, options);
  }

  ask<Answer>(name: string, question: TypedQuestion<Answer>): Promise<Answer>;
  ask(name: string, question: PlainQuestion): Promise<JsonValue>;
  async ask(name: string, question: TypedQuestion<unknown> | PlainQuestion): Promise<unknown> {
    checkCall('ask', { name, question });
    const { prompt, schema, payload, ...time } = question;
    const json = schema && jsonSchemaOf(schema);
    const asked = {
      prompt,
      ...(json !== undefined && { schema: json }),
      ...(payload !== undefined && { payload: checkJson(payload, `what \`${name}\` shows`, { node: name }) }),
    };
    const { approvers } = time;
    const of = approvers === undefined ? asked : { ...asked, approvers: { ...approvers } };
    const about = { kind: 'ask', name, of, title: titleOf(prompt) } as const;
    const answer = await this.#operations.ask(about, { ...asked, ...time });
    if (schema === undefined || !isTypedSchema(schema)) return answer;
    return checked(`the answer to \`${name}\``, schema, answer, 'BAD_ANSWER');
  }

  tool<Input, Output>(tool: TypedTool<Input, Output>, input: NoInfer<Input>): Promise<Output>;
  tool(tool: UntypedTool, input: JsonValue): Promise<JsonValue>;
  async tool(tool: Tool, input: unknown): Promise<unknown> {
    checkCall('tool', { tool, input });
    const given = checkJson(input, `the input of \`${tool.name}\``, { node: tool.name });
    const about = { kind: 'tool', name: tool.name, of: given, title: titleOf(given) } as const;
    return await this.#operations.inside(about, { kind: 'tool', tool, input: () => given });
  }

  async agent(name: string, given: AgentOptions): Promise<string> {
    checkCall('agent', { name, options: given });
    const { prompt, ...options } = given;
    const { system = null, model } = options;
    const about = {
      kind: 'agent',
      name,
      of: { prompt, system, model: model?.id ?? null },
      title: titleOf(prompt),
    } as const;
    const said = await this.#operations.inside(about, { ...options, kind: 'agent', prompt: () => prompt });
    return typeof said === 'string' ? said : JSON.stringify(said);
  }

  call<Input, Output>(workflow: Workflow<Input, Output>, input: NoInfer<Input>): Promise<Output>;
  call(graph: UntypedGraph, state?: JsonObject): Promise<JsonValue>;
  async call(graph: Graph, input: unknown = {}): Promise<unknown> {
    checkCall('call', { graph, input });
    const given = checkJson(input, `the input of \`${graph.name}\``, { node: graph.name });
    const about = { kind: 'call', name: graph.name, of: given, title: titleOf(given) } as const;
    const set = isJsonObject(given) ? given : { input: given };
    return await this.#operations.inside(about, { kind: 'graph', graph, set });
  }

  all<All extends Branches<State>>(
    name: string,
    branches: All,
    options?: BranchOptions,
  ): Promise<BranchResults<All>>;
  async all(name: string, branches: Branches<State>, options?: BranchOptions): Promise<unknown> {
    const end = await this.#run(name, branches, { options, decisive: 'rejected' });
    if (end.type === 'decided') return valueOf(end.end);
    return Object.fromEntries([...end.ends].map(([branch, one]) => [branch, valueOf(one)]));
  }

  settled<All extends Branches<State>>(
    name: string,
    branches: All,
    options?: BranchOptions,
  ): Promise<BranchOutcomes<All>>;
  async settled(name: string, branches: Branches<State>, options?: BranchOptions): Promise<unknown> {
    const end = await this.#run(name, branches, { options, decisive: 'none' });
    return end.type === 'all' ? Object.fromEntries(end.ends) : {};
  }

  any<All extends Branches<State>>(
    name: string,
    branches: All,
    options?: BranchOptions,
  ): Promise<BranchResults<All>[keyof All]>;
  async any(name: string, branches: Branches<State>, options?: BranchOptions): Promise<unknown> {
    const end = await this.#run(name, branches, { options, decisive: 'fulfilled' });
    if (end.type === 'decided') return valueOf(end.end);
    throw noneSucceeded(name, end.ends);
  }

  race<All extends Branches<State>>(
    name: string,
    branches: All,
    options?: BranchOptions,
  ): Promise<BranchResults<All>[keyof All]>;
  async race(name: string, branches: Branches<State>, options?: BranchOptions): Promise<unknown> {
    const end = await this.#run(name, branches, { options, decisive: 'any' });
    if (end.type === 'decided') return valueOf(end.end);
    throw noneSucceeded(name, end.ends);
  }

  async sleep(name: string, duration: Duration): Promise<void> {
    checkCall('sleep', { name, duration });
    const ms = millisecondsOf(duration) ?? 0;
    await this.#wait(name, ms, this.#operations.now() + ms);
  }

  async until(name: string, moment: Moment): Promise<void> {
    checkCall('until', { name, moment });
    const at = typeof moment === 'string' ? timeOf(moment) : moment.getTime();
    if (Number.isNaN(at))
      throw new HitlError('BAD_CONFIG', `\`${name}\` requires an ISO 8601 timestamp, or a Date`);
    await this.#wait(name, at, at);
  }

  event<Data>(name: string, options: TypedEvent<Data> & Bounded): Promise<Data | null>;
  event<Data>(name: string, options: TypedEvent<Data>): Promise<Data>;
  event(name: string, options?: EventOptions): Promise<JsonValue>;
  async event(name: string, options: EventOptions = {}): Promise<unknown> {
    checkCall('event', { name, options });
    const { schema, prompt = `Waiting for event \`${name}\`.`, ...time } = options;
    const json = schema && jsonSchemaOf(schema);
    const endsEmpty = time.timeout !== undefined && time.onTimeout === undefined;
    const about = { kind: 'event', name, of: json ?? null, title: titleOf(prompt) } as const;
    const given = await this.#operations.ask(about, {
      prompt,
      event: name,
      wait: 'event',
      ...time,
      ...(endsEmpty
        ? { schema: { anyOf: [json ?? {}, { type: 'null' }] }, onTimeout: { value: null } }
        : json !== undefined && { schema: json }),
    });
    if (endsEmpty && given === null) return null;
    return schema === undefined || !isTypedSchema(schema)
      ? given
      : checked(`the data of \`${name}\``, schema, given, 'BAD_ANSWER');
  }

  async now(): Promise<number> {
    return Number(await this.#value('now', () => this.#operations.now()));
  }

  async random(): Promise<number> {
    const drawn = (key: string): number =>
      Number.parseInt(this.#operations.draw(key).slice(0, 12), 16) / 0x1000000000000;
    return Number(await this.#value('random', drawn));
  }

  async uuid(): Promise<string> {
    const id = await this.#value('uuid', (key) => uuidOf(this.#operations.draw(key)));
    return typeof id === 'string' ? id : '';
  }

  async patched(name: string): Promise<boolean> {
    checkCall('patched', { name });
    const chosen = this.#operations.choose({ kind: 'value', name: `patched ${name}` });
    if (chosen.known !== undefined) return chosen.known === true;
    if (this.#operations.journal.isReplaying) return false;
    return (await chosen.keep(true)) === true;
  }

  /**
   * Waits until a time. A wait is a question that a timer answers, so it is listed, answered and resumed like
   * any other question (T1).
   */
  async #wait(name: string, of: number, at: number): Promise<void> {
    const until = isoTime(at);
    await this.#operations.ask(
      { kind: 'timer', name, of, title: `until ${until}` },
      {
        prompt: 'Waiting; continues automatically.',
        wait: 'timer',
        schema: { enum: [GO_ON] },
        expiresAt: until,
        onTimeout: { value: GO_ON },
      },
    );
  }

  #value(name: string, make: (key: string) => JsonValue): Promise<JsonValue> {
    const chosen = this.#operations.choose({ kind: 'value', name });
    return chosen.known === undefined ? chosen.keep(make(chosen.key)) : Promise.resolve(chosen.known);
  }

  async #run(
    name: string,
    branches: Branches<State>,
    { options, decisive }: { readonly options: BranchOptions | undefined; readonly decisive: Decisive },
  ): Promise<BranchesEnd> {
    checkCall('branches', { name, branches, options });
    const bodies = Object.entries(branches).map(
      ([branch, body]) =>
        [branch, (operations: CodeOperations) => body(new Context<State>(operations, this.#state))] as const,
    );
    return runBranchesOfCode(this.#operations, { name, bodies, limit: options?.limit ?? Infinity }, decisive);
  }
}

function titleOf(value: JsonValue): string {
  return plainLine(typeof value === 'string' ? value : JSON.stringify(value), TITLE_COLUMNS);
}

/** Returns a version 8 UUID derived from the identity of the operation. */
function uuidOf(hex: string): string {
  const [a, b, c, d, e] = [
    hex.slice(0, 8),
    hex.slice(8, 12),
    hex.slice(13, 16),
    hex.slice(17, 20),
    hex.slice(20, 32),
  ];
  return `${a}-${b}-8${c}-8${d}-${e}`;
}
