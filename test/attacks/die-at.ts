// A module that is loaded before the program and kills it before its n-th operation on files below its home.

/** Source of the module; DIE_AT says before which operation, and the ones until then are counted into DIE_COUNT. */
export const DIE_AT = `import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
const home = process.env.HITL_HOME;
const dieAt = Number(process.env.DIE_AT);
const real = { ...fs };
const fds = new Set();
let count = 0;
const step = () => {
  count += 1;
  if (count === dieAt) { process.kill(process.pid, 'SIGKILL'); for (;;); }
};
const isOurs = (file) => typeof file === 'string' && file.startsWith(home);
for (const name of ['mkdirSync', 'renameSync', 'unlinkSync', 'rmdirSync', 'rmSync', 'chmodSync', 'writeFileSync'])
  fs[name] = (file, ...more) => { if (isOurs(file)) step(); return real[name](file, ...more); };
fs.openSync = (file, ...more) => {
  if (isOurs(file)) step();
  const fd = real.openSync(file, ...more);
  if (isOurs(file)) fds.add(fd);
  return fd;
};
fs.writeSync = (fd, ...more) => { if (fds.has(fd)) step(); return real.writeSync(fd, ...more); };
fs.fsyncSync = (fd) => { if (fds.has(fd)) step(); return real.fsyncSync(fd); };
fs.fdatasyncSync = (fd) => { if (fds.has(fd)) step(); return real.fdatasyncSync(fd); };
syncBuiltinESMExports();
process.on('exit', () => real.writeFileSync(process.env.DIE_COUNT, String(count)));
`;
