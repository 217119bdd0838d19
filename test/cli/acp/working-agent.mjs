// A coding agent: `node working-agent.mjs` gets a prompt on standard input, works in its folder and prints its answer.
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';

const prompt = readFileSync(0, 'utf8');
const message = prompt.split('The user:\n\n').at(-1).trim();

/** Waits, in a process that no other is like, unless it has waited here before. */
async function waitOnce() {
  if (existsSync('partial.txt')) return;
  writeFileSync('partial.txt', 'begun\n');
  console.log('I have begun.');
  await new Promise((resolve) => setTimeout(resolve, 1e8));
}

switch (message) {
  case 'Store the honey.':
    writeFileSync('honey.txt', 'sweet\n');
    writeFileSync('wax.txt', 'hard\n');
    appendFileSync('README.md', 'Now with honey.\n');
    break;
  case 'Take your time.':
    await waitOnce();
    appendFileSync('partial.txt', 'done\n');
    break;
  case 'Fail.':
    writeFileSync('broken.txt', 'half\n');
    console.error('The hive is empty.');
    process.exit(3);
}
console.log(`I was asked:\n\n${prompt}`);
