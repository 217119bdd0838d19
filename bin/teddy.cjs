#!/usr/bin/env node
// Old JavaScript on purpose: an old Node must be able to read this file to say that it is too old.
// Plans are looked at often, and by a smaller program.
var small = process.argv[2] === 'validate' || process.argv[2] === 'preprocess';
var main = small ? '../dist/cli/plan-main.cjs' : '../dist/cli/main.cjs';
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
