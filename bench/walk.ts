import { spawnSync } from 'node:child_process';
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Check } from './table.js';

interface Coverage {
  result: {
    url: string;
    functions: { ranges: { startOffset: number; count: number }[] }[];
  }[];
}

/** How many files a reader has to follow: those with a function that runs once every module is loaded. */
export async function benchWalk(): Promise<Check[]> {
  const folder = mkdtempSync(join(tmpdir(), 'teddy-walk-'));
  try {
    // Where it finds what is not bundled.
    const program = join(process.cwd(), 'node_modules/.cache/teddy-bundles/walk.cjs');
    const { bundleReadable } = await import(pathToFileURL(join(process.cwd(), 'scripts/dist.mjs')).href);
    await bundleReadable(program);
    exportLoad(program);
    const walk = (name: string, limit: number, files: Record<string, string>, words: string[]): Check => {
      const ran = walkedFiles(program, join(folder, name), files, words);
      if (process.env.TEDDY_WALK === name) console.log(ran.join('\n'));
      return { name, value: ran.length, limit, bound: 'at most', unit: '' };
    };
    return [
      walk('execute', 90, exampleFiles('first-turn'), ['execute', 'plan.md', '--yes', '--no-copy']),
      walk('result submit', 85, resultFiles(), ['result', 'submit', 'result.yaml', '--plan', '01-01']),
      walk('orchestrate', 150, taskFiles(), ['orchestrate', '--yes', '--executor', 'done', '--trust']),
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Adds to the bundle a function that loads every module of ours, which it otherwise does as it goes. */
function exportLoad(program: string): void {
  const source = readFileSync(program, 'utf8');
  const modules = source.matchAll(/^var (init_\w+) = __esm\(\{\n {2}"src\//gm);
  const calls = [...modules].map(([, name]) => `${name}();`).join('');
  appendFileSync(program, `module.exports.load = () => {${calls}};\n`);
}

function walkedFiles(
  program: string,
  folder: string,
  files: Record<string, string>,
  words: string[],
): string[] {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(folder, 'project', path, '..'), { recursive: true });
    writeFileSync(join(folder, 'project', path), text);
  }
  const coverage = join(folder, 'coverage');
  // The first report has what ran while modules were loaded; the second, at the end, has the rest.
  const script = `const program = require(${JSON.stringify(program)});
    program.load();
    require('node:v8').takeCoverage();
    program.start();`;
  const { pid, status, stdout, stderr } = spawnSync(process.execPath, ['-e', script, 'teddy', ...words], {
    cwd: join(folder, 'project'),
    encoding: 'utf8',
    env: {
      PATH: process.env.PATH,
      HOME: folder,
      NODE_V8_COVERAGE: coverage,
    },
  });
  if (status !== 0) throw new Error(`teddy ${words.join(' ')} ended with ${status}:\n${stdout}${stderr}`);
  const source = readFileSync(program, 'utf8');
  // The bundle names each file above its code, those of libraries too.
  const marks = [...source.matchAll(/^ *\/\/ ((?:src|node_modules)\/\S+|<stdin>)$/gm)].map(
    ({ index, 1: file }) => ({ index, file: file! }),
  );
  const ran = new Set<string>();
  // Its name has the time.
  const report = readdirSync(coverage)
    .filter((name) => name.startsWith(`coverage-${pid}-`))
    .sort()
    .at(-1)!;
  const { result } = JSON.parse(readFileSync(join(coverage, report), 'utf8')) as Coverage;
  const { functions } = result.find(({ url }) => url === pathToFileURL(program).href)!;
  for (const { ranges } of functions) {
    const { startOffset, count } = ranges[0]!;
    const file = marks.findLast(({ index }) => index <= startOffset)?.file;
    if (count > 0 && file?.startsWith('src/')) ran.add(file);
  }
  return [...ran].sort();
}

function exampleFiles(name: string): Record<string, string> {
  const folder = join(process.cwd(), 'examples', name);
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  const paths = entries.flatMap((entry) => (entry.isFile() ? join(entry.parentPath, entry.name) : []));
  return Object.fromEntries(paths.map((path) => [relative(folder, path), readFileSync(path, 'utf8')]));
}

const PLAN = `---
phase: 01-base
plan: 01
---

<tasks>
<task type="auto">
  <name>Task 1: Write the file</name>
  <files>done.txt</files>
  <action>Write it.</action>
  <verify>test -f done.txt</verify>
  <done>The file is there.</done>
</task>
</tasks>
`;

const RESULT = `status: success
task_name: 'Task 1: Write the file'
files_modified: [done.txt]
verification:
  command: test -f done.txt
  exit_code: 0
  output_summary: The file is there.
done_criteria_met: true
evidence: The file was written, and test -f finds it.
error: null
`;

function resultFiles(): Record<string, string> {
  return { '.planning/01-01-PLAN.md': PLAN, 'result.yaml': RESULT, 'done.txt': 'done\n' };
}

function taskFiles(): Record<string, string> {
  const script = `cat > /dev/null; echo done > done.txt; cat <<'EOF'\n${RESULT}EOF\n`;
  return {
    '.planning/01-01-PLAN.md': PLAN,
    'work.sh': script,
    '.teddy/config.yaml': 'executors:\n  done:\n    command: sh work.sh\n',
  };
}
