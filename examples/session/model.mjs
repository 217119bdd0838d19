// A model that knows its answers by heart, for the project in a folder, or in this one:
//
//   node examples/session/model.mjs start [folder]    begins to serve, and writes the .teddy/config.yaml that names it
//   node examples/session/model.mjs stop [folder]     ends that
//
// It gives the numbered files in answers, one a question, as OpenAI's service would; one with `cut-off` in its name ends
// at its token limit. It is the server of teddy's own tests, and opens no network but this machine's own.
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { startModelServer } from '../../test/model-server.mjs';

const CONFIG = '.teddy/config.yaml';
const FIRST_LINE = '# Written by examples/session/model.mjs.';
const LONGEST_MS = 60 * 60 * 1000;

const [word, folder = '.'] = process.argv.slice(2);
const command = { start, stop, serve }[word];
if (!command) fail('Say start or stop.');
else if (!existsSync(folder)) fail(`There is no ${folder}.`);
else {
  process.chdir(folder);
  await command();
}

/** The server outlives this program. */
async function start() {
  if (isServed()) return fail(`${CONFIG} names such a model already; stop it first.`);
  if (existsSync(CONFIG)) return fail(`There is a ${CONFIG}, which is not to be lost.`);
  const program = fileURLToPath(import.meta.url);
  const server = spawn(process.execPath, [program, 'serve'], {
    detached: true,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  server.unref();
  for await (const _ of server.stdout) return console.log(`The model is served. ${CONFIG} names it.`);
  fail('The model cannot be served.');
}

function stop() {
  if (!isServed()) return fail(`${CONFIG} names no such model.`);
  rmSync(CONFIG);
  console.log('The model is gone.');
}

/** Until the config no longer names it, or it was forgotten. */
async function serve() {
  const { url } = await startModelServer(readAnswers());
  mkdirSync('.teddy', { recursive: true });
  writeFileSync(CONFIG, configFor(url));
  console.log(url);
  setTimeout(() => process.exit(), LONGEST_MS);
  setInterval(() => isServed(url) || process.exit(), 500);
}

function isServed(url = FIRST_LINE) {
  return existsSync(CONFIG) && readFileSync(CONFIG, 'utf8').includes(url);
}

function readAnswers() {
  const folder = new URL('answers/', import.meta.url);
  const names = readdirSync(folder).filter((name) => /^\d/.test(name));
  return names.sort().map((name) => {
    const answer = readFileSync(new URL(name, folder), 'utf8');
    const finish = name.includes('cut-off') ? 'length' : 'stop';
    return { answer, finish, usage: { input: 3500, output: Math.ceil(answer.length / 4) } };
  });
}

function configFor(url) {
  return [
    FIRST_LINE,
    'model:',
    '  provider: openai-compatible',
    `  baseURL: ${url}`,
    '  name: by-heart',
    '  inputPrice: 3',
    '  outputPrice: 15',
    '',
  ].join('\n');
}

function fail(sentence) {
  console.error(sentence);
  process.exitCode = 1;
}
