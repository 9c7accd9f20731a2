import type { JsonValue } from '../../../src/core/index.js';
import { askAll } from './ask.js';
import type { Rule } from './rule.js';
import { endOf, facts, inWords, memberOf, missingTool, notDone, valueText } from './say.js';
import type { DemoReply, DemoTurn, DoneCall } from './turn.js';

const TOOL = 'get_weather';
const MAX_TRIES = 2;

/** The cities of `weather in Paris, Rome and New York today`. */
function citiesOf(said: string): readonly string[] {
  const place = /\b(?:in|for|at|of)\s+(?<place>[^?.!]+)/iu.exec(said)?.groups?.['place'] ?? '';
  const bare = place.replaceAll(
    /\b(?:today|tomorrow|tonight|right now|now|this \w+|please|like|the weather)\b/giu,
    '',
  );
  return bare
    .split(/,|\band\b|&/iu)
    .map((city) => city.trim())
    .filter((city) => city !== '');
}

/** The tries for each city: those that failed are tried again in the next round, in the same order. */
function triesOf(turn: DemoTurn, cities: readonly string[]): readonly (readonly DoneCall[])[] {
  const tries: DoneCall[][] = cities.map(() => []);
  let waiting = [...cities.keys()];
  for (const round of turn.rounds) {
    const calls = round.filter(({ name }) => name === TOOL);
    if (calls.length === 0) continue;
    for (const [index, call] of calls.entries()) tries[waiting[index] ?? -1]?.push(call);
    waiting = waiting.filter((city) => isOpen(tries[city] ?? []));
  }
  return tries;
}

/** True for a city that is worth another try: not where a person said no. */
function isOpen(tries: readonly DoneCall[]): boolean {
  const last = tries.at(-1);
  return last === undefined || (endOf(last) === 'failed' && tries.length < MAX_TRIES);
}

function weatherText(output: JsonValue): string {
  const sky = memberOf(output, 'sky');
  const celsius = memberOf(output, 'celsius');
  if (sky === undefined || celsius === undefined) return facts(output, ['city']);
  return `${valueText(sky)}, ${valueText(celsius)} °C`;
}

function cityText(city: string, tries: readonly DoneCall[]): string {
  const last = tries.at(-1);
  const first = tries[0];
  if (last === undefined || first === undefined) return `I know nothing about ${city}.`;
  const shown = valueText(memberOf(last.output, 'city') ?? memberOf(last.input, 'city') ?? city);
  if (last.isError) return notDone(last, `the look at the weather in ${shown}`);
  const again =
    tries.length > 1 ? ` (The first try failed: ${valueText(first.output)}. The second one worked.)` : '';
  return `The weather in ${shown}: ${weatherText(last.output)}.${again}`;
}

function lookAt(turn: DemoTurn, cities: readonly string[]): DemoReply {
  const tries = triesOf(turn, cities);
  const open = cities.filter((_city, index) => isOpen(tries[index] ?? []));
  if (open.length === 0)
    return { text: cities.map((city, index) => cityText(city, tries[index] ?? [])).join('\n') };
  if (!turn.offers(TOOL)) return { text: missingTool(TOOL) };
  const failed = tries.flat().findLast(({ isError }) => isError);
  const text =
    failed === undefined
      ? `I look at the weather in ${inWords(cities)}.`
      : `That failed (${valueText(failed.output)}), so I try once more.`;
  return { text, calls: open.map((city) => ({ name: TOOL, input: { city } })) };
}

/** Tells the weather, and tries once more where the service failed. */
export const weatherRule: Rule = (said) => {
  if (!/\b(?:weather|forecast)\b|\bis it (?:raining|sunny|cold|hot)\b/iu.test(said)) return undefined;
  const cities = citiesOf(said);
  if (cities.length > 0) return (turn) => lookAt(turn, cities);
  return (turn) => {
    const asked = askAll(turn, [{ question: 'The weather in which city?' }]);
    switch (asked.type) {
      case 'asking':
        return asked.reply;
      case 'answered':
        return lookAt(turn, asked.answers.slice(0, 1));
      case 'refused':
        return { text: `I have no city (${asked.why}), so I know no weather.` };
      case 'cannot-ask':
        return { text: 'In which city? For example: What is the weather in Lisbon?' };
    }
  };
};
