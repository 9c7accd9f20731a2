import type { DemoReply, DemoTurn } from './turn.js';

/** Example requests, each with the tool that it needs. */
const EXAMPLES: readonly (readonly [tool: string, example: string])[] = [
  ['transfer_money', 'Transfer 200 to ABC123'],
  ['transfer_money', 'Transfer 200 to ABC123 and 300 to DEF456'],
  ['get_balance', 'What is my balance?'],
  ['ask_user', 'Plan a barbecue'],
  ['get_weather', 'What is the weather in Lisbon?'],
  ['run_command', 'Run echo hello'],
  ['list_files', 'List the files'],
  ['read_file', 'Read README.md'],
  ['search_files', 'Search for import in src'],
  ['write_file', 'Write "hello" to notes.txt'],
  ['edit_file', 'Replace "hello" with "goodbye" in notes.txt'],
  ['fetch_url', 'Fetch https://example.com'],
];

function examples(turn: DemoTurn): string {
  const shown = EXAMPLES.filter(([tool]) => turn.offers(tool)).map(([, example]) => example);
  if (shown.length === 0)
    return 'None of my tools are available in this session, so I can’t do anything here.';
  return ['Try one of these:', ...[...shown, 'Think step by step'].map((example) => `- ${example}`)].join(
    '\n',
  );
}

/** Describes what the demo model can do with the available tools. */
export function help(turn: DemoTurn): DemoReply {
  const asks = /\b(?:help|what can you do|who are you|what are you)\b|^\W*(?:hi|hello|hey|good \w+)\b/iu.test(
    turn.said,
  );
  if (/^\W*(?:thanks?|thank you|thx|cheers)\b/iu.test(turn.said)) return { text: 'You are welcome.' };
  const opening = asks || turn.said === '' ? '' : 'I only know a few phrases. ';
  const why = 'For a real model, set ANTHROPIC_API_KEY or pass --model.';
  return { text: `${opening}${examples(turn)}\n${why}` };
}
