// Loads the program from an image in the user's cache folder: the parts that a command needed before, as one script, with
// the machine code that V8 made of it. An image is code: it is read only from a folder and a file that nobody but this
// user can write, and its name has the hash of the program and Node's version. If anything about it fails, the start is slower.
'use strict';
const { isAscii } = require('node:buffer');
const fs = require('node:fs');
const path = require('node:path');
const vm = require('node:vm');
const { createRequire } = require('node:module');

const DAYS_KEPT = 30;
const PART = /^\.\/[\w-]+\.cjs$/;

exports.openProgram = openProgram;
exports.readOwn = readOwn;

/** Returns the function that loads a part of the program in `folder`. `use` is what will run: each use has an image. */
function openProgram(folder, use) {
  const file = use && imageFile(fs.readFileSync(path.join(folder, 'hash'), 'latin1'), use);
  const image = (file && readImage(file)) || NO_IMAGE;
  const added = new Map();
  const modules = new Map();
  const requireOther = createRequire(path.join(folder, 'index.js'));
  const requireAny = (name) => (PART.test(name) ? requirePart(name) : requireOther(name));

  function requirePart(name) {
    const known = modules.get(name);
    if (known) return known.exports;
    const file = path.join(folder, name);
    const module = { exports: {} };
    modules.set(name, module);
    const define = image.parts.get(name) ?? compilePart(name, file);
    define(module.exports, requireAny, module, file, folder);
    return module.exports;
  }

  function compilePart(name, file) {
    const source = decode(fs.readFileSync(file));
    added.set(name, source);
    return new vm.Script(source, { filename: file }).runInThisContext();
  }

  // A command that was not understood has loaded too little to be an example for the next one.
  const isComplete = () => image.isWarm && added.size === 0;
  if (file) process.once('exit', (code) => code < 2 && !isComplete() && keepImage(file, image, added));
  return requirePart;
}

const NO_IMAGE = { names: [], source: '[]', parts: new Map(), isWarm: false };

function imageFile(hash, use) {
  const { XDG_CACHE_HOME: named, HOME: home } = process.env;
  const usual = home && path.join(home, process.platform === 'darwin' ? 'Library/Caches' : '.cache');
  const place = [named, usual].find((each) => each && path.isAbsolute(each));
  return place && path.join(place, 'teddy', `${hash}-${process.version}-${process.arch}-${use}`);
}

/** An image has one line about itself, then V8's code, which must be at a multiple of 8, then the parts' sources as a list. */
function readImage(file) {
  try {
    const bytes = readOwn(file);
    if (bytes === undefined) return undefined;
    const end = bytes.indexOf(10);
    const { names, codeSize, isWarm } = JSON.parse(bytes.latin1Slice(0, end));
    const start = aligned(end + 1);
    const code = bytes.subarray(start, start + codeSize);
    // As it is in the file: V8 would copy a text that is put together.
    const source = decode(bytes.subarray(start + codeSize));
    const script = compileParts(source, code);
    const defined = script.runInThisContext();
    const parts = new Map(names.map((name, at) => [name, defined[at]]));
    return { names, source, parts, script, isWarm: isWarm && !script.cachedDataRejected };
  } catch {
    return undefined;
  }
}

function compileParts(source, cachedData) {
  return new vm.Script(source, { filename: 'teddy', cachedData });
}

function aligned(at) {
  return Math.ceil(at / 8) * 8;
}

function decode(bytes) {
  return isAscii(bytes) ? bytes.latin1Slice() : bytes.utf8Slice();
}

/** Undefined if somebody else could have written it. */
function readOwn(file) {
  let opened;
  try {
    if (!isOwn(fs.lstatSync(path.dirname(file)))) return undefined;
    opened = fs.openSync(file, fs.constants.O_RDONLY | fs.constants.O_NOFOLLOW);
    return isOwn(fs.fstatSync(opened)) ? fs.readFileSync(opened) : undefined;
  } catch {
    return undefined;
  } finally {
    if (opened !== undefined) fs.closeSync(opened);
  }
}

function isOwn({ uid, mode }) {
  return uid === process.getuid() && (mode & 0o022) === 0;
}

/**
 * With new parts the image is a new script, of which nothing has run: the next command that uses it completes its code.
 */
function keepImage(file, image, added) {
  const folder = path.dirname(file);
  try {
    fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
    if (!isOwn(fs.lstatSync(folder))) return;
    const isWarm = added.size === 0;
    const names = [...image.names, ...added.keys()];
    const source = `[${[image.source.slice(1, -1), ...added.values()].filter((each) => each !== '').join(',')}]`;
    const code = (isWarm ? image.script : compileParts(source)).createCachedData();
    const half = `${file}.${process.pid}`;
    const about = Buffer.from(`${JSON.stringify({ names, codeSize: code.length, isWarm })}\n`);
    const gap = Buffer.alloc(aligned(about.length) - about.length);
    const whole = Buffer.concat([about, gap, code, Buffer.from(source)]);
    fs.writeFileSync(half, whole, { mode: 0o600, flag: 'wx' });
    fs.renameSync(half, file);
    const oldest = Date.now() - DAYS_KEPT * 24 * 60 * 60 * 1000;
    for (const name of fs.readdirSync(folder)) {
      const each = path.join(folder, name);
      if (fs.lstatSync(each).mtimeMs < oldest) fs.rmSync(each, { force: true });
    }
  } catch {}
}
