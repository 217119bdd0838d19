// Loads the parts of the program with the machine code that V8 made of them in an earlier run. Such a cache is code: it
// is read only from a folder and a file that this user alone may write, and its name holds the hash of the program and
// Node's version. Whatever fails about it, the start is only slower.
'use strict';
const fs = require('node:fs');
const path = require('node:path');
const vm = require('node:vm');
const { createRequire } = require('node:module');

const DAYS_KEPT = 30;
const PART = /^\.\/[\w-]+\.cjs$/;

exports.openProgram = openProgram;
exports.readOwn = readOwn;

/** Gives what a part of the program in `folder` exports. `use` says what will run: each use has a cache of its own. */
function openProgram(folder, use) {
  const cache = use && cacheFile(fs.readFileSync(path.join(folder, 'hash'), 'latin1'), use);
  const compiled = (cache && readCache(cache)) || new Map();
  const scripts = new Map();
  const modules = new Map();
  const requireOther = createRequire(path.join(folder, 'index.js'));
  const requireAny = (name) => (PART.test(name) ? requirePart(name) : requireOther(name));

  function requirePart(name) {
    const known = modules.get(name);
    if (known) return known.exports;
    const file = path.join(folder, name);
    const cachedData = compiled.get(name);
    const script = new vm.Script(fs.readFileSync(file, 'utf8'), { filename: file, cachedData });
    if (script.cachedDataRejected) compiled.delete(name);
    scripts.set(name, script);
    const module = { exports: {} };
    modules.set(name, module);
    script.runInThisContext()(module.exports, requireAny, module, file, folder);
    return module.exports;
  }

  // A command that was not understood has compiled too little to be an example for the next one.
  const isNew = () => [...scripts.keys()].some((name) => !compiled.has(name));
  if (cache) process.once('exit', (code) => code < 2 && isNew() && keep(cache, compiled, scripts));
  return requirePart;
}

function cacheFile(hash, use) {
  const { XDG_CACHE_HOME: named, HOME: home } = process.env;
  const usual = home && path.join(home, process.platform === 'darwin' ? 'Library/Caches' : '.cache');
  const place = [named, usual].find((each) => each && path.isAbsolute(each));
  return place && path.join(place, 'teddy', `${hash}-${process.version}-${process.arch}-${use}`);
}

/** A cache holds the names and sizes of its parts in one line, then each part at a multiple of 8, as V8 wants it. */
function readCache(file) {
  const bytes = readOwn(file);
  if (bytes === undefined) return undefined;
  try {
    const end = bytes.indexOf(10);
    let at = aligned(end + 1);
    const compiled = new Map();
    for (const [name, size] of JSON.parse(bytes.latin1Slice(0, end))) {
      compiled.set(name, bytes.subarray(at, at + size));
      at = aligned(at + size);
    }
    return compiled;
  } catch {
    return undefined;
  }
}

function writeCache(file, compiled) {
  const sizes = [...compiled].map(([name, bytes]) => [name, bytes.length]);
  const pieces = [Buffer.from(`${JSON.stringify(sizes)}\n`), ...compiled.values()];
  const whole = Buffer.concat(
    pieces.flatMap((piece) => [piece, Buffer.alloc(aligned(piece.length) - piece.length)]),
  );
  fs.writeFileSync(file, whole, { mode: 0o600, flag: 'wx' });
}

function aligned(at) {
  return Math.ceil(at / 8) * 8;
}

/** Undefined where somebody else could have written it. */
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

function keep(file, compiled, scripts) {
  const folder = path.dirname(file);
  try {
    fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
    if (!isOwn(fs.lstatSync(folder))) return;
    for (const [name, script] of scripts) compiled.set(name, script.createCachedData());
    const half = `${file}.${process.pid}`;
    writeCache(half, compiled);
    fs.renameSync(half, file);
    const oldest = Date.now() - DAYS_KEPT * 24 * 60 * 60 * 1000;
    for (const name of fs.readdirSync(folder)) {
      const each = path.join(folder, name);
      if (fs.lstatSync(each).mtimeMs < oldest) fs.rmSync(each, { force: true });
    }
  } catch {}
}
