/** The middle of some numbers; of an even count the mean of the two in the middle. */
export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/** Median, least and greatest. */
export function summary(values) {
  return { median: median(values), min: Math.min(...values), max: Math.max(...values) };
}

/** First, middle and last tenth of a series, each as its median: whether something grows. */
export function thirds(series) {
  const tenth = Math.max(1, Math.floor(series.length / 10));
  const middle = (series.length - tenth) >> 1;
  return {
    first: median(series.slice(0, tenth)),
    middle: median(series.slice(middle, middle + tenth)),
    last: median(series.slice(-tenth)),
  };
}
