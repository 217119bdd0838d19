// A worker that behaves badly, in the way that it is told.
const { parentPort, workerData } = require('node:worker_threads');

if (workerData === 'throw') throw new Error('no');
if (workerData === 'exit') process.exit(0);
const kept = [];
while (workerData === 'memory') kept.push(new Array(10_000).fill(kept.length));
console.log('This must not be seen.');
parentPort.postMessage({ env: { ...process.env }, argv: process.argv.length });
