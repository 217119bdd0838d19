#!/usr/bin/env node
// Old JavaScript on purpose: an old Node must be able to read this file to say that it is too old.
var fs = require('fs');
var path = require('path');
var version = process.versions.node.split('.');
var program = path.join(__dirname, '../dist');

function refuse(sentence) {
  process.stderr.write('teddy: ' + sentence + '\n');
  process.exitCode = 2;
}

function start() {
  var words = process.argv;
  var use = words.indexOf('--help') < 0 && /^[a-z][a-z-]{0,20}$/.test(words[2]) ? words[2] : 'help';
  require('./loader.cjs').openProgram(program, use)('./command-line.cjs').start();
}

if (Number(version[0]) < 20 || (Number(version[0]) === 20 && Number(version[1]) < 19)) {
  refuse('needs Node 20.19 or newer; this is Node ' + process.versions.node + '.');
} else if (!fs.existsSync(path.join(program, 'hash'))) {
  refuse('is not built yet; run `npm run build` in its folder.');
} else {
  start();
}
