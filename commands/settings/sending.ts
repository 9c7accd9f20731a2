import type { SettingRow } from './row.js';

/** The rows about what is sent to people elsewhere. */
export const SENDING = {
  channels: {
    about: 'where `hitl serve` and `hitl worker` tell of questions, by names: webhooks, Slack, mail',
    kind: { type: 'objects', of: 'channels' },
    otherwise: 'none',
    file: 'you',
  },
  pages: {
    about: 'how people reach `hitl serve`, for the links in what is sent: https://hitl.example.org',
    kind: { type: 'url' },
    otherwise: 'its own address, where it sends',
    file: 'you',
  },
} as const satisfies Readonly<Record<string, SettingRow>>;
