import type {
  ControlVerb,
  InboxControl,
  InboxItem,
  InboxMessage,
  Resolution,
  RunInbox,
  SafePoint,
} from '../../src/core/index.js';
import { isFor } from '../../sessions/inbox/message-target.js';
import { ANN, AT } from './events.js';

/** What was sent to a run, in memory: no lock, no files, no second process. */
export class MemoryInbox implements RunInbox {
  readonly points: SafePoint[] = [];
  #items: InboxItem[] = [];
  #seq = 0;

  send(text: string, more: Partial<Pick<InboxMessage, 'action' | 'event' | 'target' | 'from'>> = {}): void {
    this.#seq += 1;
    const id = `m${this.#seq}`;
    this.#items.push({
      type: 'message',
      id,
      seq: this.#seq,
      text,
      priority: 'normal',
      from: ANN,
      at: AT,
      ...more,
    });
  }

  act(action: Resolution): void {
    this.send(action.action, { action });
  }

  sendVerb(verb: ControlVerb): void {
    this.#seq += 1;
    this.#items.push({ type: 'control', id: `c${this.#seq}`, seq: this.#seq, verb, from: ANN, at: AT });
  }

  async waiting(): Promise<readonly InboxMessage[]> {
    return this.#items.filter((item) => item.type === 'message');
  }

  arrived: RunInbox['arrived'] = () => new Promise(() => undefined);

  get left(): readonly string[] {
    return this.#items.map(({ id }) => id);
  }

  take: RunInbox['take'] = async (
    point,
    _signal,
    { isLast = () => false, wants = () => true, events = () => false } = {},
  ) => {
    this.points.push(point);
    const control = this.#items.find((item): item is InboxControl => item.type === 'control');
    const messages: InboxMessage[] = [];
    for (const item of control === undefined ? this.#items : []) {
      if (item.type !== 'message' || !isFor(item.target, point.path)) continue;
      if (!(item.event === undefined ? wants(item) : events(item))) continue;
      messages.push(item);
      if (isLast(item)) break;
    }
    const gone: readonly InboxItem[] = control === undefined ? messages : [control];
    this.#items = this.#items.filter((item) => !gone.includes(item));
    return {
      ...(control !== undefined && { control }),
      messages,
      events: gone.map((item) => ({ type: 'inbox-delivered', item, point, deliveredAt: AT }) as const),
      notices: [],
      release: () => undefined,
    };
  };

  control: RunInbox['control'] = (_verbs, signal) =>
    new Promise((_resolve, reject) => {
      signal.addEventListener('abort', () => {
        reject(signal.reason as Error);
      });
    });

  end: RunInbox['end'] = () => Promise.resolve({ messages: [], events: [], release: () => undefined });
}
