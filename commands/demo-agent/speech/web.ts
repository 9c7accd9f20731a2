import type { Rule } from './rule.js';
import { oneCall } from './rule.js';
import { block, memberOf, valueText } from './say.js';

/** Fetches an address. */
export const fetchRule: Rule = (said) => {
  const url = /\bhttps?:\/\/[^\s"'`<>]+/iu.exec(said)?.[0].replace(/[.,;:?!)]+$/u, '');
  if (url === undefined || !/^(?:fetch|get|download|open|read|load|show|visit)\b/iu.test(said))
    return undefined;
  return oneCall({
    tool: 'fetch_url',
    input: { url },
    before: `I fetch ${url}`,
    what: `the fetching of ${url}`,
    report: ({ input, output }) => {
      const status = memberOf(output, 'status');
      const text = memberOf(output, 'body', 'text', 'content') ?? output;
      const target = memberOf(output, 'redirectedTo');
      if (target !== undefined)
        return `${valueText(memberOf(input, 'url') ?? url)} leads to ${valueText(target)}: ${valueText(memberOf(output, 'note') ?? 'not followed')}`;
      const head = status === undefined ? 'answered' : `answered with status ${valueText(status)}`;
      return `${valueText(memberOf(input, 'url') ?? url)} ${head}:\n${block(valueText(text))}`;
    },
  });
};

/** Ends the run with a result. */
export const finishRule: Rule = (said) => {
  const result =
    /^finish\b(?:\s+(?:with|the (?:run|task) with))?(?:\s+(?:the\s+)?result)?[\s:]*(?<result>.*)$/isu.exec(
      said,
    )?.groups?.['result'];
  if (result === undefined) return undefined;
  return oneCall({
    tool: 'finish',
    input: { result: result.trim() === '' ? 'done' : result.trim() },
    before: '',
    what: 'the end of the run',
    report: () => 'Finished.',
  });
};
