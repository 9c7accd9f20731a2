import type { Finding } from './finding.js';

const SUBSTITUTION = /\$\(|\$\{|[<>]\(|\{\{|%\{/;
/** Matches a pair of backticks on one line. In longer texts, backticks quote code. */
const BACKTICKS = /`[^`\n]+`/;
/**
 * Matches a URL that contains a user name. The pattern starts at the colon, because it would be slow for long
 * words if it started at the scheme.
 */
const USER_INFO = /:(?<=[a-z][a-z0-9+.-]{0,30}:)[/\\]{2}[^\s/?#\\@"'<>]{0,255}@/i;
/** Matches programs that download, decode or unpack data that may then be piped to a shell or evaluated. */
const SOURCE_OF_CODE =
  /\b(?:base64|base32|openssl|xxd|uudecode|gunzip|zcat|gzip|tr|rev|curl|wget|fetch|b64decode|atob|fromCharCode|unhexlify|FromBase64String)\b/i;
const PIPE_TO_SHELL =
  /\|[ \t]{0,20}(?:sudo[ \t]{1,20})?(?:env[ \t]{1,20})?(?:\/[a-z/]{0,40})?(?:(?:ba|z|da|k|fi)?sh|python[0-9.]{0,5}|node|perl|ruby|php|pwsh|powershell|xargs|source|eval)\b/i;
const EVALUATION = /\b(?:eval|exec|source|iex|Invoke-Expression)\b|(?:^|[\s;&|])\.\s/i;
const POWERSHELL = /\b(?:pwsh|powershell)(?:\.exe)?\b/i;
const ENCODED = /\s-e(?:nc|ncodedcommand)?\s/i;

/** Whether `second` matches after the first match of `first`. Takes linear time. */
function follows(line: string, first: RegExp, second: RegExp): boolean {
  const start = line.search(first);
  return start >= 0 && second.test(line.slice(start));
}

function runsUnseen(line: string): boolean {
  return (
    follows(line, SOURCE_OF_CODE, PIPE_TO_SHELL) ||
    follows(line, EVALUATION, SOURCE_OF_CODE) ||
    follows(line, POWERSHELL, ENCODED)
  );
}

/**
 * Warns about expressions that are expanded at run time, URLs whose user name may be mistaken for the host,
 * and code that is visible only after decoding or downloading.
 */
export function commandWarnings(text: string): readonly Finding[] {
  const findings: Finding[] = [];
  const lines = text.split('\n');
  if (SUBSTITUTION.test(text) || (lines.length === 1 && BACKTICKS.test(text))) {
    findings.push({
      kind: 'substitution',
      message: 'parts are expanded at run time; more may run than is shown',
    });
  }
  if (USER_INFO.test(text)) {
    findings.push({
      kind: 'url-userinfo',
      message: 'this URL contains a user name; the host comes after the `@`',
    });
  }
  if (lines.some(runsUnseen)) {
    findings.push({
      kind: 'decode-and-run',
      message: 'runs decoded or downloaded code that is not shown here',
    });
  }
  return findings;
}
