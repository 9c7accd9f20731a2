import type { Interrupt, InterruptKind, ResolutionAction } from '../../core/index.js';

/** One way to answer, in the product's own words; text from outside never names one. */
export interface Verb {
  readonly action: ResolutionAction;
  /** The same everywhere: `y` approve, `n` reject, `e` edit, `a` answer, `c` cancel. */
  readonly key?: string;
  /** What a line of a script says; `…` is where a value goes. */
  readonly line: string;
  /** What the choice is called on screen. */
  readonly label: string;
  /** What happens then: for `?`. */
  readonly help: string;
}

type VerbTable = Readonly<Partial<Record<InterruptKind, readonly Verb[]>>>;

const CANCEL: Verb = {
  action: 'cancel',
  key: 'c',
  line: 'cancel [reason]',
  label: 'cancel',
  help: 'it does not run; the model is told that it was cancelled',
};

const REJECT: Verb = {
  action: 'reject',
  key: 'n',
  line: 'n [reason]',
  label: 'reject',
  help: 'it does not run; the model is told why and may do something else',
};

const GO_ON: Verb = { action: 'continue', key: 'y', line: 'y', label: 'continue', help: 'the run goes on' };

const GATE: readonly Verb[] = [
  GO_ON,
  {
    action: 'update-state',
    key: 'e',
    line: 'update-state {json}',
    label: 'edit the state',
    help: 'the state is changed; it asks again',
  },
  {
    action: 'rerun',
    line: 'rerun [guidance]',
    label: 'rerun with guidance',
    help: 'the node runs again and reads your words',
  },
  {
    action: 'go-back',
    line: 'go-back [n|node]',
    label: 'go back',
    help: 'earlier nodes are undone and run again',
  },
  { action: 'skip', line: 'skip', label: 'skip', help: 'the node does not run; the next one does' },
  { ...REJECT, help: 'before a node: it does not run; after it: what it did to the state is undone' },
  {
    action: 'respond',
    key: 'a',
    line: 'answer {json or text}',
    label: 'answer in its place',
    help: 'this is the node’s output',
  },
  {
    action: 'change-condition',
    line: 'change-condition {json}',
    label: 'change a condition',
    help: 'the conditions of edges see these values',
  },
  {
    action: 'defer',
    line: 'defer note',
    label: 'defer',
    help: 'the run goes on; your note is kept as something to do',
  },
  {
    action: 'pause',
    line: 'pause',
    label: 'pause',
    help: 'the run stops here and asks again when it is resumed',
  },
  { ...CANCEL, help: 'the run ends here' },
];

const VERBS: VerbTable = {
  question: [
    {
      action: 'respond',
      key: 'a',
      line: 'the answer',
      label: 'answer',
      help: 'what you say becomes the result of the call',
    },
    { ...CANCEL, line: '/cancel', help: 'there is no answer; the model is told' },
  ],
  confirmation: [
    {
      action: 'restart',
      key: 'y',
      line: 'y',
      label: 'approve',
      help: 'it runs with exactly the input that is shown',
    },
    {
      action: 'restart',
      key: 'e',
      line: 'edit {json}',
      label: 'edit, then run',
      help: 'it runs with your input; the model is told',
    },
    REJECT,
    {
      action: 'respond',
      key: 'a',
      line: 'answer {json or text}',
      label: 'answer in its place',
      help: 'it does not run; what you say is its result',
    },
    CANCEL,
  ],
  gate: GATE,
  pause: [
    GO_ON,
    {
      action: 'rerun',
      line: 'rerun guidance',
      label: 'send guidance',
      help: 'the run goes on and reads your words',
    },
    { ...CANCEL, help: 'the run ends here' },
  ],
  error: [
    { action: 'retry', key: 'r', line: 'retry', label: 'retry', help: 'it runs again with the same input' },
    {
      action: 'restart',
      key: 'e',
      line: 'edit {json}',
      label: 'edit and retry',
      help: 'it runs again with your input',
    },
    {
      ...REJECT,
      line: 'n [words]',
      label: 'tell the model',
      help: 'the model is told of the error and may correct itself',
    },
    {
      action: 'respond',
      key: 'a',
      line: 'answer {json or text}',
      label: 'answer in its place',
      help: 'what you say is its result',
    },
    CANCEL,
  ],
  'in-doubt': [
    {
      action: 'respond',
      key: 'a',
      line: 'answer {json or text}',
      label: 'it happened',
      help: 'nothing runs; what you enter is its result',
    },
    {
      action: 'retry',
      key: 'r',
      line: 'retry',
      label: 'run it again',
      help: 'it runs as if it had never started: if it did happen, it happens twice',
    },
    {
      ...REJECT,
      line: 'n [words]',
      label: 'it failed',
      help: 'nothing runs; the model is told that it failed',
    },
    { ...CANCEL, help: 'nothing runs; the model is told that the outcome is unknown' },
  ],
  limit: [
    {
      action: 'extend',
      line: 'extend n',
      label: 'extend by …',
      help: 'the limit moves by that much and the run goes on',
    },
    { ...CANCEL, label: 'stop', help: 'the run ends here' },
  ],
};

/** The ways to answer an interrupt, in the order in which they are offered; the first is never a default. */
export function verbsOf(interrupt: Interrupt): readonly Verb[] {
  return (VERBS[interrupt.kind] ?? []).filter((verb) => interrupt.allowed.includes(verb.action));
}

/** What a line of a script may say at an interrupt, for error messages. */
export function fittingLines(interrupt: Interrupt): readonly string[] {
  return verbsOf(interrupt).map((verb) => verb.line);
}
