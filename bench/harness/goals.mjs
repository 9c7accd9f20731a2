import { figure, table } from './table.mjs';

/** A goal that is met by what is as small as this, or smaller. */
export function atMost(text, value, most) {
  return { text, value, most, verdict: verdictOf(value / most) };
}

/** A goal that is met by what is as great as this, or greater. */
export function atLeast(text, value, least) {
  return { text, value, least, verdict: verdictOf(least / value) };
}

/** @param share 1 where a goal is just met, 2 where it is missed by as much again */
function verdictOf(share) {
  if (!Number.isFinite(share)) return 'not measured';
  return share <= 1 ? 'met' : 'missed';
}

/** All goals in one table, each with what was measured, and those that were missed with by how much. */
export function goalTable(goals) {
  const rows = goals.map(({ section = '', text, value, most, least, verdict }) => [
    section,
    text,
    most === undefined ? `≥ ${figure(least)}` : `≤ ${figure(most)}`,
    figure(value),
    verdict === 'missed' ? `MISSED, ${byHowMuch({ value, most, least })}` : verdict,
  ]);
  return table([['', 'goal', '', 'measured', ''], ...rows]);
}

function byHowMuch({ value, most, least }) {
  return most === undefined ? `${figure(value / least)} of it` : `${figure(value / most)} times as much`;
}

/** `12 goals: 9 met, 2 missed, 1 not measured`. */
export function goalCount(goals) {
  const count = (verdict) => goals.filter((goal) => goal.verdict === verdict).length;
  return `${goals.length} goals: ${count('met')} met, ${count('missed')} missed, ${count('not measured')} not measured`;
}
