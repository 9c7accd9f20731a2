import { existing } from './existing.js';

/** Parts of `/proc` that act on the whole machine. Root owns them, and needs no capability to write to some. */
const PARTS: readonly string[] = [
  'sys',
  'sysrq-trigger',
  'irq',
  'bus',
  'acpi',
  'scsi',
  'mtrr',
  'driver',
  'pressure',
];

/** Those that this system has. */
export async function guardedProc(): Promise<readonly string[]> {
  return (await existing(PARTS.map((part) => `/proc/${part}`))).map(({ path }) => path);
}
