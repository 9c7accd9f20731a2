import type { JsonValue, NodeResult } from 'hitl';

type State = Readonly<Record<string, JsonValue>>;

const listOf = (value: JsonValue | undefined): readonly JsonValue[] => (isList(value) ? value : []);

const isList = (value: JsonValue | undefined): value is readonly JsonValue[] => Array.isArray(value);

export const functions = {
  /** The tasks of a text that has `;` between them. */
  plan: ({ input }: State): NodeResult => ({
    output: (typeof input === 'string' ? input : '').split(';').map((task) => task.trim()),
  }),
  /** Takes the next task off the list. */
  take: ({ tasks }: State): NodeResult => {
    const [task = '', ...rest] = listOf(tasks);
    return { patch: { task, tasks: rest } };
  },
  report: ({ done }: State): NodeResult => ({
    output: `${listOf(done).length} done:\n${listOf(done)
      .map((one) => `- ${typeof one === 'string' ? one : JSON.stringify(one)}`)
      .join('\n')}`,
  }),
};
