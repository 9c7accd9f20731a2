import type { SlashCommand } from './context.js';

/** Every slash command, in the order in which they are listed. */
export const SLASH_COMMANDS: readonly SlashCommand[] = [
  {
    name: 'help',
    beside: true,
    help: 'these commands, and the keys',
    load: async () => (await import('./telling/help.js')).help,
  },
  {
    name: 'status',
    beside: true,
    help: 'where this session is, and what it has used',
    load: async () => (await import('./telling/status.js')).status,
  },
  {
    name: 'model',
    beside: false,
    argument: '[other]',
    help: 'the model that answers, or another one from now on',
    load: async () => (await import('./acting/model.js')).model,
  },
  {
    name: 'cost',
    beside: true,
    help: 'tokens and price of the session so far',
    load: async () => (await import('./telling/cost.js')).cost,
  },
  {
    name: 'context',
    beside: true,
    help: 'what fills the context of the model, and how full it is',
    load: async () => (await import('./telling/fills.js')).context,
  },
  {
    name: 'diff',
    beside: true,
    argument: '[path]',
    help: 'what changed in the folder since the session began',
    load: async () => (await import('./telling/diff.js')).diff,
  },
  {
    name: 'tools',
    beside: true,
    help: 'the tools that are offered, and what stands for them',
    load: async () => (await import('./telling/tools.js')).tools,
  },
  {
    name: 'rules',
    beside: false,
    argument: '[remove <tool>]',
    help: 'what is approved for the rest of the session; remove takes it back',
    load: async () => (await import('./acting/rules.js')).rules,
  },
  {
    name: 'answer',
    beside: false,
    help: 'ask again what was put aside',
    load: async () => (await import('./acting/aside.js')).nothingAside,
  },
  {
    name: 'cancel',
    beside: false,
    help: 'cancel what was put aside',
    load: async () => (await import('./acting/aside.js')).nothingAside,
  },
  {
    name: 'show',
    beside: true,
    help: 'the transcript so far',
    load: async () => (await import('./telling/show.js')).show,
  },
  {
    name: 'undo',
    beside: false,
    help: 'take the last turn back; what was done stays done',
    load: async () => (await import('./acting/undo.js')).undo,
  },
  {
    name: 'rewind',
    beside: false,
    argument: '<turns>',
    help: 'take several turns back',
    load: async () => (await import('./acting/undo.js')).rewind,
  },
  {
    name: 'fork',
    beside: false,
    help: 'a new session with the same past',
    load: async () => (await import('./acting/fork.js')).fork,
  },
  {
    name: 'save',
    beside: true,
    help: 'write transcript.json now; the journal is always saved',
    load: async () => (await import('./acting/export.js')).save,
  },
  {
    name: 'export',
    beside: true,
    argument: '<file>',
    help: 'write the transcript to a file',
    load: async () => (await import('./acting/export.js')).exportTo,
  },
  {
    name: 'clear',
    beside: true,
    help: 'clear the screen; the session stays as it is',
    load: async () => (await import('./acting/clear.js')).clear,
  },
  {
    name: 'quit',
    beside: false,
    help: 'leave; the session can be resumed',
    load: async () => (await import('./acting/quit.js')).quit,
  },
];
