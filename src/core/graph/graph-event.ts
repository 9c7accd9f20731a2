import type { GraphOutline } from '../definition/index.js';
import type { ErrorRecord } from '../error-record.js';
import type { Effect } from '../interrupt.js';
import type { JsonObject, JsonValue } from '../json/index.js';
import type { OperationEvent, OperationGates, StepEvent } from '../operation/index.js';
import type { Actor } from '../resolution.js';
import type { GatePoints } from './frame.js';
import type { BuiltinReducer } from './reduce.js';
import type { StateChanges } from './state-changes.js';

interface AtNode {
  readonly node: string;
  readonly visit: number;
}

/** An event of a graph, at the scope of its graph. */
export type GraphEvent =
  | {
      readonly type: 'graph-started';
      readonly name: string;
      readonly hash: string;
      readonly start: string;
      readonly seed: number;
      readonly maxIterations: number;
      /** `inherit`: what the enclosing graph's state is now. `set` is put over it. */
      readonly inherit: boolean;
      readonly set: JsonObject;
      /** For edits that people make; a key that is not named is overwritten. */
      readonly reducers: Readonly<Record<string, BuiltinReducer>>;
      readonly before: GatePoints;
      readonly after: GatePoints;
      /** The operations of its code before which it stops; absent where there are none. */
      readonly gates?: OperationGates;
      /** The names that a message may be for; absent inside of another graph, and in older sessions. */
      readonly nodes?: readonly string[];
      /** The definition that it runs; absent in a branch of one node, and in older sessions. */
      readonly outline?: GraphOutline;
    }
  /** It goes on with another definition: `by` a person who saw the difference, or a rule where it only adds. */
  | {
      readonly type: 'graph-migrated';
      readonly hash: string;
      readonly outline: GraphOutline;
      readonly before: GatePoints;
      readonly after: GatePoints;
      readonly reducers: Readonly<Record<string, BuiltinReducer>>;
      readonly gates?: OperationGates;
      readonly nodes?: readonly string[];
      /** Keys of operations that its code need not come to any more: they are of the code before. */
      readonly passed?: readonly string[];
      readonly by: Actor;
    }
  /** `edge` is what led here, with `drew` where chance chose it; recorded before anything is done there (C-16). */
  | (AtNode & { readonly type: 'node-entered'; readonly edge?: number; readonly drew?: boolean })
  | (AtNode & {
      readonly type: 'node-started';
      readonly attempt: number;
      readonly effect: Effect;
      readonly startedAt: string;
      /** Names the code that runs, where it is known. */
      readonly code?: string;
    })
  | (AtNode & {
      readonly type: 'node-settled';
      readonly output?: JsonValue;
      /** The changes of the state, after reducers. */
      readonly changes: StateChanges;
      /** The patch that the node gave, where reducers made something else of it. */
      readonly patch?: StateChanges;
    })
  | (AtNode & { readonly type: 'node-failed'; readonly error: ErrorRecord })
  | StepEvent
  | OperationEvent
  /** A condition could not be evaluated: its edge did not match (C-6). */
  | (AtNode & { readonly type: 'edge-failed'; readonly to: string; readonly message: string })
  /** Branches wrote different values (P-6). */
  | (AtNode & {
      readonly type: 'conflict-found';
      readonly key: string;
      readonly branches: readonly string[];
      readonly taken?: string;
    })
  /** Back to just before an activation ran (C-40). */
  | (AtNode & {
      readonly type: 'rewound';
      /** Back to just before this operation of its code, and no further. */
      readonly operation?: string;
      /** A person's value in the place of that operation: it is not done again. What began after it is. */
      readonly given?: { readonly output: JsonValue };
      /** The person who did it; absent where nobody is known. */
      readonly by?: Actor;
    })
  /** Somebody takes up a run that was stopped, failed or cancelled. */
  | { readonly type: 'run-continued' };
