// An executor that behaves as it is told, well and badly, and keeps its own record of what it did. Which of its
// behaviours is shown stands in a file of its task, by attempt.
import { spawn } from 'node:child_process';
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';

const { TEDDY_TASK_ID: id, TEDDY_TASK_NAME: name } = process.env;
const { TEDDY_SOAK_FOLDER: folder, TEDDY_SOAK_RUN: run } = process.env;
const attempt = Number(process.env.TEDDY_ATTEMPT);
const task = JSON.parse(readFileSync(join(folder, 'tasks', `${id}.json`), 'utf8'));
const prompt = readFileSync(0, 'utf8');
const mark = `seen-${id.replace(':', '-')}-${attempt}-${process.pid}-${Date.now()}`;
const behaviour = chooseBehaviour();

note('began');
const act = ACTS()[behaviour];
if (!act) throw new Error(`There is no behaviour ${behaviour}.`);
act();

function chooseBehaviour() {
  const { kind, behaviours, bad } = task;
  const isHelped =
    kind === 'fixable'
      ? prompt.includes('blue')
      : kind === 'mended' && existsSync(join(folder, 'mended', id));
  if (kind === 'plain') return behaviours[attempt - 1] ?? 'good';
  return isHelped ? 'good' : bad[attempt % bad.length];
}

function ACTS() {
  return {
    good: () => succeed(),
    'good, exit code 1': () => succeed({ exit: 1 }),
    'good, killed at the end': () => succeed({ killed: true }),
    'good, leaves a child': () => {
      leaveChild();
      succeed();
    },
    'good, said twice': () => {
      work();
      print(`${result('success')}\n${result('success')}`, 'result');
    },
    'reports a failure': () => print(result('failure'), 'result'),
    'claims what is not so': () => print(result('success'), 'result'),
    'success with exit code 2': () =>
      print(result('success').replace('exit_code: 0', 'exit_code: 2'), 'result'),
    'another task': () => print(result('success', task.other), 'result'),
    'two documents': () => print(`${result('success')}---\n${result('failure')}`, 'result'),
    'half of it, killed': () => {
      const text = result('success');
      print(text.slice(0, text.indexOf('verification:')), 'result');
      process.kill(process.pid, 'SIGKILL');
    },
    prose: () => print(`All done! ${mark} \u0007\u001b[31m{{{ - : &a [*a\n`, 'result'),
    'prose, exit code 3': () => {
      print(`Something went wrong: ${mark}\n`, 'nothing');
      process.exit(3);
    },
    nothing: () => {},
    'nothing, killed': () => process.kill(process.pid, 'SIGKILL'),
    hangs: () => setTimeout(() => {}, 600_000),
    'hangs, with a child': () => {
      leaveChild();
      setTimeout(() => {}, 600_000);
    },
    'blocked by another': () => print(result('blocked', name, `It needs "${task.other}" first.`), 'result'),
    'blocked by nobody': () => print(result('blocked', name, 'The key of the door is missing.'), 'result'),
  };
}

function succeed({ exit = 0, killed = false } = {}) {
  work();
  print(result('success'), 'result');
  if (killed) process.kill(process.pid, 'SIGKILL');
  process.exitCode = exit;
}

function work() {
  mkdirSync('work', { recursive: true });
  writeFileSync(task.file, `${name}\n`);
}

function leaveChild() {
  spawn('sleep', ['600'], { stdio: ['ignore', 'inherit', 'inherit'] }).unref();
}

/** All of it is with whoever reads when it is noted. */
function print(text, what) {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; ) at += writeSync(1, bytes, at);
  note('printed', { what });
}

function note(type, more = {}) {
  const line = {
    type,
    at: Date.now(),
    run: Number(run),
    id,
    attempt,
    pid: process.pid,
    behaviour,
    mark,
    ...more,
  };
  appendFileSync(join(folder, 'records.jsonl'), `${JSON.stringify(line)}\n`);
}

function result(status, about = name, error = status === 'success' ? null : 'It did not work.') {
  const isBlocked = status === 'blocked';
  return `status: ${status}
task_name: ${JSON.stringify(about)}
evidence: ${JSON.stringify(`I was here: ${mark}.`)}
files_modified: ${status === 'success' ? JSON.stringify([task.file]) : '[]'}
verification:
  command: ${isBlocked ? 'null' : JSON.stringify(task.verify)}
  exit_code: ${isBlocked ? 'null' : status === 'success' ? 0 : 1}
  output_summary: ${isBlocked ? 'null' : '"as expected"'}
done_criteria_met: ${status === 'success'}
error: ${JSON.stringify(error)}
`;
}
