// Loads a program with the machine code that V8 made of it in an earlier run. A cache is code: it is read only from a
// folder and a file that this user alone may write, and its name holds the hash of the program and Node's version.
'use strict';
const fs = require('node:fs');
const path = require('node:path');
const vm = require('node:vm');
const { createRequire } = require('node:module');

const DAYS_KEPT = 30;

exports.readOwn = readOwn;

/** What a CommonJS file exports. `use` names what will run of it: each use has a cache of its own. Without, there is none. */
exports.loadCached = (file, hash, use) => {
  const folder = use === undefined ? undefined : cacheFolder();
  const cache = folder && path.join(folder, `${hash}-${process.version}-${process.arch}-${use}`);
  const cachedData = cache && readOwn(cache);
  const script = new vm.Script(fs.readFileSync(file, 'utf8'), {
    filename: file,
    cachedData,
  });
  const module = { exports: {} };
  script.runInThisContext()(module.exports, createRequire(file), module, file, path.dirname(file));
  const isMissing = cachedData === undefined || script.cachedDataRejected;
  if (cache && isMissing) process.once('exit', () => keep(cache, script));
  return module.exports;
};

/** In the user's cache folder, where there is one; undefined otherwise. */
function cacheFolder() {
  const { XDG_CACHE_HOME: named, HOME: home } = process.env;
  const places = [named, home && path.join(home, '.cache'), home && path.join(home, 'Library/Caches')];
  const place = places.find((each) => each && path.isAbsolute(each) && fs.existsSync(each));
  return place && path.join(place, 'teddy');
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

/** Whatever fails here, the next start is only slower. */
function keep(file, script) {
  const folder = path.dirname(file);
  try {
    fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
    if (!isOwn(fs.lstatSync(folder))) return;
    const part = `${file}.${process.pid}`;
    fs.writeFileSync(part, script.createCachedData(), { mode: 0o600, flag: 'wx' });
    fs.renameSync(part, file);
    const oldest = Date.now() - DAYS_KEPT * 24 * 60 * 60 * 1000;
    for (const name of fs.readdirSync(folder)) {
      const each = path.join(folder, name);
      if (fs.lstatSync(each).mtimeMs < oldest) fs.rmSync(each, { force: true });
    }
  } catch {}
}
