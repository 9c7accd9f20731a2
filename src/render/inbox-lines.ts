import type { InboxEvent, InboxItem } from '../core/index.js';
import { actorName, plainLine } from '../core/index.js';
import type { Theme } from './theme.js';

/** Maximum width of untrusted text, in columns. */
const MAX_COLUMNS = 100;

/** Formats the handling of incoming messages as lines for the user. */
export function inboxLines(event: InboxEvent, theme: Theme): readonly string[] {
  switch (event.type) {
    case 'inbox-delivered':
      // The question that it raises says who and why.
      if (event.item.type === 'control' && event.item.verb === 'pause') return [];
      return [
        theme.dim(
          `${event.item.type === 'control' ? `${event.item.verb} requested by` : 'message from'} ${shown(actorName(event.item.from))}${said(event.item)}`,
        ),
      ];
    case 'inbox-dropped':
      return [theme.dim(`a message was not delivered: ${event.why}`)];
    case 'inbox-settled': {
      const { outcome } = event;
      if (outcome.type === 'applied') return [];
      const why = outcome.type === 'lost' ? 'the process ended before applying it' : shown(outcome.why);
      return [theme.warning(`a message had no effect: ${why}`)];
    }
    case 'action-chosen': {
      const { choice } = event;
      if (choice.type === 'pause') return [theme.warning(`no action chosen: ${shown(choice.why)}`)];
      if (choice.type === 'question') return [theme.warning(`unclear: ${shown(choice.question)}`)];
      const confirm = choice.confirm ? ' (needs confirmation)' : '';
      return [theme.dim(`interpreted as ${choice.resolution.action}${confirm}: ${shown(choice.reason)}`)];
    }
  }
}

function shown(text: string): string {
  return plainLine(text, MAX_COLUMNS);
}

function said(item: InboxItem): string {
  if (item.type === 'control') return item.reason === undefined ? '' : `: ${shown(item.reason)}`;
  return item.action === undefined ? `: ${shown(item.text)}` : `: ${item.action.action}: ${shown(item.text)}`;
}
