/**
 * How long a step of a workflow takes, and how long it takes to go on behind its question, for which the code is
 * replayed from its top. The first run is not counted.
 * @param open gives `run`, `goOn`, and `rest` where what waits for the answer has to be put aside first
 */
export async function timedSteps(steps, open) {
  await timed(await open(Math.min(steps, 200)));
  const { runMs, goOnMs } = await timed(await open(steps));
  return { usPerStep: (runMs / steps) * 1000, goOnMs };
}

async function timed({ run, rest, goOn }) {
  const start = performance.now();
  await run();
  const runMs = performance.now() - start;
  await rest?.();
  const middle = performance.now();
  await goOn();
  return { runMs, goOnMs: performance.now() - middle };
}
