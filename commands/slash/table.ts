import type { SlashCommand } from './context.js';

/** Every slash command, in the order in which they are listed. */
export const SLASH_COMMANDS: readonly SlashCommand[] = [
  {
    name: 'help',
    help: 'these commands, and the keys',
    load: async () => (await import('./telling/help.js')).help,
  },
  {
    name: 'status',
    help: 'where this session is, and what it has used',
    load: async () => (await import('./telling/status.js')).status,
  },
  {
    name: 'model',
    argument: '[other]',
    help: 'the model that answers, or another one from now on',
    load: async () => (await import('./acting/model.js')).model,
  },
  {
    name: 'cost',
    help: 'tokens and price of the session so far',
    load: async () => (await import('./telling/cost.js')).cost,
  },
  {
    name: 'context',
    help: 'what fills the context of the model, and how full it is',
    load: async () => (await import('./telling/fills.js')).context,
  },
  {
    name: 'diff',
    argument: '[path]',
    help: 'what changed in the folder since the session began',
    load: async () => (await import('./telling/diff.js')).diff,
  },
  {
    name: 'tools',
    help: 'the tools that are offered, and what stands for them',
    load: async () => (await import('./telling/tools.js')).tools,
  },
  {
    name: 'rules',
    argument: '[remove <tool>]',
    help: 'what is approved for the rest of the session; remove takes it back',
    load: async () => (await import('./acting/rules.js')).rules,
  },
  {
    name: 'answer',
    help: 'ask again what was put aside',
    load: async () => (await import('./acting/aside.js')).nothingAside,
  },
  {
    name: 'cancel',
    help: 'cancel what was put aside',
    load: async () => (await import('./acting/aside.js')).nothingAside,
  },
  {
    name: 'show',
    help: 'the transcript so far',
    load: async () => (await import('./telling/show.js')).show,
  },
  {
    name: 'undo',
    help: 'take the last turn back; what was done stays done',
    load: async () => (await import('./acting/undo.js')).undo,
  },
  {
    name: 'rewind',
    argument: '<turns>',
    help: 'take several turns back',
    load: async () => (await import('./acting/undo.js')).rewind,
  },
  {
    name: 'fork',
    help: 'a new session with the same past',
    load: async () => (await import('./acting/fork.js')).fork,
  },
  {
    name: 'save',
    help: 'write transcript.json now; the journal is always saved',
    load: async () => (await import('./acting/export.js')).save,
  },
  {
    name: 'export',
    argument: '<file>',
    help: 'write the transcript to a file',
    load: async () => (await import('./acting/export.js')).exportTo,
  },
  {
    name: 'clear',
    help: 'clear the screen; the session stays as it is',
    load: async () => (await import('./acting/clear.js')).clear,
  },
  {
    name: 'quit',
    help: 'leave; the session can be resumed',
    load: async () => (await import('./acting/quit.js')).quit,
  },
];
