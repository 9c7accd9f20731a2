import type { Actor, Part, Resolution, ResolutionAction } from '../../src/core/index.js';
import { toolRef } from '../../src/core/index.js';

/** A person with every member that one may have. */
export const PERSON = {
  type: 'person',
  name: 'ann',
  via: 'library',
  id: { issuer: 'https://id.example.org', subject: 's' },
  groups: ['@ops'],
  host: 'h',
  pid: 7,
  parent: { pid: 1, name: 'sh' },
  terminal: '/dev/pts/1',
  startedAt: '2026-01-01T00:00:00.000Z',
} as const satisfies Actor;

/** Every part that a response may hold in the words of the journal. */
const PARTS: readonly Part[] = [
  { type: 'text', text: 'x', metadata: { a: 1 } },
  { type: 'reasoning', text: 'r' },
  { type: 'media', url: 'u', contentType: 'c' },
  { type: 'data', data: { a: 1 } },
  { type: 'tool-request', ref: toolRef('c1'), name: 'pay', input: {}, problem: 'p' },
  {
    type: 'tool-response',
    ref: toolRef('c1'),
    name: 'pay',
    output: 1,
    isError: true,
    content: [{ type: 'text', text: 'y' }],
  },
];

/** The resolution of each action, with every member that somebody may give. */
const BY_ACTION: { readonly [Action in ResolutionAction]: Extract<Resolution, { action: Action }> } = {
  respond: {
    action: 'respond',
    output: { a: 1 },
    metadata: 1,
    verbatim: { content: PARTS, metadata: { a: 1 } },
  },
  restart: { action: 'restart', input: 1, metadata: 2 },
  retry: { action: 'retry' },
  reject: { action: 'reject', reason: 'r' },
  cancel: { action: 'cancel', reason: 'r' },
  continue: { action: 'continue' },
  skip: { action: 'skip' },
  rerun: { action: 'rerun', guidance: 'g' },
  'go-back': { action: 'go-back', steps: 2, to: 'n' },
  'update-state': { action: 'update-state', patch: { a: 1 } },
  'change-condition': { action: 'change-condition', patch: { a: 1 } },
  defer: { action: 'defer', note: 'n' },
  goto: { action: 'goto', node: 'n' },
  'edit-input': { action: 'edit-input', value: 1 },
  'edit-output': { action: 'edit-output', value: 1 },
  sequence: {
    action: 'sequence',
    actions: [
      { action: 'update-state', patch: { a: 1 } },
      { action: 'extend', by: 5 },
    ],
  },
  pause: { action: 'pause' },
  extend: { action: 'extend', by: 5 },
};

/** Everybody who may decide, with every member that they may have. */
const BY_TYPE: { readonly [Type in Actor['type']]: Extract<Actor, { type: Type }> } = {
  person: PERSON,
  script: { type: 'script', name: 's', via: 'answers', place: 'a line 1' },
  rule: { type: 'rule', rule: 'r', from: 'a flag', says: 'allow pay' },
  reviewer: { type: 'reviewer', via: 'model', name: 'm' },
  clock: { type: 'clock' },
};

const VIAS: Readonly<Record<Extract<Actor, { type: 'person' }>['via'], true>> = {
  terminal: true,
  answer: true,
  library: true,
  web: true,
  slack: true,
  'ag-ui': true,
  editor: true,
};

const SCRIPTS: Readonly<Record<Extract<Actor, { type: 'script' }>['via'], true>> = {
  stdin: true,
  answers: true,
  flag: true,
};

/** A resolution of each action. */
export const RESOLUTIONS: readonly Resolution[] = Object.values(BY_ACTION);

/** Everybody who may decide, through every door. */
export const ACTORS: readonly unknown[] = [
  ...Object.values(BY_TYPE),
  ...Object.keys(VIAS).map((via) => ({ ...PERSON, via })),
  ...Object.keys(SCRIPTS).map((via) => ({ ...BY_TYPE.script, via })),
];
