import type { Gauge } from '../../telemetry/index.js';

/** The facts of this process under the names that every dashboard knows. */
export function processGauges(version: string): readonly Gauge[] {
  const { user, system } = process.cpuUsage();
  return [
    {
      name: 'hitl_build_info',
      description: 'The version of this program.',
      samples: [{ labels: { version }, value: 1 }],
    },
    {
      name: 'process_cpu_seconds_total',
      type: 'counter',
      description: 'User and system CPU time spent in seconds.',
      samples: [{ value: (user + system) / 1e6 }],
    },
    {
      name: 'process_resident_memory_bytes',
      description: 'Resident memory size in bytes.',
      samples: [{ value: process.memoryUsage.rss() }],
    },
    {
      name: 'process_start_time_seconds',
      description: 'Start time of the process since unix epoch in seconds.',
      samples: [{ value: Math.round(performance.timeOrigin) / 1_000 }],
    },
  ];
}
