import type { Rule } from './rule.js';
import { facts, hasFailed, inWords, memberOf, missingTool, notDone, valueText } from './say.js';
import type { DemoReply, DemoTurn, DoneCall } from './turn.js';

const TOOL = 'get_weather';

function cityText(call: DoneCall, first: DoneCall): string {
  const { input, output } = call;
  const city = valueText(memberOf(output, 'city') ?? memberOf(input, 'city') ?? '?');
  if (call.isError)
    return notDone(call, { act: `look up the weather for ${city}`, what: `the weather lookup for ${city}` });
  const again =
    call === first ? '' : ` (The first try failed: ${valueText(first.output)}. The second one worked.)`;
  const [sky, celsius] = [memberOf(output, 'sky'), memberOf(output, 'celsius')];
  const known = sky !== undefined && celsius !== undefined;
  const weather = known ? `${valueText(sky)}, ${valueText(celsius)} °C` : facts(output, 'city');
  return `The weather in ${city}: ${weather}.${again}`;
}

/**
 * Checks each city once. If the service fails for a city, checks it a second time. Does not retry a rejected
 * call.
 */
function lookAt(turn: DemoTurn, cities: readonly string[]): DemoReply {
  const [first, second = []] = turn.rounds;
  if (first === undefined) {
    if (!turn.offers(TOOL)) return { text: missingTool(TOOL) };
    const calls = cities.map((city) => ({ name: TOOL, input: { city } }));
    return { text: `Let me look up the weather in ${inWords(cities)}.`, calls };
  }
  const failed = first.filter(hasFailed);
  const [one] = failed;
  if (one !== undefined && second.length === 0) {
    const calls = failed.map(({ input }) => ({ name: TOOL, input }));
    return { text: `That failed (${valueText(one.output)}), so I will try again.`, calls };
  }
  const lines = first.map((call) => cityText(second[failed.indexOf(call)] ?? call, call));
  return { text: lines.join('\n') };
}

/** Answers questions about the weather in one or more cities. */
export const weatherRule: Rule = (said) => {
  if (!/\bweather\b/iu.test(said)) return undefined;
  const named = /\bin\s+(?<cities>[^?.!]+)/iu.exec(said)?.groups?.['cities'] ?? '';
  const cities = named
    .replace(/\s+(?:today|tomorrow|now|please)\s*$/iu, '')
    .split(/,|\band\b/iu)
    .map((city) => city.trim())
    .filter((city) => city !== '');
  if (cities.length > 0) return (turn) => lookAt(turn, cities);
  return () => ({ text: 'Which city? For example: What is the weather in Lisbon?' });
};
