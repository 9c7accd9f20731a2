// Loaded into the program before its own code: counts its flushes, and how often it waits for some.
const fs = require('node:fs');

const counted = { flushes: 0, waits: 0 };
let running = 0;

for (const name of ['fsync', 'fdatasync']) {
  const flush = fs[name];
  fs[name] = (fd, done) => {
    counted.flushes += 1;
    if (running === 0) counted.waits += 1; // those that are begun beside another one are waited for together
    running += 1;
    flush(fd, (error) => {
      running -= 1;
      done(error);
    });
  };
}

const inPlace = fs.fdatasyncSync;
fs.fdatasyncSync = (fd) => {
  counted.flushes += 1;
  counted.waits += 1;
  inPlace(fd);
};

process.on('exit', () => {
  fs.writeFileSync(process.env.BENCH_FLUSHES, JSON.stringify(counted));
});
