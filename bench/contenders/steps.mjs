/**
 * How long a step of a workflow takes, and how long it takes to go on behind its question, for which the code is
 * replayed from its top. The first run is not counted.
 */
export async function timedSteps(steps, open) {
  const { run: warm, goOn: end } = await open(Math.min(steps, 200));
  await warm();
  await end();
  const { run, goOn } = await open(steps);
  const start = performance.now();
  await run();
  const middle = performance.now();
  await goOn();
  return { usPerStep: ((middle - start) / steps) * 1000, goOnMs: performance.now() - middle };
}
