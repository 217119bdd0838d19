#!/usr/bin/env node
// Old JavaScript on purpose: an old Node must be able to read this file to say that it is too old.
// Plans are looked at often, and results come many at once: for these there are smaller programs.
var programs = {
  validate: 'plan-main',
  preprocess: 'plan-main',
  result: 'task-main',
  task: 'task-main',
  metrics: 'task-main',
  state: 'task-main',
  logs: 'task-main',
  agent: 'agent-main',
};
var command = process.argv[2];
var main =
  '../dist/cli/' + (Object.keys(programs).indexOf(command) < 0 ? 'main' : programs[command]) + '.cjs';
var version = process.versions.node.split('.');

function refuse(sentence) {
  process.stderr.write('teddy: ' + sentence + '\n');
  process.exitCode = 2;
}

if (Number(version[0]) < 20 || (Number(version[0]) === 20 && Number(version[1]) < 19)) {
  refuse('needs Node 20.19 or newer; this is Node ' + process.versions.node + '.');
} else if (!require('fs').existsSync(require('path').join(__dirname, main))) {
  refuse('is not built yet; run `npm run build` in its folder.');
} else {
  require(main);
}
