import type { Actor } from '../../core/index.js';
import type { Visitor } from '../doors/index.js';

/** A door of the server, as the journal names it. */
type Door = 'web' | 'slack' | 'ag-ui';

/** The person who answers, as the journal names them: with what the door knows, and nothing that they say themselves. */
export function actorOf({ name, id, groups }: Visitor, via: Door): Actor {
  return {
    type: 'person',
    name,
    via,
    ...(id !== undefined && { id }),
    ...(groups.length > 0 && { groups }),
  };
}
