// Loaded into a teddy under test: on SIGUSR2 it collects garbage, and writes what is left to the file in HEAP_FILE.
const { renameSync, writeFileSync } = require('node:fs');

process.on('SIGUSR2', () => {
  globalThis.gc();
  const file = process.env.HEAP_FILE;
  writeFileSync(`${file}.new`, JSON.stringify(process.memoryUsage()));
  renameSync(`${file}.new`, file);
});
