import { isProposal } from './standing-votes.js';
import { amountText } from '../data/duration.js';
import { count } from '../data/plain-line.js';
import { limitOf } from '../data/interrupt.js';
import type { Ways, Done } from './way.js';
import type { Interrupt, InterruptKind } from '../data/interrupt.js';

/** Creates a decision from its verb and an optional text. */
function said(verb: string, look: Done['look'], text = ''): Done {
  return text === '' ? { look, verb } : { look, verb, text };
}

/** Returns the verb for a rejection, depending on the kind of interrupt. */
function rejectedVerb(kind: InterruptKind): string {
  switch (kind) {
    case 'in-doubt':
      return 'marked as failed';
    case 'error':
      return 'sent the error to the model';
    case 'question':
    case 'confirmation':
    case 'gate':
    case 'pause':
    case 'limit':
      return 'rejected';
  }
}

/** Verb for an approval with an edited input. */
export const EDITED = 'approved with a change';

/** Returns the verb for an answer: a call's result or an answer to a question. */
function respondedVerb(kind: InterruptKind): string {
  if (kind === 'question') return 'answered';
  return kind === 'in-doubt' ? 'marked as done' : 'provided the result';
}

/** Returns the verb for cancelling a call or the whole run. */
function cancelledVerb({ kind, source }: Interrupt, reason = ''): string {
  if (kind === 'limit') return 'stopped';
  if (kind === 'question' && source.type === 'tool' && reason !== '') return 'replied';
  return source.type === 'tool' || kind === 'question' ? 'cancelled' : 'cancelled the run';
}

/**
 * Every action, in the order used at a gate. This is the only place that lists them all. Prompts, script
 * lines, records and the effects on workflows are derived from it.
 */
export const WAYS: Ways = {
  restart: {
    action: 'restart',
    key: 'y',
    words: ['yes', 'approve', 'continue'],
    line: 'y',
    label: 'approve',
    help: 'run it with exactly this input',
    starts: true,
    takes: 'nothing',
    make: () => ({ action: 'restart' }),
    done: (resolution, interrupt) => {
      const { input, note } = resolution;
      const text = note !== undefined && { text: note };
      if (input === undefined) return { look: 'done', verb: 'approved', ...text };
      return {
        look: 'edited',
        ...text,
        verb: isProposal(interrupt, resolution) ? 'proposed' : EDITED,
        value: input,
      };
    },
  },
  edit: {
    action: 'restart',
    key: 'e',
    words: ['edit'],
    line: 'edit {json}',
    label: 'edit',
    help: 'change the input, then run it (the model sees the change)',
    starts: true,
    takes: 'input',
    make: (input) => (input === undefined ? { action: 'restart' } : { action: 'restart', input }),
  },
  always: {
    action: 'restart',
    key: 'w',
    words: ['always'],
    line: 'always [words|folder|host|tool]',
    label: 'always…',
    help: 'approve, and choose which calls to allow from now on (/rules revokes)',
    starts: true,
    takes: 'nothing',
    make: () => ({ action: 'restart' }),
    always: true,
  },
  continue: {
    action: 'continue',
    key: 'y',
    words: ['yes', 'approve', 'continue'],
    line: 'y',
    label: 'continue',
    help: 'continue the run',
    starts: true,
    gate: 'both',
    forModels: 'Continue as planned; change nothing',
    takes: 'nothing',
    make: () => ({ action: 'continue' }),
    done: (_, { kind }) => ({ look: 'done', verb: kind === 'limit' ? 'compacted' : 'continued' }),
  },
  'update-state': {
    action: 'update-state',
    key: 'e',
    words: ['edit', 'update-state'],
    line: 'update-state {json}',
    label: 'edit state',
    help: 'change the state, then ask again',
    starts: false,
    gate: 'both',
    forModels: 'Change state values: only the given keys',
    startsFrom: 'state',
    takes: 'patch',
    make: (patch) => ({ action: 'update-state', patch }),
    done: ({ patch }) => ({ look: 'edited', verb: 'edited', of: 'state', value: patch }),
    edits: ({ patch }) => ({ patch }),
  },
  'edit-input': {
    action: 'edit-input',
    key: 'i',
    words: ['edit-input'],
    line: 'edit-input {json or text}',
    label: 'edit input',
    help: 'run the node with your input',
    starts: true,
    gate: 'before',
    startsFrom: 'input',
    takes: 'value',
    make: (value) => ({ action: 'edit-input', value }),
    done: ({ value }) => ({ look: 'edited', verb: 'edited', of: 'input', value }),
  },
  'edit-output': {
    action: 'edit-output',
    key: 'o',
    words: ['edit-output'],
    line: 'edit-output {json or text}',
    label: 'edit output',
    help: 'replace the node’s output and continue',
    starts: true,
    gate: 'after',
    startsFrom: 'output',
    takes: 'value',
    make: (value) => ({ action: 'edit-output', value }),
    done: ({ value }) => ({ look: 'edited', verb: 'edited', of: 'output', value }),
    edits: ({ value }) => ({ output: { value } }),
  },
  retry: {
    action: 'retry',
    key: 'r',
    words: ['retry'],
    line: 'retry',
    label: 'retry',
    help: 'run it again with the same input',
    starts: true,
    takes: 'nothing',
    make: () => ({ action: 'retry' }),
    done: (_, { kind }) => ({ look: 'done', verb: kind === 'in-doubt' ? 'ran it again' : 'retried' }),
  },
  rerun: {
    action: 'rerun',
    key: 'g',
    words: ['rerun'],
    line: 'rerun [guidance]',
    label: 'rerun…',
    help: 'run the node again with your instructions',
    starts: true,
    gate: 'both',
    forModels: 'Undo the node’s changes, and run it again',
    takes: 'guidance',
    asks: { prompt: 'instructions: ', hint: 'instructions for the node' },
    make: (guidance) => (guidance === '' ? { action: 'rerun' } : { action: 'rerun', guidance }),
    done: ({ guidance }) => said('reran', 'done', guidance),
  },
  'go-back': {
    action: 'go-back',
    key: 'b',
    words: ['go-back'],
    line: 'go-back [n|node]',
    label: 'go back…',
    help: 'undo earlier nodes and run them again',
    starts: true,
    gate: 'both',
    forModels: 'Undo the last nodes and run them again. Give either `steps` or `to`',
    takes: 'steps',
    asks: { prompt: 'go back: ', hint: 'number of nodes, or a node name', initial: '1' },
    make: (target) => ({ action: 'go-back', ...target }),
    done: ({ to, steps = 1 }) =>
      said('went back', 'edited', to === undefined ? count(steps, 'node') : `to ${to}`),
  },
  goto: {
    action: 'goto',
    key: 't',
    words: ['goto'],
    line: 'goto node',
    label: 'jump to…',
    help: 'continue at another node; nothing is undone',
    starts: true,
    gate: 'both',
    forModels: 'Continue at another node; nothing is undone',
    takes: 'node',
    asks: { prompt: 'jump to: ', hint: 'a node name' },
    make: (node) => ({ action: 'goto', node }),
    done: ({ node }) => said('jumped', 'edited', `to ${node}`),
  },
  skip: {
    action: 'skip',
    key: 's',
    words: ['skip'],
    line: 'skip',
    label: 'skip',
    help: 'skip this node and continue with the next',
    starts: true,
    gate: 'before',
    forModels: 'Skip the node that is about to run',
    takes: 'nothing',
    make: () => ({ action: 'skip' }),
    done: () => ({ look: 'cancelled', verb: 'skipped' }),
  },
  reject: {
    action: 'reject',
    key: 'n',
    words: ['no', 'reject'],
    line: 'n [reason]',
    label: 'reject',
    help: 'don’t run it, and tell the model why',
    starts: false,
    gate: 'both',
    takes: 'reason',
    asks: { prompt: 'why not: ', hint: 'optional message to the model' },
    make: (reason) => (reason === '' ? { action: 'reject' } : { action: 'reject', reason }),
    done: ({ reason }, { kind }) => said(rejectedVerb(kind), 'failed', reason),
  },
  respond: {
    action: 'respond',
    key: 'a',
    words: ['answer', 'respond'],
    line: 'answer {json or text}',
    label: 'provide result',
    help: 'don’t run it, type the result yourself',
    starts: false,
    takes: 'answer',
    make: (output) => ({ action: 'respond', output }),
    done: ({ output }, { kind }) => ({ look: 'done', verb: respondedVerb(kind), value: output }),
  },
  'change-condition': {
    action: 'change-condition',
    key: 'k',
    words: ['change-condition'],
    line: 'change-condition {json}',
    label: 'set conditions',
    help: 'set values for edge conditions, and continue',
    starts: true,
    gate: 'both',
    forModels: 'Set values that the workflow’s edge conditions read',
    takes: 'patch',
    make: (patch) => ({ action: 'change-condition', patch }),
    done: ({ patch }) => ({ look: 'edited', verb: 'set', of: 'conditions', value: patch }),
    edits: ({ patch }) => ({ condition: patch }),
  },
  defer: {
    action: 'defer',
    key: 'd',
    words: ['defer'],
    line: 'defer note',
    label: 'defer…',
    help: 'continue, and save your note as a to-do',
    starts: true,
    gate: 'both',
    forModels: 'Continue, and save a note to do later',
    takes: 'note',
    asks: { prompt: 'note: ', hint: 'saved as a to-do' },
    make: (note) => ({ action: 'defer', note }),
    done: ({ note }) => said('deferred', 'done', note),
    edits: ({ note }) => ({ note }),
  },
  sequence: {
    action: 'sequence',
    key: 'm',
    words: [],
    line: '… then …',
    label: 'combine…',
    help: 'any edits and notes, and at most one way to continue: `update-state {…} then continue`',
    starts: true,
    gate: 'both',
    takes: 'several',
    asks: { prompt: 'answers: ', hint: 'several actions joined with `then`' },
    make: (actions) => ({ action: 'sequence', actions }),
    done: ({ actions }) => said('combined', 'edited', actions.map(({ action }) => action).join(', ')),
  },
  pause: {
    action: 'pause',
    key: 'p',
    words: ['pause'],
    line: 'pause',
    label: 'pause',
    help: 'stop here; ask again on resume',
    starts: false,
    forModels: 'Stop here and let the user choose',
    takes: 'nothing',
    make: () => ({ action: 'pause' }),
    done: () => ({ look: 'cancelled', verb: 'paused' }),
  },
  extend: {
    action: 'extend',
    key: 'x',
    words: ['extend'],
    line: 'extend n',
    label: 'extend…',
    help: 'raise the limit by this much and continue',
    starts: true,
    takes: 'amount',
    asks: { prompt: 'extend by: ', hint: 'amount, in the limit’s unit' },
    make: (by) => ({ action: 'extend', by }),
    done: ({ by }, interrupt) => said('extended', 'done', amountText(by, limitOf(interrupt))),
  },
  cancel: {
    action: 'cancel',
    key: 'c',
    words: ['cancel'],
    line: 'cancel [reason]',
    label: 'cancel',
    help: 'don’t run it, and tell the model you cancelled',
    starts: false,
    gate: 'both',
    forModels: 'Cancel the run; it can be resumed later',
    takes: 'reason',
    make: (reason) => (reason === '' ? { action: 'cancel' } : { action: 'cancel', reason }),
    done: ({ reason }, interrupt) => said(cancelledVerb(interrupt, reason), 'cancelled', reason),
  },
};
